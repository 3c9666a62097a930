/* test_expand.c - word expansion: results are those of bash 5.2 */
#include "interp/expand.h"
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

Test(expand, splitting)
{
    static const struct row rows[] = {
        {"x=' a  b '; p $x \"$x\" c$x''d", "<a><b>< a  b ><c><a><b><d>\n"},
        {"IFS=:; x=a::b:; p $x; x=:a; p $x; x=a:; p $x\"c\"", "<a><><b>\n<><a>\n<a><c>\n"},
        {"IFS=' :'; x=' a : b::c '; p $x", "<a><b><><c>\n"},
        {"IFS=; x='a b'; p $x", "<a b>\n"},
        {"x=; p $x \"$x\" $x''", "<><>\n"},
        {"IFS=\xc3\xa9; x=a\xc3\xa9"
         "b; p $x",
         "<a><b>\n"},
    };
    CHECK(rows);
}

Test(expand, lists)
{
    static const struct row rows[] = {
        {"a=('x y' z ''); p \"${a[@]}\"; p \"${a[*]}\"; p ${a[@]}; p \"-${a[@]}-\"",
         "<x y><z><>\n<x y z >\n<x><y><z>\n<-x y><z><->\n"},
        {"a=(); p \"${a[@]}\"; p \"x${a[@]}\"; p \"${a[@]:-d e}\" ${a[@]:-d e}",
         "\n<x>\n<d e><d><e>\n"},
        {"a=(abc def); p \"${a[@]#?}\" \"${a[@]/[be]/-}\" \"${a[@]^}\" \"${a[@]:1}\"",
         "<bc><ef><a-c><d-f><Abc><Def><def>\n"},
        {"a=(p q); IFS=-; p \"${a[*]}\" ${a[*]}; x=${a[*]}; p \"$x\"", "<p-q><p><q>\n<p-q>\n"},
    };
    CHECK(rows);
}

Test(expand, operators)
{
    static const struct row rows[] = {
        {"x=foo.tar.gz; p ${x%.*} ${x%%.*} ${x#*.} ${x##*.}", "<foo.tar><foo><tar.gz><gz>\n"},
        {"x=aXbXc; p ${x/X/[&]} ${x//X/\\&} \"${x//X/\"&\"}\" ${x/#a/1} ${x/%c/2}",
         "<a[X]bXc><a&b&c><a&b&c><1XbXc><aXbX2>\n"},
        {"x=h\xc3\xa9llo; p ${#x} ${x:1:1} ${x: -2} ${x^^} ${x:1:-1}",
         "<5><\xc3\xa9><lo><H\xc3\x89LLO><\xc3\xa9ll>\n"},
        {"p ${u:-a b} \"${u:-a b}\" ${u:+y} \"${u:+y}\" ${u:=v}$u", "<a><b><a b><><vv>\n"},
        {"y=x; x=val; p ${!y} ${!x*}", "<val><x>\n"},
        {"x=\"it's\"; p \"${x@Q}\" \"${x@U}\" ${#x}", "<'it'\\''s'><IT'S><4>\n"},
        {"x='a*b'; p ${x#a\\*} ${x#\"a*\"} \"${x/\"*\"/-}\"", "<b><b><a-b>\n"},
    };
    CHECK(rows);
}

Test(expand, braces_and_tilde)
{
    static const struct row rows[] = {
        {"p {1..3} {c..a} {01..3} x{a,b{1,2}}y {a} '{a,b}'",
         "<1><2><3><c><b><a><01><02><03><xay><xb1y><xb2y><{a}><{a,b}>\n"},
        {"HOME=/h; p ~ ~/x a~ '~'; x=~:~/b; p $x", "</h></h/x><a~><~>\n</h:/h/b>\n"},
    };
    CHECK(rows);
}

/* Too much is a limit, not a crash, and the session goes on. */
Test(expand, limits)
{
    struct shell_bed b;
    shell_bed_open(&b, (size_t)64 << 20);
    b.k.limits.expansion = 1 << 20;
    (void)shell_bed_run(&b, "p {1..999999999}");
    cr_expect(wk_str_find(wk_buf_str(&b.err), WK_STR("limit reached")) >= 0, "%s",
              wk_buf_c(&b.err));
    shell_bed_close(&b);
    cr_expect_str_eq(shell_bed_once("p ok"), "<ok>\n");
}

static size_t split(const char *ifs, const char *text, struct wk_str *out, size_t max)
{
    struct wk_ifs f = {.text = wk_str_c(ifs)};
    static char copy[64];
    for (const char *p = ifs; *p; p++)
        f.kind[(unsigned char)*p] = *p == ' ' || *p == '\t' ? 1 : 2;
    strcpy(copy, text);
    return wk_split_read(&f, copy, strlen(copy), out, max, NULL);
}

Test(expand, split_as_read_does)
{
    struct wk_str v[4];
    cr_assert_eq(split(" ", "  a b  c d ", v, 3), 3);
    cr_expect(wk_str_is(v[2], "c d"));
    cr_assert_eq(split(":", "x:y:", v, 2), 2);
    cr_expect(wk_str_is(v[1], "y"));
    cr_assert_eq(split(":", "x:y::", v, 2), 2);
    cr_expect(wk_str_is(v[1], "y::"));
    cr_assert_eq(split(" :", " 1 : 2 3:4 ", v, 3), 3);
    cr_expect(wk_str_is(v[2], "3:4"));
}
