/* shasum.c - print or check SHA checksums, as perl's program does
 *
 * Standard: FIPS 180-4. Oracle: shasum 6.02.
 */
#include "base/md5.h"
#include "base/num.h"
#include "base/sha2.h"
#include "base/utf8.h"
#include "builtins/fsops.h"

struct shasum_opts {
    bool binary, text, universal, bits, check, tag, ignore_missing, quiet, status, strict, warn, help, version;
    uint64_t algorithm;
};

#define O struct shasum_opts
static const struct wk_opt shasum_options[] = {
    WK_INT_OPT(O, algorithm, 'a', "algorithm", "N", "1 (default), 224, 256, 384, 512, 512224, 512256"),
    WK_FLAG(O, binary, 'b', "binary", "mark sums as of binary files"),
    WK_FLAG(O, check, 'c', "check", "read sums from the FILEs and check them"),
    WK_FLAG(O, tag, 0, "tag", "sums in BSD's form"),
    WK_FLAG(O, text, 't', "text", "mark sums as of text (default)"),
    WK_FLAG(O, universal, 'U', "UNIVERSAL", "CR and CR LF count as LF"),
    WK_FLAG(O, bits, '0', "01", "the characters 0 and 1 are bits, others do not count"),
    WK_FLAG(O, ignore_missing, 0, "ignore-missing", "files that are not there are no failure"),
    WK_FLAG(O, quiet, 'q', "quiet", "no OK for files that are right"),
    WK_FLAG(O, status, 's', "status", "only the status tells"),
    WK_FLAG(O, strict, 0, "strict", "lines of wrong form are a failure"),
    WK_FLAG(O, warn, 'w', "warn", "tell lines of wrong form"),
    WK_FLAG(O, help, 'h', "help", "this text"),
    WK_FLAG(O, version, 'v', "version", "the version"),
    WK_OPTS_END,
};
#undef O

/* ---- sums --------------------------------------------------------------------------------------- */

enum algorithm { A_1, A_224, A_256, A_384, A_512, A_512224, A_512256, A_COUNT };

static const struct {
    uint32_t number;
    const char *tag, *plain; /* of BSD's form; `plain` is read, too */
    unsigned bytes, block;
} rows[A_COUNT] = {
    {1, "SHA1", "SHA1", 20, 64},           {224, "SHA224", "SHA224", 28, 64},
    {256, "SHA256", "SHA256", 32, 64},     {384, "SHA384", "SHA384", 48, 128},
    {512, "SHA512", "SHA512", 64, 128},    {512224, "SHA512/224", "SHA512224", 28, 128},
    {512256, "SHA512/256", "SHA512256", 32, 128},
};

enum { HEX_MAX = 129 };

struct sum {
    enum algorithm a;
    struct wk_md md;
    struct wk_sha2 sha2;
    uint64_t bytes;
    unsigned part, part_bits; /* bits that make no byte yet */
    bool cr;                  /* the byte before was CR */
};

static void add(struct sum *s, const void *p, size_t n)
{
    s->bytes += n;
    if (s->a == A_1)
        wk_md_add(&s->md, p, n);
    else
        wk_sha2_add(&s->sha2, p, n);
}

/* SHA-512/t begins with what SHA-512 with other constants makes of its name (FIPS 180-4, 5.3.6). */
static void begin_truncated(struct wk_sha2 *s, const char *name)
{
    struct wk_sha2 made;
    unsigned char sum[WK_SHA2_MAX];
    wk_sha2_init(&made, WK_SHA512);
    for (size_t i = 0; i < 8; i++)
        made.h.w64[i] ^= 0xa5a5a5a5a5a5a5a5u;
    wk_sha2_add(&made, name, strlen(name));
    (void)wk_sha2_finish(&made, sum);
    for (size_t i = 0; i < 8; i++) {
        s->h.w64[i] = 0;
        for (size_t b = 0; b < 8; b++)
            s->h.w64[i] = s->h.w64[i] << 8 | sum[8 * i + b];
    }
}

