/* docker_options.c - the kind "docker": its options, with their defaults, and what an engine can do of them */
#define _GNU_SOURCE
#include "adapters/docker/docker.h"

#include "base/num.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEMORY = 1 << 20, CPU_MILLI = 2000, PIDS = 512 };
#define DEFAULT_MEMORY (UINT64_C(2048) * MEMORY)
#define DEFAULT_IMAGE  "python:3.12-bookworm"

static int unsupported(struct wk_engine *e, const char *option, const char *why)
{
    return wk_engine_fail(e, WHELK_E_UNSUPPORTED, "%s: %s", option, why);
}

static int invalid(struct wk_engine *e, const char *option, const char *why)
{
    return wk_engine_fail(e, WHELK_E_INVALID, "%s: %s", option, why);
}

static void warn(const struct wk_engine *e, const char *text)
{
    if (e->with && e->with->notice)
        e->with->notice(e->with->ctx, WHELK_NOTICE_WARNING, text);
}

static bool is_one_of(const char *s, const char *a, const char *b, const char *c)
{
    return strcmp(s, a) == 0 || strcmp(s, b) == 0 || (c && strcmp(s, c) == 0);
}

static bool is_plain_path(const char *s)
{
    if (*s != '/')
        return false;
    for (; *s; s++)
        if ((unsigned char)*s < ' ' || *s == 127)
            return false;
    return true;
}

/* ---- further options ---------------------------------------------------------------------------------- */

static int check_mount(struct wk_engine *e, const char *value)
{
    const char *colon = strchr(value, ':');
    if (*value != '/' || !colon || colon[1] != '/')
        return invalid(e, "extra", "mount=/HOST:/PATH[:ro] is how a mount is written");
    const char *mode = strchr(colon + 1, ':');
    if (mode && strcmp(mode, ":ro") != 0 && strcmp(mode, ":rw") != 0)
        return invalid(e, "extra", "mount=/HOST:/PATH[:ro] is how a mount is written");
    return WHELK_OK;
}

static int plan_extra(struct wk_docker_plan *p, struct wk_engine *e)
{
    static const char *const lists[] = {"cap_add=", "dns=", "add_host="};
    for (size_t i = 0; i < p->o->n_extra; i++) {
        const char *text = p->o->extra[i];
        bool known = false;
        if (strncmp(text, "network=", 8) == 0 && text[8]) {
            p->extra.network = text + 8;
            continue;
        }
        if (strncmp(text, "shm_bytes=", 10) == 0) {
            if (wk_parse_u64(wk_str_c(text + 10), 10, &p->extra.shm_bytes) != 0 || p->extra.shm_bytes > INT64_MAX)
                return invalid(e, "extra", "shm_bytes is a number of bytes");
            continue;
        }
        if (strncmp(text, "mount=", 6) == 0) {
            int code = check_mount(e, text + 6);
            if (code)
                return code;
            continue;
        }
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
            known = known || (strncmp(text, lists[k], strlen(lists[k])) == 0 && text[strlen(lists[k])]);
        if (!known)
            return wk_engine_fail(
                e, WHELK_E_UNSUPPORTED,
                "extra: docker has network=, mount=, cap_add=, dns=, add_host=, shm_bytes=; not %.*s",
                (int)strcspn(text, "="), text);
    }
    return WHELK_OK;
}

/* ---- the options by themselves ------------------------------------------------------------------------ */

static int refuse_others(const whelk_sandbox_options *o, struct wk_engine *e)
{
    if (o->isolation)
        return unsupported(e, "isolation", "is an option of the host's sandbox: a container is isolated as it is");
    if (o->inherit_env)
        return unsupported(e, "inherit_env", "is an option of the host's sandbox: name variables in env");
    if (o->session)
        return unsupported(e, "session", "is an option of a sandbox in the process");
    if (o->runtime_of_session)
        return unsupported(e, "runtime_of_session", "is an option of a sandbox in the process");
    return WHELK_OK;
}

static int plan_network(struct wk_docker_plan *p, struct wk_engine *e)
{
    const char *network = p->o->network ? p->o->network : "none";
    if (!is_one_of(network, "none", "all", NULL))
        return unsupported(e, "network", "docker has none and all");
    bool none = strcmp(network, "none") == 0;
    if (none && p->extra.network)
        return invalid(e, "extra", "network= needs network all");
    if (p->o->n_ports && none)
        return invalid(e, "ports", "need network all");
    if (p->o->n_ports && p->extra.network && strcmp(p->extra.network, "host") == 0)
        return invalid(e, "ports", "with network=host a port of the sandbox is the host's own: it needs no other");
    for (size_t i = 0; i < p->o->n_ports; i++)
        if (!p->o->ports[i].inside)
            return invalid(e, "ports", "0 is no port");
    p->network = none ? "none" : p->extra.network ? p->extra.network : "default";
    return WHELK_OK;
}

