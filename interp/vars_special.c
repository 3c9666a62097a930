/* vars_special.c - computed variables, variables that act, start values, $IFS */
#include "interp/history.h"
#include "interp/vars_special.h"

#include "base/num.h"
#include "base/utf8.h"
#include "interp/alias.h"
#include "interp/arith.h"
#include "interp/lookup.h"
#include "interp/parser.h"
#include "interp/shared.h"
#include "interp/vars_array.h"

enum { NS_PER_S = 1000000000, NS_PER_US = 1000 };

/* ---- RANDOM -------------------------------------------------------------------------------------
 */

/* The "minimal standard" generator x -> 16807 x mod 2^31-1; bash folds its halves since 5.1. */
static uint32_t random_step(struct wk_shell *sh)
{
    struct wk_state *st = sh->st;
    int64_t x = st->random_seed ? (int64_t)st->random_seed : 123459876;
    int64_t t = 16807 * (x % 127773) - 2836 * (x / 127773);
    st->random_seed = (uint32_t)(t < 0 ? t + 0x7fffffff : t);
    char scratch[24];
    struct wk_str compat;
    uint32_t r = st->random_seed;
    bool old = wk_var_get(sh, wk_known(sh, WK_KNOWN_COMPAT), scratch, &compat) && compat.n &&
               (compat.p[0] < '5' || wk_str_is(compat, "50") || wk_str_is(compat, "5.0"));
    return (old ? r : (r >> 16) ^ (r & 0xffff)) & 0x7fff;
}

static int64_t random_next(struct wk_shell *sh)
{
    struct wk_state *st = sh->st;
    if (st->random_depth != st->subshell_depth + 1) {
        st->random_seed = (uint32_t)wk_kern_random(sh->k);
        st->random_depth = st->subshell_depth + 1;
        st->random_last = UINT32_MAX;
    }
    uint32_t r;
    do
        r = random_step(sh);
    while (r == st->random_last);
    st->random_last = r;
    return r;
}

static void random_seed(struct wk_shell *sh, int64_t seed)
{
    sh->st->random_seed = (uint32_t)seed;
    sh->st->random_depth = sh->st->subshell_depth + 1;
    sh->st->random_last = 0;
}

/* ---- scalars
 * --------------------------------------------------------------------------------------- */

static bool arena_text(struct wk_shell *sh, struct wk_buf *b, struct wk_str *text)
{
    char *p = b->failed ? NULL : wk_arena_strndup(&sh->arena, wk_buf_c(b), b->n);
    *text = wk_str(p, b->n);
    wk_buf_release(b);
    return p != NULL;
}

static bool options_text(struct wk_shell *sh, bool shopts, struct wk_str *text)
{
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, SIZE_MAX / 2);
    uint64_t bits = shopts ? sh->st->shopts : sh->st->options;
    int n = shopts ? WK_SHOPTNO_COUNT : WK_SETNO_COUNT;
    const struct wk_option_info *table = shopts ? wk_shopt_table : wk_set_option_table;
    for (int i = 0; i < n; i++) {
        if (!(bits >> i & 1))
            continue;
        if (b.n)
            wk_buf_putc(&b, ':');
        wk_buf_put_c(&b, table[i].name);
    }
    return arena_text(sh, &b, text);
}

/* Of a loop or case only its head. */
static bool command_text(struct wk_shell *sh, struct wk_str *text)
{
    const struct wk_node *n = sh->now.command;
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, SIZE_MAX / 2);
    switch (n ? n->kind : WK_NODE_SIMPLE) {
    case WK_NODE_CFOR: {
        struct wk_str part = sh->command_part ? sh->command_part->text : WK_STR("1");
        wk_buf_fmt(&b, "((%.*s))", (int)part.n, part.p);
        break;
    }
    case WK_NODE_FOR:
    case WK_NODE_SELECT:
    case WK_NODE_CASE:
        (void)wk_print_head(&b, n);
        if (n->kind == WK_NODE_CASE)
            wk_buf_putc(&b, ' ');
        break;
    case WK_NODE_ARITH: { /* without redirections */
        struct wk_node_arith bare = *wk_as_arith(n);
        bare.base.n_redirs = 0;
        (void)wk_print_node(&b, &bare.base, WK_PRINT_LINE);
        break;
    }
    case WK_NODE_COND: {
        struct wk_node_cond bare = *wk_as_cond(n);
        bare.base.n_redirs = 0;
        (void)wk_print_node(&b, &bare.base, WK_PRINT_LINE);
        break;
    }
    default:
        if (n)
            (void)wk_print_node(&b, n, WK_PRINT_LINE);
    }
    return arena_text(sh, &b, text);
}

static bool realtime_text(struct wk_shell *sh, struct wk_str *text)
{
    int64_t now = wk_clock_realtime(&sh->k->clock);
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, SIZE_MAX / 2);
    wk_buf_fmt(&b, "%lld.%06lld", (long long)(now / NS_PER_S),
               (long long)(now % NS_PER_S / NS_PER_US));
    return arena_text(sh, &b, text);
}

