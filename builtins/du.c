/* du.c - how much space files take
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: du.
 * Differs:  docs/divergences/du.md
 */
#include "base/map.h"
#include "base/num.h"
#include "builtins/choice.h"
#include "builtins/ftw.h"
#include "builtins/human.h"
#include "builtins/zone.h"
#include "text/pattern/pattern.h"

enum { TIME_NONE, TIME_MTIME, TIME_ATIME, TIME_CTIME };
enum { LINKS_NEVER, LINKS_OPERANDS, LINKS_ALWAYS };

struct du_opts {
    bool nul, all, apparent, total, inodes, count_links, separate, summarize, one_fs;
    bool sized, depth_given, limited;
    int links, time;
    int64_t depth;
    uint64_t threshold;
    bool at_most; /* the threshold was negative */
    const char *files_from, *time_style;
    struct wk_opt_list exclude, exclude_from;
    struct wk_block_size size;
};

#define DU struct du_opts

/* ---- options ----------------------------------------------------------------------------------- */

/* The argument of -B, -t and their long names is wrong. */
static WK_NORETURN void bad_size(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    uint64_t v;
    const char *digits = arg + (*arg == '-');
    int r = wk_parse_size(wk_str_c(digits), true, &v);
    const char *name = opt->long_name ? wk_strf(c, "--%s", opt->long_name) : wk_strf(c, "-%c", opt->short_name);
    if (r == -WK_ERANGE)
        wk_fail(c, 1, "%s argument '%s' too large", name, arg);
    bool suffix = r == -WK_EINVAL && *digits >= '0' && *digits <= '9';
    wk_fail(c, 1, "invalid %s%s argument '%s'", suffix ? "suffix in " : "", name, arg);
}

static int set_block(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    DU *o = (DU *)c->opts;
    wk_block_size_read(c, opt->long_name ? wk_strf(c, "--%s", opt->long_name) : wk_strf(c, "-%c", opt->short_name),
                       arg, 1, &o->size);
    o->sized = true;
    return 0;
}

static int set_unit(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    DU *o = (DU *)c->opts;
    (void)arg;
    o->sized = true;
    o->apparent = o->apparent || opt->value == 1;
    o->size = (struct wk_block_size){.unit = (uint64_t)opt->value};
    if (opt->value == 0 || opt->value == -1)
        o->size = (struct wk_block_size){.unit = 1, .base = opt->value ? 1000 : 1024};
    return 0;
}

static int set_depth(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    DU *o = (DU *)c->opts;
    (void)opt;
    if (wk_parse_i64(wk_str_c(arg), 10, &o->depth) != 0 || o->depth < 0)
        wk_usage(c, "invalid maximum depth %s", wk_quote_arg(c, arg));
    o->depth_given = true;
    return 0;
}

static int set_threshold(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    DU *o = (DU *)c->opts;
    const char *p = arg + (*arg == '-');
    if (wk_parse_size(wk_str_c(p), true, &o->threshold) != 0 || o->threshold > INT64_MAX)
        bad_size(c, opt, arg);
    if (*arg == '-' && o->threshold == 0)
        wk_fail(c, 1, "invalid --threshold argument '-0'");
    o->at_most = *arg == '-';
    o->limited = true;
    return 0;
}

static int set_time(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice times[] = {{"atime", TIME_ATIME}, {"access", TIME_ATIME}, {"use", TIME_ATIME},
                                             {"ctime", TIME_CTIME}, {"status", TIME_CTIME}, {NULL, 0}};
    (void)opt;
    ((DU *)c->opts)->time = arg ? wk_choice_read(c, "--time", arg, times) : TIME_MTIME;
    return 0;
}

