/* dircolors.c - sets LS_COLORS for ls, from a table of colors
 *
 * Standard: GNU coreutils 9.1. Oracle: dircolors.
 */
#include "builtins/dircolors.h"

#include "builtins/fsops.h"
#include "text/pattern/pattern.h"

enum syntax { SYNTAX_UNKNOWN, SYNTAX_BOURNE, SYNTAX_C };

struct dircolors_opts {
    int syntax;
    bool table, display;
};

#define OPTS struct dircolors_opts

static const struct wk_opt dircolors_options[] = {
    WK_SET(OPTS, syntax, SYNTAX_BOURNE, 'b', "sh", "print what a Bourne shell is to run"),
    WK_SET(OPTS, syntax, SYNTAX_BOURNE, 'b', "bourne-shell", "the same"),
    WK_SET(OPTS, syntax, SYNTAX_C, 'c', "csh", "print what a C shell is to run"),
    WK_SET(OPTS, syntax, SYNTAX_C, 'c', "c-shell", "the same"),
    WK_FLAG(OPTS, table, 'p', "print-database", "print the table that is built in"),
    WK_FLAG(OPTS, display, 0, "print-ls-colors", "print each color in that color"),
    WK_OPTS_END,
};

/* Which lines are for this terminal. */
enum state {
    STATE_ALL,  /* no TERM or COLORTERM yet */
    STATE_NO,   /* behind some that did not match */
    STATE_YES,  /* behind some of which one matched */
    STATE_SURE, /* among such: further ones change nothing */
};

struct dircolors {
    struct wk_cmd *c;
    const struct dircolors_opts *o;
    const char *name; /* of the file, for messages */
    const char *term, *colorterm;
    struct wk_arena arena;
    enum state state;
    struct wk_fifo_buf text; /* what comes out of it */
    bool failed;
};

static const struct {
    const char *word, *key;
} keywords[] = {
    {"NORMAL", "no"},
    {"NORM", "no"},
    {"FILE", "fi"},
    {"RESET", "rs"},
    {"DIR", "di"},
    {"LNK", "ln"},
    {"LINK", "ln"},
    {"SYMLINK", "ln"},
    {"ORPHAN", "or"},
    {"MISSING", "mi"},
    {"FIFO", "pi"},
    {"PIPE", "pi"},
    {"SOCK", "so"},
    {"BLK", "bd"},
    {"BLOCK", "bd"},
    {"CHR", "cd"},
    {"CHAR", "cd"},
    {"DOOR", "do"},
    {"EXEC", "ex"},
    {"LEFT", "lc"},
    {"LEFTCODE", "lc"},
    {"RIGHT", "rc"},
    {"RIGHTCODE", "rc"},
    {"END", "ec"},
    {"ENDCODE", "ec"},
    {"SUID", "su"},
    {"SETUID", "su"},
    {"SGID", "sg"},
    {"SETGID", "sg"},
    {"STICKY", "st"},
    {"OTHER_WRITABLE", "ow"},
    {"OWR", "ow"},
    {"STICKY_OTHER_WRITABLE", "tw"},
    {"OWT", "tw"},
    {"CAPABILITY", "ca"},
    {"MULTIHARDLINK", "mh"},
    {"CLRTOEOL", "cl"},
};

static bool is_space(char ch)
{
    return ch == ' ' || (ch >= '\t' && ch <= '\r');
}

static bool is_word(struct wk_str s, const char *upper)
{
    size_t i = 0;
    for (; i < s.n && upper[i]; i++) {
        char ch = s.p[i] >= 'a' && s.p[i] <= 'z' ? (char)(s.p[i] - 'a' + 'A') : s.p[i];
        if (ch != upper[i])
            return false;
    }
    return i == s.n && !upper[i];
}

/* ---- output -------------------------------------------------------------------------------------
 */

static void put(struct dircolors *d, const char *p, size_t n)
{
    wk_fifo_put(d->c, &d->text, p, n);
}

