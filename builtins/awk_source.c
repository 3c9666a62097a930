/* awk_source.c - the sources of an awk program: @include, @load, @namespace
 */
#include "builtins/awk_parse.h"

enum { MOST_INCLUDES = 20, MOST_SOURCES = 4000 };

size_t wk_awk_add_source(struct awk *a, const char *name, const char *found)
{
    if (a->nsources >= MOST_SOURCES)
        wk_awk_fatal(a, "too many source files");
    a->sources = (const char **)wk_heap_realloc(a->c->heap, (void *)a->sources,
                                                (a->nsources + 1) * sizeof *a->sources);
    a->files = (const char **)wk_heap_realloc(a->c->heap, (void *)a->files, (a->nsources + 1) * sizeof *a->files);
    a->sources[a->nsources] = name;
    a->files[a->nsources] = found;
    return a->nsources++;
}

static int read_file(struct wk_cmd *c, const char *path, struct wk_str *text)
{
    struct wk_file *f;
    struct wk_stat st;
    int err = wk_cmd_open(c, path, WK_O_RDONLY, 0, &f);
    if (!err && wk_cmd_stat(c, path, true, &st) == 0 && WK_S_ISDIR(st.mode)) {
        wk_cmd_close(c, f);
        err = WK_EISDIR;
    }
    if (!err)
        *text = wk_in_all(wk_in_of(c, f, path));
    return err;
}

/* As it is named, with .awk behind it, and both in the directories of AWKPATH. */
struct wk_str wk_awk_read_source(struct wk_cmd *c, const char *path, const char **found, int *err)
{
    struct wk_str text = wk_str("", 0), dirs = wk_str_c(".:/usr/share/awk");
    const char *set = wk_cmd_env(c, "AWKPATH");
    if (strcmp(path, "-") == 0) {
        *err = 0;
        return wk_in_all(c->in);
    }
    if (set && *set)
        dirs = wk_str_c(set);
    bool plain = strchr(path, '/') != NULL;
    *found = path;
    for (int dotted = 0; dotted < 2; dotted++) {
        const char *name = dotted ? wk_strf(c, "%s.awk", path) : path;
        if (plain) {
            *found = name;
            *err = read_file(c, name, &text);
            if (!*err)
                return text;
            continue;
        }
        for (size_t at = 0; at <= dirs.n;) {
            const char *colon = at < dirs.n ? (const char *)memchr(dirs.p + at, ':', dirs.n - at) : NULL;
            size_t n = colon ? (size_t)(colon - dirs.p) - at : dirs.n - at;
            const char *dir = n ? wk_dupn(c, dirs.p + at, n) : ".";
            *found = strcmp(dir, ".") == 0 ? name : wk_join_path(c, dir, name);
            *err = read_file(c, *found, &text);
            if (!*err)
                return text;
            at += n + 1;
        }
    }
    *err = WK_ENOENT;
    return text;
}

/* ---- directives ---- */

static WK_NORETURN void break_include(struct awk_parser *p, const char *path)
{
    p->line += p->at < p->text.n; /* the line's end was read */
    wk_awk_fatal(p->a, "cannot include `%s' and use it as a program file", path);
}

static void include(struct awk_parser *p, const char *path, void (*items)(struct awk_parser *p))
{
    int err;
    struct awk *a = p->a;
    const char *found;
    struct wk_str text = wk_awk_read_source(a->c, path, &found, &err);
    for (size_t i = 0; i < p->nsources && !err; i++)
        if (p->source[i].program && strcmp(p->source[i].found, found) == 0)
            break_include(p, path);
    for (size_t i = 0; i < a->nsources && !err; i++)
        if (a->sources[i] && strcmp(a->files[i], found) == 0)
            return;
    if (err)
        wk_awk_wrong(p, "error: cannot open source file `%s' for reading: %s", path, wk_err_text(err));
    if (p->including == MOST_INCLUDES)
        wk_awk_wrong(p, "error: files include each other too deep");
    struct awk_parser before = *p;
    p->which = wk_awk_add_source(a, path, found);
    p->text = text;
    p->at = 0;
    p->line = 1;
    p->ns = wk_str("", 0);
    p->including++;
    p->includer = &before;
    p->last_comment = 0;
    p->token = T_NEWLINE;
    wk_awk_advance(p);
    wk_awk_deeper(p, items);
    before.chains = p->chains;
    before.faulty = p->faulty;
    *p = before;
}

static void set_namespace(struct awk_parser *p, struct wk_str name)
{
    bool keyword, good = name.n && (wk_is_alpha(name.p[0]) || name.p[0] == '_');
    for (size_t i = 0; i < name.n; i++)
        good = good && (wk_is_alnum(name.p[i]) || name.p[i] == '_');
    if (!good)
        wk_awk_wrong(p, "error: namespace name `%.*s' must meet identifier naming rules", (int)name.n, name.p);
    if (wk_awk_is_reserved(name, &keyword))
        wk_awk_wrong(p, "error: using reserved identifier `%.*s' as a namespace is not allowed", (int)name.n, name.p);
    p->ns = wk_str_is(name, "awk") ? wk_str("", 0) : name;
}

void wk_awk_directive(struct awk_parser *p, void (*items)(struct awk_parser *p))
{
    static const char *const names[] = {"include", "load", "namespace"};
    size_t k = 0;
    wk_awk_advance(p);
    while (k < WK_COUNTOF(names) && !(p->token == T_NAME && wk_str_is(p->name, names[k])))
        k++;
    if (k == WK_COUNTOF(names))
        wk_awk_syntax(p, "syntax error");
    if (p->a->old)
        wk_awk_syntax(p, "syntax error");
    wk_awk_advance(p);
    if (p->token != T_STRING)
        wk_awk_syntax(p, "syntax error");
    const char *text = wk_dupn(p->a->c, p->str->p, p->str->n);
    size_t behind = p->at;
    while (behind < p->text.n && (p->text.p[behind] == ' ' || p->text.p[behind] == '\t'))
        behind++;
    if (behind < p->text.n && !strchr("\n;#}\r", p->text.p[behind])) {
        wk_awk_advance(p);
        wk_awk_syntax(p, "syntax error");
    }
    if (k == 0)
        include(p, text, items);
    else if (k == 1)
        wk_awk_wrong(p, "fatal: cannot open shared library `%s' for reading: No such file or directory", text);
    else
        set_namespace(p, wk_str_c(text));
    wk_awk_advance(p);
    if (p->token != T_NEWLINE && p->token != T_SEMI && p->token != T_EOF)
        wk_awk_syntax(p, "syntax error");
}

/* ---- names ---- */

struct wk_str wk_awk_qualified(struct awk_parser *p, struct wk_str name)
{
    bool upper = true;
    if (wk_str_starts(name, wk_str_c("awk::")))
        return wk_str_from(name, 5);
    if (!p->ns.n || memchr(name.p, ':', name.n))
        return name;
    for (size_t i = 0; i < name.n; i++)
        upper = upper && name.p[i] >= 'A' && name.p[i] <= 'Z';
    if (upper)
        return name;
    return wk_str_c(wk_strf(p->a->c, "%.*s::%.*s", (int)p->ns.n, p->ns.p, (int)name.n, name.p));
}
