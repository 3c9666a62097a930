/* dirs.c - dirs, pushd, popd: the stack of directories
 *
 * Standard: bash 6.8.1. Oracle: bash 5.2.
 *
 * Entry 0 is the working directory; the state's stack holds the others, the newest last.
 */
#include "base/num.h"
#include "interp/builtin.h"
#include "interp/quote.h"
#include "interp/vars.h"

#include "builtins/shell/chdir.h"
#include "builtins/shell/vallist.h"

extern const struct wk_builtin wk_builtin_dirs, wk_builtin_pushd, wk_builtin_popd;

static uint32_t depth(const struct wk_shell *sh)
{
    return wk_vallist_count(sh->st->dirs);
}

/* Entry i as `dirs` counts from the left: 0 is the working directory. */
static struct wk_str entry(const struct wk_shell *sh, uint32_t i)
{
    if (i == 0)
        return sh->st->cwd ? wk_val_str(sh->st->cwd) : WK_STR("/");
    return wk_val_str(sh->st->dirs->v[sh->st->dirs->n - i]);
}

/* ---- printing -------------------------------------------------------------------------------------- */

static void put_dir(struct wk_shell *sh, struct wk_buf *b, struct wk_str dir, bool full)
{
    char scratch[24];
    struct wk_str home;
    if (!full && wk_var_get(sh, wk_names_intern(sh->names, WK_STR("HOME")), scratch, &home) && home.n > 1 &&
        wk_str_starts(dir, home) && (dir.n == home.n || dir.p[home.n] == '/')) {
        wk_buf_putc(b, '~');
        dir = wk_str_from(dir, home.n);
    }
    wk_buf_puts(b, dir);
}

enum style { ON_ONE_LINE, ONE_A_LINE, NUMBERED };

static enum wk_flow print_stack(struct wk_shell *sh, const char *who, enum style style, bool full)
{
    struct wk_bout o;
    wk_bout_init(&o, sh, who);
    for (uint32_t i = 0; i <= depth(sh); i++) {
        if (style == NUMBERED)
            wk_buf_fmt(&o.buf, "%2u  ", i);
        put_dir(sh, &o.buf, entry(sh, i), full);
        wk_buf_putc(&o.buf, style == ON_ONE_LINE && i < depth(sh) ? ' ' : '\n');
    }
    return wk_bout_finish(&o);
}

/* "+2" or "-1" as an index from the left; false when it is no such number. */
static bool parse_index(const struct wk_shell *sh, struct wk_str s, int64_t *out)
{
    int64_t n;
    if (s.n < 2 || (s.p[0] != '+' && s.p[0] != '-') || !wk_is_digit(s.p[1]) ||
        wk_parse_blanked(wk_str_from(s, 1), &n) != 0)
        return false;
    *out = s.p[0] == '+' ? n : (int64_t)depth(sh) - n;
    return true;
}

static enum wk_flow bad_index(struct wk_shell *sh, const char *who, struct wk_str s)
{
    if (depth(sh) == 0)
        wk_sh_builtin_error(sh, who, "directory stack empty");
    else
        wk_sh_builtin_error(sh, who, "%s: directory stack index out of range",
                            strcmp(who, "dirs") == 0 ? s.p + 1 : s.p);
    return wk_status(sh, 1);
}

static enum wk_flow misuse(struct wk_shell *sh, const struct wk_builtin *b, struct wk_str s,
                           const char *what)
{
    wk_sh_builtin_error(sh, b->name, "%s: %s", s.p, what);
    return wk_builtin_usage(sh, b);
}

/* ---- dirs ------------------------------------------------------------------------------------------ */

struct dirs_options {
    bool clear, full;
    enum style style;
    bool has_index;
    int64_t index;
    struct wk_str index_text;
};

/* One argument; false after a usage error. */
static bool dirs_argument(struct wk_shell *sh, struct wk_str s, struct dirs_options *o)
{
    if (parse_index(sh, s, &o->index)) {
        o->has_index = true;
        o->index_text = s;
        return true;
    }
    if (wk_str_is(s, "-c")) {
        o->clear = true;
    } else if (wk_str_is(s, "-l")) {
        o->full = true;
    } else if (wk_str_is(s, "-p")) {
        if (o->style == ON_ONE_LINE)
            o->style = ONE_A_LINE;
    } else if (wk_str_is(s, "-v")) {
        o->style = NUMBERED;
    } else {
        misuse(sh, &wk_builtin_dirs, s,
               s.n && (s.p[0] == '+' || s.p[0] == '-') ? "invalid number" : "invalid option");
        return false;
    }
    return true;
}

