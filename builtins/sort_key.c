/* sort_key.c - sort's keys: their text, where they lie in a line, their order */
#include "builtins/sort.h"

#include "base/fnum.h"
#include "base/md5.h"
#include "base/num.h"
#include "builtins/vercmp.h"

/* ---- the text of keys ---- */

const char *wk_sort_letters(struct wk_sort_key *k, const char *p, int where)
{
    static const char kinds[] = "ngMhRV";
    static const unsigned bits[] = {1u << WK_SORT_NUMERIC, 1u << WK_SORT_GENERAL,
                                    1u << WK_SORT_MONTH,   1u << WK_SORT_HUMAN,
                                    1u << WK_SORT_RANDOM,  1u << WK_SORT_VERSION};
    for (; *p; p++) {
        const char *kind = strchr(kinds, *p);
        if (kind)
            k->kinds |= bits[kind - kinds];
        else if (*p == 'b') {
            k->start_blanks = k->start_blanks || where & 1;
            k->end_blanks = k->end_blanks || where & 2;
        } else if (*p == 'd')
            k->dictionary = true;
        else if (*p == 'f')
            k->fold = true;
        else if (*p == 'i')
            k->printing = true;
        else if (*p == 'r')
            k->reverse = true;
        else
            break;
    }
    return p;
}

static WK_NORETURN void bad_spec(struct wk_cmd *c, const char *spec, const char *why)
{
    wk_fail(c, 2, "%s: invalid field specification %s", why, wk_quote_arg(c, spec));
}

/* A count that is SIZE_MAX when it is too large. */
static const char *read_count(struct wk_cmd *c, const char *p, size_t *out, const char *why)
{
    uint64_t v;
    int err;
    size_t used = wk_scan_u64(wk_str_c(p), 10, &v, &err);
    if (!used || !wk_is_digit(*p))
        wk_fail(c, 2, "%s: invalid count at start of %s", why, wk_quote_arg(c, p));
    *out = err || v > SIZE_MAX ? SIZE_MAX : (size_t)v;
    return p + used;
}

void wk_sort_push_key(struct wk_sorter *s, const struct wk_sort_key *k)
{
    size_t cap = s->n_keys < 4 ? 4 : s->n_keys;
    if (!s->keys || (s->n_keys >= 4 && (s->n_keys & (s->n_keys - 1)) == 0))
        s->keys = (struct wk_sort_key *)wk_heap_realloc(
            s->c->heap, s->keys, (s->keys ? cap * 2 : cap) * sizeof *s->keys);
    s->keys[s->n_keys++] = *k;
}

void wk_sort_add_key(struct wk_sorter *s, const char *spec)
{
    struct wk_cmd *c = s->c;
    struct wk_sort_key k = {.eword = SIZE_MAX};
    const char *p = read_count(c, spec, &k.sword, "invalid number at field start");
    if (k.sword-- == 0)
        bad_spec(c, spec, "field number is zero");
    if (*p == '.') {
        p = read_count(c, p + 1, &k.schar, "invalid number after '.'");
        if (k.schar-- == 0)
            bad_spec(c, spec, "character offset is zero");
    }
    p = wk_sort_letters(&k, p, 1);
    if (*p == ',') {
        p = read_count(c, p + 1, &k.eword, "invalid number after ','");
        if (k.eword-- == 0)
            bad_spec(c, spec, "field number is zero");
        if (*p == '.')
            p = read_count(c, p + 1, &k.echar, "invalid number after '.'");
        p = wk_sort_letters(&k, p, 2);
    }
    if (*p)
        bad_spec(c, spec, "stray character in field spec");
    if (k.eword != SIZE_MAX && k.echar == 0)
        k.eword++; /* all of the field */
    wk_sort_push_key(s, &k);
}

static bool is_default(const struct wk_sort_key *k)
{
    return !k->kinds && !k->dictionary && !k->printing && !k->fold && !k->start_blanks &&
           !k->end_blanks;
}

