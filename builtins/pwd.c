/* pwd.c - the program pwd: print the name of the working directory
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: /bin/pwd. The shell has a pwd of its own.
 */
#include "builtins/fsops.h"

struct pwd_opts {
    int how; /* 0: as POSIXLY_CORRECT says */
};

enum { LOGICAL = 1, PHYSICAL };

static const struct wk_opt pwd_options[] = {
    WK_SET(struct pwd_opts, how, LOGICAL, 'L', "logical", "the name in $PWD, when it is right, links and all"),
    WK_SET(struct pwd_opts, how, PHYSICAL, 'P', "physical", "the name without links (default)"),
    WK_OPTS_END,
};

/* $PWD where it is an absolute name of the working directory without . and .. in it. */
static const char *logical_name(struct wk_cmd *c)
{
    const char *name = wk_cmd_env(c, "PWD");
    struct wk_stat here, there;
    if (!name || *name != '/')
        return NULL;
    for (const char *p = name; (p = strstr(p, "/.")) != NULL; p++) {
        const char *end = p + 2 + (p[2] == '.');
        if (!*end || *end == '/')
            return NULL;
    }
    bool same = wk_at_stat(c, NULL, name, true, &here) == 0 && wk_at_stat(c, NULL, ".", true, &there) == 0 &&
                wk_stat_same(&here, &there);
    return same ? name : NULL;
}

static int pwd_main(struct wk_cmd *c)
{
    const struct pwd_opts *o = (const struct pwd_opts *)c->opts;
    bool logical = o->how ? o->how == LOGICAL : wk_cmd_env(c, "POSIXLY_CORRECT") != NULL;
    if (c->nargs)
        wk_out_fmt(c->err, "%s: ignoring non-option arguments\n", c->name);
    const char *name = logical ? logical_name(c) : NULL;
    char *physical;
    int err = name ? 0 : wk_at_cwd(c, &physical);
    if (err)
        wk_fail(c, 1, "couldn't find directory entry in '..' with matching i-node");
    wk_out_fmt(c->out, "%s\n", name ? name : physical);
    return c->status;
}

WK_COMMAND(pwd, .summary = "print the full name of the working directory", .usage = "pwd [OPTION]...",
           .std = "coreutils 9.1", .opts = pwd_options, .opts_size = sizeof(struct pwd_opts));