static const struct wk_opt du_options[] = {
    WK_FLAG(DU, nul, '0', "null", "end each output line with NUL, not newline"),
    WK_FLAG(DU, all, 'a', "all", "write counts for all files, not just directories"),
    WK_FLAG(DU, apparent, 0, "apparent-size", "print apparent sizes rather than device usage"),
    WK_FUNC_OPT(set_block, 0, 'B', NULL, "SIZE", "scale sizes by SIZE before printing them"),
    WK_FUNC_OPT(set_block, 0, 0, "block-size", "SIZE", "the same"),
    WK_FUNC_OPT(set_unit, 1, 'b', "bytes", NULL, "equivalent to '--apparent-size --block-size=1'"),
    WK_FLAG(DU, total, 'c', "total", "produce a grand total"),
    WK_SET(DU, links, LINKS_ALWAYS, 'L', "dereference", "dereference all symbolic links"),
    WK_FUNC_OPT(set_depth, 0, 'd', "max-depth", "N", "print the total for what is N or fewer levels below"),
    WK_STR_OPT(DU, files_from, 0, "files0-from", "F", "take the NUL-terminated file names in F ('-': stdin)"),
    WK_SET(DU, links, LINKS_OPERANDS, 'H', NULL, "equivalent to --dereference-args (-D)"),
    WK_FUNC_OPT(set_unit, 0, 'h', "human-readable", NULL, "print sizes like 1K 234M 2G"),
    WK_FLAG(DU, inodes, 0, "inodes", "list inode usage information instead of block usage"),
    WK_FUNC_OPT(set_unit, 1024, 'k', NULL, NULL, "like --block-size=1K"),
    WK_SET(DU, links, LINKS_OPERANDS, 'D', "dereference-args", "dereference only symlinks that are listed"),
    WK_FLAG(DU, count_links, 'l', "count-links", "count sizes many times if hard linked"),
    WK_FUNC_OPT(set_unit, 1048576, 'm', NULL, NULL, "like --block-size=1M"),
    WK_SET(DU, links, LINKS_NEVER, 'P', "no-dereference", "don't follow any symbolic links (default)"),
    WK_FUNC_OPT(set_unit, -1, 0, "si", NULL, "like -h, but use powers of 1000"),
    WK_FLAG(DU, separate, 'S', "separate-dirs", "do not include size of subdirectories"),
    WK_FLAG(DU, summarize, 's', "summarize", "display only a total for each argument"),
    WK_FUNC_OPT(set_threshold, 0, 't', NULL, "SIZE", "leave out what is smaller (negative: larger)"),
    WK_FUNC_OPT(set_threshold, 0, 0, "threshold", "SIZE", "the same"),
    WK_FUNC_OPT(set_time, 0, 0, "time", "[WORD", "show the last modification below, or the time WORD"),
    WK_STR_OPT(DU, time_style, 0, "time-style", "STYLE", "full-iso, long-iso, iso, or +FORMAT as for date"),
    WK_LIST_OPT(DU, exclude, 0, "exclude", "PATTERN", "exclude files that match PATTERN"),
    WK_LIST_OPT(DU, exclude_from, 'X', "exclude-from", "FILE", "exclude files that match any pattern in FILE"),
    WK_FLAG(DU, one_fs, 'x', "one-file-system", "skip directories on different file systems"),
    WK_OPTS_END,
};

/* ---- counting ---------------------------------------------------------------------------------- */

struct sum {
    uint64_t size, inodes;
    int64_t time;
};

/* A directory that is being counted: itself with its files, and what is in directories below. */
struct level {
    struct sum own, below;
};

struct du {
    struct wk_cmd *c;
    const DU *o;
    struct wk_ftw *t;
    struct level *levels;
    size_t cap;
    struct sum grand;
    uint64_t root_dev;
    int64_t depth;
    const char *format; /* of times */
    const struct wk_tz *tz;
    struct wk_buf *text;
    struct wk_map seen;
    bool many; /* the same file can be met on several ways */
    struct wk_arena *arena;
    const struct wk_pattern **exclude;
    size_t exclude_n, exclude_cap;
};

static void add(struct sum *to, const struct sum *s)
{
    if (__builtin_add_overflow(to->size, s->size, &to->size))
        to->size = UINT64_MAX;
    to->inodes += s->inodes;
    to->time = WK_MAX(to->time, s->time);
}

static struct sum sum_of(const struct du *d, const struct wk_stat *st)
{
    const int64_t times[] = {INT64_MIN, st->mtim, st->atim, st->ctim};
    bool sized = WK_S_ISREG(st->mode) || WK_S_ISLNK(st->mode) || WK_S_ISDIR(st->mode);
    uint64_t size = d->o->apparent ? (sized ? st->size : 0) : st->blocks * 512;
    return (struct sum){.size = size, .inodes = 1, .time = times[d->o->time]};
}

