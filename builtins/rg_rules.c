/* rg_rules.c - rg: rules are read from their files and asked in their order */
#include "builtins/rg_rules.h"

#include "builtins/fsops.h"

void wk_rg_dir_note(struct wk_rg_dir_rules *r, struct wk_str name)
{
    r->has_rgignore = r->has_rgignore || wk_str_is(name, ".rgignore");
    r->has_ignore = r->has_ignore || wk_str_is(name, ".ignore");
    r->has_gitignore = r->has_gitignore || wk_str_is(name, ".gitignore");
    r->has_git = r->has_git || wk_str_is(name, ".git");
}

/* Adds the lines of a file; one that cannot be opened is told of if `must`. */
static void read_rules(struct wk_rg *g, struct wk_rules *r, const char *path, bool must, bool counts)
{
    struct wk_cmd *c = g->c;
    struct wk_file *f;
    struct wk_str line;
    int64_t number = 0;
    int err = wk_cmd_open(c, path, WK_O_RDONLY, 0, &f);
    if (err) {
        bool errored = g->errored;
        if (must && !g->o->no_ignore_messages)
            wk_rg_complain_err(g, path, err);
        g->errored = errored;
        return;
    }
    struct wk_in in = {.c = c, .file = f, .name = path, .owned = true, .quiet = true};
    while (wk_line_next(&in, '\n', &line)) {
        const char *glob = NULL;
        number++;
        line.n -= line.n && line.p[line.n - 1] == '\r';
        if (number == 1 && wk_str_starts(line, WK_STR("\xef\xbb\xbf")))
            line = wk_str_from(line, 3);
        const char *why = wk_rules_add(c, r, line, g->o->ignore_fold, &glob);
        bool errored = g->errored;
        if (why && (counts || !g->o->no_ignore_messages))
            wk_rg_complain(g, "%s: line %lld: error parsing glob '%s': %s", path, (long long)number, glob, why);
        g->errored = errored || (why && counts);
    }
    wk_in_close(&in);
}

static void read_in(struct wk_rg *g, struct wk_rules *r, struct wk_str dir, const char *name, bool counts)
{
    bool slash = dir.n && dir.p[dir.n - 1] == '/';
    char *path = wk_strf(g->c, "%.*s%s%s", (int)dir.n, dir.p, slash ? "" : "/", name);
    read_rules(g, r, path, false, counts);
    wk_heap_free(g->c->heap, path);
}

void wk_rg_dir_read(struct wk_rg *g, struct wk_rg_dir_rules *r, struct wk_str path, bool any_git, bool counts)
{
    const struct wk_rg_opts *o = g->o;
    r->has_git = r->has_git && !o->no_ignore_vcs;
    r->any_git = any_git || r->has_git;
    if (r->has_rgignore && !o->no_ignore)
        read_in(g, &r->rgignore, path, ".rgignore", counts);
    if (r->has_ignore && !o->no_ignore_dot)
        read_in(g, &r->ignore, path, ".ignore", counts);
    if (r->has_gitignore && !o->no_ignore_vcs)
        read_in(g, &r->git, path, ".gitignore", counts);
    if (r->has_git && !o->no_ignore_exclude)
        read_in(g, &r->exclude, path, ".git/info/exclude", counts);
    r->any = r->rgignore.n || r->ignore.n || r->git.n || r->exclude.n;
}

void wk_rg_dir_release(struct wk_cmd *c, struct wk_rg_dir_rules *r)
{
    wk_rules_release(c, &r->rgignore);
    wk_rules_release(c, &r->ignore);
    wk_rules_release(c, &r->git);
    wk_rules_release(c, &r->exclude);
}

static void ask(struct wk_cmd *c, const struct wk_rules *r, const struct wk_rg_candidate *e, enum wk_verdict *v)
{
    if (*v == WK_RULES_SILENT && r->n)
        *v = wk_rules_ask(c, r, e->path, e->n, e->name, e->is_dir);
}

