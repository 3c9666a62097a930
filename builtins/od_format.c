/* od_format.c - the formats of od: reading type strings, printing one row */
#include "builtins/od.h"

#include "base/fnum.h"
#include "base/num.h"

/* ---- type strings ---- */

static unsigned field_width(char kind, unsigned size)
{
    unsigned at = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    static const unsigned char octal[] = {3, 6, 11, 22}, sign[] = {4, 6, 11, 20};
    static const unsigned char unsign[] = {3, 5, 10, 20}, hex[] = {2, 4, 8, 16};
    switch (kind) {
    case 'o':
        return octal[at];
    case 'd':
        return sign[at];
    case 'u':
        return unsign[at];
    case 'x':
        return hex[at];
    case 'f':
        return size == 4 ? 15 : size == 8 ? 24 : 29;
    default:
        return 3;
    }
}

/* The size behind the kind at *p; 0 when there is none such. */
static unsigned read_field_size(const char **p, char kind, struct wk_str *text)
{
    static const char letters[] = "CSIL";
    const char *s = *p;
    uint64_t v = 0;
    int err = 0;
    *text = wk_str(s, 0);
    if (kind == 'f') {
        if (*s && strchr("FDL", *s)) {
            ++*p;
            return *s == 'F' ? 4 : *s == 'D' ? 8 : 16;
        }
    } else {
        const char *at = *s ? strchr(letters, *s) : NULL;
        if (at) {
            ++*p;
            return 1u << (at - letters);
        }
    }
    size_t n = wk_is_digit(*s) ? wk_scan_u64(wk_str_c(s), 10, &v, &err) : 0;
    if (n == 0)
        return kind == 'f' ? 8 : 4;
    *p += n;
    if (err) {
        *text = wk_str(NULL, 0);
        return 0;
    }
    *text = wk_str(s, n);
    if (kind == 'f')
        return v == 4 || v == 8 || v == 16 ? (unsigned)v : 0;
    return v == 1 || v == 2 || v == 4 || v == 8 ? (unsigned)v : 0;
}

bool wk_od_add(struct wk_cmd *c, struct wk_od_specs *s, const char *text)
{
    const char *p = text;
    while (*p) {
        struct wk_od_spec f = {.kind = *p, .size = 1};
        struct wk_str size;
        if (!strchr("acdfoux", *p)) {
            wk_msg(c, "invalid character '%c' in type string %s", *p, wk_quote_arg(c, text));
            return false;
        }
        p++;
        if (f.kind != 'a' && f.kind != 'c') {
            f.size = read_field_size(&p, f.kind, &size);
            if (!f.size && !size.p) {
                wk_msg(c, "invalid type string %s", wk_quote_arg(c, text));
                return false;
            }
            if (!f.size) {
                wk_msg(c,
                       "invalid type string %s;\nthis system doesn't provide a %.*s-byte %s type",
                       wk_quote_arg(c, text), (int)(size.n < 40 ? size.n : 40), size.p,
                       f.kind == 'f' ? "floating point" : "integral");
                return false;
            }
        }
        f.trailer = *p == 'z';
        p += f.trailer;
        f.width = field_width(f.kind, f.size);
        if (s->n == s->cap) {
            s->cap = s->cap ? s->cap * 2 : 8;
            s->v = (struct wk_od_spec *)wk_heap_realloc(c->heap, s->v, s->cap * sizeof *s->v);
        }
        s->v[s->n++] = f;
    }
    return true;
}

/* ---- fields ---- */

static void put_right(struct wk_buf *b, const char *text, size_t n, size_t width)
{
    if (n < width)
        wk_buf_fill(b, ' ', width - n);
    wk_buf_put(b, text, n);
}

static uint64_t load(const unsigned char *p, unsigned size, bool swap)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < size; i++)
        v |= (uint64_t)p[i] << 8 * (swap ? size - 1 - i : i);
    return v;
}

static void put_integer(struct wk_buf *b, const struct wk_od_spec *f, uint64_t v, size_t width)
{
    char text[WK_NUM_MAX], zeros[24];
    size_t n, lead = 0;
    if (f->kind == 'd') {
        unsigned shift = 64 - 8 * f->size;
        n = wk_fmt_i64(text, (int64_t)(v << shift) >> shift);
    } else {
        n = wk_fmt_u64(text, v, f->kind == 'o' ? 8 : f->kind == 'x' ? 16 : 10);
    }
    if (f->kind == 'o' || f->kind == 'x')
        lead = f->width - n;
    memset(zeros, '0', sizeof zeros);
    if (n + lead < width)
        wk_buf_fill(b, ' ', width - n - lead);
    wk_buf_put(b, zeros, lead);
    wk_buf_put(b, text, n);
}

/* A denormal long double whose leading bit is set all the same: printf(3) of glibc leaves that bit out, and no number
 * of digits reads back as what is there. */
static bool take_pseudo(long double *v)
{
    unsigned char bytes[sizeof *v];
    memcpy(bytes, v, sizeof bytes);
    if (sizeof bytes < 10 || bytes[8] || (bytes[9] & 0x7f) || !(bytes[7] & 0x80))
        return false;
    bytes[7] &= 0x7f;
    memcpy(v, bytes, sizeof bytes);
    return true;
}

