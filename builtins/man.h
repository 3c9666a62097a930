/* man.h - the lines about commands that man and apropos look through
 *
 * Owner: the process heap.
 */
#ifndef WK_BUILTINS_MAN_H
#define WK_BUILTINS_MAN_H

#include "kern/cmd.h"

/* How words are looked for. */
enum man_match {
    MAN_STANDARD, /* as the command does by itself */
    MAN_REGEX,    /* anywhere in names or lines */
    MAN_WILDCARD, /* patterns of a whole name, or of words of a line */
    MAN_EXACT,    /* a whole name or line */
    MAN_NAME      /* a whole name */
};

struct man_search {
    int match;  /* enum man_match */
    bool all;   /* words must all be there, not one of them */
    bool names; /* names alone are looked at */
    bool match_case, long_lines, verbose;
    const char *sections;
};

/* Whether a section is in a list as of -s; without one all are. */
bool wk_man_has_section(const char *list, const char *section);
/* Prints "NAME (1)  - LINE" of commands that match, or that nothing does: the status, 0 or 16. */
int wk_man_search(struct wk_cmd *c, char **words, int n, const struct man_search *how);
/* The names of commands that match, in order. */
size_t wk_man_names(struct wk_cmd *c, const char *word, const struct man_search *how,
                    const char ***names);
/* --usage: the forms alone. */
int wk_man_usage(struct wk_cmd *c, const struct wk_opt *o, const char *arg);

#endif
