/* root_tree.c - the files every session starts from: built once a runtime, shared by all */
#include "api/internal.h"

static const char passwd_text[] = "root:x:0:0:root:/root:/bin/bash\n"
                                  "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
                                  "user:x:1000:1000:user:/home/user:/bin/bash\n";
static const char group_text[] = "root:x:0:\n"
                                 "nogroup:x:65534:\n"
                                 "user:x:1000:\n";
static const char os_release_text[] = "PRETTY_NAME=\"whelk 0.1\"\n"
                                      "NAME=\"whelk\"\n"
                                      "VERSION_ID=\"0.1\"\n"
                                      "ID=whelk\n";
static const char hosts_text[] = "127.0.0.1\tlocalhost\n";
static const char shells_text[] = "/bin/sh\n/bin/bash\n/usr/bin/sh\n/usr/bin/bash\n";

struct dir_row {
    const char *path;
    uint32_t mode, uid;
};
static const struct dir_row dirs[] = {
    {"bin", 0, 0}, /* links follow below */
    {"boot", 0755, 0},
    {"dev", 0755, 0},
    {"etc", 0755, 0},
    {"home", 0755, 0},
    {"home/user", 0755, 1000},
    {"media", 0755, 0},
    {"mnt", 0755, 0},
    {"opt", 0755, 0},
    {"proc", 0555, 0},
    {"root", 0700, 0},
    {"run", 0755, 0},
    {"srv", 0755, 0},
    {"sys", 0555, 0},
    {"tmp", 01777, 0},
    {"usr", 0755, 0},
    {"usr/bin", 0755, 0},
    {"usr/lib", 0755, 0},
    {"usr/local", 0755, 0},
    {"usr/local/bin", 0755, 0},
    {"usr/sbin", 0755, 0},
    {"usr/share", 0755, 0},
    {"var", 0755, 0},
    {"var/log", 0755, 0},
    {"var/tmp", 01777, 0},
};

struct file_row {
    const char *dir, *name;
    const char *text;
    size_t n;
};
static const struct file_row files[] = {
    {"/etc", "passwd", passwd_text, sizeof passwd_text - 1},
    {"/etc", "group", group_text, sizeof group_text - 1},
    {"/etc", "os-release", os_release_text, sizeof os_release_text - 1},
    {"/etc", "hosts", hosts_text, sizeof hosts_text - 1},
    {"/etc", "shells", shells_text, sizeof shells_text - 1},
};

static int add_link(struct wk_vfs *v, const char *name, const char *target, int64_t now)
{
    struct wk_vfs_entry e = {.name = wk_str_c(name),
                             .mode = WK_S_IFLNK | 0777,
                             .mtim = now,
                             .data = wk_str_c(target),
                             .borrowed = true};
    uint64_t ino;
    return wk_vfs_add(v, WK_ROOT_INO, &e, &ino);
}

static int add_dirs(struct wk_vfs *v, int64_t now)
{
    for (size_t i = 0; i < WK_COUNTOF(dirs); i++) {
        if (!dirs[i].mode)
            continue;
        const char *slash = strrchr(dirs[i].path, '/');
        uint64_t parent = WK_ROOT_INO, ino;
        if (slash) {
            char up[64] = "/";
            size_t n = (size_t)(slash - dirs[i].path);
            memcpy(up + 1, dirs[i].path, n);
            int r = wk_vfs_add_dirs(v, wk_str(up, n + 1), &parent);
            if (r < 0)
                return r;
        }
        struct wk_vfs_entry e = {.name = wk_str_c(slash ? slash + 1 : dirs[i].path),
                                 .mode = WK_S_IFDIR | dirs[i].mode,
                                 .uid = dirs[i].uid,
                                 .gid = dirs[i].uid,
                                 .mtim = now};
        int r = wk_vfs_add(v, parent, &e, &ino);
        if (r < 0)
            return r;
    }
    int r = add_link(v, "bin", "usr/bin", now);
    if (!r)
        r = add_link(v, "sbin", "usr/sbin", now);
    return r ? r : add_link(v, "lib", "usr/lib", now);
}

