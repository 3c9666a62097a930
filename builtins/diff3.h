/* diff3.h - diff3: three files by two comparisons with one of them
 *
 * Owner: everything is in the process heap.
 */
#ifndef WK_BUILTINS_DIFF3_H
#define WK_BUILTINS_DIFF3_H

#include "builtins/fsops.h"

enum { DIFF3_MINE, DIFF3_OLD, DIFF3_YOURS, DIFF3_FILES };

/* Which file differs from the other two. */
enum diff3_kind { DIFF3_BY_MINE, DIFF3_BY_OLD, DIFF3_BY_YOURS, DIFF3_BY_ALL };

struct diff3_opts {
    int script; /* enum diff3_script */
    bool script_twice, merge, write, text, strip_cr, initial_tab;
    const char *labels[DIFF3_FILES], *program;
    int labels_n;
};

/* What becomes an ed script, or goes into the merged file. */
enum diff3_script {
    DIFF3_NONE,
    DIFF3_ALL_BRACKETS, /* -A */
    DIFF3_ED,           /* -e */
    DIFF3_ED_BRACKETS,  /* -E */
    DIFF3_EASY,         /* -3 */
    DIFF3_OVERLAP,      /* -x */
    DIFF3_OVERLAP_X     /* -X */
};

/* Lines of the three files that belong together, with their newlines. */
struct diff3_part {
    int64_t start[DIFF3_FILES]; /* lines before */
    int64_t n[DIFF3_FILES];
    const struct wk_str *line[DIFF3_FILES];
    enum diff3_kind kind;
};

struct diff3 {
    struct wk_cmd *c;
    const struct diff3_opts *o;
    const char *file[DIFF3_FILES], *label[DIFF3_FILES];
    struct diff3_part *part;
    size_t n, cap;
};

/* diff3_parts.c: what the comparisons with file `common` say, `mine` of MYFILE and `other` of the third: the parts in
 * order. `text` must stay. Ends the command when they are no differences as diff prints them. */
void wk_diff3_parts(struct diff3 *d, int common, struct wk_str mine, struct wk_str other);

/* diff3_output.c: each gives the status, 1 when there are conflicts. */
int wk_diff3_put_parts(struct diff3 *d);
int wk_diff3_put_script(struct diff3 *d);
int wk_diff3_put_merged(struct diff3 *d, struct wk_in *in);

#endif
