/* make_class_tab.c - writes text/re/re_class_tab.c: the character classes past ASCII as ranges
 *
 * build and run from the top folder:
 *   cc -I. tests/live/make_class_tab.c base/unicode.c base/utf8.c base/str.c -lutf8proc -o mk &&
 * ./mk > text/re/re_class_tab.c
 */
#include "base/utf8.h"

#include <stdio.h>

static const char *const names[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                    "lower", "print", "punct", "space", "upper", "xdigit"};

int main(void)
{
    unsigned at[WK_CLASS_COUNT + 1] = {0}, n = 0, column = 0;
    printf(
        "/* re_class_tab.c - character classes past ASCII; made by tests/live/make_class_tab.c */\n"
        "#include \"text/re/re_set.h\"\n\nconst struct wk_re_range wk_re_class_ranges[] = {\n");
    for (unsigned k = 0; k < WK_CLASS_COUNT; k++) {
        at[k] = n;
        if (k == WK_CLASS_ALNUM)
            continue; /* past ASCII the same as alpha */
        for (uint32_t c = 128; c <= WK_UTF8_MAX; c++) {
            if ((c >= 0xd800 && c <= 0xdfff) || !wk_utf8_is(c, (enum wk_class)k))
                continue;
            uint32_t hi = c;
            while (hi < WK_UTF8_MAX && wk_utf8_is(hi + 1, (enum wk_class)k) &&
                   !(hi + 1 >= 0xd800 && hi + 1 <= 0xdfff))
                hi++;
            char item[40];
            int len = snprintf(item, sizeof item, "{%u, %u},", c, hi);
            if (column && column + (unsigned)len + 1 > 96) {
                printf("\n");
                column = 0;
            }
            printf("%s%s", column ? " " : "    ", item);
            column += (unsigned)len + (column ? 1 : 4);
            n++;
            c = hi;
        }
    }
    at[WK_CLASS_COUNT] = n;
    printf("\n};\n\n/* Where each class begins in the table: ");
    for (unsigned k = 0; k < WK_CLASS_COUNT; k++)
        printf("%s%s", names[k], k + 1 < WK_CLASS_COUNT ? " " : ". */\n");
    printf("const unsigned short wk_re_class_at[] = {");
    for (unsigned k = 0; k <= WK_CLASS_COUNT; k++)
        printf("%u%s", at[k], k < WK_CLASS_COUNT ? ", " : "};\n");
    return 0;
}
