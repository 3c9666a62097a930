/* rg.h - what the parts of rg share
 *
 * rg_options.c reads the command line, rg_walk.c finds files, rg_input.c reads them, rg_search.c finds lines in them
 * and tells a sink of matches and contexts: rg_print.c (lines, counts, names) or rg_json.c.
 */
#ifndef WK_BUILTINS_RG_H
#define WK_BUILTINS_RG_H

#include "builtins/ignore.h"
#include "builtins/rg_matcher.h"

enum { WK_RG_COLOR_NEVER, WK_RG_COLOR_ALWAYS, WK_RG_COLOR_AUTO };
enum wk_rg_sort { WK_RG_SORT_NONE, WK_RG_SORT_PATH, WK_RG_SORT_MODIFIED, WK_RG_SORT_ACCESSED, WK_RG_SORT_CREATED };
/* -P is more than --engine pcre2: what is no UTF-8 is made so. */
enum { WK_RG_ENGINE_DEFAULT, WK_RG_ENGINE_PCRE2, WK_RG_ENGINE_AUTO, WK_RG_ENGINE_P };

struct wk_rg_opts {
    /* what is searched for */
    struct wk_opt_list patterns, pattern_files;
    bool fixed, word, line, invert, multi_line, dot_all, crlf, null_data, no_unicode;
    int letter_case; /* 's', 'i', 'S' */
    int engine;
    const char *encoding;
    /* what is searched */
    struct wk_opt_list globs; /* with a letter in front: g or i */
    struct wk_opt_list types, types_not, type_add, type_clear, ignore_files, pre_globs;
    bool no_ignore, no_ignore_dot, no_ignore_exclude, no_ignore_files, no_ignore_global, no_ignore_parent,
        no_ignore_vcs;
    bool no_ignore_messages, no_require_git, hidden, follow, one_file_system, glob_fold, ignore_fold;
    int unrestricted;
    int64_t max_depth, max_filesize; /* -1: none */
    bool text, binary, zip, files, type_list, no_messages;
    const char *pre;
    enum wk_rg_sort sort;
    bool sort_down;
    /* what is printed */
    int64_t before, after, max_count, max_columns; /* max_count -1: none; max_columns 0: none */
    bool context_both, no_mmap;                    /* the contexts are those of -C */
    bool passthru, count, count_matches, include_zero, names, names_without, only_matching, quiet, json, stats;
    bool byte_offset, column, vimgrep, pretty, null_names, trim, preview, line_buffered;
    int number, heading, with_name; /* 0: by default, 1 yes, -1 no */
    int color;
    const char *replacement;
    struct wk_opt_list colors;
    struct wk_str context_separator, field_match, field_context; /* context_separator.p NULL: none */
    int path_separator;                                          /* -1: '/' */
    bool no_config, pcre2_version;
};

/* Escape sequences around what is coloured; "" for none. */
struct wk_rg_colors {
    const char *path, *line, *column, *match;
};

struct wk_rg_stats {
    uint64_t searches, with_match, bytes, printed, lines, matches;
    int64_t elapsed;
};

struct wk_rg {
    struct wk_cmd *c;
    struct wk_rg_opts *o;
    struct wk_rg_matcher *m;
    struct wk_rg_colors colors;
    char **paths;
    int npaths;
    bool default_path; /* none was given: the working directory */
    bool color, number, column, heading, names, spans_wanted, summary;
    bool several; /* inputs: not one that was named */
    bool errored, matched, searched;
    bool slices; /* files are searched in one piece: matters to how binary ones are seen */
    char eol;
    int64_t started;
    struct wk_rg_stats stats;
    uint64_t written; /* bytes that printers have written */
    struct wk_buf *scratch;
    struct wk_rg_found *found; /* of the last hit */
    char *window;              /* of what is searched, kept from one input to the next */
    size_t window_cap;
    struct wk_re_span *spans; /* scratch for one match with its groups */
    size_t nspans;
    struct wk_rules overrides;
    bool type_wanted;               /* some -t */
    struct wk_glob **type_globs[2]; /* those of -t, of -T */
    size_t type_globs_n[2];
};

