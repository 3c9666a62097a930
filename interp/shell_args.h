/* shell_args.h - the command line of bash and sh: options up to the script, the command or standard input */
#ifndef WK_INTERP_SHELL_ARGS_H
#define WK_INTERP_SHELL_ARGS_H

#include "interp/shell.h"
#include "interp/start.h"

struct wk_shell_args {
    struct wk_shell_options o;
    const char *self;      /* argv[0] */
    const char *command;   /* -c: for the caller to set */
    const char *rc_file;   /* --rcfile */
    const char *bad_shopt; /* of -O: told when everything else is right */
    bool sets_home;        /* called with a dash before its name: HOME is the user's directory if it has no value */
    bool has_command, login, no_profile, no_rc, list_options, list_shopts, list_plus, debugger, help, version;
    int status;             /* of a start that failed, or -1 */
    struct wk_buf out, err; /* what is said before there is a shell */
};

/* Reads the options; `a` holds self and two buffers. The index of the first operand, which is no more than argc. */
int wk_shell_args_parse(struct wk_shell_args *a, int argc, char **argv);

#endif
