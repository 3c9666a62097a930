/* test_mem.c - accounts: limits, exact return to zero, faults, credits of other threads */
#include "base/mem.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

Test(mem, everything_is_charged_and_given_back)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    void *a = wk_alloc(m, 100), *b = wk_zalloc(m, 0), *c = wk_calloc(m, 10, 10);
    cr_assert(a && b && c);
    cr_assert_geq(m->used, 200);
    a = wk_realloc(m, a, 5000);
    cr_assert_geq(m->used, 5100);
    a = wk_realloc(m, a, 10);
    char *s = wk_strndup(m, "abc", 2);
    cr_assert_str_eq(s, "ab");
    wk_free(m, a);
    wk_free(m, b);
    wk_free(m, c);
    wk_free(m, s);
    wk_free(m, NULL);
    cr_assert_eq(m->used, 0);
    cr_assert_geq(m->peak, 5100);
    wk_mem_unref(m);
}

Test(mem, the_limit_refuses_and_can_be_used_again)
{
    struct wk_mem *m = wk_mem_new(10000);
    void *a = wk_alloc(m, 6000);
    cr_assert(a);
    cr_assert_null(wk_alloc(m, 6000));
    cr_assert(m->breached);
    cr_assert_null(wk_realloc(m, a, 20000));
    cr_assert_null(wk_alloc(m, SIZE_MAX));
    m->reserve = 4096;
    m->in_reserve = true;
    void *b = wk_alloc(m, 6000);
    cr_assert(b);
    m->in_reserve = false;
    cr_assert_null(wk_alloc(m, 1));
    wk_free(m, b);
    wk_free(m, a);
    cr_assert_eq(m->used, 0);
    a = wk_alloc(m, 9000);
    cr_assert(a);
    wk_free(m, a);
    wk_mem_unref(m);
}

Test(mem, products_do_not_overflow)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    cr_assert_null(wk_calloc(m, SIZE_MAX / 2, 3));
    size_t cap = 0;
    int *v = NULL;
    cr_assert_not(wk_vec_grow(m, &v, &cap, SIZE_MAX / 2, sizeof *v));
    cr_assert_not(wk_vec_grow(m, &v, &cap, SIZE_MAX, sizeof *v));
    cr_assert_eq(cap, 0);
    cr_assert(wk_vec_grow(m, &v, &cap, 3, sizeof *v));
    cr_assert_geq(cap, 3);
    wk_free(m, v);
    cr_assert_eq(m->used, 0);
    wk_mem_unref(m);
}

Test(mem, faults_hit_the_allocation_that_was_named)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    m->fail_at = 2;
    void *a = wk_alloc(m, 1), *b = wk_alloc(m, 1), *c = wk_alloc(m, 1);
    cr_assert(a && !b && c);
    m->fail_at = 4;
    m->fail_forever = true;
    cr_assert_null(wk_alloc(m, 1));
    cr_assert_null(wk_realloc(m, a, 100));
    wk_free(m, a);
    wk_free(m, c);
    cr_assert_eq(m->used, 0);
    wk_mem_unref(m);
}

static void *free_elsewhere(void *ctx)
{
    void **pair = ctx;
    wk_free_shared(pair[0], pair[1]);
    return NULL;
}

Test(mem, another_thread_credits_what_it_frees)
{
    struct wk_mem *m = wk_mem_new(10000);
    void *pair[2] = {wk_mem_ref(m), wk_alloc(m, 8000)};
    pthread_t t;
    cr_assert_eq(pthread_create(&t, NULL, free_elsewhere, pair), 0);
    pthread_join(t, NULL);
    void *p = wk_alloc(m, 8000); /* the credit is folded in when room gets tight */
    cr_assert(p);
    wk_free(m, p);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
    wk_mem_unref(m);
}

Test(mem, plain_charges)
{
    struct wk_mem *m = wk_mem_new(1000);
    cr_assert(wk_mem_charge(m, 1000));
    cr_assert_not(wk_mem_charge(m, 1));
    wk_mem_credit(m, 500);
    wk_mem_credit_shared(m, 500);
    cr_assert(wk_mem_charge(m, 1000));
    wk_mem_credit(m, 1000);
    cr_assert_eq(wk_mem_used(m), 0);
    wk_mem_unref(m);
}
