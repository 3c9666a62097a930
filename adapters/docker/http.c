/* http.c - a small HTTP/1.1 client for a container engine
 *
 * Spec: RFC 9112.
 */
#define _GNU_SOURCE
#include "adapters/docker/http.h"

#include "base/err.h"
#include "base/num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* ---- reading an answer ---------------------------------------------------------------------------- */

void wk_http_answer_init(struct wk_http_answer *a)
{
    a->state = WK_HTTP_IN_HEAD;
    a->status = 0;
    a->left = 0;
    a->closes = a->no_body = a->raw = false;
    a->head_n = a->line_n = 0;
}

static bool same_name(struct wk_str s, const char *name)
{
    size_t i = 0;
    while (i < s.n && name[i] && wk_to_lower((unsigned char)s.p[i]) == wk_to_lower((unsigned char)name[i]))
        i++;
    return i == s.n && !name[i];
}

struct wk_str wk_http_header(const struct wk_http_answer *a, const char *name)
{
    struct wk_str rest = wk_str(a->head, a->head_n);
    for (;;) {
        ptrdiff_t end = wk_str_chr(rest, '\n');
        if (end < 0)
            return wk_str(NULL, 0);
        rest = wk_str_from(rest, (size_t)end + 1); /* the first line is the status */
        ptrdiff_t stop = wk_str_chr(rest, '\n'), colon = wk_str_chr(rest, ':');
        if (stop < 0)
            return wk_str(NULL, 0);
        if (colon > 0 && colon < stop && same_name(wk_str_take(rest, (size_t)colon), name)) {
            struct wk_str v = wk_str(rest.p + colon + 1, (size_t)(stop - colon - 1));
            return wk_str_trim(v);
        }
    }
}

static bool has_token(struct wk_str list, const char *token)
{
    while (list.n) {
        ptrdiff_t comma = wk_str_chr(list, ',');
        struct wk_str one = wk_str_trim(comma < 0 ? list : wk_str_take(list, (size_t)comma));
        if (same_name(one, token))
            return true;
        list = comma < 0 ? wk_str(NULL, 0) : wk_str_from(list, (size_t)comma + 1);
    }
    return false;
}

/* What comes behind a complete head. */
static enum wk_http_state after_head(struct wk_http_answer *a)
{
    uint64_t status;
    struct wk_str head = wk_str(a->head, a->head_n);
    if (head.n < 12 || memcmp(head.p, "HTTP/1.", 7) != 0 || head.p[8] != ' ' ||
        wk_parse_u64(wk_str(head.p + 9, 3), 10, &status) != 0 || status < 100)
        return WK_HTTP_BAD;
    a->status = (int)status;
    struct wk_str connection = wk_http_header(a, "connection"), coding = wk_http_header(a, "transfer-encoding"),
                  length = wk_http_header(a, "content-length");
    a->closes = has_token(connection, "close") || (head.p[7] == '0' && !has_token(connection, "keep-alive"));
    if (status == 101 || (a->raw && status < 300 && status >= 200))
        return WK_HTTP_RAW;
    if (a->no_body || status < 200 || status == 204 || status == 304)
        return WK_HTTP_DONE;
    if (coding.p)
        return has_token(coding, "chunked") ? WK_HTTP_IN_SIZE : WK_HTTP_BAD;
    if (length.p) {
        if (wk_parse_u64(length, 10, &a->left) != 0)
            return WK_HTTP_BAD;
        return a->left ? WK_HTTP_IN_BODY : WK_HTTP_DONE;
    }
    a->closes = true;
    return WK_HTTP_UNTIL_END;
}

static size_t feed_head(struct wk_http_answer *a, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a->head_n == sizeof a->head) {
            a->state = WK_HTTP_BAD;
            return i;
        }
        a->head[a->head_n++] = p[i];
        size_t k = a->head_n;
        bool blank = p[i] == '\n' && ((k >= 2 && a->head[k - 2] == '\n') ||
                                      (k >= 3 && a->head[k - 2] == '\r' && a->head[k - 3] == '\n'));
        if (blank) {
            a->state = after_head(a);
            return i + 1;
        }
    }
    return n;
}

