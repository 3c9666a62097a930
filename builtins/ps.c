/* ps.c - show the processes of the session
 *
 * Standard: POSIX; procps 4.0.2. Oracle: ps.
 * Differs:  docs/divergences/ps.md
 */
#include "builtins/ps.h"

#include "base/num.h"
#include "base/utf8.h"
#include "builtins/ptrsort.h"

void wk_ps_complain(struct ps *s, const char *text)
{
    wk_out_fmt(s->c->err,
               "error: %s\n\nUsage:\n ps [options]\n\n Try 'ps --help "
               "<simple|list|output|threads|misc|all>'\n"
               "  or 'ps --help <s|l|o|t|m|a>'\n for additional help text.\n\nFor more details see "
               "ps(1).\n",
               text);
    wk_exit(s->c, 1);
}

/* ---- selection */

static bool same_command(const char *comm, const char *name)
{
    return strncmp(comm, name, 15) == 0 && strlen(comm) == WK_MIN(strlen(name), (size_t)15);
}

static bool in_list(const struct ps_list *l, const struct wk_procinfo *p)
{
    uint32_t id = l->by == BY_PID    ? p->pid
                  : l->by == BY_PPID ? p->ppid
                  : l->by == BY_SID  ? p->sid
                  : l->by == BY_RUID ? p->uid[0]
                  : l->by == BY_EUID ? p->uid[1]
                  : l->by == BY_RGID ? p->gid[0]
                  : l->by == BY_EGID ? p->gid[1]
                                     : p->tty;
    for (size_t i = 0; i < l->n; i++)
        if (l->by == BY_COMM ? same_command(p->comm, l->names[i]) : l->ids[i] == id)
            return true;
    return false;
}

/* What the options without lists want; nothing: false. */
static bool simply_wanted(const struct ps *s, const struct wk_procinfo *p)
{
    if (s->every || (s->bsd_all && s->bsd_no_tty))
        return true;
    if (s->no_leaders && p->sid != p->pid)
        return true;
    if (s->with_tty && p->tty && p->sid != p->pid)
        return true;
    if (s->bsd_all)
        return p->tty != 0;
    return s->bsd_no_tty && p->uid[1] == s->self->uid[1];
}

static bool is_wanted(const struct ps *s, const struct wk_procinfo *p)
{
    bool any = s->every || s->no_leaders || s->with_tty || s->bsd_all || s->bsd_no_tty,
         wanted = false;
    if (any)
        wanted = simply_wanted(s, p);
    for (const struct ps_list *l = s->lists; l && !wanted; l = l->next)
        wanted = in_list(l, p);
    if (!any && !s->lists)
        wanted = p->uid[1] == s->self->uid[1] && (s->bsd ? p->tty != 0 : p->tty == s->self->tty);
    if (s->running && p->state != 'R' && p->state != 'D')
        wanted = false;
    return wanted != s->negate;
}

/* ---- order */

static int compare(void *ctx, const void *a, const void *b)
{
    struct ps *s = (struct ps *)ctx;
    const struct wk_procinfo *x = (const struct wk_procinfo *)a, *y = (const struct wk_procinfo *)b;
    for (size_t i = 0; i < s->nkeys; i++) {
        int order = wk_ps_compare(s, s->keys[i].kind, x, y);
        if (order)
            return s->keys[i].reverse ? -order : order;
    }
    return 0;
}

static struct wk_procinfo **choose(struct ps *s, size_t *n)
{
    struct wk_procinfo **v = wk_new_n(s->c, struct wk_procinfo *, s->table.n + 1);
    size_t room = s->table.n + 1;
    *n = 0;
    for (size_t i = 0; i < s->table.n && !s->quick; i++)
        if (is_wanted(s, &s->table.v[i]))
            v[(*n)++] = &s->table.v[i];
    for (size_t i = 0; s->quick && i < s->lists->n; i++) /* in the order of the list, also twice */
        for (size_t j = 0; j < s->table.n; j++)
            if (s->table.v[j].pid == s->lists->ids[i]) {
                if (*n == room)
                    v = (struct wk_procinfo **)wk_heap_realloc(s->c->heap, v,
                                                               (room *= 2) * sizeof *v);
                v[(*n)++] = &s->table.v[j];
            }
    if (s->nkeys && *n > 1)
        wk_ptr_sort(s->c, (const void **)(void *)v, *n, compare, s);
    return v;
}

