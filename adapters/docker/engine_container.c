/* engine_container.c - a container engine's API: containers, and what the engine says of itself */
#include "adapters/docker/engine.h"

enum { SLOW_MS = 180000, LIST_ANSWER = 64 << 20 };

/* Asks METHOD /containers/ID/REST, with the answer in d (NULL: none is wanted). */
static int ask_of(struct wk_engine *e, const char *method, const char *id, const char *rest, int64_t timeout_ms,
                  struct wk_doc *d)
{
    struct wk_buf path;
    wk_buf_init(&path, e->mem, 4096);
    wk_buf_put_c(&path, "/containers/");
    wk_engine_put_escaped(&path, wk_str_c(id));
    wk_buf_put_c(&path, rest);
    struct wk_engine_call c = {.method = method, .path = wk_buf_c(&path), .timeout_ms = timeout_ms};
    int code = path.failed ? wk_engine_fail(e, WHELK_E_NOMEM, "no memory") : wk_engine_ask(e, &c, d);
    wk_buf_release(&path);
    return code;
}

/* What the engine does not like about it, and makes all the same. */
static void tell_warnings(const struct wk_engine *e, const struct wk_doc *d)
{
    const struct wk_doc_node *n = wk_doc_get(d, wk_doc_root(d), "Warnings");
    for (n = wk_doc_first(d, n); n && e->with && e->with->notice; n = wk_doc_next(d, n))
        if (wk_doc_text(d, n).n)
            e->with->notice(e->with->ctx, WHELK_NOTICE_WARNING, wk_doc_text(d, n).p);
}

int wk_engine_create(struct wk_engine *e, const char *name, const char *platform, struct wk_str json, char **id)
{
    struct wk_buf path;
    struct wk_doc d;
    *id = NULL;
    wk_buf_init(&path, e->mem, 4096);
    wk_doc_init(&d, e->mem);
    wk_buf_put_c(&path, "/containers/create?name=");
    wk_engine_put_escaped(&path, wk_str_c(name));
    if (platform) {
        wk_buf_put_c(&path, "&platform=");
        wk_engine_put_escaped(&path, wk_str_c(platform));
    }
    struct wk_engine_call c = {.method = "POST", .path = wk_buf_c(&path), .body = json, .timeout_ms = SLOW_MS};
    int code = path.failed ? wk_engine_fail(e, WHELK_E_NOMEM, "no memory") : wk_engine_ask(e, &c, &d);
    struct wk_str said = wk_doc_text_at(&d, wk_doc_root(&d), "Id", NULL);
    if (!code && !said.n)
        code = wk_engine_fail(e, WHELK_E_IO, "the container engine at %s made a container without an id", e->where);
    if (!code && !(*id = wk_strndup(e->mem, said.p, said.n)))
        code = wk_engine_fail(e, WHELK_E_NOMEM, "no memory");
    if (!code)
        tell_warnings(e, &d);
    wk_doc_release(&d);
    wk_buf_release(&path);
    return code;
}

int wk_engine_start(struct wk_engine *e, const char *id)
{
    return ask_of(e, "POST", id, "/start", SLOW_MS, NULL);
}

int wk_engine_inspect(struct wk_engine *e, const char *id, struct wk_doc *d)
{
    return ask_of(e, "GET", id, "/json", 0, d);
}

int wk_engine_remove(struct wk_engine *e, const char *id, int64_t timeout_ms)
{
    int code = ask_of(e, "DELETE", id, "?force=true&v=true", timeout_ms, NULL);
    /* Gone, or going by itself: it removes itself when process 1 ends. */
    return code == WHELK_E_NOENT && e->status == 404 ? WHELK_OK : code == WHELK_E_STATE ? WHELK_OK : code;
}

