/* patch.c - apply what diff found to files
 *
 * Standard: POSIX; GNU patch 2.7.6. Oracle: patch.
 * Differs:  docs/divergences/patch.md.
 */
#include "builtins/patch.h"

#include "base/num.h"

static struct patch_opts *opts_of(struct wk_cmd *c)
{
    return (struct patch_opts *)c->opts;
}

/* -p, -F, -g: a number; the strip count and the fuzz may not be negative. */
static int read_number(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct patch_opts *p = opts_of(c);
    const char *what = o->value == 'p' ? "strip count" : o->value == 'F' ? "fuzz factor" : "get option value";
    int64_t v = 0;
    int err = wk_parse_i64(wk_str_c(arg[0] == '+' ? arg + 1 : arg), 10, &v);
    const char *shown =
        wk_patch_quote(&(struct patch){.c = c, .o = &(struct patch_opts){.quoting = WK_QUOTING_SHELL}}, arg);
    if (err == -WK_EINVAL)
        wk_fail(c, 2, "**** %s %s is not a number", what, shown);
    if (v < 0 && o->value != 'g')
        wk_fail(c, 2, "**** %s %s is negative", what, shown);
    v = WK_MIN(v, INT64_MAX / 8);
    *(o->value == 'p' ? &p->strip : o->value == 'F' ? &p->fuzz : &p->get) = v;
    p->has_strip = p->has_strip || o->value == 'p';
    p->has_fuzz = p->has_fuzz || o->value == 'F';
    return 0;
}

/* -B, -Y, -z: a part of the names of backups, which are simple ones then. */
static int read_affix(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    struct patch_opts *p = opts_of(c);
    if (!*arg)
        wk_fail(c, 2, "**** backup %s is empty",
                o->value == 'B'   ? "prefix"
                : o->value == 'Y' ? "basename prefix"
                                  : "suffix");
    *(o->value == 'B' ? &p->prefix : o->value == 'Y' ? &p->basename_prefix : &p->suffix) = arg;
    p->simple_names = true;
    return 0;
}

