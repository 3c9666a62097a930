/* arith.c - arithmetic: a walk over the tree that the parser made, with integers kept as integers
 */
#include "interp/arith.h"

#include "interp/arith_op.h"
#include "interp/expand.h"
#include "interp/run.h"
#include "interp/shared.h"
#include "interp/vars_array.h"
#include "interp/vars_special.h"

enum { LEVEL_MAX = 1024 }; /* variables whose values are expressions with variables … */

/* An evaluation. After a failure `flow` says which, and every function returns at once. */
struct ctx {
    struct wk_shell *sh;
    enum wk_flow flow;
    unsigned level;
    struct wk_str text;            /* the expression, for messages; unless it is `plain` */
    const struct wk_arith *plain;  /* without operands; else NULL */
    const struct wk_arith *source; /* with operands; else NULL */
    const struct wk_str *operands;
    const int64_t *values; /* of the operands when all are numbers */
    const struct wk_asub *sub; /* a subscript in progress: an expression of its own for messages */
};

/* Flags that keep a variable's number from being read or stored directly. */
#define NOT_PLAIN                                                                      \
    (WK_VAR_READONLY | WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL | WK_VAR_NAMEREF | \
     WK_VAR_ARRAY | WK_VAR_ASSOC | WK_VAR_DYNAMIC | WK_VAR_NOASSIGN | WK_VAR_HOOK | WK_VAR_EXPORT)

static int64_t eval(struct ctx *c, const struct wk_anode *n);
static enum wk_flow eval_text(struct wk_shell *sh, struct wk_str text, unsigned level,
                              int64_t *out);

/* ---- errors
 * -------------------------------------------------------------------------------------- */

static struct wk_str without_blanks(struct wk_str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = wk_str_from(s, 1);
    return s;
}

static WK_COLD int64_t fail(struct ctx *c, struct wk_str text, const char *msg, struct wk_str token)
{
    struct wk_shell *sh = c->sh;
    const char *who = sh->builtin_name;
    text = without_blanks(text);
    wk_sh_error(sh, "%s%s%.*s: %s (error token is \"%.*s\")", who ? who : "", who ? ": " : "",
                (int)text.n, text.p, msg, (int)token.n, token.p);
    c->flow = wk_sh_discard_as(sh, 0);
    return 0;
}

static int64_t fail_err(struct ctx *c, int err)
{
    c->flow = wk_sh_fail(c->sh, err);
    if (c->flow == WK_NEXT)
        c->flow = wk_sh_discard_as(c->sh, 0);
    return 0;
}

static int64_t fail_unbound(struct ctx *c, uint32_t name)
{
    wk_sh_error(c->sh, "%s: unbound variable", wk_names_str(c->sh->names, name).p);
    c->flow = wk_sh_expansion_failed(c->sh);
    return 0;
}

/* Has the variable behind the name no value at all? An array that has some is bound, whichever element
 * is asked for. */
static bool unbound(struct wk_shell *sh, uint32_t *name)
{
    struct wk_str sub = {0};
    const struct wk_var *v = wk_var_peek(sh, *name);
    if (v && v->flags & WK_VAR_NAMEREF) {
        if (wk_var_resolve(sh, name, &sub) != 0)
            return false;
        v = wk_var_peek(sh, *name);
    }
    return !v || !(v->flags & (WK_VAR_SET | WK_VAR_DYNAMIC));
}

/* ---- expressions with expansions in them
 * ---------------------------------------------------------- */

/* The text that the expression has become: literal pieces and the operands' values. In the arena.
 */
static bool join(struct wk_shell *sh, const struct wk_word *w, const struct wk_str *operands,
                 struct wk_str *out)
{
    struct wk_buf b;
    uint32_t k = 0;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    for (uint32_t i = 0; i < w->n_segs; i++) {
        const struct wk_seg *s = &w->segs[i];
        wk_buf_puts(&b, s->kind == WK_SEG_LIT ? wk_str(s->text, s->text_len) : operands[k++]);
    }
    char *p = b.failed ? NULL : wk_arena_strndup(&sh->arena, wk_buf_c(&b), b.n);
    *out = wk_str(p, b.n);
    wk_buf_release(&b);
    return p != NULL;
}

/* The node of tree b that stands where `target` stands in tree a of the same shape. */
static const struct wk_anode *counterpart(const struct wk_anode *a, const struct wk_anode *b,
                                          const struct wk_anode *target, unsigned depth)
{
    const struct wk_anode *r;
    if (a == target || !a || !b)
        return a ? b : NULL;
    if (a->kind != b->kind || a->kind == WK_A_NUM || a->kind == WK_A_VAR ||
        a->kind == WK_A_OPERAND || depth > 200)
        return NULL;
    r = counterpart(a->u.k.a, b->u.k.a, target, depth + 1);
    if (!r)
        r = counterpart(a->u.k.b, b->u.k.b, target, depth + 1);
    return r ? r : counterpart(a->u.k.c, b->u.k.c, target, depth + 1);
}

