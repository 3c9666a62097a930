/* ls_format.c - layout of ls */
#include "base/num.h"
#include "base/utf8.h"
#include "builtins/ls.h"

/* Widths of the long format's columns: wk_ls.widths. */
enum { W_INODE, W_BLOCKS, W_NLINK, W_OWNER, W_GROUP, W_AUTHOR, W_SIZE, W_MAJOR, W_MINOR };

static size_t digits(uint64_t v)
{
    size_t n = 1;
    for (; v >= 10; v /= 10)
        n++;
    return n;
}

static void grow(size_t *w, size_t n)
{
    if (n > *w)
        *w = n;
}

static const char *id_name(struct wk_ls *l, uint32_t id, bool user)
{
    const char *name = NULL;
    if (!l->o->numeric)
        name = user ? wk_user_name(l->ids, id) : wk_group_name(l->ids, id);
    return name;
}

static size_t id_width(struct wk_ls *l, const struct wk_ls_file *f, bool user)
{
    uint32_t id = user ? f->st.uid : f->st.gid;
    if (!f->stat_ok)
        return 1;
    const char *name = id_name(l, id, user);
    return name ? wk_utf8_columns(wk_str_c(name)) : digits(id);
}

static size_t block_text(struct wk_ls *l, char out[WK_HUMAN_MAX], uint64_t blocks)
{
    return wk_human_size(out, blocks * 512, &l->blocks);
}

void wk_ls_measure(struct wk_ls *l)
{
    char text[WK_HUMAN_MAX];
    size_t *w = l->widths;
    memset(w, 0, sizeof l->widths);
    bool is_long = l->o->format == WK_LS_LONG;
    for (size_t i = 0; i < l->n; i++) {
        const struct wk_ls_file *f = wk_ls_at(l, i);
        if (l->o->inode)
            grow(&w[W_INODE], f->st.ino ? digits(f->st.ino) : 1);
        if (l->o->blocks)
            grow(&w[W_BLOCKS], f->stat_ok ? block_text(l, text, f->st.blocks) : 1);
        if (!is_long)
            continue;
        grow(&w[W_NLINK], f->stat_ok ? digits(f->st.nlink) : 1);
        if (!l->o->no_owner)
            grow(&w[W_OWNER], id_width(l, f, true));
        if (!l->o->no_group)
            grow(&w[W_GROUP], id_width(l, f, false));
        if (l->o->author)
            grow(&w[W_AUTHOR], id_width(l, f, true));
        if (f->stat_ok && (WK_S_ISCHR(f->st.mode) || WK_S_ISBLK(f->st.mode))) {
            grow(&w[W_MAJOR], digits(wk_rdev_major(f->st.rdev)));
            grow(&w[W_MINOR], digits(wk_rdev_minor(f->st.rdev)));
            grow(&w[W_SIZE], l->widths[W_MAJOR] + 2 + l->widths[W_MINOR]);
        } else {
            grow(&w[W_SIZE], f->stat_ok ? wk_human_size(text, f->st.size, &l->sizes) : 1);
        }
        wk_tick(l->c, 8);
    }
}

static void pad(struct wk_out *out, size_t n)
{
    while (n-- > 0)
        wk_out_char(out, ' ');
}

static void put_right(struct wk_out *out, const char *p, size_t n, size_t width)
{
    if (n < width)
        pad(out, width - n);
    wk_out_put(out, p, n);
}

static void put_number(struct wk_out *out, uint64_t v, size_t width)
{
    char text[WK_NUM_MAX];
    put_right(out, text, wk_fmt_u64(text, v, 10), width);
}

static void put_id(struct wk_ls *l, const struct wk_ls_file *f, bool user, size_t width)
{
    const char *name = f->stat_ok ? id_name(l, user ? f->st.uid : f->st.gid, user) : "?";
    if (name) {
        size_t n = wk_utf8_columns(wk_str_c(name));
        wk_out_c(l->out, name);
        pad(l->out, n < width ? width - n : 0);
    } else {
        put_number(l->out, user ? f->st.uid : f->st.gid, width);
    }
    wk_out_char(l->out, ' ');
}

static char mark_of(const struct wk_ls *l, bool known, uint32_t mode, uint32_t type)
{
    if (l->o->mark == WK_LS_NO_MARK)
        return 0;
    if (type == WK_S_IFDIR)
        return '/';
    if (l->o->mark == WK_LS_SLASH)
        return 0;
    switch (type) {
    case WK_S_IFREG:
        return l->o->mark == WK_LS_CLASSIFY && known && (mode & 0111) ? '*' : 0;
    case WK_S_IFLNK:
        return '@';
    case WK_S_IFIFO:
        return '|';
    case WK_S_IFSOCK:
        return '=';
    default:
        return 0;
    }
}

