/* names.c - the session's intern table */
#include "interp/names.h"

#include "base/arena.h"

struct entry {
    const char *p;
    uint32_t n;
    uint32_t hash;
};

struct wk_names {
    struct wk_mem *mem;
    struct wk_arena arena; /* the bytes */
    struct entry *v;
    size_t cap;
    uint32_t count;
    uint32_t mask;  /* slots - 1, a power of two */
    uint32_t *slot; /* id + 1; 0 = free */
    uint64_t seed;
};

enum { FIRST_SLOTS = 64, SUBSCRIPT_NESTING = 128 };

/* One to eight bytes as a number, different for all texts of one length. Loads of fixed sizes: a
 * variable one would go through memory, and names are short. */
static inline uint64_t load(const char *p, size_t n)
{
    uint64_t w;
    uint32_t lo, hi;
    if (n == 8) {
        memcpy(&w, p, 8);
        return w;
    }
    if (n < 4)
        return (unsigned char)p[0] | (unsigned)(unsigned char)p[n / 2] << 8 |
               (unsigned)(unsigned char)p[n - 1] << 16;
    memcpy(&lo, p, 4);
    memcpy(&hi, p + n - 4, 4);
    return lo | (uint64_t)hi << 32;
}

/* Multiply and fold eight bytes at a time; the seed keeps a script from choosing collisions. */
static uint32_t hash_bytes(uint64_t seed, const char *p, size_t n)
{
    uint64_t h = seed ^ (n * 0x9e3779b97f4a7c15u);
    while (n) {
        size_t k = n < 8 ? n : 8;
        h = (h ^ load(p, k)) * 0xd6e8feb86659fd93u;
        h ^= h >> 32;
        p += k;
        n -= k;
    }
    h *= 0xd6e8feb86659fd93u;
    return (uint32_t)(h ^ h >> 29);
}

struct wk_names *wk_names_new(struct wk_mem *m, uint64_t seed)
{
    struct wk_names *t = WK_NEW(m, struct wk_names);
    if (!t)
        return NULL;
    t->mem = m;
    t->seed = seed;
    t->mask = FIRST_SLOTS - 1;
    wk_arena_init(&t->arena, m);
    t->slot = wk_calloc(m, FIRST_SLOTS, sizeof *t->slot);
    if (!t->slot) {
        wk_free(m, t);
        return NULL;
    }
    return t;
}

void wk_names_free(struct wk_names *t)
{
    if (!t)
        return;
    wk_arena_release(&t->arena);
    wk_free(t->mem, t->v);
    wk_free(t->mem, t->slot);
    wk_free(t->mem, t);
}

static bool is_entry(const struct wk_names *t, uint32_t id, struct wk_str s, uint32_t hash)
{
    const struct entry *e = &t->v[id];
    return e->hash == hash && e->n == s.n && memcmp(e->p, s.p, s.n) == 0;
}

/* The slot where s is, or the free one where it would go. */
static uint32_t find_slot(const struct wk_names *t, struct wk_str s, uint32_t hash)
{
    uint32_t i = hash & t->mask;
    while (t->slot[i] && !is_entry(t, t->slot[i] - 1, s, hash))
        i = (i + 1) & t->mask;
    return i;
}

static bool grow(struct wk_names *t)
{
    size_t slots = ((size_t)t->mask + 1) * 2;
    if (slots > (size_t)UINT32_MAX)
        return false;
    uint32_t *slot = wk_calloc(t->mem, slots, sizeof *slot);
    if (!slot)
        return false;
    uint32_t mask = (uint32_t)(slots - 1);
    for (uint32_t id = 0; id < t->count; id++) {
        uint32_t i = t->v[id].hash & mask;
        while (slot[i])
            i = (i + 1) & mask;
        slot[i] = id + 1;
    }
    wk_free(t->mem, t->slot);
    t->slot = slot;
    t->mask = mask;
    return true;
}

uint32_t wk_names_intern(struct wk_names *t, struct wk_str s)
{
    if (s.n >= UINT32_MAX)
        return WK_NAME_NONE;
    if (!s.p)
        s.p = "";
    uint32_t hash = hash_bytes(t->seed, s.p, s.n);
    uint32_t i = find_slot(t, s, hash);
    if (t->slot[i])
        return t->slot[i] - 1;
    if (t->count >= UINT32_MAX - 2)
        return WK_NAME_NONE;
    if (t->count >= (t->mask + 1) / 4 * 3) {
        if (!grow(t))
            return WK_NAME_NONE;
        i = find_slot(t, s, hash);
    }
    if (!wk_vec_grow(t->mem, &t->v, &t->cap, (size_t)t->count + 1, sizeof *t->v))
        return WK_NAME_NONE;
    char *p = wk_arena_strndup(&t->arena, s.p, s.n);
    if (!p)
        return WK_NAME_NONE;
    t->v[t->count] = (struct entry){.p = p, .n = (uint32_t)s.n, .hash = hash};
    t->slot[i] = ++t->count;
    return t->count - 1;
}

uint32_t wk_names_find(const struct wk_names *t, struct wk_str s)
{
    if (s.n >= UINT32_MAX)
        return WK_NAME_NONE;
    if (!s.p)
        s.p = "";
    uint32_t i = find_slot(t, s, hash_bytes(t->seed, s.p, s.n));
    return t->slot[i] ? t->slot[i] - 1 : WK_NAME_NONE;
}

struct wk_str wk_names_str(const struct wk_names *t, uint32_t id)
{
    if (id >= t->count)
        return wk_str("", 0);
    return wk_str(t->v[id].p, t->v[id].n);
}

uint32_t wk_names_count(const struct wk_names *t)
{
    return t->count;
}

int wk_names_order(struct wk_str a, struct wk_str b)
{
    int first = (a.n ? (signed char)a.p[0] : 0) - (b.n ? (signed char)b.p[0] : 0);
    return first ? first : wk_str_cmp(a, b);
}

size_t wk_var_subscript_end(struct wk_str s, size_t at)
{
    char close[SUBSCRIPT_NESTING]; /* what ends each of the things that are open */
    size_t depth = 0;
    for (size_t i = at; i < s.n; i++) {
        char c = s.p[i], end = depth ? close[depth - 1] : '\0', opens = '\0';
        bool quoted = end == '\'' || end == '`', dollar = c == '$' && i + 1 < s.n;
        if (c == '\\' && end != '\'')
            i++;
        else if (c == end && --depth == 0)
            return i;
        else if (c == end || quoted)
            continue;
        else if (dollar && (s.p[i + 1] == '(' || s.p[i + 1] == '{'))
            opens = s.p[++i] == '(' ? ')' : '}';
        else if (c == '`' || (end != '"' && (c == '\'' || c == '"')))
            opens = c;
        else if ((c == '[' && (!depth || end == ']')) || (c == '(' && end == ')'))
            opens = c == '[' ? ']' : ')';
        if (opens && depth == SUBSCRIPT_NESTING)
            return s.n;
        if (opens)
            close[depth++] = opens;
    }
    return s.n;
}
