/* sed_script.h - what the parts share that read sed's script
 *
 * The script comes in pieces, each an -e or a file. Whatever is wrong ends the process, with a
 * message that names the place.
 */
#ifndef WK_BUILTINS_SED_SCRIPT_H
#define WK_BUILTINS_SED_SCRIPT_H

#include "builtins/sed.h"

struct sed_reader {
    struct sed *s;
    const char *p; /* the piece at hand */
    size_t i, n;
    size_t next;          /* of the pieces */
    struct sed_where at;  /* the expression, or the line of the file */
    uint64_t expressions; /* so far */
    size_t *blocks;       /* the braces that are open: indices of their commands */
    struct sed_where *block_at;
    size_t nblocks, blocks_cap;
};

/* ---- sed_parse.c ----------------------------------------------------------------------------- */

/* The next byte of the piece, -1 at its end; `back` un-reads it. */
int wk_sed_char(struct sed_reader *r);
void wk_sed_back(struct sed_reader *r, int ch);
/* The next that is no blank. */
int wk_sed_nonblank(struct sed_reader *r);
/* Goes on to the next piece of the script; false when there is none. */
bool wk_sed_next_piece(struct sed_reader *r);
/* "NAME: -e expression #1, char 5: …" or "NAME: file F line 3: …"; status 1. */
WK_NORETURN void wk_sed_bad(struct sed_reader *r, const char *fmt, ...) WK_PRINTF(2, 3);
/* A number that begins with the digit ch; what is too large loses its upper bits. */
uint64_t wk_sed_number(struct sed_reader *r, int ch);
/* Compiles an expression; NULL for an empty one. */
struct sed_re *wk_sed_regex(struct sed_reader *r, struct wk_str raw, bool icase, bool multiline);
/* The name of a file, up to the end of the line. */
struct wk_str wk_sed_file_name(struct sed_reader *r);
void wk_sed_check_sandbox(struct sed_reader *r);

/* ---- sed_text.c ------------------------------------------------------------------------------ */

/* Text up to `delim` into *out (in the heap). In an expression brackets hide the delimiter, \n is a
 * newline and the delimiter loses its backslash; elsewhere all escapes stay. False when it does not
 * end. */
bool wk_sed_delimited(struct sed_reader *r, int delim, bool regex, struct wk_str *out);
/* The delimiter of s and y, and of an address behind a backslash. */
int wk_sed_delimiter(struct sed_reader *r);
/* An expression with its escapes of characters replaced by these. */
struct wk_str wk_sed_regex_text(struct sed_reader *r, struct wk_str raw);
/* The byte for which the escape stands whose letter is at *i, which is put behind it; false when it
 * is no such escape. */
bool wk_sed_escape(struct sed_reader *r, struct wk_str raw, size_t *i, char *out);
/* The text of a, i, c, after the command's name. */
struct wk_str wk_sed_text(struct sed_reader *r);
/* y, after its name. */
struct sed_map *wk_sed_map(struct sed_reader *r);

/* ---- sed_subst.c ----------------------------------------------------------------------------- */

/* s, after its name. */
struct sed_subst *wk_sed_subst(struct sed_reader *r);

#endif
