/* box_spill.h - all of a long output, on its way into a file of the box
 *
 * It waits in a nameless file of the host, so that memory stays bounded, and goes into the box as one piece.
 *
 * Limits: WK_SPILL_MAX bytes; what is past them is left out, and said.
 */
#ifndef WK_ADAPTERS_BOX_SPILL_H
#define WK_ADAPTERS_BOX_SPILL_H

#include "adapters/sandbox/sandbox.h"

#define WK_SPILL_MAX ((uint64_t)1 << 30)

struct wk_box_spill {
    int fd;     /* -1: not begun */
    int error;  /* errno that ended it */
    uint64_t n; /* bytes in it */
    bool over;  /* there were more than fit */
};

void wk_box_spill_init(struct wk_box_spill *s);
void wk_box_spill_put(struct wk_box_spill *s, const char *p, size_t n);
/* Puts it into the box, and appends to `why` what went wrong, if anything. */
void wk_box_spill_finish(struct wk_box_spill *s, struct whelk_sandbox *b, const char *path, struct wk_buf *why);
void wk_box_spill_release(struct wk_box_spill *s);

#endif
