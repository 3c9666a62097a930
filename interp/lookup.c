/* lookup.c - where commands are: the table of hashed paths, and search along $PATH */
#include "interp/lookup.h"
#include "interp/alias.h"
#include "interp/expand_parts.h"
#include "interp/parser.h"
#include "interp/shared.h"
#include "interp/vars.h"

#include "vfs/vfs.h"

struct wk_hashed {
    uint32_t refs;
    uint32_t path_name; /* number of PATH */
    bool used;          /* something was remembered once, though it may be forgotten again */
    struct wk_hashed *outer; /* a subshell's table: that of the shell around, as a cache; or NULL */
    struct wk_val
        *path_var; /* $PATH that the entries were found along; held, so that it cannot change */
    struct wk_hash_entry *v;
    size_t n, cap;
};

static const char default_dirs[] = "/bin:/usr/bin:/sbin:/usr/sbin:/etc:/usr/etc";

static void drop_env(struct wk_hash_entry *e)
{
    if (WK_UNLIKELY(e->env != NULL))
        wk_env_unref(e->env);
    if (WK_UNLIKELY(e->env_less != NULL))
        wk_env_unref(e->env_less);
    e->env = e->env_less = NULL;
}

static void entries_drop(struct wk_mem *m, struct wk_hashed *h)
{
    for (size_t i = 0; i < h->n; i++) {
        wk_val_unref(m, h->v[i].path);
        drop_env(&h->v[i]);
    }
    h->n = 0;
}

void wk_hashed_unref(struct wk_mem *m, struct wk_hashed *h)
{
    if (!h || --h->refs)
        return;
    entries_drop(m, h);
    wk_val_unref(m, h->path_var);
    wk_hashed_unref(m, h->outer); /* which has none itself */
    wk_free(m, h->v);
    wk_free(m, h);
}

static struct wk_hashed *table_new(struct wk_shell *sh)
{
    struct wk_hashed *h = WK_NEW(sh->mem, struct wk_hashed);
    if (!h)
        return NULL;
    h->refs = 1;
    h->path_name = wk_names_intern(sh->names, WK_STR("PATH"));
    if (h->path_name == WK_NAME_NONE) {
        wk_free(sh->mem, h);
        return NULL;
    }
    return h;
}

/* $PATH as a counted value, or NULL. */
static struct wk_val *path_value(struct wk_shell *sh, uint32_t name)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    if (v && (v->flags & WK_VAR_SET) && (v->flags & WK_VAR_TEXT) &&
        !(v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC | WK_VAR_NAMEREF)))
        return v->text;
    return NULL;
}

/* The table for the present $PATH; entries found along another are dropped. NULL: no memory. */
static struct wk_hashed *table_ready(struct wk_shell *sh)
{
    struct wk_hashed *h = sh->st->hashed;
    if (h) {
        struct wk_val *now = path_value(sh, h->path_name);
        if (WK_LIKELY(now == h->path_var))
            return h;
        if (now && h->path_var && wk_str_eq(wk_val_str(now), wk_val_str(h->path_var)))
            return h;
    }
    if (!h || h->refs > 1) {
        struct wk_hashed *fresh = table_new(sh);
        if (!fresh)
            return NULL;
        fresh->used = h && h->used;
        wk_hashed_unref(sh->mem, h);
        sh->st->hashed = h = fresh;
    } else {
        entries_drop(sh->mem, h);
        wk_val_unref(sh->mem, h->path_var);
        wk_hashed_unref(sh->mem, h->outer);
        h->outer = NULL;
    }
    h->path_var = path_value(sh, h->path_name);
    if (h->path_var)
        wk_val_ref(h->path_var);
    return h;
}

static struct wk_hash_entry *entry_find(struct wk_hashed *h, uint32_t name)
{
    for (size_t i = 0; i < h->n; i++) {
        if (h->v[i].name == name)
            return &h->v[i];
    }
    return NULL;
}

/* Takes the reference to path, which may be NULL: no memory. */
static struct wk_hash_entry *entry_put(struct wk_shell *sh, struct wk_hashed *h, uint32_t name,
                                       struct wk_val *v)
{
    if (!v)
        return NULL;
    struct wk_hash_entry *e = entry_find(h, name);
    if (!e) {
        if (!wk_vec_grow(sh->mem, &h->v, &h->cap, h->n + 1, sizeof *h->v)) {
            wk_val_unref(sh->mem, v);
            return NULL;
        }
        e = &h->v[h->n++];
        *e = (struct wk_hash_entry){.name = name};
    } else {
        wk_val_unref(sh->mem, e->path);
        drop_env(e);
    }
    e->path = v;
    e->command = NULL;
    e->gen = 0;
    return e;
}

