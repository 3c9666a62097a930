/* killall.c - send a signal to processes by the names of their programs
 *
 * Standard: psmisc 23.6. Oracle: killall.
 * Differs:  docs/divergences/killall.md
 */
#include "base/num.h"
#include "builtins/fsops.h"
#include "builtins/idnames.h"
#include "builtins/proctable.h"
#include "builtins/regex.h"

enum { NAME_MAX_SHORT = 15 }; /* bytes of a name that /proc keeps */

struct killall_opts {
    bool exact, ignore_case, group, interactive, list, quiet, regexp, verbose, wait;
    bool user;
    uint32_t uid;
    int signal;             /* and 1; 0: none given */
    int64_t younger, older; /* seconds, 0: any */
    const char *context;
};

struct killall {
    struct wk_cmd *c;
    const struct killall_opts *o;
    struct wk_proctable table;
    int sig;
    struct wk_re **res; /* of each name, with -r */
    struct wk_re_run run;
    const char **paths; /* of each name that has a slash */
    bool *found;
    uint32_t *sent; /* who has got it, or which groups */
    size_t nsent;
};

static WK_NORETURN void usage(struct wk_cmd *c, const char *why)
{
    if (why)
        wk_out_fmt(c->err, "%s\n", why);
    wk_out_c(c->err, "Usage: killall [OPTION]... [--] NAME...\n       killall -l, --list\n"
                     "       killall -V, --version\n");
    wk_exit(c, 1);
}

/* ---- options */

static WK_NORETURN void list_signals(struct wk_cmd *c)
{
    size_t column = 0;
    for (int sig = 1; sig <= WK_SIGSYS; sig++) {
        const char *name = sig == WK_SIGIO ? "POLL" : wk_sig_name(sig);
        size_t n = strlen(name);
        if (column && column + n + 1 > 78) {
            wk_out_char(c->out, '\n');
            column = 0;
        }
        wk_out_fmt(c->out, "%s%s", column ? " " : "", name);
        column += n + (column > 0);
    }
    wk_out_char(c->out, '\n');
    wk_exit(c, 0);
}

/* A name in capitals, or a number. */
static int read_signal(struct wk_cmd *c, const char *text)
{
    int64_t v;
    if (wk_is_digit((unsigned char)*text)) {
        if (wk_parse_i64(wk_str_c(text), 10, &v) == 0)
            return v > 64 ? 65 : (int)v;
    } else if (wk_is_upper((unsigned char)*text) && strcmp(text, "EXIT") != 0) {
        int sig = wk_sig_parse(wk_str_c(text));
        if (sig > 0)
            return sig;
    }
    wk_out_fmt(c->err, "%s: unknown signal; killall -l lists signals.\n", text);
    wk_exit(c, 1);
}

static int64_t read_age(struct wk_cmd *c, const char *text)
{
    static const char units[] = "smhdwMy";
    static const int64_t seconds[] = {1, 60, 3600, 86400, 604800, 2592000, 31536000};
    int64_t v = 0;
    size_t n = strspn(text, "0123456789");
    const char *unit = text[n] ? strchr(units, text[n]) : NULL;
    if (!unit || text[n + 1] || wk_parse_i64(wk_str(text, n), 10, &v) != 0 || v <= 0 ||
        v > INT32_MAX)
        usage(c, "Invalid time format");
    return v * seconds[unit - units];
}

/* The arguments of -s, -y, -o, -u and -n, read at once. */
static int take(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct killall_opts *o = (struct killall_opts *)c->opts;
    int64_t pid;
    switch (opt->value) {
    case 's':
        o->signal = read_signal(c, arg) + 1;
        break;
    case 'y':
        o->younger = read_age(c, arg);
        break;
    case 'o':
        o->older = read_age(c, arg);
        break;
    case 'u':
        o->user = true;
        if (!wk_user_id(wk_idnames_new(c), arg, false, &o->uid)) {
            wk_out_fmt(c->err, "Cannot find user %s\n", arg);
            wk_exit(c, 1);
        }
        break;
    default:
        if (wk_parse_i64(wk_str_c(arg), 10, &pid) != 0)
            usage(c, "Invalid namespace PID");
        break;
    }
    return 0;
}

static void read_names(struct killall *k)
{
    struct wk_cmd *c = k->c;
    size_t n = (size_t)c->nargs + 1;
    struct wk_re_error err;
    struct wk_stat st;
    k->found = wk_new_n(c, bool, n);
    k->paths = wk_new_n(c, const char *, n);
    k->res = wk_new_n(c, struct wk_re *, n);
    k->run = wk_cmd_re_run(c);
    for (size_t i = 0; i + 1 < n; i++) {
        char *path;
        if (k->o->regexp) {
            unsigned flags = WK_RE_EXTENDED | (k->o->ignore_case ? WK_RE_ICASE : 0U);
            k->res[i] = wk_cmd_re(c, wk_str_c(c->args[i]), flags, &err);
            if (!k->res[i] || c->args[i][0] == '*')
                wk_fail(c, 1, "Bad regular expression: %s", c->args[i]);
        } else if (strchr(c->args[i], '/')) {
            int r = wk_cmd_stat(c, c->args[i], true, &st);
            if (r) {
                wk_out_fmt(c->err, "%s: %s\n", c->args[i], wk_err_text(r));
                wk_exit(c, 1);
            }
            if (!wk_at_realpath(c, c->args[i], WK_REALPATH_ALL, &path))
                k->paths[i] = path;
        }
    }
}

