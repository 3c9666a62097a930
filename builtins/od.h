/* od.h - the formats of od: reading type strings, printing one row */
#ifndef WK_BUILTINS_OD_H
#define WK_BUILTINS_OD_H

#include "builtins/fsops.h"

struct wk_od_spec {
    char kind;       /* a c d f o u x */
    unsigned size;   /* bytes in a field */
    unsigned width;  /* columns of a field, without the blank before it */
    unsigned pad;    /* columns to spread over a whole row, so that rows have one width */
    bool trailer;    /* z: the row as text */
};

struct wk_od_specs {
    struct wk_od_spec *v;
    size_t n, cap;
};

/* Adds the formats of a type string; a wrong one ends the process. */
bool wk_od_add(struct wk_cmd *c, struct wk_od_specs *s, const char *text);
/* Appends n bytes of the block (of block_n) in one format, with the trailer, without the newline. Behind
 * the n-th byte there are zeros. */
void wk_od_put_row(struct wk_cmd *c, struct wk_buf *b, const struct wk_od_spec *f,
                   const unsigned char *block, size_t n, size_t block_n, bool swap);

#endif
