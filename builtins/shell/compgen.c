/* compgen.c - compgen: the completions of a word
 *
 * Standard: bash 8.6, 8.7. Oracle: bash 5.2.
 */
#include "base/sort.h"
#include "builtins/shell/bind_tables.h"
#include "builtins/shell/completion.h"
#include "builtins/shell/describe.h"
#include "interp/alias.h"
#include "interp/expand.h"
#include "interp/expand_parts.h"
#include "interp/jobs.h"
#include "interp/run.h"
#include "interp/shared.h"
#include "interp/vars_special.h"
#include "vfs/vfs.h"

extern const struct wk_builtin wk_builtin_compgen;

enum { FILE_BYTES_MAX = 1024 * 1024 };

/* Completions gathered so far; slices in the arena or in what outlives the call. */
struct gather {
    struct wk_shell *sh;
    struct wk_str word;
    struct wk_fields out;
    size_t own; /* of these, so many come from the specification: only they get a prefix and a suffix */
    enum wk_flow flow;
};

static bool going(const struct gather *g)
{
    return g->flow == WK_NEXT;
}

static void add_copy(struct gather *g, struct wk_str s)
{
    char *p = wk_arena_strndup(&g->sh->arena, s.p, s.n);
    if (!p || !wk_fields_add(g->sh, &g->out, wk_str(p, s.n)))
        g->flow = wk_sh_nomem(g->sh);
}

/* A candidate: taken when it begins with the word. */
static void offer(struct gather *g, struct wk_str s)
{
    if (going(g) && wk_str_starts(s, g->word))
        add_copy(g, s);
}

/* ---- what the shell itself knows ------------------------------------------------------------- */

static void offer_variables(struct gather *g, uint32_t want)
{
    uint32_t *names;
    size_t n;
    int e = wk_vars_names(g->sh, g->word, false, &names, &n);
    if (e) {
        g->flow = wk_sh_fail(g->sh, e);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const struct wk_var *v = wk_var_peek(g->sh, names[i]);
        if (v && v->flags & WK_VAR_DYNAMIC && wk_var_kind(v) == WK_SPECIAL_FUNCNAME && !g->sh->func_depth)
            continue; /* only functions have it */
        if (!want || (v && v->flags & want))
            offer(g, wk_names_str(g->sh->names, names[i]));
    }
}

static int by_name(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return wk_names_order(*(const struct wk_str *)a, *(const struct wk_str *)b);
}

static void sort_from(struct gather *g, size_t from)
{
    const struct wk_sort how = {.cmp = by_name};
    if (going(g) && g->out.n > from &&
        wk_sort(g->sh->mem, g->out.v + from, g->out.n - from, sizeof *g->out.v, &how) != 0)
        g->flow = wk_sh_nomem(g->sh);
}

static void offer_functions(struct gather *g)
{
    const struct wk_state *st = g->sh->st;
    size_t from = g->out.n;
    for (uint32_t p = 0; p < st->nfuncs; p++) {
        for (uint32_t i = 0; st->funcs[p] && i < WK_PAGE_SLOTS; i++) {
            const struct wk_func *f = st->funcs[p]->slots[i];
            if (f)
                offer(g, wk_names_str(g->sh->names, f->name));
        }
    }
    sort_from(g, from);
}

static void offer_builtins(struct gather *g, bool enabled, bool disabled)
{
    const struct wk_shell_hooks *h = g->sh->hooks;
    size_t from = g->out.n;
    for (size_t i = 0; h && i < h->nbuiltins; i++) {
        if (wk_builtin_enabled(g->sh, h->builtins[i]) ? enabled : disabled)
            offer(g, wk_str_c(h->builtins[i]->name));
    }
    sort_from(g, from);
}

static void offer_topics(struct gather *g)
{
    size_t n;
    const struct wk_str *names = wk_help_topics(g->sh, &n);
    if (!names)
        g->flow = wk_sh_nomem(g->sh);
    for (size_t i = 0; names && i < n; i++)
        offer(g, names[i]);
}

