/* awk_run.c - the machine that runs awk's code
 *
 * Values live on one stack: those of expressions, and for each call its arguments and locals, which
 * `base` points to. A value on the stack owns what it holds. Instructions made by awk_fuse.c name
 * their operands as cells and leave the stack alone. Work is counted where code can come again: at jumps
 * back, and in calls.
 */
#include "builtins/awk_cells.h"

#include <math.h>

enum { MOST_DEPTH = 20 };

/* ---- the stack ---- */

void wk_awk_grow_stack(struct awk *a, size_t more)
{
    if (a->top + more > SIZE_MAX / 4 / sizeof *a->stack)
        wk_heap_exhausted(a->c->heap);
    a->stack_cap = (a->top + more) * 2;
    a->stack =
        (struct awk_val *)wk_heap_realloc(a->c->heap, a->stack, a->stack_cap * sizeof *a->stack);
    awk_rebase(a);
}

void wk_awk_push(struct awk *a, struct awk_val v)
{
    *awk_push(a) = v;
}

struct awk_val wk_awk_pop(struct awk *a)
{
    return a->stack[--a->top];
}

/* ---- numbers ---- */

static double modulo(struct awk *a, double x, double y)
{
    if (y == 0)
        wk_awk_fatal(a, "division by zero attempted in `%%'");
    if (x >= 0 && y >= 1 && x < 9e15 && y < 9e15 && x == (double)(int64_t)x && y == (double)(int64_t)y)
        return (double)((int64_t)x % (int64_t)y);
    return fmod(x, y);
}

static double raise(double x, double y)
{
    if (!(y > -9e15 && y < 9e15) || y != (double)(int64_t)y)
        return pow(x, y);
    double r = 1;
    for (int64_t n = y < 0 ? -(int64_t)y : (int64_t)y; n; n >>= 1, x *= x)
        if (n & 1)
            r *= x;
    return y < 0 ? 1 / r : r;
}

static inline double calculate(struct awk *a, uint32_t op, double x, double y)
{
    switch (op) {
    case AWK_ADD:
        return x + y;
    case AWK_SUB:
        return x - y;
    case AWK_MUL:
        return x * y;
    case AWK_DIV:
        if (y == 0)
            wk_awk_fatal(a, "division by zero attempted");
        return x / y;
    case AWK_MOD:
        return modulo(a, x, y);
    default:
        return raise(x, y);
    }
}

/* x op= y */
static inline double augmented(struct awk *a, uint32_t op, double x, double y)
{
    if (WK_UNLIKELY(y == 0 && (op == AWK_DIV || op == AWK_MOD)))
        wk_awk_fatal(a, "division by zero attempted in `%c='", op == AWK_DIV ? '/' : '%');
    return calculate(a, op, x, y);
}

static void arithmetic(struct awk *a, uint32_t op)
{
    struct awk_val *y = awk_top(a), *x = y - 1;
    double v = calculate(a, op, awk_to_num(a, x), awk_to_num(a, y));
    awk_drop(a, y);
    awk_drop(a, x);
    *x = awk_num(v);
    a->top--;
}

/* ---- comparisons ---- */

/* r: < 0, 0, 1, or 2 when one of them is no number. */
static bool holds(uint32_t op, int r)
{
    switch (op) {
    case AWK_LT:
        return r < 0;
    case AWK_LE:
        return r <= 0;
    case AWK_EQ:
        return r == 0;
    case AWK_NE:
        return r != 0;
    case AWK_GT:
        return r == 1;
    default:
        return r == 0 || r == 1;
    }
}

static inline bool holds_of(uint32_t op, double x, double y)
{
    switch (op) {
    case AWK_LT:
        return x < y;
    case AWK_LE:
        return x <= y;
    case AWK_EQ:
        return x == y;
    case AWK_NE:
        return x != y;
    case AWK_GT:
        return x > y;
    default:
        return x >= y;
    }
}

static void compare(struct awk *a, uint32_t op)
{
    struct awk_val *y = awk_top(a), *x = y - 1;
    bool v = holds(op, wk_awk_compare(a, x, y));
    awk_drop(a, y);
    awk_drop(a, x);
    *x = awk_num(v);
    a->top--;
}

/* A field with a constant or variable, looked at where it lies. False: that is not enough. */
static bool compare_field(struct awk *a, uint32_t op, uint32_t x, struct awk_val *y, bool *result)
{
    double d;
    size_t i = awk_field_of(a, x);
    if (y->type == AWK_NUM && wk_awk_field_is_number(a, i, &d)) {
        *result = holds_of(op, d, y->num);
        return true;
    }
    if (y->type != AWK_STR || a->icase)
        return false;
    int r = wk_str_cmp(wk_awk_field_text(a, i), awk_slice(y->str));
    *result = holds(op, (r > 0) - (r < 0));
    return true;
}

