/* csplit.c - split a file at lines that are given by number or by what is in them
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: csplit.
 */
#include "base/num.h"
#include "builtins/fsops.h"
#include "builtins/regex.h"
#include "builtins/zone.h"
#include "text/printfmt/printfmt.h"

struct csplit_opts {
    const char *suffix, *prefix;
    int64_t digits;
    bool sized, keep, suppress_matched, quiet, elide;
};

static int set_digits(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    uint64_t v;
    (void)opt;
    int r = wk_parse_u64(wk_str_c(arg + strspn(arg, " \t\n\v\f\r")), 10, &v);
    if (r || v > INT32_MAX)
        wk_fail(c, 1, "invalid number: %s%s", wk_quote_arg(c, arg),
                r == -WK_EINVAL ? "" : ": Value too large for defined data type");
    ((struct csplit_opts *)c->opts)->digits = (int64_t)v;
    ((struct csplit_opts *)c->opts)->sized = true;
    return 0;
}

static const struct wk_opt csplit_options[] = {
    WK_FLAG(struct csplit_opts, quiet, 'q', "silent", "do not print counts of output file sizes"),
    WK_STR_OPT(struct csplit_opts, prefix, 'f', "prefix", "PREFIX", "use PREFIX instead of 'xx'"),
    WK_FLAG(struct csplit_opts, keep, 'k', "keep-files", "do not remove output files on errors"),
    WK_STR_OPT(struct csplit_opts, suffix, 'b', "suffix-format", "FORMAT",
               "use sprintf FORMAT instead of %02d"),
    WK_FUNC_OPT(set_digits, 0, 'n', "digits", "DIGITS",
                "use specified number of digits instead of 2"),
    WK_FLAG(struct csplit_opts, quiet, 's', "quiet", "do not print counts of output file sizes"),
    WK_FLAG(struct csplit_opts, suppress_matched, 0, "suppress-matched",
            "suppress the lines matching PATTERN"),
    WK_FLAG(struct csplit_opts, elide, 'z', "elide-empty-files", "remove empty output files"),
    WK_OPTS_END,
};

struct control {
    const char *text; /* as given */
    struct wk_re *re; /* NULL: a line number */
    bool skip;        /* %…%: the lines before go nowhere */
    uint64_t line;    /* number */
    int64_t offset;
    uint64_t repeat;
    bool forever; /* {*} */
};

/* Lines that are read but not yet written: `n` of them from number `first`. */
struct window {
    struct wk_fifo_buf text;
    struct wk_fifo_buf length; /* of size_t, one a line */
    uint64_t first, n;
    bool eof;
};

struct csplit {
    struct wk_cmd *c;
    const struct csplit_opts *o;
    struct wk_in *in;
    struct window w;
    uint64_t current; /* the last line that was found or passed */
    struct control *control;
    size_t n;
    struct wk_re_run run;
    const char *suffix;
    struct wk_out *out; /* the piece in progress; NULL: none */
    char *name;
    uint64_t bytes, count;
};

/* ---- pieces ------------------------------------------------------------------------------------
 */

static char *piece_name(struct csplit *s, uint64_t number)
{
    struct wk_buf *b = wk_cmd_buf(s->c, SIZE_MAX);
    wk_buf_put_c(b, s->o->prefix);
    for (size_t i = 0, n = strlen(s->suffix); i < n; i++) {
        if (s->suffix[i] != '%' || s->suffix[i + 1] == '%') {
            i += s->suffix[i] == '%';
            wk_buf_putc(b, s->suffix[i]);
            continue;
        }
        struct wk_printf_spec f;
        size_t at = i + 1;
        wk_printf_parse(wk_str(s->suffix, n), &at, &f);
        wk_printf_u64(b, &f, number);
        i = at - 1;
    }
    return wk_keep(s->c, b);
}

static WK_NORETURN void give_up(struct csplit *s)
{
    if (s->out) {
        (void)wk_out_close(s->out);
        if (!s->o->quiet && !(s->o->elide && !s->bytes))
            wk_out_fmt(s->c->out, "%llu\n", (unsigned long long)s->bytes);
        s->count++;
    }
    for (uint64_t i = 0; !s->o->keep && i < s->count; i++)
        (void)wk_at_unlink(s->c, NULL, piece_name(s, i));
    if (s->out && s->o->keep && s->o->elide && !s->bytes)
        (void)wk_at_unlink(s->c, NULL, s->name);
    wk_exit(s->c, 1);
}

