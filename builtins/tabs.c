/* tabs.c - lists of tab stops (expand, unexpand) */
#include "builtins/tabs.h"

#include "base/num.h"

/* Adds a number of a list; false after a message. */
static bool add_stop(struct wk_cmd *c, struct wk_tabs *t, uint64_t v, char mark)
{
    if (mark) {
        uint64_t *size = mark == '+' ? &t->step : &t->size;
        if (*size) {
            wk_msg(c, "'%c' specifier only allowed with the last value", mark);
            return false;
        }
        *size = v;
        return true;
    }
    if (t->n == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 8;
        t->v = (uint64_t *)wk_heap_realloc(c->heap, t->v, t->cap * sizeof *t->v);
    }
    t->v[t->n++] = v;
    return true;
}

static bool is_gap(char ch)
{
    return ch == ',' || ch == ' ' || ch == '\t';
}

/* A number and what stands around it up to the next gap; NULL when the rest is not to be looked at. */
static const char *add_item(struct wk_cmd *c, struct wk_tabs *t, const char *p, char *mark, bool *ok)
{
    uint64_t v = 0;
    bool any = false;
    for (; *p && !is_gap(*p); p++) {
        if (*p == '/' || *p == '+') {
            if (any) {
                wk_msg(c, "'%c' specifier not at start of number: %s", *p, wk_quote_arg(c, p));
                *ok = false;
            }
            *mark = *p;
        } else if (!wk_is_digit(*p)) {
            wk_msg(c, "tab size contains invalid character(s): %s", wk_quote_arg(c, p));
            *ok = false;
            return NULL;
        } else {
            int err;
            size_t n = wk_scan_u64(wk_str_c(p), 10, &v, &err);
            if (err) {
                wk_msg(c, "tab stop is too large %s", wk_quote_arg(c, wk_dupn(c, p, n)));
                *ok = false;
            }
            p += n - 1;
            any = true;
        }
    }
    if (any && (*p || *ok) && !add_stop(c, t, v, *mark)) {
        *ok = false;
        return NULL;
    }
    return p;
}

void wk_tabs_add(struct wk_cmd *c, struct wk_tabs *t, const char *text)
{
    char mark = '\0'; /* for all that follows in this list */
    bool ok = true;
    for (const char *p = text; p && *p;) {
        if (is_gap(*p))
            p++;
        else
            p = add_item(c, t, p, &mark, &ok);
    }
    if (!ok)
        wk_exit(c, 1);
}

void wk_tabs_done(struct wk_cmd *c, struct wk_tabs *t)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->v[i] == 0)
            wk_fail(c, 1, "tab size cannot be 0");
        if (i && t->v[i] <= t->v[i - 1])
            wk_fail(c, 1, "tab sizes must be ascending");
    }
    if (t->size && t->step)
        wk_fail(c, 1, "'/' specifier is mutually exclusive with '+'");
    if (t->step) {
        t->size = t->step;
        t->relative = true;
    }
    if (t->n == 0 && !t->size) {
        t->size = 8;
        t->relative = false;
    } else if (t->n == 1 && !t->size) {
        t->size = t->v[0];
        t->n = 0;
        t->relative = false;
    }
}

uint64_t wk_tabs_next(const struct wk_tabs *t, uint64_t column, size_t *at)
{
    while (*at < t->n && t->v[*at] <= column)
        ++*at;
    if (*at < t->n)
        return t->v[*at];
    if (!t->size)
        return 0;
    uint64_t base = t->relative && t->n ? t->v[t->n - 1] : 0;
    uint64_t next = column + (t->size - (column - base) % t->size);
    return next > column ? next : 0;
}
