/* signal.h - virtual signals: numbers, names, dispositions (signal(7), Linux numbers) */
#ifndef WK_KERN_SIGNAL_H
#define WK_KERN_SIGNAL_H

#include "base/str.h"

enum {
    WK_SIGHUP = 1,
    WK_SIGINT = 2,
    WK_SIGQUIT = 3,
    WK_SIGILL = 4,
    WK_SIGTRAP = 5,
    WK_SIGABRT = 6,
    WK_SIGBUS = 7,
    WK_SIGFPE = 8,
    WK_SIGKILL = 9,
    WK_SIGUSR1 = 10,
    WK_SIGSEGV = 11,
    WK_SIGUSR2 = 12,
    WK_SIGPIPE = 13,
    WK_SIGALRM = 14,
    WK_SIGTERM = 15,
    WK_SIGSTKFLT = 16,
    WK_SIGCHLD = 17,
    WK_SIGCONT = 18,
    WK_SIGSTOP = 19,
    WK_SIGTSTP = 20,
    WK_SIGTTIN = 21,
    WK_SIGTTOU = 22,
    WK_SIGURG = 23,
    WK_SIGXCPU = 24,
    WK_SIGXFSZ = 25,
    WK_SIGVTALRM = 26,
    WK_SIGPROF = 27,
    WK_SIGWINCH = 28,
    WK_SIGIO = 29,
    WK_SIGPWR = 30,
    WK_SIGSYS = 31,
    WK_SIGRTMIN = 34,
    WK_SIGRTMAX = 64,
    WK_NSIG = 65
};

#define WK_SIGBIT(sig) (UINT64_C(1) << ((sig)-1))

enum wk_sig_default { WK_SIG_TERM, WK_SIG_IGNORE, WK_SIG_STOP, WK_SIG_CONT };
enum wk_sig_default wk_sig_default_action(int sig);

/* "INT", "RTMIN+3"…; NULL for numbers that are none. Static. */
const char *wk_sig_name(int sig);
/* "INT", "SIGINT", "int" or a number -> signal; "EXIT" and 0 -> 0; -1 when none. */
int wk_sig_parse(struct wk_str name);
/* A number that has no name: a library keeps it to itself, nothing can catch or ignore it. */
bool wk_sig_is_nameless(int sig);
/* "Terminated", "Killed", "Hangup"…: strsignal's words. Static. */
const char *wk_sig_text(int sig);

#endif
