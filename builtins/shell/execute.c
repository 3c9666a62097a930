/* execute.c - exec, command, builtin
 *
 * Standard: POSIX XCU 2.14, command; bash 4.1. Oracle: bash 5.2.
 */
#include "builtins/shell/describe.h"
#include "interp/lookup.h"
#include "interp/run.h"
#include "interp/vars.h"

#include "vfs/vfs.h"

extern const struct wk_builtin wk_builtin_exec, wk_builtin_command, wk_builtin_builtin;

struct exec_options {
    bool clear, login;
    struct wk_str name;
};

/* exec's own messages for a file that cannot be run; the status. */
static int exec_failed(struct wk_shell *sh, struct wk_str name, const struct wk_leaf *leaf, int err)
{
    struct wk_stat st;
    if (!leaf->path) {
        bool dir = wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, name, 0, &st) == 0 && WK_S_ISDIR(st.mode);
        wk_sh_builtin_error(sh, "exec", dir ? "%s: cannot execute: Is a directory" : "%s: not found", name.p);
        return dir ? 126 : 127;
    }
    name = wk_str_c(leaf->path);
    int status = wk_leaf_error(sh, name, leaf->path, err);
    if (err == -WK_ENOENT || err == WK_ENOENT)
        return status;
    bool there = wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, wk_str_c(leaf->path), 0, &st) == 0;
    if (there && WK_S_ISREG(st.mode) && wk_stat_allows(&st, &sh->proc->cred, WK_X_OK)) {
        wk_sh_error(sh, "%s: Success", name.p); /* no error is left to tell of */
        return status;
    }
    if (there && WK_S_ISDIR(st.mode))
        wk_sh_builtin_error(sh, "exec", "%s: cannot execute: %s", name.p, wk_err_text(WK_EISDIR));
    else
        wk_sh_builtin_error(sh, "exec", "%s: cannot execute: %s", name.p, wk_err_text(err));
    return status;
}

/* exec runs, and names, a file by its whole path. NULL: no memory. */
static const char *absolute(struct wk_shell *sh, const char *path)
{
    if (path[0] == '/' || !sh->st->cwd)
        return path;
    if (path[0] == '.' && path[1] == '/')
        path += 2;
    struct wk_str cwd = wk_val_str(sh->st->cwd), rest = wk_str_c(path);
    bool slash = cwd.n && cwd.p[cwd.n - 1] == '/';
    char *p = wk_arena_alloc(&sh->arena, cwd.n + rest.n + 2);
    if (!p)
        return NULL;
    memcpy(p, cwd.p, cwd.n);
    if (!slash)
        p[cwd.n] = '/';
    memcpy(p + cwd.n + !slash, rest.p, rest.n + 1);
    return p;
}

/* An empty file that may be run: bash finds nothing wrong, and nothing to do. */
static bool is_empty(struct wk_shell *sh, const char *path)
{
    struct wk_stat st;
    return path && wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, wk_str_c(path), 0, &st) == 0 &&
           WK_S_ISREG(st.mode) && st.size == 0 && wk_stat_allows(&st, &sh->proc->cred, WK_X_OK);
}

static enum wk_flow fail_or_leave(struct wk_shell *sh, bool found)
{
    if (!sh->now.is_subshell && (sh->interactive || wk_shopt(sh, EXECFAIL)))
        return WK_NEXT;
    sh->exec_ended = true;
    sh->end_depth = sh->xtrace_depth;
    sh->now.exiting = found; /* bash has put its traps away by then */
    return wk_sh_leave(sh, WK_LEAVE_HERE);
}

