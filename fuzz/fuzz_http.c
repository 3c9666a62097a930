/* fuzz_http.c - an engine's answer, whole and byte by byte: the same parts, and nothing breaks */
#include "adapters/docker/http.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads it in pieces of at most `step` bytes; a sum over the body, and where it ended. */
static uint64_t read_all(const char *p, size_t n, size_t step, unsigned how, size_t *at, int *state)
{
    struct wk_http_answer a;
    uint64_t sum = 0;
    wk_http_answer_init(&a);
    a.no_body = how & 1;
    a.raw = how & 2;
    *at = 0;
    while (*at < n && a.state < WK_HTTP_RAW) {
        struct wk_str piece;
        size_t part = n - *at < step ? n - *at : step, used = wk_http_feed(&a, p + *at, part, &piece);
        if (used > part || (piece.n && (piece.p < p || piece.p + piece.n > p + n)))
            abort();
        for (size_t i = 0; i < piece.n; i++)
            sum = sum * 31 + (unsigned char)piece.p[i] + 1;
        *at += used;
    }
    if (how & 4)
        wk_http_end(&a);
    (void)wk_http_header(&a, "content-type");
    *state = (int)a.state * 1000 + a.status;
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t at, at_one;
    int state, state_one;
    if (size < 1)
        return 0;
    const char *p = (const char *)data + 1;
    uint64_t sum = read_all(p, size - 1, size, data[0], &at, &state);
    if (sum != read_all(p, size - 1, 1, data[0], &at_one, &state_one) || at != at_one || state != state_one)
        abort();
    return 0;
}
