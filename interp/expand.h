/* expand.h - word expansion (bash 3.5): braces, tilde, parameters, substitutions, arithmetic,
 * splitting, file names, quote removal
 *
 * Results live in sh->arena (or point into the tree or a variable that cannot change before use):
 * callers mark before and rewind after they are done with them. All strings are NUL-terminated.
 */
#ifndef WK_INTERP_EXPAND_H
#define WK_INTERP_EXPAND_H

#include "interp/quote.h"
#include "interp/vars.h"

/* Fields; grows in the arena. */
struct wk_fields {
    struct wk_str *v;
    size_t n, cap;
};

/* Full expansion of argument words to fields. Literal words cost no copy. */
enum wk_flow wk_expand_words(struct wk_shell *sh, const struct wk_word *const *words, size_t n,
                             struct wk_fields *out);
/* One word to fields (appended). */
enum wk_flow wk_expand_word(struct wk_shell *sh, const struct wk_word *w, struct wk_fields *out);

/* One word to one string: no splitting, no globbing, no braces. */
enum wk_expand_mode {
    WK_EXPAND_ASSIGN,  /* assignment value: tilde also after ':' */
    WK_EXPAND_DECLARE, /* the same of an argument of declare and the like */
    WK_EXPAND_ELEMENT, /* the same of [subscript]=value in a list */
    WK_EXPAND_KEYED,   /* a key or value of an associative array: no tilde */
    WK_EXPAND_STRING,  /* case word, [[ operand */
    WK_EXPAND_PATTERN, /* case pattern, [[ == right side, ${x#p}: quoted characters backslash-escaped for
                          text/pattern */
    WK_EXPAND_TRACED,  /* the same as set -x shows it: every quoted character has a backslash */
    WK_EXPAND_REGEX,   /* [[ =~ right side: quoted characters escaped for an ERE */
    WK_EXPAND_HEREDOC  /* here-document body */
};
enum wk_flow wk_expand_string(struct wk_shell *sh, const struct wk_word *w, enum wk_expand_mode mode,
                              struct wk_str *out);
/* What a redirection names: the one field of all expansions. out->p is NULL when there is none or more than one. In a
 * POSIX script it is not split, and only what is to be a descriptor (`files`) is looked for among files. */
enum wk_flow wk_expand_target(struct wk_shell *sh, const struct wk_word *w, bool files, struct wk_str *out);
/* The same of text that an expansion gave. */
enum wk_flow wk_expand_target_text(struct wk_shell *sh, struct wk_str text, struct wk_str *out);
/* Parameter expansion, command substitution, arithmetic and quote removal of run-time text as inside double quotes
 * (${x@P} after prompt escapes, PS4, indices of associative arrays). */
enum wk_flow wk_expand_text(struct wk_shell *sh, struct wk_str text, struct wk_str *out);

/* One expansion segment of an arithmetic expression: its value, not split. */
enum wk_flow wk_expand_operand(struct wk_shell *sh, const struct wk_seg *seg, struct wk_str *out);
/* The key that a subscript's run-time text means: expansions and quote removal as in a word. */
/* … that the text of an index or of another expression means. */
enum wk_flow wk_expand_index(struct wk_shell *sh, struct wk_str text, struct wk_str *out);
enum wk_flow wk_expand_key(struct wk_shell *sh, struct wk_str text, struct wk_str *out);

/* Run a command substitution: output with trailing newlines removed, NULs dropped (with bash's
 * warning), in the arena. */
enum wk_flow wk_expand_command_sub(struct wk_shell *sh, const struct wk_seg *seg, struct wk_str *out);

/* Length of the delimiter at s.p[i], whose byte has the kind 3 (0: none). A byte of
 * IFS is one for what is no character; `read` takes such bytes inside of characters, too. */
size_t wk_ifs_long(const struct wk_ifs *ifs, struct wk_str s, size_t i, bool read);
/* Split s by IFS as `read` does into at most max fields (the last takes the rest). Points into s. */
size_t wk_split_read(const struct wk_ifs *ifs, char *s, size_t n, struct wk_str *out, size_t max,
                     const uint8_t *escaped);
/* Whether file names are looked for: [ and a ] behind it without a slash between that is not quoted, or another
 * special character. */
bool wk_glob_has_magic(struct wk_str pattern, unsigned flags);
/* File-name expansion of a pattern (backslash-escaped form): appends the sorted matches; *matched false when none. */
enum wk_flow wk_glob(struct wk_shell *sh, struct wk_str pattern, struct wk_fields *out, bool *matched);

enum wk_flow wk_expand_case(struct wk_shell *sh, const struct wk_word *w, struct wk_str *out);
/* Does text match the pattern word of case? */
enum wk_flow wk_match_word(struct wk_shell *sh, struct wk_str text, const struct wk_word *pattern,
                           bool nocase, bool *matched);
/* The same with the pattern as text (backslash-escaped form). */
enum wk_flow wk_match_text(struct wk_shell *sh, struct wk_str text, struct wk_str pattern, bool nocase,
                           bool *matched);
/* The same for [[ ==, where the extended patterns are always special. */
enum wk_flow wk_match_cond(struct wk_shell *sh, struct wk_str text, struct wk_str pattern, bool nocase,
                           bool *matched);

#endif
