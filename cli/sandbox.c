/* sandbox.c - scripts in a sandbox: the program's streams are the script's, and so is the status */
#define _GNU_SOURCE
#include "cli/sandbox.h"

#include "base/buf.h"
#include "cli/host_file.h"
#include "cli/interrupt.h"
#include "cli/json.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum {
    STATUS_TIMEOUT = 124,
    STATUS_CANCELLED = 130,
    STATUS_MEMORY = 137,
    STATUS_UNREAD = 141, /* as by SIGPIPE */
    ARGUMENT_MAX = 100000
};

struct job {
    const struct wk_cli_options *o;
    whelk_sandbox *box;
    struct wk_mem *mem;
    struct wk_buf script;
    char *setup, *file;
    bool interactive;
    struct termios before;
    bool raw;
    int write_error; /* errno of the first output that could not be written: the script is cancelled then */
};

/* ---- the script ------------------------------------------------------------------------------------- */

/* A word of the shell that stands for these bytes. */
static void put_word(struct wk_buf *b, const char *word)
{
    wk_buf_put_c(b, " '");
    for (; *word; word++) {
        if (*word == '\'')
            wk_buf_put_c(b, "'\\''");
        else
            wk_buf_putc(b, *word);
    }
    wk_buf_putc(b, '\'');
}

static void put_words(struct wk_buf *b, const char *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_word(b, v[i]);
}

/* The sandbox's shell ($0) once more, with options, a script and its arguments. */
static void put_shell(struct job *j, const char *how, const char *script, const char *arg0)
{
    const struct wk_cli_options *o = j->o;
    wk_buf_put_c(&j->script, "exec \"$0\"");
    if (o->interactive || j->interactive)
        wk_buf_put_c(&j->script, " -i");
    put_words(&j->script, o->set, o->n_set);
    wk_buf_put_c(&j->script, how);
    if (script)
        put_word(&j->script, script);
    if (arg0)
        put_word(&j->script, arg0);
    put_words(&j->script, o->args, o->n_args);
}

static void put_text(struct job *j, const char *text, const char *arg0)
{
    const struct wk_cli_options *o = j->o;
    if (!o->n_set && !o->n_args && !arg0 && !o->interactive) {
        wk_buf_put_c(&j->script, text);
    } else if (strlen(text) <= ARGUMENT_MAX || strcmp(o->box.kind, "inprocess") == 0) {
        put_shell(j, " -c", text, arg0 ? arg0 : "bash");
    } else { /* too long for an argument: $0 stays the shell's name */
        wk_buf_put_c(&j->script, "set");
        put_words(&j->script, o->set, o->n_set);
        wk_buf_put_c(&j->script, " --");
        put_words(&j->script, o->args, o->n_args);
        wk_buf_put_c(&j->script, "; ");
        wk_buf_put_c(&j->script, text);
    }
}

static int make_script(struct job *j)
{
    const struct wk_cli_options *o = j->o;
    size_t n;
    if (o->command) {
        put_text(j, o->command, o->arg0);
    } else if (o->file && (j->file = wk_cli_read_file(o->file, &n))) {
        if (memchr(j->file, '\0', n)) {
            fprintf(stderr, "whelk: %s: cannot execute binary file\n", o->file);
            return 126;
        }
        put_text(j, j->file, o->arg0);
    } else if (o->file && errno != ENOENT) {
        fprintf(stderr, "whelk: %s: %s\n", o->file, strerror(errno));
        return 126;
    } else if (o->file) { /* a file of the sandbox */
        put_shell(j, " --", o->file, NULL);
    } else if (!o->read_stdin && isatty(0)) {
        j->interactive = true;
        put_shell(j, "", NULL, NULL);
    } else {
        put_shell(j, o->n_args ? " -s --" : " -s", NULL, NULL);
    }
    if (j->script.failed) {
        fputs("whelk: out of memory\n", stderr);
        return WK_CLI_BOX_FAILED;
    }
    return 0;
}

/* ---- streams ------------------------------------------------------------------------------------------ */

