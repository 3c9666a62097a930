/* shred.c - overwrite files, and remove them
 *
 * Standard: GNU coreutils 9.1. Oracle: shred.
 * Differs:  docs/divergences/shred.md
 */
#include "base/num.h"
#include "builtins/choice.h"
#include "builtins/fsops.h"
#include "kern/vfsfile.h"

enum { KEEP, UNLINK, WIPE };

struct shred_opts {
    bool force, verbose, exact, zero, sized;
    int remove;
    int64_t passes, size;
    bool counted;
    const char *source;
};

#define SHRED struct shred_opts

static const char blanks[] = " \t\n\v\f\r", large[] = ": Value too large for defined data type";

static int set_passes(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    SHRED *o = (SHRED *)c->opts;
    (void)opt;
    int r = wk_parse_i64(wk_str_c(arg + strspn(arg, blanks)), 10, &o->passes);
    if (r || o->passes < 0 || o->passes > INT32_MAX)
        wk_fail(c, 1, "invalid number of passes: %s%s", wk_quote_arg(c, arg),
                r == -WK_ERANGE && o->passes > 0 ? large : "");
    o->counted = true;
    return 0;
}

static int set_size(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    SHRED *o = (SHRED *)c->opts;
    uint64_t v;
    (void)opt;
    int r = wk_parse_size(wk_str_c(arg + strspn(arg, blanks)), true, &v);
    if (r || v > INT64_MAX)
        wk_fail(c, 1, "invalid file size: %s%s", wk_quote_arg(c, arg), r == -WK_EINVAL ? "" : large);
    o->size = (int64_t)v;
    o->sized = true;
    return 0;
}

static int set_remove(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice ways[] = {{"unlink", UNLINK}, {"wipe", WIPE}, {"wipesync", WIPE + 1}, {NULL, 0}};
    (void)opt;
    int way = arg ? wk_choice_read(c, "--remove", arg, ways) : WIPE;
    ((SHRED *)c->opts)->remove = way > WIPE ? WIPE : way;
    return 0;
}

static const struct wk_opt shred_options[] = {
    WK_FLAG(SHRED, force, 'f', "force", "change permissions to allow writing if necessary"),
    WK_FUNC_OPT(set_passes, 0, 'n', "iterations", "N", "overwrite N times instead of the default (3)"),
    WK_STR_OPT(SHRED, source, 0, "random-source", "FILE", "get random bytes from FILE"),
    WK_FUNC_OPT(set_size, 0, 's', "size", "N", "shred this many bytes (suffixes like K, M, G accepted)"),
    WK_SET(SHRED, remove, WIPE, 'u', NULL, "deallocate and remove file after overwriting"),
    WK_FUNC_OPT(set_remove, 0, 0, "remove", "[HOW", "like -u but give control on HOW to delete"),
    WK_FLAG(SHRED, verbose, 'v', "verbose", "show progress"),
    WK_FLAG(SHRED, exact, 'x', "exact", "do not round file sizes up to the next full block"),
    WK_FLAG(SHRED, zero, 'z', "zero", "add a final overwrite with zeros to hide shredding"),
    WK_OPTS_END,
};

enum { PIECE = 4096 };

struct shred {
    struct wk_cmd *c;
    const SHRED *o;
    struct wk_file *random; /* NULL: the session's */
    char *piece;
};

static const char *shown(struct shred *s, const char *name)
{
    return wk_quote_maybe(s->c, name);
}

/* ---- overwriting ------------------------------------------------------------------------------- */

static void fill_random(struct shred *s, size_t n)
{
    size_t at = 0;
    while (!s->random && at < n) {
        uint64_t v = wk_kern_random(s->c->k);
        size_t k = WK_MIN(sizeof v, n - at);
        memcpy(s->piece + at, &v, k);
        at += k;
    }
    while (at < n) {
        ptrdiff_t r = wk_file_read(s->c->task, s->random, s->piece + at, n - at);
        if (r == -WK_EINTR)
            continue;
        if (r == 0)
            wk_fail(s->c, 1, "%s: end of file", wk_quote(s->c, s->o->source));
        if (r < 0)
            wk_fail(s->c, 1, "%s: %s", shown(s, s->o->source), wk_err_text((int)-r));
        at += (size_t)r;
    }
}

/* A pattern of three bytes; those of a piece go on where the last piece ended. */
static void fill_pattern(struct shred *s, unsigned pattern, int64_t offset, size_t n)
{
    for (size_t i = 0; i < n; i++)
        s->piece[i] = (char)(pattern >> (16 - 8 * (unsigned)((offset + (int64_t)i) % 3)));
}

/* -1: random bytes. */
static int pattern_of(int64_t pass, int64_t passes)
{
    static const int patterns[] = {0x000000, 0xffffff, 0x555555, 0xaaaaaa, 0x924924, 0x492492, 0x249249, 0x6db6db,
                                   0xb6db6d, 0xdb6db6, 0x111111, 0x333333, 0x666666, 0x999999, 0xcccccc, 0xeeeeee};
    if (passes <= 3 || pass % 2 == 0)
        return -1;
    return patterns[(size_t)(pass / 2) % WK_COUNTOF(patterns)];
}

static bool write_pass(struct shred *s, struct wk_file *f, const char *name, int64_t size, int pattern)
{
    (void)wk_file_seek(f, 0, 0);
    for (int64_t at = 0; at < size;) {
        size_t n = (size_t)WK_MIN((int64_t)PIECE, size - at);
        if (pattern < 0)
            fill_random(s, n);
        else
            fill_pattern(s, (unsigned)pattern, at, n);
        ptrdiff_t r = wk_file_write(s->c->task, f, s->piece, n);
        if (r == -WK_EINTR)
            continue;
        if (r < 0) {
            wk_msg(s->c, "%s: error writing at offset %lld: %s", shown(s, name), (long long)at, wk_err_text((int)-r));
            return false;
        }
        at += (int64_t)n;
        wk_tick(s->c, (uint32_t)(n / 8));
    }
    return true;
}

