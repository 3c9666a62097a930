/* cksum.c - checksums of CRC, BSD and System V, and digests by name
 *
 * Standard: GNU coreutils 9.1. Oracle: cksum, sum.
 * Differs:  docs/divergences/cksum.md
 */
#include "base/crc32.h"
#include "base/md5.h"
#include "base/sha2.h"
#include "builtins/choice.h"
#include "builtins/fsops.h"

enum algorithm { BSD, SYSV, CRC, MD5, SHA1, SHA224, SHA256, SHA384, SHA512 };

struct cksum_opts {
    int algorithm; /* 1 more than enum algorithm; 0: the command's own */
    bool tag, untagged, zero, debug;
};

static int set_algorithm(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice words[] = {
        {"bsd", BSD},       {"sysv", SYSV},     {"crc", CRC},       {"md5", MD5},
        {"sha1", SHA1},     {"sha224", SHA224}, {"sha256", SHA256}, {"sha384", SHA384},
        {"sha512", SHA512}, {NULL, 0}};
    (void)opt;
    ((struct cksum_opts *)c->opts)->algorithm = wk_choice_read(c, "--algorithm", arg, words) + 1;
    return 0;
}

static const struct wk_opt cksum_options[] = {
    WK_FUNC_OPT(
        set_algorithm, 0, 'a', "algorithm", "TYPE",
        "select the digest type to use: bsd sysv crc md5 sha1\nsha224 sha256 sha384 sha512"),
    WK_FLAG(struct cksum_opts, tag, 0, "tag", "create a BSD-style checksum (the default)"),
    WK_FLAG(struct cksum_opts, untagged, 0, "untagged",
            "create a reversed style checksum, without digest type"),
    WK_FLAG(struct cksum_opts, zero, 'z', "zero",
            "end each output line with NUL, not newline,\nand disable file name escaping"),
    WK_FLAG(struct cksum_opts, debug, 0, "debug", "accepted"),
    WK_OPTS_END,
};

static const struct wk_opt sum_options[] = {
    WK_SET(struct cksum_opts, algorithm, BSD + 1, 'r', NULL,
           "use BSD sum algorithm (the default), use 1K blocks"),
    WK_SET(struct cksum_opts, algorithm, SYSV + 1, 's', "sysv",
           "use System V sum algorithm, use 512 bytes blocks"),
    WK_OPTS_END,
};

struct summer {
    struct wk_cmd *c;
    enum algorithm a;
    uint32_t sum;
    uint64_t total;
    struct wk_md md;
    struct wk_sha2 sha2;
    unsigned char digest[WK_SHA2_MAX];
    size_t digest_n;
};

static void begin(struct summer *s)
{
    static const enum wk_sha2_kind kinds[] = {
        [SHA224] = WK_SHA224, [SHA256] = WK_SHA256, [SHA384] = WK_SHA384, [SHA512] = WK_SHA512};
    s->sum = 0;
    s->total = 0;
    if (s->a == MD5)
        wk_md5_init(&s->md);
    else if (s->a == SHA1)
        wk_sha1_init(&s->md);
    else if (s->a >= SHA224)
        wk_sha2_init(&s->sha2, kinds[s->a]);
}

static void add(struct summer *s, const char *p, size_t n)
{
    s->total += n;
    if (s->a == CRC) {
        s->sum = wk_cksum_add(s->sum, p, n);
    } else if (s->a == BSD) {
        for (size_t i = 0; i < n; i++)
            s->sum = (((s->sum >> 1) | (s->sum & 1) << 15) + (unsigned char)p[i]) & 0xffff;
    } else if (s->a == SYSV) {
        for (size_t i = 0; i < n; i++)
            s->sum += (unsigned char)p[i];
    } else if (s->a <= SHA1) {
        wk_md_add(&s->md, p, n);
    } else {
        wk_sha2_add(&s->sha2, p, n);
    }
    wk_tick(s->c, (uint32_t)(n / 16 & 0xffffff) + 1);
}

/* Adds the upper half to the lower one. */
static uint32_t fold16(uint32_t v)
{
    return (v & 0xffff) + (v >> 16);
}

