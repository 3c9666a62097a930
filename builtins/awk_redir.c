/* awk_redir.c - awk's commands and redirections: what print writes to and getline reads from
 *
 * Commands run as `sh -c` in processes of their own; close and the end of the program wait for
 * them. Output that fails ends the program, unless PROCINFO says NONFATAL.
 */
#include "builtins/awk_cells.h"

#include "builtins/launch.h"

/* ---- output that fails ---- */

/* PROCINFO["NONFATAL"], or that of the one redirection. */
static bool may_fail(struct awk *a, struct wk_str name)
{
    struct awk_val *info = &a->globals[AWK_PROCINFO];
    struct wk_buf b;
    if (info->type != AWK_ARRAY)
        return false;
    if (wk_awk_array_at_text(a, info->array, wk_str_c("NONFATAL"), false))
        return true;
    wk_buf_init(&b, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
    wk_buf_puts(&b, name);
    wk_buf_puts(&b, a->subsep);
    wk_buf_put_c(&b, "NONFATAL");
    struct awk_str *key = wk_awk_str_take(a, &b);
    bool found = wk_awk_array_at_text(a, info->array, awk_slice(key), false) != NULL;
    awk_str_unref(a, key);
    return found;
}

/* What is left of it would be told once more at the end. */
static int forgive(struct wk_out *out)
{
    int err = out->err;
    out->err = 0;
    out->n = 0;
    return err;
}

/* Nobody reads the standard output: that is the end, whether the signal is ignored or not. */
static void end_by_pipe(struct awk *a)
{
    a->c->proc->sig_ignored &= ~WK_SIGBIT(WK_SIGPIPE);
    (void)wk_broken_pipe(a->c->task);
}

static struct wk_str name_of(struct awk *a, struct wk_out *out)
{
    for (struct awk_redir *d = a->redirs; d; d = d->next)
        if (d->out == out)
            return awk_slice(d->name);
    return wk_str_c(out == a->c->err ? "standard error" : "standard output");
}

void wk_awk_output_failed(struct awk *a, struct wk_out *out, const char *what)
{
    struct wk_str name = name_of(a, out);
    int err = forgive(out);
    if (err == WK_EPIPE && out == a->c->out)
        end_by_pipe(a);
    wk_awk_set_errno(a, err);
    if (!may_fail(a, name))
        wk_awk_fatal(a, "%s to \"%.*s\" failed: %s", what, (int)WK_MIN(name.n, (size_t)4000), name.p,
                     wk_err_text(err));
}

/* The standard output at the end, and where a failure is allowed. */
static bool flush_standard(struct awk *a, bool fatal)
{
    if (!wk_out_flush(a->c->out))
        return true;
    int err = forgive(a->c->out);
    if (err == WK_EPIPE)
        end_by_pipe(a);
    wk_awk_set_errno(a, err);
    if (fatal && !may_fail(a, wk_str_c("/dev/stdout")))
        wk_awk_fatal(a, "fflush: cannot flush standard output: %s", wk_err_text(err));
    wk_awk_warning(a, "error writing standard output: %s", wk_err_text(err));
    return false;
}

/* ---- commands ---- */

/* Starts `sh -c command` with `in` and `out` (taken over; NULL: as ours) as its standard streams. 0
 * or a positive error. */
static int start(struct awk *a, struct awk_str *command, struct wk_file *in, struct wk_file *out,
                 uint32_t *pid)
{
    struct wk_cmd *c = a->c;
    const char *argv[] = {"sh", "-c", wk_dupn(c, command->p, command->n), NULL};
    struct wk_proc *child;
    (void)wk_awk_flush(a, NULL);
    wk_in_unshare(c->in);
    int r = wk_proc_fork(c->proc, &child);
    if (r < 0) {
        if (in)
            wk_file_unref(in);
        if (out)
            wk_file_unref(out);
        return -r;
    }
    r = in ? wk_fd_set(&child->fds, 0, in, false) : 0;
    int s = out ? wk_fd_set(&child->fds, 1, out, false) : 0;
    r = r < 0 ? r : s;
    if (a->pipes)
        child->sig_ignored &= ~WK_SIGBIT(WK_SIGPIPE) | a->ignored_before;
    for (struct awk_redir *d = a->redirs; d; d = d->next) { /* the other ends are not for it */
        if (d->fd >= 0)
            (void)wk_fd_close(&child->fds, d->fd);
        if (d->in_fd >= 0)
            (void)wk_fd_close(&child->fds, d->in_fd);
    }
    if (r >= 0)
        r = wk_exec_on(child, &(struct wk_spawn){.path = "/bin/sh", .argc = 3, .argv = argv});
    if (r == -WK_ENOENT)
        r = wk_exec_on(child, &(struct wk_spawn){.argc = 3, .argv = argv});
    if (r < 0) {
        wk_proc_finish(child, (struct wk_exit){127, 0});
        wk_proc_reap(child);
        return -r;
    }
    *pid = child->pid;
    return 0;
}

/* The status as gawk tells it: of a signal 256 and its number. */
static double wait_for(struct awk *a, uint32_t pid)
{
    struct wk_proc *child;
    int r;
    do
        r = wk_proc_wait(a->c->task, a->c->proc, pid, 0, &child);
    while (r == -WK_EINTR);
    if (r)
        return -1;
    struct wk_exit e = child->exit;
    wk_proc_reap(child);
    return e.signal ? 256 + e.signal : e.code;
}

double wk_awk_system(struct awk *a, struct awk_str *command)
{
    uint32_t pid;
    wk_awk_flush(a, NULL);
    if (a->sandbox)
        wk_awk_fatal(a, "'system' function not allowed in sandbox mode");
    int err = start(a, command, NULL, NULL, &pid);
    if (err) {
        wk_msg(a->c, "cannot run sh: %s", wk_err_text(wk_launch_err(err)));
        return wk_launch_status(err);
    }
    return wait_for(a, pid);
}

/* ---- redirections ---- */

static struct awk_redir *find(struct awk *a, enum awk_way way, struct awk_str *name)
{
    for (struct awk_redir **at = &a->redirs, *d; (d = *at); at = &d->next) {
        if (d->way != way || !wk_str_eq(awk_slice(d->name), awk_slice(name)))
            continue;
        *at = d->next; /* the one used last comes first */
        d->next = a->redirs;
        a->redirs = d;
        return d;
    }
    return NULL;
}

static struct awk_redir *add(struct awk *a, enum awk_way way, struct awk_str *name)
{
    struct awk_redir *d = wk_new(a->c, struct awk_redir);
    d->way = way;
    d->name = awk_str_ref(name);
    d->fd = d->in_fd = -1;
    d->next = a->redirs;
    a->redirs = d;
    return d;
}

/* Our end of a pipe, in our table; its number, or a negative error (then the other end is gone,
 * too). */
static int hold(struct awk *a, struct wk_file *ours, struct wk_file *theirs)
{
    int fd = wk_fd_add(&a->c->proc->fds, 3, ours, true);
    if (fd < 0)
        wk_file_unref(theirs);
    return fd;
}

/* From now on a reader that leaves is told by write alone. */
static void ignore_broken_pipes(struct awk *a)
{
    if (a->pipes)
        return;
    a->pipes = true;
    a->ignored_before = a->c->proc->sig_ignored;
    a->c->proc->sig_ignored |= WK_SIGBIT(WK_SIGPIPE);
}

static int open_pipe(struct awk *a, struct awk_redir *d, bool writes)
{
    struct wk_file *r, *w;
    int err = wk_pipe_new(a->c->k, &r, &w);
    if (err < 0)
        return -err;
    int fd = hold(a, writes ? w : r, writes ? r : w);
    if (fd < 0)
        return -fd;
    if (writes) {
        ignore_broken_pipes(a);
        d->fd = fd;
        d->out = wk_out_of(a->c, w);
    } else {
        d->in_fd = fd;
        d->input.in = wk_in_of(a->c, r, "-");
    }
    return start(a, d->name, writes ? r : NULL, writes ? NULL : w, &d->pid);
}

static int open_coprocess(struct awk *a, struct awk_redir *d)
{
    struct wk_file *r, *w, *r2, *w2;
    int err = wk_pipe_new(a->c->k, &r, &w);
    if (err < 0)
        return -err;
    d->fd = hold(a, w, r);
    if (d->fd < 0)
        return -d->fd;
    d->out = wk_out_of(a->c, w);
    ignore_broken_pipes(a);
    err = wk_pipe_new(a->c->k, &r2, &w2);
    if (err < 0) {
        wk_file_unref(r);
        return -err;
    }
    d->in_fd = hold(a, r2, w2);
    if (d->in_fd < 0) {
        wk_file_unref(r);
        return -d->in_fd;
    }
    d->input.in = wk_in_of(a->c, r2, "-");
    return start(a, d->name, r, w2, &d->pid);
}

/* /dev/stdout, /dev/stderr and - are those that the program has. */
static struct wk_out *own_stream(struct awk *a, struct awk_str *name)
{
    struct wk_str s = awk_slice(name);
    if (wk_str_is(s, "/dev/stdout") || wk_str_is(s, "-") || wk_str_is(s, "/dev/fd/1"))
        return a->c->out;
    if (wk_str_is(s, "/dev/stderr") || wk_str_is(s, "/dev/fd/2"))
        return a->c->err;
    return NULL;
}

static const char *sign_of(enum awk_way way)
{
    switch (way) {
    case AWK_WAY_FILE:
        return ">";
    case AWK_WAY_APPEND:
        return ">>";
    case AWK_WAY_READ:
        return "<";
    case AWK_WAY_COPROCESS:
        return "|&";
    default:
        return "|";
    }
}

static void check_name(struct awk *a, enum awk_way way, struct awk_str *name)
{
    if (a->sandbox)
        wk_awk_fatal(a, "redirection not allowed in sandbox mode");
    if (name->n == 0)
        wk_awk_fatal(a, "expression for `%s' redirection has null string value", sign_of(way));
}

/* NULL: it failed, which was allowed. */
struct wk_out *wk_awk_output(struct awk *a, enum awk_way way, struct awk_str *name)
{
    struct awk_redir *d = find(a, way, name);
    bool file = way == AWK_WAY_FILE || way == AWK_WAY_APPEND;
    int err;
    if (!d && file)
        d = find(a, way == AWK_WAY_FILE ? AWK_WAY_APPEND : AWK_WAY_FILE, name);
    if (d && d->out)
        return d->out;
    if (file) {
        check_name(a, way, name);
        struct wk_out *own = own_stream(a, name);
        struct wk_file *f;
        if (own)
            return own;
        err = wk_cmd_open(a->c, wk_dupn(a->c, name->p, name->n),
                          WK_O_WRONLY | WK_O_CREAT | (way == AWK_WAY_APPEND ? WK_O_APPEND : WK_O_TRUNC), 0666, &f);
        if (!err) {
            d = add(a, way, name);
            d->out = wk_out_of(a->c, f);
        }
    } else {
        check_name(a, way, name);
        d = add(a, way, name);
        err = wk_launch_err(way == AWK_WAY_PIPE ? open_pipe(a, d, true) : open_coprocess(a, d));
    }
    if (!err)
        return d->out;
    wk_awk_set_errno(a, err);
    if (may_fail(a, awk_slice(name)))
        return NULL;
    if (file)
        wk_awk_fatal(a, "cannot redirect to `%.*s': %s", (int)name->n, name->p, wk_err_text(err));
    wk_awk_fatal(a, "cannot open pipe `%.*s' for output: %s", (int)name->n, name->p, wk_err_text(err));
}

static int open_reader(struct awk *a, struct awk_redir *d, struct awk_str *name)
{
    struct wk_file *f;
    struct wk_stat st;
    const char *path = wk_dupn(a->c, name->p, name->n);
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0) {
        d->input.in = a->c->in;
        return 0;
    }
    int err = wk_cmd_open(a->c, path, WK_O_RDONLY, 0, &f);
    if (err)
        return err;
    if (wk_cmd_stat(a->c, path, true, &st) == 0 && WK_S_ISDIR(st.mode)) {
        wk_cmd_close(a->c, f);
        return WK_EISDIR;
    }
    d->input.in = wk_in_of(a->c, f, path);
    return 0;
}

