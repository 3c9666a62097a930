/* grep.h - what the parts of grep share: options, and the search of one input */
#ifndef WK_BUILTINS_GREP_H
#define WK_BUILTINS_GREP_H

#include "kern/cmd.h"
#include "text/re/re.h"

struct grep_opts {
    struct wk_opt_list patterns, pattern_files, exclude_dir;
    struct wk_grep_glob *globs; /* --include and --exclude in their order */
    size_t globs_n, globs_cap;
    int syntax; /* WK_RE_ flags: 0, EXTENDED, LITERAL, PERL */
    bool syntax_given, invert, word, line, count, only_matching, quiet, no_messages,
        byte_offset;
    bool number, initial_tab, null_name, null_data, text, binary_mode,
        line_buffered, max_given;
    int ignore_case;
    int list;                       /* 0, 'l', 'L' */
    int with_name;                  /* 0 = by the number of files, 'H', 'h' */
    int recurse;                    /* 0, 'r', 'R' */
    int64_t max_count;              /* INT64_MAX = none */
    int64_t before, after, context; /* 1 more than given; 0: not given */
    const char *label, *binary, *devices, *separator;
    int color; /* when */
    bool no_separator, skip_dirs;
};

struct wk_grep_glob {
    const char *text;
    bool include;
};

/* SGR sequences; "" for none. */
struct wk_grep_colors {
    const char *ms, *mc, *sl, *cx, *fn, *ln, *bn, *se;
    bool rv, ne;
};

struct wk_grep {
    struct wk_cmd *c;
    const struct grep_opts *o;
    struct wk_re *re;
    struct wk_re_lines *lines; /* scratch of a search */
    char *buf;                 /* what is read of an input */
    size_t cap;
    char eol;
    bool bare; /* below "." that was not typed: names go without "./" */
    bool names, color, any_selected, trouble, utf8, exit_on_match;
    int64_t before, after;
    struct wk_grep_colors colors;
    struct wk_stat out; /* mode 0: not a file that a search could read */
    bool printed_any; /* some context group was printed: the next gets a separator before it */
};

/* Search one input; `name` is what messages and prefixes show. True when a line was selected. */
bool wk_grep_input(struct wk_grep *g, struct wk_in *in, const char *name);

/* What -c, -l and -L print of an input. */
void wk_grep_tell(struct wk_grep *g, const char *name, int64_t selected);
/* From $GREP_COLORS and $GREP_COLOR. */
void wk_grep_read_colors(struct wk_grep *g);

#endif
