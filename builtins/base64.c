/* base64.c - base64 and base32: bytes as printable text and back
 *
 * Standard: GNU coreutils 9.1. Oracle: base64, base32.
 */
#include "builtins/base64.h"

#include "base/num.h"
#include "builtins/fsops.h"

struct base_opts {
    bool decode, ignore;
    const char *wrap;
};

/* What is wrong is told where it stands. */
static int set_wrap(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct wk_coder s = {.c = c};
    wk_coder_take_wrap(&s, arg);
    ((struct base_opts *)c->opts)->wrap = arg;
    return 0;
}

static const struct wk_opt base_options[] = {
    WK_FLAG(struct base_opts, decode, 'd', "decode", "decode data"),
    WK_FLAG(struct base_opts, ignore, 'i', "ignore-garbage",
            "when decoding, ignore non-alphabet characters"),
    WK_FUNC_OPT(
        set_wrap, 0, 'w', "wrap", "COLS",
        "wrap encoded lines after COLS character (default 76).\nUse 0 to disable line wrapping"),
    WK_OPTS_END,
};

static const char alphabet64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char alphabet32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

void wk_coder_put(struct wk_coder *s, const char *p, size_t n)
{
    while (s->wrap && n > s->wrap - s->column) {
        size_t part = (size_t)(s->wrap - s->column);
        wk_out_put(s->c->out, p, part);
        wk_out_char(s->c->out, '\n');
        p += part;
        n -= part;
        s->column = 0;
    }
    wk_out_put(s->c->out, p, n);
    s->column += n;
}

static void put_group(struct wk_coder *s, uint64_t v, unsigned bytes)
{
    char text[8];
    unsigned total = s->group * s->bits, have = (bytes * 8 + s->bits - 1) / s->bits;
    v <<= total - bytes * 8;
    for (unsigned i = 0; i < s->group; i++)
        text[i] =
            i < have ? s->alphabet[v >> (total - (i + 1) * s->bits) & ((1u << s->bits) - 1)] : '=';
    wk_coder_put(s, text, s->group);
}

/* Both characters of every twelve bits of base64. */
static void make_pairs(struct wk_coder *s)
{
    char *p = (char *)wk_heap_alloc(s->c->heap, 2 * 4096);
    s->pairs = p;
    for (unsigned v = 0; v < 4096; v++) {
        *p++ = s->alphabet[v >> 6];
        *p++ = s->alphabet[v & 63];
    }
}

/* Whole groups from p, as many as a piece of output holds; the bytes used. */
static size_t put_groups(struct wk_coder *s, const char *p, size_t n)
{
    enum { PIECE = 2048 };
    enum { MANY = 4096 }; /* bytes at once that are worth a table */
    if (!s->pairs && s->bits == 6 && n >= MANY)
        make_pairs(s);
    const unsigned whole = s->group * s->bits / 8, mask = (1u << s->bits) - 1;
    char text[PIECE];
    size_t groups = WK_MIN(n / whole, (size_t)PIECE / s->group), at = 0;
    for (size_t i = 0; i < groups; i++, p += whole) {
        uint64_t v = 0;
        for (unsigned k = 0; k < whole; k++)
            v = v << 8 | (unsigned char)p[k];
        if (s->pairs) {
            memcpy(text + at, s->pairs + (v >> 12) * 2, 2);
            memcpy(text + at + 2, s->pairs + (v & 4095) * 2, 2);
            at += 4;
            continue;
        }
        for (unsigned shift = whole * 8; shift > 0;) {
            shift -= s->bits;
            text[at++] = s->alphabet[v >> shift & mask];
        }
    }
    wk_coder_put(s, text, at);
    return groups * whole;
}

void wk_coder_encode(struct wk_coder *s, struct wk_in *in)
{
    const unsigned whole = s->group * s->bits / 8;
    const char *p;
    size_t n;
    while (wk_in_chunk(in, &p, &n)) {
        for (size_t i = 0; i < n; i++) {
            if (s->n == 0 && n - i >= whole) {
                i += put_groups(s, p + i, n - i) - 1;
                continue;
            }
            s->held = s->held << 8 | (unsigned char)p[i];
            if (++s->n == whole) {
                put_group(s, s->held, whole);
                s->held = s->n = 0;
            }
        }
        wk_tick(s->c, (uint32_t)(n / 16 & 0xffffff) + 1);
    }
    if (s->n)
        put_group(s, s->held, s->n);
    if (s->wrap && s->column)
        wk_out_char(s->c->out, '\n');
}

/* Padding may start where the characters so far hold whole bytes and less than one character more.
 */
static bool may_pad(const struct wk_coder *s)
{
    return s->n >= 2 && s->n * s->bits % 8 < s->bits;
}

static bool decode_char(struct wk_coder *s, unsigned char ch)
{
    unsigned v = s->value[ch];
    if (ch == '=') {
        if (!s->pads && !may_pad(s))
            return false;
        s->pads++;
    } else {
        if (v == 255 || s->pads)
            return false;
        unsigned before = s->n * s->bits / 8;
        s->n++;
        s->held = s->held << s->bits | v;
        if (s->n * s->bits / 8 > before)
            s->out[s->n_out++] = (char)(s->held >> (s->n * s->bits % 8) & 255);
    }
    /* base32 gives nothing of a group that is cut short, base64 what it holds. */
    if (s->group == 4 || s->n + s->pads == s->group) {
        wk_out_put(s->c->out, s->out, s->n_out);
        s->n_out = 0;
    }
    if (s->n + s->pads == s->group)
        s->held = s->n = s->pads = 0;
    return true;
}

