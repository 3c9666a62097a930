/* host.c - the kind "host": commands of this machine, as the program's user
 *
 * Nothing keeps such a command from the user's files, so the kind is refused unless the environment allows it. Its
 * isolation may be raised: "auto" takes what the kernel gives each process, "bwrap" runs all of it in bubblewrap,
 * "strict" does both and fails when something is missing.
 */
#define _GNU_SOURCE
#include "adapters/host/host.h"

#include "adapters/sandbox/sandbox.h"

#include <stdlib.h>
#include <unistd.h>

#define GATE "ALLOW_DANGEROUS_LOCAL_HOST"

static const char *const levels[] = {"none", "auto", "bwrap", "strict"};

/* ---- words ---------------------------------------------------------------------------------------------- */

static void say(void (*to)(void *ctx, int notice, const char *text), const struct wk_host_opening *w, int notice,
                const char *format, va_list args) WK_PRINTF(4, 0);
static void say(void (*to)(void *ctx, int notice, const char *text), const struct wk_host_opening *w, int notice,
                const char *format, va_list args)
{
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_buf b;
    if (!m)
        return;
    wk_buf_init(&b, m, 1 << 14);
    wk_buf_vfmt(&b, format, args);
    if (to)
        to(w->with->ctx, notice, wk_buf_c(&b));
    else if (w->with->error)
        w->with->error(w->with->ctx, wk_buf_c(&b));
    wk_buf_release(&b);
    wk_mem_unref(m);
}

int wk_host_refuse(const struct wk_host_opening *w, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(NULL, w, 0, format, args);
    va_end(args);
    return code;
}

void wk_host_notice(const struct wk_host_opening *w, int notice, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (w->with->notice)
        say(w->with->notice, w, notice, format, args);
    va_end(args);
}

/* ---- options --------------------------------------------------------------------------------------------- */

/* An option of another kind that is set; NULL. */
static const char *foreign_option(const whelk_sandbox_options *o)
{
    const struct {
        const char *name;
        bool set;
    } all[] = {{"image", o->image != NULL},
               {"pull", o->pull != NULL},
               {"platform", o->platform != NULL},
               {"endpoint", o->endpoint != NULL},
               {"setup_script", o->setup_script != NULL},
               {"setup_timeout_ms", o->setup_timeout_ms != 0},
               {"workspace_in_container", o->workspace_in_container != 0},
               {"workspace_path", o->workspace_path != NULL},
               {"runtime", o->runtime != NULL},
               {"read_only_root", o->read_only_root != 0},
               {"ports", o->n_ports != 0},
               {"session", o->session != NULL},
               {"runtime_of_session", o->runtime_of_session != NULL},
               {"extra", o->n_extra != 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].set)
            return all[i].name;
    return NULL;
}

static int check_limits(const struct wk_host_opening *w)
{
    const whelk_sandbox_options *o = w->o;
    const char *name = o->memory_bytes ? "memory_bytes" : o->cpu_milli ? "cpu_milli" : o->pids ? "pids" : NULL;
    if (!name)
        return WHELK_OK;
    return wk_host_refuse(w, WHELK_E_UNSUPPORTED,
                          "%s: the kind \"host\" cannot bound all processes of a sandbox together: remove it, give "
                          "limits with each request, or use the kind \"docker\"",
                          name);
}

static int check_isolation(struct wk_host_box *b, const struct wk_host_opening *w)
{
    const char *level = w->o->isolation ? w->o->isolation : "none", *network = w->o->network;
    int i = 0;
    while (i < 4 && strcmp(levels[i], level) != 0)
        i++;
    if (i == 4)
        return wk_host_refuse(w, WHELK_E_INVALID, "isolation: %s is none of none, auto, bwrap, strict", level);
    b->isolation = (enum wk_host_isolation)i;
    b->shares_network = true;
    if (b->isolation < WK_HOST_BWRAP) {
        if (network)
            return wk_host_refuse(w, WHELK_E_UNSUPPORTED,
                                  "the kind \"host\" runs on the host, so it always has the host's network and cannot "
                                  "enforce another policy: remove the network argument");
        return WHELK_OK;
    }
    if (network && strcmp(network, "none") != 0 && strcmp(network, "all") != 0)
        return wk_host_refuse(w, WHELK_E_INVALID, "network: %s is neither none nor all", network);
    b->shares_network = network && strcmp(network, "all") == 0;
    return WHELK_OK;
}

