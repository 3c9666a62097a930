/* fiber_x86_64.S - switching stacks, System V ABI: callee-saved registers, MXCSR, x87 control word */
#if defined(__x86_64__) && !defined(WK_FIBER_UCONTEXT)
    .text

/* void wk_fiber_switch(void **save, void *to) */
    .globl wk_fiber_switch
    .hidden wk_fiber_switch
    .type wk_fiber_switch, @function
    .p2align 4
wk_fiber_switch:
    .cfi_startproc
    endbr64
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
    .size wk_fiber_switch, . - wk_fiber_switch

/* First entry of a fiber: r12 is the function, r13 its argument. */
    .globl wk_fiber_entry
    .hidden wk_fiber_entry
    .type wk_fiber_entry, @function
    .p2align 4
wk_fiber_entry:
    .cfi_startproc
    .cfi_undefined rip
    endbr64
    movq %r13, %rdi
    xorl %ebp, %ebp
    call *%r12
    ud2
    .cfi_endproc
    .size wk_fiber_entry, . - wk_fiber_entry

/* void wk_fiber_call_on(void *top, void (*fn)(void *), void *arg): calls fn(arg) on the stack that
 * ends at top and comes back. */
    .globl wk_fiber_call_on
    .hidden wk_fiber_call_on
    .type wk_fiber_call_on, @function
    .p2align 4
wk_fiber_call_on:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register rbp
    movq %rdi, %rsp
    movq %rdx, %rdi
    call *%rsi
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa rsp, 8
    ret
    .cfi_endproc
    .size wk_fiber_call_on, . - wk_fiber_call_on

#endif

#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
