/* expr.c - evaluate expressions
 *
 * Standard: POSIX XCU expr. Oracle: coreutils 9.1.
 * Differs:  docs/divergences/expr.md
 */
#include "base/num.h"
#include "base/utf8.h"
#include "builtins/bignum.h"
#include "builtins/regex.h"
#include "builtins/sort.h"

/* Of parentheses and of the words before operands, taken together. */
enum { DEPTH_MAX = 200 };

struct value {
    bool is_int;
    int64_t i;
    struct wk_str s;
};

struct expr {
    struct wk_cmd *c;
    char **v;
    int n, at;
    int depth;
};

/* Characters, which are bytes in some locales. */
static size_t count_of(const struct expr *e, struct wk_str s)
{
    return wk_cmd_utf8(e->c) ? wk_utf8_count(s) : s.n;
}

/* Where the n-th character begins, or the end. */
static size_t offset_of(const struct expr *e, struct wk_str s, size_t n)
{
    return wk_cmd_utf8(e->c) ? wk_utf8_offset(s, n, NULL) : WK_MIN(n, s.n);
}

static WK_NORETURN void syntax_error(struct expr *e, const char *what, const char *arg)
{
    wk_fail(e->c, 2, "syntax error: %s %s", what, wk_quote_arg(e->c, arg));
}

static struct value text_value(struct wk_str s)
{
    return (struct value){.s = s};
}

static struct value int_value(int64_t i)
{
    return (struct value){.is_int = true, .i = i};
}

static struct wk_str as_text(struct expr *e, const struct value *v)
{
    if (!v->is_int)
        return v->s;
    const char *p = wk_strf(e->c, "%lld", (long long)v->i);
    return wk_str_c(p);
}

static bool looks_int(struct wk_str s)
{
    size_t i = s.n && s.p[0] == '-';
    if (i >= s.n)
        return false;
    for (; i < s.n; i++)
        if (!wk_is_digit((unsigned char)s.p[i]))
            return false;
    return true;
}

static struct wk_str need_int(struct expr *e, const struct value *v)
{
    struct wk_str s = as_text(e, v);
    if (!looks_int(s))
        wk_fail(e->c, 2, "non-integer argument");
    return s;
}

/* Null: the empty string, or zero in any spelling. */
static bool is_null(const struct value *v)
{
    if (v->is_int)
        return v->i == 0;
    if (!v->s.n)
        return true;
    size_t i = v->s.p[0] == '-';
    if (i == v->s.n)
        return false;
    for (; i < v->s.n; i++)
        if (v->s.p[i] != '0')
            return false;
    return true;
}

static bool next_is(struct expr *e, const char *word)
{
    if (e->at < e->n && strcmp(e->v[e->at], word) == 0) {
        e->at++;
        return true;
    }
    return false;
}

struct level {
    struct expr *e;
    bool live;
    struct value (*parse)(struct expr *e, bool live);
    struct value v;
};

static int parse_level(void *arg)
{
    struct level *l = arg;
    l->v = l->parse(l->e, l->live);
    return 0;
}

/* One level down and up again, on a further stack when this one is short. */
static struct value descend(struct expr *e, bool live, struct value (*parse)(struct expr *, bool))
{
    struct wk_cmd *c = e->c;
    struct level l = {.e = e, .live = live, .parse = parse};
    int r;
    if (++e->depth > DEPTH_MAX)
        wk_fail(c, 2, "expression is nested too deeply");
    if (!wk_stack_low(c->task))
        (void)parse_level(&l);
    else if (wk_stack_call(c->task, parse_level, &l, &r) != 0)
        wk_heap_exhausted(c->heap);
    e->depth--;
    return l.v;
}

static void need_more(struct expr *e)
{
    if (e->at >= e->n)
        syntax_error(e, "missing argument after", e->v[e->at - 1]);
}

/* ---- matching
 * -------------------------------------------------------------------------------------- */

/* STRING : REGEX, anchored at the start. */
static struct value match(struct expr *e, const struct value *a, const struct value *b)
{
    struct wk_cmd *c = e->c;
    struct wk_re_error err;
    struct wk_re_run run = wk_cmd_re_run(c);
    struct wk_re_span spans[2];
    struct wk_str s = as_text(e, a), p = as_text(e, b);
    /* The match must begin the string: a group of our own would shift the numbers, so the start is
     * tested. */
    struct wk_re *re = wk_cmd_re(c, p, WK_RE_REPEATS, &err);
    if (!re)
        wk_fail(c, 2, "%s", err.text);
    bool groups = wk_re_groups(re) > 0;
    int r = wk_re_search(re, &run, s, 0, spans, 2);
    if (r < 0)
        wk_fail(c, 3, "error in regular expression matcher");
    bool found = r == 1 && spans[0].start == 0;
    if (groups) {
        if (!found || spans[1].start < 0)
            return text_value(WK_STR(""));
        return text_value(wk_str(s.p + spans[1].start, (size_t)(spans[1].end - spans[1].start)));
    }
    return int_value(found ? (int64_t)count_of(e, wk_str_take(s, (size_t)spans[0].end)) : 0);
}

