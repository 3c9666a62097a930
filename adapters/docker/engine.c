/* engine.c - a container engine's API: addresses, requests, and what goes wrong with them */
#define _GNU_SOURCE
#include "adapters/docker/engine.h"

#include "base/err.h"
#include "base/num.h"

#include <time.h>

enum {
    OLDEST = 24,    /* 1.24: what this file needs of an engine */
    NEWEST = 47,    /* what it was written for */
    SLICE_MS = 100, /* between looks at `interrupted` */
    MESSAGE = 4096  /* bytes of an engine's message that are kept */
};

void wk_engine_init(struct wk_engine *e, struct wk_mem *m, const whelk_opening *with)
{
    *e = (struct wk_engine){.mem = m, .with = with, .timeout_ms = WK_ENGINE_TIMEOUT_MS};
    wk_buf_init(&e->error, m, 16384);
}

static void forget_address(struct wk_engine *e)
{
    wk_free(e->mem, e->where);
    wk_free(e->mem, e->path);
    wk_free(e->mem, e->address);
    e->where = e->path = e->address = NULL;
    e->distant = e->podman = false;
    e->minor = 0;
}

void wk_engine_release(struct wk_engine *e)
{
    forget_address(e);
    wk_buf_release(&e->error);
}

int wk_engine_fail(struct wk_engine *e, int code, const char *format, ...)
{
    va_list args;
    wk_buf_reset(&e->error);
    va_start(args, format);
    wk_buf_vfmt(&e->error, format, args);
    va_end(args);
    return code;
}

void wk_engine_put_escaped(struct wk_buf *b, struct wk_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (wk_is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '~')
            wk_buf_putc(b, (char)c);
        else
            wk_buf_fmt(b, "%%%02X", c);
    }
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t deadline_in(int64_t ms)
{
    return now_ns() + ms * 1000000;
}

static bool interrupted(const struct wk_engine *e)
{
    return e->with && e->with->interrupted && e->with->interrupted(e->with->ctx);
}

/* ---- addresses ---------------------------------------------------------------------------------------- */

static bool is_loopback(struct wk_str address)
{
    return wk_str_starts(address, WK_STR("127.")) || wk_str_is(address, "::1");
}

/* ADDRESS:PORT, with a numeric address: names are the resolver's, which has no deadline. */
static int set_tcp(struct wk_engine *e, struct wk_str url, struct wk_str rest)
{
    ptrdiff_t colon = wk_str_rchr(rest, ':');
    uint64_t port = 0;
    if (rest.n && rest.p[rest.n - 1] == '/')
        rest.n--;
    if (colon <= 0 || wk_parse_u64(wk_str_from(rest, (size_t)colon + 1), 10, &port) != 0 || !port || port > 65535)
        return wk_engine_fail(e, WHELK_E_INVALID, "%.*s: the engine's address must be tcp://ADDRESS:PORT", (int)url.n,
                              url.p);
    struct wk_str address = wk_str_take(rest, (size_t)colon);
    if (wk_str_is(address, "localhost"))
        address = WK_STR("127.0.0.1");
    if (address.n > 2 && address.p[0] == '[' && address.p[address.n - 1] == ']')
        address = wk_str(address.p + 1, address.n - 2);
    for (size_t i = 0; i < address.n; i++)
        if (!wk_is_xdigit((unsigned char)address.p[i]) && address.p[i] != '.' && address.p[i] != ':')
            return wk_engine_fail(e, WHELK_E_UNSUPPORTED, "%.*s: the engine's host must be a numeric address",
                                  (int)url.n, url.p);
    e->address = wk_strndup(e->mem, address.p, address.n);
    e->port = (uint16_t)port;
    e->distant = !is_loopback(address);
    return e->address ? WHELK_OK : WHELK_E_NOMEM;
}

