/* tokens.c - words between blanks, tabs and newlines of a stream of any length */
#include "builtins/tokens.h"

#include "builtins/fsops.h"

static bool is_between(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\n';
}

/* More bytes, when all at hand were looked at. */
static bool more(struct wk_tokens *t)
{
    int err;
    if (t->left_n)
        return true;
    if (t->taken)
        wk_file_skip(t->in->file, t->taken);
    t->left_n = t->taken = wk_raw_next(t->c, t->in, &t->left, &err);
    return t->left_n > 0;
}

static void append(struct wk_tokens *t, const char *p, size_t n)
{
    if (t->cap - t->n <= n) {
        size_t cap = (t->n + n) * 2 + 64;
        t->p = (char *)wk_heap_realloc(t->c->heap, t->p, cap);
        t->cap = cap;
    }
    memcpy(t->p + t->n, p, n);
    t->n += n;
    t->p[t->n] = '\0';
}

bool wk_token_next(struct wk_tokens *t, struct wk_str *word)
{
    bool begun = false;
    t->n = 0;
    while (more(t)) {
        size_t n = 0;
        while (n < t->left_n && is_between(t->left[n]) == !begun)
            n++;
        if (begun)
            append(t, t->left, n);
        wk_tick(t->c, (uint32_t)(n / 64) + 1);
        t->left += n;
        t->left_n -= n;
        if (t->left_n && begun)
            break;
        begun = begun || t->left_n;
    }
    *word = wk_str(t->p, begun ? strlen(t->p) : 0);
    return begun;
}
