/* tac.h - parts of tac: text from its end, records in it */
#ifndef WK_BUILTINS_TAC_H
#define WK_BUILTINS_TAC_H

#include "builtins/fsops.h"

struct wk_re;

/* A file that is read from its end, block by block. At hand are the bytes from `low` to the end of
 * what was not yet written. */
struct wk_tac {
    struct wk_cmd *c;
    struct wk_file *file; /* NULL: all is at hand */
    const char *name;     /* for messages */
    char *buf;
    size_t cap, at, n; /* the bytes at hand: buf[at] … buf[at + n - 1] */
    int64_t low;       /* offset of the first of them in the file */
};

/* Bytes in front of those at hand; false at the file's start. Ends the process on an error. P A */
bool wk_tac_more(struct wk_tac *t);
/* Opens an operand's text; false after reporting an error. P A */
bool wk_tac_open(struct wk_cmd *c, struct wk_in *in, const char *name, struct wk_tac *t);
void wk_tac_close(struct wk_tac *t);

#endif
