/* test_http.c - the engine's HTTP client: answers cut at every place, requests over a socket pair */
#include "adapters/docker/http.h"
#include "base/err.h"

#include <criterion/criterion.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static struct wk_mem *mem;

static void open_mem(void)
{
    mem = wk_mem_new(SIZE_MAX);
}

static void close_mem(void)
{
    cr_expect_eq(wk_mem_used(mem), 0);
    wk_mem_unref(mem);
}

TestSuite(http, .init = open_mem, .fini = close_mem);

static int64_t soon(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + INT64_C(3000000000);
}

struct sample {
    const char *text; /* of the connection */
    bool head, raw, ends;
    int status;
    enum wk_http_state state;
    const char *body, *behind; /* behind: what is left of the text */
    bool closes;
};

static const struct sample samples[] = {
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP",
     .status = 200, .state = WK_HTTP_DONE, .body = "hello", .behind = "HTTP"},
    {"HTTP/1.1 204 No Content\r\n\r\n", .status = 204, .state = WK_HTTP_DONE, .body = "", .behind = ""},
    {"HTTP/1.1 304\r\nContent-Length: 5\r\n\r\nx", .status = 304, .state = WK_HTTP_DONE, .body = "", .behind = "x"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n"
     "X: y\r\n\r\nrest",
     .status = 200, .state = WK_HTTP_DONE,
     .body = "hello world", .behind = "rest"},
    {"HTTP/1.1 200 OK\nTRANSFER-encoding:  Chunked \n\n3\nabc\n0\n\n",
     .status = 200, .state = WK_HTTP_DONE, .body = "abc", .behind = ""},
    {"HTTP/1.1 500 Oh\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno",
     .status = 500, .state = WK_HTTP_DONE, .body = "no", .behind = "", .closes = true},
    {"HTTP/1.0 200 OK\r\n\r\nuntil the end",
     .ends = true, .status = 200, .state = WK_HTTP_DONE, .body = "until the end", .behind = "", .closes = true},
    {"HTTP/1.1 101 UPGRADED\r\nUpgrade: tcp\r\n\r\nraw",
     .raw = true, .status = 101, .state = WK_HTTP_RAW, .body = "", .behind = "raw"},
    {"HTTP/1.1 200 OK\r\nContent-Type: x\r\n\r\nraw",
     .raw = true, .status = 200, .state = WK_HTTP_RAW, .body = "", .behind = "raw"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n",
     .head = true, .status = 200, .state = WK_HTTP_DONE, .body = "", .behind = ""},
    {"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nshort",
     .ends = true, .status = 200, .state = WK_HTTP_BAD, .body = "short", .behind = "", .closes = true},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
     .ends = true, .status = 200, .state = WK_HTTP_BAD, .body = "hel", .behind = "", .closes = true},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
     .status = 200, .state = WK_HTTP_BAD, .body = "", .behind = ""},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
     .status = 200, .state = WK_HTTP_BAD, .body = "", .behind = ""},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
     .status = 200, .state = WK_HTTP_BAD, .body = "", .behind = ""},
    {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .status = 200, .state = WK_HTTP_BAD, .body = "", .behind = ""},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
     .status = 200, .state = WK_HTTP_BAD, .body = "a", .behind = "0\r\n\r\n"},
    {"SSH-2.0-OpenSSH\r\n\r\n", .state = WK_HTTP_BAD, .body = "", .behind = ""},
};

/* Reads a sample in pieces that end at `cut` and then every `step` bytes. */
static void check_sample(const struct sample *s, size_t cut, size_t step)
{
    struct wk_http_answer a;
    char body[256];
    size_t n = strlen(s->text), at = 0, end = WK_MIN(cut, n), k = 0;
    wk_http_answer_init(&a);
    a.no_body = s->head;
    a.raw = s->raw;
    while (a.state < WK_HTTP_RAW) {
        struct wk_str piece;
        size_t used = wk_http_feed(&a, s->text + at, end - at, &piece);
        cr_assert(at + used <= end && k + piece.n < sizeof body);
        memcpy(body + k, piece.n ? piece.p : "", piece.n);
        k += piece.n;
        at += used;
        if (at == end && end == n)
            break;
        if (at == end)
            end = WK_MIN(end + step, n);
    }
    if (s->ends)
        wk_http_end(&a);
    cr_assert(a.state == s->state && a.status == s->status && a.closes == s->closes,
              "%s cut at %zu: state %d status %d", s->text, cut, a.state, a.status);
    cr_assert(k == strlen(s->body) && memcmp(body, s->body, k) == 0, "%s cut at %zu: body '%.*s'", s->text, cut,
              (int)k, body);
    if (s->state != WK_HTTP_BAD || s->ends)
        cr_assert_str_eq(s->text + at, s->behind);
}

Test(http, answers_cut_anywhere)
{
    for (size_t i = 0; i < WK_COUNTOF(samples); i++)
        for (size_t cut = 1; cut <= strlen(samples[i].text); cut++)
            for (size_t step = 1; step < 4; step++)
                check_sample(&samples[i], cut, step);
}

