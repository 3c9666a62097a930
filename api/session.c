/* session.c - opening and closing a session: account, files, machine, shell process */
#include "api/internal.h"
#include "base/num.h"
#include "vfs/devfs.h"
#include "interp/start.h"

#include <stdlib.h>

enum { MEMORY_RESERVE = 4 * WK_STACK_BYTES }; /* half of it must do for a command behind a breach */

void whelk_session_options_init(whelk_session_options *o)
{
    memset(o, 0, sizeof *o);
    o->size = sizeof *o;
}

static void take_limit(uint64_t *dst, uint64_t v)
{
    if (v)
        *dst = v;
}

int wk_api_take_limits(struct wk_limits *l, const whelk_limits *from)
{
    whelk_limits o;
    int r = wk_api_take_options(&o, sizeof o, from);
    if (r)
        return r;
    take_limit(&l->memory, o.memory_bytes);
    take_limit(&l->time_ns, o.time_ns == UINT64_MAX ? 0 : o.time_ns);
    take_limit(&l->steps, o.steps == UINT64_MAX ? 0 : o.steps);
    take_limit(&l->output, o.output_bytes);
    take_limit(&l->tasks, o.tasks);
    take_limit(&l->fds, WK_MIN(o.descriptors, (uint64_t)INT32_MAX));
    take_limit(&l->depth, WK_MIN(o.depth, (uint64_t)INT32_MAX));
    take_limit(&l->nesting, WK_MIN(o.nesting, (uint64_t)100000));
    take_limit(&l->expansion, o.expansion_bytes);
    take_limit(&l->regex, o.regex_steps);
    take_limit(&l->file_bytes, o.file_bytes);
    take_limit(&l->files, o.files);
    take_limit(&l->file_size, o.file_size);
    return WHELK_OK;
}

static int64_t session_now(void *ctx)
{
    whelk_session *s = ctx;
    return s->kern_ready ? wk_clock_realtime(&s->kern.clock)
                         : s->rt->world.realtime_ns(s->rt->world.ctx);
}

static const struct wk_command *find_command(void *ctx, struct wk_str name)
{
    const struct wk_command *c = wk_host_command_find(ctx, name);
    if (!c)
        c = wk_delegated_find(ctx, name);
    return c ? c : wk_command_find_static(name);
}

static const struct wk_command *command_at(void *ctx, size_t i)
{
    (void)ctx;
    return i < wk_command_list_n ? wk_command_list[i] : NULL;
}

/* Memory is short: blocks of dropped trees and records kept for reuse go back. */
static void give_back(void *ctx)
{
    whelk_session *s = ctx;
    if (s->vfs)
        (void)wk_vfs_tidy(s->vfs, SIZE_MAX);
}

/* ---- files and mounts -------------------------------------------------------------------------
 */

/* /dev/fd shows what the asking process has open. */
static int64_t next_fd(void *ctx, void *caller, uint32_t from)
{
    const struct wk_proc *p = caller;
    (void)ctx;
    for (uint32_t fd = from; p && p->fds && fd < p->fds->n; fd++)
        if (p->fds->ents[fd].file)
            return fd;
    return -1;
}

static int open_vfs(whelk_session *s, const struct wk_snapshot *base)
{
    struct wk_vfs_config config = {.hub = s->rt->hub,
                                   .base = base,
                                   .limits = wk_vfs_limits_default(),
                                   .now = session_now,
                                   .now_ctx = s};
    config.limits.bytes = s->limits.file_bytes;
    config.limits.inodes = s->limits.files;
    config.limits.file_bytes = s->limits.file_size;
    int r = wk_vfs_new(s->mem, &config, &s->vfs);
    if (r)
        return r;
    s->mem->reclaim = give_back;
    s->mem->reclaim_ctx = s;
    const struct wk_dev_fds fds = {.next = next_fd};
    wk_vfs_set_dev_fds(s->vfs, &fds);
    return wk_vfs_mount_dev(s->vfs, WK_STR("/dev"));
}

