/* wk_bc_run.c - runs what bc's parser made
 *
 * Values are on one stack, calls on another; what parameters and local names hide is kept on a third and
 * put back at the end of the call. An error ends the line and all calls in progress.
 */
#include "base/num.h"
#include "builtins/bc.h"

#include <stdarg.h>

/* ---- output -------------------------------------------------------------------------------------------- */

void wk_bc_out(struct bc *b, char ch)
{
    if (ch == '\n') {
        b->column = 0;
    } else if (b->width && ++b->column == b->width) {
        wk_out_put(b->c->out, "\\\n", 2);
        b->column = 1;
    }
    wk_out_char(b->c->out, ch);
}

static void out_char(void *ctx, char ch)
{
    wk_bc_out((struct bc *)ctx, ch);
}

static void out_number(struct bc *b, struct wk_dec *x)
{
    wk_dec_write(b->c, x, b->obase, false, out_char, b);
}

static void out_text(struct bc *b, const struct bc_ins *i, bool escapes)
{
    for (size_t k = 0; k < i->n; k++) {
        char ch = i->text[k];
        if (!escapes || ch != '\\') {
            wk_bc_out(b, ch);
            continue;
        }
        if (k + 1 == i->n)
            break;
        static const char from[] = "abfnqrt\\", to[] = "\a\b\f\n\"\r\t\\";
        const char *at = strchr(from, i->text[++k]);
        if (at && *at)
            wk_bc_out(b, to[at - from]);
    }
}

/* ---- stacks -------------------------------------------------------------------------------------------- */

static void push(struct bc *b, struct wk_dec *x)
{
    BC_ROOM(b, b->stack, b->n_stack, b->stack_cap);
    b->stack[b->n_stack++] = x;
}

static struct wk_dec *pop(struct bc *b)
{
    return b->stack[--b->n_stack];
}

static struct wk_dec **top(struct bc *b, size_t below)
{
    return &b->stack[b->n_stack - 1 - below];
}

/* The topmost value is gone, the one then topmost becomes x. */
static void replace(struct bc *b, size_t drop, struct wk_dec *x)
{
    for (size_t i = 0; i < drop; i++)
        wk_dec_unref(b->c, pop(b));
    push(b, x);
}

static struct bc_frame *frame(struct bc *b)
{
    return &b->frame[b->n_frame - 1];
}

static WK_PRINTF(4, 0) void say(struct bc *b, const char *kind, uint32_t adr, const char *fmt, va_list args)
{
    struct wk_buf t;
    wk_buf_init(&t, wk_heap_mem(b->c->heap), SIZE_MAX / 2);
    wk_buf_vfmt(&t, fmt, args);
    char *text = wk_keep(b->c, &t);
    const struct bc_function *f = frame(b)->f;
    wk_out_flush(b->c->out);
    wk_out_fmt(b->c->err, "Runtime %s (func=%s, adr=%u): %s\n", kind, f == &b->top ? "(main)" : f->name, adr, text);
    wk_heap_free(b->c->heap, text);
}

static WK_PRINTF(3, 4) void warning(struct bc *b, uint32_t adr, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(b, "warning", adr, fmt, args);
    va_end(args);
}

static WK_PRINTF(3, 4) bool failure(struct bc *b, uint32_t adr, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(b, "error", adr, fmt, args);
    va_end(args);
    return false;
}

/* ---- variables ----------------------------------------------------------------------------------------- */

static struct wk_dec *load(struct bc *b, uint32_t id)
{
    switch (id) {
    case BC_IBASE:
        return wk_dec_int(b->c, b->ibase);
    case BC_OBASE:
        return wk_dec_int(b->c, b->obase);
    case BC_SCALE:
        return wk_dec_int(b->c, b->scale);
    case BC_HISTORY:
        return wk_dec_int(b->c, b->history);
    default:
        return wk_dec_ref(b->var[id] ? b->var[id] : b->zero);
    }
}

