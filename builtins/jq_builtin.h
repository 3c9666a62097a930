/* jq_builtin.h - what the files of jq's functions written in C share */
#ifndef WK_BUILTINS_JQ_BUILTIN_H
#define WK_BUILTINS_JQ_BUILTIN_H

#include "builtins/jq.h"

enum {
    WK_JQ_SHORT = 30 /* room for a value in a message */
};

/* A table of one file. */
struct jq_table {
    const struct jq_builtin *at;
    size_t n;
};
extern const struct jq_table wk_jq_arith_table, wk_jq_string_table, wk_jq_format_table, wk_jq_regex_table,
    wk_jq_date_table, wk_jq_math_table, wk_jq_sorting_table, wk_jq_tree_table, wk_jq_value_table,
    wk_jq_stream_table, wk_jq_session_table;

/* The i-th function written in jq; NULL past the last. */
const struct jq_prelude *wk_jq_prelude_at(size_t i);

/* Frees the arguments of a function with n of them besides its input. */
static inline void jq_free_args(struct jq *q, const struct jq_val *a, unsigned n)
{
    for (unsigned i = 0; i <= n; i++)
        jq_free(q, a[i]);
}

/* An empty buffer for text that becomes a value; nothing that may park (wk_tick) while it holds text. */
static inline struct wk_buf jq_buf(struct jq *q)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(q->c->heap), SIZE_MAX / 2);
    return b;
}

/* A double cut to a whole number within the limits of int64_t; nan is 0. */
int64_t wk_jq_int(double d);

/* The absolute value of a number, literals kept; takes v. */
struct jq_val wk_jq_abs(struct jq *q, struct jq_val v);

/* ---- strings (jq_strings.c) ---- */

/* Both are strings: an array of the parts of s between separators; borrows. */
struct jq_val wk_jq_split(struct jq *q, struct jq_val s, struct jq_val separator);
/* n copies of s, which is taken; null for n < 0; false when the result is too long. */
bool wk_jq_repeat(struct jq *q, struct jq_val s, double n, struct jq_val *out);
/* What tostring gives: a string itself, the JSON text of others; takes v. */
struct jq_val wk_jq_tostring(struct jq *q, struct jq_val v);
/* Where `from` bytes of s are in characters, knowing that byte `*at` is character `*chars`; moves them. */
size_t wk_jq_chars_at(struct wk_str s, size_t from, size_t *at, size_t *chars);

/* ---- order (jq_sorting.c) ---- */

/* The elements in order, equal ones in the order they had; takes the array. */
bool wk_jq_sort(struct jq *q, struct jq_val array, struct jq_val *out);

/* ---- iteration ---- */

/* Whether v has members; else raises "Cannot iterate over …" (v stays the caller's). */
bool wk_jq_check_iterable(struct jq *q, struct jq_val v);
/* The members of an array or object from *at on (0 at first), borrowed; false at the end. */
bool wk_jq_each(struct jq_val v, size_t *at, struct jq_val *member);

#endif