Test(http, headers)
{
    struct wk_http_answer a;
    struct wk_str piece;
    const char *text = "HTTP/1.1 200 OK\r\nApi-Version:  1.41 \r\nEmpty:\r\nX: a:b\r\n\r\n";
    wk_http_answer_init(&a);
    (void)wk_http_feed(&a, text, strlen(text), &piece);
    cr_assert(wk_str_is(wk_http_header(&a, "api-version"), "1.41"));
    cr_assert(wk_str_is(wk_http_header(&a, "X"), "a:b"));
    cr_assert(wk_http_header(&a, "empty").p && wk_http_header(&a, "empty").n == 0);
    cr_assert_null(wk_http_header(&a, "api").p);
}

Test(http, a_head_without_end_is_refused)
{
    struct wk_http_answer a;
    struct wk_str piece;
    char text[1000];
    memset(text, 'x', sizeof text);
    wk_http_answer_init(&a);
    for (int i = 0; i < 20; i++)
        (void)wk_http_feed(&a, text, sizeof text, &piece);
    cr_assert_eq(a.state, WK_HTTP_BAD);
}

static int peer;

static void open_pair(struct wk_http *h)
{
    int fd[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
    peer = fd[1];
    wk_http_adopt(h, mem, fd[0]);
}

static void say(const char *text)
{
    cr_assert_eq(write(peer, text, strlen(text)), (ssize_t)strlen(text));
}

Test(http, one_request_after_the_other)
{
    struct wk_http h;
    struct wk_buf b;
    char got[512] = "";
    open_pair(&h);
    wk_buf_init(&b, mem, 1000);
    say("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}");
    struct wk_http_request r = {.method = "POST", .path = "/v1.41/x?y=z", .body = WK_STR("{\"a\":1}")};
    cr_assert_eq(wk_http_ask(&h, &r, &b, soon()), 201);
    cr_assert(wk_str_is(wk_buf_str(&b), "{}") && wk_http_reusable(&h));
    cr_assert(read(peer, got, sizeof got - 1) > 0);
    cr_assert_str_eq(got, "POST /v1.41/x?y=z HTTP/1.1\r\nHost: localhost\r\nUser-Agent: whelk\r\n"
                          "Content-Type: application/json\r\n"
                          "Content-Length: 7\r\n\r\n{\"a\":1}");
    wk_buf_reset(&b);
    say("HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nno\n");
    cr_assert_eq(wk_http_ask(&h, &(struct wk_http_request){.method = "GET", .path = "/"}, &b, soon()), 404);
    wk_buf_release(&b);
    wk_http_close(&h);
    close(peer);
}

Test(http, streamed_body_and_early_answer)
{
    struct wk_http h;
    struct wk_buf b;
    char got[512] = "";
    open_pair(&h);
    wk_buf_init(&b, mem, 1000);
    struct wk_http_request r = {.method = "PUT", .path = "/a", .type = "application/x-tar", .streams = true};
    cr_assert_eq(wk_http_begin(&h, &r, soon()), 0);
    cr_assert_eq(wk_http_send(&h, "abc", 3, soon()), 0);
    cr_assert_eq(wk_http_send(&h, NULL, 0, soon()), 0);
    cr_assert(read(peer, got, sizeof got - 1) > 0);
    cr_assert(strstr(got, "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n") != NULL);
    say("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno");
    close(peer);
    cr_assert_eq(wk_http_ask(&h, &(struct wk_http_request){.method = "GET", .path = "/"}, &b, soon()), 404);
    cr_assert(!wk_http_reusable(&h));
    wk_buf_release(&b);
    wk_http_close(&h);
}

Test(http, raw_connection)
{
    struct wk_http h;
    open_pair(&h);
    say("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\n\r\nfirst");
    struct wk_http_request r = {.method = "POST", .path = "/attach", .upgrades = true};
    cr_assert_eq(wk_http_begin(&h, &r, soon()), 0);
    cr_assert_eq(wk_http_status(&h, soon()), 101);
    cr_assert(h.n - h.at == 5 && memcmp(h.in + h.at, "first", 5) == 0);
    int fd = wk_http_detach(&h);
    cr_assert(fd >= 0 && h.fd < 0);
    close(fd);
    close(peer);
}

Test(http, deadlines_and_bounds)
{
    struct wk_http h;
    struct wk_buf b;
    open_pair(&h);
    wk_buf_init(&b, mem, 4);
    struct wk_http_request r = {.method = "GET", .path = "/"};
    cr_assert_eq(wk_http_ask(&h, &r, &b, soon() - INT64_C(2950000000)), -WK_ETIMEDOUT);
    wk_http_close(&h);
    close(peer);
    open_pair(&h);
    say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789");
    cr_assert_eq(wk_http_ask(&h, &r, &b, soon()), -WK_E2BIG);
    wk_http_close(&h);
    close(peer);
    open_pair(&h);
    r.path = "/x y";
    cr_assert_eq(wk_http_ask(&h, &r, &b, soon()), -WK_EINVAL);
    r.path = "/x\r\nEvil: 1";
    cr_assert_eq(wk_http_ask(&h, &r, &b, soon()), -WK_EINVAL);
    wk_http_close(&h);
    close(peer);
    wk_buf_release(&b);
    cr_assert_eq(wk_http_open_unix(&h, mem, "/no/such/socket", soon()), -WK_ENOENT);
    cr_assert_eq(wk_http_open_tcp(&h, mem, "localhost", 1, soon()), -WK_EINVAL);
    cr_assert_eq(wk_http_open_tcp(&h, mem, "127.0.0.1", 1, soon()), -WK_ECONNREFUSED);
}
