/* ls.c - list directories
 *
 * Standard: GNU coreutils 9.1, in C.UTF-8. Oracle: ls.
 * Differs:  docs/divergences/ls.md
 */
#include "builtins/ls.h"

#include "base/num.h"
#include "builtins/choice.h"
#include "builtins/ftw.h"

static int set_format(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct wk_ls_opts *o = (struct wk_ls_opts *)c->opts;
    (void)arg;
    switch (opt->value) {
    case '1':
        if (o->format != WK_LS_LONG)
            o->format = WK_LS_ONE;
        return 0;
    case 'f':
        o->all = true;
        o->almost_all = false;
        o->sort = WK_LS_BY_NONE;
        o->blocks = false;
        o->color = o->hyper = false;
        if (o->format == WK_LS_LONG)
            o->format = WK_LS_DEFAULT;
        return 0;
    case 'g':
        o->no_owner = true;
        break;
    case 'o':
        o->no_group = true;
        break;
    case 'n':
        o->numeric = true;
        break;
    case 'F':
        o->time_style = "full-iso";
        break;
    case 'z':
        o->zero = true;
        o->hide_control = false;
        o->color = false;
        o->quoting = WK_QUOTING_LITERAL + 1;
        if (o->format != WK_LS_LONG)
            o->format = WK_LS_ONE;
        return 0;
    default:
        break;
    }
    o->format = WK_LS_LONG;
    return 0;
}

static int set_dots(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct wk_ls_opts *o = (struct wk_ls_opts *)c->opts;
    (void)arg;
    o->all = opt->value == 'a';
    o->almost_all = opt->value == 'A';
    return 0;
}

static int set_word(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice formats[] = {
        {"verbose", WK_LS_LONG}, {"long", WK_LS_LONG}, {"commas", WK_LS_COMMAS},
        {"horizontal", WK_LS_ACROSS}, {"across", WK_LS_ACROSS}, {"vertical", WK_LS_COLUMNS},
        {"single-column", WK_LS_ONE}, {NULL, 0}};
    static const struct wk_choice sorts[] = {
        {"none", WK_LS_BY_NONE}, {"time", WK_LS_BY_TIME}, {"size", WK_LS_BY_SIZE},
        {"extension", WK_LS_BY_EXTENSION}, {"version", WK_LS_BY_VERSION},
        {"width", WK_LS_BY_WIDTH}, {NULL, 0}};
    static const struct wk_choice times[] = {
        {"atime", WK_LS_ATIME}, {"access", WK_LS_ATIME}, {"use", WK_LS_ATIME},
        {"ctime", WK_LS_CTIME}, {"status", WK_LS_CTIME}, {"birth", WK_LS_BTIME},
        {"creation", WK_LS_BTIME}, {NULL, 0}};
    static const struct wk_choice marks[] = {
        {"none", WK_LS_NO_MARK}, {"slash", WK_LS_SLASH}, {"file-type", WK_LS_FILE_TYPE},
        {"classify", WK_LS_CLASSIFY}, {NULL, 0}};
    static const struct wk_choice whens[] = {{"always", 1}, {"yes", 1},  {"force", 1},
                                             {"never", 0},  {"no", 0},   {"none", 0},
                                             {"auto", 2},   {"tty", 2},  {"if-tty", 2},
                                             {NULL, 0}};
    struct wk_ls_opts *o = (struct wk_ls_opts *)c->opts;
    switch (opt->value) {
    case 'C':
    case 'H':
    case 'F': {
        const char *name = opt->value == 'C' ? "--color" : opt->value == 'H' ? "--hyperlink" : "--classify";
        int v = arg ? wk_choice_read(c, name, arg, whens) : 1;
        bool yes = v == 1 || (v == 2 && c->out->file && c->out->file->is_tty);
        if (opt->value == 'C')
            o->color = yes;
        else if (opt->value == 'H')
            o->hyper = yes;
        else if (yes)
            o->mark = WK_LS_CLASSIFY;
        break;
    }
    case 'f':
        o->format = wk_choice_read(c, "--format", arg, formats);
        break;
    case 's':
        o->sort = wk_choice_read(c, "--sort", arg, sorts);
        break;
    case 't':
        o->time = wk_choice_read(c, "--time", arg, times);
        break;
    default:
        o->mark = wk_choice_read(c, "--indicator-style", arg, marks);
        break;
    }
    return 0;
}