/* The subscript in progress as an expression of its own, and the node of it that stands for n (NULL: none). */
static WK_COLD const struct wk_anode *in_subscript(struct ctx *c, const struct wk_anode *n, struct wk_str *text)
{
    struct wk_parse_opts o;
    struct wk_anode *root;
    *text = c->sub->text;
    if (c->sub->n_operands && c->operands && !join(c->sh, c->sub->word, c->operands + c->sub->first_operand, text))
        return NULL;
    wk_text_parse_opts(c->sh, &o);
    if (wk_arith_parse_text(&o, &c->sh->arena, *text, &root) != 0)
        return NULL;
    return counterpart(c->sub->index, root, n, 0);
}

/* Messages show what the expression has become, without quotes. */
static struct wk_str text_of(const struct ctx *c)
{
    if (!c->plain)
        return c->text;
    const struct wk_word *w = c->plain->word;
    return w->n_segs == 1 ? wk_str(w->segs[0].text, w->segs[0].text_len) : c->plain->text;
}

static WK_COLD int64_t fail_divide(struct ctx *c, const struct wk_anode *n, const char *msg)
{
    struct wk_str text = text_of(c);
    uint32_t pos = n->pos;
    if (c->sub) {
        const struct wk_anode *same = in_subscript(c, n, &text);
        pos = same ? same->pos : (uint32_t)text.n;
    } else if (c->source) {
        struct wk_parse_opts o;
        struct wk_anode *root;
        if (!join(c->sh, c->source->word, c->operands, &text)) {
            c->flow = wk_sh_nomem(c->sh);
            return 0;
        }
        wk_text_parse_opts(c->sh, &o);
        const struct wk_anode *same = NULL;
        if (wk_arith_parse_text(&o, &c->sh->arena, text, &root) == 0)
            same = counterpart(c->source->root, root, n, 0);
        pos = same ? same->pos : (uint32_t)text.n;
    }
    return fail(c, text, msg, wk_str_from(text, pos));
}

/* ---- reading variables
 * ------------------------------------------------------------------------------- */

/* A plain decimal number. */
static bool plain_number(struct wk_str s, int64_t *out)
{
    size_t i = 0;
    bool minus = false;
    if (s.n && (s.p[0] == '-' || s.p[0] == '+')) {
        minus = s.p[0] == '-';
        i = 1;
    }
    if (i >= s.n || s.n > 19 || (s.p[i] == '0' && s.n > i + 1))
        return false;
    uint64_t v = 0;
    for (; i < s.n; i++) {
        unsigned d = (unsigned char)s.p[i] - (unsigned)'0';
        if (d > 9)
            return false;
        v = v * 10 + d;
    }
    *out = minus ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

struct deep_text {
    struct wk_shell *sh;
    struct wk_str text;
    unsigned level;
    int64_t value;
};

static int text_further(void *arg)
{
    struct deep_text *d = arg;
    return (int)eval_text(d->sh, d->text, d->level, &d->value);
}

static int64_t text_value(struct ctx *c, struct wk_str s)
{
    int64_t v = 0;
    if (WK_LIKELY(plain_number(s, &v)))
        return v;
    if (c->level >= LEVEL_MAX)
        return fail(c, s, "expression recursion level exceeded", s);
    if (WK_UNLIKELY(wk_stack_low(c->sh->task))) {
        struct deep_text d = {.sh = c->sh, .text = s, .level = c->level + 1};
        int flow = WK_STOP;
        if (wk_stack_call(c->sh->task, text_further, &d, &flow) != 0)
            flow = (int)wk_sh_nomem(c->sh);
        c->flow = (enum wk_flow)flow;
        return d.value;
    }
    c->flow = eval_text(c->sh, s, c->level + 1, &v);
    return v;
}

/* A nameref to x[@] or x[*]: there is nothing to read or to store. bash says so and goes on. */
static bool is_nowhere(struct wk_shell *sh, uint32_t name, uint32_t *array)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    if (WK_LIKELY(!v || !(v->flags & WK_VAR_NAMEREF) || !(v->flags & WK_VAR_TEXT)))
        return false;
    struct wk_str s = wk_val_str(v->text), sub;
    if (s.n < 4 || s.p[s.n - 1] != ']' || s.p[s.n - 3] != '[' || (s.p[s.n - 2] != '@' && s.p[s.n - 2] != '*'))
        return false;
    *array = name;
    return wk_var_resolve(sh, array, &sub) == 0;
}

