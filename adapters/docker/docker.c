/* docker.c - the kind "docker": a container of its own, opened and closed */
#define _GNU_SOURCE
#include "adapters/docker/docker.h"
#include "adapters/docker/endpoint.h"
#include "adapters/sandbox/sandbox.h"

#include "base/num.h"

#include <unistd.h>

/* ---- words ---------------------------------------------------------------------------------------------- */

static void put_description(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    struct wk_buf *d = &b->description;
    wk_buf_fmt(d, "docker container of %s (%s, API 1.%u), network %s", p->image,
               b->engine.podman ? "Podman" : "Docker", b->engine.minor, p->network);
    if (p->memory_bytes)
        wk_buf_fmt(d, ", %llu MiB of memory", (unsigned long long)(p->memory_bytes >> 20));
    if (p->cpu_milli)
        wk_buf_fmt(d, ", %u.%u processors", p->cpu_milli / 1000, p->cpu_milli % 1000 / 100);
    if (p->pids)
        wk_buf_fmt(d, ", %u processes", p->pids);
    wk_buf_put_c(d, ", no new privileges");
    if (p->o->read_only_root)
        wk_buf_put_c(d, ", read-only root");
    if (p->o->runtime)
        wk_buf_fmt(d, ", runtime %s", p->o->runtime);
    wk_buf_fmt(d, "; %s is %s%s", p->inside, p->where == WK_DOCKER_INSIDE ? "its own" : "the host's ",
               p->where == WK_DOCKER_INSIDE ? "" : b->folder);
}

static uint64_t abilities(const struct wk_docker_plan *p)
{
    uint64_t can = WHELK_BOX_EXEC | WHELK_BOX_STDIN | WHELK_BOX_TTY | WHELK_BOX_SIGNAL | WHELK_BOX_USER |
                   WHELK_BOX_NETWORK_NONE | WHELK_BOX_NETWORK_ALL | WHELK_BOX_PORTS | WHELK_BOX_ISOLATED;
    for (size_t i = 0; i < p->o->n_extra; i++)
        if (strncmp(p->o->extra[i], "mount=", 6) == 0)
            can &= ~(uint64_t)WHELK_BOX_ISOLATED;
    return can | (p->background ? WHELK_BOX_BACKGROUND : 0) |
           (p->where == WK_DOCKER_INSIDE ? 0 : WHELK_BOX_WORKSPACE_ON_HOST) |
           (p->memory_bytes ? WHELK_BOX_LIMIT_MEMORY : 0) | (p->cpu_milli ? WHELK_BOX_LIMIT_CPU : 0) |
           (p->pids ? WHELK_BOX_LIMIT_PIDS : 0);
}

/* ---- what is told of it ---------------------------------------------------------------------------------- */

static int find_shell(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    static const char *const shells[] = {"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"};
    bool has = false;
    if (p->o->shell)
        return wk_buf_put_c(&b->shell, p->o->shell) ? WHELK_OK : WHELK_E_NOMEM;
    for (size_t i = 0; i < sizeof shells / sizeof *shells && !has; i++) {
        int code = wk_docker_has(b, shells[i], &has);
        if (code)
            return code;
        if (has)
            wk_buf_put_c(&b->shell, shells[i]);
    }
    if (!has)
        wk_buf_put_c(&b->shell, "sh");
    return b->shell.failed ? WHELK_E_NOMEM : WHELK_OK;
}

/* bash complains of a locale that is not there, and older or small images do not have C.UTF-8. */
static int find_locale(struct wk_docker_box *b)
{
    static const char *const places[] = {"/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8"};
    static const char plain[] = "LC_ALL=C";
    bool has = strcmp(wk_buf_c(&b->shell), "sh") == 0;
    for (size_t i = 0; i < sizeof places / sizeof *places && !has; i++) {
        int code = wk_docker_has(b, places[i], &has);
        if (code)
            return code;
    }
    if (has)
        return WHELK_OK;
    b->n_env++;
    return wk_buf_put(&b->env, plain, sizeof plain) ? WHELK_OK : WHELK_E_NOMEM;
}