/* What the file is now. */
static void entry_look(struct wk_shell *sh, struct wk_hash_entry *e)
{
    struct wk_image image;
    e->gen = wk_vfs_namespace_gen(sh->k->vfs);
    e->command = NULL;
    if (wk_vfs_path_is_stable(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, wk_val_str(e->path)) &&
        wk_image_probe(sh->proc, e->path->p, &image) == 0 && image.kind == WK_IMAGE_COMMAND)
        e->command = image.command;
}

/* EXECIGNORE: patterns of files that are no commands. */
static bool ignored_by(struct wk_shell *sh, struct wk_str list, struct wk_str path)
{
    bool found = false;
    while (list.n && !found) {
        ptrdiff_t colon = wk_str_chr(list, ':');
        struct wk_str one = colon < 0 ? list : wk_str_take(list, (size_t)colon);
        unsigned flags = wk_shopt(sh, EXTGLOB) ? WK_PATTERN_EXTGLOB : 0;
        const struct wk_pattern *p;
        struct wk_pattern_run run;
        if (one.n && wk_shared_pattern_get(sh->shared, one, flags, &p) == 0) {
            wk_pattern_run_init(sh, &run);
            found = wk_pattern_match(p, &run, path) > 0;
            wk_shared_pattern_done(sh->shared);
        }
        list = colon < 0 ? wk_str(NULL, 0) : wk_str_from(list, (size_t)colon + 1);
    }
    return found;
}

bool wk_exec_ignored(struct wk_shell *sh, struct wk_str path)
{
    return WK_UNLIKELY(sh->st->exec_ignore) && ignored_by(sh, wk_val_str(sh->st->exec_ignore), path);
}

/* Search on behind the directories that lead to files which EXECIGNORE names. */
static int search_allowed(struct wk_shell *sh, struct wk_str dirs, struct wk_str name, char **found)
{
    for (;;) {
        int r = wk_path_search(sh->proc, dirs, name, found);
        if (r || !wk_exec_ignored(sh, wk_str_c(*found)))
            return r;
        size_t length = strlen(*found) - name.n;
        for (;;) { /* the directory that it was found in */
            ptrdiff_t colon = wk_str_chr(dirs, ':');
            struct wk_str dir = colon < 0 ? dirs : wk_str_take(dirs, (size_t)colon);
            bool here = dir.n ? wk_str_starts(wk_str_c(*found), dir) && length - dir.n <= 1
                              : length == 2 && (*found)[0] == '.';
            dirs = colon < 0 ? wk_str(NULL, 0) : wk_str_from(dirs, (size_t)colon + 1);
            if (colon < 0) {
                wk_free(sh->mem, *found);
                *found = NULL;
                return -WK_ENOENT;
            }
            if (here)
                break;
        }
        wk_free(sh->mem, *found);
        *found = NULL;
    }
}

static int search(struct wk_shell *sh, struct wk_str dirs, struct wk_str name, struct wk_leaf *leaf)
{
    char *found = NULL;
    int r = search_allowed(sh, dirs, name, &found);
    if (found) {
        leaf->path = wk_arena_strndup(&sh->arena, found, strlen(found));
        wk_free(sh->mem, found);
        if (!leaf->path)
            return -WK_ENOMEM;
    }
    return r;
}

/* A table that no other shell sees, with what is remembered. */
static struct wk_hashed *table_own(struct wk_shell *sh)
{
    struct wk_hashed *h = table_ready(sh);
    if (!h || (h->refs == 1 && (!sh->now.is_subshell || h->outer || h->used)))
        return h;
    struct wk_hashed *mine = WK_NEW(sh->mem, struct wk_hashed);
    if (!mine)
        return NULL;
    mine->refs = 1;
    if (h->n && !wk_vec_grow(sh->mem, &mine->v, &mine->cap, h->n, sizeof *mine->v)) {
        wk_free(sh->mem, mine);
        return NULL;
    }
    mine->path_name = h->path_name;
    mine->path_var = h->path_var ? wk_val_ref(h->path_var) : NULL;
    mine->used = h->used;
    if (sh->now.is_subshell) {
        mine->outer = h->outer ? h->outer : h;
        mine->outer->refs++;
    }
    for (size_t i = 0; i < h->n; i++) {
        if (!h->v[i].shown)
            continue;
        mine->v[mine->n] = h->v[i];
        wk_env_ref(h->v[i].env);
        wk_env_ref(h->v[i].env_less);
        wk_val_ref(mine->v[mine->n++].path);
    }
    wk_hashed_unref(sh->mem, h);
    sh->st->hashed = mine;
    return mine;
}

