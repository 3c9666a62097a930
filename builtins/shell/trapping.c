/* trapping.c - trap
 *
 * Standard: POSIX XCU 2.14; bash 4.1. Oracle: bash 5.2.
 */
#include "builtins/shell/signals.h"
#include "interp/builtin.h"
#include "interp/expand.h"
#include "interp/trap.h"

#include "base/num.h"

extern const struct wk_builtin wk_builtin_trap;

/* As POSIX has it: a signal's name without SIG, and the number of one that has none. */
static const char *posix_name(int which, char *scratch)
{
    bool signal = which > 0 && which < WK_NSIG;
    const char *name = wk_trap_name(which, scratch);
    if (signal && !wk_sig_name(which))
        scratch[wk_i64_text(which, scratch)] = '\0';
    return !signal ? name : wk_sig_name(which) ? name + 3 : scratch;
}

/* Ignored without a trap that says so. */
static bool is_ignored(const struct wk_shell *sh, int which)
{
    if (which < 1 || which >= WK_NSIG || !(sh->proc->sig_ignored & WK_SIGBIT(which)))
        return false;
    return (sh->sig_at_start & WK_SIGBIT(which)) || (which == WK_SIGINT && (sh->async_ignores & WK_SIGBIT(which)));
}

/* `all`: those that are not set, too. */
static void put_trap(struct wk_shell *sh, struct wk_buf *b, int which, bool all)
{
    const struct wk_val *text = wk_trap_shown(sh, which);
    char scratch[24];
    const char *name = wk_opt(sh, POSIX) ? posix_name(which, scratch) : wk_trap_name(which, scratch);
    if (text) {
        wk_buf_put_c(b, "trap -- ");
        wk_quote_plain(b, wk_val_str(text));
        wk_buf_fmt(b, " %s\n", name);
    } else if (is_ignored(sh, which)) {
        wk_buf_fmt(b, "trap -- '' %s\n", name);
    } else if (all) {
        wk_buf_fmt(b, "trap -- - %s\n", name);
    }
}

static enum wk_flow print_traps(struct wk_shell *sh, const struct wk_args *a, size_t at, bool all)
{
    struct wk_bout o;
    wk_bout_init(&o, sh, "trap");
    sh->status = 0;
    for (int i = 0; at >= a->n && i < WK_TRAP_COUNT; i++)
        put_trap(sh, &o.buf, i, all);
    for (; at < a->n; at++) {
        int which = wk_trap_parse(a->v[at]);
        if (which < 0) {
            wk_sh_builtin_error(sh, "trap", "%s: invalid signal specification", a->v[at].p);
            sh->status = 1;
        } else {
            put_trap(sh, &o.buf, which, all);
        }
    }
    return wk_bout_finish(&o);
}

/* Whether the first argument is no action but a signal to be reset: a number. */
static bool is_number(struct wk_str s)
{
    int64_t n;
    return s.n && wk_is_digit((unsigned char)s.p[0]) && wk_parse_blanked(s, &n) == 0;
}

static enum wk_flow set_traps(struct wk_shell *sh, struct wk_str action, const struct wk_args *a,
                              size_t at)
{
    sh->status = 0;
    for (; at < a->n; at++) {
        int which = wk_trap_parse(a->v[at]);
        if (which < 0) {
            wk_sh_builtin_error(sh, "trap", "%s: invalid signal specification", a->v[at].p);
            sh->status = 1;
            continue;
        }
        if (wk_trap_set(sh, which, action) != 0)
            return wk_sh_nomem(sh);
    }
    return WK_NEXT;
}

static enum wk_flow trap_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_trap, .a = a, .spec = "lp"};
    bool print = false;
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == 'l')
            return wk_list_signals(sh, "trap");
        if (c != 'p')
            return wk_status(sh, 2);
        print = true;
    }
    size_t at = g.at ? g.at : 1;
    if (print || at >= a->n)
        return print_traps(sh, a, at, print && wk_opt(sh, POSIX));
    struct wk_str action = a->v[at];
    if (is_number(action) && wk_trap_parse(action) >= 0)
        return set_traps(sh, wk_str(NULL, 0), a, at);
    if (at + 1 >= a->n) {
        if (wk_trap_parse(action) >= 0 && !wk_opt(sh, POSIX))
            return set_traps(sh, wk_str(NULL, 0), a, at);
        return wk_builtin_usage(sh, &wk_builtin_trap);
    }
    if (wk_str_is(action, "-"))
        action = wk_str(NULL, 0);
    return set_traps(sh, action, a, at + 1);
}

WK_BUILTIN(trap, .usage = "trap [-lp] [[arg] signal_spec ...]",
           .summary = "Trap signals and other events.",
           .help = "Runs the command ARG when a signal arrives or an event happens. ARG `-' "
                   "restores the default, an\n"
                   "empty ARG ignores the signal. Events are EXIT (the shell ends), DEBUG (before "
                   "every command), ERR\n"
                   "(a command failed) and RETURN (a function or sourced script ends).\n\n"
                   "  -l   list the names and numbers of signals\n"
                   "  -p   print the traps as commands that set them\n\n"
                   "Fails when a signal name is not valid.",
           .flags = WK_BUILTIN_SPECIAL, .run = trap_run);
