/* echo.c - echo
 *
 * Standard: POSIX XCU echo; bash 4.2. Oracle: bash 5.2.
 */
#include "interp/builtin.h"
#include "text/printfmt/printfmt.h"

enum { STACK_BYTES = 1024 };

struct echo_options {
    bool newline, escapes;
};

/* Only words made of n, e, E alone are options; the first other word ends them. */
static size_t parse_options(struct wk_shell *sh, const struct wk_args *a, struct echo_options *o)
{
    size_t i = 1;
    o->newline = true;
    o->escapes = wk_shopt(sh, XPG_ECHO);
    if (o->escapes && wk_opt(sh, POSIX))
        return i;
    for (; i < a->n && a->v[i].n > 1 && a->v[i].p[0] == '-'; i++) {
        struct wk_str s = a->v[i];
        for (size_t k = 1; k < s.n; k++)
            if (s.p[k] != 'n' && s.p[k] != 'e' && s.p[k] != 'E')
                return i;
        for (size_t k = 1; k < s.n; k++) {
            if (s.p[k] == 'n')
                o->newline = false;
            else
                o->escapes = s.p[k] == 'e';
        }
    }
    return i;
}

static enum wk_flow write_all(struct wk_shell *sh, const char *p, size_t n)
{
    struct wk_file *f = wk_fd_get(sh->proc->fds, 1);
    ptrdiff_t r = n == 0 ? 0 : f ? wk_file_write(sh->task, f, p, n) : -WK_EBADF;
    if (r >= 0)
        return wk_status(sh, 0);
    if (r == -WK_ESTOP || r == -WK_ENOMEM)
        return wk_sh_fail(sh, (int)r);
    wk_bout_failed(sh, "echo", (int)r);
    return wk_status(sh, 1);
}

static enum wk_flow echo_escaped(struct wk_shell *sh, const struct wk_args *a, size_t at, bool newline)
{
    struct wk_buf b;
    bool stop = false;
    wk_buf_init(&b, sh->mem, SIZE_MAX / 2);
    for (size_t i = at; i < a->n && !stop; i++) {
        if (i > at)
            wk_buf_putc(&b, ' ');
        wk_unescape(&b, a->v[i], WK_ESCAPE_ECHO | (sh->st->bytes ? WK_ESCAPE_BYTES : 0u), &stop);
    }
    if (newline && !stop)
        wk_buf_putc(&b, '\n');
    enum wk_flow flow = b.failed ? wk_sh_nomem(sh) : write_all(sh, b.p, b.n);
    wk_buf_release(&b);
    return flow;
}

static enum wk_flow echo_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct echo_options o;
    size_t at = parse_options(sh, a, &o);
    if (o.escapes)
        return echo_escaped(sh, a, at, o.newline);
    size_t total = 1;
    for (size_t i = at; i < a->n; i++)
        total += a->v[i].n + 1;
    char small[STACK_BYTES];
    char *p = total <= sizeof small ? small : wk_arena_alloc(&sh->arena, total);
    if (!p)
        return wk_sh_nomem(sh);
    size_t n = 0;
    for (size_t i = at; i < a->n; i++) {
        if (i > at)
            p[n++] = ' ';
        if (a->v[i].n)
            memcpy(p + n, a->v[i].p, a->v[i].n);
        n += a->v[i].n;
    }
    if (o.newline)
        p[n++] = '\n';
    return write_all(sh, p, n);
}

WK_BUILTIN(echo, .usage = "echo [-neE] [arg ...]", .summary = "Print the arguments on one line.",
           .help = "  -n   no newline at the end\n  -e   interpret backslash escapes\n"
                   "  -E   do not (default)\n\n"
                   "Escapes: \\a \\b \\c (stop) \\e \\f \\n \\r \\t \\v \\\\ \\0NNN \\xHH \\uHHHH \\UHHHHHHHH",
           .flags = WK_BUILTIN_LEAF, .run = echo_run);
