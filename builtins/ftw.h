/* ftw.h - walking directory trees without recursion
 *
 * Owner:   the command; open directories are closed when its process ends.
 * Limits:  depth is bounded by the file system and the account only. Names are resolved relative to
 *          the directory that is being listed, so long paths are no obstacle.
 */
#ifndef WK_BUILTINS_FTW_H
#define WK_BUILTINS_FTW_H

#include "builtins/fsops.h"

struct wk_ftw_level {
    struct wk_vlist *list;
    size_t path_n;      /* length of this directory's path */
    size_t name_at;     /* where its own name starts in the path */
    uint64_t dev, ino;
    void *data;         /* the command's own, NULL at first */
};

struct wk_ftw {
    struct wk_cmd *c;
    char *path;         /* of the present entry (or directory), as it is printed */
    size_t path_n, path_cap;
    size_t name_at;     /* where the present entry's name starts */
    struct wk_ftw_level *levels;
    size_t depth, cap;  /* open directories */
};

/* An empty tree, registered with the process heap. */
struct wk_ftw *wk_ftw_new(struct wk_cmd *c);
/* Starts at an operand: nothing is open, the path is the operand. */
void wk_ftw_start(struct wk_ftw *t, const char *operand);
/* Opens the present entry as a directory and goes into it. 0 or a positive code. */
int wk_ftw_enter(struct wk_ftw *t, const struct wk_stat *st);
/* The next entry of the innermost directory becomes the present one; false at its end (the present
 * entry is then the directory itself) or on an error in *err. */
bool wk_ftw_next(struct wk_ftw *t, struct wk_dirent *e, int *err);
/* Leaves the innermost directory, which becomes the present entry (named as when it was entered). */
void wk_ftw_leave(struct wk_ftw *t);
/* Leaves all. */
void wk_ftw_stop(struct wk_ftw *t);

/* Directory that the present entry's name is relative to; NULL: the working directory. */
static inline struct wk_vdir *wk_ftw_dir(const struct wk_ftw *t)
{
    return t->depth ? wk_vlist_dir(t->levels[t->depth - 1].list) : NULL;
}
/* The present entry's name, relative to that directory. */
static inline const char *wk_ftw_name(const struct wk_ftw *t)
{
    return t->path + t->name_at;
}
static inline struct wk_ftw_level *wk_ftw_top(struct wk_ftw *t)
{
    return &t->levels[t->depth - 1];
}

#endif
