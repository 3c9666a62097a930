/* delegate.c - a delegated command from its start to its status; what a session delegates */
#include "adapters/delegate/delegate_box.h"

#include "vfs/vfs.h"

enum { STATUS_LOST = 125, STATUS_REFUSED = 126, STATUS_NOT_FOUND = 127 };

static const char *const usual_left_out[] = {"__pycache__", "node_modules", ".venv", ".cache"};

/* ---- signals ----------------------------------------------------------------------------------------------- */

static void queue_signal(struct wk_delegated *x, int sig, int scope)
{
    for (size_t i = 0; i < x->n_signals; i++)
        if (x->signals[i].signal == sig && x->signals[i].scope == scope && i + 1 == x->n_signals)
            return;
    if (x->n_signals == WK_DELEGATE_SIGNALS)
        return;
    x->signals[x->n_signals].signal = (uint8_t)sig;
    x->signals[x->n_signals++].scope = (uint8_t)scope;
}

/* A signal to the command is one to the process: what it would not do by itself is done here. */
static void take_signal(struct wk_proc *p, int sig, bool group)
{
    struct wk_delegated *x = p->user;
    bool certain = sig == WK_SIGKILL || sig == WK_SIGSTOP;
    if (!x || x->state >= WK_DELEGATED_ENDED) {
        if (x && sig == WK_SIGKILL) { /* what is left to do is files */
            x->killed_by = WK_SIGKILL;
            wk_delegated_news(x);
        }
        return;
    }
    if (!certain && (p->sig_ignored & WK_SIGBIT(sig) || wk_sig_is_nameless(sig)))
        return;
    if (sig == WK_SIGPIPE && (x->out[0].writing || x->out[1].writing))
        return;
    enum wk_sig_default action = wk_sig_default_action(sig);
    if (sig == WK_SIGKILL)
        x->kill_due = wk_clock_host(&p->k->clock) + WK_DELEGATE_KILL_NS;
    if (action == WK_SIG_STOP || action == WK_SIG_CONT)
        wk_proc_foreign_stopped(p, action == WK_SIG_STOP);
    if (x->state == WK_DELEGATED_NEW) {
        if (action == WK_SIG_TERM)
            x->killed_by = (uint8_t)sig;
        wk_delegated_news(x);
        return;
    }
    queue_signal(x, sig, sig == WK_SIGKILL ? WHELK_SCOPE_TREE : group ? WHELK_SCOPE_GROUP : WHELK_SCOPE_LEADER);
    wk_delegate_post(x->d);
}

/* ---- starting ---------------------------------------------------------------------------------------------- */

/* What start needs, made by the task. */
struct beginning {
    const char *name, *cwd;
    const char *const *argv, *const *more;
    size_t n_more;
    int code;
};

/* Limits that the process was given by ulimit. */
static void set_limits(whelk_spec *spec, const struct wk_proc *p)
{
    const struct wk_rlimits *l = p->rlimits;
    static const uint64_t none = WK_RLIM_INFINITY;
    if (!l)
        return;
    uint64_t cpu = l->v[WK_RLIMIT_CPU].soft, size = l->v[WK_RLIMIT_FSIZE].soft, fds = l->v[WK_RLIMIT_NOFILE].soft;
    spec->cpu_seconds = cpu == none ? 0 : WK_MAX(cpu, (uint64_t)1);
    spec->file_bytes = size == none ? 0 : WK_MAX(size, (uint64_t)1);
    spec->descriptors = fds == none || fds > INT32_MAX ? 0 : fds;
}

static void perform_start(struct wk_delegated *x)
{
    struct beginning *b = x->start;
    struct whelk_sandbox *box = x->d->box;
    whelk_spec spec = {.size = sizeof spec,
                       .argv = b->argv,
                       .cwd = b->cwd,
                       .uid = UINT32_MAX,
                       .gid = UINT32_MAX,
                       .umask = x->proc->cred.umask};
    spec.flags = (x->has_input ? WHELK_SPEC_INPUT : 0) | (x->merged ? WHELK_SPEC_MERGED : 0);
    set_limits(&spec, x->proc);
    if (box->options.user)
        (void)wk_sandbox_user(box->options.user, &spec.uid, &spec.gid);
    char **env = wk_sandbox_env(box, b->name, b->more, b->n_more, NULL, 0);
    if (!env) {
        b->code = WHELK_E_NOMEM;
        return;
    }
    spec.env = (const char *const *)env;
    x->id = wk_sandbox_id(box);
    x->known = true;
    x->state = WK_DELEGATED_ASKED;
    b->code = box->kind->start(box->box, x->id, &spec, &wk_delegated_events, x);
    if (b->code != WHELK_OK) {
        x->known = false;
        x->state = WK_DELEGATED_NEW;
    }
    wk_free(box->mem, env);
}

