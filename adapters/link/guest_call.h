/* guest_call.h - what the files of the guest box share (guest_box.h) */
#ifndef WK_ADAPTERS_GUEST_CALL_H
#define WK_ADAPTERS_GUEST_CALL_H

#include "adapters/link/guest_box.h"

/* An id for a request of the box's own. */
uint32_t wk_guest_request_id(struct wk_guest_box *g);
/* The helper has said what it may not: the connection ends, everybody is told. What the caller was about is gone. */
void wk_guest_break(struct wk_guest_box *g, const char *what);
/* Words for the end of the connection. */
const char *wk_guest_why(const struct wk_guest_box *g);
/* Reads a GUEST_ERROR: its error number, positive (EIO when it makes no sense). */
int wk_guest_error_of(struct guest_reader *r);
/* A code for a failed send: WHELK_E_AGAIN, CLOSED, NOMEM, INVALID. */
int wk_guest_send_code(int r);

/* Sends more of the files that are under way, as the queue allows; whether anything was queued. */
bool wk_guest_files_pump(struct wk_guest_box *g);

#endif
