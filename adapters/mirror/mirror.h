/* mirror.h - directories of a session and of a box kept in step
 *
 * A mirror knows what session and box had in common when they were last in step (a retained snapshot of the session's
 * tree, vfs/snapshot.h), so that a push sends only what the session has changed since, and a pull brings back only what
 * the box says has changed. Nothing else is kept of the files.
 *
 *   push  Names that are gone first, then directories, files and links, then modes and times of directories. Special
 *         files, mounts below a pair and what the user may not read stay behind and are named. Hard links become
 *         copies; set-id bits stay behind.
 *   pull  What the box changed is fetched beside, then applied in one step that never parks: all of it or nothing
 *         (a limit, a quota, memory). Where the session changed the same file too, the box's takes the name and the
 *         session's is kept beside it as NAME.whelk-conflict-N; a change wins over a removal. What could not be
 *         applied is tried again by the next pull. No link of the session is followed.
 *
 * The first one only looks what is in the box: files that are already there come in before anything is sent. They are
 * told by a list, as when a box has changed more than can be kept: what a process removes while that is made may stay.
 * What is in the box at a name to which a push has something of another kind, and was not pulled yet, is left to the
 * next pull and named.
 *
 * Waits:   nothing here waits. wk_mirror_step does what can be done; wk_mirror_sync is a loop of it around the caller's
 *          own wait. All state is the mirror's, so that the caller may be dropped while it waits: the next caller
 *          brings the work to its end.
 * Owner:   whoever made it. One thread. wk_mirror_free needs a box that is closed, or an idle mirror.
 * Memory:  the account given, which is the session's; at most WK_MIRROR_WINDOW bytes of files are under way at once, or
 *          one file. What a pull fetches is held in the file system's own chunks.
 * Trust:   what the box answers is hostile input.
 */
#ifndef WK_ADAPTERS_MIRROR_H
#define WK_ADAPTERS_MIRROR_H

#include "vfs/vfs.h"
#include "whelk/sandbox_kind.h"

struct wk_mirror;

enum {
    WK_MIRROR_WINDOW = 4 << 20, /* bytes of contents under way */
    WK_MIRROR_REQUESTS = 256,   /* requests under way */
    WK_MIRROR_NAMES = 16        /* names that a result keeps of each kind */
};

/* A directory of the session and what stands for it in the box. They must not lie in one another. A directory that is
 * missing is an empty one, and made when something comes into it. */
struct wk_mirror_pair {
    const char *directory; /* absolute; links in it are followed when it is used */
    const char *path;      /* in the box: "" the workspace, or absolute ("/tmp") */
};

struct wk_mirror_config {
    struct wk_mem *mem;
    struct wk_vfs *vfs;    /* outlives the mirror */
    const whelk_sandbox_kind *kind;
    void *box;
    const struct wk_mirror_pair *pairs; /* copied, as all here */
    size_t n_pairs;
    const char *const *left_out; /* names that do not come back, at any depth */
    size_t n_left_out;
    bool one_way;          /* nothing comes back: the box is not looked at */
    /* What may come back at once; 0: 64 MiB, 256 MiB, 50,000. */
    uint64_t max_file, max_bytes, max_files;
};

/* Errors: -WK_ENOMEM, -WK_EINVAL (a pair). Sends nothing yet. */
WK_NODISCARD int wk_mirror_new(const struct wk_mirror_config *config, struct wk_mirror **out);
/* The box is closed, or wk_mirror_is_idle. NULL is allowed. */
void wk_mirror_free(struct wk_mirror *m);
/* No request is under way. */
bool wk_mirror_is_idle(const struct wk_mirror *m);

/* A name, and what is to be said of it: in conflicts the name under which the session's file was kept (its last part),
 * in skipped the reason. */
struct wk_mirror_name {
    char *path; /* absolute, in the session */
    char *text;
};
struct wk_mirror_names {
    struct wk_mirror_name v[WK_MIRROR_NAMES];
    size_t n;     /* of v */
    size_t total; /* with those that v has no room for */
};

struct wk_mirror_result {
    int code;                /* WHELK_OK: all that was to be done is done, but for `skipped`. Else nothing came back
                                (NOSPACE: a limit or quota; NOMEM; CLOSED: the box is gone; IO; BUSY: given up), and
                                what was not sent is sent next time */
    char text[512];          /* the words for it, with the file they are about; "" */
    size_t added, changed, removed; /* names, both ways */
    uint64_t bytes_out, bytes_in;   /* of contents: to the box, from it */
    struct wk_mirror_names conflicts, skipped;
    struct wk_mem *mem;
};
void wk_mirror_result_free(struct wk_mirror_result *r); /* NULL is allowed */

enum wk_mirror_way {
    WK_MIRROR_PUSH = 1,
    WK_MIRROR_PULL = 2,
    WK_MIRROR_BOTH = 3 /* pull, then push: what processes of the box may have changed meanwhile */
};

/* Begins a synchronisation by the rights of cred (a user's: what comes back is his; root's where uid is 0).
 * *ticket is its number. Errors: -WK_EBUSY: another one is under way; -WK_ENOMEM. */
WK_NODISCARD int wk_mirror_begin(struct wk_mirror *m, enum wk_mirror_way way, const struct wk_cred *cred,
                                 uint64_t *ticket);
/* Goes on with what is under way. True when it waits for the box: pump it, and call again. */
bool wk_mirror_step(struct wk_mirror *m);
/* Ends it early: what is under way is waited for, nothing further is begun. */
void wk_mirror_give_up(struct wk_mirror *m);
/* What has changed in the box could not be found out (too much, too deep): until it can be, nothing is sent. */
bool wk_mirror_lost_track(const struct wk_mirror *m);
/* Takes the result of an ended one; NULL while it is not, or when it is not kept any more (the last eight are). */
struct wk_mirror_result *wk_mirror_take(struct wk_mirror *m, uint64_t ticket);

/* Synchronises: waits for its turn when another task does, and for the box, by `wait`, which pumps the box and parks
 * the calling task until something has come (0), or is told to stop (anything else, which gives up and is returned).
 * 0: *result is the caller's. -WK_ENOMEM. */
WK_NODISCARD int wk_mirror_sync(struct wk_mirror *m, enum wk_mirror_way way, const struct wk_cred *cred,
                                int (*wait)(void *ctx), void *ctx, struct wk_mirror_result **result);

#endif
