/* docker.h - what the files of the kind "docker" share
 *
 * A container of its own, whose process 1 is the guest helper: it is put into the container between create and start,
 * and spoken to over the container's standard streams. With that connection everything ends: the helper, its
 * processes, and, by the engine, the container.
 *
 * docker.c opens and closes; docker_options.c says what is to be made, docker_make.c makes it: docker_create.c
 * describes it to the engine, docker_folder.c and docker_files.c have what is in it. docker_setup.c runs the set-up
 * script; docker_owner.c and docker_reap.c find and remove what others left behind.
 */
#ifndef WK_ADAPTERS_DOCKER_H
#define WK_ADAPTERS_DOCKER_H

#include "adapters/docker/engine.h"
#include "adapters/host/host.h"

enum wk_docker_where {
    WK_DOCKER_MADE,  /* the workspace is a directory of the host, made for it */
    WK_DOCKER_GIVEN, /* ... the user's own */
    WK_DOCKER_INSIDE /* it is in the container's own layer (or a volume, when that is read-only) */
};

struct wk_docker_extra { /* of options.extra */
    const char *network; /* "host", or a network of the engine; NULL */
    uint64_t shm_bytes;
};

/* What is to be made: the options with their defaults. Texts are the options' own, valid while opening. */
struct wk_docker_plan {
    const whelk_sandbox_options *o;
    struct wk_docker_extra extra;
    const char *image;
    const char *inside;  /* the workspace's path in the container */
    const char *network; /* the engine's mode: "none", "default", "host" or a name */
    enum wk_docker_where where;
    bool background;
    bool rootless;         /* the engine's root is not the host's */
    bool remapped;         /* its users are others than the host's */
    bool foreign_files;    /* the engine does not see our file system */
    bool labelled;         /* its containers may not use files of the host as they are (SELinux) */
    uint32_t uid, gid;     /* of commands; 0, 0: root */
    uint64_t memory_bytes; /* 0: not limited, since this engine cannot */
    uint32_t cpu_milli, pids;
};

struct wk_docker_port {
    uint16_t inside, outside;
};

struct wk_docker_box {
    struct wk_guest_box guest; /* the first: it is the same box */
    struct wk_mem *mem;
    struct wk_engine engine;
    char *id;                /* of the container; NULL: there is none */
    struct wk_host_box host; /* its place alone is used: the workspace's directory on the host */
    const char *folder;      /* the workspace on the host; NULL: it is not there */
    bool lent, lends_not;    /* the helper is mounted from the host, not put; that went wrong already */
    bool keep_given;         /* the folder is the user's own: it goes only when that is asked for */
    bool greeted;            /* guest is to be ended */
    uint32_t uid, gid;       /* of commands */
    struct wk_docker_port *ports;
    size_t n_ports;
    struct wk_buf description, shell, path, home, workspace;
    struct wk_buf env; /* NAME=VALUE, each with its NUL */
    const char **env_list;
    size_t n_env;
};

/* ---- docker_options.c ---- */

/* Checks the options and fills the plan. WHELK_OK, UNSUPPORTED and INVALID with the engine's `error` set. */
int wk_docker_plan(struct wk_docker_plan *p, const whelk_sandbox_options *o, struct wk_engine *e);
/* Once the engine is known: what it can do, and the place. Tells notices of what was chosen. */
int wk_docker_plan_engine(struct wk_docker_plan *p, struct wk_engine *e);
/* Where the workspace is, and whose: as far as is known of the engine by now. */
int wk_docker_plan_place(struct wk_docker_plan *p, struct wk_engine *e);

/* ---- docker_create.c ---- */

/* The architecture of the helper, as engines call it: "amd64". */
const char *wk_docker_machine(void);

/* Appends the container's description for the engine, in JSON. */
bool wk_docker_describe(const struct wk_docker_plan *p, const struct wk_docker_box *b, const char *session,
                        struct wk_buf *json);
/* Sees to it that the image is there, and of the right architecture; takes PATH and the environment from it. */
int wk_docker_image(const struct wk_docker_plan *p, struct wk_docker_box *b);

/* ---- docker_make.c ---- */

/* Makes the container as planned, with its directory, and greets its helper. Where the engine turns out not to see
 * the directory, the workspace moves into the container. */
int wk_docker_make(struct wk_docker_plan *p, struct wk_docker_box *b);
/* The container goes, and what is under way in it; the workspace's directory stays. */
void wk_docker_drop(struct wk_docker_box *b, const char *why);
/* Removes all that is in a directory of the container, as its root: what others than this program's user made there.
 */
void wk_docker_empty(struct wk_docker_box *b, const char *inside);
/* Whether a path is there in the container. WHELK_OK, unless the helper is gone. */
int wk_docker_has(struct wk_docker_box *b, const char *path, bool *has);

/* ---- docker_folder.c: the workspace's directory on the host ---- */

/* Makes it, owned by who the commands are, or takes the one that was given; its path is b->folder. Why it cannot is
 * told by the opening's `error`. */
int wk_docker_folder_make(const struct wk_docker_plan *p, struct wk_docker_box *b);
/* The end of it; remove: also the workspace. */
void wk_docker_folder_end(struct wk_docker_box *b, bool remove);

/* ---- docker_files.c ---- */

/* Whether commands have a HOME of their own in /.whelk: root's may be used as long as it can be written. */
bool wk_docker_own_home(const struct wk_docker_plan *p);
/* Appends git's configuration. */
void wk_docker_put_gitconfig(struct wk_buf *b, const whelk_sandbox_options *o);

/* What is put into the container before it starts: the helper, git's configuration, HOME, and the workspace. */
int wk_docker_fill(const struct wk_docker_plan *p, struct wk_docker_box *b);

/* ---- docker_setup.c ---- */

/* Runs the set-up script to its end. STATE with its last lines when it fails or takes too long. */
int wk_docker_setup(const struct wk_docker_plan *p, struct wk_docker_box *b);
/* Milliseconds from now, as a deadline; negative: none. */
int64_t wk_docker_deadline(int64_t ms);
/* Pumps until *done; AGAIN past the deadline, CLOSED when cancelled, IO when the
 * container is gone. */
int wk_docker_until(struct wk_docker_box *b, const bool *done, int64_t deadline);

/* ---- docker_owner.c ---- */

/* HOST/PID/START/BOOT: who owns a container. */
bool wk_docker_put_owner(struct wk_buf *b);
/* Whether an owner of this machine has certainly died. */
bool wk_docker_owner_is_dead(struct wk_str owner, struct wk_mem *m);

/* ---- docker_reap.c ---- */

/* Removes what programs of this machine left behind that have died since; how many. */
int wk_docker_reap_with(struct wk_engine *e);
#endif
