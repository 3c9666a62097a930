/* numfmt.c - convert numbers from and to human-readable strings
 *
 * Standard: GNU coreutils 9.1. Oracle: numfmt.
 */
#include "base/fnum.h"
#include "base/num.h"
#include "builtins/choice.h"
#include "builtins/fsops.h"
#include "builtins/ranges.h"
#include "builtins/zone.h"

enum unit { UNIT_NONE, UNIT_AUTO, UNIT_SI, UNIT_IEC, UNIT_IEC_I };
enum rounding { ROUND_FROM_ZERO, ROUND_UP, ROUND_DOWN, ROUND_TOWARDS_ZERO, ROUND_NEAREST };
enum invalid { INVALID_ABORT, INVALID_FAIL, INVALID_WARN, INVALID_IGNORE };

struct numfmt_opts {
    int from, to, round, invalid;
    uint64_t from_unit, to_unit, header;
    int64_t padding;
    bool debug, grouping, zero, has_ranges;
    int delimiter; /* 1 more than the byte; 0: blanks */
    const char *suffix, *format;
    struct wk_ranges ranges;
};

static const char powers[] = "KMGTPEZY";

static uint64_t unit_size(struct wk_cmd *c, const char *arg)
{
    uint64_t v;
    int r;
    size_t n = strspn(arg, "0123456789");
    r = *arg ? 0 : -1;
    const char *at = arg[n] ? strchr(powers, arg[n]) : NULL;
    if (!*arg || wk_parse_u64(n ? wk_str(arg, n) : WK_STR("1"), 10, &v))
        r = -1;
    bool binary = at && arg[n + 1] == 'i' && !arg[n + 2];
    if (arg[n] && !(at && (binary || !arg[n + 1])))
        r = -1;
    for (long i = at ? at - powers + 1 : 0; !r && i > 0; i--)
        r = __builtin_mul_overflow(v, binary ? UINT64_C(1024) : UINT64_C(1000), &v) ? -1 : 0;
    if (r || v == 0)
        wk_fail(c, 1, "invalid unit size: %s", wk_quote_arg(c, arg));
    return v;
}

static int set_option(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice from[] = {{"none", UNIT_NONE},   {"auto", UNIT_AUTO},
                                            {"si", UNIT_SI},       {"iec", UNIT_IEC},
                                            {"iec-i", UNIT_IEC_I}, {NULL, 0}};
    static const struct wk_choice to[] = {
        {"none", UNIT_NONE}, {"si", UNIT_SI}, {"iec", UNIT_IEC}, {"iec-i", UNIT_IEC_I}, {NULL, 0}};
    static const struct wk_choice rounds[] = {{"up", ROUND_UP},
                                              {"down", ROUND_DOWN},
                                              {"from-zero", ROUND_FROM_ZERO},
                                              {"towards-zero", ROUND_TOWARDS_ZERO},
                                              {"nearest", ROUND_NEAREST},
                                              {NULL, 0}};
    static const struct wk_choice invalids[] = {{"abort", INVALID_ABORT},
                                                {"fail", INVALID_FAIL},
                                                {"warn", INVALID_WARN},
                                                {"ignore", INVALID_IGNORE},
                                                {NULL, 0}};
    struct numfmt_opts *o = (struct numfmt_opts *)c->opts;
    switch (opt->value) {
    case 'f':
        o->from = wk_choice_read(c, "--from", arg, from);
        break;
    case 't':
        o->to = wk_choice_read(c, "--to", arg, to);
        break;
    case 'r':
        o->round = wk_choice_read(c, "--round", arg, rounds);
        break;
    case 'i':
        o->invalid = wk_choice_read(c, "--invalid", arg, invalids);
        break;
    case 'F':
        o->from_unit = unit_size(c, arg);
        break;
    case 'T':
        o->to_unit = unit_size(c, arg);
        break;
    case 'p':
        if (wk_parse_i64(wk_str_c(arg), 10, &o->padding) || o->padding == 0 ||
            o->padding > 1 << 24 || o->padding < -(1 << 24))
            wk_fail(c, 1, "invalid padding value %s", wk_quote_arg(c, arg));
        break;
    case 'd':
        if (arg[0] && arg[1])
            wk_fail(c, 1, "the delimiter must be a single character");
        o->delimiter = (unsigned char)arg[0] + 1;
        break;
    case 'h':
        o->header = 1;
        if (arg && (wk_parse_u64(wk_str_c(arg), 10, &o->header) || !o->header))
            wk_fail(c, 1, "invalid header value %s", wk_quote_arg(c, arg));
        break;
    case 'n':
        if (o->has_ranges)
            wk_fail(c, 1, "multiple field specifications");
        o->has_ranges = true;
        wk_ranges_parse(c, arg, WK_RANGES_FIELDS | WK_RANGES_DASH_ALL, &o->ranges);
        break;
    }
    return 0;
}

