/* dc_value.c - dc's values, stack, registers and output */
#include "builtins/dc.h"

#include <stdarg.h>

struct dc_text *wk_dc_text_new(struct dc *d, const char *p, size_t n)
{
    struct dc_text *t = (struct dc_text *)wk_heap_alloc(d->c->heap, sizeof *t + n + 1);
    t->refs = 1;
    t->n = n;
    if (n)
        memcpy(t->p, p, n);
    t->p[n] = '\0';
    return t;
}

struct dc_value wk_dc_ref(struct dc_value v)
{
    if (v.number)
        v.number->refs++;
    if (v.text)
        v.text->refs++;
    return v;
}

void wk_dc_drop(struct dc *d, struct dc_value v)
{
    wk_dec_unref(d->c, v.number);
    if (v.text && --v.text->refs == 0)
        wk_heap_free(d->c->heap, v.text);
}

void wk_dc_push(struct dc *d, struct dc_value v)
{
    DC_ROOM(d, d->stack, d->n, d->cap);
    d->stack[d->n++] = v;
}

void wk_dc_push_number(struct dc *d, struct wk_dec *x)
{
    wk_dc_push(d, (struct dc_value){.number = x});
}

void wk_dc_push_int(struct dc *d, int64_t v)
{
    wk_dc_push_number(d, wk_dec_int(d->c, v));
}

bool wk_dc_pop(struct dc *d, struct dc_value *v)
{
    if (!d->n) {
        wk_dc_say(d, "dc: stack empty");
        return false;
    }
    *v = d->stack[--d->n];
    return true;
}

void wk_dc_say(struct dc *d, const char *fmt, ...)
{
    struct wk_buf t;
    va_list args;
    wk_buf_init(&t, wk_heap_mem(d->c->heap), SIZE_MAX / 2);
    va_start(args, fmt);
    wk_buf_vfmt(&t, fmt, args);
    va_end(args);
    wk_buf_putc(&t, '\n');
    char *text = wk_keep(d->c, &t);
    wk_out_c(d->c->err, text);
    wk_heap_free(d->c->heap, text);
}

static void put_digit(void *ctx, char ch)
{
    struct dc *d = (struct dc *)ctx;
    if (d->width && d->column + 1 >= d->width) {
        wk_out_put(d->c->out, "\\\n", 2);
        d->column = 0;
    }
    d->column++;
    wk_out_char(d->c->out, ch);
}

void wk_dc_print(struct dc *d, struct dc_value v, bool newline)
{
    if (v.text) {
        wk_out_put(d->c->out, v.text->p, v.text->n);
    } else {
        d->column = 0;
        wk_dec_write(d->c, v.number, d->obase, false, put_digit, d);
    }
    if (newline)
        wk_out_char(d->c->out, '\n');
    wk_out_flush(d->c->out);
}

/* ---- registers ----------------------------------------------------------------------------------------- */

struct dc_level *wk_dc_level_push(struct dc *d, unsigned char name)
{
    struct dc_register *r = &d->reg[name];
    DC_ROOM(d, r->v, r->n, r->cap);
    r->v[r->n] = (struct dc_level){0};
    return &r->v[r->n++];
}

struct dc_level *wk_dc_level_of(struct dc *d, unsigned char name, bool make)
{
    struct dc_register *r = &d->reg[name];
    if (r->n)
        return &r->v[r->n - 1];
    return make ? wk_dc_level_push(d, name) : NULL;
}

bool wk_dc_level_pop(struct dc *d, unsigned char name, struct dc_value *v)
{
    struct dc_level *l = wk_dc_level_of(d, name, false);
    if (!l || (!l->value.number && !l->value.text))
        return false;
    *v = l->value;
    for (size_t i = 0; i < l->n; i++)
        wk_dc_drop(d, l->v[i].value);
    wk_heap_free(d->c->heap, l->v);
    d->reg[name].n--;
    return true;
}

/* Where the element is, or would be. */
static size_t find(const struct dc_level *l, int64_t at)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (l->v[mid].at < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void wk_dc_array_set(struct dc *d, struct dc_level *l, int64_t at, struct dc_value v)
{
    size_t i = find(l, at);
    if (i == l->n || l->v[i].at != at) {
        DC_ROOM(d, l->v, l->n, l->cap);
        memmove(l->v + i + 1, l->v + i, (l->n - i) * sizeof *l->v);
        wk_tick(d->c, (uint32_t)WK_MIN((l->n - i) / 4 + 1, (size_t)1 << 24));
        l->n++;
        l->v[i] = (struct dc_element){.at = at};
    }
    wk_dc_drop(d, l->v[i].value);
    l->v[i].value = v;
}

struct dc_value wk_dc_array_get(const struct dc_level *l, int64_t at)
{
    size_t i = l ? find(l, at) : 0;
    return l && i < l->n && l->v[i].at == at ? l->v[i].value : (struct dc_value){0};
}