static void offer_keywords(struct gather *g)
{
    static const char *const words[] = {
        "if",    "then",  "else",  "elif", "fi",   "case",     "esac", "for", "select", "while", "until",
        "do",    "done",  "in",    "function", "time", "{", "}",  "!",   "[[",     "]]",    "coproc"};
    for (size_t i = 0; i < WK_COUNTOF(words); i++)
        offer(g, wk_str_c(words[i]));
}

static void offer_bindings(struct gather *g)
{
    const char *const *own = wk_bind_shell_functions;
    for (const char *const *f = wk_bind_functions; *f; f++) {
        if (*own && strcmp(*f, *own) == 0) {
            own++;
            if (!g->sh->interactive)
                continue;
        }
        offer(g, wk_str_c(*f));
    }
}

static void offer_options(struct gather *g, const struct wk_option_info *table, size_t n)
{
    for (size_t i = 0; i < n; i++)
        offer(g, wk_str_c(table[i].name));
}

static void offer_signals(struct gather *g)
{
    char name[32] = "SIG";
    offer(g, WK_STR("EXIT"));
    for (int s = 1; s < WK_NSIG; s++) {
        const char *t = wk_sig_name(s);
        t = t ? t : s == 32 ? "JUNK(32)" : "JUNK(33)";
        size_t n = strlen(t);
        if (n > sizeof name - 4)
            continue;
        memcpy(name + 3, t, n + 1);
        offer(g, wk_str(name, n + 3));
    }
    offer(g, WK_STR("DEBUG"));
    offer(g, WK_STR("ERR"));
    offer(g, WK_STR("RETURN"));
}

/* The first words of the jobs' commands; state -1: of all. */
static void offer_jobs(struct gather *g, int state)
{
    for (struct wk_job *j = wk_jobs_first(g->sh); j; j = j->next) {
        struct wk_str t = wk_val_str(j->text);
        ptrdiff_t space = wk_str_chr(t, ' ');
        if (state < 0 || (int)j->state == state)
            offer(g, space < 0 ? t : wk_str_take(t, (size_t)space));
    }
}

static void offer_aliases(struct gather *g)
{
    size_t n;
    struct wk_alias *list;
    int e = wk_alias_list(g->sh, &list, &n);
    if (e)
        g->flow = wk_sh_fail(g->sh, e);
    for (size_t i = 0; i < n; i++)
        offer(g, list[i].name);
}

/* ---- files ----------------------------------------------------------------------------------- */

enum file_kind { FILES_ALL, FILES_DIRS, FILES_PROGRAMS };

static bool kind_fits(struct gather *g, struct wk_str path, enum file_kind kind)
{
    const struct wk_proc *p = g->sh->proc;
    struct wk_stat st;
    if (kind == FILES_ALL)
        return true;
    if (wk_vfs_stat(g->sh->k->vfs, &p->cred, p->cwd, path, 0, &st) != 0)
        return false;
    bool dir = (st.mode & WK_S_IFMT) == WK_S_IFDIR;
    return kind == FILES_DIRS ? dir : !dir && (st.mode & 0111);
}

static void offer_entry(struct gather *g, struct wk_buf *path, struct wk_str dir, struct wk_str shown,
                        struct wk_str name, enum file_kind kind)
{
    wk_buf_reset(path);
    wk_buf_puts(path, dir);
    if (dir.n && dir.p[dir.n - 1] != '/')
        wk_buf_putc(path, '/');
    wk_buf_puts(path, name);
    if (path->failed || !kind_fits(g, wk_buf_str(path), kind))
        return;
    wk_buf_reset(path);
    wk_buf_puts(path, shown);
    wk_buf_puts(path, name);
    add_copy(g, wk_buf_str(path));
}

