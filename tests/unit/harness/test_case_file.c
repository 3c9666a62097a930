/* test_case_file.c - the reader of case files */
#include "tests/harness/case_file.h"

#include <criterion/criterion.h>

static struct wk_mem *mem;
static struct wk_arena arena;
static struct wk_case_file file;

static void setup(void)
{
    mem = wk_mem_new(SIZE_MAX);
    wk_arena_init(&arena, mem);
}

static void teardown(void)
{
    wk_arena_release(&arena);
    cr_assert_eq(mem->used, 0);
    wk_mem_unref(mem);
}

TestSuite(case_file, .init = setup, .fini = teardown);

static bool parse(const char *text)
{
    return wk_case_parse(&arena, wk_str_c(text), &file);
}

Test(case_file, all_parts)
{
    cr_assert(parse("# comment\n"
                    "\n"
                    "=== first case\n"
                    "--- file a/b.txt 755\n"
                    "line\n"
                    "--- file c no-newline\n"
                    "x\n"
                    "--- in\n"
                    "input\n"
                    "--- args\n"
                    "one two\n"
                    "three\n"
                    "--- run\n"
                    "\\--- echo\n"
                    "\\\\=== z\n"
                    "--- out base64\n"
                    "AAEC\n"
                    "--- err\n"
                    "--- tree\n"
                    "f 644 x\n"
                    "--- status 3\n"
                    "--- from bash 5.2\n"
                    "\n"
                    "=== second\n"
                    "--- run\n"
                    "a\n"
                    "\n"
                    "\n"
                    "=== third\n"
                    "--- run\n"
                    "b\n"
                    "--- out no-newline\n"
                    "c\n"
                    "--- status 1\n"
                    "--- differs on purpose\n"
                    "--- out\n"
                    "ours\n"
                    "--- status 0\n"),
              "%zu: %s", file.bad_line, file.bad);
    cr_assert_eq(file.count, 3);
    struct wk_case *c = file.cases;
    cr_assert(wk_str_is(c->name, "first case"));
    cr_assert_eq(c->line, 3);
    cr_assert(wk_str_is(c->files->path, "a/b.txt") && c->files->mode == 0755);
    cr_assert(wk_str_is(c->files->data, "line\n"));
    cr_assert(wk_str_is(c->files->next->data, "x") && !c->files->next->next);
    cr_assert(wk_str_is(c->in, "input\n"));
    cr_assert_eq(c->n_args, 2);
    cr_assert_str_eq(c->args[0].p, "one two");
    cr_assert_str_eq(c->args[1].p, "three");
    cr_assert(wk_str_is(c->run, "--- echo\n\\=== z\n"));
    cr_assert(wk_str_eq(c->out, wk_str("\0\1\2", 3)));
    cr_assert(c->has_err && c->err.n == 0);
    cr_assert(c->has_tree && wk_str_is(c->tree, "f 644 x\n"));
    cr_assert_eq(c->status, 3);
    c = c->next;
    cr_assert(wk_str_is(c->run, "a\n\n"));
    cr_assert(!c->has_out && !c->has_err && c->status == 0);
    c = c->next;
    cr_assert(c->differs && wk_str_is(c->out, "ours\n") && c->status == 0);
}

Test(case_file, refusals)
{
    static const char *const bad[] = {
        "text\n",
        "--- run\nx\n",
        "=== a\n",
        "=== a\n--- run\nx\n=== a\n--- run\ny\n",
        "=== a\n--- what\nx\n",
        "=== a\n--- status 256\n--- run\nx\n",
        "=== a\n--- status x\n--- run\nx\n",
        "=== a\n--- run odd\nx\n",
        "=== a\n--- file\nx\n--- run\nx\n",
        "=== a\n--- run\nx\n--- out base64\n$$$\n",
        "=== a\n=== b\n--- run\nx\n",
    };
    for (size_t i = 0; i < WK_COUNTOF(bad); i++) {
        cr_expect_not(parse(bad[i]), "%zu", i);
        cr_expect(file.bad != NULL);
    }
    cr_expect(parse(""));
    cr_expect_eq(file.count, 0);
}

Test(case_file, every_allocation_may_fail)
{
    for (uint64_t at = 1;; at++) {
        mem->count = 0;
        mem->fail_at = at;
        bool ok = parse("=== a\n--- file x\ny\n--- args\nb\n--- run\nz\n--- out base64\nAAAA\n");
        bool hit = mem->count >= at;
        mem->fail_at = 0;
        cr_assert_neq(ok, hit);
        wk_arena_release(&arena);
        cr_assert_eq(mem->used, 0);
        if (!hit)
            break;
    }
}
