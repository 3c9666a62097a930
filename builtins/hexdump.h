/* hexdump.h - what the parts of hexdump share: compiled formats
 *
 * A format string is a list of units ("3/2 \"%x \""), a unit prints its fields as often as it says.
 * All strings are applied to the same block of input, one after the other.
 */
#ifndef WK_BUILTINS_HEXDUMP_H
#define WK_BUILTINS_HEXDUMP_H

#include "builtins/fsops.h"

enum hexdump_kind {
    HEXDUMP_TEXT,
    HEXDUMP_ADDRESS,
    HEXDUMP_SIGNED,
    HEXDUMP_UNSIGNED,
    HEXDUMP_FLOAT,
    HEXDUMP_BYTE,   /* %c */
    HEXDUMP_STRING, /* %s */
    HEXDUMP_CHAR,   /* %_c: escapes, octal; from here on behind an underscore */
    HEXDUMP_PRINT,  /* %_p: a point for what cannot be printed */
    HEXDUMP_NAME    /* %_u: names of control characters */
};

/* One directive, with the text in front of it, and behind the last one of a unit. */
struct hexdump_field {
    enum hexdump_kind kind;
    struct wk_str before, after;
    bool minus, plus, space, zero, alt;
    char conv;
    int width, precision; /* precision -1: none */
    size_t bytes;
};

struct hexdump_unit {
    struct hexdump_field *fields;
    size_t nfields;
    size_t times, bytes; /* bytes: of one time */
    struct wk_str text;  /* what the fields are made of, and the number behind the slash, 0: none */
    size_t given_bytes;
    bool times_given, ends; /* ends: it is printed behind the input, and hides what follows it */
    bool trims; /* the last time goes without its last blank */
};

struct hexdump_format {
    struct hexdump_unit *units;
    size_t nunits, cap, bytes;
};

struct hexdump_formats {
    struct hexdump_format *v;
    size_t n, cap, block; /* block: bytes at a time */
    const struct hexdump_unit *end;
};

/* Adds a format string; one that is not of this form ends the process. */
void wk_hexdump_add(struct wk_cmd *c, struct hexdump_formats *all, const char *text);
/* Once all are there: the directives in them (a wrong one ends the process), the block's
 * size, and how often last units are to be applied to fill it. */
void wk_hexdump_settle(struct wk_cmd *c, struct hexdump_formats *all);

/* Prints one block; where the input ends in it, behind `have` bytes, there are zeros and blanks are
 * printed. */
void wk_hexdump_block(struct wk_cmd *c, const struct hexdump_formats *all, const unsigned char *p,
                      size_t have, uint64_t address);
/* Prints the last unit, with the address behind the input. */
void wk_hexdump_end(struct wk_cmd *c, const struct hexdump_formats *all, uint64_t address);

#endif
