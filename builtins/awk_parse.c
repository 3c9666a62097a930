/* awk_parse.c - compiles awk's statements, rules and functions */
#include "builtins/awk_parse.h"

static void statement(struct awk_parser *p);

size_t wk_awk_const(struct awk *a, struct awk_val v)
{
    for (size_t i = a->nconsts; i-- > 0 && v.type == AWK_NUM && a->nconsts - i < 50;)
        if (a->consts[i].type == AWK_NUM && memcmp(&a->consts[i].num, &v.num, sizeof v.num) == 0)
            return i;
    if (a->nconsts == a->consts_cap) {
        a->consts_cap = a->consts_cap * 2 + 64;
        a->consts = (struct awk_val *)wk_heap_realloc(a->c->heap, a->consts,
                                                      a->consts_cap * sizeof *a->consts);
    }
    a->consts[a->nconsts] = v;
    return a->nconsts++;
}

uint32_t wk_awk_global(struct awk *a, const char *name, size_t n)
{
    for (size_t i = 0; i < a->nglobals; i++)
        if (wk_str_is(wk_str(name, n), a->names[i]))
            return (uint32_t)i;
    if (a->nglobals == a->globals_cap) {
        a->globals_cap = a->globals_cap * 2 + 64;
        a->globals = (struct awk_val *)wk_heap_realloc(a->c->heap, a->globals,
                                                       a->globals_cap * sizeof *a->globals);
        a->names = (const char **)wk_heap_realloc(a->c->heap, (void *)a->names,
                                                  a->globals_cap * sizeof *a->names);
    }
    a->globals[a->nglobals] = (struct awk_val){.type = AWK_UNSET};
    a->names[a->nglobals] = wk_dupn(a->c, name, n);
    a->cells[AWK_CELL_G] = a->globals;
    uint32_t slot = (uint32_t)a->nglobals++;
    if (a->symtab)
        wk_awk_name_variable(a, slot);
    return slot;
}

/* ---- jumps out of loops ---- */

static void add_jump(struct awk_parser *p, struct awk_jumps *j)
{
    if (j->n == j->cap) {
        j->cap = j->cap * 2 + 8;
        j->v = (uint32_t *)wk_heap_realloc(p->a->c->heap, j->v, j->cap * sizeof *j->v);
    }
    j->v[j->n++] = wk_awk_emit_jump(p, AWK_JMP);
}

static void land_jumps(struct awk_parser *p, struct awk_jumps *j)
{
    for (size_t i = 0; i < j->n; i++)
        wk_awk_land(p, j->v[i]);
    wk_heap_free(p->a->c->heap, j->v);
    *j = (struct awk_jumps){.n = 0};
}

static void jump_to(struct awk_parser *p, uint32_t goal)
{
    wk_awk_emit(p, AWK_JMP, goal);
}

static bool ends_simple(enum awk_token t)
{
    return t == T_NEWLINE || t == T_SEMI || t == T_RBRACE || t == T_EOF;
}

static struct awk_loop *loop_of(const struct awk_parser *p, bool again)
{
    struct awk_loop *l = p->loop;
    while (again && l && l->is_switch)
        l = l->outer;
    return l;
}

bool wk_awk_is_stray(const struct awk_parser *p)
{
    bool again = p->token == T_CONTINUE;
    return (again || p->token == T_BREAK) && !loop_of(p, again) &&
           (p->loop_end != p->token_at + 1 || (again && p->loop_end_is_switch));
}

void wk_awk_stray(struct awk_parser *p)
{
    wk_awk_error(p, p->token == T_CONTINUE ? "error: `continue' is not allowed outside a loop"
                                           : "error: `break' is not allowed outside a loop or switch");
}

