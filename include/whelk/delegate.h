/* whelk/delegate.h - commands of a session that run in a sandbox
 *
 * python3, git, gcc and the like are no commands of whelk. A session whose host delegates them finds each by its PATH
 * like any other: it runs in a sandbox (whelk/sandbox.h), with the session's files below `directory` in front of it,
 * and what it changes there comes back when it ends, as one transaction. Where it and the session changed the same
 * file, the command's version takes the name and the session's is kept beside it as NAME.whelk-conflict-N, told on
 * stderr. In a sandbox that is isolated, /tmp is kept in step too.
 *
 * Streams:   standard input goes in as far as the process takes it: what it did not read is there for who comes after
 *            it, as from a file or pipe of its own. (Bytes on their way to a process that never reads are the session's
 *            again only when it ends.) Output comes as it is written, and only as fast as it is read; when its reader
 *            leaves, the process finds a broken pipe. None of them is a terminal. Descriptors from 3 on stay behind;
 *            pipes of the session's own, such as those of <(...), cannot be opened in there: they are refused (126).
 * Where:     the working directory must lie in what is kept in step (else 126). Arguments that are, or after NAME=,
 *            --NAME= or -X begin with, an absolute path below `directory` are given as the sandbox has it; so are
 *            variables, part by part. PATH begins with those of the session's own directories. A container opened for
 *            the session has it at the same path unless that is one of a system's (/etc, /usr …) or workspace_path says
 *            otherwise.
 * Programs:  what is built or installed in there, and so becomes a file of the session, is started by its path or PATH
 *            as anywhere, and runs in there, too.
 * Variables: the sandbox's own, over them what the session exports but PWD, SHELL, USER and what belongs to the shell;
 *            HOME and TMPDIR when they lie in what is kept in step. Values of secrets are hidden in output.
 * Ends:      its exit status, 128 + N when a signal ended it. 127: it is not in the sandbox; 126: the sandbox could not
 *            be opened, the program not be run; 125: the sandbox was lost. The next command gets a new one when it was
 *            opened by its kind.
 * Signals:   go to the process: one to it alone, to its group when that is meant, KILL to all that descends from it. A
 *            run that is cancelled, or at a limit, ends it in that way; so does closing the session. `ulimit` holds for
 *            it, and the umask.
 * Jobs:      a command in the background lives on between runs; its files come back when it ends, before the next
 *            command, and from time to time. Several may run at once.
 * Waits:     opening a sandbox blocks the step that needs it, until whelk_cancel or the run's time is over. All else is
 *            part of the session's own waiting (whelk_run_wait_info).
 * Forks:     whelk_session_fork delegates the same names, to a sandbox of the fork's own, when it is opened by its kind
 *            and makes its own workspace; else the fork delegates none of them.
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
    const char *const *left_out;  /* names that do not come back; NULL: __pycache__, node_modules, .venv, .cache */
    size_t n_left_out;
    uint64_t max_file, max_bytes, max_files; /* that may come back at once; 0: 64 MiB, 256 MiB, 50,000 */
    const whelk_sandbox_kind *supplied; /* instead of `kind`: the program's own, which must outlive the session */
} whelk_delegate;
WHELK_API void whelk_delegate_init(whelk_delegate *d);
/* Adds the commands; a name that the session has already stands for the new one from now on. Nothing is opened yet.
 * whelk_command_remove takes one away. Errors: INVALID (names, the directory, options), UNSUPPORTED (a kind, an option,
 * a sandbox that cannot pass on input and signals), NOMEM; whelk_session_error has words. */
WHELK_API int whelk_session_delegate(whelk_session *s, const whelk_delegate *d);

#ifdef __cplusplus
}
#endif
#endif
