/* glob.c - file-name expansion (bash 3.5.8) over the session's files */
#include "base/sort.h"
#include "interp/expand_parts.h"

/* GROUPS_MAX: extended groups of one component that may have a slash in them. */
enum { DEPTH_MAX = 4096, PATHS_MAX = 8 * 1024 * 1024, GROUPS_MAX = 64 };

/* A walk: the path so far, the pattern's components still to come, the names found. */
struct walk {
    struct wk_shell *sh;
    struct wk_fields found;
    struct wk_buf path;
    unsigned flags;
    bool dots; /* names that begin with a dot match too */
    bool globstar;
    bool magic; /* the path so far was found by a pattern */
    unsigned depth;
    enum wk_flow flow;
};

/* What a final "**" gives: everything beneath, or with a slash behind it the directories. */
enum stars { STARS_MORE, STARS_ALL, STARS_DIRS };

static void walk_from(struct walk *w, struct wk_str rest, bool after_stars);
static void walk_stars(struct walk *w, struct wk_str rest, enum stars how, bool self);

static bool no_memory(struct walk *w)
{
    w->flow = wk_sh_nomem(w->sh);
    return false;
}

/* ---- components
 * -------------------------------------------------------------------------------------------- */

bool wk_glob_has_magic(struct wk_str s, unsigned flags)
{
    bool open = false;
    for (size_t i = 0; i < s.n; i++) {
        switch (s.p[i]) {
        case '\\':
            i++;
            break;
        case '*':
        case '?':
            return true;
        case '[':
            open = true;
            break;
        case ']':
            if (open)
                return true;
            break;
        case '/':
            open = false;
            break;
        default:
            if (i && s.p[i] == '(' && flags & WK_PATTERN_EXTGLOB && memchr("@!+", s.p[i - 1], 3))
                return true;
        }
    }
    return false;
}

/* Behind the group of an extended pattern whose ( is at i; i + 1 when it has no end. */
static size_t group_end(struct wk_str s, size_t i)
{
    size_t depth = 0;
    for (size_t j = i; j < s.n; j++) {
        if (s.p[j] == '\\')
            j++;
        else if (s.p[j] == '(')
            depth++;
        else if (s.p[j] == ')' && --depth == 0)
            return j + 1;
    }
    return i + 1;
}

/* The part before the next slash outside of groups, with a backslash that quotes the slash; *rest gets
 * what is behind it (NULL: it was the last). */
static struct wk_str next_component(struct wk_str s, unsigned flags, struct wk_str *rest,
                                    size_t *slashes)
{
    size_t i = 0, groups = flags & WK_PATTERN_EXTGLOB ? GROUPS_MAX : 0;
    while (i < s.n && s.p[i] != '/') {
        if (s.p[i] == '\\' && i + 1 < s.n) {
            if (s.p[i + 1] == '/')
                break;
            i += 2;
        } else if (groups && i && s.p[i] == '(' && memchr("@!+?*", s.p[i - 1], 5)) {
            i = group_end(s, i);
            groups--;
        } else {
            i++;
        }
    }
    i += i < s.n && s.p[i] == '\\';
    struct wk_str c = wk_str_take(s, i);
    size_t j = i;
    while (j < s.n && s.p[j] == '/')
        j++;
    *slashes = j - i;
    *rest = j > i ? wk_str_from(s, j) : (struct wk_str){NULL, 0};
    return c;
}

/* Is there something at the path? dir: it must be a directory. */
static bool exists(struct walk *w, bool dir)
{
    struct wk_stat st;
    struct wk_proc *p = w->sh->proc;
    if (wk_vfs_stat(w->sh->k->vfs, &p->cred, p->cwd, wk_buf_str(&w->path), dir ? 0 : WK_AT_NOFOLLOW,
                    &st) != 0)
        return false;
    return !dir || (st.mode & WK_S_IFMT) == WK_S_IFDIR;
}

static bool add_path(struct walk *w)
{
    struct wk_shell *sh = w->sh;
    struct wk_str s = wk_buf_str(&w->path);
    char *p = w->path.failed ? NULL : wk_arena_strndup(&sh->arena, s.p, s.n);
    if (!p || !wk_fields_add(sh, &w->found, wk_str(p, s.n)))
        return no_memory(w);
    if (w->found.n > PATHS_MAX) {
        w->flow = wk_kern_breach(sh->k, WK_LIMIT_EXPANSION) ? WK_STOP : WK_STOP;
        return false;
    }
    return true;
}

static void cut_path(struct walk *w, size_t n)
{
    w->path.n = n;
    if (w->path.p)
        w->path.p[n] = '\0';
}

/* ---- one directory
 * -------------------------------------------------------------------------------------------- */

