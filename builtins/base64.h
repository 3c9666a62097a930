/* base64.h - bytes as groups of printable characters and back (base64, base32, basenc) */
#ifndef WK_BUILTINS_BASE64_H
#define WK_BUILTINS_BASE64_H

#include "kern/cmd.h"

struct wk_coder {
    struct wk_cmd *c;
    const char *alphabet;
    unsigned bits;  /* in a character */
    unsigned group; /* characters in a group: 4 of base64, 8 of base32 */
    uint64_t wrap, column;
    const char *pairs;        /* NULL: not made */
    unsigned char value[256]; /* of a character, 255 = none */
    uint64_t held;            /* bits of the unfinished group */
    unsigned n;               /* encoding: bytes in it; decoding: characters in it */
    unsigned pads;
    char out[8]; /* bytes of a group that is not passed on yet */
    unsigned n_out;
    bool ignore;
};

/* -w: NULL is 76; ends the process when it is no number. */
void wk_coder_take_wrap(struct wk_coder *s, const char *text);
/* Fills `value` from the alphabet. */
void wk_coder_learn(struct wk_coder *s);
/* The operand, or standard input; ends the process when it cannot be read. P */
struct wk_in *wk_coder_open(struct wk_cmd *c);
/* All of the input. What is wrong in it ends the process. P */
void wk_coder_encode(struct wk_coder *s, struct wk_in *in);
void wk_coder_decode(struct wk_coder *s, struct wk_in *in);
/* Decoding piece by piece. */
void wk_coder_decode_piece(struct wk_coder *s, const char *p, size_t n);
void wk_coder_decode_end(struct wk_coder *s);
/* Characters, broken into lines. */
void wk_coder_put(struct wk_coder *s, const char *p, size_t n);

#endif
