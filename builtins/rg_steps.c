/* rg_steps.c - rg: matches of plain expressions, found step by step */
#include "builtins/rg_steps.h"

struct step {
    bool has[256];
    bool optional, loop;
};

struct wk_rg_steps {
    struct step *v;
    size_t n;
    const size_t *alt; /* where the alternatives but the first begin */
    size_t alts;
    bool begins[256]; /* a match may begin with it */
    bool high;
};

/* A text: that is found faster as a whole. */
static bool is_text(const struct wk_rg_facts *f)
{
    for (size_t i = 0; i < f->flat_n; i++) {
        const struct wk_rg_flat *x = &f->flat[i];
        uint64_t bits = x->ascii[0] ? x->ascii[0] : x->ascii[1];
        if (x->optional || x->loop || (bits & (bits - 1)) || (x->ascii[0] && x->ascii[1]))
            return false;
    }
    return f->flat_alts == 0;
}

struct wk_rg_steps *wk_rg_steps_new(struct wk_cmd *c, const struct wk_rg_facts *f)
{
    if (!f->greedy_is_longest || f->anchored || !f->flat_n || is_text(f))
        return NULL;
    struct wk_rg_steps *s = wk_new(c, struct wk_rg_steps);
    *s = (struct wk_rg_steps){
        .v = wk_new_n(c, struct step, f->flat_n), .n = f->flat_n, .alt = f->flat_at, .alts = f->flat_alts};
    for (size_t i = 0; i < s->n; i++) {
        const struct wk_rg_flat *x = &f->flat[i];
        for (unsigned ch = 0; ch < 128; ch++)
            s->v[i].has[ch] = x->ascii[ch / 64] >> ch % 64 & 1;
        s->v[i].optional = x->optional;
        s->v[i].loop = x->loop;
        s->high = s->high || x->high;
    }
    for (size_t k = 0; k <= s->alts; k++) {
        size_t at = k ? s->alt[k - 1] : 0, end = k < s->alts ? s->alt[k] : s->n;
        if (at == end || s->v[at].optional)
            return NULL;
        for (unsigned ch = 0; ch < 128; ch++)
            s->begins[ch] = s->begins[ch] || s->v[at].has[ch];
    }
    return s;
}

/* Where the match at `at` ends; 0: there is none. *work counts the bytes that were looked at. */
static size_t end_of(const struct wk_rg_steps *s, const unsigned char *p, size_t n, size_t at, size_t *work)
{
    for (size_t k = 0; k <= s->alts; k++) {
        size_t i = k ? s->alt[k - 1] : 0, end = k < s->alts ? s->alt[k] : s->n, pos = at;
        for (; i < end; i++) {
            const struct step *x = &s->v[i];
            if (pos == n || !x->has[p[pos]]) {
                if (!x->optional)
                    break;
                continue;
            }
            pos++;
            while (x->loop && pos < n && x->has[p[pos]])
                pos++;
        }
        *work += pos - at + 1;
        if (i == end)
            return pos;
    }
    return 0;
}

int wk_rg_steps_find(const struct wk_rg_steps *s, struct wk_str subject, size_t from, struct wk_re_span *span)
{
    const unsigned char *p = (const unsigned char *)subject.p;
    size_t work = 0, most = (subject.n - from) * 8 + 256;
    for (size_t at = from; at < subject.n; at++) {
        if (!s->begins[p[at]])
            continue;
        size_t end = end_of(s, p, subject.n, at, &work);
        if (end) {
            *span = (struct wk_re_span){(ptrdiff_t)at, (ptrdiff_t)end};
            return 1;
        }
        if (work > most)
            return -1;
    }
    return 0;
}

bool wk_rg_steps_high(const struct wk_rg_steps *s)
{
    return s->high;
}
