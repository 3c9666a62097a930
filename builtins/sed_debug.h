/* sed_debug.h - sed --debug: the program as it was understood, and what it does
 *
 * Everything goes to standard output, among the program's own.
 */
#ifndef WK_BUILTINS_SED_DEBUG_H
#define WK_BUILTINS_SED_DEBUG_H

#include "builtins/sed.h"

void wk_sed_show_program(struct sed *s);
/* The line that was read. */
void wk_sed_show_line(struct sed *s);
/* A command that is reached. */
void wk_sed_show_command(struct sed *s, const struct sed_cmd *cmd);
/* The spaces, as far as a command of that name changes them. */
void wk_sed_show_spaces(struct sed *s, char name);
/* The first match of s, and its groups. */
void wk_sed_show_match(struct sed *s, struct wk_str text, const struct wk_re_span *spans, size_t n);
void wk_sed_show_end(struct sed *s);

#endif