/* A line of at most a few characters: a chunk's size, with what may follow a semicolon passed over. */
static size_t feed_size(struct wk_http_answer *a, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != '\n') {
            if (a->line_n < sizeof a->line)
                a->line[a->line_n++] = p[i];
            continue;
        }
        size_t k = 0;
        while (k < a->line_n && wk_is_xdigit((unsigned char)a->line[k]))
            k++;
        bool ok = k > 0 && k <= 15 && wk_parse_u64(wk_str(a->line, k), 16, &a->left) == 0;
        a->line_n = 0;
        a->state = !ok ? WK_HTTP_BAD : a->left ? WK_HTTP_IN_CHUNK : WK_HTTP_IN_TRAILER;
        return i + 1;
    }
    return n;
}

/* A line that ends: of a trailer, where an empty one is the end, or behind a chunk, where it must be empty. */
static size_t feed_line(struct wk_http_answer *a, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\r')
            continue;
        if (p[i] != '\n') {
            a->line_n = 1;
            continue;
        }
        bool empty = a->line_n == 0;
        a->line_n = 0;
        if (a->state == WK_HTTP_IN_CHUNK_END)
            a->state = empty ? WK_HTTP_IN_SIZE : WK_HTTP_BAD;
        else if (empty)
            a->state = WK_HTTP_DONE;
        return i + 1;
    }
    return n;
}

size_t wk_http_feed(struct wk_http_answer *a, const char *p, size_t n, struct wk_str *piece)
{
    size_t used = 0;
    *piece = wk_str(NULL, 0);
    while (used < n && !piece->n) {
        size_t rest = n - used;
        switch (a->state) {
        case WK_HTTP_IN_HEAD:
            used += feed_head(a, p + used, rest);
            if (a->state != WK_HTTP_IN_HEAD)
                return used;
            break;
        case WK_HTTP_IN_SIZE: used += feed_size(a, p + used, rest); break;
        case WK_HTTP_IN_CHUNK_END:
        case WK_HTTP_IN_TRAILER: used += feed_line(a, p + used, rest); break;
        case WK_HTTP_IN_BODY:
        case WK_HTTP_IN_CHUNK:
            rest = rest < a->left ? rest : (size_t)a->left;
            *piece = wk_str(p + used, rest);
            used += rest;
            a->left -= rest;
            if (!a->left)
                a->state = a->state == WK_HTTP_IN_BODY ? WK_HTTP_DONE : WK_HTTP_IN_CHUNK_END;
            break;
        case WK_HTTP_UNTIL_END:
            *piece = wk_str(p + used, rest);
            used = n;
            break;
        case WK_HTTP_RAW:
        case WK_HTTP_DONE:
        case WK_HTTP_BAD: return used;
        }
    }
    return used;
}

void wk_http_end(struct wk_http_answer *a)
{
    a->closes = true;
    if (a->state == WK_HTTP_UNTIL_END)
        a->state = WK_HTTP_DONE;
    else if (a->state != WK_HTTP_DONE && a->state != WK_HTTP_RAW)
        a->state = WK_HTTP_BAD;
}

/* What the host's system said; its numbers are ours. */
static int host_error(int err)
{
    return err > 0 && err < 134 ? -err : -WK_EIO;
}

/* ---- waiting --------------------------------------------------------------------------------------- */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* 0 when the descriptor is ready. */
static int wait_for(int fd, short events, int64_t deadline)
{
    for (;;) {
        int64_t left = deadline - now_ns();
        if (left <= 0)
            return -WK_ETIMEDOUT;
        struct pollfd p = {.fd = fd, .events = events};
        int64_t ms = left / 1000000 + 1;
        int r = poll(&p, 1, ms > INT32_MAX ? INT32_MAX : (int)ms);
        if (r > 0)
            return 0;
        if (r < 0 && errno != EINTR)
            return host_error(errno);
    }
}

