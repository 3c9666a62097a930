/* shell_main.c - bash and sh as commands: options, start files, script or standard input */
#include "interp/eval.h"
#include "interp/expand.h"
#include "interp/run.h"
#include "interp/vars.h"

#include "vfs/vfs.h"

struct start {
    struct wk_shell_options o;
    const char *self;    /* argv[0] */
    const char *command; /* -c; NULL: none */
    const char *rc_file; /* --rcfile */
    bool has_command, login, no_profile, no_rc, list_options, list_shopts, list_plus;
    int status;             /* of a start that failed, or -1 */
    struct wk_buf out, err; /* what is said before there is a shell */
};

static const char usage_text[] = "Usage:\tbash [GNU long option] [option] ...\n"
                                 "\tbash [GNU long option] [option] script-file ...\n"
                                 "GNU long options:\n"
                                 "\t--help\n\t--login\n\t--noprofile\n\t--norc\n\t--posix\n\t--"
                                 "restricted\n\t--verbose\n\t--version\n"
                                 "Shell options:\n"
                                 "\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n"
                                 "\t-abefhkmnptuvxBCEHPT or -o option\n";

static void put_version(struct wk_buf *b)
{
    wk_buf_put_c(b, "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n"
                    "This is the compatible shell of whelk.\n");
}

static void bad_option(struct start *s, const char *what, const char *message, bool usage)
{
    wk_buf_fmt(&s->err, "%s: %s: %s\n", s->self, what, message);
    if (usage)
        wk_buf_put_c(&s->err, usage_text);
    s->status = 2;
}

/* What a session may do is its host's to say. */
static const char no_restricted[] = "restricted shells are not supported";

/* --name: 1 understood, 2 takes the next argument as its value (ignored), 0 unknown. */
static int long_option(struct start *s, const char *name)
{
    if (strcmp(name, "posix") == 0)
        s->o.posix = true;
    else if (strcmp(name, "login") == 0)
        s->login = true;
    else if (strcmp(name, "noprofile") == 0)
        s->no_profile = true;
    else if (strcmp(name, "norc") == 0 || strcmp(name, "noediting") == 0 ||
             strcmp(name, "debugger") == 0)
        s->no_rc = s->no_rc || name[2] == 'r';
    else if (strcmp(name, "restricted") == 0)
        bad_option(s, "--restricted", no_restricted, false);
    else if (strcmp(name, "verbose") == 0)
        s->o.set_options |= WK_OPT_BIT(VERBOSE);
    else if (strcmp(name, "rcfile") == 0 || strcmp(name, "init-file") == 0)
        return 2;
    else if (strcmp(name, "version") == 0) {
        put_version(&s->out);
        s->status = 0;
    } else if (strcmp(name, "help") == 0) {
        wk_buf_put_c(&s->out, "GNU bash, version 5.2.15(1)-release-(x86_64-pc-linux-gnu)\n");
        wk_buf_put_c(&s->out, usage_text);
        s->status = 0;
    } else
        return 0;
    return 1;
}

/* -o NAME, -O NAME: false after a message. */
static bool named_option(struct start *s, char kind, bool on, const char *name)
{
    int n = kind == 'o' ? wk_set_option_find(wk_str_c(name)) : wk_shopt_find(wk_str_c(name));
    if (n < 0) {
        if (kind == 'o') {
            wk_buf_fmt(&s->err, "%s: ", s->self); /* bash names itself twice */
            bad_option(s, name, "invalid option name", false);
        } else {
            bad_option(s, name, "invalid shell option name", false);
            s->status = 1;
        }
        return false;
    }
    uint64_t bit = UINT64_C(1) << n;
    uint64_t *set = kind == 'o' ? &s->o.set_options : &s->o.shopts_on;
    uint64_t *clear = kind == 'o' ? &s->o.clear_options : &s->o.shopts_off;
    *(on ? set : clear) |= bit;
    *(on ? clear : set) &= ~bit;
    return true;
}

