/* tar.c - writing small tar archives
 *
 * Spec: POSIX.1-2017 pax, "ustar Interchange Format".
 */
#include "adapters/docker/tar.h"

enum { BLOCK = 512, NAME_MAX_BYTES = 100 };

/* n - 1 octal digits and a NUL. */
static void put_octal(char *to, size_t n, uint64_t v)
{
    to[--n] = '\0';
    while (n) {
        to[--n] = (char)('0' + (v & 7));
        v >>= 3;
    }
}

bool wk_tar_put(struct wk_buf *b, const struct wk_tar_entry *e)
{
    char head[BLOCK] = {0};
    size_t n = strlen(e->path);
    unsigned sum = 0;
    if (!n || n > NAME_MAX_BYTES)
        return false;
    memcpy(head, e->path, n);
    put_octal(head + 100, 8, e->mode & 07777);
    put_octal(head + 108, 8, e->uid & 07777777);
    put_octal(head + 116, 8, e->gid & 07777777);
    put_octal(head + 124, 12, e->data.n);
    put_octal(head + 136, 12, 0);
    memset(head + 148, ' ', 8);
    head[156] = e->path[n - 1] == '/' ? '5' : '0';
    memcpy(head + 257, "ustar\00000", 8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)head[i];
    put_octal(head + 148, 7, sum);
    wk_buf_put(b, head, BLOCK);
    wk_buf_puts(b, e->data);
    if (e->data.n % BLOCK)
        wk_buf_fill(b, '\0', BLOCK - e->data.n % BLOCK);
    return !b->failed;
}

bool wk_tar_end(struct wk_buf *b)
{
    return wk_buf_fill(b, '\0', (size_t)2 * BLOCK);
}
