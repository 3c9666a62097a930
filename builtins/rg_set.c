/* rg_set.c - rg: sets of characters and how they are written in the forms of a pattern */
#include "builtins/rg_syntax.h"

#include "base/sort.h"
#include "base/utf8.h"

/* What Rust calls a letter of a word, past ASCII, as Perl's properties. */
#define WORD_TEXT                                                                                           \
    "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{200c}\\x{200d}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}" \
    "-\\x{1f169}\\x{1f170}-\\x{1f189}"

enum { FOLD_MOST = 4096, TEXT_MOST = 16384, ASCII_END = 0x80, LAST = WK_UTF8_MAX };

static void add_high(struct wk_cmd *c, struct wk_rg_set *s, uint32_t lo, uint32_t hi)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 8;
        s->hi = wk_heap_realloc(c->heap, s->hi, s->cap * sizeof *s->hi);
    }
    s->hi[s->n++] = (struct wk_rg_range){lo, hi};
}

void wk_rg_set_add(struct wk_cmd *c, struct wk_rg_set *s, uint32_t lo, uint32_t hi)
{
    for (; lo <= hi && lo < ASCII_END; lo++)
        s->ascii[lo / 64] |= UINT64_C(1) << lo % 64;
    if (lo <= hi)
        add_high(c, s, lo, hi);
}

static void add_also(struct wk_cmd *c, struct wk_rg_set *s, const char *text)
{
    size_t n = strlen(text), bar = s->also_n > 0;
    if (s->also_cap - s->also_n < n + 2) {
        s->also_cap = s->also_cap * 2 + n + 2;
        s->also = wk_heap_realloc(c->heap, s->also, s->also_cap);
    }
    if (bar)
        s->also[s->also_n++] = '|';
    memcpy(s->also + s->also_n, text, n + 1);
    s->also_n += n;
}

static void put_hex(struct wk_buf *b, uint32_t ch)
{
    if (wk_is_alnum((int)ch) && ch < ASCII_END)
        wk_buf_putc(b, (char)ch);
    else
        wk_buf_fmt(b, "\\x{%x}", (unsigned)ch);
}

static void put_range(struct wk_buf *b, uint32_t lo, uint32_t hi)
{
    put_hex(b, lo);
    if (hi > lo) {
        if (hi > lo + 1)
            wk_buf_putc(b, '-');
        put_hex(b, hi);
    }
}

/* The next run of ASCII characters at or after *at; false when there is none. */
static bool next_run(const uint64_t ascii[2], uint32_t *at, uint32_t *lo, uint32_t *hi)
{
    uint32_t i = *at;
    while (i < ASCII_END && !(ascii[i / 64] >> i % 64 & 1))
        i++;
    *lo = i;
    while (i < ASCII_END && (ascii[i / 64] >> i % 64 & 1))
        i++;
    *hi = i - 1;
    *at = i;
    return *lo < ASCII_END;
}

void wk_rg_set_perl(struct wk_cmd *c, struct wk_rg_set *s, char name, bool negated, bool unicode)
{
    struct wk_rg_set one = {.opaque = false};
    uint32_t lo, hi, at = 0;
    wk_rg_set_add(c, &one, name == 's' ? '\t' : '0', name == 's' ? '\r' : '9');
    if (name == 's')
        wk_rg_set_add(c, &one, ' ', ' ');
    if (name == 'w') {
        wk_rg_set_add(c, &one, 'A', 'Z');
        wk_rg_set_add(c, &one, 'a', 'z');
        wk_rg_set_add(c, &one, '_', '_');
    }
    if (!unicode) {
        one.bytes = true;
        if (negated)
            wk_rg_set_negate(c, &one);
        wk_rg_set_combine(c, s, &one, '|');
        return;
    }
    struct wk_buf *b = wk_rg_buf(c);
    wk_buf_put_c(b, negated ? "[^" : "[");
    while (next_run(one.ascii, &at, &lo, &hi))
        put_range(b, lo, hi);
    wk_buf_put_c(b, name == 'w' ? WORD_TEXT : name == 'd' ? "\\p{Nd}" : "\\x{85}\\p{Z}");
    wk_buf_putc(b, ']');
    for (int i = 0; i < 2; i++)
        s->ascii[i] |= negated ? ~one.ascii[i] : one.ascii[i];
    s->opaque = true;
    add_also(c, s, wk_keep(c, b));
}

