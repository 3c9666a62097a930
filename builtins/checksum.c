/* checksum.c - md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum
 *
 * Standard: none. Oracle: coreutils 9.1.
 */
#include "base/md5.h"
#include "base/sha2.h"
#include "kern/cmd.h"

enum algorithm { MD5, SHA1, SHA224, SHA256, SHA384, SHA512 };

struct algorithm_row {
    const char *command, *tag;
    size_t bytes;
};
static const struct algorithm_row algorithms[] = {
    [MD5] = {"md5sum", "MD5", 16},          [SHA1] = {"sha1sum", "SHA1", 20},
    [SHA224] = {"sha224sum", "SHA224", 28}, [SHA256] = {"sha256sum", "SHA256", 32},
    [SHA384] = {"sha384sum", "SHA384", 48}, [SHA512] = {"sha512sum", "SHA512", 64},
};

struct sum_opts {
    bool binary, check, tag, text, zero, ignore_missing, quiet, status, strict, warn;
};

static const struct wk_opt sum_options[] = {
    WK_FLAG(struct sum_opts, binary, 'b', "binary", "read in binary mode"),
    WK_FLAG(struct sum_opts, check, 'c', "check", "read checksums from the FILEs and check them"),
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

/* ---- hashing ------------------------------------------------------------------------------------
 */

struct hash {
    enum algorithm a;
    union {
        struct wk_md md;
        struct wk_sha2 sha2;
    } u;
};

static void hash_init(struct hash *h, enum algorithm a)
{
    static const enum wk_sha2_kind kinds[] = {
        [SHA224] = WK_SHA224, [SHA256] = WK_SHA256, [SHA384] = WK_SHA384, [SHA512] = WK_SHA512};
    h->a = a;
    if (a == MD5)
        wk_md5_init(&h->u.md);
    else if (a == SHA1)
        wk_sha1_init(&h->u.md);
    else
        wk_sha2_init(&h->u.sha2, kinds[a]);
}

static void hash_add(struct hash *h, const void *p, size_t n)
{
    if (h->a <= SHA1)
        wk_md_add(&h->u.md, p, n);
    else
        wk_sha2_add(&h->u.sha2, p, n);
}

static void hash_finish(struct hash *h, unsigned char out[WK_SHA2_MAX])
{
    if (h->a <= SHA1)
        (void)wk_md_finish(&h->u.md, out);
    else
        (void)wk_sha2_finish(&h->u.sha2, out);
}

/* The digest of a file as hexadecimal text; false after a message. */
static bool digest_file(struct wk_cmd *c, enum algorithm a, const char *path,
                        char hex[2 * WK_SHA2_MAX + 1])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char raw[WK_SHA2_MAX];
    struct hash h;
    const char *p;
    size_t n;
    struct wk_in *in = wk_in_open(c, path, true);
    if (!in)
        return false;
    hash_init(&h, a);
    while (wk_in_chunk(in, &p, &n)) {
        hash_add(&h, p, n);
        wk_tick(c, (uint32_t)(n / 64));
    }
    bool ok = !in->err;
    if (in != c->in)
        wk_in_close(in);
    hash_finish(&h, raw);
    for (size_t i = 0; i < algorithms[a].bytes; i++) {
        hex[2 * i] = digits[raw[i] >> 4];
        hex[2 * i + 1] = digits[raw[i] & 15];
    }
    hex[2 * algorithms[a].bytes] = '\0';
    return ok;
}

/* ---- printing
 * ------------------------------------------------------------------------------------- */

static void put_escaped_name(struct wk_out *o, const char *name)
{
    for (; *name; name++) {
        if (*name == '\n')
            wk_out_c(o, "\\n");
        else if (*name == '\r')
            wk_out_c(o, "\\r");
        else if (*name == '\\')
            wk_out_c(o, "\\\\");
        else
            wk_out_char(o, *name);
    }
}

