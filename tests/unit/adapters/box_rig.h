/* box_rig.h - a box by its table, and a loop that pumps it: for the tests of kinds */
#ifndef WK_TESTS_BOX_RIG_H
#define WK_TESTS_BOX_RIG_H

#include "whelk/sandbox_kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RIG_WAIT_MS = 30000 };

struct rig {
    const whelk_sandbox_kind *kind;
    void *box;
    whelk_box_facts facts;
    int code;               /* of the opening */
    char error[1024], notices[2048];
    uint32_t next_id;
    bool lost;              /* pump said so */
};

/* Opens; r->code is the answer. */
void rig_open(struct rig *r, const whelk_sandbox_kind *kind, const whelk_sandbox_options *o);
void rig_close(struct rig *r);
/* Pumps until *flag, at most RIG_WAIT_MS or as long as given; whether it came. */
bool rig_until(struct rig *r, const bool *flag);
bool rig_until_ms(struct rig *r, const bool *flag, int ms);

/* A process and all that was told of it. */
struct rig_run {
    struct rig *r;
    uint32_t id;
    char order[32];         /* s(tarted) f(ailed) e(xited) c(losed) l(ost), as they came; "o" once for output */
    bool started, failed, exited, closed, lost, ended; /* ended: closed, failed or lost */
    int code;
    char text[512];         /* of failed, lost */
    whelk_exit exit;
    char *out[2];           /* what came, NUL behind; at most `keep` bytes */
    size_t n[2], keep;
    uint64_t total[2], room;
    bool unread;            /* nobody reads its input */
    bool no_welcome;        /* output is not welcomed by itself */
};
/* Starts argv (ended by NULL) with flags of a spec; its events go to run. The code of start. */
int rig_start(struct rig *r, struct rig_run *run, const char *const *argv, uint32_t flags);
int rig_start_spec(struct rig *r, struct rig_run *run, const whelk_spec *spec);
/* Runs a script of the shell to its end; true when it was closed. rig_free afterwards. */
bool rig_sh(struct rig *r, struct rig_run *run, const char *script);
/* Forgets the process and frees what it wrote. */
void rig_free(struct rig_run *run);

/* A file request to its end: its code. Entries are put into `list`, one a line in order: "TYPE CHANGE PATH[ ->
 * TARGET]". */
struct rig_file {
    bool done;
    int code;
    uint64_t size;
    char text[400];
    char *list, *data;
    size_t list_n, data_n, entries;
    whelk_file_entry last;
};
int rig_file(struct rig *r, struct rig_file *f, const whelk_file_request *q);
void rig_file_free(struct rig_file *f);
int rig_put(struct rig *r, const char *path, const void *data, size_t n);
/* Signals; the answer. */
int rig_signal(struct rig *r, const struct rig_run *run, int sig, int scope);

/* Whether a process is there, and no zombie. */
bool rig_alive(int pid);
/* Waits until it is gone, so long. */
bool rig_gone(int pid, int ms);
/* The number in a file, waited for; 0. */
int rig_number(const char *directory, const char *name);
/* Open descriptors of this process. */
size_t rig_descriptors(void);
/* Children of this process. */
size_t rig_children(void);

#endif
