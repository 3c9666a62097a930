/* link.c - the host's end of a connection to the guest helper */
#define _GNU_SOURCE
#include "adapters/link/link.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 65536, OUTER_HEADER = 8, BODY_ROOM = 4 * PIECE };

int wk_link_new(struct wk_mem *m, int in, int out, bool multiplexed, struct wk_link **link)
{
    struct wk_link *l = WK_NEW(m, struct wk_link);
    *link = l;
    if (!l) {
        close(in);
        if (out != in)
            close(out);
        return -WK_ENOMEM;
    }
    l->mem = m;
    l->in = in;
    l->out = out;
    l->multiplexed = multiplexed;
    (void)fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
    (void)fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
    return 0;
}

/* Nothing more comes or goes. */
void wk_link_fail(struct wk_link *l, int error)
{
    if (l->error)
        return;
    l->error = error ? error : WK_EPIPE;
    if (l->out >= 0 && l->out != l->in)
        close(l->out);
    if (l->in >= 0)
        close(l->in);
    l->in = l->out = -1;
    for (size_t i = 0; i < WK_LINK_BUCKETS; i++)
        while (l->listeners[i]) {
            struct wk_link_listener *one = l->listeners[i];
            l->listeners[i] = one->next;
            one->next = NULL;
            if (one->ended)
                one->ended(one);
        }
}

void wk_link_free(struct wk_link *l)
{
    if (!l)
        return;
    wk_link_fail(l, WK_ECANCELED);
    wk_free(l->mem, l->queue);
    wk_free(l->mem, l->body);
    wk_free(l->mem, l->piece);
    wk_free(l->mem, l);
}

/* ---- listeners -------------------------------------------------------------------------------------- */

struct wk_link_listener *wk_link_find(const struct wk_link *l, uint32_t id)
{
    struct wk_link_listener *one = l->listeners[id % WK_LINK_BUCKETS];
    while (one && one->id != id)
        one = one->next;
    return one;
}

uint32_t wk_link_id(struct wk_link *l)
{
    do
        l->next_id++;
    while (wk_link_find(l, l->next_id));
    return l->next_id;
}

void wk_link_listen(struct wk_link *l, struct wk_link_listener *one)
{
    struct wk_link_listener **at = &l->listeners[one->id % WK_LINK_BUCKETS];
    one->next = *at;
    *at = one;
}

void wk_link_unlisten(struct wk_link *l, struct wk_link_listener *one)
{
    for (struct wk_link_listener **at = &l->listeners[one->id % WK_LINK_BUCKETS]; *at; at = &(*at)->next)
        if (*at == one) {
            *at = one->next;
            one->next = NULL;
            return;
        }
}

/* ---- sending ---------------------------------------------------------------------------------------- */

static bool make_room(struct wk_mem *m, unsigned char **p, size_t *cap, size_t need)
{
    if (need <= *cap)
        return true;
    size_t size = *cap ? *cap : 4096;
    while (size < need)
        size *= 2;
    unsigned char *more = wk_realloc(m, *p, size);
    if (!more)
        return false;
    *p = more;
    *cap = size;
    return true;
}

int wk_link_send_now(struct wk_link *l, uint32_t type, uint32_t id, const void *body, size_t n)
{
    size_t waiting = wk_link_waiting(l);
    if (l->error)
        return -WK_EPIPE;
    if (n > GUEST_BODY_MAX)
        return -WK_EINVAL;
    if (l->queue_at && (!waiting || l->queue_n + GUEST_HEADER + n > l->queue_cap)) {
        memmove(l->queue, l->queue + l->queue_at, waiting);
        l->queue_at = 0;
        l->queue_n = waiting;
    }
    if (!make_room(l->mem, &l->queue, &l->queue_cap, l->queue_n + GUEST_HEADER + n))
        return -WK_ENOMEM;
    unsigned char *p = l->queue + l->queue_n;
    guest_put_u32(p, (uint32_t)n);
    guest_put_u32(p + 4, type);
    guest_put_u32(p + 8, id);
    if (n)
        memcpy(p + GUEST_HEADER, body, n);
    l->queue_n += GUEST_HEADER + n;
    return 0;
}

int wk_link_send(struct wk_link *l, uint32_t type, uint32_t id, const void *body, size_t n)
{
    if (n <= GUEST_BODY_MAX && wk_link_waiting(l) + GUEST_HEADER + n > WK_LINK_QUEUE)
        return l->error ? -WK_EPIPE : -WK_EAGAIN;
    return wk_link_send_now(l, type, id, body, n);
}

static ssize_t write_some(int fd, const void *p, size_t n)
{
    ssize_t r = send(fd, p, n, MSG_NOSIGNAL);
    return r < 0 && errno == ENOTSOCK ? write(fd, p, n) : r;
}

static bool send_waiting(struct wk_link *l)
{
    while (!l->error && l->queue_n > l->queue_at) {
        ssize_t n = write_some(l->out, l->queue + l->queue_at, l->queue_n - l->queue_at);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        if (n < 0) /* what it said before it went may still be read */
            return false;
        l->queue_at += (size_t)n;
    }
    return true;
}

/* ---- receiving -------------------------------------------------------------------------------------- */

