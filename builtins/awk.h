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
    const char *found; /* where it is */
    bool program;      /* named by -f */
};
void wk_awk_compile(struct awk *a, const struct awk_source *sources, size_t n);
uint32_t wk_awk_global(struct awk *a, const char *name, size_t n);
size_t wk_awk_const(struct awk *a, struct awk_val v);
/* Escapes of a string or of an assignment on the command line. */
struct awk_str *wk_awk_unescape(struct awk *a, struct wk_str s);
/* Ends the program when the name is no variable's: it is a word of the language, or a function. */
void wk_awk_check_variable(struct awk *a, struct wk_str name);
/* NAME=VALUE of -v and among the operands. */
void wk_awk_assign(struct awk *a, struct wk_str name, struct wk_str value);

/* awk_run.c */
enum awk_end { AWK_DONE, AWK_NEXT_RECORD, AWK_NEXT_FILE, AWK_EXITED };
enum awk_end wk_awk_run(struct awk *a, uint32_t at);
/* Calls a function with n values on the stack; the result takes their place. */
void wk_awk_call(struct awk *a, uint32_t func, size_t n);
void wk_awk_push(struct awk *a, struct awk_val v);
struct awk_val wk_awk_pop(struct awk *a);
/* awk_fuse.c: makes the code shorter, and faster, once all of it is there. */
void wk_awk_fuse(struct awk *a);
size_t wk_awk_words_of(uint32_t word);

/* awk_place.c */
/* "awk: SOURCE:LINE: (FILENAME=… FNR=…) " on standard error. */
void wk_awk_put_place(struct awk *a);
/* The variable that a parameter which was nothing yet stands for. */
struct awk_val *wk_awk_behind(struct awk *a, struct awk_val *v, size_t depth);
/* What a value names as an array; makes one of what was never used. */
struct awk_array *wk_awk_array_of(struct awk *a, struct awk_val *v);
/* The same for an element e of t. */
struct awk_array *wk_awk_sub_array(struct awk *a, struct awk_array *t, struct awk_val *e);
WK_NORETURN void wk_awk_element_as_scalar(struct awk *a, struct awk_array *t, const struct awk_val *e);
/* Stores into a variable with a meaning; takes v over. */
void wk_awk_store_special(struct awk *a, uint32_t slot, struct awk_val v);
void wk_awk_set_global(struct awk *a, uint32_t slot, struct awk_val v);
double wk_awk_special(struct awk *a, size_t slot); /* NF, NR, FNR */
size_t wk_awk_field_index(struct awk *a, struct awk_val *v);
/* The value of a place, of which wk_awk_place_size parts lie on the stack, at `at`. */
struct awk_val wk_awk_place_value(struct awk *a, enum awk_place place, size_t slot, size_t at);
void wk_awk_place_store(struct awk *a, enum awk_place place, size_t slot, size_t at,
                        struct awk_val v); /* taken over */
size_t wk_awk_place_size(enum awk_place place);

/* awk_steps.c: what stands on the stack for each is with it */
void wk_awk_concatenate(struct awk *a, size_t n);
void wk_awk_join_keys(struct awk *a, size_t n); /* parted by SUBSEP */
void wk_awk_put_value(struct awk *a, struct wk_out *out, struct awk_val *v);
void wk_awk_print(struct awk *a, size_t n, enum awk_way way, bool formatted);
void wk_awk_get_line(struct awk *a, enum awk_way way, enum awk_place place, size_t slot);
void wk_awk_substitute(struct awk *a, bool all, enum awk_place place, size_t slot);
void wk_awk_begin_for_in(struct awk *a);
struct awk_val wk_awk_next_key(struct awk *a, struct awk_iter *it);

/* awk_field.c */
void wk_awk_set_record(struct awk *a, struct awk_str *text); /* takes it over */
struct awk_val *wk_awk_field_at(struct awk *a,
                                size_t i); /* $i; made when it is past NF only by awk_set_field */
struct awk_val wk_awk_field_value(struct awk *a, size_t i); /* another owner of it */
/* The same without a value being made: the text, valid until the record changes; the number; whether it compares
 * as a number, and which; the element with this key. */
struct wk_str wk_awk_field_text(struct awk *a, size_t i);
double wk_awk_field_number(struct awk *a, size_t i);
bool wk_awk_field_is_number(struct awk *a, size_t i, double *d);
struct awk_val *wk_awk_field_element(struct awk *a, struct awk_array *t, size_t i, bool create);
void wk_awk_set_field(struct awk *a, size_t i, struct awk_val v);
size_t wk_awk_count_fields(struct awk *a);
void wk_awk_set_nf(struct awk *a, double nf);
void wk_awk_fs_changed(struct awk *a);
void wk_awk_case_changed(struct awk *a); /* IGNORECASE */
/* There are at least i fields from now on; $0 stays. */
void wk_awk_touch_field(struct awk *a, size_t i);
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
/* *wrong: what is wrong with it, NULL when nothing is. */
struct awk_re *wk_awk_regex_const(struct awk *a, struct wk_str text, const char **wrong);
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
void wk_awk_close_input(struct awk *a, struct awk_input *in);
void wk_awk_set_errno(struct awk *a, int err);

