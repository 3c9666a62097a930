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

#ifdef __SANITIZE_ADDRESS__
enum { MEMORY = 1 << 30, REQUESTS = 5000, SANITIZED = 1 };
#else
enum { MEMORY = 1 << 30, REQUESTS = 5000, SANITIZED = 0 };
#endif

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
    if (!out->code)
        regfree(&re);
}

/* What the child and its parent share. */
struct shared {
    struct live_pattern pattern;
    struct live_answers answers;
};

/* Answers one pattern after the other; ends by its limits, or with the pipe. */
static void serve(struct shared *shared, int in, int out, unsigned limit_ms)
{
    struct itimerval time = {.it_value = {limit_ms / 1000, limit_ms % 1000 * 1000}},
                     off = {.it_value = {0, 0}};
    struct rlimit memory = {MEMORY, MEMORY}, none = {0, 0};
    char c = 0;
    setrlimit(RLIMIT_CORE, &none);
    if (!SANITIZED) /* whose shadow is larger */
        setrlimit(RLIMIT_AS, &memory);
    while (read(in, &c, 1) == 1) {
        setitimer(ITIMER_PROF, &time, NULL);
        live_ask_glibc_here(&shared->pattern, &shared->answers);
        setitimer(ITIMER_PROF, &off, NULL);
        if (write(out, &c, 1) != 1)
            break;
    }
    _exit(0);
}

static bool start(struct live_glibc *g)
{
    int ask[2], tell[2];
    if (!g->shared) {
        void *block = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            return false;
        g->shared = block;
    }
    if (pipe(ask) || pipe(tell))
        return false;
    g->child = fork();
    if (g->child == 0) {
        close(ask[1]);
        close(tell[0]);
        serve(g->shared, ask[0], tell[1], g->limit_ms);
    }
    close(ask[0]);
    close(tell[1]);
    g->to = ask[1];
    g->from = tell[0];
    g->asked = 0;
    return g->child > 0;
}

void live_glibc_stop(struct live_glibc *g)
{
    if (g->child <= 0)
        return;
    close(g->to);
    close(g->from);
    waitpid(g->child, NULL, 0);
    g->child = 0;
}

void live_ask_glibc(struct live_glibc *g, const struct live_pattern *p, struct live_answers *out)
{
    char c = 0;
    memset(out, 0, sizeof *out);
    if (g->child <= 0 && !start(g))
        return;
    g->shared->pattern = *p;
    memset(&g->shared->answers, 0, sizeof g->shared->answers);
    bool alive = write(g->to, &c, 1) == 1 && read(g->from, &c, 1) == 1;
    *out = g->shared->answers;
    if (!alive || ++g->asked == REQUESTS)
        live_glibc_stop(g);
}
