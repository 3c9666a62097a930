/* vars_env.c - the environment: what children get, what a new shell takes over */
#include "base/err.h"
#include "base/num.h"
#include "base/sort.h"
#include "interp/run.h"
#include "interp/shared.h"
#include "interp/vars_array.h"
#include "interp/vars_special.h"

/* ---- out
 * -------------------------------------------------------------------------------------------- */

/* bash's tables. */
enum { FOREIGN_BUCKETS = 64, GLOBAL_BUCKETS = 1024, FUNCTION_BUCKETS = 512 };

struct block {
    struct wk_buf bytes;
    struct wk_buf ends; /* size_t each */
    struct wk_env_part parts[WK_ENV_PARTS];
    uint32_t nparts;
    bool computed;      /* a value is another one each time */
    struct wk_str word; /* of _; NULL: as it is */
    bool has_word;
};

static uint32_t block_count(const struct block *b)
{
    return (uint32_t)(b->ends.n / sizeof(size_t));
}

static void end_entry(struct block *b)
{
    wk_buf_put(&b->ends, &b->bytes.n, sizeof b->bytes.n);
    wk_buf_putc(&b->bytes, '\0');
}

/* Is it in the environment of children, for all that hides nothing of its name? */
static bool goes_out(const struct wk_var *v)
{
    return v->flags & WK_VAR_EXPORT && v->flags & (WK_VAR_SET | WK_VAR_DYNAMIC);
}

static void put_variable(struct wk_shell *sh, struct block *b, uint32_t name,
                         const struct wk_var *v)
{
    char scratch[24];
    struct wk_str value;
    if (v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC) || !goes_out(v))
        return;
    int64_t n;
    bool last = wk_special_last(sh, v, &n);
    b->computed |= (v->flags & WK_VAR_DYNAMIC) != 0 && !last;
    if (b->word.p && name == wk_known(sh, WK_KNOWN_UNDERSCORE)) {
        value = b->word;
        b->has_word = true;
        b->computed = false;
    } else if (last)
        value = wk_str(scratch, wk_i64_text(n, scratch));
    else if (v->flags & WK_VAR_NAMEREF)
        value = v->text ? wk_val_str(v->text) : WK_STR("");
    else if (!wk_var_plain(sh, v, name, scratch, &value))
        return;
    wk_buf_puts(&b->bytes, wk_names_str(sh->names, name));
    wk_buf_putc(&b->bytes, '=');
    wk_buf_puts(&b->bytes, value);
    end_entry(b);
}

/* BASH_FUNC_name%%=() { … }: the body follows the name's "() " at once, as bash wants it. */
static void put_function(struct wk_shell *sh, struct block *b, const struct wk_func *f)
{
    struct wk_str name = wk_names_str(sh->names, f->name);
    struct wk_buf text;
    wk_buf_init(&text, sh->mem, SIZE_MAX / 2);
    if (wk_print_exported(&text, wk_as_function(f->def)->body) == 0) {
        wk_buf_fmt(&b->bytes, "BASH_FUNC_%s%%%%=", name.p);
        wk_buf_puts(&b->bytes, wk_buf_str(&text));
        end_entry(b);
    }
    wk_buf_release(&text);
}

/* The entries since `from' are a part: of a table of so many buckets. */
static void add_part(struct block *b, uint32_t from, uint32_t buckets)
{
    uint32_t n = block_count(b) - from;
    if (n)
        b->parts[b->nparts++] = (struct wk_env_part){from, n, buckets};
}

/* An exported variable of a function's scope or before a command; `age' is its place among those. */
struct scoped {
    const struct wk_var *var;
    uint32_t name, level, age;
};

enum { FEW = 8 };
struct scoped_list {
    struct scoped few[FEW], *many; /* in many when there are more */
    size_t n, cap;
};

static int by_scope(void *ctx, const void *a, const void *b)
{
    const struct scoped *x = a, *y = b;
    (void)ctx;
    if (x->level != y->level)
        return x->level > y->level ? -1 : 1;
    return x->age < y->age ? -1 : 1;
}

