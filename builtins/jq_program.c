/* jq_program.c - a jq program from its text to code */
#include "builtins/jq_module.h"

static struct jq_scope *add_global(struct jq *q, struct jq_scope *scope, struct wk_str name, struct jq_val v)
{
    struct jq_scope *s = wk_jq_scope_add(q, scope, JS_CONST, name, JQ_ARITY_VAR);
    s->value = v;
    return s;
}

/* $ARGS, and a variable for each name of the command line. */
static struct jq_scope *globals(struct jq *q)
{
    struct jq_scope *scope = NULL;
    struct jq_val key, v, args = wk_jq_object(q, 2);
    struct jq_val named = q->named.kind == JQ_OBJECT ? jq_copy(q->named) : wk_jq_object(q, 0);
    struct jq_val positional = q->positional.kind == JQ_ARRAY ? jq_copy(q->positional) : wk_jq_array(q, 0);
    args = wk_jq_object_set(q, args, wk_jq_string_valid(q, WK_STR("positional")), positional);
    args = wk_jq_object_set(q, args, wk_jq_string_valid(q, WK_STR("named")), jq_copy(named));
    scope = add_global(q, scope, WK_STR("ARGS"), args);
    for (size_t at = 0; wk_jq_object_next(named, &at, &key, &v);)
        scope = add_global(q, scope, jq_slice(key), jq_copy(v));
    return scope; /* the names live as long as the program: `named` is kept */
}

static struct jq_program *finish(struct jq_program *p, struct jq_text *t, struct wk_buf *messages)
{
    if (t->errors == 0)
        return p;
    wk_buf_fmt(t->messages, "jq: %u compile %s\n", t->errors, t->errors == 1 ? "error" : "errors");
    bool failed = t->messages->failed || !wk_buf_puts(messages, wk_buf_str(t->messages));
    wk_buf_release(t->messages);
    if (failed) {
        wk_buf_release(messages);
        wk_heap_exhausted(t->q->c->heap);
    }
    return NULL;
}

struct jq_program *wk_jq_compile(struct jq *q, struct wk_str text, struct wk_buf *messages)
{
    struct jq_program *p = jq_bump(q, sizeof *p);
    struct jq_text *t = jq_bump(q, sizeof *t);
    if (text.n > UINT32_MAX / 2) {
        wk_buf_put_c(messages, "jq: error: the program is too long\njq: 1 compile error\n");
        return NULL;
    }
    t->q = q;
    t->s = wk_str(wk_heap_strndup(q->c->heap, text.p ? text.p : "", text.n), text.n);
    t->name = "<top-level>";
    t->messages = wk_jq_messages(q);
    wk_jq_parse(t);
    if (t->errors == 0 && !t->main) {
        t->errors++;
        wk_buf_put_c(t->messages, "jq: error: Top-level program not given (try \".\")\n");
    }
    if (t->errors)
        return finish(p, t, messages);
    p->q = q;
    p->globals = wk_jq_home_module(t, globals(q));
    p->globals = wk_jq_imports(t, p->globals, q->origin);
    if (t->errors == 0)
        wk_jq_check(t, p->globals);
    if (t->errors == 0) {
        p->main = (struct jq_fn){.body = t->main, .scope = p->globals};
        (void)wk_jq_code(q, &p->main, false);
    }
    return finish(p, t, messages);
}
