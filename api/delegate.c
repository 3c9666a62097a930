/* delegate.c - names of a session that stand for commands of a sandbox; what to say of those that do not */
#include "adapters/delegate/delegate.h"

#include "adapters/sandbox/sandbox.h"
#include "api/internal.h"
#include "vfs/vfs.h"

enum { NAME_BYTES = 255 };

/* A place that commands run in, kept until the session ends: processes may point at it. */
struct wk_delegation {
    struct wk_delegation *next;
    struct wk_delegate *d;
    struct wk_delegate_command program; /* what was built or installed in there, and is started by its path */
};

void whelk_delegate_init(whelk_delegate *d)
{
    if (!d)
        return;
    memset(d, 0, sizeof *d);
    d->size = sizeof *d;
}

/* ---- names ------------------------------------------------------------------------------------------- */

const struct wk_command *wk_delegated_find(whelk_session *s, struct wk_str name)
{
    struct wk_delegate_command *c = s->delegated.count ? wk_map_get(&s->delegated, name) : NULL;
    return c && c->to ? &c->command : NULL;
}

static struct wk_command command_of(const char *name, struct wk_delegate_command *c)
{
    return (struct wk_command){.name = name,
                               .summary = "runs in a sandbox",
                               .usage = name,
                               .flags = WK_CMD_RAW_ARGS | WK_CMD_HOST,
                               .main = wk_delegate_main,
                               .data = c};
}

const struct wk_command *wk_delegated_program(void *ctx, const struct wk_proc *p, const char *path)
{
    const whelk_session *s = ctx;
    for (const struct wk_delegation *one = s->delegations; one; one = one->next)
        if (wk_delegate_has(one->d, p, path))
            return &one->program.command;
    return NULL;
}

static struct wk_delegate_command *name_record(whelk_session *s, const char *name)
{
    struct wk_delegate_command *c = wk_map_get(&s->delegated, wk_str_c(name));
    if (c)
        return c;
    c = WK_NEW(s->mem, struct wk_delegate_command);
    if (!c)
        return NULL;
    c->name = wk_strndup(s->mem, name, strlen(name));
    c->command = command_of(c->name, c);
    if (c->name && wk_map_set(&s->delegated, wk_str_c(name), c) == 0)
        return c;
    wk_free(s->mem, c->name);
    wk_free(s->mem, c);
    return NULL;
}

static int add_name(whelk_session *s, const char *name, struct wk_delegate *d)
{
    struct wk_delegate_command *c = name_record(s, name);
    if (!c || wk_command_add_entry(s, name) != 0)
        return WHELK_E_NOMEM;
    if (wk_host_command_find(s, wk_str_c(name)))
        (void)whelk_command_remove(s, name);
    c->to = d;
    return wk_command_add_entry(s, name) == 0 ? WHELK_OK : WHELK_E_NOMEM; /* what was removed took it along */
}

bool wk_delegated_remove(whelk_session *s, const char *name)
{
    struct wk_delegate_command *c = wk_map_get(&s->delegated, wk_str_c(name));
    if (!c || !c->to)
        return false;
    c->to = NULL;
    return true;
}

/* ---- delegating ------------------------------------------------------------------------------------------ */

/* A session within is no place for what whelk has not. */
static const whelk_sandbox_kind *kind_of(const char *name)
{
    return strcmp(name, "inprocess") == 0 ? NULL : wk_sandbox_kind_named(name);
}

