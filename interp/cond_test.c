/* cond_test.c - the grammar of test and [ (POSIX XCU test, bash 4.1) */
#include "base/num.h"
#include "interp/cond.h"
#include "interp/vars.h"

struct test {
    struct wk_shell *sh;
    const char *name;
    const struct wk_str *v;
    size_t n, at;
    bool failed;
};

static bool eval_or(struct test *t);

static bool fail(struct test *t, const char *before, struct wk_str what, const char *after)
{
    if (!t->failed)
        wk_sh_builtin_error(t->sh, t->name, "%s%.*s%s", before, (int)what.n, what.p ? what.p : "",
                            after);
    t->failed = true;
    return false;
}

static bool is_unary(struct wk_str s)
{
    return s.n == 2 && s.p[0] == '-' && memchr("abcdefghknoprstuvwxzGLNOSR", s.p[1], 26);
}

enum binary { NONE, STRING_EQ, STRING_NE, STRING_LT, STRING_GT, FILES, INTEGERS };

static enum binary binary_kind(struct wk_str s)
{
    static const struct {
        const char *text;
        enum binary kind;
    } ops[] = {{"=", STRING_EQ},  {"==", STRING_EQ}, {"!=", STRING_NE}, {"<", STRING_LT},
               {">", STRING_GT},  {"-nt", FILES},    {"-ot", FILES},    {"-ef", FILES},
               {"-eq", INTEGERS}, {"-ne", INTEGERS}, {"-lt", INTEGERS}, {"-le", INTEGERS},
               {"-gt", INTEGERS}, {"-ge", INTEGERS}};
    for (size_t i = 0; i < WK_COUNTOF(ops); i++)
        if (wk_str_is(s, ops[i].text))
            return ops[i].kind;
    return NONE;
}

static bool integer(struct test *t, struct wk_str s, int64_t *out)
{
    if (wk_parse_blanked(s, out) == 0)
        return true;
    return fail(t, "", s, ": integer expression expected");
}

static bool compare(struct test *t, struct wk_str op, struct wk_str a, struct wk_str b)
{
    int64_t x, y;
    if (!integer(t, a, &x) || !integer(t, b, &y))
        return false;
    switch (op.p[1] << 8 | op.p[2]) {
    case 'e' << 8 | 'q':
        return x == y;
    case 'n' << 8 | 'e':
        return x != y;
    case 'l' << 8 | 't':
        return x < y;
    case 'l' << 8 | 'e':
        return x <= y;
    case 'g' << 8 | 't':
        return x > y;
    default:
        return x >= y;
    }
}

static bool eval_binary(struct test *t, struct wk_str a, struct wk_str op, struct wk_str b)
{
    switch (binary_kind(op)) {
    case STRING_EQ:
        return wk_str_eq(a, b);
    case STRING_NE:
        return !wk_str_eq(a, b);
    case STRING_LT:
        return wk_str_cmp(a, b) < 0;
    case STRING_GT:
        return wk_str_cmp(a, b) > 0;
    case FILES:
        return wk_cond_files(t->sh, op.p, a, b) != 0;
    default:
        return compare(t, op, a, b);
    }
}

/* ---- the cases that POSIX lays down by the number of arguments
 * ---------------------------------------------- */

static bool one(const struct wk_str *v)
{
    return v[0].n > 0;
}

static bool two(struct test *t, const struct wk_str *v)
{
    if (wk_str_is(v[0], "!"))
        return !one(v + 1);
    if (is_unary(v[0]))
        return wk_cond_unary(t->sh, v[0].p[1], v[1]) != 0;
    return fail(t, "", v[0], ": unary operator expected");
}

static bool three(struct test *t, const struct wk_str *v)
{
    if (binary_kind(v[1]) != NONE)
        return eval_binary(t, v[0], v[1], v[2]);
    if (wk_str_is(v[1], "-a"))
        return one(v) && one(v + 2);
    if (wk_str_is(v[1], "-o"))
        return one(v) || one(v + 2);
    if (wk_str_is(v[0], "!"))
        return !two(t, v + 1);
    if (wk_str_is(v[0], "(") && wk_str_is(v[2], ")"))
        return one(v + 1);
    return fail(t, "", v[1], ": binary operator expected");
}

