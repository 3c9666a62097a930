/* digest_check.c - files against the digests that a list tells
 *
 * A line is "HEX  NAME", "HEX *NAME" or "TAG (NAME) = HEX", as the commands themselves and others
 * write them.
 */
#include "base/num.h"
#include "builtins/digest.h"

bool wk_digest_file(struct wk_cmd *c, enum wk_digest_kind a, size_t size, const char *path,
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

void wk_digest_check_unused(struct wk_cmd *c, const struct wk_digest_check *o)
{
    if (o->ignore_missing || o->say || o->strict)
        wk_usage(c, "the --%s option is meaningful only when verifying checksums",
                 o->ignore_missing             ? "ignore-missing"
                 : (o->say == WK_CHECK_STATUS) ? "status"
                 : (o->say == WK_CHECK_WARN)   ? "warn"
                 : o->say == WK_CHECK_QUIET    ? "quiet"
                                               : "strict");
}

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

static struct wk_str skip_blanks(struct wk_str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = wk_str_from(s, 1);
    return s;
}

/* A line taken apart. */
struct entry {
    bool tagged;
    enum wk_digest_kind kind;
    struct wk_str hex, file;
};

/* What follows a tag: "-BITS" of BLAKE2b, then "(NAME) = HEX" with or without the blanks. */
static bool split_tagged(struct entry *e, struct wk_str s, bool lax)
{
    size_t digits = 2 * wk_digest_size(e->kind);
    if (e->kind == WK_DIGEST_BLAKE2B && s.n && s.p[0] == '-') {
        uint64_t bits;
        int err;
        size_t used = wk_scan_u64(wk_str_from(s, 1), 10, &bits, &err);
        if (!used || err || bits == 0 || bits % 8 || bits > 8 * WK_DIGEST_MAX)
            return false;
        digits = (size_t)bits / 4;
        s = wk_str_from(s, 1 + used);
    }
    for (int i = 0; i <= lax && s.n && s.p[0] == ' '; i++)
        s = wk_str_from(s, 1);
    if (!s.n || s.p[0] != '(')
        return false;
    s = wk_str_from(s, 1);
    ptrdiff_t close = wk_str_rchr(s, ')');
    if (close < 0)
        return false;
    e->file = wk_str_take(s, (size_t)close);
    s = skip_blanks(wk_str_from(s, (size_t)close + 1));
    if (!s.n || s.p[0] != '=')
        return false;
    e->hex = skip_blanks(wk_str_from(s, 1));
    return e->hex.n == digits;
}

/* "HEX  NAME", "HEX *NAME", "HEX NAME" */
static bool split_plain(const struct wk_digest_check *o, struct entry *e, struct wk_str line,
                        int *blanks)
{
    size_t digits = 2 * (o->size ? o->size : wk_digest_size(e->kind));
    if (e->kind == WK_DIGEST_BLAKE2B) { /* as long as it is */
        size_t n = 0;
        while (n < line.n && wk_is_xdigit((unsigned char)line.p[n]))
            n++;
        if (n == 0 || n % 2 || n > 2 * wk_digest_size(e->kind))
            return false;
        digits = n;
    }
    if (line.n < digits + 2 || (line.p[digits] != ' ' && line.p[digits] != '\t'))
        return false;
    e->hex = wk_str_take(line, digits);
    if (!all_hex(e->hex))
        return false;
    bool marked = line.n > digits + 2 && (line.p[digits + 1] == ' ' || line.p[digits + 1] == '*');
    if (!marked && *blanks == 2)
        return false;
    if (!marked || !*blanks)
        *blanks = 1 + marked;
    e->file = wk_str_from(line, digits + (size_t)*blanks);
    return true;
}

/* The digest that a line begins with the tag of. */
static bool find_tag(const struct wk_digest_check *o, struct wk_str line, struct entry *e,
                     size_t *used)
{
    for (int k = 0; k < WK_DIGEST_COUNT; k++) {
        struct wk_str tag = wk_str_c(wk_digest_tag((enum wk_digest_kind)k));
        if ((o->any || k == (int)o->kind) && wk_str_starts(line, tag) && line.n > tag.n &&
            strchr(" (-", line.p[tag.n])) {
            e->kind = (enum wk_digest_kind)k;
            e->tagged = true;
            *used = tag.n;
            return true;
        }
    }
    return false;
}

static bool split_line(struct wk_cmd *c, const struct wk_digest_check *o, struct wk_str line,
                       int *blanks, struct entry *e, char **name)
{
    size_t used;
    line = skip_blanks(line);
    bool escaped = line.n && line.p[0] == '\\';
    line = wk_str_from(line, escaped);
    e->kind = o->kind;
    if (find_tag(o, line, e, &used)) {
        if (!split_tagged(e, wk_str_from(line, used), o->lax))
            return false;
    } else if (o->any || !split_plain(o, e, line, blanks)) {
        return false;
    }
    if (!all_hex(e->hex) || !e->file.n)
        return false;
    *name = escaped ? unescape_name(c, e->file) : wk_dupn(c, e->file.p, e->file.n);
    return true;
}

static bool same_hex(struct wk_str want, const char *got)
{
    for (size_t i = 0; i < want.n; i++)
        if (wk_to_lower((unsigned char)want.p[i]) != got[i])
            return false;
    return true;
}

/* A name with a newline is told with a backslash in front and escapes in it. */
static void tell(struct wk_cmd *c, const char *name, const char *what)
{
    if (strchr(name, '\n')) {
        wk_out_char(c->out, '\\');
        wk_digest_put_name(c->out, name);
    } else {
        wk_out_c(c->out, name);
    }
    wk_out_fmt(c->out, ": %s\n", what);
}

static void check_entry(struct wk_cmd *c, const struct wk_digest_check *o, const struct entry *e,
                        const char *name, struct tally *t)
{
    char got[WK_DIGEST_HEX];
    struct wk_stat st;
    size_t n = e->hex.n;
    enum wk_digest_kind kind = e->kind;
    char *want = wk_dupn(c, e->hex.p, e->hex.n); /* reading the file may move the line */
    if (o->ignore_missing && strcmp(name, "-") != 0 && wk_cmd_stat(c, name, true, &st) == WK_ENOENT)
        return;
    t->lines++;
    int before = c->status;
    if (!wk_digest_file(c, kind, n / 2, name, got)) {
        t->unreadable++;
        if (o->say != WK_CHECK_STATUS)
            tell(c, name, "FAILED open or read");
        return;
    }
    c->status = before;
    bool ok = same_hex(wk_str(want, n), got);
    t->matched += ok;
    t->failed += !ok;
    if (o->say != WK_CHECK_STATUS && (!ok || o->say != WK_CHECK_QUIET))
        tell(c, name, ok ? "OK" : "FAILED");
}

static void report(struct wk_cmd *c, const struct wk_digest_check *o, const char *list,
                   const struct tally *t)
{
    (void)wk_out_flush(c->out);
    if (t->bad_lines && o->say != WK_CHECK_STATUS)
        wk_out_fmt(c->err, "%s: WARNING: %llu line%s improperly formatted\n", c->name,
                   (unsigned long long)t->bad_lines, t->bad_lines == 1 ? " is" : "s are");
    if (t->unreadable && o->say != WK_CHECK_STATUS)
        wk_out_fmt(c->err, "%s: WARNING: %llu listed file%s could not be read\n", c->name,
                   (unsigned long long)t->unreadable, t->unreadable == 1 ? "" : "s");
    if (t->failed && o->say != WK_CHECK_STATUS)
        wk_out_fmt(c->err, "%s: WARNING: %llu computed checksum%s did NOT match\n", c->name,
                   (unsigned long long)t->failed, t->failed == 1 ? "" : "s");
    if (o->ignore_missing && !t->matched && o->say != WK_CHECK_STATUS)
        wk_msg(c, "%s: no file was verified", list);
    if (t->failed || t->unreadable || (t->bad_lines && o->strict) ||
        (o->ignore_missing && !t->matched))
        c->status = 1;
}

void wk_digest_check_list(struct wk_cmd *c, struct wk_digest_check *o, const char *list)
{
    struct tally t = {0};
    struct wk_str line;
    struct entry e = {0};
    if (!o->said)
        o->said = o->any ? "CRC" : wk_digest_tag(o->kind);
    char *name;
    uint64_t number = 0;
    struct wk_in *in = wk_in_open(c, list, true);
    if (!in)
        return;
    struct wk_stat st;
    if (in->file && wk_file_stat(in->file, &st) >= 0 && WK_S_ISDIR(st.mode)) {
        wk_msg(c, "%s: read error", list);
        return;
    }
    const char *shown = strcmp(list, "-") == 0 ? "'standard input'" : list;
    uint64_t any = 0;
    while (wk_line_next(in, '\n', &line)) {
        number++;
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        if (!line.n || line.p[0] == '#')
            continue;
        e.tagged = false;
        bool good = split_line(c, o, line, &o->blanks, &e, &name) &&
                    !(in == c->in && strcmp(name, "-") == 0);
        if (o->any && e.tagged)
            o->said = wk_digest_tag(e.kind);
        if (good) {
            any++;
            check_entry(c, o, &e, name, &t);
            continue;
        }
        t.bad_lines++;
        if (o->say == WK_CHECK_WARN)
            wk_out_fmt(c->err, "%s: %s: %llu: improperly formatted %s checksum line\n", c->name,
                       shown, (unsigned long long)number, o->said);
    }
    if (in != c->in)
        wk_in_close(in);
    if (!any)
        wk_msg(c, "%s: no properly formatted checksum lines found", shown);
    else
        report(c, o, shown, &t);
}
