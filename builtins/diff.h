/* diff.h - diff: files as lines, what changes between them, and how that is shown
 *
 * Owner: everything is in the process heap and lives as long as the process, or until the two files
 * are done with.
 */
#ifndef WK_BUILTINS_DIFF_H
#define WK_BUILTINS_DIFF_H

#include "builtins/diff_match.h"
#include "builtins/fsops.h"
#include "text/pattern/pattern.h"
#include "text/re/re.h"

enum diff_style {
    DIFF_NONE,
    DIFF_NORMAL,
    DIFF_CONTEXT,
    DIFF_UNIFIED,
    DIFF_ED,
    DIFF_FORWARD_ED,
    DIFF_RCS,
    DIFF_SIDE,
    DIFF_IFDEF
};
enum diff_space {
    DIFF_SPACE_ALL,
    DIFF_SPACE_TABS,
    DIFF_SPACE_END,
    DIFF_SPACE_TABS_AND_END,
    DIFF_SPACE_AMOUNT,
    DIFF_SPACE_NONE
};
enum diff_palette {
    DIFF_COLOR_RESET,
    DIFF_COLOR_HEADER,
    DIFF_COLOR_ADD,
    DIFF_COLOR_DELETE,
    DIFF_COLOR_LINE,
    DIFF_COLORS
};

/* The formats of -D and the options of its kind: of the lines and groups that are old, new, in
 * both; and of groups that differ. */
enum diff_format { DIFF_OLD, DIFF_NEW, DIFF_UNCHANGED, DIFF_CHANGED };

struct diff_res {
    struct wk_re **v;
    size_t n;
};

struct diff_opts {
    int style;             /* enum diff_style */
    int64_t context;       /* lines around a change */
    bool explicit_context; /* by a number */
    int64_t digits;        /* -NUM */
    bool has_digits;
    enum diff_space space; /* what white space counts */
    bool ignore_case, ignore_blank, text, strip_cr, brief, report_same, as_it_is;
    bool c_functions; /* -p: context output unless another is asked for */
    bool expand_tabs, initial_tab, suppress_blank_empty, paginate;
    bool recursive, no_dereference, new_file, new_first_file, minimal, speed_large, half_hearted;
    int fold_names;
    bool left_column, suppress_common, color;
    bool merge_assist; /* tells sdiff what the lines side by side are */
    int64_t width, tab_size, horizon; /* 0: not given */
    const char *labels[2], *start, *from, *to;
    const char *line_format[3], *group_format[4];
    const char *palette[DIFF_COLORS], *palette_text;
    const char *options; /* as given, quoted: shown before each pair of files below directories */
    struct wk_opt_list exclude_names, exclude_files;
    struct wk_arena *arena; /* of the patterns */
    const struct wk_pattern **exclude;
    size_t exclude_n, exclude_cap;
    struct diff_res ignore_lines, function_lines;
};

/* What other lines than those side by side begin with, for sdiff. */
static inline const char *wk_diff_lead(const struct diff_opts *o)
{
    return o->merge_assist && !o->paginate ? " " : "";
}

struct diff_file {
    const char *name; /* as shown */
    struct wk_stat st;
    bool absent, is_stdin;
    struct wk_str text;
    struct wk_str *lines; /* with their newlines */
    uint32_t *class;      /* of each line */
    int64_t n;
    bool no_newline; /* the last line had none, and got one for an ed script */
    const bool *changed;
};

/* Lines a … a + a_n of the first file become b … b + b_n of the second. */
struct diff_change {
    int64_t a, a_n, b, b_n;
    bool ignored; /* only blank lines, or such as -I says */
};

struct diff {
    struct wk_cmd *c;
    const struct diff_opts *o;
    struct wk_re_run *run;
    struct diff_file file[2];
    struct diff_change *change;
    size_t n, cap;
};

/* ---- wk_diff_read.c ------------------------------------------------------------------------------
 */

/* Reads both files; false after a message. */
bool wk_diff_read(struct diff *d);
bool wk_diff_is_binary(struct wk_str text);
/* Numbers the lines: equal numbers compare equal. Gives how many there are. */
uint32_t wk_diff_classes(struct diff *d, int64_t prefix, int64_t suffix);
void wk_diff_split(struct diff *d, struct diff_file *f);

/* ---- diff_change.c ----------------------------------------------------------------------------
 */

/* Finds the changes; false when there are none. */
bool wk_diff_compare(struct diff *d);
/* Whether one of the expressions is in a line. */
bool wk_diff_matches(struct diff *d, const struct diff_res *list, struct wk_str line);
/* Whether anything differs but what is to be ignored. */
bool wk_diff_counts(const struct diff *d);

/* ---- output: diff_line.c ----------------------------------------------------------------------
 */

/* A line behind its mark ('<', '+', ' '…), in a color unless that is DIFF_COLOR_RESET, with the
 * note for a missing newline. */
void wk_diff_put_line(struct diff *d, enum diff_palette color, char mark, const struct diff_file *f,
                   int64_t at);
/* A line's text alone, without newline, its tabs expanded if so asked; mark: what stood before it,
 * or NUL. */
void wk_diff_put_text(struct diff *d, char mark, const struct diff_file *f, int64_t at);
/* "3,4c5" or "@@ …", colored. */
void wk_diff_put_at(struct diff *d, const char *text);
void wk_diff_color(struct diff *d, enum diff_palette color);
/* A file's name, quoted as in C when it has blanks or worse. */
const char *wk_diff_name(struct wk_cmd *c, const char *name);
/* The two lines that name the files. */
void wk_diff_header(struct diff *d, const char *first, const char *second);

/* ---- output: diff_normal.c, diff_context.c, diff_side.c, diff_ifdef.c --------------------------
 */

void wk_diff_put_normal(struct diff *d);
void wk_diff_put_ed(struct diff *d);
void wk_diff_put_rcs(struct diff *d);
void wk_diff_put_context(struct diff *d);
void wk_diff_put_side(struct diff *d);
void wk_diff_put_ifdef(struct diff *d);

/* ---- diff.c, diff_dir.c ------------------------------------------------------------------------
 */

/* Two names to compare, and what is known of them. */
struct diff_sides {
    const char *name[2];
    bool absent[2]; /* taken as empty */
    bool below;     /* found in directories */
    int error[2];   /* why it could not be looked at */
    struct wk_stat st[2];
};

/* Compares two files of whatever kind: status 0, 1 or 2. *descend: both are directories that are to
 * be compared. */
int wk_diff_pair(struct wk_cmd *c, struct diff_sides *s, bool *descend);
/* Compares all files of two directories: the worst status. */
int wk_diff_directories(struct wk_cmd *c, const struct diff_opts *o, const struct diff_sides *s);
/* DIR/NAME, without further slashes at the end of DIR; in the heap. */
char *wk_diff_join(struct wk_cmd *c, const char *dir, const char *name);
bool wk_diff_excluded(struct wk_cmd *c, const char *name);

/* wk_diff_paginate.c: what `put` puts goes through pr, under a title. P */
void wk_diff_paginate(struct diff *d, const char *title, void (*put)(struct diff *d));

#endif
