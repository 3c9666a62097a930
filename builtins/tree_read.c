/* tree_read.c - tree's directories: reading, filtering, sorting */
#include "builtins/ptrsort.h"
#include "builtins/tree.h"

/* ---- patterns ---------------------------------------------------------------------------------- */

static int fold(bool nocase, char ch)
{
    return nocase ? wk_to_lower((unsigned char)ch) : (unsigned char)ch;
}

/* One bracket at *p (behind the '['): 1 in, 0 out, -1 without an end. */
static int match_bracket(const char **p, const char *end, char ch, bool nocase)
{
    const char *q = *p;
    bool negated = q < end && *q == '^', in = false;
    int c = fold(nocase, ch);
    q += negated;
    const char *first = q;
    for (; q < end && (*q != ']' || q == first); q++) {
        if (*q == '\\' && q + 1 < end)
            q++;
        if (q + 2 < end && q[1] == '-' && q[2] != ']') {
            in = in || (fold(nocase, *q) <= c && c <= fold(nocase, q[2]));
            q += 2;
        } else {
            in = in || fold(nocase, *q) == c;
        }
    }
    if (q >= end)
        return -1;
    *p = q + 1;
    return in != negated;
}

static bool match_one(struct wk_tree *t, const char *p, const char *end, const char *s, bool is_dir)
{
    bool nocase = t->o.ignore_case;
    const char *star = NULL, *back = NULL;
    for (;;) {
        wk_tick(t->c, 1);
        if (p < end && *p == '*') {
            while (p < end && *p == '*')
                p++;
            star = p;
            back = s;
            continue;
        }
        if (!*s) {
            return p == end || (p + 1 == end && *p == '/' && is_dir);
        }
        const char *next = p;
        bool ok = false;
        if (p < end && *p == '?') {
            ok = true;
            next = p + 1;
        } else if (p < end && *p == '[') {
            next = p + 1;
            int r = match_bracket(&next, end, *s, nocase);
            if (r < 0)
                return true;
            ok = r > 0;
        } else if (p < end) {
            next = p + (*p == '\\' && p + 1 < end);
            ok = fold(nocase, *next) == fold(nocase, *s);
            next++;
        }
        if (ok) {
            p = next;
            s++;
        } else if (star) {
            p = star;
            s = ++back;
        } else {
            return false;
        }
    }
}

