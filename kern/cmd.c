/* cmd.c - a leaf command's life and its view of the world */
#include "kern/cmd.h"

#include "kern/sched.h"

/* ---- life
 * -------------------------------------------------------------------------------------------------
 */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static struct wk_out *make_out(struct wk_cmd *c, struct wk_out *o, int fd)
{
    struct wk_file *f = wk_fd_get(c->proc->fds, fd);
    *o = (struct wk_out){.c = c, .file = f, .line_buffered = fd == 2 || (f && f->is_tty)};
    return o;
}

void wk_cmd_run_main(struct wk_task *t, const struct wk_command *command, int argc, char **argv)
{
    struct wk_out out, err;
    struct wk_in in;
    struct wk_proc *p = t->proc;
    struct wk_cmd c = {.task = t,
                       .k = t->k,
                       .proc = p,
                       .heap = p->heap,
                       .command = command,
                       .name = base_name(argv[0]),
                       .argc = argc,
                       .argv = argv,
                       .data = command->data};
    c.out = make_out(&c, &out, 1);
    c.err = make_out(&c, &err, 2);
    in = (struct wk_in){.c = &c, .file = wk_fd_get(p->fds, 0)};
    c.in = &in;
    wk_cmd_parse(&c);
    wk_exit(&c, command->main(&c));
}

/* What could not be written is said once, in the name of the command. */
static int close_streams(struct wk_cmd *c, int status)
{
    int err = wk_out_flush(c->out);
    if (err && err != WK_EPIPE) {
        wk_msg(c, "write error: %s", wk_err_text(err));
        if (!status)
            status = c->command->usage_status ? c->command->usage_status : 1;
    } else if (err && !status) {
        status = 1;
    }
    (void)wk_out_flush(c->err);
    wk_in_sync(c->in);
    return status;
}

static WK_NORETURN void end(struct wk_cmd *c, struct wk_exit e)
{
    struct wk_task *t = c->task;
    c->proc->task = NULL;
    wk_proc_finish(c->proc, e); /* the heap, and with it c's parts, are gone */
    wk_task_exit(t);
}

void wk_exit(struct wk_cmd *c, int status)
{
    end(c, (struct wk_exit){(uint8_t)close_streams(c, status), 0});
}

void wk_exit_by(struct wk_cmd *c, int signal)
{
    (void)close_streams(c, 0);
    end(c, (struct wk_exit){0, (uint8_t)signal});
}

int wk_cmd_exec(struct wk_cmd *c, int argc, char *const *argv, struct wk_env *env)
{
    struct wk_spawn s = {.argc = (size_t)argc, .argv = (const char *const *)argv, .env = env};
    struct wk_task *t = c->task;
    (void)wk_out_flush(c->out);
    (void)wk_out_flush(c->err);
    wk_in_sync(c->in);
    int r = wk_exec_on(c->proc, &s); /* drops the heap when it succeeds */
    if (r)
        return -r;
    wk_task_exit(t);
}

int wk_cmd_run(struct wk_cmd *c, int argc, char *const *argv, struct wk_env *env, struct wk_exit *e)
{
    struct wk_spawn s = {.argc = (size_t)argc, .argv = (const char *const *)argv, .env = env};
    struct wk_proc *child;
    (void)wk_out_flush(c->out);
    (void)wk_out_flush(c->err);
    wk_in_unshare(c->in);
    int r = wk_spawn(c->proc, &s, &child);
    if (r)
        return -r;
    uint32_t pid = child->pid;
    do
        r = wk_proc_wait(c->task, c->proc, pid, 0, &child);
    while (r == -WK_EINTR);
    if (r)
        return -r;
    *e = child->exit;
    wk_proc_reap(child);
    return 0;
}

/* ---- the world
 * -----------------------------------------------------------------------------------------------
 */

/* Files that a command has open: closed when it ends, however it ends. */
struct open_file {
    struct open_file *next;
    struct wk_file *file;
};
struct open_files {
    struct open_file *first, *spare;
};

static void close_all(void *obj)
{
    struct open_files *all = obj;
    for (struct open_file *o = all->first; o; o = o->next)
        wk_file_unref(o->file);
    all->first = NULL;
}

static void remember(struct wk_cmd *c, struct wk_file *f)
{
    struct open_files *all = c->open_files;
    if (!all) {
        all = c->open_files = wk_heap_bump(c->heap, sizeof *all);
        *all = (struct open_files){NULL, NULL};
        wk_heap_own(c->heap, all, close_all);
    }
    struct open_file *o = all->spare;
    if (o)
        all->spare = o->next;
    else
        o = wk_heap_bump(c->heap, sizeof *o);
    *o = (struct open_file){all->first, f};
    all->first = o;
}

