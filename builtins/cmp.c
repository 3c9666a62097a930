/* cmp.c - compare two files byte by byte
 *
 * Standard: POSIX; GNU diffutils 3.8. Oracle: cmp.
 */
#include "base/num.h"
#include "builtins/fsops.h"

struct cmp_opts {
    bool print_bytes, verbose, quiet;
    uint64_t skip[2], limit;
    bool limited;
};

/* A number with a suffix and perhaps more behind it; false when it is none. */
static bool read_bytes(const char **p, char delimiter, uint64_t *v)
{
    *p += strspn(*p, " \t\n\v\f\r");
    size_t n = delimiter ? strcspn(*p, ":") : strlen(*p);
    if (wk_parse_size(wk_str(*p, n), false, v) != 0)
        return false;
    *p += n;
    return true;
}

static void raise_skip(struct cmp_opts *o, int which, uint64_t v)
{
    if (o->skip[which] < v)
        o->skip[which] = v;
}

static int set_skip(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct cmp_opts *o = (struct cmp_opts *)c->opts;
    const char *p = arg;
    uint64_t v, w;
    if (!read_bytes(&p, ':', &v))
        wk_usage(c, "invalid --ignore-initial value '%s'", arg);
    w = v;
    if (*p == ':') {
        const char *second = ++p;
        if (!read_bytes(&p, '\0', &w))
            wk_usage(c, "invalid --ignore-initial value '%s'", second);
    }
    raise_skip(o, 0, v);
    raise_skip(o, 1, w);
    return 0;
}

static int set_limit(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct cmp_opts *o = (struct cmp_opts *)c->opts;
    const char *p = arg;
    uint64_t v;
    if (!read_bytes(&p, '\0', &v))
        wk_usage(c, "invalid --bytes value '%s'", arg);
    if (!o->limited || v < o->limit)
        o->limit = v;
    o->limited = true;
    return 0;
}

/* -l, -s: not together, which is said at once. */
static int set_output(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct cmp_opts *o = (struct cmp_opts *)c->opts;
    (void)arg;
    o->verbose = o->verbose || opt->value == 'l';
    o->quiet = o->quiet || opt->value == 's';
    if (o->verbose && o->quiet)
        wk_usage(c, "options -l and -s are incompatible");
    return 0;
}

