/* sdiff.c - differences of two files side by side, and a merge of them by answers to questions
 *
 * The work of comparing is diff's: sdiff becomes diff -y, or (-o) reads what diff --sdiff-merge-assist tells: before
 * each group of lines side by side "iA,B" (lines of the left and of the right file that are alike) or "cA,B" (lines
 * that differ), and a blank before what else diff has to say.
 *
 * Standard: GNU diffutils 3.8. Oracle: sdiff.
 * Differs:  docs/divergences/sdiff.md
 */
#include "base/num.h"
#include "builtins/fsops.h"
#include "builtins/subprogram.h"

struct sdiff_opts {
    const char *output, *program;
    bool suppress_common;
    const char **v; /* what diff is given */
    size_t n, cap;
};

static struct sdiff_opts *opts_of(struct wk_cmd *c)
{
    return (struct sdiff_opts *)c->opts;
}

static void add(struct wk_cmd *c, const char *arg)
{
    struct sdiff_opts *o = opts_of(c);
    if (o->n == o->cap) {
        o->cap = o->cap * 2 + 16;
        o->v = (const char **)wk_heap_realloc(c->heap, o->v, o->cap * sizeof *o->v);
    }
    o->v[o->n++] = arg;
}

/* Options that are diff's own go on to it, some under another name. */
enum pass { PASS_SHORT, PASS_LONG, PASS_ALL_SPACE, PASS_WIDTH };

static int pass_on(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    switch ((enum pass)opt->value) {
    case PASS_SHORT:
        add(c, wk_strf(c, "-%c", opt->short_name));
        break;
    case PASS_LONG:
        add(c, wk_strf(c, "--%s", opt->long_name));
        break;
    case PASS_ALL_SPACE:
        add(c, "-w");
        break;
    case PASS_WIDTH:
        add(c, "-W");
        break;
    }
    if (opt->arg)
        add(c, arg);
    return 0;
}

#define OPTS struct sdiff_opts

static const struct wk_opt sdiff_options[] = {
    WK_STR_OPT(OPTS, output, 'o', "output", "FILE", "ask what to take, and write it to FILE"),
    WK_FUNC_OPT(pass_on, PASS_ALL_SPACE, 'W', "ignore-all-space", NULL, "ignore all white space"),
    WK_FUNC_OPT(pass_on, PASS_SHORT, 'B', "ignore-blank-lines", NULL, "ignore changes of blank lines only"),
    WK_FUNC_OPT(pass_on, PASS_SHORT, 'i', "ignore-case", NULL, "ignore differences of upper and lower case"),
    WK_FUNC_OPT(pass_on, PASS_SHORT, 'I', "ignore-matching-lines", "RE", "ignore changes all whose lines match RE"),
    WK_FUNC_OPT(pass_on, PASS_SHORT, 'b', "ignore-space-change", NULL, "ignore the amount of white space"),
    WK_FUNC_OPT(pass_on, PASS_SHORT, 'E', "ignore-tab-expansion", NULL, "ignore changes due to tab expansion"),
    WK_FUNC_OPT(pass_on, PASS_SHORT, 'Z', "ignore-trailing-space", NULL, "ignore white space at the end of lines"),
    WK_FUNC_OPT(pass_on, PASS_LONG, 0, "strip-trailing-cr", NULL, "remove carriage returns at the end of lines"),
    WK_FUNC_OPT(pass_on, PASS_SHORT, 'a', "text", NULL, "take all files for text"),
    WK_FUNC_OPT(pass_on, PASS_WIDTH, 'w', "width", "NUM", "print at most NUM columns (130)"),
    WK_FUNC_OPT(pass_on, PASS_LONG, 'l', "left-column", NULL, "print only the left one of common lines"),
    WK_FLAG(OPTS, suppress_common, 's', "suppress-common-lines", "do not print common lines"),
    WK_FUNC_OPT(pass_on, PASS_SHORT, 't', "expand-tabs", NULL, "print blanks for tabs"),
    WK_FUNC_OPT(pass_on, PASS_LONG, 0, "tabsize", "NUM", "tab stops every NUM columns (8)"),
    WK_FUNC_OPT(pass_on, PASS_SHORT, 'd', "minimal", NULL, "try hard to find fewer changes"),
    WK_FUNC_OPT(pass_on, PASS_SHORT, 'H', "speed-large-files", NULL, "expect large files with many small changes"),
    WK_STR_OPT(OPTS, program, 0, "diff-program", "PROGRAM", "compare the files by PROGRAM"),
    WK_FUNC_OPT(wk_opt_about, 1, 'v', NULL, NULL, "as --version"),
    WK_OPTS_END,
};

/* ---- the two files and the merged one -----------------------------------------------------------
 */

