/* checksum.c - md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum
 *
 * Standard: none. Oracle: coreutils 9.1.
 */
#include "base/num.h"
#include "builtins/digest.h"

static const char *const commands[WK_DIGEST_COUNT] = {
    [WK_DIGEST_MD5] = "md5sum",       [WK_DIGEST_SHA1] = "sha1sum",
    [WK_DIGEST_SHA224] = "sha224sum", [WK_DIGEST_SHA256] = "sha256sum",
    [WK_DIGEST_SHA384] = "sha384sum", [WK_DIGEST_SHA512] = "sha512sum",
    [WK_DIGEST_BLAKE2B] = "b2sum"};

enum { BINARY = 1, TEXT };

struct sum_opts {
    bool check, tag, zero;
    int mode; /* the last of --binary and --text */
    struct wk_digest_check how;
    size_t size;        /* of b2sum, in bytes */
    const char *length; /* the same as given */
};

static int set_length(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct sum_opts *o = (struct sum_opts *)c->opts;
    if (strcmp(c->name, "b2sum") != 0)
        wk_usage(c, "invalid option -- 'l'");
    o->size = wk_digest_length(c, arg);
    o->length = arg;
    return 0;
}

static int set_tag(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    (void)arg;
    struct sum_opts *o = (struct sum_opts *)c->opts;
    o->tag = true;
    o->mode = BINARY;
    return 0;
}

static const struct wk_opt sum_options[] = {
    WK_SET(struct sum_opts, mode, BINARY, 'b', "binary", "read in binary mode"),
    WK_FLAG(struct sum_opts, check, 'c', "check", "read checksums from the FILEs and check them"),
    WK_FUNC_OPT(set_length, 0, 'l', "length", "BITS", "digest length in bits (b2sum only)"),
    WK_FUNC_OPT(set_tag, 0, 0, "tag", NULL, "create a BSD-style checksum"),
    WK_SET(struct sum_opts, mode, TEXT, 't', "text", "read in text mode (default)"),
    WK_FLAG(struct sum_opts, zero, 'z', "zero",
            "end each output line with NUL, not newline, and disable file name escaping"),
    WK_FLAG(struct sum_opts, how.ignore_missing, 0, "ignore-missing",
            "don't fail or report status for missing files"),
    WK_SET(struct sum_opts, how.say, WK_CHECK_QUIET, 0, "quiet",
           "don't print OK for each successfully verified file"),
    WK_SET(struct sum_opts, how.say, WK_CHECK_STATUS, 0, "status",
           "don't output anything, status code shows success"),
    WK_FLAG(struct sum_opts, how.strict, 0, "strict",
            "exit non-zero for improperly formatted checksum lines"),
    WK_SET(struct sum_opts, how.say, WK_CHECK_WARN, 'w', "warn",
           "warn about improperly formatted checksum lines"),
    WK_OPTS_END,
};

static void print_sum(struct wk_cmd *c, const struct sum_opts *o, enum wk_digest_kind a,
                      const char *path)
{
    char hex[WK_DIGEST_HEX];
    if (wk_digest_file(c, a, o->size, path, hex))
        wk_digest_put(c, a, hex, path, o->tag ? '\0' : o->mode == BINARY ? '*' : ' ', o->zero);
}

static int sha256sum_main(struct wk_cmd *c)
{
    struct sum_opts *o = (struct sum_opts *)c->opts;
    char dash[] = "-";
    char *none[] = {dash};
    enum wk_digest_kind a = WK_DIGEST_SHA256;
    for (size_t i = 0; i < WK_COUNTOF(commands); i++)
        if (commands[i] && strcmp(c->name, commands[i]) == 0)
            a = (enum wk_digest_kind)i;
    wk_digest_length_check(c, o->size, o->length);
    if (!o->size)
        o->size = wk_digest_size(a);
    if (o->tag && o->mode == TEXT)
        wk_usage(c, "--tag does not support --text mode");
    c->out->line_buffered = true;
    if (o->check && o->zero)
        wk_usage(c, "the --zero option is not supported when verifying checksums");
    if (o->check && o->tag)
        wk_usage(c, "the --tag option is meaningless when verifying checksums");
    if (o->check && o->mode)
        wk_usage(c, "the --binary and --text options are meaningless when verifying checksums");
    if (!o->check)
        wk_digest_check_unused(c, &o->how);
    o->how.lax = a == WK_DIGEST_BLAKE2B;
    o->how.kind = a;
    o->how.size = o->size;
    char **files = c->nargs ? c->args : none;
    for (int i = 0; i < (c->nargs ? c->nargs : 1); i++) {
        if (o->check)
            wk_digest_check_list(c, &o->how, files[i]);
        else
            print_sum(c, o, a, files[i]);
    }
    return c->status;
}

WK_COMMAND(sha256sum, .aliases = "md5sum sha1sum sha224sum sha384sum sha512sum b2sum",
           .summary = "print or check checksums", .usage = "sha256sum [OPTION]... [FILE]...",
           .std = "coreutils 9.1", .opts = sum_options, .opts_size = sizeof(struct sum_opts));
