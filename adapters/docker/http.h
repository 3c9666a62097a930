/* http.h - a small HTTP/1.1 client for a container engine on a Unix or loopback socket
 *
 * Owner:   the caller; one connection is used by one thread and serves one request after the other.
 * Waits:   every call has a deadline (CLOCK_MONOTONIC, ns) and never blocks past it: -WK_ETIMEDOUT.
 * Limits:  WK_HTTP_HEAD bytes of headers; bodies are read piece by piece, or whole up to a limit.
 * Spec:    RFC 9112, as far as engines speak it: no pipelining, no continuation lines, no trailers of use.
 */
#ifndef WK_ADAPTERS_HTTP_H
#define WK_ADAPTERS_HTTP_H

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

enum { WK_HTTP_HEAD = 16384 };

/* ---- reading an answer: bytes in, parts out ---- */

enum wk_http_state {
    WK_HTTP_IN_HEAD,
    WK_HTTP_IN_BODY,    /* counted bytes */
    WK_HTTP_IN_SIZE,    /* a chunk's size line */
    WK_HTTP_IN_CHUNK,
    WK_HTTP_IN_CHUNK_END,
    WK_HTTP_IN_TRAILER,
    WK_HTTP_UNTIL_END,  /* of the connection */
    WK_HTTP_RAW,        /* the connection is the caller's: 101, or what was asked to be raw */
    WK_HTTP_DONE,
    WK_HTTP_BAD
};

struct wk_http_answer {
    enum wk_http_state state;
    int status;
    uint64_t left;       /* of the body, or of the chunk */
    bool closes;         /* the connection cannot be used again */
    bool no_body;        /* the request was HEAD; set by the caller */
    bool raw;            /* what follows the head is a stream of its own; set by the caller */
    size_t head_n, line_n;
    char line[32];       /* a chunk's size */
    char head[WK_HTTP_HEAD]; /* status line and headers, as they came */
};

/* Begins to read an answer. */
void wk_http_answer_init(struct wk_http_answer *a);
/* Takes some of p's n bytes and says how many. What of them belongs to the body is *piece (inside p). Ends
 * when a piece is found, the head is complete, the answer is over (state DONE, RAW or BAD), or p is used up. */
size_t wk_http_feed(struct wk_http_answer *a, const char *p, size_t n, struct wk_str *piece);
/* The connection ended: DONE where that ends the body, BAD elsewhere. */
void wk_http_end(struct wk_http_answer *a);
/* A header's value, blanks around it taken off; .p NULL when it is not there. Names in any case. */
struct wk_str wk_http_header(const struct wk_http_answer *a, const char *name);

/* ---- connections ---- */

struct wk_http {
    struct wk_mem *mem;
    int fd;                /* -1: closed */
    struct wk_http_answer answer;
    size_t at, n;
    char in[8192];         /* read, not yet used: in[at, n) */
};

/* Connects. 0; -WK_ENOENT, -WK_ECONNREFUSED, -WK_EACCES… as connect(2); -WK_ETIMEDOUT; -WK_ENAMETOOLONG. */
WK_NODISCARD int wk_http_open_unix(struct wk_http *h, struct wk_mem *m, const char *path, int64_t deadline);
/* The same to a numeric address ("127.0.0.1", "::1"); -WK_EINVAL for what is none. */
WK_NODISCARD int wk_http_open_tcp(struct wk_http *h, struct wk_mem *m, const char *address, uint16_t port,
                                  int64_t deadline);
/* A connection that exists; the descriptor becomes h's. */
void wk_http_adopt(struct wk_http *h, struct wk_mem *m, int fd);
void wk_http_close(struct wk_http *h);

struct wk_http_request {
    const char *method, *path; /* path: with its query, already escaped */
    const char *host;          /* of the Host header; NULL: "localhost" */
    const char *type;          /* of the body; NULL: application/json */
    struct wk_str body;        /* whole; .p NULL: none */
    bool streams;              /* a body of unknown length follows by wk_http_send, in chunks */
    bool upgrades;             /* ask for the raw connection */
    const char *headers;       /* more of them, each with its CRLF; NULL */
};

/* Sends the request, or its head and first part. -WK_EPIPE when the other side has closed: an answer may be there
 * all the same. -WK_EINVAL for a path or header that would break the frame. */
WK_NODISCARD int wk_http_begin(struct wk_http *h, const struct wk_http_request *r, int64_t deadline);
/* More of a streamed body; n = 0 ends it. */
WK_NODISCARD int wk_http_send(struct wk_http *h, const void *p, size_t n, int64_t deadline);
/* Reads the head of the answer: its status; interim answers (100) are passed over. -WK_EPROTO. */
WK_NODISCARD int wk_http_status(struct wk_http *h, int64_t deadline);
/* The next piece of its body, borrowed until the next call: 1; 0 at its end; -WK_EPROTO when it breaks off. */
WK_NODISCARD int wk_http_piece(struct wk_http *h, struct wk_str *piece, int64_t deadline);
/* The rest of its body appended to b (over h's account); what is past b's bound is -WK_E2BIG. */
WK_NODISCARD int wk_http_rest(struct wk_http *h, struct wk_buf *b, int64_t deadline);
/* All at once: sends, reads. The status, and the body in b. */
WK_NODISCARD int wk_http_ask(struct wk_http *h, const struct wk_http_request *r, struct wk_buf *b, int64_t deadline);
/* Whether the connection can serve another request. */
bool wk_http_reusable(const struct wk_http *h);
/* Takes the raw connection over after the head: the descriptor; what was read already is left in in[at, n). */
int wk_http_detach(struct wk_http *h);

#endif
