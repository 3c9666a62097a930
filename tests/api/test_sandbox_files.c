/* test_sandbox_files.c - the file calls of sandboxes, opened by the names of their kinds */
#include "file_cases.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void run_cases(const char *kind, const whelk_sandbox_options *o)
{
    for (const struct file_case *c = file_cases; c->name; c++) {
        whelk_sandbox *box;
        int code = whelk_sandbox_open(kind, o, &box);
        cr_assert_eq(code, WHELK_OK, "%s: %d: %s", kind, code, whelk_sandbox_error(box));
        c->run(box);
        whelk_sandbox_close(box);
    }
}

Test(sandbox_files, of_a_session, .timeout = 120)
{
    whelk_sandbox_options o;
    whelk_session_options s;
    whelk_sandbox_options_init(&o);
    whelk_session_options_init(&s);
    s.cwd = "/work"; /* an empty one */
    o.session = &s;
    run_cases("inprocess", &o);
}

/* The user's cache directory, for sandboxes that have folders. */
static void make_cache(char *cache)
{
    cr_assert(mkdtemp(cache));
    setenv("XDG_CACHE_HOME", cache, 1);
}

static void remove_cache(const char *cache)
{
    static const char *const left[] = {"/whelk/sandboxes", "/whelk", ""};
    char below[64];
    for (int i = 0; i < 3; i++) { /* nothing is in them */
        snprintf(below, sizeof below, "%s%s", cache, left[i]);
        cr_expect_eq(rmdir(below), 0, "%s", below);
    }
}

Test(sandbox_files, of_the_host, .timeout = 120)
{
    char cache[] = "/tmp/whelk-files-test.XXXXXX";
    whelk_sandbox_options o;
    make_cache(cache);
    setenv("ALLOW_DANGEROUS_LOCAL_HOST", "1", 1);
    whelk_sandbox_options_init(&o);
    run_cases("host", &o);
    remove_cache(cache);
}

/* One container for all: the test docker.files names the image, and the engine. */
Test(sandbox_files, of_a_container, .timeout = 300)
{
    char cache[] = "/tmp/whelk-files-test.XXXXXX";
    whelk_sandbox_options o;
    whelk_sandbox *box;
    whelk_sandbox_result *r;
    whelk_sandbox_options_init(&o);
    o.image = getenv("WHELK_TEST_IMAGE");
    o.pull = "never";
    if (!o.image)
        cr_skip_test("no engine was started for it");
    make_cache(cache);
    int code = whelk_sandbox_open("docker", &o, &box);
    cr_assert_eq(code, WHELK_OK, "%d: %s", code, whelk_sandbox_error(box));
    for (const struct file_case *c = file_cases; c->name; c++) {
        c->run(box);
        EXPECT_CODE(box, whelk_sandbox_exec(box, "rm -rf -- * .[!.]*; ls -A", &r), WHELK_OK);
        cr_expect(r && r->exit_code == 0 && !*r->out, "%s: %s", c->name, r ? r->out : "");
        whelk_sandbox_result_free(r);
    }
    whelk_sandbox_close(box);
    remove_cache(cache);
}
