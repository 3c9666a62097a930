/* column.c - lists in columns, and tables from lines of fields
 *
 * Oracle: column of util-linux 2.38.1.
 */
#include "builtins/column.h"

#include "base/num.h"
#include "base/utf8.h"
#include "builtins/fsops.h"
#include "builtins/zone.h"

struct column_opts {
    bool table, json, fill_rows, no_headings, repeat, keep_empty;
    const char *names, *order, *no_extreme, *hide, *right, *truncate, *wrap, *table_name;
    const char *tree, *tree_id, *tree_parent;
    const char *separator, *output_separator;
    uint64_t width, limit;
    bool width_given, limit_given;
};
#define CO struct column_opts

static uint64_t number_of(struct wk_cmd *c, const char *what, const char *arg)
{
    const char *p = arg + strspn(arg, " \t\n\v\f\r");
    bool negative = *p == '-' && wk_is_digit(p[1]);
    uint64_t v = 0;
    int err = wk_parse_u64(wk_str_c(p + (*p == '+' || negative)), 10, &v);
    if (err == -WK_ERANGE || (!err && (negative || v > UINT32_MAX)))
        wk_fail(c, 1, "invalid %s argument: '%s': Numerical result out of range", what, arg);
    if (err)
        wk_fail(c, 1, "invalid %s argument: '%s'", what, arg);
    return v;
}

static int set_width(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    CO *o = (CO *)c->opts;
    o->width = number_of(c, "columns", arg);
    o->width_given = true;
    return 0;
}

static int set_limit(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    CO *o = (CO *)c->opts;
    o->limit = number_of(c, "columns limit", arg);
    if (!o->limit)
        wk_fail(c, 1, "columns limit must be greater than zero");
    o->limit_given = true;
    return 0;
}

static int set_kind(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    CO *o = (CO *)c->opts;
    (void)arg;
    o->table = o->table || opt->value == 't';
    o->json = o->json || opt->value == 'J';
    o->fill_rows = o->fill_rows || opt->value == 'x';
    if (o->fill_rows && (o->table || o->json))
        wk_fail(c, 1, "mutually exclusive arguments: %s --fillrows",
                opt->value == 't' || !o->json ? "--table" : "--json");
    return 0;
}

