/* shell_main.c - bash and sh as commands: start files, script or standard input */
#include "interp/eval.h"
#include "interp/expand_parts.h"
#include "interp/run.h"
#include "interp/shell_args.h"
#include "interp/start.h"
#include "interp/vars.h"

#include "vfs/vfs.h"

static void say(struct wk_task *t, int fd, const struct wk_buf *b)
{
    struct wk_file *f = wk_fd_get(t->proc->fds, fd);
    if (f && b->n)
        (void)wk_file_write(t, f, b->p, b->n);
}

/* ---- start files ----------------------------------------------------------------------------- */

/* Source a file if it is there. */
static enum wk_flow start_file(struct wk_shell *sh, const char *path)
{
    struct wk_stat st;
    if (wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, wk_str_c(path), 0, &st) != 0)
        return WK_NEXT;
    enum wk_flow flow = wk_run_start_file(sh, path);
    return flow == WK_ABORT ? WK_NEXT : flow;
}

/* The file that a variable names, after expansion. */
static enum wk_flow start_variable(struct wk_shell *sh, const char *name)
{
    char scratch[24];
    struct wk_str v, path;
    uint32_t id = wk_names_find(sh->names, wk_str_c(name));
    if (id == WK_NAME_NONE || !wk_var_get(sh, id, scratch, &v) || v.n == 0)
        return WK_NEXT;
    struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
    enum wk_flow flow = wk_expand_key(sh, v, &path); /* as a word: ~ counts */
    if (flow == WK_NEXT && path.n)
        flow = start_file(sh, path.p);
    wk_arena_rewind(&sh->arena, mark);
    return flow == WK_ABORT ? WK_NEXT : flow;
}

static enum wk_flow home_file(struct wk_shell *sh, const char *name, bool *found)
{
    char scratch[24];
    struct wk_str home;
    struct wk_stat st;
    *found = false;
    if (!wk_var_get(sh, wk_names_intern(sh->names, WK_STR("HOME")), scratch, &home))
        return WK_NEXT;
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, 1 << 16);
    wk_buf_fmt(&b, "%.*s/%s", (int)home.n, home.p, name);
    enum wk_flow flow = WK_NEXT;
    if (!b.failed &&
        wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, wk_buf_str(&b), 0, &st) == 0) {
        *found = true;
        flow = start_file(sh, b.p);
    }
    wk_buf_release(&b);
    return flow;
}

static enum wk_flow start_files(struct wk_shell *sh, const struct wk_shell_args *s)
{
    static const char *const profiles[] = {".bash_profile", ".bash_login", ".profile"};
    enum wk_flow flow = WK_NEXT;
    bool found = false;
    if (s->login && !s->no_profile) {
        flow = start_file(sh, "/etc/profile");
        for (size_t i = s->o.posix ? 2 : 0; flow == WK_NEXT && !found && i < WK_COUNTOF(profiles);
             i++)
            flow = home_file(sh, profiles[i], &found);
    }
    if (flow != WK_NEXT)
        return flow;
    if (s->o.interactive && s->rc_file && !s->login && !s->no_rc && !s->o.posix)
        return start_file(sh, s->rc_file);
    if (s->o.interactive && !s->login && !s->no_rc && !s->o.posix)
        return home_file(sh, ".bashrc", &found);
    if (s->o.interactive && s->o.posix)
        return start_variable(sh, "ENV");
    return s->o.interactive || wk_opt(sh, POSIX) || wk_opt(sh, PRIVILEGED) ? WK_NEXT : start_variable(sh, "BASH_ENV");
}

/* ---- running --------------------------------------------------------------------------------- */

static enum wk_flow list_options(struct wk_shell *sh, const struct wk_shell_args *s)
{
    struct wk_str v[2] = {s->list_options ? WK_STR("set") : WK_STR("shopt"),
                          s->list_plus ? WK_STR("+o") : WK_STR("-o")};
    if (s->list_shopts)
        v[1] = WK_STR("-p");
    return wk_run_words(sh, v, s->list_shopts && !s->list_plus ? 1 : 2, WK_RUN_NO_FUNCTIONS);
}

/* The start files, in which -e of the command line does not count, and the debugger, which nobody has. */
static enum wk_flow prepare(struct wk_shell *sh, const struct wk_shell_args *s)
{
    static const char debugger[] = "/usr/share/bashdb/bashdb-main.inc";
    bool errexit = wk_opt(sh, ERREXIT);
    sh->now.noerrexit += errexit;
    enum wk_flow flow = start_files(sh, s);
    sh->now.noerrexit -= errexit;
    if (errexit)
        sh->st->options |= WK_OPT_BIT(ERREXIT);
    if (flow == WK_NEXT && (s->debugger || s->o.shopts_on & WK_SHOPT_BIT(EXTDEBUG))) {
        wk_sh_error(sh, "%s: %s", debugger, wk_err_text(-WK_ENOENT));
        wk_sh_error(sh, "warning: cannot start debugger; debugging mode disabled");
        if (wk_vars_keep_args(sh) != 0) /* BASH_ARGV was in use by then */
            return wk_sh_nomem(sh);
        sh->st->shopts &= ~WK_SHOPT_BIT(EXTDEBUG);
    }
    return flow;
}

static enum wk_flow run(struct wk_shell *sh, const struct wk_shell_args *s, const char *script)
{
    enum wk_flow flow = prepare(sh, s);
    if (flow != WK_NEXT)
        return flow;
    if (s->list_options || s->list_shopts)
        flow = list_options(sh, s);
    if (s->has_command)
        return wk_sh_run_text(sh, wk_str_c(s->command), NULL);
    if (script)
        return wk_sh_run_script_file(sh, script);
    if (s->list_options || s->list_shopts)
        return flow;
    struct wk_file *f = wk_fd_get(sh->proc->fds, 0);
    return f ? wk_sh_run_file(sh, f, NULL) : WK_NEXT;
}