/* The newest entry below `top` that holds a variable of the name: its number + 1, or 0. */
static uint32_t entry_below(const struct wk_state *st, uint32_t name, uint32_t top)
{
    while (top > 0 && st->saved->v[top - 1].name != name)
        top--;
    return top;
}

/* What children get of the name: the innermost variable that goes out. One without a value, or that is not exported,
 * lets the one that it hides pass. */
static bool find_exported(const struct wk_state *st, uint32_t name, const struct wk_var *v, struct scoped *out)
{
    const uint32_t scoped = WK_VAR_LOCAL | WK_VAR_TEMPENV;
    uint32_t entry = st->saved_n;
    while (v->flags & scoped && !goes_out(v) && (entry = entry_below(st, name, entry)) != 0)
        v = &st->saved->v[--entry].var;
    uint32_t age = v->flags & scoped ? entry_below(st, name, entry) : 0;
    *out = (struct scoped){v, name, v->level, age};
    return goes_out(v);
}

/* The variables of no scope; those of scopes are kept for put_scopes. */
static bool put_globals(struct wk_shell *sh, struct block *b, struct scoped_list *l)
{
    const struct wk_state *st = sh->st;
    for (uint32_t p = 0; p < st->npages; p++) {
        for (uint32_t i = 0; st->pages[p] && i < WK_PAGE_SLOTS; i++) {
            struct scoped found;
            const struct wk_var *slot = &st->pages[p]->slots[i];
            if (!(slot->flags & (WK_VAR_EXPORT | WK_VAR_LOCAL | WK_VAR_TEMPENV)) ||
                !find_exported(st, p * WK_PAGE_SLOTS + i, slot, &found))
                continue;
            if (WK_LIKELY(!(found.var->flags & (WK_VAR_LOCAL | WK_VAR_TEMPENV)))) {
                put_variable(sh, b, found.name, found.var);
                continue;
            }
            if (l->n >= FEW && !wk_vec_grow(sh->mem, &l->many, &l->cap, l->n + 1, sizeof *l->many))
                return false;
            if (l->n == FEW)
                memcpy(l->many, l->few, sizeof l->few);
            (l->n < FEW ? l->few : l->many)[l->n] = found;
            l->n++;
        }
    }
    return true;
}

/* The innermost scope first; there is place for a few of them. */
static bool put_scopes(struct wk_shell *sh, struct block *b, struct scoped *v, size_t n)
{
    const struct wk_sort how = {.cmp = by_scope};
    if (n > 1 && wk_sort(sh->mem, v, n, sizeof *v, &how) != 0)
        return false;
    uint32_t from = block_count(b);
    for (size_t i = 0; i < n; i++) {
        put_variable(sh, b, v[i].name, v[i].var);
        bool ends = i + 1 == n || (v[i + 1].level != v[i].level && b->nparts + 3 < WK_ENV_PARTS);
        if (ends) {
            add_part(b, from, block_count(b) - from > 8 ? 16 : 4);
            from = block_count(b);
        }
    }
    return true;
}

/* All variables; in bash's order those of scopes come before the others. */
static bool put_variables(struct wk_shell *sh, struct block *b)
{
    struct scoped_list l;
    l.many = NULL;
    l.n = l.cap = 0;
    uint32_t from = block_count(b);
    bool ok = put_globals(sh, b, &l);
    struct wk_env_part globals = {from, block_count(b) - from, GLOBAL_BUCKETS};
    ok = ok && (!l.n || put_scopes(sh, b, l.n > FEW ? l.many : l.few, l.n));
    if (globals.n)
        b->parts[b->nparts++] = globals;
    wk_free(sh->mem, l.many);
    return ok;
}

