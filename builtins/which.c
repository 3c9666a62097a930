/* which.c - locate a command
 *
 * Standard: Debian's which (debianutils 5.7). Oracle: which.
 */
#include "builtins/fsops.h"

static bool is_program(struct wk_cmd *c, const char *path)
{
    struct wk_stat st;
    return !wk_at_stat(c, NULL, path, true, &st) && WK_S_ISREG(st.mode) &&
           !wk_at_access(c, NULL, path, WK_X_OK);
}

static bool search(struct wk_cmd *c, const char *name, bool all)
{
    const char *path = wk_cmd_env(c, "PATH");
    bool found = false;
    if (strchr(name, '/')) {
        if (!is_program(c, name))
            return false;
        wk_out_fmt(c->out, "%s\n", name);
        return true;
    }
    for (const char *p = path ? path : ""; *name; ) {
        size_t n = strcspn(p, ":");
        char *dir = n ? wk_dupn(c, p, n) : wk_dup(c, ".");
        char *file = wk_strf(c, "%s/%s", dir, name);
        if (is_program(c, file)) {
            wk_out_fmt(c->out, "%s\n", file);
            found = true;
            if (!all)
                break;
        }
        if (!p[n])
            break;
        p += n + 1;
    }
    return found;
}

static int which_main(struct wk_cmd *c)
{
    bool all = false;
    int i = 0;
    for (; i < c->nargs && c->args[i][0] == '-' && c->args[i][1]; i++) {
        if (strcmp(c->args[i], "--") == 0) {
            i++;
            break;
        }
        for (const char *p = c->args[i] + 1; *p; p++) {
            if (*p != 'a') {
                wk_out_fmt(c->err, "Illegal option -%c\n", *p);
                wk_out_c(c->out, "Usage: /usr/bin/which [-a] args\n");
                return 2;
            }
            all = true;
        }
    }
    int status = i < c->nargs ? 0 : 1;
    for (; i < c->nargs; i++)
        if (!search(c, c->args[i], all))
            status = 1;
    return status;
}

WK_COMMAND(which, .summary = "locate a command", .usage = "which [-a] args", .std = "debianutils 5.7",
           .flags = WK_CMD_RAW_ARGS);