/* The entries of `dir` ("" = here) that begin with `base`, with `shown` before them. */
static void offer_dir(struct gather *g, struct wk_str dir, struct wk_str shown, struct wk_str base,
                      enum file_kind kind)
{
    struct wk_proc *p = g->sh->proc;
    struct wk_vlist *list = NULL;
    struct wk_dirent e;
    int r = wk_vfs_opendir(g->sh->k->vfs, &p->cred, p->cwd, dir.n ? dir : WK_STR("."), &list);
    if (r) {
        if (r == -WK_ENOMEM)
            g->flow = wk_sh_nomem(g->sh);
        return;
    }
    struct wk_buf path;
    wk_buf_init(&path, g->sh->mem, SIZE_MAX / 2);
    for (size_t n = base.n; n && n < 3 && going(g); n++) /* a list has no . and .. */
        if (wk_str_starts(WK_STR(".."), base))
            offer_entry(g, &path, dir, shown, wk_str("..", n), kind);
    while (going(g) && wk_vlist_next(list, &e) == 1)
        if (wk_str_starts(e.name, base))
            offer_entry(g, &path, dir, shown, e.name, kind);
    wk_vlist_close(list);
    wk_buf_release(&path);
}

/* `~` or `~user` in front of a path: true when there is such a directory (or memory was refused). */
static bool expand_home(struct gather *g, struct wk_str *path)
{
    ptrdiff_t slash = wk_str_chr(*path, '/');
    size_t end = slash < 0 ? path->n : (size_t)slash, rest = path->n - end;
    struct wk_str home;
    if (!wk_tilde(g->sh, wk_str(path->p + 1, end - 1), &home))
        return false;
    char *p = wk_arena_alloc(&g->sh->arena, home.n + rest + 1);
    if (!p) {
        g->flow = wk_sh_nomem(g->sh);
        return true;
    }
    memcpy(p, home.p, home.n);
    memcpy(p + home.n, path->p + end, rest);
    p[home.n + rest] = '\0';
    *path = wk_str(p, home.n + rest);
    return true;
}

static void offer_files(struct gather *g, enum file_kind kind)
{
    ptrdiff_t slash = wk_str_rchr(g->word, '/');
    struct wk_str shown = wk_str_take(g->word, (size_t)(slash + 1)), dir = shown;
    if (dir.n && dir.p[0] == '~' && expand_home(g, &dir) && !going(g))
        return;
    offer_dir(g, dir, shown, wk_str_from(g->word, (size_t)(slash + 1)), kind);
}

static void offer_commands(struct gather *g)
{
    char scratch[24];
    struct wk_str path;
    if (wk_str_chr(g->word, '/') >= 0) {
        offer_files(g, FILES_PROGRAMS);
        return;
    }
    offer_aliases(g);
    offer_keywords(g);
    offer_functions(g);
    offer_builtins(g, true, false);
    if (!wk_var_get(g->sh, wk_known(g->sh, WK_KNOWN_PATH), scratch, &path))
        return;
    while (going(g)) {
        ptrdiff_t colon = wk_str_chr(path, ':');
        offer_dir(g, colon < 0 ? path : wk_str_take(path, (size_t)colon), WK_STR(""), g->word,
                  FILES_PROGRAMS);
        if (colon < 0)
            break;
        path = wk_str_from(path, (size_t)colon + 1);
    }
}

/* The first field of each line of a table such as /etc/passwd; hosts: the others. */
static void offer_table(struct gather *g, const char *path, const char *ends, bool hosts)
{
    struct wk_file *f = NULL;
    if (wk_open(g->sh->task, path, WK_O_RDONLY, 0, &f) != 0)
        return;
    struct wk_buf b;
    wk_buf_init(&b, g->sh->mem, FILE_BYTES_MAX);
    char part[512];
    for (ptrdiff_t n; (n = wk_file_read(g->sh->task, f, part, sizeof part)) > 0;) {
        if (!wk_buf_put(&b, part, (size_t)n))
            break;
    }
    wk_file_unref(f);
    struct wk_str rest = wk_buf_str(&b);
    while (rest.n && going(g)) {
        ptrdiff_t nl = wk_str_chr(rest, '\n');
        struct wk_str line = nl < 0 ? rest : wk_str_take(rest, (size_t)nl);
        rest = wk_str_from(rest, line.n + 1);
        for (size_t field = 0; line.n && line.p[0] != '#'; field++) {
            size_t n = 0;
            while (n < line.n && !strchr(ends, line.p[n]))
                n++;
            if (n && (!hosts || field))
                offer(g, wk_str_take(line, n));
            if (!hosts)
                break;
            while (n < line.n && strchr(ends, line.p[n]))
                n++;
            line = wk_str_from(line, n);
        }
    }
    wk_buf_release(&b);
}

