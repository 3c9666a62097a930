/* awk_expr.c - compiles awk's expressions
 *
 * Recursive descent, one function a level of binding, emitting code for the stack machine as it
 * reads.
 */
#include "builtins/awk_parse.h"

#include <math.h>

/* ---- code ---- */

void wk_awk_emit_word(struct awk_parser *p, uint32_t word)
{
    struct awk_code *code = &p->a->code;
    if (code->n == code->cap) {
        if (code->cap > UINT32_MAX / 4)
            wk_awk_wrong(p, "program too large");
        code->cap = code->cap * 2 + 256;
        code->v = (uint32_t *)wk_heap_realloc(p->a->c->heap, code->v, code->cap * sizeof *code->v);
        code->lines = (uint32_t *)wk_heap_realloc(p->a->c->heap, code->lines,
                                                  code->cap * sizeof *code->lines);
    }
    code->lines[code->n] = (uint32_t)WK_MIN(p->last_line, (size_t)0xfffff) |
                           (uint32_t)WK_MIN(p->which, (size_t)0xfff) << 20;
    code->v[code->n++] = word;
}

void wk_awk_emit(struct awk_parser *p, enum awk_op op, size_t operand)
{
    if (operand >= 1 << 24)
        wk_awk_wrong(p, "program too large");
    wk_awk_emit_word(p, (uint32_t)op | (uint32_t)operand << 8);
}

uint32_t wk_awk_emit_jump(struct awk_parser *p, enum awk_op op)
{
    uint32_t at = awk_here(p);
    wk_awk_emit(p, op, 0);
    return at;
}

void wk_awk_land(struct awk_parser *p, uint32_t at)
{
    if (awk_here(p) >= 1 << 24)
        wk_awk_wrong(p, "program too large");
    p->a->code.v[at] = (p->a->code.v[at] & 255) | awk_here(p) << 8;
}

/* ---- variables ---- */

size_t wk_awk_function(struct awk_parser *p, struct wk_str name)
{
    struct awk *a = p->a;
    name = wk_awk_qualified(p, name);
    for (size_t i = 0; i < a->nfuncs; i++)
        if (wk_str_is(name, a->funcs[i].name))
            return i;
    if (a->nfuncs == a->funcs_cap) {
        a->funcs_cap = a->funcs_cap * 2 + 8;
        a->funcs = (struct awk_func *)wk_heap_realloc(a->c->heap, a->funcs,
                                                      a->funcs_cap * sizeof *a->funcs);
    }
    a->funcs[a->nfuncs] = (struct awk_func){.name = wk_dupn(a->c, name.p, name.n)};
    return a->nfuncs++;
}

enum awk_place wk_awk_variable(struct awk_parser *p, struct wk_str name, size_t *slot)
{
    for (size_t i = 0; i < p->nlocals; i++) {
        if (wk_str_eq(p->locals[i], name)) {
            *slot = i;
            return AWK_AT_L;
        }
    }
    name = wk_awk_qualified(p, name);
    for (size_t i = 0; i < p->a->nfuncs; i++)
        if (p->a->funcs[i].defined && wk_str_is(name, p->a->funcs[i].name))
            wk_awk_error(p, "error: function `%s' called with space between name and `(',\n"
                            "or used as a variable or an array", p->a->funcs[i].name);
    *slot = wk_awk_global(p->a, name.p, name.n);
    p->a->uses_rt = p->a->uses_rt || *slot == AWK_RT;
    return awk_has_hook((uint32_t)*slot) ? AWK_AT_S : AWK_AT_G;
}

static void emit_load(struct awk_parser *p, enum awk_place place, size_t slot)
{
    switch (place) {
    case AWK_AT_L:
        wk_awk_emit(p, AWK_LOAD_L, slot);
        break;
    case AWK_AT_S:
        wk_awk_emit(p, slot <= AWK_FNR ? AWK_LOAD_S : AWK_LOAD_G, slot);
        break;
    case AWK_AT_FIELD:
        wk_awk_emit(p, AWK_FIELD, 0);
        break;
    case AWK_AT_ELEM:
        wk_awk_emit(p, AWK_ELEM, 0);
        break;
    default:
        wk_awk_emit(p, AWK_LOAD_G, slot);
    }
}

