/* box.c - a sandbox of the kind "docker" at the end of a pipe, for test_docker.py
 *
 * Each line of standard input is a JSON object: {"do": "open", …}. Each answer is a line of JSON. What the sandbox
 * tells meanwhile are lines of their own: {"notice": …}. Bytes are in base64.
 */
#include "adapters/docker/doc.h"
#include "adapters/sandbox/sandbox.h"
#include "base/base64.h"
#include "text/json/json.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MANY = 16 };

static struct wk_mem *mem;
static whelk_sandbox *box;
static struct wk_doc line_doc;

/* ---- asking the line ---- */

static const struct wk_doc_node *member(const char *key)
{
    return wk_doc_get(&line_doc, wk_doc_root(&line_doc), key);
}

static const char *text(const char *key)
{
    const struct wk_doc_node *n = member(key);
    return n && n->type == WK_DOC_TEXT ? wk_doc_text(&line_doc, n).p : NULL;
}

static int64_t number(const char *key, int64_t otherwise)
{
    const struct wk_doc_node *n = member(key);
    return n && n->type == WK_DOC_BOOL ? wk_doc_true(n) : wk_doc_number(&line_doc, n, otherwise);
}

static size_t texts(const char *key, const char **list)
{
    size_t n = 0;
    for (const struct wk_doc_node *c = wk_doc_first(&line_doc, member(key)); c && n < MANY;
         c = wk_doc_next(&line_doc, c))
        list[n++] = wk_doc_text(&line_doc, c).p;
    return n;
}

/* ---- answers ---- */

static void put_key(struct wk_buf *b, const char *key)
{
    wk_buf_fmt(b, "%s\"%s\":", b->n > 1 ? "," : "", key);
}

static void put_number(struct wk_buf *b, const char *key, int64_t v)
{
    put_key(b, key);
    wk_buf_put_i64(b, v);
}

static void put_text(struct wk_buf *b, const char *key, const char *s)
{
    put_key(b, key);
    wk_json_put_string(b, wk_str_c(s), true);
}

static void put_bytes(struct wk_buf *b, const char *key, const char *p, size_t n)
{
    put_key(b, key);
    wk_buf_putc(b, '"');
    wk_base64_put(b, wk_str(p, n));
    wk_buf_putc(b, '"');
}

static void say(struct wk_buf *b)
{
    wk_buf_put_c(b, "}\n");
    fwrite(b->p, 1, b->n, stdout);
    fflush(stdout);
    wk_buf_release(b);
}

static struct wk_buf answer(int code)
{
    struct wk_buf b;
    wk_buf_init(&b, mem, SIZE_MAX / 2);
    wk_buf_put_c(&b, "{");
    put_number(&b, "code", code);
    if (code)
        put_text(&b, "error", whelk_sandbox_error(box));
    return b;
}

