/* docker_create.c - the kind "docker": the image, and the container's description for the engine */
#define _GNU_SOURCE
#include "adapters/docker/docker.h"
#include "adapters/docker/endpoint.h"
#include "text/json/json.h"

#include <sys/resource.h>
#include <time.h>

enum {
    DESCRIPTORS = 65536,
    PODMAN_PROCESSES = 32768 /* what its service has at most */
};

/* ---- JSON ----------------------------------------------------------------------------------------------- */

static void put_text(struct wk_buf *b, const char *s)
{
    wk_json_put_string(b, wk_str_c(s), false);
}

/* Values of extra options of that name, as a list. False: there is none. */
static bool put_extra(const struct wk_docker_plan *p, struct wk_buf *b, const char *name, const char *key)
{
    bool any = false;
    size_t n = strlen(name);
    for (size_t i = 0; i < p->o->n_extra; i++)
        if (strncmp(p->o->extra[i], name, n) == 0) {
            if (any)
                wk_buf_put_c(b, ",");
            else
                wk_buf_fmt(b, ",\"%s\":[", key);
            put_text(b, p->o->extra[i] + n);
            any = true;
        }
    if (any)
        wk_buf_put_c(b, "]");
    return any;
}

static void put_bind(struct wk_buf *b, const char *source, size_t n, const char *target, size_t target_n,
                     bool read_only)
{
    wk_buf_put_c(b, "{\"Type\":\"bind\",\"Source\":");
    wk_json_put_string(b, wk_str(source, n), false);
    wk_buf_put_c(b, ",\"Target\":");
    wk_json_put_string(b, wk_str(target, target_n), false);
    wk_buf_fmt(b, ",\"ReadOnly\":%s}", read_only ? "true" : "false");
}

/* A file beside the workspace. */
static void put_lent(struct wk_buf *b, const char *folder, const char *name, const char *target)
{
    struct wk_buf path;
    wk_buf_init(&path, b->mem, 16384);
    wk_buf_fmt(&path, "%s%s", folder, name);
    put_bind(b, wk_buf_c(&path), path.n, target, strlen(target), true);
    b->failed = b->failed || path.failed;
    wk_buf_release(&path);
}

static void put_volume(struct wk_buf *b, const char *target)
{
    wk_buf_put_c(b, "{\"Type\":\"volume\",\"Target\":");
    put_text(b, target);
    wk_buf_put_c(b, "}");
}

static void put_mounts(const struct wk_docker_plan *p, const struct wk_docker_box *b, struct wk_buf *j)
{
    const char *comma = "";
    wk_buf_put_c(j, ",\"Mounts\":[");
    if (p->where != WK_DOCKER_INSIDE) {
        put_bind(j, b->folder, strlen(b->folder), p->inside, strlen(p->inside), false);
        comma = ",";
    } else if (p->o->read_only_root) {
        put_volume(j, p->inside);
        comma = ",";
    }
    if (b->lent) {
        const struct wk_host_place *place = &b->host.place;
        wk_buf_put_c(j, ",");
        put_lent(j, place->dir, "/whelk-guest", "/.whelk/guest");
        wk_buf_put_c(j, ",");
        put_lent(j, place->dir, "/gitconfig", "/.whelk/gitconfig");
        if (wk_docker_own_home(p)) {
            wk_buf_put_c(j, ",");
            put_bind(j, place->home, strlen(place->home), "/.whelk/home", 12, false);
        }
    } else if (p->o->read_only_root) { /* an archive is unpacked on a volume only */
        wk_buf_put_c(j, comma);
        put_volume(j, "/.whelk");
        comma = ",";
    }
    for (size_t i = 0; i < p->o->n_extra; i++) {
        if (strncmp(p->o->extra[i], "mount=", 6) != 0)
            continue;
        const char *from = p->o->extra[i] + 6, *to = strchr(from, ':') + 1, *mode = strchr(to, ':');
        wk_buf_put_c(j, comma);
        put_bind(j, from, (size_t)(to - from) - 1, to, mode ? (size_t)(mode - to) : strlen(to),
                 mode && strcmp(mode, ":ro") == 0);
        comma = ",";
    }
    wk_buf_put_c(j, "]");
    if (p->o->read_only_root)
        wk_buf_put_c(j, ",\"ReadonlyRootfs\":true,\"Tmpfs\":{\"/tmp\":\"rw,exec,nosuid,mode=1777\"}");
}

