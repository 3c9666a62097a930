/* sort.h - parts of sort: keys and comparison, sources of lines, memory, runs
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
    bool hashes_nul;         /* -R: a key's hash takes the NUL that ends a collation string */
    unsigned char seed[16];  /* of -R */
    uint64_t buffer;         /* -S: bytes to sort in at once; 0: by what the limit leaves */
    uint64_t batch;          /* most files merged at once; 0: as many as there is memory for */
    struct wk_opt_list temp; /* -T */
    size_t next_temp;
    const char *compress; /* --compress-program */
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

/* ---- memory (sort_memory.c) ---- */

/* Bytes that may be held at once when `own` of them are held already. */
size_t wk_sort_budget(const struct wk_sorter *s, size_t own);

/* Lines held in memory until they are sorted. */
struct wk_sort_chunk;
struct wk_sort_chunk *wk_sort_chunk_new(struct wk_sorter *s);
void wk_sort_chunk_free(struct wk_sort_chunk *k);
/* Takes lines from a piece of input; the bytes taken. *full: the lines so far have to go first. */
size_t wk_sort_chunk_take(struct wk_sort_chunk *k, const char *p, size_t n, bool *full);
/* The input ended: what it left unfinished is a line. */
void wk_sort_chunk_end(struct wk_sort_chunk *k);
bool wk_sort_chunk_any(const struct wk_sort_chunk *k);
/* Writes the lines in order and forgets them (an unfinished one stays). P */
void wk_sort_chunk_write(struct wk_sort_chunk *k, struct wk_out *out, bool debug);

/* ---- temporary files (sort_temp.c) ---- */

/* Sorted lines in a file without a name. */
struct wk_sort_run {
    struct wk_file *file;
    const char *name; /* what it was called, for messages */
    uint32_t pid;     /* of the program that packs or unpacks it; 0: none */
    int fd;           /* this end of the pipe to or from it; -1: none */
    unsigned level;   /* how often its lines were merged */
};
/* Makes a run and the stream to write it with. Ends the process when it cannot be made. P A */
struct wk_sort_run *wk_sort_run_new(struct wk_sorter *s, struct wk_out **out);
/* The stream's lines are complete. P */
void wk_sort_run_done(struct wk_sorter *s, struct wk_sort_run *r, struct wk_out *out);
/* From its start: what to read it from. P */
struct wk_file *wk_sort_run_open(struct wk_sorter *s, struct wk_sort_run *r);
/* Read to its end; gone with it. P */
void wk_sort_run_free(struct wk_sorter *s, struct wk_sort_run *r);

/* ---- inputs and merging (sort_merge.c) ---- */

/* Lines of an input; the line stays valid until the next call on the same source. */
struct wk_sort_src {
    struct wk_in *in;
    struct wk_sort_run *run; /* or this one */
    struct wk_file *file;
    const char *name;
    char *buf;
    size_t head, n, cap;
    bool eof;
};
/* Ends the process with sort's message when it cannot be opened. */
void wk_sort_open(struct wk_cmd *c, const char *name, struct wk_sort_src *src);
bool wk_sort_next(struct wk_sorter *s, struct wk_sort_src *src, struct wk_str *line);
void wk_sort_close(struct wk_sorter *s, struct wk_sort_src *src);
/* Borrows the next piece; ends the process on an error. */
size_t wk_sort_piece(struct wk_cmd *c, struct wk_sort_src *src, const char **p);

/* A named input, or a run. */
struct wk_sort_part {
    const char *name;
    struct wk_sort_run *run;
};
/* How many inputs are merged at once. */
size_t wk_sort_batch(const struct wk_sorter *s);
/* Merges parts until no more than a batch is left. */
void wk_sort_reduce(struct wk_sorter *s, struct wk_sort_part *parts, size_t *n);
/* Merges parts (no more than a batch) into the stream. */
void wk_sort_join(struct wk_sorter *s, const struct wk_sort_part *parts, size_t n,
                  struct wk_out *out, bool debug);
/* Merges runs into a new one. */
struct wk_sort_run *wk_sort_join_runs(struct wk_sorter *s, const struct wk_sort_part *parts,
                                      size_t n);

/* --debug: remarks on the keys, and a line with its keys underlined. */
void wk_sort_debug_notes(struct wk_sorter *s);
void wk_sort_debug_line(struct wk_sorter *s, struct wk_out *out, const struct wk_sort_line *l);

/* ---- the three ways to work (sort_lines.c) ---- */

void wk_sort_all(struct wk_sorter *s, char **names, size_t n, const char *output);
void wk_sort_merge(struct wk_sorter *s, char **names, size_t n, const char *output);
int wk_sort_check(struct wk_sorter *s, const char *name, bool quiet);

/* Writes a line, and its terminator. */
static inline void wk_sort_put(struct wk_sorter *s, struct wk_out *out,
                               const struct wk_sort_line *l, bool debug)
{
    if (WK_UNLIKELY(debug)) {
        wk_sort_debug_line(s, out, l);
        return;
    }
    wk_out_put(out, l->p, l->n);
    wk_out_char(out, s->eol);
}

#endif
