/* json_priv.h - what the files of text/json share */
#ifndef WK_TEXT_JSON_JSON_PRIV_H
#define WK_TEXT_JSON_JSON_PRIV_H

#include "text/json/json.h"

/* json_string.c: the end of a string's text in [p, end): its closing quote, or `end`. *escaped says whether a
 * backslash stands directly in front of p, and is kept up; *plain is cleared when there is anything in
 * it that has to be looked at: a backslash, a control character, a byte that is not ASCII. */
const char *wk_json_string_end(const char *p, const char *end, bool *escaped, bool *plain);
/* What a raw text between quotes says, in *text: itself or j->decoded. NULL, or what is wrong with it. */
const char *wk_json_decode(struct wk_json *j, struct wk_str raw, struct wk_str *text);

/* json_literal.c: the token that a row of other bytes is: WK_JSON_ERROR with *error. */
enum wk_json_token wk_json_literal(struct wk_str s, struct wk_str *text, const char **error);

#endif