/* Quoted for the shell, and ':' and '=' for ls, unless they are so already. */
static void put_quoted(struct dircolors *d, struct wk_str s)
{
    if (d->o->display) {
        put(d, s.p, s.n);
        return;
    }
    bool bare = true;
    for (size_t i = 0; i < s.n; i++) {
        char ch = s.p[i];
        if (ch == '\'')
            put(d, "'\\'", 3);
        if ((ch == ':' || ch == '=') && bare)
            put(d, "\\", 1);
        put(d, &ch, 1);
        bare = ch == '\\' || ch == '^' ? !bare : true;
    }
}

static void put_color(struct dircolors *d, const char *lead, struct wk_str key, struct wk_str value)
{
    if (d->o->display) {
        put(d, "\033[", 2);
        put_quoted(d, value);
        put(d, "m", 1);
    }
    put(d, lead, strlen(lead));
    put_quoted(d, key);
    put(d, d->o->display ? "\t" : "=", 1);
    put_quoted(d, value);
    if (d->o->display)
        put(d, "\033[0m\n", 5);
    else
        put(d, ":", 1);
}

/* ---- the table ----------------------------------------------------------------------------------
 */

static int count_steps(void *ctx, size_t steps)
{
    wk_tick((struct wk_cmd *)ctx, (uint32_t)(steps & 0xffffff));
    return 0;
}

static bool matches(struct dircolors *d, struct wk_str pattern, const char *text)
{
    const struct wk_pattern *p;
    struct wk_pattern_run run = {.mem = wk_heap_mem(d->c->heap), .step = count_steps, .ctx = d->c};
    unsigned flags = wk_cmd_utf8(d->c) ? 0 : WK_PATTERN_BYTES;
    if (wk_pattern_compile(&d->arena, pattern, flags, &p))
        wk_heap_exhausted(d->c->heap);
    return wk_pattern_match(p, &run, wk_str_c(text)) == 1;
}

static void take_terminal(struct dircolors *d, struct wk_str pattern, const char *text)
{
    if (d->state == STATE_SURE)
        return;
    d->state = matches(d, pattern, text) ? STATE_SURE : STATE_NO;
}

static void take_color(struct dircolors *d, struct wk_str word, struct wk_str value, uint64_t line)
{
    if (d->state == STATE_SURE)
        d->state = STATE_YES;
    if (d->state == STATE_NO)
        return;
    if (word.p[0] == '.') {
        put_color(d, "*", word, value);
        return;
    }
    if (word.p[0] == '*') {
        put_color(d, "", word, value);
        return;
    }
    if (is_word(word, "OPTIONS") || is_word(word, "COLOR") || is_word(word, "EIGHTBIT"))
        return;
    for (size_t i = 0; i < WK_COUNTOF(keywords); i++)
        if (is_word(word, keywords[i].word)) {
            put_color(d, "", wk_str_c(keywords[i].key), value);
            return;
        }
    if (d->state == STATE_ALL)
        return;
    wk_msg(d->c, "%s:%llu: unrecognized keyword %s", d->name, (unsigned long long)line,
           wk_dupn(d->c, word.p, word.n));
    d->failed = true;
}

static void take_line(struct dircolors *d, struct wk_str s, uint64_t line)
{
    const char *nul = (const char *)memchr(s.p, '\0', s.n);
    size_t end = nul ? (size_t)(nul - s.p) : s.n, at = 0;
    while (at < end && is_space(s.p[at]))
        at++;
    if (at == end || s.p[at] == '#')
        return;
    size_t word = at;
    while (at < end && !is_space(s.p[at]))
        at++;
    struct wk_str key = wk_str(s.p + word, at - word);
    while (at < end && is_space(s.p[at]))
        at++;
    size_t from = at;
    while (at < end && s.p[at] != '#')
        at++;
    while (at > from && is_space(s.p[at - 1]))
        at--;
    struct wk_str value = wk_str(s.p + from, at - from);
    if (!value.n) {
        wk_msg(d->c, "%s:%llu: invalid line;  missing second token", d->name,
               (unsigned long long)line);
        d->failed = true;
    } else if (is_word(key, "TERM")) {
        take_terminal(d, value, d->term);
    } else if (is_word(key, "COLORTERM")) {
        take_terminal(d, value, d->colorterm);
    } else {
        take_color(d, key, value, line);
    }
    wk_tick(d->c, (uint32_t)(s.n / 64) + 1);
}

