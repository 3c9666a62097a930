/* rg.c - search trees of files for a pattern, passing over what .gitignore and the like name
 *
 * Oracle:  ripgrep 13.0.0. Expressions are those of Rust's regex (rg_syntax.c), or with -P those of PCRE2.
 * Differs: docs/divergences/rg.md
 */
#include "builtins/fsops.h"
#include "builtins/rg_options.h"
#include "builtins/rg_text.h"

#include <stdarg.h>

void wk_rg_complain(struct wk_rg *g, const char *fmt, ...)
{
    va_list args;
    struct wk_buf b;
    g->errored = true;
    if (g->o->no_messages)
        return;
    wk_buf_init(&b, wk_heap_mem(g->c->heap), SIZE_MAX / 2);
    va_start(args, fmt);
    wk_buf_vfmt(&b, fmt, args);
    va_end(args);
    const char *text = wk_keep(g->c, &b);
    wk_out_flush(g->c->out);
    wk_out_fmt(g->c->err, "%s\n", text);
}

void wk_rg_complain_err(struct wk_rg *g, const char *path, int err)
{
    wk_rg_complain(g, "%s: %s (os error %d)", path, wk_err_text(err), err);
}

/* ---- patterns ----------------------------------------------------------------------------------------------------
 */

static void add_pattern(struct wk_rg *g, struct wk_rg_patterns *p, const char *text)
{
    if ((p->n & (p->n - 1)) == 0)
        p->v = wk_heap_realloc(g->c->heap, p->v, (p->n ? p->n * 2 : 1) * sizeof *p->v);
    p->v[p->n++] = text;
}

static void add_pattern_file(struct wk_rg *g, struct wk_rg_patterns *p, const char *path)
{
    struct wk_cmd *c = g->c;
    struct wk_in *in = c->in;
    struct wk_str line;
    if (strcmp(path, "-") != 0) {
        struct wk_file *f;
        int err = wk_cmd_open(c, path, WK_O_RDONLY, 0, &f);
        if (err) {
            wk_out_fmt(c->err, "%s: %s (os error %d)\n", path, wk_err_text(err), err);
            wk_exit(c, 2);
        }
        in = wk_in_of(c, f, path);
    }
    in->quiet = true;
    while (wk_line_next(in, '\n', &line)) {
        line.n -= line.n && line.p[line.n - 1] == '\r';
        add_pattern(g, p, wk_dupn(c, line.p, line.n));
    }
    if (in->err) {
        wk_out_fmt(c->err, "%s: %s (os error %d)\n", path, wk_err_text(in->err), in->err);
        wk_exit(c, 2);
    }
    if (in != c->in)
        wk_in_close(in);
}

/* Returns how many operands it used. */
static int gather_patterns(struct wk_rg *g, struct wk_rg_patterns *p)
{
    const struct wk_rg_opts *o = g->o;
    for (size_t i = 0; i < o->patterns.n; i++)
        add_pattern(g, p, o->patterns.v[i]);
    for (size_t i = 0; i < o->pattern_files.n; i++)
        add_pattern_file(g, p, o->pattern_files.v[i]);
    if (o->patterns.n || o->pattern_files.n)
        return 0;
    add_pattern(g, p, g->c->args[0]);
    return 1;
}

static void compile(struct wk_rg *g, struct wk_rg_patterns *p)
{
    const struct wk_rg_opts *o = g->o;
    p->fixed = o->fixed;
    p->word = o->word;
    p->line = o->line;
    p->smart_case = o->letter_case == 'S';
    p->pcre = o->engine == WK_RG_ENGINE_PCRE2 || o->engine == WK_RG_ENGINE_P;
    p->auto_engine = o->engine == WK_RG_ENGINE_AUTO;
    p->syntax = (struct wk_rg_syntax){.icase = o->letter_case == 'i',
                                      .multi_line = o->multi_line,
                                      .dot_all = o->dot_all,
                                      .crlf = o->crlf,
                                      .no_unicode = o->no_unicode,
                                      .nul_lines = o->null_data};
    g->m = wk_rg_matcher_new(g->c, p);
    g->nspans = WK_MIN(g->m->groups, (size_t)WK_RG_GROUPS_MAX) + 1;
    g->spans = wk_new_n(g->c, struct wk_re_span, g->nspans);
}

/* ---- what is to be done ------------------------------------------------------------------------------------------
 */

