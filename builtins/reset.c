/* reset.c - make a terminal sane again, and say what it is
 *
 * Oracle:  reset of ncurses 6.4. Differs: docs/divergences/tput.md.
 */
#include "kern/cmd.h"

/* main reads the words itself: an argument of -e, -i and -k may be missing. */
static const struct wk_opt reset_options[] = {
    {WK_OPT_FLAG, 'c', NULL, NULL, "set the control characters", 0, 0, NULL},
    {WK_OPT_STR, 'e', NULL, "CH", "the character that erases (^H)", 0, 0, NULL},
    {WK_OPT_STR, 'i', NULL, "CH", "the character that interrupts (^C)", 0, 0, NULL},
    {WK_OPT_FLAG, 'I', NULL, NULL, "send nothing to the terminal", 0, 0, NULL},
    {WK_OPT_STR, 'k', NULL, "CH", "the character that erases a line (^U)", 0, 0, NULL},
    {WK_OPT_STR, 'm', NULL, "[FROM:]TO", "take TO as the type where it would be FROM", 0, 0, NULL},
    {WK_OPT_FLAG, 'q', NULL, NULL, "print the type and do nothing else", 0, 0, NULL},
    {WK_OPT_FLAG, 'Q', NULL, NULL, "do not tell of characters that are set", 0, 0, NULL},
    {WK_OPT_FLAG, 'r', NULL, NULL, "tell the type on standard error", 0, 0, NULL},
    {WK_OPT_FLAG, 's', NULL, NULL, "print commands that set $TERM", 0, 0, NULL},
    {WK_OPT_FLAG, 'V', NULL, NULL, "the version", 0, 0, NULL},
    {WK_OPT_FLAG, 'w', NULL, NULL, "set the size of the window", 0, 0, NULL},
    WK_OPTS_END,
};

struct reset {
    bool no_strings, query, quiet, report, set, characters, window, ask;
    const char *type;  /* operand */
    const char *maps;  /* the type by -m; NULL: none fits */
    int erase, intr, kill; /* -1: left as it is */
};

static WK_NORETURN void usage(struct wk_cmd *c)
{
    wk_out_c(c->err, "Usage: reset [-cIQqrsVw] [-e CH] [-i CH] [-k CH] [-m MAP] [TERM]\n");
    wk_exit(c, 1);
}

/* "x" or "^X". */
static int read_char(const char *text)
{
    if (text[0] != '^' || !text[1])
        return (unsigned char)text[0];
    return text[1] == '?' ? 0x7f : text[1] & 037;
}

/* [FROM][OP BAUD][:]TO: terminals of a session have no speed. */
static void read_map(struct wk_cmd *c, struct reset *r, const char *text)
{
    const char *own = wk_cmd_env(c, "TERM");
    size_t from = strcspn(text, "><@=!:");
    const char *p = text + from;
    if (!*p) {
        r->maps = r->maps ? r->maps : text;
        return;
    }
    if (*p != ':') {
        p += strspn(p, "><@=!");
        wk_fail(c, 1, "unknown baud rate %.*s", (int)strcspn(p, ":"), p);
    }
    bool fits = !from || (own && strlen(own) == from && strncmp(own, text, from) == 0);
    if (fits && !r->maps) {
        r->ask = p[1] == '?';
        r->maps = p + 1 + r->ask;
    }
}

/* The argument of the letter at *p. Moves *at to the word that holds it. */
static const char *argument(struct wk_cmd *c, int *at, const char *p)
{
    const char *next = *at + 1 < c->argc ? c->argv[*at + 1] : NULL;
    bool alone = p == c->argv[*at] + 1;
    if (p[1])
        return p + 1;
    if (*p != 'm' && alone && (!next || *next == '-'))
        return *p == 'e' ? "^H" : *p == 'i' ? "^C" : "^U";
    if (!next) {
        wk_msg(c, "option requires an argument -- '%c'", *p);
        usage(c);
    }
    ++*at;
    return next;
}

static void read_letters(struct wk_cmd *c, struct reset *r, int *at)
{
    for (const char *p = c->argv[*at] + 1; *p; p++) {
        switch (*p) {
        case 'c': r->characters = true; break;
        case 'I': r->no_strings = true; break;
        case 'Q': r->quiet = true; break;
        case 'q': r->query = true; break;
        case 'r': r->report = true; break;
        case 's': r->set = true; break;
        case 'w': r->window = true; break;
        case 'V': wk_out_c(c->out, "ncurses 6.4.20221231\n"); wk_exit(c, 0);
        case 'e': r->erase = read_char(argument(c, at, p)); return;
        case 'i': r->intr = read_char(argument(c, at, p)); return;
        case 'k': r->kill = read_char(argument(c, at, p)); return;
        case 'm': read_map(c, r, argument(c, at, p)); return;
        default: wk_msg(c, "invalid option -- '%c'", *p); usage(c);
        }
    }
}