/* Texts are most often asked whether they are equal. False: that is not what is asked. */
static bool compare_texts(struct awk *a, uint32_t op, struct awk_val *x, struct awk_val *y, bool *result)
{
    if (x->type != AWK_STR || y->type != AWK_STR || (op != AWK_EQ && op != AWK_NE) || a->icase)
        return false;
    *result = wk_str_eq(awk_slice(x->str), awk_slice(y->str)) == (op == AWK_EQ);
    return true;
}

static WK_NOINLINE bool compare_slowly(struct awk *a, uint32_t op, uint32_t x, uint32_t y)
{
    bool result;
    struct awk_val *known = awk_is_field(y) ? NULL : awk_cell(a, y);
    if (x == AWK_ON_STACK && known) {
        struct awk_val *v = awk_top(a);
        if (v->type == AWK_NUM && known->type == AWK_NUM) {
            result = holds_of(op, v->num, known->num);
            awk_pop_drop(a);
            return result;
        }
        if (compare_texts(a, op, v, known, &result)) {
            awk_pop_drop(a);
            return result;
        }
    } else if (x != AWK_ON_STACK && known) {
        if (awk_is_field(x) ? compare_field(a, op, x, known, &result)
                            : compare_texts(a, op, awk_cell(a, x), known, &result))
            return result;
    }
    const uint32_t both[] = {x, y};
    for (int i = 0; i < 2; i++) { /* what a variable's text is stays known */
        struct awk_val *v = awk_is_field(both[i]) ? NULL : awk_cell(a, both[i]);
        if (v && v->type == AWK_INPUT)
            wk_awk_settle(a, v);
    }
    struct awk_val vy = awk_take(a, y), vx = awk_take(a, x);
    result = holds(op, wk_awk_compare(a, &vx, &vy));
    awk_drop(a, &vy);
    awk_drop(a, &vx);
    return result;
}

static inline bool compare_cells(struct awk *a, uint32_t op, uint32_t x, uint32_t y)
{
    if (!awk_is_field(y) && !awk_is_field(x)) {
        const struct awk_val *vy = awk_cell(a, y), *vx = awk_cell(a, x);
        if (vx->type == AWK_NUM && vy->type == AWK_NUM)
            return holds_of(op, vx->num, vy->num);
    }
    return compare_slowly(a, op, x, y);
}

static bool is_true(struct awk *a, uint32_t cell)
{
    double d;
    if (!awk_is_field(cell)) {
        struct awk_val *v = awk_cell(a, cell);
        if (v->type < AWK_ARRAY)
            return v->type == AWK_NUM ? v->num != 0 : wk_awk_is_true(a, v);
    } else if (wk_awk_field_is_number(a, awk_field_of(a, cell), &d)) {
        return d != 0;
    }
    struct awk_val v = awk_fetch(a, cell);
    bool yes = wk_awk_is_true(a, &v);
    awk_drop(a, &v);
    return yes;
}

/* ---- elements ---- */

/* The element whose key is the cell, or lies on the stack and is taken from it. */
static inline struct awk_val *element(struct awk *a, struct awk_array *t, uint32_t key, bool create)
{
    struct awk_val *e, *v;
    if (key == AWK_ON_STACK) {
        v = awk_top(a);
        e = v->type == AWK_NUM && !v->has_str ? awk_array_dense(t, v->num) : NULL;
        if (!e)
            e = wk_awk_array_at(a, t, v, create);
        awk_pop_drop(a);
        return e;
    }
    if (awk_is_field(key))
        return wk_awk_field_element(a, t, awk_field_of(a, key), create);
    v = awk_cell(a, key);
    if (v->type == AWK_NUM && !v->has_str) {
        e = awk_array_dense(t, v->num);
        if (e)
            return e;
    } else if (v->has_str && v->type < AWK_ARRAY) {
        return wk_awk_array_at(a, t, v, create);
    }
    struct awk_val copy = awk_loaded(a, v);
    e = wk_awk_array_at(a, t, &copy, create);
    awk_drop(a, &copy);
    return e;
}

static inline struct awk_array *array(struct awk *a, uint32_t cell)
{
    struct awk_val *v = awk_cell(a, cell);
    return v->type == AWK_ARRAY ? v->array : wk_awk_array_of(a, v);
}