void wk_rg_dir_ask(struct wk_cmd *c, const struct wk_rg_dir_rules *r, bool any_git, const struct wk_rg_candidate *e,
                   struct wk_rg_verdicts *v)
{
    if (r->any) {
        ask(c, &r->rgignore, e, &v->rgignore);
        ask(c, &r->ignore, e, &v->ignore);
        if (any_git && !v->saw_git) {
            ask(c, &r->git, e, &v->git);
            ask(c, &r->exclude, e, &v->exclude);
        }
    }
    v->saw_git = v->saw_git || r->has_git;
}

/* ---- what holds everywhere ---------------------------------------------------------------------------------------
 */

/* The value of core.excludesFile in a file of git's settings; NULL: none. */
static char *excludes_file(struct wk_cmd *c, const char *path)
{
    struct wk_file *f;
    struct wk_str line;
    char *found = NULL;
    if (wk_cmd_open(c, path, WK_O_RDONLY, 0, &f))
        return NULL;
    struct wk_in in = {.c = c, .file = f, .name = path, .owned = true, .quiet = true};
    while (!found && wk_line_next(&in, '\n', &line)) {
        static const char key[] = "excludesfile";
        line = wk_str_trim(line);
        size_t i = 0;
        while (i < line.n && key[i] && wk_to_lower((unsigned char)line.p[i]) == key[i])
            i++;
        struct wk_str rest = wk_str_trim(wk_str_from(line, i));
        if (key[i] || !rest.n || rest.p[0] != '=')
            continue;
        rest = wk_str_trim(wk_str_from(rest, 1));
        if (rest.n > 1 && rest.p[0] == '"' && rest.p[rest.n - 1] == '"')
            rest = wk_str(rest.p + 1, rest.n - 2);
        const char *home = wk_cmd_env(c, "HOME");
        bool tilde = wk_str_starts(rest, WK_STR("~/")) && home;
        found = tilde ? wk_strf(c, "%s%.*s", home, (int)rest.n - 1, rest.p + 1) : wk_dupn(c, rest.p, rest.n);
    }
    wk_in_close(&in);
    return found;
}

static void read_global(struct wk_rg *g, struct wk_rg_rules *r)
{
    struct wk_cmd *c = g->c;
    const char *home = wk_cmd_env(c, "HOME"), *xdg = wk_cmd_env(c, "XDG_CONFIG_HOME");
    char *path = home ? excludes_file(c, wk_strf(c, "%s/.gitconfig", home)) : NULL;
    const char *config = xdg && *xdg ? xdg : home ? wk_strf(c, "%s/.config", home) : NULL;
    if (!path && config)
        path = excludes_file(c, wk_strf(c, "%s/git/config", config));
    if (!path && config)
        path = wk_strf(c, "%s/git/ignore", config);
    if (path)
        read_rules(g, &r->global, path, false, true);
}

/* Those of --iglob stand behind all of -g. */
static void read_globs(struct wk_rg *g, char kind)
{
    const struct wk_rg_opts *o = g->o;
    for (size_t i = 0; i < o->globs.n; i++) {
        const char *text = o->globs.v[i] + 1, *glob = NULL;
        if (o->globs.v[i][0] != kind)
            continue;
        const char *why = wk_rules_add(g->c, &g->overrides, wk_str_c(text), kind == 'i' || o->glob_fold, &glob);
        if (why) {
            wk_out_fmt(g->c->err, "error parsing glob '%s': %s\n", glob, why);
            wk_exit(g->c, 2);
        }
    }
}

void wk_rg_rules_open(struct wk_rg *g, struct wk_rg_rules *r)
{
    const struct wk_rg_opts *o = g->o;
    char *cwd;
    r->cwd = wk_at_cwd(g->c, &cwd) == 0 ? cwd : NULL;
    if (!o->no_ignore_vcs && !o->no_ignore_global)
        read_global(g, r);
    r->files_n = o->no_ignore_files ? 0 : o->ignore_files.n;
    r->files = wk_new_n(g->c, struct wk_rules, r->files_n + 1);
    for (size_t i = 0; i < r->files_n; i++)
        read_rules(g, &r->files[i], o->ignore_files.v[i], true, false);
    read_globs(g, 'g');
    read_globs(g, 'i');
}

