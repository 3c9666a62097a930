/* rg_types.c - rg: types of files, those that are built in and those of --type-add */
#include "base/sort.h"
#include "base/utf8.h"
#include "builtins/filetypes.h"
#include "builtins/rg.h"

struct type {
    const char *name;
    const char **globs;
    size_t n, cap;
    bool cleared;
};

struct types {
    struct wk_cmd *c;
    struct type *v;
    size_t n, cap;
};

static struct type *find(struct types *t, struct wk_str name)
{
    for (size_t i = 0; i < t->n; i++)
        if (wk_str_is(name, t->v[i].name))
            return &t->v[i];
    return NULL;
}

static struct type *add_type(struct types *t, struct wk_str name)
{
    struct type *old = find(t, name);
    if (old)
        return old;
    if (t->n == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 256;
        t->v = wk_heap_realloc(t->c->heap, t->v, t->cap * sizeof *t->v);
    }
    t->v[t->n] = (struct type){.name = wk_dupn(t->c, name.p, name.n)};
    return &t->v[t->n++];
}

static void add_glob(struct types *t, struct type *type, struct wk_str glob)
{
    if (type->n == type->cap) {
        type->cap = type->cap ? type->cap * 2 : 8;
        type->globs = wk_heap_realloc(t->c->heap, type->globs, type->cap * sizeof *type->globs);
    }
    type->globs[type->n++] = wk_dupn(t->c, glob.p, glob.n);
}

static WK_NORETURN void refuse(struct wk_cmd *c)
{
    wk_out_c(c->err, "invalid definition (format is type:glob, e.g., html:*.html)\n");
    wk_exit(c, 2);
}

static WK_NORETURN void refuse_name(struct wk_cmd *c, struct wk_str name)
{
    wk_out_fmt(c->err, "unrecognized file type: %.*s\n", (int)name.n, name.p);
    wk_exit(c, 2);
}

static bool is_name(struct wk_str s)
{
    for (size_t i = 0; i < s.n;) {
        uint32_t ch;
        i += wk_utf8_next(s.p + i, s.n - i, &ch);
        if (!wk_utf8_is(ch, WK_CLASS_ALNUM))
            return false;
    }
    return s.n && !wk_str_is(s, "all");
}

/* NAME:GLOB, or NAME:include:NAME,NAME… */
static void define(struct types *t, struct wk_str s)
{
    ptrdiff_t colon = wk_str_chr(s, ':');
    struct wk_str name = wk_str_take(s, colon < 0 ? 0 : (size_t)colon), rest = wk_str_from(s, (size_t)colon + 1);
    if (colon <= 0 || !rest.n || !is_name(name))
        refuse(t->c);
    ptrdiff_t second = wk_str_chr(rest, ':');
    if (second < 0) {
        add_glob(t, add_type(t, name), rest);
        return;
    }
    if (!wk_str_is(wk_str_take(rest, (size_t)second), "include") ||
        wk_str_chr(wk_str_from(rest, (size_t)second + 1), ':') >= 0)
        refuse(t->c);
    rest = wk_str_from(rest, (size_t)second + 1);
    while (rest.n) {
        ptrdiff_t comma = wk_str_chr(rest, ',');
        struct wk_str other = wk_str_take(rest, comma < 0 ? rest.n : (size_t)comma);
        if (!find(t, other))
            refuse(t->c);
        struct type *to = add_type(t, name), *from = find(t, other);
        for (size_t i = 0, n = from->n; i < n && from != to; i++)
            add_glob(t, to, wk_str_c(from->globs[i]));
        rest = comma < 0 ? wk_str("", 0) : wk_str_from(rest, (size_t)comma + 1);
    }
}

static void make(struct wk_rg *g, struct types *t)
{
    *t = (struct types){.c = g->c};
    for (const struct wk_filetype *f = wk_filetypes; f->name; f++) {
        struct type *type = add_type(t, wk_str_c(f->name));
        for (const char *p = f->globs; *p; p += strspn(p, " ")) {
            size_t n = strcspn(p, " ");
            add_glob(t, type, wk_str(p, n));
            p += n;
        }
    }
    for (size_t i = 0; i < g->o->type_clear.n; i++) {
        struct type *type = find(t, wk_str_c(g->o->type_clear.v[i]));
        if (type)
            *type = t->v[--t->n];
    }
    for (size_t i = 0; i < g->o->type_add.n; i++)
        define(t, wk_str_c(g->o->type_add.v[i]));
}

static void use(struct wk_rg *g, const struct type *type, int which)
{
    size_t n = g->type_globs_n[which];
    struct wk_glob **v =
        wk_heap_realloc(g->c->heap, g->type_globs[which], (n + type->n + 1) * sizeof(struct wk_glob *));
    for (size_t i = 0; i < type->n; i++) {
        const char *err = NULL;
        bool path = strchr(type->globs[i], '/') != NULL;
        v[n] =
            wk_glob_new(g->c, wk_str_c(path ? type->globs[i] : wk_strf(g->c, "**/%s", type->globs[i])), false, &err);
        if (!v[n]) {
            wk_out_fmt(g->c->err, "error parsing glob '%s': %s\n", type->globs[i], err);
            wk_exit(g->c, 2);
        }
        n++;
    }
    g->type_globs[which] = v;
    g->type_globs_n[which] = n;
}

static void select_types(struct wk_rg *g, struct types *t, const struct wk_opt_list *names, int which)
{
    for (size_t i = 0; i < names->n; i++) {
        struct wk_str name = wk_str_c(names->v[i]);
        bool all = wk_str_is(name, "all");
        const struct type *type = all ? NULL : find(t, name);
        if (!all && !type)
            refuse_name(g->c, name);
        for (size_t k = 0; all && k < t->n; k++)
            use(g, &t->v[k], which);
        if (type)
            use(g, type, which);
    }
}

void wk_rg_read_types(struct wk_rg *g)
{
    struct types t;
    const struct wk_rg_opts *o = g->o;
    if (!o->types.n && !o->types_not.n && !o->type_add.n)
        return;
    make(g, &t);
    select_types(g, &t, &o->types, 0);
    select_types(g, &t, &o->types_not, 1);
    g->type_wanted = o->types.n > 0;
}

static int by_name(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return strcmp(((const struct type *)a)->name, ((const struct type *)b)->name);
}

static int by_text(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void wk_rg_list_types(struct wk_rg *g)
{
    struct types t;
    struct wk_sort names = {.cmp = by_name}, globs = {.cmp = by_text};
    struct wk_mem *mem = wk_heap_mem(g->c->heap);
    make(g, &t);
    if (wk_sort(mem, t.v, t.n, sizeof *t.v, &names) < 0)
        wk_heap_exhausted(g->c->heap);
    for (size_t i = 0; i < t.n; i++) {
        struct type *type = &t.v[i];
        if (wk_sort(mem, type->globs, type->n, sizeof *type->globs, &globs) < 0)
            wk_heap_exhausted(g->c->heap);
        wk_out_fmt(g->c->out, "%s: ", type->name);
        for (size_t k = 0; k < type->n; k++)
            wk_out_fmt(g->c->out, "%s%s", k ? ", " : "", type->globs[k]);
        wk_out_char(g->c->out, '\n');
    }
}