static void write_output(void *ctx, int stream, const char *p, size_t n)
{
    struct job *j = ctx;
    int fd = stream == 2 ? 2 : 1;
    while (n) {
        ssize_t r = write(fd, p, n);
        if (r < 0 && errno == EAGAIN) {
            struct pollfd ready = {fd, POLLOUT, 0};
            (void)poll(&ready, 1, -1);
        } else if (r < 0 && errno != EINTR) {
            j->write_error = j->write_error ? j->write_error : errno;
            whelk_sandbox_cancel(j->box);
            return;
        } else if (r > 0) {
            p += r;
            n -= (size_t)r;
        }
    }
}

/* Where both are one file, what is written to them stays in order. */
static bool are_one_file(int a, int b)
{
    struct stat x, y;
    return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Keys go to the sandbox's terminal as they are: it echoes them, and makes signals of them. */
static void begin_raw(struct job *j, whelk_sandbox_request *q)
{
    struct winsize w;
    struct termios raw;
    q->tty = 1;
    if (ioctl(0, TIOCGWINSZ, &w) == 0) {
        q->rows = w.ws_row;
        q->columns = w.ws_col;
    }
    if (tcgetattr(0, &j->before) != 0)
        return;
    raw = j->before;
    cfmakeraw(&raw);
    j->raw = tcsetattr(0, TCSADRAIN, &raw) == 0;
}

static void end_raw(struct job *j)
{
    if (j->raw)
        (void)tcsetattr(0, TCSADRAIN, &j->before);
    j->raw = false;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

static int status_of(const whelk_sandbox_result *r)
{
    switch (r->outcome) {
    case WHELK_OUTCOME_EXITED:
        return r->exit_code;
    case WHELK_OUTCOME_SIGNALED:
        return 128 + r->signal;
    case WHELK_OUTCOME_TIMEOUT:
        return STATUS_TIMEOUT;
    case WHELK_OUTCOME_CANCELLED:
        return STATUS_CANCELLED;
    case WHELK_OUTCOME_MEMORY:
        return STATUS_MEMORY;
    default:
        return WK_CLI_BOX_FAILED;
    }
}

/* What the status alone does not tell. */
static void say_outcome(const whelk_sandbox_result *r)
{
    if (r->outcome == WHELK_OUTCOME_EXITED || r->outcome == WHELK_OUTCOME_SIGNALED ||
        r->outcome == WHELK_OUTCOME_CANCELLED)
        return;
    const char *otherwise = r->outcome == WHELK_OUTCOME_MEMORY ? "ended because memory ran out" : "the sandbox failed";
    fprintf(stderr, "whelk: %s\n", r->error && *r->error ? r->error : otherwise);
}

static void print_json(const whelk_sandbox_result *r)
{
    whelk_result w = {.size = sizeof w,
                      .status = status_of(r),
                      .signal = r->signal,
                      .out = r->out,
                      .out_len = r->out_len,
                      .err = r->err,
                      .err_len = r->err_len,
                      .wall_ns = r->wall_ns,
                      .memory_peak = r->memory_peak,
                      .jobs = r->survivors};
    switch (r->outcome) {
    case WHELK_OUTCOME_EXITED:
        w.stop = WHELK_STOP_EXIT;
        break;
    case WHELK_OUTCOME_SIGNALED:
        w.stop = WHELK_STOP_SIGNAL;
        break;
    case WHELK_OUTCOME_TIMEOUT:
    case WHELK_OUTCOME_MEMORY:
        w.stop = WHELK_STOP_LIMIT;
        w.limit = r->outcome == WHELK_OUTCOME_TIMEOUT ? WHELK_LIMIT_TIME : WHELK_LIMIT_MEMORY;
        break;
    case WHELK_OUTCOME_CANCELLED:
        w.stop = WHELK_STOP_CANCEL;
        break;
    default:
        w.stop = WHELK_STOP_FAULT;
        break;
    }
    wk_cli_print_json(&w, NULL, NULL);
}

/* ---- running ------------------------------------------------------------------------------------------- */

static int run_script(struct job *j)
{
    static const int input = 0;
    const struct wk_cli_options *o = j->o;
    whelk_sandbox_request q;
    whelk_sandbox_result *r = NULL;
    whelk_sandbox_request_init(&q);
    q.script = wk_buf_c(&j->script);
    q.cwd = o->session.cwd;
    const char *secrets[WK_CLI_BOX_MAX]; /* those of no command are the script's */
    q.secrets = secrets;
    for (size_t i = 0; i < o->box.o.n_secrets; i++)
        if (!o->box.secrets[i].n_commands)
            secrets[q.n_secrets++] = o->box.secrets[i].name;
    int mode = fcntl(0, F_GETFL);
    if (mode >= 0 && (mode & O_ACCMODE) != O_WRONLY)
        q.input_fd = &input;
    if (!o->json) {
        q.on_output = write_output;
        q.ctx = j;
        q.max_stdout = q.max_stderr = 1; /* all is written already */
        q.merged = are_one_file(1, 2);
    }
    if ((o->box.tty || j->interactive) && !o->json)
        begin_raw(j, &q);
    int code = whelk_sandbox_exec_with(j->box, &q, &r);
    end_raw(j);
    if (code) {
        fprintf(stderr, "whelk: %s\n", whelk_sandbox_error(j->box));
        return WK_CLI_BOX_FAILED;
    }
    int status = j->write_error == 0 ? status_of(r) : j->write_error == EPIPE ? STATUS_UNREAD : WK_CLI_BOX_FAILED;
    if (j->write_error && j->write_error != EPIPE)
        fprintf(stderr, "whelk: write error: %s\n", strerror(j->write_error));
    if (o->json)
        print_json(r);
    say_outcome(r);
    whelk_sandbox_result_free(r);
    return fflush(stdout) != 0 ? WK_CLI_BOX_FAILED : status;
}

/* The text of --setup; false after a message. */
static bool read_setup(const struct wk_cli_options *o, char **text)
{
    size_t n;
    *text = NULL;
    if (!o->box.setup_file)
        return true;
    *text = wk_cli_read_file(o->box.setup_file, &n);
    if (!*text)
        fprintf(stderr, "whelk: %s: %s\n", o->box.setup_file, strerror(errno));
    return *text != NULL;
}

int wk_cli_sandbox(const struct wk_cli_options *o)
{
    struct job j = {.o = o, .mem = wk_mem_new(SIZE_MAX)};
    whelk_sandbox_options options;
    if (!j.mem)
        return WK_CLI_BOX_FAILED;
    wk_buf_init(&j.script, j.mem, SIZE_MAX / 2);
    int status = read_setup(o, &j.setup) ? make_script(&j) : WK_CLI_BOX_FAILED;
    if (!status) {
        wk_cli_box_fill(o, o->box.kind, NULL, j.setup, &options);
        wk_cli_watch_box(&j.box);
        int code = whelk_sandbox_open(o->box.kind, &options, &j.box);
        if (code)
            fprintf(stderr, "whelk: %s\n", j.box ? whelk_sandbox_error(j.box) : whelk_strerror(code));
        status = code ? WK_CLI_BOX_FAILED : run_script(&j);
        wk_cli_watch(NULL);
        whelk_sandbox_close(j.box);
    }
    free(j.setup);
    free(j.file);
    wk_buf_release(&j.script);
    wk_mem_unref(j.mem);
    return status;
}

int wk_cli_delegate(const struct wk_cli_options *o, whelk_session *s)
{
    char *setup;
    int code = WHELK_OK;
    if (!read_setup(o, &setup))
        return WK_CLI_BOX_FAILED;
    for (size_t i = 0; i < o->box.n_delegates && !code; i++) {
        const struct wk_cli_delegate *from = &o->box.delegates[i];
        whelk_sandbox_options options;
        whelk_delegate d;
        wk_cli_box_fill(o, from->kind, from->image, setup, &options);
        whelk_delegate_init(&d);
        d.kind = from->kind;
        d.options = &options;
        d.commands = from->commands;
        d.n_commands = from->n_commands;
        d.sync = o->box.sync;
        d.max_file = d.max_bytes = o->box.sync_limit;
        code = whelk_session_delegate(s, &d);
        const char *why = whelk_session_error(s);
        if (code)
            fprintf(stderr, "whelk: --delegate %s: %s\n", from->kind, *why ? why : whelk_strerror(code));
    }
    free(setup);
    return code ? WK_CLI_BOX_FAILED : 0;
}
