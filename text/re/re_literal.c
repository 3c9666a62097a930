/* re_literal.c - text that every match must have: the whole, the beginning, or a part somewhere */
#include "text/re/re_priv.h"

/* The one character of a set node, or UINT32_MAX. Stray bytes do not count: as text they could be
 * found inside a character. */
static uint32_t only_char(const struct wk_re_tree *t, const struct wk_re_node *n)
{
    if (n->kind != WK_RE_SET)
        return UINT32_MAX;
    const struct wk_re_set *s = &t->sets[n->arg];
    bool one = s->n == 1 && s->r[0].lo == s->r[0].hi && !wk_utf8_is_bad(s->r[0].lo);
    return one ? s->r[0].lo : UINT32_MAX;
}

static void put_char(const struct wk_re_tree *t, struct wk_buf *b, uint32_t c)
{
    char out[6];
    if (!t->utf8) {
        wk_buf_putc(b, (char)(unsigned char)c);
        return;
    }
    wk_buf_put(b, out, wk_utf8_put(out, c));
}

struct finder {
    const struct wk_re_tree *t;
    struct wk_buf run, prefix, must;
    bool exact; /* everything so far was text alone */
    bool first; /* the run began at the start */
};

static void end_run(struct finder *f)
{
    if (f->run.n > f->must.n) {
        wk_buf_reset(&f->must);
        wk_buf_puts(&f->must, wk_buf_str(&f->run));
    }
    if (f->first && f->run.n)
        wk_buf_puts(&f->prefix, wk_buf_str(&f->run));
    f->first = false;
    wk_buf_reset(&f->run);
}

/* Looks along a sequence; groups are entered, everything else that is no text ends a run. */
static void look(struct finder *f, const struct wk_re_node *n)
{
    switch ((enum wk_re_kind)n->kind) {
    case WK_RE_SET: {
        uint32_t c = only_char(f->t, n);
        if (c == UINT32_MAX)
            break;
        put_char(f->t, &f->run, c);
        return;
    }
    case WK_RE_CAT:
        for (const struct wk_re_node *c = n->first; c; c = c->next)
            look(f, c);
        return;
    case WK_RE_GROUP:
        f->exact = false;
        look(f, n->first);
        return;
    case WK_RE_EMPTY:
        return;
    case WK_RE_ASSERT:
        /* takes no character, so text on both sides still adjoins */
        f->exact = false;
        return;
    case WK_RE_REPEAT:
        f->exact = false;
        if (n->min > 0) {
            uint32_t c = only_char(f->t, n->first);
            if (c != UINT32_MAX)
                put_char(f->t, &f->run, c);
        }
        end_run(f);
        return;
    case WK_RE_ALT:
    case WK_RE_BACKREF:
        break;
    }
    f->exact = false;
    end_run(f);
}

static bool keep(struct wk_re *re, const struct wk_buf *b, struct wk_str *out)
{
    char *p = wk_arena_strndup(&re->arena, wk_buf_c(b), b->n);
    *out = wk_str(p, p ? b->n : 0);
    return p != NULL;
}

int wk_re_find_literals(struct wk_re *re, const struct wk_re_tree *t)
{
    struct finder f = {.t = t, .exact = true, .first = true};
    wk_buf_init(&f.run, t->a->mem, SIZE_MAX / 2);
    wk_buf_init(&f.prefix, t->a->mem, SIZE_MAX / 2);
    wk_buf_init(&f.must, t->a->mem, SIZE_MAX / 2);
    look(&f, t->root);
    end_run(&f);
    bool ok = !f.run.failed && !f.prefix.failed && !f.must.failed;
    if (ok && f.exact)
        ok = keep(re, &f.prefix, &re->literal);
    if (ok && f.prefix.n)
        ok = keep(re, &f.prefix, &re->prefix);
    if (ok && f.must.n)
        ok = keep(re, &f.must, &re->must);
    wk_buf_release(&f.run);
    wk_buf_release(&f.prefix);
    wk_buf_release(&f.must);
    return ok ? 0 : -WK_ENOMEM;
}
