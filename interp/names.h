/* names.h - the session's intern table: byte string <-> small number
 *
 * Variables, functions and commands are named in trees by number. A number is stable for the life
 * of the table and never reused; numbers are dense from 0. Growth is charged to the account.
 *
 * Owner:  the session. Trees hold numbers only; they must not outlive the table they were made
 * with.
 * Limits: 2^32 - 2 names; a name shorter than 4 GiB.
 */
#ifndef WK_INTERP_NAMES_H
#define WK_INTERP_NAMES_H

#include "base/mem.h"
#include "base/str.h"

#define WK_NAME_NONE UINT32_MAX

struct wk_names;

/* A new, empty table on account m (which must outlive it), or NULL. `seed` salts the hash. */
struct wk_names *wk_names_new(struct wk_mem *m, uint64_t seed);
/* Frees the table; NULL is fine. */
void wk_names_free(struct wk_names *t);

/* The number of s, making one when it is new; WK_NAME_NONE when there is no memory. */
uint32_t wk_names_intern(struct wk_names *t, struct wk_str s);
/* The number of s, or WK_NAME_NONE when it was never interned. */
uint32_t wk_names_find(const struct wk_names *t, struct wk_str s);
/* The bytes of a number (NUL-terminated, never moved until the table is freed); "" for an unknown
 * number. */
struct wk_str wk_names_str(const struct wk_names *t, uint32_t id);
/* How many names there are: every number is below this. */
uint32_t wk_names_count(const struct wk_names *t);

/* The order of lists of functions and aliases: bytes, but letters beyond ASCII come before it by the first one. */
int wk_names_order(struct wk_str a, struct wk_str b);

/* The ] that closes the [ at s.p[at], past quotes and nested brackets; s.n when there is none. */
size_t wk_var_subscript_end(struct wk_str s, size_t at);

#endif
