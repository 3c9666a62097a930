/* run.h - parts of the evaluator that its files share: running text, clones, parameters, cheap helpers
 *
 * Owner: the evaluator. Not for builtins unless said.
 */
#ifndef WK_INTERP_RUN_H
#define WK_INTERP_RUN_H

#include "interp/eval.h"
#include "interp/parser.h"

/* ---- shell.c --------------------------------------------------------------------------------- */

/* Slices and bytes copied into one block with one reference; NULL when refused. */
struct wk_param_block *wk_param_block_new(struct wk_mem *m, const struct wk_str *v, size_t n);
void wk_param_block_unref(struct wk_mem *m, struct wk_param_block *b);
/* Replace $1… by copies (set --). 0 or -WK_ENOMEM. */
int wk_sh_set_params(struct wk_shell *sh, const struct wk_str *v, size_t n);

/* A shell with forked state for a task of its own; its proc and task are still the parent's: the
 * caller sets them. `jobs`: it shows the parent's. NULL when refused. Freed with wk_shell_clone_free. */
struct wk_shell *wk_shell_clone(struct wk_shell *parent, bool jobs);
void wk_shell_clone_free(struct wk_shell *sh);

/* ---- run.c: from text to evaluation ---------------------------------------------------------- */

enum wk_run_mode {
    WK_RUN_MAIN,   /* a script, -c, standard input: an abandoned command goes on with the next */
    WK_RUN_EVAL,   /* eval */
    WK_RUN_SOURCE, /* source */
    WK_RUN_TRAP,       /* trap text */
    WK_RUN_TRAP_RETURN /* the same; set -v does not show it */
};

/* Parse and run text that starts at `line`; `what` stands before syntax messages ("eval", "-c"); NULL: none. All
 * flows are handed up; a syntax error is status 2, and not WK_ABORT for the caller to judge: *bad_syntax tells. */
enum wk_flow wk_run_text(struct wk_shell *sh, struct wk_str text, uint32_t line, const char *what,
                         enum wk_run_mode mode, bool *bad_syntax);
/* The commands that an editor left for fc: each line is shown, and kept as input is. */
enum wk_flow wk_run_edited(struct wk_shell *sh, struct wk_str text);
/* The same for the commands of a file, line by line; the file's offset is after the last line taken. */
enum wk_flow wk_run_stream(struct wk_shell *sh, struct wk_file *f, enum wk_run_mode mode,
                           bool *bad_syntax);
/* Options of the parser for this shell. */
void wk_run_parse_opts(struct wk_shell *sh, struct wk_parse_opts *o);

/* source PATH with arguments (n = 0: the present ones stay). name is for messages and BASH_SOURCE. */
enum wk_flow wk_run_source(struct wk_shell *sh, const char *path, const char *name,
                           const struct wk_str *args, size_t n);

/* A start file: $? is left alone when it cannot be read, and by its `return'. */
enum wk_flow wk_run_start_file(struct wk_shell *sh, const char *path);

/* ---- func.c -------------------------------------------------------------------------------------
 */

void wk_func_unref(struct wk_mem *m, struct wk_func *f);
/* Attributes of a function (declare -fx, readonly -f…). 0, -WK_ENOENT, -WK_ENOMEM. */
int wk_func_attributes(struct wk_shell *sh, uint32_t name, uint32_t add, uint32_t remove);

/* ---- eval_simple.c, leaf.c ------------------------------------------------------------------- */

/* How a leaf command is to be run. */
struct wk_leaf {
    const char *path;
    const struct wk_command *command; /* known, or NULL */
    const struct wk_str *v;
    size_t n;
    struct wk_env **env; /* where the environment of its last start is kept; NULL: nowhere */
    struct wk_env **env_less; /* the same of a start in the shell's place */
    bool replaces;  /* nothing comes after it in its shell, which SHLVL does not count */
    bool exec;      /* the shell becomes the command: _ does not tell it its file */
    bool clear_env; /* exec -c */
    bool default_path; /* command -p */
};
/* Further flag of wk_run_words: do the node's assignments after its redirections. */
enum { WK_RUN_ASSIGN = 16 };

/* Start a leaf on `child` (forked, its descriptors ready) with the exported variables as its
 * environment. 0, or the error of execve (the child is finished and reaped by the caller). */