static inline void store_element(struct awk *a, struct awk_array *t, struct awk_val *e, struct awk_val v)
{
    if (WK_UNLIKELY(e->type == AWK_ARRAY))
        wk_awk_element_as_scalar(a, t, e);
    struct awk_val old = *e;
    *e = v;
    awk_drop(a, &old);
}

static void show(struct awk *a, struct awk_val *e)
{
    if (e->type != AWK_UNSET)
        return;
    awk_drop(a, e);
    *e = awk_string(awk_str_ref(a->empty));
}

/* What was never set is a value from now on, where it was copied to. */
static inline struct awk_val awk_loaded_element(const struct awk_val *e)
{
    struct awk_val x = awk_copy(e);
    x.scalar = x.scalar || x.type == AWK_UNSET;
    return x;
}

/* A key that was never set is a value from now on, also when it names the array: told by that. */
static inline struct awk_array *array_for(struct awk *a, uint32_t cell, uint32_t key)
{
    if (!awk_is_field(key)) {
        struct awk_val *v = awk_cell(a, key);
        v->scalar = v->scalar || v->type == AWK_UNSET;
    }
    return array(a, cell);
}

static void set_element(struct awk *a, uint32_t to, uint32_t key, uint32_t value)
{
    struct awk_array *t;
    struct awk_val *e, v;
    if (value == AWK_ON_STACK && key == AWK_ON_STACK) {
        t = array(a, to);
        e = element(a, t, key, true);
        v = wk_awk_pop(a);
    } else {
        v = awk_take(a, value);
        t = array_for(a, to, key);
        e = element(a, t, key, true);
    }
    store_element(a, t, e, v);
}

static void augment_element(struct awk *a, uint32_t to, uint32_t key, uint32_t value, uint32_t op)
{
    struct awk_array *t;
    struct awk_val *e;
    double y;
    if (value == AWK_ON_STACK && key == AWK_ON_STACK) {
        t = array(a, to);
        e = element(a, t, key, true);
        y = awk_take_num(a, value);
    } else {
        y = awk_take_num(a, value);
        t = array_for(a, to, key);
        e = element(a, t, key, true);
    }
    if (WK_UNLIKELY(e->type == AWK_ARRAY))
        wk_awk_element_as_scalar(a, t, e);
    awk_store_num(a, e, augmented(a, op, awk_to_num(a, e), y));
}

static void step_element(struct awk *a, uint32_t to, uint32_t key, uint32_t how)
{
    struct awk_array *t = array_for(a, to, key);
    struct awk_val *e = element(a, t, key, true);
    if (WK_UNLIKELY(e->type == AWK_ARRAY))
        wk_awk_element_as_scalar(a, t, e);
    double d = awk_to_num(a, e), next = how & 1 ? d - 1 : d + 1;
    awk_store_num(a, e, next);
    if (!(how & 4))
        *awk_push(a) = awk_num(how & 2 ? d : next);
}

static void print_cells(struct awk *a, const uint32_t *cells, size_t n)
{
    struct wk_out *out = a->c->out;
    for (size_t i = 0; i < n; i++)
        if (!awk_is_field(cells[i]) && awk_cell(a, cells[i])->type == AWK_ARRAY)
            wk_awk_array_as_scalar(a, awk_cell(a, cells[i]));
    for (size_t i = 0; i < n; i++) {
        if (i)
            wk_out_str(out, a->ofs);
        if (awk_is_field(cells[i])) {
            wk_out_str(out, wk_awk_field_text(a, awk_field_of(a, cells[i])));
            continue;
        }
        struct awk_val *v = awk_cell(a, cells[i]);
        if (v->has_str && v->type < AWK_ARRAY && v->type != AWK_NUM) {
            wk_out_str(out, awk_slice(v->str));
            continue;
        }
        struct awk_val x = awk_loaded(a, v);
        wk_awk_put_value(a, out, &x);
        awk_drop(a, &x);
    }
    wk_out_str(out, a->ors);
    awk_check_output(a, out, "print");
    wk_tick(a->c, 1);
}

static bool matches(struct awk *a, uint32_t re, uint32_t cell)
{
    if (awk_is_field(cell))
        return wk_awk_matches(a, a->regexes[re], wk_awk_field_text(a, awk_field_of(a, cell)));
    struct awk_val v = awk_fetch(a, cell);
    bool yes = wk_awk_matches(a, a->regexes[re], awk_slice(awk_to_str(a, &v)));
    awk_drop(a, &v);
    return yes;
}

/* ---- calls ---- */

