/* link.h - the host's end of a connection to the guest helper (guest/protocol.h)
 *
 * Frames are queued and moved by wk_link_pump, which never waits; what arrives goes to the listener of its id. Waiting
 * is the caller's: on wk_link_fds, by poll(2) or as a task.
 *
 * Owner:   the caller; the descriptors are closed with the link. One thread at a time.
 * Limits:  WK_LINK_QUEUE bytes wait to be sent; a guest that sends longer frames than the protocol has is cut off.
 * Trust:   what the guest sends is hostile input.
 */
#ifndef WK_ADAPTERS_LINK_H
#define WK_ADAPTERS_LINK_H

#include "adapters/guest/protocol.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

enum {
    WK_LINK_QUEUE = 4 << 20,
    WK_LINK_BUCKETS = 256,
    WK_LINK_WINDOW = 1 << 20 /* credit that a stream is given at most */
};

struct wk_link_listener {
    struct wk_link_listener *next;
    uint32_t id;
    /* A frame for this id. The body is borrowed. May add and remove listeners, and send. */
    void (*frame)(struct wk_link_listener *l, uint32_t type, struct guest_reader *body);
    /* The connection has ended: nothing more comes. The listener is no longer known. */
    void (*ended)(struct wk_link_listener *l);
};

struct wk_link {
    struct wk_mem *mem;
    int in, out;          /* may be one descriptor; -1: closed */
    bool multiplexed;     /* what arrives is in an engine's frames: stream 1 is ours, stream 2 its messages */
    int error;            /* why it ended: a positive code; 0 while it is open */
    uint32_t next_id;
    struct wk_link_listener *listeners[WK_LINK_BUCKETS];
    unsigned char *queue; /* to be sent: queue[queue_at, queue_n) */
    size_t queue_at, queue_n, queue_cap;
    unsigned char *body;  /* what has arrived: body[body_at, body_n), a frame's beginning */
    size_t body_at, body_n, body_cap;
    bool handing;         /* frames in `body` are being handed over */
    unsigned char *piece; /* multiplexed: what is read at once */
    unsigned char outer[8]; /* header of an engine's frame */
    size_t outer_n;
    uint64_t outer_left;
    uint8_t outer_stream;
    char says[512];       /* the last bytes of stream 2: what went wrong in words */
    size_t says_n;
};

/* Makes a link over descriptors, which become its own and non-blocking. 0 or -WK_ENOMEM (they are closed). */
WK_NODISCARD int wk_link_new(struct wk_mem *m, int in, int out, bool multiplexed, struct wk_link **link);
/* Closes it; listeners are told. NULL is allowed. */
void wk_link_free(struct wk_link *link);

/* An id that nothing listens to. */
uint32_t wk_link_id(struct wk_link *link);
void wk_link_listen(struct wk_link *link, struct wk_link_listener *l);
void wk_link_unlisten(struct wk_link *link, struct wk_link_listener *l);
/* Who listens to an id; NULL. */
struct wk_link_listener *wk_link_find(const struct wk_link *link, uint32_t id);
/* Ends the connection, as when the guest had broken the protocol: listeners are told. */
void wk_link_fail(struct wk_link *link, int error);

/* Queues a frame of body bytes. 0; -WK_EAGAIN when the queue is full, -WK_EPIPE when the link has ended, -WK_ENOMEM. */
WK_NODISCARD int wk_link_send(struct wk_link *link, uint32_t type, uint32_t id, const void *body, size_t n);
/* The same however full the queue is: for what is small, or was welcomed by the guest. */
WK_NODISCARD int wk_link_send_now(struct wk_link *link, uint32_t type, uint32_t id, const void *body, size_t n);
/* Bytes that wait to be sent. */
static inline size_t wk_link_waiting(const struct wk_link *link)
{
    return link->queue_n - link->queue_at;
}
/* Builders of bodies, in a buffer. */
static inline void wk_link_put_u32(struct wk_buf *b, uint32_t v)
{
    unsigned char p[4];
    guest_put_u32(p, v);
    wk_buf_put(b, p, sizeof p);
}
static inline void wk_link_put_u64(struct wk_buf *b, uint64_t v)
{
    unsigned char p[8];
    guest_put_u64(p, v);
    wk_buf_put(b, p, sizeof p);
}
static inline void wk_link_put_text(struct wk_buf *b, struct wk_str s)
{
    wk_link_put_u32(b, (uint32_t)s.n);
    wk_buf_puts(b, s);
}

/* Sends and receives what goes without waiting, at most `turns` times 64 KiB; listeners are called. False when the link
 * has ended. */
bool wk_link_pump(struct wk_link *link, unsigned turns);
/* What poll(2) should watch: fills fd and events, one or two of them; their number, 0 when it has ended. */
size_t wk_link_fds(const struct wk_link *link, int fd[2], short events[2]);
/* Bytes as they arrived, for what was read before the link was made. */
void wk_link_take(struct wk_link *link, const void *p, size_t n);

#endif