/* Whether it is one; *ival. */
static bool computed_number(struct wk_shell *sh, enum wk_special kind, int64_t *ival)
{
    switch (kind) {
    case WK_SPECIAL_LINENO:
        *ival = wk_frame_line(sh, sh->now.frame, sh->line);
        return true;
    case WK_SPECIAL_RANDOM:
        *ival = random_next(sh);
        return true;
    case WK_SPECIAL_SRANDOM:
        *ival = (uint32_t)wk_kern_random(sh->k);
        return true;
    case WK_SPECIAL_SECONDS:
        *ival = (int64_t)((uint64_t)((wk_clock_monotonic(&sh->k->clock) - sh->st->seconds_base_ns) / NS_PER_S) +
                          (uint64_t)sh->st->seconds_value);
        return true;
    case WK_SPECIAL_EPOCHSECONDS:
        *ival = wk_clock_realtime(&sh->k->clock) / NS_PER_S;
        return true;
    case WK_SPECIAL_BASHPID:
        *ival = sh->proc->pid;
        return true;
    case WK_SPECIAL_SUBSHELL:
        *ival = (int64_t)sh->st->subshell_depth + sh->st->subshell_shift;
        return true;
    case WK_SPECIAL_HISTCMD:
        *ival = wk_history_base(sh) + wk_history_count(sh) - 1;
        return true;
    default:
        return false;
    }
}

static void keep_number(struct wk_shell *sh, enum wk_special kind, int64_t n)
{
    _Static_assert((int)WK_SPECIAL_HISTCMD < (int)WK_COMPUTED_KINDS, "the last of the numbers");
    sh->st->computed[kind] = n;
    sh->st->computed_known |= UINT32_C(1) << kind;
}

/* SECONDS and RANDOM are integers once they were asked for, whatever `declare' said. */
static WK_NOINLINE void make_integer(struct wk_shell *sh, enum wk_special kind)
{
    struct wk_str name = kind == WK_SPECIAL_SECONDS ? WK_STR("SECONDS") : WK_STR("RANDOM");
    struct wk_var *v = wk_var_own(sh, wk_names_intern(sh->names, name));
    if (v && wk_var_kind(v) == kind && v->flags & WK_VAR_DYNAMIC)
        v->flags |= WK_VAR_INTEGER;
}

bool wk_special_value(struct wk_shell *sh, const struct wk_var *v, int64_t *ival, bool *number,
                      struct wk_str *text)
{
    enum wk_special kind = wk_var_kind(v);
    *number = computed_number(sh, kind, ival);
    if (*number) {
        keep_number(sh, kind, *ival);
        if (WK_UNLIKELY(!(v->flags & WK_VAR_INTEGER)) && wk_special_number(v))
            make_integer(sh, kind);
        return true;
    }
    switch (wk_var_kind(v)) {
    case WK_SPECIAL_COMMAND:
        return command_text(sh, text);
    case WK_SPECIAL_EPOCHREALTIME:
        return realtime_text(sh, text);
    case WK_SPECIAL_ARGV0:
        *text = sh->st->arg0 ? wk_val_str(sh->st->arg0) : WK_STR("");
        return true;
    case WK_SPECIAL_SHELLOPTS:
        return options_text(sh, false, text);
    case WK_SPECIAL_BASHOPTS:
        return options_text(sh, true, text);
    case WK_SPECIAL_UNDERSCORE:
        *text = sh->now.last_arg ? wk_val_str(sh->now.last_arg) : wk_str_c(sh->self ? sh->self : "bash");
        return true;
    default:
        return false;
    }
}

bool wk_special_last(const struct wk_shell *sh, const struct wk_var *v, int64_t *ival)
{
    enum wk_special kind = v->flags & WK_VAR_DYNAMIC ? wk_var_kind(v) : WK_SPECIAL_NONE;
    if ((int)kind >= (int)WK_COMPUTED_KINDS || !(sh->st->computed_known >> kind & 1))
        return false;
    *ival = sh->st->computed[kind];
    return true;
}

void wk_special_look(struct wk_shell *sh, const struct wk_var *v, unsigned times)
{
    int64_t n;
    bool number;
    struct wk_str text;
    if (v && wk_special_number(v))
        for (unsigned i = 0; i < times; i++)
            (void)wk_special_value(sh, v, &n, &number, &text);
}

/* A decimal number with blanks around it, or nothing. */
static int64_t decimal(struct wk_str s)
{
    int64_t n;
    s = wk_str_trim(s);
    if (s.n > 1 && s.p[0] == '+' && wk_is_digit(s.p[1]))
        s = wk_str_from(s, 1);
    return wk_parse_i64(s, 10, &n) == 0 ? n : 0;
}

