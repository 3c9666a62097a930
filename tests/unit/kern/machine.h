/* machine.h - a machine with a memory vfs and leaf commands of the tests' own */
#ifndef WK_TESTS_KERN_MACHINE_H
#define WK_TESTS_KERN_MACHINE_H

#include "kern/cmd.h"
#include "kern/hostio.h"

struct machine {
    struct wk_kern k;
    struct wk_mem *mem;
    struct wk_stacks *stacks;
    struct wk_vfs_hub *hub;
    struct wk_vfs *vfs;
    struct wk_registry registry;
    struct wk_proc *shell; /* parent of what a test starts; streams 0, 1, 2 */
    struct wk_file *out, *err;
    struct wk_buf text, messages;
};

/* NULL-terminated table of the test's commands. */
void machine_open(struct machine *m, const struct wk_command *const *commands, size_t memory);
/* Ends everything; fails the test when a byte of the account is left. */
void machine_close(struct machine *m);

/* A stage of a pipeline: command and blank-separated arguments. Starts them all, runs until they
 * have ended; returns the status of the last and fills statuses (may be NULL). */
int machine_pipeline(struct machine *m, size_t n, const char *const *lines, int *statuses);
/* Start one command without waiting. */
struct wk_proc *machine_start(struct machine *m, const char *line);
/* Run until nothing can go on (or the process has ended). */
void machine_run(struct machine *m);

#endif