/* A message that passes, unless errors end the shell at once. */
static WK_COLD void told(struct ctx *c)
{
    if (!c->flow)
        c->flow = wk_sh_told(c->sh);
}

static WK_COLD void say_nowhere(struct ctx *c, uint32_t name)
{
    struct wk_shell *sh = c->sh;
    const struct wk_var *v = wk_var_peek(sh, name);
    wk_sh_error(sh, "%s: bad array subscript", v ? wk_val_str(v->text).p : "");
    told(c);
}

static int64_t read_nowhere(struct ctx *c, uint32_t name, uint32_t array)
{
    const struct wk_var *v = wk_var_peek(c->sh, array);
    if (wk_opt(c->sh, NOUNSET) && unbound(c->sh, &array))
        return fail_unbound(c, array);
    if (!v || !(v->flags & WK_VAR_ASSOC))
        say_nowhere(c, name);
    return 0;
}

static WK_NOINLINE int64_t var_value(struct ctx *c, uint32_t name)
{
    struct wk_shell *sh = c->sh;
    uint32_t array;
    if (is_nowhere(sh, name, &array))
        return read_nowhere(c, name, array);
    const struct wk_var *v = wk_var_peek(sh, name);
    if (v && (v->flags & (WK_VAR_TEXT | NOT_PLAIN)) == WK_VAR_TEXT) {
        int64_t n;
        struct wk_str s = wk_val_str(v->text);
        if (plain_number(s, &n)) {
            /* Remembered when the text is what the number prints as. The page may be shared: the
             * variable means the same as before. */
            if (s.p[0] != '+' && !(s.p[0] == '-' && n == 0)) {
                struct wk_var *w =
                    &sh->st->pages[name / WK_PAGE_SLOTS]->slots[name % WK_PAGE_SLOTS];
                w->ival = n;
                w->flags |= WK_VAR_INT;
            }
            return n;
        }
    }
    char scratch[24];
    struct wk_str s;
    if (!wk_var_get(sh, name, scratch, &s)) {
        uint32_t last = name;
        if (!wk_opt(sh, NOUNSET) || (!unbound(sh, &last) && last != name))
            return 0; /* a reference to an element is bound as its array is */
        return fail_unbound(c, last);
    }
    char *copy = NULL;
    int64_t n;
    if (plain_number(s, &n))
        return n;
    /* The expression may change the variable that holds its text. */
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    copy = wk_arena_strndup(&sh->arena, s.p, s.n);
    if (!copy) {
        c->flow = wk_sh_nomem(sh);
        return 0;
    }
    n = text_value(c, wk_str(copy, s.n));
    wk_arena_rewind(&sh->arena, mark);
    return n;
}

static inline int64_t read_var(struct ctx *c, uint32_t name)
{
    const struct wk_var *v = wk_var_peek(c->sh, name);
    if (WK_LIKELY(v && (v->flags & (WK_VAR_INT | WK_VAR_NAMEREF | WK_VAR_DYNAMIC)) == WK_VAR_INT))
        return v->ival;
    return var_value(c, name);
}

enum wk_flow wk_var_int(struct wk_shell *sh, uint32_t name, int64_t *out)
{
    struct ctx c = {.sh = sh};
    *out = read_var(&c, name);
    return c.flow;
}

/* ---- elements
 * ------------------------------------------------------------------------------------------ */

/* Where x[sub] is. */
struct place {
    uint32_t name;
    bool assoc, whole; /* whole: the variable itself, a nameref's element or [@] */
    int64_t index;
    struct wk_str key;
    uint8_t nowhere; /* not 0: it reads as 0, and nothing is stored; bash says so and goes on */
    bool told;
};

enum {
    AT_ALL = 1, /* [@] or [*] of an array with numbers */
    AT_EMPTY,   /* [] */
    AT_NO_KEY   /* a key that is empty */
};

/* The key of an associative array: the subscript's word with the operands' values in place. */
static bool find_key(struct ctx *c, const struct wk_asub *sub, struct place *p)
{
    struct wk_shell *sh = c->sh;
    bool exact = wk_shopt(sh, ASSOC_EXPAND_ONCE) && !c->level && !sub->n_operands &&
                 sh->builtin_name && strcmp(sh->builtin_name, "let") == 0;
    if (!sub->word || exact) { /* let has expanded it once */
        p->key = sub->text;
        return true;
    }
    if (!sub->n_operands) {
        c->flow = wk_expand_string(sh, sub->word, WK_EXPAND_STRING, &p->key);
        return c->flow == WK_NEXT;
    }
    if (c->operands && join(sh, sub->word, c->operands + sub->first_operand, &p->key))
        return true;
    c->flow = wk_sh_nomem(sh);
    return false;
}

