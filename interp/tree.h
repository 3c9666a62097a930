/* tree.h - a parsed command and the memory it stands in
 *
 * A tree is an arena with a reference count (not atomic: a tree belongs to one session). It holds
 * one complete command with everything below it, including the bodies of the functions it defines
 * and the sub-trees of its command substitutions. Whoever keeps a pointer into a tree (a frame that
 * runs it, a function table) holds a reference.
 */
#ifndef WK_INTERP_TREE_H
#define WK_INTERP_TREE_H

#include "base/arena.h"

struct wk_node;

struct wk_tree {
    struct wk_arena arena;
    uint32_t refs;
    uint32_t first_line, last_line; /* of the command in its source */
    struct wk_node *root;            /* NULL: nothing to run (only comments or blank lines) */
    struct wk_str source_name;      /* as given to the parser; copied */
    struct wk_str text;             /* the command as read; empty unless WK_PARSE_KEEP_TEXT */
};

/* A new empty tree with one reference, charged to m; NULL when refused. The account must outlive
 * it. */
struct wk_tree *wk_tree_new(struct wk_mem *m, struct wk_str source_name);
/* One more reference; returns t. */
struct wk_tree *wk_tree_ref(struct wk_tree *t);
/* Drops a reference; the last one frees the tree. NULL is fine. */
void wk_tree_unref(struct wk_tree *t);

#endif
