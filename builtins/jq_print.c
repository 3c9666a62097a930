/* jq_print.c - jq's values as JSON text
 *
 * What is open is on a stack in the process heap. Colours go around every piece by itself: the
 * brackets, commas and colons of a container in its colour, never the blanks between.
 */
#include "builtins/jq_priv.h"

#include "base/utf8.h"
#include "text/json/json.h"

enum { PIECE = 32 * 1024 };

struct frame {
    struct jq_val v;
    size_t at;            /* element, or entry's place */
    struct jq_val *keys;  /* sorted ones; NULL: in the object's order */
    size_t keys_n;
    bool begun; /* a part was printed */
};

struct printer {
    struct jq *q;
    const struct jq_style *style;
    struct wk_buf *b;
    size_t most;        /* enough is printed when the buffer holds so much */
    struct wk_out *out; /* where full buffers go; NULL */
    bool lines, colour, sort, ascii;
    struct frame few[16], *stack;
    size_t n, cap;
};

static const struct wk_str *colour_of(const struct printer *p, struct jq_val v)
{
    return &p->style->colours[v.kind - JQ_NULL];
}

/* A piece of text in a colour. */
static void put(struct printer *p, const struct wk_str *colour, const char *text, size_t n)
{
    if (!p->colour) {
        wk_buf_put(p->b, text, n);
        return;
    }
    wk_buf_puts(p->b, *colour);
    wk_buf_put(p->b, text, n);
    wk_buf_put(p->b, "\033[0m", 4);
}

static void put_line(struct printer *p, size_t level)
{
    if (!p->lines)
        return;
    wk_buf_putc(p->b, '\n');
    if (p->style->flags & JQ_PRINT_TABS)
        wk_buf_fill(p->b, '\t', level);
    else
        wk_buf_fill(p->b, ' ', level * p->style->indent);
}

static void put_quoted(struct printer *p, const struct wk_str *colour, struct jq_val v)
{
    if (p->colour)
        wk_buf_puts(p->b, *colour);
    wk_json_put_string(p->b, jq_slice(v), p->ascii);
    if (p->colour)
        wk_buf_put(p->b, "\033[0m", 4);
}

static void push(struct printer *p, struct jq_val v)
{
    struct wk_heap *heap = p->q->c->heap;
    if (p->n == p->cap) {
        struct frame *more = wk_heap_calloc(heap, p->cap * 2, sizeof *more);
        memcpy(more, p->stack, p->n * sizeof *more);
        if (p->stack != p->few)
            wk_heap_free(heap, p->stack);
        p->stack = more;
        p->cap *= 2;
    }
    struct frame *f = &p->stack[p->n++];
    *f = (struct frame){.v = v};
    if (v.kind == JQ_OBJECT && p->sort)
        f->keys = wk_jq_keys_sorted(p->q, v, &f->keys_n);
}

/* A scalar or an empty container whole; of others the beginning. */
static void put_value(struct printer *p, struct jq_val v)
{
    if (p->n > WK_JQ_DEPTH) {
        wk_buf_put_c(p->b, "<skipped: too deep>");
        return;
    }
    const struct wk_str *colour = p->colour ? colour_of(p, v) : NULL;
    switch (v.kind) {
    case JQ_NONE:
        put(p, &p->style->colours[0], "<invalid>", 9);
        return;
    case JQ_NULL:
        put(p, colour, "null", 4);
        return;
    case JQ_FALSE:
        put(p, colour, "false", 5);
        return;
    case JQ_TRUE:
        put(p, colour, "true", 4);
        return;
    case JQ_NUMBER:
        if (colour)
            wk_buf_puts(p->b, *colour);
        wk_jq_print_number(p->q, v, p->b);
        if (colour)
            wk_buf_put(p->b, "\033[0m", 4);
        return;
    case JQ_STRING:
        put_quoted(p, colour, v);
        return;
    case JQ_ARRAY:
        if (v.array->n == 0) {
            put(p, colour, "[]", 2);
            return;
        }
        put(p, colour, "[", 1);
        break;
    default:
        if (v.object->live == 0) {
            put(p, colour, "{}", 2);
            return;
        }
        put(p, colour, "{", 1);
    }
    push(p, v);
}

