/* box_spill.c - all of a long output, on its way into a file of the box */
#define _GNU_SOURCE
#include "adapters/sandbox/box_spill.h"

#include "adapters/sandbox/box_file.h"
#include "adapters/sandbox/code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PUT_WAIT_MS = 120000 };

void wk_box_spill_init(struct wk_box_spill *s)
{
    *s = (struct wk_box_spill){.fd = -1};
}

void wk_box_spill_release(struct wk_box_spill *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

/* A file without a name; where the file system has none of those, one that loses its name at once. */
static int open_nameless(void)
{
    static const char *const dirs[] = {"/var/tmp", "/tmp"};
    int fd = -1;
    for (size_t i = 0; i < WK_COUNTOF(dirs) && fd < 0; i++)
        fd = open(dirs[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        char name[] = "/tmp/.whelk-spill-XXXXXX";
        fd = mkostemp(name, O_CLOEXEC);
        if (fd >= 0)
            unlink(name);
    }
    return fd;
}

void wk_box_spill_put(struct wk_box_spill *s, const char *p, size_t n)
{
    if (s->fd < 0 && !s->error) {
        s->fd = open_nameless();
        s->error = s->fd < 0 ? errno : 0;
    }
    if (n > WK_SPILL_MAX - s->n) {
        n = (size_t)(WK_SPILL_MAX - s->n);
        s->over = true;
    }
    while (n && !s->error) {
        ssize_t w = write(s->fd, p, n);
        if (w < 0 && errno != EINTR)
            s->error = errno;
        if (w <= 0)
            continue;
        p += w;
        n -= (size_t)w;
        s->n += (uint64_t)w;
    }
}

static void unmap(struct wk_mem *m, void *data, size_t n)
{
    (void)m;
    munmap(data, n);
}

void wk_box_spill_finish(struct wk_box_spill *s, struct whelk_sandbox *b, const char *path, struct wk_buf *why)
{
    void *map = MAP_FAILED;
    if (s->error) {
        wk_buf_fmt(why, "spill %s: on the way: %s", path, wk_err_text(s->error));
        return;
    }
    if (s->n)
        map = mmap(NULL, (size_t)s->n, PROT_READ, MAP_SHARED, s->fd, 0);
    if (map == MAP_FAILED) {
        wk_buf_fmt(why, "spill %s: it cannot be mapped", path);
        return;
    }
    struct wk_buf words;
    wk_buf_init(&words, b->mem, 1 << 20);
    if (wk_box_put(b, path, 0644, map, (size_t)s->n, unmap, wk_sandbox_deadline(PUT_WAIT_MS), &words) != WHELK_OK)
        wk_buf_fmt(why, "spill %s", wk_buf_c(&words));
    else if (s->over)
        wk_buf_fmt(why, "spill %s: only the first %llu bytes", path, (unsigned long long)s->n);
    wk_buf_release(&words);
}
