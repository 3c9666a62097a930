/* options.c - tables of the `set -o` and `shopt` options */
#include "interp/options.h"

#define ON(name)                                                                       \
    (WK_SETNO_##name == WK_SETNO_BRACEEXPAND || WK_SETNO_##name == WK_SETNO_HASHALL || \
     WK_SETNO_##name == WK_SETNO_INTERACTIVE_COMMENTS)

const struct wk_option_info wk_set_option_table[WK_SETNO_COUNT] = {
#define WK_X(id, n, l) {n, l, ON(id)},
    WK_SET_OPTIONS(WK_X)
#undef WK_X
};

const struct wk_option_info wk_shopt_table[WK_SHOPTNO_COUNT] = {
#define WK_X(id, n, on) {n, 0, on},
    WK_SHOPT_OPTIONS(WK_X)
#undef WK_X
};

static int find(const struct wk_option_info *table, int n, struct wk_str name)
{
    for (int i = 0; i < n; i++)
        if (wk_str_is(name, table[i].name))
            return i;
    return -1;
}

int wk_set_option_find(struct wk_str name)
{
    return find(wk_set_option_table, WK_SETNO_COUNT, name);
}

int wk_shopt_find(struct wk_str name)
{
    return find(wk_shopt_table, WK_SHOPTNO_COUNT, name);
}

int wk_set_option_letter(char letter)
{
    for (int i = 0; letter && i < WK_SETNO_COUNT; i++)
        if (wk_set_option_table[i].letter == letter)
            return i;
    return -1;
}