static uint32_t bounded(struct bc *b, uint32_t adr, const struct wk_dec *x, const char *what, int64_t low, int64_t high)
{
    int64_t v = 0;
    bool fits = wk_dec_i64(x, &v) && (v || wk_dec_zero(x)); /* below 1 counts as too large */
    if (x->minus || (fits && v < low)) {
        if (x->minus)
            warning(b, adr, "negative %s, set to %u", what, (unsigned)low);
        else
            warning(b, adr, "%s too small, set to %u", what, (unsigned)low);
        return (uint32_t)low;
    }
    if (!fits || v > high) {
        warning(b, adr, "%s too large, set to %u", what, (unsigned)high);
        return (uint32_t)high;
    }
    return (uint32_t)v;
}

/* Takes the reference. */
static void store(struct bc *b, uint32_t adr, uint32_t id, struct wk_dec *x)
{
    if (id == BC_IBASE)
        b->ibase = bounded(b, adr, x, "ibase", 2, b->standard ? 16 : 36);
    else if (id == BC_OBASE)
        b->obase = bounded(b, adr, x, "obase", 2, BC_BASE_MAX);
    else if (id == BC_SCALE)
        b->scale = bounded(b, adr, x, "scale", 0, INT32_MAX);
    else if (id == BC_HISTORY)
        (void)wk_dec_i64(x, &b->history);
    if (id < BC_LAST) {
        wk_dec_unref(b->c, x);
        return;
    }
    wk_dec_unref(b->c, b->var[id]);
    b->var[id] = x;
}

static struct bc_array *array_of(struct bc *b, uint32_t id)
{
    if (!b->array[id])
        b->array[id] = wk_bc_array_new(b);
    return b->array[id];
}

/* The subscript on the top of the stack, `below` values down. */
static bool subscript(struct bc *b, const struct bc_ins *i, size_t below, uint32_t *at)
{
    int64_t v;
    struct wk_dec *x = *top(b, below);
    if (!wk_dec_i64(x, &v) || v < 0 || v > BC_DIM_MAX || (v == 0 && !wk_dec_zero(x)))
        return failure(b, i->adr, "Array %s subscript out of bounds.", b->array_name[i->arg]);
    *at = (uint32_t)v;
    return true;
}

static struct wk_dec *stepped(struct bc *b, struct wk_dec *gone, bool up)
{
    struct wk_dec *r = wk_dec_add(b->c, gone, b->one, !up);
    wk_dec_unref(b->c, gone);
    return r;
}

static void step_variable(struct bc *b, const struct bc_ins *i)
{
    bool up = i->op == 'i';
    if (i->arg < BC_SCALE + 1 && i->arg != BC_SCALE) {
        uint32_t *v = i->arg == BC_IBASE ? &b->ibase : &b->obase;
        uint32_t low = 2, high = i->arg == BC_IBASE ? 36 : BC_BASE_MAX;
        const char *what = i->arg == BC_IBASE ? "ibase" : "obase";
        if (up ? *v < high : *v > low)
            *v += up ? 1 : -1U;
        else
            warning(b, i->adr, up ? "%s too big in ++" : "%s too small in --", what);
    } else if (i->arg == BC_SCALE) {
        if (up ? b->scale < INT32_MAX : b->scale > 0)
            b->scale += up ? 1 : -1U;
        else
            warning(b, i->adr, up ? "Scale too big in ++" : "scale can not be negative in -- ");
    } else if (i->arg == BC_HISTORY) {
        b->history += up ? 1 : -1;
    } else {
        store(b, i->adr, i->arg, stepped(b, load(b, i->arg), up));
    }
}

