/* printf.c - printf: formatted output, or a variable set to it
 *
 * Standard: POSIX XCU printf; bash 4.2. Oracle: bash 5.2.
 */
#include "base/num.h"
#include "interp/builtin.h"
#include "interp/vars.h"
#include "text/date/date.h"
#include "text/printfmt/printfmt.h"

extern const struct wk_builtin wk_builtin_printf;

struct context {
    struct wk_shell *sh;
    int err; /* of the last write, negative */
};

static int write_piece(void *ctx, struct wk_buf *out)
{
    struct context *c = ctx;
    struct wk_shell *sh = c->sh;
    struct wk_file *f = wk_fd_get(sh->proc->fds, 1);
    ptrdiff_t r = out->n == 0 ? 0 : f ? wk_file_write(sh->task, f, out->p, out->n) : -WK_EBADF;
    wk_buf_reset(out);
    c->err = r < 0 ? (int)r : 0;
    return c->err;
}

static void warn(void *ctx, const char *text)
{
    struct context *c = ctx;
    wk_sh_builtin_error(c->sh, "printf", "%s", text);
}

/* The zone of $TZ if it is exported, as the C library sees it; else UTC. *own must be freed. */
static const struct wk_tz *zone_of(struct wk_shell *sh, struct wk_tz **own)
{
    char scratch[24];
    struct wk_str tz;
    uint32_t name = wk_names_intern(sh->names, WK_STR("TZ"));
    const struct wk_var *v = name == WK_NAME_NONE ? NULL : wk_var_peek(sh, name);
    *own = NULL;
    if (v && v->flags & WK_VAR_EXPORT && wk_var_get(sh, name, scratch, &tz) &&
        wk_tz_posix(sh->mem, tz, own) == 0)
        return *own;
    return wk_tz_utc();
}

enum { MOST_TIME = 127 };

static bool put_time(void *ctx, struct wk_buf *out, struct wk_str fmt, int64_t secs)
{
    struct context *c = ctx;
    struct wk_shell *sh = c->sh;
    int64_t now = wk_clock_realtime(&sh->k->clock);
    if (secs == -1)
        secs = now / 1000000000;
    else if (secs == -2)
        secs = sh->proc->started_ns / 1000000000;
    struct wk_tz *own;
    const struct wk_tz *tz = zone_of(sh, &own);
    struct wk_tm tm;
    size_t before = out->n;
    bool known = wk_tz_local(tz, (struct wk_instant){secs, 0}, &tm) && wk_tm_fits(&tm);
    bool ok = (known || wk_tz_local(tz, (struct wk_instant){0, 0}, &tm)) && /* as bash */
              wk_strftime_libc(out, fmt.n ? fmt : WK_STR("%X"), &tm);
    wk_tz_free(own);
    if (out->n - before > MOST_TIME) /* bash's buffer ends there, and strftime says nothing then */
        out->n = before;
    return ok;
}

static int set_count(void *ctx, struct wk_str name, int64_t count)
{
    struct context *c = ctx;
    char digits[WK_NUM_MAX];
    return wk_var_set_named(c->sh, "printf", name, wk_str(digits, wk_fmt_i64(digits, count)));
}

static enum wk_flow print(struct wk_shell *sh, struct wk_str format, const struct wk_str *args, size_t n)
{
    struct context c = {.sh = sh};
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, (size_t)sh->k->limits.expansion);
    struct wk_printf p = {.out = &b, .flush = write_piece, .warn = warn, .put_time = put_time,
                          .set_count = set_count, .ctx = &c,
                          .bytes = sh->st->bytes,
                          .posix = wk_opt(sh, POSIX)};
    int status = wk_printf_run(&p, format, args, n);
    if (status >= 0)
        (void)write_piece(&c, &b);
    else if (!c.err)
        c.err = status;
    wk_buf_release(&b);
    if (c.err == -WK_ESTOP || c.err == -WK_ENOMEM)
        return wk_sh_fail(sh, c.err);
    if (c.err) {
        wk_bout_failed(sh, "printf", c.err);
        status = 1;
    }
    return wk_status(sh, status);
}

static enum wk_flow print_to_variable(struct wk_shell *sh, struct wk_str target, struct wk_str format,
                                      const struct wk_str *args, size_t n)
{
    struct context c = {.sh = sh};
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, (size_t)sh->k->limits.expansion);
    struct wk_printf p = {.out = &b, .warn = warn, .put_time = put_time, .set_count = set_count, .ctx = &c,
                          .bytes = sh->st->bytes,
                          .posix = wk_opt(sh, POSIX)};
    int status = wk_printf_run(&p, format, args, n);
    enum wk_flow flow = WK_NEXT;
    if (status < 0) {
        flow = wk_sh_fail(sh, status);
    } else {
        /* A variable cannot hold NUL: the value ends there. */
        struct wk_str value = wk_buf_str(&b);
        ptrdiff_t nul = wk_str_chr(value, '\0');
        if (nul >= 0)
            value.n = (size_t)nul;
        int e = wk_var_set_named(sh, "printf", target, value);
        if (e == -WK_ENOMEM)
            flow = wk_sh_nomem(sh);
        sh->status = e ? 1 : status;
    }
    wk_buf_release(&b);
    return flow;
}

static bool target_fits(struct wk_str s)
{
    ptrdiff_t bracket = wk_str_chr(s, '[');
    if (bracket < 0)
        return wk_str_is_name(s);
    struct wk_str name, sub;
    return wk_var_split_target(s, &name, &sub) && sub.n;
}

static enum wk_flow printf_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_str target = {NULL, 0};
    struct wk_getopt g = {.b = &wk_builtin_printf, .a = a, .spec = "v:"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c != 'v')
            return wk_status(sh, 2);
        target = g.arg;
        if (!target_fits(target)) {
            wk_sh_builtin_error(sh, "printf", "`%s': not a valid identifier", target.p);
            return wk_status(sh, 2);
        }
    }
    if (g.at >= a->n)
        return wk_builtin_usage(sh, &wk_builtin_printf);
    const struct wk_str *args = a->v + g.at + 1;
    size_t n = a->n - g.at - 1;
    if (target.p)
        return print_to_variable(sh, target, a->v[g.at], args, n);
    return print(sh, a->v[g.at], args, n);
}

WK_BUILTIN(printf, .usage = "printf [-v var] format [arguments]", .summary = "Print by a format.",
           .help = "FORMAT is used again until the arguments are used up. Besides printf(3)'s conversions:\n\n"
                   "  %b       the argument with its backslash escapes replaced\n"
                   "  %q       quoted so that a shell reads it back\n"
                   "  %(fmt)T  a time by strftime's FMT; -1 is now, -2 when the shell started\n\n"
                   "  -v var   set VAR to the output in place of printing it",
           .flags = WK_BUILTIN_LEAF, .run = printf_run);
