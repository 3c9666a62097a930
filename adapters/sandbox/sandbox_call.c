/* sandbox_call.c - what a kind was asked and may answer late */
#include "adapters/sandbox/sandbox_call.h"

void *wk_sandbox_call_new(struct whelk_sandbox *b, size_t size)
{
    struct wk_box_call *c = wk_zalloc(b->mem, size);
    if (!c)
        return NULL;
    c->b = b;
    c->next = b->calls;
    c->at = &b->calls;
    if (c->next)
        c->next->at = &c->next;
    b->calls = c;
    return c;
}

static void free_call(struct wk_box_call *c)
{
    *c->at = c->next;
    if (c->next)
        c->next->at = c->at;
    if (c->release)
        c->release(c);
    wk_free(c->b->mem, c);
}

void wk_sandbox_call_leave(struct wk_box_call *c)
{
    if (!c)
        return;
    c->left = true;
    if (!c->open)
        free_call(c);
}

void wk_sandbox_call_answered(struct wk_box_call *c, int code)
{
    c->code = code;
    if (c->open)
        c->open--;
    if (!c->open && c->left)
        free_call(c);
}

void wk_sandbox_call_done(void *ctx, int code)
{
    wk_sandbox_call_answered(ctx, code);
}

bool wk_sandbox_call_is_done(void *ctx)
{
    const struct wk_box_call *c = ctx;
    return c->open == 0;
}

void wk_sandbox_drop_calls(struct whelk_sandbox *b)
{
    while (b->calls)
        free_call(b->calls);
}
