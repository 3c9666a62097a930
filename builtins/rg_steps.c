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
    bool fixed;  /* one text, give or take the case of letters */
    size_t rare; /* of it, the character that is seldom seen */
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

/* Letters of English, the seldom ones first. */
static size_t commonness(const struct step *x)
{
    static const char order[] = "zqxjkvbpygfwmucldrhsnioate";
    size_t most = 0;
    for (unsigned ch = 0; ch < 128; ch++) {
        const char *at = x->has[ch] && ch ? strchr(order, wk_to_lower((int)ch)) : NULL;
        size_t rank = !x->has[ch] ? 0 : at ? (size_t)(at - order) + 2 : ch == ' ' ? 40 : 1;
        most = WK_MAX(most, rank);
    }
    return most;
}

static void find_rare(struct wk_rg_steps *s)
{
    s->fixed = s->alts == 0 && !s->high;
    for (size_t i = 0; i < s->n && s->fixed; i++) {
        unsigned count = 0;
        for (unsigned ch = 0; ch < 128; ch++)
            count += s->v[i].has[ch];
        s->fixed = count <= 2 && !s->v[i].optional && !s->v[i].loop;
        if (commonness(&s->v[i]) < commonness(&s->v[s->rare]))
            s->rare = i;
    }
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
    find_rare(s);
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

int wk_rg_steps_scan(const struct wk_rg_steps *s, struct wk_str buf, size_t from, char eol, struct wk_re_span *span)
{
    const unsigned char *p = (const unsigned char *)buf.p;
    if (!s->fixed || s->v[0].has[(unsigned char)eol])
        return -1;
    const bool *has = s->v[s->rare].has;
    size_t end = buf.n - from < s->n ? 0 : buf.n - (s->n - 1 - s->rare); /* the character may stand before it */
    for (size_t at = from + s->rare; at < end; at++) {
        while (at + 4 <= end && !(has[p[at]] | has[p[at + 1]] | has[p[at + 2]] | has[p[at + 3]]))
            at += 4;
        if (at >= end)
            break;
        if (!has[p[at]])
            continue;
        size_t start = at - s->rare, i = 0;
        while (i < s->n && s->v[i].has[p[start + i]])
            i++;
        if (i == s->n) {
            *span = (struct wk_re_span){(ptrdiff_t)start, (ptrdiff_t)(start + i)};
            return 1;
        }
    }
    return 0;
}

bool wk_rg_steps_high(const struct wk_rg_steps *s)
{
    return s->high;
}
