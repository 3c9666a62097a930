/* fuzz_vfs.c - the memory file system against a naive model
 *
 * Bytes choose operations on a few sessions that snapshot, fork, restore and diff each other's
 * trees; every answer is compared with that of a model which copies everything and searches
 * linearly. The first byte's low bit makes allocations fail: an operation that says -WK_ENOMEM must
 * have changed nothing. An input of at most eight bytes is a seed for as many random bytes as fill
 * a run.
 */
#include "vfs/snapshot.h"
#include "vfs/vfs.h"

#include <stdio.h>
#include <stdlib.h>

enum { M_FILES = 96, M_ENTRIES = 16, M_SESSIONS = 3, M_SNAPS = 4, M_HANDLES = 4, M_PATH = 160 };

struct m_entry {
    char name[4];
    int file;
};

struct m_file {
    bool used;
    uint64_t id;
    uint32_t mode;
    int nlink; /* names; 0: open only */
    char *data;
    size_t size;
    int n;
    struct m_entry e[M_ENTRIES];
    int parent;
};

struct m_world {
    struct m_file f[M_FILES]; /* 0 is the root */
};

struct m_session {
    struct wk_mem *mem;
    struct wk_vfs *v;
    struct m_world w;
    struct wk_vfile *h[M_HANDLES];
    int hf[M_HANDLES];
    struct wk_vdir *cwd;
    int cwd_file;
};

struct m_snap {
    struct wk_snapshot *s;
    struct m_world w;
};

struct m_run {
    const uint8_t *in;
    size_t n, at;
    struct wk_vfs_hub *hub;
    struct wk_mem *mem; /* of diffs */
    struct m_session s[M_SESSIONS];
    struct m_snap snap[M_SNAPS];
    uint64_t next_id;
    bool torture;
    bool failed; /* the model ran out of room: stop here */
    int step;
    uint64_t seed; /* for the message */
};

static const struct wk_cred m_root = {.umask = 0};

