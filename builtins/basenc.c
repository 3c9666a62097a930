/* basenc.c - encode and decode with the alphabet of one's choice
 *
 * Standard: GNU coreutils 9.1. Oracle: basenc.
 * Differs:  docs/divergences/base32.md
 */
#include "builtins/base64.h"
#include "builtins/fsops.h"

enum scheme { NONE, BASE64, BASE64URL, BASE32, BASE32HEX, BASE16, BASE2MSBF, BASE2LSBF, Z85 };

struct basenc_opts {
    bool decode, ignore;
    int scheme;
    const char *wrap;
};

#define OPTS struct basenc_opts

static int set_wrap(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct wk_coder s = {.c = c};
    wk_coder_take_wrap(&s, arg);
    ((OPTS *)c->opts)->wrap = arg;
    return 0;
}

static const struct wk_opt basenc_options[] = {
    WK_SET(OPTS, scheme, BASE64, 0, "base64", "same as 'base64' program (RFC4648 section 4)"),
    WK_SET(OPTS, scheme, BASE64URL, 0, "base64url", "file- and url-safe base64 (RFC4648 section 5)"),
    WK_SET(OPTS, scheme, BASE32, 0, "base32", "same as 'base32' program (RFC4648 section 6)"),
    WK_SET(OPTS, scheme, BASE32HEX, 0, "base32hex", "extended hex alphabet base32 (RFC4648 section 7)"),
    WK_SET(OPTS, scheme, BASE16, 0, "base16", "hex encoding (RFC4648 section 8)"),
    WK_SET(OPTS, scheme, BASE2MSBF, 0, "base2msbf", "bits, the most significant first"),
    WK_SET(OPTS, scheme, BASE2LSBF, 0, "base2lsbf", "bits, the least significant first"),
    WK_FLAG(OPTS, decode, 'd', "decode", "decode data"),
    WK_FLAG(OPTS, ignore, 'i', "ignore-garbage", "when decoding, ignore non-alphabet characters"),
    WK_FUNC_OPT(set_wrap, 0, 'w', "wrap", "COLS",
               "wrap encoded lines after COLS character (default 76).\nUse 0 to disable line wrapping"),
    WK_SET(OPTS, scheme, Z85, 0, "z85", "five characters for four bytes (ZeroMQ spec:32/Z85)"),
    WK_OPTS_END,
};

static const struct alphabet {
    const char *characters;
    unsigned bits, group;
} alphabets[] = {
    [BASE64] = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, 4},
    [BASE64URL] = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6, 4},
    [BASE32] = {"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8},
    [BASE32HEX] = {"0123456789ABCDEFGHIJKLMNOPQRSTUV", 5, 8},
    [BASE16] = {"0123456789ABCDEF", 4, 2},
    [BASE2MSBF] = {"01", 1, 8},
    [BASE2LSBF] = {"01", 1, 8},
    [Z85] = {"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#", 0, 5},
};

static WK_NORETURN void invalid(struct wk_cmd *c)
{
    wk_fail(c, 1, "invalid input");
}

static void end_lines(struct wk_coder *s)
{
    if (s->wrap && s->column)
        wk_out_char(s->c->out, '\n');
}

/* ---- base64url: a character of the other alphabet spoils the piece it is in -------------------------- */

static void decode_url(struct wk_coder *s, struct wk_in *in)
{
    enum { PIECE = 5600 };
    char *p = (char *)wk_heap_alloc(s->c->heap, PIECE);
    size_t n;
    while ((n = wk_in_read(in, p, PIECE)) > 0) {
        if (!s->ignore && (memchr(p, '+', n) || memchr(p, '/', n)))
            invalid(s->c);
        wk_coder_decode_piece(s, p, n);
    }
    wk_coder_decode_end(s);
}

/* ---- base2lsbf --------------------------------------------------------------------------------------- */

static void encode_lsbf(struct wk_coder *s, struct wk_in *in)
{
    const char *p;
    size_t n;
    while (wk_in_chunk(in, &p, &n)) {
        for (size_t i = 0; i < n; i++) {
            char text[8];
            for (unsigned bit = 0; bit < 8; bit++)
                text[bit] = (unsigned char)p[i] >> bit & 1 ? '1' : '0';
            wk_coder_put(s, text, sizeof text);
        }
        wk_tick(s->c, (uint32_t)(n / 8 & 0xffffff) + 1);
    }
    end_lines(s);
}

static void decode_lsbf(struct wk_coder *s, struct wk_in *in)
{
    const char *p;
    size_t n;
    unsigned byte = 0, bits = 0;
    while (wk_in_chunk(in, &p, &n)) {
        for (size_t i = 0; i < n; i++) {
            unsigned v = s->value[(unsigned char)p[i]];
            if (p[i] == '\n' || (v > 1 && s->ignore && p[i] != '='))
                continue;
            if (v > 1)
                invalid(s->c);
            byte |= v << bits;
            if (++bits == 8) {
                wk_out_char(s->c->out, (char)byte);
                byte = bits = 0;
            }
        }
        wk_tick(s->c, (uint32_t)(n / 16 & 0xffffff) + 1);
    }
    if (bits)
        invalid(s->c);
}

