/* tree_box.h - a kind whose box is a tree of files in memory, and which can be told to misbehave */
#ifndef WK_TESTS_TREE_BOX_H
#define WK_TESTS_TREE_BOX_H

#include "whelk/sandbox_kind.h"

#include <stdbool.h>

struct tree_box;

/* How it behaves; may be changed at any time. */
struct tree_manners {
    bool later;         /* answers come from pump, some at a time, the last asked first */
    bool again;         /* every other request is told AGAIN */
    bool silent;        /* nothing is answered */
    bool appends;       /* it knows WHELK_FILE_APPEND */
    size_t piece;       /* of data at once; 0: all */
    unsigned fail_at;   /* the request with this number (from 1) fails with `code`; 0: none */
    int code;
    bool refuse;        /* ... at once, else in its answer */
    bool lies;          /* lists what is not below, sends more than was asked for */
    unsigned lost_at;   /* with this request the box is lost; 0: never */
    /* Called before each request is looked at, with its number. NULL. */
    void (*before)(struct tree_box *f, unsigned number, const whelk_file_request *r);
    void *ctx;
};

struct tree_box {
    struct tree_manners how;
    struct tree_node *root;
    struct tree_job *jobs;
    unsigned requests, answers; /* so many came, were answered */
    size_t most_under_way;
    uint64_t most_bytes;        /* that were to be put and not answered, at most */
    uint64_t next_inode;
    int64_t time;               /* of the next change */
    bool lost;
};

extern const whelk_sandbox_kind tree_kind; /* /work is the workspace; the box is a struct tree_box */

/* A file (target NULL), directory (data NULL), or link, with its directories. */
void tree_add(struct tree_box *f, const char *path, const char *data, const char *target, uint32_t mode);
/* A file's text; NULL: none. */
const char *tree_text(struct tree_box *f, const char *path, size_t *n);
/* "d755", "f644", "l", "o"; "": nothing there. Links are not followed. */
const char *tree_kind_of(struct tree_box *f, const char *path);
/* Makes it something that is no file, directory or link. */
void tree_make_other(struct tree_box *f, const char *path);

#endif
