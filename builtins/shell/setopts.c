/* setopts.c - set, shopt: options and positional parameters
 *
 * Standard: POSIX XCU 2.14 set; bash 4.3. Oracle: bash 5.2.
 */
#include "builtins/shell/declaration.h"
#include "interp/builtin.h"
#include "interp/expand.h"
#include "interp/history.h"
#include "interp/run.h"
#include "interp/vars.h"

extern const struct wk_builtin wk_builtin_set, wk_builtin_shopt;

/* ---- set ------------------------------------------------------------------------------------- */

/* IGNOREEOF and POSIXLY_CORRECT go with their options. */
static void follow_option(struct wk_shell *sh, struct wk_str name, struct wk_str value, bool on)
{
    uint32_t id = wk_names_intern(sh->names, name);
    int r = id == WK_NAME_NONE ? -WK_ENOMEM : on ? wk_var_set(sh, id, value) : wk_var_unset(sh, id);
    if (r == -WK_ENOMEM)
        (void)wk_sh_nomem(sh); /* the run ends */
}

/* The option took a new value: what else follows from it. */
static void option_set(struct wk_shell *sh, int n, bool on)
{
    uint64_t bit = UINT64_C(1) << n;
    if (n == WK_SETNO_POSIX) {
        (void)wk_vars_posix_mode(sh, on); /* at worst its variable is missing */
        return;
    }
    if (on)
        sh->st->options |= bit;
    else
        sh->st->options &= ~bit;
    if (n == WK_SETNO_MONITOR)
        sh->st->monitor_depth = sh->st->subshell_depth;
    if (n == WK_SETNO_VI && on)
        sh->st->options &= ~WK_OPT_BIT(EMACS);
    if (n == WK_SETNO_EMACS && on)
        sh->st->options &= ~WK_OPT_BIT(VI);
    if (n == WK_SETNO_HISTORY && on) {
        sh->no_history = false;
        (void)wk_history_enable(sh); /* a refusal is met again with the first line */
    }
    if (n == WK_SETNO_IGNOREEOF)
        follow_option(sh, WK_STR("IGNOREEOF"), WK_STR("10"), on);
    if (n == WK_SETNO_POSIX)
        follow_option(sh, WK_STR("POSIXLY_CORRECT"), WK_STR("y"), on);
    if (n == WK_SETNO_INTERACTIVE_COMMENTS && on)
        sh->st->shopts |= WK_SHOPT_BIT(INTERACTIVE_COMMENTS);
    else if (n == WK_SETNO_INTERACTIVE_COMMENTS)
        sh->st->shopts &= ~WK_SHOPT_BIT(INTERACTIVE_COMMENTS);
}

static enum wk_flow list_options(struct wk_shell *sh, bool as_commands)
{
    struct wk_bout o;
    wk_bout_init(&o, sh, "set");
    for (int i = 0; i < WK_SETNO_COUNT; i++) {
        bool on = (sh->st->options >> i & 1) != 0;
        if (as_commands)
            wk_buf_fmt(&o.buf, "set %co %s\n", on ? '-' : '+', wk_set_option_table[i].name);
        else
            wk_buf_fmt(&o.buf, "%-15s\t%s\n", wk_set_option_table[i].name, on ? "on" : "off");
    }
    sh->status = 0;
    return wk_bout_finish(&o);
}

/* `set` alone: all variables, and outside POSIX mode all functions. */
static enum wk_flow list_variables(struct wk_shell *sh)
{
    struct wk_bout o;
    wk_bout_init(&o, sh, "set");
    int e = wk_list_assignments(sh, &o.buf);
    if (!e && !wk_opt(sh, POSIX))
        e = wk_list_functions(sh, WK_LIST_BODIES, NULL, 0, &o.buf);
    sh->status = 0;
    enum wk_flow out = wk_bout_finish(&o);
    return e ? wk_sh_fail(sh, e) : out;
}

