/* pr.h - pages of lines in columns
 *
 * Positions are columns of the output line from its margin's left on; a position of PR_ANYWHERE is that where
 * output happens to be.
 */
#ifndef WK_BUILTINS_PR_H
#define WK_BUILTINS_PR_H

#include "builtins/fsops.h"

enum { PR_TAB = 8, PR_ANYWHERE = 0 };

struct pr_opts {
    bool merge, across, expand, tabs, controls, escapes, double_space, form_feeds, join, numbered;
    bool keep_numbers; /* -N: lines of skipped pages do not count */
    bool quiet;        /* -r */
    bool columns_balanced; /* -b */
    bool headless, keep_ff;
    bool old, old_s, old_w, separated, truncate, columns_given;
    const char *header, *date_format, *separator, *column_text;
    int column_args; /* operands when column_text was read last */
    int64_t length, width, margin, columns, number_start, number_width;
    int64_t tab_in, tab_out;
    unsigned char tab_in_char, tab_out_char, number_char;
    uint64_t first_page, last_page; /* first 0: not given */
};

/* An input, of one column or of several. */
struct pr_input {
    const char *name;
    struct wk_in *in;
    bool closed; /* said to be at its end, and given back */
    char *buf;
    size_t at, n;
};

enum pr_status {
    PR_OPEN,
    PR_FORM_FEED, /* one was read into the store; the lines before it are still to be put */
    PR_HOLD,      /* no more on this page */
    PR_CLOSED
};

struct pr_column {
    struct pr_input *input;
    enum pr_status status;
    bool stored, numbered;
    bool page_full;       /* the last page ended without a form feed */
    int64_t to_print;     /* lines, on this page */
    int64_t stored_n;     /* lines kept for this page */
    size_t line;          /* next kept line */
    int64_t start;        /* position of its text, the separator included */
};

struct pr_line {
    size_t from;
    int64_t width; /* columns of input */
};

struct pr {
    struct wk_cmd *c;
    const struct pr_opts *o;
    struct pr_input standard;
    /* settled before a file */
    bool merge, storing, tabs, expand, truncate, separated, headless, keep_ff;
    int64_t columns, body, column_width, number_room, separator_n;
    const char *separator;
    struct pr_column *column;
    size_t columns_cap;
    int64_t ready; /* files that can be read */
    const char *date, *title;
    int64_t header_room;
    /* where output is */
    uint64_t page;
    int64_t line_number, line_count;
    int64_t in_at, out_at; /* position in the input line and the output line */
    int64_t blanks, separators, padding; /* not yet printed */
    bool header_due, ff_due, pad_page, lone_ff, align_empty, line_is_empty, skip_last;
    /* kept lines */
    char *store;
    size_t store_n, store_cap;
    struct pr_line *lines;
    size_t lines_n, lines_cap;
};

/* pr_line.c: the next line of a column, put or stored. */
int wk_pr_byte(struct pr *s, struct pr_input *in);
void wk_pr_unread(struct pr_input *in, int ch);
bool wk_pr_read_line(struct pr *s, struct pr_column *p); /* false: cut off, its rest is unread */
void wk_pr_read_rest(struct pr *s, struct pr_column *p);
void wk_pr_skip_line(struct pr *s, struct pr_column *p, bool count);
bool wk_pr_put_stored(struct pr *s, struct pr_column *p);
void wk_pr_put_blanks(struct pr *s); /* as tabs, where that fits */
void wk_pr_align(struct pr *s, struct pr_column *p);

/* pr_page.c */
void wk_pr_put_header(struct pr *s);
void wk_pr_hold(struct pr *s, struct pr_column *p);
void wk_pr_close(struct pr *s, struct pr_column *p);
void wk_pr_files(struct pr *s, int n, char **names);

#endif