int wk_engine_attach(struct wk_engine *e, const char *id, struct wk_link **link)
{
    struct wk_http *http = WK_NEW(e->mem, struct wk_http);
    struct wk_buf path;
    *link = NULL;
    if (!http)
        return wk_engine_fail(e, WHELK_E_NOMEM, "no memory");
    wk_buf_init(&path, e->mem, 4096);
    wk_buf_put_c(&path, "/containers/");
    wk_engine_put_escaped(&path, wk_str_c(id));
    wk_buf_put_c(&path, "/attach?stream=1&stdin=1&stdout=1&stderr=1");
    struct wk_engine_call c = {.method = "POST", .path = wk_buf_c(&path)};
    http->fd = -1;
    int code = path.failed ? wk_engine_fail(e, WHELK_E_NOMEM, "no memory") : wk_engine_begin(e, http, &c, true);
    if (!code && http->answer.state != WK_HTTP_RAW)
        code = wk_engine_fail(e, WHELK_E_IO, "the container engine at %s gives no stream of a container", e->where);
    if (!code) {
        int fd = wk_http_detach(http);
        if (wk_link_new(e->mem, fd, fd, true, link) != 0)
            code = wk_engine_fail(e, WHELK_E_NOMEM, "no memory");
        else
            wk_link_take(*link, http->in + http->at, http->n - http->at);
    }
    wk_buf_release(&path);
    wk_http_close(http);
    wk_free(e->mem, http);
    return code;
}

int wk_engine_put(struct wk_engine *e, const char *id, const char *directory, struct wk_str tar)
{
    struct wk_buf path;
    wk_buf_init(&path, e->mem, 16384);
    wk_buf_put_c(&path, "/containers/");
    wk_engine_put_escaped(&path, wk_str_c(id));
    wk_buf_put_c(&path, "/archive?path=");
    wk_engine_put_escaped(&path, wk_str_c(directory));
    struct wk_engine_call c = {
        .method = "PUT", .path = wk_buf_c(&path), .body = tar, .type = "application/x-tar", .timeout_ms = SLOW_MS};
    int code = path.failed ? wk_engine_fail(e, WHELK_E_NOMEM, "no memory") : wk_engine_ask(e, &c, NULL);
    wk_buf_release(&path);
    return code;
}

/* ---- lists -------------------------------------------------------------------------------------------- */

int wk_engine_list(struct wk_engine *e, const char *label, struct wk_doc *d)
{
    struct wk_buf path;
    wk_buf_init(&path, e->mem, 4096);
    wk_buf_put_c(&path, "/containers/json?all=1&filters=%7B%22label%22%3A%5B%22");
    wk_engine_put_escaped(&path, wk_str_c(label));
    wk_buf_put_c(&path, "%22%5D%7D");
    struct wk_engine_call c = {.method = "GET", .path = wk_buf_c(&path), .most = LIST_ANSWER};
    int code = path.failed ? wk_engine_fail(e, WHELK_E_NOMEM, "no memory") : wk_engine_ask(e, &c, d);
    wk_buf_release(&path);
    return code;
}

int wk_engine_info(struct wk_engine *e, struct wk_doc *d)
{
    struct wk_engine_call c = {.method = "GET", .path = "/info"};
    return wk_engine_ask(e, &c, d);
}

int wk_engine_network(struct wk_engine *e, const char *name)
{
    struct wk_engine_call c = {.method = "GET", .path = "/networks", .most = LIST_ANSWER};
    struct wk_doc d;
    wk_doc_init(&d, e->mem);
    int code = wk_engine_ask(e, &c, &d);
    if (!code) {
        const struct wk_doc_node *n = wk_doc_first(&d, wk_doc_root(&d));
        while (n && !(name ? wk_str_is(wk_doc_text_at(&d, n, "Name", NULL), name)
                           : wk_str_is(wk_doc_text_at(&d, n, "Driver", NULL), "bridge")))
            n = wk_doc_next(&d, n);
        if (!n)
            code = wk_engine_fail(e, WHELK_E_NOENT, "the container engine at %s has no network %s", e->where,
                                  name ? name : "bridge");
    }
    wk_doc_release(&d);
    return code;
}