static void put_ports(const struct wk_docker_plan *p, struct wk_buf *j, bool exposed)
{
    for (size_t i = 0; i < p->o->n_ports; i++) {
        const whelk_port *one = &p->o->ports[i];
        wk_buf_fmt(j, "%s\"%u/tcp\":", i ? "," : "", one->inside);
        if (exposed)
            wk_buf_put_c(j, "{}");
        else if (one->outside)
            wk_buf_fmt(j, "[{\"HostIp\":\"127.0.0.1\",\"HostPort\":\"%u\"}]", one->outside);
        else
            wk_buf_put_c(j, "[{\"HostIp\":\"127.0.0.1\",\"HostPort\":\"\"}]");
    }
}

/* Podman's own defaults may be above what the machine allows, and then nothing starts: they are always named. */
static void put_ulimits(const struct wk_engine *e, struct wk_buf *j)
{
    struct rlimit files = {0}, processes = {0};
    uint64_t most = DESCRIPTORS;
    if (!e->distant && getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max < most)
        most = files.rlim_max;
    wk_buf_fmt(j, ",\"Ulimits\":[{\"Name\":\"nofile\",\"Soft\":%llu,\"Hard\":%llu}", (unsigned long long)most,
               (unsigned long long)most);
    if (e->podman) {
        most = PODMAN_PROCESSES;
        if (!e->distant && getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_max < most)
            most = processes.rlim_max;
        wk_buf_fmt(j, ",{\"Name\":\"nproc\",\"Soft\":%llu,\"Hard\":%llu}", (unsigned long long)most,
                   (unsigned long long)most);
    }
    wk_buf_put_c(j, "]");
}

/* What root needs to install things, and the helper to run commands as others and to end them. The rest is dropped.
 */
static const char capabilities[] =
    "\"CapDrop\":[\"ALL\"],\"CapAdd\":[\"CHOWN\",\"DAC_OVERRIDE\",\"FOWNER\",\"FSETID\",\"KILL\","
    "\"SETGID\",\"SETUID\"";

static void put_host_config(const struct wk_docker_plan *p, const struct wk_docker_box *b, struct wk_buf *j)
{
    wk_buf_put_c(j, ",\"HostConfig\":{\"AutoRemove\":true,\"Init\":false,\"NetworkMode\":");
    put_text(j, p->network);
    wk_buf_put_c(j, ",\"SecurityOpt\":[\"no-new-privileges\"],\"LogConfig\":{\"Type\":\"none\"},");
    wk_buf_put_c(j, capabilities);
    for (size_t i = 0; i < p->o->n_extra; i++)
        if (strncmp(p->o->extra[i], "cap_add=", 8) == 0) {
            wk_buf_put_c(j, ",");
            put_text(j, p->o->extra[i] + 8);
        }
    wk_buf_put_c(j, "]");
    if (p->memory_bytes)
        wk_buf_fmt(j, ",\"Memory\":%llu,\"MemorySwap\":%llu", (unsigned long long)p->memory_bytes,
                   (unsigned long long)p->memory_bytes);
    if (p->cpu_milli)
        wk_buf_fmt(j, ",\"NanoCpus\":%llu", (unsigned long long)p->cpu_milli * 1000000);
    if (p->pids)
        wk_buf_fmt(j, ",\"PidsLimit\":%u", p->pids);
    if (p->extra.shm_bytes)
        wk_buf_fmt(j, ",\"ShmSize\":%llu", (unsigned long long)p->extra.shm_bytes);
    if (p->o->runtime) {
        wk_buf_put_c(j, ",\"Runtime\":");
        put_text(j, p->o->runtime);
    }
    put_extra(p, j, "dns=", "Dns");
    put_extra(p, j, "add_host=", "ExtraHosts");
    put_ulimits(&b->engine, j);
    put_mounts(p, b, j);
    if (p->o->n_ports) {
        wk_buf_put_c(j, ",\"PortBindings\":{");
        put_ports(p, j, false);
        wk_buf_put_c(j, "}");
    }
    wk_buf_put_c(j, "}");
}

bool wk_docker_describe(const struct wk_docker_plan *p, const struct wk_docker_box *b, const char *session,
                        struct wk_buf *j)
{
    struct wk_buf owner;
    wk_buf_init(&owner, b->mem, 256);
    wk_docker_put_owner(&owner);
    wk_buf_put_c(j, "{\"Image\":");
    put_text(j, p->image);
    wk_buf_put_c(
        j, ",\"Entrypoint\":[\"/.whelk/guest\"],\"Cmd\":[],\"User\":\"0:0\",\"WorkingDir\":\"/\",\"Tty\":false,"
           "\"OpenStdin\":true,\"StdinOnce\":true,\"AttachStdin\":true,\"AttachStdout\":true,\"AttachStderr\":true,"
           "\"Healthcheck\":{\"Test\":[\"NONE\"]},\"Labels\":{\"dev.whelk.managed\":\"1\",\"dev.whelk.session\":");
    put_text(j, session);
    wk_buf_put_c(j, ",\"dev.whelk.owner\":");
    put_text(j, wk_buf_c(&owner));
    wk_buf_fmt(j, ",\"dev.whelk.created\":\"%lld\"}", (long long)time(NULL));
    if (p->o->n_ports) {
        wk_buf_put_c(j, ",\"ExposedPorts\":{");
        put_ports(p, j, true);
        wk_buf_put_c(j, "}");
    }
    put_host_config(p, b, j);
    wk_buf_put_c(j, "}");
    bool ok = !owner.failed && !j->failed;
    wk_buf_release(&owner);
    return ok;
}

