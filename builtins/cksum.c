/* cksum.c - checksums of CRC, BSD and System V, and digests by name
 *
 * Standard: GNU coreutils 9.1. Oracle: cksum, sum.
 * Differs:  docs/divergences/cksum.md
 */
#include "base/crc32.h"
#include "builtins/choice.h"
#include "builtins/digest.h"
#include "builtins/fsops.h"

/* Behind these come the digests. */
enum algorithm { BSD, SYSV, CRC, DIGESTS };

struct cksum_opts {
    int algorithm; /* 1 more than enum algorithm; 0: the command's own */
    bool tag, untagged, zero, debug, sized, check;
    struct wk_digest_check how;
    size_t size;        /* of BLAKE2b, in bytes */
    const char *length; /* the same as given */
};

static int set_algorithm(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice words[] = {{"bsd", BSD},
                                             {"sysv", SYSV},
                                             {"crc", CRC},
                                             {"md5", DIGESTS + WK_DIGEST_MD5},
                                             {"sha1", DIGESTS + WK_DIGEST_SHA1},
                                             {"sha224", DIGESTS + WK_DIGEST_SHA224},
                                             {"sha256", DIGESTS + WK_DIGEST_SHA256},
                                             {"sha384", DIGESTS + WK_DIGEST_SHA384},
                                             {"sha512", DIGESTS + WK_DIGEST_SHA512},
                                             {"blake2b", DIGESTS + WK_DIGEST_BLAKE2B},
                                             {"sm3", DIGESTS + WK_DIGEST_SM3},
                                             {NULL, 0}};
    (void)opt;
    ((struct cksum_opts *)c->opts)->algorithm = wk_choice_exact(c, "--algorithm", arg, words) + 1;
    return 0;
}

static int set_length(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct cksum_opts *o = (struct cksum_opts *)c->opts;
    o->size = wk_digest_length(c, arg);
    o->length = arg;
    o->sized = o->size != 0;
    return 0;
}

/* The last of both counts. */
static int set_tag(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)arg;
    struct cksum_opts *o = (struct cksum_opts *)c->opts;
    o->tag = !opt->value;
    o->untagged = opt->value;
    return 0;
}

static const struct wk_opt cksum_options[] = {
    WK_FUNC_OPT(set_algorithm, 0, 'a', "algorithm", "TYPE",
                "select the digest type to use: bsd sysv crc md5 sha1\nsha224 sha256 sha384 "
                "sha512\nblake2b sm3"),
    WK_FLAG(struct cksum_opts, check, 'c', "check", "read checksums from the FILEs and check them"),
    WK_FUNC_OPT(set_length, 0, 'l', "length", "BITS", "digest length in bits, of blake2b"),
    WK_FUNC_OPT(set_tag, 0, 0, "tag", NULL, "create a BSD-style checksum (the default)"),
    WK_FUNC_OPT(set_tag, 1, 0, "untagged", NULL,
                "create a reversed style checksum, without digest type"),
    WK_FLAG(struct cksum_opts, zero, 'z', "zero",
            "end each output line with NUL, not newline,\nand disable file name escaping"),
    WK_FLAG(struct cksum_opts, how.ignore_missing, 0, "ignore-missing",
            "don't fail or report status for missing files"),
    WK_SET(struct cksum_opts, how.say, WK_CHECK_QUIET, 0, "quiet",
           "don't print OK for each successfully verified file"),
    WK_SET(struct cksum_opts, how.say, WK_CHECK_STATUS, 0, "status",
           "don't output anything, status code shows success"),
    WK_FLAG(struct cksum_opts, how.strict, 0, "strict",
            "exit non-zero for improperly formatted checksum lines"),
    WK_SET(struct cksum_opts, how.say, WK_CHECK_WARN, 'w', "warn",
           "warn about improperly formatted checksum lines"),
    WK_FLAG(struct cksum_opts, debug, 0, "debug", "indicate which implementation used"),
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
};