/* word: what _ says, NULL for nothing but the variable. *fresh: it must be made again next time. */
static struct wk_env *make_block(struct wk_shell *sh, struct wk_str word, bool *fresh)
{
    const struct wk_state *st = sh->st;
    struct block b = {.word = word};
    wk_buf_init(&b.bytes, sh->mem, SIZE_MAX / 2);
    wk_buf_init(&b.ends, sh->mem, SIZE_MAX / 2);
    for (uint32_t i = 0; st->foreign && i < st->foreign->n; i++) {
        wk_buf_puts(&b.bytes, wk_val_str(st->foreign->v[i]));
        end_entry(&b);
    }
    add_part(&b, 0, FOREIGN_BUCKETS);
    bool ok = put_variables(sh, &b);
    uint32_t from = block_count(&b);
    for (uint32_t p = 0; p < st->nfuncs; p++)
        for (uint32_t i = 0; st->funcs[p] && i < WK_PAGE_SLOTS; i++)
            if (st->funcs[p]->slots[i] && st->funcs[p]->slots[i]->flags & WK_VAR_EXPORT)
                put_function(sh, &b, st->funcs[p]->slots[i]);
    add_part(&b, from, FUNCTION_BUCKETS);
    if (word.p && !b.has_word) {
        wk_buf_put_c(&b.bytes, "_=");
        wk_buf_puts(&b.bytes, word);
        end_entry(&b);
    }
    size_t n = b.ends.n / sizeof(size_t);
    struct wk_env *env = NULL;
    struct wk_str *list =
        !ok || b.bytes.failed || b.ends.failed ? NULL : wk_calloc(sh->mem, n + 1, sizeof *list);
    if (list) {
        size_t start = 0;
        for (size_t i = 0; i < n; i++) {
            size_t end;
            memcpy(&end, b.ends.p + i * sizeof end, sizeof end);
            list[i] = wk_str(b.bytes.p + start, end - start);
            start = end + 1;
        }
        env = wk_env_new(sh->k, list, n);
        if (env)
            memcpy(env->parts, b.parts, sizeof env->parts);
    }
    wk_free(sh->mem, list);
    wk_buf_release(&b.bytes);
    wk_buf_release(&b.ends);
    *fresh = b.computed;
    return env;
}

struct wk_env *wk_vars_env(struct wk_shell *sh)
{
    bool fresh;
    return make_block(sh, wk_str(NULL, 0), &fresh);
}

/* Does its last entry say that _ is this? */
static bool says(const struct wk_env *e, struct wk_str word)
{
    const char *s = e->n ? e->v[e->n - 1] : "";
    return s[0] == '_' && s[1] == '=' && wk_str_is(word, s + 2);
}

struct wk_env *wk_vars_env_of(struct wk_shell *sh, struct wk_str path, struct wk_env **kept)
{
    struct wk_state *st = sh->st;
    if (!st->env_cache || st->exported_cache_gen != st->env_gen) {
        bool fresh;
        struct wk_env *env = make_block(sh, path, &fresh);
        if (!env)
            return NULL;
        wk_env_unref(st->env_cache);
        st->env_cache = env;
        st->exported_cache_gen = fresh ? st->env_gen - 1 : st->env_gen;
        return wk_env_ref(env);
    }
    struct wk_env *base = st->env_cache;
    if (says(base, path))
        return wk_env_ref(base);
    if (kept && *kept && (*kept)->base == base)
        return wk_env_ref(*kept);
    struct wk_env *env = wk_env_with(base, WK_STR("_"), path);
    if (kept && env) {
        wk_env_unref(*kept);
        *kept = wk_env_ref(env);
    }
    return env;
}

/* ---- in
 * -----------------------------------------------------------------------------------------------
 */

struct import {
    struct wk_shell *sh;
    struct wk_str name;
};

static void import_message(void *ctx, uint32_t line, struct wk_str text)
{
    const struct import *im = ctx;
    int n = (int)WK_MIN(text.n, (size_t)INT32_MAX);
    if (wk_str_starts(text, WK_STR("warning: "))) {
        im->sh->line = line;
        wk_sh_error(im->sh, "%.*s", n, text.p);
        im->sh->line = 0;
    } else {
        wk_sh_error(im->sh, "%.*s: line %u: %.*s", (int)im->name.n, im->name.p, line, n, text.p);
    }
}

