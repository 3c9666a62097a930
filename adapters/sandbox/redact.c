/* redact.c - hides the values of secrets in what a sandbox tells
 *
 * All values together make an automaton (Aho and Corasick's): it reads each byte once, knows the longest beginning of
 * a value that the bytes so far end with, and the longest value that ends here. Hidden is every byte that lies in some
 * value; parts that overlap become one ***. Only what may be the beginning of a value is kept back.
 */
#include "adapters/sandbox/sandbox.h"

#include "base/err.h"

/* A beginning of values. Its children are a list: there is rarely more than one. */
struct node {
    uint32_t child, sibling, fail;
    uint32_t depth;
    uint32_t ends; /* bytes of the longest value that ends here; 0: none */
    unsigned char byte;
};

struct wk_secrets {
    struct node *nodes; /* nodes[0]: nothing yet */
    size_t n, cap;
    size_t longest, shortest;
    bool starts[256];
};

static uint32_t child_of(const struct wk_secrets *s, uint32_t node, unsigned char byte)
{
    uint32_t c = s->nodes[node].child;
    while (c && s->nodes[c].byte != byte)
        c = s->nodes[c].sibling;
    return c;
}

static bool add_value(struct wk_mem *m, struct wk_secrets *s, struct wk_str value)
{
    uint32_t at = 0;
    for (size_t i = 0; i < value.n; i++) {
        unsigned char byte = (unsigned char)value.p[i];
        uint32_t c = child_of(s, at, byte);
        if (!c) {
            if (s->n >= UINT32_MAX || !wk_vec_grow(m, &s->nodes, &s->cap, s->n + 1, sizeof *s->nodes))
                return false;
            c = (uint32_t)s->n++;
            s->nodes[c] = (struct node){.byte = byte, .depth = (uint32_t)i + 1, .sibling = s->nodes[at].child};
            s->nodes[at].child = c;
        }
        at = c;
    }
    s->nodes[at].ends = (uint32_t)value.n;
    s->starts[(unsigned char)value.p[0]] = true;
    if (value.n > s->longest)
        s->longest = value.n;
    if (value.n < s->shortest)
        s->shortest = value.n;
    return true;
}

static uint32_t step(const struct wk_secrets *s, uint32_t state, unsigned char byte)
{
    uint32_t to;
    while (!(to = child_of(s, state, byte)) && state)
        state = s->nodes[state].fail;
    return to;
}

/* Level by level: a node's `fail` is the longest other beginning that it ends with. */
static bool add_fails(struct wk_mem *m, struct wk_secrets *s)
{
    uint32_t *order = wk_calloc(m, s->n, sizeof *order);
    size_t n = 1;
    if (!order)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t parent = order[i];
        for (uint32_t c = s->nodes[parent].child; c; c = s->nodes[c].sibling) {
            uint32_t fail = parent ? step(s, s->nodes[parent].fail, s->nodes[c].byte) : 0;
            s->nodes[c].fail = fail;
            if (!s->nodes[c].ends)
                s->nodes[c].ends = s->nodes[fail].ends;
            order[n++] = c;
        }
    }
    wk_free(m, order);
    return true;
}

int wk_secrets_new(struct wk_mem *m, const whelk_secret *v, size_t n, struct wk_secrets **out)
{
    *out = NULL;
    size_t full = 0;
    for (size_t i = 0; i < n; i++)
        full += v[i].value && *v[i].value;
    if (!full)
        return 0;
    struct wk_secrets *s = WK_NEW(m, struct wk_secrets);
    if (!s)
        return -WK_ENOMEM;
    s->shortest = SIZE_MAX;
    bool ok = wk_vec_grow(m, &s->nodes, &s->cap, 1, sizeof *s->nodes);
    if (ok)
        s->nodes[s->n++] = (struct node){0};
    for (size_t i = 0; i < n && ok; i++)
        if (v[i].value && *v[i].value)
            ok = add_value(m, s, wk_str_c(v[i].value));
    if (ok && add_fails(m, s)) {
        *out = s;
        return 0;
    }
    wk_secrets_free(m, s);
    return -WK_ENOMEM;
}

void wk_secrets_free(struct wk_mem *m, struct wk_secrets *s)
{
    if (s)
        wk_free(m, s->nodes);
    wk_free(m, s);
}

size_t wk_secrets_longest(const struct wk_secrets *s)
{
    return s ? s->longest : 0;
}

/* ---- a stream ------------------------------------------------------------------------------------- */

void wk_redact_init(struct wk_redact *r, const struct whelk_sandbox *b)
{
    *r = (struct wk_redact){.b = b, .mem = b->mem, .idle = !b->secrets};
    if (r->idle)
        return;
    /* Hidden parts that are not settled lie behind the last `longest` bytes and are apart from one another. */
    r->cap = b->secrets->longest;
    r->spans_cap = b->secrets->longest / b->secrets->shortest + 64;
    r->held = wk_alloc(b->mem, r->cap);
    r->spans = wk_calloc(b->mem, r->spans_cap, sizeof *r->spans);
    r->failed = !r->held || !r->spans;
}

