/* tail_part.c - the last lines or bytes of a stream or file */
#define _GNU_SOURCE /* memrchr */
#include "builtins/tail.h"

#define TAIL_BLOCK ((int64_t)16384)

static void put(struct wk_cmd *c, const char *p, size_t n)
{
    struct wk_tail_opts *o = (struct wk_tail_opts *)c->opts;
    wk_out_put(c->out, p, n);
    wk_pass_flush(c, o->written += n);
}

static int copy_rest(struct wk_cmd *c, struct wk_in *in)
{
    struct wk_tail_opts *o = (struct wk_tail_opts *)c->opts;
    const char *p;
    size_t n;
    int err;
    while ((n = wk_raw_next(c, in, &p, &err)) > 0) {
        wk_raw_pass(c, in, p, n);
        wk_pass_flush(c, o->written += n);
        wk_tick(c, (uint32_t)(n / 64));
    }
    return err;
}

static int from_start(struct wk_cmd *c, const struct wk_tail_opts *o, struct wk_in *in)
{
    uint64_t skip = o->count ? o->count - 1 : 0;
    const char eol = o->zero ? '\0' : '\n';
    const char *p;
    size_t n;
    int err;
    while (skip > 0 && (n = wk_raw_next(c, in, &p, &err)) > 0) {
        size_t used = 0;
        if (o->bytes) {
            used = skip < n ? (size_t)skip : n;
            skip -= used;
        }
        while (!o->bytes && skip > 0 && used < n) {
            const char *nl = (const char *)memchr(p + used, eol, n - used);
            used = nl ? (size_t)(nl - p) + 1 : n;
            skip -= nl != NULL;
        }
        wk_file_skip(in->file, used);
        wk_tick(c, (uint32_t)(n / 64));
    }
    if (skip > 0)
        return err;
    return copy_rest(c, in);
}

/* Streams: the newest part is kept. What can no longer belong to it is forgotten when as much again
 * has come, so each byte is looked at about twice however many lines are asked for. */
static int last_of_stream(struct wk_cmd *c, const struct wk_tail_opts *o, struct wk_in *in)
{
    enum { SLACK = 128 * 1024 };
    struct wk_fifo_buf held = {0};
    const char eol = o->zero ? '\0' : '\n';
    size_t full = SLACK, n;
    const char *p;
    int err;
    while ((n = wk_raw_next(c, in, &p, &err)) > 0) {
        if (o->count)
            wk_fifo_put(c, &held, p, n);
        wk_file_skip(in->file, n);
        wk_tick(c, (uint32_t)(n / 64));
        if (held.n < full)
            continue;
        if (o->bytes)
            wk_fifo_take(&held, held.n > o->count ? held.n - (size_t)o->count : 0);
        else /* one more: the last may be unfinished */
            wk_fifo_take(&held,
                         wk_last_lines(c, held.p + held.head, held.n,
                                        o->count < UINT64_MAX ? o->count + 1 : o->count, eol));
        full = 2 * held.n + SLACK;
    }
    if (held.n && o->bytes)
        wk_fifo_take(&held, held.n > o->count ? held.n - (size_t)o->count : 0);
    else if (held.n)
        wk_fifo_take(&held, wk_last_lines(c, held.p + held.head, held.n, o->count, eol));
    if (held.n)
        put(c, held.p + held.head, held.n);
    wk_heap_free(c->heap, held.p);
    return err;
}

/* Reads exactly n bytes at `at`. */
static int read_at(struct wk_cmd *c, struct wk_in *in, int64_t at, char *dst, size_t n, size_t *got)
{
    int64_t r = wk_file_seek(in->file, at, 0);
    *got = 0;
    while (r >= 0 && *got < n) {
        ptrdiff_t k = wk_file_read(c->task, in->file, dst + *got, n - *got);
        if (k == -WK_EINTR)
            continue;
        if (k <= 0)
            return (int)-k;
        *got += (size_t)k;
    }
    return r < 0 ? (int)-r : 0;
}

/* Seekable files: blocks are read from the end until enough line ends were seen. */
static int last_lines_of_file(struct wk_cmd *c, const struct wk_tail_opts *o, struct wk_in *in,
                              int64_t start, int64_t end)
{
    char *block = (char *)wk_heap_alloc(c->heap, (size_t)TAIL_BLOCK);
    const char eol = o->zero ? '\0' : '\n';
    uint64_t left = o->count;
    int64_t at = end, from = left ? start : end;
    bool last = true, found = left == 0;
    while (!found && at > start) {
        int64_t size = (at - start - 1) % TAIL_BLOCK + 1;
        size_t got;
        at -= size;
        int err = read_at(c, in, at, block, (size_t)size, &got);
        if (err)
            return err;
        size_t n = got;
        if (last && n && block[n - 1] == eol)
            n--; /* the end of the last line is not a border */
        last = false;
        while (n > 0) {
            const char *nl = (const char *)memrchr(block, eol, n);
            if (!nl)
                break;
            n = (size_t)(nl - block);
            if (--left == 0) {
                from = at + (int64_t)n + 1;
                found = true;
                break;
            }
        }
        wk_tick(c, (uint32_t)(size / 64));
    }
    wk_heap_free(c->heap, block);
    int64_t r = wk_file_seek(in->file, from, 0);
    return r < 0 ? (int)-r : copy_rest(c, in);
}

int wk_tail_part(struct wk_cmd *c, const struct wk_tail_opts *o, struct wk_in *in)
{
    struct wk_stat st;
    if (!in->file)
        return WK_EBADF;
    if (o->from_start)
        return from_start(c, o, in);
    int64_t at = -1, end = -1;
    if (in->file->kind == WK_FILE_VFS && wk_file_stat(in->file, &st) >= 0 && WK_S_ISREG(st.mode) &&
        st.size > 0) {
        at = wk_file_seek(in->file, 0, 1);
        end = (int64_t)st.size;
    }
    if (at < 0 || end <= at)
        return last_of_stream(c, o, in);
    if (!o->bytes)
        return last_lines_of_file(c, o, in, at, end);
    int64_t from = o->count < (uint64_t)(end - at) ? end - (int64_t)o->count : at;
    int64_t r = wk_file_seek(in->file, from, 0);
    return r < 0 ? (int)-r : copy_rest(c, in);
}