void wk_awk_emit_store(struct awk_parser *p, enum awk_place place, size_t slot)
{
    static const enum awk_op ops[] = {[AWK_AT_G] = AWK_STORE_G,
                                      [AWK_AT_L] = AWK_STORE_L,
                                      [AWK_AT_S] = AWK_STORE_S,
                                      [AWK_AT_FIELD] = AWK_STORE_FIELD,
                                      [AWK_AT_ELEM] = AWK_STORE_ELEM};
    wk_awk_emit(p, ops[place], slot);
}

void wk_awk_emit_array(struct awk_parser *p, struct wk_str name)
{
    size_t slot;
    enum awk_place place = wk_awk_variable(p, name, &slot);
    wk_awk_emit(p, place == AWK_AT_L ? AWK_ARRAY_L : AWK_ARRAY_G, slot);
    if (place == AWK_AT_L)
        wk_awk_note_pass(p, AWK_PASS_ARRAY, slot, 0, 0);
}

/* ---- places ---- */

static void primary(struct awk_parser *p);
static void unary(struct awk_parser *p);
static void postfix(struct awk_parser *p);

static bool bare_argument(struct awk_parser *p);

/* The argument that was just read may have to be an array. */
static void note_argument(struct awk_parser *p, size_t callee, size_t param)
{
    uint32_t last = p->a->code.v[awk_here(p) - 1];
    if (last == AWK_ELEM_ANY)
        wk_awk_note_pass(p, AWK_PASS_ELEMENT, 0, callee, param);
    else if ((last & 255) == AWK_ARG_L)
        wk_awk_note_pass(p, AWK_PASS_ON, last >> 8, callee, param);
}

/* bare: what may be an array is left to the call. */
static size_t list(struct awk_parser *p, enum awk_token end, bool bare, size_t callee)
{
    size_t n = 0;
    bool shows = p->shows; /* the arguments of print, not those of calls in them */
    p->shows = false;
    while (p->token != end) {
        n++;
        bool regex = bare && p->token == T_REGEX;
        uint32_t from = awk_here(p);
        if (!bare || !bare_argument(p))
            wk_awk_expression(p);
        else if (callee != SIZE_MAX)
            note_argument(p, callee, n - 1);
        if (regex && awk_here(p) == from + 1)
            wk_awk_warning(p->a, "regexp constant for parameter #%zu yields boolean value", n);
        if (shows)
            wk_awk_show_element(p);
        if (p->token != T_COMMA)
            break;
        wk_awk_advance(p);
        wk_awk_skip_newlines(p);
    }
    return n;
}

/* An element that is printed by itself and was never set is "" from then on. */
void wk_awk_show_element(struct awk_parser *p)
{
    uint32_t *last = &p->a->code.v[awk_here(p) - 1];
    if (*last == AWK_ELEM)
        *last = AWK_ELEM_SHOWN;
}

size_t wk_awk_expressions(struct awk_parser *p, enum awk_token end)
{
    return list(p, end, false, SIZE_MAX);
}

/* Behind `name [`: the key and the array of the element, also of arrays in it. */
static void subscripts(struct awk_parser *p, struct wk_str name)
{
    unsigned in = p->no_in, gt = p->no_gt;
    p->no_in = p->no_gt = 0;
    for (bool first = true;; first = false) {
        wk_awk_advance(p);
        size_t n = wk_awk_expressions(p, T_RBRACKET);
        if (n == 0)
            wk_awk_syntax(p, "syntax error");
        if (n > 1)
            wk_awk_emit(p, AWK_SUBSEP, n);
        wk_awk_expect(p, T_RBRACKET);
        if (first)
            wk_awk_emit_array(p, name);
        else
            wk_awk_emit(p, AWK_SWAP, 0);
        if (p->token != T_LBRACKET)
            break;
        if (p->a->old)
            wk_awk_fatal(p->a, "multidimensional arrays are a gawk extension");
        wk_awk_emit(p, AWK_SUB_ARRAY, 0);
    }
    p->no_in = in;
    p->no_gt = gt;
}