static int set_quoting(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice styles[] = {
        {"literal", WK_QUOTING_LITERAL}, {"shell", WK_QUOTING_SHELL},
        {"shell-always", WK_QUOTING_SHELL_ALWAYS}, {"shell-escape", WK_QUOTING_SHELL_ESCAPE},
        {"shell-escape-always", WK_QUOTING_SHELL_ESCAPE_ALWAYS}, {"c", WK_QUOTING_C},
        {"c-maybe", WK_QUOTING_C_MAYBE}, {"escape", WK_QUOTING_ESCAPE},
        {"locale", WK_QUOTING_LOCALE}, {"clocale", WK_QUOTING_CLOCALE}, {NULL, 0}};
    struct wk_ls_opts *o = (struct wk_ls_opts *)c->opts;
    o->quoting = 1 + (arg ? wk_choice_read(c, "--quoting-style", arg, styles) : opt->value);
    return 0;
}

static int set_control(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct wk_ls_opts *o = (struct wk_ls_opts *)c->opts;
    (void)arg;
    o->hide_control = opt->value == 'q';
    o->show_control = !o->hide_control;
    return 0;
}

static int set_size(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct wk_ls_opts *o = (struct wk_ls_opts *)c->opts;
    if (arg)
        wk_block_size_read(c, "--block-size", arg, 2, &o->size);
    else
        o->size = (struct wk_block_size){.unit = 1, .base = (unsigned)opt->value};
    o->sized = true;
    return 0;
}

/* A width; what is too large is 0, no limit. */
static bool read_width(const char *text, size_t *out)
{
    uint64_t v;
    int r = wk_parse_u64(wk_str_c(text), 0, &v);
    *out = r || v > SIZE_MAX / 4 ? 0 : (size_t)v;
    return r != -WK_EINVAL;
}

static int set_width(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct wk_ls_opts *o = (struct wk_ls_opts *)c->opts;
    bool tab = opt->value == 'T';
    if (!read_width(arg, tab ? &o->tab : &o->line))
        wk_fail(c, 2, "invalid %s: %s", tab ? "tab size" : "line width", wk_quote_arg(c, arg));
    *(tab ? &o->tabbed : &o->lined) = true;
    return 0;
}

#define LS struct wk_ls_opts