/* ---- printing */

struct line {
    size_t at, target; /* columns printed, and where this one should end */
};

static size_t columns_of(const struct ps *s, const char *p, size_t n)
{
    return s->utf8 ? wk_utf8_columns(wk_str(p, n)) : n;
}

/* The bytes of a text that fill at most `columns`. */
static size_t cut(const struct ps *s, const char *p, size_t n, size_t columns)
{
    if (!s->utf8)
        return WK_MIN(n, columns);
    size_t at = 0, used = 0;
    while (at < n) {
        uint32_t code;
        size_t len = wk_utf8_next(p + at, n - at, &code);
        size_t width = wk_utf8_is_bad(code) ? 1 : (size_t)WK_MAX(wk_utf8_width(code), 0);
        if (used + width > columns)
            break;
        used += width;
        at += len;
    }
    return at;
}

static bool is_name(enum ps_kind kind)
{
    return kind == PS_RUSER || kind == PS_EUSER || kind == PS_SUSER || kind == PS_FUSER ||
           kind == PS_RGROUP || kind == PS_EGROUP || kind == PS_SGROUP || kind == PS_FGROUP;
}

/* How much of a text may stand in a column: all of a header, and of what is right-justified. */
static size_t room_for(const struct ps *s, const struct line *l, size_t i, bool header)
{
    const struct ps_column *col = &s->columns[i];
    if (header || col->spec->flags & RIGHT || col->spec->kind == PS_CLASS)
        return SIZE_MAX;
    if (i + 1 < s->ncolumns)
        return col->width;
    return s->line > l->at ? s->line - l->at : 0;
}

/* A text that is too long moves the columns behind it until their own padding makes up for it. */
static void put_cell(struct ps *s, struct line *l, size_t i, struct wk_str text, bool header)
{
    const struct ps_column *col = &s->columns[i];
    struct wk_out *out = s->c->out;
    bool last = i + 1 == s->ncolumns, right = col->spec->flags & RIGHT;
    l->target += col->width + (i > 0);
    if (i) {
        wk_out_char(out, ' ');
        l->at++;
    }
    size_t columns = columns_of(s, text.p, text.n), room = room_for(s, l, i, header);
    bool name = columns > room && room && is_name(col->spec->kind); /* ends in + */
    if (columns > room) {
        text.n = cut(s, text.p, text.n, room - name);
        columns = columns_of(s, text.p, text.n) + name;
    }
    size_t pad = l->target > l->at + columns ? l->target - l->at - columns : 0;
    for (size_t k = 0; right && k < pad; k++)
        wk_out_char(out, ' ');
    wk_out_str(out, text);
    if (name)
        wk_out_char(out, '+');
    bool behind = !right && (!last || s->aix);
    for (size_t k = 0; behind && k < pad; k++)
        wk_out_char(out, ' ');
    l->at += columns + (right || behind ? pad : 0);
}

static void put_header(struct ps *s)
{
    struct line l = {0, 0};
    bool any = false;
    for (size_t i = 0; i < s->ncolumns; i++)
        any = any || s->columns[i].header[0];
    for (size_t i = 0; i < s->ncolumns && any; i++)
        put_cell(s, &l, i, wk_str_c(s->columns[i].header), true);
    if (any)
        wk_out_char(s->c->out, '\n');
}

/* One line: of a process, or without what its threads (or it alone) have. */
static void put_line(struct ps *s, const struct wk_procinfo *p, unsigned without)
{
    struct line l = {0, 0};
    for (size_t i = 0; i < s->ncolumns; i++) {
        if (s->columns[i].spec->flags & without) {
            put_cell(s, &l, i, WK_STR("-"), false);
            continue;
        }
        wk_ps_value(s, &s->columns[i], p);
        if (s->text->failed)
            wk_heap_exhausted(s->c->heap);
        put_cell(s, &l, i, wk_buf_str(s->text), false);
    }
    wk_out_char(s->c->out, '\n');
}

static void put_process(struct ps *s, const struct wk_procinfo *p)
{
    if (s->headings > 0 && s->lines && s->lines % (s->rows ? s->rows : 24) == 0) {
        put_header(s);
        s->lines++;
    }
    put_line(s, p, s->below ? OF_THREAD : 0);
    s->lines++;
    if (s->below) {
        put_line(s, p, OF_PROCESS);
        s->lines++;
    }
}

