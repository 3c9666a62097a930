/* apropos.c - search the lines about commands: apropos, and whatis by name alone
 *
 * Standard: man-db 2.11, the options that need no database. Oracle: apropos, whatis.
 * Differs:  docs/divergences/apropos.md
 */
#include "builtins/man.h"

#include "builtins/ptrsort.h"
#include "builtins/regex.h"
#include "text/pattern/pattern.h"

struct entry {
    const char *name, *line;
};

struct search {
    struct wk_cmd *c;
    const struct man_search *how;
    struct wk_arena arena;
    struct wk_re_run run;
    struct wk_re **re;
    const struct wk_pattern **pattern;
    bool *found; /* of each word: it was somewhere */
    struct entry **entry;
    size_t n, cap;
};

bool wk_man_has_section(const char *list, const char *section)
{
    size_t size = strlen(section);
    for (const char *p = list; p && *p; p += *p == ':' || *p == ',') {
        size_t n = strcspn(p, ":,");
        if (n == size && memcmp(p, section, n) == 0)
            return true;
        p += n;
    }
    return !list || !*list;
}

/* ---- the entries --------------------------------------------------------------------------------
 */

static void add_entry(struct search *s, struct wk_str name, const char *line)
{
    if (s->n == s->cap) {
        s->cap = s->cap * 2 + 128;
        s->entry =
            (struct entry **)wk_heap_realloc(s->c->heap, s->entry, s->cap * sizeof *s->entry);
    }
    struct entry *e = wk_new(s->c, struct entry);
    *e = (struct entry){.name = wk_dupn(s->c, name.p, name.n), .line = line};
    s->entry[s->n++] = e;
    wk_tick(s->c, 4);
}

static int by_name(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static void list_entries(struct search *s)
{
    const struct wk_registry *all = s->c->k->registry;
    const struct wk_command *m;
    for (size_t i = 0; all && (m = all->at(all->ctx, i)) != NULL; i++) {
        add_entry(s, wk_str_c(m->name), m->summary ? m->summary : "");
        for (const char *p = m->aliases; p && *p;) {
            size_t n = strcspn(p, " ");
            if (n)
                add_entry(s, wk_str(p, n), m->summary ? m->summary : "");
            p += n + (p[n] == ' ');
        }
    }
    wk_ptr_sort(s->c, (const void **)(void *)s->entry, s->n, by_name, NULL);
}

/* ---- matching -----------------------------------------------------------------------------------
 */

static bool equal(const struct search *s, const char *a, const char *b)
{
    if (s->how->match_case)
        return strcmp(a, b) == 0;
    for (; *a && *b; a++, b++) {
        char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a,
             y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y)
            return false;
    }
    return *a == *b;
}

static int count_steps(void *ctx, size_t steps)
{
    wk_tick((struct wk_cmd *)ctx, (uint32_t)(steps & 0xffffff));
    return 0;
}

static bool fits(struct search *s, int word, const char *text, size_t n)
{
    struct wk_pattern_run run = {.mem = wk_heap_mem(s->c->heap), .step = count_steps, .ctx = s->c};
    return wk_pattern_match(s->pattern[word], &run, wk_str(text, n)) == 1;
}

/* A pattern fits the name, the line, or a word of it. */
static bool fits_entry(struct search *s, int word, const struct entry *e)
{
    if (fits(s, word, e->name, strlen(e->name)))
        return true;
    if (s->how->names)
        return false;
    if (fits(s, word, e->line, strlen(e->line)))
        return true;
    for (const char *p = e->line; *p; p += strspn(p, " ,;:()")) {
        size_t n = strcspn(p, " ,;:()");
        if (n && fits(s, word, p, n))
            return true;
        p += n;
    }
    return false;
}

static bool has_word(struct search *s, int word, const char *text, const struct entry *e)
{
    switch ((enum man_match)s->how->match) {
    case MAN_REGEX:
        return wk_cmd_re_search(s->c, s->re[word], &s->run, wk_str_c(e->name), 0, NULL, 0, 1) ||
               (!s->how->names && wk_cmd_re_search(s->c, s->re[word], &s->run, wk_str_c(e->line), 0, NULL, 0, 1));
    case MAN_WILDCARD:
        return fits_entry(s, word, e);
    case MAN_EXACT:
        return equal(s, text, e->name) || (!s->how->names && equal(s, text, e->line));
    default:
        break;
    }
    return equal(s, text, e->name);
}

static void release_arena(void *a)
{
    wk_arena_release((struct wk_arena *)a);
}

static void compile(struct search *s, char **words, int n)
{
    bool nocase = !s->how->match_case;
    s->re = wk_new_n(s->c, struct wk_re *, (size_t)n);
    s->pattern = wk_new_n(s->c, const struct wk_pattern *, (size_t)n);
    s->found = wk_new_n(s->c, bool, (size_t)n);
    s->run = wk_cmd_re_run(s->c);
    wk_arena_init(&s->arena, wk_heap_mem(s->c->heap));
    wk_heap_own(s->c->heap, &s->arena, release_arena);
    for (int i = 0; i < n; i++) {
        struct wk_re_error err;
        if (s->how->match == MAN_REGEX) {
            s->re[i] = wk_cmd_re(s->c, wk_str_c(words[i]),
                                 WK_RE_EXTENDED | WK_RE_NOSUB | (nocase ? WK_RE_ICASE : 0), &err);
            if (!s->re[i])
                wk_fail(s->c, 2, "fatal: regex `%s': %s", words[i], err.text);
        } else if (s->how->match == MAN_WILDCARD &&
                   wk_pattern_compile(&s->arena, wk_str_c(words[i]), nocase ? WK_PATTERN_NOCASE : 0,
                                      &s->pattern[i])) {
            wk_heap_exhausted(s->c->heap);
        }
    }
}

