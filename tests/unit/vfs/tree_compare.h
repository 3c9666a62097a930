/* tree_compare.h - whether two directories of a namespace look the same from outside */
#ifndef WK_TESTS_TREE_COMPARE_H
#define WK_TESTS_TREE_COMPARE_H

#include "vfs_fixture.h"

#include <stdio.h>
#include <stdlib.h>

struct joined {
    char s[640];
};

/* Three parts of a path, cut where they are too long for these tests. */
static inline struct joined join_path(const char *a, const char *b, const char *c)
{
    struct joined j;
    const char *const parts[] = {a, b, c};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++)
        for (const char *p = parts[i]; *p && n + 1 < sizeof j.s; p++)
            j.s[n++] = *p;
    j.s[n] = '\0';
    return j;
}

/* Appends one line per file (path, mode, links, size, contents), in order of names. */
static inline void describe_tree(struct wk_vfs *v, const char *top, const char *rel,
                                 struct wk_buf *out, int depth)
{
    struct joined path = join_path(top, rel, "");
    struct wk_vlist *l;
    struct wk_dirent e;
    if (depth > 30 || wk_vfs_opendir(v, &root, NULL, P(path.s), &l) != 0) {
        wk_buf_fmt(out, "cannot list %s\n", rel);
        return;
    }
    while (wk_vlist_next(l, &e) == 1) {
        struct wk_stat st = {0};
        struct joined sub = join_path(rel, "/", e.name.p);
        path = join_path(top, sub.s, "");
        int err = wk_vfs_stat(v, &root, NULL, P(path.s), WK_AT_NOFOLLOW, &st);
        bool dir = WK_S_ISDIR(st.mode);
        wk_buf_fmt(out, "%s err=%d mode=%o type=%o size=%llu ", sub.s, err, st.mode, e.type,
                   dir ? 0ULL : (unsigned long long)st.size);
        if (WK_S_ISREG(st.mode)) {
            char *data = calloc(1, st.size + 1);
            int64_t n = get_file(v, &root, path.s, data, (size_t)st.size + 1);
            wk_buf_fmt(out, "%lld ", (long long)n);
            for (int64_t i = 0; i < n; i++)
                wk_buf_putc(out, data[i] ? data[i] : '0');
            free(data);
        } else if (WK_S_ISLNK(st.mode)) {
            wk_vfs_readlink(v, &root, NULL, P(path.s), out);
        }
        wk_buf_putc(out, '\n');
        if (dir)
            describe_tree(v, top, sub.s, out, depth + 1);
    }
    wk_vlist_close(l);
}

#endif
