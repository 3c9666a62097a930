/* awk_run.c - the machine that runs awk's code
 *
 * Values live on one stack: those of expressions, and for each call its arguments and locals, which
 * `base` points to, with what to return to beneath. A value on the stack owns what it holds.
 */
#include "builtins/awk.h"

#include <math.h>
#include <stdarg.h>

enum { MOST_DEPTH = 20, FRAME = 2 };

/* Where in the program, and in the input, things are. */
void wk_awk_put_place(struct awk *a)
{
    struct wk_out *err = a->c->err;
    wk_out_fmt(err, "%s: ", a->c->name);
    if (!a->pc)
        return;
    uint32_t at = a->code.lines[a->pc - a->code.v - 1];
    const char *source = a->sources[at >> 20];
    if (source)
        wk_out_fmt(err, "%s:%u: ", source, at & 0xfffff);
    else
        wk_out_fmt(err, "cmd. line:%u: ", at & 0xfffff);
    if (a->fnr > 0) {
        struct awk_str *name = awk_to_str(a, &a->globals[AWK_FILENAME]);
        struct wk_str shown = name->n ? awk_slice(name) : wk_str_c("-");
        wk_out_fmt(err, "(FILENAME=%.*s FNR=%lld) ", (int)WK_MIN(shown.n, (size_t)4000), shown.p,
                   (long long)a->fnr);
    }
}

/* PLACE: KIND: text */
static WK_PRINTF(3, 0) void say(struct awk *a, const char *kind, const char *fmt, va_list ap)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
    wk_buf_vfmt(&b, fmt, ap);
    const char *text = wk_keep(a->c, &b);
    wk_out_flush(a->c->out);
    wk_awk_put_place(a);
    wk_out_fmt(a->c->err, "%s: %s\n", kind, text);
}

void wk_awk_fatal(struct awk *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(a, "fatal", fmt, ap);
    va_end(ap);
    wk_exit(a->c, 2);
}

void wk_awk_warning(struct awk *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(a, "warning", fmt, ap);
    va_end(ap);
}

/* ---- the stack ---- */

static void grow_stack(struct awk *a, size_t more)
{
    if (a->top + more > SIZE_MAX / 4 / sizeof *a->stack)
        wk_heap_exhausted(a->c->heap);
    a->stack_cap = (a->top + more) * 2;
    a->stack =
        (struct awk_val *)wk_heap_realloc(a->c->heap, a->stack, a->stack_cap * sizeof *a->stack);
}

static inline struct awk_val *push(struct awk *a)
{
    if (WK_UNLIKELY(a->top == a->stack_cap))
        grow_stack(a, 256);
    return &a->stack[a->top++];
}

void wk_awk_push(struct awk *a, struct awk_val v)
{
    *push(a) = v;
}

struct awk_val wk_awk_pop(struct awk *a)
{
    return a->stack[--a->top];
}

static inline struct awk_val *top(struct awk *a)
{
    return &a->stack[a->top - 1];
}

static inline void pop_drop(struct awk *a)
{
    awk_drop(a, &a->stack[--a->top]);
}

static void drop_to(struct awk *a, size_t level)
{
    while (a->top > level)
        pop_drop(a);
}

/* ---- variables ---- */

/* A parameter that was handed over before it was anything: the caller's variable. */
static struct awk_val *behind(struct awk *a, struct awk_val *v, size_t depth)
{
    while (v->type == AWK_REF && depth--)
        v = v->slot & 1 ? &a->stack[v->slot >> 1] : &a->globals[v->slot >> 1];
    return v;
}