static void begin(struct sum *s, enum algorithm a)
{
    static const enum wk_sha2_kind kinds[] = {WK_SHA224, WK_SHA224, WK_SHA256, WK_SHA384,
                                              WK_SHA512, WK_SHA512, WK_SHA512};
    memset(s, 0, sizeof *s);
    s->a = a;
    if (a == A_1)
        wk_sha1_init(&s->md);
    else
        wk_sha2_init(&s->sha2, kinds[a]);
    if (a >= A_512224)
        begin_truncated(&s->sha2, a == A_512224 ? "SHA-512/224" : "SHA-512/256");
}

/* The last bits, the end mark and the length in bits are added by hand; the words then are the sum. */
static void finish_bits(struct sum *s, unsigned char out[WK_SHA2_MAX])
{
    size_t block = rows[s->a].block, length = block / 8;
    unsigned char tail[256] = {0};
    uint64_t bits = s->bytes * 8 + s->part_bits;
    size_t used = (size_t)(s->bytes % block);
    size_t n = used + 1 + length <= block ? block - used : 2 * block - used;
    tail[0] = (unsigned char)(s->part << (8 - s->part_bits) | 0x80u >> s->part_bits);
    for (size_t i = 0; i < 8; i++)
        tail[n - 1 - i] = (unsigned char)(bits >> 8 * i);
    add(s, tail, n);
    for (size_t i = 0; i < rows[s->a].bytes; i++) {
        if (s->a == A_1)
            out[i] = (unsigned char)(s->md.h[i / 4] >> (24 - 8 * (i % 4)));
        else if (block == 64)
            out[i] = (unsigned char)(s->sha2.h.w32[i / 4] >> (24 - 8 * (i % 4)));
        else
            out[i] = (unsigned char)(s->sha2.h.w64[i / 8] >> (56 - 8 * (i % 8)));
    }
}

static void add_bits(struct sum *s, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != '0' && p[i] != '1')
            continue;
        s->part = s->part << 1 | (p[i] == '1');
        if (++s->part_bits == 8) {
            unsigned char byte = (unsigned char)s->part;
            add(s, &byte, 1);
            s->part = s->part_bits = 0;
        }
    }
}

static void add_lines(struct sum *s, const char *p, size_t n)
{
    for (size_t i = 0, run; i < n; i += run) {
        if (p[i] == '\r' || p[i] == '\n') {
            if (p[i] == '\r' || !s->cr)
                add(s, "\n", 1);
            s->cr = p[i] == '\r';
            run = 1;
            continue;
        }
        s->cr = false;
        for (run = 1; i + run < n && p[i + run] != '\r' && p[i + run] != '\n';)
            run++;
        add(s, p + i, run);
    }
}

/* As perl's -T: no NUL, and UTF-8 or at most a third of odd bytes in the first block. */
static bool is_text(const char *p, size_t n)
{
    size_t odd = 0;
    n = WK_MIN(n, 8192);
    if (memchr(p, 0, n))
        return false;
    size_t whole = n; /* a character that the block cuts does not count */
    for (int i = 0; i < 3 && whole && wk_utf8_continues((unsigned char)p[whole - 1]); i++)
        whole--;
    if (wk_utf8_valid(wk_str(p, n)) || (whole && (p[whole - 1] & 0xc0) == 0xc0 && wk_utf8_valid(wk_str(p, whole - 1))))
        return true;
    for (size_t i = 0; i < n; i++) {
        unsigned char ch = (unsigned char)p[i];
        odd += ch > 127 || (ch < ' ' && !strchr("\n\r\b\t\f\033", ch));
    }
    return odd * 3 <= n;
}

