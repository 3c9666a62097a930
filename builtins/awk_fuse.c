/* awk_fuse.c - compiled awk programs made shorter: several words become one
 *
 * A value that needs no computing (a variable, a constant, a field: a cell) is not pushed but named
 * in the instruction that takes it; a comparison and the jump behind it are one; a test in front of
 * a loop is repeated at its end; jumps to jumps go where those go. Nothing is moved across a jump
 * or its goal, and what a program does stays as it is, order and messages alike.
 */
#include "builtins/awk_cells.h"

enum { MOST_HELD = 64, MOST_TEST = 8 };

struct fuser {
    struct awk *a;
    uint32_t *in, *lines; /* the old code */
    size_t n;
    bool *goal;            /* a jump leads there */
    uint32_t *moved;       /* where the old words are now */
    struct awk_code out;
    uint32_t held[MOST_HELD]; /* cells that were not pushed yet */
    size_t nheld;
    uint32_t line;
};

size_t wk_awk_words_of(uint32_t word)
{
    switch (word & 255) {
    case AWK_AUG_G:
    case AWK_AUG_L:
    case AWK_AUG_S:
    case AWK_AUG_FIELD:
    case AWK_AUG_ELEM:
    case AWK_STEP_G:
    case AWK_STEP_L:
    case AWK_STEP_S:
    case AWK_STEP_FIELD:
    case AWK_STEP_ELEM:
    case AWK_RANGE_ON:
    case AWK_CALL:
    case AWK_BUILTIN:
    case AWK_PRINT:
    case AWK_PRINTF:
    case AWK_GETLINE:
    case AWK_SUBST:
    case AWK_ARRAY_ARG:
    case AWK_ARITH_CC:
    case AWK_SET_C:
    case AWK_AUG_S_CELL:
    case AWK_AUG_C_CELL:
    case AWK_JZ_C:
    case AWK_JNZ_C:
    case AWK_A_ELEM:
    case AWK_A_SHOWN:
    case AWK_A_IN:
    case AWK_MATCH_C:
    case AWK_ARITH_SC:
        return 2;
    case AWK_JCMP:
    case AWK_A_SET:
    case AWK_A_AUG:
    case AWK_A_STEP:
        return 3;
    case AWK_PRINT_C:
        return 1 + (word >> 8);
    case AWK_BUILTIN_C:
        return 1 + (word >> 16);
    default:
        return 1;
    }
}

static uint32_t op_at(const struct fuser *f, size_t i)
{
    return i < f->n ? f->in[i] & 255 : AWK_END;
}

static uint32_t arg_at(const struct fuser *f, size_t i)
{
    return f->in[i] >> 8;
}

/* ---- writing ---- */

static void put_word(struct fuser *f, uint32_t word)
{
    struct awk_code *o = &f->out;
    if (o->n == o->cap) {
        o->cap = o->cap * 2 + 256;
        o->v = (uint32_t *)wk_heap_realloc(f->a->c->heap, o->v, o->cap * sizeof *o->v);
        o->lines = (uint32_t *)wk_heap_realloc(f->a->c->heap, o->lines, o->cap * sizeof *o->lines);
    }
    o->lines[o->n] = f->line;
    o->v[o->n++] = word;
}

static void put(struct fuser *f, enum awk_op op, uint32_t arg)
{
    put_word(f, (uint32_t)op | arg << 8);
}

/* The first `n` of the cells held are pushed after all. */
static void push_held(struct fuser *f, size_t n)
{
    static const enum awk_op ops[] = {AWK_LOAD_G, AWK_K_NUM, AWK_LOAD_L, AWK_FIELD_C};
    for (size_t i = 0; i < n; i++) {
        uint32_t cell = f->held[i], slot = cell & (AWK_CELL_SLOTS - 1);
        if (cell == AWK_CELL_LAST_FIELD) {
            put(f, AWK_LOAD_S, AWK_NF);
            put(f, AWK_FIELD, 0);
        } else if (cell >> 22 == AWK_CELL_K && f->a->consts[slot].has_str) {
            put(f, AWK_K_STR, slot);
        } else {
            put(f, ops[cell >> 22], slot);
        }
    }
    memmove(f->held, f->held + n, (f->nheld - n) * sizeof *f->held);
    f->nheld -= n;
}

