/* job_report.h - what a shell tells of its jobs, and of commands that a signal ended (bash 7.1) */
#ifndef WK_INTERP_JOB_REPORT_H
#define WK_INTERP_JOB_REPORT_H

#include "interp/jobs.h"

/* A process of a command that has ended, and its text. */
struct wk_ended {
    uint32_t pid;
    struct wk_exit exit;
    struct wk_str text;
};

/* A job's line as `jobs' shows it; with process numbers, one line for each process. */
void wk_job_put(struct wk_shell *sh, struct wk_buf *b, const struct wk_job *j, bool pids);
/* A job in the background was ended by a signal: "NAME: line N: PID Killed   command" in a script's shell, and under
 * job control the line of `jobs' for the ends that are not told of so. */
void wk_report_job(struct wk_shell *sh, const struct wk_job *j);
/* The same of a command in the foreground, whose status is e. */
void wk_report_ended(struct wk_shell *sh, const struct wk_ended *v, uint32_t n, struct wk_exit e);
void wk_report_signal(struct wk_shell *sh, uint32_t pid, struct wk_exit e, const struct wk_node *node);

#endif
