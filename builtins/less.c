/* less.c - shows files, forwards and backwards; without a terminal, all of them at once
 *
 * There never is a terminal here: files are copied, as less does when its output is no terminal.
 * Options are read with all of less's rules, and what is wrong with them is told; only -f, -L, -V
 * and -? change anything then.
 *
 * Standard: less 590. Oracle: less.
 * Differs:  docs/divergences/less.md
 */
#include "base/utf8.h"
#include "builtins/fsops.h"
#include "builtins/quoting.h"
#include "builtins/subprogram.h"
#include "builtins/zone.h"

enum kind {
    KIND_FLAG,
    KIND_FORCE,
    KIND_NO_OPEN,
    KIND_HELP,
    KIND_VERSION,
    KIND_NUMBER,
    KIND_LINE,   /* a number, or a fraction */
    KIND_COLUMN, /* the same */
    KIND_TABS,
    KIND_TEXT,
    KIND_COLOR,
    KIND_QUOTES,
    KIND_KEYS,
    KIND_KEYS_SOURCE,
    KIND_WIDTH, /* of line numbers */
    KIND_STATUS_WIDTH
};

#define LESS_OPT(letter, name, arg, kind, help)                      \
    {                                                                \
        WK_OPT_STR, (letter), (name), (arg), (help), 0, (kind), NULL \
    }

