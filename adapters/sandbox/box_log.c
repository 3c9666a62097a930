/* box_log.c - reading what a logged process wrote */
#include "adapters/sandbox/box_log.h"

static void release(struct wk_box_call *call)
{
    wk_buf_release(&((struct wk_box_log *)(void *)call)->data);
}

static void on_log(void *ctx, int code, uint64_t offset, uint64_t lost, int ended, const void *p, size_t n)
{
    struct wk_box_log *l = ctx;
    if (!code && !l->call.left) {
        l->offset = offset;
        l->lost = lost;
        l->ended = ended;
        wk_buf_put(&l->data, p, n);
        if (l->data.failed)
            code = l->data.over ? WHELK_E_IO : WHELK_E_NOMEM;
    }
    wk_sandbox_call_answered(&l->call, code);
}

struct wk_box_log *wk_box_log_ask(struct wk_box_process *p, int stream, uint64_t offset, size_t most, bool wait,
                                  int *code)
{
    struct whelk_sandbox *b = p->b;
    struct wk_box_log *l = wk_sandbox_call_new(b, sizeof *l);
    *code = WHELK_E_NOMEM;
    if (!l)
        return NULL;
    wk_buf_init(&l->data, b->mem, most);
    l->call.release = release;
    l->call.open = 1;
    *code = b->kind->log(b->box, p->id, stream, offset, most, wait, on_log, l);
    if (*code == WHELK_OK)
        return l;
    l->call.open = 0;
    wk_box_log_leave(l);
    return NULL;
}

void wk_box_log_leave(struct wk_box_log *l)
{
    if (l)
        wk_sandbox_call_leave(&l->call);
}