int wk_engine_set_address(struct wk_engine *e, struct wk_str url)
{
    static const struct wk_str unix_socket = WK_STR_INIT("unix://"), tcp = WK_STR_INIT("tcp://"),
                               http = WK_STR_INIT("http://"), ssh = WK_STR_INIT("ssh://");
    forget_address(e);
    e->where = wk_strndup(e->mem, url.p, url.n);
    if (!e->where)
        return WHELK_E_NOMEM;
    if (memchr(url.p, 0, url.n))
        return wk_engine_fail(e, WHELK_E_INVALID, "the engine's address holds a NUL byte");
    if (wk_str_starts(url, unix_socket)) {
        struct wk_str path = wk_str_from(url, unix_socket.n);
        if (!path.n || path.p[0] != '/')
            return wk_engine_fail(e, WHELK_E_INVALID, "%s: the engine's socket must be an absolute path", e->where);
        e->path = wk_strndup(e->mem, path.p, path.n);
        return e->path ? WHELK_OK : WHELK_E_NOMEM;
    }
    if (wk_str_starts(url, tcp))
        return set_tcp(e, url, wk_str_from(url, tcp.n));
    if (wk_str_starts(url, http))
        return set_tcp(e, url, wk_str_from(url, http.n));
    if (wk_str_starts(url, ssh))
        return wk_engine_fail(e, WHELK_E_UNSUPPORTED,
                              "%s: engines over ssh are not used directly. Forward the socket: ssh -N -L "
                              "/tmp/engine.sock:/var/run/docker.sock HOST, and set the endpoint to "
                              "unix:///tmp/engine.sock",
                              e->where);
    return wk_engine_fail(e, WHELK_E_UNSUPPORTED,
                          "%s: an engine's address is unix:///PATH or tcp://ADDRESS:PORT (without TLS)", e->where);
}

/* ---- what goes wrong ---------------------------------------------------------------------------------- */

/* A connection could not be made: what happened, and what to do. */
static int connect_failed(struct wk_engine *e, int err)
{
    switch (-err) {
    case WK_ENOENT:
    case WK_ECONNREFUSED:
    case WK_ENOTDIR:
        return wk_engine_fail(
            e, WHELK_E_NOENT,
            "no container engine answers at %s. Is Docker, or Podman's socket, running? Another one "
            "is named by the option endpoint or by DOCKER_HOST",
            e->where);
    case WK_EACCES:
    case WK_EPERM:
        return wk_engine_fail(
            e, WHELK_E_ACCESS,
            "this user may not use the container engine at %s. Add the user to the group that owns "
            "the socket (mostly: usermod -aG docker USER, and log in again), or use a rootless engine",
            e->where);
    case WK_ETIMEDOUT:
        return wk_engine_fail(
            e, WHELK_E_IO, "the container engine at %s takes no connection: it is hung or not reachable", e->where);
    case WK_ENAMETOOLONG:
        return wk_engine_fail(e, WHELK_E_INVALID, "%s: the socket's path is too long", e->where);
    case WK_EINVAL:
        return wk_engine_fail(e, WHELK_E_INVALID, "%s: no numeric address", e->where);
    default:
        return wk_engine_fail(e, WHELK_E_IO, "the container engine at %s: %s", e->where, wk_err_text(-err));
    }
}

static int request_failed(struct wk_engine *e, const struct wk_engine_call *c, int err)
{
    int n = (int)strcspn(c->path, "?"); /* the query is of no use to people */
    if (err == -WK_EINTR)
        return wk_engine_fail(e, WHELK_E_CLOSED, "cancelled");
    if (err == -WK_ETIMEDOUT)
        return wk_engine_fail(
            e, WHELK_E_IO,
            "the container engine at %s did not answer %s %.*s in time: it may be hung (see its log, or "
            "start it anew)",
            e->where, c->method, n, c->path);
    if (err == -WK_ENOMEM)
        return wk_engine_fail(e, WHELK_E_NOMEM, "no memory");
    if (err == -WK_E2BIG)
        return wk_engine_fail(e, WHELK_E_IO, "the container engine at %s: its answer to %s %.*s is too long",
                              e->where, c->method, n, c->path);
    if (err == -WK_EILSEQ)
        return wk_engine_fail(e, WHELK_E_IO, "the container engine at %s: its answer to %s %.*s makes no sense",
                              e->where, c->method, n, c->path);
    if (err == -WK_EINVAL)
        return wk_engine_fail(e, WHELK_E_INVALID, "%s %.*s: this cannot be asked of an engine", c->method, n,
                              c->path);
    return wk_engine_fail(e, WHELK_E_IO, "the container engine at %s broke off its answer to %s %.*s", e->where,
                          c->method, n, c->path);
}

