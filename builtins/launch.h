/* launch.h - starting other programs from commands: environments, messages, statuses */
#ifndef WK_BUILTINS_LAUNCH_H
#define WK_BUILTINS_LAUNCH_H

#include "kern/cmd.h"

/* An environment being changed: NAME=VALUE strings in order. */
struct wk_env_list {
    struct wk_str *v;
    size_t n, cap;
};

/* The process's own environment, or an empty one. */
void wk_env_list_init(struct wk_cmd *c, struct wk_env_list *l, bool empty);
/* Sets from "NAME=VALUE" (which must stay), or removes NAME. */
void wk_env_list_set(struct wk_cmd *c, struct wk_env_list *l, const char *assignment);
void wk_env_list_unset(struct wk_env_list *l, const char *name);
/* The block; released with the process. */
struct wk_env *wk_env_list_block(struct wk_cmd *c, const struct wk_env_list *l);

/* Becomes the program or ends with 127 (not found) or 126, after `NAME: prefix 'argv0': text`, argv0 quoted by `quote`
 * (wk_quote, wk_quote_arg). */
WK_NORETURN void wk_launch(struct wk_cmd *c, char **argv, int argc, struct wk_env *env, const char *prefix,
                           const char *(*quote)(struct wk_cmd *c, const char *text));
/* A directory cannot be executed: execvp says so in these words. */
static inline int wk_launch_err(int err)
{
    return err == WK_EISDIR ? WK_EACCES : err;
}
/* 127 for a program that is not there, else 126. */
static inline int wk_launch_status(int err)
{
    return err == WK_ENOENT ? 127 : 126;
}

#endif