#define M_CHECK(cond, ...)                                                                   \
    do {                                                                                     \
        if (!(cond)) {                                                                       \
            fprintf(stderr, "seed %llu step %d: %s: ", (unsigned long long)r->seed, r->step, \
                    #cond);                                                                  \
            fprintf(stderr, __VA_ARGS__);                                                    \
            fprintf(stderr, "\n");                                                           \
            abort();                                                                         \
        }                                                                                    \
    } while (0)

static uint8_t m_byte(struct m_run *r)
{
    return r->at < r->n ? r->in[r->at++] : 0;
}

/* ---- the model ------------------------------------------------------------------------------- */

static void m_free_file(struct m_file *f)
{
    free(f->data);
    *f = (struct m_file){0};
}

static void m_clear(struct m_world *w)
{
    for (int i = 0; i < M_FILES; i++)
        m_free_file(&w->f[i]);
}

static void m_copy_file(struct m_file *to, const struct m_file *from)
{
    *to = *from;
    if (from->data) {
        to->data = malloc(from->size + 1);
        memcpy(to->data, from->data, from->size);
    }
}

/* All that has names. */
static void m_copy(struct m_world *to, const struct m_world *from)
{
    m_clear(to);
    for (int i = 0; i < M_FILES; i++)
        if (from->f[i].used && (i == 0 || from->f[i].nlink > 0))
            m_copy_file(&to->f[i], &from->f[i]);
}

static int m_new(struct m_run *r, struct m_world *w, uint32_t mode)
{
    for (int i = 0; i < M_FILES; i++) {
        if (!w->f[i].used) {
            w->f[i] = (struct m_file){.used = true, .id = ++r->next_id, .mode = mode, .nlink = 1};
            return i;
        }
    }
    r->failed = true;
    return -1;
}

static int m_find(const struct m_file *d, const char *name)
{
    for (int i = 0; i < d->n; i++)
        if (strcmp(d->e[i].name, name) == 0)
            return i;
    return -1;
}

static void m_cut(struct m_file *d, const char *name)
{
    int i = m_find(d, name);
    d->e[i] = d->e[d->n - 1];
    d->n--;
}

static bool m_add(struct m_run *r, struct m_world *w, int dir, const char *name, int file)
{
    struct m_file *d = &w->f[dir];
    if (d->n == M_ENTRIES) {
        r->failed = true;
        return false;
    }
    snprintf(d->e[d->n].name, sizeof d->e[0].name, "%s", name);
    d->e[d->n++].file = file;
    if (WK_S_ISDIR(w->f[file].mode))
        w->f[file].parent = dir;
    return true;
}

static bool m_is_open(const struct m_session *s, int file)
{
    for (int i = 0; i < M_HANDLES; i++)
        if (s->h[i] && s->hf[i] == file)
            return true;
    return s->cwd && s->cwd_file == file;
}

static void m_drop(struct m_session *s, int file)
{
    struct m_file *f = &s->w.f[file];
    if (--f->nlink == 0 && !m_is_open(s, file))
        m_free_file(f);
}

struct m_place {
    int dir, file; /* file -1: missing */
    char last[4];
    bool dots;
};

/* Resolves by plain recursion over text; 0 or an error. */
static int m_walk(const struct m_world *w, int from, const char *path, bool follow, int *links,
                  struct m_place *out)
{
    int at = *path == '/' ? 0 : from;
    for (;;) {
        while (*path == '/')
            path++;
        if (!*path) {
            *out = (struct m_place){at, at, "", true};
            return 0;
        }
        size_t n = strcspn(path, "/");
        char name[4] = "";
        memcpy(name, path, n < 3 ? n : 3);
        path += n;
        bool last = *path == '\0';
        if (!WK_S_ISDIR(w->f[at].mode))
            return -WK_ENOTDIR;
        if (strcmp(name, "..") == 0) {
            at = w->f[at].parent;
            continue;
        }
        int i = m_find(&w->f[at], name);
        if (i < 0) {
            *out = (struct m_place){.dir = at, .file = -1};
            memcpy(out->last, name, sizeof name);
            return last ? 0 : -WK_ENOENT;
        }
        int file = w->f[at].e[i].file;
        if (WK_S_ISLNK(w->f[file].mode) && (!last || follow)) {
            if (++*links > 40)
                return -WK_ELOOP;
            char text[M_PATH * 44];
            if (strlen(path) + w->f[file].size >= sizeof text)
                return -WK_ENAMETOOLONG; /* cannot be: link texts are short */
            snprintf(text, sizeof text, "%.*s%s", (int)w->f[file].size, w->f[file].data, path);
            return m_walk(w, at, text, follow, links, out);
        }
        if (last) {
            *out = (struct m_place){.dir = at, .file = file};
            memcpy(out->last, name, sizeof name);
            return 0;
        }
        at = file;
    }
}

static int m_resolve(const struct m_session *s, const char *path, bool follow, struct m_place *out)
{
    int links = 0;
    return m_walk(&s->w, s->cwd ? s->cwd_file : 0, path, follow, &links, out);
}

static bool m_below(const struct m_world *w, int dir, int top)
{
    for (; dir != top; dir = w->f[dir].parent)
        if (dir == 0)
            return false;
    return true;
}

static void m_write(struct m_file *f, const char *p, size_t n, size_t off)
{
    if (n == 0)
        return;
    if (off + n > f->size) {
        f->data = realloc(f->data, off + n + 1);
        memset(f->data + f->size, 0, off + n - f->size);
        f->size = off + n;
    }
    memcpy(f->data + off, p, n);
}

static void m_truncate(struct m_file *f, size_t size)
{
    f->data = realloc(f->data, size + 1);
    if (size > f->size)
        memset(f->data + f->size, 0, size - f->size);
    f->size = size;
}

/* ---- comparison ------------------------------------------------------------------------------ */

static void m_model_path(const struct m_world *w, int dir, const char *name, char *out)
{
    char tail[M_PATH * 4] = "", t[M_PATH * 4 + 8];
    if (name)
        snprintf(tail, sizeof tail, "/%s", name);
    for (; dir != 0; dir = w->f[dir].parent) {
        const struct m_file *p = &w->f[w->f[dir].parent];
        for (int i = 0; i < p->n; i++)
            if (p->e[i].file == dir) {
                snprintf(t, sizeof t, "/%s%s", p->e[i].name, tail);
                memcpy(tail, t, sizeof tail);
            }
    }
    snprintf(out, M_PATH * 4, "%s", *tail ? tail : "/");
}

static int m_subdirs(const struct m_world *w, const struct m_file *d)
{
    int n = 0;
    for (int i = 0; i < d->n; i++)
        n += WK_S_ISDIR(w->f[d->e[i].file].mode);
    return n;
}

static void m_check_stat(struct m_run *r, const struct m_world *w, int file,
                         const struct wk_stat *st, const char *path)
{
    const struct m_file *f = &w->f[file];
    bool dir = WK_S_ISDIR(f->mode);
    int nlink = dir ? (f->nlink || file == 0 ? 2 + m_subdirs(w, f) : 0) : f->nlink;
    M_CHECK(st->mode == f->mode, "%s %o %o", path, st->mode, f->mode);
    M_CHECK((int)st->nlink == nlink, "%s %u %d", path, st->nlink, nlink);
    M_CHECK(dir || st->size == f->size, "%s %llu %zu", path, (unsigned long long)st->size, f->size);
}

static void m_check_file(struct m_run *r, struct wk_vfile *h, const struct m_file *f)
{
    char *got = malloc(f->size + 2);
    int64_t n = wk_vfile_pread(h, got, f->size + 1, 0);
    M_CHECK(n == (int64_t)f->size, "%lld %zu", (long long)n, f->size);
    M_CHECK(n == 0 || memcmp(got, f->data, f->size) == 0, "contents");
    memset(got, 1, f->size + 1);
    struct wk_vpin pin = {0};
    const void *p;
    for (size_t at = 0; at < f->size; at += (size_t)n) {
        n = wk_vfile_borrow(h, (int64_t)at, f->size, &pin, &p);
        M_CHECK(n > 0 && memcmp(p, f->data + at, (size_t)n) == 0, "borrowed at %zu", at);
    }
    wk_vpin_drop(&pin);
    free(got);
}

static void m_check_dir(struct m_run *r, struct wk_vfs *v, const struct m_world *w, int dir)
{
    char path[M_PATH * 4], sub[M_PATH * 4];
    struct wk_vlist *l;
    struct wk_dirent e;
    int n = 0;
    m_model_path(w, dir, NULL, path);
    M_CHECK(wk_vfs_opendir(v, &m_root, NULL, wk_str_c(path), &l) == 0, "%s", path);
    while (wk_vlist_next(l, &e) == 1) {
        int i = m_find(&w->f[dir], e.name.p);
        M_CHECK(i >= 0, "%s/%s is too many", path, e.name.p);
        int file = w->f[dir].e[i].file;
        struct wk_stat st;
        m_model_path(w, dir, e.name.p, sub);
        M_CHECK(wk_vfs_stat(v, &m_root, NULL, wk_str_c(sub), WK_AT_NOFOLLOW, &st) == 0, "%s", sub);
        M_CHECK(e.ino == st.ino && e.type == (st.mode & WK_S_IFMT), "%s", sub);
        m_check_stat(r, w, file, &st, sub);
        if (WK_S_ISREG(st.mode)) {
            struct wk_vfile *h;
            M_CHECK(wk_vfs_open(v, &m_root, NULL, wk_str_c(sub), WK_O_RDONLY, 0, &h) == 0, "%s",
                    sub);
            m_check_file(r, h, &w->f[file]);
            wk_vfile_unref(h);
        } else if (WK_S_ISDIR(st.mode)) {
            m_check_dir(r, v, w, file);
        }
        n++;
    }
    M_CHECK(n == w->f[dir].n, "%s has %d of %d", path, n, w->f[dir].n);
    wk_vlist_close(l);
}

static void m_check_session(struct m_run *r, struct m_session *s)
{
    uint64_t bytes, inodes, want = 0;
    m_check_dir(r, s->v, &s->w, 0);
    for (int i = 0; i < M_HANDLES; i++) {
        struct wk_stat st;
        if (!s->h[i])
            continue;
        M_CHECK(wk_vfile_stat(s->h[i], &st) == 0, "handle %d", i);
        m_check_stat(r, &s->w, s->hf[i], &st, "handle");
        m_check_file(r, s->h[i], &s->w.f[s->hf[i]]);
    }
    for (int i = 0; i < M_FILES; i++)
        want += s->w.f[i].used;
    wk_vfs_usage(s->v, &bytes, &inodes);
    M_CHECK(inodes == want, "%llu inodes, %llu wanted", (unsigned long long)inodes,
            (unsigned long long)want);
}

/* ---- operations ------------------------------------------------------------------------------ */

static void m_path(struct m_run *r, char *out)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "ab", "..", "f"};
    uint8_t b = m_byte(r);
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i <= (b & 3); i++)
        n += (size_t)snprintf(out + n, M_PATH - n, "%s%s", i || !(b & 4) ? "/" : "",
                              names[m_byte(r) & 7]);
}