static void check_kinds(struct wk_cmd *c, struct wk_sort_key *k)
{
    /* In the order that the letters are printed in. */
    static const struct {
        char letter;
        enum wk_sort_kind kind;
    } all[] = {{'g', WK_SORT_GENERAL}, {'h', WK_SORT_HUMAN},  {'M', WK_SORT_MONTH},
               {'n', WK_SORT_NUMERIC}, {'R', WK_SORT_RANDOM}, {'V', WK_SORT_VERSION}};
    unsigned numbers = 0, set = 0;
    k->kind = WK_SORT_TEXT;
    for (size_t i = 0; i < WK_COUNTOF(all); i++) {
        if (!(k->kinds & 1u << all[i].kind))
            continue;
        k->kind = all[i].kind;
        set++;
        numbers += all[i].kind != WK_SORT_RANDOM && all[i].kind != WK_SORT_VERSION;
    }
    bool ignore = k->dictionary || k->printing,
         text = k->kinds & (1u << WK_SORT_RANDOM | 1u << WK_SORT_VERSION);
    /* -R, -V and the ignoring letters go together: only one of these groups may be there. */
    if (numbers + (text || ignore) <= 1) {
        if (k->kinds & 1u << WK_SORT_RANDOM)
            k->kind = WK_SORT_RANDOM;
        return;
    }
    char letters[16];
    size_t n = 0;
    if (k->dictionary)
        letters[n++] = 'd';
    if (k->fold)
        letters[n++] = 'f';
    for (size_t i = 0; i < WK_COUNTOF(all); i++) {
        if (all[i].kind == WK_SORT_MONTH && k->printing && !k->dictionary)
            letters[n++] = 'i';
        if (k->kinds & 1u << all[i].kind)
            letters[n++] = all[i].letter;
    }
    letters[n] = '\0';
    wk_fail(c, 2, "options '-%s' are incompatible", letters);
}

void wk_sort_keys_done(struct wk_sorter *s)
{
    bool need_seed = false;
    for (size_t i = 0; i < s->n_keys; i++) {
        struct wk_sort_key *k = &s->keys[i];
        if (is_default(k) && !k->reverse) {
            struct wk_sort_key g = s->global;
            g.sword = k->sword;
            g.schar = k->schar;
            g.eword = k->eword;
            g.echar = k->echar;
            *k = g;
        }
    }
    if (!s->n_keys && !is_default(&s->global)) {
        struct wk_sort_key k = s->global;
        k.sword = k.eword = SIZE_MAX;
        wk_sort_push_key(s, &k);
        s->global_key = true;
    }
    for (size_t i = 0; i < s->n_keys; i++) {
        check_kinds(s->c, &s->keys[i]);
        need_seed = need_seed || s->keys[i].kind == WK_SORT_RANDOM;
    }
    s->reverse = s->global.reverse;
    s->random = need_seed;
}

/* ---- where a key lies ---- */

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\n';
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static const char *skip_fields(const struct wk_sorter *s, const char *p, const char *end, size_t n,
                               bool behind_last)
{
    for (; p < end && n > 0; n--) {
        if (s->tab >= 0) {
            const char *t = (const char *)memchr(p, s->tab, (size_t)(end - p));
            if (!t)
                return end;
            p = n > 1 || behind_last ? t + 1 : t;
        } else {
            p = skip_blanks(p, end);
            while (p < end && !is_blank(*p))
                p++;
        }
    }
    return p;
}

struct wk_str wk_sort_find_key(const struct wk_sorter *s, const struct wk_sort_key *k,
                               const struct wk_sort_line *l)
{
    const char *p = l->p, *end = l->p + l->n, *stop = end;
    if (k->sword != SIZE_MAX) {
        p = skip_fields(s, p, end, k->sword, true);
        if (k->start_blanks)
            p = skip_blanks(p, end);
        p += k->schar < (size_t)(end - p) ? k->schar : (size_t)(end - p);
    } else if (k->start_blanks) {
        p = skip_blanks(p, end);
    }
    if (k->eword != SIZE_MAX) {
        stop = skip_fields(s, l->p, end, k->eword, k->echar != 0);
        if (k->echar) {
            if (k->end_blanks)
                stop = skip_blanks(stop, end);
            stop += k->echar < (size_t)(end - stop) ? k->echar : (size_t)(end - stop);
        }
    }
    return wk_str(p, stop > p ? (size_t)(stop - p) : 0);
}

/* ---- order ---- */

static bool ignored(const struct wk_sort_key *k, unsigned char ch)
{
    if (k->dictionary) /* -i has no say then */
        return !wk_is_alnum(ch) && ch != ' ' && ch != '\t';
    return k->printing && (ch < 32 || ch > 126);
}

static bool is_edited(const struct wk_sort_key *k)
{
    return k->fold || k->dictionary || k->printing;
}

/* The key as -d, -f and -i leave it, in the heap. */
static struct wk_str edited(const struct wk_sorter *s, const struct wk_sort_key *k,
                            struct wk_str key)
{
    char *p = (char *)wk_heap_alloc(s->c->heap, key.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < key.n; i++) {
        unsigned char ch = (unsigned char)key.p[i];
        if (!ignored(k, ch))
            p[n++] = (char)(k->fold ? wk_to_upper(ch) : ch);
    }
    return wk_str(p, n);
}