/* What came through <(…) or >(…) is a pipe of the session's, which no process of the box can open. */
static const char *find_pipe_argument(struct wk_cmd *c)
{
    for (int i = 1; i < c->argc; i++)
        if (strncmp(c->argv[i], "/dev/fd/", 8) == 0 && wk_is_digit((unsigned char)c->argv[i][8]) &&
            strcmp(c->argv[i] + 8, "0") != 0 && strcmp(c->argv[i] + 8, "1") != 0 && strcmp(c->argv[i] + 8, "2") != 0)
            return c->argv[i];
    return NULL;
}

/* Where the box has files of the session, for people. */
static const char *places(struct wk_cmd *c, const struct wk_delegate *d)
{
    return d->n_dirs > 1 ? wk_strf(c, "%s and %s are", d->dirs[0].here, d->dirs[1].here)
                         : wk_strf(c, "%s is", d->dirs[0].here);
}

/* The directory it runs in, as the box has it; ends the command when there is none. */
static const char *find_cwd(struct wk_cmd *c, const struct wk_delegate *d)
{
    const char *here, *there = wk_delegate_cwd(c, d, &here);
    const char *kind = wk_delegate_kind(d);
    if (!here)
        wk_fail(c, STATUS_REFUSED, "the working directory is gone");
    if (!there)
        wk_fail(c, STATUS_REFUSED, "the working directory %s is not in the %s sandbox: only %s", here, kind,
                places(c, d));
    return there;
}

/* ---- ends -------------------------------------------------------------------------------------------------- */

/* It was killed, or its box is gone, before there was a process, or with it. */
static WK_NORETURN void end_early(struct wk_cmd *c, struct wk_delegated *x)
{
    if (x->killed_by || x->kill_due != WK_FOREVER)
        wk_exit_by(c, x->killed_by ? x->killed_by : WK_SIGKILL);
    wk_fail(c, STATUS_LOST, "the %s sandbox %s%s%s", wk_delegate_kind(x->d),
            wk_delegate_is_lost(x->d) ? "was lost" : "does not answer", x->words && *x->words ? ": " : "",
            x->words ? x->words : "");
}

static WK_NORETURN void end_not_started(struct wk_cmd *c, struct wk_delegated *x, int code)
{
    const char *kind = wk_delegate_kind(x->d), *words = x->words && *x->words ? x->words : whelk_strerror(code);
    if (code == WHELK_E_CLOSED)
        end_early(c, x);
    int status = code == WHELK_E_NOENT ? STATUS_NOT_FOUND : STATUS_REFUSED;
    wk_fail(c, status, "cannot be started in the %s sandbox: %s", kind, words);
}

/* ---- files ------------------------------------------------------------------------------------------------- */

/* Names that stay behind are said once, not at every command. */
static bool is_news(struct wk_delegate *d, const char *path)
{
    bool made = false;
    if (d->told.count > 1000)
        wk_map_release(&d->told);
    void **at = wk_map_put(&d->told, wk_str_c(path), &made);
    if (at)
        *at = d;
    return made || !at;
}

static void report_skipped(struct wk_cmd *c, struct wk_delegate *d, const struct wk_mirror_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (is_news(d, names->v[i].path))
            wk_msg(c, "%s: not kept in step: %s", names->v[i].path, names->v[i].text);
    if (names->total > names->n && is_news(d, ""))
        wk_msg(c, "%llu more files are not kept in step", (unsigned long long)(names->total - names->n));
}

