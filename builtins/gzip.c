/* gzip.c - compress and expand files in the gzip format: gzip, gunzip, uncompress, zcat
 *
 * Standard: gzip 1.12. Oracle: gzip.
 * Differs:  docs/divergences/gzip.md
 */
#include "base/num.h"
#include "builtins/ftw.h"
#include "builtins/gzip_stream.h"
#include "builtins/zone.h"
#include "kern/file.h"

enum { FAILED = 1, WARNED = 2, SUFFIX_MAX = 30 };

struct gzip_opts {
    bool to_stdout, expand, force, keep, list, no_name, name, quiet, recursive, rsyncable, synchronous, test, verbose;
    const char *suffix;
    int level;
};

#define GZIP struct gzip_opts

static int set_license(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    (void)arg;
    wk_out_fmt(c->out, "%s (whelk): part of whelk, under its license; the compression is zlib's.\n", c->name);
    wk_exit(c, 0);
}

/* -b, the bits of compress: read and of no effect, as in gzip. */
static int set_bits(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (!wk_is_digit(*arg))
        wk_usage(c, "-b operand is not an integer");
    return 0;
}

static const struct wk_opt gzip_options[] = {
    WK_FLAG(GZIP, to_stdout, 'c', "stdout", "write on standard output, keep original files unchanged"),
    WK_FLAG(GZIP, to_stdout, 0, "to-stdout", "the same"),
    WK_FLAG(GZIP, expand, 'd', "decompress", "expand"),
    WK_FLAG(GZIP, expand, 0, "uncompress", "the same"),
    WK_FLAG(GZIP, force, 'f', "force", "overwrite existing files, compress links; with -c, pass other files through"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "the same as --help"),
    WK_FLAG(GZIP, keep, 'k', "keep", "keep (do not delete) input files"),
    WK_FLAG(GZIP, list, 'l', "list", "list the contents of compressed files"),
    WK_FUNC_OPT(set_license, 0, 'L', "license", NULL, "display the license"),
    WK_FLAG(GZIP, no_name, 'n', "no-name", "do not save or restore the original name and timestamp"),
    WK_FLAG(GZIP, name, 'N', "name", "save or restore the original name and timestamp"),
    WK_FLAG(GZIP, quiet, 'q', "quiet", "suppress all warnings"),
    WK_FLAG(GZIP, quiet, 0, "silent", "the same"),
    WK_FLAG(GZIP, recursive, 'r', "recursive", "operate recursively on directories"),
    WK_FLAG(GZIP, rsyncable, 0, "rsyncable", "make an archive that suits rsync (no difference here)"),
    WK_STR_OPT(GZIP, suffix, 'S', "suffix", "SUF", "use suffix SUF on compressed files"),
    WK_FLAG(GZIP, synchronous, 0, "synchronous", "write the output through before the input is removed"),
    WK_FLAG(GZIP, test, 't', "test", "test the integrity of compressed files"),
    WK_FLAG(GZIP, verbose, 'v', "verbose", "verbose mode"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_SET(GZIP, level, 1, '1', "fast", "compress faster"),
    WK_SET(GZIP, level, 2, '2', NULL, NULL),
    WK_SET(GZIP, level, 3, '3', NULL, NULL),
    WK_SET(GZIP, level, 4, '4', NULL, NULL),
    WK_SET(GZIP, level, 5, '5', NULL, NULL),
    WK_SET(GZIP, level, 6, '6', NULL, NULL),
    WK_SET(GZIP, level, 7, '7', NULL, NULL),
    WK_SET(GZIP, level, 8, '8', NULL, NULL),
    WK_SET(GZIP, level, 9, '9', "best", "compress better"),
    WK_FUNC_OPT(set_bits, 0, 'b', "bits", "BITS", "ignored"),
    WK_OPTS_END,
};

struct gzip {
    struct wk_cmd *c;
    const GZIP *o;
    const char *suffix;
    bool expand, to_stdout, keep_names; /* keep_names: save or restore names and times */
    uint64_t total_in, total_out, last_head;
    bool headed;
};

/* One file at work. */
struct one {
    const char *in, *out; /* out: "stdout", or a name in the heap */
    struct wk_stat st;
    bool is_stdin, saw_times;
};

/* ---- messages ---------------------------------------------------------------------------------- */

static void fail(struct gzip *g, const char *name, const char *text)
{
    if (!g->o->list)
        (void)wk_out_flush(g->c->out);
    wk_out_fmt(g->c->err, "%s: %s%s\n", g->c->name, name, text);
    g->c->status = FAILED;
}

static void warn(struct gzip *g, const char *name, const char *text)
{
    (void)wk_out_flush(g->c->out);
    if (!g->o->quiet)
        wk_out_fmt(g->c->err, "%s: %s%s\n", g->c->name, name, text);
    if (g->c->status == 0)
        g->c->status = WARNED;
}

/* What stopped a file being read. The process goes on with the next file, or ends. */
static void tell_end(struct gzip *g, const struct one *f, struct wk_gunzip *z)
{
    const char *text = wk_gunzip_says(z);
    if (z->end == WK_GUNZIP_GARBAGE) {
        if (!g->o->quiet) {
            (void)wk_out_flush(g->c->out);
            wk_out_char(g->c->err, '\n');
        }
        warn(g, f->in, text);
        return;
    }
    bool whole_line = z->end >= WK_GUNZIP_CRYPT && z->end <= WK_GUNZIP_HEAD_CRC;
    if (!whole_line) {
        (void)wk_out_flush(g->c->out);
        wk_out_char(g->c->err, '\n');
    }
    fail(g, f->in, text);
    if (z->end == WK_GUNZIP_CRC && z->wrong_size) {
        wk_out_char(g->c->err, '\n');
        fail(g, f->in, ": invalid compressed data--length error");
    }
    bool goes_on = z->end == WK_GUNZIP_FORMAT || whole_line ||
                   (g->o->test && (z->end == WK_GUNZIP_CRC || z->end == WK_GUNZIP_LENGTH));
    if (!goes_on) {
        if (!g->to_stdout && f->out)
            (void)wk_at_unlink(g->c, NULL, f->out);
        wk_exit(g->c, FAILED);
    }
}

static void write_failed(struct gzip *g, const struct one *f, int err)
{
    wk_out_char(g->c->err, '\n');
    fail(g, f->out, wk_strf(g->c, ": %s", wk_err_text(err)));
    if (!g->to_stdout)
        (void)wk_at_unlink(g->c, NULL, f->out);
    else
        g->c->out->n = 0, g->c->out->err = 0; /* nothing more is tried, or said */
    wk_exit(g->c, FAILED);
}

/* What was saved, in per cent, six columns wide. */
static const char *ratio_text(struct gzip *g, uint64_t all, uint64_t packed, uint64_t head)
{
    double ratio = all ? 100.0 * ((double)all - ((double)packed - (double)head)) / (double)all : 0;
    int64_t tenths = (int64_t)(ratio * 10 + (ratio < 0 ? -0.5 : 0.5));
    uint64_t size = (uint64_t)(tenths < 0 ? -tenths : tenths);
    const char *text = wk_strf(g->c, "%s%llu.%llu%%", tenths < 0 ? "-" : "", (unsigned long long)(size / 10),
                               (unsigned long long)(size % 10));
    return wk_strf(g->c, "%6s", text);
}

static void tell_ratio(struct gzip *g, const struct one *f, uint64_t all, uint64_t packed, uint64_t head)
{
    if (!g->o->verbose || (f->is_stdin && g->expand))
        return;
    wk_out_c(g->c->err, ratio_text(g, all, packed, head));
    if (!f->is_stdin)
        wk_out_fmt(g->c->err, " -- %s %s", g->o->keep ? "created" : "replaced with", f->out);
    wk_out_char(g->c->err, '\n');
}

/* ---- names ------------------------------------------------------------------------------------- */

static bool same_folded(const char *p, const char *word)
{
    while (*word && wk_to_lower(*p) == *word)
        p++, word++;
    return !*word;
}

/* Length of the suffix of a compressed file, 0 without one; tars: .tgz or .taz. */
static size_t suffix_of(const struct gzip *g, const char *name, bool *tars)
{
    static const char *const known[] = {".gz", ".z", ".taz", ".tgz", "-gz", "-z", "_z"};
    size_t n = strlen(name), own = strlen(g->suffix);
    *tars = false;
    if (n > own && memcmp(name + n - own, g->suffix, own) == 0 && name[n - own - 1] != '/')
        return own;
    for (size_t i = 0; i < WK_COUNTOF(known); i++) {
        size_t k = strlen(known[i]);
        if (n > k && name[n - k - 1] != '/' && same_folded(name + n - k, known[i])) {
            *tars = k == 4;
            return k;
        }
    }
    return 0;
}

/* The name that f's contents go to; NULL after saying that there is none. */
static const char *output_name(struct gzip *g, const struct one *f, bool below)
{
    bool tars, loud = g->o->verbose || (!below && !g->o->quiet);
    size_t n = strlen(f->in), k = suffix_of(g, f->in, &tars);
    if (!g->expand) {
        if (!k || g->o->force)
            return wk_strf(g->c, "%s%s", f->in, g->suffix);
        if (loud) {
            (void)wk_out_flush(g->c->out);
            wk_out_fmt(g->c->err, "%s: %s already has %.*s suffix -- unchanged\n", g->c->name, f->in, (int)k,
                       f->in + n - k);
        }
        return NULL;
    }
    if (k)
        return wk_strf(g->c, "%.*s%s", (int)WK_MIN(n - k, (size_t)INT32_MAX), f->in, tars ? ".tar" : "");
    if (loud)
        warn(g, f->in, ": unknown suffix -- ignored");
    return NULL;
}

/* With -N a file gets the name back that it had, in the directory where it is. */
static const char *saved_name(struct gzip *g, const struct one *f, const struct wk_gunzip *z)
{
    const char *base = strrchr(z->name, '/'), *slash = strrchr(f->in, '/');
    base = base ? base + 1 : z->name;
    if (!*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
        return f->out;
    return wk_strf(g->c, "%.*s%s", slash ? (int)(slash + 1 - f->in) : 0, f->in, base);
}

/* ---- the file that is written ------------------------------------------------------------------- */

/* Opens f->out anew; NULL after saying why not. */
static struct wk_out *create(struct gzip *g, struct one *f)
{
    struct wk_file *file;
    for (;;) {
        int err = wk_cmd_open(g->c, f->out, WK_O_WRONLY | WK_O_CREAT | WK_O_EXCL, 0600, &file);
        if (err == 0)
            return wk_out_of(g->c, file);
        if (err != WK_EEXIST) {
            fail(g, f->out, wk_strf(g->c, ": %s", wk_err_text(err)));
            return NULL;
        }
        bool replace = g->o->force;
        if (!replace) {
            (void)wk_out_flush(g->c->out);
            wk_out_fmt(g->c->err, "%s: %s already exists;", g->c->name, f->out);
            if (g->c->in->file && g->c->in->file->is_tty) {
                wk_out_c(g->c->err, " do you wish to overwrite (y or n)? ");
                replace = wk_ask(g->c);
            }
        }
        if (!replace) {
            wk_out_c(g->c->err, "\tnot overwritten\n");
            if (g->c->status == 0)
                g->c->status = WARNED;
            return NULL;
        }
        err = wk_at_unlink(g->c, NULL, f->out);
        if (err) {
            fail(g, f->out, wk_strf(g->c, ": %s", wk_err_text(err)));
            return NULL;
        }
    }
}

/* The attributes of the input for the output, which is complete; the input goes unless it is kept. */
static void settle(struct gzip *g, struct one *f, struct wk_out *out, int64_t mtim)
{
    struct wk_cmd *c = g->c;
    int err = wk_out_close(out);
    if (err)
        write_failed(g, f, err);
    if (f->is_stdin)
        return;
    (void)wk_at_utimens(c, NULL, f->out, false, f->st.atim, mtim);
    (void)wk_at_chown(c, NULL, f->out, false, f->st.uid, f->st.gid);
    err = wk_at_chmod(c, NULL, f->out, false, f->st.mode & 0777);
    if (err)
        warn(g, f->out, wk_strf(c, ": %s", wk_err_text(err)));
    if (!g->o->keep) {
        err = wk_at_unlink(c, NULL, f->in);
        if (err)
            warn(g, f->in, wk_strf(c, ": %s", wk_err_text(err)));
    }
}

/* ---- one stream -------------------------------------------------------------------------------- */

static void tell_name(struct gzip *g, const struct one *f)
{
    if (!g->o->verbose || g->o->list || f->is_stdin)
        return;
    (void)wk_out_flush(g->c->out);
    wk_out_fmt(g->c->err, "%s:\t", f->in);
    (void)wk_out_flush(g->c->err);
}

static void check_output(struct gzip *g, const struct one *f, struct wk_out *out)
{
    if (out->err)
        write_failed(g, f, out->err);
}

static void compress_stream(struct gzip *g, struct one *f, struct wk_in *in)
{
    const char *base = strrchr(f->in, '/');
    bool named = g->keep_names && !f->is_stdin;
    uint32_t mtime = 0;
    if (g->keep_names && WK_S_ISREG(f->st.mode) && f->st.mtim > 0 && f->st.mtim / 1000000000 <= UINT32_MAX)
        mtime = (uint32_t)(f->st.mtim / 1000000000);
    struct wk_out *out = g->to_stdout ? g->c->out : create(g, f);
    if (!out)
        return;
    tell_name(g, f);
    struct wk_gzip *z = wk_gzip_new(g->c, out, g->o->level ? g->o->level : 6,
                                    !named ? NULL : base ? base + 1 : f->in, mtime);
    const char *p;
    size_t n;
    while (wk_in_chunk(in, &p, &n)) {
        wk_gzip_put(z, wk_str(p, n));
        check_output(g, f, out);
    }
    if (in->err) {
        wk_out_char(g->c->err, '\n');
        fail(g, f->in, wk_strf(g->c, ": %s", wk_err_text(in->err)));
        if (!g->to_stdout)
            (void)wk_at_unlink(g->c, NULL, f->out);
        wk_exit(g->c, FAILED);
    }
    wk_gzip_finish(z);
    if (!g->to_stdout)
        settle(g, f, out, f->st.mtim);
    else if (wk_out_flush(out))
        write_failed(g, f, out->err);
    tell_ratio(g, f, z->bytes_in, z->bytes_out, z->head_bytes);
    wk_gzip_free(z);
}

/* -c -f and zcat -f pass on what is not compressed. */
static void pass_through(struct gzip *g, struct one *f, struct wk_gunzip *z)
{
    struct wk_str piece;
    while (wk_gunzip_rest(z, &piece)) {
        wk_out_str(g->c->out, piece);
        check_output(g, f, g->c->out);
    }
    if (z->in->err) {
        z->end = WK_GUNZIP_ERROR;
        tell_end(g, f, z);
    }
}

static void list_header(struct gzip *g)
{
    if (!g->headed && !g->o->quiet)
        wk_out_fmt(g->c->out, "%s%19s %19s  ratio uncompressed_name\n",
                   g->o->verbose ? "method  crc     date  time  " : "", "compressed", "uncompressed");
    g->headed = true;
}

static void list_row(struct gzip *g, const struct one *f, const struct wk_gunzip *z)
{
    struct wk_cmd *c = g->c;
    list_header(g);
    if (g->o->verbose) {
        struct wk_buf b;
        wk_buf_init(&b, wk_heap_mem(c->heap), 64);
        wk_zone_text(c, &b, wk_zone_of(c), wk_str_c("%b %e %H:%M"), f->st.mtim);
        wk_out_fmt(c->out, "defla %08x %s ", (unsigned)z->crc, wk_keep(c, &b));
    }
    bool tars;
    size_t k = suffix_of(g, f->in, &tars);
    const char *name = wk_strf(c, "%.*s%s", (int)(strlen(f->in) - k), f->in, tars ? ".tar" : "");
    if (f->is_stdin)
        name = "stdout";
    else if (g->keep_names && z->name)
        name = z->name;
    wk_out_fmt(c->out, "%19llu %19llu %s %s\n", (unsigned long long)z->bytes_in, (unsigned long long)z->bytes_out,
               ratio_text(g, z->bytes_out, z->bytes_in, z->head_bytes), name);
    g->total_in += z->bytes_in;
    g->total_out += z->bytes_out;
    g->last_head = z->head_bytes;
}

static void list_totals(struct gzip *g)
{
    if (g->c->nargs < 2 || !g->o->list || g->o->quiet)
        return;
    wk_out_fmt(g->c->out, "%s%19llu %19llu %s (totals)\n", g->o->verbose ? "                            " : "",
               (unsigned long long)g->total_in, (unsigned long long)g->total_out,
               ratio_text(g, g->total_out, g->total_in, g->last_head));
}

/* Reads all of z into `out` (NULL: nowhere). */
static void expand_into(struct gzip *g, struct one *f, struct wk_gunzip *z, struct wk_out *out)
{
    struct wk_str piece;
    while (wk_gunzip_next(z, &piece) == WK_GUNZIP_MORE)
        if (out) {
            wk_out_str(out, piece);
            check_output(g, f, out);
        }
}

static void expand_stream(struct gzip *g, struct one *f, struct wk_in *in)
{
    struct wk_gunzip *z = wk_gunzip_new(g->c, in);
    bool nowhere = g->o->test || g->o->list;
    enum wk_gunzip_end end = wk_gunzip_start(z);
    if (end == WK_GUNZIP_FORMAT && g->to_stdout && g->o->force && !g->o->list) {
        pass_through(g, f, z);
        wk_gunzip_free(z);
        return;
    }
    if (z->extra && g->o->verbose)
        wk_out_fmt(g->c->err, "%s: %s: extra field of %u bytes ignored\n", g->c->name, f->in, (unsigned)z->extra);
    struct wk_out *out = nowhere ? NULL : g->c->out;
    if (end == WK_GUNZIP_MORE && !nowhere && !g->to_stdout) {
        if (g->keep_names && z->name)
            f->out = saved_name(g, f, z);
        out = create(g, f);
        if (!out) {
            wk_gunzip_free(z);
            return;
        }
    }
    tell_name(g, f);
    expand_into(g, f, z, out);
    if (z->end != WK_GUNZIP_DONE)
        tell_end(g, f, z);
    bool whole = z->end == WK_GUNZIP_DONE || z->end == WK_GUNZIP_GARBAGE;
    if (whole && g->o->list)
        list_row(g, f, z);
    else if (whole && !nowhere && !g->to_stdout)
        settle(g, f, out, g->keep_names && z->mtime ? (int64_t)z->mtime * 1000000000 : f->st.mtim);
    else if (out && wk_out_flush(out))
        write_failed(g, f, out->err);
    if (whole && g->o->test && g->o->verbose && !g->o->list)
        wk_out_c(g->c->err, " OK\n");
    else if (whole && !nowhere)
        tell_ratio(g, f, z->bytes_out, z->bytes_in, z->head_bytes);
    wk_gunzip_free(z);
}

/* ---- files ------------------------------------------------------------------------------------- */

static void refuse_terminal(struct gzip *g, const char *what, const char *todo)
{
    wk_out_fmt(g->c->err, "%s: compressed data not %s a terminal. Use -f to force %scompression.\n", g->c->name, what,
               todo);
    wk_out_fmt(g->c->err, "For help, type: %s -h\n", g->c->name);
    wk_exit(g->c, FAILED);
}

static void do_stdin(struct gzip *g)
{
    struct one f = {.in = "stdin", .out = "stdout", .is_stdin = true};
    struct wk_cmd *c = g->c;
    struct wk_file *file = c->in->file;
    if (!g->o->force && !g->o->list && (g->expand ? file : c->out->file) && (g->expand ? file : c->out->file)->is_tty)
        refuse_terminal(g, g->expand ? "read from" : "written to", g->expand ? "de" : "");
    if (file)
        (void)wk_file_stat(file, &f.st);
    bool was = g->to_stdout;
    g->to_stdout = true;
    c->in->quiet = true;
    if (g->expand)
        expand_stream(g, &f, c->in);
    else
        compress_stream(g, &f, c->in);
    g->to_stdout = was;
}

/* Looks at the file, and when it is to be expanded also at the name with a suffix. 0 or a positive code. */
static int find_input(struct gzip *g, struct one *f)
{
    static const char *const more[] = {".gz", ".z", "-z", ".Z"};
    bool tars;
    int err = wk_at_stat(g->c, NULL, f->in, true, &f->st);
    if (err != WK_ENOENT || !g->expand || suffix_of(g, f->in, &tars))
        return err;
    for (size_t i = 0; i <= WK_COUNTOF(more); i++) {
        const char *name = wk_strf(g->c, "%s%s", f->in, i ? more[i - 1] : g->suffix);
        if (wk_at_stat(g->c, NULL, name, true, &f->st) == 0) {
            f->in = name;
            return 0;
        }
    }
    f->in = wk_strf(g->c, "%s%s", f->in, g->suffix);
    return err;
}

/* Whether what a name stands for may be replaced; says why not. */
static bool may_replace(struct gzip *g, const struct one *f)
{
    uint64_t others = f->st.nlink - 1;
    if (f->st.mode & WK_S_ISUID)
        warn(g, f->in, " is set-user-ID on execution - ignored");
    else if (f->st.mode & WK_S_ISGID)
        warn(g, f->in, " is set-group-ID on execution - ignored");
    else if (f->st.mode & WK_S_ISVTX)
        warn(g, f->in, " has the sticky bit set - file ignored");
    else if (f->st.nlink > 1)
        warn(g, f->in, wk_strf(g->c, " has %llu other link%s -- file ignored", (unsigned long long)others,
                               others == 1 ? "" : "s"));
    else
        return true;
    return false;
}

/* A file that is no directory; below: found by -r. */
static void do_file(struct gzip *g, struct one *f, bool below)
{
    bool nowhere = g->o->test || g->o->list;
    struct wk_file *file;
    if (!WK_S_ISREG(f->st.mode) && !g->to_stdout) {
        warn(g, f->in, " is not a directory or a regular file - ignored");
        return;
    }
    if (!g->to_stdout && !nowhere && !g->o->force && !may_replace(g, f))
        return;
    f->out = "stdout";
    if ((!nowhere && !g->to_stdout) || (g->expand && below)) {
        const char *out = output_name(g, f, below);
        if (!out)
            return;
        f->out = nowhere || g->to_stdout ? f->out : out;
    }
    int flags = WK_O_RDONLY | WK_O_NONBLOCK | (g->to_stdout || g->o->force || nowhere ? 0 : WK_O_NOFOLLOW);
    int err = wk_cmd_open(g->c, f->in, flags, 0, &file);
    if (err) {
        fail(g, f->in, wk_strf(g->c, ": %s", wk_err_text(err)));
        return;
    }
    if (!g->expand && g->to_stdout && !g->o->force && g->c->out->file && g->c->out->file->is_tty)
        refuse_terminal(g, "written to", "");
    struct wk_in *in = wk_in_of(g->c, file, f->in);
    in->quiet = true;
    if (g->expand)
        expand_stream(g, f, in);
    else
        compress_stream(g, f, in);
    wk_in_close(in);
}

/* -r: every file below. */
static void do_tree(struct gzip *g, const char *dir, const struct wk_stat *st)
{
    struct wk_ftw *t = wk_ftw_new(g->c);
    struct wk_dirent e;
    wk_ftw_start(t, dir);
    int err = wk_ftw_enter(t, st);
    if (err)
        fail(g, dir, wk_strf(g->c, ": %s", wk_err_text(err)));
    while (t->depth) {
        struct one f = {0};
        if (!wk_ftw_next(t, &e, &err)) {
            if (err)
                fail(g, t->path, wk_strf(g->c, ": %s", wk_err_text(err)));
            wk_ftw_leave(t);
            continue;
        }
        err = wk_at_stat(g->c, wk_ftw_dir(t), wk_ftw_name(t), false, &f.st);
        f.in = wk_dup(g->c, t->path);
        if (err)
            fail(g, f.in, wk_strf(g->c, ": %s", wk_err_text(err)));
        else if (!WK_S_ISDIR(f.st.mode))
            do_file(g, &f, true);
        else if ((err = wk_ftw_enter(t, &f.st)) != 0)
            fail(g, f.in, wk_strf(g->c, ": %s", wk_err_text(err)));
    }
}

static void do_operand(struct gzip *g, const char *name)
{
    struct one f = {.in = name};
    if (strcmp(name, "-") == 0) {
        do_stdin(g);
        return;
    }
    int err = find_input(g, &f);
    if (err)
        fail(g, f.in, wk_strf(g->c, ": %s", wk_err_text(err)));
    else if (!WK_S_ISDIR(f.st.mode))
        do_file(g, &f, false);
    else if (g->o->recursive)
        do_tree(g, name, &f.st);
    else
        warn(g, f.in, " is a directory -- ignored");
}

static int gzip_main(struct wk_cmd *c)
{
    const GZIP *o = (const GZIP *)c->opts;
    struct gzip g = {.c = c, .o = o, .suffix = o->suffix ? o->suffix : ".gz"};
    bool cat = strcmp(c->name, "zcat") == 0;
    if (!*g.suffix || strlen(g.suffix) > SUFFIX_MAX || strchr(g.suffix, '/'))
        wk_fail(c, FAILED, "invalid suffix '%s'", g.suffix);
    g.expand = o->expand || o->test || o->list || cat || strcmp(c->name, "gzip") != 0;
    g.to_stdout = o->to_stdout || cat;
    c->name = "gzip"; /* the others are other names of it */
    g.keep_names = g.expand ? o->name && !o->no_name : !o->no_name || o->name;
    if (c->nargs == 0)
        do_stdin(&g);
    for (int i = 0; i < c->nargs; i++)
        do_operand(&g, c->args[i]);
    list_totals(&g);
    return c->status;
}

WK_COMMAND(gzip, .aliases = "gunzip uncompress zcat", .summary = "compress or expand files",
           .usage = "gzip [OPTION]... [FILE]...\ngunzip [OPTION]... [FILE]...\nzcat [OPTION]... [FILE]...",
           .help = "Without FILE, or when FILE is -, standard input is compressed to standard output.\n"
                   "-1 to -9 trade time for size.\n",
           .std = "gzip 1.12", .opts = gzip_options, .opts_size = sizeof(GZIP), .flags = WK_CMD_RAW_NAMES);
