/* uuidgen.c - print a new UUID
 *
 * Standard: RFC 4122. Oracle: util-linux 2.38 uuidgen. Differs: docs/divergences/uuidgen.md.
 */
#include "base/md5.h"
#include "kern/cmd.h"

enum kind { K_NONE, K_RANDOM, K_TIME, K_MD5, K_SHA1 };

struct uuidgen_opts {
    int kind;
    bool hex;
    const char *space, *name;
};

struct uuid {
    unsigned char b[16];
};

static const struct wk_opt uuidgen_options[] = {
    WK_SET(struct uuidgen_opts, kind, K_RANDOM, 'r', "random", "of random bits (default)"),
    WK_SET(struct uuidgen_opts, kind, K_TIME, 't', "time", "of the time"),
    WK_STR_OPT(struct uuidgen_opts, space, 'n', "namespace", "NS", "a UUID, or one of @dns @url @oid @x500"),
    WK_STR_OPT(struct uuidgen_opts, name, 'N', "name", "NAME", "what is hashed in the namespace"),
    WK_SET(struct uuidgen_opts, kind, K_MD5, 'm', "md5", "hash with MD5"),
    WK_SET(struct uuidgen_opts, kind, K_SHA1, 's', "sha1", "hash with SHA-1"),
    WK_FLAG(struct uuidgen_opts, hex, 'x', "hex", "NAME is hexadecimal"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "the same as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

static int digit_of(char ch)
{
    return wk_is_digit(ch) ? ch - '0' : wk_is_xdigit((unsigned char)ch) ? (ch | 32) - 'a' + 10 : -1;
}

static bool read_uuid(const char *text, struct uuid *u)
{
    if (strlen(text) != 36)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < 36; i++) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (text[i] != '-')
                return false;
            continue;
        }
        int high = digit_of(text[i]), low = digit_of(text[i + 1]);
        if (high < 0 || low < 0)
            return false;
        u->b[n++] = (unsigned char)(high << 4 | low);
        i++;
    }
    return true;
}

static void mark(struct uuid *u, int version)
{
    u->b[6] = (unsigned char)((u->b[6] & 0x0f) | version << 4);
    u->b[8] = (unsigned char)((u->b[8] & 0x3f) | 0x80);
}

static void fill_random(struct wk_cmd *c, struct uuid *u)
{
    uint64_t bits[2] = {wk_kern_random(c->k), wk_kern_random(c->k)};
    memcpy(u->b, bits, sizeof bits);
}

/* 100 ns since 15 October 1582, a random sequence, and a random node, which RFC 4122 (4.5) marks as no card's. */
static void fill_time(struct wk_cmd *c, struct uuid *u)
{
    uint64_t t = (uint64_t)(wk_cmd_now(c) / 100) + 0x01b21dd213814000u;
    static const int shift[8] = {24, 16, 8, 0, 40, 32, 56, 48};
    fill_random(c, u);
    for (int i = 0; i < 8; i++)
        u->b[i] = (unsigned char)(t >> shift[i]);
    u->b[10] |= 1;
    mark(u, 1);
}

static void read_space(struct wk_cmd *c, const char *text, struct uuid *u)
{
    static const struct {
        const char *name;
        unsigned char last;
    } known[] = {{"@dns", 0x10}, {"@url", 0x11}, {"@oid", 0x12}, {"@x500", 0x14}};
    if (text[0] != '@') {
        if (!read_uuid(text, u))
            wk_usage(c, "invalid uuid for namespace: '%s'", text);
        return;
    }
    (void)read_uuid("6ba7b810-9dad-11d1-80b4-00c04fd430c8", u);
    for (size_t i = 0; i < WK_COUNTOF(known); i++) {
        if (strcmp(text, known[i].name) == 0) {
            u->b[3] = known[i].last;
            return;
        }
    }
    wk_usage(c, "unknown namespace alias: '%s'", text);
}

static struct wk_str read_hex(struct wk_cmd *c, struct wk_str s)
{
    char *out = wk_dupn(c, s.p, s.n);
    for (size_t i = 0; i + 1 < s.n; i += 2) {
        int high = digit_of(s.p[i]), low = digit_of(s.p[i + 1]);
        if (high < 0 || low < 0)
            wk_usage(c, "not a valid hex string");
        out[i / 2] = (char)(high << 4 | low);
    }
    if (s.n % 2)
        wk_usage(c, "not a valid hex string");
    return wk_str(out, s.n / 2);
}

static void fill_hash(struct wk_cmd *c, const struct uuidgen_opts *o, struct uuid *u)
{
    struct wk_md md;
    unsigned char sum[64];
    struct wk_str name = wk_str_c(o->name);
    read_space(c, o->space, u);
    if (o->hex)
        name = read_hex(c, name);
    if (o->kind == K_MD5)
        wk_md5_init(&md);
    else
        wk_sha1_init(&md);
    wk_md_add(&md, u->b, sizeof u->b);
    wk_md_add(&md, name.p, name.n);
    (void)wk_md_finish(&md, sum);
    memcpy(u->b, sum, sizeof u->b);
    mark(u, o->kind == K_MD5 ? 3 : 5);
}

static int uuidgen_main(struct wk_cmd *c)
{
    const struct uuidgen_opts *o = (const struct uuidgen_opts *)c->opts;
    bool hash = o->kind == K_MD5 || o->kind == K_SHA1;
    struct uuid u;
    if (o->space) {
        if (!o->name)
            wk_usage(c, "--namespace requires --name argument");
        if (!hash)
            wk_usage(c, "--namespace requires --md5 or --sha1");
    } else if (o->name) {
        wk_usage(c, "--name requires --namespace argument");
    } else if (hash) {
        wk_usage(c, "--md5 or --sha1 requires --namespace argument");
    }
    if (hash) {
        fill_hash(c, o, &u);
    } else if (o->kind == K_TIME) {
        fill_time(c, &u);
    } else {
        fill_random(c, &u);
        mark(&u, 4);
    }
    for (size_t i = 0; i < sizeof u.b; i++)
        wk_out_fmt(c->out, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", u.b[i]);
    wk_out_char(c->out, '\n');
    return c->status;
}

WK_COMMAND(uuidgen, .summary = "print a new UUID", .usage = "uuidgen [OPTION]...", .std = "util-linux 2.38",
           .opts = uuidgen_options, .opts_size = sizeof(struct uuidgen_opts));
