/* tail.h - what tail prints first (tail_part.c) and what it follows (tail_follow.c)
 *
 * Owner: builtins/tail.c.
 */
#ifndef WK_BUILTINS_TAIL_H
#define WK_BUILTINS_TAIL_H

#include "builtins/fsops.h"

enum wk_tail_follow { WK_TAIL_NO, WK_TAIL_DESCRIPTOR, WK_TAIL_NAME };

struct wk_tail_opts {
    uint64_t count;
    bool bytes, from_start, zero, retry, given;
    int headers; /* 'v', 'q'; 0: of several files */
    int follow;  /* enum wk_tail_follow */
    int64_t pid;
    bool has_pid;
    int64_t interval_ns;
    bool has_interval;
    int64_t max_unchanged;
    uint64_t written; /* so far */
};

struct wk_tail_file {
    const char *name;  /* as given */
    const char *shown; /* "standard input" for - */
    struct wk_in *in;  /* NULL: not open */
    struct wk_stat st; /* of what is open */
    int err;           /* why it is not open */
    bool dropped;      /* given up */
};

struct wk_tail {
    struct wk_cmd *c;
    struct wk_tail_opts *o;
    struct wk_tail_file *files;
    size_t n;
    bool headers;
    const struct wk_tail_file *last_shown; /* whose header was printed last */
};

/* Prints the last (or first) part that the options ask for. 0 or a positive code. P */
int wk_tail_part(struct wk_cmd *c, const struct wk_tail_opts *o, struct wk_in *in);
/* Prints the "==> name <==" line when headers are wanted and another file was shown last. */
void wk_tail_header(struct wk_tail *t, const struct wk_tail_file *f);
/* Prints what is appended until no file is left, the watched process ended, or the reader left. P
 */
void wk_tail_follow(struct wk_tail *t);

#endif