struct awk_array *wk_awk_array_of(struct awk *a, struct awk_val *v)
{
    if (v->type == AWK_ARRAY)
        return v->array;
    struct awk_val *real = behind(a, v, 10000);
    if (real->type == AWK_UNSET) {
        if (real->has_str)
            awk_drop(a, real);
        *real = (struct awk_val){.type = AWK_ARRAY, .array = wk_awk_array_new(a)};
    } else if (real->type != AWK_ARRAY) {
        size_t slot = (size_t)(real - a->globals);
        if (real >= a->globals && slot < a->nglobals)
            wk_awk_fatal(a, "attempt to use scalar `%s' as an array", a->names[slot]);
        wk_awk_fatal(a, "attempt to use a scalar value as array");
    }
    if (v != real) { /* from now on it is the array itself */
        real->array->refs++;
        *v = *real;
    }
    return real->array;
}

static inline struct awk_val *local(struct awk *a, size_t slot)
{
    return &a->stack[a->base + slot];
}

static inline void load(struct awk *a, const struct awk_val *v)
{
    struct awk_val x = awk_copy(v);
    if (WK_UNLIKELY(x.type >= AWK_ARRAY)) {
        if (x.type == AWK_ARRAY)
            wk_awk_fatal(a, "attempt to use array in a scalar context");
        x = (struct awk_val){.type = AWK_UNSET};
    }
    *push(a) = x;
}

static inline void store(struct awk *a, struct awk_val *at, struct awk_val v)
{
    if (WK_UNLIKELY(at->type == AWK_ARRAY))
        wk_awk_fatal(a, "attempt to use array in a scalar context");
    struct awk_val old = *at;
    *at = v;
    awk_drop(a, &old);
}

void wk_awk_set_global(struct awk *a, uint32_t slot, struct awk_val v)
{
    store(a, &a->globals[slot], v);
}

static void keep_text(struct awk *a, struct wk_str *to, uint32_t slot)
{
    *to = awk_slice(awk_to_str(a, &a->globals[slot]));
}

void wk_awk_store_special(struct awk *a, uint32_t slot, struct awk_val v)
{
    if ((slot == AWK_FS || slot == AWK_FPAT || slot == AWK_FIELDWIDTHS || slot == AWK_IGNORECASE) &&
        !a->rec.counted)
        (void)wk_awk_count_fields(a); /* the present record is split as it was when it was read */
    if (slot == AWK_OFS)
        (void)wk_awk_field_at(a, 0); /* what was changed is joined by the old one */
    wk_awk_set_global(a, slot, v);
    struct awk_val *g = &a->globals[slot];
    switch (slot) {
    case AWK_NF:
        wk_awk_set_nf(a, awk_to_num(a, g));
        break;
    case AWK_NR:
        a->nr = awk_to_num(a, g);
        break;
    case AWK_FNR:
        a->fnr = awk_to_num(a, g);
        break;
    case AWK_FS:
        keep_text(a, &a->fs, slot);
        wk_awk_fs_changed(a);
        break;
    case AWK_FPAT:
    case AWK_FIELDWIDTHS:
        wk_awk_split_changed(a, slot);
        break;
    case AWK_IGNORECASE:
        a->icase = wk_awk_is_true(a, g);
        wk_awk_fs_changed(a);
        wk_awk_rs_changed(a);
        break;
    case AWK_OFS:
        keep_text(a, &a->ofs, slot);
        break;
    case AWK_ORS:
        keep_text(a, &a->ors, slot);
        break;
    case AWK_RS:
        keep_text(a, &a->rs_text, slot);
        wk_awk_rs_changed(a);
        break;
    case AWK_SUBSEP_VAR:
        keep_text(a, &a->subsep, slot);
        break;
    case AWK_CONVFMT:
        keep_text(a, &a->convfmt, slot);
        break;
    case AWK_OFMT:
        keep_text(a, &a->ofmt, slot);
        break;
    default:
        break;
    }
}

static void load_special(struct awk *a, size_t slot)
{
    wk_awk_push(a, awk_num(slot == AWK_NF   ? (double)wk_awk_count_fields(a)
                           : slot == AWK_NR ? a->nr
                                            : a->fnr));
}

static size_t field_number(struct awk *a, struct awk_val *v)
{
    double d = awk_to_num(a, v);
    if (!(d > -1))
        wk_awk_fatal(a, "attempt to access field %lld", (long long)WK_MAX(d, -9e18));
    return d > 1e9 ? 1000000000 : (size_t)d;
}

