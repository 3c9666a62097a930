/* fiber_prepare.c - the first frame of a fiber, as fiber_x86_64.S and fiber_aarch64.S expect it */
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(WK_FIBER_UCONTEXT)

#include "kern/fiber_switch.h"

#include <string.h>

void wk_fiber_entry(void);

void *wk_fiber_prepare(void *top, void (*fn)(void *), void *arg)
{
    uintptr_t sp = (uintptr_t)top & ~(uintptr_t)15;
    uintptr_t entry = (uintptr_t)wk_fiber_entry;
    uintptr_t f = (uintptr_t)fn, a = (uintptr_t)arg;
#if defined(__x86_64__)
    /* From below: mxcsr and control word, r15, r14, r13, r12, rbx, rbp, return address; the stack
     * is aligned when the entry makes its call. */
    uintptr_t frame[8] = {UINT64_C(0x037f00001f80), 0, 0, a, f, 0, 0, entry};
    sp -= sizeof frame;
#else
    /* x19 … x30, d8 … d15. */
    uintptr_t frame[20] = {f, a};
    frame[11] = entry;
    sp -= sizeof frame;
#endif
    /* The stack's own memory: written by address on purpose. */
    void *p = (void *)sp;
    memcpy(p, frame, sizeof frame);
    return p;
}

#else
typedef int wk_fiber_prepare_elsewhere;
#endif
