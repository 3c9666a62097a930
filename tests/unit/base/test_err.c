/* test_err.c - error texts equal the C library's */
#define _GNU_SOURCE
#include "base/err.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(err, texts_equal_strerror)
{
#define CHECK(name, number, text)                                                                  \
    if (number < 4000) {                                                                           \
        cr_expect_str_eq(wk_err_text(number), strerror(number), #name);                            \
        cr_expect_str_eq(wk_err_text(-number), strerror(number));                                  \
        cr_expect_str_eq(wk_err_name(-number), #name);                                             \
        cr_expect_str_eq(strerrorname_np(number), #name);                                          \
    }
    WK_ERR_LIST(CHECK)
#undef CHECK
    cr_expect_str_eq(wk_err_text(99999), "Unknown error");
    cr_expect_str_eq(wk_err_name(99999), "E?");
    cr_expect_str_eq(wk_err_text(0), "Success");
}
