/* column_print.c - column: widths, lines and trees of a table
 *
 * Oracle: column of util-linux 2.38.1.
 */
#include "base/utf8.h"
#include "builtins/column.h"
#include "builtins/zone.h"

/* ---- trees ------------------------------------------------------------------------------------- */

static void detach(struct column_row *r)
{
    struct column_row *p = r->parent;
    if (!p)
        return;
    *(r->before ? &r->before->next : &p->child) = r->next;
    *(r->next ? &r->next->before : &p->last_child) = r->before;
    r->parent = r->next = r->before = NULL;
}

static bool is_above(struct wk_cmd *c, const struct column_row *r, const struct column_row *below)
{
    for (; below; below = below->parent) {
        wk_tick(c, 1);
        if (below == r)
            return true;
    }
    return false;
}

void wk_column_grow_tree(struct column_table *t)
{
    for (size_t i = 0; i < t->nrows; i++) {
        struct column_row *p = t->rows[i];
        if (t->tree_id >= p->n)
            continue;
        for (size_t k = 0; k < t->nrows; k++) {
            struct column_row *r = t->rows[k];
            wk_tick(t->c, 1);
            if (t->tree_parent >= r->n || !wk_str_eq(r->cells[t->tree_parent], p->cells[t->tree_id]) ||
                is_above(t->c, r, p))
                continue;
            detach(r);
            r->parent = p;
            r->before = p->last_child;
            *(p->last_child ? &p->last_child->next : &p->child) = r;
            p->last_child = r;
        }
    }
}

struct column_row *wk_column_below(const struct column_row *r)
{
    if (r->child)
        return r->child;
    for (; r; r = r->parent)
        if (r->parent && r->next)
            return r->next;
    return NULL;
}

/* Puts the branches in front of the cells of the tree's column. */
static void draw_tree(struct column_table *t)
{
    struct wk_buf *b = wk_cmd_buf(t->c, SIZE_MAX / 2);
    for (size_t i = 0; i < t->nrows; i++) {
        struct column_row *r = t->rows[i];
        if (!r->parent)
            continue;
        size_t depth = 0;
        for (const struct column_row *p = r; p->parent; p = p->parent)
            depth++;
        const char **part = wk_new_n(t->c, const char *, depth);
        wk_tick(t->c, (uint32_t)depth);
        size_t at = depth;
        for (const struct column_row *p = r; p->parent; p = p->parent) {
            if (p == r)
                part[--at] = p->next ? (t->bytes ? "|-" : "├─") : (t->bytes ? "`-" : "└─");
            else
                part[--at] = p->next ? (t->bytes ? "| " : "│ ") : "  ";
        }
        wk_buf_reset(b);
        for (size_t k = 0; k < depth; k++)
            wk_buf_put_c(b, part[k]);
        struct wk_str cell = wk_column_cell(r, t->tree_col);
        wk_buf_puts(b, cell);
        if (b->failed)
            wk_fail(t->c, 1, "%s", wk_err_text(WK_ENOMEM));
        if (t->tree_col >= r->n) {
            struct wk_str *cells = wk_new_n(t->c, struct wk_str, t->tree_col + 1);
            if (r->n)
                memcpy(cells, r->cells, r->n * sizeof *cells);
            r->cells = cells;
            r->n = t->tree_col + 1;
        }
        r->cells[t->tree_col] = wk_str(wk_dupn(t->c, b->p, b->n), b->n);
        wk_heap_free(t->c->heap, part);
    }
}

/* ---- widths ------------------------------------------------------------------------------------ */

static void measure(struct column_table *t, size_t number)
{
    struct column_col *col = &t->cols[number];
    size_t sum = 0;
    col->least = col->name.p ? wk_column_width(t, col->name) : 0;
    col->longest = 0;
    for (size_t i = 0; i < t->nrows; i++) {
        struct wk_str s = wk_column_cell(t->rows[i], number);
        size_t w = wk_column_width(t, s);
        wk_tick(t->c, (uint32_t)(s.n / 16) + 1);
        sum += w;
        col->longest = WK_MAX(col->longest, w);
    }
    col->average = sum / t->nrows;
    col->width = WK_MAX(col->longest, col->least);
    col->least = WK_MAX(col->least, (size_t)1);
}

