/* jq_parse.c - jq's grammar: texts, definitions, queries and operators (terms: jq_term.c)
 *
 * Loosest first: |  ,  (def, label and `as` reach to the end), // (right), assignments (none), or, and,
 * comparisons (none), + -, * / %, then - and try, which take a postfix term.
 */
#include "builtins/jq_parse.h"

enum {
    MOST_MESSAGES = 1 << 20 /* bytes of them; later ones are only counted */
};

/* ---- nodes ----------------------------------------------------------------------------------- */

void wk_jq_list_add(struct jq_parser *p, struct jq_list *list, void *item)
{
    if (list->n == list->cap) {
        list->cap = list->cap ? list->cap * 2 : 8;
        list->v = wk_heap_realloc(p->q->c->heap, list->v, list->cap * sizeof *list->v);
    }
    list->v[list->n++] = item;
}

void *wk_jq_list_end(struct jq_parser *p, struct jq_list *list, uint32_t *n)
{
    void *v = jq_bump(p->q, (list->n + 1) * sizeof *list->v);
    if (list->n)
        memcpy(v, list->v, list->n * sizeof *list->v);
    *n = list->n;
    if (list->v)
        wk_heap_free(p->q->c->heap, list->v);
    *list = (struct jq_list){0};
    return v;
}

static void count_height(struct jq_parser *p, struct jq_node *n, const struct jq_node *child)
{
    if (!child)
        return;
    n->size = child->size > UINT32_MAX - n->size ? UINT32_MAX : n->size + child->size;
    /* The steps of a chain are walked in a loop, and so are the left sides of operators. */
    bool step = (n->kind == JN_INDEX || n->kind == JN_SLICE || n->kind == JN_EACH || n->kind == JN_BINARY) &&
                child == n->a;
    if (step && child->height > n->height) {
        n->height = child->height;
    } else if (!step && child->height >= n->height) {
        n->height = (uint16_t)(child->height + 1);
        if (n->height > WK_JQ_NEST && !p->failed) {
            wk_jq_complain(p->t, n->at, n->end, "the program is nested too deep");
            p->failed = true;
        }
    }
}

struct jq_node *wk_jq_node(struct jq_parser *p, enum jq_node_kind kind, uint32_t at, struct jq_node *a,
                           struct jq_node *b, struct jq_node *c)
{
    struct jq_node *n = jq_bump(p->q, sizeof *n);
    wk_tick(p->q->c, 1);
    n->kind = (uint8_t)kind;
    n->at = at;
    n->end = p->l.before > at ? p->l.before : p->l.end;
    n->height = 1;
    n->size = 1;
    n->a = a;
    n->b = b;
    n->c = c;
    count_height(p, n, a);
    count_height(p, n, b);
    count_height(p, n, c);
    return n;
}

struct jq_node *wk_jq_node_list(struct jq_parser *p, enum jq_node_kind kind, uint32_t at, struct jq_list *kids)
{
    struct jq_node *n = wk_jq_node(p, kind, at, NULL, NULL, NULL);
    n->kids = wk_jq_list_end(p, kids, &n->n);
    for (uint32_t i = 0; i < n->n; i++)
        count_height(p, n, n->kids[i]);
    return n;
}