static const struct wk_opt less_options[] = {
    LESS_OPT('?', NULL, NULL, KIND_HELP, "as --help"),
    LESS_OPT('a', "search-skip-screen", NULL, KIND_FLAG, "searches skip what is on the screen"),
    LESS_OPT('A', "SEARCH-SKIP-SCREEN", NULL, KIND_FLAG, "searches begin behind the line at hand"),
    LESS_OPT('b', "buffers", "N", KIND_NUMBER, "buffers for a file, of 1024 bytes"),
    LESS_OPT('B', "auto-buffers", NULL, KIND_FLAG, "no more buffers for pipes than -b says"),
    LESS_OPT('c', "clear-screen", NULL, KIND_FLAG, "draw the screen from the top"),
    LESS_OPT('C', "CLEAR-SCREEN", NULL, KIND_FLAG, "the same"),
    LESS_OPT('d', "dumb", NULL, KIND_FLAG, "do not complain of simple terminals"),
    LESS_OPT('D', "color", "XCOLOR", KIND_COLOR, "color of some kind of text"),
    LESS_OPT('e', "quit-at-eof", NULL, KIND_FLAG, "quit at the second end of the file"),
    LESS_OPT('E', "QUIT-AT-EOF", NULL, KIND_FLAG, "quit at the end of the file"),
    LESS_OPT('f', "force", NULL, KIND_FORCE, "open files of any kind"),
    LESS_OPT('F', "quit-if-one-screen", NULL, KIND_FLAG, "quit when all fits on the screen"),
    LESS_OPT('g', "hilite-search", NULL, KIND_FLAG, "mark only the last match"),
    LESS_OPT('G', "HILITE-SEARCH", NULL, KIND_FLAG, "mark no matches"),
    LESS_OPT('h', "max-back-scroll", "N", KIND_NUMBER, "lines to scroll backwards at most"),
    LESS_OPT('i', "ignore-case", NULL, KIND_FLAG, "searches without capitals know no case"),
    LESS_OPT('I', "IGNORE-CASE", NULL, KIND_FLAG, "searches know no case"),
    LESS_OPT('j', "jump-target", "N", KIND_LINE, "line of the screen where searches stop"),
    LESS_OPT('J', "status-column", NULL, KIND_FLAG, "a column of marks at the left"),
    LESS_OPT('k', "lesskey-file", "FILE", KIND_KEYS, "keys as FILE has them"),
    LESS_OPT('K', "quit-on-intr", NULL, KIND_FLAG, "quit when interrupted"),
    LESS_OPT('L', "no-lessopen", NULL, KIND_NO_OPEN, "do not use $LESSOPEN"),
    LESS_OPT('m', "long-prompt", NULL, KIND_FLAG, "prompt with how far it is"),
    LESS_OPT('M', "LONG-PROMPT", NULL, KIND_FLAG, "prompt with more"),
    LESS_OPT('n', "line-numbers", NULL, KIND_FLAG, "do not count lines"),
    LESS_OPT('N', "LINE-NUMBERS", NULL, KIND_FLAG, "number lines"),
    LESS_OPT('o', "log-file", "FILE", KIND_TEXT, "copy standard input to FILE, on a terminal"),
    LESS_OPT('O', "LOG-FILE", "FILE", KIND_TEXT, "the same, over what FILE has"),
    LESS_OPT('p', "pattern", "PATTERN", KIND_TEXT, "begin at PATTERN"),
    LESS_OPT('P', "prompt", "PROMPT", KIND_TEXT, "what to prompt with"),
    LESS_OPT('q', "quiet", NULL, KIND_FLAG, "ring the bell rarely"),
    LESS_OPT('Q', "QUIET", NULL, KIND_FLAG, "never ring the bell"),
    LESS_OPT(0, "silent", NULL, KIND_FLAG, "as -q"),
    LESS_OPT(0, "SILENT", NULL, KIND_FLAG, "as -Q"),
    LESS_OPT('r', "raw-control-chars", NULL, KIND_FLAG, "show control characters as they are"),
    LESS_OPT('R', "RAW-CONTROL-CHARS", NULL, KIND_FLAG, "only those for colors"),
    LESS_OPT('s', "squeeze-blank-lines", NULL, KIND_FLAG, "show empty lines as one"),
    LESS_OPT('S', "chop-long-lines", NULL, KIND_FLAG, "cut long lines"),
    LESS_OPT('t', "tag", "TAG", KIND_TEXT, "begin at TAG"),
    LESS_OPT('T', "tag-file", "FILE", KIND_TEXT, "where tags are"),
    LESS_OPT('u', "underline-special", NULL, KIND_FLAG, "backspaces are characters"),
    LESS_OPT('U', "UNDERLINE-SPECIAL", NULL, KIND_FLAG, "and tabs and returns, too"),
    LESS_OPT('V', NULL, NULL, KIND_VERSION, "as --version"),
    LESS_OPT('w', "hilite-unread", NULL, KIND_FLAG, "mark the first new line behind a page"),
    LESS_OPT('W', "HILITE-UNREAD", NULL, KIND_FLAG, "behind any movement"),
    LESS_OPT('x', "tabs", "N,...", KIND_TABS, "where tabs stop"),
    LESS_OPT('X', "no-init", NULL, KIND_FLAG, "do not set up the terminal"),
    LESS_OPT('y', "max-forw-scroll", "N", KIND_NUMBER, "lines to scroll forwards at most"),
    LESS_OPT('z', "window", "N", KIND_NUMBER, "lines of a page; also -N"),
    LESS_OPT('"', "quotes", "CC", KIND_QUOTES, "characters that quote names"),
    LESS_OPT('~', "tilde", NULL, KIND_FLAG, "no tildes behind the end"),
    LESS_OPT('#', "shift", "N", KIND_COLUMN, "columns to move sideways"),
    LESS_OPT(0, "file-size", NULL, KIND_FLAG, "find out the size of the file"),
    LESS_OPT(0, "follow-name", NULL, KIND_FLAG, "follow a file by its name"),
    LESS_OPT(0, "incsearch", NULL, KIND_FLAG, "search while a pattern is typed"),
    LESS_OPT(0, "lesskey-src", "FILE", KIND_KEYS_SOURCE, "keys as the text FILE has them"),
    LESS_OPT(0, "line-num-width", "N", KIND_WIDTH, "columns of line numbers"),
    LESS_OPT(0, "mouse", NULL, KIND_FLAG, "use a mouse"),
    LESS_OPT(0, "no-histdups", NULL, KIND_FLAG, "keep equal commands once"),
    LESS_OPT(0, "no-keypad", NULL, KIND_FLAG, "do not set up the keypad"),
    LESS_OPT(0, "old-bot", NULL, KIND_FLAG, "draw the last line as of old"),
    LESS_OPT(0, "rscroll", "C", KIND_TEXT, "what marks lines that are cut"),
    LESS_OPT(0, "save-marks", NULL, KIND_FLAG, "keep marks"),
    LESS_OPT(0, "status-col-width", "N", KIND_STATUS_WIDTH, "columns of -J"),
    LESS_OPT(0, "use-backslash", NULL, KIND_FLAG,
             "a backslash takes the meaning from characters in options"),
    LESS_OPT(0, "use-color", NULL, KIND_FLAG, "use colors"),
    LESS_OPT(0, "wheel-lines", "N", KIND_NUMBER, "lines that a mouse wheel moves"),
    WK_OPTS_END,
};
/* Rows that the table of --help makes by itself. */
static const struct wk_opt about[] = {
    LESS_OPT('?', "help", NULL, KIND_HELP, NULL),
    LESS_OPT('V', "version", NULL, KIND_VERSION, NULL),
};