/* The inode, blocks and context that stand before a name in any format. Columns used. */
static size_t put_front(struct wk_ls *l, const struct wk_ls_file *f)
{
    char text[WK_HUMAN_MAX];
    size_t used = 0, n;
    bool fixed = l->o->format != WK_LS_COMMAS;
    if (l->o->inode) {
        if (f->st.ino)
            put_number(l->out, f->st.ino, fixed ? l->widths[W_INODE] : 0);
        else
            put_right(l->out, "?", 1, fixed ? l->widths[W_INODE] : 0);
        wk_out_char(l->out, ' ');
        used += (fixed ? l->widths[W_INODE] : digits(f->st.ino)) + 1;
    }
    if (l->o->blocks) {
        n = 1;
        text[0] = '?';
        if (f->stat_ok)
            n = block_text(l, text, f->st.blocks);
        put_right(l->out, text, n, fixed ? l->widths[W_BLOCKS] : 0);
        wk_out_char(l->out, ' ');
        used += (fixed ? l->widths[W_BLOCKS] : n) + 1;
    }
    return used;
}

static void put_name(struct wk_ls *l, const struct wk_ls_file *f, size_t column)
{
    bool quotes = f->quoted && f->url && l->align; /* the link stands between the quotes */
    const char *text = f->shown + quotes;
    size_t n = f->shown_n - 2 * (size_t)quotes;
    if (l->align && l->some_quoted && !f->quoted)
        wk_out_char(l->out, ' ');
    wk_ls_dired_mark(l, l->dired);
    if (l->colors)
        wk_ls_colored(l, f, f->shown, f->shown_n, false, column);
    else
        wk_ls_linked(l, f, text, n, quotes);
    wk_ls_dired_mark(l, l->dired);
}

static size_t put_short(struct wk_ls *l, const struct wk_ls_file *f,
                        size_t column)
{
    size_t used;
    if (l->colors)
        wk_ls_color_start(l);
    used = put_front(l, f);
    if (l->o->context) {
        wk_out_c(l->out, "? ");
        used += 2;
    }
    put_name(l, f, column + used);
    used += f->width + (l->align && l->some_quoted && !f->quoted);
    char mark = mark_of(l, f->stat_ok, f->st.mode, f->type);
    if (mark) {
        wk_out_char(l->out, mark);
        used++;
    }
    return used;
}

static size_t short_width(struct wk_ls *l, const struct wk_ls_file *f)
{
    char text[WK_HUMAN_MAX];
    bool fixed = l->o->format != WK_LS_COMMAS;
    size_t n = f->width + (l->align && l->some_quoted && !f->quoted);
    if (l->o->inode)
        n += 1 + (fixed ? l->widths[W_INODE] : digits(f->st.ino));
    if (l->o->blocks)
        n += 1 + (fixed ? l->widths[W_BLOCKS] : f->stat_ok ? block_text(l, text, f->st.blocks) : 1);
    if (l->o->context)
        n += 2;
    return n + (mark_of(l, f->stat_ok, f->st.mode, f->type) != 0);
}

static void put_time(struct wk_ls *l, const struct wk_ls_file *f)
{
    int64_t half_year = INT64_C(31556952) / 2 * 1000000000;
    if (!f->stat_ok) {
        put_right(l->out, "?", 1, l->time_width);
        wk_out_char(l->out, ' ');
        return;
    }
    int64_t t = wk_ls_time_of(l, &f->st);
    bool recent = t <= l->now && t > l->now - half_year;
    wk_zone_text(l->c, l->text, l->tz, recent ? l->format_recent : l->format_old, t);
    wk_out_put(l->out, wk_buf_c(l->text), l->text->n);
    wk_out_char(l->out, ' ');
}

static void put_long(struct wk_ls *l, const struct wk_ls_file *f)
{
    struct wk_out *out = l->out;
    char text[WK_HUMAN_MAX], mode[11];
    if (l->colors)
        wk_ls_color_start(l);
    wk_ls_dired_indent(l);
    (void)put_front(l, f);
    if (f->stat_ok) {
        wk_mode_text(f->st.mode, mode);
    } else {
        wk_mode_text(f->type, mode);
        memset(mode + 1, '?', 9);
        if (!f->type)
            mode[0] = '?';
    }
    wk_out_put(out, mode, 10);
    wk_out_char(out, ' ');
    if (f->stat_ok)
        put_number(out, f->st.nlink, l->widths[W_NLINK]);
    else
        put_right(out, "?", 1, l->widths[W_NLINK]);
    wk_out_char(out, ' ');
    if (!l->o->no_owner)
        put_id(l, f, true, l->widths[W_OWNER]);
    if (!l->o->no_group)
        put_id(l, f, false, l->widths[W_GROUP]);
    if (l->o->author)
        put_id(l, f, true, l->widths[W_AUTHOR]);
    if (l->o->context)
        wk_out_c(out, "? ");
    if (f->stat_ok && (WK_S_ISCHR(f->st.mode) || WK_S_ISBLK(f->st.mode))) {
        size_t extra = l->widths[W_SIZE] - (l->widths[W_MAJOR] + 2 + l->widths[W_MINOR]);
        put_number(out, wk_rdev_major(f->st.rdev), l->widths[W_MAJOR] + extra);
        wk_out_c(out, ", ");
        put_number(out, wk_rdev_minor(f->st.rdev), l->widths[W_MINOR]);
    } else if (f->stat_ok) {
        put_right(out, text, wk_human_size(text, f->st.size, &l->sizes), l->widths[W_SIZE]);
    } else {
        put_right(out, "?", 1, l->widths[W_SIZE]);
    }
    wk_out_char(out, ' ');
    put_time(l, f);
    put_name(l, f, 0);
    char mark;
    if (f->type == WK_S_IFLNK) {
        if (!f->link)
            return;
        wk_out_c(out, " -> ");
        size_t n = strlen(f->link);
        if (l->colors)
            wk_ls_colored(l, f, f->link, n, true, 0);
        else
            wk_ls_linked(l, f, f->link, n, false);
        mark = f->link_ok ? mark_of(l, true, f->link_mode, f->link_mode & WK_S_IFMT) : 0;
    } else {
        mark = mark_of(l, f->stat_ok, f->st.mode, f->type);
    }
    if (mark)
        wk_out_char(out, mark);
}

