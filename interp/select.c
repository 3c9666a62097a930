/* select.c - the select command (bash 3.2.5.2) */
#include "interp/expand.h"
#include "interp/run.h"
#include "interp/vars.h"
#include "interp/xtrace.h"

#include "base/num.h"
#include "base/utf8.h"

enum { TAB = 8, DEFAULT_COLUMNS = 80 };

static size_t digits_of(size_t n)
{
    char s[WK_NUM_MAX];
    return wk_fmt_u64(s, n, 10);
}

/* From column `from` to column `to` by tabs and blanks, as bash does. */
static void indent(struct wk_buf *b, size_t from, size_t to)
{
    while (from < to) {
        if (to / TAB > from / TAB) {
            wk_buf_putc(b, '\t');
            from += TAB - from % TAB;
        } else {
            wk_buf_putc(b, ' ');
            from++;
        }
    }
}

static size_t columns(struct wk_shell *sh)
{
    char scratch[24];
    struct wk_str v;
    int64_t n;
    uint32_t name = wk_names_find(sh->names, WK_STR("COLUMNS"));
    if (name != WK_NAME_NONE && wk_var_get(sh, name, scratch, &v) && wk_parse_i64(v, 10, &n) == 0 &&
        n > 0 && n < 100000)
        return (size_t)n;
    return DEFAULT_COLUMNS;
}

static void put_menu(struct wk_shell *sh, struct wk_buf *b, const struct wk_fields *w)
{
    size_t widest = 0, number = digits_of(w->n);
    for (size_t i = 0; i < w->n; i++)
        widest = WK_MAX(widest, (size_t)wk_utf8_columns(w->v[i]));
    size_t cell = widest + number + 2, width = cell + 2;
    size_t cols = width ? columns(sh) / width : 1;
    cols = cols ? cols : 1;
    size_t rows = (w->n + cols - 1) / cols;
    cols = rows ? (w->n + rows - 1) / rows : 1;
    if (rows == 1) {
        rows = cols;
        cols = 1;
    }
    size_t first = digits_of(rows);
    for (size_t r = 0; r < rows; r++) {
        size_t pos = 0;
        for (size_t i = r; i < w->n; i += rows) {
            size_t pad = pos == 0 ? first : number;
            wk_buf_fmt(b, "%*zu) ", (int)pad, i + 1);
            wk_buf_puts(b, w->v[i]);
            size_t len = (size_t)wk_utf8_columns(w->v[i]) + pad + 2;
            if (i + rows >= w->n)
                break;
            indent(b, pos + len, pos + width);
            pos += width;
        }
        wk_buf_putc(b, '\n');
    }
}

/* As `read' without -r: a backslash stands for what is behind it. open: one has nothing behind it yet. */
static void drop_backslashes(struct wk_buf *line, size_t from, bool *open)
{
    size_t to = from;
    for (size_t i = from; i < line->n; i++) {
        bool quotes = line->p[i] == '\\' && !*open;
        if (!quotes)
            line->p[to++] = line->p[i];
        *open = quotes;
    }
    line->n = to;
}

/* A line of standard input: 1, 0 at the end, or an error. */
static int read_reply(struct wk_shell *sh, struct wk_buf *line)
{
    struct wk_file *f = wk_fd_get(sh->proc->fds, 0);
    bool open = false;
    while (f) {
        const char *p;
        ptrdiff_t n = wk_file_peek(sh->task, f, 1, &p);
        if (n == -WK_EINTR && !sh->task->signal_check)
            continue;
        if (n <= 0)
            return n < 0 ? (int)n : 0;
        const char *nl = memchr(p, '\n', (size_t)n);
        size_t take = nl ? (size_t)(nl - p) : (size_t)n;
        size_t from = line->n;
        if (!wk_buf_put(line, p, take))
            return -WK_ENOMEM;
        wk_file_skip(f, take + (nl != NULL));
        drop_backslashes(line, from, &open);
        if (nl && !open)
            return 1;
        open = open && !nl; /* the newline is what it took */
    }
    return -WK_EBADF;
}

struct choice {
    const struct wk_node_for *f;
    struct wk_fields words;
    struct wk_buf line;
    uint32_t reply;
    bool show;
};

