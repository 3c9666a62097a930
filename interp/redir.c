/* redir.c - redirections and their undoing (bash 3.6) */
#include "interp/redir.h"
#include "interp/arith.h"
#include "interp/expand.h"
#include "interp/run.h"
#include "interp/vars.h"

#include "base/num.h"
#include "vfs/vfs.h"

/* A descriptor as it was before. */
struct wk_redir_undo {
    struct wk_redir_undo *next;
    int fd;
    bool cloexec;
    struct wk_file *file; /* held; NULL: it was closed */
};

struct redir {
    struct wk_shell *sh;
    struct wk_proc *proc;        /* whose descriptors change */
    struct wk_redir_undo **undo; /* NULL: they stay */
    const struct wk_redir *r;
};

enum { FD_MOST = 1 << 20, VAR_FD_LEAST = 10 };

/* ---- changing descriptors -------------------------------------------------------------------- */

static int remember(const struct redir *x, int fd)
{
    if (!x->undo)
        return 0;
    struct wk_redir_undo *u = wk_arena_alloc(&x->sh->arena, sizeof *u);
    if (!u)
        return -WK_ENOMEM;
    u->fd = fd;
    u->file = wk_fd_get(x->proc->fds, fd);
    u->cloexec = u->file && x->proc->fds->ents[fd].cloexec;
    if (u->file)
        wk_file_ref(u->file);
    u->next = *x->undo;
    *x->undo = u;
    return 0;
}

/* Takes the reference of f, also on failure. */
static int place(const struct redir *x, int fd, struct wk_file *f)
{
    int e = remember(x, fd);
    if (e) {
        wk_file_unref(f);
        return e;
    }
    return wk_fd_set(&x->proc->fds, fd, f, false);
}

static int drop(const struct redir *x, int fd)
{
    if (!wk_fd_get(x->proc->fds, fd))
        return 0;
    int e = remember(x, fd);
    return e ? e : wk_fd_close(&x->proc->fds, fd);
}

void wk_redir_undo(struct wk_shell *sh, struct wk_redir_undo *undo)
{
    for (struct wk_redir_undo *u = undo; u; u = u->next) {
        if (u->file)
            (void)wk_fd_set(&sh->proc->fds, u->fd, u->file, u->cloexec);
        else if (wk_fd_get(sh->proc->fds, u->fd))
            (void)wk_fd_close(&sh->proc->fds, u->fd);
        u->file = NULL;
    }
}

void wk_redir_keep(struct wk_shell *sh, struct wk_redir_undo *undo)
{
    (void)sh;
    for (struct wk_redir_undo *u = undo; u; u = u->next) {
        if (u->file)
            wk_file_unref(u->file);
        u->file = NULL;
    }
}

/* ---- {var} ----------------------------------------------------------------------------------- */

/* "name" or "name[sub]" as wk_var_set_named takes it. */
static struct wk_str var_target(const struct redir *x)
{
    struct wk_str name = wk_names_str(x->sh->names, x->r->var);
    if (!x->r->var_sub)
        return name;
    struct wk_str sub = x->r->var_sub->text;
    char *p = wk_arena_alloc(&x->sh->arena, name.n + sub.n + 3);
    if (!p)
        return wk_str(NULL, 0);
    memcpy(p, name.p, name.n);
    p[name.n] = '[';
    memcpy(p + name.n + 1, sub.p, sub.n);
    memcpy(p + name.n + 1 + sub.n, "]", 2);
    return wk_str(p, name.n + sub.n + 2);
}

