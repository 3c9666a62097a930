/* declare_show.c - variables and functions as declare, export, readonly and set list them */
#include "builtins/shell/declaration.h"

#include "base/sort.h"
#include "interp/quote.h"
#include "interp/run.h"
#include "interp/vars_special.h"
#include "text/printfmt/printfmt.h"

enum { ARRAY_BITS = WK_VAR_ARRAY | WK_VAR_ASSOC };

/* A variable that has a value only once it is asked for: lists show none. */
static bool only_on_demand(const struct wk_var *v)
{
    enum wk_special kind = v->flags & WK_VAR_DYNAMIC ? wk_var_kind(v) : WK_SPECIAL_NONE;
    return kind == WK_SPECIAL_ARGC || kind == WK_SPECIAL_DIRSTACK || kind == WK_SPECIAL_GROUPS ||
           (kind != WK_SPECIAL_NONE && !(v->flags & ARRAY_BITS) && kind != WK_SPECIAL_SHELLOPTS &&
            kind != WK_SPECIAL_BASHOPTS && kind != WK_SPECIAL_UNDERSCORE);
}

/* "declare -i RANDOM", "declare -a GROUPS=()" */
static void put_on_demand(struct wk_shell *sh, uint32_t id, const struct wk_var *v,
                          struct wk_buf *b)
{
    char letters[16];
    size_t n = wk_var_attribute_letters(v, letters);
    wk_buf_fmt(b, "declare -%.*s %s%s", n ? (int)n : 1, n ? letters : "-",
               wk_names_str(sh->names, id).p, v->flags & ARRAY_BITS ? "=()" : "");
    int64_t last;
    if (wk_special_last(sh, v, &last))
        wk_buf_fmt(b, "=\"%lld\"", (long long)last);
}

int wk_list_declarations(struct wk_shell *sh, const char *word, uint32_t flags, struct wk_buf *b)
{
    uint32_t *names;
    size_t n;
    int r = wk_vars_names(sh, wk_str(NULL, 0), true, &names, &n);
    /* Of the kind of array, with any of the other attributes. */
    uint32_t kind = flags & ARRAY_BITS, any = flags & ~kind;
    for (size_t i = 0; !r && i < n; i++) {
        const struct wk_var *v = wk_var_peek(sh, names[i]);
        if (!v || (v->flags & kind) != kind || (any && !(v->flags & any)))
            continue;
        if (only_on_demand(v) && !word)
            put_on_demand(sh, names[i], v, b);
        else
            r = wk_var_print_declare_as(sh, names[i], word, b);
        wk_buf_putc(b, '\n');
    }
    return b->failed ? -WK_ENOMEM : r;
}

static int put_assignment(struct wk_shell *sh, uint32_t id, struct wk_buf *b)
{
    const struct wk_var *v = wk_var_peek(sh, id);
    int64_t last;
    if (!v || !(v->flags & (WK_VAR_SET | WK_VAR_DYNAMIC)))
        return 0;
    if (wk_special_last(sh, v, &last)) {
        wk_buf_fmt(b, "%s=%lld\n", wk_names_str(sh->names, id).p, (long long)last);
        return 0;
    }
    if (v->flags & WK_VAR_DYNAMIC && wk_var_kind(v) == WK_SPECIAL_PIPESTATUS && !sh->pipestatus_n)
        return 0; /* before the first command */
    bool empty = only_on_demand(v);
    if (empty && v->flags & ARRAY_BITS)
        wk_buf_fmt(b, "%s=()\n", wk_names_str(sh->names, id).p);
    if (empty || (wk_var_kind(v) == WK_SPECIAL_FUNCNAME && !wk_var_is_set(sh, id)))
        return 0;
    if (v->flags & ARRAY_BITS) {
        wk_buf_puts(b, wk_names_str(sh->names, id));
        wk_buf_putc(b, '=');
        int r = wk_var_print_elements(sh, id, b);
        wk_buf_putc(b, '\n');
        return r;
    }
    char scratch[24];
    struct wk_str value;
    if (v->flags & WK_VAR_NAMEREF && v->text)
        value = wk_val_str(v->text);
    else if (v->flags & WK_VAR_NAMEREF || !wk_var_get(sh, id, scratch, &value))
        return 0;
    wk_buf_puts(b, wk_names_str(sh->names, id));
    wk_buf_putc(b, '=');
    size_t start = b->n;
    if (value.n && wk_opt(sh, POSIX))
        wk_quote_text(b, value, WK_QUOTE_TRACE); /* quoted only for what a shell would take itself */
    else if (value.n)
        wk_quote_if_needed(b, value, sh->st->bytes);
    if (wk_opt(sh, POSIX) && b->n > start && b->p[start] == '$') { /* posix mode knows no $'…' */
        b->n = start;
        wk_buf_puts(b, value);
    }
    wk_buf_putc(b, '\n');
    return 0;
}

