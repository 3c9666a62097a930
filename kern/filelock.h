/* filelock.h - locks on whole files, as flock(2)
 *
 * A lock belongs to an open file description: descriptors that were duplicated or inherited share
 * it, and it goes with the last of them.
 *
 * Owner:   the machine; each record lives as long as somebody holds its lock.
 * Parks:   wk_filelock, until those that hold the lock have given it up.
 */
#ifndef WK_KERN_FILELOCK_H
#define WK_KERN_FILELOCK_H

#include "kern/file.h"

enum wk_lock { WK_LOCK_NONE, WK_LOCK_SHARED, WK_LOCK_EXCLUSIVE };

/* Gives the description this lock in place of the one it has. Waits until `until_ns` (session time;
 * 0: not at all, WK_FOREVER); while it does it has none. Errors: -WK_EAGAIN (not free),
 * -WK_ETIMEDOUT, -WK_EINTR, -WK_ESTOP, -WK_ENOMEM. */
int wk_filelock(struct wk_task *t, struct wk_file *f, enum wk_lock lock, int64_t until_ns);
/* Whether another description holds a lock on the file. */
bool wk_filelock_held(struct wk_file *f);
/* The last reference to a description goes. */
void wk_filelock_drop(struct wk_file *f);

#endif
