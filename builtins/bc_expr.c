/* bc_expr.c - bc's expressions, by precedence of operators
 *
 * What is open stands on a stack of items: operators that wait for their right side (b binary, u sign,
 * ! not, = assignment), brackets ('(' , '[' of an element, 'g' of length and its like, 'f' of a call). An
 * assignment may stand to the right of any operator, and takes all that binds more tightly than itself.
 */
#include "base/num.h"
#include "builtins/bc.h"

enum { PREC_OR = 1, PREC_AND, PREC_NOT, PREC_COMPARE, PREC_ASSIGN, PREC_SUM, PREC_PRODUCT, PREC_POWER, PREC_SIGN };

void wk_bc_advance(struct bc *b)
{
    if (b->calm)
        b->calm--;
    wk_bc_next(b);
}

bool wk_bc_syntax(struct bc *b)
{
    if (!b->calm)
        wk_bc_error(b, "syntax error");
    return false;
}

/* ---- code ---------------------------------------------------------------------------------------------- */

void wk_bc_emit_text(struct bc *b, char op, uint32_t arg, const char *text, size_t n)
{
    struct bc_code *code = &b->into->code;
    uint32_t size = 1;
    if (op == 'K' || op == 'w' || op == 'O')
        size = (uint32_t)n + 2;
    else if (op == 'C')
        size = (uint32_t)n + (arg < 128 ? 3 : 4);
    else if (strchr("lsidLSAM", op))
        size = arg < 128 ? 2 : 3;
    else if (strchr("JZB", op))
        size = 3;
    else if (op == 'c')
        size = 2;
    code->adr += size;
    BC_ROOM(b, code->v, code->n, code->cap);
    code->v[code->n++] = (struct bc_ins){.op = op, .adr = code->adr, .arg = arg, .n = n,
                                          .text = text ? wk_dupn(b->c, text, n) : NULL};
}

void wk_bc_emit(struct bc *b, char op, uint32_t arg)
{
    wk_bc_emit_text(b, op, arg, NULL, 0);
}

uint32_t wk_bc_label(struct bc *b)
{
    struct bc_code *code = &b->into->code;
    BC_ROOM(b, code->label, code->labels, code->label_cap);
    code->label[code->labels] = 0;
    return (uint32_t)code->labels++;
}

void wk_bc_place(struct bc *b, uint32_t label)
{
    b->into->code.label[label] = b->into->code.n;
}

/* ---- items --------------------------------------------------------------------------------------------- */

static struct bc_item *push(struct bc *b, char kind, char op)
{
    BC_ROOM(b, b->item, b->n_item, b->item_cap);
    b->item[b->n_item] = (struct bc_item){.kind = kind, .op = op};
    return &b->item[b->n_item++];
}

static int precedence(const struct bc_item *i)
{
    switch (i->kind) {
    case '=':
        return PREC_ASSIGN;
    case '!':
        return PREC_NOT;
    case 'u':
        return PREC_SIGN;
    case 'b':
        break;
    default:
        return 0;
    }
    switch (i->op) {
    case '|':
        return PREC_OR;
    case '&':
        return PREC_AND;
    case '+':
    case '-':
        return PREC_SUM;
    case '*':
    case '/':
    case '%':
        return PREC_PRODUCT;
    case '^':
        return PREC_POWER;
    default:
        return PREC_COMPARE;
    }
}

static void store(struct bc *b, const struct bc_item *i)
{
    if (i->op)
        wk_bc_emit(b, i->op, 0);
    wk_bc_emit(b, i->array ? 'S' : 's', i->id);
}

static void end_logic(struct bc *b, const struct bc_item *i)
{
    if (i->op == '&') {
        wk_bc_emit(b, 'D', 0);
        wk_bc_emit(b, 'Z', i->id);
        wk_bc_emit(b, 'p', 0);
        wk_bc_emit(b, '1', 0);
        wk_bc_place(b, i->id);
        return;
    }
    uint32_t end = wk_bc_label(b);
    wk_bc_emit(b, 'B', i->id);
    wk_bc_emit(b, '0', 0);
    wk_bc_emit(b, 'J', end);
    wk_bc_place(b, i->id);
    wk_bc_emit(b, '1', 0);
    wk_bc_place(b, end);
}