/* ---- any number
 * --------------------------------------------------------------------------------------------- */

static bool at_word(const struct test *t, const char *word)
{
    return t->at < t->n && wk_str_is(t->v[t->at], word);
}

static int run_or(void *arg)
{
    return eval_or(arg);
}

/* Brackets in brackets: on a further stack. */
static bool or_further(struct test *t)
{
    int v = 0;
    if (wk_stack_call(t->sh->task, run_or, t, &v) != 0) {
        (void)wk_sh_nomem(t->sh);
        t->failed = true;
    }
    return v != 0;
}

/* ( expression ) — nesting is counted: a thousand brackets are no condition. */
static bool eval_group(struct test *t)
{
    t->at++;
    if (!wk_sh_enter(t->sh)) {
        t->failed = true;
        return false;
    }
    bool v = wk_stack_low(t->sh->task) ? or_further(t) : eval_or(t);
    t->sh->depth--;
    if (t->failed)
        return false;
    if (t->at >= t->n) /* the bracket that closes a [ is found there */
        return fail(t, wk_str_is(wk_str_c(t->name), "[") ? "`)' expected, found ]" : "`)' expected",
                    WK_STR(""), "");
    if (!at_word(t, ")"))
        return fail(t, "`)' expected, found ", t->v[t->at], "");
    t->at++;
    return v;
}

static bool eval_primary(struct test *t)
{
    if (t->at >= t->n)
        return fail(t, "argument expected", WK_STR(""), "");
    const struct wk_str *v = t->v + t->at;
    size_t left = t->n - t->at;
    if (wk_str_is(v[0], "("))
        return eval_group(t);
    if (left >= 3 && binary_kind(v[1]) != NONE) {
        t->at += 3;
        return eval_binary(t, v[0], v[1], v[2]);
    }
    int64_t fd;
    if (left >= 2 && is_unary(v[0]) && (v[0].p[1] != 't' || wk_parse_blanked(v[1], &fd) == 0)) {
        t->at += 2;
        return wk_cond_unary(t->sh, v[0].p[1], v[1]) != 0;
    }
    t->at++;
    /* -t in front of what is no number: standard output. */
    return left >= 2 && wk_str_is(v[0], "-t") ? wk_cond_unary(t->sh, 't', WK_STR("1")) != 0
                                              : one(v);
}

static bool eval_not(struct test *t)
{
    bool negate = false;
    while (at_word(t, "!")) {
        negate = !negate;
        t->at++;
    }
    return eval_primary(t) != negate;
}

static bool eval_and(struct test *t)
{
    bool v = eval_not(t);
    while (!t->failed && at_word(t, "-a")) {
        t->at++;
        bool right = eval_not(t);
        v = v && right;
    }
    return v;
}

static bool eval_or(struct test *t)
{
    bool v = eval_and(t);
    while (!t->failed && at_word(t, "-o")) {
        t->at++;
        bool right = eval_and(t);
        v = v || right;
    }
    return v;
}

static bool many(struct test *t)
{
    bool v = eval_or(t);
    if (!t->failed && t->at < t->n)
        return t->v[t->at].n && t->v[t->at].p[0] == '-'
                   ? fail(t, "syntax error: `", t->v[t->at], "' unexpected")
                   : fail(t, "too many arguments", WK_STR(""), "");
    return v;
}

int wk_cond_test(struct wk_shell *sh, const char *name, const struct wk_str *argv, size_t argc)
{
    struct test t = {.sh = sh, .name = name, .v = argv, .n = argc};
    bool v;
    switch (argc) {
    case 0:
        return 1;
    case 1:
        v = one(argv);
        break;
    case 2:
        v = two(&t, argv);
        break;
    case 3:
        v = three(&t, argv);
        break;
    case 4:
        if (wk_str_is(argv[0], "!")) {
            v = !three(&t, argv + 1);
            break;
        }
        if (wk_str_is(argv[0], "(") && wk_str_is(argv[3], ")")) {
            v = two(&t, argv + 1);
            break;
        }
        v = many(&t);
        break;
    default:
        v = many(&t);
        break;
    }
    return t.failed ? 2 : !v;
}
