/* main.c - the whelk program: scripts, standard input, and a prompt on a terminal */
#define _GNU_SOURCE
#include "cli/host_file.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/repl.h"
#include "cli/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A script named on the command line is granted by that; one under a mount is the session's. */
static bool under_mount(const struct wk_cli_options *o, const char *file)
{
    for (size_t i = 0; i < o->session.n_mounts; i++) {
        size_t n = strlen(o->mounts[i].path);
        if (strncmp(file, o->mounts[i].path, n) == 0 && (file[n] == '/' || n == 1))
            return true;
    }
    return false;
}

struct job {
    whelk_session *session;
    whelk_run_options run;
    char *text;
};

static int choose_script(struct job *j, const struct wk_cli_options *o)
{
    whelk_run_options *r = &j->run;
    if (o->command) {
        r->script = o->command;
        r->script_len = SIZE_MAX;
        r->flags |= WHELK_RUN_NO_HISTORY; /* before it says `set -o history' */
    } else if (o->file && !under_mount(o, o->file) &&
               (j->text = wk_cli_read_file(o->file, &r->script_len))) {
        r->script = j->text;
        r->flags |= WHELK_RUN_SCRIPT;
    } else if (o->file && errno != ENOENT && !under_mount(o, o->file)) {
        fprintf(stderr, "whelk: %s: %s\n", o->file, strerror(errno));
        return 126;
    } else if (o->file) {
        whelk_stat st = {.size = sizeof st};
        if (whelk_stat_file(j->session, o->file, 1, &st) != WHELK_OK) {
            fprintf(stderr, "whelk: %s: No such file or directory\n", o->file);
            return 127;
        }
        r->script = o->file;
        r->script_len = SIZE_MAX;
        r->flags |= WHELK_RUN_FILE;
    } else {
        r->flags |= WHELK_RUN_STDIN;
    }
    return 0;
}

static int finish(const struct wk_cli_options *o, struct job *j, whelk_snapshot *before)
{
    const whelk_result *result = NULL;
    wk_cli_watch(j->session);
    int r = whelk_exec_with(j->session, &j->run, &result);
    wk_cli_watch(NULL);
    if (r) {
        fprintf(stderr, "whelk: %s\n", whelk_strerror(r));
        return 2;
    }
    if (o->json) {
        whelk_snapshot *after = NULL;
        if (before)
            whelk_snapshot_take(j->session, &after);
        wk_cli_print_json(result, before, after);
        whelk_snapshot_free(after);
        if (fflush(stdout) != 0)
            return 2;
    }
    return result->status;
}

static int run(const struct wk_cli_options *o, whelk_session *s)
{
    struct job j = {.session = s};
    whelk_run_options_init(&j.run);
    j.run.arg0 = o->arg0;
    j.run.args = o->args;
    j.run.n_args = o->n_args;
    j.run.set = o->set;
    j.run.n_set = o->n_set;
    j.run.flags = WHELK_RUN_LAST;
    wk_cli_streams(&j.run);
    if (o->json)
        j.run.out.kind = j.run.err.kind = WHELK_OUTPUT_RESULT;
    whelk_snapshot *before = NULL;
    if (o->json)
        whelk_snapshot_take(s, &before);
    int status = choose_script(&j, o);
    if (!status)
        status = finish(o, &j, before);
    whelk_snapshot_free(before);
    free(j.text);
    return status;
}

/* A session of the program's own: a script, standard input or a prompt. */
static int in_session(const struct wk_cli_options *o)
{
    whelk_runtime *rt;
    whelk_session *s = NULL;
    int status = 0, r = whelk_runtime_new(NULL, &rt);
    if (!r)
        r = whelk_session_open(rt, &o->session, &s);
    if (r) {
        fprintf(stderr, "whelk: cannot open a session: %s\n", whelk_strerror(r));
        status = 2;
    }
    if (!status)
        status = wk_cli_delegate(o, s);
    if (status)
        ;
    else if (!o->command && !o->file && !o->json && (o->interactive || (!o->read_stdin && isatty(0))))
        status = wk_cli_repl(s);
    else
        status = run(o, s);
    whelk_session_close(s);
    whelk_runtime_free(rt);
    return status;
}

/* What is opened next would take the place of a standard descriptor that is closed, and the script would write to an
 * engine's connection, say. Reading from the one of input fails, as before. */
static bool have_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_WRONLY) != fd)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    struct wk_cli_options o;
    if (!have_standard_descriptors())
        return 2;
    int status = wk_cli_parse(&o, argc, argv);
    if (status || o.help || o.version) {
        if (!status && o.help)
            wk_cli_help();
        else if (!status)
            printf("whelk %s\n", whelk_version());
        wk_cli_options_release(&o);
        return status;
    }
    signal(SIGPIPE,
           SIG_IGN); /* a closed stdout is EPIPE: the script's writers get the virtual one */
    status = o.box.kind ? wk_cli_sandbox(&o) : in_session(&o);
    wk_cli_options_release(&o);
    return status;
}
