/* fsnode.c - nodes of foreign mounts: which files of a back end are in use, and where they are */
#include "vfs/namespace.h"

static size_t bucket(const struct wk_mount *m, const struct wk_fs_node *parent, struct wk_str name)
{
    uint64_t h = (uint64_t)(uintptr_t)parent * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < name.n; i++)
        h = (h ^ (uint8_t)name.p[i]) * UINT64_C(0x100000001b3);
    return (size_t)(h ^ h >> 29) & (m->table_cap - 1);
}

static struct wk_str name_of(const struct wk_fs_node *n)
{
    return wk_str(n->name, n->name_len);
}

struct wk_fs_node *wk_node_find(struct wk_mount *m, struct wk_fs_node *parent, struct wk_str name)
{
    if (!m->table_n)
        return NULL;
    struct wk_fs_node *n = m->table[bucket(m, parent, name)];
    while (n && (n->parent != parent || !wk_str_eq(name_of(n), name)))
        n = n->next;
    return n;
}

static void enter(struct wk_mount *m, struct wk_fs_node *n)
{
    size_t at = bucket(m, n->parent, name_of(n));
    n->next = m->table[at];
    m->table[at] = n;
    m->table_n++;
}

static void leave(struct wk_mount *m, struct wk_fs_node *n)
{
    struct wk_fs_node **at = &m->table[bucket(m, n->parent, name_of(n))];
    while (*at != n)
        at = &(*at)->next;
    *at = n->next;
    m->table_n--;
}

static bool grow(struct wk_mount *m)
{
    size_t old_cap = m->table_cap;
    struct wk_fs_node **old = m->table;
    size_t cap = old_cap ? old_cap * 2 : 16;
    struct wk_fs_node **t = wk_calloc(m->vfs->ctx.mem, cap, sizeof *t);
    if (!t)
        return old != NULL;
    m->table = t;
    m->table_cap = cap;
    m->table_n = 0;
    for (size_t i = 0; i < old_cap; i++) {
        while (old[i]) {
            struct wk_fs_node *n = old[i];
            old[i] = n->next;
            enter(m, n);
        }
    }
    wk_free(m->vfs->ctx.mem, old);
    return true;
}

struct wk_fs_node *wk_node_ref(struct wk_fs_node *n)
{
    if (n)
        n->refs++;
    return n;
}

struct wk_fs_node *wk_node_get(struct wk_mount *m, struct wk_fs_node *parent, struct wk_str name,
                               uint64_t id, uint32_t type)
{
    struct wk_mem *mem = m->vfs->ctx.mem;
    struct wk_fs_node *n = parent ? wk_node_find(m, parent, name) : NULL;
    if (n) {
        n->id = id;
        n->type = type;
        return wk_node_ref(n);
    }
    if (m->table_n >= m->table_cap && !grow(m))
        return NULL;
    n = WK_NEW(mem, struct wk_fs_node);
    if (!n)
        return NULL;
    n->name = wk_strndup(mem, name.p, name.n);
    if (!n->name) {
        wk_free(mem, n);
        return NULL;
    }
    n->name_len = (uint16_t)name.n;
    n->id = id;
    n->type = type;
    n->refs = 1;
    n->mount = m;
    n->parent = wk_node_ref(parent);
    n->gone = parent == NULL; /* the root has no name to be found by */
    if (parent)
        enter(m, n);
    return n;
}

void wk_node_put(struct wk_fs_node *n)
{
    while (n && --n->refs == 0) {
        struct wk_mount *m = n->mount;
        struct wk_fs_node *parent = n->parent;
        if (!n->gone)
            leave(m, n);
        if (m->fs->ops->forget)
            m->fs->ops->forget(m->fs, n);
        wk_free(m->vfs->ctx.mem, n->name);
        wk_free(m->vfs->ctx.mem, n);
        n = parent;
    }
}

void wk_node_forget_name(struct wk_fs_node *n)
{
    if (n && !n->gone) {
        leave(n->mount, n);
        n->gone = true;
    }
}

void wk_node_move(struct wk_mount *m, struct wk_fs_node *from, struct wk_str from_name,
                  struct wk_fs_node *to, char *spare, struct wk_str to_name)
{
    struct wk_fs_node *n = wk_node_find(m, from, from_name);
    wk_node_forget_name(wk_node_find(m, to, to_name));
    if (!n) {
        wk_free(m->vfs->ctx.mem, spare);
        return;
    }
    leave(m, n);
    wk_free(m->vfs->ctx.mem, n->name);
    n->name = spare;
    n->name_len = (uint16_t)to_name.n;
    n->parent = wk_node_ref(to);
    enter(m, n);
    wk_node_put(from);
}

bool wk_fs_node_path(const struct wk_fs_node *n, struct wk_buf *out)
{
    size_t total = 0;
    for (const struct wk_fs_node *i = n; i->parent; i = i->parent)
        total += i->name_len + 1U;
    if (total == 0)
        return wk_buf_put(out, "", 0);
    if (!wk_buf_fill(out, '/', total - 1))
        return false;
    char *end = out->p + out->n;
    for (const struct wk_fs_node *i = n; i->parent; i = i->parent) {
        end -= i->name_len;
        memcpy(end, i->name, i->name_len);
        end--; /* the slash that fill left there */
    }
    return true;
}
