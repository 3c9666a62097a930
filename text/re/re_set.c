/* re_set.c - sets of characters as sorted ranges */
#include "text/re/re_set.h"

#include "base/sort.h"

void wk_re_set_add(struct wk_arena *a, struct wk_re_set *s, uint32_t lo, uint32_t hi)
{
    if (s->failed || lo > hi)
        return;
    if (s->n && s->r[s->n - 1].hi != UINT32_MAX && s->r[s->n - 1].hi + 1 == lo) {
        s->r[s->n - 1].hi = hi;
        return;
    }
    if (s->n == s->cap) {
        uint32_t cap = s->cap ? s->cap * 2 : 2;
        struct wk_range *r = s->cap < UINT32_MAX / 64 ? wk_arena_alloc(a, cap * sizeof *r) : NULL;
        if (!r) {
            s->failed = true;
            return;
        }
        if (s->n)
            memcpy(r, s->r, s->n * sizeof *r);
        s->r = r;
        s->cap = cap;
    }
    s->r[s->n++] = (struct wk_range){lo, hi};
}

void wk_re_set_class(struct wk_arena *a, struct wk_re_set *s, enum wk_class class, bool utf8)
{
    for (uint32_t c = 0; c < 128; c++)
        if (wk_utf8_is(c, class))
            wk_re_set_add(a, s, c, c);
    if (!utf8)
        return;
    const struct wk_range *r;
    size_t n = wk_class_ranges(class, &r);
    for (size_t i = 0; i < n; i++)
        wk_re_set_add(a, s, r[i].lo, r[i].hi);
}

/* Where Unicode keeps letters that have a case; a few neighbours do no harm. */
static const struct wk_range cased[] = {
    {'A', 'Z'},         {'a', 'z'},         {0xb5, 0x2af},      {0x345, 0x587},
    {0x10a0, 0x10ff},   {0x13a0, 0x13fd},   {0x1c80, 0x1cbf},   {0x1d79, 0x1d8e},
    {0x1e00, 0x1ffc},   {0x2126, 0x2184},   {0x24b6, 0x24e9},   {0x2c00, 0x2d2d},
    {0xa640, 0xa69b},   {0xa722, 0xa7fa},   {0xab53, 0xabbf},   {0xff21, 0xff5a},
    {0x10400, 0x104fb}, {0x10570, 0x105bc}, {0x10c80, 0x10cf2}, {0x118a0, 0x118df},
    {0x16e40, 0x16e7f}, {0x1e900, 0x1e943},
};

/* Small letters that are not the small one of their capital: µ ı ſ Dž ς and such. */
static const uint32_t second_letters[] = {
    0xb5,   0x131,  0x17f,  0x1c5,  0x1c8,  0x1cb,  0x1f2,  0x345,  0x3c2,
    0x3d0,  0x3d1,  0x3d5,  0x3d6,  0x3f0,  0x3f1,  0x3f5,  0x1c80, 0x1c81,
    0x1c82, 0x1c83, 0x1c84, 0x1c85, 0x1c86, 0x1c87, 0x1c88, 0x1e9b, 0x1fbe,
};

/* A set that is being folded: what it has already, from r[0..n), need not be added. */
struct fold {
    struct wk_arena *a;
    struct wk_re_set *s;
    struct wk_re_set had; /* sorted, if the set was: else something is added twice */
    bool utf8;
    uint32_t capitals[WK_COUNTOF(second_letters)];
};

static void add_letter(struct fold *f, uint32_t c)
{
    if (!wk_re_set_has(&f->had, c))
        wk_re_set_add(f->a, f->s, c, c);
}

/* Everything that has the capital `up`. */
static void add_letters(struct fold *f, uint32_t up)
{
    uint32_t low = wk_utf8_lower(up);
    add_letter(f, up);
    if (low != up && wk_utf8_upper(low) == up)
        add_letter(f, low);
    for (size_t k = 0; f->utf8 && k < WK_COUNTOF(second_letters); k++)
        if (f->capitals[k] == up)
            add_letter(f, second_letters[k]);
}