static bool reads_back(struct wk_str text, unsigned size, long double v)
{
    double real = 0;
    long double back = 0;
    int err;
    if (size == 8) {
        wk_scan_double(text, &real, &err);
        return real == (double)v;
    }
    wk_scan_ldouble(text, &back, &err);
    return size == 4 ? (float)back == (float)v : back == v;
}

/* The fewest digits that read back as the same number. */
static void put_float(struct wk_cmd *c, struct wk_buf *b, const struct wk_od_spec *f,
                      const unsigned char *p, size_t width)
{
    const struct {
        int least, most;
        long double normal;
    } by_size[] = {{6, 9, 1.17549435082228750797e-38L},
                   {15, 17, 2.22507385850720138309e-308L},
                   {18, 21, 3.36210314311209350626e-4932L}};
    unsigned at = f->size == 4 ? 0 : f->size == 8 ? 1 : 2;
    float single;
    double real;
    long double v = 0;
    if (at == 0) {
        memcpy(&single, p, 4);
        v = (long double)single;
    } else if (at == 1) {
        memcpy(&real, p, 8);
        v = (long double)real;
    } else {
        memcpy(&v, p, sizeof v < 16 ? sizeof v : 16);
    }
    struct wk_buf t;
    wk_buf_init(&t, wk_heap_mem(c->heap), 4096);
    struct wk_fnum how = {.conv = 'g', .precision = by_size[at].least};
    if (at == 2 && take_pseudo(&v))
        how.precision = by_size[at].most;
    else if ((v < 0 ? -v : v) < by_size[at].normal)
        how.precision = 1;
    for (;; how.precision++) {
        wk_buf_reset(&t);
        wk_buf_put_ldouble(&t, v, &how);
        if (v != v || how.precision >= by_size[at].most || reads_back(wk_buf_str(&t), f->size, v))
            break;
    }
    put_right(b, wk_buf_c(&t), t.n, width);
    wk_buf_release(&t);
}

static void put_char(struct wk_buf *b, unsigned char ch, size_t width)
{
    static const char escapes[] = "\a\b\f\n\r\t\v", letters[] = "abfnrtv";
    char text[4] = {'\\', '0', '\0', '\0'};
    size_t n = 2;
    const char *at = ch ? strchr(escapes, ch) : NULL;
    if (at) {
        text[1] = letters[at - escapes];
    } else if (ch >= 32 && ch < 127) {
        text[0] = (char)ch;
        n = 1;
    } else if (ch) {
        text[0] = (char)('0' + (ch >> 6));
        text[1] = (char)('0' + (ch >> 3 & 7));
        text[2] = (char)('0' + (ch & 7));
        n = 3;
    }
    put_right(b, text, n, width);
}

static void put_named(struct wk_buf *b, unsigned char ch, size_t width)
{
    static const char names[33][4] = {"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs",
                                      "ht",  "nl",  "vt",  "ff",  "cr",  "so",  "si",  "dle", "dc1",
                                      "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em",  "sub",
                                      "esc", "fs",  "gs",  "rs",  "us",  "sp"};
    char one[2] = {(char)(ch & 127), '\0'};
    const char *text = one[0] <= 32 ? names[(size_t)one[0]] : one[0] == 127 ? "del" : one;
    put_right(b, text, strlen(text), width);
}

static void put_trailer(struct wk_buf *b, const unsigned char *p, size_t n)
{
    wk_buf_put_c(b, "  >");
    for (size_t i = 0; i < n; i++)
        wk_buf_putc(b, p[i] >= 32 && p[i] < 127 ? (char)p[i] : '.');
    wk_buf_putc(b, '<');
}

void wk_od_put_row(struct wk_cmd *c, struct wk_buf *b, const struct wk_od_spec *f,
                   const unsigned char *block, size_t n, size_t block_n, bool swap)
{
    size_t fields = block_n / f->size, used = (n + f->size - 1) / f->size;
    size_t left = f->pad; /* columns still to be spread */
    unsigned char turned[16];
    for (size_t i = 0; i < fields; i++) {
        size_t next = (size_t)f->pad * (fields - 1 - i) / fields;
        size_t width = f->width + 1 + (left - next);
        const unsigned char *p = block + i * f->size;
        left = next;
        if (i % 1024 == 1023)
            wk_tick(c, 1024); /* rows may be as wide as memory allows */
        if (i >= used) {
            if (f->trailer)
                wk_buf_fill(b, ' ', width);
            continue;
        }
        switch (f->kind) {
        case 'a':
            put_named(b, *p, width);
            break;
        case 'c':
            put_char(b, *p, width);
            break;
        case 'f':
            for (unsigned k = 0; k < f->size; k++)
                turned[k] = p[swap ? f->size - 1 - k : k];
            put_float(c, b, f, turned, width);
            break;
        default:
            put_integer(b, f, load(p, f->size, swap), width);
        }
    }
    if (f->trailer)
        put_trailer(b, block, n);
}