static void entry_drop(struct wk_shell *sh, struct wk_hashed *h, struct wk_hash_entry *e)
{
    wk_val_unref(sh->mem, e->path);
    drop_env(e);
    h->n--;
    memmove(e, e + 1, (size_t)(h->v + h->n - e) * sizeof *e);
}

/* The place of name is found, and now it is remembered: as the newest. Takes the reference to path, which may
 * be NULL; NULL: no memory. */
static struct wk_hash_entry *remember(struct wk_shell *sh, uint32_t name, struct wk_val *path)
{
    struct wk_hashed *h = table_own(sh);
    if (!h || !path) {
        wk_val_unref(sh->mem, path);
        return NULL;
    }
    struct wk_hash_entry *old = entry_find(h, name);
    if (old && !old->shown)
        entry_drop(sh, h, old);
    struct wk_hash_entry *e = entry_put(sh, h, name, path);
    if (!e)
        return NULL;
    h->used = e->shown = true;
    e->hits = 0;
    return e;
}

/* What `hash` would tell of name, counted when it is asked for; in a table of one's own then. */
static struct wk_hash_entry *shown_entry(struct wk_shell *sh, uint32_t name, bool counted)
{
    struct wk_hashed *h = name != WK_NAME_NONE && sh->st->hashed ? table_ready(sh) : NULL;
    struct wk_hash_entry *e = h ? entry_find(h, name) : NULL;
    if (!e || !e->shown)
        return NULL;
    if (counted && WK_UNLIKELY(h->refs > 1)) {
        h = table_own(sh);
        e = h ? entry_find(h, name) : NULL;
    }
    if (e && counted)
        e->hits++;
    return e;
}

/* Where a search would find it, known from one that nobody remembers; NULL: search. */
static struct wk_hash_entry *cached_entry(struct wk_shell *sh, struct wk_hashed *h, uint32_t name)
{
    struct wk_hash_entry *e = entry_find(h, name);
    if (!e && h->outer)
        e = entry_find(h->outer, name);
    return e && !e->shown && e->gen == wk_vfs_namespace_gen(sh->k->vfs) ? e : NULL;
}

void wk_hashed_keep(struct wk_state *parent, struct wk_state *child)
{
    struct wk_hashed *h = child->hashed;
    if (parent->hashed || !h)
        return;
    if (h->outer) {
        parent->hashed = h->outer;
        h->outer->refs++;
    } else if (!h->used) {
        parent->hashed = h;
        child->hashed = NULL;
    }
}

/* $PATH means the same wherever the working directory is. */
static bool path_is_absolute(struct wk_str path)
{
    for (size_t i = 0; i <= path.n; i++)
        if ((i == 0 || path.p[i - 1] == ':') && (i == path.n || path.p[i] != '/'))
            return false;
    return true;
}

/* The environments of its starts are kept with the entry. */
static void keep_in(struct wk_leaf *leaf, struct wk_hash_entry *e)
{
    leaf->env = &e->env;
    leaf->env_less = &e->env_less;
}

/* Search along $PATH; what a subshell finds is of use to the shell around, which does not show it: *kept. */
static int search_and_keep(struct wk_shell *sh, struct wk_hashed *h, uint32_t id, struct wk_leaf *leaf,
                           struct wk_hash_entry **kept)
{
    struct wk_val *path = path_value(sh, h->path_name);
    const struct wk_var *v = wk_var_peek(sh, h->path_name);
    struct wk_str dirs = path ? wk_val_str(path) : WK_STR("");
    if (v && v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC) && !wk_has_no_path(sh))
        return -WK_ENOENT; /* a list leads nowhere */
    int r = search(sh, dirs, wk_names_str(sh->names, id), leaf);
    if (r || !path_is_absolute(dirs))
        return r;
    struct wk_hashed *cache = h->outer ? h->outer : h;
    const struct wk_hash_entry *old = entry_find(cache, id);
    if (old && old->shown)
        return 0;
    struct wk_hash_entry *e =
        entry_put(sh, cache, id, wk_val_new(sh->mem, wk_str_c(leaf->path)));
    if (!e)
        return -WK_ENOMEM;
    entry_look(sh, e);
    leaf->command = e->command;
    keep_in(leaf, e);
    *kept = e;
    return 0;
}

