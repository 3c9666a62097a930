/* grep.c - print lines that match patterns; egrep, fgrep
 *
 * Standard: POSIX XCU grep. Oracle: grep 3.8.
 * Differs:  docs/divergences/grep.md
 */
#include "builtins/grep.h"

#include "base/num.h"
#include "builtins/choice.h"
#include "builtins/fsops.h"
#include "builtins/ftw.h"
#include "builtins/regex.h"
#include "text/pattern/pattern.h"

/* egrep and fgrep are grep with -E and -F. */
static bool is_alias(const struct wk_cmd *c)
{
    size_t n;
    const char *name = wk_last_component(c->argv[0], &n);
    return strcmp(name, "egrep") == 0 || strcmp(name, "fgrep") == 0;
}

static int default_syntax(const struct wk_cmd *c)
{
    size_t n;
    if (!is_alias(c))
        return 0;
    return *wk_last_component(c->argv[0], &n) == 'e' ? WK_RE_EXTENDED : WK_RE_LITERAL;
}

static int take_syntax(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct grep_opts *g = c->opts;
    bool before = g->syntax_given || is_alias(c);
    int syntax = g->syntax_given ? g->syntax : default_syntax(c);
    (void)arg;
    if (before && syntax != o->value)
        wk_fail(c, 2, "conflicting matchers specified");
    g->syntax = o->value;
    g->syntax_given = true;
    return 0;
}

static int take_context(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct grep_opts *g = c->opts;
    int64_t n;
    int r = wk_parse_i64(wk_str_c(arg), 10, &n);
    if ((r && r != -WK_ERANGE) || n < 0)
        wk_fail(c, 2, "%s: invalid context length argument", arg);
    if (n == INT64_MAX)
        n--;
    *(o->value == 'A' ? &g->after : o->value == 'B' ? &g->before : &g->context) = n + 1;
    return 0;
}

static int take_max(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct grep_opts *g = c->opts;
    int64_t n;
    (void)o;
    int r = wk_parse_i64(wk_str_c(arg), 10, &n);
    if (r && r != -WK_ERANGE)
        wk_fail(c, 2, "invalid max count");
    g->max_count = n < 0 ? INT64_MAX : n;
    g->max_given = true;
    return 0;
}

static int take_binary(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct grep_opts *g = c->opts;
    (void)o;
    g->text = strcmp(arg, "text") == 0;
    if (!g->text && strcmp(arg, "binary") != 0 && strcmp(arg, "without-match") != 0)
        wk_fail(c, 2, "unknown binary-files type");
    g->binary = arg;
    return 0;
}

static int take_devices(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct grep_opts *g = c->opts;
    (void)o;
    if (strcmp(arg, "read") != 0 && strcmp(arg, "skip") != 0)
        wk_fail(c, 2, "unknown devices method");
    g->devices = arg;
    return 0;
}

/* -a and -I */
static int take_kind(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    (void)arg;
    return take_binary(c, o, o->value == 'a' ? "text" : "without-match");
}

enum { COLOR_NEVER, COLOR_ALWAYS, COLOR_AUTO };

static int take_color(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    static const struct wk_choice words[] = {
        {"always", COLOR_ALWAYS}, {"yes", COLOR_ALWAYS}, {"force", COLOR_ALWAYS}, {"never", COLOR_NEVER},
        {"no", COLOR_NEVER},      {"none", COLOR_NEVER}, {"auto", COLOR_AUTO},    {"tty", COLOR_AUTO},
        {"if-tty", COLOR_AUTO}};
    struct grep_opts *g = c->opts;
    (void)o;
    for (size_t i = 0; i < WK_COUNTOF(words); i++)
        if (strcmp(arg ? arg : "auto", words[i].word) == 0) {
            g->color = words[i].value;
            return 0;
        }
    wk_cmd_about(c, false); /* as grep does */
}

static int take_separator(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct grep_opts *g = c->opts;
    g->no_separator = o->value == 0;
    g->separator = arg;
    return 0;
}

static int add_glob(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct grep_opts *o = c->opts;
    if (o->globs_n == o->globs_cap) {
        o->globs_cap = o->globs_cap ? o->globs_cap * 2 : 8;
        o->globs = wk_heap_realloc(c->heap, o->globs, o->globs_cap * sizeof *o->globs);
    }
    o->globs[o->globs_n++] = (struct wk_grep_glob){arg, opt->value == 'i'};
    return 0;
}

