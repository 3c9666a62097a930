/* re.h - regular expressions: POSIX basic and extended with GNU's additions, and Perl's
 *
 * Basic and extended expressions run on a lazy DFA: leftmost-longest, linear in the subject
 * whatever the pattern. Groups are located inside the span already known. Back-references and
 * Perl's syntax run on PCRE2 with limits; reaching one is an error, never "no match".
 *
 * A compiled expression keeps its caches in its account. It may be used by several fibers of one
 * session in turn, also when a `step` callback parks in the midst of a search: each running search
 * has a cache of its own. Caches of a search that is never resumed are freed with the expression.
 *
 * Characters: UTF-8, or bytes with WK_RE_BYTES. A byte that is not part of a character is matched
 * by nothing but itself (not by '.', not by [^x]), as in GNU grep.
 */
#ifndef WK_TEXT_RE_H
#define WK_TEXT_RE_H

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

enum {
    WK_RE_EXTENDED = 1,     /* ERE; else BRE */
    WK_RE_PERL = 2,         /* PCRE syntax (grep -P); excludes the two before */
    WK_RE_LITERAL = 4,      /* fixed text (grep -F) */
    WK_RE_ICASE = 8,
    WK_RE_NEWLINE = 16,     /* REG_NEWLINE, sed's M: ^ $ also at newlines; . and [^x] not newline */
    WK_RE_BYTES = 64,       /* characters are bytes (LC_ALL=C) */
    WK_RE_NOSUB = 128,      /* groups will not be asked for (faster) */
    WK_RE_ALTS = 256,       /* the pattern is a list of alternatives separated by newlines (grep) */
    WK_RE_WORD = 512,       /* matches must be whole words (grep -w) */
    WK_RE_LINE = 1024,      /* matches must be whole lines (grep -x) */
    WK_RE_GREP = 2048,      /* grep's leniency: `*a`, `a**`, `a{1` … are taken as grep -E does;
                               else as regcomp does (bash =~, sed, expr) */
    WK_RE_NUL_DOT = 4096,   /* . and [^x] do not match NUL (find, regcomp on C strings) */
    WK_RE_EMACS = 16384,    /* find's default -regex syntax; with WK_RE_NEWLINE [^x] is a newline, too */
    WK_RE_STRICT_PAREN = 32768, /* an unmatched ')' in an ERE, and "[:space:]", are errors (sed) */
    WK_RE_ANCHORS = 65536,      /* ^ $ also at newlines, nothing else of WK_RE_NEWLINE (ptx) */
    WK_RE_LINE_DOT = 131072,    /* . is not a newline (find's emacs syntax) */
    WK_RE_REPEATS = 262144      /* BRE: `a**` and `\{1\}a` are taken as grep does (expr) */
};


struct wk_re_span {
    ptrdiff_t start, end; /* byte offsets in the subject; -1, -1 for a group that took no part */
};

/* Services of the caller; all may be NULL. */
struct wk_re_env {
    /* Runs fn(arg) on a deep stack and returns its result (PCRE2's compiler needs one). */
    int (*lib_call)(void *ctx, int (*fn)(void *arg), void *arg);
    void *ctx;
    size_t cache_bytes; /* most memory for cached states; 0 = 1 MiB */
    size_t max_states;  /* most positions of the expanded pattern ({n,m} multiply); 0 = 100,000 and two a byte of it */
    bool plain;         /* the automaton alone, without looking for texts first: for tests */
};

/* What one search may use; zeroed = no limit. */
struct wk_re_run {
    /* Called about every 64 KiB of work with the bytes looked at since the last call; anything but
     * 0 (a negative code) ends the search and is returned by it. May park the fiber. */
    int (*step)(void *ctx, size_t bytes);
    void *ctx;
    size_t pending;     /* bytes not yet reported */
    bool not_bol;       /* the start of the subject is not the start of a line */
    bool not_eol;       /* the end of the subject is not the end of a line */
    bool same;          /* all searches of this run are in one subject, which does not change: what
                           one learns of the text behind its match shortens the next */
    uint64_t learnt;    /* their own; 0 before the first */
    uint32_t pcre_limit; /* PCRE2's match limit; 0 = 10,000,000 */
};

struct wk_re;

/* Why a pattern was refused, in glibc's words ("Unmatched ( or \\("); `at` is a byte offset. */
struct wk_re_error {
    char text[128];
    size_t at;
    int code; /* regcomp's: 1 REG_NOMATCH … REG_ERPAREN 16; 0 for Perl */
};

/* Compiles. 0 and *out; -WK_EINVAL with *err filled in (err may be NULL), -WK_ENOMEM, -WK_ELIMIT
 * (too large once expanded). env may be NULL. */
WK_NODISCARD int wk_re_compile(struct wk_mem *m, struct wk_str pattern, unsigned flags,
                               const struct wk_re_env *env, struct wk_re **out,
                               struct wk_re_error *err);
/* Counted, not atomically; NULL is allowed. */
struct wk_re *wk_re_ref(struct wk_re *re);
void wk_re_unref(struct wk_re *re);

/* Number of groups (without the whole). */
size_t wk_re_groups(const struct wk_re *re);
/* What grep warns about (WK_RE_GREP): "* at start of expression" …; NULL when i is past the last.
 * Static. */
const char *wk_re_warning(const struct wk_re *re, size_t i);

/* Finds the first match that starts at or after byte `from`; text before `from` counts as context
 * for ^ \b \< and the like. Fills spans[0..n) (the whole, then the groups; those past wk_re_groups
 * get -1); n = 0 only asks whether there is one, n = 1 costs less than groups.
 * 1 found, 0 not, -WK_ENOMEM, -WK_ELIMIT (PCRE2's limits), or what `step` answered. run may be
 * NULL. */
WK_NODISCARD int wk_re_search(struct wk_re *re, struct wk_re_run *run, struct wk_str subject,
                              size_t from, struct wk_re_span *spans, size_t n);

/* Finds the first line of `buf` at or after `from` (which begins a line) that has a match. Lines
 * end at `eol`; the last may lack it. *line gets the line's span without its end. Much faster than
 * a search per line. Returns as wk_re_search. */
WK_NODISCARD int wk_re_find_line(struct wk_re *re, struct wk_re_run *run, struct wk_str buf,
                                 size_t from, char eol, struct wk_re_span *line);

enum { WK_RE_BLOCK = 131072 };

/* Some lines of a buffer and which of them have a match. */
struct wk_re_lines {
    size_t from, to; /* they are buf[from, to) */
    size_t at;       /* where wk_re_lines_next goes on */
    char eol;
    uint64_t marks[WK_RE_BLOCK / 64];
};

/* Judges the lines of `buf` from `from` on (which begins one) and sets from and to: as many as fit
 * a block, one at least. For grep: faster than finding one after the other. 0, or as wk_re_search. */
WK_NODISCARD int wk_re_lines_judge(struct wk_re *re, struct wk_re_run *run, struct wk_str buf,
                                   size_t from, char eol, struct wk_re_lines *lines);
/* The next line that has a match, without its end. False after the last. */
bool wk_re_lines_next(struct wk_re_lines *lines, struct wk_str buf, struct wk_re_span *line);
/* How many have one. */
size_t wk_re_lines_count(const struct wk_re_lines *lines);

#endif
