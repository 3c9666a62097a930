/* jq_ast.h - a jq program as a tree
 *
 * Nodes, their lists and the text of names live in the heap's bump memory for as long as the process does;
 * constants in them are counted values that the process's end releases.
 * Limits: WK_JQ_NEST levels; all walks over a tree go through wk_jq_deeper, which takes more stack when needed.
 */
#ifndef WK_BUILTINS_JQ_AST_H
#define WK_BUILTINS_JQ_AST_H

#include "builtins/jq.h"

enum {
    WK_JQ_NEST = 10000 /* most levels of a tree */
};

enum jq_node_kind {
    JN_IDENTITY,
    JN_CONST,   /* value */
    JN_FORMAT,  /* name: @base64 by itself */
    JN_STRING,  /* name: format; kids: constant texts and queries in turn */
    JN_INDEX,   /* a[b] */
    JN_SLICE,   /* a[b:c]; b or c may be NULL */
    JN_EACH,    /* a[] */
    JN_TRY,     /* try a catch b; b may be NULL */
    JN_PIPE,    /* kids */
    JN_COMMA,   /* kids */
    JN_NEGATE,  /* -a */
    JN_BINARY,  /* a op b */
    JN_AND,
    JN_OR,
    JN_ALT,     /* a // b */
    JN_UPDATE,  /* a op= b: op is JO_SET, JO_MODIFY, JO_DEFAULT or an operator */
    JN_IF,      /* if a then b else c; c may be NULL */
    JN_ARRAY,   /* [a]; a may be NULL */
    JN_OBJECT,  /* kids: key, value, key, value … */
    JN_REDUCE,  /* reduce a as PATTERNS (b; c) */
    JN_FOREACH, /* foreach a as PATTERNS (b; c; d); d may be NULL */
    JN_AS,      /* a as PATTERNS | b */
    JN_LABEL,   /* label $name | a */
    JN_BREAK,   /* break $name */
    JN_DEF,     /* def; a */
    JN_VAR,     /* $name */
    JN_CALL     /* name(kids) */
};

enum jq_op {
    JO_ADD,
    JO_SUB,
    JO_MUL,
    JO_DIV,
    JO_MOD,
    JO_EQ,
    JO_NE,
    JO_LT,
    JO_LE,
    JO_GT,
    JO_GE,
    JO_SET,
    JO_MODIFY,
    JO_DEFAULT
};

struct jq_node;
struct jq_scope;

/* One pattern of `as`: $name, [p, p], {key: p}. */
enum jq_pattern_kind { JP_VAR, JP_ARRAY, JP_OBJECT };
struct jq_pattern {
    uint8_t kind;
    struct wk_str name; /* JP_VAR */
    uint32_t n;
    struct jq_entry *entries;
};
struct jq_entry {
    struct jq_node *key;       /* JP_OBJECT: a query for the key */
    struct wk_str var;         /* {$name: …}: bound to the value as well; p == NULL: not */
    struct jq_pattern *inner;  /* may be NULL */
};

struct jq_param {
    struct wk_str name;
    bool is_value; /* $name */
};

/* A function defined in jq. */
struct jq_def {
    struct wk_str name;
    uint32_t nparams;
    struct jq_param *params;
    struct jq_node *body;
    uint32_t at;            /* where it stands in the text */
    bool open;              /* its body is being checked */
    bool recursive;         /* its body names it, directly or in what it defines */
    struct jq_scope *scope; /* of a definition in the prelude: its own entry */
};

struct jq_node {
    uint8_t kind, op;
    uint16_t height;  /* levels, a chain of .a.b[0] being one */
    uint32_t size;    /* nodes */
    uint32_t at, end; /* in the text */
    uint32_t n;       /* kids */
    struct jq_node *a, *b, *c, *d;
    struct jq_node **kids;
    struct wk_str name;
    union {
        struct jq_val value;
        struct jq_def *def;
        struct {
            struct jq_pattern **patterns;
            uint32_t npatterns;
        };
    };
};

/* An import or include of a text. */
struct jq_import {
    struct wk_str path, as; /* as: empty for include */
    bool is_data;
    struct jq_val meta; /* an object, or JQ_NONE */
    uint32_t at;
};

/* A text and what was read in it. */
struct jq_text {
    struct jq *q;
    struct wk_str s;
    const char *name; /* for messages: <top-level> or the file's name */
    struct wk_buf *messages;
    uint32_t errors;
    struct jq_val module; /* its metadata; JQ_NONE */
    struct jq_import *imports;
    uint32_t nimports;
    struct jq_def **defs; /* a module's definitions (a main program has them in its tree) */
    uint32_t ndefs;
    struct jq_node *main; /* NULL: only definitions */
};

/* Reads a text; t->errors tells whether it is good. */
void wk_jq_parse(struct jq_text *t);
/* Says "jq: error: MESSAGE at NAME, line …" with the line of the text, and counts it. */
void wk_jq_complain(struct jq_text *t, uint32_t at, uint32_t end, const char *fmt, ...) WK_PRINTF(4, 5);

/* A buffer for messages that goes with the process. */
struct wk_buf *wk_jq_messages(struct jq *q);

/* The value of a constant query: literals, arrays and objects of them. False: it is not constant. */
bool wk_jq_constant(struct jq *q, const struct jq_node *n, struct jq_val *v);

/* Calls fn(arg) with enough stack for it. */
void wk_jq_deeper(struct jq *q, int (*fn)(void *), void *arg);

static inline void *jq_bump(struct jq *q, size_t n)
{
    return memset(wk_heap_bump(q->c->heap, n), 0, n);
}

#endif