static uint32_t take_held(struct fuser *f)
{
    return f->nheld ? f->held[--f->nheld] : AWK_ON_STACK;
}

/* Another one beneath it, which is on the stack when that is. */
static uint32_t take_below(struct fuser *f, uint32_t above)
{
    return above == AWK_ON_STACK ? AWK_ON_STACK : take_held(f);
}

/* ---- reading ---- */

/* The word behind is part of the same stretch of code. */
static bool follows(const struct fuser *f, size_t i, enum awk_op op)
{
    return i < f->n && !f->goal[i] && op_at(f, i) == (uint32_t)op;
}

/* What the push at i pushes as a cell; AWK_ON_STACK: it is none. */
static uint32_t cell_of(const struct fuser *f, size_t i, size_t *words)
{
    uint32_t kind;
    *words = 1;
    switch (op_at(f, i)) {
    case AWK_K_NUM:
    case AWK_K_STR:
        kind = AWK_CELL_K;
        break;
    case AWK_LOAD_G:
        kind = AWK_CELL_G;
        break;
    case AWK_LOAD_L:
        kind = AWK_CELL_L;
        break;
    case AWK_FIELD_C:
        kind = AWK_CELL_F;
        break;
    case AWK_LOAD_S:
        if (arg_at(f, i) != AWK_NF || !follows(f, i + 1, AWK_FIELD))
            return AWK_ON_STACK;
        *words = 2;
        return AWK_CELL_LAST_FIELD;
    default:
        return AWK_ON_STACK;
    }
    return arg_at(f, i) < AWK_CELL_SLOTS - 2 ? kind << 22 | arg_at(f, i) : AWK_ON_STACK;
}

/* Where a jump to t really leads. */
static uint32_t final_goal(const struct fuser *f, uint32_t t)
{
    for (int i = 0; i < 20; i++) {
        if (op_at(f, t) == AWK_JMP) {
            t = arg_at(f, t);
        } else if (op_at(f, t) == AWK_K_NUM && (op_at(f, t + 1) == AWK_JZ || op_at(f, t + 1) == AWK_JNZ)) {
            bool yes = f->a->consts[arg_at(f, t)].num != 0;
            t = yes == (op_at(f, t + 1) == AWK_JNZ) ? arg_at(f, t + 1) : t + 2;
        } else {
            break;
        }
    }
    return t;
}

static bool is_jump(uint32_t op)
{
    return op == AWK_JMP || op == AWK_JZ || op == AWK_JNZ || op == AWK_FORIN_NEXT;
}

/* `BOOL; jump to a test of it` is that test; jumps to jumps are shortened. */
static void shorten_jumps(struct fuser *f)
{
    for (size_t i = 0; i < f->n; i += wk_awk_words_of(f->in[i])) {
        uint32_t op = op_at(f, i), t;
        if (op == AWK_BOOL && op_at(f, i + 1) == AWK_JMP) {
            t = arg_at(f, i + 1);
            if (op_at(f, t) == AWK_JZ || op_at(f, t) == AWK_JNZ) {
                f->in[i] = f->in[t];
                f->in[i + 1] = AWK_JMP | (t + 1) << 8;
            }
        }
        op = op_at(f, i);
        if (op == AWK_JMP || op == AWK_JZ || op == AWK_JNZ)
            f->in[i] = op | final_goal(f, arg_at(f, i)) << 8;
    }
}

static void mark_goals(struct fuser *f)
{
    const struct awk *a = f->a;
    const uint32_t entries[] = {a->at_begin, a->at_main, a->at_end, a->at_begin_file, a->at_end_file};
    for (size_t i = 0; i < f->n; i += wk_awk_words_of(f->in[i])) {
        if (is_jump(op_at(f, i)))
            f->goal[arg_at(f, i)] = true;
        else if (op_at(f, i) == AWK_RANGE_ON)
            f->goal[f->in[i + 1]] = true;
    }
    for (size_t i = 0; i < WK_COUNTOF(entries); i++)
        f->goal[entries[i]] = true;
    for (size_t i = 0; i < a->nfuncs; i++)
        f->goal[a->funcs[i].at] = true;
}