static void report(struct wk_cmd *c, struct wk_delegated *x, const struct wk_mirror_result *r)
{
    const struct wk_mirror_names *conflicts = &r->conflicts;
    for (size_t i = 0; i < conflicts->n; i++)
        wk_msg(c, "%s: changed on both sides: the session's is kept as %s", conflicts->v[i].path, conflicts->v[i].text);
    if (conflicts->total > conflicts->n)
        wk_msg(c, "%llu more files were changed on both sides", (unsigned long long)(conflicts->total - conflicts->n));
    report_skipped(c, x->d, &r->skipped);
}

static bool others_run(const struct wk_delegated *x)
{
    for (const struct wk_delegated *y = x->d->processes; y; y = y->next)
        if (y != x && y->known && y->state < WK_DELEGATED_OVER && (!y->task || y->task->background))
            return true;
    return false;
}

/* The session's files go in; what runs beside may have changed some: those come back first. */
static void send_files(struct wk_cmd *c, struct wk_delegated *x)
{
    struct wk_delegate *d = x->d;
    if (!d->mirror)
        return;
    bool both = d->sync == WHELK_SYNC_BOTH && (d->may_have_changed || d->survivors || others_run(x));
    if (!wk_delegate_sync(x, both ? WK_MIRROR_BOTH : WK_MIRROR_PUSH))
        end_early(c, x);
    const struct wk_mirror_result *r = x->result;
    /* What cannot come back, being too much or too deep, keeps no command from running: one may be to remove it. */
    if (both && r && r->code != WHELK_OK && r->code != WHELK_E_CLOSED) {
        both = false;
        if (!wk_mirror_lost_track(d->mirror)) {
            wk_msg(c, "files did not come back: %s", r->text);
            if (!wk_delegate_sync(x, WK_MIRROR_PUSH))
                end_early(c, x);
        }
        r = x->result;
    }
    if (!r)
        wk_heap_exhausted(c->heap);
    if (r->code == WHELK_E_CLOSED)
        end_early(c, x);
    if (r->code != WHELK_OK && wk_mirror_lost_track(d->mirror))
        wk_msg(c, "files are not kept in step with the %s sandbox: %s", wk_delegate_kind(d), r->text);
    else if (r->code != WHELK_OK)
        wk_fail(c, STATUS_REFUSED, "files were not sent to the %s sandbox: %s", wk_delegate_kind(d), r->text);
    if (both)
        d->may_have_changed = false;
    report(c, x, r);
    c->status = 0;
}

/* What it has changed comes back. Its status stays, whatever becomes of that, which is said each time at an end and
 * once between. */
static void bring_files(struct wk_cmd *c, struct wk_delegated *x, bool at_end)
{
    struct wk_delegate *d = x->d;
    d->looked_ns = wk_clock_host(&d->k->clock);
    if (!d->mirror || d->sync != WHELK_SYNC_BOTH || wk_delegate_is_lost(d))
        return;
    if (!wk_delegate_sync(x, WK_MIRROR_PULL)) {
        d->may_have_changed = true;
        if (!x->killed_by)
            wk_msg(c, "files did not come back: the %s sandbox %s", wk_delegate_kind(d),
                   wk_delegate_is_lost(d) ? "was lost" : "does not answer");
        return;
    }
    d->looked_ns = wk_clock_host(&d->k->clock);
    if (!x->result)
        wk_heap_exhausted(c->heap);
    if (x->result->code != WHELK_OK && (is_news(d, x->result->text) || at_end))
        wk_msg(c, "files did not come back: %s", x->result->text);
    report(c, x, x->result);
}

/* ---- the command ------------------------------------------------------------------------------------------- */

static void start(struct wk_cmd *c, struct wk_delegated *x, const char *cwd)
{
    struct beginning b = {.name = c->name, .cwd = cwd};
    b.argv = wk_delegate_argv(c, x->d);
    b.more = wk_delegate_env(c, x->d, b.cwd, &b.n_more);
    wk_delegated_take_streams(x);
    x->start = &b;
    do {
        wk_delegate_call(x, perform_start);
        if (b.code == WHELK_E_AGAIN)
            wk_delegate_wait(x, NULL, wk_clock_host(&x->d->k->clock) + 1000000000);
    } while (b.code == WHELK_E_AGAIN && !x->killed_by);
    x->start = NULL;
    if (x->killed_by && b.code)
        end_early(c, x);
    if (b.code)
        end_not_started(c, x, b.code);
    int64_t quiet = wk_clock_host(&x->d->k->clock) + WK_DELEGATE_QUIET_NS, due = quiet;
    while (x->state == WK_DELEGATED_ASKED && wk_clock_host(&x->d->k->clock) < due) {
        due = WK_MIN(quiet, x->kill_due);
        wk_delegate_wait(x, NULL, due);
    }
    if (x->state == WK_DELEGATED_ASKED)
        end_early(c, x);
    if (x->fail_code)
        end_not_started(c, x, x->fail_code);
}

