/* jobs.h - jobs of a shell: pipelines started with & (bash 7) */
#ifndef WK_INTERP_JOBS_H
#define WK_INTERP_JOBS_H

#include "interp/shell.h"

enum wk_job_state { WK_JOB_RUNNING, WK_JOB_STOPPED, WK_JOB_DONE };

struct wk_job_proc {
    uint32_t pid;
    bool done, seen; /* seen: its end, but not taken in yet */
    struct wk_exit exit;
    struct wk_val *text; /* of a pipeline's command; NULL: the job's */
};

struct wk_job {
    struct wk_job *next;
    uint32_t number; /* %N */
    uint32_t pgid;
    enum wk_job_state state;
    bool notified, disowned, nohup, foreground;
    bool pipefail;       /* the option when it was started */
    struct wk_val *text; /* command line as `jobs` shows it */
    struct wk_val *wd;   /* the working directory then */
    uint32_t nprocs;
    struct wk_job_proc procs[];
};

struct wk_jobs *wk_jobs_new(struct wk_mem *m);
void wk_jobs_free(struct wk_jobs *j, struct wk_mem *m);
/* A subshell's view of its parent's jobs: shown by `jobs`, gone with its first own one. 0 or
 * -WK_ENOMEM. */
int wk_jobs_inherit(struct wk_shell *sh, const struct wk_shell *parent);
/* Before a shell lists jobs: it has a copy of those that it inherited, from which it can drop some. 0 or -WK_ENOMEM. */
int wk_jobs_view(struct wk_shell *sh);
/* Record a background pipeline with its text and, when there are several, those of its commands. Sets $!.
 * 0 or -WK_ENOMEM. */
int wk_job_add(struct wk_shell *sh, const uint32_t *pids, uint32_t n, struct wk_str text, const struct wk_str *texts);
/* Record a child that is no job (process substitution). Sets $!. 0 or -WK_ENOMEM. */
int wk_jobs_add_other(struct wk_shell *sh, uint32_t pid);
/* Take in the exits of children without parking. Any time, also between runs. */
void wk_jobs_poll(struct wk_shell *sh);
/* The same, but what ends is a little late to be known, as with real processes: of jobs only what was there at the
 * last call. */
void wk_jobs_poll_late(struct wk_shell *sh);
/* What a builtin knows of them: a script's shell has taken in ends when a command in the foreground has ended. */
void wk_jobs_look(struct wk_shell *sh);
/* Drop jobs that are done and were told of; their statuses stay known. */
void wk_jobs_clean(struct wk_shell *sh);
/* A command in the foreground has ended, or the next one is to be read: tell of jobs that a signal ended, and drop
 * those that are done and were told of, with `-c' all that are done. A script's shell only. */
void wk_jobs_notify(struct wk_shell *sh);
/* The same with the line of the command around, as bash has it when a command in the foreground has ended. */
static inline void wk_jobs_ended(struct wk_shell *sh)
{
    if (WK_LIKELY(!sh->now.jobs))
        return;
    uint32_t line = sh->line;
    sh->line = sh->around_line;
    (void)wk_yield(sh->task); /* they have gone on, too */
    wk_jobs_poll(sh);
    wk_jobs_notify(sh);
    sh->line = line;
}
/* `bg' has made it run again. */
void wk_job_resumed(struct wk_shell *sh, struct wk_job *job);
/* `wait' has waited for a job: it is told of, and gone with the next one that is dropped. */
void wk_job_waited(struct wk_shell *sh, uint32_t number);
/* %1, %+, %-, %name, %?text, a number or a text -> job; NULL: none, or several (a message says so in the name of
 * `who', and *ambiguous tells). */
struct wk_job *wk_job_find(struct wk_shell *sh, const char *who, struct wk_str spec, bool *ambiguous);
struct wk_job *wk_job_of_pid(struct wk_shell *sh, uint32_t pid);
int wk_job_status(const struct wk_job *job);
struct wk_exit wk_job_exit(const struct wk_job *job);
/* Park until the job has ended (or a signal arrives that has a trap or is fatal: -WK_EINTR). */
int wk_job_wait(struct wk_shell *sh, struct wk_job *job, int *status);
/* The same for a child by pid, job or not. -WK_ECHILD when it is none of ours. */
int wk_jobs_wait_pid(struct wk_shell *sh, uint32_t pid, int *status);
/* Park until one of the pids (n = 0: any job) has ended; each end is told once. -WK_ECHILD: none
 * left. */
int wk_jobs_wait_any(struct wk_shell *sh, const uint32_t *pids, size_t n, uint32_t *pid,
                     int *status);
/* Forgets the statuses remembered of children that ended (`wait` without operands). */
void wk_jobs_forget(struct wk_shell *sh);
void wk_jobs_forget_pid(struct wk_shell *sh, uint32_t pid);
/* Status remembered of a child that ended before it was waited for (bash keeps CHILD_MAX). -1 = not
 * ours. */
int wk_jobs_status_of(struct wk_shell *sh, uint32_t pid);
void wk_job_remove(struct wk_shell *sh, struct wk_job *job);
/* In order of number. */
struct wk_job *wk_jobs_first(struct wk_shell *sh);
struct wk_job *wk_jobs_current(struct wk_shell *sh);  /* %+ */
struct wk_job *wk_jobs_previous(struct wk_shell *sh); /* %- */
/* Whether they are the parent's, only to be shown. */
bool wk_jobs_are_inherited(const struct wk_shell *sh);
/* A ( list ), a compound command of a pipeline and a background command know no jobs of the parent. */
void wk_jobs_hide_outer(struct wk_shell *sh);

#endif