struct side {
    const char *name;
    struct wk_in *in;
    int64_t line; /* number of the next one */
};

struct sdiff {
    struct wk_cmd *c;
    struct side side[2];
    struct wk_out *to;
    struct wk_subprogram diff;
    bool quiet; /* common lines are not shown */
};

static WK_NORETURN void trouble(struct wk_cmd *c, const char *what, int err)
{
    wk_fail(c, 2, "%s: %s", what, wk_err_text(err));
}

/* All that is written so far is handed on. */
static void show(struct sdiff *s)
{
    int err = wk_out_flush(s->c->out);
    (void)wk_out_flush(s->to); /* its error shows when it is closed */
    if (err) {
        s->c->out->err = 0;
        trouble(s->c, "write failed", err);
    }
}

/* Passes over lines of a file, and copies them unless `to` is NULL. */
static void take_lines(struct sdiff *s, int which, int64_t n, struct wk_out *to)
{
    struct side *f = &s->side[which];
    struct wk_str line;
    for (; n > 0 && wk_line_next(f->in, '\n', &line); n--) {
        f->line++;
        if (to)
            wk_out_put(to, line.p, line.n);
        if (to && !f->in->no_newline)
            wk_out_char(to, '\n');
        wk_tick(s->c, 1);
    }
    if (f->in->err)
        wk_exit(s->c, 2);
}

/* Lines of diff's as they stand, or none of them. */
static void show_lines(struct sdiff *s, int64_t n, bool put)
{
    struct wk_str line;
    for (; n > 0 && wk_line_next(s->diff.in, '\n', &line); n--) {
        if (put)
            wk_out_put(s->c->out, line.p, line.n);
        if (put && !s->diff.in->no_newline)
            wk_out_char(s->c->out, '\n');
        wk_tick(s->c, 1);
    }
}

static void close_output(struct sdiff *s)
{
    int err = wk_out_close(s->to);
    if (err)
        trouble(s->c, "fclose", err);
}

/* ---- answers ------------------------------------------------------------------------------------
 */

static int next_char(struct sdiff *s)
{
    struct wk_in *in = s->c->in;
    const char *p;
    int err = WK_EBADF;
    size_t n = in->file ? wk_raw_next(s->c, in, &p, &err) : 0;
    if (err)
        trouble(s->c, "read failed", err);
    if (!n)
        return -1;
    int ch = (unsigned char)*p;
    wk_file_skip(in->file, 1);
    return ch;
}

static int skip_blanks(struct sdiff *s, int ch)
{
    while (ch == ' ' || (ch >= '\t' && ch <= '\r' && ch != '\n'))
        ch = next_char(s);
    return ch;
}

struct answer {
    char key;  /* l r s v q e; NUL: none that is known */
    char edit; /* of e: d b l r, or NUL */
};

/* l and r by their other names, too; NUL for what is none of `keys`. */
static char key_of(int ch, const char *keys)
{
    ch = ch == '1' ? 'l' : ch == '2' ? 'r' : ch;
    return ch > 0 && strchr(keys, ch) ? (char)ch : '\0';
}

static struct answer ask(struct sdiff *s)
{
    wk_out_char(s->c->out, '%');
    show(s);
    struct answer a = {0};
    int ch = skip_blanks(s, next_char(s));
    if (ch == -1)
        return (struct answer){.key = 'q'};
    a.key = key_of(ch, "lrsvqe");
    if (a.key == 'e') {
        ch = skip_blanks(s, next_char(s));
        a.edit = key_of(ch, "dblr");
        if (a.edit)
            ch = skip_blanks(s, next_char(s));
    } else if (a.key) {
        ch = skip_blanks(s, next_char(s));
    }
    if (ch == '\n' && a.key)
        return a;
    while (ch != '\n' && ch != -1)
        ch = next_char(s);
    return (struct answer){0};
}

static void give_help(struct sdiff *s)
{
    static const char text[] = "ed:\tEdit then use both versions, each decorated with a header.\n"
                               "eb:\tEdit then use both versions.\n"
                               "el or e1:\tEdit then use the left version.\n"
                               "er or e2:\tEdit then use the right version.\n"
                               "e:\tDiscard both versions then edit a new one.\n"
                               "l or 1:\tUse the left version.\n"
                               "r or 2:\tUse the right version.\n"
                               "s:\tSilently include common lines.\n"
                               "v:\tVerbosely include common lines.\n"
                               "q:\tQuit.\n";
    wk_out_c(s->c->err, text);
    (void)wk_out_flush(s->c->err);
}

/* ---- editing ------------------------------------------------------------------------------------
 */

