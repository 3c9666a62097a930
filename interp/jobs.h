/* jobs.h - jobs of a shell: pipelines started with & (bash 7) */
#ifndef WK_INTERP_JOBS_H
#define WK_INTERP_JOBS_H

#include "interp/shell.h"

enum wk_job_state { WK_JOB_RUNNING, WK_JOB_STOPPED, WK_JOB_DONE };

struct wk_job_proc {
    uint32_t pid;
    bool done;
    struct wk_exit exit;
};

struct wk_job {
    struct wk_job *next;
    uint32_t number;        /* %N */
    uint32_t pgid;
    enum wk_job_state state;
    bool notified, disowned, nohup, foreground;
    struct wk_val *text;    /* command line as `jobs` shows it */
    uint32_t nprocs;
    struct wk_job_proc procs[];
};

struct wk_jobs *wk_jobs_new(struct wk_mem *m);
void wk_jobs_free(struct wk_jobs *j, struct wk_mem *m);
/* Record a background pipeline. Sets $!. 0 or -WK_ENOMEM. */
int wk_job_add(struct wk_shell *sh, const uint32_t *pids, uint32_t n, struct wk_str text, bool foreground);
/* Take in the exits of children without parking. */
void wk_jobs_poll(struct wk_shell *sh);
/* %1, %+, %-, %name, %?text, or a pid -> job. NULL after no message; *ambiguous tells why. */
struct wk_job *wk_job_find(struct wk_shell *sh, struct wk_str spec, bool *ambiguous);
struct wk_job *wk_job_of_pid(struct wk_shell *sh, uint32_t pid);
/* Park until the job / the pid has ended (or a trapped signal arrives: -WK_EINTR). status out. */
int wk_job_wait(struct wk_shell *sh, struct wk_job *job, int *status);
int wk_jobs_wait_any(struct wk_shell *sh, const uint32_t *pids, size_t n, uint32_t *pid, int *status);
/* Status remembered of a child that ended before it was waited for (bash keeps CHILD_MAX). -1 = not ours. */
int wk_jobs_status_of(struct wk_shell *sh, uint32_t pid);
void wk_job_remove(struct wk_shell *sh, struct wk_job *job);
struct wk_job *wk_jobs_first(struct wk_shell *sh);
struct wk_job *wk_jobs_current(struct wk_shell *sh);  /* %+ */
struct wk_job *wk_jobs_previous(struct wk_shell *sh); /* %- */

#endif
