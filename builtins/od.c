/* od.c - dump files in octal and other formats
 *
 * Standard: GNU coreutils 9.1, on a little-endian machine. Oracle: od.
 */
#include "builtins/od.h"

#include "base/num.h"
#include "builtins/choice.h"
#include "builtins/zone.h"

struct od_opts {
    struct wk_od_specs specs;
    char radix; /* o d x n */
    bool limited, all, strings, traditional, modern, swap, width_given;
    bool wrong; /* a type was, and it is said */
    uint64_t skip, limit, least, width;
};

/* `name` is that of the option, as it was given. */
static uint64_t number(struct wk_cmd *c, const char *name, const char *arg)
{
    uint64_t v;
    const char *p = arg + strspn(arg, " \t\n\v\f\r");
    int r, err;
    if (p[0] == '0' && p[1]) { /* hexadecimal or octal, perhaps with a suffix */
        static const char suffixes[] = "bkKmMG";
        static const unsigned char shifts[] = {9, 10, 10, 20, 20, 30};
        size_t n = wk_scan_u64(wk_str_c(p), 0, &v, &err);
        const char *at = p[n] && p[1] != 'x' && p[1] != 'X' ? strchr(suffixes, p[n]) : NULL;
        r = err ? -WK_ERANGE : p[n] && !(at && !p[n + 1]) ? -WK_EINVAL : 0;
        if (!r && at)
            v <<= shifts[at - suffixes];
    } else {
        r = wk_parse_size(wk_str_c(p), true, &v);
    }
    if (!r && (strcmp(name, "-w") == 0 || strcmp(name, "--width") == 0) && !wk_is_digit(p[strlen(p) - 1]))
        r = -WK_EINVAL; /* no suffix there */
    if (r == -WK_ERANGE)
        wk_fail(c, 1, "%s argument '%s' too large", name, arg);
    if (r && *p && strchr("0123456789bkKmMGTPEZY", *p)) /* "b" alone is 1b */
        wk_fail(c, 1, "invalid suffix in %s argument '%s'", name, arg);
    if (r)
        wk_fail(c, 1, "invalid %s argument '%s'", name, arg);
    return v;
}

static int set_option(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice ends[] = {{"little", 0}, {"big", 1}, {NULL, 0}};
    struct od_opts *o = (struct od_opts *)c->opts;
    char given[3] = {'-', opt->short_name, '\0'};
    const char *name = opt->short_name ? given : wk_strf(c, "--%s", opt->long_name);
    o->modern = true;
    switch (opt->value) {
    case 'A':
        if (!*arg || !strchr("doxn", *arg))
            wk_fail(c, 1, "invalid output address radix '%c'; it must be one character from [doxn]",
                    *arg);
        o->radix = *arg;
        break;
    case 'j':
        o->skip = number(c, name, arg);
        break;
    case 'N':
        o->limit = number(c, name, arg);
        o->limited = true;
        break;
    case 'S':
        o->strings = true;
        o->least = arg ? number(c, name, arg) : 3;
        break;
    case 't':
        o->wrong = !wk_od_add(c, &o->specs, arg) || o->wrong;
        break;
    case 'v':
        o->all = true;
        break;
    case 'w':
        o->width_given = true;
        o->width = arg ? number(c, name, arg) : 32;
        break;
    case 'e':
        o->swap = wk_choice_read(c, "--endian", arg, ends) == 1;
        break;
    }
    return 0;
}

static int set_type(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const char *const types[] = {
        ['B'] = "o2", ['D'] = "u4", ['F'] = "fD", ['H'] = "x4", ['I'] = "dL", ['L'] = "dL",
        ['O'] = "o4", ['X'] = "x4", ['a'] = "a",  ['b'] = "o1", ['c'] = "c",  ['d'] = "u2", ['e'] = "fD", ['f'] = "fF",
        ['h'] = "x2", ['i'] = "dI", ['l'] = "dL", ['o'] = "o2", ['s'] = "d2", ['x'] = "x2"};
    (void)arg;
    (void)wk_od_add(c, &((struct od_opts *)c->opts)->specs, types[opt->value]);
    return 0;
}

#define TYPE(ch, help) WK_FUNC_OPT(set_type, ch, ch, NULL, NULL, help)

