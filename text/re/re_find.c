/* re_find.c - where one of a few texts begins
 *
 * One text: its two rarest bytes are compared at 16 or 32 places at once, and what fits is compared
 * whole. Several: each is in one of eight buckets; for the first bytes a table tells the buckets
 * whose texts have such a byte there, and a place is looked at when some bucket is left. With AVX2
 * the tables are looked up for 32 places at once, by half bytes: a byte may then pass for another
 * of the bucket, which the comparison that follows finds out.
 */
#include "text/re/re_find.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define WIDE 1
#if defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define KNOWS_CPU 1
#endif
#endif
#endif

#define NOWHERE SIZE_MAX

/* From the loader's notes: asking the processor itself is slow in a virtual machine. */
static bool has_avx2(void)
{
#if defined(KNOWS_CPU)
    return CPU_FEATURE_ACTIVE(AVX2);
#else
    return false;
#endif
}

/* ---- how rare a byte is ---- */

/* Bits of information of a byte, by what logs, tables, programs and prose hold. */
static unsigned rarity(uint8_t b)
{
    static const char common[] = " etaoinsrlcdpu01/mh\n2.-=f3456789,:\"_gbwy";
    const char *at = b ? memchr(common, b, sizeof common - 1) : NULL;
    if (at)
        return 4 + (unsigned)(at - common) / 16;
    if (b >= 128) /* first bytes of characters are few in a script */
        return b >= 0xc0 ? 4 : 6;
    if ((b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z'))
        return b == 'q' || b == 'z' || b == 'x' || b == 'j' || b == 'Q' || b == 'Z' || b == 'X' ? 9
                                                                                                : 7;
    return 8;
}

static unsigned masked_rarity(uint8_t b, uint8_t mask)
{
    unsigned r = rarity(b);
    return mask ? WK_MIN(r, rarity(b & (uint8_t)~mask)) - 1 : r;
}

unsigned wk_re_text_rarity(const uint8_t *byte, const uint8_t *mask, size_t n)
{
    unsigned sum = 0;
    for (size_t i = 0; i < n && i < 8; i++)
        sum += masked_rarity(byte[i], mask[i]);
    return sum;
}

/* ---- making ---- */

static void choose_rarest(struct wk_re_finder *f)
{
    const struct wk_re_text *t = &f->text[0];
    unsigned best[2] = {0, 0};
    for (uint32_t i = 0; i < t->n && i < 256; i++) {
        unsigned r = masked_rarity(t->byte[i], t->mask[i]) + 1;
        bool twice = best[0] && t->byte[i] == t->byte[f->at[0]];
        if (r > best[0]) {
            best[1] = best[0];
            f->at[1] = f->at[0];
            best[0] = r;
            f->at[0] = i;
        } else if (r > best[1] && !twice) {
            best[1] = r;
            f->at[1] = i;
        }
    }
    if (!best[1])
        f->at[1] = f->at[0] ? 0 : t->n - 1;
    for (int k = 0; k < 2; k++) {
        f->byte[k] = t->byte[f->at[k]];
        f->mask[k] = t->mask[f->at[k]];
    }
}

static bool leads_alike(const struct wk_re_text *a, const struct wk_re_text *b, uint32_t n)
{
    return memcmp(a->byte, b->byte, n) == 0 && memcmp(a->mask, b->mask, n) == 0;
}

/* Texts that begin alike share a bucket, the others go round. */
static void fill_buckets(struct wk_re_finder *f, struct wk_re_text *text)
{
    uint8_t next = 0;
    f->print = WK_MIN(f->shortest, (uint32_t)WK_RE_FIND_PRINT);
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t k = 0;
        while (k < i && !leads_alike(&text[k], &text[i], f->print))
            k++;
        text[i].bucket = k < i ? text[k].bucket : next++ % WK_RE_FIND_BUCKETS;
        uint8_t bit = (uint8_t)(1u << text[i].bucket);
        for (uint32_t p = 0; p < f->print; p++)
            for (int other = 0; other < 2; other++) {
                unsigned b = text[i].byte[p] & ~(other ? text[i].mask[p] : 0u);
                f->hit[p][b] |= bit;
                f->low[p][b & 15] |= bit;
                f->high[p][b >> 4] |= bit;
            }
    }
}

struct wk_re_finder *wk_re_finder_new(struct wk_arena *a, const struct wk_re_text *texts, size_t n)
{
    struct wk_re_finder *f = WK_ARENA_NEW(a, struct wk_re_finder);
    struct wk_re_text *copy = f ? wk_arena_alloc(a, n * sizeof *copy) : NULL;
    if (!copy)
        return NULL;
    f->text = copy;
    f->n = (uint32_t)n;
    f->shortest = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t k = i; /* longest first */
        for (; k && copy[k - 1].n < texts[i].n; k--)
            copy[k] = copy[k - 1];
        copy[k] = texts[i];
        uint8_t *bytes = wk_arena_alloc(a, 2 * (size_t)texts[i].n);
        if (!bytes)
            return NULL;
        memcpy(bytes, texts[i].byte, texts[i].n);
        memcpy(bytes + texts[i].n, texts[i].mask, texts[i].n);
        copy[k].byte = bytes;
        copy[k].mask = bytes + texts[i].n;
        copy[k].masked = false;
        for (uint32_t j = 0; j < texts[i].n; j++)
            copy[k].masked |= texts[i].mask[j] != 0;
        f->shortest = WK_MIN(f->shortest, texts[i].n);
    }
    if (n == 1)
        choose_rarest(f);
    else
        fill_buckets(f, copy);
    return f;
}