static bool is_name(const char *name)
{
    return name && *name && strlen(name) <= NAME_BYTES && !strchr(name, '/') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

static int refuse(whelk_session *s, int code, const char *why)
{
    wk_buf_reset(&s->error);
    wk_buf_fmt(&s->error, "delegate: %s", why);
    return code;
}

static int check(whelk_session *s, const whelk_delegate *d)
{
    const uint64_t needed = WHELK_BOX_EXEC | WHELK_BOX_STDIN | WHELK_BOX_SIGNAL;
    if (!!d->box + !!d->kind + !!d->supplied != 1)
        return refuse(s, WHELK_E_INVALID, "it needs a sandbox, or a kind of one");
    if (d->box && d->options)
        return refuse(s, WHELK_E_INVALID, "a sandbox that is open takes no options");
    if (d->box && !whelk_sandbox_capabilities(d->box))
        return refuse(s, WHELK_E_INVALID, "the sandbox is not open");
    if (d->box && ~whelk_sandbox_capabilities(d->box) & needed)
        return refuse(s, WHELK_E_UNSUPPORTED, "the sandbox cannot pass on input or signals");
    if (d->kind && !kind_of(d->kind))
        return refuse(s, WHELK_E_UNSUPPORTED, "the kind is none of docker, host");
    if (d->sync < WHELK_SYNC_BOTH || d->sync > WHELK_SYNC_NONE)
        return refuse(s, WHELK_E_UNSUPPORTED, "no such way to keep files in step");
    if (!d->n_commands || !d->commands)
        return refuse(s, WHELK_E_INVALID, "it names no command");
    for (size_t i = 0; i < d->n_commands; i++)
        if (!is_name(d->commands[i]))
            return refuse(s, WHELK_E_INVALID, "a name is none of a command");
    return WHELK_OK;
}

/* The session's own working directory. */
static char *cwd_of(whelk_session *s)
{
    struct wk_buf b;
    wk_buf_init(&b, s->mem, 1 << 16);
    char *p = wk_vdir_path(s->proc->cwd, &b) == 0 ? wk_buf_take(&b, NULL) : NULL;
    wk_buf_release(&b);
    return p;
}

/* Whether a container's own files cannot stand at that path. */
static bool is_free_place(const char *path)
{
    static const char *const taken[] = {".whelk", "bin", "boot", "dev", "etc",  "lib", "lib32", "lib64", "libx32",
                                        "proc",   "root", "run", "sbin", "sys", "tmp", "usr",   "var"};
    size_t n = path[0] == '/' ? strcspn(path + 1, "/") : 0;
    for (size_t i = 0; i < WK_COUNTOF(taken); i++)
        if (strlen(taken[i]) == n && memcmp(path + 1, taken[i], n) == 0)
            return false;
    return n > 0;
}

/* In a container that is the session's own, its directory has the same path as in the session: what a program prints,
 * or keeps in a file, holds on both sides. */
static const whelk_sandbox_options *options_of(const whelk_delegate *d, const char *directory,
                                               whelk_sandbox_options *own)
{
    if (!d->kind || strcmp(d->kind, "docker") != 0 || !directory || !is_free_place(directory))
        return d->options;
    whelk_sandbox_options_init(own);
    if (d->options && wk_api_take_options(own, sizeof *own, d->options) != WHELK_OK)
        return d->options; /* refused where it is opened */
    if (!own->workspace_path)
        own->workspace_path = directory;
    return own;
}

static int make_delegate(whelk_session *s, const whelk_delegate *d, struct wk_delegate **out)
{
    char *cwd = d->directory ? NULL : cwd_of(s);
    whelk_sandbox_options own;
    struct wk_delegate_config f = {.kern = &s->kern,
                                   .box = d->box,
                                   .kind = d->kind ? kind_of(d->kind) : d->supplied,
                                   .options = options_of(d, d->directory ? d->directory : cwd, &own),
                                   .sync = d->sync,
                                   .directory = d->directory ? d->directory : cwd,
                                   .left_out = d->left_out,
                                   .n_left_out = d->n_left_out,
                                   .max_file = d->max_file,
                                   .max_bytes = d->max_bytes,
                                   .max_files = d->max_files};
    int code = wk_delegate_new(&f, out);
    wk_free(s->mem, cwd);
    if (code == WHELK_E_INVALID)
        refuse(s, code, "the directory must be an absolute one below /, and the options right");
    return code;
}

static int keep(whelk_session *s, struct wk_delegate *d)
{
    struct wk_delegation *one = WK_NEW(s->mem, struct wk_delegation);
    if (!one) {
        wk_delegate_free(d);
        return WHELK_E_NOMEM;
    }
    *one = (struct wk_delegation){.next = s->delegations, .d = d};
    one->program.to = d;
    one->program.program = true;
    one->program.command = command_of("program", &one->program);
    s->delegations = one;
    return WHELK_OK;
}

int whelk_session_delegate(whelk_session *s, const whelk_delegate *given)
{
    whelk_delegate d;
    struct wk_delegate *to;
    if (!s || !given)
        return WHELK_E_INVALID;
    int code = wk_api_take_options(&d, sizeof d, given);
    if (!code)
        code = check(s, &d);
    if (!code)
        code = make_delegate(s, &d, &to);
    if (!code)
        code = keep(s, to);
    for (size_t i = 0; !code && i < d.n_commands; i++)
        code = add_name(s, d.commands[i], to);
    return code;
}

void wk_delegations_release(whelk_session *s)
{
    size_t pos = 0;
    void *v;
    while (s->delegations) {
        struct wk_delegation *one = s->delegations;
        s->delegations = one->next;
        wk_delegate_free(one->d);
        wk_free(s->mem, one);
    }
    while (wk_map_next(&s->delegated, &pos, NULL, &v)) {
        struct wk_delegate_command *c = v;
        wk_free(s->mem, c->name);
        wk_free(s->mem, c);
    }
    wk_map_release(&s->delegated);
}

/* The names of one place, for the twin's place. */
static int copy_names(whelk_session *s, const struct wk_delegate *from, whelk_session *twin, struct wk_delegate *to)
{
    size_t pos = 0;
    void *v;
    int code = WHELK_OK;
    while (!code && wk_map_next(&s->delegated, &pos, NULL, &v)) {
        const struct wk_delegate_command *c = v;
        if (c->to == from)
            code = add_name(twin, c->name, to);
    }
    return code;
}

int wk_delegations_copy(whelk_session *s, whelk_session *twin)
{
    int code = WHELK_OK;
    for (const struct wk_delegation *one = s->delegations; one && !code; one = one->next) {
        struct wk_delegate *to;
        code = wk_delegate_copy(one->d, &twin->kern, &to);
        if (!code && to)
            code = keep(twin, to);
        if (!code && to)
            code = copy_names(s, one->d, twin, to);
    }
    return code;
}

/* ---- programs that are known, and missing -------------------------------------------------------------------- */

/* Names by the image that has them. */
static const struct {
    const char *image, *names;
} programs[] = {
    {"python:3.12-bookworm", " python python3 pip pip3 git make gcc g++ cc c++ perl "},
    {"node:22-bookworm", " node npm npx yarn "},
    {"rust:1-bookworm", " cargo rustc "},
    {"golang:1-bookworm", " go gofmt "},
    {"ruby:3-bookworm", " ruby gem bundle "},
    {"maven:3-eclipse-temurin-21", " java javac mvn "},
    {"IMAGE", " clang clang++ cmake ninja pytest uv poetry pnpm deno bun php composer docker sqlite3 psql "},
};

bool wk_api_missing(void *ctx, struct wk_str name, struct wk_buf *out)
{
    char word[24];
    (void)ctx;
    if (!name.n || name.n > sizeof word - 3 || memchr(name.p, ' ', name.n))
        return false;
    word[0] = ' ';
    memcpy(word + 1, name.p, name.n);
    memcpy(word + 1 + name.n, " ", 2);
    for (size_t i = 0; i < WK_COUNTOF(programs); i++)
        if (strstr(programs[i].names, word))
            return wk_buf_fmt(out, "it needs a sandbox, which whoever runs this shell can grant: --delegate "
                                   "docker:%s=%.*s", programs[i].image, (int)name.n, name.p);
    return false;
}