struct jq_node *wk_jq_node_const(struct jq_parser *p, uint32_t at, struct jq_val v)
{
    struct jq_node *n = wk_jq_node(p, JN_CONST, at, NULL, NULL, NULL);
    n->value = v;
    return n;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void release_messages(void *arg)
{
    wk_buf_release(arg);
}

struct wk_buf *wk_jq_messages(struct jq *q)
{
    struct wk_buf *b = jq_bump(q, sizeof *b);
    wk_buf_init(b, wk_heap_mem(q->c->heap), SIZE_MAX / 2);
    wk_heap_own(q->c->heap, b, release_messages);
    return b;
}

void wk_jq_complain(struct jq_text *t, uint32_t at, uint32_t end, const char *fmt, ...)
{
    va_list args;
    size_t line = 1, from = 0, n = 0;
    t->errors++;
    wk_tick(t->q->c, at / 64 + 1);
    if (t->messages->n > MOST_MESSAGES)
        return;
    wk_buf_put_c(t->messages, "jq: error: ");
    va_start(args, fmt);
    wk_buf_vfmt(t->messages, fmt, args);
    va_end(args);
    for (size_t i = 0; i < at && i < t->s.n; i++)
        if (t->s.p[i] == '\n') {
            line++;
            from = i + 1;
        }
    while (from + n < t->s.n && t->s.p[from + n] != '\n')
        n++;
    if (end > from + n)
        end = (uint32_t)(from + n);
    wk_buf_fmt(t->messages, " at %s, line %zu, column %zu:\n    %.*s\n    ", t->name, line, at - from + 1, (int)n,
               t->s.p + from);
    wk_buf_fill(t->messages, ' ', at - from);
    wk_buf_fill(t->messages, '^', end > at ? end - at : 1);
    wk_buf_putc(t->messages, '\n');
}

void *wk_jq_syntax_error(struct jq_parser *p)
{
    char name[32];
    if (!p->failed) {
        p->failed = true;
        wk_jq_token_name(&p->l, name);
        wk_jq_complain(p->t, p->l.at, p->l.end, "syntax error, unexpected %s", name);
    }
    return NULL;
}

bool wk_jq_take(struct jq_parser *p, int ch)
{
    if (!jq_at(p, ch))
        return false;
    jq_advance(p);
    return true;
}

bool wk_jq_expect(struct jq_parser *p, int tok)
{
    if (p->failed || p->l.tok != tok) {
        wk_jq_syntax_error(p);
        return false;
    }
    jq_advance(p);
    return true;
}

/* ---- queries --------------------------------------------------------------------------------- */

/* name or name(params) : body ; behind `def`. */
static struct jq_def *read_def(struct jq_parser *p)
{
    struct jq_list params = {0};
    struct jq_def *d = jq_bump(p->q, sizeof *d);
    d->at = p->l.at;
    jq_advance(p);
    if (p->l.tok != JT_IDENT)
        return wk_jq_syntax_error(p);
    d->name = p->l.name;
    jq_advance(p);
    if (wk_jq_take(p, '(')) {
        do {
            if (p->l.tok != JT_IDENT && p->l.tok != JT_BINDING)
                return wk_jq_syntax_error(p);
            struct jq_param *param = jq_bump(p->q, sizeof *param);
            param->name = p->l.name;
            param->is_value = p->l.tok == JT_BINDING;
            wk_jq_list_add(p, &params, param);
            jq_advance(p);
        } while (wk_jq_take(p, ';'));
        if (!wk_jq_expect(p, JT_CHAR + ')'))
            return NULL;
    }
    d->params = jq_bump(p->q, (params.n + 1) * sizeof *d->params);
    for (uint32_t i = 0; i < params.n; i++)
        d->params[i] = *(struct jq_param *)params.v[i];
    d->nparams = params.n;
    (void)wk_jq_list_end(p, &params, &(uint32_t){0});
    if (!wk_jq_expect(p, JT_CHAR + ':'))
        return NULL;
    d->body = wk_jq_read_query(p, true);
    return d->body && wk_jq_expect(p, JT_CHAR + ';') ? d : NULL;
}

/* Definitions and the query they are for. */
static struct jq_node *read_defs(struct jq_parser *p, bool comma)
{
    struct jq_list defs = {0};
    uint32_t at = p->l.at;
    while (p->l.tok == JT_DEF) {
        struct jq_def *d = read_def(p);
        if (!d)
            return NULL;
        wk_jq_list_add(p, &defs, d);
    }
    struct jq_node *body = wk_jq_read_query(p, comma);
    while (body && defs.n > 0) {
        struct jq_node *n = wk_jq_node(p, JN_DEF, at, body, NULL, NULL);
        n->def = defs.v[--defs.n];
        body = n;
    }
    (void)wk_jq_list_end(p, &defs, &(uint32_t){0});
    return body;
}

static struct jq_node *read_label(struct jq_parser *p, bool comma)
{
    uint32_t at = p->l.at;
    jq_advance(p);
    if (p->l.tok != JT_BINDING)
        return wk_jq_syntax_error(p);
    struct wk_str name = p->l.name;
    jq_advance(p);
    if (!wk_jq_expect(p, JT_CHAR + '|'))
        return NULL;
    struct jq_node *body = wk_jq_read_query(p, comma);
    if (!body)
        return NULL;
    struct jq_node *n = wk_jq_node(p, JN_LABEL, at, body, NULL, NULL);
    n->name = name;
    return n;
}

/* Behind `source as`: patterns and the query that sees them. */
static struct jq_node *read_binding(struct jq_parser *p, uint32_t at, struct jq_node *source, bool comma)
{
    struct jq_pattern **patterns;
    uint32_t n;
    jq_advance(p);
    if (!wk_jq_read_patterns(p, &patterns, &n) || !wk_jq_expect(p, JT_CHAR + '|'))
        return NULL;
    struct jq_node *body = wk_jq_read_query(p, comma);
    if (!body)
        return NULL;
    struct jq_node *as = wk_jq_node(p, JN_AS, at, source, body, NULL);
    as->patterns = patterns;
    as->npatterns = n;
    return as;
}

/* One query without , and |. *last: it reached to the end. */
static struct jq_node *read_single(struct jq_parser *p, bool comma, bool *last)
{
    uint32_t at = p->l.at;
    *last = true;
    if (p->l.tok == JT_DEF)
        return read_defs(p, comma);
    if (p->l.tok == JT_LABEL)
        return read_label(p, comma);
    struct jq_node *n = wk_jq_read_operand(p, 0);
    if (n && p->l.tok == JT_AS)
        return read_binding(p, at, n, comma);
    *last = false;
    return n;
}

static struct jq_node *join(struct jq_parser *p, enum jq_node_kind kind, uint32_t at, struct jq_list *list)
{
    if (list->n == 1) {
        list->n = 0;
        return list->v[0];
    }
    return wk_jq_node_list(p, kind, at, list);
}

static struct jq_node *read_query(struct jq_parser *p, bool comma)
{
    struct jq_list pipe = {0}, list = {0};
    uint32_t at = p->l.at;
    for (bool last = false; !last;) {
        struct jq_node *n = read_single(p, comma, &last);
        if (!n || p->failed)
            return NULL;
        wk_jq_list_add(p, &list, n);
        if (!last && comma && wk_jq_take(p, ','))
            continue;
        wk_jq_list_add(p, &pipe, join(p, JN_COMMA, at, &list));
        if (last || !wk_jq_take(p, '|'))
            break;
    }
    struct jq_node *n = join(p, JN_PIPE, at, &pipe);
    (void)wk_jq_list_end(p, &list, &(uint32_t){0});
    (void)wk_jq_list_end(p, &pipe, &(uint32_t){0});
    return n;
}

struct deeper {
    struct jq_parser *p;
    bool comma;
    struct jq_node *result;
};

static int read_query_deeper(void *arg)
{
    struct deeper *d = arg;
    d->result = read_query(d->p, d->comma);
    return 0;
}

struct jq_node *wk_jq_read_query(struct jq_parser *p, bool comma)
{
    struct deeper d = {p, comma, NULL};
    if (p->failed)
        return NULL;
    if (++p->nesting > WK_JQ_NEST) {
        p->failed = true;
        wk_jq_complain(p->t, p->l.at, p->l.end, "the program is nested too deep");
        return NULL;
    }
    wk_jq_deeper(p->q, read_query_deeper, &d);
    p->nesting--;
    return d.result;
}

/* ---- operators ------------------------------------------------------------------------------- */

enum { LEVEL_ALT, LEVEL_UPDATE, LEVEL_OR, LEVEL_AND, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_UNARY };

/* The present token as a binary operator: its level, or -1. */
static int binary(const struct jq_parser *p, enum jq_node_kind *kind, int *op)
{
    static const struct {
        uint8_t tok, level, kind, op;
    } table[] = {{JT_ALT, LEVEL_ALT, JN_ALT, 0},
                 {JT_OR, LEVEL_OR, JN_OR, 0},
                 {JT_AND, LEVEL_AND, JN_AND, 0},
                 {JT_EQ, LEVEL_COMPARE, JN_BINARY, JO_EQ},
                 {JT_NE, LEVEL_COMPARE, JN_BINARY, JO_NE},
                 {JT_LE, LEVEL_COMPARE, JN_BINARY, JO_LE},
                 {JT_GE, LEVEL_COMPARE, JN_BINARY, JO_GE},
                 {JT_CHAR + '<', LEVEL_COMPARE, JN_BINARY, JO_LT},
                 {JT_CHAR + '>', LEVEL_COMPARE, JN_BINARY, JO_GT},
                 {JT_CHAR + '+', LEVEL_SUM, JN_BINARY, JO_ADD},
                 {JT_CHAR + '-', LEVEL_SUM, JN_BINARY, JO_SUB},
                 {JT_CHAR + '*', LEVEL_PRODUCT, JN_BINARY, JO_MUL},
                 {JT_CHAR + '/', LEVEL_PRODUCT, JN_BINARY, JO_DIV},
                 {JT_CHAR + '%', LEVEL_PRODUCT, JN_BINARY, JO_MOD}};
    if (p->l.tok == JT_UPDATE) {
        *kind = JN_UPDATE;
        *op = p->l.op;
        return LEVEL_UPDATE;
    }
    for (size_t i = 0; i < WK_COUNTOF(table); i++)
        if (p->l.tok == table[i].tok) {
            *kind = table[i].kind;
            *op = table[i].op;
            return table[i].level;
        }
    return -1;
}

static struct jq_node *read_unary(struct jq_parser *p);

struct unary {
    struct jq_parser *p;
    struct jq_node *result;
    int level;
};

static int read_unary_deeper(void *arg)
{
    struct unary *u = arg;
    u->result = u->level == LEVEL_UNARY ? read_unary(u->p) : wk_jq_read_operand(u->p, u->level);
    return 0;
}

static struct jq_node *deeper(struct jq_parser *p, int level)
{
    struct unary u = {p, NULL, level};
    if (++p->nesting > WK_JQ_NEST) {
        if (!p->failed)
            wk_jq_complain(p->t, p->l.at, p->l.end, "the program is nested too deep");
        p->failed = true;
        return NULL;
    }
    wk_jq_deeper(p->q, read_unary_deeper, &u);
    p->nesting--;
    return u.result;
}

static struct jq_node *read_try(struct jq_parser *p)
{
    uint32_t at = p->l.at;
    struct jq_node *handler = NULL;
    jq_advance(p);
    struct jq_node *body = deeper(p, LEVEL_UNARY);
    if (!body)
        return NULL;
    if (p->l.tok == JT_CATCH) {
        jq_advance(p);
        handler = deeper(p, LEVEL_UNARY);
        if (!handler)
            return NULL;
    }
    return wk_jq_node(p, JN_TRY, at, body, handler, NULL);
}

static struct jq_node *read_unary(struct jq_parser *p)
{
    uint32_t at = p->l.at;
    if (jq_at(p, '-')) {
        jq_advance(p);
        struct jq_node *n = deeper(p, LEVEL_UNARY);
        return n ? wk_jq_node(p, JN_NEGATE, at, n, NULL, NULL) : NULL;
    }
    return p->l.tok == JT_TRY ? read_try(p) : wk_jq_read_postfix(p);
}

/* An operand of operators of `level` and tighter ones, by climbing. */
struct jq_node *wk_jq_read_operand(struct jq_parser *p, int level)
{
    uint32_t at = p->l.at;
    int most = LEVEL_UNARY; /* an operator without associativity may not follow its own kind */
    struct jq_node *left = read_unary(p);
    while (left && !p->failed) {
        enum jq_node_kind kind = JN_BINARY;
        int op = 0, l = binary(p, &kind, &op);
        if (l < level || l < 0)
            break;
        if (l > most || (l == most && (l == LEVEL_COMPARE || l == LEVEL_UPDATE)))
            return wk_jq_syntax_error(p);
        jq_advance(p);
        struct jq_node *right = deeper(p, l == LEVEL_ALT ? l : l + 1);
        if (!right)
            return NULL;
        left = wk_jq_node(p, kind, at, left, right, NULL);
        left->op = (uint8_t)op;
        most = l;
    }
    return left;
}

/* ---- constants ------------------------------------------------------------------------------- */

struct constant {
    struct jq *q;
    const struct jq_node *n;
    struct jq_val v;
    bool good;
};

static int find_constant(void *arg);

static bool constant_array(struct constant *c)
{
    const struct jq_node *inner = c->n->a;
    struct jq_node *const *items = inner && inner->kind == JN_COMMA ? inner->kids : &c->n->a;
    uint32_t n = !inner ? 0 : inner->kind == JN_COMMA ? inner->n : 1;
    struct jq_val v = wk_jq_array(c->q, n);
    for (uint32_t i = 0; i < n; i++) {
        struct constant item = {c->q, items[i], {0}, false};
        wk_jq_deeper(c->q, find_constant, &item);
        if (!item.good) {
            jq_free(c->q, v);
            return false;
        }
        v = wk_jq_push(c->q, v, item.v);
    }
    c->v = v;
    return true;
}

static bool constant_object(struct constant *c)
{
    struct jq_val v = wk_jq_object(c->q, c->n->n / 2);
    for (uint32_t i = 0; i < c->n->n; i += 2) {
        struct constant key = {c->q, c->n->kids[i], {0}, false}, item = {c->q, c->n->kids[i + 1], {0}, false};
        wk_jq_deeper(c->q, find_constant, &key);
        if (key.good)
            wk_jq_deeper(c->q, find_constant, &item);
        if (!item.good || key.v.kind != JQ_STRING) {
            jq_free(c->q, v);
            return false;
        }
        v = wk_jq_object_set(c->q, v, key.v, item.v);
    }
    c->v = v;
    return true;
}

static int find_constant(void *arg)
{
    struct constant *c = arg;
    wk_tick(c->q->c, 1);
    if (c->n->kind == JN_CONST) {
        c->v = jq_copy(c->n->value);
        c->good = true;
    } else if (c->n->kind == JN_ARRAY) {
        c->good = constant_array(c);
    } else if (c->n->kind == JN_OBJECT) {
        c->good = constant_object(c);
    }
    return 0;
}

bool wk_jq_constant(struct jq *q, const struct jq_node *n, struct jq_val *v)
{
    struct constant c = {q, n, {0}, false};
    find_constant(&c);
    *v = c.v;
    return c.good;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Metadata behind `module` and imports. JQ_NONE after an error. */
static struct jq_val read_meta(struct jq_parser *p, uint32_t at)
{
    struct jq_val v = jq_none();
    struct jq_node *n = wk_jq_read_query(p, true);
    if (!n)
        return v;
    if (!wk_jq_constant(p->q, n, &v))
        wk_jq_complain(p->t, at, p->l.end, "Module metadata must be constant");
    else if (v.kind != JQ_OBJECT)
        wk_jq_complain(p->t, at, p->l.end, "Module metadata must be an object");
    return v;
}

static void read_import(struct jq_parser *p, struct jq_list *imports)
{
    struct jq_import *in = jq_bump(p->q, sizeof *in);
    bool include = p->l.tok == JT_INCLUDE;
    uint32_t at = in->at = p->l.at;
    struct jq_val path;
    jq_advance(p);
    struct jq_node *n = NULL;
    if (p->l.tok == JT_QUOTE) {
        n = wk_jq_read_string(p, WK_STR("text"));
    } else if (p->l.tok == JT_FORMAT) {
        struct wk_str format = p->l.name;
        jq_advance(p);
        n = p->l.tok == JT_QUOTE ? wk_jq_read_string(p, format) : wk_jq_syntax_error(p);
    } else {
        wk_jq_syntax_error(p);
    }
    if (!n)
        return;
    if (!wk_jq_constant(p->q, n, &path)) {
        wk_jq_complain(p->t, n->at, n->end, "Import path must be constant");
        p->failed = true;
        return;
    }
    in->path = jq_slice(path);
    if (!include) {
        if (!wk_jq_expect(p, JT_AS))
            return;
        if (p->l.tok != JT_IDENT && p->l.tok != JT_BINDING) {
            wk_jq_syntax_error(p);
            return;
        }
        in->as = p->l.name;
        in->is_data = p->l.tok == JT_BINDING;
        jq_advance(p);
    }
    in->meta = jq_none();
    if (!jq_at(p, ';'))
        in->meta = read_meta(p, at);
    if (!p->failed && wk_jq_expect(p, JT_CHAR + ';'))
        wk_jq_list_add(p, imports, in);
}

static void read_head(struct jq_parser *p)
{
    struct jq_text *t = p->t;
    struct jq_list imports = {0};
    t->module = jq_none();
    if (p->l.tok == JT_MODULE) {
        uint32_t at = p->l.at;
        jq_advance(p);
        t->module = read_meta(p, at);
        if (!p->failed)
            wk_jq_expect(p, JT_CHAR + ';');
    }
    while (!p->failed && (p->l.tok == JT_IMPORT || p->l.tok == JT_INCLUDE))
        read_import(p, &imports);
    t->imports = jq_bump(p->q, (imports.n + 1) * sizeof *t->imports);
    for (uint32_t i = 0; i < imports.n; i++)
        t->imports[i] = *(struct jq_import *)imports.v[i];
    t->nimports = imports.n;
    (void)wk_jq_list_end(p, &imports, &(uint32_t){0});
}

void wk_jq_parse(struct jq_text *t)
{
    struct jq_parser p = {.t = t, .q = t->q};
    struct jq_list defs = {0};
    uint32_t n = 0;
    p.l.t = t;
    jq_advance(&p);
    read_head(&p);
    /* Definitions up to the end are a module's; those with a query behind them are a program's. */
    uint32_t at = p.l.at;
    while (!p.failed && p.l.tok == JT_DEF) {
        struct jq_def *d = read_def(&p);
        if (d)
            wk_jq_list_add(&p, &defs, d);
    }
    if (!p.failed && p.l.tok != JT_EOF) {
        t->main = wk_jq_read_query(&p, true);
        if (t->main && p.l.tok != JT_EOF)
            wk_jq_syntax_error(&p);
    }
    t->defs = wk_jq_list_end(&p, &defs, &n);
    t->ndefs = n;
    for (uint32_t i = n; t->main && i-- > 0;) {
        t->main = wk_jq_node(&p, JN_DEF, at, t->main, NULL, NULL);
        t->main->def = t->defs[i];
    }
}

void wk_jq_deeper(struct jq *q, int (*fn)(void *), void *arg)
{
    int r;
    if (!wk_stack_low(q->c->task))
        fn(arg);
    else if (wk_stack_call(q->c->task, fn, arg, &r) != 0)
        wk_heap_exhausted(q->c->heap);
}