static const struct wk_opt ls_options[] = {
    WK_FUNC_OPT(set_dots, 'a', 'a', "all", NULL, "do not ignore entries starting with ."),
    WK_FUNC_OPT(set_dots, 'A', 'A', "almost-all", NULL, "do not list implied . and .."),
    WK_FLAG(LS, author, 0, "author", "with -l, print the author of each file"),
    WK_FUNC_OPT(set_quoting, WK_QUOTING_ESCAPE, 'b', "escape", NULL, "print C-style escapes for nongraphic characters"),
    WK_FUNC_OPT(set_size, 0, 0, "block-size", "SIZE", "with -l, scale sizes by SIZE when printing them"),
    WK_FLAG(LS, ignore_backups, 'B', "ignore-backups", "do not list implied entries ending with ~"),
    WK_SET(LS, time, WK_LS_CTIME, 'c', NULL, "with -lt: sort by, and show, ctime"),
    WK_SET(LS, format, WK_LS_COLUMNS, 'C', NULL, "list entries by columns"),
    WK_FUNC_OPT(set_word, 'C', 0, "color", "[WHEN]", "color the output WHEN"),
    WK_FLAG(LS, directory, 'd', "directory", "list directories themselves, not their contents"),
    WK_FLAG(LS, dired, 'D', "dired", "with -l, tell where names begin and end, for Emacs"),
    WK_FUNC_OPT(set_format, 'f', 'f', NULL, NULL, "list all entries in directory order"),
    WK_SET(LS, mark, WK_LS_CLASSIFY, 'F', NULL, "append indicator (one of */=>@|) to entries"),
    WK_FUNC_OPT(set_word, 'F', 0, "classify", "[WHEN]",
                    "append indicator (one of */=>@|) to entries WHEN"),
    WK_SET(LS, mark, WK_LS_FILE_TYPE, 0, "file-type", "likewise, except do not append '*'"),
    WK_FUNC_OPT(set_word, 'f', 0, "format", "WORD",
                "across -x, commas -m, horizontal -x, long -l,\nsingle-column -1, verbose -l, "
                "vertical -C"),
    WK_FUNC_OPT(set_format, 'F', 0, "full-time", NULL, "like -l --time-style=full-iso"),
    WK_FUNC_OPT(set_format, 'g', 'g', NULL, NULL, "like -l, but do not list owner"),
    WK_FLAG(LS, dirs_first, 0, "group-directories-first", "group directories before files"),
    WK_FLAG(LS, no_group, 'G', "no-group", "in a long listing, don't print group names"),
    WK_FUNC_OPT(set_size, 1024, 'h', "human-readable", NULL, "with -l and -s, print sizes like 1K 234M 2G etc."),
    WK_FUNC_OPT(set_size, 1000, 0, "si", NULL, "likewise, but use powers of 1000 not 1024"),
    WK_SET(LS, links, WK_LS_DEREF_OPERANDS, 'H', "dereference-command-line",
           "follow symbolic links listed on the command line"),
    WK_SET(LS, links, WK_LS_DEREF_DIRS, 0, "dereference-command-line-symlink-to-dir",
           "follow each command line symbolic link\nthat points to a directory"),
    WK_LIST_OPT(LS, hide, 0, "hide", "PATTERN", "do not list implied entries matching shell PATTERN"),
    WK_FUNC_OPT(set_word, 'H', 0, "hyperlink", "[WHEN]", "hyperlink file names WHEN"),
    WK_FUNC_OPT(set_word, 'i', 0, "indicator-style", "WORD",
                "append indicator with style WORD to entry names:\nnone (default), slash (-p),\n"
                "file-type (--file-type), classify (-F)"),
    WK_FLAG(LS, inode, 'i', "inode", "print the index number of each file"),
    WK_LIST_OPT(LS, ignore, 'I', "ignore", "PATTERN",
                "do not list implied entries matching shell PATTERN"),
    WK_FLAG(LS, kibi, 'k', "kibibytes", "default to 1024-byte blocks for file system usage"),
    WK_FUNC_OPT(set_format, 'l', 'l', NULL, NULL, "use a long listing format"),
    WK_SET(LS, links, WK_LS_DEREF_ALWAYS, 'L', "dereference",
           "show information for the file a symbolic\nlink references"),
    WK_SET(LS, format, WK_LS_COMMAS, 'm', NULL, "fill width with a comma separated list of entries"),
    WK_FUNC_OPT(set_format, 'n', 'n', "numeric-uid-gid", NULL,
                "like -l, but list numeric user and group IDs"),
    WK_FUNC_OPT(set_quoting, WK_QUOTING_LITERAL, 'N', "literal", NULL, "print entry names without quoting"),
    WK_FUNC_OPT(set_format, 'o', 'o', NULL, NULL, "like -l, but do not list group information"),
    WK_SET(LS, mark, WK_LS_SLASH, 'p', NULL, "append / indicator to directories"),
    WK_FUNC_OPT(set_control, 'q', 'q', "hide-control-chars", NULL, "print ? instead of nongraphic characters"),
    WK_FUNC_OPT(set_control, 's', 0, "show-control-chars", NULL, "show nongraphic characters as-is"),
    WK_FUNC_OPT(set_quoting, WK_QUOTING_C, 'Q', "quote-name", NULL, "enclose entry names in double quotes"),
    WK_FUNC_OPT(set_quoting, 0, 0, "quoting-style", "WORD",
               "use quoting style WORD for entry names:\nliteral, locale, shell, shell-always,\n"
               "shell-escape, shell-escape-always, c, escape"),
    WK_FLAG(LS, reverse, 'r', "reverse", "reverse order while sorting"),
    WK_FLAG(LS, recursive, 'R', "recursive", "list subdirectories recursively"),
    WK_FLAG(LS, blocks, 's', "size", "print the allocated size of each file, in blocks"),
    WK_SET(LS, sort, WK_LS_BY_SIZE, 'S', NULL, "sort by file size, largest first"),
    WK_FUNC_OPT(set_word, 's', 0, "sort", "WORD",
                "sort by WORD instead of name: none (-U), size (-S),\ntime (-t), version (-v), "
                "extension (-X), width"),
    WK_FUNC_OPT(set_word, 't', 0, "time", "WORD",
                "change the default of using modification times;\naccess time (-u): atime, access, "
                "use;\nchange time (-c): ctime, status;\nbirth time: birth, creation"),
    WK_STR_OPT(LS, time_style, 0, "time-style", "TIME_STYLE", "time/date format with -l"),
    WK_SET(LS, sort, WK_LS_BY_TIME, 't', NULL, "sort by time, newest first; see --time"),
    WK_FUNC_OPT(set_width, 'T', 'T', "tabsize", "COLS", "assume tab stops at each COLS instead of 8"),
    WK_SET(LS, time, WK_LS_ATIME, 'u', NULL, "with -lt: sort by, and show, access time"),
    WK_SET(LS, sort, WK_LS_BY_NONE, 'U', NULL, "do not sort; list entries in directory order"),
    WK_SET(LS, sort, WK_LS_BY_VERSION, 'v', NULL, "natural sort of (version) numbers within text"),
    WK_FUNC_OPT(set_width, 'w', 'w', "width", "COLS", "set output width to COLS.  0 means no limit"),
    WK_SET(LS, format, WK_LS_ACROSS, 'x', NULL, "list entries by lines instead of by columns"),
    WK_SET(LS, sort, WK_LS_BY_EXTENSION, 'X', NULL, "sort alphabetically by entry extension"),
    WK_FLAG(LS, context, 'Z', "context", "print any security context of each file"),
    WK_FUNC_OPT(set_format, 'z', 0, "zero", NULL, "end each output line with NUL, not newline"),
    WK_FUNC_OPT(set_format, '1', '1', NULL, NULL, "list one file per line"),
    WK_OPTS_END,
};