int wk_special_assign(struct wk_shell *sh, const struct wk_var *v, struct wk_str value)
{
    int64_t n = 0;
    enum wk_special kind = wk_var_kind(v);
    if (kind == WK_SPECIAL_SUBSHELL || (kind == WK_SPECIAL_SECONDS && !(v->flags & WK_VAR_INTEGER))) {
        n = decimal(value);
    } else if (kind == WK_SPECIAL_RANDOM || kind == WK_SPECIAL_SECONDS) {
        int before = sh->status;
        int r = wk_var_arith(sh, value, &n);
        if (r && !sh->now.arith_failed)
            return r;
        if (r) { /* told, and no more than that */
            sh->now.arith_failed = false;
            sh->status = before;
            if (kind == WK_SPECIAL_RANDOM)
                return 0;
            n = 0;
        }
    } else if ((kind == WK_SPECIAL_SRANDOM || kind == WK_SPECIAL_HISTCMD) && v->flags & WK_VAR_INTEGER) {
        return wk_var_arith(sh, value, &n); /* for what it does, and its errors */
    }
    switch (kind) {
    case WK_SPECIAL_RANDOM:
        random_seed(sh, n);
        keep_number(sh, kind, n);
        return 0;
    case WK_SPECIAL_SECONDS:
        sh->st->seconds_base_ns = wk_clock_monotonic(&sh->k->clock);
        sh->st->seconds_value = n;
        keep_number(sh, kind, n);
        return 0;
    case WK_SPECIAL_SUBSHELL:
        sh->st->subshell_shift = (int32_t)n - (int32_t)sh->st->subshell_depth;
        return 0;
    case WK_SPECIAL_LINENO:
        if (wk_parse_i64(value, 10, &n) == 0 && n >= 0 && n <= INT32_MAX)
            sh->line = (uint32_t)n;
        return 0;
    case WK_SPECIAL_ARGV0: {
        struct wk_val *val = wk_val_new(sh->mem, value);
        if (!val)
            return -WK_ENOMEM;
        wk_val_unref(sh->mem, sh->st->arg0);
        sh->st->arg0 = val;
        sh->name = val->p;
        return 0;
    }
    case WK_SPECIAL_UNDERSCORE: {
        int r = wk_var_convert(sh, v->flags, value, &value);
        struct wk_val *val = r ? NULL : wk_val_new(sh->mem, value);
        if (r)
            return r;
        if (!val)
            return -WK_ENOMEM;
        wk_val_unref(sh->mem, sh->now.last_arg);
        sh->now.last_arg = val;
        return 0;
    }
    default:
        return 0;
    }
}

/* ---- arrays
 * ----------------------------------------------------------------------------------------- */

static bool put_str(struct wk_shell *sh, struct wk_array *a, int64_t *i, struct wk_str s)
{
    return wk_array_set(sh->mem, a, (*i)++, s);
}

static bool put_int(struct wk_shell *sh, struct wk_array *a, int64_t i, int64_t v)
{
    struct wk_elem_value *e = wk_array_make(sh->mem, a, i);
    if (e)
        wk_elem_store_int(sh->mem, e, v);
    return e != NULL;
}

/* FUNCNAME, BASH_SOURCE, BASH_LINENO from the frames in progress. *set: bash shows FUNCNAME only
 * inside of functions. */
static bool fill_frames(struct wk_shell *sh, enum wk_special kind, struct wk_array *a, bool *set)
{
    int64_t i = 0;
    bool ok = true, in_function = false;
    for (const struct wk_frame *f = sh->now.frame; f; f = f->prev)
        in_function = in_function || f->kind == WK_FRAME_FUNCTION;
    *set = kind != WK_SPECIAL_FUNCNAME || in_function;
    for (const struct wk_frame *f = sh->now.frame; f && ok && *set; f = f->prev) {
        if (f->kind == WK_FRAME_TRAP || f->kind == WK_FRAME_EVAL ||
            (f->kind == WK_FRAME_MAIN && !f->source))
            continue;
        if (kind == WK_SPECIAL_SOURCE)
            ok = put_str(sh, a, &i, f->source ? wk_val_str(f->source) : WK_STR(""));
        else if (kind == WK_SPECIAL_BASH_LINENO)
            ok = put_int(sh, a, i++, f->kind == WK_FRAME_MAIN ? 0 : wk_frame_line(sh, f->prev, f->call_line));
        else if (f->kind == WK_FRAME_FUNCTION)
            ok = put_str(sh, a, &i, f->func ? wk_names_str(sh->names, f->func->name) : WK_STR(""));
        else
            ok = put_str(sh, a, &i, f->kind == WK_FRAME_SOURCE ? WK_STR("source") : WK_STR("main"));
    }
    return ok;
}

/* BASH_ARGV's n arguments, the last one first, or BASH_ARGC's number of them. */
static bool put_args(struct wk_shell *sh, bool count, struct wk_array *a, int64_t *i, const struct wk_str *v,
                     uint32_t n)
{
    bool ok = !count || put_int(sh, a, (*i)++, n);
    for (uint32_t j = count ? 0 : n; ok && j > 0; j--)
        ok = put_str(sh, a, i, v[j - 1]);
    return ok;
}

