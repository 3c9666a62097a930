/* line_plain.c - reading lines without a line editor */
#if !defined(WHELK_USE_READLINE) && !defined(WHELK_USE_LIBEDIT)
#define _GNU_SOURCE

#include "cli/line_editor.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_interrupt(int sig)
{
    (void)sig;
}

void wk_line_begin(whelk_session *s)
{
    (void)s;
}

char *wk_line_read(const char *prompt, int *interrupted)
{
    struct sigaction sa, old;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_interrupt; /* without SA_RESTART: read(2) comes back */
    sigemptyset(&sa.sa_mask);
    sigaction(SIGINT, &sa, &old);
    *interrupted = 0;
    fputs(prompt, stdout);
    fflush(stdout);
    size_t n = 0, cap = 256;
    char *line = malloc(cap), c;
    ssize_t got = 0;
    while (line && (got = read(0, &c, 1)) == 1 && c != '\n') {
        if (n + 2 > cap) {
            char *more = realloc(line, cap *= 2);
            if (!more) {
                free(line);
                line = NULL;
                break;
            }
            line = more;
        }
        line[n++] = c;
    }
    int err = errno;
    sigaction(SIGINT, &old, NULL);
    if (line && got < 0 && err == EINTR) {
        *interrupted = 1;
        putchar('\n');
        n = 0;
    } else if (line && got <= 0 && n == 0) {
        free(line);
        return NULL;
    }
    if (line)
        line[n] = '\0';
    return line;
}

void wk_line_history(whelk_session *s)
{
    (void)s;
}

void wk_line_end(void)
{
}

#else
typedef int wk_line_plain_unused;
#endif