void wk_ls_trouble(struct wk_ls *l, bool serious)
{
    if (serious)
        l->c->status = 2;
    else if (l->c->status == 0)
        l->c->status = 1;
}

/* ---- options ---------------------------------------------------------------------------------- */

/* Whether dates are those of the POSIX locale. */
static bool is_posix_time(struct wk_cmd *c)
{
    static const char *const names[] = {"LC_ALL", "LC_TIME", "LANG"};
    const char *v = NULL;
    for (size_t i = 0; i < WK_COUNTOF(names) && (!v || !*v); i++)
        v = wk_cmd_env(c, names[i]);
    return !v || !*v || strcmp(v, "C") == 0 || strcmp(v, "POSIX") == 0;
}

static void read_time_style(struct wk_ls *l)
{
    struct wk_cmd *c = l->c;
    const char *style = l->o->time_style;
    static const char *const words[] = {"full-iso", "long-iso", "iso", "locale"};
    if (!style)
        style = wk_cmd_env(c, "TIME_STYLE");
    if (!style)
        style = "locale";
    l->format_old = WK_STR("%b %e  %Y");
    l->format_recent = WK_STR("%b %e %H:%M");
    if (*style == '+') {
        const char *nl = strchr(style + 1, '\n');
        l->format_old = nl ? wk_str(style + 1, (size_t)(nl - style - 1)) : wk_str_c(style + 1);
        l->format_recent = nl ? wk_str_c(nl + 1) : l->format_old;
        if (nl && strchr(nl + 1, '\n'))
            wk_fail(c, 2, "invalid time style format %s", wk_quote(c, style + 1));
        return;
    }
    const char *word = style;
    for (; strncmp(word, "posix-", 6) == 0; word += 6)
        if (is_posix_time(c))
            return;
    int found = -1, n = 0;
    for (int i = 0; i < 4; i++) {
        if (strncmp(words[i], word, strlen(word)) == 0) {
            found = i;
            n = words[i][strlen(word)] ? n + 1 : -4;
        }
    }
    if (n == 0 || n > 1) {
        wk_msg(c, "%s argument %s for 'time style'", n ? "ambiguous" : "invalid", wk_quote_arg(c, word));
        wk_out_fmt(c->err, "Valid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n"
                           "  - [posix-]iso\n  - [posix-]locale\n"
                           "  - +FORMAT (e.g., +%%H:%%M) for a 'date'-style format\n"
                           "Try '%s --help' for more information.\n", c->name);
        wk_exit(c, 2);
    }
    if (found == 0) {
        l->format_old = l->format_recent = WK_STR("%Y-%m-%d %H:%M:%S.%N %z");
    } else if (found == 1) {
        l->format_old = l->format_recent = WK_STR("%Y-%m-%d %H:%M");
    } else if (found == 2) {
        l->format_old = WK_STR("%Y-%m-%d ");
        l->format_recent = WK_STR("%m-%d %H:%M");
    }
}