static const struct wk_opt *option_at(size_t i)
{
    size_t n = WK_COUNTOF(less_options) - 1;
    return i < n ? &less_options[i] : i < n + WK_COUNTOF(about) ? &about[i - n] : NULL;
}

struct less {
    struct wk_cmd *c;
    const struct wk_opt *waits; /* for its value in the next argument */
    char waits_by;              /* the letter it was called by, or NUL */
    bool force, no_open, colors, backslash;
};

/* A line of a message: characters that are not to be printed as ^X, <FF> or <U+200E>. A stray byte
 * among UTF-8 is the character of its number. */
static void put_line(struct less *l, struct wk_out *out, const char *text)
{
    bool utf8 = wk_cmd_utf8(l->c);
    for (size_t i = 0, n = strlen(text), step; i < n; i += step) {
        uint32_t u;
        step = wk_char_next(!utf8, text + i, n - i, &u);
        bool stray = wk_utf8_is_bad(u);
        u -= stray ? WK_UTF8_BAD : 0;
        if (u == 27)
            wk_out_c(out, "ESC");
        else if (u < 32 || u == 127)
            wk_out_fmt(out, "^%c", (char)(u ^ 64));
        else if (stray && !utf8)
            wk_out_fmt(out, "<%02X>", (unsigned)u);
        else if ((u >= 0x80 && u < 0xa0) || u == 0x2028 || u == 0x2029)
            wk_out_fmt(out, "<U+%04X>", (unsigned)u);
        else {
            char bytes[6];
            wk_out_put(out, bytes, wk_utf8_put(bytes, u));
        }
    }
    wk_out_char(out, '\n');
}

static WK_PRINTF(2, 3) void say(struct less *l, const char *fmt, ...)
{
    struct wk_buf b;
    va_list ap;
    wk_buf_init(&b, wk_heap_mem(l->c->heap), SIZE_MAX / 2);
    va_start(ap, fmt);
    wk_buf_vfmt(&b, fmt, ap);
    va_end(ap);
    put_line(l, l->c->err, wk_keep(l->c, &b));
}

/* "-b (--buffers)" */
static const char *name_of(struct less *l, const struct wk_opt *o, char by)
{
    char letter = by ? by : o->short_name;
    return letter ? wk_strf(l->c, "-%c (--%s)", letter, o->long_name)
                  : wk_strf(l->c, "--%s", o->long_name);
}

/* ---- values -------------------------------------------------------------------------------------
 */

static const char *skip_digits(const char *p)
{
    return p + strspn(p, "0123456789");
}

/* -5 or 5: NULL when there is none. */
static const char *read_number(const char *p)
{
    p += *p == '-';
    const char *end = skip_digits(p);
    return end > p ? end : NULL;
}

static const char *read_line_number(struct less *l, const char *p, const char *what, bool negative)
{
    bool fraction = *p == '.';
    const char *end = fraction ? (skip_digits(p + 1) > p + 1 ? skip_digits(p + 1) : NULL)
                      : *p == '-' && !negative ? NULL
                                               : read_number(p);
    if (end)
        return end;
    say(l, "Invalid %s %s", what, fraction ? "fraction" : "number");
    return p + fraction;
}

static bool is_color(const char *p)
{
    p += *p == '+';
    const char *end = read_number(p);
    if (end)
        return *end != '.' || read_number(end + 1);
    size_t n = strspn(p, "-krgybmcwKRGYBMCW");
    return n <= 2 && !p[n];
}