static void forget(struct awk *a, struct awk_redir *d)
{
    for (struct awk_redir **at = &a->redirs; *at; at = &(*at)->next) {
        if (*at == d) {
            *at = d->next;
            break;
        }
    }
    awk_str_unref(a, d->name);
    wk_heap_free(a->c->heap, d);
}

double wk_awk_getline(struct awk *a, enum awk_way way, struct awk_str *name, struct awk_str **text)
{
    struct awk_redir *d = find(a, way, name);
    if (!d) {
        check_name(a, way, name);
        d = add(a, way, name);
        int err = way == AWK_WAY_READ        ? open_reader(a, d, name)
                  : way == AWK_WAY_READ_PIPE ? open_pipe(a, d, false)
                                             : open_coprocess(a, d);
        if (err) {
            wk_awk_set_errno(a, err);
            forget(a, d);
            return -1;
        }
    }
    if (d->out)
        (void)wk_out_flush(d->out);
    if (!d->input.in)
        return -1;
    d->input.in->quiet = true;
    if (wk_awk_read_record(a, &d->input, text))
        return 1;
    if (!d->input.in->err)
        return 0;
    wk_awk_set_errno(a, d->input.in->err);
    return -1;
}

/* ---- closing ---- */

/* What is still held is written; false: it could not be, which was allowed. */
static bool flush_out(struct awk *a, struct awk_redir *d)
{
    if (!d->out || !wk_out_flush(d->out))
        return true;
    if (d->out->err == WK_EPIPE)
        (void)forgive(d->out); /* who left early did not want it */
    else
        wk_awk_output_failed(a, d->out, "flush");
    return false;
}

