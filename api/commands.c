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

/* ---- builtins as programs: /usr/bin/pwd, xargs kill, env true
 * ----------------------------------------- */

/* A shell of its own whose only command is the builtin; the arguments are its parameters. */
static void builtin_program(struct wk_task *t, int argc, char **argv)
{
    const struct wk_command *c = t->proc->command;
    struct wk_mem *m = t->k->mem;
    struct wk_buf script;
    wk_buf_init(&script, m, 256);
    wk_buf_fmt(&script, "builtin %s \"$@\"", c->name);
    char **words = wk_calloc(m, (size_t)argc + 4, sizeof *words);
    char bash[] = "bash", option[] = "-c";
    if (!words || script.failed) {
        wk_free(m, words);
        wk_buf_release(&script);
        wk_proc_finish(t->proc, (struct wk_exit){126, 0});
        return;
    }
    words[0] = bash;
    words[1] = option;
    words[2] = script.p;
    for (int i = 0; i < argc; i++)
        words[3 + i] = argv[i];
    wk_shell_command_main(t, argc + 3, words); /* ends the process */
    wk_free(m, words);
    wk_buf_release(&script);
}

static int never_called(struct wk_cmd *c)
{
    (void)c;
    return 126;
}

#define PROGRAM(ident, shown)                                                                  \
    static const struct wk_command program_##ident = {.name = shown,                           \
                                                      .main = never_called,                    \
                                                      .flags = WK_CMD_SHELL | WK_CMD_RAW_ARGS, \
                                                      .shell_main = builtin_program};
PROGRAM(true, "true")
PROGRAM(false, "false")
PROGRAM(pwd, "pwd")
PROGRAM(kill, "kill")

static const struct wk_command *const programs[] = {&program_false, &program_kill, &program_pwd, &program_true};

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
    for (size_t i = 0; i < WK_COUNTOF(programs); i++)
        if (wk_str_is(name, programs[i]->name))
            return programs[i];
    return NULL;
}