static int add_globs_of(struct wk_cmd *c, const struct wk_opt *opt, const char *path)
{
    struct wk_in *in = wk_in_open(c, path, true);
    struct wk_str line;
    if (!in)
        wk_exit(c, 2);
    while (wk_line_next(in, '\n', &line))
        if (line.n)
            (void)add_glob(c, opt, wk_dupn(c, line.p, line.n));
    if (in->err)
        wk_exit(c, 2);
    if (in != c->in)
        wk_in_close(in);
    return 0;
}

static int take_directories(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice actions[] = {{"read", 1}, {"recurse", 2}, {"skip", 3}, {NULL, 0}};
    struct grep_opts *o = c->opts;
    (void)opt;
    int v = wk_choice_value(arg, actions);
    if (v < 0) {
        wk_choice_complain(c, "--directories", arg, actions);
        wk_out_fmt(c->err, "Usage: %s\nTry '%s --help' for more information.\n", c->command->usage, c->name);
        wk_exit(c, 1); /* not 2 */
    }
    o->skip_dirs = v == 3;
    o->recurse = v == 2 ? 'r' : 0;
    return 0;
}

static int warn_obsolete(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    (void)o;
    (void)arg;
    wk_out_fmt(c->err, "%s: warning: --unix-byte-offsets (-u) is obsolete\n", c->name);
    return 0;
}

#define LIST(field, s, l, arg, help) WK_LIST_OPT(struct grep_opts, field, s, l, arg, help)
#define FLAG(field, s, l, help)      WK_FLAG(struct grep_opts, field, s, l, help)
#define SET(field, v, s, l, help)    WK_SET(struct grep_opts, field, v, s, l, help)
#define STR(field, s, l, arg, help)  WK_STR_OPT(struct grep_opts, field, s, l, arg, help)