/* ---- one instruction at i (or several): the words it took ---- */

static void branch(struct fuser *f, bool when, uint32_t goal)
{
    uint32_t cell = take_held(f);
    push_held(f, f->nheld);
    if (cell == AWK_ON_STACK) {
        put(f, when ? AWK_JNZ : AWK_JZ, goal);
        return;
    }
    put(f, when ? AWK_JNZ_C : AWK_JZ_C, goal);
    put_word(f, cell);
}

static void compare_and_branch(struct fuser *f, uint32_t op, bool when, uint32_t goal)
{
    uint32_t y = take_held(f), x = take_below(f, y);
    push_held(f, f->nheld);
    put(f, AWK_JCMP, goal);
    put_word(f, x | (op - AWK_LT) << AWK_JCMP_OP | (when ? (uint32_t)AWK_JCMP_IF : 0));
    put_word(f, y);
}

/* A test that ends with a jump; `flip`: the jump is taken in the other case, to `goal`. 0: it is no such. */
static size_t test(struct fuser *f, size_t i, bool flip, uint32_t goal)
{
    uint32_t op = op_at(f, i);
    size_t at = i;
    bool compares = op >= AWK_LT && op <= AWK_GE;
    at += compares;
    while (at > i ? follows(f, at, AWK_NOT) || follows(f, at, AWK_BOOL)
                  : op_at(f, at) == AWK_NOT || op_at(f, at) == AWK_BOOL)
        flip ^= op_at(f, at++) == AWK_NOT;
    if ((at > i && f->goal[at]) || (op_at(f, at) != AWK_JZ && op_at(f, at) != AWK_JNZ))
        return 0;
    bool when = (op_at(f, at) == AWK_JNZ) != flip;
    if (!goal)
        goal = arg_at(f, at);
    if (compares)
        compare_and_branch(f, op, when, goal);
    else
        branch(f, when, goal);
    return at + 1 - i;
}

static size_t arithmetic(struct fuser *f, size_t i)
{
    uint32_t op = op_at(f, i), y = take_held(f), x = take_below(f, y);
    push_held(f, f->nheld);
    if (y == AWK_ON_STACK) {
        put(f, (enum awk_op)op, 0);
    } else if (x == AWK_ON_STACK) {
        put(f, AWK_ARITH_SC, y);
        put_word(f, op);
    } else {
        put(f, AWK_ARITH_CC, x);
        put_word(f, y | op << 24);
    }
    return 1;
}

/* Stores, where the value is not asked for. 0: it is. */
static size_t assignment(struct fuser *f, size_t i)
{
    uint32_t op = op_at(f, i), slot = arg_at(f, i);
    bool aug = op == AWK_AUG_G || op == AWK_AUG_L, step = op == AWK_STEP_G || op == AWK_STEP_L;
    bool local = op == AWK_STORE_L || op == AWK_AUG_L || op == AWK_STEP_L;
    size_t words = wk_awk_words_of(f->in[i]);
    if (!follows(f, i + words, AWK_POP) || slot >= AWK_CELL_SLOTS - 2)
        return 0;
    uint32_t to = (local ? (uint32_t)AWK_CELL_L : (uint32_t)AWK_CELL_G) << 22 | slot;
    if (step) {
        push_held(f, f->nheld);
        put(f, f->in[i + 1] & 1 ? AWK_DEC : AWK_INC, to);
        return words + 1;
    }
    uint32_t value = take_held(f);
    push_held(f, f->nheld);
    if (aug) {
        put(f, value == AWK_ON_STACK ? AWK_AUG_S_CELL : AWK_AUG_C_CELL, to);
        put_word(f, (value == AWK_ON_STACK ? 0 : value) | f->in[i + 1] << 24);
    } else {
        put(f, value == AWK_ON_STACK ? AWK_SET_S : AWK_SET_C, to);
        if (value != AWK_ON_STACK)
            put_word(f, value);
    }
    return words + 1;
}