int wk_leaf_start(struct wk_shell *sh, struct wk_proc *child, const struct wk_leaf *leaf);
/* Park until the child has ended and take its status. `replace`: signals to this shell go to the
 * child, which stands in its place. Else an INT that the child lives through does not end a script's shell either. */
enum wk_flow wk_wait_child(struct wk_shell *sh, struct wk_proc *child, bool replace,
                           struct wk_exit *e);
/* Run a leaf by words in the foreground, with redirections r done in the child. */
enum wk_flow wk_run_leaf(struct wk_shell *sh, const struct wk_str *v, size_t n,
                         const struct wk_node *node, int flags);
/* In a child's state (inline): expand a simple command that is plainly a program, redirect, and
 * start it on sh->proc itself. *child is that process when it runs; NULL after a message,
 * sh->status set. */
enum wk_flow wk_leaf_prepare(struct wk_shell *sh, const struct wk_node_simple *s,
                             struct wk_proc **child);
/* "…: command not found" and its kin for a command that could not be found or started; the status. */
int wk_leaf_error(struct wk_shell *sh, struct wk_str name, const char *path, int err);

/* After a command that failed: ERR trap and set -e. */
enum wk_flow wk_eval_failed(struct wk_shell *sh, const struct wk_node *n);
/* The cheap half: call after every command that these act on. */
static inline enum wk_flow wk_eval_check(struct wk_shell *sh, const struct wk_node *n)
{
    if (WK_LIKELY(sh->status == 0) || (sh->now.noerrexit > sh->now.negations && !wk_err_is_apart(sh)))
        return WK_NEXT;
    return wk_eval_failed(sh, n);
}
/* A line of the code that runs in a frame, as LINENO shows it: an interactive shell counts a function's from its
 * first. */
static inline uint32_t wk_frame_line(const struct wk_shell *sh, const struct wk_frame *f, uint32_t line)
{
    while (f && f->kind != WK_FRAME_FUNCTION && f->kind != WK_FRAME_SOURCE && f->kind != WK_FRAME_MAIN)
        f = f->prev;
    bool counts = sh->interactive && f && f->kind == WK_FRAME_FUNCTION && line >= f->def_line;
    return counts ? line - f->def_line + 1 : line;
}
/* BASH_COMMAND, which a trap leaves as it was. */
static inline void wk_set_command(struct wk_shell *sh, const struct wk_node *n)
{
    if (WK_LIKELY(!sh->now.in_trap))
        sh->now.command = n;
}
/* The evaluation of a text or function body ends that began when BASH_COMMAND was `before`: what it is now stays. */
static inline void wk_hold_command(struct wk_shell *sh, struct wk_tree *tree, const struct wk_node *before)
{
    if (sh->now.command == before || sh->now.command == sh->now.command_held)
        return;
    sh->now.command_held = sh->now.command;
    if (sh->now.command_tree != tree) {
        wk_tree_unref(sh->now.command_tree);
        sh->now.command_tree = wk_tree_ref(tree);
    }
}
/* The same; watched: there was an ERR trap before the command began: else it is not for it. */
enum wk_flow wk_eval_check_as(struct wk_shell *sh, const struct wk_node *n, bool watched);
/* One command of a pipeline and so on. */
enum wk_flow wk_eval_simple(struct wk_shell *sh, const struct wk_node *n);
enum wk_flow wk_eval_pipeline(struct wk_shell *sh, const struct wk_node *n);
/* The words that a for or select goes through, in the arena. */
struct wk_fields;
/* The variable of for or select was refused (e of vars.h, its message printed): the loop fails, and with set -e or
 * in POSIX mode the shell ends. */
enum wk_flow wk_loop_refused(struct wk_shell *sh, int e);
enum wk_flow wk_for_words(struct wk_shell *sh, const struct wk_node_for *f, struct wk_fields *out);
enum wk_flow wk_eval_select(struct wk_shell *sh, const struct wk_node *n);
enum wk_flow wk_eval_function_def(struct wk_shell *sh, const struct wk_node *n);
/* The builtin that the literal first word of a command names, enabled or not; remembered on the
 * node. NULL: none. */
const struct wk_builtin *wk_node_builtin(struct wk_shell *sh, const struct wk_node_simple *s);
/* A command followed by &. */
enum wk_flow wk_eval_async(struct wk_shell *sh, const struct wk_node *n);
/* DEBUG trap and debugger hook before a command; *skip: extdebug says not to run it. */
enum wk_flow wk_eval_before(struct wk_shell *sh, const struct wk_node *n, bool *skip);
static inline bool wk_eval_watched(const struct wk_shell *sh)
{
    return sh->st->traps || (sh->hooks && sh->hooks->before_command);
}