static bool m_cwd_gone(const struct m_session *s)
{
    return s->cwd && s->cwd_file != 0 && s->w.f[s->cwd_file].nlink == 0;
}

/* Compares answers; true when the model should follow. */
static bool m_agree(struct m_run *r, struct m_session *s, int got, int want, const char *what)
{
    bool fault = r->torture && s->mem->fail_at && s->mem->count >= s->mem->fail_at;
    s->mem->fail_at = 0;
    if (fault && got == -WK_ENOMEM)
        return false;
    M_CHECK(got == want, "%s: %d, model %d", what, got, want);
    return got == 0;
}

static void m_arm(struct m_run *r, struct m_session *s)
{
    if (r->torture) {
        uint8_t b = m_byte(r);
        s->mem->fail_at = b & 1 ? s->mem->count + 1 + (b >> 1) % 24 : 0;
        s->mem->fail_forever = b & 128;
    }
}

static void m_op_make(struct m_run *r, struct m_session *s, uint32_t type)
{
    char p[M_PATH], text[M_PATH];
    struct m_place at;
    m_path(r, p);
    m_path(r, text);
    int want = m_resolve(s, p, false, &at);
    if (!want)
        want = at.file >= 0 ? -WK_EEXIST : s->w.f[at.dir].nlink == 0 && at.dir ? -WK_ENOENT : 0;
    m_arm(r, s);
    int got = type == WK_S_IFDIR ? wk_vfs_mkdir(s->v, &m_root, s->cwd, wk_str_c(p), 0755)
              : type == WK_S_IFLNK
                  ? wk_vfs_symlink(s->v, &m_root, s->cwd, wk_str_c(text), wk_str_c(p))
                  : wk_vfs_mknod(s->v, &m_root, s->cwd, wk_str_c(p), type | 0644, 0);
    if (!m_agree(r, s, got, want, p))
        return;
    int f = m_new(r, &s->w, type | (type == WK_S_IFDIR ? 0755 : type == WK_S_IFLNK ? 0777 : 0644));
    if (f < 0 || !m_add(r, &s->w, at.dir, at.last, f)) {
        r->failed = true;
        return;
    }
    if (type == WK_S_IFLNK)
        m_write(&s->w.f[f], text, strlen(text), 0);
}

