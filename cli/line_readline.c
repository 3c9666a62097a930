/* line_readline.c - line editing with GNU readline or libedit's readline interface */
#if defined(WHELK_USE_READLINE) || defined(WHELK_USE_LIBEDIT)
#define _GNU_SOURCE

#include "cli/line_editor.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WHELK_USE_LIBEDIT
#include <editline/readline.h>
#else
#include <readline/history.h>
#include <readline/readline.h>
#endif

/* readline has one state a process, and so has its user. */
static whelk_session *completing;
static sigjmp_buf at_prompt;
static volatile sig_atomic_t may_jump;

struct matches {
    char **v;
    size_t n, at;
};
static struct matches matches;

static int add_match(void *ctx, const char *replacement)
{
    struct matches *m = ctx;
    char **v = realloc(m->v, (m->n + 1) * sizeof *v);
    if (!v)
        return 1;
    m->v = v;
    v[m->n] = strdup(replacement);
    return v[m->n] ? (m->n++, 0) : 1;
}

static char *next_match(const char *text, int state)
{
    (void)text;
    if (state == 0)
        matches.at = 0;
    /* readline frees what it is given. */
    return matches.at < matches.n ? matches.v[matches.at++] : NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)start;
    size_t word = 0;
    free(matches.v);
    matches = (struct matches){0};
    rl_attempted_completion_over = 1;
    if (!completing ||
        whelk_complete(completing, rl_line_buffer, (size_t)end, add_match, &matches, &word) < 0)
        return NULL;
    return rl_completion_matches(text, next_match);
}

static void on_interrupt(int sig)
{
    (void)sig;
    if (may_jump)
        siglongjmp(at_prompt, 1);
}

void wk_line_begin(whelk_session *s)
{
    completing = s;
    rl_readline_name = "whelk";
    rl_attempted_completion_function = complete;
#ifndef WHELK_USE_LIBEDIT
    rl_catch_signals = 0;
#endif
    using_history();
}

/* Ctrl-C at the prompt leaves readline by a jump out of its read, as its manual allows after its
 * own clean-up; no code of the library is on the stack. */
char *wk_line_read(const char *prompt, int *interrupted)
{
    struct sigaction sa, old;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_interrupt;
    sigemptyset(&sa.sa_mask);
    *interrupted = 0;
    sigaction(SIGINT, &sa, &old);
    if (sigsetjmp(at_prompt, 1) != 0) {
        may_jump = 0;
#ifndef WHELK_USE_LIBEDIT
        rl_free_line_state();
        rl_cleanup_after_signal();
#endif
        sigaction(SIGINT, &old, NULL);
        fputs("^C\n", stdout);
        *interrupted = 1;
        return strdup("");
    }
    may_jump = 1;
    char *line = readline(prompt);
    may_jump = 0;
    sigaction(SIGINT, &old, NULL);
    return line;
}

static int add_line(void *ctx, const char *line, size_t len)
{
    (void)ctx;
    char *copy = strndup(line, len);
    if (copy)
        add_history(copy);
    free(copy);
    return 0;
}

void wk_line_history(whelk_session *s)
{
    clear_history();
    (void)whelk_history(s, add_line, NULL);
}

void wk_line_end(void)
{
    completing = NULL;
    free(matches.v);
    matches = (struct matches){0};
}

#else
typedef int wk_line_readline_unused;
#endif
