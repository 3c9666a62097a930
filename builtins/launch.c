/* launch.c - starting other programs from commands: environments, messages, statuses */
#include "builtins/launch.h"

static void add(struct wk_cmd *c, struct wk_env_list *l, const char *entry)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->v = (struct wk_str *)wk_heap_realloc(c->heap, l->v, l->cap * sizeof *l->v);
    }
    l->v[l->n++] = wk_str_c(entry);
}

void wk_env_list_init(struct wk_cmd *c, struct wk_env_list *l, bool empty)
{
    *l = (struct wk_env_list){0};
    const struct wk_env *e = c->proc->env;
    const char **v = wk_env_strings(c);
    for (uint32_t i = 0; e && !empty && i < e->n; i++)
        add(c, l, wk_dup(c, v[i]));
}

static struct wk_str *find(struct wk_env_list *l, struct wk_str name)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].n > name.n && l->v[i].p[name.n] == '=' && wk_str_starts(l->v[i], name))
            return &l->v[i];
    return NULL;
}

void wk_env_list_set(struct wk_cmd *c, struct wk_env_list *l, const char *assignment)
{
    const char *eq = strchr(assignment, '=');
    struct wk_str *old = find(l, wk_str(assignment, (size_t)(eq - assignment)));
    if (old)
        *old = wk_str_c(assignment);
    else
        add(c, l, assignment);
}

void wk_env_list_unset(struct wk_env_list *l, const char *name)
{
    struct wk_str *at;
    while ((at = find(l, wk_str_c(name))) != NULL) {
        size_t i = (size_t)(at - l->v);
        memmove(at, at + 1, (l->n - i - 1) * sizeof *at);
        l->n--;
    }
}

static void release_env(void *e)
{
    wk_env_unref((struct wk_env *)e);
}

struct wk_env *wk_env_list_block(struct wk_cmd *c, const struct wk_env_list *l)
{
    struct wk_env *e = wk_env_new(c->k, l->v, l->n);
    if (!e)
        wk_heap_exhausted(c->heap);
    wk_heap_own(c->heap, e, release_env);
    return e;
}

void wk_launch(struct wk_cmd *c, char **argv, int argc, struct wk_env *env, const char *prefix,
               const char *(*quote)(struct wk_cmd *c, const char *text))
{
    int err = wk_launch_err(wk_cmd_exec(c, argc, argv, env));
    wk_msg(c, "%s%s: %s", prefix, quote(c, argv[0]), wk_err_text(err));
    wk_exit(c, wk_launch_status(err));
}