static const struct wk_opt od_options[] = {
    WK_FUNC_OPT(
        set_option, 'A', 'A', "address-radix", "RADIX",
        "output format for file offsets; RADIX is one\nof [doxn], for Decimal, Octal, Hex or "
        "None"),
    WK_FUNC_OPT(set_option, 'e', 0, "endian", "{big|little}",
                "swap input bytes according the specified order"),
    WK_FUNC_OPT(set_option, 'j', 'j', NULL, "BYTES", "skip BYTES input bytes first"),
    WK_FUNC_OPT(set_option, 'j', 0, "skip-bytes", "BYTES", "the same"),
    WK_FUNC_OPT(set_option, 'N', 'N', NULL, "BYTES", "limit dump to BYTES input bytes"),
    WK_FUNC_OPT(set_option, 'N', 0, "read-bytes", "BYTES", "the same"),
    WK_FUNC_OPT(set_option, 'S', 'S', NULL, "BYTES",
                "output strings of at least BYTES graphic chars"),
    WK_FUNC_OPT(set_option, 'S', 0, "strings", "[BYTES",
                "the same; 3 is implied when BYTES is not specified"),
    WK_FUNC_OPT(set_option, 't', 't', "format", "TYPE", "select output format or formats"),
    WK_FUNC_OPT(set_option, 'v', 'v', "output-duplicates", NULL, "do not use * to mark line suppression"),
    WK_FUNC_OPT(set_option, 'w', 'w', NULL, "[BYTES",
                "output BYTES bytes per output line;\n32 is implied when BYTES is not specified"),
    WK_FUNC_OPT(set_option, 'w', 0, "width", "[BYTES", "the same"),
    WK_FLAG(struct od_opts, traditional, 0, "traditional", "accept [FILE] [[+]OFFSET [[+]LABEL]]"),
    TYPE('a', "same as -t a,  select named characters, ignoring high-order bit"),
    TYPE('b', "same as -t o1, select octal bytes"),
    TYPE('c', "same as -t c,  select printable characters or backslash escapes"),
    TYPE('d', "same as -t u2, select unsigned decimal 2-byte units"),
    TYPE('e', "same as -t fD, select doubles"),
    TYPE('f', "same as -t fF, select floats"),
    TYPE('h', "same as -t x2, select hexadecimal 2-byte units"),
    TYPE('i', "same as -t dI, select decimal ints"),
    TYPE('l', "same as -t dL, select decimal longs"),
    TYPE('o', "same as -t o2, select octal 2-byte units"),
    TYPE('s', "same as -t d2, select decimal 2-byte units"),
    TYPE('x', "same as -t x2, select hexadecimal 2-byte units"),
    TYPE('B', "same as -t o2"),
    TYPE('D', "same as -t u4"),
    TYPE('F', "same as -t fD"),
    TYPE('H', "same as -t x4"),
    TYPE('I', "same as -t dL"),
    TYPE('L', "same as -t dL"),
    TYPE('O', "same as -t o4"),
    TYPE('X', "same as -t x4"),
    WK_OPTS_END,
};

struct od_state {
    struct wk_cmd *c;
    struct od_opts *o;
    struct wk_in *in; /* the present input; NULL at the end */
    struct wk_buf *row;
    uint64_t offset, label;
    bool labelled;
};

/* Reads over the ends of files. */
static size_t read_bytes(struct od_state *s, void *dst, size_t cap)
{
    size_t n = 0;
    while (n < cap && s->in) {
        n += wk_in_read(s->in, (char *)dst + n, cap - n);
        if (n < cap && !wk_input_next(s->c, &s->in))
            s->in = NULL;
    }
    return n;
}

static void skip_bytes(struct od_state *s, uint64_t count)
{
    const char *p;
    size_t n;
    struct wk_stat st;
    while (count && s->in) {
        if (s->in->file && wk_file_stat(s->in->file, &st) >= 0 &&
            (WK_S_ISCHR(st.mode) || WK_S_ISDIR(st.mode)))
            return; /* can be sought in, past any end */
        if (!wk_in_chunk(s->in, &p, &n)) {
            count = s->in->err ? 0 : count;
            if (!wk_input_next(s->c, &s->in))
                s->in = NULL;
            continue;
        }
        if (n > count) {
            wk_in_used(s->in, (size_t)count);
            n = (size_t)count;
        }
        count -= n;
    }
    if (count)
        wk_fail(s->c, 1, "cannot skip past end of combined input");
}

static void put_number(struct wk_buf *b, char radix, uint64_t v)
{
    char text[WK_NUM_MAX];
    size_t n = wk_fmt_u64(text, v, radix == 'd' ? 10 : radix == 'x' ? 16 : 8);
    size_t least = radix == 'x' ? 6 : 7;
    if (n < least)
        wk_buf_fill(b, '0', least - n);
    wk_buf_put(b, text, n);
}