/* Frames that began under extdebug, and beneath them the parameters at the time these arrays came in use. */
static bool fill_args(struct wk_shell *sh, bool count, struct wk_array *a)
{
    int64_t i = 0;
    bool ok = true, in_function = false;
    for (const struct wk_frame *f = sh->now.frame; ok && f; f = f->prev) {
        in_function = in_function || f->kind == WK_FRAME_FUNCTION;
        if (f->counted)
            ok = put_args(sh, count, a, &i, f->args, f->n_args);
    }
    if (ok && !in_function)
        ok = wk_vars_keep_args(sh) == 0;
    const struct wk_param_block *base = sh->st->base_args;
    return ok && (!base || put_args(sh, count, a, &i, base->v, base->n));
}

int wk_vars_keep_args(struct wk_shell *sh)
{
    struct wk_state *st = sh->st;
    if (!st->base_args)
        st->base_args = wk_param_block_new(sh->mem, st->params.v, st->params.n);
    return st->base_args ? 0 : -WK_ENOMEM;
}

static bool fill_dirs(struct wk_shell *sh, struct wk_array *a)
{
    const struct wk_dirstack *d = sh->st->dirs;
    int64_t i = 0;
    bool ok = put_str(sh, a, &i, sh->st->cwd ? wk_val_str(sh->st->cwd) : WK_STR("/"));
    for (uint32_t j = d ? d->n : 0; ok && j > 0; j--)
        ok = put_str(sh, a, &i, wk_val_str(d->v[j - 1]));
    return ok;
}

static int refresh_array(struct wk_shell *sh, struct wk_var *v)
{
    enum wk_special kind = wk_var_kind(v);
    struct wk_array *a = wk_array_new(sh->mem);
    bool set = true, ok = a != NULL;
    if (ok && kind == WK_SPECIAL_PIPESTATUS) {
        for (uint32_t i = 0; ok && i < sh->pipestatus_n; i++)
            ok = put_int(sh, a, i, sh->pipestatus[i]);
    } else if (ok && kind == WK_SPECIAL_DIRSTACK) {
        ok = fill_dirs(sh, a);
    } else if (ok && (kind == WK_SPECIAL_ARGC || kind == WK_SPECIAL_ARGV)) {
        ok = fill_args(sh, kind == WK_SPECIAL_ARGC, a);
    } else if (ok && kind == WK_SPECIAL_GROUPS) {
        ok = put_int(sh, a, 0, sh->proc->cred.gid);
    } else if (ok) {
        ok = fill_frames(sh, kind, a, &set);
    }
    if (!ok) {
        wk_array_unref(sh->mem, a);
        return -WK_ENOMEM;
    }
    wk_array_unref(sh->mem, v->array);
    v->array = a;
    v->flags = (v->flags & ~(uint32_t)WK_VAR_SET) | WK_VAR_DECLARED | (set ? WK_VAR_SET : 0);
    return 0;
}

/* The paths that `hash` lists; NULL when refused. */
static struct wk_assoc *hashed_table(struct wk_shell *sh)
{
    struct wk_assoc *a = wk_assoc_new(sh->mem, WK_HASH_BUCKETS);
    size_t n;
    const struct wk_hash_entry *list = wk_hash_list(sh, &n);
    bool ok = a != NULL;
    for (size_t i = 0; ok && i < n; i++)
        if (list[i].shown && list[i].path)
            ok = wk_assoc_set(sh->mem, a, wk_names_str(sh->names, list[i].name),
                              wk_val_str(list[i].path));
    if (ok)
        return a;
    wk_assoc_unref(sh->mem, a);
    return NULL;
}

static int refresh_assoc(struct wk_shell *sh, struct wk_var *v)
{
    struct wk_assoc *table = sh->st->aliases;
    if (wk_var_kind(v) == WK_SPECIAL_CMDS)
        table = hashed_table(sh);
    else if (table)
        table = wk_assoc_ref(table);
    else
        table = wk_assoc_new(sh->mem, WK_ALIAS_BUCKETS);
    /* bash, too, takes a copy, which turns the order in each bucket round. */
    struct wk_assoc *a = table ? wk_assoc_again(sh->mem, table) : NULL;
    wk_assoc_unref(sh->mem, table);
    if (!a)
        return -WK_ENOMEM;
    wk_assoc_unref(sh->mem, v->assoc);
    v->assoc = a;
    v->flags |= WK_VAR_SET;
    return 0;
}

int wk_special_refresh(struct wk_shell *sh, uint32_t name)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    return v->flags & WK_VAR_ASSOC ? refresh_assoc(sh, v) : refresh_array(sh, v);
}