/* The next part of what is open; its end when there is none. */
static void step(struct printer *p)
{
    struct frame *f = &p->stack[p->n - 1];
    const struct wk_str *colour = p->colour ? colour_of(p, f->v) : NULL;
    struct jq_val key = jq_none(), v;
    bool more;
    if (f->v.kind == JQ_ARRAY) {
        more = f->at < f->v.array->n;
        if (more)
            v = f->v.array->at[f->at++];
    } else if (f->keys) {
        more = f->at < f->keys_n;
        if (more) {
            key = f->keys[f->at++];
            v = *wk_jq_object_get(f->v, key);
        }
    } else {
        more = wk_jq_object_next(f->v, &f->at, &key, &v);
    }
    if (!more) {
        put_line(p, p->n - 1);
        put(p, colour, f->v.kind == JQ_ARRAY ? "]" : "}", 1);
        wk_heap_free(p->q->c->heap, f->keys);
        p->n--;
        return;
    }
    if (f->begun)
        put(p, colour, ",", 1);
    f->begun = true;
    put_line(p, p->n);
    if (key.kind == JQ_STRING) {
        put_quoted(p, p->colour ? &p->style->colours[JQ_OBJECT] : NULL, key);
        put(p, colour, ":", 1);
        if (p->lines)
            wk_buf_putc(p->b, ' ');
    }
    put_value(p, v);
}

/* Prints up to about `most` bytes. */
static void print(struct jq *q, struct jq_val v, const struct jq_style *style, struct wk_buf *b,
                  size_t most, struct wk_out *out)
{
    struct printer p = {
        .q = q, .style = style, .b = b, .most = most, .out = out, .cap = WK_COUNTOF(p.few)};
    size_t told = b->n;
    p.lines = style->flags & (JQ_PRINT_LINES | JQ_PRINT_TABS) || style->indent;
    p.colour = style->flags & JQ_PRINT_COLOUR;
    p.sort = style->flags & JQ_PRINT_SORT;
    p.ascii = style->flags & JQ_PRINT_ASCII;
    p.stack = p.few;
    put_value(&p, v);
    while (p.n && b->n < most && !b->failed) {
        step(&p);
        if (b->n - told > 4096) {
            wk_tick(q->c, (uint32_t)((b->n - told) / 16));
            if (out && b->n > PIECE && !b->failed) {
                wk_out_str(out, wk_buf_str(b));
                wk_buf_reset(b);
            }
            told = b->n;
        }
    }
    while (p.n)
        wk_heap_free(q->c->heap, p.stack[--p.n].keys);
    if (p.stack != p.few)
        wk_heap_free(q->c->heap, p.stack);
}

void wk_jq_print(struct jq *q, struct jq_val v, const struct jq_style *style, struct wk_buf *b)
{
    print(q, v, style, b, SIZE_MAX, NULL);
}

void wk_jq_print_out(struct jq *q, struct jq_val v, const struct jq_style *style, struct wk_buf *b,
                     struct wk_out *out)
{
    print(q, v, style, b, SIZE_MAX, out);
}

static const struct jq_style compact = {0};

struct jq_val wk_jq_tojson(struct jq *q, struct jq_val v)
{
    struct wk_buf *b = &q->scratch;
    wk_buf_reset(b);
    print(q, v, &compact, b, SIZE_MAX, NULL);
    jq_free(q, v);
    if (b->failed)
        wk_heap_exhausted(q->c->heap);
    struct jq_val text = wk_jq_string_valid(q, wk_buf_str(b));
    if (b->cap > (size_t)1 << 20)
        wk_buf_release(b);
    return text;
}

const char *wk_jq_dump_short(struct jq *q, struct jq_val v, char *dst, size_t room)
{
    struct wk_buf *b = &q->scratch;
    wk_buf_reset(b);
    print(q, v, &compact, b, room, NULL);
    if (b->failed)
        wk_heap_exhausted(q->c->heap);
    size_t n = b->n;
    if (n >= room) {
        const char *tail = v.kind == JQ_STRING   ? "...\""
                           : v.kind == JQ_ARRAY  ? "...]"
                           : v.kind == JQ_OBJECT ? "...}"
                                                 : "...";
        n = room > 5 ? room - 1 - strlen(tail) : 0;
        while (n && wk_utf8_continues((unsigned char)b->p[n]))
            n--;
        memcpy(dst, b->p, n);
        memcpy(dst + n, tail, strlen(tail) + 1);
        return dst;
    }
    memcpy(dst, wk_buf_c(b), n);
    dst[n] = '\0';
    return dst;
}