static enum wk_flow dirs_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct dirs_options o = {.style = ON_ONE_LINE};
    for (size_t i = 1; i < a->n; i++) {
        if (wk_str_is(a->v[i], "--"))
            break;
        if (!dirs_argument(sh, a->v[i], &o))
            return wk_status(sh, 2);
    }
    sh->status = 0;
    if (o.clear) {
        wk_vallist_clear(sh, &sh->st->dirs);
        return WK_NEXT;
    }
    if (!o.has_index)
        return print_stack(sh, "dirs", o.style, o.full);
    if (o.index < 0 || o.index > (int64_t)depth(sh))
        return bad_index(sh, "dirs", o.index_text);
    struct wk_bout out;
    wk_bout_init(&out, sh, "dirs");
    if (o.style == NUMBERED)
        wk_buf_fmt(&out.buf, "%2lld  ", (long long)o.index);
    put_dir(sh, &out.buf, entry(sh, (uint32_t)o.index), o.full);
    wk_buf_putc(&out.buf, '\n');
    return wk_bout_finish(&out);
}

/* ---- pushd ----------------------------------------------------------------------------------------- */

/* chdir with messages in the name of pushd or popd. */
static int go(struct wk_shell *sh, const char *who, struct wk_str dir)
{
    char *copy = wk_arena_strndup(&sh->arena, dir.p, dir.n);
    int r = copy ? wk_sh_chdir(sh, wk_str(copy, dir.n), wk_opt(sh, PHYSICAL)) : -WK_ENOMEM;
    if (r && r != -WK_ENOMEM && r != -WK_EPERM)
        wk_sh_builtin_error(sh, who, "%s: %s", wk_shown_name(sh, dir), wk_err_text(r));
    return r;
}

/* Bring entry `index` to the top by turning the whole ring; what is on top is the working directory, or
 * with `stay` (pushd -n) would have been. */
static int rotate(struct wk_shell *sh, uint32_t index, bool stay)
{
    uint32_t n = depth(sh);
    struct wk_str top = entry(sh, index);
    struct wk_val *old = wk_val_new(sh->mem, entry(sh, 0));
    if (!old || wk_vallist_own(sh, &sh->st->dirs) != 0) {
        wk_val_unref(sh->mem, old);
        return -WK_ENOMEM;
    }
    int r = stay ? 0 : go(sh, "pushd", top);
    if (r) {
        wk_val_unref(sh->mem, old);
        return r;
    }
    /* v[0..n) from the bottom; the ring read from the left is old, v[n-1], …, v[0]. */
    struct wk_dirstack *d = sh->st->dirs;
    struct wk_val **ring = wk_arena_alloc(&sh->arena, (n + 1) * sizeof *ring);
    if (!ring) {
        wk_val_unref(sh->mem, old);
        return -WK_ENOMEM;
    }
    ring[0] = old;
    for (uint32_t i = 1; i <= n; i++)
        ring[i] = d->v[n - i];
    wk_val_unref(sh->mem, ring[index]);
    for (uint32_t i = 1; i <= n; i++)
        d->v[n - i] = ring[(index + i) % (n + 1)];
    return 0;
}

/* The two on top change places. */
static int swap(struct wk_shell *sh)
{
    struct wk_val *old = wk_val_new(sh->mem, entry(sh, 0));
    int r = old && wk_vallist_own(sh, &sh->st->dirs) == 0 ? go(sh, "pushd", entry(sh, 1)) : -WK_ENOMEM;
    if (r) {
        wk_val_unref(sh->mem, old);
        return r;
    }
    struct wk_val **second = &sh->st->dirs->v[depth(sh) - 1];
    wk_val_unref(sh->mem, *second);
    *second = old;
    return 0;
}

