/* pgrep.c - look for processes by name and more, list or signal them (pgrep, pkill)
 *
 * Standard: procps 4.0.2. Oracle: pgrep, pkill.
 * Differs:  docs/divergences/pgrep.md
 */
#include "base/fnum.h"
#include "base/num.h"
#include "builtins/idnames.h"
#include "builtins/proctable.h"
#include "builtins/regex.h"
#include "kern/filelock.h"

struct pgrep_opts {
    const char *delimiter, *older, *parents, *groups, *sessions, *ttys, *euids, *uids, *gids,
        *states;
    const char *pidfile, *cgroups, *namespace_pid, *namespaces, *signal;
    const char *queue;
    bool list, list_full, threads, count, full, exact, locked, no_ancestors, echo;
    int newest, oldest, inverse, ignore_case;
};

struct ids {
    size_t n;
    uint32_t *v;
};

struct pgrep {
    struct wk_cmd *c;
    const struct pgrep_opts *o;
    struct wk_idnames *names;
    struct wk_proctable table;
    const struct wk_procinfo *self;
    bool criteria;
    struct ids parents, groups, sessions, euids, uids, gids, pids;
    double older;
    const char **ttys;
    struct wk_re *re;
    struct wk_re_run run;
};

static WK_NORETURN void usage(struct wk_cmd *c)
{
    wk_out_fmt(c->err, "\nUsage:\n %s\n", c->command->usage);
    wk_exit(c, 2);
}

static WK_NORETURN void refuse(struct wk_cmd *c, int status, const char *text)
{
    wk_out_fmt(c->err, "%s: %s\nTry `%s --help' for more information.\n", c->name, text, c->name);
    wk_exit(c, status);
}

/* ---- criteria */

typedef uint32_t reader(struct pgrep *g, const char *text);

static bool plain_number(const char *text, int64_t *v)
{
    return *text && wk_parse_i64(wk_str_c(text), 10, v) == 0;
}

static uint32_t read_number(struct pgrep *g, const char *text)
{
    int64_t v;
    if (!plain_number(text, &v))
        wk_fail(g->c, 2, "not a number: %s", text);
    return (uint32_t)v;
}

static uint32_t read_group(struct pgrep *g, const char *text)
{
    int64_t v;
    if (!plain_number(text, &v))
        wk_fail(g->c, 2, "invalid process group: %s", text);
    return v ? (uint32_t)v : g->self->pgid;
}

static uint32_t read_session(struct pgrep *g, const char *text)
{
    int64_t v;
    if (!plain_number(text, &v))
        wk_fail(g->c, 2, "invalid session id: %s", text);
    return v ? (uint32_t)v : g->self->sid;
}

static uint32_t read_user(struct pgrep *g, const char *text)
{
    uint32_t id;
    if (!wk_user_id(g->names, text, true, &id))
        wk_fail(g->c, 2, "invalid user name: %s", text);
    return id;
}

static uint32_t read_gid(struct pgrep *g, const char *text)
{
    uint32_t id;
    if (!wk_group_id(g->names, text, true, &id))
        wk_fail(g->c, 2, "invalid group name: %s", text);
    return id;
}

static const char **split(struct wk_cmd *c, const char *text, size_t *n)
{
    char *copy = wk_dup(c, text);
    const char **v = wk_new_n(c, const char *, strlen(text) + 2);
    *n = 0;
    for (char *p = copy;; p++) {
        size_t len = strcspn(p, ",");
        bool more = p[len] == ',';
        p[len] = '\0';
        if (len)
            v[(*n)++] = p;
        if (!more)
            return v;
        p += len;
    }
}

static void read_ids(struct pgrep *g, struct ids *out, const char *text, reader *read)
{
    if (!text)
        return;
    const char **words = split(g->c, text, &out->n);
    out->v = wk_new_n(g->c, uint32_t, out->n + 1);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = read(g, words[i]);
    g->criteria = true;
    if (!out->n)
        usage(g->c);
}

