/* fold.c - wrap each input line to fit in a width
 *
 * Standard: GNU coreutils 9.1 (bytes are columns). Oracle: fold.
 */
#include "base/num.h"
#include "builtins/fsops.h"

struct fold_opts {
    bool bytes, spaces;
    uint64_t width; /* 0: not given */
};

static void take_width(struct wk_cmd *c, const char *text)
{
    uint64_t v;
    const char *p = text + strspn(text, " \t\n\v\f\r");
    int r = wk_parse_u64(wk_str_c(p), 10, &v);
    if (r == 0 && v > 0 && v <= UINT64_MAX - 9) {
        ((struct fold_opts *)c->opts)->width = v;
        return;
    }
    wk_fail(c, 1, "invalid number of columns: %s%s", wk_quote_arg(c, text),
            r == -WK_EINVAL ? ""
            : r             ? ": Value too large for defined data type"
                            : ": Numerical result out of range");
}

static int set_width(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    take_width(c, arg);
    return 0;
}

static const struct wk_opt fold_options[] = {
    WK_FLAG(struct fold_opts, bytes, 'b', "bytes", "count bytes rather than columns"),
    WK_FLAG(struct fold_opts, spaces, 's', "spaces", "break at spaces"),
    WK_FUNC_OPT(set_width, 0, 'w', "width", "WIDTH", "use WIDTH columns instead of 80"),
    WK_OPTS_END,
};

/* -WIDTH, also behind -b and -s in one word */
static int fold_old_style(struct wk_cmd *c, int at)
{
    struct fold_opts *o = (struct fold_opts *)c->opts;
    const char *arg = c->argv[at], *p = arg + 1 + strspn(arg + 1, "bs");
    if (arg[0] != '-' || !wk_is_digit(*p))
        return 0;
    o->bytes = o->bytes || memchr(arg, 'b', (size_t)(p - arg));
    o->spaces = o->spaces || memchr(arg, 's', (size_t)(p - arg));
    take_width(c, p);
    return 1;
}

struct folder {
    struct wk_cmd *c;
    const struct fold_opts *o;
    uint64_t width, column;
    char *line;
    size_t n, cap;
};

static uint64_t column_after(const struct folder *s, uint64_t column, char ch)
{
    if (s->o->bytes)
        return column + 1;
    switch (ch) {
    case '\b':
        return column ? column - 1 : 0;
    case '\r':
        return 0;
    case '\t':
        return column + 8 - column % 8;
    default:
        return column + 1;
    }
}

static void put_part(struct folder *s, size_t n)
{
    wk_out_put(s->c->out, s->line, n);
    wk_out_char(s->c->out, '\n');
    s->n -= n;
    memmove(s->line, s->line + n, s->n);
    s->column = 0;
    for (size_t i = 0; i < s->n; i++)
        s->column = column_after(s, s->column, s->line[i]);
}

/* The line is full: it breaks behind its last blank, or here. */
static void break_line(struct folder *s)
{
    size_t end = s->o->spaces ? s->n : 0;
    while (end > 0 && s->line[end - 1] != ' ' && s->line[end - 1] != '\t')
        end--;
    put_part(s, end ? end : s->n);
    wk_tick(s->c, (uint32_t)(s->n / 16 & 0xffffff) + 1);
}

static void put_behind(struct folder *s, const char *p, size_t n)
{
    if (s->cap - s->n < n) {
        size_t cap = s->cap * 2 + n + 256;
        s->line = (char *)wk_heap_realloc(s->c->heap, s->line, cap);
        s->cap = cap;
    }
    memcpy(s->line + s->n, p, n);
    s->n += n;
}

static void add_char(struct folder *s, char ch)
{
    uint64_t next;
    while ((next = column_after(s, s->column, ch)) > s->width && s->n > 0)
        break_line(s);
    s->column = next;
    put_behind(s, &ch, 1);
}

/* Takes what has room of the characters of one column each at p; their number. */
static size_t add_run(struct folder *s, const char *p, size_t n)
{
    const uint32_t others = 1u << '\n' | (s->o->bytes ? 0 : 1u << '\b' | 1u << '\r' | 1u << '\t');
    size_t most = s->column < s->width ? (size_t)WK_MIN((uint64_t)n, s->width - s->column) : 0, i = 0;
    while (i < most && ((unsigned char)p[i] >= ' ' || !(others >> p[i] & 1)))
        i++;
    if (i)
        put_behind(s, p, i);
    s->column += i;
    return i;
}

static void fold_input(struct folder *s, struct wk_in *in)
{
    const char *p;
    size_t n;
    while (wk_in_chunk(in, &p, &n)) {
        for (size_t i = 0; i < n; i++) {
            i += add_run(s, p + i, n - i);
            if (i == n)
                break;
            if (p[i] != '\n') {
                add_char(s, p[i]);
                continue;
            }
            wk_out_put(s->c->out, s->line, s->n);
            wk_out_char(s->c->out, '\n');
            s->n = 0;
            s->column = 0;
        }
        wk_tick(s->c, (uint32_t)(n / 16 & 0xffffff) + 1);
    }
    wk_out_put(s->c->out, s->line, s->n);
    s->n = 0;
    s->column = 0;
}

static int fold_main(struct wk_cmd *c)
{
    const struct fold_opts *o = (const struct fold_opts *)c->opts;
    struct folder s = {.c = c, .o = o, .width = o->width ? o->width : 80};
    struct wk_in *in = NULL;
    while (wk_input_next(c, &in))
        fold_input(&s, in);
    return c->status;
}

WK_COMMAND(fold, .summary = "wrap input lines in each FILE, writing to standard output",
           .usage = "fold [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = fold_options,
           .opts_size = sizeof(struct fold_opts), .flags = WK_CMD_NEG_NUMBERS | WK_CMD_FILTER,
           .old_style = fold_old_style);