static bool exists(struct wk_cmd *c, struct wk_str dir, const char *name)
{
    struct wk_stat st;
    char *path = wk_strf(c, "%.*s%s%s", (int)dir.n, dir.p, dir.n && dir.p[dir.n - 1] == '/' ? "" : "/", name);
    bool yes = wk_cmd_stat(c, path, true, &st) == 0;
    wk_heap_free(c->heap, path);
    return yes;
}

static void note_all(struct wk_cmd *c, struct wk_rg_dir_rules *r, struct wk_str dir)
{
    static const char *const names[] = {".rgignore", ".ignore", ".gitignore", ".git"};
    for (size_t i = 0; i < WK_COUNTOF(names); i++)
        if (exists(c, dir, names[i]))
            wk_rg_dir_note(r, wk_str_c(names[i]));
}

/* The rules of a directory above an operand; they are read, and complained of, once. */
static struct wk_rg_dir_rules *read_above(struct wk_rg *g, struct wk_rg_rules *r, struct wk_str dir)
{
    struct wk_cmd *c = g->c;
    for (size_t i = 0; i < r->known_n; i++)
        if (wk_str_eq(r->known[i].dir, dir))
            return r->known[i].rules;
    wk_tick(c, (uint32_t)WK_MIN(r->known_n, (size_t)UINT16_MAX) + 1);
    if (r->known_n == r->known_cap) {
        r->known_cap = r->known_cap ? r->known_cap * 2 : 16;
        r->known = wk_heap_realloc(c->heap, r->known, r->known_cap * sizeof *r->known);
    }
    struct wk_rg_known *k = &r->known[r->known_n++];
    *k = (struct wk_rg_known){wk_str(wk_dupn(c, dir.p, dir.n), dir.n), wk_new(c, struct wk_rg_dir_rules)};
    note_all(c, k->rules, dir);
    wk_rg_dir_read(g, k->rules, dir, false, true);
    return k->rules;
}

void wk_rg_rules_above(struct wk_rg *g, struct wk_rg_rules *r, const char *operand)
{
    struct wk_cmd *c = g->c;
    const struct wk_rg_opts *o = g->o;
    r->above_n = 0;
    r->any_git = o->no_require_git;
    if (wk_at_realpath(c, operand, WK_REALPATH_ALL, &r->root))
        return;
    r->root_n = strlen(r->root);
    r->above = wk_new_n(c, struct wk_rg_above, wk_str_count(wk_str_c(r->root), '/') + 1);
    for (size_t n = r->root_n; n > 1;) {
        while (n && r->root[n - 1] != '/')
            n--;
        struct wk_str dir = wk_str(r->root, n > 1 ? n - 1 : n);
        struct wk_rg_above *a = &r->above[r->above_n++];
        *a = (struct wk_rg_above){read_above(g, r, dir), n};
        n = n > 1 ? n - 1 : 0;
        r->any_git = r->any_git || a->rules->has_git;
    }
}

/* Rules of the whole see names below the working directory without it. */
static struct wk_rg_candidate from_cwd(const struct wk_rg_rules *r, const struct wk_rg_candidate *e)
{
    struct wk_rg_candidate out = *e;
    size_t skip = 0, cwd_n = r->cwd ? strlen(r->cwd) : 0;
    if (e->n > 2 && e->path[0] == '.' && e->path[1] == '/')
        skip = 2;
    else if (cwd_n > 1 && e->n > cwd_n && memcmp(e->path, r->cwd, cwd_n) == 0 && e->path[cwd_n] == '/')
        skip = cwd_n + 1;
    else if (cwd_n == 1 && e->path[0] == '/')
        skip = 1;
    out.path += skip;
    out.n -= skip;
    return out;
}

