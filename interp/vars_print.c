/* vars_print.c - variables as declare -p shows them, lists of names */
#include "base/sort.h"
#include "base/utf8.h"
#include "interp/expand.h"
#include "interp/vars_array.h"
#include "interp/vars_special.h"

size_t wk_var_attribute_letters(const struct wk_var *v, char *out)
{
    static const struct {
        uint32_t flag;
        char letter;
    } letters[] = {{WK_VAR_ARRAY, 'a'},   {WK_VAR_ASSOC, 'A'},    {WK_VAR_INTEGER, 'i'},
                   {WK_VAR_NAMEREF, 'n'}, {WK_VAR_READONLY, 'r'}, {WK_VAR_TRACE, 't'},
                   {WK_VAR_EXPORT, 'x'},  {WK_VAR_CAPITAL, 'c'},  {WK_VAR_LOWER, 'l'},
                   {WK_VAR_UPPER, 'u'}};
    size_t n = 0;
    for (size_t i = 0; i < WK_COUNTOF(letters); i++)
        if (v->flags & letters[i].flag)
            out[n++] = letters[i].letter;
    return n;
}

/* Keys stand bare unless a shell would do something with their characters. */
static bool key_is_plain(struct wk_str key, bool bytes)
{
    if ((key.n == 1 && key.p[0] == '@') || !wk_printable(key, bytes))
        return false;
    for (size_t i = 0; i < key.n; i++) {
        unsigned char c = (unsigned char)key.p[i];
        if (c < 0x20 || c == 0x7f || memchr(" \t\n'\"\\|&;()<>!{}*[?]^$`", c, 23))
            return false;
        if (i == 0 && (c == '#' || c == '~'))
            return false;
        if (c == '~' && (key.p[i - 1] == ':' || key.p[i - 1] == '='))
            return false;
    }
    return true;
}

void wk_var_put_key(struct wk_buf *out, struct wk_str key, bool bytes)
{
    if (key_is_plain(key, bytes))
        wk_buf_puts(out, key);
    else
        wk_quote_double(out, key, bytes);
}

int wk_var_print_elements(struct wk_shell *sh, uint32_t name, struct wk_buf *out)
{
    struct wk_elem_iter it;
    int r = wk_elem_iter_init(sh, name, &it);
    if (r)
        return r;
    wk_buf_putc(out, '(');
    bool first = true;
    while (wk_elem_iter_next(sh, &it)) {
        if (!first && !it.assoc)
            wk_buf_putc(out, ' ');
        first = false;
        wk_buf_putc(out, '[');
        struct wk_str key = wk_elem_iter_key(&it);
        if (it.assoc)
            wk_var_put_key(out, key, sh->st->bytes);
        else
            wk_buf_puts(out, key);
        wk_buf_put_c(out, "]=");
        wk_quote_double(out, it.value, sh->st->bytes);
        if (it.assoc)
            wk_buf_putc(out, ' ');
    }
    wk_elem_iter_release(sh, &it);
    wk_buf_putc(out, ')');
    return 0;
}

/* "declare -ax ", or "export -a " where only the kinds of arrays show. */
static void put_declaring_word(const struct wk_var *v, const char *word, struct wk_buf *out)
{
    char letters[16];
    size_t n = v ? wk_var_attribute_letters(v, letters) : 0;
    wk_buf_put_c(out, word ? word : "declare");
    if (word) {
        if (v && v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC))
            wk_buf_put_c(out, v->flags & WK_VAR_ARRAY ? " -a" : " -A");
    } else {
        wk_buf_put_c(out, " -");
        wk_buf_put(out, n ? letters : "-", n ? n : 1);
    }
    wk_buf_putc(out, ' ');
}

int wk_var_print_declare(struct wk_shell *sh, uint32_t name, struct wk_buf *out)
{
    return wk_var_print_declare_as(sh, name, NULL, out);
}

int wk_var_print_declare_as(struct wk_shell *sh, uint32_t name, const char *word, struct wk_buf *out)
{
    if (wk_var_peek(sh, name) && wk_var_peek(sh, name)->flags & WK_VAR_DYNAMIC &&
        wk_var_peek(sh, name)->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC)) {
        int r = wk_special_refresh(sh, name);
        if (r)
            return r;
    }
    wk_special_look(sh, wk_var_peek(sh, name), 1);
    const struct wk_var *v = wk_var_peek(sh, name);
    char scratch[24];
    put_declaring_word(v, word, out);
    wk_buf_puts(out, wk_names_str(sh->names, name));
    if (!v || !(v->flags & WK_VAR_SET))
        return out->failed ? -WK_ENOMEM : 0;
    wk_buf_putc(out, '=');
    if (v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC)) {
        int r = wk_var_print_elements(sh, name, out);
        return out->failed ? -WK_ENOMEM : r;
    }
    struct wk_str value = {"", 0};
    int64_t last;
    if (wk_special_number(v) && wk_special_last(sh, v, &last))
        value = wk_str(scratch, wk_i64_text(last, scratch));
    else if (v->flags & WK_VAR_NAMEREF)
        value = v->text ? wk_val_str(v->text) : value;
    else
        (void)wk_var_get(sh, name, scratch, &value);
    wk_quote_double(out, value, sh->st->bytes);
    return out->failed ? -WK_ENOMEM : 0;
}

static int by_name(void *ctx, const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return wk_str_cmp(wk_names_str(ctx, *x), wk_names_str(ctx, *y));
}

int wk_vars_names(struct wk_shell *sh, struct wk_str prefix, bool declared_too, uint32_t **out,
                  size_t *n)
{
    const struct wk_state *st = sh->st;
    uint32_t mask = WK_VAR_SET | WK_VAR_DYNAMIC | (declared_too ? WK_VAR_DECLARED : 0);
    size_t cap = (size_t)st->npages * WK_PAGE_SLOTS;
    uint32_t *names = wk_arena_alloc(&sh->arena, (cap + 1) * sizeof *names);
    *out = names;
    *n = 0;
    if (!names)
        return -WK_ENOMEM;
    for (uint32_t p = 0; p < st->npages; p++) {
        for (uint32_t i = 0; st->pages[p] && i < WK_PAGE_SLOTS; i++) {
            const struct wk_var *v = &st->pages[p]->slots[i];
            uint32_t id = p * WK_PAGE_SLOTS + i;
            if (v->flags & mask && wk_str_starts(wk_names_str(sh->names, id), prefix))
                names[(*n)++] = id;
        }
    }
    const struct wk_sort how = {.cmp = by_name, .ctx = sh->names};
    return wk_sort(sh->mem, names, *n, sizeof *names, &how);
}
