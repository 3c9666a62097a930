/* jq.h - a jq program at work: what its parts share
 *
 * jq.c (options, inputs, outputs) owns struct jq; jq_lex.c, jq_parse.c and jq_compile.c make code of
 * a program's text; jq_run.c runs it by backtracking; jq_builtin_*.c hold the functions written in C
 * and jq_prelude.c those written in jq. One jq is used by one fiber.
 */
#ifndef WK_BUILTINS_JQ_H
#define WK_BUILTINS_JQ_H

#include "builtins/jq_value.h"

struct jq_program; /* compiled code (jq_code.h) */
struct jq_machine; /* what runs it (jq_run.h) */

/* Where `input` and the driver's loop get values from. */
struct jq_source {
    /* 1 and *v; 0 at the end; -1 with q->error set (a message as a string). */
    int (*next)(struct jq_source *s, struct jq_val *v);
};

struct jq {
    struct wk_cmd *c;
    struct jq_pool pool; /* where values lie */
    uint64_t seed;       /* of the hashes of strings */
    struct wk_buf scratch;    /* for one use at a time, over wk_heap_mem */
    struct jq_reader *reader; /* of fromjson and its kin; NULL until one is needed */
    struct jq_val error; /* what was raised; JQ_NONE when nothing is */
    bool is_break;       /* the error is a `break`: only its label catches it */

    /* Set by the driver before the program is compiled. */
    struct jq_source *inputs;       /* input, inputs */
    struct jq_val named;            /* --arg and its kin: an object; $NAME and $ARGS.named */
    struct jq_val positional;       /* --args and --jsonargs: an array */
    struct jq_val env;              /* $ENV and env: an object; JQ_NONE until asked for (wk_jq_env) */
    struct jq_val filename;         /* input_filename: a string or null */
    size_t line_number;             /* input_line_number */
    const char *const *library;     /* -L: directories, ended by NULL; NULL: the default ones */
    const char *origin;             /* where the main program stands: -f FILE's directory or "." */
    bool sort_keys, seq, stream;    /* options that builtins look at */

    /* debug, stderr and input_line_number's like: messages go here. */
    void (*on_debug)(struct jq *q, struct jq_val v);  /* takes v: ["DEBUG:",v] line on stderr */
    void (*on_stderr)(struct jq *q, struct jq_val v); /* takes v: printed raw, no newline */

    bool halted; /* halt, halt_error: the program ends */
    int halt_status;
    struct jq_val halt_value; /* JQ_NONE: nothing to print */

    struct jq_scope *prelude;  /* what was read of the prelude (jq_check.c); NULL at first */
    struct jq_module *modules; /* the modules that were read (jq_module.c) */

    struct jq_regex *regexes; /* compiled expressions, the latest first (jq_regex.c) */
    size_t n_regexes;

    const struct wk_tz *zone; /* the session's time zone; NULL until asked for (jq_dates.c) */
    int64_t zone_guess;       /* of wk_tz_mktime */
};

/* Makes *q ready for values; everything else is empty. */
void wk_jq_init(struct jq *q, struct wk_cmd *c);

/* ---- errors ---- */

/* Raises v (taken); returns false, so that `return wk_jq_raise(q, v);` ends a builtin. */
bool wk_jq_raise(struct jq *q, struct jq_val v);
/* The same with a message (formats of wk_buf_fmt). */
bool wk_jq_error(struct jq *q, const char *fmt, ...) WK_PRINTF(2, 3);
/* A value as messages show it: its JSON cut to at most `room` - 1 bytes with "..." (jq 1.8: room is
 * 30 unless a function says otherwise), in dst; borrows. */
const char *wk_jq_dump_short(struct jq *q, struct jq_val v, char *dst, size_t room);
/* "KIND (VALUE) WHAT": e.g. string ("abc") cannot be negated; takes v. */
bool wk_jq_type_error(struct jq *q, struct jq_val v, const char *what);
/* "KIND (VALUE) and KIND (VALUE) WHAT"; takes both. */
bool wk_jq_type_error2(struct jq *q, struct jq_val a, struct jq_val b, const char *what);