/* Put f at a new descriptor and its number in the variable. */
static int place_in_var(const struct redir *x, struct wk_file *f)
{
    struct wk_str target = var_target(x);
    if (!target.p) {
        wk_file_unref(f);
        return -WK_ENOMEM;
    }
    const struct wk_var *v = wk_var_peek(x->sh, x->r->var);
    if (v && (v->flags & WK_VAR_READONLY)) {
        wk_file_unref(f);
        wk_sh_error(x->sh, "%s: readonly variable", target.p);
        wk_sh_error(x->sh, "%s: cannot assign fd to variable", target.p);
        return -WK_EPERM;
    }
    int fd = wk_fd_add(&x->proc->fds, VAR_FD_LEAST, f, false);
    if (fd < 0)
        return fd;
    char digits[WK_NUM_MAX];
    size_t n = wk_fmt_i64(digits, fd);
    int e = wk_var_set_named(x->sh, "redirection", target, wk_str(digits, n));
    if (e) {
        (void)wk_fd_close(&x->proc->fds, fd);
        return e;
    }
    if (wk_shopt(x->sh, VARREDIR_CLOSE) && x->undo) {
        struct wk_redir_undo *u = wk_arena_alloc(&x->sh->arena, sizeof *u);
        if (!u)
            return -WK_ENOMEM;
        *u = (struct wk_redir_undo){.next = *x->undo, .fd = fd};
        *x->undo = u;
    }
    return 0;
}

/* {var}>&-: close what the variable names. */
static int close_in_var(const struct redir *x)
{
    char scratch[24];
    struct wk_str value = WK_STR("");
    int64_t fd = -1;
    bool set;
    int64_t index;
    if (x->r->var_sub && x->r->var_sub->kind == WK_SUB_EXPR && x->r->var_sub->arith) {
        if (wk_arith_eval(x->sh, x->r->var_sub->arith, &index) != WK_NEXT)
            return -WK_EPERM;
        int e = wk_var_elem_get(x->sh, x->r->var, index, scratch, &value, &set);
        if (e)
            return e;
    } else {
        set = wk_var_get(x->sh, x->r->var, scratch, &value);
    }
    if (!set || wk_parse_i64(value, 10, &fd) != 0 || fd < 0 || fd > FD_MOST) {
        struct wk_str t = var_target(x);
        wk_sh_error(x->sh, "%s: ambiguous redirect", t.p ? t.p : "");
        return -WK_EPERM;
    }
    if (!wk_fd_get(x->proc->fds, (int)fd)) {
        wk_sh_error(x->sh, "%s: Bad file descriptor", wk_names_str(x->sh->names, x->r->var).p);
        return -WK_EPERM;
    }
    return wk_fd_close(&x->proc->fds, (int)fd);
}

