/* complete.c - completion of a word, completeness of a text, and the list of commands */
#include "api/internal.h"
#include "base/sort.h"
#include "interp/history.h"
#include "interp/parser.h"

/* ---- candidates
 * ---------------------------------------------------------------------------------------- */

struct candidates {
    whelk_session *s;
    struct wk_map seen; /* candidate -> itself: no duplicates */
    bool failed;
};

static void offer(struct candidates *c, struct wk_str prefix, struct wk_str name, const char *tail)
{
    if (!wk_str_starts(name, prefix))
        return;
    struct wk_buf b;
    wk_buf_init(&b, c->s->mem, 1 << 16);
    wk_buf_puts(&b, name);
    wk_buf_put_c(&b, tail);
    if (b.failed || wk_map_set(&c->seen, wk_buf_str(&b), c) != 0)
        c->failed = true;
    wk_buf_release(&b);
}

static void offer_commands(struct candidates *c, struct wk_str prefix)
{
    static const char *const words[] = {"if",    "then",   "else",     "elif", "fi",    "for",
                                        "while", "until",  "do",       "done", "case",  "esac",
                                        "in",    "select", "function", "time", "coproc"};
    for (size_t i = 0; i < WK_COUNTOF(words); i++)
        offer(c, prefix, wk_str_c(words[i]), "");
    for (size_t i = 0; i < wk_builtin_list_n; i++)
        offer(c, prefix, wk_str_c(wk_builtin_list[i]->name), "");
    for (size_t i = 0; i < wk_command_list_n; i++)
        offer(c, prefix, wk_str_c(wk_command_list[i]->name), "");
    size_t pos = 0;
    struct wk_str name;
    while (wk_map_next(&c->s->commands, &pos, &name, NULL))
        if (wk_host_command_find(c->s, name))
            offer(c, prefix, name, "");
    for (pos = 0; wk_map_next(&c->s->delegated, &pos, &name, NULL);)
        if (wk_delegated_find(c->s, name))
            offer(c, prefix, name, "");
    struct wk_shell *sh = c->s->shell;
    for (uint32_t p = 0; sh && p < sh->st->nfuncs; p++)
        for (uint32_t i = 0; sh->st->funcs[p] && i < WK_PAGE_SLOTS; i++)
            if (sh->st->funcs[p]->slots[i])
                offer(c, prefix, wk_names_str(c->s->names, sh->st->funcs[p]->slots[i]->name), "");
}

static void offer_variables(struct candidates *c, struct wk_str prefix)
{
    struct wk_shell *sh = c->s->shell;
    if (!sh)
        return;
    for (uint32_t p = 0; p < sh->st->npages; p++)
        for (uint32_t i = 0; sh->st->pages[p] && i < WK_PAGE_SLOTS; i++)
            if (sh->st->pages[p]->slots[i].flags & (WK_VAR_SET | WK_VAR_DYNAMIC))
                offer(c, prefix, wk_names_str(c->s->names, p * WK_PAGE_SLOTS + i), "");
}

static void offer_files(struct candidates *c, struct wk_str dir, struct wk_str prefix)
{
    whelk_session *s = c->s;
    struct wk_vlist *l;
    const struct wk_cred *cred = &s->proc->cred;
    if (wk_vfs_opendir(s->vfs, cred, s->proc->cwd, dir.n ? dir : WK_STR("."), &l) != 0)
        return;
    struct wk_dirent e;
    while (wk_vlist_next(l, &e) == 1) {
        if (e.name.p[0] == '.' && !prefix.n)
            continue;
        struct wk_stat st;
        bool is_dir =
            wk_vfs_stat(s->vfs, cred, wk_vlist_dir(l), e.name, 0, &st) == 0 && WK_S_ISDIR(st.mode);
        offer(c, prefix, e.name, is_dir ? "/" : "");
    }
    wk_vlist_close(l);
}

/* ---- the word at the cursor
 * ------------------------------------------------------------------------------ */

static bool is_break(char c)
{
    return memchr(" \t\n;|&()<>`\"'=", c, 15) != NULL;
}

/* Is the word that starts at `word` where a command stands? */
static bool at_command(const char *line, size_t word)
{
    while (word && (line[word - 1] == ' ' || line[word - 1] == '\t'))
        word--;
    return word == 0 || memchr(";|&(\n`{!", line[word - 1], 8) != NULL;
}

static int by_text(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const struct wk_str *x = a, *y = b;
    return wk_str_cmp(*x, *y);
}

