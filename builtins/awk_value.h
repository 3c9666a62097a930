/* awk_value.h - awk's strings, values and arrays
 *
 * Strings and arrays are counted; a value owns one count. Everything lives in the process heap, so
 * nothing here fails.
 */
#ifndef WK_BUILTINS_AWK_VALUE_H
#define WK_BUILTINS_AWK_VALUE_H

#include "builtins/fsops.h"

struct awk;

/* What a value cannot be used for: says so and ends the process. */
WK_NORETURN void wk_awk_fatal(struct awk *a, const char *fmt, ...) WK_PRINTF(2, 3);

/* ---- strings ---- */

struct awk_str {
    uint32_t refs;
    uint32_t chars;     /* one more than the number of characters; 0: not counted yet; AWK_FRESH_KEY */
    size_t n, cap;      /* cap 0: the bytes are another's */
    const char *p;      /* behind it, or in `of` */
    struct awk_str *of; /* whose bytes these are */
};

/* What `for (k in a)` gives for a number: compared with numbers as one until it is used as the string that it is. */
#define AWK_FRESH_KEY UINT32_MAX

/* A string with room for n bytes, which the caller fills in (awk_str_bytes). */
struct awk_str *wk_awk_str_new(struct awk *a, size_t n);
struct awk_str *wk_awk_str_of(struct awk *a, const char *p, size_t n);
/* A part of a string: short ones are copied, others share the bytes. */
struct awk_str *wk_awk_str_part(struct awk *a, struct awk_str *s, size_t at, size_t n);
/* What the buffer (over the heap's account) holds; it is released. */
struct awk_str *wk_awk_str_take(struct awk *a, struct wk_buf *b);
void wk_awk_str_free(struct awk *a, struct awk_str *s);
static inline char *awk_str_bytes(struct awk_str *s)
{
    return (char *)(s + 1);
}
static inline struct awk_str *awk_str_ref(struct awk_str *s)
{
    s->refs++;
    return s;
}
static inline void awk_str_unref(struct awk *a, struct awk_str *s)
{
    if (--s->refs == 0)
        wk_awk_str_free(a, s);
}
/* What it holds: from now on it is a string and nothing else. */
static inline struct wk_str awk_slice(struct awk_str *s)
{
    if (WK_UNLIKELY(s->chars == AWK_FRESH_KEY))
        s->chars = 0;
    return wk_str(s->p, s->n);
}

/* ---- values ---- */

enum awk_type {
    AWK_UNSET, /* neither: 0 and "" */
    AWK_NUM,
    AWK_STR,
    AWK_INPUT, /* text from outside: a number when it looks like one, which is looked at when asked
                  for */
    AWK_ABSENT, /* in an array alone: no element */
    AWK_ARRAY,
    AWK_REF,    /* an argument that may become an array: the slot of the caller's variable */
    AWK_ITER,   /* what `for (k in a)` still has to visit */
    AWK_PATTERN /* a constant regular expression as an argument: its slot */
};

struct awk_val {
    uint8_t type;
    bool has_str; /* STR, INPUT; or NUM whose text is known */
    bool strnum;  /* NUM: it was text from outside */
    bool regexp;  /* STR: @/…/ */
    bool scalar;  /* UNSET: was asked for its value, so that it can be no array; "" of a field that there is not */
    double num;
    union {
        struct awk_str *str;
        struct awk_array *array;
        struct awk_iter *iter;
        size_t slot;
    };
};

/* A key of an array: its text, or the number whose text was not made (NULL). */
struct awk_key {
    struct awk_str *text;
    int64_t number;
};

struct awk_iter {
    size_t n, at;
    bool texts_only; /* as in the array */
    struct awk_key *keys;
};

