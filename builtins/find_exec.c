/* find_exec.c - actions of find that change or start something */
#include "builtins/find.h"
#include "builtins/launch.h"

/* An argument list for one command is kept below this many bytes. */
#define FIND_BATCH_BYTES ((size_t)131072)

/* Runs argv in `dir` and waits. False when it could not be started (reported) or did not succeed. */
static bool run(struct wk_find *f, char **argv, size_t argc, struct wk_vdir *dir)
{
    struct wk_cmd *c = f->c;
    struct wk_spawn how = {.argc = argc, .argv = (const char *const *)argv, .cwd = dir};
    struct wk_proc *p, *done = NULL;
    (void)wk_out_flush(c->out);
    (void)wk_out_flush(c->err);
    wk_in_unshare(c->in);
    int r = wk_spawn(c->proc, &how, &p);
    if (r < 0) {
        wk_out_fmt(c->err, "%s: %s: %s\n", c->name, wk_quote_arg(c, argv[0]),
                   wk_err_text(wk_launch_err(-r)));
        return false;
    }
    int64_t pid = (int64_t)p->pid;
    r = wk_proc_wait(c->task, c->proc, pid, WK_WAIT_NOINTR, &done);
    if (r < 0 || !done)
        return false;
    struct wk_exit e = done->exit;
    wk_proc_reap(done);
    if (e.signal)
        c->status = 1;
    return e.code == 0 && e.signal == 0;
}

/* The present file as -execdir names it, and the directory it is in. */
static const char *dir_name(struct wk_find *f, struct wk_vdir **dir, bool *release)
{
    struct wk_cmd *c = f->c;
    size_t n;
    *release = false;
    *dir = wk_ftw_dir(f->t);
    const char *base = wk_find_base(f, &n);
    if (*dir || f->t->depth)
        return wk_strf(c, "./%.*s", (int)n, base);
    const char *path = f->t->path;
    if (base > path && base < path + f->t->path_n) { /* an operand with directories in it */
        char *where = wk_dupn(c, path, (size_t)(base - path));
        if (wk_vfs_dir(c->k->vfs, &c->proc->cred, c->proc->cwd, wk_str_c(where), dir) < 0)
            *dir = NULL;
        else
            *release = true;
        f->held = *release ? *dir : NULL;
    }
    return *base == '/' ? "/" : wk_strf(c, "./%s", base);
}

/* Every {} replaced. */
static char *fill_in(struct wk_find *f, const char *arg, const char *name)
{
    const char *at = strstr(arg, "{}");
    if (!at)
        return wk_dup(f->c, arg);
    struct wk_fifo_buf b = {0};
    for (; at; arg = at + 2, at = strstr(arg, "{}")) {
        wk_fifo_put(f->c, &b, arg, (size_t)(at - arg));
        wk_fifo_put(f->c, &b, name, strlen(name));
    }
    wk_fifo_put(f->c, &b, arg, strlen(arg) + 1);
    return b.p;
}

static bool confirmed(struct wk_find *f, const struct wk_find_pred *p)
{
    struct wk_cmd *c = f->c;
    (void)wk_out_flush(c->out);
    wk_out_fmt(c->err, "< %s ... %s > ? ", p->argv[0], f->t->path);
    return wk_ask(c);
}

static void run_batch(struct wk_find *f, struct wk_find_pred *p)
{
    struct wk_find_batch *b = &p->batch;
    size_t fixed = p->argc - 1; /* without the {} */
    if (b->n <= fixed)
        return;
    b->v[b->n] = NULL;
    if (!run(f, b->v, b->n, b->dir))
        f->c->status = 1;
    for (size_t i = fixed; i < b->n; i++)
        wk_heap_free(f->c->heap, b->v[i]);
    b->n = 0;
    b->bytes = 0;
    b->dir = NULL;
}

static void add_to_batch(struct wk_find *f, struct wk_find_pred *p, const char *name,
                         struct wk_vdir *dir)
{
    struct wk_find_batch *b = &p->batch;
    struct wk_cmd *c = f->c;
    size_t len = strlen(name) + 1 + sizeof(char *);
    if (b->n > p->argc - 1 && (b->bytes + len > FIND_BATCH_BYTES || b->dir != dir))
        run_batch(f, p);
    if (b->n + p->argc + 2 > b->cap) {
        b->cap = (b->cap + p->argc + 2) * 2;
        b->v = (char **)wk_heap_realloc(c->heap, b->v, b->cap * sizeof *b->v);
    }
    for (; b->n < p->argc - 1; b->n++) {
        b->v[b->n] = p->argv[b->n];
        b->bytes += strlen(p->argv[b->n]) + 1 + sizeof(char *);
    }
    b->v[b->n++] = wk_dup(c, name);
    b->bytes += len;
    b->dir = dir;
}

static void let_go(struct wk_find *f)
{
    struct wk_vdir *dir = f->held;
    f->held = NULL;
    wk_vdir_unref(dir);
}

bool wk_find_exec(struct wk_find *f, struct wk_find_pred *p)
{
    struct wk_cmd *c = f->c;
    struct wk_vdir *dir = NULL;
    bool release = false;
    const char *name = f->t->path;
    if (p->confirm && !confirmed(f, p))
        return false;
    if (p->in_dir)
        name = dir_name(f, &dir, &release);
    if (p->plus) {
        add_to_batch(f, p, name, dir);
        if (release) { /* an operand's directory is not kept */
            run_batch(f, p);
            let_go(f);
        }
        return true;
    }
    char **argv = wk_new_n(c, char *, p->argc + 1);
    for (size_t i = 0; i < p->argc; i++)
        argv[i] = fill_in(f, p->argv[i], name);
    bool ok = run(f, argv, p->argc, dir);
    for (size_t i = 0; i < p->argc; i++)
        wk_heap_free(c->heap, argv[i]);
    wk_heap_free(c->heap, argv);
    if (release)
        let_go(f);
    return ok;
}

void wk_find_flush(struct wk_find *f, bool dirs_only)
{
    for (size_t i = 0; i < f->preds_n; i++) {
        struct wk_find_pred *p = f->preds[i];
        if (p->plus && (p->in_dir || !dirs_only))
            run_batch(f, p);
    }
}

bool wk_find_delete(struct wk_find *f, struct wk_find_pred *p)
{
    struct wk_cmd *c = f->c;
    struct wk_vdir *dir = wk_ftw_dir(f->t);
    const char *name = wk_ftw_name(f->t);
    (void)p;
    if (strcmp(f->t->path, ".") == 0)
        return true;
    int err = wk_find_type(f) == WK_S_IFDIR ? wk_at_rmdir(c, dir, name) : wk_at_unlink(c, dir, name);
    if (!err)
        return true;
    wk_msg(c, "cannot delete %s: %s", wk_quote_arg(c, f->t->path), wk_err_text(err));
    return false;
}

bool wk_find_prune(struct wk_find *f, struct wk_find_pred *p)
{
    (void)p;
    f->prune = true;
    return true;
}

bool wk_find_quit(struct wk_find *f, struct wk_find_pred *p)
{
    (void)p;
    f->quit = true;
    return true;
}