/* gawk tells a stray one when it has read it, and once more at the statement's end. */
static void leave_loop(struct awk_parser *p)
{
    bool again = p->token == T_CONTINUE;
    struct awk_loop *l = loop_of(p, again);
    struct awk_parser here = *p;
    if (wk_awk_is_stray(p))
        wk_awk_stray(p);
    here.faulty = p->faulty;
    wk_awk_advance(p);
    if (!l) {
        if (ends_simple(p->token))
            wk_awk_stray(&here);
        p->faulty = true;
        return;
    }
    for (struct awk_loop *k = p->loop; k != l; k = k->outer)
        for (unsigned i = 0; i < k->held; i++)
            wk_awk_emit(p, AWK_POP, 0);
    add_jump(p, again ? &l->continues : &l->breaks);
}

/* ---- parts of statements ---- */

static void end_simple(struct awk_parser *p)
{
    p->closed = p->token == T_SEMI;
    p->end = AWK_END_OF_LINE;
    if (p->token == T_NEWLINE || p->token == T_SEMI) {
        wk_awk_advance(p);
        wk_awk_skip_newlines(p);
    } else if (p->token != T_RBRACE && p->token != T_EOF) {
        wk_awk_syntax(p, "syntax error");
    }
}

/* An expression for what it does: stores leave nothing behind. */
static void effect(struct awk_parser *p)
{
    wk_awk_expression(p);
    wk_awk_emit(p, AWK_POP, 0);
}

static void parse_delete(struct awk_parser *p)
{
    wk_awk_advance(p);
    bool paren = p->token == T_LPAREN;
    if (paren)
        wk_awk_advance(p);
    if (p->token != T_NAME)
        wk_awk_syntax(p, "syntax error");
    size_t slot;
    struct awk_parser before = *p;
    struct wk_str name = p->name;
    wk_awk_advance(p);
    if (p->token == T_LBRACKET) {
        *p = before;
        (void)wk_awk_place(p, &slot);
        wk_awk_emit(p, AWK_DELETE, 0);
    } else {
        wk_awk_emit_array(p, name);
        wk_awk_emit(p, AWK_DELETE_ALL, 0);
    }
    if (paren)
        wk_awk_expect(p, T_RPAREN);
}

/* What print prints: nothing, a list, or a list in parentheses. */
static size_t print_list(struct awk_parser *p)
{
    size_t n = 0;
    if (p->token == T_LPAREN) {
        unsigned in = p->no_in, gt = p->no_gt;
        p->no_in = p->no_gt = 0;
        wk_awk_advance(p);
        if (p->token == T_RPAREN)
            wk_awk_syntax(p, "syntax error");
        p->shows = true;
        n = wk_awk_expressions(p, T_RPAREN);
        p->shows = false;
        wk_awk_expect(p, T_RPAREN);
        p->no_in = in;
        p->no_gt = gt;
        if (ends_simple(p->token) || p->token == T_GT || p->token == T_APPEND ||
            p->token == T_PIPE || p->token == T_PIPE_AND)
            return n;
        if (n > 1 && p->token != T_IN)
            wk_awk_syntax(p, "syntax error");
        if (n > 1)
            wk_awk_emit(p, AWK_SUBSEP, n);
        p->group_done = true;
        n = 0;
    }
    for (;;) {
        wk_awk_expression(p);
        wk_awk_show_element(p);
        n++;
        if (p->token != T_COMMA)
            return n;
        wk_awk_advance(p);
        wk_awk_skip_newlines(p);
    }
}

static void parse_print(struct awk_parser *p)
{
    enum awk_op op = p->token == T_PRINT ? AWK_PRINT : AWK_PRINTF;
    enum awk_way way = AWK_WAY_NONE;
    size_t n = 0;
    wk_awk_advance(p);
    p->no_gt++;
    if (!ends_simple(p->token) && p->token != T_GT && p->token != T_APPEND && p->token != T_PIPE &&
        p->token != T_PIPE_AND)
        n = print_list(p);
    way = p->token == T_GT         ? AWK_WAY_FILE
          : p->token == T_APPEND   ? AWK_WAY_APPEND
          : p->token == T_PIPE     ? AWK_WAY_PIPE
          : p->token == T_PIPE_AND ? AWK_WAY_COPROCESS
                                   : AWK_WAY_NONE;
    if (way != AWK_WAY_NONE) {
        wk_awk_advance(p);
        wk_awk_target(p);
    }
    p->no_gt--;
    wk_awk_emit(p, op, n);
    wk_awk_emit_word(p, way);
}