static int add_mount(whelk_session *s, const whelk_mount *given, uint32_t uid, uint32_t gid)
{
    whelk_mount m;
    int r = wk_api_take_options(&m, sizeof m, given);
    if (r)
        return r;
    if (!m.path || m.path[0] != '/')
        return wk_api_fail(s, m.path ? m.path : "mount", -WK_EINVAL);
    if (m.flags & ~WHELK_MOUNT_OWNED)
        return WHELK_E_UNSUPPORTED;
    struct wk_str path = wk_str_c(m.path);
    struct wk_host_options ho = {
        .show_owner = !(m.flags & WHELK_MOUNT_OWNED), .uid = uid, .gid = gid, .umask_create = 022};
    if (m.kind == WHELK_MOUNT_MEMORY)
        r = wk_vfs_mount_memory(s->vfs, path, 0755, uid, gid, 0);
    else if (!m.host_path)
        return WHELK_E_INVALID;
    else if (m.kind == WHELK_MOUNT_HOST_RO)
        r = wk_vfs_mount_host(s->vfs, path, m.host_path, &ho, WK_MOUNT_RDONLY);
    else if (m.kind == WHELK_MOUNT_HOST_RW)
        r = wk_vfs_mount_host(s->vfs, path, m.host_path, &ho, 0);
    else if (m.kind == WHELK_MOUNT_OVERLAY)
        r = wk_vfs_mount_overlay(s->vfs, path, m.host_path, &ho, 0);
    else
        return WHELK_E_UNSUPPORTED;
    return r ? wk_api_fail(s, m.host_path ? m.host_path : m.path, r) : WHELK_OK;
}

static void drop_mounts(whelk_session *s)
{
    for (size_t i = 0; i < s->n_mounts; i++) {
        wk_free_const(s->mem, s->mounts[i].path);
        wk_free_const(s->mem, s->mounts[i].host_path);
    }
    wk_free(s->mem, s->mounts);
}

/* A fork of the session mounts the same again. */
static int remember_mounts(whelk_session *s, const whelk_mount *given, size_t n)
{
    if (!n)
        return WHELK_OK;
    s->mounts = wk_calloc(s->mem, n, sizeof *s->mounts);
    if (!s->mounts)
        return WHELK_E_NOMEM;
    for (; s->n_mounts < n; s->n_mounts++) {
        whelk_mount *m = &s->mounts[s->n_mounts];
        (void)wk_api_take_options(m, sizeof *m, &given[s->n_mounts]);
        m->size = sizeof *m;
        const char *host = m->host_path;
        m->path = wk_strndup(s->mem, m->path, strlen(m->path));
        m->host_path = host ? wk_strndup(s->mem, host, strlen(host)) : NULL;
        if (!m->path || (host && !m->host_path)) {
            s->n_mounts++;
            return WHELK_E_NOMEM;
        }
    }
    return WHELK_OK;
}

/* Does /etc/passwd know the name already (a session made from another's files)? */
static bool user_is_known(whelk_session *s, const char *user)
{
    struct wk_cred root = {0, 0, 022, NULL};
    struct wk_vfile *f;
    char text[8192];
    size_t n = strlen(user);
    if (wk_vfs_open(s->vfs, &root, NULL, WK_STR("/etc/passwd"), WK_O_RDONLY, 0, &f) != 0)
        return false;
    int64_t got = wk_vfile_pread(f, text, sizeof text, 0);
    wk_vfile_unref(f);
    struct wk_str rest = wk_str(text, got > 0 ? (size_t)got : 0);
    while (rest.n) {
        if (rest.n > n && memcmp(rest.p, user, n) == 0 && rest.p[n] == ':')
            return true;
        ptrdiff_t nl = wk_str_chr(rest, '\n');
        rest = nl < 0 ? wk_str(NULL, 0) : wk_str_from(rest, (size_t)nl + 1);
    }
    return false;
}

/* Puts a line in front of a file: the first one with a number gives it its name. */
static int put_first(whelk_session *s, const char *path, uint32_t flags, struct wk_buf *line)
{
    struct wk_cred root = {0, 0, 022, NULL};
    struct wk_vfile *f;
    int r = wk_vfs_open(s->vfs, &root, NULL, wk_str_c(path), WK_O_RDWR | flags, 0644, &f);
    if (r)
        return r;
    char text[4096];
    int64_t n, at = 0;
    while ((n = wk_vfile_pread(f, text, sizeof text, at)) > 0) {
        wk_buf_put(line, text, (size_t)n);
        at += n;
    }
    if (n == 0 && !line->failed)
        n = wk_vfile_pwrite(f, line->p, line->n, 0);
    wk_vfile_unref(f);
    if (line->failed)
        return -WK_ENOMEM;
    return n < 0 ? (int)n : 0;
}

