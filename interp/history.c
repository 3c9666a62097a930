/* history.c - the list of lines that were read, its file, and how lines of input come into it
 *
 * Standard: bash 9.1, 9.2. Oracle: bash 5.2.
 */
#include "interp/history.h"

#include "interp/expand.h"
#include "interp/vars.h"
#include "vfs/vfs.h"

#include "base/num.h"

enum { NS = 1000000000 };

/* ---- the list -------------------------------------------------------------------------------- */

static void entries_unref(struct wk_mem *m, struct wk_history *h, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        wk_val_unref(m, h->v[i].line);
}

void wk_history_unref(struct wk_mem *m, struct wk_history *h)
{
    if (!h || --h->refs)
        return;
    entries_unref(m, h, h->from, h->n);
    wk_val_unref(m, h->search);
    wk_val_unref(m, h->word);
    wk_val_unref(m, h->old);
    wk_val_unref(m, h->new);
    wk_free(m, h->v);
    wk_free(m, h);
}

static struct wk_val *share(struct wk_val *v)
{
    return v ? wk_val_ref(v) : NULL;
}

struct wk_history *wk_history_own(struct wk_shell *sh)
{
    struct wk_history *old = sh->st->history;
    if (old && old->refs == 1)
        return old;
    struct wk_history *h = wk_alloc(sh->mem, sizeof *h);
    if (!h)
        return NULL;
    if (!old) {
        *h = (struct wk_history){.refs = 1, .base = 1};
        sh->st->history = h;
        return h;
    }
    uint32_t n = old->n - old->from;
    *h = *old;
    h->refs = 1;
    h->from = 0;
    h->n = n;
    h->cap = n;
    h->v = n ? wk_alloc(sh->mem, n * sizeof *h->v) : NULL;
    if (n && !h->v) {
        wk_free(sh->mem, h);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        h->v[i] = old->v[old->from + i];
        wk_val_ref(h->v[i].line);
    }
    share(h->search);
    share(h->word);
    share(h->old);
    share(h->new);
    wk_history_unref(sh->mem, old);
    sh->st->history = h;
    return h;
}

uint32_t wk_history_count(const struct wk_shell *sh)
{
    return sh->st->history ? sh->st->history->n - sh->st->history->from : 0;
}

const struct wk_history_entry *wk_history_at(const struct wk_shell *sh, uint32_t i)
{
    return &sh->st->history->v[sh->st->history->from + i];
}

int64_t wk_history_base(const struct wk_shell *sh)
{
    return sh->st->history ? sh->st->history->base : 1;
}

/* A count in a variable: -1 when it is unset, negative or no number, which means no bound. */
static int64_t size_variable(struct wk_shell *sh, const char *name)
{
    char scratch[24];
    struct wk_str s;
    int64_t n;
    uint32_t id = wk_names_find(sh->names, wk_str_c(name));
    if (id == WK_NAME_NONE || !wk_var_get(sh, id, scratch, &s) || wk_parse_i64(s, 10, &n) != 0 || n < 0)
        return -1;
    return n;
}

/* Room for one more entry: what was dropped at the front is used again when it is half of the list. */
static bool make_room(struct wk_shell *sh, struct wk_history *h)
{
    if (h->n < h->cap)
        return true;
    uint32_t n = h->n - h->from;
    if (h->from > n) {
        memmove(h->v, h->v + h->from, n * sizeof *h->v);
        h->from = 0;
        h->n = n;
        return true;
    }
    return wk_vec_grow(sh->mem, &h->v, &h->cap, (size_t)h->n + 1, sizeof *h->v);
}

static void drop_first(struct wk_shell *sh, struct wk_history *h, uint32_t count)
{
    entries_unref(sh->mem, h, h->from, h->from + count);
    h->from += count;
    h->unsaved = WK_MIN(h->unsaved, h->n - h->from);
}