/* The index that a subscript gives. Its errors are told as those of an expression of its own, and are not the
 * construct's around it: they abandon the main text's command. */
static bool find_index(struct ctx *c, const struct wk_asub *sub, int64_t *index)
{
    struct wk_shell *sh = c->sh;
    const struct wk_asub *outer = c->sub;
    const char *who = sh->builtin_name;
    sh->builtin_name = NULL;
    if (sub->index) {
        c->sub = sub;
        *index = eval(c, sub->index);
        c->sub = outer;
    } else {
        struct wk_str text;
        c->flow = wk_expand_string(sh, sub->word, WK_EXPAND_STRING, &text);
        if (c->flow == WK_NEXT)
            c->flow = eval_text(sh, text, c->level + 1, index);
    }
    sh->builtin_name = who;
    if (WK_UNLIKELY(c->flow == WK_ABORT))
        sh->abort_all = true;
    return c->flow == WK_NEXT;
}

static WK_COLD void say_bad_subscript(struct ctx *c, const struct wk_anode *n)
{
    struct wk_str sub = n->u.sub->text;
    wk_sh_error(c->sh, "%s[%.*s]: bad array subscript", wk_names_str(c->sh->names, n->id).p, (int)sub.n, sub.p);
    told(c);
}

static bool find_place(struct ctx *c, const struct wk_anode *n, struct place *p)
{
    struct wk_shell *sh = c->sh;
    const struct wk_asub *sub = n->u.sub;
    *p = (struct place){.name = n->id};
    const struct wk_var *v = wk_var_peek(sh, p->name);
    if (v && v->flags & WK_VAR_NAMEREF) {
        struct wk_str inner;
        int r = wk_var_resolve(sh, &p->name, &inner);
        if (r && r != -WK_EPERM) {
            fail_err(c, r);
            return false;
        }
        if (r || inner.p) /* neither a circle nor an element has elements: the variable's functions know */
            p->name = n->id;
        v = wk_var_peek(sh, p->name);
    }
    if (v && v->flags & WK_VAR_ASSOC) {
        p->assoc = true;
        if (!find_key(c, sub, p))
            return false;
        if (p->key.n)
            return true;
    } else if (sub->kind == WK_SUB_EXPR && (sub->index || sub->n_operands || sub->text.n)) {
        return find_index(c, sub, &p->index);
    }
    p->nowhere = sub->kind != WK_SUB_EXPR ? AT_ALL : sub->text.n ? AT_NO_KEY : AT_EMPTY;
    if (p->nowhere == AT_ALL)
        say_bad_subscript(c, n);
    return c->flow == WK_NEXT;
}

static WK_COLD void say_read_nowhere(struct ctx *c, const struct wk_anode *n, const struct place *p)
{
    if (p->nowhere == AT_NO_KEY) {
        wk_sh_error(c->sh, "%s: bad array subscript", wk_names_str(c->sh->names, n->id).p);
        told(c);
    }
    for (int i = 0; i < 2 && p->nowhere == AT_EMPTY && !c->flow; i++)
        say_bad_subscript(c, n);
}

static WK_COLD void say_write_nowhere(struct ctx *c, const struct wk_anode *n, const struct place *p)
{
    const char *who = c->sh->builtin_name;
    if (p->nowhere == AT_EMPTY)
        wk_sh_error(c->sh, "%s%s`%s[]': not a valid identifier", who ? who : "", who ? ": " : "",
                    wk_names_str(c->sh->names, n->id).p);
    else if (!p->told)
        say_bad_subscript(c, n);
}

static int64_t read_place(struct ctx *c, const struct wk_anode *at, const struct place *p)
{
    struct wk_shell *sh = c->sh;
    if (WK_UNLIKELY(p->nowhere)) {
        say_read_nowhere(c, at, p);
        return 0;
    }
    const struct wk_var *v = wk_var_peek(sh, p->name);
    const uint32_t mask = WK_VAR_ARRAY | WK_VAR_DYNAMIC;
    if (v && (v->flags & mask) == WK_VAR_ARRAY && v->array && p->index >= 0) {
        const struct wk_elem_value *e = wk_array_at(v->array, p->index);
        if (e && e->text == WK_ELEM_NUMBER)
            return e->ival;
    }
    char scratch[24];
    struct wk_str s;
    bool set;
    int r = p->assoc ? wk_var_key_get(sh, p->name, p->key, scratch, &s, &set)
                     : wk_var_elem_get(sh, p->name, p->index, scratch, &s, &set);
    if (r == -WK_EPERM) {
        told(c);
        return 0;
    }
    if (r)
        return fail_err(c, r);
    uint32_t name = p->name;
    if (!set && wk_opt(sh, NOUNSET) && unbound(sh, &name))
        return fail_unbound(c, name);
    int64_t n;
    if (!set || plain_number(s, &n))
        return set ? n : 0;
    char *copy = wk_arena_strndup(&sh->arena, s.p, s.n);
    if (copy)
        return text_value(c, wk_str(copy, s.n));
    c->flow = wk_sh_nomem(sh);
    return 0;
}