/* awk_redir.c */
/* Where it writes; NULL: that could not be opened, which is allowed. */
struct wk_out *wk_awk_output(struct awk *a, enum awk_way way, struct awk_str *name);
double wk_awk_getline(struct awk *a, enum awk_way way, struct awk_str *name, struct awk_str **text);
double wk_awk_close(struct awk *a, struct awk_str *name, int which);
double wk_awk_flush(struct awk *a, struct awk_str *name);
double wk_awk_system(struct awk *a, struct awk_str *command);
void wk_awk_finish(struct awk *a);
/* What was written so far is passed on, before a fatal end. */
void wk_awk_leave_outputs(struct awk *a);
/* To be called when out->err is set: ends the program, unless that is allowed. */
void wk_awk_output_failed(struct awk *a, struct wk_out *out, const char *what);
static inline void awk_check_output(struct awk *a, struct wk_out *out, const char *what)
{
    if (WK_UNLIKELY(out->err))
        wk_awk_output_failed(a, out, what);
}

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
    AWK_F_DCGETTEXT,
    AWK_F_DCNGETTEXT,
    AWK_F_BINDTEXTDOMAIN,
    AWK_FUNCTIONS
};
struct awk_builtin_info {
    const char *name;
    uint8_t least, most;
    uint8_t array; /* bit i: argument i is an array; */
    uint8_t regex; /* bit i: argument i may be a regular expression */
    bool gnu;      /* not in -P and -c */
};
extern const struct awk_builtin_info wk_awk_builtins[AWK_FUNCTIONS];
/* n arguments on the stack are replaced by the result. */
void wk_awk_builtin(struct awk *a, enum awk_builtin f, size_t n);
/* Ends the program: an argument that has to be an array is none. */
WK_NORETURN void wk_awk_no_array(struct awk *a, const struct awk_builtin_info *f, size_t i);
/* length, index, substr of cells (awk_code.h), none on the stack. */
void wk_awk_builtin_cells(struct awk *a, enum awk_builtin f, const uint32_t *cells, size_t n);
/* sub, gsub: the text after it; how many were replaced. */
struct awk_str *wk_awk_replace(struct awk *a, struct awk_re *re, struct awk_str *with,
                               struct awk_str *in, int64_t which, bool groups, double *times);
struct awk_str *wk_awk_format(struct awk *a, struct awk_val *args, size_t n);
/* awk_sort.c: asort, and sorted_in: an array's elements in order, by "@ind_num_asc"… or the name of a function. */
struct awk_item {
    struct awk_str *key;
    bool number; /* the key is kept as one */
    struct awk_val v;
};
struct awk_sorted {
    size_t n;
    struct awk_item *items, **order;
};
void wk_awk_sorted(struct awk *a, struct awk_array *t, struct wk_str by, struct awk_sorted *s);
void wk_awk_sorted_free(struct awk *a, struct awk_sorted *s);

/* awk_symtab.c: elements of SYMTAB and FUNCTAB */
struct awk_val *wk_awk_named(struct awk *a, struct awk_array *t, struct awk_elem *e);
WK_NORETURN void wk_awk_not_named(struct awk *a, const struct awk_array *t, struct wk_str key);
/* Ends the program when the array is one of the two; what: the function that would fill it, NULL: delete. */
void wk_awk_check_cleared(struct awk *a, const struct awk_array *t, const char *what);
bool wk_awk_is_symtab(const struct awk *a, struct wk_str name);
/* A variable that is new; all variables and functions, where the program names the arrays. */
void wk_awk_name_variable(struct awk *a, uint32_t slot);
void wk_awk_name_all(struct awk *a);

/* awk_random.c */
double wk_awk_random(struct awk *a);
double wk_awk_seed(struct awk *a, double seed); /* the seed before */

/* awk_format.c */
struct wk_buf *wk_awk_buffer(struct awk *a); /* for one use at a time */
void wk_awk_warning(struct awk *a, const char *fmt, ...) WK_PRINTF(2, 3);
const char *wk_awk_show_number(struct awk *a, double v);
void wk_awk_put_time(struct awk *a, struct wk_buf *b, struct wk_str format, int64_t when, bool utc);
double wk_awk_make_time(struct awk *a, struct wk_str s, bool utc);

#endif