int wk_history_add(struct wk_shell *sh, struct wk_str line, int64_t time)
{
    int64_t max = size_variable(sh, "HISTSIZE");
    struct wk_history *h = wk_history_own(sh);
    if (!h)
        return -WK_ENOMEM;
    if (max == 0)
        return 0;
    struct wk_val *v = wk_val_new(sh->mem, line);
    if (!v || !make_room(sh, h)) {
        wk_val_unref(sh->mem, v);
        return -WK_ENOMEM;
    }
    h->v[h->n++] = (struct wk_history_entry){v, time};
    h->unsaved++;
    if (max > 0 && h->n - h->from > max) {
        h->base += h->n - h->from - max;
        drop_first(sh, h, h->n - h->from - (uint32_t)max);
    }
    return 0;
}

/* $HISTTIMEFORMAT is set: times are kept, and written to the file. */
static bool writes_times(struct wk_shell *sh)
{
    uint32_t id = wk_names_find(sh->names, WK_STR("HISTTIMEFORMAT"));
    return id != WK_NAME_NONE && wk_var_is_set(sh, id);
}

int64_t wk_history_now(struct wk_shell *sh)
{
    const struct wk_history *h = sh->st->history;
    return (h && h->stamping) || writes_times(sh) ? wk_clock_realtime(&sh->k->clock) / NS : WK_HISTORY_NO_TIME;
}

int wk_history_remove(struct wk_shell *sh, uint32_t from, uint32_t to)
{
    struct wk_history *h = from < to ? wk_history_own(sh) : NULL;
    if (from >= to)
        return 0;
    if (!h)
        return -WK_ENOMEM;
    uint32_t a = h->from + from, b = h->from + to;
    entries_unref(sh->mem, h, a, b);
    uint32_t fresh = h->n - h->unsaved; /* entries from there on are not in the file yet */
    h->unsaved -= b > fresh ? b - WK_MAX(a, fresh) : 0;
    memmove(h->v + a, h->v + b, (h->n - b) * sizeof *h->v);
    h->n -= b - a;
    return 0;
}

int wk_history_forget_line(struct wk_shell *sh)
{
    struct wk_history *h = sh->st->history;
    if (!h || !h->line_kept || !wk_history_count(sh) || sh->xtrace_depth) /* in eval, source and $(…) it stays */
        return 0;
    h = wk_history_own(sh);
    if (!h)
        return -WK_ENOMEM;
    h->line_kept = false;
    return wk_history_remove(sh, wk_history_count(sh) - 1, wk_history_count(sh));
}

