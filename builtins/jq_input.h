/* jq_input.h - where jq's inputs come from: files one behind the other, as JSON texts, lines or all at once
 *
 * Owner: the process heap; one for a jq.
 */
#ifndef WK_BUILTINS_JQ_INPUT_H
#define WK_BUILTINS_JQ_INPUT_H

#include "builtins/jq_read.h"

struct jq_input {
    struct jq_source source; /* first: `next` finds the rest of this */
    struct jq *q;
    const char *const *files; /* names; "-" is standard input */
    size_t n_files, at_file;  /* the next one to open */
    bool raw, slurp, errors;  /* -R, -s, --stream-errors */
    bool done;                /* what -s and -R -s give was given */
    int failures;             /* files that could not be read */
    struct wk_in *in;         /* the file at hand, NULL: none */
    struct jq_reader *reader; /* NULL with raw */
    char *buf;                /* bytes of the file: [at, n) not used, lines whole up to `cut` */
    size_t at, cut, n, cap;
    size_t lines;             /* with raw: newlines used of this file; */
    size_t lines_before;      /* else the reader's when it was opened */
    bool at_end;              /* of the file at hand */
};

/* files: n operands, none: standard input. mode: of wk_json. */
struct jq_input *wk_jq_input_new(struct jq *q, const char *const *files, size_t n, unsigned mode);
/* "<stdin>:3", "FILE:0" or, when nothing was read, "<unknown>": appended. */
void wk_jq_input_place(struct jq_input *i, struct wk_buf *b);
/* After an error: what is left of the line at hand is not read. */
void wk_jq_input_recover(struct jq_input *i);

/* The whole of a file: its bytes in the process heap, 0 or a positive WK_E…. */
int wk_jq_read_file(struct jq *q, const char *path, struct wk_str *text);

#endif
