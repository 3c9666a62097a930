/* guest_box.h - a box behind the guest helper: what the kinds docker and host have in common
 *
 * A kind that has the helper running somewhere, with a connection to it, has all of a sandbox: these functions are the
 * rest of its table (whelk/sandbox_kind.h). Its own box begins with a struct wk_guest_box.
 *
 * Limits: ids of processes and ports below WK_GUEST_IDS; WK_GUEST_FILES file requests at once (then AGAIN).
 * Trust:  what the helper says is hostile input: it may run beside the processes that it serves. What it may not say
 *         ends the connection, with words.
 */
#ifndef WK_ADAPTERS_GUEST_BOX_H
#define WK_ADAPTERS_GUEST_BOX_H

#include "adapters/link/link.h"
#include "whelk/sandbox_kind.h"

#define WK_GUEST_IDS 0x80000000u /* what is above is for requests of the box's own */

enum {
    WK_GUEST_FILES = 1024,
    WK_GUEST_ENTRIES = 1000000 /* most in an answer */
};

struct wk_guest_file; /* a file request that is under way (guest_box_files.c) */

struct wk_guest_box {
    struct wk_mem *mem;
    struct wk_link *link;
    struct wk_guest_file *puts, **puts_end; /* files that are being sent, in order */
    size_t n_files;
    uint32_t spawn_flags;       /* enum guest_spawn_flag of every process: no new privileges, confined, network */
    uint32_t hello_flags;       /* enum guest_hello_flag, besides that of a subreaper */
    const char *writable;       /* a further directory that confined processes may write to; NULL */
    uint32_t can, pid;          /* of GUEST_READY */
    uint64_t seed;              /* for tables of what the helper names */
    char machine[32];
    char why[160];              /* why the connection was ended, in words; "" */
};

/* Takes the link over, greets the helper and waits for its answer until the deadline (monotonic ns), asking
 * `interrupted`. 0; -WK_EPROTO (another version), -WK_ETIMEDOUT, -WK_EPIPE, -WK_ENOMEM, -WK_EINTR; g->why has words.
 * The link is freed by wk_guest_box_end in every case. */
WK_NODISCARD int wk_guest_box_begin(struct wk_guest_box *g, struct wk_mem *m, struct wk_link *link,
                                    const char *workspace, uint32_t uid, uint32_t gid, bool subreaper,
                                    const whelk_opening *with, int64_t deadline);
/* Closes the link: the helper ends everything. What is under way is told `lost`. */
void wk_guest_box_end(struct wk_guest_box *g, const char *why);

size_t wk_guest_box_poll(void *box, int *fds, short *events, size_t cap, int64_t *timeout_ms);
int wk_guest_box_pump(void *box);
int wk_guest_box_start(void *box, uint32_t id, const whelk_spec *spec, const whelk_process_events *events, void *ctx);
void wk_guest_box_welcome(void *box, uint32_t id, int stream, size_t n);
int wk_guest_box_write(void *box, uint32_t id, const void *p, size_t n);
int wk_guest_box_signal(void *box, uint32_t id, int signal, int scope, void (*done)(void *ctx, int code), void *ctx);
int wk_guest_box_resize(void *box, uint32_t id, uint16_t rows, uint16_t columns);
int wk_guest_box_log(void *box, uint32_t id, int stream, uint64_t offset, size_t most, int wait, whelk_log_fn *fn,
                     void *ctx);
void wk_guest_box_stop_waiting(void *box, uint32_t id);
void wk_guest_box_forget(void *box, uint32_t id);
int wk_guest_box_wait_port(void *box, uint32_t id, uint16_t port, void (*done)(void *ctx, int code), void *ctx);
int wk_guest_box_file(void *box, const whelk_file_request *r, const whelk_file_events *events, void *ctx);

#endif