/* An array that is readonly counts as set when an expression has tried to assign to it. */
static void refuse_write(struct ctx *c, uint32_t name, int r)
{
    const uint32_t arrays = WK_VAR_ARRAY | WK_VAR_ASSOC;
    const struct wk_var *v = wk_var_peek(c->sh, name);
    struct wk_var *own = r == -WK_EPERM && v && v->flags & arrays ? wk_var_own(c->sh, name) : NULL;
    if (own)
        own->flags |= WK_VAR_SET;
    fail_err(c, r);
}

/* FUNCNAME, GROUPS…: an assignment fails, without a message. */
static bool refuses(const struct ctx *c, uint32_t name)
{
    const struct wk_var *v = wk_var_peek(c->sh, name);
    return WK_UNLIKELY(v && v->flags & WK_VAR_NOASSIGN);
}

static void write_place(struct ctx *c, const struct wk_anode *n, const struct place *p, int64_t v)
{
    char digits[24];
    if (WK_UNLIKELY(p->nowhere)) {
        say_write_nowhere(c, n, p);
        return;
    }
    if (refuses(c, p->name)) {
        fail_err(c, -WK_EPERM);
        return;
    }
    int r = p->assoc ? wk_var_key_set(c->sh, p->name, p->key,
                                      wk_str(digits, wk_i64_text(v, digits)), false)
                     : wk_var_elem_set_int(c->sh, p->name, p->index, v);
    const struct wk_var *var = r == -WK_EPERM ? wk_var_peek(c->sh, p->name) : NULL;
    if (WK_UNLIKELY(r == -WK_EPERM && (!var || !(var->flags & WK_VAR_READONLY)))) {
        told(c); /* there is no such element */
        return;
    }
    if (r)
        refuse_write(c, p->name, r);
}

/* A function's reference to its own name means the global variable, whose place is taken: bash tells of it as often as
 * it looks. */
static bool enter_circle(struct ctx *c, uint32_t name, int more)
{
    if (WK_LIKELY(!wk_var_enter_self(c->sh, name)))
        return false;
    for (int i = 0; i < more; i++)
        wk_var_warn_circular(c->sh, name);
    return true;
}

static int64_t read_elem(struct ctx *c, const struct wk_anode *n)
{
    struct place p;
    uint32_t name = n->id;
    if (WK_UNLIKELY(wk_opt(c->sh, NOUNSET)) && unbound(c->sh, &name))
        return fail_unbound(c, name);
    bool self = enter_circle(c, n->id, 1);
    int64_t v = find_place(c, n, &p) ? read_place(c, n, &p) : 0;
    if (WK_UNLIKELY(self))
        wk_var_swap_global(c->sh, n->id);
    return v;
}

/* ---- operators
 * -------------------------------------------------------------------------------------------- */

static int64_t divide(struct ctx *c, const struct wk_anode *n, bool mod, int64_t a, int64_t b)
{
    return b ? wk_arith_op(mod ? WK_AOP_MOD : WK_AOP_DIV, a, b) : fail_divide(c, n, "division by 0");
}

static inline int64_t apply(struct ctx *c, const struct wk_anode *n, int64_t a, int64_t b)
{
    if (n->op == WK_AOP_DIV || n->op == WK_AOP_MOD)
        return divide(c, n, n->op == WK_AOP_MOD, a, b);
    if (n->op == WK_AOP_POW && b < 0)
        return fail_divide(c, n, "exponent less than 0");
    return wk_arith_op(n->op, a, b);
}

static void write_var(struct ctx *c, uint32_t name, int64_t value)
{
    uint32_t array;
    if (is_nowhere(c->sh, name, &array)) {
        say_nowhere(c, name);
        return;
    }
    if (refuses(c, name)) {
        fail_err(c, -WK_EPERM);
        return;
    }
    bool self = enter_circle(c, name, 1);
    int r = wk_var_set_int(c->sh, name, value);
    if (WK_UNLIKELY(self))
        wk_var_swap_global(c->sh, name);
    if (WK_LIKELY(!r))
        return;
    struct wk_str sub;
    const struct wk_var *v = wk_var_peek(c->sh, name);
    if (r == -WK_EPERM && v && v->flags & WK_VAR_NAMEREF && wk_var_resolve(c->sh, &name, &sub) == 0 && sub.p &&
        !((v = wk_var_peek(c->sh, name)) && v->flags & WK_VAR_READONLY))
        return; /* there is no such element */
    refuse_write(c, name, r);
}

