/* test_link.c - frames of the guest: cut anywhere, inside an engine's frames, in both directions */
#include "adapters/link/link.h"
#include "base/err.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static struct wk_mem *mem;
static struct wk_link *link_;
static int peer;

static void open_link(bool multiplexed)
{
    int fd[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd), 0);
    peer = fd[1];
    cr_assert_eq(wk_link_new(mem, fd[0], fd[0], multiplexed, &link_), 0);
}

static void open_mem(void)
{
    mem = wk_mem_new(SIZE_MAX);
}

static void close_all(void)
{
    wk_link_free(link_);
    close(peer);
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(link, .init = open_mem, .fini = close_all);

struct heard {
    struct wk_link_listener l;
    char text[256]; /* "TYPE:BODY;" of each frame */
    size_t n;
    int ended;
};

static void hear(struct wk_link_listener *l, uint32_t type, struct guest_reader *r)
{
    struct heard *h = (struct heard *)l;
    size_t n = r->n;
    h->n += (size_t)snprintf(h->text + h->n, sizeof h->text - h->n, "%u:%.*s;", type, (int)n,
                             (const char *)guest_take(r, n));
}

static void hear_end(struct wk_link_listener *l)
{
    ((struct heard *)l)->ended++;
}

static void listen_to(struct heard *h, uint32_t id)
{
    *h = (struct heard){.l = {.id = id, .frame = hear, .ended = hear_end}};
    wk_link_listen(link_, &h->l);
}

static size_t put_frame(unsigned char *p, uint32_t type, uint32_t id, const char *body)
{
    size_t n = strlen(body);
    guest_put_u32(p, (uint32_t)n);
    guest_put_u32(p + 4, type);
    guest_put_u32(p + 8, id);
    memcpy(p + GUEST_HEADER, body, n);
    return GUEST_HEADER + n;
}

static const char *const heard_all = "66:;67:hello;68:;69:x;";

static size_t put_all(unsigned char *p)
{
    size_t n = put_frame(p, 66, 7, "");
    n += put_frame(p + n, 67, 7, "hello");
    n += put_frame(p + n, 80, 9, "for nobody");
    n += put_frame(p + n, 68, 7, "");
    return n + put_frame(p + n, 69, 7, "x");
}

Test(link, frames_cut_anywhere)
{
    unsigned char all[256];
    size_t n = put_all(all);
    for (size_t cut = 0; cut <= n; cut++)
        for (size_t step = 1; step < 5; step++) {
            struct heard h;
            open_link(false);
            listen_to(&h, 7);
            wk_link_take(link_, all, cut);
            for (size_t at = cut; at < n; at += step)
                wk_link_take(link_, all + at, WK_MIN(step, n - at));
            cr_assert_str_eq(h.text, heard_all, "cut at %zu, then every %zu", cut, step);
            wk_link_free(link_);
            close(peer);
            cr_assert_eq(h.ended, 1);
        }
    open_link(false);
}

/* The same inside an engine's frames of `size` bytes, with messages between. */
Test(link, an_engines_frames)
{
    unsigned char all[256], outer[4096];
    size_t n = put_all(all);
    for (size_t size = 1; size <= n; size++) {
        size_t k = 0;
        for (size_t at = 0; at < n; at += size) {
            size_t part = WK_MIN(size, n - at);
            unsigned char head[8] = {1, 0, 0, 0, 0, 0, 0, (unsigned char)part};
            unsigned char message[] = {2, 0, 0, 0, 0, 0, 0, 2, 'n', 'o'};
            memcpy(outer + k, head, sizeof head);
            memcpy(outer + k + 8, all + at, part);
            memcpy(outer + k + 8 + part, message, sizeof message);
            k += 8 + part + sizeof message;
        }
        for (size_t step = 1; step < 20; step += 6) {
            struct heard h;
            open_link(true);
            listen_to(&h, 7);
            for (size_t at = 0; at < k; at += step)
                wk_link_take(link_, outer + at, WK_MIN(step, k - at));
            cr_assert_str_eq(h.text, heard_all, "frames of %zu", size);
            cr_assert(link_->says_n >= 2 && memcmp(link_->says, "no", 2) == 0);
            wk_link_free(link_);
            close(peer);
        }
    }
    open_link(true);
}

Test(link, both_directions)
{
    unsigned char frame[64], got[64];
    struct heard h;
    open_link(false);
    listen_to(&h, 1);
    cr_assert_eq(wk_link_send(link_, 5, 1, "abc", 3), 0);
    cr_assert(wk_link_pump(link_, 1));
    size_t n = put_frame(frame, 5, 1, "abc");
    cr_assert_eq(read(peer, got, sizeof got), (ssize_t)n);
    cr_assert_eq(memcmp(got, frame, n), 0);
    cr_assert_eq(write(peer, frame, n), (ssize_t)n);
    cr_assert(wk_link_pump(link_, 1));
    cr_assert_str_eq(h.text, "5:abc;");
    close(peer);
    cr_assert(!wk_link_pump(link_, 1));
    cr_assert(h.ended == 1 && link_->error == WK_EPIPE && wk_link_send(link_, 1, 1, "", 0) == -WK_EPIPE);
}

Test(link, the_queue_is_bounded)
{
    static char bulk[65536];
    int r = 0, sent = 0, fd[2];
    short events[2];
    open_link(false);
    while ((r = wk_link_send(link_, 1, 1, bulk, sizeof bulk)) == 0)
        sent++;
    cr_assert(r == -WK_EAGAIN && sent == WK_LINK_QUEUE / (int)(sizeof bulk + GUEST_HEADER));
    cr_assert(wk_link_pump(link_, 1));
    cr_assert(wk_link_fds(link_, fd, events) == 1 && events[0] & 4 /* POLLOUT */);
    cr_assert_eq(wk_link_send(link_, 1, 1, bulk, GUEST_BODY_MAX + 1), -WK_EINVAL);
    size_t total = 0;
    for (int i = 0; i < 100000 && total < (size_t)sent * (sizeof bulk + GUEST_HEADER); i++) {
        static char sink[65536];
        ssize_t n = read(peer, sink, sizeof sink);
        total += n > 0 ? (size_t)n : 0;
        cr_assert(wk_link_pump(link_, 1));
    }
    cr_assert_eq(total, (size_t)sent * (sizeof bulk + GUEST_HEADER));
    cr_assert_eq(link_->queue_at, link_->queue_n);
}

Test(link, a_frame_that_is_too_long_ends_it)
{
    unsigned char head[GUEST_HEADER] = {0xff, 0xff, 0xff, 0xff};
    struct heard h;
    open_link(false);
    listen_to(&h, 1);
    wk_link_take(link_, head, sizeof head);
    cr_assert(link_->error == WK_EPROTO && h.ended == 1);
    cr_assert_eq(wk_link_fds(link_, (int[2]){0}, (short[2]){0}), 0);
}

Test(link, listeners_come_and_go)
{
    struct heard a, b;
    unsigned char frame[64];
    open_link(false);
    listen_to(&a, wk_link_id(link_));
    listen_to(&b, wk_link_id(link_));
    cr_assert_neq(a.l.id, b.l.id);
    wk_link_unlisten(link_, &a.l);
    wk_link_take(link_, frame, put_frame(frame, 9, a.l.id, "x"));
    wk_link_take(link_, frame, put_frame(frame, 9, b.l.id, "y"));
    cr_assert(a.n == 0 && strcmp(b.text, "9:y;") == 0);
    wk_link_unlisten(link_, &b.l);
}