static struct wk_vlist *open_dir(struct walk *w)
{
    struct wk_proc *p = w->sh->proc;
    struct wk_vlist *list = NULL;
    struct wk_str path = w->path.n ? wk_buf_str(&w->path) : WK_STR(".");
    int r = wk_vfs_opendir(w->sh->k->vfs, &p->cred, p->cwd, path, &list);
    if (r == -WK_ENOMEM)
        no_memory(w);
    return r ? NULL : list;
}

/* Could the pattern's first character be a literal dot? */
static bool wants_dot(struct wk_str pat)
{
    size_t i = pat.n > 1 && pat.p[0] == '\\';
    return pat.n > i && pat.p[i] == '.';
}

static bool is_dir_entry(struct walk *w, const struct wk_dirent *e, bool follow)
{
    if (e->type && e->type != WK_S_IFLNK)
        return e->type == WK_S_IFDIR;
    if (e->type && !follow)
        return false;
    struct wk_stat st;
    struct wk_proc *p = w->sh->proc;
    size_t n = w->path.n;
    wk_buf_puts(&w->path, e->name);
    bool dir = wk_vfs_stat(w->sh->k->vfs, &p->cred, p->cwd, wk_buf_str(&w->path),
                           follow ? 0 : WK_AT_NOFOLLOW, &st) == 0 &&
               (st.mode & WK_S_IFMT) == WK_S_IFDIR;
    cut_path(w, n);
    return dir;
}

/* An entry that matched the component: a result, or a directory to go on in. */
static void take_entry(struct walk *w, const struct wk_dirent *e, struct wk_str rest,
                       size_t slashes)
{
    size_t n = w->path.n;
    if (rest.p && !is_dir_entry(w, e, true))
        return;
    wk_buf_puts(&w->path, e->name);
    if (!rest.p) {
        (void)add_path(w);
    } else {
        wk_buf_fill(&w->path, '/', slashes);
        walk_from(w, rest, false);
    }
    cut_path(w, n);
}

static void match_dir(struct walk *w, struct wk_str pat, struct wk_str rest, size_t slashes)
{
    const struct wk_pattern *p;
    struct wk_pattern_run run;
    struct wk_dirent e;
    struct wk_vlist *list = open_dir(w);
    if (!list)
        return;
    /* Compiled for this walk: the shared cache may be emptied by what runs in between. */
    unsigned flags = w->flags | (w->dots ? 0u : WK_PATTERN_PERIOD);
    int r = wk_pattern_compile(&w->sh->arena, pat, flags, &p);
    bool dot = wants_dot(pat);
    wk_pattern_run_init(w->sh, &run);
    if (dot && !wk_shopt(w->sh, GLOBSKIPDOTS)) {
        static const struct wk_str dots[] = {WK_STR_INIT("."), WK_STR_INIT("..")};
        for (size_t i = 0; i < 2 && r >= 0; i++) {
            e = (struct wk_dirent){.name = dots[i], .type = WK_S_IFDIR};
            r = wk_pattern_match(p, &run, e.name);
            if (r > 0)
                take_entry(w, &e, rest, slashes);
        }
    }
    while (r >= 0 && w->flow == WK_NEXT && (r = wk_vlist_next(list, &e)) > 0) {
        if (wk_step(w->sh->k) != 0) {
            w->flow = WK_STOP;
            break;
        }
        r = wk_pattern_match(p, &run, e.name);
        if (r > 0)
            take_entry(w, &e, rest, slashes);
    }
    wk_vlist_close(list);
    if (r < 0 && w->flow == WK_NEXT && (r == -WK_ENOMEM || r == -WK_ESTOP || r == -WK_ELIMIT))
        w->flow = wk_pattern_failed(w->sh, r);
}

struct deep_stars {
    struct walk *w;
    struct wk_str rest;
    enum stars how;
    bool self;
};

static int stars_further(void *arg)
{
    struct deep_stars *d = arg;
    walk_stars(d->w, d->rest, d->how, d->self);
    return 0;
}

/* An entry of a directory that "**" stands for; the path ends in its name. */
static void star_entry(struct walk *w, struct wk_str rest, enum stars how, bool dir,
                       bool link_to_dir)
{
    size_t n = w->path.n;
    if (how == STARS_ALL)
        (void)add_path(w);
    if (dir || (link_to_dir && how == STARS_DIRS))
        wk_buf_putc(&w->path, '/');
    if (dir)
        walk_stars(w, rest, how, how != STARS_ALL);
    else if (link_to_dir && how == STARS_DIRS)
        (void)add_path(w);
    cut_path(w, n);
}