/* A statement that ends with a line: also in the head of a for. */
static void simple(struct awk_parser *p)
{
    switch (p->token) {
    case T_PRINT:
    case T_PRINTF:
        parse_print(p);
        break;
    case T_DELETE:
        parse_delete(p);
        break;
    default:
        effect(p);
    }
}

/* ---- compound statements ---- */

static void block_or_statement(struct awk_parser *p)
{
    wk_awk_skip_newlines(p);
    wk_awk_deeper(p, statement);
}

static void parse_if(struct awk_parser *p)
{
    wk_awk_advance(p);
    wk_awk_expect(p, T_LPAREN);
    wk_awk_expression(p);
    wk_awk_expect(p, T_RPAREN);
    uint32_t other = wk_awk_emit_jump(p, AWK_JZ);
    p->closed = false;
    block_or_statement(p);
    while ((p->token == T_SEMI && !p->closed) || p->token == T_NEWLINE) { /* `if (x) y; else z` */
        struct awk_parser before = *p;
        while (p->token == T_SEMI || p->token == T_NEWLINE)
            wk_awk_advance(p);
        if (p->token == T_ELSE)
            break;
        *p = before;
        break;
    }
    if (p->token != T_ELSE) {
        wk_awk_land(p, other);
        return;
    }
    wk_awk_advance(p);
    uint32_t end = wk_awk_emit_jump(p, AWK_JMP);
    wk_awk_land(p, other);
    block_or_statement(p);
    wk_awk_land(p, end);
}

static void body(struct awk_parser *p, struct awk_loop *l)
{
    l->outer = p->loop;
    p->loop = l;
    if (p->token == T_SEMI) { /* nothing */
        wk_awk_advance(p);
        wk_awk_skip_newlines(p);
    } else {
        block_or_statement(p);
    }
    p->loop = l->outer;
    p->loop_end = p->token_at + 1;
    p->loop_end_is_switch = false;
}

static void parse_while(struct awk_parser *p)
{
    struct awk_loop l = {.is_switch = false};
    wk_awk_advance(p);
    wk_awk_expect(p, T_LPAREN);
    uint32_t top = awk_here(p);
    wk_awk_expression(p);
    wk_awk_expect(p, T_RPAREN);
    uint32_t out = wk_awk_emit_jump(p, AWK_JZ);
    body(p, &l);
    for (size_t i = 0; i < l.continues.n; i++)
        p->a->code.v[l.continues.v[i]] = AWK_JMP | top << 8;
    jump_to(p, top);
    wk_awk_land(p, out);
    land_jumps(p, &l.breaks);
    wk_heap_free(p->a->c->heap, l.continues.v);
}

static void parse_do(struct awk_parser *p)
{
    struct awk_loop l = {.is_switch = false};
    wk_awk_advance(p);
    uint32_t top = awk_here(p);
    body(p, &l);
    while (p->token == T_NEWLINE || p->token == T_SEMI)
        wk_awk_advance(p);
    land_jumps(p, &l.continues);
    wk_awk_expect(p, T_WHILE);
    wk_awk_expect(p, T_LPAREN);
    wk_awk_expression(p);
    wk_awk_expect(p, T_RPAREN);
    wk_awk_emit(p, AWK_JNZ, top);
    land_jumps(p, &l.breaks);
}

