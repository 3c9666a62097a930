/* fc.c - fc: list, edit and run again what was read
 *
 * Standard: POSIX XCU fc; bash 9.2. Oracle: bash 5.2.
 */
#include "base/num.h"
#include "interp/builtin.h"
#include "interp/history.h"
#include "interp/run.h"
#include "interp/start.h"
#include "interp/vars.h"
#include "vfs/vfs.h"

extern const struct wk_builtin wk_builtin_fc;

enum { LISTED = 16, TRIES = 100 };

struct fc_options {
    bool list, no_numbers, reverse, again;
    struct wk_str editor;
};

/* ---- which entries --------------------------------------------------------------------------- */

/* The entries that fc sees: not the line that it stands in. */
static int64_t seen(const struct wk_shell *sh)
{
    int64_t n = wk_history_count(sh);
    return n && sh->st->history->line_kept ? n - 1 : n;
}

/* To fc with an editor the last entry is its own line when something has put it there since the list was read. */
static bool own_line(const struct wk_shell *sh)
{
    const struct wk_history *h = sh->st->history;
    return h && (h->line_kept || h->added);
}

static bool is_number(struct wk_str s)
{
    size_t sign = s.n && s.p[0] == '-';
    return s.n > sign && wk_is_digit(s.p[sign]);
}

/* A newer entry that begins with s; -1: none. */
static int64_t find_prefix(struct wk_shell *sh, struct wk_str s, int64_t count)
{
    for (int64_t i = count - 1; i >= 0; i--) {
        if (wk_str_starts(wk_val_str(wk_history_at(sh, (uint32_t)i)->line), s))
            return i;
        if (wk_step(sh->k))
            return -1;
    }
    return -1;
}

enum { NO_ENTRY = -1, OUT_OF_RANGE = -2 };

/* The entry that s names, or one of these. `self`: -0 is the line that fc stands in; `beyond` is what a number past the
 * end means. */
static int64_t entry_of(struct wk_shell *sh, struct wk_str s, bool self, int64_t count, int64_t beyond)
{
    int64_t n, base = wk_history_base(sh);
    int err;
    if (!s.n)
        return count - 1;
    if (!is_number(s))
        return find_prefix(sh, s, count);
    (void)wk_scan_i64(s, 10, &n, &err);
    if (n == 0 && s.p[0] == '-')
        return self ? (int64_t)wk_history_count(sh) - 1 : OUT_OF_RANGE;
    if (n == 0)
        return count - 1;
    if (n < 0)
        return n < -seen(sh) ? 0 : WK_MIN(seen(sh) + n, count - 1);
    return n < base ? 0 : n - base >= seen(sh) - 1 ? beyond : n - base;
}

static enum wk_flow none_found(struct wk_shell *sh)
{
    wk_sh_builtin_error(sh, "fc", "no command found");
    return wk_status(sh, 1);
}

/* ---- running --------------------------------------------------------------------------------- */

/* The command takes the place of the fc in the list, is shown and run. */
static enum wk_flow run_command(struct wk_shell *sh, struct wk_str text)
{
    bool kept;
    if (!text.n)
        return wk_status(sh, 0);
    int e = wk_history_offer(sh, text, &kept);
    if (e)
        return wk_sh_fail(sh, e);
    (void)wk_sh_write(sh, 2, text);
    (void)wk_sh_write(sh, 2, WK_STR("\n"));
    return wk_sh_eval_text(sh, text, sh->line);
}

/* The fc itself, or what stands in its place, goes from the list. */
static int forget_last(struct wk_shell *sh)
{
    uint32_t n = wk_history_count(sh);
    struct wk_history *h = n ? wk_history_own(sh) : NULL;
    if (!n)
        return 0;
    if (!h)
        return -WK_ENOMEM;
    h->line_kept = h->added = false;
    return wk_history_remove(sh, n - 1, n);
}

/* All of `what` in *text replaced. */
static int replace_all(struct wk_shell *sh, struct wk_buf *text, struct wk_str what, struct wk_str by)
{
    struct wk_buf b;
    struct wk_str rest = wk_buf_str(text);
    if (!what.n)
        return 0;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    for (;;) {
        ptrdiff_t at = wk_str_find(rest, what);
        size_t n = at < 0 ? rest.n : (size_t)at;
        wk_buf_puts(&b, wk_str_take(rest, n));
        if (at < 0 || b.failed)
            break;
        wk_buf_puts(&b, by);
        rest = wk_str_from(rest, n + what.n);
        if (wk_steps(sh->k, (uint32_t)(WK_MIN(by.n, (size_t)1 << 30) / 64) + 1) != 0) {
            wk_buf_release(&b);
            return -WK_ESTOP;
        }
    }
    struct wk_buf old = *text;
    *text = b;
    wk_buf_release(&old);
    return text->failed ? -WK_ENOMEM : 0;
}

