/* in.c - buffered input of leaf commands: pieces, lines, whole files
 *
 * A description that only this process refers to lends its bytes; one that is shared is copied,
 * since another process may read from it whenever this one parks.
 */
#include "kern/cmd.h"

enum { SMALL_COPY = 4096, LARGE_COPY = 64 * 1024 };

struct wk_in *wk_in_of(struct wk_cmd *c, struct wk_file *f, const char *name)
{
    struct wk_in *in = wk_heap_bump(c->heap, sizeof *in);
    *in = (struct wk_in){.c = c, .file = f, .name = name};
    return in;
}

struct wk_in *wk_in_open(struct wk_cmd *c, const char *path, bool dash)
{
    struct wk_file *f;
    if (dash && path[0] == '-' && !path[1])
        return c->in;
    int err = wk_cmd_open(c, path, WK_O_RDONLY, 0, &f);
    if (err) {
        wk_warn(c, path, err);
        return NULL;
    }
    struct wk_in *in = wk_in_of(c, f, path);
    in->owned = true;
    return in;
}

static void fail(struct wk_in *in, int err)
{
    in->eof = true;
    if (in->err)
        return;
    in->err = err;
    if (!in->quiet)
        wk_warn(in->c, in->name ? in->name : "-", err);
}

/* The file moves past what was handed out of a borrowed piece. */
static void settle(struct wk_in *in)
{
    if (in->held)
        wk_file_skip(in->file, in->held);
    in->held = 0;
}

/* The bytes at hand lie in the private copy: the file has moved past them already. */
static bool is_copy(const struct wk_in *in)
{
    return in->buf && in->p >= in->buf && in->p <= in->buf + in->buf_cap;
}

void wk_in_sync(struct wk_in *in)
{
    if (!in->file)
        return;
    if (is_copy(in)) {
        if (in->n)
            (void)wk_file_seek(in->file, -(int64_t)in->n, 1);
    } else {
        settle(in);
    }
    in->p = NULL;
    in->n = 0;
}

void wk_in_close(struct wk_in *in)
{
    wk_in_sync(in);
    if (in->owned && in->file)
        wk_cmd_close(in->c, in->file);
    if (in->owned)
        in->file = NULL;
    wk_heap_free(in->c->heap, in->line);
    wk_heap_free(in->c->heap, in->buf);
    in->line = in->buf = NULL;
    in->line_cap = in->buf_cap = 0;
    in->p = NULL;
    in->n = 0;
}

static const char *copy_piece(struct wk_in *in, const char *p, size_t *n)
{
    size_t cap = *n <= SMALL_COPY ? SMALL_COPY : LARGE_COPY;
    if (in->buf_cap < cap) {
        /* The piece stays valid: allocation does not park, or does not come back. */
        wk_heap_free(in->c->heap, in->buf);
        in->buf = wk_heap_alloc(in->c->heap, cap);
        in->buf_cap = cap;
    }
    *n = WK_MIN(*n, in->buf_cap);
    memcpy(in->buf, p, *n);
    wk_file_skip(in->file, *n);
    return in->buf;
}

/* Another process, or another stream of this one, may read from the description while this one
 * parks. */
static bool is_shared(const struct wk_in *in)
{
    return in->file->refs > 1 || (!in->owned && in->c->proc->fds->refs > 1);
}

/* Bytes at hand: false at the end. */
static bool fill(struct wk_in *in)
{
    if (in->n)
        return true;
    if (in->eof)
        return false;
    if (!in->file) {
        fail(in, WK_EBADF);
        return false;
    }
    settle(in);
    ptrdiff_t r;
    do
        r = wk_file_peek(in->c->task, in->file, 1, &in->p);
    while (r == -WK_EINTR);
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(in->c->heap);
    if (r < 0) {
        fail(in, (int)-r);
        return false;
    }
    in->n = (size_t)r;
    if (r == 0) {
        in->eof = true;
        return false;
    }
    if (is_shared(in))
        in->p = copy_piece(in, in->p, &in->n);
    return true;
}

/* n bytes at hand are handed out. */
static void take(struct wk_in *in, size_t n)
{
    if (!is_copy(in))
        in->held += n;
    in->p += n;
    in->n -= n;
}

bool wk_in_chunk(struct wk_in *in, const char **p, size_t *n)
{
    if (!fill(in))
        return false;
    wk_tick(in->c, (uint32_t)(in->n / 1024) + 1);
    *p = in->p;
    *n = in->chunk = in->n;
    take(in, in->n);
    return true;
}

void wk_in_used(struct wk_in *in, size_t used)
{
    size_t back = in->chunk > used ? in->chunk - used : 0;
    in->p -= back;
    in->n += back;
    in->chunk -= back;
    if (!is_copy(in))
        in->held -= back;
}

