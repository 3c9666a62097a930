/* fiber_ucontext.c - fibers over ucontext, for machines without an assembly switch */
#if (!defined(__x86_64__) && !defined(__aarch64__)) || defined(WK_FIBER_UCONTEXT)

#include "kern/fiber_switch.h"

#include <ucontext.h>

struct context {
    ucontext_t u;
    void (*fn)(void *);
    void *arg;
};

static void enter(unsigned hi, unsigned lo)
{
    struct context *c = (struct context *)((uintptr_t)hi << 16 << 16 | lo);
    c->fn(c->arg);
    __builtin_trap();
}

void wk_fiber_switch(void **save, void *to)
{
    struct context here;
    *save = &here;
    swapcontext(&here.u, &((struct context *)to)->u);
}

void *wk_fiber_prepare(void *top, void (*fn)(void *), void *arg)
{
    uintptr_t at = ((uintptr_t)top - sizeof(struct context)) & ~(uintptr_t)63;
    struct context *c = (struct context *)at;
    getcontext(&c->u);
    c->fn = fn;
    c->arg = arg;
    c->u.uc_link = NULL;
    c->u.uc_stack.ss_sp = (char *)at - 48 * 1024;
    c->u.uc_stack.ss_size = 48 * 1024;
    makecontext(&c->u, (void (*)(void))enter, 2, (unsigned)((uintptr_t)c >> 16 >> 16),
                (unsigned)(uintptr_t)c);
    return c;
}

struct call {
    void (*fn)(void *);
    void *arg;
    void *back, *inner;
};

static void call_and_return(void *arg)
{
    struct call *c = arg;
    c->fn(c->arg);
    wk_fiber_switch(&c->inner, c->back);
}

void wk_fiber_call_on(void *top, void (*fn)(void *), void *arg)
{
    struct call c = {fn, arg, NULL, NULL};
    wk_fiber_switch(&c.back, wk_fiber_prepare(top, call_and_return, &c));
}

#else
typedef int wk_fiber_ucontext_elsewhere;
#endif