static int visit_sorted(struct candidates *c, const char *head, size_t head_n,
                        int (*visit)(void *ctx, const char *replacement), void *ctx)
{
    struct wk_mem *m = c->s->mem;
    struct wk_str *v = wk_calloc(m, c->seen.count + 1, sizeof *v);
    size_t n = 0, pos = 0;
    if (!v)
        return WHELK_E_NOMEM;
    while (wk_map_next(&c->seen, &pos, &v[n], NULL))
        n++;
    const struct wk_sort order = {.cmp = by_text};
    int r = wk_sort(m, v, n, sizeof *v, &order) ? WHELK_E_NOMEM : WHELK_OK;
    for (size_t i = 0; !r && i < n; i++) {
        struct wk_buf b;
        wk_buf_init(&b, m, 1 << 16);
        wk_buf_put(&b, head, head_n);
        wk_buf_puts(&b, v[i]);
        r = b.failed ? WHELK_E_NOMEM : visit(ctx, wk_buf_c(&b));
        wk_buf_release(&b);
    }
    wk_free(m, v);
    return r;
}

int whelk_complete(whelk_session *s, const char *line, size_t at,
                   int (*visit)(void *ctx, const char *replacement), void *ctx, size_t *word_start)
{
    if (!s || !line || !visit || at > strlen(line))
        return WHELK_E_INVALID;
    size_t word = at;
    while (word && !is_break(line[word - 1]))
        word--;
    if (word_start)
        *word_start = word;
    struct candidates c = {.s = s};
    wk_map_init(&c.seen, s->mem, 0, false);
    struct wk_str w = wk_str(line + word, at - word);
    ptrdiff_t slash = wk_str_rchr(w, '/'), dollar = wk_str_rchr(w, '$');
    size_t head = slash >= 0 ? (size_t)slash + 1 : 0;
    if (dollar >= 0 && dollar > slash) {
        head = (size_t)dollar + 1;
        head += head < w.n && w.p[head] == '{';
        offer_variables(&c, wk_str_from(w, head));
    } else {
        if (slash < 0 && at_command(line, word))
            offer_commands(&c, w);
        if (slash >= 0 || !c.seen.count)
            offer_files(&c, wk_str_take(w, head), wk_str_from(w, head));
    }
    s->callback_depth++;
    int r = c.failed ? WHELK_E_NOMEM : visit_sorted(&c, w.p, head, visit, ctx);
    wk_map_release(&c.seen);
    wk_api_leave(s);
    return r;
}

int whelk_is_complete(whelk_session *s, const char *text)
{
    if (!s || !text)
        return WHELK_E_INVALID;
    struct wk_parse_opts o = {
        .mem = s->mem, .names = s->names, .flags = WK_PARSE_SILENT | WK_PARSE_EXTGLOB};
    o.stack_floor = 0;
    struct wk_parser *p = wk_parser_new(&o, wk_str_c(text));
    if (!p)
        return WHELK_E_NOMEM;
    int r, answer = 1;
    struct wk_tree *tree;
    while ((r = wk_parser_next(p, &tree)) == 1) {
        wk_tree_unref(tree);
        if (wk_parser_incomplete(p))
            answer = 0;
    }
    if (r == -WK_ESYNTAX)
        answer = wk_parser_incomplete(p) ? 0 : 1;
    else if (r == -WK_ENOMEM)
        answer = WHELK_E_NOMEM;
    /* A line that ends in a backslash goes on. */
    size_t n = strlen(text), back = 0;
    while (back < n && text[n - 1 - back] == '\\')
        back++;
    wk_parser_free(p);
    return answer == 1 && back % 2 ? 0 : answer;
}

int whelk_history(whelk_session *s, int (*visit)(void *ctx, const char *line, size_t len), void *ctx)
{
    if (!s || !visit)
        return WHELK_E_INVALID;
    if (!s->shell)
        return 0;
    int r = 0;
    uint32_t n = wk_history_count(s->shell);
    s->callback_depth++;
    for (uint32_t i = 0; !r && i < n; i++) {
        struct wk_str line = wk_val_str(wk_history_at(s->shell, i)->line);
        r = visit(ctx, line.p, line.n);
    }
    wk_api_leave(s);
    return r;
}

int whelk_commands(whelk_session *s,
                   int (*visit)(void *ctx, const char *name, const char *summary, int builtin),
                   void *ctx)
{
    if (!s || !visit)
        return WHELK_E_INVALID;
    int r = 0;
    s->callback_depth++;
    for (size_t i = 0; !r && i < wk_builtin_list_n; i++)
        r = visit(ctx, wk_builtin_list[i]->name, wk_builtin_list[i]->summary, 1);
    for (size_t i = 0; !r && i < wk_command_list_n; i++)
        r = visit(ctx, wk_command_list[i]->name, wk_command_list[i]->summary, 0);
    size_t pos = 0;
    void *v;
    struct wk_str name;
    while (!r && wk_map_next(&s->commands, &pos, &name, &v)) {
        const struct wk_command *c = wk_host_command_find(s, name);
        r = c ? visit(ctx, c->name, c->summary, 0) : 0;
    }
    for (pos = 0; !r && wk_map_next(&s->delegated, &pos, &name, &v);) {
        const struct wk_command *c = wk_host_command_find(s, name) ? NULL : wk_delegated_find(s, name);
        r = c ? visit(ctx, c->name, c->summary, 0) : 0;
    }
    wk_api_leave(s);
    return r;
}