void wk_in_unshare(struct wk_in *in)
{
    if (!in->file || !in->p || is_copy(in) || !in->n) {
        settle(in);
        return;
    }
    settle(in);
    in->p = copy_piece(in, in->p, &in->n);
}

static void line_add(struct wk_in *in, const char *p, size_t n)
{
    size_t need = in->line_n + n + 1;
    if (need > in->line_cap) {
        size_t cap = in->line_cap < 128 ? 128 : in->line_cap;
        while (cap < need)
            cap *= 2;
        in->line = wk_heap_realloc(in->c->heap, in->line, cap);
        in->line_cap = cap;
    }
    memcpy(in->line + in->line_n, p, n);
    in->line_n += n;
    in->line[in->line_n] = '\0';
}

bool wk_line_next(struct wk_in *in, char end, struct wk_str *line)
{
    in->no_newline = false;
    if (WK_LIKELY(in->n)) {
        const char *e = memchr(in->p, end, in->n);
        if (WK_LIKELY(e != NULL)) {
            *line = wk_str(in->p, (size_t)(e - in->p));
            wk_tick(in->c, (uint32_t)(line->n / 256) + 1);
            take(in, line->n + 1);
            return true;
        }
    }
    in->line_n = 0;
    bool any = false;
    while (fill(in)) {
        const char *e = memchr(in->p, end, in->n);
        size_t n = e ? (size_t)(e - in->p) : in->n;
        wk_tick(in->c, (uint32_t)(n / 256) + 1);
        if (e && !any) {
            *line = wk_str(in->p, n);
            take(in, n + 1);
            return true;
        }
        any = true;
        line_add(in, in->p, n);
        take(in, n + (e != NULL));
        if (e) {
            *line = wk_str(in->line, in->line_n);
            return true;
        }
    }
    if (!any)
        return false;
    in->no_newline = true;
    *line = wk_str(in->line, in->line_n);
    return true;
}

bool wk_line_part(struct wk_in *in, char end, struct wk_str *part, bool *last)
{
    if (!fill(in))
        return false;
    const char *e = memchr(in->p, end, in->n);
    *part = wk_str(in->p, e ? (size_t)(e - in->p) : in->n);
    *last = e != NULL;
    wk_tick(in->c, (uint32_t)(part->n / 256) + 1);
    take(in, part->n + *last);
    return true;
}

size_t wk_in_read(struct wk_in *in, void *dst, size_t cap)
{
    size_t done = 0;
    while (done < cap && fill(in)) {
        size_t n = WK_MIN(in->n, cap - done);
        memcpy((char *)dst + done, in->p, n);
        take(in, n);
        done += n;
    }
    wk_tick(in->c, (uint32_t)(done / 1024 & 0xffffff) + 1);
    return done;
}

size_t wk_in_some(struct wk_in *in, void *dst, size_t cap)
{
    ptrdiff_t r = 0;
    if (in->n || in->eof || !in->file) {
        if (!fill(in))
            return 0;
        r = (ptrdiff_t)WK_MIN(in->n, cap);
        memcpy(dst, in->p, (size_t)r);
        take(in, (size_t)r);
    } else {
        settle(in);
        do
            r = wk_file_read(in->c->task, in->file, dst, cap);
        while (r == -WK_EINTR);
        if (r == -WK_ENOMEM)
            wk_heap_exhausted(in->c->heap);
        if (r < 0)
            fail(in, (int)-r);
        in->eof = r <= 0;
    }
    wk_tick(in->c, (uint32_t)(r > 0 ? r / 1024 : 0) + 1);
    return r > 0 ? (size_t)r : 0;
}

struct wk_str wk_in_all(struct wk_in *in)
{
    char *p = NULL;
    size_t n = 0, cap = 0;
    while (fill(in)) {
        if (n + in->n + 1 > cap) {
            cap = cap < 4096 ? 4096 : cap * 2;
            while (cap < n + in->n + 1)
                cap *= 2;
            p = wk_heap_realloc(in->c->heap, p, cap);
        }
        memcpy(p + n, in->p, in->n);
        n += in->n;
        wk_tick(in->c, (uint32_t)(in->n / 1024) + 1);
        take(in, in->n);
    }
    if (!p)
        return wk_str("", 0);
    p[n] = '\0';
    return wk_str(p, n);
}

bool wk_input_next(struct wk_cmd *c, struct wk_in **in)
{
    if (c->input && c->input != c->in)
        wk_in_close(c->input);
    c->input = NULL;
    if (c->nargs == 0) {
        if (c->next_input++)
            return false;
        c->input = *in = c->in;
        return true;
    }
    while (c->next_input < c->nargs) {
        c->input = wk_in_open(c, c->args[c->next_input++], true);
        if (!c->input)
            continue;
        if (c->input == c->in)
            c->in->eof = c->in->err != 0; /* a second "-" reads on */
        *in = c->input;
        return true;
    }
    return false;
}