static int check_user(struct wk_host_box *b, const struct wk_host_opening *w)
{
    b->uid = b->gid = UINT32_MAX;
    if (!w->o->user)
        return WHELK_OK;
    if (!wk_sandbox_user(w->o->user, &b->uid, &b->gid))
        return wk_host_refuse(w, WHELK_E_INVALID, "user: %s is not of the form uid[:gid]", w->o->user);
    if (geteuid() != 0)
        return wk_host_refuse(w, WHELK_E_UNSUPPORTED, "user: only root can run commands as another user");
    if (b->isolation >= WK_HOST_BWRAP)
        return wk_host_refuse(w, WHELK_E_UNSUPPORTED, "user: not with the isolation %s", w->o->isolation);
    return WHELK_OK;
}

static int check_options(struct wk_host_box *b, const struct wk_host_opening *w)
{
    const char *gate = getenv(GATE), *foreign = foreign_option(w->o);
    if (!gate || strcmp(gate, "1") != 0)
        return wk_host_refuse(w, WHELK_E_ACCESS,
                              "the kind \"host\" runs commands on this machine with the rights of its user: set " GATE
                              "=1 in the environment to allow it");
    if (foreign)
        return wk_host_refuse(w, WHELK_E_UNSUPPORTED, "%s: not an option of the kind \"host\": remove it", foreign);
    int code = check_limits(w);
    if (!code)
        code = check_isolation(b, w);
    if (!code)
        code = check_user(b, w);
    b->delete_on_cleanup = w->o->delete_on_cleanup;
    return code;
}

/* ---- opening ----------------------------------------------------------------------------------------------- */

/* What the processes are confined by, and what is missing. */
static int confine(struct wk_host_box *b, const struct wk_host_opening *w)
{
    bool files = b->g.can & GUEST_CAN_LANDLOCK, calls = b->g.can & GUEST_CAN_SECCOMP;
    if (b->isolation == WK_HOST_NONE)
        return WHELK_OK;
    b->g.spawn_flags = GUEST_NO_PRIVILEGES | (b->shares_network ? GUEST_NETWORK : 0u);
    if (b->isolation == WK_HOST_BWRAP)
        return WHELK_OK;
    if (b->isolation == WK_HOST_STRICT && (!files || !calls))
        return wk_host_refuse(w, WHELK_E_UNSUPPORTED, "isolation strict: this kernel has no %s",
                              files ? "seccomp filters" : "Landlock");
    b->g.spawn_flags |= (files ? GUEST_CONFINE_FILES : 0u) | (calls ? GUEST_CONFINE_CALLS : 0u);
    if (!files)
        wk_host_notice(w, WHELK_NOTICE_WARNING,
                       "isolation auto: this kernel has no Landlock: commands may write wherever the user may");
    if (!calls)
        wk_host_notice(w, WHELK_NOTICE_WARNING,
                       "isolation auto: this kernel has no seccomp filters: no system call is refused");
    return WHELK_OK;
}

static void warn(const struct wk_host_box *b, const struct wk_host_opening *w)
{
    if (b->isolation == WK_HOST_NONE)
        wk_host_notice(w, WHELK_NOTICE_WARNING,
                       "commands run on this machine without isolation, with all that user %u may do, and its network: "
                       "never in production",
                       (unsigned)(b->uid == UINT32_MAX ? geteuid() : b->uid));
    else
        wk_host_notice(w, WHELK_NOTICE_WARNING,
                       "commands run on this machine (isolation %s) and can read what user %u may read: never in "
                       "production",
                       levels[b->isolation], (unsigned)(b->uid == UINT32_MAX ? geteuid() : b->uid));
}

static void describe(struct wk_host_box *b)
{
    struct wk_buf *d = &b->description;
    uint32_t flags = b->g.spawn_flags;
    wk_buf_init(d, b->mem, 1 << 12);
    wk_buf_fmt(d, "this machine, user %u, isolation %s", (unsigned)(b->uid == UINT32_MAX ? geteuid() : b->uid),
               levels[b->isolation]);
    if (b->isolation >= WK_HOST_BWRAP)
        wk_buf_put_c(d, ", bubblewrap: read-only but for the workspace, own processes");
    if (flags & GUEST_NO_PRIVILEGES)
        wk_buf_put_c(d, ", no new privileges");
    if (flags & GUEST_CONFINE_FILES)
        wk_buf_put_c(d, ", Landlock: writes in the workspace and /tmp alone");
    if (flags & GUEST_CONFINE_CALLS)
        wk_buf_put_c(d, ", system calls filtered");
    if (b->isolation == WK_HOST_AUTO && !(flags & GUEST_CONFINE_FILES))
        wk_buf_put_c(d, ", writes not confined: no Landlock here");
    if (b->isolation == WK_HOST_AUTO && !(flags & GUEST_CONFINE_CALLS))
        wk_buf_put_c(d, ", system calls not filtered: no seccomp here");
    wk_buf_put_c(d, b->shares_network ? ", the host's network" : ", network none");
}