/* A cluster of letters; *at is moved past arguments that it takes. */
static void letters(struct start *s, int argc, char **argv, int *at)
{
    const char *w = argv[*at];
    bool on = w[0] == '-';
    for (const char *p = w + 1; *p && s->status < 0; p++) {
        switch (*p) {
        case 'c':
            s->has_command = true;
            break;
        case 's':
            s->o.read_stdin = true;
            break;
        case 'i':
            s->o.interactive = true;
            break;
        case 'l':
            s->login = true;
            break;
        case 'D':
            bad_option(s, "-D", "there are no translated strings to list", false);
            break;
        case 'r':
            if (on)
                bad_option(s, "-r", no_restricted, false);
            break;
        case 'o':
        case 'O':
            if (*at + 1 >= argc) {
                *(*p == 'o' ? &s->list_options : &s->list_shopts) = true;
                s->list_plus = !on;
            } else {
                (void)named_option(s, *p, on, argv[++*at]);
            }
            break;
        default: {
            int n = wk_set_option_letter(*p);
            char text[3] = {w[0], *p, '\0'};
            if (n < 0)
                bad_option(s, text, "invalid option", true);
            else if (on)
                s->o.set_options |= UINT64_C(1) << n;
            else
                s->o.clear_options |= UINT64_C(1) << n;
        }
        }
    }
}

/* Returns the index of the first operand. */
static int parse(struct start *s, int argc, char **argv)
{
    int at = 1;
    for (; at < argc && s->status < 0 && argv[at][0] == '-' && argv[at][1] == '-' && argv[at][2];
         at++) {
        int r = long_option(s, argv[at] + 2);
        if (r == 0)
            bad_option(s, argv[at], "invalid option", true);
        else if (r == 2 && ++at < argc)
            s->rc_file = argv[at];
    }
    for (; at < argc && s->status < 0; at++) {
        const char *w = argv[at];
        if ((w[0] != '-' && w[0] != '+') || !w[1])
            break;
        if (w[0] == '-' && w[1] == '-' && !w[2]) {
            at++;
            break;
        }
        if (w[0] == '-' && w[1] == '-') {
            int r = long_option(s, w + 2);
            if (r == 0)
                bad_option(s, w, "invalid option", true);
            else if (r == 2 && ++at < argc)
                s->rc_file = argv[at];
            continue;
        }
        letters(s, argc, argv, &at);
    }
    if (at < argc && strcmp(argv[at], "-") == 0)
        at++;
    return at;
}

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
    enum wk_flow flow = wk_run_source(sh, path, path, NULL, 0);
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
    enum wk_flow flow = wk_expand_text(sh, v, &path);
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

static enum wk_flow start_files(struct wk_shell *sh, const struct start *s)
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
    return s->o.interactive || s->o.posix ? WK_NEXT : start_variable(sh, "BASH_ENV");
}

/* ---- running --------------------------------------------------------------------------------- */

static enum wk_flow list_options(struct wk_shell *sh, const struct start *s)
{
    struct wk_str v[2] = {s->list_options ? WK_STR("set") : WK_STR("shopt"),
                          s->list_plus ? WK_STR("+o") : WK_STR("-o")};
    if (s->list_shopts)
        v[1] = WK_STR("-p");
    return wk_run_words(sh, v, s->list_shopts && !s->list_plus ? 1 : 2, WK_RUN_NO_FUNCTIONS);
}

static enum wk_flow run(struct wk_shell *sh, const struct start *s, const char *script)
{
    enum wk_flow flow = start_files(sh, s);
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

static struct wk_exit run_shell(struct wk_task *t, struct start *s, int argc, char **argv, int at)
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
    struct wk_shell *sh = wk_shell_new(t, kin->names, kin->shared, &s->o, &err);
    wk_free(m, args);
    if (!sh)
        return (struct wk_exit){1, 0};
    sh->self = s->self;
    wk_vars_begin_trace(sh);
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
    enum wk_flow flow = s->o.interactive && !interactive_defaults(sh) ? wk_sh_nomem(sh) : run(sh, s, script);
    struct wk_exit e = wk_sh_finish(sh, flow);
    wk_shell_free(sh);
    return e;
}

void wk_shell_command_main(struct wk_task *t, int argc, char **argv)
{
    struct wk_mem *m = t->k->mem;
    struct start s = {.self = argc > 0 ? argv[0] : "bash", .status = -1};
    struct wk_proc *p = t->proc;
    struct wk_exit e = {0, 0};
    const char *base = strrchr(s.self, '/');
    base = base ? base + 1 : s.self;
    if (*base == '-') {
        s.login = true;
        base++;
    }
    s.o.posix = strcmp(base, "sh") == 0;
    s.o.import_functions = true;
    wk_buf_init(&s.out, m, 1 << 20);
    wk_buf_init(&s.err, m, 1 << 20);
    int at = parse(&s, argc, argv);
    if (s.status < 0 && s.has_command && at >= argc)
        bad_option(&s, "-c", "option requires an argument", false);
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