/* The array whose name is the present token: by that alone, or an element that is one. */
static void whole_array(struct awk_parser *p)
{
    struct wk_str name = p->name;
    wk_awk_advance(p);
    if (p->token == T_LBRACKET) {
        subscripts(p, name);
        wk_awk_emit(p, AWK_SUB_ARRAY, 0);
    } else {
        wk_awk_emit_array(p, name);
    }
}

struct level {
    struct awk_parser *p;
    void (*read)(struct awk_parser *p);
};

static int read_level(void *arg)
{
    struct level *l = (struct level *)arg;
    l->read(l->p);
    return 0;
}

void wk_awk_deeper(struct awk_parser *p, void (*read)(struct awk_parser *p))
{
    struct level l = {p, read};
    int r;
    if (++p->nesting > AWK_MOST_NESTING)
        wk_awk_wrong(p, "the program is nested too deep");
    if (!wk_stack_low(p->a->c->task))
        read(p);
    else if (wk_stack_call(p->a->c->task, read_level, &l, &r) != 0)
        wk_heap_exhausted(p->a->c->heap);
    p->nesting--;
}

/* Behind $: no assignment and no ++ belongs to it. */
static void field_index(struct awk_parser *p)
{
    size_t slot;
    if (p->token == T_NAME || p->token == T_DOLLAR) {
        enum awk_place place = wk_awk_place(p, &slot);
        emit_load(p, place, slot);
    } else if (p->token == T_INC || p->token == T_DEC || p->token == T_MINUS ||
               p->token == T_PLUS || p->token == T_NOT) {
        unary(p);
    } else {
        primary(p);
    }
}

enum awk_place wk_awk_place(struct awk_parser *p, size_t *slot)
{
    *slot = 0;
    if (p->token == T_DOLLAR) {
        wk_awk_advance(p);
        wk_awk_deeper(p, field_index);
        return AWK_AT_FIELD;
    }
    if (p->token != T_NAME)
        return AWK_NO_PLACE;
    struct wk_str name = p->name;
    wk_awk_advance(p);
    if (p->token == T_LBRACKET) {
        subscripts(p, name);
        return AWK_AT_ELEM;
    }
    return wk_awk_variable(p, name, slot);
}

/* ---- primaries ---- */

static bool begins_place(const struct awk_parser *p)
{
    return p->token == T_DOLLAR || p->token == T_NAME;
}

/* `getline [place] [< file]`, or behind `command |`: then the command is on the stack. */
static void getline(struct awk_parser *p, enum awk_way way)
{
    size_t slot = 0;
    enum awk_place place = AWK_NO_PLACE;
    wk_awk_advance(p);
    if (begins_place(p))
        place = wk_awk_place(p, &slot);
    if (way == AWK_WAY_NONE && p->token == T_LT) {
        wk_awk_advance(p);
        postfix(p);
        way = AWK_WAY_READ;
    }
    if (way == AWK_WAY_NONE && p->special && strstr(p->special, "FILE"))
        wk_awk_error(p, "error: non-redirected `getline' invalid inside `%s' rule", p->special);
    wk_awk_emit(p, AWK_GETLINE, slot);
    wk_awk_emit_word(p, (uint32_t)way << 8 | (uint32_t)place);
}

size_t wk_awk_regex_slot(struct awk_parser *p)
{
    struct awk *a = p->a;
    if (a->nregexes == a->regexes_cap) {
        a->regexes_cap = a->regexes_cap * 2 + 16;
        a->regexes = (struct awk_re **)wk_heap_realloc(a->c->heap, (void *)a->regexes,
                                                       a->regexes_cap * sizeof *a->regexes);
    }
    const char *wrong;
    a->regexes[a->nregexes] = wk_awk_regex_const(a, awk_slice(p->str), &wrong);
    if (wrong)
        wk_awk_wrong(p, "error: %s", wrong);
    awk_str_unref(a, p->str);
    wk_awk_advance(p);
    return a->nregexes++;
}

static void regex_value(struct awk_parser *p, enum awk_op op)
{
    wk_awk_emit(p, op, wk_awk_regex_slot(p));
}

