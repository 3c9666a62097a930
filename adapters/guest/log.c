/* log.c - output that is kept: the first and the last bytes of a stream, within a bound
 *
 * The first `room` bytes lie at the file's start; what follows goes round in the `room` bytes behind them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "adapters/guest/guest.h"

int guest_log_open(struct log *l, uint64_t room)
{
    l->total = 0;
    l->room = room / 2 ? room / 2 : 1;
    l->fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (l->fd < 0)
        l->fd = memfd_create("log", MFD_CLOEXEC);
    return l->fd < 0 ? errno : 0;
}

/* Where byte number `at` of the stream lies, and how many lie behind it in a row. */
static off_t place(const struct log *l, uint64_t at, uint64_t *row)
{
    if (at < l->room) {
        *row = l->room - at;
        return (off_t)at;
    }
    uint64_t in_ring = (at - l->room) % l->room;
    *row = l->room - in_ring;
    return (off_t)(l->room + in_ring);
}

void guest_log_put(struct log *l, const void *p, size_t n)
{
    const char *bytes = p;
    while (n) {
        uint64_t row;
        off_t at = place(l, l->total, &row);
        size_t part = n < row ? n : (size_t)row;
        /* What a full disk does not take is lost like what is too old. */
        (void)!pwrite(l->fd, bytes, part, at);
        l->total += part;
        bytes += part;
        n -= part;
    }
}

size_t guest_log_get(const struct log *l, uint64_t *offset, uint64_t *lost, void *dst, size_t n)
{
    uint64_t oldest = l->total > 2 * l->room ? l->total - l->room : l->room; /* of the ring */
    *lost = 0;
    if (*offset > l->total)
        *offset = l->total;
    if (*offset >= l->room && *offset < oldest) {
        *lost = oldest - *offset;
        *offset = oldest;
    }
    size_t got = 0;
    while (got < n && *offset + got < l->total) {
        uint64_t row, at = *offset + got;
        off_t where = place(l, at, &row);
        if (at < l->room && l->total > 2 * l->room && at + row == l->room && got + row < n)
            n = got + (size_t)row; /* what comes next is not what followed */
        size_t part = n - got;
        if (part > row)
            part = (size_t)row;
        if (part > l->total - at)
            part = (size_t)(l->total - at);
        ssize_t r = pread(l->fd, (char *)dst + got, part, where);
        if (r <= 0)
            break;
        got += (size_t)r;
    }
    return got;
}

void guest_log_close(struct log *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}
