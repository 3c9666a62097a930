/* jq_code.h - compiled jq: instructions over the slots of frames
 *
 * A function's activation is a frame of slots. What an instruction produces goes to a slot that no other
 * instruction writes while its value may still be read; so going back to a choice needs nothing restored:
 * all that was written since then is written again. Slots are used again, and values handed on instead of
 * copied, only where no choice was left behind since they were written (an `epoch` of the compiler).
 *
 * A function has two codes, compiled when first called: for values, and for paths (a value with its path and
 * the value at that path).
 */
#ifndef WK_BUILTINS_JQ_CODE_H
#define WK_BUILTINS_JQ_CODE_H

#include "builtins/jq_ast.h"

enum jq_opcode {
    OP_NOP,
    OP_MOVE,  /* dst = a */
    OP_OUTER, /* dst = slot a of the frame b levels out */
    OP_TAKE,  /* dst = slot a, which becomes null */
    OP_INDEX, /* dst = a[b] */
    OP_SLICE, /* dst = a[b:c] */
    OP_SLICE_KEY, /* dst = {"start": a, "end": b} */
    OP_EACH,      /* dst = each of a; d: its path from path c */
    OP_RANGE,     /* dst = each from a up to b by c */
    OP_BINARY,    /* dst = a x b */
    OP_NEGATE,
    OP_NOT,
    OP_BOOL,
    OP_JUMP,       /* to c */
    OP_JUMP_FALSE, /* unless a, to c */
    OP_JUMP_CMP,   /* unless a x b, to c */
    OP_FORK,       /* goes on; c when that is exhausted */
    OP_BACK,       /* no output: the latest choice */
    OP_TRY,        /* errors lead to c, in slot b; dst marks it */
    OP_TRY_END,    /* of mark a */
    OP_ALT,        /* no true output leads to c; dst marks it */
    OP_ALT_TEST,   /* a is an output for mark b */
    OP_RETRY,      /* errors from here on lead to c */
    OP_MARK,       /* dst marks the present choice */
    OP_CUT,        /* drops choices back to mark a */
    OP_BREAK,      /* back to mark a, b levels out, and on from there */
    OP_LIMIT_CHECK, /* a: how many outputs: none, an error, or dst counts them */
    OP_LIMIT,       /* one of count a; the last one cuts to mark b */
    OP_ARRAY,       /* dst = [] */
    OP_APPEND,      /* b to the array in slot a */
    OP_OBJECT,
    OP_INSERT, /* dst = a with key b and value c */
    OP_CONCAT, /* dst = the texts of list c */
    OP_FORMAT, /* dst = a by format b */
    OP_CALL,   /* site c with input a; dst */
    OP_CALL_CLOSURE,
    OP_RETURN, /* a */
    OP_NATIVE, /* dst = builtin of site c */
    OP_ERROR,  /* raises a */
    OP_ENV,
    OP_IDENTICAL,  /* a is the value b of the path, or an error of kind x; c: what was looked for */
    OP_PATH_ADD,   /* dst = path a with key b */
    OP_PATH_GET,   /* getpath: dst = a at b; d = path c with b */
    OP_GET,        /* dst = path b in slot a, which keeps it */
    OP_GET_TAKE,   /* ... and need not keep it */
    OP_SET,        /* slot a: at path b the value c */
    OP_GET_KEY,    /* the same for one key */
    OP_GET_KEY_TAKE,
    OP_SET_KEY,
    OP_DELETE /* dst = a without the paths in slot b */
};

#define JQ_OPERAND_CONST 0x80000000u /* of the code's constants */
#define JQ_OPERAND_MOVE  0x40000000u /* the slot's last use */
#define JQ_OPERAND       0x3fffffffu

struct jq_ins {
    uint8_t op;
    uint8_t x;       /* operator; kind of error */
    bool forgiving;  /* an error means no output */
    bool path;       /* three results: dst, d, e */
    bool tail;       /* OP_CALL: its result is the caller's */
    uint32_t dst, a, b, c, d, e;
};

struct jq_code;

/* A function as it is found in its surroundings, with its codes. */
struct jq_fn {
    const struct jq_node *body;
    const struct jq_def *def; /* NULL: a closure */
    struct jq_scope *scope;   /* of the body */
    struct jq_code *outer;    /* in whose frames the scope's variables are; NULL: none */
    struct jq_code *code[2];  /* for values, for paths */
};