/* The number in a file, which somebody has locked if -L says so; 0: it is not one. */
static uint32_t read_pidfile(struct pgrep *g)
{
    struct wk_file *f;
    if (wk_cmd_open(g->c, g->o->pidfile, WK_O_RDONLY, 0, &f))
        return 0;
    if (g->o->locked && !wk_filelock_held(f))
        return 0;
    char text[32];
    struct wk_in *in = wk_in_of(g->c, f, g->o->pidfile);
    size_t n = wk_in_read(in, text, sizeof text - 1);
    text[n] = '\0';
    const char *p = text;
    while (wk_is_space((unsigned char)*p))
        p++;
    int64_t v;
    int err;
    size_t used = wk_scan_i64(wk_str_c(p), 10, &v, &err);
    bool ends = used && (!p[used] || wk_is_space((unsigned char)p[used]));
    return ends && !err && v > 0 && v <= INT32_MAX ? (uint32_t)v : 0;
}

static void check_namespaces(struct pgrep *g)
{
    static const char *const known[] = {"ipc",  "mnt", "net",    "pid",
                                        "user", "uts", "cgroup", "time"};
    size_t n = 0;
    const char **v = g->o->namespaces ? split(g->c, g->o->namespaces, &n) : NULL;
    for (size_t i = 0; i < n; i++) {
        bool found = false;
        for (size_t k = 0; k < WK_COUNTOF(known); k++)
            found = found || strcmp(v[i], known[k]) == 0;
        if (!found)
            wk_exit(g->c, 2);
    }
}

static void compile(struct pgrep *g, const char *pattern)
{
    struct wk_re_error err;
    unsigned flags = WK_RE_EXTENDED | (g->o->ignore_case ? WK_RE_ICASE : 0U) |
                     (wk_cmd_utf8(g->c) ? 0U : WK_RE_BYTES);
    const char *text = g->o->exact ? wk_strf(g->c, "^(%s)$", pattern) : pattern;
    g->re = wk_cmd_re(g->c, wk_str_c(text), flags, &err);
    if (!g->re)
        wk_fail(g->c, 2, "regex error: %s", err.text);
    g->run = wk_cmd_re_run(g->c);
}

static void read_criteria(struct pgrep *g)
{
    const struct pgrep_opts *o = g->o;
    struct wk_cmd *c = g->c;
    size_t n;
    read_ids(g, &g->parents, o->parents, read_number);
    read_ids(g, &g->groups, o->groups, read_group);
    read_ids(g, &g->sessions, o->sessions, read_session);
    read_ids(g, &g->euids, o->euids, read_user);
    read_ids(g, &g->uids, o->uids, read_user);
    read_ids(g, &g->gids, o->gids, read_gid);
    check_namespaces(g);
    if (o->ttys)
        g->ttys = split(c, o->ttys, &n);
    g->criteria = g->criteria || o->ttys || o->states || o->cgroups || o->namespace_pid ||
                  o->older || o->newest || o->oldest;
    if (o->older)
        (void)wk_scan_double(wk_str_c(o->older), &g->older, &(int){0});
    if (o->ignore_case > 1)
        wk_cmd_about(c, false);
    if (o->inverse > 1 || o->newest + o->oldest > 1 || ((o->newest || o->oldest) && o->inverse))
        usage(c);
    if (o->locked && !o->pidfile)
        refuse(c, 2, "-L without -F makes no sense");
    if (o->pidfile) {
        uint32_t pid = read_pidfile(g);
        if (!pid)
            refuse(c, 1, "pidfile not valid");
        g->pids = (struct ids){1, wk_new(c, uint32_t)};
        g->pids.v[0] = pid;
        g->criteria = true;
    }
    if (c->nargs > 1)
        refuse(c, 2, "only one pattern can be provided");
    if (!c->nargs && !g->criteria)
        refuse(c, 2, "no matching criteria specified");
    if (c->nargs)
        compile(g, c->args[0]);
}

/* ---- matching */

static bool fits(const struct ids *ids, uint32_t id)
{
    for (size_t i = 0; i < ids->n; i++)
        if (ids->v[i] == id)
            return true;
    return !ids->v;
}