static int find_ports(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    struct wk_doc d;
    int code = WHELK_OK;
    if (!p->o->n_ports)
        return WHELK_OK;
    b->ports = wk_calloc(b->mem, p->o->n_ports, sizeof *b->ports);
    if (!b->ports)
        return wk_engine_fail(&b->engine, WHELK_E_NOMEM, "no memory");
    wk_doc_init(&d, b->mem);
    code = wk_engine_inspect(&b->engine, b->id, &d);
    const struct wk_doc_node *all = wk_doc_get(&d, wk_doc_get(&d, wk_doc_root(&d), "NetworkSettings"), "Ports");
    for (size_t i = 0; i < p->o->n_ports && !code; i++) {
        char key[WK_NUM_MAX + 8];
        memcpy(key + wk_fmt_u64(key, p->o->ports[i].inside, 10), "/tcp", 5);
        struct wk_str port = wk_doc_text_at(&d, wk_doc_first(&d, wk_doc_get(&d, all, key)), "HostPort", NULL);
        uint64_t v;
        if (wk_parse_u64(port, 10, &v) != 0 || v > 65535)
            code =
                wk_engine_fail(&b->engine, WHELK_E_IO, "ports: the engine did not publish %u", p->o->ports[i].inside);
        else
            b->ports[b->n_ports++] = (struct wk_docker_port){p->o->ports[i].inside, (uint16_t)v};
    }
    wk_doc_release(&d);
    return code;
}

static int tell_facts(const struct wk_docker_plan *p, struct wk_docker_box *b, whelk_box_facts *facts)
{
    put_description(p, b);
    wk_buf_put_c(&b->home, wk_docker_own_home(p) ? "/.whelk/home" : "/root");
    if (b->description.failed || b->workspace.failed || b->home.failed)
        return wk_engine_fail(&b->engine, WHELK_E_NOMEM, "no memory");
    *facts = (whelk_box_facts){
        .size = sizeof *facts,
        .capabilities = abilities(p),
        .workspace = wk_buf_c(&b->workspace),
        .home = wk_buf_c(&b->home),
        .shell = wk_buf_c(&b->shell),
        .path = b->path.n ? wk_buf_c(&b->path) : NULL,
        .env = b->env_list,
        .n_env = b->n_env,
        .description = wk_buf_c(&b->description),
    };
    return WHELK_OK;
}

/* The image's variables and ours, as a list. */
static int list_environment(struct wk_docker_box *b)
{
    static const char git[] = "GIT_CONFIG_SYSTEM=/.whelk/gitconfig";
    wk_buf_put(&b->env, git, sizeof git);
    b->n_env++;
    b->env_list = wk_calloc(b->mem, b->n_env, sizeof *b->env_list);
    if (!b->env_list || b->env.failed)
        return wk_engine_fail(&b->engine, WHELK_E_NOMEM, "no memory");
    const char *at = b->env.p;
    for (size_t i = 0; i < b->n_env; i++) {
        b->env_list[i] = at;
        at += strlen(at) + 1;
    }
    return WHELK_OK;
}

/* ---- open and close ------------------------------------------------------------------------------------- */

static struct wk_docker_box *new_box(const whelk_opening *with)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_docker_box *b = m ? WK_NEW(m, struct wk_docker_box) : NULL;
    struct wk_buf *all[] = {NULL, NULL, NULL, NULL, NULL, NULL};
    if (!b) {
        if (m)
            wk_mem_unref(m);
        return NULL;
    }
    b->mem = m;
    wk_engine_init(&b->engine, m, with);
    all[0] = &b->description, all[1] = &b->shell, all[2] = &b->path, all[3] = &b->home, all[4] = &b->workspace;
    all[5] = &b->env;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wk_buf_init(all[i], m, 1 << 20);
    wk_buf_put_c(&b->path, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    return b;
}

static void free_box(struct wk_docker_box *b)
{
    struct wk_mem *m = b->mem;
    struct wk_buf *all[] = {&b->description, &b->shell, &b->path, &b->home, &b->workspace, &b->env};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wk_buf_release(all[i]);
    wk_engine_release(&b->engine);
    wk_free(m, b->ports);
    wk_free(m, (void *)b->env_list);
    wk_free(m, b);
    wk_mem_unref(m);
}

