/* sandbox.h - what the files of the sandbox interface share (include/whelk/sandbox.h)
 *
 * sandbox.c opens, closes and waits; sandbox_env.c makes environments; sandbox_exec.c, sandbox_process.c and the files
 * sandbox_files.c, sandbox_edit.c, sandbox_search.c are the rest of the interface, over a kind's table.
 *
 * Owner:   the program's thread that uses the sandbox, or the session that it was delegated to.
 * Memory:  an account of its own, without a limit but those named at each call.
 */
#ifndef WK_ADAPTERS_SANDBOX_H
#define WK_ADAPTERS_SANDBOX_H

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "whelk/sandbox_kind.h"

#include <stdatomic.h>

struct wk_box_process; /* a background process (sandbox_process.c) */

struct whelk_sandbox {
    struct wk_mem *mem;
    const whelk_sandbox_kind *kind;
    void *box;                     /* NULL: it did not open, or is lost */
    whelk_box_facts facts;
    whelk_sandbox_options options; /* a copy of all it holds, from mem */
    struct wk_buf error;           /* words, NUL-ended */
    int wake_fd;                   /* eventfd: whelk_sandbox_cancel */
    atomic_bool cancelled;
    bool lost;
    uint32_t next_id;
    struct wk_box_process *processes;
};

/* ---- sandbox.c ---- */

/* Sets the words of the error and returns code. */
int wk_sandbox_fail(struct whelk_sandbox *b, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A number that no process has. */
uint32_t wk_sandbox_id(struct whelk_sandbox *b);
/* Begins a call: forgets a cancel and the last error. WHELK_OK; INVALID for NULL; CLOSED when there is no box. */
int wk_sandbox_begin(struct whelk_sandbox *b);
/* Waits once: pumps the box, and unless `ready` says that something has come, sleeps until its descriptors, the cancel
 * or the deadline (monotonic ns; INT64_MAX: none), and pumps again. WHELK_OK; AGAIN past the deadline; CLOSED when the
 * box is lost; BUSY when cancelled. */
int wk_sandbox_wait_once(struct whelk_sandbox *b, bool (*ready)(void *ctx), void *ctx, int64_t deadline_ns);
/* wait_once until ready. */
int wk_sandbox_wait_until(struct whelk_sandbox *b, bool (*ready)(void *ctx), void *ctx, int64_t deadline_ns);
/* CLOCK_MONOTONIC. */
int64_t wk_sandbox_now(void);
/* Milliseconds from now as a deadline; negative: none. */
int64_t wk_sandbox_deadline(int64_t ms);

/* ---- sandbox_env.c ---- */

/* The variables of a command: the box's usual ones (PATH, HOME, LANG, TMPDIR, CI, PAGER, …), its facts', the sandbox's
 * options', `more` (n of them), and the secrets of program `name` (NULL: none) and those asked for. Ended by NULL, one
 * block to be freed with wk_free(b->mem, …). NULL without memory. */
char **wk_sandbox_env(struct whelk_sandbox *b, const char *name, const char *const *more, size_t n,
                      const char *const *secrets, size_t n_secrets);

/* Hides the values of secrets in a stream that passes in pieces: keeps back what may be the beginning of one. */
struct wk_redact {
    const struct whelk_sandbox *b;
    char *held;
    size_t held_n, cap;
    bool idle; /* the sandbox has no secrets: everything passes as it comes */
};
void wk_redact_init(struct wk_redact *r, const struct whelk_sandbox *b);
/* Passes on p[0, n) with *** for values; at the end (last) what was kept back too. */
void wk_redact_pass(struct wk_redact *r, const char *p, size_t n, bool last,
                    void (*to)(void *ctx, const char *p, size_t n), void *ctx);
void wk_redact_release(struct wk_redact *r);

/* ---- kinds ---- */

extern const whelk_sandbox_kind wk_host_kind, wk_docker_kind;

#endif