/* Hands over the whole frames that have arrived. Bytes that a listener makes arrive meanwhile go behind them. */
static void hand_over(struct wk_link *l)
{
    if (l->handing)
        return;
    l->handing = true;
    while (!l->error && l->body_n - l->body_at >= GUEST_HEADER) {
        const unsigned char *p = l->body + l->body_at;
        size_t n = guest_get_u32(p);
        if (n > GUEST_BODY_MAX) {
            wk_link_fail(l, WK_EPROTO);
            break;
        }
        if (l->body_n - l->body_at < GUEST_HEADER + n)
            break;
        struct wk_link_listener *one = wk_link_find(l, guest_get_u32(p + 8));
        struct guest_reader r = {p + GUEST_HEADER, n, false};
        l->body_at += GUEST_HEADER + n;
        if (one && one->frame)
            one->frame(one, guest_get_u32(p + 4), &r);
    }
    l->handing = false;
}

/* Room for bytes that arrive: for the rest of a frame, and at least a piece. Its size; 0 without memory. */
static size_t room_for_more(struct wk_link *l)
{
    size_t have = l->body_n - l->body_at, want = BODY_ROOM;
    if (have >= GUEST_HEADER && guest_get_u32(l->body + l->body_at) <= GUEST_BODY_MAX)
        want = GUEST_HEADER + (size_t)guest_get_u32(l->body + l->body_at);
    want = want < BODY_ROOM ? BODY_ROOM : want;
    if (have == 0) {
        l->body_at = l->body_n = 0;
    } else if (l->body_at && l->body_at + want > l->body_cap) {
        memmove(l->body, l->body + l->body_at, have);
        l->body_at = 0;
        l->body_n = have;
    }
    if (!make_room(l->mem, &l->body, &l->body_cap, l->body_at + want)) {
        wk_link_fail(l, WK_ENOMEM);
        return 0;
    }
    return l->body_cap - l->body_n;
}

/* Bytes of the guest's own stream. */
static void take_frames(struct wk_link *l, const unsigned char *p, size_t n)
{
    while (n && !l->error) {
        size_t part = room_for_more(l);
        if (!part)
            return;
        part = part < n ? part : n;
        memcpy(l->body + l->body_n, p, part);
        l->body_n += part;
        p += part;
        n -= part;
        hand_over(l);
    }
}

/* The engine's stream 2: the last of it is kept. */
static void take_message(struct wk_link *l, const unsigned char *p, size_t n)
{
    size_t room = sizeof l->says;
    if (n > room) {
        p += n - room;
        n = room;
    }
    if (l->says_n + n > room) {
        size_t drop = l->says_n + n - room;
        memmove(l->says, l->says + drop, l->says_n - drop);
        l->says_n -= drop;
    }
    memcpy(l->says + l->says_n, p, n);
    l->says_n += n;
}

void wk_link_take(struct wk_link *l, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    if (!l->multiplexed) {
        take_frames(l, p, n);
        return;
    }
    while (n && !l->error) {
        if (!l->outer_left) {
            l->outer[l->outer_n++] = *p++;
            n--;
            if (l->outer_n < OUTER_HEADER)
                continue;
            l->outer_n = 0;
            l->outer_stream = l->outer[0];
            for (int i = 4; i < OUTER_HEADER; i++)
                l->outer_left = l->outer_left << 8 | l->outer[i];
            continue;
        }
        size_t part = l->outer_left < n ? (size_t)l->outer_left : n;
        if (l->outer_stream == 1)
            take_frames(l, p, part);
        else
            take_message(l, p, part);
        l->outer_left -= part;
        p += part;
        n -= part;
    }
}

/* Reads once; false when there is nothing more at present. */
static bool receive(struct wk_link *l)
{
    if (l->multiplexed && !l->piece && !(l->piece = wk_alloc(l->mem, PIECE))) {
        wk_link_fail(l, WK_ENOMEM);
        return false;
    }
    size_t room = l->multiplexed ? PIECE : room_for_more(l);
    if (!room || l->handing)
        return false;
    ssize_t n = read(l->in, l->multiplexed ? l->piece : l->body + l->body_n, room);
    if (n < 0 && errno == EINTR)
        return true;
    if (n < 0 && errno == EAGAIN)
        return false;
    if (n <= 0) {
        wk_link_fail(l, n < 0 && errno < 134 ? errno : WK_EPIPE);
        return false;
    }
    if (l->multiplexed) {
        wk_link_take(l, l->piece, (size_t)n);
    } else {
        l->body_n += (size_t)n;
        hand_over(l);
    }
    return true;
}

bool wk_link_pump(struct wk_link *l, unsigned turns)
{
    bool sends = send_waiting(l);
    for (unsigned i = 0; i < turns && !l->error; i++)
        if (!receive(l))
            break;
    if (!sends)
        wk_link_fail(l, WK_EPIPE);
    else
        (void)send_waiting(l);
    return !l->error;
}

size_t wk_link_fds(const struct wk_link *l, int fd[2], short events[2])
{
    bool sends = l->queue_n > l->queue_at;
    if (l->error)
        return 0;
    fd[0] = l->in;
    events[0] = POLLIN;
    if (l->in == l->out) {
        events[0] = (short)(POLLIN | (sends ? POLLOUT : 0));
        return 1;
    }
    fd[1] = l->out;
    events[1] = sends ? POLLOUT : 0;
    return sends ? 2 : 1;
}
