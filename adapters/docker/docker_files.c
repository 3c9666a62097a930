/* docker_files.c - the kind "docker": what is in the container before it starts, and the workspace's directory */
#define _GNU_SOURCE
#include "adapters/docker/docker.h"
#include "adapters/link/guest_program.h"
#include "adapters/docker/tar.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARCHIVE_MAX = 64 << 20 };

/* A value of git's configuration, in quotes. */
static void put_quoted(struct wk_buf *b, const char *s)
{
    wk_buf_putc(b, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            wk_buf_putc(b, '\\');
        if (*s == '\n')
            wk_buf_put_c(b, "\\n");
        else
            wk_buf_putc(b, *s);
    }
    wk_buf_putc(b, '"');
}

/* safe.directory: the workspace may be another user's than a command's. */
void wk_docker_put_gitconfig(struct wk_buf *b, const whelk_sandbox_options *o)
{
    wk_buf_put_c(b, "[user]\n\tname = ");
    put_quoted(b, o->git_name ? o->git_name : "whelk");
    wk_buf_put_c(b, "\n\temail = ");
    put_quoted(b, o->git_email ? o->git_email : "whelk@localhost");
    wk_buf_put_c(b, "\n[safe]\n\tdirectory = *\n[gc]\n\tauto = 0\n[init]\n\tdefaultBranch = main\n");
}

/* The directories of an absolute path that an archive has to bring along: all of them are root's but the last one. */
static bool put_directories(struct wk_buf *tar, struct wk_mem *m, const char *path, uint32_t uid, uint32_t gid)
{
    struct wk_buf part;
    bool ok = true;
    wk_buf_init(&part, m, 4096);
    for (const char *at = path + 1; *at && ok;) {
        size_t n = strcspn(at, "/");
        bool last = !at[n];
        wk_buf_put(&part, at, n);
        wk_buf_putc(&part, '/');
        struct wk_tar_entry e = {.path = wk_buf_c(&part), .mode = 0755, .uid = last ? uid : 0, .gid = last ? gid : 0};
        ok = !part.failed && wk_tar_put(tar, &e);
        at += last ? n : n + 1;
    }
    wk_buf_release(&part);
    return ok;
}

bool wk_docker_own_home(const struct wk_docker_plan *p)
{
    return p->uid != 0 || p->o->read_only_root;
}

int wk_docker_fill(const struct wk_docker_plan *p, struct wk_docker_box *b)
{
    /* On a root that may not be written, /.whelk is a volume, and the archive is unpacked there. */
    const char *top = p->o->read_only_root ? "" : ".whelk/", *at = p->o->read_only_root ? "/.whelk" : "/";
    struct wk_buf tar, git, name;
    size_t guest_n;
    const unsigned char *guest = wk_guest_program(&guest_n);
    if (b->lent)
        return WHELK_OK;
    wk_buf_init(&tar, b->mem, ARCHIVE_MAX);
    wk_buf_init(&git, b->mem, 65536);
    wk_buf_init(&name, b->mem, 64);
    wk_docker_put_gitconfig(&git, p->o);
    bool ok = !git.failed;
    if (*top)
        ok = ok && wk_tar_put(&tar, &(struct wk_tar_entry){.path = ".whelk/", .mode = 0755});
    wk_buf_fmt(&name, "%sguest", top);
    ok = ok &&
         wk_tar_put(&tar, &(struct wk_tar_entry){
                              .path = wk_buf_c(&name), .mode = 0755, .data = wk_str((const char *)guest, guest_n)});
    wk_buf_reset(&name);
    wk_buf_fmt(&name, "%sgitconfig", top);
    ok = ok &&
         wk_tar_put(&tar, &(struct wk_tar_entry){.path = wk_buf_c(&name), .mode = 0644, .data = wk_buf_str(&git)});
    wk_buf_reset(&name);
    wk_buf_fmt(&name, "%shome/", top);
    ok = ok && wk_tar_put(
                   &tar, &(struct wk_tar_entry){.path = wk_buf_c(&name), .mode = 0700, .uid = p->uid, .gid = p->gid});
    if (p->where == WK_DOCKER_INSIDE && *top)
        ok = ok && put_directories(&tar, b->mem, p->inside, p->uid, p->gid);
    ok = ok && wk_tar_end(&tar);
    int code = ok ? wk_engine_put(&b->engine, b->id, at, wk_buf_str(&tar))
                  : wk_engine_fail(&b->engine, tar.over ? WHELK_E_INVALID : WHELK_E_NOMEM,
                                   tar.over ? "workspace_path: is too long" : "no memory");
    wk_buf_release(&name);
    wk_buf_release(&git);
    wk_buf_release(&tar);
    return code;
}