/* ---- comparing ---- */

static inline bool fits(const struct wk_re_text *t, const uint8_t *s)
{
    if (!t->masked)
        return memcmp(s, t->byte, t->n) == 0;
    for (uint32_t i = 0; i < t->n; i++)
        if ((s[i] | t->mask[i]) != t->byte[i])
            return false;
    return true;
}

/* The longest text that begins at s, n bytes being there, of the buckets; NULL when none does. */
static const struct wk_re_text *text_at(const struct wk_re_finder *f, const uint8_t *s, size_t n,
                                        unsigned buckets)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (buckets >> f->text[i].bucket & 1 && f->text[i].n <= n && fits(&f->text[i], s))
            return &f->text[i];
    return NULL;
}

/* ---- one text ---- */

struct place {
    const uint8_t *s;
    size_t n, at; /* searched from, and found */
    size_t len;
};

/* The text at one of the places that `bits` tells, from p->at on. */
static inline bool one_of(const struct wk_re_finder *f, struct place *p, uint32_t bits)
{
    const struct wk_re_text *t = &f->text[0];
    for (; bits; bits &= bits - 1) {
        size_t at = p->at + (unsigned)__builtin_ctz(bits);
        if (at + t->n <= p->n && fits(t, p->s + at)) {
            p->at = at;
            p->len = t->n;
            return true;
        }
    }
    return false;
}

#ifdef WIDE
__attribute__((target("avx2"))) static bool pairs_of_32(const struct wk_re_finder *f,
                                                        struct place *p)
{
    const uint8_t *x = p->s + f->at[0], *y = p->s + f->at[1];
    size_t reach = WK_MAX(f->at[0], f->at[1]) + 32;
    __m256i bx = _mm256_set1_epi8((char)f->byte[0]), by = _mm256_set1_epi8((char)f->byte[1]);
    __m256i mx = _mm256_set1_epi8((char)f->mask[0]), my = _mm256_set1_epi8((char)f->mask[1]);
    for (; p->n - p->at >= reach; p->at += 32) {
        __m256i vx = _mm256_loadu_si256((const __m256i *)(const void *)(x + p->at));
        __m256i vy = _mm256_loadu_si256((const __m256i *)(const void *)(y + p->at));
        vx = _mm256_cmpeq_epi8(_mm256_or_si256(vx, mx), bx);
        vy = _mm256_cmpeq_epi8(_mm256_or_si256(vy, my), by);
        uint32_t bits = (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(vx, vy));
        if (WK_UNLIKELY(bits) && one_of(f, p, bits))
            return true;
    }
    return false;
}

static bool pairs_of_16(const struct wk_re_finder *f, struct place *p)
{
    const uint8_t *x = p->s + f->at[0], *y = p->s + f->at[1];
    size_t reach = WK_MAX(f->at[0], f->at[1]) + 16;
    __m128i bx = _mm_set1_epi8((char)f->byte[0]), by = _mm_set1_epi8((char)f->byte[1]);
    __m128i mx = _mm_set1_epi8((char)f->mask[0]), my = _mm_set1_epi8((char)f->mask[1]);
    for (; p->n - p->at >= reach; p->at += 16) {
        __m128i vx = _mm_loadu_si128((const __m128i *)(const void *)(x + p->at));
        __m128i vy = _mm_loadu_si128((const __m128i *)(const void *)(y + p->at));
        vx = _mm_cmpeq_epi8(_mm_or_si128(vx, mx), bx);
        vy = _mm_cmpeq_epi8(_mm_or_si128(vy, my), by);
        uint32_t bits = (uint32_t)_mm_movemask_epi8(_mm_and_si128(vx, vy));
        if (WK_UNLIKELY(bits) && one_of(f, p, bits))
            return true;
    }
    return false;
}
#endif

