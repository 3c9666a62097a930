/* alias.h - aliases (bash 6.6) */
#ifndef WK_INTERP_ALIAS_H
#define WK_INTERP_ALIAS_H

#include "interp/shell.h"

/* The value of an alias: valid until it is changed. */
bool wk_alias_get(const struct wk_shell *sh, struct wk_str name, struct wk_str *value);
/* 0 or -WK_ENOMEM. */
int wk_alias_set(struct wk_shell *sh, struct wk_str name, struct wk_str value);
/* 0 or -WK_ENOENT, -WK_ENOMEM. */
int wk_alias_unset(struct wk_shell *sh, struct wk_str name);
void wk_alias_clear(struct wk_shell *sh);
/* Has the name no character that ends a word or quotes? */
bool wk_alias_name_ok(struct wk_str name);
/* Names and values sorted by name. */
struct wk_alias {
    struct wk_val *name, *value;
};
const struct wk_alias *wk_alias_list(const struct wk_shell *sh, size_t *n);

#endif
