/* jq_value.h - jq's values: null, booleans, numbers, strings, arrays and objects
 *
 * Owner: strings, arrays, objects and literal numbers are counted; a struct jq_val owns one count.
 *        A function "takes" an argument when the count becomes its own (it is released or kept),
 *        and "borrows" it otherwise. A value with a single owner is changed in place.
 * Memory: the process heap; nothing here fails for want of it (the process ends).
 * Depth: values nest as deep as memory allows; releasing, comparing and printing use no recursion
 *        beyond WK_JQ_DEPTH.
 */
#ifndef WK_BUILTINS_JQ_VALUE_H
#define WK_BUILTINS_JQ_VALUE_H

#include "base/buf.h"
#include "builtins/jq_pool.h"

struct jq; /* the running program (jq.h) */

enum {
    WK_JQ_DEPTH = 10000 /* most nesting that is read, printed and compared */
};

/* In the order in which jq sorts them. */
enum jq_kind {
    JQ_NONE, /* no value: what an exhausted generator gives; never inside another value */
    JQ_NULL,
    JQ_FALSE,
    JQ_TRUE,
    JQ_NUMBER,
    JQ_STRING,
    JQ_ARRAY,
    JQ_OBJECT
};

struct jq_str {
    uint32_t refs;
    uint32_t hash;  /* of the bytes; 0: not computed yet */
    uint32_t chars; /* one more than the number of characters; 0: not counted yet */
    size_t n, cap;  /* UTF-8, always valid, then a NUL that is not counted; may hold NULs */
    char bytes[];
};

/* A number whose text says more than a double holds. */
struct jq_literal {
    uint32_t refs;
    uint32_t n, room; /* of text */
    double num;
    char text[]; /* canonical decimal, as it is printed */
};

struct jq_val {
    uint8_t kind;
    bool is_literal; /* JQ_NUMBER: `literal` and not `num` */
    bool is_text;    /* JQ_NUMBER: it was written so, and not computed: compared as a decimal */
    union {
        double num;
        struct jq_literal *literal;
        struct jq_str *str;
        struct jq_array *array;
        struct jq_object *object;
    };
};

/* at[0..n) may be read by all; it may be changed after wk_jq_array_own. */
struct jq_array {
    uint32_t refs;
    uint32_t few_n; /* room of `few` */
    size_t n, cap;  /* cap: from `at` on; 0 when the elements are another's */
    struct jq_val *at;
    struct jq_val *block; /* what to free: the elements' block, of all of them; NULL: `few` or another's */
    size_t block_n;       /* its room */
    struct jq_array *of;  /* whose elements these are, NULL: its own */
    uint64_t link;        /* of a dying array (jq_value.c) */
    struct jq_val few[];
};

/* ---- counting ---- */

void wk_jq_free_slow(struct jq *q, struct jq_val v);
static inline bool jq_is_counted(struct jq_val v)
{
    return v.kind >= JQ_STRING || v.is_literal;
}
/* Another owner; every counted thing begins with its count. What reaches the greatest count stays
 * for ever. */
static inline struct jq_val jq_copy(struct jq_val v)
{
    if (jq_is_counted(v)) {
        uint32_t *refs = (uint32_t *)(void *)v.str;
        *refs += *refs != UINT32_MAX;
    }
    return v;
}
static inline void jq_free(struct jq *q, struct jq_val v)
{
    if (jq_is_counted(v)) {
        uint32_t *refs = (uint32_t *)(void *)v.str;
        if (*refs != UINT32_MAX && --*refs == 0)
            wk_jq_free_slow(q, v);
    }
}
static inline bool jq_is_single(struct jq_val v)
{
    return *(uint32_t *)(void *)v.str == 1;
}

/* ---- scalars ---- */

static inline struct jq_val jq_null(void)
{
    return (struct jq_val){.kind = JQ_NULL};
}
static inline struct jq_val jq_bool(bool b)
{
    return (struct jq_val){.kind = b ? JQ_TRUE : JQ_FALSE};
}
static inline struct jq_val jq_number(double d)
{
    return (struct jq_val){.kind = JQ_NUMBER, .num = d};
}
static inline struct jq_val jq_none(void)
{
    return (struct jq_val){.kind = JQ_NONE};
}
static inline double jq_num(struct jq_val v) /* of a JQ_NUMBER */
{
    return v.is_literal ? v.literal->num : v.num;
}
static inline bool jq_truthy(struct jq_val v)
{
    return v.kind > JQ_FALSE;
}
/* "null" "boolean" "number" "string" "array" "object". */
const char *wk_jq_kind_name(struct jq_val v);
/* A number from its JSON text (checked before): a literal when a double would lose something. */
struct jq_val wk_jq_number_text(struct jq *q, struct wk_str text);

