/* fuzz_recording.c - recordings of sandboxes: what is read is written, and reads as the same */
#include "whelk/sandbox_mock.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Answers to a few requests, whatever the recording says of them. */
static void ask(whelk_mock *m)
{
    whelk_sandbox *b = NULL;
    whelk_sandbox_options o;
    whelk_sandbox_request q;
    whelk_sandbox_options_init(&o);
    whelk_sandbox_request_init(&q);
    q.script = "x";
    q.timeout_ms = 1;
    q.grace_ms = 1;
    if (whelk_sandbox_open_kind(whelk_mock_kind(m), &o, &b) == WHELK_OK)
        for (int i = 0; i < 3; i++) {
            whelk_sandbox_result *r = NULL;
            q.input = i == 1 ? "in" : NULL;
            q.input_len = i == 1 ? 2 : 0;
            q.detach_on_timeout = i == 2;
            if (whelk_sandbox_exec_with(b, &q, &r) == WHELK_OK && strlen(r->out) > r->out_len)
                abort();
            whelk_sandbox_result_free(r);
        }
    whelk_sandbox_close(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whelk_mock *m = NULL, *again = NULL;
    size_t n, n_again;
    if (whelk_mock_replay((const char *)data, size, &m) == WHELK_OK) {
        ask(m);
        const char *text = whelk_mock_text(m, &n);
        if (text) {
            if (whelk_mock_replay(text, n, &again) != WHELK_OK)
                abort();
            const char *text_again = whelk_mock_text(again, &n_again);
            if (!text_again || n != n_again || memcmp(text, text_again, n) != 0)
                abort();
        }
    }
    whelk_mock_free(m);
    whelk_mock_free(again);
    return 0;
}
