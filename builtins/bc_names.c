/* bc_names.c - bc's variables, arrays and functions by name and number */
#include "builtins/bc.h"

static struct bc_name *name_of(struct bc *b, struct wk_str name)
{
    void **at = wk_map_put(&b->names, name, NULL);
    if (!at)
        wk_heap_exhausted(b->c->heap);
    if (!*at)
        *at = wk_new(b->c, struct bc_name);
    return (struct bc_name *)*at;
}

static uint32_t number(struct bc *b, uint32_t *next, const char *what)
{
    if (*next > BC_NAMES_MAX) {
        wk_fail(b->c, 1, "Too many %s", what);
    }
    return (*next)++;
}

/* Zeros up to the next power of two when v is full. */
static void *grow(struct bc *b, void *v, size_t *cap, size_t n)
{
    if (n < *cap)
        return v;
    size_t more = *cap ? *cap * 2 : 64;
    void **r = (void **)wk_heap_realloc(b->c->heap, v, more * sizeof(void *));
    memset(r + *cap, 0, (more - *cap) * sizeof(void *));
    *cap = more;
    return r;
}

uint32_t wk_bc_var_id(struct bc *b, struct wk_str name)
{
    struct bc_name *x = name_of(b, name);
    if (!x->var)
        x->var = number(b, &b->vars, "variables");
    b->var = (struct wk_dec **)grow(b, b->var, &b->var_cap, b->vars);
    return x->var;
}

uint32_t wk_bc_array_id(struct bc *b, struct wk_str name)
{
    struct bc_name *x = name_of(b, name);
    size_t cap = b->array_cap;
    if (!x->array)
        x->array = number(b, &b->arrays, "array variables");
    b->array = (struct bc_array **)grow(b, b->array, &b->array_cap, b->arrays);
    b->array_name = (char **)grow(b, b->array_name, &cap, b->arrays);
    if (!b->array_name[x->array])
        b->array_name[x->array] = wk_dupn(b->c, name.p, name.n);
    return x->array;
}

uint32_t wk_bc_function_id(struct bc *b, struct wk_str name)
{
    struct bc_name *x = name_of(b, name);
    if (!x->function) {
        x->function = number(b, &b->functions, "functions");
        b->function = (struct bc_function **)grow(b, b->function, &b->function_cap, b->functions);
        b->function[x->function] = wk_new(b->c, struct bc_function);
        b->function[x->function]->name = wk_dupn(b->c, name.p, name.n);
    }
    return x->function;
}

struct bc_array *wk_bc_array_new(struct bc *b)
{
    struct bc_array *a = wk_new(b->c, struct bc_array);
    a->refs = 1;
    return a;
}

struct wk_dec *wk_bc_array_get(const struct bc_array *a, uint32_t at)
{
    if (!a || at / BC_PAGE >= a->pages || !a->page[at / BC_PAGE])
        return NULL;
    return a->page[at / BC_PAGE][at % BC_PAGE];
}

void wk_bc_array_set(struct bc *b, struct bc_array *a, uint32_t at, struct wk_dec *v)
{
    size_t page = at / BC_PAGE;
    if (page >= a->pages) {
        size_t n = WK_MAX(page + 1, a->pages * 2);
        a->page = (struct wk_dec ***)wk_heap_realloc(b->c->heap, a->page, n * sizeof *a->page);
        memset(a->page + a->pages, 0, (n - a->pages) * sizeof *a->page);
        a->pages = n;
    }
    if (!a->page[page])
        a->page[page] = wk_new_n(b->c, struct wk_dec *, BC_PAGE);
    struct wk_dec **e = &a->page[page][at % BC_PAGE];
    wk_dec_unref(b->c, *e);
    *e = v;
}

struct bc_array *wk_bc_array_copy(struct bc *b, const struct bc_array *a)
{
    struct bc_array *r = wk_bc_array_new(b);
    if (!a || !a->pages)
        return r;
    r->page = wk_new_n(b->c, struct wk_dec **, a->pages);
    r->pages = a->pages;
    for (size_t i = 0; i < a->pages; i++) {
        wk_tick(b->c, 1);
        if (!a->page[i])
            continue;
        r->page[i] = wk_new_n(b->c, struct wk_dec *, BC_PAGE);
        for (size_t k = 0; k < BC_PAGE; k++)
            if (a->page[i][k])
                r->page[i][k] = wk_dec_ref(a->page[i][k]);
        wk_tick(b->c, BC_PAGE / 8);
    }
    return r;
}

void wk_bc_array_unref(struct bc *b, struct bc_array *a)
{
    if (!a || --a->refs)
        return;
    for (size_t i = 0; i < a->pages; i++) {
        if (!a->page[i])
            continue;
        for (size_t k = 0; k < BC_PAGE; k++)
            wk_dec_unref(b->c, a->page[i][k]);
        wk_heap_free(b->c->heap, a->page[i]);
    }
    wk_heap_free(b->c->heap, a->page);
    wk_heap_free(b->c->heap, a);
}

void wk_bc_code_reset(struct bc *b, struct bc_code *code)
{
    for (size_t i = 0; i < code->n; i++) {
        wk_dec_unref(b->c, code->v[i].value);
        wk_heap_free(b->c->heap, code->v[i].text);
    }
    code->n = code->labels = 0;
    code->adr = 0;
}