static int open_box(struct wk_docker_plan *p, struct wk_docker_box *b, const whelk_sandbox_options *o,
                    whelk_box_facts *facts)
{
    struct wk_engine *e = &b->engine;
    b->keep_given = o->workspace != NULL;
    int code = wk_docker_plan(p, o, e);
    if (!code && !wk_buf_put_c(&b->workspace, p->inside))
        code = wk_engine_fail(e, WHELK_E_NOMEM, "no memory");
    code = code ? code : wk_endpoint_find(e, o->endpoint);
    code = code ? code : wk_docker_plan_engine(p, e);
    if (code)
        return code;
    (void)wk_docker_reap_with(e); /* what cannot be removed now is for the next one */
    code = wk_docker_image(p, b);
    code = code ? code : wk_docker_make(p, b);
    b->uid = p->uid;
    b->gid = p->gid;
    code = code ? code : find_shell(p, b);
    code = code ? code : find_locale(b);
    code = code ? code : list_environment(b);
    code = code ? code : find_ports(p, b);
    code = code ? code : wk_docker_setup(p, b);
    return code ? code : tell_facts(p, b, facts);
}

static void docker_close(void *box, int keep)
{
    struct wk_docker_box *b = box;
    bool remove = keep == WHELK_NO || (keep == WHELK_DEFAULT && !b->keep_given);
    /* The container's root may have made directories there that only root can remove. */
    if (remove && b->folder && b->greeted && geteuid() != 0 && b->guest.link && !b->guest.link->error)
        wk_docker_empty(b, wk_buf_c(&b->workspace));
    wk_docker_drop(b, "the sandbox is closed");
    wk_docker_folder_end(b, remove);
    free_box(b);
}

static int docker_open(void *ctx, const whelk_sandbox_options *o, const whelk_opening *with, void **box,
                       whelk_box_facts *facts)
{
    struct wk_docker_plan p;
    struct wk_docker_box *b = new_box(with);
    (void)ctx;
    *box = NULL;
    if (!b)
        return WHELK_E_NOMEM;
    int code = open_box(&p, b, o, facts);
    if (code) {
        if (b->engine.error.n)
            with->error(with->ctx, wk_buf_c(&b->engine.error));
        docker_close(b, WHELK_DEFAULT);
        return code;
    }
    b->engine.with = NULL;
    *box = b;
    return WHELK_OK;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

static int docker_start(void *box, uint32_t id, const whelk_spec *spec, const whelk_process_events *events, void *ctx)
{
    struct wk_docker_box *b = box;
    whelk_spec own = *spec;
    if (own.uid == UINT32_MAX && b->uid) {
        own.uid = b->uid;
        own.gid = b->gid;
    }
    return wk_guest_box_start(box, id, &own, events, ctx);
}

static uint16_t docker_port(void *box, uint16_t inside)
{
    const struct wk_docker_box *b = box;
    for (size_t i = 0; i < b->n_ports; i++)
        if (b->ports[i].inside == inside)
            return b->ports[i].outside;
    return 0;
}

const whelk_sandbox_kind wk_docker_kind = {
    .size = sizeof wk_docker_kind,
    .name = "docker",
    .open = docker_open,
    .close = docker_close,
    .poll = wk_guest_box_poll,
    .pump = wk_guest_box_pump,
    .start = docker_start,
    .welcome = wk_guest_box_welcome,
    .write = wk_guest_box_write,
    .signal = wk_guest_box_signal,
    .resize = wk_guest_box_resize,
    .log = wk_guest_box_log,
    .stop_waiting = wk_guest_box_stop_waiting,
    .forget = wk_guest_box_forget,
    .wait_port = wk_guest_box_wait_port,
    .file = wk_guest_box_file,
    .port = docker_port,
};

int wk_docker_reap(const whelk_sandbox_options *o, struct wk_buf *words)
{
    struct wk_docker_box *b = new_box(NULL);
    if (!b)
        return WHELK_E_NOMEM;
    int n = wk_endpoint_find(&b->engine, o ? o->endpoint : NULL);
    n = n ? n : wk_docker_reap_with(&b->engine);
    if (n < 0)
        wk_buf_puts(words, wk_buf_str(&b->engine.error));
    else
        n += wk_host_reap();
    free_box(b);
    return n;
}