static int64_t assign_elem(struct ctx *c, const struct wk_anode *n, const struct wk_anode *target)
{
    struct place p;
    int64_t v;
    if (n->op == WK_AOP_NONE) { /* bash evaluates the subscript last */
        v = eval(c, n->u.k.b);
        if (c->flow || !find_place(c, target, &p))
            return 0;
        p.told = p.nowhere == AT_ALL;
    } else {
        if (!find_place(c, target, &p))
            return 0;
        int64_t old = read_place(c, target, &p);
        v = c->flow ? 0 : eval(c, n->u.k.b);
        if (!c->flow)
            v = apply(c, n, old, v);
    }
    if (!c->flow)
        write_place(c, target, &p, v);
    return v;
}

static int64_t assign(struct ctx *c, const struct wk_anode *n)
{
    const struct wk_anode *target = n->u.k.a;
    if (!target->u.sub) {
        int64_t old = n->op == WK_AOP_NONE ? 0 : read_var(c, target->id);
        if (c->flow)
            return 0;
        int64_t v = eval(c, n->u.k.b);
        if (c->flow)
            return 0;
        if (n->op != WK_AOP_NONE) {
            v = apply(c, n, old, v);
            if (c->flow)
                return 0;
        }
        write_var(c, target->id, v);
        return v;
    }
    bool self = enter_circle(c, target->id, n->op == WK_AOP_NONE ? 2 : 4);
    int64_t v = assign_elem(c, n, target);
    if (WK_UNLIKELY(self))
        wk_var_swap_global(c->sh, target->id);
    return v;
}

/* ++ and --; by is 1 or -1, and post tells whether the old value is wanted. */
static int64_t step(struct ctx *c, const struct wk_anode *n, int64_t by, bool post)
{
    const struct wk_anode *target = n->u.k.a;
    int64_t old, v;
    if (WK_LIKELY(!target->u.sub)) {
        struct wk_var *w = wk_var_own(c->sh, target->id);
        if (WK_LIKELY(w && (w->flags & (WK_VAR_INT | WK_VAR_TEXT | NOT_PLAIN)) == WK_VAR_INT)) {
            old = w->ival;
            w->ival = v = (int64_t)((uint64_t)old + (uint64_t)by);
            return post ? old : v;
        }
        old = read_var(c, target->id);
        v = (int64_t)((uint64_t)old + (uint64_t)by);
        if (!c->flow)
            write_var(c, target->id, v);
        return post ? old : v;
    }
    bool self = enter_circle(c, target->id, 4);
    struct place p;
    old = v = 0;
    if (find_place(c, target, &p)) {
        old = read_place(c, target, &p);
        v = (int64_t)((uint64_t)old + (uint64_t)by);
        if (!c->flow)
            write_place(c, target, &p, v);
    }
    if (WK_UNLIKELY(self))
        wk_var_swap_global(c->sh, target->id);
    return post ? old : v;
}

static int64_t unary(struct ctx *c, const struct wk_anode *n)
{
    int64_t v = eval(c, n->u.k.a);
    switch (n->op) {
    case WK_AOP_SUB:
        return (int64_t)(0 - (uint64_t)v);
    case WK_AOP_NOT:
        return !v;
    case WK_AOP_COMPL:
        return ~v;
    default:
        return v;
    }
}

static WK_COLD int64_t error_node(struct ctx *c, const struct wk_anode *n)
{
    if (n->u.k.a)
        (void)eval(c, n->u.k.a);
    if (c->flow)
        return 0;
    const struct wk_aerror *e = n->err;
    struct wk_str text = text_of(c);
    if (c->sub) {
        const struct wk_anode *same = in_subscript(c, n, &text);
        if (same && same->kind == WK_A_ERROR)
            e = same->err;
    }
    return fail(c, e->shown.p ? e->shown : text, e->msg, e->token);
}

/* `value`, after a look at the operand that is passed by. */
static WK_COLD int64_t pass_by(struct ctx *c, const struct wk_anode *n, int64_t value)
{
    const struct wk_anode *wrong = wk_arith_passed(c->sh->task, n, c->values);
    return wrong && !c->flow ? fail_divide(c, wrong, "exponent less than 0") : value;
}

/* ---- the walk
 * --------------------------------------------------------------------------------------------- */

struct deep {
    struct ctx *c;
    const struct wk_anode *n;
    int64_t value;
};

