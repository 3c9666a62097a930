/* jq_module.c - import and include of jq programs: search paths, modules, data
 *
 * A module's functions are compiled in a scope of their own: the names that it imports itself and its
 * definitions, and behind them the builtins.
 */
#include "builtins/jq_code.h"
#include "builtins/jq_module.h"
#include "builtins/jq_read.h"

/* A module that was read: its definitions in the scope they were made in. */
struct jq_module {
    struct jq_module *next;
    const char *path;
    bool open; /* being read: it imports itself */
    struct jq_text text;
    struct jq_scope *scope; /* the latest definition, down to `outside` */
    struct jq_scope *outside;
};

/* ---- where ----------------------------------------------------------------------------------- */

static const char *home(struct jq *q)
{
    const char *h = wk_cmd_env(q->c, "HOME");
    return h ? h : "";
}

/* ~/x is below the home directory, $ORIGIN/x below the command's; a relative one below `base`. */
static const char *expand(struct jq *q, const char *dir, const char *base)
{
    if (strncmp(dir, "~/", 2) == 0)
        return wk_join_path(q->c, home(q), dir + 2);
    if (strcmp(dir, "~") == 0)
        return home(q);
    if (strncmp(dir, "$ORIGIN/", 8) == 0)
        return wk_join_path(q->c, "/usr/bin", dir + 8);
    if (dir[0] == '/' || !base || strcmp(base, ".") == 0)
        return dir;
    return wk_join_path(q->c, base, dir);
}

static const char *const default_library[] = {"~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib", NULL};

/* The i-th directory to search: those of the import's metadata, then those of the library. */
static const char *search_dir(struct jq *q, const struct jq_import *in, const char *base, size_t i)
{
    const struct jq_val *s = in->meta.kind == JQ_OBJECT ? wk_jq_object_get_str(in->meta, WK_STR("search")) : NULL;
    size_t n = 0;
    const char *const *library = q->library ? q->library : default_library;
    if (s && s->kind == JQ_STRING) {
        n = 1;
        if (i == 0)
            return expand(q, wk_dupn(q->c, s->str->bytes, s->str->n), base);
    } else if (s && s->kind == JQ_ARRAY) {
        n = s->array->n;
        if (i < n)
            return s->array->at[i].kind == JQ_STRING
                       ? expand(q, wk_dupn(q->c, s->array->at[i].str->bytes, s->array->at[i].str->n), base)
                       : "";
    } else {
        n = 1; /* the importer's own directory */
        if (i == 0)
            return expand(q, ".", base);
    }
    for (size_t k = 0; library[k]; k++)
        if (k == i - n)
            return expand(q, library[k], NULL);
    return NULL;
}

static bool is_file(struct jq *q, const char *path)
{
    struct wk_stat st;
    return wk_cmd_stat(q->c, path, true, &st) == 0 && WK_S_ISREG(st.mode);
}

