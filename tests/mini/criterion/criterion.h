/* criterion.h - the part of Criterion's interface that our tests use, in one process
 *
 * Criterion runs each test in a child whose memory it lays out itself, which the thread sanitizer does
 * not bear. The tsan preset compiles the same tests against this header instead: tests run one after
 * the other, and the first failed assertion ends the program.
 */
#ifndef WK_TESTS_MINI_CRITERION_H
#define WK_TESTS_MINI_CRITERION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mini_test {
    const char *suite, *name;
    void (*run)(void);
    void (*init)(void);
    void (*fini)(void);
    int signal, exit_code, disabled;
    double timeout;
    const char *description;
    struct mini_test *next;
};

struct mini_suite {
    const char *suite;
    struct mini_test of_all; /* init and fini of every test */
    struct mini_suite *next;
};

/* Weak, so that a helper file may include this as well: one list and one main for the program. */
__attribute__((weak)) struct mini_test *mini_tests;
__attribute__((weak)) struct mini_test **mini_last = &mini_tests;
__attribute__((weak)) struct mini_suite *mini_suites;

#define Test(Suite, Name, ...)                                                            \
    static void Suite##_##Name##_run(void);                                               \
    static struct mini_test Suite##_##Name##_test;                                        \
    __attribute__((constructor)) static void Suite##_##Name##_add(void)                   \
    {                                                                                     \
        Suite##_##Name##_test = (struct mini_test){.suite = #Suite, __VA_ARGS__};         \
        Suite##_##Name##_test.name = #Name;                                               \
        Suite##_##Name##_test.run = Suite##_##Name##_run;                                 \
        *mini_last = &Suite##_##Name##_test;                                              \
        mini_last = &Suite##_##Name##_test.next;                                          \
    }                                                                                     \
    static void Suite##_##Name##_run(void)

#define TestSuite(Suite, ...)                                                             \
    static struct mini_suite Suite##_suite;                                               \
    __attribute__((constructor)) static void Suite##_add(void)                            \
    {                                                                                     \
        Suite##_suite = (struct mini_suite){#Suite, {.suite = #Suite, __VA_ARGS__}, mini_suites}; \
        mini_suites = &Suite##_suite;                                                     \
    }                                                                                     \
    struct mini_suite

static inline void mini_check(int ok, const char *file, int line, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
    exit(1);
}

static inline int mini_ignore(const char *format, ...)
{
    return format != NULL;
}

#define MINI_FIRST(...) MINI_FIRST_(__VA_ARGS__, 0)
#define MINI_FIRST_(first, ...) (first)
#define MINI(cond) mini_check(!!(cond), __FILE__, __LINE__, #cond)

/* The message is not printed; what it names counts as used. */
#define MINI_USED(...) ((void)sizeof((__VA_ARGS__, 0)))

#define cr_assert(...) \
    (mini_check(!!MINI_FIRST(__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__), MINI_USED(__VA_ARGS__))
#define cr_assert_not(...) mini_check(!MINI_FIRST(__VA_ARGS__), __FILE__, __LINE__, "not " #__VA_ARGS__)
#define cr_assert_null(...) cr_assert_not(__VA_ARGS__)
#define cr_assert_not_null(...) cr_assert(__VA_ARGS__)
#define cr_assert_eq(a, b, ...) MINI((a) == (b))
#define cr_assert_neq(a, b, ...) MINI((a) != (b))
#define cr_assert_lt(a, b, ...) MINI((a) < (b))
#define cr_assert_leq(a, b, ...) MINI((a) <= (b))
#define cr_assert_gt(a, b, ...) MINI((a) > (b))
#define cr_assert_geq(a, b, ...) MINI((a) >= (b))
#define cr_assert_str_eq(a, b, ...) MINI(strcmp((a), (b)) == 0)
#define cr_assert_str_neq(a, b, ...) MINI(strcmp((a), (b)) != 0)
#define cr_assert_arr_eq(a, b, n, ...) MINI(memcmp((a), (b), (n)) == 0)
#define cr_assert_float_eq(a, b, e, ...) MINI((a) - (b) <= (e) && (b) - (a) <= (e))
#define cr_assert_fail(...) MINI(0)
#define cr_fail(...) MINI(0)
#define cr_expect cr_assert
#define cr_expect_not cr_assert_not
#define cr_expect_null cr_assert_null
#define cr_expect_not_null cr_assert_not_null
#define cr_expect_eq cr_assert_eq
#define cr_expect_neq cr_assert_neq
#define cr_expect_lt cr_assert_lt
#define cr_expect_leq cr_assert_leq
#define cr_expect_gt cr_assert_gt
#define cr_expect_geq cr_assert_geq
#define cr_expect_str_eq cr_assert_str_eq
#define cr_expect_str_neq cr_assert_str_neq
#define cr_expect_arr_eq cr_assert_arr_eq
#define cr_expect_fail cr_assert_fail
#define cr_skip_test(...) return
#define cr_skip(...) return
#define cr_log_info(...) ((void)mini_ignore(__VA_ARGS__))
#define cr_log_warn(...) ((void)mini_ignore(__VA_ARGS__))
#define cr_log_error(...) ((void)mini_ignore(__VA_ARGS__))

__attribute__((weak)) int main(int argc, char **argv)
{
    /* A word that is no option: the name of the only test to run. */
    const char *only = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;
    size_t count = 0;
    for (struct mini_test *t = mini_tests; t; t = t->next) {
        if (only && strcmp(only, t->name) != 0)
            continue;
        if (t->signal || t->exit_code || t->disabled)
            continue; /* these need a process of their own */
        struct mini_suite *s = mini_suites;
        while (s && strcmp(s->suite, t->suite) != 0)
            s = s->next;
        if (s && s->of_all.disabled)
            continue;
        void (*init)(void) = t->init ? t->init : s ? s->of_all.init : NULL;
        void (*fini)(void) = t->fini ? t->fini : s ? s->of_all.fini : NULL;
        if (init)
            init();
        t->run();
        if (fini)
            fini();
        count++;
    }
    printf("%zu tests passed\n", count);
    return 0;
}

#endif
