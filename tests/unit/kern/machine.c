/* machine.c - a machine with a memory vfs and leaf commands of the tests' own */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>

/* Not a macro of the test library, whose small form defines the program's main in every file. */
static void must(bool ok, const char *what, int line)
{
    if (ok)
        return;
    fprintf(stderr, "machine.c:%d: failed: %s\n", line, what);
    abort();
}
#define MUST_EQ(a, b) must((a) == (b), #a " == " #b, __LINE__)

static const struct wk_command *find(void *ctx, struct wk_str name)
{
    for (const struct wk_command *const *c = ctx; *c; c++)
        if (wk_str_is(name, (*c)->name))
            return *c;
    return NULL;
}

static int64_t now(void *ctx)
{
    (void)ctx;
    return 1000000000;
}

static void add_commands(struct machine *m, const struct wk_command *const *commands)
{
    uint64_t bin, ino;
    MUST_EQ(wk_vfs_add_dirs(m->vfs, WK_STR("/usr/bin"), &bin), 0);
    MUST_EQ(wk_vfs_add_dirs(m->vfs, WK_STR("/tmp"), &ino), 0);
    for (; *commands; commands++) {
        char text[64];
        int n = snprintf(text, sizeof text, "%s%s\n", WK_COMMAND_MAGIC, (*commands)->name);
        struct wk_vfs_entry e = {.name = wk_str_c((*commands)->name),
                                 .mode = WK_S_IFREG | 0755,
                                 .data = wk_str(text, (size_t)n)};
        MUST_EQ(wk_vfs_add(m->vfs, bin, &e, &ino), 0);
    }
}

void machine_open(struct machine *m, const struct wk_command *const *commands, size_t memory)
{
    memset(m, 0, sizeof *m);
    m->mem = wk_mem_new(memory);
    m->mem->reserve = 65536;
    m->stacks = wk_stacks_new(16);
    m->hub = wk_vfs_hub_new();
    struct wk_vfs_config vc = {.hub = m->hub, .limits = wk_vfs_limits_default(), .now = now};
    MUST_EQ(wk_vfs_new(m->mem, &vc, &m->vfs), 0);
    add_commands(m, commands);
    union {
        const struct wk_command *const *in;
        void *out;
    } u = {.in = commands};
    m->registry = (struct wk_registry){.ctx = u.out, .find = find};
    struct wk_limits l;
    wk_limits_default(&l);
    l.memory = memory;
    struct wk_kern_options o = {.mem = m->mem,
                                .vfs = m->vfs,
                                .stacks = m->stacks,
                                .limits = &l,
                                .registry = &m->registry,
                                .seed = 1,
                                .clock = WK_CLOCK_VIRTUAL};
    MUST_EQ(wk_kern_init(&m->k, &o), 0);
    MUST_EQ(wk_proc_fork(m->k.init, &m->shell), 0);
    wk_buf_init(&m->text, m->mem, SIZE_MAX / 2);
    wk_buf_init(&m->messages, m->mem, SIZE_MAX / 2);
    struct wk_sink out = {.kind = WK_SINK_BUFFER, .buf = &m->text, .count = true};
    struct wk_sink err = {.kind = WK_SINK_BUFFER, .buf = &m->messages};
    struct wk_source none = {.kind = WK_SOURCE_EMPTY};
    struct wk_file *in;
    MUST_EQ(wk_source_file_new(&m->k, &none, &in), 0);
    MUST_EQ(wk_sink_file_new(&m->k, &out, &m->out), 0);
    MUST_EQ(wk_sink_file_new(&m->k, &err, &m->err), 0);
    MUST_EQ(wk_fd_set(&m->shell->fds, 0, in, false), 0);
    MUST_EQ(wk_fd_set(&m->shell->fds, 1, m->out, false), 0);
    MUST_EQ(wk_fd_set(&m->shell->fds, 2, m->err, false), 0);
    wk_kern_begin_run(&m->k);
}

void machine_close(struct machine *m)
{
    wk_kern_stop(&m->k, WK_STOP_CLOSE, true);
    wk_kern_drain(&m->k);
    wk_proc_finish(m->shell, (struct wk_exit){0, 0});
    wk_proc_reap(m->shell);
    wk_buf_release(&m->text);
    wk_buf_release(&m->messages);
    wk_kern_release(&m->k);
    wk_vfs_free(m->vfs);
    wk_vfs_hub_unref(m->hub);
    MUST_EQ(wk_mem_used(m->mem), 0);
    wk_stacks_free(m->stacks);
    wk_mem_unref(m->mem);
}

static void start_on(struct wk_proc *p, const char *line)
{
    char copy[256];
    const char *argv[16];
    char *rest = copy; /* two threads may be in here */
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *w; n < 15 && (w = strtok_r(rest, " ", &rest)) != NULL;)
        argv[n++] = w;
    argv[n] = NULL;
    struct wk_spawn s = {.argc = n, .argv = argv};
    int r = wk_exec_on(p, &s);
    must(r == 0, line, __LINE__);
}

struct wk_proc *machine_start(struct machine *m, const char *line)
{
    struct wk_proc *p;
    MUST_EQ(wk_proc_fork(m->shell, &p), 0);
    start_on(p, line);
    return p;
}

void machine_run(struct machine *m)
{
    enum wk_sched_result r;
    while ((r = wk_sched_run(&m->k, NULL, 0, 0)) == WK_SCHED_READY)
        continue;
}

int machine_pipeline(struct machine *m, size_t n, const char *const *lines, int *statuses)
{
    struct wk_proc *p[16];
    struct wk_file *from = NULL;
    for (size_t i = 0; i < n; i++) {
        struct wk_file *r = NULL, *w = NULL;
        MUST_EQ(wk_proc_fork(m->shell, &p[i]), 0);
        if (from)
            MUST_EQ(wk_fd_set(&p[i]->fds, 0, from, false), 0);
        if (i + 1 < n) {
            MUST_EQ(wk_pipe_new(&m->k, &r, &w), 0);
            MUST_EQ(wk_fd_set(&p[i]->fds, 1, w, false), 0);
        }
        start_on(p[i], lines[i]);
        from = r;
    }
    machine_run(m);
    int status = -1;
    for (size_t i = 0; i < n; i++) {
        if (p[i]->state != WK_PROC_ZOMBIE)
            return -1;
        status = wk_exit_status(p[i]->exit);
        if (statuses)
            statuses[i] = status;
        wk_proc_reap(p[i]);
    }
    return status;
}
