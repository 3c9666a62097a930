/* backup.h - backups of files that cp, mv, ln and install replace */
#ifndef WK_BUILTINS_BACKUP_H
#define WK_BUILTINS_BACKUP_H

#include "builtins/fsops.h"

enum wk_backup { WK_BACKUP_NONE, WK_BACKUP_SIMPLE, WK_BACKUP_EXISTING, WK_BACKUP_NUMBERED };

/* The kind from --backup[=control] (NULL: not given), -b, and $VERSION_CONTROL; a bad word ends the
 * process. */
enum wk_backup wk_backup_kind(struct wk_cmd *c, bool b_flag, const char *control, const char *suffix);
/* The suffix of simple backups: -S, $SIMPLE_BACKUP_SUFFIX, "~". */
const char *wk_backup_suffix(struct wk_cmd *c, const char *option);
/* Where the backup of `path` goes, in the heap. `name` is path's last part relative to dir. The result
 * has path's directory part. */
char *wk_backup_name(struct wk_cmd *c, struct wk_vdir *dir, const char *path, enum wk_backup kind,
                     const char *suffix);

#endif
