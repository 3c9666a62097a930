/* re_words.h - very many plain texts at once: the automaton of Aho and Corasick
 *
 * Only for text/re. What a long list of words (grep -f) is compiled to: the work is linear in the subject
 * and the memory in the list. Nothing in it changes once it is made, so searches need no cache.
 *
 * Limits: WK_RE_WORDS_BYTES of list. A list with stray bytes where characters are UTF-8, or, with
 *         WK_RE_WORD, an empty text, is none for it.
 */
#ifndef WK_TEXT_RE_WORDS_H
#define WK_TEXT_RE_WORDS_H

#include "text/re/re_priv.h"

enum {
    WK_RE_WORDS_MIN = WK_RE_FIND_TEXTS + 1, /* fewer are a finder's */
    WK_RE_WORDS_BYTES = 16 << 20
};

/* Compiles the pattern when it is such a list: 1 and re->words; 0 when it is something else; a code. */
int wk_re_words_take(struct wk_re *re, struct wk_str pattern);
/* The leftmost of the longest texts at or after `from`: 1 and *span, 0, or a code. */
int wk_re_words_search(const struct wk_re *re, struct wk_re_run *run, struct wk_str s, size_t from,
                       struct wk_re_span *span);
/* As wk_re_judge. */
int wk_re_words_judge(const struct wk_re *re, struct wk_re_run *run, struct wk_str s, size_t from, char eol,
                      uint64_t *marks, size_t *found);

#endif