static const char *void_words(const struct bc_item *i)
{
    if (i->op == '&')
        return "void expression with &&";
    if (i->op == '|')
        return "void expression with ||";
    return precedence(i) == PREC_COMPARE ? "void expression with comparison" : NULL;
}

/* The topmost operator gets its right side, `v`. */
static void reduce(struct bc *b, struct bc_value *v)
{
    struct bc_item i = b->item[--b->n_item];
    struct bc_value r = {0};
    if (i.kind == '=') {
        if (v->is_void)
            wk_bc_error(b, "Assignment of a void expression");
        store(b, &i);
        r.assigns = true;
    } else if (i.kind == 'u') {
        if (v->is_void)
            wk_bc_error(b, "void expression with unary -");
        wk_bc_emit(b, 'n', 0);
        r = *v;
        r.bracket = false;
    } else if (i.kind == '!') {
        if (v->is_void)
            wk_bc_error(b, "void expression with !");
        wk_bc_nonstandard(b, "! operator");
        wk_bc_emit(b, '!', 0);
        r = *v;
        r.bracket = false;
    } else {
        const char *words = void_words(&i);
        if ((v->is_void || i.left.is_void) && words)
            wk_bc_error(b, "%s", words);
        else if (v->is_void || i.left.is_void)
            wk_bc_error(b, "void expression with %.1s", i.op == '%' ? "" : &i.op);
        r.is_void = (v->is_void || i.left.is_void) && !words;
        if (i.op == '&' || i.op == '|')
            end_logic(b, &i);
        else
            wk_bc_emit(b, i.op, 0);
        r.compares = precedence(&i) == PREC_COMPARE || v->compares || i.left.compares;
    }
    *v = r;
}

static void reduce_to(struct bc *b, struct bc_value *v, size_t base, int prec)
{
    while (b->n_item > base && precedence(&b->item[b->n_item - 1]) > prec)
        reduce(b, v);
}

/* ---- operands ------------------------------------------------------------------------------------------ */

enum next { OPERAND, OPERATOR, FAILED };

/* A variable or an element whose place is known; `step` is the ++ or -- in front. */
static enum next named(struct bc *b, bool array, uint32_t id, char step)
{
    if (step) {
        if (array)
            wk_bc_emit(b, 'D', 0);
        wk_bc_emit(b, array ? (step == 'i' ? 'A' : 'M') : step, id);
        wk_bc_emit(b, array ? 'L' : 'l', id);
        return OPERATOR;
    }
    if (b->token == BC_ASSIGN) {
        char op = b->op;
        if (op && array)
            wk_bc_emit(b, 'D', 0);
        if (op)
            wk_bc_emit(b, array ? 'L' : 'l', id);
        struct bc_item *i = push(b, '=', op);
        i->array = array;
        i->id = id;
        wk_bc_advance(b);
        return OPERAND;
    }
    bool after = b->token == BC_STEP;
    if (after && array)
        wk_bc_emit(b, 'D', 0);
    wk_bc_emit(b, array ? 'L' : 'l', id);
    if (after) {
        if (array)
            wk_bc_emit(b, 'x', 0);
        wk_bc_emit(b, array ? (b->op == 'i' ? 'A' : 'M') : b->op, id);
        wk_bc_advance(b);
    }
    return OPERATOR;
}

static void add_type(struct bc *b, struct bc_item *i, char type)
{
    BC_ROOM(b, i->types, i->n, i->cap);
    i->types[i->n++] = type;
}

static enum next end_call(struct bc *b, struct bc_value *v)
{
    struct bc_item i = b->item[--b->n_item];
    for (size_t k = 0; k < i.n / 2; k++) {
        char t = i.types[k];
        i.types[k] = i.types[i.n - 1 - k];
        i.types[i.n - 1 - k] = t;
    }
    wk_bc_emit_text(b, 'C', i.id, i.types ? i.types : "", i.n);
    wk_heap_free(b->c->heap, i.types);
    *v = (struct bc_value){.is_void = b->function[i.id]->is_void};
    wk_bc_advance(b);
    return OPERATOR;
}

