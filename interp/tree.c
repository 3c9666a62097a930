/* tree.c - a parsed command and the memory it stands in */
#include "interp/tree.h"

struct wk_tree *wk_tree_new(struct wk_mem *m, struct wk_str source_name)
{
    struct wk_arena a;
    wk_arena_init(&a, m);
    struct wk_tree *t = WK_ARENA_NEW(&a, struct wk_tree);
    if (!t)
        return NULL;
    char *name = wk_arena_strndup(&a, source_name.p, source_name.n);
    if (!name) {
        wk_arena_release(&a);
        return NULL;
    }
    t->refs = 1;
    t->source_name = wk_str(name, source_name.n);
    t->arena = a; /* the tree lies in its own arena */
    return t;
}

struct wk_tree *wk_tree_ref(struct wk_tree *t)
{
    t->refs++;
    return t;
}

void wk_tree_unref(struct wk_tree *t)
{
    if (!t || --t->refs != 0)
        return;
    struct wk_arena a = t->arena;
    wk_arena_release(&a);
}