static const struct wk_opt numfmt_options[] = {
    WK_FUNC_OPT(set_option, 'd', 'd', "delimiter", "X",
                "use X instead of whitespace for field delimiter"),
    WK_FLAG(struct numfmt_opts, debug, 0, "debug", "print warnings about invalid input"),
    WK_FUNC_OPT(set_option, 'f', 0, "from", "UNIT",
                "auto-scale input numbers to UNITs; default is 'none'"),
    WK_FUNC_OPT(set_option, 'F', 0, "from-unit", "N",
                "specify the input unit size (instead of the default 1)"),
    WK_FUNC_OPT(set_option, 'n', 0, "field", "FIELDS",
                "replace the numbers in these input fields (default=1)"),
    WK_STR_OPT(struct numfmt_opts, format, 0, "format", "FORMAT",
               "use printf style floating-point FORMAT"),
    WK_FLAG(struct numfmt_opts, grouping, 0, "grouping",
            "use locale-defined grouping of digits (there is none)"),
    WK_FUNC_OPT(set_option, 'h', 0, "header", "[N",
                "print (without converting) the first N header lines;\nN defaults to 1"),
    WK_FUNC_OPT(set_option, 'i', 0, "invalid", "MODE",
                "failure mode for invalid numbers: MODE can be:\nabort (default), fail, warn, "
                "ignore"),
    WK_FUNC_OPT(set_option, 'p', 0, "padding", "N",
                "pad the output to N characters; positive N will\nright-align; negative N will "
                "left-align"),
    WK_FUNC_OPT(set_option, 'r', 0, "round", "METHOD",
                "use METHOD for rounding when scaling; METHOD can be:\nup, down, from-zero "
                "(default), towards-zero, nearest"),
    WK_STR_OPT(struct numfmt_opts, suffix, 0, "suffix", "SUFFIX",
               "add SUFFIX to output numbers, and accept optional\nSUFFIX in input numbers"),
    WK_FUNC_OPT(set_option, 't', 0, "to", "UNIT", "auto-scale output numbers to UNITs"),
    WK_FUNC_OPT(set_option, 'T', 0, "to-unit", "N",
                "the output unit size (instead of the default 1)"),
    WK_FLAG(struct numfmt_opts, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    WK_OPTS_END,
};

struct numfmt_state {
    struct wk_cmd *c;
    const struct numfmt_opts *o;
    struct wk_str before, after; /* around the directive of --format */
    int precision;               /* -1: none given */
    size_t zero_width;           /* of %0N */
    int64_t padding;
    bool failed, grouping; /* asked for by --format */
    char eol;
    struct wk_buf *text, *done; /* of the present field */
};

/* ---- the format ---- */

static void bad_format(struct numfmt_state *s, const char *what)
{
    wk_fail(s->c, 1, "format %s %s", wk_quote_arg(s->c, s->o->format), what);
}

static void read_directive(struct numfmt_state *s, const char *p)
{
    bool zero = false, minus = false;
    uint64_t width = 0, prec;
    int err;
    for (;; p++) {
        if (*p == '0')
            zero = true;
        else if (*p == '-')
            minus = true;
        else if (*p == '\'' && s->o->to != UNIT_NONE)
            wk_fail(s->c, 1, "grouping cannot be combined with --to");
        else if (*p == '\'')
            s->grouping = true;
        else if (*p != ' ')
            break;
    }
    size_t n = wk_is_digit(*p) ? wk_scan_u64(wk_str_c(p), 10, &width, &err) : 0;
    if (n && (err || width > 1 << 24))
        wk_fail(s->c, 1, "invalid format %s (width overflow)", wk_quote_arg(s->c, s->o->format));
    p += n;
    if (width && s->padding && s->o->debug && !(zero && !minus))
        wk_out_fmt(s->c->err, "%s: --format padding overriding --padding\n", s->c->name);
    if (*p == '.') {
        p++;
        prec = 0;
        n = wk_is_digit(*p) ? wk_scan_u64(wk_str_c(p), 10, &prec, &err) : 0;
        if ((n && (err || prec > 1 << 20)) || *p == '-' || *p == '+' || *p == ' ')
            wk_fail(s->c, 1, "invalid precision in format %s", wk_quote_arg(s->c, s->o->format));
        s->precision = (int)prec;
        p += n;
    }
    if (*p == '\0')
        bad_format(s, "ends in %");
    if (*p != 'f')
        wk_fail(s->c, 1, "invalid format %s, directive must be %%[0]['][-][N][.][N]f",
                wk_quote_arg(s->c, s->o->format));
    if (width && zero && !minus)
        s->zero_width = (size_t)width;
    if (width && !(zero && !minus))
        s->padding = minus || s->padding < 0 ? -(int64_t)width : (int64_t)width;
    s->after = wk_str_c(p + 1);
    for (p++; *p; p++) {
        if (p[0] == '%' && p[1] == '%')
            p++;
        else if (*p == '%')
            bad_format(s, "has too many % directives");
    }
}

static void read_format(struct numfmt_state *s)
{
    const char *p = s->o->format;
    while (*p && !(p[0] == '%' && p[1] != '%'))
        p += p[0] == '%' ? 2 : 1;
    if (!*p)
        bad_format(s, "has no % directive");
    s->before = wk_str(s->o->format, (size_t)(p - s->o->format));
    read_directive(s, p + 1);
}

/* ---- numbers ---- */

struct number {
    long double v;
    size_t precision; /* digits behind the point */
};

/* Why a field is no number: says so by --invalid. */
static bool refuse(struct numfmt_state *s, const char *why, const char *text, const char *tail)
{
    s->failed = true;
    if (s->o->invalid == INVALID_IGNORE)
        return false;
    int status = s->c->status;
    if (s->o->invalid == INVALID_ABORT)
        wk_fail(s->c, 2, "%s: %s%s", why, text, tail);
    wk_msg(s->c, "%s: %s%s", why, text, tail);
    s->c->status = status;
    return false;
}

static bool refuse_text(struct numfmt_state *s, const char *why, const char *text, const char *tail)
{
    return refuse(s, why, wk_quote_arg(s->c, text), tail);
}

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\n';
}

