/* value.h - shell strings: counted bytes without NUL, shared until written
 *
 * A value with one reference may be changed in place; a shared one is copied first. Always NUL behind
 * the last byte. At most WK_VAL_MAX bytes.
 */
#ifndef WK_INTERP_VALUE_H
#define WK_INTERP_VALUE_H

#include "base/mem.h"
#include "base/str.h"

#define WK_VAL_MAX (UINT32_C(1) << 30)

struct wk_val {
    uint32_t refs;
    uint32_t n;
    uint32_t cap;
    char p[];
};

/* A copy of s with one reference; NULL when refused or too long. */
WK_NODISCARD struct wk_val *wk_val_new(struct wk_mem *m, struct wk_str s);
/* Room for cap bytes, empty. */
WK_NODISCARD struct wk_val *wk_val_alloc(struct wk_mem *m, size_t cap);
static inline struct wk_val *wk_val_ref(struct wk_val *v)
{
    v->refs++;
    return v;
}
void wk_val_free(struct wk_mem *m, struct wk_val *v);
static inline void wk_val_unref(struct wk_mem *m, struct wk_val *v)
{
    if (v && --v->refs == 0)
        wk_val_free(m, v);
}
static inline struct wk_str wk_val_str(const struct wk_val *v)
{
    return (struct wk_str){v->p, v->n};
}
/* Append s to *v (amortised O(1): in place with doubling when unshared). false when refused: *v is
 * unchanged. s may point into *v. */
WK_NODISCARD bool wk_val_append(struct wk_mem *m, struct wk_val **v, struct wk_str s);
/* What a holder of v (NULL: of nothing) holds after s was stored there: v itself when its block can be
 * used again, else a new value, v's reference then being dropped. NULL when refused: v is unchanged. s
 * may point into v. */
WK_NODISCARD struct wk_val *wk_val_store(struct wk_mem *m, struct wk_val *v, struct wk_str s);

#endif
