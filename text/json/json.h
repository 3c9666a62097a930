/* json.h - JSON texts piece by piece: an incremental reader of tokens, and strings to write
 *
 * The reader takes what jq takes: any number of texts behind one another with or without blanks
 * between them, a byte order mark in front, bytes that are no UTF-8 in strings (U+FFFD), numbers as
 * decimals are written (+1, .5, 5., 01) and nan and infinity in any case. It says what is wrong in
 * jq's words and with jq's columns.
 *
 * Owner:  what is fed is borrowed until the next feed; the rest lies in the account.
 * Limits: nesting (`depth_max`); tokens as long as the account allows.
 */
#ifndef WK_TEXT_JSON_JSON_H
#define WK_TEXT_JSON_JSON_H

#include "base/buf.h"

enum wk_json_token {
    WK_JSON_MORE,  /* all that was fed is used up: feed, or say that it is the end */
    WK_JSON_END,   /* the end, with nothing unfinished */
    WK_JSON_ERROR, /* `error` tells; the reader stays there until it is reset */
    WK_JSON_NULL,
    WK_JSON_FALSE,
    WK_JSON_TRUE,
    WK_JSON_NUMBER, /* text: [-]digits[.digits][e[+-]digits], at least one digit before the e */
    WK_JSON_NAN,
    WK_JSON_INFINITY, /* text begins with '-' or not */
    WK_JSON_STRING,   /* text: decoded */
    WK_JSON_KEY,      /* the same, in front of a colon that is not looked at yet */
    WK_JSON_ARRAY,    /* they begin … */
    WK_JSON_OBJECT,
    WK_JSON_ARRAY_END, /* … and end */
    WK_JSON_OBJECT_END
};

enum wk_json_mode {
    WK_JSON_PLAIN = 0,
    WK_JSON_STREAM = 1, /* grammar is told apart, and in the words, as jq --stream does */
    WK_JSON_SEQ = 2     /* RS (0x1e) begins a text (RFC 7464): what was cut short is an error there */
};

struct wk_json {
    const char *p, *end; /* what was fed and not used */
    const char *fed;     /* where it begins; */
    uint64_t before;     /* bytes fed before that */
    size_t line;         /* newlines used so far */
    uint64_t line_at;    /* where the line begins, in all bytes */
    unsigned mode;       /* WK_JSON_… */
    size_t depth, depth_max;
    uint8_t *levels; /* what is open, see json.c */
    size_t levels_cap;
    bool object;      /* the container at hand is an object */
    bool slow;        /* the next token needs a look at what is rare (json.c) */
    uint8_t next;     /* a value that waits for what separates it */
    bool after_comma; /* ... none: since a comma was last */
    bool has_key;     /* the object at hand waits for a key's value */
    uint8_t partial;  /* a token that began in what was fed before */
    uint8_t bom;      /* bytes of a byte order mark seen; 4: they are no matter any more */
    bool escaped;     /* a string that goes on: a backslash was last */
    bool ended;       /* nothing more will be fed */
    bool last_blank;  /* the byte before what was fed was a blank, … */
    bool waiting;     /* … and no RS was met yet (WK_JSON_SEQ) */
    struct wk_str text;
    bool short_number; /* WK_JSON_NUMBER is [-]digits[.digits] of at most 15 digits without zeros in front; … */
    unsigned places;   /* … digits behind the point */
    uint64_t digits;   /* … all of them as a whole number */
    struct wk_buf spill;   /* the token that goes on, */
    struct wk_buf decoded; /* and a string's text where it is not as it stands */
    const char *error;
    bool error_at_end, error_placeless; /* "at EOF"; no place is told */
    bool error_at_rs;                   /* an RS showed that something was cut short */
    bool failed;                        /* the account refused */
};

void wk_json_init(struct wk_json *j, struct wk_mem *mem, unsigned mode, size_t depth_max);
void wk_json_release(struct wk_json *j);
/* Forgets all that is open, also an error: what is unread is read as if it were the beginning. */
void wk_json_reset(struct wk_json *j);

/* Begins anew: also with lines and columns, and a byte order mark may come. */
void wk_json_restart(struct wk_json *j);

/* Gives the reader n more bytes; only after WK_JSON_MORE, or when nothing is unread. */
void wk_json_feed(struct wk_json *j, const char *p, size_t n);
/* Leaves out n bytes of what is unread: they count in no line and no column. */
void wk_json_skip(struct wk_json *j, size_t n);
/* Nothing more will come. */
void wk_json_finish(struct wk_json *j);
/* The next token. With depth 0 it is, or ends, a whole text. */
enum wk_json_token wk_json_next(struct wk_json *j);
/* Column (from 1; 0 just behind a newline) of what was used last; the line is `line` + 1. */
static inline size_t wk_json_column(const struct wk_json *j)
{
    return (size_t)(j->before + (uint64_t)(j->p - j->fed) - j->line_at);
}
/* Appends "Unfinished string at EOF at line 1, column 4". */
void wk_json_put_error(const struct wk_json *j, struct wk_buf *out);

/* ---- strings ---- */

/* Length of the part of s in front of the first '"', '\\', control character (DEL too) or, with `ascii`,
 * byte that is not ASCII: what is written as it is. */
size_t wk_json_plain(struct wk_str s, bool ascii);
/* Appends s (valid UTF-8) in quotes, escaped as jq does: DEL too, with `ascii` all but ASCII. */
bool wk_json_put_string(struct wk_buf *out, struct wk_str s, bool ascii);

#endif