static void offer_action(struct gather *g, enum wk_comp_action action)
{
    switch (action) {
    case WK_COMP_ALIAS: offer_aliases(g); break;
    case WK_COMP_ARRAYVAR: offer_variables(g, WK_VAR_ARRAY | WK_VAR_ASSOC); break;
    case WK_COMP_BUILTIN: offer_builtins(g, true, true); break;
    case WK_COMP_COMMAND: offer_commands(g); break;
    case WK_COMP_DIRECTORY: offer_files(g, FILES_DIRS); break;
    case WK_COMP_DISABLED: offer_builtins(g, false, true); break;
    case WK_COMP_ENABLED: offer_builtins(g, true, false); break;
    case WK_COMP_EXPORT: offer_variables(g, WK_VAR_EXPORT); break;
    case WK_COMP_FILE: offer_files(g, FILES_ALL); break;
    case WK_COMP_FUNCTION: offer_functions(g); break;
    case WK_COMP_GROUP: offer_table(g, "/etc/group", ":", false); break;
    case WK_COMP_HELPTOPIC: offer_topics(g); break;
    case WK_COMP_HOSTNAME: offer_table(g, "/etc/hosts", " \t", true); break;
    case WK_COMP_JOB: offer_jobs(g, -1); break;
    case WK_COMP_KEYWORD: offer_keywords(g); break;
    case WK_COMP_RUNNING: offer_jobs(g, WK_JOB_RUNNING); break;
    case WK_COMP_SERVICE: offer_table(g, "/etc/services", " \t", false); break;
    case WK_COMP_SETOPT: offer_options(g, wk_set_option_table, WK_SETNO_COUNT); break;
    case WK_COMP_SHOPT: offer_options(g, wk_shopt_table, WK_SHOPTNO_COUNT); break;
    case WK_COMP_SIGNAL: offer_signals(g); break;
    case WK_COMP_STOPPED: offer_jobs(g, WK_JOB_STOPPED); break;
    case WK_COMP_USER: offer_table(g, "/etc/passwd", ":", false); break;
    case WK_COMP_VARIABLE: offer_variables(g, 0); break;
    case WK_COMP_BINDING: offer_bindings(g); break;
    case WK_COMP_COUNT: break;
    }
}

/* ---- word lists, functions, commands --------------------------------------------------------- */

/* End of the word at `at` of a word list: quotes and $( ) hold it together. *open: a quote that does not end. */
static size_t word_end(const struct wk_ifs *ifs, struct wk_str s, size_t at, bool *quoted, char *open)
{
    size_t depth = 0;
    char quote = '\0';
    for (; at < s.n; at++) {
        char c = s.p[at];
        if (c == '\\' && quote != '\'') {
            *quoted = true;
            at++;
        } else if (quote) {
            quote = c == quote ? '\0' : quote;
        } else if (c == '\'' || c == '"' || c == '`') {
            quote = c;
            *quoted = *quoted || (c != '`' && depth == 0);
        } else if (c == '(' || c == ')') {
            depth = c == '(' ? depth + 1 : depth ? depth - 1 : 0;
        } else if (!depth && ifs->kind[(unsigned char)c]) {
            break;
        }
    }
    *open = quote == '`' ? '\0' : quote;
    return at < s.n ? at : s.n;
}

static void offer_split(struct gather *g, struct wk_str s)
{
    const struct wk_ifs *ifs = wk_vars_ifs(g->sh);
    size_t from = 0;
    for (size_t i = 0; i <= s.n; i++) {
        if (i < s.n && !ifs->kind[(unsigned char)s.p[i]])
            continue;
        if (i > from)
            offer(g, wk_str(s.p + from, i - from));
        from = i + 1;
    }
}

