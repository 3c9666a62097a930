/* rg_args.c - rg: the command line and the file of options
 *
 * Messages have the words of the real tool, down to its usage.
 */
#include "base/num.h"
#include "builtins/rg_options.h"

static const char usage_text[] =
    "\nUSAGE:\n    \n    rg [OPTIONS] PATTERN [PATH ...]\n    rg [OPTIONS] -e PATTERN ... [PATH ...]\n"
    "    rg [OPTIONS] -f PATTERNFILE ... [PATH ...]\n    rg [OPTIONS] --files [PATH ...]\n"
    "    rg [OPTIONS] --type-list\n    command | rg [OPTIONS] PATTERN\n    rg [OPTIONS] --help\n"
    "    rg [OPTIONS] --version\n\nFor more information try --help\n\n";

static WK_NORETURN void usage(struct wk_cmd *c)
{
    wk_out_c(c->err, usage_text);
    wk_exit(c, 2);
}

static const char *shown_option(struct wk_cmd *c, const struct wk_opt *o)
{
    bool many = o->kind == WK_OPT_LIST || o->value == WK_RG_OPT_GLOB || o->value == WK_RG_OPT_IGLOB;
    return wk_strf(c, "--%s <%s>%s", o->long_name, o->arg ? o->arg : "", many ? "..." : "");
}

static int64_t take_number(struct wk_cmd *c, const struct wk_opt *o, const char *arg, bool plain)
{
    int64_t v;
    int r = wk_parse_i64(wk_str_c(arg), 10, &v);
    const char *why = !*arg                                   ? "cannot parse integer from empty string"
                      : r == -WK_ERANGE && *arg != '-'        ? "number too large to fit in target type"
                      : (r && r != -WK_ERANGE) || *arg == '-' ? "invalid digit found in string"
                                                              : NULL;
    if (!why)
        return v;
    if (plain)
        wk_out_fmt(c->err, "%s\n", why);
    else
        wk_out_fmt(c->err, "error: Invalid value for '%s': %s\n\n", shown_option(c, o), why);
    wk_exit(c, 2);
}

static int64_t take_size(struct wk_cmd *c, const char *arg)
{
    size_t n = strspn(arg, "0123456789");
    int64_t v, unit = 1;
    char last = arg[n];
    bool good = n && (!last || (strchr("KMG", last) && !arg[n + 1]));
    if (!good) {
        wk_out_fmt(c->err,
                   "invalid format for size '%s', which should be a sequence of digits followed by an optional 'K', "
                   "'M' or 'G' suffix\n",
                   arg);
        wk_exit(c, 2);
    }
    unit = last == 'K' ? 1024 : last == 'M' ? 1024 * 1024 : last == 'G' ? 1024 * 1024 * 1024 : 1;
    if (wk_parse_i64(wk_str(arg, n), 10, &v) || v > INT64_MAX / unit) {
        wk_out_fmt(c->err, "size too big in '%s'\n", arg);
        wk_exit(c, 2);
    }
    return v * unit;
}

/* One of several words; ends the process with the list of them otherwise. */
static int take_word(struct wk_cmd *c, const struct wk_opt *o, const char *arg, const char *words)
{
    int i = 0;
    for (const char *p = words; *p; i++) {
        size_t n = strcspn(p, " ");
        if (strlen(arg) == n && memcmp(p, arg, n) == 0)
            return i;
        p += n + (p[n] == ' ');
    }
    wk_out_fmt(c->err, "error: '%s' isn't a valid value for '%s'\n\t[possible values: ", arg, shown_option(c, o));
    for (const char *p = words; *p; p++)
        if (*p == ' ')
            wk_out_c(c->err, ", ");
        else
            wk_out_char(c->err, *p);
    wk_out_c(c->err, "]\n\n");
    usage(c);
}

static void take_sort(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    static const enum wk_rg_sort by[] = {WK_RG_SORT_ACCESSED, WK_RG_SORT_CREATED, WK_RG_SORT_MODIFIED,
                                         WK_RG_SORT_NONE, WK_RG_SORT_PATH};
    struct wk_rg_opts *g = c->opts;
    g->sort = by[take_word(c, o, arg, "accessed created modified none path")];
    g->sort_down = o->value == WK_RG_OPT_SORTR;
}

static void take_color(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    static const int when[] = {WK_RG_COLOR_ALWAYS, WK_RG_COLOR_ALWAYS, WK_RG_COLOR_AUTO, WK_RG_COLOR_NEVER};
    struct wk_rg_opts *g = c->opts;
    g->color = when[take_word(c, o, arg, "always ansi auto never")];
}

