/* test_state.c - forking of shell state: pages, arrays, saved variables */
#include "interp/state.h"
#include "interp/vars_array.h"
#include "shell_bed.h"

#include <criterion/criterion.h>

#include <stdio.h>

static struct wk_var *slot(struct wk_state *s, struct wk_mem *m, uint32_t name)
{
    struct wk_var_page *p = wk_state_own_page(s, m, name / WK_PAGE_SLOTS);
    cr_assert(p);
    return &p->slots[name % WK_PAGE_SLOTS];
}

static void set(struct wk_state *s, struct wk_mem *m, uint32_t name, const char *text)
{
    struct wk_var *v = slot(s, m, name);
    struct wk_val *val = wk_val_store(m, v->text, wk_str_c(text));
    cr_assert(val);
    v->text = val;
    v->flags = WK_VAR_SET | WK_VAR_TEXT;
}

static const char *get(const struct wk_state *s, uint32_t name)
{
    return s->pages[name / WK_PAGE_SLOTS]->slots[name % WK_PAGE_SLOTS].text->p;
}

Test(state, a_child_writes_for_itself)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_state a = {0}, b;
    for (uint32_t i = 0; i < 512; i++) {
        char text[16];
        snprintf(text, sizeof text, "v%u", i);
        set(&a, m, i, text);
    }
    cr_assert_eq(wk_state_fork(&b, &a, m), 0);
    set(&b, m, 3, "child");
    set(&a, m, 200, "parent");
    cr_assert_str_eq(get(&a, 3), "v3");
    cr_assert_str_eq(get(&b, 3), "child");
    cr_assert_str_eq(get(&a, 200), "parent");
    cr_assert_str_eq(get(&b, 200), "v200");
    cr_assert_eq(a.pages[7], b.pages[7]);
    wk_state_release(&b, m);
    cr_assert_str_eq(get(&a, 3), "v3");
    wk_state_release(&a, m);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}

Test(state, arrays_are_copied_when_changed)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_array *a = wk_array_new(m), *b = wk_array_ref(a);
    for (int i = 0; i < 10; i++)
        cr_assert(wk_array_set(m, a, i * 3, WK_STR("x")));
    cr_assert(wk_array_own(m, &b));
    cr_assert_neq(a, b);
    wk_array_delete(m, b, 27);
    cr_assert_eq(wk_array_max(a), 27);
    cr_assert_eq(wk_array_max(b), 24);
    wk_array_unref(m, a);
    wk_array_unref(m, b);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}

/* A sparse array against a plain list of what was set. */
Test(state, sparse_arrays_keep_order)
{
    enum { N = 3000 };
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_array *a = wk_array_new(m);
    static unsigned char there[1 << 16];
    uint32_t x = 12345;
    size_t count = 0;
    for (int i = 0; i < N * 2; i++) {
        x = x * 1664525u + 1013904223u;
        uint32_t index = x >> 16;
        if (i % 3 == 2) {
            count -= there[index];
            there[index] = 0;
            wk_array_delete(m, a, (int64_t)index << 20);
        } else {
            count += !there[index];
            there[index] = 1;
            cr_assert(wk_array_set(m, a, (int64_t)index << 20, WK_STR("v")));
        }
        cr_assert_eq(wk_array_count(a), count);
    }
    int64_t at = -1, index;
    struct wk_elem_value *e;
    for (uint32_t i = 0; i < 1 << 16; i++) {
        if (!there[i])
            continue;
        cr_assert(wk_array_next(a, at + 1, &index, &e));
        cr_assert_eq(index, (int64_t)i << 20);
        at = index;
    }
    cr_assert_not(wk_array_next(a, at + 1, &index, &e));
    cr_assert_eq(wk_array_max(a), at);
    wk_array_unref(m, a);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}

/* bash 5.2: declare -A m; for i in {1..9}; do m[k$i]=; done; echo "${!m[@]}" */
Test(state, associative_order_is_bash_s)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_assoc *a = wk_assoc_new(m, WK_ASSOC_BUCKETS);
    char all[256] = "", key[16];
    for (int i = 1; i <= 9; i++) {
        int n = snprintf(key, sizeof key, "k%d", i);
        cr_assert(wk_assoc_set(m, a, wk_str(key, (size_t)n), WK_STR("")));
    }
    cr_assert_eq(wk_assoc_order(m, a), 0);
    for (size_t i = 0; i < wk_assoc_count(a); i++) {
        struct wk_str k;
        (void)wk_assoc_nth(a, i, &k);
        strncat(all, k.p, k.n);
        strcat(all, " ");
    }
    cr_assert_str_eq(all, "k8 k9 k4 k5 k6 k7 k1 k2 k3 ");
    wk_assoc_delete(m, a, WK_STR("k8"));
    cr_assert_eq(wk_assoc_count(a), 8);
    cr_assert_null(wk_assoc_at(a, WK_STR("k8")));
    wk_assoc_unref(m, a);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}

Test(state, going_back_needs_no_memory)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_state a = {0}, b;
    set(&a, m, 1, "outer");
    struct wk_var *v = slot(&a, m, 1);
    cr_assert_eq(wk_state_save(&a, m, 1, 1, v), 0);
    set(&a, m, 1, "inner");
    cr_assert_eq(wk_state_fork(&b, &a, m), 0);
    cr_assert_eq(b.saved_n, 1);
    /* The child saves more; the parent's entries stay as they are. */
    cr_assert_eq(wk_state_save(&b, m, 1, 2, slot(&b, m, 1)), 0);
    cr_assert_eq(a.saved_n, 1);
    cr_assert_eq(b.saved_n, 2);
    cr_assert_str_eq(a.saved->v[0].var.text->p, "outer");
    wk_state_release(&b, m);
    wk_state_release(&a, m);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}
