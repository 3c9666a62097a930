/* jq_term.c - jq's grammar: terms, strings, constructions, patterns */
#include "builtins/jq_parse.h"

static struct jq_node *identity(struct jq_parser *p)
{
    return wk_jq_node(p, JN_IDENTITY, p->l.at, NULL, NULL, NULL);
}

static struct jq_val text_value(struct jq_parser *p, struct wk_str s)
{
    return wk_jq_string(p->q, s);
}

static struct jq_node *text_node(struct jq_parser *p, uint32_t at, struct wk_str s)
{
    return wk_jq_node_const(p, at, text_value(p, s));
}

/* At a quote. Texts and queries in turn, or one constant. */
struct jq_node *wk_jq_read_string(struct jq_parser *p, struct wk_str format)
{
    struct jq_list parts = {0};
    uint32_t at = p->l.at;
    bool closed = false;
    for (;;) {
        struct jq_val text;
        if (!wk_jq_lex_string(&p->l, &text, &closed)) {
            p->failed = true;
            return NULL;
        }
        wk_jq_list_add(p, &parts, wk_jq_node_const(p, at, text));
        if (closed)
            break;
        jq_advance(p);
        struct jq_node *query = wk_jq_read_query(p, true);
        if (!query || p->failed)
            return NULL;
        if (!jq_at(p, ')'))
            return wk_jq_syntax_error(p);
        wk_jq_list_add(p, &parts, query);
    }
    jq_advance(p);
    struct jq_node *n = wk_jq_node_list(p, JN_STRING, at, &parts);
    if (n->n == 1)
        return n->kids[0];
    n->name = format;
    return n;
}

/* A string with a format in front of it or not; NULL without an error when there is none. */
static struct jq_node *read_any_string(struct jq_parser *p)
{
    if (p->l.tok == JT_QUOTE)
        return wk_jq_read_string(p, WK_STR("text"));
    struct jq_lexer saved = p->l;
    if (p->l.tok != JT_FORMAT)
        return NULL;
    jq_advance(p);
    if (p->l.tok == JT_QUOTE)
        return wk_jq_read_string(p, saved.name);
    p->l = saved;
    return NULL;
}

static struct jq_node *variable(struct jq_parser *p, uint32_t at, struct wk_str name)
{
    struct jq_node *n = wk_jq_node(p, JN_VAR, at, NULL, NULL, NULL);
    n->name = name;
    return n;
}

