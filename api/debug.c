/* debug.c - the debug hook: told before each command, may pause or cancel the run */
#include "api/internal.h"
#include "interp/parser.h"

int whelk_debug_hook(whelk_session *s, int (*hook)(void *ctx, const whelk_location *where),
                     void *ctx)
{
    if (!s)
        return WHELK_E_INVALID;
    s->debug = hook;
    s->debug_ctx = ctx;
    s->hooks.before_command = hook ? wk_api_before_command : NULL;
    return WHELK_OK;
}

/* The hook runs on the host's stack; PAUSE leaves the request open until whelk_debug_resume. */
struct pause {
    struct wk_hostreq req;
    whelk_session *s;
    whelk_location where;
    int answer;
};

static void ask_host(struct wk_hostreq *r)
{
    struct pause *p = WK_CONTAINER_OF(r, struct pause, req);
    whelk_session *s = p->s;
    s->callback_depth++;
    p->answer = s->debug ? s->debug(s->debug_ctx, &p->where) : WHELK_DEBUG_GO;
    s->callback_depth--;
    if (p->answer == WHELK_DEBUG_PAUSE)
        s->paused = r;
    else
        r->done = true;
}

int whelk_debug_resume(whelk_session *s)
{
    if (!s)
        return WHELK_E_INVALID;
    if (!s->paused)
        return WHELK_E_STATE;
    struct wk_hostreq *r = s->paused;
    s->paused = NULL;
    wk_hostreq_complete(r, 0);
    return WHELK_OK;
}

enum wk_flow wk_api_before_command(struct wk_shell *sh, const struct wk_node *n)
{
    whelk_session *s = sh->k->owner;
    struct wk_buf text;
    wk_buf_init(&text, sh->mem, 64 * 1024);
    (void)wk_print_node(&text, n, WK_PRINT_LINE);
    struct pause p = {.s = s};
    p.where = (whelk_location){
        .size = sizeof p.where,
        .line = n->line,
        .depth = sh->depth,
        .pid = sh->proc->pid,
        .command = wk_buf_c(&text),
        .source_name = sh->now.tree && sh->now.tree->source_name.p ? sh->now.tree->source_name.p : sh->name};
    p.where.source = wk_names_intern(sh->names, wk_str_c(p.where.source_name));
    p.req = (struct wk_hostreq){.perform = ask_host};
    int r = wk_hostreq_call(sh->task, &p.req, false);
    if (s->paused == &p.req)
        s->paused = NULL;
    wk_buf_release(&text);
    if (r == -WK_ESTOP)
        return WK_STOP;
    if (p.answer == WHELK_DEBUG_CANCEL) {
        atomic_store(&s->kern.cancel, true);
        sh->k->budget = 0;
    }
    return WK_NEXT;
}