static int add_files(struct wk_vfs *v, int64_t now)
{
    for (size_t i = 0; i < WK_COUNTOF(files); i++) {
        uint64_t parent, ino;
        int r = wk_vfs_add_dirs(v, wk_str_c(files[i].dir), &parent);
        if (r < 0)
            return r;
        struct wk_vfs_entry e = {.name = wk_str_c(files[i].name),
                                 .mode = WK_S_IFREG | 0644,
                                 .mtim = now,
                                 .data = wk_str(files[i].text, files[i].n),
                                 .borrowed = true};
        r = wk_vfs_add(v, parent, &e, &ino);
        if (r < 0)
            return r;
    }
    return 0;
}

static int add_command(struct wk_vfs *v, uint64_t bin, struct wk_str name, int64_t now)
{
    char text[128];
    static const char magic[] = WK_COMMAND_MAGIC;
    size_t n = sizeof magic - 1;
    if (name.n > sizeof text - n - 1)
        return -WK_ENAMETOOLONG;
    memcpy(text, magic, n);
    memcpy(text + n, name.p, name.n);
    text[n + name.n] = '\n';
    struct wk_vfs_entry e = {
        .name = name, .mode = WK_S_IFREG | 0755, .mtim = now, .data = wk_str(text, n + name.n + 1)};
    uint64_t ino;
    int r = wk_vfs_add(v, bin, &e, &ino);
    return r == -WK_EEXIST ? 0 : r;
}

static int add_aliases(struct wk_vfs *v, uint64_t bin, const char *aliases, int64_t now)
{
    struct wk_str rest = wk_str_c(aliases);
    while (rest.n) {
        ptrdiff_t sp = wk_str_chr(rest, ' ');
        struct wk_str word = sp < 0 ? rest : wk_str_take(rest, (size_t)sp);
        int r = add_command(v, bin, word, now);
        if (r)
            return r;
        rest = sp < 0 ? wk_str(NULL, 0) : wk_str_from(rest, (size_t)sp + 1);
    }
    return 0;
}

static int add_commands(struct wk_vfs *v, int64_t now)
{
    uint64_t bin;
    int r = wk_vfs_add_dirs(v, WK_STR("/usr/bin"), &bin);
    for (size_t i = 0; !r && i < wk_command_list_n; i++) {
        r = add_command(v, bin, wk_str_c(wk_command_list[i]->name), now);
        if (!r && wk_command_list[i]->aliases)
            r = add_aliases(v, bin, wk_command_list[i]->aliases, now);
    }
    for (size_t i = 0; !r && i < wk_builtin_list_n; i++)
        if (wk_builtin_list[i]->flags & WK_BUILTIN_LEAF)
            r = add_command(v, bin, wk_str_c(wk_builtin_list[i]->name), now);
    return r;
}

static int64_t fixed_now(void *ctx)
{
    const struct wk_world *w = ctx;
    return w->realtime_ns(w->ctx);
}

int wk_root_tree_new(struct wk_mem *m, struct wk_vfs_hub *hub, const struct wk_world *world,
                     struct wk_snapshot **out)
{
    struct wk_world w = *world;
    struct wk_vfs_config config = {
        .hub = hub, .limits = wk_vfs_limits_default(), .now = fixed_now, .now_ctx = &w};
    struct wk_vfs *v;
    int r = wk_vfs_new(m, &config, &v);
    if (r)
        return r;
    int64_t now = world->realtime_ns(world->ctx);
    r = add_dirs(v, now);
    if (!r)
        r = add_files(v, now);
    if (!r)
        r = add_commands(v, now);
    if (!r)
        r = wk_vfs_snapshot(v, out);
    wk_vfs_free(v);
    return r;
}
