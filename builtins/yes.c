/* yes.c - print a line until the reader has enough
 *
 * Standard: GNU coreutils 9.1. Oracle: yes.
 */
#include "kern/cmd.h"

#define YES_BLOCK ((size_t)16384)

static int yes_main(struct wk_cmd *c)
{
    size_t n = 2;
    if (c->nargs) {
        n = 0;
        for (int i = 0; i < c->nargs; i++)
            n += strlen(c->args[i]) + 1;
    }
    size_t copies = n < YES_BLOCK ? YES_BLOCK / n : 1;
    char *block = (char *)wk_heap_alloc(c->heap, n * copies);
    size_t at = 0;
    for (int i = 0; i < c->nargs; i++) {
        size_t len = strlen(c->args[i]);
        memcpy(block + at, c->args[i], len);
        at += len;
        block[at++] = i + 1 < c->nargs ? ' ' : '\n';
    }
    if (!c->nargs)
        memcpy(block, "y\n", 2);
    for (size_t i = 1; i < copies; i++)
        memcpy(block + i * n, block, n);
    for (;;) {
        wk_out_put(c->out, block, n * copies);
        if (c->out->err && c->out->err != WK_EPIPE) {
            wk_msg(c, "standard output: %s", wk_err_text(c->out->err));
            c->out->err = 0; /* said */
        }
        if (c->out->err || c->status)
            return 1;
        wk_tick(c, (uint32_t)(n * copies / 64 + 1));
    }
}

WK_COMMAND(yes, .summary = "output a string repeatedly until killed",
           .usage = "yes [STRING]...\nyes OPTION", .std = "coreutils 9.1");
