/* find_test.c - tests of find */
#include "builtins/find.h"
#include "builtins/regex.h"

bool wk_find_stat(struct wk_find *f)
{
    if (f->st_known)
        return !f->st_err;
    struct wk_vdir *dir = wk_ftw_dir(f->t);
    const char *name = wk_ftw_name(f->t);
    bool follow = f->links == 'L' || (f->links == 'H' && f->t->depth == 0);
    f->st_known = true;
    f->st_err = wk_at_stat(f->c, dir, name, follow, &f->st);
    if (f->st_err && follow && f->st_err == WK_ENOENT)
        f->st_err = wk_at_stat(f->c, dir, name, false, &f->st);
    if (f->st_err) {
        wk_msg(f->c, "%s: %s", wk_quote_arg(f->c, f->t->path), wk_err_text(f->st_err));
        return false;
    }
    f->type = f->st.mode & WK_S_IFMT;
    return true;
}

uint32_t wk_find_type(struct wk_find *f)
{
    if (!f->type)
        (void)wk_find_stat(f);
    return f->type;
}

const char *wk_find_base(const struct wk_find *f, size_t *n)
{
    if (f->t->depth) {
        *n = f->t->path_n - f->t->name_at;
        return wk_ftw_name(f->t);
    }
    const char *base = wk_last_component(f->t->path, n);
    if (*n == 0 && f->t->path_n) { /* only slashes */
        *n = 1;
        return "/";
    }
    return base;
}

int64_t wk_find_time(const struct wk_stat *st, char which)
{
    switch (which) {
    case 'a':
        return st->atim;
    case 'c':
        return st->ctim;
    case 'B':
        return st->btim;
    default:
        return st->mtim;
    }
}

bool wk_find_compare(enum wk_find_cmp cmp, int64_t value, int64_t than)
{
    return cmp == WK_FIND_EQ ? value == than : cmp == WK_FIND_GT ? value > than : value < than;
}

bool wk_find_true(struct wk_find *f, struct wk_find_pred *p)
{
    (void)f;
    (void)p;
    return true;
}

bool wk_find_false(struct wk_find *f, struct wk_find_pred *p)
{
    (void)f;
    (void)p;
    return false;
}

static int count_steps(void *ctx, size_t steps)
{
    struct wk_find *f = (struct wk_find *)ctx;
    wk_tick(f->c, (uint32_t)(steps > UINT32_MAX ? UINT32_MAX : steps));
    return 0;
}

static bool matches(struct wk_find *f, const struct wk_find_pred *p, struct wk_str s)
{
    struct wk_pattern_run run = {.mem = wk_heap_mem(f->c->heap), .step = count_steps, .ctx = f};
    return wk_pattern_match(p->pattern, &run, s) == 1;
}

bool wk_find_name(struct wk_find *f, struct wk_find_pred *p)
{
    size_t n;
    const char *base = wk_find_base(f, &n);
    return matches(f, p, wk_str(base, n));
}

bool wk_find_path(struct wk_find *f, struct wk_find_pred *p)
{
    return matches(f, p, wk_str(f->t->path, f->t->path_n));
}

bool wk_find_lname(struct wk_find *f, struct wk_find_pred *p)
{
    char *text;
    if (wk_find_type(f) != WK_S_IFLNK ||
        wk_at_readlink(f->c, wk_ftw_dir(f->t), wk_ftw_name(f->t), &text))
        return false;
    bool yes = matches(f, p, wk_str_c(text));
    wk_heap_free(f->c->heap, text);
    return yes;
}

bool wk_find_regex(struct wk_find *f, struct wk_find_pred *p)
{
    struct wk_re_run run = {.step = count_steps, .ctx = f};
    struct wk_str s = wk_str(f->t->path, f->t->path_n);
    return wk_cmd_re_search(f->c, p->re, &run, s, 0, NULL, 0, 1);
}

/* Types as bits: the mode's type number is below 16. */
bool wk_find_is_type(struct wk_find *f, struct wk_find_pred *p)
{
    return (p->mode >> (wk_find_type(f) >> 12) & 1) != 0;
}

bool wk_find_is_xtype(struct wk_find *f, struct wk_find_pred *p)
{
    struct wk_stat st;
    if (f->st_known && f->st_err)
        return false;
    struct wk_vdir *dir = wk_ftw_dir(f->t);
    bool follow = f->links == 'P' || (f->links == 'H' && f->t->depth > 0);
    int err = wk_at_stat(f->c, dir, wk_ftw_name(f->t), follow, &st);
    if ((err == WK_ELOOP && follow) || err == WK_EACCES) {
        wk_msg(f->c, "%s: %s", wk_quote_arg(f->c, f->t->path), wk_err_text(err));
        return false;
    }
    if (err && follow) /* a broken link stays a link */
        err = wk_at_stat(f->c, dir, wk_ftw_name(f->t), false, &st);
    return !err && (p->mode >> ((st.mode & WK_S_IFMT) >> 12) & 1) != 0;
}