static void m_op_remove(struct m_run *r, struct m_session *s, bool dir)
{
    char p[M_PATH];
    struct m_place at;
    m_path(r, p);
    int want = m_resolve(s, p, false, &at);
    if (!want && at.dots) {
        /* "." is never generated, so dots means ".." at the end, or "/" */
        size_t n = strlen(p);
        bool up = n >= 2 && strcmp(p + n - 2, "..") == 0;
        want = !dir ? -WK_EISDIR : up ? -WK_ENOTEMPTY : -WK_EBUSY;
    } else if (!want) {
        bool is = at.file >= 0 && WK_S_ISDIR(s->w.f[at.file].mode);
        want = at.file < 0 ? -WK_ENOENT : dir && !is ? -WK_ENOTDIR : !dir && is ? -WK_EISDIR : 0;
        if (!want && dir && s->w.f[at.file].n > 0)
            want = -WK_ENOTEMPTY;
    }
    m_arm(r, s);
    int got = dir ? wk_vfs_rmdir(s->v, &m_root, s->cwd, wk_str_c(p))
                  : wk_vfs_unlink(s->v, &m_root, s->cwd, wk_str_c(p));
    if (!m_agree(r, s, got, want, p))
        return;
    m_cut(&s->w.f[at.dir], at.last);
    m_drop(s, at.file);
}

static int m_rename_rules(struct m_session *s, const struct m_place *a, const struct m_place *b,
                          int flags)
{
    struct m_file *f = s->w.f;
    bool swap = flags & WK_AT_EXCHANGE;
    if (a->dots || b->dots)
        return -WK_EBUSY;
    if (a->file < 0)
        return -WK_ENOENT;
    if (swap && b->file < 0)
        return -WK_ENOENT;
    if (b->file >= 0 && (flags & WK_AT_NOREPLACE))
        return -WK_EEXIST;
    bool dir = WK_S_ISDIR(f[a->file].mode);
    if (dir && m_below(&s->w, b->dir, a->file))
        return -WK_EINVAL;
    if (b->file >= 0 && WK_S_ISDIR(f[b->file].mode) && m_below(&s->w, a->dir, b->file))
        return swap ? -WK_EINVAL : -WK_ENOTEMPTY;
    if (f[b->dir].nlink == 0 && b->dir)
        return -WK_ENOENT;
    if (b->file >= 0 && b->file != a->file && !swap) {
        bool to_dir = WK_S_ISDIR(f[b->file].mode);
        if (dir != to_dir)
            return dir ? -WK_ENOTDIR : -WK_EISDIR;
        if (to_dir && f[b->file].n > 0)
            return -WK_ENOTEMPTY;
    }
    return 0;
}

static void m_op_rename(struct m_run *r, struct m_session *s)
{
    static const int all_flags[] = {0, 0, 0, WK_AT_NOREPLACE, WK_AT_EXCHANGE};
    char p[M_PATH], q[M_PATH];
    struct m_place a, b;
    int flags = all_flags[m_byte(r) % 5];
    m_path(r, p);
    m_path(r, q);
    int want = m_resolve(s, p, false, &a);
    if (!want)
        want = m_resolve(s, q, false, &b);
    if (!want)
        want = m_rename_rules(s, &a, &b, flags);
    m_arm(r, s);
    int got = wk_vfs_rename(s->v, &m_root, s->cwd, wk_str_c(p), s->cwd, wk_str_c(q), flags);
    if (!m_agree(r, s, got, want, p) || a.file == b.file)
        return;
    struct m_file *d = &s->w.f[a.dir], *e = &s->w.f[b.dir];
    if (flags == WK_AT_EXCHANGE) {
        d->e[m_find(d, a.last)].file = b.file;
        e->e[m_find(e, b.last)].file = a.file;
        if (WK_S_ISDIR(s->w.f[a.file].mode))
            s->w.f[a.file].parent = b.dir;
        if (WK_S_ISDIR(s->w.f[b.file].mode))
            s->w.f[b.file].parent = a.dir;
        return;
    }
    if (b.file >= 0) {
        m_cut(e, b.last);
        m_drop(s, b.file);
    }
    m_cut(d, a.last);
    m_add(r, &s->w, b.dir, b.last, a.file);
}

