/* mirror_fake.h - a box in memory: its answers come from pump, late, in pieces, in the order of the requests */
#ifndef TEST_MIRROR_FAKE_H
#define TEST_MIRROR_FAKE_H

#include "whelk/sandbox_kind.h"

#include <stdbool.h>

struct fake_node {
    char *path; /* "a/b" of the workspace, "/tmp/a" */
    int type;   /* enum whelk_file_type */
    uint32_t mode;
    int64_t mtime;
    char *data; /* contents, or a link's text */
    size_t n;
};

struct fake_request;

struct fake_box {
    struct fake_node *v; /* as it is */
    size_t n, cap;
    struct fake_node *seen; /* as it was at the last look */
    size_t n_seen, cap_seen;
    struct fake_request *first, **last;
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
    size_t flood;       /* CHANGES tells so many more files */
    int fail_get;       /* code of every GET; 0 */
};

extern const whelk_sandbox_kind mirror_fake_kind;

void fake_release(struct fake_box *b);
struct fake_node *fake_find(struct fake_box *b, const char *path);
/* What a process of the box does; false when it cannot. Times come from the box's clock. */
bool fake_write(struct fake_box *b, const char *path, const char *text);
bool fake_mkdir(struct fake_box *b, const char *path);
bool fake_symlink(struct fake_box *b, const char *path, const char *target);
bool fake_special(struct fake_box *b, const char *path);
bool fake_remove(struct fake_box *b, const char *path); /* and all below */
bool fake_chmod(struct fake_box *b, const char *path, uint32_t mode);
uint64_t fake_random(struct fake_box *b);

#endif