void wk_rg_set_property(struct wk_cmd *c, struct wk_rg_set *s, const char *perl, const uint64_t ascii[2])
{
    s->opaque = true;
    s->ascii[0] |= ascii[0];
    s->ascii[1] |= ascii[1];
    add_also(c, s, perl);
}

void wk_rg_set_fold(struct wk_cmd *c, struct wk_rg_set *s)
{
    for (uint32_t ch = 'a'; ch <= 'z'; ch++)
        if (wk_rg_set_has(s, ch) || wk_rg_set_has(s, ch - 32))
            wk_rg_set_add(c, s, ch, ch), wk_rg_set_add(c, s, ch - 32, ch - 32);
    if (wk_rg_set_has(s, 'k'))
        add_high(c, s, 0x212a, 0x212a);
    if (wk_rg_set_has(s, 's'))
        add_high(c, s, 0x17f, 0x17f);
    for (size_t i = 0, n = s->n; i < n; i++) {
        struct wk_rg_range r = s->hi[i];
        for (uint32_t ch = r.lo; r.hi - r.lo < FOLD_MOST && ch <= r.hi; ch++) {
            uint32_t up = wk_utf8_upper(ch), low = wk_utf8_lower(ch);
            if (up != ch)
                wk_rg_set_add(c, s, up, up);
            if (low != ch)
                wk_rg_set_add(c, s, low, low);
        }
        wk_tick(c, 64);
    }
}

static int cmp_range(void *ctx, const void *a, const void *b)
{
    const struct wk_rg_range *x = a, *y = b;
    (void)ctx;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* In order, apart from one another. */
static void normalise(struct wk_cmd *c, struct wk_rg_set *s)
{
    struct wk_sort how = {.cmp = cmp_range};
    size_t out = 0;
    if (wk_sort(wk_heap_mem(c->heap), s->hi, s->n, sizeof *s->hi, &how) < 0)
        wk_heap_exhausted(c->heap);
    wk_tick(c, (uint32_t)WK_MIN(s->n, (size_t)UINT16_MAX) + 1);
    for (size_t i = 0; i < s->n; i++) {
        if (out && s->hi[i].lo <= s->hi[out - 1].hi + 1)
            s->hi[out - 1].hi = WK_MAX(s->hi[out - 1].hi, s->hi[i].hi);
        else
            s->hi[out++] = s->hi[i];
    }
    s->n = out;
}

static void complement(struct wk_cmd *c, struct wk_rg_set *s, uint32_t last)
{
    struct wk_rg_set out = {.n = 0};
    uint32_t next = ASCII_END;
    normalise(c, s);
    for (size_t i = 0; i < s->n; i++) {
        if (s->hi[i].lo > next)
            add_high(c, &out, next, s->hi[i].lo - 1);
        next = s->hi[i].hi + 1;
    }
    if (next <= last)
        add_high(c, &out, next, last);
    wk_heap_free(c->heap, s->hi);
    s->hi = out.hi;
    s->n = out.n;
    s->cap = out.cap;
}

/* What it holds past ASCII, as Perl's text. */
static const char *high_text(struct wk_cmd *c, const struct wk_rg_set *s)
{
    struct wk_buf *b = wk_rg_buf(c);
    wk_buf_put_c(b, s->n || s->also_n ? "(?:" : "(?!");
    if (s->n) {
        wk_buf_putc(b, '[');
        for (size_t i = 0; i < s->n; i++)
            put_range(b, s->hi[i].lo, s->hi[i].hi);
        wk_buf_put_c(b, s->also_n ? "]|" : "]");
    }
    if (s->also_n)
        wk_buf_put(b, s->also, s->also_n);
    wk_buf_putc(b, ')');
    return wk_keep(c, b);
}

#define HIGH "[\\x{80}-\\x{10ffff}]"

static void become(struct wk_cmd *c, struct wk_rg_set *s, const char *text)
{
    s->n = s->also_n = 0;
    s->opaque = true;
    s->too_big = s->too_big || strlen(text) > TEXT_MOST;
    if (s->too_big)
        return;
    add_also(c, s, text);
}

void wk_rg_set_negate(struct wk_cmd *c, struct wk_rg_set *s)
{
    s->ascii[0] = ~s->ascii[0];
    s->ascii[1] = ~s->ascii[1];
    if (s->opaque)
        become(c, s, wk_strf(c, "(?!%s)" HIGH, high_text(c, s)));
    else
        complement(c, s, s->bytes ? 0xff : LAST);
}

/* The ranges of a that b has, too. */
static void intersect(struct wk_cmd *c, struct wk_rg_set *a, struct wk_rg_set *b)
{
    struct wk_rg_set out = {.n = 0};
    normalise(c, a);
    normalise(c, b);
    for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
        uint32_t lo = WK_MAX(a->hi[i].lo, b->hi[k].lo), hi = WK_MIN(a->hi[i].hi, b->hi[k].hi);
        if (lo <= hi)
            add_high(c, &out, lo, hi);
        if (a->hi[i].hi < b->hi[k].hi)
            i++;
        else
            k++;
    }
    wk_heap_free(c->heap, a->hi);
    a->hi = out.hi;
    a->n = out.n;
    a->cap = out.cap;
}

