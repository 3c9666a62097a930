/* targets.h - where the operands of cp, mv, ln and install go */
#ifndef WK_BUILTINS_TARGETS_H
#define WK_BUILTINS_TARGETS_H

#include "builtins/fsops.h"

struct wk_targets {
    const char *dir;    /* the directory that gets them all; NULL: one source, one target */
    const char *target; /* with dir NULL */
    char **sources;
    size_t n;
};

/* Sorts out SOURCE DEST, SOURCE… DIRECTORY and -t DIRECTORY SOURCE…, with GNU's messages; ends the
 * process when the operands are wrong. `no_deref`: a link to a directory is no directory (ln -n). */
void wk_targets_read(struct wk_cmd *c, const char *dir_option, bool no_dir, bool no_deref,
                     struct wk_targets *t);
/* DIR/BASE for a source, in the heap. */
char *wk_target_in(struct wk_cmd *c, const char *dir, const char *source);

#endif
