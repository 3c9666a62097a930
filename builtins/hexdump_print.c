/* hexdump_print.c - hexdump: a block of input in all its formats */
#include "builtins/hexdump.h"

#include "base/fnum.h"

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t load(const unsigned char *p, size_t n)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (n) {
    case 1:
        memcpy(&one, p, 1);
        return one;
    case 2:
        memcpy(&two, p, 2);
        return two;
    case 4:
        memcpy(&four, p, 4);
        return four;
    default:
        memcpy(&eight, p, 8);
        return eight;
    }
}

static void blanks(struct wk_out *o, size_t n, char ch)
{
    while (n--)
        wk_out_char(o, ch);
}

/* Text in the width of a field. */
static void put_text(struct wk_out *o, const struct hexdump_field *f, const char *p, size_t n)
{
    size_t pad = (size_t)f->width > n ? (size_t)f->width - n : 0;
    if (!f->minus)
        blanks(o, pad, ' ');
    wk_out_put(o, p, n);
    if (f->minus)
        blanks(o, pad, ' ');
}

/* A number as printf's directive says. */
static void put_number(struct wk_out *o, const struct hexdump_field *f, char conv, uint64_t v,
                       const char *sign)
{
    char digits[24];
    size_t i = sizeof digits;
    const char *letters = conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    unsigned shift = conv == 'o' ? 3 : conv == 'x' || conv == 'X' ? 4 : 0;
    bool zero = v == 0;
    while (v && shift) {
        digits[--i] = letters[v & ((1u << shift) - 1)];
        v >>= shift;
    }
    for (; v; v /= 10)
        digits[--i] = (char)('0' + v % 10);
    if (zero && f->precision != 0)
        digits[--i] = '0';
    size_t n = sizeof digits - i, least = f->precision > 0 ? (size_t)f->precision : 0;
    if (f->alt && shift == 3 && least <= n && (n == 0 || digits[i] != '0'))
        least = n + 1;
    if (f->alt && shift == 4 && !zero)
        sign = conv == 'X' ? "0X" : "0x";
    size_t nsign = strlen(sign), total = WK_MAX(n, least) + nsign;
    size_t pad = (size_t)f->width > total ? (size_t)f->width - total : 0;
    bool fill = f->zero && !f->minus && f->precision < 0;
    if (!f->minus && !fill)
        blanks(o, pad, ' ');
    wk_out_put(o, sign, nsign);
    if (fill)
        blanks(o, pad, '0');
    blanks(o, least > n ? least - n : 0, '0');
    wk_out_put(o, digits + i, n);
    if (f->minus)
        blanks(o, pad, ' ');
}

static void put_signed(struct wk_out *o, const struct hexdump_field *f, uint64_t v, size_t bytes)
{
    uint64_t top = (uint64_t)1 << (bytes * 8 - 1);
    bool negative = v & top;
    if (negative && bytes < 8)
        v |= ~((top << 1) - 1);
    put_number(o, f, 'd', negative ? 0 - v : v,
               negative ? "-" : f->plus ? "+" : f->space ? " " : "");
}

static void put_float(struct wk_cmd *c, const struct hexdump_field *f, const unsigned char *p)
{
    struct wk_fnum how = {.conv = f->conv, .width = (size_t)f->width, .precision = f->precision};
    float single;
    double v;
    struct wk_buf b;
    if (f->bytes == 4) {
        memcpy(&single, p, 4);
        v = (double)single;
    } else {
        memcpy(&v, p, 8);
    }
    how.flags = (f->minus ? WK_FNUM_MINUS : 0u) | (f->plus ? WK_FNUM_PLUS : 0u) |
                (f->space ? WK_FNUM_SPACE : 0u) | (f->zero ? WK_FNUM_ZERO : 0u) |
                (f->alt ? WK_FNUM_ALT : 0u);
    wk_buf_init(&b, wk_heap_mem(c->heap), SIZE_MAX / 2);
    (void)wk_buf_put_double(&b, v, &how);
    size_t n = b.n;
    char *text = wk_keep(c, &b);
    wk_out_put(c->out, text, n);
    wk_heap_free(c->heap, text);
}

/* ---- characters ------------------------------------------------------------------------------ */

static bool is_plain(unsigned char ch)
{
    return ch >= 0x20 && ch < 0x7f;
}

/* What a precision leaves of text that is no single character. */
static size_t shortened(const struct hexdump_field *f, size_t n)
{
    return f->precision >= 0 ? WK_MIN(n, (size_t)f->precision) : n;
}

