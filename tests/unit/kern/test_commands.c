/* test_commands.c - leaf commands in pipelines: streaming, SIGPIPE, kills, options, memory */
#include "machine.h"

#include <criterion/criterion.h>

static int yes_main(struct wk_cmd *c)
{
    const char *word = c->nargs ? c->args[0] : "y";
    while (!c->status) {
        wk_out_c(c->out, word);
        wk_out_char(c->out, '\n');
    }
    return c->status;
}
WK_COMMAND(yes, .summary = "print a word again and again", .usage = "yes [STRING]...");

struct head_opts {
    int64_t lines;
    bool quiet;
};
static const struct wk_opt head_options[] = {
    WK_INT_OPT(struct head_opts, lines, 'n', "lines", "NUM", "print the first NUM lines"),
    WK_FLAG(struct head_opts, quiet, 'q', "quiet", "no headers"),
    WK_FLAG(struct head_opts, quiet, 0, "quick", "quickly"),
    WK_OPTS_END,
};
static int head_main(struct wk_cmd *c)
{
    const struct head_opts *o = c->opts;
    struct wk_in *in = NULL;
    struct wk_str line;
    while (wk_input_next(c, &in))
        for (int64_t i = 0; i < (o->lines ? o->lines : 10) && wk_line_next(in, '\n', &line); i++) {
            wk_out_str(c->out, line);
            wk_out_char(c->out, '\n');
        }
    return c->status;
}
WK_COMMAND(head, .summary = "print the first lines", .usage = "head [OPTION]... [FILE]...",
           .opts = head_options, .opts_size = sizeof(struct head_opts));

static int cat_main(struct wk_cmd *c)
{
    struct wk_in *in = NULL;
    const char *p;
    size_t n;
    while (wk_input_next(c, &in))
        while (wk_in_chunk(in, &p, &n))
            wk_out_put(c->out, p, n);
    return c->status;
}
WK_COMMAND(cat, .summary = "copy", .usage = "cat [FILE]...");

static int count_main(struct wk_cmd *c)
{
    const char *p;
    size_t n;
    uint64_t total = 0;
    while (wk_in_chunk(c->in, &p, &n))
        total += n;
    wk_out_u64(c->out, total);
    wk_out_char(c->out, '\n');
    return 0;
}
WK_COMMAND(count, .summary = "count bytes", .usage = "count", .max_args = -1);

static int hog_main(struct wk_cmd *c)
{
    while (!c->status)
        memset(wk_heap_alloc(c->heap, 65536), 1, 65536);
    return c->status;
}
WK_COMMAND(hog, .summary = "take memory", .usage = "hog");

static int nap_main(struct wk_cmd *c)
{
    wk_cmd_sleep(c, 3600 * INT64_C(1000000000));
    wk_out_c(c->out, "woke\n");
    return 0;
}
WK_COMMAND(nap, .summary = "sleep an hour", .usage = "nap");

static int become_main(struct wk_cmd *c)
{
    int err = wk_cmd_exec(c, c->nargs, c->args, NULL);
    wk_fail(c, 127, "%s: %s", c->args[0], wk_err_text(err));
}
WK_COMMAND(become, .summary = "exec", .usage = "become COMMAND", .flags = WK_CMD_NO_PERMUTE,
           .min_args = 1);

static int twice_main(struct wk_cmd *c)
{
    struct wk_exit e = {0};
    for (int i = 0; i < 2; i++)
        if (wk_cmd_run(c, c->nargs, c->args, NULL, &e) != 0)
            return 127;
    return wk_exit_status(e);
}
WK_COMMAND(twice, .summary = "run twice", .usage = "twice COMMAND", .flags = WK_CMD_NO_PERMUTE);

static const struct wk_command *const commands[] = {
    &wk_command_yes,    &wk_command_head,  &wk_command_cat,
    &wk_command_count,  &wk_command_hog,   &wk_command_nap,
    &wk_command_become, &wk_command_twice, NULL};

Test(commands, reader_that_leaves_ends_its_writer)
{
    struct machine m;
    int s[3];
    machine_open(&m, commands, 64 << 20);
    const char *lines[] = {"yes", "cat", "head -n 2"};
    cr_expect_eq(machine_pipeline(&m, 3, lines, s), 0);
    cr_expect_eq(s[0], 141);
    cr_expect_eq(s[1], 141);
    cr_expect_str_eq(wk_buf_c(&m.text), "y\ny\n");
    machine_close(&m);
}

Test(commands, pipes_stream_in_bounded_memory)
{
    struct machine m;
    machine_open(&m, commands, 3 << 20);
    const char *lines[] = {"yes abcdefgh", "head -n 1000000", "count"};
    cr_expect_eq(machine_pipeline(&m, 3, lines, NULL), 0);
    cr_expect_str_eq(wk_buf_c(&m.text), "9000000\n");
    cr_expect_lt(m.mem->peak, 2 << 20);
    machine_close(&m);
}

Test(commands, output_buffers_do_not_grow_with_large_pieces)
{
    struct machine m;
    machine_open(&m, commands, 3 << 20);
    const char *lines[] = {"yes abcdefgh", "cat", "cat", "head -n 2000000", "count"};
    cr_expect_eq(machine_pipeline(&m, 5, lines, NULL), 0);
    cr_expect_str_eq(wk_buf_c(&m.text), "18000000\n");
    cr_expect_lt(m.mem->peak, 2 << 20);
    machine_close(&m);
}

