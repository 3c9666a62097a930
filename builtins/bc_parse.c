/* bc_parse.c - bc's statements and functions
 *
 * Statements that are open stand on a stack: '{' a block, F a function's body, i and e an if before and
 * after its else, w a while, f a for. After a syntax error words are passed over up to one that can begin
 * or end a statement, and the next is told only three words later, as the parsers that yacc makes do.
 */
#include "builtins/bc.h"

enum where { LIST, /* a statement, or nothing */ BODY, /* a statement */ DONE, /* one is complete */ STOP };

static const uint32_t NO_LABEL = UINT32_MAX;

static bool is_char(const struct bc *b, char ch)
{
    return b->token == BC_CHAR && b->op == ch;
}

static bool expect(struct bc *b, char ch)
{
    if (!is_char(b, ch))
        return wk_bc_syntax(b);
    wk_bc_advance(b);
    return true;
}

/* One newline before a body. */
static void pass_newline(struct bc *b)
{
    if (b->token == BC_NEWLINE) {
        wk_bc_nonstandard(b, "newline not allowed");
        wk_bc_advance(b);
    }
}

static struct bc_open *open_new(struct bc *b, char kind)
{
    BC_ROOM(b, b->open, b->n_open, b->open_cap);
    b->open[b->n_open] = (struct bc_open){
        .kind = kind, .outer_break = b->break_label, .outer_continue = b->continue_label};
    return &b->open[b->n_open++];
}

static void close_top(struct bc *b)
{
    struct bc_open *o = &b->open[--b->n_open];
    b->break_label = o->outer_break;
    b->continue_label = o->outer_continue;
}

/* ---- statements ---------------------------------------------------------------------------------------- */

/* A condition that may not be of a void function. */
static bool condition(struct bc *b)
{
    struct bc_value v;
    if (!wk_bc_expression(b, &v))
        return false;
    if (v.is_void)
        wk_bc_error(b, "void expression");
    return true;
}

static bool if_statement(struct bc *b)
{
    wk_bc_advance(b);
    if (!expect(b, '(') || !condition(b))
        return false;
    uint32_t label = wk_bc_label(b);
    wk_bc_emit(b, 'Z', label);
    if (!expect(b, ')'))
        return false;
    open_new(b, 'i')->label[0] = label;
    pass_newline(b);
    return true;
}

static bool while_statement(struct bc *b)
{
    uint32_t start = wk_bc_label(b), end = wk_bc_label(b);
    wk_bc_place(b, start);
    wk_bc_advance(b);
    if (!expect(b, '(') || !condition(b))
        return false;
    wk_bc_emit(b, 'Z', end);
    if (!expect(b, ')'))
        return false;
    struct bc_open *o = open_new(b, 'w');
    o->label[0] = b->continue_label = start;
    o->label[1] = b->break_label = end;
    pass_newline(b);
    return true;
}

/* One of the three expressions in a for, up to `end`; *given is false for none. */
static bool for_part(struct bc *b, char end, bool *given, const char *comparison)
{
    struct bc_value v;
    *given = !is_char(b, end);
    if (!*given) {
        wk_bc_nonstandard(b, "Missing expression in for statement");
        return true;
    }
    if (!wk_bc_expression(b, &v))
        return false;
    if (v.compares && comparison)
        wk_bc_nonstandard(b, comparison);
    if (v.is_void && comparison)
        wk_bc_error(b, "void expression");
    return true;
}

static bool for_statement(struct bc *b)
{
    bool given;
    uint32_t l[4];
    wk_bc_advance(b);
    for (int i = 0; i < 4; i++)
        l[i] = wk_bc_label(b);
    if (!expect(b, '(') || !for_part(b, ';', &given, "Comparison in first for expression"))
        return false;
    if (given)
        wk_bc_emit(b, 'p', 0);
    if (!expect(b, ';'))
        return false;
    wk_bc_place(b, l[1]);
    if (!for_part(b, ';', &given, NULL))
        return false;
    if (!given)
        wk_bc_emit(b, '1', 0);
    wk_bc_emit(b, 'B', l[2]);
    wk_bc_emit(b, 'J', l[0]);
    wk_bc_place(b, l[3]);
    if (!expect(b, ';') || !for_part(b, ')', &given, "Comparison in third for expression"))
        return false;
    if (given)
        wk_bc_emit(b, 'p', 0);
    wk_bc_emit(b, 'J', l[1]);
    wk_bc_place(b, l[2]);
    if (!expect(b, ')'))
        return false;
    struct bc_open *o = open_new(b, 'f');
    o->label[0] = b->continue_label = l[3];
    o->label[1] = b->break_label = l[0];
    pass_newline(b);
    return true;
}