static const struct wk_opt patch_options[] = {
    WK_FUNC_OPT(read_number, 'p', 'p', "strip", "NUM", "remove the smallest prefix with NUM slashes from file names"),
    WK_FUNC_OPT(read_number, 'F', 'F', "fuzz", "LINES", "ignore up to LINES lines of context"),
    WK_FLAG(struct patch_opts, canonical, 'l', "ignore-whitespace", "any blanks match any other"),
    WK_SET(struct patch_opts, kind, PATCH_CONTEXT, 'c', "context", "the patch is a context diff"),
    WK_SET(struct patch_opts, kind, PATCH_ED, 'e', "ed", "the patch is an ed script"),
    WK_SET(struct patch_opts, kind, PATCH_NORMAL, 'n', "normal", "the patch is a normal diff"),
    WK_SET(struct patch_opts, kind, PATCH_UNIFIED, 'u', "unified", "the patch is a unified diff"),
    WK_FLAG(struct patch_opts, forward, 'N', "forward", "leave out what seems to be reversed or applied already"),
    WK_FLAG(struct patch_opts, reverse, 'R', "reverse", "old and new were swapped"),
    WK_STR_OPT(struct patch_opts, input, 'i', "input", "PATCHFILE", "read the patch from PATCHFILE"),
    WK_STR_OPT(struct patch_opts, output, 'o', "output", "FILE", "write what is patched to FILE"),
    WK_STR_OPT(struct patch_opts, reject, 'r', "reject-file", "FILE", "write rejected hunks to FILE; -: nowhere"),
    WK_STR_OPT(struct patch_opts, ifdef, 'D', "ifdef", "NAME", "merge with #ifdef NAME"),
    WK_STR_OPTIONAL(struct patch_opts, merge_style, 0, "merge", "STYLE",
                    "mark conflicts in the file; STYLE: merge, diff3"),
    WK_FLAG(struct patch_opts, remove_empty, 'E', "remove-empty-files", "remove files that become empty"),
    WK_FLAG(struct patch_opts, set_utc, 'Z', "set-utc", "set the times of patched files, taken as UTC"),
    WK_FLAG(struct patch_opts, set_time, 'T', "set-time", "the same, taken as local time"),
    WK_STR_OPT(struct patch_opts, style, 0, "quoting-style", "WORD",
               "quote names as literal, shell, shell-always, c or escape"),
    WK_FLAG(struct patch_opts, backup, 'b', "backup", "keep the original of each file"),
    WK_SET(struct patch_opts, mismatch, 1, 0, "backup-if-mismatch",
           "keep the original when a patch does not match exactly"),
    WK_SET(struct patch_opts, mismatch, 2, 0, "no-backup-if-mismatch", "do so only when otherwise asked for"),
    WK_STR_OPT(struct patch_opts, control, 'V', "version-control", "STYLE",
               "backups are simple, numbered or existing"),
    WK_FUNC_OPT(read_affix, 'B', 'B', "prefix", "PREFIX", "put PREFIX before the names of backups"),
    WK_FUNC_OPT(read_affix, 'Y', 'Y', "basename-prefix", "PREFIX", "put PREFIX before their last part"),
    WK_FUNC_OPT(read_affix, 'z', 'z', "suffix", "SUFFIX", "put SUFFIX behind them"),
    WK_FUNC_OPT(read_number, 'g', 'g', "get", "NUM", "get files from version control (there is none)"),
    WK_FLAG(struct patch_opts, batch, 't', "batch", "ask nothing; assume reversed"),
    WK_FLAG(struct patch_opts, force, 'f', "force", "ask nothing; assume not reversed"),
    WK_SET(struct patch_opts, volume, PATCH_SILENT, 's', "quiet", "tell only of errors"),
    WK_SET(struct patch_opts, volume, PATCH_SILENT, 0, "silent", "the same"),
    WK_SET(struct patch_opts, volume, PATCH_VERBOSE, 0, "verbose", "tell more of what is done"),
    WK_FLAG(struct patch_opts, dry_run, 0, "dry-run", "only tell what would happen"),
    WK_FLAG(struct patch_opts, posix, 0, "posix", "keep to the standard"),
    WK_STR_OPT(struct patch_opts, directory, 'd', "directory", "DIR", "change to DIR first"),
    WK_STR_OPT(struct patch_opts, format, 0, "reject-format", "FORMAT", "make context or unified rejects"),
    WK_FLAG(struct patch_opts, binary, 0, "binary", "leave CRs at ends of lines"),
    WK_STR_OPT(struct patch_opts, behavior, 0, "read-only", "BEHAVIOR",
               "with files that are read-only: ignore that, warn, or fail"),
    WK_FLAG(struct patch_opts, follow, 0, "follow-symlinks", "files may be symbolic links"),
    WK_STR_OPT(struct patch_opts, debug, 'x', "debug", "NUM", "changes nothing"),
    WK_FUNC_OPT(wk_opt_about, 1, 'v', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

/* ---- talk -------------------------------------------------------------------------------------- */

const char *wk_patch_quote(struct patch *p, const char *name)
{
    struct wk_buf *b = wk_cmd_buf(p->c, SIZE_MAX / 2);
    (void)wk_quoting_put(b, wk_str_c(name), p->o->quoting, false, "");
    return wk_keep(p->c, b);
}

/* The answer, NULL where there is no terminal. */
static const char *ask_terminal(struct patch *p, const char *question)
{
    struct wk_file *f;
    struct wk_str line;
    PATCH_SAY(p, "%s", question);
    if (wk_cmd_open(p->c, "/dev/tty", WK_O_RDONLY, 0, &f) == 0) {
        struct wk_in *in = wk_in_of(p->c, f, "/dev/tty");
        bool any = wk_line_next(in, '\n', &line);
        const char *answer = any ? wk_dupn(p->c, line.p, line.n) : NULL;
        wk_in_close(in);
        return answer;
    }
    return NULL;
}

const char *wk_patch_ask(struct patch *p, const char *question)
{
    const char *answer = ask_terminal(p, question);
    if (!answer)
        wk_out_char(p->msg, '\n');
    return answer ? answer : "";
}

bool wk_patch_ok_to_reverse(struct patch *p, const char *what)
{
    const struct patch_opts *o = p->o;
    if (o->forward || !(o->force && o->volume == PATCH_SILENT))
        PATCH_SAY(p, "%s", what);
    if (o->forward) {
        PATCH_SAY(p, "  Skipping patch.\n");
        p->skip = true;
        return false;
    }
    if (o->force) {
        if (o->volume != PATCH_SILENT)
            PATCH_SAY(p, "  Applying it anyway.\n");
        return false;
    }
    if (o->batch) {
        PATCH_SAY(p, "%s", p->reverse ? "  Ignoring -R.\n" : "  Assuming -R.\n");
        return true;
    }
    if (*wk_patch_ask(p, p->reverse ? "  Ignore -R? [n] " : "  Assume -R? [n] ") == 'y')
        return true;
    p->apply_anyway = *wk_patch_ask(p, "Apply anyway? [n] ") == 'y';
    if (!p->apply_anyway) {
        if (o->volume != PATCH_SILENT)
            PATCH_SAY(p, "Skipping patch.\n");
        p->skip = true;
    }
    return false;
}

/* ---- one file ---------------------------------------------------------------------------------- */

static void split_lines(struct patch *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->contents.n; i++)
        n += p->contents.p[i] == '\n';
    p->lines = wk_new_n(p->c, struct wk_str, n + 1);
    p->n = 0;
    wk_tick(p->c, (uint32_t)WK_MIN(p->contents.n / 64 + 1, UINT32_MAX));
    for (struct wk_str rest = p->contents; rest.n;) {
        ptrdiff_t end = wk_str_chr(rest, '\n');
        size_t length = end < 0 ? rest.n : (size_t)end + 1;
        p->lines[p->n++] = wk_str_take(rest, length);
        rest = wk_str_from(rest, length);
    }
}

static void read_input(struct patch *p)
{
    p->contents = WK_STR("");
    if (!p->in_err && p->type == WK_S_IFLNK) {
        char *target;
        int err = wk_at_readlink(p->c, NULL, p->in_name, &target);
        if (err)
            PATCH_FATAL(p, "Can't read symbolic link %s : %s", wk_patch_quote(p, p->in_name), wk_err_text(err));
        p->contents = wk_str_c(target);
    } else if (!p->in_err) {
        struct wk_in *in;
        int err = wk_raw_open(p->c, p->in_name, false, &in);
        if (err)
            PATCH_FATAL(p, "Can't open file %s : %s", wk_patch_quote(p, p->in_name), wk_err_text(err));
        p->contents = wk_in_all(in);
        wk_in_close(in);
    }
    split_lines(p);
}

/* Whether the file is one that can be patched. */
static bool fit(struct patch *p)
{
    const struct patch_opts *o = p->o;
    uint32_t mode = p->h.mode[p->reverse] ? p->h.mode[p->reverse] : p->h.mode[!p->reverse];
    p->type = (mode & WK_S_IFMT) == WK_S_IFLNK ? WK_S_IFLNK : WK_S_IFREG;
    if (p->in_err)
        return true;
    const char *name = wk_patch_quote(p, p->in_name);
    if ((p->in_st.mode & WK_S_IFMT) != p->type) {
        PATCH_SAY(p, "File %s is not a %s -- refusing to patch\n", name,
                  p->type == WK_S_IFLNK ? "symbolic link" : "regular file");
        return false;
    }
    if (o->read_only == PATCH_RO_IGNORE || p->type == WK_S_IFLNK ||
        wk_at_access(p->c, NULL, p->in_name, WK_W_OK) == 0)
        return true;
    PATCH_SAY(p, "File %s is read-only; %s\n", name,
              o->read_only == PATCH_RO_WARN ? "trying to patch anyway" : "refusing to patch");
    return o->read_only == PATCH_RO_WARN;
}

static void check_version(struct patch *p)
{
    struct wk_str word = p->h.prereq, rest = p->contents;
    const struct patch_opts *o = p->o;
    if (!word.n)
        return;
    bool here = false;
    for (ptrdiff_t i; !here && (i = wk_str_find(rest, word)) >= 0; rest = wk_str_from(rest, (size_t)i + 1)) {
        size_t end = (size_t)i + word.n;
        here = (i > 0 ? wk_is_space((unsigned char)rest.p[i - 1]) : rest.p == p->contents.p) &&
               (end >= rest.n || wk_is_space((unsigned char)rest.p[end]));
        wk_tick(p->c, (uint32_t)(WK_MIN((size_t)i, (size_t)UINT32_MAX) / 64) + 1);
    }
    if (here) {
        if (o->volume == PATCH_VERBOSE)
            PATCH_SAY(p, "Good.  This file appears to be the %.*s version.\n", (int)word.n, word.p);
    } else if (o->force) {
        if (o->volume != PATCH_SILENT)
            PATCH_SAY(p, "Warning: this file doesn't appear to be the %.*s version -- patching anyway.\n",
                      (int)word.n, word.p);
    } else if (o->batch) {
        PATCH_FATAL(p, "This file doesn't appear to be the %.*s version -- aborting.", (int)word.n, word.p);
    } else {
        const char *answer =
            ask_terminal(p, wk_strf(p->c, "This file doesn't appear to be the %.*s version -- patch anyway? [n] ",
                                    (int)word.n, word.p));
        if (answer && *answer == 'y')
            return;
        wk_out_fmt(p->c->err, "%s: **** aborted\n", p->c->name);
        if (!answer)
            wk_out_char(p->msg, '\n');
        wk_exit(p->c, 2);
    }
}

static void tell_file(struct patch *p)
{
    const char *verb = p->o->dry_run ? "checking" : "patching",
               *kind = p->type == WK_S_IFLNK ? "symbolic link" : "file";
    if (p->o->volume == PATCH_SILENT)
        return;
    wk_out_fmt(p->msg, "%s %s %s", verb, kind, wk_patch_quote(p, p->out_name));
    bool moves = p->h.rename || p->h.copy, same = strcmp(p->in_name, p->out_name) == 0;
    const char *done = p->h.rename ? "renamed" : p->h.copy ? "copied" : "read", *other = p->h.name[p->reverse];
    if (!same)
        wk_out_fmt(p->msg, " (%s from %s)", p->o->output ? "read" : done, wk_patch_quote(p, p->in_name));
    else if (moves && other && !p->o->output)
        wk_out_fmt(p->msg, " (already %s from %s)", done, wk_patch_quote(p, other));
    PATCH_SAY(p, "\n");
    if (p->o->volume == PATCH_VERBOSE)
        PATCH_SAY(p, "Using Plan A...\n");
}

/* Finds the hunk's place, with ever more fuzz; the first hunk is tried the other way round, too. */
static int64_t find_place(struct patch *p, int number, size_t *fuzz)
{
    size_t context = WK_MAX(p->hunk.prefix, p->hunk.suffix), most = WK_MIN((size_t)p->o->fuzz, context);
    if (p->o->merge)
        most = 0;
    for (*fuzz = 0; *fuzz <= most; ++*fuzz) {
        int64_t where = wk_patch_locate(p, *fuzz);
        if (!where || *fuzz || p->in_offset)
            p->mismatch = true;
        if (number > 1 || where || p->o->merge || p->o->force || p->apply_anyway || p->reverse != p->o->reverse) {
            if (where)
                return where;
            continue;
        }
        wk_patch_swap(&p->hunk);
        where = wk_patch_locate(p, *fuzz);
        if (where && wk_patch_ok_to_reverse(p, p->reverse ? "Unreversed patch detected!"
                                                       : "Reversed (or previously applied) patch detected!")) {
            p->reverse = !p->reverse;
            return where;
        }
        wk_patch_swap(&p->hunk);
        if (where)
            --*fuzz; /* the same again, without this question */
        if (p->skip)
            return 0;
    }
    return 0;
}

static bool other_endings(const struct patch *p, int64_t where)
{
    const struct patch_side *s = &p->hunk.side[0];
    if (!s->n || where < 1 || where > p->n)
        return false;
    struct wk_str a = s->v[0].text, b = p->lines[where - 1];
    bool cr_a = a.n > 1 && a.p[a.n - 2] == '\r' && a.p[a.n - 1] == '\n',
         cr_b = b.n > 1 && b.p[b.n - 2] == '\r' && b.p[b.n - 1] == '\n';
    return cr_a != cr_b && a.p[a.n - 1] == '\n' && b.p[b.n - 1] == '\n';
}

static void one_hunk(struct patch *p, int number, int *failed)
{
    size_t fuzz = 0;
    int volume = p->o->volume;
    int64_t where = p->skip ? 0 : find_place(p, number, &fuzz);
    int64_t shown = (where ? where : p->hunk.side[0].first) + p->out_offset;
    bool made = p->h.absent[p->reverse] == 2 && p->in_st.size && !p->in_err;
    if (!p->skip && p->o->merge) {
        if (!wk_patch_merge_hunk(p, number, where))
            p->failed = true;
        return;
    }
    if (p->skip || !where || (where == 1 && made) || !wk_patch_apply(p, where)) {
        wk_patch_reject(p, !*failed);
        ++*failed;
        if (volume == PATCH_VERBOSE || (!p->skip && volume != PATCH_SILENT))
            PATCH_SAY(p, "Hunk #%d %s at %lld%s.\n", number, p->skip ? "ignored" : "FAILED", (long long)shown,
                      !p->skip && other_endings(p, shown) ? " (different line endings)" : "");
        return;
    }
    if (volume == PATCH_SILENT || !(volume == PATCH_VERBOSE || fuzz || p->in_offset))
        return;
    wk_out_fmt(p->msg, "Hunk #%d succeeded at %lld", number, (long long)shown);
    if (fuzz)
        wk_out_fmt(p->msg, " with fuzz %zu", fuzz);
    if (p->in_offset)
        wk_out_fmt(p->msg, " (offset %lld line%s)", (long long)p->in_offset, p->in_offset == 1 ? "" : "s");
    PATCH_SAY(p, ".\n");
}

static int64_t time_to_set(struct patch *p, int failed)
{
    int64_t was = p->h.time[p->reverse], now = p->h.time[!p->reverse];
    const char *name = wk_patch_quote(p, p->out_name);
    if (!(p->o->set_time || p->o->set_utc) || now < 0)
        return -1;
    if (!p->o->force && !p->in_err && !p->h.absent[p->reverse] && was >= 0 && was != p->in_st.mtim) {
        PATCH_SAY(p, "Not setting time of file %s (time mismatch)\n", name);
        return -1;
    }
    if (!p->o->force && (p->mismatch || failed)) {
        PATCH_SAY(p, "Not setting time of file %s (contents mismatch)\n", name);
        return -1;
    }
    return now;
}

/* `none`: not a single hunk could be applied. */
static void put_output(struct patch *p, int failed, bool none)
{
    const struct patch_opts *o = p->o;
    bool empty = p->out->n == 0, gone = p->h.absent[!p->reverse] == 2 && (o->remove_empty || !o->posix);
    struct wk_str text = wk_str(wk_dupn(p->c, wk_buf_c(p->out), p->out->n), p->out->n);
    struct patch_result r = {.from = p->in_name, .name = p->out_name, .text = text, .time = -1};
    if (o->output) {
        if (!(o->dry_run && p->h.kind == PATCH_ED))
            wk_out_put(p->all, text.p, text.n);
        return;
    }
    r.link = p->type == WK_S_IFLNK;
    r.remove = empty && (o->remove_empty || gone || r.link);
    r.backup = o->backup || (o->mismatch == 1 && (p->mismatch || failed));
    if (!empty && gone && !(o->merge && p->failed)) {
        p->mismatch = p->failed = true;
        if (o->volume != PATCH_SILENT)
            PATCH_SAY(p, "Not deleting file %s as content differs from patch\n", wk_patch_quote(p, p->out_name));
    }
    if (none && !r.remove) { /* the file stays what it is */
        if (r.backup && !o->dry_run)
            wk_patch_copy_backup(p, p->out_name);
        return;
    }
    if (o->dry_run)
        return;
    if (!r.remove) {
        uint32_t mode = p->h.mode[!p->reverse];
        r.time = time_to_set(p, failed);
        r.mode = mode ? mode : p->in_err ? 0 : p->in_st.mode;
    }
    wk_patch_put(p, r);
    if (p->h.rename && strcmp(p->in_name, p->out_name) != 0)
        wk_patch_put(p,
                  (struct patch_result){.from = p->in_name, .name = p->in_name, .remove = true, .backup = r.backup});
}

static void tell_failures(struct patch *p, int failed, int hunks)
{
    const struct patch_opts *o = p->o;
    p->failed = true;
    wk_out_fmt(p->msg, "%d out of %d hunk%s %s", failed, hunks, hunks == 1 ? "" : "s",
               p->skip ? "ignored" : "FAILED");
    if (!p->out_name || (o->reject && strcmp(o->reject, "-") == 0) || o->dry_run) {
        PATCH_SAY(p, "\n");
        return;
    }
    const char *name = o->reject ? o->reject : wk_strf(p->c, "%s.rej", p->out_name);
    PATCH_SAY(p, " -- saving rejects to file %s\n", wk_patch_quote(p, name));
    wk_patch_save_rejects(p, name);
}

static void begin_file(struct patch *p)
{
    if (!p->h.git || (p->in_name && wk_patch_waits(p, p->in_name))) {
        wk_patch_flush(p);
        if (p->in_name)
            wk_patch_look(p);
    }
    bool moves = (p->h.rename || p->h.copy) && p->h.name[!p->reverse];
    p->out_name = p->o->output ? p->o->output : moves && !p->c->nargs ? p->h.name[!p->reverse] : p->in_name;
    if (p->h.kind == PATCH_GIT_BINARY) {
        PATCH_SAY(p, "File %s: git binary diffs are not supported.\n", wk_patch_quote(p, p->out_name));
        p->skip = true;
        return;
    }
    if (!fit(p)) {
        p->skip = true;
        return;
    }
    read_input(p);
    check_version(p);
    if (p->h.kind != PATCH_ED)
        tell_file(p);
}

static void apply_ed(struct patch *p)
{
    bool ok = wk_patch_ed(p);
    if (!ok) {
        wk_out_c(p->c->out, "?\n"); /* as ed says it */
        PATCH_FATAL(p, "ed FAILED");
    }
    put_output(p, 0, false);
}

static void one_patch(struct patch *p)
{
    int hunks = 0, failed = 0;
    p->out_name = NULL;
    if (!p->skip)
        begin_file(p);
    if (p->h.kind == PATCH_ED) {
        p->failed = p->failed || p->skip;
        if (!p->skip)
            apply_ed(p);
        else
            (void)wk_patch_ed(p);
        return;
    }
    while (p->h.kind != PATCH_GIT_BINARY && wk_patch_read_hunk(p))
        one_hunk(p, ++hunks, &failed);
    if (p->skip) {
        p->failed = true;
    } else {
        bool lost = p->in_err && failed && failed == hunks && !p->h.absent[0] && !p->h.absent[1];
        if (lost && !p->o->output && !p->o->dry_run && !p->o->remove_empty) {
            if (p->o->backup || p->o->mismatch == 1)
                wk_patch_back_up(p, p->out_name, false);
            PATCH_FATAL(p, "Can't reopen file %s : %s", wk_patch_quote(p, p->in_name), wk_err_text(p->in_err));
        }
        wk_patch_copy_till(p, p->n + 1);
        put_output(p, failed, failed && failed == hunks);
    }
    if (failed)
        tell_failures(p, failed, hunks);
}

/* ---- options ----------------------------------------------------------------------------------- */

static int word_of(struct wk_cmd *c, const char *arg, const char *const *words)
{
    for (int i = 0; arg && words[i]; i++)
        if (*arg && strncmp(words[i], arg, strlen(arg)) == 0)
            return i;
    wk_try_help(c);
}

static enum wk_backup version_of(struct wk_cmd *c, const char *option)
{
    static const char *const words[] = {"none", "off", "simple", "never", "existing", "nil", "numbered", "t"};
    static const enum wk_backup kinds[] = {WK_BACKUP_NONE, WK_BACKUP_SIMPLE, WK_BACKUP_EXISTING, WK_BACKUP_NUMBERED};
    const char *context = "--version-control or -V option", *word = option;
    if (!word) {
        context = "$PATCH_VERSION_CONTROL";
        word = wk_cmd_env(c, "PATCH_VERSION_CONTROL");
    }
    if (!word) {
        context = "$VERSION_CONTROL";
        word = wk_cmd_env(c, "VERSION_CONTROL");
    }
    if (!word || !*word)
        return WK_BACKUP_EXISTING;
    int found = -1;
    bool ambiguous = false;
    for (int i = 0; i < 8; i++) {
        if (strncmp(words[i], word, strlen(word)) != 0)
            continue;
        if (strcmp(words[i], word) == 0)
            return kinds[i / 2];
        ambiguous = ambiguous || (found >= 0 && found / 2 != i / 2);
        found = found < 0 ? i : found;
    }
    if (found >= 0 && !ambiguous)
        return kinds[found / 2];
    wk_fail(c, 2,
            "%s argument %s for '%s'\nValid arguments are:\n  - 'none', 'off'\n  - 'simple', 'never'\n  - "
            "'existing', 'nil'\n  - 'numbered', 't'",
            found >= 0 ? "ambiguous" : "invalid", wk_quote_arg(c, word), context);
}

static void read_style(struct wk_cmd *c, struct patch_opts *o)
{
    const char *word = o->style ? o->style : wk_cmd_env(c, "QUOTING_STYLE");
    o->quoting = WK_QUOTING_SHELL;
    if (!word)
        return;
    int style = wk_quoting_named(word);
    if (style >= 0) {
        o->quoting = (enum wk_quoting)style;
    } else if (o->style) {
        wk_msg(c, "invalid argument %s for 'quoting style'", wk_quote_arg(c, word));
        wk_try_help(c);
    }
}

static void settle(struct wk_cmd *c, struct patch_opts *o)
{
    static const char *const merges[] = {"merge", "diff3", NULL}, *const formats[] = {"context", "unified", NULL},
                             *const behaviors[] = {"warn", "ignore", "fail", NULL};
    read_style(c, o);
    if (!o->has_fuzz)
        o->fuzz = 2;
    o->posix = o->posix || wk_cmd_env(c, "POSIXLY_CORRECT") != NULL;
    if (o->merge_style)
        o->merge = *o->merge_style ? PATCH_MERGE + word_of(c, o->merge_style, merges) : PATCH_MERGE;
    if (o->format) {
        bool unified = word_of(c, o->format, formats) == 1;
        o->reject_unified = unified;
        o->reject_context = !unified;
    }
    if (o->behavior)
        o->read_only = word_of(c, o->behavior, behaviors);
    if (!o->mismatch)
        o->mismatch = wk_cmd_env(c, "POSIXLY_CORRECT") ? 2 : 1;
    if (!o->suffix && !o->prefix && !o->basename_prefix) {
        const char *env = wk_cmd_env(c, "SIMPLE_BACKUP_SUFFIX");
        o->suffix = env && *env ? env : NULL;
    }
    o->version = version_of(c, o->control);
    o->forward = o->forward || o->merge;
    if (c->nargs > 2) {
        wk_msg(c, "%s: extra operand", wk_patch_quote(&(struct patch){.c = c, .o = o}, c->args[2]));
        wk_try_help(c);
    }
    if (c->nargs > 1)
        o->input = c->args[1];
    if (c->nargs > 1)
        c->nargs = 1;
}

static void read_patch(struct patch *p)
{
    struct wk_in *in = p->c->in;
    const char *name = p->o->input;
    if (name && *name && strcmp(name, "-") != 0) {
        int err = wk_raw_open(p->c, name, false, &in);
        if (err)
            PATCH_FATAL(p, "Can't open patch file %s : %s", wk_patch_quote(p, name), wk_err_text(err));
        struct wk_stat st;
        if (wk_cmd_stat(p->c, name, true, &st) == 0 && WK_S_ISDIR(st.mode))
            PATCH_FATAL(p, "read error : %s", wk_err_text(WK_EISDIR));
    }
    p->text = wk_in_all(in);
}

static void open_output(struct patch *p)
{
    const char *name = p->o->output;
    struct wk_file *f;
    if (!name)
        return;
    if (strcmp(name, "-") == 0) {
        p->all = p->c->out;
        p->msg = p->c->err;
        return;
    }
    int err = wk_cmd_open(p->c, name, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0600, &f);
    if (err)
        PATCH_FATAL(p, "Can't create file %s : %s", wk_patch_quote(p, name), wk_err_text(err));
    p->all = wk_out_of(p->c, f);
}

static void start_over(struct patch *p)
{
    p->reverse = p->o->reverse;
    p->skip = p->apply_anyway = p->mismatch = false;
    p->taken = p->out_lines = p->in_offset = p->out_offset = 0;
    p->after_newline = true;
    p->in_name = NULL;
    p->n = 0;
    wk_buf_reset(p->out);
    wk_buf_reset(p->rejects);
}

/* An empty patch: -o has a copy of the file. */
static void copy_alone(struct patch *p)
{
    p->in_name = p->c->args[0];
    p->out_name = p->o->output;
    wk_patch_look(p);
    if (!fit(p))
        return;
    read_input(p);
    tell_file(p);
    wk_patch_copy_till(p, p->n + 1);
    put_output(p, 0, false);
    if (p->o->volume == PATCH_VERBOSE)
        PATCH_SAY(p, "Hmm...  I can't seem to find a patch in there anywhere.\n");
}

static int patch_main(struct wk_cmd *c)
{
    struct patch_opts *o = opts_of(c);
    struct patch p = {.c = c, .o = o, .msg = c->out};
    settle(c, o);
    if (o->directory) {
        int err = wk_cmd_chdir(c, o->directory);
        if (err)
            PATCH_FATAL(&p, "Can't change to directory %s : %s", wk_patch_quote(&p, o->directory), wk_err_text(err));
    }
    p.queue_end = &p.queue;
    p.out = wk_cmd_buf(c, SIZE_MAX / 2);
    p.rejects = wk_cmd_buf(c, SIZE_MAX / 2);
    open_output(&p);
    read_patch(&p);
    for (start_over(&p); wk_patch_find(&p); start_over(&p)) {
        one_patch(&p);
        p.base = p.at;
        p.base_line = p.line;
        o->kind = PATCH_NONE; /* what was said of the kind is said of the first patch */
    }
    if (!p.text.n && o->output && c->nargs)
        copy_alone(&p);
    wk_patch_flush(&p);
    wk_patch_remove_doomed(&p);
    if (p.all && p.all != c->out)
        (void)wk_out_close(p.all);
    return p.failed ? 1 : 0;
}

WK_COMMAND(patch, .summary = "apply changes to files", .usage = "patch [OPTION]... [ORIGFILE [PATCHFILE]]",
           .std = "GNU patch 2.7.6", .opts = patch_options, .opts_size = sizeof(struct patch_opts),
           .flags = WK_CMD_SAY_NAME, .usage_status = 2);