/* fc -s [pat=rep]… [command] */
static enum wk_flow run_again(struct wk_shell *sh, const struct wk_args *a, size_t at)
{
    size_t pairs = at;
    while (at < a->n && wk_str_chr(a->v[at], '=') >= 0)
        at++;
    int64_t last = seen(sh) - 1;
    int64_t i = at < a->n ? entry_of(sh, a->v[at], false, last + 1, last) : last;
    if (i < 0)
        return none_found(sh);
    struct wk_buf text;
    wk_buf_init(&text, sh->mem, WK_VAL_MAX);
    wk_buf_puts(&text, wk_val_str(wk_history_at(sh, (uint32_t)i)->line));
    int e = text.failed ? -WK_ENOMEM : 0;
    for (; pairs < at && !e; pairs++) {
        size_t eq = (size_t)wk_str_chr(a->v[pairs], '=');
        e = replace_all(sh, &text, wk_str_take(a->v[pairs], eq), wk_str_from(a->v[pairs], eq + 1));
    }
    if (!e)
        e = forget_last(sh);
    enum wk_flow flow = e ? wk_sh_fail(sh, e) : run_command(sh, wk_buf_str(&text));
    wk_buf_release(&text);
    return flow;
}

/* ---- listing and editing --------------------------------------------------------------------- */

/* The entries from … to as text: numbered for -l, plain for the editor. */
static int put_entries(struct wk_shell *sh, struct wk_buf *b, const struct fc_options *o, int64_t from, int64_t to)
{
    for (int64_t n = 0; n <= to - from && !b->failed; n++) {
        int64_t i = o->reverse ? to - n : from + n;
        const struct wk_val *line = wk_history_at(sh, (uint32_t)i)->line;
        if (o->list && !o->no_numbers)
            wk_buf_put_i64(b, wk_history_base(sh) + i);
        if (o->list)
            wk_buf_put_c(b, wk_opt(sh, POSIX) ? "\t" : "\t ");
        wk_buf_puts(b, wk_val_str(line));
        wk_buf_putc(b, '\n');
        if (wk_steps(sh->k, line->n / 64 + 1) != 0)
            return -WK_ESTOP;
    }
    return b->failed ? -WK_ENOMEM : 0;
}

/* A new file for the editor; its name in `path`. */
static int make_file(struct wk_shell *sh, struct wk_buf *path, struct wk_file **f)
{
    char scratch[24];
    struct wk_str dir = WK_STR("/tmp"), s;
    struct wk_stat st;
    uint32_t id = wk_names_find(sh->names, WK_STR("TMPDIR"));
    if (id != WK_NAME_NONE && wk_var_get(sh, id, scratch, &s) && s.n &&
        wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, s, 0, &st) == 0 && WK_S_ISDIR(st.mode))
        dir = s;
    int e = -WK_EEXIST;
    for (int i = 0; i < TRIES && e == -WK_EEXIST; i++) {
        wk_buf_reset(path);
        wk_buf_fmt(path, "%.*s/bash-fc.%06x", (int)WK_MIN(dir.n, (size_t)4096), dir.p,
                   (unsigned)(wk_kern_random(sh->k) & 0xffffff));
        e = path->failed ? -WK_ENOMEM
                         : wk_open(sh->task, path->p, WK_O_WRONLY | WK_O_CREAT | WK_O_EXCL, 0600, f);
    }
    return e;
}

static int read_back(struct wk_shell *sh, const char *path, struct wk_buf *b)
{
    struct wk_file *f;
    char part[4096];
    ptrdiff_t n;
    int e = wk_open(sh->task, path, WK_O_RDONLY, 0, &f);
    if (e)
        return e;
    while ((n = wk_file_read(sh->task, f, part, sizeof part)) > 0) {
        for (ptrdiff_t i = 0; i < n; i++) {
            if (part[i])
                wk_buf_putc(b, part[i]);
        }
        if (b->failed || wk_steps(sh->k, 64) != 0)
            break;
    }
    wk_file_unref(f);
    return b->failed ? -WK_ENOMEM : n > 0 ? -WK_ESTOP : (int)n;
}