static void check_color(struct less *l, const char *text)
{
    if (*text && strchr("dksun", *text)) {
        if (*text == 'n' ? text[1] != '\0' : !is_color(text + 1))
            say(l, "Invalid color string \"%s\"", text + 1);
    } else if (*text && strchr("ABCEMNPRSW", *text)) {
        if (!l->colors)
            say(l, "Set --use-color before changing colors");
        else if (!is_color(text + 1))
            say(l, "Invalid color string \"%s\"", text + 1);
    } else {
        wk_out_c(l->c->err, "Invalid color specifier '");
        wk_out_char(l->c->err, *text); /* also a NUL */
        wk_out_c(l->c->err, "'\n");
    }
}

static void check_keys(struct less *l, const char *name, bool source)
{
    struct wk_in *in;
    const char *p = NULL;
    int err = wk_raw_open(l->c, name, false, &in);
    size_t n = err ? 0 : wk_raw_next(l->c, in, &p, &err);
    bool good = !err && (source || (n >= 4 && memcmp(p, "\0M+G", 4) == 0));
    if (!good)
        say(l, "Cannot use lesskey %sfile \"%s\"", source ? "source " : "", name);
}

static void check_width(struct less *l, const char *p, const char *what, int most)
{
    int64_t v = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        v = v > most ? v : v * 10 + (*p - '0');
    if (v > most)
        say(l, "%s width must not be larger than %d", what, most);
}

/* Takes the value of an option from p on, gives where it ends. `whole`: all of p is the value.
 * `name` is what the option is called in messages. */
static const char *take_value(struct less *l, const struct wk_opt *o, const char *p, bool whole,
                              const char *name)
{
    const char *end;
    switch ((enum kind)o->value) {
    case KIND_LINE:
        return read_line_number(l, p, "line", true);
    case KIND_COLUMN:
        return read_line_number(l, p, "column", whole);
    case KIND_TABS:
        return whole ? p + strlen(p) : p + strspn(p, "0123456789,");
    case KIND_NUMBER:
    case KIND_WIDTH:
    case KIND_STATUS_WIDTH:
        end = read_number(p);
        if (!end) {
            say(l, "Number is required after %s", name);
            return p;
        }
        if (o->value == KIND_WIDTH && !whole)
            check_width(l, p, "Line number", 16);
        if (o->value == KIND_STATUS_WIDTH && !whole)
            check_width(l, p, "Status column", 4);
        return end;
    default:
        break;
    }
    /* A text ends with the word, or with a dollar sign. */
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(l->c->heap), SIZE_MAX / 2);
    for (end = p; *end && (whole || *end != '$'); end++) {
        if (l->backslash && *end == '\\' && end[1])
            end++;
        wk_buf_putc(&b, *end);
    }
    const char *text = wk_keep(l->c, &b);
    size_t n = strlen(text);
    if (o->value == KIND_COLOR)
        check_color(l, text);
    if (o->value == KIND_QUOTES && n > 2)
        say(l, "-\" must be followed by 1 or 2 chars");
    if (o->value == KIND_KEYS || o->value == KIND_KEYS_SOURCE)
        check_keys(l, text, o->value == KIND_KEYS_SOURCE);
    return *end ? end + 1 : end;
}

/* ---- options ------------------------------------------------------------------------------------
 */

static void set_flag(struct less *l, const struct wk_opt *o)
{
    switch ((enum kind)o->value) {
    case KIND_FORCE:
        l->force = true;
        break;
    case KIND_NO_OPEN:
        l->no_open = true;
        break;
    case KIND_HELP:
    case KIND_VERSION:
        wk_cmd_about(l->c, o->value == KIND_VERSION);
    default:
        l->colors = l->colors || (o->long_name && strcmp(o->long_name, "use-color") == 0);
        l->backslash = l->backslash || (o->long_name && strcmp(o->long_name, "use-backslash") == 0);
    }
}

static bool takes_value(const struct wk_opt *o)
{
    return o->value >= KIND_NUMBER;
}

static const struct wk_opt *by_letter(char ch)
{
    const struct wk_opt *o;
    for (size_t i = 0; (o = option_at(i)) != NULL; i++)
        if (o->short_name == ch)
            return o;
    return NULL;
}

static char lower(char ch)
{
    return ch >= 'A' && ch <= 'Z' ? (char)(ch - 'A' + 'a') : ch;
}

/* Whether the first n characters of a name are these: as it stands, or any capitals when the first
 * is one. */
static bool begins(const char *name, const char *p, size_t n)
{
    bool capital = n && *p >= 'A' && *p <= 'Z';
    for (size_t i = 0; i < n; i++)
        if (!name[i] || (capital ? lower(name[i]) != lower(p[i]) : name[i] != p[i]))
            return false;
    return true;
}