static int put(const struct redir *x, int default_fd, struct wk_file *f)
{
    if (x->r->var != WK_NAME_NONE)
        return place_in_var(x, f);
    int fd = x->r->fd >= 0 ? x->r->fd : default_fd;
    if (fd > FD_MOST) {
        wk_file_unref(f);
        wk_sh_error(x->sh, "%d: Bad file descriptor", fd);
        return -WK_EPERM;
    }
    return place(x, fd, f);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int fail_open(const struct redir *x, struct wk_str name, int e)
{
    if (e == -WK_ENOMEM || e == -WK_ESTOP)
        return e;
    if (e == -WK_EEXIST)
        wk_sh_error(x->sh, "%s: cannot overwrite existing file", name.p);
    else
        wk_sh_error(x->sh, "%s: %s", name.p, wk_err_text(e));
    return -WK_EPERM;
}

static int open_file(const struct redir *x, struct wk_str name, int flags, struct wk_file **f)
{
    bool guard = (flags & WK_O_TRUNC) && x->r->op != WK_REDIR_CLOBBER && wk_opt(x->sh, NOCLOBBER);
    if (guard) {
        struct wk_stat st;
        int e = wk_vfs_stat(x->sh->k->vfs, &x->proc->cred, x->proc->cwd, name, 0, &st);
        if (e == 0 && WK_S_ISREG(st.mode))
            return fail_open(x, name, -WK_EEXIST);
        if (e)
            flags = (flags & ~WK_O_TRUNC) | WK_O_EXCL;
    }
    if (memchr(name.p, '\0', name.n))
        return fail_open(x, name, -WK_ENOENT);
    for (;;) {
        int e = wk_open(x->sh->task, name.p, flags, 0666, f);
        if (e == -WK_EINTR && !x->sh->task->signal_check)
            continue;
        return e ? fail_open(x, name, e) : 0;
    }
}

/* A descriptor that the process may not have: `fd` is what the message names. */
static int refused(const struct redir *x, struct wk_str name, int64_t fd, int e)
{
    if (e == -WK_EBADF) {
        wk_sh_error(x->sh, "%lld: Bad file descriptor", (long long)fd);
    } else if (e == -WK_EMFILE) {
        wk_sh_error(x->sh, "redirection error: cannot duplicate fd: %s", wk_err_text(e));
        wk_sh_error(x->sh, "%s: %s", name.p, wk_err_text(e));
    } else {
        return e;
    }
    return -WK_EPERM;
}

static int redirect_file(const struct redir *x, struct wk_str name)
{
    struct wk_file *f = NULL;
    int flags, fd = 1;
    switch (x->r->op) {
    case WK_REDIR_IN:
        flags = WK_O_RDONLY;
        fd = 0;
        break;
    case WK_REDIR_RDWR:
        flags = WK_O_RDWR | WK_O_CREAT;
        fd = 0;
        break;
    case WK_REDIR_APPEND:
    case WK_REDIR_APPEND_ERR:
        flags = WK_O_WRONLY | WK_O_CREAT | WK_O_APPEND;
        break;
    default:
        flags = WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC;
        break;
    }
    int e = open_file(x, name, flags, &f);
    if (e)
        return e;
    if (x->r->op == WK_REDIR_OUT_ERR || x->r->op == WK_REDIR_APPEND_ERR ||
        x->r->op == WK_REDIR_DUP_OUT) {
        e = place(x, 1, wk_file_ref(f));
        if (e)
            wk_file_unref(f);
        return e ? e : place(x, 2, f);
    }
    return refused(x, name, x->r->fd, put(x, fd, f));
}

enum wk_expand_mode wk_expand_mode_of_names(const struct wk_shell *sh)
{
    return wk_opt(sh, POSIX) && !sh->interactive ? WK_EXPAND_STRING : WK_EXPAND_REDIR;
}

/* ---- duplication ----------------------------------------------------------------------------- */

static int bad_fd(const struct redir *x, struct wk_str fd)
{
    if (x->r->word && !(x->r->word->flags & WK_WORD_LITERAL))
        wk_sh_error(x->sh, "%s: Bad file descriptor", x->r->word->source);
    else
        wk_sh_error(x->sh, "%.*s: Bad file descriptor", (int)fd.n, fd.p);
    return -WK_EPERM;
}

static int ambiguous(const struct redir *x, struct wk_str target)
{
    wk_sh_error(x->sh, "%.*s: ambiguous redirect", (int)target.n, target.p);
    return -WK_EPERM;
}

static int redirect_dup(const struct redir *x, struct wk_str target)
{
    int default_fd = x->r->op == WK_REDIR_DUP_IN ? 0 : 1;
    bool move = x->r->flags & WK_REDIR_MOVE;
    struct wk_str digits = move && target.n ? wk_str_take(target, target.n - 1) : target;
    if (wk_str_is(digits, "-")) {
        if (x->r->var != WK_NAME_NONE)
            return close_in_var(x);
        return drop(x, x->r->fd >= 0 ? x->r->fd : default_fd);
    }
    bool number = digits.n > 0;
    for (size_t i = 0; i < digits.n; i++)
        number = number && wk_is_digit((unsigned char)digits.p[i]);
    if (!number) {
        bool out = x->r->op == WK_REDIR_DUP_OUT && (x->r->fd < 0 || x->r->fd == 1) && x->r->var == WK_NAME_NONE;
        if (out && target.n && !move)
            return redirect_file(x, target);
        return target.n ? ambiguous(x, digits) : bad_fd(x, digits);
    }
    while (digits.n > 1 && digits.p[0] == '0')
        digits = wk_str_from(digits, 1);
    int64_t from;
    if (wk_parse_i64(digits, 10, &from) != 0 || from > FD_MOST ||
        !wk_fd_get(x->proc->fds, (int)from))
        return bad_fd(x, digits);
    struct wk_file *f = wk_file_ref(wk_fd_get(x->proc->fds, (int)from));
    int to = x->r->fd >= 0 ? x->r->fd : default_fd;
    int e = refused(x, target, from, put(x, default_fd, f));
    if (!e && move && (x->r->var != WK_NAME_NONE || to != (int)from))
        e = drop(x, (int)from);
    return e;
}

/* ---- one redirection ------------------------------------------------------------------------- */

/* The bytes of a here-document or here-string as a file. */
static int redirect_bytes(const struct redir *x, struct wk_str body)
{
    bool line = x->r->op == WK_REDIR_HERESTR;
    char *p = wk_alloc(x->sh->mem, body.n + 1);
    if (!p)
        return -WK_ENOMEM;
    if (body.n)
        memcpy(p, body.p, body.n);
    p[body.n] = '\n';
    struct wk_file *f = NULL;
    int e = wk_bytes_file_new(x->sh->k, p, body.n + line, true, &f);
    if (e) {
        wk_free(x->sh->mem, p);
        return e;
    }
    return put(x, 0, f);
}

/* 0, or an error: -WK_EPERM after a message. *flow is set when an expansion ended otherwise. */
static int apply_one(const struct redir *x, enum wk_flow *flow)
{
    const struct wk_redir *r = x->r;
    struct wk_str text = WK_STR("");
    if (r->op == WK_REDIR_HEREDOC && (r->flags & WK_REDIR_QUOTED)) {
        if (r->word)
            text = r->word->text ? wk_word_text(r->word)
                                 : wk_str(r->word->n_segs ? r->word->segs[0].text : "",
                                          r->word->n_segs ? r->word->segs[0].text_len : 0);
        return redirect_bytes(x, text);
    }
    if (r->word) {
        enum wk_expand_mode mode = r->op == WK_REDIR_HEREDOC   ? WK_EXPAND_HEREDOC
                                   : r->op == WK_REDIR_HERESTR ? WK_EXPAND_ASSIGN
                                                               : wk_expand_mode_of_names(x->sh);
        *flow = wk_expand_string(x->sh, r->word, mode, &text);
        if (*flow != WK_NEXT || !text.p) /* "ambiguous redirect" was said */
            return -WK_EPERM;
    }
    switch (r->op) {
    case WK_REDIR_HEREDOC:
    case WK_REDIR_HERESTR:
        return redirect_bytes(x, text);
    case WK_REDIR_DUP_IN:
    case WK_REDIR_DUP_OUT:
        return redirect_dup(x, text);
    default:
        return redirect_file(x, text);
    }
}

static enum wk_flow apply_all(struct redir *x, const struct wk_redir *const *r, size_t n, bool *ok)
{
    enum wk_flow flow = WK_NEXT;
    int e = 0;
    for (size_t i = 0; i < n && !e; i++) {
        x->r = r[i];
        e = apply_one(x, &flow);
    }
    *ok = e == 0;
    if (WK_LIKELY(e == 0))
        return WK_NEXT;
    if (flow == WK_NEXT && e != -WK_EPERM)
        flow = wk_sh_fail(x->sh, e);
    if (flow == WK_NEXT)
        x->sh->status = 1;
    return flow;
}

enum wk_flow wk_redir_apply(struct wk_shell *sh, const struct wk_redir *const *r, size_t n,
                            struct wk_redir_undo **undo, bool *ok)
{
    *undo = NULL;
    struct redir x = {.sh = sh, .proc = sh->proc, .undo = undo};
    enum wk_flow flow = apply_all(&x, r, n, ok);
    if (!*ok) {
        wk_redir_undo(sh, *undo);
        *undo = NULL;
    }
    return flow;
}

enum wk_flow wk_redir_child(struct wk_shell *sh, struct wk_proc *child,
                            const struct wk_redir *const *r, size_t n, bool *ok)
{
    /* Messages go where the child's would. */
    struct wk_fdtab *mine = sh->proc->fds;
    struct redir x = {.sh = sh, .proc = sh->proc, .undo = NULL};
    sh->proc->fds = child->fds;
    enum wk_flow flow = apply_all(&x, r, n, ok);
    if (sh->proc != child) {
        child->fds = sh->proc->fds;
        sh->proc->fds = mine;
    }
    return flow;
}