/* The image has to be of the helper's architecture; the engine's need not be named. */
static int check_platform(const whelk_sandbox_options *o, struct wk_engine *e)
{
    struct wk_str s = wk_str_c(o->platform), linux_os = WK_STR("linux/"), machine = wk_str_c(wk_docker_machine());
    if (!o->platform)
        return WHELK_OK;
    if (wk_str_starts(s, linux_os) && wk_str_starts(wk_str_from(s, linux_os.n), machine)) {
        struct wk_str variant = wk_str_from(s, linux_os.n + machine.n);
        if (!variant.n || variant.p[0] == '/')
            return WHELK_OK;
    }
    return wk_engine_fail(e, WHELK_E_UNSUPPORTED, "platform: this library's helper is for linux/%.*s", (int)machine.n,
                          machine.p);
}

static int plan_workspace(struct wk_docker_plan *p, struct wk_engine *e)
{
    const whelk_sandbox_options *o = p->o;
    p->inside = o->workspace_path ? o->workspace_path : "/workspace";
    size_t n = strlen(p->inside);
    if (!is_plain_path(p->inside) || n < 2 || n > 4000 || p->inside[n - 1] == '/' || strstr(p->inside, "/../") ||
        strncmp(p->inside, "/.whelk", 7) == 0)
        return invalid(e, "workspace_path", "must be an absolute path below /, without a slash at its end");
    if (o->workspace && o->workspace_in_container)
        return invalid(e, "workspace_in_container", "the workspace is a directory of the host already");
    if (o->workspace && !is_plain_path(o->workspace))
        return invalid(e, "workspace", "must be an absolute path");
    p->where = o->workspace ? WK_DOCKER_GIVEN : o->workspace_in_container ? WK_DOCKER_INSIDE : WK_DOCKER_MADE;
    if (p->where == WK_DOCKER_INSIDE && o->delete_on_cleanup == WHELK_NO)
        return unsupported(e, "delete_on_cleanup", "the workspace is the container's, and goes with it");
    struct stat st;
    if (o->workspace && (stat(o->workspace, &st) != 0 || !S_ISDIR(st.st_mode)))
        return wk_engine_fail(e, WHELK_E_NOENT, "workspace: %s is no directory of this machine", o->workspace);
    return WHELK_OK;
}

static bool parse_user(const char *text, uint32_t *uid, uint32_t *gid)
{
    struct wk_str s = wk_str_c(text);
    ptrdiff_t colon = wk_str_chr(s, ':');
    uint64_t u, g;
    if (wk_parse_u64(colon < 0 ? s : wk_str_take(s, (size_t)colon), 10, &u) != 0 || u >= UINT32_MAX)
        return false;
    g = u;
    if (colon >= 0 && (wk_parse_u64(wk_str_from(s, (size_t)colon + 1), 10, &g) != 0 || g >= UINT32_MAX))
        return false;
    *uid = (uint32_t)u;
    *gid = (uint32_t)g;
    return true;
}

int wk_docker_plan(struct wk_docker_plan *p, const whelk_sandbox_options *o, struct wk_engine *e)
{
    *p = (struct wk_docker_plan){.o = o};
    int code = refuse_others(o, e);
    p->image = o->image ? o->image : DEFAULT_IMAGE;
    for (const char *s = p->image; *s; s++)
        if ((unsigned char)*s <= ' ' || *s == 127)
            return invalid(e, "image", "an image's name has no blanks");
    if (!*p->image)
        return invalid(e, "image", "is empty");
    p->background =
        o->background == WHELK_YES || (o->background != WHELK_NO && (!o->image || !strcmp(o->image, DEFAULT_IMAGE)));
    p->memory_bytes = o->memory_bytes ? o->memory_bytes : DEFAULT_MEMORY;
    p->cpu_milli = o->cpu_milli ? o->cpu_milli : CPU_MILLI;
    p->pids = o->pids ? o->pids : PIDS;
    if (!code && o->pull && !is_one_of(o->pull, "missing", "always", "never"))
        code = unsupported(e, "pull", "is missing, always or never");
    if (!code && p->memory_bytes > INT64_MAX)
        code = invalid(e, "memory_bytes", "is too large");
    if (!code && o->user && !parse_user(o->user, &p->uid, &p->gid))
        code = invalid(e, "user", "must be uid[:gid], in numbers");
    code = code ? code : check_platform(o, e);
    code = code ? code : plan_extra(p, e);
    code = code ? code : plan_network(p, e);
    return code ? code : plan_workspace(p, e);
}

