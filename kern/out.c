/* out.c - buffered output of leaf commands
 *
 * Bytes given to wk_out_put may be borrowed from a stream and go away when the process parks, so
 * all of them are copied (or written without a park) before anything that parks.
 */
#include "kern/cmd.h"

enum { FIRST_CAP = 1024, FULL_CAP = 16 * 1024 };

/* Hand n bytes to the file; they are ours. A closed pipe ends the process in here. */
static void pass_on(struct wk_out *o, const char *p, size_t n)
{
    if (o->err || !n)
        return;
    ptrdiff_t r = o->file ? wk_file_write(o->c->task, o->file, p, n) : -WK_EBADF;
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(o->c->heap);
    if (r < 0)
        o->err = (int)-r;
}

int wk_out_flush(struct wk_out *o)
{
    size_t n = o->n;
    o->n = 0;
    pass_on(o, o->buf, n);
    return o->err;
}

/* Room for n bytes more: what is held never passes FULL_CAP, so it stays bounded by that and the
 * largest n. */
static void make_room(struct wk_out *o, size_t n)
{
    size_t room = o->room < FIRST_CAP ? FIRST_CAP : o->room;
    if (n <= o->room - o->n)
        return;
    while (room < FULL_CAP && room < o->n + n)
        room *= 2;
    if (room < o->n + n)
        room = o->n + n;
    o->buf = wk_heap_realloc(o->c->heap, o->buf, room);
    o->room = room;
    o->cap = WK_MIN(room, (size_t)FULL_CAP);
}

void wk_out_put_slow(struct wk_out *o, const void *p, size_t n)
{
    if (o->err) {
        o->n = 0;
        return;
    }
    make_room(o, n);
    if (n)
        memcpy(o->buf + o->n, p, n);
    o->n += n;
    bool full = o->n >= FULL_CAP;
    if (full || (o->line_buffered && n && memchr(p, '\n', n)))
        wk_out_flush(o);
    if (o->err && o == o->c->out && o->c->command->flags & WK_CMD_FILTER)
        wk_exit(o->c, o->c->status);
}

static void release_buf(void *b)
{
    wk_buf_release(b);
}

void wk_out_fmt(struct wk_out *o, const char *fmt, ...)
{
    struct wk_buf b;
    va_list ap;
    wk_buf_init(&b, wk_heap_mem(o->c->heap), SIZE_MAX / 2);
    va_start(ap, fmt);
    wk_buf_vfmt(&b, fmt, ap);
    va_end(ap);
    /* Copied before anything parks, and undone when there is no room: a dropped process must not
     * leave it behind. */
    bool buffered = o->line_buffered;
    struct wk_unwind u;
    wk_unwind_push(o->c->task, &u, release_buf, &b);
    if (b.failed)
        wk_heap_exhausted(o->c->heap);
    make_room(o, b.n);
    wk_unwind_pop(o->c->task, &u);
    memcpy(o->buf + o->n, wk_buf_c(&b), b.n);
    o->n += b.n;
    bool newline = b.n && memchr(b.p, '\n', b.n) != NULL;
    wk_buf_release(&b);
    if (o->n >= FULL_CAP || (buffered && newline))
        wk_out_flush(o);
}

void wk_out_u64(struct wk_out *o, uint64_t v)
{
    char tmp[20];
    size_t i = sizeof tmp;
    do {
        tmp[--i] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    wk_out_put(o, tmp + i, sizeof tmp - i);
}

void wk_out_i64(struct wk_out *o, int64_t v)
{
    if (v < 0)
        wk_out_char(o, '-');
    wk_out_u64(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

struct wk_out *wk_out_of(struct wk_cmd *c, struct wk_file *f)
{
    struct wk_out *o = wk_heap_bump(c->heap, sizeof *o);
    *o = (struct wk_out){.c = c, .file = f, .line_buffered = f && f->is_tty};
    return o;
}

int wk_out_close(struct wk_out *o)
{
    wk_out_flush(o);
    if (o->file)
        wk_cmd_close(o->c, o->file);
    o->file = NULL;
    wk_heap_free(o->c->heap, o->buf);
    o->buf = NULL;
    o->n = o->cap = o->room = 0;
    return o->err;
}
