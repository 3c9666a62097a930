/* test_json.c - reading JSON texts piece by piece, writing strings */
#include "text/json/json.h"
#include "text/json/json_utf8.h"

#include <criterion/criterion.h>

static struct wk_mem *mem;
static struct wk_buf out;

static void open_mem(void)
{
    mem = wk_mem_new(SIZE_MAX);
    wk_buf_init(&out, mem, SIZE_MAX / 2);
}

static void close_mem(void)
{
    wk_buf_release(&out);
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(json, .init = open_mem, .fini = close_mem);

static void put_token(const struct wk_json *j, enum wk_json_token t)
{
    static const char *const marks[] = {
        [WK_JSON_NULL] = "null",        [WK_JSON_FALSE] = "false",   [WK_JSON_TRUE] = "true",
        [WK_JSON_NUMBER] = "#",         [WK_JSON_NAN] = "nan",       [WK_JSON_INFINITY] = "inf",
        [WK_JSON_STRING] = "'",         [WK_JSON_KEY] = "@",         [WK_JSON_ARRAY] = "[",
        [WK_JSON_OBJECT] = "{",         [WK_JSON_ARRAY_END] = "]",   [WK_JSON_OBJECT_END] = "}"};
    wk_buf_put_c(&out, marks[t]);
    if (t == WK_JSON_NUMBER || t == WK_JSON_STRING || t == WK_JSON_KEY)
        wk_buf_puts(&out, j->text);
    wk_buf_putc(&out, j->depth ? ' ' : ';');
}

/* The tokens of a text that is fed in pieces, and its error. */
static const char *tokens_of(struct wk_str text, unsigned mode, size_t piece, size_t depth)
{
    struct wk_json j;
    char held[64];
    wk_buf_reset(&out);
    wk_json_init(&j, mem, mode, depth);
    for (;;) {
        enum wk_json_token t = wk_json_next(&j);
        if (t == WK_JSON_ERROR)
            wk_json_put_error(&j, &out);
        if (t == WK_JSON_ERROR || t == WK_JSON_END)
            break;
        if (t != WK_JSON_MORE) {
            put_token(&j, t);
            continue;
        }
        size_t n = WK_MIN(WK_MIN(piece, sizeof held), text.n);
        memcpy(held, text.p, n); /* what was fed before is gone */
        text = wk_str_from(text, n);
        if (n)
            wk_json_feed(&j, held, n);
        else
            wk_json_finish(&j);
    }
    wk_json_release(&j);
    return wk_buf_c(&out);
}

static void expect(const char *text, unsigned mode, const char *want)
{
    for (size_t piece = 1; piece <= 64; piece += piece < 8 ? 1 : 28)
        cr_expect_str_eq(tokens_of(wk_str_c(text), mode, piece, 100), want, "%s in pieces of %zu", text, piece);
}

Test(json, values)
{
    expect("", 0, "");
    expect(" \n\t\r ", 0, "");
    expect("null true false 0 \"\"", 0, "null;true;false;#0;';");
    expect("{\"a\":[1,{}],\"b\":\"c\"}[]", 0, "{ @a [ #1 { } ] @b 'c };[ ];");
    expect("1\"a\"[2]3", 0, "#1;'a;[ #2 ];#3;");
    expect("\xef\xbb\xbf[1]", 0, "[ #1 ];");
}

Test(json, numbers_and_words)
{
    expect("-1.5e+3 +2 .5 5. 01 1E9", 0, "#-1.5e+3;#2;#.5;#5.;#01;#1E9;");
    expect("nan NaN -nan Infinity -inf", 0, "nan;nan;nan;inf;inf;");
    expect("tru", 0, "Invalid literal at EOF at line 1, column 3");
    expect("[1.2.3]", 0, "[ Invalid numeric literal at line 1, column 7");
    expect("{'a':1}", 0, "{ Invalid string literal; expected \", but got ' at line 1, column 5");
}

Test(json, strings)
{
    expect("\"a\\n\\u00e9\\ud83d\\ude00\\/\"", 0, "'a\n\xc3\xa9\xf0\x9f\x98\x80/;");
    expect("\"\xe2\x82\xac \xe2\x82 \xff\"", 0, "'\xe2\x82\xac \xef\xbf\xbd \xef\xbf\xbd;");
    expect("\"a\\x\"", 0, "Invalid escape at line 1, column 5");
    expect("\"\\ud800\"", 0, "Invalid \\uXXXX\\uXXXX surrogate pair escape at line 1, column 8");
    expect("\"a\nb\"", 0,
           "Invalid string: control characters from U+0000 through U+001F must be escaped at line 2, column 2");
    expect("\"abc", 0, "Unfinished string at EOF at line 1, column 4");
    expect("\"abc\\", 0, "Unfinished string at EOF at line 1, column 5");
}

Test(json, grammar)
{
    expect("[1 2]", 0, "[ #1 Expected separator between values at line 1, column 5");
    expect("[1,]", 0, "[ #1 Expected another array element at line 1, column 4");
    expect("{\"a\" 1}", 0, "{ @a Expected separator between values at line 1, column 7");
    expect("{1:2}", 0, "{ #1 Object keys must be strings at line 1, column 3");
    expect("{\"a\":}", 0, "{ @a Unmatched '}' at line 1, column 6");
    expect("]", 0, "Unmatched ']' at line 1, column 1");
    expect("1]", 0, "Unmatched ']' at line 1, column 2");
    expect("[1\n", 0, "[ #1 Unfinished JSON term at EOF at line 2, column 0");
}

Test(json, stream_has_words_of_its_own)
{
    expect("{[", WK_JSON_STREAM, "{ Expected string key after '{', not '[' at line 1, column 2");
    expect("{\"a\":}", WK_JSON_STREAM, "{ @a Missing value in key:value pair at line 1, column 6");
    expect("[}", WK_JSON_STREAM, "[ Unmatched '}' in the middle of an array at line 1, column 2");
}

Test(json, sequences)
{
    expect("\x1e[1]\n\x1e\"a\"\x1e" "2\n", WK_JSON_SEQ, "[ #1 ];'a;#2;");
    expect("1\n", WK_JSON_SEQ, "Unfinished abandoned text at EOF at line 2, column 0");
    expect("\x1e[1\x1e" "2\n", WK_JSON_SEQ, "[ Truncated value at line 1, column 4");
    expect("\x1e" "1", WK_JSON_SEQ, "Potentially truncated top-level numeric value at EOF at line 1, column 2");
}

Test(json, depth)
{
    cr_expect_str_eq(tokens_of(wk_str_c("[[[]]]"), 0, 64, 3), "[ [ [ ] ] ];");
    cr_expect_str_eq(tokens_of(wk_str_c("[[{}]]"), 0, 64, 2),
                     "[ [ Exceeds depth limit for parsing at line 1, column 3");
}

Test(json, goes_on_after_an_error)
{
    struct wk_json j;
    wk_json_init(&j, mem, 0, 10);
    wk_json_feed(&j, "[1,,2]\n3 ", 9);
    cr_expect_eq(wk_json_next(&j), WK_JSON_ARRAY);
    cr_expect_eq(wk_json_next(&j), WK_JSON_NUMBER);
    cr_expect_eq(wk_json_next(&j), WK_JSON_ERROR);
    cr_expect_eq(wk_json_next(&j), WK_JSON_ERROR);
    wk_json_reset(&j);
    wk_json_skip(&j, 3);
    cr_expect_eq(wk_json_next(&j), WK_JSON_NUMBER);
    cr_expect_eq(j.line, 0);
    cr_expect_eq(wk_json_column(&j), 5);
    cr_expect_eq(j.depth, 0);
    wk_json_release(&j);
}

Test(json, written_strings)
{
    const char text[] = "a\"\\\b\f\n\r\t\x01\x7f/\xc3\xa9\xf0\x9f\x98\x80";
    wk_json_put_string(&out, wk_str_c(text), false);
    cr_expect_str_eq(wk_buf_c(&out), "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f/\xc3\xa9\xf0\x9f\x98\x80\"");
    wk_buf_reset(&out);
    wk_json_put_string(&out, wk_str_c(text), true);
    cr_expect_str_eq(wk_buf_c(&out),
                     "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f/\\u00e9\\ud83d\\ude00\"");
}

Test(json, mended_bytes)
{
    static const struct {
        const char *text;
        size_t marks, rest;
    } cases[] = {{"\xe2\x82", 1, 0}, {"\xe2\x82" "A", 1, 1}, {"\xc0\x80", 2, 0}, {"\xed\xa0\x80", 1, 0},
                 {"\xf4\x90\x80\x80", 1, 0}, {"\xf5\x80", 2, 0}, {"\xf0\x9f\xe2\x82\xac", 1, 3}};
    for (size_t i = 0; i < WK_COUNTOF(cases); i++) {
        struct wk_str s = wk_str_c(cases[i].text);
        cr_expect(!wk_json_utf8_valid(s));
        cr_expect_eq(wk_json_utf8_mended(s, NULL), cases[i].marks * 3 + cases[i].rest, "%zu", i);
    }
}

/* Every allocation fails in turn: an error, and nothing stays behind. */
Test(json, refused_memory)
{
    for (uint64_t at = 1; at < 20; at++) {
        struct wk_json j;
        mem->count = 0;
        mem->fail_at = at;
        wk_json_init(&j, mem, 0, 100);
        const char text[] = "[[{\"a\\n\":\"b\\u0041\"}],[12";
        wk_json_feed(&j, text, sizeof text - 1);
        enum wk_json_token t;
        while ((t = wk_json_next(&j)) != WK_JSON_MORE && t != WK_JSON_ERROR) {
        }
        if (t == WK_JSON_ERROR)
            cr_expect(j.failed);
        wk_json_release(&j);
        mem->fail_at = 0;
    }
}