/* From one column to another with tabs where they save something. */
static void indent(struct wk_ls *l, size_t from, size_t to)
{
    while (from < to) {
        if (l->tab && to / l->tab > (from + 1) / l->tab) {
            wk_out_char(l->out, '\t');
            from += l->tab - from % l->tab;
        } else {
            wk_out_char(l->out, ' ');
            from++;
        }
    }
}

/* Widths of `cols` columns in col[]; false when they do not fit in a line. Those that are no wider than
 * the least always fit, whatever their number: GNU's way. */
static bool fits(const struct wk_ls *l, const size_t *len, size_t cols, bool across, size_t *col)
{
    size_t rows = l->n / cols + (l->n % cols != 0), total = cols * 3;
    for (size_t i = 0; i < cols; i++)
        col[i] = 3;
    for (size_t i = 0; i < l->n; i++) {
        size_t k = across ? i % cols : i / rows, w = len[i] + (k == cols - 1 ? 0 : 2);
        if (w > col[k]) {
            total += w - col[k];
            col[k] = w;
            if (total >= l->line)
                return false;
        }
    }
    return true;
}

static void put_columns(struct wk_ls *l, bool across)
{
    size_t *len = wk_new_n(l->c, size_t, l->n + 1);
    size_t most = l->line / 3 + (l->line % 3 != 0), cols = most < l->n ? most : l->n;
    if (cols < 1)
        cols = 1;
    size_t *col = wk_new_n(l->c, size_t, cols + 1);
    for (size_t i = 0; i < l->n; i++)
        len[i] = short_width(l, wk_ls_at(l, i));
    for (; cols > 1 && !fits(l, len, cols, across, col); cols--)
        wk_tick(l->c, (uint32_t)(cols > 65536 ? 65536 : cols));
    if (cols == 1)
        col[0] = 0;
    size_t rows = l->n / cols + (l->n % cols != 0);
    for (size_t r = 0; r < rows; r++) {
        size_t pos = 0, at = 0;
        for (size_t k = 0; k < cols; k++) {
            size_t i = across ? r * cols + k : k * rows + r;
            if (i >= l->n)
                break;
            indent(l, at, pos);
            at = pos + put_short(l, wk_ls_at(l, i), pos);
            pos += col[k];
        }
        wk_out_char(l->out, l->eol);
        wk_tick(l->c, (uint32_t)cols);
    }
    wk_heap_free(l->c->heap, len);
    wk_heap_free(l->c->heap, col);
}

static void put_separated(struct wk_ls *l, char sep)
{
    size_t pos = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct wk_ls_file *f = wk_ls_at(l, i);
        size_t len = l->line ? short_width(l, f) : 0;
        if (i > 0) {
            bool stay = !l->line || pos + len + 2 < l->line;
            wk_out_char(l->out, sep);
            wk_out_char(l->out, stay ? ' ' : l->eol);
            pos = stay ? pos + 2 : 0;
        }
        (void)put_short(l, f, pos);
        pos += len;
    }
    if (l->n)
        wk_out_char(l->out, l->eol);
}

void wk_ls_print(struct wk_ls *l)
{
    if (l->o->format == WK_LS_LONG)
        l->time_width = l->format_recent.n ? l->time_width : 0;
    switch (l->o->format) {
    case WK_LS_COMMAS:
        put_separated(l, ',');
        break;
    case WK_LS_COLUMNS:
    case WK_LS_ACROSS:
        if (!l->line)
            put_separated(l, ' ');
        else if (l->n)
            put_columns(l, l->o->format == WK_LS_ACROSS);
        break;
    default:
        for (size_t i = 0; i < l->n; i++) {
            if (l->o->format == WK_LS_LONG)
                put_long(l, wk_ls_at(l, i));
            else
                (void)put_short(l, wk_ls_at(l, i), 0);
            wk_out_char(l->out, l->eol);
            wk_tick(l->c, 8);
        }
        break;
    }
}