static void m_op_link(struct m_run *r, struct m_session *s)
{
    char p[M_PATH], q[M_PATH];
    struct m_place a, b;
    m_path(r, p);
    m_path(r, q);
    int want = m_resolve(s, p, false, &a);
    if (!want && a.file < 0)
        want = -WK_ENOENT;
    if (!want)
        want = m_resolve(s, q, false, &b);
    if (!want)
        want = b.file >= 0                         ? -WK_EEXIST
               : s->w.f[b.dir].nlink == 0 && b.dir ? -WK_ENOENT
               : WK_S_ISDIR(s->w.f[a.file].mode)   ? -WK_EPERM
                                                   : 0;
    m_arm(r, s);
    int got = wk_vfs_link(s->v, &m_root, s->cwd, wk_str_c(p), s->cwd, wk_str_c(q), 0);
    if (m_agree(r, s, got, want, p) && m_add(r, &s->w, b.dir, b.last, a.file))
        s->w.f[a.file].nlink++;
}

static void m_close(struct m_session *s, int i)
{
    if (!s->h[i])
        return;
    wk_vfile_unref(s->h[i]);
    s->h[i] = NULL;
    struct m_file *f = &s->w.f[s->hf[i]];
    if (f->nlink == 0 && !m_is_open(s, s->hf[i]))
        m_free_file(f);
}

static void m_op_open(struct m_run *r, struct m_session *s)
{
    char p[M_PATH];
    struct m_place at;
    uint8_t b = m_byte(r);
    int i = b % M_HANDLES;
    uint32_t flags = WK_O_RDWR | (b & 16 ? WK_O_CREAT : 0) | (b & 32 ? WK_O_TRUNC : 0) |
                     (b & 64 ? WK_O_EXCL : 0) | (b & 128 ? WK_O_NOFOLLOW : 0);
    m_path(r, p);
    m_close(s, i);
    bool creates = flags & WK_O_CREAT, excl = creates && (flags & WK_O_EXCL);
    int want = m_resolve(s, p, !excl && !(flags & WK_O_NOFOLLOW), &at);
    if (!want && at.file < 0)
        want = !creates ? -WK_ENOENT : s->w.f[at.dir].nlink == 0 && at.dir ? -WK_ENOENT : 0;
    else if (!want)
        want = excl                               ? -WK_EEXIST
               : WK_S_ISLNK(s->w.f[at.file].mode) ? -WK_ELOOP
               : WK_S_ISDIR(s->w.f[at.file].mode) ? -WK_EISDIR
                                                  : 0;
    m_arm(r, s);
    int got = wk_vfs_open(s->v, &m_root, s->cwd, wk_str_c(p), flags, 0600, &s->h[i]);
    if (!m_agree(r, s, got, want, p)) {
        s->h[i] = NULL;
        return;
    }
    if (at.file < 0) {
        at.file = m_new(r, &s->w, WK_S_IFREG | 0600);
        if (at.file < 0 || !m_add(r, &s->w, at.dir, at.last, at.file))
            r->failed = true;
    } else if (flags & WK_O_TRUNC) {
        m_truncate(&s->w.f[at.file], 0);
    }
    s->hf[i] = at.file;
}

