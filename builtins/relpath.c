/* relpath.c - one absolute name relative to another */
#include "builtins/relpath.h"

bool wk_path_is_below(const char *path, const char *dir)
{
    size_t n = strlen(dir);
    if (n == 1 && dir[0] == '/')
        return path[0] == '/';
    return strncmp(path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}

char *wk_relative_path(struct wk_cmd *c, const char *from, const char *to)
{
    size_t common = 0, i = 0; /* common: the end of the last component that both share */
    while (from[i] && from[i] == to[i]) {
        i++;
        if ((from[i] == '/' || !from[i]) && (to[i] == '/' || !to[i]))
            common = i;
    }
    size_t ups = 0;
    for (const char *p = from + common; *p; p++)
        ups += *p == '/' && p[1];
    const char *rest = to + common;
    while (*rest == '/')
        rest++;
    size_t rest_n = strlen(rest), n = ups * 3;
    char *out = (char *)wk_heap_alloc(c->heap, n + rest_n + 2), *p = out;
    for (size_t k = 0; k < ups; k++) {
        memcpy(p, "../", 3);
        p += 3;
    }
    memcpy(p, rest, rest_n);
    p += rest_n;
    if (p > out && !rest_n)
        p--; /* no slash at the end */
    if (p == out)
        *p++ = '.';
    *p = '\0';
    return out;
}
