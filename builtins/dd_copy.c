/* dd_copy.c - dd's reading, converting and writing */
#include "builtins/dd.h"
#include "kern/vfsfile.h"

enum { FIRST_BUFFER = 65536 };

static bool is_regular(struct wk_file *f, struct wk_stat *st)
{
    return f && wk_file_stat(f, st) == 0 && WK_S_ISREG(st->mode);
}

/* ---- signals ----------------------------------------------------------------------------------- */

/* USR1 asks for the statistics; INT gets them and ends the process. */
static void answer_signals(struct dd *d)
{
    struct wk_proc *p = d->c->proc;
    uint64_t due = p->sig_pending & (WK_SIGBIT(WK_SIGUSR1) | WK_SIGBIT(WK_SIGINT));
    if (WK_LIKELY(!due))
        return;
    p->sig_pending &= ~due;
    wk_dd_report(d);
    if (due & WK_SIGBIT(WK_SIGINT)) {
        p->sig_caught &= ~WK_SIGBIT(WK_SIGINT);
        (void)wk_out_flush(d->c->err);
        wk_proc_post(p, WK_SIGINT);
        wk_cmd_sleep(d->c, 0);
    }
}

static void catch_signals(struct dd *d)
{
    struct wk_proc *p = d->c->proc;
    p->sig_caught |= (WK_SIGBIT(WK_SIGUSR1) | WK_SIGBIT(WK_SIGINT)) & ~p->sig_ignored;
}

/* ---- reading ----------------------------------------------------------------------------------- */

static ptrdiff_t read_once(struct dd *d, char *p, size_t n)
{
    ptrdiff_t r;
    if (!d->in)
        return -WK_EBADF;
    do {
        answer_signals(d);
        r = wk_file_read(d->c->task, d->in, p, n);
    } while (r == -WK_EINTR);
    return r;
}

/* One block of input; with iflag=fullblock all of it if it can be had. */
static ptrdiff_t read_block(struct dd *d, size_t n)
{
    size_t got = 0;
    do {
        ptrdiff_t r = read_once(d, d->ibuf + got, n - got);
        if (r < 0)
            return got ? (ptrdiff_t)got : r;
        if (r == 0)
            break;
        got += (size_t)r;
    } while (got < n && d->iflags & DD_F_FULLBLOCK);
    return (ptrdiff_t)got;
}

/* A block larger than what can come at once needs no buffer of its size. */
static void make_input_buffer(struct dd *d)
{
    uint64_t cap = (uint64_t)d->ibs;
    struct wk_stat st;
    if (d->ibuf)
        return;
    if (cap > FIRST_BUFFER && !(d->conv & DD_SYNC)) {
        if (is_regular(d->in, &st)) {
            uint64_t left = d->in->pos >= 0 && (uint64_t)d->in->pos < st.size ? st.size - (uint64_t)d->in->pos : 0;
            cap = WK_MIN(cap, left + FIRST_BUFFER);
        } else if (d->in && d->in->kind == WK_FILE_PIPE_R && !(d->iflags & DD_F_FULLBLOCK)) {
            cap = WK_MIN(cap, 2 * FIRST_BUFFER);
        }
    }
    d->ibuf = cap < SIZE_MAX / 2 ? (char *)wk_heap_try(d->c->heap, (size_t)cap) : NULL;
    d->ibuf_cap = (size_t)cap;
    if (d->ibuf)
        return;
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(d->c->heap), 64);
    wk_dd_human(&b, (uint64_t)d->ibs, false);
    wk_fail(d->c, 1, "memory exhausted by input buffer of size %lld bytes (%s)", (long long)d->ibs, wk_keep(d->c, &b));
}

/* ---- writing ----------------------------------------------------------------------------------- */