/* ---- matching */

static bool same_text(const struct killall *k, const char *a, const char *b)
{
    for (;; a++, b++) {
        int x = (unsigned char)*a, y = (unsigned char)*b;
        if (k->o->ignore_case) {
            x = wk_to_lower(x);
            y = wk_to_lower(y);
        }
        if (x != y)
            return false;
        if (!x)
            return true;
    }
}

/* The whole name of a program: /proc keeps its first bytes, its arguments may tell the rest. */
static const char *full_name(const struct wk_procinfo *p)
{
    if (strlen(p->comm) < NAME_MAX_SHORT)
        return p->comm;
    for (size_t at = 0; at < p->args_n; at += strlen(p->args + at) + 1) {
        const char *word = p->args + at, *slash = strrchr(word, '/');
        word = slash ? slash + 1 : word;
        if (strncmp(word, p->comm, NAME_MAX_SHORT) == 0)
            return word;
    }
    return p->comm;
}

/* The file that a process runs. */
static const char *file_of(struct killall *k, const struct wk_procinfo *p)
{
    char *dir, *path;
    struct wk_cmd *c = k->c;
    if (p->args_n && strchr(p->args, '/')) {
        if (wk_at_readlink(c, NULL, wk_strf(c, "/proc/%u/cwd", p->pid), &dir))
            return NULL;
        const char *word = p->args[0] == '/' ? p->args : wk_join_path(c, dir, p->args);
        return wk_at_realpath(c, word, WK_REALPATH_ALL, &path) ? NULL : path;
    }
    return wk_at_readlink(c, NULL, wk_strf(c, "/proc/%u/exe", p->pid), &path) ? NULL : path;
}

/* The number of the first name that the process has, or -1. Without names all of a user's have it.
 */
static int name_of(struct killall *k, const struct wk_procinfo *p)
{
    const char *name = full_name(p), *file;
    if (!k->c->nargs)
        return k->o->user ? 0 : -1;
    for (int i = 0; i < k->c->nargs; i++) {
        if (k->res[i]) {
            if (wk_cmd_re_search(k->c, k->res[i], &k->run, wk_str_c(name), 0, NULL, 0, 1))
                return i;
        } else if (k->paths[i]) {
            file = file_of(k, p);
            if (file && strcmp(file, k->paths[i]) == 0)
                return i;
        } else if (same_text(k, name, k->c->args[i])) {
            return i;
        }
    }
    return -1;
}

static bool fits(const struct killall *k, const struct wk_procinfo *p)
{
    uint64_t age = k->table.uptime_cs > p->start ? k->table.uptime_cs - p->start : 0;
    if (p->pid == k->c->proc->pid || p->state == 'Z')
        return false;
    if (k->o->user && p->uid[0] != k->o->uid)
        return false;
    return (!k->o->younger || age <= (uint64_t)k->o->younger * WK_PROC_HZ) &&
           (!k->o->older || age >= (uint64_t)k->o->older * WK_PROC_HZ);
}

/* ---- asking and sending */

/* The first character of a line: y and n count, the end and an empty line are no, others ask again.
 */
static bool agrees(struct killall *k, const struct wk_procinfo *p)
{
    struct wk_cmd *c = k->c;
    struct wk_str line;
    char ch;
    if (!k->o->interactive)
        return true;
    do {
        wk_out_fmt(c->out, "Signal %s(%s%u) ? (y/N) ", full_name(p), k->o->group ? "pgid " : "",
                   k->o->group ? p->pgid : p->pid);
        (void)wk_out_flush(c->out);
        if (!wk_line_next(c->in, '\n', &line) || !line.n || line.p[0] == 'n' || line.p[0] == 'N')
            return false;
        ch = line.p[0];
    } while (ch != 'y' && ch != 'Y');
    return true;
}

static bool had_it(const struct killall *k, uint32_t id)
{
    for (size_t i = 0; i < k->nsent; i++)
        if (k->sent[i] == id)
            return true;
    return false;
}

static void send(struct killall *k, const struct wk_procinfo *p, int name)
{
    struct wk_cmd *c = k->c;
    bool group = k->o->group;
    uint32_t id = group ? p->pgid : p->pid;
    if (had_it(k, id)) {
        k->found[name] = true;
        return;
    }
    if (!agrees(k, p))
        return;
    int r = wk_kill(c->k, c->proc, group ? -(int64_t)id : (int64_t)id, k->sig);
    if (r) {
        if (r != -WK_ESRCH)
            wk_out_fmt(c->err, "%s(%s%u): %s\n", full_name(p), group ? "pgid " : "", id,
                       wk_err_text(-r));
        return;
    }
    k->sent[k->nsent++] = id;
    k->found[name] = true;
    if (k->o->verbose)
        wk_out_fmt(c->err, "Killed %s(%s%u) with signal %d\n", full_name(p), group ? "pgid " : "",
                   id, k->sig);
}

