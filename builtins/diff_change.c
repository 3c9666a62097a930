/* diff_change.c - diff: the changes between two files, in order
 *
 * Standard: GNU diffutils 3.8. Oracle: diff.
 */
#include "builtins/diff.h"
#include "builtins/regex.h"

static int64_t common_prefix(const struct diff_file f[2])
{
    int64_t n = 0;
    while (n < f[0].n && n < f[1].n && wk_str_eq(f[0].lines[n], f[1].lines[n]))
        n++;
    return n;
}

static int64_t common_suffix(const struct diff_file f[2], int64_t prefix)
{
    int64_t n = 0;
    while (f[0].n - n > prefix && f[1].n - n > prefix &&
           wk_str_eq(f[0].lines[f[0].n - 1 - n], f[1].lines[f[1].n - 1 - n]))
        n++;
    return n;
}

static bool is_blank(const struct diff_opts *o, struct wk_str s)
{
    size_t n = s.n && s.p[s.n - 1] == '\n' ? s.n - 1 : s.n;
    if (o->space < DIFF_SPACE_END)
        return n == 0;
    for (size_t i = 0; i < n; i++)
        if (s.p[i] != ' ' && (s.p[i] < '\t' || s.p[i] > '\r'))
            return false;
    return true;
}

bool wk_diff_matches(struct diff *d, const struct diff_res *list, struct wk_str s)
{
    if (s.n && s.p[s.n - 1] == '\n')
        s.n--;
    for (size_t i = 0; i < list->n; i++)
        if (wk_cmd_re_search(d->c, list->v[i], d->run, s, 0, NULL, 0, 2))
            return true;
    return false;
}

static bool is_ignored(struct diff *d, struct wk_str s)
{
    if (d->o->ignore_blank && is_blank(d->o, s))
        return true;
    return wk_diff_matches(d, &d->o->ignore_lines, s);
}

static bool all_ignored(struct diff *d, const struct diff_file *f, int64_t from, int64_t n)
{
    for (int64_t i = from; i < from + n; i++)
        if (!is_ignored(d, f->lines[i]))
            return false;
    return true;
}

static void add_change(struct diff *d, struct diff_change ch)
{
    if (d->n == d->cap) {
        d->cap = d->cap * 2 + 32;
        d->change = (struct diff_change *)wk_heap_realloc(d->c->heap, d->change,
                                                          d->cap * sizeof *d->change);
    }
    if (d->o->ignore_blank || d->o->ignore_lines.n)
        ch.ignored =
            all_ignored(d, &d->file[0], ch.a, ch.a_n) && all_ignored(d, &d->file[1], ch.b, ch.b_n);
    d->change[d->n++] = ch;
}

static void collect(struct diff *d, const struct wk_diff_side side[2], int64_t prefix)
{
    int64_t a = 0, b = 0;
    while (a < side[0].n || b < side[1].n) {
        int64_t a0 = a, b0 = b;
        while (side[0].changed[a])
            a++;
        while (side[1].changed[b])
            b++;
        if (a > a0 || b > b0)
            add_change(d, (struct diff_change){prefix + a0, a - a0, prefix + b0, b - b0, false});
        a++;
        b++;
    }
}

bool wk_diff_compare(struct diff *d)
{
    struct diff_file *f = d->file;
    d->n = 0;
    bool same = wk_str_eq(f[0].text, f[1].text);
    if (same && d->o->style != DIFF_SIDE && d->o->style != DIFF_IFDEF)
        return false;
    wk_diff_split(d, &f[0]);
    wk_diff_split(d, &f[1]);
    if (same)
        return false;
    int64_t prefix = common_prefix(f), suffix = common_suffix(f, prefix);
    prefix = prefix > d->o->horizon ? prefix - d->o->horizon : 0;
    suffix = suffix > d->o->horizon ? suffix - d->o->horizon : 0;
    uint32_t classes = wk_diff_classes(d, prefix, suffix);
    struct wk_diff_side side[2];
    for (int i = 0; i < 2; i++)
        side[i] = (struct wk_diff_side){.line = f[i].class + prefix, .n = f[i].n - prefix - suffix};
    wk_diff_match(d->c, side, classes, d->o->minimal);
    collect(d, side, prefix);
    return d->n > 0;
}

bool wk_diff_counts(const struct diff *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (!d->change[i].ignored)
            return true;
    return false;
}
