/* evaluate.c - eval, source and `.`
 *
 * Standard: POSIX XCU 2.14; bash 4.1. Oracle: bash 5.2.
 */
#include "interp/eval.h"
#include "interp/lookup.h"
#include "interp/quote.h"
#include "interp/run.h"
#include "interp/start.h"
#include "interp/vars.h"
#include "vfs/vfs.h"

extern const struct wk_builtin wk_builtin_eval, wk_builtin_source, wk_builtin_dot;

static enum wk_flow eval_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_eval, .a = a, .spec = ""};
    if (wk_getopt_next(sh, &g) != 0)
        return wk_status(sh, 2);
    size_t at = g.at ? g.at : 1;
    sh->now.text_command = true;
    if (at >= a->n)
        return wk_status(sh, 0);
    sh->status = sh->previous_status;
    if (at + 1 == a->n)
        return a->v[at].n ? wk_sh_eval_text(sh, a->v[at], sh->line) : wk_status(sh, 0);
    size_t n = 0;
    for (size_t i = at; i < a->n; i++)
        n += a->v[i].n + 1;
    char *text = wk_arena_alloc(&sh->arena, n + 1), *p = text;
    if (!text)
        return wk_sh_nomem(sh);
    for (size_t i = at; i < a->n; i++) {
        memcpy(p, a->v[i].p, a->v[i].n);
        p += a->v[i].n;
        *p++ = i + 1 < a->n ? ' ' : '\0';
    }
    return wk_sh_eval_text(sh, wk_str(text, n - 1), sh->line);
}

static enum wk_flow source_with(struct wk_shell *sh, const struct wk_builtin *b,
                                const struct wk_args *a)
{
    struct wk_getopt g = {.b = b, .a = a, .spec = ""};
    if (wk_getopt_next(sh, &g) != 0)
        return wk_status(sh, 2);
    size_t at = g.at ? g.at : 1;
    if (at >= a->n) {
        wk_sh_builtin_error(sh, b->name, "filename argument required");
        return wk_builtin_usage(sh, b);
    }
    struct wk_str name = a->v[at];
    const char *path = NULL;
    if (!memchr(name.p, '/', name.n) && wk_shopt(sh, SOURCEPATH)) {
        enum wk_flow flow = wk_find_readable(sh, name, &path);
        if (flow != WK_NEXT)
            return flow;
    }
    bool dots = wk_str_is(name, ".") || wk_str_is(name, "..");
    if (!path && (dots || memchr(name.p, '/', name.n) || !wk_opt(sh, POSIX)))
        path = name.p;
    if (!path) {
        wk_sh_builtin_error(sh, b->name, "%s: file not found", wk_shown_name(sh, name));
        sh->special_error = WK_SPECIAL_TEXT;
        return wk_status(sh, 1);
    }
    sh->now.text_command = true;
    return wk_run_source(sh, path, path, a->v + at + 1, a->n - at - 1);
}

static enum wk_flow source_run(struct wk_shell *sh, const struct wk_args *a)
{
    return source_with(sh, &wk_builtin_source, a);
}

static enum wk_flow dot_run(struct wk_shell *sh, const struct wk_args *a)
{
    return source_with(sh, &wk_builtin_dot, a);
}

WK_BUILTIN(eval, .usage = "eval [arg ...]", .summary = "Execute arguments as a shell command.",
           .help = "Joins the arguments with blanks and runs the result in this shell.\n\n"
                   "Status of the command, or 0 when it is empty.",
           .flags = WK_BUILTIN_SPECIAL | WK_BUILTIN_TEXT, .run = eval_run);

WK_BUILTIN(source, .usage = "source filename [arguments]",
           .summary = "Execute commands from a file in the current shell.",
           .help = "Reads and runs the commands of FILENAME in this shell. A name without slash is "
                   "looked for along\n"
                   "$PATH. ARGUMENTS are the positional parameters meanwhile.\n\n"
                   "Status of the last command; fails when FILENAME cannot be read.",
           .flags = WK_BUILTIN_SPECIAL | WK_BUILTIN_TEXT, .run = source_run);

WK_BUILTIN(dot, .name = ".", .usage = ". filename [arguments]",
           .summary = "Execute commands from a file in the current shell.",
           .help = "Reads and runs the commands of FILENAME in this shell. A name without slash is "
                   "looked for along\n"
                   "$PATH. ARGUMENTS are the positional parameters meanwhile.\n\n"
                   "Status of the last command; fails when FILENAME cannot be read.",
           .flags = WK_BUILTIN_SPECIAL | WK_BUILTIN_TEXT, .run = dot_run);