static bool is_alive(const struct wk_cmd *c, uint32_t id, bool group)
{
    if (!group) {
        const struct wk_proc *p = wk_proc_find(c->k, id);
        return p && p->state != WK_PROC_ZOMBIE;
    }
    for (const struct wk_proc *p = NULL; (p = wk_proc_next(c->k, p ? p->pid : 0));)
        if (p->pgid == id && p->state != WK_PROC_ZOMBIE && p != c->proc && p != c->k->init)
            return true;
    return false;
}

static void wait_for_all(struct killall *k)
{
    for (size_t i = 0; i < k->nsent;) {
        if (is_alive(k->c, k->sent[i], k->o->group))
            wk_cmd_sleep(k->c, INT64_C(20000000));
        else
            i++;
    }
}

/* ---- the command */

static int killall_main(struct wk_cmd *c)
{
    struct killall k = {.c = c, .o = (const struct killall_opts *)c->opts};
    if (k.o->list)
        list_signals(c);
    k.sig = k.o->signal ? k.o->signal - 1 : WK_SIGTERM;
    if (!c->nargs && !k.o->user && !k.o->context)
        usage(c, NULL);
    read_names(&k);
    wk_proctable_read(c, &k.table);
    k.sent = wk_new_n(c, uint32_t, k.table.n + 1);
    for (size_t i = 0; i < k.table.n; i++) {
        int name = fits(&k, &k.table.v[i]) ? name_of(&k, &k.table.v[i]) : -1;
        if (name >= 0)
            send(&k, &k.table.v[i], name);
        wk_tick(c, 8);
    }
    (void)wk_out_flush(c->out);
    bool all = true;
    for (int i = 0; i < c->nargs; i++) {
        if (!k.found[i] && !k.o->quiet)
            wk_out_fmt(c->err, "%s: no process found\n", c->args[i]);
        all = all && k.found[i];
    }
    if (!c->nargs)
        all = k.found[0];
    if (k.o->wait)
        wait_for_all(&k);
    return all ? 0 : 1;
}

/* -SIG: a word in capitals, or a number. */
static int signal_word(struct wk_cmd *c, int at)
{
    struct killall_opts *o = (struct killall_opts *)c->opts;
    const char *word = c->argv[at];
    unsigned char first = (unsigned char)word[1];
    if (word[0] != '-' || !(wk_is_digit(first) || wk_is_upper(first)) ||
        (strchr("IVZ", first) && !word[2]) || (first == 'Z' && word[2]))
        return 0;
    o->signal = read_signal(c, word + 1) + 1;
    return 1;
}

static const struct wk_opt killall_options[] = {
    WK_FLAG(struct killall_opts, exact, 'e', "exact",
            "long names have to be the same to the end: they always have"),
    WK_FLAG(struct killall_opts, ignore_case, 'I', "ignore-case",
            "upper and lower case are the same"),
    WK_FLAG(struct killall_opts, group, 'g', "process-group",
            "the process groups of those that match"),
    WK_FUNC_OPT(take, 'y', 'y', "younger-than", "TIME", "only those younger than TIME"),
    WK_FUNC_OPT(take, 'o', 'o', "older-than", "TIME", "only those older than TIME"),
    WK_FLAG(struct killall_opts, interactive, 'i', "interactive", "ask first"),
    WK_FLAG(struct killall_opts, list, 'l', "list", "list the names of signals"),
    WK_FLAG(struct killall_opts, quiet, 'q', "quiet", "say nothing of names that nobody has"),
    WK_FLAG(struct killall_opts, regexp, 'r', "regexp", "names are extended regular expressions"),
    WK_FUNC_OPT(take, 's', 's', "signal", "SIGNAL", "send this instead of TERM; also -SIGNAL"),
    WK_FUNC_OPT(take, 'u', 'u', "user", "USER", "only those of USER"),
    WK_FLAG(struct killall_opts, verbose, 'v', "verbose", "tell which got the signal"),
    WK_FLAG(struct killall_opts, wait, 'w', "wait", "wait until they have ended"),
    WK_FUNC_OPT(take, 'n', 'n', "ns", "PID", "in the namespaces of PID: all are"),
    WK_STR_OPT(struct killall_opts, context, 'Z', "context", "REGEXP",
               "with such a security context: not looked at"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "what --version prints"),
    WK_OPTS_END,
};

WK_COMMAND(killall, .summary = "send a signal to processes by name",
           .usage = "killall [OPTION]... [--] NAME...", .std = "psmisc 23.6",
           .opts = killall_options, .opts_size = sizeof(struct killall_opts),
           .old_style = signal_word, .help = "TIME is a number with a unit: s m h d w M y.\n");