static struct search *begin(struct wk_cmd *c, char **words, int n, const struct man_search *how)
{
    struct search *s = wk_new(c, struct search);
    *s = (struct search){.c = c, .how = how};
    compile(s, words, n);
    if (wk_man_has_section(how->sections, "1"))
        list_entries(s);
    return s;
}

size_t wk_man_names(struct wk_cmd *c, const char *word, const struct man_search *how,
                    const char ***names)
{
    char *words[] = {wk_dup(c, word)};
    struct search *s = begin(c, words, 1, how);
    size_t n = 0;
    *names = wk_new_n(c, const char *, s->n + 1);
    for (size_t i = 0; i < s->n; i++) {
        if (has_word(s, 0, word, s->entry[i]))
            (*names)[n++] = s->entry[i]->name;
        wk_tick(c, 2);
    }
    return n;
}

static void put_line(struct search *s, const char *name, const struct entry *e)
{
    const char *shown = wk_strf(s->c, "%s (1)", name);
    wk_out_fmt(s->c->out, "%-20s - %s\n", shown, e->line);
}

static bool is_repeated(char **words, int at)
{
    int i = 0;
    while (strcmp(words[i], words[at]) != 0)
        i++;
    return i < at;
}

/* Names as they were typed, in that order, each once. */
static void put_named(struct search *s, char **words, int n)
{
    for (int w = 0; w < n; w++) {
        bool again = is_repeated(words, w);
        for (size_t i = 0; i < s->n; i++) {
            wk_tick(s->c, 2);
            if (!has_word(s, w, words[w], s->entry[i]))
                continue;
            s->found[w] = true;
            if (!again)
                put_line(s, words[w], s->entry[i]);
        }
    }
}

static void put_matching(struct search *s, char **words, int n)
{
    for (size_t i = 0; i < s->n; i++) {
        int have = 0;
        for (int w = 0; w < n; w++) {
            bool here = has_word(s, w, words[w], s->entry[i]);
            s->found[w] = s->found[w] || here;
            have += here;
            wk_tick(s->c, 2);
        }
        if (s->how->all ? have == n : have > 0)
            put_line(s, s->entry[i]->name, s->entry[i]);
    }
}

int wk_man_search(struct wk_cmd *c, char **words, int n, const struct man_search *how)
{
    struct search *s = begin(c, words, n, how);
    if (how->match == MAN_NAME)
        put_named(s, words, n);
    else
        put_matching(s, words, n);
    (void)wk_out_flush(c->out);
    int status = 16;
    for (int w = 0; w < n; w++) {
        if (s->found[w])
            status = 0;
        else
            wk_out_fmt(c->err, "%s: nothing appropriate.\n", words[w]);
    }
    return status;
}

/* ---- the commands -------------------------------------------------------------------------------
 */

int wk_man_usage(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    (void)o;
    (void)arg;
    const char *head = "Usage: ";
    for (const char *line = c->command->usage; *line; line += *line == '\n') {
        size_t n = strcspn(line, "\n");
        wk_out_fmt(c->out, "%s%.*s\n", head, (int)n, line);
        head = "  or:  ";
        line += n;
    }
    wk_exit(c, 0);
}

static const struct wk_opt apropos_options[] = {
    WK_SET(struct man_search, match, MAN_EXACT, 'e', "exact", "words are whole names or lines"),
    WK_SET(struct man_search, match, MAN_REGEX, 'r', "regex",
           "words are regular expressions (standard of apropos)"),
    WK_SET(struct man_search, match, MAN_WILDCARD, 'w', "wildcard", "words are patterns"),
    WK_FLAG(struct man_search, all, 'a', "and", "show lines with all words"),
    WK_STR_OPT(struct man_search, sections, 's', "sections", "LIST",
               "look into these sections only: there is 1"),
    WK_STR_OPT(struct man_search, sections, 's', "section", "LIST", "the same"),
    WK_FLAG(struct man_search, long_lines, 'l', "long", "do not cut lines: they never are"),
    WK_FLAG(struct man_search, verbose, 'v', "verbose", "warnings, too: there are none"),
    WK_FUNC_OPT(wk_man_usage, 0, 0, "usage", NULL, "show the forms alone"),
    WK_FUNC_OPT(wk_opt_about, 0, '?', NULL, NULL, "as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "as --version"),
    WK_OPTS_END,
};

static int apropos_main(struct wk_cmd *c)
{
    struct man_search *how = (struct man_search *)c->opts;
    how->names = strcmp(c->name, "whatis") == 0;
    if (how->match == MAN_STANDARD)
        how->match = how->names ? MAN_NAME : MAN_REGEX;
    if (!c->nargs) {
        wk_out_fmt(c->out, "%s what?\n", c->name);
        return 1;
    }
    return wk_man_search(c, c->args, c->nargs, how);
}

WK_COMMAND(apropos, .aliases = "whatis", .summary = "search the names and summaries of commands",
           .usage = "apropos [OPTION]... WORD...\nwhatis [OPTION]... NAME...",
           .std = "man-db 2.11.2", .opts = apropos_options, .opts_size = sizeof(struct man_search));
