/* tar.h - writing small tar archives: what is put into a container before it starts */
#ifndef WK_ADAPTERS_TAR_H
#define WK_ADAPTERS_TAR_H

#include "base/buf.h"

struct wk_tar_entry {
    const char *path; /* without a leading "/", at most 100 bytes; a directory's ends in "/" */
    uint32_t mode, uid, gid;
    struct wk_str data; /* of a file */
};
/* Appends an entry. False when the buffer refuses, or the path is too long. */
bool wk_tar_put(struct wk_buf *b, const struct wk_tar_entry *e);
/* Appends the end. */
bool wk_tar_end(struct wk_buf *b);

#endif
