/* sed_out.h - sed: what goes into the spaces and out of them
 *
 * Owner:   everything lies in the process heap and goes with the process.
 */
#ifndef WK_BUILTINS_SED_OUT_H
#define WK_BUILTINS_SED_OUT_H

#include "builtins/sed.h"

/* The space gets a buffer of its own with room for n bytes more. */
void wk_sed_room(struct sed *s, struct sed_space *sp, size_t n);
/* Puts bytes behind it. */
void wk_sed_add_slow(struct sed *s, struct sed_space *sp, const char *p, size_t n);
static inline void wk_sed_add(struct sed *s, struct sed_space *sp, const char *p, size_t n)
{
    if (WK_UNLIKELY(sp->borrowed || n >= sp->cap - (size_t)(sp->p - sp->buf) - sp->n)) {
        wk_sed_add_slow(s, sp, p, n);
        return;
    }
    if (n)
        memcpy(sp->p + sp->n, p, n);
    sp->n += n;
}

struct sed_out *wk_sed_open_out(struct sed *s, const char *name);
/* A line, with its end unless the input's had none. */
void wk_sed_line(struct sed *s, struct sed_out *to, struct wk_str text, bool newline);
/* Text as it is; behind an unfinished line that gets its end first. */
void wk_sed_raw(struct sed *s, struct sed_out *to, struct wk_str text);
/* All of a file, for r; nothing when it cannot be opened. */
void wk_sed_copy_file(struct sed *s, const char *name);
void wk_sed_list(struct sed *s, struct wk_str text, int64_t width);
void wk_sed_close_all(struct sed *s);

/* The file behind symbolic links, for --follow-symlinks. */
const char *wk_sed_follow(struct sed *s, const char *name);
/* -i: opens the operand and the file that will take its place; NULL when it cannot be read, which
 * was said. */
struct wk_in *wk_sed_begin_edit(struct sed *s, const char *name);
void wk_sed_finish_edit(struct sed *s);

#endif
