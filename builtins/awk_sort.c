/* awk_sort.c - asort, asorti and PROCINFO["sorted_in"]: elements in order
 *
 * By index or value, as strings, numbers or by type (numbers, strings, arrays), or as a function of
 * the program says.
 */
#include "builtins/awk.h"

#include "builtins/ptrsort.h"

struct order {
    struct awk *a;
    bool index;
    enum { BY_TEXT, BY_NUMBER, BY_TYPE, BY_FUNCTION } by;
    int sign;
    uint32_t func;
};

static int compare_numbers(double x, double y)
{
    bool nx = x != x, ny = y != y;
    if (nx || ny)
        return nx - ny;
    return (x > y) - (x < y);
}

static int compare_keys(struct awk_item *x, struct awk_item *y)
{
    return wk_str_cmp(awk_slice(x->key), awk_slice(y->key));
}

static double key_number(const struct awk_item *x)
{
    return wk_awk_scan(wk_str(x->key->p, x->key->n), NULL);
}

static int compare_indices(struct order *o, struct awk_item *x, struct awk_item *y)
{
    if (o->by == BY_NUMBER) {
        int r = compare_numbers(key_number(x), key_number(y));
        if (r)
            return r;
    }
    return compare_keys(x, y);
}

static int rank(struct awk *a, struct awk_val *v)
{
    if (v->type == AWK_INPUT)
        wk_awk_settle(a, v);
    return v->type == AWK_ARRAY ? 2 : v->type == AWK_STR ? 1 : 0;
}

/* Of equal values: numbers as keys stay as they were and come before texts. */
static int break_tie(struct awk_item *x, struct awk_item *y)
{
    if (x->number || y->number)
        return y->number - x->number;
    return compare_keys(x, y);
}

static int compare_values(struct order *o, struct awk_item *x, struct awk_item *y)
{
    struct awk *a = o->a;
    int rx = rank(a, &x->v), ry = rank(a, &y->v), r;
    if (rx == 2 || ry == 2) {
        r = rx - ry;
    } else if (o->by == BY_NUMBER) {
        r = compare_numbers(awk_to_num(a, &x->v), awk_to_num(a, &y->v));
        if (r == 0)
            r = wk_str_cmp(awk_slice(awk_to_str(a, &x->v)), awk_slice(awk_to_str(a, &y->v)));
    } else if (o->by == BY_TYPE && (rx == 0 || ry == 0)) {
        r = rx != ry ? rx - ry : compare_numbers(x->v.num, y->v.num);
    } else {
        r = wk_str_cmp(awk_slice(awk_to_str(a, &x->v)), awk_slice(awk_to_str(a, &y->v)));
    }
    return r ? r : break_tie(x, y);
}

static struct awk_val argument(const struct awk_val *v)
{
    struct awk_val x = awk_copy(v);
    if (x.type == AWK_ARRAY)
        x.array->refs++;
    return x;
}

static int ask_program(struct order *o, struct awk_item *x, struct awk_item *y)
{
    struct awk *a = o->a;
    wk_awk_push(a, awk_string(awk_str_ref(x->key)));
    wk_awk_push(a, argument(&x->v));
    wk_awk_push(a, awk_string(awk_str_ref(y->key)));
    wk_awk_push(a, argument(&y->v));
    wk_awk_call(a, o->func, 4);
    struct awk_val v = wk_awk_pop(a);
    double d = awk_to_num(a, &v);
    awk_drop(a, &v);
    return d < 0 ? -1 : d > 0;
}

static int compare(void *ctx, const void *p, const void *q)
{
    struct order *o = (struct order *)ctx;
    struct awk_item *x = (struct awk_item *)(uintptr_t)p,
                    *y = (struct awk_item *)(uintptr_t)q; /* their values settle */
    if (o->by == BY_FUNCTION)
        return ask_program(o, x, y);
    return o->sign * (o->index ? compare_indices(o, x, y) : compare_values(o, x, y));
}

static bool read_order(struct order *o, struct wk_str by)
{
    static const struct {
        const char *name;
        bool index;
        int by;
    } names[] = {{"@ind_str", true, BY_TEXT},
                 {"@ind_num", true, BY_NUMBER},
                 {"@val_str", false, BY_TEXT},
                 {"@val_num", false, BY_NUMBER},
                 {"@val_type", false, BY_TYPE}};
    o->sign = 1;
    for (size_t i = 0; i < WK_COUNTOF(names); i++) {
        struct wk_str name = wk_str_c(names[i].name);
        if (!wk_str_starts(by, name))
            continue;
        struct wk_str rest = wk_str_from(by, name.n);
        if (!wk_str_is(rest, "_asc") && !wk_str_is(rest, "_desc"))
            return false;
        o->index = names[i].index;
        o->by = (unsigned)names[i].by;
        o->sign = wk_str_is(rest, "_desc") ? -1 : 1;
        return true;
    }
    for (size_t i = 0; i < o->a->nfuncs; i++) {
        if (wk_str_is(by, o->a->funcs[i].name)) {
            o->by = BY_FUNCTION;
            o->func = (uint32_t)i;
            return true;
        }
    }
    return false;
}

void wk_awk_sorted_free(struct awk *a, struct awk_sorted *s)
{
    for (size_t i = 0; i < s->n; i++) {
        awk_str_unref(a, s->items[i].key);
        awk_drop(a, &s->items[i].v);
    }
    wk_heap_free(a->c->heap, s->items);
    wk_heap_free(a->c->heap, (void *)s->order);
}

/* Copies: the program may change the array while it compares. */
void wk_awk_sorted(struct awk *a, struct awk_array *t, struct wk_str by, struct awk_sorted *s)
{
    struct order o = {.a = a};
    bool sorts = !wk_str_is(by, "@unsorted");
    if (sorts && !read_order(&o, by))
        wk_awk_fatal(a, "sort comparison function `%.*s' is not defined",
                     (int)WK_MIN(by.n, (size_t)1000), by.p);
    struct awk_key *keys = wk_awk_array_keys(a, t);
    s->n = t->n;
    s->items = wk_new_n(a->c, struct awk_item, s->n + 1);
    s->order = wk_new_n(a->c, struct awk_item *, s->n + 1);
    for (size_t i = 0; i < s->n; i++) {
        struct awk_item *it = &s->items[i];
        it->number = !keys[i].text;
        it->key = keys[i].text ? keys[i].text : wk_awk_key_str(a, keys[i].number);
        it->v = argument(keys[i].text ? wk_awk_array_at_text(a, t, awk_slice(it->key), false)
                                      : wk_awk_array_at_number(a, t, keys[i].number, false));
        s->order[i] = it;
    }
    wk_heap_free(a->c->heap, keys);
    if (sorts && s->n > 1)
        wk_ptr_sort(a->c, (const void **)(void *)s->order, s->n, compare, &o);
}