/* The last places, or all of them without vectors: by the rarer byte. */
static bool pairs_of_1(const struct wk_re_finder *f, struct place *p)
{
    const struct wk_re_text *t = &f->text[0];
    while (p->n - p->at >= t->n) {
        size_t tries = p->n - p->at - t->n + 1;
        const uint8_t *x = p->s + p->at + f->at[0];
        if (!f->mask[0]) {
            const uint8_t *hit = memchr(x, f->byte[0], tries);
            if (!hit)
                return false;
            p->at += (size_t)(hit - x);
        }
        if (fits(t, p->s + p->at)) {
            p->len = t->n;
            return true;
        }
        p->at++;
    }
    return false;
}

static bool next_of_one(const struct wk_re_finder *f, struct place *p)
{
#ifdef WIDE
    if (has_avx2() ? pairs_of_32(f, p) : pairs_of_16(f, p))
        return true;
#endif
    return pairs_of_1(f, p);
}

/* ---- several ---- */

static inline unsigned buckets_at(const struct wk_re_finder *f, const uint8_t *s)
{
    unsigned b = f->hit[0][s[0]];
    if (f->print > 1)
        b &= f->hit[1][s[1]];
    if (f->print > 2)
        b &= f->hit[2][s[2]];
    return b;
}

static bool prints_of_1(const struct wk_re_finder *f, struct place *p)
{
    for (; p->n - p->at >= f->shortest; p->at++) {
        unsigned b = f->hit[0][p->s[p->at]];
        if (WK_LIKELY(!b) || !(b = buckets_at(f, p->s + p->at)))
            continue;
        const struct wk_re_text *t = text_at(f, p->s + p->at, p->n - p->at, b);
        if (t) {
            p->len = t->n;
            return true;
        }
    }
    return false;
}

#ifdef WIDE
#define HALVES(table) \
    _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(table)))

/* Buckets of 32 places, by the byte `k` behind each. */
__attribute__((target("avx2"))) static inline __m256i print_of(const struct wk_re_finder *f,
                                                               const uint8_t *s, uint32_t k)
{
    const __m256i half = _mm256_set1_epi8(15);
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(s + k));
    __m256i low = _mm256_shuffle_epi8(HALVES(f->low[k]), _mm256_and_si256(v, half));
    v = _mm256_and_si256(_mm256_srli_epi16(v, 4), half);
    return _mm256_and_si256(low, _mm256_shuffle_epi8(HALVES(f->high[k]), v));
}

__attribute__((target("avx2"))) static bool prints_of_32(const struct wk_re_finder *f,
                                                         struct place *p)
{
    for (; p->n - p->at >= 32 + WK_RE_FIND_PRINT - 1; p->at += 32) {
        const uint8_t *s = p->s + p->at;
        __m256i v = print_of(f, s, 0);
        if (f->print > 1)
            v = _mm256_and_si256(v, print_of(f, s, 1));
        if (f->print > 2)
            v = _mm256_and_si256(v, print_of(f, s, 2));
        if (WK_LIKELY(_mm256_testz_si256(v, v)))
            continue;
        uint32_t bits =
            ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256()));
        for (; bits; bits &= bits - 1) {
            size_t at = p->at + (unsigned)__builtin_ctz(bits);
            unsigned b = buckets_at(f, p->s + at);
            const struct wk_re_text *t = b ? text_at(f, p->s + at, p->n - at, b) : NULL;
            if (t) {
                p->at = at;
                p->len = t->n;
                return true;
            }
        }
    }
    return false;
}
#endif

static bool next_of_several(const struct wk_re_finder *f, struct place *p)
{
#ifdef WIDE
    if (p->n - p->at > 64 && has_avx2() && prints_of_32(f, p))
        return true;
#endif
    return prints_of_1(f, p);
}

size_t wk_re_finder_next(const struct wk_re_finder *f, struct wk_str s, size_t from, size_t *len)
{
    struct place p = {.s = (const uint8_t *)s.p, .n = s.n, .at = from};
    if (from > s.n || s.n - from < f->shortest)
        return NOWHERE;
    if (!(f->n == 1 ? next_of_one(f, &p) : next_of_several(f, &p)))
        return NOWHERE;
    if (len)
        *len = p.len;
    return p.at;
}