Test(commands, memory_limit_ends_the_run_with_a_line)
{
    struct machine m;
    machine_open(&m, commands, 4 << 20);
    const char *lines[] = {"hog"};
    machine_pipeline(&m, 1, lines, NULL);
    cr_expect_eq(m.k.breach, WK_LIMIT_MEMORY);
    cr_expect_str_eq(wk_buf_c(&m.messages), "hog: memory limit reached\n");
    machine_close(&m);
}

Test(commands, killed_while_parked)
{
    struct machine m;
    machine_open(&m, commands, 16 << 20);
    m.k.clock.kind = WK_CLOCK_REAL; /* nothing jumps to the end of the nap */
    struct wk_proc *p = machine_start(&m, "nap");
    machine_run(&m);
    cr_expect_eq(p->state, WK_PROC_RUNNING);
    cr_expect_eq(wk_kill(&m.k, NULL, p->pid, WK_SIGTERM), 0);
    machine_run(&m);
    cr_expect_eq(p->state, WK_PROC_ZOMBIE);
    cr_expect_eq(wk_exit_status(p->exit), 143);
    wk_proc_reap(p);
    cr_expect_eq(m.k.task_count, 0);
    machine_close(&m);
}

Test(commands, virtual_clock_jumps)
{
    struct machine m;
    machine_open(&m, commands, 16 << 20);
    const char *lines[] = {"nap"};
    cr_expect_eq(machine_pipeline(&m, 1, lines, NULL), 0);
    cr_expect_str_eq(wk_buf_c(&m.text), "woke\n");
    cr_expect_geq(m.k.clock.virtual_ns, 3600 * INT64_C(1000000000));
    machine_close(&m);
}

Test(commands, exec_and_children)
{
    struct machine m;
    machine_open(&m, commands, 16 << 20);
    struct wk_vfile *f;
    struct wk_cred root = {0, 0, 022, NULL};
    cr_assert_eq(
        wk_vfs_open(m.vfs, &root, NULL, WK_STR("/tmp/f"), WK_O_WRONLY | WK_O_CREAT, 0644, &f), 0);
    cr_assert_eq(wk_vfile_pwrite(f, "one\ntwo\n", 8, 0), 8);
    wk_vfile_unref(f);
    const char *become[] = {"become become head -n 1 /tmp/f"};
    cr_expect_eq(machine_pipeline(&m, 1, become, NULL), 0);
    const char *twice[] = {"twice cat /tmp/f"};
    cr_expect_eq(machine_pipeline(&m, 1, twice, NULL), 0);
    cr_expect_str_eq(wk_buf_c(&m.text), "one\none\ntwo\none\ntwo\n");
    const char *missing[] = {"become nosuch"};
    cr_expect_eq(machine_pipeline(&m, 1, missing, NULL), 127);
    cr_expect_str_eq(wk_buf_c(&m.messages), "become: nosuch: No such file or directory\n");
    machine_close(&m);
}

Test(commands, options_in_gnu_wording)
{
    struct machine m;
    static const struct {
        const char *line, *message;
    } rows[] = {
        {"head -z", "head: invalid option -- 'z'\nTry 'head --help' for more information.\n"},
        {"head -n",
         "head: option requires an argument -- 'n'\nTry 'head --help' for more information.\n"},
        {"head --bad",
         "head: unrecognized option '--bad'\nTry 'head --help' for more information.\n"},
        {"head --lines",
         "head: option '--lines' requires an argument\nTry 'head --help' for more information.\n"},
        {"head --quiet=1", "head: option '--quiet' doesn't allow an argument\nTry 'head --help' "
                           "for more information.\n"},
        {"head --qui", "head: option '--qui' is ambiguous; possibilities: '--quiet' '--quick'\nTry "
                       "'head --help' for more information.\n"},
        {"count x", "count: extra operand 'x'\nTry 'count --help' for more information.\n"},
        {"become", "become: missing operand\nTry 'become --help' for more information.\n"},
        {"head /none", "head: /none: No such file or directory\n"},
        {"cat /tmp", "cat: /tmp: Is a directory\n"},
    };
    machine_open(&m, commands, 16 << 20);
    for (size_t i = 0; i < WK_COUNTOF(rows); i++) {
        wk_buf_reset(&m.messages);
        cr_expect_eq(machine_pipeline(&m, 1, &rows[i].line, NULL), 1);
        cr_expect_str_eq(wk_buf_c(&m.messages), rows[i].message, "%s\n%s", rows[i].line,
                         wk_buf_c(&m.messages));
    }
    machine_close(&m);
}

static void fail_each(size_t argc, const char *const *argv)
{
    for (uint64_t n = 1; n < 120; n++) {
        struct machine m;
        machine_open(&m, commands, 64 << 20);
        m.mem->fail_at = m.mem->count + n;
        struct wk_proc *p;
        if (wk_proc_fork(m.shell, &p) == 0) {
            struct wk_spawn s = {.argc = argc, .argv = argv};
            if (wk_exec_on(p, &s) != 0)
                wk_proc_finish(p, (struct wk_exit){1, 0});
            machine_run(&m);
        }
        m.mem->fail_at = 0;
        machine_close(&m);
    }
}

Test(commands, every_allocation_failing)
{
    static const char *const lines[][4] = {{"head", "-n", "3", NULL},
                                           {"head", "--qui", "x", NULL},
                                           {"head", "--help", "x", NULL},
                                           {"cat", "/no ne", "/tmp", NULL},
                                           {"twice", "cat", "/usr/bin/cat", NULL},
                                           {"become", "head", "-z", NULL}};
    for (size_t i = 0; i < WK_COUNTOF(lines); i++)
        fail_each(3, lines[i]);
}
