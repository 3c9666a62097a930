/* shell.h - the interpreter of one process: state, evaluation context, flow
 *
 * One struct wk_shell serves one task. An inline subshell swaps `st` and `proc` and comes back.
 *
 * Flow: every evaluating function returns enum wk_flow. WK_NEXT goes on; anything else travels up
 * through ordinary scope exits to whoever it concerns. Allocation failure is reported once
 * (wk_sh_nomem) and travels as WK_STOP. No longjmp, nothing is dropped.
 */
#ifndef WK_INTERP_SHELL_H
#define WK_INTERP_SHELL_H

#include "base/arena.h"
#include "base/buf.h"
#include "interp/ast.h"
#include "interp/options.h"
#include "interp/state.h"
#include "kern/command.h"
#include "kern/proc.h"

enum wk_flow {
    WK_NEXT,     /* go on; sh->status is $? */
    WK_BREAK,    /* sh->flow_level loops to leave */
    WK_CONTINUE, /* sh->flow_level loops: continue the outermost of them */
    WK_RETURN,   /* from a function or sourced file; sh->status */
    WK_ABORT, /* an error that abandons the present complete command (readonly, bad expansion in an
                 interactive-style context): back to the reader of commands, status 1 */
    WK_EXIT,  /* exit builtin, errexit, fatal expansion error, fatal signal (sh->now.exit_signal) */
    WK_STOP   /* limit, kill, cancel, close: nothing more runs, not even traps */
};

/* Of a substitution, or of ( list ), where only a simple command at the end takes the shell's place. */
enum wk_replace { WK_REPLACE_NOT, WK_REPLACE_SUBST, WK_REPLACE_SUBSHELL };

enum wk_frame_kind {
    WK_FRAME_MAIN,
    WK_FRAME_FUNCTION,
    WK_FRAME_SOURCE,
    WK_FRAME_TRAP,
    WK_FRAME_EVAL
};

/* A call in progress: function, sourced file, trap. On the evaluator's stack; copied for a forked
 * task. */
struct wk_frame {
    struct wk_frame *prev;
    enum wk_frame_kind kind;
    struct wk_func *func;    /* FUNCTION */
    struct wk_val *source;   /* file of the code that runs in it */
    uint32_t call_line;      /* line of the call, in the caller's source */
    uint32_t level;          /* function depth: locals made in it carry this */
    uint32_t saved_base;     /* saved stack height at entry */
    struct wk_params params; /* the caller's, put back on return (when has_params) */
    bool has_params;
    uint32_t def_line;      /* FUNCTION: line of its definition */
    uint64_t local_options; /* `local -`: options to restore */
    uint64_t local_shopts;  /* what posix mode had of shopt then */
    bool has_local_options;
    bool has_getopts;
    struct wk_getopts_place getopts; /* after `local OPTIND`: the place to go back to */
    int loop_depth;     /* caller's, put back */
    bool counted;   /* began under extdebug: BASH_ARGV and BASH_ARGC have its arguments */
    uint32_t n_args;
    const struct wk_str *args;
};

struct wk_jobs;
struct wk_shell_hooks;
struct wk_func;

/* What a special builtin did that ends a POSIX shell, unless `command` ran it. */
enum wk_special_error {
    WK_SPECIAL_OK,
    WK_SPECIAL_USAGE, /* was misused: ends it outside of conditions */
    WK_SPECIAL_FATAL, WK_SPECIAL_TEXT /* could not run the text it was given: by `builtin', too */
};

/* With WK_EXIT: which scopes bash has left already when it runs the EXIT trap. */
enum wk_leave {
    WK_LEAVE_HERE,       /* none: the trap sees the function's variables and its descriptors */
    WK_LEAVE_REDIRECTED, /* all inside of the function or builtin that was called with redirections */
    WK_LEAVE_TEXT        /* all inside of the text that eval, source or a trap runs; or every one */
};