/* ---- strings ---- */

/* A copy of bytes; invalid UTF-8 becomes U+FFFD as jq does. */
struct jq_val wk_jq_string(struct jq *q, struct wk_str s);
/* The same of bytes known to be valid. */
struct jq_val wk_jq_string_valid(struct jq *q, struct wk_str s);
/* What a buffer over wk_heap_mem holds (valid UTF-8); the buffer is released. */
struct jq_val wk_jq_string_take(struct jq *q, struct wk_buf *b);
static inline struct wk_str jq_slice(struct jq_val v)
{
    return wk_str(v.str->bytes, v.str->n);
}
size_t wk_jq_chars(struct jq_val s); /* its number of characters */
/* s with bytes behind it; takes s, in place when it has a single owner (amortised). */
struct jq_val wk_jq_append(struct jq *q, struct jq_val s, struct wk_str more);

/* ---- arrays ---- */

struct jq_val wk_jq_array(struct jq *q, size_t room);
/* Appends; takes both. */
struct jq_val wk_jq_push(struct jq *q, struct jq_val array, struct jq_val v);
/* Sets element i < WK_JQ_ARRAY_MAX, filling up with null; takes both. */
struct jq_val wk_jq_array_set(struct jq *q, struct jq_val array, size_t i, struct jq_val v);
/* [from, to) of it; takes it. */
struct jq_val wk_jq_array_slice(struct jq *q, struct jq_val array, size_t from, size_t to);
/* Makes the array the only owner of its elements' storage, so that array.array->at may be changed. Takes it. */
struct jq_val wk_jq_array_own(struct jq *q, struct jq_val array);

/* ---- objects: in the order of insertion ---- */

struct jq_val wk_jq_object(struct jq *q, size_t room);
size_t wk_jq_object_n(struct jq_val object);
/* The value of a key, borrowed; NULL when it is not there. */
const struct jq_val *wk_jq_object_get(struct jq_val object, struct jq_val key);
const struct jq_val *wk_jq_object_get_str(struct jq_val object, struct wk_str key);
/* Sets; takes all three. */
struct jq_val wk_jq_object_set(struct jq *q, struct jq_val object, struct jq_val key, struct jq_val v);
struct jq_val wk_jq_object_delete(struct jq *q, struct jq_val object, struct wk_str key); /* takes object */
/* The entries from *at on (0 at first); false at the end. Borrowed; the object must not change. */
bool wk_jq_object_next(struct jq_val object, size_t *at, struct jq_val *key, struct jq_val *v);
/* Its keys in order of code points, borrowed: n of them in the heap (free with wk_heap_free). */
struct jq_val *wk_jq_keys_sorted(struct jq *q, struct jq_val object, size_t *n);

/* ---- order, text ---- */

/* < 0, 0, > 0 in jq's order (nan below every number, itself included); borrows both. False with an
 * error set. Two that are one (the same container) are equal also with nan in them. */
bool wk_jq_compare(struct jq *q, struct jq_val a, struct jq_val b, int *order);
bool wk_jq_equal(struct jq *q, struct jq_val a, struct jq_val b, bool *equal);

enum { /* how a value is printed */
    JQ_PRINT_SORT = 1,   /* -S */
    JQ_PRINT_ASCII = 2,  /* -a */
    JQ_PRINT_TABS = 4,   /* --tab */
    JQ_PRINT_COLOUR = 8, /* -C */
    JQ_PRINT_LINES = 16 /* on many lines also where indent is 0 */
};
struct jq_style {
    unsigned flags;
    unsigned indent; /* 0: on one line */
    const struct wk_str *colours; /* JQ_PRINT_COLOUR: of the kinds from null on, then of keys: 8 */
};
/* Appends the JSON text of v (borrowed) to a buffer over wk_heap_mem. */
void wk_jq_print(struct jq *q, struct jq_val v, const struct jq_style *style, struct wk_buf *b);
/* The same; what fills the buffer goes to `out`, the end of the text stays in it. P */
void wk_jq_print_out(struct jq *q, struct jq_val v, const struct jq_style *style, struct wk_buf *b,
                     struct wk_out *out);
/* tojson: compact text as a string; takes v. */
struct jq_val wk_jq_tojson(struct jq *q, struct jq_val v);
/* The text of a number as jq prints it: at most 32 bytes and for literals as long as they are. */
void wk_jq_print_number(struct jq *q, struct jq_val v, struct wk_buf *b);
/* fromjson: false with an error set. Borrows. */
bool wk_jq_fromjson(struct jq *q, struct wk_str text, struct jq_val *out);

#endif
