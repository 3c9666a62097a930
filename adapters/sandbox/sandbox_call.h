/* sandbox_call.h - what a kind was asked and may answer late
 *
 * An answer comes when the kind likes, so that the place it goes to lives on the sandbox's list: whoever gave up
 * waiting leaves it behind, and it goes when the answer has come after all, or with the sandbox.
 *
 * Owner:   the sandbox. Limits: a wait for an answer has a deadline like all others.
 */
#ifndef WK_ADAPTERS_SANDBOX_CALL_H
#define WK_ADAPTERS_SANDBOX_CALL_H

#include "adapters/sandbox/sandbox.h"

/* The beginning of a struct that a kind's callbacks get as their context. */
struct wk_box_call {
    struct wk_box_call *next, **at;
    struct whelk_sandbox *b;
    unsigned open;  /* answers that are still to come */
    bool left;      /* nobody waits any more */
    int code;       /* of the last answer */
    void (*release)(struct wk_box_call *c); /* frees what it holds; NULL: nothing */
};

/* A zeroed one of `size` bytes, on the list. NULL without memory. */
void *wk_sandbox_call_new(struct whelk_sandbox *b, size_t size);
/* Nobody waits any more: freed now, or with its last answer. NULL is allowed. */
void wk_sandbox_call_leave(struct wk_box_call *c);
/* One answer has come. The call may be gone afterwards. */
void wk_sandbox_call_answered(struct wk_box_call *c, int code);
/* The same as a kind's `done`. */
void wk_sandbox_call_done(void *ctx, int code);
/* No answers are left. */
bool wk_sandbox_call_is_done(void *ctx);
/* Frees all of them: the box is closed. */
void wk_sandbox_drop_calls(struct whelk_sandbox *b);

#endif
