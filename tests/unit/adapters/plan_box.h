/* plan_box.h - a kind of sandbox for tests: its programs do what their text says
 *
 * A script (or the second argument of an argv, the first being its name) is steps between ';':
 *
 *   out:TEXT err:TEXT    writes it; big:N writes N bytes "abcdefgh…" on stdout, in pieces of 64 KiB
 *   bytes                from here on, what is written arrives byte by byte
 *   env:NAME             writes the variable's value, "-" when there is none
 *   cat                  passes its input to stdout until that ends; unread: nobody reads its input
 *   nap:MS               does nothing for so long; hang: until it is signalled
 *   deaf                 TERM has no effect from here on; undead: KILL neither
 *   survivors:N          of its tree there will be so many at its end
 *   port:N               listens
 *   drop:N               of its log the first N bytes are no longer there
 *   mute                 its streams stay open behind its end
 *   oom sig:N exit:N     ends; without any: exit:0
 *   lost                 the whole box goes away
 *   fail:CODE:TEXT refuse:CODE   cannot be started: told, or answered (the first step)
 *   late:N               start answers AGAIN so often (the first step)
 *
 * Everything happens one step a pump.
 */
#ifndef WK_TEST_PLAN_BOX_H
#define WK_TEST_PLAN_BOX_H

#include "adapters/sandbox/sandbox.h"

struct plan_file {
    struct plan_file *next;
    char *path, *data;
    size_t n;
    uint32_t mode;
};

struct planned {
    /* set by the test, before it opens */
    uint64_t lacks;            /* capabilities that it does not have */
    int open_code;             /* open fails so, with open_text */
    const char *open_text, *shell;
    uint64_t fail_open_at;     /* this allocation from open on fails */
    bool wait_for_cancel;      /* open waits until it is interrupted */
    bool no_answers;           /* signals, ports and files are never answered */
    int file_code;             /* of files that are put */
    /* seen by the test */
    int opened, closed, keep, forgotten, stopped;
    char signals[256];         /* "15/2 9/2 ": signal and scope */
    char last_env[16384];      /* NAME=VALUE\n… of the last start */
    char last_argv[4096];      /* [word][word]… */
    bool started;              /* something has; for other threads, too */
    whelk_spec last;
    char cwd[256];
    struct plan_file *files;
    void *box;
};

extern struct planned planned;
extern const whelk_sandbox_kind plan_kind;

/* Forgets everything. */
void plan_reset(void);
const struct plan_file *plan_file(const char *path);
/* Opens one; options NULL: the defaults. Fails the test when it does not open. */
whelk_sandbox *plan_open(const whelk_sandbox_options *o);

#endif
