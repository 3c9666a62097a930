/* diff3_parts.c - diff3: two lists of differences from a common file become one of three files
 *
 * Method: differences of either list that overlap or touch in the common file are one part. Its lines of the common
 * file are in the differences themselves, and so are those of the other two: where a list has no difference, its file
 * has the common lines.
 */
#include "builtins/diff3.h"

/* A difference: lines of a file and of the common one, with their numbers from 0. */
struct block {
    int64_t start[2], n[2];
    const struct wk_str *line[2];
};
struct list {
    struct block *v;
    size_t n, cap;
};

/* ---- what diff prints ---------------------------------------------------------------------------
 */

struct reader {
    struct wk_cmd *c;
    bool add_newline; /* to a last line without one, after a word about it */
    const char *p, *end;
};

static WK_NORETURN void refuse(const struct reader *r, const char *why)
{
    wk_fail(r->c, 2, "invalid diff format; %s", why);
}

static WK_NORETURN void failed(const struct reader *r, const char *from)
{
    const char *nl = (const char *)memchr(from, '\n', (size_t)(r->end - from));
    (void)wk_out_flush(r->c->out);
    wk_out_fmt(r->c->err, "%s: diff failed: ", r->c->name);
    wk_out_put(r->c->err, from, (size_t)((nl ? nl + 1 : r->end) - from));
    wk_exit(r->c, 2);
}

static void skip_blanks(const char **p)
{
    while (**p == ' ' || **p == '\t')
        ++*p;
}

static bool read_number(const char **p, int64_t *v)
{
    skip_blanks(p);
    const char *from = *p;
    for (*v = 0; **p >= '0' && **p <= '9'; ++*p)
        *v = *v > (INT64_MAX / 4 - 9) / 10 ? INT64_MAX / 4 : *v * 10 + (**p - '0');
    skip_blanks(p);
    return *p > from;
}

/* "4" or "4,7": the text ends with a newline, so no check of its end is needed. */
static bool read_range(const char **p, int64_t *first, int64_t *last)
{
    if (!read_number(p, first))
        return false;
    *last = *first;
    if (**p != ',')
        return true;
    ++*p;
    return read_number(p, last);
}

/* "4,7c5" and its kin. */
static char read_header(struct reader *r, struct block *b)
{
    const char *p = r->p;
    int64_t first[2], last[2];
    if (!read_range(&p, &first[0], &last[0]))
        failed(r, r->p);
    char what = *p;
    if (what != 'a' && what != 'c' && what != 'd')
        failed(r, r->p);
    p++;
    if (!read_range(&p, &first[1], &last[1]))
        failed(r, r->p);
    if (*p != '\n')
        failed(r, p);
    r->p = p + 1;
    for (int i = 0; i < 2; i++) {
        bool none = what == (i ? 'd' : 'a');
        b->start[i] = none ? last[i] : first[i] - 1;
        b->n[i] = none || last[i] < first[i] ? 0 : last[i] - first[i] + 1;
        if (b->start[i] < 0)
            failed(r, r->p - 1);
    }
    return what;
}

static void read_lines(struct reader *r, struct block *b, int which)
{
    size_t cap = 4, n = 0;
    struct wk_str *v = wk_new_n(r->c, struct wk_str, cap);
    for (int64_t i = 0; i < b->n[which]; i++) {
        if (r->end - r->p < 3 || r->p[0] != "<>"[which] || r->p[1] != ' ')
            refuse(r, "incorrect leading line chars");
        const char *from = r->p + 2, *nl = (const char *)memchr(from, '\n', (size_t)(r->end - from));
        if (n == cap) {
            cap *= 2;
            v = (struct wk_str *)wk_heap_realloc(r->c->heap, v, cap * sizeof *v);
        }
        v[n++] = wk_str(from, (size_t)(nl + 1 - from));
        r->p = nl + 1;
        wk_tick(r->c, 1);
    }
    b->line[which] = v;
    if (r->p == r->end || *r->p != '\\' || !n)
        return;
    const char *note = r->p + 1;
    r->p = (const char *)memchr(note, '\n', (size_t)(r->end - note)) + 1;
    if (r->add_newline) {
        wk_out_fmt(r->c->err, "%s:", r->c->name);
        wk_out_put(r->c->err, note, (size_t)(r->p - note));
    } else {
        v[n - 1].n--;
    }
}

static void add(struct wk_cmd *c, struct list *l, struct block b)
{
    if (l->n == l->cap) {
        l->cap = l->cap * 2 + 16;
        l->v = (struct block *)wk_heap_realloc(c->heap, l->v, l->cap * sizeof *l->v);
    }
    l->v[l->n++] = b;
}

/* Differences come in order, and between them both files have as many lines. */
static void check_order(struct wk_cmd *c, const struct list *l, const struct block *b)
{
    const struct block *last = l->n ? &l->v[l->n - 1] : NULL;
    int64_t end[2] = {last ? last->start[0] + last->n[0] : 0, last ? last->start[1] + last->n[1] : 0};
    if (b->start[0] - end[0] != b->start[1] - end[1] || b->start[0] < end[0])
        wk_fail(c, 2, "internal error: screwup in format of diff blocks");
}

