/* box_request.c - what a program asks of a sandbox, checked and made ready for the kind */
#include "adapters/sandbox/box_file.h"
#include "adapters/sandbox/box_process.h"
#include "adapters/sandbox/code.h"
#include "base/num.h"

enum {
    ARGUMENT_MAX = 131000, /* bytes that an argument of a program may have, a little less than Linux allows */
    DEFAULT_TIMEOUT_MS = 120000,
    SCRIPT_WAIT_MS = 30000 /* to put a long one into the box */
};

static int refuse(struct wk_box_request *r, int code, const char *text)
{
    return wk_sandbox_fail(r->b, code, "%s", text);
}

static const int64_t forever_ms = 1000000000000; /* nobody waits longer than 30 years */

/* ---- checks --------------------------------------------------------------------------------------- */

static int check_words(struct wk_box_request *r)
{
    const whelk_sandbox_request *q = &r->q;
    const char *bad;
    if (!q->script == !q->n_argv)
        return refuse(r, WHELK_E_INVALID, q->script ? "script and argv: only one of them" : "neither script nor argv");
    if (q->n_argv && (!q->argv || !q->argv[0] || !*q->argv[0]))
        return refuse(r, WHELK_E_INVALID, "argv: it names no program");
    for (size_t i = 0; i < q->n_argv; i++)
        if (!q->argv[i])
            return refuse(r, WHELK_E_INVALID, "argv: an argument is NULL");
    if (q->login && !q->script)
        return refuse(r, WHELK_E_INVALID, "login: argv has no shell");
    if (q->n_env && !q->env)
        return refuse(r, WHELK_E_INVALID, "env: NULL with a count");
    if (!wk_sandbox_env_ok(q->env, q->n_env, &bad))
        return wk_sandbox_fail(r->b, WHELK_E_INVALID, "env \"%s\": is no NAME=VALUE", bad);
    for (size_t i = 0; i < q->n_secrets; i++) {
        const char *name = q->secrets && q->secrets[i] ? q->secrets[i] : "";
        if (!wk_sandbox_has_secret(r->b, name))
            return wk_sandbox_fail(r->b, WHELK_E_INVALID, "secrets: the sandbox has none named \"%s\"", name);
    }
    if (q->cwd && !*q->cwd)
        return refuse(r, WHELK_E_INVALID, "cwd: it is empty");
    if (q->spill && !*q->spill)
        return refuse(r, WHELK_E_INVALID, "spill: it is empty");
    return WHELK_OK;
}

static int check_numbers(struct wk_box_request *r)
{
    whelk_sandbox_request *q = &r->q;
    if (q->idle_timeout_ms > forever_ms)
        q->idle_timeout_ms = forever_ms;
    if (q->grace_ms > forever_ms)
        q->grace_ms = forever_ms;
    if (q->timeout_ms < -1)
        return refuse(r, WHELK_E_INVALID, "timeout_ms: it is negative and not -1");
    if (q->idle_timeout_ms < 0)
        return refuse(r, WHELK_E_INVALID, "idle_timeout_ms: it is negative");
    if (q->grace_ms < 0)
        return refuse(r, WHELK_E_INVALID, "grace_ms: it is negative");
    if (q->keep < WHELK_KEEP_HEAD_TAIL || q->keep > WHELK_KEEP_TAIL)
        return refuse(r, WHELK_E_INVALID, "keep: it is no enum whelk_keep");
    if ((q->input != NULL) + (q->read_input != NULL) + (q->input_fd != NULL) > 1)
        return refuse(r, WHELK_E_INVALID, "input, read_input and input_fd: only one of them");
    if (q->input_fd && *q->input_fd < 0)
        return refuse(r, WHELK_E_INVALID, "input_fd: it is no descriptor");
    if (!q->input && q->input_len)
        return refuse(r, WHELK_E_INVALID, "input: NULL with a length");
    return WHELK_OK;
}

/* What only one of exec and start has. */
static int check_background(struct wk_box_request *r, bool background)
{
    const whelk_sandbox_request *q = &r->q;
    if (!background)
        return q->read_input == whelk_sandbox_input_later
                   ? refuse(r, WHELK_E_INVALID, "read_input: whelk_sandbox_input_later is for background processes")
                   : WHELK_OK;
    if (q->read_input && q->read_input != whelk_sandbox_input_later)
        return refuse(r, WHELK_E_UNSUPPORTED, "read_input: of a background process it is whelk_sandbox_input_later");
    if (q->input_fd)
        return refuse(r, WHELK_E_UNSUPPORTED, "input_fd: not of background processes");
    if (q->on_output)
        return refuse(r, WHELK_E_UNSUPPORTED, "on_output: a background process is read by whelk_sandbox_read_output");
    if (q->idle_timeout_ms)
        return refuse(r, WHELK_E_UNSUPPORTED, "idle_timeout_ms: not of background processes");
    if (q->detach_on_timeout)
        return refuse(r, WHELK_E_UNSUPPORTED, "detach_on_timeout: it is in the background already");
    if (q->max_stdout || q->max_stderr || q->keep || q->spill)
        return refuse(r, WHELK_E_UNSUPPORTED, "max_stdout, max_stderr, keep, spill: not of background processes");
    return WHELK_OK;
}