bool wk_special_elem(struct wk_shell *sh, const struct wk_var *v, struct wk_str key,
                     struct wk_str value, int *err)
{
    *err = 0;
    switch (wk_var_kind(v)) {
    case WK_SPECIAL_ALIASES:
        if (wk_alias_name_ok(key))
            *err = wk_alias_set(sh, key, value);
        else
            wk_sh_error(sh, "`%.*s': invalid alias name", (int)key.n, key.p);
        return true;
    case WK_SPECIAL_CMDS:
        *err = wk_hash_set(sh, key, value);
        return true;
    case WK_SPECIAL_DIRSTACK: {
        struct wk_dirstack *d = sh->st->dirs;
        int64_t i;
        if (wk_parse_i64(key, 10, &i) != 0 || !d || i < 1 || i > d->n || d->refs > 1)
            return true;
        struct wk_val *val = wk_val_new(sh->mem, value);
        if (!val) {
            *err = -WK_ENOMEM;
            return true;
        }
        wk_val_unref(sh->mem, d->v[d->n - (uint64_t)i]);
        d->v[d->n - (uint64_t)i] = val;
        return true;
    }
    default:
        return true; /* PIPESTATUS: the next command overwrites it */
    }
}

/* Which locale counts: the first of the three that is set and not empty. Without any it is UTF-8 for a shell that was
 * never told of one, and C after one was. */
static bool locale_is_bytes(struct wk_shell *sh)
{
    static const enum wk_known_name order[] = {WK_KNOWN_LC_ALL, WK_KNOWN_LC_CTYPE, WK_KNOWN_LANG};
    char scratch[24];
    struct wk_str s;
    for (size_t i = 0; i < WK_COUNTOF(order); i++)
        if (wk_var_get(sh, wk_known(sh, order[i]), scratch, &s) && s.n) {
            bool bytes = wk_str_is(s, "C") || wk_str_is(s, "POSIX");
            sh->st->locale_named |= !bytes;
            return bytes;
        }
    return sh->st->locale_named;
}

/* ---- variables that act
 * --------------------------------------------------------------------------------- */

/* Posix mode with the shopt options that it stands for. */
static void set_posix(struct wk_shell *sh, bool on)
{
    struct wk_state *st = sh->st;
    if (wk_opt(sh, POSIX) == on)
        return;
    st->options ^= WK_OPT_BIT(POSIX);
    if (on)
        st->shopts |= WK_SHOPT_POSIX;
    else
        st->shopts &=
            ~(WK_SHOPT_BIT(SHIFT_VERBOSE) | (sh->interactive ? 0 : WK_SHOPT_BIT(EXPAND_ALIASES)));
}

int wk_vars_posix_mode(struct wk_shell *sh, bool on)
{
    set_posix(sh, on);
    uint32_t name = wk_names_intern(sh->names, WK_STR("POSIXLY_CORRECT"));
    if (name == WK_NAME_NONE)
        return -WK_ENOMEM;
    if (!on)
        return wk_var_unset(sh, name);
    return wk_var_is_set(sh, name) ? 0 : wk_var_set(sh, name, WK_STR("y"));
}

/* BASH_COMPAT: 31 … 52 or 3.1 … 5.2; one option at most follows from it. */
static void compat_changed(struct wk_shell *sh, struct wk_str s)
{
    static const struct {
        int level;
        uint64_t bit;
    } options[] = {{31, WK_SHOPT_BIT(COMPAT31)}, {32, WK_SHOPT_BIT(COMPAT32)},
                   {40, WK_SHOPT_BIT(COMPAT40)}, {41, WK_SHOPT_BIT(COMPAT41)},
                   {42, WK_SHOPT_BIT(COMPAT42)}, {43, WK_SHOPT_BIT(COMPAT43)},
                   {44, WK_SHOPT_BIT(COMPAT44)}};
    bool dot = s.n == 3 && s.p[1] == '.';
    bool digits = (s.n == 2 || dot) && wk_is_digit(s.p[0]) && wk_is_digit(s.p[s.n - 1]);
    int level = digits ? (s.p[0] - '0') * 10 + (s.p[s.n - 1] - '0') : 0;
    for (size_t i = 0; i < WK_COUNTOF(options); i++) {
        sh->st->shopts &= ~options[i].bit;
        if (options[i].level == level)
            sh->st->shopts |= options[i].bit;
    }
    if (s.n && (level < 31 || level > 52))
        wk_sh_error(sh, "BASH_COMPAT: %.*s: compatibility value out of range", (int)s.n, s.p);
}

/* BASH_XTRACEFD: the descriptor that it named is closed when it names none any more. */
static void xtrace_changed(struct wk_shell *sh, const struct wk_var *v, struct wk_str s, bool set)
{
    int64_t fd = -1;
    int old = sh->st->xtrace_fd - 1;
    struct wk_str digits = s;
    if (sh->for_others || (!set && v->flags & (WK_VAR_LOCAL | WK_VAR_TEMPENV))) /* it is about to get a value */
        return;
    while (digits.n && (digits.p[0] == ' ' || digits.p[0] == '\t'))
        digits = wk_str_from(digits, 1);
    if (set && s.n &&
        (wk_parse_i64(digits, 10, &fd) != 0 || fd < 0 || fd >= INT32_MAX || !wk_fd_get(sh->proc->fds, (int)fd))) {
        wk_sh_error(sh, "BASH_XTRACEFD: %.*s: invalid value for trace file descriptor", (int)s.n, s.p);
        return;
    }
    if (old >= 0 && fd < 0)
        (void)wk_fd_close(&sh->proc->fds, old);
    sh->st->xtrace_fd = (int)fd + 1;
}

