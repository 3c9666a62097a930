/* fiber.h - stacks and the switch between them
 *
 * A fiber is a pooled, lazily committed stack with a guard page and a saved context. Fibers are
 * resumed by the scheduler (on the host thread's own stack) and yield back to it; they never switch
 * to each other. A suspended fiber may be dropped: its stack returns to the pool, nothing unwinds.
 *
 * Owner:   struct wk_stacks belongs to a runtime and may serve sessions on several threads; taking
 *          and giving back a stack is under its lock, switching is not.
 * Charge:  a stack is charged whole (WK_STACK_BYTES) to the account that asked, until given back.
 * Sanitizers: ASan and TSan are told of every switch; a dropped fiber's shadow is cleaned.
 */
#ifndef WK_KERN_FIBER_H
#define WK_KERN_FIBER_H

#include "base/err.h"
#include "base/mem.h"

#if WK_ASAN || WK_TSAN
#define WK_STACK_BYTES   (256 * 1024u)
#define WK_STACK_RESERVE (96 * 1024u)
#else
#define WK_STACK_BYTES   (64 * 1024u)
#define WK_STACK_RESERVE (16 * 1024u)
#endif
#define WK_LIB_STACK_BYTES (2 * 1024 * 1024u)

struct wk_stacks;
struct wk_fiber;

/* A pool that keeps at most `keep` free stacks mapped. NULL when memory is refused. */
struct wk_stacks *wk_stacks_new(size_t keep);
/* Unmaps everything; every fiber must have been freed. */
void wk_stacks_free(struct wk_stacks *s);
/* Give free stacks' pages back to the host (after a peak); keeps at most `keep` mapped. */
void wk_stacks_trim(struct wk_stacks *s, size_t keep);

/* A suspended fiber that will run fn(arg) when first resumed. fn must not return: it ends with
 * wk_fiber_finish. Errors: -WK_EAGAIN when the mapping is refused by the host, -WK_ENOMEM when the
 * account refuses the charge. */
int wk_fiber_new(struct wk_stacks *s, struct wk_mem *charge, void (*fn)(void *), void *arg,
                 struct wk_fiber **out);
/* Run the fiber on the calling thread until it yields or finishes. */
void wk_fiber_resume(struct wk_fiber *f);
/* From inside the fiber: back to whoever resumed it. */
void wk_fiber_yield(struct wk_fiber *f);
/* From inside the fiber, for the last time: back to the resumer. The stack may be given back at
 * once after. */
WK_NORETURN void wk_fiber_finish(struct wk_fiber *f);
/* Give back a finished or suspended fiber, with every further segment it was running on. */
void wk_fiber_free(struct wk_fiber *f);
/* Lowest usable address of the stack segment the fiber is running on now. */
uintptr_t wk_fiber_floor(const struct wk_fiber *f);

/* Run fn(arg) on a further 64 KiB segment of this fiber and come back; fn may yield. The result of
 * fn is stored in *result. Errors: as wk_fiber_new, and then fn did not run. */
int wk_fiber_extend(struct wk_fiber *f, int (*fn)(void *), void *arg, int *result);
/* Run fn(arg), which must not yield, on the pool's large stack for library calls (2 MiB, one per
 * running thread, not charged to the session). Errors: -WK_EAGAIN and fn did not run. */
int wk_fiber_lib_call(struct wk_fiber *f, int (*fn)(void *), void *arg, int *result);

#endif