static void offer_words(struct gather *g, struct wk_str list)
{
    const struct wk_ifs *ifs = wk_vars_ifs(g->sh);
    for (size_t at = 0; at < list.n && going(g);) {
        if (ifs->kind[(unsigned char)list.p[at]]) {
            at++;
            continue;
        }
        bool quoted = false;
        char open;
        size_t end = word_end(ifs, list, at, &quoted, &open);
        struct wk_str word = wk_str(list.p + at, end - at), value;
        at = end;
        if (!quoted && word.p[0] == '~' && expand_home(g, &word)) {
            if (going(g))
                offer(g, word);
            continue;
        }
        char *copy = wk_arena_alloc(&g->sh->arena, word.n + 2);
        if (!copy) {
            g->flow = wk_sh_nomem(g->sh);
            return;
        }
        memcpy(copy, word.p, word.n);
        if (open) /* the end of the list ends it */
            copy[word.n++] = open;
        copy[word.n] = '\0';
        word.p = copy;
        g->flow = quoted ? wk_expand_key(g->sh, word, &value) : wk_expand_text(g->sh, word, &value);
        if (!going(g))
            return;
        if (quoted)
            offer(g, value);
        else
            offer_split(g, value);
        ifs = wk_vars_ifs(g->sh);
    }
}

/* What a completion function or command is told, which from compgen is nothing; afterwards it is unset. */
static void tell(struct gather *g, bool function, bool over)
{
    static const struct {
        const char *name, *value; /* NULL: an array without elements */
    } told[] = {{"COMP_LINE", ""}, {"COMP_POINT", "0"}, {"COMP_TYPE", "0"}, {"COMP_KEY", "0"}, /* a command's too */
                {"COMP_CWORD", "-1"}, {"COMP_WORDS", NULL}};
    struct wk_shell *sh = g->sh;
    for (size_t i = 0; i < (function ? WK_COUNTOF(told) : 4); i++) {
        uint32_t id = wk_names_intern(sh->names, wk_str_c(told[i].name));
        int r = id == WK_NAME_NONE ? -WK_ENOMEM : 0;
        if (!r && over)
            r = wk_var_unset(sh, id);
        else if (!r && told[i].value)
            r = wk_var_set(sh, id, wk_str_c(told[i].value));
        else if (!r)
            r = wk_var_set_list(sh, id, NULL, 0);
        if (!r && !over && !function)
            r = wk_var_attributes(sh, id, WK_VAR_EXPORT, 0);
        if (r == -WK_ENOMEM && going(g))
            g->flow = wk_sh_nomem(sh);
    }
}

static void from_function(struct gather *g, struct wk_str name)
{
    struct wk_shell *sh = g->sh;
    uint32_t id = wk_names_find(sh->names, name), reply = wk_names_intern(sh->names, WK_STR("COMPREPLY"));
    struct wk_func *f = id == WK_NAME_NONE ? NULL : wk_func_find(sh, id);
    if (!f || reply == WK_NAME_NONE) {
        wk_sh_error(sh, "completion: function `%s' not found", name.p);
        return;
    }
    const struct wk_str v[] = {name, WK_STR("compgen"), g->word, WK_STR("")};
    tell(g, true, false);
    if (going(g))
        g->flow = wk_call_function(sh, f, v, WK_COUNTOF(v), false);
    tell(g, true, true);
    struct wk_elem_iter it;
    if (!going(g) || !wk_var_is_set(sh, reply))
        return;
    if (wk_elem_iter_init(sh, reply, &it) != 0) {
        g->flow = wk_sh_nomem(sh);
        return;
    }
    while (going(g) && wk_elem_iter_next(sh, &it))
        add_copy(g, it.value);
    wk_elem_iter_release(sh, &it);
    (void)wk_var_unset(sh, reply);
}

