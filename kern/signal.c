/* signal.c - names, texts and default actions of signals */
#include "kern/signal.h"

#include "base/num.h"

struct row {
    const char *name, *text;
    enum wk_sig_default action;
};

static const struct row rows[] = {
    [WK_SIGHUP] = {"HUP", "Hangup", WK_SIG_TERM},
    [WK_SIGINT] = {"INT", "Interrupt", WK_SIG_TERM},
    [WK_SIGQUIT] = {"QUIT", "Quit", WK_SIG_TERM},
    [WK_SIGILL] = {"ILL", "Illegal instruction", WK_SIG_TERM},
    [WK_SIGTRAP] = {"TRAP", "Trace/breakpoint trap", WK_SIG_TERM},
    [WK_SIGABRT] = {"ABRT", "Aborted", WK_SIG_TERM},
    [WK_SIGBUS] = {"BUS", "Bus error", WK_SIG_TERM},
    [WK_SIGFPE] = {"FPE", "Floating point exception", WK_SIG_TERM},
    [WK_SIGKILL] = {"KILL", "Killed", WK_SIG_TERM},
    [WK_SIGUSR1] = {"USR1", "User defined signal 1", WK_SIG_TERM},
    [WK_SIGSEGV] = {"SEGV", "Segmentation fault", WK_SIG_TERM},
    [WK_SIGUSR2] = {"USR2", "User defined signal 2", WK_SIG_TERM},
    [WK_SIGPIPE] = {"PIPE", "Broken pipe", WK_SIG_TERM},
    [WK_SIGALRM] = {"ALRM", "Alarm clock", WK_SIG_TERM},
    [WK_SIGTERM] = {"TERM", "Terminated", WK_SIG_TERM},
    [WK_SIGSTKFLT] = {"STKFLT", "Stack fault", WK_SIG_TERM},
    [WK_SIGCHLD] = {"CHLD", "Child exited", WK_SIG_IGNORE},
    [WK_SIGCONT] = {"CONT", "Continued", WK_SIG_CONT},
    [WK_SIGSTOP] = {"STOP", "Stopped (signal)", WK_SIG_STOP},
    [WK_SIGTSTP] = {"TSTP", "Stopped", WK_SIG_STOP},
    [WK_SIGTTIN] = {"TTIN", "Stopped (tty input)", WK_SIG_STOP},
    [WK_SIGTTOU] = {"TTOU", "Stopped (tty output)", WK_SIG_STOP},
    [WK_SIGURG] = {"URG", "Urgent I/O condition", WK_SIG_IGNORE},
    [WK_SIGXCPU] = {"XCPU", "CPU time limit exceeded", WK_SIG_TERM},
    [WK_SIGXFSZ] = {"XFSZ", "File size limit exceeded", WK_SIG_TERM},
    [WK_SIGVTALRM] = {"VTALRM", "Virtual timer expired", WK_SIG_TERM},
    [WK_SIGPROF] = {"PROF", "Profiling timer expired", WK_SIG_TERM},
    [WK_SIGWINCH] = {"WINCH", "Window changed", WK_SIG_IGNORE},
    [WK_SIGIO] = {"IO", "I/O possible", WK_SIG_TERM},
    [WK_SIGPWR] = {"PWR", "Power failure", WK_SIG_TERM},
    [WK_SIGSYS] = {"SYS", "Bad system call", WK_SIG_TERM},
};

/* 34 … 64, as bash names them. */
static const char *const realtime[] = {
    "RTMIN",    "RTMIN+1",  "RTMIN+2",  "RTMIN+3",  "RTMIN+4",  "RTMIN+5",  "RTMIN+6",  "RTMIN+7",
    "RTMIN+8",  "RTMIN+9",  "RTMIN+10", "RTMIN+11", "RTMIN+12", "RTMIN+13", "RTMIN+14", "RTMIN+15",
    "RTMAX-14", "RTMAX-13", "RTMAX-12", "RTMAX-11", "RTMAX-10", "RTMAX-9",  "RTMAX-8",  "RTMAX-7",
    "RTMAX-6",  "RTMAX-5",  "RTMAX-4",  "RTMAX-3",  "RTMAX-2",  "RTMAX-1",  "RTMAX"};

static const char *const realtime_texts[] = {
    "Real-time signal 0",  "Real-time signal 1",  "Real-time signal 2",  "Real-time signal 3",
    "Real-time signal 4",  "Real-time signal 5",  "Real-time signal 6",  "Real-time signal 7",
    "Real-time signal 8",  "Real-time signal 9",  "Real-time signal 10", "Real-time signal 11",
    "Real-time signal 12", "Real-time signal 13", "Real-time signal 14", "Real-time signal 15",
    "Real-time signal 16", "Real-time signal 17", "Real-time signal 18", "Real-time signal 19",
    "Real-time signal 20", "Real-time signal 21", "Real-time signal 22", "Real-time signal 23",
    "Real-time signal 24", "Real-time signal 25", "Real-time signal 26", "Real-time signal 27",
    "Real-time signal 28", "Real-time signal 29", "Real-time signal 30"};

static bool is_standard(int sig)
{
    return sig > 0 && (size_t)sig < WK_COUNTOF(rows) && rows[sig].name;
}

static bool is_realtime(int sig)
{
    return sig >= WK_SIGRTMIN && sig <= WK_SIGRTMAX;
}

enum wk_sig_default wk_sig_default_action(int sig)
{
    return is_standard(sig) ? rows[sig].action : WK_SIG_TERM;
}

const char *wk_sig_name(int sig)
{
    return is_standard(sig)   ? rows[sig].name
           : is_realtime(sig) ? realtime[sig - WK_SIGRTMIN]
                              : NULL;
}

bool wk_sig_is_nameless(int sig)
{
    return sig > WK_SIGSYS && sig < WK_SIGRTMIN;
}

const char *wk_sig_text(int sig)
{
    return is_standard(sig)   ? rows[sig].text
           : is_realtime(sig) ? realtime_texts[sig - WK_SIGRTMIN]
           : sig == 32        ? "Unknown signal 32"
                              : "Unknown signal 33";
}

static bool same_name(struct wk_str a, const char *b)
{
    if (a.n != strlen(b))
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (wk_to_upper((unsigned char)a.p[i]) != b[i])
            return false;
    return true;
}

int wk_sig_parse(struct wk_str name)
{
    int64_t n;
    if (name.n && wk_is_digit((unsigned char)name.p[0]))
        return wk_parse_i64(name, 10, &n) == 0 &&
                       n <= WK_SIGRTMAX
                   ? (int)n
                   : -1;
    if (same_name(name, "EXIT"))
        return 0;
    struct wk_str rest = name;
    if (name.n > 3 && same_name(wk_str_take(name, 3), "SIG"))
        rest = wk_str_from(name, 3);
    for (int sig = 1; sig <= WK_SIGRTMAX; sig++)
        if (wk_sig_name(sig) && same_name(rest, wk_sig_name(sig)))
            return sig;
    int64_t beyond; /* RTMIN+16 and on have two names */
    if (rest.n > 6 && same_name(wk_str_take(rest, 6), "RTMIN+") && wk_is_digit(rest.p[6]) &&
        wk_parse_i64(wk_str_from(rest, 6), 10, &beyond) == 0 && beyond <= WK_SIGRTMAX - WK_SIGRTMIN)
        return WK_SIGRTMIN + (int)beyond;
    if (same_name(rest, "CLD"))
        return WK_SIGCHLD;
    if (same_name(rest, "IOT"))
        return WK_SIGABRT;
    return same_name(rest, "POLL") ? WK_SIGIO : -1;
}