/* While a job runs in the background what it changes comes back from time to time. */
static int64_t next_look(struct wk_delegated *x)
{
    struct wk_delegate *d = x->d;
    if (!x->task->background || !d->mirror || d->sync != WHELK_SYNC_BOTH || x->state != WK_DELEGATED_RUNNING)
        return WK_FOREVER;
    return d->looked_ns + WK_DELEGATE_LOOK_NS;
}

/* Moves what can be moved until all is over. */
static void attend(struct wk_cmd *c, struct wk_delegated *x)
{
    struct wk_wait_any w;
    for (;;) {
        wk_delegated_flush(c, x);
        wk_delegated_wants(x, &w);
        if (x->state == WK_DELEGATED_OVER && (x->lost || (!w.n_files && !wk_delegated_holds(x))))
            return;
        wk_delegated_read(c, x);
        if (wk_delegated_has_work(x)) {
            wk_delegate_call(x, NULL);
            continue;
        }
        int64_t now = wk_clock_host(&x->d->k->clock), look = next_look(x);
        if (now >= x->kill_due)
            return;
        if (now >= look) {
            bring_files(c, x, false);
            continue;
        }
        wk_delegated_wants(x, &w);
        wk_delegate_wait(x, &w, WK_MIN(x->kill_due, look));
    }
}

static WK_NORETURN void end_as_it_did(struct wk_cmd *c, struct wk_delegated *x)
{
    const whelk_exit *e = &x->exit;
    if (x->state < WK_DELEGATED_ENDED || x->lost || x->killed_by)
        end_early(c, x);
    if (e->out_of_memory)
        wk_msg(c, "killed: the %s sandbox has no memory left", wk_delegate_kind(x->d));
    if (e->signal > 0 && e->signal < WK_NSIG)
        wk_exit_by(c, e->signal);
    bool unwritten = x->out[0].unwritten || x->out[1].unwritten;
    wk_exit(c, e->code < 0 ? STATUS_LOST : e->code ? e->code & 0xff : unwritten);
}

static void release_buf(void *b)
{
    wk_buf_release(b);
}

/* Ends the command when there is no box to be had. */
static void open_box(struct wk_cmd *c, struct wk_delegated *x)
{
    struct wk_buf why;
    struct wk_unwind u;
    wk_buf_init(&why, wk_heap_mem(c->heap), 1 << 16);
    wk_unwind_push(c->task, &u, release_buf, &why);
    int code = wk_delegate_open(x, &why);
    wk_unwind_pop(c->task, &u);
    const char *words = wk_keep(c, &why);
    if (code && x->killed_by)
        end_early(c, x);
    if (code)
        wk_fail(c, x->d->kind ? STATUS_REFUSED : STATUS_LOST, "cannot open the %s sandbox: %s", wk_delegate_kind(x->d),
                words);
}

int wk_delegate_main(struct wk_cmd *c)
{
    struct wk_delegate_command *name = c->command->data;
    struct wk_delegate *d = name->to;
    if (!d)
        wk_fail(c, STATUS_NOT_FOUND, "command not found");
    const char *pipe = find_pipe_argument(c);
    if (pipe)
        wk_fail(c, STATUS_REFUSED, "%s: a pipe of the session cannot be opened in a sandbox: use standard input", pipe);
    struct wk_delegated *x = wk_delegated_new(d, c->task);
    if (!x)
        wk_heap_exhausted(c->heap);
    c->proc->foreign_signal = take_signal;
    c->proc->foreign = true;
    open_box(c, x);
    const char *cwd = find_cwd(c, d);
    send_files(c, x);
    start(c, x, cwd);
    attend(c, x);
    wk_delegated_give_back(x);
    d->survivors = d->survivors || x->exit.survivors;
    bring_files(c, x, true);
    end_as_it_did(c, x);
}