void wk_re_set_fold(struct wk_arena *a, struct wk_re_set *s, bool utf8)
{
    struct fold f = {.a = a, .s = s, .had = *s, .utf8 = utf8};
    uint32_t n = s->n;
    for (size_t k = 0; utf8 && k < WK_COUNTOF(second_letters); k++)
        f.capitals[k] = wk_utf8_upper(second_letters[k]);
    for (uint32_t i = 0; i < n && !s->failed; i++) {
        struct wk_range r = f.had.r[i];
        for (size_t k = 0; k < WK_COUNTOF(cased); k++) {
            uint32_t lo = WK_MAX(r.lo, cased[k].lo), hi = WK_MIN(r.hi, cased[k].hi);
            if (lo > hi || (!utf8 && lo > 127))
                continue;
            for (uint32_t c = lo; c <= hi; c++) {
                uint32_t up = wk_utf8_upper(c);
                if (up != c || wk_utf8_lower(c) != c)
                    add_letters(&f, up);
            }
        }
    }
}

static int by_lo(void *ctx, const void *x, const void *y)
{
    (void)ctx;
    const struct wk_range *a = x, *b = y;
    return a->lo < b->lo ? -1 : a->lo > b->lo;
}

/* Most are sorted but for a few at the end, such as the _ of \w. False when there are more; what
 * was done then does no harm. */
static bool move_few(struct wk_re_set *s)
{
    for (uint32_t i = 1, moved = 0; i < s->n; i++) {
        struct wk_range r = s->r[i];
        if (s->r[i - 1].lo <= r.lo)
            continue;
        if (++moved > 8)
            return false;
        uint32_t lo = 0, hi = i;
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (s->r[mid].lo <= r.lo)
                lo = mid + 1;
            else
                hi = mid;
        }
        memmove(s->r + lo + 1, s->r + lo, (i - lo) * sizeof *s->r);
        s->r[lo] = r;
    }
    return true;
}

bool wk_re_set_normalise(struct wk_arena *a, struct wk_re_set *s)
{
    if (s->failed)
        return false;
    bool sorted = true;
    for (uint32_t i = 1; i < s->n && sorted; i++)
        sorted = s->r[i - 1].hi < s->r[i].lo && s->r[i].lo - s->r[i - 1].hi > 1;
    if (sorted)
        return true;
    struct wk_sort how = {.cmp = by_lo};
    if (!move_few(s) && wk_sort(a->mem, s->r, s->n, sizeof *s->r, &how) != 0) {
        s->failed = true;
        return false;
    }
    uint32_t k = 0;
    for (uint32_t i = 1; i < s->n; i++) {
        if (s->r[i].lo <= s->r[k].hi || s->r[i].lo - s->r[k].hi == 1)
            s->r[k].hi = WK_MAX(s->r[k].hi, s->r[i].hi);
        else
            s->r[++k] = s->r[i];
    }
    s->n = k + 1;
    return true;
}

void wk_re_set_invert(struct wk_arena *a, struct wk_re_set *s, bool utf8)
{
    static const struct wk_range chars[] = {{0, 0xd7ff}, {0xe000, WK_UTF8_MAX}};
    static const struct wk_range bytes[] = {{0, 255}};
    struct wk_re_set out = {.r = NULL, .failed = s->failed};
    uint32_t i = 0;
    for (size_t k = 0; k < (utf8 ? WK_COUNTOF(chars) : WK_COUNTOF(bytes)); k++) {
        struct wk_range all = utf8 ? chars[k] : bytes[k];
        uint32_t from = all.lo;
        while (i < s->n && s->r[i].hi < all.lo)
            i++;
        for (; i < s->n && s->r[i].lo <= all.hi; i++) {
            if (s->r[i].lo > from)
                wk_re_set_add(a, &out, from, s->r[i].lo - 1);
            from = s->r[i].hi + 1;
            if (s->r[i].hi >= all.hi)
                break; /* it may reach into the next part */
        }
        if (from <= all.hi)
            wk_re_set_add(a, &out, from, all.hi);
    }
    *s = out;
}

void wk_re_set_remove(struct wk_arena *a, struct wk_re_set *s, uint32_t c)
{
    if (!wk_re_set_has(s, c))
        return;
    struct wk_re_set out = {.r = NULL, .failed = s->failed};
    for (uint32_t i = 0; i < s->n; i++) {
        struct wk_range r = s->r[i];
        if (c < r.lo || c > r.hi) {
            wk_re_set_add(a, &out, r.lo, r.hi);
            continue;
        }
        if (c > r.lo)
            wk_re_set_add(a, &out, r.lo, c - 1);
        if (c < r.hi)
            wk_re_set_add(a, &out, c + 1, r.hi);
    }
    *s = out;
}

bool wk_re_set_has(const struct wk_re_set *s, uint32_t c)
{
    uint32_t lo = 0, hi = s->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (c > s->r[mid].hi)
            lo = mid + 1;
        else if (c < s->r[mid].lo)
            hi = mid;
        else
            return true;
    }
    return false;
}