static void from_command(struct gather *g, struct wk_str command)
{
    struct wk_buf text;
    struct wk_str out;
    wk_buf_init(&text, g->sh->mem, SIZE_MAX / 2);
    wk_buf_put_c(&text, "$(");
    wk_buf_puts(&text, command);
    wk_buf_put_c(&text, " compgen ");
    wk_quote_plain(&text, g->word);
    wk_buf_put_c(&text, " ''\n)");
    tell(g, false, false);
    if (going(g))
        g->flow = text.failed ? wk_sh_nomem(g->sh) : wk_expand_text(g->sh, wk_buf_str(&text), &out);
    tell(g, false, true);
    while (going(g) && out.n) {
        ptrdiff_t nl = wk_str_chr(out, '\n');
        struct wk_str line = nl < 0 ? out : wk_str_take(out, (size_t)nl);
        out = wk_str_from(out, line.n + 1);
        add_copy(g, line);
    }
    wk_buf_release(&text);
}

/* -X: take out what matches; "!" turns it round (with extglob "!(" is a pattern), an unquoted & is the word. */
static void filter(struct gather *g, struct wk_str pattern)
{
    bool inverse = wk_shopt(g->sh, EXTGLOB) && pattern.n > 1 && pattern.p[1] == '(', matched;
    bool keep_matching = pattern.n && pattern.p[0] == '!' && !inverse;
    struct wk_buf b;
    wk_buf_init(&b, g->sh->mem, SIZE_MAX / 2);
    for (size_t i = keep_matching; i < pattern.n; i++) {
        if (pattern.p[i] == '&')
            wk_buf_puts(&b, g->word);
        else if (pattern.p[i] == '\\' && i + 1 < pattern.n && pattern.p[i + 1] == '&')
            wk_buf_putc(&b, pattern.p[++i]);
        else
            wk_buf_putc(&b, pattern.p[i]);
    }
    size_t n = 0;
    if (b.failed)
        g->flow = wk_sh_nomem(g->sh);
    for (size_t i = 0; i < g->out.n && going(g); i++) {
        g->flow = wk_match_text(g->sh, g->out.v[i], wk_buf_str(&b), wk_shopt(g->sh, NOCASEMATCH),
                                &matched);
        if (matched == keep_matching)
            g->out.v[n++] = g->out.v[i];
    }
    g->out.n = n;
    wk_buf_release(&b);
}

static void offer_dollar(struct gather *g)
{
    uint32_t *names;
    size_t n;
    if (wk_vars_names(g->sh, wk_str_from(g->word, 1), false, &names, &n) != 0)
        g->flow = wk_sh_nomem(g->sh);
    for (size_t i = 0; going(g) && i < n; i++) {
        struct wk_str name = wk_names_str(g->sh->names, names[i]);
        char *p = wk_arena_alloc(&g->sh->arena, name.n + 2);
        if (!p) {
            g->flow = wk_sh_nomem(g->sh);
            return;
        }
        p[0] = '$';
        memcpy(p + 1, name.p, name.n + 1);
        offer(g, wk_str(p, name.n + 1));
    }
}

/* Bits of -o, in the order of wk_comp_options. */
enum { OPT_BASHDEFAULT = 1 << 0, OPT_DEFAULT = 1 << 1, OPT_DIRNAMES = 1 << 2, OPT_PLUSDIRS = 1 << 7 };

/* The word without its quotes, the last of which may be open. */
static struct wk_str unquoted(struct wk_shell *sh, struct wk_str s)
{
    char *p = wk_arena_alloc(&sh->arena, s.n + 1), quote = '\0';
    size_t n = 0;
    if (!p)
        return wk_str(NULL, 0);
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\\' && quote != '\'') {
            if (++i < s.n)
                p[n++] = s.p[i];
        } else if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? '\0' : c;
        } else {
            p[n++] = c;
        }
    }
    p[n] = '\0';
    return wk_str(p, n);
}

/* -W: what fails in it is not told as of compgen. */
static void offer_list(struct gather *g, struct wk_str list)
{
    struct wk_str word = g->word;
    const char *builtin = g->sh->builtin_name;
    g->word = unquoted(g->sh, word);
    g->sh->builtin_name = NULL;
    if (g->word.p)
        offer_words(g, list);
    else
        g->flow = wk_sh_nomem(g->sh);
    g->sh->builtin_name = builtin;
    g->word = word;
}