/* Defines the function that the text begins with; false when it is more than that. */
static bool define_import(struct wk_shell *sh, struct wk_str name, struct wk_tree *tree, int *err)
{
    if (!tree->root || tree->root->kind != WK_NODE_FUNCTION) {
        wk_sh_error(sh, "warning: %.*s: ignoring function definition attempt", (int)name.n, name.p);
        return false;
    }
    struct wk_tree *outer = sh->now.tree;
    sh->now.tree = tree;
    *err = wk_func_define(sh, tree->root);
    sh->now.tree = outer;
    struct wk_func *f = *err ? NULL : wk_func_find(sh, wk_as_function(tree->root)->name);
    if (f)
        f->flags |= WK_VAR_EXPORT;
    return f != NULL;
}

/* "() {…}": what stands in further lines is not looked at. */
static int import_function(struct wk_shell *sh, struct wk_str name, struct wk_str value)
{
    bool defined = false;
    bool allowed = wk_opt(sh, POSIX) ? wk_str_is_name(name)
                                     : !memchr(name.p, '/', name.n) && !memchr(name.p, '$', name.n);
    struct wk_buf text;
    wk_buf_init(&text, sh->mem, SIZE_MAX / 2);
    wk_buf_puts(&text, name);
    wk_buf_putc(&text, ' ');
    wk_buf_puts(&text, value);
    struct wk_parse_opts o;
    wk_run_parse_opts(sh, &o);
    o.flags |= WK_PARSE_FROM_ZERO;
    o.message = import_message;
    o.ctx = &(struct import){sh, name};
    o.stack_floor = sh->task->stack_floor;
    struct wk_parser *p = text.failed ? NULL : wk_parser_new(&o, wk_buf_str(&text));
    int r = p ? 0 : -WK_ENOMEM;
    struct wk_tree *tree = NULL;
    int parsed = p && allowed ? wk_parser_next(p, &tree) : 0;
    if (parsed == 1)
        defined = define_import(sh, name, tree, &r);
    sh->import_failed = parsed == -WK_ESYNTAX && wk_parser_place(p) >= WK_PARSE_IN_SUBST;
    wk_tree_unref(tree);
    wk_parser_free(p);
    wk_buf_release(&text);
    if (!defined && !sh->import_failed && r != -WK_ENOMEM)
        wk_sh_error(sh, "error importing function definition for `%.*s'", (int)name.n, name.p);
    return r == -WK_ENOMEM ? r : 0;
}

/* SHELLOPTS and BASHOPTS: the options that they name are on. */
static void import_options(struct wk_shell *sh, struct wk_str list, bool shopts)
{
    while (list.n) {
        ptrdiff_t colon = wk_str_chr(list, ':');
        struct wk_str name = colon < 0 ? list : wk_str_take(list, (size_t)colon);
        int at = shopts ? wk_shopt_find(name) : wk_set_option_find(name);
        if (at < 0 && !shopts)
            wk_sh_error(sh, "line 0: %.*s: invalid option name", (int)name.n, name.p);
        else if (at >= 0 && shopts)
            sh->st->shopts |= UINT64_C(1) << at;
        else if (at >= 0)
            sh->st->options |= UINT64_C(1) << at;
        if (colon < 0)
            return;
        list = wk_str_from(list, (size_t)colon + 1);
    }
}

/* A computed variable takes over what it can. */
static int import_computed(struct wk_shell *sh, struct wk_var *v, struct wk_str value)
{
    int64_t n;
    enum wk_special kind = wk_var_kind(v);
    if (kind == WK_SPECIAL_SHELLOPTS || kind == WK_SPECIAL_BASHOPTS) {
        if (!wk_opt(sh, PRIVILEGED))
            import_options(sh, value, kind == WK_SPECIAL_BASHOPTS);
    } else if (kind == WK_SPECIAL_SECONDS || kind == WK_SPECIAL_RANDOM) {
        int r = wk_special_assign(sh, v, wk_parse_i64(value, 10, &n) == 0 ? value : WK_STR("0"));
        if (r)
            return r == -WK_ENOMEM ? r : 0;
    } else if (kind == WK_SPECIAL_UNDERSCORE) { /* exported until the first command is done */
        int r = wk_special_assign(sh, v, value);
        if (r)
            return r;
    } else {
        return 0;
    }
    v->flags |= WK_VAR_EXPORT;
    return 0;
}