/* `(k in a)` when that is all there is between the parentheses. */
static bool parse_for_in(struct awk_parser *p)
{
    struct awk_parser before = *p;
    if (p->token != T_NAME)
        return false;
    struct wk_str name = p->name, array;
    wk_awk_advance(p);
    if (p->token != T_IN) {
        *p = before;
        return false;
    }
    wk_awk_advance(p);
    if (p->token != T_NAME) {
        *p = before;
        return false;
    }
    array = p->name;
    uint32_t from = awk_here(p);
    size_t slot;
    struct awk_parser at_array = *p;
    wk_awk_advance(p);
    if (p->token == T_LBRACKET) {
        *p = at_array;
        (void)wk_awk_place(p, &slot);
        wk_awk_emit(p, AWK_SUB_ARRAY, 0);
    } else {
        wk_awk_emit_array(p, array);
    }
    if (p->token != T_RPAREN) {
        before.reread = p->token_at;
        *p = before;
        p->a->code.n = from;
        return false;
    }
    wk_awk_advance(p);
    struct awk_loop l = {.held = 1};
    enum awk_place place = wk_awk_variable(p, name, &slot);
    wk_awk_emit(p, AWK_FORIN, 0);
    uint32_t top = wk_awk_emit_jump(p, AWK_FORIN_NEXT);
    wk_awk_emit_store(p, place, slot);
    wk_awk_emit(p, AWK_POP, 0);
    body(p, &l);
    for (size_t i = 0; i < l.continues.n; i++)
        p->a->code.v[l.continues.v[i]] = AWK_JMP | top << 8;
    wk_heap_free(p->a->c->heap, l.continues.v);
    jump_to(p, top);
    wk_awk_land(p, top);
    land_jumps(p, &l.breaks);
    wk_awk_emit(p, AWK_POP, 0);
    return true;
}

static void parse_for(struct awk_parser *p)
{
    struct awk_loop l = {.is_switch = false};
    uint32_t out = 0;
    bool endless;
    wk_awk_advance(p);
    wk_awk_expect(p, T_LPAREN);
    if (parse_for_in(p))
        return;
    if (p->token != T_SEMI)
        simple(p);
    wk_awk_expect(p, T_SEMI);
    wk_awk_skip_newlines(p);
    uint32_t top = awk_here(p);
    endless = p->token == T_SEMI;
    if (!endless) {
        wk_awk_expression(p);
        out = wk_awk_emit_jump(p, AWK_JZ);
    }
    wk_awk_expect(p, T_SEMI);
    wk_awk_skip_newlines(p);
    uint32_t over = wk_awk_emit_jump(p, AWK_JMP), step = awk_here(p);
    if (p->token != T_RPAREN)
        simple(p);
    wk_awk_expect(p, T_RPAREN);
    jump_to(p, top);
    wk_awk_land(p, over);
    body(p, &l);
    for (size_t i = 0; i < l.continues.n; i++)
        p->a->code.v[l.continues.v[i]] = AWK_JMP | step << 8;
    wk_heap_free(p->a->c->heap, l.continues.v);
    jump_to(p, step);
    if (!endless)
        wk_awk_land(p, out);
    land_jumps(p, &l.breaks);
}

/* The constants of a switch, as texts. */
struct one_case {
    struct awk_str *text;
    size_t line;
};
struct cases {
    struct one_case *v;
    size_t n, cap;
};

static void note_case(struct awk_parser *p, struct cases *seen, struct awk_val v)
{
    if (seen->n == seen->cap) {
        seen->cap = seen->cap * 2 + 8;
        seen->v = (struct one_case *)wk_heap_realloc(p->a->c->heap, seen->v, seen->cap * sizeof *seen->v);
    }
    seen->v[seen->n].text = awk_str_ref(awk_to_str(p->a, &v));
    seen->v[seen->n++].line = p->token_line;
    awk_drop(p->a, &v);
}

/* Numbers and strings of the same text are told, each with all that come behind it. */
static void check_cases(struct awk_parser *p, struct cases *seen)
{
    struct awk *a = p->a;
    struct awk_array *texts = wk_awk_array_new(a);
    size_t line = p->line;
    for (size_t i = seen->n; i-- > 0;) {
        struct awk_str *text = seen->v[i].text;
        struct awk_val *v = wk_awk_array_at_text(a, texts, awk_slice(text), true);
        double behind = awk_to_num(a, v);
        p->line = seen->v[i].line;
        for (double k = 0; k < behind; k++)
            wk_awk_error(p, "error: duplicate case values in switch body: %.*s", (int)WK_MIN(text->n, (size_t)4000),
                         text->p);
        *v = awk_num(behind + 1);
        awk_str_unref(a, text);
    }
    p->line = line;
    wk_heap_free(a->c->heap, seen->v);
    wk_awk_array_unref(a, texts);
}

