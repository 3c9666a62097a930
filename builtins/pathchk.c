/* pathchk.c - diagnose file names that are invalid or not portable
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: pathchk.
 */
#include "base/utf8.h"
#include "builtins/fsops.h"

struct pathchk_opts {
    bool posix, extra;
};

static int set_both(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct pathchk_opts *o = (struct pathchk_opts *)c->opts;
    (void)opt;
    (void)arg;
    o->posix = o->extra = true;
    return 0;
}

static const struct wk_opt pathchk_options[] = {
    WK_FLAG(struct pathchk_opts, posix, 'p', NULL, "check for most POSIX systems"),
    WK_FLAG(struct pathchk_opts, extra, 'P', NULL, "check for empty names and leading \"-\""),
    WK_FUNC_OPT(set_both, 0, 0, "portability", NULL, "check for all POSIX systems (equivalent to -p -P)"),
    WK_OPTS_END,
};

enum { POSIX_PATH = 255, POSIX_NAME = 14, HERE_PATH = 4095, HERE_NAME = 255 };

static bool bad(struct wk_cmd *c, const char *what, const char *name)
{
    wk_msg(c, "%s %s", what, wk_quote(c, name));
    return false;
}

static bool leading_hyphen(const char *name)
{
    for (const char *p = name; *p; p++)
        if (*p == '-' && (p == name || p[-1] == '/'))
            return true;
    return false;
}

static bool portable_characters(struct wk_cmd *c, const char *name)
{
    static const char good[] = "/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t n = strspn(name, good), one = 1;
    if (!name[n])
        return true;
    while (wk_cmd_utf8(c) && (unsigned char)name[n] >= 0xc0 && one < 4 && (name[n + one] & 0xc0) == 0x80)
        one++;
    wk_msg(c, "nonportable character %s in file name %s", wk_quote_arg(c, wk_dupn(c, name + n, one)),
           wk_quote(c, name));
    return false;
}

static bool lengths(struct wk_cmd *c, const char *name, size_t path_max, size_t name_max)
{
    size_t all = strlen(name);
    if (all > path_max) {
        wk_msg(c, "limit %zu exceeded by length %zu of file name %s", path_max, all, wk_quote(c, name));
        return false;
    }
    for (const char *p = name; *p;) {
        size_t n = strcspn(p, "/");
        if (n > name_max) {
            wk_msg(c, "limit %zu exceeded by length %zu of file name component %s", name_max, n,
                   wk_quote(c, wk_dupn(c, p, n)));
            return false;
        }
        p += n + strspn(p + n, "/");
    }
    return true;
}

static bool check(struct wk_cmd *c, const struct pathchk_opts *o, const char *name)
{
    struct wk_stat st;
    if (o->extra && leading_hyphen(name))
        return bad(c, "leading '-' in a component of file name", name);
    if ((o->posix || o->extra) && !*name) {
        wk_msg(c, "empty file name");
        return false;
    }
    if (o->posix)
        return portable_characters(c, name) && lengths(c, name, POSIX_PATH, POSIX_NAME);
    int err = wk_at_stat(c, NULL, name, false, &st);
    if (!err)
        return true;
    if (err != WK_ENOENT || !*name) {
        wk_msg(c, "%s: %s", wk_quote_maybe(c, name), wk_err_text(err));
        return false;
    }
    return lengths(c, name, HERE_PATH, HERE_NAME);
}

static int pathchk_main(struct wk_cmd *c)
{
    bool ok = true;
    for (int i = 0; i < c->nargs; i++)
        ok = check(c, (const struct pathchk_opts *)c->opts, c->args[i]) && ok;
    return ok ? 0 : 1;
}

WK_COMMAND(pathchk, .summary = "diagnose invalid or unportable file names", .usage = "pathchk [OPTION]... NAME...",
           .std = "coreutils 9.1", .opts = pathchk_options, .opts_size = sizeof(struct pathchk_opts), .min_args = 1);
