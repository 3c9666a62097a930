/* ranges.c - lists of number ranges such as 1,3-5,7- (cut, numfmt) */
#include "builtins/ranges.h"

#include "base/num.h"
#include "base/sort.h"

static void add(struct wk_cmd *c, struct wk_ranges *r, size_t *cap, uint64_t lo, uint64_t hi)
{
    if (r->n + 2 > *cap) {
        *cap = *cap ? *cap * 2 : 16;
        r->v = (struct wk_range *)wk_heap_realloc(c->heap, r->v, *cap * sizeof *r->v);
    }
    r->v[r->n++] = (struct wk_range){lo, hi};
}

static int by_lo(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const struct wk_range *x = (const struct wk_range *)a, *y = (const struct wk_range *)b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

static WK_NORETURN void bad_item(struct wk_cmd *c, const char *p, int flags, int err)
{
    bool fields = flags & WK_RANGES_FIELDS;
    if (err == -WK_ERANGE) {
        size_t n = strspn(p, "0123456789");
        wk_usage(c, "%s %s is too large", fields ? "field number" : "byte/character offset",
                 wk_quote_arg(c, wk_dupn(c, p, n)));
    }
    wk_usage(c, "invalid %s %s", fields ? "field value" : "byte/character position",
             wk_quote_arg(c, p));
}

/* One item that ends before a comma, a blank or the end. */
static const char *read_item(struct wk_cmd *c, const char *p, int flags, struct wk_range *out)
{
    bool fields = flags & WK_RANGES_FIELDS, left = false, dash = false, right = false;
    const char *zero =
        fields ? "fields are numbered from 1" : "byte/character positions are numbered from 1";
    uint64_t lo = 1, hi = UINT64_MAX;
    for (; *p && *p != ',' && *p != ' ' && *p != '\t';) {
        if (*p == '-') {
            if (dash)
                wk_usage(c, fields ? "invalid field range" : "invalid byte or character range");
            if (left && lo == 0)
                wk_usage(c, "%s", zero);
            dash = true;
            p++;
            continue;
        }
        int err;
        uint64_t v;
        size_t n = wk_is_digit(*p) ? wk_scan_u64(wk_str_c(p), 10, &v, &err) : 0;
        if (n == 0)
            bad_item(c, p, flags, 0);
        if (err || v == UINT64_MAX)
            bad_item(c, p, flags, -WK_ERANGE);
        if (dash) {
            hi = v;
            right = true;
        } else {
            lo = v;
            left = true;
        }
        p += n;
    }
    if (!dash) {
        if (!left || lo == 0)
            wk_usage(c, "%s", zero);
        hi = lo;
    } else if (!left && !right) {
        if (!(flags & WK_RANGES_DASH_ALL))
            wk_usage(c, "invalid range with no endpoint: -");
    } else if (right && hi < lo) {
        wk_usage(c, "invalid decreasing range");
    }
    *out = (struct wk_range){lo, hi};
    return p;
}

static void merge(struct wk_ranges *r)
{
    size_t k = 0;
    for (size_t i = 1; i < r->n; i++) {
        if (r->v[k].hi == UINT64_MAX || r->v[i].lo <= r->v[k].hi)
            r->v[k].hi = r->v[i].hi > r->v[k].hi ? r->v[i].hi : r->v[k].hi;
        else
            r->v[++k] = r->v[i];
    }
    r->n = k + 1;
}

static void complement(struct wk_cmd *c, struct wk_ranges *r)
{
    struct wk_ranges other = {NULL, 0};
    size_t cap = 0;
    uint64_t next = 1;
    for (size_t i = 0; i < r->n; i++) {
        if (r->v[i].lo > next)
            add(c, &other, &cap, next, r->v[i].lo - 1);
        next = r->v[i].hi == UINT64_MAX ? 0 : r->v[i].hi + 1;
    }
    if (next)
        add(c, &other, &cap, next, UINT64_MAX);
    if (!cap)
        add(c, &other, &cap, UINT64_MAX, UINT64_MAX), other.n = 0;
    wk_heap_free(c->heap, r->v);
    *r = other;
}

void wk_ranges_parse(struct wk_cmd *c, const char *text, int flags, struct wk_ranges *out)
{
    size_t cap = 0;
    struct wk_range one;
    *out = (struct wk_ranges){NULL, 0};
    for (const char *p = text;; p++) {
        p = read_item(c, p, flags, &one);
        add(c, out, &cap, one.lo, one.hi);
        if (!*p)
            break;
    }
    wk_tick(c, (uint32_t)(out->n & 0xfffff) + 1);
    struct wk_sort how = {by_lo, NULL, NULL};
    if (wk_sort(wk_heap_mem(c->heap), out->v, out->n, sizeof *out->v, &how))
        wk_heap_exhausted(c->heap);
    merge(out);
    if (flags & WK_RANGES_COMPLEMENT)
        complement(c, out);
    out->v[out->n] = (struct wk_range){UINT64_MAX, UINT64_MAX};
}