int wk_history_clear(struct wk_shell *sh)
{
    struct wk_history *h = sh->st->history ? wk_history_own(sh) : NULL;
    if (!sh->st->history)
        return 0;
    if (!h)
        return -WK_ENOMEM;
    entries_unref(sh->mem, h, h->from, h->n);
    h->from = h->n = h->unsaved = 0;
    h->base = 1;
    h->file_lines = 0;
    h->line_kept = false;
    return 0;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* The next part of a list with colons; false at its end. */
static bool next_part(struct wk_str *rest, struct wk_str *part)
{
    if (!rest->p)
        return false;
    ptrdiff_t colon = -1;
    for (size_t i = 0; i < rest->n && colon < 0; i++) {
        if (rest->p[i] == '\\')
            i++;
        else if (rest->p[i] == ':')
            colon = (ptrdiff_t)i;
    }
    *part = colon < 0 ? *rest : wk_str_take(*rest, (size_t)colon);
    *rest = colon < 0 ? (struct wk_str){NULL, 0} : wk_str_from(*rest, (size_t)colon + 1);
    return true;
}

static bool last_line(const struct wk_shell *sh, struct wk_str *line)
{
    uint32_t n = wk_history_count(sh);
    if (n)
        *line = wk_val_str(wk_history_at(sh, n - 1)->line);
    return n != 0;
}

struct control {
    bool space, dups, erase;
};

static struct control control(struct wk_shell *sh)
{
    struct control c = {0};
    char scratch[24];
    struct wk_str rest, part;
    uint32_t id = wk_names_find(sh->names, WK_STR("HISTCONTROL"));
    if (id == WK_NAME_NONE || !wk_var_get(sh, id, scratch, &rest))
        return c;
    while (next_part(&rest, &part)) {
        bool both = wk_str_is(part, "ignoreboth");
        c.space = c.space || both || wk_str_is(part, "ignorespace");
        c.dups = c.dups || both || wk_str_is(part, "ignoredups");
        c.erase = c.erase || wk_str_is(part, "erasedups");
    }
    return c;
}

/* One pattern of HISTIGNORE with & as the last line. */
static bool put_pattern(struct wk_shell *sh, struct wk_buf *b, struct wk_str pattern)
{
    struct wk_str last = WK_STR("");
    bool uses = false, any = last_line(sh, &last);
    wk_buf_reset(b);
    for (size_t i = 0; i < pattern.n; i++) {
        if (pattern.p[i] == '\\' && i + 1 < pattern.n) {
            if (pattern.p[i + 1] != '&')
                wk_buf_putc(b, '\\');
            wk_buf_putc(b, pattern.p[++i]);
        } else if (pattern.p[i] == '&') {
            uses = true;
            for (size_t j = 0; j < last.n; j++) {
                if (memchr("*?[]\\|()+@!", last.p[j], 11))
                    wk_buf_putc(b, '\\');
                wk_buf_putc(b, last.p[j]);
            }
        } else {
            wk_buf_putc(b, pattern.p[i]);
        }
    }
    return any || !uses;
}

static int ignored(struct wk_shell *sh, struct wk_str line, bool *yes)
{
    char scratch[24];
    struct wk_str rest, part;
    uint32_t id = wk_names_find(sh->names, WK_STR("HISTIGNORE"));
    *yes = false;
    if (id == WK_NAME_NONE || !wk_var_get(sh, id, scratch, &rest) || !rest.n)
        return 0;
    struct wk_buf b;
    int r = 0;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    while (!r && !*yes && next_part(&rest, &part)) {
        if (!part.n || !put_pattern(sh, &b, part))
            continue;
        if (b.failed)
            r = -WK_ENOMEM;
        else if (wk_match_text(sh, line, wk_buf_str(&b), false, yes) == WK_STOP)
            r = -WK_ESTOP;
    }
    wk_buf_release(&b);
    return r;
}

/* erasedups: the same line is nowhere else. */
static int erase_same(struct wk_shell *sh, struct wk_str line)
{
    struct wk_history *h = wk_history_own(sh);
    if (!h)
        return -WK_ENOMEM;
    uint32_t to = h->from, fresh = h->n - h->unsaved, unsaved = 0;
    for (uint32_t i = h->from; i < h->n; i++) {
        if (wk_str_eq(wk_val_str(h->v[i].line), line)) {
            wk_val_unref(sh->mem, h->v[i].line);
            continue;
        }
        unsaved += i >= fresh;
        h->v[to++] = h->v[i];
    }
    h->n = to;
    h->unsaved = unsaved;
    return wk_steps(sh->k, to / 16 + 1) ? -WK_ESTOP : 0;
}

int wk_history_offer(struct wk_shell *sh, struct wk_str line, bool *kept)
{
    struct control c = control(sh);
    struct wk_str last;
    bool ignore;
    *kept = false;
    if (c.space && line.n && (line.p[0] == ' ' || line.p[0] == '\t'))
        return 0;
    if (c.dups && last_line(sh, &last) && wk_str_eq(last, line))
        return 0;
    int r = ignored(sh, line, &ignore);
    if (r || ignore)
        return r;
    if (c.erase && (r = erase_same(sh, line)) != 0)
        return r;
    *kept = true;
    r = wk_history_add(sh, line, wk_history_now(sh));
    struct wk_history *h = r ? NULL : wk_history_own(sh);
    if (h)
        h->added = true;
    return r;
}

/* ---- the file -------------------------------------------------------------------------------- */

bool wk_history_file(struct wk_shell *sh, char scratch[24], struct wk_str *path)
{
    uint32_t id = wk_names_find(sh->names, WK_STR("HISTFILE"));
    return id != WK_NAME_NONE && wk_var_get(sh, id, scratch, path);
}

struct reading {
    struct wk_shell *sh;
    uint64_t skip, lines;
    bool stamped, whole; /* the file has times; lines between two of them are one entry */
    bool cut; /* a NUL was met in the line */
    int64_t time;
    struct wk_buf line, entry;
};

static bool is_stamp(struct wk_str s, int64_t *time)
{
    return s.n > 1 && s.p[0] == '#' && wk_is_digit(s.p[1]) && wk_parse_i64(wk_str_from(s, 1), 10, time) == 0;
}

static int entry_done(struct reading *r)
{
    int e = 0;
    struct wk_str s = wk_buf_str(&r->entry);
    if (r->entry.failed)
        return -WK_ENOMEM;
    if (s.n) {
        uint32_t unsaved = r->sh->st->history ? r->sh->st->history->unsaved : 0;
        e = wk_history_add(r->sh, s, r->time);
        if (!e) /* it came from a file */
            r->sh->st->history->unsaved = WK_MIN(unsaved, wk_history_count(r->sh));
    }
    wk_buf_reset(&r->entry);
    r->time = wk_clock_realtime(&r->sh->k->clock) / NS;
    return e;
}

static int line_done(struct reading *r)
{
    struct wk_str s = wk_buf_str(&r->line);
    int64_t time;
    int e = 0;
    if (r->line.failed)
        return -WK_ENOMEM;
    if (r->lines++ < r->skip) {
        wk_buf_reset(&r->line);
        return 0;
    }
    if (r->lines == r->skip + 1 && is_stamp(s, &time))
        r->whole = r->stamped;
    if (is_stamp(s, &time)) {
        e = entry_done(r);
        r->time = time;
    } else if (s.n) {
        if (!r->whole)
            wk_buf_reset(&r->entry);
        else if (r->entry.n)
            wk_buf_putc(&r->entry, '\n');
        wk_buf_puts(&r->entry, s);
        if (!r->whole)
            e = entry_done(r);
    }
    wk_buf_reset(&r->line);
    return e;
}

static int read_lines(struct reading *r, struct wk_file *f)
{
    for (;;) {
        const char *p;
        ptrdiff_t n = wk_file_peek(r->sh->task, f, 4096, &p);
        if (n == -WK_EINTR && !r->sh->task->signal_check)
            continue;
        if (n <= 0)
            return (int)n;
        const char *nl = memchr(p, '\n', (size_t)n);
        size_t take = nl ? (size_t)(nl - p) : (size_t)n;
        const char *nul = memchr(p, '\0', take); /* which ends a line, too */
        size_t whole = nul ? (size_t)(nul - p) : take;
        if (!r->cut)
            wk_buf_put(&r->line, p, whole);
        r->cut = !nl && (r->cut || whole < take);
        wk_file_skip(f, take + (nl != NULL));
        if (wk_steps(r->sh->k, (uint32_t)(take / 64) + 1) != 0)
            return -WK_ESTOP;
        int e = nl ? line_done(r) : r->line.failed ? -WK_ENOMEM : 0;
        if (e)
            return e;
    }
}

/* A regular file only: a list of commands is no device. */
static int open_list(struct wk_shell *sh, const char *path, struct wk_file **f)
{
    struct wk_stat st;
    int e = wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, wk_str_c(path), 0, &st);
    if (!e && !WK_S_ISREG(st.mode))
        return WK_S_ISDIR(st.mode) ? -WK_EISDIR : -WK_EINVAL;
    return e ? e : wk_open(sh->task, path, WK_O_RDONLY, 0, f);
}

