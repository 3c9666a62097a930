/* eval.h - evaluation of commands (bash 3.2, 3.7) */
#ifndef WK_INTERP_EVAL_H
#define WK_INTERP_EVAL_H

#include "interp/builtin.h"

/* Evaluate any command node. sh->status holds $? afterwards. */
enum wk_flow wk_eval(struct wk_shell *sh, const struct wk_node *n);

/* Run `body` as an inline subshell of this shell: state and process forked, evaluated on this task,
 * flow consumed; sh->status is its status (128+n when a signal ended it), *x the same. setup(sh, ctx) runs first
 * inside the child (redirect descriptors); nonzero aborts with that status. */
enum wk_flow wk_subshell_inline(struct wk_shell *sh, const struct wk_node *body,
                                int (*setup)(struct wk_shell *sh, void *ctx), void *ctx, struct wk_exit *x);
/* Run `body` beside this shell as a task of its own. `setup` edits child->fds before it starts.
 * *pid of the new process. Errors: -WK_EAGAIN (message "fork: Resource temporarily unavailable"
 * printed), -WK_ENOMEM. */
struct wk_async {
    const struct wk_node *body;
    const struct wk_cmdsub *sub; /* a process substitution, whose body it is: set -x shows it one level
                                    deeper, `trap` nothing of the parent's; else NULL */
    struct wk_tree *tree;
    int (*setup)(struct wk_shell *parent, struct wk_proc *child, void *ctx);
    void *ctx;
    bool stdin_given;  /* setup gives it a standard input */
    bool stage;        /* of a pipeline: wk_stage_level */
    bool coproc;       /* the body of one */
    bool background;   /* & : job, stdin from /dev/null unless redirected, signals as bash */
    uint32_t pgid;
};
int wk_subshell_async(struct wk_shell *sh, const struct wk_async *a, struct wk_proc **out);
/* A simple command in a pipeline expands its words before BASH_SUBSHELL counts its process. sh: the child's. */
void wk_stage_level(struct wk_shell *sh, const struct wk_node *stage);

/* Call a function with arguments (v[0] is its name). last: there is nothing else that the process is for. */
enum wk_flow wk_call_function(struct wk_shell *sh, struct wk_func *f, const struct wk_str *v,
                              size_t n, bool last);
struct wk_func *wk_func_find(struct wk_shell *sh, uint32_t name);
int wk_func_define(struct wk_shell *sh,
                   const struct wk_node *def); /* -WK_EPERM: readonly function */
int wk_func_unset(struct wk_shell *sh, uint32_t name);

/* Run a command by words already expanded, without functions (command) or only builtins (builtin).
 */
enum {
    WK_RUN_NO_FUNCTIONS = 1,
    WK_RUN_ONLY_BUILTIN = 2,
    WK_RUN_DEFAULT_PATH = 4,
    WK_RUN_EXEC = 8,
    WK_RUN_NO_BUILTINS = 32 /* of wk_lookup: only a file */
};
enum wk_flow wk_run_words(struct wk_shell *sh, struct wk_str *v, size_t n, int flags);

/* What a name would run (type, command -v, hash). */
enum wk_found_kind {
    WK_FOUND_NONE,
    WK_FOUND_ALIAS,
    WK_FOUND_KEYWORD,
    WK_FOUND_FUNCTION,
    WK_FOUND_BUILTIN,
    WK_FOUND_FILE
};
struct wk_found {
    enum wk_found_kind kind;
    const struct wk_builtin *builtin;
    struct wk_func *func;
    const struct wk_command *command; /* FILE known to be one of ours */
    struct wk_str path;               /* FILE; in the arena */
    bool hashed;
    int err; /* NONE: -WK_EACCES for a file that is not executable */
};
enum wk_flow wk_lookup(struct wk_shell *sh, struct wk_str name, int flags, struct wk_found *out);

/* Redirections (redir.c). Applies them to sh->proc->fds; undo puts descriptors back. On failure the
 * message was printed and everything was undone: returns WK_NEXT with *ok false, status 1. */
struct wk_redir_undo; /* list of saved descriptors in the arena */
enum wk_flow wk_redir_apply(struct wk_shell *sh, const struct wk_redir *const *r, size_t n,
                            struct wk_redir_undo **undo, bool *ok);
void wk_redir_undo(struct wk_shell *sh, struct wk_redir_undo *undo);
/* exec with only redirections: make them stay. */
void wk_redir_keep(struct wk_shell *sh, struct wk_redir_undo *undo);

/* Word list of $PIPESTATUS after a pipeline. */
int wk_set_pipestatus(struct wk_shell *sh, const int *v, uint32_t n);
/* The first command has run: from now on PIPESTATUS is that array, unless the name has been given to something else. */
WK_COLD void wk_pipestatus_begins(struct wk_shell *sh);
/* … after a command that is no pipeline. */
static inline void wk_set_status_alone(struct wk_shell *sh)
{
    if (WK_UNLIKELY(!sh->pipestatus_n))
        wk_pipestatus_begins(sh);
    sh->pipestatus[0] = sh->status;
    sh->pipestatus_n = 1;
}

/* With WK_EXIT: a signal or exec, which leave no text before the EXIT trap. */
static inline bool wk_ends_at_once(const struct wk_shell *sh)
{
    return sh->now.exit_signal || sh->exec_ended;
}
/* Inside of a text that eval or source runs as a condition: ERR was taken away, and one that is set there acts. */
static inline bool wk_err_is_apart(const struct wk_shell *sh)
{
    return sh->text_noerrexit && sh->now.noerrexit == sh->text_noerrexit && sh->st->traps;
}

#endif
