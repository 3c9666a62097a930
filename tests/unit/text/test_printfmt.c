/* test_printfmt.c - printf, escapes, quoting */
#include "text/printfmt/printfmt.h"

#include "base/err.h"

#include <criterion/criterion.h>

static struct wk_mem *mem;
static struct wk_buf out, said;

static void open_mem(void)
{
    mem = wk_mem_new(SIZE_MAX);
    wk_buf_init(&out, mem, 100000);
    wk_buf_init(&said, mem, 100000);
}

static void close_mem(void)
{
    wk_buf_release(&out);
    wk_buf_release(&said);
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(printfmt, .init = open_mem, .fini = close_mem);

static void note(void *ctx, const char *text)
{
    (void)ctx;
    wk_buf_put_c(&said, text);
    wk_buf_putc(&said, ';');
}

static bool put_time(void *ctx, struct wk_buf *b, struct wk_str fmt, int64_t secs)
{
    (void)ctx;
    return wk_buf_fmt(b, "<%.*s %lld>", (int)fmt.n, fmt.p, (long long)secs);
}

static int set_count(void *ctx, struct wk_str name, int64_t count)
{
    (void)ctx;
    wk_buf_fmt(&said, "%.*s=%lld;", (int)name.n, name.p, (long long)count);
    return 0;
}

Test(printfmt, whole_formats)
{
    static const struct {
        const char *format, *args[4], *want, *messages;
        int status;
    } rows[] = {
        {"%s-%s\n", {"a", "b", "c"}, "a-b\nc-\n", "", 0},
        {"x", {"a", "b"}, "x", "", 0},
        {"%d %i|", {"12", "0x1f", "010"}, "12 31|8 0|", "", 0},
        {"%d", {"3x"}, "3", "3x: invalid number;", 1},
        {"%d", {"08"}, "0", "08: invalid octal number;", 1},
        {"%d", {""}, "0", "", 0},
        {"%d", {" "}, "0", " : invalid number;", 1},
        {"%d", {"99999999999999999999"}, "9223372036854775807",
         "warning: 99999999999999999999: Numerical result out of range;", 0},
        {"%u %x", {"-1", "-1"}, "18446744073709551615 ffffffffffffffff", "", 0},
        {"%d %d", {"'A", "\"\xc3\xa9"}, "65 233", "", 0},
        {"%5.3d|%-5d|%05d|%+d|% d|%#x|%#o", {"7"}, "  007|0    |00000|+0| 0|0|0", "", 0},
        {"%.3s|%5s|%-5s|", {"abcdef", "\xc3\xa9", "x"}, "abc|   \xc3\xa9|x    |", "", 0},
        {"%*d|%-*d|", {"5", "3", "4", "2"}, "    3|2   |", "", 0},
        {"%.2f %g", {"3.14159", "0x1p3"}, "3.14 8", "", 0},
        {"%b%s", {"a\\tb\\c", "never"}, "a\tb", "", 0},
        {"%b", {"\\0101\\101\\x41\\u00e9\\\""}, "AAA\xc3\xa9\\\"", "", 0},
        {"\\101\\x41\\q\\\"\\c", {NULL}, "AA\\q\"\\c", "", 0},
        {"\\x", {NULL}, "\\x", "missing hex digit for \\x;", 0},
        {"%q %Q", {"a b", "it's"}, "a\\ b it\\'s", "", 0},
        {"%q", {"a\nb"}, "$'a\\nb'", "", 0},
        {"%(%Y)T %()T", {"5"}, "<%Y 5> < -1>", "", 0},
        {"%(a(b)c)T", {"5"}, "<a(b)c 5>", "", 0},
        {"abc%n", {"v"}, "abc", "v=3;", 0},
        {"a%z", {"1"}, "a", "`%z': missing format character;", 1},
        {"a%y", {"1"}, "a", "`y': invalid format character;", 1},
        {"%", {NULL}, "", "`%': missing format character;", 1},
        {"100%%", {NULL}, "100%", "", 0},
    };
    for (size_t i = 0; i < WK_COUNTOF(rows); i++) {
        struct wk_str args[4];
        size_t n = 0;
        while (n < 4 && rows[i].args[n])
            args[n] = wk_str_c(rows[i].args[n]), n++;
        struct wk_printf p = {
            .out = &out, .warn = note, .put_time = put_time, .set_count = set_count};
        wk_buf_reset(&out);
        wk_buf_reset(&said);
        int status = wk_printf_run(&p, wk_str_c(rows[i].format), args, n);
        cr_expect_eq(status, rows[i].status, "%s", rows[i].format);
        cr_expect_str_eq(wk_buf_c(&out), rows[i].want, "%s: %s", rows[i].format, wk_buf_c(&out));
        cr_expect_str_eq(wk_buf_c(&said), rows[i].messages, "%s: %s", rows[i].format,
                         wk_buf_c(&said));
    }
}

Test(printfmt, output_is_bounded)
{
    struct wk_printf p = {.out = &out};
    struct wk_str one = WK_STR("1");
    cr_assert_eq(wk_printf_run(&p, WK_STR("%0999999999d"), &one, 1), -WK_ENOMEM);
    wk_buf_reset(&out);
    cr_assert_eq(wk_printf_run(&p, WK_STR("%099999999999d"), &one, 1), 0);
    cr_assert_eq(out.n, 0);
}

static int drain(void *ctx, struct wk_buf *b)
{
    *(size_t *)ctx += b->n;
    wk_buf_reset(b);
    return 0;
}

Test(printfmt, flushes_as_it_goes)
{
    size_t total = 0;
    struct wk_str args[2000];
    for (size_t i = 0; i < 2000; i++)
        args[i] = WK_STR("abc");
    struct wk_printf p = {.out = &out, .flush = drain, .ctx = &total};
    cr_assert_eq(wk_printf_run(&p, WK_STR("%50s"), args, 2000), 0);
    cr_assert_eq(total, 100000);
    cr_assert_lt(out.cap, 40000);
}

Test(printfmt, escapes)
{
    bool stop = false;
    wk_unescape(&out, WK_STR("\\x41\\cA\\c?\\'\\u20ac\\400never"), WK_ESCAPE_ANSI, &stop);
    cr_expect_str_eq(wk_buf_c(&out), "A\001\177'\xe2\x82\xac");
    cr_expect(stop);
    wk_buf_reset(&out);
    stop = false;
    wk_unescape(&out, WK_STR("\\0101\\101\\n\\\"\\"), WK_ESCAPE_ECHO, &stop);
    cr_expect_str_eq(wk_buf_c(&out), "A\\101\n\\\"\\");
    cr_expect_not(stop);
}

Test(printfmt, quoting)
{
    static const struct {
        enum wk_quote_style how;
        const char *s, *want;
    } rows[] = {
        {WK_QUOTE_BACKSLASH, "", "''"},
        {WK_QUOTE_BACKSLASH, "~a:~#,", "\\~a:\\~#\\,"},
        {WK_QUOTE_SINGLE, "it's", "'it'\\''s'"},
        {WK_QUOTE_SINGLE, "'", "\\'"},
        {WK_QUOTE_SINGLE, "\xff", "$'\\377'"},
        {WK_QUOTE_AS_NEEDED, "a=b", "a=b"},
        {WK_QUOTE_AS_NEEDED, "a b", "'a b'"},
        {WK_QUOTE_AS_NEEDED, "a\nb", "$'a\\nb'"},
        {WK_QUOTE_TRACE, "a\nb", "'a\nb'"},
        {WK_QUOTE_DOUBLE, "a\"$`\\", "\"a\\\"\\$\\`\\\\\""},
        {WK_QUOTE_ANSI, "\xc3\xa9\x1b", "$'\xc3\xa9\\E'"},
    };
    for (size_t i = 0; i < WK_COUNTOF(rows); i++) {
        wk_buf_reset(&out);
        wk_quote_text(&out, wk_str_c(rows[i].s), rows[i].how);
        cr_expect_str_eq(wk_buf_c(&out), rows[i].want, "%s", wk_buf_c(&out));
    }
}
