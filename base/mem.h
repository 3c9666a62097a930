/* mem.h - accounts and accounted memory
 *
 * An account is what a session may allocate: every byte that a script can cause to be allocated is
 * charged to one and refused past its limit. Blocks are charged by their real (usable) size, so
 * callers free without naming a size.
 *
 * Threads: an account has one owner at a time (the thread that runs its session); only
 *          wk_mem_ref, wk_mem_unref and wk_mem_credit_shared may be called from others.
 */
#ifndef WK_BASE_MEM_H
#define WK_BASE_MEM_H

#include "base/compiler.h"

#include <stdatomic.h>

struct wk_mem {
    size_t used;           /* bytes charged; the owner's view, credits not yet folded in */
    size_t peak;           /* greatest `used` seen */
    size_t limit;          /* charges past this are refused; SIZE_MAX = none */
    size_t reserve;        /* extra bytes usable while `in_reserve` is set (messages, teardown) */
    uint64_t count;        /* allocations attempted */
    uint64_t fail_at;      /* the allocation with this number fails (torture tests); 0 = never */
    bool fail_forever;     /* ... and every one after it */
    bool in_reserve;       /* the reserve is open: a limit's message is being written */
    bool breached;         /* a charge was refused for the limit since this was last cleared */
    /* Asked before a charge is refused for the limit: give back what can be given back. May be NULL. */
    void (*reclaim)(void *ctx);
    void *reclaim_ctx;
    atomic_size_t credits; /* bytes freed by other threads, folded in by the owner */
    atomic_size_t refs;
};

/* A new account with one reference; its own block is not charged to itself.
 * Returns NULL when the host has no memory. */
struct wk_mem *wk_mem_new(size_t limit);
struct wk_mem *wk_mem_ref(struct wk_mem *m);
/* Drops a reference; the last one frees the account. Blocks still charged must not outlive it. */
void wk_mem_unref(struct wk_mem *m);

/* Allocate n bytes (n = 0 gives a unique block), uninitialised or zeroed. NULL when the limit or
 * the host refuses. `m` may not be NULL. */
WK_NODISCARD void *wk_alloc(struct wk_mem *m, size_t n);
WK_NODISCARD void *wk_zalloc(struct wk_mem *m, size_t n);
/* count * size with overflow checked; zeroed. */
WK_NODISCARD void *wk_calloc(struct wk_mem *m, size_t count, size_t size);
/* Resize; p may be NULL. On NULL the old block is untouched. */
WK_NODISCARD void *wk_realloc(struct wk_mem *m, void *p, size_t n);
/* Free; p may be NULL. `m` must be the account that p was allocated from. */
void wk_free(struct wk_mem *m, void *p);
/* Free a block that another session's thread may be accounting: the credit is atomic. */
void wk_free_shared(struct wk_mem *m, void *p);
/* A NUL-terminated copy of n bytes. */
WK_NODISCARD char *wk_strndup(struct wk_mem *m, const char *p, size_t n);

#define WK_NEW(m, type) ((type *)wk_zalloc((m), sizeof(type)))

/* Charge or credit bytes that are not a malloc block (stacks, mappings).
 * wk_mem_charge returns false, and charges nothing, past the limit. */
WK_NODISCARD bool wk_mem_charge(struct wk_mem *m, size_t n);
void wk_mem_credit(struct wk_mem *m, size_t n);
void wk_mem_credit_shared(struct wk_mem *m, size_t n);

/* Bytes in use with other threads' credits folded in. Owner only. */
size_t wk_mem_used(struct wk_mem *m);

/* Grow the array *ptr of elements of `size` bytes so that it holds at least `need`; doubles.
 * Returns false on overflow or refusal, with everything as it was. */
WK_NODISCARD bool wk_vec_grow(struct wk_mem *m, void *ptr, size_t *cap, size_t need, size_t size);

#endif
