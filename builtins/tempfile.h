/* tempfile.h - temporary files of commands: without a name as soon as they are open */
#ifndef WK_BUILTINS_TEMPFILE_H
#define WK_BUILTINS_TEMPFILE_H

#include "builtins/fsops.h"

/* $TMPDIR, or /tmp. */
const char *wk_temp_dir(struct wk_cmd *c);
/* Makes a file in `dir` that is called PREFIXXXXXXX for a moment, open for reading and writing; it is
 * gone when it is closed or the process ends, however it does. *name, in the heap, is what it was
 * called. 0 or a positive error. P A */
int wk_temp_open(struct wk_cmd *c, const char *dir, const char *prefix, struct wk_file **out,
                 const char **name);

#endif
