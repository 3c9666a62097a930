/* seq.c - print a sequence of numbers
 *
 * Standard: GNU coreutils 9.1. Oracle: seq.
 */
#include "base/fnum.h"
#include "base/num.h"
#include "kern/cmd.h"

struct seq_opts {
    const char *format, *separator;
    bool equal_width;
};

static const struct wk_opt seq_options[] = {
    WK_STR_OPT(struct seq_opts, format, 'f', "format", "FORMAT",
               "use printf style floating-point FORMAT"),
    WK_STR_OPT(struct seq_opts, separator, 's', "separator", "STRING",
               "use STRING to separate numbers (default: \\n)"),
    WK_FLAG(struct seq_opts, equal_width, 'w', "equal-width",
            "equalize width by padding with leading zeroes"),
    WK_OPTS_END,
};

/* A negative number ends the options: it and all after it are operands. */
static int seq_old_style(struct wk_cmd *c, int at)
{
    const char *a = c->argv[at];
    if (a[0] != '-' || !(wk_is_digit(a[1]) || a[1] == '.'))
        return 0;
    for (int i = at; i < c->argc; i++)
        c->args[c->nargs++] = c->argv[i];
    return c->argc - at;
}

struct seq_arg {
    const char *text;
    long double value;
    int prec;     /* digits after the point; -1: not known (hexadecimal, huge exponent) */
    size_t width; /* when printed with `prec` digits */
};

struct seq_format {
    const char *prefix, *suffix; /* in the heap, %% resolved */
    struct wk_fnum how;
};

static void put_number(struct wk_cmd *c, struct wk_buf *b, const struct seq_format *f,
                       long double v)
{
    wk_buf_reset(b);
    wk_buf_put_c(b, f->prefix);
    wk_buf_put_ldouble(b, v, &f->how);
    wk_buf_put_c(b, f->suffix);
    if (b->failed)
        wk_heap_exhausted(c->heap);
}

static struct seq_arg read_arg(struct wk_cmd *c, const char *text)
{
    struct seq_arg a = {.text = text};
    const char *p = text;
    int err;
    while (wk_is_space(*p))
        p++;
    size_t used = wk_scan_ldouble(wk_str_c(p), &a.value, &err);
    if (used == 0 || p[used])
        wk_usage(c, "invalid floating point argument: %s", wk_quote_arg(c, text));
    if (a.value != a.value)
        wk_usage(c, "invalid %s argument: %s", wk_quote_arg(c, "not-a-number"), wk_quote_arg(c, text));
    a.text = p += *p == '+';
    const char *digits = p + (*p == '-'), *point = strchr(p, '.');
    const char *e = strpbrk(p, "eE");
    bool finite = a.value - a.value == 0;
    if (!finite || strpbrk(p, "xX")) {
        bool whole = !strpbrk(p, ".p");
        a.prec = whole ? 0 : -1;
    } else {
        size_t end = e ? (size_t)(e - p) : strlen(p);
        int64_t prec = point ? (int64_t)end - (point - p) - 1 : 0, exp = 0;
        if (e && wk_parse_i64(wk_str_c(e + 1 + (e[1] == '+')), 10, &exp))
            exp = 1000000;
        prec = exp > prec ? 0 : prec - exp;
        a.prec = prec > 10000 ? -1 : (int)prec;
        size_t before = (size_t)((point ? point : p + end) - digits);
        a.width =
            (size_t)(digits - p) + (before ? before : 1) + (a.prec > 0 ? (size_t)a.prec + 1 : 0);
    }
    if (e && finite && a.prec >= 0 && !strpbrk(p, "xX")) {
        struct wk_buf b;
        struct wk_fnum how = {.conv = 'f', .precision = a.prec};
        wk_buf_init(&b, c->k->mem, 65536);
        wk_buf_put_ldouble(&b, a.value, &how);
        a.width = b.n;
        wk_buf_release(&b);
    } else if (!a.width && finite && !strpbrk(p, "xX")) { /* hexadecimal and inf have no say in -w */
        a.width = strlen(p);
    }
    return a;
}