static long double power_of(long double base, unsigned n)
{
    long double v = 1;
    while (n-- > 0)
        v *= base;
    return v;
}

/* The suffix at p: the power, or -1 after saying why not. */
static int read_suffix(struct numfmt_state *s, const char *p, const char *text, long double *base)
{
    const char *at = strchr(powers, *p);
    size_t n = 1;
    int from = s->o->from;
    *base = from == UNIT_IEC || from == UNIT_IEC_I ? 1024 : 1000;
    if (!at) {
        refuse_text(s, "invalid suffix in input", text, "");
        return -1;
    }
    if (from == UNIT_NONE) {
        refuse_text(s, "rejecting suffix in input", text, " (consider using --from)");
        return -1;
    }
    if (from == UNIT_AUTO && p[1] == 'i') {
        *base = 1024;
        n = 2;
    } else if (from == UNIT_IEC_I) {
        if (p[1] != 'i') {
            refuse_text(s, "missing 'i' suffix in input", text, " (e.g Ki/Mi/Gi)");
            return -1;
        }
        n = 2;
    }
    if (p[n]) {
        refuse(s, wk_strf(s->c, "invalid suffix in input %s", wk_quote_arg(s->c, text)),
               wk_quote_arg(s->c, p + n), "");
        return -1;
    }
    return (int)(at - powers) + 1;
}