static void begin_piece(struct csplit *s)
{
    struct wk_file *f;
    s->name = piece_name(s, s->count);
    int err = wk_cmd_open(s->c, s->name, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
    if (err) {
        wk_msg(s->c, "%s: %s", wk_quote_maybe(s->c, s->name), wk_err_text(err));
        give_up(s);
    }
    s->out = wk_out_of(s->c, f);
    s->bytes = 0;
}

static void end_piece(struct csplit *s)
{
    int err = wk_out_close(s->out);
    s->out = NULL;
    if (err) {
        wk_msg(s->c, "write error for %s: %s", wk_quote_arg(s->c, s->name), wk_err_text(err));
        s->count++;
        give_up(s);
    }
    if (!s->bytes && s->o->elide) {
        (void)wk_at_unlink(s->c, NULL, s->name);
        return;
    }
    s->count++;
    if (!s->o->quiet)
        wk_out_fmt(s->c->out, "%llu\n", (unsigned long long)s->bytes);
}

/* ---- lines -------------------------------------------------------------------------------------
 */

/* Reads up to line number n: whether it is there. */
static bool have_line(struct csplit *s, uint64_t n)
{
    struct window *w = &s->w;
    while (!w->eof && w->first + w->n <= n) {
        struct wk_str line;
        if (!wk_line_next(s->in, '\n', &line)) {
            w->eof = true;
            if (s->in->err) {
                wk_msg(s->c, "read error: %s", wk_err_text(s->in->err));
                give_up(s);
            }
            break;
        }
        size_t length = line.n + !s->in->no_newline;
        wk_fifo_put(s->c, &w->text, line.p, line.n);
        if (!s->in->no_newline)
            wk_fifo_put(s->c, &w->text, "\n", 1);
        wk_fifo_put(s->c, &w->length, (const char *)&length, sizeof length);
        w->n++;
        wk_tick(s->c, (uint32_t)(length / 64) + 1);
    }
    return n < w->first + w->n;
}

static size_t length_of(const struct window *w, uint64_t index)
{
    size_t n;
    memcpy(&n, w->length.p + w->length.head + index * sizeof n, sizeof n);
    return n;
}

/* The first of the lines is written, when there is a piece for it, and forgotten. */
static void pass_line(struct csplit *s, bool write)
{
    struct window *w = &s->w;
    size_t n = length_of(w, 0);
    if (write && s->out) {
        wk_out_put(s->out, w->text.p + w->text.head, n);
        s->bytes += n;
    }
    s->current = WK_MAX(s->current, w->first);
    wk_fifo_take(&w->text, n);
    wk_fifo_take(&w->length, sizeof n);
    w->first++;
    w->n--;
}

/* Writes all lines before number `end`; false when there are not so many (what there is has been
 * written). */
static bool pass_before(struct csplit *s, uint64_t end)
{
    while (s->w.first < end) {
        if (!have_line(s, s->w.first))
            return false;
        pass_line(s, true);
    }
    return true;
}

/* ---- the patterns ------------------------------------------------------------------------------
 */

/* The sizes so far are written before the message, or behind it: as csplit's own buffers have it.
 */
static WK_NORETURN void fail_at(struct csplit *s, const struct control *k, const char *what,
                                uint64_t turn, bool first)
{
    if (first)
        (void)wk_out_flush(s->c->out);
    wk_out_fmt(s->c->err, "%s: %s: %s", s->c->name, wk_quote_arg(s->c, k->text), what);
    if (turn)
        wk_out_fmt(s->c->err, " on repetition %llu", (unsigned long long)turn);
    wk_out_char(s->c->err, '\n');
    give_up(s);
}

static void drop_matched(struct csplit *s)
{
    if (s->o->suppress_matched && have_line(s, s->w.first))
        pass_line(s, false);
}

static void split_at_number(struct csplit *s, const struct control *k, uint64_t turn)
{
    uint64_t end = turn >= UINT64_MAX / k->line - 1 ? UINT64_MAX : k->line * (turn + 1);
    begin_piece(s);
    bool lenient = s->o->suppress_matched, any = have_line(s, s->w.first);
    if (!any && !lenient) {
        wk_msg(s->c, "input disappeared");
        wk_exit(s->c, 1);
    }
    if (!any || !pass_before(s, end) || !(lenient || have_line(s, s->current + 1)))
        fail_at(s, k, "line number out of range", turn, false);
    end_piece(s);
    drop_matched(s);
}

static bool matches(struct csplit *s, const struct control *k, struct wk_str line)
{
    if (line.n && line.p[line.n - 1] == '\n')
        line.n--;
    int r = wk_re_search(k->re, &s->run, line, 0, NULL, 0);
    if (r < 0) {
        wk_msg(s->c, "error in regular expression search");
        give_up(s);
    }
    return r == 1;
}

/* The number of the next line that matches, 0: none. Lines before it that no offset can want back
 * are written. */
static uint64_t find_line(struct csplit *s, const struct control *k)
{
    uint64_t back = k->offset < 0 ? (uint64_t)0 - (uint64_t)k->offset : 0;
    size_t at = 0; /* where line `number` begins in the window */
    uint64_t number = s->current + 1;
    if (!have_line(s, number))
        return 0;
    for (uint64_t i = s->w.first; i < number; i++)
        at += length_of(&s->w, i - s->w.first);
    for (; have_line(s, number); number++) {
        size_t n = length_of(&s->w, number - s->w.first);
        if (matches(s, k, wk_str(s->w.text.p + s->w.text.head + at, n)))
            return number;
        at += n;
        while (s->w.first + back < number + 1 && s->w.first <= number) {
            at -= length_of(&s->w, 0);
            pass_line(s, !k->skip);
        }
    }
    return 0;
}

/* Splits at the next match; false when {*} ends because there is none. */
static bool split_at_match(struct csplit *s, const struct control *k, uint64_t turn)
{
    if (!k->skip)
        begin_piece(s);
    uint64_t found = find_line(s, k);
    if (!found) {
        while (have_line(s, s->w.first))
            pass_line(s, !k->skip);
        if (!k->forever)
            fail_at(s, k, "match not found", turn, false);
        if (!k->skip)
            end_piece(s);
        return false;
    }
    int64_t end = (int64_t)found + k->offset;
    if (end < (int64_t)s->w.first || !pass_before(s, (uint64_t)end))
        fail_at(s, k, "line number out of range", 0, true);
    s->current = k->offset > 0 ? (uint64_t)end : found;
    if (!k->skip)
        end_piece(s);
    drop_matched(s);
    return true;
}

static void split(struct csplit *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct control *k = &s->control[i];
        for (uint64_t turn = 0; k->forever || turn <= k->repeat; turn++) {
            if (!k->re)
                split_at_number(s, k, turn);
            else if (!split_at_match(s, k, turn))
                return;
        }
    }
    begin_piece(s);
    while (have_line(s, s->w.first))
        pass_line(s, true);
    end_piece(s);
}

