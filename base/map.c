/* map.c - hash map from byte strings to pointers
 *
 * `entries` is a dense row in order of insertion; `index` is an open-addressing table of entry
 * numbers (linear probing, at most 2/3 full counting deleted ones). A deleted entry keeps its place
 * in both until the next rebuild, with key NULL and `dead` set.
 */
#include "base/map.h"
#include "base/err.h"
#include "base/hash.h"

struct wk_map_entry {
    const char *key;
    size_t key_n;
    void *value;
    uint32_t hash;
    bool dead;
};

enum { FIRST_ENTRIES = 5, FIRST_INDEX = 8 };

void wk_map_init(struct wk_map *m, struct wk_mem *mem, uint64_t seed, bool borrow)
{
    *m = (struct wk_map){.mem = mem, .seed = seed, .borrow = borrow};
}

/* A key of ours was allocated as char *; borrowed ones never come here. */
static void free_key(struct wk_map *m, const struct wk_map_entry *e)
{
    if (!m->borrow && !e->dead)
        wk_free(m->mem, (void *)(uintptr_t)e->key);
}

void wk_map_release(struct wk_map *m)
{
    for (size_t i = 0; i < m->used; i++)
        free_key(m, &m->entries[i]);
    wk_free(m->mem, m->entries);
    wk_free(m->mem, m->index);
    wk_map_init(m, m->mem, m->seed, m->borrow);
}

static uint32_t hash_of(const struct wk_map *m, struct wk_str key)
{
    uint64_t h = wk_hash64(m->seed, key);
    return (uint32_t)(h ^ (h >> 32));
}

static struct wk_map_entry *find(const struct wk_map *m, struct wk_str key, uint32_t hash)
{
    if (m->count == 0)
        return NULL;
    for (size_t i = hash & m->mask; m->index[i]; i = (i + 1) & m->mask) {
        struct wk_map_entry *e = &m->entries[m->index[i] - 1];
        if (e->hash == hash && !e->dead && e->key_n == key.n &&
            (key.n == 0 || memcmp(e->key, key.p, key.n) == 0))
            return e;
    }
    return NULL;
}

static void index_add(uint32_t *index, size_t mask, uint32_t hash, size_t number)
{
    size_t i = hash & mask;
    while (index[i])
        i = (i + 1) & mask;
    index[i] = (uint32_t)number + 1;
}

/* Makes room for one more entry, dropping the dead ones. */
static bool rebuild(struct wk_map *m)
{
    size_t slots = FIRST_INDEX, cap;
    while (slots / 3 * 2 < m->count + m->count / 2 + 1)
        slots *= 2;
    cap = slots == FIRST_INDEX ? FIRST_ENTRIES : slots / 3 * 2;
    if (cap >= UINT32_MAX)
        return false;
    struct wk_map_entry *entries = wk_calloc(m->mem, cap, sizeof *entries);
    uint32_t *index = wk_calloc(m->mem, slots, sizeof *index);
    if (!entries || !index) {
        wk_free(m->mem, entries);
        wk_free(m->mem, index);
        return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < m->used; i++) {
        if (m->entries[i].dead)
            continue;
        entries[n] = m->entries[i];
        index_add(index, slots - 1, entries[n].hash, n);
        n++;
    }
    wk_free(m->mem, m->entries);
    wk_free(m->mem, m->index);
    m->entries = entries;
    m->index = index;
    m->used = n;
    m->cap = cap;
    m->mask = slots - 1;
    return true;
}

void **wk_map_at(const struct wk_map *m, struct wk_str key)
{
    struct wk_map_entry *e = find(m, key, hash_of(m, key));
    return e ? &e->value : NULL;
}

void *wk_map_get(const struct wk_map *m, struct wk_str key)
{
    void **at = wk_map_at(m, key);
    return at ? *at : NULL;
}

void **wk_map_put(struct wk_map *m, struct wk_str key, bool *made)
{
    uint32_t hash = hash_of(m, key);
    struct wk_map_entry *e = find(m, key, hash);
    if (made)
        *made = !e;
    if (e)
        return &e->value;
    const char *copy = key.p;
    if (!m->borrow && !(copy = wk_strndup(m->mem, key.p, key.n)))
        return NULL;
    if (m->used == m->cap && !rebuild(m)) {
        if (!m->borrow)
            wk_free(m->mem, (void *)(uintptr_t)copy);
        return NULL;
    }
    e = &m->entries[m->used];
    *e = (struct wk_map_entry){.key = copy, .key_n = key.n, .hash = hash};
    index_add(m->index, m->mask, hash, m->used);
    m->used++;
    m->count++;
    return &e->value;
}

int wk_map_set(struct wk_map *m, struct wk_str key, void *value)
{
    void **at = wk_map_put(m, key, NULL);
    if (!at)
        return -WK_ENOMEM;
    *at = value;
    return 0;
}

void *wk_map_del(struct wk_map *m, struct wk_str key)
{
    struct wk_map_entry *e = find(m, key, hash_of(m, key));
    if (!e)
        return NULL;
    void *value = e->value;
    free_key(m, e);
    *e = (struct wk_map_entry){.dead = true};
    m->count--;
    return value;
}

bool wk_map_next(const struct wk_map *m, size_t *pos, struct wk_str *key, void **value)
{
    while (*pos < m->used) {
        const struct wk_map_entry *e = &m->entries[(*pos)++];
        if (e->dead)
            continue;
        if (key)
            *key = wk_str(e->key, e->key_n);
        if (value)
            *value = e->value;
        return true;
    }
    return false;
}
