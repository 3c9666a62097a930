/* test_glob.c - file-name expansion: results are those of bash 5.2 in C.UTF-8 */
#include "shell_bed.h"
#include "interp/start.h"

#include <criterion/criterion.h>

static struct shell_bed bed;

static void setup(void)
{
    shell_bed_open(&bed, (size_t)64 << 20);
    shell_bed_touch(&bed, "/w", "a.txt");
    shell_bed_touch(&bed, "/w", "b.txt");
    shell_bed_touch(&bed, "/w", "B.c");
    shell_bed_touch(&bed, "/w", ".hid");
    shell_bed_touch(&bed, "/w/d", "x");
    shell_bed_touch(&bed, "/w/d/e", "y");
    shell_bed_touch(&bed, "/w/d", "a b");
}

static void teardown(void)
{
    shell_bed_close(&bed);
}

static void expect(const char *script, const char *want)
{
    const char *got = shell_bed_run(&bed, script);
    cr_expect_str_eq(got, want, "%s: got %s", script, got);
}

Test(glob, patterns, .init = setup, .fini = teardown)
{
    expect("p /w/*.txt", "</w/a.txt></w/b.txt>\n");
    expect("p /w/[aB]*", "</w/B.c></w/a.txt>\n");
    expect("p /w/*/x /w/d/*", "</w/d/x></w/d/a b></w/d/e></w/d/x>\n");
    expect("p /w/.h* /w/*/", "</w/.hid></w/d/>\n");
    expect("p /w/*.nope '/w/*' \"/w/*\"", "</w/*.nope></w/*></w/*>\n");
    expect("x='/w/*.c'; p $x \"$x\"", "</w/B.c></w/*.c>\n");
    expect("p /w//[a]*", "</w//a.txt>\n");
    expect("p /w/\\*.txt", "</w/*.txt>\n");
}

static void with_options(struct shell_bed *b)
{
    b->sh->st->shopts |= WK_SHOPT_BIT(GLOBSTAR) | WK_SHOPT_BIT(NULLGLOB);
    (void)wk_sh_run_text(b->sh, WK_STR("p /w/** /w/**/y; p /w/**/ x*"), NULL);
}

Test(glob, globstar, .init = setup, .fini = teardown)
{
    shell_bed_call(&bed, with_options);
    cr_expect_str_eq(
        wk_buf_c(&bed.out),
        "</w/></w/B.c></w/a.txt></w/b.txt></w/d></w/d/a b></w/d/e></w/d/e/y></w/d/x></w/d/e/y>\n"
        "</w/></w/d/></w/d/e/>\n");
}

Test(glob, ignored_names, .init = setup, .fini = teardown)
{
    expect("GLOBIGNORE='/w/*.txt:/w/[[:upper:]]*'; p /w/*", "</w/.hid></w/d>\n");
}
