/* test_str.c - slices */
#include "base/str.h"

#include <criterion/criterion.h>

Test(str, search_and_cut)
{
    struct wk_str s = WK_STR("hello world"), empty = {NULL, 0};
    cr_assert_eq(wk_str_chr(s, 'o'), 4);
    cr_assert_eq(wk_str_rchr(s, 'o'), 7);
    cr_assert_eq(wk_str_chr(s, 'x'), -1);
    cr_assert_eq(wk_str_chr(empty, 'x'), -1);
    cr_assert_eq(wk_str_find(s, WK_STR("wor")), 6);
    cr_assert_eq(wk_str_find(s, empty), 0);
    cr_assert_eq(wk_str_find(empty, s), -1);
    cr_assert(wk_str_eq(wk_str_from(s, 6), WK_STR("world")));
    cr_assert_eq(wk_str_from(s, 99).n, 0);
    cr_assert_eq(wk_str_from(empty, 99).n, 0);
    cr_assert(wk_str_eq(wk_str_take(s, 5), WK_STR("hello")));
    cr_assert(wk_str_starts(s, WK_STR("hell")) && wk_str_ends(s, WK_STR("ld")));
    cr_assert(wk_str_starts(s, empty) && !wk_str_ends(empty, s));
    cr_assert(wk_str_eq(wk_str_trim(WK_STR(" \t a b \n")), WK_STR("a b")));
    cr_assert_eq(wk_str_trim(WK_STR(" \n")).n, 0);
    cr_assert_lt(wk_str_cmp(WK_STR("ab"), WK_STR("abc")), 0);
    cr_assert_gt(wk_str_cmp(WK_STR("\xff"), WK_STR("a")), 0);
    cr_assert_eq(wk_str_cmp(empty, WK_STR("")), 0);
    cr_assert(wk_str_is_name(WK_STR("_a9")) && !wk_str_is_name(WK_STR("9a")));
    cr_assert(!wk_str_is_name(empty) && !wk_str_is_name(WK_STR("a-b")));
}