/* The sum of a file as hexadecimal text; a positive code when it cannot be read. */
static int sum_file(struct wk_cmd *c, enum algorithm a, char mode, const char *path, char hex[HEX_MAX])
{
    static const char digits[] = "0123456789abcdef";
    struct wk_in *in;
    struct sum s;
    unsigned char raw[WK_SHA2_MAX];
    const char *p;
    size_t n;
    int err = wk_raw_open(c, path, true, &in);
    if (err)
        return err;
    begin(&s, a);
    bool first = true;
    while ((n = wk_raw_next(c, in, &p, &err)) > 0) {
        if (first && mode == 'U' && !is_text(p, n))
            mode = ' ';
        first = false;
        if (mode == '^')
            add_bits(&s, p, n);
        else if (mode == 'U')
            add_lines(&s, p, n);
        else
            add(&s, p, n);
        wk_file_skip(in->file, n);
        wk_tick(c, (uint32_t)(n / 16 & 0xffffff) + 1);
    }
    if (in != c->in)
        wk_in_close(in);
    if (err)
        return err;
    finish_bits(&s, raw);
    for (size_t i = 0; i < rows[a].bytes; i++) {
        hex[2 * i] = digits[raw[i] >> 4];
        hex[2 * i + 1] = digits[raw[i] & 15];
    }
    hex[2 * rows[a].bytes] = '\0';
    return 0;
}

static void say(struct wk_cmd *c, const char *name, int err)
{
    (void)wk_out_flush(c->out);
    wk_msg(c, "%s: %s", name, wk_err_text(err));
}

static void print_sum(struct wk_cmd *c, const struct shasum_opts *o, enum algorithm a, char mode, const char *path)
{
    char hex[HEX_MAX];
    int err = sum_file(c, a, mode, path, hex);
    if (err) {
        say(c, path, err);
        return;
    }
    if (strpbrk(path, "\\\n"))
        wk_out_char(c->out, '\\');
    if (o->tag)
        wk_out_fmt(c->out, "%s (", rows[a].tag);
    else
        wk_out_fmt(c->out, "%s %c", hex, mode);
    for (const char *p = path; *p; p++) {
        if (*p == '\n' || *p == '\\')
            wk_out_c(c->out, *p == '\n' ? "\\n" : "\\\\");
        else
            wk_out_char(c->out, *p);
    }
    if (o->tag)
        wk_out_fmt(c->out, ") = %s", hex);
    wk_out_char(c->out, '\n');
}

/* ---- checking ----------------------------------------------------------------------------------- */

struct line {
    struct wk_str hex;
    char *name;
    char mode;
    bool nul; /* there is one in the name: no file has it */
    enum algorithm a;
};

static char *unescape(struct wk_cmd *c, struct wk_str s)
{
    char *p = wk_dupn(c, s.p, s.n);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool pair = s.p[i] == '\\' && i + 1 < s.n && (s.p[i + 1] == 'n' || s.p[i + 1] == '\\');
        i += pair;
        p[n++] = pair && s.p[i] == 'n' ? '\n' : s.p[i];
    }
    p[n] = '\0';
    return p;
}

static size_t hex_length(struct wk_str s)
{
    size_t n = 0;
    while (n < s.n && wk_is_xdigit((unsigned char)s.p[n]))
        n++;
    return n;
}

static bool read_tagged(struct wk_str s, struct line *l, struct wk_str *name)
{
    for (int i = A_COUNT - 1; i >= 0; i--) {
        struct wk_str tag = wk_str_c(rows[i].tag);
        if (!wk_str_starts(s, tag))
            tag = wk_str_c(rows[i].plain);
        if (!wk_str_starts(s, tag) || !wk_str_starts(wk_str_from(s, tag.n), WK_STR(" (")))
            continue;
        s = wk_str_from(s, tag.n + 2);
        for (size_t at = s.n; at > 1; at--) { /* the last ") = HEX" */
            struct wk_str rest = wk_str_from(s, at - 1);
            if (!wk_str_starts(rest, WK_STR(") = ")))
                continue;
            rest = wk_str_from(rest, 4);
            l->hex = wk_str_take(rest, hex_length(rest));
            if (!l->hex.n)
                continue;
            *name = wk_str_take(s, at - 1);
            l->a = (enum algorithm)i;
            l->mode = ' ';
            return true;
        }
        return false;
    }
    return false;
}