static int cmp_edited(const struct wk_sort_key *k, struct wk_str a, struct wk_str b)
{
    size_t i = 0, j = 0;
    for (;; i++, j++) {
        while (i < a.n && ignored(k, (unsigned char)a.p[i]))
            i++;
        while (j < b.n && ignored(k, (unsigned char)b.p[j]))
            j++;
        if (i >= a.n || j >= b.n)
            return (i < a.n) - (j < b.n);
        int x = (unsigned char)a.p[i], y = (unsigned char)b.p[j];
        if (k->fold) {
            x = wk_to_upper(x);
            y = wk_to_upper(y);
        }
        if (x != y)
            return x - y;
    }
}

/* What -g sees: 0 no number, 1 not-a-number, 2 a number. */
static int read_general(struct wk_str s, long double *v)
{
    int err;
    size_t i = 0;
    while (i < s.n && wk_is_space(s.p[i]))
        i++;
    if (!wk_scan_ldouble(wk_str_from(s, i), v, &err))
        return 0;
    return *v != *v ? 1 : 2;
}

static int cmp_general(struct wk_str a, struct wk_str b)
{
    long double x = 0, y = 0;
    int ka = read_general(a, &x), kb = read_general(b, &y);
    if (ka != kb || ka == 0)
        return ka - kb;
    if (ka == 1) /* not-a-numbers by their bytes */
        return memcmp(&x, &y, WK_MIN(sizeof x, (size_t)10));
    return (x > y) - (x < y);
}

static void digest(const struct wk_sorter *s, struct wk_str key, unsigned char out[WK_SHA1_SIZE])
{
    struct wk_md md;
    wk_md5_init(&md);
    wk_md_add(&md, s->seed, sizeof s->seed);
    wk_md_add(&md, key.p, key.n);
    wk_md_add(&md, "", s->hashes_nul && key.n > 0 && key.p[key.n - 1] != 0);
    wk_md_finish(&md, out);
}

static int cmp_random(const struct wk_sorter *s, struct wk_str a, struct wk_str b)
{
    unsigned char x[WK_SHA1_SIZE], y[WK_SHA1_SIZE];
    if (wk_str_eq(a, b))
        return 0;
    digest(s, a, x);
    digest(s, b, y);
    int r = memcmp(x, y, WK_MD5_SIZE);
    return r ? r : wk_str_cmp(a, b);
}

static int cmp_key(const struct wk_sorter *s, const struct wk_sort_key *k, struct wk_str a,
                   struct wk_str b)
{
    int x, y;
    if (is_edited(k) && (k->kind == WK_SORT_RANDOM || k->kind == WK_SORT_VERSION)) {
        struct wk_sort_key plain = {.kind = k->kind};
        struct wk_str p = edited(s, k, a), q = edited(s, k, b);
        x = cmp_key(s, &plain, p, q);
        wk_heap_free(s->c->heap, (void *)(uintptr_t)p.p);
        wk_heap_free(s->c->heap, (void *)(uintptr_t)q.p);
        return x;
    }
    switch (k->kind) {
    case WK_SORT_NUMERIC:
        return wk_sort_cmp_numbers(a, b);
    case WK_SORT_GENERAL:
        return cmp_general(a, b);
    case WK_SORT_HUMAN:
        x = wk_sort_unit(a);
        y = wk_sort_unit(b);
        return x != y ? x - y : wk_sort_cmp_numbers(a, b);
    case WK_SORT_MONTH:
        return wk_sort_month(a) - wk_sort_month(b);
    case WK_SORT_RANDOM:
        return cmp_random(s, a, b);
    case WK_SORT_VERSION:
        return wk_version_cmp(a, b);
    case WK_SORT_TEXT:
        break;
    }
    if (is_edited(k))
        return cmp_edited(k, a, b);
    return wk_str_cmp(a, b);
}

int wk_sort_cmp_key(const struct wk_sorter *s, size_t key, struct wk_str a, struct wk_str b)
{
    const struct wk_sort_key *k = &s->keys[key];
    int r = cmp_key(s, k, a, b);
    return k->reverse ? (r < 0) - (r > 0) : r;
}

