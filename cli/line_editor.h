/* line_editor.h - reading a line from the terminal: readline, libedit, or plainly */
#ifndef WK_CLI_LINE_EDITOR_H
#define WK_CLI_LINE_EDITOR_H

#include <whelk.h>

/* Set up editing, history and completion for s. */
void wk_line_begin(whelk_session *s);
/* A line without its newline, to be freed; NULL at the end of input. After Ctrl-C: an empty string
 * with *interrupted set. */
char *wk_line_read(const char *prompt, int *interrupted);
/* What the session has kept is what the keys go through. */
void wk_line_history(whelk_session *s);
void wk_line_end(void);

#endif
