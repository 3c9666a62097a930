/* jq_check.c - what the names of a jq program mean: scopes, the prelude, and what is not defined */
#include "builtins/jq_module.h"

struct jq_scope *wk_jq_scope_add(struct jq *q, struct jq_scope *next, enum jq_scope_kind kind, struct wk_str name,
                                 uint32_t arity)
{
    struct jq_scope *s = jq_bump(q, sizeof *s);
    s->next = next;
    s->kind = (uint8_t)kind;
    s->name = name;
    s->arity = arity;
    return s;
}

struct jq_scope *wk_jq_scope_find(struct jq *q, struct jq_scope *scope, struct wk_str name, uint32_t arity)
{
    uint32_t steps = 1;
    while (scope && !(scope->arity == arity && wk_str_eq(scope->name, name))) {
        scope = scope->next;
        steps++;
    }
    wk_tick(q->c, steps / 8 + 1);
    return scope;
}

enum jq_intrinsic wk_jq_intrinsic(struct wk_str name, uint32_t arity)
{
    static const struct {
        const char *name;
        uint8_t arity, what;
    } table[] = {{"empty", 0, JI_EMPTY},   {"error", 0, JI_ERROR},   {"error", 1, JI_ERROR1}, {"not", 0, JI_NOT},
                 {"path", 1, JI_PATH},     {"range", 1, JI_RANGE1},  {"range", 2, JI_RANGE2}, {"range", 3, JI_RANGE3},
                 {"first", 1, JI_FIRST},   {"limit", 2, JI_LIMIT},   {"last", 1, JI_LAST},
                 {"getpath", 1, JI_GETPATH},
                 {"env", 0, JI_ENV}};
    for (size_t i = 0; i < WK_COUNTOF(table); i++)
        if (table[i].arity == arity && wk_str_is(name, table[i].name))
            return table[i].what;
    return JI_NONE;
}

