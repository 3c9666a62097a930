/* fuzz_json.c - JSON texts: cut anywhere they give the same tokens, and what was written reads as the same
 *
 * input: a byte (mode, and how the second reading is cut), then the texts.
 */
#include "text/json/json.h"
#include "text/json/json_utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEPTH = 50 };

/* Appends a token and what it says. */
static void put_token(const struct wk_json *j, enum wk_json_token t, struct wk_buf *out)
{
    wk_buf_putc(out, (char)('a' + t));
    if (t != WK_JSON_NUMBER && t != WK_JSON_STRING && t != WK_JSON_KEY)
        return;
    wk_buf_puts(out, j->text);
    wk_buf_putc(out, '\0');
    if (t != WK_JSON_NUMBER && !wk_json_utf8_valid(j->text))
        __builtin_trap();
}

/* All tokens as a row of bytes, read in pieces of `piece` bytes; 0: a single one. */
static void read_all(struct wk_mem *m, struct wk_str text, unsigned mode, size_t piece, struct wk_buf *out)
{
    struct wk_json j;
    char *copy = NULL; /* nothing outside of a piece is read unseen */
    wk_json_init(&j, m, mode, DEPTH);
    for (;;) {
        enum wk_json_token t = wk_json_next(&j);
        if (t == WK_JSON_ERROR)
            wk_json_put_error(&j, out);
        if (t == WK_JSON_ERROR || t == WK_JSON_END)
            break;
        if (t != WK_JSON_MORE) {
            put_token(&j, t, out);
            continue;
        }
        size_t n = piece && piece < text.n ? piece : text.n;
        wk_free(m, copy);
        copy = wk_strndup(m, text.p, n);
        if (n)
            wk_json_feed(&j, copy, n);
        else
            wk_json_finish(&j);
        text = wk_str_from(text, n);
    }
    wk_free(m, copy);
    wk_json_release(&j);
}

/* A string that is written is read as itself. */
static void write_back(struct wk_mem *m, struct wk_str text, bool ascii)
{
    struct wk_buf mended, written;
    struct wk_json j;
    wk_buf_init(&mended, m, SIZE_MAX / 2);
    wk_buf_init(&written, m, SIZE_MAX / 2);
    size_t n = wk_json_utf8_mended(text, NULL);
    if (wk_buf_room(&mended, n)) {
        wk_json_utf8_mended(text, mended.p);
        mended.n = n;
    }
    wk_json_put_string(&written, wk_buf_str(&mended), ascii);
    wk_json_init(&j, m, 0, 1);
    wk_json_feed(&j, written.p, written.n);
    if (wk_json_next(&j) != WK_JSON_STRING || !wk_str_eq(j.text, wk_buf_str(&mended)))
        __builtin_trap();
    wk_json_release(&j);
    wk_buf_release(&mended);
    wk_buf_release(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    unsigned mode = data[0] & 3;
    size_t piece = 1 + (data[0] >> 2);
    struct wk_str text = wk_str((const char *)data + 1, size - 1);
    struct wk_buf whole, cut;
    wk_buf_init(&whole, m, SIZE_MAX / 2);
    wk_buf_init(&cut, m, SIZE_MAX / 2);
    read_all(m, text, mode, 0, &whole);
    read_all(m, text, mode, piece, &cut);
    if (!wk_str_eq(wk_buf_str(&whole), wk_buf_str(&cut)))
        __builtin_trap();
    write_back(m, text, data[0] & 4);
    wk_buf_release(&whole);
    wk_buf_release(&cut);
    if (wk_mem_used(m))
        __builtin_trap();
    wk_mem_unref(m);
    return 0;
}
