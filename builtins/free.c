/* free.c - show how much memory the session has and uses
 *
 * Standard: procps 4.0.2. Oracle: free.
 * Differs:  docs/divergences/free.md
 */
#include "base/fnum.h"
#include "base/num.h"
#include "builtins/proctable.h"

struct free_opts {
    bool human, si, low, total, committed, wide;
    int unit, thousand, units; /* power of the unit, by 1000; how many were asked for */
    const char *seconds, *count;
};

struct memory {
    uint64_t total, used, free, shared, buffers, cache, available, swap_total, swap_free, low_total,
        low_free, high_total, high_free, limit, committed; /* KiB */
};

enum { BYTES = 0, BY_1000 = 16 };

static int take_unit(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct free_opts *o = (struct free_opts *)c->opts;
    (void)arg;
    if (o->units++)
        wk_fail(c, 1, "Multiple unit options don't make sense.");
    o->unit = opt->value & ~BY_1000;
    o->thousand = opt->value & BY_1000;
    return 0;
}

static void read_memory(struct wk_cmd *c, struct memory *m)
{
    size_t n;
    char *text = wk_proc_text(c, "/proc/meminfo", &n);
    if (!n)
        wk_fail(c, 1, "/proc is not mounted");
    *m = (struct memory){.total = wk_proc_kib(text, "MemTotal:"),
                         .free = wk_proc_kib(text, "MemFree:"),
                         .shared = wk_proc_kib(text, "Shmem:"),
                         .buffers = wk_proc_kib(text, "Buffers:"),
                         .cache = wk_proc_kib(text, "Cached:") + wk_proc_kib(text, "SReclaimable:"),
                         .available = wk_proc_kib(text, "MemAvailable:"),
                         .swap_total = wk_proc_kib(text, "SwapTotal:"),
                         .swap_free = wk_proc_kib(text, "SwapFree:"),
                         .low_total = wk_proc_kib(text, "LowTotal:"),
                         .low_free = wk_proc_kib(text, "LowFree:"),
                         .high_total = wk_proc_kib(text, "HighTotal:"),
                         .high_free = wk_proc_kib(text, "HighFree:"),
                         .limit = wk_proc_kib(text, "CommitLimit:"),
                         .committed = wk_proc_kib(text, "Committed_AS:")};
    wk_heap_free(c->heap, text);
    m->used = m->total > m->available ? m->total - m->available : 0;
    if (!m->low_total) { /* all of it */
        m->low_total = m->total;
        m->low_free = m->free;
    }
}

/* At most five bytes: "23Gi", "1.5Gi", "0B"; four with powers of 1000. */
static void put_human(struct wk_buf *b, uint64_t kib, bool si)
{
    static const char letters[] = "BKMGTPEZ";
    const struct wk_fnum tenth = {.conv = 'f', .precision = 1};
    double base = si ? 1000 : 1024, v = (double)kib * 1024;
    size_t most = si ? 4 : 5;
    for (size_t i = 0; letters[i]; i++, v /= base) {
        const char *rest = i && !si ? "i" : "";
        if (i) {
            wk_buf_reset(b);
            (void)wk_buf_put_double(b, v, &tenth);
            wk_buf_fmt(b, "%c%s", letters[i], rest);
            if (b->n <= most)
                return;
        }
        wk_buf_reset(b);
        wk_buf_fmt(b, "%llu%c%s", (unsigned long long)v, letters[i], rest);
        if (b->n <= most)
            return;
    }
}

static void put(struct wk_cmd *c, uint64_t kib)
{
    const struct free_opts *o = (const struct free_opts *)c->opts;
    struct wk_buf value;
    wk_buf_init(&value, wk_heap_mem(c->heap), 96);
    if (o->human) {
        put_human(&value, kib, o->si);
    } else {
        bool thousand = o->thousand || o->si;
        int unit = o->units ? o->unit : 1;
        long double v = (long double)kib * 1024;
        for (int i = 0; i < unit; i++)
            v /= thousand ? 1000 : 1024;
        wk_buf_put_u64(&value, (uint64_t)v);
    }
    char *text = wk_keep(c, &value);
    for (size_t i = strlen(text); i < 11; i++)
        wk_out_char(c->out, ' ');
    wk_out_c(c->out, text);
    wk_heap_free(c->heap, text);
}

static void put_line(struct wk_cmd *c, const char *name, const uint64_t *v, size_t n)
{
    wk_out_fmt(c->out, "%-9s", name);
    for (size_t i = 0; i < n; i++) {
        if (i)
            wk_out_char(c->out, ' ');
        put(c, v[i]);
    }
    wk_out_char(c->out, '\n');
}