static char *make_temporary(struct sdiff *s, struct wk_out **to)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *dir = wk_cmd_env(s->c, "TMPDIR");
    struct wk_file *f;
    int err = WK_EEXIST;
    char *name = NULL;
    for (int tries = 0; tries < 1000 && err == WK_EEXIST; tries++) {
        char end[7] = "";
        uint64_t bits = wk_kern_random(s->c->k);
        for (int i = 0; i < 6; i++, bits /= 62)
            end[i] = letters[bits % 62];
        name = wk_strf(s->c, "%s/sdiff%s", dir ? dir : "/tmp", end);
        err = wk_cmd_open(s->c, name, WK_O_WRONLY | WK_O_CREAT | WK_O_EXCL, 0600, &f);
        wk_tick(s->c, 32);
    }
    if (err)
        trouble(s->c, "mkstemp", err);
    *to = wk_out_of(s->c, f);
    return name;
}

static void put_header(struct sdiff *s, struct wk_out *to, int which, int64_t n)
{
    const struct side *f = &s->side[which];
    wk_out_fmt(to, "%s %s %lld", which ? "+++" : "---", f->name, (long long)f->line);
    if (n > 1)
        wk_out_fmt(to, ",%lld", (long long)(f->line + n - 1));
    wk_out_char(to, '\n');
}

static void copy_back(struct sdiff *s, const char *name)
{
    struct wk_in *in;
    const char *p;
    int err = wk_raw_open(s->c, name, false, &in);
    if (err)
        trouble(s->c, name, err);
    for (size_t n; (n = wk_raw_next(s->c, in, &p, &err)) > 0;) {
        char *own = wk_dupn(s->c, p, n);
        wk_file_skip(in->file, n);
        wk_out_put(s->to, own, n);
        wk_heap_free(s->c->heap, own);
    }
    if (err)
        trouble(s->c, "read failed", err);
    wk_cmd_close(s->c, in->file);
}

static void edit(struct sdiff *s, char how, const int64_t n[2])
{
    const char *editor = wk_cmd_env(s->c, "EDITOR");
    struct wk_subprogram child;
    struct wk_out *to;
    char *name = make_temporary(s, &to);
    for (int i = 0; i < 2; i++) {
        bool wanted = how == 'd' || how == 'b' || how == (i ? 'r' : 'l');
        if (how == 'd' && n[i])
            put_header(s, to, i, n[i]);
        take_lines(s, i, n[i], wanted ? to : NULL);
    }
    int err = wk_out_close(to);
    if (err)
        trouble(s->c, "fclose", err);
    char *argv[] = {wk_dup(s->c, editor ? editor : "ed"), name, NULL};
    wk_subprogram_start(s->c, &child, argv, 2, false);
    if (wk_subprogram_end(s->c, &child)) {
        (void)wk_at_unlink(s->c, NULL, name);
        wk_subprogram_blame(s->c, &child);
    }
    copy_back(s, name);
    (void)wk_at_unlink(s->c, NULL, name);
}

/* A group of lines that differ: false to end it all. */
static bool decide(struct sdiff *s, const int64_t n[2])
{
    for (;;) {
        struct answer a = ask(s);
        switch (a.key) {
        case 'q':
            return false;
        case 's':
        case 'v':
            s->quiet = a.key == 's';
            break;
        case 'l':
        case 'r':
            take_lines(s, 0, n[0], a.key == 'l' ? s->to : NULL);
            take_lines(s, 1, n[1], a.key == 'r' ? s->to : NULL);
            return true;
        case 'e':
            edit(s, a.edit, n);
            return true;
        default:
            give_help(s);
        }
    }
}

/* ---- the merge ----------------------------------------------------------------------------------
 */

/* "A,B" behind the letter of a line of diff's. */
static bool read_counts(struct wk_str s, int64_t n[2])
{
    size_t at = 1;
    for (int i = 0; i < 2; i++) {
        while (at < s.n && s.p[at] == ' ')
            at++;
        size_t start = at;
        for (n[i] = 0; at < s.n && s.p[at] >= '0' && s.p[at] <= '9'; at++)
            n[i] = n[i] > (INT64_MAX - 9) / 10 ? INT64_MAX / 2 : n[i] * 10 + (s.p[at] - '0');
        if (at == start || (i == 0 && (at == s.n || s.p[at++] != ',')))
            return false;
    }
    return at == s.n;
}

