/* fuzz_doc.c - a container engine's answers: read as a document, all of it looked at, and read again the same */
#include "adapters/docker/doc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A sum over a value and all below it; every text lies in the document and is ended by a NUL. */
static uint64_t look(const struct wk_doc *d, const struct wk_doc_node *n, unsigned depth)
{
    struct wk_str key = wk_doc_key(d, n), text = wk_doc_text(d, n);
    uint64_t sum = (uint64_t)n->type + key.n * 31 + text.n * 7 + (wk_doc_true(n) ? 3 : 0);
    if (depth > WK_DOC_DEPTH || (text.n && text.p[text.n] != '\0'))
        abort();
    for (size_t i = 0; i < text.n; i++)
        sum = sum * 31 + (unsigned char)text.p[i];
    sum += (uint64_t)wk_doc_number(d, n, 5);
    for (const struct wk_doc_node *c = wk_doc_first(d, n); c; c = wk_doc_next(d, c)) {
        if (n->type != WK_DOC_LIST && n->type != WK_DOC_OBJECT)
            abort();
        sum = sum * 17 + look(d, c, depth + 1);
    }
    (void)wk_doc_text_at(d, n, "Labels", "dev.whelk.owner");
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wk_mem *m = wk_mem_new((size_t)64 << 20);
    struct wk_doc d;
    uint64_t sum[2] = {0, 0};
    if (!m)
        return 0;
    wk_doc_init(&d, m);
    for (int i = 0; i < 2; i++)
        if (wk_doc_parse(&d, wk_str((const char *)data, size)) == 0)
            sum[i] = look(&d, wk_doc_root(&d), 0);
        else if (wk_doc_root(&d))
            abort();
    if (sum[0] != sum[1])
        abort();
    wk_doc_release(&d);
    if (wk_mem_used(m))
        abort();
    wk_mem_unref(m);
    return 0;
}