static struct awk_val field_value(struct awk *a, size_t i)
{
    struct awk_val *v = wk_awk_field_at(a, i);
    return v ? awk_copy(v) : awk_input(awk_str_ref(a->empty));
}

/* The value of a place whose parts lie on the stack, at `at`. */
static struct awk_val place_value(struct awk *a, enum awk_place place, size_t slot, size_t at)
{
    struct awk_val *v = NULL;
    switch (place) {
    case AWK_AT_L:
        v = local(a, slot);
        break;
    case AWK_AT_S:
        if (slot <= AWK_FNR) {
            load_special(a, slot);
            return wk_awk_pop(a);
        }
        v = &a->globals[slot];
        break;
    case AWK_AT_FIELD:
        return field_value(a, field_number(a, &a->stack[at]));
    case AWK_AT_ELEM:
        v = wk_awk_array_at(a, a->stack[at].array, &a->stack[at + 1], true);
        break;
    default:
        v = &a->globals[slot];
    }
    if (v->type >= AWK_ARRAY) {
        if (v->type == AWK_ARRAY)
            wk_awk_fatal(a, "attempt to use array in a scalar context");
        return (struct awk_val){.type = AWK_UNSET};
    }
    return awk_copy(v);
}

/* Stores v, which is taken over. */
static void place_store(struct awk *a, enum awk_place place, size_t slot, size_t at,
                        struct awk_val v)
{
    switch (place) {
    case AWK_AT_L:
        store(a, local(a, slot), v);
        break;
    case AWK_AT_S:
        wk_awk_store_special(a, (uint32_t)slot, v);
        break;
    case AWK_AT_FIELD:
        wk_awk_set_field(a, field_number(a, &a->stack[at]), v);
        break;
    case AWK_AT_ELEM:
        store(a, wk_awk_array_at(a, a->stack[at].array, &a->stack[at + 1], true), v);
        break;
    default:
        store(a, &a->globals[slot], v);
    }
}

static size_t place_size(enum awk_place place)
{
    return place == AWK_AT_FIELD ? 1 : place == AWK_AT_ELEM ? 2 : 0;
}

/* ---- operators ---- */

static double modulo(struct awk *a, double x, double y)
{
    if (y == 0)
        wk_awk_fatal(a, "division by zero attempted in `%%'");
    return fmod(x, y);
}

static double raise(double x, double y)
{
    if (y == (double)(int)y && y >= 0 && y < 1024) {
        double r = 1;
        for (int n = (int)y; n; n >>= 1, x *= x)
            if (n & 1)
                r *= x;
        return r;
    }
    return pow(x, y);
}

static double calculate(struct awk *a, uint32_t op, double x, double y)
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

/* What stands on the stack above `at` becomes the number. */
static void become(struct awk *a, size_t at, double v)
{
    drop_to(a, at);
    wk_awk_push(a, awk_num(v));
}

static inline void arithmetic(struct awk *a, uint32_t op)
{
    struct awk_val *y = top(a), *x = y - 1;
    double v = calculate(a, op, awk_to_num(a, x), awk_to_num(a, y));
    awk_drop(a, y);
    awk_drop(a, x);
    *x = awk_num(v);
    a->top--;
}

static void compare(struct awk *a, uint32_t op)
{
    struct awk_val *y = top(a), *x = y - 1;
    int r = wk_awk_compare(a, x, y);
    bool v = false;
    switch (op) {
    case AWK_LT:
        v = r < 0;
        break;
    case AWK_LE:
        v = r <= 0;
        break;
    case AWK_EQ:
        v = r == 0;
        break;
    case AWK_NE:
        v = r != 0;
        break;
    case AWK_GT:
        v = r == 1;
        break;
    default:
        v = r == 0 || r == 1;
    }
    awk_drop(a, y);
    awk_drop(a, x);
    *x = awk_num(v);
    a->top--;
}

