/* awk_machine.h - the state of a running awk program */
#ifndef WK_BUILTINS_AWK_MACHINE_H
#define WK_BUILTINS_AWK_MACHINE_H

#include "base/utf8.h"
#include "builtins/awk_code.h"
#include "builtins/awk_value.h"
#include "text/re/re.h"

/* ---- the machine ---- */

/* One input: a file, the standard input, or a command's output. */
struct awk_input {
    struct wk_in *in;
    char *buf; /* for separators that are expressions, and paragraphs */
    size_t head, n, cap;
    bool begun;       /* ^ in RS is the start of the input */
    bool eof, failed; /* failed: it could not be opened, and BEGINFILE may say what to do */
};

struct awk_redir {
    struct awk_redir *next;
    struct awk_str *name;
    enum awk_way way;
    struct wk_out *out;
    struct awk_input input;
    int fd, in_fd; /* of our ends of pipes; -1 */
    uint32_t pid;
};

struct awk_re {
    struct awk_re *next;
    struct wk_re *re;
    struct awk_str *text;
    bool icase, busy;
    bool many;   /* of set: one or more of them */
    bool *set;   /* the bytes one of which it matches; NULL: it is more than that */
};

struct awk_field {
    size_t at, n;
    bool made; /* v holds it */
    struct awk_val v;
};

enum awk_split {
    AWK_SPLIT_BLANKS,
    AWK_SPLIT_CHAR,
    AWK_SPLIT_RE,
    AWK_SPLIT_EACH,
    AWK_SPLIT_WIDTHS,
    AWK_SPLIT_PATTERN,
    AWK_SPLIT_CSV
};

/* Of a call: where to go on, and the caller's base. */
struct awk_frame {
    size_t base;
    uint32_t back, func;
};

struct awk_record {
    struct awk_str *text;
    struct awk_val value;    /* $0 */
    bool stale;              /* fields were changed: the text is to be made again */
    bool counted;            /* all fields are known */
    bool ended;              /* the last separator was passed */
    size_t nf, cap, at;      /* fields found, room for them, where the search goes on */
    size_t made;             /* no field behind it is made */
    struct awk_field *field; /* 1 … nf */
};

struct awk_loop; /* awk_parse.c */

struct awk {
    struct wk_cmd *c;
    struct awk_code code;
    struct awk_val *consts;
    size_t nconsts, consts_cap;
    struct awk_re **regexes; /* constant ones */
    size_t nregexes, regexes_cap;
    struct awk_func *funcs;
    size_t nfuncs, funcs_cap;
    const char **names; /* of the globals */
    struct awk_val *globals;
    size_t nglobals, globals_cap;
    uint32_t ranges; /* patterns with two ends */
    bool *range_on;
    uint32_t at_begin, at_main, at_end, at_begin_file, at_end_file;
    bool has_begin, has_main, has_end, has_begin_file, has_end_file;

    const uint32_t *pc;   /* behind the word that is being done; NULL: none */
    const char **sources; /* names of the program's files; NULL: the command line */
    const char **files;   /* where they are */
    size_t nsources;
    struct awk_parser *parser; /* while the program is compiled */
    bool warned[2][256];       /* of escapes in strings, and in regular expressions */
    bool warned_bytes;         /* of what is no UTF-8 */
    const char *rule;          /* "BEGIN" and the like, while one runs */
    struct awk_val *stack;
    size_t top, stack_cap, base;
    struct awk_frame *frames;
    size_t nframes, frames_cap;
    struct awk_val *cells[3]; /* what the kinds of cells count from */
    unsigned depth; /* of machines within machines: comparisons that awk_sort asks for */

    struct awk_record rec;
    struct awk_str *sorted_in;                                  /* "sorted_in" */
    struct wk_str fs, rs_text, ofs, ors, subsep, convfmt, ofmt; /* as last stored */
    enum awk_split split;
    char split_char;
    struct awk_re *split_re;
    size_t *widths, nwidths; /* skip and width in turns */
    enum { AWK_RS_LINE, AWK_RS_CHAR, AWK_RS_PARAGRAPH, AWK_RS_RE, AWK_RS_CSV } rs;
    char rs_char;
    struct awk_re *rs_re;
    bool icase;
    double nr, fnr;

    struct awk_input input; /* the main one */
    int argind;
    bool input_done, any_file, uses_rt;
    struct awk_redir *redirs;
    struct awk_re *cache[64];
    size_t cached;
    struct awk_str *empty, *small[256]; /* one-byte strings */
    struct awk_str *spare[17];          /* freed ones, by room in steps of 32 */
    struct awk_elem *spare_elem;
    struct awk_random *random; /* awk_random.c */
    int64_t seed;
    bool old; /* -P, -c: nothing of gawk's own */
    bool exiting, in_end, utf8, posix, csv;
    int status;
    bool sandbox;
    struct awk_array *dead; /* to be freed */
    struct awk_array *symtab; /* NULL: the program does not name it */
    bool burying;
    bool pipes; /* one was written to: SIGPIPE is ignored, which was so before for: */
    uint64_t ignored_before;
    bool inplace, nondecimal, exec; /* exec: -E, no operand is an assignment */
    struct wk_out *standard;   /* inplace: where output goes between files */
    const char *temp, *target; /* inplace: the new file, and whose place it takes */
    void *scratch;             /* awk_regex.c */
    struct wk_buf *buffer;
    bool format_busy;
};

static inline struct awk_str *awk_to_str(struct awk *a, struct awk_val *v)
{
    return v->has_str ? v->str : wk_awk_to_str_slow(a, v, a->convfmt);
}

static inline uint32_t awk_fold(const struct awk *a, uint32_t ch)
{
    if (a->utf8 && !wk_utf8_is_bad(ch))
        return wk_utf8_lower(ch);
    bool latin = ch >= 0xc0 && ch <= 0xde && ch != 0xd7; /* also where characters are bytes, as in gawk */
    return ch < 0x80 ? (uint32_t)wk_to_lower((int)ch) : latin ? ch + 0x20 : ch;
}

/* As the options say. */
static inline double awk_scan_as(const struct awk *a, struct wk_str s, bool *whole)
{
    return a->nondecimal ? wk_awk_scan_any(s, whole) : a->posix ? wk_awk_scan_posix(s, whole) : wk_awk_scan(s, whole);
}

#endif
