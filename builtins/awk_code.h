/* awk_code.h - what awk programs are compiled to: code for a stack machine, places, functions,
 * variables with a meaning */
#ifndef WK_BUILTINS_AWK_CODE_H
#define WK_BUILTINS_AWK_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- code ---- */

#define AWK_OPS(X)                                                                                 \
    X(K_NUM) X(K_STR) X(NOTHING) X(POP) X(DUP) X(SWAP) X(LOAD_G) X(LOAD_L) X(LOAD_S) X(TAKE_G)     \
    X(TAKE_L) X(STORE_G) X(STORE_L) X(STORE_S) X(FIELD) X(FIELD_C) X(STORE_FIELD) X(ARRAY_G)       \
    X(ARRAY_L) X(ARG_G) X(ARG_L) X(ELEM) X(ELEM_SHOWN) X(ELEM_ANY) X(STORE_ELEM) X(SUB_ARRAY) X(SUBSEP) X(IN)    \
    X(DELETE) X(DELETE_ALL) X(AUG_G) X(AUG_L) X(AUG_S) X(AUG_FIELD) X(AUG_ELEM) X(STEP_G)          \
    X(STEP_L) X(STEP_S) X(STEP_FIELD) X(STEP_ELEM) X(ADD) X(SUB) X(MUL) X(DIV) X(MOD) X(POW)       \
    X(NEG) X(PLUS) X(NOT) X(BOOL) X(LT) X(LE) X(EQ) X(NE) X(GT) X(GE) X(CASE) X(MATCH_0)           \
    X(MATCH_K) X(MATCH) X(CONCAT) X(JMP) X(JZ) X(JNZ) X(RANGE_ON) X(RANGE_SET) X(CALL) X(RETURN)   \
    X(BUILTIN) X(PRINT) X(PRINTF) X(GETLINE) X(FORIN) X(FORIN_NEXT) X(NEXT) X(NEXTFILE) X(EXIT)    \
    X(REGEX) X(SUBST) X(CALL_NAMED) X(ARRAY_ARG) X(END)                                            \
    /* made of several by awk_fuse.c; operands are cells */                                        \
    X(ARITH_SC) X(ARITH_CC) X(SET_S) X(SET_C) X(AUG_S_CELL) X(AUG_C_CELL) X(INC) X(DEC) X(JZ_C)    \
    X(JNZ_C) X(JCMP) X(A_ELEM) X(A_SHOWN) X(A_SET) X(A_AUG) X(A_STEP) X(A_IN) X(PRINT_C) X(MATCH_C) X(BUILTIN_C)
enum awk_op {
#define X(name) AWK_##name,
    AWK_OPS(X)
#undef X
};

/* An operand that needs no stack: a variable, a constant, a local, a field; kind << 22 | slot. */
enum awk_cell {
    AWK_CELL_G,
    AWK_CELL_K,
    AWK_CELL_L,
    AWK_CELL_F,
    AWK_CELL_SLOTS = 1 << 22,
    AWK_CELL_LAST_FIELD = AWK_CELL_F << 22 | (AWK_CELL_SLOTS - 2), /* $NF */
    AWK_ON_STACK = 0xffffff                                        /* none: the value lies on the stack */
};
/* The word of a comparison with a jump: op - AWK_LT above the first cell, and whether it jumps when it holds. */
enum { AWK_JCMP_OP = 24, AWK_JCMP_IF = 1u << 27 };

/* Places that can be assigned to; what stands on the stack for each. */
enum awk_place {
    AWK_NO_PLACE,
    AWK_AT_G,
    AWK_AT_L,
    AWK_AT_S,
    AWK_AT_FIELD /* index */,
    AWK_AT_ELEM /* key, array */
};

/* Where print writes, and getline reads. */
enum awk_way {
    AWK_WAY_NONE,
    AWK_WAY_FILE,
    AWK_WAY_APPEND,
    AWK_WAY_PIPE,
    AWK_WAY_COPROCESS,
    AWK_WAY_READ,
    AWK_WAY_READ_PIPE
};

struct awk_code {
    uint32_t *v;     /* op | operand << 8 */
    uint32_t *lines; /* where each word comes from: line | source << 20 */
    size_t n, cap;
};

struct awk_func {
    const char *name;
    uint32_t at; /* of its code */
    uint16_t params;
    const char **names; /* of the parameters */
    bool defined;
};

/* ---- variables that mean something ---- */

enum awk_special {
    AWK_NF,
    AWK_NR,
    AWK_FNR,
    AWK_FS,
    AWK_OFS,
    AWK_RS,
    AWK_ORS,
    AWK_SUBSEP_VAR,
    AWK_CONVFMT,
    AWK_OFMT,
    AWK_IGNORECASE,
    AWK_FPAT,
    AWK_FIELDWIDTHS,
    AWK_FILENAME,
    AWK_RSTART,
    AWK_RLENGTH,
    AWK_RT,
    AWK_ENVIRON,
    AWK_ARGC,
    AWK_ARGV,
    AWK_ERRNO,
    AWK_ARGIND,
    AWK_PROCINFO,
    AWK_BINMODE,
    AWK_LINT,
    AWK_TEXTDOMAIN,
    AWK_PREC,
    AWK_ROUNDMODE,
    AWK_SPECIALS
};
/* Those whose storing, or loading, is more than that. */
static inline bool awk_has_hook(uint32_t slot)
{
    return slot <= AWK_FIELDWIDTHS;
}

#endif