static const struct wk_opt *by_name(const char *p, size_t n, bool *ambiguous)
{
    const struct wk_opt *found = NULL, *o;
    *ambiguous = false;
    for (size_t i = 0; n && (o = option_at(i)) != NULL; i++) {
        const char *name = o->long_name;
        if (!name || !begins(name, p, n))
            continue;
        if (!name[n]) {
            *ambiguous = false;
            return o;
        }
        /* The same name in capitals is no other. */
        bool capitals =
            found && lower(*found->long_name) == lower(*name) && *found->long_name != *name;
        if (!found)
            found = o;
        else if (!capitals)
            *ambiguous = true;
    }
    return found;
}

/* "name" or "name=value", behind the two dashes: gives where it ends. */
static const char *take_name(struct less *l, const char *p)
{
    size_t n = strcspn(p, "= ");
    bool ambiguous;
    const struct wk_opt *o = by_name(p, n, &ambiguous);
    const char *end = p + strlen(p);
    if (!o || ambiguous) {
        say(l,
            ambiguous ? "%s is an ambiguous abbreviation (\"less --help\" for help)"
                      : "There is no %s option (\"less --help\" for help)",
            p);
        return end;
    }
    if (!takes_value(o)) {
        if (p[n] == '=') {
            say(l, "The %s option should not be followed by =", p);
            return end;
        }
        set_flag(l, o);
        return p + n;
    }
    if (p[n] && p[n + 1])
        return take_value(l, o, p + n + 1, false, p);
    l->waits = o;
    l->waits_by = '\0';
    return end;
}

static void take_word(struct less *l, const char *p)
{
    while (*p) {
        char ch = *p++;
        if (ch == ' ' || ch == '\t' || ch == '$')
            continue;
        if (ch == '-') {
            if (*p == '-')
                p = take_name(l, p + 1);
            else
                p += *p == '+';
            continue;
        }
        if (ch == '+') { /* a command for each file: up to the end, or a dollar sign */
            if (!*p)
                say(l, "Value is required after -+");
            p += strcspn(p, "$");
            continue;
        }
        bool digit = ch >= '0' && ch <= '9';
        const struct wk_opt *o = by_letter(digit ? 'z' : ch);
        p -= digit;
        if (!o) {
            say(l, "There is no -%c option (\"less --help\" for help)", ch);
            return;
        }
        if (!takes_value(o)) {
            set_flag(l, o);
        } else if (*p) {
            p = take_value(l, o, p, false, wk_strf(l->c, "-%c", ch));
        } else {
            l->waits = o;
            l->waits_by = ch;
        }
    }
}

static void take_argument(struct less *l, const char *p)
{
    if (!l->waits) {
        take_word(l, p);
        return;
    }
    const struct wk_opt *o = l->waits;
    l->waits = NULL;
    (void)take_value(l, o, p, true, name_of(l, o, l->waits_by));
}

/* Gives where the files begin. */
static int take_arguments(struct less *l)
{
    struct wk_cmd *c = l->c;
    const char *variable = wk_cmd_env(c, "LESS");
    if (variable)
        take_word(l, variable);
    int i = 1;
    for (; i < c->argc; i++) {
        const char *word = c->argv[i];
        bool option = (word[0] == '-' || word[0] == '+') && word[1];
        if (!l->waits && !option)
            break;
        if (strcmp(word, "--") == 0) {
            i++;
            break;
        }
        take_argument(l, word);
    }
    if (l->waits) {
        say(l, "Value is required after %s", name_of(l, l->waits, l->waits_by));
        wk_exit(c, 0);
    }
    return i;
}

/* ---- $LESSOPEN ----------------------------------------------------------------------------------
 */

/* The command that shows a file, with its name for %s. */
static char *opening_command(struct less *l, const char *pattern, const char *name)
{
    struct wk_buf *b = wk_cmd_buf(l->c, SIZE_MAX / 2);
    for (const char *p = pattern; *p; p++) {
        if (p[0] == '%' && p[1] == 's') {
            if (*name)
                wk_quoting_put(b, wk_str_c(name), WK_QUOTING_SHELL, false, "");
            p++;
        } else {
            wk_buf_putc(b, *p);
        }
    }
    return wk_keep(l->c, b);
}