static void m_op_io(struct m_run *r, struct m_session *s, uint8_t kind)
{
    static char bytes[40000];
    int i = m_byte(r) % M_HANDLES;
    size_t off = (size_t)m_byte(r) * 211, n = (size_t)m_byte(r) * (m_byte(r) & 1 ? 150 : 1);
    int64_t got, end = 0;
    if (!s->h[i])
        return;
    struct m_file *f = &s->w.f[s->hf[i]];
    memset(bytes, 'A' + r->step % 26, sizeof bytes);
    m_arm(r, s);
    if (kind == 0) {
        got = wk_vfile_pwrite(s->h[i], bytes, n, (int64_t)off);
    } else if (kind == 1) {
        off = f->size;
        got = off > 200000 ? 0 : wk_vfile_append(s->h[i], bytes, n, &end);
    } else if (kind == 2) {
        off *= 2;
        got = wk_vfile_truncate(s->h[i], (int64_t)off);
        if (m_agree(r, s, (int)got, 0, "truncate"))
            m_truncate(f, off);
        return;
    } else {
        int j = m_byte(r) % M_HANDLES;
        if (!s->h[j])
            return;
        got = wk_vfile_clone(s->h[i], s->h[j]);
        if (m_agree(r, s, (int)got, s->hf[i] == s->hf[j] ? -WK_EINVAL : 0, "clone")) {
            m_truncate(f, 0);
            m_write(f, s->w.f[s->hf[j]].data, s->w.f[s->hf[j]].size, 0);
            m_truncate(f, s->w.f[s->hf[j]].size);
        }
        return;
    }
    s->mem->fail_at = 0;
    M_CHECK(got == (int64_t)n ||
                (r->torture && (got == -WK_ENOMEM || (got >= 0 && got < (int64_t)n))),
            "write gave %lld", (long long)got);
    if (got > 0)
        m_write(f, bytes, (size_t)got, off);
}

static void m_op_chmod(struct m_run *r, struct m_session *s)
{
    char p[M_PATH];
    struct m_place at;
    uint32_t mode = 0400U | m_byte(r);
    m_path(r, p);
    int want = m_resolve(s, p, true, &at);
    if (!want && at.file < 0)
        want = -WK_ENOENT;
    m_arm(r, s);
    int got = wk_vfs_chmod(s->v, &m_root, s->cwd, wk_str_c(p), 0, mode);
    if (m_agree(r, s, got, want, p))
        s->w.f[at.file].mode = (s->w.f[at.file].mode & WK_S_IFMT) | mode;
}

static void m_leave(struct m_session *s)
{
    if (!s->cwd)
        return;
    wk_vdir_unref(s->cwd);
    s->cwd = NULL;
    struct m_file *f = &s->w.f[s->cwd_file];
    if (s->cwd_file && f->nlink == 0 && !m_is_open(s, s->cwd_file))
        m_free_file(f);
}

static void m_op_cd(struct m_run *r, struct m_session *s)
{
    char p[M_PATH], want_path[M_PATH * 4];
    struct m_place at;
    struct wk_vdir *d;
    m_path(r, p);
    int want = m_resolve(s, p, true, &at);
    if (!want)
        want = at.file < 0 ? -WK_ENOENT : WK_S_ISDIR(s->w.f[at.file].mode) ? 0 : -WK_ENOTDIR;
    m_arm(r, s);
    int got = wk_vfs_dir(s->v, &m_root, s->cwd, wk_str_c(p), &d);
    if (!m_agree(r, s, got, want, p))
        return;
    m_leave(s);
    s->cwd = d;
    s->cwd_file = at.file;
    struct wk_buf b;
    wk_buf_init(&b, r->mem, 65536);
    M_CHECK(wk_vdir_path(d, &b) == 0, "%s", p);
    m_model_path(&s->w, at.file, NULL, want_path);
    M_CHECK(strcmp(wk_buf_c(&b), want_path) == 0, "%s %s", wk_buf_c(&b), want_path);
    wk_buf_release(&b);
}

/* ---- versions -------------------------------------------------------------------------------- */

static void m_op_snapshot(struct m_run *r, struct m_session *s)
{
    struct m_snap *k = &r->snap[m_byte(r) % M_SNAPS];
    if (k->s)
        wk_snapshot_unref(k->s);
    M_CHECK(wk_vfs_snapshot(s->v, &k->s) == 0, "snapshot");
    m_copy(&k->w, &s->w);
}

/* The model's handles after the world was replaced: bound by identity, or to nameless copies. */
static int m_rebind(struct m_run *r, struct m_world *w, const struct m_file *old)
{
    for (int i = 0; i < M_FILES; i++)
        if (w->f[i].used && w->f[i].id == old->id)
            return i;
    for (int i = 1; i < M_FILES; i++) {
        if (w->f[i].used)
            continue;
        m_copy_file(&w->f[i], old);
        w->f[i].nlink = 0;
        w->f[i].n = 0;
        return i;
    }
    r->failed = true;
    return -1;
}

static void m_op_restore(struct m_run *r, struct m_session *s)
{
    struct m_snap *k = &r->snap[m_byte(r) % M_SNAPS];
    if (!k->s)
        return;
    M_CHECK(wk_vfs_restore(s->v, k->s, true) == -WK_EBUSY, "busy");
    m_arm(r, s);
    if (!m_agree(r, s, wk_vfs_restore(s->v, k->s, false), 0, "restore"))
        return;
    static struct m_world w;
    m_copy(&w, &k->w);
    for (int i = 0; i < M_HANDLES; i++)
        if (s->h[i])
            s->hf[i] = m_rebind(r, &w, &s->w.f[s->hf[i]]);
    if (s->cwd)
        s->cwd_file = m_rebind(r, &w, &s->w.f[s->cwd_file]);
    m_clear(&s->w);
    s->w = w;
    memset(&w, 0, sizeof w);
}

