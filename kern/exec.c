/* exec.c - from a path to a running command: what a file holds, PATH search, spawn, exec */
#include "kern/cmd.h"

#include "kern/sched.h"

enum { ENV_PATH_MAX = 1 << 16 };

/* ---- what a file holds
 * ----------------------------------------------------------------------------------- */

static void parse_interp(const char *p, size_t n, struct wk_image *out)
{
    out->kind = WK_IMAGE_INTERP;
    const char *e = memchr(p, '\n', n);
    if (e)
        n = (size_t)(e - p);
    struct wk_str line = wk_str(p, n);
    while (line.n && (line.p[0] == ' ' || line.p[0] == '\t'))
        line = wk_str_from(line, 1);
    while (line.n && (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\t'))
        line.n--;
    size_t k = 0;
    while (k < line.n && line.p[k] != ' ' && line.p[k] != '\t')
        k++;
    size_t m = WK_MIN(k, sizeof out->interp - 1);
    memcpy(out->interp, line.p, m);
    out->interp[m] = '\0';
    while (k < line.n && (line.p[k] == ' ' || line.p[k] == '\t'))
        k++;
    m = WK_MIN(line.n - k, sizeof out->arg - 1);
    memcpy(out->arg, line.p + k, m);
    out->arg[m] = '\0';
}

static bool looks_binary(const char *p, size_t n)
{
    /* As bash: a NUL in the first line. */
    const char *e = n ? memchr(p, '\n', n) : NULL;
    return n && memchr(p, '\0', e ? (size_t)(e - p) : n) != NULL;
}

int wk_image_probe(struct wk_proc *p, const char *path, struct wk_image *out)
{
    struct wk_vfs *vfs = p->k->vfs;
    struct wk_stat st;
    char head[512];
    struct wk_str s = wk_str_c(path);
    *out = (struct wk_image){.kind = WK_IMAGE_SCRIPT};
    int r = wk_vfs_stat(vfs, &p->cred, p->cwd, s, 0, &st);
    if (r)
        return r;
    if (WK_S_ISDIR(st.mode))
        return -WK_EISDIR;
    if (!WK_S_ISREG(st.mode))
        return -WK_EACCES;
    r = wk_vfs_access(vfs, &p->cred, p->cwd, s, 0, WK_X_OK);
    if (r)
        return r;
    struct wk_cred root = {0, 0, 022, NULL}; /* executing needs no read permission */
    struct wk_vfile *f;
    r = wk_vfs_open(vfs, &root, p->cwd, s, WK_O_RDONLY, 0, &f);
    if (r)
        return r;
    int64_t n = wk_vfile_pread(f, head, sizeof head, 0);
    wk_vfile_unref(f);
    if (n < 0)
        return (int)n;
    static const char magic[] = WK_COMMAND_MAGIC;
    size_t len = sizeof magic - 1;
    if ((size_t)n > len && memcmp(head, magic, len) == 0) {
        const char *e = memchr(head + len, '\n', (size_t)n - len);
        struct wk_str name = wk_str(head + len, (e ? (size_t)(e - head) : (size_t)n) - len);
        out->kind = WK_IMAGE_COMMAND;
        out->command = p->k->registry ? p->k->registry->find(p->k->registry->ctx, name) : NULL;
        return out->command ? 0 : -WK_ENOENT;
    }
    bool interp = n > 2 && head[0] == '#' && head[1] == '!';
    if (interp)
        parse_interp(head + 2, (size_t)n - 2, out);
    if (!interp || !out->interp[0]) { /* a script; `#!' and nothing is one, too */
        out->kind = WK_IMAGE_SCRIPT;
        out->binary = looks_binary(head, (size_t)n);
    }
    return 0;
}

int wk_path_search(struct wk_proc *p, struct wk_str path, struct wk_str name, char **out)
{
    struct wk_buf b;
    int result = -WK_ENOENT;
    char *denied = NULL;
    *out = NULL;
    wk_buf_init(&b, p->k->mem, ENV_PATH_MAX);
    for (bool more = true; more;) {
        ptrdiff_t colon = wk_str_chr(path, ':');
        struct wk_str dir = colon < 0 ? path : wk_str_take(path, (size_t)colon);
        more = colon >= 0;
        if (more)
            path = wk_str_from(path, (size_t)colon + 1);
        wk_buf_reset(&b);
        wk_buf_puts(&b, dir);
        if (dir.n && dir.p[dir.n - 1] != '/')
            wk_buf_putc(&b, '/');
        else if (!dir.n)
            wk_buf_put_c(&b, "./");
        if (!wk_buf_puts(&b, name))
            break;
        struct wk_stat st;
        if (wk_vfs_stat(p->k->vfs, &p->cred, p->cwd, wk_buf_str(&b), 0, &st) != 0 ||
            !WK_S_ISREG(st.mode))
            continue;
        if (wk_vfs_access(p->k->vfs, &p->cred, p->cwd, wk_buf_str(&b), 0, WK_X_OK) == 0) {
            *out = wk_buf_take(&b, NULL);
            break;
        }
        if (result == -WK_ENOENT)
            denied = wk_buf_take(&b, NULL);
        result = -WK_EACCES;
    }
    bool failed = b.failed;
    wk_buf_release(&b);
    if (*out) {
        wk_free(p->k->mem, denied);
        return 0;
    }
    *out = denied;
    return failed ? -WK_ENOMEM : result;
}

/* ---- images: a command with its arguments, copied
 * ------------------------------------------------------------- */

struct exec_image {
    const struct wk_command *command;
    int argc;
    int name;     /* the argument that names the process: of a script its path */
    char *argv[]; /* and the strings behind */
};

void wk_exec_release(struct wk_proc *p)
{
    wk_free(p->k->mem, p->exec);
    p->exec = NULL;
}

char *const *wk_exec_argv(const struct wk_proc *p)
{
    const struct exec_image *im = p->exec;
    return im ? im->argv : NULL;
}

/* `front` words stand before argv[from…]. */
static struct exec_image *image_new(struct wk_kern *k, const struct wk_command *command,
                                    const char *const *front, size_t nfront, size_t argc,
                                    const char *const *argv, size_t from)
{
    size_t n = nfront + (argc > from ? argc - from : 0), bytes;
    if (n > INT32_MAX / 16)
        return NULL;
    bytes = sizeof(struct exec_image) + (n + 1) * sizeof(char *);
    for (size_t i = 0; i < nfront; i++)
        bytes += strlen(front[i]) + 1;
    for (size_t i = from; i < argc; i++)
        bytes += strlen(argv[i]) + 1;
    struct exec_image *im = wk_alloc(k->mem, bytes);
    if (!im)
        return NULL;
    im->command = command;
    im->name = 0;
    im->argc = (int)n;
    char *p = (char *)&im->argv[n + 1];
    for (size_t i = 0; i < n; i++) {
        const char *s = i < nfront ? front[i] : argv[from + i - nfront];
        size_t len = strlen(s) + 1;
        memcpy(p, s, len);
        im->argv[i] = p;
        p += len;
    }
    im->argv[n] = NULL;
    return im;
}

/* As many #! lines as Linux follows. */
enum { INTERP_MAX = 5, FRONT_MAX = 2 + 2 * INTERP_MAX };

struct resolution {
    const char *front[FRONT_MAX]; /* words that replace argv[0] */
    size_t nfront;
    size_t name; /* of these, what was asked for */
    const struct wk_command *command;
};

static const struct wk_command *find_command(struct wk_kern *k, const char *name)
{
    return k->registry ? k->registry->find(k->registry->ctx, wk_str_c(name)) : NULL;
}

/* The interpreter, its argument and the script take the place of the first word. */
static void put_interpreter(struct resolution *r, const struct wk_image *im, const char *script)
{
    size_t n = im->arg[0] ? 3 : 2;
    memmove(r->front + n, r->front + 1, (r->nfront - 1) * sizeof r->front[0]);
    r->nfront += n - 1;
    r->front[0] = im->interp;
    if (im->arg[0])
        r->front[1] = im->arg;
    r->front[n - 1] = script;
    r->name = r->nfront - 1;
}

/* A program of another machine, or a script for one: whether something runs it there, as a whole. */
static bool is_foreign(struct wk_proc *p, const char *path, struct resolution *r)
{
    const struct wk_registry *g = p->k->registry;
    r->command = g && g->foreign ? g->foreign(g->ctx, p, path) : NULL;
    r->front[0] = path;
    r->nfront = 1;
    r->name = 0;
    return r->command != NULL;
}

/* Follow #! lines until a command stands there. The words are in images and path. */
static int resolve(struct wk_proc *p, const char *path, const struct wk_spawn *s, struct resolution *r,
                   struct wk_image *images)
{
    const char *script = path;
    r->front[0] = s->argv[0];
    r->nfront = 1;
    for (int depth = 0; depth <= INTERP_MAX; depth++) {
        struct wk_image *im = &images[depth];
        int e = wk_image_probe(p, path, im);
        if (e == -WK_ENOENT && depth && is_foreign(p, script, r))
            return 0;
        if (e)
            return e == -WK_EISDIR && depth ? -WK_EACCES : e;
        if (im->kind == WK_IMAGE_COMMAND) {
            r->command = im->command;
            return 0;
        }
        if (im->kind == WK_IMAGE_SCRIPT) { /* also one that another names as its interpreter */
            if (im->binary)
                return is_foreign(p, script, r) ? 0 : -WK_ENOEXEC;
            r->front[0] = s->shell ? s->shell : "sh";
            r->front[1] = script;
            r->nfront = 2;
            r->name = 0;
            r->command = find_command(p->k, r->front[0]);
            return r->command ? 0 : -WK_ENOEXEC;
        }
        if (depth == INTERP_MAX)
            break;
        put_interpreter(r, im, path);
        path = im->interp;
    }
    return -WK_ELOOP;
}

static struct exec_image *image_for(struct wk_proc *p, const struct wk_spawn *s, int *err)
{
    struct wk_image images[INTERP_MAX + 1];
    struct resolution r = {.command = s->command};
    char *found = NULL;
    const char *path = s->path;
    *err = 0;
    if (s->argc == 0) {
        *err = -WK_EINVAL;
        return NULL;
    }
    if (!s->command) {
        if (!path && strchr(s->argv[0], '/'))
            path = s->argv[0];
        if (!path) {
            const char *env = wk_env_get(s->env ? s->env : p->env, "PATH");
            *err = wk_path_search(p, wk_str_c(env ? env : "/usr/local/bin:/usr/bin:/bin"),
                                  wk_str_c(s->argv[0]), &found);
            path = found;
        }
        if (!*err)
            *err = resolve(p, path, s, &r, images);
    } else {
        r.front[0] = s->argv[0];
        r.nfront = 1;
    }
    struct exec_image *im = NULL;
    if (!*err) {
        im = image_new(p->k, r.command, r.front, r.nfront, s->argc, s->argv, 1);
        if (im)
            im->name = (int)r.name;
        else
            *err = -WK_ENOMEM;
    }
    wk_free(p->k->mem, found);
    return im;
}

/* ---- the task of a command
 * ----------------------------------------------------------------------------------------- */

static void shell_task(struct wk_task *t)
{
    struct exec_image *im = t->proc->exec;
    im->command->shell_main(t, im->argc, im->argv);
}

static void leaf_task(struct wk_task *t)
{
    struct exec_image *im = t->proc->exec;
    wk_cmd_run_main(t, im->command, im->argc, im->argv);
}

/* Put `im` on the process with a task to run it; the old image and heap are dropped on success. */
static int install(struct wk_proc *p, struct exec_image *im)
{
    struct wk_kern *k = p->k;
    bool shell = im->command->flags & WK_CMD_SHELL;
    struct wk_task *t;
    int r = wk_proc_set_name(p, im->argv[im->name]);
    if (!r)
        r = wk_fd_close_on_exec(&p->fds);
    if (!r)
        r = wk_task_new(k, p, !shell, shell ? shell_task : leaf_task, NULL, &t);
    if (r)
        return r;
    struct wk_heap *heap = NULL;
    if (!shell && !(heap = wk_heap_new(t, k->mem))) {
        wk_task_cancel(t);
        return -WK_ENOMEM;
    }
    if (p->heap)
        wk_heap_drop(p->heap);
    wk_exec_release(p);
    p->heap = heap;
    p->exec = im;
    p->command = im->command;
    p->task = t;
    p->sig_caught = 0;
    t->background = p->background;
    return 0;
}

int wk_exec_on(struct wk_proc *child, const struct wk_spawn *s)
{
    int r;
    struct exec_image *im = image_for(child, s, &r);
    if (!im)
        return r;
    if (s->env) {
        struct wk_env *old = child->env;
        child->env = wk_env_ref(s->env);
        wk_env_unref(old);
    }
    if (s->cwd) {
        struct wk_vdir *old = child->cwd;
        child->cwd = wk_vdir_ref(s->cwd);
        wk_vdir_unref(old);
    }
    if (s->pgid)
        child->pgid = s->pgid == 1 ? child->pid : s->pgid;
    child->background = child->background || s->background;
    if (s->cmdline)
        r = wk_proc_set_cmdline(child, s->cmdline);
    if (!r)
        r = install(child, im);
    if (r)
        wk_free(child->k->mem, im);
    return r;
}

int wk_spawn(struct wk_proc *parent, const struct wk_spawn *s, struct wk_proc **out)
{
    int r = wk_proc_fork(parent, out);
    if (r)
        return r;
    r = wk_exec_on(*out, s);
    if (!r)
        return 0;
    wk_proc_finish(*out, (struct wk_exit){127, 0});
    wk_proc_reap(*out);
    *out = NULL;
    return r;
}