/* The third argument of sub and gsub. */
static void substitute(struct awk_parser *p, bool all)
{
    size_t slot = 0;
    enum awk_place place = AWK_AT_FIELD;
    if (p->token == T_COMMA) {
        wk_awk_advance(p);
        wk_awk_skip_newlines(p);
        uint32_t from = awk_here(p);
        if (begins_place(p))
            place = wk_awk_place(p, &slot);
        else
            place = AWK_NO_PLACE;
        if (place == AWK_NO_PLACE || p->token != T_RPAREN) {
            /* No place but a value: it is changed and forgotten. */
            if (place != AWK_NO_PLACE)
                wk_awk_wrong(p, "syntax error: the third argument of sub or gsub is no place");
            p->a->code.n = from;
            wk_awk_expression(p);
        }
    } else {
        wk_awk_emit(p, AWK_K_NUM, wk_awk_const(p->a, awk_num(0)));
    }
    wk_awk_emit(p, AWK_SUBST, slot);
    wk_awk_emit_word(p, (uint32_t)all << 8 | (uint32_t)place);
}

static WK_NORETURN void not_array(struct awk_parser *p, const struct awk_builtin_info *f, size_t i)
{
    wk_awk_no_array(p->a, f, i);
}

static void argument(struct awk_parser *p, const struct awk_builtin_info *f, size_t i)
{
    if (f->array >> i & 1) {
        size_t slot;
        struct wk_str name = p->name;
        struct awk_parser before = *p;
        if (p->token != T_NAME)
            not_array(p, f, i);
        wk_awk_advance(p);
        if (p->token == T_LBRACKET) {
            *p = before;
            whole_array(p);
        } else {
            enum awk_place place = wk_awk_variable(p, name, &slot);
            wk_awk_emit(p, AWK_ARRAY_ARG, slot << 1 | (place == AWK_AT_L));
            wk_awk_emit_word(p, (uint32_t)((size_t)(f - wk_awk_builtins) << 8 | i));
            if (place == AWK_AT_L)
                wk_awk_note_pass(p, AWK_PASS_ARRAY, slot, 0, 0);
        }
    } else if (p->token == T_REGEX && i == 1 && strcmp(f->name, "index") == 0) {
        wk_awk_fatal(p->a, "index: regexp constant as second argument is not allowed");
    } else if (f->regex >> i & 1 && (p->token == T_REGEX || p->token == T_TYPED_REGEX)) {
        regex_value(p, AWK_REGEX);
    } else {
        wk_awk_expression(p);
    }
}

/* A name or an element as an argument: arrays, and what may become one, are handed over as such.
 * False: it is something else, and nothing was read. */
static bool bare_argument(struct awk_parser *p)
{
    struct awk_parser before = *p;
    uint32_t from = awk_here(p);
    struct wk_str name = p->name;
    if (p->token != T_NAME)
        return false;
    wk_awk_advance(p);
    bool element = p->token == T_LBRACKET;
    if (element)
        subscripts(p, name);
    if (p->token != T_COMMA && p->token != T_RPAREN) {
        before.reread = p->token_at;
        *p = before;
        p->a->code.n = from;
        return false;
    }
    size_t slot;
    if (element) {
        wk_awk_emit(p, AWK_ELEM_ANY, 0);
    } else {
        enum awk_place place = wk_awk_variable(p, name, &slot);
        bool counted = place == AWK_AT_S && slot <= AWK_FNR;
        wk_awk_emit(p, place == AWK_AT_L ? AWK_ARG_L : counted ? AWK_LOAD_S : AWK_ARG_G, slot);
    }
    return true;
}

static WK_NORETURN void wrong_number(struct awk_parser *p, const struct awk_builtin_info *f, size_t n)
{
    char text[80];
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(p->a->c->heap), sizeof text);
    wk_buf_fmt(&b, "%zu is invalid as number of arguments for %s", n, f->name);
    wk_awk_syntax(p, wk_keep(p->a->c, &b));
}