/* ---- the tree */

struct level {
    size_t at;   /* where the next child is looked for */
    uint32_t of; /* the parent's pid */
};

static size_t next_child(struct wk_procinfo **v, size_t n, size_t from, uint32_t parent)
{
    while (from < n && !(v[from]->ppid == parent && v[from]->pid != parent))
        from++;
    return from;
}

static bool is_root(struct wk_procinfo **v, size_t n, const struct wk_procinfo *p)
{
    for (size_t i = 0; i < n; i++)
        if (v[i]->pid == p->ppid && v[i] != p)
            return false;
    return true;
}

static void put_branch(struct ps *s, struct wk_procinfo **v, size_t n, struct wk_procinfo *root)
{
    struct level *stack = wk_new_n(s->c, struct level, n + 1);
    struct wk_buf *prefix = wk_cmd_buf(s->c, 1 << 20);
    size_t depth = 0;
    s->prefix = NULL;
    put_process(s, root);
    stack[depth++] = (struct level){next_child(v, n, 0, root->pid), root->pid};
    while (depth) {
        struct level *l = &stack[depth - 1];
        if (l->at >= n) {
            depth--;
            continue;
        }
        struct wk_procinfo *p = v[l->at];
        l->at = next_child(v, n, l->at + 1, l->of);
        wk_tick(s->c, (uint32_t)n);
        wk_buf_reset(prefix);
        for (size_t i = 0; i + 1 < depth; i++) /* one row of bars for each level above */
            wk_buf_put_c(prefix, !s->forest ? "  " : stack[i].at < n ? " |  " : "    ");
        wk_buf_put_c(prefix, s->forest ? " \\_ " : "  ");
        s->prefix = wk_buf_c(prefix);
        put_process(s, p);
        if (depth <= n)
            stack[depth++] = (struct level){next_child(v, n, 0, p->pid), p->pid};
    }
    s->prefix = NULL;
    wk_heap_free(s->c->heap, stack);
}

static void print_all(struct ps *s, struct wk_procinfo **v, size_t n)
{
    if (s->headings >= 0) {
        put_header(s);
        s->lines++;
    }
    bool tree = s->forest || s->hierarchy;
    for (size_t i = 0; i < n; i++) {
        size_t at = tree ? n - 1 - i : i; /* the roots of trees come last first */
        if (!tree)
            put_process(s, v[at]);
        else if (is_root(v, n, v[at]))
            put_branch(s, v, n, v[at]);
    }
}

/* ---- the width of lines */

static size_t read_columns(struct ps *s)
{
    uint64_t v;
    const char *text = wk_cmd_env(s->c, "COLUMNS");
    if (text && wk_parse_u64(wk_str_c(text), 10, &v) == 0 && v && v < INT32_MAX)
        return (size_t)v;
    return s->c->out->file && s->c->out->file->is_tty ? 80 : SIZE_MAX;
}

/* A line takes as many rows of the screen as its columns need. */
static void set_line(struct ps *s)
{
    size_t need = 0, cols = s->cols ? s->cols : read_columns(s);
    if (s->wide)
        cols = s->wide > 1 ? SIZE_MAX : WK_MAX(cols, (size_t)132);
    for (size_t i = 0; i < s->ncolumns; i++) {
        bool last = i + 1 == s->ncolumns, open = s->columns[i].spec->flags & UNLIMITED;
        need += (i > 0) + (last && open ? 3 : s->columns[i].width);
    }
    s->line = cols >= need || cols == SIZE_MAX ? cols : (need + cols - 1) / cols * cols;
}

static int ps_main(struct wk_cmd *c)
{
    struct ps *s = wk_new(c, struct ps);
    s->c = c;
    s->names = wk_idnames_new(c);
    s->utf8 = wk_cmd_utf8(c);
    wk_ps_parse(s);
    wk_ps_format(s);
    set_line(s);
    s->zone = wk_zone_of(c);
    s->text = wk_cmd_buf(c, 1 << 24);
    wk_proctable_read(c, &s->table);
    for (size_t i = 0; i < s->table.n; i++)
        if (s->table.v[i].pid == c->proc->pid)
            s->self = &s->table.v[i];
    size_t n;
    struct wk_procinfo **v = choose(s, &n);
    print_all(s, v, n);
    return n ? 0 : 1;
}

