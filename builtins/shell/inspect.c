/* inspect.c - caller, times, enable
 *
 * Standard: POSIX XCU 2.14 times; bash 4.2. Oracle: bash 5.2.
 */
#include "interp/builtin.h"
#include "interp/run.h"
#include "interp/timing.h"
#include "interp/vars.h"

#include "base/num.h"
#include "base/sort.h"

extern const struct wk_builtin wk_builtin_caller, wk_builtin_times, wk_builtin_enable;

/* ---- caller ---------------------------------------------------------------------------------- */

/* The i-th call in progress from the innermost outward; NULL past the last. */
static const struct wk_frame *call(const struct wk_shell *sh, int64_t i)
{
    for (const struct wk_frame *f = sh->now.frame; f; f = f->prev) {
        if (f->kind != WK_FRAME_FUNCTION && f->kind != WK_FRAME_SOURCE)
            continue;
        if (i-- == 0)
            return f;
    }
    return NULL;
}

static enum wk_flow caller_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_caller, .a = a, .spec = ""};
    int64_t n = 0;
    bool none = !call(sh, 0) && !sh->main_frame.source; /* not even a script */
    if (none && !(a->n > 1 && wk_str_is(a->v[1], "--help")))
        return wk_status(sh, 1);
    if (wk_getopt_next(sh, &g) != 0)
        return wk_status(sh, 2);
    size_t at = g.at ? g.at : 1;
    if (at < a->n && (wk_parse_blanked(a->v[at], &n) != 0 || n < 0)) {
        wk_sh_builtin_error(sh, "caller", "%s: invalid number", a->v[at].p);
        return wk_builtin_usage(sh, &wk_builtin_caller);
    }
    const struct wk_frame *f = call(sh, n), *outer = f ? call(sh, n + 1) : NULL;
    bool script = sh->main_frame.source != NULL;
    if (!f && at < a->n)
        return wk_status(sh, 1);
    struct wk_bout o;
    wk_bout_init(&o, sh, NULL);
    if (!f) {
        wk_buf_put_c(&o.buf, "0 NULL\n");
    } else if (at >= a->n) {
        const struct wk_val *src = outer ? outer->source : sh->main_frame.source;
        wk_buf_fmt(&o.buf, "%u %s\n", wk_frame_line(sh, f->prev, f->call_line), src ? src->p : "NULL");
    } else {
        if (!outer && !script) {
            wk_bout_drop(&o);
            return wk_status(sh, 1);
        }
        const char *name = !outer ? "main"
                           : outer->kind == WK_FRAME_SOURCE
                               ? "source"
                               : wk_names_str(sh->names, outer->func->name).p;
        const struct wk_val *src = outer ? outer->source : sh->main_frame.source;
        wk_buf_fmt(&o.buf, "%u %s %s\n", wk_frame_line(sh, f->prev, f->call_line), name,
                   src ? src->p : "environment");
    }
    sh->status = 0;
    return wk_bout_finish(&o);
}

/* ---- times ----------------------------------------------------------------------------------- */

static enum wk_flow times_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_times, .a = a, .spec = ""};
    struct wk_bout o;
    if (wk_getopt_next(sh, &g) != 0)
        return wk_status(sh, 2);
    wk_bout_init(&o, sh, "times");
    struct wk_cpu_time cpu = wk_kern_cpu(sh->k); /* of the shell and of its commands: all are one */
    wk_timing_put(&o.buf, cpu.user_ns);
    wk_buf_putc(&o.buf, ' ');
    wk_timing_put(&o.buf, cpu.system_ns);
    wk_buf_put_c(&o.buf, "\n0m0.000s 0m0.000s\n");
    sh->status = 0;
    return wk_bout_finish(&o);
}

/* ---- enable ---------------------------------------------------------------------------------- */

enum { ENABLE_ALL = 1, ENABLE_OFF = 2, ENABLE_SPECIAL = 4, ENABLE_PRINT = 8, ENABLE_UNLOAD = 16 };

static int by_name(void *ctx, const void *a, const void *b)
{
    const struct wk_builtin *const *x = a, *const *y = b;
    (void)ctx;
    return strcmp((*x)->name, (*y)->name);
}