enum wk_verdict wk_rg_ask_globs(struct wk_rg *g, const struct wk_rg_rules *r, const struct wk_rg_candidate *e)
{
    const struct wk_rules *rules = &g->overrides;
    if (!rules->n)
        return WK_RULES_SILENT;
    struct wk_rg_candidate at = from_cwd(r, e);
    enum wk_verdict v = wk_rules_ask(g->c, rules, at.path, at.n, at.name, at.is_dir);
    if (v == WK_RULES_SILENT) /* where some are wanted the others are not */
        return rules->keeps < rules->n && !e->is_dir ? WK_RULES_IGNORE : WK_RULES_SILENT;
    return v == WK_RULES_KEEP ? WK_RULES_IGNORE : WK_RULES_KEEP;
}

/* The real tool puts the whole path behind the absolute name of its operand: rules with slashes fit only below ".".
 */
static void ask_above(struct wk_rg *g, struct wk_rg_rules *r, const struct wk_rg_candidate *e, bool any_git,
                      struct wk_rg_verdicts *v)
{
    struct wk_rg_candidate at = *e;
    if (e->path[0] != '/') {
        size_t skip = e->n > 2 && e->path[0] == '.' && e->path[1] == '/' ? 2 : 0;
        size_t slash = r->root[r->root_n - 1] != '/', need = r->root_n + slash + e->n + 1;
        if (need > r->scratch_cap) {
            r->scratch_cap = need * 2;
            r->scratch = wk_heap_realloc(g->c->heap, r->scratch, r->scratch_cap);
        }
        memcpy(r->scratch, r->root, r->root_n);
        r->scratch[r->root_n] = '/';
        memcpy(r->scratch + r->root_n + slash, e->path + skip, e->n - skip + 1);
        at = (struct wk_rg_candidate){r->scratch, r->root_n + slash + e->n - skip, NULL, e->is_dir};
        at.name = at.path + at.n - (e->n - (size_t)(e->name - e->path));
    }
    for (size_t i = 0; i < r->above_n; i++) {
        size_t skip = r->above[i].skip;
        bool below = at.n > skip && memcmp(at.path, r->root, skip) == 0;
        struct wk_rg_candidate rel = {at.path + (below ? skip : 0), at.n - (below ? skip : 0), at.name, e->is_dir};
        wk_rg_dir_ask(g->c, r->above[i].rules, any_git, &rel, v);
    }
}

enum wk_verdict wk_rg_ask_above(struct wk_rg *g, struct wk_rg_rules *r, const struct wk_rg_candidate *e, bool any_git,
                                struct wk_rg_verdicts *v)
{
    enum wk_verdict global = WK_RULES_SILENT, files = WK_RULES_SILENT;
    if (r->above_n && !g->o->no_ignore_parent)
        ask_above(g, r, e, any_git, v);
    struct wk_rg_candidate at = from_cwd(r, e);
    if (any_git)
        ask(g->c, &r->global, &at, &global);
    for (size_t i = r->files_n; i-- > 0;)
        ask(g->c, &r->files[i], &at, &files);
    const enum wk_verdict order[] = {v->rgignore, v->ignore, v->git, v->exclude, global, files};
    for (size_t i = 0; i < WK_COUNTOF(order); i++)
        if (order[i] != WK_RULES_SILENT)
            return order[i];
    return WK_RULES_SILENT;
}

enum wk_verdict wk_rg_ask_type(struct wk_rg *g, const char *name)
{
    size_t n = strlen(name);
    if (!g->o->types.n && !g->o->types_not.n)
        return WK_RULES_SILENT;
    for (int k = 1; k >= 0; k--)
        for (size_t i = 0; i < g->type_globs_n[k]; i++)
            if (wk_glob_matches(g->c, g->type_globs[k][i], name, n, name))
                return k ? WK_RULES_IGNORE : WK_RULES_KEEP;
    return g->type_wanted ? WK_RULES_IGNORE : WK_RULES_SILENT;
}
