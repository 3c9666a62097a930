/* expand_ref.h - which parameter an expansion means: a name, an element, a list, a position
 *
 * Owner: the expansion; borrows from the tree or the arena.
 */
#ifndef WK_INTERP_EXPAND_REF_H
#define WK_INTERP_EXPAND_REF_H

#include "interp/expand_parts.h"

enum wk_ref_sub { WK_REF_NONE, WK_REF_EXPR, WK_REF_AT, WK_REF_STAR };

struct wk_ref {
    uint8_t kind; /* enum wk_param_kind; BAD: the value is `text`, unset when NULL */
    uint8_t sub;  /* enum wk_ref_sub */
    bool length;  /* for ${#x} */
    bool followed; /* the value of ${!x}'s x */
    uint32_t id;
    const struct wk_subscript *parsed; /* EXPR */
    struct wk_str text;                /* EXPR when parsed is NULL */
};

void wk_ref_of(const struct wk_param *p, struct wk_ref *r);
/* ${!x}: r becomes what the value of r names. */
enum wk_flow wk_ref_follow(struct wk_shell *sh, const struct wk_param *p, struct wk_ref *r);

enum wk_flow wk_ref_get(struct wk_shell *sh, const struct wk_ref *r, struct wk_pval *v);
/* *v: what it is then. */
enum wk_flow wk_ref_set(struct wk_shell *sh, const struct wk_ref *r, struct wk_str value, struct wk_pval *v);
enum wk_flow wk_ref_keys(struct wk_shell *sh, const struct wk_ref *r, struct wk_pval *v);
/* Place in v's list (all elements of the array) where a slice from `off` begins. */
enum wk_flow wk_ref_slice_start(struct wk_shell *sh, const struct wk_ref *r, int64_t off, struct wk_pval *v,
                                size_t *from);
/* ${x@A} ${x@a} ${x@K} ${x@k}: v becomes the result. */
enum wk_flow wk_ref_transform(struct wk_shell *sh, const struct wk_ref *r, char letter, struct wk_pval *v);

#endif