static bool matches_any(struct wk_tree *t, const struct wk_opt_list *l, const char *name, bool is_dir)
{
    for (size_t i = 0; i < l->n; i++) {
        const char *p = l->v[i];
        for (;;) {
            size_t n = strcspn(p, "|");
            if (match_one(t, p, p + n, name, is_dir))
                return true;
            if (!p[n])
                break;
            p += n + 1;
        }
    }
    return false;
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static void look_at(struct wk_tree *t, struct wk_vdir *dir, const char *name, struct wk_tree_node *n)
{
    n->known = wk_at_stat(t->c, dir, name, false, &n->st) == 0;
    n->end = n->st;
    if (n->known && (n->st.mode & WK_S_IFMT) == WK_S_IFLNK) {
        char *text;
        n->target = wk_at_readlink(t->c, dir, name, &text) == 0 ? text : "[Error reading symbolic link information]";
        n->orphan = wk_at_stat(t->c, dir, name, true, &n->end) != 0;
        if (n->orphan)
            n->end = n->st;
    }
    n->is_dir = n->known && (n->end.mode & WK_S_IFMT) == WK_S_IFDIR;
    n->size = n->st.size;
}

struct wk_tree_node *wk_tree_root(struct wk_tree *t, const char *operand)
{
    struct wk_tree_node *n = wk_new(t->c, struct wk_tree_node);
    n->path = wk_dup(t->c, operand);
    if (t->o.full_path)
        wk_strip_slashes(n->path);
    n->name = n->path;
    n->root = true;
    look_at(t, NULL, operand, n);
    return n;
}

void wk_tree_drop(struct wk_tree *t, struct wk_tree_node *n)
{
    struct wk_tree_node **stack = wk_new_n(t->c, struct wk_tree_node *, 1);
    size_t depth = 1, cap = 1;
    stack[0] = n;
    while (depth) {
        struct wk_tree_node *top = stack[--depth];
        if (top->n > cap - depth) {
            cap = depth + top->n + cap;
            stack = (struct wk_tree_node **)wk_heap_realloc(t->c->heap, stack, cap * sizeof *stack);
        }
        for (size_t i = 0; i < top->n; i++)
            stack[depth++] = top->child[i];
        wk_heap_free(t->c->heap, top->child);
        wk_heap_free(t->c->heap, top->path);
        wk_heap_free(t->c->heap, top);
        wk_tick(t->c, 1);
    }
    wk_heap_free(t->c->heap, stack);
}

bool wk_tree_first_visit(struct wk_tree *t, const struct wk_stat *st)
{
    if (2 * (t->seen_n + 1) > t->seen_cap) {
        size_t cap = t->seen_cap ? t->seen_cap * 2 : 64;
        uint64_t *old = t->seen;
        size_t old_cap = t->seen_cap;
        t->seen = wk_new_n(t->c, uint64_t, cap * 2);
        t->seen_cap = cap;
        t->seen_n = 0;
        for (size_t i = 0; i < old_cap; i++) {
            if (old[2 * i]) {
                struct wk_stat again = {.dev = old[2 * i], .ino = old[2 * i + 1]};
                (void)wk_tree_first_visit(t, &again);
            }
        }
        wk_heap_free(t->c->heap, old);
    }
    uint64_t mix = st->dev * 0x9e3779b97f4a7c15u ^ st->ino * 0xbf58476d1ce4e5b9u;
    for (size_t i = (size_t)(mix >> 20) & (t->seen_cap - 1);; i = (i + 1) & (t->seen_cap - 1)) {
        uint64_t *slot = t->seen + 2 * i;
        if (slot[0] == st->dev && slot[1] == st->ino)
            return false;
        if (!slot[0]) {
            slot[0] = st->dev;
            slot[1] = st->ino;
            t->seen_n++;
            return true;
        }
    }
}

/* ---- order ------------------------------------------------------------------------------------- */

/* Runs of digits by their number, leading zeros as a fraction: the order of strverscmp(3). */
static int by_version(const char *a, const char *b)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    size_t i = 0;
    while (x[i] && x[i] == y[i])
        i++;
    size_t start = i;
    while (start && wk_is_digit(x[start - 1]))
        start--;
    bool in_number = start < i || (wk_is_digit(x[i]) && wk_is_digit(y[i]));
    if (!in_number || (!wk_is_digit(x[i]) && !wk_is_digit(y[i])))
        return x[i] - y[i];
    size_t zeros = start;
    while (zeros < i && x[zeros] == '0')
        zeros++;
    bool fraction = (start < i && x[start] == '0') || (start == i && (x[i] == '0' || y[i] == '0'));
    if (fraction) {
        if (zeros < i || start == i) /* digits behind the zeros, or the difference is in the first digit */
            return x[i] - y[i];
        if (!wk_is_digit(x[i]) || !wk_is_digit(y[i])) /* all zeros: the longer run is the smaller */
            return wk_is_digit(x[i]) ? -1 : 1;
        return x[i] - y[i];
    }
    size_t xn = i, yn = i;
    while (wk_is_digit(x[xn]))
        xn++;
    while (wk_is_digit(y[yn]))
        yn++;
    return xn != yn ? (xn < yn ? -1 : 1) : x[i] - y[i];
}