static void release_arena(void *a)
{
    wk_arena_release((struct wk_arena *)a);
}

static const struct wk_pattern **compile_list(struct wk_ls *l, const struct wk_opt_list *list,
                                              size_t *n, bool backups)
{
    static const char *const more[] = {"*~", ".*~"};
    size_t total = list->n + (backups ? 2 : 0);
    const struct wk_pattern **v = wk_new_n(l->c, const struct wk_pattern *, total + 1);
    struct wk_arena *a = wk_new(l->c, struct wk_arena);
    wk_arena_init(a, wk_heap_mem(l->c->heap));
    wk_heap_own(l->c->heap, a, release_arena);
    *n = total;
    for (size_t i = 0; i < total; i++) {
        const char *text = i < list->n ? list->v[i] : more[i - list->n];
        if (wk_pattern_compile(a, wk_str_c(text), WK_PATTERN_PERIOD, &v[i]))
            wk_heap_exhausted(l->c->heap);
    }
    return v;
}

static size_t width_of(struct wk_cmd *c, const char *env, const char *what, size_t standard)
{
    size_t v;
    const char *text = wk_cmd_env(c, env);
    if (!text || !*text)
        return standard;
    if (read_width(text, &v))
        return v;
    wk_out_fmt(c->err, "%s: ignoring invalid %s in environment variable %s: %s\n", c->name, what, env,
               wk_quote_arg(c, text));
    return standard;
}

static void read_widths(struct wk_ls *l)
{
    const struct wk_ls_opts *o = l->o;
    l->line = o->line;
    l->tab = o->tab;
    bool columns = o->format == WK_LS_COLUMNS || o->format == WK_LS_ACROSS || o->format == WK_LS_COMMAS;
    if (!o->lined && (columns || o->color))
        l->line = width_of(l->c, "COLUMNS", "width", 80);
    if (!o->tabbed)
        l->tab = columns ? width_of(l->c, "TABSIZE", "tab size", 8) : 8;
}

