/* host.h - what the files of the kind "host" share
 *
 * host.c has the kind's table and its options, host_env.c the environment of commands, host_workspace.c the folders,
 * host_remove.c their removal, host_supervisor.c the helper's process.
 *
 * Folders: BASE/host-XXXXXX/ for each sandbox, BASE being whelk/sandboxes in the user's cache directory: `owner` (the
 * marker: whose it is, locked while its program lives), `workspace` (unless one was given), `home`, `gitconfig`.
 * Safety:  nothing is removed without its marker, through a link, or on another mount.
 */
#ifndef WK_ADAPTERS_HOST_H
#define WK_ADAPTERS_HOST_H

#include "adapters/link/guest_box.h"
#include "base/buf.h"

enum wk_host_isolation { WK_HOST_NONE, WK_HOST_AUTO, WK_HOST_BWRAP, WK_HOST_STRICT };

/* The words of a refusal, and what the opening offers. */
struct wk_host_opening {
    const whelk_sandbox_options *o;
    const whelk_opening *with;
};
/* Tells why the opening fails; returns code. */
int wk_host_refuse(const struct wk_host_opening *w, int code, const char *format, ...) WK_PRINTF(3, 4);
void wk_host_notice(const struct wk_host_opening *w, int notice, const char *format, ...) WK_PRINTF(3, 4);

struct wk_host_place {
    char *base, *dir;        /* BASE, and the sandbox's own folder below it */
    char *workspace, *home, *gitconfig;
    int base_fd, lock_fd;    /* -1: not open; lock_fd holds the marker's lock */
    bool generated;          /* the workspace was made */
    uint64_t device, inode;  /* of the workspace */
};

struct wk_host_box {
    struct wk_guest_box g;   /* the first */
    struct wk_mem *mem;
    struct wk_host_place place;
    enum wk_host_isolation isolation;
    uint32_t uid, gid;       /* of commands; UINT32_MAX: the program's own */
    int delete_on_cleanup;   /* enum whelk_choice */
    int pid, pid_fd;         /* of the supervisor; pid_fd -1: the kernel has none */
    bool shares_network;
    char *shell, *path;
    struct wk_buf env_text;  /* NAME=VALUE, each ended by a NUL */
    const char **env;
    size_t n_env;
    struct wk_buf description;
};

/* ---- host_workspace.c ---- */

/* Makes the sandbox's folders, and reaps those whose program has gone. */
int wk_host_place_open(struct wk_host_box *b, const struct wk_host_opening *w);
/* Removes what was made; the workspace unless it is to be kept. What cannot be removed stays, with the marker: it is
 * reaped later. */
void wk_host_place_close(struct wk_host_box *b, bool remove_workspace);
/* Removes folders of sandboxes whose program has gone; their number, or WHELK_E_… (nothing there is 0). */
int wk_host_reap(void);

/* ---- host_remove.c ---- */

/* Removes a directory's entry `name` and all below it, through no link and on no other mount; directories without
 * permissions get some. 0 or -WK_Exxx: something is left. */
int wk_host_remove(int dir, const char *name);

/* ---- host_env.c ---- */

/* The box's environment, PATH, shell and git's configuration. */
int wk_host_env_open(struct wk_host_box *b, const struct wk_host_opening *w);
/* Whether a variable's name or value looks like a secret. */
bool wk_host_is_secret(struct wk_str name, struct wk_str value);
/* A program of PATH, or an absolute path that can be executed: its path, to be freed; NULL. */
char *wk_host_find(struct wk_mem *m, const char *path, const char *name);

/* ---- host_supervisor.c ---- */

/* Starts the helper, as the isolation says, and its connection. WHELK_OK or a code; errors are told. */
int wk_host_supervisor_open(struct wk_host_box *b, const struct wk_host_opening *w);
/* Ends the connection and waits for the supervisor's end. */
void wk_host_supervisor_close(struct wk_host_box *b);

/* ---- host_bwrap.c ---- */

/* The words of a command that runs inside bubblewrap, ended by NULL; freed by wk_host_bwrap_free. `helper` is appended.
 * NULL without memory. */
char **wk_host_bwrap_words(struct wk_host_box *b, const char *bwrap, const char *helper);
void wk_host_bwrap_free(struct wk_mem *m, char **words);

#endif
