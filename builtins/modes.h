/* modes.h - file modes as text: "u+rwX,go-w", "0644"
 *
 * Spec: GNU coreutils, "File permissions".
 */
#ifndef WK_BUILTINS_MODES_H
#define WK_BUILTINS_MODES_H

#include "kern/cmd.h"

struct wk_mode_change;

/* Compiles in the process heap; NULL when the text is no mode. */
struct wk_mode_change *wk_mode_parse(struct wk_cmd *c, const char *text);
/* The mode that exactly these permission bits make ("--reference"). */
struct wk_mode_change *wk_mode_exactly(struct wk_cmd *c, uint32_t bits);
/* The new permission bits of a file with mode `old`. `umask` is what clauses without a letter leave
 * alone; *changed, unless NULL, gets the bits that the text names. */
uint32_t wk_mode_apply(const struct wk_mode_change *m, uint32_t old, bool is_dir, uint32_t umask,
                       uint32_t *changed);

#endif
