/* cond.c - [[ … ]] and the primaries that it shares with test */
#include "interp/cond.h"

#include "base/num.h"
#include "interp/arith.h"
#include "interp/expand_parts.h"
#include "interp/parser.h"
#include "interp/run.h"
#include "interp/vars_special.h"
#include "interp/xtrace.h"
#include "vfs/vfs.h"

/* ---- files
 * ------------------------------------------------------------------------------------------------
 */

/* The descriptor that a path stands for, or -1. */
static int descriptor_of(struct wk_str path)
{
    static const struct wk_str standard[] = {WK_STR_INIT("/dev/stdin"), WK_STR_INIT("/dev/stdout"),
                                             WK_STR_INIT("/dev/stderr")};
    for (int i = 0; i < 3; i++)
        if (wk_str_eq(path, standard[i]))
            return i;
    if (!wk_str_starts(path, WK_STR("/dev/fd/")))
        return -1;
    int64_t n;
    struct wk_str digits = wk_str_from(path, 8);
    return wk_parse_i64(digits, 10, &n) == 0 && n >= 0 && n <= INT32_MAX ? (int)n : -1;
}

static bool stat_path(struct wk_shell *sh, struct wk_str path, int flags, struct wk_stat *st)
{
    if (!path.n)
        return false;
    int fd = flags & WK_AT_NOFOLLOW ? -1 : descriptor_of(path);
    if (fd >= 0) {
        struct wk_file *f = wk_fd_get(sh->proc->fds, fd);
        return f && wk_file_stat(f, st) == 0;
    }
    return wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, path, flags, st) == 0;
}

static bool may(struct wk_shell *sh, struct wk_str path, int want)
{
    struct wk_stat st;
    return stat_path(sh, path, 0, &st) && wk_stat_allows(&st, &sh->proc->cred, want);
}

static bool file_is(struct wk_shell *sh, char op, struct wk_str path)
{
    struct wk_stat st;
    if (op == 'r' || op == 'w' || op == 'x')
        return may(sh, path, op == 'r' ? WK_R_OK : op == 'w' ? WK_W_OK : WK_X_OK);
    bool link = op == 'h' || op == 'L';
    if (!stat_path(sh, path, link ? WK_AT_NOFOLLOW : 0, &st))
        return false;
    uint32_t type = st.mode & WK_S_IFMT;
    switch (op) {
    case 'b':
        return type == WK_S_IFBLK;
    case 'c':
        return type == WK_S_IFCHR;
    case 'd':
        return type == WK_S_IFDIR;
    case 'f':
        return type == WK_S_IFREG;
    case 'h':
    case 'L':
        return type == WK_S_IFLNK;
    case 'p':
        return type == WK_S_IFIFO;
    case 'S':
        return type == WK_S_IFSOCK;
    case 's':
        return st.size > 0;
    case 'g':
        return (st.mode & 02000) != 0;
    case 'u':
        return (st.mode & 04000) != 0;
    case 'k':
        return (st.mode & 01000) != 0;
    case 'O':
        return st.uid == sh->proc->cred.uid;
    case 'G':
        return st.gid == sh->proc->cred.gid;
    case 'N':
        return st.mtim > st.atim;
    default: /* a e */
        return true;
    }
}

/* Is the variable set, or its element when there is a subscript? */
static bool place_is_set(struct wk_shell *sh, uint32_t id, struct wk_str sub)
{
    struct wk_str value;
    char scratch[24];
    bool set = false;
    if (!sub.p) {
        const struct wk_var *v = wk_var_peek(sh, id);
        struct wk_str inner = {0};
        if (v && v->flags & WK_VAR_NAMEREF && (wk_var_resolve(sh, &id, &inner) != 0 || inner.p))
            return false; /* a reference to an element is looked up as a name */
        return wk_var_is_set(sh, id);
    }
    if (sub.n == 1 && (sub.p[0] == '@' || sub.p[0] == '*')) {
        const struct wk_var *v = wk_var_peek(sh, id);
        if (!v || !(v->flags & WK_VAR_ASSOC))
            return wk_var_count(sh, id) > 0;
    }
    const struct wk_var *v = wk_var_peek(sh, id);
    if (v && v->flags & WK_VAR_ASSOC && wk_shopt(sh, ASSOC_EXPAND_ONCE))
        return wk_var_key_get(sh, id, sub, scratch, &value, &set) == 0 && set;
    const char *outer = sh->builtin_name; /* not told with errors in a subscript */
    sh->builtin_name = NULL;
    set = wk_var_sub_get(sh, id, sub, scratch, &value, &set) == 0 && set;
    sh->builtin_name = outer;
    return set;
}

