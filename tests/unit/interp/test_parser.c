/* test_parser.c - commands from a source: messages, lines, limits, failures */
#define _GNU_SOURCE
#include "interp/parser.h"

#include "base/err.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

struct log {
    char text[2048];
    const char *lines; /* for more */
    const char *alias, *value;
};

static void on_message(void *ctx, uint32_t line, struct wk_str s)
{
    struct log *l = ctx;
    size_t n = strlen(l->text);
    snprintf(l->text + n, sizeof l->text - n, "%u: %.*s\n", line, (int)s.n, s.p);
}

static int on_more(void *ctx, bool continued, struct wk_str *line)
{
    struct log *l = ctx;
    (void)continued;
    if (!*l->lines)
        return 0;
    const char *nl = strchr(l->lines, '\n');
    size_t n = nl ? (size_t)(nl - l->lines) + 1 : strlen(l->lines);
    *line = wk_str(l->lines, n);
    l->lines += n;
    return 1;
}

static bool on_alias(void *ctx, struct wk_str name, struct wk_str *value)
{
    struct log *l = ctx;
    if (!wk_str_is(name, l->alias))
        return false;
    *value = wk_str_c(l->value);
    return true;
}

/* Parses everything; the last answer. *n gets the number of commands. */
static int run(struct wk_parse_opts *o, struct wk_str text, int *n)
{
    struct wk_parser *p = wk_parser_new(o, text);
    struct wk_tree *t;
    int r = -WK_ENOMEM;
    *n = 0;
    if (p)
        while ((r = wk_parser_next(p, &t)) > 0) {
            *n += t->root != NULL;
            wk_tree_unref(t);
        }
    wk_parser_free(p);
    return r;
}

static void check(const char *script, const char *want)
{
    for (int lines = 0; lines < 2; lines++) {
        struct wk_mem *m = wk_mem_new(SIZE_MAX);
        struct wk_names *names = wk_names_new(m, 1);
        struct log l = {.lines = script};
        struct wk_parse_opts o = {.mem = m, .names = names, .message = on_message, .ctx = &l};
        int n;
        o.more = lines ? on_more : NULL;
        int r = run(&o, lines ? WK_STR("") : wk_str_c(script), &n);
        cr_expect_eq(r, *want && !strstr(want, "warning") ? -WK_ESYNTAX : 0, "%s", script);
        cr_expect_str_eq(l.text, want, "%s", script);
        wk_names_free(names);
        cr_assert_eq(wk_mem_used(m), 0);
        wk_mem_unref(m);
    }
}

Test(parser, messages)
{
    check("echo a; b | c && d &", "");
    check("if", "2: syntax error: unexpected end of file\n");
    check("fi", "1: syntax error near unexpected token `fi'\n1: `fi'\n");
    check("a\nb ;; c\n", "2: syntax error near unexpected token `;;'\n2: `b ;; c'\n");
    check("echo \"a\n", "1: unexpected EOF while looking for matching `\"'\n");
    check("echo $(a", "2: unexpected EOF while looking for matching `)'\n");
    check("echo ${a", "1: unexpected EOF while looking for matching `}'\n");
    check("echo $(fi)", "1: syntax error near unexpected token `fi'\n1: `echo $(fi)'\n");
    check("echo `fi` ${x!}", "");
    check("echo a (b)", "1: syntax error near unexpected token `('\n1: `echo a (b)'\n");
    check("a >", "1: syntax error near unexpected token `newline'\n1: `a >'\n");
    check("[[ a b ]]", "1: conditional binary operator expected\n");
    check("[[ a ==", "1: unexpected argument `newline' to conditional binary operator\n");
    check("cat <<E\na\n",
          "2: warning: here-document at line 1 delimited by end-of-file (wanted `E')\n");
    check("for ((a;b)); do :; done",
          "1: syntax error: arithmetic expression required\n1: syntax error: `((a;b))'\n");
}

