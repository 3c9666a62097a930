/* dc.h - the parts of dc: values, registers, and what runs its commands
 *
 * Owner:  struct dc, in the process heap; so is everything it points to.
 * Limits: array subscripts below 2^31.
 */
#ifndef WK_BUILTINS_DC_H
#define WK_BUILTINS_DC_H

#include "builtins/decnum.h"

struct dc_text {
    size_t refs, n;
    char p[];
};

/* One of the two; both NULL: no value. */
struct dc_value {
    struct wk_dec *number;
    struct dc_text *text;
};

/* Elements of an array, in order of their subscripts. */
struct dc_element {
    int64_t at;
    struct dc_value value;
};

/* One level of a register. */
struct dc_level {
    struct dc_value value;
    struct dc_element *v;
    size_t n, cap;
};

struct dc_register {
    struct dc_level *v;
    size_t n, cap;
};

/* Text that is being run: a macro, or what options, a file or standard input hold. */
struct dc_frame {
    struct dc_text *text;
    size_t pos;
    size_t levels; /* with the macros that ended in this one's call */
};

struct dc {
    struct wk_cmd *c;
    struct dc_value *stack;
    size_t n, cap;
    struct dc_register reg[256];
    struct dc_frame *frame;
    size_t n_frame, frame_cap;
    struct wk_in *in; /* file at the bottom; NULL: text of -e */
    const char *p, *end; /* bytes of it at hand */
    const char *stdin_p, *stdin_end;
    char *piece, *stdin_piece; /* what they point into */
    uint32_t ibase, obase, scale;
    size_t column, width;
    int64_t quit; /* levels still to leave */
};

#define DC_ROOM(d, v, n, cap)                                                    \
    do {                                                                         \
        if ((n) == (cap)) {                                                      \
            (cap) = (cap) ? (cap) * 2 : 8;                                       \
            (v) = wk_heap_realloc((d)->c->heap, (v), (cap) * sizeof *(v));       \
        }                                                                        \
    } while (0)

/* dc_value.c */
struct dc_text *wk_dc_text_new(struct dc *d, const char *p, size_t n);
struct dc_value wk_dc_ref(struct dc_value v);
void wk_dc_drop(struct dc *d, struct dc_value v);
void wk_dc_push(struct dc *d, struct dc_value v);
void wk_dc_push_number(struct dc *d, struct wk_dec *x);
void wk_dc_push_int(struct dc *d, int64_t v);
/* False, after saying so, when the stack is empty. */
bool wk_dc_pop(struct dc *d, struct dc_value *v);
/* A line on standard error; the output before it is not passed on first, as in the real dc. */
void wk_dc_say(struct dc *d, const char *fmt, ...) WK_PRINTF(2, 3);
void wk_dc_print(struct dc *d, struct dc_value v, bool newline);
/* The level of a register that counts, made when `make`; NULL: there is none. */
struct dc_level *wk_dc_level_of(struct dc *d, unsigned char name, bool make);
struct dc_level *wk_dc_level_push(struct dc *d, unsigned char name);
bool wk_dc_level_pop(struct dc *d, unsigned char name, struct dc_value *v);
void wk_dc_array_set(struct dc *d, struct dc_level *l, int64_t at, struct dc_value v);
struct dc_value wk_dc_array_get(const struct dc_level *l, int64_t at);

/* dc_math.c: the commands + - * / % ~ ^ |, whose operands stay when they cannot be done, and v. */
void wk_dc_arithmetic(struct dc *d, char op);
void wk_dc_root(struct dc *d);

#endif
