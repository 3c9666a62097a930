/* vercmp.h - names in the order of the version numbers in them (ls -v, sort -V) */
#ifndef WK_BUILTINS_VERCMP_H
#define WK_BUILTINS_VERCMP_H

#include "base/str.h"

/* GNU's version order of file names: < 0, 0, > 0. Equal for "a01" and "a1": the caller breaks ties. */
int wk_version_cmp(struct wk_str a, struct wk_str b);

#endif