static int send_all(struct wk_http *h, const void *p, size_t n, int64_t deadline)
{
    const char *at = p;
    while (n) {
        ssize_t r = send(h->fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (r >= 0) {
            at += r;
            n -= (size_t)r;
            continue;
        }
        int err = errno;
        if (err == EINTR)
            continue;
        if (err != EAGAIN && err != EWOULDBLOCK)
            return err == ECONNRESET ? -WK_EPIPE : host_error(err);
        int w = wait_for(h->fd, POLLOUT, deadline);
        if (w)
            return w;
    }
    return 0;
}

/* More bytes into h->in: 1; 0 at the end of the connection. */
static int read_more(struct wk_http *h, int64_t deadline)
{
    h->at = h->n = 0;
    for (;;) {
        ssize_t r = recv(h->fd, h->in, sizeof h->in, MSG_DONTWAIT);
        if (r > 0) {
            h->n = (size_t)r;
            return 1;
        }
        int err = errno;
        if (r == 0 || err == ECONNRESET)
            return 0;
        if (err == EINTR)
            continue;
        if (err != EAGAIN && err != EWOULDBLOCK)
            return host_error(err);
        int w = wait_for(h->fd, POLLIN, deadline);
        if (w)
            return w;
    }
}

/* ---- connections ----------------------------------------------------------------------------------- */

void wk_http_adopt(struct wk_http *h, struct wk_mem *m, int fd)
{
    h->mem = m;
    h->fd = fd;
    h->at = h->n = 0;
    wk_http_answer_init(&h->answer);
    h->answer.state = WK_HTTP_DONE;
}

static int connect_to(struct wk_http *h, struct wk_mem *m, int family, const struct sockaddr *a, socklen_t n,
                      int64_t deadline)
{
    wk_http_adopt(h, m, socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (h->fd < 0)
        return host_error(errno);
    int err = connect(h->fd, a, n) == 0 ? 0 : errno, r;
    while (err == EAGAIN) { /* a Unix socket whose queue is full */
        struct timespec pause = {.tv_nsec = 1000000};
        if (now_ns() >= deadline)
            break;
        nanosleep(&pause, NULL);
        err = connect(h->fd, a, n) == 0 ? 0 : errno;
    }
    if (err == EINPROGRESS) {
        socklen_t size = sizeof err;
        r = wait_for(h->fd, POLLOUT, deadline);
        if (r == 0 && getsockopt(h->fd, SOL_SOCKET, SO_ERROR, &err, &size) != 0)
            err = errno;
    } else {
        r = err == EAGAIN ? -WK_ETIMEDOUT : 0;
    }
    r = r ? r : err ? host_error(err) : 0;
    if (r)
        wk_http_close(h);
    return r;
}

int wk_http_open_unix(struct wk_http *h, struct wk_mem *m, const char *path, int64_t deadline)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    size_t n = strlen(path);
    h->fd = -1;
    if (n >= sizeof a.sun_path)
        return -WK_ENAMETOOLONG;
    memcpy(a.sun_path, path, n + 1);
    return connect_to(h, m, AF_UNIX, (const struct sockaddr *)&a, sizeof a, deadline);
}

int wk_http_open_tcp(struct wk_http *h, struct wk_mem *m, const char *address, uint16_t port, int64_t deadline)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    int r = -WK_EINVAL;
    h->fd = -1;
    if (inet_pton(AF_INET, address, &v4.sin_addr) == 1)
        r = connect_to(h, m, AF_INET, (const struct sockaddr *)&v4, sizeof v4, deadline);
    else if (inet_pton(AF_INET6, address, &v6.sin6_addr) == 1)
        r = connect_to(h, m, AF_INET6, (const struct sockaddr *)&v6, sizeof v6, deadline);
    if (r == 0)
        (void)setsockopt(h->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return r;
}

void wk_http_close(struct wk_http *h)
{
    if (h->fd >= 0)
        close(h->fd);
    h->fd = -1;
}

int wk_http_detach(struct wk_http *h)
{
    int fd = h->fd;
    h->fd = -1;
    return fd;
}

bool wk_http_reusable(const struct wk_http *h)
{
    return h->fd >= 0 && h->answer.state == WK_HTTP_DONE && !h->answer.closes && h->at == h->n;
}

/* ---- requests -------------------------------------------------------------------------------------- */

/* Whether a text can stand in the request's first line or in a header. */
static bool is_plain(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s <= ' ' || *s == 127)
            return false;
    return true;
}

