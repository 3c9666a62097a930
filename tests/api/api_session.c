/* api_session.c - a runtime and a session for the tests of the public interface */
#include "api_session.h"

#include <criterion/criterion.h>

struct api_session api_open(const whelk_session_options *o)
{
    struct api_session a = {0};
    cr_assert_eq(whelk_runtime_new(NULL, &a.rt), WHELK_OK);
    int r = whelk_session_open(a.rt, o, &a.s);
    cr_assert_eq(r, WHELK_OK, "open: %s", whelk_strerror(r));
    return a;
}

void api_close(struct api_session *a)
{
    whelk_session_close(a->s);
    cr_assert_eq(whelk_runtime_free(a->rt), WHELK_OK);
}

const whelk_result *api_run(struct api_session *a, const char *script)
{
    int r = whelk_exec(a->s, script, &a->r);
    cr_assert_eq(r, WHELK_OK, "exec: %s", whelk_strerror(r));
    return a->r;
}

void api_expect(struct api_session *a, const char *script, const char *out, int status)
{
    const whelk_result *r = api_run(a, script);
    cr_expect_str_eq(r->out, out, "%s\n-- stdout: %s\n-- stderr: %s", script, r->out, r->err);
    cr_expect_eq(r->status, status, "%s: status %d, stderr %s", script, r->status, r->err);
}
