/* xargs_read.c - items of xargs */
#include "builtins/xargs.h"

#define XARGS_BLOCK ((size_t)65536)

/* More bytes; false at the end. What there is comes at once, so that slow producers are served. */
static bool more(struct wk_xargs *x)
{
    struct wk_cmd *c = x->c;
    if (x->at_end)
        return false;
    if (!x->block)
        x->block = (char *)wk_heap_alloc(c->heap, XARGS_BLOCK);
    ptrdiff_t r;
    do
        r = x->file ? wk_file_read(c->task, x->file, x->block, XARGS_BLOCK) : 0;
    while (r == -WK_EINTR);
    if (r < 0) /* as the end: nothing is said */
        r = 0;
    x->at = 0;
    x->n = (size_t)r;
    x->at_end = r == 0;
    wk_tick(c, (uint32_t)(r / 16));
    return r > 0;
}

static inline int next_char(struct wk_xargs *x)
{
    if (x->at < x->n || more(x))
        return (unsigned char)x->block[x->at++];
    return -1;
}

static void add(struct wk_xargs *x, char ch)
{
    struct wk_fifo_buf *b = &x->item;
    if (b->n + 1 < b->cap - b->head && b->p)
        b->p[b->head + b->n++] = ch;
    else
        wk_fifo_put(x->c, b, &ch, 1);
}

static void start(struct wk_xargs *x)
{
    x->item.head = x->item.n = 0;
}

static void finish(struct wk_xargs *x)
{
    add(x, '\0');
    x->item.n--;
}

/* -0 and -d: everything up to the delimiter. */
static enum wk_xargs_item next_delimited(struct wk_xargs *x)
{
    const char delim = x->o->null ? '\0' : x->o->delim;
    bool any = false;
    start(x);
    while (x->at < x->n || more(x)) {
        const char *from = x->block + x->at;
        const char *end = (const char *)memchr(from, delim, x->n - x->at);
        size_t n = end ? (size_t)(end - from) : x->n - x->at;
        wk_fifo_put(x->c, &x->item, from, n);
        x->at += n + (end != NULL);
        any = true;
        if (end)
            break;
    }
    if (!any)
        return WK_XARGS_END;
    finish(x);
    return WK_XARGS_ITEM_EOL;
}

static WK_NORETURN void unmatched(struct wk_xargs *x, char quote)
{
    x->last = true;
    if (!x->o->replace && !x->o->max_lines)
        wk_xargs_flush(x);
    wk_msg(x->c, "unmatched %s quote; by default quotes are special to xargs unless you use the -0 option",
           quote == '"' ? "double" : "single");
    wk_xargs_wait_all(x);
    wk_exit(x->c, x->status ? x->status : 1);
}

/* A NUL cannot be passed on: the item ends there. */
static void skip_nul(struct wk_xargs *x)
{
    if (!x->warned_nul)
        wk_out_fmt(x->c->err,
                   "%s: WARNING: a NUL character occurred in the input.  It cannot be passed through "
                   "in the argument list.  Did you mean to use the --null option?\n",
                   x->c->name);
    x->warned_nul = true;
}

static bool is_eof_word(const struct wk_xargs *x)
{
    return x->o->eof && strcmp(x->o->eof, x->item.p + x->item.head) == 0;
}

/* After the item's last character: the rest of the line. A blank at its end joins the next line (-L). */
static enum wk_xargs_item end_kind(struct wk_xargs *x, int ch)
{
    finish(x);
    if (is_eof_word(x)) {
        x->ended = true;
        return WK_XARGS_END;
    }
    if (ch == '\n' || ch < 0)
        return WK_XARGS_ITEM_EOL;
    return WK_XARGS_ITEM;
}

static enum wk_xargs_item next_quoted(struct wk_xargs *x)
{
    int ch;
    bool any = false, cut = false, raw = false; /* raw: with something in it, if only a NUL */
    char quote = 0;
    const bool lines = x->o->replace != NULL; /* -I: an item is a line */
    start(x);
    do
        ch = next_char(x);
    while (ch == ' ' || ch == '\t' || ch == '\n');
    for (;; ch = next_char(x)) {
        if (ch < 0) {
            if (quote)
                unmatched(x, quote);
            return raw ? end_kind(x, ch) : WK_XARGS_END;
        }
        if (ch == '\n' && quote)
            unmatched(x, quote);
        if (quote && ch == quote) {
            quote = 0;
            continue;
        }
        if (!quote && (ch == '\'' || ch == '"')) {
            quote = (char)ch;
            any = true;
            continue;
        }
        if (!quote && ch == '\\') {
            ch = next_char(x);
            if (ch < 0) {
                return any ? end_kind(x, ch) : WK_XARGS_END;
            }
        } else if (!quote && (ch == '\n' || (!lines && (ch == ' ' || ch == '\t')))) {
            return end_kind(x, ch);
        }
        any = raw = true;
        if (ch == 0) {
            skip_nul(x);
            cut = true;
        }
        if (!cut)
            add(x, (char)ch);
    }
}

enum wk_xargs_item wk_xargs_next(struct wk_xargs *x)
{
    if (x->ended)
        return WK_XARGS_END;
    wk_tick(x->c, 8);
    return x->o->null || x->o->has_delim ? next_delimited(x) : next_quoted(x);
}
