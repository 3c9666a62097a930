/* procfs.h - the small /proc, through the vfs's callback back end
 *
 * /proc/self and /proc/PID/{cmdline,comm,environ,stat,statm,status,wchan,cwd,exe,fd/N}, and the few files of
 * the machine that scripts read (version, uptime, meminfo, cpuinfo, loadavg, stat, mounts…).
 * Contents are made when a file is opened.
 */
#ifndef WK_KERN_PROCFS_H
#define WK_KERN_PROCFS_H

#include "kern/kern.h"

/* Mount it. Errors: -WK_ENOMEM and those of wk_vfs_mount. */
int wk_procfs_mount(struct wk_kern *k, struct wk_str path);

#endif