void wk_cmd_close(struct wk_cmd *c, struct wk_file *f)
{
    struct open_files *all = c->open_files;
    for (struct open_file **at = all ? &all->first : NULL; at && *at; at = &(*at)->next) {
        if ((*at)->file != f)
            continue;
        struct open_file *o = *at;
        *at = o->next;
        o->next = all->spare;
        all->spare = o;
        wk_file_unref(f);
        return;
    }
}

int wk_cmd_open(struct wk_cmd *c, const char *path, int flags, uint32_t mode, struct wk_file **out)
{
    return wk_cmd_open_at(c, NULL, path, flags, mode, out);
}

int wk_cmd_open_at(struct wk_cmd *c, struct wk_vdir *dir, const char *path, int flags, uint32_t mode,
                   struct wk_file **out)
{
    int r;
    wk_tick(c, 1);
    do
        r = wk_open_at(c->task, dir ? dir : c->proc->cwd, path, flags, mode, out);
    while (r == -WK_EINTR);
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(c->heap);
    if (r)
        return -r;
    remember(c, *out);
    if (*out == c->in->file) /* /dev/stdin: standard input has two readers from now on */
        wk_in_unshare(c->in);
    return 0;
}

int wk_cmd_stat(struct wk_cmd *c, const char *path, bool follow, struct wk_stat *st)
{
    return -wk_vfs_stat(c->k->vfs, &c->proc->cred, c->proc->cwd, wk_str_c(path),
                        follow ? 0 : WK_AT_NOFOLLOW, st);
}

int64_t wk_cmd_now(struct wk_cmd *c)
{
    return wk_clock_realtime(&c->k->clock);
}

int64_t wk_cmd_monotonic(struct wk_cmd *c)
{
    return wk_clock_monotonic(&c->k->clock);
}

void wk_cmd_sleep(struct wk_cmd *c, int64_t ns)
{
    int64_t now = wk_clock_monotonic(&c->k->clock);
    int64_t until = ns > WK_FOREVER - now ? WK_FOREVER : now + (ns > 0 ? ns : 0);
    int r;
    do
        r = wk_park(c->task, NULL, until, false);
    while (r != -WK_ETIMEDOUT);
}

const char **wk_env_strings(struct wk_cmd *c)
{
    const struct wk_env *e = c->proc->env;
    const char **v = wk_new_n(c, const char *, e ? e->n + 1 : 1);
    if (e && wk_env_listed(e, wk_heap_mem(c->heap), v) != 0)
        wk_heap_exhausted(c->heap);
    return v;
}

const char *wk_cmd_env(struct wk_cmd *c, const char *name)
{
    return wk_env_get(c->proc->env, name);
}

bool wk_cmd_utf8(struct wk_cmd *c)
{
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < WK_COUNTOF(names); i++) {
        const char *v = wk_cmd_env(c, names[i]);
        if (v && *v)
            return strstr(v, "UTF-8") || strstr(v, "utf8") || strstr(v, "UTF8");
    }
    return false;
}

char *wk_dupn(struct wk_cmd *c, const char *s, size_t n)
{
    return wk_heap_strndup(c->heap, s, n);
}

char *wk_dup(struct wk_cmd *c, const char *s)
{
    return wk_heap_strndup(c->heap, s, strlen(s));
}

char *wk_join_path(struct wk_cmd *c, const char *dir, const char *name)
{
    size_t n = strlen(dir), m = strlen(name);
    bool slash = n && dir[n - 1] != '/';
    char *p = wk_heap_alloc(c->heap, n + m + 2);
    memcpy(p, dir, n);
    if (slash)
        p[n] = '/';
    memcpy(p + n + slash, name, m + 1);
    return p;
}

static void release_buf(void *b)
{
    wk_buf_release(b);
}

char *wk_keep(struct wk_cmd *c, struct wk_buf *b)
{
    struct wk_unwind u;
    size_t n = b->n;
    wk_unwind_push(c->task, &u, release_buf, b);
    if (b->failed)
        wk_heap_exhausted(c->heap);
    char *copy = wk_heap_strndup(c->heap, wk_buf_c(b), n);
    wk_unwind_pop(c->task, &u);
    wk_buf_release(b);
    return copy;
}

char *wk_strf(struct wk_cmd *c, const char *fmt, ...)
{
    struct wk_buf b;
    va_list ap;
    wk_buf_init(&b, wk_heap_mem(c->heap), SIZE_MAX / 2);
    va_start(ap, fmt);
    wk_buf_vfmt(&b, fmt, ap);
    va_end(ap);
    return wk_keep(c, &b);
}
