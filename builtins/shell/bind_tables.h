/* bind_tables.h - functions, keys and variables of a line editor, as `bind' shows them */
#ifndef WK_BUILTINS_SHELL_BIND_TABLES_H
#define WK_BUILTINS_SHELL_BIND_TABLES_H

#include <stdbool.h>

extern const char *const wk_bind_functions[]; /* sorted; NULL ends them */
/* Those of them that the shell adds to the editor's own when it first reads lines with it. */
extern const char *const wk_bind_shell_functions[];
extern const char *const wk_bind_keys[][2];   /* key sequence as `bind -p' writes it, function; in its order */
/* The same of the keymaps of vi, without the keys that insert themselves. */
extern const char *const wk_bind_vi_command_keys[][2], *const wk_bind_vi_insert_keys[][2];
struct wk_bind_variable {
    const char *name, *value;
    bool is_switch; /* on or off */
};
extern const struct wk_bind_variable wk_bind_variables[];

#endif