static bool overwrite(struct shred *s, struct wk_file *f, const char *name, const struct wk_stat *st)
{
    int64_t passes = s->o->counted ? s->o->passes : 3, all = passes + s->o->zero, size = (int64_t)st->size;
    if (s->o->sized)
        size = s->o->size;
    else if (!s->o->exact && size <= INT64_MAX - 4096)
        size = (size + 4095) / 4096 * 4096;
    for (int64_t i = 0; size && i < all; i++) {
        int pattern = i == passes ? 0 : pattern_of(i, passes);
        char what[8] = "random";
        for (int d = 0; pattern >= 0 && d < 6; d++)
            what[d] = "0123456789abcdef"[pattern >> (20 - 4 * d) & 15];
        if (s->o->verbose)
            wk_out_fmt(s->c->err, "%s: %s: pass %lld/%lld (%s)...\n", s->c->name, shown(s, name), (long long)i + 1,
                       (long long)all, what);
        if (!write_pass(s, f, name, size, pattern))
            return false;
    }
    return true;
}

/* ---- removing ---------------------------------------------------------------------------------- */

static void tell(struct shred *s, const char *name, const char *what, const char *other)
{
    if (s->o->verbose)
        wk_out_fmt(s->c->err, "%s: %s: %s%s\n", s->c->name, shown(s, name), what, other ? shown(s, other) : "");
}

/* The next of the names of this length; false after the last. */
static bool next_name(char *base, size_t n)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-.";
    while (n--) {
        const char *p = strchr(letters, base[n]);
        if (p[1]) {
            base[n] = p[1];
            return true;
        }
        base[n] = letters[0];
    }
    return false;
}

/* Renames the file to ever shorter names and removes it. */
static void wipe_name(struct shred *s, const char *name)
{
    struct wk_cmd *c = s->c;
    struct wk_stat st;
    char *old = wk_dup(c, name), *to = wk_dup(c, name);
    size_t n, at;
    wk_strip_slashes(to);
    at = (size_t)(wk_last_component(to, &n) - to);
    tell(s, name, "removing", NULL);
    for (; s->o->remove == WIPE && n; n--) {
        memset(to + at, '0', n);
        to[at + n] = '\0';
        bool free_name = true;
        while (free_name && wk_at_stat(c, NULL, to, false, &st) == 0)
            free_name = next_name(to + at, n);
        if (!free_name || wk_at_rename(c, NULL, old, NULL, to, 0) != 0)
            continue;
        tell(s, old, "renamed to ", to);
        memcpy(old, to, at + n + 1);
    }
    int err = wk_at_unlink(c, NULL, old);
    if (err)
        wk_msg(c, "%s: failed to remove: %s", shown(s, name), wk_err_text(err));
    else
        tell(s, name, "removed", NULL);
}

/* ---- files ------------------------------------------------------------------------------------- */

static void shred_file(struct shred *s, const char *name)
{
    struct wk_cmd *c = s->c;
    struct wk_file *f = c->out->file;
    struct wk_stat st;
    bool output = strcmp(name, "-") == 0;
    int err = output ? (f ? 0 : WK_EBADF) : wk_cmd_open(c, name, WK_O_WRONLY | WK_O_NONBLOCK, 0, &f);
    if (err == WK_EACCES && s->o->force && wk_at_chmod(c, NULL, name, true, 0200) == 0)
        err = wk_cmd_open(c, name, WK_O_WRONLY | WK_O_NONBLOCK, 0, &f);
    if (err) {
        wk_msg(c, "%s: failed to open for writing: %s", shown(s, name), wk_err_text(err));
        return;
    }
    bool ok = wk_file_stat(f, &st) == 0 && WK_S_ISREG(st.mode) && f->kind == WK_FILE_VFS;
    if (!ok)
        wk_msg(c, "%s: invalid file type", shown(s, name));
    else if (output && f->flags & WK_FILE_APPEND)
        wk_msg(c, "%s: cannot shred append-only file descriptor", shown(s, name));
    else if (overwrite(s, f, name, &st) && s->o->remove) {
        int r = wk_vfile_truncate(wk_file_vfile(f), 0);
        if (r < 0)
            wk_msg(c, "%s: error truncating: %s", shown(s, name), wk_err_text(-r));
        else if (!output)
            wipe_name(s, name);
    }
    if (!output)
        wk_cmd_close(c, f);
}

static int shred_main(struct wk_cmd *c)
{
    struct shred s = {.c = c, .o = (const SHRED *)c->opts};
    if (!c->nargs)
        wk_usage(c, "missing file operand");
    int err = s.o->source ? wk_cmd_open(c, s.o->source, WK_O_RDONLY, 0, &s.random) : 0;
    if (err)
        wk_fail(c, 1, "%s: %s", wk_quote_maybe(c, s.o->source), wk_err_text(err));
    s.piece = (char *)wk_heap_alloc(c->heap, PIECE);
    for (int i = 0; i < c->nargs; i++)
        shred_file(&s, c->args[i]);
    return c->status;
}

WK_COMMAND(shred, .summary = "overwrite the specified FILE(s), and optionally delete them",
           .usage = "shred [OPTION]... FILE...",
           .std = "coreutils 9.1", .opts = shred_options, .opts_size = sizeof(SHRED),
           .help = "If FILE is -, shred standard output. HOW is unlink, wipe (names too) or wipesync, the default.\n");