/* Behind `case`: the value on the stack is compared. */
static void parse_case(struct awk_parser *p, struct cases *seen)
{
    wk_awk_emit(p, AWK_DUP, 0);
    if (p->token == T_REGEX || p->token == T_TYPED_REGEX) {
        wk_awk_emit(p, AWK_MATCH_K, wk_awk_regex_slot(p));
        return;
    }
    bool minus = p->token == T_MINUS;
    if (minus || p->token == T_PLUS)
        wk_awk_advance(p);
    if (p->token == T_NUMBER) {
        note_case(p, seen, awk_num(minus ? -p->num : p->num));
        wk_awk_emit(p, AWK_K_NUM, wk_awk_const(p->a, awk_num(minus ? -p->num : p->num)));
    } else if (p->token == T_STRING) {
        note_case(p, seen, awk_string(awk_str_ref(p->str)));
        wk_awk_emit(p, AWK_K_STR, wk_awk_const(p->a, awk_string(p->str)));
    } else {
        wk_awk_syntax(p, "syntax error");
    }
    wk_awk_advance(p);
    wk_awk_emit(p, AWK_CASE, 0);
}

/* The value stays on the stack until the end. Tests come where the cases stand, each behind a jump
 * over the code before it. */
static void parse_switch(struct awk_parser *p)
{
    struct awk_loop l = {.is_switch = true, .held = 1};
    uint32_t next = UINT32_MAX, fallback = UINT32_MAX;
    struct cases seen = {.n = 0};
    wk_awk_advance(p);
    wk_awk_expect(p, T_LPAREN);
    wk_awk_expression(p);
    wk_awk_expect(p, T_RPAREN);
    wk_awk_skip_newlines(p);
    wk_awk_expect(p, T_LBRACE);
    wk_awk_skip_newlines(p);
    l.outer = p->loop;
    p->loop = &l;
    next = wk_awk_emit_jump(p, AWK_JMP);
    while (p->token != T_RBRACE) {
        uint32_t through = wk_awk_emit_jump(p, AWK_JMP);
        if (p->token == T_DEFAULT) {
            if (fallback != UINT32_MAX)
                wk_awk_error(p, "error: duplicate `default' detected in switch body");
            wk_awk_advance(p);
            fallback = awk_here(p);
        } else {
            wk_awk_expect(p, T_CASE);
            wk_awk_land(p, next);
            parse_case(p, &seen);
            next = wk_awk_emit_jump(p, AWK_JZ);
        }
        wk_awk_expect(p, T_COLON);
        wk_awk_land(p, through);
        wk_awk_skip_newlines(p);
        while (p->token != T_CASE && p->token != T_DEFAULT && p->token != T_RBRACE) {
            wk_awk_deeper(p, statement);
            wk_awk_skip_newlines(p);
        }
    }
    check_cases(p, &seen);
    wk_awk_expect(p, T_RBRACE);
    p->closed = true;
    p->end = AWK_END_OF_LINE;
    uint32_t end = wk_awk_emit_jump(p, AWK_JMP);
    wk_awk_land(p, next);
    if (fallback != UINT32_MAX)
        jump_to(p, fallback);
    wk_awk_land(p, end);
    p->loop = l.outer;
    p->loop_end = p->token_at + 1;
    p->loop_end_is_switch = true;
    land_jumps(p, &l.breaks);
    wk_awk_emit(p, AWK_POP, 0);
}