static bool is_relative(const struct wk_val *path)
{
    return path->p[0] != '/';
}

static bool can_run(struct wk_shell *sh, struct wk_str path)
{
    struct wk_stat st;
    return wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, path, 0, &st) == 0 && WK_S_ISREG(st.mode) &&
           wk_stat_allows(&st, &sh->proc->cred, WK_X_OK);
}

/* ./NAME counts only where it can be run. */
static bool is_lost(struct wk_shell *sh, const struct wk_val *path)
{
    struct wk_str s = wk_val_str(path);
    while (wk_str_starts(s, WK_STR("./")))
        s = wk_str_from(s, 2);
    return s.n < path->n && wk_str_chr(s, '/') < 0 && !can_run(sh, wk_val_str(path));
}

struct wk_str wk_hash_path(struct wk_shell *sh, const struct wk_hash_entry *e)
{
    struct wk_str path = wk_val_str(e->path);
    if (!is_relative(e->path))
        return path;
    if (!can_run(sh, path))
        return is_lost(sh, e->path) ? wk_str(NULL, 0) : path;
    if (wk_str_starts(path, WK_STR("./")))
        return path;
    char *p = wk_arena_alloc(&sh->arena, path.n + 3);
    if (!p)
        return path;
    p[0] = '.';
    p[1] = '/';
    memcpy(p + 2, path.p, path.n + 1);
    return wk_str(p, path.n + 2);
}

/* The entry that the shell remembers, if it is still to be believed. */
static struct wk_hash_entry *believed(struct wk_shell *sh, struct wk_hashed *h, uint32_t id)
{
    struct wk_hash_entry *e = entry_find(h, id);
    if (!e || !e->shown || !wk_opt(sh, HASHALL))
        return NULL;
    if (e->gen != wk_vfs_namespace_gen(sh->k->vfs))
        entry_look(sh, e);
    if (WK_UNLIKELY(is_relative(e->path)) && is_lost(sh, e->path)) {
        e->hits += h->refs == 1;
        return NULL;
    }
    struct wk_image image;
    if (!e->command && (wk_opt(sh, POSIX) || wk_shopt(sh, CHECKHASH)) &&
        wk_image_probe(sh->proc, e->path->p, &image) != 0)
        return NULL;
    return e;
}

static int leaf_of(struct wk_shell *sh, struct wk_hash_entry *e, struct wk_leaf *leaf)
{
    leaf->command = e->command;
    keep_in(leaf, e);
    leaf->path = wk_arena_strndup(&sh->arena, e->path->p, e->path->n);
    return leaf->path ? 0 : -WK_ENOMEM;
}

/* Remembered and counted from now on. kept: where the search is known from, or NULL. */
static bool leaf_remember(struct wk_shell *sh, uint32_t id, struct wk_leaf *leaf,
                          struct wk_hash_entry *kept)
{
    if (!wk_opt(sh, HASHALL) || !sh->st->hashed->path_var || !sh->st->hashed->path_var->n)
        return true;
    struct wk_hash_entry known = kept ? *kept : (struct wk_hash_entry){0};
    struct wk_hash_entry *e = remember(sh, id,
                                       kept ? wk_val_ref(known.path)
                                            : wk_val_new(sh->mem, wk_str_c(leaf->path)));
    if (!e)
        return false;
    e->command = known.command;
    e->gen = known.gen;
    if (!kept)
        entry_look(sh, e);
    e->hits = 1;
    keep_in(leaf, kept && sh->st->hashed->outer ? kept : e); /* what is kept lasts longer */
    return true;
}