int wk_history_read(struct wk_shell *sh, const char *path, uint64_t skip)
{
    struct wk_file *f;
    int e = open_list(sh, path, &f);
    if (e)
        return e;
    struct reading r = {.sh = sh, .skip = skip, .stamped = writes_times(sh)};
    r.time = wk_clock_realtime(&sh->k->clock) / NS;
    wk_buf_init(&r.line, sh->mem, WK_VAL_MAX);
    wk_buf_init(&r.entry, sh->mem, WK_VAL_MAX);
    e = read_lines(&r, f);
    if (!e) /* a last line without newline is none */
        e = entry_done(&r);
    wk_buf_release(&r.line);
    wk_buf_release(&r.entry);
    wk_file_unref(f);
    struct wk_history *h = e ? NULL : wk_history_own(sh);
    if (h)
        h->file_lines = r.lines;
    return e ? e : h ? 0 : -WK_ENOMEM;
}

static int put_entries(struct wk_shell *sh, struct wk_file *f, uint32_t from)
{
    struct wk_buf b;
    bool times = writes_times(sh);
    int e = 0;
    uint32_t n = wk_history_count(sh);
    wk_buf_init(&b, sh->mem, SIZE_MAX / 2);
    for (uint32_t i = from; i <= n && !e; i++) {
        if (i < n) {
            const struct wk_history_entry *h = wk_history_at(sh, i);
            if (times && h->time != WK_HISTORY_NO_TIME)
                wk_buf_fmt(&b, "#%lld\n", (long long)h->time);
            wk_buf_puts(&b, wk_val_str(h->line));
            wk_buf_putc(&b, '\n');
        }
        if (b.failed)
            e = -WK_ENOMEM;
        else if (b.n && (i == n || b.n > 1 << 16)) {
            ptrdiff_t w = wk_file_write(sh->task, f, b.p, b.n);
            e = w < 0 ? (int)w : wk_steps(sh->k, (uint32_t)WK_MIN(b.n / 64, UINT32_MAX)) ? -WK_ESTOP : 0;
            wk_buf_reset(&b);
        }
    }
    wk_buf_release(&b);
    return e;
}