static void take_engine(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    static const int engines[] = {WK_RG_ENGINE_AUTO, WK_RG_ENGINE_DEFAULT, WK_RG_ENGINE_PCRE2};
    struct wk_rg_opts *g = c->opts;
    g->engine = engines[take_word(c, o, arg, "auto default pcre2")];
}

static void add_glob(struct wk_cmd *c, char kind, const char *arg)
{
    struct wk_rg_opts *g = c->opts;
    struct wk_opt_list *l = &g->globs;
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 8;
        l->v = wk_heap_realloc(c->heap, l->v, l->cap * sizeof *l->v);
    }
    l->v[l->n++] = wk_strf(c, "%c%s", kind, arg);
}

struct wk_str wk_rg_unescape(struct wk_cmd *c, const char *text)
{
    static const char from[] = "nrt\\0", to[] = "\n\r\t\\\0";
    char *out = wk_dup(c, text);
    size_t n = 0;
    for (const char *p = text; *p; p++) {
        const char *f = *p == '\\' && p[1] ? strchr(from, p[1]) : NULL;
        if (f) {
            out[n++] = to[f - from];
            p++;
        } else if (*p == '\\' && p[1] == 'x' && wk_is_xdigit((unsigned char)p[2]) &&
                   wk_is_xdigit((unsigned char)p[3])) {
            int hi = wk_is_digit(p[2]) ? p[2] - '0' : (p[2] | 32) - 'a' + 10;
            int lo = wk_is_digit(p[3]) ? p[3] - '0' : (p[3] | 32) - 'a' + 10;
            out[n++] = (char)(hi * 16 + lo);
            p += 3;
        } else {
            out[n++] = *p;
        }
    }
    return wk_str(out, n);
}

static void take_path_separator(struct wk_cmd *c, const char *arg)
{
    struct wk_rg_opts *g = c->opts;
    struct wk_str s = wk_rg_unescape(c, arg);
    g->path_separator = s.n ? (unsigned char)s.p[0] : -1;
    if (s.n <= 1)
        return;
    wk_out_fmt(c->err,
               "A path separator must be exactly one byte, but the given separator is %zu bytes: %s\n"
               "In some shells on Windows '/' is automatically expanded. Use '//' instead.\n",
               s.n, arg);
    wk_exit(c, 2);
}

static void ignore_all(struct wk_rg_opts *g, bool off)
{
    g->no_ignore = g->no_ignore_dot = g->no_ignore_exclude = g->no_ignore_global = g->no_ignore_parent =
        g->no_ignore_vcs = off;
}

static void take_context(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct wk_rg_opts *g = c->opts;
    int64_t n = take_number(c, o, arg, false);
    bool both = g->context_both, after = o->value == WK_RG_OPT_AFTER;
    g->passthru = false;
    g->context_both = o->value == WK_RG_OPT_CONTEXT;
    if (g->context_both || both)
        g->before = g->after = g->context_both ? n : 0;
    if (!g->context_both)
        *(after ? &g->after : &g->before) = n;
}

/* What is printed of files: one thing replaces another. */
static bool take_output(struct wk_rg_opts *g, int which)
{
    switch (which) {
    case WK_RG_OPT_COUNT:
    case WK_RG_OPT_COUNT_MATCHES:
        g->count = which == WK_RG_OPT_COUNT;
        g->count_matches = !g->count;
        return true;
    case WK_RG_OPT_NAMES:
    case WK_RG_OPT_NAMES_WITHOUT:
        g->names = which == WK_RG_OPT_NAMES;
        g->names_without = !g->names;
        return true;
    case WK_RG_OPT_HEADING:
    case WK_RG_OPT_NO_HEADING:
        g->heading = which == WK_RG_OPT_HEADING ? 1 : -1;
        return true;
    case WK_RG_OPT_PASSTHRU:
        g->passthru = true;
        g->before = g->after = 0;
        return true;
    case WK_RG_OPT_NO_SEPARATOR:
        g->context_separator.p = NULL;
        return true;
    default:
        return false;
    }
}

