/* column.h - what the parts of column share: a table in memory
 *
 * Owner:  everything lies in the process heap until the command ends.
 * Limits: the whole input is held, as the layout depends on its last line.
 */
#ifndef WK_BUILTINS_COLUMN_H
#define WK_BUILTINS_COLUMN_H

#include "kern/cmd.h"

struct column_col {
    struct wk_str name; /* p NULL: it has none */
    bool hidden, right, truncate, wrap, no_extreme;
    bool extreme; /* its longest cells do not count */
    size_t width, least, longest, average;
};

struct column_row {
    struct wk_str *cells; /* p NULL: missing */
    size_t n;
    struct column_row *parent, *child, *last_child, *next, *before; /* of a tree */
};

struct column_table {
    struct wk_cmd *c;
    bool bytes; /* a character is a byte */
    struct column_col *cols;
    size_t ncols, cols_cap;
    struct column_row **rows;
    size_t nrows, rows_cap;
    size_t *order; /* numbers of the columns that are shown, in order */
    size_t nshown;
    const char *separator, *name;
    bool headings, repeat_headings;
    size_t width, page; /* of the terminal: columns, lines */
    bool tree;
    size_t tree_col, tree_id, tree_parent;
};

/* Columns on the terminal. */
size_t wk_column_width(const struct column_table *t, struct wk_str s);
/* A cell, "" when it is missing. */
static inline struct wk_str wk_column_cell(const struct column_row *r, size_t col)
{
    return col < r->n && r->cells[col].p ? r->cells[col] : wk_str("", 0);
}

/* Hangs the rows below each other. */
void wk_column_grow_tree(struct column_table *t);
/* Of a tree, the row behind `r` in order of printing; NULL: r was the last below its root. */
struct column_row *wk_column_below(const struct column_row *r);

void wk_column_print(struct column_table *t);
void wk_column_print_json(struct column_table *t);

#endif