static size_t total_width(const struct column_table *t)
{
    size_t sum = 0, gap = wk_column_width(t, wk_str_c(t->separator));
    for (size_t k = 0; k < t->nshown; k++)
        sum += t->cols[t->order[k]].width + (k ? gap : 0);
    return sum;
}

/* The longest cell that is not an extreme one. */
static void leave_out_extremes(struct column_table *t, size_t number)
{
    struct column_col *col = &t->cols[number];
    size_t longest = 0;
    for (size_t i = 0; i < t->nrows; i++) {
        size_t w = wk_column_width(t, wk_column_cell(t->rows[i], number));
        wk_tick(t->c, 4);
        if (w <= 2 * col->average)
            longest = WK_MAX(longest, w);
    }
    col->extreme = true;
    col->width = WK_MAX(longest, col->least);
}

static void settle_widths(struct column_table *t)
{
    for (size_t k = 0; k < t->nshown; k++)
        measure(t, t->order[k]);
    size_t total = total_width(t);
    bool fits = total <= t->width;
    for (size_t k = 0; k < t->nshown; k++) {
        struct column_col *col = &t->cols[t->order[k]];
        if (!col->no_extreme || !col->average || col->longest <= 2 * col->average)
            continue;
        if (fits)
            col->width = col->longest; /* the header does not count either */
        else
            leave_out_extremes(t, t->order[k]);
    }
    if (fits)
        return;
    total = total_width(t);
    for (size_t k = 0; k < t->nshown && total < t->width; k++) {
        struct column_col *col = &t->cols[t->order[k]];
        if (!col->extreme)
            continue;
        if (col->longest <= col->width) {
            total -= col->width - col->longest;
            col->width = col->longest;
            continue;
        }
        size_t more = WK_MIN(col->longest - col->width, t->width - total);
        col->width += more;
        total += more;
    }
    for (bool any = true; any && total > t->width;) {
        any = false;
        for (size_t k = 0; k < t->nshown && total > t->width; k++) {
            struct column_col *col = &t->cols[t->order[k]];
            if ((!col->truncate && !col->wrap) || col->width <= col->least)
                continue;
            col->width--;
            total--;
            any = true;
        }
        wk_tick(t->c, (uint32_t)t->nshown);
    }
}

/* ---- lines ------------------------------------------------------------------------------------- */

static void pad(struct column_table *t, size_t n)
{
    while (n-- > 0)
        wk_out_char(t->c->out, ' ');
}

/* The part of s that fits into `width`; *taken is its width. */
static struct wk_str fit(const struct column_table *t, struct wk_str s, size_t width, size_t *taken)
{
    size_t i = 0, at = 0;
    while (i < s.n) {
        uint32_t ch;
        size_t step = wk_char_next(t->bytes, s.p + i, s.n - i, &ch);
        int w = wk_utf8_width(ch);
        if (w > 0 && at + (size_t)w > width)
            break;
        at += w > 0 ? (size_t)w : 0;
        i += step;
    }
    *taken = at;
    return wk_str_take(s, i);
}

/* Prints one cell, or the first part of it; gives the rest. */
static struct wk_str print_cell(struct column_table *t, size_t k, struct wk_str s, bool heading, bool continued)
{
    const struct column_col *col = &t->cols[t->order[k]];
    bool last = k + 1 == t->nshown;
    size_t width;
    struct wk_str part = s, rest = wk_str("", 0);
    if (col->truncate || (col->wrap && !heading)) {
        part = fit(t, s, col->width, &width);
        if (!col->truncate && !(part.n == 0 && s.n))
            rest = wk_str_from(s, part.n);
    } else {
        width = wk_column_width(t, s);
    }
    size_t room = col->width > width ? col->width - width : 0;
    if (col->right && !continued && !(last && !s.n))
        pad(t, room);
    wk_out_str(t->c->out, part);
    if (last)
        return rest;
    if (width > col->width && !col->right) {
        wk_out_char(t->c->out, '\n');
        for (size_t i = 0; i <= k; i++) {
            pad(t, t->cols[t->order[i]].width);
            wk_out_c(t->c->out, t->separator);
        }
        return rest;
    }
    if (!col->right || continued)
        pad(t, room);
    wk_out_c(t->c->out, t->separator);
    return rest;
}

static void print_heading(struct column_table *t)
{
    for (size_t k = 0; k < t->nshown; k++) {
        struct wk_str name = t->cols[t->order[k]].name;
        (void)print_cell(t, k, name.p ? name : wk_str("", 0), true, false);
    }
    wk_out_char(t->c->out, '\n');
}