/* ---- with an engine ----------------------------------------------------------------------------------- */

static int check_runtime(const struct wk_docker_plan *p, struct wk_engine *e, const struct wk_doc *info)
{
    const struct wk_doc_node *all = wk_doc_get(info, wk_doc_root(info), "Runtimes");
    struct wk_buf names;
    if (!p->o->runtime || wk_doc_get(info, all, p->o->runtime))
        return WHELK_OK;
    wk_buf_init(&names, e->mem, 1024);
    for (const struct wk_doc_node *n = wk_doc_first(info, all); n; n = wk_doc_next(info, n))
        wk_buf_fmt(&names, "%s%.*s", names.n ? ", " : "", (int)wk_doc_key(info, n).n, wk_doc_key(info, n).p);
    int code = wk_engine_fail(e, WHELK_E_UNSUPPORTED, "runtime: this engine has no %s (it has %s)", p->o->runtime,
                              wk_buf_c(&names));
    wk_buf_release(&names);
    return code;
}

/* A limit that the engine cannot keep: refused when it was asked for, and told otherwise. */
static int check_limit(struct wk_engine *e, const struct wk_doc *info, const char *key, bool asked,
                       const char *option)
{
    const struct wk_doc_node *n = wk_doc_get(info, wk_doc_root(info), key);
    struct wk_buf text;
    if (!n || wk_doc_true(n))
        return WHELK_OK;
    if (asked)
        return unsupported(e, option, "this engine cannot limit it (no control group is delegated to it)");
    wk_buf_init(&text, e->mem, 256);
    wk_buf_fmt(&text, "%s: this engine cannot limit it: the container has no limit of it", option);
    warn(e, wk_buf_c(&text));
    wk_buf_release(&text);
    return WHELK_E_AGAIN;
}

static int check_limits(struct wk_docker_plan *p, struct wk_engine *e, const struct wk_doc *info)
{
    int memory = check_limit(e, info, "MemoryLimit", p->o->memory_bytes, "memory_bytes"), cpu, pids;
    if (memory && memory != WHELK_E_AGAIN)
        return memory;
    cpu = check_limit(e, info, "CpuCfsQuota", p->o->cpu_milli, "cpu_milli");
    if (cpu && cpu != WHELK_E_AGAIN)
        return cpu;
    pids = check_limit(e, info, "PidsLimit", p->o->pids, "pids");
    if (pids && pids != WHELK_E_AGAIN)
        return pids;
    p->memory_bytes = memory ? 0 : p->memory_bytes;
    p->cpu_milli = cpu ? 0 : p->cpu_milli;
    p->pids = pids ? 0 : p->pids;
    return WHELK_OK;
}

/* The workspace moves into the container. */
static int move_inside(struct wk_docker_plan *p, struct wk_engine *e, const char *why)
{
    struct wk_buf text;
    if (p->where == WK_DOCKER_GIVEN)
        return unsupported(e, "workspace", why);
    if (p->o->delete_on_cleanup == WHELK_NO)
        return unsupported(e, "delete_on_cleanup", why);
    p->where = WK_DOCKER_INSIDE;
    wk_buf_init(&text, e->mem, 512);
    wk_buf_fmt(&text, "the workspace is in the container: %s", why);
    warn(e, wk_buf_c(&text));
    wk_buf_release(&text);
    return WHELK_OK;
}