static bool all_zero(const char *p, size_t n)
{
    return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

/* Writes n bytes; 0 or a positive code. What was written of them is counted. */
static int write_bytes(struct dd *d, const char *p, size_t n, size_t *done)
{
    *done = 0;
    d->sought = false;
    if (!d->out)
        return WK_EBADF;
    if (d->conv & DD_SPARSE && all_zero(p, n)) {
        if (wk_file_seek(d->out, (int64_t)n, 1) >= 0) {
            d->sought = true;
            d->bytes += n;
            *done = n;
            return 0;
        }
        d->conv &= ~(unsigned)DD_SPARSE;
    }
    int64_t before = d->out->pos;
    ptrdiff_t r;
    do {
        answer_signals(d);
        r = wk_file_write(d->c->task, d->out, p, n);
    } while (r == -WK_EINTR);
    if (r >= 0)
        *done = n;
    else if (d->out->kind == WK_FILE_VFS && d->out->pos > before)
        *done = (size_t)(d->out->pos - before);
    d->bytes += *done;
    return r < 0 ? (int)-r : 0;
}

static void write_direct(struct dd *d, const char *p, size_t n)
{
    size_t done;
    int err = write_bytes(d, p, n, &done);
    if (err) {
        wk_dd_complain(d, "error writing", d->out_name, err);
        wk_dd_quit(d, 1);
    }
    if ((int64_t)n == d->ibs)
        d->written_full++;
    else
        d->written_partial++;
}

static void write_output(struct dd *d, const char *what)
{
    size_t done;
    int err = write_bytes(d, d->obuf, d->obuf_n, &done);
    if (!err && (int64_t)d->obuf_n == d->obs)
        d->written_full++;
    else if (done)
        d->written_partial++;
    if (err) {
        wk_dd_complain(d, what, d->out_name, err);
        wk_dd_quit(d, 1);
    }
    d->obuf_n = 0;
}

static void put(struct dd *d, const char *p, size_t n)
{
    while (n) {
        if (d->obuf_n == d->obuf_cap) {
            uint64_t cap = d->obuf_cap ? (uint64_t)d->obuf_cap * 2 : FIRST_BUFFER;
            d->obuf_cap = (size_t)WK_MIN(cap, (uint64_t)d->obs);
            d->obuf = (char *)wk_heap_realloc(d->c->heap, d->obuf, d->obuf_cap);
        }
        size_t k = WK_MIN(n, d->obuf_cap - d->obuf_n);
        memcpy(d->obuf + d->obuf_n, p, k);
        d->obuf_n += k;
        p += k;
        n -= k;
        if ((int64_t)d->obuf_n == d->obs)
            write_output(d, "writing to");
    }
}

static void put_byte(struct dd *d, char ch)
{
    put(d, &ch, 1);
}

static void put_spaces(struct dd *d, char space, int64_t n)
{
    char piece[256];
    memset(piece, space, sizeof piece);
    while (n > 0) {
        size_t k = n < (int64_t)sizeof piece ? (size_t)n : sizeof piece;
        put(d, piece, k);
        n -= (int64_t)k;
        wk_tick(d->c, 4);
    }
}

/* ---- converting -------------------------------------------------------------------------------- */

/* A character after translation. */
static char translated(const struct dd *d, char ch)
{
    return d->conv & (DD_EBCDIC | DD_IBM) ? (char)d->table[(unsigned char)ch] : ch;
}

static void put_blocked(struct dd *d, const char *p, size_t n)
{
    const char newline = translated(d, '\n'), space = translated(d, ' ');
    for (size_t i = 0; i < n; i++) {
        if (p[i] == newline) {
            put_spaces(d, space, d->cbs - d->column);
            d->column = 0;
            continue;
        }
        if (d->column == d->cbs)
            d->truncated++;
        else if (d->column < d->cbs)
            put_byte(d, p[i]);
        d->column++;
    }
}

static void put_unblocked(struct dd *d, const char *p, size_t n)
{
    const char newline = translated(d, '\n'), space = translated(d, ' ');
    for (size_t i = 0; i < n; i++) {
        if (d->column == d->cbs) {
            d->column = d->spaces = 0;
            put_byte(d, newline);
        }
        d->column++;
        if (p[i] == space) {
            d->spaces++;
            continue;
        }
        put_spaces(d, space, d->spaces);
        d->spaces = 0;
        put_byte(d, p[i]);
    }
}

static void put_converted(struct dd *d, const char *p, size_t n)
{
    if (d->conv & DD_BLOCK)
        put_blocked(d, p, n);
    else if (d->conv & DD_UNBLOCK)
        put_unblocked(d, p, n);
    else
        put(d, p, n);
}

/* Pairs are swapped over the whole stream: a block's odd last byte waits for the next. */
static void put_swapped(struct dd *d, char *p, size_t n)
{
    size_t i = 0;
    if (d->carry >= 0 && n) {
        char two[2] = {p[0], (char)d->carry};
        put_converted(d, two, 2);
        d->carry = -1;
        i = 1;
    }
    size_t from = i;
    for (; i + 1 < n; i += 2) {
        char ch = p[i];
        p[i] = p[i + 1];
        p[i + 1] = ch;
    }
    put_converted(d, p + from, i - from);
    if (i < n)
        d->carry = (unsigned char)p[i];
}

static void convert(struct dd *d, size_t n)
{
    if (d->translate)
        for (size_t i = 0; i < n; i++)
            d->ibuf[i] = (char)d->table[(unsigned char)d->ibuf[i]];
    if (d->conv & DD_SWAB)
        put_swapped(d, d->ibuf, n);
    else
        put_converted(d, d->ibuf, n);
}

static void finish_output(struct dd *d)
{
    if (d->carry >= 0)
        put_converted(d, &(char){(char)d->carry}, 1);
    if (d->conv & DD_BLOCK && d->column > 0)
        put_spaces(d, translated(d, ' '), d->cbs - d->column);
    if (d->conv & DD_UNBLOCK && d->column > 0)
        put_byte(d, translated(d, '\n'));
    if (d->obuf_n)
        write_output(d, "error writing");
}

/* ---- positions --------------------------------------------------------------------------------- */

static void cannot(struct dd *d, const char *name, const char *what, int err)
{
    if (err)
        wk_msg(d->c, "%s: %s: %s", wk_quote_maybe(d->c, name), what, wk_err_text(err));
    else if (d->level != DD_STATUS_NONE)
        wk_out_fmt(d->c->err, "%s: %s: %s\n", d->c->name, wk_quote_maybe(d->c, name), what);
}

/* Blocks and bytes behind them that an amount means; false when the bytes do not fit. */
static bool offset_of(const struct dd_amount *a, int64_t block, int64_t *offset)
{
    *offset = a->n;
    return a->bytes || !__builtin_mul_overflow(a->n, block, offset);
}

static void skip_by_reading(struct dd *d)
{
    int64_t whole = d->skip.bytes ? d->skip.n / d->ibs : d->skip.n, rest = d->skip.bytes ? d->skip.n % d->ibs : 0;
    make_input_buffer(d);
    while (whole > 0 || rest > 0) {
        size_t want = whole > 0 ? (size_t)WK_MIN((uint64_t)d->ibs, d->ibuf_cap) : (size_t)rest;
        ptrdiff_t n = read_block(d, want);
        if (n < 0) {
            wk_dd_complain(d, "error reading", d->in_name, (int)-n);
            wk_dd_quit(d, 1);
        }
        if (n == 0) {
            cannot(d, d->in_name, "cannot skip to specified offset", 0);
            return;
        }
        if (whole > 0)
            whole--;
        else
            rest = 0;
        wk_tick(d->c, (uint32_t)(n / 64) + 1);
    }
}

static void skip_input(struct dd *d)
{
    int64_t offset, at;
    struct wk_stat st;
    if (!d->skip.n)
        return;
    bool fits = offset_of(&d->skip, d->ibs, &offset);
    at = d->in ? wk_file_seek(d->in, 0, 1) : -WK_EBADF;
    if (at < 0) {
        skip_by_reading(d);
        return;
    }
    int64_t to;
    if (!fits || __builtin_add_overflow(at, offset, &to) || to == INT64_MAX) {
        cannot(d, d->in_name, "cannot skip", fits ? WK_EINVAL : WK_EOVERFLOW);
        wk_dd_quit(d, 1);
    }
    if (is_regular(d->in, &st) && st.size < (uint64_t)to)
        cannot(d, d->in_name, "cannot skip to specified offset", 0);
    (void)wk_file_seek(d->in, offset, 1);
}

static void seek_output(struct dd *d)
{
    int64_t offset;
    if (!d->seek.n)
        return;
    bool fits = offset_of(&d->seek, d->obs, &offset);
    int64_t r = !d->out ? -WK_EBADF : fits ? wk_file_seek(d->out, offset, 1) : -WK_EOVERFLOW;
    if (r < 0) {
        cannot(d, d->out_name, "cannot seek", (int)-r);
        wk_dd_quit(d, 1);
    }
}

/* ---- the copy ---------------------------------------------------------------------------------- */

/* A read failed: true when conv=noerror goes on. */
static bool go_on_after_error(struct dd *d, int err)
{
    if (!(d->conv & DD_NOERROR) || d->level != DD_STATUS_NONE)
        wk_dd_complain(d, "error reading", d->in_name, err);
    d->c->status = 1;
    if (!(d->conv & DD_NOERROR))
        return false;
    wk_dd_report(d);
    if (d->in && d->in->kind == WK_FILE_VFS)
        (void)wk_file_seek(d->in, d->ibs, 1);
    wk_tick(d->c, 64);
    return true;
}

static void take_block(struct dd *d, size_t n)
{
    if ((int64_t)n < d->ibs) {
        d->read_partial++;
        if (d->conv & DD_SYNC) {
            memset(d->ibuf + n, d->conv & (DD_BLOCK | DD_UNBLOCK) ? ' ' : 0, (size_t)d->ibs - n);
            n = (size_t)d->ibs;
        }
    } else {
        d->read_full++;
    }
    if (d->conv & DD_TWO_BUFFERS)
        convert(d, n);
    else
        write_direct(d, d->ibuf, n);
    wk_tick(d->c, (uint32_t)(n / 64) + 1);
}

static void copy_blocks(struct dd *d)
{
    uint64_t whole = d->count.bytes ? (uint64_t)(d->count.n / d->ibs) : (uint64_t)d->count.n;
    size_t rest = d->count.bytes ? (size_t)(d->count.n % d->ibs) : 0;
    make_input_buffer(d);
    for (;;) {
        size_t want = d->ibuf_cap;
        uint64_t blocks = d->read_full + d->read_partial;
        wk_dd_progress(d);
        if (d->counted && blocks >= whole) {
            if (blocks > whole || !rest)
                return;
            want = WK_MIN(want, rest);
        }
        ptrdiff_t n = read_block(d, want);
        if (n == 0)
            return;
        if (n > 0) {
            take_block(d, (size_t)n);
        } else if (!go_on_after_error(d, (int)-n)) {
            return;
        } else if (d->conv & DD_SYNC) {
            take_block(d, 0);
        }
    }
}

/* A hole at the end of a regular file is made by its length. */
static void finish_hole(struct dd *d)
{
    struct wk_stat st;
    if (!d->sought || !is_regular(d->out, &st) || (int64_t)st.size >= d->out->pos)
        return;
    int r = wk_vfile_truncate(wk_file_vfile(d->out), d->out->pos);
    if (r < 0) {
        wk_msg(d->c, "failed to truncate to %lld bytes in output file %s: %s", (long long)d->out->pos,
               wk_quote(d->c, d->out_name), wk_err_text(-r));
        wk_dd_quit(d, 1);
    }
}

static void drop_cache(struct dd *d, struct wk_file *f, const char *name)
{
    if (!f || wk_file_seek(f, 0, 1) < 0) {
        wk_msg(d->c, "failed to discard cache for: %s: %s", wk_quote(d->c, name),
               wk_err_text(f ? WK_ESPIPE : WK_EBADF));
        d->c->status = 1;
    }
}

static void settle_output(struct dd *d)
{
    struct wk_stat st;
    if (d->conv & (DD_FSYNC | DD_FDATASYNC) && !is_regular(d->out, &st))
        wk_dd_complain(d, "fsync failed for", d->out_name, d->out ? WK_EINVAL : WK_EBADF);
}

int wk_dd_copy(struct dd *d)
{
    catch_signals(d);
    skip_input(d);
    seek_output(d);
    if (d->counted && !d->count.n) {
        if (d->iflags & DD_F_NOCACHE)
            drop_cache(d, d->in, d->in_name);
        if (d->oflags & DD_F_NOCACHE)
            drop_cache(d, d->out, d->out_name);
        settle_output(d);
        return d->c->status;
    }
    copy_blocks(d);
    finish_output(d);
    finish_hole(d);
    settle_output(d);
    return d->c->status;
}