static bool read_line(struct wk_cmd *c, const struct shasum_opts *o, struct wk_str s, struct line *l)
{
    struct wk_str name;
    while (s.n && wk_is_space((unsigned char)s.p[0]))
        s = wk_str_from(s, 1);
    bool escaped = s.n && s.p[0] == '\\';
    s = wk_str_from(s, escaped);
    if (!read_tagged(s, l, &name)) {
        size_t n = hex_length(s);
        int a = A_COUNT;
        while (a-- > 0)
            if (2 * rows[a].bytes == n && (a < A_512224 || o->algorithm == rows[a].number))
                break;
        if (a < 0 || s.n < n + 3 || s.p[n] != ' ' || !strchr(" *U^", s.p[n + 1]) || !s.p[n + 1])
            return false;
        l->a = (enum algorithm)a;
        l->hex = wk_str_take(s, n);
        l->mode = s.p[n + 1];
        name = wk_str_from(s, n + 2);
    }
    l->nul = memchr(name.p, 0, name.n) != NULL;
    l->name = escaped ? unescape(c, name) : wk_dupn(c, name.p, name.n);
    return true;
}

struct tally {
    uint64_t right_form, wrong_form, unreadable, failed, verified;
};

static bool same_hex(struct wk_str want, const char *got)
{
    if (strlen(got) != want.n)
        return false;
    for (size_t i = 0; i < want.n; i++)
        if (wk_to_lower((unsigned char)want.p[i]) != got[i])
            return false;
    return true;
}

static void check_line(struct wk_cmd *c, const struct shasum_opts *o, struct line *l, struct tally *t)
{
    char hex[HEX_MAX];
    struct wk_stat st;
    l->hex.p = wk_dupn(c, l->hex.p, l->hex.n);
    if (o->ignore_missing && strcmp(l->name, "-") != 0 && wk_cmd_stat(c, l->name, true, &st) != 0)
        return;
    int err = l->nul ? WK_ENOENT : sum_file(c, l->a, l->mode, l->name, hex);
    if (err) {
        say(c, l->name, err);
        t->unreadable++;
        if (!o->status)
            wk_out_fmt(c->out, "%s: FAILED open or read\n", l->name);
        return;
    }
    bool ok = same_hex(l->hex, hex);
    t->verified++;
    t->failed += !ok;
    if (!o->status && !(ok && o->quiet))
        wk_out_fmt(c->out, "%s: %s\n", l->name, ok ? "OK" : "FAILED");
}

static void report(struct wk_cmd *c, const struct shasum_opts *o, const char *list, const struct tally *t)
{
    (void)wk_out_flush(c->out);
    int status = c->status;
    if (!t->right_form) {
        wk_msg(c, "%s: no properly formatted SHA checksum lines found", list);
        return;
    }
    if (t->wrong_form && !o->status)
        wk_msg(c, "WARNING: %llu line%s improperly formatted", (unsigned long long)t->wrong_form,
               t->wrong_form == 1 ? " is" : "s are");
    if (t->unreadable && !o->status)
        wk_msg(c, "WARNING: %llu listed file%s could not be read", (unsigned long long)t->unreadable,
               t->unreadable == 1 ? "" : "s");
    if (t->failed && !o->status)
        wk_msg(c, "WARNING: %llu computed checksum%s did NOT match", (unsigned long long)t->failed,
               t->failed == 1 ? "" : "s");
    if (o->ignore_missing && !t->verified && !o->status)
        wk_msg(c, "%s: no file was verified", list);
    bool bad = t->unreadable || t->failed || (t->wrong_form && o->strict) || (o->ignore_missing && !t->verified);
    c->status = bad ? 1 : status;
}

