/* vars_array.h - the two kinds of arrays a variable can hold
 *
 * Both are counted; whoever changes one first makes it his own. Elements keep a number as a number.
 * Order: indexed arrays by index; associative ones as bash walks its hash table (1,024 buckets, four
 * times as many when there are twice as many keys as buckets; in a bucket the newest first).
 *
 * Limits: 2^31 keys in an associative array; memory otherwise.
 */
#ifndef WK_INTERP_VARS_ARRAY_H
#define WK_INTERP_VARS_ARRAY_H

#include "interp/value.h"

/* text == NULL: unset. text == WK_ELEM_NUMBER: the value is ival in decimal. */
struct wk_elem_value {
    struct wk_val *text;
    int64_t ival;
};
#define WK_ELEM_NUMBER ((struct wk_val *)(uintptr_t)1)

/* The value as text; scratch has at least 24 bytes and takes the digits of a number. */
struct wk_str wk_elem_text(const struct wk_elem_value *e, char *scratch);
/* Store in an element. False when refused (unchanged). */
WK_NODISCARD bool wk_elem_store(struct wk_mem *m, struct wk_elem_value *e, struct wk_str s);
WK_NODISCARD bool wk_elem_append(struct wk_mem *m, struct wk_elem_value *e, struct wk_str s);
void wk_elem_store_int(struct wk_mem *m, struct wk_elem_value *e, int64_t v);

/* ---- indexed --------------------------------------------------------------------------------- */

struct wk_array;

WK_NODISCARD struct wk_array *wk_array_new(struct wk_mem *m);
void wk_array_unref(struct wk_mem *m, struct wk_array *a); /* NULL is fine */
struct wk_array *wk_array_ref(struct wk_array *a);
/* Makes *a unshared. False when refused. */
WK_NODISCARD bool wk_array_own(struct wk_mem *m, struct wk_array **a);

size_t wk_array_count(const struct wk_array *a);
/* Greatest index in use; -1 when empty. */
int64_t wk_array_max(const struct wk_array *a);
/* The element, NULL when unset. */
struct wk_elem_value *wk_array_at(const struct wk_array *a, int64_t index);
/* The element, made (unset: the caller stores at once) when missing. index >= 0. NULL when refused. */
WK_NODISCARD struct wk_elem_value *wk_array_make(struct wk_mem *m, struct wk_array *a, int64_t index);
/* Set one element of an unshared array. False when refused. */
WK_NODISCARD bool wk_array_set(struct wk_mem *m, struct wk_array *a, int64_t index, struct wk_str s);
void wk_array_delete(struct wk_mem *m, struct wk_array *a, int64_t index);
/* First element with an index >= from: false when there is none. */
bool wk_array_next(const struct wk_array *a, int64_t from, int64_t *index, struct wk_elem_value **e);

/* ---- associative ------------------------------------------------------------------------------ */

struct wk_assoc;

/* CONVERTED: of one that takes the place of an ordinary variable. */
enum { WK_ASSOC_BUCKETS = 1024, WK_ASSOC_CONVERTED_BUCKETS = 128 };
/* `buckets` (a power of two) are those that bash has for this array: they decide its order. */
uint32_t wk_assoc_buckets(const struct wk_assoc *a);
WK_NODISCARD struct wk_assoc *wk_assoc_new(struct wk_mem *m, uint32_t buckets);
void wk_assoc_unref(struct wk_mem *m, struct wk_assoc *a);
struct wk_assoc *wk_assoc_ref(struct wk_assoc *a);
WK_NODISCARD bool wk_assoc_own(struct wk_mem *m, struct wk_assoc **a);

size_t wk_assoc_count(const struct wk_assoc *a);
struct wk_elem_value *wk_assoc_at(const struct wk_assoc *a, struct wk_str key);
WK_NODISCARD struct wk_elem_value *wk_assoc_make(struct wk_mem *m, struct wk_assoc *a, struct wk_str key);
WK_NODISCARD bool wk_assoc_set(struct wk_mem *m, struct wk_assoc *a, struct wk_str key, struct wk_str s);
/* A new one with the keys of a, set in a's order. NULL when refused. */
WK_NODISCARD struct wk_assoc *wk_assoc_again(struct wk_mem *m, struct wk_assoc *a);
void wk_assoc_delete(struct wk_mem *m, struct wk_assoc *a, struct wk_str key);
/* Works out the order; must have succeeded (0, -WK_ENOMEM) before wk_assoc_nth since the last change
 * of keys. */
WK_NODISCARD int wk_assoc_order(struct wk_mem *m, struct wk_assoc *a);
/* Key and value number i < count in bash's order. */
struct wk_elem_value *wk_assoc_nth(const struct wk_assoc *a, size_t i, struct wk_str *key);

#endif