static void fill_facts(const struct wk_host_box *b, const struct wk_host_opening *w, whelk_box_facts *f)
{
    f->capabilities = WHELK_BOX_EXEC | WHELK_BOX_STDIN | WHELK_BOX_TTY | WHELK_BOX_SIGNAL |
                      WHELK_BOX_WORKSPACE_ON_HOST | WHELK_BOX_NETWORK_ALL;
    if (w->o->background != WHELK_NO)
        f->capabilities |= WHELK_BOX_BACKGROUND;
    if (geteuid() == 0 && b->isolation < WK_HOST_BWRAP)
        f->capabilities |= WHELK_BOX_USER;
    if (b->isolation >= WK_HOST_BWRAP)
        f->capabilities |= WHELK_BOX_NETWORK_NONE;
    f->workspace = b->place.workspace;
    f->home = b->place.home;
    f->shell = b->shell;
    f->path = b->path;
    f->env = b->env;
    f->n_env = b->n_env;
    f->description = wk_buf_c(&b->description);
}

static void free_box(struct wk_host_box *b, bool remove_workspace)
{
    struct wk_mem *m = b->mem;
    wk_host_supervisor_close(b);
    wk_host_place_close(b, remove_workspace);
    wk_buf_release(&b->env_text);
    wk_buf_release(&b->description);
    wk_free(m, b->env);
    wk_free(m, b->shell);
    wk_free(m, b->path);
    wk_free(m, b);
    wk_mem_unref(m);
}

static int host_open(void *ctx, const whelk_sandbox_options *o, const whelk_opening *with, void **box,
                     whelk_box_facts *facts)
{
    struct wk_host_opening w = {o, with};
    struct wk_mem *m = wk_mem_new(SIZE_MAX);
    struct wk_host_box *b = m ? WK_NEW(m, struct wk_host_box) : NULL;
    (void)ctx;
    *box = NULL;
    if (!b) {
        if (m)
            wk_mem_unref(m);
        return WHELK_E_NOMEM;
    }
    b->mem = m;
    b->g.mem = m;
    b->place.base_fd = b->place.lock_fd = b->pid_fd = -1;
    wk_buf_init(&b->env_text, m, 0);
    wk_buf_init(&b->description, m, 0);
    int code = check_options(b, &w);
    if (!code)
        code = wk_host_place_open(b, &w);
    if (!code)
        code = wk_host_env_open(b, &w);
    if (!code)
        code = wk_host_supervisor_open(b, &w);
    if (!code)
        code = confine(b, &w);
    if (code) {
        free_box(b, b->place.generated);
        return code;
    }
    describe(b);
    warn(b, &w);
    fill_facts(b, &w, facts);
    *box = b;
    return WHELK_OK;
}

static void host_close(void *box, int keep)
{
    struct wk_host_box *b = box;
    bool removes = b->delete_on_cleanup == WHELK_DEFAULT ? b->place.generated : b->delete_on_cleanup == WHELK_YES;
    free_box(b, keep == WHELK_DEFAULT ? removes : keep == WHELK_NO);
}

static int host_start(void *box, uint32_t id, const whelk_spec *spec, const whelk_process_events *events, void *ctx)
{
    struct wk_host_box *b = box;
    whelk_spec s = *spec;
    if (s.uid == UINT32_MAX) {
        s.uid = b->uid;
        s.gid = s.gid == UINT32_MAX ? b->gid : s.gid;
    }
    return wk_guest_box_start(box, id, &s, events, ctx);
}

const whelk_sandbox_kind wk_host_kind = {
    .size = sizeof(whelk_sandbox_kind),
    .name = "host",
    .open = host_open,
    .close = host_close,
    .poll = wk_guest_box_poll,
    .pump = wk_guest_box_pump,
    .start = host_start,
    .welcome = wk_guest_box_welcome,
    .write = wk_guest_box_write,
    .signal = wk_guest_box_signal,
    .resize = wk_guest_box_resize,
    .log = wk_guest_box_log,
    .stop_waiting = wk_guest_box_stop_waiting,
    .forget = wk_guest_box_forget,
    .wait_port = wk_guest_box_wait_port,
    .file = wk_guest_box_file,
};
