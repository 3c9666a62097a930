/* diff_side.c - diff: two columns side by side
 *
 * Standard: GNU diffutils 3.8. Oracle: diff -y.
 */
#include "base/utf8.h"
#include "builtins/diff.h"

/* Where things stand: how wide a column is, where the mark and the second column begin. */
struct columns {
    size_t half, second, mark;
};

static struct columns lay_out(const struct diff_opts *o)
{
    int64_t tab = o->expand_tabs ? 1 : o->tab_size, width = o->width, gutter = tab + 3;
    int64_t second = (width >> 1) + (gutter >> 1) + (width & gutter & 1);
    second -= second % tab;
    int64_t half = second - 3 < width - second ? second - 3 : width - second;
    if (half <= 0)
        return (struct columns){0, (size_t)width, (size_t)(width > 0 ? (width - 1) >> 1 : 0)};
    return (struct columns){(size_t)half, (size_t)second, (size_t)((half + second - 1) >> 1)};
}

/* Blanks, or tabs and blanks, from one column to another; gives where it is then. */
static size_t move_to(struct diff *d, size_t from, size_t to)
{
    size_t tab = (size_t)d->o->tab_size;
    if (!d->o->expand_tabs)
        for (size_t next = from + tab - from % tab; next <= to; next += tab) {
            wk_out_char(d->c->out, '\t');
            from = next;
        }
    while (from < to) {
        wk_out_char(d->c->out, ' ');
        from++;
    }
    return to;
}

static size_t put_tab(struct diff *d, size_t in, size_t *out, size_t bound)
{
    size_t tab = (size_t)d->o->tab_size, step = tab - in % tab;
    if (in == *out) {
        size_t stop = *out + step;
        if (d->o->expand_tabs) {
            stop = stop < bound ? stop : bound;
            for (; *out < stop; ++*out)
                wk_out_char(d->c->out, ' ');
        } else if (stop < bound) {
            *out = stop;
            wk_out_char(d->c->out, '\t');
        }
    }
    return in + step;
}

/* A line as far as it fits into a column that begins at `indent`; gives the column behind it. */
static size_t put_half(struct diff *d, struct wk_str s, size_t indent, size_t bound)
{
    size_t in = 0, out = 0;
    for (size_t i = 0; i < s.n && s.p[i] != '\n';) {
        unsigned char ch = (unsigned char)s.p[i];
        size_t n = 1;
        if (ch == '\t') {
            in = put_tab(d, in, &out, bound);
        } else if (ch == '\r') {
            wk_out_char(d->c->out, '\r');
            move_to(d, 0, indent);
            in = out = 0;
        } else if (ch == '\b') {
            if (in && --in < bound) {
                if (out <= in)
                    for (; out < in; out++)
                        wk_out_char(d->c->out, ' ');
                else {
                    out = in;
                    wk_out_char(d->c->out, '\b');
                }
            }
        } else {
            size_t width = ch >= ' ' && ch != 127;
            if (ch >= 0x80) {
                uint32_t u;
                n = wk_utf8_next(s.p + i, s.n - i, &u);
                int w = wk_utf8_width(u);
                width = w > 0 ? (size_t)w : 0;
            }
            in += width;
            if (in <= bound) {
                out = in;
                wk_out_put(d->c->out, s.p + i, n);
            }
        }
        i += n;
    }
    wk_tick(d->c, (uint32_t)(s.n / 64) + 1);
    return out;
}

static bool ends_line(const struct wk_str *s)
{
    return s && s->n && s->p[s->n - 1] == '\n';
}

static void put_pair(struct diff *d, const struct columns *w, const struct wk_str *left, char mark,
                     const struct wk_str *right)
{
    size_t column = 0;
    bool newline = ends_line(left) || ends_line(right);
    if (left)
        column = put_half(d, *left, 0, w->half);
    if (left && right && mark == '|' && ends_line(left) != ends_line(right))
        mark = ends_line(left) ? '/' : '\\';
    if (mark != ' ') {
        column = move_to(d, column, w->mark) + 1;
        wk_out_char(d->c->out, mark);
    }
    if (right && right->p[0] != '\n') {
        column = move_to(d, column, w->second);
        put_half(d, *right, w->second, w->half);
    }
    if (newline)
        wk_out_char(d->c->out, '\n');
}

/* For sdiff: how many lines of either file follow. */
static void tell(struct diff *d, char what, int64_t a_n, int64_t b_n)
{
    if (d->o->merge_assist && (a_n || b_n))
        wk_out_fmt(d->c->out, "%c%lld,%lld\n", what, (long long)a_n, (long long)b_n);
}

/* Lines up to here that do not differ, or whose difference is ignored. */
static void put_common(struct diff *d, const struct columns *w, int64_t at[2], int64_t a_end,
                       int64_t b_end)
{
    const struct diff_file *f = d->file;
    if (!d->o->suppress_common)
        tell(d, 'i', a_end - at[0], b_end - at[1]);
    if (d->o->suppress_common)
        at[0] = a_end;
    if (d->o->suppress_common || d->o->left_column)
        at[1] = b_end;
    while (at[0] < a_end && at[1] < b_end)
        put_pair(d, w, &f[0].lines[at[0]++], ' ', &f[1].lines[at[1]++]);
    while (at[1] < b_end)
        put_pair(d, w, NULL, ')', &f[1].lines[at[1]++]);
    while (at[0] < a_end)
        put_pair(d, w, &f[0].lines[at[0]++], '(', NULL);
}

static void put_changed(struct diff *d, const struct columns *w, const struct diff_change *h)
{
    const struct diff_file *f = d->file;
    int64_t a = h->a, b = h->b, a_end = a + h->a_n, b_end = b + h->b_n;
    tell(d, 'c', h->a_n, h->b_n);
    while (a < a_end && b < b_end)
        put_pair(d, w, &f[0].lines[a++], '|', &f[1].lines[b++]);
    while (b < b_end) {
        wk_diff_color(d, DIFF_COLOR_ADD);
        put_pair(d, w, NULL, '>', &f[1].lines[b++]);
        wk_diff_color(d, DIFF_COLOR_RESET);
    }
    while (a < a_end) {
        wk_diff_color(d, DIFF_COLOR_DELETE);
        put_pair(d, w, &f[0].lines[a++], '<', NULL);
        wk_diff_color(d, DIFF_COLOR_RESET);
    }
}

void wk_diff_put_side(struct diff *d)
{
    struct columns w = lay_out(d->o);
    int64_t at[2] = {0, 0};
    for (size_t i = 0; i < d->n; i++) {
        const struct diff_change *h = &d->change[i];
        if (h->ignored)
            continue;
        put_common(d, &w, at, h->a, h->b);
        put_changed(d, &w, h);
        at[0] = h->a + h->a_n;
        at[1] = h->b + h->b_n;
    }
    put_common(d, &w, at, d->file[0].n, d->file[1].n);
}
