/* sandbox_env.c - the environment of a sandbox's commands: made from nothing, the later word counts */
#include "adapters/sandbox/sandbox.h"
#include "base/map.h"

/* Where nobody watches: no colours, pagers or questions, and nothing but UTF-8. */
static const char *const usual[] = {
    "LANG=C.UTF-8",
    "LC_ALL=C.UTF-8",
    "TERM=dumb",
    "TMPDIR=/tmp",
    "CI=1",
    "PAGER=cat",
    "GIT_PAGER=cat",
    "MANPAGER=cat",
    "GIT_TERMINAL_PROMPT=0",
    "DEBIAN_FRONTEND=noninteractive",
    "PYTHONUNBUFFERED=1",
    "PYTHONDONTWRITEBYTECODE=1",
    "PIP_NO_INPUT=1",
    "PIP_DISABLE_PIP_VERSION_CHECK=1",
};

bool wk_sandbox_env_ok(const char *const *env, size_t n, const char **bad)
{
    *bad = "";
    for (size_t i = 0; i < n; i++) {
        if (!env[i])
            return false;
        *bad = env[i];
        if (!strchr(env[i], '=') || env[i][0] == '=')
            return false;
    }
    return true;
}

bool wk_sandbox_has_secret(const struct whelk_sandbox *b, const char *name)
{
    for (size_t i = 0; i < b->options.n_secrets; i++)
        if (strcmp(b->options.secrets[i].name, name) == 0)
            return true;
    return false;
}

/* One variable: "NAME=VALUE", or a name and its value apart. */
struct variable {
    const char *name;
    size_t name_n;
    const char *value;
};

struct variables {
    struct wk_mem *mem;
    struct wk_map by_name; /* of index + 1 */
    struct variable *v;
    size_t n, cap;
    bool failed;
};

static void add(struct variables *all, const char *name, size_t name_n, const char *value)
{
    void **at = all->failed ? NULL : wk_map_put(&all->by_name, wk_str(name, name_n), NULL);
    if (!at || !wk_vec_grow(all->mem, &all->v, &all->cap, all->n + 1, sizeof *all->v)) {
        all->failed = true;
        return;
    }
    if (!*at)
        *at = (void *)(uintptr_t)++all->n;
    all->v[(uintptr_t)*at - 1] = (struct variable){name, name_n, value};
}

static void add_text(struct variables *all, const char *text)
{
    const char *eq = strchr(text, '=');
    if (eq)
        add(all, text, (size_t)(eq - text), eq + 1);
}

static void add_pair(struct variables *all, const char *name, const char *value)
{
    add(all, name, strlen(name), value);
}

static bool named(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Commits have an author also where no file of git's says who it is; a kind that brings such a file says so: what a
 * repository's own settings name then goes first. */
static void add_identity(struct variables *all, const struct whelk_sandbox *b)
{
    const char *name = b->options.git_name ? b->options.git_name : "whelk";
    const char *email = b->options.git_email ? b->options.git_email : "whelk@localhost";
    for (size_t i = 0; i < b->facts.n_env; i++)
        if (strncmp(b->facts.env[i], "GIT_CONFIG_GLOBAL=", 18) == 0 ||
            strncmp(b->facts.env[i], "GIT_CONFIG_SYSTEM=", 18) == 0)
            return;
    add_pair(all, "GIT_AUTHOR_NAME", name);
    add_pair(all, "GIT_AUTHOR_EMAIL", email);
    add_pair(all, "GIT_COMMITTER_NAME", name);
    add_pair(all, "GIT_COMMITTER_EMAIL", email);
}

/* All of it as one block: the pointers, then the texts. */
static char **to_block(struct variables *all)
{
    size_t bytes = (all->n + 1) * sizeof(char *);
    for (size_t i = 0; i < all->n; i++)
        bytes += all->v[i].name_n + strlen(all->v[i].value) + 2;
    char **block = all->failed ? NULL : wk_alloc(all->mem, bytes);
    if (!block)
        return NULL;
    char *to = (char *)(block + all->n + 1);
    for (size_t i = 0; i < all->n; i++) {
        const struct variable *v = &all->v[i];
        size_t value_n = strlen(v->value) + 1;
        block[i] = to;
        memcpy(to, v->name, v->name_n);
        to[v->name_n] = '=';
        memcpy(to + v->name_n + 1, v->value, value_n);
        to += v->name_n + 1 + value_n;
    }
    block[all->n] = NULL;
    return block;
}

char **wk_sandbox_env(struct whelk_sandbox *b, const char *name, const char *const *more, size_t n,
                      const char *const *secrets, size_t n_secrets)
{
    const whelk_sandbox_options *o = &b->options;
    const whelk_box_facts *f = &b->facts;
    struct variables all = {.mem = b->mem};
    wk_map_init(&all.by_name, b->mem, (uint64_t)(uintptr_t)b ^ (uint64_t)wk_sandbox_now(), true);
    add_pair(&all, "PATH", f->path ? f->path : WK_SANDBOX_PATH);
    add_pair(&all, "HOME", f->home ? f->home : f->workspace);
    for (size_t i = 0; i < WK_COUNTOF(usual); i++)
        add_text(&all, usual[i]);
    add_identity(&all, b);
    for (size_t i = 0; i < f->n_env; i++)
        add_text(&all, f->env[i]);
    for (size_t i = 0; i < o->n_env; i++)
        add_text(&all, o->env[i]);
    for (size_t i = 0; i < n; i++)
        add_text(&all, more[i]);
    const char *slash = name ? strrchr(name, '/') : NULL;
    const char *program = slash ? slash + 1 : name;
    for (size_t i = 0; i < o->n_secrets; i++) {
        const whelk_secret *s = &o->secrets[i];
        if ((program && named(s->commands, s->n_commands, program)) || named(secrets, n_secrets, s->name))
            add_pair(&all, s->name, s->value);
    }
    char **block = to_block(&all);
    wk_map_release(&all.by_name);
    wk_free(b->mem, all.v);
    return block;
}