/* -v name, -v name[sub], -v 1 */
static bool variable_is_set(struct wk_shell *sh, struct wk_str s)
{
    struct wk_str name, sub;
    int64_t n;
    if (s.n && wk_is_digit((unsigned char)s.p[0]))
        return wk_parse_i64(s, 10, &n) == 0 && n >= 0 && n <= sh->st->params.n;
    if (!wk_var_split_target(s, &name, &sub))
        return false;
    /* a subscript is evaluated whether there is such an array or not */
    uint32_t id = sub.p ? wk_names_intern(sh->names, name) : wk_names_find(sh->names, name);
    if (id == WK_NAME_NONE)
        return false;
    bool self = wk_var_enter_self(sh, id);
    if (WK_UNLIKELY(self) && sub.p)
        wk_var_warn_circular(sh, id); /* elements tell it twice */
    bool set = place_is_set(sh, id, sub);
    if (WK_UNLIKELY(self))
        wk_var_swap_global(sh, id);
    return set;
}

int wk_cond_unary(struct wk_shell *sh, char op, struct wk_str arg)
{
    int64_t fd;
    switch (op) {
    case 'n':
        return arg.n > 0;
    case 'z':
        return arg.n == 0;
    case 'o': {
        int o = wk_set_option_find(arg);
        return o >= 0 && (sh->st->options >> o & 1);
    }
    case 'v':
        return variable_is_set(sh, arg);
    case 'R': {
        uint32_t id = wk_names_find(sh->names, arg);
        const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
        return v && v->flags & WK_VAR_NAMEREF && v->text;
    }
    case 't': {
        if (wk_parse_blanked(arg, &fd) != 0 || fd < 0 || fd > INT32_MAX)
            return 0;
        struct wk_file *f = wk_fd_get(sh->proc->fds, (int)fd);
        return f && f->is_tty;
    }
    default:
        return file_is(sh, op, arg);
    }
}

int wk_cond_files(struct wk_shell *sh, const char *op, struct wk_str a, struct wk_str b)
{
    struct wk_stat x, y;
    bool has_x = stat_path(sh, a, 0, &x), has_y = stat_path(sh, b, 0, &y);
    if (op[1] == 'e')
        return has_x && has_y && x.dev == y.dev && x.ino == y.ino;
    if (op[1] == 'n') /* a file that exists is newer than one that does not */
        return has_x && (!has_y || x.mtim > y.mtim);
    return has_y && (!has_x || x.mtim < y.mtim);
}

/* ---- [[ ]]
 * ----------------------------------------------------------------------------------------------------
 */

static enum wk_flow operand(struct wk_shell *sh, const struct wk_word *w, struct wk_str *out)
{
    if (w->flags & WK_WORD_LITERAL) {
        *out = wk_word_text(w);
        return WK_NEXT;
    }
    return wk_expand_string(sh, w, WK_EXPAND_STRING, out);
}

/* What a segment has become, with and without its [ ] and ~ quoted where they were so, or come from an expansion. */
static enum wk_flow put_guarded(struct wk_shell *sh, const struct wk_seg *s, struct wk_buf *plain,
                                 struct wk_buf *guarded)
{
    bool lit = s->kind == WK_SEG_LIT;
    struct wk_str t = lit ? wk_str(s->u.pat, s->pat_len) : WK_STR("");
    enum wk_flow flow = lit ? WK_NEXT : wk_expand_operand(sh, s, &t);
    for (size_t i = 0; flow == WK_NEXT && i < t.n; i++) {
        bool quoted = !lit;
        if (lit && t.p[i] == '\\' && i + 1 < t.n) {
            quoted = true;
            i++;
        }
        if (quoted && memchr("[]~", t.p[i], 3))
            wk_buf_putc(guarded, '\\');
        wk_buf_putc(guarded, t.p[i]);
        wk_buf_putc(plain, t.p[i]);
    }
    return flow;
}

/* The text of NAME[…] as `plain` has it, and as the subscript of an array with numbers: there bash keeps brackets
 * quoted, but for the outer ones. */
