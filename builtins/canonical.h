/* canonical.h - names without links, dots and double slashes, as readlink and realpath make them */
#ifndef WK_BUILTINS_CANONICAL_H
#define WK_BUILTINS_CANONICAL_H

#include "builtins/fsops.h"

/* The canonical name of `path` in the process heap. With names_only links are not followed: `..` takes back
 * the name in front of it. Where nothing need exist (WK_REALPATH_NONE), a loop of links ends at one of them.
 * Errors: 0 or a positive WK_E… code. */
int wk_canonical(struct wk_cmd *c, const char *path, enum wk_realpath how, bool names_only, char **out);

#endif
