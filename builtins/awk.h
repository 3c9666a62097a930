/* awk.h - the parts of awk, and what they do for each other
 *
 * A program is compiled to code for a stack machine (awk_lex.c, awk_expr.c, awk_parse.c), which
 * awk_run.c runs.
 */
#ifndef WK_BUILTINS_AWK_H
#define WK_BUILTINS_AWK_H

#include "builtins/awk_machine.h"

/* awk_parse.c: compiles program texts; ends the process when they are wrong. */
struct awk_source {
    const char *name; /* of the file; NULL: from the command line */
    struct wk_str text;
};
void wk_awk_compile(struct awk *a, const struct awk_source *sources, size_t n);
uint32_t wk_awk_global(struct awk *a, const char *name, size_t n);
size_t wk_awk_const(struct awk *a, struct awk_val v);
/* Escapes of a string or of an assignment on the command line. */
struct awk_str *wk_awk_unescape(struct awk *a, struct wk_str s);

/* awk_run.c */
enum awk_end { AWK_DONE, AWK_NEXT_RECORD, AWK_NEXT_FILE, AWK_EXITED };
enum awk_end wk_awk_run(struct awk *a, uint32_t at);
/* Calls a function with n values on the stack; the result takes their place. */
void wk_awk_call(struct awk *a, uint32_t func, size_t n);
void wk_awk_push(struct awk *a, struct awk_val v);
struct awk_val wk_awk_pop(struct awk *a);
/* "awk: SOURCE:LINE: (FILENAME=… FNR=…) " on standard error. */
void wk_awk_put_place(struct awk *a);
/* What a value names as an array; makes one of what was never used. */
struct awk_array *wk_awk_array_of(struct awk *a, struct awk_val *v);
/* Stores into a variable with a meaning; takes v over. */
void wk_awk_store_special(struct awk *a, uint32_t slot, struct awk_val v);
void wk_awk_set_global(struct awk *a, uint32_t slot, struct awk_val v);

/* awk_field.c */
void wk_awk_set_record(struct awk *a, struct awk_str *text); /* takes it over */
struct awk_val *wk_awk_field_at(struct awk *a,
                                size_t i); /* $i; made when it is past NF only by awk_set_field */
void wk_awk_set_field(struct awk *a, size_t i, struct awk_val v);
size_t wk_awk_count_fields(struct awk *a);
void wk_awk_set_nf(struct awk *a, double nf);
void wk_awk_fs_changed(struct awk *a);
void wk_awk_split_changed(struct awk *a, uint32_t slot); /* FPAT or FIELDWIDTHS */
void wk_awk_rs_changed(struct awk *a);
/* Parts of s put into t by a separator as FS would (sep NULL: FS itself). seps may be NULL. */
size_t wk_awk_split(struct awk *a, struct awk_str *s, struct awk_array *t, struct awk_val *sep,
                    struct awk_re *re, struct awk_array *seps);
size_t wk_awk_patsplit(struct awk *a, struct awk_str *s, struct awk_array *t, struct awk_re *re,
                       struct awk_array *seps);

/* awk_regex.c */
struct awk_re *wk_awk_regex(struct awk *a, struct wk_str text);
/* For a constant: lives as long as the program. */
struct awk_re *wk_awk_regex_const(struct awk *a, struct wk_str text);
bool wk_awk_matches(struct awk *a, struct awk_re *re, struct wk_str s);
bool wk_awk_find(struct awk *a, struct awk_re *re, struct wk_str s, size_t from, bool not_bol,
                 struct wk_re_span *spans, size_t n);
/* The same for one search after the other in a text. */
bool wk_awk_find_on(struct awk *a, struct awk_re *re, struct wk_re_run *run, struct wk_str s,
                    size_t from, struct wk_re_span *spans, size_t n);

/* awk_io.c */
bool wk_awk_read_record(struct awk *a, struct awk_input *in, struct awk_str **text);
/* The next record of the main input: false at its end. */
bool wk_awk_next_main(struct awk *a, struct awk_str **text);
void wk_awk_skip_file(struct awk *a);
struct wk_out *wk_awk_output(struct awk *a, enum awk_way way, struct awk_str *name);
double wk_awk_getline(struct awk *a, enum awk_way way, struct awk_str *name, struct awk_str **text);
double wk_awk_close(struct awk *a, struct awk_str *name, int which);
double wk_awk_flush(struct awk *a, struct awk_str *name);
double wk_awk_system(struct awk *a, struct awk_str *command);
void wk_awk_finish(struct awk *a);
void wk_awk_set_errno(struct awk *a, int err);

/* awk_builtin.c */
enum awk_builtin {
    AWK_F_LENGTH,
    AWK_F_SUBSTR,
    AWK_F_INDEX,
    AWK_F_SPLIT,
    AWK_F_SUB,
    AWK_F_GSUB,
    AWK_F_GENSUB,
    AWK_F_MATCH,
    AWK_F_SPRINTF,
    AWK_F_SIN,
    AWK_F_COS,
    AWK_F_ATAN2,
    AWK_F_EXP,
    AWK_F_LOG,
    AWK_F_SQRT,
    AWK_F_INT,
    AWK_F_RAND,
    AWK_F_SRAND,
    AWK_F_TOLOWER,
    AWK_F_TOUPPER,
    AWK_F_CLOSE,
    AWK_F_SYSTEM,
    AWK_F_FFLUSH,
    AWK_F_SYSTIME,
    AWK_F_STRFTIME,
    AWK_F_MKTIME,
    AWK_F_ASORT,
    AWK_F_ASORTI,
    AWK_F_PATSPLIT,
    AWK_F_STRTONUM,
    AWK_F_AND,
    AWK_F_OR,
    AWK_F_XOR,
    AWK_F_LSHIFT,
    AWK_F_RSHIFT,
    AWK_F_COMPL,
    AWK_F_TYPEOF,
    AWK_F_ISARRAY,
    AWK_F_MKBOOL,
    AWK_FUNCTIONS
};
struct awk_builtin_info {
    const char *name;
    uint8_t least, most;
    uint8_t array; /* bit i: argument i is an array; */
    uint8_t regex; /* bit i: argument i may be a regular expression */
};
extern const struct awk_builtin_info wk_awk_builtins[AWK_FUNCTIONS];
/* n arguments on the stack are replaced by the result. */
void wk_awk_builtin(struct awk *a, enum awk_builtin f, size_t n);
/* sub, gsub: the text after it; how many were replaced. */
struct awk_str *wk_awk_replace(struct awk *a, struct awk_re *re, struct awk_str *with,
                               struct awk_str *in, int64_t which, bool groups, double *times);
struct awk_str *wk_awk_format(struct awk *a, struct awk_val *args, size_t n);
/* asort, and sorted_in: puts the elements in order; by: "@ind_num_asc"… or the name of a function.
 */
void wk_awk_sort(struct awk *a, struct awk_elem **v, size_t n, struct wk_str by);
void wk_awk_list_free(struct awk *a, struct awk_elem **v, size_t n);

/* awk_format.c */
struct wk_buf *wk_awk_buffer(struct awk *a); /* for one use at a time */
void wk_awk_warning(struct awk *a, const char *fmt, ...) WK_PRINTF(2, 3);
const char *wk_awk_show_number(struct awk *a, double v);
void wk_awk_put_time(struct awk *a, struct wk_buf *b, struct wk_str format, int64_t when, bool utc);
double wk_awk_make_time(struct awk *a, struct wk_str s, bool utc);

#endif
