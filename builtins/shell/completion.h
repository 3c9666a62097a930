/* completion.h - what a completion is made of (bash 8.6): shared by complete, compopt and compgen
 *
 * Owner: slices point into arguments or into a list entry; nothing is owned here.
 */
#ifndef WK_BUILTINS_SHELL_COMPLETION_H
#define WK_BUILTINS_SHELL_COMPLETION_H

#include "interp/builtin.h"

/* X(identifier, "name", letter or 0): in the order in which they are looked through. */
#define WK_COMP_ACTIONS(X)          \
    X(ALIAS, "alias", 'a')          \
    X(ARRAYVAR, "arrayvar", 0)      \
    X(BINDING, "binding", 0)        \
    X(BUILTIN, "builtin", 'b')      \
    X(COMMAND, "command", 'c')      \
    X(DIRECTORY, "directory", 'd')  \
    X(DISABLED, "disabled", 0)      \
    X(ENABLED, "enabled", 0)        \
    X(EXPORT, "export", 'e')        \
    X(FILE, "file", 'f')            \
    X(FUNCTION, "function", 0)      \
    X(GROUP, "group", 'g')          \
    X(HELPTOPIC, "helptopic", 0)    \
    X(HOSTNAME, "hostname", 0)      \
    X(JOB, "job", 'j')              \
    X(KEYWORD, "keyword", 'k')      \
    X(RUNNING, "running", 0)        \
    X(SERVICE, "service", 's')      \
    X(SETOPT, "setopt", 0)          \
    X(SHOPT, "shopt", 0)            \
    X(SIGNAL, "signal", 0)          \
    X(STOPPED, "stopped", 0)        \
    X(USER, "user", 'u')            \
    X(VARIABLE, "variable", 'v')

enum wk_comp_action {
#define WK_X(id, name, letter) WK_COMP_##id,
    WK_COMP_ACTIONS(WK_X)
#undef WK_X
        WK_COMP_COUNT
};

/* Texts of a specification, in the order of printing. */
enum wk_comp_text { WK_COMP_G, WK_COMP_W, WK_COMP_P, WK_COMP_S, WK_COMP_X, WK_COMP_C, WK_COMP_F, WK_COMP_TEXTS };

struct wk_compspec {
    uint32_t actions; /* bit 1 << enum wk_comp_action */
    uint32_t options; /* bits of wk_comp_options[] */
    uint32_t group;   /* of the names that one command defined: compopt changes all of them; 0: a name alone */
    struct wk_str text[WK_COMP_TEXTS]; /* p == NULL: not given */
};

#define WK_COMP_NOPTIONS 8
extern const char *const wk_comp_options[WK_COMP_NOPTIONS];
struct wk_comp_action_info {
    const char *name;
    char letter;
};
extern const struct wk_comp_action_info wk_comp_actions[WK_COMP_COUNT];

/* Number of a -o option; -1 = none. */
int wk_comp_option_find(struct wk_str name);
/* Takes one option letter of complete or compgen into c. False when the letter is none of theirs, or after a
 * message (*bad is then true). */
bool wk_comp_letter(struct wk_shell *sh, const char *who, int letter, struct wk_str arg,
                    struct wk_compspec *c, bool *bad);

#endif
