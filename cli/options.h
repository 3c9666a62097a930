/* options.h - the command line of the whelk program */
#ifndef WK_CLI_OPTIONS_H
#define WK_CLI_OPTIONS_H

#include "cli/box_options.h"

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
    struct wk_cli_box box;
    bool json, read_stdin, interactive, help, version;
};

/* Parse argv. 0, or 2 after a message on stderr. Strings point into argv. */
int wk_cli_parse(struct wk_cli_options *o, int argc, char **argv);
void wk_cli_options_release(struct wk_cli_options *o);
void wk_cli_help(void);

/* ---- for those that take options ---- */

/* Says "ARG: WHAT"; 2. */
int wk_cli_bad(const char *what, const char *arg);
/* A copy of n bytes that lives as long as the options; NULL. */
char *wk_cli_keep(struct wk_cli_options *o, const char *p, size_t n);
/* Bytes with K, M or G; a time with ms, s or m, in ns. */
bool wk_cli_parse_bytes(const char *s, uint64_t *out);
bool wk_cli_parse_time(const char *s, uint64_t *out);

#endif
