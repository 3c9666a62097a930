/* lookup.c - where commands are: the table of hashed paths, and search along $PATH */
#include "interp/lookup.h"
#include "interp/alias.h"
#include "interp/parser.h"
#include "interp/vars.h"

#include "vfs/vfs.h"

struct wk_hashed {
    uint32_t refs;
    uint32_t path_name; /* number of PATH */
    struct wk_val
        *path_var; /* $PATH that the entries were found along; held, so that it cannot change */
    struct wk_hash_entry *v;
    size_t n, cap;
};

static const char default_dirs[] = "/bin:/usr/bin:/sbin:/usr/sbin:/etc:/usr/etc";

static void entries_drop(struct wk_mem *m, struct wk_hashed *h)
{
    for (size_t i = 0; i < h->n; i++)
        wk_val_unref(m, h->v[i].path);
    h->n = 0;
}

void wk_hashed_unref(struct wk_mem *m, struct wk_hashed *h)
{
    if (!h || --h->refs)
        return;
    entries_drop(m, h);
    wk_val_unref(m, h->path_var);
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
        wk_hashed_unref(sh->mem, h);
        sh->st->hashed = h = fresh;
    } else {
        entries_drop(sh->mem, h);
        wk_val_unref(sh->mem, h->path_var);
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

static struct wk_hash_entry *entry_put(struct wk_shell *sh, struct wk_hashed *h, uint32_t name,
                                       struct wk_str path)
{
    struct wk_val *v = wk_val_new(sh->mem, path);
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

static int search(struct wk_shell *sh, struct wk_str dirs, struct wk_str name, struct wk_leaf *leaf)
{
    char *found = NULL;
    int r = wk_path_search(sh->proc, dirs, name, &found);
    if (found) {
        leaf->path = wk_arena_strndup(&sh->arena, found, strlen(found));
        wk_free(sh->mem, found);
        if (!leaf->path)
            return -WK_ENOMEM;
    }
    return r;
}

int wk_leaf_find(struct wk_shell *sh, struct wk_str name, bool default_path, struct wk_leaf *leaf)
{
    leaf->path = NULL;
    leaf->command = NULL;
    if (name.n == 0)
        return -WK_ENOENT;
    if (default_path)
        return search(sh, wk_str_c(default_dirs), name, leaf);
    struct wk_hashed *h = table_ready(sh);
    uint32_t id = wk_names_intern(sh->names, name);
    if (!h || id == WK_NAME_NONE)
        return -WK_ENOMEM;
    struct wk_hash_entry *e = entry_find(h, id);
    if (e) {
        if (e->gen != wk_vfs_namespace_gen(sh->k->vfs))
            entry_look(sh, e);
        struct wk_image image;
        if (!e->command && (wk_opt(sh, POSIX) || wk_shopt(sh, CHECKHASH)) &&
            wk_image_probe(sh->proc, e->path->p, &image) != 0)
            e = NULL;
    }
    int r = 0;
    if (!e) {
        struct wk_val *path = path_value(sh, h->path_name);
        r = search(sh, path ? wk_val_str(path) : WK_STR(""), name, leaf);
        if (r && !(r == -WK_EACCES && leaf->path)) /* what may not run is remembered, too */
            return r;
        if ((leaf->path[0] == '.' && leaf->path[1] == '/') || !wk_opt(sh, HASHALL))
            return r;
        e = entry_put(sh, h, id, wk_str_c(leaf->path));
        if (!e)
            return -WK_ENOMEM;
        entry_look(sh, e);
    }
    e->hits++;
    e->shown = e->shown || !sh->is_subshell;
    leaf->command = e->command;
    if (!leaf->path) {
        leaf->path = wk_arena_strndup(&sh->arena, e->path->p, e->path->n);
        if (!leaf->path)
            return -WK_ENOMEM;
    }
    return r;
}

/* ---- the table as `hash` sees it ------------------------------------------------------------- */

const struct wk_hash_entry *wk_hash_list(const struct wk_shell *sh, size_t *n)
{
    *n = sh->st->hashed ? sh->st->hashed->n : 0;
    return sh->st->hashed ? sh->st->hashed->v : NULL;
}

/* A table that no other shell sees. */
static struct wk_hashed *table_own(struct wk_shell *sh)
{
    struct wk_hashed *h = table_ready(sh);
    if (!h || h->refs == 1)
        return h;
    struct wk_hashed *mine = table_new(sh);
    if (!mine)
        return NULL;
    mine->path_var = h->path_var ? wk_val_ref(h->path_var) : NULL;
    for (size_t i = 0; i < h->n; i++) {
        struct wk_hash_entry *e = entry_put(sh, mine, h->v[i].name, wk_val_str(h->v[i].path));
        if (!e) {
            wk_hashed_unref(sh->mem, mine);
            return NULL;
        }
        e->hits = h->v[i].hits;
        e->shown = h->v[i].shown;
    }
    wk_hashed_unref(sh->mem, h);
    sh->st->hashed = mine;
    return mine;
}

int wk_hash_set(struct wk_shell *sh, struct wk_str name, struct wk_str path)
{
    struct wk_hashed *h = table_own(sh);
    uint32_t id = wk_names_intern(sh->names, name);
    struct wk_hash_entry *e = h && id != WK_NAME_NONE ? entry_put(sh, h, id, path) : NULL;
    if (!e)
        return -WK_ENOMEM;
    e->hits = 0;
    e->shown = true;
    return 0;
}

int wk_hash_forget(struct wk_shell *sh, struct wk_str name)
{
    struct wk_hashed *h = table_own(sh);
    if (!h)
        return -WK_ENOMEM;
    struct wk_hash_entry *e = entry_find(h, wk_names_find(sh->names, name));
    if (!e || !e->shown)
        return -WK_ENOENT;
    wk_val_unref(sh->mem, e->path);
    h->n--;
    memmove(e, e + 1, (size_t)(h->v + h->n - e) * sizeof *e);
    return 0;
}

void wk_hash_clear(struct wk_shell *sh)
{
    wk_hashed_unref(sh->mem, sh->st->hashed);
    sh->st->hashed = NULL;
}

static struct wk_hash_entry *shown_entry(struct wk_shell *sh, struct wk_str name)
{
    uint32_t id = wk_names_find(sh->names, name);
    struct wk_hashed *h = id != WK_NAME_NONE && sh->st->hashed ? table_ready(sh) : NULL;
    struct wk_hash_entry *e = h ? entry_find(h, id) : NULL;
    return e && e->shown ? e : NULL;
}

const struct wk_hash_entry *wk_hash_get(struct wk_shell *sh, struct wk_str name)
{
    return shown_entry(sh, name);
}

const struct wk_hash_entry *wk_hash_touch(struct wk_shell *sh, struct wk_str name)
{
    struct wk_hash_entry *e = shown_entry(sh, name);
    if (e)
        e->hits++;
    return e;
}

/* ---- what a name would run ------------------------------------------------------------------- */

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
    const struct wk_builtin *b = wk_builtin_find(sh, name);
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
        out->err = e;
        out->kind = e ? WK_FOUND_NONE : WK_FOUND_FILE;
        out->path = name;
        return WK_NEXT;
    }
    const struct wk_hash_entry *h = flags & WK_RUN_DEFAULT_PATH ? NULL : wk_hash_get(sh, name);
    if (h) {
        out->kind = WK_FOUND_FILE;
        out->path = wk_val_str(h->path);
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
    if (e == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    out->err = e;
    if (!e) {
        out->kind = WK_FOUND_FILE;
        out->path = wk_str_c(leaf.path);
    }
    return WK_NEXT;
}

enum wk_flow wk_find_readable(struct wk_shell *sh, struct wk_str name, const char **out)
{
    char scratch[24];
    struct wk_str dirs;
    *out = NULL;
    if (!wk_var_get(sh, wk_names_intern(sh->names, WK_STR("PATH")), scratch, &dirs))
        return WK_NEXT;
    while (true) {
        ptrdiff_t colon = wk_str_chr(dirs, ':');
        struct wk_str dir = colon < 0 ? dirs : wk_str_take(dirs, (size_t)colon);
        if (dir.n == 0)
            dir = WK_STR(".");
        char *path = wk_arena_alloc(&sh->arena, dir.n + name.n + 2);
        struct wk_stat st;
        if (!path)
            return wk_sh_nomem(sh);
        memcpy(path, dir.p, dir.n);
        path[dir.n] = '/';
        memcpy(path + dir.n + 1, name.p, name.n);
        path[dir.n + 1 + name.n] = '\0';
        if (wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd,
                        wk_str(path, dir.n + 1 + name.n), 0, &st) == 0 &&
            WK_S_ISREG(st.mode) && wk_stat_allows(&st, &sh->proc->cred, WK_R_OK)) {
            *out = path;
            return WK_NEXT;
        }
        if (colon < 0)
            return WK_NEXT;
        dirs = wk_str_from(dirs, (size_t)colon + 1);
    }
}
