/* view.c - a directory of the session as a snapshot has it */
#include "vfs/mfs.h"
#include "vfs/overlay.h"

/* Whether a mount at `at` lies on the way to `path`. */
static bool leads_to(const char *at, struct wk_str path)
{
    struct wk_str p = wk_str_c(at);
    return wk_str_starts(path, p) && (path.n == p.n || path.p[p.n] == '/');
}

static bool is_overlay(const struct wk_mount *m)
{
    return m->fs && m->fs->ops->free == wk_overlay_free;
}

/* Only want of memory and descriptors counts: where the snapshot has something else at the place, that is what it
 * shows. */
static int mount_again(const struct wk_mount *m, struct wk_vfs *view)
{
    int err = 0;
    if (is_overlay(m))
        err = wk_overlay_view(m, view);
    else if (!m->fs)
        err = wk_vfs_mount_memory(view, wk_str_c(m->path), m->root_mode, m->root_uid, m->root_gid, m->flags);
    return err == -WK_ENOMEM || err == -WK_EMFILE || err == -WK_ENFILE ? err : 0;
}

int wk_vfs_view(struct wk_vfs *of, struct wk_snapshot *s, struct wk_str path, struct wk_vfs **out)
{
    struct wk_vfs_config config = {
        .hub = of->hub, .base = s, .limits = of->limits, .now = of->now, .now_ctx = of->now_ctx};
    struct wk_vfs *view;
    int err = wk_vfs_new(of->ctx.mem, &config, &view);
    if (err)
        return err;
    for (size_t i = 0; s && i < of->mount_n && !err; i++)
        if (leads_to(of->mounts[i]->path, path))
            err = mount_again(of->mounts[i], view);
    if (err)
        wk_vfs_free(view);
    else
        *out = view;
    return err;
}

int wk_vfs_root_of(struct wk_vfs *vfs, struct wk_str path, uint64_t *root, size_t *skip)
{
    const struct wk_mount *best = &vfs->root;
    *skip = 0;
    for (size_t i = 0; i < vfs->mount_n; i++) {
        size_t n = strlen(vfs->mounts[i]->path);
        if (leads_to(vfs->mounts[i]->path, path) && n >= *skip) {
            best = vfs->mounts[i];
            *skip = n;
        }
    }
    *root = best->root_ino;
    return best->fs && !is_overlay(best) ? -WK_EOPNOTSUPP : 0;
}