static int need(struct wk_box_request *r, bool asked, uint64_t capability, const char *name)
{
    if (!asked || r->b->facts.capabilities & capability)
        return WHELK_OK;
    return wk_sandbox_fail(r->b, WHELK_E_UNSUPPORTED, "%s: the sandbox (%s) cannot do this", name, r->b->kind->name);
}

static int check_capabilities(struct wk_box_request *r, bool background)
{
    const whelk_sandbox_request *q = &r->q;
    int code = need(r, !background, WHELK_BOX_EXEC, "exec");
    if (!code)
        code = need(r, background, WHELK_BOX_BACKGROUND, "background processes");
    if (!code)
        code = need(r, q->detach_on_timeout, WHELK_BOX_BACKGROUND, "detach_on_timeout");
    if (!code)
        code = need(r, q->input || q->read_input || q->input_fd, WHELK_BOX_STDIN, "input");
    if (!code)
        code = need(r, q->tty, WHELK_BOX_TTY, "tty");
    if (!code)
        code = need(r, q->user, WHELK_BOX_USER, "user");
    return code;
}

/* ---- the spec ------------------------------------------------------------------------------------- */

static void free_script(struct wk_mem *m, void *data, size_t n)
{
    (void)n;
    wk_free(m, data);
}

/* A script that is too long for an argument goes into a file of the box, which the shell reads and removes first. */
static int put_script(struct wk_box_request *r)
{
    struct whelk_sandbox *b = r->b;
    struct wk_buf path, command, why;
    size_t n = strlen(r->q.script);
    char *text = wk_strndup(b->mem, r->q.script, n);
    int code = WHELK_E_NOMEM;
    wk_buf_init(&path, b->mem, 256);
    wk_buf_init(&command, b->mem, 1024);
    wk_buf_init(&why, b->mem, 65536);
    wk_buf_fmt(&path, "/tmp/.whelk-script-%llx-%x", (unsigned long long)wk_sandbox_wall(), wk_sandbox_id(b));
    wk_buf_fmt(&command, "eval \"$(cat %s && rm -f %s)\"", wk_buf_c(&path), wk_buf_c(&path));
    r->script_path = wk_buf_take(&path, NULL);
    r->script_command = wk_buf_take(&command, NULL);
    if (text && r->script_path && r->script_command) {
        code = wk_box_put(b, r->script_path, r->q.user ? 0644 : 0600, text, n, free_script,
                          wk_sandbox_deadline(SCRIPT_WAIT_MS), &why);
        text = NULL;
    }
    if (code == WHELK_E_BUSY || code == WHELK_E_CLOSED)
        code = wk_sandbox_wait_failed(b, code);
    else if (code)
        code = wk_sandbox_fail(b, code == WHELK_E_NOMEM ? code : WHELK_E_IO, "the script is put into a file: %s",
                               wk_buf_c(&why));
    wk_free(b->mem, text);
    wk_buf_release(&path);
    wk_buf_release(&command);
    wk_buf_release(&why);
    return code;
}

static int make_argv(struct wk_box_request *r)
{
    const whelk_sandbox_request *q = &r->q;
    size_t n = 0;
    r->argv = wk_calloc(r->b->mem, q->n_argv + 5, sizeof *r->argv);
    if (!r->argv)
        return WHELK_E_NOMEM;
    r->program = q->script ? (r->b->facts.shell ? r->b->facts.shell : "sh") : q->argv[0];
    if (q->script) {
        const char *text = q->script;
        if (strlen(text) > ARGUMENT_MAX) {
            int code = put_script(r);
            if (code)
                return code;
            text = r->script_command;
        }
        r->argv[n++] = r->program;
        if (q->login)
            r->argv[n++] = "-l";
        r->argv[n++] = "-c";
        r->argv[n++] = text;
    } else {
        for (; n < q->n_argv; n++)
            r->argv[n] = q->argv[n];
    }
    r->spec.argv = r->argv;
    r->spec.script = q->script;
    return WHELK_OK;
}

static bool env_has(const char *const *env, size_t n, const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (strncmp(env[i], name, len) == 0 && env[i][len] == '=')
            return true;
    return false;
}