static void check_list(struct wk_cmd *c, const struct shasum_opts *o, const char *path)
{
    const char *list = strcmp(path, "-") == 0 ? "standard input" : path;
    struct tally t = {0};
    struct wk_in *in;
    struct wk_str s;
    uint64_t number = 0;
    int err = wk_raw_open(c, path, true, &in);
    if (err && err != WK_EISDIR) {
        say(c, path, err);
        wk_exit(c, 2);
    }
    struct wk_stat st;
    bool directory = err || (in != c->in && wk_cmd_stat(c, path, true, &st) == 0 &&
                             (st.mode & WK_S_IFMT) == WK_S_IFDIR);
    while (!directory && wk_line_next(in, '\n', &s)) {
        struct line l;
        number++;
        if (s.n && s.p[0] == '#')
            continue;
        int status = c->status;
        if (read_line(c, o, s, &l)) {
            t.right_form++;
            check_line(c, o, &l, &t);
        } else {
            t.wrong_form++;
            if (o->warn) {
                (void)wk_out_flush(c->out);
                wk_msg(c, "%s: %llu: improperly formatted SHA checksum line", list, (unsigned long long)number);
            }
        }
        c->status = status;
    }
    report(c, o, list, &t);
}

/* ---- options: read as perl's Getopt::Long does --------------------------------------------------- */

struct reader {
    struct wk_cmd *c;
    struct shasum_opts *o;
    bool wrong;
};

static void complain(struct reader *r, const char *text)
{
    wk_out_fmt(r->c->err, "%s\n", text);
    r->wrong = true;
}

static void set(struct reader *r, const struct wk_opt *o, const char *label, const char *arg)
{
    if (!o->arg) {
        memcpy((char *)r->o + o->offset, &(bool){true}, sizeof(bool));
        return;
    }
    const char *digits = arg + (*arg == '-' || *arg == '+');
    if (!*digits || digits[strspn(digits, "0123456789")]) {
        complain(r, wk_strf(r->c, "Value \"%s\" invalid for option %s (number expected)", arg, label));
        return;
    }
    r->o->algorithm = 0;
    if (*arg != '-' && wk_parse_u64(wk_str_c(digits), 10, &r->o->algorithm) != 0)
        r->o->algorithm = 0;
}

static bool same_word(struct wk_str given, const char *name, bool whole)
{
    for (size_t i = 0; i < given.n; i++)
        if (!name[i] || wk_to_lower((unsigned char)given.p[i]) != wk_to_lower((unsigned char)name[i]))
            return false;
    return !whole || !name[given.n];
}

/* Gives how many words it took. */
static int read_long(struct reader *r, int i)
{
    struct wk_cmd *c = r->c;
    const char *word = c->argv[i] + 2, *equals = strchr(word, '=');
    struct wk_str name = wk_str(word, equals ? (size_t)(equals - word) : strlen(word));
    const struct wk_opt *found = NULL, *second = NULL;
    for (const struct wk_opt *o = shasum_options; o->kind != WK_OPT_END; o++) {
        if (!same_word(name, o->long_name, false))
            continue;
        second = found;
        found = o;
        if (same_word(name, o->long_name, true)) {
            second = NULL;
            break;
        }
    }
    char *label = wk_dupn(c, name.p, name.n);
    for (char *p = label; *p; p++)
        *p = (char)wk_to_lower((unsigned char)*p);
    if (!found || second) {
        complain(r, second ? wk_strf(c, "Option %s is ambiguous (%s, %s)", label, second->long_name, found->long_name)
                           : wk_strf(c, "Unknown option: %s", label));
        return 1;
    }
    if (!found->arg) {
        if (equals)
            complain(r, wk_strf(c, "Option %s does not take an argument", found->long_name));
        else
            set(r, found, found->long_name, NULL);
        return 1;
    }
    if (equals ? !equals[1] : i + 1 >= c->argc) {
        complain(r, wk_strf(c, "Option %s requires an argument", found->long_name));
        return 1;
    }
    set(r, found, found->long_name, equals ? equals + 1 : c->argv[i + 1]);
    return equals ? 1 : 2;
}

