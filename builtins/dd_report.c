/* dd_report.c - what dd says: statistics, progress, messages */
#include "base/fnum.h"
#include "builtins/dd.h"
#include "builtins/zone.h"

/* whole and a fraction num / den of it, rounded to the nearest, ties to even. */
static uint64_t nearest(uint64_t whole, uint64_t num, uint64_t den)
{
    uint64_t half = den - num;
    return whole + (num > half || (num == half && (whole & 1)));
}

void wk_dd_human(struct wk_buf *b, uint64_t n, bool si)
{
    static const char letters[] = "\0kMGTPE";
    uint64_t base = si ? 1000 : 1024, unit = 1;
    size_t e = 0;
    while (n / unit >= base && e < 6) {
        unit *= base;
        e++;
    }
    uint64_t whole = n / unit, rest = n % unit, tenths = 0;
    bool tenth = e > 0 && whole < 10;
    if (tenth) {
        __uint128_t ten = (__uint128_t)rest * 10;
        tenths = nearest(whole * 10 + (uint64_t)(ten / unit), (uint64_t)(ten % unit), unit);
        tenth = tenths < 100;
        whole = tenths / 10;
        tenths %= 10;
    } else if (e > 0) {
        whole = nearest(whole, rest, unit);
    }
    if (whole >= base && e < 6) {
        whole = 1;
        tenths = 0;
        tenth = true;
        e++;
    }
    wk_buf_fmt(b, "%llu", (unsigned long long)whole);
    if (tenth)
        wk_buf_fmt(b, ".%llu", (unsigned long long)tenths);
    wk_buf_putc(b, ' ');
    if (e)
        wk_buf_putc(b, e == 1 && !si ? 'K' : letters[e]);
    wk_buf_put_c(b, si || !e ? "B" : "iB");
}

/* "1000 bytes (1.0 kB) copied, 0.1 s, 10 kB/s" without a newline. Seconds are whole for progress. */
static void put_transfer(struct dd *d, struct wk_buf *b, int64_t ns, bool whole_seconds)
{
    wk_buf_fmt(b, "%llu byte%s", (unsigned long long)d->bytes, d->bytes == 1 ? "" : "s");
    if (d->bytes >= 1000) {
        wk_buf_put_c(b, " (");
        wk_dd_human(b, d->bytes, true);
        if (d->bytes >= 1024) {
            wk_buf_put_c(b, ", ");
            wk_dd_human(b, d->bytes, false);
        }
        wk_buf_putc(b, ')');
    }
    wk_buf_put_c(b, " copied, ");
    if (whole_seconds)
        wk_buf_fmt(b, "%lld", (long long)((ns + 500000000) / 1000000000));
    else
        (void)wk_buf_put_double(b, (double)ns / 1e9, &(struct wk_fnum){.conv = 'g', .precision = -1});
    wk_buf_put_c(b, " s, ");
    __uint128_t rate = ns > 0 ? (__uint128_t)d->bytes * 1000000000 / (uint64_t)ns : 0;
    if (ns <= 0)
        wk_buf_put_c(b, "Infinity B");
    else if (rate < 1000)
        wk_buf_fmt(b, "%llu.%llu kB", (unsigned long long)(((uint64_t)rate + 50) / 1000),
                   (unsigned long long)(((uint64_t)rate + 50) / 100 % 10));
    else
        wk_dd_human(b, rate > UINT64_MAX ? UINT64_MAX : (uint64_t)rate, true);
    wk_buf_put_c(b, "/s");
}

static void end_progress(struct dd *d)
{
    if (d->progress_open)
        wk_out_char(d->c->err, '\n');
    d->progress_open = false;
}

void wk_dd_report(struct dd *d)
{
    struct wk_out *err = d->c->err;
    end_progress(d);
    if (d->level == DD_STATUS_NONE)
        return;
    wk_out_fmt(err, "%llu+%llu records in\n%llu+%llu records out\n", (unsigned long long)d->read_full,
               (unsigned long long)d->read_partial, (unsigned long long)d->written_full,
               (unsigned long long)d->written_partial);
    if (d->truncated)
        wk_out_fmt(err, "%llu truncated record%s\n", (unsigned long long)d->truncated, d->truncated == 1 ? "" : "s");
    if (d->level == DD_STATUS_NOXFER)
        return;
    struct wk_buf *b = wk_cmd_buf(d->c, 512);
    put_transfer(d, b, wk_cmd_monotonic(d->c) - d->began, false);
    wk_buf_putc(b, '\n');
    wk_out_c(err, wk_keep(d->c, b));
}

void wk_dd_progress(struct dd *d)
{
    if (d->level != DD_STATUS_PROGRESS)
        return;
    int64_t now = wk_cmd_monotonic(d->c);
    if (now < d->next_progress)
        return;
    struct wk_buf *b = wk_cmd_buf(d->c, 512);
    wk_buf_putc(b, '\r');
    put_transfer(d, b, now - d->began, true);
    wk_out_c(d->c->err, wk_keep(d->c, b));
    (void)wk_out_flush(d->c->err);
    d->progress_open = true;
    d->next_progress = now + 1000000000;
}

void wk_dd_complain(struct dd *d, const char *what, const char *file, int err)
{
    end_progress(d);
    wk_msg(d->c, "%s %s: %s", what, wk_quote(d->c, file), wk_err_text(err));
}

void wk_dd_quit(struct dd *d, int status)
{
    if (!d->in) {
        wk_dd_complain(d, "closing input file", d->in_name, WK_EBADF);
        wk_exit(d->c, 1);
    }
    if (!d->out) {
        wk_dd_complain(d, "closing output file", d->out_name, WK_EBADF);
        wk_exit(d->c, 1);
    }
    wk_dd_report(d);
    wk_exit(d->c, status);
}