/* A user that the shared tree does not know: an entry in /etc/passwd and a home of its own. */
static int add_user(whelk_session *s, const char *user, uint32_t uid, uint32_t gid)
{
    if ((uid == 1000 && strcmp(user, "user") == 0) || (uid == 0 && strcmp(user, "root") == 0))
        return 0;
    struct wk_buf b;
    wk_buf_init(&b, s->mem, 1 << 20);
    wk_buf_fmt(&b, "%s:x:%u:%u:%s:%s:/bin/bash\n", user, uid, gid, user, s->home);
    int r = put_first(s, "/etc/passwd", WK_O_CREAT, &b);
    if (!r && uid != 0) {
        wk_buf_reset(&b);
        wk_buf_fmt(&b, "%s:x:%u:\n", user, gid);
        r = put_first(s, "/etc/group", 0, &b);
        if (r == -WK_ENOENT)
            r = 0;
    }
    wk_buf_release(&b);
    return r;
}

static int make_owned_dir(whelk_session *s, const char *path, uint32_t uid, uint32_t gid)
{
    struct wk_cred root = {0, 0, 022, NULL};
    struct wk_stat st;
    int r = wk_vfs_stat(s->vfs, &root, NULL, wk_str_c(path), 0, &st);
    if (!r)
        return WK_S_ISDIR(st.mode) ? 0 : -WK_ENOTDIR;
    uint64_t ino;
    r = wk_vfs_add_dirs(s->vfs, wk_str_c(path), &ino);
    return r ? r : wk_vfs_chown(s->vfs, &root, NULL, wk_str_c(path), 0, uid, gid);
}

static int add_file(whelk_session *s, const whelk_file *given)
{
    whelk_file f;
    int r = wk_api_take_options(&f, sizeof f, given);
    if (r)
        return r;
    return whelk_write_file(s, f.path, f.data, f.data_len, f.mode);
}

/* ---- the machine and the shell's process --------------------------------------------------------
 */

static int make_env(whelk_session *s, const whelk_session_options *o)
{
    struct wk_buf b;
    wk_buf_init(&b, s->mem, 1 << 20);
    struct wk_str *v = wk_calloc(s->mem, o->n_env + 8, sizeof *v);
    if (!v)
        return -WK_ENOMEM;
    const char *user = s->kern.user;
    const char *names[] = {"HOME=", "USER=", "LOGNAME=", "PATH=", "SHELL=", "LANG="};
    const char *values[] = {s->home,     user,     user, "/usr/local/bin:/usr/bin:/bin",
                            "/bin/bash", "C.UTF-8"};
    size_t n = 0, at[WK_COUNTOF(names)], len[WK_COUNTOF(names)], added = 0;
    for (size_t i = 0; i < o->n_env; i++)
        if (o->env[i] && strchr(o->env[i], '='))
            v[n++] = wk_str_c(o->env[i]);
    for (size_t i = 0; i < WK_COUNTOF(names); i++) {
        bool given = false;
        for (size_t k = 0; k < n && !given; k++)
            given = wk_str_starts(v[k], wk_str_c(names[i])) ||
                    (i == 5 && wk_str_starts(v[k], WK_STR("LC_ALL=")));
        if (given)
            continue;
        at[added] = b.n;
        wk_buf_put_c(&b, names[i]);
        wk_buf_put_c(&b, values[i]);
        len[added] = b.n - at[added];
        added++;
    }
    for (size_t i = 0; i < added; i++)
        v[n++] = wk_str(b.p + at[i], len[i]);
    struct wk_env *e = b.failed ? NULL : wk_env_new(&s->kern, v, n);
    wk_free(s->mem, v);
    wk_buf_release(&b);
    if (!e)
        return -WK_ENOMEM;
    wk_env_unref(s->proc->env);
    s->proc->env = e;
    return 0;
}

