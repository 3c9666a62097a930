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
        o->color = NULL;
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
        o->full_time = true;
        o->time_style = "full-iso";
        break;
    case 'z':
        o->zero = true;
        o->hide_control = false;
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
    struct wk_ls_opts *o = (struct wk_ls_opts *)c->opts;
    switch (opt->value) {
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

#define LS struct wk_ls_opts

static const struct wk_opt ls_options[] = {
    WK_FUNC_OPT(set_dots, 'a', 'a', "all", NULL, "do not ignore entries starting with ."),
    WK_FUNC_OPT(set_dots, 'A', 'A', "almost-all", NULL, "do not list implied . and .."),
    WK_FLAG(LS, author, 0, "author", "with -l, print the author of each file"),
    WK_FLAG(LS, escape_names, 'b', "escape", "print C-style escapes for nongraphic characters"),
    WK_STR_OPT(LS, block_size, 0, "block-size", "SIZE", "with -l, scale sizes by SIZE when printing them"),
    WK_FLAG(LS, ignore_backups, 'B', "ignore-backups", "do not list implied entries ending with ~"),
    WK_SET(LS, time, WK_LS_CTIME, 'c', NULL, "with -lt: sort by, and show, ctime"),
    WK_SET(LS, format, WK_LS_COLUMNS, 'C', NULL, "list entries by columns"),
    WK_STR_OPTIONAL(LS, color, 0, "color", "WHEN", "color the output WHEN"),
    WK_FLAG(LS, directory, 'd', "directory", "list directories themselves, not their contents"),
    WK_FLAG(LS, dired, 'D', "dired", "(ignored)"),
    WK_FUNC_OPT(set_format, 'f', 'f', NULL, NULL, "list all entries in directory order"),
    WK_SET(LS, mark, WK_LS_CLASSIFY, 'F', NULL, "append indicator (one of */=>@|) to entries"),
    WK_STR_OPTIONAL(LS, classify, 0, "classify", "WHEN",
                    "append indicator (one of */=>@|) to entries WHEN"),
    WK_SET(LS, mark, WK_LS_FILE_TYPE, 0, "file-type", "likewise, except do not append '*'"),
    WK_FUNC_OPT(set_word, 'f', 0, "format", "WORD",
                "across -x, commas -m, horizontal -x, long -l,\nsingle-column -1, verbose -l, "
                "vertical -C"),
    WK_FUNC_OPT(set_format, 'F', 0, "full-time", NULL, "like -l --time-style=full-iso"),
    WK_FUNC_OPT(set_format, 'g', 'g', NULL, NULL, "like -l, but do not list owner"),
    WK_FLAG(LS, dirs_first, 0, "group-directories-first", "group directories before files"),
    WK_FLAG(LS, no_group, 'G', "no-group", "in a long listing, don't print group names"),
    WK_FLAG(LS, human, 'h', "human-readable", "with -l and -s, print sizes like 1K 234M 2G etc."),
    WK_FLAG(LS, si, 0, "si", "likewise, but use powers of 1000 not 1024"),
    WK_SET(LS, links, WK_LS_DEREF_OPERANDS, 'H', "dereference-command-line",
           "follow symbolic links listed on the command line"),
    WK_SET(LS, links, WK_LS_DEREF_DIRS, 0, "dereference-command-line-symlink-to-dir",
           "follow each command line symbolic link\nthat points to a directory"),
    WK_LIST_OPT(LS, hide, 0, "hide", "PATTERN", "do not list implied entries matching shell PATTERN"),
    WK_STR_OPTIONAL(LS, hyperlink, 0, "hyperlink", "WHEN", "(ignored)"),
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
    WK_FLAG(LS, literal, 'N', "literal", "print entry names without quoting"),
    WK_FUNC_OPT(set_format, 'o', 'o', NULL, NULL, "like -l, but do not list group information"),
    WK_SET(LS, mark, WK_LS_SLASH, 'p', NULL, "append / indicator to directories"),
    WK_FLAG(LS, hide_control, 'q', "hide-control-chars", "print ? instead of nongraphic characters"),
    WK_FLAG(LS, show_control, 0, "show-control-chars", "show nongraphic characters as-is"),
    WK_FLAG(LS, quote_names, 'Q', "quote-name", "enclose entry names in double quotes"),
    WK_STR_OPT(LS, quoting_word, 0, "quoting-style", "WORD",
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
    WK_STR_OPT(LS, tab_text, 'T', "tabsize", "COLS", "assume tab stops at each COLS instead of 8"),
    WK_SET(LS, time, WK_LS_ATIME, 'u', NULL, "with -lt: sort by, and show, access time"),
    WK_SET(LS, sort, WK_LS_BY_NONE, 'U', NULL, "do not sort; list entries in directory order"),
    WK_SET(LS, sort, WK_LS_BY_VERSION, 'v', NULL, "natural sort of (version) numbers within text"),
    WK_STR_OPT(LS, width_text, 'w', "width", "COLS", "set output width to COLS.  0 means no limit"),
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

static bool when(struct wk_cmd *c, const char *option, const char *word)
{
    static const struct wk_choice whens[] = {{"always", 1}, {"yes", 1},  {"force", 1},
                                             {"never", 0},  {"no", 0},   {"none", 0},
                                             {"auto", 2},   {"tty", 2},  {"if-tty", 2},
                                             {NULL, 0}};
    if (!word)
        return false;
    int v = *word ? wk_choice_read(c, option, word, whens) : 1;
    return v == 1 || (v == 2 && c->out->file && c->out->file->is_tty);
}

static size_t read_size(struct wk_cmd *c, const char *text, const char *what)
{
    uint64_t v;
    int r = wk_parse_u64(wk_str_c(text), 0, &v);
    if (r == -WK_EINVAL)
        wk_fail(c, 2, "invalid %s: %s", what, wk_quote(c, text));
    return r || v > SIZE_MAX / 4 ? 0 : (size_t)v;
}

/* Whether the locale of times is another than that of POSIX, where posix-STYLE is no STYLE. */
static bool has_time_locale(struct wk_cmd *c)
{
    static const char *const names[] = {"LC_ALL", "LC_TIME", "LANG"};
    for (size_t i = 0; i < WK_COUNTOF(names); i++) {
        const char *v = wk_cmd_env(c, names[i]);
        if (v && *v)
            return strcmp(v, "C") != 0 && strcmp(v, "POSIX") != 0;
    }
    return false;
}

/* The style's number, by a part of its name that is no other's. */
static int named_time_style(struct wk_cmd *c, const char *style)
{
    static const char *const names[] = {"full-iso", "long-iso", "iso", "locale"};
    size_t n = strlen(style);
    int found = -1, matches = 0;
    for (int i = 0; i < (int)WK_COUNTOF(names); i++) {
        if (strcmp(names[i], style) == 0)
            return i;
        if (strncmp(names[i], style, n) == 0) {
            found = i;
            matches++;
        }
    }
    if (matches == 1)
        return found;
    wk_msg(c, "%s argument %s for 'time style'", matches ? "ambiguous" : "invalid", wk_quote(c, style));
    wk_out_fmt(c->err, "Valid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n"
                       "  - [posix-]iso\n  - [posix-]locale\n"
                       "  - +FORMAT (e.g., +%%H:%%M) for a 'date'-style format\n"
                       "Try '%s --help' for more information.\n", c->name);
    wk_exit(c, 2);
}

static void read_time_style(struct wk_ls *l)
{
    struct wk_cmd *c = l->c;
    const char *style = l->o->time_style ? l->o->time_style : wk_cmd_env(c, "TIME_STYLE");
    if (!style)
        style = "locale";
    l->format_old = WK_STR("%b %e  %Y");
    l->format_recent = WK_STR("%b %e %H:%M");
    for (; strncmp(style, "posix-", 6) == 0; style += 6)
        if (!has_time_locale(c))
            return;
    if (*style == '+') {
        const char *nl = strchr(style + 1, '\n');
        l->format_old = nl ? wk_str(style + 1, (size_t)(nl - style - 1)) : wk_str_c(style + 1);
        l->format_recent = nl ? wk_str_c(nl + 1) : l->format_old;
        if (nl && strchr(nl + 1, '\n'))
            wk_fail(c, 2, "invalid time style format %s", wk_quote(c, style + 1));
        return;
    }
    switch (named_time_style(c, style)) {
    case 0:
        l->format_old = l->format_recent = WK_STR("%Y-%m-%d %H:%M:%S.%N %z");
        break;
    case 1:
        l->format_old = l->format_recent = WK_STR("%Y-%m-%d %H:%M");
        break;
    case 2:
        l->format_old = WK_STR("%Y-%m-%d ");
        l->format_recent = WK_STR("%m-%d %H:%M");
        break;
    default:
        break;
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

static void read_widths(struct wk_ls *l)
{
    struct wk_cmd *c = l->c;
    uint64_t v;
    l->line = 80;
    l->tab = 8;
    const char *env = wk_cmd_env(c, "COLUMNS");
    if (env && *env && wk_parse_u64(wk_str_c(env), 10, &v) == 0 && v < SIZE_MAX / 4)
        l->line = (size_t)v;
    env = wk_cmd_env(c, "TABSIZE");
    if (env && *env && wk_parse_u64(wk_str_c(env), 10, &v) == 0 && v < SIZE_MAX / 4)
        l->tab = (size_t)v;
    if (l->o->width_text)
        l->line = read_size(c, l->o->width_text, "line width");
    if (l->o->tab_text)
        l->tab = read_size(c, l->o->tab_text, "tab size");
}

/* standard: when nothing else is said. */
static void read_quoting(struct wk_ls *l, bool tty, enum wk_quoting standard)
{
    static const struct wk_choice styles[] = {
        {"literal", WK_QUOTING_LITERAL}, {"shell", WK_QUOTING_SHELL},
        {"shell-always", WK_QUOTING_SHELL_ALWAYS}, {"shell-escape", WK_QUOTING_SHELL_ESCAPE},
        {"shell-escape-always", WK_QUOTING_SHELL_ESCAPE_ALWAYS}, {"c", WK_QUOTING_C},
        {"c-maybe", WK_QUOTING_C_MAYBE}, {"escape", WK_QUOTING_ESCAPE},
        {"locale", WK_QUOTING_LOCALE}, {"clocale", WK_QUOTING_CLOCALE}, {NULL, 0}};
    struct wk_ls_opts *o = l->o;
    const char *env = wk_cmd_env(l->c, "QUOTING_STYLE");
    l->quoting = standard;
    if (env && wk_quoting_named(env) >= 0)
        l->quoting = (enum wk_quoting)wk_quoting_named(env);
    if (o->quoting_word)
        l->quoting = (enum wk_quoting)wk_choice_read(l->c, "--quoting-style", o->quoting_word, styles);
    else if (o->literal || o->zero || o->dired)
        l->quoting = WK_QUOTING_LITERAL;
    else if (o->quote_names)
        l->quoting = WK_QUOTING_C;
    else if (o->escape_names)
        l->quoting = WK_QUOTING_ESCAPE;
    if (tty && !o->show_control && l->quoting == WK_QUOTING_LITERAL)
        o->hide_control = true;
    if (o->show_control)
        o->hide_control = false;
    bool columns = o->format == WK_LS_COLUMNS || o->format == WK_LS_ACROSS;
    l->align = (o->format == WK_LS_LONG || (columns && l->line)) &&
               (l->quoting == WK_QUOTING_SHELL || l->quoting == WK_QUOTING_SHELL_ESCAPE ||
                l->quoting == WK_QUOTING_C_MAYBE);
}

static void read_options(struct wk_ls *l)
{
    struct wk_cmd *c = l->c;
    struct wk_ls_opts *o = l->o;
    bool tty = c->out->file && c->out->file->is_tty;
    if (o->classify)
        o->mark = when(c, "--classify", o->classify) ? WK_LS_CLASSIFY : o->mark;
    bool dir = strcmp(c->name, "dir") == 0, vdir = strcmp(c->name, "vdir") == 0;
    if (!o->format)
        o->format = vdir ? WK_LS_LONG : tty || dir ? WK_LS_COLUMNS : WK_LS_ONE;
    if (!o->sort)
        o->sort = o->time != WK_LS_MTIME && o->format != WK_LS_LONG ? WK_LS_BY_TIME : WK_LS_BY_NAME;
    read_widths(l);
    read_quoting(l, tty, dir || vdir ? WK_QUOTING_ESCAPE : tty ? WK_QUOTING_SHELL_ESCAPE : WK_QUOTING_LITERAL);
    l->eol = o->zero ? '\0' : '\n';
    l->blocks = (struct wk_block_size){.unit = 1024};
    l->sizes = (struct wk_block_size){.unit = 1};
    const char *size = o->block_size ? o->block_size : wk_cmd_env(c, "LS_BLOCK_SIZE");
    if (size && !wk_block_size_parse(size, &l->blocks)) {
        if (o->block_size)
            wk_fail(c, 2, "invalid --block-size argument %s", wk_quote(c, size));
        l->blocks = (struct wk_block_size){.unit = 1024};
    } else if (size) {
        l->sizes = l->blocks;
    }
    if (o->human || o->si) {
        l->blocks = (struct wk_block_size){.unit = 1, .base = o->si && !o->human ? 1000 : 1024};
        l->sizes = l->blocks;
    }
    if (!o->zero && when(c, "--color", o->color))
        l->colors = wk_ls_colors_new(c);
    if (l->colors)
        l->tab = 0; /* terminals count what the colours are made of */
    if (!o->links) {
        bool never = o->directory || o->format == WK_LS_LONG || o->mark == WK_LS_CLASSIFY;
        o->links = never ? WK_LS_DEREF_NEVER : WK_LS_DEREF_DIRS;
    }
    if (o->format == WK_LS_LONG) {
        read_time_style(l);
        l->tz = wk_zone_of(c);
        l->now = wk_cmd_now(c);
        wk_zone_text(c, l->text, l->tz, l->format_recent, l->now);
        l->time_width = l->text->n;
    }
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

static void put_label(struct wk_ls *l, const char *path)
{
    if (l->printed)
        wk_out_char(l->out, '\n');
    wk_buf_reset(l->text);
    (void)wk_quoting_put(l->text, wk_str_c(path), l->quoting, l->o->hide_control,
                         l->quoting == WK_QUOTING_ESCAPE ? " :" : "");
    wk_out_put(l->out, wk_buf_c(l->text), l->text->n);
    wk_out_c(l->out, ":\n");
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
        (void)wk_ls_add(l, wk_ftw_dir(t), d->path, ".", l->o->inode ? 0 : WK_S_IFDIR, 0, false);
        (void)wk_ls_add(l, wk_ftw_dir(t), d->path, "..", l->o->inode ? 0 : WK_S_IFDIR, 0, false);
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
        put_label(l, d->path);
    l->printed = true;
    if (l->o->format == WK_LS_LONG || l->o->blocks) {
        char text[WK_HUMAN_MAX];
        size_t n = wk_human_size(text, l->total_blocks * 512, &l->blocks);
        wk_out_fmt(l->out, "total %.*s", (int)n, text);
        wk_out_char(l->out, l->eol);
    }
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
    return c->status;
}

WK_COMMAND(ls, .aliases = "dir vdir", .summary = "list information about the FILEs (the current directory by default)",
           .usage = "ls [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = ls_options,
           .opts_size = sizeof(struct wk_ls_opts), .usage_status = 2,
           .help = "Exit status:\n 0  if OK,\n 1  if minor problems (e.g., cannot access "
                   "subdirectory),\n 2  if serious trouble (e.g., cannot access command-line "
                   "argument).\n");
