/* paste.c - merge lines of files
 *
 * Standard: GNU coreutils 9.1. Oracle: paste.
 */
#include "builtins/fsops.h"

struct paste_opts {
    const char *delimiters;
    bool serial, zero;
};

static const struct wk_opt paste_options[] = {
    WK_STR_OPT(struct paste_opts, delimiters, 'd', "delimiters", "LIST",
               "reuse characters from LIST instead of TABs"),
    WK_FLAG(struct paste_opts, serial, 's', "serial",
            "paste one file at a time instead of in parallel"),
    WK_FLAG(struct paste_opts, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    WK_OPTS_END,
};

struct paste_state {
    struct wk_cmd *c;
    char *delims; /* escapes undone */
    bool *none;   /* \0: no delimiter in this place */
    size_t n;
    char eol;
};

static void read_delimiters(struct paste_state *s, const char *text)
{
    static const char from[] = "bfnrtv\\", to[] = "\b\f\n\r\t\v\\";
    size_t len = strlen(text);
    s->delims = (char *)wk_heap_alloc(s->c->heap, len + 1);
    s->none = wk_new_n(s->c, bool, len + 1);
    for (const char *p = text; *p; p++) {
        char ch = *p;
        if (ch == '\\') {
            if (!*++p)
                wk_fail(s->c, 1, "delimiter list ends with an unescaped backslash: %s", text);
            const char *known = strchr(from, *p);
            s->none[s->n] = *p == '0';
            ch = known ? to[known - from] : *p;
        }
        s->delims[s->n++] = ch;
    }
    if (!len)
        s->none[s->n++] = true;
}

static void put_delimiter(struct paste_state *s, size_t i)
{
    if (!s->none[i % s->n])
        wk_out_char(s->c->out, s->delims[i % s->n]);
}

static struct wk_in *open_operand(struct wk_cmd *c, const char *name)
{
    return wk_in_open(c, name, true);
}

/* Copies a line; in front of its first byte the delimiters from `from` to `to`. False: there is none. */
static bool put_line(struct paste_state *s, struct wk_in *in, size_t from, size_t to)
{
    struct wk_str part;
    bool any = false, last = false;
    while (!last && wk_line_part(in, s->eol, &part, &last)) {
        for (; !any && from < to; from++)
            put_delimiter(s, from);
        any = true;
        wk_out_str(s->c->out, part);
    }
    return any;
}

static void paste_serial(struct paste_state *s, char **names, size_t n)
{
    struct wk_cmd *c = s->c;
    for (size_t i = 0; i < n; i++) {
        struct wk_in *in = open_operand(c, names[i]);
        if (!in)
            continue;
        if (in == c->in && in->err)
            wk_warn(c, "-", in->err); /* said for each of them */
        for (size_t k = 0; put_line(s, in, k ? k - 1 : 0, k); k++)
            continue;
        wk_out_char(c->out, s->eol);
        if (in != c->in)
            wk_in_close(in);
    }
}

/* One row: false when every input has ended (nothing was written). Delimiters of inputs that have
 * ended wait until one that has not is found. */
static bool paste_row(struct paste_state *s, struct wk_in **in, size_t n)
{
    size_t written = 0; /* delimiters so far */
    bool any = false, failed = false;
    for (size_t i = 0; i < n; i++) {
        if (!in[i])
            continue;
        if (!put_line(s, in[i], written, i)) {
            if (in[i] != s->c->in)
                wk_in_close(in[i]);
            else if (failed)
                wk_warn(s->c, "-", in[i]->err); /* said for each of them */
            failed = failed || (in[i] == s->c->in && in[i]->err);
            in[i] = NULL;
            continue;
        }
        any = true;
        written = i;
    }
    if (!any)
        return false;
    for (; written + 1 < n; written++)
        put_delimiter(s, written);
    wk_out_char(s->c->out, s->eol);
    wk_tick(s->c, (uint32_t)(n & 0xfffff) + 1);
    return true;
}

static void paste_parallel(struct paste_state *s, char **names, size_t n)
{
    struct wk_in **in = wk_new_n(s->c, struct wk_in *, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!(in[i] = open_operand(s->c, names[i])))
            wk_exit(s->c, 1);
    bool dash = false, file = false;
    for (size_t i = 0; i < n; i++) {
        dash = dash || in[i] == s->c->in;
        file = file || in[i] != s->c->in;
    }
    if (dash && file && !s->c->in->file)
        wk_fail(s->c, 1, "standard input is closed");
    while (paste_row(s, in, n))
        continue;
}

static int paste_main(struct wk_cmd *c)
{
    const struct paste_opts *o = (const struct paste_opts *)c->opts;
    struct paste_state s = {.c = c, .eol = o->zero ? '\0' : '\n'};
    char dash[] = "-", *none[] = {dash};
    read_delimiters(&s, o->delimiters ? o->delimiters : "\t");
    char **names = c->nargs ? c->args : none;
    size_t n = c->nargs ? (size_t)c->nargs : 1;
    if (o->serial)
        paste_serial(&s, names, n);
    else
        paste_parallel(&s, names, n);
    return c->status;
}

WK_COMMAND(paste,
           .summary = "write lines consisting of the sequentially corresponding lines from "
                      "each FILE, separated by TABs, to standard output",
           .usage = "paste [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = paste_options,
           .opts_size = sizeof(struct paste_opts),
           .flags = WK_CMD_FILTER);
