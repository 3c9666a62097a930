/* shell_bed.c - a shell over an empty memory file system */
#include "shell_bed.h"

#include "interp/builtin.h"
#include "interp/shared.h"
#include "interp/start.h"
#include "kern/hostio.h"

#include <stdio.h>
#include <stdlib.h>

/* Not a macro of the test library, whose small form defines the program's main in every file. */
static void must(bool ok, const char *what, int line)
{
    if (ok)
        return;
    fprintf(stderr, "shell_bed.c:%d: failed: %s\n", line, what);
    abort();
}
#define MUST(a) must((a), #a, __LINE__)

static enum wk_flow p_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_bout o;
    wk_bout_init(&o, sh, "p");
    for (size_t i = 1; i < a->n; i++) {
        wk_buf_putc(&o.buf, '<');
        wk_buf_puts(&o.buf, a->v[i]);
        wk_buf_putc(&o.buf, '>');
    }
    wk_buf_putc(&o.buf, '\n');
    sh->status = 0;
    return wk_bout_finish(&o);
}

static enum wk_flow colon_run(struct wk_shell *sh, const struct wk_args *a)
{
    (void)a;
    return wk_status(sh, 0);
}

static const struct wk_builtin colon_row = {.name = ":", .usage = ":", .run = colon_run};
static const struct wk_builtin p_row = {.name = "p", .usage = "p [arg ...]", .run = p_run};
static const struct wk_builtin *const rows[] = {&colon_row, &p_row};

static const struct wk_command *no_command(void *ctx, struct wk_str name)
{
    (void)ctx;
    (void)name;
    return NULL;
}

static const struct wk_registry no_commands = {.find = no_command};

static int64_t now(void *ctx)
{
    (void)ctx;
    return 1000000000;
}

static void open_streams(struct shell_bed *b)
{
    struct wk_file *in, *out, *err;
    struct wk_source none = {.kind = WK_SOURCE_EMPTY};
    struct wk_sink o = {.kind = WK_SINK_BUFFER, .buf = &b->out, .count = true};
    struct wk_sink e = {.kind = WK_SINK_BUFFER, .buf = &b->err};
    MUST(wk_source_file_new(&b->k, &none, &in) == 0);
    MUST(wk_sink_file_new(&b->k, &o, &out) == 0);
    MUST(wk_sink_file_new(&b->k, &e, &err) == 0);
    MUST(wk_fd_set(&b->proc->fds, 0, in, false) == 0);
    MUST(wk_fd_set(&b->proc->fds, 1, out, false) == 0);
    MUST(wk_fd_set(&b->proc->fds, 2, err, false) == 0);
}

void shell_bed_open(struct shell_bed *b, size_t memory)
{
    memset(b, 0, sizeof *b);
    b->mem = wk_mem_new(memory);
    b->mem->reserve = 65536;
    b->stacks = wk_stacks_new(16);
    b->hub = wk_vfs_hub_new();
    struct wk_vfs_config vc = {.hub = b->hub, .limits = wk_vfs_limits_default(), .now = now};
    MUST(wk_vfs_new(b->mem, &vc, &b->vfs) == 0);
    struct wk_limits l;
    wk_limits_default(&l);
    l.memory = memory;
    struct wk_kern_options o = {.mem = b->mem,
                                .vfs = b->vfs,
                                .stacks = b->stacks,
                                .limits = &l,
                                .registry = &no_commands,
                                .seed = 1,
                                .clock = WK_CLOCK_VIRTUAL};
    MUST(wk_kern_init(&b->k, &o) == 0);
    MUST(wk_proc_fork(b->k.init, &b->proc) == 0);
    wk_buf_init(&b->out, b->mem, SIZE_MAX / 2);
    wk_buf_init(&b->err, b->mem, SIZE_MAX / 2);
    open_streams(b);
    b->names = wk_names_new(b->mem, 1);
    b->shared = wk_shared_new(b->mem);
    MUST(b->names && b->shared);
    b->hooks = (struct wk_shell_hooks){.builtins = rows, .nbuiltins = WK_COUNTOF(rows)};
}

void shell_bed_close(struct shell_bed *b)
{
    wk_kern_stop(&b->k, WK_STOP_CLOSE, true);
    wk_kern_drain(&b->k);
    if (b->proc->state != WK_PROC_ZOMBIE)
        wk_proc_finish(b->proc, (struct wk_exit){0, 0});
    wk_proc_reap(b->proc);
    wk_shared_free(b->shared);
    wk_names_free(b->names);
    wk_buf_release(&b->out);
    wk_buf_release(&b->err);
    wk_kern_release(&b->k);
    wk_vfs_free(b->vfs);
    wk_vfs_hub_unref(b->hub);
    MUST(wk_mem_used(b->mem) == 0);
    wk_stacks_free(b->stacks);
    wk_mem_unref(b->mem);
}

void shell_bed_touch(struct shell_bed *b, const char *dir, const char *name)
{
    uint64_t parent, ino;
    struct wk_vfs_entry e = {.name = wk_str_c(name), .mode = WK_S_IFREG | 0644};
    MUST(wk_vfs_add_dirs(b->vfs, wk_str_c(dir), &parent) == 0);
    MUST(wk_vfs_add(b->vfs, parent, &e, &ino) == 0);
}

static void task_main(struct wk_task *t)
{
    struct shell_bed *b = t->arg;
    const struct wk_shell_options o = {.arg0 = "bash"};
    int err;
    b->sh = wk_shell_new(t, b->names, b->shared, &o, &err);
    b->started = b->sh != NULL;
    if (b->sh) {
        enum wk_flow flow = WK_NEXT;
        b->sh->hooks = &b->hooks;
        b->sh->is_main = true;
        if (b->body)
            b->body(b);
        else
            flow = wk_sh_run_text(b->sh, wk_str_c(b->script), NULL);
        b->exit = wk_sh_finish(b->sh, flow);
        wk_shell_free(b->sh);
        b->sh = NULL;
    }
    b->proc->task = NULL;
}

static void run_task(struct shell_bed *b)
{
    struct wk_task *t;
    wk_buf_reset(&b->out);
    wk_buf_reset(&b->err);
    wk_kern_begin_run(&b->k);
    b->started = false;
    int r = wk_task_new(&b->k, b->proc, false, task_main, b, &t);
    MUST(r == 0 || b->mem->fail_at);
    if (r)
        return;
    b->proc->task = t;
    while (wk_sched_run(&b->k, t, 0, 0) == WK_SCHED_READY)
        ;
}

const char *shell_bed_run(struct shell_bed *b, const char *script)
{
    b->script = script;
    b->body = NULL;
    run_task(b);
    return wk_buf_c(&b->out);
}

void shell_bed_call(struct shell_bed *b, void (*body)(struct shell_bed *b))
{
    b->body = body;
    run_task(b);
}

const char *shell_bed_once(const char *script)
{
    static char text[65536];
    struct shell_bed b;
    shell_bed_open(&b, (size_t)64 << 20);
    snprintf(text, sizeof text, "%s", shell_bed_run(&b, script));
    shell_bed_close(&b);
    return text;
}