static bool element(struct bc *b, const struct bc_ins *i)
{
    uint32_t at = 0;
    if (!subscript(b, i, i->op == 'S', &at))
        return false;
    struct bc_array *a = array_of(b, i->arg);
    struct wk_dec *now = wk_bc_array_get(a, at);
    now = wk_dec_ref(now ? now : b->zero);
    if (i->op == 'L') {
        replace(b, 1, now);
    } else if (i->op == 'S') {
        wk_dec_unref(b->c, now);
        struct wk_dec *v = pop(b);
        replace(b, 1, wk_dec_ref(v));
        wk_bc_array_set(b, a, at, v);
    } else {
        wk_bc_array_set(b, a, at, stepped(b, now, i->op == 'A'));
        wk_dec_unref(b->c, pop(b));
    }
    return true;
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static struct bc_hidden *hide(struct bc *b, bool array, uint32_t id)
{
    BC_ROOM(b, b->hidden, b->n_hidden, b->hidden_cap);
    struct bc_hidden *h = &b->hidden[b->n_hidden++];
    *h = (struct bc_hidden){array, id, array ? (void *)b->array[id] : (void *)b->var[id]};
    return h;
}

static void end_call(struct bc *b)
{
    struct bc_frame *f = frame(b);
    while (b->n_hidden > f->saved) {
        struct bc_hidden *h = &b->hidden[--b->n_hidden];
        if (h->array) {
            wk_bc_array_unref(b, b->array[h->id]);
            b->array[h->id] = (struct bc_array *)h->old;
        } else {
            wk_dec_unref(b->c, b->var[h->id]);
            b->var[h->id] = (struct wk_dec *)h->old;
        }
    }
    b->n_frame--;
}

static bool check_arguments(struct bc *b, const struct bc_ins *i, const struct bc_function *f)
{
    size_t at = f->params;
    bool good = true;
    for (size_t k = 0; k < i->n; k++) {
        if (!at) {
            failure(b, i->adr - (uint32_t)(i->n - k), "Parameter number mismatch");
            return false;
        }
        if ((i->text[k] == '1') != (f->v[at - 1].kind != 'v')) {
            good = failure(b, i->adr - (uint32_t)(i->n - k), "Parameter type mismatch%s parameter %s.",
                           i->text[k] == '1' ? "," : "", f->v[at - 1].name);
            continue;
        }
        at--;
    }
    return at ? failure(b, i->adr, "Parameter number mismatch") : good;
}

static bool call(struct bc *b, const struct bc_ins *i)
{
    struct bc_function *f = b->function[i->arg];
    if (!f->defined)
        return failure(b, i->adr - (uint32_t)i->n - 1, "Function %s not defined.", f->name);
    if (!check_arguments(b, i, f))
        return false;
    size_t saved = b->n_hidden, base = b->n_stack - f->params;
    /* Arrays that are handed over are taken before any name is hidden. */
    for (size_t k = f->params; k-- > 0;) {
        const struct bc_param *p = &f->v[k];
        void *new_value = b->stack[base + k];
        if (p->kind != 'v') {
            int64_t id = 0;
            (void)wk_dec_i64(b->stack[base + k], &id);
            struct bc_array *a = array_of(b, (uint32_t)id);
            wk_dec_unref(b->c, b->stack[base + k]);
            if (p->kind == 'r')
                a->refs++;
            else
                a = wk_bc_array_copy(b, a);
            new_value = a;
        }
        BC_ROOM(b, b->hidden, b->n_hidden, b->hidden_cap);
        b->hidden[b->n_hidden++] = (struct bc_hidden){p->kind != 'v', p->id, new_value};
    }
    for (size_t k = saved; k < b->n_hidden; k++) {
        struct bc_hidden *h = &b->hidden[k];
        void *new_value = h->old;
        if (h->array) {
            h->old = b->array[h->id];
            b->array[h->id] = (struct bc_array *)new_value;
        } else {
            h->old = b->var[h->id];
            b->var[h->id] = (struct wk_dec *)new_value;
        }
    }
    b->n_stack = base;
    for (size_t k = f->params; k < f->n; k++) {
        (void)hide(b, f->v[k].kind != 'v', f->v[k].id);
        if (f->v[k].kind == 'v')
            b->var[f->v[k].id] = NULL;
        else
            b->array[f->v[k].id] = NULL;
    }
    BC_ROOM(b, b->frame, b->n_frame, b->frame_cap);
    b->frame[b->n_frame++] = (struct bc_frame){f, 0, saved};
    return true;
}

/* ---- functions of the language ------------------------------------------------------------------------- */

static int next_byte(struct bc *b)
{
    if (b->p == b->end || b->in != b->c->in) {
        char ch;
        return wk_in_read(b->c->in, &ch, 1) ? (unsigned char)ch : -1;
    }
    return (unsigned char)*b->p++;
}

/* A number from standard input, 0 at its end or for what is none. */
static struct wk_dec *read_number(struct bc *b)
{
    char *text = NULL;
    size_t n = 0, cap = 0;
    bool point = false;
    int ch = next_byte(b);
    while (ch == ' ' || ch == '\t' || ch == '\n')
        ch = next_byte(b);
    if (ch == '-' || ch == '+') {
        BC_ROOM(b, text, n, cap);
        if (ch == '-')
            text[n++] = '-';
        ch = next_byte(b);
    }
    for (;; ch = next_byte(b)) {
        if (ch == '\\') {
            ch = next_byte(b);
            if (ch == '\n')
                continue;
            break;
        }
        if (!((ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z') || (ch == '.' && !point)))
            break;
        point = point || ch == '.';
        BC_ROOM(b, text, n, cap);
        text[n++] = (char)ch;
    }
    bool none = n == 0 || (n == 1 && (text[0] == '-' || text[0] == '.'));
    struct wk_dec *r = none ? wk_dec_int(b->c, 0) : wk_dec_read(b->c, wk_str(text, n), b->ibase);
    wk_heap_free(b->c->heap, text);
    return r;
}

static bool builtin(struct bc *b, const struct bc_ins *i)
{
    struct wk_dec *r;
    switch ((char)i->arg) {
    case 'I':
        push(b, read_number(b));
        return true;
    case 'X':
        b->random = b->random * 6364136223846793005U + 1442695040888963407U;
        push(b, wk_dec_int(b->c, (int64_t)(b->random >> 33)));
        return true;
    case 'L':
        r = wk_dec_int(b->c, (int64_t)wk_dec_length(*top(b, 0)));
        break;
    case 'S':
        r = wk_dec_int(b->c, (int64_t)(*top(b, 0))->scale);
        break;
    default:
        r = wk_dec_sqrt(b->c, *top(b, 0), b->scale);
        if (!r)
            return failure(b, i->adr, "Square root of a negative number");
    }
    replace(b, 1, r);
    return true;
}

static struct wk_dec *power(struct bc *b, const struct bc_ins *i, struct wk_dec *x, const struct wk_dec *y)
{
    int64_t e;
    if (y->scale)
        warning(b, i->adr, "non-zero scale in exponent");
    if (!wk_dec_i64(y, &e) || (e && wk_dec_length(x) > 1 && (e > INT32_MAX || e < -(int64_t)INT32_MAX))) {
        failure(b, i->adr, "exponent too large in raise");
        return NULL;
    }
    struct wk_dec *r = wk_dec_raise(b->c, x, e, b->scale);
    if (!r)
        failure(b, i->adr, "divide by zero");
    return r;
}

static bool arithmetic(struct bc *b, const struct bc_ins *i)
{
    struct wk_dec *y = *top(b, 0), *x = *top(b, 1), *r = NULL;
    switch (i->op) {
    case '+':
    case '-':
        r = wk_dec_add(b->c, x, y, i->op == '-');
        break;
    case '*':
        r = wk_dec_mul(b->c, x, y, b->scale);
        break;
    case '/':
        r = wk_dec_div(b->c, x, y, b->scale);
        if (!r)
            return failure(b, i->adr, "Divide by zero");
        break;
    case '%':
        r = wk_dec_mod(b->c, x, y, b->scale, NULL);
        if (!r)
            return failure(b, i->adr, "Modulo by zero");
        break;
    default:
        r = power(b, i, x, y);
        if (!r)
            return false;
    }
    replace(b, 2, r);
    return true;
}

static void compare(struct bc *b, char op)
{
    int d = wk_dec_compare(*top(b, 1), *top(b, 0));
    bool r = op == '=' ? d == 0 : op == '#' ? d != 0 : op == '<' ? d < 0
           : op == '>' ? d > 0  : op == '{' ? d <= 0 : d >= 0;
    replace(b, 2, wk_dec_ref(r ? b->one : b->zero));
}

static void constant(struct bc *b, struct bc_ins *i)
{
    if (!i->value || i->base != b->ibase) {
        wk_dec_unref(b->c, i->value);
        i->value = NULL;
        i->value = wk_dec_read(b->c, wk_str(i->text, i->n), b->ibase);
        i->base = b->ibase;
    }
    push(b, wk_dec_ref(i->value));
}

static void jump(struct bc *b, uint32_t label)
{
    frame(b)->pc = frame(b)->f->code.label[label];
}

/* ---- steps --------------------------------------------------------------------------------------------- */

static void drop_top(struct bc *b)
{
    wk_dec_unref(b->c, pop(b));
}

/* Steps that only touch the stack. */
static void stack_step(struct bc *b, const struct bc_ins *i)
{
    struct wk_dec *x = *top(b, 0);
    bool zero;
    switch (i->op) {
    case 'n':
        replace(b, 1, wk_dec_negate(b->c, x));
        break;
    case '!':
        replace(b, 1, wk_dec_ref(wk_dec_zero(x) ? b->one : b->zero));
        break;
    case 'D':
        push(b, wk_dec_ref(x));
        break;
    case 'x':
        *top(b, 0) = *top(b, 1);
        *top(b, 1) = x;
        break;
    case 'p':
        drop_top(b);
        break;
    case 'Z':
    case 'B':
        zero = wk_dec_zero(x);
        drop_top(b);
        if (zero == (i->op == 'Z'))
            jump(b, i->arg);
        break;
    default: /* W, P: print */
        out_number(b, x);
        if (i->op == 'W')
            wk_bc_out(b, '\n');
        wk_dec_unref(b->c, b->var[BC_LAST]);
        b->var[BC_LAST] = wk_dec_ref(x);
        drop_top(b);
    }
}

/* One step; false ends the line. */
static bool step(struct bc *b, struct bc_ins *i)
{
    switch (i->op) {
    case '0':
    case '1':
        push(b, wk_dec_ref(i->op == '1' ? b->one : b->zero));
        return true;
    case 'K':
        constant(b, i);
        return true;
    case 'a': /* number of an array */
        if (!i->value)
            i->value = wk_dec_int(b->c, i->arg);
        push(b, wk_dec_ref(i->value));
        return true;
    case 'l':
        push(b, load(b, i->arg));
        return true;
    case 's':
        store(b, i->adr, i->arg, wk_dec_ref(*top(b, 0)));
        return true;
    case 'i':
    case 'd':
        step_variable(b, i);
        return true;
    case 'L':
    case 'S':
    case 'A':
    case 'M':
        return element(b, i);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '^':
        return arithmetic(b, i);
    case '=':
    case '#':
    case '<':
    case '>':
    case '{':
    case '}':
        compare(b, i->op);
        return true;
    case 'J':
        jump(b, i->arg);
        return true;
    case 'C':
        return call(b, i);
    case 'R':
        end_call(b);
        return true;
    case 'c':
        return builtin(b, i);
    case 'w':
    case 'O':
        out_text(b, i, i->op == 'O');
        return true;
    case 'h':
        wk_exit(b->c, 0);
    default:
        stack_step(b, i);
        return true;
    }
}

void wk_bc_run(struct bc *b)
{
    if (!b->top.code.n)
        return;
    BC_ROOM(b, b->frame, b->n_frame, b->frame_cap);
    b->frame[b->n_frame++] = (struct bc_frame){&b->top, 0, b->n_hidden};
    for (bool go = true; go && frame(b)->pc < frame(b)->f->code.n;) {
        struct bc_frame *f = frame(b);
        wk_tick(b->c, 1);
        go = step(b, &f->f->code.v[f->pc++]);
    }
    while (b->n_frame)
        end_call(b);
    while (b->n_stack)
        drop_top(b);
    wk_out_flush(b->c->out);
}