static void builtin(struct awk_parser *p)
{
    const struct awk_builtin_info *f = &wk_awk_builtins[p->builtin];
    enum awk_builtin id = p->builtin;
    unsigned in = p->no_in, gt = p->no_gt;
    size_t n = 0;
    wk_awk_advance(p);
    if (id == AWK_F_LENGTH && p->token != T_LPAREN) {
        wk_awk_emit(p, AWK_BUILTIN, id);
        wk_awk_emit_word(p, 0);
        return;
    }
    p->no_in = p->no_gt = 0;
    wk_awk_expect(p, T_LPAREN);
    if (id == AWK_F_LENGTH || id == AWK_F_TYPEOF || id == AWK_F_ISARRAY)
        n = bare_argument(p); /* of an array, perhaps */
    bool sub = id == AWK_F_SUB || id == AWK_F_GSUB;
    while (p->token != T_RPAREN && !n) {
        for (;;) {
            if (sub && n == 2)
                break;
            argument(p, f, n++);
            if (p->token != T_COMMA || (sub && n == 2))
                break;
            wk_awk_advance(p);
            wk_awk_skip_newlines(p);
        }
        if (!n)
            break;
    }
    if (sub && n == 2)
        substitute(p, id == AWK_F_GSUB);
    if (p->token != T_RPAREN && p->token != T_COMMA)
        wk_awk_expect(p, T_RPAREN);
    if (n < f->least || n > f->most || (n && p->token == T_COMMA))
        wrong_number(p, f, n);
    wk_awk_expect(p, T_RPAREN);
    p->no_in = in;
    p->no_gt = gt;
    if (!sub) {
        wk_awk_emit(p, AWK_BUILTIN, id);
        wk_awk_emit_word(p, (uint32_t)n);
    }
}

static void call(struct awk_parser *p)
{
    size_t f = wk_awk_function(p, p->name);
    unsigned in = p->no_in, gt = p->no_gt;
    p->no_in = p->no_gt = 0;
    wk_awk_advance(p);
    wk_awk_advance(p);
    size_t n = list(p, T_RPAREN, true, f);
    wk_awk_expect(p, T_RPAREN);
    p->no_in = in;
    p->no_gt = gt;
    wk_awk_emit(p, AWK_CALL, f);
    wk_awk_emit_word(p, (uint32_t)n);
}

/* @name(…): the function that the variable names. */
static void indirect_call(struct awk_parser *p)
{
    size_t slot;
    wk_awk_advance(p);
    if (p->token != T_CALL)
        wk_awk_syntax(p, "syntax error");
    unsigned in = p->no_in, gt = p->no_gt;
    struct wk_str name = p->name;
    p->no_in = p->no_gt = 0;
    wk_awk_advance(p);
    wk_awk_advance(p);
    size_t n = list(p, T_RPAREN, true, SIZE_MAX);
    enum awk_place place = wk_awk_variable(p, name, &slot);
    wk_awk_expect(p, T_RPAREN);
    p->no_in = in;
    p->no_gt = gt;
    emit_load(p, place, slot);
    wk_awk_emit(p, AWK_CALL_NAMED, n);
}

/* `(a)`, or `(a, b) in array`. */
static void group(struct awk_parser *p)
{
    unsigned in = p->no_in, gt = p->no_gt;
    p->no_in = p->no_gt = 0;
    wk_awk_advance(p);
    if (p->token == T_RPAREN)
        wk_awk_syntax(p, "syntax error");
    size_t n = wk_awk_expressions(p, T_RPAREN);
    wk_awk_expect(p, T_RPAREN);
    p->no_in = in;
    p->no_gt = gt;
    p->groups++;
    if (n > 1 && p->token != T_IN)
        wk_awk_syntax(p, "syntax error");
    if (n > 1)
        wk_awk_emit(p, AWK_SUBSEP, n);
}

static bool step_of(enum awk_token t)
{
    return t == T_INC || t == T_DEC;
}

static void emit_step(struct awk_parser *p, enum awk_place place, size_t slot, bool down,
                      bool after)
{
    static const enum awk_op ops[] = {[AWK_AT_G] = AWK_STEP_G,
                                      [AWK_AT_L] = AWK_STEP_L,
                                      [AWK_AT_S] = AWK_STEP_S,
                                      [AWK_AT_FIELD] = AWK_STEP_FIELD,
                                      [AWK_AT_ELEM] = AWK_STEP_ELEM};
    wk_awk_emit(p, ops[place], slot);
    wk_awk_emit_word(p, (uint32_t)down | (uint32_t)after << 1);
}