/* -G: GLOBIGNORE does not count. */
static void offer_glob(struct gather *g, struct wk_str pattern)
{
    struct wk_state *st = g->sh->st;
    struct wk_val *ignored = st->glob_ignore;
    bool matched;
    st->glob_ignore = NULL;
    g->flow = wk_glob(g->sh, pattern, &g->out, &matched);
    st->glob_ignore = ignored;
}

static void gather_all(struct gather *g, const struct wk_compspec *c)
{
    for (unsigned i = 0; i < WK_COMP_COUNT && going(g); i++) {
        if (c->actions >> i & 1 && i != WK_COMP_DIRECTORY)
            offer_action(g, (enum wk_comp_action)i);
    }
    if (going(g) && c->actions >> WK_COMP_DIRECTORY & 1)
        offer_action(g, WK_COMP_DIRECTORY);
    if (going(g) && c->text[WK_COMP_G].p)
        offer_glob(g, c->text[WK_COMP_G]);
    if (going(g) && c->text[WK_COMP_W].p)
        offer_list(g, c->text[WK_COMP_W]);
    if (going(g) && c->text[WK_COMP_F].p)
        from_function(g, c->text[WK_COMP_F]);
    if (going(g) && c->text[WK_COMP_C].p)
        from_command(g, c->text[WK_COMP_C]);
    if (going(g) && c->text[WK_COMP_X].p)
        filter(g, c->text[WK_COMP_X]);
    g->own = g->out.n;
    if (going(g) && (c->options & OPT_PLUSDIRS || (c->options & OPT_DIRNAMES && g->out.n == 0)))
        offer_files(g, FILES_DIRS);
    /* The shell's own completion knows variables by their $, and no files here. */
    if (going(g) && c->options & OPT_BASHDEFAULT && g->out.n == 0 && g->word.n && g->word.p[0] == '$')
        offer_dollar(g);
    if (going(g) && c->options & OPT_DEFAULT && g->out.n == 0)
        offer_files(g, FILES_ALL);
}

static bool nothing_asked(const struct wk_compspec *c)
{
    bool any = c->actions || c->options;
    for (int i = 0; i < WK_COMP_TEXTS; i++)
        any = any || c->text[i].p;
    return !any;
}

static enum wk_flow compgen_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_compspec c = {0};
    bool bad;
    struct wk_getopt o = {.b = &wk_builtin_compgen, .a = a, .spec = "abcdefgjksuvo:A:G:W:P:S:X:F:C:"};
    for (int l; (l = wk_getopt_next(sh, &o)) != 0;) {
        if (l == '?' || !wk_comp_letter(sh, "compgen", l, o.arg, &c, &bad))
            return wk_status(sh, 2);
    }
    for (int i = WK_COMP_F; i >= WK_COMP_C; i--) {
        if (c.text[i].p)
            wk_sh_builtin_error(sh, "compgen", "warning: -%c option may not work as you expect",
                                i == WK_COMP_C ? 'C' : 'F');
    }
    size_t at = o.at ? o.at : 1;
    struct gather g = {.sh = sh, .word = at < a->n ? a->v[at] : WK_STR("")};
    if (nothing_asked(&c))
        return wk_status(sh, 0);
    gather_all(&g, &c);
    if (!going(&g))
        return g.flow;
    struct wk_bout out;
    wk_bout_init(&out, sh, "compgen");
    for (size_t i = 0; i < g.out.n; i++) {
        if (c.text[WK_COMP_P].p && i < g.own)
            wk_buf_puts(&out.buf, c.text[WK_COMP_P]);
        wk_buf_puts(&out.buf, g.out.v[i]);
        if (c.text[WK_COMP_S].p && i < g.own)
            wk_buf_puts(&out.buf, c.text[WK_COMP_S]);
        wk_buf_putc(&out.buf, '\n');
    }
    sh->status = g.out.n ? 0 : 1;
    return wk_bout_finish(&out);
}

WK_BUILTIN(compgen,
           .usage = "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] "
                    "[-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]",
           .summary = "Print the completions of WORD.",
           .help = "The options are those of complete. Fails when there are no completions.",
           .run = compgen_run);
