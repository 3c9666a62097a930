/* line_editor.h - reading a line from the terminal: readline, libedit, or plainly */
#ifndef WK_CLI_LINE_EDITOR_H
#define WK_CLI_LINE_EDITOR_H

#include <whelk.h>

/* Set up editing, history (loaded from `history_file` when not NULL) and completion for s. */
void wk_line_begin(whelk_session *s, const char *history_file);
/* A line without its newline, to be freed; NULL at the end of input. After Ctrl-C: an empty string
 * with *interrupted set. */
char *wk_line_read(const char *prompt, int *interrupted);
void wk_line_remember(const char *command);
void wk_line_end(const char *history_file);

#endif