static int make_env(struct wk_box_request *r)
{
    const whelk_sandbox_request *q = &r->q;
    const whelk_sandbox_options *o = &r->b->options;
    const char **more = NULL;
    const char *const *env = q->env;
    size_t n = q->n_env;
    /* On a terminal of its own a program may draw. */
    if (q->tty && !env_has(env, n, "TERM") && !env_has(o->env, o->n_env, "TERM")) {
        more = wk_calloc(r->b->mem, n + 1, sizeof *more);
        if (!more)
            return WHELK_E_NOMEM;
        more[0] = "TERM=xterm-256color";
        if (n)
            memcpy(more + 1, env, n * sizeof *more);
        env = more;
        n++;
    }
    r->env = wk_sandbox_env(r->b, r->program, env, n, q->secrets, q->n_secrets);
    wk_free(r->b->mem, more);
    r->spec.env = (const char *const *)(void *)r->env;
    return r->env ? WHELK_OK : WHELK_E_NOMEM;
}

static int make_cwd(struct wk_box_request *r)
{
    const char *workspace = r->b->facts.workspace, *cwd = r->q.cwd;
    struct wk_buf path;
    r->spec.cwd = cwd ? cwd : workspace;
    if (!cwd || cwd[0] == '/')
        return WHELK_OK;
    wk_buf_init(&path, r->b->mem, SIZE_MAX / 2);
    wk_buf_put_c(&path, workspace);
    if (!path.n || path.p[path.n - 1] != '/')
        wk_buf_putc(&path, '/');
    wk_buf_put_c(&path, cwd);
    r->spec.cwd = r->cwd = wk_buf_take(&path, NULL);
    wk_buf_release(&path);
    return r->cwd ? WHELK_OK : WHELK_E_NOMEM;
}

static void take_limits(struct wk_box_request *r)
{
    const whelk_sandbox_request *q = &r->q;
    whelk_spec *s = &r->spec;
    s->memory_bytes = q->memory_bytes;
    s->file_bytes = q->file_bytes;
    s->cpu_seconds = q->cpu_seconds;
    s->descriptors = q->descriptors;
    s->processes = q->processes;
    s->rows = q->rows ? q->rows : 24;
    s->columns = q->columns ? q->columns : 80;
    s->umask = 022;
}

/* Which time-out holds, and whose it is, for the text that says it is over. */
static void take_timeout(struct wk_box_request *r, bool background)
{
    int64_t of_box = r->b->options.timeout_ms;
    r->timeout_ms = r->q.timeout_ms;
    r->timeout_source = "the request's";
    if (r->timeout_ms || background) {
        if (!r->timeout_ms)
            r->timeout_ms = -1;
        return;
    }
    r->timeout_ms = of_box ? of_box : DEFAULT_TIMEOUT_MS;
    r->timeout_source = of_box ? "the sandbox's" : "the default";
}

int wk_box_request_take(struct wk_box_request *r, struct whelk_sandbox *b, const whelk_sandbox_request *given,
                        bool background)
{
    *r = (struct wk_box_request){.b = b};
    int code = given ? wk_struct_take(&r->q, sizeof r->q, given) : WHELK_E_INVALID;
    if (code)
        return refuse(r, code, "request: it is NULL, or of another version");
    r->spec = (whelk_spec){.size = sizeof r->spec, .uid = UINT32_MAX, .gid = UINT32_MAX};
    if (!code)
        code = check_words(r);
    if (!code)
        code = check_numbers(r);
    if (!code)
        code = check_background(r, background);
    if (!code)
        code = check_capabilities(r, background);
    if (!code && r->q.user && !wk_sandbox_user(r->q.user, &r->spec.uid, &r->spec.gid))
        code = wk_sandbox_fail(b, WHELK_E_INVALID, "user \"%s\": it is no uid[:gid]", r->q.user);
    if (code)
        return code;
    const whelk_sandbox_request *q = &r->q;
    r->spec.flags = (q->input || q->read_input || q->input_fd || q->tty ? (uint32_t)WHELK_SPEC_INPUT : 0) |
                    (q->tty ? (uint32_t)WHELK_SPEC_TTY : 0) | (q->merged ? (uint32_t)WHELK_SPEC_MERGED : 0) |
                    (background || q->detach_on_timeout ? (uint32_t)WHELK_SPEC_LOGGED : 0);
    r->spec.log_bytes = WK_BOX_LOG_BYTES;
    take_limits(r);
    take_timeout(r, background);
    code = make_cwd(r);
    if (!code)
        code = make_argv(r);
    if (!code)
        code = make_env(r);
    if (code == WHELK_E_NOMEM)
        refuse(r, code, whelk_strerror(code));
    return code;
}

void wk_box_request_release(struct wk_box_request *r)
{
    struct wk_mem *m = r->b->mem;
    wk_free(m, r->argv);
    wk_free(m, r->env);
    wk_free(m, r->cwd);
    wk_free(m, r->script_path);
    wk_free(m, r->script_command);
}