/* "**": this directory (with self) and all beneath it. */
static void walk_stars(struct walk *w, struct wk_str rest, enum stars how, bool self)
{
    struct wk_dirent e;
    if (wk_stack_low(w->sh->task)) {
        struct deep_stars d = {w, rest, how, self};
        int result;
        if (wk_stack_call(w->sh->task, stars_further, &d, &result) != 0)
            no_memory(w);
        return;
    }
    if (self && how == STARS_MORE) {
        walk_from(w, rest, true);
    } else if (self && w->path.n && exists(w, true)) {
        size_t n = w->path.n;
        if (how == STARS_ALL && w->magic) /* a/ as it is written, but a as it was found */
            cut_path(w, n - 1);
        (void)add_path(w);
        if (w->path.n < n)
            wk_buf_putc(&w->path, '/');
    }
    struct wk_vlist *list = w->flow == WK_NEXT && w->depth < DEPTH_MAX ? open_dir(w) : NULL;
    if (!list)
        return;
    w->depth++;
    while (w->flow == WK_NEXT && wk_vlist_next(list, &e) > 0) {
        if (wk_step(w->sh->k) != 0) {
            w->flow = WK_STOP;
            break;
        }
        if (e.name.p[0] == '.' && !w->dots)
            continue;
        size_t n = w->path.n;
        bool dir = is_dir_entry(w, &e, false);
        bool link = !dir && how == STARS_DIRS && is_dir_entry(w, &e, true);
        wk_buf_puts(&w->path, e.name);
        star_entry(w, rest, how, dir, link);
        cut_path(w, n);
    }
    w->depth--;
    wk_vlist_close(list);
}

/* ---- the walk
 * ---------------------------------------------------------------------------------------------------
 */

struct deep {
    struct walk *w;
    struct wk_str rest;
    bool star;
};

static int walk_further(void *arg)
{
    struct deep *d = arg;
    walk_from(d->w, d->rest, d->star);
    return 0;
}

/* Does it end in the backslash that quotes the slash behind it? */
static bool ends_in_quote(struct wk_str c)
{
    size_t n = c.n;
    while (n && c.p[n - 1] == '\\')
        n--;
    return (c.n - n) % 2 != 0;
}

/* A component without special characters: appended as it is. */
static void take_literal(struct walk *w, struct wk_str c, struct wk_str rest, size_t slashes)
{
    size_t n = w->path.n;
    if (rest.p && ends_in_quote(c))
        c.n--;
    (void)wk_pattern_unquote(&w->path, c);
    if (!rest.p) {
        if (exists(w, false))
            (void)add_path(w);
    } else {
        wk_buf_fill(&w->path, '/', slashes);
        walk_from(w, rest, false);
    }
    cut_path(w, n);
}

/* Matches `rest` beneath the path so far. after_stars: a "**" stands before it. */
static void walk_from(struct walk *w, struct wk_str rest, bool after_stars)
{
    struct wk_str next;
    size_t slashes;
    if (w->flow != WK_NEXT || w->path.failed)
        return;
    if (wk_stack_low(w->sh->task)) {
        struct deep d = {w, rest, after_stars};
        int result;
        if (wk_stack_call(w->sh->task, walk_further, &d, &result) != 0)
            no_memory(w);
        return;
    }
    if (!rest.n) { /* the pattern ended in a slash */
        if ((!after_stars || w->path.n) && exists(w, true))
            (void)add_path(w);
        return;
    }
    struct wk_str c = next_component(rest, w->flags, &next, &slashes);
    if (!c.n) { /* leading slashes */
        size_t n = w->path.n;
        wk_buf_fill(&w->path, '/', slashes);
        walk_from(w, next, false);
        cut_path(w, n);
        return;
    }
    if (w->globstar && wk_str_is(c, "**")) {
        bool all = !next.p, magic = w->magic;
        for (; next.p && wk_str_starts(next, WK_STR("**/")); w->magic = true)
            next = wk_str_from(next, 3);
        if (next.p && wk_str_is(next, "**"))
            all = w->magic = true;
        w->magic = w->magic || !all;
        walk_stars(w, next, all ? STARS_ALL : next.n ? STARS_MORE : STARS_DIRS, true);
        w->magic = magic;
        return;
    }
    if (wk_pattern_has_magic(c, w->flags)) {
        bool magic = w->magic;
        w->magic = true;
        match_dir(w, c, next, slashes);
        w->magic = magic;
    } else {
        take_literal(w, c, next, slashes);
    }
}

/* ---- GLOBIGNORE
 * ---------------------------------------------------------------------------------------------------
 */

static struct wk_str base_name(struct wk_str s)
{
    return wk_str_from(s, (size_t)(wk_str_rchr(s, '/') + 1));
}

