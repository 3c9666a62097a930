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

struct sum_opts {
    bool binary, check, tag, text, zero, ignore_missing, quiet, status, strict, warn, sized;
    size_t size; /* of b2sum, in bytes */
};

static int set_length(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct sum_opts *o = (struct sum_opts *)c->opts;
    o->sized = true;
    o->size = wk_digest_length(c, arg);
    return 0;
}

static const struct wk_opt sum_options[] = {
    WK_FLAG(struct sum_opts, binary, 'b', "binary", "read in binary mode"),
    WK_FLAG(struct sum_opts, check, 'c', "check", "read checksums from the FILEs and check them"),
    WK_FUNC_OPT(set_length, 0, 'l', "length", "BITS", "digest length in bits (b2sum only)"),
    WK_FLAG(struct sum_opts, tag, 0, "tag", "create a BSD-style checksum"),
    WK_FLAG(struct sum_opts, text, 't', "text", "read in text mode (default)"),
    WK_FLAG(struct sum_opts, zero, 'z', "zero",
            "end each output line with NUL, not newline, and disable file name escaping"),
    WK_FLAG(struct sum_opts, ignore_missing, 0, "ignore-missing",
            "don't fail or report status for missing files"),
    WK_FLAG(struct sum_opts, quiet, 0, "quiet",
            "don't print OK for each successfully verified file"),
    WK_FLAG(struct sum_opts, status, 0, "status",
            "don't output anything, status code shows success"),
    WK_FLAG(struct sum_opts, strict, 0, "strict",
            "exit non-zero for improperly formatted checksum lines"),
    WK_FLAG(struct sum_opts, warn, 'w', "warn", "warn about improperly formatted checksum lines"),
    WK_OPTS_END,
};

/* The digest of a file as hexadecimal text; false after a message. */
static bool digest_file(struct wk_cmd *c, enum wk_digest_kind a, size_t size, const char *path,
                        char hex[WK_DIGEST_HEX])
{
    struct wk_in *in = wk_in_open(c, path, true);
    if (!in)
        return false;
    bool ok = wk_digest_input(c, a, size, in, hex);
    if (in != c->in)
        wk_in_close(in);
    return ok;
}

static void print_sum(struct wk_cmd *c, const struct sum_opts *o, enum wk_digest_kind a,
                      const char *path)
{
    char hex[WK_DIGEST_HEX];
    if (digest_file(c, a, o->size, path, hex))
        wk_digest_put(c, a, hex, path, o->tag ? '\0' : o->binary ? '*' : ' ', o->zero);
}

/* ---- checking
 * --------------------------------------------------------------------------------------- */

struct tally {
    uint64_t lines, bad_lines, failed, unreadable, matched;
    int blanks; /* between sum and name, by the first line that shows it: 1, or 2 (or a blank and *); 0: none yet */
};

static bool all_hex(struct wk_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!wk_is_xdigit((unsigned char)s.p[i]))
            return false;
    return true;
}

static char *unescape_name(struct wk_cmd *c, struct wk_str s)
{
    char *p = wk_heap_bump(c->heap, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\\' && i + 1 < s.n) {
            char e = s.p[++i];
            p[n++] = e == 'n' ? '\n' : e == 'r' ? '\r' : e;
        } else {
            p[n++] = s.p[i];
        }
    }
    p[n] = '\0';
    return p;
}

/* "HEX  NAME", "HEX *NAME" or "TAG (NAME) = HEX"; false when the line is none of them. */
static bool split_line(struct wk_cmd *c, enum wk_digest_kind a, struct wk_str line,
                       int *blanks, struct wk_str *hex, char **name)
{
    size_t digits = 2 * wk_digest_size(a);
    while (line.n && (line.p[0] == ' ' || line.p[0] == '\t'))
        line = wk_str_from(line, 1);
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    bool escaped = line.n && line.p[0] == '\\';
    line = wk_str_from(line, escaped);
    struct wk_str tag = wk_str_c(wk_digest_tag(a)), file = wk_str_from(line, tag.n);
    bool tagged = wk_str_starts(line, tag);
    if (tagged && a == WK_DIGEST_BLAKE2B && file.n && file.p[0] == '-') { /* BLAKE2b-BITS */
        uint64_t bits;
        int err;
        size_t used = wk_scan_u64(wk_str_from(file, 1), 10, &bits, &err);
        if (!used || err || bits == 0 || bits % 8 || bits > 8 * WK_DIGEST_MAX)
            return false;
        digits = (size_t)bits / 4;
        file = wk_str_from(file, 1 + used);
    }
    if (tagged && wk_str_starts(file, WK_STR(" ("))) {
        file = wk_str_from(file, 2);
        ptrdiff_t close = wk_str_rchr(file, ')');
        if (close < 0 || !wk_str_starts(wk_str_from(file, (size_t)close), WK_STR(") = ")))
            return false;
        *hex = wk_str_from(file, (size_t)close + 4);
        file = wk_str_take(file, (size_t)close);
    } else {
        if (a == WK_DIGEST_BLAKE2B) { /* as long as it is */
            size_t n = 0;
            while (n < line.n && wk_is_xdigit((unsigned char)line.p[n]))
                n++;
            if (n == 0 || n % 2 || n > digits)
                return false;
            digits = n;
        }
        if (line.n < digits + 2 || line.p[digits] != ' ')
            return false;
        *hex = wk_str_take(line, digits);
        bool marked = line.n > digits + 2 && (line.p[digits + 1] == ' ' || line.p[digits + 1] == '*');
        if (!marked && *blanks == 2)
            return false;
        if (!marked || !*blanks)
            *blanks = 1 + marked;
        marked = *blanks == 2;
        file = wk_str_from(line, digits + 1 + marked);
    }
    if (hex->n != digits || !all_hex(*hex) || !file.n)
        return false;
    *name = escaped ? unescape_name(c, file) : wk_dupn(c, file.p, file.n);
    return true;
}

