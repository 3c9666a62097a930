/* fuzz_parser.c - parse, print, parse again: the same print
 *
 * The first byte chooses options. Printing is a fixed point only from the first print on: what bash
 * prints is not always what it read ($'…' becomes '…'). Left out are
 * - a coproc of a simple command: bash prints its default name, which reads back as its first word;
 * - a here-document whose delimiter holds a newline: no line ends it, its print neither;
 * - a backslash at the very end: it stands for itself, but before the newline that follows a print
 *   it would join lines.
 */
#include "interp/parser.h"

#include "base/err.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 256 << 20 };

/* Prints all commands of text to b; false when it does not parse. *cut: the end of the text ended a
 * here-document. */
static bool print_all(struct wk_parse_opts *o, struct wk_str text, struct wk_buf *b, bool *cut)
{
    struct wk_parser *p = wk_parser_new(o, text);
    struct wk_tree *t;
    int r;
    if (!p)
        return false;
    *cut = false;
    while ((r = wk_parser_next(p, &t)) > 0) {
        *cut |= wk_parser_incomplete(p);
        wk_print_node(b, t->root, WK_PRINT_LINE);
        wk_buf_putc(b, '\n');
        wk_tree_unref(t);
    }
    wk_parser_free(p);
    return r == 0 && !b->failed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 16)
        return 0;
    struct wk_mem *m = wk_mem_new(MEMORY);
    struct wk_names *names = wk_names_new(m, 1);
    struct wk_parse_opts o = {.mem = m, .names = names, .max_depth = 200};
    if (data[0] & 1)
        o.flags |= WK_PARSE_EXTGLOB;
    if (data[0] & 2)
        o.flags |= WK_PARSE_POSIX;
    struct wk_buf one, two, three;
    wk_buf_init(&one, m, SIZE_MAX);
    wk_buf_init(&two, m, SIZE_MAX);
    wk_buf_init(&three, m, SIZE_MAX);
    union {
        const uint8_t *in;
        const char *out;
    } u = {.in = data + 1};
    size_t end = size;
    while (end > 1 && data[end - 1] == 0) /* no byte of a script */
        end--;
    bool backslash = data[end - 1] == '\\';
    bool coproc = wk_str_find(wk_str(u.out, size - 1), WK_STR("coproc")) >= 0;
    bool cut, again, last;
    if (print_all(&o, wk_str(u.out, size - 1), &one, &cut) && !coproc && !backslash) {
        if (print_all(&o, wk_buf_str(&one), &two, &again) && !(cut && again) &&
            print_all(&o, wk_buf_str(&two), &three, &last) && !wk_str_eq(wk_buf_str(&two), wk_buf_str(&three)))
            abort();
    }
    wk_buf_release(&one);
    wk_buf_release(&two);
    wk_buf_release(&three);
    wk_names_free(names);
    if (wk_mem_used(m) != 0)
        abort();
    wk_mem_unref(m);
    return 0;
}
