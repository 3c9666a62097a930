/* mirror_view.h - files of a pair in one version, and lists of what is to be done about paths
 *
 * Owner:   a synchronisation of a mirror (mirror_parts.h), which closes what it opens before it ends.
 * Memory:  the session's account.
 */
#ifndef WK_ADAPTERS_MIRROR_VIEW_H
#define WK_ADAPTERS_MIRROR_VIEW_H

#include "base/arena.h"
#include "base/buf.h"
#include "vfs/snapshot.h"

/* ---- one version of a pair's files (mirror_view.c) ------------------------------------------- */

enum wk_mirror_type {
    WK_MIRROR_NONE,
    WK_MIRROR_FILE,
    WK_MIRROR_DIR,
    WK_MIRROR_LINK,
    WK_MIRROR_SPECIAL, /* a FIFO, socket, device */
    WK_MIRROR_HIDDEN,  /* the user may not read it, or not get there */
    WK_MIRROR_MOUNT    /* of another file system */
};

struct wk_mirror_file {
    enum wk_mirror_type type;
    struct wk_stat st;
};

/* Paths below are relative to the pair's directory; "" is that itself. They are resolved name by name through no link,
 * by the right of root, and what the user may not read is HIDDEN. */
struct wk_mirror_view {
    struct wk_vfs *vfs;      /* NULL: there is nothing */
    bool own;
    const struct wk_cred *cred;
    struct wk_vdir *top;     /* NULL: missing */
    uint64_t dev;
    struct wk_buf at_path;   /* the directory that was entered last */
    struct wk_vdir *at;      /* NULL: it cannot be */
    enum wk_mirror_type why; /* … for it is this */
    bool at_known;
};

/* Shows `dir` (canonical) in a snapshot (NULL: nothing is there); the session's files as they are for `live`. In
 * every case it is to be closed. Errors: -WK_ENOMEM, -WK_EMFILE. */
int wk_mirror_view_open(struct wk_mirror_view *v, struct wk_vfs *vfs, struct wk_snapshot *s, bool live,
                        struct wk_str dir, const struct wk_cred *cred);
void wk_mirror_view_close(struct wk_mirror_view *v);
/* Names have changed: forgets what was entered. */
void wk_mirror_view_forget(struct wk_mirror_view *v);
int wk_mirror_look(struct wk_mirror_view *v, struct wk_str path, struct wk_mirror_file *out);
/* The directory that holds path, and its last name; NULL when there is none. */
int wk_mirror_parent(struct wk_mirror_view *v, struct wk_str path, struct wk_vdir **dir, struct wk_str *name);
int wk_mirror_open(struct wk_mirror_view *v, struct wk_str path, uint32_t flags, struct wk_vfile **out);
/* *out NULL: no such directory. */
int wk_mirror_list(struct wk_mirror_view *v, struct wk_str path, struct wk_vlist **out);
/* Appends a link's text. */
int wk_mirror_target(struct wk_mirror_view *v, struct wk_str path, struct wk_buf *out);
/* 1: the same bytes, the same link, both directories; 0: not; or an error. */
int wk_mirror_same(struct wk_mirror_view *a, struct wk_str pa, const struct wk_mirror_file *fa,
                   struct wk_mirror_view *b, struct wk_str pb, const struct wk_mirror_file *fb);
int wk_mirror_same_bytes(struct wk_vfile *a, struct wk_vfile *b, uint64_t size);
static inline bool wk_mirror_visible(const struct wk_mirror_file *f)
{
    return f->type == WK_MIRROR_FILE || f->type == WK_MIRROR_DIR || f->type == WK_MIRROR_LINK;
}
/* Bits of a mode that are carried. */
static inline uint32_t wk_mirror_mode(const struct wk_mirror_file *f)
{
    return f->st.mode & (f->type == WK_MIRROR_DIR ? 01777 : 0777);
}
/* Order in which what is below a directory follows it. */
int wk_mirror_path_cmp(struct wk_str a, struct wk_str b);
/* path is dir or lies below it; all lie below "". */
bool wk_mirror_is_below(struct wk_str path, struct wk_str dir);

/* ---- what a push has to do (mirror_plan.c) --------------------------------------------------- */

enum wk_mirror_op_kind { WK_MIRROR_REMOVE, WK_MIRROR_SEND, WK_MIRROR_ATTRIBUTES, WK_MIRROR_TOUCH };
enum {
    WK_MIRROR_CLEAR = 1,  /* something of another kind is in its place */
    WK_MIRROR_DEEP = 2,   /* with all below it, whatever the box has of it */
    WK_MIRROR_NEW = 4,
    WK_MIRROR_UNLOCK = 8, /* a directory that must be made writable first */
    WK_MIRROR_AGAIN = 16, /* the box had something else: once more */
    WK_MIRROR_LATER = 32  /* not done: to be tried by the next push */
};
enum wk_mirror_state { WK_MIRROR_TODO, WK_MIRROR_FLYING, WK_MIRROR_DONE };

struct wk_mirror_op {
    struct wk_str path; /* NUL-ended */
    uint16_t pair;
    uint8_t kind, flags, state;
    uint8_t had; /* enum wk_mirror_type: what the box has there */
};
struct wk_mirror_ops {
    struct wk_arena names;
    struct wk_mirror_op *v;
    size_t n, cap;
};
void wk_mirror_ops_init(struct wk_mirror_ops *o, struct wk_mem *mem);
void wk_mirror_ops_release(struct wk_mirror_ops *o, struct wk_mem *mem);
int wk_mirror_ops_add(struct wk_mirror_ops *o, struct wk_mem *mem, size_t pair, struct wk_str path, unsigned kind,
                      unsigned flags, enum wk_mirror_type had);
/* In a sorted list; NULL. */
const struct wk_mirror_op *wk_mirror_op_find(const struct wk_mirror_ops *o, size_t pair, struct wk_str path);
/* Is the box still to be told of a path, or of all that lies about it? */
bool wk_mirror_is_pending(const struct wk_mirror_ops *o, size_t pair, struct wk_str path);
/* In order of pair and path, each once. */
int wk_mirror_ops_sort(struct wk_mirror_ops *o, struct wk_mem *mem);

#endif