/* Length of the first pattern of a list: up to a colon that stands in no bracket expression. */
static size_t ignore_length(struct wk_str s)
{
    size_t n = 0;
    while (n < s.n && s.p[n] != ':') {
        if (s.p[n] == '\\' && n + 1 < s.n) {
            n += 2;
            continue;
        }
        if (s.p[n] == '[') {
            size_t j = n + 1;
            j += j < s.n && (s.p[j] == '!' || s.p[j] == '^');
            j += j < s.n && s.p[j] == ']';
            for (; j < s.n && s.p[j] != ']'; j++)
                if (s.p[j] == '[' && j + 1 < s.n && s.p[j + 1] == ':')
                    for (j += 2; j + 1 < s.n && !(s.p[j] == ':' && s.p[j + 1] == ']');)
                        j++;
            if (j < s.n)
                n = j;
        }
        n++;
    }
    return n;
}

/* The patterns of GLOBIGNORE. A * at the end stands for any rest, slashes and all. */
struct ignored {
    const struct wk_pattern **v;
    bool *any_rest;
    size_t n;
};

static bool ends_in_star(struct wk_str s)
{
    size_t k = s.n;
    while (k > 1 && s.p[k - 2] == '\\')
        k--;
    return s.n && s.p[s.n - 1] == '*' && (s.n - k) % 2 == 0;
}

static enum wk_flow compile_ignored(struct walk *w, struct wk_str list, struct ignored *out)
{
    struct wk_arena *a = &w->sh->arena;
    size_t cap = 1;
    for (size_t i = 0; i < list.n; i++)
        cap += list.p[i] == ':';
    *out = (struct ignored){wk_arena_alloc(a, cap * sizeof *out->v), wk_arena_alloc(a, cap * sizeof *out->any_rest), 0};
    if (!out->v || !out->any_rest)
        return wk_sh_nomem(w->sh);
    while (list.n) {
        size_t n = ignore_length(list);
        bool star = out->any_rest[out->n] = ends_in_star(wk_str_take(list, n));
        int r = wk_pattern_compile(a, wk_str_take(list, n - star), w->flags | WK_PATTERN_PATHNAME,
                                   &out->v[out->n++]);
        if (r < 0)
            return wk_pattern_failed(w->sh, r);
        list = wk_str_from(list, n + 1);
    }
    return WK_NEXT;
}

static enum wk_flow ignore(struct walk *w)
{
    struct wk_shell *sh = w->sh;
    struct ignored l;
    if (WK_LIKELY(!sh->st->glob_ignore))
        return WK_NEXT;
    enum wk_flow flow = compile_ignored(w, wk_val_str(sh->st->glob_ignore), &l);
    size_t kept = 0;
    for (size_t i = 0; i < w->found.n && flow == WK_NEXT; i++) {
        struct wk_str path = w->found.v[i];
        bool drop = wk_str_is(base_name(path), ".") || wk_str_is(base_name(path), "..");
        for (size_t j = 0; j < l.n && !drop; j++) {
            struct wk_pattern_run run;
            wk_pattern_run_init(sh, &run);
            size_t end;
            int r = l.any_rest[j] ? wk_pattern_prefix(l.v[j], &run, path, false, &end)
                                  : wk_pattern_match(l.v[j], &run, path);
            if (r < 0)
                return wk_pattern_failed(sh, r);
            drop = r > 0;
        }
        if (!drop)
            w->found.v[kept++] = path;
        if (wk_step(sh->k) != 0)
            return WK_STOP;
    }
    w->found.n = kept;
    return flow;
}

static int by_bytes(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return wk_str_cmp(*(const struct wk_str *)a, *(const struct wk_str *)b);
}

static int sort_step(void *ctx, size_t n)
{
    struct wk_shell *sh = ctx;
    return wk_steps(sh->k, (uint32_t)WK_MIN(n / 16 + 1, (size_t)UINT32_MAX));
}

enum wk_flow wk_glob(struct wk_shell *sh, struct wk_str pattern, struct wk_fields *out,
                     bool *matched)
{
    struct walk w = {.sh = sh};
    *matched = false;
    w.flags = wk_pattern_flags(sh, wk_shopt(sh, NOCASEGLOB));
    w.dots = wk_shopt(sh, DOTGLOB);
    w.globstar = wk_shopt(sh, GLOBSTAR);
    wk_buf_init(&w.path, sh->mem, 64 * 1024);
    walk_from(&w, pattern, false);
    wk_buf_release(&w.path);
    if (w.flow != WK_NEXT || !w.found.n)
        return w.flow;
    enum wk_flow flow = ignore(&w);
    if (flow != WK_NEXT || !w.found.n)
        return flow;
    const struct wk_sort how = {.cmp = by_bytes, .step = sort_step, .ctx = sh};
    int r = wk_sort(sh->mem, w.found.v, w.found.n, sizeof *w.found.v, &how);
    if (r)
        return r == -WK_ENOMEM ? wk_sh_nomem(sh) : WK_STOP;
    for (size_t i = 0; i < w.found.n; i++)
        if (!wk_fields_add(sh, out, w.found.v[i]))
            return wk_sh_nomem(sh);
    *matched = true;
    return WK_NEXT;
}
