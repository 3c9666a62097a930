/* idnames.c - names of users and groups */
#include "builtins/idnames.h"

#include "base/num.h"
#include "builtins/fsops.h"

struct id_row {
    const char *name, *members;
    uint32_t id, group;
};

struct id_table {
    struct id_row *v;
    size_t n, cap;
    bool read;
};

struct wk_idnames {
    struct wk_cmd *c;
    struct id_table users, groups;
    uint32_t *more;
};

struct wk_idnames *wk_idnames_new(struct wk_cmd *c)
{
    struct wk_idnames *t = wk_new(c, struct wk_idnames);
    t->c = c;
    return t;
}

static void add_row(struct wk_cmd *c, struct id_table *k, const struct id_row *row)
{
    if (k->n == k->cap) {
        k->cap = k->cap ? k->cap * 2 : 32;
        k->v = (struct id_row *)wk_heap_realloc(c->heap, k->v, k->cap * sizeof *k->v);
    }
    k->v[k->n++] = *row;
}

static struct wk_str next_field(struct wk_str *line)
{
    ptrdiff_t at = wk_str_chr(*line, ':');
    struct wk_str f = at < 0 ? *line : wk_str_take(*line, (size_t)at);
    *line = at < 0 ? wk_str_from(*line, line->n) : wk_str_from(*line, (size_t)at + 1);
    return f;
}

/* name:password:id:… ; the fourth field is a group id (users) or a list of members (groups). */
static void read_table(struct wk_cmd *c, struct id_table *k, const char *path, bool users)
{
    struct wk_file *f;
    struct wk_str line;
    k->read = true;
    if (wk_cmd_open(c, path, WK_O_RDONLY, 0, &f) == 0) {
        struct wk_in *in = wk_in_of(c, f, path);
        in->owned = true;
        while (wk_line_next(in, '\n', &line)) {
            struct id_row row = {0};
            uint64_t id, group = 0;
            struct wk_str name = next_field(&line);
            (void)next_field(&line);
            struct wk_str number = next_field(&line), fourth = next_field(&line);
            if (name.n == 0 || wk_parse_u64(number, 10, &id) || id > UINT32_MAX)
                continue;
            if (users && (wk_parse_u64(fourth, 10, &group) || group > UINT32_MAX))
                group = id;
            row.name = wk_dupn(c, name.p, name.n);
            row.members = users ? "" : wk_dupn(c, fourth.p, fourth.n);
            row.id = (uint32_t)id;
            row.group = (uint32_t)group;
            add_row(c, k, &row);
            wk_tick(c, 16);
        }
        wk_in_close(in);
    }
    const char *me = users || strcmp(c->k->user, "root") != 0 ? c->k->user : "root";
    const struct id_row own[] = {{"root", "", 0, 0},
                                 {me, "", users ? c->k->uid : c->k->gid, c->k->gid},
                                 {users ? "nobody" : "nogroup", "", 65534, 65534}};
    for (size_t i = 0; i < WK_COUNTOF(own); i++)
        add_row(c, k, &own[i]);
}

static struct id_table *users(struct wk_idnames *t)
{
    if (!t->users.read)
        read_table(t->c, &t->users, "/etc/passwd", true);
    return &t->users;
}

static struct id_table *groups(struct wk_idnames *t)
{
    if (!t->groups.read)
        read_table(t->c, &t->groups, "/etc/group", false);
    return &t->groups;
}

static const struct id_row *by_id(const struct id_table *k, uint32_t id)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->v[i].id == id && *k->v[i].name)
            return &k->v[i];
    return NULL;
}

static const struct id_row *by_name(const struct id_table *k, const char *name)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->v[i].name, name) == 0)
            return &k->v[i];
    return NULL;
}

const char *wk_user_name(struct wk_idnames *t, uint32_t uid)
{
    const struct id_row *row = by_id(users(t), uid);
    return row ? row->name : NULL;
}

const char *wk_group_name(struct wk_idnames *t, uint32_t gid)
{
    const struct id_row *row = by_id(groups(t), gid);
    return row ? row->name : NULL;
}

static bool find_id(const struct id_table *k, const char *name, bool numbers, uint32_t *id)
{
    const struct id_row *row = by_name(k, name);
    uint64_t v;
    if (row) {
        *id = row->id;
        return true;
    }
    if (!numbers || wk_parse_u64(wk_str_c(name + (*name == '+')), 10, &v) || v >= UINT32_MAX)
        return false;
    *id = (uint32_t)v;
    return true;
}

bool wk_user_id(struct wk_idnames *t, const char *name, bool numbers, uint32_t *uid)
{
    return find_id(users(t), name, numbers, uid);
}

bool wk_group_id(struct wk_idnames *t, const char *name, bool numbers, uint32_t *gid)
{
    return find_id(groups(t), name, numbers, gid);
}

bool wk_user_group(struct wk_idnames *t, uint32_t uid, uint32_t *gid)
{
    const struct id_row *row = by_id(users(t), uid);
    if (row)
        *gid = row->group;
    return row != NULL;
}

static bool lists(const char *members, const char *user)
{
    size_t n = strlen(user);
    for (const char *p = members; n && *p;) {
        size_t k = strcspn(p, ",");
        if (k == n && memcmp(p, user, n) == 0)
            return true;
        p += k + (p[k] == ',');
    }
    return false;
}

size_t wk_user_groups(struct wk_idnames *t, const char *user, const uint32_t **ids)
{
    struct id_table *k = groups(t);
    size_t n = 0;
    t->more = (uint32_t *)wk_heap_realloc(t->c->heap, t->more, (k->n + 1) * sizeof *t->more);
    for (size_t i = 0; i < k->n; i++)
        if (lists(k->v[i].members, user))
            t->more[n++] = k->v[i].id;
    *ids = t->more;
    return n;
}
