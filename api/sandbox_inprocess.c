/* sandbox_inprocess.c - the kind "inprocess": a whelk session as a sandbox */
#include "api/sandbox_inprocess.h"

#include "base/num.h"

enum { SLICE_NS = 5000000 };

/* ---- options -------------------------------------------------------------------------------------- */

static int refuse(const whelk_opening *with, const char *option, const char *why)
{
    char text[256];
    size_t n = 0;
    const char *parts[] = {"inprocess: ", option, ": ", why};
    for (size_t i = 0; i < WK_COUNTOF(parts); i++)
        for (const char *p = parts[i]; *p && n + 1 < sizeof text; p++)
            text[n++] = *p;
    text[n] = '\0';
    with->error(with->ctx, text);
    return WHELK_E_UNSUPPORTED;
}

static const char of_docker[] = "an option of the kind docker";
static const char of_host[] = "an option of the kind host";

/* What a session cannot honour, by name. */
static int check_options(const whelk_sandbox_options *o, const whelk_opening *with)
{
    const struct {
        bool given;
        const char *name, *why;
    } rows[] = {
        {o->image, "image", of_docker},
        {o->pull, "pull", of_docker},
        {o->platform, "platform", of_docker},
        {o->endpoint, "endpoint", of_docker},
        {o->setup_script, "setup_script", "an option of the kind docker; run it, or give a snapshot in session->from"},
        {o->setup_timeout_ms, "setup_timeout_ms", of_docker},
        {o->workspace_in_container, "workspace_in_container", of_docker},
        {o->workspace_path, "workspace_path", "an option of the kind docker; workspace names it here"},
        {o->runtime, "runtime", of_docker},
        {o->read_only_root, "read_only_root", of_docker},
        {o->n_ports, "ports", "a session has no network"},
        {o->isolation, "isolation", of_host},
        {o->inherit_env, "inherit_env", of_host},
        {o->cpu_milli, "cpu_milli", "a session runs when its program calls; session->limits bounds its steps"},
        {o->n_extra, "extra", "this kind has no further options"},
        {o->network && strcmp(o->network, "none") != 0, "network", "a session has no network: only \"none\""},
        {o->delete_on_cleanup == WHELK_NO, "delete_on_cleanup",
         "files of a session end with it: take a snapshot to keep them"},
    };
    for (size_t i = 0; i < WK_COUNTOF(rows); i++)
        if (rows[i].given)
            return refuse(with, rows[i].name, rows[i].why);
    if (o->workspace && o->workspace[0] != '/') {
        with->error(with->ctx, "inprocess: workspace: wants an absolute path");
        return WHELK_E_INVALID;
    }
    return WHELK_OK;
}

/* "uid[:gid]" */
static bool parse_user(const char *text, uint32_t *uid, uint32_t *gid)
{
    struct wk_str s = wk_str_c(text);
    ptrdiff_t colon = wk_str_chr(s, ':');
    int64_t u, g;
    if (wk_parse_i64(colon < 0 ? s : wk_str_take(s, (size_t)colon), 10, &u) != 0 || u < 0 || u >= UINT32_MAX)
        return false;
    g = u;
    if (colon >= 0 && (wk_parse_i64(wk_str_from(s, (size_t)colon + 1), 10, &g) != 0 || g < 0 || g >= UINT32_MAX))
        return false;
    *uid = (uint32_t)u;
    *gid = (uint32_t)g;
    return true;
}

/* ---- opening -------------------------------------------------------------------------------------- */

static void close_box(void *box, int keep)
{
    struct wk_inproc_box *b = box;
    struct wk_mem *m = b->mem;
    (void)keep;
    if (b->s) {
        wk_inproc_drop_all(b);
        wk_inproc_changes_release(b);
        b->s->lent = false;
        whelk_session_close(b->s);
    }
    if (b->rt)
        whelk_runtime_free(b->rt);
    for (size_t i = 0; i < b->n_env; i++)
        wk_free(m, b->env[i]);
    wk_free(m, b->env);
    wk_free(m, b->workspace);
    wk_free(m, b->description);
    wk_free(m, b->shell);
    wk_free(m, b->shell_path);
    wk_free(m, b->home);
    wk_free(m, b->path);
    wk_buf_release(&b->words);
    wk_free(m, b);
    wk_mem_unref(m);
}

