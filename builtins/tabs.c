/* tabs.c - lists of tab stops (expand, unexpand) */
#include "builtins/tabs.h"

#include "base/num.h"

static void add_stop(struct wk_cmd *c, struct wk_tabs *t, uint64_t v, char mark)
{
    if (mark) {
        if (t->size && t->relative != (mark == '+'))
            wk_fail(c, 1, "'/' specifier is mutually exclusive with '+'");
        if (t->size)
            wk_fail(c, 1, "'%c' specifier only allowed with the last value", mark);
        t->size = v;
        t->relative = mark == '+';
        return;
    }
    if (t->n == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 8;
        t->v = (uint64_t *)wk_heap_realloc(c->heap, t->v, t->cap * sizeof *t->v);
    }
    t->v[t->n++] = v;
}

void wk_tabs_add(struct wk_cmd *c, struct wk_tabs *t, const char *text)
{
    char mark = '\0'; /* for all that follows in this list */
    for (const char *p = text; *p;) {
        if (*p == ',' || *p == ' ' || *p == '\t') {
            p++;
            continue;
        }
        if (*p == '/' || *p == '+')
            mark = *p++;
        uint64_t v = 0;
        int err = 0;
        size_t n = wk_is_digit(*p) ? wk_scan_u64(wk_str_c(p), 10, &v, &err) : 0;
        if (err)
            wk_fail(c, 1, "tab stop is too large %s", wk_quote_arg(c, wk_dupn(c, p, n)));
        p += n;
        if (n && (*p == '/' || *p == '+'))
            wk_fail(c, 1, "'%c' specifier not at start of number: %s", *p, wk_quote_arg(c, p));
        if (*p && *p != ',' && *p != ' ' && *p != '\t')
            wk_fail(c, 1, "tab size contains invalid character(s): %s", wk_quote_arg(c, p));
        if (n)
            add_stop(c, t, v, mark);
    }
}

void wk_tabs_done(struct wk_cmd *c, struct wk_tabs *t)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->v[i] == 0)
            wk_fail(c, 1, "tab size cannot be 0");
        if (i && t->v[i] <= t->v[i - 1])
            wk_fail(c, 1, "tab sizes must be ascending");
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