static int eval_further(void *arg)
{
    struct deep *d = arg;
    d->value = eval(d->c, d->n);
    return 0;
}

static WK_COLD int64_t eval_deep(struct ctx *c, const struct wk_anode *n)
{
    struct deep d = {.c = c, .n = n};
    int result;
    if (wk_stack_call(c->sh->task, eval_further, &d, &result) != 0)
        c->flow = wk_sh_nomem(c->sh);
    return d.value;
}

static int64_t binary(struct ctx *c, const struct wk_anode *n)
{
    int64_t a = eval(c, n->u.k.a);
    int64_t b = c->flow ? 0 : eval(c, n->u.k.b);
    return WK_UNLIKELY(c->flow) ? 0 : apply(c, n, a, b);
}

static WK_COLD int64_t keep(struct ctx *c, const struct wk_anode *n)
{
    int64_t v = eval(c, n->u.k.a);
    if (!c->flow)
        (void)eval(c, n->u.k.b);
    return v;
}

static int64_t choice(struct ctx *c, const struct wk_anode *n)
{
    bool yes = eval(c, n->u.k.a) != 0;
    if (WK_UNLIKELY(n->op) && !yes)
        (void)pass_by(c, n->u.k.b, 0);
    int64_t v = c->flow ? 0 : eval(c, yes ? n->u.k.b : n->u.k.c);
    return WK_UNLIKELY(n->op) && yes ? pass_by(c, n->u.k.c, v) : v;
}

static int64_t eval(struct ctx *c, const struct wk_anode *n)
{
    if (n->kind == WK_A_NUM)
        return n->u.num;
    if (n->kind == WK_A_VAR && WK_LIKELY(!n->u.sub))
        return read_var(c, n->id);
    if (WK_UNLIKELY(wk_stack_low(c->sh->task)))
        return eval_deep(c, n);
    switch (n->kind) {
    case WK_A_VAR:
        return read_elem(c, n);
    case WK_A_BINARY:
        return binary(c, n);
    case WK_A_OPERAND:
        return c->values[n->u.num];
    case WK_A_UNARY:
        return unary(c, n);
    case WK_A_AND:
        if (eval(c, n->u.k.a))
            return !c->flow && eval(c, n->u.k.b);
        return WK_UNLIKELY(n->op) ? pass_by(c, n->u.k.b, 0) : 0;
    case WK_A_OR:
        if (!eval(c, n->u.k.a))
            return !c->flow && eval(c, n->u.k.b);
        return WK_UNLIKELY(n->op) ? pass_by(c, n->u.k.b, 1) : 1;
    case WK_A_COND:
        return choice(c, n);
    case WK_A_COMMA:
        (void)eval(c, n->u.k.a);
        return c->flow ? 0 : eval(c, n->u.k.b);
    case WK_A_KEEP:
        return keep(c, n);
    case WK_A_ASSIGN:
        return assign(c, n);
    case WK_A_PRE_INC:
        return step(c, n, 1, false);
    case WK_A_PRE_DEC:
        return step(c, n, -1, false);
    case WK_A_POST_INC:
        return step(c, n, 1, true);
    case WK_A_POST_DEC:
        return step(c, n, -1, true);
    default:
        return error_node(c, n);
    }
}

/* ---- entries
 * ------------------------------------------------------------------------------------------------
 */

static enum wk_flow eval_text(struct wk_shell *sh, struct wk_str text, unsigned level, int64_t *out)
{
    struct wk_parse_opts o;
    struct wk_anode *root;
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    wk_text_parse_opts(sh, &o);
    *out = 0;
    int r = wk_arith_parse_text(&o, &sh->arena, text, &root);
    if (r == -WK_ELIMIT)
        return wk_kern_breach(sh->k, WK_LIMIT_NESTING), WK_STOP;
    if (r)
        return wk_sh_nomem(sh);
    struct ctx c = {.sh = sh, .text = text, .level = level};
    *out = eval(&c, root);
    wk_arena_rewind(&sh->arena, mark);
    return c.flow;
}

enum wk_flow wk_arith_discard(struct wk_shell *sh, enum wk_flow flow)
{
    bool wrong;
    flow = wk_sh_arith_flow(sh, flow, &wrong);
    return wrong ? wk_sh_discard_as(sh, WK_DISCARD_ENDS_POSIX) : flow;
}

enum wk_flow wk_arith_text(struct wk_shell *sh, struct wk_str text, int64_t *out)
{
    if (plain_number(text, out))
        return WK_NEXT;
    if (wk_str_is_name(text)) {
        uint32_t name = wk_names_intern(sh->names, text);
        return name == WK_NAME_NONE ? wk_sh_nomem(sh) : wk_var_int(sh, name, out);
    }
    return eval_text(sh, text, 0, out);
}

