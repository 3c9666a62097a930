/* diff_normal.c - diff: the normal output, and scripts for ed and RCS
 *
 * Standard: POSIX diff; GNU diffutils 3.8. Oracle: diff.
 */
#include "builtins/diff.h"

/* "3" or "3,5"; of no lines, the line before them. */
static char *range_text(struct wk_cmd *c, int64_t from, int64_t n, char between)
{
    if (n <= 1)
        return wk_strf(c, "%lld", (long long)(n ? from + 1 : from));
    return wk_strf(c, "%lld%c%lld", (long long)(from + 1), between, (long long)(from + n));
}

static char letter(const struct diff_change *h)
{
    return !h->b_n ? 'd' : !h->a_n ? 'a' : 'c';
}

void wk_diff_put_normal(struct diff *d)
{
    struct wk_cmd *c = d->c;
    for (size_t i = 0; i < d->n; i++) {
        const struct diff_change *h = &d->change[i];
        if (h->ignored)
            continue;
        wk_diff_put_at(d, wk_strf(c, "%s%c%s", range_text(c, h->a, h->a_n, ','), letter(h),
                               range_text(c, h->b, h->b_n, ',')));
        wk_out_char(c->out, '\n');
        for (int64_t k = h->a; k < h->a + h->a_n; k++)
            wk_diff_put_line(d, DIFF_COLOR_DELETE, '<', &d->file[0], k);
        if (h->a_n && h->b_n)
            wk_out_c(c->out, "---\n");
        for (int64_t k = h->b; k < h->b + h->b_n; k++)
            wk_diff_put_line(d, DIFF_COLOR_ADD, '>', &d->file[1], k);
    }
}

/* Lines for ed's input mode; one that is a dot ends it and is mended afterwards. */
static void put_input(struct diff *d, const struct diff_change *h, bool mend)
{
    struct wk_out *out = d->c->out;
    bool in_input = true;
    for (int64_t k = h->b; k < h->b + h->b_n; k++) {
        struct wk_str s = d->file[1].lines[k];
        bool dot = mend && s.n && s.p[0] == '.' && (s.n == 1 || (s.n == 2 && s.p[1] == '\n'));
        if (!in_input)
            wk_out_c(out, "a\n");
        in_input = !dot;
        if (dot) {
            wk_out_c(out, "..\n.\ns/.//\n");
        } else {
            wk_diff_put_text(d, '\0', &d->file[1], k);
            wk_out_char(out, '\n');
        }
    }
    if (in_input)
        wk_out_c(out, ".\n");
}

void wk_diff_put_ed(struct diff *d)
{
    struct wk_cmd *c = d->c;
    bool forward = d->o->style == DIFF_FORWARD_ED;
    for (size_t i = 0; i < d->n; i++) {
        const struct diff_change *h = &d->change[forward ? i : d->n - 1 - i];
        if (h->ignored)
            continue;
        if (forward)
            wk_out_fmt(c->out, "%c%s\n", letter(h), range_text(c, h->a, h->a_n, ' '));
        else
            wk_out_fmt(c->out, "%s%c\n", range_text(c, h->a, h->a_n, ','), letter(h));
        if (h->b_n)
            put_input(d, h, !forward);
    }
}

void wk_diff_put_rcs(struct diff *d)
{
    struct wk_cmd *c = d->c;
    for (size_t i = 0; i < d->n; i++) {
        const struct diff_change *h = &d->change[i];
        if (h->ignored)
            continue;
        if (h->a_n)
            wk_out_fmt(c->out, "d%lld %lld\n", (long long)(h->a + 1), (long long)h->a_n);
        if (!h->b_n)
            continue;
        wk_out_fmt(c->out, "a%lld %lld\n", (long long)(h->a + h->a_n), (long long)h->b_n);
        for (int64_t k = h->b; k < h->b + h->b_n; k++) {
            struct wk_str s = d->file[1].lines[k];
            wk_diff_put_text(d, '\0', &d->file[1], k);
            if (s.p[s.n - 1] == '\n')
                wk_out_char(c->out, '\n');
        }
    }
}