static double close_redir(struct awk *a, struct awk_redir *d)
{
    double status = 0;
    if (d->fd >= 0) {
        (void)flush_out(a, d);
        (void)wk_fd_close(&a->c->proc->fds, d->fd);
        wk_heap_free(a->c->heap, d->out->buf);
    } else if (d->out) {
        (void)flush_out(a, d);
        status = wk_out_close(d->out) ? -1 : 0;
    }
    if (d->in_fd >= 0) {
        wk_heap_free(a->c->heap, d->input.buf);
        (void)wk_fd_close(&a->c->proc->fds, d->in_fd);
    } else if (d->input.in) {
        wk_awk_close_input(a, &d->input);
    }
    if (d->pid)
        status = wait_for(a, d->pid);
    forget(a, d);
    return status;
}

/* One of that name, the one used last. */
double wk_awk_close(struct awk *a, struct awk_str *name, int which)
{
    static const char never[] = "close of redirection that was never opened";
    struct awk_redir *d = a->redirs;
    while (d && !wk_str_eq(awk_slice(d->name), awk_slice(name)))
        d = d->next;
    if (!d && own_stream(a, name))
        return wk_awk_flush(a, name);
    if (!d) {
        wk_awk_set_global(a, AWK_ERRNO, awk_string(wk_awk_str_of(a, never, sizeof never - 1)));
        return -1;
    }
    (void)flush_standard(a, true);
    if (which != 'w' || d->way != AWK_WAY_COPROCESS || d->fd < 0)
        return close_redir(a, d);
    (void)flush_out(a, d); /* "to": its input ends */
    (void)wk_fd_close(&a->c->proc->fds, d->fd);
    wk_heap_free(a->c->heap, d->out->buf);
    d->fd = -1;
    d->out = NULL;
    return 0;
}

