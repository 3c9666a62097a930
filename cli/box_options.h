/* box_options.h - options of the command line that are about sandboxes: --sandbox, --delegate and theirs */
#ifndef WK_CLI_BOX_OPTIONS_H
#define WK_CLI_BOX_OPTIONS_H

#include <stdbool.h>
#include <whelk/delegate.h>
#include <whelk/sandbox.h>

struct wk_cli_options;

enum { WK_CLI_BOX_MAX = 16, WK_CLI_NAMES_MAX = 256 };

struct wk_cli_delegate {
    const char *kind, *image; /* image: NULL = that of --image */
    const char *commands[WK_CLI_NAMES_MAX];
    size_t n_commands;
};

struct wk_cli_box {
    const char *kind;        /* --sandbox; NULL */
    whelk_sandbox_options o; /* as given; what the program adds is left to wk_cli_box_fill */
    uint64_t given;          /* bits of the rows that were given */
    const char *first_given; /* for a message */
    const char *setup_file;  /* of the host */
    const char *user;        /* --user as it was given */
    whelk_port ports[WK_CLI_BOX_MAX];
    whelk_secret secrets[WK_CLI_BOX_MAX];
    const char *secret_commands[WK_CLI_BOX_MAX][WK_CLI_BOX_MAX];
    const char *extra[WK_CLI_BOX_MAX];
    struct wk_cli_delegate delegates[WK_CLI_BOX_MAX];
    size_t n_delegates;
    bool syncs;             /* --sync or --sync-limit was given */
    int sync;               /* enum whelk_sync */
    uint64_t sync_limit;    /* bytes that may come back at once; 0: the library's */
    bool verbose, tty;
};

/* Takes one option: how many arguments it used, 0 = none of these, -1 = an error was said. */
int wk_cli_box_take(struct wk_cli_options *o, int argc, char **argv, int i);
/* What does not go together. 0, or 2 after a message. */
int wk_cli_box_check(struct wk_cli_options *o);
/* Options of a sandbox, of which a delegate's only has what is its kind's. `setup`: the text of the set-up script. */
void wk_cli_box_fill(const struct wk_cli_options *o, const char *kind, const char *image, const char *setup,
                     whelk_sandbox_options *out);

#endif
