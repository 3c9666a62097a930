/* host_file.c - files of the host that the command line names */
#define _GNU_SOURCE
#include "cli/host_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

char *wk_cli_read_file(const char *path, size_t *len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        errno = EISDIR;
        return NULL;
    }
    size_t n = 0, cap = 65536;
    char *p = malloc(cap);
    ssize_t got = 0;
    while (p && (got = read(fd, p + n, cap - 1 - n)) > 0) {
        n += (size_t)got;
        if (n == cap - 1) {
            char *q = realloc(p, cap *= 2);
            if (!q)
                free(p);
            p = q;
        }
    }
    int err = errno;
    close(fd);
    if (p && got < 0) {
        free(p);
        p = NULL;
    }
    if (p)
        p[n] = '\0';
    errno = p ? 0 : err;
    *len = n;
    return p;
}
