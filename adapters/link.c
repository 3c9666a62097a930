/* link.c - the host's end of a connection to the guest helper */
#define _GNU_SOURCE
#include "adapters/link.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 65536, OUTER_HEADER = 8 };

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
static void end_link(struct wk_link *l, int error)
{
    if (l->error)
        return;
    l->error = error ? error : WK_EPIPE;
    if (l->out >= 0 && l->out != l->in)
        close(l->out);
    if (l->in >= 0)
        close(l->in);
    l->in = l->out = -1;
    while (l->listeners) {
        struct wk_link_listener *one = l->listeners;
        l->listeners = one->next;
        one->next = NULL;
        if (one->ended)
            one->ended(one);
    }
}

void wk_link_free(struct wk_link *l)
{
    if (!l)
        return;
    end_link(l, WK_ECANCELED);
    wk_free(l->mem, l->queue);
    wk_free(l->mem, l->body);
    wk_free(l->mem, l);
}

/* ---- listeners -------------------------------------------------------------------------------------- */

static struct wk_link_listener *listener_of(const struct wk_link *l, uint32_t id)
{
    struct wk_link_listener *one = l->listeners;
    while (one && one->id != id)
        one = one->next;
    return one;
}

uint32_t wk_link_id(struct wk_link *l)
{
    do
        l->next_id++;
    while (listener_of(l, l->next_id));
    return l->next_id;
}

void wk_link_listen(struct wk_link *l, struct wk_link_listener *one)
{
    one->next = l->listeners;
    l->listeners = one;
}

void wk_link_unlisten(struct wk_link *l, struct wk_link_listener *one)
{
    for (struct wk_link_listener **at = &l->listeners; *at; at = &(*at)->next)
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

int wk_link_send(struct wk_link *l, uint32_t type, uint32_t id, const void *body, size_t n)
{
    size_t waiting = l->queue_n - l->queue_at;
    if (l->error)
        return -WK_EPIPE;
    if (n > GUEST_BODY_MAX || waiting + GUEST_HEADER + n > WK_LINK_QUEUE)
        return n > GUEST_BODY_MAX ? -WK_EINVAL : -WK_EAGAIN;
    if (l->queue_at) {
        memmove(l->queue, l->queue + l->queue_at, waiting);
        l->queue_at = 0;
        l->queue_n = waiting;
    }
    if (!make_room(l->mem, &l->queue, &l->queue_cap, waiting + GUEST_HEADER + n))
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

static void hand_over(struct wk_link *l, uint32_t type, uint32_t id, const unsigned char *body, size_t n)
{
    struct wk_link_listener *one = listener_of(l, id);
    struct guest_reader r = {body, n, false};
    if (one && one->frame)
        one->frame(one, type, &r);
}

/* Bytes of the guest's own stream. Frames that lie whole in p are handed over where they are. */
static void take_frames(struct wk_link *l, const unsigned char *p, size_t n)
{
    while (n && !l->error) {
        size_t need = GUEST_HEADER;
        const unsigned char *head = l->body_n >= GUEST_HEADER ? l->body : !l->body_n && n >= GUEST_HEADER ? p : NULL;
        if (head)
            need += guest_get_u32(head);
        if (need > GUEST_HEADER + GUEST_BODY_MAX) {
            end_link(l, WK_EPROTO);
            return;
        }
        if (head == p && n >= need) {
            hand_over(l, guest_get_u32(p + 4), guest_get_u32(p + 8), p + GUEST_HEADER, need - GUEST_HEADER);
            p += need;
            n -= need;
            continue;
        }
        size_t part = need - l->body_n < n ? need - l->body_n : n;
        if (!make_room(l->mem, &l->body, &l->body_cap, l->body_n + part)) {
            end_link(l, WK_ENOMEM);
            return;
        }
        memcpy(l->body + l->body_n, p, part);
        l->body_n += part;
        p += part;
        n -= part;
        if (l->body_n >= GUEST_HEADER && l->body_n == GUEST_HEADER + (size_t)guest_get_u32(l->body)) {
            need = l->body_n;
            l->body_n = 0;
            hand_over(l, guest_get_u32(l->body + 4), guest_get_u32(l->body + 8), l->body + GUEST_HEADER,
                      need - GUEST_HEADER);
        }
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

bool wk_link_pump(struct wk_link *l, unsigned turns)
{
    unsigned char piece[PIECE / 8];
    bool sends = send_waiting(l);
    for (unsigned i = 0; i < 8 * turns && !l->error; i++) {
        ssize_t n = read(l->in, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n <= 0) {
            end_link(l, n < 0 && errno < 134 ? errno : WK_EPIPE);
            break;
        }
        wk_link_take(l, piece, (size_t)n);
    }
    if (!sends)
        end_link(l, WK_EPIPE);
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