static void read_words(struct wk_cmd *c, struct reset *r)
{
    bool options = true;
    for (int at = 1; at < c->argc; at++) {
        const char *a = c->argv[at];
        if (options && strcmp(a, "--") == 0)
            options = false;
        else if (options && a[0] == '-' && a[1])
            read_letters(c, r, &at);
        else if (strcmp(a, "-") != 0 && r->type)
            usage(c);
        else if (strcmp(a, "-") != 0)
            r->type = a;
    }
}

static bool is_xterm(const char *type)
{
    return strcmp(type, "xterm") == 0 || strcmp(type, "xterm-256color") == 0;
}

/* Asks until a known type is named, at first when `ask` is set. */
static const char *known_type(struct wk_cmd *c, const char *type, bool ask)
{
    for (; ask || (!is_xterm(type) && strcmp(type, "dumb") != 0); ask = false) {
        struct wk_str line;
        if (ask)
            wk_out_fmt(c->err, "Terminal type? [%s] ", type);
        else
            wk_out_fmt(c->err, "%s: unknown terminal type %s\nTerminal type? ", c->name, type);
        (void)wk_out_flush(c->err);
        if (!wk_line_next(c->in, '\n', &line))
            wk_exit(c, 1);
        if (line.n)
            type = wk_dupn(c, line.p, line.n);
    }
    return type;
}

static void tell_char(struct wk_cmd *c, const char *what, int ch, int before)
{
    if (ch < 0 || ch == before)
        return;
    wk_out_fmt(c->err, "%s set to ", what);
    if (ch == 0x7f)
        wk_out_c(c->err, "delete.\n");
    else if (ch == 0)
        wk_out_c(c->err, "undef.\n");
    else if (ch < ' ')
        wk_out_fmt(c->err, "control-%c (^%c).\n", ch ^ 0100, ch ^ 0100);
    else
        wk_out_fmt(c->err, "%c.\n", ch);
}

static void put_commands(struct wk_cmd *c, const char *type)
{
    const char *shell = wk_cmd_env(c, "SHELL");
    size_t n = shell ? strlen(shell) : 0;
    if (n >= 3 && strcmp(shell + n - 3, "csh") == 0)
        wk_out_fmt(c->out, "set noglob;\nsetenv TERM %s;\nunset noglob;\n", type);
    else
        wk_out_fmt(c->out, "TERM=%s;\n", type);
}

static int reset_main(struct wk_cmd *c)
{
    struct reset r = {.erase = -1, .intr = -1, .kill = -1};
    const char *type = wk_cmd_env(c, "TERM");
    read_words(c, &r);
    if (!c->in->file || !c->in->file->is_tty) {
        wk_msg(c, "terminal attributes: %s", wk_err_text(WK_ENXIO));
        wk_out_char(c->err, '\n');
        return 10;
    }
    type = r.type ? r.type : r.maps ? r.maps : type ? type : "unknown";
    type = known_type(c, type, !r.type && r.ask);
    bool characters = r.characters || !r.window;
    if (r.query) {
        wk_out_fmt(c->out, "%s\n", type);
    } else if (characters) {
        if (!r.no_strings && is_xterm(type))
            wk_out_fmt(c->err, "\033c%s\033[!p\033[?3;4l\033[4l\033>\033[?69l\r",
                       strcmp(type, "xterm") == 0 ? "" : "\033]104\007");
        if (!r.quiet) {
            tell_char(c, "Erase", r.erase, 0x7f);
            tell_char(c, "Kill", r.kill, 'U' & 037);
            tell_char(c, "Interrupt", r.intr, 'C' & 037);
        }
    }
    if (r.report && !r.query)
        wk_out_fmt(c->err, "Terminal type is %s.\n", type);
    if (r.set)
        put_commands(c, type);
    return c->status;
}

WK_COMMAND(reset, .summary = "make a terminal sane again", .usage = "reset [OPTION]... [TERM]", .std = "ncurses 6.4",
           .opts = reset_options, .opts_size = sizeof(bool), .flags = WK_CMD_RAW_ARGS);