static struct wk_rg_set copy(struct wk_cmd *c, const struct wk_rg_set *s)
{
    struct wk_rg_set out = {.ascii = {s->ascii[0], s->ascii[1]}, .bytes = s->bytes};
    for (size_t i = 0; i < s->n; i++)
        add_high(c, &out, s->hi[i].lo, s->hi[i].hi);
    return out;
}

static void join(struct wk_cmd *c, struct wk_rg_set *a, const struct wk_rg_set *b)
{
    for (size_t i = 0; i < b->n; i++)
        add_high(c, a, b->hi[i].lo, b->hi[i].hi);
    if (b->also_n)
        add_also(c, a, b->also);
    a->opaque = a->opaque || b->opaque;
}

static void combine_opaque(struct wk_cmd *c, struct wk_rg_set *a, const struct wk_rg_set *b, char op)
{
    const char *x = high_text(c, a), *y = high_text(c, b);
    if (op == '&')
        become(c, a, wk_strf(c, "(?=%s)(?=%s)" HIGH, x, y));
    else if (op == '-')
        become(c, a, wk_strf(c, "(?=%s)(?!%s)" HIGH, x, y));
    else
        become(c, a, wk_strf(c, "(?=%s)(?!%s)" HIGH "|(?!%s)(?=%s)" HIGH, x, y, x, y));
}

void wk_rg_set_combine(struct wk_cmd *c, struct wk_rg_set *a, struct wk_rg_set *b, char op)
{
    for (int i = 0; i < 2; i++)
        a->ascii[i] = op == '|'   ? a->ascii[i] | b->ascii[i]
                      : op == '&' ? a->ascii[i] & b->ascii[i]
                      : op == '-' ? a->ascii[i] & ~b->ascii[i]
                                  : a->ascii[i] ^ b->ascii[i];
    a->bytes = a->bytes || b->bytes;
    a->too_big = a->too_big || b->too_big;
    if (op == '|') {
        join(c, a, b);
    } else if (a->opaque || b->opaque) {
        combine_opaque(c, a, b, op);
    } else if (op == '&') {
        intersect(c, a, b);
    } else { /* a without b, and for '~' what is in b alone, too */
        struct wk_rg_set was = copy(c, a), only = copy(c, b);
        uint32_t last = a->bytes ? 0xff : LAST;
        complement(c, &only, last);
        intersect(c, a, &only);
        if (op == '~') {
            complement(c, &was, last);
            intersect(c, b, &was);
            join(c, a, b);
        }
    }
}