bool wk_find_size(struct wk_find *f, struct wk_find_pred *p)
{
    if (!wk_find_stat(f))
        return false;
    uint64_t unit = (uint64_t)p->unit, blocks = f->st.size / unit + (f->st.size % unit != 0);
    return wk_find_compare(p->cmp, blocks > INT64_MAX ? INT64_MAX : (int64_t)blocks, p->num);
}

/* num is the age in nanoseconds, unit the window's width. */
bool wk_find_age(struct wk_find *f, struct wk_find_pred *p)
{
    if (!wk_find_stat(f))
        return false;
    int64_t base = p->when, age;
    if (__builtin_sub_overflow(base, wk_find_time(&f->st, p->which), &age))
        return p->cmp == WK_FIND_GT;
    if (p->cmp == WK_FIND_GT)
        return age > p->num;
    if (p->cmp == WK_FIND_LT)
        return age < p->num;
    return age < p->num && age >= p->num - p->unit;
}

bool wk_find_newer(struct wk_find *f, struct wk_find_pred *p)
{
    return wk_find_stat(f) && wk_find_time(&f->st, p->which) > p->when;
}

bool wk_find_used(struct wk_find *f, struct wk_find_pred *p)
{
    if (!wk_find_stat(f) || f->st.atim < f->st.ctim)
        return false;
    int64_t delta = f->st.atim - f->st.ctim, day = INT64_C(86400000000000);
    return wk_find_compare(p->cmp, delta / day + (delta % day != 0), p->num);
}

bool wk_find_perm(struct wk_find *f, struct wk_find_pred *p)
{
    if (!wk_find_stat(f))
        return false;
    uint32_t want = WK_S_ISDIR(f->st.mode) ? p->mode_dir : p->mode, has = f->st.mode & 07777;
    if (p->perm == WK_FIND_PERM_ALL)
        return (has & want) == want;
    if (p->perm == WK_FIND_PERM_ANY)
        return want == 0 || (has & want) != 0;
    return has == want;
}

bool wk_find_links(struct wk_find *f, struct wk_find_pred *p)
{
    return wk_find_stat(f) && wk_find_compare(p->cmp, (int64_t)f->st.nlink, p->num);
}

bool wk_find_inum(struct wk_find *f, struct wk_find_pred *p)
{
    return wk_find_stat(f) && wk_find_compare(p->cmp, (int64_t)f->st.ino, p->num);
}

bool wk_find_same(struct wk_find *f, struct wk_find_pred *p)
{
    return wk_find_stat(f) && f->st.ino == p->ino && f->st.dev == p->dev;
}

bool wk_find_user(struct wk_find *f, struct wk_find_pred *p)
{
    return wk_find_stat(f) && wk_find_compare(p->cmp, (int64_t)f->st.uid, p->num);
}

bool wk_find_group(struct wk_find *f, struct wk_find_pred *p)
{
    return wk_find_stat(f) && wk_find_compare(p->cmp, (int64_t)f->st.gid, p->num);
}

bool wk_find_no_user(struct wk_find *f, struct wk_find_pred *p)
{
    (void)p;
    return wk_find_stat(f) && !wk_user_name(f->ids, f->st.uid);
}

bool wk_find_no_group(struct wk_find *f, struct wk_find_pred *p)
{
    (void)p;
    return wk_find_stat(f) && !wk_group_name(f->ids, f->st.gid);
}

bool wk_find_empty(struct wk_find *f, struct wk_find_pred *p)
{
    (void)p;
    if (!wk_find_stat(f))
        return false;
    uint32_t type = wk_find_type(f);
    if (type == WK_S_IFREG)
        return wk_find_stat(f) && f->st.size == 0;
    if (type != WK_S_IFDIR)
        return false;
    struct wk_vlist *list;
    struct wk_dirent e;
    int err = wk_at_list(f->c, wk_ftw_dir(f->t), wk_ftw_name(f->t), &list);
    if (err) {
        wk_msg(f->c, "%s: %s", wk_quote_arg(f->c, f->t->path), wk_err_text(err));
        return false;
    }
    bool any = wk_vlist_next(list, &e) > 0; /* never parks: the list needs no owner */
    wk_vlist_close(list);
    return !any;
}

bool wk_find_access(struct wk_find *f, struct wk_find_pred *p)
{
    return wk_at_access(f->c, wk_ftw_dir(f->t), wk_ftw_name(f->t), (int)p->num) == 0;
}

bool wk_find_fstype(struct wk_find *f, struct wk_find_pred *p)
{
    struct wk_statfs fs;
    struct wk_vdir *dir = wk_ftw_dir(f->t);
    int r = wk_vfs_statfs(f->c->k->vfs, &f->c->proc->cred, dir ? dir : f->c->proc->cwd,
                          wk_str_c(wk_ftw_name(f->t)), &fs);
    return r == 0 && strcmp(fs.type, p->text) == 0;
}