/* One directive for a floating number; the rest is text. */
static void read_format(struct wk_cmd *c, const char *text, struct seq_format *f)
{
    size_t n = strlen(text);
    char *part[2] = {(char *)wk_heap_zalloc(c->heap, n + 1),
                     (char *)wk_heap_zalloc(c->heap, n + 1)};
    size_t len[2] = {0, 0};
    int at = 0;
    const char *p = text;
    for (; *p; p++) {
        if (*p != '%' || p[1] == '%') {
            p += *p == '%';
            part[at][len[at]++] = *p;
            continue;
        }
        if (at)
            wk_fail(c, 1, "format %s has too many %% directives", wk_quote_arg(c, text));
        static const char flags[] = "-+ #0'";
        const char *flag;
        for (p++; *p && (flag = strchr(flags, *p)); p++)
            f->how.flags |= 1u << (flag - flags);
        int64_t width = 0, prec = -1;
        int err;
        p += wk_is_digit(*p) ? wk_scan_i64(wk_str_c(p), 10, &width, &err) : 0;
        if (*p == '.') {
            size_t used = wk_is_digit(p[1]) ? wk_scan_i64(wk_str_c(p + 1), 10, &prec, &err) : 0;
            prec = used ? prec : 0;
            p += 1 + used;
        }
        p += *p == 'L';
        if (!*p)
            wk_fail(c, 1, "format %s ends in %%", wk_quote_arg(c, text));
        if (!strchr("efgaEFGA", *p))
            wk_fail(c, 1, "format %s has unknown %%%c directive", wk_quote_arg(c, text), *p);
        f->how.conv = *p;
        f->how.width = width > 1 << 24 ? 1 << 24 : (size_t)width;
        f->how.precision = prec > 1 << 24 ? 1 << 24 : (int)prec;
        at = 1;
    }
    if (!at)
        wk_fail(c, 1, "format %s has no %% directive", wk_quote_arg(c, text));
    f->prefix = part[0];
    f->suffix = part[1];
}

static bool all_digits(const char *s)
{
    if (!*s)
        return false;
    while (wk_is_digit(*s))
        s++;
    return !*s;
}

/* Adds to the number whose digits end in front of `end`, with zeros in front of them; how many of them
 * were looked at, the foremost of which is none. */
static size_t add_step(char *end, uint64_t step)
{
    for (size_t i = 1;; i++, step /= 10) {
        unsigned d = (unsigned)(end[-(ptrdiff_t)i] - '0') + (unsigned)(step % 10);
        if (d > 9)
            step += 10;
        end[-(ptrdiff_t)i] = (char)('0' + d % 10);
        if (step < 10)
            return i;
    }
}

/* Numbers of at most 18 digits, `left` of them: the widths are small and their number is known. Each
 * is copied with what is behind it, to be overwritten by the next. */
static void count_short(struct wk_cmd *c, uint64_t first, uint64_t step, uint64_t left, char sep,
                        size_t pad)
{
    enum { CELL = 32, BLOCK = 8 * 1024 };
    char *block = (char *)wk_heap_alloc(c->heap, BLOCK + CELL), digits[WK_NUM_MAX], text[2 * CELL];
    char *end = text + CELL;
    size_t n = wk_fmt_u64(digits, first, 10), used = 0;
    memset(text, '0', sizeof text);
    memcpy(end - n, digits, n);
    *end = sep;
    for (; left; left--) {
        size_t width = n < pad ? pad : n;
        memcpy(block + used, end - width, CELL);
        used += width + 1;
        if (used > BLOCK - CELL) {
            wk_tick(c, (uint32_t)(used / (width + 1)));
            if (left == 1)
                block[used - 1] = '\n';
            wk_out_put(c->out, block, used);
            used = 0;
        }
        if (step == 1 && end[-1] != '9') {
            end[-1]++;
        } else {
            size_t seen = add_step(end, step);
            n = WK_MAX(n, seen);
        }
    }
    if (used)
        block[used - 1] = '\n';
    wk_out_put(c->out, block, used);
    wk_heap_free(c->heap, block);
}

