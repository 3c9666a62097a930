/* printfmt.h - printf directives, backslash escapes, shell quoting
 *
 * For printf, echo, $'…', seq -f, stat -c, awk: what a directive means, what an escape stands
 * for, how a string is written so that a shell reads it back. Output goes to a wk_buf, whose
 * maximum bounds it (%0999999999d fails there instead of filling memory).
 */
#ifndef WK_TEXT_PRINTFMT_H
#define WK_TEXT_PRINTFMT_H

#include "base/buf.h"

/* ---- directives ---- */

enum {
    WK_FMT_MINUS = 1,
    WK_FMT_PLUS = 2,
    WK_FMT_SPACE = 4,
    WK_FMT_ALT = 8,
    WK_FMT_ZERO = 16,
    WK_FMT_GROUP = 32 /* ' : no effect in C.UTF-8 */
    /* the values of base/fnum.h's WK_FNUM_… */
};

struct wk_printf_spec {
    unsigned flags;
    bool bare_precision;             /* a point alone */
    bool star_width, star_precision; /* from arguments: call wk_printf_set_width, _precision */
    bool has_width;
    bool bad_width, bad_precision; /* number past INT_MAX in the format */
    size_t width;
    int precision;       /* -1 = none */
    char length[3];      /* "", "l", "ll", "h", "hh", "j", "z", "t", "L", "q" */
    char conv;           /* '\0' at the end of the format; 'T' for %(…)T (with datefmt.p) */
    struct wk_str datefmt; /* the part in parentheses of %(…)T */
    struct wk_str text;  /* the whole directive, for messages */
};

/* Reads the directive after a '%' at fmt.p[*pos - 1]; *pos is moved past it. Always succeeds: the
 * caller judges `conv` (which may be any byte, '\0' when the format ended; then datefmt.p is set
 * and conv '(' when a "%(" was not closed by ")T"). */
void wk_printf_parse(struct wk_str fmt, size_t *pos, struct wk_printf_spec *out);
/* A '*' argument: a negative width means left-justified, a negative precision means none. */
void wk_printf_set_width(struct wk_printf_spec *f, int64_t v);
void wk_printf_set_precision(struct wk_printf_spec *f, int64_t v);

/* Append one value as the directive says (the conversion letter picks base and case: d i u o x X
 * for integers, e f g a E F G A for floats). False = the buffer refused (sticky). */
bool wk_printf_i64(struct wk_buf *b, const struct wk_printf_spec *f, int64_t v);
bool wk_printf_u64(struct wk_buf *b, const struct wk_printf_spec *f, uint64_t v);
bool wk_printf_double(struct wk_buf *b, const struct wk_printf_spec *f, double v);
bool wk_printf_ldouble(struct wk_buf *b, const struct wk_printf_spec *f, long double v);
/* Strings: width and precision count bytes (bash's %s), or characters when `chars` (bash's %ls,
 * awk's %s). */
bool wk_printf_str(struct wk_buf *b, const struct wk_printf_spec *f, struct wk_str s, bool chars);
/* %c: the first byte of s, or its first character when `chars`; nothing but padding when s is
 * empty. */
bool wk_printf_char(struct wk_buf *b, const struct wk_printf_spec *f, struct wk_str s, bool chars);

/* ---- numeric arguments of printf ---- */

enum wk_printf_arg {
    WK_FMT_ARG_OK,
    WK_FMT_ARG_INVALID,  /* "invalid number": value is of the part before the bad character, or 0 */
    WK_FMT_ARG_RANGE     /* "Numerical result out of range": value is the nearest limit */
};
/* bash's rules: leading blanks and a sign, 0x… and 0… , "'c" and "\"c" give the character's
 * code, the empty string is 0 (OK). */
enum wk_printf_arg wk_printf_arg_i64(struct wk_str s, int64_t *out);
enum wk_printf_arg wk_printf_arg_u64(struct wk_str s, uint64_t *out); /* negative wraps */
enum wk_printf_arg wk_printf_arg_double(struct wk_str s, double *out);
enum wk_printf_arg wk_printf_arg_ldouble(struct wk_str s, long double *out);

/* ---- the whole of printf ---- */

/* Runs a format over arguments, again and again until they are used up, with bash's rules. */
struct wk_printf {
    struct wk_buf *out;
    /* Called when `out` holds more than 8 KiB and at the end of each round if set: take the bytes
     * and reset it. A negative answer stops. May be NULL. */
    int (*flush)(void *ctx, struct wk_buf *out);
    /* A message without the "printf: " before it ("abc: invalid number"). May be NULL. */
    void (*warn)(void *ctx, const char *text);
    /* %(fmt)T: append; `secs` is the argument (-1 now, -2 the shell's start). NULL: conversion
     * refused. */
    bool (*put_time)(void *ctx, struct wk_buf *out, struct wk_str fmt, int64_t secs);
    /* %n: store the count of bytes so far in the variable. NULL: ignored. Not 0 = stop with 1. */
    int (*set_count)(void *ctx, struct wk_str name, int64_t count);
    void *ctx;
    bool bytes; /* a character is a byte */
    bool posix; /* floating numbers are doubles but for those with an L */
};
/* The exit status (0 or 1), or a negative code: -WK_ENOMEM (the buffer refused) or flush's. */
WK_NODISCARD int wk_printf_run(struct wk_printf *p, struct wk_str format,
                               const struct wk_str *args, size_t nargs);

/* ---- backslash escapes ---- */

enum wk_escape {
    WK_ESCAPE_ECHO,   /* echo -e: \0nnn \xHH \uHHHH \UHHHHHHHH; \c stops; \1 stays */
    WK_ESCAPE_PRINTF, /* printf's format: \nnn \" \' \?; \c stays */
    WK_ESCAPE_B,      /* printf %b: \0nnn and \nnn; \c stops; \" \' \? stay */
    WK_ESCAPE_ANSI    /* $'…': \nnn \xHH \x{H…} \cX \' \" \?; NUL ends the string */
};
enum { WK_ESCAPE_BYTES = 16 }; /* or-ed: a character is a byte, so that \u shows itself from 0x80 on */
/* Appends s with its escapes replaced. *stop (unless NULL) is set when \c, or a NUL in ANSI, ended
 * it. A backslash before anything else stays. False when the buffer refused. */
bool wk_unescape(struct wk_buf *b, struct wk_str s, unsigned how, bool *stop);
/* One escape: s begins after the backslash. Appends what it stands for and returns the bytes used
 * (0 = no escape: the caller keeps the backslash). *stop (unless NULL) as above. */
size_t wk_unescape_one(struct wk_buf *b, struct wk_str s, unsigned how, bool *stop);

/* ---- quoting ---- */

enum wk_quote_style {
    WK_QUOTE_BACKSLASH, /* printf %q: a\ b; '' for empty; $'…' when something cannot be printed */
    WK_QUOTE_SINGLE,    /* ${x@Q}, alias, trap -p: always '…'; $'…' as above */
    WK_QUOTE_AS_NEEDED, /* set: plain when safe, else as SINGLE */
    WK_QUOTE_TRACE,     /* set -x: '…' for what a shell would take itself, else as AS_NEEDED */
    WK_QUOTE_DOUBLE,    /* declare -p: "…" with \ before $ ` " \; $'…' as above */
    WK_QUOTE_ANSI       /* always $'…' */
};
enum { WK_QUOTE_BYTES = 16 }; /* or-ed: a character is a byte, and those from 0x80 on cannot be printed */
/* Appends s quoted as bash does. False when the buffer refused. */
bool wk_quote_text(struct wk_buf *b, struct wk_str s, unsigned how);

#endif