Test(parser, shapes)
{
    static const char *const good[] = {
        "((a) ; (b))", "echo $((echo a) | (b))", "x=(a\nb # c\nc) y", "f()\n\n{ a; }",
        "function f if a; then b; fi", "case x in (a|b) ;; c) d;& *) esac", "a[1 2]=3 b+=(4)",
        "for x\ndo a; done", "select x in a; do b; done", "! ! time -p a | b |& c", "{fd}>f 2>&1>|g",
        "coproc X { a; }", "cat <<A <<-B; cat <<'C'\na\nA\n\tb\n\tB\nc\nC\n", "a &> f &>> g",
        "[[ a =~ (x y)|z && ( b < c || ! -f d ) ]]", "echo \"${x:-'}'}\" ${y-\"}\"}",
        "a\\\nb \\\n c", "if a; then b; elif c; then d; else e; fi >f", "echo $'\\'' $\"x\" a#b #c",
        "echo \"$(cat <<E\nx\nE\n)\"", "\xff\xfe=1 \x80", "a\r", "for ((;;)) { a; }", ": ${!a*} ${#} ${##}",
    };
    for (size_t i = 0; i < WK_COUNTOF(good); i++)
        check(good[i], "");
}

Test(parser, aliases)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_names *names = wk_names_new(m, 1);
    struct log l = {.alias = "e", .value = "if a; then e "};
    struct wk_parse_opts o = {.mem = m, .names = names, .message = on_message, .alias = on_alias,
                              .ctx = &l, .flags = WK_PARSE_ALIASES};
    int n;
    cr_assert_eq(run(&o, WK_STR("e x; fi; \\e; 'e'\n"), &n), 0);
    cr_assert_eq(n, 1);
    l.value = "echo 'a\nb\n";
    cr_assert_eq(run(&o, WK_STR("e c' d\nf"), &n), 0);
    cr_assert_eq(n, 2);
    wk_names_free(names);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}

/* ---- depth and stack ------------------------------------------------------------------------ */

enum { SEGMENT = 64 * 1024 };

struct deep_run {
    int (*fn)(void *);
    void *arg;
    int result;
    ucontext_t here, there;
};

static void enter(unsigned hi, unsigned lo)
{
    union {
        uint64_t n;
        struct deep_run *d;
    } u = {.n = (uint64_t)hi << 32 | lo};
    u.d->result = u.d->fn(u.d->arg);
}

/* Runs fn on a segment of 64 KiB of its own. */
static int on_deep(void *ctx, int (*fn)(void *), void *arg, uintptr_t *floor)
{
    struct deep_run d = {.fn = fn, .arg = arg};
    union {
        struct deep_run *d;
        uint64_t n;
    } u = {.d = &d};
    uintptr_t before = *floor;
    char *stack = malloc(SEGMENT);
    (void)ctx;
    getcontext(&d.there);
    d.there.uc_stack.ss_sp = stack;
    d.there.uc_stack.ss_size = SEGMENT;
    d.there.uc_link = &d.here;
    makecontext(&d.there, (void (*)(void))enter, 2, (unsigned)(u.n >> 32), (unsigned)u.n);
    *floor = (uintptr_t)stack;
    swapcontext(&d.here, &d.there);
    *floor = before;
    free(stack);
    return d.result;
}

static char *repeat(const char *head, const char *s, const char *mid, const char *e, int n)
{
    size_t len = strlen(head) + (strlen(s) + strlen(e)) * (size_t)n + strlen(mid) + 1;
    char *p = malloc(len);
    strcpy(p, head);
    char *q = p + strlen(p);
    for (int i = 0; i < n; i++, q += strlen(s))
        strcpy(q, s);
    strcpy(q, mid);
    q += strlen(q);
    for (int i = 0; i < n; i++, q += strlen(e))
        strcpy(q, e);
    return p;
}

struct job {
    struct wk_parse_opts o;
    const char *text;
    int result;
};

static int parse_job(void *arg)
{
    struct job *j = arg;
    int n;
    j->result = run(&j->o, wk_str_c(j->text), &n);
    return 0;
}

