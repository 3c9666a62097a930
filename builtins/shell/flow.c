/* flow.c - `:`, true, false, break, continue, return, exit
 *
 * Standard: POSIX XCU 2.14; bash 4.1. Oracle: bash 5.2.
 */
#include "base/num.h"
#include "interp/trap.h"
#include "interp/builtin.h"

extern const struct wk_builtin wk_builtin_break, wk_builtin_continue, wk_builtin_return,
    wk_builtin_exit;

static enum wk_flow colon_run(struct wk_shell *sh, const struct wk_args *a)
{
    (void)a;
    return wk_status(sh, 0);
}

static enum wk_flow false_run(struct wk_shell *sh, const struct wk_args *a)
{
    (void)a;
    return wk_status(sh, 1);
}

/* The first operand, after "--" and --help; *at is its place. false: a flow is due. */
static bool operands(struct wk_shell *sh, const struct wk_builtin *b, const struct wk_args *a,
                     size_t *at)
{
    *at = 1;
    if (a->n > 1 && wk_str_is(a->v[1], "--help")) {
        struct wk_getopt g = {.b = b, .a = a, .spec = ""};
        (void)wk_getopt_next(sh, &g);
        return false;
    }
    if (a->n > 1 && wk_str_is(a->v[1], "--"))
        *at = 2;
    return true;
}

static enum wk_flow leave_loop(struct wk_shell *sh, const struct wk_builtin *b,
                               const struct wk_args *a, enum wk_flow flow)
{
    size_t at;
    int64_t n = 1;
    if (!operands(sh, b, a, &at))
        return WK_NEXT;
    if (sh->now.loop_depth == 0) {
        if (!wk_opt(sh, POSIX))
            wk_sh_builtin_error(sh, b->name, "only meaningful in a `for', `while', or `until' loop");
        return wk_status(sh, 0);
    }
    if (at < a->n && wk_parse_blanked(a->v[at], &n) != 0) {
        wk_sh_builtin_error(sh, b->name, "%s: numeric argument required", a->v[at].p);
        sh->status = sh->previous_status | 128;
        return WK_EXIT;
    }
    if (at + 1 < a->n)
        return wk_sh_too_many(sh, b->name);
    sh->status = 0;
    if (n <= 0) {
        wk_sh_builtin_error(sh, b->name, "%s: loop count out of range", a->v[at].p);
        sh->status = 1;
        n = sh->now.loop_depth;
        flow = WK_BREAK;
    }
    sh->flow_level = n > sh->now.loop_depth ? sh->now.loop_depth : (int)n;
    return flow;
}

static enum wk_flow break_run(struct wk_shell *sh, const struct wk_args *a)
{
    return leave_loop(sh, &wk_builtin_break, a, WK_BREAK);
}

static enum wk_flow continue_run(struct wk_shell *sh, const struct wk_args *a)
{
    return leave_loop(sh, &wk_builtin_continue, a, WK_CONTINUE);
}

/* The status that return and exit name: false when they must not go on, *flow being what is due. */
static bool exit_status(struct wk_shell *sh, const struct wk_builtin *b, const struct wk_args *a,
                        int *status, enum wk_flow *flow)
{
    size_t at;
    int64_t n;
    *flow = WK_NEXT;
    if (!operands(sh, b, a, &at))
        return false;
    if (at >= a->n)
        return true;
    if (wk_parse_blanked(a->v[at], &n) != 0) {
        wk_sh_builtin_error(sh, b->name, "%s: numeric argument required", a->v[at].p);
        *status = 2;
        return true;
    }
    if (at + 1 < a->n) {
        *flow = wk_sh_too_many(sh, b->name);
        return false;
    }
    *status = (int)((uint64_t)n & 255);
    return true;
}

static enum wk_flow return_run(struct wk_shell *sh, const struct wk_args *a)
{
    enum wk_flow flow;
    int status = sh->previous_status;
    if (sh->now.in_trap && a->n == 1 && sh->trap_depth == sh->func_depth)
        status = sh->trap_status;
    if (!exit_status(sh, &wk_builtin_return, a, &status, &flow))
        return flow;
    sh->status = status;
    if (sh->func_depth == 0 && sh->source_depth == 0) {
        wk_sh_builtin_error(sh, "return", "can only `return' from a function or sourced script");
        sh->special_error = WK_SPECIAL_USAGE;
        return wk_status(sh, 2);
    }
    return WK_RETURN;
}

static enum wk_flow exit_run(struct wk_shell *sh, const struct wk_args *a)
{
    enum wk_flow flow;
    int status = sh->now.in_exit_trap ? sh->trap_status : sh->previous_status;
    if (sh->interactive && !sh->now.is_subshell)
        (void)wk_sh_write(sh, 2, WK_STR("exit\n"));
    if (!exit_status(sh, &wk_builtin_exit, a, &status, &flow))
        return flow;
    sh->status = status;
    return wk_sh_leave(sh, WK_LEAVE_HERE);
}

WK_BUILTIN(colon, .name = ":", .usage = ":", .summary = "Null command.",
           .help = "Expands its arguments and does nothing else.\n\nAlways succeeds.",
           .flags = WK_BUILTIN_SPECIAL, .run = colon_run);

WK_BUILTIN(true, .usage = "true", .summary = "Return a successful result.",
           .help = "Always succeeds.", .flags = WK_BUILTIN_POSIX | WK_BUILTIN_LEAF,
           .run = colon_run);

WK_BUILTIN(false, .usage = "false", .summary = "Return an unsuccessful result.",
           .help = "Always fails.", .flags = WK_BUILTIN_POSIX | WK_BUILTIN_LEAF, .run = false_run);

WK_BUILTIN(break, .usage = "break [n]", .summary = "Exit for, while, or until loops.",
           .help = "Leaves the innermost loop, or with N that many enclosing ones.\n\n"
                   "Status 0 unless N is not greater than or equal to 1.",
           .flags = WK_BUILTIN_SPECIAL, .run = break_run);

WK_BUILTIN(
    continue, .usage = "continue [n]", .summary = "Resume for, while, or until loops.",
    .help =
        "Goes on with the next turn of the innermost loop, or with N of the N-th enclosing one.\n\n"
        "Status 0 unless N is not greater than or equal to 1.",
    .flags = WK_BUILTIN_SPECIAL, .run = continue_run);

WK_BUILTIN(return, .usage = "return [n]", .summary = "Return from a shell function.",
                 .help = "Ends a function or a sourced script with status N, by default that of "
                         "the last command.\n\n"
                         "Fails when neither is being run.",
                 .flags = WK_BUILTIN_SPECIAL, .run = return_run);

WK_BUILTIN(exit, .usage = "exit [n]", .summary = "Exit the shell.",
           .help = "Ends the shell with status N, by default that of the last command.",
           .flags = WK_BUILTIN_SPECIAL, .run = exit_run);