static void concatenate(struct awk *a, size_t n)
{
    struct awk_val *v = &a->stack[a->top - n];
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        size_t more = awk_to_str(a, &v[i])->n;
        if (more > SIZE_MAX / 4 - size)
            wk_heap_exhausted(a->c->heap);
        size += more;
    }
    /* x = x y: grows in place when nobody else has it. */
    struct awk_str *first = v[0].str;
    if (first->refs == 1 && !first->of && first->p == awk_str_bytes(first) && size < first->cap &&
        v[0].type != AWK_UNSET) {
        v[0].type = AWK_STR;
    } else {
        first = wk_awk_str_new(a, v[0].str->refs == 1 && size > 256 ? size + size / 2 : size);
        memcpy(awk_str_bytes(first), v[0].str->p, v[0].str->n);
        first->n = v[0].str->n;
        awk_drop(a, &v[0]);
        v[0] = awk_string(first);
    }
    char *p = awk_str_bytes(first) + first->n;
    for (size_t i = 1; i < n; i++) {
        memcpy(p, v[i].str->p, v[i].str->n);
        p += v[i].str->n;
    }
    first->n = size;
    first->chars = 0;
    drop_to(a, a->top - n + 1);
    wk_tick(a->c, (uint32_t)(size / 64) + 1);
}

/* Keys parted by SUBSEP. */
static void join_keys(struct awk *a, size_t n)
{
    struct awk_val *v = &a->stack[a->top - n];
    size_t size = a->subsep.n * (n - 1);
    for (size_t i = 0; i < n; i++)
        size += awk_to_str(a, &v[i])->n;
    struct awk_str *s = wk_awk_str_new(a, size);
    char *p = awk_str_bytes(s);
    for (size_t i = 0; i < n; i++) {
        if (i) {
            memcpy(p, a->subsep.p, a->subsep.n);
            p += a->subsep.n;
        }
        memcpy(p, v[i].str->p, v[i].str->n);
        p += v[i].str->n;
    }
    drop_to(a, a->top - n);
    wk_awk_push(a, awk_string(s));
}

/* ---- statements ---- */

static void put_value(struct awk *a, struct wk_out *out, struct awk_val *v)
{
    if (v->type == AWK_NUM && !v->has_str) {
        if (v->num == (double)(int64_t)v->num && v->num > -1e15 && v->num < 1e15)
            wk_out_i64(out, (int64_t)v->num);
        else
            wk_out_str(out, awk_slice(wk_awk_to_str_slow(a, v, a->ofmt)));
    } else {
        wk_out_str(out, awk_slice(awk_to_str(a, v)));
    }
}

static void print(struct awk *a, size_t n, enum awk_way way, bool formatted)
{
    struct wk_out *out = a->c->out;
    size_t at = a->top - n;
    if (way != AWK_WAY_NONE) {
        at--;
        out = wk_awk_output(a, way, awk_to_str(a, top(a)));
    }
    if (formatted) {
        struct awk_str *s = wk_awk_format(a, &a->stack[at], n);
        wk_out_str(out, awk_slice(s));
        awk_str_unref(a, s);
    } else {
        if (n == 0)
            wk_out_str(out, awk_slice(awk_to_str(a, wk_awk_field_at(a, 0))));
        for (size_t i = 0; i < n; i++) {
            if (i)
                wk_out_str(out, a->ofs);
            put_value(a, out, &a->stack[at + i]);
        }
        wk_out_str(out, a->ors);
    }
    if (out == a->c->err)
        (void)wk_out_flush(out);
    wk_tick(a->c, 1);
    drop_to(a, at);
}