/* Is an operand that is no number (as text tells) used as one? The key of an associative array may be any text. */
static bool needs_text(struct wk_shell *sh, const struct wk_anode *n, const bool *text, int depth)
{
    if (!n || depth > 200) /* a subscript without a tree; a chain too long to look through */
        return true;
    switch (n->kind) {
    case WK_A_NUM:
        return false;
    case WK_A_OPERAND:
        return text[n->u.num];
    case WK_A_VAR: {
        const struct wk_asub *sub = n->u.sub;
        struct wk_str inner;
        uint32_t name = n->id;
        const struct wk_var *v = wk_var_peek(sh, name);
        if (!sub || !sub->n_operands)
            return false;
        if (v && v->flags & WK_VAR_NAMEREF && wk_var_resolve(sh, &name, &inner) == 0)
            v = wk_var_peek(sh, name);
        return !(v && v->flags & WK_VAR_ASSOC) && needs_text(sh, sub->index, text, depth + 1);
    }
    case WK_A_ERROR:
        return true;
    case WK_A_UNARY:
    case WK_A_PRE_INC:
    case WK_A_PRE_DEC:
    case WK_A_POST_INC:
    case WK_A_POST_DEC:
        return needs_text(sh, n->u.k.a, text, depth + 1);
    default:
        return needs_text(sh, n->u.k.a, text, depth + 1) || needs_text(sh, n->u.k.b, text, depth + 1) ||
               (n->kind == WK_A_COND && needs_text(sh, n->u.k.c, text, depth + 1));
    }
}

/* Expressions with expansions: these first, then numbers into the tree, or all of it as text. */
static enum wk_flow eval_operands(struct wk_shell *sh, const struct wk_arith *e, int64_t *out)
{
    enum { FEW = 8 };
    struct wk_str few[FEW], *operands = few;
    int64_t few_values[FEW], *values = few_values;
    enum wk_flow flow = WK_NEXT;
    if (e->n_operands > FEW) {
        operands = wk_arena_alloc(&sh->arena, e->n_operands * sizeof *operands);
        values = wk_arena_alloc(&sh->arena, e->n_operands * sizeof *values);
        if (!operands || !values)
            return wk_sh_nomem(sh);
    }
    bool few_texts[FEW], *texts = few_texts, numbers = true;
    if (e->n_operands > FEW && !(texts = wk_arena_alloc(&sh->arena, e->n_operands)))
        return wk_sh_nomem(sh);
    uint32_t k = 0;
    const char *who = sh->builtin_name;
    sh->builtin_name = NULL;
    for (uint32_t i = 0; i < e->word->n_segs && flow == WK_NEXT; i++) {
        const struct wk_seg *s = &e->word->segs[i];
        if (s->kind == WK_SEG_LIT)
            continue;
        flow = wk_expand_operand(sh, s, &operands[k]);
        if (flow == WK_NEXT) {
            values[k] = 0;
            texts[k] = !plain_number(operands[k], &values[k]);
            numbers = numbers && !texts[k];
        }
        k++;
    }
    sh->builtin_name = who;
    if (WK_UNLIKELY(flow != WK_NEXT)) {
        sh->operand_failed = flow == WK_ABORT;
        return flow;
    }
    numbers = e->root && (numbers || !needs_text(sh, e->root, texts, 0));
    struct wk_str text;
    if (numbers) {
        struct ctx c = {
            .sh = sh, .text = e->text, .source = e, .operands = operands, .values = values};
        *out = eval(&c, e->root);
        return c.flow;
    }
    return join(sh, e->word, operands, &text) ? eval_text(sh, text, 0, out) : wk_sh_nomem(sh);
}

static WK_NOINLINE enum wk_flow eval_slow(struct wk_shell *sh, const struct wk_arith *e,
                                          int64_t *out)
{
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    enum wk_flow flow;
    struct wk_str text;
    if (e->n_operands) {
        flow = eval_operands(sh, e, out);
    } else {
        flow = wk_expand_string(sh, e->word, WK_EXPAND_HEREDOC, &text);
        if (flow == WK_NEXT)
            flow = eval_text(sh, text, 0, out);
        else
            sh->operand_failed = flow == WK_ABORT;
    }
    wk_arena_rewind(&sh->arena, mark);
    return flow;
}

enum wk_flow wk_arith_eval(struct wk_shell *sh, const struct wk_arith *e, int64_t *out)
{
    *out = 0;
    if (WK_UNLIKELY(!e->root || e->n_operands))
        return eval_slow(sh, e, out);
    struct ctx c = {.sh = sh, .plain = e};
    *out = eval(&c, e->root);
    return c.flow;
}
