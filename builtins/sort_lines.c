/* sort_lines.c - sort's inputs, the sort in memory, merging and checking */
#include "builtins/sort.h"

/* ---- sources ---- */

void wk_sort_open(struct wk_cmd *c, const char *name, struct wk_sort_src *src)
{
    *src = (struct wk_sort_src){.name = name};
    int err = wk_raw_open(c, name, true, &src->in);
    if (err)
        wk_fail(c, 2, "open failed: %s: %s", wk_quote_maybe(c, name), wk_err_text(err));
}

void wk_sort_close(struct wk_cmd *c, struct wk_sort_src *src)
{
    if (src->in && src->in != c->in)
        wk_in_close(src->in);
    src->in = NULL;
    wk_heap_free(c->heap, src->buf);
    src->buf = NULL;
    src->n = src->cap = 0;
}

/* Borrows the next piece; ends the process on an error. */
static size_t next_piece(struct wk_cmd *c, struct wk_sort_src *src, const char **p)
{
    int err = 0;
    if (!src->in->file)
        err = WK_EBADF;
    size_t n = err ? 0 : wk_raw_next(c, src->in, p, &err);
    if (err)
        wk_fail(c, 2, "read failed: %s: %s", wk_quote_maybe(c, src->name), wk_err_text(err));
    return n;
}

static void fill(struct wk_cmd *c, struct wk_sort_src *src)
{
    const char *p;
    size_t n = next_piece(c, src, &p);
    if (n == 0) {
        src->eof = true;
        return;
    }
    if (src->head && src->head + src->n + n > src->cap) {
        memmove(src->buf, src->buf + src->head, src->n);
        src->head = 0;
    }
    if (src->n + n > src->cap) {
        src->cap = (src->n + n) * 2;
        src->buf = (char *)wk_heap_realloc(c->heap, src->buf, src->cap);
    }
    memcpy(src->buf + src->head + src->n, p, n);
    src->n += n;
    wk_file_skip(src->in->file, n);
    wk_tick(c, (uint32_t)(n / 64) + 1);
}

bool wk_sort_next(struct wk_cmd *c, struct wk_sort_src *src, char eol, struct wk_str *line)
{
    size_t seen = 0; /* bytes known to hold no line end */
    for (;;) {
        const char *p = src->buf + src->head;
        const char *e = src->n > seen ? (const char *)memchr(p + seen, eol, src->n - seen) : NULL;
        if (e || (src->eof && src->n)) {
            *line = wk_str(p, e ? (size_t)(e - p) : src->n);
            src->head += line->n + (e != NULL);
            src->n -= line->n + (e != NULL);
            return true;
        }
        if (src->eof)
            return false;
        seen = src->n;
        fill(c, src);
    }
}

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

static void put_line(struct wk_sorter *s, struct wk_out *out, const struct wk_sort_line *l)
{
    if (s->debug) {
        wk_sort_debug_line(s, out, l);
        return;
    }
    wk_out_put(out, l->p, l->n);
    wk_out_char(out, s->eol);
}

static void close_output(struct wk_sorter *s, struct sink *k)
{
    int err = k->name ? wk_out_close(k->out) : 0;
    if (err)
        wk_fail(s->c, 2, "write failed: %s: %s", wk_quote_maybe(s->c, k->name), wk_err_text(err));
}

/* ---- the sort in memory ---- */

struct item {
    uint64_t lead;
    const struct wk_sort_line *line;
};

struct lines {
    struct wk_sort_line *v;
    size_t n, cap;
};

static void add_line(struct wk_sorter *s, struct lines *l, const char *p, size_t n)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 256;
        l->v = (struct wk_sort_line *)wk_heap_realloc(s->c->heap, l->v, l->cap * sizeof *l->v);
    }
    l->v[l->n++] = (struct wk_sort_line){.p = p, .n = n};
}

/* Copies an input into blocks that stay, cut into lines. A line that a block's end cuts is moved to
 * the next block as a whole. */