static void get_line(struct awk *a, enum awk_way way, enum awk_place place, size_t slot)
{
    size_t parts = place_size(place), at = a->top - parts, all = parts;
    struct awk_str *text = NULL;
    double r;
    if (way == AWK_WAY_NONE) {
        r = wk_awk_next_main(a, &text);
    } else {
        /* The command stands in front of the place, the file behind it. */
        struct awk_val *name = way == AWK_WAY_READ ? top(a) : &a->stack[a->top - parts - 1];
        all++;
        if (way == AWK_WAY_READ)
            at--;
        r = wk_awk_getline(a, way, awk_to_str(a, name), &text);
    }
    if (r > 0 && place == AWK_NO_PLACE)
        wk_awk_set_record(a, text);
    else if (r > 0)
        place_store(a, place, slot, at, awk_input(text));
    become(a, a->top - all, r);
}

static void substitute(struct awk *a, bool all, enum awk_place place, size_t slot)
{
    /* [regex, replacement, parts of the place, or a value] */
    size_t parts = place == AWK_NO_PLACE ? 1 : place_size(place), at = a->top - parts;
    struct awk_val *re_value = &a->stack[at - 2], *with = &a->stack[at - 1];
    double times = 0;
    struct awk_val old =
        place == AWK_NO_PLACE ? awk_copy(&a->stack[at]) : place_value(a, place, slot, at);
    struct awk_str *text = awk_str_ref(awk_to_str(a, &old)), *made;
    struct awk_re *re = re_value->type == AWK_PATTERN
                            ? a->regexes[re_value->slot]
                            : wk_awk_regex(a, awk_slice(awk_to_str(a, re_value)));
    made = wk_awk_replace(a, re, awk_to_str(a, with), text, all ? 0 : 1, false, &times);
    awk_str_unref(a, text);
    awk_drop(a, &old);
    if (times > 0 && place != AWK_NO_PLACE)
        place_store(a, place, slot, at, awk_string(made));
    else
        awk_str_unref(a, made);
    become(a, at - 2, times);
}

static void begin_for_in(struct awk *a)
{
    struct awk_array *t = top(a)->array;
    struct awk_elem **v = wk_awk_array_list(a, t);
    size_t n = t->n;
    struct awk_val *info = &a->globals[AWK_PROCINFO];
    if (info->type == AWK_ARRAY && n > 1) {
        struct awk_val key = awk_string(a->sorted_in),
                       *by = wk_awk_array_at(a, info->array, &key, false);
        if (by)
            wk_awk_sort(a, v, n, awk_slice(awk_to_str(a, by)));
    }
    struct awk_iter *it = wk_new(a->c, struct awk_iter);
    it->keys = wk_new_n(a->c, struct awk_str *, n + 1);
    for (size_t i = 0; i < n; i++)
        it->keys[i] = awk_str_ref(v[i]->key);
    it->n = n;
    wk_awk_list_free(a, v, n);
    pop_drop(a);
    wk_awk_push(a, (struct awk_val){.type = AWK_ITER, .iter = it});
}

/* ---- calls ---- */

/* Beneath the arguments go the old base and where to go on. */
static uint32_t enter(struct awk *a, uint32_t f, size_t n, uint32_t back)
{
    const struct awk_func *func = &a->funcs[f];
    if (n > func->params)
        wk_awk_fatal(a, "function `%s' called with more arguments than declared", func->name);
    if (a->top + func->params + FRAME + 64 > a->stack_cap)
        grow_stack(a, func->params + FRAME + 256);
    struct awk_val *args = &a->stack[a->top - n];
    memmove(args + FRAME, args, n * sizeof *args);
    args[0] = (struct awk_val){.type = AWK_UNSET, .slot = a->base};
    args[1] = (struct awk_val){.type = AWK_UNSET, .slot = back};
    a->base = a->top - n + FRAME;
    a->top += FRAME;
    for (size_t i = n; i < func->params; i++)
        a->stack[a->top++] = (struct awk_val){.type = AWK_UNSET};
    wk_tick(a->c, 4);
    return func->at;
}