static uint32_t enter(struct awk *a, uint32_t f, size_t n, uint32_t back)
{
    const struct awk_func *func = &a->funcs[f];
    if (!func->defined)
        wk_awk_fatal(a, "function `%s' not defined", func->name);
    if (WK_UNLIKELY(n > func->params)) {
        wk_awk_warning(a, "function `%s' called with more arguments than declared", func->name);
        awk_drop_to(a, a->top - (n - func->params));
        n = func->params;
    }
    if (a->top + func->params + 64 > a->stack_cap)
        wk_awk_grow_stack(a, func->params + 256);
    if (a->nframes == a->frames_cap) {
        if (a->frames_cap > SIZE_MAX / 4 / sizeof *a->frames)
            wk_heap_exhausted(a->c->heap);
        a->frames_cap = a->frames_cap * 2 + 64;
        a->frames = (struct awk_frame *)wk_heap_realloc(a->c->heap, a->frames,
                                                        a->frames_cap * sizeof *a->frames);
    }
    a->frames[a->nframes++] = (struct awk_frame){.base = a->base, .back = back, .func = f};
    a->base = a->top - n;
    for (size_t i = n; i < func->params; i++)
        a->stack[a->top++] = (struct awk_val){.type = AWK_UNSET};
    awk_rebase(a);
    wk_tick(a->c, 8);
    return func->at;
}

/* The result takes the place of the arguments; where to go on. */
static uint32_t leave(struct awk *a)
{
    struct awk_val result = wk_awk_pop(a);
    if (result.type >= AWK_ARRAY)
        wk_awk_array_as_scalar(a, &result);
    awk_drop_to(a, a->base);
    struct awk_frame *frame = &a->frames[--a->nframes];
    a->base = frame->base;
    awk_rebase(a);
    a->stack[a->top++] = result;
    return frame->back;
}

void wk_awk_call(struct awk *a, uint32_t func, size_t n)
{
    uint32_t at = enter(a, func, n, UINT32_MAX);
    if (wk_awk_run(a, at) != AWK_DONE)
        wk_awk_fatal(a, "`%s' left by next or exit", a->funcs[func].name);
}

/* The function whose name lies on n arguments; where to go on, or 0: it is done. */
static uint32_t call_named(struct awk *a, size_t n, uint32_t back)
{
    struct awk_val name = wk_awk_pop(a);
    struct wk_str s = awk_slice(awk_to_str(a, &name));
    size_t f = 0, b = 0;
    while (f < a->nfuncs && !wk_str_is(s, a->funcs[f].name))
        f++;
    while (f == a->nfuncs && b < AWK_FUNCTIONS && !wk_str_is(s, wk_awk_builtins[b].name))
        b++;
    if (f == a->nfuncs && b == AWK_FUNCTIONS)
        wk_awk_fatal(a, "`%.*s' is not a function, so it cannot be called indirectly",
                     (int)WK_MIN(s.n, (size_t)1000), s.p);
    awk_drop(a, &name);
    if (f < a->nfuncs)
        return enter(a, (uint32_t)f, n, back);
    const struct awk_builtin_info *info = &wk_awk_builtins[b];
    if ((b == AWK_F_SUB || b == AWK_F_GSUB) && n != 2)
        wk_awk_fatal(a, "%s: can be called indirectly only with two arguments", info->name);
    if (n < info->least || n > info->most)
        wk_awk_fatal(a, "%s: called with %zu arguments", info->name, n);
    if (b == AWK_F_SUB || b == AWK_F_GSUB) {
        *awk_push(a) = awk_num(0);
        wk_awk_substitute(a, b == AWK_F_GSUB, AWK_AT_FIELD, 0);
    } else {
        wk_awk_builtin(a, (enum awk_builtin)b, n);
    }
    return 0;
}

/* ---- the loop ---- */

/* Back in the code the work since then is counted. */
static inline const uint32_t *jump(struct awk *a, const uint32_t *pc, uint32_t to)
{
    const uint32_t *goal = a->code.v + to;
    if (goal <= pc)
        wk_tick(a->c, (uint32_t)(pc - goal));
    return goal;
}

static void go_back(struct awk *a, size_t base, size_t frames)
{
    a->base = base;
    a->nframes = frames;
    awk_rebase(a);
}

/* A text is a string; a number compares as one all the same. */
static void check_departure(struct awk *a, bool next)
{
    if (a->rule && (next || strcmp(a->rule, "BEGINFILE") != 0))
        wk_awk_fatal(a, "`%s' cannot be called from a `%s' rule", next ? "next" : "nextfile", a->rule);
}