/* ---- the image ------------------------------------------------------------------------------------------ */

const char *wk_docker_machine(void)
{
#if defined(__x86_64__)
    return "amd64";
#elif defined(__aarch64__)
    return "arm64";
#else
    return "";
#endif
}

static int check_architecture(const struct wk_docker_plan *p, struct wk_engine *e, const struct wk_doc *d)
{
    const char *machine = wk_docker_machine();
    struct wk_str system = wk_doc_text_at(d, wk_doc_root(d), "Os", NULL),
                  architecture = wk_doc_text_at(d, wk_doc_root(d), "Architecture", NULL);
    if ((!system.n || wk_str_is(system, "linux")) && (!architecture.n || wk_str_is(architecture, machine)))
        return WHELK_OK;
    return wk_engine_fail(
        e, WHELK_E_UNSUPPORTED,
        "image: %s is for %.*s/%.*s, and this library's helper for linux/%s. Name another image, or set "
        "platform to linux/%s and pull to always",
        p->image, (int)system.n, system.p, (int)architecture.n, architecture.p, machine, machine);
}

/* The image's environment, PATH apart. */
static int take_environment(struct wk_docker_box *b, const struct wk_doc *d)
{
    const struct wk_doc_node *n = wk_doc_get(d, wk_doc_get(d, wk_doc_root(d), "Config"), "Env");
    for (n = wk_doc_first(d, n); n; n = wk_doc_next(d, n)) {
        struct wk_str s = wk_doc_text(d, n);
        if (memchr(s.p, 0, s.n) || wk_str_chr(s, '=') <= 0)
            continue;
        if (wk_str_starts(s, WK_STR("PATH="))) {
            wk_buf_reset(&b->path);
            wk_buf_puts(&b->path, wk_str_from(s, 5));
        } else if (!wk_str_starts(s, WK_STR("HOME="))) {
            wk_buf_put(&b->env, s.p, s.n);
            wk_buf_putc(&b->env, '\0');
            b->n_env++;
        }
    }
    return b->env.failed || b->path.failed ? wk_engine_fail(&b->engine, WHELK_E_NOMEM, "no memory") : WHELK_OK;
}

static void tell(void *ctx, const char *line)
{
    const whelk_opening *with = ctx;
    if (with && with->notice)
        with->notice(with->ctx, WHELK_NOTICE_PROGRESS, line);
}

static int pull(const struct wk_docker_plan *p, struct wk_engine *e)
{
    struct wk_buf folder, why;
    wk_buf_init(&folder, e->mem, 4096);
    wk_buf_init(&why, e->mem, 8192);
    bool has = wk_endpoint_config_folder(&folder);
    int code =
        wk_engine_pull(e, p->image, p->o->platform, has ? wk_buf_c(&folder) : NULL, tell, (void *)(uintptr_t)e->with);
    if (code && code != WHELK_E_CLOSED && code != WHELK_E_NOMEM) {
        wk_buf_puts(&why, wk_buf_str(&e->error));
        code = wk_engine_fail(e, code, "image: %s could not be fetched: %s", p->image, wk_buf_c(&why));
    }
    wk_buf_release(&why);
    wk_buf_release(&folder);
    return code;
}

int wk_docker_image(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    struct wk_engine *e = &b->engine;
    const char *policy = p->o->pull ? p->o->pull : "missing";
    struct wk_doc d;
    wk_doc_init(&d, e->mem);
    int code = strcmp(policy, "always") == 0 ? pull(p, e) : WHELK_OK;
    if (!code)
        code = wk_engine_image(e, p->image, &d);
    if (code == WHELK_E_NOENT && e->status == 404 && strcmp(policy, "missing") == 0) {
        code = pull(p, e);
        if (!code)
            code = wk_engine_image(e, p->image, &d);
    } else if (code == WHELK_E_NOENT && e->status == 404) {
        code = wk_engine_fail(e, code, "image: %s is not there, and pull is \"%s\". Fetch it: docker pull %s",
                              p->image, policy, p->image);
    }
    code = code ? code : check_architecture(p, e, &d);
    code = code ? code : take_environment(b, &d);
    wk_doc_release(&d);
    return code;
}
