/* alias.h - aliases (bash 6.6) */
#ifndef WK_INTERP_ALIAS_H
#define WK_INTERP_ALIAS_H

#include "interp/shell.h"
#include "interp/vars_array.h"

/* bash's table of aliases, whose order ${BASH_ALIASES[@]} has. */
enum { WK_ALIAS_BUCKETS = 64 };

bool wk_alias_name_ok(struct wk_str name);
/* The value of an alias: valid until it is changed. */
bool wk_alias_get(const struct wk_shell *sh, struct wk_str name, struct wk_str *value);
/* 0 or -WK_ENOMEM. */
int wk_alias_set(struct wk_shell *sh, struct wk_str name, struct wk_str value);
/* 0 or -WK_ENOENT, -WK_ENOMEM. */
int wk_alias_unset(struct wk_shell *sh, struct wk_str name);
void wk_alias_clear(struct wk_shell *sh);
/* Are there any, and are words looked up among them? */
bool wk_aliases_apply(const struct wk_shell *sh);
/* … in a substitution when it runs: in POSIX mode those of $( ) were looked up when it was read. */
bool wk_aliases_apply_in(const struct wk_shell *sh, const struct wk_cmdsub *sub);
/* Sets the aliases of one shell in another, in an order that gives the same order of walking. 0 or
 * -WK_ENOMEM. */
int wk_alias_copy(const struct wk_shell *from, struct wk_shell *to);
/* Names and values sorted by name, in the shell's arena; they are valid until an alias changes. 0 or
 * -WK_ENOMEM. */
struct wk_alias {
    struct wk_str name, value;
};
WK_NODISCARD int wk_alias_list(struct wk_shell *sh, struct wk_alias **list, size_t *n);

#endif
