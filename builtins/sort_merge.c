/* sort_merge.c - sort's inputs, and merging them
 *
 * Inputs stand as the leaves of a tree of losers: each inner place holds the later one of the two
 * that met there, so the next line costs one comparison a level.
 */
#include "builtins/sort.h"

enum { LEAST_PIECE = 8 * 1024, LARGEST_PIECE = 128 * 1024, USUAL_BATCH = 64 };

/* ---- sources ---- */

void wk_sort_open(struct wk_cmd *c, const char *name, struct wk_sort_src *src)
{
    *src = (struct wk_sort_src){.name = name};
    int err = wk_raw_open(c, name, true, &src->in);
    if (err)
        wk_fail(c, 2, "open failed: %s: %s", wk_quote_maybe(c, name), wk_err_text(err));
}

void wk_sort_close(struct wk_sorter *s, struct wk_sort_src *src)
{
    if (src->run)
        wk_sort_run_free(s, src->run);
    if (src->in && src->in != s->c->in)
        wk_in_close(src->in);
    src->in = NULL;
    src->run = NULL;
    wk_heap_free(s->c->heap, src->buf);
    src->buf = NULL;
    src->n = src->cap = 0;
}

static WK_NORETURN void read_failed(struct wk_cmd *c, const struct wk_sort_src *src, int err)
{
    if (err == WK_ENOMEM)
        wk_heap_exhausted(c->heap);
    wk_fail(c, 2, "read failed: %s: %s", wk_quote_maybe(c, src->name), wk_err_text(err));
}

size_t wk_sort_piece(struct wk_cmd *c, struct wk_sort_src *src, const char **p)
{
    int err = 0;
    if (!src->in->file)
        err = WK_EBADF;
    size_t n = err ? 0 : wk_raw_next(c, src->in, p, &err);
    if (err)
        read_failed(c, src, err);
    return n;
}

/* Room for n bytes more behind those at hand. */
static void make_room(struct wk_cmd *c, struct wk_sort_src *src, size_t n)
{
    if (src->head && src->head + src->n + n > src->cap) {
        memmove(src->buf, src->buf + src->head, src->n);
        src->head = 0;
    }
    if (src->n + n <= src->cap)
        return;
    if (n > SIZE_MAX / 4 - src->n)
        wk_heap_exhausted(c->heap);
    src->cap = src->cap ? (src->n + n) * 2 : n;
    src->buf = (char *)wk_heap_realloc(c->heap, src->buf, src->cap);
}

static void fill_from_run(struct wk_cmd *c, struct wk_sort_src *src)
{
    ptrdiff_t r;
    make_room(c, src, src->n ? src->n : 1);
    size_t at = src->head + src->n;
    do
        r = wk_file_read(c->task, src->file, src->buf + at, src->cap - at);
    while (r == -WK_EINTR);
    if (r < 0)
        read_failed(c, src, (int)-r);
    src->n += (size_t)r;
    src->eof = r == 0;
    wk_tick(c, (uint32_t)r / 64 + 1);
}

static void fill(struct wk_cmd *c, struct wk_sort_src *src)
{
    const char *p;
    if (src->run) {
        fill_from_run(c, src);
        return;
    }
    size_t n = wk_sort_piece(c, src, &p);
    if (n == 0) {
        src->eof = true;
        return;
    }
    make_room(c, src, n);
    memcpy(src->buf + src->head + src->n, p, n);
    src->n += n;
    wk_file_skip(src->in->file, n);
    wk_tick(c, (uint32_t)(n / 64) + 1);
}

bool wk_sort_next(struct wk_sorter *s, struct wk_sort_src *src, struct wk_str *line)
{
    size_t seen = 0; /* bytes known to hold no line end */
    for (;;) {
        const char *p = src->n ? src->buf + src->head : "";
        const char *e =
            src->n > seen ? (const char *)memchr(p + seen, s->eol, src->n - seen) : NULL;
        if (WK_LIKELY(e != NULL)) {
            *line = wk_str(p, (size_t)(e - p));
            src->head += line->n + 1;
            src->n -= line->n + 1;
            return true;
        }
        if (src->eof) {
            *line = wk_str(p, src->n);
            src->head += src->n;
            src->n = 0;
            return line->n > 0;
        }
        seen = src->n;
        fill(s->c, src);
    }
}

/* ---- merging ---- */

struct stream {
    struct wk_sort_src src;
    uint64_t lead;
    struct wk_sort_line line;
    bool live;
};

static void advance(struct wk_sorter *s, struct stream *t)
{
    struct wk_str line;
    t->live = wk_sort_next(s, &t->src, &line);
    if (!t->live) {
        wk_sort_close(s, &t->src);
        return;
    }
    t->line = (struct wk_sort_line){.p = line.p, .n = line.n};
    t->lead = wk_sort_prepare(s, &t->line);
}

/* Whether a's line comes before b's; among equals that of the earlier input. */
static inline bool is_first(const struct wk_sorter *s, const struct stream *a,
                            const struct stream *b)
{
    if (WK_UNLIKELY(!a->live || !b->live))
        return a->live;
    if (a->lead != b->lead)
        return a->lead < b->lead;
    int r = wk_sort_cmp(s, &a->line, &b->line);
    return r ? r < 0 : a < b;
}

