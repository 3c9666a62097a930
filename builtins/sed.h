/* sed.h - what the parts of sed share: the compiled program, its spaces, its files
 *
 * Owner:   everything lies in the process heap and goes with the process.
 * Limits:  the spaces grow as far as the session's memory allows; every command that runs is a step.
 */
#ifndef WK_BUILTINS_SED_H
#define WK_BUILTINS_SED_H

#include "builtins/fsops.h"
#include "builtins/regex.h"

/* A piece of the script, as given: the text of -e, or the name of a file. */
struct sed_source {
    const char *text;
    bool file;
};

struct sed_opts {
    struct sed_source *sources;
    size_t nsources;
    bool quiet, debug, separate, unbuffered, posix, sandbox, follow, null_data, extended, binary;
    bool in_place;
    const char *suffix; /* of backups; NULL or "": none */
    bool width_given;
    int64_t width; /* of l; 0: lines are not broken */
};

/* ---- the program ----------------------------------------------------------------------------- */

enum sed_addr_kind {
    SED_NO_ADDR,
    SED_LINE,     /* n */
    SED_STEP,     /* n~step */
    SED_LAST,     /* $ */
    SED_RE,       /* /re/; re NULL: the one used last */
    SED_ZERO,     /* 0, before /re/ */
    SED_PLUS,     /* ,+n */
    SED_MULTIPLE  /* ,~n */
};

struct sed_re {
    struct wk_re *re;
    struct wk_str text;
    bool icase, multiline;
    bool groupless; /* it is an address that no s has used yet: then that looks for its groups */
};

struct sed_addr {
    enum sed_addr_kind kind;
    uint64_t n, step;
    struct sed_re *re;
};

/* A stretch of a replacement: text, then perhaps a group, in a case. */
enum { SED_UPPER = 1, SED_LOWER = 2, SED_UPPER_ONE = 4, SED_LOWER_ONE = 8, SED_ONE = 12 };
struct sed_part {
    struct wk_str text;
    int group; /* -1: none */
    int mode;  /* SED_UPPER or SED_LOWER for all, and a _ONE for the first character */
};

struct sed_out;

struct sed_subst {
    struct sed_re *re; /* NULL: the one used last */
    struct sed_part *parts;
    size_t nparts, cap;
    int max_group;
    uint64_t number; /* the first match to be replaced, from 1 */
    bool numbered, global, print, cases;
    char edge; /* '^' or '$': the expression is only that */
    struct sed_out *out; /* of w; or NULL */
};

/* y: what ASCII (or, without UTF-8, any) bytes become, and the other characters in order. */
struct sed_map {
    unsigned char bytes[256];
    bool simple; /* `bytes` says it all */
    struct wk_str from, to;
    struct sed_pair {
        uint32_t from;
        uint8_t n;
        char to[6];
    } *pairs;
    size_t npairs;
};

struct sed_cmd {
    char name;
    bool negate;
    bool active;   /* inside of the range */
    bool begun;    /* it was, in this file */
    uint64_t end;  /* the last line of the range, where that is a number */
    struct sed_addr a1, a2;
    int64_t number;     /* of q, Q, l; -1: none */
    size_t to;          /* where b, t, T and { go on: an index */
    struct wk_str text; /* of a, i, c; the name of a label or a file */
    union {
        struct sed_subst *subst;
        struct sed_map *map;
        struct sed_out *out;
        struct sed_stream *stream;
    } u;
};

/* Where a message about the program points to. */
struct sed_where {
    const char *file; /* NULL: an expression */
    uint64_t number;  /* of the expression, or of the line */
};

/* ---- spaces and files ------------------------------------------------------------------------ */

/* Pattern or hold space. The text may lie in the window of the input instead of `buf`. */
struct sed_space {
    char *p;
    size_t n;
    char *buf;
    size_t cap;
    bool borrowed; /* p lies in the window: the end of its line stands behind it */
    bool newline;  /* its line had an end */
};

/* Somewhere lines are written to. */
struct sed_out {
    struct sed_out *next;
    const char *name;
    struct wk_out *o;
    bool unfinished; /* what was written last lacks its end of line */
};