void wk_vars_begin_trace(struct wk_shell *sh)
{
    uint32_t name = wk_names_find(sh->names, WK_STR("BASH_XTRACEFD"));
    if (name != WK_NAME_NONE && wk_var_is_set(sh, name))
        wk_special_changed(sh, name);
}

/* OPTIND was set: 1 begins anew, another number tells where the next word is. */
static void optind_changed(struct wk_shell *sh, struct wk_str value)
{
    int64_t n;
    int err;
    if (!wk_scan_i64(value, 10, &n, &err) || n <= 1)
        sh->st->getopts = (struct wk_getopts_place){0};
    else
        sh->st->getopts.index = n;
}

/* GLOBIGNORE and EXECIGNORE count from when they change on, not as the shell was given them. Without memory
 * nothing is ignored. */
static void keep_ignored(struct wk_shell *sh, struct wk_val **kept, struct wk_str patterns)
{
    wk_val_unref(sh->mem, *kept);
    *kept = patterns.n ? wk_val_new(sh->mem, patterns) : NULL;
}

/* An empty GLOBIGNORE leaves dotglob as it is. */
static void glob_ignore_changed(struct wk_shell *sh, struct wk_str patterns, bool set)
{
    keep_ignored(sh, &sh->st->glob_ignore, patterns);
    if (patterns.n)
        sh->st->shopts |= WK_SHOPT_BIT(DOTGLOB);
    else if (!set)
        sh->st->shopts &= ~WK_SHOPT_BIT(DOTGLOB);
}

void wk_special_changed(struct wk_shell *sh, uint32_t name)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    char scratch[24];
    struct wk_str s = {"", 0};
    bool set = v && v->flags & WK_VAR_SET && wk_var_get(sh, name, scratch, &s);
    switch (v ? wk_var_kind(v) : WK_SPECIAL_NONE) {
    case WK_SPECIAL_PATH:
        wk_hash_clear(sh);
        break;
    case WK_SPECIAL_OPTIND:
        optind_changed(sh, set ? s : WK_STR(""));
        break;
    case WK_SPECIAL_POSIXLY_CORRECT:
        set_posix(sh, set);
        break;
    case WK_SPECIAL_IGNOREEOF:
        if (set)
            sh->st->options |= WK_OPT_BIT(IGNOREEOF);
        else
            sh->st->options &= ~WK_OPT_BIT(IGNOREEOF);
        break;
    case WK_SPECIAL_XTRACEFD:
        xtrace_changed(sh, v, s, set);
        break;
    case WK_SPECIAL_COMPAT:
        compat_changed(sh, set ? s : WK_STR(""));
        break;
    case WK_SPECIAL_LC_ALL:
    case WK_SPECIAL_LC_CTYPE:
    case WK_SPECIAL_LANG:
        sh->st->bytes = locale_is_bytes(sh);
        break;
    case WK_SPECIAL_HISTSIZE:
    case WK_SPECIAL_HISTFILESIZE:
        wk_history_sizes_changed(sh, wk_var_kind(v) == WK_SPECIAL_HISTFILESIZE);
        break;
    case WK_SPECIAL_GLOBIGNORE:
        if (!sh->for_others)
            glob_ignore_changed(sh, s, set);
        break;
    case WK_SPECIAL_EXECIGNORE:
        if (!sh->for_others)
            keep_ignored(sh, &sh->st->exec_ignore, s);
        break;
    default:
        break;
    }
}

/* ---- start values
 * ---------------------------------------------------------------------------------------- */

static int define_specials(struct wk_shell *sh)
{
    static const struct {
        const char *name;
        uint32_t flags;
    } table[] = {
#define WK_X(id, name, bits) {name, (bits) | (uint32_t)WK_SPECIAL_##id << WK_VAR_KIND_SHIFT},
        WK_SPECIAL_LIST(WK_X)
#undef WK_X
    };
    for (size_t i = 0; i < WK_COUNTOF(table); i++) {
        uint32_t id = wk_names_intern(sh->names, wk_str_c(table[i].name));
        struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_own(sh, id);
        if (!v)
            return -WK_ENOMEM;
        v->flags = table[i].flags;
        if (v->flags & WK_VAR_DYNAMIC)
            v->flags |=
                WK_VAR_DECLARED | (v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC) ? 0 : WK_VAR_SET);
    }
    return 0;
}

static int define(struct wk_shell *sh, const char *name, struct wk_str value, uint32_t flags)
{
    uint32_t id = wk_names_intern(sh->names, wk_str_c(name));
    if (id == WK_NAME_NONE)
        return -WK_ENOMEM;
    int r = wk_var_set(sh, id, value);
    if (!r && flags)
        r = wk_var_attributes(sh, id, flags, 0);
    return r;
}