static int open_session(struct wk_inproc_box *b, const whelk_sandbox_options *o, const whelk_opening *with)
{
    whelk_session_options so;
    whelk_limits limits;
    int r = wk_api_take_options(&so, sizeof so, o->session);
    if (!r)
        r = wk_api_take_options(&limits, sizeof limits, so.limits);
    if (r) {
        with->error(with->ctx, "inprocess: session: a struct without its size, or of another library");
        return r;
    }
    so.size = sizeof so;
    limits.size = sizeof limits;
    so.limits = &limits;
    if (o->memory_bytes)
        limits.memory_bytes = o->memory_bytes;
    if (o->pids)
        limits.tasks = o->pids;
    b->output_max = limits.output_bytes ? limits.output_bytes : UINT64_MAX;
    const char *workspace = o->workspace ? o->workspace : so.cwd ? so.cwd : "/workspace";
    so.cwd = workspace;
    whelk_runtime *rt = o->runtime_of_session;
    if (!rt) {
        r = whelk_runtime_new(NULL, &b->rt);
        rt = b->rt;
    }
    if (!r)
        r = whelk_session_open(rt, &so, &b->s);
    if (!r)
        b->s->lent = true;
    const whelk_result *result;
    if (!r) /* its shell lends the others names and builtins */
        r = whelk_exec(b->s, "", &result);
    b->workspace = wk_strndup(b->mem, workspace, strlen(workspace));
    if (r || !b->workspace) {
        wk_buf_fmt(&b->words, "inprocess: the session does not open: %s", whelk_strerror(r ? r : WHELK_E_NOMEM));
        with->error(with->ctx, wk_buf_c(&b->words));
    }
    return r ? r : b->workspace ? WHELK_OK : WHELK_E_NOMEM;
}

static char *copy_variable(struct wk_inproc_box *b, const char *name, const char *otherwise)
{
    const char *v = wk_env_get(b->s->proc->env, name);
    v = v ? v : otherwise;
    return wk_strndup(b->mem, v, strlen(v));
}

/* What a command of the session has in its environment, besides what the library gives every one. */
static int take_env(struct wk_inproc_box *b)
{
    const struct wk_env *e = b->s->proc->env;
    b->home = copy_variable(b, "HOME", "/");
    b->path = copy_variable(b, "PATH", "/usr/local/bin:/usr/bin:/bin");
    const char **v = wk_calloc(b->mem, (size_t)e->n + 1, sizeof *v);
    b->env = wk_calloc(b->mem, (size_t)e->n + 1, sizeof *b->env);
    int r = !v || !b->env || !b->home || !b->path || wk_env_listed(e, b->mem, v) != 0 ? WHELK_E_NOMEM : WHELK_OK;
    for (uint32_t i = 0; i < e->n && !r; i++) {
        if (strncmp(v[i], "HOME=", 5) == 0 || strncmp(v[i], "PATH=", 5) == 0)
            continue;
        b->env[b->n_env] = wk_strndup(b->mem, v[i], strlen(v[i]));
        if (b->env[b->n_env])
            b->n_env++;
        else
            r = WHELK_E_NOMEM;
    }
    wk_free(b->mem, v);
    return r;
}