/* Non-negative integers of any length, counted up in decimal text. */
static void count_text(struct wk_cmd *c, const char *first, uint64_t step, const char *last,
                       char sep, size_t pad)
{
    while (*first == '0' && first[1])
        first++;
    while (last && *last == '0' && last[1])
        last++;
    size_t last_n = last ? strlen(last) : SIZE_MAX;
    uint64_t from, to;
    if (last_n <= 18 && pad <= 30 && strlen(first) <= 18 && step <= UINT64_C(1000000000000000000) &&
        !wk_parse_u64(wk_str_c(first), 10, &from) && !wk_parse_u64(wk_str_c(last), 10, &to)) {
        count_short(c, from, step, from <= to ? (to - from) / step + 1 : 0, sep, pad);
        return;
    }
    size_t cap = WK_MAX(last ? last_n : 256, strlen(first)) + 32 + pad, at = cap;
    char *text = (char *)wk_heap_alloc(c->heap, cap + 1);
    char inc[WK_NUM_MAX];
    size_t inc_n = wk_fmt_u64(inc, step, 10), n = strlen(first);
    memset(text, '0', cap);
    at -= n;
    memcpy(text + at, first, n);
    text[cap] = sep;
    bool any = false;
    while (n < last_n || (n == last_n && memcmp(text + at, last, n) <= 0)) {
        if (any)
            wk_out_char(c->out, sep);
        any = true;
        size_t width = n < pad ? pad : n;
        wk_out_put(c->out, text + cap - width, width);
        if (c->out->err)
            return;
        wk_tick(c, 1);
        if (step == 1 && text[cap - 1] != '9') {
            text[cap - 1]++;
            continue;
        }
        int carry = 0;
        size_t i = cap;
        for (size_t k = inc_n; k > 0 || carry;) {
            int d = text[--i] - '0' + carry + (k > 0 ? inc[--k] - '0' : 0);
            carry = d > 9;
            text[i] = (char)('0' + d - 10 * carry);
        }
        if (i < at)
            at = i;
        while (text[at] == '0' && at < cap - 1)
            at++;
        n = cap - at;
        if (at < 32)
            break; /* only an endless count gets here */
    }
    if (any)
        wk_out_char(c->out, '\n');
}

static void release_buf(void *b)
{
    wk_buf_release((struct wk_buf *)b);
}

static void count_floats(struct wk_cmd *c, const struct seq_format *f, const char *sep,
                         const struct seq_arg *first, const struct seq_arg *step,
                         const struct seq_arg *last)
{
    struct wk_buf *b = wk_new(c, struct wk_buf);
    wk_buf_init(b, wk_heap_mem(c->heap), 1 << 26);
    wk_heap_own(c->heap, b, release_buf);
    size_t sep_n = strlen(sep);
    long double x = first->value;
    char *before = NULL;
    for (long double i = 1;; i++) {
        bool past = step->value < 0 ? x < last->value : last->value < x;
        if (past && i == 1)
            return;
        put_number(c, b, f, x);
        if (past) {
            /* Rounding may have carried x a hair past the end: it counts when it prints as it. */
            size_t pre = strlen(f->prefix);
            long double shown;
            int err;
            struct wk_str num = wk_str_from(wk_buf_str(b), pre);
            while (num.n && *num.p == ' ')
                num = wk_str_from(num, 1);
            if (!wk_scan_ldouble(num, &shown, &err) || shown != last->value ||
                (before && strcmp(before, wk_buf_c(b)) == 0))
                break;
        }
        if (i > 1)
            wk_out_put(c->out, sep, sep_n);
        wk_out_put(c->out, b->p, b->n);
        wk_tick(c, 4);
        if (c->out->err)
            return;
        if (past)
            break;
        before = (char *)wk_heap_realloc(c->heap, before, b->n + 1);
        memcpy(before, b->p, b->n + 1);
        x = first->value + i * step->value;
    }
    wk_out_char(c->out, '\n');
}

