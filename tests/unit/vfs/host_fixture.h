/* host_fixture.h - a scratch directory on the host */
#ifndef WK_TESTS_HOST_FIXTURE_H
#define WK_TESTS_HOST_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scratch {
    char path[64];
};

static inline void scratch_run(const struct scratch *s, const char *script)
{
    char cmd[2048];
    snprintf(cmd, sizeof cmd, "cd %s && umask 022 && %s", s->path, script);
    if (system(cmd) != 0)
        abort();
}

static inline void scratch_up(struct scratch *s, const char *script)
{
    snprintf(s->path, sizeof s->path, "/tmp/whelk-test-XXXXXX");
    if (!mkdtemp(s->path))
        abort();
    scratch_run(s, script);
}

static inline void scratch_down(struct scratch *s)
{
    char cmd[256];
    snprintf(cmd, sizeof cmd, "chmod -R u+rwx %s; rm -rf %s", s->path, s->path);
    if (system(cmd) != 0)
        abort();
}

/* What the host has, as `find -printf` says, for before-and-after comparisons. */
static inline void scratch_list(const struct scratch *s, char *out, size_t cap)
{
    char cmd[256];
    snprintf(cmd, sizeof cmd,
             "cd %s && { find . -printf '%%p %%y %%m %%s %%l %%T@\\n' | sort; "
             "cat $(find . -type f | sort) </dev/null; }",
             s->path);
    FILE *p = popen(cmd, "r");
    size_t n = p ? fread(out, 1, cap - 1, p) : 0;
    out[n] = '\0';
    if (p)
        pclose(p);
}

#endif
