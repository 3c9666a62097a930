/* rg_walk.c - rg: which files are searched
 *
 * Every open directory keeps the rules that were found in it. A file or directory is judged by globs of the command
 * line, then by the rules from its directory up, then by its type, and last by whether its name is hidden.
 */
#include "base/sort.h"
#include "builtins/fsops.h"
#include "builtins/rg_rules.h"

struct entry {
    struct wk_str name; /* of the list */
    uint32_t type;
    int64_t time;
};

struct level {
    struct wk_vlist *list;
    struct entry *v;
    size_t n, i;
    size_t path_n, name_at;
    uint64_t dev, ino;
    struct wk_rg_dir_rules rules;
};

struct walk {
    struct wk_rg *g;
    struct wk_cmd *c;
    char *path;
    size_t n, cap, name_at;
    struct level *levels;
    size_t depth, levels_cap;
    uint64_t root_dev;
    struct wk_rg_rules above;
    struct wk_stat out; /* the standard output; mode 0: no file that could be found */
};

static void leave(struct walk *w)
{
    struct level *l = &w->levels[--w->depth];
    wk_heap_free(w->c->heap, l->v);
    wk_rg_dir_release(w->c, &l->rules);
    w->n = l->path_n;
    w->name_at = l->name_at;
    w->path[w->n] = '\0';
    wk_vlist_close(l->list);
    l->list = NULL;
}

static void release_walk(void *obj)
{
    struct walk *w = obj;
    while (w->depth)
        if (w->levels[--w->depth].list)
            wk_vlist_close(w->levels[w->depth].list);
}

static void set_path(struct walk *w, size_t dir_n, struct wk_str name)
{
    size_t need = dir_n + name.n + 2;
    if (need > w->cap) {
        w->cap = need * 2 + 128;
        w->path = wk_heap_realloc(w->c->heap, w->path, w->cap);
    }
    w->n = dir_n;
    if (dir_n && w->path[dir_n - 1] != '/')
        w->path[w->n++] = '/';
    w->name_at = w->n;
    if (name.n)
        memcpy(w->path + w->n, name.p, name.n);
    w->n += name.n;
    w->path[w->n] = '\0';
}

static const char *shown(const struct walk *w)
{
    return w->g->default_path && w->path[0] == '.' && w->path[1] == '/' && w->path[2] ? w->path + 2 : w->path;
}

static void complain(struct walk *w, int err)
{
    if (w->g->o->sort == WK_RG_SORT_NONE)
        wk_rg_complain_err(w->g, w->path, err);
    else
        wk_rg_complain(w->g, "%s: IO error for operation on %s: %s (os error %d)", w->path, w->path, wk_err_text(err),
                       err);
}

/* ---- directories -------------------------------------------------------------------------------------------------
 */

static int by_time(void *ctx, const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const struct walk *w = ctx;
    int order = x->time < y->time ? -1 : x->time > y->time;
    return w->g->o->sort_down ? -order : order;
}

static void put_in_order(struct walk *w, struct level *l)
{
    const struct wk_rg_opts *o = w->g->o;
    if (o->sort <= WK_RG_SORT_PATH) {
        for (size_t i = 0; o->sort && o->sort_down && i < l->n / 2; i++) {
            struct entry swap = l->v[i];
            l->v[i] = l->v[l->n - 1 - i];
            l->v[l->n - 1 - i] = swap;
        }
        return;
    }
    for (size_t i = 0; i < l->n; i++) {
        struct wk_stat st;
        if (wk_at_stat(w->c, wk_vlist_dir(l->list), l->v[i].name.p, true, &st) == 0)
            l->v[i].time = o->sort == WK_RG_SORT_MODIFIED   ? st.mtim
                           : o->sort == WK_RG_SORT_ACCESSED ? st.atim
                                                            : st.btim;
    }
    struct wk_sort how = {.cmp = by_time, .ctx = w};
    if (wk_sort(wk_heap_mem(w->c->heap), l->v, l->n, sizeof *l->v, &how) < 0)
        wk_heap_exhausted(w->c->heap);
}

