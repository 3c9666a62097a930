/* backup.c - backups of files that cp, mv, ln and install replace */
#include "builtins/backup.h"

#include "base/num.h"
#include "builtins/choice.h"

static const struct wk_choice kinds[] = {{"none", WK_BACKUP_NONE},
                                         {"off", WK_BACKUP_NONE},
                                         {"simple", WK_BACKUP_SIMPLE},
                                         {"never", WK_BACKUP_SIMPLE},
                                         {"existing", WK_BACKUP_EXISTING},
                                         {"nil", WK_BACKUP_EXISTING},
                                         {"numbered", WK_BACKUP_NUMBERED},
                                         {"t", WK_BACKUP_NUMBERED},
                                         {NULL, 0}};

enum wk_backup wk_backup_kind(struct wk_cmd *c, bool b_flag, const char *control, const char *suffix)
{
    if (!b_flag && !control && !suffix)
        return WK_BACKUP_NONE;
    if (control && *control)
        return (enum wk_backup)wk_choice_read(c, "backup type", control, kinds);
    const char *env = wk_cmd_env(c, "VERSION_CONTROL");
    if (env && *env)
        return (enum wk_backup)wk_choice_read(c, "$VERSION_CONTROL", env, kinds);
    return WK_BACKUP_EXISTING;
}

const char *wk_backup_suffix(struct wk_cmd *c, const char *option)
{
    const char *s = option ? option : wk_cmd_env(c, "SIMPLE_BACKUP_SUFFIX");
    return s && *s && !strchr(s, '/') ? s : "~";
}

/* The greatest N of base.~N~ in the directory, 0 when there is none. */
static uint64_t last_number(struct wk_cmd *c, struct wk_vdir *dir, const char *where, const char *base,
                            size_t base_n)
{
    struct wk_vlist *list;
    struct wk_dirent e;
    uint64_t most = 0, v;
    if (wk_at_list(c, dir, where, &list))
        return 0;
    while (wk_vlist_next(list, &e) > 0) { /* never parks: the list needs no owner */
        struct wk_str s = e.name;
        if (s.n < base_n + 4 || memcmp(s.p, base, base_n) != 0 || s.p[base_n] != '.' ||
            s.p[base_n + 1] != '~' || s.p[s.n - 1] != '~')
            continue;
        if (wk_parse_u64(wk_str(s.p + base_n + 2, s.n - base_n - 3), 10, &v) == 0 && v > most &&
            v < UINT64_MAX)
            most = v;
    }
    wk_vlist_close(list);
    return most;
}

char *wk_backup_name(struct wk_cmd *c, struct wk_vdir *dir, const char *path, enum wk_backup kind,
                     const char *suffix)
{
    char *bare = wk_dup(c, path);
    size_t n;
    wk_strip_slashes(bare);
    if (kind != WK_BACKUP_SIMPLE) {
        const char *base = wk_last_component(bare, &n);
        char *where = base > bare ? wk_dupn(c, bare, (size_t)(base - bare)) : wk_dup(c, ".");
        uint64_t last = last_number(c, dir, where, base, n);
        if (last || kind == WK_BACKUP_NUMBERED)
            return wk_strf(c, "%s.~%llu~", bare, (unsigned long long)last + 1);
    }
    return wk_strf(c, "%s%s", bare, suffix);
}
