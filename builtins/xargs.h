/* xargs.h - xargs: reading items (xargs_read.c) and running commands (xargs_run.c) */
#ifndef WK_BUILTINS_XARGS_H
#define WK_BUILTINS_XARGS_H

#include "builtins/fsops.h"
#include "builtins/launch.h"

struct wk_xargs_opts {
    bool null, open_tty, no_run_empty, verbose, ask, exit_long, show_limits;
    bool has_delim, many; /* many: -P 0 */
    char delim;
    const char *file, *eof, *replace, *slot_var;
    int64_t max_args, max_lines, max_chars, max_procs; /* 0 = not given (max_procs: no limit) */
};

enum wk_xargs_item { WK_XARGS_END, WK_XARGS_ITEM, WK_XARGS_ITEM_EOL }; /* EOL: the line ends with it */

struct wk_xargs {
    struct wk_cmd *c;
    struct wk_xargs_opts *o;
    struct wk_file *file;       /* where items come from; NULL: closed */
    char *block;                /* bytes read */
    size_t at, n;
    bool at_end, warned_nul, ended, last; /* last: what is started now is not waited for */
    struct wk_fifo_buf item;    /* the present item, NUL-terminated */

    char **argv;                /* fixed arguments and gathered items */
    size_t fixed, argc, cap;
    size_t fixed_bytes, bytes, max_bytes;

    struct wk_file *null_in;    /* standard input of commands */
    uint32_t *slots;            /* pids by slot; 0 = free */
    size_t slots_n, running;
    int status;                 /* to end with */
};

/* The next item, in x->item. A wrong quote ends the process. P */
enum wk_xargs_item wk_xargs_next(struct wk_xargs *x);

/* Runs argv[0..argc); waits first while too many run. P */
void wk_xargs_run(struct wk_xargs *x, char **argv, size_t argc);
/* Waits for all. P */
void wk_xargs_wait_all(struct wk_xargs *x);
/* Runs what has gathered after the fixed arguments, then forgets it. */
void wk_xargs_flush(struct wk_xargs *x);

#endif
