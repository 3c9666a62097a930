/* rmdir.c - remove empty directories
 *
 * Standard: GNU coreutils 9.1. Oracle: rmdir.
 */
#include "builtins/fsops.h"

struct rmdir_opts {
    bool ignore_non_empty, parents, verbose;
};

static const struct wk_opt rmdir_options[] = {
    WK_FLAG(struct rmdir_opts, ignore_non_empty, 0, "ignore-fail-on-non-empty",
            "ignore each failure that is solely because a directory\nis non-empty"),
    WK_FLAG(struct rmdir_opts, parents, 'p', "parents",
            "remove DIRECTORY and its ancestors; e.g., 'rmdir -p a/b/c'\nis similar to "
            "'rmdir a/b/c a/b a'"),
    WK_FLAG(struct rmdir_opts, parents, 'p', "path", "the same as --parents"),
    WK_FLAG(struct rmdir_opts, verbose, 'v', "verbose",
            "output a diagnostic for every directory processed"),
    WK_OPTS_END,
};

static bool is_non_empty(struct wk_cmd *c, const char *path, int err)
{
    struct wk_vlist *list;
    struct wk_dirent e;
    if (err == WK_ENOTEMPTY || err == WK_EEXIST)
        return true;
    if (err != WK_EACCES && err != WK_EPERM && err != WK_EROFS && err != WK_EBUSY)
        return false;
    if (wk_at_list(c, NULL, path, &list))
        return false;
    bool any = wk_vlist_next(list, &e) > 0;
    wk_vlist_close(list);
    return any;
}

/* False when it is still there. */
static bool remove_one(struct wk_cmd *c, const struct rmdir_opts *o, const char *path, bool parent)
{
    struct wk_stat st;
    if (o->verbose)
        wk_out_fmt(c->out, "%s: removing directory, %s\n", c->name, wk_quote(c, path));
    int err = wk_at_rmdir(c, NULL, path);
    if (!err)
        return true;
    if (o->ignore_non_empty && is_non_empty(c, path, err))
        return false;
    size_t n = strlen(path);
    bool link = err == WK_ENOTDIR && n && path[n - 1] == '/';
    if (link) {
        char *bare = wk_dup(c, path);
        wk_strip_slashes(bare);
        link = wk_at_stat(c, NULL, bare, false, &st) == 0 && WK_S_ISLNK(st.mode) &&
               wk_at_stat(c, NULL, path, true, &st) == 0 && WK_S_ISDIR(st.mode);
    }
    if (link)
        wk_msg(c, "failed to remove %s: Symbolic link not followed", wk_quote(c, path));
    else
        wk_msg(c, "failed to remove %s%s: %s", parent ? "directory " : "", wk_quote(c, path),
               wk_err_text(err));
    return false;
}

static int rmdir_main(struct wk_cmd *c)
{
    const struct rmdir_opts *o = (const struct rmdir_opts *)c->opts;
    if (c->nargs == 0)
        wk_usage(c, "missing operand");
    for (int i = 0; i < c->nargs; i++) {
        bool gone = remove_one(c, o, c->args[i], false);
        char *path = wk_dup(c, c->args[i]);
        wk_strip_slashes(path);
        while (gone && o->parents) {
            char *slash = strrchr(path, '/');
            if (!slash)
                break;
            while (slash > path && *slash == '/')
                slash--;
            slash[1] = '\0';
            gone = remove_one(c, o, path, true);
        }
    }
    return c->status;
}

WK_COMMAND(rmdir, .summary = "remove empty directories", .usage = "rmdir [OPTION]... DIRECTORY...",
           .std = "coreutils 9.1", .opts = rmdir_options, .opts_size = sizeof(struct rmdir_opts));
