/* delegate_paths.c - directories, arguments and variables of a session as its box has them */
#include "adapters/delegate/delegate_box.h"

/* ---- directories --------------------------------------------------------------------------------------- */

void wk_delegate_drop_dirs(struct wk_delegate *d)
{
    for (size_t i = 0; i < d->n_dirs; i++) {
        wk_free(d->mem, d->dirs[i].here);
        wk_free(d->mem, d->dirs[i].there);
    }
    d->n_dirs = 0;
}

static int add_dir(struct wk_delegate *d, const char *here, const char *there)
{
    struct wk_delegate_dir *dir = &d->dirs[d->n_dirs];
    dir->here = wk_strndup(d->mem, here, strlen(here));
    dir->there = wk_strndup(d->mem, there, strlen(there));
    d->n_dirs++;
    return dir->here && dir->there ? 0 : -WK_ENOMEM;
}

/* Whether path is dir or lies in it: what stands behind, else NULL. */
static const char *behind(const char *dir, const char *path)
{
    size_t n = strlen(dir);
    return strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/') ? path + n : NULL;
}

static bool overlap(const char *a, const char *b)
{
    return behind(a, b) || behind(b, a);
}

int wk_delegate_set_dirs(struct wk_delegate *d)
{
    const whelk_box_facts *f = &d->box->facts;
    wk_delegate_drop_dirs(d);
    int r = add_dir(d, d->directory, f->workspace);
    bool shared = (f->capabilities & WHELK_BOX_ISOLATED) && !overlap(d->directory, "/tmp") &&
                  !overlap(f->workspace, "/tmp");
    if (!r && shared)
        r = add_dir(d, "/tmp", "/tmp");
    if (r)
        wk_delegate_drop_dirs(d);
    return r;
}

/* A path of the session in the heap as the box has it; NULL when it lies elsewhere. */
static const char *to_box(struct wk_cmd *c, const struct wk_delegate *d, const char *path)
{
    for (size_t i = 0; i < d->n_dirs; i++) {
        const char *rest = behind(d->dirs[i].here, path);
        if (rest)
            return wk_strf(c, "%s%s", d->dirs[i].there, rest);
    }
    return NULL;
}

const char *wk_delegate_cwd(struct wk_cmd *c, const struct wk_delegate *d, const char **here)
{
    struct wk_buf b;
    wk_buf_init(&b, wk_heap_mem(c->heap), 1 << 20);
    if (wk_vdir_path(c->proc->cwd, &b) != 0) {
        wk_buf_release(&b);
        *here = NULL;
        return NULL;
    }
    *here = wk_keep(c, &b);
    return to_box(c, d, *here);
}

bool wk_delegate_has(const struct wk_delegate *d, const struct wk_proc *p, const char *path)
{
    struct wk_buf b;
    wk_buf_init(&b, d->mem, 1 << 20);
    if (path[0] != '/') {
        (void)wk_vdir_path(p->cwd, &b);
        wk_buf_putc(&b, '/');
    }
    wk_buf_put_c(&b, path);
    bool has = !b.failed && behind(d->directory, wk_buf_c(&b));
    for (size_t i = 0; i < d->n_dirs && !b.failed; i++)
        has = has || behind(d->dirs[i].here, wk_buf_c(&b));
    wk_buf_release(&b);
    return has;
}

/* ---- arguments ------------------------------------------------------------------------------------------- */

/* Where in a word a path may begin: the word itself, behind NAME= or --NAME=, behind the letter of -I, -L, -o. */
static const char *path_in(const char *word)
{
    if (word[0] == '/')
        return word;
    if (word[0] == '-' && wk_is_alpha((unsigned char)word[1]) && word[2] == '/')
        return word + 2;
    const char *p = word;
    while (wk_is_alnum((unsigned char)*p) || *p == '-' || *p == '_')
        p++;
    return p > word && p[0] == '=' && p[1] == '/' ? p + 1 : NULL;
}