/* What is searched, and how. */
static bool take_search(struct wk_rg_opts *g, int which)
{
    switch (which) {
    case WK_RG_OPT_WORD:
    case WK_RG_OPT_LINE:
        g->word = which == WK_RG_OPT_WORD;
        g->line = !g->word;
        return true;
    case WK_RG_OPT_NULL_DATA:
        g->null_data = true;
        return true;
    case WK_RG_OPT_NO_ENCODING:
        g->encoding = NULL;
        return true;
    case WK_RG_OPT_NO_IGNORE:
    case WK_RG_OPT_IGNORE:
        ignore_all(g, which == WK_RG_OPT_NO_IGNORE);
        return true;
    case WK_RG_OPT_UNRESTRICTED:
        g->unrestricted++;
        return true;
    case WK_RG_OPT_TEXT:
    case WK_RG_OPT_BINARY:
        g->text = which == WK_RG_OPT_TEXT;
        g->binary = !g->text;
        return true;
    case WK_RG_OPT_ZIP:
        g->zip = true;
        g->pre = NULL;
        return true;
    case WK_RG_OPT_NO_PRE:
        g->pre = NULL;
        return true;
    case WK_RG_OPT_NO_MMAP:
        g->no_mmap = true;
        return true;
    case WK_RG_OPT_SORT_FILES:
    case WK_RG_OPT_NO_SORT_FILES:
        g->sort = which == WK_RG_OPT_SORT_FILES ? WK_RG_SORT_PATH : WK_RG_SORT_NONE;
        g->sort_down = false;
        return true;
    default:
        return false;
    }
}

int wk_rg_take(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct wk_rg_opts *g = c->opts;
    if (take_output(g, o->value) || take_search(g, o->value))
        return 0;
    switch (o->value) {
    case WK_RG_OPT_AFTER:
    case WK_RG_OPT_BEFORE:
    case WK_RG_OPT_CONTEXT:
        take_context(c, o, arg);
        break;
    case WK_RG_OPT_ENGINE:
        take_engine(c, o, arg);
        break;
    case WK_RG_OPT_ENCODING:
        g->encoding = arg;
        break;
    case WK_RG_OPT_SIZE:
        (void)take_size(c, arg);
        break;
    case WK_RG_OPT_GLOB:
    case WK_RG_OPT_IGLOB:
        add_glob(c, o->value == WK_RG_OPT_GLOB ? 'g' : 'i', arg);
        break;
    case WK_RG_OPT_MAX_DEPTH:
        g->max_depth = take_number(c, o, arg, false);
        break;
    case WK_RG_OPT_MAX_FILESIZE:
        g->max_filesize = take_size(c, arg);
        break;
    case WK_RG_OPT_PRE:
        g->pre = *arg ? arg : NULL;
        g->zip = false;
        break;
    case WK_RG_OPT_SORT:
    case WK_RG_OPT_SORTR:
        take_sort(c, o, arg);
        break;
    case WK_RG_OPT_MAX_COUNT:
        g->max_count = take_number(c, o, arg, false);
        break;
    case WK_RG_OPT_MAX_COLUMNS:
        g->max_columns = take_number(c, o, arg, false);
        break;
    case WK_RG_OPT_COLOR:
        take_color(c, o, arg);
        break;
    case WK_RG_OPT_SEPARATOR:
        g->context_separator = wk_rg_unescape(c, arg);
        break;
    case WK_RG_OPT_FIELD_MATCH:
        g->field_match = wk_rg_unescape(c, arg);
        break;
    case WK_RG_OPT_FIELD_CONTEXT:
        g->field_context = wk_rg_unescape(c, arg);
        break;
    case WK_RG_OPT_PATH_SEPARATOR:
        take_path_separator(c, arg);
        break;
    case WK_RG_OPT_THREADS:
        (void)take_number(c, o, arg, true);
        break;
    default:
        break;
    }
    return 0;
}

int wk_rg_take_off(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    (void)arg;
    *(bool *)((char *)c->opts + o->offset) = false;
    return 0;
}

/* ---- words -------------------------------------------------------------------------------------------------------
 */

/* The options as they were given; their values are looked at when it is clear that nothing is missing. */
struct given {
    const struct wk_opt *o;
    const char *arg;
};
struct words {
    struct given *v;
    size_t n, cap;
    const struct wk_opt *lacks; /* the last word, whose value is missing */
};

static void add(struct wk_cmd *c, struct words *w, const struct wk_opt *o, const char *arg)
{
    if (w->n == w->cap) {
        w->cap = w->cap ? w->cap * 2 : 16;
        w->v = wk_heap_realloc(c->heap, w->v, w->cap * sizeof *w->v);
    }
    w->v[w->n++] = (struct given){o, arg};
}