/* What goes on in the present process: an inline subshell begins with its parent's, which is put back at its end. */
struct wk_now {
    struct wk_frame *frame;        /* innermost */
    struct wk_tree *tree;          /* the tree being evaluated (held) */
    const struct wk_node *command; /* BASH_COMMAND */
    struct wk_tree *command_tree;  /* holds `command` when the text that it came from has ended */
    const struct wk_node *command_held; /* what `command` was then */
    const struct wk_node *exit_command; /* `command` for EXIT: what runs the outermost text; NULL: itself */
    const struct wk_node *alone;   /* the simple command or { } that this process is for */
    struct wk_val *last_arg;       /* $_ (held) */
    struct wk_procsubs *procsubs;  /* descriptors of process substitutions of the command in progress */
    struct wk_jobs *jobs;
    struct wk_jobs *outer_jobs;    /* inline subshell: the parent's jobs, shown while it has none */
    struct wk_coproc coproc;       /* the newest of this shell */
    uint64_t signals_running;      /* whose traps are in progress */
    int loop_depth;
    int noerrexit;                 /* > 0: inside a condition or behind `!': set -e and ERR do not act … */
    int negations;                 /* … as many are `!' without set -e: all but what they stand before is checked */
    int exit_signal;               /* WK_EXIT because of this signal; 0 = none */
    uint32_t last_bg_pid;          /* $! ; 0 = none */
    uint32_t base_depth;           /* sh->depth where the process began */
    uint32_t redirected;           /* calls with redirections in progress, in this process */
    uint32_t texts_base;           /* eval, source and traps in progress when it began */
    uint32_t read_line;            /* the end of the last ( … ) before a | of the text in progress, or 0 */
    uint32_t traps_running;        /* bits: DEBUG, ERR, RETURN, EXIT in progress (trap.c) */
    uint8_t traps_hidden;          /* the same, not inherited by the function that runs (trap.c) */
    uint8_t replace;               /* enum wk_replace: the next simple command is the last of this process */
    bool in_trap, exiting, exit_trap_ran; /* the last: before the scopes of WK_EXIT ended */
    bool in_exit_trap;             /* its own process's: `exit' has the status from before it */
    bool no_exit_trap;             /* in a stage or in the background, of a compound command: only a signal runs it */
    bool is_paren;                 /* the process of a ( … ) */
    bool is_subshell;              /* not the shell that read the script */
    bool is_substitution;          /* $( ) or <( ) itself: silent on jobs */
    bool in_substitution;          /* in $( ) or <( ), whatever is around it there; eval, source and traps are not */
    bool early;                    /* for a simple command whose words are not expanded yet: it ends as its shell */
    bool ends_as_outer;            /* the same, also when they are: one that fails has the outer status */
    bool stdin_given;              /* by a pipe or a compound command: background commands keep it */
    bool text_command;             /* the last command with a name was eval or source */
    bool arith_failed;             /* a value or subscript was no expression */
    bool assign_error;             /* an element of a compound assignment was refused */
};

struct wk_shell {
    /* hot */
    struct wk_kern *k;
    struct wk_task *task;
    struct wk_mem *mem;
    struct wk_state *st;
    struct wk_proc *proc;
    int status;                    /* $? */
    uint32_t line;                 /* $LINENO: stored by every command */
    uint32_t failed_line;          /* $LINENO of an ERR trap: of the last command that can fail by itself */
    uint32_t depth;                /* calls of functions, source, eval, traps, substitutions */
    uint32_t around_line;          /* where a compound command's redirections are: the end of the complete command, or
                                      the line of the function, for, select or case around it */
    int flow_level;
    int text_noerrexit;    /* noerrexit around the innermost text: eval, source, a trap; 0 in the main text */
    struct wk_arena arena; /* words of the command in progress: marked and rewound */
    struct wk_names *names;
    struct wk_now now;

    /* cold */
    struct wk_shared *shared; /* session-wide caches: trees by text, patterns, regexes, paths */
    const char *name; /* prefix of messages: $0 */
    const char *self; /* how the shell's program was called; NULL: bash */
    bool interactive, posix_at_start, is_main, command_string, restricted;
    bool errexit_pending;
    uint8_t leaving;       /* enum wk_leave */
    bool by_errexit;       /* WK_EXIT because of set -e */
    bool err_is_new;                /* the command that failed has set ERR, which does not act on it */
    bool level_due;        /* of a pipeline's stage: BASH_SUBSHELL counts it once its words are expanded */
    bool for_others;       /* variables are set for a command, or before the shell begins: they do not act */
    uint32_t texts;        /* eval, source and traps in progress */
    int fatal_status;      /* $? when the signal that ends the shell came: what the EXIT trap sees */
    int last_subst_status; /* status of the last command substitution in an assignment, -1 = none */
    uint32_t pipestatus_n, pipestatus_cap;
    int *pipestatus; /* at first pipestatus_few */
    int pipestatus_few[4];
    uint32_t shell_pid;         /* $$ */
    uint32_t command_number;    /* of the shell's input, from 1; 0: of -c */
    struct wk_var *regex_match; /* BASH_REMATCH is an ordinary array variable; unused when NULL */
    const struct wk_shell_hooks *hooks;
    void *hooks_ctx;
    uint32_t xtrace_depth;
    uint32_t end_depth;         /* what it was when a signal or exec ended the shell */

