/* redir.c - redirections and their undoing (bash 3.6) */
#include "interp/coproc.h"
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
    bool child;                  /* they are a child's, lent to the shell */
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
    if (!e && !x->child)
        e = wk_coproc_closed(x->sh, fd);
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
        wk_sh_error(x->sh, "%s: readonly variable", wk_names_str(x->sh->names, x->r->var).p);
        if (wk_opt(x->sh, ERREXIT) && !x->sh->interactive)
            return x->undo ? -WK_EROFS : -WK_EPERM; /* of a child: it ends anyway */
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

/* What the variable of {var} holds. */
static int var_value(const struct redir *x, char *scratch, struct wk_str *value, bool *set)
{
    const struct wk_subscript *sub = x->r->var_sub;
    const struct wk_var *v = wk_var_peek(x->sh, x->r->var);
    int64_t index;
    if (!sub || sub->kind != WK_SUB_EXPR || !sub->arith) {
        *set = wk_var_get(x->sh, x->r->var, scratch, value);
        return 0;
    }
    if (v && v->flags & WK_VAR_ASSOC && sub->word) {
        struct wk_str key;
        if (wk_expand_string(x->sh, sub->word, WK_EXPAND_KEYED, &key) != WK_NEXT)
            return -WK_EPERM;
        return wk_var_key_get(x->sh, x->r->var, key, scratch, value, set);
    }
    if (wk_arith_eval(x->sh, sub->arith, &index) != WK_NEXT)
        return -WK_EPERM;
    return wk_var_elem_get(x->sh, x->r->var, index, scratch, value, set);
}

static int ambiguous(const struct redir *x, struct wk_str target)
{
    if (x->r->var != WK_NAME_NONE)
        target = var_target(x);
    if (!target.p)
        return -WK_ENOMEM;
    wk_sh_error(x->sh, "%.*s: ambiguous redirect", (int)target.n, target.p);
    return -WK_EPERM;
}