/* ---- z85: four bytes are a number of five digits to the base 85 ---------------------------------------- */

enum { Z85_BASE = 85, Z85_BYTES = 4, Z85_DIGITS = 5, Z85_PIECE = 30720 };

static void encode_z85(struct wk_coder *s, struct wk_in *in)
{
    char *p = (char *)wk_heap_alloc(s->c->heap, Z85_PIECE);
    size_t n;
    while ((n = wk_in_read(in, p, Z85_PIECE)) > 0) {
        if (n % Z85_BYTES)
            wk_fail(s->c, 1, "invalid input (length must be multiple of 4 characters)");
        for (size_t i = 0; i < n; i += Z85_BYTES) {
            char text[Z85_DIGITS];
            uint32_t v = 0;
            for (unsigned k = 0; k < Z85_BYTES; k++)
                v = v << 8 | (unsigned char)p[i + k];
            for (unsigned k = Z85_DIGITS; k-- > 0; v /= Z85_BASE)
                text[k] = s->alphabet[v % Z85_BASE];
            wk_coder_put(s, text, sizeof text);
        }
        wk_tick(s->c, Z85_PIECE / 16);
    }
    end_lines(s);
}

static void decode_z85(struct wk_coder *s, struct wk_in *in)
{
    const char *p;
    size_t n;
    uint64_t v = 0;
    unsigned digits = 0;
    while (wk_in_chunk(in, &p, &n)) {
        for (size_t i = 0; i < n; i++) {
            unsigned digit = s->value[(unsigned char)p[i]];
            if (p[i] == '\n' || (digit >= Z85_BASE && s->ignore))
                continue;
            if (digit >= Z85_BASE)
                invalid(s->c);
            v = v * Z85_BASE + digit;
            if (++digits < Z85_DIGITS)
                continue;
            if (v > UINT32_MAX)
                invalid(s->c);
            char bytes[Z85_BYTES] = {(char)(v >> 24), (char)(v >> 16 & 255), (char)(v >> 8 & 255), (char)(v & 255)};
            wk_out_put(s->c->out, bytes, sizeof bytes);
            v = digits = 0;
        }
        wk_tick(s->c, (uint32_t)(n / 16 & 0xffffff) + 1);
    }
    if (digits)
        invalid(s->c);
}

/* ---- the command ------------------------------------------------------------------------------------- */

static void decode(struct wk_coder *s, struct wk_in *in, int scheme)
{
    if (scheme == BASE64URL)
        decode_url(s, in);
    else if (scheme == BASE2LSBF)
        decode_lsbf(s, in);
    else if (scheme == Z85)
        decode_z85(s, in);
    else
        wk_coder_decode(s, in);
}

static void encode(struct wk_coder *s, struct wk_in *in, int scheme)
{
    if (scheme == BASE2LSBF)
        encode_lsbf(s, in);
    else if (scheme == Z85)
        encode_z85(s, in);
    else
        wk_coder_encode(s, in);
}

static int basenc_main(struct wk_cmd *c)
{
    const struct basenc_opts *o = (const struct basenc_opts *)c->opts;
    struct wk_coder *s = wk_new(c, struct wk_coder);
    s->c = c;
    wk_coder_take_wrap(s, o->wrap);
    if (o->scheme == NONE)
        wk_usage(c, "missing encoding type");
    if (c->nargs > 1)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[1]));
    const struct alphabet *a = &alphabets[o->scheme];
    s->alphabet = a->characters;
    s->bits = a->bits;
    s->group = a->group;
    s->ignore = o->ignore;
    wk_coder_learn(s);
    if (o->scheme == BASE32HEX && !o->ignore)
        for (unsigned ch = 'W'; ch <= 'Z'; ch++) /* taken as base32 means them */
            s->value[ch] = (unsigned char)(ch - 'A');
    struct wk_in *in = wk_coder_open(c);
    if (o->decode)
        decode(s, in, o->scheme);
    else
        encode(s, in, o->scheme);
    return c->status;
}

WK_COMMAND(basenc, .summary = "encode or decode FILE, or standard input, to standard output",
           .usage = "basenc [OPTION]... [FILE]", .std = "coreutils 9.1", .opts = basenc_options,
           .opts_size = sizeof(struct basenc_opts),
           .help = "With no FILE, or when FILE is -, read standard input.\n\n"
                   "z85 encodes lengths that are multiples of 4, and decodes multiples of 5.",
           .flags = WK_CMD_FILTER);