static int define_number(struct wk_shell *sh, const char *name, int64_t v, uint32_t flags)
{
    char digits[24];
    return define(sh, name, wk_str(digits, wk_i64_text(v, digits)), flags);
}

static int define_versinfo(struct wk_shell *sh)
{
    static const struct wk_str parts[] = {
        WK_STR_INIT("5"), WK_STR_INIT("2"),       WK_STR_INIT("15"),
        WK_STR_INIT("1"), WK_STR_INIT("release"), WK_STR_INIT("x86_64-pc-linux-gnu")};
    uint32_t id = wk_names_intern(sh->names, WK_STR("BASH_VERSINFO"));
    if (id == WK_NAME_NONE)
        return -WK_ENOMEM;
    int r = wk_var_set_list(sh, id, parts, WK_COUNTOF(parts));
    return r ? r : wk_var_attributes(sh, id, WK_VAR_READONLY, 0);
}

int wk_vars_init(struct wk_shell *sh)
{
    static const char *const fixed[][2] = {
        {"BASH", "/usr/bin/bash"}, {"BASH_VERSION", "5.2.15(1)-release"},
        {"HOSTTYPE", "x86_64"},    {"MACHTYPE", "x86_64-pc-linux-gnu"},
        {"OSTYPE", "linux-gnu"},   {"IFS", " \t\n"},
        {"PS4", "+ "},
        {"COMP_WORDBREAKS", " \t\n\"'@><=;|&(:"},
        {"BASH_LOADABLES_PATH",
         "/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:."},
    };
    sh->st->seconds_base_ns = wk_clock_monotonic(&sh->k->clock);
    int r = wk_shared_names(sh->shared, sh->names);
    if (!r)
        r = define_specials(sh);
    for (size_t i = 0; !r && i < WK_COUNTOF(fixed); i++)
        r = define(sh, fixed[i][0], wk_str_c(fixed[i][1]), 0);
    if (!r)
        r = define_versinfo(sh);
    return r;
}

static int default_value(struct wk_shell *sh, const char *name, struct wk_str value)
{
    uint32_t id = wk_names_intern(sh->names, wk_str_c(name));
    if (id == WK_NAME_NONE)
        return -WK_ENOMEM;
    return wk_var_is_set(sh, id) ? 0 : wk_var_set(sh, id, value);
}

static int start_directory(struct wk_shell *sh)
{
    uint32_t pwd = wk_known(sh, WK_KNOWN_PWD), oldpwd = wk_known(sh, WK_KNOWN_OLDPWD);
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, SIZE_MAX / 2);
    int r = 0;
    if (!sh->st->cwd) {
        /* $PWD is believed when it names the working directory. */
        char scratch[24];
        struct wk_str env;
        struct wk_stat a, c;
        bool believed =
            wk_var_get(sh, pwd, scratch, &env) && env.n && env.p[0] == '/' &&
            wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, env, 0, &a) == 0 &&
            wk_vfs_stat(sh->k->vfs, &sh->proc->cred, sh->proc->cwd, WK_STR("."), 0, &c) == 0 &&
            a.dev == c.dev && a.ino == c.ino;
        if (believed)
            wk_buf_puts(&b, env);
        else if (wk_vdir_path(sh->proc->cwd, &b) != 0)
            wk_buf_reset(&b);
        sh->st->cwd = b.failed ? NULL : wk_val_new(sh->mem, wk_buf_str(&b));
        r = sh->st->cwd ? 0 : -WK_ENOMEM;
    }
    wk_buf_release(&b);
    if (!r)
        r = wk_var_set(sh, pwd, wk_val_str(sh->st->cwd));
    if (!r)
        r = wk_var_attributes(sh, pwd, WK_VAR_EXPORT | WK_VAR_DECLARED, 0);
    if (!r)
        r = wk_var_attributes(sh, oldpwd, WK_VAR_EXPORT | WK_VAR_DECLARED, 0);
    return r;
}

/* SHLVL one up or down, as an int in bash, of no negative or large number. */
static int32_t next_level(struct wk_shell *sh, int by)
{
    char scratch[24];
    struct wk_str s;
    uint32_t id = wk_names_find(sh->names, WK_STR("SHLVL"));
    int64_t level = id != WK_NAME_NONE && wk_var_get(sh, id, scratch, &s) ? decimal(s) : 0;
    int32_t next = (int32_t)(uint32_t)((uint64_t)level + (uint64_t)by);
    if (next >= 1000) {
        struct wk_buf b;
        wk_buf_init(&b, sh->mem, WK_VAL_MAX);
        if (by < 0)
            wk_sh_error_prefix(sh, &b);
        else /* at the start there is no line */
            wk_buf_fmt(&b, "%s: ", sh->self ? sh->self : sh->name);
        wk_buf_fmt(&b, "warning: shell level (%d) too high, resetting to 1\n", (int)next);
        (void)wk_sh_write(sh, 2, wk_buf_str(&b));
        wk_buf_release(&b);
        next = 1;
    }
    return next < 0 ? 0 : next;
}

