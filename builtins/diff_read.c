/* wk_diff_read.c - diff: files as lines, and which of them are equal
 *
 * Standard: GNU diffutils 3.8. Oracle: diff.
 */
#include "base/hash.h"
#include "builtins/diff.h"

/* ---- text -------------------------------------------------------------------------------------
 */

/* A NUL near the start makes a file binary. */
bool wk_diff_is_binary(struct wk_str text)
{
    size_t n = text.n < 65536 ? text.n : 65536;
    return n && memchr(text.p, '\0', n) != NULL;
}

static struct wk_str without_cr(struct wk_cmd *c, struct wk_str text)
{
    char *to = (char *)wk_heap_alloc(c->heap, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n')
            continue;
        to[n++] = text.p[i];
    }
    wk_tick(c, (uint32_t)(text.n / 64) + 1);
    return wk_str(to, n);
}

/* A script for ed cannot say that the newline at the end is missing. */
static void add_newline(struct wk_cmd *c, struct diff_file *f)
{
    f->no_newline = f->text.n && f->text.p[f->text.n - 1] != '\n';
    if (!f->no_newline)
        return;
    char *p = (char *)wk_heap_alloc(c->heap, f->text.n + 1);
    memcpy(p, f->text.p, f->text.n);
    p[f->text.n] = '\n';
    f->text = wk_str(p, f->text.n + 1);
}

static bool read_one(struct diff *d, struct diff_file *f, const char *path)
{
    if (f->absent) {
        f->text = WK_STR("");
        return true;
    }
    struct wk_in *in = d->c->in;
    int err = wk_raw_open(d->c, path, true, &in);
    if (err) {
        wk_warn(d->c, path, err);
        return false;
    }
    f->text = wk_in_all(in);
    bool good = !in->err;
    if (in != d->c->in)
        wk_in_close(in);
    if (d->o->strip_cr && good)
        f->text = without_cr(d->c, f->text);
    if ((d->o->style == DIFF_ED || d->o->style == DIFF_FORWARD_ED) && good)
        add_newline(d->c, f);
    return good;
}

void wk_diff_split(struct diff *d, struct diff_file *f)
{
    size_t cap = f->text.n / 32 + 16, n = 0;
    struct wk_str *v = wk_new_n(d->c, struct wk_str, cap);
    const char *p = f->text.p, *end = p + f->text.n;
    while (p < end) {
        const char *nl = (const char *)memchr(p, '\n', (size_t)(end - p));
        const char *next = nl ? nl + 1 : end;
        if (n == cap) {
            cap *= 2;
            v = (struct wk_str *)wk_heap_realloc(d->c->heap, v, cap * sizeof *v);
        }
        v[n++] = wk_str(p, (size_t)(next - p));
        p = next;
        wk_tick(d->c, 1);
    }
    f->lines = v;
    f->n = (int64_t)n;
}

bool wk_diff_read(struct diff *d)
{
    bool same = d->file[0].is_stdin && d->file[1].is_stdin;
    if (!read_one(d, &d->file[0], d->file[0].is_stdin ? "-" : d->file[0].name))
        return false;
    if (same) {
        d->file[1].text = d->file[0].text;
        return true;
    }
    return read_one(d, &d->file[1], d->file[1].is_stdin ? "-" : d->file[1].name);
}

/* ---- equal lines ------------------------------------------------------------------------------
 */

/* What of a line counts, written out: two lines are equal when these are. */
struct canon {
    const struct diff_opts *o;
    char *p;
    size_t n, cap;
};

static bool is_space(char ch)
{
    return ch == ' ' || (ch >= '\t' && ch <= '\r');
}

static void put_tab(struct canon *k, size_t *column)
{
    size_t step = (size_t)k->o->tab_size - *column % (size_t)k->o->tab_size;
    *column += step;
    while (step-- > 0)
        k->p[k->n++] = ' ';
}

