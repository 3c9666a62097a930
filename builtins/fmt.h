/* fmt.h - paragraphs of words, and how they are broken into lines */
#ifndef WK_BUILTINS_FMT_H
#define WK_BUILTINS_FMT_H

#include "kern/cmd.h"

enum {
    FMT_CHARS = 5000, /* of a paragraph at a time */
    FMT_WORDS = 1000
};

struct fmt_word {
    int32_t text; /* offset in `chars` */
    int32_t length, space; /* bytes; blanks behind it */
    bool paren, period, punct, final;
    /* The best way to go on when a line begins with it. */
    int32_t line_length;
    int32_t next; /* word that begins the line after */
    int64_t cost;
    uint64_t poly[3]; /* ... and of what a line before it costs */
};

/* How paragraphs are told apart and shown. */
struct fmt {
    struct wk_cmd *c;
    bool crown, tagged, split, uniform;
    int32_t width, goal;
    const char *prefix; /* without blanks at its ends */
    int32_t prefix_lead, prefix_n, prefix_full; /* blanks before; bytes; with those behind */
    /* the input */
    struct wk_in *in;
    const char *p;
    size_t n, taken;
    bool failed;
    int next_char; /* first of the next line behind prefix and blanks */
    int32_t in_column, line_indent; /* of that line: columns gone; blanks before its prefix */
    bool tabs;                      /* there was one among blanks */
    /* the paragraph */
    int32_t first_indent, other_indent, prefix_indent;
    int32_t out_column, last_length; /* last line put of this paragraph, 0 = none */
    int32_t chars_n, words_n;
    struct fmt_word words[FMT_WORDS + 1];
    char chars[FMT_CHARS];
};

/* Finds the best breaks of the words at hand. */
void wk_fmt_break(struct fmt *f);
/* Puts the lines up to the one that begins with word `end`. */
void wk_fmt_put(struct fmt *f, int32_t end);
/* Puts as much as is settled of a paragraph that is too large to be kept whole. */
void wk_fmt_make_room(struct fmt *f);
/* Goes n columns on with blanks, or tabs where the input has some. */
void wk_fmt_put_space(struct fmt *f, int32_t n);

#endif
