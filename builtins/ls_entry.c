/* ls_entry.c - entries of ls: looking at them, sorting them */
#include "base/utf8.h"
#include "builtins/ls.h"
#include "builtins/ptrsort.h"
#include "builtins/vercmp.h"

void wk_ls_clear(struct wk_ls *l)
{
    l->n = 0;
    l->total_blocks = 0;
    l->some_quoted = false;
    wk_arena_release(l->arena);
}

static const char *keep(struct wk_ls *l, const char *p, size_t n)
{
    char *copy = wk_arena_strndup(l->arena, p, n);
    if (!copy)
        wk_heap_exhausted(l->c->heap);
    return copy;
}

static void show_name(struct wk_ls *l, struct wk_ls_file *f)
{
    struct wk_str name = wk_str_c(f->name);
    wk_buf_reset(l->text);
    f->quoted = wk_quoting_put(l->text, name, l->quoting, l->o->hide_control,
                               l->more);
    l->some_quoted = l->some_quoted || f->quoted;
    if (l->text->failed)
        wk_heap_exhausted(l->c->heap);
    struct wk_str s = wk_buf_str(l->text);
    f->shown = wk_str_eq(s, name) ? f->name : keep(l, s.p, s.n);
    f->shown_n = (uint32_t)s.n;
    bool columns = l->o->format != WK_LS_ONE && l->o->format != WK_LS_LONG;
    f->width = columns || l->o->sort == WK_LS_BY_WIDTH ? (uint32_t)wk_utf8_columns(s) : 0;
}

/* The name for messages; made only when there is one. */
static const char *full_name(struct wk_ls *l, const char *dir_path, const struct wk_ls_file *f)
{
    if (f->is_operand || !*dir_path || strcmp(dir_path, ".") == 0)
        return f->name;
    return wk_join_path(l->c, dir_path, f->name);
}

static void read_link(struct wk_ls *l, struct wk_ls_file *f, struct wk_vdir *dir, const char *dir_path)
{
    char *text;
    struct wk_stat to;
    if (l->o->format == WK_LS_LONG) {
        int err = wk_at_readlink(l->c, dir, f->name, &text);
        if (err) {
            wk_msg(l->c, "cannot read symbolic link %s: %s", wk_quote(l->c, full_name(l, dir_path, f)),
                   wk_err_text(err));
            wk_ls_trouble(l, f->is_operand);
        } else {
            wk_buf_reset(l->text);
            (void)wk_quoting_put(l->text, wk_str_c(text), l->quoting, l->o->hide_control,
                                 l->more);
            f->link = keep(l, wk_buf_c(l->text), l->text->n);
            wk_heap_free(l->c->heap, text);
        }
    }
    bool want = l->o->mark >= WK_LS_FILE_TYPE || l->o->dirs_first ||
                (l->colors && wk_ls_colors_need_target(l->colors, l->o->format == WK_LS_LONG));
    if (want && wk_at_stat(l->c, dir, f->name, true, &to) == 0) {
        f->link_ok = true;
        f->link_mode = to.mode;
    }
}

/* Follows a link as the options say: 0 or a positive code. */
static int look(struct wk_ls *l, struct wk_ls_file *f, struct wk_vdir *dir)
{
    bool follow = false;
    int err;
    switch (l->o->links) {
    case WK_LS_DEREF_ALWAYS:
        follow = true;
        break;
    case WK_LS_DEREF_OPERANDS:
    case WK_LS_DEREF_DIRS:
        follow = f->is_operand;
        break;
    default:
        break;
    }
    if (!follow)
        return wk_at_stat(l->c, dir, f->name, false, &f->st);
    err = wk_at_stat(l->c, dir, f->name, true, &f->st);
    if (l->o->links == WK_LS_DEREF_DIRS && (err == WK_ENOENT || (err == 0 && !WK_S_ISDIR(f->st.mode))))
        return wk_at_stat(l->c, dir, f->name, false, &f->st);
    return err;
}

