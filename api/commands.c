/* commands.c - the tables of all commands and builtins, made from their rows at build time */
#include "api/internal.h"
#include "interp/start.h"

#define X(ident) extern const struct wk_command wk_command_##ident;
#include "commands.inc"
#undef X
#define X(ident) extern const struct wk_builtin wk_builtin_##ident;
#include "builtins.inc"
#undef X

const struct wk_command *const wk_command_list[] = {
#define X(ident) &wk_command_##ident,
#include "commands.inc"
#undef X
    NULL,
};
const size_t wk_command_list_n = WK_COUNTOF(wk_command_list) - 1;

const struct wk_builtin *const wk_builtin_list[] = {
#define X(ident) &wk_builtin_##ident,
#include "builtins.inc"
#undef X
    NULL,
};
const size_t wk_builtin_list_n = WK_COUNTOF(wk_builtin_list) - 1;

static bool has_alias(const char *aliases, struct wk_str name)
{
    struct wk_str rest = wk_str_c(aliases);
    while (rest.n) {
        ptrdiff_t sp = wk_str_chr(rest, ' ');
        struct wk_str word = sp < 0 ? rest : wk_str_take(rest, (size_t)sp);
        if (wk_str_eq(word, name))
            return true;
        rest = sp < 0 ? wk_str(NULL, 0) : wk_str_from(rest, (size_t)sp + 1);
    }
    return false;
}

/* Found once per file name that is run and then cached by the shell, so a scan is cheap enough. */
const struct wk_command *wk_command_find_static(struct wk_str name)
{
    for (size_t i = 0; i < wk_command_list_n; i++) {
        const struct wk_command *c = wk_command_list[i];
        if (wk_str_is(name, c->name) || (c->aliases && has_alias(c->aliases, name)))
            return c;
    }
    return NULL;
}