/* What is printed without -f: as many digits after the point as the operands have. */
static void default_format(const struct seq_opts *o, const struct seq_arg *a,
                           const struct seq_arg *s, const struct seq_arg *l, struct seq_format *f)
{
    f->prefix = f->suffix = "";
    if (a->prec < 0 || s->prec < 0 || l->prec < 0) {
        f->how = (struct wk_fnum){.conv = 'g', .precision = -1};
        return;
    }
    int prec = a->prec > s->prec ? a->prec : s->prec;
    f->how = (struct wk_fnum){.conv = 'f', .precision = prec};
    if (!o->equal_width)
        return;
    size_t p = (size_t)prec + (prec > 0);
    size_t ap = (size_t)a->prec + (a->prec > 0), lp = (size_t)l->prec + (l->prec > 0);
    f->how.flags = WK_FNUM_ZERO;
    f->how.width = WK_MAX(a->width - ap + p, l->width - lp + p);
}

/* Steps up to this are counted in decimal text, where nothing is rounded. */
#define FAST_STEP 200

static bool is_minus(const struct seq_arg *a)
{
    return a->text[0] == '-';
}

static const char *whole_text(struct wk_cmd *c, long double v)
{
    struct wk_buf b;
    struct wk_fnum how = {.conv = 'f', .precision = 0};
    wk_buf_init(&b, wk_heap_mem(c->heap), 65536);
    wk_buf_put_ldouble(&b, v, &how);
    return wk_keep(c, &b);
}

static int seq_main(struct wk_cmd *c)
{
    const struct seq_opts *o = (const struct seq_opts *)c->opts;
    const char *sep = o->separator ? o->separator : "\n";
    struct seq_format f = {0};
    if (c->nargs < 1)
        wk_usage(c, "missing operand");
    if (c->nargs > 3)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[3]));
    if (o->format)
        read_format(c, o->format, &f);
    if (o->format && o->equal_width)
        wk_usage(c, "format string may not be specified when printing equal width strings");
    const char *ft = c->nargs > 1 ? c->args[0] : "1", *st = c->nargs > 2 ? c->args[1] : "1";
    const char *lt = c->args[c->nargs - 1];
    uint64_t step_int = 0;
    bool texts = all_digits(ft) && all_digits(lt) && all_digits(st) && !o->format &&
                 strlen(sep) == 1 && !wk_parse_u64(wk_str_c(st), 10, &step_int) && step_int > 0;
    if (texts) {
        size_t pad = o->equal_width ? WK_MAX(strlen(ft), strlen(lt)) : 0;
        count_text(c, ft, step_int, lt, *sep, pad);
        return c->status;
    }
    struct seq_arg one = {.text = "1", .value = 1, .width = 1};
    struct seq_arg first = c->nargs > 1 ? read_arg(c, ft) : one;
    struct seq_arg step = c->nargs > 2 ? read_arg(c, st) : one;
    if (c->nargs > 2 && step.value == 0)
        wk_usage(c, "invalid Zero increment value: %s", wk_quote_arg(c, st));
    struct seq_arg last = read_arg(c, lt);
    bool whole = first.prec == 0 && step.prec == 0 && last.prec == 0 && first.value - first.value == 0;
    if (whole && !o->format && !o->equal_width && strlen(sep) == 1 && first.value >= 0 && !is_minus(&first) &&
        last.value >= 0 && !is_minus(&last) && step.value > 0 && step.value <= FAST_STEP) {
        bool endless = last.value - last.value != 0;
        count_text(c, whole_text(c, first.value), (uint64_t)step.value, endless ? NULL : whole_text(c, last.value),
                   *sep, 0);
        return c->status;
    }
    if (!o->format)
        default_format(o, &first, &step, &last, &f);
    count_floats(c, &f, sep, &first, &step, &last);
    return c->status;
}

WK_COMMAND(seq, .summary = "print numbers from FIRST to LAST, in steps of INCREMENT",
           .usage = "seq [OPTION]... LAST\nseq [OPTION]... FIRST LAST\n"
                    "seq [OPTION]... FIRST INCREMENT LAST",
           .std = "coreutils 9.1", .opts = seq_options, .opts_size = sizeof(struct seq_opts),
           .flags = WK_CMD_NEG_NUMBERS | WK_CMD_NO_PERMUTE | WK_CMD_FILTER, .old_style = seq_old_style);