/* Reads the names of the directory; what its rules lie in is seen on the way. */
static int read_entries(struct walk *w, struct level *l)
{
    struct wk_dirent e;
    size_t cap = 0;
    int r;
    for (;;) {
        while ((r = wk_vlist_next(l->list, &e)) == -WK_EAGAIN)
            wk_cmd_sleep(w->c, 1000000);
        if (r <= 0)
            break;
        if (l->n == cap) {
            cap = cap ? cap * 2 : 32;
            l->v = wk_heap_realloc(w->c->heap, l->v, cap * sizeof *l->v);
        }
        l->v[l->n++] = (struct entry){e.name, e.type, 0};
        if (e.name.n && e.name.p[0] == '.')
            wk_rg_dir_note(&l->rules, e.name);
        wk_tick(w->c, 8);
    }
    return r;
}

static struct wk_vdir *here(const struct walk *w)
{
    return w->depth ? wk_vlist_dir(w->levels[w->depth - 1].list) : NULL;
}

static void enter(struct walk *w, const struct wk_stat *st)
{
    struct wk_vlist *list;
    if (w->depth == w->levels_cap) {
        size_t cap = w->levels_cap ? w->levels_cap * 2 : 16;
        struct level *bigger = wk_heap_calloc(w->c->heap, cap, sizeof *bigger);
        if (w->depth)
            memcpy(bigger, w->levels, w->depth * sizeof *bigger);
        wk_heap_free(w->c->heap, w->levels);
        w->levels = bigger;
        w->levels_cap = cap;
    }
    int err = wk_at_list(w->c, here(w), w->path + w->name_at, &list);
    if (err) {
        complain(w, err);
        return;
    }
    struct level *l = &w->levels[w->depth++];
    *l = (struct level){.list = list, .path_n = w->n, .name_at = w->name_at, .dev = st->dev, .ino = st->ino};
    int r = read_entries(w, l);
    if (r < 0)
        complain(w, -r);
    put_in_order(w, l);
    const struct wk_rg_dir_rules *outer = w->depth > 1 ? &l[-1].rules : NULL;
    wk_rg_dir_read(w->g, &l->rules, wk_str(w->path, w->n), outer ? outer->any_git : w->above.any_git, false);
}

/* ---- judging -----------------------------------------------------------------------------------------------------
 */

static bool is_skipped(struct walk *w, bool is_dir)
{
    struct wk_rg_candidate e = {w->path, w->n, w->path + w->name_at, is_dir};
    enum wk_verdict v = wk_rg_ask_globs(w->g, &w->above, &e), kept = WK_RULES_SILENT;
    if (v != WK_RULES_SILENT)
        return v == WK_RULES_IGNORE;
    struct wk_rg_verdicts all = {.rgignore = WK_RULES_SILENT};
    for (size_t i = w->depth; i-- > 0;) {
        const struct level *l = &w->levels[i];
        size_t skip = l->path_n + (w->path[l->path_n - 1] != '/');
        struct wk_rg_candidate rel = {w->path + skip, w->n - skip, e.name, is_dir};
        wk_rg_dir_ask(w->c, &l->rules, w->levels[w->depth - 1].rules.any_git, &rel, &all);
    }
    kept = wk_rg_ask_above(w->g, &w->above, &e, w->levels[w->depth - 1].rules.any_git, &all);
    if (kept == WK_RULES_IGNORE)
        return true;
    v = is_dir ? WK_RULES_SILENT : wk_rg_ask_type(w->g, e.name);
    if (v == WK_RULES_IGNORE)
        return true;
    return kept == WK_RULES_SILENT && v == WK_RULES_SILENT && !w->g->o->hidden && e.name[0] == '.';
}

static const struct level *loop_of(const struct walk *w, const struct wk_stat *st)
{
    for (size_t i = 0; i < w->depth; i++)
        if (w->levels[i].dev == st->dev && w->levels[i].ino == st->ino)
            return &w->levels[i];
    return NULL;
}