static void print_row(struct column_table *t, const struct column_row *r, struct wk_str *rest)
{
    bool more = false;
    for (size_t k = 0; k < t->nshown; k++) {
        rest[k] = print_cell(t, k, wk_column_cell(r, t->order[k]), false, false);
        more = more || rest[k].n;
    }
    wk_out_char(t->c->out, '\n');
    while (more) {
        more = false;
        for (size_t k = 0; k < t->nshown; k++) {
            rest[k] = print_cell(t, k, rest[k], false, true);
            more = more || rest[k].n;
        }
        wk_out_char(t->c->out, '\n');
    }
}

void wk_column_print(struct column_table *t)
{
    if (t->tree)
        draw_tree(t);
    settle_widths(t);
    struct wk_str *rest = wk_new_n(t->c, struct wk_str, t->nshown + 1);
    size_t line = 0;
    for (size_t i = 0; i < t->nrows; i++) {
        if (t->tree && t->rows[i]->parent)
            continue;
        for (const struct column_row *r = t->rows[i]; r; r = t->tree ? wk_column_below(r) : NULL) {
            if (t->headings && (!line || (t->repeat_headings && !t->tree && line % t->page == 0)))
                print_heading(t);
            print_row(t, r, rest);
            line++;
        }
    }
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static void put_string(struct column_table *t, struct wk_str s, bool lower)
{
    struct wk_out *out = t->c->out;
    wk_out_char(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char ch = (unsigned char)s.p[i];
        const char *at = memchr("\"\\\b\f\n\r\t", ch, 7);
        if (at && ch) {
            wk_out_char(out, '\\');
            wk_out_char(out, "\"\\bfnrt"[at - "\"\\\b\f\n\r\t"]);
        } else if (ch < 0x20) {
            wk_out_fmt(out, "\\u%04x", ch);
        } else {
            wk_out_char(out, lower ? (char)wk_to_lower(ch) : (char)ch);
        }
    }
    wk_out_char(out, '"');
}

static void put_fields(struct column_table *t, const struct column_row *r, size_t depth)
{
    size_t margin = 9 + 6 * depth;
    for (size_t k = 0; k < t->nshown; k++) {
        struct wk_str s = wk_column_cell(r, t->order[k]);
        if (k)
            wk_out_c(t->c->out, ",\n");
        pad(t, margin);
        put_string(t, t->cols[t->order[k]].name, true);
        wk_out_c(t->c->out, ": ");
        if (s.n)
            put_string(t, s, false);
        else
            wk_out_c(t->c->out, "null");
    }
    if (r->child) {
        wk_out_c(t->c->out, t->nshown ? ",\n" : "");
        pad(t, margin);
        wk_out_c(t->c->out, "\"children\": [\n");
        pad(t, margin + 3);
        wk_out_c(t->c->out, "{\n");
        return;
    }
    wk_out_char(t->c->out, '\n');
}

/* Closes the objects that end with r, and opens the next one. */
static void put_ends(struct column_table *t, const struct column_row *r, size_t *depth, bool more)
{
    for (;; r = r->parent) {
        size_t margin = 6 + 6 * *depth;
        bool another = r->parent ? r->next != NULL : more;
        pad(t, margin);
        wk_out_c(t->c->out, another ? "},{\n" : "}\n");
        if (another || !r->parent)
            return;
        pad(t, margin - 3);
        wk_out_c(t->c->out, "]\n");
        --*depth;
    }
}

void wk_column_print_json(struct column_table *t)
{
    wk_out_c(t->c->out, "{\n   ");
    put_string(t, wk_str_c(t->name), true);
    wk_out_c(t->c->out, ": [\n      {\n");
    size_t last = 0, depth = 0;
    for (size_t i = 0; i < t->nrows; i++)
        if (!t->rows[i]->parent)
            last = i;
    for (size_t i = 0; i < t->nrows; i++) {
        if (t->rows[i]->parent)
            continue;
        for (const struct column_row *r = t->rows[i]; r; r = wk_column_below(r)) {
            put_fields(t, r, depth);
            if (r->child)
                depth++;
            else
                put_ends(t, r, &depth, i < last);
        }
    }
    wk_out_c(t->c->out, "   ]\n}\n");
}