/* ARRAY with what is done with the element behind it. 0: nothing of the kind. */
static size_t element(struct fuser *f, size_t i)
{
    uint32_t slot = arg_at(f, i);
    uint32_t t = (op_at(f, i) == AWK_ARRAY_L ? (uint32_t)AWK_CELL_L : (uint32_t)AWK_CELL_G) << 22 | slot;
    size_t at = i + 1;
    if (slot >= AWK_CELL_SLOTS - 2 || at >= f->n || f->goal[at])
        return 0;
    uint32_t op = op_at(f, at);
    size_t words = wk_awk_words_of(f->in[at]);
    bool forgotten = follows(f, at + words, AWK_POP);
    if (op == AWK_ELEM || op == AWK_ELEM_SHOWN || op == AWK_IN || op == AWK_STEP_ELEM) {
        uint32_t key = take_held(f);
        push_held(f, f->nheld);
        put(f,
            op == AWK_ELEM         ? AWK_A_ELEM
            : op == AWK_ELEM_SHOWN ? AWK_A_SHOWN
            : op == AWK_IN         ? AWK_A_IN
                                   : AWK_A_STEP,
            t);
        put_word(f, key);
        if (op != AWK_STEP_ELEM)
            return 1 + words;
        put_word(f, f->in[at + 1] | (uint32_t)forgotten << 2);
        return 1 + words + forgotten;
    }
    if ((op != AWK_STORE_ELEM && op != AWK_AUG_ELEM) || !forgotten)
        return 0;
    uint32_t key = take_held(f), value = take_below(f, key);
    push_held(f, f->nheld);
    put(f, op == AWK_STORE_ELEM ? AWK_A_SET : AWK_A_AUG, t);
    put_word(f, key | (op == AWK_AUG_ELEM ? f->in[at + 1] << 24 : 0));
    put_word(f, value);
    return 2 + words;
}

static size_t print(struct fuser *f, size_t i)
{
    size_t n = arg_at(f, i);
    if (op_at(f, i) != AWK_PRINT || f->in[i + 1] != AWK_WAY_NONE || n == 0 || n > f->nheld)
        return 0;
    push_held(f, f->nheld - n);
    put(f, AWK_PRINT_C, (uint32_t)n);
    for (size_t k = 0; k < n; k++)
        put_word(f, f->held[k]);
    f->nheld = 0;
    return 2;
}

static size_t builtin(struct fuser *f, size_t i)
{
    uint32_t id = arg_at(f, i), n = f->in[i + 1];
    if ((id != AWK_F_LENGTH && id != AWK_F_INDEX && id != AWK_F_SUBSTR) || n == 0 || n > f->nheld)
        return 0;
    push_held(f, f->nheld - n);
    put(f, AWK_BUILTIN_C, id | n << 8);
    for (size_t k = 0; k < n; k++)
        put_word(f, f->held[k]);
    f->nheld = 0;
    return 2;
}

static size_t special(struct fuser *f, size_t i)
{
    switch (op_at(f, i)) {
    case AWK_ADD:
    case AWK_SUB:
    case AWK_MUL:
    case AWK_DIV:
    case AWK_MOD:
    case AWK_POW:
        return arithmetic(f, i);
    case AWK_LT:
    case AWK_LE:
    case AWK_EQ:
    case AWK_NE:
    case AWK_GT:
    case AWK_GE:
    case AWK_NOT:
    case AWK_BOOL:
    case AWK_JZ:
    case AWK_JNZ:
        return test(f, i, false, 0);
    case AWK_STORE_G:
    case AWK_STORE_L:
    case AWK_AUG_G:
    case AWK_AUG_L:
    case AWK_STEP_G:
    case AWK_STEP_L:
        return assignment(f, i);
    case AWK_ARRAY_G:
    case AWK_ARRAY_L:
        return element(f, i);
    case AWK_PRINT:
        return print(f, i);
    case AWK_BUILTIN:
        return builtin(f, i);
    case AWK_MATCH_K:
        if (!f->nheld)
            return 0;
        push_held(f, f->nheld - 1);
        put(f, AWK_MATCH_C, arg_at(f, i));
        put_word(f, take_held(f));
        return 1;
    default:
        return 0;
    }
}

