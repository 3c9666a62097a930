/* case_file.h - reading case files
 *
 * Format: tests/README.md. A file is read whole into one arena; slices point into its text or into
 * decoded copies.
 */
#ifndef WK_TESTS_CASE_FILE_H
#define WK_TESTS_CASE_FILE_H

#include "base/arena.h"
#include "base/buf.h"

struct wk_case_input {
    struct wk_str path;
    struct wk_str data;
    uint32_t mode; /* 0 = 0644 */
    struct wk_case_input *next;
};

struct wk_case {
    struct wk_str name;
    size_t line;
    struct wk_case_input *files; /* in order */
    struct wk_str in;
    struct wk_str run;
    struct wk_str *args;
    size_t n_args;
    /* What is expected: whelk's own answer when the case says `differs`. */
    struct wk_str out, err, tree;
    bool has_out, has_err, has_tree, differs;
    int status; /* 0 when not given */
    struct wk_case *next;
};

struct wk_case_file {
    struct wk_case *cases;
    size_t count;
    size_t bad_line; /* of a syntax error */
    const char *bad; /* what was wrong; NULL = nothing */
};

/* Parses `text`. False when the file is malformed (bad, bad_line) or memory is refused. */
bool wk_case_parse(struct wk_arena *a, struct wk_str text, struct wk_case_file *out);

#endif