/* Start the command as a child that stands in this shell's place until it ends. */
static enum wk_flow replace(struct wk_shell *sh, struct wk_str *v, size_t n,
                            const struct exec_options *o)
{
    struct wk_leaf leaf = {.v = v, .n = n};
    struct wk_proc *child;
    struct wk_exit e;
    struct wk_str name = v[0];
    int r = 0;
    if (memchr(name.p, '/', name.n) || (name.n && wk_has_no_path(sh)))
        leaf.path = name.p;
    else
        r = wk_leaf_find(sh, name, 0, &leaf);
    if (leaf.path && !(leaf.path = absolute(sh, leaf.path)))
        return wk_sh_nomem(sh);
    if (r == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    bool found = !r;
    if (found && is_empty(sh, leaf.path)) {
        wk_sh_error(sh, "%s: Success", leaf.path);
        sh->status = 0;
        return fail_or_leave(sh, true);
    }
    if (o->name.p)
        v[0] = o->name;
    if (o->login) {
        char *p = wk_arena_alloc(&sh->arena, v[0].n + 2);
        if (!p)
            return wk_sh_nomem(sh);
        p[0] = '-';
        memcpy(p + 1, v[0].p, v[0].n + 1);
        v[0] = wk_str(p, v[0].n + 1);
    }
    if (!r && (r = wk_proc_fork(sh->proc, &child)) == 0) {
        leaf.exec = true;
        leaf.clear_env = o->clear;
        leaf.replaces = !sh->now.is_paren; /* as to SHLVL */
        r = wk_leaf_start(sh, child, &leaf);
        if (r) {
            wk_proc_finish(child, (struct wk_exit){1, 0});
            wk_proc_reap(child);
        }
    }
    if (r) {
        if (r == -WK_ENOMEM || r == -WK_ESTOP)
            return wk_sh_fail(sh, r);
        sh->status = exec_failed(sh, name, &leaf, r);
        return fail_or_leave(sh, found);
    }
    sh->now.exiting = sh->exec_ended = true; /* no EXIT trap */
    enum wk_flow flow = wk_wait_child(sh, child, true, &e);
    if (flow != WK_NEXT)
        return flow;
    sh->status = wk_exit_status(e);
    sh->now.exit_signal = e.signal;
    return WK_EXIT;
}

static enum wk_flow exec_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_exec, .a = a, .spec = "cla:"};
    struct exec_options o = {0};
    sh->keep_redirections = true; /* whatever becomes of the command */
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == 'c')
            o.clear = true;
        else if (c == 'l')
            o.login = true;
        else if (c == 'a')
            o.name = g.arg;
        else
            return wk_status(sh, 2);
    }
    size_t at = g.at ? g.at : 1;
    if (at >= a->n)
        return wk_status(sh, 0);
    return replace(sh, a->v + at, a->n - at, &o);
}

static enum wk_flow command_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_command, .a = a, .spec = "pvV"};
    int flags = WK_RUN_NO_FUNCTIONS;
    int show = 0;
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == 'p')
            flags |= WK_RUN_DEFAULT_PATH;
        else if (c == 'v' || c == 'V')
            show = c;
        else
            return wk_status(sh, 2);
    }
    size_t at = g.at ? g.at : 1;
    if (at >= a->n)
        return wk_status(sh, 0);
    if (show)
        return wk_describe_command(sh, a->v + at, a->n - at, show == 'V',
                                   (flags & WK_RUN_DEFAULT_PATH) != 0);
    const char *outer = sh->builtin_name;
    sh->status = sh->previous_status;
    bool inside = sh->in_command;
    sh->in_command = true;
    enum wk_flow flow = wk_run_words(sh, a->v + at, a->n - at, flags);
    sh->special_error = WK_SPECIAL_OK;
    sh->in_command = inside;
    sh->builtin_name = outer;
    return flow;
}

static enum wk_flow builtin_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct wk_getopt g = {.b = &wk_builtin_builtin, .a = a, .spec = ""};
    if (wk_getopt_next(sh, &g) != 0)
        return wk_status(sh, 2);
    size_t at = g.at ? g.at : 1;
    if (at >= a->n)
        return wk_status(sh, 0);
    const struct wk_builtin *b = wk_builtin_find(sh, a->v[at]);
    if (!b || !wk_builtin_enabled(sh, b)) {
        wk_sh_builtin_error(sh, "builtin", "%s: not a shell builtin", a->v[at].p);
        return wk_status(sh, 1);
    }
    sh->status = sh->previous_status;
    enum wk_flow flow = wk_run_words(sh, a->v + at, a->n - at, WK_RUN_NO_FUNCTIONS | WK_RUN_ONLY_BUILTIN);
    sh->keep_redirections = false; /* bash undoes those of `builtin exec' */
    return flow;
}

WK_BUILTIN(exec, .usage = "exec [-cl] [-a name] [command [argument ...]] [redirection ...]",
           .summary = "Replace the shell with the given command.",
           .help = "Runs COMMAND in place of the shell. Without COMMAND, redirections stay in "
                   "effect in this shell.\n\n"
                   "  -a name   pass NAME as the zeroth argument\n"
                   "  -c        run COMMAND with an empty environment\n"
                   "  -l        put a dash in front of the zeroth argument\n\n"
                   "When COMMAND cannot be run the shell ends, unless `execfail' is set.",
           .flags = WK_BUILTIN_SPECIAL, .run = exec_run);

WK_BUILTIN(command, .usage = "command [-pVv] command [arg ...]",
           .summary = "Execute a simple command or display information about commands.",
           .help = "Runs COMMAND without looking for a function of that name.\n\n"
                   "  -p   use a default $PATH that finds all standard commands\n"
                   "  -v   print what COMMAND is, as it would be typed\n"
                   "  -V   print what COMMAND is, in words\n\n"
                   "Status of COMMAND, or 1 when it is not found.",
           .flags = WK_BUILTIN_POSIX | WK_BUILTIN_WORDS, .run = command_run);

WK_BUILTIN(builtin, .usage = "builtin [shell-builtin [arg ...]]",
           .summary = "Execute shell builtins.",
           .help = "Runs a builtin without looking for a function of its name.\n\n"
                   "Status of the builtin; fails when there is none of that name.",
           .flags = WK_BUILTIN_WORDS, .run = builtin_run);