static void m_end_session(struct m_run *r, struct m_session *s)
{
    if (!s->v)
        return;
    for (int i = 0; i < M_HANDLES; i++)
        m_close(s, i);
    m_leave(s);
    m_check_session(r, s);
    M_CHECK(wk_vfs_open_count(s->v) == 0, "handles");
    wk_vfs_free(s->v);
    s->v = NULL;
    m_clear(&s->w);
}

static int64_t m_clock(void *ctx)
{
    (void)ctx;
    return 1;
}

/* A session from a snapshot or from nothing, in the place of another. */
static void m_op_fork(struct m_run *r, struct m_session *s, struct m_snap *from)
{
    m_end_session(r, s);
    struct wk_vfs_config c = {.hub = r->hub,
                              .limits = wk_vfs_limits_default(),
                              .base = from ? from->s : NULL,
                              .now = m_clock};
    M_CHECK(wk_vfs_new(s->mem, &c, &s->v) == 0, "new");
    if (from && from->s) {
        m_copy(&s->w, &from->w);
    } else {
        s->w.f[0] = (struct m_file){.used = true, .id = ++r->next_id, .mode = WK_S_IFDIR | 0755};
    }
}

struct m_diff {
    struct m_run *r;
    const struct m_world *a, *b;
    int added, removed, changed;
};

static int m_by_path(const struct m_world *w, struct wk_str path)
{
    char p[M_PATH * 4];
    struct m_place at;
    int links = 0;
    snprintf(p, sizeof p, "%.*s", (int)path.n, path.p);
    return m_walk(w, 0, p, false, &links, &at) == 0 ? at.file : -1;
}

static bool m_same_contents(const struct m_file *a, const struct m_file *b)
{
    return a->mode == b->mode && a->size == b->size &&
           (!a->size || !memcmp(a->data, b->data, a->size));
}

static int m_saw(void *ctx, const struct wk_diff_entry *e)
{
    struct m_diff *d = ctx;
    struct m_run *r = d->r;
    const struct m_world *w = e->kind == WK_DIFF_REMOVED ? d->a : d->b;
    int f = m_by_path(w, e->path);
    M_CHECK(f >= 0, "diff names %.*s (%d)", (int)e->path.n, e->path.p, e->kind);
    M_CHECK(w->f[f].mode == e->mode, "%.*s", (int)e->path.n, e->path.p);
    d->added += e->kind == WK_DIFF_ADDED;
    d->removed += e->kind == WK_DIFF_REMOVED;
    if (e->kind == WK_DIFF_CHANGED) {
        bool content = false;
        for (int i = 0; i < M_FILES; i++)
            if (d->a->f[i].used && d->a->f[i].id == w->f[f].id)
                content = !WK_S_ISDIR(w->f[f].mode) && !m_same_contents(&d->a->f[i], &w->f[f]);
        d->changed += content;
    }
    return 0;
}

/* Names (directory identity, name, file identity) of `a` that b lacks; *both: those in both whose
 * contents or mode differ. */
static int m_lacking(const struct m_world *a, const struct m_world *b, int *differ)
{
    int n = 0;
    for (int i = 0; i < M_FILES; i++) {
        for (int k = 0; a->f[i].used && k < a->f[i].n; k++) {
            const struct m_file *f = &a->f[a->f[i].e[k].file], *found = NULL;
            for (int j = 0; j < M_FILES; j++) {
                int x = b->f[j].used && b->f[j].id == a->f[i].id
                            ? m_find(&b->f[j], a->f[i].e[k].name)
                            : -1;
                if (x >= 0 && b->f[b->f[j].e[x].file].id == f->id)
                    found = &b->f[b->f[j].e[x].file];
            }
            n += !found;
            *differ += found && !WK_S_ISDIR(f->mode) && !m_same_contents(f, found);
        }
    }
    return n;
}