/* Something lines are read from: whole pieces of it in a window. */
struct sed_stream {
    struct sed_stream *next; /* of those that R reads */
    struct wk_in *in;        /* NULL: not open */
    const char *name;
    char *buf;
    size_t pos, n, cap; /* the bytes not yet taken are buf[pos] … buf[n - 1] */
    size_t seen;        /* no end of line lies before it */
    bool eof;
};

/* What a, r and R (kind) want printed at the end of the cycle. */
struct sed_append {
    char kind;
    struct wk_str text;
    char *copy; /* of R's line: to be freed */
};

struct sed {
    struct wk_cmd *c;
    const struct sed_opts *o;
    bool utf8, posix;
    bool strict; /* as POSIX says where GNU chose otherwise: $POSIXLY_CORRECT */
    char eol;
    struct wk_re_run run; /* all searches are counted together */

    struct sed_cmd *prog;
    size_t nprog, cap;
    struct sed_where end; /* of the script */
    struct sed_re *last;  /* the expression used last */
    struct wk_re *gate;   /* lines that it does not match are only printed; or NULL */
    bool gate_lines;      /* ... and their number matters */
    unsigned gate_rest, gate_idle; /* where every line matches: cycles without it, the last such */

    struct sed_stream in;
    int next_file;
    uint64_t line;
    bool missing;  /* some file could not be read */

    struct sed_space pattern, hold, spare;
    bool replaced; /* since the line was read, or t asked */
    bool restart;  /* D: the next cycle begins without a line */
    bool dropped;  /* D ended the cycle */
    bool quit;
    int status, level; /* level: of blocks, for --debug */

    struct sed_append *appends;
    size_t nappends, appends_cap;

    struct sed_out *out, stdout_, *outs;
    struct sed_out stdout_w, stderr_w; /* of w: their lines end, or not, on their own */
    struct sed_stream *readers;
    char *target, *temp; /* of -i: the file, and what will take its place */
    struct sed_out edited;
};

/* sed_parse.c: compiles all of the script, or ends the process with what is wrong. */
void wk_sed_parse(struct sed *s);
/* "NAME: -e expression #1, char 0: MESSAGE", of the end of the script, and the end. */
WK_NORETURN void wk_sed_fault(struct sed *s, const char *message);
/* As wk_fail; the files of w get what was written, one in editing stays as it was. */
WK_NORETURN void wk_sed_die(struct sed *s, int status, const char *fmt, ...) WK_PRINTF(3, 4);

/* sed_text.c: growing bytes in the heap. */
struct sed_bytes {
    char *p;
    size_t n, cap;
};
void wk_sed_put(struct wk_cmd *c, struct sed_bytes *b, const char *p, size_t n);
/* sed_subst.c: s on the pattern space; true when something was replaced. */
bool wk_sed_substitute(struct sed *s, struct sed_subst *sub);

/* ---- sed_exec.c ------------------------------------------------------------------------------ */

void wk_sed_run(struct sed *s);
/* Searches text from a place on (past the start: the text of just before); ends the process when that fails. */
bool wk_sed_search(struct sed *s, struct wk_re *re, struct wk_str text, size_t from,
                   struct wk_re_span *spans, size_t n);

/* ---- sed_io.c -------------------------------------------------------------------------------- */

/* The next line into the pattern space, or with `join` behind an end of line there; false at the
 * end of the input, with -s and -i of the file. */
bool wk_sed_read(struct sed *s, bool join);
/* No line follows. */
bool wk_sed_at_end(struct sed *s);
/* -s and -i: ends the file at hand and begins the next one. False when there is none. */
bool wk_sed_next_file(struct sed *s);
/* Lines at hand that the gate does not let through are printed, or dropped, without a cycle. */
void wk_sed_skip(struct sed *s);
/* The input is put behind the last line that was used, where it can be. */
void wk_sed_leave_input(struct sed *s);
/* The next line of a file that R reads. */
bool wk_sed_stream_line(struct sed *s, struct sed_stream *in, struct wk_str *line, bool *newline);
struct sed_stream *wk_sed_open_stream(struct sed *s, const char *name);

#endif
