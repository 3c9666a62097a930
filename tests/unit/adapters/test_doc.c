/* test_doc.c - JSON documents: what is asked of them, what is none, and bounds */
#include "adapters/docker/doc.h"
#include "base/err.h"

#include <criterion/criterion.h>

static struct wk_mem *mem;
static struct wk_doc d;

static void open_doc(void)
{
    mem = wk_mem_new(SIZE_MAX);
    wk_doc_init(&d, mem);
}

static void close_doc(void)
{
    wk_doc_release(&d);
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(doc, .init = open_doc, .fini = close_doc);

static const struct wk_doc_node *at(const char *key)
{
    return wk_doc_get(&d, wk_doc_root(&d), key);
}

Test(doc, members_and_elements)
{
    cr_assert_eq(
        wk_doc_parse(&d, WK_STR("{\"a\":{\"b\":\"x\\u00e9\",\"n\":-7},\"l\":[1,\"two\",true,null],\"a b\":false}")),
        0);
    cr_expect(wk_str_is(wk_doc_text_at(&d, wk_doc_root(&d), "a", "b"), "x\xc3\xa9"));
    cr_expect_eq(wk_doc_number(&d, wk_doc_get(&d, at("a"), "n"), 0), -7);
    const struct wk_doc_node *n = wk_doc_first(&d, at("l"));
    cr_expect_eq(wk_doc_number(&d, n, 0), 1);
    n = wk_doc_next(&d, n);
    cr_expect(wk_str_is(wk_doc_text(&d, n), "two"));
    n = wk_doc_next(&d, n);
    cr_expect(wk_doc_true(n));
    n = wk_doc_next(&d, n);
    cr_expect_eq(n->type, WK_DOC_NOTHING);
    cr_expect_null(wk_doc_next(&d, n));
    cr_expect(!wk_doc_true(at("a b")));
    cr_expect(wk_str_is(wk_doc_key(&d, wk_doc_first(&d, wk_doc_root(&d))), "a"));
}

Test(doc, of_another_type_is_nothing)
{
    cr_assert_eq(wk_doc_parse(&d, WK_STR("{\"s\":\"x\",\"n\":1.5,\"s\":\"last\"}")), 0);
    cr_expect_eq(wk_doc_number(&d, at("s"), 42), 42);
    cr_expect_eq(wk_doc_number(&d, at("n"), 42), 42);
    cr_expect_eq(wk_doc_text(&d, at("n")).n, 0);
    cr_expect(wk_str_is(wk_doc_text(&d, at("s")), "last"));
    cr_expect_null(wk_doc_get(&d, at("s"), "x"));
    cr_expect_null(at("no"));
    cr_expect_eq(wk_doc_text_at(&d, at("no"), "a", "b").n, 0);
    cr_expect_null(wk_doc_first(&d, NULL));
}

Test(doc, what_is_no_document)
{
    static const char *const bad[] = {"", " ", "{", "[1", "{\"a\":1}}", "1 2", "{\"a\" 1}", "nul", "\"open"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_eq(wk_doc_parse(&d, wk_str_c(bad[i])), -WK_EPROTO, "%s", bad[i]);
        cr_expect_null(wk_doc_root(&d));
    }
    cr_expect_eq(wk_doc_parse(&d, WK_STR("[]")), 0);
    cr_expect_not_null(wk_doc_root(&d));
}

Test(doc, bounds)
{
    char deep[2 * WK_DOC_DEPTH + 8];
    memset(deep, '[', sizeof deep);
    cr_expect_neq(wk_doc_parse(&d, wk_str(deep, sizeof deep)), 0);
    struct wk_buf wide;
    wk_buf_init(&wide, mem, SIZE_MAX / 2);
    wk_buf_put_c(&wide, "[0");
    for (int i = 0; i < WK_DOC_NODES; i++)
        wk_buf_put(&wide, ",0", 2);
    wk_buf_put_c(&wide, "]");
    cr_expect_eq(wk_doc_parse(&d, wk_buf_str(&wide)), -WK_E2BIG);
    wk_buf_release(&wide);
}

Test(doc, without_memory)
{
    for (uint64_t k = 1; k < 40; k++) {
        mem->count = 0;
        mem->fail_at = k;
        int r = wk_doc_parse(&d, WK_STR("{\"a\":[1,2,3],\"b\":\"text \\n more\"}"));
        mem->fail_at = 0;
        cr_expect(r == 0 || r == -WK_ENOMEM, "%d", r);
        wk_doc_release(&d);
    }
}
