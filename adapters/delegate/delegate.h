/* delegate.h - commands of a session that run in a sandbox (include/whelk/delegate.h)
 *
 * A delegate is a box, open or to be opened, with the mirror of the session's files in it. Its commands are leaf
 * commands like any other: the task of each moves bytes between the process's descriptors and the real process, which
 * it stands for (wk_proc.foreign). Files go in before a command starts and come back when it has ended.
 *
 * Owner:   the session: freed when no task of it is left.
 * Waits:   the box's functions are called on the host's own stack only (host requests). One of the tasks that wait
 *          watches the box's descriptors, pumps the box for all, and wakes those that something came for.
 * Memory:  the session's account; WK_DELEGATE_WINDOW of each output stream, WK_DELEGATE_INPUT of the input at most.
 * Trust:   what the box says is hostile input.
 */
#ifndef WK_ADAPTERS_DELEGATE_H
#define WK_ADAPTERS_DELEGATE_H

#include "kern/cmd.h"
#include "whelk/delegate.h"

struct wk_delegate;

enum {
    WK_DELEGATE_WINDOW = 1 << 18, /* bytes of an output stream that the box may send ahead */
    WK_DELEGATE_INPUT = 1 << 16   /* bytes of input handed to the box at once */
};

struct wk_delegate_config {
    struct wk_kern *kern;
    whelk_sandbox *box; /* open; or NULL, and */
    const whelk_sandbox_kind *kind;
    const whelk_sandbox_options *options; /* copied; NULL: the kind's defaults */
    int sync;                             /* enum whelk_sync */
    const char *directory;                /* absolute; copied, as all below */
    const char *const *left_out;          /* NULL: the usual names */
    size_t n_left_out;
    uint64_t max_file, max_bytes, max_files;
};

/* A name that is a command of the session. What it stands for may change while the name stays. */
struct wk_delegate_command {
    struct wk_command command; /* data points back here */
    struct wk_delegate *to;    /* NULL: it is no longer delegated */
    char *name;
    bool program;              /* no name, but whatever file it is started as */
};

/* Errors: WHELK_E_INVALID (the directory, options), UNSUPPORTED (options), NOMEM. Nothing is opened yet. */
int wk_delegate_new(const struct wk_delegate_config *config, struct wk_delegate **out);
/* Ends what still runs of it, and closes the box when it was opened here. No task of the session is left. NULL is
 * allowed. */
void wk_delegate_free(struct wk_delegate *d);
/* The same once more for another session; NULL when that cannot be: the box is the program's, or its workspace a
 * directory that both would fill. */
int wk_delegate_copy(const struct wk_delegate *d, struct wk_kern *kern, struct wk_delegate **out);

/* Whether the box has, or will have, the file that p knows by this path. */
bool wk_delegate_has(const struct wk_delegate *d, const struct wk_proc *p, const char *path);

/* The main of a struct wk_delegate_command. */
int wk_delegate_main(struct wk_cmd *c);

#endif
