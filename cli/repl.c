/* repl.c - the interactive shell: prompt, several-line commands, Ctrl-C ends the command only */
#define _GNU_SOURCE
#include "cli/repl.h"

#include "cli/interrupt.h"
#include "cli/line_editor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROMPT_MAX = 4096 };

void wk_cli_streams(whelk_run_options *o)
{
    struct stat out, err;
    o->in.kind = WHELK_INPUT_FD;
    o->in.fd = 0;
    o->in.tty = isatty(0);
    o->out.kind = o->err.kind = WHELK_OUTPUT_FD;
    o->out.fd = 1;
    o->err.fd = 2;
    o->out.tty = isatty(1);
    o->err.tty = isatty(2);
    /* Where both are one file, what is written to them stays in order. */
    if (fstat(1, &out) == 0 && fstat(2, &err) == 0 && out.st_dev == err.st_dev && out.st_ino == err.st_ino)
        o->err.kind = WHELK_OUTPUT_MERGED;
}

/* The prompt variable `which`, expanded; $? stays what it was. */
static void make_prompt(whelk_session *s, const char *which, int status, char *out, size_t cap)
{
    char script[256];
    whelk_run_options o;
    const whelk_result *r;
    whelk_run_options_init(&o);
    snprintf(script, sizeof script, "(exit %d); printf %%s \"${%s@P}\"; (exit %d)", status, which,
             status);
    o.script = script;
    o.script_len = SIZE_MAX;
    o.flags = WHELK_RUN_INTERACTIVE | WHELK_RUN_NO_HISTORY;
    o.keep_args = 1;
    snprintf(out, cap, "%s", strcmp(which, "PS2") == 0 ? "> " : "whelk$ ");
    if (whelk_exec_with(s, &o, &r) == WHELK_OK && r->out_len)
        snprintf(out, cap, "%s", r->out);
}

/* Lines until they make a whole command. NULL at the end of input. */
static char *read_command(whelk_session *s, int status, int *interrupted)
{
    char prompt[PROMPT_MAX];
    make_prompt(s, "PS1", status, prompt, sizeof prompt);
    char *text = wk_line_read(prompt, interrupted);
    while (text && !*interrupted && whelk_is_complete(s, text) == 0) {
        make_prompt(s, "PS2", status, prompt, sizeof prompt);
        char *line = wk_line_read(prompt, interrupted);
        if (!line)
            break;
        size_t n = strlen(text), more = strlen(line);
        char *both = realloc(text, n + more + 2);
        if (!both) {
            free(line);
            break;
        }
        text = both;
        text[n] = '\n';
        memcpy(text + n + 1, line, more + 1);
        free(line);
    }
    return text;
}

/* Defaults of an interactive shell. */
static const char options[] = "set -o history -o histexpand";
static const char defaults[] = "shopt -s expand_aliases checkwinsize; PS1=${PS1-'\\u@\\h:\\w\\$ '} PS2=${PS2-'> '}";

static void run_quietly(whelk_session *s, const char *script)
{
    const whelk_result *r;
    whelk_run_options o;
    whelk_run_options_init(&o);
    o.script = script;
    o.script_len = SIZE_MAX;
    o.flags = WHELK_RUN_INTERACTIVE | WHELK_RUN_NO_HISTORY;
    whelk_exec_with(s, &o, &r);
}

static int run_command(whelk_session *s, const char *text, int *status)
{
    whelk_run_options o;
    const whelk_result *r;
    whelk_run_options_init(&o);
    wk_cli_streams(&o);
    o.script = text;
    o.script_len = SIZE_MAX;
    o.flags = WHELK_RUN_INTERACTIVE;
    o.keep_args = 1;
    wk_cli_watch(s);
    int e = whelk_exec_with(s, &o, &r);
    wk_cli_watch(NULL);
    if (e) {
        fprintf(stderr, "whelk: %s\n", whelk_strerror(e));
        *status = 1;
        return 0;
    }
    if (r->stop == WHELK_STOP_CANCEL)
        fputc('\n', stdout);
    *status = r->status;
    int done = r->stop == WHELK_STOP_EXIT && r->shell_ended;
    if (r->stop != WHELK_STOP_EXIT) /* the shell's options are again those of its start */
        run_quietly(s, options);
    return done;
}

/* At the end of input: the EXIT trap, and the history file. */
static void leave(whelk_session *s, int *status)
{
    whelk_run_options o;
    const whelk_result *r;
    whelk_run_options_init(&o);
    wk_cli_streams(&o);
    o.script = "";
    o.script_len = 0;
    o.flags = WHELK_RUN_INTERACTIVE | WHELK_RUN_LAST;
    o.keep_args = 1;
    if (whelk_exec_with(s, &o, &r) == WHELK_OK)
        *status = r->status;
}

int wk_cli_repl(whelk_session *s)
{
    int status = 0, done = 0;
    run_quietly(s, defaults);
    run_quietly(s, options);
    wk_line_begin(s);
    wk_line_history(s);
    while (!done) {
        int interrupted;
        char *text = read_command(s, status, &interrupted);
        if (!text) {
            fputs("exit\n", stdout);
            leave(s, &status);
            break;
        }
        if (interrupted) {
            status = 130;
        } else if (text[strspn(text, " \t\n")]) {
            done = run_command(s, text, &status);
            wk_line_history(s);
        }
        free(text);
    }
    wk_line_end();
    return status;
}