static enum next name_operand(struct bc *b, struct bc_value *v, char step)
{
    char *text = wk_dupn(b->c, b->text, b->n);
    struct wk_str name = wk_str(text, b->n);
    bool argument = !step && b->n_item && b->item[b->n_item - 1].kind == 'f';
    wk_bc_advance(b);
    if (b->token == BC_CHAR && b->op == '(' && !step) {
        struct bc_item *i = push(b, 'f', 0);
        i->id = wk_bc_function_id(b, name);
        wk_bc_advance(b);
        return b->token == BC_CHAR && b->op == ')' ? end_call(b, v) : OPERAND;
    }
    if (b->token != BC_CHAR || b->op != '[')
        return named(b, false, wk_bc_var_id(b, name), step);
    wk_bc_advance(b);
    if (argument && b->token == BC_CHAR && b->op == ']') {
        char digits[WK_NUM_MAX];
        size_t n = wk_fmt_u64(digits, wk_bc_array_id(b, name), 10);
        wk_bc_emit_text(b, 'K', wk_bc_array_id(b, name), digits, n);
        b->into->code.v[b->into->code.n - 1].op = 'a';
        wk_bc_advance(b);
        struct bc_item *i = &b->item[b->n_item - 1];
        add_type(b, i, '1');
        if (b->token == BC_CHAR && b->op == ')')
            return end_call(b, v);
        if (b->token != BC_CHAR || b->op != ',')
            return FAILED;
        wk_bc_advance(b);
        return OPERAND;
    }
    struct bc_item *i = push(b, '[', step);
    i->id = wk_bc_array_id(b, name);
    return OPERAND;
}

static enum next builtin(struct bc *b, char letter)
{
    if (b->token != BC_CHAR || b->op != '(')
        return FAILED;
    wk_bc_advance(b);
    if (letter != 'I' && letter != 'X') {
        push(b, 'g', letter);
        return OPERAND;
    }
    if (b->token != BC_CHAR || b->op != ')')
        return FAILED;
    wk_bc_nonstandard(b, letter == 'I' ? "read function" : "random function");
    wk_bc_emit(b, 'c', (uint32_t)letter);
    wk_bc_advance(b);
    return OPERATOR;
}

static int special_of(enum bc_token t)
{
    return t == BC_IBASE_WORD ? BC_IBASE : t == BC_OBASE_WORD ? BC_OBASE : t == BC_SCALE_WORD ? BC_SCALE
         : t == BC_HISTORY_WORD ? BC_HISTORY : t == BC_LAST_WORD ? BC_LAST : -1;
}

static enum next special_operand(struct bc *b, char step)
{
    int id = special_of(b->token);
    if (id < 0)
        return FAILED;
    if (id == BC_LAST || id == BC_HISTORY)
        wk_bc_nonstandard(b, id == BC_LAST ? "Last variable" : "History variable");
    wk_bc_advance(b);
    if (id == BC_SCALE && !step && b->token == BC_CHAR && b->op == '(')
        return builtin(b, 'S');
    return named(b, false, (uint32_t)id, step);
}

static enum next number_operand(struct bc *b)
{
    if (b->n == 1 && (b->text[0] == '0' || b->text[0] == '1'))
        wk_bc_emit(b, b->text[0], 0);
    else
        wk_bc_emit_text(b, 'K', 0, b->text, b->n);
    wk_bc_advance(b);
    return OPERATOR;
}

static enum next operand(struct bc *b, struct bc_value *v)
{
    char step = 0;
    *v = (struct bc_value){0};
    switch (b->token) {
    case BC_NUMBER:
        return number_operand(b);
    case BC_NOT:
        push(b, '!', '!');
        wk_bc_advance(b);
        return OPERAND;
    case BC_CHAR:
        if (b->op != '(' && b->op != '-')
            return FAILED;
        push(b, b->op == '(' ? '(' : 'u', b->op);
        wk_bc_advance(b);
        return OPERAND;
    case BC_STEP:
        step = b->op;
        wk_bc_advance(b);
        return b->token == BC_NAME ? name_operand(b, v, step) : special_operand(b, step);
    case BC_NAME:
        return name_operand(b, v, 0);
    case BC_LENGTH:
        wk_bc_advance(b);
        return builtin(b, 'L');
    case BC_SQRT:
        wk_bc_advance(b);
        return builtin(b, 'R');
    case BC_READ:
        wk_bc_advance(b);
        return builtin(b, 'I');
    case BC_RANDOM:
        wk_bc_advance(b);
        return builtin(b, 'X');
    default:
        return special_operand(b, 0);
    }
}