int wk_leaf_find(struct wk_shell *sh, struct wk_str name, int how, struct wk_leaf *leaf)
{
    leaf->path = NULL;
    leaf->command = NULL;
    leaf->env = leaf->env_less = NULL;
    if (name.n == 0)
        return -WK_ENOENT;
    struct wk_hashed *h = table_ready(sh);
    uint32_t id = wk_names_intern(sh->names, name);
    if (!h || id == WK_NAME_NONE)
        return -WK_ENOMEM;
    int r = 0;
    struct wk_hash_entry *e = NULL;
    if (how & WK_FIND_DEFAULT_PATH) {
        r = search(sh, wk_str_c(default_dirs), name, leaf);
    } else {
        e = believed(sh, h, id);
        if (e) {
            if (WK_UNLIKELY(h->refs > 1) && !(how & WK_FIND_LAST))
                e = shown_entry(sh, id, true);
            else
                e->hits += h->refs == 1;
            return e ? leaf_of(sh, e, leaf) : -WK_ENOMEM;
        }
        e = cached_entry(sh, h, id);
        r = e ? leaf_of(sh, e, leaf) : search_and_keep(sh, h, id, leaf, &e);
    }
    if (r && !(r == -WK_EACCES && leaf->path)) /* what may not run is remembered, too */
        return r;
    return how & WK_FIND_LAST || leaf_remember(sh, id, leaf, e) ? r : -WK_ENOMEM;
}

/* ---- the table as `hash` sees it ------------------------------------------------------------- */

const struct wk_hash_entry *wk_hash_list(const struct wk_shell *sh, size_t *n)
{
    *n = sh->st->hashed ? sh->st->hashed->n : 0;
    return sh->st->hashed ? sh->st->hashed->v : NULL;
}

int wk_hash_set(struct wk_shell *sh, struct wk_str name, struct wk_str path)
{
    uint32_t id = wk_names_intern(sh->names, name);
    return id != WK_NAME_NONE && remember(sh, id, wk_val_new(sh->mem, path)) ? 0 : -WK_ENOMEM;
}

int wk_hash_forget(struct wk_shell *sh, struct wk_str name)
{
    struct wk_hashed *h = table_own(sh);
    if (!h)
        return -WK_ENOMEM;
    if (!h->used)
        return 0;
    struct wk_hash_entry *e = entry_find(h, wk_names_find(sh->names, name));
    if (!e || !e->shown)
        return -WK_ENOENT;
    entry_drop(sh, h, e);
    return 0;
}

void wk_hash_clear(struct wk_shell *sh)
{
    struct wk_hashed *h = sh->st->hashed;
    if (!h)
        return;
    bool used = h->used;
    if (h->refs == 1) {
        entries_drop(sh->mem, h);
        return;
    }
    h = used ? table_new(sh) : NULL;
    if (h)
        h->used = true;
    wk_hashed_unref(sh->mem, sh->st->hashed);
    sh->st->hashed = h;
}

const struct wk_hash_entry *wk_hash_touch(struct wk_shell *sh, struct wk_str name)
{
    return wk_opt(sh, HASHALL) ? shown_entry(sh, wk_names_find(sh->names, name), true) : NULL;
}

/* ---- what a name would run ------------------------------------------------------------------- */

struct wk_str wk_path_here(struct wk_shell *sh, struct wk_str path)
{
    struct wk_str cwd = sh->st->cwd ? wk_val_str(sh->st->cwd) : WK_STR("/");
    while (wk_str_starts(path, WK_STR("./")))
        path = wk_str_from(path, 2);
    char *p = wk_arena_alloc(&sh->arena, cwd.n + path.n + 2);
    if (!p)
        return wk_str(NULL, 0);
    memcpy(p, cwd.p, cwd.n);
    size_t n = cwd.n;
    if (p[n - 1] != '/')
        p[n++] = '/';
    memcpy(p + n, path.p, path.n);
    p[n + path.n] = '\0';
    return wk_str(p, n + path.n);
}