static const struct wk_opt grep_options[] = {
    WK_FUNC_OPT(take_syntax, WK_RE_EXTENDED, 'E', "extended-regexp", NULL,
                "PATTERNS are extended regular expressions"),
    WK_FUNC_OPT(take_syntax, WK_RE_LITERAL, 'F', "fixed-strings", NULL, "PATTERNS are strings"),
    WK_FUNC_OPT(take_syntax, 0, 'G', "basic-regexp", NULL,
                "PATTERNS are basic regular expressions"),
    WK_FUNC_OPT(take_syntax, WK_RE_PERL, 'P', "perl-regexp", NULL,
                "PATTERNS are Perl regular expressions"),
    LIST(patterns, 'e', "regexp", "PATTERNS", "use PATTERNS for matching"),
    LIST(pattern_files, 'f', "file", "FILE", "take PATTERNS from FILE"),
    SET(ignore_case, 1, 'i', "ignore-case", "ignore case distinctions in patterns and data"),
    SET(ignore_case, 1, 'y', NULL, "the same as -i"),
    SET(ignore_case, 0, 0, "no-ignore-case", "do not ignore case distinctions (default)"),
    FLAG(word, 'w', "word-regexp", "match only whole words"),
    FLAG(line, 'x', "line-regexp", "match only whole lines"),
    FLAG(null_name, 'Z', "null", "print 0 byte after FILE name"),
    FLAG(null_data, 'z', "null-data", "a data line ends in 0 byte, not newline"),
    FLAG(no_messages, 's', "no-messages", "suppress error messages"),
    FLAG(invert, 'v', "invert-match", "select non-matching lines"),
    WK_FUNC_OPT(take_max, 0, 'm', "max-count", "NUM", "stop after NUM selected lines"),
    FLAG(byte_offset, 'b', "byte-offset", "print the byte offset with output lines"),
    FLAG(number, 'n', "line-number", "print line number with output lines"),
    FLAG(line_buffered, 0, "line-buffered", "flush output on every line"),
    SET(with_name, 'H', 'H', "with-filename", "print file name with output lines"),
    SET(with_name, 'h', 'h', "no-filename", "suppress the file name prefix on output"),
    STR(label, 0, "label", "LABEL", "use LABEL as the standard input file name prefix"),
    FLAG(only_matching, 'o', "only-matching", "show only nonempty parts of lines that match"),
    FLAG(quiet, 'q', "quiet", "suppress all normal output"),
    FLAG(quiet, 0, "silent", "suppress all normal output"),
    WK_FUNC_OPT(take_binary, 0, 0, "binary-files", "TYPE",
        "assume that binary files are TYPE; TYPE is 'binary', 'text', or 'without-match'"),
    WK_FUNC_OPT(take_kind, 'a', 'a', "text", NULL, "equivalent to --binary-files=text"),
    WK_FUNC_OPT(take_kind, 'I', 'I', NULL, NULL,
                "equivalent to --binary-files=without-match"),
    WK_FUNC_OPT(take_directories, 0, 'd', "directories", "ACTION",
                "how to handle directories; ACTION is 'read', 'recurse', or 'skip'"),
    WK_FUNC_OPT(take_devices, 0, 'D', "devices", "ACTION",
        "how to handle devices, FIFOs and sockets; ACTION is 'read' or 'skip'"),
    SET(recurse, 'r', 'r', "recursive", "like --directories=recurse"),
    SET(recurse, 'R', 'R', "dereference-recursive", "likewise, but follow all symlinks"),
    WK_FUNC_OPT(add_glob, 'i', 0, "include", "GLOB", "search only files that match GLOB"),
    WK_FUNC_OPT(add_glob, 'x', 0, "exclude", "GLOB", "skip files that match GLOB"),
    WK_FUNC_OPT(add_globs_of, 'x', 0, "exclude-from", "FILE",
         "skip files that match any file pattern from FILE"),
    LIST(exclude_dir, 0, "exclude-dir", "GLOB", "skip directories that match GLOB"),
    SET(list, 'L', 'L', "files-without-match", "print only names of FILEs with no selected lines"),
    SET(list, 'l', 'l', "files-with-matches", "print only names of FILEs with selected lines"),
    FLAG(count, 'c', "count", "print only a count of selected lines per FILE"),
    FLAG(initial_tab, 'T', "initial-tab", "make tabs line up (if needed)"),
    WK_FUNC_OPT(take_context, 'B', 'B', "before-context", "NUM",
                "print NUM lines of leading context"),
    WK_FUNC_OPT(take_context, 'A', 'A', "after-context", "NUM",
                "print NUM lines of trailing context"),
    WK_FUNC_OPT(take_context, 'C', 'C', "context", "NUM", "print NUM lines of output context"),
    WK_FUNC_OPT(take_separator, 1, 0, "group-separator", "SEP",
                "print SEP on line between matches with context"),
    WK_FUNC_OPT(take_separator, 0, 0, "no-group-separator", NULL,
                "do not print separator for matches with context"),
    WK_FUNC_OPT(take_color, 0, 0, "color", "[WHEN", "use markers to highlight the matching strings"),
    WK_FUNC_OPT(take_color, 0, 0, "colour", "[WHEN", "the same"),
    WK_FUNC_OPT(warn_obsolete, 0, 'u', "unix-byte-offsets", NULL, "(obsolete)"),
    FLAG(binary_mode, 'U', "binary", "do not strip CR characters at EOL (always so here)"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

/* ---- patterns
 * ------------------------------------------------------------------------------------------ */

/* A file of patterns: where its text begins. */
struct pattern_source {
    const char *name; /* NULL: not a file */
    size_t at;
};

struct pattern_text {
    struct wk_buf *b;
    bool any;
    struct pattern_source *sources;
    size_t sources_n;
};

static void release_buf(void *b)
{
    wk_buf_release(b);
}

static void add_pattern(struct pattern_text *p, const char *file, struct wk_str text)
{
    if (p->any)
        wk_buf_putc(p->b, '\n');
    p->sources[p->sources_n++] = (struct pattern_source){file, p->b->n};
    wk_buf_puts(p->b, text);
    p->any = true;
}

static void add_pattern_file(struct wk_cmd *c, struct pattern_text *p, const char *path)
{
    struct wk_in *in = wk_in_open(c, path, true);
    if (!in)
        wk_exit(c, 2);
    struct wk_str all = wk_in_all(in);
    if (in->err)
        wk_exit(c, 2);
    if (in != c->in)
        wk_in_close(in);
    if (!all.n)
        return; /* an empty file holds no pattern at all */
    if (all.p[all.n - 1] == '\n')
        all.n--;
    add_pattern(p, path, all);
}

/* Whether there are two patterns; text becomes the only one that is there. */
static bool has_two(struct wk_str *text)
{
    ptrdiff_t nl = wk_str_chr(*text, '\n');
    if (nl < 0)
        return false;
    struct wk_str first = wk_str(text->p, (size_t)nl), rest = wk_str_from(*text, (size_t)nl + 1);
    for (; nl >= 0; rest = wk_str_from(rest, (size_t)nl + 1)) {
        nl = wk_str_chr(rest, '\n');
        if (!wk_str_eq(nl < 0 ? rest : wk_str(rest.p, (size_t)nl), first))
            return true;
        if (nl < 0)
            break;
    }
    *text = first;
    return false;
}

/* "FILE:LINE: " of a pattern of a file, or "". */
static const char *place_of(struct wk_cmd *c, const struct pattern_text *p, size_t at)
{
    size_t i = p->sources_n, line = 1;
    while (i && p->sources[i - 1].at > at)
        i--;
    if (!i || !p->sources[i - 1].name)
        return "";
    for (size_t k = p->sources[i - 1].at; k < at && k < p->b->n; k++)
        line += p->b->p[k] == '\n';
    return wk_strf(c, "%s:%zu: ", p->sources[i - 1].name, line);
}

/* Tells what is wrong with each of the patterns. */
static WK_NORETURN void refuse(struct wk_cmd *c, struct wk_str text, unsigned flags,
                               const struct pattern_text *patterns, const struct wk_re_error *err)
{
    struct wk_re_error e;
    bool told = false;
    for (size_t at = 0; at <= text.n && !(flags & WK_RE_PERL);) {
        struct wk_str rest = wk_str_from(text, at);
        ptrdiff_t nl = wk_str_chr(rest, '\n');
        size_t n = nl < 0 ? rest.n : (size_t)nl;
        if (!wk_cmd_re(c, wk_str_take(rest, n), flags, &e)) {
            wk_msg(c, "%s%s", place_of(c, patterns, at), e.text);
            told = true;
        }
        wk_tick(c, (uint32_t)(n / 64) + 1);
        at += n + 1;
    }
    if (!told)
        wk_msg(c, "%s", err->text);
    wk_exit(c, 2);
}

static void compile(struct wk_grep *g, struct wk_str text, const struct pattern_text *patterns)
{
    struct wk_cmd *c = g->c;
    const struct grep_opts *o = g->o;
    struct wk_re_error err;
    unsigned flags = (unsigned)o->syntax | WK_RE_NOSUB;
    if (o->syntax != WK_RE_PERL)
        flags |= WK_RE_ALTS | WK_RE_GREP;
    else if (has_two(&text))
        wk_fail(c, 2, "the -P option only supports a single pattern");
    if (o->ignore_case)
        flags |= WK_RE_ICASE;
    if (o->line)
        flags |= WK_RE_LINE;
    else if (o->word)
        flags |= WK_RE_WORD;
    if (!g->utf8)
        flags |= WK_RE_BYTES;
    g->re = wk_cmd_re(c, text, flags, &err);
    if (!g->re)
        refuse(c, text, flags, patterns, &err);
    const char *w;
    for (size_t i = 0; (w = wk_re_warning(g->re, i)) != NULL; i++)
        wk_out_fmt(c->err, "%s: warning: %s\n", c->name, w);
}

/* ---- files
 * ------------------------------------------------------------------------------------------------
 */

static bool matches_glob(struct wk_cmd *c, const char *glob, const char *name)
{
    struct wk_arena a;
    const struct wk_pattern *p;
    struct wk_pattern_run run = {.mem = wk_heap_mem(c->heap)};
    wk_arena_init(&a, wk_heap_mem(c->heap));
    bool yes = false;
    if (wk_pattern_compile(&a, wk_str_c(glob), 0, &p) == 0)
        yes = wk_pattern_match(p, &run, wk_str_c(name)) == 1;
    wk_arena_release(&a);
    return yes;
}

/* An operand may match with what lies behind any of its slashes, too; what is found below one goes by its
 * last part alone. */
static bool matches_name(struct wk_cmd *c, const char *glob, const char *name, bool operand)
{
    bool yes = matches_glob(c, glob, name);
    for (const char *p = name; operand && !yes && *p; p++)
        if (*p == '/' && p[1] && p[1] != '/')
            yes = matches_glob(c, glob, p + 1);
    return yes;
}

/* The last glob that matches decides; without one the first in the list. */
static bool is_skipped(struct wk_grep *g, const char *name, bool operand)
{
    const struct grep_opts *o = g->o;
    for (size_t i = o->globs_n; i-- > 0;)
        if (matches_name(g->c, o->globs[i].text, name, operand))
            return !o->globs[i].include;
    return o->globs_n && o->globs[0].include;
}

static bool is_skipped_dir(struct wk_grep *g, const char *name, bool operand)
{
    for (size_t i = 0; i < g->o->exclude_dir.n; i++) {
        char *glob = wk_dup(g->c, g->o->exclude_dir.v[i]);
        wk_strip_slashes(glob);
        bool yes = matches_name(g->c, glob, name, operand);
        wk_heap_free(g->c->heap, glob);
        if (yes)
            return true;
    }
    return false;
}

static const char *shown(const struct wk_grep *g, const char *path)
{
    return g->bare && path[0] == '.' && path[1] == '/' ? path + 2 : path;
}

static void complain(struct wk_grep *g, const char *path, int err)
{
    g->trouble = true;
    if (g->o->no_messages)
        return;
    wk_out_flush(g->c->out);
    wk_out_fmt(g->c->err, "%s: %s: %s\n", g->c->name, shown(g, path), wk_err_text(err));
}

static void search_open(struct wk_grep *g, struct wk_file *f, const char *name)
{
    /* Not in the heap, where one for each file of a tree would add up. */
    struct wk_in in = {.c = g->c, .file = f, .name = name, .owned = true, .quiet = g->o->no_messages};
    if (wk_grep_input(g, &in, name))
        g->any_selected = true;
    wk_in_close(&in);
}

static void search_file(struct wk_grep *g, const char *path)
{
    struct wk_file *f;
    int err = wk_cmd_open(g->c, path, WK_O_RDONLY, 0, &f);
    if (err)
        complain(g, path, err);
    else
        search_open(g, f, shown(g, path));
}

/* The present entry of a tree, from its directory: a long path costs nothing. */
static void search_entry(struct wk_grep *g, struct wk_ftw *t)
{
    struct wk_file *f;
    int flags = WK_O_RDONLY | WK_O_NONBLOCK | (g->o->recurse == 'R' ? 0 : WK_O_NOFOLLOW);
    int err = wk_cmd_open_at(g->c, wk_ftw_dir(t), wk_ftw_name(t), flags, 0, &f);
    if (err)
        complain(g, t->path, err);
    else
        search_open(g, f, shown(g, t->path));
}

static bool done(const struct wk_grep *g)
{
    return g->exit_on_match && g->any_selected;
}

static void enter(struct wk_grep *g, struct wk_ftw *t, const struct wk_stat *st)
{
    int err = wk_ftw_enter(t, st);
    if (err == WK_ELOOP || err == WK_EEXIST) {
        if (!g->o->no_messages)
            wk_out_fmt(g->c->err, "%s: %s: warning: recursive directory loop\n", g->c->name,
                       shown(g, t->path));
        g->trouble = true;
    } else if (err) {
        complain(g, t->path, err);
    }
}

static bool is_open_above(const struct wk_ftw *t, const struct wk_stat *st)
{
    for (size_t i = 0; i < t->depth; i++)
        if (t->levels[i].dev == st->dev && t->levels[i].ino == st->ino)
            return true;
    return false;
}

static void visit(struct wk_grep *g, struct wk_ftw *t, uint32_t type)
{
    const struct grep_opts *o = g->o;
    struct wk_stat st;
    if (WK_S_ISREG(type)) { /* told by its directory */
        if (!is_skipped(g, wk_ftw_name(t), false))
            search_entry(g, t);
        return;
    }
    int err = wk_at_stat(g->c, wk_ftw_dir(t), wk_ftw_name(t), o->recurse == 'R', &st);
    if (err) {
        if (!is_skipped(g, wk_ftw_name(t), false))
            complain(g, t->path, err);
        return;
    }
    if (WK_S_ISDIR(st.mode)) {
        if (is_skipped_dir(g, wk_ftw_name(t), false))
            return;
        if (is_open_above(t, &st)) {
            if (!o->no_messages)
                wk_out_fmt(g->c->err, "%s: %s: warning: recursive directory loop\n", g->c->name,
                           shown(g, t->path));
            return;
        }
        enter(g, t, &st);
        return;
    }
    if (WK_S_ISREG(st.mode) && !is_skipped(g, wk_ftw_name(t), false))
        search_entry(g, t);
}

/* A directory and everything below it. */
static void search_tree(struct wk_grep *g, const char *operand, const struct wk_stat *st)
{
    struct wk_ftw *t = wk_ftw_new(g->c);
    struct wk_dirent e;
    wk_ftw_start(t, operand);
    enter(g, t, st);
    while (t->depth && !done(g)) {
        int err = 0;
        if (wk_ftw_next(t, &e, &err)) {
            visit(g, t, e.type);
            continue;
        }
        if (err)
            complain(g, t->path, err);
        wk_ftw_leave(t);
    }
    wk_ftw_stop(t);
}

static void search_operand(struct wk_grep *g, const char *path)
{
    const struct grep_opts *o = g->o;
    struct wk_stat st;
    if (strcmp(path, "-") == 0) {
        const char *name = o->label ? o->label : "(standard input)";
        g->c->in->name = name;
        g->c->in->quiet = o->no_messages;
        if (!g->c->in->file)
            complain(g, name, WK_EBADF);
        else if (wk_grep_input(g, g->c->in, name))
            g->any_selected = true;
        return;
    }
    int err = wk_at_stat(g->c, NULL, path, true, &st);
    if (err) {
        complain(g, path, err);
        return;
    }
    if (WK_S_ISDIR(st.mode)) {
        if (o->recurse) {
            if (g->bare || !is_skipped_dir(g, path, true))
                search_tree(g, path, &st);
        } else if (!o->skip_dirs) {
            complain(g, path, WK_EISDIR);
            wk_grep_tell(g, path, 0);
        }
        return;
    }
    if (is_skipped(g, path, true)) { /* that is asked when it is open */
        struct wk_file *f;
        err = wk_cmd_open(g->c, path, WK_O_RDONLY | WK_O_NONBLOCK, 0, &f);
        if (err)
            complain(g, path, err);
        else
            wk_cmd_close(g->c, f);
        return;
    }
    if ((!WK_S_ISREG(st.mode) && o->devices && strcmp(o->devices, "skip") == 0))
        return;
    search_file(g, path);
}

/* ---- the command
 * ---------------------------------------------------------------------------------------------- */

static bool wants_color(struct wk_cmd *c, const struct grep_opts *o)
{
    if (o->color != COLOR_AUTO)
        return o->color == COLOR_ALWAYS;
    return c->out->file && c->out->file->is_tty;
}

static struct wk_str gather_patterns(struct wk_cmd *c, const struct grep_opts *o, struct pattern_text *p,
                                     int *first)
{
    struct wk_buf *b = wk_heap_bump(c->heap, sizeof *b);
    size_t most = o->patterns.n + o->pattern_files.n + 1;
    *p = (struct pattern_text){.b = b, .sources = wk_new_n(c, struct pattern_source, most)};
    wk_buf_init(b, wk_heap_mem(c->heap), SIZE_MAX / 2);
    wk_heap_own(c->heap, b, release_buf);
    for (size_t i = 0; i < o->patterns.n; i++)
        add_pattern(p, NULL, wk_str_c(o->patterns.v[i]));
    for (size_t i = 0; i < o->pattern_files.n; i++)
        add_pattern_file(c, p, o->pattern_files.v[i]);
    if (!o->patterns.n && !o->pattern_files.n) {
        if (!c->nargs) {
            wk_out_fmt(
                c->err,
                "Usage: %s [OPTION]... PATTERNS [FILE]...\nTry '%s --help' for more information.\n",
                c->name, c->name);
            wk_exit(c, 2);
        }
        add_pattern(p, NULL, wk_str_c(c->args[0]));
        *first = 1;
    }
    if (b->failed)
        wk_heap_exhausted(c->heap);
    if (!p->any)
        return wk_str(NULL, 0); /* no pattern: nothing matches */
    return wk_buf_str(b);
}

enum { LONGEST_CONTEXT = 21 }; /* digits */

/* -5 and -C5 are the same. Digits may stand among other letters, up to one that takes the rest of the word: the last
 * row of them counts, and the word goes on without digits. */
static int digits_option(struct wk_cmd *c, int at)
{
    struct grep_opts *g = c->opts;
    const char *a = c->argv[at];
    if (is_alias(c)) /* the first option: what is wrong with it is said by grep */
        c->name = "grep";
    if (a[0] != '-' || a[1] == '-' || !a[strcspn(a, "0123456789")])
        return 0;
    char *rest = wk_heap_alloc(c->heap, strlen(a) + 1);
    size_t n = 0, i = 0;
    while (a[i] && (i == 0 || !strchr("ABCDdefm", a[i]))) {
        size_t digits = strspn(a + i, "0123456789");
        int64_t v = 0;
        if (!digits) {
            rest[n++] = a[i++];
            continue;
        }
        size_t zeros = WK_MIN(strspn(a + i, "0"), digits);
        if (digits - zeros > LONGEST_CONTEXT)
            wk_fail(c, 2, "%.*s...: invalid context length argument", LONGEST_CONTEXT, a + i + zeros);
        if (wk_parse_i64(wk_str(a + i, digits), 10, &v) != 0)
            v = INT64_MAX - 1;
        g->context = WK_MIN(v, INT64_MAX - 1) + 1;
        i += digits;
    }
    memcpy(rest + n, a + i, strlen(a + i) + 1);
    if (n == 1 && !a[i])
        return 1;
    c->argv[at] = rest;
    return 0;
}

static int grep_main(struct wk_cmd *c)
{
    struct grep_opts *o = c->opts;
    struct wk_grep g = {.c = c, .o = o, .utf8 = wk_cmd_utf8(c)};
    int first = 0;
    if (!o->syntax_given)
        o->syntax = default_syntax(c);
    if (is_alias(c))
        c->name = "grep";
    if (!o->max_given)
        o->max_count = INT64_MAX;
    struct pattern_text patterns;
    struct wk_str text = gather_patterns(c, o, &patterns, &first);
    g.eol = o->null_data ? '\0' : '\n';
    if (!o->before)
        o->before = o->context;
    if (!o->after)
        o->after = o->context;
    g.before = o->before > 0 ? o->before - 1 : 0;
    g.after = o->after > 0 ? o->after - 1 : 0;
    if (o->count || o->list || o->quiet)
        g.before = g.after = 0;
    g.color = wants_color(c, o);
    if (g.color)
        wk_grep_read_colors(&g);
    if (c->out->file && wk_file_stat(c->out->file, &g.out) < 0)
        g.out.mode = 0;
    if (!WK_S_ISREG(g.out.mode) || o->quiet || o->count || o->list || o->max_count <= 1)
        g.out.mode = 0;
    g.exit_on_match = o->quiet;
    if (!text.p) {
        o->invert =
            !o->invert; /* the empty pattern matches every line: the opposite matches none */
        text = WK_STR("");
        o->line = o->word = false;
    }
    if ((o->max_count == 0 || (!text.n && o->invert && !o->line && !o->word)) && (o->quiet || o->list != 'L'))
        return 1; /* nothing can be selected */
    compile(&g, text, &patterns);
    g.lines = wk_heap_alloc(c->heap, sizeof *g.lines);
    c->out->line_buffered = c->out->line_buffered || o->line_buffered;
    char dot[] = ".", dash[] = "-";
    char *none[1] = {o->recurse ? dot : dash};
    g.bare = o->recurse && c->nargs == first;
    char **files = c->nargs > first ? c->args + first : none;
    int n = c->nargs > first ? c->nargs - first : 1;
    struct wk_stat st;
    bool tree = o->recurse && (c->nargs == first ||
                               (!wk_at_stat(c, NULL, files[0], true, &st) && WK_S_ISDIR(st.mode)));
    g.names = o->with_name == 'H' || (o->with_name != 'h' && (n > 1 || tree));
    for (int i = 0; i < n && !done(&g); i++)
        search_operand(&g, files[i]);
    if (g.any_selected)
        return g.trouble && !o->quiet ? 2 : 0;
    return g.trouble ? 2 : 1;
}

WK_COMMAND(grep, .aliases = "egrep fgrep", .summary = "search for PATTERNS in each FILE",
           .usage = "grep [OPTION]... PATTERNS [FILE]...", .std = "grep 3.8", .opts = grep_options,
           .opts_size = sizeof(struct grep_opts), .usage_status = 2,
           .flags = WK_CMD_SAY_USAGE | WK_CMD_RAW_NAMES | WK_CMD_FILTER,
           .old_style = digits_option);
