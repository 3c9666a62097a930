/* engine.h - a container engine's API over its socket: Docker's, and Podman's that is compatible
 *
 * Owner:   the caller. Every request has a connection of its own, so nothing is left behind by one that fails.
 * Waits:   every call ends by its time-out, or soon after the opening's `interrupted` says so (WHELK_E_CLOSED).
 * Errors:  WHELK_E_… codes: NOENT (404, and no engine), STATE (409), INVALID (400), ACCESS (401, 403, and a socket
 * that may not be used), IO (everything else), NOMEM. `error` has the words: the engine's own message as it came.
 * Trust:   answers are hostile input: they are bounded, and asked by adapters/doc.h.
 * Spec:    Docker Engine API 1.24 to 1.47.
 */
#ifndef WK_ADAPTERS_ENGINE_H
#define WK_ADAPTERS_ENGINE_H

#include "adapters/docker/doc.h"
#include "adapters/docker/http.h"
#include "adapters/link/link.h"
#include "whelk/sandbox_kind.h"

enum {
    WK_ENGINE_ANSWER = 8 << 20,   /* bytes of an answer, unless the call says otherwise */
    WK_ENGINE_TIMEOUT_MS = 60000, /* of a call that names none, unless changed */
    WK_ENGINE_PROBE_MS = 2000     /* of the first question */
};

struct wk_engine {
    struct wk_mem *mem;
    const whelk_opening *with; /* `interrupted` is asked while waiting; NULL */
    char *where;               /* "unix:///run/docker.sock", for words */
    char *path;                /* of its Unix socket; NULL: TCP, to address and port */
    char *address;
    uint16_t port;
    bool distant; /* it is not on this machine's loopback or file system */
    bool podman;
    unsigned minor;     /* of the version that is spoken: 1.minor; 0: not asked yet */
    int64_t timeout_ms; /* of calls that name none */
    int status;         /* HTTP's, of the last answer; 0: there was none */
    struct wk_buf error;
};

void wk_engine_init(struct wk_engine *e, struct wk_mem *m, const whelk_opening *with);
void wk_engine_release(struct wk_engine *e);
/* Sets the words and returns the code. */
int wk_engine_fail(struct wk_engine *e, int code, const char *format, ...) WK_PRINTF(3, 4);
/* Appends s as it stands in a URL. */
void wk_engine_put_escaped(struct wk_buf *b, struct wk_str s);

/* ---- engine.c: requests ---- */

/* "unix:///PATH", "tcp://ADDRESS:PORT" without TLS. INVALID, UNSUPPORTED. */
int wk_engine_set_address(struct wk_engine *e, struct wk_str url);
/* Asks whether it is there, and which version to speak. */
int wk_engine_ping(struct wk_engine *e, int64_t timeout_ms);

struct wk_engine_call {
    const char *method;
    const char *path;    /* behind the version, with its query, escaped */
    struct wk_str body;  /* .p NULL: none */
    const char *type;    /* NULL: application/json */
    const char *headers; /* each with its CRLF; NULL */
    int64_t timeout_ms;  /* 0: the engine's */
    size_t most;         /* bytes of the answer; 0: WK_ENGINE_ANSWER */
};
/* Sends it and reads the answer into the document (NULL: it is passed over). WHELK_OK for 200 to 299 and 304. */
int wk_engine_ask(struct wk_engine *e, const struct wk_engine_call *c, struct wk_doc *answer);
/* The same up to the head of the answer: the body is read with wk_engine_piece, and http closed by the caller, also
 * when this fails. upgrades: the connection is to become a stream. */
int wk_engine_begin(struct wk_engine *e, struct wk_http *http, const struct wk_engine_call *c, bool upgrades);
/* The next piece of a body: 1; 0 at its end; a code. */
int wk_engine_piece(struct wk_engine *e, struct wk_http *http, struct wk_str *piece, int64_t timeout_ms);

/* ---- engine_container.c ---- */

/* Creates it from a JSON body; its id is for wk_free. */
int wk_engine_create(struct wk_engine *e, const char *name, const char *platform, struct wk_str json, char **id);
int wk_engine_start(struct wk_engine *e, const char *id);
/* A connection to its standard streams, as a link whose far side is process 1. */
int wk_engine_attach(struct wk_engine *e, const char *id, struct wk_link **link);
/* Unpacks a tar archive at a directory that is there. */
int wk_engine_put(struct wk_engine *e, const char *id, const char *directory, struct wk_str tar);
/* Ends and removes it with its anonymous volumes; it is no error when it is gone already. */
int wk_engine_remove(struct wk_engine *e, const char *id, int64_t timeout_ms);
int wk_engine_inspect(struct wk_engine *e, const char *id, struct wk_doc *d);
/* Containers, in any state, that have the label. */
int wk_engine_list(struct wk_engine *e, const char *label, struct wk_doc *d);
int wk_engine_info(struct wk_engine *e, struct wk_doc *d);
/* Whether there is a network of the driver "bridge", or (name not NULL) one of that name. NOENT: there is not. */
int wk_engine_network(struct wk_engine *e, const char *name);

/* ---- engine_image.c ---- */

/* What the engine knows of an image; NOENT: it is not there. */
int wk_engine_image(struct wk_engine *e, const char *image, struct wk_doc *d);
/* Fetches it; progress is told in lines. */
int wk_engine_pull(struct wk_engine *e, const char *image, const char *platform, const char *config_folder,
                   void (*progress)(void *ctx, const char *line), void *ctx);

#endif