static void print(struct du *d, const struct sum *s, const char *name)
{
    struct wk_out *out = d->c->out;
    char text[WK_HUMAN_MAX];
    struct wk_block_size count = {.unit = 1, .base = d->o->size.base};
    const char *suffix = d->o->size.suffix;
    if (*suffix && suffix[strlen(suffix) - 1] == 'B')
        memcpy(count.suffix, "B", 2);
    size_t n = wk_human_size(text, d->o->inodes ? s->inodes : s->size, d->o->inodes ? &count : &d->o->size);
    wk_out_put(out, text, n);
    wk_out_char(out, '\t');
    if (d->o->time) {
        wk_zone_text(d->c, d->text, d->tz, wk_str_c(d->format), s->time);
        wk_out_put(out, d->text->p, d->text->n);
        wk_out_char(out, '\t');
    }
    wk_out_c(out, name);
    wk_out_char(out, d->o->nul ? '\0' : '\n');
}

static void tell(struct du *d, const struct sum *s)
{
    uint64_t v = d->o->inodes ? s->inodes : s->size;
    if (!d->o->limited || (d->o->at_most ? v <= d->o->threshold : v >= d->o->threshold))
        print(d, s, d->t->path);
}

static void finish_dir(struct du *d, size_t level)
{
    struct level *l = &d->levels[level];
    struct sum all = l->own;
    add(&all, &l->below);
    if ((int64_t)level <= d->depth)
        tell(d, d->o->separate ? &l->own : &all);
    if (level)
        add(&d->levels[level - 1].below, &all);
}

/* ---- what is left out -------------------------------------------------------------------------- */

static int count_steps(void *ctx, size_t steps)
{
    wk_tick((struct wk_cmd *)ctx, (uint32_t)(steps & 0xffffff));
    return 0;
}