static void print_sum(struct wk_cmd *c, const struct sum_opts *o, enum algorithm a,
                      const char *path)
{
    char hex[2 * WK_SHA2_MAX + 1];
    if (!digest_file(c, a, path, hex))
        return;
    bool escape = !o->zero && strpbrk(path, "\\\n\r");
    if (escape)
        wk_out_char(c->out, '\\');
    if (o->tag) {
        wk_out_c(c->out, algorithms[a].tag);
        wk_out_c(c->out, " (");
    } else {
        wk_out_c(c->out, hex);
        wk_out_c(c->out, o->binary ? " *" : "  ");
    }
    if (escape)
        put_escaped_name(c->out, path);
    else
        wk_out_c(c->out, path);
    if (o->tag) {
        wk_out_c(c->out, ") = ");
        wk_out_c(c->out, hex);
    }
    wk_out_char(c->out, o->zero ? '\0' : '\n');
}

/* ---- checking
 * --------------------------------------------------------------------------------------- */

struct tally {
    uint64_t lines, bad_lines, failed, unreadable, matched;
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
static bool split_line(struct wk_cmd *c, enum algorithm a, struct wk_str line, struct wk_str *hex,
                       char **name)
{
    size_t digits = 2 * algorithms[a].bytes;
    while (line.n && (line.p[0] == ' ' || line.p[0] == '\t'))
        line = wk_str_from(line, 1);
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    bool escaped = line.n && line.p[0] == '\\';
    line = wk_str_from(line, escaped);
    struct wk_str tag = wk_str_c(algorithms[a].tag), file;
    if (wk_str_starts(line, tag) && line.n > tag.n + 2 && line.p[tag.n] == ' ' &&
        line.p[tag.n + 1] == '(') {
        file = wk_str_from(line, tag.n + 2);
        ptrdiff_t close = wk_str_rchr(file, ')');
        if (close < 0 || !wk_str_starts(wk_str_from(file, (size_t)close), WK_STR(") = ")))
            return false;
        *hex = wk_str_from(file, (size_t)close + 4);
        file = wk_str_take(file, (size_t)close);
    } else {
        if (line.n < digits + 3 || line.p[digits] != ' ')
            return false;
        *hex = wk_str_take(line, digits);
        bool marked = line.p[digits + 1] == ' ' || line.p[digits + 1] == '*';
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

static void check_entry(struct wk_cmd *c, const struct sum_opts *o, enum algorithm a,
                        struct wk_str hex, const char *name, struct tally *t)
{
    char got[2 * WK_SHA2_MAX + 1];
    struct wk_stat st;
    char *want = wk_dupn(c, hex.p, hex.n); /* reading the file may move the line */
    if (o->ignore_missing && strcmp(name, "-") != 0 && wk_cmd_stat(c, name, true, &st) == WK_ENOENT)
        return;
    t->lines++;
    int before = c->status;
    if (!digest_file(c, a, name, got)) {
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

static void check_list(struct wk_cmd *c, const struct sum_opts *o, enum algorithm a,
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
        if (split_line(c, a, line, &hex, &name)) {
            any++;
            check_entry(c, o, a, hex, name, &t);
            continue;
        }
        t.bad_lines++;
        if (o->warn)
            wk_out_fmt(c->err, "%s: %s: %llu: improperly formatted %s checksum line\n", c->name,
                       shown, (unsigned long long)number, algorithms[a].tag);
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
    const struct sum_opts *o = c->opts;
    char dash[] = "-";
    char *none[] = {dash};
    enum algorithm a = SHA256;
    for (size_t i = 0; i < WK_COUNTOF(algorithms); i++)
        if (strcmp(c->name, algorithms[i].command) == 0)
            a = (enum algorithm)i;
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

WK_COMMAND(sha256sum, .aliases = "md5sum sha1sum sha224sum sha384sum sha512sum",
           .summary = "print or check checksums", .usage = "sha256sum [OPTION]... [FILE]...",
           .std = "coreutils 9.1", .opts = sum_options, .opts_size = sizeof(struct sum_opts));