int wk_sort_cmp_from(const struct wk_sorter *s, size_t from, const struct wk_sort_line *a,
                     const struct wk_sort_line *b)
{
    for (size_t i = from; i < s->n_keys; i++) {
        const struct wk_sort_key *k = &s->keys[i];
        if (i > from) /* further keys are looked for anew, however long the lines */
            wk_tick(s->c, (uint32_t)((a->n + b->n) / 64 & 0xffffff) + 1);
        struct wk_str x = i > from ? wk_sort_find_key(s, k, a) : wk_str(a->key, a->key_n);
        struct wk_str y = i > from ? wk_sort_find_key(s, k, b) : wk_str(b->key, b->key_n);
        int r = wk_sort_cmp_key(s, i, x, y);
        if (r)
            return r;
    }
    if (s->n_keys && (s->unique || s->stable))
        return 0;
    int r = wk_str_cmp(wk_str(a->p, a->n), wk_str(b->p, b->n));
    return s->reverse ? (r < 0) - (r > 0) : r;
}

/* The first eight bytes as a number. */
static uint64_t lead_text(const struct wk_sort_key *k, struct wk_str key)
{
    uint64_t v = 0;
    unsigned got = 0;
    if (key.n >= 8 && (!k || !is_edited(k))) {
        memcpy(&v, key.p, 8);
        return __builtin_bswap64(v);
    }
    for (size_t i = 0; i < key.n && got < 8; i++) {
        unsigned char ch = (unsigned char)key.p[i];
        if (k && ignored(k, ch))
            continue;
        v = v << 8 | (unsigned char)(k && k->fold ? wk_to_upper(ch) : ch);
        got++;
    }
    return got == 8 ? v : got ? v << (8 * (8 - got)) : 0;
}

/* The number, in the middle of the range: with six digits of its fraction up to 10^12, from there on without,
 * beyond 10^18 all alike. */
static uint64_t lead_number(struct wk_str s)
{
    enum { FRACTION = 6 };
    const uint64_t middle = UINT64_C(1) << 63, most = UINT64_C(1000000000000000000);
    const uint64_t plain = UINT64_C(1000000000000);
    uint64_t v = 0;
    size_t i = 0;
    while (i < s.n && is_blank(s.p[i]))
        i++;
    bool minus = i < s.n && s.p[i] == '-';
    for (i += minus; i < s.n && wk_is_digit(s.p[i]); i++)
        if (v < most) /* ten times that fits */
            v = v * 10 + (uint64_t)(s.p[i] - '0');
    if (v > most)
        v = most;
    if (v >= plain)
        return minus ? middle - most - (v - plain) : middle + most + (v - plain);
    i += i < s.n && s.p[i] == '.' ? 1 : s.n;
    for (int k = 0; k < FRACTION; k++, i++) {
        if (i < s.n && !wk_is_digit(s.p[i]))
            i = s.n;
        v = v * 10 + (i < s.n ? (uint64_t)(s.p[i] - '0') : 0);
    }
    return minus ? middle - v : middle + v;
}

static uint64_t lead_general(struct wk_str s)
{
    long double v = 0;
    int kind = read_general(s, &v);
    if (kind < 2)
        return (uint64_t)kind;
    double d = (double)v + 0.0; /* no negative zero */
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

uint64_t wk_sort_lead(const struct wk_sorter *s, size_t key, struct wk_str text)
{
    uint64_t v = 0;
    const struct wk_sort_key *k = &s->keys[key];
    unsigned char md[WK_SHA1_SIZE];
    switch (k->kind) {
    case WK_SORT_TEXT:
        v = lead_text(k, text);
        break;
    case WK_SORT_NUMERIC:
        v = lead_number(text);
        break;
    case WK_SORT_GENERAL:
        v = lead_general(text);
        break;
    case WK_SORT_HUMAN:
        v = (uint64_t)(wk_sort_unit(text) + 16);
        break;
    case WK_SORT_MONTH:
        v = (uint64_t)wk_sort_month(text);
        break;
    case WK_SORT_RANDOM:
        if (!is_edited(k)) {
            digest(s, text, md);
            for (size_t i = 0; i < 8; i++)
                v = v << 8 | md[i];
        }
        break;
    case WK_SORT_VERSION:
        break;
    }
    return k->reverse ? ~v : v;
}

uint64_t wk_sort_prepare(const struct wk_sorter *s, struct wk_sort_line *l)
{
    if (!s->n_keys) {
        uint64_t v = lead_text(NULL, wk_str(l->p, l->n));
        return s->reverse ? ~v : v;
    }
    struct wk_str text = wk_sort_find_key(s, &s->keys[0], l);
    l->key = text.p;
    l->key_n = text.n;
    return wk_sort_lead(s, 0, text);
}
