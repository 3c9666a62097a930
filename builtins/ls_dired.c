/* ls_dired.c - what ls says to programs: where names stand in its output, where they lead */
#include "builtins/ls.h"

/* ---- --dired ----------------------------------------------------------------------------------- */

void wk_ls_dired_indent(struct wk_ls *l)
{
    if (l->dired)
        wk_out_c(l->out, "  ");
}

void wk_ls_dired_mark(struct wk_ls *l, struct wk_buf *list)
{
    if (!list)
        return;
    l->written += l->out->n; /* what is held is less than its room: nothing left unseen */
    (void)wk_out_flush(l->out);
    wk_buf_fmt(list, " %llu", (unsigned long long)l->written);
    if (list->failed)
        wk_heap_exhausted(l->c->heap);
}

static void put_list(struct wk_ls *l, const char *name, struct wk_buf *list)
{
    if (!list->n)
        return;
    wk_out_c(l->out, name);
    wk_out_put(l->out, wk_buf_c(list), list->n);
    wk_out_char(l->out, '\n');
}

void wk_ls_dired_end(struct wk_ls *l)
{
    static const char *const names[] = {"literal", "shell", "shell-always", "shell-escape",
                                        "shell-escape-always", "c", "c-maybe", "escape", "locale", "clocale"};
    put_list(l, "//DIRED//", l->dired);
    put_list(l, "//SUBDIRED//", l->subdired);
    wk_out_fmt(l->out, "//DIRED-OPTIONS// --quoting-style=%s\n", names[l->quoting]);
}

void wk_ls_label(struct wk_ls *l, const char *path)
{
    const char *url = NULL;
    if (l->printed)
        wk_out_char(l->out, '\n');
    wk_ls_dired_indent(l);
    if (l->o->hyper)
        url = wk_ls_url(l, path);
    wk_buf_reset(l->text);
    bool quoted = wk_quoting_put(l->text, wk_str_c(path), l->quoting, l->o->hide_control,
                                 ":");
    struct wk_ls_file f = {.url = url};
    bool quotes = quoted && url && l->align;
    wk_ls_dired_mark(l, l->subdired);
    wk_ls_linked(l, &f, wk_buf_c(l->text) + quotes, l->text->n - 2 * (size_t)quotes, quotes);
    wk_ls_dired_mark(l, l->subdired);
    wk_out_c(l->out, ":\n");
}

/* ---- --hyperlink -------------------------------------------------------------------------------- */

const char *wk_ls_url(struct wk_ls *l, const char *path)
{
    struct wk_cmd *c = l->c;
    char *real;
    if (wk_at_realpath(c, path, WK_REALPATH_NONE, &real))
        return NULL;
    wk_buf_reset(l->text);
    wk_buf_fmt(l->text, "\033]8;;file://%s%s", c->k->hostname, *real == '/' ? "" : "/");
    for (const char *p = real; *p; p++) {
        if (wk_is_alnum(*p) || strchr("/-._~", *p))
            wk_buf_putc(l->text, *p);
        else
            wk_buf_fmt(l->text, "%%%02x", (unsigned)(unsigned char)*p);
    }
    wk_buf_putc(l->text, '\a');
    wk_heap_free(c->heap, real);
    char *copy = wk_arena_strndup(l->arena, wk_buf_c(l->text), l->text->n);
    if (!copy || l->text->failed)
        wk_heap_exhausted(c->heap);
    return copy;
}

void wk_ls_linked(struct wk_ls *l, const struct wk_ls_file *f, const char *text, size_t n, bool quotes)
{
    if (quotes)
        wk_out_char(l->out, text[-1]);
    if (f->url)
        wk_out_c(l->out, f->url);
    wk_out_put(l->out, text, n);
    if (f->url)
        wk_out_c(l->out, "\033]8;;\a");
    if (quotes)
        wk_out_char(l->out, text[n]);
}
