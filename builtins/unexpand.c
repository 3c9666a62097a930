/* unexpand.c - convert blanks to tabs
 *
 * Standard: GNU coreutils 9.1 (bytes are columns). Oracle: unexpand.
 */
#include "builtins/fsops.h"
#include "builtins/tabs.h"

struct unexpand_opts {
    bool all, first_only;
    struct wk_tabs tabs;
    char *digits; /* of -N[,N]…: the last number goes on in the next such option, as in GNU */
    size_t n_digits;
};

static int set_tabs(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct unexpand_opts *o = (struct unexpand_opts *)c->opts;
    wk_tabs_add(c, &o->tabs, arg);
    o->all = true;
    return 0;
}

static const struct wk_opt unexpand_options[] = {
    WK_FLAG(struct unexpand_opts, all, 'a', "all",
            "convert all blanks, instead of just initial blanks"),
    WK_FLAG(struct unexpand_opts, first_only, 0, "first-only",
            "convert only leading sequences of blanks (overrides -a)"),
    WK_FUNC_OPT(set_tabs, 0, 't', "tabs", "LIST",
                "have tabs N characters apart instead of 8, or use a\ncomma separated list of tab "
                "positions; the last may\nbe prefixed with '/' or '+' (enables -a)"),
    WK_OPTS_END,
};

/* -N[,N]…, also with -a in one word */
static int unexpand_old_style(struct wk_cmd *c, int at)
{
    const char *arg = c->argv[at];
    size_t n = strlen(arg + 1);
    if (arg[0] != '-' || strspn(arg + 1, "0123456789,a") != n || !strpbrk(arg + 1, "0123456789,"))
        return 0;
    struct unexpand_opts *o = (struct unexpand_opts *)c->opts;
    o->digits = (char *)wk_heap_realloc(c->heap, o->digits, o->n_digits + n + 1);
    for (const char *p = arg + 1; *p; p++) {
        if (*p == 'a')
            o->all = true;
        else
            o->digits[o->n_digits++] = *p;
    }
    o->digits[o->n_digits] = '\0';
    char *comma = strrchr(o->digits, ',');
    if (comma) {
        *comma = '\0';
        wk_tabs_add(c, &o->tabs, o->digits);
        o->n_digits = strlen(comma + 1);
        memmove(o->digits, comma + 1, o->n_digits + 1);
    }
    return 1;
}

/* A run of blanks is held as two numbers: the tabs that it is sure to begin with, and the blanks
 * behind the last stop. A single space that reaches a stop stays a space unless more blanks follow.
 */
struct unexpander {
    struct wk_cmd *c;
    const struct unexpand_opts *o;
    bool all;
    uint64_t column; /* behind the run */
    size_t at;
    bool convert;
    uint64_t tabs;
    char *blanks; /* after them, as read */
    size_t n, cap;
    bool lone;            /* the run so far is one space that reached a stop: blanks[0] */
    bool begun, at_start; /* in a run; it begins the line */
};

static void start_line(struct unexpander *s)
{
    s->column = 0;
    s->at = 0;
    s->convert = true;
    s->at_start = true;
}

static void put_run(struct unexpander *s)
{
    for (; s->tabs; s->tabs--)
        wk_out_char(s->c->out, '\t');
    wk_out_put(s->c->out, s->blanks, s->n);
    s->n = 0;
    s->lone = s->begun = false;
}

static void hold(struct unexpander *s, char ch)
{
    if (s->n == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 64;
        s->blanks = (char *)wk_heap_realloc(s->c->heap, s->blanks, cap);
        s->cap = cap;
    }
    s->blanks[s->n++] = ch;
}

static void add_blank(struct unexpander *s, char ch)
{
    uint64_t next = wk_tabs_next(&s->o->tabs, s->column, &s->at);
    bool first = !s->begun && !s->at_start;
    if (!next) { /* behind the last stop: the rest of the line stays */
        put_run(s);
        s->convert = false;
        wk_out_char(s->c->out, ch);
        return;
    }
    if (s->lone) { /* it has company now */
        s->tabs++;
        s->n = 0;
        s->lone = false;
    }
    s->begun = true;
    s->column = ch == '\t' ? next : s->column + 1;
    if (s->column < next) {
        hold(s, ch);
    } else if (ch == ' ' && first) {
        hold(s, ch);
        s->lone = true;
    } else {
        s->tabs++;
        s->n = 0;
    }
}

static void unexpand_char(struct unexpander *s, char ch)
{
    if (s->convert && (ch == ' ' || ch == '\t')) {
        add_blank(s, ch);
        return;
    }
    put_run(s);
    s->at_start = false;
    if (ch == '\n') {
        start_line(s);
    } else if (s->convert) {
        s->convert = s->all;
        if (ch == '\b') {
            s->column -= s->column > 0;
            s->at = 0;
        } else {
            s->column++;
        }
    }
    wk_out_char(s->c->out, ch);
}

static int unexpand_main(struct wk_cmd *c)
{
    struct unexpand_opts *o = (struct unexpand_opts *)c->opts;
    struct unexpander s = {.c = c, .o = o};
    struct wk_in *in = NULL;
    const char *p;
    size_t n;
    s.all = o->all && !o->first_only;
    if (o->digits) /* unlike -t this does not mean -a */
        wk_tabs_add(c, &o->tabs, o->digits);
    wk_tabs_done(c, &o->tabs);
    start_line(&s);
    while (wk_input_next(c, &in)) {
        while (wk_in_chunk(in, &p, &n)) {
            for (size_t i = 0; i < n; i++)
                unexpand_char(&s, p[i]);
            wk_tick(c, (uint32_t)(n / 16 & 0xffffff) + 1);
        }
    }
    put_run(&s);
    return c->status;
}

WK_COMMAND(unexpand, .summary = "convert blanks in each FILE to tabs, writing to standard output",
           .usage = "unexpand [OPTION]... [FILE]...", .std = "coreutils 9.1",
           .opts = unexpand_options, .opts_size = sizeof(struct unexpand_opts),
           .flags = WK_CMD_NEG_NUMBERS | WK_CMD_FILTER, .old_style = unexpand_old_style);
