/* diff_context.c - diff: context and unified output
 *
 * Standard: POSIX diff; GNU diffutils 3.8. Oracle: diff.
 */
#include "builtins/diff.h"
#include "builtins/regex.h"

/* Changes with the lines around them, shown as one. */
struct hunk {
    const struct diff_change *first, *last;
    int64_t a, a_end, b, b_end; /* with the lines around */
};

static struct hunk around(struct diff *d, const struct diff_change *first,
                          const struct diff_change *last)
{
    int64_t context = d->o->context;
    struct hunk h = {first,
                     last,
                     first->a - context,
                     last->a + last->a_n,
                     first->b - context,
                     last->b + last->b_n};
    h.a = h.a > 0 ? h.a : 0;
    h.b = h.b > 0 ? h.b : 0;
    h.a_end = context < d->file[0].n - h.a_end ? h.a_end + context : d->file[0].n;
    h.b_end = context < d->file[1].n - h.b_end ? h.b_end + context : d->file[1].n;
    return h;
}

/* The last change of the hunk that begins with this one. What is ignored joins only what is near.
 */
static const struct diff_change *hunk_end(struct diff *d, const struct diff_change *h)
{
    const struct diff_change *end = d->change + d->n - 1;
    int64_t far = 2 * d->o->context + 1, near = d->o->context;
    for (; h < end; h++) {
        int64_t gap = h[1].a - (h->a + h->a_n);
        if (gap >= (h[1].ignored ? near : far))
            break;
    }
    return h;
}

static bool shows(const struct hunk *h)
{
    for (const struct diff_change *x = h->first; x <= h->last; x++)
        if (!x->ignored)
            return true;
    return false;
}

/* " TEXT" of the nearest line above that begins a function. */
static void put_function(struct diff *d, int64_t before)
{
    if (!d->o->function_lines.n)
        return;
    for (int64_t i = before - 1; i >= 0; i--) {
        struct wk_str s = d->file[0].lines[i];
        if (!wk_diff_matches(d, &d->o->function_lines, s))
            continue;
        while (s.n && (*s.p == ' ' || (*s.p >= '\t' && *s.p <= '\r')))
            s = wk_str(s.p + 1, s.n - 1);
        if (s.n > 40)
            s.n = 40;
        while (s.n && (s.p[s.n - 1] == ' ' || (s.p[s.n - 1] >= '\t' && s.p[s.n - 1] <= '\r')))
            s.n--;
        wk_out_char(d->c->out, ' ');
        wk_out_str(d->c->out, s);
        return;
    }
}

static char *context_range(struct wk_cmd *c, int64_t from, int64_t end)
{
    if (end - from <= 1)
        return wk_strf(c, "%lld", (long long)end);
    return wk_strf(c, "%lld,%lld", (long long)(from + 1), (long long)end);
}

static void put_side(struct diff *d, const struct hunk *h, int which)
{
    struct wk_cmd *c = d->c;
    int64_t from = which ? h->b : h->a, end = which ? h->b_end : h->a_end;
    enum diff_palette color = which ? DIFF_COLOR_ADD : DIFF_COLOR_DELETE;
    const char *line = which ? "---" : "***";
    wk_diff_put_at(d,
                wk_strf(c, "%s %s %s", line, context_range(c, from, end), which ? "----" : "****"));
    wk_out_char(c->out, '\n');
    bool any = false;
    for (const struct diff_change *x = h->first; x <= h->last; x++)
        any |= (which ? x->b_n : x->a_n) != 0;
    if (!any)
        return;
    const struct diff_change *x = h->first;
    for (int64_t k = from; k < end; k++) {
        while (x <= h->last && (which ? x->b + x->b_n : x->a + x->a_n) <= k)
            x++;
        bool in = x <= h->last && (which ? x->b : x->a) <= k;
        wk_diff_put_line(d, color,
                      !in                ? ' '
                      : x->a_n && x->b_n ? '!'
                      : which            ? '+'
                                         : '-',
                      &d->file[which], k);
    }
}

static void put_context_hunk(struct diff *d, const struct hunk *h)
{
    wk_out_c(d->c->out, "***************");
    put_function(d, h->a);
    wk_out_char(d->c->out, '\n');
    put_side(d, h, 0);
    put_side(d, h, 1);
}

static char *unified_range(struct wk_cmd *c, int64_t from, int64_t end)
{
    if (end - from == 1)
        return wk_strf(c, "%lld", (long long)end);
    return wk_strf(c, "%lld,%lld", (long long)(end > from ? from + 1 : from),
                   (long long)(end - from));
}

static void put_unified_hunk(struct diff *d, const struct hunk *h)
{
    struct wk_cmd *c = d->c;
    wk_diff_put_at(d, wk_strf(c, "@@ -%s +%s @@", unified_range(c, h->a, h->a_end),
                           unified_range(c, h->b, h->b_end)));
    put_function(d, h->a);
    wk_out_char(c->out, '\n');
    int64_t k = h->a;
    for (const struct diff_change *x = h->first; x <= h->last; x++) {
        for (; k < x->a; k++)
            wk_diff_put_line(d, DIFF_COLOR_RESET, ' ', &d->file[0], k);
        for (; k < x->a + x->a_n; k++)
            wk_diff_put_line(d, DIFF_COLOR_DELETE, '-', &d->file[0], k);
        for (int64_t j = x->b; j < x->b + x->b_n; j++)
            wk_diff_put_line(d, DIFF_COLOR_ADD, '+', &d->file[1], j);
    }
    for (; k < h->a_end; k++)
        wk_diff_put_line(d, DIFF_COLOR_RESET, ' ', &d->file[0], k);
}

void wk_diff_put_context(struct diff *d)
{
    bool unified = d->o->style == DIFF_UNIFIED, begun = false;
    for (size_t i = 0; i < d->n;) {
        const struct diff_change *end = hunk_end(d, &d->change[i]);
        struct hunk h = around(d, &d->change[i], end);
        i = (size_t)(end - d->change) + 1;
        if (!shows(&h))
            continue;
        if (!begun)
            wk_diff_header(d, unified ? "---" : "***", unified ? "+++" : "---");
        begun = true;
        if (unified)
            put_unified_hunk(d, &h);
        else
            put_context_hunk(d, &h);
    }
}
