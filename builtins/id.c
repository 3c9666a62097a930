/* id.c - print user and group ids
 *
 * Standard: GNU coreutils 9.1. Oracle: id.
 */
#include "builtins/idnames.h"

struct id_opts {
    bool ignored, context, group, groups, names, real, user, zero;
};

#define ID struct id_opts

static const struct wk_opt id_options[] = {
    WK_FLAG(ID, ignored, 'a', NULL, "ignore, for compatibility with other versions"),
    WK_FLAG(ID, context, 'Z', "context", "print only the security context of the process"),
    WK_FLAG(ID, group, 'g', "group", "print only the effective group ID"),
    WK_FLAG(ID, groups, 'G', "groups", "print all group IDs"),
    WK_FLAG(ID, names, 'n', "name", "print a name instead of a number, for -ugG"),
    WK_FLAG(ID, real, 'r', "real", "print the real ID instead of the effective ID, with -ugG"),
    WK_FLAG(ID, user, 'u', "user", "print only the effective user ID"),
    WK_FLAG(
        ID, zero, 'z', "zero",
        "delimit entries with NUL characters, not whitespace;\nnot permitted in default format"),
    WK_OPTS_END,
};

struct id_state {
    struct wk_cmd *c;
    const ID *o;
    struct wk_idnames *t;
};

static void put_user(struct id_state *s, uint32_t uid)
{
    const char *name = s->o->names ? wk_user_name(s->t, uid) : NULL;
    if (s->o->names && !name)
        wk_msg(s->c, "cannot find name for user ID %u", uid);
    if (name)
        wk_out_c(s->c->out, name);
    else
        wk_out_u64(s->c->out, uid);
}

static void put_group(struct id_state *s, uint32_t gid)
{
    const char *name = s->o->names ? wk_group_name(s->t, gid) : NULL;
    if (s->o->names && !name)
        wk_msg(s->c, "cannot find name for group ID %u", gid);
    if (name)
        wk_out_c(s->c->out, name);
    else
        wk_out_u64(s->c->out, gid);
}

static void put_named(struct id_state *s, const char *what, uint32_t id, const char *name)
{
    wk_out_fmt(s->c->out, "%s%u", what, id);
    if (name)
        wk_out_fmt(s->c->out, "(%s)", name);
}

/* All groups: the first one is the user's own. */
static void put_groups(struct id_state *s, const char *user, uint32_t gid, bool full)
{
    const uint32_t *more;
    size_t n = user ? wk_user_groups(s->t, user, &more) : 0;
    char sep = full ? ',' : s->o->zero ? '\0' : ' ';
    for (size_t i = 0; i <= n; i++) {
        uint32_t id = i ? more[i - 1] : gid;
        if (i && id == gid)
            continue;
        if (i)
            wk_out_char(s->c->out, sep);
        if (full)
            put_named(s, "", id, wk_group_name(s->t, id));
        else
            put_group(s, id);
    }
}

static void put_all(struct id_state *s, uint32_t uid, uint32_t gid)
{
    const char *user = wk_user_name(s->t, uid);
    put_named(s, "uid=", uid, user);
    put_named(s, " gid=", gid, wk_group_name(s->t, gid));
    wk_out_c(s->c->out, " groups=");
    put_groups(s, user, gid, true);
    wk_out_char(s->c->out, '\n');
}

static void put_one(struct id_state *s, uint32_t uid, uint32_t gid, bool last)
{
    const ID *o = s->o;
    if (!o->user && !o->group && !o->groups) {
        put_all(s, uid, gid);
        return;
    }
    if (o->user)
        put_user(s, uid);
    else if (o->group)
        put_group(s, gid);
    else
        put_groups(s, wk_user_name(s->t, uid), gid, false);
    wk_out_char(s->c->out, o->zero ? '\0' : '\n');
    if (o->zero && o->groups && !last)
        wk_out_char(s->c->out, '\0');
}

static int id_main(struct wk_cmd *c)
{
    const ID *o = (const ID *)c->opts;
    struct id_state s = {.c = c, .o = o, .t = wk_idnames_new(c)};
    int only = o->user + o->group + o->groups + o->context;
    if (o->context && c->nargs)
        wk_fail(c, 1, "cannot print security context when user specified");
    if (o->context)
        wk_fail(c, 1, "--context (-Z) works only on an SELinux-enabled kernel");
    if (only > 1)
        wk_fail(c, 1, "cannot print \"only\" of more than one choice");
    if (!only && (o->names || o->real))
        wk_fail(c, 1, "cannot print only names or real IDs in default format");
    if (!only && o->zero)
        wk_fail(c, 1, "option --zero not permitted in default format");
    if (c->nargs == 0) {
        put_one(&s, c->proc->cred.uid, c->proc->cred.gid, true);
        return c->status;
    }
    for (int i = 0; i < c->nargs; i++) {
        uint32_t uid, gid;
        if (!*c->args[i] || !wk_user_id(s.t, c->args[i], true, &uid) ||
            !wk_user_group(s.t, uid, &gid)) {
            wk_msg(c, "%s: no such user", wk_quote_arg(c, c->args[i]));
            continue;
        }
        put_one(&s, uid, gid, i + 1 == c->nargs);
    }
    return c->status;
}

WK_COMMAND(id, .summary = "print user and group information for each specified USER",
           .usage = "id [OPTION]... [USER]...", .std = "coreutils 9.1", .opts = id_options,
           .opts_size = sizeof(ID));