int wk_list_assignments(struct wk_shell *sh, struct wk_buf *b)
{
    uint32_t *names;
    size_t n;
    int r = wk_vars_names(sh, wk_str(NULL, 0), false, &names, &n);
    for (size_t i = 0; !r && i < n; i++)
        r = put_assignment(sh, names[i], b);
    return b->failed ? -WK_ENOMEM : r;
}

int wk_print_function_def(struct wk_shell *sh, const struct wk_func *f, struct wk_buf *b)
{
    const struct wk_node_function *def = wk_as_function(f->def);
    int r = wk_print_function(b, wk_names_str(sh->names, f->name), def->body, wk_opt(sh, POSIX));
    wk_buf_putc(b, '\n');
    return b->failed ? -WK_ENOMEM : r;
}

static void put_function_line(struct wk_shell *sh, const struct wk_func *f, const char *word,
                              struct wk_buf *b)
{
    wk_buf_fmt(b, "%s -f", word ? word : "declare");
    if (word) {
        wk_buf_fmt(b, " %s\n", wk_names_str(sh->names, f->name).p);
        return;
    }
    const struct wk_var marks = {.flags = f->flags};
    char letters[16];
    wk_buf_put(b, letters, wk_var_attribute_letters(&marks, letters));
    wk_buf_putc(b, ' ');
    wk_buf_puts(b, wk_names_str(sh->names, f->name));
    wk_buf_putc(b, '\n');
}

static int by_name(void *ctx, const void *a, const void *b)
{
    const struct wk_func *const *x = a, *const *y = b;
    struct wk_names *names = ctx;
    return wk_names_order(wk_names_str(names, (*x)->name), wk_names_str(names, (*y)->name));
}

int wk_list_functions(struct wk_shell *sh, enum wk_list_kind kind, const char *word, uint32_t flags,
                      struct wk_buf *b)
{
    size_t n = 0, cap = (size_t)sh->st->nfuncs * WK_PAGE_SLOTS;
    const struct wk_func **v = wk_arena_alloc(&sh->arena, (cap + 1) * sizeof *v);
    if (!v)
        return -WK_ENOMEM;
    for (uint32_t p = 0; p < sh->st->nfuncs; p++)
        for (uint32_t i = 0; sh->st->funcs[p] && i < WK_PAGE_SLOTS; i++) {
            const struct wk_func *f = sh->st->funcs[p]->slots[i];
            if (f && (f->flags & flags) == flags)
                v[n++] = f;
        }
    const struct wk_sort order = {.cmp = by_name, .ctx = sh->names};
    int r = wk_sort(sh->mem, v, n, sizeof *v, &order);
    for (size_t i = 0; !r && i < n; i++) {
        bool marked = v[i]->flags;
        if (kind != WK_LIST_NAMES && !word)
            r = wk_print_function_def(sh, v[i], b);
        if (kind == WK_LIST_NAMES || (kind == WK_LIST_DECLARATIONS && marked))
            put_function_line(sh, v[i], word, b);
    }
    return b->failed ? -WK_ENOMEM : r;
}