/* A pattern is for the whole name or for what stands behind one of its slashes. */
static bool excluded(struct du *d)
{
    struct wk_pattern_run run = {.mem = wk_heap_mem(d->c->heap), .step = count_steps, .ctx = d->c};
    for (size_t i = 0; i < d->exclude_n; i++)
        for (const char *p = d->t->path; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
            if (*p && *p != '/' && wk_pattern_match(d->exclude[i], &run, wk_str_c(p)) == 1)
                return true;
    return false;
}

/* Whether an inode that may have several names comes for the first time. */
static bool is_first(struct du *d, const struct wk_stat *st)
{
    const uint64_t id[3] = {st->dev, st->ino, st->birth};
    bool made;
    if (d->o->count_links || (!d->many && (WK_S_ISDIR(st->mode) || st->nlink < 2)))
        return true;
    if (!wk_map_put(&d->seen, wk_str((const char *)id, sizeof id), &made))
        wk_heap_exhausted(d->c->heap);
    return made;
}

/* A directory that is being walked already (a link leads back to it). */
static bool is_cycle(const struct du *d, const struct wk_stat *st)
{
    for (size_t i = 0; d->o->links == LINKS_ALWAYS && i < d->t->depth; i++)
        if (d->t->levels[i].dev == st->dev && d->t->levels[i].ino == st->ino)
            return true;
    return false;
}

/* ---- the walk ---------------------------------------------------------------------------------- */

static void enter(struct du *d, const struct wk_stat *st, const struct sum *own)
{
    size_t level = d->t->depth;
    if (level >= d->cap) {
        d->cap = d->cap ? d->cap * 2 : 32;
        d->levels = (struct level *)wk_heap_realloc(d->c->heap, d->levels, d->cap * sizeof *d->levels);
    }
    d->levels[level] = (struct level){.own = *own, .below = {.time = INT64_MIN}};
    int err = wk_ftw_enter(d->t, st);
    if (!err)
        return;
    wk_msg(d->c, "cannot read directory %s: %s", wk_quote(d->c, d->t->path), wk_err_text(err));
    finish_dir(d, level);
}

static void visit(struct du *d)
{
    struct wk_cmd *c = d->c;
    struct wk_ftw *t = d->t;
    struct wk_stat st;
    size_t level = t->depth;
    bool follow = d->o->links == LINKS_ALWAYS || (d->o->links == LINKS_OPERANDS && !level);
    if (excluded(d))
        return;
    int err = wk_at_stat(c, wk_ftw_dir(t), wk_ftw_name(t), follow, &st);
    if (err) {
        bool dangling = follow && err == WK_ENOENT && wk_at_stat(c, wk_ftw_dir(t), wk_ftw_name(t), false, &st) == 0;
        wk_msg(c, "cannot access %s%s%s", wk_quote(c, t->path), dangling ? "" : ": ", dangling ? "" : wk_err_text(err));
        return;
    }
    if (!level)
        d->root_dev = st.dev;
    bool dir = WK_S_ISDIR(st.mode);
    if ((d->o->one_fs && st.dev != d->root_dev) || (dir && is_cycle(d, &st)) || !is_first(d, &st))
        return;
    struct sum own = sum_of(d, &st);
    add(&d->grand, &own);
    if (dir) {
        enter(d, &st, &own);
        return;
    }
    if (level)
        add(&d->levels[level - 1].own, &own);
    if (!level || (d->o->all && (int64_t)level <= d->depth))
        tell(d, &own);
}

static void walk(struct du *d, const char *operand)
{
    char *name = wk_dup(d->c, operand);
    size_t n = strlen(name);
    while (n > 1 && name[n - 1] == '/' && name[n - 2] == '/')
        name[--n] = '\0';
    wk_ftw_start(d->t, name);
    wk_heap_free(d->c->heap, name);
    visit(d);
    while (d->t->depth) {
        struct wk_dirent e;
        int err;
        if (wk_ftw_next(d->t, &e, &err)) {
            visit(d);
            continue;
        }
        if (err)
            wk_msg(d->c, "cannot read directory %s: %s", wk_quote(d->c, d->t->path), wk_err_text(err));
        wk_ftw_leave(d->t);
        finish_dir(d, d->t->depth);
    }
}

/* ---- setting up -------------------------------------------------------------------------------- */

static void release_arena(void *a)
{
    wk_arena_release((struct wk_arena *)a);
}

static void release_map(void *m)
{
    wk_map_release((struct wk_map *)m);
}

static void add_exclude(struct du *d, struct wk_str text)
{
    if (d->exclude_n == d->exclude_cap) {
        d->exclude_cap = d->exclude_cap * 2 + 8;
        d->exclude = (const struct wk_pattern **)wk_heap_realloc(d->c->heap, d->exclude,
                                                                 d->exclude_cap * sizeof *d->exclude);
    }
    if (wk_pattern_compile(d->arena, text, wk_cmd_utf8(d->c) ? 0 : WK_PATTERN_BYTES, &d->exclude[d->exclude_n]))
        wk_heap_exhausted(d->c->heap);
    d->exclude_n++;
}

static void read_excludes(struct du *d)
{
    const DU *o = d->o;
    struct wk_str line;
    d->arena = wk_new(d->c, struct wk_arena);
    wk_arena_init(d->arena, wk_heap_mem(d->c->heap));
    wk_heap_own(d->c->heap, d->arena, release_arena);
    for (size_t i = 0; i < o->exclude.n; i++)
        add_exclude(d, wk_str_c(o->exclude.v[i]));
    for (size_t i = 0; i < o->exclude_from.n; i++) {
        struct wk_in *in = wk_in_open(d->c, o->exclude_from.v[i], true);
        if (!in)
            wk_try_help(d->c);
        while (wk_line_next(in, '\n', &line)) {
            while (line.n && wk_is_space(line.p[line.n - 1]))
                line.n--;
            if (line.n)
                add_exclude(d, wk_str(wk_dupn(d->c, line.p, line.n), line.n));
        }
        if (in != d->c->in)
            wk_in_close(in);
    }
}

static const char *time_format(struct wk_cmd *c, const char *style)
{
    static const struct wk_choice styles[] = {{"full-iso", 0}, {"long-iso", 1}, {"iso", 2}, {NULL, 0}};
    static const char *const formats[] = {"%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M", "%Y-%m-%d"};
    if (!style) {
        style = wk_cmd_env(c, "TIME_STYLE");
        if (!style || strcmp(style, "locale") == 0)
            return formats[1];
        while (strncmp(style, "posix-", 6) == 0)
            style += 6;
        if (*style == '+')
            style = wk_dupn(c, style, strcspn(style, "\n"));
    }
    return *style == '+' ? style + 1 : formats[wk_choice_read(c, "time style", style, styles)];
}

static void read_block_size(struct wk_cmd *c, DU *o)
{
    static const char *const names[] = {"DU_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"};
    if (o->sized)
        return;
    o->size = (struct wk_block_size){.unit = wk_cmd_env(c, "POSIXLY_CORRECT") ? 512 : 1024};
    struct wk_block_size by_env;
    for (size_t i = 0; i < WK_COUNTOF(names); i++) {
        const char *text = wk_cmd_env(c, names[i]);
        if (!text)
            continue;
        if (wk_block_size_parse(text, &by_env))
            o->size = by_env;
        return;
    }
}

static void warn(struct wk_cmd *c, const char *text)
{
    wk_out_fmt(c->err, "%s: warning: %s\n", c->name, text);
}

static void check_options(struct wk_cmd *c, DU *o)
{
    if (o->all && o->summarize)
        wk_usage(c, "cannot both summarize and show all entries");
    if (o->summarize && o->depth_given && o->depth == 0)
        warn(c, "summarizing is the same as using --max-depth=0");
    if (o->summarize && o->depth_given && o->depth != 0)
        wk_usage(c, "warning: summarizing conflicts with --max-depth=%lld", (long long)o->depth);
    if (o->inodes && o->apparent)
        warn(c, "options --apparent-size and -b are ineffective with --inodes");
    if (o->files_from && c->nargs) {
        wk_msg(c, "extra operand %s", wk_quote_arg(c, c->args[0]));
        wk_out_c(c->err, "file operands cannot be combined with --files0-from\n");
        wk_try_help(c);
    }
    read_block_size(c, o);
}

static void walk_listed(struct du *d)
{
    struct wk_cmd *c = d->c;
    const char *from = d->o->files_from;
    bool stdin_names = strcmp(from, "-") == 0;
    struct wk_in *in;
    int err = wk_raw_open(c, from, true, &in);
    if (err)
        wk_fail(c, 1, "cannot open %s for reading: %s", wk_quote(c, from), wk_err_text(err));
    struct wk_str line;
    for (uint64_t number = 1; wk_line_next(in, '\0', &line); number++) {
        char *name = wk_dupn(c, line.p, line.n);
        if (!*name)
            wk_msg(c, "%s:%llu: invalid zero-length file name", wk_quote_maybe(c, from), (unsigned long long)number);
        else if (stdin_names && strcmp(name, "-") == 0)
            wk_msg(c, "when reading file names from stdin, no file name of '-' allowed");
        else
            walk(d, name);
        wk_heap_free(c->heap, name);
    }
}

static int du_main(struct wk_cmd *c)
{
    DU *o = (DU *)c->opts;
    struct du *d = wk_new(c, struct du);
    d->c = c;
    d->o = o;
    if (o->exclude.n || o->exclude_from.n)
        read_excludes(d);
    check_options(c, o);
    d->t = wk_ftw_new(c);
    d->many = c->nargs > 1 || o->files_from || o->links == LINKS_ALWAYS;
    d->depth = o->summarize ? 0 : o->depth_given ? o->depth : INT64_MAX;
    d->grand.time = INT64_MIN;
    wk_map_init(&d->seen, wk_heap_mem(c->heap), wk_kern_random(c->k), false);
    wk_heap_own(c->heap, &d->seen, release_map);
    if (o->time) {
        d->format = time_format(c, o->time_style);
        d->tz = wk_zone_of(c);
        d->text = wk_cmd_buf(c, SIZE_MAX);
    }
    if (o->files_from)
        walk_listed(d);
    else if (!c->nargs)
        walk(d, ".");
    for (int i = 0; i < c->nargs; i++) {
        if (*c->args[i])
            walk(d, c->args[i]);
        else
            wk_msg(c, "invalid zero-length file name");
    }
    if (!d->grand.inodes)
        d->grand.time = 0;
    if (o->total)
        print(d, &d->grand, "total");
    return c->status;
}

WK_COMMAND(du, .summary = "summarize device usage of the set of FILEs, recursively for directories",
           .usage = "du [OPTION]... [FILE]...\ndu [OPTION]... --files0-from=F", .std = "coreutils 9.1",
           .opts = du_options, .opts_size = sizeof(DU),
           .help = "Sizes are in units of --block-size, DU_BLOCK_SIZE, BLOCK_SIZE or BLOCKSIZE, else of 1024 bytes\n"
                   "(512 with POSIXLY_CORRECT).\n");
