/* expand.c - convert tabs to spaces
 *
 * Standard: GNU coreutils 9.1 (bytes are columns). Oracle: expand.
 */
#include "builtins/fsops.h"
#include "builtins/tabs.h"

struct expand_opts {
    bool initial;
    struct wk_tabs tabs;
};

static int set_tabs(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    wk_tabs_add(c, &((struct expand_opts *)c->opts)->tabs, arg);
    return 0;
}

static const struct wk_opt expand_options[] = {
    WK_FLAG(struct expand_opts, initial, 'i', "initial", "do not convert tabs after non blanks"),
    WK_FUNC_OPT(set_tabs, 0, 't', "tabs", "LIST",
                "have tabs N characters apart, not 8, or use a comma\nseparated list of tab "
                "positions; the last may be\nprefixed with '/' (a size after it) or '+' (a size "
                "from it)"),
    WK_OPTS_END,
};

/* -N[,N]…, also behind -i in one word */
static int expand_old_style(struct wk_cmd *c, int at)
{
    struct expand_opts *o = (struct expand_opts *)c->opts;
    const char *arg = c->argv[at], *p = arg + 1 + strspn(arg + 1, "i");
    if (arg[0] != '-' || !wk_is_digit(*p))
        return 0;
    o->initial = o->initial || p > arg + 1;
    wk_tabs_add(c, &o->tabs, p);
    return 1;
}

struct expander {
    struct wk_cmd *c;
    const struct expand_opts *o;
    uint64_t column;
    size_t at;
    bool convert;
};

static void put_spaces(struct wk_cmd *c, uint64_t n)
{
    static const char spaces[] = "                                                                ";
    while (n) {
        size_t part = n < sizeof spaces - 1 ? (size_t)n : sizeof spaces - 1;
        wk_out_put(c->out, spaces, part);
        n -= part;
        wk_tick(c, 1);
    }
}

static void start_line(struct expander *s)
{
    s->column = 0;
    s->at = 0;
    s->convert = true;
}

static void expand_char(struct expander *s, char ch)
{
    if (ch == '\n') {
        start_line(s);
    } else if (s->convert && ch == '\t') {
        uint64_t next = wk_tabs_next(&s->o->tabs, s->column, &s->at);
        put_spaces(s->c, next ? next - s->column : 1);
        s->column = next ? next : s->column + 1;
        return;
    } else if (s->convert) {
        if (ch == '\b') {
            s->column -= s->column > 0;
            s->at = 0;
        } else {
            s->column++;
        }
        if (s->o->initial && ch != ' ')
            s->convert = false;
    }
    wk_out_char(s->c->out, ch);
}

/* Bytes that pass as they are and take a column each, as far as they go. */
static size_t plain_run(const struct expander *s, const char *p, size_t n)
{
    size_t i = 0;
    if (!s->convert) {
        const char *e = (const char *)memchr(p, '\n', n);
        return e ? (size_t)(e - p) : n;
    }
    if (s->o->initial)
        return 0;
    while (i < n && p[i] != '\t' && p[i] != '\n' && p[i] != '\b')
        i++;
    return i;
}

static int expand_main(struct wk_cmd *c)
{
    struct expand_opts *o = (struct expand_opts *)c->opts;
    struct expander s = {.c = c, .o = o};
    struct wk_in *in = NULL;
    const char *p;
    size_t n;
    wk_tabs_done(c, &o->tabs);
    start_line(&s);
    while (wk_input_next(c, &in)) {
        while (wk_in_chunk(in, &p, &n)) {
            for (size_t i = 0; i < n; i++) {
                size_t run = plain_run(&s, p + i, n - i);
                wk_out_put(c->out, p + i, run);
                s.column += run;
                i += run;
                if (i < n)
                    expand_char(&s, p[i]);
            }
            wk_tick(c, (uint32_t)(n / 16 & 0xffffff) + 1);
        }
    }
    return c->status;
}

WK_COMMAND(expand, .summary = "convert tabs in each FILE to spaces, writing to standard output",
           .usage = "expand [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = expand_options,
           .opts_size = sizeof(struct expand_opts), .flags = WK_CMD_NEG_NUMBERS | WK_CMD_FILTER,
           .old_style = expand_old_style);