static enum wk_flow pushed(struct wk_shell *sh, int r)
{
    if (r == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (r)
        return wk_status(sh, 1);
    sh->status = 0;
    return print_stack(sh, "pushd", ON_ONE_LINE, false);
}

static enum wk_flow push_dir(struct wk_shell *sh, struct wk_str dir, bool stay)
{
    if (stay)
        return pushed(sh, wk_vallist_push(sh, &sh->st->dirs, dir));
    char scratch[24];
    if (wk_str_is(dir, "-")) {
        if (!wk_var_get(sh, wk_names_intern(sh->names, WK_STR("OLDPWD")), scratch, &dir)) {
            wk_sh_builtin_error(sh, "pushd", "OLDPWD not set");
            return wk_status(sh, 1);
        }
    }
    struct wk_str here = entry(sh, 0);
    char *old = wk_arena_strndup(&sh->arena, here.p, here.n);
    if (!old)
        return wk_sh_nomem(sh);
    int r = go(sh, "pushd", dir);
    return pushed(sh, r ? r : wk_vallist_push(sh, &sh->st->dirs, wk_str(old, here.n)));
}

static enum wk_flow pushd_run(struct wk_shell *sh, const struct wk_args *a)
{
    bool stay = false;
    size_t i = 1;
    for (; i < a->n; i++) {
        struct wk_str s = a->v[i];
        int64_t index;
        if (wk_str_is(s, "--")) {
            i++;
            break;
        }
        if (wk_str_is(s, "-n")) {
            stay = true;
        } else if (parse_index(sh, s, &index)) {
            if (index < 0 || index > (int64_t)depth(sh))
                return bad_index(sh, "pushd", s);
            if (!stay)
                return pushed(sh, index == 0 ? 0 : rotate(sh, (uint32_t)index, false));
            int e = index == 0 ? 0 : rotate(sh, (uint32_t)index, true);
            return e ? wk_sh_fail(sh, e) : wk_status(sh, 0);
        } else if (s.n && (s.p[0] == '+' || (s.n > 1 && s.p[0] == '-'))) {
            return misuse(sh, &wk_builtin_pushd, s, "invalid number");
        } else {
            break;
        }
    }
    if (i >= a->n) {
        if (stay)
            return wk_status(sh, 0);
        if (depth(sh) == 0) {
            wk_sh_builtin_error(sh, "pushd", "no other directory");
            return wk_status(sh, 1);
        }
        return pushed(sh, swap(sh));
    }
    if (a->n - i > 1 && !stay) {
        wk_sh_builtin_error(sh, "pushd", "too many arguments");
        return wk_status(sh, 1);
    }
    return push_dir(sh, a->v[i], stay);
}

/* ---- popd ------------------------------------------------------------------------------------------ */

/* Take entry i (> 0) out of the stack. */
static int take_out(struct wk_shell *sh, uint32_t i)
{
    uint32_t at = depth(sh) - i;
    return wk_vallist_cut(sh, &sh->st->dirs, at, at + 1);
}

static enum wk_flow popped(struct wk_shell *sh, int r)
{
    if (r == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (r)
        return wk_status(sh, 1);
    sh->status = 0;
    return print_stack(sh, "popd", ON_ONE_LINE, false);
}

static enum wk_flow popd_run(struct wk_shell *sh, const struct wk_args *a)
{
    bool stay = false;
    int64_t index = 0;
    struct wk_str which = WK_STR("+0");
    for (size_t i = 1; i < a->n; i++) {
        struct wk_str s = a->v[i];
        if (wk_str_is(s, "--"))
            break;
        if (wk_str_is(s, "-n")) {
            stay = true;
        } else if (parse_index(sh, s, &index)) {
            which = s;
        } else {
            return misuse(sh, &wk_builtin_popd, s,
                          s.n && (s.p[0] == '-' || s.p[0] == '+') ? "invalid number" : "invalid argument");
        }
    }
    if (depth(sh) == 0 || index < 0 || index > (int64_t)depth(sh))
        return bad_index(sh, "popd", which);
    if (index == 0 && !stay) {
        int r = go(sh, "popd", entry(sh, 1));
        return popped(sh, r ? r : take_out(sh, 1));
    }
    return popped(sh, take_out(sh, index == 0 ? 1 : (uint32_t)index));
}

WK_BUILTIN(dirs, .usage = "dirs [-clpv] [+N] [-N]", .summary = "Show the stack of directories.",
           .help = "  -c   empty the stack\n  -l   names in full, without ~\n  -p   one a line\n"
                   "  -v   one a line, with its number\n  +N   entry N from the left, from zero\n"
                   "  -N   entry N from the right",
           .run = dirs_run);

WK_BUILTIN(pushd, .usage = "pushd [-n] [+N | -N | dir]", .summary = "Add a directory to the stack, or turn the stack.",
           .help = "Without an argument the two top directories change places.\n\n"
                   "  -n   change the stack only, not the working directory\n"
                   "  +N   turn the stack so that entry N from the left is on top; -N from the right\n"
                   "  dir  add DIR on top and make it the working directory",
           .run = pushd_run);

WK_BUILTIN(popd, .usage = "popd [-n] [+N | -N]", .summary = "Remove a directory from the stack.",
           .help = "Without an argument the top goes and the next becomes the working directory.\n\n"
                   "  -n   change the stack only, not the working directory\n"
                   "  +N   remove entry N from the left, from zero; -N from the right",
           .run = popd_run);