static void show(struct wk_cmd *c)
{
    const struct free_opts *o = (const struct free_opts *)c->opts;
    struct memory m;
    read_memory(c, &m);
    wk_out_c(
        c->out,
        o->wide
            ? "               total        used        free      shared     buffers       cache   "
              "available\n"
            : "               total        used        free      shared  buff/cache   available\n");
    uint64_t wide[] = {m.total, m.used, m.free, m.shared, m.buffers, m.cache, m.available};
    uint64_t plain[] = {m.total, m.used, m.free, m.shared, m.buffers + m.cache, m.available};
    put_line(c, "Mem:", o->wide ? wide : plain, o->wide ? 7 : 6);
    uint64_t swap_used = m.swap_total > m.swap_free ? m.swap_total - m.swap_free : 0;
    if (o->low) {
        put_line(c, "Low:", (uint64_t[]){m.low_total, m.low_total - m.low_free, m.low_free}, 3);
        put_line(c, "High:", (uint64_t[]){m.high_total, m.high_total - m.high_free, m.high_free},
                 3);
    }
    put_line(c, "Swap:", (uint64_t[]){m.swap_total, swap_used, m.swap_free}, 3);
    if (o->total)
        put_line(c, "Total:",
                 (uint64_t[]){m.total + m.swap_total, m.used + swap_used, m.free + m.swap_free}, 3);
    if (o->committed) {
        uint64_t left = m.limit > m.committed ? m.limit - m.committed : 0;
        put_line(c, "Comm:", (uint64_t[]){m.limit, m.committed, left}, 3);
    }
}

static int free_main(struct wk_cmd *c)
{
    const struct free_opts *o = (const struct free_opts *)c->opts;
    double seconds = 1;
    int64_t count = 1;
    if (o->seconds) {
        if (wk_parse_double(wk_str_c(o->seconds), &seconds) != 0)
            wk_fail(c, 1, "seconds argument failed: '%s': Invalid argument", o->seconds);
        if (!(seconds > 0))
            wk_fail(c, 1, "seconds argument `%s' is not positive number", o->seconds);
        count = INT64_MAX;
    }
    if (o->count) {
        int r = wk_parse_i64(wk_str_c(o->count), 10, &count);
        if (r && r != -WK_ERANGE)
            wk_fail(c, 1, "failed to parse count argument: '%s'", o->count);
        if (r || count < 1 || count > INT32_MAX)
            wk_fail(c, 1, "failed to parse count argument: '%s': Numerical result out of range",
                    o->count);
    }
    if (c->nargs) {
        wk_out_fmt(c->err, "\nUsage:\n %s\n", c->command->usage);
        return 1;
    }
    for (int64_t i = 0; i < count; i++) {
        if (i) {
            wk_out_char(c->out, '\n');
            (void)wk_out_flush(c->out);
            wk_cmd_sleep(c, seconds > 9e9 ? INT64_MAX : (int64_t)(seconds * 1e9));
        }
        show(c);
    }
    return 0;
}

static const struct wk_opt free_options[] = {
    WK_FUNC_OPT(take_unit, BYTES, 'b', "bytes", NULL, "in bytes"),
    WK_FUNC_OPT(take_unit, BY_1000 | 1, 0, "kilo", NULL, "in units of 1000 bytes"),
    WK_FUNC_OPT(take_unit, BY_1000 | 2, 0, "mega", NULL, "of 1000^2"),
    WK_FUNC_OPT(take_unit, BY_1000 | 3, 0, "giga", NULL, "of 1000^3"),
    WK_FUNC_OPT(take_unit, BY_1000 | 4, 0, "tera", NULL, "of 1000^4"),
    WK_FUNC_OPT(take_unit, BY_1000 | 5, 0, "peta", NULL, "of 1000^5"),
    WK_FUNC_OPT(take_unit, 1, 'k', "kibi", NULL, "of 1024 bytes (the default)"),
    WK_FUNC_OPT(take_unit, 2, 'm', "mebi", NULL, "of 1024^2"),
    WK_FUNC_OPT(take_unit, 3, 'g', "gibi", NULL, "of 1024^3"),
    WK_FUNC_OPT(take_unit, 4, 0, "tebi", NULL, "of 1024^4"),
    WK_FUNC_OPT(take_unit, 5, 0, "pebi", NULL, "of 1024^5"),
    WK_FLAG(struct free_opts, human, 'h', "human", "short, with unit letters"),
    WK_FLAG(struct free_opts, si, 0, "si", "powers of 1000"),
    WK_FLAG(struct free_opts, low, 'l', "lohi", "low and high memory, too"),
    WK_FLAG(struct free_opts, total, 't', "total", "and the sum with swap"),
    WK_FLAG(struct free_opts, committed, 'v', "committed", "and what is promised"),
    WK_STR_OPT(struct free_opts, seconds, 's', "seconds", "N", "again every N seconds"),
    WK_STR_OPT(struct free_opts, count, 'c', "count", "N", "N times"),
    WK_FLAG(struct free_opts, wide, 'w', "wide", "buffers and cache apart"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "what --version prints"),
    WK_OPTS_END,
};

WK_COMMAND(free, .summary = "show how much memory is used", .usage = "free [options]",
           .std = "procps 4.0.2", .opts = free_options, .opts_size = sizeof(struct free_opts));
