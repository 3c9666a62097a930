/* ftw.c - walking directory trees without recursion */
#include "builtins/ftw.h"

static void release_tree(void *obj)
{
    struct wk_ftw *t = (struct wk_ftw *)obj;
    wk_ftw_stop(t);
}

struct wk_ftw *wk_ftw_new(struct wk_cmd *c)
{
    struct wk_ftw *t = wk_new(c, struct wk_ftw);
    t->c = c;
    wk_heap_own(c->heap, t, release_tree);
    return t;
}

static void path_room(struct wk_ftw *t, size_t n)
{
    if (n < t->path_cap)
        return;
    size_t cap = n < 128 ? 256 : n * 2;
    t->path = (char *)wk_heap_realloc(t->c->heap, t->path, cap);
    t->path_cap = cap;
}

void wk_ftw_start(struct wk_ftw *t, const char *operand)
{
    wk_ftw_stop(t);
    size_t n = strlen(operand);
    path_room(t, n);
    memcpy(t->path, operand, n + 1);
    t->path_n = n;
    t->name_at = 0;
}

int wk_ftw_enter(struct wk_ftw *t, const struct wk_stat *st)
{
    if (t->depth == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 16;
        struct wk_ftw_level *bigger = (struct wk_ftw_level *)wk_heap_calloc(
            t->c->heap, cap, sizeof *bigger);
        if (t->depth)
            memcpy(bigger, t->levels, t->depth * sizeof *bigger);
        wk_heap_free(t->c->heap, t->levels);
        t->levels = bigger;
        t->cap = cap;
    }
    struct wk_vlist *list;
    int err = wk_at_list(t->c, wk_ftw_dir(t), wk_ftw_name(t), &list);
    if (err)
        return err;
    t->levels[t->depth++] = (struct wk_ftw_level){.list = list,
                                                   .path_n = t->path_n,
                                                   .name_at = t->name_at,
                                                   .dev = st ? st->dev : 0,
                                                   .ino = st ? st->ino : 0};
    return 0;
}

bool wk_ftw_next(struct wk_ftw *t, struct wk_dirent *e, int *err)
{
    struct wk_ftw_level *top = wk_ftw_top(t);
    wk_tick(t->c, 8);
    int r;
    while ((r = wk_vlist_next(top->list, e)) == -WK_EAGAIN)
        wk_cmd_sleep(t->c, 1000000);
    *err = r < 0 ? -r : 0;
    size_t n = top->path_n;
    if (r <= 0) {
        t->path_n = n;
        t->path[n] = '\0';
        t->name_at = top->name_at;
        return false;
    }
    path_room(t, n + e->name.n + 1);
    if (n == 0 || t->path[n - 1] != '/')
        t->path[n++] = '/';
    memcpy(t->path + n, e->name.p, e->name.n);
    t->name_at = n;
    t->path_n = n + e->name.n;
    t->path[t->path_n] = '\0';
    return true;
}

void wk_ftw_leave(struct wk_ftw *t)
{
    struct wk_ftw_level *top = wk_ftw_top(t);
    t->path_n = top->path_n;
    t->path[t->path_n] = '\0';
    t->name_at = top->name_at;
    struct wk_vlist *list = top->list;
    t->depth--;
    wk_vlist_close(list);
}

void wk_ftw_stop(struct wk_ftw *t)
{
    while (t->depth)
        wk_vlist_close(t->levels[--t->depth].list);
}
