/* engine_image.c - a container engine's API: images, and where they come from
 *
 * A pull is one request whose answer is a stream of JSON lines; it goes wrong inside of a 200. Credentials are those
 * that `docker login` wrote into config.json as they are; programs that keep them are not asked.
 */
#define _GNU_SOURCE
#include "adapters/docker/engine.h"

#include "base/base64.h"
#include "base/err.h"
#include "text/json/json.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum {
    PULL_SILENCE_MS = 300000, /* without a line of progress */
    LINE_MAX_BYTES = 65536,
    CONFIG_MAX = 1 << 20,
    BETWEEN_NOTICES_MS = 500
};

int wk_engine_image(struct wk_engine *e, const char *image, struct wk_doc *d)
{
    struct wk_buf path;
    wk_buf_init(&path, e->mem, 8192);
    wk_buf_put_c(&path, "/images/");
    /* The engine takes a name's slashes as they are. */
    for (const char *at = image; *at;) {
        size_t n = strcspn(at, "/");
        wk_engine_put_escaped(&path, wk_str(at, n));
        at += n;
        if (*at == '/') {
            wk_buf_putc(&path, '/');
            at++;
        }
    }
    wk_buf_put_c(&path, "/json");
    struct wk_engine_call c = {.method = "GET", .path = wk_buf_c(&path)};
    int code = path.failed ? wk_engine_fail(e, WHELK_E_NOMEM, "no memory") : wk_engine_ask(e, &c, d);
    wk_buf_release(&path);
    return code;
}

/* ---- names -------------------------------------------------------------------------------------------- */

struct name {
    struct wk_str registry;   /* as config.json calls it */
    struct wk_str repository; /* without tag and digest */
    struct wk_str tag;        /* a tag or a digest */
};

static struct name parse_name(const char *image)
{
    struct wk_str s = wk_str_c(image);
    struct name n = {.registry = WK_STR("https://index.docker.io/v1/"), .repository = s, .tag = WK_STR("latest")};
    ptrdiff_t at = wk_str_chr(s, '@'), slash = wk_str_chr(s, '/');
    if (at > 0) {
        n.tag = wk_str_from(s, (size_t)at + 1);
        n.repository = s = wk_str_take(s, (size_t)at);
    }
    ptrdiff_t colon = wk_str_rchr(s, ':'), last = wk_str_rchr(s, '/');
    if (colon > 0 && colon > last) {
        if (at <= 0)
            n.tag = wk_str_from(s, (size_t)colon + 1);
        n.repository = wk_str_take(s, (size_t)colon);
    }
    struct wk_str first = slash > 0 ? wk_str_take(s, (size_t)slash) : wk_str(NULL, 0);
    bool is_host = wk_str_chr(first, '.') >= 0 || wk_str_chr(first, ':') >= 0 || wk_str_is(first, "localhost");
    if (is_host && !wk_str_is(first, "docker.io"))
        n.registry = first;
    return n;
}

/* ---- credentials -------------------------------------------------------------------------------------- */

struct credentials {
    struct wk_buf header; /* "X-Registry-Auth: …" and its CRLF; empty: none */
    struct wk_buf keeper; /* the program that keeps them; empty: none */
};

