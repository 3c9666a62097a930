/* charset_shift.h - character sets with shift sequences: ISO-2022-JP and UTF-7 */
#ifndef WK_BUILTINS_CHARSET_SHIFT_H
#define WK_BUILTINS_CHARSET_SHIFT_H

#include "builtins/charset_map.h"

enum wk_shift_kind { WK_SHIFT_NONE, WK_SHIFT_ISO2022JP, WK_SHIFT_UTF7 };

/* What one direction has come to. */
struct wk_shift {
    enum wk_shift_kind kind;
    int mode;      /* the set in use; of UTF-7: within base64 */
    uint32_t bits; /* of UTF-7, not yet a unit or a digit */
    int nbits;
    uint32_t high;                    /* half of a pair */
    const struct wk_charset_map *map; /* EUC-JP */
};

/* A shift sequence was read, no character. */
#define WK_SHIFT_NOTHING 0x7fffffffu
enum { WK_SHIFT_BYTES = 16 };

/* False when the name is none of these. A */
bool wk_shift_find(struct wk_cmd *c, struct wk_str name, struct wk_shift *out);
/* Back to the beginning. */
void wk_shift_reset(struct wk_shift *s);
/* As wk_charset_get and wk_charset_put. */
int wk_shift_get(struct wk_shift *s, const unsigned char *p, size_t n, uint32_t *c);
size_t wk_shift_put(struct wk_shift *s, uint32_t c, unsigned char out[WK_SHIFT_BYTES]);
/* What ends a text: its length. */
size_t wk_shift_end(struct wk_shift *s, unsigned char out[WK_SHIFT_BYTES]);

#endif