/* The shell of scripts: bash, unless another of the session's is wanted. */
static int take_shell(struct wk_inproc_box *b, const whelk_sandbox_options *o, const whelk_opening *with)
{
    const char *name = o->shell ? o->shell : "bash";
    struct wk_image im;
    char *found = NULL;
    int r = 0;
    if (strchr(name, '/'))
        found = wk_strndup(b->s->kern.mem, name, strlen(name));
    else
        r = wk_path_search(b->s->proc, WK_STR("/usr/local/bin:/usr/bin:/bin"), wk_str_c(name), &found);
    if (!r)
        r = found ? wk_image_probe(b->s->proc, found, &im) : -WK_ENOMEM;
    if (!r && (im.kind != WK_IMAGE_COMMAND || !(im.command->flags & WK_CMD_SHELL)))
        r = -WK_ENOEXEC;
    if (!r) {
        b->shell = wk_strndup(b->mem, name, strlen(name));
        b->shell_path = wk_strndup(b->mem, found, strlen(found));
    }
    wk_free(b->s->kern.mem, found);
    if (r == -WK_ENOMEM || (!r && (!b->shell || !b->shell_path)))
        return WHELK_E_NOMEM;
    return r ? refuse(with, "shell", "the shells of a session are bash and sh") : WHELK_OK;
}

static bool reaches_host(const whelk_session *s)
{
    for (size_t i = 0; i < s->n_mounts; i++)
        if (s->mounts[i].kind != WHELK_MOUNT_MEMORY)
            return true;
    return false;
}

static int take_facts(struct wk_inproc_box *b, const whelk_sandbox_options *o, whelk_box_facts *f)
{
    bool host = reaches_host(b->s);
    struct wk_buf d;
    wk_buf_init(&d, b->mem, 1024);
    wk_buf_fmt(&d, "whelk session in this process, network none, memory %llu MiB, %llu processes%s",
               (unsigned long long)(b->s->limits.memory >> 20), (unsigned long long)b->s->limits.tasks,
               host ? ", directories of the host mounted" : "");
    b->description = wk_buf_take(&d, NULL);
    if (!b->description)
        return WHELK_E_NOMEM;
    uint64_t can = WHELK_BOX_EXEC | WHELK_BOX_STDIN | WHELK_BOX_TTY | WHELK_BOX_SIGNAL | WHELK_BOX_USER |
                   WHELK_BOX_SNAPSHOT | WHELK_BOX_NETWORK_NONE | WHELK_BOX_LIMIT_MEMORY | WHELK_BOX_LIMIT_PIDS;
    can |= o->background == WHELK_NO ? 0 : WHELK_BOX_BACKGROUND;
    can |= host ? 0 : WHELK_BOX_ISOLATED;
    whelk_box_facts facts = {.size = f->size,
                             .capabilities = can,
                             .workspace = b->workspace,
                             .home = b->home,
                             .shell = b->shell,
                             .path = b->path,
                             .env = (const char *const *)b->env,
                             .n_env = b->n_env,
                             .description = b->description};
    memcpy(f, &facts, WK_MIN(f->size, sizeof facts));
    return WHELK_OK;
}

static int open_box(void *ctx, const whelk_sandbox_options *o, const whelk_opening *with, void **box,
                    whelk_box_facts *facts)
{
    (void)ctx;
    *box = NULL;
    int r = check_options(o, with);
    if (r)
        return r;
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_inproc_box *b = m ? WK_NEW(m, struct wk_inproc_box) : NULL;
    if (!b) {
        wk_mem_unref(m);
        return WHELK_E_NOMEM;
    }
    b->mem = m;
    wk_buf_init(&b->words, m, 8192);
    r = open_session(b, o, with);
    if (!r) {
        b->uid = b->s->proc->cred.uid;
        b->gid = b->s->proc->cred.gid;
        if (o->user && !parse_user(o->user, &b->uid, &b->gid)) {
            with->error(with->ctx, "inprocess: user: wants UID or UID:GID");
            r = WHELK_E_INVALID;
        }
    }
    if (!r && o->user) { /* whose workspace it is */
        struct wk_cred root = {0, 0, 022, NULL};
        r = wk_api_error(wk_vfs_chown(b->s->vfs, &root, NULL, wk_str_c(b->workspace), 0, b->uid, b->gid));
    }
    if (!r)
        r = take_env(b);
    if (!r)
        r = take_shell(b, o, with);
    if (!r)
        r = take_facts(b, o, facts);
    if (r) {
        close_box(b, WHELK_DEFAULT);
        return r;
    }
    *box = b;
    return WHELK_OK;
}