/* The old instruction at i: its words. */
static size_t translate(struct fuser *f, size_t i)
{
    size_t words;
    uint32_t cell = cell_of(f, i, &words);
    f->line = f->lines[i];
    if (cell != AWK_ON_STACK) {
        if (f->nheld == MOST_HELD)
            push_held(f, 1);
        f->held[f->nheld++] = cell;
        return words;
    }
    words = special(f, i);
    if (words)
        return words;
    push_held(f, f->nheld);
    words = wk_awk_words_of(f->in[i]);
    for (size_t k = 0; k < words; k++)
        put_word(f, f->in[i + k]);
    return words;
}

/* A jump back to a short test with a jump out: the test stands here, too. False: it is no such. */
static bool repeat_test(struct fuser *f, size_t i)
{
    size_t at = arg_at(f, i), end = at;
    if (op_at(f, i) != AWK_JMP || at > i)
        return false;
    for (int k = 0; op_at(f, end) != AWK_JZ; k++, end += wk_awk_words_of(f->in[end])) {
        uint32_t op = op_at(f, end);
        if (k == MOST_TEST || (end > at && f->goal[end]) || is_jump(op) || op == AWK_RANGE_ON ||
            op == AWK_RETURN || op == AWK_END || op == AWK_NEXT || op == AWK_NEXTFILE || op == AWK_EXIT)
            return false;
    }
    if (end == at || f->goal[end])
        return false;
    while (at <= end) {
        size_t words = test(f, at, true, (uint32_t)end + 1);
        if (words && at + words == end + 1)
            break;
        at += words ? words : translate(f, at);
    }
    put(f, AWK_JMP, arg_at(f, end));
    return true;
}

/* ---- the whole ---- */

static void settle_goals(struct fuser *f)
{
    struct awk *a = f->a;
    uint32_t *v = f->out.v, *entries[] = {&a->at_begin, &a->at_main, &a->at_end, &a->at_begin_file, &a->at_end_file};
    for (size_t i = 0; i < f->out.n; i += wk_awk_words_of(v[i])) {
        uint32_t op = v[i] & 255;
        if (is_jump(op) || op == AWK_JZ_C || op == AWK_JNZ_C || op == AWK_JCMP)
            v[i] = op | f->moved[v[i] >> 8] << 8;
        else if (op == AWK_RANGE_ON)
            v[i + 1] = f->moved[v[i + 1]];
    }
    for (size_t i = 0; i < WK_COUNTOF(entries); i++)
        *entries[i] = f->moved[*entries[i]];
    for (size_t i = 0; i < a->nfuncs; i++)
        a->funcs[i].at = f->moved[a->funcs[i].at];
}

void wk_awk_fuse(struct awk *a)
{
    struct fuser f = {.a = a, .in = a->code.v, .lines = a->code.lines, .n = a->code.n};
    if (f.n > 1 << 22) /* repeated tests might need more than 24 bits for a goal */
        return;
    f.goal = wk_new_n(a->c, bool, f.n + 1);
    f.moved = wk_new_n(a->c, uint32_t, f.n + 1);
    shorten_jumps(&f);
    mark_goals(&f);
    for (size_t i = 0; i < f.n;) {
        if (f.goal[i])
            push_held(&f, f.nheld);
        f.moved[i] = (uint32_t)f.out.n;
        f.line = f.lines[i];
        if (op_at(&f, i) == AWK_JMP) {
            push_held(&f, f.nheld);
            if (repeat_test(&f, i)) {
                i++;
                continue;
            }
        }
        i += translate(&f, i);
        wk_tick(a->c, 1);
    }
    settle_goals(&f);
    wk_heap_free(a->c->heap, f.goal);
    wk_heap_free(a->c->heap, f.moved);
    wk_heap_free(a->c->heap, a->code.v);
    wk_heap_free(a->c->heap, a->code.lines);
    a->code = f.out;
}