static bool fits_tty(struct pgrep *g, const struct wk_procinfo *p)
{
    const char *name = wk_proc_tty(g->c, p->tty);
    for (size_t i = 0; g->ttys && g->ttys[i]; i++)
        if (strcmp(g->ttys[i], name) == 0)
            return true;
    return !g->ttys;
}

static bool is_ancestor(struct pgrep *g, const struct wk_procinfo *p)
{
    uint32_t at = g->self->ppid;
    for (size_t i = 0; i < g->table.n && at; i++) {
        if (at == p->pid)
            return true;
        size_t k = 0;
        while (k < g->table.n && g->table.v[k].pid != at)
            k++;
        at = k < g->table.n ? g->table.v[k].ppid : 0;
    }
    return false;
}

/* There is one set of namespaces: who exists is in it. */
static bool fits_namespace(struct pgrep *g)
{
    int64_t pid;
    if (!g->o->namespace_pid)
        return true;
    if (!plain_number(g->o->namespace_pid, &pid))
        return false;
    for (size_t i = 0; i < g->table.n; i++)
        if ((int64_t)g->table.v[i].pid == pid)
            return true;
    return false;
}

static bool fits_name(struct pgrep *g, const struct wk_procinfo *p)
{
    if (!g->re)
        return true;
    char *text = g->o->full ? wk_proc_words(g->c, p) : wk_dup(g->c, p->comm);
    bool fits = wk_cmd_re_search(g->c, g->re, &g->run, wk_str_c(text), 0, NULL, 0, 3);
    wk_heap_free(g->c->heap, text);
    return fits;
}

static bool fits_all(struct pgrep *g, const struct wk_procinfo *p)
{
    const struct pgrep_opts *o = g->o;
    double age =
        g->table.uptime_cs > p->start ? (double)(g->table.uptime_cs - p->start) / WK_PROC_HZ : 0;
    bool fit = fits(&g->parents, p->ppid) && fits(&g->groups, p->pgid) &&
               fits(&g->sessions, p->sid) && fits(&g->euids, p->uid[1]) &&
               fits(&g->uids, p->uid[0]) && fits(&g->gids, p->gid[0]) && fits(&g->pids, p->pid) &&
               fits_tty(g, p) && fits_namespace(g) && !o->cgroups &&
               (!o->states || strchr(o->states, p->state)) && (!o->older || age >= g->older);
    return (fit && fits_name(g, p)) != o->inverse;
}

static const struct wk_procinfo **choose(struct pgrep *g, size_t *n)
{
    const struct wk_procinfo **v = wk_new_n(g->c, const struct wk_procinfo *, g->table.n + 1);
    *n = 0;
    for (size_t i = 0; i < g->table.n; i++) {
        const struct wk_procinfo *p = &g->table.v[i];
        if (p == g->self || (g->o->no_ancestors && is_ancestor(g, p)) || !fits_all(g, p))
            continue;
        bool single = (g->o->newest || g->o->oldest) && *n;
        if (single && (g->o->newest ? p->start >= v[0]->start : p->start < v[0]->start))
            v[0] = p;
        else if (!single)
            v[(*n)++] = p;
    }
    return v;
}

/* ---- the two commands */

static void list(struct pgrep *g, const struct wk_procinfo **v, size_t n)
{
    struct wk_out *out = g->c->out;
    const char *between = g->o->delimiter ? g->o->delimiter : "\n";
    for (size_t i = 0; i < n; i++) {
        wk_out_u64(out, v[i]->pid);
        if (g->o->list_full) {
            char *words = wk_proc_words(g->c, v[i]);
            wk_out_fmt(out, " %s", words);
            wk_heap_free(g->c->heap, words);
        } else if (g->o->list) {
            wk_out_fmt(out, " %s", v[i]->comm);
        }
        wk_out_c(out, i + 1 < n ? between : "\n");
    }
}

/* Without a pattern nobody has asked for the name. */
static void tell_killed(struct pgrep *g, const struct wk_procinfo *p)
{
    char *words = g->o->list_full ? wk_proc_words(g->c, p) : NULL;
    const char *name = words ? words : g->c->nargs || g->o->list ? p->comm : "";
    wk_out_fmt(g->c->out, "%s killed (pid %u)\n", name, p->pid);
    wk_heap_free(g->c->heap, words);
}

