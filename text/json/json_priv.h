/* json_priv.h - what the files of text/json share */
#ifndef WK_TEXT_JSON_JSON_PRIV_H
#define WK_TEXT_JSON_JSON_PRIV_H

#include "text/json/json.h"

#ifdef __SSE2__
#include <emmintrin.h>
/* The closing quote of a short string that begins at p and holds nothing to be looked at; NULL: look closer. */
static inline const char *json_short_end(const char *p, const char *end)
{
    if (end - p < 16)
        return NULL;
    __m128i v;
    memcpy(&v, p, sizeof v);
    __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"')), slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
    unsigned quotes = (unsigned)_mm_movemask_epi8(quote);
    unsigned others = (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(slash, low), v));
    unsigned up_to = quotes & (0u - quotes); /* the first quote */
    return quotes && !(others & (up_to - 1)) ? p + __builtin_ctz(quotes) : NULL;
}
#else
static inline const char *json_short_end(const char *p, const char *end)
{
    (void)p;
    (void)end;
    return NULL;
}
#endif

/* json_string.c: the end of a string's text in [p, end): its closing quote, or `end`. *escaped says whether a
 * backslash stands directly in front of p, and is kept up; *plain is cleared when there is anything in
 * it that has to be looked at: a backslash, a control character, a byte that is not ASCII. */
const char *wk_json_string_end(const char *p, const char *end, bool *escaped, bool *plain);
/* What a raw text between quotes says, in *text: itself or j->decoded. NULL, or what is wrong with it. */
const char *wk_json_decode(struct wk_json *j, struct wk_str raw, struct wk_str *text);

/* json_literal.c: the token that a row of other bytes is: WK_JSON_ERROR with *error. */
enum wk_json_token wk_json_literal(struct wk_str s, struct wk_str *text, const char **error);

#endif
