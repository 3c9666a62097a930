/* map.h - hash map from byte strings to pointers
 *
 * Open addressing with a seeded hash, so that a script which chooses its keys cannot choose the
 * collisions. Entries are kept, and visited, in the order in which they were first put in.
 *
 * Owner: one; not thread-safe.
 */
#ifndef WK_BASE_MAP_H
#define WK_BASE_MAP_H

#include "base/mem.h"
#include "base/str.h"

struct wk_map_entry;

struct wk_map {
    struct wk_mem *mem;
    uint64_t seed;
    struct wk_map_entry
        *entries;     /* in order of insertion; deleted ones stay until the next growth */
    uint32_t *index;  /* entry number + 1; 0 = empty */
    size_t count;     /* live entries */
    size_t used, cap; /* entries ever placed; room for entries */
    size_t mask;      /* size of index - 1 */
    bool borrow;      /* keys are the caller's and outlive the map */
};

/* Sets up an empty map; allocates nothing. With `borrow` keys are not copied. */
void wk_map_init(struct wk_map *m, struct wk_mem *mem, uint64_t seed, bool borrow);
/* Frees keys and tables (values are the caller's); the map is empty and usable again. */
void wk_map_release(struct wk_map *m);

/* The value of a key; NULL when there is none. */
void *wk_map_get(const struct wk_map *m, struct wk_str key);
/* Where the value of a key is kept, NULL when there is none. Valid until the next wk_map_put. */
void **wk_map_at(const struct wk_map *m, struct wk_str key);
/* The same, making the entry (value NULL) when there is none; *made, unless NULL, tells.
 * NULL when memory is refused: the map is then as it was. */
WK_NODISCARD void **wk_map_put(struct wk_map *m, struct wk_str key, bool *made);
/* Sets a value. 0 or -WK_ENOMEM. */
WK_NODISCARD int wk_map_set(struct wk_map *m, struct wk_str key, void *value);
/* Removes a key; returns its value, NULL when it was not there. Never fails. */
void *wk_map_del(struct wk_map *m, struct wk_str key);

/* Visits entries in order: start with *pos = 0; false at the end. key and value may be NULL.
 * Deleting the visited entry in between is allowed, putting new ones in is not. */
bool wk_map_next(const struct wk_map *m, size_t *pos, struct wk_str *key, void **value);

#endif
