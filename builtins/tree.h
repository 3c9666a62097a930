/* tree.h - what the parts of tree share: options, nodes, printing
 *
 * tree.c reads options and walks; tree_read.c reads directories; tree_text.c, tree_markup.c print.
 */
#ifndef WK_BUILTINS_TREE_H
#define WK_BUILTINS_TREE_H

#include "builtins/ftw.h"
#include "builtins/idnames.h"
#include "builtins/zone.h"

enum wk_tree_form { WK_TREE_TEXT, WK_TREE_JSON, WK_TREE_XML, WK_TREE_HTML };
enum wk_tree_sort { WK_TREE_BY_NAME, WK_TREE_BY_VERSION, WK_TREE_BY_SIZE, WK_TREE_BY_MTIME, WK_TREE_BY_CTIME };
enum wk_tree_lines { WK_TREE_ASCII, WK_TREE_UTF8, WK_TREE_CP437, WK_TREE_KOI8, WK_TREE_LATIN1, WK_TREE_ANSI };

struct wk_tree_opts {
    bool all, dirs_only, follow, full_path, one_fs, no_indent, hide, raw, quote, color, no_color;
    bool protection, user, group, size, human, si, date, by_ctime, classify, inodes, device, du, prune;
    bool reverse, unsorted, dirs_first, files_first, ignore_case, match_dirs, meta_first, no_report, no_links, rerun;
    int form, sort, lines;
    uint64_t level, file_limit; /* 0: none */
    const char *host, *title, *output, *time_format, *charset;
    struct wk_opt_list only, ignore;
};

struct wk_tree_node {
    const char *name;   /* a root's: the operand */
    char *path;         /* to open; also what -f prints */
    const char *target; /* text of a symbolic link; NULL */
    const char *err;    /* why it was not descended; NULL */
    struct wk_stat st;  /* of the link itself */
    struct wk_stat end; /* of what it leads to; the same without a link */
    uint64_t size;
    bool known, orphan, is_dir; /* is_dir: also a link to one */
    bool read;                  /* its entries are there */
    bool root, matched;         /* matched: -P matches its name (--matchdirs) */
    bool unfiltered;            /* so all of its files count: only right below a root, as in the real one */
    struct wk_tree_node **child;
    size_t n, at;
};

struct wk_tree_colors;

struct wk_tree {
    struct wk_cmd *c;
    struct wk_tree_opts o;
    struct wk_out *out;
    struct wk_ftw *walk;
    struct wk_idnames *ids;
    const struct wk_tz *tz;
    const struct wk_tree_colors *colors; /* NULL: none */
    struct wk_buf *text, *meta;          /* scratch */
    const char *host;                    /* of -H, without slashes at its end */
    const char *charset;
    bool utf8, full; /* full: the tree is read before it is printed */
    uint64_t dirs, files, total, root_dev;
    uint64_t *seen;  /* directories that were listed: pairs of device and inode, a hash table */
    size_t seen_n, seen_cap;
    struct wk_tree_node **open; /* the path from the root to the node that is printed */
    size_t depth, depth_cap;
    bool more_roots;
};

/* ---- tree_read.c ---- */

struct wk_tree_node *wk_tree_root(struct wk_tree *t, const char *operand);
/* Reads a directory's entries, filtered and sorted. Sets err when it cannot. */
void wk_tree_read(struct wk_tree *t, struct wk_tree_node *n);
/* Sorts a directory's entries: done by wk_tree_read unless the whole tree is read first. */
void wk_tree_order(struct wk_tree *t, struct wk_tree_node *n);
/* Forgets a node with all below it. */
void wk_tree_drop(struct wk_tree *t, struct wk_tree_node *n);
/* True when the directory was not listed before; remembers it. */
bool wk_tree_first_visit(struct wk_tree *t, const struct wk_stat *st);

/* ---- tree_text.c ---- */

/* "[…]" with what was asked for, or nothing. */
void wk_tree_meta(struct wk_tree *t, const struct wk_tree_node *n, struct wk_buf *b);
void wk_tree_size_text(const struct wk_tree_opts *o, uint64_t size, struct wk_buf *b);
void wk_tree_time_text(struct wk_tree *t, const struct wk_tree_node *n, struct wk_buf *b);
void wk_tree_indent(struct wk_tree *t);
void wk_tree_text_node(struct wk_tree *t, const struct wk_tree_node *n, bool root);
void wk_tree_report(struct wk_tree *t);
const struct wk_tree_colors *wk_tree_colors_new(struct wk_tree *t);

/* ---- tree_markup.c ---- */

void wk_tree_markup_begin(struct wk_tree *t);
/* A node before its entries; `last` among its siblings, `open` when entries follow. */
void wk_tree_markup_node(struct wk_tree *t, const struct wk_tree_node *n, bool last, bool open);
void wk_tree_markup_close(struct wk_tree *t, const struct wk_tree_node *n, bool last);
void wk_tree_markup_end(struct wk_tree *t);

#endif
