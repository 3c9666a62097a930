/* digest.c - the digests that commands know by name */
#include "builtins/digest.h"

#include "base/num.h"

struct hash {
    enum wk_digest_kind kind;
    union {
        struct wk_md md;
        struct wk_sha2 sha2;
        struct wk_blake2b blake2b;
        struct wk_sm3 sm3;
    } u;
};

static const struct {
    const char *tag;
    size_t bytes;
} rows[WK_DIGEST_COUNT] = {
    [WK_DIGEST_MD5] = {"MD5", 16},         [WK_DIGEST_SHA1] = {"SHA1", 20},
    [WK_DIGEST_SHA224] = {"SHA224", 28},   [WK_DIGEST_SHA256] = {"SHA256", 32},
    [WK_DIGEST_SHA384] = {"SHA384", 48},   [WK_DIGEST_SHA512] = {"SHA512", 64},
    [WK_DIGEST_BLAKE2B] = {"BLAKE2b", 64}, [WK_DIGEST_SM3] = {"SM3", 32},
};

const char *wk_digest_tag(enum wk_digest_kind kind)
{
    return rows[kind].tag;
}

size_t wk_digest_size(enum wk_digest_kind kind)
{
    return rows[kind].bytes;
}

size_t wk_digest_length(struct wk_cmd *c, const char *arg)
{
    uint64_t bits;
    int r = wk_parse_u64(wk_str_c(arg), 10, &bits);
    if (r == 0 && bits % 8 == 0 && bits <= 8 * WK_BLAKE2B_MAX)
        return (size_t)bits / 8;
    wk_msg(c, "invalid length: %s", wk_quote_arg(c, arg));
    if (r == 0 && bits > 8 * WK_BLAKE2B_MAX)
        wk_fail(c, 1, "maximum digest length for %s is %d bits", wk_quote_arg(c, "BLAKE2b"), 8 * WK_BLAKE2B_MAX);
    if (r == 0)
        wk_fail(c, 1, "length is not a multiple of 8");
    wk_exit(c, 1);
}

static void hash_init(struct hash *h, enum wk_digest_kind kind, size_t size)
{
    static const enum wk_sha2_kind kinds[] = {[WK_DIGEST_SHA224] = WK_SHA224,
                                              [WK_DIGEST_SHA256] = WK_SHA256,
                                              [WK_DIGEST_SHA384] = WK_SHA384,
                                              [WK_DIGEST_SHA512] = WK_SHA512};
    h->kind = kind;
    if (kind == WK_DIGEST_MD5)
        wk_md5_init(&h->u.md);
    else if (kind == WK_DIGEST_SHA1)
        wk_sha1_init(&h->u.md);
    else if (kind == WK_DIGEST_BLAKE2B)
        wk_blake2b_init(&h->u.blake2b, size);
    else if (kind == WK_DIGEST_SM3)
        wk_sm3_init(&h->u.sm3);
    else
        wk_sha2_init(&h->u.sha2, kinds[kind]);
}

static void hash_add(struct hash *h, const void *p, size_t n)
{
    if (h->kind <= WK_DIGEST_SHA1)
        wk_md_add(&h->u.md, p, n);
    else if (h->kind == WK_DIGEST_BLAKE2B)
        wk_blake2b_add(&h->u.blake2b, p, n);
    else if (h->kind == WK_DIGEST_SM3)
        wk_sm3_add(&h->u.sm3, p, n);
    else
        wk_sha2_add(&h->u.sha2, p, n);
}

static size_t hash_finish(struct hash *h, unsigned char out[WK_DIGEST_MAX])
{
    if (h->kind <= WK_DIGEST_SHA1)
        return wk_md_finish(&h->u.md, out);
    if (h->kind == WK_DIGEST_BLAKE2B)
        return wk_blake2b_finish(&h->u.blake2b, out);
    if (h->kind == WK_DIGEST_SM3)
        return wk_sm3_finish(&h->u.sm3, out);
    return wk_sha2_finish(&h->u.sha2, out);
}

bool wk_digest_input(struct wk_cmd *c, enum wk_digest_kind kind, size_t size, struct wk_in *in,
                     char hex[WK_DIGEST_HEX])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char raw[WK_DIGEST_MAX];
    struct hash h;
    const char *p;
    size_t n;
    hash_init(&h, kind, size);
    while (wk_in_chunk(in, &p, &n)) {
        hash_add(&h, p, n);
        wk_tick(c, (uint32_t)(n / 16 & 0xffffff) + 1);
    }
    n = hash_finish(&h, raw);
    for (size_t i = 0; i < n; i++) {
        hex[2 * i] = digits[raw[i] >> 4];
        hex[2 * i + 1] = digits[raw[i] & 15];
    }
    hex[2 * n] = '\0';
    return !in->err;
}

static void put_name(struct wk_out *o, const char *name, bool escape)
{
    for (; *name; name++) {
        if (escape && *name == '\n')
            wk_out_c(o, "\\n");
        else if (escape && *name == '\r')
            wk_out_c(o, "\\r");
        else if (escape && *name == '\\')
            wk_out_c(o, "\\\\");
        else
            wk_out_char(o, *name);
    }
}

void wk_digest_put(struct wk_cmd *c, enum wk_digest_kind kind, const char *hex, const char *name,
                   char mark, bool zero)
{
    struct wk_out *o = c->out;
    bool escape = !zero && strpbrk(name, "\\\n\r");
    if (escape)
        wk_out_char(o, '\\');
    if (mark) {
        wk_out_fmt(o, "%s %c", hex, mark);
        put_name(o, name, escape);
    } else {
        wk_out_c(o, rows[kind].tag);
        if (strlen(hex) < 2 * rows[kind].bytes)
            wk_out_fmt(o, "-%zu", strlen(hex) * 4);
        wk_out_c(o, " (");
        put_name(o, name, escape);
        wk_out_fmt(o, ") = %s", hex);
    }
    wk_out_char(o, zero ? '\0' : '\n');
}
