/* history.c - history: list, change, read and write the lines that were read
 *
 * Standard: bash 9.2. Oracle: bash 5.2.
 */
#include "base/num.h"
#include "interp/builtin.h"
#include "interp/history.h"
#include "interp/prompt.h"
#include "interp/shared.h"
#include "interp/vars.h"
#include "vfs/vfs.h"

extern const struct wk_builtin wk_builtin_history;

struct history_options {
    bool clear, print, store;
    char file;            /* a, n, r or w; 0: none */
    struct wk_str remove; /* -d */
    bool too_many;
};

/* ---- listing --------------------------------------------------------------------------------- */

static void put_time(struct wk_shell *sh, struct wk_buf *b, struct wk_str format, int64_t time)
{
    if (time == WK_HISTORY_NO_TIME)
        wk_buf_put_c(b, "??");
    else
        wk_sh_put_time(sh, b, format, time);
}

static enum wk_flow list(struct wk_shell *sh, const struct wk_args *a, size_t at)
{
    uint32_t n = wk_history_count(sh), from = 0;
    int64_t want;
    if (a->n - at > 1)
        return wk_sh_too_many(sh, "history");
    if (at < a->n) {
        if (wk_parse_blanked(a->v[at], &want) != 0) {
            wk_sh_builtin_error(sh, "history", "%s: numeric argument required", a->v[at].p);
            return wk_status(sh, 1);
        }
        if (want > -(int64_t)n && want < n) /* else all of them */
            from = n - (uint32_t)(want < 0 ? -want : want);
    }
    char scratch[24];
    struct wk_str format = WK_STR("");
    uint32_t id = wk_names_find(sh->names, WK_STR("HISTTIMEFORMAT"));
    if (id != WK_NAME_NONE)
        (void)wk_var_get(sh, id, scratch, &format);
    struct wk_bout o;
    wk_bout_init(&o, sh, "history");
    sh->status = 0;
    for (uint32_t i = from; i < n && !o.buf.failed; i++) {
        const struct wk_history_entry *e = wk_history_at(sh, i);
        wk_buf_fmt(&o.buf, "%5lld  ", (long long)(wk_history_base(sh) + i));
        if (format.n)
            put_time(sh, &o.buf, format, e->time);
        wk_buf_puts(&o.buf, wk_val_str(e->line));
        wk_buf_putc(&o.buf, '\n');
        if (wk_steps(sh->k, e->line->n / 64 + 1) != 0) {
            wk_bout_drop(&o);
            return WK_STOP;
        }
    }
    return wk_bout_finish(&o);
}

/* ---- -d -------------------------------------------------------------------------------------- */

static enum wk_flow out_of_range(struct wk_shell *sh, struct wk_str s)
{
    wk_sh_builtin_error(sh, "history", "%.*s: history position out of range", (int)WK_MIN(s.n, (size_t)INT32_MAX),
                        s.p);
    return wk_status(sh, 1);
}

/* A number as an index of the list; false when it is none. */
static bool position(const struct wk_shell *sh, struct wk_str s, int64_t *i)
{
    int64_t n, count = wk_history_count(sh);
    if (wk_parse_blanked(s, &n) != 0)
        return false;
    if (n < 0)
        *i = n < -count ? -1 : count + n;
    else
        *i = n < wk_history_base(sh) ? -1 : n - wk_history_base(sh);
    return *i >= 0 && *i < count;
}

static enum wk_flow removed(struct wk_shell *sh, int64_t from, int64_t to)
{
    int e = wk_history_remove(sh, (uint32_t)from, (uint32_t)to + 1);
    return e ? wk_sh_nomem(sh) : wk_status(sh, 0);
}

static enum wk_flow remove_entries(struct wk_shell *sh, struct wk_str s)
{
    int64_t from, to;
    ptrdiff_t dash = s.n > 1 ? wk_str_chr(wk_str_from(s, 1), '-') : -1;
    if (dash < 0)
        return position(sh, s, &from) ? removed(sh, from, from) : out_of_range(sh, s);
    struct wk_str first = wk_str_take(s, (size_t)dash + 1), last = wk_str_from(s, (size_t)dash + 2);
    int64_t n;
    if (wk_parse_i64(first, 10, &n) != 0 || wk_parse_i64(last, 10, &n) != 0)
        return out_of_range(sh, s);
    if (!position(sh, first, &from))
        return out_of_range(sh, first);
    if (!position(sh, last, &to))
        return out_of_range(sh, last);
    return from > to ? wk_status(sh, 1) : removed(sh, from, to);
}

/* ---- -p, -s ---------------------------------------------------------------------------------- */

static enum wk_flow print_expanded(struct wk_shell *sh, const struct wk_args *a, size_t at)
{
    struct wk_buf b;
    struct wk_bout o;
    enum wk_histexp what;
    int e = wk_history_forget_line(sh);
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    wk_bout_init(&o, sh, "history");
    sh->status = 0;
    for (; at < a->n && !e; at++) {
        e = wk_histexpand(sh, a->v[at], WK_HISTEXP_TEXT, wk_history_count(sh), &b, &what);
        if (e)
            break;
        if (what == WK_HISTEXP_FAILED) {
            wk_sh_builtin_error(sh, "history", "%s: history expansion failed", a->v[at].p);
            sh->status = 1;
            continue;
        }
        wk_buf_puts(&o.buf, what == WK_HISTEXP_NONE ? a->v[at] : wk_buf_str(&b));
        wk_buf_putc(&o.buf, '\n');
    }
    wk_buf_release(&b);
    if (!e)
        return wk_bout_finish(&o);
    wk_bout_drop(&o);
    return wk_sh_fail(sh, e);
}

