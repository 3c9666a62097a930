/* test_arith.c - arithmetic: results and messages are those of bash 5.2 */
#include "shell_bed.h"
#include "interp/start.h"

#include <criterion/criterion.h>

#include <stdio.h>

static void expect(const char *expression, const char *value)
{
    char script[256], want[128];
    snprintf(script, sizeof script, "x=5 y=x; a=(3 4); p $((%s))", expression);
    snprintf(want, sizeof want, "<%s>\n", value);
    const char *got = shell_bed_once(script);
    cr_expect_str_eq(got, want, "%s: wanted %s got %s", expression, want, got);
}

static void expect_error(const char *expression, const char *message)
{
    struct shell_bed b;
    char script[256], want[256];
    shell_bed_open(&b, (size_t)64 << 20);
    snprintf(script, sizeof script, "p $((%s))", expression);
    snprintf(want, sizeof want, "bash: line 1: %s\n", message);
    (void)shell_bed_run(&b, script);
    cr_expect_str_eq(wk_buf_c(&b.err), want, "%s: got %s", expression, wk_buf_c(&b.err));
    cr_expect_eq(b.exit.code, 1);
    shell_bed_close(&b);
}

Test(arith, operators)
{
    static const char *const rows[][2] = {
        {"1+2*3", "7"},
        {"2**3**2", "512"},
        {"-7/2", "-3"},
        {"-7%3", "-1"},
        {"1<<65", "2"},
        {"~0", "-1"},
        {"!0", "1"},
        {"1?2:3", "2"},
        {"x++ + ++x", "12"},
        {"y+1", "6"},
        {"a[1]*2", "8"},
        {"a[0]++", "3"},
        {"x=y=3", "3"},
        {"x*=2", "10"},
        {"0x1f", "31"},
        {"017", "15"},
        {"64#@", "62"},
        {"36#z", "35"},
        {"1,2", "2"},
        {"0&&z++", "0"},
        {"9223372036854775807+1", "-9223372036854775808"},
        {"-9223372036854775807-1", "-9223372036854775808"},
        {"(-9223372036854775807-1)/-1", "-9223372036854775808"},
        {"(-9223372036854775807-1)%-1", "0"},
        {"$x+${a[1]}", "9"},
        {"-$x", "-5"},
        {"${x}0", "50"},
        {"", "0"},
    };
    for (size_t i = 0; i < WK_COUNTOF(rows); i++)
        expect(rows[i][0], rows[i][1]);
}

Test(arith, errors)
{
    expect_error("1/0", "1/0: division by 0 (error token is \"0\")");
    expect_error("5%(1-1)", "5%(1-1): division by 0 (error token is \"(1-1)\")");
    expect_error("08", "08: value too great for base (error token is \"08\")");
    expect_error("1 +", "1 +: syntax error: operand expected (error token is \"+\")");
    expect_error("2**-1", "2**-1: exponent less than 0 (error token is \"1\")");
}

/* bash: x=x; echo $((x)) */
Test(arith, variables_that_name_each_other)
{
    struct shell_bed b;
    shell_bed_open(&b, (size_t)64 << 20);
    (void)shell_bed_run(&b, "x=y; y=x; p $((x))");
    cr_expect(
        wk_str_ends(wk_buf_str(&b.err),
                    WK_STR("expression recursion level exceeded (error token is \"x\")\n")) ||
            wk_str_ends(wk_buf_str(&b.err),
                        WK_STR("expression recursion level exceeded (error token is \"y\")\n")),
        "%s", wk_buf_c(&b.err));
    shell_bed_close(&b);
}

/* A long expression neither overflows the stack nor takes quadratic time. */
Test(arith, long_expressions)
{
    enum { TERMS = 9000 };
    static char script[TERMS * 2 + 64];
    size_t n = (size_t)snprintf(script, sizeof script, "p $((0");
    for (int i = 0; i < TERMS; i++) {
        script[n++] = '+';
        script[n++] = '1';
    }
    snprintf(script + n, sizeof script - n, "))");
    cr_expect_str_eq(shell_bed_once(script), "<9000>\n");
}

static uint64_t loop_allocations;

static void run_loop(struct shell_bed *b)
{
    (void)wk_sh_run_text(b->sh, WK_STR("i=0; while ((i<10)); do ((i++)); done"), NULL);
    uint64_t start = b->mem->count;
    (void)wk_sh_run_text(b->sh, WK_STR("while ((i<20000)); do ((i++)); done"), NULL);
    loop_allocations = b->mem->count - start;
}

Test(arith, a_loop_allocates_nothing)
{
    struct shell_bed b;
    shell_bed_open(&b, (size_t)64 << 20);
    shell_bed_call(&b, run_loop);
    cr_expect_lt(loop_allocations, 64, "%llu", (unsigned long long)loop_allocations);
    shell_bed_close(&b);
}
