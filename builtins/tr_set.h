/* tr_set.h - the character arrays of tr: parsing and walking
 *
 * Strings are bytes. Everything lies in the process heap; wrong strings end the process with GNU's
 * messages.
 */
#ifndef WK_BUILTINS_TR_SET_H
#define WK_BUILTINS_TR_SET_H

#include "base/utf8.h"
#include "kern/cmd.h"

enum wk_tr_kind { WK_TR_CHAR, WK_TR_RANGE, WK_TR_CLASS, WK_TR_EQUIV, WK_TR_REPEAT };

struct wk_tr_item {
    enum wk_tr_kind kind;
    unsigned char first, last; /* CHAR, EQUIV, REPEAT: first */
    enum wk_class class;
    uint64_t count; /* REPEAT; the indefinite one's count is found when both strings are known */
    bool indefinite;
};

struct wk_tr_set {
    struct wk_cmd *c;
    struct wk_tr_item *v;
    size_t n, cap;
    uint64_t length;
    size_t indefinite; /* number of [c*] */
    bool has_class, has_equiv, has_other_class; /* other: neither upper nor lower */
    /* The walk. */
    size_t item;
    uint64_t at;
    int code; /* next code of a class to look at */
};

enum wk_tr_case { WK_TR_NO_CASE, WK_TR_LOWER, WK_TR_UPPER };

bool wk_tr_in_class(unsigned ch, enum wk_class class);
void wk_tr_parse(struct wk_cmd *c, const char *text, struct wk_tr_set *s);
/* Adds `count` times ch at the end. */
void wk_tr_extend(struct wk_tr_set *s, unsigned char ch, uint64_t count);

static inline void wk_tr_rewind(struct wk_tr_set *s)
{
    s->item = 0;
    s->at = 0;
    s->code = 0;
}
/* The next byte, -1 at the end. *class gets the case class it belongs to; *fresh: begins an item. */
int wk_tr_next(struct wk_tr_set *s, enum wk_tr_case *class, bool *fresh);
/* Leaves the item that the last byte came from. */
void wk_tr_skip_item(struct wk_tr_set *s);
/* Marks the bytes of the set in a table. */
void wk_tr_mark(struct wk_tr_set *s, bool table[256]);

#endif
