/* sandbox_request.h - file requests to a box: many under way at once, each with its end
 *
 * sandbox_files.c, sandbox_read.c, sandbox_write.c, sandbox_edit.c and sandbox_search.c say what is to be asked; the
 * run here asks it, waits, and gives up when nothing comes or the call is cancelled. What a kind still tells of a
 * request that was given up goes nowhere.
 *
 * Memory:  of the sandbox's account. What is to be put is copied, since a kind may hold on to it longer than the call.
 * Limits:  WK_REQUESTS requests, and WK_REQUEST_BYTES that are put, at once (one file may be larger).
 * Trust:   entries and data are checked here: names beneath what was asked for, no more bytes than were asked for.
 */
#ifndef WK_ADAPTERS_SANDBOX_REQUEST_H
#define WK_ADAPTERS_SANDBOX_REQUEST_H

#include "adapters/sandbox/sandbox.h"

enum {
    WK_REQUESTS = 64,
    WK_REQUEST_BYTES = 8 << 20,
    WK_REQUEST_PATIENCE_MS = 60000, /* without anything coming; what is put has a second for each MiB besides */
    WK_REQUEST_LONG_MS = 600000,    /* of what tells nothing until it is done: the removal of a tree */
    WK_REQUEST_PATH = 4095,         /* bytes of a path */
    WK_REQUEST_LINKS = 40,          /* followed one after the other */
    WK_REQUEST_FILE = 256 << 20     /* bytes of a file that are read at once */
};

struct wk_request {
    whelk_file_request r; /* path and target are copied; data too unless `give` is set */
    size_t tag;           /* for the answers */
    void *give;           /* block of the account that holds r.data: freed when it is no longer needed, asked or not */
};

/* What is asked, and who hears the answers. A hearer's non-zero result ends the run with it. */
struct wk_requests {
    /* The next one, zeroed but for its size; false: none for now. Once nothing is under way that means the end. */
    bool (*ask)(void *ctx, struct wk_request *q);
    /* `rest`: the entry's path below the one asked for, "" for that itself. NULL: not heard. */
    int (*entry)(void *ctx, size_t tag, const char *rest, const whelk_file_entry *e);
    int (*data)(void *ctx, size_t tag, const void *p, size_t n);
    int (*done)(void *ctx, size_t tag, int code, uint64_t size);
    /* Between pumps, as often as something has come; never inside of the kind. NULL: nothing to do. */
    int (*tend)(void *ctx);
    int64_t patience_ms; /* 0: WK_REQUEST_PATIENCE_MS */
    void *ctx;
};
/* Asks all there is to ask. WHELK_OK; what a hearer said; NOMEM; CLOSED when the sandbox is lost or the call cancelled;
 * IO when nothing comes. The last three have set the words of the error. */
WK_NODISCARD int wk_requests_run(struct whelk_sandbox *b, const struct wk_requests *how);

/* One request, and its answer's data and entry. */
struct wk_answer {
    whelk_file_entry e; /* of STAT; its texts are here: */
    char *target;       /* NULL */
    struct wk_buf data; /* of GET */
    uint64_t size;
};
/* Asks one thing and waits. The answer's code, or as wk_requests_run. *a is set up here (NULL: not wanted). */
WK_NODISCARD int wk_request_one(struct whelk_sandbox *b, const struct wk_request *q, struct wk_answer *a);
void wk_answer_release(struct wk_answer *a);

/* An operation's request on a path. */
static inline struct wk_request wk_request(int op, const char *path)
{
    return (struct wk_request){.r = {.size = sizeof(whelk_file_request),
                                     .op = op,
                                     .path = path,
                                     .mode = UINT32_MAX,
                                     .mtime_ns = INT64_MIN}};
}

/* ---- paths --------------------------------------------------------------------------------------- */

/* The absolute path of what a caller named: relative ones start at the workspace; "." and empty names are left out,
 * ".." is the box's to resolve. *dir (may be NULL): it ended in a slash, so it names a directory. The result is of the
 * account. INVALID (NULL, ""), NAMETOOLONG, NOMEM; words are set. */
WK_NODISCARD int wk_box_path(struct whelk_sandbox *b, const char *path, char **out, bool *dir);
/* How what lies below `path` is shown: what its caller named, as short, with a slash unless that is the workspace. */
WK_NODISCARD int wk_box_shown(struct whelk_sandbox *b, const char *path, char **out);
/* Where a link at `path` leads: *path is replaced. NAMETOOLONG, NOMEM, IO (no target). */
WK_NODISCARD int wk_box_link(struct whelk_sandbox *b, char **path, const char *target);
/* What a path names, after any links at its end: *path becomes what it is itself, e its entry. A code, with words but
 * for NOENT. */
WK_NODISCARD int wk_box_resolve(struct whelk_sandbox *b, char **path, whelk_file_entry *e);

/* Makes a directory and its parents, which may be there. Words are set. */
WK_NODISCARD int wk_box_make_dirs(struct whelk_sandbox *b, char *path);

/* ---- transfers ----------------------------------------------------------------------------------- */

/* A caller's array, whose elements may be larger than ours. */
struct wk_transfers {
    char *base;
    size_t n, stride;
};
/* INVALID: an element does not say how large it is. Words are set. */
WK_NODISCARD int wk_transfers_init(struct whelk_sandbox *b, whelk_transfer *files, size_t n, struct wk_transfers *out);
static inline whelk_transfer *wk_transfer(const struct wk_transfers *t, size_t i)
{
    return (whelk_transfer *)(void *)(t->base + i * t->stride);
}

/* ---- errors -------------------------------------------------------------------------------------- */

/* Returns the code; sets "PATH: WORDS OF THE CODE" unless there are words already. */
int wk_box_fail(struct whelk_sandbox *b, int code, const char *path);
/* As wk_sandbox_fail of NOMEM. */
int wk_box_no_memory(struct whelk_sandbox *b);
/* What a buffer of the account holds, for whelk_free. */
WK_NODISCARD int wk_box_hand_out(struct whelk_sandbox *b, struct wk_buf *from, char **data, size_t *len);

#endif
