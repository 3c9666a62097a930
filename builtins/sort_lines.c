/* sort_lines.c - sort's three ways to work: sorting, merging, checking */
#include "builtins/sort.h"

/* ---- output ---- */

struct sink {
    struct wk_out *out;
    const char *name;
};

static struct sink open_output(struct wk_sorter *s, const char *name)
{
    struct wk_file *f;
    if (!name)
        return (struct sink){s->c->out, NULL};
    int err = wk_cmd_open(s->c, name, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
    if (err)
        wk_fail(s->c, 2, "open failed: %s: %s", wk_quote_maybe(s->c, name), wk_err_text(err));
    return (struct sink){wk_out_of(s->c, f), name};
}

static void close_output(struct wk_sorter *s, struct sink *k)
{
    int err = k->name ? wk_out_close(k->out) : 0;
    if (err)
        wk_fail(s->c, 2, "write failed: %s: %s", wk_quote_maybe(s->c, k->name), wk_err_text(err));
}

/* ---- sorting ---- */

/* The runs so far, in the order of the input. */
struct runs {
    struct wk_sort_part *v;
    size_t n, cap;
};

/* Sorted lines leave the memory. A batch of runs that were merged equally often becomes one, so few
 * are open at a time. */
static void spill(struct wk_sorter *s, struct wk_sort_chunk *k, struct runs *r)
{
    struct wk_out *out;
    struct wk_sort_run *run = wk_sort_run_new(s, &out);
    wk_sort_chunk_write(k, out, false);
    wk_sort_run_done(s, run, out);
    if (r->n == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 16;
        r->v = (struct wk_sort_part *)wk_heap_realloc(s->c->heap, r->v, r->cap * sizeof *r->v);
    }
    r->v[r->n++] = (struct wk_sort_part){NULL, run};
    size_t batch = wk_sort_batch(s);
    while (r->n >= batch && r->v[r->n - batch].run->level == r->v[r->n - 1].run->level) {
        unsigned level = r->v[r->n - 1].run->level;
        run = wk_sort_join_runs(s, r->v + r->n - batch, batch);
        run->level = level + 1;
        r->n -= batch;
        r->v[r->n++] = (struct wk_sort_part){NULL, run};
    }
}

static void read_lines(struct wk_sorter *s, struct wk_sort_chunk *k, struct runs *r,
                       const char *name)
{
    struct wk_sort_src src;
    const char *p;
    size_t got;
    wk_sort_open(s->c, name, &src);
    while ((got = wk_sort_piece(s->c, &src, &p)) > 0) {
        bool full;
        size_t n = wk_sort_chunk_take(k, p, got, &full);
        wk_file_skip(src.in->file, n);
        wk_tick(s->c, (uint32_t)(n / 64) + 1);
        if (full)
            spill(s, k, r);
    }
    wk_sort_chunk_end(k);
    wk_sort_close(s, &src);
}

void wk_sort_all(struct wk_sorter *s, char **names, size_t n, const char *output)
{
    struct wk_sort_chunk *k = wk_sort_chunk_new(s);
    struct runs r = {0};
    for (size_t i = 0; i < n; i++)
        read_lines(s, k, &r, names[i]);
    if (!r.n) {
        struct sink to = open_output(s, output);
        wk_sort_chunk_write(k, to.out, s->debug);
        close_output(s, &to);
        return;
    }
    if (wk_sort_chunk_any(k))
        spill(s, k, &r);
    wk_sort_chunk_free(k);
    wk_sort_reduce(s, r.v, &r.n);
    struct sink to = open_output(s, output);
    wk_sort_join(s, r.v, r.n, to.out, s->debug);
    close_output(s, &to);
}

/* ---- merging ---- */

static bool is_same_file(struct wk_cmd *c, const char *a, const char *b)
{
    struct wk_stat x, y;
    if (!b || wk_at_stat(c, NULL, b, true, &y) != 0 || WK_S_ISCHR(y.mode))
        return false;
    if (strcmp(a, "-") == 0)
        return c->in->file && wk_file_stat(c->in->file, &x) >= 0 && wk_stat_same(&x, &y);
    return wk_at_stat(c, NULL, a, true, &x) == 0 && wk_stat_same(&x, &y);
}

void wk_sort_merge(struct wk_sorter *s, char **names, size_t n, const char *output)
{
    struct wk_sort_part *parts = wk_new_n(s->c, struct wk_sort_part, n + 1);
    for (size_t i = 0; i < n; i++)
        parts[i].name = names[i];
    wk_sort_reduce(s, parts, &n);
    /* An input that is also the output is copied before it is emptied. */
    for (size_t i = 0; i < n; i++)
        if (parts[i].name && is_same_file(s->c, parts[i].name, output))
            parts[i] = (struct wk_sort_part){NULL, wk_sort_join_runs(s, &parts[i], 1)};
    struct sink to = open_output(s, output);
    wk_sort_join(s, parts, n, to.out, s->debug);
    close_output(s, &to);
}

/* ---- checking ---- */

/* How a line stands to the one before it; *lead is that one's first bytes, and becomes this one's. */
static inline int check_order(const struct wk_sorter *s, const struct wk_sort_line *before,
                              struct wk_sort_line *now, uint64_t *lead)
{
    if (!s->n_keys) { /* lines that follow each other tend to begin alike */
        size_t n = WK_MIN(before->n, now->n);
        int r = n ? memcmp(before->p, now->p, n) : 0;
        if (!r)
            r = (before->n > now->n) - (before->n < now->n);
        return s->reverse ? (r < 0) - (r > 0) : r;
    }
    uint64_t was = *lead;
    *lead = wk_sort_prepare(s, now);
    return was != *lead ? (was < *lead ? -1 : 1) : wk_sort_cmp(s, before, now);
}

int wk_sort_check(struct wk_sorter *s, const char *name, bool quiet)
{
    struct wk_cmd *c = s->c;
    struct wk_sort_src src;
    struct wk_sort_hold before = {.buf = NULL};
    struct wk_str line;
    uint64_t number = 0, lead = 0;
    wk_sort_open(c, name, &src);
    src.hold = &before;
    while (wk_sort_next(s, &src, &line)) {
        struct wk_sort_line l = {.p = line.p, .n = line.n};
        int order = -1;
        if (number++)
            order = check_order(s, &before.line, &l, &lead);
        else if (s->n_keys)
            lead = wk_sort_prepare(s, &l);
        if (s->unique ? order >= 0 : order > 0) {
            if (!quiet) {
                wk_out_fmt(c->err, "%s: %s:%llu: disorder: ", c->name, wk_quote_maybe(c, name),
                           (unsigned long long)number);
                wk_out_put(c->err, line.p, line.n);
                wk_out_char(c->err, '\n');
            }
            return 1;
        }
        before.line = l;
        wk_tick(c, 4);
    }
    return 0;
}
