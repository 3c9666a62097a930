/* state.c - forking and releasing what a subshell inherits */
#include "interp/state.h"

#include "interp/run.h"
#include "interp/vars_array.h"

/* ---- slots ---------------------------------------------------------------------------------- */

void wk_var_release(struct wk_mem *m, struct wk_var *v)
{
    if (v->flags & WK_VAR_ARRAY)
        wk_array_unref(m, v->array);
    else if (v->flags & WK_VAR_ASSOC)
        wk_assoc_unref(m, v->assoc);
    else
        wk_val_unref(m, v->text);
    *v = (struct wk_var){0};
}

struct wk_var wk_var_share(const struct wk_var *v)
{
    /* All three kinds of value begin with their count. */
    if (v->text)
        ++*(uint32_t *)(void *)v->text;
    return *v;
}

static void page_unref(struct wk_mem *m, struct wk_var_page *p)
{
    if (!p || --p->refs)
        return;
    for (uint32_t i = 0; i < WK_PAGE_SLOTS; i++) {
        if (p->slots[i].text)
            wk_var_release(m, &p->slots[i]);
    }
    wk_free(m, p);
}

static void func_page_unref(struct wk_mem *m, struct wk_func_page *p)
{
    if (!p || --p->refs)
        return;
    for (uint32_t i = 0; i < WK_PAGE_SLOTS; i++) {
        if (p->slots[i])
            wk_func_unref(m, p->slots[i]);
    }
    wk_free(m, p);
}

/* Room for page number `page` in a table; new entries are NULL. */
static bool table_reach(struct wk_mem *m, void *table, uint32_t *n, uint32_t page)
{
    if (page < *n)
        return true;
    uint32_t want = page + 1 > *n + *n / 2 ? page + 1 : *n + *n / 2;
    void *old;
    memcpy(&old, table, sizeof old);
    void **grown = wk_realloc(m, old, want * sizeof(void *));
    if (!grown)
        return false;
    memset(grown + *n, 0, (want - *n) * sizeof(void *));
    memcpy(table, &grown, sizeof grown);
    *n = want;
    return true;
}

struct wk_var_page *wk_state_own_page(struct wk_state *s, struct wk_mem *m, uint32_t page)
{
    if (!table_reach(m, &s->pages, &s->npages, page))
        return NULL;
    struct wk_var_page *old = s->pages[page];
    if (old && old->refs == 1)
        return old;
    struct wk_var_page *p = wk_alloc(m, sizeof *p);
    if (!p)
        return NULL;
    p->refs = 1;
    if (old) {
        for (uint32_t i = 0; i < WK_PAGE_SLOTS; i++)
            p->slots[i] = wk_var_share(&old->slots[i]);
        old->refs--;
    } else {
        memset(p->slots, 0, sizeof p->slots);
    }
    s->pages[page] = p;
    return p;
}

struct wk_func_page *wk_state_own_func_page(struct wk_state *s, struct wk_mem *m, uint32_t page)
{
    if (!table_reach(m, &s->funcs, &s->nfuncs, page))
        return NULL;
    struct wk_func_page *old = s->funcs[page];
    if (old && old->refs == 1)
        return old;
    struct wk_func_page *p = WK_NEW(m, struct wk_func_page);
    if (!p)
        return NULL;
    p->refs = 1;
    if (old) {
        for (uint32_t i = 0; i < WK_PAGE_SLOTS; i++) {
            p->slots[i] = old->slots[i];
            if (p->slots[i])
                p->slots[i]->refs++;
        }
        old->refs--;
    }
    s->funcs[page] = p;
    return p;
}

/* ---- the saved stack ------------------------------------------------------------------------ */

static void saved_unref(struct wk_mem *m, struct wk_saved_stack *s)
{
    if (!s || --s->refs)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        wk_var_release(m, &s->v[i].var);
    wk_free(m, s);
}