double wk_awk_flush(struct awk *a, struct awk_str *name)
{
    bool found = !name, good = true;
    struct wk_out *own = name ? own_stream(a, name) : NULL;
    if (!name || own == a->c->out) {
        found = true;
        good = flush_standard(a, true);
    }
    if (!name || own == a->c->err) {
        found = true;
        (void)wk_out_flush(a->c->err);
    }
    for (struct awk_redir *d = a->redirs; d; d = d->next) {
        if (name && !wk_str_eq(awk_slice(d->name), awk_slice(name)))
            continue;
        if (!d->out && name) {
            bool pipe = d->way == AWK_WAY_READ_PIPE;
            wk_awk_warning(a, "fflush: cannot flush: %s `%.*s' opened for reading, not writing", pipe ? "pipe" : "file",
                           (int)WK_MIN(name->n, (size_t)4000), name->p);
            return -1;
        }
        found = true;
        if (!d->out || !wk_out_flush(d->out))
            continue;
        int err = forgive(d->out);
        wk_awk_set_errno(a, err);
        good = false;
        if (!may_fail(a, awk_slice(d->name)))
            wk_awk_fatal(a, "fflush: cannot flush %s `%.*s': %s",
                         d->way == AWK_WAY_PIPE ? "pipe" : d->way == AWK_WAY_COPROCESS ? "two-way pipe" : "file",
                         (int)WK_MIN(d->name->n, (size_t)4000), d->name->p, wk_err_text(err));
    }
    if (!found)
        wk_awk_warning(a, "fflush: `%.*s' is not an open file, pipe or co-process",
                       (int)WK_MIN(name->n, (size_t)4000), name->p);
    return found && good ? 0 : -1;
}

void wk_awk_leave_outputs(struct awk *a)
{
    for (struct awk_redir *d = a->redirs; d; d = d->next)
        if (d->out)
            (void)wk_out_flush(d->out);
}

void wk_awk_finish(struct awk *a)
{
    a->pc = NULL;
    while (a->redirs)
        (void)close_redir(a, a->redirs);
    if (!flush_standard(a, false) && !a->status)
        a->status = 1;
}
