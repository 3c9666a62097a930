/* case_run.c - running one case in a session of its own, and comparing */
#include "tests/harness/case_run.h"

#include "base/sha2.h"

enum { TREE_DEPTH = 64, TREE_SHOW = 4096, SECONDS = 20 };

#define WK_CASE_HOME ("HOME=" WK_CASE_DIR)

/* The environment of the recorder, to the letter. */
static const char *const environment[] = {
    "PATH=/usr/local/bin:/usr/bin:/bin",
    WK_CASE_HOME,
    "LC_ALL=C.UTF-8",
    "TZ=UTC",
};

/* ---- the files that were left
 * --------------------------------------------------------------------- */

struct lister {
    whelk_session *session;
    struct wk_buf *out;
    struct wk_buf path; /* of the directory being listed, relative to WK_CASE_DIR, "" or "dir/" */
    const struct wk_case *c;
    int depth;
};

static bool is_text(struct wk_str s)
{
    return memchr(s.p, '\0', s.n) == NULL && s.n <= TREE_SHOW;
}

/* "| line" for each line; "\ no newline" when the last one has none. */
static void put_lines(struct wk_buf *out, struct wk_str s)
{
    while (s.n) {
        ptrdiff_t nl = wk_str_chr(s, '\n');
        size_t len = nl < 0 ? s.n : (size_t)nl;
        wk_buf_put_c(out, "| ");
        wk_buf_put(out, s.p, len);
        wk_buf_putc(out, '\n');
        if (nl < 0)
            wk_buf_put_c(out, "\\ no newline\n");
        s = wk_str_from(s, len + 1);
    }
}

static void put_digest(struct wk_buf *out, struct wk_str s)
{
    struct wk_sha2 sha;
    unsigned char digest[WK_SHA2_MAX];
    wk_sha2_init(&sha, WK_SHA256);
    wk_sha2_add(&sha, s.p, s.n);
    size_t n = wk_sha2_finish(&sha, digest);
    wk_buf_fmt(out, "# %zu bytes, sha256 ", s.n);
    for (size_t i = 0; i < n; i++)
        wk_buf_fmt(out, "%02x", digest[i]);
    wk_buf_putc(out, '\n');
}

static int list_entry(void *ctx, const char *name, const whelk_stat *st);

static void list_inside(struct lister *l, const char *name)
{
    struct wk_buf full;
    size_t old = l->path.n;
    wk_buf_init(&full, l->out->mem, 1 << 20);
    wk_buf_put_c(&l->path, name);
    wk_buf_putc(&l->path, '/');
    wk_buf_fmt(&full, WK_CASE_DIR "/%s", wk_buf_c(&l->path));
    if (l->depth < TREE_DEPTH) {
        l->depth++;
        whelk_list_dir(l->session, wk_buf_c(&full), list_entry, l);
        l->depth--;
    }
    l->path.n = old;
    if (l->path.p)
        l->path.p[old] = '\0';
    wk_buf_release(&full);
}

static int list_entry(void *ctx, const char *name, const whelk_stat *st)
{
    struct lister *l = ctx;
    struct wk_buf full;
    unsigned mode = st->mode & 07777, type = st->mode & 0170000;
    wk_buf_init(&full, l->out->mem, 1 << 20);
    wk_buf_fmt(&full, WK_CASE_DIR "/%s%s", wk_buf_c(&l->path), name);
    if (type == 0040000) {
        wk_buf_fmt(l->out, "d %03o %s%s\n", mode, wk_buf_c(&l->path), name);
        list_inside(l, name);
    } else if (type == 0100000) {
        char *data;
        size_t n;
        wk_buf_fmt(l->out, "f %03o %s%s\n", mode, wk_buf_c(&l->path), name);
        if (whelk_read_file(l->session, wk_buf_c(&full), &data, &n) == WHELK_OK) {
            if (is_text(wk_str(data, n)))
                put_lines(l->out, wk_str(data, n));
            else
                put_digest(l->out, wk_str(data, n));
            whelk_free(data);
        } else {
            wk_buf_put_c(l->out, "# unreadable\n");
        }
    } else {
        const char *letter = type == 0120000 ? "l" : type == 0010000 ? "p" : "?";
        wk_buf_fmt(l->out, "%s %s%s\n", letter, wk_buf_c(&l->path), name);
    }
    wk_buf_release(&full);
    return 0;
}

static void list_tree(whelk_session *s, const struct wk_case *c, struct wk_buf *out)
{
    struct lister l = {.session = s, .out = out, .c = c};
    wk_buf_init(&l.path, out->mem, 1 << 20);
    whelk_list_dir(s, WK_CASE_DIR, list_entry, &l);
    wk_buf_release(&l.path);
}

/* ---- comparing ----------------------------------------------------------------------------------
 */