/* ---- arguments ---------------------------------------------------------------------------------
 */

static WK_NORETURN void bad_pattern(struct csplit *s, const char *text, const char *what)
{
    wk_fail(s->c, 1, "%s: %s", wk_quote_arg(s->c, text), what);
}

static void read_regex(struct csplit *s, struct control *k)
{
    const char *close = strrchr(k->text + 1, k->text[0]);
    if (!close)
        wk_fail(s->c, 1, "%s: closing delimiter '%c' missing", k->text, k->text[0]);
    k->skip = k->text[0] == '%';
    struct wk_re_error err;
    k->re = wk_cmd_re(s->c, wk_str(k->text + 1, (size_t)(close - k->text) - 1), WK_RE_GREP, &err);
    if (!k->re)
        wk_fail(s->c, 1, "%s: invalid regular expression: %s", wk_quote_arg(s->c, k->text),
                err.text);
    const char *p = close + 1;
    if (!*p)
        return;
    while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
        p++;
    if (wk_parse_i64(wk_str_c(*p == '+' && p[1] != '-' ? p + 1 : p), 10, &k->offset) != 0 ||
        k->offset < -(INT64_MAX / 2) || k->offset > INT64_MAX / 2)
        bad_pattern(s, k->text, "integer expected after delimiter");
}

static void read_repeat(struct csplit *s, struct control *k, const char *text)
{
    size_t n = strlen(text);
    if (text[n - 1] != '}')
        bad_pattern(s, text, "'}' is required in repeat count");
    if (n == 3 && text[1] == '*')
        k->forever = true;
    else if (wk_parse_u64(wk_str(text + 1, n - 2), 10, &k->repeat) != 0)
        wk_fail(s->c, 1, "%s}: integer required between '{' and '}'",
                wk_quote_arg(s->c, wk_dupn(s->c, text, n - 1)));
}

