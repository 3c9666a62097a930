/* man.c - the manual: what a command prints for --help
 *
 * All pages are in section 1.
 *
 * Standard: man-db 2.11, the options that need no files. Oracle: man, for messages and statuses.
 * Differs:  docs/divergences/man.md
 */
#include "builtins/man.h"

enum { MISSING = 16 };
enum mode { MODE_PAGES, MODE_APROPOS, MODE_WHATIS, MODE_WHERE };

struct man_opts {
    int mode;
    bool all;
    const char *sections, *pager;
};

#define OPTS struct man_opts

static const struct wk_opt man_options[] = {
    WK_SET(OPTS, mode, MODE_WHATIS, 'f', "whatis", "show the one line about each PAGE"),
    WK_SET(OPTS, mode, MODE_APROPOS, 'k', "apropos", "show commands with PAGE in that line"),
    WK_SET(OPTS, mode, MODE_WHERE, 'w', "where", "show where the commands are"),
    WK_SET(OPTS, mode, MODE_WHERE, 'w', "path", "the same"),
    WK_SET(OPTS, mode, MODE_WHERE, 'w', "location", "the same"),
    WK_STR_OPT(OPTS, sections, 's', "sections", "LIST",
               "look into these sections only: there is 1"),
    WK_STR_OPT(OPTS, sections, 'S', NULL, "LIST", "the same"),
    WK_FLAG(OPTS, all, 'a', "all", "show all pages of a name: there is one"),
    WK_STR_OPT(OPTS, pager, 'P', "pager", "PAGER", "what shows pages on a terminal: there is none"),
    WK_FUNC_OPT(wk_opt_about, 0, '?', NULL, NULL, "as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "as --version"),
    WK_OPTS_END,
};

static const struct wk_command *find(struct wk_cmd *c, struct wk_str name)
{
    const struct wk_registry *all = c->k->registry;
    return all ? all->find(all->ctx, name) : NULL;
}

/* "ls", "ls.1" or "ls(1)". */
static const struct wk_command *find_page(struct wk_cmd *c, const char *name)
{
    size_t n = strlen(name);
    const struct wk_command *m = find(c, wk_str(name, n));
    if (!m && n > 2 && strcmp(name + n - 2, ".1") == 0)
        m = find(c, wk_str(name, n - 2));
    if (!m && n > 3 && strcmp(name + n - 3, "(1)") == 0)
        m = find(c, wk_str(name, n - 3));
    return m;
}

/* A page among others: by a child, since showing one ends the process. */
static void put_page(struct wk_cmd *c, const char *name)
{
    const char *argv[] = {c->name, "--", name};
    struct wk_spawn how = {.argc = 3, .argv = argv, .command = c->command};
    struct wk_proc *child;
    (void)wk_out_flush(c->out);
    (void)wk_out_flush(c->err);
    int r = wk_spawn(c->proc, &how, &child);
    if (r) {
        wk_warn(c, name, -r);
        return;
    }
    uint32_t pid = child->pid;
    do
        r = wk_proc_wait(c->task, c->proc, pid, 0, &child);
    while (r == -WK_EINTR);
    if (!r)
        wk_proc_reap(child);
}

/* A first word that is a section: a digit and perhaps letters, or n, or l. */
static bool is_section(const char *word)
{
    if (*word >= '0' && *word <= '9')
        return !word[1] || (word[1] >= 'a' && word[1] <= 'z');
    return (*word == 'n' || *word == 'l') && !word[1];
}

static WK_NORETURN void want_page(struct wk_cmd *c, const char *section)
{
    if (section) {
        wk_out_fmt(c->err, "No manual entry for %s\n", section);
        wk_out_fmt(c->err, "(Alternatively, what manual page do you want from section %s?)\n",
                   section);
    } else {
        wk_out_c(c->err, "What manual page do you want?\n");
    }
    wk_out_c(c->err, "For example, try 'man man'.\n");
    wk_exit(c, 1);
}

static int put_pages(struct wk_cmd *c, const struct man_opts *o)
{
    const char *section = NULL;
    int first = 0;
    if (c->nargs && is_section(c->args[0]) && !find(c, wk_str_c(c->args[0]))) {
        section = c->args[0];
        first = 1;
    }
    if (first == c->nargs)
        want_page(c, section);
    bool here = section ? strcmp(section, "1") == 0 : wk_man_section(o->sections);
    for (int i = first; i < c->nargs; i++) {
        const struct wk_command *m = here ? find_page(c, c->args[i]) : NULL;
        if (!m) {
            (void)wk_out_flush(c->out);
            wk_out_fmt(c->err,
                       section ? "No manual entry for %s in section %s\n"
                               : "No manual entry for %s\n",
                       c->args[i], section);
            c->status = MISSING;
        } else if (o->mode == MODE_WHERE) {
            wk_out_fmt(c->out, "/usr/bin/%s\n", c->args[i]);
        } else if (c->nargs - first == 1) {
            c->command = m;
            c->name = c->args[i];
            wk_cmd_about(c, false);
        } else {
            put_page(c, c->args[i]);
        }
    }
    return c->status;
}

static int man_main(struct wk_cmd *c)
{
    const struct man_opts *o = (const struct man_opts *)c->opts;
    if (o->mode == MODE_PAGES || o->mode == MODE_WHERE)
        return put_pages(c, o);
    struct man_search how = {.match = o->mode == MODE_WHATIS ? MAN_NAME : MAN_REGEX,
                             .sections = o->sections};
    if (c->nargs)
        return wk_man_search(c, c->args, c->nargs, &how);
    wk_out_fmt(c->err, "%s what?\n", o->mode == MODE_WHATIS ? "whatis" : "apropos");
    return 1;
}

WK_COMMAND(man, .summary = "show what a command does",
           .usage = "man [OPTION]... [SECTION] PAGE...\nman -k WORD...\nman -f PAGE...",
           .help = "PAGE is a command; its page is what it prints for --help.",
           .std = "man-db 2.11.2", .opts = man_options, .opts_size = sizeof(struct man_opts));