static int open_machine(whelk_session *s, const whelk_session_options *o, const char *user,
                        uint32_t uid, uint32_t gid)
{
    s->registry = (struct wk_registry){s, find_command, command_at, wk_delegated_program};
    struct wk_kern_options ko = {.mem = s->mem,
                                 .vfs = s->vfs,
                                 .stacks = s->rt->stacks,
                                 .registry = &s->registry,
                                 .world = &s->rt->world,
                                 .clock = (enum wk_clock_kind)o->clock,
                                 .clock_start_ns = o->clock_start_ns,
                                 .limits = &s->limits,
                                 .seed = o->seed,
                                 .uid = uid,
                                 .gid = gid,
                                 .user = user,
                                 .hostname = o->hostname ? o->hostname : "whelk"};
    int r = wk_kern_init(&s->kern, &ko);
    if (r)
        return r;
    s->kern_ready = true;
    s->kern.owner = s;
    s->kern.job_output = wk_job_output;
    s->kern_options = ko;
    r = wk_proc_fork(s->kern.init, &s->proc);
    if (r)
        return r;
    s->proc->cred.uid = uid;
    s->proc->cred.gid = gid;
    s->proc->cred.umask = o->umask ? o->umask & 0777 : 022;
    r = wk_proc_set_name(s->proc, "whelk");
    if (!r)
        r = make_env(s, o);
    if (r)
        return r;
    const char *cwd = o->cwd ? o->cwd : s->home;
    r = make_owned_dir(s, s->home, uid, gid);
    if (!r)
        r = make_owned_dir(s, cwd, uid, gid);
    struct wk_vdir *d = NULL;
    if (!r)
        r = wk_vfs_dir(s->vfs, &s->proc->cred, NULL, wk_str_c(cwd), &d);
    if (r)
        return wk_api_fail(s, cwd, r), r;
    wk_vdir_unref(s->proc->cwd);
    s->proc->cwd = d;
    return 0;
}

static int build_session(whelk_session *s, const whelk_session_options *o)
{
    bool root = o->user && strcmp(o->user, "root") == 0;
    const char *user = o->user ? o->user : "user";
    uint32_t uid = o->uid || root ? o->uid : 1000;
    uint32_t gid = o->gid || root ? o->gid : uid;
    if (!*user || strlen(user) > 32 || strpbrk(user, ":/\n"))
        return WHELK_E_INVALID;
    struct wk_buf home;
    wk_buf_init(&home, s->mem, 64);
    wk_buf_fmt(&home, root ? "/%s" : "/home/%s", user);
    s->home = wk_buf_take(&home, NULL);
    int r = s->home ? open_vfs(s, o->from ? (const struct wk_snapshot *)o->from : s->rt->base)
                    : -WK_ENOMEM;
    if (!r && !(o->from && user_is_known(s, user)))
        r = add_user(s, user, uid, gid);
    if (r)
        return wk_api_error(r);
    for (size_t i = 0; i < o->n_mounts; i++) {
        r = add_mount(s, &o->mounts[i], uid, gid);
        if (r)
            return r;
    }
    r = remember_mounts(s, o->mounts, o->n_mounts);
    if (r)
        return r;
    r = open_machine(s, o, user, uid, gid);
    if (r)
        return wk_api_error(r);
    r = wk_procfs_mount(&s->kern, WK_STR("/proc"));
    if (r)
        return wk_api_error(r);
    for (size_t i = 0; i < o->n_files; i++) {
        r = add_file(s, &o->files[i]);
        if (r)
            return r;
    }
    return WHELK_OK;
}

static void session_drop(whelk_session *s)
{
    struct wk_mem *m = s->mem;
    s->closing = true;
    if (s->kern_ready)
        wk_kern_stop(&s->kern, WK_STOP_CLOSE, true);
    if (s->run)
        whelk_run_finish(s->run, NULL);
    s->callback_depth++; /* what is told of the end finds the session busy */
    if (s->kern_ready)
        wk_kern_drain(&s->kern);
    if (s->shell)
        wk_shell_free(s->shell);
    if (s->proc) {
        wk_proc_finish(s->proc, (struct wk_exit){0, 0});
        wk_proc_reap(s->proc);
    }
    wk_job_rings_release(s);
    wk_delegations_release(s);
    if (s->kern_ready)
        wk_kern_release(&s->kern);
    wk_host_commands_release(s);
    if (s->shared)
        wk_shared_free(s->shared);
    if (s->names)
        wk_names_free(s->names);
    m->reclaim = NULL;
    wk_vfs_free(s->vfs);
    wk_buf_release(&s->out);
    wk_buf_release(&s->err);
    wk_buf_release(&s->error);
    wk_free(m, s->home);
    drop_mounts(s);
    whelk_runtime *rt = s->rt;
    wk_free(m, s);
    wk_mem_unref(m);
    pthread_mutex_lock(&rt->lock);
    rt->sessions--;
    pthread_mutex_unlock(&rt->lock);
}

