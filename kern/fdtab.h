/* fdtab.h - descriptor tables, copied on write
 *
 * A table is counted. Forking a process shares it; whoever changes a shared table first copies it
 * (wk_fdtab functions that change take a pointer to the holder's pointer).
 */
#ifndef WK_KERN_FDTAB_H
#define WK_KERN_FDTAB_H

#include "kern/file.h"

struct wk_fdent {
    struct wk_file *file; /* NULL = closed */
    bool cloexec;
};

struct wk_fdtab {
    uint32_t refs;
    uint32_t n; /* entries below n may be open */
    uint32_t cap;
    uint32_t limit; /* descriptors are below it */
    struct wk_kern *k;
    struct wk_fdent *ents;
};

struct wk_fdtab *wk_fdtab_new(struct wk_kern *k);
struct wk_fdtab *wk_fdtab_ref(struct wk_fdtab *t);
/* Drops a reference; the last closes all descriptors. */
void wk_fdtab_unref(struct wk_fdtab *t);

/* The file at fd, borrowed, or NULL (EBADF). */
static inline struct wk_file *wk_fd_get(const struct wk_fdtab *t, int fd)
{
    return fd >= 0 && (uint32_t)fd < t->n ? t->ents[fd].file : NULL;
}

/* Put `file` (the reference is taken over, also on failure) at fd, closing what was there.
 * Errors: -WK_ENOMEM, -WK_EBADF (negative or past the limit; the file is dropped). */
int wk_fd_set(struct wk_fdtab **t, int fd, struct wk_file *file, bool cloexec);
/* Lowest free descriptor >= least; the reference is taken over. Returns it or
 * -WK_EMFILE/-WK_ENOMEM. */
int wk_fd_add(struct wk_fdtab **t, int least, struct wk_file *file, bool cloexec);
/* dup2 semantics. 0, -WK_EBADF, -WK_ENOMEM. */
int wk_fd_dup2(struct wk_fdtab **t, int from, int to);
/* 0, -WK_EBADF, or -WK_ENOMEM when a shared table cannot be copied. */
int wk_fd_close(struct wk_fdtab **t, int fd);
/* Descriptors from `limit` on are refused from now on; those that are open stay. 0 or -WK_ENOMEM. */
int wk_fd_limit(struct wk_fdtab **t, uint64_t limit);
/* Close those marked cloexec (exec). */
int wk_fd_close_on_exec(struct wk_fdtab **t);

#endif