/* standard: when nothing else is said. */
static void read_quoting(struct wk_ls *l, bool tty, enum wk_quoting standard)
{
    struct wk_ls_opts *o = l->o;
    const char *env = o->quoting ? NULL : wk_cmd_env(l->c, "QUOTING_STYLE");
    l->quoting = o->quoting ? (enum wk_quoting)(o->quoting - 1) : standard;
    if (env && wk_quoting_named(env) >= 0)
        l->quoting = (enum wk_quoting)wk_quoting_named(env);
    else if (env)
        wk_out_fmt(l->c->err, "%s: ignoring invalid value of environment variable QUOTING_STYLE: %s\n",
                   l->c->name, wk_quote_arg(l->c, env));
    if (tty && !o->show_control && l->quoting == WK_QUOTING_LITERAL)
        o->hide_control = true;
    size_t n = 0;
    if (l->quoting == WK_QUOTING_ESCAPE)
        l->more[n++] = ' ';
    const char *marks = o->mark == WK_LS_FILE_TYPE ? "*=>@|" : o->mark == WK_LS_CLASSIFY ? "=>@|" : "";
    memcpy(l->more + n, marks, strlen(marks));
    bool columns = o->format == WK_LS_COLUMNS || o->format == WK_LS_ACROSS;
    l->align = (o->format == WK_LS_LONG || (columns && l->line)) &&
               (l->quoting == WK_QUOTING_SHELL || l->quoting == WK_QUOTING_SHELL_ESCAPE ||
                l->quoting == WK_QUOTING_C_MAYBE);
}

/* Sizes of files take what options and two of the variables say; blocks know more of them. */
static void read_sizes(struct wk_ls *l)
{
    static const char *const names[] = {"LS_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"};
    struct wk_ls_opts *o = l->o;
    l->blocks = l->sizes = o->size;
    if (o->sized)
        return;
    l->blocks = (struct wk_block_size){.unit = wk_cmd_env(l->c, "POSIXLY_CORRECT") ? 512 : 1024};
    l->sizes = (struct wk_block_size){.unit = 1};
    for (size_t i = 0; i < WK_COUNTOF(names); i++) {
        struct wk_block_size by_env;
        const char *text = wk_cmd_env(l->c, names[i]);
        if (!text)
            continue;
        if (wk_block_size_parse(text, &by_env))
            l->blocks = by_env;
        if (i < 2)
            l->sizes = l->blocks;
        break;
    }
    if (o->kibi)
        l->blocks = (struct wk_block_size){.unit = 1024};
}

static void read_options(struct wk_ls *l)
{
    struct wk_cmd *c = l->c;
    struct wk_ls_opts *o = l->o;
    bool tty = c->out->file && c->out->file->is_tty;
    bool dir = strcmp(c->name, "dir") == 0, vdir = strcmp(c->name, "vdir") == 0;
    if (!o->format)
        o->format = vdir ? WK_LS_LONG : tty || dir ? WK_LS_COLUMNS : WK_LS_ONE;
    if (!o->sort)
        o->sort = o->time != WK_LS_MTIME && o->format != WK_LS_LONG ? WK_LS_BY_TIME : WK_LS_BY_NAME;
    read_widths(l);
    read_quoting(l, tty, dir || vdir ? WK_QUOTING_ESCAPE : tty ? WK_QUOTING_SHELL_ESCAPE : WK_QUOTING_LITERAL);
    l->eol = o->zero ? '\0' : '\n';
    read_sizes(l);
    o->dired = o->dired && o->format == WK_LS_LONG && !o->hyper;
    if (o->dired && o->zero)
        wk_fail(c, 2, "--dired and --zero are incompatible");
    if (o->dired) {
        l->dired = wk_cmd_buf(c, 1 << 28);
        l->subdired = wk_cmd_buf(c, 1 << 28);
    }
    if (!o->links) {
        bool never = o->directory || o->format == WK_LS_LONG || o->mark == WK_LS_CLASSIFY;
        o->links = never ? WK_LS_DEREF_NEVER : WK_LS_DEREF_DIRS;
    }
    if (o->format == WK_LS_LONG) {
        read_time_style(l);
        l->tz = wk_zone_of(c);
        l->now = wk_cmd_now(c);
        wk_zone_text(c, l->text, l->tz, l->format_old, 0);
        l->time_width = l->text->n;
    }
    if (o->color)
        l->colors = wk_ls_colors_new(c);
    if (l->colors)
        l->tab = 0; /* terminals count what the colours are made of */
    l->need_stat = o->format == WK_LS_LONG || o->sort == WK_LS_BY_SIZE || o->sort == WK_LS_BY_TIME ||
                   o->blocks || o->mark == WK_LS_CLASSIFY || l->colors;
    l->need_type = o->recursive || o->mark || o->dirs_first;
    l->hide = compile_list(l, &o->hide, &l->hide_n, false);
    l->ignore = compile_list(l, &o->ignore, &l->ignore_n, o->ignore_backups);
}