static inline struct awk_val awk_num(double v)
{
    return (struct awk_val){.type = AWK_NUM, .num = v};
}
static inline struct awk_val awk_string(struct awk_str *s)
{
    return (struct awk_val){.type = AWK_STR, .has_str = true, .str = s};
}
static inline struct awk_val awk_input(struct awk_str *s)
{
    return (struct awk_val){.type = AWK_INPUT, .has_str = true, .str = s};
}
void wk_awk_drop_slow(struct awk *a, struct awk_val *v);
/* Gives up what the value owns. */
static inline void awk_drop(struct awk *a, struct awk_val *v)
{
    if (v->has_str)
        awk_str_unref(a, v->str);
    else if (v->type >= AWK_ARRAY)
        wk_awk_drop_slow(a, v);
}
/* Another owner of the same. */
static inline struct awk_val awk_copy(const struct awk_val *v)
{
    if (v->has_str)
        v->str->refs++;
    return *v;
}
double wk_awk_to_num_slow(struct awk *a, struct awk_val *v);
static inline double awk_to_num(struct awk *a, struct awk_val *v)
{
    return v->type == AWK_NUM ? v->num : wk_awk_to_num_slow(a, v);
}
/* The text of the value; it stays the value's and is valid as long as that. */
struct awk_str *wk_awk_to_str_slow(struct awk *a, struct awk_val *v, struct wk_str format);
static inline struct awk_str *awk_to_str(struct awk *a, struct awk_val *v);
bool wk_awk_is_true(struct awk *a, struct awk_val *v);
/* Settles whether text from outside is a number. */
void wk_awk_settle(struct awk *a, struct awk_val *v);
/* < 0, 0, > 0; 2: not comparable (NaN). */
int wk_awk_compare(struct awk *a, struct awk_val *x, struct awk_val *y);
/* The number at the start of the text; *whole: there was nothing but blanks around it. */
double wk_awk_scan(struct wk_str s, bool *whole);
double wk_awk_scan_any(struct wk_str s, bool *whole); /* hexadecimal and octal, too */
double wk_awk_scan_posix(struct wk_str s, bool *whole); /* all that strtod reads */
/* The string of a key that is a number. */
struct awk_str *wk_awk_key_str(struct awk *a, int64_t number);
/* A number as text, by a format when it is no integer. */
struct awk_str *wk_awk_num_str(struct awk *a, double v, struct wk_str format);

/* ---- arrays ---- */

struct awk_elem {
    struct awk_elem *next;
    struct awk_key key; /* text NULL: a number */
    uint32_t hash;
    struct awk_val v;
};

struct awk_table {
    struct awk_elem **bucket;
    size_t size, n;
};

struct awk_array {
    uint32_t refs;
    enum { AWK_BY_VARIABLE = 1, AWK_BY_FUNCTION } by_name : 8; /* SYMTAB, FUNCTAB; 0: an array like others */
    bool texts_only; /* the first key was no small whole number */
    size_t n;        /* elements in all */
    const char *name; /* of the variable; NULL: it is in another array */
    struct awk_array *next_dead;
    struct awk_val *dense; /* natural numbers below dense_cap; AWK_ABSENT where there is none */
    size_t dense_cap, dense_n;
    struct awk_table texts, numbers; /* other keys; larger numbers */
};

struct awk_array *wk_awk_array_new(struct awk *a);
void wk_awk_array_unref(struct awk *a, struct awk_array *t);
/* The element of a key (which stays the caller's); NULL unless it is there or `create`. Valid until the next
 * element is made. */
struct awk_val *wk_awk_array_at(struct awk *a, struct awk_array *t, struct awk_val *key, bool create);
/* The same for a key that is no value yet. */
struct awk_val *wk_awk_array_at_text(struct awk *a, struct awk_array *t, struct wk_str key, bool create);
struct awk_val *wk_awk_array_at_number(struct awk *a, struct awk_array *t, int64_t key, bool create);
/* The small whole number below 0 that the text is; 0: it is none. */
int64_t wk_awk_negative_key(struct wk_str s);
void wk_awk_array_delete(struct awk *a, struct awk_array *t, struct awk_val *key);
void wk_awk_array_clear(struct awk *a, struct awk_array *t);
/* Sets a[key] = v (taken over); for ENVIRON, split and the like. */
void wk_awk_array_set(struct awk *a, struct awk_array *t, struct awk_str *key, struct awk_val v);
void wk_awk_array_set_at(struct awk *a, struct awk_array *t, int64_t key, struct awk_val v);
/* The keys in the order of for (k in a): t->n of them, in the heap, each with a count of its own. */
struct awk_key *wk_awk_array_keys(struct awk *a, struct awk_array *t);
/* The element at hand is a number's: found without a call. */
static inline struct awk_val *awk_array_dense(const struct awk_array *t, double key)
{
    size_t i = key >= 0 && key < 9e15 ? (size_t)key : SIZE_MAX;
    return i < t->dense_cap && (double)i == key && t->dense[i].type != AWK_ABSENT ? &t->dense[i] : NULL;
}

#endif
