/* host_command.c - a command of the host's own, limits, and a look at what a run changed */
#include <stdio.h>
#include <string.h>
#include <whelk.h>

/* `greet NAME...`: for a script an ordinary command, with descriptors and a status. */
static void greet(void *ctx, whelk_call *call)
{
    const char *greeting = ctx;
    for (size_t i = 1; i < whelk_call_argc(call); i++) {
        const char *name = whelk_call_arg(call, i);
        whelk_call_write(call, 1, greeting, strlen(greeting));
        whelk_call_write(call, 1, name, strlen(name));
        whelk_call_write(call, 1, "\n", 1);
    }
    whelk_call_complete(call, whelk_call_argc(call) > 1 ? 0 : 2);
}

static int show_change(void *ctx, int change, const char *path, const char *old_path)
{
    (void)old_path;
    fprintf(ctx, "%s %s\n", change == WHELK_ADDED ? "added" : "changed", path);
    return 0;
}

static void run(whelk_session *s, const char *script)
{
    const whelk_result *r;
    int e = whelk_exec(s, script, &r);
    if (e) {
        fprintf(stderr, "%s\n", whelk_strerror(e));
        return;
    }
    fwrite(r->out, 1, r->out_len, stdout);
    fwrite(r->err, 1, r->err_len, stdout);
    printf("status %d%s\n", r->status, r->stop == WHELK_STOP_LIMIT ? ", stopped by a limit" : "");
}

int main(void)
{
    static char hello[] = "hello ";
    const whelk_command_ops ops = {.size = sizeof ops, .begin = greet};
    const whelk_limits limits = {.size = sizeof limits, .steps = 100000, .memory_bytes = 64 << 20};
    whelk_session_options options;
    whelk_runtime *rt;
    whelk_session *s;

    whelk_session_options_init(&options);
    options.limits = &limits;
    if (whelk_runtime_new(NULL, &rt) || whelk_session_open(rt, &options, &s))
        return 1;
    whelk_command_add(s, "greet", "greets by name", &ops, hello);

    whelk_snapshot *before = NULL, *after = NULL;
    whelk_snapshot_take(s, &before);
    run(s, "greet ann bob | tee names | tail -n 1; type greet");
    run(s, "while :; do :; done");
    whelk_snapshot_take(s, &after);
    whelk_snapshot_diff(before, after, show_change, stdout);

    whelk_snapshot_free(before);
    whelk_snapshot_free(after);
    whelk_session_close(s);
    whelk_runtime_free(rt);
    return 0;
}
