/* ptx.h - ptx: the words of texts, and lines that show each in its context
 *
 * Owner: everything is in the process heap; texts stay in memory, what is found in them points
 * there.
 */
#ifndef WK_BUILTINS_PTX_H
#define WK_BUILTINS_PTX_H

#include "builtins/regex.h"

enum ptx_format { PTX_UNKNOWN, PTX_PLAIN, PTX_ROFF, PTX_TEX };

struct ptx_opts {
    bool auto_reference, input_reference, right_reference, traditional, fold, typeset;
    int format;
    const char *truncation, *macro, *sentence, *word, *break_file, *ignore_file, *only_file;
    int64_t gap, width;
};

/* Words of a file, in order. */
struct ptx_words {
    struct wk_str **v;
    size_t n;
};

/* A keyword: the context is [left, right). */
struct ptx_word {
    const char *start, *end, *left, *right;
    const char *reference; /* where its line's first field begins (-r) */
    uint64_t line;         /* lines before it in all texts (-A) */
    size_t text;           /* which one */
};

struct ptx_text {
    const char *name; /* empty for standard input */
    const char *start, *end;
    uint64_t lines_end; /* lines of all texts, this one included */
};

struct ptx {
    struct wk_cmd *c;
    const struct ptx_opts *o;
    bool is_word[256];     /* bytes of words, without -W */
    struct wk_re *word_re; /* -W */
    struct wk_re *word_at; /* the same, at the start only */
    struct wk_re *sentence_re;
    bool by_lines, whole; /* contexts are lines; or texts */
    struct wk_re_run run;
    struct ptx_words ignore, only;
    struct ptx_text *text;
    size_t texts;
    struct ptx_word **word;
    size_t n, cap;
    size_t longest;         /* of all words */
    size_t reference_width; /* of the longest */
};

/* ---- ptx_scan.c -------------------------------------------------------------------------------
 */

bool wk_ptx_is_space(char ch);
int wk_ptx_compare(const struct ptx *p, struct wk_str a, struct wk_str b);
/* Reads words, one a line. */
void wk_ptx_read_words(struct ptx *p, const char *path, struct ptx_words *out);
/* Finds the words of a text. */
void wk_ptx_scan(struct ptx *p, size_t text);
/* Sorts all that were found. */
void wk_ptx_sort(struct ptx *p);
/* Where the word at `at` ends, or the next character when none begins there; at most `limit`. */
const char *wk_ptx_skip(struct ptx *p, const char *at, const char *limit);

/* ---- ptx_output.c -----------------------------------------------------------------------------
 */

void wk_ptx_put(struct ptx *p);

#endif
