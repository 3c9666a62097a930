/* api_session.h - a runtime and a session for the tests of the public interface */
#ifndef WK_TESTS_API_SESSION_H
#define WK_TESTS_API_SESSION_H

#include <whelk.h>

struct api_session {
    whelk_runtime *rt;
    whelk_session *s;
    const whelk_result *r;
};

/* Open (options may be NULL) or fail the test. */
struct api_session api_open(const whelk_session_options *o);
void api_close(struct api_session *a);
/* Run a script; the result is a->r. Fails the test when the call itself fails. */
const whelk_result *api_run(struct api_session *a, const char *script);
/* Run and compare stdout and status. */
void api_expect(struct api_session *a, const char *script, const char *out, int status);

#endif
