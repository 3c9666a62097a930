/* re_parens.c - which parentheses of an extended expression grep finds unmatched
 *
 * GNU grep has the C library look at each pattern, too, before it reads the pattern itself. That leaves out an
 * operator which has nothing to repeat, and takes what follows for a character, be it a ')': "(*)" is unmatched,
 * "(*)b)" is not.
 */
#include "text/re/re_priv.h"

/* Behind the bracket expression that begins at `at`. */
static size_t skip_bracket(struct wk_str s, size_t at)
{
    at++;
    if (at < s.n && s.p[at] == '^')
        at++;
    for (size_t first = at; at < s.n && (s.p[at] != ']' || at == first); at++) {
        char kind = at + 1 < s.n ? s.p[at + 1] : '\0';
        if (s.p[at] != '[' || (kind != ':' && kind != '.' && kind != '='))
            continue;
        size_t k = at + 2;
        while (k + 1 < s.n && !(s.p[k] == kind && s.p[k + 1] == ']'))
            k++;
        at = k + 1;
    }
    return at + 1;
}

bool wk_re_parens_match(struct wk_str s)
{
    size_t depth = 0, i = 0;
    bool start = true, left_out = false; /* nothing to repeat; an operator was left out right before */
    while (i < s.n) {
        char c = s.p[i];
        bool op = c == '*' || c == '+' || c == '?' || c == '{', was = left_out;
        left_out = start && op;
        if (left_out) {
            i++;
            continue;
        }
        start = false;
        if (c == '\\') {
            start = i + 1 < s.n && s.p[i + 1] && strchr("<>bB`'", s.p[i + 1]) != NULL;
            i++;
        } else if (c == '[') {
            i = skip_bracket(s, i) - 1;
        } else if (c == '(') {
            depth++;
            start = true;
        } else if (c == ')') {
            depth -= !was && depth;
        } else {
            start = c == '|' || c == '^' || c == '$';
        }
        i++;
    }
    return depth == 0;
}
