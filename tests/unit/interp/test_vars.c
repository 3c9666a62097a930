/* test_vars.c - variables, attributes, arrays, namerefs, scopes: results are those of bash 5.2 */
#include "shell_bed.h"

#include <criterion/criterion.h>

struct row {
    const char *script, *out;
};

static void check(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *out = shell_bed_once(rows[i].script);
        cr_expect_str_eq(out, rows[i].out, "%s\n  wanted %s  got    %s", rows[i].script,
                         rows[i].out, out);
    }
}
#define CHECK(rows) check(rows, WK_COUNTOF(rows))

Test(vars, arrays)
{
    static const struct row rows[] = {
        {"a=(x y z); p \"${a[@]}\" ${#a[@]} ${!a[@]} ${a[-1]}", "<x><y><z><3><0><1><2><z>\n"},
        {"a[5]=1; a[999999999]=2; a[3]=x; p ${!a[@]}; a[-1]=z; a+=(t); p ${!a[@]} ${a[@]}",
         "<3><5><999999999>\n<3><5><999999999><1000000000><x><1><z><t>\n"},
        {"x=5; x[2]=6; p \"${x[@]}\" ${x}; x=7; p ${x[@]}", "<5><6><5>\n<7><6>\n"},
        {"a=([3]=c b [1]=a); p ${!a[@]} ${a[@]}", "<1><3><4><a><c><b>\n"},
        {"a=(1 2); a+=(3); a[0]+=x; p ${a[@]}", "<1x><2><3>\n"},
    };
    CHECK(rows);
}

Test(vars, scopes)
{
    static const struct row rows[] = {
        {"x=1; f() { x=2; p $x; }; x=3 f; p $x", "<2>\n<1>\n"},
        {"x=1; (x=2; p $x); p $x", "<2>\n<1>\n"},
        {"x=1; y=$(x=2; p $x); p $x \"$y\"", "<1><<2>>\n"},
        {"a=(1 2); (a[0]=z; p ${a[@]}); p ${a[@]}", "<z><2>\n<1><2>\n"},
    };
    CHECK(rows);
}

/* Temporary assignments and subshells, with the limit coming at every possible allocation: nothing
 * is lost and nothing leaks. */
Test(vars, every_refusal_of_memory_is_survived)
{
    static const char script[] =
        "f() { x=b; a+=(q); (y=$x; a[1]=w); }; x=1 f; m=${a[@]/q/r}; s=${x^^}";
    struct shell_bed b;
    shell_bed_open(&b, (size_t)64 << 20);
    uint64_t start = b.mem->count;
    (void)shell_bed_run(&b, script);
    uint64_t allocations = b.mem->count - start;
    shell_bed_close(&b);
    for (uint64_t i = 1; i <= allocations + 1; i++) {
        shell_bed_open(&b, (size_t)64 << 20);
        b.mem->fail_at = b.mem->count + i;
        (void)shell_bed_run(&b, script);
        b.mem->fail_at = 0;
        shell_bed_close(&b);
    }
}

static void use_interface(struct shell_bed *b)
{
    struct wk_shell *sh = b->sh;
    uint32_t x = wk_names_intern(sh->names, WK_STR("x"));
    char scratch[24];
    struct wk_str s;
    bool set;
    cr_assert_eq(wk_var_set_int(sh, x, -42), 0);
    cr_assert(wk_var_get(sh, x, scratch, &s) && wk_str_is(s, "-42"));
    cr_assert_eq(wk_var_append(sh, x, WK_STR("7")), 0);
    cr_assert(wk_var_get(sh, x, scratch, &s) && wk_str_is(s, "-427"));
    cr_assert_eq(wk_var_attributes(sh, x, WK_VAR_INTEGER | WK_VAR_EXPORT, 0), 0);
    cr_assert_eq(wk_var_set(sh, x, WK_STR("2*3")), 0);
    cr_assert(wk_var_get(sh, x, scratch, &s) && wk_str_is(s, "6"));
    struct wk_env *env = wk_vars_env(sh);
    cr_assert_str_eq(wk_env_get(env, "x"), "6");
    wk_env_unref(env);
    cr_assert_eq(wk_var_set_named(sh, "read", WK_STR("a[1+1]"), WK_STR("two")), 0);
    uint32_t a = wk_names_intern(sh->names, WK_STR("a"));
    cr_assert_eq(wk_var_elem_get(sh, a, -1, scratch, &s, &set), 0);
    cr_assert(set && wk_str_is(s, "two"));
    cr_assert_eq(wk_var_max_index(sh, a), 2);
    cr_assert_eq(wk_var_set_named(sh, "read", WK_STR("1x"), WK_STR("")), -WK_EPERM);
    uint32_t mark = wk_vars_mark(sh);
    cr_assert_eq(wk_var_push_local(sh, x, 1, false, false), 0);
    cr_assert_eq(wk_var_set(sh, x, WK_STR("local")), 0);
    wk_vars_pop(sh, mark);
    cr_assert(wk_var_get(sh, x, scratch, &s) && wk_str_is(s, "6"));
    cr_assert_eq(wk_var_attributes(sh, x, WK_VAR_READONLY, 0), 0);
    cr_assert_eq(wk_var_set(sh, x, WK_STR("no")), -WK_EPERM);
    cr_assert_eq(wk_var_unset(sh, x), -WK_EPERM);
    struct wk_buf out;
    wk_buf_init(&out, sh->mem, SIZE_MAX / 2);
    cr_assert_eq(wk_var_print_declare(sh, x, &out), 0);
    cr_assert_str_eq(wk_buf_c(&out), "declare -irx x=\"6\"");
    wk_buf_release(&out);
}

Test(vars, interface)
{
    struct shell_bed b;
    shell_bed_open(&b, (size_t)64 << 20);
    shell_bed_call(&b, use_interface);
    cr_assert(b.started);
    shell_bed_close(&b);
}

/* bash 5.2: RANDOM=42; echo $RANDOM $RANDOM $RANDOM $RANDOM */
Test(vars, random_is_bash_s)
{
    cr_expect_str_eq(shell_bed_once("RANDOM=42; p $RANDOM $RANDOM $RANDOM $RANDOM"),
                     "<17772><26794><1435><24388>\n");
    cr_expect_str_eq(shell_bed_once("BASH_COMPAT=4.2; RANDOM=1; p $RANDOM $RANDOM"),
                     "<16807><15089>\n");
}