/* ---- operators ----------------------------------------------------------------------------------------- */

static enum next binary(struct bc *b, struct bc_value *v, size_t base)
{
    struct bc_item i = {.kind = 'b', .op = b->op};
    if (b->token == BC_AND || b->token == BC_OR)
        i.op = b->token == BC_AND ? '&' : '|';
    int prec = precedence(&i);
    reduce_to(b, v, base, prec == PREC_POWER ? prec : prec - 1);
    i.left = *v;
    if (i.op == '&' || i.op == '|')
        wk_bc_nonstandard(b, i.op == '&' ? "&& operator" : "|| operator");
    if (i.op == '&') {
        i.id = wk_bc_label(b);
        wk_bc_emit(b, 'D', 0);
        wk_bc_emit(b, 'Z', i.id);
        wk_bc_emit(b, 'p', 0);
    } else if (i.op == '|') {
        i.id = wk_bc_label(b);
        wk_bc_emit(b, 'B', i.id);
    }
    *push(b, 'b', i.op) = i;
    wk_bc_advance(b);
    return OPERAND;
}

/* A bracket is closed, or a comma is between arguments. */
static enum next closing(struct bc *b, struct bc_value *v, size_t base)
{
    reduce_to(b, v, base, 0);
    struct bc_item *i = &b->item[b->n_item - 1];
    char ch = b->op;
    if (ch == ']') {
        if (i->kind != '[')
            return FAILED;
        uint32_t id = i->id;
        char step = i->op;
        b->n_item--;
        if (v->is_void)
            wk_bc_error(b, "void expression as subscript");
        if (v->compares)
            wk_bc_nonstandard(b, "comparison in subscript");
        *v = (struct bc_value){0};
        wk_bc_advance(b);
        return named(b, true, id, step);
    }
    if (i->kind == 'f') {
        if (v->is_void)
            wk_bc_error(b, "void argument");
        if (v->compares)
            wk_bc_nonstandard(b, "comparison in argument");
        add_type(b, i, '0');
        if (ch == ')')
            return end_call(b, v);
        wk_bc_advance(b);
        return OPERAND;
    }
    if (ch == ',' || i->kind == '[')
        return FAILED;
    b->n_item--;
    if (i->kind == 'g') {
        if (v->is_void)
            wk_bc_error(b, "void expression in %s()", i->op == 'L' ? "length" : i->op == 'R' ? "sqrt" : "scale");
        wk_bc_emit(b, 'c', (uint32_t)i->op);
        *v = (struct bc_value){0};
    } else {
        if (v->is_void)
            wk_bc_error(b, "void expression in parenthesis");
        v->assigns = false;
        v->bracket = true;
    }
    wk_bc_advance(b);
    return OPERATOR;
}

static bool is_binary(const struct bc *b)
{
    return b->token == BC_AND || b->token == BC_OR || b->token == BC_COMPARE ||
           (b->token == BC_CHAR && strchr("+-*/%^", b->op));
}

static bool has_bracket(const struct bc *b, size_t base)
{
    for (size_t i = b->n_item; i > base; i--)
        if (!precedence(&b->item[i - 1]))
            return true;
    return false;
}

bool wk_bc_expression(struct bc *b, struct bc_value *out)
{
    size_t base = b->n_item;
    enum next next = OPERAND;
    *out = (struct bc_value){0};
    while (next != FAILED) {
        wk_tick(b->c, 1);
        if (next == OPERAND) {
            next = operand(b, out);
        } else if (is_binary(b)) {
            next = binary(b, out, base);
        } else if (!has_bracket(b, base)) {
            reduce_to(b, out, base, 0);
            return true;
        } else {
            next = b->token == BC_CHAR && strchr("]),", b->op) ? closing(b, out, base) : FAILED;
        }
    }
    b->n_item = base;
    return wk_bc_syntax(b);
}