/* ---- moving ---------------------------------------------------------------------------------------- */

/* Called from what a pump, or a run of the program's, has called: nothing moves until that returns. */
static bool is_inside(const struct wk_inproc_box *b)
{
    return b->depth || b->s->callback_depth;
}

static size_t poll_box(void *box, int *fds, short *events, size_t cap, int64_t *timeout_ms)
{
    enum { MOST = 64 };
    struct wk_inproc_box *b = box;
    struct wk_kern *k = &b->s->kern;
    struct wk_wait_fd v[MOST];
    int64_t at;
    *timeout_ms = -1;
    if (is_inside(b))
        return 0;
    size_t n = wk_sched_wait_info(k, v, WK_MIN(cap, (size_t)MOST), &at);
    for (size_t i = 0; i < n; i++) {
        fds[i] = v[i].fd;
        events[i] = v[i].events;
    }
    for (const struct wk_inproc_process *p = b->processes; p; p = p->next)
        at = WK_MIN(at, wk_inproc_deadline(p));
    if (b->again || k->run_first || k->req_first || atomic_load(&k->woken))
        *timeout_ms = 0;
    else if (at != WK_FOREVER) {
        int64_t left = at - wk_clock_host(&k->clock);
        *timeout_ms = left > 0 ? left / 1000000 + 1 : 0;
    }
    return n;
}

static int pump_box(void *box)
{
    struct wk_inproc_box *b = box;
    whelk_session *s = b->s;
    if (is_inside(b))
        return WHELK_OK;
    b->depth++;
    s->callback_depth++;
    b->again = false;
    if (!s->kern.run_first)
        (void)wk_sched_wait(&s->kern, 0); /* what descriptors have to say */
    if (s->kern.task_count || s->kern.req_first)
        (void)wk_sched_run(&s->kern, NULL, 0, SLICE_NS);
    for (struct wk_inproc_process *p = b->processes; p; p = p->next)
        wk_inproc_advance(p);
    wk_inproc_sweep(b);
    s->callback_depth--;
    b->depth--;
    return WHELK_OK;
}

static int refuse_port(void *box, uint32_t id, uint16_t port, void (*done)(void *ctx, int code), void *ctx)
{
    (void)box, (void)id, (void)port, (void)done, (void)ctx;
    return WHELK_E_UNSUPPORTED; /* nothing in a session listens */
}

static int take_snapshot(void *box, whelk_snapshot **out)
{
    struct wk_inproc_box *b = box;
    return whelk_snapshot_take(b->s, out);
}

static int restore_snapshot(void *box, const whelk_snapshot *snapshot)
{
    struct wk_inproc_box *b = box;
    return whelk_snapshot_restore(b->s, snapshot);
}

static whelk_session *session_of(void *box)
{
    struct wk_inproc_box *b = box;
    return b->s;
}

const whelk_sandbox_kind wk_inprocess_kind = {.size = sizeof(whelk_sandbox_kind),
                                              .name = "inprocess",
                                              .open = open_box,
                                              .close = close_box,
                                              .poll = poll_box,
                                              .pump = pump_box,
                                              .start = wk_inproc_start,
                                              .welcome = wk_inproc_welcome,
                                              .write = wk_inproc_write,
                                              .signal = wk_inproc_signal,
                                              .resize = wk_inproc_resize,
                                              .log = wk_inproc_read_log,
                                              .stop_waiting = wk_inproc_stop_waiting,
                                              .forget = wk_inproc_forget,
                                              .wait_port = refuse_port,
                                              .file = wk_inproc_file,
                                              .snapshot = take_snapshot,
                                              .restore = restore_snapshot,
                                              .session = session_of};
