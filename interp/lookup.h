/* lookup.h - where commands are: the table of hashed paths, and search along $PATH (bash 3.7.2)
 *
 * What a shell remembers (`shown') is its own: a subshell that finds a command and goes on does so in a copy.
 * Where a search went is kept in the table of the shell around, not shown, and is trusted while the
 * namespace generation and $PATH are what they were.
 */
#ifndef WK_INTERP_LOOKUP_H
#define WK_INTERP_LOOKUP_H

#include "interp/run.h"

struct wk_hash_entry {
    uint32_t name; /* number */
    uint32_t hits;
    bool shown; /* `hash` lists it: found by the shell itself, or entered by hash -p */
    struct wk_val *path;
    struct wk_env *env;      /* as it was started last, or NULL */
    struct wk_env *env_less; /* the same in a shell's place */
    const struct wk_command *command; /* what path holds; NULL: look */
    uint64_t gen;                     /* namespace generation when it was looked at */
};

/* Find the file of a command word; name without slash. 0 with leaf->path and ->command (valid until
 * the table changes: copy into the arena is done), -WK_ENOENT, -WK_EACCES (a file that may not be
 * executed; leaf->path is it), -WK_ENOMEM. DEFAULT_PATH: `command -p`. LAST: nothing comes after the command
 * in its shell, so that nobody can ask what was remembered. */
enum { WK_FIND_DEFAULT_PATH = 1, WK_FIND_LAST = 2 };
int wk_leaf_find(struct wk_shell *sh, struct wk_str name, int how, struct wk_leaf *leaf);

/* bash's table, whose order `hash` and ${BASH_CMDS[@]} have: newest first in each bucket. */
enum { WK_HASH_BUCKETS = 256 };
/* The entries of the table, oldest first; *n of them, some not shown. */
const struct wk_hash_entry *wk_hash_list(const struct wk_shell *sh, size_t *n);
/* hash -p, hash -d, hash -r. 0, -WK_ENOENT, -WK_ENOMEM. */
int wk_hash_set(struct wk_shell *sh, struct wk_str name, struct wk_str path);
int wk_hash_forget(struct wk_shell *sh, struct wk_str name);
void wk_hash_clear(struct wk_shell *sh);
/* The entry for a name, counted as a hit, or NULL. */
const struct wk_hash_entry *wk_hash_touch(struct wk_shell *sh, struct wk_str name);

/* Where the command is, as it is told: in the working directory with "./" in front. NULL: it is not there any more. */
struct wk_str wk_hash_path(struct wk_shell *sh, const struct wk_hash_entry *e);
/* A relative path behind the working directory; NULL: no memory. */
struct wk_str wk_path_here(struct wk_shell *sh, struct wk_str path);
/* Without $PATH every name is that of a file of the working directory. A list counts as a path with nothing in it when
 * it has one element, and else as one that leads nowhere. */
bool wk_has_no_path(struct wk_shell *sh);
/* Does EXECIGNORE say that the file is no command? */
bool wk_exec_ignored(struct wk_shell *sh, struct wk_str path);

/* A subshell ends: where it found commands is of use to its parent. */
void wk_hashed_keep(struct wk_state *parent, struct wk_state *child);

/* One step along a search path: the first of *dirs (none: no pointer) is taken off, and *path is `name` in it, in the
 * arena. An empty one is ".". false: no memory. */
bool wk_path_step(struct wk_shell *sh, struct wk_str *dirs, struct wk_str name, struct wk_str *path);
/* The file along $PATH, in the arena; NULL when it is not there. Only a readable regular file counts. */
enum wk_flow wk_find_readable(struct wk_shell *sh, struct wk_str name, const char **out);

#endif
