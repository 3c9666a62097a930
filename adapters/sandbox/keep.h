/* keep.h - a stream of which only so much is kept: its beginning, its end, or both
 *
 * Owner:   the caller. Memory grows with what comes, by doubling, up to `max` bytes.
 */
#ifndef WK_ADAPTERS_KEEP_H
#define WK_ADAPTERS_KEEP_H

#include "base/mem.h"
#include "base/str.h"

enum { WK_KEEP_NOTE = 80 }; /* bytes of the line that says what was left out, at most */

struct wk_keep {
    struct wk_mem *mem;
    char *head, *tail; /* tail: a ring, once it is full */
    size_t head_n, head_cap, head_max;
    size_t tail_n, tail_cap, tail_max, tail_at;
    uint64_t total;
    bool failed; /* no memory: what came since is only counted */
};

/* how: enum whelk_keep. */
void wk_keep_init(struct wk_keep *k, struct wk_mem *m, int how, size_t max);
void wk_keep_release(struct wk_keep *k);
void wk_keep_put(struct wk_keep *k, const char *p, size_t n);
/* So many bytes have passed that nobody saw. */
void wk_keep_skip(struct wk_keep *k, uint64_t n);
/* Whether something was left out. */
bool wk_keep_is_cut(const struct wk_keep *k);
/* While nothing was left out: all of it in two parts. */
void wk_keep_parts(const struct wk_keep *k, struct wk_str part[2]);
/* What is kept, with a line "[… 1,234 bytes left out …]" in the place of the rest; no character is cut in two. At most
 * wk_keep_room(k) bytes; their number. */
size_t wk_keep_room(const struct wk_keep *k);
size_t wk_keep_write(const struct wk_keep *k, char *dst);
/* That line for n bytes, with its newline: the length, at most WK_KEEP_NOTE. */
size_t wk_keep_note(uint64_t n, char dst[WK_KEEP_NOTE]);

#endif
