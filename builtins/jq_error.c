/* jq_error.c - errors that jq's functions raise: any value, most often a message */
#include "builtins/jq_builtin.h"

bool wk_jq_raise(struct jq *q, struct jq_val v)
{
    jq_free(q, q->error);
    q->error = v;
    q->is_break = false;
    return false;
}

bool wk_jq_error(struct jq *q, const char *fmt, ...)
{
    struct wk_buf b;
    va_list args;
    wk_buf_init(&b, wk_heap_mem(q->c->heap), SIZE_MAX / 2);
    va_start(args, fmt);
    wk_buf_vfmt(&b, fmt, args);
    va_end(args);
    return wk_jq_raise(q, wk_jq_string_take(q, &b));
}

bool wk_jq_type_error(struct jq *q, struct jq_val v, const char *what)
{
    char text[WK_JQ_SHORT];
    wk_jq_error(q, "%s (%s) %s", wk_jq_kind_name(v), wk_jq_dump_short(q, v, text, sizeof text), what);
    jq_free(q, v);
    return false;
}

bool wk_jq_type_error2(struct jq *q, struct jq_val a, struct jq_val b, const char *what)
{
    char left[WK_JQ_SHORT], right[WK_JQ_SHORT];
    wk_jq_error(q, "%s (%s) and %s (%s) %s", wk_jq_kind_name(a),
                wk_jq_dump_short(q, a, left, sizeof left), wk_jq_kind_name(b),
                wk_jq_dump_short(q, b, right, sizeof right), what);
    jq_free(q, a);
    jq_free(q, b);
    return false;
}