bool wk_ls_add(struct wk_ls *l, struct wk_vdir *dir, const char *dir_path, const char *name,
               uint32_t type, uint64_t ino, bool operand)
{
    struct wk_cmd *c = l->c;
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 128;
        l->files = (struct wk_ls_file *)wk_heap_realloc(c->heap, l->files, l->cap * sizeof *l->files);
    }
    struct wk_ls_file *f = &l->files[l->n];
    memset(f, 0, sizeof *f);
    f->name = keep(l, name, strlen(name));
    f->is_operand = operand;
    f->type = type;
    f->st.ino = ino;
    bool by_link = l->o->links == WK_LS_DEREF_ALWAYS && (type == WK_S_IFLNK || type == 0);
    if (operand || l->need_stat || (l->need_type && (type == 0 || by_link)) ||
        (l->o->inode && (ino == 0 || by_link)) ||
        (l->o->dirs_first && type == WK_S_IFLNK)) {
        int err = look(l, f, dir);
        if (err) {
            wk_msg(c, "cannot access %s: %s", wk_quote(c, full_name(l, dir_path, f)),
                   wk_err_text(err));
            wk_ls_trouble(l, operand);
            if (operand)
                return false;
        } else {
            f->stat_ok = true;
            f->type = f->st.mode & WK_S_IFMT;
            l->total_blocks += f->st.blocks;
        }
        if (f->stat_ok && WK_S_ISLNK(f->st.mode) && (l->o->format == WK_LS_LONG || l->colors ||
                                                     l->o->dirs_first))
            read_link(l, f, dir, dir_path);
    }
    if (l->o->hyper)
        f->url = wk_ls_url(l, *dir_path ? wk_join_path(c, dir_path, name) : name);
    show_name(l, f);
    l->n++;
    wk_tick(c, 16);
    return true;
}

int64_t wk_ls_time_of(const struct wk_ls *l, const struct wk_stat *st)
{
    switch (l->o->time) {
    case WK_LS_CTIME:
        return st->ctim;
    case WK_LS_ATIME:
        return st->atim;
    case WK_LS_BTIME:
        return st->btim;
    default:
        return st->mtim;
    }
}

bool wk_ls_is_dir(const struct wk_ls_file *f)
{
    return f->type == WK_S_IFDIR;
}

static int cmp_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int cmp_files(void *ctx, const void *pa, const void *pb)
{
    const struct wk_ls *l = (const struct wk_ls *)ctx;
    const struct wk_ls_file *a = (const struct wk_ls_file *)pa, *b = (const struct wk_ls_file *)pb;
    int r = 0;
    if (l->o->dirs_first) {
        bool da = wk_ls_is_dir(a) || (a->link_ok && WK_S_ISDIR(a->link_mode));
        bool db = wk_ls_is_dir(b) || (b->link_ok && WK_S_ISDIR(b->link_mode));
        if (da != db)
            return da ? -1 : 1;
    }
    switch (l->o->sort) {
    case WK_LS_BY_SIZE:
        r = cmp_u64(b->st.size, a->st.size);
        break;
    case WK_LS_BY_TIME: {
        int64_t x = wk_ls_time_of(l, &a->st), y = wk_ls_time_of(l, &b->st);
        r = x > y ? -1 : x < y;
        break;
    }
    case WK_LS_BY_VERSION:
        r = wk_version_cmp(wk_str_c(a->name), wk_str_c(b->name));
        break;
    case WK_LS_BY_EXTENSION: {
        const char *x = strrchr(a->name, '.'), *y = strrchr(b->name, '.');
        r = strcmp(x ? x : "", y ? y : "");
        break;
    }
    case WK_LS_BY_WIDTH:
        r = cmp_u64(a->width, b->width);
        break;
    default:
        break;
    }
    if (r == 0)
        r = strcmp(a->name, b->name);
    return l->o->reverse ? -r : r;
}

void wk_ls_sort_files(struct wk_ls *l)
{
    l->order = (const void **)wk_heap_realloc(l->c->heap, l->order, (l->n + 1) * sizeof *l->order);
    for (size_t i = 0; i < l->n; i++)
        l->order[i] = &l->files[i];
    if (l->o->sort != WK_LS_BY_NONE)
        wk_ptr_sort(l->c, l->order, l->n, cmp_files, l);
}
