/* memory.c - whether memory ran out in this container: its control group counts the processes that it cost */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapters/guest/guest.h"

/* The number behind a line's name; 0 when there is none. */
static uint64_t counted(const char *path, const char *name)
{
    char text[1024];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return 0;
    text[n] = 0;
    size_t k = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, k) == 0 && line[k] == ' ')
            return strtoull(line + k, NULL, 10);
    }
    return 0;
}

uint64_t guest_oom_kills(const struct guest *g)
{
    if (!g->is_init) /* the group is not ours alone */
        return 0;
    uint64_t n = counted("/sys/fs/cgroup/memory.events", "oom_kill");
    return n ? n : counted("/sys/fs/cgroup/memory/memory.oom_control", "oom_kill");
}
