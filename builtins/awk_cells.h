/* awk_cells.h - the stack of a running awk program, and operands that need none */
#ifndef WK_BUILTINS_AWK_CELLS_H
#define WK_BUILTINS_AWK_CELLS_H

#include "builtins/awk.h"

/* ---- the stack ---- */

void wk_awk_grow_stack(struct awk *a, size_t more);

/* What locals count from: to be said again whenever the stack or its base moved. */
static inline void awk_rebase(struct awk *a)
{
    a->cells[AWK_CELL_L] = a->stack + a->base;
}

static inline struct awk_val *awk_push(struct awk *a)
{
    if (WK_UNLIKELY(a->top == a->stack_cap))
        wk_awk_grow_stack(a, 256);
    return &a->stack[a->top++];
}

static inline struct awk_val *awk_top(struct awk *a)
{
    return &a->stack[a->top - 1];
}

static inline void awk_pop_drop(struct awk *a)
{
    awk_drop(a, &a->stack[--a->top]);
}

static inline void awk_drop_to(struct awk *a, size_t level)
{
    while (a->top > level)
        awk_pop_drop(a);
}

/* What stands on the stack above `at` becomes the number. */
static inline void awk_become(struct awk *a, size_t at, double v)
{
    awk_drop_to(a, at);
    *awk_push(a) = awk_num(v);
}

static inline struct awk_val *awk_local(struct awk *a, size_t slot)
{
    return &a->stack[a->base + slot];
}

WK_NORETURN void wk_awk_array_as_scalar(struct awk *a, struct awk_val *v);

/* The value of what holds none: a parameter that stands for a variable that was never set. */
struct awk_val wk_awk_unset_value(struct awk *a, struct awk_val *v);

static inline struct awk_val awk_loaded(struct awk *a, struct awk_val *v)
{
    if (WK_UNLIKELY(v->type >= AWK_ARRAY))
        return wk_awk_unset_value(a, v);
    if (WK_UNLIKELY(v->type == AWK_UNSET))
        v->scalar = true;
    return awk_copy(v);
}

static inline void awk_store(struct awk *a, struct awk_val *at, struct awk_val v)
{
    if (WK_UNLIKELY(at->type == AWK_ARRAY))
        wk_awk_array_as_scalar(a, at);
    struct awk_val old = *at;
    *at = v;
    awk_drop(a, &old);
}

static inline void awk_store_num(struct awk *a, struct awk_val *at, double v)
{
    if (WK_LIKELY(at->type == AWK_NUM && !at->has_str)) {
        at->num = v;
        at->strnum = false;
    } else {
        awk_store(a, at, awk_num(v));
    }
}

/* ---- cells ---- */

static inline bool awk_is_field(uint32_t cell)
{
    return cell >> 22 == AWK_CELL_F;
}

static inline size_t awk_field_of(struct awk *a, uint32_t cell)
{
    return WK_UNLIKELY(cell == AWK_CELL_LAST_FIELD) ? wk_awk_count_fields(a) : cell & (AWK_CELL_SLOTS - 1);
}

/* Of a cell that is no field. */
static inline struct awk_val *awk_cell(struct awk *a, uint32_t cell)
{
    return a->cells[cell >> 22] + (cell & (AWK_CELL_SLOTS - 1));
}

/* The value, as another owner of it. */
static inline struct awk_val awk_fetch(struct awk *a, uint32_t cell)
{
    if (awk_is_field(cell))
        return wk_awk_field_value(a, awk_field_of(a, cell));
    return awk_loaded(a, awk_cell(a, cell));
}

static inline double awk_cell_num(struct awk *a, uint32_t cell)
{
    if (awk_is_field(cell))
        return wk_awk_field_number(a, awk_field_of(a, cell));
    return awk_to_num(a, awk_cell(a, cell));
}

/* Of what lies on the stack, too, which is taken from it. */
static inline double awk_take_num(struct awk *a, uint32_t cell)
{
    if (cell != AWK_ON_STACK)
        return awk_cell_num(a, cell);
    struct awk_val *v = awk_top(a);
    double d = awk_to_num(a, v);
    awk_pop_drop(a);
    return d;
}

static inline struct awk_val awk_take(struct awk *a, uint32_t cell)
{
    return cell == AWK_ON_STACK ? a->stack[--a->top] : awk_fetch(a, cell);
}

#endif
