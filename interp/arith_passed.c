/* arith_passed.c - operands that && || and ?: pass by
 *
 * They are not evaluated: variables are 0 there, and 0 is no divisor. But bash refuses a negative exponent there, too.
 */
#include "interp/arith_op.h"

struct passed {
    struct wk_task *task;
    const int64_t *values; /* of the operands */
    const struct wk_anode *wrong;
};

static int64_t value(struct passed *p, const struct wk_anode *n);

static int64_t binary(struct passed *p, const struct wk_anode *n, int64_t a)
{
    int64_t b = value(p, n->u.k.b);
    if (n->op == WK_AOP_POW && b < 0 && !p->wrong)
        p->wrong = n;
    if (p->wrong)
        return 0;
    return wk_arith_op(n->op, a, !b && (n->op == WK_AOP_DIV || n->op == WK_AOP_MOD) ? 1 : b);
}

static int64_t unary(struct passed *p, const struct wk_anode *n)
{
    int64_t a = value(p, n->u.k.a);
    return n->op == WK_AOP_NOT ? !a : n->op == WK_AOP_COMPL ? ~a : n->op == WK_AOP_SUB ? (int64_t)(0 - (uint64_t)a) : a;
}

static int64_t choice(struct passed *p, const struct wk_anode *n)
{
    int64_t test = value(p, n->u.k.a), yes = value(p, n->u.k.b), no = value(p, n->u.k.c);
    return test ? yes : no;
}

/* What is too deep is not looked at. */
static int64_t value(struct passed *p, const struct wk_anode *n)
{
    int64_t a;
    if (p->wrong || wk_stack_low(p->task))
        return 0;
    switch (n->kind) {
    case WK_A_NUM:
        return n->u.num;
    case WK_A_OPERAND:
        return p->values[n->u.num];
    case WK_A_UNARY:
        return unary(p, n);
    case WK_A_BINARY:
    case WK_A_COMMA:
        a = value(p, n->u.k.a);
        return binary(p, n, a);
    case WK_A_ASSIGN:
        return binary(p, n, 0);
    case WK_A_AND:
        a = value(p, n->u.k.a);
        return value(p, n->u.k.b) && a;
    case WK_A_OR:
        a = value(p, n->u.k.a);
        return value(p, n->u.k.b) || a;
    case WK_A_COND:
        return choice(p, n);
    case WK_A_PRE_INC:
        return 1;
    case WK_A_PRE_DEC:
        return -1;
    default:
        return 0;
    }
}

const struct wk_anode *wk_arith_passed(struct wk_task *task, const struct wk_anode *n, const int64_t *values)
{
    struct passed p = {.task = task, .values = values};
    (void)value(&p, n);
    return p.wrong;
}