static bool print_statement(struct bc *b)
{
    struct bc_value v;
    wk_bc_nonstandard(b, "print statement");
    do {
        wk_bc_advance(b);
        if (b->token == BC_STRING) {
            wk_bc_emit_text(b, 'O', 0, b->text, b->n);
            wk_bc_advance(b);
            continue;
        }
        if (!wk_bc_expression(b, &v))
            return false;
        if (v.is_void)
            wk_bc_error(b, "void expression in print");
        wk_bc_emit(b, 'P', 0);
    } while (is_char(b, ','));
    return true;
}

static bool begins_expression(const struct bc *b)
{
    switch (b->token) {
    case BC_CHAR:
        return b->op == '(' || b->op == '-';
    case BC_NAME:
    case BC_NUMBER:
    case BC_STEP:
    case BC_NOT:
    case BC_LENGTH:
    case BC_SQRT:
    case BC_SCALE_WORD:
    case BC_IBASE_WORD:
    case BC_OBASE_WORD:
    case BC_READ:
    case BC_RANDOM:
    case BC_LAST_WORD:
    case BC_HISTORY_WORD:
        return true;
    default:
        return false;
    }
}

static bool return_statement(struct bc *b)
{
    struct bc_value v;
    wk_bc_advance(b);
    if (!begins_expression(b)) {
        wk_bc_emit(b, '0', 0);
    } else {
        if (!wk_bc_expression(b, &v))
            return false;
        if (b->into->is_void)
            wk_bc_error(b, "Return expression in a void function.");
        if (v.is_void)
            wk_bc_error(b, "return requires non-void expression");
        if (v.compares)
            wk_bc_nonstandard(b, "comparison in return expression");
        if (!v.bracket)
            wk_bc_nonstandard(b, "return expression requires parenthesis");
    }
    wk_bc_emit(b, 'R', 0);
    if (b->into == &b->top)
        wk_bc_error(b, "Return outside of a function.");
    return true;
}

static void jump_out(struct bc *b, uint32_t label, const char *outside)
{
    if (label == NO_LABEL)
        wk_bc_error(b, "%s", outside);
    else
        wk_bc_emit(b, 'J', label);
    wk_bc_advance(b);
}

static void limits(struct bc *b)
{
    wk_out_c(b->c->out, "BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\nBC_SCALE_MAX    = 2147483647\n"
                        "BC_STRING_MAX   = 2147483647\nMAX Exponent    = 9223372036854775807\n"
                        "Number of vars  = 32767\n");
    wk_bc_advance(b);
}

static bool expression_statement(struct bc *b)
{
    struct bc_value v;
    if (!wk_bc_expression(b, &v))
        return false;
    if (v.compares)
        wk_bc_nonstandard(b, "comparison in expression");
    wk_bc_emit(b, v.assigns || v.is_void ? 'p' : 'W', 0);
    return true;
}