/* What a shell of this session has in common with its others. */
static const struct wk_shell *relative(struct wk_task *t)
{
    for (const struct wk_proc *p = t->proc; p; p = p->parent) {
        if (p->user)
            return p->user;
    }
    return t->k->init->user;
}

static bool set_default(struct wk_shell *sh, const char *name, struct wk_str value)
{
    uint32_t id = wk_names_intern(sh->names, wk_str_c(name));
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    return id != WK_NAME_NONE && ((v && v->flags & WK_VAR_SET) || wk_var_set(sh, id, value) != -WK_ENOMEM);
}

/* What an interactive shell starts with, before its start files. */
static bool interactive_defaults(struct wk_shell *sh)
{
    char scratch[24];
    struct wk_str home = {"", 0};
    struct wk_buf b;
    uint32_t id = wk_names_find(sh->names, WK_STR("HOME"));
    if (id != WK_NAME_NONE && !wk_var_get(sh, id, scratch, &home))
        home = WK_STR("");
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    wk_buf_fmt(&b, "%.*s/.bash_history", (int)WK_MIN(home.n, (size_t)INT32_MAX), home.p);
    bool ok = !b.failed && set_default(sh, "HISTFILE", wk_buf_str(&b)) &&
              set_default(sh, "PS1", WK_STR("\\s-\\v\\$ ")) && set_default(sh, "PS2", WK_STR("> "));
    wk_buf_release(&b);
    return ok;
}

static struct wk_exit run_shell(struct wk_task *t, struct wk_shell_args *s, int argc, char **argv, int at)
{
    const struct wk_shell *kin = relative(t);
    struct wk_mem *m = t->k->mem;
    int err = 0;
    if (!kin)
        return (struct wk_exit){126, 0};
    const char *script = NULL;
    if (s->has_command) {
        s->command = argv[at++];
        s->o.arg0 = at < argc ? argv[at++] : s->self;
    } else if (!s->o.read_stdin && at < argc) {
        script = argv[at++];
        s->o.arg0 = script;
    } else {
        s->o.read_stdin = true;
        s->o.arg0 = s->self;
    }
    size_t n = (size_t)(argc - at);
    struct wk_str *args = wk_calloc(m, n + 1, sizeof *args);
    if (!args)
        return (struct wk_exit){1, 0};
    for (size_t i = 0; i < n; i++)
        args[i] = wk_str_c(argv[at + (int)i]);
    s->o.args = args;
    s->o.nargs = n;
    s->o.self = s->self;
    struct wk_shell *sh = wk_shell_new(t, kin->names, kin->shared, &s->o, &err);
    wk_free(m, args);
    if (!sh)
        return (struct wk_exit){1, 0};
    if (sh->import_failed) {
        wk_shell_free(sh);
        return (struct wk_exit){2, 0};
    }
    wk_vars_begin_trace(sh);
    sh->command_number = !s->has_command;
    sh->hooks = kin->hooks;
    sh->hooks_ctx = kin->hooks_ctx;
    sh->sig_at_start = t->proc->sig_ignored;
    if (!s->o.interactive) {
        (void)wk_var_unset(sh, wk_names_intern(sh->names, WK_STR("PS1")));
        (void)wk_var_unset(sh, wk_names_intern(sh->names, WK_STR("PS2")));
    }
    sh->command_string = s->has_command;
    sh->no_history = s->has_command; /* the text is no input until it says `set -o history' */
    sh->login = s->login;
    if (s->login)
        sh->st->shopts |= WK_SHOPT_BIT(LOGIN_SHELL);
    if (s->o.interactive)
        sh->st->options |= (WK_OPT_BIT(HISTORY) | WK_OPT_BIT(HISTEXPAND)) & ~s->o.clear_options;
    struct wk_str home;
    bool ok = !s->sets_home || !wk_tilde(sh, WK_STR(""), &home) || set_default(sh, "HOME", home);
    enum wk_flow flow = !ok || (s->o.interactive && !interactive_defaults(sh)) ? wk_sh_nomem(sh) : run(sh, s, script);
    struct wk_exit e = wk_sh_finish(sh, flow);
    wk_shell_free(sh);
    return e;
}

void wk_shell_command_main(struct wk_task *t, int argc, char **argv)
{
    struct wk_mem *m = t->k->mem;
    struct wk_shell_args s = {.self = argc > 0 ? argv[0] : "bash"};
    struct wk_proc *p = t->proc;
    struct wk_exit e = {0, 0};
    const char *base = strrchr(s.self, '/');
    base = base ? base + 1 : s.self;
    if (*base == '-') {
        s.login = s.sets_home = true;
        base++;
    }
    bool sh = s.o.posix = strcmp(base, "sh") == 0;
    s.o.import_functions = true;
    wk_buf_init(&s.out, m, 1 << 20);
    wk_buf_init(&s.err, m, 1 << 20);
    int at = wk_shell_args_parse(&s, argc, argv);
    s.sets_home = s.sets_home && (sh || !s.o.posix);
    say(t, 1, &s.out);
    say(t, 2, &s.err);
    wk_buf_release(&s.out);
    wk_buf_release(&s.err);
    if (s.status >= 0)
        e.code = (uint8_t)s.status;
    else
        e = run_shell(t, &s, argc, argv, at);
    wk_proc_finish(p, e);
}
