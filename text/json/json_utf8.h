/* json_utf8.h - UTF-8 in JSON texts: bytes that are none become U+FFFD
 *
 * As jq has it: a byte that begins no character gives one U+FFFD; a character that is cut short by
 * another byte or the end gives one for all of its bytes; so does a whole one that says what UTF-8
 * may not say (too long a form, a surrogate, past U+10FFFF).
 */
#ifndef WK_TEXT_JSON_JSON_UTF8_H
#define WK_TEXT_JSON_JSON_UTF8_H

#include "base/str.h"

/* Length of the character at p (n >= 1), *good whether it is one; when not, the bytes for which one
 * U+FFFD stands. */
size_t wk_json_utf8_next(const char *p, size_t n, bool *good);
bool wk_json_utf8_valid(struct wk_str s);
/* Copies s with U+FFFD where it is not valid; returns the length, which with dst NULL is all it does. */
size_t wk_json_utf8_mended(struct wk_str s, char *dst);

#endif
