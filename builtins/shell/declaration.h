/* declaration.h - what declare, local, export and readonly do with one of their operands
 *
 * Owner: the builtin's call. Everything may print messages in the name of `who`.
 */
#ifndef WK_BUILTINS_SHELL_DECLARATION_H
#define WK_BUILTINS_SHELL_DECLARATION_H

#include "interp/builtin.h"
#include "interp/vars.h"

struct wk_declaration {
    const char *who;
    uint32_t add, remove;  /* WK_VAR_ attribute bits of -x and +x */
    bool local;            /* make it local to the function (declare without -g, local) */
    bool global;           /* -g: act on the global variable */
    bool prefers_local;    /* -G: the function's own variable, when there is one, else the global one */
    bool inherit;          /* -I */
    bool functions;        /* -f: the names are functions */
    bool no_elements;      /* name[sub] is no operand (export, readonly) */
    bool undo;             /* export -n: a name without a variable stays without */
    bool traced;           /* set -x shows the assignments (export, readonly) */
    uint32_t level;        /* of the innermost function; 0 = none */
};

/* Depth of the innermost function in progress; 0 outside of functions. */
uint32_t wk_function_level(const struct wk_shell *sh);

/* An operand: name, name=value or name[sub]=value. *status becomes 1 after a message.
 * Returns WK_NEXT, or a flow that ends the builtin. */
enum wk_flow wk_declare_operand(struct wk_shell *sh, const struct wk_declaration *d, struct wk_str text,
                                int *status);

/* assign_list of these builtins (declare_list.c). */
enum wk_flow wk_declare_list(struct wk_shell *sh, const struct wk_builtin *b, const struct wk_node_simple *s,
                             uint32_t at);

/* Takes in an option that changes the case: -c, -l and -u take the other two away, + only itself. */
void wk_declare_case(struct wk_declaration *d, uint32_t bit, bool plus);

/* The message about -f with an operand that has a value; *status becomes 1. */
int wk_refuse_function_value(struct wk_shell *sh, const struct wk_declaration *d, int *status);

/* Listings, to b: the variables with some of `flags` (0: every one) as `declare -p` prints them
 * (`word`: as wk_var_print_declare_as does); or as `set` does, name=value (with the functions when
 * asked). 0 or -WK_ENOMEM. */
int wk_list_declarations(struct wk_shell *sh, const char *word, uint32_t flags, struct wk_buf *b);
int wk_list_assignments(struct wk_shell *sh, struct wk_buf *b);
/* All functions in order of name; flags select. Bodies, with attribute lines behind (declare -f), or
 * without them (set), or "declare -f NAME" lines (declare -F). With `word` only
 * "WORD -f NAME" lines. */
enum wk_list_kind { WK_LIST_DECLARATIONS, WK_LIST_BODIES, WK_LIST_NAMES };
int wk_list_functions(struct wk_shell *sh, enum wk_list_kind kind, const char *word, uint32_t flags,
                      struct wk_buf *b);
/* One function as declare -f prints it, followed by its attributes when it has some. */
int wk_print_function_def(struct wk_shell *sh, const struct wk_func *f, struct wk_buf *b);

#endif
