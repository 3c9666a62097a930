/* box_file.h - a file that the library itself puts into a box, or takes away */
#ifndef WK_ADAPTERS_BOX_FILE_H
#define WK_ADAPTERS_BOX_FILE_H

#include "adapters/sandbox/sandbox.h"

/* Writes a whole file; parent directories are made. data becomes the call's own: release(m, data, n) when it is no
 * longer needed, which may be as late as the sandbox's end. The words of a failure are appended to why. WHELK_OK or a
 * code; AGAIN past the deadline, BUSY when cancelled. */
int wk_box_put(struct whelk_sandbox *b, const char *path, uint32_t mode, void *data, size_t n,
               void (*release)(struct wk_mem *m, void *data, size_t n), int64_t deadline, struct wk_buf *why);
/* Removes a file; whatever becomes of it. */
void wk_box_remove(struct whelk_sandbox *b, const char *path, int64_t deadline);

#endif
