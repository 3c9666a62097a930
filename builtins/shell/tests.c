/* tests.c - let, test, [
 *
 * Standard: POSIX XCU test; bash 4.2, 6.4. Oracle: bash 5.2.
 */
#include "interp/arith.h"
#include "interp/builtin.h"
#include "interp/cond.h"

extern const struct wk_builtin wk_builtin_let;

static enum wk_flow let_run(struct wk_shell *sh, const struct wk_args *a)
{
    size_t at = 1;
    int64_t v = 0;
    if (a->n > 1 && wk_str_is(a->v[1], "--help")) {
        struct wk_getopt g = {.b = &wk_builtin_let, .a = a, .spec = ""};
        (void)wk_getopt_next(sh, &g);
        return WK_NEXT;
    }
    if (a->n > 1 && wk_str_is(a->v[1], "--"))
        at = 2;
    if (at >= a->n) {
        wk_sh_builtin_error(sh, "let", "expression expected");
        return wk_status(sh, 1);
    }
    for (; at < a->n; at++) {
        bool wrong;
        enum wk_flow flow = wk_sh_arith_flow(sh, wk_arith_text(sh, a->v[at], &v), &wrong);
        if (wrong)
            return wk_status(sh, 1);
        if (flow != WK_NEXT)
            return flow;
    }
    return wk_status(sh, v == 0);
}

static enum wk_flow test_run(struct wk_shell *sh, const struct wk_args *a)
{
    int status = wk_cond_test(sh, "test", a->v + 1, a->n - 1);
    return sh->task->stop != WK_STOP_NONE ? WK_STOP : wk_status(sh, status);
}

static enum wk_flow bracket_run(struct wk_shell *sh, const struct wk_args *a)
{
    if (a->n < 2 || !wk_str_is(a->v[a->n - 1], "]")) {
        wk_sh_builtin_error(sh, "[", "missing `]'");
        return wk_status(sh, 2);
    }
    int status = wk_cond_test(sh, "[", a->v + 1, a->n - 2);
    return sh->task->stop != WK_STOP_NONE ? WK_STOP : wk_status(sh, status);
}

WK_BUILTIN(let, .usage = "let arg [arg ...]", .summary = "Evaluate arithmetic expressions.",
           .help = "Evaluates each ARG as an arithmetic expression in 64-bit integers.\n\n"
                   "Status 1 when the last one is 0, else 0.",
           .run = let_run);

#define TEST_HELP                                                                                  \
    "File operators: -a -e (exists) -b -c -d -f -h -L -p -S (kind) -g -u -k (mode bits) -r -w -x " \
    "(access)\n"                                                                                   \
    "-s (not empty) -t (descriptor is a terminal) -O -G (owned) -N (modified since read); FILE1 "  \
    "-nt -ot -ef\n"                                                                                \
    "FILE2. Strings: -z -n STRING, S1 = S2, != < >. Variables: -v NAME is set, -R NAME is a "      \
    "reference,\n"                                                                                 \
    "-o OPTION is on. Integers: -eq -ne -lt -le -gt -ge. ! EXPR, E1 -a E2, E1 -o E2, ( EXPR "      \
    ").\n\n"                                                                                       \
    "Status 0 when EXPR is true, 1 when false, 2 when it is wrong."

WK_BUILTIN(test, .usage = "test [expr]", .summary = "Evaluate conditional expression.",
           .help = TEST_HELP, .flags = WK_BUILTIN_LEAF, .run = test_run);

WK_BUILTIN(bracket, .name = "[", .usage = "[ arg... ]",
           .summary = "Evaluate conditional expression.",
           .help = "The same as `test', but the last argument must be `]'.\n\n" TEST_HELP,
           .flags = WK_BUILTIN_LEAF, .run = bracket_run);