static int compare(void *ctx, const void *a, const void *b)
{
    const struct wk_tree *t = (const struct wk_tree *)ctx;
    const struct wk_tree_node *x = (const struct wk_tree_node *)a, *y = (const struct wk_tree_node *)b;
    int r = 0;
    if (t->o.dirs_first && x->is_dir != y->is_dir)
        return x->is_dir ? -1 : 1;
    if (t->o.files_first && x->is_dir != y->is_dir)
        return x->is_dir ? 1 : -1;
    switch (t->o.sort) {
    case WK_TREE_BY_VERSION:
        r = by_version(x->name, y->name);
        break;
    case WK_TREE_BY_SIZE:
        r = x->size < y->size ? 1 : x->size > y->size ? -1 : 0;
        break;
    case WK_TREE_BY_MTIME: /* whole seconds */
        r = x->st.mtim / 1000000000 < y->st.mtim / 1000000000 ? -1 : x->st.mtim / 1000000000 > y->st.mtim / 1000000000;
        break;
    case WK_TREE_BY_CTIME:
        r = x->st.ctim / 1000000000 < y->st.ctim / 1000000000 ? -1 : x->st.ctim / 1000000000 > y->st.ctim / 1000000000;
        break;
    default:
        break;
    }
    if (!r)
        r = strcmp(x->name, y->name);
    return t->o.reverse ? -r : r;
}

static bool wanted(struct wk_tree *t, const struct wk_tree_node *dir, struct wk_tree_node *n)
{
    const struct wk_tree_opts *o = &t->o;
    if (o->ignore.n && matches_any(t, &o->ignore, n->name, n->is_dir))
        return false;
    if (n->is_dir && !(n->target && !o->follow)) {
        n->matched = o->match_dirs && matches_any(t, &o->only, n->name, true);
        n->unfiltered = n->matched && dir->root;
    } else if (o->only.n && !dir->unfiltered && !matches_any(t, &o->only, n->name, n->is_dir)) {
        return false;
    }
    return !o->dirs_only || n->is_dir;
}

static void add_child(struct wk_tree *t, struct wk_tree_node *d, size_t *cap)
{
    struct wk_tree_node *n = wk_new(t->c, struct wk_tree_node);
    n->path = wk_dup(t->c, t->walk->path);
    n->name = n->path + t->walk->name_at;
    look_at(t, wk_ftw_dir(t->walk), wk_ftw_name(t->walk), n);
    if (!n->known || !wanted(t, d, n)) {
        wk_tree_drop(t, n);
        return;
    }
    if (d->n == *cap) {
        *cap = *cap ? *cap * 2 : 16;
        d->child = (struct wk_tree_node **)wk_heap_realloc(t->c->heap, d->child, *cap * sizeof *d->child);
    }
    d->child[d->n++] = n;
    if (t->o.follow && n->target && n->is_dir) { /* is gone into by the way of the link's text */
        char *own = n->path;
        size_t dir = (size_t)(n->name - own);
        n->path = n->target[0] == '/' ? wk_dup(t->c, n->target) : wk_strf(t->c, "%.*s%s", (int)dir, own, n->target);
        n->name = wk_dup(t->c, n->name);
        wk_heap_free(t->c->heap, own);
    }
}

void wk_tree_read(struct wk_tree *t, struct wk_tree_node *d)
{
    struct wk_dirent e;
    size_t cap = 0;
    int err;
    d->read = true;
    wk_ftw_start(t->walk, d->path);
    if (!d->known || wk_ftw_enter(t->walk, NULL) != 0) {
        d->err = "error opening dir";
        return;
    }
    while (wk_ftw_next(t->walk, &e, &err))
        if (t->o.all || e.name.p[0] != '.')
            add_child(t, d, &cap);
    wk_ftw_stop(t->walk);
    if (t->o.file_limit && d->n > t->o.file_limit) {
        d->err = wk_strf(t->c, "%llu entries exceeds filelimit, not opening dir", (unsigned long long)d->n);
        while (d->n)
            wk_tree_drop(t, d->child[--d->n]);
        return;
    }
    if (!t->full)
        wk_tree_order(t, d);
}

void wk_tree_order(struct wk_tree *t, struct wk_tree_node *d)
{
    if (!t->o.unsorted && d->n > 1)
        wk_ptr_sort(t->c, (const void **)(void *)d->child, d->n, compare, t);
}