static whelk_session *session_new(whelk_runtime *rt, const struct wk_limits *l)
{
    struct wk_mem *m = wk_mem_new(l->memory > SIZE_MAX ? SIZE_MAX : (size_t)l->memory);
    if (!m)
        return NULL;
    m->reserve = MEMORY_RESERVE;
    whelk_session *s = WK_NEW(m, whelk_session);
    if (!s) {
        wk_mem_unref(m);
        return NULL;
    }
    s->rt = rt;
    s->mem = m;
    s->limits = *l;
    wk_buf_init(&s->out, m, SIZE_MAX / 2);
    wk_buf_init(&s->err, m, SIZE_MAX / 2);
    wk_buf_init(&s->error, m, 8192);
    wk_map_init(&s->commands, m, 0, false);
    wk_map_init(&s->delegated, m, 0, false);
    s->hooks = (struct wk_shell_hooks){
        .builtins = wk_builtin_list, .nbuiltins = wk_builtin_list_n, .missing = wk_api_missing};
    pthread_mutex_lock(&rt->lock);
    rt->sessions++;
    pthread_mutex_unlock(&rt->lock);
    return s;
}

int whelk_session_open(whelk_runtime *rt, const whelk_session_options *options, whelk_session **out)
{
    if (!rt || !out)
        return WHELK_E_INVALID;
    *out = NULL;
    whelk_session_options o;
    int r = wk_api_take_options(&o, sizeof o, options);
    if (r)
        return r;
    if ((o.n_env && !o.env) || (o.n_mounts && !o.mounts) || (o.n_files && !o.files))
        return WHELK_E_INVALID;
    if (o.clock < WHELK_CLOCK_REAL || o.clock > WHELK_CLOCK_VIRTUAL)
        return WHELK_E_UNSUPPORTED;
    if (o.clock_start_ns < -WK_CLOCK_REACH || o.clock_start_ns > WK_CLOCK_REACH)
        return WHELK_E_INVALID;
    struct wk_limits l;
    wk_limits_default(&l);
    r = wk_api_take_limits(&l, o.limits);
    if (r)
        return r;
    whelk_session *s = session_new(rt, &l);
    if (!s)
        return WHELK_E_NOMEM;
    s->names = wk_names_new(s->mem, o.seed ? o.seed : 0x9e3779b97f4a7c15u);
    s->shared = wk_shared_new(s->mem);
    r = s->names && s->shared ? build_session(s, &o) : WHELK_E_NOMEM;
    if (r) {
        session_drop(s);
        return r;
    }
    *out = s;
    return WHELK_OK;
}

void whelk_session_close(whelk_session *s)
{
    if (!s || s->closing || s->lent)
        return;
    if (s->callback_depth) {
        s->close_wanted = true;
        whelk_cancel(s);
        return;
    }
    session_drop(s);
}

bool wk_api_leave(whelk_session *s)
{
    if (--s->callback_depth || !s->close_wanted || s->run || s->closing)
        return false;
    session_drop(s);
    return true;
}

void whelk_session_set_user_data(whelk_session *s, void *p)
{
    if (s)
        s->user_data = p;
}

void *whelk_session_user_data(const whelk_session *s)
{
    return s ? s->user_data : NULL;
}

int whelk_session_usage(whelk_session *s, whelk_usage *out)
{
    if (!s || !out || out->size < sizeof(size_t))
        return WHELK_E_INVALID;
    whelk_usage u = {.size = out->size,
                     .memory_bytes = wk_mem_used(s->mem),
                     .memory_peak = s->mem->peak,
                     .tasks = s->kern.proc_count};
    wk_vfs_usage(s->vfs, &u.file_bytes, &u.files);
    memcpy(out, &u, WK_MIN(out->size, sizeof u));
    return WHELK_OK;
}

void whelk_cancel(whelk_session *s)
{
    if (!s)
        return;
    atomic_store(&s->kern.cancel, true);
    wk_kern_wake(&s->kern);
}

void whelk_wake(whelk_session *s)
{
    if (s)
        wk_kern_wake(&s->kern);
}

uint64_t whelk_capabilities(void)
{
    return WHELK_CAP_HOST_MOUNT | WHELK_CAP_OVERLAY_MOUNT | WHELK_CAP_OPENAT2 |
           WHELK_CAP_DEBUG_HOOK;
}

void whelk_free(void *p)
{
    free(p);
}
