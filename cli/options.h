/* options.h - the command line of the whelk program */
#ifndef WK_CLI_OPTIONS_H
#define WK_CLI_OPTIONS_H

#include <stdbool.h>
#include <whelk.h>

enum { WK_CLI_MAX_LIST = 256 };

struct wk_cli_options {
    whelk_session_options session;
    whelk_limits limits;
    const char *env[WK_CLI_MAX_LIST];
    whelk_mount mounts[WK_CLI_MAX_LIST];
    const char *set[WK_CLI_MAX_LIST];
    size_t n_set;
    char *owned[2 * WK_CLI_MAX_LIST]; /* parts cut out of arguments, freed at the end */
    size_t n_owned;
    char user[64];
    const char *command;   /* -c */
    const char *file;      /* script of the session's files */
    const char *host_file; /* script of the host, read by the program */
    const char *arg0;
    const char *const *args;
    size_t n_args;
    bool json, read_stdin, interactive, help, version;
};

/* Parse argv. 0, or 2 after a message on stderr. Strings point into argv. */
int wk_cli_parse(struct wk_cli_options *o, int argc, char **argv);
void wk_cli_options_release(struct wk_cli_options *o);
void wk_cli_help(void);

#endif