int wk_docker_plan_place(struct wk_docker_plan *p, struct wk_engine *e)
{
    struct stat st = {0};
    uint32_t me = (uint32_t)geteuid();
    int code = WHELK_OK;
    if (!p->o->user)
        p->uid = p->gid = 0;
    if (p->where != WK_DOCKER_INSIDE && e->distant)
        code = move_inside(p, e, "the engine is on another machine");
    if (!code && p->where != WK_DOCKER_INSIDE && p->foreign_files)
        code = move_inside(p, e, "the engine does not see this machine's files");
    if (!code && p->where != WK_DOCKER_INSIDE && p->remapped)
        code = move_inside(p, e, "the engine gives its containers other users than the host's (userns-remap)");
    if (!code && p->where == WK_DOCKER_MADE && p->labelled)
        code = move_inside(p, e, "SELinux keeps containers from the host's files");
    if (!code && p->where == WK_DOCKER_GIVEN && p->labelled)
        warn(e, "workspace: SELinux may keep the container from it. Let it: chcon -R -t container_file_t DIRECTORY");
    if (!code && p->where == WK_DOCKER_MADE && p->o->user && me != 0 && p->uid != (p->rootless ? 0 : me))
        code = move_inside(p, e, "its user is another than the one who would own it on the host");
    if (code || p->o->user || p->where == WK_DOCKER_INSIDE || p->rootless)
        return code; /* the container's root is, in a rootless engine, who runs the engine */
    if (p->where == WK_DOCKER_MADE) {
        p->uid = me;
        p->gid = (uint32_t)getegid();
    } else if (stat(p->o->workspace, &st) == 0) {
        p->uid = (uint32_t)st.st_uid;
        p->gid = (uint32_t)st.st_gid;
    }
    return WHELK_OK;
}

/* Podman would make what is not there. */
static int check_mounts(const struct wk_docker_plan *p, struct wk_engine *e)
{
    for (size_t i = 0; i < p->o->n_extra && e->podman && !e->distant; i++) {
        if (strncmp(p->o->extra[i], "mount=", 6) != 0)
            continue;
        const char *from = p->o->extra[i] + 6;
        char path[4096];
        size_t n = strcspn(from, ":");
        if (n < sizeof path) {
            memcpy(path, from, n);
            path[n] = '\0';
        }
        if (n >= sizeof path || access(path, F_OK) != 0)
            return wk_engine_fail(e, WHELK_E_NOENT, "extra: mount=%.*s: there is no such file here", (int)n, from);
    }
    return WHELK_OK;
}

static int check_network(const struct wk_docker_plan *p, struct wk_engine *e)
{
    if (is_one_of(p->network, "none", "host", NULL))
        return WHELK_OK;
    int code = wk_engine_network(e, p->extra.network);
    if (code != WHELK_E_NOENT || e->status >= 400)
        return code;
    if (p->extra.network)
        return wk_engine_fail(e, WHELK_E_NOENT, "extra: this engine has no network %s", p->extra.network);
    return unsupported(
        e, p->o->n_ports ? "ports" : "network",
        "this engine has no bridge network (dockerd --bridge=none). The extra option network=host uses the "
        "host's own network instead");
}

/* Whether SELinux is at work here. */
static bool is_enforcing(void)
{
    char c = '0';
    int fd = open("/sys/fs/selinux/enforce", O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && read(fd, &c, 1) == 1 && c == '1';
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Podman takes its time over this question. What root's own can do is known without. */
static bool must_ask(const struct wk_docker_plan *p, const struct wk_engine *e)
{
    struct stat st;
    return !e->podman || p->o->runtime || !e->path || stat(e->path, &st) != 0 || st.st_uid != 0;
}

int wk_docker_plan_engine(struct wk_docker_plan *p, struct wk_engine *e)
{
    struct wk_doc info;
    wk_doc_init(&info, e->mem);
    if (p->o->platform && e->minor < 41)
        return unsupported(e, "platform", "this engine is too old for it (API 1.41 is needed)");
    int code = must_ask(p, e) ? wk_engine_info(e, &info) : WHELK_OK;
    const struct wk_doc_node *n = wk_doc_get(&info, wk_doc_root(&info), "SecurityOptions");
    for (n = wk_doc_first(&info, n); n; n = wk_doc_next(&info, n)) {
        struct wk_str s = wk_doc_text(&info, n);
        p->rootless = p->rootless || wk_str_find(s, WK_STR("name=rootless")) >= 0;
        p->remapped = p->remapped || wk_str_find(s, WK_STR("name=userns")) >= 0;
        p->labelled = p->labelled || wk_str_find(s, WK_STR("name=selinux")) >= 0;
    }
    if (e->podman && !e->distant)
        p->labelled = is_enforcing();
    struct wk_str system = wk_doc_text_at(&info, wk_doc_root(&info), "OSType", NULL);
    if (!code && system.n && !wk_str_is(system, "linux"))
        code =
            wk_engine_fail(e, WHELK_E_UNSUPPORTED, "the container engine at %s runs containers of %.*s, not of Linux",
                           e->where, (int)system.n, system.p);
    code = code ? code : check_runtime(p, e, &info);
    code = code ? code : check_limits(p, e, &info);
    code = code ? code : check_mounts(p, e);
    code = code ? code : check_network(p, e);
    wk_doc_release(&info);
    return code ? code : wk_docker_plan_place(p, e);
}