const char *const *wk_delegate_argv(struct wk_cmd *c, const struct wk_delegate *d)
{
    const struct wk_delegate_command *as = c->command->data;
    const char **argv = wk_new_n(c, const char *, (size_t)c->argc + 1);
    const char *program = as->program ? to_box(c, d, c->argv[0]) : NULL;
    argv[0] = program ? program : as->program ? c->argv[0] : c->name;
    for (int i = 1; i < c->argc; i++) {
        const char *word = c->argv[i], *path = path_in(word), *there = path ? to_box(c, d, path) : NULL;
        argv[i] = there ? wk_strf(c, "%.*s%s", (int)(path - word), word, there) : word;
    }
    return argv;
}

/* ---- variables ------------------------------------------------------------------------------------------- */

/* The box's own: they say where things are and who one is there. */
static bool is_of_the_box(struct wk_str name)
{
    static const char *const names[] = {"PATH", "PWD",  "OLDPWD",   "SHELL",    "USER",     "LOGNAME", "SHLVL", "_",
                                        "ENV",  "HOSTNAME", "BASH_ENV", "BASHOPTS", "SHELLOPTS"};
    for (size_t i = 0; i < WK_COUNTOF(names); i++)
        if (wk_str_is(name, names[i]))
            return true;
    return wk_str_starts(name, WK_STR("BASH_FUNC_"));
}

/* The value with each of its parts between colons as the box has it; with `only`, the parts that it has, and nothing
 * else. *any: there were some. */
static const char *map_list(struct wk_cmd *c, const struct wk_delegate *d, const char *value, bool only, bool *any)
{
    struct wk_buf b;
    *any = false;
    if (!strchr(value, '/'))
        return value;
    wk_buf_init(&b, wk_heap_mem(c->heap), SIZE_MAX / 2);
    for (const char *p = value;; p++) {
        size_t n = strcspn(p, ":");
        const char *part = *p == '/' ? wk_dupn(c, p, n) : NULL, *there = part ? to_box(c, d, part) : NULL;
        *any = *any || there;
        if (there || !only) {
            if (only && b.n)
                wk_buf_putc(&b, ':');
            wk_buf_puts(&b, there ? wk_str_c(there) : wk_str(p, n));
        }
        p += n;
        if (!*p)
            break;
        if (!only)
            wk_buf_putc(&b, ':');
    }
    return wk_keep(c, &b);
}

static const char *map_variable(struct wk_cmd *c, const struct wk_delegate *d, const char *text)
{
    bool any;
    const char *eq = strchr(text, '=');
    if (!eq || eq == text || is_of_the_box(wk_str(text, (size_t)(eq - text))))
        return NULL;
    const char *value = map_list(c, d, eq + 1, false, &any);
    struct wk_str name = wk_str(text, (size_t)(eq - text));
    if (!any && (wk_str_is(name, "HOME") || wk_str_is(name, "TMPDIR")))
        return NULL;
    return any ? wk_strf(c, "%.*s=%s", (int)name.n, name.p, value) : text;
}

const char *const *wk_delegate_env(struct wk_cmd *c, const struct wk_delegate *d, const char *cwd, size_t *n)
{
    const char **all = wk_env_strings(c), **out;
    size_t count = c->proc->env ? c->proc->env->n : 0;
    const char *path = wk_cmd_env(c, "PATH"), *base = d->box->facts.path;
    bool any;
    out = wk_new_n(c, const char *, count + 3);
    *n = 0;
    for (size_t i = 0; i < count; i++) {
        const char *text = map_variable(c, d, all[i]);
        if (text)
            out[(*n)++] = text;
    }
    out[(*n)++] = wk_strf(c, "PWD=%s", cwd);
    path = path ? map_list(c, d, path, true, &any) : NULL;
    if (path && any) /* programs of the session's own directories come first, as they do there */
        out[(*n)++] = wk_strf(c, "PATH=%s:%s", path, base ? base : WK_SANDBOX_PATH);
    return out;
}