static void block(struct awk_parser *p)
{
    wk_awk_expect(p, T_LBRACE);
    wk_awk_skip_newlines(p);
    while (p->token != T_RBRACE) {
        if (p->token == T_EOF)
            wk_awk_syntax(p, "unexpected newline or end of string");
        wk_awk_deeper(p, statement);
        while (p->token == T_SEMI || p->token == T_NEWLINE)
            wk_awk_advance(p);
    }
    wk_awk_advance(p);
    p->closed = true;
    p->end = AWK_END_OF_LINE;
}

/* next, exit and the like. */
static bool parse_departure(struct awk_parser *p)
{
    enum awk_token t = p->token;
    bool value;
    switch (t) {
    case T_BREAK:
    case T_CONTINUE:
        leave_loop(p);
        return true;
    case T_NEXT:
    case T_NEXTFILE:
        wk_awk_advance(p);
        if (!ends_simple(p->token))
            wk_awk_syntax(p, "syntax error");
        if (p->special && !(t == T_NEXTFILE && strcmp(p->special, "BEGINFILE") == 0))
            wk_awk_error(p, "error: `%s' used in %s action", t == T_NEXT ? "next" : "nextfile",
                         p->special);
        wk_awk_emit(p, t == T_NEXT ? AWK_NEXT : AWK_NEXTFILE, 0);
        return true;
    case T_EXIT:
        wk_awk_advance(p);
        value = !ends_simple(p->token);
        if (value)
            wk_awk_expression(p);
        wk_awk_emit(p, AWK_EXIT, value);
        return true;
    case T_RETURN:
        if (!p->in_func)
            wk_awk_syntax(p, "`return' used outside function context");
        wk_awk_advance(p);
        if (ends_simple(p->token))
            wk_awk_emit(p, AWK_NOTHING, 0);
        else
            wk_awk_expression(p);
        wk_awk_emit(p, AWK_RETURN, 0);
        return true;
    default:
        return false;
    }
}

static void statement(struct awk_parser *p)
{
    switch (p->token) {
    case T_LBRACE:
        block(p);
        return;
    case T_IF:
        parse_if(p);
        return;
    case T_WHILE:
        parse_while(p);
        return;
    case T_DO:
        parse_do(p);
        break;
    case T_FOR:
        parse_for(p);
        return;
    case T_SWITCH:
        parse_switch(p);
        return;
    case T_SEMI:
        wk_awk_advance(p);
        return;
    default:
        if (!parse_departure(p))
            simple(p);
    }
    end_simple(p);
}

/* ---- rules and functions ---- */

static void add_piece(struct awk_parser *p, struct awk_chain *c, uint32_t entry)
{
    if (c->last == UINT32_MAX)
        c->first = entry;
    else
        p->a->code.v[c->last] = AWK_JMP | entry << 8;
    c->last = wk_awk_emit_jump(p, AWK_JMP);
}

static void end_chain(struct awk_parser *p, struct awk_chain *c, uint32_t *at, bool *has)
{
    *has = c->last != UINT32_MAX;
    if (!*has)
        return;
    wk_awk_land(p, c->last);
    wk_awk_emit(p, AWK_END, 0);
    p->a->code.lines[awk_here(p) - 1] = p->a->code.lines[c->last];
    *at = c->first;
}

/* `first, last`: behind the first pattern stands where the rule is entered, which leaves that out
 * while the range lasts. */
static uint32_t range(struct awk_parser *p, uint32_t begin, uint32_t *skip)
{
    size_t range = p->a->ranges++;
    wk_awk_advance(p);
    wk_awk_skip_newlines(p);
    *skip = wk_awk_emit_jump(p, AWK_JZ);
    wk_awk_emit(p, AWK_RANGE_SET, range << 1 | 1);
    uint32_t in = wk_awk_emit_jump(p, AWK_JMP), entry = awk_here(p);
    wk_awk_emit(p, AWK_RANGE_ON, range);
    wk_awk_emit_word(p, awk_here(p) + 2);
    jump_to(p, begin);
    wk_awk_land(p, in);
    wk_awk_expression(p);
    uint32_t on = wk_awk_emit_jump(p, AWK_JZ);
    wk_awk_emit(p, AWK_RANGE_SET, range << 1);
    wk_awk_land(p, on);
    return entry;
}

