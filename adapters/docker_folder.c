/* docker_folder.c - the kind "docker": the workspace's directory on the host, as of the kind "host" */
#define _GNU_SOURCE
#include "adapters/docker.h"

#include <sys/stat.h>
#include <unistd.h>

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
    if (code)
        wk_buf_reset(&b->engine.error); /* it has told why */
    return code;
}

void wk_docker_folder_end(struct wk_docker_box *b, bool remove)
{
    b->folder = NULL;
    if (b->host.mem)
        wk_host_place_close(&b->host, remove);
    b->host.mem = NULL;
}