static bool read_number(struct numfmt_state *s, const char *text, struct number *out)
{
    const char *p = text;
    bool minus = *p == '-';
    enum { MOST = 27, EXACT = 18 }; /* digits, before and behind the point, without zeros in front */
    size_t digits = 0, kept = 0, kept_behind = 0;
    long double v = 0, part = 0, base;
    p += minus;
    for (; wk_is_digit(*p); p++, digits++) {
        v = v * 10 + (long double)(*p - '0');
        kept += kept || *p != '0';
    }
    if (kept > MOST)
        return refuse_text(s, "value too large to be converted", text, "");
    out->precision = 0;
    if (*p == '.') {
        p++;
        if (!wk_is_digit(*p))
            return refuse_text(s, "invalid number", text, "");
        for (; wk_is_digit(*p); p++, digits++) {
            kept_behind += kept_behind || *p != '0';
            part = part * 10 + (long double)(*p - '0');
            out->precision++;
        }
        if (kept_behind > MOST)
            return refuse_text(s, "value too large to be converted", text, "");
        part /= power_of(10, (unsigned)WK_MIN(out->precision, (size_t)4932));
    }
    if (!digits)
        return refuse_text(s, "invalid number", text, "");
    v += part;
    bool exact = kept <= EXACT && kept_behind <= EXACT;
    while (is_blank(*p))
        p++;
    if (*p) {
        int power = read_suffix(s, p, text, &base);
        if (power < 0)
            return false;
        v *= power_of(base, (unsigned)power);
        out->precision = 0;
    } else if (s->o->from == UNIT_IEC_I) {
        return refuse_text(s, "missing 'i' suffix in input", text, " (e.g Ki/Mi/Gi)");
    }
    if (!exact && s->o->debug) {
        wk_out_flush(s->c->out);
        wk_out_fmt(s->c->err, "%s: large input value %s: possible precision loss\n", s->c->name,
                   wk_quote_arg(s->c, text));
    }
    out->v = minus ? -v : v;
    return true;
}

static long double floor_of(long double v)
{
    if (v >= 9.2e18L || v <= -9.2e18L)
        return v;
    long double t = (long double)(int64_t)v;
    return t > v ? t - 1 : t;
}

static long double round_by(const struct numfmt_state *s, long double v)
{
    long double down = floor_of(v), up = down < v ? down + 1 : down;
    switch (s->o->round) {
    case ROUND_UP:
        return up;
    case ROUND_DOWN:
        return down;
    case ROUND_TOWARDS_ZERO:
        return v < 0 ? up : down;
    case ROUND_NEAREST:
        return (v < 0 ? -floor_of(-v + 0.5L) : floor_of(v + 0.5L)) + 0.0L; /* no -0 */
    default:
        return v < 0 ? down : up;
    }
}

static void put_fixed(struct wk_buf *b, const struct numfmt_state *s, long double v,
                      size_t precision)
{
    struct wk_fnum how = {.conv = 'f', .precision = (int)precision, .width = s->zero_width};
    if (s->zero_width)
        how.flags = WK_FNUM_ZERO;
    wk_buf_put_ldouble(b, v, &how);
}

static void put_scaled(struct numfmt_state *s, struct wk_buf *b, long double v)
{
    const long double base = s->o->to == UNIT_SI ? 1000 : 1024;
    unsigned power = 0, places = 0;
    while ((v < 0 ? -v : v) >= base && power < 8) {
        v /= base;
        power++;
    }
    if (s->precision >= 0)
        places = power * 3 < (unsigned)s->precision ? power * 3 : (unsigned)s->precision;
    else if ((v < 0 ? -v : v) < 10)
        places = 1;
    long double shift = power_of(10, places);
    v = round_by(s, v * shift) / shift;
    if ((v < 0 ? -v : v) >= base && power < 8) {
        v /= base;
        power++;
    }
    bool point = v != 0 && (v < 0 ? -v : v) < 10 && power > 0;
    put_fixed(b, s, v, s->precision >= 0 ? (size_t)s->precision : point ? 1 : 0);
    if (power) {
        wk_buf_putc(b, powers[power - 1]);
        if (s->o->to == UNIT_IEC_I)
            wk_buf_putc(b, 'i');
    }
}

static size_t int_digits(long double v)
{
    size_t n = 1;
    for (v = v < 0 ? -v : v; v >= 10 && n < 5000; v /= 10)
        n++;
    return n;
}

/* The value in %Lg's form, for messages. */
static const char *short_form(struct numfmt_state *s, long double v)
{
    struct wk_buf b;
    struct wk_fnum how = {.conv = 'g', .precision = 6};
    wk_buf_init(&b, wk_heap_mem(s->c->heap), 256);
    wk_buf_put_ldouble(&b, v, &how);
    const char *text = wk_dupn(s->c, wk_buf_c(&b), b.n);
    wk_buf_release(&b);
    return text;
}

