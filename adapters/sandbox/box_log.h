/* box_log.h - reading what a logged process wrote, piece by piece
 *
 * Owner:   the sandbox's list of calls; who gives up leaves it there.
 */
#ifndef WK_ADAPTERS_BOX_LOG_H
#define WK_ADAPTERS_BOX_LOG_H

#include "adapters/sandbox/box_process.h"
#include "adapters/sandbox/sandbox_call.h"

/* One question, and its answer once call.open is 0. */
struct wk_box_log {
    struct wk_box_call call;   /* code: of the answer */
    uint64_t offset, lost;     /* of the data; bytes that are no longer there in front of it */
    bool ended;                /* the process has ended, and nothing comes behind the data */
    struct wk_buf data;
};

/* Asks for at most `most` bytes from an offset on; wait: when there are some, or it has ended. NULL: no memory, or the
 * kind refuses (*code). */
struct wk_box_log *wk_box_log_ask(struct wk_box_process *p, int stream, uint64_t offset, size_t most, bool wait,
                                  int *code);
/* Gives it up or lets it go; NULL is allowed. */
void wk_box_log_leave(struct wk_box_log *l);

#endif