static enum wk_flow edit(struct wk_shell *sh, const struct fc_options *o, int64_t from, int64_t to)
{
    struct wk_buf path, text;
    struct wk_file *f = NULL;
    wk_buf_init(&path, sh->mem, 1 << 16);
    wk_buf_init(&text, sh->mem, WK_VAL_MAX);
    enum wk_flow flow = WK_NEXT;
    int e = put_entries(sh, &text, o, from, to);
    if (!e)
        e = make_file(sh, &path, &f);
    if (!e) {
        ptrdiff_t n = wk_file_write(sh->task, f, text.p, text.n);
        e = n < 0 ? (int)n : 0;
        wk_file_unref(f);
    }
    if (e == -WK_ENOMEM || e == -WK_ESTOP) {
        flow = wk_sh_fail(sh, e);
    } else if (e) {
        wk_sh_builtin_error(sh, "fc", "%s: cannot open temp file: %s", path.p ? path.p : "", wk_err_text(e));
        flow = wk_status(sh, 1);
    } else {
        wk_buf_reset(&text);
        wk_buf_puts(&text, o->editor.p ? o->editor : WK_STR("${FCEDIT:-${EDITOR:-vi}}"));
        wk_buf_putc(&text, ' ');
        wk_buf_puts(&text, wk_buf_str(&path));
        e = text.failed ? -WK_ENOMEM : own_line(sh) ? forget_last(sh) : 0;
        flow = e ? wk_sh_fail(sh, e) : wk_sh_eval_text(sh, wk_buf_str(&text), sh->line);
        if (flow == WK_NEXT && sh->status) {
            sh->status = 1;
        } else if (flow == WK_NEXT) {
            wk_buf_reset(&text);
            e = read_back(sh, path.p, &text);
            if (e == -WK_ENOMEM || e == -WK_ESTOP)
                flow = wk_sh_fail(sh, e);
            else
                flow = e ? wk_status(sh, 1) : wk_run_edited(sh, wk_buf_str(&text));
        }
        (void)wk_vfs_unlink(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, wk_buf_str(&path));
    }
    wk_buf_release(&path);
    wk_buf_release(&text);
    return flow;
}

static enum wk_flow list_or_edit(struct wk_shell *sh, const struct wk_args *a, size_t at, struct fc_options *o)
{
    int64_t count = seen(sh), from, to;
    if (!o->list && count && own_line(sh))
        count = (int64_t)wk_history_count(sh) - 1;
    if (count == 0 && o->list) /* there is nothing but the line itself */
        count = wk_history_count(sh);
    if (count == 0) {
        /* The editor begins with an empty file. */
        return o->list || !wk_history_count(sh) ? wk_status(sh, 0) : edit(sh, o, 0, -1);
    }
    to = count - 1;
    if (at < a->n) {
        from = entry_of(sh, a->v[at], o->list, count, 0);
        if (at + 1 < a->n)
            to = entry_of(sh, a->v[at + 1], o->list, count, count - 1);
        else if (!o->list || from > to)
            to = from;
    } else {
        from = o->list ? WK_MAX(count - LISTED, 0) : to;
    }
    if (from == NO_ENTRY || to == NO_ENTRY)
        return none_found(sh);
    if (from < 0 || to < 0) {
        wk_sh_builtin_error(sh, "fc", "history specification out of range");
        return wk_status(sh, 1);
    }
    if (to < from) {
        int64_t t = from;
        from = to;
        to = t;
        o->reverse = true;
    }
    if (!o->list)
        return edit(sh, o, from, to);
    struct wk_bout out;
    wk_bout_init(&out, sh, "fc");
    sh->status = 0;
    int e = put_entries(sh, &out.buf, o, from, to);
    if (!e)
        return wk_bout_finish(&out);
    wk_bout_drop(&out);
    return wk_sh_fail(sh, e);
}

static enum wk_flow fc_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct fc_options o = {0};
    struct wk_getopt g = {.b = &wk_builtin_fc, .a = a, .spec = "e:lnrs"};
    for (;;) {
        size_t next = g.at ? g.at : 1;
        if (g.in == 0 && next < a->n && is_number(a->v[next]))
            break; /* -2 is an entry */
        int c = wk_getopt_next(sh, &g);
        if (c == 0)
            break;
        switch (c) {
        case 'e':
            o.editor = g.arg;
            break;
        case 'l':
            o.list = true;
            break;
        case 'n':
            o.no_numbers = true;
            break;
        case 'r':
            o.reverse = true;
            break;
        case 's':
            o.again = true;
            break;
        default:
            return wk_status(sh, 2);
        }
    }
    size_t at = g.at ? g.at : 1;
    if (o.again || (o.editor.p && wk_str_is(o.editor, "-")))
        return run_again(sh, a, at);
    return list_or_edit(sh, a, at, &o);
}

WK_BUILTIN(fc, .usage = "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
           .summary = "Display or execute commands from the history list.",
           .help = "Takes the entries FIRST to LAST of the history, lets an editor change them and runs what it\n"
                   "leaves. An entry is named by its number, by a negative number that counts from the end, or by\n"
                   "how it begins.\n\n"
                   "  -e ENAME  edit with ENAME; else with $FCEDIT, $EDITOR or vi\n"
                   "  -l        list the entries (the last 16) and run nothing\n"
                   "  -n        list without numbers\n"
                   "  -r        the newest first\n"
                   "  -s        run COMMAND (the last one) again at once, PAT replaced by REP\n\n"
                   "Status of the last command run; fails when there is no such entry or the editor fails.",
           .run = fc_run);