static const struct wk_opt ps_options[] = {
    {WK_OPT_FLAG, 'A', NULL, NULL, "all processes; the same: -e, ax", 0, 0, NULL},
    {WK_OPT_FLAG, 'a', NULL, NULL, "those of terminals but the leaders of sessions", 0, 0, NULL},
    {WK_OPT_FLAG, 'd', NULL, NULL, "all but the leaders of sessions", 0, 0, NULL},
    {WK_OPT_FLAG, 'N', "deselect", NULL, "those that are not chosen", 0, 0, NULL},
    {WK_OPT_STR, 'C', NULL, "NAMES", "by the name of the command", 0, 0, NULL},
    {WK_OPT_STR, 'p', "pid", "PIDS", "by number; also p, or the numbers alone", 0, 0, NULL},
    {WK_OPT_STR, 'q', "quick-pid", "PIDS",
     "the same, in this order, nothing else looked at; also q", 0, 0, NULL},
    {WK_OPT_STR, 0, "ppid", "PIDS", "by the parent's number", 0, 0, NULL},
    {WK_OPT_STR, 's', "sid", "SIDS", "by session", 0, 0, NULL},
    {WK_OPT_STR, 'g', NULL, "LIST", "by session, or name of the effective group", 0, 0, NULL},
    {WK_OPT_STR, 'u', "user", "USERS", "by effective user; also U", 0, 0, NULL},
    {WK_OPT_STR, 'U', "User", "USERS", "by real user", 0, 0, NULL},
    {WK_OPT_STR, 'G', "Group", "GROUPS", "by real group", 0, 0, NULL},
    {WK_OPT_STR, 0, "group", "GROUPS", "by effective group", 0, 0, NULL},
    {WK_OPT_STR, 't', "tty", "TTYS", "by terminal; also t", 0, 0, NULL},
    {WK_OPT_FLAG, 'f', NULL, NULL, "full lines; -F more of them", 0, 0, NULL},
    {WK_OPT_FLAG, 'j', NULL, NULL, "groups and sessions", 0, 0, NULL},
    {WK_OPT_FLAG, 'l', NULL, NULL, "long lines; -y: memory instead of flags and address", 0, 0,
     NULL},
    {WK_OPT_FLAG, 'c', NULL, NULL, "scheduling class; -P the processor, -M or Z the label", 0, 0,
     NULL},
    {WK_OPT_FLAG, 'L', NULL, NULL, "threads: LWP and NLWP; -T: SPID; -m, m: below their process", 0,
     0, NULL},
    {WK_OPT_STR, 'o', "format", "LIST", "these columns: NAME[:WIDTH][=HEADER],...; also o", 0, 0,
     NULL},
    {WK_OPT_STR, 'O', NULL, "LIST", "these between the usual ones; O also takes letters to sort by",
     0, 0, NULL},
    {WK_OPT_FLAG, 'H', "forest", NULL, "as a tree: -H indented, --forest and f with branches", 0, 0,
     NULL},
    {WK_OPT_STR, 0, "sort", "KEYS", "order by columns: [+|-]NAME,...; also k", 0, 0, NULL},
    {WK_OPT_FLAG, 0, "headers", NULL, "repeat the header each page; --no-headers, h: none", 0, 0,
     NULL},
    {WK_OPT_STR, 0, "cols", "N", "width of lines; also --columns, --width", 0, 0, NULL},
    {WK_OPT_STR, 0, "rows", "N", "height of pages; also --lines", 0, 0, NULL},
    {WK_OPT_FLAG, 'w', NULL, NULL, "132 columns; twice: no limit", 0, 0, NULL},
    {WK_OPT_FLAG, 'V', NULL, NULL, "what --version prints", 0, 0, NULL},
    WK_OPTS_END,
};

WK_COMMAND(ps, .summary = "show the processes of the session", .usage = "ps [options]",
           .std = "procps 4.0.2", .opts = ps_options, .flags = WK_CMD_RAW_ARGS,
           .help =
               "Without a dash: a x all processes of all users, with or without terminal; r "
               "running ones;\n"
               "T those of this terminal; u l j v s X formats; c names without arguments; e the\n"
               "environment, too; n numbers; L lists the names of columns.\n");