/* An argument of a call. */
struct jq_arg {
    struct jq_fn *fn;  /* NULL: closure `index` of the frame `hops` out is handed on */
    uint32_t hops;     /* from the caller to the frame that fn's scope needs */
    uint32_t index;
    uint32_t value;    /* an operand: the value of a $parameter; UINT32_MAX: none */
};

struct jq_site {
    struct jq_fn *fn;                /* NULL: closure `index` of the frame `hops` out, or a native */
    const struct jq_builtin *native;
    uint32_t hops, index, n;
    struct jq_arg *args;
    uint32_t *operands; /* of natives and OP_CONCAT */
};

struct jq_code {
    struct jq_fn *fn;
    struct jq_code *outer;
    struct jq_ins *ins;
    uint32_t n, cap;
    struct jq_val *consts;
    uint32_t nconsts, cap_consts;
    struct jq_site *sites;
    uint32_t nsites, cap_sites;
    uint32_t nslots, nclosures;
    bool path;
    bool ready;
};

/* A name in force: what the compiler knows of it. */
enum jq_scope_kind {
    JS_VAR,     /* a slot */
    JS_CONST,   /* a value */
    JS_LABEL,   /* a slot with a mark */
    JS_DEF,     /* a definition */
    JS_CLOSURE, /* a parameter: closure `slot` of a frame */
    JS_INLINE   /* a parameter whose argument is known: node in its scope */
};
struct jq_scope {
    struct jq_scope *next;
    uint8_t kind;
    uint32_t arity; /* functions */
    struct wk_str name; /* with what an import put in front of it */
    struct jq_code *code;       /* whose frames hold it */
    uint32_t slot;
    struct jq_val value;
    struct jq_def *def;
    const struct jq_node *node;
    struct jq_scope *inner;  /* JS_INLINE: the node's scope. JS_DEF of an import: where it was made */
    struct jq_fn *fn;        /* JS_DEF, JS_INLINE: when it was needed as a function */
};

struct jq_program {
    struct jq *q;
    struct jq_fn main;
    struct jq_scope *globals;
};

/* The functions that are part of the machine. */
enum jq_intrinsic {
    JI_NONE,
    JI_EMPTY,
    JI_ERROR,
    JI_ERROR1,
    JI_NOT,
    JI_PATH,
    JI_RANGE1,
    JI_RANGE2,
    JI_RANGE3,
    JI_FIRST,
    JI_LIMIT,
    JI_LAST,
    JI_GETPATH,
    JI_ENV
};
enum jq_intrinsic wk_jq_intrinsic(struct wk_str name, uint32_t arity);
/* A function written in C. */
const struct jq_builtin *wk_jq_native(struct wk_str name, uint32_t arity);

/* Looks at all names of a text's tree in a scope of definitions and variables, complains of those that mean
 * nothing, and finds out which definitions are recursive. */
void wk_jq_check(struct jq_text *t, struct jq_scope *scope);
/* The innermost name of a kind, NULL: none. Variables have arity UINT32_MAX, labels UINT32_MAX - 1. */
#define JQ_ARITY_VAR   0xffffffffu
#define JQ_ARITY_LABEL 0xfffffffeu
struct jq_scope *wk_jq_scope_find(struct jq *q, struct jq_scope *scope, struct wk_str name, uint32_t arity);
struct jq_scope *wk_jq_scope_add(struct jq *q, struct jq_scope *next, enum jq_scope_kind kind, struct wk_str name,
                                 uint32_t arity);
/* The entry of a function of the prelude, read and checked when first asked for; NULL: there is none. */
struct jq_scope *wk_jq_prelude_scope(struct jq *q, struct wk_str name, uint32_t arity);

/* Compiles a function for values or for paths, unless that was done. */
struct jq_code *wk_jq_code(struct jq *q, struct jq_fn *fn, bool path);

/* Imports of a text: reads the modules and adds their names to a scope. Errors are counted in the text. */
struct jq_scope *wk_jq_imports(struct jq_text *t, struct jq_scope *scope, const char *origin);

#endif