static const struct wk_opt column_options[] = {
    WK_FUNC_OPT(set_kind, 't', 't', "table", NULL, "make a table of the fields of the lines"),
    WK_STR_OPT(CO, names, 'N', "table-columns", "NAMES", "names of the columns, with commas between"),
    WK_FUNC_OPT(set_limit, 0, 'l', "table-columns-limit", "NUM", "split lines into at most NUM fields"),
    WK_STR_OPT(CO, hide, 'H', "table-hide", "COLUMNS", "do not print these columns; - is those without a name"),
    WK_STR_OPT(CO, table_name, 'n', "table-name", "NAME", "name of the table in JSON"),
    WK_STR_OPT(CO, no_extreme, 'E', "table-noextreme", "COLUMNS", "do not let unusually long fields count"),
    WK_FLAG(CO, no_headings, 'd', "table-noheadings", "print no header"),
    WK_STR_OPT(CO, order, 'O', "table-order", "COLUMNS", "put these columns first, in this order"),
    WK_STR_OPT(CO, right, 'R', "table-right", "COLUMNS", "align these columns to the right"),
    WK_STR_OPT(CO, truncate, 'T', "table-truncate", "COLUMNS", "cut fields in these columns where room is short"),
    WK_STR_OPT(CO, wrap, 'W', "table-wrap", "COLUMNS", "continue fields on further lines where room is short"),
    WK_FLAG(CO, keep_empty, 'L', "table-empty-lines", "the same as --keep-empty-lines"),
    WK_FLAG(CO, repeat, 'e', "table-header-repeat", "print the header on every page"),
    WK_FLAG(CO, keep_empty, 'L', "keep-empty-lines", "take empty lines, too"),
    WK_FUNC_OPT(set_kind, 'J', 'J', "json", NULL, "print the table as JSON"),
    WK_STR_OPT(CO, tree, 'r', "tree", "COLUMN", "draw a tree in this column"),
    WK_STR_OPT(CO, tree_id, 'i', "tree-id", "COLUMN", "the column that names a line"),
    WK_STR_OPT(CO, tree_parent, 'p', "tree-parent", "COLUMN", "the column that names the line above it"),
    WK_STR_OPT(CO, output_separator, 'o', "output-separator", "STRING", "between columns of a table (two blanks)"),
    WK_FUNC_OPT(set_width, 0, 'c', "output-width", "WIDTH", "characters in a line"),
    WK_FUNC_OPT(set_width, 0, 'c', "columns", "WIDTH", "the same as --output-width"),
    WK_STR_OPT(CO, separator, 's', "separator", "CHARS", "characters that separate fields (blank and tab)"),
    WK_FUNC_OPT(set_kind, 'x', 'x', "fillrows", NULL, "fill rows before columns"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "the same as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

size_t wk_column_width(const struct column_table *t, struct wk_str s)
{
    size_t width = 0;
    for (size_t i = 0; i < s.n;) {
        uint32_t ch;
        i += wk_char_next(t->bytes, s.p + i, s.n - i, &ch);
        int w = wk_utf8_width(ch);
        width += w > 0 ? (size_t)w : 0;
    }
    return width;
}

static void *grown(struct wk_cmd *c, void *v, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return v;
    size_t more = *cap ? *cap * 2 : 16;
    char *p = wk_heap_calloc(c->heap, more, size);
    if (n)
        memcpy(p, v, n * size);
    wk_heap_free(c->heap, v);
    *cap = more;
    return p;
}

/* ---- lines ------------------------------------------------------------------------------------- */

/* The line in the heap: it ends at a NUL; bytes that are no characters become \xHH. */
static struct wk_str keep_line(struct column_table *t, struct wk_str line)
{
    const char *nul = line.n ? memchr(line.p, '\0', line.n) : NULL;
    if (nul)
        line.n = (size_t)(nul - line.p);
    size_t bad = 0;
    for (size_t i = 0; i < line.n;) {
        uint32_t ch;
        i += wk_char_next(t->bytes, line.p + i, line.n - i, &ch);
        bad += wk_utf8_is_bad(ch);
    }
    char *out = wk_heap_alloc(t->c->heap, bad ? 4 * line.n + 1 : line.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < line.n;) {
        uint32_t ch;
        size_t step = wk_char_next(t->bytes, line.p + i, line.n - i, &ch);
        if (wk_utf8_is_bad(ch)) {
            unsigned b = ch - WK_UTF8_BAD;
            memcpy(out + n, (char[4]){'\\', 'x', "0123456789abcdef"[b >> 4], "0123456789abcdef"[b & 15]}, 4);
            n += 4;
        } else if (bad && ch == '\\' && i + 1 < line.n && line.p[i + 1] == 'x') {
            memcpy(out + n, "\\x5c", 4);
            n += 4;
        } else {
            memcpy(out + n, line.p + i, step);
            n += step;
        }
        i += step;
    }
    out[n] = '\0';
    return wk_str(out, n);
}

/* Whether the character at s.p[i] is one of `set`; *step is its length. */
static bool is_one_of(const struct column_table *t, struct wk_str s, size_t i, struct wk_str set, size_t *step)
{
    uint32_t ch, one;
    *step = wk_char_next(t->bytes, s.p + i, s.n - i, &ch);
    for (size_t k = 0; k < set.n;) {
        k += wk_char_next(t->bytes, set.p + k, set.n - k, &one);
        if (one == ch)
            return true;
    }
    return false;
}

static void add_col(struct column_table *t, struct wk_str name)
{
    t->cols = grown(t->c, t->cols, t->ncols, &t->cols_cap, sizeof *t->cols);
    t->cols[t->ncols++] = (struct column_col){.name = name};
}

static struct column_row *add_row(struct column_table *t)
{
    t->rows = grown(t->c, t->rows, t->nrows, &t->rows_cap, sizeof *t->rows);
    return t->rows[t->nrows++] = wk_new(t->c, struct column_row);
}

/* The next field of s from *at on; false at the end. */
static bool next_field(const struct column_table *t, const CO *o, struct wk_str s, size_t *at, bool last,
                       struct wk_str *field)
{
    struct wk_str set = wk_str_c(o->separator ? o->separator : "\t ");
    size_t i = *at, step;
    while (!o->separator && !last && i < s.n && is_one_of(t, s, i, set, &step))
        i += step;
    if (i > s.n || (i == s.n && (!o->separator || !s.n)))
        return false;
    size_t from = i;
    if (last) {
        *field = wk_str_from(s, from);
        *at = s.n + 1;
        return true;
    }
    for (step = 0; i < s.n && !is_one_of(t, s, i, set, &step); step = 0)
        i += step;
    *field = wk_str(s.p + from, i - from);
    *at = step ? i + step : i + 1;
    wk_tick(t->c, (uint32_t)((i - from) / 64) + 1);
    return true;
}

static void add_fields(struct column_table *t, const CO *o, struct wk_str s)
{
    struct column_row *r = add_row(t);
    size_t at = 0, cap = 0;
    struct wk_str field;
    while (next_field(t, o, s, &at, o->limit_given && r->n + 1 >= o->limit, &field)) {
        if (r->n >= t->ncols) {
            if (o->json)
                wk_fail(t->c, 1, "line %zu: for JSON the name of the column %zu is required", t->nrows + (t->ncols > 0),
                        r->n + 1);
            add_col(t, wk_str(NULL, 0));
        }
        r->cells = grown(t->c, r->cells, r->n, &cap, sizeof *r->cells);
        r->cells[r->n++] = field;
    }
}

static bool is_blank(struct wk_str line)
{
    size_t i = 0;
    while (i < line.n && wk_is_space((unsigned char)line.p[i]))
        i++;
    return i == line.n || !line.p[i];
}

static void read_lines(struct column_table *t, const CO *o, struct wk_in *in)
{
    struct wk_str line;
    while (wk_line_next(in, '\n', &line)) {
        bool blank = is_blank(line);
        wk_tick(t->c, (uint32_t)(line.n / 64) + 1);
        if (blank && !o->keep_empty)
            continue;
        if (blank && o->table) {
            (void)add_row(t);
            continue;
        }
        struct wk_str s = blank ? wk_str("", 0) : keep_line(t, line);
        if (o->table) {
            add_fields(t, o, s);
            continue;
        }
        struct column_row *r = add_row(t);
        r->cells = wk_new(t->c, struct wk_str);
        r->cells[r->n++] = s;
    }
}

/* How many inputs could not be opened. */
static int read_inputs(struct column_table *t, const CO *o)
{
    struct wk_cmd *c = t->c;
    int failed = 0;
    for (int i = 0; i < (c->nargs ? c->nargs : 1); i++) {
        struct wk_in *in = c->in;
        struct wk_file *f;
        int err = c->nargs ? wk_cmd_open(c, c->args[i], WK_O_RDONLY, 0, &f) : 0;
        if (err) {
            wk_msg(c, "%s: %s", c->args[i], wk_err_text(err));
            failed++;
            continue;
        }
        if (c->nargs)
            in = wk_in_of(c, f, c->args[i]);
        const char *p;
        size_t n;
        struct wk_in probe = {.c = c, .file = in->file};
        int bad = 0;
        n = in->file ? wk_raw_next(c, &probe, &p, &bad) : 0;
        if (!in->file)
            bad = WK_EBADF;
        (void)n;
        if (bad)
            wk_fail(c, 1, "read failed: %s", wk_err_text(bad));
        read_lines(t, o, in);
        if (c->nargs)
            wk_in_close(in);
    }
    return failed;
}

/* ---- a list in columns ------------------------------------------------------------------------- */

static void print_list(const struct column_table *t, bool across)
{
    size_t longest = 0;
    for (size_t i = 0; i < t->nrows; i++)
        longest = WK_MAX(longest, wk_column_width(t, t->rows[i]->cells[0]));
    size_t width = (longest + 8) / 8 * 8, n = longest >= t->width ? 1 : t->width / width;
    if (!n)
        n = across ? WK_MAX(t->nrows, (size_t)1) : 1;
    size_t lines = (t->nrows + n - 1) / n;
    for (size_t l = 0; l < lines; l++) {
        size_t at = 0, column = 0, shown = 0;
        for (size_t k = 0; k < n; k++) {
            size_t i = across ? l * n + k : l + k * lines;
            if (i >= t->nrows)
                break;
            for (; at < column; at = (at + 8) / 8 * 8)
                wk_out_char(t->c->out, '\t');
            struct wk_str s = t->rows[i]->cells[0];
            wk_out_str(t->c->out, s);
            size_t w = wk_column_width(t, s);
            at += w;
            shown += w;
            column += width;
            wk_tick(t->c, 4);
        }
        if (!across || shown || l + 1 < lines)
            wk_out_char(t->c->out, '\n');
    }
}

/* ---- which columns ----------------------------------------------------------------------------- */

/* The number of the column of this name; SIZE_MAX: a number that is too large. */
static size_t col_of(const struct column_table *t, struct wk_str name)
{
    uint64_t v;
    if (wk_parse_u64(name, 10, &v) == 0 && v)
        return v <= t->ncols ? (size_t)v - 1 : SIZE_MAX;
    for (size_t i = 0; i < t->ncols; i++)
        if (t->cols[i].name.p && wk_str_eq(t->cols[i].name, name))
            return i;
    wk_fail(t->c, 1, "undefined column name '%s'", wk_dupn(t->c, name.p, name.n));
}

/* The next word between commas; empty ones do not count. */
static bool next_word(const char **p, struct wk_str *word)
{
    *p += strspn(*p, ",");
    size_t n = strcspn(*p, ",");
    *word = wk_str(*p, n);
    *p += n;
    return n > 0;
}

static void mark(struct column_table *t, const char *list, size_t offset)
{
    struct wk_str word;
    bool hide = offset == offsetof(struct column_col, hidden), all = list && !strcmp(list, "0");
    for (size_t i = 0; all && i < t->ncols; i++)
        *(bool *)((char *)&t->cols[i] + offset) = true;
    for (const char *p = all ? NULL : list; p && next_word(&p, &word);) {
        if (hide && wk_str_is(word, "-")) {
            for (size_t i = 0; i < t->ncols; i++)
                t->cols[i].hidden = t->cols[i].hidden || !t->cols[i].name.p;
            continue;
        }
        if (wk_str_is(word, "0")) /* means all only when it stands alone */
            continue;
        size_t i = col_of(t, word);
        if (i != SIZE_MAX)
            *(bool *)((char *)&t->cols[i] + offset) = true;
    }
}

/* Each column of the list goes behind the one before it in the list, the first one to the front. */
static void settle_order(struct column_table *t, const char *list)
{
    size_t *order = wk_new_n(t->c, size_t, t->ncols + 1), last = SIZE_MAX;
    for (size_t i = 0; i < t->ncols; i++)
        order[i] = i;
    t->order = order;
    t->nshown = t->ncols;
    struct wk_str word;
    for (const char *p = list; p && next_word(&p, &word);) {
        size_t i = wk_str_is(word, "0") ? SIZE_MAX : col_of(t, word), n = 0, at = 0;
        if (i == SIZE_MAX || i == last)
            continue;
        for (size_t k = 0; k < t->ncols; k++) {
            if (order[k] == i)
                continue;
            order[n++] = order[k];
            if (order[n - 1] == last)
                at = n;
        }
        memmove(order + at + 1, order + at, (n - at) * sizeof *order);
        order[at] = last = i;
        wk_tick(t->c, (uint32_t)t->ncols);
    }
}

static void drop_hidden(struct column_table *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->nshown; i++)
        if (!t->cols[t->order[i]].hidden)
            t->order[n++] = t->order[i];
    t->nshown = n;
}

static void settle_columns(struct column_table *t, const CO *o)
{
    if (o->tree) {
        t->tree_parent = col_of(t, wk_str_c(o->tree_parent));
        t->tree_id = col_of(t, wk_str_c(o->tree_id));
        t->tree_col = col_of(t, wk_str_c(o->tree));
        t->tree = t->tree_col != SIZE_MAX && t->tree_id != SIZE_MAX && t->tree_parent != SIZE_MAX;
    }
    mark(t, o->right, offsetof(struct column_col, right));
    mark(t, o->truncate, offsetof(struct column_col, truncate));
    mark(t, o->no_extreme, offsetof(struct column_col, no_extreme));
    mark(t, o->wrap, offsetof(struct column_col, wrap));
    if (!o->no_extreme && t->ncols)
        t->cols[t->ncols - 1].no_extreme = true;
    mark(t, o->hide, offsetof(struct column_col, hidden));
    settle_order(t, o->order);
    drop_hidden(t);
    if (t->tree)
        wk_column_grow_tree(t);
}

/* ---- main -------------------------------------------------------------------------------------- */

static size_t number_in_env(struct wk_cmd *c, const char *name, size_t otherwise)
{
    const char *text = wk_cmd_env(c, name);
    int64_t v;
    int err;
    if (text && wk_scan_i64(wk_str_c(text), 10, &v, &err) && !err && v > 0 && v <= INT32_MAX)
        return (size_t)v;
    return otherwise;
}

static void check(struct wk_cmd *c, CO *o)
{
    o->table = o->table || o->json;
    if (o->tree && (!o->tree_id || !o->tree_parent))
        wk_fail(c, 1, "options --tree-id and --tree-parent are required for tree formatting");
    if (!o->table && (o->order || o->table_name || o->hide || o->right || o->truncate || o->wrap || o->no_extreme ||
                      o->names || o->tree))
        wk_fail(c, 1, "option --table required for all --table-*");
    if (!o->names && o->json)
        wk_fail(c, 1, "option --table-columns required for --json");
}

static int column_main(struct wk_cmd *c)
{
    CO *o = (CO *)c->opts;
    check(c, o);
    struct column_table t = {.c = c, .bytes = !wk_cmd_utf8(c)};
    struct wk_str set = wk_str_c(o->separator);
    if (t.bytes ? wk_utf8_ascii(set) < set.n : !wk_utf8_valid(set))
        wk_fail(c, 1, "failed to use input separator: Invalid or incomplete multibyte or wide character");
    t.width = o->width_given ? (size_t)o->width : number_in_env(c, "COLUMNS", 80);
    t.page = number_in_env(c, "LINES", 24);
    t.separator = o->output_separator ? o->output_separator : "  ";
    t.name = o->table_name ? o->table_name : "table";
    t.headings = o->names && !o->no_headings;
    t.repeat_headings = o->repeat;
    struct wk_str word;
    for (const char *p = o->names; p && next_word(&p, &word);)
        add_col(&t, word);
    int failed = read_inputs(&t, o);
    c->status = !o->table && failed == c->nargs ? failed : failed ? 1 : 0; /* as the real one counts */
    if (!o->table) {
        print_list(&t, o->fill_rows);
        wk_out_may_be_closed(c);
        return c->status;
    }
    if (!t.nrows)
        return c->status;
    c->status = 0;
    settle_columns(&t, o);
    if (!t.ncols)
        return 1;
    if (o->json)
        wk_column_print_json(&t);
    else
        wk_column_print(&t);
    wk_out_may_be_closed(c);
    return c->status;
}

WK_COMMAND(column, .summary = "lay out lists in columns and tables", .usage = "column [OPTION]... [FILE]...",
           .help = "COLUMNS is a list of names or numbers, with commas between; 0 is all.", .std = "util-linux 2.38.1",
           .opts = column_options, .opts_size = sizeof(struct column_opts), .flags = WK_CMD_RAW_NAMES | WK_CMD_FILTER);
