/* fiber_aarch64.S - switching stacks, AAPCS64: x19-x30, d8-d15 */
#if defined(__aarch64__) && !defined(WK_FIBER_UCONTEXT)
    .text

/* void wk_fiber_switch(void **save, void *to) */
    .globl wk_fiber_switch
    .hidden wk_fiber_switch
    .type wk_fiber_switch, %function
    .p2align 4
wk_fiber_switch:
    hint #34
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size wk_fiber_switch, . - wk_fiber_switch

/* First entry of a fiber: x19 is the function, x20 its argument. */
    .globl wk_fiber_entry
    .hidden wk_fiber_entry
    .type wk_fiber_entry, %function
    .p2align 4
wk_fiber_entry:
    hint #36
    mov x0, x20
    mov x29, xzr
    mov x30, xzr
    blr x19
    brk #1
    .size wk_fiber_entry, . - wk_fiber_entry

/* void wk_fiber_call_on(void *top, void (*fn)(void *), void *arg) */
    .globl wk_fiber_call_on
    .hidden wk_fiber_call_on
    .type wk_fiber_call_on, %function
    .p2align 4
wk_fiber_call_on:
    hint #34
    stp x29, x30, [sp, #-16]!
    mov x29, sp
    mov sp, x0
    mov x0, x2
    blr x1
    mov sp, x29
    ldp x29, x30, [sp], #16
    ret
    .size wk_fiber_call_on, . - wk_fiber_call_on

#endif

#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