static void read_lines(struct wk_sorter *s, struct lines *l, struct wk_sort_src *src)
{
    enum { FIRST_BLOCK = 8 * 1024, LARGEST_BLOCK = 1024 * 1024 };
    struct wk_cmd *c = s->c;
    char *block = NULL;
    size_t cap = 0, n = 0, start = 0, got; /* start: of the unfinished line */
    const char *p;
    while ((got = next_piece(c, src, &p)) > 0) {
        if (got > cap - n) {
            size_t part = n - start, next = cap ? cap * 2 : FIRST_BLOCK;
            if (next > LARGEST_BLOCK)
                next = LARGEST_BLOCK;
            if (next < 2 * (part + got))
                next = 2 * (part + got);
            char *fresh = (char *)wk_heap_alloc(c->heap, next);
            if (part)
                memcpy(fresh, block + start, part);
            if (block && start == 0)
                wk_heap_free(c->heap, block); /* held nothing but this part */
            block = fresh;
            cap = next;
            start = 0;
            n = part;
        }
        memcpy(block + n, p, got);
        wk_file_skip(src->in->file, got);
        const char *at = block + n, *end = at + got, *e;
        while (at < end && (e = (const char *)memchr(at, s->eol, (size_t)(end - at)))) {
            add_line(s, l, block + start, (size_t)(e - (block + start)));
            at = e + 1;
            start = (size_t)(at - block);
        }
        n += got;
        wk_tick(c, (uint32_t)(got / 64) + 1);
    }
    if (n > start)
        add_line(s, l, block + start, n - start);
}

static inline bool comes_first(const struct wk_sorter *s, const struct item *b,
                               const struct item *a)
{
    if (b->lead != a->lead)
        return b->lead < a->lead;
    return wk_sort_cmp(s, b->line, a->line) < 0;
}

static void sort_runs(struct wk_sorter *s, struct item *v, size_t n, size_t run)
{
    for (size_t at = 0; at < n; at += run) {
        size_t end = n - at < run ? n : at + run;
        for (size_t i = at + 1; i < end; i++) {
            struct item x = v[i];
            size_t k = i;
            for (; k > at && comes_first(s, &x, &v[k - 1]); k--)
                v[k] = v[k - 1];
            v[k] = x;
        }
        wk_tick(s->c, 16);
    }
}

static void merge_two(struct wk_sorter *s, const struct item *from, struct item *to, size_t at,
                      size_t mid, size_t end)
{
    size_t a = at, b = mid, k = at;
    if (mid >= end || !comes_first(s, &from[mid], &from[mid - 1])) {
        memcpy(to + at, from + at, (end - at) * sizeof *to);
        wk_tick(s->c, (uint32_t)((end - at) / 64 & 0xffffff) + 1);
        return;
    }
    while (a < mid && b < end) {
        to[k++] = comes_first(s, &from[b], &from[a]) ? from[b++] : from[a++];
        if ((k & 255) == 0)
            wk_tick(s->c, 256);
    }
    memcpy(to + k, from + a, (mid - a) * sizeof *to);
    k += mid - a;
    memcpy(to + k, from + b, (end - b) * sizeof *to);
}

/* Stable merge sort: at most n log2 n comparisons. */
static void sort_items(struct wk_sorter *s, struct item *v, size_t n)
{
    enum { RUN = 8 };
    sort_runs(s, v, n, RUN);
    if (n <= RUN)
        return;
    struct item *scratch = wk_new_n(s->c, struct item, n), *from = v, *to = scratch;
    for (size_t run = RUN; run < n; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run)
            merge_two(s, from, to, at, n - at < run ? n : at + run,
                      n - at < 2 * run ? n : at + 2 * run);
        struct item *swap = from;
        from = to;
        to = swap;
    }
    if (from != v)
        memcpy(v, from, n * sizeof *v);
    wk_heap_free(s->c->heap, scratch);
}

void wk_sort_all(struct wk_sorter *s, char **names, size_t n, const char *output)
{
    struct wk_cmd *c = s->c;
    struct lines l = {0};
    struct wk_sort_src src;
    for (size_t i = 0; i < n; i++) {
        wk_sort_open(c, names[i], &src);
        read_lines(s, &l, &src);
        wk_sort_close(c, &src);
    }
    struct item *v = wk_new_n(c, struct item, l.n + 1);
    for (size_t i = 0; i < l.n; i++) {
        v[i] = (struct item){wk_sort_prepare(s, &l.v[i]), &l.v[i]};
        wk_tick(c, (uint32_t)(l.v[i].n / 64 & 0xffffff) + 1);
    }
    sort_items(s, v, l.n);
    struct sink k = open_output(s, output);
    const struct item *last = NULL;
    for (size_t i = 0; i < l.n; i++) {
        if (s->unique && last && last->lead == v[i].lead &&
            wk_sort_cmp(s, last->line, v[i].line) == 0)
            continue;
        last = &v[i];
        put_line(s, k.out, v[i].line);
        wk_tick(c, 1);
    }
    close_output(s, &k);
}

/* ---- merging ---- */

struct stream {
    struct wk_sort_src src;
    struct item now; /* its present line; `line` NULL at the end */
    struct wk_sort_line line;
    size_t index; /* earlier inputs come first among equals */
};

