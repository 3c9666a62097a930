/* procsub.c - process substitution: <(…) and >(…) (bash 3.5.6) */
#include "interp/jobs.h"
#include "interp/run.h"

struct wk_procsubs {
    struct wk_procsubs *next; /* opened before */
    int fd;
};

enum { HIGH_FD = 63 };

struct wk_procsubs *wk_procsubs_mark(const struct wk_shell *sh)
{
    return sh->now.procsubs;
}

void wk_procsubs_close(struct wk_shell *sh, struct wk_procsubs *mark)
{
    for (; sh->now.procsubs && sh->now.procsubs != mark; sh->now.procsubs = sh->now.procsubs->next)
        (void)wk_fd_close(&sh->proc->fds, sh->now.procsubs->fd);
}

struct ends {
    struct wk_file *child; /* the end that the substitution's process uses */
    bool out;              /* >(…): as its standard input */
};

static int setup(struct wk_shell *sh, struct wk_proc *child, void *ctx)
{
    struct ends *x = ctx;
    (void)sh;
    return wk_fd_set(&child->fds, x->out ? 0 : 1, wk_file_ref(x->child), false);
}

/* The highest free descriptor, as bash takes them. */
static int free_fd(const struct wk_shell *sh)
{
    for (int fd = HIGH_FD; fd > 9; fd--) {
        if (!wk_fd_get(sh->proc->fds, fd))
            return fd;
    }
    return -1;
}

static int place(struct wk_shell *sh, struct wk_file *mine, struct wk_str *path)
{
    struct wk_procsubs *s = wk_arena_alloc(&sh->arena, sizeof *s);
    char *p = wk_arena_alloc(&sh->arena, 24);
    if (!s || !p) {
        wk_file_unref(mine);
        return -WK_ENOMEM;
    }
    int fd = free_fd(sh);
    int e = fd >= 0 ? wk_fd_set(&sh->proc->fds, fd, mine, false)
                    : (fd = wk_fd_add(&sh->proc->fds, HIGH_FD + 1, mine, false));
    if (e < 0)
        return e;
    *s = (struct wk_procsubs){sh->now.procsubs, fd};
    sh->now.procsubs = s;
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, 24);
    wk_buf_fmt(&b, "/dev/fd/%d", fd);
    if (b.failed) {
        wk_buf_release(&b);
        return -WK_ENOMEM;
    }
    memcpy(p, b.p, b.n + 1);
    *path = wk_str(p, b.n);
    wk_buf_release(&b);
    return 0;
}

enum wk_flow wk_procsub_open(struct wk_shell *sh, const struct wk_seg *seg, struct wk_str *path)
{
    struct wk_file *r, *w;
    struct wk_proc *child;
    struct ends x = {.out = (seg->flags & WK_SEG_OUT) != 0};
    wk_subst_jobs(sh, seg->u.cmdsub);
    int e = wk_pipe_new(sh->k, &r, &w);
    if (e)
        return wk_sh_fail(sh, e);
    x.child = x.out ? r : w;
    if (seg->u.cmdsub->body && sh->line)
        wk_cmdsub_number(seg->u.cmdsub, sh->line);
    struct wk_async a = {.body = seg->u.cmdsub->body,
                         .sub = seg->u.cmdsub,
                         .tree = sh->now.tree,
                         .setup = setup,
                         .ctx = &x};
    e = wk_subshell_async(sh, &a, &child);
    wk_file_unref(x.child);
    if (!e)
        e = wk_jobs_add_other(sh, child->pid);
    if (e) {
        wk_file_unref(x.out ? w : r);
        return e == -WK_EAGAIN ? WK_ABORT : wk_sh_fail(sh, e);
    }
    e = place(sh, x.out ? w : r, path);
    if (e == -WK_EMFILE || e == -WK_EBADF) {
        wk_sh_error(sh, "cannot make pipe for process substitution: %s", wk_err_text(e));
        sh->status = 1;
        return WK_ABORT;
    }
    return e ? wk_sh_fail(sh, e) : WK_NEXT;
}