static void put_address(struct od_state *s, uint64_t v)
{
    if (s->o->radix != 'n')
        put_number(s->row, s->o->radix, v);
    if (s->labelled) {
        wk_buf_put_c(s->row, s->o->radix == 'n' ? "(" : " (");
        put_number(s->row, s->o->radix == 'n' ? 'o' : s->o->radix,
                   s->o->radix == 'n' ? v : v - s->offset + s->label);
        wk_buf_putc(s->row, ')');
    }
}

static void put_row(struct od_state *s)
{
    if (s->row->failed)
        wk_heap_exhausted(s->c->heap);
    wk_out_str(s->c->out, wk_buf_str(s->row));
    wk_buf_reset(s->row);
}

static void put_block(struct od_state *s, uint64_t at, const unsigned char *block, size_t n,
                      size_t block_n)
{
    for (size_t i = 0; i < s->o->specs.n; i++) {
        if (i == 0)
            put_address(s, at);
        else if (s->o->radix != 'n' || s->labelled)
            wk_buf_fill(s->row, ' ', s->o->radix == 'x' ? 6 : 7);
        wk_od_put_row(s->c, s->row, &s->o->specs.v[i], block, n, block_n, s->o->swap);
        wk_buf_putc(s->row, '\n');
    }
    put_row(s);
}

static size_t choose_block(struct od_state *s)
{
    struct od_opts *o = s->o;
    uint64_t unit = 1, columns = 0;
    for (size_t i = 0; i < o->specs.n; i++)
        if (o->specs.v[i].size > unit)
            unit = o->specs.v[i].size; /* all are powers of two */
    uint64_t block = 16 / unit * unit;
    if (o->width_given) {
        block = o->width;
        if (block == 0 || block % unit) {
            wk_out_fmt(s->c->err, "%s: warning: invalid width %llu; using %llu instead\n",
                       s->c->name, (unsigned long long)block, (unsigned long long)unit);
            block = unit;
        }
    }
    if (block > 1 << 28)
        wk_fail(s->c, 1, "memory exhausted");
    for (size_t i = 0; i < o->specs.n; i++) {
        const struct wk_od_spec *f = &o->specs.v[i];
        uint64_t w = block / f->size * (f->width + 1);
        columns = w > columns ? w : columns;
    }
    for (size_t i = 0; i < o->specs.n; i++) {
        struct wk_od_spec *f = &o->specs.v[i];
        f->pad = (unsigned)(columns - block / f->size * (f->width + 1));
    }
    return (size_t)block;
}

static void dump(struct od_state *s, size_t block_n)
{
    size_t n, have = 0;
    unsigned char *block = (unsigned char *)wk_heap_alloc(s->c->heap, block_n + 16);
    unsigned char *before = (unsigned char *)wk_heap_alloc(s->c->heap, block_n + 16);
    uint64_t at = s->offset, left = s->o->limited ? s->o->limit : UINT64_MAX;
    bool star = false;
    while ((n = read_bytes(s, block, left < block_n ? (size_t)left : block_n)) > 0) {
        if (n == block_n && have == n && !s->o->all && memcmp(block, before, n) == 0) {
            if (!star)
                wk_out_c(s->c->out, "*\n");
            star = true;
        } else {
            memset(block + n, 0, block_n + 16 - n);
            put_block(s, at, block, n, block_n);
            star = false;
        }
        at += n;
        left -= n;
        have = n;
        unsigned char *swap = block;
        block = before;
        before = swap;
        wk_tick(s->c, (uint32_t)(n / 8 & 0xffffff) + 1);
        if (n < block_n)
            break;
    }
    put_address(s, at);
    if (s->row->n)
        wk_buf_putc(s->row, '\n');
    put_row(s);
}

static void put_string(struct od_state *s, uint64_t at, struct wk_str text)
{
    put_address(s, at);
    if (s->o->radix != 'n')
        wk_buf_putc(s->row, ' ');
    wk_buf_puts(s->row, text);
    wk_buf_putc(s->row, '\n');
    put_row(s);
}

