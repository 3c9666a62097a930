/* kill.c - the program kill: send a signal to processes
 *
 * Standard: POSIX. Oracle: kill of procps-ng 4.0.2. The shell has a kill of its own, for jobs too.
 * Differs:  docs/divergences/kill.md
 */
#include "base/num.h"
#include "kern/cmd.h"

enum { SIGNALS = 31 }; /* those of the lists */

/* main looks at the words itself: a signal may be an option. */
static const struct wk_opt kill_options[] = {
    {WK_OPT_STR, 's', "signal", "SIGNAL", "the signal to send: a name or a number; -SIGNAL is the same", 0, 0, NULL},
    {WK_OPT_STR, 'q', "queue", "VALUE", "a number to be sent with the signal", 0, 0, NULL},
    {WK_OPT_STR_OPTIONAL, 'l', "list", "SIGNAL", "list the names of signals, or tell the name or number of one", 0, 0,
     NULL},
    {WK_OPT_FLAG, 'L', "table", NULL, "list the names and numbers of signals", 0, 0, NULL},
    {WK_OPT_FLAG, 'h', NULL, NULL, "the same as --help", 0, 0, NULL},
    {WK_OPT_FLAG, 'V', NULL, NULL, "the same as --version", 0, 0, NULL},
    WK_OPTS_END,
};

static const char *name_of(int sig)
{
    return sig == WK_SIGIO ? "POLL" : wk_sig_name(sig);
}

/* ---- lists ------------------------------------------------------------------------------------- */

static void put_names(struct wk_cmd *c)
{
    for (int sig = 1; sig <= SIGNALS; sig++)
        wk_out_fmt(c->out, "%s%c", name_of(sig), sig == 16 || sig == SIGNALS ? '\n' : ' ');
}

static void put_table(struct wk_cmd *c)
{
    enum { ACROSS = 7 };
    for (int sig = 1; sig <= SIGNALS; sig++)
        wk_out_fmt(c->out, sig % ACROSS ? "%2d %-8s" : "%2d %s\n", sig, name_of(sig));
    wk_out_char(c->out, '\n');
}

static void tell(struct wk_cmd *c, const char *what)
{
    int64_t number;
    if (wk_is_digit(*what)) {
        if (wk_parse_i64(wk_str_c(what), 10, &number) == 0 && number > 0 && number <= SIGNALS) {
            wk_out_fmt(c->out, "%s\n", name_of((int)number));
            return;
        }
    } else {
        int sig = wk_sig_parse(wk_str_c(what));
        const char *plain = strlen(what) > 3 && wk_to_lower((unsigned char)*what) == 's' ? what + 3 : what;
        if (sig > 0 && sig <= SIGNALS && strlen(plain) == strlen(name_of(sig))) {
            wk_out_fmt(c->out, "%d\n", sig);
            return;
        }
    }
    wk_out_fmt(c->err, "%s: unknown signal name %s\n", c->name, what);
}

/* ---- arguments --------------------------------------------------------------------------------- */

struct request {
    int sig;
    int n; /* of processes */
    char **who;
};

static WK_NORETURN void usage(struct wk_cmd *c, struct wk_out *o)
{
    wk_out_fmt(o, "Usage: kill [OPTION]... PID...\nTry '%s --help' for more information.\n", c->name);
    wk_exit(c, 1);
}

static WK_NORETURN void invalid(struct wk_cmd *c, char letter)
{
    wk_out_fmt(c->err, "%s: invalid argument %c\n", c->name, letter);
    usage(c, c->err);
}

/* Takes the first -SIGNAL out of the words, wherever it stands. */
static void take_signal(struct wk_cmd *c, struct request *r)
{
    for (int i = 0; i < c->nargs; i++) {
        const char *a = c->args[i];
        int sig = a[0] == '-' && a[1] ? wk_sig_parse(wk_str_c(a + 1)) : -1;
        if (sig < 0)
            continue;
        r->sig = sig;
        c->nargs--;
        memmove(c->args + i, c->args + i + 1, (size_t)(c->nargs - i) * sizeof *c->args);
        return;
    }
}