/* ---- eval_assign.c --------------------------------------------------------------------------- */

/* Assignments before a command. tempenv: they are pushed on the saved stack and exported. */
enum wk_flow wk_assign_all(struct wk_shell *sh, const struct wk_node_simple *s, bool tempenv);
/* The same for the environment of a command that is not of the shell: variables do not act. */
enum wk_flow wk_assign_for_leaf(struct wk_shell *sh, const struct wk_node_simple *s);
/* A compound assignment with its values expanded now, in the arena. */
enum wk_flow wk_assign_expand(struct wk_shell *sh, const struct wk_assign *as, bool keyed,
                              const struct wk_assign **out);
/* What set -x shows of such a copy. */
enum wk_flow wk_assign_trace(struct wk_shell *sh, const struct wk_assign *as);
/* "name=value" with the value expanded as an assignment's, in the arena (alias x=…, command export
 * x=…). */
enum wk_flow wk_assign_word_text(struct wk_shell *sh, const struct wk_assign *as, struct wk_str *out);

/* ---- subshell.c ------------------------------------------------------------------------------ */

/* Room for what an inline subshell changes in a shell. */
struct wk_inline {
    struct wk_state st;
    struct wk_now old;
    struct wk_state *old_st;
    struct wk_proc *old_proc, *proc;
    uint32_t pid;
    bool old_frame_options;
    bool kept;          /* its end is still to be taken in by the parent */
    bool in_foreground; /* as the children that are waited for; set after it was begun */
    bool no_status;     /* no command has run in the shell around */
    bool entered;
};
/* Begin and end. begin: 0, -WK_EAGAIN after a message, -WK_ENOMEM. end runs the EXIT trap, makes *e
 * the status, and gives the flow that goes on in the parent (WK_NEXT or WK_STOP). */
int wk_inline_begin(struct wk_shell *sh, struct wk_inline *in);
/* It is waited for in the foreground and no substitution: nothing of the shell's coprocess is its own. */
void wk_inline_is_subshell(struct wk_shell *sh, struct wk_inline *in);
/* The process was given a task of its own by wk_exec_on: back to the parent without ending it. */
void wk_inline_detach(struct wk_shell *sh, struct wk_inline *in);
enum wk_flow wk_inline_end(struct wk_shell *sh, struct wk_inline *in, enum wk_flow flow,
                           struct wk_exit *e);

/* ---- procsub.c ------------------------------------------------------------------------------- */

/* Descriptors that process substitutions opened since `mark` are closed. */
struct wk_procsubs *wk_procsubs_mark(const struct wk_shell *sh);
void wk_procsubs_close(struct wk_shell *sh, struct wk_procsubs *mark);
enum wk_flow wk_procsub_open(struct wk_shell *sh, const struct wk_seg *seg, struct wk_str *path);

/* Run the commands of a substitution as the text that they print as, in which aliases count. Syntax errors are
 * those of `what`, and end the shell with status 2. */
enum wk_flow wk_run_with_aliases(struct wk_shell *sh, const struct wk_cmdsub *sub, const char *what);
/* Run a command substitution inline, its output appended to `out` as it came. sh->status is its status, and
 * last_subst_status. */
enum wk_flow wk_capture_command(struct wk_shell *sh, const struct wk_seg *seg, struct wk_buf *out);
/* What became of jobs is told as bash reads the text of $( ) and <( ), with the line behind its last. */
void wk_subst_jobs(struct wk_shell *sh, const struct wk_cmdsub *sub);

/* The node, writable. */
static inline struct wk_node *wk_node_mutable(const struct wk_node *n)
{
    return &wk_as_simple(n)->base;
}

/* Run fn(arg) on a further stack segment when this one is nearly used up; used at calls that nest. */
struct wk_deep_call {
    struct wk_shell *sh;
    const struct wk_node *n;
    enum wk_flow flow;
};
enum wk_flow wk_eval_deep(struct wk_shell *sh, const struct wk_node *n);
/* ( list ) in a process that was made for nothing else, a background job's or a stage's: no further one. */
enum wk_flow wk_eval_subshell_here(struct wk_shell *sh, const struct wk_node *n);

#endif
