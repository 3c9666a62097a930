/* interact.c - what a shell that reads commands from a person does between them: PROMPT_COMMAND, prompts */
#include "interp/prompt.h"
#include "interp/run.h"
#include "interp/vars.h"

static enum wk_flow run_one(struct wk_shell *sh, struct wk_str text, int status)
{
    bool bad;
    char *copy = wk_arena_strndup(&sh->arena, text.p, text.n); /* it may unset itself */
    if (!copy)
        return wk_sh_nomem(sh);
    if (!wk_sh_enter(sh))
        return WK_STOP;
    sh->status = status;
    enum wk_flow flow = wk_run_text(sh, wk_str(copy, text.n), 1, NULL, WK_RUN_EVAL, &bad);
    sh->depth--;
    return flow == WK_EXIT || flow == WK_STOP ? flow : WK_NEXT;
}

enum wk_flow wk_prompt_commands(struct wk_shell *sh)
{
    uint32_t id = wk_names_find(sh->names, WK_STR("PROMPT_COMMAND"));
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    char scratch[24];
    struct wk_str text;
    int status = sh->status;
    enum wk_flow flow = WK_NEXT;
    if (!v || !(v->flags & WK_VAR_SET) || v->flags & WK_VAR_ASSOC)
        return WK_NEXT;
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    if (!(v->flags & WK_VAR_ARRAY)) {
        if (wk_var_get(sh, id, scratch, &text) && text.n)
            flow = run_one(sh, text, status);
    } else {
        struct wk_elem_iter it;
        if (wk_elem_iter_init(sh, id, &it) != 0)
            return wk_sh_nomem(sh);
        while (flow == WK_NEXT && wk_elem_iter_next(sh, &it))
            flow = run_one(sh, it.value, status);
        wk_elem_iter_release(sh, &it);
    }
    if (flow == WK_NEXT)
        sh->status = status;
    wk_arena_rewind(&sh->arena, mark);
    return flow;
}

enum wk_flow wk_prompt_show(struct wk_shell *sh, const char *which)
{
    char scratch[24];
    struct wk_str text;
    uint32_t id = wk_names_find(sh->names, wk_str_c(which));
    if (id == WK_NAME_NONE || !wk_var_get(sh, id, scratch, &text) || !text.n)
        return WK_NEXT;
    int status = sh->status;
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    enum wk_flow flow = wk_prompt_expand(sh, text, &text);
    if (flow == WK_NEXT)
        (void)wk_sh_write(sh, 2, text);
    wk_arena_rewind(&sh->arena, mark);
    sh->status = status;
    return flow == WK_STOP ? flow : WK_NEXT;
}
