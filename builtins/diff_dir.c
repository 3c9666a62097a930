/* diff_dir.c - diff: directories, name by name
 *
 * Standard: GNU diffutils 3.8. Oracle: diff -r.
 */
#include "builtins/diff.h"
#include "builtins/ftw.h"
#include "builtins/ptrsort.h"

/* Two directories that are being compared: their names in order, and how far it has come. */
struct level {
    char *path[2];
    bool absent[2];
    struct wk_stat st[2];
    const char **name[2];
    size_t n[2], at[2];
};

struct walk {
    struct wk_cmd *c;
    const struct diff_opts *o;
    struct wk_ftw *tree; /* for one directory at a time */
    struct level *level;
    size_t depth, cap;
    int status;
};

static int compare_names(void *ctx, const void *a, const void *b)
{
    const struct diff_opts *o = (const struct diff_opts *)ctx;
    const char *x = (const char *)a, *y = (const char *)b;
    if (!o->fold_names)
        return strcmp(x, y);
    for (;; x++, y++) {
        int p = *x >= 'A' && *x <= 'Z' ? *x + 32 : *x, q = *y >= 'A' && *y <= 'Z' ? *y + 32 : *y;
        if (p != q)
            return (p & 255) - (q & 255);
        if (!*x)
            return 0;
    }
}

/* The names of a directory that take part, sorted; false after a message. */
static bool list_names(struct walk *w, struct level *l, int which)
{
    struct wk_cmd *c = w->c;
    if (l->absent[which])
        return true;
    wk_ftw_start(w->tree, l->path[which]);
    int err = wk_ftw_enter(w->tree, NULL);
    size_t cap = 0, n = 0;
    struct wk_dirent e;
    while (!err && wk_ftw_next(w->tree, &e, &err)) {
        const char *name = wk_ftw_name(w->tree);
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || wk_diff_excluded(c, name))
            continue;
        if (n == cap) {
            cap = cap * 2 + 16;
            l->name[which] =
                (const char **)wk_heap_realloc(c->heap, l->name[which], cap * sizeof(char *));
        }
        l->name[which][n++] = wk_dup(c, name);
    }
    wk_ftw_stop(w->tree);
    if (err) {
        wk_warn(c, l->path[which], err);
        return false;
    }
    l->n[which] = n;
    wk_ptr_sort(c, (const void **)l->name[which], n, compare_names, (void *)(uintptr_t)w->o);
    return true;
}

static void leave(struct walk *w)
{
    struct level *l = &w->level[--w->depth];
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < l->n[i]; k++)
            wk_heap_free(w->c->heap, (void *)(uintptr_t)l->name[i][k]);
        wk_heap_free(w->c->heap, l->name[i]);
        wk_heap_free(w->c->heap, l->path[i]);
    }
}

static void worse(struct walk *w, int status)
{
    if (status > w->status)
        w->status = status;
}

/* A link back to a directory that is being compared. */
static bool is_loop(struct walk *w, const struct diff_sides *s)
{
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < w->depth; k++)
            if (!s->absent[i] && !w->level[k].absent[i] &&
                wk_stat_same(&w->level[k].st[i], &s->st[i])) {
                wk_msg(w->c, "%s: recursive directory loop", s->name[i]);
                return true;
            }
    return false;
}

static void enter(struct walk *w, const struct diff_sides *s)
{
    if (is_loop(w, s)) {
        worse(w, 2);
        return;
    }
    if (w->depth == w->cap) {
        w->cap = w->cap * 2 + 8;
        w->level = (struct level *)wk_heap_realloc(w->c->heap, w->level, w->cap * sizeof *w->level);
    }
    struct level *l = &w->level[w->depth];
    *l = (struct level){.absent = {s->absent[0], s->absent[1]}};
    for (int i = 0; i < 2; i++) {
        l->path[i] = wk_dup(w->c, s->name[i]);
        l->st[i] = s->st[i];
    }
    w->depth++;
    bool good = list_names(w, l, 0);
    good = list_names(w, l, 1) && good;
    if (good)
        return;
    worse(w, 2);
    leave(w);
}

char *wk_diff_join(struct wk_cmd *c, const char *dir, const char *name)
{
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    return wk_strf(c, n == 1 && *dir == '/' ? "%.*s%s" : "%.*s/%s", (int)n, dir, name);
}

/* A name that only one of the directories has. */
static bool compares_absent(const struct walk *w, const struct level *l, int which)
{
    return w->o->new_file || l->absent[!which] || (which == 1 && w->o->new_first_file);
}

static void compare_entry(struct walk *w, struct level *l, const char *a, const char *b)
{
    struct wk_cmd *c = w->c;
    struct diff_sides s = {.absent = {!a, !b}, .below = true};
    s.name[0] = wk_diff_join(c, l->path[0], a ? a : b);
    s.name[1] = wk_diff_join(c, l->path[1], b ? b : a);
    bool descend = false;
    int which = a ? 0 : 1;
    if ((!a || !b) && !compares_absent(w, l, which)) {
        wk_out_fmt(c->out, "%sOnly in %s: %s\n", wk_diff_lead(w->o), l->path[which], a ? a : b);
        worse(w, 1);
    } else {
        worse(w, wk_diff_pair(c, &s, &descend));
    }
    if (descend)
        enter(w, &s);
    wk_heap_free(c->heap, (void *)(uintptr_t)s.name[0]);
    wk_heap_free(c->heap, (void *)(uintptr_t)s.name[1]);
}

/* Where --starting-file begins at the top. */
static void skip_to_start(struct walk *w, struct level *l)
{
    for (int i = 0; w->o->start && i < 2; i++)
        while (l->at[i] < l->n[i] &&
               compare_names((void *)(uintptr_t)w->o, l->name[i][l->at[i]], w->o->start) < 0)
            l->at[i]++;
}

int wk_diff_directories(struct wk_cmd *c, const struct diff_opts *o, const struct diff_sides *s)
{
    struct walk w = {.c = c, .o = o, .tree = wk_ftw_new(c)};
    enter(&w, s);
    if (w.depth)
        skip_to_start(&w, &w.level[0]);
    while (w.depth) {
        struct level *l = &w.level[w.depth - 1];
        const char *a = l->at[0] < l->n[0] ? l->name[0][l->at[0]] : NULL;
        const char *b = l->at[1] < l->n[1] ? l->name[1][l->at[1]] : NULL;
        if (!a && !b) {
            leave(&w);
            continue;
        }
        int order = !a ? 1 : !b ? -1 : compare_names((void *)(uintptr_t)o, a, b);
        l->at[0] += order <= 0;
        l->at[1] += order >= 0;
        compare_entry(&w, l, order <= 0 ? a : NULL, order >= 0 ? b : NULL);
    }
    return w.status;
}
