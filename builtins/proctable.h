/* proctable.h - the processes of the session, as /proc tells of them
 *
 * For ps, pgrep, killall, top and their kin: all is read from the files of /proc, as the real tools
 * do. A table lives in the process heap and shows one moment; a process that ends while it is read
 * is left out.
 */
#ifndef WK_BUILTINS_PROCTABLE_H
#define WK_BUILTINS_PROCTABLE_H

#include "kern/cmd.h"

enum { WK_PROC_HZ = 100 }; /* clock ticks a second in /proc */

struct wk_procinfo {
    uint32_t pid, ppid, pgid, sid;
    uint32_t uid[4], gid[4]; /* real, effective, saved, of files */
    uint32_t tty;            /* device number, 0: none */
    int32_t tpgid;
    char state;
    char *comm;
    char *args; /* arguments, a NUL behind each */
    size_t args_n;
    uint64_t start, utime, stime; /* in ticks; start counts from boot */
    uint64_t vsize, rss;          /* bytes, pages */
    int64_t priority, nice, threads;
    uint64_t flags, minflt, majflt;
    uint64_t pending, blocked, ignored, caught;
};

struct wk_proctable {
    struct wk_procinfo *v; /* in order of pid */
    size_t n;
    int64_t boot;        /* seconds since 1970 */
    uint64_t uptime_cs;  /* ticks since then */
    uint64_t memory_kib; /* of the session */
};

/* Reads them all; without /proc the process ends with a message. P A */
void wk_proctable_read(struct wk_cmd *c, struct wk_proctable *t);
void wk_proctable_release(struct wk_cmd *c, struct wk_proctable *t);
/* The text of a file, in the heap, "" when it cannot be read; a NUL stands behind its *n bytes. P A */
char *wk_proc_text(struct wk_cmd *c, const char *path, size_t *n);
/* A file of a process: "/proc/PID/NAME". P A */
char *wk_proc_file(struct wk_cmd *c, uint32_t pid, const char *name, size_t *n);
/* The numbers of a line "KEY: NUMBER" (a key with its colon), 0 when it is not there. */
uint64_t wk_proc_number(const char *text, const char *key, int base);
/* The value in KiB of a line of /proc/meminfo. */
static inline uint64_t wk_proc_kib(const char *meminfo, const char *key)
{
    return wk_proc_number(meminfo, key, 10);
}
/* "tty", "pts/0", "?" (for none): the name of a terminal's device, in the heap. */
const char *wk_proc_tty(struct wk_cmd *c, uint32_t dev);

#endif