static bool is_assignment(enum awk_token t)
{
    return t >= T_ASSIGN && t <= T_POW_ASSIGN;
}

/* A place, with what may follow it: an assignment, ++, --; or its value. */
static void place_value(struct awk_parser *p)
{
    static const enum awk_op arithmetic[] = {AWK_ADD, AWK_SUB, AWK_MUL, AWK_DIV, AWK_MOD, AWK_POW};
    static const enum awk_op ops[] = {[AWK_AT_G] = AWK_AUG_G,
                                      [AWK_AT_L] = AWK_AUG_L,
                                      [AWK_AT_S] = AWK_AUG_S,
                                      [AWK_AT_FIELD] = AWK_AUG_FIELD,
                                      [AWK_AT_ELEM] = AWK_AUG_ELEM};
    size_t slot;
    uint32_t from = awk_here(p);
    bool first = p->token_at == p->assignable;
    enum awk_place place = wk_awk_place(p, &slot);
    if (is_assignment(p->token) && first) {
        enum awk_token t = p->token;
        wk_awk_advance(p);
        uint32_t value = awk_here(p);
        wk_awk_expression(p);
        wk_awk_swap_blocks(p, from, value);
        if (t == T_ASSIGN) {
            wk_awk_take_first(p, value, place, slot);
            wk_awk_emit_store(p, place, slot);
        } else {
            wk_awk_emit(p, ops[place], slot);
            wk_awk_emit_word(p, arithmetic[t - T_ADD_ASSIGN]);
        }
        return;
    }
    if (step_of(p->token)) {
        emit_step(p, place, slot, p->token == T_DEC, true);
        wk_awk_advance(p);
        return;
    }
    /* $N with a constant N */
    uint32_t *code = p->a->code.v;
    if (place == AWK_AT_FIELD && awk_here(p) == from + 1 && (code[from] & 255) == AWK_K_NUM) {
        double v = p->a->consts[code[from] >> 8].num;
        if (v >= 0 && v < 1000 && v == (double)(int)v) {
            code[from] = AWK_FIELD_C | (uint32_t)v << 8;
            return;
        }
    }
    emit_load(p, place, slot);
}

static void primary(struct awk_parser *p)
{
    size_t slot;
    if (p->group_done) {
        p->group_done = false;
        return;
    }
    switch (p->token) {
    case T_NUMBER:
        wk_awk_emit(p, AWK_K_NUM, wk_awk_const(p->a, awk_num(p->num)));
        wk_awk_advance(p);
        break;
    case T_STRING:
        wk_awk_emit(p, AWK_K_STR, wk_awk_const(p->a, awk_string(p->str)));
        wk_awk_advance(p);
        break;
    case T_REGEX:
        regex_value(p, AWK_MATCH_0);
        break;
    case T_TYPED_REGEX: {
        struct awk_val v = awk_string(p->str);
        v.regexp = true;
        wk_awk_emit(p, AWK_K_STR, wk_awk_const(p->a, v));
        wk_awk_advance(p);
        break;
    }
    case T_AT:
        indirect_call(p);
        break;
    case T_DOLLAR:
    case T_NAME:
        place_value(p);
        break;
    case T_CALL:
        call(p);
        break;
    case T_BUILTIN:
        builtin(p);
        break;
    case T_LPAREN:
        group(p);
        break;
    case T_GETLINE:
        getline(p, AWK_WAY_NONE);
        break;
    case T_INC:
    case T_DEC: {
        bool down = p->token == T_DEC;
        wk_awk_advance(p);
        enum awk_place place = wk_awk_place(p, &slot);
        if (place == AWK_NO_PLACE)
            wk_awk_syntax(p, "syntax error");
        emit_step(p, place, slot, down, false);
        break;
    }
    case T_MINUS:
    case T_PLUS:
    case T_NOT:
        unary(p);
        break;
    default:
        wk_awk_syntax(p, "syntax error");
    }
}

/* ---- operators, from the tightest ---- */