/* Something that was put there: a file, a pipe. What a session has when it was given nothing is a device. */
static bool has_input(struct wk_cmd *c)
{
    struct wk_stat st;
    if (!c->in->file || c->in->file->is_tty || wk_file_stat(c->in->file, &st) < 0)
        return false;
    return WK_S_ISREG(st.mode) || WK_S_ISFIFO(st.mode);
}

static void find_paths(struct wk_rg *g, int used)
{
    struct wk_cmd *c = g->c;
    const struct wk_rg_opts *o = g->o;
    g->paths = c->args + used;
    g->npaths = c->nargs - used;
    bool stdin_used = false;
    for (size_t i = 0; i < o->pattern_files.n; i++)
        stdin_used = stdin_used || strcmp(o->pattern_files.v[i], "-") == 0;
    if (g->npaths > 0)
        return;
    g->default_path = true;
    g->paths = wk_new_n(c, char *, 1);
    g->paths[0] = wk_dup(c, has_input(c) && !stdin_used && !o->files ? "-" : "./");
    g->npaths = 1;
}

/* Few files that were named are searched in one piece. */
static void look_at_paths(struct wk_rg *g)
{
    const struct wk_rg_opts *o = g->o;
    struct wk_stat st;
    bool files = g->npaths <= 10, first_dir = false;
    for (int i = 0; i < g->npaths && i <= 10; i++) {
        bool there = strcmp(g->paths[i], "-") != 0 && wk_cmd_stat(g->c, g->paths[i], true, &st) == 0;
        files = files && there && WK_S_ISREG(st.mode);
        first_dir = first_dir || (i == 0 && there && WK_S_ISDIR(st.mode));
    }
    g->several = g->npaths > 1 || first_dir;
    g->slices = files && !o->no_mmap;
    g->names = o->with_name >= 0 && (o->with_name > 0 || o->vimgrep || g->npaths > 1 || first_dir);
}

static bool wants_color(struct wk_rg *g, bool tty)
{
    const struct wk_rg_opts *o = g->o;
    const char *term = wk_cmd_env(g->c, "TERM");
    if (o->color != WK_RG_COLOR_AUTO)
        return o->color == WK_RG_COLOR_ALWAYS;
    return (tty || o->pretty) && !o->vimgrep && term && strcmp(term, "dumb") != 0 && !wk_cmd_env(g->c, "NO_COLOR");
}

static void decide(struct wk_rg *g)
{
    struct wk_rg_opts *o = g->o;
    bool tty = g->c->out->file && g->c->out->file->is_tty;
    bool only_stdin = g->npaths == 1 && strcmp(g->paths[0], "-") == 0;
    if (o->count_matches && o->invert) {
        o->count = true;
        o->count_matches = false;
    } else if (o->count && o->only_matching) {
        o->count = false;
        o->count_matches = true;
    }
    g->color = wants_color(g, tty);
    g->eol = o->null_data ? '\0' : '\n';
    g->summary = o->quiet || (!o->json && (o->count || o->count_matches || o->names || o->names_without));
    g->column = o->vimgrep || o->column;
    g->number = !g->summary && (o->json || (o->number >= 0 && ((tty && !only_stdin) || o->number > 0 || g->column ||
                                                               o->pretty || o->vimgrep)));
    if (o->number < 0)
        g->number = false;
    g->heading = o->heading >= 0 && !o->vimgrep && (tty || o->heading > 0 || o->pretty);
    g->spans_wanted =
        (g->color && *g->colors.match) || g->column || o->replacement || o->vimgrep || o->only_matching || o->stats;
    g->c->out->line_buffered = g->c->out->line_buffered || o->line_buffered;
}

/* ---- searching ---------------------------------------------------------------------------------------------------
 */

void wk_rg_print_path(struct wk_rg *g, const char *path)
{
    struct wk_rg_sink s = {.g = g};
    wk_rg_print_path_of(&s, path);
    wk_out_char(g->c->out, g->o->null_names ? '\0' : '\n');
}

static void add_stats(struct wk_rg *g, const struct wk_rg_sink *s)
{
    struct wk_rg_stats *t = &g->stats;
    if (g->o->json && !g->o->quiet && !s->prelude)
        return;
    t->searches++;
    t->with_match += s->matches > 0;
    t->bytes += s->bytes;
    t->lines += s->stats.lines;
    t->matches += s->stats.matches;
    t->printed += g->summary ? 0 : s->stats.printed;
    t->elapsed += wk_cmd_monotonic(g->c) - s->started;
}

