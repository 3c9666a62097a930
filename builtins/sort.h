/* sort.h - parts of sort: keys and comparison, sources of lines
 *
 * Everything lies in the process heap. Lines do not include their terminator.
 */
#ifndef WK_BUILTINS_SORT_H
#define WK_BUILTINS_SORT_H

#include "builtins/fsops.h"

enum wk_sort_kind {
    WK_SORT_TEXT,
    WK_SORT_NUMERIC,
    WK_SORT_GENERAL,
    WK_SORT_HUMAN,
    WK_SORT_MONTH,
    WK_SORT_RANDOM,
    WK_SORT_VERSION,
};

struct wk_sort_key {
    size_t sword, schar; /* fields and characters to skip; SIZE_MAX: starts with the line */
    size_t eword, echar; /* eword SIZE_MAX: ends with the line */
    bool start_blanks, end_blanks; /* -b at either end */
    bool dictionary, printing, fold, reverse;
    unsigned kinds; /* bits of 1 << enum wk_sort_kind as given; more than one is an error */
    enum wk_sort_kind kind;
};

struct wk_sort_line {
    const char *p;
    size_t n;
    const char *key; /* of the first key */
    size_t key_n;
};

struct wk_sorter {
    struct wk_cmd *c;
    struct wk_sort_key global;
    struct wk_sort_key *keys;
    size_t n_keys;
    int tab; /* -1: runs of blanks */
    char eol;
    bool unique, stable, reverse; /* reverse: of the last resort */
    bool random;                  /* some key is -R: needs the seed */
    bool global_key;              /* the one key is made of global options */
    bool debug;
    unsigned char seed[16]; /* of -R */
};

/* Reads the ordering letters at p into a key; returns the first other one. `where` is 1 for the
 * start's part, 2 for the end's, 3 for both (-b). */
const char *wk_sort_letters(struct wk_sort_key *k, const char *p, int where);
/* A -k argument; a wrong one ends the process. */
void wk_sort_add_key(struct wk_sorter *s, const char *spec);
void wk_sort_push_key(struct wk_sorter *s, const struct wk_sort_key *k);
/* Gives keys without letters the global ones, checks them; after all options. */
void wk_sort_keys_done(struct wk_sorter *s);

/* Where a key lies in a line. */
struct wk_str wk_sort_find_key(const struct wk_sorter *s, const struct wk_sort_key *k,
                               const struct wk_sort_line *l);
/* Finds the line's first key and a number that orders like it: less numbers are earlier lines;
 * equal ones say nothing. */
uint64_t wk_sort_prepare(const struct wk_sorter *s, struct wk_sort_line *l);
/* Order of two prepared lines; 0 only with -s or -u, or equal bytes. */
int wk_sort_cmp(const struct wk_sorter *s, const struct wk_sort_line *a,
                const struct wk_sort_line *b);

/* -n, -h and -M on text. */
int wk_sort_cmp_numbers(struct wk_str a, struct wk_str b);
int wk_sort_unit(struct wk_str s);
int wk_sort_month(struct wk_str s);

/* Lines of an input; the line stays valid until the next call on the same source. */
struct wk_sort_src {
    struct wk_in *in;
    const char *name;
    char *buf;
    size_t head, n, cap;
    bool eof;
};
/* Ends the process with sort's message when it cannot be opened. */
void wk_sort_open(struct wk_cmd *c, const char *name, struct wk_sort_src *src);
bool wk_sort_next(struct wk_cmd *c, struct wk_sort_src *src, char eol, struct wk_str *line);
void wk_sort_close(struct wk_cmd *c, struct wk_sort_src *src);

/* --debug: remarks on the keys, and a line with its keys underlined. */
void wk_sort_debug_notes(struct wk_sorter *s);
void wk_sort_debug_line(struct wk_sorter *s, struct wk_out *out, const struct wk_sort_line *l);

/* The three ways to work. */
void wk_sort_all(struct wk_sorter *s, char **names, size_t n, const char *output);
void wk_sort_merge(struct wk_sorter *s, char **names, size_t n, const char *output);
int wk_sort_check(struct wk_sorter *s, const char *name, bool quiet);

#endif