static enum wk_flow choose_text(struct wk_shell *sh, struct wk_str plain, struct wk_str guarded, struct wk_str *out)
{
    ptrdiff_t open = wk_str_chr(plain, '[');
    size_t n = open > 0 ? (size_t)open : 0, from = n + 1, to = guarded.n;
    uint32_t id = n ? wk_names_find(sh->names, wk_str_take(plain, n)) : WK_NAME_NONE;
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    bool element = n && wk_str_is_name(wk_str_take(plain, n)) && plain.p[plain.n - 1] == ']';
    if (element && !(v && v->flags & (WK_VAR_ASSOC | WK_VAR_NAMEREF))) {
        from += guarded.p[n] == '\\';
        to -= guarded.p[n] == '\\' && to > from + 1 ? 2 : 1;
        element = to >= from;
    } else {
        element = false;
    }
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    wk_buf_puts(&b, element ? wk_str_take(plain, n + 1) : plain);
    if (element) {
        wk_buf_put(&b, guarded.p + from, to - from);
        wk_buf_putc(&b, ']');
    }
    char *p = b.failed ? NULL : wk_arena_strndup(&sh->arena, wk_buf_c(&b), b.n);
    *out = wk_str(p, b.n);
    wk_buf_release(&b);
    return p ? WK_NEXT : wk_sh_nomem(sh);
}

/* An operand that names a variable, or is an expression. */
static enum wk_flow name_operand(struct wk_shell *sh, const struct wk_word *w, struct wk_str *out)
{
    struct wk_str source = wk_word_source(w);
    struct wk_buf plain, guarded;
    bool bracket = wk_str_chr(source, '[') >= 0 || wk_str_chr(source, '$') >= 0;
    if (WK_LIKELY(!bracket || ((w->flags & WK_WORD_LITERAL) && !(w->flags & WK_WORD_QUOTED))))
        return operand(sh, w, out);
    enum wk_flow flow = WK_NEXT;
    wk_buf_init(&plain, sh->mem, WK_VAL_MAX);
    wk_buf_init(&guarded, sh->mem, WK_VAL_MAX);
    for (uint32_t i = 0; i < w->n_segs && flow == WK_NEXT; i++)
        flow = put_guarded(sh, &w->segs[i], &plain, &guarded);
    if (flow == WK_NEXT && (plain.failed || guarded.failed))
        flow = wk_sh_nomem(sh);
    if (flow == WK_NEXT)
        flow = choose_text(sh, wk_buf_str(&plain), wk_buf_str(&guarded), out);
    wk_buf_release(&plain);
    wk_buf_release(&guarded);
    return flow;
}

static bool is_integer_op(const struct wk_cond *c)
{
    return c->kind == WK_COND_BINARY && c->op >= WK_COND_INT_EQ && c->op <= WK_COND_INT_GE;
}

/* BASH_REMATCH: the whole and the groups; empty after a failure. */
static enum wk_flow store_matches(struct wk_shell *sh, struct wk_str text,
                                  const struct wk_re_span *spans, size_t n)
{
    struct wk_str *v = wk_arena_alloc(&sh->arena, (n + 1) * sizeof *v);
    if (!v)
        return wk_sh_nomem(sh);
    for (size_t i = 0; i < n; i++)
        v[i] = spans[i].start < 0
                   ? WK_STR("")
                   : wk_str(text.p + spans[i].start, (size_t)(spans[i].end - spans[i].start));
    int r = wk_var_set_rematch(sh, v, n);
    return r == -WK_EPERM ? WK_NEXT : r ? wk_sh_fail(sh, r) : WK_NEXT;
}

static int count_bytes(void *ctx, size_t bytes)
{
    struct wk_shell *sh = ctx;
    size_t n = bytes / 64 + 1;
    return wk_steps(sh->k, n > UINT32_MAX ? UINT32_MAX : (uint32_t)n);
}

