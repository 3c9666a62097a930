/* interrupt.c - Ctrl-C: what it cancels */
#define _GNU_SOURCE
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>
#include <time.h>

/* What Ctrl-C cancels, and when it first asked. The program's own, not the library's. */
static whelk_session *volatile interrupted_session;
static whelk_sandbox *const *volatile interrupted_box;
static volatile time_t interrupted_at;

/* A run ends within milliseconds of the first signal, a command in a container or on the host within its grace, with
 * the second one at once. Should one not, a later signal ends the program, so that nobody needs SIGKILL. */
enum { RUN_SECONDS = 1, BOX_SECONDS = 10 };

static void on_interrupt(int sig)
{
    whelk_session *s = interrupted_session;
    whelk_sandbox *const *box = interrupted_box;
    struct timespec now;
    if (!s && !box)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!interrupted_at)
        interrupted_at = now.tv_sec ? now.tv_sec : 1;
    if (now.tv_sec - interrupted_at > (box ? BOX_SECONDS : RUN_SECONDS)) {
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    if (s)
        whelk_cancel(s);
    if (box)
        whelk_sandbox_cancel(*box);
}

static void watch(whelk_session *s, whelk_sandbox *const *box)
{
    interrupted_session = s;
    interrupted_box = box;
    interrupted_at = 0;
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = s || box ? on_interrupt : SIG_DFL;
    sigemptyset(&sa.sa_mask);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
}

void wk_cli_watch(whelk_session *s)
{
    watch(s, NULL);
}

void wk_cli_watch_box(whelk_sandbox *const *box)
{
    watch(NULL, box);
}
