/* fork.c - a new session with the same files, shell state, user and limits
 *
 * The files are a snapshot. The shell's state goes over as a script that declares it anew, since
 * the two sessions share no memory: variables, functions, directory, mask. The rest is copied.
 */
#include "api/internal.h"
#include "builtins/shell/declaration.h"
#include "interp/alias.h"
#include "interp/expand.h"
#include "interp/trap.h"

/* Variables that a shell makes for itself. */
static bool is_own(struct wk_str name, const struct wk_var *v)
{
    static const char *const own[] = {
        "BASH",          "BASHOPTS",     "BASHPID",     "BASH_ALIASES",
        "BASH_ARGC",     "BASH_ARGV",    "BASH_ARGV0",  "BASH_CMDS",
        "BASH_COMMAND",  "BASH_LINENO",  "BASH_SOURCE", "BASH_SUBSHELL",
        "BASH_VERSINFO", "BASH_VERSION", "DIRSTACK",    "EUID",
        "FUNCNAME",      "GROUPS",       "PIPESTATUS",  "PPID",
        "PWD",           "SHELLOPTS",    "UID",         "_"};
    if (v->flags & (WK_VAR_DYNAMIC | WK_VAR_NOASSIGN))
        return true;
    for (size_t i = 0; i < WK_COUNTOF(own); i++)
        if (wk_str_is(name, own[i]))
            return true;
    return false;
}

static int put_variables(struct wk_shell *sh, struct wk_buf *b)
{
    uint32_t *names;
    size_t n;
    int r = wk_vars_names(sh, wk_str(NULL, 0), true, &names, &n);
    for (size_t i = 0; !r && i < n; i++) {
        const struct wk_var *v = wk_var_peek(sh, names[i]);
        if (!v || is_own(wk_names_str(sh->names, names[i]), v))
            continue;
        r = wk_var_print_declare(sh, names[i], b);
        wk_buf_putc(b, '\n');
    }
    return r;
}

struct describe {
    whelk_session *s;
    struct wk_buf *b;
    int err;
    bool done;
};

/* Runs on a task: printing needs the shell's stack and arena. */
static void describe_main(struct wk_task *t)
{
    struct describe *d = t->arg;
    struct wk_shell *sh = d->s->shell;
    sh->task = t;
    d->err = put_variables(sh, d->b);
    /* Before the functions, one of which may be called cd. */
    if (sh->st->cwd) {
        wk_buf_put_c(d->b, "cd -- ");
        wk_quote_single(d->b, wk_val_str(sh->st->cwd), sh->st->bytes);
        wk_buf_putc(d->b, '\n');
    }
    wk_buf_fmt(d->b, "umask %04o\n", sh->proc->cred.umask);
    if (!d->err)
        d->err = wk_list_functions(sh, WK_LIST_DECLARATIONS, NULL, 0, d->b);
    wk_arena_release(&sh->arena);
    d->s->proc->task = NULL;
    d->done = true;
}

static int describe_shell(whelk_session *s, struct wk_buf *b)
{
    struct describe d = {.s = s, .b = b};
    struct wk_task *t;
    if (!s->shell)
        return 0;
    int r = wk_task_new(&s->kern, s->proc, false, describe_main, &d, &t);
    if (r)
        return r;
    s->proc->task = t;
    while (!d.done && wk_sched_run(&s->kern, t, 0, 0) == WK_SCHED_READY)
        continue;
    return d.err ? d.err : b->failed ? -WK_ENOMEM : 0;
}

/* Aliases, traps, options and $? are set, not replayed: a DEBUG or ERR trap, `set -e` or an alias
 * would act on the replay itself. */
static int copy_state(const struct wk_shell *from, struct wk_shell *to)
{
    int r = wk_alias_copy(from, to);
    for (int i = 0; !r && i < WK_TRAP_COUNT; i++) {
        const struct wk_val *text = wk_trap_get(from, i);
        if (text)
            r = wk_trap_set(to, i, wk_val_str(text));
    }
    to->st->options = from->st->options;
    to->st->shopts = from->st->shopts;
    to->status = from->status;
    return r;
}

static int replay(whelk_session *twin, const struct wk_shell *from, const struct wk_buf *b)
{
    const whelk_result *result;
    int r = b->failed ? WHELK_E_NOMEM : whelk_exec(twin, wk_buf_c(b), &result);
    wk_buf_reset(&twin->out);
    wk_buf_reset(&twin->err);
    return r ? r : twin->shell ? wk_api_error(copy_state(from, twin->shell)) : WHELK_E_NOMEM;
}

static int open_twin(whelk_session *s, const whelk_snapshot *snap, whelk_session **out)
{
    const struct wk_limits *l = &s->limits;
    whelk_limits limits = {.size = sizeof limits,
                           .memory_bytes = l->memory,
                           .time_ns = l->time_ns,
                           .steps = l->steps,
                           .output_bytes = l->output,
                           .tasks = l->tasks,
                           .descriptors = l->fds,
                           .depth = l->depth,
                           .nesting = l->nesting,
                           .expansion_bytes = l->expansion,
                           .regex_steps = l->regex,
                           .file_bytes = l->file_bytes,
                           .files = l->files,
                           .file_size = l->file_size};
    whelk_session_options o;
    whelk_session_options_init(&o);
    o.from = snap;
    o.limits = &limits;
    o.user = s->kern.user;
    o.uid = s->kern.uid;
    o.gid = s->kern.gid;
    o.hostname = s->kern.hostname;
    o.clock = (int)s->kern.clock.kind;
    if (s->kern.clock.kind != WK_CLOCK_REAL)
        o.clock_start_ns = wk_clock_realtime(&s->kern.clock);
    o.seed = wk_kern_random(&s->kern) | 1;
    o.umask = s->proc->cred.umask;
    o.cwd = "/";
    o.env = s->proc->env->v;
    o.n_env = s->proc->env->n;
    o.mounts = s->mounts;
    o.n_mounts = s->n_mounts;
    return whelk_session_open(s->rt, &o, out);
}

int whelk_session_fork(whelk_session *s, whelk_session **out)
{
    whelk_snapshot *snap = NULL;
    struct wk_buf b;
    if (!s || !out)
        return WHELK_E_INVALID;
    *out = NULL;
    if (s->callback_depth || s->run)
        return WHELK_E_BUSY;
    wk_buf_init(&b, s->mem, SIZE_MAX / 2);
    int r = wk_api_error(describe_shell(s, &b));
    if (!r)
        r = whelk_snapshot_take(s, &snap);
    if (!r)
        r = open_twin(s, snap, out);
    whelk_snapshot_free(snap);
    for (enum wk_rlimit i = 0; !r && s->proc->rlimits && i < WK_RLIMIT_COUNT; i++)
        r = wk_api_error(wk_rlimit_set((*out)->proc, i, s->proc->rlimits->v[i]));
    if (!r)
        r = wk_delegations_copy(s, *out);
    if (!r && s->shell)
        r = replay(*out, s->shell, &b);
    wk_buf_release(&b);
    if (r && *out) {
        whelk_session_close(*out);
        *out = NULL;
    }
    return r;
}
