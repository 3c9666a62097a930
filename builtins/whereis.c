/* whereis.c - where a command's program, manual and source are
 *
 * Standard: none. Oracle: util-linux 2.38 whereis. Differs: docs/divergences/whereis.md.
 */
#include "builtins/ftw.h"

static const struct wk_opt whereis_options[] = {
    {WK_OPT_FLAG, 'b', NULL, NULL, "programs only", 0, 0, NULL},
    {WK_OPT_FLAG, 'B', NULL, NULL, "DIR...: look for programs there (ended by -f)", 0, 0, NULL},
    {WK_OPT_FLAG, 'm', NULL, NULL, "manuals only", 0, 0, NULL},
    {WK_OPT_FLAG, 'M', NULL, NULL, "DIR...: look for manuals there", 0, 0, NULL},
    {WK_OPT_FLAG, 's', NULL, NULL, "sources only", 0, 0, NULL},
    {WK_OPT_FLAG, 'S', NULL, NULL, "DIR...: look for sources there", 0, 0, NULL},
    {WK_OPT_FLAG, 'f', NULL, NULL, "ends the directories; names follow", 0, 0, NULL},
    {WK_OPT_FLAG, 'u', NULL, NULL, "only names with more than one entry", 0, 0, NULL},
    {WK_OPT_FLAG, 'l', NULL, NULL, "print the directories that are looked at", 0, 0, NULL},
    {WK_OPT_FLAG, 'h', NULL, NULL, "the same as --help", 0, 0, NULL},
    {WK_OPT_FLAG, 'V', NULL, NULL, "the same as --version", 0, 0, NULL},
    WK_OPTS_END,
};

enum kind { BIN = 1, MAN = 2, SRC = 4 };

struct place {
    enum kind kind;
    const char *path;
    struct wk_stat st;
};

struct whereis {
    struct wk_cmd *c;
    struct wk_ftw *walk;
    struct place *v;
    size_t n, cap;
};

/* ---- directories -------------------------------------------------------------------------------- */

static void add_place(struct whereis *w, enum kind kind, const char *path)
{
    struct wk_stat st;
    char *real;
    if (wk_cmd_stat(w->c, path, true, &st) != 0 || (st.mode & WK_S_IFMT) != WK_S_IFDIR)
        return;
    for (size_t i = 0; i < w->n; i++)
        if (w->v[i].kind == kind && wk_stat_same(&w->v[i].st, &st))
            return;
    if (wk_at_realpath(w->c, path, WK_REALPATH_ALL, &real) != 0)
        return;
    if (w->n == w->cap) {
        w->cap = w->cap ? w->cap * 2 : 32;
        w->v = (struct place *)wk_heap_realloc(w->c->heap, w->v, w->cap * sizeof *w->v);
    }
    w->v[w->n++] = (struct place){kind, real, st};
}

/* All directories in a directory. */
static void add_below(struct whereis *w, enum kind kind, const char *path)
{
    struct wk_dirent e;
    int err;
    wk_ftw_start(w->walk, path);
    if (wk_ftw_enter(w->walk, NULL) != 0)
        return;
    while (wk_ftw_next(w->walk, &e, &err))
        add_place(w, kind, w->walk->path);
    wk_ftw_stop(w->walk);
}

static void add_list(struct whereis *w, enum kind kind, const char *list)
{
    while (list && *list) {
        size_t n = strcspn(list, ":");
        if (n)
            add_place(w, kind, wk_dupn(w->c, list, n));
        list += n + (list[n] == ':');
    }
}

static void add_defaults(struct whereis *w)
{
    static const char *const bins[] = {"/usr/bin",        "/usr/sbin",       "/bin",           "/sbin",
                                       "/usr/lib",        "/usr/lib32",      "/usr/lib64",     "/etc",
                                       "/usr/etc",        "/lib",            "/lib32",         "/lib64",
                                       "/usr/games",      "/usr/local/bin",  "/usr/local/sbin", "/usr/local/etc",
                                       "/usr/local/lib",  "/usr/local/games", "/usr/include",  "/usr/local",
                                       "/usr/libexec",    "/usr/share"};
    for (size_t i = 0; i < WK_COUNTOF(bins); i++)
        add_place(w, BIN, bins[i]);
    add_list(w, BIN, wk_cmd_env(w->c, "PATH"));
    add_below(w, MAN, "/usr/share/man");
    add_place(w, MAN, "/usr/share/info");
    add_list(w, MAN, wk_cmd_env(w->c, "MANPATH"));
    add_below(w, SRC, "/usr/src");
}

static void forget(struct whereis *w, enum kind kind)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->v[i].kind != kind)
            w->v[kept++] = w->v[i];
    w->n = kept;
}