/* ---- the grammar
 * ------------------------------------------------------------------------------------ */

static struct value parse_or(struct expr *e, bool live);

static size_t next_char(bool utf8, struct wk_str s, uint32_t *out)
{
    if (utf8)
        return wk_utf8_next(s.p, s.n, out);
    *out = (unsigned char)s.p[0];
    return 1;
}

static struct value index_of(struct expr *e, const struct value *a, const struct value *b)
{
    struct wk_str s = as_text(e, a), set = as_text(e, b);
    bool utf8 = wk_cmd_utf8(e->c);
    int64_t at = 0;
    while (s.n) {
        uint32_t c, k;
        size_t n = next_char(utf8, s, &c);
        at++;
        for (struct wk_str t = set; t.n;) {
            size_t m = next_char(utf8, t, &k);
            if (k == c)
                return int_value(at);
            t = wk_str_from(t, m);
        }
        s = wk_str_from(s, n);
        wk_tick(e->c, (uint32_t)(set.n / 64) + 1);
    }
    return int_value(0);
}

static struct value substr(struct expr *e, const struct value *s, const struct value *pos,
                           const struct value *len)
{
    int64_t p, n;
    struct wk_str text = as_text(e, s);
    struct wk_str ps = as_text(e, pos), ns = as_text(e, len);
    if (!looks_int(ps) || !looks_int(ns))
        return text_value(WK_STR(""));
    if (wk_parse_i64(ps, 10, &p) != 0)
        p = ps.p[0] == '-' ? -1 : INT64_MAX;
    if (wk_parse_i64(ns, 10, &n) != 0)
        n = ns.p[0] == '-' ? -1 : INT64_MAX;
    if (p <= 0 || n <= 0)
        return text_value(WK_STR(""));
    text = wk_str_from(text, offset_of(e, text, (size_t)(p - 1)));
    return text_value(wk_str_take(text, offset_of(e, text, (size_t)n)));
}

static struct value parse_primary(struct expr *e, bool live)
{
    need_more(e);
    if (next_is(e, "(")) {
        struct value v = descend(e, live, parse_or);
        if (e->at >= e->n)
            syntax_error(e, "expecting ')' after", e->v[e->at - 1]);
        if (!next_is(e, ")"))
            syntax_error(e, "expecting ')' instead of", e->v[e->at]);
        return v;
    }
    if (strcmp(e->v[e->at], ")") == 0)
        wk_fail(e->c, 2, "syntax error: unexpected ')'");
    const char *word = e->v[e->at++];
    return text_value(wk_str_c(word));
}

static struct value parse_keyword(struct expr *e, bool live);

/* An operand of `length` and the like, which may be such a call again. */
static struct value parse_operand(struct expr *e, bool live)
{
    return descend(e, live, parse_keyword);
}

static struct value parse_keyword(struct expr *e, bool live)
{
    if (next_is(e, "+")) {
        need_more(e);
        const char *word = e->v[e->at++];
        return text_value(wk_str_c(word));
    }
    if (next_is(e, "length")) {
        struct value v = parse_operand(e, live);
        return int_value((int64_t)count_of(e, as_text(e, &v)));
    }
    if (next_is(e, "match")) {
        struct value a = parse_operand(e, live), b = parse_operand(e, live);
        return live ? match(e, &a, &b) : a;
    }
    if (next_is(e, "index")) {
        struct value a = parse_operand(e, live), b = parse_operand(e, live);
        return index_of(e, &a, &b);
    }
    if (next_is(e, "substr")) {
        struct value a = parse_operand(e, live), b = parse_operand(e, live),
                     c = parse_operand(e, live);
        return substr(e, &a, &b, &c);
    }
    return parse_primary(e, live);
}

static struct value parse_match(struct expr *e, bool live)
{
    struct value v = parse_keyword(e, live);
    while (next_is(e, ":")) {
        struct value r = parse_keyword(e, live);
        if (live)
            v = match(e, &v, &r);
    }
    return v;
}

/* In 64 bits where that is enough. */
static struct value calculate(struct expr *e, char op, const struct value *a, const struct value *b)
{
    struct wk_str s = need_int(e, a), t = need_int(e, b);
    int64_t x, y, r;
    if ((op == '/' || op == '%') && is_null(b))
        wk_fail(e->c, 2, "division by zero");
    bool small = wk_parse_i64(s, 10, &x) == 0 && wk_parse_i64(t, 10, &y) == 0;
    if (small && (op == '/' || op == '%') && y != -1)
        return int_value(op == '/' ? x / y : x % y);
    if (small && ((op == '+' && !__builtin_add_overflow(x, y, &r)) ||
                  (op == '-' && !__builtin_sub_overflow(x, y, &r)) ||
                  (op == '*' && !__builtin_mul_overflow(x, y, &r))))
        return int_value(r);
    return text_value(wk_big_op(e->c, op, s, t));
}