static bool send(struct pgrep *g, const struct wk_procinfo **v, size_t n)
{
    int sig = WK_SIGTERM;
    bool sent = false;
    if (g->o->signal)
        sig = *g->o->signal ? wk_sig_parse(wk_str_c(g->o->signal)) : -1;
    for (size_t i = 0; i < n; i++) {
        int r = wk_kill(g->c->k, g->c->proc, v[i]->pid, sig);
        if (!r) {
            sent = true;
            if (g->o->echo)
                tell_killed(g, v[i]);
        } else if (r != -WK_ESRCH) {
            wk_out_fmt(g->c->err, "%s: killing pid %u failed: %s\n", g->c->name, v[i]->pid,
                       wk_err_text(-r));
        }
    }
    return sent;
}

static int run(struct wk_cmd *c, bool kill)
{
    struct pgrep *g = wk_new(c, struct pgrep);
    *g =
        (struct pgrep){.c = c, .o = (const struct pgrep_opts *)c->opts, .names = wk_idnames_new(c)};
    wk_proctable_read(c, &g->table);
    for (size_t i = 0; i < g->table.n; i++)
        if (g->table.v[i].pid == c->proc->pid)
            g->self = &g->table.v[i];
    if (!g->self)
        wk_fail(c, 3, "this process is not in /proc");
    read_criteria(g);
    size_t n;
    const struct wk_procinfo **v = choose(g, &n);
    if (!n && c->nargs && !g->o->full && strlen(c->args[0]) > 15)
        wk_out_fmt(c->err,
                   "%s: pattern that searches for process name longer than 15 characters will "
                   "result in zero "
                   "matches\nTry `%s -f' option to match against the complete command line.\n",
                   c->name, c->name);
    bool done = n > 0;
    if (kill)
        done = send(g, v, n);
    if (g->o->count)
        wk_out_fmt(c->out, "%zu\n", n);
    else if (!kill && n)
        list(g, v, n);
    return done ? 0 : 1;
}

static int pgrep_main(struct wk_cmd *c)
{
    return run(c, false);
}

static int pkill_main(struct wk_cmd *c)
{
    return run(c, true);
}

/* -SIG: the first such word. */
static int signal_word(struct wk_cmd *c, int at)
{
    struct pgrep_opts *o = (struct pgrep_opts *)c->opts;
    const char *word = c->argv[at];
    if (word[0] != '-' || !wk_is_alnum((unsigned char)word[1]) || o->signal ||
        strcmp(word, "-EXIT") == 0 || wk_sig_parse(wk_str_c(word + 1)) < 0)
        return 0;
    o->signal = word + 1;
    return 1;
}