static void make_canon(struct canon *k, struct wk_cmd *c, struct wk_str s)
{
    enum diff_space space = k->o->space;
    size_t factor =
        space == DIFF_SPACE_TABS || space == DIFF_SPACE_TABS_AND_END ? (size_t)k->o->tab_size : 1;
    if (factor > 1 && s.n > SIZE_MAX / 2 / factor)
        wk_heap_exhausted(c->heap);
    if (s.n * factor + 1 > k->cap) {
        k->cap = s.n * factor * 2 + 64;
        k->p = (char *)wk_heap_realloc(c->heap, k->p, k->cap);
    }
    k->n = 0;
    size_t column = 0;
    bool newline = s.n && s.p[s.n - 1] == '\n';
    size_t n = s.n - newline;
    for (size_t i = 0; i < n; i++) {
        char ch = s.p[i];
        if (k->o->ignore_case && ch >= 'A' && ch <= 'Z')
            ch = (char)(ch - 'A' + 'a');
        if (space == DIFF_SPACE_NONE && is_space(ch))
            continue;
        if (space == DIFF_SPACE_AMOUNT && is_space(ch)) {
            if (!k->n || k->p[k->n - 1] != ' ')
                k->p[k->n++] = ' ';
            continue;
        }
        if (factor > 1 && ch == '\t') {
            put_tab(k, &column);
            continue;
        }
        column = ch == '\b' ? column - (column > 0) : ch == '\r' ? 0 : column + 1;
        k->p[k->n++] = ch;
    }
    if (space == DIFF_SPACE_END || space == DIFF_SPACE_TABS_AND_END || space == DIFF_SPACE_AMOUNT)
        while (k->n && is_space(k->p[k->n - 1]))
            k->n--;
    if (newline || space == DIFF_SPACE_END || space == DIFF_SPACE_TABS_AND_END ||
        space == DIFF_SPACE_AMOUNT || space == DIFF_SPACE_NONE)
        k->p[k->n++] = '\n';
}

/* Classes of lines: an open table of class numbers, and what each class is. */
struct table {
    struct wk_cmd *c;
    uint64_t seed;
    uint32_t *slot; /* class + 1; 0: free */
    size_t mask;
    struct wk_str *text;
    uint64_t *hash;
    uint32_t n;
};

static uint32_t class_of(struct table *t, struct wk_str s, bool keep)
{
    uint64_t h = wk_hash64(t->seed, s);
    size_t i = (size_t)h & t->mask;
    while (t->slot[i]) {
        uint32_t k = t->slot[i] - 1;
        if (t->hash[k] == h && wk_str_eq(t->text[k], s))
            return k;
        i = (i + 1) & t->mask;
        wk_tick(t->c, 1);
    }
    t->text[t->n] = keep ? wk_str(wk_dupn(t->c, s.p, s.n), s.n) : s;
    t->hash[t->n] = h;
    t->slot[i] = ++t->n;
    return t->n - 1;
}

uint32_t wk_diff_classes(struct diff *d, int64_t prefix, int64_t suffix)
{
    const struct diff_opts *o = d->o;
    struct canon k = {.o = o};
    size_t total = (size_t)(d->file[0].n + d->file[1].n - 2 * (prefix + suffix)), slots = 64;
    while (slots < total * 2)
        slots *= 2;
    struct table t = {.c = d->c,
                      .seed = wk_kern_random(d->c->k),
                      .slot = wk_new_n(d->c, uint32_t, slots),
                      .mask = slots - 1};
    t.text = wk_new_n(d->c, struct wk_str, total + 1);
    t.hash = wk_new_n(d->c, uint64_t, total + 1);
    bool plain = o->space == DIFF_SPACE_ALL && !o->ignore_case;
    for (int w = 0; w < 2; w++) {
        struct diff_file *f = &d->file[w];
        f->class = wk_new_n(d->c, uint32_t, (size_t)f->n + 1);
        for (int64_t i = prefix; i < f->n - suffix; i++) {
            struct wk_str s = f->lines[i];
            if (!plain) {
                make_canon(&k, d->c, s);
                s = wk_str(k.p, k.n);
            }
            f->class[i] = class_of(&t, s, !plain);
            wk_tick(d->c, (uint32_t)(s.n / 64) + 1);
        }
    }
    return t.n;
}