const struct jq_builtin *wk_jq_native(struct wk_str name, uint32_t arity)
{
    const struct jq_builtin *b = wk_jq_module_builtin(name, arity);
    return b || arity > WK_JQ_ARGS_MAX ? b : wk_jq_builtin(name.p, name.n, arity);
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct check {
    struct jq_text *t;
    struct jq *q;
    struct jq_node *n;
    struct jq_scope *scope;
};

static int check_node(void *arg);

static void check(struct check *c, struct jq_node *n, struct jq_scope *scope)
{
    struct check inner = {c->t, c->q, n, scope};
    if (n)
        wk_jq_deeper(c->q, check_node, &inner);
}

static struct jq_scope *add_var(struct check *c, struct jq_scope *scope, struct wk_str name)
{
    return wk_jq_scope_add(c->q, scope, JS_VAR, name, JQ_ARITY_VAR);
}

struct check_pattern {
    struct check *c;
    const struct jq_pattern *p;
    struct jq_scope *outer; /* what keys see */
    struct jq_scope *scope; /* grows */
};

static int check_pattern(void *arg)
{
    struct check_pattern *k = arg;
    if (k->p->kind == JP_VAR)
        k->scope = add_var(k->c, k->scope, k->p->name);
    for (uint32_t i = 0; i < k->p->n; i++) {
        const struct jq_entry *e = &k->p->entries[i];
        check(k->c, e->key, k->outer);
        if (e->var.p)
            k->scope = add_var(k->c, k->scope, e->var);
        if (e->inner) {
            struct check_pattern inner = {k->c, e->inner, k->outer, k->scope};
            wk_jq_deeper(k->c->q, check_pattern, &inner);
            k->scope = inner.scope;
        }
    }
    return 0;
}

static struct jq_scope *check_patterns(struct check *c, const struct jq_node *n, struct jq_scope *scope)
{
    struct jq_scope *outer = scope;
    for (uint32_t i = 0; i < n->npatterns; i++) {
        struct check_pattern k = {c, n->patterns[i], outer, scope};
        wk_jq_deeper(c->q, check_pattern, &k);
        scope = k.scope;
    }
    return scope;
}

static struct jq_scope *check_def(struct check *c, struct jq_def *d, struct jq_scope *scope)
{
    scope = wk_jq_scope_add(c->q, scope, JS_DEF, d->name, d->nparams);
    scope->def = d;
    struct jq_scope *inner = scope;
    for (uint32_t i = 0; i < d->nparams; i++) {
        inner = wk_jq_scope_add(c->q, inner, JS_CLOSURE, d->params[i].name, 0);
        if (d->params[i].is_value)
            inner = add_var(c, inner, d->params[i].name);
    }
    d->open = true;
    check(c, d->body, inner);
    d->open = false;
    return scope;
}

static void check_call(struct check *c, struct jq_node *n, struct jq_scope *scope)
{
    for (uint32_t i = 0; i < n->n; i++)
        check(c, n->kids[i], scope);
    struct jq_scope *s = wk_jq_scope_find(c->q, scope, n->name, n->n);
    if (!s && wk_jq_intrinsic(n->name, n->n) == JI_NONE && !wk_jq_native(n->name, n->n)) {
        s = wk_jq_prelude_scope(c->q, n->name, n->n);
        if (!s)
            wk_jq_complain(c->t, n->at, n->end, "%.*s/%u is not defined", (int)n->name.n, n->name.p, n->n);
    }
    if (s && s->kind == JS_DEF && s->def->open)
        s->def->recursive = true;
}

static void check_name(struct check *c, const struct jq_node *n, struct jq_scope *scope)
{
    bool label = n->kind == JN_BREAK;
    if (!wk_jq_scope_find(c->q, scope, n->name, label ? JQ_ARITY_LABEL : JQ_ARITY_VAR) &&
        (label || !wk_str_is(n->name, "ENV")))
        wk_jq_complain(c->t, n->at, n->end, "$%s%.*s is not defined", label ? "*label-" : "", (int)n->name.n,
                       n->name.p);
}

static int check_node(void *arg)
{
    struct check *c = arg;
    struct jq_node *n = c->n;
    struct jq_scope *scope = c->scope;
    while (n) {
        wk_tick(c->q->c, 1);
        switch (n->kind) {
        case JN_INDEX:
        case JN_SLICE:
        case JN_EACH:
            check(c, n->b, scope);
            check(c, n->c, scope);
            n = n->a;
            continue;
        case JN_BINARY:
            check(c, n->b, scope);
            n = n->a;
            continue;
        case JN_DEF:
            scope = check_def(c, n->def, scope);
            n = n->a;
            continue;
        case JN_AS:
            check(c, n->a, scope);
            scope = check_patterns(c, n, scope);
            n = n->b;
            continue;
        case JN_REDUCE:
        case JN_FOREACH:
            check(c, n->a, scope);
            check(c, n->b, scope);
            scope = check_patterns(c, n, scope);
            check(c, n->c, scope);
            n = n->d;
            continue;
        case JN_LABEL:
            scope = wk_jq_scope_add(c->q, scope, JS_LABEL, n->name, JQ_ARITY_LABEL);
            n = n->a;
            continue;
        case JN_VAR:
        case JN_BREAK:
            check_name(c, n, scope);
            return 0;
        case JN_CALL:
            check_call(c, n, scope);
            return 0;
        default:
            for (uint32_t i = 0; i < n->n; i++)
                check(c, n->kids[i], scope);
            check(c, n->a, scope);
            check(c, n->b, scope);
            n = n->c;
            continue;
        }
    }
    return 0;
}

void wk_jq_check(struct jq_text *t, struct jq_scope *scope)
{
    struct check c = {t, t->q, NULL, scope};
    if (t->main) {
        check(&c, t->main, scope);
        return;
    }
    for (uint32_t i = 0; i < t->ndefs; i++)
        scope = check_def(&c, t->defs[i], scope);
}

/* ---- the prelude ----------------------------------------------------------------------------- */

struct jq_scope *wk_jq_prelude_scope(struct jq *q, struct wk_str name, uint32_t arity)
{
    struct jq_scope *s = wk_jq_scope_find(q, q->prelude, name, arity);
    if (s)
        return s;
    const struct jq_prelude *p = wk_jq_prelude(name.p, name.n, arity);
    if (!p)
        return NULL;
    struct jq_text *t = jq_bump(q, sizeof *t);
    t->q = q;
    t->s = wk_str_c(p->source);
    t->name = "<builtin>";
    t->messages = wk_jq_messages(q);
    wk_jq_parse(t);
    if (t->errors || t->ndefs != 1)
        return NULL;
    /* Known before it is looked at: it may name itself. */
    q->prelude = s = wk_jq_scope_add(q, q->prelude, JS_DEF, t->defs[0]->name, arity);
    s->def = t->defs[0];
    struct check c = {t, q, NULL, NULL};
    (void)check_def(&c, s->def, NULL);
    return s;
}