/* ---- walking ---------------------------------------------------------------------------------- */

static bool matches(struct wk_ls *l, const struct wk_pattern *const *v, size_t n, struct wk_str name)
{
    struct wk_pattern_run run = {.mem = wk_heap_mem(l->c->heap)};
    for (size_t i = 0; i < n; i++)
        if (wk_pattern_match(v[i], &run, name) == 1)
            return true;
    return false;
}

static bool is_ignored(struct wk_ls *l, struct wk_str name)
{
    const struct wk_ls_opts *o = l->o;
    bool normal = !o->all && !o->almost_all;
    if (normal && name.p[0] == '.')
        return true;
    return (normal && l->hide_n && matches(l, l->hide, l->hide_n, name)) ||
           (l->ignore_n && matches(l, l->ignore, l->ignore_n, name));
}

static void push_dir(struct wk_ls *l, struct wk_ls_dir **at, char *path, bool operand)
{
    struct wk_ls_dir *d = wk_new(l->c, struct wk_ls_dir);
    d->path = path;
    d->operand = operand;
    d->next = *at;
    *at = d;
}

/* The directories among the sorted files, in order before what is pending. */
static void queue_dirs(struct wk_ls *l, const char *parent, bool operands)
{
    for (size_t i = l->n; i > 0; i--) {
        const struct wk_ls_file *f = wk_ls_at(l, i - 1);
        if (!wk_ls_is_dir(f) || (!operands && (strcmp(f->name, ".") == 0 || strcmp(f->name, "..") == 0)))
            continue;
        char *path = operands ? wk_dup(l->c, f->name) : wk_join_path(l->c, parent, f->name);
        push_dir(l, &l->pending, path, operands);
    }
    if (!operands)
        return;
    size_t kept = 0; /* what remains are the files */
    for (size_t i = 0; i < l->n; i++)
        if (!wk_ls_is_dir(wk_ls_at(l, i)))
            l->order[kept++] = l->order[i];
    l->n = kept;
}

/* -R with -L could go round for ever: a directory that is being listed is not listed again. */
static bool is_cycle(struct wk_ls *l, const struct wk_ls_dir *d, const struct wk_stat *st)
{
    for (const struct wk_ls_dir *a = l->active; a; a = a->next) {
        if (a->dev == st->dev && a->ino == st->ino) {
            wk_msg(l->c, "%s: not listing already-listed directory", wk_quote_maybe(l->c, d->path));
            wk_ls_trouble(l, true);
            return true;
        }
    }
    return false;
}