static void add(struct summer *s, const char *p, size_t n)
{
    s->total += n;
    if (s->a == CRC) {
        s->sum = wk_cksum_add(s->sum, p, n);
    } else if (s->a == BSD) {
        for (size_t i = 0; i < n; i++)
            s->sum = (((s->sum >> 1) | (s->sum & 1) << 15) + (unsigned char)p[i]) & 0xffff;
    } else {
        for (size_t i = 0; i < n; i++)
            s->sum += (unsigned char)p[i];
    }
    wk_tick(s->c, (uint32_t)(n / 16 & 0xffffff) + 1);
}

/* Adds the upper half to the lower one. */
static uint32_t fold16(uint32_t v)
{
    return (v & 0xffff) + (v >> 16);
}

static void put_result(struct summer *s, const char *name, bool zero)
{
    struct wk_out *out = s->c->out;
    unsigned long long total = s->total;
    if (s->a == CRC)
        wk_out_fmt(out, "%u %llu", wk_cksum_finish(s->sum, s->total), total);
    else if (s->a == BSD)
        wk_out_fmt(out, "%05u %5llu", s->sum, total / 1024 + (total % 1024 != 0));
    else
        wk_out_fmt(out, "%u %llu", fold16(fold16(s->sum)), total / 512 + (total % 512 != 0));
    if (name)
        wk_out_fmt(out, " %s", name);
    wk_out_char(out, zero ? '\0' : '\n');
}

static void sum_input(struct wk_cmd *c, enum algorithm a, struct wk_in *in, const char *name,
                      bool zero)
{
    struct summer s = {.c = c, .a = a};
    const char *p;
    size_t n;
    while (wk_in_chunk(in, &p, &n))
        add(&s, p, n);
    if (!in->err)
        put_result(&s, name, zero);
}

static int cksum_main(struct wk_cmd *c)
{
    const struct cksum_opts *o = (const struct cksum_opts *)c->opts;
    int a = o->algorithm ? o->algorithm - 1 : strcmp(c->command->name, "sum") == 0 ? BSD : CRC;
    enum wk_digest_kind kind = (enum wk_digest_kind)(a >= DIGESTS ? a - DIGESTS : 0);
    char hex[WK_DIGEST_HEX];
    if (o->sized && a != DIGESTS + WK_DIGEST_BLAKE2B)
        wk_fail(c, 1, "--length is only supported with --algorithm=blake2b");
    wk_digest_length_check(c, o->size, o->length);
    if (o->check && o->algorithm && a < DIGESTS)
        wk_fail(c, 1, "--check is not supported with --algorithm={bsd,sysv,crc}");
    if (o->check && o->zero)
        wk_usage(c, "the --zero option is not supported when verifying checksums");
    if (!o->check)
        wk_digest_check_unused(c, &o->how);
    c->out->line_buffered = c->out->line_buffered || a >= DIGESTS || o->check;
    char dash[] = "-", *none[] = {dash};
    char **names = c->nargs ? c->args : none;
    int n = c->nargs ? c->nargs : 1;
    struct wk_digest_check how = o->how;
    how.lax = true;
    how.any = !o->algorithm;
    how.kind = kind;
    how.size = o->size;
    for (int i = 0; i < n; i++) {
        if (o->check) {
            wk_digest_check_list(c, &how, names[i]);
            continue;
        }
        struct wk_in *in = wk_in_open(c, names[i], true);
        if (!in)
            continue;
        if (a < DIGESTS)
            sum_input(c, (enum algorithm)a, in, c->nargs ? names[i] : NULL, o->zero);
        else if (wk_digest_input(c, kind, o->size ? o->size : wk_digest_size(kind), in, hex))
            wk_digest_put(c, kind, hex, names[i], o->untagged ? ' ' : '\0', o->zero);
        if (in != c->in)
            wk_in_close(in);
    }
    return c->status;
}

#define sum_main cksum_main

WK_COMMAND(cksum, .summary = "print or verify checksums", .usage = "cksum [OPTION]... [FILE]...",
           .std = "coreutils 9.1", .opts = cksum_options, .opts_size = sizeof(struct cksum_opts));

WK_COMMAND(sum, .summary = "print or check BSD (16-bit) checksums",
           .usage = "sum [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = sum_options,
           .opts_size = sizeof(struct cksum_opts));
