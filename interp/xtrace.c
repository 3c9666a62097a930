/* xtrace.c - set -x: what is shown before commands run */
#include "interp/expand.h"
#include "interp/parser.h"
#include "interp/prompt.h"
#include "interp/run.h"
#include "interp/vars.h"
#include "interp/xtrace.h"

#include "base/num.h"
#include "base/utf8.h"
#include "text/printfmt/printfmt.h"

/* Where the trace goes. */
static int trace_fd(const struct wk_shell *sh)
{
    int fd = sh->st->xtrace_fd - 1;
    return fd >= 0 && wk_fd_get(sh->proc->fds, fd) ? fd : 2;
}

/* $PS4, its first character repeated by the depth of eval, source and substitution. */
static enum wk_flow put_prompt(struct wk_shell *sh, struct wk_buf *b)
{
    char scratch[24];
    struct wk_str ps4, text;
    uint32_t name = wk_names_find(sh->names, WK_STR("PS4"));
    if (name == WK_NAME_NONE || !wk_var_get(sh, name, scratch, &ps4))
        return WK_NEXT;
    if (ps4.n == 0)
        return WK_NEXT;
    uint64_t options = sh->st->options;
    int status = sh->status, subst = sh->last_subst_status;
    sh->st->options &= ~WK_OPT_BIT(XTRACE);
    enum wk_flow flow = wk_prompt_expand(sh, ps4, &text);
    sh->st->options |= options & WK_OPT_BIT(XTRACE);
    sh->status = status;
    sh->last_subst_status = subst;
    if (flow != WK_NEXT)
        return flow == WK_STOP ? flow : WK_NEXT;
    size_t first = 1; /* bytes of its first character */
    while (!sh->st->bytes && first < text.n && wk_utf8_continues((unsigned char)text.p[first]))
        first++;
    for (uint32_t i = 0; text.n && i < sh->xtrace_depth; i++)
        wk_buf_put(b, text.p, first);
    wk_buf_puts(b, text);
    return WK_NEXT;
}

static enum wk_flow trace_begin(struct wk_shell *sh, struct wk_buf *b)
{
    wk_buf_init(b, sh->mem, WK_VAL_MAX);
    enum wk_flow flow = put_prompt(sh, b);
    if (flow != WK_NEXT)
        wk_buf_release(b);
    return flow;
}

static void trace_end(struct wk_shell *sh, struct wk_buf *b)
{
    wk_buf_putc(b, '\n');
    if (!b->failed)
        (void)wk_sh_write(sh, trace_fd(sh), wk_buf_str(b));
    wk_buf_release(b);
}

enum wk_flow wk_xtrace_words(struct wk_shell *sh, const struct wk_str *v, size_t n)
{
    struct wk_buf b;
    enum wk_flow flow = trace_begin(sh, &b);
    if (flow != WK_NEXT)
        return flow;
    for (size_t i = 0; i < n; i++) {
        if (i)
            wk_buf_putc(&b, ' ');
        if (v[i].n == 0)
            wk_buf_put_c(&b, "''");
        else
            wk_quote_text(&b, v[i], WK_QUOTE_TRACE | (sh->st->bytes ? WK_QUOTE_BYTES : 0u));
    }
    trace_end(sh, &b);
    return WK_NEXT;
}

enum wk_flow wk_xtrace_head(struct wk_shell *sh, const struct wk_node *n)
{
    struct wk_buf b;
    enum wk_flow flow = trace_begin(sh, &b);
    if (flow != WK_NEXT)
        return flow;
    (void)wk_print_head(&b, n);
    trace_end(sh, &b);
    return WK_NEXT;
}

enum wk_flow wk_xtrace_arith(struct wk_shell *sh, struct wk_str text)
{
    struct wk_buf b;
    enum wk_flow flow = trace_begin(sh, &b);
    if (flow != WK_NEXT)
        return flow;
    wk_buf_put_c(&b, "(( ");
    wk_buf_puts(&b, text);
    wk_buf_put_c(&b, " ))");
    trace_end(sh, &b);
    return WK_NEXT;
}

static void put_operand(struct wk_buf *b, struct wk_str s)
{
    wk_buf_puts(b, s.n ? s : WK_STR("''"));
}

enum wk_flow wk_xtrace_cond(struct wk_shell *sh, const struct wk_cond *c, bool negated,
                            struct wk_str left, struct wk_str right)
{
    struct wk_buf b;
    enum wk_flow flow = trace_begin(sh, &b);
    if (flow != WK_NEXT)
        return flow;
    wk_buf_put_c(&b, negated ? "[[ ! " : "[[ ");
    if (c->kind == WK_COND_BINARY) {
        put_operand(&b, left);
        wk_buf_fmt(&b, " %s ", wk_cond_op_text(c->op));
        put_operand(&b, right);
    } else {
        wk_buf_fmt(&b, "-%c ", c->kind == WK_COND_UNARY ? c->op : 'n');
        put_operand(&b, left);
    }
    wk_buf_put_c(&b, " ]]");
    trace_end(sh, &b);
    return WK_NEXT;
}

enum wk_flow wk_xtrace_assign(struct wk_shell *sh, const struct wk_assign *as, struct wk_str value)
{
    struct wk_buf b;
    enum wk_flow flow = trace_begin(sh, &b);
    if (flow != WK_NEXT)
        return flow;
    wk_buf_puts(&b, wk_names_str(sh->names, as->name));
    if (as->sub)
        wk_buf_fmt(&b, "[%.*s]", (int)as->sub->text.n, as->sub->text.p);
    wk_buf_put_c(&b, as->append ? "+=" : "=");
    if (as->compound)
        wk_buf_puts(&b, value);
    else if (value.n)
        wk_quote_text(&b, value, WK_QUOTE_TRACE | (sh->st->bytes ? WK_QUOTE_BYTES : 0u));
    trace_end(sh, &b);
    return WK_NEXT;
}
