/* sandbox.h - what the files of the sandbox interface share (include/whelk/sandbox.h)
 *
 * sandbox.c opens, closes and waits; sandbox_options.c, sandbox_env.c, redact.c serve it; sandbox_exec.c,
 * sandbox_process.c, sandbox_output.c and sandbox_files.c, sandbox_edit.c, sandbox_search.c are the rest of the
 * interface, over a kind's table.
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

struct wk_box_process; /* one that runs, or ran in the background (box_process.h) */
struct wk_box_call;    /* what the kind has been asked and has not answered (sandbox_call.h) */
struct wk_secrets;     /* values of secrets, ready to be found (redact.c) */

struct whelk_sandbox {
    struct wk_mem *mem;
    whelk_sandbox_kind kind_table; /* a copy: members that its author did not know are NULL */
    const whelk_sandbox_kind *kind; /* &kind_table */
    void *box;                     /* NULL: it did not open. Stays when it is lost: its close removes things */
    whelk_box_facts facts;
    whelk_sandbox_options options; /* a copy of all it holds, in one block */
    void *options_block;
    struct wk_secrets *secrets;    /* NULL: there are none */
    struct wk_buf error;           /* words, NUL-ended */
    int wake_fd;                   /* eventfd: whelk_sandbox_cancel */
    atomic_bool cancelled;
    bool lost;
    bool created;                  /* on_create has agreed */
    bool in_callback;              /* of the program's: calls answer BUSY */
    bool winding_up;               /* a call that was given up ends what it began: `interrupted` is not asked again */
    int (*interrupted)(void *ctx); /* whoever opened it asks it to give up what it does; NULL */
    void *interrupted_ctx;
    uint32_t next_id;
    struct wk_box_process *processes;
    struct wk_box_call *calls;
};

/* ---- sandbox.c ---- */

/* whelk_sandbox_open_kind by somebody who may want to give up: `interrupted` is asked every 100 ms while it opens, and
 * by calls of on_create. */
int wk_sandbox_open_kind(const whelk_sandbox_kind *kind, const whelk_sandbox_options *options,
                         int (*interrupted)(void *ctx), void *ctx, whelk_sandbox **out);
/* Sets the words of the error and returns code. */
int wk_sandbox_fail(struct whelk_sandbox *b, int code, const char *format, ...) WK_PRINTF(3, 4);
/* A number that no process has. */
uint32_t wk_sandbox_id(struct whelk_sandbox *b);
/* Begins a call: forgets a cancel and the last error. WHELK_OK; INVALID for NULL; CLOSED when there is no box; BUSY
 * inside a callback. */
int wk_sandbox_begin(struct whelk_sandbox *b);
/* Waits once: pumps the box, and unless `ready` says that something has come, sleeps until its descriptors, the cancel
 * or the deadline (monotonic ns; INT64_MAX: none), and pumps again. WHELK_OK; AGAIN past the deadline; CLOSED when the
 * box is lost; BUSY when cancelled. */
int wk_sandbox_wait_once(struct whelk_sandbox *b, bool (*ready)(void *ctx), void *ctx, int64_t deadline_ns);
/* wait_once until ready. */
int wk_sandbox_wait_until(struct whelk_sandbox *b, bool (*ready)(void *ctx), void *ctx, int64_t deadline_ns);
/* Words for what wait_once answered, into the error; a public code: CLOSED for both cancelled and lost. */
int wk_sandbox_wait_failed(struct whelk_sandbox *b, int code);
/* CLOCK_MONOTONIC, CLOCK_REALTIME. */
int64_t wk_sandbox_now(void);
int64_t wk_sandbox_wall(void);
/* Milliseconds from now as a deadline; negative: none. */
int64_t wk_sandbox_deadline(int64_t ms);

/* ---- sandbox_options.c ---- */

/* A copy of options (NULL: the defaults) and of all that they point to, but the snapshot and the runtime of a session,
 * in one block for wk_free(m, …). WHELK_OK, INVALID, UNSUPPORTED, NOMEM. */
