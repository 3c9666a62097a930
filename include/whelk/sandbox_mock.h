/* whelk/sandbox_mock.h - sandboxes for tests: what was asked of a real one is recorded, and answered without one
 *
 *     whelk_mock *m;  whelk_sandbox *box;
 *     whelk_mock_record(whelk_sandbox_kind_named("docker"), &m); // or whelk_mock_replay(text, n, &m)
 *     whelk_sandbox_open_kind(whelk_mock_kind(m), &options, &box);
 *     …
 *     whelk_sandbox_close(box);
 *     const char *text = whelk_mock_text(m, &n);            // to be kept in a file
 *     whelk_mock_free(m);
 *
 * A recording is text that a person can read and edit: a line that begins in the first column is a request, those
 * below it, indented, are what became of it, in order. Blank lines and lines that begin with # count for nothing.
 *
 *     whelk recording 1
 *     kind "docker"
 *     workspace "/workspace"
 *     run script "read x; echo $x; exit 3" cwd "/workspace" input
 *       in "hello\n"
 *       out "hello\n"
 *       exit 3
 *     file stat "a.txt"
 *       done -7 "no such file"
 *
 * A request is answered by the first one of the recording that is the same and has not been used; the word `always` as
 * the first line below it makes that any number of times. One that the recording does not have fails and is named
 * ("the recording has no: run script …"). `in`, `signal` and `resize` wait until the program does the same; what it
 * does instead is an error of the process (125, and words on its standard error). Time passes as fast as it can.
 *
 * What the sandbox's options call a secret stands in a recording as ***, and is compared so.
 *
 * Threads:  as sandboxes. A mock outlives the sandboxes opened with its kind, one at a time.
 * Limits:   64 MiB of recorded bytes.
 */
#ifndef WHELK_SANDBOX_MOCK_H
#define WHELK_SANDBOX_MOCK_H

#include "whelk/sandbox_kind.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct whelk_mock whelk_mock;

/* Records what is asked of `kind`, which must outlive it. Several sandboxes, one after the other, go into one
 * recording. Errors: INVALID, NOMEM. */
WHELK_API int whelk_mock_record(const whelk_sandbox_kind *kind, whelk_mock **out);
/* Answers from a recording. Each sandbox that is opened begins at its start. Errors: INVALID (whelk_mock_error names
 * the line; *out is to be freed), NOMEM. */
WHELK_API int whelk_mock_replay(const char *text, size_t n, whelk_mock **out);
/* The kind for whelk_sandbox_open_kind. */
WHELK_API const whelk_sandbox_kind *whelk_mock_kind(const whelk_mock *m);
/* The recording as it is now, NUL behind; valid until the next call. NULL without memory, and when there was too
 * much. */
WHELK_API const char *whelk_mock_text(whelk_mock *m, size_t *n);
/* Whether a replay has used all requests that have no `always`: if not, the first one that is left, as it stands. NULL:
 * all are used. */
WHELK_API const char *whelk_mock_left(whelk_mock *m);
/* Words of the last error; never NULL. */
WHELK_API const char *whelk_mock_error(const whelk_mock *m);
/* NULL is allowed. */
WHELK_API void whelk_mock_free(whelk_mock *m);

#ifdef __cplusplus
}
#endif
#endif
