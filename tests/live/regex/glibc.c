/* glibc.c - what glibc's regcomp and regexec say, asked in a child with limits: they can take time
 * and memory without end, and fall over their own stack */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "pair.h"

#include <locale.h>
#include <regex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMORY = 1 << 30 };

void live_ask_glibc_here(const struct live_pattern *p, struct live_answers *out)
{
    regex_t re;
    setlocale(LC_ALL, p->flags & LIVE_UTF8 ? "C.UTF-8" : "C");
    int flags = (p->flags & LIVE_EXTENDED ? REG_EXTENDED : 0) |
                (p->flags & LIVE_ICASE ? REG_ICASE : 0) |
                (p->flags & LIVE_NEWLINE ? REG_NEWLINE : 0);
    out->code = regcomp(&re, p->text, flags);
    out->groups = out->code ? 0 : re.re_nsub;
    out->compiled = true;
    for (size_t k = 0; k < p->subjects && !out->code; k++) {
        const struct live_subject *s = &p->subject[k];
        struct live_answer *a = &out->of[k];
        regmatch_t m[LIVE_SPANS];
        int r = regexec(&re, s->text, LIVE_SPANS, m,
                        (s->flags & LIVE_NOTBOL ? REG_NOTBOL : 0) |
                            (s->flags & LIVE_NOTEOL ? REG_NOTEOL : 0));
        for (size_t g = 0; g < LIVE_SPANS; g++) {
            a->spans[g][0] = r ? -1 : (int)m[g].rm_so;
            a->spans[g][1] = r ? -1 : (int)m[g].rm_eo;
        }
        a->outcome = r == 0 ? LIVE_MATCH : r == REG_NOMATCH ? LIVE_NOMATCH : LIVE_LIMIT;
    }
}

void live_ask_glibc(const struct live_pattern *p, unsigned limit_ms, struct live_answers *out)
{
    struct live_answers *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(out, 0, sizeof *out);
    if (shared == MAP_FAILED)
        return;
    pid_t child = fork();
    if (child == 0) {
        struct itimerval time = {.it_value = {limit_ms / 1000, limit_ms % 1000 * 1000}};
        struct rlimit memory = {MEMORY, MEMORY},
                      seconds = {limit_ms / 1000 + 2, limit_ms / 1000 + 2}, none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        setrlimit(RLIMIT_CPU, &seconds);
        setrlimit(RLIMIT_AS, &memory);
        setitimer(ITIMER_PROF, &time, NULL);
        live_ask_glibc_here(p, shared);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    *out = *shared;
    munmap(shared, sizeof *shared);
}