/* Parses on a stack of SEGMENT bytes, with or without the hook for further ones. */
static WK_NOINLINE int parse_on_small_stack(struct job *j, struct wk_mem *m, struct wk_names *names, bool hook)
{
    /* on_deep gives the first segment, too, and with it the floor */
    struct wk_parse_opts o = {.mem = m, .names = names, .flags = WK_PARSE_SILENT};
    char *stack = malloc(SEGMENT);
    struct deep_run *d = calloc(1, sizeof *d);
    uint64_t at = (uint64_t)(uintptr_t)d;
    d->fn = parse_job;
    d->arg = j;
    o.deep = hook ? on_deep : NULL;
    o.stack_floor = (uintptr_t)stack;
    j->o = o;
    getcontext(&d->there);
    d->there.uc_stack.ss_sp = stack;
    d->there.uc_stack.ss_size = SEGMENT;
    d->there.uc_link = &d->here;
    makecontext(&d->there, (void (*)(void))enter, 2, (unsigned)(at >> 32), (unsigned)at);
    swapcontext(&d->here, &d->there);
    free(d);
    free(stack);
    return j->result;
}

Test(parser, small_stacks)
{
    static const char *const rows[][4] = {
        {"", "( ", "a", " )"},          {"", "if ", "a", "; then b; fi"},
        {"echo ", "$(echo ", "a", ")"}, {"echo ", "${x:-", "a", "}"},
        {"echo ", "\"$(echo ", "a", ")\""}, {"echo $(( ", "(", "1", ") + 1 "},
        {"[[ ", "( ", "a", " ) "},      {"", "f() { ", "a", "; }"},
        {"echo $((", "- ", "1", ""},    {"", "case x in x) ", "a", ";; esac"},
    };
#if WK_ASAN
    return; /* its frames are too large, and it does not know these stacks */
#endif
    for (size_t i = 0; i < WK_COUNTOF(rows); i++) {
        for (int depth = 300; depth <= 100000; depth = depth == 300 ? 100000 : depth + 1) {
            char *text = repeat(rows[i][0], rows[i][1], rows[i][2], rows[i][3], depth);
            struct wk_mem *m = wk_mem_new(SIZE_MAX);
            struct wk_names *names = wk_names_new(m, 1);
            struct job j = {.text = text};
            for (int hook = 0; hook < 2; hook++) {
                int r = parse_on_small_stack(&j, m, names, hook);
                if (depth == 100000)
                    cr_expect_eq(r, -WK_ELIMIT, "%zu hook %d: %d", i, hook, r);
                else if (hook)
                    cr_expect(r == 0 || r == -WK_ESYNTAX, "%zu: %d", i, r);
            }
            wk_names_free(names);
            cr_assert_eq(wk_mem_used(m), 0);
            wk_mem_unref(m);
            free(text);
        }
    }
}

/* ---- refused memory ------------------------------------------------------------------------- */

Test(parser, every_allocation_fails)
{
    static const char *const scripts[] = {
        "f() { a \"$b\" `c` $(d; e) >f <<E | g && h & }; x=(1 [2]=3 {a,b}{1..3}) y+=z\nfoo $x\nE\n",
        "case x in a|b) [[ a == *b && ( ! -f c ) ]] ;; esac; for x in ${y//a/b} ${z:1:2}; do ((i++)); done",
        "echo $((a[1] + $x * (2 - b))) \"a${x:-\"b c\"}d\" ~/x 'q'\\''r' ${!x@} ; if a; then b; else c; fi",
        "declare -a x=(1 2) y=~/z; ((a) ; (b)); e {a,'b c'}$x",
    };
    for (size_t i = 0; i < WK_COUNTOF(scripts); i++) {
        for (uint64_t k = 1;; k++) {
            struct wk_mem *m = wk_mem_new(SIZE_MAX);
            struct wk_names *names = wk_names_new(m, 1);
            struct log l = {.alias = "e", .value = "echo "};
            struct wk_parse_opts o = {.mem = m, .names = names, .alias = on_alias, .ctx = &l,
                                      .message = on_message, .flags = WK_PARSE_ALIASES};
            int n;
            uint64_t base = m->count;
            m->fail_at = base + k;
            int r = run(&o, wk_str_c(scripts[i]), &n);
            bool reached = m->count >= base + k;
            cr_assert(r == (reached ? -WK_ENOMEM : 0) || (r == 0 && reached), "%zu %zu: %d %s", i,
                      (size_t)k, r, l.text);
            wk_names_free(names);
            cr_assert_eq(wk_mem_used(m), 0);
            wk_mem_unref(m);
            if (!reached)
                break;
        }
    }
}
