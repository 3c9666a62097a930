/* doc.c - a small JSON document as a tree */
#include "adapters/docker/doc.h"

#include "base/err.h"
#include "base/num.h"
#include "text/json/json.h"

void wk_doc_init(struct wk_doc *d, struct wk_mem *m)
{
    *d = (struct wk_doc){.mem = m};
    wk_buf_init(&d->text, m, SIZE_MAX / 2);
}

void wk_doc_release(struct wk_doc *d)
{
    wk_free(d->mem, d->nodes);
    wk_buf_release(&d->text);
    wk_doc_init(d, d->mem);
}

/* ---- reading ---------------------------------------------------------------------------------------- */

struct reading {
    struct wk_doc *doc;
    uint32_t open[WK_DOC_DEPTH], last[WK_DOC_DEPTH]; /* what is open, and its last child */
    size_t depth;
    size_t key_at, key_n;
};

static bool keep_text(struct wk_doc *d, struct wk_str s, size_t *at, size_t *n)
{
    *at = d->text.n;
    *n = s.n;
    return wk_buf_puts(&d->text, s) && wk_buf_putc(&d->text, '\0');
}

/* A new node below what is open; its number, 0 without memory. */
static uint32_t add_node(struct reading *r, enum wk_doc_type type)
{
    struct wk_doc *d = r->doc;
    if (!wk_vec_grow(d->mem, &d->nodes, &d->cap, d->n + 1, sizeof *d->nodes))
        return 0;
    uint32_t at = (uint32_t)d->n++;
    d->nodes[at] = (struct wk_doc_node){.type = type, .key_at = r->key_at, .key_n = r->key_n};
    r->key_at = r->key_n = 0;
    if (r->depth) {
        size_t level = r->depth - 1;
        if (r->last[level])
            d->nodes[r->last[level]].next = at;
        else
            d->nodes[r->open[level]].first = at;
        r->last[level] = at;
    }
    return at;
}

static int take_token(struct reading *r, struct wk_json *j, enum wk_json_token t)
{
    static const uint8_t types[] = {
        [WK_JSON_NULL] = WK_DOC_NOTHING,  [WK_JSON_FALSE] = WK_DOC_BOOL,  [WK_JSON_TRUE] = WK_DOC_BOOL,
        [WK_JSON_NUMBER] = WK_DOC_NUMBER, [WK_JSON_NAN] = WK_DOC_NOTHING, [WK_JSON_INFINITY] = WK_DOC_NOTHING,
        [WK_JSON_STRING] = WK_DOC_TEXT,   [WK_JSON_ARRAY] = WK_DOC_LIST,  [WK_JSON_OBJECT] = WK_DOC_OBJECT};
    if (t == WK_JSON_KEY)
        return keep_text(r->doc, j->text, &r->key_at, &r->key_n) ? 0 : -WK_ENOMEM;
    if (t == WK_JSON_ARRAY_END || t == WK_JSON_OBJECT_END) {
        r->depth -= r->depth > 0;
        return 0;
    }
    if (r->depth == 0 && r->doc->n > 1)
        return -WK_EPROTO;
    if (r->doc->n > WK_DOC_NODES)
        return -WK_E2BIG;
    uint32_t at = add_node(r, types[t]);
    struct wk_doc_node *n = &r->doc->nodes[at];
    if (!at)
        return -WK_ENOMEM;
    if (t == WK_JSON_TRUE)
        n->text_n = 1;
    else if ((t == WK_JSON_STRING || t == WK_JSON_NUMBER) && !keep_text(r->doc, j->text, &n->text_at, &n->text_n))
        return -WK_ENOMEM;
    if (t == WK_JSON_ARRAY || t == WK_JSON_OBJECT) {
        if (r->depth == WK_DOC_DEPTH)
            return -WK_E2BIG;
        r->open[r->depth] = at;
        r->last[r->depth++] = 0;
    }
    return 0;
}

int wk_doc_parse(struct wk_doc *d, struct wk_str json)
{
    struct wk_json j;
    struct reading r = {.doc = d};
    int err = 0;
    wk_buf_reset(&d->text);
    if (!wk_vec_grow(d->mem, &d->nodes, &d->cap, 2, sizeof *d->nodes))
        return -WK_ENOMEM;
    d->nodes[0] = (struct wk_doc_node){.type = WK_DOC_NOTHING};
    d->n = 1;
    wk_json_init(&j, d->mem, WK_JSON_PLAIN, WK_DOC_DEPTH);
    wk_json_feed(&j, json.p ? json.p : "", json.n);
    wk_json_finish(&j);
    while (!err) {
        enum wk_json_token t = wk_json_next(&j);
        if (t == WK_JSON_END || t == WK_JSON_MORE)
            break;
        err = t == WK_JSON_ERROR ? j.failed ? -WK_ENOMEM : -WK_EPROTO : take_token(&r, &j, t);
    }
    wk_json_release(&j);
    if (!err && d->n == 1)
        err = -WK_EPROTO;
    if (err)
        d->n = 1;
    return err;
}

/* ---- asking ----------------------------------------------------------------------------------------- */

static const struct wk_doc_node *node_at(const struct wk_doc *d, uint32_t at)
{
    return at ? &d->nodes[at] : NULL;
}

const struct wk_doc_node *wk_doc_root(const struct wk_doc *d)
{
    return d->n > 1 ? &d->nodes[1] : NULL;
}

const struct wk_doc_node *wk_doc_first(const struct wk_doc *d, const struct wk_doc_node *n)
{
    return n ? node_at(d, n->first) : NULL;
}

const struct wk_doc_node *wk_doc_next(const struct wk_doc *d, const struct wk_doc_node *n)
{
    return n ? node_at(d, n->next) : NULL;
}

const struct wk_doc_node *wk_doc_get(const struct wk_doc *d, const struct wk_doc_node *n, const char *key)
{
    const struct wk_doc_node *found = NULL;
    if (!n || n->type != WK_DOC_OBJECT)
        return NULL;
    for (const struct wk_doc_node *one = wk_doc_first(d, n); one; one = wk_doc_next(d, one))
        if (wk_str_is(wk_doc_key(d, one), key))
            found = one;
    return found;
}

struct wk_str wk_doc_key(const struct wk_doc *d, const struct wk_doc_node *n)
{
    return n ? wk_str(wk_buf_c(&d->text) + n->key_at, n->key_n) : WK_STR("");
}

struct wk_str wk_doc_text(const struct wk_doc *d, const struct wk_doc_node *n)
{
    return n && n->type == WK_DOC_TEXT ? wk_str(wk_buf_c(&d->text) + n->text_at, n->text_n) : WK_STR("");
}

int64_t wk_doc_number(const struct wk_doc *d, const struct wk_doc_node *n, int64_t otherwise)
{
    int64_t v;
    if (!n || n->type != WK_DOC_NUMBER ||
        wk_parse_i64(wk_str(wk_buf_c(&d->text) + n->text_at, n->text_n), 10, &v) != 0)
        return otherwise;
    return v;
}

bool wk_doc_true(const struct wk_doc_node *n)
{
    return n && n->type == WK_DOC_BOOL && n->text_n == 1;
}

struct wk_str wk_doc_text_at(const struct wk_doc *d, const struct wk_doc_node *n, const char *a, const char *b)
{
    n = wk_doc_get(d, n, a);
    return wk_doc_text(d, b ? wk_doc_get(d, n, b) : n);
}
