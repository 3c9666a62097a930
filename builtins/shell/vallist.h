/* vallist.h - counted lists of values in the shell's state (directories, completions, bindings)
 *
 * Owner:  the state that points to the list; a shared one is copied before a change.
 * Limits: WK_VALLIST_MAX entries.
 */
#ifndef WK_BUILTINS_SHELL_VALLIST_H
#define WK_BUILTINS_SHELL_VALLIST_H

#include "interp/shell.h"

#define WK_VALLIST_MAX (1u << 20)

static inline uint32_t wk_vallist_count(const struct wk_dirstack *d)
{
    return d ? d->n : 0;
}
/* Makes the list one's own, so that entries may change places. 0 or -WK_ENOMEM. */
int wk_vallist_own(struct wk_shell *sh, struct wk_dirstack **list);
/* Appends a copy of s. 0 or -WK_ENOMEM. */
int wk_vallist_push(struct wk_shell *sh, struct wk_dirstack **list, struct wk_str s);
/* Replaces entry i (< count). 0 or -WK_ENOMEM. */
int wk_vallist_set(struct wk_shell *sh, struct wk_dirstack **list, uint32_t i, struct wk_str s);
/* Removes the entries from `from` to before `to` (from <= to <= count). 0 or -WK_ENOMEM. */
int wk_vallist_cut(struct wk_shell *sh, struct wk_dirstack **list, uint32_t from, uint32_t to);
/* Drops the list. */
void wk_vallist_clear(struct wk_shell *sh, struct wk_dirstack **list);

#endif
