/* tac_read.c - tac's text, from its end: files in blocks, what cannot be sought by way of a file */
#include "builtins/tac.h"

#include "builtins/tempfile.h"

enum { BLOCK = 64 * 1024, IN_MEMORY = 4 * 1024 * 1024 };

static bool fail(struct wk_cmd *c, const char *name, int err)
{
    wk_msg(c, "%s: read error: %s", wk_quote_maybe(c, name), wk_err_text(err));
    return false;
}

/* Room for n bytes in front of those at hand. Blocks grow with the record that is at hand, so what
 * is moved stays in proportion to what is read. */
static void make_room(struct wk_tac *t, size_t n)
{
    if (n <= t->at)
        return;
    if (t->n > SIZE_MAX / 4)
        wk_heap_exhausted(t->c->heap);
    if (n + t->n <= t->cap / 2) {
        memmove(t->buf + t->cap - t->n, t->buf + t->at, t->n);
    } else {
        size_t cap = 2 * (n + t->n);
        char *buf = (char *)wk_heap_alloc(t->c->heap, cap);
        if (t->n)
            memcpy(buf + cap - t->n, t->buf + t->at, t->n);
        wk_heap_free(t->c->heap, t->buf);
        t->buf = buf;
        t->cap = cap;
    }
    t->at = t->cap - t->n;
    wk_tick(t->c, (uint32_t)(t->n / 64 & 0xffffff) + 1);
}

bool wk_tac_more(struct wk_tac *t)
{
    if (t->low == 0)
        return false;
    int64_t want = WK_MIN((int64_t)WK_MAX((size_t)BLOCK, t->n), t->low);
    make_room(t, (size_t)want);
    size_t done = 0;
    (void)wk_file_seek(t->file, t->low - want, 0);
    while (done < (size_t)want) {
        ptrdiff_t r =
            wk_file_read(t->c->task, t->file, t->buf + t->at - want + done, (size_t)want - done);
        if (r == -WK_EINTR)
            continue;
        if (r == -WK_ENOMEM)
            wk_heap_exhausted(t->c->heap);
        if (r < 0) {
            (void)fail(t->c, t->name, (int)-r);
            wk_exit(t->c, 1);
        }
        if (r == 0)
            break;
        done += (size_t)r;
    }
    if (done < (size_t)want) { /* a file may be shorter than it says, but not have holes */
        if (t->n || done == 0)
            wk_fail(t->c, 1, "%s: read error: %s", wk_quote_maybe(t->c, t->name),
                    wk_err_text(WK_EIO));
        memmove(t->buf + t->at - done, t->buf + t->at - want, done);
    }
    t->at -= done;
    t->n += done;
    t->low -= want;
    wk_tick(t->c, (uint32_t)(done / 1024) + 1);
    return true;
}

/* Everything else goes to a temporary file. */
static void spool_rest(struct wk_tac *t, struct wk_in *in)
{
    struct wk_cmd *c = t->c;
    const char *dir = wk_temp_dir(c), *name, *p;
    size_t n;
    int err = wk_temp_open(c, dir, "tac", &t->file, &name);
    if (err)
        wk_fail(c, 1, "failed to create temporary file in %s: %s", wk_quote(c, dir),
                wk_err_text(err));
    struct wk_out *out = wk_out_of(c, t->file);
    wk_out_put(out, t->buf + t->at, t->n);
    t->low = (int64_t)t->n;
    wk_heap_free(c->heap, t->buf);
    t->buf = NULL;
    t->cap = t->at = t->n = 0;
    while ((n = wk_raw_next(c, in, &p, &err)) > 0) {
        t->low += (int64_t)n;
        wk_out_put(out, p, n); /* copies before it parks */
        wk_file_skip(in->file, n);
        wk_tick(c, (uint32_t)(n / 1024) + 1);
    }
    if (!err) {
        err = wk_out_flush(out);
        if (err)
            wk_fail(c, 1, "%s: write error: %s", wk_quote_maybe(c, name), wk_err_text(err));
    }
    wk_heap_free(c->heap, out->buf);
    out->buf = NULL;
    if (err) {
        (void)fail(c, t->name, err);
        wk_exit(c, 1);
    }
}

/* From a pipe: in memory, or by way of a file when it is too much. */
static bool spool(struct wk_tac *t, struct wk_in *in)
{
    struct wk_fifo_buf b = {0};
    const char *p;
    size_t n;
    int err;
    while ((n = wk_raw_next(t->c, in, &p, &err)) > 0) {
        wk_fifo_put(t->c, &b, p, n);
        wk_file_skip(in->file, n);
        wk_tick(t->c, (uint32_t)(n / 1024) + 1);
        if (b.n >= IN_MEMORY)
            break;
    }
    if (err == WK_ENOMEM)
        wk_heap_exhausted(t->c->heap);
    if (err)
        return fail(t->c, t->name, err);
    t->buf = b.p;
    t->cap = b.cap;
    t->at = b.head;
    t->n = b.n;
    if (n)
        spool_rest(t, in);
    return true;
}

bool wk_tac_open(struct wk_cmd *c, struct wk_in *in, const char *name, struct wk_tac *t)
{
    struct wk_stat st = {0};
    *t = (struct wk_tac){.c = c, .name = name};
    if (!in->file)
        return fail(c, name, WK_EBADF);
    if (wk_file_stat(in->file, &st) >= 0 && WK_S_ISDIR(st.mode))
        return fail(c, name, WK_EINVAL);
    int64_t end = in->file->is_tty || WK_S_ISCHR(st.mode) ? -1 : wk_file_seek(in->file, 0, 2);
    if (end == 0 && WK_S_ISREG(st.mode)) /* empty, or one of /proc that does not know its size */
        end = wk_file_seek(in->file, 0, 0) - 1;
    if (end < 0)
        return spool(t, in);
    t->file = in->file;
    t->low = end; /* the whole file, wherever its offset was */
    return true;
}

void wk_tac_close(struct wk_tac *t)
{
    if (t->file)
        (void)wk_file_seek(t->file, 0, 2);
    wk_heap_free(t->c->heap, t->buf);
}
