/* start.h - starting a shell, and giving it scripts: what api/ and the command bash do with one
 *
 * Owner: shell.c, run.c, shell_main.c. Not for builtins.
 */
#ifndef WK_INTERP_START_H
#define WK_INTERP_START_H

#include "interp/shell.h"

/* Start values of a shell: environment imported, defaults set. Used by api/ and by bash(1). */
struct wk_shell_options {
    const char *arg0;          /* $0 */
    const struct wk_str *args; /* $1… */
    size_t nargs;
    uint64_t set_options;   /* bits of options.h to turn on */
    uint64_t clear_options; /* … and off */
    uint64_t shopts_on, shopts_off;
    bool posix, interactive, read_stdin, import_functions;
    const char *self; /* argv[0], which says what goes wrong before $0 counts; NULL: bash */
};
struct wk_shell *wk_shell_new(struct wk_task *t, struct wk_names *names, struct wk_shared *shared,
                              const struct wk_shell_options *o, int *err);
void wk_shell_free(struct wk_shell *sh);
/* The pieces that all shells of a session share (trees by text, compiled patterns). */
struct wk_shared *wk_shared_new(struct wk_mem *m);
void wk_shared_free(struct wk_shared *s);

/* Run text as `-c` does / the commands of a descriptor / one `eval`. The flow that ends it is
 * consumed except WK_EXIT, WK_STOP (and RETURN, BREAK… for eval). */
enum wk_flow wk_sh_run_text(struct wk_shell *sh, struct wk_str text, const char *source_name);
enum wk_flow wk_sh_run_file(struct wk_shell *sh, struct wk_file *f, const char *source_name);
enum wk_flow wk_sh_eval_text(struct wk_shell *sh, struct wk_str text, uint32_t line);
/* Run a script file of the session by path, as `bash FILE` does (126, 127 and messages included).
 */
enum wk_flow wk_sh_run_script_file(struct wk_shell *sh, const char *path);
/* $0 and $1… of the next run in a lasting shell. 0 or -WK_ENOMEM. */
int wk_sh_set_parameters(struct wk_shell *sh, const char *arg0, const struct wk_str *args,
                         size_t n);
/* Traps on EXIT, then the final status. */
struct wk_exit wk_sh_finish(struct wk_shell *sh, enum wk_flow flow);
/* Reset what a shell's death resets (traps, set options, exec's redirections) and keep the rest:
 * the next run in the same session goes on with it. */
void wk_sh_reset_after_exit(struct wk_shell *sh);

/* Entry of `bash` and `sh` as commands: ends the process itself. */
void wk_shell_command_main(struct wk_task *t, int argc, char **argv);

#endif