/* Whole groups of base64 without padding at p, as many as a piece of output holds; the bytes used.
 */
static size_t get_groups(struct wk_coder *s, const char *p, size_t n)
{
    enum { PIECE = 3072 };
    char out[PIECE];
    size_t i = 0, at = 0;
    for (; n - i >= 4 && at + 3 <= PIECE; i += 4, at += 3) {
        const unsigned char *q = (const unsigned char *)p + i;
        unsigned a = s->value[q[0]], b = s->value[q[1]], c = s->value[q[2]], d = s->value[q[3]];
        if ((a | b | c | d) > 63)
            break;
        uint32_t v = a << 18 | b << 12 | c << 6 | d;
        out[at] = (char)(v >> 16);
        out[at + 1] = (char)(v >> 8 & 255);
        out[at + 2] = (char)(v & 255);
    }
    wk_out_put(s->c->out, out, at);
    return i;
}

/* A wrong character, with what follows it. What a group of base32 holds in front of it is given when the group
 * has all of its characters. */
static WK_NORETURN void refuse(struct wk_coder *s, const char *p, size_t n)
{
    size_t have = s->n + s->pads;
    for (size_t i = 0; i < n && have < s->group; i++)
        have += p[i] != '\n' && !(s->ignore && p[i] != '=' && s->value[(unsigned char)p[i]] == 255);
    if (have == s->group)
        wk_out_put(s->c->out, s->out, s->n_out);
    wk_fail(s->c, 1, "invalid input");
}

void wk_coder_decode_piece(struct wk_coder *s, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s->bits == 6 && s->n == 0 && !s->pads) {
            i += get_groups(s, p + i, n - i);
            if (i == n)
                break;
        }
        unsigned char ch = (unsigned char)p[i];
        if (ch == '\n' || (s->ignore && ch != '=' && s->value[ch] == 255))
            continue;
        if (!decode_char(s, ch))
            refuse(s, p + i, n - i);
    }
    wk_tick(s->c, (uint32_t)(n / 16 & 0xffffff) + 1);
}

void wk_coder_decode_end(struct wk_coder *s)
{
    if (s->n + s->pads)
        wk_fail(s->c, 1, "invalid input");
}

void wk_coder_decode(struct wk_coder *s, struct wk_in *in)
{
    const char *p;
    size_t n;
    while (wk_in_chunk(in, &p, &n))
        wk_coder_decode_piece(s, p, n);
    wk_coder_decode_end(s);
}

struct wk_in *wk_coder_open(struct wk_cmd *c)
{
    struct wk_stat st;
    if (c->nargs > 1)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[1]));
    struct wk_in *in = c->nargs ? wk_in_open(c, c->args[0], true) : c->in;
    if (!in)
        wk_exit(c, 1);
    if (!in->file)
        wk_fail(c, 1, "read error: %s", wk_err_text(WK_EBADF));
    if (wk_file_stat(in->file, &st) >= 0 && WK_S_ISDIR(st.mode))
        wk_fail(c, 1, "read error: %s", wk_err_text(WK_EISDIR));
    return in;
}

void wk_coder_take_wrap(struct wk_coder *s, const char *text)
{
    struct wk_cmd *c = s->c;
    s->wrap = 76;
    if (!text)
        return;
    const char *p = text + strspn(text, " \t\n\v\f\r");
    int r = wk_parse_u64(wk_str_c(p), 10, &s->wrap);
    if (r == -WK_EINVAL)
        wk_fail(c, 1, "invalid wrap size: %s", wk_quote_arg(c, text));
    if (r || s->wrap > INT64_MAX)
        s->wrap = 0;
}

void wk_coder_learn(struct wk_coder *s)
{
    memset(s->value, 255, sizeof s->value);
    for (unsigned i = 0; s->alphabet[i]; i++)
        s->value[(unsigned char)s->alphabet[i]] = (unsigned char)i;
}

static int base64_main(struct wk_cmd *c)
{
    const struct base_opts *o = (const struct base_opts *)c->opts;
    bool wide = strcmp(c->command->name, "base64") == 0;
    struct wk_coder *s = wk_new(c, struct wk_coder);
    *s = (struct wk_coder){.c = c,
                        .alphabet = wide ? alphabet64 : alphabet32,
                        .bits = wide ? 6 : 5,
                        .group = wide ? 4 : 8,
                        .ignore = o->ignore};
    wk_coder_take_wrap(s, o->wrap);
    wk_coder_learn(s);
    struct wk_in *in = wk_coder_open(c);
    if (o->decode)
        wk_coder_decode(s, in);
    else
        wk_coder_encode(s, in);
    return c->status;
}

#define base32_main base64_main

WK_COMMAND(base64, .summary = "base64 encode or decode FILE, or standard input, to standard output",
           .usage = "base64 [OPTION]... [FILE]", .std = "coreutils 9.1", .opts = base_options,
           .opts_size = sizeof(struct base_opts),
           .help = "The data are encoded as described for the base64 alphabet in RFC 4648.\n",
           .flags = WK_CMD_FILTER);

WK_COMMAND(base32, .summary = "base32 encode or decode FILE, or standard input, to standard output",
           .usage = "base32 [OPTION]... [FILE]", .std = "coreutils 9.1", .opts = base_options,
           .opts_size = sizeof(struct base_opts),
           .help = "The data are encoded as described for the base32 alphabet in RFC 4648.\n",
           .flags = WK_CMD_FILTER);