/* The engine said no: its message, as it is. Podman's has the cause beside it, which its message mostly repeats. */
static int refused(struct wk_engine *e, struct wk_str body)
{
    struct wk_doc d;
    int code = e->status == 404                       ? WHELK_E_NOENT
               : e->status == 409                     ? WHELK_E_STATE
               : e->status == 400                     ? WHELK_E_INVALID
               : e->status == 401 || e->status == 403 ? WHELK_E_ACCESS
                                                      : WHELK_E_IO;
    wk_doc_init(&d, e->mem);
    int err = wk_doc_parse(&d, body);
    struct wk_str message = err ? wk_str_trim(body) : wk_doc_text_at(&d, wk_doc_root(&d), "message", NULL);
    if (!message.n && !err)
        message = wk_doc_text_at(&d, wk_doc_root(&d), "cause", NULL);
    message = wk_str_take(message, MESSAGE);
    if (message.n)
        code = wk_engine_fail(e, code, "%.*s", (int)message.n, message.p);
    else
        code = wk_engine_fail(e, code, "the container engine at %s answered %d without a word", e->where, e->status);
    wk_doc_release(&d);
    return code;
}

/* ---- requests ----------------------------------------------------------------------------------------- */

/* The head of the answer, with looks at `interrupted`. */
static int await_status(struct wk_engine *e, struct wk_http *http, int64_t deadline)
{
    for (;;) {
        int64_t slice = deadline_in(SLICE_MS);
        int r = wk_http_status(http, slice < deadline ? slice : deadline);
        if (r != -WK_ETIMEDOUT || now_ns() >= deadline)
            return r;
        if (interrupted(e))
            return -WK_EINTR;
    }
}

static int await_piece(struct wk_engine *e, struct wk_http *http, struct wk_str *piece, int64_t deadline)
{
    for (;;) {
        int64_t slice = deadline_in(SLICE_MS);
        int r = wk_http_piece(http, piece, slice < deadline ? slice : deadline);
        if (r != -WK_ETIMEDOUT || now_ns() >= deadline)
            return r;
        if (interrupted(e))
            return -WK_EINTR;
    }
}

static int read_body(struct wk_engine *e, struct wk_http *http, struct wk_buf *body, int64_t deadline)
{
    struct wk_str piece;
    int r;
    while ((r = await_piece(e, http, &piece, deadline)) == 1)
        if (!wk_buf_puts(body, piece))
            return body->over ? -WK_E2BIG : -WK_ENOMEM;
    return r;
}

static int64_t deadline_of(const struct wk_engine *e, const struct wk_engine_call *c)
{
    return deadline_in(c->timeout_ms ? c->timeout_ms : e->timeout_ms);
}

/* Connects, sends, and reads the head: the status, or a code in words already. */
static int begin(struct wk_engine *e, struct wk_http *http, const struct wk_engine_call *c, bool upgrades,
                 int64_t deadline)
{
    struct wk_buf path;
    http->fd = -1;
    e->status = 0;
    if (interrupted(e))
        return request_failed(e, c, -WK_EINTR);
    int err = e->path ? wk_http_open_unix(http, e->mem, e->path, deadline)
                      : wk_http_open_tcp(http, e->mem, e->address, e->port, deadline);
    if (err)
        return connect_failed(e, err);
    wk_buf_init(&path, e->mem, WK_HTTP_HEAD);
    if (e->minor)
        wk_buf_fmt(&path, "/v1.%u", e->minor);
    wk_buf_put_c(&path, c->path);
    struct wk_http_request r = {.method = c->method,
                                .path = wk_buf_c(&path),
                                .body = c->body,
                                .type = c->type,
                                .headers = c->headers,
                                .upgrades = upgrades};
    err = path.failed ? -WK_ENOMEM : wk_http_begin(http, &r, deadline);
    wk_buf_release(&path);
    /* Who closes before all was sent may have said why. */
    int status = err && err != -WK_EPIPE ? err : await_status(e, http, deadline);
    if (status < 0)
        return request_failed(e, c, err && err != -WK_EPIPE ? err : status);
    e->status = status;
    return status;
}