static void found_file(struct walk *w, const char *path, bool given)
{
    struct wk_rg *g = w->g;
    if (g->o->files) {
        g->matched = true;
        if (!g->o->quiet)
            wk_rg_print_path(g, path);
        return;
    }
    if (given)
        wk_rg_search_file(g, path, true);
    else
        wk_rg_search_found(g, here(w), w->path + w->name_at, path);
}

static void visit_dir(struct walk *w, const struct wk_stat *st)
{
    const struct wk_rg_opts *o = w->g->o;
    if (o->one_file_system && st->dev != w->root_dev)
        return;
    if (o->max_depth < 0 || (int64_t)w->depth < o->max_depth)
        enter(w, st);
}

static void visit(struct walk *w, const struct entry *e)
{
    const struct wk_rg_opts *o = w->g->o;
    struct wk_stat st = {.mode = e->type};
    bool link = e->type == WK_S_IFLNK;
    if (!e->type || (link && o->follow)) {
        int err = wk_at_stat(w->c, here(w), e->name.p, o->follow, &st);
        if (err) {
            complain(w, err);
            return;
        }
    }
    bool dir = WK_S_ISDIR(st.mode);
    const struct level *loop = dir && link ? loop_of(w, &st) : NULL;
    if (loop) {
        wk_rg_complain(w->g, "File system loop found: %s points to an ancestor %.*s", w->path, (int)loop->path_n,
                       w->path);
        return;
    }
    if ((!dir && !WK_S_ISREG(st.mode)) || is_skipped(w, dir))
        return;
    bool wants_stat = dir || o->max_filesize >= 0 || w->out.mode;
    if (wants_stat && !st.dev) {
        int err = wk_at_stat(w->c, here(w), e->name.p, false, &st);
        if (err) {
            complain(w, err);
            return;
        }
    }
    if (!dir && w->out.mode && wk_stat_same(&st, &w->out))
        return;
    if (dir)
        visit_dir(w, &st);
    else if (o->max_filesize < 0 || st.size <= (uint64_t)o->max_filesize)
        found_file(w, shown(w), false);
}

static void walk_tree(struct walk *w)
{
    struct wk_rg *g = w->g;
    bool listed = g->o->files && g->o->quiet;
    while (w->depth && !wk_rg_done(g) && !(listed && g->matched)) {
        struct level *l = &w->levels[w->depth - 1];
        if (l->i == l->n) {
            leave(w);
            continue;
        }
        const struct entry *e = &l->v[l->i++];
        set_path(w, l->path_n, e->name);
        visit(w, e);
        wk_tick(w->c, 16);
    }
}

static void walk_operand(struct walk *w, const char *path)
{
    struct wk_stat st;
    if (strcmp(path, "-") == 0) {
        if (!w->g->o->files)
            wk_rg_search_file(w->g, NULL, true);
        return;
    }
    set_path(w, 0, wk_str_c(path));
    w->name_at = 0;
    int err = wk_at_stat(w->c, NULL, path, true, &st);
    if (err) {
        complain(w, err);
        return;
    }
    if (!WK_S_ISDIR(st.mode)) {
        found_file(w, path, true);
        return;
    }
    w->root_dev = st.dev;
    wk_rg_rules_above(w->g, &w->above, path);
    if (w->g->o->max_depth != 0)
        enter(w, &st);
    walk_tree(w);
}

void wk_rg_walk(struct wk_rg *g)
{
    struct walk *w = wk_new(g->c, struct walk);
    w->g = g;
    w->c = g->c;
    wk_heap_own(g->c->heap, w, release_walk);
    wk_rg_rules_open(g, &w->above);
    wk_rg_read_types(g);
    if (!g->c->out->file || wk_file_stat(g->c->out->file, &w->out) < 0 || !WK_S_ISREG(w->out.mode))
        w->out = (struct wk_stat){.mode = 0};
    for (int i = 0; i < g->npaths && !wk_rg_done(g) && !(g->o->files && g->o->quiet && g->matched); i++)
        walk_operand(w, g->paths[i]);
}