static bool read_config(struct wk_engine *e, const char *folder, struct wk_buf *text)
{
    struct wk_buf path;
    wk_buf_init(&path, e->mem, 8192);
    wk_buf_fmt(&path, "%s/config.json", folder);
    int fd = path.failed ? -1 : open(wk_buf_c(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    wk_buf_release(&path);
    if (fd < 0)
        return false;
    ssize_t n = 1;
    while (n > 0 && wk_buf_room(text, 4096)) {
        n = read(fd, text->p + text->n, 4096);
        text->n += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    return n == 0 && !text->failed;
}

/* user:password in base64, or a token, as the header has them. */
static void put_header(struct wk_engine *e, struct wk_buf *header, const struct wk_doc *d,
                       const struct wk_doc_node *auth, struct wk_str registry)
{
    struct wk_buf plain, json;
    struct wk_str basic = wk_doc_text_at(d, auth, "auth", NULL),
                  token = wk_doc_text_at(d, auth, "identitytoken", NULL);
    wk_buf_init(&plain, e->mem, 65536);
    wk_buf_init(&json, e->mem, 131072);
    ptrdiff_t colon = -1;
    if (basic.n && wk_base64_get(&plain, basic) == 0)
        colon = wk_str_chr(wk_buf_str(&plain), ':');
    if (token.n || colon > 0) {
        struct wk_str both = wk_buf_str(&plain);
        wk_buf_put_c(&json, "{");
        if (token.n) {
            wk_buf_put_c(&json, "\"identitytoken\":");
            wk_json_put_string(&json, token, true);
        } else {
            wk_buf_put_c(&json, "\"username\":");
            wk_json_put_string(&json, wk_str_take(both, (size_t)colon), true);
            wk_buf_put_c(&json, ",\"password\":");
            wk_json_put_string(&json, wk_str_from(both, (size_t)colon + 1), true);
        }
        wk_buf_put_c(&json, ",\"serveraddress\":");
        wk_json_put_string(&json, registry, true);
        wk_buf_put_c(&json, "}");
        wk_buf_put_c(header, "X-Registry-Auth: ");
        wk_base64_put(header, wk_buf_str(&json));
        wk_buf_put_c(header, "\r\n");
        for (size_t i = sizeof "X-Registry-Auth:"; i < header->n && !header->failed; i++) /* of URLs */
            header->p[i] = header->p[i] == '+' ? '-' : header->p[i] == '/' ? '_' : header->p[i];
    }
    wk_buf_release(&plain);
    wk_buf_release(&json);
}

/* A registry's host, of what config.json calls it: with a scheme and a path, or without. */
static struct wk_str host_of(struct wk_str key)
{
    ptrdiff_t scheme = wk_str_find(key, WK_STR("://"));
    struct wk_str s = scheme < 0 ? key : wk_str_from(key, (size_t)scheme + 3);
    ptrdiff_t slash = wk_str_chr(s, '/');
    return slash < 0 ? s : wk_str_take(s, (size_t)slash);
}

static void find_credentials(struct wk_engine *e, const char *folder, struct wk_str registry, struct credentials *c)
{
    struct wk_buf text;
    struct wk_doc d;
    wk_buf_init(&text, e->mem, CONFIG_MAX);
    wk_doc_init(&d, e->mem);
    if (folder && read_config(e, folder, &text) && wk_doc_parse(&d, wk_buf_str(&text)) == 0) {
        const struct wk_doc_node *root = wk_doc_root(&d), *auths = wk_doc_get(&d, root, "auths"), *found = NULL;
        const struct wk_doc_node *helpers = wk_doc_get(&d, root, "credHelpers");
        struct wk_str keeper = wk_doc_text_at(&d, root, "credsStore", NULL);
        for (const struct wk_doc_node *n = wk_doc_first(&d, auths); n; n = wk_doc_next(&d, n))
            if (wk_str_eq(host_of(wk_doc_key(&d, n)), host_of(registry)))
                found = n;
        for (const struct wk_doc_node *n = wk_doc_first(&d, helpers); n; n = wk_doc_next(&d, n))
            if (wk_str_eq(host_of(wk_doc_key(&d, n)), host_of(registry)))
                keeper = wk_doc_text(&d, n);
        put_header(e, &c->header, &d, found, registry);
        wk_buf_puts(&c->keeper, wk_str_take(keeper, 200));
    }
    wk_doc_release(&d);
    wk_buf_release(&text);
}

/* ---- the stream of a pull ------------------------------------------------------------------------------ */

struct pull {
    struct wk_engine *e;
    struct wk_buf line;
    struct wk_doc doc;
    int64_t told_ms;
    int code;
    void (*progress)(void *ctx, const char *line);
    void *ctx;
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void tell_progress(struct pull *p, const struct wk_doc_node *root)
{
    struct wk_str status = wk_doc_text_at(&p->doc, root, "status", NULL),
                  id = wk_doc_text_at(&p->doc, root, "id", NULL);
    const struct wk_doc_node *detail = wk_doc_get(&p->doc, root, "progressDetail");
    int64_t current = wk_doc_number(&p->doc, wk_doc_get(&p->doc, detail, "current"), -1),
            total = wk_doc_number(&p->doc, wk_doc_get(&p->doc, detail, "total"), -1), now = now_ms();
    struct wk_buf b;
    if (!p->progress || !status.n || (current >= 0 && now - p->told_ms < BETWEEN_NOTICES_MS))
        return;
    wk_buf_init(&b, p->e->mem, LINE_MAX_BYTES);
    if (id.n)
        wk_buf_fmt(&b, "%.*s: ", (int)id.n, id.p);
    wk_buf_puts(&b, status);
    if (current >= 0 && total > 0)
        wk_buf_fmt(&b, " %lld of %lld MB", (long long)(current / 1000000), (long long)(total / 1000000));
    if (current >= 0)
        p->told_ms = now;
    if (!b.failed)
        p->progress(p->ctx, wk_buf_c(&b));
    wk_buf_release(&b);
}

static void take_line(struct pull *p)
{
    struct wk_str line = wk_str_trim(wk_buf_str(&p->line));
    if (line.n && wk_doc_parse(&p->doc, line) == 0) {
        const struct wk_doc_node *root = wk_doc_root(&p->doc);
        struct wk_str error = wk_doc_text_at(&p->doc, root, "error", NULL);
        if (!error.n)
            error = wk_doc_text_at(&p->doc, root, "errorDetail", "message");
        error = wk_str_take(error, 4096);
        if (error.n)
            p->code = wk_engine_fail(p->e, WHELK_E_NOENT, "%.*s", (int)error.n, error.p);
        else
            tell_progress(p, root);
    }
    wk_buf_reset(&p->line);
}

/* A line that is longer than can be is passed over. */
static void take_stream(struct pull *p, struct wk_str piece)
{
    while (piece.n && !p->code) {
        ptrdiff_t end = wk_str_chr(piece, '\n');
        wk_buf_puts(&p->line, end < 0 ? piece : wk_str_take(piece, (size_t)end));
        if (end < 0)
            return;
        piece = wk_str_from(piece, (size_t)end + 1);
        take_line(p);
    }
}

static int run_pull(struct pull *p, const struct wk_engine_call *c)
{
    struct wk_http *http = WK_NEW(p->e->mem, struct wk_http);
    struct wk_str piece;
    if (!http)
        return wk_engine_fail(p->e, WHELK_E_NOMEM, "no memory");
    http->fd = -1;
    int code = wk_engine_begin(p->e, http, c, false), r = 0;
    wk_buf_init(&p->line, p->e->mem, LINE_MAX_BYTES);
    wk_doc_init(&p->doc, p->e->mem);
    while (!code && !p->code && (r = wk_engine_piece(p->e, http, &piece, PULL_SILENCE_MS)) == 1)
        take_stream(p, piece);
    if (!code && !p->code && r == 0)
        take_line(p);
    code = code ? code : p->code ? p->code : r < 0 ? r : WHELK_OK;
    wk_doc_release(&p->doc);
    wk_buf_release(&p->line);
    wk_http_close(http);
    wk_free(p->e->mem, http);
    return code;
}

static bool says(struct wk_str words, const char *const *some)
{
    while (*some && wk_str_find(words, wk_str_c(*some)) < 0)
        some++;
    return *some != NULL;
}

/* Whether an engine's words mean that we were not known, or not allowed; that there is no such image. */
static bool is_denied(struct wk_str words)
{
    static const char *const some[] = {"denied", "unauthorized", "authentication required", "no basic auth", NULL};
    return says(words, some);
}

static bool is_missing(struct wk_str words)
{
    static const char *const some[] = {"manifest unknown", "not found", "does not exist", "name unknown", NULL};
    return says(words, some);
}

int wk_engine_pull(struct wk_engine *e, const char *image, const char *platform, const char *config_folder,
                   void (*progress)(void *ctx, const char *line), void *ctx)
{
    struct name n = parse_name(image);
    struct credentials c;
    struct wk_buf path;
    struct pull p = {.e = e, .progress = progress, .ctx = ctx};
    wk_buf_init(&path, e->mem, 8192);
    wk_buf_init(&c.header, e->mem, WK_HTTP_HEAD / 2);
    wk_buf_init(&c.keeper, e->mem, 256);
    wk_buf_put_c(&path, "/images/create?fromImage=");
    wk_engine_put_escaped(&path, n.repository);
    wk_buf_put_c(&path, "&tag=");
    wk_engine_put_escaped(&path, n.tag);
    if (platform) {
        wk_buf_put_c(&path, "&platform=");
        wk_engine_put_escaped(&path, wk_str_c(platform));
    }
    find_credentials(e, config_folder, n.registry, &c);
    struct wk_engine_call call = {.method = "POST",
                                  .path = wk_buf_c(&path),
                                  .timeout_ms = PULL_SILENCE_MS,
                                  .headers = c.header.n && !c.header.failed ? wk_buf_c(&c.header) : NULL};
    int code = path.failed ? wk_engine_fail(e, WHELK_E_NOMEM, "no memory") : run_pull(&p, &call);
    if (code == WHELK_E_IO && e->status && (is_missing(wk_buf_str(&e->error)) || is_denied(wk_buf_str(&e->error))))
        code = WHELK_E_NOENT;
    if (code && c.keeper.n && !call.headers && is_denied(wk_buf_str(&e->error)))
        wk_buf_fmt(&e->error,
                   " (the credentials are kept by docker-credential-%s, which whelk does not ask: run `docker pull "
                   "%s` first)",
                   wk_buf_c(&c.keeper), image);
    wk_buf_release(&c.keeper);
    wk_buf_release(&c.header);
    wk_buf_release(&path);
    return code;
}