struct wk_env *wk_vars_env_replacing(struct wk_shell *sh, struct wk_env *env, struct wk_env **kept)
{
    if (kept && *kept && (*kept)->base == env) {
        wk_env_unref(env);
        return wk_env_ref(*kept);
    }
    uint32_t id = wk_names_find(sh->names, WK_STR("SHLVL"));
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    if (v && v->flags & WK_VAR_READONLY) {
        (void)wk_var_refuse_readonly(sh, id);
        return env;
    }
    char digits[24];
    struct wk_str level = wk_str(digits, wk_i64_text(next_level(sh, -1), digits));
    struct wk_env *less = wk_env_with(env, WK_STR("SHLVL"), level);
    if (kept && less) {
        wk_env_unref(*kept);
        *kept = wk_env_ref(less);
    }
    wk_env_unref(env);
    return less;
}

int wk_vars_start(struct wk_shell *sh)
{
    const uint32_t fixed = WK_VAR_READONLY | WK_VAR_INTEGER;
    int r = start_directory(sh);
    if (!r)
        r = define_number(sh, "SHLVL", next_level(sh, 1), WK_VAR_EXPORT);
    if (!r)
        r = default_value(sh, "PATH", WK_STR("/usr/local/bin:/usr/bin:/bin"));
    if (!r)
        r = default_value(sh, "TERM", WK_STR("dumb"));
    if (!r)
        r = default_value(sh, "SHELL", WK_STR("/bin/bash"));
    if (!r)
        r = define(sh, "HOSTNAME", wk_str_c(sh->k->hostname), 0);
    if (!r)
        r = define_number(sh, "UID", sh->proc->cred.uid, fixed);
    if (!r)
        r = define_number(sh, "EUID", sh->proc->cred.uid, fixed);
    if (!r)
        r = wk_opt(sh, POSIX) ? wk_vars_posix_mode(sh, true) : 0;
    if (!r) /* whatever the environment says */
        r = define_number(sh, "OPTIND", 1, WK_VAR_INTEGER);
    if (!r)
        r = define(sh, "OPTERR", WK_STR("1"), 0);
    if (!r)
        r = default_value(sh, "BASH_LOADABLES_PATH",
                          WK_STR("/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:"
                                 "/opt/pkg/lib/bash:."));
    if (!r)
        r = define_number(sh, "PPID", sh->proc->parent ? sh->proc->parent->pid : 0, fixed);
    return r;
}

/* ---- IFS
 * ---------------------------------------------------------------------------------------------------
 */

static void ifs_tables(struct wk_ifs *f, bool bytes)
{
    f->bytes = bytes;
    memset(f->kind, 0, sizeof f->kind);
    f->null = f->text.n == 0;
    f->first_n = 0;
    if (f->text.n) {
        uint32_t c;
        f->first_n = (unsigned char)wk_char_next(bytes, f->text.p, f->text.n, &c);
        memcpy(f->first, f->text.p, f->first_n);
    }
    f->stray = !bytes && !wk_utf8_valid(f->text);
    for (size_t i = 0; i < f->text.n; i++) {
        unsigned char b = (unsigned char)f->text.p[i];
        f->kind[b] = b >= 0x80 && !bytes ? 3 : b == ' ' || b == '\t' || b == '\n' ? 1 : 2;
    }
}

const struct wk_ifs *wk_vars_ifs(struct wk_shell *sh)
{
    struct wk_shared *s = sh->shared;
    const struct wk_var *v = wk_var_peek(sh, wk_known(sh, WK_KNOWN_IFS));
    struct wk_val *val =
        v && (v->flags & (WK_VAR_TEXT | WK_VAR_NAMEREF)) == WK_VAR_TEXT ? v->text : NULL;
    if (WK_LIKELY(val ? val == s->ifs_val
                      : !s->ifs_val && s->ifs.unset && !(v && v->flags & WK_VAR_SET)))
        return &s->ifs;
    /* The reference keeps the value from being changed in place or freed while it is known here. */
    wk_val_unref(sh->mem, s->ifs_val);
    s->ifs_val = val ? wk_val_ref(val) : NULL;
    char scratch[24];
    struct wk_str text = WK_STR(" \t\n");
    bool set = val != NULL;
    if (val)
        text = wk_val_str(val);
    else if (v && v->flags & WK_VAR_SET)
        set = wk_var_get(sh, wk_known(sh, WK_KNOWN_IFS), scratch, &text);
    s->ifs.unset = !set;
    if (set && !val) { /* a number, or an element: rare; its digits are kept here */
        size_t n = text.n < sizeof s->ifs_digits ? text.n : sizeof s->ifs_digits;
        memcpy(s->ifs_digits, text.p, n);
        text = wk_str(s->ifs_digits, n);
    }
    s->ifs.text = text;
    ifs_tables(&s->ifs, sh->st->bytes);
    return &s->ifs;
}
