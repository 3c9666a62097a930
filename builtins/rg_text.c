/* rg_text.c - rg: the matches in what is printed, and what replaces them */
#include "builtins/rg_text.h"

uint64_t wk_rg_line_count(const struct wk_rg *g, struct wk_str text)
{
    if (!g->m->multi_line)
        return 1;
    size_t n = wk_str_count(text, g->eol);
    return n + (text.n && text.p[text.n - 1] != g->eol);
}

void wk_rg_failed(struct wk_rg_sink *s, int code)
{
    if (s->failed)
        return;
    s->failed = true;
    if (code == -WK_ENOMEM)
        wk_heap_exhausted(s->g->c->heap);
    wk_rg_complain(s->g, "%s: %s", s->name ? s->name : "<stdin>",
                   code == -WK_ELIMIT ? "PCRE2: error matching: match limit exceeded" : wk_err_text(-code));
}

static void add(struct wk_rg *g, struct wk_rg_found *f, ptrdiff_t start, ptrdiff_t end)
{
    if (f->n == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 8;
        f->v = wk_heap_realloc(g->c->heap, f->v, f->cap * sizeof *f->v);
    }
    f->v[f->n++] = (struct wk_re_span){start, end};
}

/* ---- replacements ------------------------------------------------------------------------------------------------
 */

struct replacer {
    struct wk_rg *g;
    struct wk_buf *out;
    struct wk_str around;
};

static void put_group(struct replacer *r, struct wk_str name)
{
    const struct wk_rg_matcher *m = r->g->m;
    size_t number = 0;
    bool digits = name.n > 0;
    for (size_t i = 0; i < name.n && digits; i++) {
        digits = wk_is_digit((unsigned char)name.p[i]);
        number = WK_MIN(number * 10 + (size_t)(name.p[i] - '0'), (size_t)1 << 20);
    }
    for (size_t i = 0; !digits && i < m->names.n; i++)
        if (m->names.v[i] && wk_str_is(name, m->names.v[i])) {
            number = i + 1;
            digits = true;
        }
    if (!digits || number >= r->g->nspans)
        return;
    const struct wk_re_span *s = &r->g->spans[number];
    if (s->start >= 0)
        wk_buf_put(r->out, r->around.p + s->start, (size_t)(s->end - s->start));
}

/* $1 $name ${name} $$; what is no such thing stands for itself. */
static void put_replacement(struct replacer *r)
{
    const char *p = r->g->o->replacement;
    while (*p) {
        size_t n = strcspn(p, "$");
        wk_buf_put(r->out, p, n);
        p += n;
        if (!*p)
            break;
        if (p[1] == '$') {
            wk_buf_putc(r->out, '$');
            p += 2;
            continue;
        }
        const char *name = p + 1 + (p[1] == '{');
        size_t k = 0;
        if (p[1] == '{')
            k = strcspn(name, "}");
        else
            while (wk_is_name_char((unsigned char)name[k]))
                k++;
        if (!k || (p[1] == '{' && name[k] != '}')) {
            wk_buf_putc(r->out, '$');
            p++;
            continue;
        }
        put_group(r, wk_str(name, k));
        p = name + k + (p[1] == '{');
    }
}

/* ---- finding -----------------------------------------------------------------------------------------------------
 */

/* How far behind the lines of a hit a replacement looks for matches, and replaces them: so does the real tool. */
enum { LOOK_AHEAD = 128 };

static bool next(struct wk_rg_sink *s, struct wk_str around, struct wk_rg_iter *it, size_t n)
{
    int r = wk_rg_next(s->g->m, around, it, s->g->spans, n);
    if (r < 0)
        wk_rg_failed(s, r);
    return r == 1;
}

/* An empty match behind the last byte of the lines is none of them. */
static bool is_inside(const struct wk_rg_sink *s, const struct wk_rg_hit *h)
{
    return (size_t)s->g->spans[0].start < h->at + h->text.n;
}

static void replace_all(struct wk_rg_sink *s, const struct wk_rg_hit *h, struct wk_rg_found *out)
{
    struct wk_rg *g = s->g;
    size_t done = h->at, end = h->at + h->text.n;
    bool several = g->m->multi_line;
    struct wk_str around = several ? wk_str_take(h->around, end + LOOK_AHEAD) : h->around;
    struct wk_rg_iter it = WK_RG_ITER(h->at);
    if (!out->replaced)
        out->replaced = wk_rg_buf(g->c);
    struct wk_buf *b = out->replaced;
    wk_buf_reset(b);
    struct replacer r = {g, b, around};
    while (next(s, around, &it, g->nspans)) {
        out->originals += is_inside(s, h);
        wk_buf_put(b, around.p + done, (size_t)g->spans[0].start - done);
        size_t from = b->n;
        done = (size_t)g->spans[0].end;
        put_replacement(&r);
        add(g, out, (ptrdiff_t)from, (ptrdiff_t)b->n);
    }
    if (!out->n || s->failed)
        return;
    if (several)
        wk_buf_put(b, around.p + done, around.n - done);
    else
        wk_buf_put(b, h->text.p + done, end - done);
    if (b->failed)
        wk_heap_exhausted(g->c->heap);
    out->text = wk_buf_str(b);
}

const struct wk_rg_found *wk_rg_find_all(struct wk_rg_sink *s, const struct wk_rg_hit *h)
{
    struct wk_rg *g = s->g;
    struct wk_rg_iter it = WK_RG_ITER(h->at);
    if (!g->found)
        g->found = wk_new(g->c, struct wk_rg_found);
    struct wk_rg_found *out = g->found;
    out->n = out->originals = 0;
    out->text.p = NULL;
    if (g->o->replacement && !g->o->json) {
        replace_all(s, h, out);
    } else {
        while (next(s, h->around, &it, 1) && is_inside(s, h)) {
            const struct wk_re_span *m = &g->spans[0];
            out->originals++;
            add(g, out, m->start - (ptrdiff_t)h->at, m->end - (ptrdiff_t)h->at);
        }
    }
    return s->failed ? NULL : out;
}

int64_t wk_rg_count_matches(struct wk_rg_sink *s, const struct wk_rg_hit *h)
{
    struct wk_rg_iter it = WK_RG_ITER(h->at);
    int64_t n = 0;
    while (next(s, h->around, &it, 1) && is_inside(s, h))
        n++;
    return n;
}