static enum wk_flow match_regex(struct wk_shell *sh, struct wk_str text, struct wk_str pattern,
                                bool *out)
{
    struct wk_re *re;
    struct wk_re_error err;
    unsigned flags = WK_RE_EXTENDED | (wk_shopt(sh, NOCASEMATCH) ? WK_RE_ICASE : 0u) |
                     (sh->st->bytes ? WK_RE_BYTES : 0u);
    *out = false;
    int r = wk_shared_regex_get(sh, pattern, flags, &re, &err);
    if (r == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (r) { /* bash says nothing: false, and status 2 when it is the last term */
        sh->cond_refused = true;
        return WK_NEXT;
    }
    size_t n = wk_re_groups(re) + 1;
    struct wk_re_span *spans = wk_arena_alloc(&sh->arena, n * sizeof *spans);
    struct wk_re_run run = {.step = count_bytes, .ctx = sh};
    r = spans ? wk_re_search(re, &run, text, 0, spans, n) : -WK_ENOMEM;
    wk_re_unref(re);
    if (r == -WK_ELIMIT) {
        (void)wk_kern_breach(sh->k, WK_LIMIT_REGEX);
        return WK_STOP;
    }
    if (r < 0)
        return r == -WK_ENOMEM ? wk_sh_nomem(sh) : WK_STOP;
    *out = r > 0;
    return store_matches(sh, text, spans, r ? n : 0);
}

/* s is what a[$key] has become, written so and without quotes around it: the element of the associative array a,
 * whose key is not expanded again. False when it is something else. */
static bool exact_element(struct wk_shell *sh, const struct wk_word *w, struct wk_str s, char *scratch,
                          struct wk_str *value, bool *set)
{
    struct wk_str source = wk_word_source(w);
    ptrdiff_t bracket = wk_str_chr(source, '[');
    if (bracket <= 0 || source.p[source.n - 1] != ']' || w->flags & WK_WORD_LITERAL ||
        !wk_str_starts(s, wk_str_take(source, (size_t)bracket + 1)) || s.n < (size_t)bracket + 2)
        return false;
    uint32_t id = wk_names_find(sh->names, wk_str_take(source, (size_t)bracket));
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    if (!v || (v->flags & (WK_VAR_ASSOC | WK_VAR_NAMEREF)) != WK_VAR_ASSOC)
        return false;
    struct wk_str key = wk_str(s.p + bracket + 1, s.n - (size_t)bracket - 2);
    return key.n && wk_var_key_get(sh, id, key, scratch, value, set) == 0;
}

/* An integer operand: its errors are the condition's, which is then false. */
static enum wk_flow integer(struct wk_shell *sh, const struct wk_word *w, struct wk_str s, int64_t *out,
                            bool *bad)
{
    const char *outer = sh->builtin_name;
    char scratch[24];
    struct wk_str value;
    bool set;
    if (exact_element(sh, w, s, scratch, &value, &set))
        s = set ? value : WK_STR("0");
    sh->builtin_name = "[[";
    enum wk_flow flow = wk_arith_text(sh, s, out);
    sh->builtin_name = outer;
    flow = wk_sh_arith_flow(sh, flow, bad);
    return *bad ? WK_NEXT : flow;
}

static enum wk_flow compare_integers(struct wk_shell *sh, const struct wk_cond *c, struct wk_str a,
                                     struct wk_str b, bool *out)
{
    int64_t x, y;
    bool bad;
    *out = false;
    enum wk_flow flow = integer(sh, c->left, a, &x, &bad);
    if (flow != WK_NEXT || bad)
        return flow;
    flow = integer(sh, c->right, b, &y, &bad);
    if (flow != WK_NEXT || bad)
        return flow;
    switch (c->op) {
    case WK_COND_INT_EQ:
        *out = x == y;
        break;
    case WK_COND_INT_NE:
        *out = x != y;
        break;
    case WK_COND_INT_LT:
        *out = x < y;
        break;
    case WK_COND_INT_LE:
        *out = x <= y;
        break;
    case WK_COND_INT_GT:
        *out = x > y;
        break;
    default:
        *out = x >= y;
        break;
    }
    return WK_NEXT;
}

/* The right operand: a pattern, a regular expression or a string. */
static enum wk_flow right_operand(struct wk_shell *sh, const struct wk_cond *c, struct wk_str *out)
{
    switch (c->op) {
    case WK_COND_EQ:
    case WK_COND_EQEQ:
    case WK_COND_NE:
        return wk_expand_string(sh, c->right,
                                wk_opt(sh, XTRACE) ? WK_EXPAND_TRACED : WK_EXPAND_PATTERN, out);
    case WK_COND_MATCH:
        return wk_expand_string(sh, c->right, WK_EXPAND_REGEX, out);
    default:
        return is_integer_op(c) ? name_operand(sh, c->right, out) : operand(sh, c->right, out);
    }
}

static enum wk_flow binary(struct wk_shell *sh, const struct wk_cond *c, bool negated, bool *out)
{
    struct wk_str a, b;
    enum wk_flow flow = is_integer_op(c) ? name_operand(sh, c->left, &a) : operand(sh, c->left, &a);
    if (flow == WK_NEXT)
        flow = right_operand(sh, c, &b);
    if (flow == WK_NEXT && wk_opt(sh, XTRACE))
        flow = wk_xtrace_cond(sh, c, negated, a, b);
    if (flow != WK_NEXT)
        return flow;
    sh->cond_refused = false;
    switch (c->op) {
    case WK_COND_EQ:
    case WK_COND_EQEQ:
    case WK_COND_NE:
        flow = wk_match_cond(sh, a, b, wk_shopt(sh, NOCASEMATCH), out);
        *out = *out != (c->op == WK_COND_NE);
        return flow;
    case WK_COND_MATCH:
        return match_regex(sh, a, b, out);
    case WK_COND_LT:
    case WK_COND_GT:
        *out = c->op == WK_COND_LT ? wk_str_cmp(a, b) < 0 : wk_str_cmp(a, b) > 0;
        return WK_NEXT;
    case WK_COND_NT:
    case WK_COND_OT:
    case WK_COND_EF:
        *out = wk_cond_files(sh, wk_cond_op_text(c->op), a, b) != 0;
        return WK_NEXT;
    default:
        return compare_integers(sh, c, a, b, out);
    }
}

static enum wk_flow unary(struct wk_shell *sh, const struct wk_cond *c, bool negated, bool *out)
{
    struct wk_str s;
    bool name = c->kind != WK_COND_WORD && c->op == 'v';
    enum wk_flow flow = name ? name_operand(sh, c->left, &s) : operand(sh, c->left, &s);
    if (flow == WK_NEXT && wk_opt(sh, XTRACE))
        flow = wk_xtrace_cond(sh, c, negated, s, WK_STR(""));
    char scratch[24];
    struct wk_str value;
    if (flow == WK_NEXT && c->kind != WK_COND_WORD && c->op == 'v' &&
        exact_element(sh, c->left, s, scratch, &value, out))
        return WK_NEXT;
    sh->cond_refused = false;
    if (flow == WK_NEXT)
        *out = c->kind == WK_COND_WORD ? s.n > 0 : wk_cond_unary(sh, c->op, s) != 0;
    return flow;
}

static enum wk_flow eval(struct wk_shell *sh, const struct wk_cond *c, bool negated, bool *out);

struct deep {
    struct wk_shell *sh;
    const struct wk_cond *c;
    bool negated, *out;
};

static int eval_further(void *arg)
{
    struct deep *d = arg;
    return (int)eval(d->sh, d->c, d->negated, d->out);
}

/* `negated`: a ! stands in front, which set -x shows with the term. */
static enum wk_flow eval(struct wk_shell *sh, const struct wk_cond *c, bool negated, bool *out)
{
    enum wk_flow flow;
    int result;
    *out = false;
    if (WK_UNLIKELY(wk_stack_low(sh->task))) {
        struct deep d = {sh, c, negated, out};
        if (wk_stack_call(sh->task, eval_further, &d, &result) != 0)
            return wk_sh_nomem(sh);
        return (enum wk_flow)result;
    }
    switch (c->kind) {
    case WK_COND_AND:
        flow = eval(sh, c->a, false, out);
        return flow == WK_NEXT && *out ? eval(sh, c->b, false, out) : flow;
    case WK_COND_OR:
        flow = eval(sh, c->a, false, out);
        return flow == WK_NEXT && !*out ? eval(sh, c->b, false, out) : flow;
    case WK_COND_NOT:
        flow = eval(sh, c->a, true, out);
        *out = !*out;
        sh->cond_refused = false;
        return flow;
    case WK_COND_PAREN:
        return eval(sh, c->a, false, out);
    case WK_COND_BINARY:
        return binary(sh, c, negated, out);
    default:
        return unary(sh, c, negated, out);
    }
}

enum wk_flow wk_cond_status(struct wk_shell *sh, const struct wk_cond *c, int *status)
{
    bool v;
    enum wk_flow flow = eval(sh, c, false, &v);
    *status = v ? 0 : sh->cond_refused ? 2 : 1;
    sh->running = "[[";
    return flow;
}