static struct list read_list(struct reader r, struct wk_str text)
{
    struct list l = {0};
    r.p = text.p;
    r.end = text.p + text.n;
    while (r.p < r.end) {
        struct block b = {0};
        char what = read_header(&r, &b);
        if (what != 'a')
            read_lines(&r, &b, 0);
        if (what == 'c') {
            if (r.end - r.p < 4 || memcmp(r.p, "---\n", 4) != 0)
                refuse(&r, "invalid change separator");
            r.p += 4;
        }
        if (what != 'd')
            read_lines(&r, &b, 1);
        check_order(r.c, &l, &b);
        add(r.c, &l, b);
    }
    return l;
}

/* ---- parts --------------------------------------------------------------------------------------
 */

/* The differences v[from] … v[to - 1] of a list that are in a part. */
struct slice {
    const struct list *l;
    size_t from, to;
};

static int64_t end_of(const struct block *b)
{
    return b->start[1] + b->n[1];
}

/* From where in the common file to where in the other, behind what comes before the slice. */
static int64_t shift_before(const struct slice *s)
{
    if (!s->from)
        return 0;
    const struct block *b = &s->l->v[s->from - 1];
    return b->start[0] + b->n[0] - end_of(b);
}

/* The common lines of a part, from the differences that have them. */
static const struct wk_str *common_lines(struct wk_cmd *c, const struct slice s[2], int64_t start, int64_t n)
{
    struct wk_str *v = wk_new_n(c, struct wk_str, (size_t)n + 1);
    for (int t = 0; t < 2; t++)
        for (size_t i = s[t].from; i < s[t].to; i++) {
            const struct block *b = &s[t].l->v[i];
            for (int64_t k = 0; k < b->n[1]; k++)
                v[b->start[1] - start + k] = b->line[1][k];
            wk_tick(c, (uint32_t)b->n[1] + 1);
        }
    return v;
}

/* The lines of the other file of a slice: those of its differences, and common ones between. */
static const struct wk_str *own_lines(struct wk_cmd *c, const struct slice *s, const struct wk_str *common, int64_t start,
                                      int64_t common_n, int64_t *n)
{
    *n = common_n;
    for (size_t i = s->from; i < s->to; i++)
        *n += s->l->v[i].n[0] - s->l->v[i].n[1];
    struct wk_str *v = wk_new_n(c, struct wk_str, (size_t)*n + 1);
    int64_t at = 0, from = 0;
    for (size_t i = s->from; i <= s->to; i++) {
        const struct block *b = i < s->to ? &s->l->v[i] : NULL;
        int64_t stop = b ? b->start[1] - start : common_n;
        while (from < stop)
            v[at++] = common[from++];
        for (int64_t k = 0; b && k < b->n[0]; k++)
            v[at++] = b->line[0][k];
        from += b ? b->n[1] : 0;
        wk_tick(c, (uint32_t)(b ? b->n[0] : 0) + 1);
    }
    return v;
}

static bool same_lines(const struct diff3_part *p, int a, int b)
{
    if (p->n[a] != p->n[b])
        return false;
    for (int64_t i = 0; i < p->n[a]; i++)
        if (!wk_str_eq(p->line[a][i], p->line[b][i]))
            return false;
    return true;
}

static void add_part(struct diff3 *d, int common, const struct slice s[2], int64_t start, int64_t end)
{
    int other = DIFF3_OLD + DIFF3_YOURS - common;
    struct diff3_part p = {.kind = DIFF3_BY_ALL};
    p.start[common] = start;
    p.n[common] = end - start;
    p.line[common] = common_lines(d->c, s, start, end - start);
    for (int t = 0; t < 2; t++) {
        int file = t ? other : DIFF3_MINE;
        p.start[file] = start + shift_before(&s[t]);
        p.line[file] = own_lines(d->c, &s[t], p.line[common], start, end - start, &p.n[file]);
    }
    if (s[1].from == s[1].to)
        p.kind = DIFF3_BY_MINE;
    else if (s[0].from == s[0].to)
        p.kind = other == DIFF3_OLD ? DIFF3_BY_OLD : DIFF3_BY_YOURS;
    else if (same_lines(&p, DIFF3_MINE, other))
        p.kind = common == DIFF3_OLD ? DIFF3_BY_OLD : DIFF3_BY_YOURS;
    if (d->n == d->cap) {
        d->cap = d->cap * 2 + 16;
        d->part = (struct diff3_part *)wk_heap_realloc(d->c->heap, d->part, d->cap * sizeof *d->part);
    }
    d->part[d->n++] = p;
}

void wk_diff3_parts(struct diff3 *d, int common, struct wk_str mine, struct wk_str other)
{
    struct reader r = {.c = d->c, .add_newline = d->o->script != DIFF3_NONE && !d->o->merge};
    struct list list[2];
    list[1] = read_list(r, other);
    list[0] = read_list(r, mine);
    size_t at[2] = {0, 0};
    while (at[0] < list[0].n || at[1] < list[1].n) {
        struct slice s[2] = {{&list[0], at[0], at[0]}, {&list[1], at[1], at[1]}};
        int first = at[0] == list[0].n || (at[1] < list[1].n && list[1].v[at[1]].start[1] < list[0].v[at[0]].start[1]);
        int64_t start = list[first].v[at[first]].start[1], end = start;
        for (bool more = true; more;) {
            more = false;
            for (int t = 0; t < 2; t++)
                while (s[t].to < list[t].n && list[t].v[s[t].to].start[1] <= end) {
                    int64_t stop = end_of(&list[t].v[s[t].to++]);
                    end = stop > end ? stop : end;
                    more = true;
                }
        }
        add_part(d, common, s, start, end);
        at[0] = s[0].to;
        at[1] = s[1].to;
    }
}