    /* control */
    uint64_t sig_at_start;        /* ignored when the shell began: they stay so */
    uint64_t async_ignores;       /* signals ignored by a list & alone */
    int previous_status;          /* $? before the builtin in progress */
    const struct wk_node *refused;   /* the last compound command whose redirections failed */
    const struct wk_node *debugged;  /* the stage, or all that this process is for, that DEBUG has been run for */
    const struct wk_node *unchecked; /* its failure is not looked at: behind `!', or all that this process is for */
    uint32_t trap_depth;          /* func_depth where the trap in progress began */
    bool import_failed;           /* a function from the environment had wrong syntax in $(…): bash ends there */
    bool keep_redirections;       /* the builtin is exec: the present ones stay */
    bool text_failed;             /* now.text_command, and its syntax was wrong */
    bool operand_failed;          /* now.arith_failed because of an expansion in it */
    bool value_failed;            /* now.arith_failed, and it was a variable's value: $? stays, unless it is 0 */
    bool cond_refused;            /* the last term of [[ had an expression that is none */
    bool exec_ended;              /* exec has ended the shell, by its command or because it found none */
    bool exit_by_error;           /* the last WK_EXIT came from an error in an expansion */
    bool abort_all;               /* WK_ABORT is for the main text, not for eval, source and traps */
    int trap_status;              /* in a trap: $? before it, the status of a bare `exit` */
    int trap_result;              /* status of the last DEBUG trap under extdebug */
    const struct wk_arith *command_part; /* now.command is a C-style for: its expression in progress */
    uint32_t func_depth;          /* functions in progress: FUNCNEST, level of locals */
    uint32_t source_depth;        /* sourced files in progress: `return` is allowed */
    uint32_t subshell_inline;     /* inline subshells in progress on this shell */
    struct wk_bout *bout;         /* output that the builtin in progress has gathered (builtin.h) */
    bool from_stdin;              /* commands are read from standard input */
    uint8_t special_error;        /* enum wk_special_error of the special builtin in progress */
    bool login, expanding_prompt;
    bool no_history; /* the lines are not input, neither kept nor expanded with !, until `set -o history' */
    const char *builtin_name; /* builtin in progress, for messages of expansions */
    bool arith_exits;         /* with now.arith_failed: the shell ends */
    bool told_readonly;       /* a readonly variable was refused */
    bool told_fatal;          /* an error that ends a shell with -e at once was told */
    bool in_command;          /* `command' runs: assignments that fail end no posix shell */
    bool declares;            /* a declaring builtin's list is being assigned */
    const char *running; /* function or builtin whose first command begins: who errors are told of; NULL */
    struct wk_frame main_frame;
    struct wk_state own_state; /* what st points at outside inline subshells */
};

/* ---- messages (errors go to descriptor 2) ---------------------------------------------------- */

/* "NAME: line N: " at the front of b. */
void wk_sh_error_prefix(struct wk_shell *sh, struct wk_buf *b);
/* "NAME: line N: …\n" as bash prefixes errors of scripts. fmt as wk_buf_fmt. */
void wk_sh_error(struct wk_shell *sh, const char *fmt, ...) WK_PRINTF(2, 3);
/* "NAME: line N: BUILTIN: …\n". */
void wk_sh_builtin_error(struct wk_shell *sh, const char *builtin, const char *fmt, ...)
    WK_PRINTF(3, 4);
/* Bytes to a descriptor: 0 or -WK_Exxx. */
int wk_sh_write(struct wk_shell *sh, int fd, struct wk_str s);
/* Memory was refused: breach of the limit, WK_STOP. */
enum wk_flow wk_sh_nomem(struct wk_shell *sh);
/* Make of -WK_ENOMEM, -WK_ESTOP … a flow; other errors are the caller's business. */
enum wk_flow wk_sh_fail(struct wk_shell *sh, int err);
/* WK_EXIT, with the place that the EXIT trap runs at. */
enum wk_flow wk_sh_leave(struct wk_shell *sh, enum wk_leave upto);
/* … after an error in an expansion or an assignment. */
enum wk_flow wk_sh_leave_failed(struct wk_shell *sh);
/* An expansion error after its message was printed: status 1 and WK_EXIT in a script, WK_ABORT when
 * interactive or as bash does. */
enum wk_flow wk_sh_expansion_failed(struct wk_shell *sh);
/* The status with which bash ends where an error makes it leave the evaluation at once: 127 for a -c string. */
int wk_sh_end_status(const struct wk_shell *sh);
/* The complete command of the main text is abandoned (eval, source and traps end with it), or all of a -c
 * string. */
enum wk_flow wk_sh_give_up(struct wk_shell *sh);
/* "BUILTIN: too many arguments", which gives it up, too; $? of before stays if it was a failure, but where -c or a
 * substitution runs a text. */
enum wk_flow wk_sh_too_many(struct wk_shell *sh, const char *builtin);
/* The same: a value or subscript was no expression. */
enum wk_flow wk_sh_arith_failed(struct wk_shell *sh);
/* The flow of a subscript whose evaluation gave `flow`: the same again, but what an expansion in it did. */
enum wk_flow wk_sh_subscript_flow(struct wk_shell *sh, enum wk_flow flow);
/* What evaluating an expression gave, for the construct around it. *wrong: it failed, and that is the construct's
 * affair alone (WK_ABORT); an error in a subscript is not. */
enum wk_flow wk_sh_arith_flow(struct wk_shell *sh, enum wk_flow flow, bool *wrong);

/* One more level of calls: false after breaching WK_LIMIT_DEPTH. Pair with sh->depth--. */
bool wk_sh_enter(struct wk_shell *sh);

#endif