static enum wk_flow store(struct wk_shell *sh, const struct wk_args *a, size_t at)
{
    struct wk_buf b;
    bool kept;
    if (at >= a->n)
        return wk_status(sh, 0);
    int e = wk_history_forget_line(sh);
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    for (size_t i = at; i < a->n; i++) {
        wk_buf_puts(&b, a->v[i]);
        if (i + 1 < a->n)
            wk_buf_putc(&b, ' ');
    }
    if (!e)
        e = b.failed ? -WK_ENOMEM : wk_history_offer(sh, wk_buf_str(&b), &kept);
    wk_buf_release(&b);
    return e ? wk_sh_fail(sh, e) : wk_status(sh, 0);
}

/* ---- -a, -n, -r, -w -------------------------------------------------------------------------- */

/* Without HISTFILE: .history in the home directory, if there is one; `exists`: only if it is there. False: no room. */
static bool default_file(struct wk_shell *sh, bool exists, struct wk_str *path)
{
    char scratch[24];
    struct wk_str home;
    struct wk_stat st;
    if (!wk_var_get(sh, wk_known(sh, WK_KNOWN_HOME), scratch, &home) || !home.n)
        return true;
    char *p = wk_arena_alloc(&sh->arena, home.n + sizeof "/.history");
    if (!p)
        return false;
    memcpy(p, home.p, home.n);
    memcpy(p + home.n, "/.history", sizeof "/.history");
    struct wk_str s = wk_str_c(p);
    if (!exists || wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, s, 0, &st) == 0)
        *path = s;
    return true;
}

static enum wk_flow with_file(struct wk_shell *sh, const struct wk_args *a, size_t at, char how)
{
    char scratch[24];
    struct wk_str path = WK_STR("");
    struct wk_history *h = wk_history_own(sh);
    if (!h)
        return wk_sh_nomem(sh);
    if (at < a->n)
        path = a->v[at];
    else if (!wk_history_file(sh, scratch, &path) && !default_file(sh, how == 'a' && h->unsaved, &path))
        return wk_sh_nomem(sh);
    if (how == 'a' && !h->unsaved)
        return wk_status(sh, 0);
    if (!path.n) {
        if (how == 'a' && at >= a->n && wk_history_file(sh, scratch, &path))
            wk_sh_builtin_error(sh, "history", ": cannot create: %s", wk_err_text(-WK_ENOENT));
        return wk_status(sh, 1);
    }
    uint32_t n = wk_history_count(sh);
    int e = 0;
    if (how == 'r' || how == 'n')
        e = wk_history_read(sh, path.p, how == 'n' ? h->file_lines : 0);
    else if (how == 'w')
        e = wk_history_write(sh, path.p, 0, false);
    else if (h->unsaved)
        e = wk_history_write(sh, path.p, n - h->unsaved, true);
    if (e == -WK_ENOMEM || e == -WK_ESTOP)
        return wk_sh_fail(sh, e);
    if (e && how == 'a')
        wk_sh_builtin_error(sh, "history", "%s: cannot create: %s", path.p, wk_err_text(e));
    if (!e && how == 'a' && (h = wk_history_own(sh)) != NULL) {
        h->file_lines += h->unsaved;
        h->unsaved = 0;
    }
    return wk_status(sh, e ? 1 : 0);
}

static enum wk_flow history_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct history_options o = {0};
    struct wk_getopt g = {.b = &wk_builtin_history, .a = a, .spec = "acd:npsrw"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        switch (c) {
        case 'c':
            o.clear = true;
            break;
        case 'd':
            o.remove = g.arg;
            break;
        case 'p':
            o.print = true;
            break;
        case 's':
            o.store = true;
            break;
        case '?':
            return wk_status(sh, 2);
        default:
            o.too_many = o.too_many || o.file;
            o.file = (char)c;
        }
    }
    size_t at = g.at ? g.at : 1;
    if (o.too_many) {
        wk_sh_builtin_error(sh, "history", "cannot use more than one of -anrw");
        return wk_status(sh, 1);
    }
    if (o.clear) {
        if (wk_history_clear(sh) != 0)
            return wk_sh_nomem(sh);
        if (at >= a->n && !o.file && !o.remove.p)
            return wk_status(sh, 0);
    }
    if (o.store)
        return store(sh, a, at);
    if (o.print)
        return print_expanded(sh, a, at);
    if (o.remove.p)
        return remove_entries(sh, o.remove);
    return o.file ? with_file(sh, a, at, o.file) : list(sh, a, at);
}

WK_BUILTIN(history,
           .usage = "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
           .summary = "Display or manipulate the history list.",
           .help = "Prints the lines that were read, each with its number; with N the last N of them. A shell that\n"
                   "runs a script keeps such a list after `set -o history'.\n\n"
                   "  -c         empty the list\n"
                   "  -d OFFSET  remove entry OFFSET, counted from the end when negative; N-M removes a range\n"
                   "  -a         append the new entries to the history file\n"
                   "  -n         read the lines of the file that were not read yet\n"
                   "  -r         read the file and append its lines to the list\n"
                   "  -w         write the list to the file\n"
                   "  -p         expand each ARG with ! and ^ and print it, without keeping it\n"
                   "  -s         append the ARGs to the list as one entry\n\n"
                   "The file is FILENAME, or $HISTFILE. With $HISTTIMEFORMAT the time of each entry is shown in that\n"
                   "form of strftime. Fails after a usage error, a number out of range or a file that cannot be used.",
           .run = history_run);
