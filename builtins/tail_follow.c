/* tail_follow.c - print what is appended to files */
#include "builtins/tail.h"

#define POLL_IN 1
#define POLL_OUT 4
#define POLL_ERR 8

/* A change is seen within this time when no interval was asked for. */
#define TAIL_WAKE_NS INT64_C(100000000)

void wk_tail_header(struct wk_tail *t, const struct wk_tail_file *f)
{
    if (t->headers && t->last_shown != f)
        wk_out_fmt(t->c->out, "%s==> %s <==\n", t->last_shown ? "\n" : "", f->shown);
    t->last_shown = f;
}

static void close_file(struct wk_tail *t, struct wk_tail_file *f)
{
    if (f->in && f->in != t->c->in)
        wk_in_close(f->in);
    f->in = NULL;
}

static bool is_readable(struct wk_file *file)
{
    return !file->ops->poll || (file->ops->poll(file, POLL_IN) & ~POLL_OUT) != 0;
}

/* Copies what is there now. */
static bool copy_new(struct wk_tail *t, struct wk_tail_file *f)
{
    struct wk_cmd *c = t->c;
    struct wk_stat st;
    bool any = false;
    struct wk_file *file = f->in->file;
    bool regular = WK_S_ISREG(f->st.mode);
    if (regular && wk_file_stat(file, &st) >= 0) {
        int64_t at = wk_file_seek(file, 0, 1);
        if (at >= 0 && st.size < (uint64_t)at) {
            wk_out_fmt(c->err, "%s: %s: file truncated\n", c->name, f->shown);
            (void)wk_file_seek(file, 0, 0);
        }
    }
    while (regular || is_readable(file)) {
        const char *p;
        int err;
        size_t n = wk_raw_next(c, f->in, &p, &err);
        if (n == 0) {
            if (err) {
                wk_msg(c, "error reading %s: %s", wk_quote(c, f->shown), wk_err_text(err));
                close_file(t, f);
            }
            break;
        }
        wk_tail_header(t, f);
        wk_raw_pass(c, f->in, p, n);
        if (wk_out_flush(c->out))
            wk_exit(c, 1);
        any = true;
    }
    return any;
}

/* By name: the file may have gone, come, or be another one. */
static void look_again(struct wk_tail *t, struct wk_tail_file *f)
{
    struct wk_cmd *c = t->c;
    struct wk_stat st;
    struct wk_in *in = NULL;
    int err = wk_at_stat(c, NULL, f->name, true, &st);
    if (!err && (f->in ? wk_stat_same(&st, &f->st) : WK_S_ISDIR(st.mode)))
        return;
    if (!err)
        err = wk_raw_open(c, f->name, false, &in);
    const char *q = wk_quote(c, f->shown);
    if (err) {
        if (f->in) {
            wk_msg(c, "%s has become inaccessible: %s", q, wk_err_text(err));
            copy_new(t, f);
            close_file(t, f);
        }
        f->err = err;
        f->dropped = !t->o->retry;
        return;
    }
    if (f->in) {
        copy_new(t, f);
        close_file(t, f);
        wk_msg(c, "%s has been replaced;  following new file", q);
    } else {
        wk_msg(c, "%s has %s;  following new file", q,
               f->err == WK_ENOENT ? "appeared" : "become accessible");
    }
    f->in = in;
    f->st = st;
    f->err = 0;
}

static bool process_gone(const struct wk_tail *t)
{
    struct wk_proc *p;
    if (!t->o->has_pid)
        return false;
    p = t->o->pid > 0 && t->o->pid <= UINT32_MAX ? wk_proc_find(t->c->k, (uint32_t)t->o->pid) : NULL;
    return !p || p->state == WK_PROC_ZOMBIE;
}

/* Nothing is written while nothing is appended, so a reader that left shows only here. */
static void leave_with_reader(struct wk_cmd *c)
{
    struct wk_file *f = c->out->file;
    if (f && f->ops->poll && (f->ops->poll(f, POLL_OUT) & POLL_ERR)) {
        (void)wk_broken_pipe(c->task);
        wk_exit(c, 1); /* SIGPIPE is ignored */
    }
}

void wk_tail_follow(struct wk_tail *t)
{
    struct wk_cmd *c = t->c;
    int64_t wait = t->o->has_interval ? t->o->interval_ns : TAIL_WAKE_NS;
    for (;;) {
        bool gone = process_gone(t), any = false;
        size_t live = 0, open = 0;
        for (size_t i = 0; i < t->n; i++) {
            struct wk_tail_file *f = &t->files[i];
            if (f->dropped)
                continue;
            if (t->o->follow == WK_TAIL_NAME || (t->o->retry && !f->in))
                look_again(t, f);
            if (f->in)
                any = copy_new(t, f) || any;
            open += f->in != NULL;
            live += f->in || (t->o->retry && !f->dropped);
        }
        if (live == 0) {
            wk_msg(c, "no files remaining");
            return;
        }
        if (gone) {
            if (open && t->o->follow == WK_TAIL_NAME)
                c->status = 0; /* as in GNU: what failed before does not count */
            return;
        }
        leave_with_reader(c);
        (void)wk_out_flush(c->err);
        if (!any)
            wk_cmd_sleep(c, wait);
        else
            wk_tick(c, 64);
    }
}