enum wk_flow wk_lookup(struct wk_shell *sh, struct wk_str name, int flags, struct wk_found *out)
{
    *out = (struct wk_found){0};
    if (!(flags & (WK_RUN_NO_FUNCTIONS | WK_RUN_ONLY_BUILTIN))) {
        struct wk_str value;
        if ((wk_shopt(sh, EXPAND_ALIASES) || sh->interactive) && wk_alias_get(sh, name, &value)) {
            out->kind = WK_FOUND_ALIAS;
            out->path = value;
            return WK_NEXT;
        }
        if (wk_is_keyword(name)) {
            out->kind = WK_FOUND_KEYWORD;
            return WK_NEXT;
        }
        uint32_t id = wk_names_find(sh->names, name);
        out->func = id == WK_NAME_NONE ? NULL : wk_func_find(sh, id);
        if (out->func) {
            out->kind = WK_FOUND_FUNCTION;
            return WK_NEXT;
        }
    }
    const struct wk_builtin *b = flags & WK_RUN_NO_BUILTINS ? NULL : wk_builtin_find(sh, name);
    if (b && wk_builtin_enabled(sh, b)) {
        out->kind = WK_FOUND_BUILTIN;
        out->builtin = b;
        return WK_NEXT;
    }
    if (flags & WK_RUN_ONLY_BUILTIN)
        return WK_NEXT;
    struct wk_leaf leaf = {0};
    if (memchr(name.p, '/', name.n)) {
        struct wk_stat st;
        int e = wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, name, 0, &st);
        if (!e && (!WK_S_ISREG(st.mode) || !wk_stat_allows(&st, &sh->proc->cred, WK_X_OK)))
            e = -WK_EACCES;
        if (!e && wk_exec_ignored(sh, name))
            e = -WK_ENOENT;
        out->err = e;
        out->kind = e ? WK_FOUND_NONE : WK_FOUND_FILE;
        out->path = name;
        return WK_NEXT;
    }
    const struct wk_hash_entry *h = flags & WK_RUN_DEFAULT_PATH ? NULL : wk_hash_touch(sh, name);
    struct wk_str hashed = h ? wk_hash_path(sh, h) : wk_str(NULL, 0);
    if (hashed.p) {
        out->kind = WK_FOUND_FILE;
        out->path = hashed;
        out->command = h->command;
        out->hashed = true;
        return WK_NEXT;
    }
    char scratch[24];
    struct wk_str dirs = WK_STR("");
    if (flags & WK_RUN_DEFAULT_PATH)
        dirs = wk_str_c(default_dirs);
    else
        (void)wk_var_get(sh, wk_names_intern(sh->names, WK_STR("PATH")), scratch, &dirs);
    int e = name.n ? search(sh, dirs, name, &leaf) : -WK_ENOENT;
    if (!e && !dirs.n) /* without $PATH it is a file of the working directory, by its whole name */
        leaf.path = wk_path_here(sh, name).p;
    if (e == -WK_ENOMEM || (!e && !leaf.path))
        return wk_sh_nomem(sh);
    out->err = e;
    if (!e) {
        out->kind = WK_FOUND_FILE;
        out->path = wk_str_c(leaf.path);
    }
    return WK_NEXT;
}

bool wk_path_step(struct wk_shell *sh, struct wk_str *dirs, struct wk_str name, struct wk_str *path)
{
    ptrdiff_t colon = wk_str_chr(*dirs, ':');
    struct wk_str dir = colon < 0 ? *dirs : wk_str_take(*dirs, (size_t)colon);
    *dirs = colon < 0 ? wk_str(NULL, 0) : wk_str_from(*dirs, (size_t)colon + 1);
    if (dir.n == 0)
        dir = WK_STR(".");
    char *p = wk_arena_alloc(&sh->arena, dir.n + name.n + 2);
    if (!p)
        return false;
    memcpy(p, dir.p, dir.n);
    size_t n = dir.n;
    if (p[n - 1] != '/')
        p[n++] = '/';
    memcpy(p + n, name.p, name.n);
    p[n + name.n] = '\0';
    *path = wk_str(p, n + name.n);
    return true;
}

enum wk_flow wk_find_readable(struct wk_shell *sh, struct wk_str name, const char **out)
{
    char scratch[24];
    struct wk_str dirs, path;
    *out = NULL;
    if (!wk_var_get(sh, wk_names_intern(sh->names, WK_STR("PATH")), scratch, &dirs))
        return WK_NEXT;
    do {
        struct wk_stat st;
        if (!wk_path_step(sh, &dirs, name, &path))
            return wk_sh_nomem(sh);
        if (wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, path, 0, &st) == 0 && WK_S_ISREG(st.mode) &&
            wk_stat_allows(&st, &sh->proc->cred, WK_R_OK)) {
            *out = path.p;
            return WK_NEXT;
        }
    } while (dirs.p);
    return WK_NEXT;
}
