/* docker_folder.c - the kind "docker": the workspace's directory on the host, as of the kind "host" */
#define _GNU_SOURCE
#include "adapters/docker/docker.h"
#include "adapters/link/guest_program.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static bool write_file(int dir, const char *name, mode_t mode, const void *p, size_t n)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const char *at = p;
    bool ok = fd >= 0 && fchmod(fd, mode) == 0;
    while (ok && n) {
        ssize_t k = write(fd, at, n);
        if (k < 0 && errno == EINTR)
            continue;
        ok = k > 0;
        at += ok ? k : 0;
        n -= ok ? (size_t)k : 0;
    }
    if (fd >= 0)
        close(fd);
    return ok;
}

/* What the container needs besides lies beside the workspace and is mounted: an archive takes longer than all the
 * rest of its creation. False: it has to be put after all. */
static bool lend(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    const struct wk_host_place *place = &b->host.place;
    struct statvfs v;
    struct wk_buf git;
    size_t n;
    const unsigned char *guest = wk_guest_program(&n);
    uint32_t me = (uint32_t)geteuid();
    if (wk_docker_own_home(p) && p->uid != (p->rootless ? 0 : me) &&
        (me != 0 || chown(place->home, p->uid, p->gid) != 0))
        return false;
    int dir = open(place->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    wk_buf_init(&git, b->mem, 65536);
    wk_docker_put_gitconfig(&git, p->o);
    bool ok = dir >= 0 && fstatvfs(dir, &v) == 0 && !(v.f_flag & ST_NOEXEC) && !git.failed &&
              write_file(dir, "whelk-guest", 0755, guest, n) && write_file(dir, "gitconfig", 0644, git.p, git.n);
    wk_buf_release(&git);
    if (dir >= 0)
        close(dir);
    return ok;
}

int wk_docker_folder_make(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    struct wk_host_opening w = {.o = p->o, .with = b->engine.with};
    struct wk_host_place *place = &b->host.place;
    uint32_t me = (uint32_t)geteuid();
    b->host.mem = b->mem;
    /* Only root can give it to another; in a rootless engine the container's root is who made it. */
    bool other = me == 0 && p->where == WK_DOCKER_MADE && p->uid != me;
    b->host.uid = other ? p->uid : UINT32_MAX;
    b->host.gid = other ? p->gid : UINT32_MAX;
    int code = wk_host_place_open(&b->host, &w);
    b->folder = code ? NULL : place->workspace;
    /* Commands may be other users than its owner. It lies in a folder that only its maker may list. */
    if (!code && p->where == WK_DOCKER_MADE)
        (void)chmod(b->folder, other ? 0711 : 0755);
    b->lent = !code && !b->lends_not && lend(p, b);
    if (code)
        wk_buf_reset(&b->engine.error); /* it has told why */
    return code;
}

void wk_docker_folder_end(struct wk_docker_box *b, bool remove)
{
    b->folder = NULL;
    b->lent = false;
    if (b->host.mem)
        wk_host_place_close(&b->host, remove);
    b->host.mem = NULL;
}
