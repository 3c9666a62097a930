/* mirror_box.h - a box in memory: its answers come from pump, late, in pieces, in the order of the requests */
#ifndef TEST_MIRROR_BOX_H
#define TEST_MIRROR_BOX_H

#include "whelk/sandbox_kind.h"

#include <stdbool.h>

struct mbox_node {
    char *path; /* "a/b" of the workspace, "/tmp/a" */
    int type;   /* enum whelk_file_type */
    uint32_t mode;
    int64_t mtime;
    char *data; /* contents, or a link's text */
    size_t n;
};

struct mbox_request;

struct mbox_box {
    struct mbox_node *v; /* as it is */
    size_t n, cap;
    struct mbox_node *seen; /* as it was at the last look */
    size_t n_seen, cap_seen;
    struct mbox_request *first, **last;
    size_t waiting;
    uint64_t seed;
    size_t requests, changes, puts; /* asked so far */
    int64_t clock;
    uint64_t disk;      /* bytes that fit; 0: any */
    bool lost;          /* the box is gone */
    bool at_once;       /* answers come from within `file` */
    bool busy;          /* now and then it takes no request */
    const char *const *lies; /* CHANGES tells these paths too, as files of one byte */
    size_t n_lies;
    int fail_get;       /* code of every GET; 0 */
};

extern const whelk_sandbox_kind mbox_kind;

void mbox_release(struct mbox_box *b);
struct mbox_node *mbox_find(struct mbox_box *b, const char *path);
/* What a process of the box does; false when it cannot. Times come from the box's clock. */
bool mbox_write(struct mbox_box *b, const char *path, const char *text);
bool mbox_mkdir(struct mbox_box *b, const char *path);
bool mbox_symlink(struct mbox_box *b, const char *path, const char *target);
bool mbox_special(struct mbox_box *b, const char *path);
bool mbox_remove(struct mbox_box *b, const char *path); /* and all below */
bool mbox_rename(struct mbox_box *b, const char *from, const char *to); /* to a free name */
bool mbox_chmod(struct mbox_box *b, const char *path, uint32_t mode);
uint64_t mbox_random(struct mbox_box *b);

#endif