static void m_op_diff(struct m_run *r)
{
    struct m_snap *a = &r->snap[m_byte(r) % M_SNAPS], *b = &r->snap[m_byte(r) % M_SNAPS];
    if (!a->s || !b->s)
        return;
    struct m_diff d = {.r = r, .a = &a->w, .b = &b->w};
    int unused = 0, differ = 0;
    M_CHECK(wk_snapshot_diff(r->mem, a->s, b->s, m_saw, &d) == 0, "diff");
    int removed = m_lacking(&a->w, &b->w, &differ), added = m_lacking(&b->w, &a->w, &unused);
    M_CHECK(d.removed == removed, "%d removed, %d wanted", d.removed, removed);
    M_CHECK(d.added == added, "%d added, %d wanted", d.added, added);
    M_CHECK(d.changed == differ, "%d changed, %d wanted", d.changed, differ);
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Operations on names, by weight. */
static void m_name_op(struct m_run *r, struct m_session *s, uint8_t op)
{
    static const uint32_t made[] = {WK_S_IFDIR, WK_S_IFDIR, WK_S_IFLNK, WK_S_IFREG, WK_S_IFREG};
    if (op < 5)
        m_op_make(r, s, made[op]);
    else if (op < 8)
        m_op_remove(r, s, op == 7);
    else if (op < 11)
        m_op_rename(r, s);
    else if (op < 13)
        m_op_link(r, s);
    else
        m_op_open(r, s);
}

static void m_other_op(struct m_run *r, struct m_session *s, uint8_t op)
{
    if (op < 21)
        m_op_io(r, s, op < 17 ? 0 : op - 17);
    else if (op == 21)
        m_close(s, m_byte(r) % M_HANDLES);
    else if (op == 22)
        m_op_chmod(r, s);
    else if (op == 23)
        m_op_cd(r, s);
    else if (op == 24)
        m_leave(s);
    else if (op < 27)
        m_op_snapshot(r, s);
    else if (op == 27)
        m_op_restore(r, s);
    else if (op == 28)
        m_op_fork(r, s, &r->snap[m_byte(r) % M_SNAPS]);
    else if (op == 29)
        m_op_diff(r);
    else if (op == 30)
        wk_vfs_tidy(s->v, m_byte(r));
    else
        m_check_session(r, s);
}

static void m_step(struct m_run *r)
{
    uint8_t op = m_byte(r);
    struct m_session *s = &r->s[op >> 5 & 1 ? (op >> 6) % M_SESSIONS : 0];
    if (m_cwd_gone(s)) /* `..` of a removed directory is for the unit tests */
        m_leave(s);
    op &= 31;
    if (op < 16)
        m_name_op(r, s, op);
    else
        m_other_op(r, s, op);
    s->mem->fail_at = 0;
}

static void m_run_bytes(const uint8_t *in, size_t n, bool torture, uint64_t seed)
{
    static struct m_run run;
    struct m_run *r = &run;
    memset(r, 0, sizeof *r);
    r->in = in;
    r->n = n;
    r->torture = torture;
    r->seed = seed;
    r->hub = wk_vfs_hub_new();
    r->mem = wk_mem_new(SIZE_MAX);
    for (int i = 0; i < M_SESSIONS; i++) {
        r->s[i].mem = wk_mem_new(SIZE_MAX);
        m_op_fork(r, &r->s[i], NULL);
    }
    for (; r->at < r->n && !r->failed; r->step++) {
        m_step(r);
        if (!r->failed && r->step % 16 == 0)
            m_check_session(r, &r->s[r->step / 16 % M_SESSIONS]);
    }
    for (int i = 0; i < M_SESSIONS; i++) {
        if (r->failed) { /* the model stopped in the middle: only give everything back */
            for (int k = 0; k < M_HANDLES; k++)
                wk_vfile_unref(r->s[i].h[k]);
            wk_vdir_unref(r->s[i].cwd);
            wk_vfs_free(r->s[i].v);
            m_clear(&r->s[i].w);
        } else {
            m_end_session(r, &r->s[i]);
        }
    }
    for (int i = 0; i < M_SNAPS; i++) {
        if (r->snap[i].s)
            wk_snapshot_unref(r->snap[i].s);
        m_clear(&r->snap[i].w);
    }
    wk_vfs_hub_unref(r->hub);
    M_CHECK(wk_mem_used(r->mem) == 0, "diff memory");
    wk_mem_unref(r->mem);
    for (int i = 0; i < M_SESSIONS; i++) {
        M_CHECK(wk_mem_used(r->s[i].mem) == 0, "%zu bytes left in %d", wk_mem_used(r->s[i].mem), i);
        wk_mem_unref(r->s[i].mem);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[4000];
    if (size > 8 && size <= 1 << 16)
        m_run_bytes(data + 1, size - 1, data[0] & 1, 0);
    if (size == 0 || size > 8)
        return 0;
    uint64_t seed = 0;
    memcpy(&seed, data, size);
    uint64_t s = seed;
    for (size_t i = 0; i < sizeof bytes; i++) {
        s = s * UINT64_C(6364136223846793005) + 1442695040888963407;
        bytes[i] = (uint8_t)(s >> 40);
    }
    m_run_bytes(bytes, sizeof bytes, data[0] & 1, seed);
    return 0;
}