/* Where it is entered. */
static uint32_t rule(struct awk_parser *p)
{
    uint32_t skip = UINT32_MAX, entry = awk_here(p);
    if (p->token != T_LBRACE) {
        wk_awk_expression(p);
        if (p->token == T_COMMA)
            entry = range(p, entry, &skip);
        else
            skip = wk_awk_emit_jump(p, AWK_JZ);
    }
    if (p->token == T_LBRACE) {
        block(p);
    } else {
        if (p->token != T_NEWLINE && p->token != T_SEMI && p->token != T_EOF)
            wk_awk_syntax(p, "syntax error");
        wk_awk_emit(p, AWK_PRINT, 0);
        wk_awk_emit_word(p, AWK_WAY_NONE);
    }
    if (skip != UINT32_MAX)
        wk_awk_land(p, skip);
    return entry;
}

static void check_parameter(struct awk_parser *p, const struct awk_func *f, size_t at)
{
    struct wk_str name = p->locals[at];
    for (uint32_t i = 0; i < AWK_SPECIALS; i++)
        if (wk_str_is(name, p->a->names[i]))
            wk_awk_error(p, "error: function `%s': cannot use special variable `%s' as a function parameter", f->name,
                         p->a->names[i]);
    if (wk_str_is(name, f->name))
        wk_awk_error(p, "error: function `%s': cannot use function name as parameter name", f->name);
    for (size_t i = 0; i < at; i++)
        if (wk_str_eq(p->locals[i], name))
            wk_awk_error(p, "error: function `%s': parameter #%zu, `%.*s', duplicates parameter #%zu", f->name, at + 1,
                         (int)name.n, name.p, i + 1);
}

static void function(struct awk_parser *p)
{
    wk_awk_advance(p);
    if (p->token == T_BUILTIN)
        wk_awk_syntax(p, wk_strf(p->a->c, "`%.*s' is a built-in function, it cannot be redefined", (int)p->name.n,
                                 p->name.p));
    if (p->token != T_NAME && p->token != T_CALL)
        wk_awk_syntax(p, "syntax error");
    size_t f = wk_awk_function(p, p->name);
    for (uint32_t i = 0; i < p->a->nglobals; i++)
        if (strcmp(p->a->names[i], p->a->funcs[f].name) == 0)
            p->a->funcs[f].defined = true;
    bool again = p->a->funcs[f].defined;
    if (again)
        wk_awk_error(p, "error: function name `%s' previously defined", p->a->funcs[f].name);
    wk_awk_advance(p);
    wk_awk_expect(p, T_LPAREN);
    p->nlocals = 0;
    while (p->token == T_NAME) {
        if (p->nlocals == AWK_MOST_LOCALS)
            wk_awk_wrong(p, "function `%s' has too many parameters", p->a->funcs[f].name);
        p->locals[p->nlocals++] = p->name;
        wk_awk_advance(p);
        if (p->token != T_COMMA)
            break;
        wk_awk_advance(p);
        wk_awk_skip_newlines(p);
    }
    for (size_t i = 0; i < p->nlocals && p->token == T_RPAREN && !again; i++)
        check_parameter(p, &p->a->funcs[f], i);
    wk_awk_expect(p, T_RPAREN);
    wk_awk_skip_newlines(p);
    uint32_t over = wk_awk_emit_jump(p, AWK_JMP);
    p->a->funcs[f].at = awk_here(p);
    p->a->funcs[f].params = (uint16_t)p->nlocals;
    p->a->funcs[f].defined = true;
    p->a->funcs[f].names = wk_new_n(p->a->c, const char *, p->nlocals + 1);
    for (size_t i = 0; i < p->nlocals; i++)
        p->a->funcs[f].names[i] = wk_dupn(p->a->c, p->locals[i].p, p->locals[i].n);
    p->in_func = true;
    p->func = f;
    block(p);
    p->in_func = false;
    p->nlocals = 0;
    wk_awk_emit(p, AWK_NOTHING, 0);
    wk_awk_emit(p, AWK_RETURN, 0);
    wk_awk_land(p, over);
}