/* Runs of printable bytes that a NUL ends. */
static void dump_strings(struct od_state *s)
{
    struct wk_fifo_buf run = {0};
    uint64_t at = s->offset, left = s->o->limited ? s->o->limit : UINT64_MAX, start = at;
    char piece[512];
    size_t n;
    while ((n = read_bytes(s, piece, left < sizeof piece ? (size_t)left : sizeof piece)) > 0) {
        for (size_t i = 0; i < n; i++, at++) {
            if (piece[i] >= 32 && piece[i] < 127) {
                if (run.n == 0)
                    start = at;
                wk_fifo_put(s->c, &run, &piece[i], 1);
                continue;
            }
            if (piece[i] == '\0' && run.n >= s->o->least)
                put_string(s, run.n ? start : at, wk_str(run.p + run.head, run.n));
            wk_fifo_take(&run, run.n);
        }
        left -= n;
        wk_tick(s->c, 64);
    }
}

/* [+]OFFSET[b|B] of the old form: octal, or hexadecimal with 0x. A point, which once meant decimal, is refused. */
static bool old_offset(const char *text, uint64_t *out)
{
    const char *p = text + (*text == '+');
    int err, base = p[0] == '0' && (p[1] | 0x20) == 'x' ? 16 : 8;
    p += strspn(p, " \t\n\v\f\r");
    p += *p == '+';
    size_t n = !*text || *p == '+' ? 0 : wk_scan_u64(wk_str_c(p), base, out, &err);
    if (n == 0 || err)
        return false;
    p += n;
    uint64_t unit = *p == 'b' ? 512 : *p == 'B' ? 1024 : 1;
    if (__builtin_mul_overflow(*out, unit, out))
        return false;
    return !p[unit > 1];
}

static void take_old_operands(struct od_state *s)
{
    struct wk_cmd *c = s->c;
    bool traditional = s->o->traditional;
    int n = c->nargs;
    uint64_t a, b;
    if (n == 0 || n > 3 || (s->o->modern && !traditional))
        return;
    const char *last = c->args[n - 1];
    if (n == 1 && (traditional || *last == '+') && old_offset(last, &a)) {
        s->o->skip = a;
        c->nargs = 0;
    } else if (n == 2 && (traditional || *last == '+' || wk_is_digit(*last)) && old_offset(last, &b)) {
        s->labelled = traditional && old_offset(c->args[0], &a);
        s->o->skip = s->labelled ? a : b;
        c->nargs = s->labelled ? 0 : 1;
    } else if (n == 3 && traditional && old_offset(c->args[1], &a) && old_offset(last, &b)) {
        s->labelled = true;
        s->o->skip = a;
        c->nargs = 1;
    }
    s->label = s->labelled ? b : 0;
}

static int od_main(struct wk_cmd *c)
{
    struct od_opts *o = (struct od_opts *)c->opts;
    struct od_state s = {.c = c, .o = o};
    if (!o->radix)
        o->radix = 'o';
    if (o->wrong)
        return 1;
    if (o->strings && o->specs.n)
        wk_fail(c, 1, "no type may be specified when dumping strings");
    take_old_operands(&s);
    if (o->traditional && c->nargs > 1) {
        wk_msg(c, "extra operand %s", wk_quote_arg(c, c->args[1]));
        wk_usage(c, "compatibility mode supports at most one file");
    }
    if (!o->specs.n)
        (void)wk_od_add(c, &o->specs, "o2");
    s.row = wk_cmd_buf(c, SIZE_MAX / 2);
    s.offset = o->skip;
    c->in->name = "standard input";
    if (!wk_input_next(c, &s.in))
        s.in = NULL;
    if (!s.in)
        return c->status;
    skip_bytes(&s, o->skip);
    size_t block_n = choose_block(&s);
    if (o->strings)
        dump_strings(&s);
    else
        dump(&s, block_n);
    return c->status;
}

WK_COMMAND(od,
           .summary = "write an unambiguous representation, octal bytes by default, of FILE to "
                      "standard output",
           .usage = "od [OPTION]... [FILE]...\nod [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]\n"
                    "od --traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]",
           .std = "coreutils 9.1", .opts = od_options, .opts_size = sizeof(struct od_opts),
           .help = "TYPE is made up of one or more of these specifications:\n"
                   "  a          named character, ignoring high-order bit\n"
                   "  c          printable character or backslash escape\n"
                   "  d[SIZE]    signed decimal, SIZE bytes per integer\n"
                   "  f[SIZE]    floating point, SIZE bytes per float\n"
                   "  o[SIZE]    octal, SIZE bytes per integer\n"
                   "  u[SIZE]    unsigned decimal, SIZE bytes per integer\n"
                   "  x[SIZE]    hexadecimal, SIZE bytes per integer\n"
                   "SIZE is a number, or C S I L (integers), F D L (floats). Adding a z suffix to\n"
                   "any type displays printable characters at the end of each output line.\n",
           .flags = WK_CMD_FILTER);
