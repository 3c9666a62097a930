/* sandbox.c - a sandbox of any kind: a command, files, a process in the background
 *
 * usage: sandbox [KIND]
 */
#include <stdio.h>
#include <string.h>
#include <whelk/sandbox.h>

static int show(void *ctx, const whelk_match *m)
{
    (void)ctx;
    printf("%s:%d: %.*s\n", m->path, (int)m->number, (int)m->line_len, m->line);
    return 0;
}

static void run(whelk_sandbox *box, const char *script)
{
    whelk_sandbox_result *r;
    if (whelk_sandbox_exec(box, script, &r) != WHELK_OK) {
        printf("not run: %s\n", whelk_sandbox_error(box));
        return;
    }
    if (r->outcome == WHELK_OUTCOME_EXITED)
        printf("%s%sstatus %d\n", r->out, r->err, r->exit_code);
    else
        printf("no status: %s\n", r->error);
    whelk_sandbox_result_free(r);
}

static void files(whelk_sandbox *box)
{
    static const char text[] = "int main(void)\n{\n    return 1;\n}\n";
    if (whelk_sandbox_write_file(box, "src/main.c", text, strlen(text), 0, 0) != WHELK_OK ||
        whelk_sandbox_edit(box, "src/main.c", "return 1;", "return 0;", 0, NULL) != WHELK_OK)
        printf("%s\n", whelk_sandbox_error(box));
    whelk_sandbox_search what = {.size = sizeof what, .pattern = "return", .include = "*.{c,h}"};
    whelk_sandbox_grep(box, &what, show, NULL, NULL);
}

static void background(whelk_sandbox *box)
{
    whelk_sandbox_request q;
    uint32_t id;
    whelk_sandbox_request_init(&q);
    q.script = "echo begins; echo ready; sleep 0.05; exit 4";
    q.tag = "server";
    if (whelk_sandbox_start(box, &q, &id) != WHELK_OK) {
        printf("%s\n", whelk_sandbox_error(box));
        return;
    }
    whelk_sandbox_read what = {.size = sizeof what,
                               .id = id,
                               .stream = 1,
                               .wait_ms = 30000,
                               .until = WHELK_UNTIL_MATCH,
                               .pattern = "^ready$"};
    whelk_sandbox_output out = {.size = sizeof out};
    if (whelk_sandbox_read_output(box, &what, &out) == WHELK_OK)
        printf("%s", out.data);
    whelk_free(out.data);
    whelk_process p = {.size = sizeof p};
    if (whelk_sandbox_wait(box, id, 30000, &p) == WHELK_OK)
        printf("ended with %d\n", p.exit_code);
    whelk_sandbox_forget(box, id);
}

int main(int argc, char **argv)
{
    whelk_sandbox_options o;
    whelk_sandbox *box;
    whelk_sandbox_options_init(&o);
    o.timeout_ms = 30000;
    int failed = whelk_sandbox_open(argc > 1 ? argv[1] : "inprocess", &o, &box);
    if (failed) {
        printf("%s\n", whelk_sandbox_error(box));
    } else {
        run(box, "echo hello | tr a-z A-Z; echo trouble >&2; exit 3");
        files(box);
        background(box);
    }
    whelk_sandbox_close(box);
    return failed != 0;
}