static void item(struct awk_parser *p, struct awk_chain chains[5])
{
    static const char *const names[] = {"BEGIN", "END", "BEGINFILE", "ENDFILE"};
    static const enum awk_token kinds[] = {T_BEGIN, T_END, T_BEGINFILE, T_ENDFILE};
    if (p->token == T_FUNCTION) {
        function(p);
        return;
    }
    size_t k = 0;
    while (k < WK_COUNTOF(kinds) && p->token != kinds[k])
        k++;
    if (k < WK_COUNTOF(kinds)) {
        wk_awk_advance(p);
        p->line -= p->token == T_NEWLINE && p->comment_at && p->at >= p->text.n;
        if (p->token == T_EOF || p->token == T_NEWLINE || p->token == T_SEMI || p->token == T_RBRACE) {
            wk_awk_error(p, "%s blocks must have an action part", names[k]);
            return;
        }
        if (p->token != T_LBRACE)
            wk_awk_syntax(p, "syntax error");
    }
    uint32_t entry = awk_here(p);
    if (k < WK_COUNTOF(kinds)) {
        p->special = names[k];
        block(p);
        p->special = NULL;
    } else {
        entry = rule(p);
    }
    add_piece(p, &chains[k], entry);
}

static void items(struct awk_parser *p)
{
    for (bool behind = false;;) { /* a rule, which one semicolon may follow */
        while (p->token == T_NEWLINE || (p->token == T_SEMI && behind)) {
            behind = behind && p->token != T_SEMI;
            wk_awk_advance(p);
        }
        if (p->token == T_EOF && !p->including && wk_awk_next_source(p)) {
            p->token = T_NEWLINE;
            wk_awk_advance(p);
            continue;
        }
        if (p->token == T_EOF)
            return;
        behind = p->token != T_SEMI;
        if (!behind) {
            wk_awk_error(p, "each rule must have a pattern or an action part");
            wk_awk_advance(p);
        } else if (p->token == T_AT) {
            wk_awk_directive(p, items);
        } else {
            item(p, p->chains);
        }
    }
}

void wk_awk_compile(struct awk *a, const struct awk_source *sources, size_t n)
{
    struct awk_chain chains[5];
    struct awk_parser p = {.a = a,
                           .source = sources,
                           .nsources = n,
                           .text = sources[0].text,
                           .line = 1,
                           .next_source = 1,
                           .chains = chains,
                           .token = T_NEWLINE};
    for (size_t i = 0; i < WK_COUNTOF(chains); i++)
        chains[i] = (struct awk_chain){.last = UINT32_MAX};
    for (size_t i = 0; i < n; i++)
        (void)wk_awk_add_source(a, sources[i].name, sources[i].found);
    a->parser = &p;
    p.locals = wk_new_n(a->c, struct wk_str, AWK_MOST_LOCALS);
    wk_awk_advance(&p);
    items(&p);
    end_chain(&p, &chains[0], &a->at_begin, &a->has_begin);
    end_chain(&p, &chains[1], &a->at_end, &a->has_end);
    end_chain(&p, &chains[2], &a->at_begin_file, &a->has_begin_file);
    end_chain(&p, &chains[3], &a->at_end_file, &a->has_end_file);
    end_chain(&p, &chains[4], &a->at_main, &a->has_main);
    wk_awk_emit(&p, AWK_END, 0);
    if (p.faulty)
        wk_exit(a->c, 1);
    wk_awk_name_all(a);
    wk_awk_settle_passes(&p);
    wk_heap_free(a->c->heap, p.locals);
    a->cells[AWK_CELL_K] = a->consts;
    wk_awk_fuse(a);
    a->parser = NULL;
    a->range_on = wk_new_n(a->c, bool, a->ranges + 1);
}