static void read_number(struct csplit *s, struct control *k, uint64_t *last)
{
    if (wk_parse_u64(wk_str_c(k->text[0] == '+' ? k->text + 1 : k->text), 10, &k->line) != 0)
        bad_pattern(s, k->text, "invalid pattern");
    if (!k->line)
        wk_fail(s->c, 1, "%s: line number must be greater than zero", k->text);
    if (k->line < *last)
        wk_fail(s->c, 1, "line number %s is smaller than preceding line number, %llu",
                wk_quote_arg(s->c, k->text), (unsigned long long)*last);
    if (k->line == *last) {
        int status = s->c->status;
        wk_msg(s->c, "warning: line number %s is the same as preceding line number",
               wk_quote_arg(s->c, k->text));
        s->c->status = status;
    }
    *last = k->line;
}

static void read_patterns(struct csplit *s, int n, char **args)
{
    uint64_t last = 0;
    s->control = wk_new_n(s->c, struct control, (size_t)n);
    for (int i = 0; i < n; i++) {
        struct control *k = &s->control[s->n++];
        k->text = args[i];
        if (k->text[0] == '/' || k->text[0] == '%')
            read_regex(s, k);
        else
            read_number(s, k, &last);
        if (i + 1 < n && args[i + 1][0] == '{')
            read_repeat(s, k, args[++i]);
    }
}

/* The one directive of --suffix-format: flags, width, precision, and one of diuoxX. Gives what
 * follows. */
static const char *check_directive(struct wk_cmd *c, const char *p)
{
    bool quote = false, alt = false;
    for (; *p && strchr("-0'#", *p); p++) {
        quote = quote || *p == '\'';
        alt = alt || *p == '#';
    }
    p += strspn(p, "0123456789");
    if (*p == '.')
        p += 1 + strspn(p + 1, "0123456789");
    unsigned char ch = (unsigned char)*p;
    if (!ch)
        wk_fail(c, 1, "missing conversion specifier in suffix");
    if (!strchr("diuoxX", ch)) {
        if (ch >= ' ' && ch < 127)
            wk_fail(c, 1, "invalid conversion specifier in suffix: %c", ch);
        wk_fail(c, 1, "invalid conversion specifier in suffix: \\%c%c%c", '0' + (ch >> 6),
                '0' + (ch >> 3 & 7), '0' + (ch & 7));
    }
    bool decimal = strchr("diu", ch) != NULL;
    if (decimal ? alt : quote)
        wk_fail(c, 1, "invalid flags in conversion specification: %%%c%c", decimal ? '#' : '\'',
                ch);
    return p + 1;
}

static const char *suffix_of(struct wk_cmd *c, const struct csplit_opts *o)
{
    if (!o->suffix)
        return wk_strf(c, "%%0%lldd", (long long)o->digits);
    bool seen = false;
    for (const char *p = o->suffix; *p;) {
        if (*p++ != '%')
            continue;
        if (*p == '%') {
            p++;
            continue;
        }
        if (seen)
            wk_fail(c, 1, "too many %% conversion specifications in suffix");
        seen = true;
        p = check_directive(c, p);
    }
    if (!seen)
        wk_fail(c, 1, "missing %% conversion specification in suffix");
    return o->suffix;
}

static int csplit_main(struct wk_cmd *c)
{
    struct csplit_opts *o = (struct csplit_opts *)c->opts;
    if (!o->sized)
        o->digits = 2;
    if (!o->prefix)
        o->prefix = "xx";
    if (c->nargs < 2 && c->nargs)
        wk_usage(c, "missing operand after %s", wk_quote_arg(c, c->args[0]));
    if (!c->nargs)
        wk_usage(c, "missing operand");
    struct csplit s = {.c = c, .o = o, .run = wk_cmd_re_run(c), .w = {.first = 1}};
    s.suffix = suffix_of(c, o);
    int err = wk_raw_open(c, c->args[0], true, &s.in);
    if (err) {
        wk_msg(c, "cannot open %s for reading: %s", wk_quote(c, c->args[0]), wk_err_text(err));
        return 1;
    }
    s.in->quiet = true;
    read_patterns(&s, c->nargs - 1, c->args + 1);
    split(&s);
    return c->status;
}

WK_COMMAND(csplit,
           .summary = "output pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ...",
           .usage = "csplit [OPTION]... FILE PATTERN...", .std = "coreutils 9.1",
           .help = "Each PATTERN may be:\n  INTEGER            copy up to but not including "
                   "specified line number\n"
                   "  /REGEXP/[OFFSET]   copy up to but not including a matching line\n  "
                   "%REGEXP%[OFFSET]   skip to, but not including a matching line\n"
                   "  {INTEGER}          repeat the previous pattern specified number of times\n"
                   "  {*}                repeat the previous pattern as many times as possible\n\n"
                   "A line OFFSET is an integer optionally preceded by '+' or '-'",
           .opts = csplit_options, .opts_size = sizeof(struct csplit_opts));