/* DIR/a/b.jq, then DIR/a/b/b.jq. NULL: nowhere. */
static const char *find_module(struct jq *q, const struct jq_import *in, const char *base)
{
    const char *ext = in->is_data ? ".json" : ".jq";
    const char *name = wk_dupn(q->c, in->path.p, in->path.n), *last = strrchr(name, '/'), *dir;
    last = last ? last + 1 : name;
    for (size_t i = 0; (dir = search_dir(q, in, base, i)); i++) {
        const char *path = wk_join_path(q->c, dir, wk_strf(q->c, "%s%s", name, ext));
        if (is_file(q, path))
            return path;
        path = wk_join_path(q->c, dir, wk_strf(q->c, "%s/%s%s", name, last, ext));
        if (is_file(q, path))
            return path;
    }
    return NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_file(struct jq *q, const char *path, struct wk_str *text)
{
    struct wk_file *file;
    if (wk_cmd_open(q->c, path, WK_O_RDONLY, 0, &file) != 0)
        return false;
    struct wk_in *in = wk_in_of(q->c, file, path);
    in->quiet = true;
    *text = wk_in_all(in);
    bool good = in->err == 0;
    wk_in_close(in);
    wk_cmd_close(q->c, file);
    return good && text->n <= UINT32_MAX / 2;
}

static void say(struct jq_text *t, const char *what, struct wk_str name)
{
    t->errors++;
    wk_buf_fmt(t->messages, "jq: error: %s: %.*s\n\n", what, (int)name.n, name.p);
}

static const char *directory(struct jq *q, const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? "." : slash == path ? "/" : wk_dupn(q->c, path, (size_t)(slash - path));
}

static struct jq_module *load(struct jq_text *from, const char *path)
{
    struct jq *q = from->q;
    for (struct jq_module *m = q->modules; m; m = m->next)
        if (strcmp(m->path, path) == 0) {
            if (m->open)
                say(from, "module imports itself", wk_str_c(path));
            return m->open ? NULL : m;
        }
    struct jq_module *m = jq_bump(q, sizeof *m);
    m->path = path;
    m->next = q->modules;
    q->modules = m;
    struct jq_text *t = &m->text;
    *t = (struct jq_text){.q = q, .name = path, .messages = from->messages};
    if (!read_file(q, path, &t->s)) {
        say(from, "module cannot be read", wk_str_c(path));
        return NULL;
    }
    m->open = true;
    wk_jq_parse(t);
    if (t->errors == 0 && t->main) {
        t->errors++;
        wk_buf_fmt(t->messages, "jq: error: library should only have function definitions, not a main expression\n");
    }
    if (t->errors == 0)
        m->outside = wk_jq_imports(t, NULL, directory(q, path));
    if (t->errors == 0)
        wk_jq_check(t, m->outside);
    m->open = false;
    from->errors += t->errors;
    if (t->errors)
        return NULL;
    m->scope = m->outside;
    for (uint32_t i = 0; i < t->ndefs; i++) {
        m->scope = wk_jq_scope_add(q, m->scope, JS_DEF, t->defs[i]->name, t->defs[i]->nparams);
        m->scope->def = t->defs[i];
    }
    return m;
}

/* The module's definitions under a prefix: entries that point to where they were made. */
static struct jq_scope *add_names(struct jq *q, struct jq_module *m, struct wk_str prefix, struct jq_scope *scope)
{
    uint32_t n = m->text.ndefs;
    struct jq_scope **list = wk_heap_calloc(q->c->heap, n + 1, sizeof *list);
    struct jq_scope *s = m->scope;
    for (uint32_t i = n; i-- > 0; s = s->next)
        list[i] = s;
    for (uint32_t i = 0; i < n; i++) {
        struct wk_str name = list[i]->name;
        if (prefix.n) {
            const char *full = wk_strf(q->c, "%.*s::%.*s", (int)prefix.n, prefix.p, (int)name.n, name.p);
            name = wk_str_c(full);
        }
        scope = wk_jq_scope_add(q, scope, JS_DEF, name, list[i]->arity);
        scope->def = list[i]->def;
        scope->inner = list[i];
    }
    wk_heap_free(q->c->heap, list);
    return scope;
}

/* All JSON texts as an array; false with an error set. */
static bool read_texts(struct jq *q, struct wk_str text, struct jq_val *out)
{
    struct jq_reader *r = wk_jq_text_reader(q, text);
    struct jq_val v;
    int got;
    *out = wk_jq_array(q, 1);
    while ((got = wk_jq_read(r, &v)) == 1)
        *out = wk_jq_push(q, *out, v);
    if (got >= 0)
        return true;
    jq_free(q, *out);
    return wk_jq_raise(q, wk_jq_reader_error(r));
}

static struct jq_scope *add_data(struct jq_text *t, const struct jq_import *in, const char *path,
                                 struct jq_scope *scope)
{
    struct jq *q = t->q;
    struct wk_str text;
    struct jq_val v;
    if (!read_file(q, path, &text) || !read_texts(q, text, &v)) {
        if (q->error.kind == JQ_STRING)
            say(t, path, jq_slice(q->error));
        else
            say(t, "module cannot be read", wk_str_c(path));
        jq_free(q, q->error);
        q->error = jq_none();
        return scope;
    }
    scope = wk_jq_scope_add(q, scope, JS_CONST, in->as, JQ_ARITY_VAR);
    scope->value = v;
    const char *full = wk_strf(q->c, "%.*s::%.*s", (int)in->as.n, in->as.p, (int)in->as.n, in->as.p);
    scope = wk_jq_scope_add(q, scope, JS_CONST, wk_str_c(full), JQ_ARITY_VAR);
    scope->value = jq_copy(v);
    return scope;
}

struct jq_scope *wk_jq_imports(struct jq_text *t, struct jq_scope *scope, const char *origin)
{
    for (uint32_t i = 0; i < t->nimports; i++) {
        const struct jq_import *in = &t->imports[i];
        const char *path = find_module(t->q, in, origin ? origin : ".");
        if (!path) {
            say(t, "module not found", in->path);
            continue;
        }
        if (in->is_data) {
            scope = add_data(t, in, path, scope);
            continue;
        }
        struct jq_module *m = load(t, path);
        if (m)
            scope = add_names(t->q, m, in->as, scope);
    }
    return scope;
}

struct jq_scope *wk_jq_home_module(struct jq_text *t, struct jq_scope *scope)
{
    const char *path = wk_join_path(t->q->c, home(t->q), ".jq");
    if (!home(t->q)[0] || !is_file(t->q, path))
        return scope;
    struct jq_module *m = load(t, path);
    return m ? add_names(t->q, m, WK_STR(""), scope) : scope;
}

/* ---- functions ------------------------------------------------------------------------------- */

static struct jq_val text_value(struct jq *q, struct wk_str s)
{
    return wk_jq_string(q, s);
}

/* modulemeta: a module's metadata, what it needs and what it defines. */
static bool modulemeta(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct jq_val name = a[0];
    if (name.kind != JQ_STRING) {
        jq_free(q, name);
        return wk_jq_error(q, "modulemeta input module name must be a string");
    }
    struct jq_import in = {.path = jq_slice(name), .meta = jq_none()};
    struct jq_text from = {.q = q, .messages = wk_jq_messages(q)};
    const char *path = find_module(q, &in, q->origin);
    struct jq_module *m = path ? load(&from, path) : NULL;
    wk_buf_release(from.messages);
    if (!m) {
        wk_jq_error(q, "module not found: %.*s\n", (int)in.path.n, in.path.p);
        jq_free(q, name);
        return false;
    }
    jq_free(q, name);
    struct jq_val r = m->text.module.kind == JQ_OBJECT ? jq_copy(m->text.module) : wk_jq_object(q, 2);
    struct jq_val deps = wk_jq_array(q, m->text.nimports), defs = wk_jq_array(q, m->text.ndefs);
    for (uint32_t i = 0; i < m->text.nimports; i++) {
        const struct jq_import *k = &m->text.imports[i];
        struct jq_val d = k->meta.kind == JQ_OBJECT ? jq_copy(k->meta) : wk_jq_object(q, 3);
        if (k->as.n)
            d = wk_jq_object_set(q, d, text_value(q, WK_STR("as")), text_value(q, k->as));
        d = wk_jq_object_set(q, d, text_value(q, WK_STR("is_data")), jq_bool(k->is_data));
        d = wk_jq_object_set(q, d, text_value(q, WK_STR("relpath")), text_value(q, k->path));
        deps = wk_jq_push(q, deps, d);
    }
    for (uint32_t i = 0; i < m->text.ndefs; i++) {
        const struct jq_def *d = m->text.defs[i];
        const char *s = wk_strf(q->c, "%.*s/%u", (int)d->name.n, d->name.p, d->nparams);
        defs = wk_jq_push(q, defs, text_value(q, wk_str_c(s)));
    }
    r = wk_jq_object_set(q, r, text_value(q, WK_STR("deps")), deps);
    *out = wk_jq_object_set(q, r, text_value(q, WK_STR("defs")), defs);
    return true;
}

static bool search_list(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    const char *const *library = q->library ? q->library : default_library;
    *out = wk_jq_array(q, 3);
    jq_free(q, a[0]);
    for (size_t i = 0; library[i]; i++)
        *out = wk_jq_push(q, *out, text_value(q, wk_str_c(library[i])));
    return true;
}

static const struct jq_builtin functions[] = {{"modulemeta", 0, modulemeta}, {"get_search_list", 0, search_list}};

const struct jq_builtin *wk_jq_module_builtin(struct wk_str name, uint32_t arity)
{
    for (size_t i = 0; i < WK_COUNTOF(functions); i++)
        if (functions[i].nargs == arity && wk_str_is(name, functions[i].name))
            return &functions[i];
    return NULL;
}