static void put_char(struct wk_out *o, const struct hexdump_field *f, unsigned char ch)
{
    static const char from[] = "\a\b\f\n\r\t\v", to[] = "abfnrtv";
    const char *at = ch ? strchr(from, ch) : NULL;
    char text[3] = {(char)('0' + (ch >> 6)), (char)('0' + (ch >> 3 & 7)), (char)('0' + (ch & 7))};
    size_t n = 3;
    if (at || !ch) {
        text[0] = '\\';
        text[1] = at ? to[at - from] : '0';
        n = 2;
    } else if (is_plain(ch)) {
        text[0] = (char)ch;
        n = 1;
    }
    put_text(o, f, text, is_plain(ch) ? n : shortened(f, n));
}

static void put_name(struct wk_out *o, const struct hexdump_field *f, unsigned char ch)
{
    static const char names[][4] = {"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel",
                                    "bs",  "ht",  "lf",  "vt",  "ff",  "cr",  "so",  "si",
                                    "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb",
                                    "can", "em",  "sub", "esc", "fs",  "gs",  "rs",  "us"};
    if (ch < 0x20)
        put_text(o, f, names[ch], shortened(f, strlen(names[ch])));
    else if (ch == 0x7f)
        put_text(o, f, "del", shortened(f, 3));
    else if (is_plain(ch))
        put_text(o, f, (const char *)&ch, 1);
    else
        put_number(o, f, 'x', ch, "");
}

static void put_string(struct wk_out *o, const struct hexdump_field *f, const unsigned char *p)
{
    const unsigned char *end = f->bytes ? memchr(p, 0, f->bytes) : NULL;
    size_t n = end ? (size_t)(end - p) : f->bytes;
    put_text(o, f, (const char *)p, shortened(f, n));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void put_value(struct wk_cmd *c, const struct hexdump_field *f, const unsigned char *p,
                      uint64_t address)
{
    struct wk_out *o = c->out;
    unsigned char shown;
    switch (f->kind) {
    case HEXDUMP_TEXT:
        return;
    case HEXDUMP_ADDRESS:
        if (f->conv == 'd')
            put_signed(o, f, address, 8);
        else
            put_number(o, f, f->conv, address, "");
        return;
    case HEXDUMP_SIGNED:
        put_signed(o, f, load(p, f->bytes), f->bytes);
        return;
    case HEXDUMP_UNSIGNED:
        put_number(o, f, f->conv, load(p, f->bytes), "");
        return;
    case HEXDUMP_FLOAT:
        put_float(c, f, p);
        return;
    case HEXDUMP_BYTE:
        put_text(o, f, (const char *)p, 1);
        return;
    case HEXDUMP_STRING:
        put_string(o, f, p);
        return;
    case HEXDUMP_CHAR:
        put_char(o, f, *p);
        return;
    case HEXDUMP_PRINT:
        shown = is_plain(*p) ? *p : '.';
        put_text(o, f, (const char *)&shown, 1);
        return;
    case HEXDUMP_NAME:
        put_name(o, f, *p);
        return;
    }
}

/* Without a value (p NULL) there are blanks in its place. */
static void put_field(struct wk_cmd *c, const struct hexdump_field *f, const unsigned char *p,
                      uint64_t address, bool trim)
{
    struct wk_str before = f->before, after = f->after;
    if (trim && f->kind == HEXDUMP_TEXT)
        before.n--;
    else if (trim)
        after.n--;
    wk_out_str(c->out, before);
    if (p)
        put_value(c, f, p, address);
    else if (f->kind != HEXDUMP_TEXT)
        blanks(c->out, (size_t)f->width, ' ');
    wk_out_str(c->out, after);
}

void wk_hexdump_block(struct wk_cmd *c, const struct hexdump_formats *all, const unsigned char *p,
                      size_t have, uint64_t address)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct hexdump_format *f = &all->v[i];
        size_t at = 0;
        for (size_t k = 0; k < f->nunits && !f->units[k].ends; k++) {
            const struct hexdump_unit *u = &f->units[k];
            wk_tick(c, (uint32_t)(u->times / 16) + 1);
            for (size_t times = u->times; times; times--)
                for (size_t n = 0; n < u->nfields; n++) {
                    const struct hexdump_field *field = &u->fields[n];
                    bool trim = u->trims && times == 1 && n + 1 == u->nfields;
                    put_field(c, field, at < have ? p + at : NULL, address + at, trim);
                    at += field->bytes;
                }
        }
    }
}

void wk_hexdump_end(struct wk_cmd *c, const struct hexdump_formats *all, uint64_t address)
{
    for (size_t n = 0; all->end && n < all->end->nfields; n++) {
        const struct hexdump_field *f = &all->end->fields[n];
        if (f->kind == HEXDUMP_ADDRESS || f->kind == HEXDUMP_TEXT)
            put_field(c, f, (const unsigned char *)"", address, false);
    }
}