int wk_history_write(struct wk_shell *sh, const char *path, uint32_t from, bool append)
{
    struct wk_file *f;
    int e = wk_open(sh->task, path, WK_O_WRONLY | WK_O_CREAT | (append ? WK_O_APPEND : WK_O_TRUNC), 0600, &f);
    if (e)
        return e;
    e = put_entries(sh, f, from);
    wk_file_unref(f);
    return e;
}

/* Keep the last $HISTFILESIZE lines of the file. */
static int shorten_file(struct wk_shell *sh, const char *path)
{
    int64_t max = size_variable(sh, "HISTFILESIZE");
    struct wk_file *f;
    int e = max < 0 ? -WK_ENOENT : open_list(sh, path, &f);
    if (e)
        return e;
    struct wk_buf b;
    char part[4096];
    ptrdiff_t n;
    wk_buf_init(&b, sh->mem, SIZE_MAX / 2);
    while ((n = wk_file_read(sh->task, f, part, sizeof part)) > 0) {
        wk_buf_put(&b, part, (size_t)n);
        if (b.failed || wk_steps(sh->k, 16) != 0)
            break;
    }
    wk_file_unref(f);
    e = b.failed ? -WK_ENOMEM : n > 0 ? -WK_ESTOP : (int)n;
    struct wk_str s = wk_buf_str(&b);
    size_t at = s.n;
    for (int64_t lines = 0; max > 0 && at > 0; at--) {
        if (s.p[at - 1] == '\n' && at < s.n && ++lines == max)
            break;
    }
    if (!e && at > 0 && s.n) {
        e = wk_open(sh->task, path, WK_O_WRONLY | WK_O_TRUNC, 0600, &f);
        if (!e) {
            n = at < s.n ? wk_file_write(sh->task, f, s.p + at, s.n - at) : 0;
            e = n < 0 ? (int)n : 0;
            wk_file_unref(f);
        }
    }
    wk_buf_release(&b);
    return e;
}

