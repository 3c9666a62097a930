/* hostio.h - the host's input and output as files
 *
 * A source feeds standard input: bytes given at once, a host descriptor, or a callback. A sink
 * collects standard output and error and hands them to the host in pieces. Callbacks run on the
 * scheduler's caller's stack, never on a fiber.
 */
#ifndef WK_KERN_HOSTIO_H
#define WK_KERN_HOSTIO_H

#include "kern/file.h"

#define WK_IO_AGAIN  (-2) /* callback: nothing now; wk_kern_wake when there is */
#define WK_IO_CLOSED (-3) /* sink: the reader is gone: SIGPIPE for writers */

struct wk_source {
    enum { WK_SOURCE_EMPTY, WK_SOURCE_BYTES, WK_SOURCE_FD, WK_SOURCE_CALLBACK } kind;
    const char *bytes; /* BYTES: must outlive the run */
    size_t n;
    int fd; /* FD: not closed; never made non-blocking; read only when poll says so */
    /* CALLBACK: bytes read (> 0), 0 at the end, WK_IO_AGAIN, or another negative error. */
    ptrdiff_t (*read)(void *ctx, void *dst, size_t cap);
    void *ctx;
    bool tty;
    bool goes_on; /* CALLBACK: after an end that was read there may be more, as at a terminal */
};

struct wk_sink {
    enum { WK_SINK_NULL, WK_SINK_BUFFER, WK_SINK_FD, WK_SINK_CALLBACK } kind;
    struct wk_buf *buf; /* BUFFER: collected here (shared or one per stream) */
    int fd;             /* FD: written when poll says so; not closed */
    /* CALLBACK: bytes taken (may be fewer), WK_IO_AGAIN, WK_IO_CLOSED. */
    ptrdiff_t (*write)(void *ctx, const void *src, size_t n);
    void *ctx;
    bool tty;
    uint64_t keep; /* BUFFER: store at most so many bytes, count the rest; 0 = all */
    bool count;    /* counts against WK_LIMIT_OUTPUT */
};

int wk_source_file_new(struct wk_kern *k, const struct wk_source *s, struct wk_file **out);
/* The host's input is over (end of a run): who still holds the file finds its end, and nothing asks
 * the host or its memory again. */
void wk_source_end(struct wk_file *f);
/* Bytes that the host gave and nobody has read. */
size_t wk_source_left(const struct wk_file *f);
/* Output is gathered up to 64 KiB and handed over when full, when everything parks, and at
 * wk_sink_flush. Past the output limit the writer breaches. */
int wk_sink_file_new(struct wk_kern *k, const struct wk_sink *s, struct wk_file **out);
/* Point an existing sink elsewhere (end of a run: a job's bounded ring; next run: its streams).
 * Pending bytes go to the old target first. */
void wk_sink_redirect(struct wk_file *f, const struct wk_sink *s);
/* From the scheduler's caller's stack only. 0, or -WK_EAGAIN when the host takes no more now. */
int wk_sink_flush(struct wk_file *f);

/* Bytes written to the sink since it was made, delivered or not. */
uint64_t wk_sink_total(const struct wk_file *f);

#endif