/* The result takes the place of the frame; where to go on. */
static uint32_t leave(struct awk *a)
{
    struct awk_val result = wk_awk_pop(a);
    if (result.type >= AWK_ARRAY)
        wk_awk_fatal(a, "attempt to use array in a scalar context");
    drop_to(a, a->base);
    uint32_t back = (uint32_t)a->stack[a->base - 1].slot;
    size_t base = a->stack[a->base - 2].slot;
    a->top = a->base - FRAME;
    a->base = base;
    wk_awk_push(a, result);
    return back;
}

void wk_awk_call(struct awk *a, uint32_t func, size_t n)
{
    uint32_t at = enter(a, func, n, UINT32_MAX);
    if (wk_awk_run(a, at) != AWK_DONE)
        wk_awk_fatal(a, "`%s' left by next or exit", a->funcs[func].name);
}

/* ---- the loop ---- */

static enum awk_end run(struct awk *a, uint32_t at)
{
    size_t bottom = a->top, base = a->base;
    struct awk_val *v;
    double d;
    for (const uint32_t *pc = a->code.v + at;;) {
        uint32_t word = *pc++, arg = word >> 8;
        a->pc = pc;
        if (WK_UNLIKELY(--a->c->k->budget < 0))
            wk_tick(a->c, 0);
        switch (word & 255) {
        case AWK_K_NUM:
            *push(a) = a->consts[arg];
            break;
        case AWK_K_STR:
            *push(a) = awk_copy(&a->consts[arg]);
            break;
        case AWK_NOTHING:
            *push(a) = (struct awk_val){.type = AWK_UNSET};
            break;
        case AWK_POP:
            pop_drop(a);
            break;
        case AWK_DUP:
            (void)push(a);
            v = top(a);
            *v = awk_copy(v - 1);
            break;
        case AWK_LOAD_G:
            load(a, &a->globals[arg]);
            break;
        case AWK_LOAD_L:
            if (a->top == a->stack_cap)
                grow_stack(a, 256);
            load(a, local(a, arg));
            break;
        case AWK_TAKE_G:
        case AWK_TAKE_L:
            v = (word & 255) == AWK_TAKE_G ? &a->globals[arg] : local(a, arg);
            if (v->type >= AWK_ARRAY) {
                load(a, v);
            } else {
                struct awk_val x = *v;
                *v = (struct awk_val){.type = AWK_UNSET};
                *push(a) = x;
            }
            break;
        case AWK_LOAD_S:
            load_special(a, arg);
            break;
        case AWK_STORE_G:
            v = top(a);
            store(a, &a->globals[arg], awk_copy(v));
            break;
        case AWK_STORE_L:
            v = top(a);
            store(a, local(a, arg), awk_copy(v));
            break;
        case AWK_STORE_S:
            wk_awk_store_special(a, arg, awk_copy(top(a)));
            break;
        case AWK_FIELD:
            v = top(a);
            {
                struct awk_val x = field_value(a, field_number(a, v));
                awk_drop(a, v);
                *v = x;
            }
            break;
        case AWK_FIELD_C:
            *push(a) = field_value(a, arg);
            break;
        case AWK_STORE_FIELD:
            v = top(a);
            wk_awk_set_field(a, field_number(a, v), awk_copy(v - 1));
            pop_drop(a);
            break;
        case AWK_ARRAY_G:
        case AWK_ARRAY_L: {
            struct awk_array *t =
                wk_awk_array_of(a, (word & 255) == AWK_ARRAY_G ? &a->globals[arg] : local(a, arg));
            t->refs++;
            *push(a) = (struct awk_val){.type = AWK_ARRAY, .array = t};
            break;
        }
        case AWK_ARG_G:
        case AWK_ARG_L: {
            bool global = (word & 255) == AWK_ARG_G;
            v = global ? &a->globals[arg] : local(a, arg);
            struct awk_val x = *v;
            if (x.type == AWK_REF && behind(a, &x, 10000)->type == AWK_ARRAY)
                (void)wk_awk_array_of(a, v);
            v = global ? &a->globals[arg] : local(a, arg);
            if (v->type == AWK_ARRAY) {
                v->array->refs++;
                x = *v;
            } else if (v->type == AWK_UNSET) {
                x = (struct awk_val){.type = AWK_REF,
                                     .slot = global ? (size_t)arg << 1 : (a->base + arg) << 1 | 1};
            } else {
                x = awk_copy(v);
            }
            *push(a) = x;
            break;
        }
        case AWK_ELEM:
            v = top(a);
            {
                struct awk_val *e = wk_awk_array_at(a, v[-1].array, v, true);
                if (e->type == AWK_ARRAY)
                    wk_awk_fatal(a, "attempt to use array in a scalar context");
                struct awk_val x = awk_copy(e);
                awk_drop(a, v);
                awk_drop(a, v - 1);
                v[-1] = x;
                a->top--;
            }
            break;
        case AWK_ELEM_ANY:
            v = top(a);
            {
                struct awk_val *e = wk_awk_array_at(a, v[-1].array, v, true);
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
            v = top(a);
            store(a, wk_awk_array_at(a, v[-1].array, v, true), awk_copy(v - 2));
            drop_to(a, a->top - 2);
            break;
        case AWK_SUB_ARRAY:
            v = top(a);
            {
                struct awk_array *t = wk_awk_array_of(a, wk_awk_array_at(a, v[-1].array, v, true));
                t->refs++;
                awk_drop(a, v);
                awk_drop(a, v - 1);
                v[-1] = (struct awk_val){.type = AWK_ARRAY, .array = t};
                a->top--;
            }
            break;
        case AWK_SUBSEP:
            join_keys(a, arg);
            break;
        case AWK_IN:
            v = top(a);
            d = wk_awk_array_at(a, v->array, v - 1, false) != NULL;
            become(a, a->top - 2, d);
            break;
        case AWK_DELETE:
            v = top(a);
            wk_awk_array_delete(a, v[-1].array, v);
            drop_to(a, a->top - 2);
            break;
        case AWK_DELETE_ALL:
            wk_awk_array_clear(a, top(a)->array);
            pop_drop(a);
            break;
        case AWK_AUG_G:
            v = top(a);
            d = calculate(a, *pc++, awk_to_num(a, &a->globals[arg]), awk_to_num(a, v));
            store(a, &a->globals[arg], awk_num(d));
            awk_drop(a, v);
            *v = awk_num(d);
            break;
        case AWK_AUG_L:
        case AWK_AUG_S:
        case AWK_AUG_FIELD: {
            static const enum awk_place places[] = {AWK_AT_L, AWK_AT_S, AWK_AT_FIELD};
            enum awk_place place = places[(word & 255) - AWK_AUG_L];
            size_t lies = a->top - place_size(place);
            struct awk_val old = place_value(a, place, arg, lies);
            d = calculate(a, *pc++, awk_to_num(a, &old), awk_to_num(a, &a->stack[lies - 1]));
            awk_drop(a, &old);
            place_store(a, place, arg, lies, awk_num(d));
            become(a, lies - 1, d);
            break;
        }
        case AWK_AUG_ELEM:
            v = top(a);
            {
                double y = awk_to_num(a, v - 2);
                struct awk_val *e = wk_awk_array_at(a, v[-1].array, v, true);
                if (e->type == AWK_ARRAY)
                    wk_awk_fatal(a, "attempt to use array in a scalar context");
                d = calculate(a, *pc++, awk_to_num(a, e), y);
                awk_drop(a, e);
                *e = awk_num(d);
                become(a, a->top - 3, d);
            }
            break;
        case AWK_STEP_G:
            v = &a->globals[arg];
            d = awk_to_num(a, v);
            store(a, v, awk_num(*pc & 1 ? d - 1 : d + 1));
            *push(a) = awk_num(*pc & 2 ? d : *pc & 1 ? d - 1 : d + 1);
            pc++;
            break;
        case AWK_STEP_L:
        case AWK_STEP_S:
        case AWK_STEP_FIELD:
        case AWK_STEP_ELEM: {
            static const enum awk_place places[] = {AWK_AT_L, AWK_AT_S, AWK_AT_FIELD, AWK_AT_ELEM};
            enum awk_place place = places[(word & 255) - AWK_STEP_L];
            size_t lies = a->top - place_size(place);
            struct awk_val old = place_value(a, place, arg, lies);
            d = awk_to_num(a, &old);
            awk_drop(a, &old);
            double next = *pc & 1 ? d - 1 : d + 1;
            place_store(a, place, arg, lies, awk_num(next));
            become(a, lies, *pc++ & 2 ? d : next);
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
            d = awk_to_num(a, top(a));
            become(a, a->top - 1, (word & 255) == AWK_NEG ? -d : d);
            break;
        case AWK_NOT:
        case AWK_BOOL:
            d = wk_awk_is_true(a, top(a)) == ((word & 255) == AWK_BOOL);
            become(a, a->top - 1, d);
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
            *push(a) = awk_num(wk_awk_matches(a, a->regexes[arg],
                                              awk_slice(awk_to_str(a, wk_awk_field_at(a, 0)))));
            break;
        case AWK_MATCH_K:
            d = wk_awk_matches(a, a->regexes[arg], awk_slice(awk_to_str(a, top(a))));
            become(a, a->top - 1, d);
            break;
        case AWK_MATCH:
            v = top(a);
            {
                struct awk_re *re = wk_awk_regex(a, awk_slice(awk_to_str(a, v)));
                d = wk_awk_matches(a, re, awk_slice(awk_to_str(a, v - 1)));
                become(a, a->top - 2, d);
            }
            break;
        case AWK_CONCAT:
            concatenate(a, arg);
            break;
        case AWK_JMP:
            pc = a->code.v + arg;
            break;
        case AWK_JZ:
        case AWK_JNZ:
            v = top(a);
            {
                bool yes = v->type == AWK_NUM ? v->num != 0 : wk_awk_is_true(a, v);
                pop_drop(a);
                if (yes == ((word & 255) == AWK_JNZ))
                    pc = a->code.v + arg;
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
            print(a, arg, (enum awk_way) * pc++, (word & 255) == AWK_PRINTF);
            break;
        case AWK_GETLINE:
            get_line(a, (enum awk_way)(*pc >> 8), (enum awk_place)(*pc & 255), arg);
            pc++;
            if (WK_UNLIKELY(a->exiting))
                goto exited;
            break;
        case AWK_FORIN:
            begin_for_in(a);
            break;
        case AWK_FORIN_NEXT: {
            struct awk_iter *it = top(a)->iter;
            if (it->at == it->n)
                pc = a->code.v + arg;
            else
                *push(a) = awk_input(it->keys[it->at++]);
            wk_tick(a->c, 1);
            break;
        }
        case AWK_NEXT:
        case AWK_NEXTFILE:
            drop_to(a, bottom);
            a->base = base;
            return (word & 255) == AWK_NEXT ? AWK_NEXT_RECORD : AWK_NEXT_FILE;
        case AWK_EXIT:
            if (arg) {
                d = awk_to_num(a, top(a));
                a->status = (int)((int64_t)WK_MAX(WK_MIN(d, 9e18), -9e18) & 255);
            }
            a->exiting = true;
        exited:
            drop_to(a, bottom);
            a->base = base;
            return AWK_EXITED;
        case AWK_REGEX:
            *push(a) = (struct awk_val){.type = AWK_PATTERN, .slot = arg};
            break;
        case AWK_SUBST:
            substitute(a, *pc >> 8, (enum awk_place)(*pc & 255), arg);
            pc++;
            break;
        default:
            return AWK_DONE;
        }
    }
}

enum awk_end wk_awk_run(struct awk *a, uint32_t at)
{
    if (++a->depth > MOST_DEPTH)
        wk_awk_fatal(a, "calls within calls are nested too deep");
    enum awk_end end = run(a, at);
    a->depth--;
    return end;
}
