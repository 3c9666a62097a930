/* fiber_switch.h - the machine-dependent part of fibers: three functions, written in assembly for
 * x86-64 and AArch64 and over ucontext elsewhere
 */
#ifndef WK_KERN_FIBER_SWITCH_H
#define WK_KERN_FIBER_SWITCH_H

#include "base/compiler.h"

/* Saves the present context on the present stack, its address in *save, and goes on at `to`. */
void wk_fiber_switch(void **save, void *to);
/* A context on the stack that ends at `top` whose first resumption calls fn(arg), which must not
 * return. */
void *wk_fiber_prepare(void *top, void (*fn)(void *), void *arg);
/* Calls fn(arg) on the stack that ends at `top` and comes back. */
void wk_fiber_call_on(void *top, void (*fn)(void *), void *arg);

#endif
