/* file.h - what kind of data a file holds: lines of magic, and how they are compared
 *
 * Purpose: the parts of the command `file`. Lines have the form of magic(5): the table that is
 * built in (builtins/magic/) and those of -m are read alike. Owner:   everything lies in the
 * process heap. Limits:  WK_MAGIC_LEVELS levels, WK_MAGIC_DEPTH of use and indirect inside each
 * other; WK_PROBE_BYTES of a file are looked at, and as many at its end for offsets that count from
 * there.
 */
#ifndef WK_BUILTINS_FILE_H
#define WK_BUILTINS_FILE_H

#include "builtins/fsops.h"
#include "builtins/regex.h"
#include "builtins/zone.h"

enum { WK_PROBE_BYTES = 1 << 20, WK_MAGIC_LEVELS = 24, WK_MAGIC_DEPTH = 16, WK_MAGIC_STRING = 128 };

enum wk_magic_type {
    WK_MAGIC_INT,
    WK_MAGIC_DATE,  /* seconds of 1970 */
    WK_MAGIC_WDATE, /* 100 ns of 1601 */
    WK_MAGIC_DOSDATE,
    WK_MAGIC_DOSTIME,
    WK_MAGIC_FLOAT,
    WK_MAGIC_ID3, /* 7 bits a byte */
    WK_MAGIC_OFFSET,
    WK_MAGIC_GUID,
    WK_MAGIC_STRING_, /* from here on: text */
    WK_MAGIC_PSTRING,
    WK_MAGIC_STRING16,
    WK_MAGIC_OCTAL,
    WK_MAGIC_SEARCH,
    WK_MAGIC_REGEX,
    WK_MAGIC_DER, /* and here: none of both */
    WK_MAGIC_DEFAULT,
    WK_MAGIC_CLEAR,
    WK_MAGIC_NAME,
    WK_MAGIC_USE,
    WK_MAGIC_INDIRECT
};
static inline bool wk_magic_is_text(enum wk_magic_type t)
{
    return t >= WK_MAGIC_STRING_ && t <= WK_MAGIC_REGEX;
}

/* Letters behind the slash of a type. */
enum {
    WK_MAGIC_LOWER = 1,    /* c */
    WK_MAGIC_UPPER = 2,    /* C */
    WK_MAGIC_COMPACT = 4,  /* W */
    WK_MAGIC_OPTIONAL = 8, /* w */
    WK_MAGIC_TRIM = 16,
    WK_MAGIC_WORD = 32, /* f */
    WK_MAGIC_TEXT = 64,
    WK_MAGIC_BINARY = 128,
    WK_MAGIC_START = 256,    /* s: what is found begins there for those behind it */
    WK_MAGIC_LINES = 512,    /* l: the range counts lines */
    WK_MAGIC_RELATIVE = 1024 /* r */
};

struct wk_magic_number {
    enum wk_magic_type type; /* INT, FLOAT, ID3, OCTAL */
    uint8_t size;
    bool big, middle, is_unsigned;
};

struct wk_magic {
    uint8_t level;
    enum wk_magic_type type;
    uint8_t size;
    bool big, middle, is_unsigned, local;
    /* where */
    bool relative, from_end, indirect, indirect_relative, in_op_indirect;
    int64_t offset, in_offset;
    struct wk_magic_number in;
    char in_op, mask_op; /* 0: none */
    bool in_inverse, mask_inverse;
    uint64_t mask;
    /* what */
    char reln;
    unsigned flags;
    char pascal; /* B H h L l */
    bool pascal_self;
    uint64_t range;
    uint64_t value;
    double fvalue;
    struct wk_str text;
    struct wk_re *re;
    bool bad_re;
    /* what to say */
    const char *desc, *mime, *ext, *apple;
    bool nospace;
    char factor_op;
    uint32_t factor, line;
    int64_t strength; /* of level 0 */
};

/* Entries: a line of level 0 and those below it. */
struct wk_magic_entry {
    uint32_t first, n;
    bool text; /* looked at once it is known that the file is text */
};

struct wk_magic_set {
    struct wk_magic *v;
    size_t n, cap;
    struct wk_magic_entry *entry;
    size_t nentries, entry_cap;
    const void **order; /* the entries, the strongest first */
    struct wk_magic_entry *named;
    size_t nnamed, named_cap;
};

/* Adds the lines of a text; `name` is for messages, NULL: the table that is built in. False after
 * messages when the text cannot be used. */
bool wk_magic_read(struct wk_cmd *c, struct wk_magic_set *set, const char *name,
                   struct wk_str text);
/* Brings the entries in order. */
void wk_magic_sort(struct wk_cmd *c, struct wk_magic_set *set);
extern const unsigned char wk_magic_builtin[];
extern const size_t wk_magic_builtin_n;

enum wk_file_say { WK_FILE_TEXT, WK_FILE_MIME, WK_FILE_EXT, WK_FILE_APPLE };

/* One file under examination. */
struct wk_probe {
    struct wk_cmd *c;
    const struct wk_magic_set *set;
    enum wk_file_say say;
    bool mime_type, mime_encoding, keep_going, raw;
    struct wk_str data, tail; /* its beginning; its end */
    uint64_t size;
    struct wk_file *file; /* NULL: no regular file */
    const struct wk_stat *st;
    bool text; /* looks like text */
    bool pie;  /* a program that may lie anywhere: for ${x?yes:no} */
    struct wk_buf *out;
    bool separator, printed;
    bool again; /* of -k: what comes stands behind another answer */
    int depth;
    uint32_t budget;
};

/* Compares the entries of one kind with data: whether something was told. */
bool wk_magic_match(struct wk_probe *p, struct wk_str data, bool text_entries);
/* The value at `at` of data; false where there is none. */
bool wk_magic_number(struct wk_str data, uint64_t at, const struct wk_magic_number *n, bool flip,
                     uint64_t *v);
/* Appends a message with the value in it. */
void wk_magic_say(struct wk_probe *p, const struct wk_magic *m, uint64_t v, double f,
                  struct wk_str s);
/* A media type with its choices made. */
const char *wk_magic_annotation(struct wk_probe *p, const char *text);
/* Text whose bytes that are no ASCII to print stand as \ooo. */
void wk_magic_printable(struct wk_buf *b, struct wk_str s);

struct wk_encoding {
    const char *code, *mime, *type;
    bool wide;           /* of UTF-16, UTF-32: `chars` says what it holds */
    struct wk_str chars; /* as UTF-8 */
};
/* How text is encoded; false: it is data (then `mime` says what for). A */
bool wk_encoding_find(struct wk_cmd *c, struct wk_str data, struct wk_encoding *e);
/* ", with very long lines (301), with CRLF line terminators"… */
void wk_encoding_lines(struct wk_probe *p, struct wk_str text);

bool wk_probe_tar(struct wk_probe *p);
bool wk_probe_json(struct wk_probe *p);
bool wk_probe_csv(struct wk_probe *p);
bool wk_probe_cdf(struct wk_probe *p);
/* Whether it is a program rather than a library. */
bool wk_probe_elf_pie(struct wk_probe *p);
/* What stands in the headers of a program: after "ELF …" was told. */
void wk_probe_elf(struct wk_probe *p);

#endif