static bool copy(struct wk_cmd *c, struct wk_in *in, int *err)
{
    const char *p;
    bool any = false;
    for (size_t n; (n = wk_raw_next(c, in, &p, err)) > 0; any = true)
        wk_raw_pass(c, in, p, n);
    return any;
}

/* Shows what a command of $LESSOPEN makes of a file, or gives another name for it; false when it is
 * to be shown itself.
 */
static bool open_by_command(struct less *l, const char **name)
{
    struct wk_cmd *c = l->c;
    const char *pattern = l->no_open ? NULL : wk_cmd_env(c, "LESSOPEN");
    bool dash = strcmp(*name, "-") == 0;
    if (!pattern || !*pattern)
        return false;
    int bars = (int)strspn(pattern, "|");
    bars = bars > 2 ? 2 : bars;
    pattern += bars;
    if (bars && *pattern == '-')
        pattern++;
    else if (dash)
        return false;
    const char *at = strstr(pattern, "%s");
    if (!at || strstr(at + 2, "%s")) {
        wk_out_c(c->out, "LESSOPEN ignored: must contain exactly one %s\n");
        return false;
    }
    struct wk_subprogram sub;
    char *argv[] = {wk_dup(c, "sh"), wk_dup(c, "-c"), opening_command(l, pattern, *name), NULL};
    wk_subprogram_start(c, &sub, argv, 3, true);
    if (sub.err)
        return false;
    int err;
    bool shown;
    if (bars) {
        shown = copy(c, sub.in, &err);
        int status = wk_subprogram_end(c, &sub);
        return shown || (bars == 2 && status == 0);
    }
    struct wk_str line;
    if (wk_line_next(sub.in, '\n', &line) && line.n)
        *name = wk_dupn(c, line.p, line.n);
    (void)wk_subprogram_end(c, &sub);
    return false;
}

/* ---- files --------------------------------------------------------------------------------------
 */

static void show_file(struct less *l, const char *name)
{
    struct wk_cmd *c = l->c;
    struct wk_stat st;
    struct wk_in *in = c->in;
    int err = 0;
    if (open_by_command(l, &name))
        return;
    bool dash = strcmp(name, "-") == 0;
    if (!dash) {
        err = wk_at_stat(c, NULL, name, true, &st);
        uint32_t kind = st.mode & WK_S_IFMT;
        if (!err && !l->force && kind != WK_S_IFREG) {
            put_line(l, c->out,
                     wk_strf(c, "%s is %s", name,
                             kind == WK_S_IFDIR ? "a directory"
                                                : "not a regular file (use -f to see it)"));
            return;
        }
        if (!err)
            err = wk_raw_open(c, name, false, &in);
    }
    if (err) {
        put_line(l, c->out, wk_strf(c, "%s: %s", name, wk_err_text(err)));
        return;
    }
    if (in->file)
        (void)copy(c, in, &err);
    if (err)
        wk_out_c(c->out, "read error\n");
    if (!dash)
        wk_cmd_close(c, in->file);
}

static bool seen_before(char *const *files, int at)
{
    for (int i = 0; i < at; i++)
        if (strcmp(files[i], files[at]) == 0)
            return true;
    return false;
}

static int less_main(struct wk_cmd *c)
{
    struct less l = {.c = c};
    int first = take_arguments(&l);
    if (first == c->argc) {
        if (c->in->file && c->in->file->is_tty) {
            say(&l, "Missing filename (\"less --help\" for help)");
            return 1;
        }
        show_file(&l, "-");
    }
    for (int i = first; i < c->argc; i++) {
        if (!seen_before(c->argv + first, i - first))
            show_file(&l, c->argv[i]);
        wk_tick(c, (uint32_t)(i - first) + 1);
    }
    return c->status;
}

WK_COMMAND(less, .summary = "show files, forwards and backwards",
           .usage = "less [OPTION]... [+COMMAND] [FILE]...",
           .help = "Options are those of less 590, also in $LESS. Without a terminal all is shown "
                   "at once: only -f\n"
                   "(files of any kind), -L (no $LESSOPEN), -V and -? change anything.",
           .std = "less 590", .opts = less_options, .opts_size = sizeof(bool),
           .flags = WK_CMD_RAW_ARGS);