/* The tree: places 1…n-1 hold losers, place 0 the winner; stream i hangs below (n + i) / 2. */
static void build(struct wk_sorter *s, struct stream **tree, struct stream *v, size_t n)
{
    /* Winners of the places, from the last to the first. */
    struct stream **best = wk_new_n(s->c, struct stream *, 2 * n);
    for (size_t i = 0; i < n; i++)
        best[n + i] = &v[i];
    for (size_t i = n; i-- > 1;) {
        struct stream *a = best[2 * i], *b = best[2 * i + 1];
        bool first = is_first(s, a, b);
        best[i] = first ? a : b;
        tree[i] = first ? b : a;
    }
    tree[0] = best[1];
    wk_heap_free(s->c->heap, best);
}

static void replay(struct wk_sorter *s, struct stream **tree, struct stream *v, size_t n)
{
    struct stream *x = tree[0];
    for (size_t i = (n + (size_t)(x - v)) / 2; i > 0; i /= 2) {
        if (!is_first(s, tree[i], x))
            continue;
        struct stream *winner = tree[i];
        tree[i] = x;
        x = winner;
    }
    tree[0] = x;
}

/* The line written last, for -u. */
struct written {
    struct wk_sort_line line;
    uint64_t lead;
    char *buf;
    size_t cap;
    bool any;
};

static bool is_repeat(struct wk_sorter *s, struct written *w, const struct stream *x)
{
    if (w->any && w->lead == x->lead && wk_sort_cmp(s, &w->line, &x->line) == 0)
        return true;
    if (x->line.n > w->cap) {
        w->cap = x->line.n * 2;
        w->buf = (char *)wk_heap_realloc(s->c->heap, w->buf, w->cap);
    }
    if (x->line.n)
        memcpy(w->buf, x->line.p, x->line.n);
    w->line = (struct wk_sort_line){.p = w->buf, .n = x->line.n};
    w->lead = wk_sort_prepare(s, &w->line);
    w->any = true;
    return false;
}

static void open_part(struct wk_sorter *s, struct stream *t, const struct wk_sort_part *part,
                      size_t bytes)
{
    if (part->run) {
        t->src = (struct wk_sort_src){.name = part->run->name, .run = part->run};
        t->src.file = wk_sort_run_open(s, part->run);
        make_room(s->c, &t->src, bytes);
    } else {
        wk_sort_open(s->c, part->name, &t->src);
    }
}

void wk_sort_join(struct wk_sorter *s, const struct wk_sort_part *parts, size_t n,
                  struct wk_out *out, bool debug)
{
    struct wk_cmd *c = s->c;
    struct written w = {.any = false};
    if (!n)
        return;
    struct stream *v = wk_new_n(c, struct stream, n);
    struct stream **tree = wk_new_n(c, struct stream *, n);
    size_t bytes = wk_sort_budget(s, 0) / n & ~(size_t)4095;
    bytes = WK_MAX(WK_MIN(bytes, (size_t)LARGEST_PIECE), (size_t)LEAST_PIECE);
    for (size_t i = 0; i < n; i++) {
        open_part(s, &v[i], &parts[i], bytes);
        advance(s, &v[i]);
    }
    build(s, tree, v, n);
    while (tree[0]->live) {
        struct stream *x = tree[0];
        if (!s->unique || !is_repeat(s, &w, x))
            wk_sort_put(s, out, &x->line, debug);
        wk_tick(c, 8);
        advance(s, x);
        replay(s, tree, v, n);
    }
    wk_heap_free(c->heap, w.buf);
    wk_heap_free(c->heap, tree);
    wk_heap_free(c->heap, v);
}

struct wk_sort_run *wk_sort_join_runs(struct wk_sorter *s, const struct wk_sort_part *parts,
                                      size_t n)
{
    struct wk_out *out;
    struct wk_sort_run *r = wk_sort_run_new(s, &out);
    wk_sort_join(s, parts, n, out, false);
    wk_sort_run_done(s, r, out);
    return r;
}

size_t wk_sort_batch(const struct wk_sorter *s)
{
    size_t most = wk_sort_budget(s, 0) / (2 * LEAST_PIECE), batch = USUAL_BATCH;
    if (s->compress)
        batch = 16;
    if (s->batch)
        batch = s->batch < SIZE_MAX ? (size_t)s->batch : SIZE_MAX;
    return WK_MAX(WK_MIN(batch, most), (size_t)2);
}

void wk_sort_reduce(struct wk_sorter *s, struct wk_sort_part *parts, size_t *n)
{
    size_t batch = wk_sort_batch(s);
    while (*n > batch) {
        size_t done = 0;
        for (size_t i = 0, take; i < *n; i += take) {
            take = WK_MIN(batch, *n - i);
            struct wk_sort_part whole = parts[i];
            if (take > 1)
                whole = (struct wk_sort_part){NULL, wk_sort_join_runs(s, parts + i, take)};
            parts[done++] = whole;
        }
        *n = done;
    }
}
