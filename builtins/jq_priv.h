/* jq_priv.h - what jq's files about values share among themselves */
#ifndef WK_BUILTINS_JQ_PRIV_H
#define WK_BUILTINS_JQ_PRIV_H

#include "base/hash.h"
#include "builtins/jq.h"

/* Objects keep their entries in a row, in order of insertion. Up to WK_JQ_LINEAR of them are looked
 * for one by one; above that a table of places leads to them, with linear probing. A deleted entry
 * stays in the row (key NULL) until the row is made anew. */
struct jq_entry {
    struct jq_str *key; /* NULL: deleted */
    struct jq_val v;
};
struct jq_place {
    uint32_t hash;
    uint32_t at1; /* entry + 1; 0: free */
};
enum { WK_JQ_LINEAR = 8 };
struct jq_object {
    uint32_t refs;
    uint32_t live, used, cap; /* entries that count, ever placed, room */
    uint32_t mask;            /* number of places - 1 */
    uint32_t few_n;           /* room of `few` */
    struct jq_entry *at;      /* `few`, or a block */
    struct jq_place *places;  /* NULL: looked for one by one */
    uint64_t link;            /* of a dying object (jq_value.c) */
    uint64_t seed;
    struct jq_entry few[];
};

/* An object of n keys and their values in turn, all of them taken; the last of equal keys counts, in the
 * place of the first. */
struct jq_val wk_jq_object_of(struct jq *q, const struct jq_val *pairs, size_t n);
/* Gives up the next key or value of a dying object; false when it is empty. */
bool wk_jq_object_take_part(struct jq *q, struct jq_object *o, struct jq_val *part);
/* Frees the object, the array itself; what they hold was given up before. */
void wk_jq_object_drop(struct jq *q, struct jq_object *o);
void wk_jq_array_drop(struct jq *q, struct jq_array *a);

/* Room for a string of n bytes, which the caller fills in; a NUL stands behind them. */
struct jq_str *wk_jq_str_new(struct jq *q, size_t n);

/* The hash of a text; never 0. */
static inline uint32_t jq_hash_text(uint64_t seed, struct wk_str s)
{
    uint64_t h = wk_hash64(seed, s);
    uint32_t h32 = (uint32_t)(h ^ (h >> 32));
    return h32 ? h32 : 1;
}
uint32_t wk_jq_hash(struct jq_str *s, uint64_t seed);

/* < 0, 0, > 0: two numbers in jq's order. */
int wk_jq_compare_numbers(struct jq_val a, struct jq_val b);

#endif
