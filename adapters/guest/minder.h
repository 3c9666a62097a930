/* minder.h - one small process between the guest helper and each command
 *
 * It is a subreaper: whatever the command's processes do (setsid, fork twice, lose their environment), they stay below
 * it. So it knows all of a command's processes, alone waits for them (their numbers are not used again before it
 * knows), and signals them. It ends with the last of them; or it ends them, when the helper has gone.
 */
#ifndef WK_ADAPTERS_GUEST_MINDER_H
#define WK_ADAPTERS_GUEST_MINDER_H

#include <sys/resource.h>

#include "adapters/guest/guest.h"

struct failure {
    int err;
    enum guest_stage stage;
};

enum minder_word { MINDER_FORKED = 1, MINDER_STARTED, MINDER_FAILED, MINDER_EXITED, MINDER_SIGNALLED };

/* What a minder says, one message each; FORKED is said by the leader itself, before its program can do anything. */
struct minder_says {
    enum minder_word word;
    pid_t pid;              /* FORKED, STARTED: of the command's first process, its leader */
    struct failure failure; /* FAILED */
    int status;             /* EXITED: of the leader, and what it used */
    struct rusage use;
    unsigned survivors;
    bool timed_out;         /* ... its time was over before */
    uint32_t id;            /* SIGNALLED: of the request; how many got it, or why none did */
    unsigned count;
    int err;
};

struct minder_asked {
    uint32_t id, scope;
    int sig;
};

/* The minder's life: it does not return. `report` tells when the leader has begun its program (at its end) or what
 * failed (a struct failure). After timeout_ms (0: never) the tree is ended, KILL grace_ms after TERM. */
void guest_mind(int helper, int report, pid_t leader, int64_t timeout_ms, int64_t grace_ms) __attribute__((noreturn));

#endif
