/* endpoint.c - which container engine is meant */
#define _GNU_SOURCE
#include "adapters/docker/endpoint.h"

#include "base/err.h"
#include "base/sha2.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { CONFIG_MAX = 1 << 20, PATH_BYTES = 4096 };

static const char *variable(const char *name)
{
    const char *v = getenv(name);
    return v && *v ? v : NULL;
}

bool wk_endpoint_config_folder(struct wk_buf *b)
{
    const char *folder = variable("DOCKER_CONFIG"), *home = variable("HOME");
    if (!folder && !home)
        return false;
    wk_buf_put_c(b, folder ? folder : home);
    if (!folder)
        wk_buf_put_c(b, "/.docker");
    return !b->failed;
}

/* 1: it was read; 0: there is none, or none that can be read; -WK_ENOMEM. */
static int read_json(struct wk_engine *e, const char *path, struct wk_doc *d)
{
    struct wk_buf text;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return 0;
    ssize_t n = 1;
    wk_buf_init(&text, e->mem, CONFIG_MAX);
    while (n > 0 && wk_buf_room(&text, 4096)) {
        n = read(fd, text.p + text.n, 4096);
        text.n += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    int err = text.failed ? text.over ? -WK_E2BIG : -WK_ENOMEM : n < 0 ? -WK_EIO : wk_doc_parse(d, wk_buf_str(&text));
    wk_buf_release(&text);
    return err == -WK_ENOMEM ? err : !err;
}

static int use(struct wk_engine *e, struct wk_str url)
{
    int code = wk_engine_set_address(e, url);
    return code ? code : wk_engine_ping(e, WK_ENGINE_PROBE_MS);
}

static int refuse_tls(struct wk_engine *e, const char *why)
{
    return wk_engine_fail(
        e, WHELK_E_UNSUPPORTED,
        "%s: engines over TLS are not used directly. Forward the socket: ssh -N -L "
        "/tmp/engine.sock:/var/run/docker.sock HOST, and set the endpoint to unix:///tmp/engine.sock",
        why);
}

/* ---- contexts ------------------------------------------------------------------------------------------- */

/* $CONFIG/contexts/WHAT/SHA256-OF-NAME */
static void put_context_path(struct wk_buf *b, const char *folder, const char *what, struct wk_str name)
{
    struct wk_sha2 sha;
    unsigned char digest[WK_SHA2_MAX];
    wk_sha2_init(&sha, WK_SHA256);
    wk_sha2_add(&sha, name.p, name.n);
    size_t n = wk_sha2_finish(&sha, digest);
    wk_buf_fmt(b, "%s/contexts/%s/", folder, what);
    for (size_t i = 0; i < n; i++)
        wk_buf_fmt(b, "%02x", digest[i]);
}

static int use_context(struct wk_engine *e, const char *folder, struct wk_str name)
{
    struct wk_buf meta, tls;
    struct wk_doc d;
    int code;
    wk_buf_init(&meta, e->mem, PATH_BYTES);
    wk_buf_init(&tls, e->mem, PATH_BYTES);
    wk_doc_init(&d, e->mem);
    put_context_path(&meta, folder, "meta", name);
    wk_buf_put_c(&meta, "/meta.json");
    put_context_path(&tls, folder, "tls", name);
    wk_buf_put_c(&tls, "/docker");
    int found = meta.failed || tls.failed ? -WK_ENOMEM : read_json(e, wk_buf_c(&meta), &d);
    if (found < 0) {
        code = wk_engine_fail(e, WHELK_E_NOMEM, "no memory");
    } else if (!found) {
        code = wk_engine_fail(e, WHELK_E_NOENT,
                              "there is no context \"%.*s\" of Docker's client (%s). See docker context ls",
                              (int)name.n, name.p, wk_buf_c(&meta));
    } else {
        const struct wk_doc_node *points = wk_doc_get(&d, wk_doc_root(&d), "Endpoints");
        struct wk_str host = wk_doc_text_at(&d, points, "docker", "Host");
        if (!host.n)
            code = wk_engine_fail(e, WHELK_E_NOENT, "the context \"%.*s\" of Docker's client names no engine",
                                  (int)name.n, name.p);
        else if (wk_str_starts(host, WK_STR("tcp://")) && access(wk_buf_c(&tls), F_OK) == 0)
            code = refuse_tls(e, "the current context of Docker's client");
        else
            code = use(e, host);
    }
    wk_doc_release(&d);
    wk_buf_release(&tls);
    wk_buf_release(&meta);
    return code;
}

/* The context's engine: a code, or AGAIN when no context but the default one is chosen. */
static int try_context(struct wk_engine *e)
{
    struct wk_buf folder, path;
    struct wk_doc d;
    const char *chosen = variable("DOCKER_CONTEXT");
    int code = WHELK_E_AGAIN, found = 0;
    wk_buf_init(&folder, e->mem, PATH_BYTES);
    wk_buf_init(&path, e->mem, PATH_BYTES);
    wk_doc_init(&d, e->mem);
    if (wk_endpoint_config_folder(&folder)) {
        struct wk_str name = wk_str_c(chosen);
        if (!chosen && wk_buf_fmt(&path, "%s/config.json", wk_buf_c(&folder)))
            found = read_json(e, wk_buf_c(&path), &d);
        if (found > 0)
            name = wk_doc_text_at(&d, wk_doc_root(&d), "currentContext", NULL);
        if (name.n && !wk_str_is(name, "default"))
            code = use_context(e, wk_buf_c(&folder), name);
    }
    if (folder.failed || path.failed || found < 0) /* another engine than the one that is meant is none */
        code = wk_engine_fail(e, WHELK_E_NOMEM, "no memory");
    wk_doc_release(&d);
    wk_buf_release(&path);
    wk_buf_release(&folder);
    return code;
}

/* ---- sockets -------------------------------------------------------------------------------------------- */

static const struct {
    const char *base; /* a variable, or NULL */
    const char *rest;
} sockets[] = {
    {NULL, "/var/run/docker.sock"},       {"XDG_RUNTIME_DIR", "/docker.sock"},
    {"HOME", "/.docker/run/docker.sock"}, {"XDG_RUNTIME_DIR", "/podman/podman.sock"},
    {NULL, "/run/podman/podman.sock"},
};

static int try_sockets(struct wk_engine *e)
{
    struct wk_buf url, tried, denied;
    int code = WHELK_E_NOENT;
    wk_buf_init(&url, e->mem, PATH_BYTES);
    wk_buf_init(&tried, e->mem, 8 * PATH_BYTES);
    wk_buf_init(&denied, e->mem, PATH_BYTES);
    for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++) {
        const char *base = sockets[i].base ? variable(sockets[i].base) : "";
        if (!base)
            continue;
        wk_buf_reset(&url);
        wk_buf_fmt(&url, "unix://%s%s", base, sockets[i].rest);
        code = url.failed ? WHELK_E_NOMEM : use(e, wk_buf_str(&url));
        if (code != WHELK_E_NOENT && code != WHELK_E_ACCESS)
            break;
        if (code == WHELK_E_ACCESS && !denied.n) /* a rootless one may answer yet */
            wk_buf_puts(&denied, wk_buf_str(&e->error));
        wk_buf_fmt(&tried, "%s%s%s", tried.n ? ", " : "", base, sockets[i].rest);
        code = WHELK_E_NOENT;
    }
    if (code == WHELK_E_NOENT && denied.n)
        code = wk_engine_fail(e, WHELK_E_ACCESS, "%s", wk_buf_c(&denied));
    else if (code == WHELK_E_NOENT)
        code =
            wk_engine_fail(e, WHELK_E_NOENT,
                           "no container engine answers (tried %s). Is Docker, or Podman's socket, running? Another "
                           "one is named by the option endpoint or by DOCKER_HOST",
                           wk_buf_c(&tried));
    wk_buf_release(&denied);
    wk_buf_release(&tried);
    wk_buf_release(&url);
    return code;
}

int wk_endpoint_find(struct wk_engine *e, const char *option)
{
    const char *host = variable("DOCKER_HOST");
    if (option)
        return use(e, wk_str_c(option));
    if (host) {
        if (variable("DOCKER_TLS_VERIFY") && strncmp(host, "tcp://", 6) == 0)
            return refuse_tls(e, "DOCKER_TLS_VERIFY");
        return use(e, wk_str_c(host));
    }
    int code = try_context(e);
    return code == WHELK_E_AGAIN ? try_sockets(e) : code;
}