/* One statement, or the part of it before its body; *at is where the next word stands. */
static bool statement(struct bc *b, enum where *at)
{
    *at = DONE;
    switch (b->token) {
    case BC_STRING:
        wk_bc_emit_text(b, 'w', 0, b->text, b->n);
        wk_bc_advance(b);
        return true;
    case BC_BREAK:
        jump_out(b, b->break_label, "Break outside a for/while");
        return true;
    case BC_CONTINUE:
        wk_bc_nonstandard(b, "Continue statement");
        jump_out(b, b->continue_label, "Continue outside a for");
        return true;
    case BC_QUIT:
        wk_exit(b->c, 0);
    case BC_HALT:
        wk_bc_emit(b, 'h', 0);
        wk_bc_advance(b);
        return true;
    case BC_RETURN:
        return return_statement(b);
    case BC_PRINT:
        return print_statement(b);
    case BC_LIMITS:
        limits(b);
        return true;
    case BC_WARRANTY:
        wk_out_c(b->c->out,
                 "This program comes without any warranty; see the licence of its shell.\n");
        wk_bc_advance(b);
        return true;
    case BC_IF:
        *at = BODY;
        return if_statement(b);
    case BC_WHILE:
        *at = BODY;
        return while_statement(b);
    case BC_FOR:
        *at = BODY;
        return for_statement(b);
    default:
        if (!is_char(b, '{'))
            return expression_statement(b);
        open_new(b, '{');
        wk_bc_advance(b);
        *at = LIST;
        return true;
    }
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static const struct bc_param *find_param(const struct bc_function *f, size_t from, size_t to,
                                         const struct bc_param *p)
{
    for (size_t i = from; i < to; i++)
        if (f->v[i].id == p->id && (f->v[i].kind == 'v') == (p->kind == 'v'))
            return &f->v[i];
    return NULL;
}

/* NAME, NAME[], *NAME[]: one parameter or local name. */
static bool parameter(struct bc *b, struct bc_function *f, bool local)
{
    struct bc_param p = {.kind = 'v'};
    if (!local && is_char(b, '*')) {
        wk_bc_nonstandard(b, "Call by variable arrays");
        p.kind = 'r';
        wk_bc_advance(b);
    }
    if (b->token != BC_NAME)
        return wk_bc_syntax(b);
    struct wk_str name = wk_str(wk_dupn(b->c, b->text, b->n), b->n);
    p.name = name.p;
    wk_bc_advance(b);
    if (is_char(b, '[')) {
        p.kind = p.kind == 'r' ? 'r' : 'a';
        wk_bc_advance(b);
        if (!expect(b, ']'))
            return false;
    } else if (p.kind == 'r') {
        return wk_bc_syntax(b);
    }
    p.id = p.kind == 'v' ? wk_bc_var_id(b, name) : wk_bc_array_id(b, name);
    if (local && find_param(f, f->params, f->n, &p))
        wk_bc_error(b, "duplicate auto variable names");
    if (!local && find_param(f, 0, f->n, &p))
        wk_bc_error(b, "duplicate parameter names");
    BC_ROOM(b, f->v, f->n, f->cap);
    f->v[f->n++] = p;
    return true;
}

static bool header(struct bc *b, struct bc_function *f)
{
    wk_bc_advance(b);
    if (b->token == BC_VOID) {
        wk_bc_nonstandard(b, "void functions");
        f->is_void = true;
        wk_bc_advance(b);
    }
    if (b->token != BC_NAME)
        return wk_bc_syntax(b);
    f->name = wk_dupn(b->c, b->text, b->n);
    wk_bc_advance(b);
    if (!expect(b, '('))
        return false;
    if (!is_char(b, ')'))
        do {
            if (f->n)
                wk_bc_advance(b);
            if (!parameter(b, f, false))
                return false;
        } while (is_char(b, ','));
    f->params = f->n;
    if (!expect(b, ')'))
        return false;
    if (b->token == BC_NEWLINE) {
        wk_bc_nonstandard(b, "newline not allowed");
        wk_bc_advance(b);
    }
    return expect(b, '{');
}

static void by_variable(struct bc *b, const struct bc_function *f)
{
    for (size_t i = 0; i < f->params; i++)
        if (f->v[i].kind == 'r')
            wk_bc_nonstandard(b, "Variable array parameter");
}

static bool locals(struct bc *b, struct bc_function *f)
{
    if (b->token == BC_NEWLINE)
        wk_bc_advance(b);
    else
        wk_bc_nonstandard(b, "End of line required");
    if (b->token != BC_AUTO) {
        by_variable(b, f);
        return true;
    }
    do {
        wk_bc_advance(b);
        if (!parameter(b, f, true))
            return false;
    } while (is_char(b, ','));
    if (b->token != BC_NEWLINE && !is_char(b, ';'))
        return wk_bc_syntax(b);
    for (size_t i = f->params; i < f->n; i++)
        for (size_t k = 0; k < f->params; k++)
            if (find_param(f, k, k + 1, &f->v[i]))
                wk_bc_error(b, "variable in both parameter and auto lists");
    wk_bc_advance(b);
    by_variable(b, f);
    return true;
}

static bool define(struct bc *b)
{
    struct bc_function *f = wk_new(b->c, struct bc_function);
    if (!header(b, f))
        return false;
    uint32_t id = wk_bc_function_id(b, wk_str_c(f->name));
    b->function[id]->is_void = f->is_void;
    b->into = f;
    b->break_label = b->continue_label = NO_LABEL;
    open_new(b, 'F');
    return locals(b, f);
}

static void end_function(struct bc *b)
{
    struct bc_function *f = b->into, *old;
    wk_bc_emit(b, '0', 0);
    wk_bc_emit(b, 'R', 0);
    b->into = &b->top;
    if (!b->error) {
        uint32_t id = wk_bc_function_id(b, wk_str_c(f->name));
        old = b->function[id];
        wk_bc_code_reset(b, &old->code);
        *old = *f;
        old->defined = true;
    }
    b->error = false;
    wk_bc_code_reset(b, &b->top.code);
    wk_bc_advance(b);
}

/* ---- lines --------------------------------------------------------------------------------------------- */

static bool begins_statement(const struct bc *b)
{
    switch (b->token) {
    case BC_CHAR:
        return strchr("(-{", b->op) != NULL;
    case BC_EOF:
    case BC_NEWLINE:
    case BC_ASSIGN:
    case BC_COMPARE:
    case BC_OR:
    case BC_AND:
    case BC_DEFINE:
    case BC_ELSE:
    case BC_AUTO:
    case BC_VOID:
        return false;
    default:
        return true;
    }
}

static bool in_block(const struct bc *b)
{
    return b->n_open && strchr("{F", b->open[b->n_open - 1].kind);
}

/* Passes over words after a syntax error. */
static enum where recover(struct bc *b)
{
    b->calm = 3;
    while (b->n_open && !in_block(b)) { /* statements that are open outside of braces are given up */
        const struct bc_open *o = &b->open[b->n_open - 1];
        wk_bc_place(b, o->label[o->kind == 'w' || o->kind == 'f']);
        close_top(b);
    }
    while (b->token != BC_EOF && (b->token != BC_NEWLINE || b->n_open || b->later) && !begins_statement(b)) {
        wk_tick(b->c, 1);
        wk_bc_next(b);
    }
    if (b->token == BC_EOF)
        return STOP;
    if (begins_statement(b))
        return BODY;
    b->calm = 0;
    return STOP;
}

static void end_loop(struct bc *b, const struct bc_open *o)
{
    wk_bc_emit(b, 'J', o->label[0]);
    wk_bc_place(b, o->label[1]);
}

/* A statement is complete: so may be those around it. */
static enum where complete(struct bc *b)
{
    while (b->n_open && !in_block(b)) {
        struct bc_open *o = &b->open[b->n_open - 1];
        if (o->kind == 'i' && b->token == BC_ELSE) {
            wk_bc_nonstandard(b, "else clause in if statement");
            uint32_t end = wk_bc_label(b);
            wk_bc_emit(b, 'J', end);
            wk_bc_place(b, o->label[0]);
            o->label[0] = end;
            o->kind = 'e';
            wk_bc_advance(b);
            pass_newline(b);
            return BODY;
        }
        if (o->kind == 'i' || o->kind == 'e')
            wk_bc_place(b, o->label[0]);
        else
            end_loop(b, o);
        close_top(b);
    }
    if (b->token == BC_NEWLINE || is_char(b, ';') || (is_char(b, '}') && b->n_open))
        return LIST;
    wk_bc_syntax(b);
    if (!b->n_open)
        b->later = false;
    return recover(b);
}

/* Between statements of a list. */
static enum where between(struct bc *b)
{
    if (is_char(b, ';')) {
        b->later = b->later || !b->n_open;
        wk_bc_advance(b);
        return LIST;
    }
    if (b->token == BC_NEWLINE) {
        if (b->n_open) {
            wk_bc_advance(b);
            return LIST;
        }
        return STOP;
    }
    if (is_char(b, '}') && in_block(b)) {
        bool function = b->open[b->n_open - 1].kind == 'F';
        close_top(b);
        if (function) {
            end_function(b);
            return STOP;
        }
        wk_bc_advance(b);
        return DONE;
    }
    return BODY;
}

/* One line, with all that belongs to it, or one function. */
static void item(struct bc *b)
{
    enum where at = LIST;
    b->into = &b->top;
    b->n_open = 0;
    b->later = false;
    b->break_label = b->continue_label = NO_LABEL;
    if (b->token == BC_DEFINE) {
        if (!define(b)) {
            b->n_open = 0;
            b->into = &b->top;
            at = recover(b);
        }
    }
    while (at != STOP) {
        wk_tick(b->c, 1);
        if (at == LIST)
            at = between(b);
        else if (at == DONE)
            at = complete(b);
        else if (!statement(b, &at))
            at = recover(b);
    }
    if (b->token != BC_NEWLINE || b->n_open)
        return;
    if (!b->error)
        wk_bc_run(b);
    wk_bc_code_reset(b, &b->top.code);
    b->error = false;
    wk_bc_advance(b);
}

void wk_bc_program(struct bc *b)
{
    b->calm = 0;
    b->error = false;
    wk_bc_next(b);
    while (b->token != BC_EOF)
        item(b);
}
