/* pattern.h - shell patterns: * ? […] and the extended groups ?( *( +( @( !(
 *
 * A pattern is compiled once into the caller's arena and is then immutable; it lives as long as the
 * arena. In its text a backslash quotes the next character (also inside brackets). Matching needs
 * no memory for patterns without groups; with groups it takes scratch from the run's account. Time
 * is at most that of the subject times the pattern, or polynomial for groups, and is counted in steps.
 *
 * Characters: UTF-8, or single bytes with WK_PATTERN_BYTES. As in bash, a pattern or a subject that
 * is not well-formed UTF-8 is matched byte by byte.
 */
#ifndef WK_TEXT_PATTERN_H
#define WK_TEXT_PATTERN_H

#include "base/arena.h"
#include "base/buf.h"

enum {
    WK_PATTERN_EXTGLOB = 1,  /* groups are special */
    WK_PATTERN_NOCASE = 2,   /* letters match in either case */
    WK_PATTERN_PERIOD = 4,   /* a leading '.' must be matched by a literal '.' */
    WK_PATTERN_PATHNAME = 8, /* '/' is matched by a literal '/' only; a '.' after it leads too */
    WK_PATTERN_BYTES = 16    /* a character is a byte (LC_ALL=C) */
    /* Ranges go by code point; in C.UTF-8 that is right with and without globasciiranges. */
};

struct wk_pattern;

/* What a match may use. A zeroed struct with `mem` set has no limit. */
struct wk_pattern_run {
    struct wk_mem *mem; /* scratch for patterns with groups */
    /* Called now and then with the steps made since the last call; anything but 0 (a negative code)
     * ends the match and is returned by it. May park the fiber. May be NULL. */
    int (*step)(void *ctx, size_t steps);
    void *ctx;
    size_t pending; /* steps not yet reported */
    uint64_t total; /* steps ever made */
    /* For loops over one subject (${x//p/r}): set `keep` first and call wk_pattern_run_release
     * last; scratch and what is known about the subject then stay between matches, and the subject
     * may not change. Without `keep` each match frees what it took. */
    bool keep;
    bool seen_bytes;
    const char *seen;
    size_t seen_n;
    void *scratch;
    size_t scratch_size;
    uint64_t *starts; /* where matches of `starts_of` begin, at or after starts_from */
    const struct wk_pattern *starts_of;
    size_t starts_from;
};
/* Frees the scratch that `keep` kept; the run can be used again. */
void wk_pattern_run_release(struct wk_pattern_run *run);

/* Compiles. 0, -WK_ENOMEM, or -WK_ELIMIT when groups nest deeper than 24. Every text is some
 * pattern: what is not well-formed stands for itself. */
WK_NODISCARD int wk_pattern_compile(struct wk_arena *a, struct wk_str text, unsigned flags,
                                    const struct wk_pattern **out);

/* The matching functions answer 1 (yes), 0 (no), -WK_ENOMEM or what `step` answered. Offsets are in
 * bytes and never inside a character. */

/* The whole of s. */
WK_NODISCARD int wk_pattern_match(const struct wk_pattern *p, struct wk_pattern_run *run,
                                  struct wk_str s);
/* The longest / shortest part at the start of s: *end is its length (may be 0). */
WK_NODISCARD int wk_pattern_prefix(const struct wk_pattern *p, struct wk_pattern_run *run,
                                   struct wk_str s, bool longest, size_t *end);
/* The longest / shortest part at the end of s: *start is where it begins (may be s.n). */
WK_NODISCARD int wk_pattern_suffix(const struct wk_pattern *p, struct wk_pattern_run *run,
                                   struct wk_str s, bool longest, size_t *start);
/* The first part of s at or after byte `from`, and of those that begin there the longest (as in
 * ${x/p/r}); it may be empty. */
WK_NODISCARD int wk_pattern_find(const struct wk_pattern *p, struct wk_pattern_run *run,
                                 struct wk_str s, size_t from, size_t *start, size_t *end);

/* True when p matches one text only, which *text (unless NULL) then is; never with NOCASE letters.
 * */
bool wk_pattern_literal(const struct wk_pattern *p, struct wk_str *text);

/* True when bash's ${x/p/r} takes p for longer than it is, and never finds it: a pattern without * and groups, with
 * [^]…] or [!]…]. Everywhere else such a pattern matches. */
bool wk_pattern_mismeasured(const struct wk_pattern *p);

/* True when the text has an unquoted * ? [ or, with EXTGLOB, a group: bash then looks for file
 * names. A '[' without its ']' does not count. */
bool wk_pattern_has_magic(struct wk_str text, unsigned flags);
/* Appends text with its quoting backslashes removed. */
bool wk_pattern_unquote(struct wk_buf *b, struct wk_str text);
/* Appends text so that it matches itself: a backslash before each special character. */
bool wk_pattern_quote(struct wk_buf *b, struct wk_str text);

#endif