/* ---- builtins ---- */

enum { WK_JQ_ARGS_MAX = 7 };

/* A function written in C. a[0] is its input and a[1..nargs] its arguments, each one value (the
 * machine calls it for every combination); it takes them all. True and *out, or false with an error
 * raised. JQ_NONE in *out: no output (empty). It may park (it runs on the command's fiber). */
typedef bool (*jq_native)(struct jq *q, struct jq_val *a, struct jq_val *out);
struct jq_builtin {
    const char *name;
    uint8_t nargs;
    jq_native call;
};
/* By name and number of arguments; NULL. The tables of jq_builtin_*.c. */
const struct jq_builtin *wk_jq_builtin(const char *name, size_t n, unsigned nargs);

/* A function written in jq: its whole definition ("def map(f): [.[] | f];"), compiled when a program
 * first names it, in an environment of the builtins alone. */
struct jq_prelude {
    const char *name;
    uint8_t nargs;
    const char *source;
};
const struct jq_prelude *wk_jq_prelude(const char *name, size_t n, unsigned nargs);
/* All of both tables for `builtins`: "name/arity" strings as an array. */
struct jq_val wk_jq_builtin_list(struct jq *q);

/* ---- the primitives of the language, shared by the machine and builtins ----
 * Each takes its arguments; false with an error raised. */

/* .[k], also slices {start,end}. */
bool wk_jq_index(struct jq *q, struct jq_val v, struct jq_val key, struct jq_val *out);
bool wk_jq_set(struct jq *q, struct jq_val v, struct jq_val key, struct jq_val x, struct jq_val *out);
bool wk_jq_has(struct jq *q, struct jq_val v, struct jq_val key, struct jq_val *out);
bool wk_jq_getpath(struct jq *q, struct jq_val v, struct jq_val path, struct jq_val *out);
bool wk_jq_setpath(struct jq *q, struct jq_val v, struct jq_val path, struct jq_val x, struct jq_val *out);
bool wk_jq_delpaths(struct jq *q, struct jq_val v, struct jq_val paths, struct jq_val *out);
bool wk_jq_add(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out);
bool wk_jq_subtract(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out);
bool wk_jq_multiply(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out);
bool wk_jq_divide(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out);
bool wk_jq_modulo(struct jq *q, struct jq_val a, struct jq_val b, struct jq_val *out);
bool wk_jq_negate(struct jq *q, struct jq_val v, struct jq_val *out);
/* Both are arrays: where the elements of the second stand in the first one after the other. */
bool wk_jq_indices(struct jq *q, struct jq_val v, struct jq_val what, struct jq_val *out);
/* @text @json @html …: v as text by the format named (without @); takes v. */
bool wk_jq_format(struct jq *q, struct jq_val v, struct wk_str format, struct jq_val *out);
/* The session's environment as an object (a copy). */
struct jq_val wk_jq_env(struct jq *q);

/* ---- compiling and running ---- */

/* Compiles; NULL when the text is refused, with *messages holding jq's lines ("jq: error: …\n" and
 * the closing "jq: N compile error(s)\n"), over wk_heap_mem. */
struct jq_program *wk_jq_compile(struct jq *q, struct wk_str text, struct wk_buf *messages);
struct jq_machine *wk_jq_machine(struct jq *q, struct jq_program *p);
/* Starts with an input (taken); what was under way is dropped. */
void wk_jq_start(struct jq_machine *m, struct jq_val input);
/* The next output: 1 and *out; 0 when there is no more (or q->halted); -1: an error was raised and is in
 * q->error (the caller clears it). May park. */
int wk_jq_next(struct jq_machine *m, struct jq_val *out);

#endif
