/* man.c - the manual: what a command prints for --help
 *
 * All pages are in section 1.
 *
 * Standard: man-db 2.11, the options that need no files. Oracle: man, for messages and statuses.
 * Differs:  docs/divergences/man.md
 */
#include "builtins/man.h"

enum { MISSING = 16 };

struct man_opts {
    bool whatis, apropos, where, all, regex, wildcard, names_only, no_subpages, ascii, straight;
    int match_case;
    const char *sections, *pager, *extension, *prompt;
};

#define OPTS struct man_opts

static const struct wk_opt man_options[] = {
    WK_FLAG(OPTS, whatis, 'f', "whatis", "show the one line about each PAGE"),
    WK_FLAG(OPTS, apropos, 'k', "apropos", "show commands with PAGE in that line"),
    WK_FLAG(OPTS, where, 'w', "where", "show where the commands are"),
    WK_FLAG(OPTS, where, 'w', "path", "the same"),
    WK_FLAG(OPTS, where, 'w', "location", "the same"),
    WK_STR_OPT(OPTS, sections, 's', "sections", "LIST",
               "look into these sections only: there is 1"),
    WK_STR_OPT(OPTS, sections, 'S', NULL, "LIST", "the same"),
    WK_FLAG(OPTS, all, 'a', "all", "show all pages of a name: there is one"),
    WK_SET(OPTS, match_case, 0, 'i', "ignore-case", "small letters are capitals, too (standard)"),
    WK_SET(OPTS, match_case, 1, 'I', "match-case", "they are not"),
    WK_FLAG(OPTS, regex, 0, "regex", "all pages whose names or lines match an expression"),
    WK_FLAG(OPTS, wildcard, 0, "wildcard", "all pages whose names or lines match a pattern"),
    WK_FLAG(OPTS, names_only, 0, "names-only", "these match names, not lines"),
    WK_STR_OPT(OPTS, extension, 'e', "extension", "EXT", "pages of this kind: there is 1"),
    WK_FLAG(OPTS, no_subpages, 0, "no-subpages", "two words are no page: they never are"),
    WK_FLAG(OPTS, ascii, '7', "ascii", "pages are ASCII: they always are"),
    WK_FLAG(OPTS, straight, 0, "no-hyphenation", "no word is parted: none ever is"),
    WK_FLAG(OPTS, straight, 0, "nh", "the same"),
    WK_FLAG(OPTS, straight, 0, "no-justification", "no line is stretched: none ever is"),
    WK_FLAG(OPTS, straight, 0, "nj", "the same"),
    WK_STR_OPT(OPTS, prompt, 'r', "prompt", "STRING", "what the pager prompts with"),
    WK_STR_OPT(OPTS, pager, 'P', "pager", "PAGER", "what shows pages on a terminal: there is none"),
    WK_FUNC_OPT(wk_man_usage, 0, 0, "usage", NULL, "show the forms alone"),
    WK_FUNC_OPT(wk_opt_about, 0, '?', NULL, NULL, "as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "as --version"),
    WK_OPTS_END,
};

static const struct wk_command *find(struct wk_cmd *c, struct wk_str name)
{
    const struct wk_registry *all = c->k->registry;
    return all ? all->find(all->ctx, name) : NULL;
}

/* The names of the pages of a word: "ls", "ls.1", "ls(1)", or what matches it. */
static size_t find_pages(struct wk_cmd *c, const struct man_opts *o, const char *word,
                         const char ***names)
{
    struct man_search how = {.match = o->regex      ? MAN_REGEX
                                      : o->wildcard ? MAN_WILDCARD
                                                    : MAN_NAME,
                             .names = o->names_only,
                             .match_case = o->match_case};
    size_t n = strlen(word);
    if (how.match != MAN_NAME)
        return wk_man_names(c, word, &how, names);
    bool dot = n > 2 && strcmp(word + n - 2, ".1") == 0,
         call = n > 3 && strcmp(word + n - 3, "(1)") == 0;
    if (!find(c, wk_str_c(word)))
        word = wk_dupn(c, word, n - (dot ? 2 : call ? 3 : 0));
    if (!find(c, wk_str_c(word)))
        return wk_man_names(c, word, &how, names);
    *names = wk_new_n(c, const char *, 1);
    **names = word;
    return 1;
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

/* A word that is a section of the list: a digit and perhaps letters, or n, or l. */
static bool is_section(const char *list, const char *word)
{
    const char digit[] = {*word, '\0'};
    if (list && *list && !wk_man_has_section(list, digit))
        return false;
    if (*word >= '0' && *word <= '9')
        return !word[1] || (word[1] >= 'a' && word[1] <= 'z');
    return (*word == 'n' || *word == 'l') && !word[1];
}

/* "ls.1" is the page of that section, whatever is asked for. */
static bool names_section(const char *word)
{
    size_t n = strlen(word);
    return n > 2 && strcmp(word + n - 2, ".1") == 0;
}

/* The pages of one word, whether there are any; alone: it is the only word. */
static bool put_word(struct wk_cmd *c, const struct man_opts *o, const char *word, bool alone)
{
    const char **names;
    size_t n = find_pages(c, o, word, &names);
    for (size_t i = 0; i < n; i++) {
        if (o->where) {
            wk_out_fmt(c->out, "/usr/bin/%s\n", names[i]);
        } else if (alone && n == 1) {
            c->command = find(c, wk_str_c(names[i]));
            c->name = names[i];
            wk_cmd_about(c, false);
        } else {
            put_page(c, names[i]);
        }
    }
    return n > 0;
}

static void miss(struct wk_cmd *c, const char *word, const char *section)
{
    (void)wk_out_flush(c->out);
    wk_out_fmt(c->err,
               section ? "No manual entry for %s in section %s\n" : "No manual entry for %s\n",
               word, section);
    c->status = MISSING;
}

/* A section at the end. */
static void want_page(struct wk_cmd *c, const char *section)
{
    if (*section < '0' || *section > '9')
        return;
    wk_out_fmt(c->err,
               "(Alternatively, what manual page do you want from section %s?)\n"
               "For example, try 'man man'.\n",
               section);
    c->status = 1;
}

static int put_pages(struct wk_cmd *c, const struct man_opts *o)
{
    const char *section = NULL, **names;
    bool kind = !o->extension || !*o->extension || strcmp(o->extension, "1") == 0;
    if (!c->nargs && o->where) {
        wk_out_c(c->out, "/usr/bin\n");
        return 0;
    }
    if (!c->nargs) {
        wk_out_c(c->err, "What manual page do you want?\nFor example, try 'man man'.\n");
        return 1;
    }
    for (int i = 0; i < c->nargs; i++) {
        const char *word = c->args[i];
        bool is = is_section(o->sections, word) && !find_pages(c, o, word, &names);
        bool last = i + 1 == c->nargs;
        if (is && !last) {
            section = word;
            word = c->args[++i];
        } else if (is) {
            section = NULL;
        }
        bool here = section ? strcmp(section, "1") == 0 : wk_man_has_section(o->sections, "1");
        here = here || names_section(word);
        if (here && kind && put_word(c, o, word, c->nargs == 1 + (section != NULL)))
            continue;
        miss(c, word, section);
        if (is && last)
            want_page(c, word);
    }
    return c->status;
}

static void refuse_both(struct wk_cmd *c, bool one, bool other, const char *names)
{
    if (one && other)
        wk_usage(c, "%s : incompatible options", names);
}

static int man_main(struct wk_cmd *c)
{
    const struct man_opts *o = (const struct man_opts *)c->opts;
    refuse_both(c, o->whatis, o->apropos, "-f -k");
    refuse_both(c, o->whatis, o->where, "-f -w");
    refuse_both(c, o->apropos, o->where, "-k -w");
    refuse_both(c, o->regex, o->wildcard, "--regex --wildcard");
    if (!o->whatis && !o->apropos)
        return put_pages(c, o);
    struct man_search how = {.match = o->whatis ? MAN_NAME : MAN_REGEX, .sections = o->sections};
    if (c->nargs)
        return wk_man_search(c, c->args, c->nargs, &how);
    wk_out_fmt(c->out, "%s what?\n", o->whatis ? "whatis" : "apropos");
    return 1;
}

WK_COMMAND(man, .summary = "show what a command does",
           .usage = "man [OPTION]... [SECTION] PAGE...\nman -k WORD...\nman -f PAGE...",
           .help = "PAGE is a command; its page is what it prints for --help.",
           .flags = WK_CMD_NO_PERMUTE, .std = "man-db 2.11.2", .opts = man_options,
           .opts_size = sizeof(struct man_opts));
