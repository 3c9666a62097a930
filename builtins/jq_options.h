/* jq_options.h - jq's command line */
#ifndef WK_BUILTINS_JQ_OPTIONS_H
#define WK_BUILTINS_JQ_OPTIONS_H

#include "builtins/jq.h"

enum { JQ_STATUS_NULL = 1, JQ_STATUS_USAGE = 2, JQ_STATUS_COMPILE = 3, JQ_STATUS_NONE = 4, JQ_STATUS_ERROR = 5 };

struct jq_options {
    const char *program; /* or with from_file the name of its file; NULL: none */
    const char **files;
    size_t n_files;
    const char **library; /* -L, ended by NULL */
    size_t n_library;
    bool null_input, raw_input, slurp;
    bool raw_output, join, nul; /* -r (also by the others), -j, --raw-output0 */
    bool seq, stream, stream_errors;
    bool unbuffered, exit_status, from_file;
    int colour;              /* 1: -C, -1: -M, 0: as it comes */
    struct jq_style style;
};

/* Reads the arguments, and what --slurpfile and its kin name; sets q->named and q->positional. Ends the
 * process when they are wrong, or ask for help. P */
void wk_jq_options(struct jq *q, struct jq_options *o);

#endif