static void postfix(struct awk_parser *p)
{
    primary(p);
}

static void power(struct awk_parser *p)
{
    postfix(p);
    if (p->token == T_POWER) {
        wk_awk_advance(p);
        wk_awk_deeper(p, p->token == T_MINUS || p->token == T_PLUS || p->token == T_NOT ? unary
                                                                                        : power);
        wk_awk_emit(p, AWK_POW, 0);
    }
}

static void unary(struct awk_parser *p)
{
    if (!p->group_done && (p->token == T_MINUS || p->token == T_PLUS || p->token == T_NOT)) {
        enum awk_token t = p->token;
        wk_awk_advance(p);
        wk_awk_deeper(p, unary);
        wk_awk_emit(p, t == T_MINUS ? AWK_NEG : t == T_PLUS ? AWK_PLUS : AWK_NOT, 0);
    } else {
        power(p);
    }
}

/* Of a divisor: constants with signs, ! and powers, but no parentheses. */
static bool is_zero(const struct awk_parser *p, uint32_t at)
{
    double stack[16];
    size_t n = 0;
    const uint32_t *v = p->a->code.v;
    for (; at < awk_here(p); at++) {
        uint32_t word = v[at], op = word & 255;
        if (op == AWK_K_NUM && n < WK_COUNTOF(stack)) {
            stack[n++] = p->a->consts[word >> 8].num;
        } else if (op == AWK_K_STR && n < WK_COUNTOF(stack) && at + 1 < awk_here(p) && v[at + 1] == AWK_NOT) {
            stack[n++] = p->a->consts[word >> 8].str->n == 0;
            at++;
        } else if (op == AWK_NEG && n) {
            stack[n - 1] = -stack[n - 1];
        } else if (op == AWK_NOT && n) {
            stack[n - 1] = stack[n - 1] == 0;
        } else if (op == AWK_POW && n > 1) {
            n--;
            stack[n - 1] = pow(stack[n - 1], stack[n]);
        } else {
            return false;
        }
    }
    return n == 1 && stack[0] == 0;
}

static void multiplicative(struct awk_parser *p)
{
    unary(p);
    while (p->token == T_STAR || p->token == T_SLASH || p->token == T_PERCENT) {
        enum awk_op op = p->token == T_STAR ? AWK_MUL : p->token == T_SLASH ? AWK_DIV : AWK_MOD;
        wk_awk_advance(p);
        uint32_t at = awk_here(p);
        size_t groups = p->groups;
        unary(p);
        if (op != AWK_MUL && groups == p->groups && is_zero(p, at))
            wk_awk_error(p, "error: division by zero attempted%s", op == AWK_MOD ? " in `%'" : "");
        wk_awk_emit(p, op, 0);
    }
}

static void additive(struct awk_parser *p)
{
    multiplicative(p);
    while (p->token == T_PLUS || p->token == T_MINUS) {
        enum awk_op op = p->token == T_PLUS ? AWK_ADD : AWK_SUB;
        wk_awk_advance(p);
        multiplicative(p);
        wk_awk_emit(p, op, 0);
    }
}

static bool begins_operand(const struct awk_parser *p)
{
    switch (p->token) {
    case T_NUMBER:
    case T_STRING:
    case T_AT:
    case T_NAME:
    case T_CALL:
    case T_BUILTIN:
    case T_GETLINE:
    case T_DOLLAR:
    case T_NOT:
    case T_LPAREN:
    case T_MINUS:
    case T_PLUS:
    case T_INC:
    case T_DEC:
        return true;
    default:
        return false;
    }
}

static void concatenation(struct awk_parser *p)
{
    size_t n = 1;
    additive(p);
    while (begins_operand(p)) {
        additive(p);
        n++;
    }
    if (n > 1)
        wk_awk_emit(p, AWK_CONCAT, n);
}

/* Behind a command: | getline */
static void pipe_rest(struct awk_parser *p)
{
    while (p->token == T_PIPE || p->token == T_PIPE_AND) {
        enum awk_way way = p->token == T_PIPE ? AWK_WAY_READ_PIPE : AWK_WAY_COPROCESS;
        wk_awk_advance(p);
        if (p->token != T_GETLINE)
            wk_awk_syntax(p, "syntax error");
        getline(p, way);
        p->group_done = true; /* an operand of what follows */
        concatenation(p);
    }
}

