/* canonical.c - names without links, dots and double slashes
 *
 * One step a component: a link's text goes in front of what is left of the name. A loop is the same link met again
 * with the same rest; the first links of a name are not remembered, for most names have few.
 */
#include "builtins/canonical.h"

enum { LINKS_FREE = 20, LINKS_MOST = 20000, REST_MOST = 1 << 20 };

struct seen {
    struct wk_stat st;
    const char *rest;
};

struct canonical {
    struct wk_cmd *c;
    enum wk_realpath how;
    char *done; /* "" is the root */
    size_t n, cap;
    struct seen *seen;
    size_t links;
};

/* Whether what follows a component makes it a directory: a slash at the end, `.` or `..`. */
static bool needs_directory(const char *rest)
{
    while (*rest == '/') {
        rest += strspn(rest, "/");
        if (!*rest || (rest[0] == '.' && (!rest[1] || (rest[1] == '.' && (!rest[2] || rest[2] == '/')))))
            return true;
        rest += rest[0] == '.';
    }
    return false;
}

static void append(struct canonical *k, const char *p, size_t n)
{
    if (k->cap - k->n < n + 3) { /* a slash in front, one behind for a moment, and the end */
        k->cap = (k->n + n + 3) * 2;
        k->done = (char *)wk_heap_realloc(k->c->heap, k->done, k->cap);
    }
    k->done[k->n++] = '/';
    memcpy(k->done + k->n, p, n);
    k->n += n;
    k->done[k->n] = '\0';
}

/* Whether the link at hand was met before with this rest; remembers it. A positive code ends the walk. */
static int is_loop(struct canonical *k, const char *rest, bool *loop)
{
    struct wk_stat st;
    *loop = false;
    if (++k->links <= LINKS_FREE)
        return 0;
    if (k->links > LINKS_MOST || strlen(rest) > REST_MOST)
        return WK_ELOOP;
    int err = wk_at_stat(k->c, NULL, k->done, false, &st);
    if (err)
        return err;
    if (!k->seen)
        k->seen = wk_new_n(k->c, struct seen, LINKS_MOST);
    size_t n = k->links - LINKS_FREE - 1;
    wk_tick(k->c, (uint32_t)n + 1);
    for (size_t i = 0; i < n && !*loop; i++)
        *loop = wk_stat_same(&k->seen[i].st, &st) && strcmp(k->seen[i].rest, rest) == 0;
    k->seen[n] = (struct seen){st, rest};
    return *loop && k->how != WK_REALPATH_NONE ? WK_ELOOP : 0;
}

/* Whether the component at hand may stand there; err: why it is no link. */
static int check(struct canonical *k, const char *rest, bool names_only, int err)
{
    struct wk_stat st;
    bool directory = needs_directory(rest);
    if (k->how == WK_REALPATH_NONE)
        return 0;
    if (directory) {
        k->done[k->n] = '/';
        k->done[k->n + 1] = '\0';
        err = wk_at_stat(k->c, NULL, k->done, true, &st);
        k->done[k->n] = '\0';
    } else if (names_only) {
        err = wk_at_stat(k->c, NULL, k->done, true, &st);
    } else if (err == WK_EINVAL) {
        err = 0;
    }
    bool may_miss = !rest[strspn(rest, "/")] || (names_only && !directory);
    return k->how == WK_REALPATH_PARENT && may_miss && err == WK_ENOENT ? 0 : err;
}

static int walk(struct canonical *k, const char *rest, bool names_only)
{
    struct wk_cmd *c = k->c;
    for (;;) {
        rest += strspn(rest, "/");
        size_t n = strcspn(rest, "/"), before = k->n;
        const char *name = rest, *after = rest + n;
        if (!n)
            return 0;
        rest = after;
        if (n == 1 && name[0] == '.')
            continue;
        if (n == 2 && name[0] == '.' && name[1] == '.') {
            while (k->n && k->done[--k->n] != '/')
                ;
            k->done[k->n] = '\0';
            continue;
        }
        append(k, name, n);
        char *text;
        int err = names_only ? WK_EINVAL : wk_at_readlink(c, NULL, k->done, &text);
        if (!err) {
            bool loop;
            err = is_loop(k, name, &loop);
            if (err)
                return err;
            if (loop) /* stays as it is */
                continue;
            rest = wk_strf(c, "%s%s", text, after);
            k->n = *text == '/' ? 0 : before;
            k->done[k->n] = '\0';
            continue;
        }
        err = check(k, after, names_only, err);
        if (err)
            return err;
    }
}

int wk_canonical(struct wk_cmd *c, const char *path, enum wk_realpath how, bool names_only, char **out)
{
    struct canonical k = {.c = c, .how = how};
    char *cwd = NULL;
    int err = *path == '/' ? 0 : !*path ? WK_ENOENT : wk_at_cwd(c, &cwd);
    if (err)
        return err;
    append(&k, "", 0);
    k.n = 0;
    k.done[0] = '\0';
    if (cwd && cwd[1])
        append(&k, cwd + 1, strlen(cwd + 1));
    err = walk(&k, path, names_only);
    if (!err && !k.n) {
        k.done[0] = '/';
        k.done[1] = '\0';
    }
    *out = k.done;
    return err;
}
