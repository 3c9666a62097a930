/* idnames.h - names of users and groups
 *
 * Read from /etc/passwd and /etc/group of the session's files; without them the session's own user,
 * root and nobody are known.
 */
#ifndef WK_BUILTINS_IDNAMES_H
#define WK_BUILTINS_IDNAMES_H

#include "kern/cmd.h"

struct wk_idnames;

/* An empty table in the process heap; the files are read when first needed. */
struct wk_idnames *wk_idnames_new(struct wk_cmd *c);
/* The name of an id, or NULL. P */
const char *wk_user_name(struct wk_idnames *t, uint32_t uid);
const char *wk_group_name(struct wk_idnames *t, uint32_t gid);
/* The id of a name, or of a decimal number when `numbers`. False when unknown. P */
bool wk_user_id(struct wk_idnames *t, const char *name, bool numbers, uint32_t *uid);
bool wk_group_id(struct wk_idnames *t, const char *name, bool numbers, uint32_t *gid);
/* A user's login group. */
bool wk_user_group(struct wk_idnames *t, uint32_t uid, uint32_t *gid);
/* Further groups that list the user, in the file's order: ids[0..n). */
size_t wk_user_groups(struct wk_idnames *t, const char *user, const uint32_t **ids);

#endif