static bool is_good(int status)
{
    return (status >= 200 && status < 300) || status == 304 || status == 101;
}

int wk_engine_begin(struct wk_engine *e, struct wk_http *http, const struct wk_engine_call *c, bool upgrades)
{
    int64_t deadline = deadline_of(e, c);
    int status = begin(e, http, c, upgrades, deadline);
    if (status < 0 || is_good(status))
        return status < 0 ? status : WHELK_OK;
    struct wk_buf body;
    wk_buf_init(&body, e->mem, MESSAGE * 4);
    int err = read_body(e, http, &body, deadline);
    int code = err && err != -WK_E2BIG && !body.n ? request_failed(e, c, err) : refused(e, wk_buf_str(&body));
    wk_buf_release(&body);
    return code;
}

int wk_engine_piece(struct wk_engine *e, struct wk_http *http, struct wk_str *piece, int64_t timeout_ms)
{
    static const struct wk_engine_call what = {.method = "the stream of", .path = "an answer"};
    int r = await_piece(e, http, piece, deadline_in(timeout_ms));
    return r < 0 ? request_failed(e, &what, r) : r;
}

int wk_engine_ask(struct wk_engine *e, const struct wk_engine_call *c, struct wk_doc *answer)
{
    struct wk_http *http = WK_NEW(e->mem, struct wk_http); /* too large for a small stack */
    struct wk_buf body;
    if (!http)
        return wk_engine_fail(e, WHELK_E_NOMEM, "no memory");
    int64_t deadline = deadline_of(e, c);
    int status = begin(e, http, c, false, deadline), code = status;
    wk_buf_init(&body, e->mem, c->most ? c->most : WK_ENGINE_ANSWER);
    if (status >= 0) {
        int err = status == 101 ? -WK_EPROTO : read_body(e, http, &body, deadline);
        if (!err && is_good(status) && answer && body.n) {
            err = wk_doc_parse(answer, wk_buf_str(&body));
            err = err == -WK_EPROTO ? -WK_EILSEQ : err;
        }
        code = err ? request_failed(e, c, err) : is_good(status) ? WHELK_OK : refused(e, wk_buf_str(&body));
    }
    wk_buf_release(&body);
    wk_http_close(http);
    wk_free(e->mem, http);
    return code;
}

/* ---- which version ------------------------------------------------------------------------------------ */

/* "1.41" as 41; 0 for what is none. */
static unsigned minor_of(struct wk_str version)
{
    uint64_t minor;
    if (!wk_str_starts(version, WK_STR("1.")) || wk_parse_u64(wk_str_from(version, 2), 10, &minor) != 0 ||
        minor > 999)
        return 0;
    return (unsigned)minor;
}

int wk_engine_ping(struct wk_engine *e, int64_t timeout_ms)
{
    static const char path[] = "/_ping";
    struct wk_engine_call c = {.method = "GET", .path = path, .timeout_ms = timeout_ms, .most = 4096};
    struct wk_http *http = WK_NEW(e->mem, struct wk_http);
    if (!http)
        return wk_engine_fail(e, WHELK_E_NOMEM, "no memory");
    e->minor = 0;
    int code = wk_engine_begin(e, http, &c, false);
    if (!code) {
        unsigned theirs = minor_of(wk_http_header(&http->answer, "api-version"));
        e->podman = wk_http_header(&http->answer, "libpod-api-version").p != NULL;
        e->minor = theirs > NEWEST ? NEWEST : theirs;
        if (!theirs)
            code = wk_engine_fail(e, WHELK_E_IO, "what answers at %s is no container engine", e->where);
        else if (theirs < OLDEST)
            code = wk_engine_fail(e, WHELK_E_UNSUPPORTED,
                                  "the container engine at %s is too old: it speaks API 1.%u, 1.%u is needed",
                                  e->where, theirs, (unsigned)OLDEST);
    }
    wk_http_close(http);
    wk_free(e->mem, http);
    return code;
}