static void store(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    void *field = (char *)c->opts + o->offset;
    struct wk_opt_list *l = field;
    switch (o->kind) {
    case WK_OPT_FLAG:
        *(bool *)field = true;
        break;
    case WK_OPT_SET:
        if (o->offset == offsetof(struct wk_rg_opts, no_unicode))
            *(bool *)field = o->value != 0;
        else
            *(int *)field = o->value;
        break;
    case WK_OPT_STR:
        *(const char **)field = arg;
        break;
    case WK_OPT_LIST:
        if (l->n == l->cap) {
            l->cap = l->cap ? l->cap * 2 : 8;
            l->v = wk_heap_realloc(c->heap, l->v, l->cap * sizeof *l->v);
        }
        l->v[l->n++] = arg;
        break;
    default:
        (void)o->func(c, o, arg);
    }
}

static WK_NORETURN void unknown(struct wk_cmd *c, const char *word)
{
    wk_out_fmt(c->err, "error: Found argument '%s' which wasn't expected, or isn't valid in this context\n", word);
    usage(c);
}

static const struct wk_opt *find_long(struct wk_str name)
{
    const struct wk_opt *o = wk_rg_options;
    while (o->kind != WK_OPT_END && !(o->long_name && wk_str_is(name, o->long_name)))
        o++;
    return o->kind == WK_OPT_END ? NULL : o;
}

static const struct wk_opt *find_short(char letter)
{
    const struct wk_opt *o = wk_rg_options;
    while (o->kind != WK_OPT_END && o->short_name != letter)
        o++;
    return o->kind == WK_OPT_END ? NULL : o;
}

/* The value in the next word: options may be values of few. */
static const char *next_value(struct wk_cmd *c, struct words *w, const struct wk_opt *o, int argc, char **argv, int i)
{
    static const char *const any[] = {"regexp", "file", "glob", "iglob", "ignore-file", "pre-glob", "replace"};
    bool takes = false;
    for (size_t k = 0; k < WK_COUNTOF(any); k++)
        takes = takes || strcmp(o->long_name, any[k]) == 0;
    const char *a = i + 1 < argc ? argv[i + 1] : NULL;
    if (!a)
        w->lacks = o;
    if (!a || takes || a[0] != '-' || !a[1])
        return a;
    if (a[1] == '-' && a[2] && !find_long(wk_str(a + 2, strcspn(a + 2, "="))))
        unknown(c, a);
    if (a[1] != '-' && !find_short(a[1]))
        unknown(c, wk_strf(c, "-%c", a[1]));
    wk_out_fmt(c->err, "error: The argument '%s' requires 1 values, but 0 were provided\n", shown_option(c, o));
    usage(c);
}

static int read_long(struct wk_cmd *c, struct words *w, int argc, char **argv, int i)
{
    const char *a = argv[i] + 2;
    size_t n = strcspn(a, "=");
    const char *value = a[n] == '=' ? a + n + 1 : NULL;
    const struct wk_opt *o = find_long(wk_str(a, n));
    if (n == 4 && memcmp(a, "help", 4) == 0)
        wk_cmd_about(c, false);
    if (n == 7 && memcmp(a, "version", 7) == 0)
        wk_cmd_about(c, true);
    if (!o || (value && !o->arg))
        unknown(c, wk_dupn(c, argv[i], n + 2));
    bool apart = o->arg && !value;
    add(c, w, o, apart ? next_value(c, w, o, argc, argv, i) : value);
    return apart ? 2 : 1;
}

static int read_cluster(struct wk_cmd *c, struct words *w, int argc, char **argv, int i)
{
    for (const char *p = argv[i] + 1; *p; p++) {
        const struct wk_opt *o = find_short(*p);
        if (!o)
            unknown(c, wk_strf(c, "-%c", *p));
        if (*p == 'h' || *p == 'V')
            wk_cmd_about(c, *p == 'V');
        if (!o->arg) {
            add(c, w, o, NULL);
            continue;
        }
        if (p[1]) {
            add(c, w, o, p + 1 + (p[1] == '='));
            return 1;
        }
        add(c, w, o, next_value(c, w, o, argc, argv, i));
        return 2;
    }
    return 1;
}

static void read_words(struct wk_cmd *c, struct words *w, int argc, char **argv)
{
    bool options = true;
    for (int i = 0; i < argc;) {
        const char *a = argv[i];
        if (!options || a[0] != '-' || !a[1]) {
            c->args[c->nargs++] = argv[i++];
        } else if (a[1] == '-' && !a[2]) {
            options = false;
            i++;
        } else {
            i += a[1] == '-' ? read_long(c, w, argc, argv, i) : read_cluster(c, w, argc, argv, i);
        }
    }
}

static bool is_given(const struct words *w, const char *name)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->v[i].o->long_name && strcmp(w->v[i].o->long_name, name) == 0)
            return true;
    return false;
}

