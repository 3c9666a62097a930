/* tree_compare.h - whether two directories of a namespace look the same from outside */
#ifndef WK_TESTS_TREE_COMPARE_H
#define WK_TESTS_TREE_COMPARE_H

#include "vfs_fixture.h"

#include <stdio.h>
#include <stdlib.h>

/* Appends one line per file (path, mode, links, size, contents), in order of names. */
static inline void describe_tree(struct wk_vfs *v, const char *top, const char *rel,
                                 struct wk_buf *out, int depth)
{
    char path[600], sub[600];
    snprintf(path, sizeof path, "%s%s", top, rel);
    struct wk_vlist *l;
    struct wk_dirent e;
    if (depth > 30 || wk_vfs_opendir(v, &root, NULL, P(path), &l) != 0) {
        wk_buf_fmt(out, "cannot list %s\n", rel);
        return;
    }
    while (wk_vlist_next(l, &e) == 1) {
        struct wk_stat st = {0};
        snprintf(sub, sizeof sub, "%s/%s", rel, e.name.p);
        snprintf(path, sizeof path, "%s%s", top, sub);
        int err = wk_vfs_stat(v, &root, NULL, P(path), WK_AT_NOFOLLOW, &st);
        bool dir = WK_S_ISDIR(st.mode);
        wk_buf_fmt(out, "%s err=%d mode=%o type=%o size=%llu ", sub, err, st.mode, e.type,
                   dir ? 0ULL : (unsigned long long)st.size);
        if (WK_S_ISREG(st.mode)) {
            char *data = calloc(1, st.size + 1);
            int64_t n = get_file(v, &root, path, data, (size_t)st.size + 1);
            wk_buf_fmt(out, "%lld ", (long long)n);
            for (int64_t i = 0; i < n; i++)
                wk_buf_putc(out, data[i] ? data[i] : '0');
            free(data);
        } else if (WK_S_ISLNK(st.mode)) {
            wk_vfs_readlink(v, &root, NULL, P(path), out);
        }
        wk_buf_putc(out, '\n');
        if (dir)
            describe_tree(v, top, sub, out, depth + 1);
    }
    wk_vlist_close(l);
}

#endif