/* ---- writing -----------------------------------------------------------------------------------------------------
 */

/* Inside of a bracket expression of POSIX some characters have places of their own. */
static void put_ere(const struct wk_rg_set *s, struct wk_buf *out)
{
    uint64_t plain[2] = {s->ascii[0], s->ascii[1]};
    bool close = wk_rg_set_has(s, ']'), open = wk_rg_set_has(s, '['), hat = wk_rg_set_has(s, '^'),
         dash = wk_rg_set_has(s, '-');
    uint32_t lo, hi, at = 0;
    char ch[6];
    for (const char *p = "][^-"; *p; p++)
        plain[*p / 64] &= ~(UINT64_C(1) << *p % 64);
    bool any = plain[0] || plain[1] || s->n || s->opaque || close || open;
    if (!any && hat && !dash) {
        wk_buf_put_c(out, "\\^");
        return;
    }
    wk_buf_putc(out, '[');
    if (close)
        wk_buf_putc(out, ']');
    if (!any && hat) /* with the dash alone */
        wk_buf_putc(out, '-');
    while (next_run(plain, &at, &lo, &hi)) {
        wk_buf_putc(out, (char)lo);
        if (hi > lo + 1)
            wk_buf_putc(out, '-');
        if (hi > lo)
            wk_buf_putc(out, (char)hi);
    }
    if (s->opaque)
        wk_buf_put_c(out, "\xc2\x80-\xf4\x8f\xbf\xbf");
    for (size_t i = 0; i < s->n && !s->opaque; i++) {
        wk_buf_put(out, ch, wk_utf8_put(ch, s->hi[i].lo));
        wk_buf_putc(out, '-');
        wk_buf_put(out, ch, wk_utf8_put(ch, s->hi[i].hi));
    }
    if (open)
        wk_buf_put_c(out, "[-[");
    if (hat)
        wk_buf_putc(out, '^');
    if (dash && (any || !hat))
        wk_buf_putc(out, '-');
    wk_buf_putc(out, ']');
}

static void put_ascii(const struct wk_rg_set *s, struct wk_buf *out)
{
    uint32_t lo, hi, at = 0;
    while (next_run(s->ascii, &at, &lo, &hi))
        put_range(out, lo, hi);
}

bool wk_rg_set_put(struct wk_cmd *c, const struct wk_rg_set *s, enum wk_rg_form form, struct wk_buf *out)
{
    bool ascii = s->ascii[0] || s->ascii[1], high = s->n || s->also_n;
    if (form == WK_RG_FORM_SCAN)
        return ascii || high;
    if (form == WK_RG_FORM_ERE) {
        if (ascii || high)
            put_ere(s, out);
        return ascii || high;
    }
    if ((form == WK_RG_FORM_ASCII || !high) && !ascii) {
        wk_buf_put_c(out, "(?!)");
        return true;
    }
    if (form == WK_RG_FORM_ASCII || !high || (form == WK_RG_FORM_BYTES && s->bytes) ||
        (form == WK_RG_FORM_UTF && !s->also_n)) {
        wk_buf_putc(out, '[');
        put_ascii(s, out);
        for (size_t i = 0; i < s->n && form != WK_RG_FORM_ASCII; i++)
            put_range(out, s->hi[i].lo, s->hi[i].hi);
        wk_buf_putc(out, ']');
        return true;
    }
    wk_buf_put_c(out, "(?:");
    if (ascii) {
        wk_buf_putc(out, '[');
        put_ascii(s, out);
        wk_buf_put_c(out, "]|");
    }
    if (form == WK_RG_FORM_UTF)
        wk_buf_put_c(out, high_text(c, s));
    else /* any character past ASCII */
        wk_buf_put_c(out, "(?:[\\xc2-\\xdf]|[\\xe0-\\xef][\\x80-\\xbf]|[\\xf0-\\xf4][\\x80-\\xbf]{2})[\\x80-\\xbf]");
    wk_buf_putc(out, ')');
    return true;
}
