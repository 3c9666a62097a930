/* mirror_session.h - a session's files, and a mirror between them and a fake box */
#ifndef TEST_MIRROR_SESSION_H
#define TEST_MIRROR_SESSION_H

#include "adapters/mirror/mirror.h"
#include "tests/unit/adapters/mirror_box.h"
#include "vfs/mount.h"
#include "vfs/snapshot.h"

#include <criterion/criterion.h>

struct pairing {
    struct wk_mem *mem;
    struct wk_vfs_hub *hub;
    struct wk_vfs *vfs;
    struct mbox_box box;
    struct wk_mirror *mirror;
    struct wk_cred cred;
    int64_t clock;
};

/* /ws stands for the workspace, /tmp for /tmp. */
void pairing_open(struct pairing *t, const struct wk_mirror_config *more);
/* Of /ws alone, over another box. */
void pairing_open_over(struct pairing *t, const whelk_sandbox_kind *kind, void *box);
void pairing_close(struct pairing *t);
/* The result of a synchronisation; freed by the next one. */
struct wk_mirror_result *pairing_sync(struct pairing *t, enum wk_mirror_way way);
void pairing_write(struct pairing *t, const char *path, const char *text);
bool pairing_try_write(struct pairing *t, const char *path, const char *text);
void pairing_mkdir(struct pairing *t, const char *path);
/* Contents of a session's file, or a link's text, in the caller's buffer; NULL: there is none. */
const char *pairing_read(struct pairing *t, const char *path, char buf[4096]);
bool pairing_has(struct pairing *t, const char *path);
bool pairing_remove(struct pairing *t, const char *path); /* and all below */
/* Fails the test unless session and box are alike: names, types, modes, times, contents. */
void pairing_expect_alike(struct pairing *t);

#endif