static struct value parse_product(struct expr *e, bool live)
{
    struct value v = parse_match(e, live);
    for (;;) {
        char op = next_is(e, "*") ? '*' : next_is(e, "/") ? '/' : next_is(e, "%") ? '%' : '\0';
        if (!op)
            return v;
        struct value r = parse_match(e, live);
        if (live)
            v = calculate(e, op, &v, &r);
    }
}

static struct value parse_sum(struct expr *e, bool live)
{
    struct value v = parse_product(e, live);
    for (;;) {
        bool plus = next_is(e, "+");
        if (!plus && !next_is(e, "-"))
            return v;
        struct value r = parse_product(e, live);
        if (live)
            v = calculate(e, plus ? '+' : '-', &v, &r);
    }
}

enum relation { LT, LE, EQ, NE, GE, GT, NO_RELATION };

static enum relation take_relation(struct expr *e)
{
    static const char *const words[] = {"<", "<=", "=", "!=", ">=", ">"};
    for (int i = 0; i < 6; i++)
        if (next_is(e, words[i]))
            return (enum relation)i;
    return next_is(e, "==") ? EQ : NO_RELATION;
}

static int compare(struct expr *e, const struct value *a, const struct value *b)
{
    struct wk_str s = as_text(e, a), t = as_text(e, b);
    int c = looks_int(s) && looks_int(t) ? wk_sort_cmp_numbers(s, t) : wk_str_cmp(s, t);
    return (c > 0) - (c < 0);
}

static struct value parse_relation(struct expr *e, bool live)
{
    struct value v = parse_sum(e, live);
    for (;;) {
        enum relation r = take_relation(e);
        if (r == NO_RELATION)
            return v;
        struct value right = parse_sum(e, live);
        if (!live)
            continue;
        int c = compare(e, &v, &right);
        bool truth = r == LT   ? c < 0
                     : r == LE ? c <= 0
                     : r == EQ ? c == 0
                     : r == NE ? c != 0
                     : r == GE ? c >= 0
                               : c > 0;
        v = int_value(truth);
    }
}

static struct value parse_and(struct expr *e, bool live)
{
    struct value v = parse_relation(e, live);
    while (next_is(e, "&")) {
        struct value r = parse_relation(e, live && !is_null(&v));
        if (is_null(&v) || is_null(&r))
            v = int_value(0);
    }
    return v;
}

static struct value parse_or(struct expr *e, bool live)
{
    struct value v = parse_and(e, live);
    while (next_is(e, "|")) {
        struct value r = parse_and(e, live && is_null(&v));
        if (is_null(&v)) {
            v = r;
            if (is_null(&v))
                v = int_value(0);
        }
    }
    return v;
}

static int expr_main(struct wk_cmd *c)
{
    struct expr e = {.c = c, .v = c->args, .n = c->nargs};
    size_t n = e.n == 1 ? strlen(e.v[0]) : 0;
    bool version = n > 2 && strncmp(e.v[0], "--version", n) == 0;
    if (version || (n > 2 && strncmp(e.v[0], "--help", n) == 0))
        wk_cmd_about(c, version);
    if (e.n && strcmp(e.v[0], "--") == 0) {
        e.v++;
        e.n--;
    }
    if (!e.n)
        wk_usage(c, "missing operand");
    struct value v = parse_or(&e, true);
    if (e.at < e.n)
        syntax_error(&e, "unexpected argument", e.v[e.at]);
    wk_out_str(c->out, as_text(&e, &v));
    wk_out_char(c->out, '\n');
    int err = wk_out_flush(c->out);
    if (err && err != WK_EPIPE) {
        c->out->err = 0;
        wk_fail(c, 3, "write error: %s", wk_err_text(err));
    }
    return is_null(&v);
}

WK_COMMAND(
    expr, .summary = "print the value of EXPRESSION", .usage = "expr EXPRESSION\nexpr OPTION",
    .std = "coreutils 9.1", .flags = WK_CMD_RAW_ARGS, .usage_status = 2,
    .help =
        "From lowest to highest: ARG | ARG, ARG & ARG, comparisons < <= = != >= >, ARG + ARG,\n"
        "ARG - ARG, ARG * ARG, ARG / ARG, ARG % ARG, STRING : REGEXP, match STRING REGEXP,\n"
        "substr STRING POS LENGTH, index STRING CHARS, length STRING, + TOKEN, ( EXPRESSION ).\n\n"
        "Exit status is 0 if EXPRESSION is neither null nor 0, 1 if it is, 2 if it is\n"
        "syntactically invalid, and 3 if an error occurred.");
