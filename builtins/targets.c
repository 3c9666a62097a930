/* targets.c - where the operands of cp, mv, ln and install go */
#include "builtins/targets.h"

static int stat_dir(struct wk_cmd *c, const char *path, bool follow)
{
    struct wk_stat st;
    int err = wk_at_stat(c, NULL, path, follow, &st);
    return err ? err : WK_S_ISDIR(st.mode) ? 0 : WK_ENOTDIR;
}

void wk_targets_read(struct wk_cmd *c, const char *dir_option, bool no_dir, bool no_deref,
                     struct wk_targets *t)
{
    size_t n = (size_t)c->nargs;
    *t = (struct wk_targets){.sources = c->args};
    if (n == 0)
        wk_usage(c, "missing file operand");
    if (dir_option && no_dir)
        wk_fail(c, 1, "cannot combine --target-directory (-t) and --no-target-directory (-T)");
    if (dir_option) {
        int err = stat_dir(c, dir_option, true);
        if (err)
            wk_fail(c, 1, "target directory %s: %s", wk_quote(c, dir_option), wk_err_text(err));
        t->dir = dir_option;
        t->n = n;
        return;
    }
    if (n == 1)
        wk_usage(c, "missing destination file operand after %s", wk_quote(c, c->args[0]));
    const char *last = c->args[n - 1];
    t->n = n - 1;
    if (no_dir) {
        if (n > 2)
            wk_usage(c, "extra operand %s", wk_quote(c, c->args[2]));
        t->target = last;
        return;
    }
    int err = stat_dir(c, last, !no_deref);
    if (!err)
        t->dir = last;
    else if (n > 2)
        wk_fail(c, 1, "target %s: %s", wk_quote(c, last), wk_err_text(err));
    else
        t->target = last;
}

char *wk_target_in(struct wk_cmd *c, const char *dir, const char *source)
{
    size_t n, dir_n = strlen(dir);
    const char *base = wk_last_component(source, &n);
    if (n == 2 && base[0] == '.' && base[1] == '.')
        n = 0; /* cp -r .. d copies into d itself */
    bool slash = dir_n && dir[dir_n - 1] == '/';
    return wk_strf(c, "%s%s%.*s", dir, slash ? "" : "/", (int)n, base);
}