static enum wk_flow enable_list(struct wk_shell *sh, int flags)
{
    size_t n = sh->hooks ? sh->hooks->nbuiltins : 0;
    struct wk_bout o;
    const struct wk_builtin **v = wk_arena_alloc(&sh->arena, (n + 1) * sizeof *v);
    if (!v)
        return wk_sh_nomem(sh);
    for (size_t i = 0; i < n; i++)
        v[i] = sh->hooks->builtins[i];
    int e = wk_sort(sh->mem, v, n, sizeof *v, &(struct wk_sort){.cmp = by_name});
    if (e)
        return wk_sh_fail(sh, e);
    wk_bout_init(&o, sh, "enable");
    for (size_t i = 0; i < n; i++) {
        bool on = wk_builtin_enabled(sh, v[i]);
        if ((flags & ENABLE_SPECIAL) && !(v[i]->flags & WK_BUILTIN_SPECIAL))
            continue;
        if (!(flags & ENABLE_ALL) && on == ((flags & ENABLE_OFF) != 0))
            continue;
        wk_buf_fmt(&o.buf, on ? "enable %s\n" : "enable -n %s\n", v[i]->name);
    }
    sh->status = 0;
    return wk_bout_finish(&o);
}

/* -f: there is no loading here, which is told as of a file that is not there. */
static enum wk_flow enable_load(struct wk_shell *sh, const char *file)
{
    wk_sh_builtin_error(sh, "enable", "cannot open shared object %s: %s: cannot open shared object file: %s", file,
                        file, wk_err_text(WK_ENOENT));
    return wk_status(sh, 1);
}

/* Why name cannot be switched, or as -d says, be unloaded; NULL: it was done. */
static const char *enable_one(struct wk_shell *sh, struct wk_str name, int flags)
{
    const struct wk_builtin *b = wk_builtin_find(sh, name);
    if (b && flags & ENABLE_UNLOAD)
        return "not dynamically loaded";
    return b && wk_builtin_set_enabled(sh, b, !(flags & ENABLE_OFF)) == 0 ? NULL : "not a shell builtin";
}

static enum wk_flow enable_run(struct wk_shell *sh, const struct wk_args *a)
{
    static const char letters[] = "anspd";
    struct wk_getopt g = {.b = &wk_builtin_enable, .a = a, .spec = "adnpsf:"};
    const char *file = NULL;
    int flags = 0;
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == '?')
            return wk_status(sh, 2);
        if (c == 'f')
            file = g.arg.p;
        else
            flags |= 1 << (strchr(letters, c) - letters);
    }
    size_t at = g.at ? g.at : 1;
    if (at >= a->n || flags & ENABLE_PRINT)
        return enable_list(sh, flags);
    if (file)
        return enable_load(sh, file);
    sh->status = 0;
    for (; at < a->n; at++) {
        const char *why = enable_one(sh, a->v[at], flags);
        if (why) {
            wk_sh_builtin_error(sh, "enable", "%s: %s", a->v[at].p, why);
            sh->status = 1;
        }
    }
    return WK_NEXT;
}

WK_BUILTIN(caller, .usage = "caller [expr]",
           .summary = "Return the context of the current subroutine call.",
           .help = "Prints the line and file of the call in progress; with EXPR the line, function "
                   "and file of that many\n"
                   "calls further out.\n\nFails when there is no such call.",
           .run = caller_run);

WK_BUILTIN(times, .usage = "times", .summary = "Display process times.",
           .help = "Prints user and system time of the shell and of its children. Virtual "
                   "processes have none of their\n"
                   "own, so they are zero.",
           .flags = WK_BUILTIN_SPECIAL, .run = times_run);

WK_BUILTIN(
    enable, .usage = "enable [-a] [-dnps] [-f filename] [name ...]",
    .summary = "Enable and disable shell builtins.",
    .help =
        "  -a   list all builtins, with their state\n  -n   disable NAME, or list disabled ones\n"
        "  -p   list in a reusable form\n  -s   only POSIX special builtins",
    .run = enable_run);