static bool same_hex(struct wk_str want, const char *got)
{
    for (size_t i = 0; i < want.n; i++)
        if (wk_to_lower((unsigned char)want.p[i]) != got[i])
            return false;
    return true;
}

static void check_entry(struct wk_cmd *c, const struct sum_opts *o, enum wk_digest_kind a,
                        struct wk_str hex, const char *name, struct tally *t)
{
    char got[WK_DIGEST_HEX];
    struct wk_stat st;
    char *want = wk_dupn(c, hex.p, hex.n); /* reading the file may move the line */
    if (o->ignore_missing && strcmp(name, "-") != 0 && wk_cmd_stat(c, name, true, &st) == WK_ENOENT)
        return;
    t->lines++;
    int before = c->status;
    if (!digest_file(c, a, hex.n / 2, name, got)) {
        t->unreadable++;
        if (!o->status)
            wk_out_fmt(c->out, "%s: FAILED open or read\n", name);
        return;
    }
    c->status = before;
    bool ok = same_hex(wk_str(want, hex.n), got);
    t->matched += ok;
    t->failed += !ok;
    if (!o->status && (!ok || !o->quiet))
        wk_out_fmt(c->out, "%s: %s\n", name, ok ? "OK" : "FAILED");
}

static void report(struct wk_cmd *c, const struct sum_opts *o, const char *list,
                   const struct tally *t)
{
    (void)wk_out_flush(c->out);
    if (t->bad_lines && !o->status)
        wk_out_fmt(c->err, "%s: WARNING: %llu line%s improperly formatted\n", c->name,
                   (unsigned long long)t->bad_lines, t->bad_lines == 1 ? " is" : "s are");
    if (t->unreadable && !o->status)
        wk_out_fmt(c->err, "%s: WARNING: %llu listed file%s could not be read\n", c->name,
                   (unsigned long long)t->unreadable, t->unreadable == 1 ? "" : "s");
    if (t->failed && !o->status)
        wk_out_fmt(c->err, "%s: WARNING: %llu computed checksum%s did NOT match\n", c->name,
                   (unsigned long long)t->failed, t->failed == 1 ? "" : "s");
    if (o->ignore_missing && !t->matched && !t->failed && !o->status)
        wk_msg(c, "%s: no file was verified", list);
    if (t->failed || t->unreadable || (t->bad_lines && o->strict) ||
        (o->ignore_missing && !t->matched))
        c->status = 1;
}

static void check_list(struct wk_cmd *c, const struct sum_opts *o, enum wk_digest_kind a,
                       const char *list)
{
    struct tally t = {0};
    struct wk_str line, hex;
    char *name;
    uint64_t number = 0;
    struct wk_in *in = wk_in_open(c, list, true);
    if (!in)
        return;
    const char *shown = strcmp(list, "-") == 0 ? "'standard input'" : list;
    uint64_t any = 0;
    while (wk_line_next(in, '\n', &line)) {
        number++;
        if (line.n && line.p[0] == '#')
            continue;
        if (split_line(c, a, line, &t.blanks, &hex, &name)) {
            any++;
            check_entry(c, o, a, hex, name, &t);
            continue;
        }
        t.bad_lines++;
        if (o->warn)
            wk_out_fmt(c->err, "%s: %s: %llu: improperly formatted %s checksum line\n", c->name,
                       shown, (unsigned long long)number, wk_digest_tag(a));
    }
    if (in != c->in)
        wk_in_close(in);
    if (!any)
        wk_msg(c, "%s: no properly formatted checksum lines found", shown);
    else
        report(c, o, shown, &t);
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
    if (o->sized && a != WK_DIGEST_BLAKE2B)
        wk_usage(c, "invalid option -- 'l'");
    if (!o->size)
        o->size = wk_digest_size(a);
    if (o->check && o->tag)
        wk_usage(c, "the --tag option is meaningless when verifying checksums");
    if (!o->check && (o->ignore_missing || o->quiet || o->status || o->strict || o->warn))
        wk_usage(c, "the --%s option is meaningful only when verifying checksums",
                 o->ignore_missing ? "ignore-missing"
                 : o->status       ? "status"
                 : o->warn         ? "warn"
                 : o->quiet        ? "quiet"
                                   : "strict");
    char **files = c->nargs ? c->args : none;
    for (int i = 0; i < (c->nargs ? c->nargs : 1); i++) {
        if (o->check)
            check_list(c, o, a, files[i]);
        else
            print_sum(c, o, a, files[i]);
    }
    return c->status;
}

WK_COMMAND(sha256sum, .aliases = "md5sum sha1sum sha224sum sha384sum sha512sum b2sum",
           .summary = "print or check checksums", .usage = "sha256sum [OPTION]... [FILE]...",
           .std = "coreutils 9.1", .opts = sum_options, .opts_size = sizeof(struct sum_opts));