static void on_notice(void *ctx, int notice, const char *words)
{
    struct wk_buf b;
    (void)ctx;
    wk_buf_init(&b, mem, SIZE_MAX / 2);
    wk_buf_put_c(&b, "{");
    put_number(&b, "notice", notice);
    put_text(&b, "text", words);
    say(&b);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- what it can do ---- */

static void cancel_later(int64_t ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
    whelk_sandbox_cancel(box);
}

static void *canceller(void *ms)
{
    cancel_later(*(int64_t *)ms);
    return NULL;
}

static void do_open(void)
{
    const char *extra[MANY], *env[MANY];
    whelk_port ports[MANY] = {{0}};
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.image = text("image");
    o.endpoint = text("endpoint");
    o.workspace = text("workspace");
    o.workspace_path = text("workspace_path");
    o.network = text("network");
    o.pull = text("pull");
    o.platform = text("platform");
    o.setup_script = text("setup_script");
    o.setup_timeout_ms = number("setup_timeout_ms", 0);
    o.user = text("user");
    o.runtime = text("runtime");
    o.isolation = text("isolation");
    o.shell = text("shell");
    o.git_name = text("git_name");
    o.memory_bytes = (uint64_t)number("memory_bytes", 0);
    o.cpu_milli = (uint32_t)number("cpu_milli", 0);
    o.pids = (uint32_t)number("pids", 0);
    o.background = (int)number("background", 0);
    o.delete_on_cleanup = (int)number("delete_on_cleanup", 0);
    o.workspace_in_container = (int)number("workspace_in_container", 0);
    o.read_only_root = (int)number("read_only_root", 0);
    o.inherit_env = (int)number("inherit_env", 0);
    o.extra = extra;
    o.n_extra = texts("extra", extra);
    o.env = env;
    o.n_env = texts("env", env);
    o.notice = on_notice;
    if (number("port", 0)) {
        ports[0].size = sizeof ports[0];
        ports[0].inside = (uint16_t)number("port", 0);
        o.ports = ports;
        o.n_ports = 1;
    }
    double start = now_ms();
    int code = whelk_sandbox_open_kind(&wk_docker_kind, &o, &box);
    struct wk_buf b = answer(code);
    put_number(&b, "us", (int64_t)((now_ms() - start) * 1000));
    put_text(&b, "description", whelk_sandbox_description(box));
    put_number(&b, "capabilities", (int64_t)whelk_sandbox_capabilities(box));
    put_number(&b, "port", whelk_sandbox_port(box, (uint16_t)number("port", 0)));
    say(&b);
}

static void request_of(whelk_sandbox_request *r)
{
    whelk_sandbox_request_init(r);
    r->script = text("script");
    r->cwd = text("cwd");
    r->user = text("user");
    r->timeout_ms = number("timeout_ms", 0);
    r->grace_ms = number("grace_ms", 0);
    r->input = text("input");
    r->input_len = r->input ? strlen(r->input) : 0;
    r->tty = (int)number("tty", 0);
    r->max_stdout = (uint64_t)number("max_stdout", 0);
}

static void do_exec(void)
{
    whelk_sandbox_request r;
    whelk_sandbox_result *res = NULL;
    pthread_t thread;
    int64_t cancel = number("cancel_ms", 0);
    bool cancels = cancel > 0 && pthread_create(&thread, NULL, canceller, &cancel) == 0;
    request_of(&r);
    double start = now_ms();
    int code = whelk_sandbox_exec_with(box, &r, &res);
    double end = now_ms();
    if (cancels)
        pthread_join(thread, NULL);
    struct wk_buf b = answer(code);
    put_number(&b, "us", (int64_t)((end - start) * 1000));
    if (res) {
        put_number(&b, "outcome", res->outcome);
        put_number(&b, "exit_code", res->exit_code);
        put_number(&b, "signal", res->signal);
        put_bytes(&b, "out", res->out, res->out_len);
        put_bytes(&b, "err", res->err, res->err_len);
        put_number(&b, "out_total", (int64_t)res->out_total);
        put_number(&b, "survivors", res->survivors);
        put_text(&b, "error_text", res->error);
        whelk_sandbox_result_free(res);
    }
    say(&b);
}

static void do_start(void)
{
    whelk_sandbox_request r;
    uint32_t id = 0;
    request_of(&r);
    struct wk_buf b = answer(whelk_sandbox_start(box, &r, &id));
    put_number(&b, "id", id);
    say(&b);
}

static void do_output(void)
{
    whelk_sandbox_read r = {.size = sizeof r,
                            .id = (uint32_t)number("id", 0),
                            .stream = 1,
                            .wait_ms = number("wait_ms", 0),
                            .until = (int)number("until", 0)};
    whelk_sandbox_output out = {.size = sizeof out};
    int code = whelk_sandbox_read_output(box, &r, &out);
    struct wk_buf b = answer(code);
    if (!code) {
        put_bytes(&b, "data", out.data, out.len);
        put_number(&b, "state", out.state);
        free(out.data); /* as whelk_free does */
    }
    say(&b);
}

static void do_wait(void)
{
    whelk_process p = {.size = sizeof p};
    int code = whelk_sandbox_wait(box, (uint32_t)number("id", 0), number("timeout_ms", 0), &p);
    struct wk_buf b = answer(code);
    put_number(&b, "state", p.state);
    put_number(&b, "outcome", p.outcome);
    put_number(&b, "exit_code", p.exit_code);
    put_number(&b, "signal", p.signal);
    say(&b);
}

static void do_signal(void)
{
    struct wk_buf b = answer(whelk_sandbox_signal(box, (uint32_t)number("id", 0), (int)number("signal", 15),
                                                  (int)number("scope", WHELK_SCOPE_TREE)));
    say(&b);
}

static void do_put(void)
{
    struct wk_buf bytes;
    wk_buf_init(&bytes, mem, SIZE_MAX / 2);
    if (wk_base64_get(&bytes, wk_str_c(text("data"))) != 0)
        exit(6);
    struct wk_buf b = answer(
        whelk_sandbox_write_file(box, text("path"), wk_buf_c(&bytes), bytes.n, (uint32_t)number("mode", 0), 0));
    wk_buf_release(&bytes);
    say(&b);
}

static void do_get(void)
{
    whelk_sandbox_data data = {.size = sizeof data};
    int code = whelk_sandbox_read_file(box, text("path"), NULL, &data);
    struct wk_buf b = answer(code);
    if (!code)
        put_bytes(&b, "data", data.data, data.len);
    free(data.data);
    say(&b);
}

static void do_close(void)
{
    double start = now_ms();
    whelk_sandbox_close(box);
    box = NULL;
    struct wk_buf b = answer(0);
    put_number(&b, "us", (int64_t)((now_ms() - start) * 1000));
    say(&b);
}

static void do_reap(void)
{
    struct wk_buf words;
    whelk_sandbox_options o;
    whelk_sandbox_options_init(&o);
    o.endpoint = text("endpoint");
    wk_buf_init(&words, mem, 65536);
    int n = wk_docker_reap(&o, &words);
    struct wk_buf b = answer(n < 0 ? n : 0);
    put_number(&b, "n", n);
    put_text(&b, "words", wk_buf_c(&words));
    say(&b);
    wk_buf_release(&words);
}

static void take_line(const char *p, size_t n)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } commands[] = {{"open", do_open},   {"exec", do_exec},     {"start", do_start}, {"output", do_output},
                    {"wait", do_wait},   {"signal", do_signal}, {"put", do_put},     {"get", do_get},
                    {"close", do_close}, {"reap", do_reap}};
    if (wk_doc_parse(&line_doc, wk_str(p, n)) != 0)
        exit(3);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, text("do")) == 0) {
            commands[i].run();
            return;
        }
    exit(4);
}

int main(void)
{
    char *line = NULL;
    size_t cap = 0;
    mem = wk_mem_new(SIZE_MAX);
    wk_doc_init(&line_doc, mem);
    for (ssize_t n; (n = getline(&line, &cap, stdin)) > 0;)
        take_line(line, (size_t)n);
    whelk_sandbox_close(box);
    wk_doc_release(&line_doc);
    free(line);
    bool clean = wk_mem_used(mem) == 0;
    wk_mem_unref(mem);
    return clean ? 0 : 5;
}