/* A stack of one's own with room for one more and nothing above saved_n. */
static bool own_saved(struct wk_state *s, struct wk_mem *m)
{
    struct wk_saved_stack *old = s->saved;
    if (old && old->refs == 1) {
        while (old->n > s->saved_n)
            wk_var_release(m, &old->v[--old->n].var);
        if (old->n < old->cap)
            return true;
    }
    if (s->saved_n >= UINT32_MAX / 2)
        return false;
    uint32_t cap = s->saved_n < 8 ? 16 : s->saved_n * 2;
    size_t bytes = sizeof *old + (size_t)cap * sizeof old->v[0];
    struct wk_saved_stack *fresh;
    if (old && old->refs == 1) {
        fresh = wk_realloc(m, old, bytes);
        if (!fresh)
            return false;
    } else {
        fresh = wk_alloc(m, bytes);
        if (!fresh)
            return false;
        fresh->refs = 1;
        fresh->n = s->saved_n;
        for (uint32_t i = 0; i < s->saved_n; i++) {
            fresh->v[i] = old->v[i];
            fresh->v[i].var = wk_var_share(&old->v[i].var);
        }
        if (old)
            old->refs--;
    }
    fresh->cap = cap;
    s->saved = fresh;
    return true;
}

int wk_state_save(struct wk_state *s, struct wk_mem *m, uint32_t name, uint32_t level,
                  struct wk_var *v)
{
    struct wk_saved_stack *t = s->saved;
    if (WK_UNLIKELY(!t || t->refs > 1 || t->n != s->saved_n || t->n == t->cap)) {
        if (!own_saved(s, m))
            return -WK_ENOMEM;
        t = s->saved;
    }
    t->v[t->n++] = (struct wk_saved){.name = name, .level = level, .var = *v};
    s->saved_n = t->n;
    *v = (struct wk_var){0};
    return 0;
}

/* ---- fork and release ------------------------------------------------------------------------ */

static void count(void *part)
{
    if (part)
        ++*(uint32_t *)part;
}

int wk_state_fork(struct wk_state *child, struct wk_state *parent, struct wk_mem *m)
{
    size_t np = parent->npages, nf = parent->nfuncs;
    struct wk_var_page **pages = NULL;
    struct wk_func_page **funcs = NULL;
    if (np && !(pages = wk_alloc(m, np * sizeof *pages)))
        return -WK_ENOMEM;
    if (nf && !(funcs = wk_alloc(m, nf * sizeof *funcs))) {
        wk_free(m, pages);
        return -WK_ENOMEM;
    }
    *child = *parent;
    child->pages = pages;
    child->funcs = funcs;
    for (size_t i = 0; i < np; i++) {
        pages[i] = parent->pages[i];
        if (pages[i])
            pages[i]->refs++;
    }
    for (size_t i = 0; i < nf; i++) {
        funcs[i] = parent->funcs[i];
        if (funcs[i])
            funcs[i]->refs++;
    }
    count(child->saved);
    count(child->traps);
    count(child->aliases);
    count(child->hashed);
    count(child->dirs);
    count(child->foreign);
    count(child->history);
    count(child->completions);
    count(child->bindings);
    count(child->params.block);
    count(child->base_args);
    count(child->arg0);
    count(child->cwd);
    count(child->glob_ignore);
    count(child->exec_ignore);
    if (child->env_cache)
        wk_env_ref(child->env_cache);
    return 0;
}

void wk_dirstack_unref(struct wk_mem *m, struct wk_dirstack *d)
{
    if (!d || --d->refs)
        return;
    for (uint32_t i = 0; i < d->n; i++)
        wk_val_unref(m, d->v[i]);
    wk_free(m, d);
}

void wk_state_release(struct wk_state *s, struct wk_mem *m)
{
    for (uint32_t i = 0; i < s->npages; i++)
        page_unref(m, s->pages[i]);
    for (uint32_t i = 0; i < s->nfuncs; i++)
        func_page_unref(m, s->funcs[i]);
    wk_free(m, s->pages);
    wk_free(m, s->funcs);
    saved_unref(m, s->saved);
    wk_traps_unref(m, s->traps);
    wk_assoc_unref(m, s->aliases);
    wk_hashed_unref(m, s->hashed);
    wk_dirstack_unref(m, s->dirs);
    wk_dirstack_unref(m, s->foreign);
    wk_history_unref(m, s->history);
    wk_dirstack_unref(m, s->completions);
    wk_dirstack_unref(m, s->bindings);
    wk_param_block_unref(m, s->params.block);
    wk_param_block_unref(m, s->base_args);
    wk_val_unref(m, s->arg0);
    wk_val_unref(m, s->cwd);
    wk_val_unref(m, s->glob_ignore);
    wk_val_unref(m, s->exec_ignore);
    if (s->env_cache)
        wk_env_unref(s->env_cache);
    *s = (struct wk_state){0};
}