static const struct wk_opt cmp_options[] = {
    WK_FLAG(struct cmp_opts, print_bytes, 'b', "print-bytes", "print differing bytes"),
    WK_FLAG(struct cmp_opts, print_bytes, 'c', "print-chars", "(obsolete) the same"),
    WK_FUNC_OPT(set_skip, 0, 'i', "ignore-initial", "SKIP[:SKIP2]",
                "skip first SKIP bytes of FILE1, and SKIP2 (or SKIP) of FILE2"),
    WK_FUNC_OPT(set_output, 'l', 'l', "verbose", NULL, "output byte numbers and differing byte values"),
    WK_FUNC_OPT(set_limit, 0, 'n', "bytes", "LIMIT", "compare at most LIMIT bytes"),
    WK_FUNC_OPT(set_output, 's', 's', "quiet", NULL, "suppress all normal output"),
    WK_FUNC_OPT(set_output, 's', 0, "silent", NULL, "the same"),
    WK_FUNC_OPT(wk_opt_about, 1, 'v', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

struct side {
    struct wk_in *in;
    const char *name;
    struct wk_stat st;
    const char *p; /* at hand */
    size_t n, taken;
    bool eof;
};

struct cmp {
    struct wk_cmd *c;
    const struct cmp_opts *o;
    struct side side[2];
    uint64_t byte, line; /* compared so far; newlines among them */
    char last;           /* the byte before */
    int width;
    bool differs;
};

/* More bytes of a side, when it has none at hand. */
static void fill(struct cmp *m, struct side *s)
{
    if (s->n || s->eof)
        return;
    if (!wk_in_chunk(s->in, &s->p, &s->n)) {
        s->eof = true;
        s->n = 0;
        if (s->in->err)
            wk_exit(m->c, 2);
    }
}

static void skip_bytes(struct cmp *m, struct side *s, uint64_t n)
{
    while (n && !s->eof) {
        fill(m, s);
        size_t k = n < s->n ? (size_t)n : s->n;
        s->p += k;
        s->n -= k;
        n -= k;
    }
}

/* A byte as cat -v shows it. */
static void show_byte(char out[5], unsigned char ch)
{
    char *p = out;
    if (ch >= 128) {
        *p++ = 'M';
        *p++ = '-';
        ch -= 128;
    }
    if (ch < 32 || ch == 127) {
        *p++ = '^';
        ch ^= 64;
    }
    *p++ = (char)ch;
    *p = '\0';
}

static void put_octal(struct wk_out *out, unsigned char ch)
{
    char t[3] = {ch >= 64 ? (char)('0' + (ch >> 6)) : ' ',
                 ch >= 8 ? (char)('0' + (ch >> 3 & 7)) : ' ', (char)('0' + (ch & 7))};
    wk_out_put(out, t, 3);
}

static void put_padded(struct wk_out *out, const char *s, int width)
{
    wk_out_c(out, s);
    for (int n = (int)strlen(s); n < width; n++)
        wk_out_char(out, ' ');
}

/* Whether messages are those of POSIX. */
static bool plain_locale(struct wk_cmd *c)
{
    static const char *const from[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < WK_COUNTOF(from); i++) {
        const char *v = wk_cmd_env(c, from[i]);
        if (v && *v)
            return strcmp(v, "C") == 0 || strcmp(v, "POSIX") == 0;
    }
    return true;
}

static void put_first(struct cmp *m, unsigned char a, unsigned char b)
{
    struct wk_out *out = m->c->out;
    wk_out_fmt(out, "%s %s differ: %s %llu, line %llu", m->side[0].name, m->side[1].name,
               plain_locale(m->c) && !m->o->print_bytes ? "char" : "byte", (unsigned long long)m->byte + 1,
               (unsigned long long)m->line + 1);
    if (m->o->print_bytes) {
        char x[5], y[5];
        show_byte(x, a);
        show_byte(y, b);
        wk_out_c(out, " is ");
        put_octal(out, a);
        wk_out_fmt(out, " %s ", x);
        put_octal(out, b);
        wk_out_fmt(out, " %s", y);
    }
    wk_out_char(out, '\n');
}

static void put_each(struct cmp *m, uint64_t at, unsigned char a, unsigned char b)
{
    struct wk_out *out = m->c->out;
    wk_out_fmt(out, "%*llu ", m->width, (unsigned long long)at);
    put_octal(out, a);
    char x[5], y[5];
    show_byte(x, a);
    show_byte(y, b);
    wk_out_char(out, ' ');
    if (m->o->print_bytes) {
        put_padded(out, x, 4);
        wk_out_char(out, ' ');
    }
    put_octal(out, b);
    if (m->o->print_bytes)
        wk_out_fmt(out, " %s", y);
    wk_out_char(out, '\n');
}

static uint64_t count_lines(const char *p, size_t n)
{
    uint64_t lines = 0;
    const char *end = p + n;
    while (p < end && (p = (const char *)memchr(p, '\n', (size_t)(end - p))) != NULL) {
        lines++;
        p++;
    }
    return lines;
}

/* Compares n bytes that both sides have at hand; false when that is enough. */
static bool compare_piece(struct cmp *m, size_t n)
{
    const char *a = m->side[0].p, *b = m->side[1].p;
    size_t same = 0;
    if (memcmp(a, b, n) == 0) {
        same = n;
    } else if (m->o->quiet) {
        m->differs = true;
        return false;
    } else if (m->o->verbose) {
        for (size_t i = 0; i < n; i++)
            if (a[i] != b[i])
                put_each(m, m->byte + i + 1, (unsigned char)a[i], (unsigned char)b[i]);
        m->differs = true;
        same = n;
    } else {
        while (a[same] == b[same])
            same++;
    }
    if (!m->o->verbose)
        m->line += count_lines(a, same);
    m->last = a[n - 1];
    m->byte += same;
    if (same < n) {
        put_first(m, (unsigned char)a[same], (unsigned char)b[same]);
        m->differs = true;
        return false;
    }
    return true;
}

/* One side is at its end, and the other is not. */
static void tell_end(struct cmp *m, const struct side *s)
{
    struct wk_out *err = m->c->err;
    m->differs = true;
    if (m->o->quiet)
        return;
    wk_out_fmt(err, "%s: EOF on %s ", m->c->name, s->name);
    if (!m->byte)
        wk_out_c(err, "which is empty\n");
    else if (m->o->verbose)
        wk_out_fmt(err, "after byte %llu\n", (unsigned long long)m->byte);
    else if (m->last == '\n')
        wk_out_fmt(err, "after byte %llu, line %llu\n", (unsigned long long)m->byte,
                   (unsigned long long)m->line);
    else
        wk_out_fmt(err, "after byte %llu, in line %llu\n", (unsigned long long)m->byte,
                   (unsigned long long)m->line + 1);
}

static void compare(struct cmp *m)
{
    struct side *a = &m->side[0], *b = &m->side[1];
    uint64_t left = m->o->limited ? m->o->limit : UINT64_MAX;
    while (left) {
        fill(m, a);
        fill(m, b);
        if (a->eof || b->eof) {
            if (a->eof != b->eof)
                tell_end(m, a->eof ? a : b);
            return;
        }
        size_t n = a->n < b->n ? a->n : b->n;
        n = n < left ? n : (size_t)left;
        wk_tick(m->c, (uint32_t)(n / 64) + 1);
        if (!compare_piece(m, n))
            return;
        a->p += n, a->n -= n;
        b->p += n, b->n -= n;
        left -= n;
    }
}

static void open_side(struct cmp *m, int which, const char *name)
{
    struct side *s = &m->side[which];
    s->name = name;
    int err = wk_raw_open(m->c, name, true, &s->in);
    if (!err && wk_file_stat(s->in->file, &s->st) < 0)
        s->st = (struct wk_stat){0};
    bool dir = !err && WK_S_ISDIR(s->st.mode); /* found by reading only: -s does not hide that */
    if (!err && !dir)
        return;
    if (dir || !m->o->quiet)
        wk_warn(m->c, name, dir ? WK_EISDIR : err);
    wk_exit(m->c, 2);
}

/* As many digits as the last byte that can be compared has, where that is known. */
static int number_width(const struct cmp *m)
{
    uint64_t most = m->o->limited ? m->o->limit : UINT64_MAX;
    for (int i = 0; i < 2; i++) {
        const struct wk_stat *st = &m->side[i].st;
        if (!WK_S_ISREG(st->mode))
            continue;
        uint64_t size = (uint64_t)st->size > m->o->skip[i] ? (uint64_t)st->size - m->o->skip[i] : 0;
        most = size < most ? size : most;
    }
    int width = 1;
    for (; most >= 10; most /= 10)
        width++;
    return width;
}

/* Nothing needs to be read: one file, or sizes that differ and no other question. */
static bool known_at_once(const struct cmp *m, bool *differs)
{
    const struct side *a = &m->side[0], *b = &m->side[1];
    if (WK_S_ISREG(a->st.mode) && wk_stat_same(&a->st, &b->st) && m->o->skip[0] == m->o->skip[1] &&
        a->in->file == b->in->file) {
        *differs = false;
        return true;
    }
    if (m->o->quiet && !m->o->limited && !m->o->skip[0] && !m->o->skip[1] &&
        WK_S_ISREG(a->st.mode) && WK_S_ISREG(b->st.mode) && a->st.size != b->st.size &&
        a->st.size > 0 && b->st.size > 0 && a->in != m->c->in && b->in != m->c->in) {
        *differs = true;
        return true;
    }
    return false;
}

static int cmp_main(struct wk_cmd *c)
{
    struct cmp_opts *o = (struct cmp_opts *)c->opts;
    if (!c->nargs)
        wk_usage(c, "missing operand after '%s'", c->argv[c->argc - 1]);
    for (int i = 2; i < c->nargs && i < 4; i++) {
        const char *p = c->args[i];
        uint64_t v;
        if (!read_bytes(&p, '\0', &v))
            wk_usage(c, "invalid --ignore-initial value '%s'", c->args[i]);
        raise_skip(o, i - 2, v);
    }
    if (c->nargs > 4)
        wk_usage(c, "extra operand '%s'", c->args[4]);
    struct cmp m = {.c = c, .o = o};
    open_side(&m, 0, c->args[0]);
    open_side(&m, 1, c->nargs > 1 ? c->args[1] : "-");
    if (m.side[0].in == m.side[1].in || known_at_once(&m, &m.differs))
        return m.differs;
    m.width = number_width(&m);
    skip_bytes(&m, &m.side[0], o->skip[0]);
    skip_bytes(&m, &m.side[1], o->skip[1]);
    compare(&m);
    return m.differs;
}

WK_COMMAND(cmp, .summary = "compare two files byte by byte",
           .usage = "cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]", .std = "diffutils 3.8",
           .help = "SKIP values may be followed by the following multiplicative suffixes:\nkB "
                   "1000, K 1024, MB 1,000,000, M 1,048,576,\n"
                   "GB 1,000,000,000, G 1,073,741,824, and so on for T, P, E, Z, Y.\n\nIf a FILE "
                   "is '-' or missing, read standard input.\n"
                   "Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.",
           .opts = cmp_options, .opts_size = sizeof(struct cmp_opts), .flags = WK_CMD_SAY_NAME | WK_CMD_RAW_NAMES,
           .usage_status = 2);