static void finish(struct summer *s)
{
    if (s->a == CRC)
        s->sum = wk_cksum_finish(s->sum, s->total);
    else if (s->a == SYSV)
        s->sum = fold16(fold16(s->sum));
    else if (s->a == MD5 || s->a == SHA1)
        s->digest_n = wk_md_finish(&s->md, s->digest);
    else if (s->a >= SHA224)
        s->digest_n = wk_sha2_finish(&s->sha2, s->digest);
}

static void put_digest(struct summer *s, const struct cksum_opts *o, const char *name)
{
    static const char *const tags[] = {
        [MD5] = "MD5",       [SHA1] = "SHA1",     [SHA224] = "SHA224",
        [SHA256] = "SHA256", [SHA384] = "SHA384", [SHA512] = "SHA512"};
    struct wk_out *out = s->c->out;
    bool escape = !o->zero && strpbrk(name, "\\\n\r");
    if (escape)
        wk_out_char(out, '\\');
    if (!o->untagged)
        wk_out_fmt(out, "%s (", tags[s->a]);
    for (int pass = 0; pass < 2; pass++) {
        if ((pass == 0) == !o->untagged) {
            for (const char *p = name; *p; p++) {
                if (escape && (*p == '\\' || *p == '\n' || *p == '\r'))
                    wk_out_c(out, *p == '\n' ? "\\n" : *p == '\r' ? "\\r" : "\\\\");
                else
                    wk_out_char(out, *p);
            }
        } else {
            for (size_t i = 0; i < s->digest_n; i++)
                wk_out_fmt(out, "%02x", s->digest[i]);
        }
        if (pass == 0)
            wk_out_c(out, o->untagged ? "  " : ") = ");
    }
}

static void put_result(struct summer *s, const struct cksum_opts *o, const char *name, bool many)
{
    struct wk_out *out = s->c->out;
    if (s->a == CRC)
        wk_out_fmt(out, "%u %llu", s->sum, (unsigned long long)s->total);
    else if (s->a == BSD)
        wk_out_fmt(out, "%05u %5llu", s->sum,
                   (unsigned long long)(s->total / 1024 + (s->total % 1024 != 0)));
    else if (s->a == SYSV)
        wk_out_fmt(out, "%u %llu", s->sum,
                   (unsigned long long)(s->total / 512 + (s->total % 512 != 0)));
    else
        put_digest(s, o, name);
    if (s->a <= CRC && many)
        wk_out_fmt(out, " %s", name);
    wk_out_char(out, o->zero ? '\0' : '\n');
}

static int cksum_main(struct wk_cmd *c)
{
    const struct cksum_opts *o = (const struct cksum_opts *)c->opts;
    struct summer *s = wk_new(c, struct summer);
    s->c = c;
    s->a = o->algorithm                           ? (enum algorithm)(o->algorithm - 1)
           : strcmp(c->command->name, "sum") == 0 ? BSD
                                                  : CRC;
    char dash[] = "-", *none[] = {dash};
    char **names = c->nargs ? c->args : none;
    int n = c->nargs ? c->nargs : 1;
    for (int i = 0; i < n; i++) {
        struct wk_in *in = wk_in_open(c, names[i], true);
        const char *p;
        size_t got;
        if (!in)
            continue;
        begin(s);
        while (wk_in_chunk(in, &p, &got))
            add(s, p, got);
        bool failed = in->err != 0;
        if (in != c->in)
            wk_in_close(in);
        if (failed)
            continue;
        finish(s);
        put_result(s, o, names[i], c->nargs > 0);
    }
    return c->status;
}

#define sum_main cksum_main

WK_COMMAND(cksum, .summary = "print or verify checksums", .usage = "cksum [OPTION]... [FILE]...",
           .std = "coreutils 9.1", .opts = cksum_options, .opts_size = sizeof(struct cksum_opts));

WK_COMMAND(sum, .summary = "print or check BSD (16-bit) checksums",
           .usage = "sum [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = sum_options,
           .opts_size = sizeof(struct cksum_opts));