static void print_places(struct whereis *w)
{
    for (size_t i = 0; i < w->n; i++)
        wk_out_fmt(w->c->out, "%s: %s\n", w->v[i].kind == BIN ? "bin" : w->v[i].kind == MAN ? "man" : "src",
                   w->v[i].path);
}

/* ---- names -------------------------------------------------------------------------------------- */

static bool matches(enum kind kind, const char *entry, const char *name)
{
    size_t n = strlen(name);
    if (strcmp(entry, name) == 0)
        return true;
    if (kind == BIN)
        return false;
    if (kind == SRC && entry[0] == 's' && entry[1] == '.' && matches(MAN, entry + 2, name))
        return true;
    return strncmp(entry, name, n) == 0 && entry[n] == '.';
}

static void find(struct whereis *w, const char *operand, unsigned want, bool unusual)
{
    struct wk_cmd *c = w->c;
    char *text = wk_dup(c, operand);
    wk_strip_slashes(text);
    const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
    const char **found = NULL;
    size_t n = 0, cap = 0;
    for (size_t i = 0; i < w->n; i++) {
        struct wk_dirent e;
        int err;
        if (!(w->v[i].kind & want))
            continue;
        wk_ftw_start(w->walk, w->v[i].path);
        if (wk_ftw_enter(w->walk, NULL) != 0)
            continue;
        while (wk_ftw_next(w->walk, &e, &err)) {
            if (!matches(w->v[i].kind, wk_ftw_name(w->walk), name))
                continue;
            if (n == cap) {
                cap = cap ? cap * 2 : 16;
                found = (const char **)wk_heap_realloc(c->heap, found, cap * sizeof *found);
            }
            found[n++] = wk_dup(c, w->walk->path);
        }
        wk_ftw_stop(w->walk);
    }
    if (unusual && n < 2)
        return;
    wk_out_fmt(c->out, "%s:", name);
    for (size_t i = 0; i < n; i++)
        wk_out_fmt(c->out, " %s", found[i]);
    wk_out_char(c->out, '\n');
}

struct reader {
    unsigned want;
    bool unusual, fresh, wants_end; /* fresh: no name since the last of -b -m -s */
};

/* The letters of argv[i]; gives where reading goes on. */
static int read_letters(struct whereis *w, struct reader *r, int i)
{
    struct wk_cmd *c = w->c;
    for (const char *p = c->argv[i] + 1; *p; p++) {
        unsigned kind = *p == 'b' || *p == 'B' ? BIN : *p == 'm' || *p == 'M' ? MAN : *p == 's' || *p == 'S' ? SRC : 0;
        if (kind && *p >= 'a') {
            r->want = r->fresh ? r->want | kind : kind;
            r->fresh = true;
        } else if (kind) {
            if (p[1])
                wk_usage(c, "bad usage");
            forget(w, (enum kind)kind);
            r->wants_end = true;
            int at = i + 1;
            for (; at < c->argc && c->argv[at][0] != '-'; at++)
                add_place(w, (enum kind)kind, c->argv[at]);
            return at == i + 1 ? at + 1 : at; /* without directories the next word is lost */
        } else if (*p == 'f') {
            r->wants_end = false;
        } else if (*p == 'u') {
            r->unusual = true;
        } else if (*p == 'l') {
            print_places(w);
        } else if (*p == 'V' || *p == 'h') {
            wk_cmd_about(c, *p == 'V');
        } else {
            wk_usage(c, "bad usage");
        }
    }
    return i + 1;
}

static int whereis_main(struct wk_cmd *c)
{
    struct whereis w = {.c = c, .walk = wk_ftw_new(c)};
    struct reader r = {.want = BIN | MAN | SRC};
    if (c->argc < 2)
        wk_usage(c, "not enough arguments");
    add_defaults(&w);
    for (int i = 1; i < c->argc;) {
        const char *a = c->argv[i];
        if (a[0] == '-') {
            if (strcmp(a, "--help") == 0 || strcmp(a, "--version") == 0)
                wk_cmd_about(c, strcmp(a, "--version") == 0);
            i = read_letters(&w, &r, i);
            continue;
        }
        find(&w, a, r.want, r.unusual);
        r.fresh = false;
        i++;
    }
    if (r.wants_end)
        wk_fail(c, 1, "option -f is missing");
    return c->status;
}

WK_COMMAND(whereis, .summary = "locate the program, source and manual of a command",
           .usage = "whereis [OPTION]... [-BMS DIR... -f] NAME...", .std = "util-linux 2.38", .opts = whereis_options,
           .opts_size = sizeof(bool), .flags = WK_CMD_RAW_ARGS);