/* All that diff tells; false when the answers ended it. */
static bool merge(struct sdiff *s)
{
    struct wk_str line;
    int64_t n[2];
    while (wk_line_next(s->diff.in, '\n', &line)) {
        char what = line.n ? line.p[0] : '\0';
        if (what == ' ') {
            wk_out_put(s->c->out, line.p + 1, line.n - 1);
            wk_out_char(s->c->out, '\n');
            continue;
        }
        if (s->diff.in->no_newline)
            return false;
        if ((what != 'i' && what != 'c') || !read_counts(line, n)) {
            (void)wk_out_flush(s->to);
            wk_fail(s->c, 2, "%.*s", (int)(line.n < 4096 ? line.n : 4096), line.p);
        }
        int64_t most = n[0] > n[1] ? n[0] : n[1];
        if (what == 'i') {
            take_lines(s, 0, n[0], s->to);
            take_lines(s, 1, n[1], NULL);
            show_lines(s, most, !s->quiet);
        } else {
            show_lines(s, most, true);
            if (!decide(s, n))
                return false;
        }
    }
    return true;
}

static bool is_directory(struct wk_cmd *c, const char *name)
{
    struct wk_stat st;
    return wk_at_stat(c, NULL, name, true, &st) == 0 && (st.mode & WK_S_IFMT) == WK_S_IFDIR;
}

/* The file of a side: when it is a directory, the one in it that is called as the other. */
static void open_side(struct sdiff *s, int which, bool directory)
{
    struct wk_cmd *c = s->c;
    const char *name = c->args[which], *other = c->args[!which];
    if (strcmp(name, "-") == 0)
        wk_fail(c, 2, "cannot interactively merge standard input");
    if (directory) {
        size_t n;
        const char *last = wk_last_component(other, &n);
        name = wk_join_path(c, name, wk_dupn(c, last, n));
    }
    s->side[which] = (struct side){.name = name, .line = 1};
    int err = wk_raw_open(c, name, false, &s->side[which].in);
    if (err)
        trouble(c, name, err);
    s->side[which].in->name = name;
}

static void start_diff(struct sdiff *s, const char *program)
{
    struct wk_cmd *c = s->c;
    struct sdiff_opts *o = opts_of(c);
    char **argv = wk_new_n(c, char *, o->n + 2);
    argv[0] = wk_dup(c, program);
    for (size_t i = 0; i < o->n; i++)
        argv[i + 1] = wk_dup(c, o->v[i]);
    wk_subprogram_start(c, &s->diff, argv, (int)o->n + 1, true);
    if (s->diff.err)
        wk_subprogram_blame(c, &s->diff);
}

static int merge_files(struct wk_cmd *c, const char *program)
{
    struct sdiff_opts *o = opts_of(c);
    struct sdiff s = {.c = c, .quiet = o->suppress_common};
    struct wk_file *f;
    bool directory[2] = {is_directory(c, c->args[0]), is_directory(c, c->args[1])};
    if (directory[0] && directory[1])
        wk_fail(c, 2, "both files to be compared are directories");
    open_side(&s, 0, directory[0]);
    open_side(&s, 1, directory[1]);
    int err = wk_cmd_open(c, o->output, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
    if (err)
        trouble(c, o->output, err);
    s.to = wk_out_of(c, f);
    start_diff(&s, program);
    bool all = merge(&s);
    show(&s);
    if (!all) {
        close_output(&s);
        return 2;
    }
    int status = wk_subprogram_end(c, &s.diff);
    if (status > 1)
        wk_subprogram_blame(c, &s.diff);
    close_output(&s);
    return status;
}

static int sdiff_main(struct wk_cmd *c)
{
    struct sdiff_opts *o = opts_of(c);
    const char *program = o->program ? o->program : "diff";
    if (c->nargs < 2)
        wk_usage(c, "missing operand after '%s'", c->nargs ? c->args[0] : c->argv[c->argc - 1]);
    if (c->nargs > 2)
        wk_usage(c, "extra operand '%s'", c->args[2]);
    if (o->output) {
        add(c, "--sdiff-merge-assist");
    } else {
        if (o->suppress_common)
            add(c, "--suppress-common-lines");
        add(c, "-y");
    }
    add(c, "--");
    add(c, c->args[0]);
    add(c, c->args[1]);
    if (o->output)
        return merge_files(c, program);
    char **argv = wk_new_n(c, char *, o->n + 2);
    argv[0] = wk_dup(c, program);
    for (size_t i = 0; i < o->n; i++)
        argv[i + 1] = wk_dup(c, o->v[i]);
    int err = wk_cmd_exec(c, (int)o->n + 1, argv, NULL);
    trouble(c, program, err == WK_EISDIR ? WK_EACCES : err);
}

WK_COMMAND(sdiff, .summary = "show differences side by side, and merge two files", .usage = "sdiff [OPTION]... FILE1 FILE2",
           .help = "If a FILE is '-', standard input is read.\n"
                   "The status is 0 if the files are the same, 1 if they differ, 2 in trouble.",
           .std = "diffutils 3.8", .opts = sdiff_options, .opts_size = sizeof(struct sdiff_opts),
           .flags = WK_CMD_SAY_NAME, .usage_status = 2);