static enum awk_end run(struct awk *a, uint32_t at)
{
    size_t bottom = a->top, base = a->base, frames = a->nframes;
    struct awk_val *v;
    double d;
    for (const uint32_t *pc = a->code.v + at;;) {
        uint32_t word = *pc++, arg = word >> 8;
        a->pc = pc;
        switch (word & 255) {
        case AWK_K_NUM:
            *awk_push(a) = a->consts[arg];
            break;
        case AWK_K_STR:
            *awk_push(a) = awk_copy(&a->consts[arg]);
            break;
        case AWK_NOTHING:
            *awk_push(a) = (struct awk_val){.type = AWK_UNSET, .scalar = true};
            break;
        case AWK_SWAP: {
            v = awk_top(a);
            struct awk_val x = *v;
            *v = v[-1];
            v[-1] = x;
            break;
        }
        case AWK_POP:
            awk_pop_drop(a);
            break;
        case AWK_DUP:
            (void)awk_push(a);
            v = awk_top(a);
            *v = awk_copy(v - 1);
            break;
        case AWK_LOAD_G:
            *awk_push(a) = awk_loaded(a, &a->globals[arg]);
            break;
        case AWK_LOAD_L:
            {
                struct awk_val x = awk_loaded(a, awk_local(a, arg));
                *awk_push(a) = x;
            }
            break;
        case AWK_TAKE_G:
        case AWK_TAKE_L:
            v = (word & 255) == AWK_TAKE_G ? &a->globals[arg] : awk_local(a, arg);
            if (v->type >= AWK_ARRAY) {
                struct awk_val x = awk_loaded(a, v);
                *awk_push(a) = x;
            } else {
                struct awk_val x = *v;
                *v = (struct awk_val){.type = AWK_UNSET};
                *awk_push(a) = x;
            }
            break;
        case AWK_LOAD_S:
            *awk_push(a) = awk_num(wk_awk_special(a, arg));
            break;
        case AWK_STORE_G:
            v = awk_top(a);
            awk_store(a, &a->globals[arg], awk_copy(v));
            break;
        case AWK_STORE_L:
            v = awk_top(a);
            awk_store(a, awk_local(a, arg), awk_copy(v));
            break;
        case AWK_STORE_S:
            wk_awk_store_special(a, arg, awk_copy(awk_top(a)));
            break;
        case AWK_FIELD:
            v = awk_top(a);
            {
                struct awk_val x = wk_awk_field_value(a, wk_awk_field_index(a, v));
                awk_drop(a, v);
                *v = x;
            }
            break;
        case AWK_FIELD_C:
            *awk_push(a) = wk_awk_field_value(a, arg);
            break;
        case AWK_STORE_FIELD:
            v = awk_top(a);
            wk_awk_set_field(a, wk_awk_field_index(a, v), awk_copy(v - 1));
            awk_pop_drop(a);
            break;
        case AWK_ARRAY_G:
        case AWK_ARRAY_L: {
            struct awk_array *t =
                wk_awk_array_of(a, (word & 255) == AWK_ARRAY_G ? &a->globals[arg] : awk_local(a, arg));
            t->refs++;
            *awk_push(a) = (struct awk_val){.type = AWK_ARRAY, .array = t};
            break;
        }
        case AWK_ARRAY_ARG: {
            v = arg & 1 ? awk_local(a, arg >> 1) : &a->globals[arg >> 1];
            struct awk_val *real = wk_awk_behind(a, v, 10000);
            if (real->type != AWK_ARRAY && (real->type != AWK_UNSET || real->scalar))
                wk_awk_no_array(a, &wk_awk_builtins[*pc >> 8], *pc & 255);
            struct awk_array *t = wk_awk_array_of(a, v);
            pc++;
            t->refs++;
            *awk_push(a) = (struct awk_val){.type = AWK_ARRAY, .array = t};
            break;
        }
        case AWK_ARG_G:
        case AWK_ARG_L: {
            bool global = (word & 255) == AWK_ARG_G;
            v = global ? &a->globals[arg] : awk_local(a, arg);
            struct awk_val x = *v;
            if (x.type == AWK_REF && wk_awk_behind(a, &x, 10000)->type == AWK_ARRAY)
                (void)wk_awk_array_of(a, v);
            v = global ? &a->globals[arg] : awk_local(a, arg);
            if (v->type == AWK_ARRAY) {
                v->array->refs++;
                x = *v;
            } else if (v->type == AWK_UNSET && !v->scalar) {
                x = (struct awk_val){.type = AWK_REF,
                                     .slot = global ? (size_t)arg << 1 : (a->base + arg) << 1 | 1};
            } else {
                x = awk_copy(v);
            }
            *awk_push(a) = x;
            break;
        }
        case AWK_ELEM:
        case AWK_ELEM_SHOWN:
            v = awk_top(a);
            {
                struct awk_val *e = wk_awk_array_at(a, v->array, v - 1, true);
                if (e->type == AWK_ARRAY)
                    wk_awk_element_as_scalar(a, v->array, e);
                if ((word & 255) == AWK_ELEM_SHOWN && !v->array->by_name)
                    show(a, e);
                struct awk_val x = awk_loaded_element(e);
                awk_drop(a, v);
                awk_drop(a, v - 1);
                v[-1] = x;
                a->top--;
            }
            break;
        case AWK_ELEM_ANY:
            v = awk_top(a);
            {
                struct awk_val *e = wk_awk_array_at(a, v->array, v - 1, true);
                struct awk_val x = awk_copy(e);
                if (x.type == AWK_ARRAY)
                    x.array->refs++;
                awk_drop(a, v);
                awk_drop(a, v - 1);
                v[-1] = x;
                a->top--;
            }
            break;
        case AWK_STORE_ELEM:
            v = awk_top(a);
            store_element(a, v->array, wk_awk_array_at(a, v->array, v - 1, true), awk_copy(v - 2));
            awk_drop_to(a, a->top - 2);
            break;
        case AWK_SUB_ARRAY:
            v = awk_top(a);
            {
                struct awk_array *t = wk_awk_sub_array(a, v->array, wk_awk_array_at(a, v->array, v - 1, true));
                t->refs++;
                awk_drop(a, v);
                awk_drop(a, v - 1);
                v[-1] = (struct awk_val){.type = AWK_ARRAY, .array = t};
                a->top--;
            }
            break;
        case AWK_SUBSEP:
            wk_awk_join_keys(a, arg);
            break;
        case AWK_IN:
            v = awk_top(a);
            d = wk_awk_array_at(a, v->array, v - 1, false) != NULL;
            awk_become(a, a->top - 2, d);
            break;
        case AWK_DELETE:
            v = awk_top(a);
            wk_awk_array_delete(a, v->array, v - 1);
            awk_drop_to(a, a->top - 2);
            break;
        case AWK_DELETE_ALL:
            wk_awk_check_cleared(a, awk_top(a)->array, NULL);
            wk_awk_array_clear(a, awk_top(a)->array);
            awk_pop_drop(a);
            break;
        case AWK_AUG_G:
            v = awk_top(a);
            d = augmented(a, *pc++, awk_to_num(a, &a->globals[arg]), awk_to_num(a, v));
            awk_store(a, &a->globals[arg], awk_num(d));
            awk_drop(a, v);
            *v = awk_num(d);
            break;
        case AWK_AUG_L:
        case AWK_AUG_S:
        case AWK_AUG_FIELD: {
            static const enum awk_place places[] = {AWK_AT_L, AWK_AT_S, AWK_AT_FIELD};
            enum awk_place place = places[(word & 255) - AWK_AUG_L];
            size_t lies = a->top - wk_awk_place_size(place);
            struct awk_val old = wk_awk_place_value(a, place, arg, lies);
            d = augmented(a, *pc++, awk_to_num(a, &old), awk_to_num(a, &a->stack[lies - 1]));
            awk_drop(a, &old);
            wk_awk_place_store(a, place, arg, lies, awk_num(d));
            awk_become(a, lies - 1, d);
            break;
        }
        case AWK_AUG_ELEM:
            v = awk_top(a);
            {
                double y = awk_to_num(a, v - 2);
                struct awk_val *e = wk_awk_array_at(a, v->array, v - 1, true);
                if (e->type == AWK_ARRAY)
                    wk_awk_element_as_scalar(a, v->array, e);
                d = augmented(a, *pc++, awk_to_num(a, e), y);
                awk_drop(a, e);
                *e = awk_num(d);
                awk_become(a, a->top - 3, d);
            }
            break;
        case AWK_STEP_G:
            v = &a->globals[arg];
            d = awk_to_num(a, v);
            awk_store(a, v, awk_num(*pc & 1 ? d - 1 : d + 1));
            *awk_push(a) = awk_num(*pc & 2 ? d : *pc & 1 ? d - 1 : d + 1);
            pc++;
            break;
        case AWK_STEP_L:
        case AWK_STEP_S:
        case AWK_STEP_FIELD:
        case AWK_STEP_ELEM: {
            static const enum awk_place places[] = {AWK_AT_L, AWK_AT_S, AWK_AT_FIELD, AWK_AT_ELEM};
            enum awk_place place = places[(word & 255) - AWK_STEP_L];
            size_t lies = a->top - wk_awk_place_size(place);
            struct awk_val old = wk_awk_place_value(a, place, arg, lies);
            d = awk_to_num(a, &old);
            awk_drop(a, &old);
            double next = *pc & 1 ? d - 1 : d + 1;
            wk_awk_place_store(a, place, arg, lies, awk_num(next));
            awk_become(a, lies, *pc++ & 2 ? d : next);
            break;
        }
        case AWK_ADD:
        case AWK_SUB:
        case AWK_MUL:
        case AWK_DIV:
        case AWK_MOD:
        case AWK_POW:
            arithmetic(a, word & 255);
            break;
        case AWK_NEG:
        case AWK_PLUS:
            d = awk_to_num(a, awk_top(a));
            awk_become(a, a->top - 1, (word & 255) == AWK_NEG ? -d : d);
            break;
        case AWK_NOT:
        case AWK_BOOL:
            d = wk_awk_is_true(a, awk_top(a)) == ((word & 255) == AWK_BOOL);
            awk_become(a, a->top - 1, d);
            break;
        case AWK_LT:
        case AWK_LE:
        case AWK_EQ:
        case AWK_NE:
        case AWK_GT:
        case AWK_GE:
            compare(a, word & 255);
            break;
        case AWK_CASE:
            compare(a, AWK_EQ);
            break;
        case AWK_MATCH_0:
            *awk_push(a) = awk_num(wk_awk_matches(a, a->regexes[arg],
                                              awk_slice(awk_to_str(a, wk_awk_field_at(a, 0)))));
            break;
        case AWK_MATCH_K:
            d = wk_awk_matches(a, a->regexes[arg], awk_slice(awk_to_str(a, awk_top(a))));
            awk_become(a, a->top - 1, d);
            break;
        case AWK_MATCH:
            v = awk_top(a);
            {
                struct awk_re *re = wk_awk_regex(a, awk_slice(awk_to_str(a, v)));
                d = wk_awk_matches(a, re, awk_slice(awk_to_str(a, v - 1)));
                awk_become(a, a->top - 2, d);
            }
            break;
        case AWK_CONCAT:
            wk_awk_concatenate(a, arg);
            break;
        case AWK_JMP:
            pc = jump(a, pc, arg);
            break;
        case AWK_JZ:
        case AWK_JNZ:
            v = awk_top(a);
            {
                bool yes = v->type == AWK_NUM ? v->num != 0 : wk_awk_is_true(a, v);
                awk_pop_drop(a);
                if (yes == ((word & 255) == AWK_JNZ))
                    pc = jump(a, pc, arg);
            }
            break;
        case AWK_RANGE_ON:
            pc = a->range_on[arg] ? a->code.v + *pc : pc + 1;
            break;
        case AWK_RANGE_SET:
            a->range_on[arg >> 1] = arg & 1;
            break;
        case AWK_CALL:
            pc = a->code.v + enter(a, arg, pc[0], (uint32_t)(pc + 1 - a->code.v));
            break;
        case AWK_CALL_NAMED: {
            uint32_t to = call_named(a, arg, (uint32_t)(pc - a->code.v));
            if (to)
                pc = a->code.v + to;
            break;
        }
        case AWK_RETURN: {
            uint32_t back = leave(a);
            if (back == UINT32_MAX)
                return AWK_DONE;
            pc = a->code.v + back;
            break;
        }
        case AWK_BUILTIN:
            wk_awk_builtin(a, (enum awk_builtin)arg, *pc++);
            break;
        case AWK_PRINT:
        case AWK_PRINTF:
            wk_awk_print(a, arg, (enum awk_way) * pc++, (word & 255) == AWK_PRINTF);
            break;
        case AWK_GETLINE:
            wk_awk_get_line(a, (enum awk_way)(*pc >> 8), (enum awk_place)(*pc & 255), arg);
            pc++;
            if (WK_UNLIKELY(a->exiting))
                goto exited;
            break;
        case AWK_FORIN:
            wk_awk_begin_for_in(a);
            break;
        case AWK_FORIN_NEXT: {
            struct awk_iter *it = awk_top(a)->iter;
            if (it->at == it->n)
                pc = a->code.v + arg;
            else
                wk_awk_push(a, wk_awk_next_key(a, it));
            wk_tick(a->c, 1);
            break;
        }
        case AWK_NEXT:
        case AWK_NEXTFILE:
            check_departure(a, (word & 255) == AWK_NEXT);
            awk_drop_to(a, bottom);
            go_back(a, base, frames);
            return (word & 255) == AWK_NEXT ? AWK_NEXT_RECORD : AWK_NEXT_FILE;
        case AWK_EXIT:
            if (arg) {
                d = awk_to_num(a, awk_top(a));
                a->status = (int)((int64_t)WK_MAX(WK_MIN(d, 9e18), -9e18) & 255);
            }
            a->exiting = true;
        exited:
            awk_drop_to(a, bottom);
            go_back(a, base, frames);
            return AWK_EXITED;
        case AWK_REGEX:
            *awk_push(a) = (struct awk_val){.type = AWK_PATTERN, .slot = arg};
            break;
        case AWK_SUBST:
            wk_awk_substitute(a, *pc >> 8, (enum awk_place)(*pc & 255), arg);
            pc++;
            break;
        case AWK_ARITH_SC:
            d = awk_cell_num(a, arg);
            v = awk_top(a);
            d = calculate(a, *pc++, awk_to_num(a, v), d);
            awk_drop(a, v);
            *v = awk_num(d);
            break;
        case AWK_ARITH_CC:
            d = awk_cell_num(a, arg);
            d = calculate(a, *pc >> 24, d, awk_cell_num(a, *pc & 0xffffff));
            pc++;
            *awk_push(a) = awk_num(d);
            break;
        case AWK_SET_S:
            awk_store(a, awk_cell(a, arg), wk_awk_pop(a));
            break;
        case AWK_SET_C: {
            struct awk_val x = awk_fetch(a, *pc++);
            awk_store(a, awk_cell(a, arg), x);
            break;
        }
        case AWK_AUG_S_CELL:
        case AWK_AUG_C_CELL:
            d = awk_take_num(a, (word & 255) == AWK_AUG_C_CELL ? *pc & 0xffffff : (uint32_t)AWK_ON_STACK);
            v = awk_cell(a, arg);
            awk_store_num(a, v, augmented(a, *pc >> 24, awk_to_num(a, v), d));
            pc++;
            break;
        case AWK_INC:
        case AWK_DEC:
            v = awk_cell(a, arg);
            awk_store_num(a, v, awk_to_num(a, v) + ((word & 255) == AWK_INC ? 1 : -1));
            break;
        case AWK_JZ_C:
        case AWK_JNZ_C: {
            bool yes = is_true(a, *pc++);
            if (yes == ((word & 255) == AWK_JNZ_C))
                pc = jump(a, pc, arg);
            break;
        }
        case AWK_JCMP: {
            bool yes = compare_cells(a, AWK_LT + (pc[0] >> AWK_JCMP_OP & 7), pc[0] & 0xffffff, pc[1]);
            bool when = pc[0] & AWK_JCMP_IF;
            pc += 2;
            if (yes == when)
                pc = jump(a, pc, arg);
            break;
        }
        case AWK_A_ELEM:
        case AWK_A_SHOWN: {
            struct awk_array *t = array_for(a, arg, *pc);
            struct awk_val *e = element(a, t, *pc++, true);
            if (e->type == AWK_ARRAY)
                wk_awk_element_as_scalar(a, t, e);
            if ((word & 255) == AWK_A_SHOWN && !t->by_name)
                show(a, e);
            struct awk_val x = awk_loaded_element(e);
            *awk_push(a) = x;
            break;
        }
        case AWK_A_SET:
            pc += 2;
            set_element(a, arg, pc[-2], pc[-1]);
            break;
        case AWK_A_AUG:
            pc += 2;
            augment_element(a, arg, pc[-2] & 0xffffff, pc[-1], pc[-2] >> 24);
            break;
        case AWK_A_STEP:
            pc += 2;
            step_element(a, arg, pc[-2], pc[-1]);
            break;
        case AWK_A_IN:
            d = element(a, array_for(a, arg, *pc), *pc, false) != NULL;
            pc++;
            *awk_push(a) = awk_num(d);
            break;
        case AWK_PRINT_C:
            pc += arg;
            print_cells(a, pc - arg, arg);
            break;
        case AWK_BUILTIN_C:
            pc += arg >> 8;
            wk_awk_builtin_cells(a, (enum awk_builtin)(arg & 255), pc - (arg >> 8), arg >> 8);
            break;
        case AWK_MATCH_C:
            d = matches(a, arg, *pc++);
            *awk_push(a) = awk_num(d);
            break;
        case AWK_END:
            return AWK_DONE;
        default:
            __builtin_unreachable();
        }
    }
}

enum awk_end wk_awk_run(struct awk *a, uint32_t at)
{
    if (++a->depth > MOST_DEPTH)
        wk_awk_fatal(a, "calls within calls are nested too deep");
    const uint32_t *pc = a->pc;
    enum awk_end end = run(a, at);
    if (--a->depth)
        a->pc = pc; /* where the outer one is */
    return end;
}