/* Reads argv and the file of options into c->opts; ends the process for what is wrong, for --help and the like. */
void wk_rg_read_options(struct wk_rg *g);
/* The settings of --colors. */
void wk_rg_read_colors(struct wk_rg *g);
/* The glob tables of -t and -T; prints the list for --type-list. */
void wk_rg_read_types(struct wk_rg *g);
void wk_rg_list_types(struct wk_rg *g);
/* "\x41", "\n"… in a text given as an option; in the heap. */
struct wk_str wk_rg_unescape(struct wk_cmd *c, const char *text);
/* A message that makes the status 2, unless --no-messages says to be quiet. */
void wk_rg_complain(struct wk_rg *g, const char *fmt, ...) WK_PRINTF(2, 3);
/* The same for an error code of a system call. */
void wk_rg_complain_err(struct wk_rg *g, const char *path, int err);

/* ---- files -------------------------------------------------------------------------------------------------------
 */

/* Searches (or lists, with --files) everything. */
void wk_rg_walk(struct wk_rg *g);
/* Searches one input: a file that was named (or standard input, path NULL) is `given`. */
void wk_rg_search_file(struct wk_rg *g, const char *path, bool given);
/* The same of a file that was found: `name` in `dir`. */
void wk_rg_search_found(struct wk_rg *g, struct wk_vdir *dir, const char *name, const char *path);
void wk_rg_print_path(struct wk_rg *g, const char *path); /* for --files */
/* Nothing more has to be searched. */
static inline bool wk_rg_done(const struct wk_rg *g)
{
    return g->o->quiet && g->matched && !g->o->stats;
}

/* ---- one input ---------------------------------------------------------------------------------------------------
 */

struct wk_rg_sink;

enum wk_rg_binary { WK_RG_BINARY_NONE, WK_RG_BINARY_QUIT, WK_RG_BINARY_CONVERT };

/* A line, or the lines of a match that spans several. */
struct wk_rg_hit {
    struct wk_str text;   /* with its end of line */
    struct wk_str around; /* the subject it lies in: itself, or the whole input */
    size_t at;            /* where it begins in it */
    uint64_t offset;      /* in the input */
    int64_t number;       /* of its first line; -1: not counted */
    char kind;            /* 'm' a match; context: 'b' before, 'a' after, 'o' other */
};

/* What becomes of the lines of one input. Answers of false end its search. */
struct wk_rg_sink {
    struct wk_rg *g;
    const char *path; /* as it is shown; NULL: it is not */
    const char *name; /* of the input, for messages and JSON */
    int64_t matches;  /* counted lines or matches */
    int64_t after_left;
    enum wk_rg_binary binary;
    int64_t binary_at; /* -1: no NUL was seen */
    struct wk_rg_stats stats;
    int64_t started;
    bool prelude, failed; /* something of this input was printed; an error ended its search */
    uint64_t bytes;       /* searched */
    bool (*hit)(struct wk_rg_sink *s, const struct wk_rg_hit *h);
    void (*gap)(struct wk_rg_sink *s);
    void (*finish)(struct wk_rg_sink *s);
};

struct wk_rg_input;
/* The next piece of an input, borrowed; false at its end or after an error that was told. */
bool wk_rg_input_next(struct wk_rg_input *in, const char **p, size_t *n);
/* Opens what is to be searched of `path` (NULL: standard input); NULL after telling why not. */
struct wk_rg_input *wk_rg_input_open(struct wk_rg *g, struct wk_vdir *dir, const char *name, const char *path);
void wk_rg_input_close(struct wk_rg_input *in);
/* Ends the process when --encoding names none. */
void wk_rg_check_encoding(struct wk_rg *g);
/* A file whose pieces can be waited for. */
bool wk_rg_input_regular(const struct wk_rg_input *in);
bool wk_rg_input_decoded(const struct wk_rg_input *in);

/* Finds what there is and tells the sink. */
void wk_rg_scan(struct wk_rg_sink *s, struct wk_rg_input *in);

/* A printer that --json, -c and the like ask for. */
void wk_rg_print_init(struct wk_rg_sink *s);
void wk_rg_summary_init(struct wk_rg_sink *s);
void wk_rg_json_init(struct wk_rg_sink *s);
void wk_rg_json_end(struct wk_rg *g);
void wk_rg_put(struct wk_rg_sink *s, const char *p, size_t n);
void wk_rg_print_path_of(struct wk_rg_sink *s, const char *path);
bool wk_rg_should_quit(const struct wk_rg_sink *s);
/* How many matches lie in a hit. */
int64_t wk_rg_count_matches(struct wk_rg_sink *s, const struct wk_rg_hit *h);
/* An error of a search is told; the search of this input ends. */
void wk_rg_failed(struct wk_rg_sink *s, int code);

#endif