/* The name after -o. */
static bool set_by_name(struct wk_shell *sh, struct wk_str name, bool on)
{
    int n = wk_set_option_find(name);
    if (n < 0) {
        wk_sh_builtin_error(sh, "set", "%s: invalid option name", name.p);
        return false;
    }
    option_set(sh, n, on);
    return true;
}

/* Check a cluster before anything is changed, as bash does: the letter that is refused, or 0. */
static char check_letters(struct wk_shell *sh, struct wk_str w)
{
    for (size_t i = 1; i < w.n; i++) {
        bool unrestricted = w.p[i] == 'r' && w.p[0] == '+'; /* as it is anyway */
        if (w.p[i] == 'o' || unrestricted || wk_set_option_letter(w.p[i]) >= 0)
            continue;
        wk_sh_builtin_error(sh, "set", "%c%c: invalid option", w.p[0], w.p[i]);
        (void)wk_builtin_usage(sh, &wk_builtin_set);
        return w.p[i];
    }
    return 0;
}

static enum wk_flow bad_set(struct wk_shell *sh)
{
    sh->special_error = WK_SPECIAL_USAGE;
    return wk_status(sh, 2);
}

static enum wk_flow set_parameters(struct wk_shell *sh, const struct wk_args *a, size_t at)
{
    int e = wk_sh_set_params(sh, a->v + at, a->n - at);
    return e ? wk_sh_nomem(sh) : wk_status(sh, 0);
}

/* -o has its name as the next argument, when that is no option itself. */
static bool name_follows(const struct wk_args *a, size_t at)
{
    struct wk_str next = at + 1 < a->n ? a->v[at + 1] : WK_STR("");
    return next.n && next.p[0] != '-' && next.p[0] != '+';
}

static enum wk_flow set_run(struct wk_shell *sh, const struct wk_args *a)
{
    if (a->n == 1)
        return list_variables(sh);
    if (wk_str_is(a->v[1], "--help")) {
        struct wk_getopt g = {.b = &wk_builtin_set, .a = a, .spec = ""};
        (void)wk_getopt_next(sh, &g);
        return WK_NEXT;
    }
    for (size_t i = 1; i < a->n; i++) {
        struct wk_str w = a->v[i];
        if (w.n < 2 || (w.p[0] != '-' && w.p[0] != '+') || wk_str_is(w, "--"))
            break;
        char bad = check_letters(sh, w);
        if (bad == '?') { /* asks for the usage, which is no failure */
            sh->special_error = WK_SPECIAL_OK;
            return wk_status(sh, 0);
        }
        if (bad)
            return bad_set(sh);
        if (wk_str_chr(w, 'o') > 0 && name_follows(a, i))
            i++;
    }
    size_t at = 1;
    bool failed = false; /* to print */
    for (; at < a->n; at++) {
        struct wk_str w = a->v[at];
        if (wk_str_is(w, "--"))
            return set_parameters(sh, a, at + 1);
        if (wk_str_is(w, "-")) {
            sh->st->options &= ~(WK_OPT_BIT(XTRACE) | WK_OPT_BIT(VERBOSE));
            return at + 1 < a->n ? set_parameters(sh, a, at + 1) : wk_status(sh, 0);
        }
        if (w.n == 0 || (w.p[0] != '-' && w.p[0] != '+'))
            return set_parameters(sh, a, at);
        bool on = w.p[0] == '-';
        for (size_t i = 1; i < w.n; i++) {
            if (w.p[i] == 'r')
                continue;
            if (w.p[i] != 'o' && wk_set_option_letter(w.p[i]) < 0) { /* behind a + alone */
                (void)check_letters(sh, w);
                return wk_status(sh, 1);
            }
            if (w.p[i] != 'o') {
                option_set(sh, wk_set_option_letter(w.p[i]), on);
                continue;
            }
            if (!name_follows(a, at)) {
                enum wk_flow flow = list_options(sh, !on);
                if (flow != WK_NEXT)
                    return flow;
                failed = failed || sh->status;
                continue;
            }
            if (!set_by_name(sh, a->v[++at], on))
                return bad_set(sh);
        }
    }
    return wk_status(sh, failed);
}

