/* relpath.h - one absolute name relative to another */
#ifndef WK_BUILTINS_RELPATH_H
#define WK_BUILTINS_RELPATH_H

#include "kern/cmd.h"

/* The way from directory `from` to `to`, both canonical; "." when they are one. In the heap. */
char *wk_relative_path(struct wk_cmd *c, const char *from, const char *to);
/* Whether canonical `path` is `dir` or below it. */
bool wk_path_is_below(const char *path, const char *dir);

#endif
