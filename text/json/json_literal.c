/* json_literal.c - what stands in a JSON text without quotes: words and numbers */
#include "text/json/json_priv.h"

static bool is_word(struct wk_str s, const char *lower)
{
    size_t n = strlen(lower);
    if (s.n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (wk_to_lower((unsigned char)s.p[i]) != lower[i])
            return false;
    return true;
}

static size_t skip_digits(struct wk_str s, size_t i)
{
    while (i < s.n && wk_is_digit((unsigned char)s.p[i]))
        i++;
    return i;
}

static bool is_decimal(struct wk_str s)
{
    size_t whole = skip_digits(s, 0), i = whole, digits = whole;
    if (i < s.n && s.p[i] == '.') {
        i = skip_digits(s, i + 1);
        digits += i - whole - 1;
    }
    if (digits == 0)
        return false;
    if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
        i++;
        if (i < s.n && (s.p[i] == '+' || s.p[i] == '-'))
            i++;
        size_t first = i;
        i = skip_digits(s, i);
        if (i == first)
            return false;
    }
    return i == s.n;
}

enum wk_json_token wk_json_literal(struct wk_str s, struct wk_str *text, const char **error)
{
    *error = "Invalid literal";
    char c = s.p[0];
    if (c == 't')
        return wk_str_is(s, "true") ? WK_JSON_TRUE : WK_JSON_ERROR;
    if (c == 'f')
        return wk_str_is(s, "false") ? WK_JSON_FALSE : WK_JSON_ERROR;
    if (c == 'n' && s.n > 1 && s.p[1] == 'u')
        return wk_str_is(s, "null") ? WK_JSON_NULL : WK_JSON_ERROR;
    if (c == '\'') {
        *error = "Invalid string literal; expected \", but got '";
        return WK_JSON_ERROR;
    }
    struct wk_str bare = c == '+' || c == '-' ? wk_str_from(s, 1) : s;
    *text = c == '+' ? bare : s;
    if (is_decimal(bare))
        return WK_JSON_NUMBER;
    if (is_word(bare, "nan") || is_word(bare, "snan"))
        return WK_JSON_NAN;
    if (is_word(bare, "inf") || is_word(bare, "infinity"))
        return WK_JSON_INFINITY;
    *error = "Invalid numeric literal";
    return WK_JSON_ERROR;
}