static int import_variable(struct wk_shell *sh, struct wk_str name, struct wk_str value)
{
    uint32_t id = wk_names_intern(sh->names, name);
    struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_own(sh, id);
    if (!v)
        return -WK_ENOMEM;
    if (v->flags & WK_VAR_DYNAMIC && !(v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC)))
        return import_computed(sh, v, value);
    if (v->flags &
        (WK_VAR_READONLY | WK_VAR_NOASSIGN | WK_VAR_ARRAY | WK_VAR_ASSOC | WK_VAR_DYNAMIC))
        return 0;
    if (wk_str_is(name, "IFS")) /* never taken over */
        return 0;
    int r = wk_var_set(sh, id, value);
    return r == -WK_ENOMEM ? r : r ? 0 : wk_var_attributes(sh, id, WK_VAR_EXPORT, 0);
}

static const char function_head[] = "BASH_FUNC_";

static bool is_function(struct wk_str name, struct wk_str value)
{
    return wk_str_starts(name, wk_str_c(function_head)) && wk_str_ends(name, WK_STR("%%")) &&
           wk_str_starts(value, WK_STR("() {"));
}

/* NAME=VALUE where NAME is neither a variable's nor a function's. */
static bool is_foreign(struct wk_str s)
{
    ptrdiff_t eq = wk_str_chr(s, '=');
    struct wk_str name = wk_str_take(s, eq > 0 ? (size_t)eq : 0);
    return name.n && !wk_str_is_name(name) && !is_function(name, wk_str_from(s, name.n + 1));
}

/* What is foreign is kept for the shell's own children. */
static int keep_foreign(struct wk_shell *sh, const struct wk_env *env)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < env->n; i++)
        n += is_foreign(wk_str_c(env->v[i]));
    if (WK_LIKELY(!n))
        return 0;
    struct wk_dirstack *d = wk_alloc(sh->mem, sizeof *d + n * sizeof d->v[0]);
    if (!d)
        return -WK_ENOMEM;
    *d = (struct wk_dirstack){.refs = 1, .cap = n};
    for (uint32_t i = 0; i < env->n; i++) {
        struct wk_str s = wk_str_c(env->v[i]);
        if (!is_foreign(s))
            continue;
        d->v[d->n] = wk_val_new(sh->mem, s);
        if (!d->v[d->n]) {
            wk_dirstack_unref(sh->mem, d);
            return -WK_ENOMEM;
        }
        d->n++;
    }
    wk_dirstack_unref(sh->mem, sh->st->foreign);
    sh->st->foreign = d;
    return 0;
}

int wk_vars_import(struct wk_shell *sh, const struct wk_env *env, bool functions)
{
    int r = keep_foreign(sh, env);
    sh->for_others = true;
    for (uint32_t i = 0; !r && i < env->n; i++) {
        struct wk_str s = wk_str_c(env->v[i]);
        ptrdiff_t eq = wk_str_chr(s, '=');
        if (eq <= 0)
            continue;
        struct wk_str name = wk_str_take(s, (size_t)eq), value = wk_str_from(s, (size_t)eq + 1);
        if (wk_str_is_name(name)) {
            r = import_variable(sh, name, value);
        } else if (functions && !sh->import_failed && is_function(name, value)) {
            struct wk_str fname = wk_str_from(name, sizeof function_head - 1);
            fname.n -= 2;
            r = import_function(sh, fname, value);
        }
    }
    sh->for_others = false;
    return r;
}