static void search(struct wk_rg *g, struct wk_vdir *dir, const char *name, const char *path, bool given)
{
    const struct wk_rg_opts *o = g->o;
    struct wk_rg_sink s = {.g = g, .name = path, .binary_at = -1};
    g->searched = true;
    s.path = !g->names ? NULL : path ? path : "<stdin>";
    s.binary = o->text || o->null_data ? WK_RG_BINARY_NONE
               : given || o->binary    ? WK_RG_BINARY_CONVERT
                                       : WK_RG_BINARY_QUIT;
    if (g->summary)
        wk_rg_summary_init(&s);
    else if (o->json)
        wk_rg_json_init(&s);
    else
        wk_rg_print_init(&s);
    struct wk_rg_input *in = wk_rg_input_open(g, dir, name, path);
    if (!in)
        return;
    if (o->stats || o->json)
        s.started = wk_cmd_monotonic(g->c);
    wk_rg_scan(&s, in);
    wk_rg_input_close(in);
    if (o->stats || o->json)
        add_stats(g, &s);
}

void wk_rg_search_file(struct wk_rg *g, const char *path, bool given)
{
    search(g, NULL, path, path, given);
}

void wk_rg_search_found(struct wk_rg *g, struct wk_vdir *dir, const char *name, const char *path)
{
    search(g, dir, name, path, false);
}

static void print_stats(struct wk_rg *g)
{
    const struct wk_rg_stats *t = &g->stats;
    int64_t all = wk_cmd_monotonic(g->c) - g->started;
    wk_out_fmt(g->c->out,
               "\n%llu matches\n%llu matched lines\n%llu files contained matches\n%llu files searched\n"
               "%llu bytes printed\n%llu bytes searched\n%lld.%06lld seconds spent searching\n%lld.%06lld seconds\n",
               (unsigned long long)t->matches, (unsigned long long)t->lines, (unsigned long long)t->with_match,
               (unsigned long long)t->searches, (unsigned long long)t->printed, (unsigned long long)t->bytes,
               (long long)(t->elapsed / 1000000000), (long long)(t->elapsed / 1000 % 1000000),
               (long long)(all / 1000000000), (long long)(all / 1000 % 1000000));
}

static int search_all(struct wk_rg *g)
{
    struct wk_rg_patterns p = {.n = 0};
    const struct wk_rg_opts *o = g->o;
    int used = gather_patterns(g, &p);
    find_paths(g, used);
    look_at_paths(g);
    if (!p.n || o->max_count == 0)
        return 1;
    compile(g, &p);
    wk_rg_read_colors(g);
    decide(g);
    wk_rg_check_encoding(g);
    wk_rg_walk(g);
    if (g->default_path && !g->searched)
        wk_rg_complain(g, "No files were searched, which means ripgrep probably applied a filter you didn't expect.\n"
                          "Running with --debug will show why files are being skipped.");
    if (o->json && !o->quiet)
        wk_rg_json_end(g);
    else if (o->stats)
        print_stats(g);
    return g->matched && (o->quiet || !g->errored) ? 0 : g->errored ? 2 : 1;
}

static int list_files(struct wk_rg *g)
{
    find_paths(g, 0);
    look_at_paths(g);
    wk_rg_read_colors(g);
    decide(g);
    wk_rg_walk(g);
    return g->matched && (g->o->quiet || !g->errored) ? 0 : g->errored ? 2 : 1;
}

static int rg_main(struct wk_cmd *c)
{
    struct wk_rg g = {.c = c};
    g.started = wk_cmd_monotonic(c);
    wk_rg_read_options(&g);
    if (g.o->pcre2_version) {
        wk_out_c(c->out, "PCRE2 is available\nJIT is not available\n");
        return 0;
    }
    if (g.o->type_list) {
        wk_rg_list_types(&g);
        return 0;
    }
    return g.o->files ? list_files(&g) : search_all(&g);
}

WK_COMMAND(rg, .summary = "search files for a pattern, recursively", .std = "ripgrep 13.0.0",
           .usage = "rg [OPTIONS] PATTERN [PATH...]\nrg [OPTIONS] -e PATTERN... [PATH...]\n"
                    "rg [OPTIONS] -f PATTERNFILE... [PATH...]\nrg [OPTIONS] --files [PATH...]\n"
                    "rg [OPTIONS] --type-list",
           .opts = wk_rg_options, .opts_size = sizeof(struct wk_rg_opts), .usage_status = 2,
           .flags = WK_CMD_RAW_ARGS | WK_CMD_RAW_NAMES | WK_CMD_FILTER);