static struct jq_node *location(struct jq_parser *p)
{
    size_t line = 1;
    for (uint32_t i = 0; i < p->l.at; i++)
        line += p->t->s.p[i] == '\n';
    struct jq_val v = wk_jq_object(p->q, 2);
    v = wk_jq_object_set(p->q, v, text_value(p, WK_STR("file")), text_value(p, wk_str_c(p->t->name)));
    v = wk_jq_object_set(p->q, v, text_value(p, WK_STR("line")), jq_number((double)line));
    return wk_jq_node_const(p, p->l.at, v);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* (query) as a key: a constant one must be a string. */
static struct jq_node *read_computed_key(struct jq_parser *p)
{
    char shown[15];
    struct jq_val v = jq_none();
    uint32_t at = p->l.at;
    jq_advance(p);
    struct jq_node *key = wk_jq_read_query(p, true);
    if (!key || !wk_jq_expect(p, JT_CHAR + ')'))
        return NULL;
    if (wk_jq_constant(p->q, key, &v) && v.kind != JQ_STRING)
        wk_jq_complain(p->t, at, p->l.end, "Cannot use %s (%s) as object key", wk_jq_kind_name(v),
                       wk_jq_dump_short(p->q, v, shown, sizeof shown));
    return key;
}

/* {name} and {"text"}: the value under the same key of the input. */
static struct jq_node *field_of_input(struct jq_parser *p, struct jq_node *key)
{
    return wk_jq_node(p, JN_INDEX, key->at, identity(p), key, NULL);
}

static bool read_pair(struct jq_parser *p, struct jq_list *pairs)
{
    struct jq_node *key, *value = NULL;
    uint32_t at = p->l.at;
    if (p->l.tok == JT_BINDING || p->l.tok == JT_LOC) {
        bool is_loc = p->l.tok == JT_LOC;
        struct wk_str name = is_loc ? WK_STR("__loc__") : p->l.name;
        value = is_loc ? location(p) : variable(p, at, name);
        jq_advance(p);
        if (jq_at(p, ':') && !is_loc) {
            key = value;
            value = NULL;
        } else {
            wk_jq_list_add(p, pairs, text_node(p, at, name));
            wk_jq_list_add(p, pairs, value);
            return true;
        }
    } else if (jq_at(p, '(')) {
        key = read_computed_key(p);
        if (key && !jq_at(p, ':'))
            wk_jq_syntax_error(p);
    } else if (p->l.tok == JT_IDENT || (p->l.tok >= JT_DEF && p->l.tok <= JT_LAST_WORD)) {
        key = text_node(p, at, p->l.name);
        jq_advance(p);
        value = jq_at(p, ':') ? NULL : field_of_input(p, key);
    } else {
        key = read_any_string(p);
        if (!key)
            wk_jq_syntax_error(p);
        else
            value = jq_at(p, ':') ? NULL : field_of_input(p, key);
    }
    if (p->failed || !key)
        return false;
    if (!value) {
        jq_advance(p);
        value = wk_jq_read_query(p, false);
    }
    if (!value)
        return false;
    wk_jq_list_add(p, pairs, key);
    wk_jq_list_add(p, pairs, value);
    return true;
}

static struct jq_node *read_object(struct jq_parser *p)
{
    struct jq_list pairs = {0};
    uint32_t at = p->l.at;
    jq_advance(p);
    while (!jq_at(p, '}')) {
        if (!read_pair(p, &pairs))
            return NULL;
        if (!wk_jq_take(p, ',') && !jq_at(p, '}'))
            return wk_jq_syntax_error(p);
    }
    jq_advance(p);
    return wk_jq_node_list(p, JN_OBJECT, at, &pairs);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static struct jq_pattern *read_pattern(struct jq_parser *p);

static bool read_entry(struct jq_parser *p, struct jq_entry *e)
{
    uint32_t at = p->l.at;
    if (p->l.tok == JT_BINDING) {
        e->var = p->l.name;
        e->key = text_node(p, at, e->var);
        jq_advance(p);
        if (!jq_at(p, ':'))
            return true;
    } else if (jq_at(p, '(')) {
        e->key = read_computed_key(p);
    } else if (p->l.tok == JT_IDENT || (p->l.tok >= JT_DEF && p->l.tok <= JT_LAST_WORD)) {
        e->key = text_node(p, at, p->l.name);
        jq_advance(p);
    } else {
        e->key = read_any_string(p);
        if (!e->key)
            wk_jq_syntax_error(p);
    }
    if (!e->key || !wk_jq_expect(p, JT_CHAR + ':'))
        return false;
    e->inner = read_pattern(p);
    return e->inner != NULL;
}

static struct jq_pattern *read_entries(struct jq_parser *p, struct jq_pattern *pat, int close)
{
    struct jq_list list = {0};
    jq_advance(p);
    do {
        struct jq_entry *e = jq_bump(p->q, sizeof *e);
        if (close == ']' ? !(e->inner = read_pattern(p)) : !read_entry(p, e))
            return NULL;
        wk_jq_list_add(p, &list, e);
    } while (wk_jq_take(p, ','));
    pat->entries = jq_bump(p->q, list.n * sizeof *pat->entries);
    for (uint32_t i = 0; i < list.n; i++)
        pat->entries[i] = *(struct jq_entry *)list.v[i];
    pat->n = list.n;
    (void)wk_jq_list_end(p, &list, &(uint32_t){0});
    return wk_jq_expect(p, JT_CHAR + close) ? pat : NULL;
}

struct deeper_pattern {
    struct jq_parser *p;
    struct jq_pattern *result;
};

static int read_pattern_deeper(void *arg)
{
    struct deeper_pattern *d = arg;
    struct jq_parser *p = d->p;
    struct jq_pattern *pat = jq_bump(p->q, sizeof *pat);
    if (p->l.tok == JT_BINDING) {
        pat->kind = JP_VAR;
        pat->name = p->l.name;
        jq_advance(p);
        d->result = pat;
    } else if (jq_at(p, '[')) {
        pat->kind = JP_ARRAY;
        d->result = read_entries(p, pat, ']');
    } else if (jq_at(p, '{')) {
        pat->kind = JP_OBJECT;
        d->result = read_entries(p, pat, '}');
    } else {
        wk_jq_syntax_error(p);
    }
    return 0;
}

static struct jq_pattern *read_pattern(struct jq_parser *p)
{
    struct deeper_pattern d = {p, NULL};
    if (++p->nesting > WK_JQ_NEST) {
        if (!p->failed)
            wk_jq_complain(p->t, p->l.at, p->l.end, "the program is nested too deep");
        p->failed = true;
        return NULL;
    }
    wk_jq_deeper(p->q, read_pattern_deeper, &d);
    p->nesting--;
    return d.result;
}

bool wk_jq_read_patterns(struct jq_parser *p, struct jq_pattern ***patterns, uint32_t *n)
{
    struct jq_list list = {0};
    for (;;) {
        struct jq_pattern *pat = read_pattern(p);
        if (!pat)
            return false;
        wk_jq_list_add(p, &list, pat);
        if (p->l.tok != JT_ALTERNATION)
            break;
        jq_advance(p);
    }
    *patterns = wk_jq_list_end(p, &list, n);
    return true;
}

/* ---- terms ----------------------------------------------------------------------------------- */

static void *unterminated_if(struct jq_parser *p, uint32_t at, bool behind_then)
{
    if (!p->failed) {
        wk_jq_syntax_error(p);
        if (behind_then)
            wk_jq_complain(p->t, at, p->l.end, "Possibly unterminated 'if' statement");
    }
    return NULL;
}

/* if and all its elif: from the last to the first they become nodes. */
static struct jq_node *read_if(struct jq_parser *p)
{
    uint32_t at = p->l.at;
    struct jq_node *otherwise = NULL;
    struct jq_list parts = {0};
    do {
        jq_advance(p);
        struct jq_node *condition = wk_jq_read_query(p, true);
        if (!condition || !wk_jq_expect(p, JT_THEN))
            return NULL;
        struct jq_node *then = wk_jq_read_query(p, true);
        if (!then)
            return NULL;
        wk_jq_list_add(p, &parts, condition);
        wk_jq_list_add(p, &parts, then);
    } while (p->l.tok == JT_ELIF);
    if (p->l.tok == JT_ELSE) {
        jq_advance(p);
        otherwise = wk_jq_read_query(p, true);
        if (!otherwise)
            return NULL;
    }
    if (p->l.tok != JT_END)
        return unterminated_if(p, at, !otherwise);
    jq_advance(p);
    for (uint32_t i = parts.n; i > 0; i -= 2)
        otherwise = wk_jq_node(p, JN_IF, at, parts.v[i - 2], parts.v[i - 1], otherwise);
    (void)wk_jq_list_end(p, &parts, &(uint32_t){0});
    return otherwise;
}

/* reduce and foreach. */
static struct jq_node *read_fold(struct jq_parser *p)
{
    bool each = p->l.tok == JT_FOREACH;
    uint32_t at = p->l.at, n = 0;
    struct jq_pattern **patterns = NULL;
    struct jq_node *extract = NULL;
    jq_advance(p);
    struct jq_node *source = wk_jq_read_operand(p, 0);
    if (!source || !wk_jq_expect(p, JT_AS) || !wk_jq_read_patterns(p, &patterns, &n) ||
        !wk_jq_expect(p, JT_CHAR + '('))
        return NULL;
    struct jq_node *init = wk_jq_read_query(p, true);
    if (!init || !wk_jq_expect(p, JT_CHAR + ';'))
        return NULL;
    struct jq_node *update = wk_jq_read_query(p, true);
    if (!update)
        return NULL;
    if (each && wk_jq_take(p, ';')) {
        extract = wk_jq_read_query(p, true);
        if (!extract)
            return NULL;
    }
    if (!wk_jq_expect(p, JT_CHAR + ')'))
        return NULL;
    struct jq_node *f = wk_jq_node(p, each ? JN_FOREACH : JN_REDUCE, at, source, init, update);
    if (extract) { /* counted as the body of a pipe would be */
        struct jq_node *outer = wk_jq_node(p, each ? JN_FOREACH : JN_REDUCE, at, f, extract, NULL);
        f->height = outer->height;
        f->size = outer->size;
        f->d = extract;
    }
    f->patterns = patterns;
    f->npatterns = n;
    return f;
}

static struct jq_node *read_call(struct jq_parser *p)
{
    struct jq_list args = {0};
    uint32_t at = p->l.at, end = p->l.end;
    struct wk_str name = p->l.name;
    jq_advance(p);
    if (!jq_at(p, '(')) {
        if (wk_str_is(name, "null"))
            return wk_jq_node_const(p, at, jq_null());
        if (wk_str_is(name, "true") || wk_str_is(name, "false"))
            return wk_jq_node_const(p, at, jq_bool(name.n == 4));
    }
    if (wk_jq_take(p, '(')) {
        do {
            struct jq_node *arg = wk_jq_read_query(p, true);
            if (!arg)
                return NULL;
            wk_jq_list_add(p, &args, arg);
        } while (wk_jq_take(p, ';'));
        end = p->l.end;
        if (!wk_jq_expect(p, JT_CHAR + ')'))
            return NULL;
    }
    struct jq_node *n = wk_jq_node_list(p, JN_CALL, at, &args);
    n->name = name;
    n->end = end;
    return n;
}

static struct jq_node *read_break(struct jq_parser *p)
{
    uint32_t at = p->l.at;
    jq_advance(p);
    if (p->l.tok != JT_BINDING) {
        if (!p->failed) {
            wk_jq_syntax_error(p);
            wk_jq_complain(p->t, at, p->l.end, "break requires a label to break to");
        }
        return NULL;
    }
    struct jq_node *n = wk_jq_node(p, JN_BREAK, at, NULL, NULL, NULL);
    n->name = p->l.name;
    n->end = p->l.end;
    jq_advance(p);
    return n;
}

static struct jq_node *read_bracketed(struct jq_parser *p)
{
    uint32_t at = p->l.at;
    struct jq_node *inner = NULL;
    jq_advance(p);
    if (!jq_at(p, ']')) {
        inner = wk_jq_read_query(p, true);
        if (!inner)
            return NULL;
    }
    return wk_jq_expect(p, JT_CHAR + ']') ? wk_jq_node(p, JN_ARRAY, at, inner, NULL, NULL) : NULL;
}

static struct jq_node *read_format(struct jq_parser *p)
{
    struct jq_node *n = read_any_string(p);
    if (n || p->failed)
        return n;
    n = wk_jq_node(p, JN_FORMAT, p->l.at, NULL, NULL, NULL);
    n->name = p->l.name;
    jq_advance(p);
    return n;
}

/* .name, and . with what stands directly behind it. */
static struct jq_node *read_dot(struct jq_parser *p)
{
    struct jq_node *n = identity(p);
    uint32_t at = p->l.at;
    if (p->l.tok == JT_FIELD) {
        struct jq_node *key = text_node(p, at, p->l.name);
        jq_advance(p);
        return wk_jq_node(p, JN_INDEX, at, n, key, NULL);
    }
    jq_advance(p);
    struct jq_node *key = read_any_string(p);
    if (p->failed)
        return NULL;
    return key ? wk_jq_node(p, JN_INDEX, at, n, key, NULL) : n;
}

static struct jq_node *read_term(struct jq_parser *p)
{
    struct jq_node *n = NULL;
    uint32_t at = p->l.at;
    switch (p->l.tok) {
    case JT_CHAR + '.':
    case JT_FIELD:
        return read_dot(p);
    case JT_REC:
        jq_advance(p);
        n = wk_jq_node(p, JN_CALL, at, NULL, NULL, NULL);
        n->name = WK_STR("recurse");
        return n;
    case JT_LITERAL:
        n = wk_jq_node_const(p, at, p->l.value);
        jq_advance(p);
        return n;
    case JT_QUOTE:
    case JT_FORMAT:
        return read_format(p);
    case JT_CHAR + '(':
        jq_advance(p);
        n = wk_jq_read_query(p, true);
        if (n && !wk_jq_expect(p, JT_CHAR + ')'))
            return NULL;
        return n;
    case JT_CHAR + '[':
        return read_bracketed(p);
    case JT_CHAR + '{':
        return read_object(p);
    case JT_IF:
        return read_if(p);
    case JT_REDUCE:
    case JT_FOREACH:
        return read_fold(p);
    case JT_BREAK:
        return read_break(p);
    case JT_LOC:
        n = location(p);
        jq_advance(p);
        return n;
    case JT_BINDING:
        n = variable(p, at, p->l.name);
        jq_advance(p);
        return n;
    case JT_IDENT:
        return read_call(p);
    default:
        return wk_jq_syntax_error(p);
    }
}

/* [] [k] [a:b] [a:] [:b] behind a term. */
static struct jq_node *read_subscript(struct jq_parser *p, uint32_t at, struct jq_node *n)
{
    struct jq_node *from = NULL, *to = NULL;
    jq_advance(p);
    if (wk_jq_take(p, ']'))
        return wk_jq_node(p, JN_EACH, at, n, NULL, NULL);
    if (!jq_at(p, ':')) {
        from = wk_jq_read_query(p, true);
        if (!from)
            return NULL;
        if (wk_jq_take(p, ']'))
            return wk_jq_node(p, JN_INDEX, at, n, from, NULL);
    }
    if (!wk_jq_expect(p, JT_CHAR + ':'))
        return NULL;
    if (!from || !jq_at(p, ']')) {
        to = wk_jq_read_query(p, true);
        if (!to)
            return NULL;
    }
    return wk_jq_expect(p, JT_CHAR + ']') ? wk_jq_node(p, JN_SLICE, at, n, from, to) : NULL;
}

/* ? behind a step forgives that step alone; behind anything else the whole. */
static struct jq_node *read_forgiving(struct jq_parser *p, uint32_t at, struct jq_node *n, bool step)
{
    jq_advance(p);
    if (!step)
        return wk_jq_node(p, JN_TRY, at, n, NULL, NULL);
    n->op = 1;
    return n;
}

struct jq_node *wk_jq_read_postfix(struct jq_parser *p)
{
    uint32_t at = p->l.at;
    bool step = p->l.tok == JT_FIELD;
    bool dot = jq_at(p, '.');
    struct jq_node *n = read_term(p);
    if (n && dot)
        step = n->kind == JN_INDEX;
    while (n && !p->failed) {
        if (jq_at(p, '[')) {
            n = read_subscript(p, at, n);
            step = true;
        } else if (p->l.tok == JT_FIELD) {
            struct jq_node *key = text_node(p, p->l.at, p->l.name);
            jq_advance(p);
            n = wk_jq_node(p, JN_INDEX, at, n, key, NULL);
            step = true;
        } else if (jq_at(p, '.')) {
            jq_advance(p);
            struct jq_node *key = read_any_string(p);
            if (key)
                n = wk_jq_node(p, JN_INDEX, at, n, key, NULL);
            else if (p->failed || !jq_at(p, '['))
                return wk_jq_syntax_error(p);
            else
                n = read_subscript(p, at, n);
            step = true;
        } else if (jq_at(p, '?')) {
            n = read_forgiving(p, at, n, step);
            step = false;
        } else {
            break;
        }
    }
    return p->failed ? NULL : n;
}