/* ---- shopt ----------------------------------------------------------------------------------- */

enum { SHOPT_SET = 1, SHOPT_UNSET = 2, SHOPT_QUIET = 4, SHOPT_PRINT = 8, SHOPT_SET_O = 16 };

/* Number of options of the kind asked for, and the bits of both kinds. */
static uint64_t *bits_of(struct wk_shell *sh, int flags)
{
    return flags & SHOPT_SET_O ? &sh->st->options : &sh->st->shopts;
}

static const struct wk_option_info *table_of(int flags, int *n)
{
    *n = flags & SHOPT_SET_O ? WK_SETNO_COUNT : WK_SHOPTNO_COUNT;
    return flags & SHOPT_SET_O ? wk_set_option_table : wk_shopt_table;
}

static void put_shopt(struct wk_buf *b, const char *name, bool on, int flags)
{
    if (flags & SHOPT_QUIET)
        return;
    if ((flags & SHOPT_PRINT) && (flags & SHOPT_SET_O))
        wk_buf_fmt(b, "set %co %s\n", on ? '-' : '+', name);
    else if (flags & SHOPT_PRINT)
        wk_buf_fmt(b, "shopt -%c %s\n", on ? 's' : 'u', name);
    else
        wk_buf_fmt(b, "%-15s\t%s\n", name, on ? "on" : "off");
}

/* compatNN goes with BASH_COMPAT, which has one value: none of the options gives that of the shell.
 */
static int compat_set(struct wk_shell *sh, int n, bool on)
{
    uint32_t id = wk_names_intern(sh->names, WK_STR("BASH_COMPAT"));
    const char *digits = wk_shopt_table[n].name + strlen("compat");
    return id == WK_NAME_NONE ? -WK_ENOMEM
                              : wk_var_set(sh, id, on ? wk_str_c(digits) : WK_STR("52"));
}

static void shopt_changed(struct wk_shell *sh, int n, bool on)
{
    uint64_t bit = UINT64_C(1) << n;
    if (strncmp(wk_shopt_table[n].name, "compat", strlen("compat")) == 0) {
        if (compat_set(sh, n, on) == -WK_ENOMEM)
            (void)wk_sh_nomem(sh); /* the run ends */
        return;
    }
    if (on)
        sh->st->shopts |= bit;
    else
        sh->st->shopts &= ~bit;
    if (n == WK_SHOPTNO_EXTDEBUG && on) {
        sh->st->options |= WK_OPT_BIT(ERRTRACE) | WK_OPT_BIT(FUNCTRACE);
        if (wk_vars_keep_args(sh) != 0)
            (void)wk_sh_nomem(sh); /* the run ends */
    } else if (n == WK_SHOPTNO_EXTDEBUG) {
        sh->st->options &= ~(WK_OPT_BIT(ERRTRACE) | WK_OPT_BIT(FUNCTRACE));
    }
    if (n == WK_SHOPTNO_INTERACTIVE_COMMENTS && on)
        sh->st->options |= WK_OPT_BIT(INTERACTIVE_COMMENTS);
    else if (n == WK_SHOPTNO_INTERACTIVE_COMMENTS)
        sh->st->options &= ~WK_OPT_BIT(INTERACTIVE_COMMENTS);
}

static enum wk_flow shopt_list(struct wk_shell *sh, int flags)
{
    struct wk_bout o;
    int n;
    const struct wk_option_info *t = table_of(flags, &n);
    wk_bout_init(&o, sh, "shopt");
    for (int i = 0; i < n; i++) {
        bool on = (*bits_of(sh, flags) >> i & 1) != 0;
        if (((flags & SHOPT_SET) && !on) || ((flags & SHOPT_UNSET) && on))
            continue;
        put_shopt(&o.buf, t[i].name, on, flags);
    }
    sh->status = 0;
    return wk_bout_finish(&o);
}

