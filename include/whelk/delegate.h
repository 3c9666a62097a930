/* whelk/delegate.h - commands of a session that run in a sandbox
 *
 * python3, git, gcc and the like are no commands of whelk. A session whose host delegates them finds each by its PATH
 * like any other: it runs in a sandbox (whelk/sandbox.h), with the session's files below `directory` in front of it,
 * and what it changes there comes back when it ends, as one transaction. Where it and the session changed the same
 * file, the command's version takes the name and the session's is kept beside it as NAME.whelk-conflict-N, told on
 * stderr.
 * In a sandbox that is isolated, /tmp is kept in step too.
 */
#ifndef WHELK_DELEGATE_H
#define WHELK_DELEGATE_H

#include "whelk/sandbox.h"

#ifdef __cplusplus
extern "C" {
#endif

enum whelk_sync { WHELK_SYNC_BOTH = 0, WHELK_SYNC_IN = 1, WHELK_SYNC_NONE = 2 };

typedef struct whelk_delegate {
    size_t size;
    /* Where: a sandbox that is open and stays so until the session is closed, or a kind with options (copied), opened
     * when the first command needs it and closed with the session. */
    whelk_sandbox *box;
    const char *kind;
    const whelk_sandbox_options *options;
    const char *const *commands;  /* names, n of them: each becomes a command of the session */
    size_t n_commands;
    int sync;                     /* enum whelk_sync */
    const char *directory;        /* of the session: stands for the sandbox's workspace; NULL: the cwd at this call */
    const char *const *left_out;  /* names that do not come back; NULL: __pycache__, node_modules, .venv */
    size_t n_left_out;
    uint64_t max_file, max_bytes, max_files; /* that may come back at once; 0: 64 MiB, 256 MiB, 50,000 */
    const whelk_sandbox_kind *supplied; /* instead of `kind`: the program's own, which must outlive the session */
} whelk_delegate;
WHELK_API void whelk_delegate_init(whelk_delegate *d);
/* Adds the commands. Errors: INVALID, UNSUPPORTED, NOMEM. */
WHELK_API int whelk_session_delegate(whelk_session *s, const whelk_delegate *d);

#ifdef __cplusplus
}
#endif
#endif
