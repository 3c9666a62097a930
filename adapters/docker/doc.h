/* doc.h - a small JSON document as a tree: what a container engine answers, and its files of configuration
 *
 * Owner:   the caller; nodes and texts lie in the document and are gone with it.
 * Limits:  WK_DOC_DEPTH levels, WK_DOC_NODES values; the bytes are bounded by who read them.
 * Trust:   hostile input: what is asked of a value of another type is nothing, "" or 0.
 */
#ifndef WK_ADAPTERS_DOC_H
#define WK_ADAPTERS_DOC_H

#include "base/buf.h"

enum { WK_DOC_DEPTH = 64, WK_DOC_NODES = 1 << 20 };

enum wk_doc_type { WK_DOC_NOTHING, WK_DOC_BOOL, WK_DOC_NUMBER, WK_DOC_TEXT, WK_DOC_LIST, WK_DOC_OBJECT };

struct wk_doc_node {
    enum wk_doc_type type;
    uint32_t first, next;   /* its first child, and the one behind it; 0: none */
    size_t key_at, key_n;   /* in the document's text */
    size_t text_at, text_n; /* of a text, or a number's digits; text_n of a bool: whether it is true */
};

struct wk_doc {
    struct wk_mem *mem;
    struct wk_doc_node *nodes; /* [0] is none, [1] the root */
    size_t n, cap;
    struct wk_buf text;
};

void wk_doc_init(struct wk_doc *d, struct wk_mem *m);
void wk_doc_release(struct wk_doc *d);
/* Reads one value, which replaces what there was. 0; -WK_EPROTO (no JSON, or more than one), -WK_E2BIG, -WK_ENOMEM.
 */
WK_NODISCARD int wk_doc_parse(struct wk_doc *d, struct wk_str json);

/* The root; NULL when nothing was read. Every function below takes NULL for a node that is not there. */
const struct wk_doc_node *wk_doc_root(const struct wk_doc *d);
/* The member of that name; the last one of several. */
const struct wk_doc_node *wk_doc_get(const struct wk_doc *d, const struct wk_doc_node *n, const char *key);
/* The first element or member, and the one behind. */
const struct wk_doc_node *wk_doc_first(const struct wk_doc *d, const struct wk_doc_node *n);
const struct wk_doc_node *wk_doc_next(const struct wk_doc *d, const struct wk_doc_node *n);
struct wk_str wk_doc_key(const struct wk_doc *d, const struct wk_doc_node *n);
/* A text; "" for everything else. A NUL stands behind it. */
struct wk_str wk_doc_text(const struct wk_doc *d, const struct wk_doc_node *n);
/* A whole number; `otherwise` for everything else. */
int64_t wk_doc_number(const struct wk_doc *d, const struct wk_doc_node *n, int64_t otherwise);
bool wk_doc_true(const struct wk_doc_node *n);
/* The text of member a, or, unless b is NULL, of its member b. */
struct wk_str wk_doc_text_at(const struct wk_doc *d, const struct wk_doc_node *n, const char *a, const char *b);

#endif