#define COMMON                                                                                     \
    WK_FLAG(struct pgrep_opts, count, 'c', "count", "print how many there are"),                   \
        WK_FLAG(struct pgrep_opts, full, 'f', "full", "match the whole command line"),             \
        WK_STR_OPT(struct pgrep_opts, groups, 'g', "pgroup", "PGID,...",                           \
                   "in these process groups; 0: its own"),                                         \
        WK_STR_OPT(struct pgrep_opts, gids, 'G', "group", "GID,...", "of these real groups"),      \
        WK_COUNT_OPT(struct pgrep_opts, ignore_case, 'i', "ignore-case",                           \
                     "upper and lower case are the same"),                                         \
        WK_COUNT_OPT(struct pgrep_opts, newest, 'n', "newest", "only the one that started last"),  \
        WK_COUNT_OPT(struct pgrep_opts, oldest, 'o', "oldest", "only the one that started first"), \
        WK_STR_OPT(struct pgrep_opts, older, 'O', "older", "SECONDS",                              \
                   "that have run for so long"),                                                   \
        WK_STR_OPT(struct pgrep_opts, parents, 'P', "parent", "PPID,...", "children of these"),    \
        WK_STR_OPT(struct pgrep_opts, sessions, 's', "session", "SID,...",                         \
                   "in these sessions; 0: its own"),                                               \
        WK_STR_OPT(struct pgrep_opts, ttys, 't', "terminal", "TTY,...", "of these terminals"),     \
        WK_STR_OPT(struct pgrep_opts, euids, 'u', "euid", "ID,...", "of these effective users"),   \
        WK_STR_OPT(struct pgrep_opts, uids, 'U', "uid", "ID,...", "of these real users"),          \
        WK_FLAG(struct pgrep_opts, exact, 'x', "exact", "the pattern is the whole name"),          \
        WK_STR_OPT(struct pgrep_opts, pidfile, 'F', "pidfile", "FILE",                             \
                   "the process whose number is in FILE"),                                         \
        WK_FLAG(struct pgrep_opts, locked, 'L', "logpidfile", "... which has to be locked"),       \
        WK_STR_OPT(struct pgrep_opts, states, 'r', "runstates", "STATE",                           \
                   "in these states: D,R,S,T,Z"),                                                  \
        WK_FLAG(struct pgrep_opts, no_ancestors, 'A', "ignore-ancestors",                          \
                "not those that it descends from"),                                                \
        WK_STR_OPT(struct pgrep_opts, cgroups, 0, "cgroup", "GRP,...",                             \
                   "in these control groups: there are none"),                                     \
        WK_STR_OPT(struct pgrep_opts, namespace_pid, 0, "ns", "PID",                               \
                   "in the namespaces of PID: all are"),                                           \
        WK_STR_OPT(struct pgrep_opts, namespaces, 0, "nslist", "NS,...",                           \
                   "the namespaces that --ns compares"),                                           \
        WK_STR_OPT(struct pgrep_opts, signal, 0, "signal", "SIG", "the signal to send (pkill)"),   \
        WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "what --help prints"),                       \
        WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "what --version prints")

static const struct wk_opt pgrep_options[] = {
    WK_STR_OPT(struct pgrep_opts, delimiter, 'd', "delimiter", "STRING",
               "stands between the numbers"),
    WK_FLAG(struct pgrep_opts, list, 'l', "list-name", "print names, too"),
    WK_FLAG(struct pgrep_opts, list_full, 'a', "list-full", "print command lines, too"),
    WK_COUNT_OPT(struct pgrep_opts, inverse, 'v', "inverse", "those that do not match"),
    WK_FLAG(struct pgrep_opts, threads, 'w', "lightweight", "all threads: each process has one"),
    COMMON,
    WK_FLAG(struct pgrep_opts, echo, 0, "echo", "nothing: it is of pkill"),
    WK_STR_OPT(struct pgrep_opts, queue, 0, "queue", "VALUE", "the same"),
    WK_OPTS_END,
};

static const struct wk_opt pkill_options[] = {
    WK_FLAG(struct pgrep_opts, echo, 'e', "echo", "tell what is killed"),
    WK_STR_OPT(struct pgrep_opts, queue, 'q', "queue", "VALUE",
               "goes with the signal: nothing here receives it"),
    WK_COUNT_OPT(struct pgrep_opts, inverse, 0, "inverse", "those that do not match"),
    COMMON,
    WK_FLAG(struct pgrep_opts, list, 0, "list-name", "-e tells names also without a pattern"),
    WK_FLAG(struct pgrep_opts, list_full, 0, "list-full", "-e tells command lines"),
    WK_FLAG(struct pgrep_opts, threads, 0, "lightweight", "nothing: it is of pgrep"),
    WK_STR_OPT(struct pgrep_opts, delimiter, 0, "delimiter", "STRING", "the same"),
    WK_OPTS_END,
};

WK_COMMAND(pgrep, .summary = "list the processes that match", .usage = "pgrep [options] <pattern>",
           .std = "procps 4.0.2", .opts = pgrep_options, .opts_size = sizeof(struct pgrep_opts),
           .usage_status = 2);

WK_COMMAND(pkill, .summary = "send a signal to the processes that match",
           .usage = "pkill [options] <pattern>", .std = "procps 4.0.2", .opts = pkill_options,
           .opts_size = sizeof(struct pgrep_opts), .usage_status = 2, .old_style = signal_word,
           .help = "-SIG is the signal to send: its name or number.\n");