static void read_file(struct dircolors *d, const char *path)
{
    struct wk_in *in;
    struct wk_str line;
    int err =
        strcmp(path, "-") == 0 && !d->c->in->file ? WK_EBADF : wk_raw_open(d->c, path, true, &in);
    d->name = wk_quote_maybe(d->c, path);
    if (err)
        wk_fail(d->c, 1, "%s: %s", d->name, wk_err_text(err));
    struct wk_stat st;
    if (wk_file_stat(in->file, &st) == 0 && (st.mode & WK_S_IFMT) == WK_S_IFDIR)
        return; /* has no lines */
    in->name = path;
    for (uint64_t n = 1; wk_line_next(in, '\n', &line); n++)
        take_line(d, line, n);
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static void check_operands(struct wk_cmd *c)
{
    struct dircolors_opts *o = (struct dircolors_opts *)c->opts;
    if ((o->table || o->display) && o->syntax != SYNTAX_UNKNOWN)
        wk_usage(c, "the options to output non shell syntax,\nand to select a shell syntax are "
                    "mutually exclusive");
    if (o->table && o->display)
        wk_usage(c, "options --print-database and --print-ls-colors are mutually exclusive");
    if (c->nargs > !o->table)
        wk_usage(c, "extra operand %s%s", wk_quote_arg(c, c->args[!o->table]),
                 o->table ? "\nfile operands cannot be combined with --print-database (-p)" : "");
    if (o->table || o->display || o->syntax != SYNTAX_UNKNOWN)
        return;
    const char *shell = wk_cmd_env(c, "SHELL");
    if (!shell || !*shell)
        wk_fail(c, 1, "no SHELL environment variable, and no shell type option given");
    size_t n;
    const char *last = wk_last_component(shell, &n);
    bool c_shell = strcmp(last, "csh") == 0 || strcmp(last, "tcsh") == 0;
    o->syntax = c_shell ? SYNTAX_C : SYNTAX_BOURNE;
}

static void release_arena(void *a)
{
    wk_arena_release((struct wk_arena *)a);
}

static int dircolors_main(struct wk_cmd *c)
{
    const struct dircolors_opts *o = (const struct dircolors_opts *)c->opts;
    check_operands(c);
    for (size_t i = 0; o->table && wk_dircolors_table[i]; i++)
        wk_out_fmt(c->out, "%s\n", wk_dircolors_table[i]);
    if (o->table)
        return c->status;
    struct dircolors *d = wk_new(c, struct dircolors);
    const char *term = wk_cmd_env(c, "TERM"), *colorterm = wk_cmd_env(c, "COLORTERM");
    *d = (struct dircolors){.c = c,
                            .o = o,
                            .name = "<internal>",
                            .term = term && *term ? term : "none",
                            .colorterm = colorterm ? colorterm : ""};
    wk_arena_init(&d->arena, wk_heap_mem(c->heap));
    wk_heap_own(c->heap, &d->arena, release_arena);
    if (c->nargs)
        read_file(d, c->args[0]);
    for (size_t i = 0; !c->nargs && wk_dircolors_table[i]; i++)
        take_line(d, wk_str_c(wk_dircolors_table[i]), i + 1);
    if (d->failed)
        return 1;
    if (!o->display)
        wk_out_c(c->out, o->syntax == SYNTAX_C ? "setenv LS_COLORS '" : "LS_COLORS='");
    if (d->text.n)
        wk_out_put(c->out, d->text.p + d->text.head, d->text.n);
    if (!o->display)
        wk_out_c(c->out, o->syntax == SYNTAX_C ? "'\n" : "';\nexport LS_COLORS\n");
    return c->status;
}

WK_COMMAND(
    dircolors, .summary = "print commands that set LS_COLORS",
    .usage = "dircolors [OPTION]... [FILE]",
    .help =
        "FILE says which colors ls shows files in, by their type and by the end of their name;\n"
        "without it a table that is built in does.",
    .std = "coreutils 9.1", .opts = dircolors_options, .opts_size = sizeof(struct dircolors_opts));