int wk_sandbox_options_copy(struct wk_mem *m, const whelk_sandbox_options *from, whelk_sandbox_options **out);
/* Whether what all kinds have in common is right; if not, the code, and why in words. */
int wk_sandbox_options_check(const whelk_sandbox_options *o, struct wk_buf *why);
/* "uid[:gid]"; without a gid it is the uid. False: it is none. */
bool wk_sandbox_user(const char *text, uint32_t *uid, uint32_t *gid);

/* ---- sandbox_env.c ---- */

/* PATH where a box says nothing else. */
#define WK_SANDBOX_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* The variables of a command: the box's usual ones (PATH, HOME, LANG, TMPDIR, CI, PAGER, …), its facts', the sandbox's
 * options', `more` (n of them), and the secrets of program `name` (NULL: none; its last part counts) and those asked
 * for. Ended by NULL, one block to be freed with wk_free(b->mem, …). NULL without memory. */
char **wk_sandbox_env(struct whelk_sandbox *b, const char *name, const char *const *more, size_t n,
                      const char *const *secrets, size_t n_secrets);
/* Whether each of n texts is NAME=VALUE; if not, *bad is the first that is none ("" for NULL). */
bool wk_sandbox_env_ok(const char *const *env, size_t n, const char **bad);
/* Whether the sandbox has a secret of this name. */
bool wk_sandbox_has_secret(const struct whelk_sandbox *b, const char *name);

/* ---- redact.c ---- */

enum { WK_SECRET_MAX = 65536 }; /* bytes of a value */

/* Makes ready to find the values of n secrets. 0 (*out NULL when there is nothing to hide) or -WK_ENOMEM. */
WK_NODISCARD int wk_secrets_new(struct wk_mem *m, const whelk_secret *v, size_t n, struct wk_secrets **out);
void wk_secrets_free(struct wk_mem *m, struct wk_secrets *s);
/* The longest value; 0: none. */
size_t wk_secrets_longest(const struct wk_secrets *s);

struct wk_redact_span {
    size_t start, end;
};
/* Hides the values of secrets in a stream that passes in pieces: keeps back what may be the beginning of one. */
struct wk_redact {
    const struct whelk_sandbox *b;
    struct wk_mem *mem; /* the sandbox's: release may come when that has gone, and its account has not */
    char *held;
    size_t held_n, cap;
    bool idle;    /* the sandbox has no secrets: everything passes as it comes */
    bool failed;  /* no memory: nothing passes */
    uint32_t state;
    size_t skip;  /* bytes from held[0] on that are hidden already */
    struct wk_redact_span *spans; /* hidden parts behind that, in order */
    size_t n_spans, spans_cap;
    uint64_t at;   /* position of held[0] in the stream */
    uint64_t from; /* what lies before is looked at, and not passed on */
};
void wk_redact_init(struct wk_redact *r, const struct whelk_sandbox *b);
/* Passes on p[0, n) with *** for values; at the end (last) what was kept back too. Linear in n. */
void wk_redact_pass(struct wk_redact *r, const char *p, size_t n, bool last,
                    void (*to)(void *ctx, const char *p, size_t n), void *ctx);
void wk_redact_release(struct wk_redact *r);
/* A whole text at once, of which at most so many bytes count, appended to out. */
void wk_redact_text(const struct whelk_sandbox *b, struct wk_str text, size_t most, struct wk_buf *out);

/* ---- box_process.c ---- */

/* Ends processes whose time is over, feeds them input, and says when it wants to be called again (monotonic ns). */
int64_t wk_sandbox_tick(struct whelk_sandbox *b);
/* Frees the records of all: the box is closed. */
void wk_sandbox_drop_processes(struct whelk_sandbox *b);

/* ---- kinds ---- */

extern const whelk_sandbox_kind wk_host_kind, wk_docker_kind;
/* For whelk_sandbox_reap: how many containers and directories were removed; or a code, and why in words. */
int wk_docker_reap(const whelk_sandbox_options *o, struct wk_buf *words);

#endif
