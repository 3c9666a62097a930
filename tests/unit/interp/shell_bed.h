/* shell_bed.h - a shell over an empty memory file system, for tests of expansions and variables
 *
 * Builtins: `p` prints its arguments as <a><b> and a newline; `:` does nothing.
 */
#ifndef WK_TESTS_INTERP_SHELL_BED_H
#define WK_TESTS_INTERP_SHELL_BED_H

#include "interp/run.h"
#include "interp/vars.h"

struct shell_bed {
    struct wk_kern k;
    struct wk_mem *mem;
    struct wk_stacks *stacks;
    struct wk_vfs_hub *hub;
    struct wk_vfs *vfs;
    struct wk_proc *proc;
    struct wk_names *names;
    struct wk_shared *shared;
    struct wk_shell_hooks hooks;
    struct wk_buf out, err;
    struct wk_shell *sh;
    struct wk_exit exit;
    /* What the task does: run this script, or call this function with the shell. */
    const char *script;
    void (*body)(struct shell_bed *b);
    bool started;
};

void shell_bed_open(struct shell_bed *b, size_t memory);
/* Frees everything; fails the test when a byte of the account is left. */
void shell_bed_close(struct shell_bed *b);
/* Adds an empty file (directories on the way are made). */
void shell_bed_touch(struct shell_bed *b, const char *dir, const char *name);
/* Runs a script in a fresh shell; what it printed, valid until the next run. The status is in exit.
 */
const char *shell_bed_run(struct shell_bed *b, const char *script);
/* Calls body on the shell's task. */
void shell_bed_call(struct shell_bed *b, void (*body)(struct shell_bed *b));
/* The same as run in a bed of its own: one call for one check. The text is static. */
const char *shell_bed_once(const char *script);

#endif
