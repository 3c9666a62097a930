/* arith_op.h - what the binary operators of arithmetic give (bash 6.5), and operands that are passed by */
#ifndef WK_INTERP_ARITH_OP_H
#define WK_INTERP_ARITH_OP_H

#include "interp/ast.h"
#include "kern/kern.h"

static inline int64_t wk_arith_power(int64_t base, int64_t exp)
{
    uint64_t r = 1, b = (uint64_t)base;
    for (uint64_t e = (uint64_t)exp; e; e >>= 1) {
        if (e & 1)
            r *= b;
        b *= b;
    }
    return (int64_t)r;
}

/* b is not 0 for a division, and no negative exponent. */
static inline int64_t wk_arith_op(unsigned op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case WK_AOP_ADD:
        return (int64_t)(x + y);
    case WK_AOP_SUB:
        return (int64_t)(x - y);
    case WK_AOP_MUL:
        return (int64_t)(x * y);
    case WK_AOP_DIV:
        return b == -1 ? (int64_t)(0 - x) : a / b; /* the least number has no opposite */
    case WK_AOP_MOD:
        return b == -1 ? 0 : a % b;
    case WK_AOP_POW:
        return wk_arith_power(a, b);
    case WK_AOP_SHL:
        return (int64_t)(x << (y & 63));
    case WK_AOP_SHR:
        return a >> (y & 63);
    case WK_AOP_AND:
        return a & b;
    case WK_AOP_XOR:
        return a ^ b;
    case WK_AOP_OR:
        return a | b;
    case WK_AOP_LT:
        return a < b;
    case WK_AOP_LE:
        return a <= b;
    case WK_AOP_GT:
        return a > b;
    case WK_AOP_GE:
        return a >= b;
    case WK_AOP_EQ:
        return a == b;
    case WK_AOP_NE:
        return a != b;
    default:
        return b;
    }
}

/* The ** in an operand that && || or ?: passes by whose exponent is negative all the same; NULL: none. */
const struct wk_anode *wk_arith_passed(struct wk_task *task, const struct wk_anode *n, const int64_t *values);

#endif