/* ---- what a session delegates -------------------------------------------------------------------------------- */

static bool is_usable(const char *directory)
{
    size_t n = directory ? strlen(directory) : 0;
    return n > 1 && directory[0] == '/' && n < 4096;
}

/* The directory's own name: links in it lead elsewhere. */
static char *real_directory(const struct wk_delegate_config *f)
{
    struct wk_cred root = {0, 0, 022, NULL};
    struct wk_mem *m = f->kern->mem;
    struct wk_vdir *dir;
    struct wk_buf b;
    size_t n = strlen(f->directory);
    while (n > 1 && f->directory[n - 1] == '/')
        n--;
    if (wk_vfs_dir(f->kern->vfs, &root, NULL, wk_str(f->directory, n), &dir) != 0)
        return wk_strndup(m, f->directory, n);
    wk_buf_init(&b, m, 1 << 16);
    (void)wk_vdir_path(dir, &b);
    wk_vdir_unref(dir);
    char *name = wk_buf_take(&b, NULL);
    wk_buf_release(&b);
    return name;
}

static bool copy_names(struct wk_delegate *d, const char *const *v, size_t n)
{
    d->left_out = wk_calloc(d->mem, n + 1, sizeof *d->left_out);
    for (size_t i = 0; d->left_out && i < n; i++) {
        d->left_out[i] = v[i] ? wk_strndup(d->mem, v[i], strlen(v[i])) : NULL;
        if (!d->left_out[i])
            return false;
        d->n_left_out++;
    }
    return d->left_out != NULL;
}

int wk_delegate_new(const struct wk_delegate_config *f, struct wk_delegate **out)
{
    *out = NULL;
    if (!is_usable(f->directory) || (!f->box && !f->kind) || (f->n_left_out && !f->left_out))
        return WHELK_E_INVALID;
    struct wk_delegate *d = WK_NEW(f->kern->mem, struct wk_delegate);
    if (!d)
        return WHELK_E_NOMEM;
    d->k = f->kern;
    d->mem = f->kern->mem;
    d->box = f->box;
    d->kind = f->box ? NULL : f->kind;
    d->sync = f->sync;
    d->max_file = f->max_file;
    d->max_bytes = f->max_bytes;
    d->max_files = f->max_files;
    d->due_ns = WK_FOREVER;
    wk_map_init(&d->told, d->mem, wk_kern_random(f->kern), false);
    d->directory = real_directory(f);
    const char *const *left_out = f->left_out ? f->left_out : usual_left_out;
    size_t n_left_out = f->left_out ? f->n_left_out : WK_COUNTOF(usual_left_out);
    int code = !d->directory ? WHELK_E_NOMEM : is_usable(d->directory) ? WHELK_OK : WHELK_E_INVALID;
    if (!code && !copy_names(d, left_out, n_left_out))
        code = WHELK_E_NOMEM;
    if (!code && d->kind)
        code = wk_sandbox_options_copy(d->mem, f->options, &d->options);
    if (code)
        wk_delegate_free(d);
    else
        *out = d;
    return code;
}

int wk_delegate_copy(const struct wk_delegate *d, struct wk_kern *kern, struct wk_delegate **out)
{
    *out = NULL;
    if (!d->kind || d->options->workspace)
        return WHELK_OK;
    struct wk_delegate_config f = {.kern = kern,
                                   .kind = d->kind,
                                   .options = d->options,
                                   .sync = d->sync,
                                   .directory = d->directory,
                                   .left_out = (const char *const *)d->left_out,
                                   .n_left_out = d->n_left_out,
                                   .max_file = d->max_file,
                                   .max_bytes = d->max_bytes,
                                   .max_files = d->max_files};
    return wk_delegate_new(&f, out);
}

void wk_delegate_free(struct wk_delegate *d)
{
    if (!d)
        return;
    d->freeing = true;
    if (d->box)
        wk_delegate_leave_box(d);
    for (size_t i = 0; i < d->n_left_out; i++)
        wk_free(d->mem, d->left_out[i]);
    wk_free(d->mem, d->left_out);
    wk_map_release(&d->told);
    wk_delegate_drop_dirs(d);
    wk_free(d->mem, d->options);
    wk_free(d->mem, d->directory);
    wk_free(d->mem, d);
}