static void check_value(struct wk_cmd *c, const char *text)
{
    int64_t v;
    int err;
    if (wk_scan_i64(wk_str_c(text), 10, &v, &err) != strlen(text) || !*text)
        wk_fail(c, 1, "must be an integer value to be passed with the signal.: '%s'", text);
}

static const char *match_long(struct wk_cmd *c, struct wk_str name)
{
    static const char *const names[] = {"help", "list", "queue", "signal", "table", "version"};
    for (size_t i = 0; i < WK_COUNTOF(names); i++)
        if (name.n && strncmp(names[i], name.p, name.n) == 0 && name.n <= strlen(names[i]))
            return names[i];
    invalid(c, ' ');
}

/* Does what an option says; `value` is what may be its argument. True when it took it. */
static bool obey(struct wk_cmd *c, struct request *r, char letter, const char *value)
{
    if (letter == 'h' || letter == 'V')
        wk_cmd_about(c, letter == 'V');
    if (letter == 'l' && value)
        tell(c, value);
    else if (letter == 'l')
        put_names(c);
    else if (letter == 'L' || letter == 't')
        put_table(c);
    else if (!strchr("sq", letter) || !value)
        invalid(c, letter);
    if (strchr("lLt", letter))
        wk_exit(c, 0);
    if (letter == 'q')
        check_value(c, value);
    else
        r->sig = wk_sig_parse(wk_str_c(value));
    return true;
}

static void read_words(struct wk_cmd *c, struct request *r)
{
    bool options = true;
    for (int i = 0; i < c->nargs; i++) {
        char *a = c->args[i], *next = i + 1 < c->nargs ? c->args[i + 1] : NULL;
        int64_t group;
        if (!options || a[0] != '-' || !a[1] || wk_parse_i64(wk_str_c(a), 10, &group) == 0) {
            r->who[r->n++] = a;
        } else if (strcmp(a, "--") == 0) {
            options = false;
        } else if (a[1] == '-') {
            char *value = strchr(a, '=');
            const char *name = match_long(c, wk_str(a + 2, strcspn(a + 2, "=")));
            char letter = strcmp(name, "version") == 0 ? 'V' : *name;
            if (value && strchr("htV", letter))
                invalid(c, ' ');
            i += obey(c, r, letter, value ? value + 1 : next) && !value;
        } else {
            if (a[1] == 't')
                invalid(c, 't');
            i += obey(c, r, a[1], a[2] ? a + 2 : next) && !a[2];
        }
    }
}

/* ---- sending ------------------------------------------------------------------------------------ */

static int64_t read_pid(struct wk_cmd *c, const char *text)
{
    const char *digits = text + strspn(text, " \t\n\v\f\r");
    int64_t pid;
    int err = 0;
    if (*digits && wk_scan_i64(wk_str_c(digits), 10, &pid, &err) == strlen(digits) && !err)
        return pid;
    wk_fail(c, 1, "failed to parse argument: '%s'%s%s", text, err ? ": " : "", err ? wk_err_text(-err) : "");
}

static int send(struct wk_cmd *c, int64_t pid, int sig)
{
    if (pid < INT32_MIN || pid > INT32_MAX)
        return WK_ESRCH;
    if (pid > 0 && !wk_proc_find(c->k, (uint32_t)pid))
        return WK_ESRCH;
    return sig < 0 ? WK_EINVAL : -wk_kill(c->k, c->proc, pid, sig);
}

static int kill_main(struct wk_cmd *c)
{
    struct request r = {.sig = WK_SIGTERM};
    r.who = wk_new_n(c, char *, (size_t)c->nargs + 1);
    take_signal(c, &r);
    read_words(c, &r);
    if (!r.n)
        usage(c, c->err);
    for (int i = 0; i < r.n; i++) {
        int64_t pid = read_pid(c, r.who[i]);
        int err = send(c, pid, r.sig);
        if (err)
            wk_msg(c, "(%lld): %s", (long long)pid, wk_err_text(err));
    }
    return c->status;
}

WK_COMMAND(kill, .summary = "send a signal to processes", .usage = "kill [OPTION]... PID...",
           .std = "procps-ng 4.0.2", .opts = kill_options, .opts_size = sizeof(bool),
           .flags = WK_CMD_RAW_ARGS,
           .help = "The signal is TERM when none is given. A PID below 0 is a process group.\n");
