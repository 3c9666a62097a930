/* copyfile.c - contents and attributes of copied files */
#include "builtins/copy.h"

#define COPY_BLOCK ((size_t)65536)

static bool fail(struct wk_copy *s, const char *what, const char *path, int err)
{
    wk_msg(s->c, "%s %s: %s", what, wk_quote(s->c, path), wk_err_text(err));
    return false;
}

static void close_files(struct wk_copy *s)
{
    struct wk_vfile *in = s->in, *out = s->out;
    s->in = s->out = NULL;
    wk_vfile_unref(in);
    wk_vfile_unref(out);
}

/* Both are regular files: share the chunks, or copy where one is elsewhere. */
static bool copy_regular(struct wk_copy *s)
{
    struct wk_cmd *c = s->c;
    int r;
    while ((r = wk_vfile_clone(s->out, s->in)) == -WK_EAGAIN)
        wk_cmd_sleep(c, 1000000);
    if (r == 0)
        return true;
    if (r != -WK_EOPNOTSUPP)
        return fail(s, "error writing", s->dst, -r);
    char *block = (char *)wk_heap_alloc(c->heap, COPY_BLOCK);
    for (int64_t at = 0;;) {
        int64_t n, w = 0;
        while ((n = wk_vfile_pread(s->in, block, COPY_BLOCK, at)) == -WK_EAGAIN)
            wk_cmd_sleep(c, 1000000);
        if (n < 0)
            return fail(s, "error reading", s->t->path, (int)-n);
        if (n == 0)
            break;
        for (int64_t done = 0; done < n; done += w) {
            while ((w = wk_vfile_pwrite(s->out, block + done, (size_t)(n - done), at + done)) ==
                   -WK_EAGAIN)
                wk_cmd_sleep(c, 1000000);
            if (w <= 0)
                return fail(s, "error writing", s->dst, w < 0 ? (int)-w : WK_ENOSPC);
        }
        at += n;
        wk_tick(c, (uint32_t)(n / 64));
    }
    wk_heap_free(c->heap, block);
    return true;
}

/* One of them is a pipe or a device: through the machine's files, by full names. */
static bool copy_stream(struct wk_copy *s, uint32_t mode)
{
    struct wk_cmd *c = s->c;
    struct wk_in *in;
    struct wk_file *f;
    int err = wk_raw_open(c, s->t->path, false, &in);
    if (err)
        return fail(s, "cannot open", s->t->path, err);
    err = wk_cmd_open(c, s->dst, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, mode, &f);
    if (err) {
        wk_in_close(in);
        return fail(s, "cannot create regular file", s->dst, err);
    }
    struct wk_out *out = wk_out_of(c, f);
    char *block = (char *)wk_heap_alloc(c->heap, COPY_BLOCK);
    ptrdiff_t n, w = 0;
    while ((n = wk_file_read(c->task, in->file, block, COPY_BLOCK)) != 0) {
        if (n == -WK_EINTR)
            continue;
        if (n < 0)
            break;
        while ((w = wk_file_write(c->task, f, block, (size_t)n)) == -WK_EINTR)
            ;
        if (w < 0)
            break;
        wk_tick(c, (uint32_t)(n / 64));
    }
    wk_heap_free(c->heap, block);
    wk_in_close(in);
    (void)wk_out_close(out);
    if (n < 0)
        return fail(s, "error reading", s->t->path, (int)-n);
    return w < 0 ? fail(s, "error writing", s->dst, (int)-w) : true;
}

static int open_target(struct wk_copy *s, uint32_t mode, bool exists)
{
    struct wk_cmd *c = s->c;
    struct wk_vdir *dir = wk_copy_dst_dir(s);
    const char *name = wk_copy_dst_name(s);
    if (exists) {
        int err = wk_at_open(c, dir, name, WK_O_WRONLY | (s->o->attrs_only ? 0u : WK_O_TRUNC), 0,
                             &s->out);
        if (!err || !s->o->force)
            return err;
        err = wk_at_unlink(c, dir, name);
        if (err)
            return err;
        if (s->o->verbose)
            wk_out_fmt(c->out, "removed %s\n", wk_quote(c, s->dst));
    }
    return wk_at_open(c, dir, name, WK_O_WRONLY | WK_O_CREAT | WK_O_EXCL, mode, &s->out);
}

bool wk_copy_contents(struct wk_copy *s, const struct wk_stat *st, bool exists,
                      const struct wk_stat *dst_st)
{
    struct wk_cmd *c = s->c;
    uint32_t mode = s->o->plain_mode ? 0666 : st->mode & 0777;
    if (s->o->keep_owner) /* others must not read it while it has the wrong owner */
        mode &= 0700;
    if (!WK_S_ISREG(st->mode) || (exists && !WK_S_ISREG(dst_st->mode)))
        return copy_stream(s, mode);
    int err = wk_at_open(c, wk_ftw_dir(s->t), wk_ftw_name(s->t), WK_O_RDONLY, 0, &s->in);
    if (err) {
        s->in = NULL;
        wk_msg(c, "cannot open %s for reading: %s", wk_quote(c, s->t->path), wk_err_text(err));
        return false;
    }
    err = open_target(s, mode, exists);
    bool ok;
    if (err) {
        s->out = NULL;
        size_t n = strlen(s->dst);
        if (err == WK_EISDIR && n && s->dst[n - 1] == '/')
            err = WK_ENOTDIR;
        ok = fail(s, "cannot create regular file", s->dst, err);
    } else {
        ok = s->o->attrs_only || copy_regular(s);
    }
    close_files(s);
    return ok;
}

bool wk_copy_attrs(struct wk_copy *s, const struct wk_stat *st, bool made)
{
    struct wk_cmd *c = s->c;
    struct wk_vdir *dir = wk_copy_dst_dir(s);
    const char *name = wk_copy_dst_name(s);
    bool link = WK_S_ISLNK(st->mode), ok = true;
    uint32_t mode = st->mode & 07777;
    int err;
    if (s->o->keep_times && (err = wk_at_utimens(c, dir, name, !link, st->atim, st->mtim)) != 0)
        ok = fail(s, "preserving times for", s->dst, err);
    if (s->o->keep_owner) {
        err = wk_at_chown(c, dir, name, !link, st->uid, st->gid);
        if (err) {
            mode &= ~(uint32_t)(WK_S_ISUID | WK_S_ISGID);
            if (c->proc->cred.uid == 0)
                ok = fail(s, "failed to preserve ownership for", s->dst, err);
            else
                (void)wk_at_chown(c, dir, name, !link, UINT32_MAX, st->gid);
        }
    }
    if (link)
        return ok;
    if (!s->o->keep_mode) {
        if (!made || (!s->o->keep_owner && !WK_S_ISDIR(st->mode)))
            return ok;
        bool dir_here = WK_S_ISDIR(st->mode);
        uint32_t most = dir_here ? 01777u : 0777u, plain = dir_here ? 0777u : 0666u;
        mode = (s->o->plain_mode ? plain : mode & most) & ~c->proc->cred.umask;
    }
    err = wk_at_chmod(c, dir, name, true, mode);
    return err ? fail(s, "preserving permissions for", s->dst, err) : ok;
}