static void piped(struct awk_parser *p)
{
    p->assignable = p->token_at; /* behind an operator that binds tighter there is no assignment */
    concatenation(p);
    if (!p->no_gt) /* else it is where print goes */
        pipe_rest(p);
}

void wk_awk_target(struct awk_parser *p)
{
    p->assignable = SIZE_MAX;
    concatenation(p);
    pipe_rest(p);
}

/* Behind an operand: < and the like, which do not follow each other. */
static void compare_rest(struct awk_parser *p)
{
    for (bool compared = false;;) {
        enum awk_op op;
        switch (p->token) {
        case T_LT:
            op = AWK_LT;
            break;
        case T_LE:
            op = AWK_LE;
            break;
        case T_EQ:
            op = AWK_EQ;
            break;
        case T_NE:
            op = AWK_NE;
            break;
        case T_GE:
            op = AWK_GE;
            break;
        case T_GT:
            if (p->no_gt)
                return;
            op = AWK_GT;
            break;
        default:
            return;
        }
        if (compared)
            wk_awk_syntax(p, "syntax error");
        compared = true;
        wk_awk_advance(p);
        piped(p);
        wk_awk_emit(p, op, 0);
    }
}

static void comparison(struct awk_parser *p)
{
    piped(p);
    compare_rest(p);
}

static void matching(struct awk_parser *p)
{
    comparison(p);
    while (p->token == T_MATCH || p->token == T_NOMATCH) {
        bool not = p->token == T_NOMATCH;
        wk_awk_advance(p);
        if (p->token == T_REGEX || p->token == T_TYPED_REGEX) {
            regex_value(p, AWK_MATCH_K);
        } else {
            comparison(p);
            wk_awk_emit(p, AWK_MATCH, 0);
        }
        if (not )
            wk_awk_emit(p, AWK_NOT, 0);
    }
}

static void membership(struct awk_parser *p)
{
    matching(p);
    while (p->token == T_IN && !p->no_in) {
        wk_awk_advance(p);
        if (p->token != T_NAME)
            wk_awk_syntax(p, "syntax error");
        whole_array(p);
        wk_awk_emit(p, AWK_IN, 0);
        compare_rest(p);
    }
}

/* `a && b`: b is looked at only when it matters. */
static void logical(struct awk_parser *p, enum awk_token t, void (*tighter)(struct awk_parser *p))
{
    tighter(p);
    while (p->token == t) {
        wk_awk_advance(p);
        wk_awk_skip_behind_operator(p);
        uint32_t out = wk_awk_emit_jump(p, t == T_AND ? AWK_JZ : AWK_JNZ);
        tighter(p);
        wk_awk_emit(p, AWK_BOOL, 0);
        uint32_t end = wk_awk_emit_jump(p, AWK_JMP);
        wk_awk_land(p, out);
        wk_awk_emit(p, AWK_K_NUM, wk_awk_const(p->a, awk_num(t == T_OR)));
        wk_awk_land(p, end);
    }
}

static void conjunction(struct awk_parser *p)
{
    logical(p, T_AND, membership);
}

static void disjunction(struct awk_parser *p)
{
    logical(p, T_OR, conjunction);
}

static void expression(struct awk_parser *p)
{
    disjunction(p);
    if (p->token != T_QUESTION)
        return;
    wk_awk_advance(p);
    wk_awk_skip_behind_operator(p);
    uint32_t other = wk_awk_emit_jump(p, AWK_JZ);
    wk_awk_expression(p);
    while (p->token == T_NEWLINE)
        wk_awk_advance(p);
    wk_awk_expect(p, T_COLON);
    wk_awk_skip_behind_operator(p);
    uint32_t end = wk_awk_emit_jump(p, AWK_JMP);
    wk_awk_land(p, other);
    wk_awk_expression(p);
    wk_awk_land(p, end);
}

void wk_awk_expression(struct awk_parser *p)
{
    wk_awk_deeper(p, expression);
}
