/* quoting.h - file names as ls, stat and find print them */
#ifndef WK_BUILTINS_QUOTING_H
#define WK_BUILTINS_QUOTING_H

#include "base/buf.h"

enum wk_quoting {
    WK_QUOTING_LITERAL,
    WK_QUOTING_SHELL,
    WK_QUOTING_SHELL_ALWAYS,
    WK_QUOTING_SHELL_ESCAPE,
    WK_QUOTING_SHELL_ESCAPE_ALWAYS,
    WK_QUOTING_C,
    WK_QUOTING_C_MAYBE,
    WK_QUOTING_ESCAPE,
    WK_QUOTING_LOCALE,
    WK_QUOTING_CLOCALE
};

/* The style of a word ("shell-escape"); -1 when there is none. */
int wk_quoting_named(const char *word);
/* Appends a name in a style. `hide`: what cannot be printed becomes ? in the styles that do not
 * escape it. `more` lists up to 13 further bytes (or "") to be escaped with a backslash, or that ask for
 * quotes in the styles that quote only where they must.
 * Returns whether quotes were put around it. */
bool wk_quoting_put(struct wk_buf *b, struct wk_str name, enum wk_quoting style, bool hide,
                    const char *more);

#endif