static void list_dir(struct wk_ls *l, struct wk_ftw *t, struct wk_ls_dir *d)
{
    struct wk_cmd *c = l->c;
    struct wk_dirent e;
    struct wk_stat st = {0};
    int err;
    wk_ftw_start(t, d->path);
    if (l->o->recursive && wk_at_stat(c, NULL, d->path, true, &st) == 0 && is_cycle(l, d, &st))
        return;
    err = wk_ftw_enter(t, &st);
    if (err) {
        wk_msg(c, "cannot open directory %s: %s", wk_quote(c, d->path), wk_err_text(err));
        wk_ls_trouble(l, d->operand);
        return;
    }
    wk_ls_clear(l);
    if (l->o->all) {
        for (const char *name = ".."; *name; name++)
            if (!is_ignored(l, wk_str_c(name)))
                (void)wk_ls_add(l, wk_ftw_dir(t), d->path, name, l->o->inode ? 0 : WK_S_IFDIR, 0, false);
    }
    while (wk_ftw_next(t, &e, &err))
        if (!is_ignored(l, e.name))
            (void)wk_ls_add(l, wk_ftw_dir(t), d->path, wk_ftw_name(t), e.type, e.ino, false);
    wk_ftw_leave(t);
    if (err) {
        wk_msg(c, "reading directory %s: %s", wk_quote(c, d->path), wk_err_text(err));
        wk_ls_trouble(l, d->operand);
    }
    wk_ls_sort_files(l);
    if (l->o->recursive) {
        struct wk_ls_dir *mark = wk_new(c, struct wk_ls_dir);
        mark->end = true;
        mark->next = l->pending;
        l->pending = mark;
        d->dev = st.dev;
        d->ino = st.ino;
        d->next = l->active;
        l->active = d;
        queue_dirs(l, d->path, false);
    }
    if (l->names_dirs)
        wk_ls_label(l, d->path);
    l->printed = true;
    if (l->o->format == WK_LS_LONG || l->o->blocks) {
        char text[WK_HUMAN_MAX];
        size_t n = wk_human_size(text, l->total_blocks * 512, &l->blocks);
        wk_ls_dired_indent(l);
        wk_out_fmt(l->out, "total %.*s", (int)n, text);
        wk_out_char(l->out, l->eol);
    }
    wk_ls_measure(l);
    wk_ls_print(l);
}

static void list_pending(struct wk_ls *l)
{
    struct wk_ftw *t = wk_ftw_new(l->c);
    while (l->pending) {
        struct wk_ls_dir *d = l->pending;
        l->pending = d->next;
        if (d->end) {
            struct wk_ls_dir *a = l->active;
            l->active = a->next;
            wk_heap_free(l->c->heap, a->path);
            wk_heap_free(l->c->heap, a);
            wk_heap_free(l->c->heap, d);
            continue;
        }
        list_dir(l, t, d);
        if (l->active != d) {
            wk_heap_free(l->c->heap, d->path);
            wk_heap_free(l->c->heap, d);
        }
    }
}

static int ls_main(struct wk_cmd *c)
{
    struct wk_ls *l = wk_new(c, struct wk_ls);
    char *here[] = {NULL};
    l->c = c;
    l->o = (struct wk_ls_opts *)c->opts;
    l->out = c->out;
    l->arena = wk_new(c, struct wk_arena);
    wk_arena_init(l->arena, wk_heap_mem(c->heap));
    wk_heap_own(c->heap, l->arena, release_arena);
    l->text = wk_cmd_buf(c, 1 << 20);
    l->ids = wk_idnames_new(c);
    read_options(l);
    here[0] = wk_dup(c, ".");
    char **args = c->nargs ? c->args : here;
    int n = c->nargs ? c->nargs : 1;
    if (c->nargs == 0 && !l->o->directory) {
        push_dir(l, &l->pending, here[0], true);
    } else {
        for (int i = 0; i < n; i++)
            (void)wk_ls_add(l, NULL, "", args[i], 0, 0, true);
        wk_ls_sort_files(l);
        wk_ls_measure(l);
        if (!l->o->directory)
            queue_dirs(l, "", true);
        if (l->n) {
            wk_ls_print(l);
            l->printed = true;
        }
        l->names_dirs = n > 1;
    }
    l->names_dirs = l->names_dirs || l->o->recursive;
    list_pending(l);
    if (l->colors)
        wk_ls_color_end(l);
    if (l->o->dired)
        wk_ls_dired_end(l);
    return c->status;
}

WK_COMMAND(ls, .aliases = "dir vdir", .summary = "list information about the FILEs (the current directory by default)",
           .usage = "ls [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = ls_options,
           .opts_size = sizeof(struct wk_ls_opts), .usage_status = 2,
           .help = "Exit status:\n 0  if OK,\n 1  if minor problems (e.g., cannot access "
                   "subdirectory),\n 2  if serious trouble (e.g., cannot access command-line "
                   "argument).\n");