static bool advance(struct wk_sorter *s, struct stream *t)
{
    struct wk_str line;
    t->now.line = NULL;
    if (!wk_sort_next(s->c, &t->src, s->eol, &line)) {
        wk_sort_close(s->c, &t->src);
        return false;
    }
    t->line = (struct wk_sort_line){.p = line.p, .n = line.n};
    t->now = (struct item){wk_sort_prepare(s, &t->line), &t->line};
    return true;
}

static bool stream_first(const struct wk_sorter *s, const struct stream *a, const struct stream *b)
{
    if (comes_first(s, &a->now, &b->now))
        return true;
    return !comes_first(s, &b->now, &a->now) && a->index < b->index;
}

/* Moves the top of the heap down to its place. */
static void sift(struct wk_sorter *s, struct stream **h, size_t n, size_t at)
{
    struct stream *x = h[at];
    for (size_t kid; (kid = 2 * at + 1) < n; at = kid) {
        if (kid + 1 < n && stream_first(s, h[kid + 1], h[kid]))
            kid++;
        if (!stream_first(s, h[kid], x))
            break;
        h[at] = h[kid];
    }
    h[at] = x;
}

/* The line written last, for -u. */
struct written {
    struct wk_sort_line line;
    uint64_t lead;
    char *buf;
    size_t cap;
    bool any;
};

static bool is_repeat(struct wk_sorter *s, struct written *w, const struct item *x)
{
    if (w->any && w->lead == x->lead && wk_sort_cmp(s, &w->line, x->line) == 0)
        return true;
    if (x->line->n > w->cap) {
        w->cap = x->line->n * 2;
        w->buf = (char *)wk_heap_realloc(s->c->heap, w->buf, w->cap);
    }
    if (x->line->n)
        memcpy(w->buf, x->line->p, x->line->n);
    w->line = (struct wk_sort_line){.p = w->buf, .n = x->line->n};
    w->lead = wk_sort_prepare(s, &w->line);
    w->any = true;
    return false;
}

static bool is_same_file(struct wk_cmd *c, const char *a, const char *b)
{
    struct wk_stat x, y;
    return b && strcmp(a, "-") != 0 && wk_at_stat(c, NULL, a, true, &x) == 0 &&
           wk_at_stat(c, NULL, b, true, &y) == 0 && wk_stat_same(&x, &y);
}

/* An input that is also the output is read before it is emptied. */
static void read_ahead(struct wk_sorter *s, struct stream *t)
{
    while (!t->src.eof)
        fill(s->c, &t->src);
}

void wk_sort_merge(struct wk_sorter *s, char **names, size_t n, const char *output)
{
    struct wk_cmd *c = s->c;
    struct stream *all = wk_new_n(c, struct stream, n + 1);
    struct stream **h = wk_new_n(c, struct stream *, n + 1);
    struct written w = {.any = false};
    size_t live = 0;
    for (size_t i = 0; i < n; i++) {
        all[i].index = i;
        wk_sort_open(c, names[i], &all[i].src);
        if (is_same_file(c, names[i], output))
            read_ahead(s, &all[i]);
        if (advance(s, &all[i]))
            h[live++] = &all[i];
    }
    struct sink k = open_output(s, output);
    for (size_t i = live / 2; i-- > 0;)
        sift(s, h, live, i);
    while (live) {
        const struct item *x = &h[0]->now;
        if (!s->unique || !is_repeat(s, &w, x)) {
            put_line(s, k.out, x->line);
        }
        wk_tick(c, 8);
        if (!advance(s, h[0]))
            h[0] = h[--live];
        if (live)
            sift(s, h, live, 0);
    }
    close_output(s, &k);
}

int wk_sort_check(struct wk_sorter *s, const char *name, bool quiet)
{
    struct wk_cmd *c = s->c;
    struct wk_sort_src src;
    struct written w = {.any = false};
    struct wk_str line;
    uint64_t number = 0;
    wk_sort_open(c, name, &src);
    while (wk_sort_next(c, &src, s->eol, &line)) {
        struct wk_sort_line l = {.p = line.p, .n = line.n};
        struct item x = {wk_sort_prepare(s, &l), &l}, before = {w.lead, &w.line};
        number++;
        if (w.any && (s->unique ? !comes_first(s, &before, &x) : comes_first(s, &x, &before))) {
            if (!quiet) {
                wk_out_fmt(c->err, "%s: %s:%llu: disorder: ", c->name, wk_quote_maybe(c, name),
                           (unsigned long long)number);
                wk_out_put(c->err, line.p, line.n);
                wk_out_char(c->err, '\n');
            }
            return 1;
        }
        w.any = false;
        (void)is_repeat(s, &w, &x);
        wk_tick(c, 4);
    }
    return 0;
}