int wk_http_begin(struct wk_http *h, const struct wk_http_request *r, int64_t deadline)
{
    struct wk_buf b;
    const char *host = r->host ? r->host : "localhost", *type = r->type ? r->type : "application/json";
    if (!is_plain(r->method) || !is_plain(r->path) || !is_plain(host) || !is_plain(type))
        return -WK_EINVAL;
    wk_http_answer_init(&h->answer);
    h->answer.no_body = strcmp(r->method, "HEAD") == 0;
    h->answer.raw = r->upgrades;
    wk_buf_init(&b, h->mem, WK_HTTP_HEAD);
    wk_buf_fmt(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: whelk\r\n", r->method, r->path, host);
    if (r->upgrades)
        wk_buf_put_c(&b, "Connection: Upgrade\r\nUpgrade: tcp\r\n");
    if (r->body.p || r->streams)
        wk_buf_fmt(&b, "Content-Type: %s\r\n", type);
    if (r->streams)
        wk_buf_put_c(&b, "Transfer-Encoding: chunked\r\n");
    else if (r->body.p || strcmp(r->method, "POST") == 0 || strcmp(r->method, "PUT") == 0)
        wk_buf_fmt(&b, "Content-Length: %zu\r\n", r->body.p ? r->body.n : 0);
    wk_buf_put_c(&b, r->headers ? r->headers : "");
    wk_buf_put_c(&b, "\r\n");
    int err = b.failed ? -WK_ENOMEM : send_all(h, b.p, b.n, deadline);
    wk_buf_release(&b);
    if (!err && r->body.p && !r->streams)
        err = send_all(h, r->body.p, r->body.n, deadline);
    return err;
}

int wk_http_send(struct wk_http *h, const void *p, size_t n, int64_t deadline)
{
    char line[WK_NUM_MAX + 2];
    size_t k = wk_fmt_u64(line, n, 16);
    line[k++] = '\r';
    line[k++] = '\n';
    int err = send_all(h, line, k, deadline);
    if (!err && n)
        err = send_all(h, p, n, deadline);
    return err ? err : send_all(h, "\r\n", 2, deadline);
}

/* Feeds what was read until the state changes or there is a piece. 0, or a code. */
static int advance(struct wk_http *h, struct wk_str *piece, int64_t deadline)
{
    if (h->at == h->n) {
        int r = read_more(h, deadline);
        if (r < 0)
            return r;
        if (r == 0) {
            wk_http_end(&h->answer);
            return 0;
        }
    }
    h->at += wk_http_feed(&h->answer, h->in + h->at, h->n - h->at, piece);
    return 0;
}

int wk_http_status(struct wk_http *h, int64_t deadline)
{
    struct wk_str piece;
    for (;;) {
        while (h->answer.state == WK_HTTP_IN_HEAD) {
            int r = advance(h, &piece, deadline);
            if (r)
                return r;
        }
        if (h->answer.state == WK_HTTP_BAD)
            return -WK_EPROTO;
        if (h->answer.status >= 200 || h->answer.status == 101)
            return h->answer.status;
        bool no_body = h->answer.no_body, raw = h->answer.raw;
        wk_http_answer_init(&h->answer);
        h->answer.no_body = no_body;
        h->answer.raw = raw;
    }
}

int wk_http_piece(struct wk_http *h, struct wk_str *piece, int64_t deadline)
{
    *piece = wk_str(NULL, 0);
    while (!piece->n) {
        if (h->answer.state == WK_HTTP_DONE || h->answer.state == WK_HTTP_RAW)
            return 0;
        if (h->answer.state == WK_HTTP_BAD)
            return -WK_EPROTO;
        int r = advance(h, piece, deadline);
        if (r)
            return r;
    }
    return 1;
}

int wk_http_rest(struct wk_http *h, struct wk_buf *b, int64_t deadline)
{
    struct wk_str piece;
    int r;
    while ((r = wk_http_piece(h, &piece, deadline)) == 1)
        if (!wk_buf_puts(b, piece))
            return -WK_E2BIG;
    return r;
}

int wk_http_ask(struct wk_http *h, const struct wk_http_request *r, struct wk_buf *b, int64_t deadline)
{
    int err = wk_http_begin(h, r, deadline);
    if (err && err != -WK_EPIPE) /* who closes early may have said why */
        return err;
    int status = wk_http_status(h, deadline);
    if (status < 0)
        return err ? err : status;
    int rest = wk_http_rest(h, b, deadline);
    return rest < 0 ? rest : status;
}
