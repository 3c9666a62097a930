/* jq_compile.h - what the parts of jq's compiler share (jq_compile*.c)
 *
 * A query is compiled for an input that stands at a place; its output is at the place returned. For paths a
 * place has three operands: the value, its path, and the value at that path, which is what the path leads to
 * and differs from the value when the query made a value of its own.
 */
#ifndef WK_BUILTINS_JQ_COMPILE_H
#define WK_BUILTINS_JQ_COMPILE_H

#include "builtins/jq_code.h"

struct jq_opnd {
    uint32_t ref;   /* a slot or a constant */
    uint32_t epoch; /* when it was written */
    bool temp;      /* nothing else reads the slot: its last use may empty it */
};

struct jq_place {
    struct jq_opnd v, p, a;
    bool path;
};

struct jq_cg {
    struct jq *q;
    struct jq_code *code;
    uint32_t epoch, epochs; /* the present one; how many there were */
    uint32_t fails;         /* how many instructions may end without output so far */
    uint32_t barrier;       /* jumps lead to here or before: no instruction in front is changed */
    uint32_t inlined;       /* nodes */
    uint32_t *free;         /* slots */
    uint32_t nfree, cap_free;
    unsigned depth;         /* calls put in place inside each other */
};

/* What is asked of wk_jq_gen. */
struct jq_want {
    const struct jq_node *n;
    struct jq_scope *scope;
    struct jq_place in;
    bool own;  /* the input is not needed behind it */
    bool tail; /* the output is the function's: it is returned, and no place comes back */
};
struct jq_place wk_jq_gen(struct jq_cg *g, struct jq_want w);
/* The same for the value alone. */
struct jq_opnd wk_jq_gen_value(struct jq_cg *g, const struct jq_node *n, struct jq_scope *scope, struct jq_place in,
                               bool own);
struct jq_place wk_jq_gen_in(struct jq_cg *g, const struct jq_node *n, struct jq_scope *scope, struct jq_place in,
                             bool own);

/* The parts. */
struct jq_place wk_jq_gen_call(struct jq_cg *g, struct jq_want w);
struct jq_place wk_jq_gen_update(struct jq_cg *g, struct jq_want w);
struct jq_place wk_jq_gen_fold(struct jq_cg *g, struct jq_want w);
struct jq_place wk_jq_gen_as(struct jq_cg *g, struct jq_want w);
struct jq_place wk_jq_gen_chain(struct jq_cg *g, struct jq_want w);
struct jq_opnd wk_jq_gen_string(struct jq_cg *g, struct jq_want w);
struct jq_opnd wk_jq_gen_array(struct jq_cg *g, struct jq_want w);
struct jq_opnd wk_jq_gen_object(struct jq_cg *g, struct jq_want w);

/* ---- emitting ---- */

uint32_t wk_jq_emit(struct jq_cg *g, enum jq_opcode op, uint32_t dst, uint32_t a, uint32_t b, uint32_t c);
static inline struct jq_ins *jq_at_ins(struct jq_cg *g, uint32_t i)
{
    return &g->code->ins[i];
}
static inline struct jq_ins *jq_last(struct jq_cg *g)
{
    return &g->code->ins[g->code->n - 1];
}
/* Jump i leads to the next instruction. */
void wk_jq_land(struct jq_cg *g, uint32_t i);
uint32_t wk_jq_slot(struct jq_cg *g);
void wk_jq_slot_free(struct jq_cg *g, uint32_t slot);
/* A choice may have been left behind. */
static inline void jq_choice(struct jq_cg *g)
{
    g->epoch = ++g->epochs;
    g->fails++;
}
static inline struct jq_opnd jq_temp(struct jq_cg *g, uint32_t slot)
{
    return (struct jq_opnd){slot, g->epoch, true};
}
struct jq_opnd wk_jq_const(struct jq_cg *g, struct jq_val v); /* takes v */
static inline bool jq_is_const(struct jq_opnd o)
{
    return o.ref & JQ_OPERAND_CONST;
}
/* The operand as an instruction has it; its last use when `own`: the slot is then free. */
uint32_t wk_jq_use(struct jq_cg *g, struct jq_opnd o, bool own);
/* Puts it into a slot, changing the instruction that made it when that can be. */
void wk_jq_settle(struct jq_cg *g, struct jq_opnd o, uint32_t slot);
/* In a slot that nobody else uses. */
struct jq_opnd wk_jq_own_slot(struct jq_cg *g, struct jq_opnd o);
static inline struct jq_opnd jq_alias(struct jq_opnd o)
{
    o.temp = false;
    return o;
}
struct jq_place wk_jq_alias(struct jq_place in);
static inline struct jq_place jq_value_place(struct jq_opnd v)
{
    return (struct jq_place){.v = v};
}
/* A value that has no path of its own: the path stays where it was. */
static inline struct jq_place jq_no_path(struct jq_place in, struct jq_opnd v)
{
    return (struct jq_place){v, jq_alias(in.p), jq_alias(in.a), in.path};
}
/* Ends a code: returns what is at a place. */
void wk_jq_return(struct jq_cg *g, struct jq_place out);
/* How far out the frames of a code are. */
uint32_t wk_jq_hops(struct jq_cg *g, const struct jq_code *code);
struct jq_site *wk_jq_site(struct jq_cg *g, uint32_t nargs, uint32_t noperands, uint32_t *index);
/* Complains at run time when the value is not the one at the path. */
enum { JQ_IDENT_KEY, JQ_IDENT_EACH, JQ_IDENT_END };
void wk_jq_identical(struct jq_cg *g, struct jq_place at, int what, struct jq_opnd key);

/* Where several ways meet: one place that all of them fill. */
struct jq_join {
    uint32_t v, p, a;
    uint32_t epoch;    /* of the way before this one */
    bool first, mixed; /* the ways differ in epoch */
};
struct jq_join wk_jq_join(struct jq_cg *g);
void wk_jq_join_way(struct jq_cg *g, struct jq_join *j, struct jq_place out);
struct jq_place wk_jq_join_end(struct jq_cg *g, struct jq_join *j, bool path);

/* Binds the patterns of a node to a value, so that what follows sees their variables. For paths a pattern's
 * subscripts are steps as others are: `at` is moved along (otherwise NULL). */
struct jq_scope *wk_jq_bind(struct jq_cg *g, const struct jq_node *n, struct jq_scope *scope, struct jq_opnd value,
                            struct jq_place *at);
struct jq_scope *wk_jq_bind_var(struct jq_cg *g, struct jq_scope *scope, struct wk_str name, struct jq_opnd value);

/* A query that has one output, leaves no choice and does not end: looked at so far as is cheap. */
bool wk_jq_is_plain(const struct jq_node *n, unsigned depth);

#endif
