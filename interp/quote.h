/* quote.h - texts as a shell would read them again
 *
 * All append to b. `bytes`: a character is a byte (the shell's st->bytes), and those from 0x80 on cannot be printed.
 * Errors: false when memory is refused (b->failed).
 */
#ifndef WK_INTERP_QUOTE_H
#define WK_INTERP_QUOTE_H

#include "base/buf.h"

struct wk_shell;

/* No control characters, no bytes that are no characters? */
bool wk_printable(struct wk_str s, bool bytes);
/* A name as messages have it: $'…' when it cannot be printed. In the arena or the name itself. */
const char *wk_shown_name(struct wk_shell *sh, struct wk_str name);
/* 'a'\''b', always quoted; $'…' where that is needed (${x@Q}, alias, messages). */
bool wk_quote_single(struct wk_buf *b, struct wk_str s, bool bytes);
/* The same, and nothing around what needs no quotes: as `set` prints values. */
bool wk_quote_if_needed(struct wk_buf *b, struct wk_str s, bool bytes);
/* "…" as declare -p prints values; $'…' for control characters. */
bool wk_quote_double(struct wk_buf *b, struct wk_str s, bool bytes);
/* 'a'\''b' whatever is in it (trap -p, alias). */
bool wk_quote_plain(struct wk_buf *b, struct wk_str s);

#endif