static enum wk_flow shopt_names(struct wk_shell *sh, const struct wk_args *a, size_t at, int flags)
{
    struct wk_bout o;
    wk_bout_init(&o, sh, "shopt");
    sh->status = 0;
    for (; at < a->n; at++) {
        int n = flags & SHOPT_SET_O ? wk_set_option_find(a->v[at]) : wk_shopt_find(a->v[at]);
        if (n < 0) {
            wk_sh_builtin_error(sh, "shopt",
                                flags & SHOPT_SET_O ? "%s: invalid option name"
                                                    : "%s: invalid shell option name",
                                a->v[at].p);
            /* bash forgets it with -so and -uo */
            if (!(flags & SHOPT_SET_O) || !(flags & (SHOPT_SET | SHOPT_UNSET)))
                sh->status = 1;
            continue;
        }
        if (flags & (SHOPT_SET | SHOPT_UNSET)) {
            if (flags & SHOPT_SET_O)
                option_set(sh, n, (flags & SHOPT_SET) != 0);
            else
                shopt_changed(sh, n, (flags & SHOPT_SET) != 0);
            continue;
        }
        bool on = (*bits_of(sh, flags) >> n & 1) != 0;
        if (!on)
            sh->status = 1;
        put_shopt(&o.buf, a->v[at].p, on, flags);
    }
    return wk_bout_finish(&o);
}

static enum wk_flow shopt_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_shopt, .a = a, .spec = "psuoq"};
    int flags = 0;
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == '?')
            return wk_status(sh, 2);
        flags |= c == 's'   ? SHOPT_SET
                 : c == 'u' ? SHOPT_UNSET
                 : c == 'q' ? SHOPT_QUIET
                 : c == 'p' ? SHOPT_PRINT
                            : SHOPT_SET_O;
    }
    if ((flags & SHOPT_SET) && (flags & SHOPT_UNSET)) {
        wk_sh_builtin_error(sh, "shopt", "cannot set and unset shell options simultaneously");
        return wk_status(sh, 1);
    }
    size_t at = g.at ? g.at : 1;
    return at < a->n ? shopt_names(sh, a, at, flags) : shopt_list(sh, flags);
}

WK_BUILTIN(
    set, .usage = "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]",
    .summary = "Set or unset values of shell options and positional parameters.",
    .help = "Without arguments prints all variables and functions. Options are turned on with `-' "
            "and off with\n"
            "`+'; ARGs become the positional parameters.\n\n"
            "  -a  allexport     variables that are set are exported\n"
            "  -b  notify        tell at once when a job ends\n"
            "  -e  errexit       leave the shell when a command fails\n"
            "  -f  noglob        no file name expansion\n"
            "  -h  hashall       remember where commands are\n"
            "  -k  keyword       all assignment arguments go to the environment\n"
            "  -m  monitor       job control\n"
            "  -n  noexec        read commands without running them\n"
            "  -p  privileged    do not take functions and options from the environment\n"
            "  -t  onecmd        leave after one command\n"
            "  -u  nounset       an unset variable is an error\n"
            "  -v  verbose       print input lines as they are read\n"
            "  -x  xtrace        print commands before they are run\n"
            "  -B  braceexpand   expand braces\n"
            "  -C  noclobber     > does not overwrite files\n"
            "  -E  errtrace      functions inherit the ERR trap\n"
            "  -H  histexpand    history expansion\n"
            "  -P  physical      cd resolves links\n"
            "  -T  functrace     functions inherit the DEBUG and RETURN traps\n"
            "  -o NAME           an option by name; alone, print them all\n"
            "  --  and  -        the rest are positional parameters; `-' also turns -x and -v off",
    .flags = WK_BUILTIN_SPECIAL, .run = set_run);

WK_BUILTIN(shopt, .usage = "shopt [-pqsu] [-o] [optname ...]",
           .summary = "Set and unset shell options.",
           .help = "  -o   the names are those of `set -o'\n  -p   print as commands\n  -q   print "
                   "nothing, only the status\n"
                   "  -s   turn on\n  -u   turn off\n\n"
                   "Status 0 when every OPTNAME is on; fails when one is not known.",
           .run = shopt_run);