void wk_redact_release(struct wk_redact *r)
{
    wk_free(r->mem, r->held);
    wk_free(r->mem, r->spans);
    r->held = NULL;
    r->spans = NULL;
}

/* What passes: the bytes held, then the piece; offsets count from the first of them. */
struct passage {
    struct wk_redact *r;
    const char *p;
    size_t at; /* passed on up to here */
    void (*to)(void *ctx, const char *p, size_t n);
    void *ctx;
};

static void tell(struct passage *g, size_t from, size_t to)
{
    const struct wk_redact *r = g->r;
    if (r->at + from < r->from)
        from = r->from - r->at < to ? (size_t)(r->from - r->at) : to;
    if (from < r->held_n && from < to) {
        size_t n = (to < r->held_n ? to : r->held_n) - from;
        g->to(g->ctx, r->held + from, n);
        from += n;
    }
    if (from < to)
        g->to(g->ctx, g->p + (from - r->held_n), to - from);
}

/* Passes on all that no value to come can reach: the bytes before `safe`. */
static void settle(struct passage *g, size_t safe)
{
    struct wk_redact *r = g->r;
    size_t i = 0;
    for (; i < r->n_spans && r->spans[i].start <= safe; i++) {
        size_t from = g->at > r->skip ? g->at : r->skip;
        if (from < r->spans[i].start)
            tell(g, from, r->spans[i].start);
        if (r->at + r->spans[i].end > r->from)
            g->to(g->ctx, "***", 3);
        g->at = r->skip = r->spans[i].end;
    }
    if (i) {
        r->n_spans -= i;
        memmove(r->spans, r->spans + i, r->n_spans * sizeof *r->spans);
    }
    size_t from = g->at > r->skip ? g->at : r->skip;
    if (from < safe) {
        tell(g, from, safe);
        g->at = safe;
    }
}

/* A value lies at [start, end). */
static void hide(struct passage *g, size_t start, size_t end, size_t safe)
{
    struct wk_redact *r = g->r;
    while (r->n_spans && r->spans[r->n_spans - 1].end > start) {
        r->n_spans--;
        if (r->spans[r->n_spans].start < start)
            start = r->spans[r->n_spans].start;
    }
    if (start < r->skip) { /* the one that was told reaches further */
        r->skip = end;
        return;
    }
    if (r->n_spans == r->spans_cap)
        settle(g, start < safe ? start : safe);
    r->spans[r->n_spans++] = (struct wk_redact_span){start, end};
}

void wk_redact_pass(struct wk_redact *r, const char *p, size_t n, bool last,
                    void (*to)(void *ctx, const char *p, size_t n), void *ctx)
{
    if (r->idle) {
        if (n)
            to(ctx, p, n);
        return;
    }
    if (r->failed)
        return;
    const struct wk_secrets *s = r->b->secrets;
    struct passage g = {r, p, 0, to, ctx};
    size_t total = r->held_n + n;
    for (size_t i = 0; i < n; i++) {
        if (!r->state) {
            while (i < n && !s->starts[(unsigned char)p[i]])
                i++;
            if (i == n)
                break;
        }
        r->state = step(s, r->state, (unsigned char)p[i]);
        const struct node *node = &s->nodes[r->state];
        size_t end = r->held_n + i + 1;
        if (node->ends)
            hide(&g, end - node->ends, end, end - node->depth);
    }
    if (last)
        r->state = 0;
    size_t safe = total - s->nodes[r->state].depth;
    settle(&g, safe);
    /* What is left begins at `safe`, unless it is hidden already. */
    size_t keep = total - safe;
    if (safe < r->held_n) {
        memmove(r->held, r->held + safe, r->held_n - safe);
        if (n)
            memcpy(r->held + (r->held_n - safe), p, n);
    } else if (keep) {
        memcpy(r->held, p + (safe - r->held_n), keep);
    }
    r->held_n = keep;
    r->at += safe;
    r->skip = r->skip > safe ? r->skip - safe : 0;
    for (size_t i = 0; i < r->n_spans; i++) {
        r->spans[i].start -= safe;
        r->spans[i].end -= safe;
    }
}

static void to_buf(void *ctx, const char *p, size_t n)
{
    wk_buf_put(ctx, p, n);
}

void wk_redact_text(const struct whelk_sandbox *b, struct wk_str text, size_t most, struct wk_buf *out)
{
    struct wk_redact r;
    wk_redact_init(&r, b);
    wk_redact_pass(&r, text.p, text.n < most ? text.n : most, text.n <= most, to_buf, out);
    if (r.failed)
        wk_buf_put_c(out, "***");
    wk_redact_release(&r);
}