void wk_history_sizes_changed(struct wk_shell *sh, bool file)
{
    char scratch[24];
    struct wk_str path;
    if (!sh->hooks) /* the shell is being made: its environment says what will hold with `set -o history' */
        return;
    if (file) {
        if (wk_history_file(sh, scratch, &path) && path.n)
            (void)shorten_file(sh, path.p);
        return;
    }
    int64_t max = size_variable(sh, "HISTSIZE");
    if (max < 0 || wk_history_count(sh) <= max)
        return;
    struct wk_history *h = wk_history_own(sh);
    if (!h)
        return;
    uint32_t count = wk_history_count(sh) - (uint32_t)max;
    drop_first(sh, h, count);
    h->base = count; /* readline counts anew */
}

static int set_default(struct wk_shell *sh, const char *name, struct wk_str value)
{
    uint32_t id = wk_names_intern(sh->names, wk_str_c(name));
    if (id == WK_NAME_NONE)
        return -WK_ENOMEM;
    return wk_var_is_set(sh, id) ? 0 : wk_var_set(sh, id, value);
}

static int default_file(struct wk_shell *sh)
{
    char scratch[24];
    struct wk_str home;
    struct wk_buf b;
    uint32_t id = wk_names_find(sh->names, WK_STR("HOME"));
    if (id == WK_NAME_NONE || !wk_var_get(sh, id, scratch, &home))
        return 0;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    wk_buf_puts(&b, home);
    wk_buf_put_c(&b, "/.bash_history");
    int r = b.failed ? -WK_ENOMEM : set_default(sh, "HISTFILE", wk_buf_str(&b));
    wk_buf_release(&b);
    return r;
}

int wk_history_enable(struct wk_shell *sh)
{
    char scratch[24];
    struct wk_str s;
    struct wk_history *h = wk_history_own(sh);
    if (!h)
        return -WK_ENOMEM;
    h->stamping = true;
    if (h->loaded)
        return 0;
    h->loaded = true;
    int r = set_default(sh, "HISTSIZE", WK_STR("500"));
    if (!r && sh->interactive)
        r = default_file(sh);
    uint32_t id = wk_names_find(sh->names, WK_STR("HISTSIZE"));
    if (!r && id != WK_NAME_NONE && wk_var_get(sh, id, scratch, &s))
        r = set_default(sh, "HISTFILESIZE", s);
    if (r || !wk_history_file(sh, scratch, &s) || !s.n || wk_history_count(sh))
        return r;
    r = shorten_file(sh, s.p);
    if (r != -WK_ENOMEM && r != -WK_ESTOP)
        r = wk_history_read(sh, s.p, 0);
    return r == -WK_ENOMEM || r == -WK_ESTOP ? r : 0;
}