/* {var}>&-: close what the variable names. A text that is no number stands for 0, a large number for its low bits. */
static int close_in_var(const struct redir *x)
{
    char scratch[24];
    struct wk_str value = WK_STR("");
    int64_t n = 0;
    bool set = false;
    int e = var_value(x, scratch, &value, &set);
    if (e)
        return e;
    if (value.n && wk_parse_blanked(value, &n) != 0)
        n = 0;
    uint32_t fd = (uint32_t)(uint64_t)n;
    if (!set || !value.n || fd > INT32_MAX)
        return ambiguous(x, value);
    return drop(x, (int)fd);
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
    if (e == -WK_EEXIST && x->r->var != WK_NAME_NONE)
        name = var_target(x);
    if (!name.p)
        return -WK_ENOMEM;
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

/* What bash's own copying of a descriptor says, without a line. */
static void cannot_copy(const struct redir *x, int e)
{
    uint32_t line = x->sh->line;
    x->sh->line = 0;
    wk_sh_error(x->sh, "redirection error: cannot duplicate fd: %s", wk_err_text(e));
    x->sh->line = line;
}

/* A descriptor that the process may not have: `fd` is what the message names. */
static int refused(const struct redir *x, struct wk_str name, int64_t fd, int e)
{
    if (e == -WK_EBADF) {
        wk_sh_error(x->sh, "%lld: Bad file descriptor", (long long)fd);
    } else if (e == -WK_EMFILE) {
        cannot_copy(x, e);
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

/* ---- duplication ----------------------------------------------------------------------------- */

static bool all_digits(struct wk_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!wk_is_digit((unsigned char)s.p[i]))
            return false;
    return s.n > 0;
}

/* A word of digits alone, as it is written, is a number to the parser; others are told of by the descriptor that they
 * were for, or as they are written if that is the usual one. */
static int bad_fd(const struct redir *x, struct wk_str digits, int default_fd)
{
    const struct wk_redir *r = x->r;
    bool move = r->flags & WK_REDIR_MOVE;
    int64_t written;
    int to = r->fd >= 0 ? r->fd : default_fd;
    bool number = all_digits(wk_word_source(r->word)) && wk_parse_i64(wk_word_source(r->word), 10, &written) == 0 &&
                  written <= INT32_MAX;
    if (r->var != WK_NAME_NONE || (move && x->undo && wk_fd_get(x->proc->fds, to)))
        cannot_copy(x, -WK_EBADF);
    if (number)
        wk_sh_error(x->sh, "%lld: Bad file descriptor", (long long)written);
    else if (r->var != WK_NAME_NONE)
        wk_sh_error(x->sh, "%.*s: Bad file descriptor", (int)digits.n, digits.p);
    else if (move || to != default_fd)
        wk_sh_error(x->sh, "%d: Bad file descriptor", to);
    else
        wk_sh_error(x->sh, "%s: Bad file descriptor", r->word->source);
    return -WK_EPERM;
}

/* >&word as &>word: what the word gave is expanded once more. */
static int redirect_both(const struct redir *x, struct wk_str target, enum wk_flow *flow)
{
    struct wk_str name;
    if (x->r->word->flags & WK_WORD_LITERAL && !(x->r->word->flags & (WK_WORD_GLOB | WK_WORD_QUOTED)))
        return redirect_file(x, target);
    *flow = wk_expand_target_text(x->sh, target, &name);
    if (*flow != WK_NEXT)
        return -WK_EPERM;
    return name.p ? redirect_file(x, name) : ambiguous(x, target);
}

/* The descriptor that was moved away. It is closed for good if the new place was free. */
static int moved(const struct redir *x, int from, bool was_free)
{
    struct redir kept = *x;
    if (was_free && x->r->var == WK_NAME_NONE)
        kept.undo = NULL;
    return drop(&kept, from);
}

static int redirect_dup(const struct redir *x, struct wk_str target, enum wk_flow *flow)
{
    int default_fd = x->r->op == WK_REDIR_DUP_IN ? 0 : 1;
    bool move = x->r->flags & WK_REDIR_MOVE, in_var = x->r->var != WK_NAME_NONE;
    int to = x->r->fd >= 0 ? x->r->fd : default_fd;
    if (wk_str_is(target, "-") || (!target.p && move))
        return in_var ? close_in_var(x) : drop(x, to);
    if (!target.p)
        return ambiguous(x, wk_word_source(x->r->word));
    if (target.n && !all_digits(target)) {
        bool out = x->r->op == WK_REDIR_DUP_OUT && to == 1 && !in_var && !move;
        return out ? redirect_both(x, target, flow) : ambiguous(x, target);
    }
    int64_t from;
    if (wk_parse_i64(target, 10, &from) != 0 || from > FD_MOST)
        return bad_fd(x, target, default_fd);
    if (from == to && !in_var) /* closed or not */
        return 0;
    struct wk_file *f = wk_fd_get(x->proc->fds, (int)from);
    if (!f)
        return bad_fd(x, target, default_fd);
    bool was_free = !wk_fd_get(x->proc->fds, to);
    int e = refused(x, target, from, put(x, default_fd, wk_file_ref(f)));
    return !e && move ? moved(x, (int)from, was_free) : e;
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

/* The body of a here-document or here-string. */
static enum wk_flow expand_bytes(struct wk_shell *sh, const struct wk_redir *r, struct wk_str *text)
{
    if (r->op == WK_REDIR_HEREDOC && !(r->flags & WK_REDIR_QUOTED))
        return wk_expand_string(sh, r->word, WK_EXPAND_HEREDOC, text);
    if (r->op == WK_REDIR_HERESTR)
        return wk_expand_string(sh, r->word, WK_EXPAND_ASSIGN, text);
    if (r->word && r->word->text)
        *text = wk_word_text(r->word);
    else if (r->word && r->word->n_segs)
        *text = wk_str(r->word->segs[0].text, r->word->segs[0].text_len);
    return WK_NEXT;
}

/* 0, or an error: -WK_EPERM after a message. *flow is set when an expansion ended otherwise. */
static int apply_one(const struct redir *x, enum wk_flow *flow)
{
    const struct wk_redir *r = x->r;
    struct wk_str text = WK_STR("");
    if (r->op == WK_REDIR_HEREDOC || r->op == WK_REDIR_HERESTR) {
        *flow = expand_bytes(x->sh, r, &text);
        return *flow == WK_NEXT ? redirect_bytes(x, text) : -WK_EPERM;
    }
    bool dup = r->op == WK_REDIR_DUP_IN || r->op == WK_REDIR_DUP_OUT;
    *flow = wk_expand_target(x->sh, r->word, dup || r->flags & WK_REDIR_AMP_AFTER, &text);
    if (*flow != WK_NEXT)
        return -WK_EPERM;
    if (dup)
        return redirect_dup(x, text, flow);
    if (!text.p)
        return ambiguous(x, wk_word_source(r->word));
    return r->flags & WK_REDIR_AMP_AFTER ? redirect_both(x, text, flow) : redirect_file(x, text);
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
    if (flow == WK_NEXT && e == -WK_EROFS) /* {var} cannot be assigned, which ends the shell now */
        flow = wk_sh_discard_as(x->sh, WK_DISCARD_ENDS_ERREXIT);
    else if (flow == WK_NEXT && e != -WK_EPERM)
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
    struct redir x = {.sh = sh, .proc = sh->proc, .undo = NULL, .child = true};
    sh->proc->fds = child->fds;
    enum wk_flow flow = apply_all(&x, r, n, ok);
    if (sh->proc != child) {
        child->fds = sh->proc->fds;
        sh->proc->fds = mine;
    }
    return flow;
}
