/* lookup.h - where commands are: the table of hashed paths, and search along $PATH (bash 3.7.2)
 *
 * The table is shared by a shell and its subshells as a cache: finding a command fills it in place.
 * `hash` changes a copy of one's own. A path is trusted while the namespace generation and $PATH
 * are what they were.
 */
#ifndef WK_INTERP_LOOKUP_H
#define WK_INTERP_LOOKUP_H

#include "interp/run.h"

struct wk_hash_entry {
    uint32_t name; /* number */
    uint32_t hits;
    bool shown; /* `hash` lists it: found by the shell itself, or entered by hash -p */
    struct wk_val *path;
    const struct wk_command *command; /* what path holds; NULL: look */
    uint64_t gen;                     /* namespace generation when it was looked at */
};

/* Find the file of a command word; name without slash. 0 with leaf->path and ->command (valid until
 * the table changes: copy into the arena is done), -WK_ENOENT, -WK_EACCES (a file that may not be
 * executed; leaf->path is it), -WK_ENOMEM. default_path: `command -p`. */
int wk_leaf_find(struct wk_shell *sh, struct wk_str name, bool default_path, struct wk_leaf *leaf);

/* bash's table, whose order `hash` and ${BASH_CMDS[@]} have: newest first in each bucket. */
enum { WK_HASH_BUCKETS = 256 };
/* The entries of the table, oldest first; *n of them, some not shown. */
const struct wk_hash_entry *wk_hash_list(const struct wk_shell *sh, size_t *n);
/* hash -p, hash -d, hash -r. 0, -WK_ENOENT, -WK_ENOMEM. */
int wk_hash_set(struct wk_shell *sh, struct wk_str name, struct wk_str path);
int wk_hash_forget(struct wk_shell *sh, struct wk_str name);
void wk_hash_clear(struct wk_shell *sh);
/* The entry for a name, or NULL. */
const struct wk_hash_entry *wk_hash_get(struct wk_shell *sh, struct wk_str name);
/* The same, counted as a hit (hash -t). */
const struct wk_hash_entry *wk_hash_touch(struct wk_shell *sh, struct wk_str name);

/* The file along $PATH, in the arena; NULL when it is not there. Only a readable regular file counts. */
enum wk_flow wk_find_readable(struct wk_shell *sh, struct wk_str name, const char **out);

#endif
