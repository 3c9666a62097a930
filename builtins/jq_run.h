/* jq_run.h - jq's machine: frames and choices, all of it in the heap
 *
 * A choice is a way that is still open: going back takes the latest. Frames are counted: by the frame at work,
 * by choices, by the frames that return to them, and by closures and functions that see their variables. What
 * nobody can come back to is gone, so that a loop by tail calls runs in constant memory.
 */
#ifndef WK_BUILTINS_JQ_RUN_H
#define WK_BUILTINS_JQ_RUN_H

#include "builtins/jq_code.h"

struct jq_frame;

struct jq_closure {
    struct jq_fn *fn;
    struct jq_frame *frame;
};

struct jq_frame {
    uint32_t refs;
    uint16_t class; /* of its block's size; 0: none */
    struct jq_code *code;
    struct jq_frame *parent;    /* whose variables its function sees */
    struct jq_frame *to;        /* where it returns to; while dead: the next dead one */
    const struct jq_ins *call;  /* ... the call there */
    struct jq_closure *closures;
    struct jq_val s[];
};

enum jq_choice_kind {
    JC_FORK,  /* goes on at pc */
    JC_EACH,  /* the next element of v, which pc asked for */
    JC_RANGE, /* the next number */
    JC_TRY,   /* errors go to pc; NULL: they mean no output */
    JC_EXIT,  /* what is behind here is outside of the try at choice `i` */
    JC_ALT,   /* to pc, unless i says that there was an output */
    JC_RETRY  /* errors go to pc */
};

struct jq_choice {
    uint8_t kind;
    struct jq_frame *f;
    const struct jq_ins *pc;
    struct jq_val v, p; /* JC_EACH: container, its path */
    size_t i, n;
    double step;
};

enum { JQ_FRAME_CLASSES = 16, JQ_FRAME_UNIT = 64 };

struct jq_machine {
    struct jq *q;
    struct jq_program *program;
    struct jq_frame *f;      /* at work; NULL: nothing is */
    const struct jq_ins *pc;
    struct jq_choice *choices;
    size_t n, cap;
    struct jq_frame *dead;
    struct jq_frame *pool[JQ_FRAME_CLASSES];
};

/* jq_frame.c */
struct jq_frame *wk_jq_frame(struct jq_machine *m, struct jq_code *code);
void wk_jq_frame_free(struct jq_machine *m, struct jq_frame *f); /* nobody counts it any more */
static inline void jq_frame_unref(struct jq_machine *m, struct jq_frame *f)
{
    if (f && --f->refs == 0)
        wk_jq_frame_free(m, f);
}
static inline struct jq_frame *jq_frame_ref(struct jq_frame *f)
{
    if (f)
        f->refs++;
    return f;
}
struct jq_choice *wk_jq_choose(struct jq_machine *m, enum jq_choice_kind kind, const struct jq_ins *pc);
/* Drops choices until n are left. */
void wk_jq_cut(struct jq_machine *m, size_t n);

/* jq_path.c: what the machine needs beyond jq.h. */

/* v[from:to], also of null; takes all. */
bool wk_jq_slice(struct jq *q, struct jq_val v, struct jq_val from, struct jq_val to, struct jq_val *out);
/* The value at a path (borrowed), emptied where nobody else has it: it is about to be set again. */
bool wk_jq_path_take(struct jq *q, struct jq_val *at, struct jq_val path, struct jq_val *out);
bool wk_jq_key_take(struct jq *q, struct jq_val *at, struct jq_val key, struct jq_val *out);
/* "Cannot iterate over …"; takes v. */
bool wk_jq_cannot_iterate(struct jq *q, struct jq_val v);

#endif
