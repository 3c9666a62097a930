/* split.h - commands that take the pieces of split */
#ifndef WK_BUILTINS_SPLIT_H
#define WK_BUILTINS_SPLIT_H

#include "builtins/launch.h"

/* A running command that reads a piece. */
struct wk_split_filter {
    struct wk_file *pipe; /* NULL: not in use */
    uint32_t pid;
    char *name;                   /* that the piece would have */
    struct wk_split_filter *next; /* of the spare ones */
};

struct wk_split_filters {
    const char *command;
    bool pipe_ignored; /* SIGPIPE was ignored from the start */
    struct wk_env_list env;
    char *file; /* its entry FILE=… */
    struct wk_split_filter *spare;
};

/* A broken pipe is no error from now on: the bytes go nowhere. */
void wk_split_filters_init(struct wk_cmd *c, struct wk_split_filters *all, const char *command);
/* Starts $SHELL, or sh, on the command with FILE=name in its environment. *out is its standard
 * input. Ends the process when there is no room for it. */
struct wk_split_filter *wk_split_filter_start(struct wk_cmd *c, struct wk_split_filters *all,
                                              const char *name, struct wk_out **out);
/* The piece is complete, its stream closed: waits for the command. A status that is not 0 ends the
 * process with it, after a message; so does a signal but PIPE. P */
void wk_split_filter_end(struct wk_cmd *c, struct wk_split_filters *all, struct wk_split_filter *f);

#endif