/* Whether a later option makes this one as if it was never given: not even its value is looked at. */
static bool is_overridden(const struct words *w, size_t i)
{
    const struct wk_opt *o = w->v[i].o;
    int which = o->kind == WK_OPT_FUNC ? o->value : 0;
    bool context = which == WK_RG_OPT_AFTER || which == WK_RG_OPT_BEFORE || which == WK_RG_OPT_CONTEXT;
    for (size_t k = i + 1; context && k < w->n; k++) {
        int later = w->v[k].o->kind == WK_OPT_FUNC ? w->v[k].o->value : 0;
        if (later == which || later == WK_RG_OPT_CONTEXT || later == WK_RG_OPT_PASSTHRU ||
            (which == WK_RG_OPT_CONTEXT && (later == WK_RG_OPT_AFTER || later == WK_RG_OPT_BEFORE)))
            return true;
    }
    return false;
}

/* What cannot stand together, and what must be there. */
static void check_words(struct wk_cmd *c, const struct words *w)
{
    static const char *const no_json[] = {"count", "count-matches", "files", "files-with-matches",
                                          "files-without-match"};
    static const char *const instead[] = {"regexp", "file", "files", "type-list", "pcre2-version"};
    for (size_t i = 0; i < WK_COUNTOF(no_json) && is_given(w, "json"); i++)
        if (is_given(w, no_json[i])) {
            wk_out_fmt(c->err, "error: The argument '--%s' cannot be used with '--json'\n", no_json[i]);
            usage(c);
        }
    bool enough = c->nargs > 0;
    for (size_t i = 0; i < WK_COUNTOF(instead); i++)
        enough = enough || is_given(w, instead[i]);
    if (enough && w->lacks) {
        wk_out_fmt(c->err, "error: The argument '%s' requires a value but none was supplied\n",
                   shown_option(c, w->lacks));
        usage(c);
    }
    if (enough)
        return;
    wk_out_c(c->err, "error: The following required arguments were not provided:\n    <PATTERN>\n");
    usage(c);
}

/* A word a line; empty lines and those with a '#' do not count. */
static void read_config(struct wk_rg *g, struct words *list)
{
    struct wk_cmd *c = g->c;
    const char *path = wk_cmd_env(c, "RIPGREP_CONFIG_PATH");
    struct wk_file *f;
    struct wk_str line;
    if (!path || !*path)
        return;
    int err = wk_cmd_open(c, path, WK_O_RDONLY, 0, &f);
    if (err) {
        wk_out_fmt(c->err, "%s: %s (os error %d)\n", path, wk_err_text(err), err);
        return;
    }
    struct wk_in *in = wk_in_of(c, f, path);
    char **words = NULL;
    int n = 0, cap = 0;
    while (wk_line_next(in, '\n', &line)) {
        line = wk_str_trim(line);
        if (!line.n || line.p[0] == '#')
            continue;
        if (n == cap) {
            cap = cap ? cap * 2 : 16;
            words = wk_heap_realloc(c->heap, words, (size_t)cap * sizeof *words);
        }
        words[n++] = wk_dupn(c, line.p, line.n);
    }
    wk_in_close(in);
    c->args = wk_new_n(c, char *, (size_t)n + (size_t)c->argc + 1);
    read_words(c, list, n, words);
}

void wk_rg_read_options(struct wk_rg *g)
{
    struct wk_cmd *c = g->c;
    struct wk_rg_opts *o = c->opts;
    g->o = o;
    o->max_count = o->max_depth = o->max_filesize = -1;
    o->path_separator = -1;
    o->color = WK_RG_COLOR_AUTO;
    o->context_separator = WK_STR("--");
    o->field_match = WK_STR(":");
    o->field_context = WK_STR("-");
    c->args = wk_new_n(c, char *, (size_t)c->argc + 1);
    c->nargs = 0;
    bool config = true;
    for (int i = 1; i < c->argc && strcmp(c->argv[i], "--") != 0; i++)
        config = config && strcmp(c->argv[i], "--no-config") != 0;
    struct words w = {.n = 0};
    if (config)
        read_config(g, &w);
    read_words(c, &w, c->argc - 1, c->argv + 1);
    check_words(c, &w);
    for (size_t i = 0; i < w.n; i++)
        if (!is_overridden(&w, i))
            store(c, w.v[i].o, w.v[i].arg);
    if (o->unrestricted >= 1)
        ignore_all(o, true);
    o->hidden = o->hidden || o->unrestricted >= 2;
    o->binary = o->binary || (o->unrestricted >= 3 && !o->text);
}