void wk_history_save(struct wk_shell *sh)
{
    char scratch[24];
    struct wk_str path;
    struct wk_history *h = sh->st->history;
    uint32_t n = wk_history_count(sh);
    if (!wk_opt(sh, HISTORY) || !h || !h->unsaved || !wk_history_file(sh, scratch, &path) || !path.n)
        return;
    bool append = h->unsaved < n || wk_shopt(sh, HISTAPPEND);
    if (wk_history_write(sh, path.p, n - h->unsaved, append) != 0)
        return;
    (void)shorten_file(sh, path.p);
    if ((h = wk_history_own(sh)) != NULL)
        h->unsaved = 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool ends_in_backslash(struct wk_str s)
{
    size_t n = 0;
    while (n < s.n && s.p[s.n - 1 - n] == '\\')
        n++;
    return n % 2 != 0;
}

/* A further line of the command that is the last entry. */
static int join(struct wk_shell *sh, struct wk_str text, enum wk_parse_joint joint, char quote)
{
    struct wk_history *h = wk_history_own(sh);
    if (!h)
        return -WK_ENOMEM;
    if (h->n == h->from)
        return 0;
    struct wk_val **v = &h->v[h->n - 1].line;
    struct wk_str have = wk_val_str(*v), between = WK_STR("\n");
    bool inside = joint == WK_JOINT_NEWLINE || joint == WK_JOINT_HEREDOC;
    size_t blanks = 0;
    while (blanks < text.n && (text.p[blanks] == ' ' || text.p[blanks] == '\t'))
        blanks++;
    bool after_body = have.n && have.p[have.n - 1] == '\n'; /* of a here-document */
    if (joint == WK_JOINT_SEMICOLON && wk_str_ends(have, WK_STR("; ")))
        joint = WK_JOINT_BLANK; /* behind an empty line */
    if (joint == WK_JOINT_HEREDOC && after_body) {
        between = WK_STR("");
    } else if (!quote && joint != WK_JOINT_HEREDOC && ends_in_backslash(have)) {
        struct wk_val *cut = wk_val_new(sh->mem, wk_str_take(have, have.n - 1));
        if (!cut)
            return -WK_ENOMEM;
        wk_val_unref(sh->mem, *v);
        *v = cut;
        between = WK_STR("");
    } else if (!inside && (text.n ? text.p[blanks] == '#' : joint == WK_JOINT_BLANK)) {
        return 0;
    } else if (!wk_shopt(sh, LITHIST) && !inside && wk_str_find(text, WK_STR("<<")) < 0) {
        between = joint == WK_JOINT_BLANK || after_body ? WK_STR(" ")
                  : joint == WK_JOINT_BARE              ? WK_STR(";")
                                                        : WK_STR("; ");
    }
    bool ok = wk_val_append(sh->mem, v, between) && wk_val_append(sh->mem, v, text);
    if (ok && joint == WK_JOINT_HEREDOC)
        ok = wk_val_append(sh->mem, v, WK_STR("\n"));
    return ok ? 0 : -WK_ENOMEM;
}

static int record(struct wk_shell *sh, struct wk_str text, bool continued, const struct wk_parser *p, bool *kept)
{
    if (continued && wk_shopt(sh, CMDHIST))
        return *kept ? join(sh, text, wk_parser_joint(p), wk_parser_quote(p)) : 0;
    int r = 0;
    *kept = false;
    if (text.n)
        r = wk_history_offer(sh, text, kept);
    struct wk_history *h = r ? NULL : wk_history_own(sh);
    if (h)
        h->line_kept = *kept;
    return r ? r : h ? 0 : -WK_ENOMEM;
}

int wk_history_input(struct wk_shell *sh, struct wk_str raw, bool continued, const struct wk_parser *p,
                     bool *kept, struct wk_buf *out, struct wk_str *line)
{
    struct wk_str text = raw;
    enum wk_histexp what = WK_HISTEXP_NONE;
    if (text.n && text.p[text.n - 1] == '\n')
        text.n--;
    *line = raw;
    if (out && wk_opt(sh, HISTEXPAND) && !(continued && wk_parser_joint(p) == WK_JOINT_HEREDOC)) {
        uint32_t number = sh->line;
        uint32_t seen = wk_history_count(sh); /* without the command that this line goes on with */
        seen -= continued && *kept && seen;
        int r = wk_histexpand(sh, text, continued ? wk_parser_quote(p) : '\0', seen, out, &what);
        if (r)
            return r;
        sh->line = wk_parser_line(p);
        if (what == WK_HISTEXP_FAILED)
            wk_sh_error(sh, "%.*s", (int)WK_MIN(out->n, (size_t)INT32_MAX), wk_buf_c(out));
        sh->line = number;
        if (what != WK_HISTEXP_NONE) {
            text = wk_buf_str(out);
            size_t n = text.n;
            if (!wk_buf_putc(out, '\n'))
                return -WK_ENOMEM;
            text = wk_str(out->p, n);
            *line = what == WK_HISTEXP_DONE ? wk_buf_str(out) : WK_STR("");
            if (what != WK_HISTEXP_FAILED)
                (void)wk_sh_write(sh, 2, wk_buf_str(out));
        }
    }
    if (what == WK_HISTEXP_FAILED || (out && !wk_opt(sh, HISTORY))) /* what fc has edited is kept in any case */
        return 0;
    return record(sh, text, continued, p, kept);
}
