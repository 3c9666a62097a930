/* groups.c - print the groups that a user is in
 *
 * Standard: GNU coreutils 9.1. Oracle: groups.
 */
#include "builtins/idnames.h"

static void put_group(struct wk_cmd *c, struct wk_idnames *t, uint32_t gid)
{
    const char *name = wk_group_name(t, gid);
    if (name) {
        wk_out_c(c->out, name);
        return;
    }
    wk_msg(c, "cannot find name for group ID %u", gid);
    wk_out_u64(c->out, gid);
}

static void put_groups(struct wk_cmd *c, struct wk_idnames *t, const char *user, uint32_t gid)
{
    const uint32_t *more;
    size_t n = user ? wk_user_groups(t, user, &more) : 0;
    put_group(c, t, gid);
    for (size_t i = 0; i < n; i++) {
        if (more[i] == gid)
            continue;
        wk_out_char(c->out, ' ');
        put_group(c, t, more[i]);
    }
    wk_out_char(c->out, '\n');
}

static int groups_main(struct wk_cmd *c)
{
    struct wk_idnames *t = wk_idnames_new(c);
    uint32_t uid, gid;
    if (c->nargs == 0)
        put_groups(c, t, wk_user_name(t, c->proc->cred.uid), c->proc->cred.gid);
    for (int i = 0; i < c->nargs; i++) {
        if (!wk_user_id(t, c->args[i], false, &uid) || !wk_user_group(t, uid, &gid)) {
            wk_msg(c, "%s: no such user", wk_quote_arg(c, c->args[i]));
            continue;
        }
        wk_out_fmt(c->out, "%s : ", c->args[i]);
        put_groups(c, t, c->args[i], gid);
    }
    return c->status;
}

WK_COMMAND(groups, .summary = "print group memberships for each USERNAME or, if no USERNAME is "
                              "specified, for the current process",
           .usage = "groups [OPTION]... [USERNAME]...", .std = "coreutils 9.1");