/* Ask once: the flow; *got tells that there was a line. */
static enum wk_flow ask(struct wk_shell *sh, struct choice *c, bool *got)
{
    char scratch[24];
    struct wk_str ps3 = WK_STR("#? ");
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    if (c->show)
        put_menu(sh, &b, &c->words);
    uint32_t name = wk_names_find(sh->names, WK_STR("PS3"));
    if (name != WK_NAME_NONE)
        (void)wk_var_get(sh, name, scratch, &ps3);
    wk_buf_puts(&b, ps3);
    (void)wk_sh_write(sh, 2, wk_buf_str(&b));
    wk_buf_release(&b);
    wk_buf_reset(&c->line);
    int r = read_reply(sh, &c->line);
    *got = r > 0;
    if (r < 0 && r != -WK_ENOMEM && r != -WK_ESTOP && r != -WK_EINTR) {
        wk_sh_error(sh, "read error: 0: %s", wk_err_text(r));
        r = 0;
    }
    if (r == 0) {
        int e = wk_var_set(sh, c->reply, wk_buf_str(&c->line)); /* what there was of a line */
        if (e == -WK_ENOMEM)
            return wk_sh_nomem(sh);
        (void)wk_sh_write(sh, 1, WK_STR("\n"));
        sh->status = 1;
    }
    if (r < 0)
        sh->status = 1;
    return r < 0 ? wk_sh_fail(sh, r) : WK_NEXT;
}

static enum wk_flow choose(struct wk_shell *sh, struct choice *c, bool *stop)
{
    int64_t n;
    struct wk_str line = wk_buf_str(&c->line), value = WK_STR("");
    sh->now.arith_failed = false;
    sh->line = c->f->base.line;
    int e = wk_var_set(sh, c->reply, line);
    c->show = line.n == 0;
    const struct wk_var *v = wk_var_peek(sh, c->f->var->name);
    if (!e && line.n && v && v->flags & WK_VAR_NOASSIGN) {
        *stop = true;
        return wk_status(sh, 1);
    }
    if (!e && line.n) {
        if (wk_parse_blanked(line, &n) == 0 && n >= 1 && (uint64_t)n <= c->words.n)
            value = c->words.v[n - 1];
        e = wk_var_set(sh, c->f->var->name, value);
    }
    *stop = e != 0;
    if (e && sh->now.arith_failed)
        return wk_sh_arith_failed(sh);
    return e == 0 ? WK_NEXT : wk_loop_refused(sh, e);
}

static enum wk_flow turns(struct wk_shell *sh, struct choice *c)
{
    enum wk_flow flow = WK_NEXT;
    sh->now.loop_depth++;
    for (;;) {
        bool got;
        flow = ask(sh, c, &got);
        if (flow != WK_NEXT || !got)
            break;
        bool stop;
        flow = choose(sh, c, &stop);
        if (flow != WK_NEXT || stop)
            break;
        if (c->show)
            continue;
        flow = wk_eval(sh, c->f->body);
        if (flow == WK_BREAK || flow == WK_CONTINUE) {
            bool leave = flow == WK_BREAK || sh->flow_level > 1;
            flow = --sh->flow_level > 0 ? flow : WK_NEXT;
            if (leave)
                break;
        } else if (flow != WK_NEXT) {
            break;
        }
        /* The menu comes again after a reply that was emptied by the body. */
        char scratch[24];
        struct wk_str reply;
        c->show = wk_var_get(sh, c->reply, scratch, &reply) && reply.n == 0;
    }
    sh->now.loop_depth--;
    return flow;
}

enum wk_flow wk_eval_select(struct wk_shell *sh, const struct wk_node *n)
{
    struct choice c = {.f = wk_as_for(n), .show = true};
    sh->now.replace = false;
    sh->line = n->line;
    wk_set_command(sh, n);
    c.reply = wk_names_intern(sh->names, WK_STR("REPLY"));
    if (c.reply == WK_NAME_NONE || c.f->var->name == WK_NAME_NONE)
        return wk_sh_nomem(sh);
    if (!wk_str_is_name(wk_names_str(sh->names, c.f->var->name))) {
        wk_sh_error(sh, "`%s': not a valid identifier", c.f->var->source);
        sh->status = 1;
        return WK_NEXT;
    }
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    bool skip = false;
    sh->now.loop_depth++; /* for substitutions in the words, as in for */
    enum wk_flow flow = wk_for_words(sh, c.f, &c.words);
    sh->now.loop_depth--;
    if (flow == WK_NEXT && wk_eval_watched(sh))
        flow = wk_eval_before(sh, n, &skip);
    if (skip)
        c.words.n = 0;
    if (flow == WK_NEXT && wk_opt(sh, XTRACE))
        flow = wk_xtrace_head(sh, n);
    if (flow == WK_NEXT && !c.words.n)
        sh->status = 0;
    if (flow == WK_NEXT && c.words.n) {
        wk_buf_init(&c.line, sh->mem, WK_VAL_MAX);
        flow = turns(sh, &c);
        wk_buf_release(&c.line);
    }
    wk_arena_rewind(&sh->arena, mark);
    return flow;
}