/* The text of a number in the output's form; false after refusing it. */
static bool convert(struct numfmt_state *s, const char *text, struct wk_buf *out)
{
    struct number x = {0};
    const struct numfmt_opts *o = s->o;
    if (!read_number(s, text, &x))
        return false;
    if (o->from_unit != 1 || o->to_unit != 1)
        x.v = x.v * (long double)o->from_unit / (long double)o->to_unit;
    size_t precision = s->precision >= 0 ? (size_t)s->precision : x.precision,
           digits = int_digits(x.v);
    if (o->to == UNIT_NONE && digits + precision > 19) {
        const char *v = short_form(s, x.v);
        if (precision)
            return refuse(s, "value/precision too large to be printed",
                          wk_strf(s->c, "'%s/%zu'", v, precision), " (consider using --to)");
        return refuse(s, "value too large to be printed", wk_strf(s->c, "'%s'", v),
                      " (consider using --to)");
    }
    if (o->to != UNIT_NONE && digits > 27)
        return refuse(s, "value too large to be printed", wk_strf(s->c, "'%s'", short_form(s, x.v)),
                      " (cannot handle values > 999Y)");
    if (o->to == UNIT_NONE) {
        long double shift = power_of(10, (unsigned)precision);
        put_fixed(out, s, round_by(s, x.v * shift) / shift, precision);
    } else {
        put_scaled(s, out, x.v);
    }
    if (o->suffix)
        wk_buf_put_c(out, o->suffix);
    return true;
}

/* ---- lines ---- */

static void put_padding(struct wk_out *out, size_t have, uint64_t width)
{
    for (; have < width; have++)
        wk_out_char(out, ' ');
}

static void put_field(struct numfmt_state *s, struct wk_str raw, uint64_t number)
{
    struct wk_cmd *c = s->c;
    size_t lead = 0;
    while (lead < raw.n && (raw.p[lead] == ' ' || raw.p[lead] == '\t')) /* a newline is no part of it */
        lead++;
    struct wk_str core = wk_str_from(raw, lead);
    struct wk_str end = s->o->suffix ? wk_str_c(s->o->suffix) : wk_str("", 0);
    if (end.n && core.n > end.n && wk_str_ends(core, end))
        core = wk_str_take(core, core.n - end.n);
    wk_buf_reset(s->text);
    wk_buf_reset(s->done);
    wk_buf_puts(s->text, core);
    const char *text = wk_buf_c(s->text);
    if (s->text->failed)
        wk_heap_exhausted(c->heap);
    bool ok = convert(s, text, s->done);
    if (s->done->failed)
        wk_heap_exhausted(c->heap);
    size_t n = s->done->n;
    if (!ok) { /* its suffix is gone */
        struct wk_str suffix = s->o->suffix ? wk_str_c(s->o->suffix) : wk_str("", 0);
        if (raw.n > suffix.n && memcmp(raw.p + raw.n - suffix.n, suffix.p, suffix.n) == 0)
            raw.n -= suffix.n;
        wk_out_str(c->out, raw);
        return;
    }
    int64_t pad = s->padding;
    if (!pad && !s->o->delimiter && (lead > 0 || number > 1))
        pad = (int64_t)(lead + core.n); /* without the suffix */
    wk_out_str(c->out, s->before);
    if (pad > 0)
        put_padding(c->out, n, (uint64_t)pad);
    wk_out_put(c->out, s->done->p, n);
    if (pad < 0)
        put_padding(c->out, n, (uint64_t)-pad);
    wk_out_str(c->out, s->after);
}

static void put_line(struct numfmt_state *s, struct wk_str line, bool ended)
{
    const struct numfmt_opts *o = s->o;
    const struct wk_range *r = o->ranges.v;
    const char *p = line.p, *end = line.n ? line.p + line.n : line.p;
    for (uint64_t number = 1;; number++) {
        const char *e = p;
        if (o->delimiter) {
            e = p < end ? (const char *)memchr(p, o->delimiter - 1, (size_t)(end - p)) : NULL;
            e = e ? e : end;
        } else {
            while (e < end && is_blank(*e))
                e++;
            while (e < end && !is_blank(*e))
                e++;
        }
        while (r->hi < number)
            r++;
        if (number >= r->lo && number <= r->hi && r->lo != UINT64_MAX)
            put_field(s, wk_str(p, (size_t)(e - p)), number);
        else
            wk_out_put(s->c->out, p, (size_t)(e - p));
        if (e == end)
            break;
        wk_out_char(s->c->out, o->delimiter ? (char)(o->delimiter - 1) : ' ');
        p = e + 1;
        wk_tick(s->c, 4);
    }
    if (ended)
        wk_out_char(s->c->out, s->eol);
}