static int read_letters(struct reader *r, int i)
{
    struct wk_cmd *c = r->c;
    for (const char *p = c->argv[i] + 1; *p; p++) {
        const struct wk_opt *o = shasum_options;
        while (o->kind != WK_OPT_END && o->short_name != *p)
            o++;
        if (o->kind == WK_OPT_END) {
            complain(r, wk_strf(c, "Unknown option: %c", *p));
        } else if (!o->arg) {
            set(r, o, NULL, NULL);
        } else if (p[1]) {
            bool was = r->wrong;
            r->wrong = false;
            set(r, o, "a", p + 1);
            bool taken = !r->wrong;
            r->wrong = r->wrong || was;
            if (taken)
                return 1;
        } else if (i + 1 < c->argc) {
            set(r, o, "a", c->argv[i + 1]);
            return 2;
        } else {
            complain(r, "Option a requires an argument");
        }
    }
    return 1;
}

static WK_NORETURN void refuse(struct wk_cmd *c, const char *text)
{
    if (text)
        wk_msg(c, "%s", text);
    wk_out_c(c->err, "Type shasum -h for help\n");
    wk_exit(c, 1);
}

static enum algorithm settle(struct wk_cmd *c, const struct shasum_opts *o)
{
    if (o->binary + o->text + o->universal + o->bits > 1)
        refuse(c, "Ambiguous file mode");
    if (!o->check) {
        const char *only = o->warn             ? "warn"
                           : o->status         ? "status"
                           : o->quiet          ? "quiet"
                           : o->ignore_missing ? "ignore-missing"
                           : o->strict         ? "strict"
                                               : NULL;
        if (only)
            refuse(c, wk_strf(c, "--%s option used only when verifying checksums", only));
        const char *other = o->text ? "--text" : o->universal ? "Universal Newlines" : o->bits ? "BITS" : NULL;
        if (o->tag && other)
            refuse(c, wk_strf(c, "--tag does not support %s mode", other));
    }
    for (int a = 0; a < A_COUNT; a++)
        if (rows[a].number == o->algorithm)
            return (enum algorithm)a;
    refuse(c, "Unrecognized algorithm");
}

static int shasum_main(struct wk_cmd *c)
{
    struct shasum_opts *o = wk_new(c, struct shasum_opts);
    struct reader r = {.c = c, .o = o};
    const char **files = wk_new_n(c, const char *, (size_t)c->argc + 1);
    size_t n = 0;
    o->algorithm = 1;
    for (int i = 1; i < c->argc;) {
        const char *a = c->argv[i];
        if (strcmp(a, "--") == 0) {
            while (++i < c->argc)
                files[n++] = c->argv[i];
        } else if (a[0] != '-' || !a[1]) {
            files[n++] = c->argv[i++];
        } else {
            i += a[1] == '-' ? read_long(&r, i) : read_letters(&r, i);
        }
    }
    if (r.wrong)
        refuse(c, NULL);
    if (o->help)
        wk_cmd_about(c, false);
    enum algorithm a = settle(c, o);
    if (o->version) {
        wk_out_c(c->out, "6.02\n");
        return 0;
    }
    if (!n)
        files[n++] = "-";
    for (size_t i = 0; i < n; i++) {
        if (o->check)
            check_list(c, o, files[i]);
        else
            print_sum(c, o, a, o->binary ? '*' : o->universal ? 'U' : o->bits ? '^' : ' ', files[i]);
    }
    return c->status;
}

WK_COMMAND(shasum, .summary = "print or check SHA checksums", .usage = "shasum [OPTION]... [FILE]...",
           .std = "shasum 6.02", .opts = shasum_options, .opts_size = sizeof(struct shasum_opts),
           .flags = WK_CMD_RAW_ARGS);