static void quote(struct wk_buf *b, struct wk_str s)
{
    const size_t most = 2000;
    for (size_t i = 0; i < s.n && i < most; i++) {
        unsigned char ch = (unsigned char)s.p[i];
        if (i == 0 || s.p[i - 1] == '\n')
            wk_buf_put_c(b, "    ");
        if (ch == '\n' || (ch >= ' ' && ch != 127))
            wk_buf_putc(b, (char)ch);
        else
            wk_buf_fmt(b, "\\x%02x", ch);
    }
    if (s.n > most)
        wk_buf_put_c(b, "…");
    if (s.n == 0 || s.p[WK_MIN(s.n, most) - 1] != '\n')
        wk_buf_put_c(b, s.n ? "\\ no newline\n" : "    (nothing)\n");
}

static void compare(struct wk_case_result *r, const char *what, struct wk_str want,
                    struct wk_str got)
{
    if (wk_str_eq(want, got))
        return;
    r->passed = false;
    wk_buf_fmt(&r->why, "  %s expected:\n", what);
    quote(&r->why, want);
    wk_buf_fmt(&r->why, "  %s was:\n", what);
    quote(&r->why, got);
}

static void judge(whelk_session *s, const struct wk_case *c, const whelk_result *got,
                  struct wk_case_result *r)
{
    struct wk_str err = wk_str(got->err, got->err_len);
    compare(r, "stdout", c->out, wk_str(got->out, got->out_len));
    if (c->has_err)
        compare(r, "stderr", c->err, err);
    if (got->status != c->status) {
        r->passed = false;
        wk_buf_fmt(&r->why, "  status %d, expected %d\n", got->status, c->status);
    }
    if (got->stop == WHELK_STOP_LIMIT || got->stop == WHELK_STOP_FAULT) {
        r->passed = r->passed && got->stop == WHELK_STOP_LIMIT && c->differs;
        wk_buf_fmt(&r->why, "  stopped: %s\n",
                   got->stop == WHELK_STOP_FAULT ? "fault" : whelk_limit_name(got->limit));
    }
    if (c->has_tree) {
        struct wk_buf tree;
        wk_buf_init(&tree, r->why.mem, 1 << 26);
        list_tree(s, c, &tree);
        compare(r, "files", c->tree, wk_buf_str(&tree));
        wk_buf_release(&tree);
    }
    if (!r->passed && !c->has_err && err.n) {
        wk_buf_put_c(&r->why, "  stderr was:\n");
        quote(&r->why, err);
    }
}

static void set_run(const struct wk_case *c, const char **args, whelk_run_options *run)
{
    for (size_t i = 0; i < c->n_args; i++)
        args[i] = c->args[i].p;
    whelk_run_options_init(run);
    run->script = c->run.p;
    run->script_len = c->run.n;
    run->arg0 = "bash";
    run->args = args;
    run->n_args = c->n_args;
    run->in.size = sizeof run->in;
    run->in.kind = WHELK_INPUT_BYTES;
    run->in.data = c->in.p;
    run->in.data_len = c->in.n;
    run->flags = WHELK_RUN_LAST;
}

void wk_case_run(whelk_runtime *rt, const struct wk_case *c, struct wk_case_result *r)
{
    struct wk_arena arena;
    whelk_session *s = NULL;
    whelk_session_options o;
    whelk_run_options run;
    whelk_limits limits = {.size = sizeof limits, .time_ns = (uint64_t)SECONDS * 1000000000u};
    const whelk_result *got = NULL;
    r->passed = false;
    wk_arena_init(&arena, r->why.mem);
    whelk_session_options_init(&o);
    o.env = environment;
    o.n_env = WK_COUNTOF(environment);
    o.cwd = WK_CASE_DIR;
    o.limits = &limits;
    const char **args = wk_arena_zalloc(&arena, (c->n_args + 1) * sizeof *args);
    size_t n_files = 0;
    for (const struct wk_case_input *f = c->files; f; f = f->next)
        n_files++;
    whelk_file *files = wk_arena_zalloc(&arena, (n_files + 1) * sizeof *files);
    if (!args || !files)
        goto out;
    o.files = files;
    for (const struct wk_case_input *f = c->files; f; f = f->next)
        files[o.n_files++] = (whelk_file){.size = sizeof *files,
                                          .path = f->path.p,
                                          .data = f->data.p,
                                          .data_len = f->data.n,
                                          .mode = f->mode};
    set_run(c, args, &run);
    int err = whelk_session_open(rt, &o, &s);
    if (err == WHELK_OK)
        err = whelk_exec_with(s, &run, &got);
    if (err != WHELK_OK) {
        wk_buf_fmt(&r->why, "  the library answered: %s\n", whelk_strerror(err));
        goto out;
    }
    r->passed = true;
    judge(s, c, got, r);
out:
    whelk_session_close(s);
    wk_arena_release(&arena);
}