static void check_options(struct wk_cmd *c, struct numfmt_opts *o)
{
    if (!o->from_unit)
        o->from_unit = 1;
    if (!o->to_unit)
        o->to_unit = 1;
    if (o->format && o->grouping)
        wk_fail(c, 1, "--grouping cannot be combined with --format");
    if (o->grouping && o->to != UNIT_NONE)
        wk_fail(c, 1, "grouping cannot be combined with --to");
    if (o->debug && o->from == UNIT_NONE && o->to == UNIT_NONE && !o->grouping && !o->padding &&
        !o->format)
        wk_out_fmt(c->err, "%s: no conversion option specified\n", c->name);
    if (!o->has_ranges)
        wk_ranges_parse(c, "1", WK_RANGES_FIELDS, &o->ranges);
}

static int numfmt_main(struct wk_cmd *c)
{
    struct numfmt_opts *o = (struct numfmt_opts *)c->opts;
    struct numfmt_state s = {.c = c, .o = o, .precision = -1, .eol = o->zero ? '\0' : '\n'};
    check_options(c, o);
    s.padding = o->padding;
    s.before = s.after = wk_str("", 0);
    s.text = wk_cmd_buf(c, SIZE_MAX / 2);
    s.done = wk_cmd_buf(c, SIZE_MAX / 2);
    if (o->format)
        read_format(&s);
    if (o->debug && (o->grouping || s.grouping))
        wk_out_fmt(c->err, "%s: grouping has no effect in this locale\n", c->name);
    if (o->debug && c->nargs && o->header)
        wk_out_fmt(c->err, "%s: --header ignored with command-line input\n", c->name);
    for (int i = 0; i < c->nargs; i++)
        put_line(&s, wk_str_c(c->args[i]), true);
    struct wk_stat st;
    int err = c->nargs                                                        ? 0
              : !c->in->file                                                  ? WK_EBADF
              : wk_file_stat(c->in->file, &st) >= 0 && WK_S_ISDIR(st.mode) ? WK_EISDIR
                                                                              : 0;
    if (err) { /* no failure, in GNU */
        wk_out_fmt(c->err, "%s: error reading input: %s\n", c->name, wk_err_text(err));
        return c->status;
    }
    struct wk_str line;
    char *copy = NULL;
    size_t cap = 0;
    for (uint64_t i = 0; c->nargs == 0 && wk_line_next(c->in, s.eol, &line); i++) {
        if (i < o->header) {
            wk_out_str(c->out, line);
            if (!c->in->no_newline)
                wk_out_char(c->out, s.eol);
        } else { /* messages may wait: the line must be our own */
            bool ended = !c->in->no_newline;
            if (line.n > cap) {
                cap = line.n + line.n / 2 + 64;
                copy = (char *)wk_heap_realloc(c->heap, copy, cap);
            }
            if (line.n)
                memcpy(copy, line.p, line.n);
            put_line(&s, wk_str(copy, line.n), ended);
        }
    }
    if (s.failed && o->debug) {
        wk_out_flush(c->out);
        wk_out_fmt(c->err, "%s: failed to convert some of the input numbers\n", c->name);
    }
    if (s.failed && o->invalid == INVALID_FAIL && !c->status && !wk_out_flush(c->out))
        return 2;
    return c->status;
}

WK_COMMAND(numfmt, .summary = "reformat NUMBER(s), or the numbers from standard input",
           .usage = "numfmt [OPTION]... [NUMBER]...", .std = "coreutils 9.1",
           .opts = numfmt_options, .opts_size = sizeof(struct numfmt_opts),
           .help = "UNIT options: none, auto (1K = 1000, 1Ki = 1024), si (1K = 1000),\n"
                   "iec (1K = 1024), iec-i (1Ki = 1024).\n",
           .flags = WK_CMD_FILTER);
