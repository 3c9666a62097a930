/* vars_scope.c - locals and temporary assignments, unset, setting by text name */
#include "interp/shared.h"
#include "interp/vars_array.h"
#include "interp/vars_special.h"

/* ---- saving and putting back --------------------------------------------------------------------
 */

/* Attributes and perhaps the value that a new local takes over from what it hides. */
static struct wk_var inherited(const struct wk_shell *sh, const struct wk_var *old, bool all)
{
    struct wk_var v = {.flags = old->flags & WK_VAR_NAME_BITS};
    bool from_tempenv = old->flags & WK_VAR_TEMPENV;
    if (all || from_tempenv || wk_shopt(sh, LOCALVAR_INHERIT)) {
        v = wk_var_share(old);
        v.flags &= ~(uint32_t)(WK_VAR_LOCAL | WK_VAR_TEMPENV | WK_VAR_NAMEREF | WK_VAR_READONLY |
                               WK_VAR_WAS_TEMPENV | WK_VAR_HANDED_ON | WK_VAR_REASSIGNED | WK_VAR_MADE);
    }
    v.flags |= old->flags & WK_VAR_EXPORT;
    return v;
}

/* A function that uses getopts with an OPTIND of its own leaves its caller's place alone. */
static void keep_getopts(struct wk_shell *sh)
{
    struct wk_frame *f = sh->now.frame;
    while (f && f->kind != WK_FRAME_FUNCTION)
        f = f->prev;
    if (!f || f->has_getopts)
        return;
    f->has_getopts = true;
    f->getopts = sh->st->getopts;
}

int wk_var_push_local(struct wk_shell *sh, uint32_t name, uint32_t level, bool tempenv,
                      bool inherit)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    if (!tempenv && v->flags & WK_VAR_LOCAL && v->level == level)
        return 0;
    if (WK_UNLIKELY(v->flags & WK_VAR_DYNAMIC)) {
        wk_special_look(sh, v, tempenv ? 1 : 4);
        v = wk_var_own(sh, name);
        if (!v)
            return -WK_ENOMEM;
    }
    if (!tempenv && v->flags & WK_VAR_TEMPENV && v->level == level) {
        v->flags = (v->flags & ~(uint32_t)WK_VAR_TEMPENV) | WK_VAR_LOCAL | WK_VAR_DECLARED |
                   WK_VAR_WAS_TEMPENV;
        return 0;
    }
    struct wk_var fresh = {.flags = v->flags & WK_VAR_NAME_BITS};
    if (!tempenv || inherit)
        fresh = inherited(sh, v, inherit);
    fresh.flags |= tempenv ? WK_VAR_TEMPENV | WK_VAR_EXPORT : WK_VAR_LOCAL | WK_VAR_DECLARED;
    fresh.level = level;
    int r = wk_state_save(sh->st, sh->mem, name, level, v);
    if (r) {
        wk_var_release(sh->mem, &fresh);
        return r;
    }
    if (!tempenv && wk_var_kind(&fresh) == WK_SPECIAL_OPTIND)
        keep_getopts(sh);
    *v = fresh;
    if (v->flags & WK_VAR_EXPORT && (tempenv || v->flags & WK_VAR_SET)) /* else children get what is beneath */
        sh->st->env_gen++;
    if (v->flags & WK_VAR_HOOK)
        wk_special_changed(sh, name);
    return 0;
}

void wk_vars_set_level(struct wk_shell *sh, uint32_t base, uint32_t level)
{
    for (uint32_t i = base; i < sh->st->saved_n; i++) {
        uint32_t name = sh->st->saved->v[i].name;
        struct wk_var *v = name == WK_NAME_NONE ? NULL : wk_var_own(sh, name);
        if (v && v->flags & WK_VAR_TEMPENV)
            v->level = level;
    }
}

/* Taking a copy of a shared page must not fail here: the reserve is open for it. */
static struct wk_var *own_surely(struct wk_shell *sh, uint32_t name)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (WK_LIKELY(v))
        return v;
    bool was = sh->mem->in_reserve;
    sh->mem->in_reserve = true;
    v = wk_var_own(sh, name);
    sh->mem->in_reserve = was;
    return v;
}

static void put_back(struct wk_shell *sh, uint32_t name, struct wk_var *saved, bool move)
{
    struct wk_var *v = own_surely(sh, name);
    if (WK_UNLIKELY(!v)) {
        (void)wk_sh_nomem(sh); /* the host itself is out of memory: the run ends */
        if (move)
            wk_var_release(sh->mem, saved);
        return;
    }
    uint32_t both = v->flags | saved->flags;
    wk_var_release(sh->mem, v);
    *v = move ? *saved : wk_var_share(saved);
    if (both & WK_VAR_EXPORT)
        sh->st->env_gen++;
    if (both & WK_VAR_HOOK)
        wk_special_changed(sh, name);
}

/* Could the value go to the variable beneath? That of an integer is evaluated. */
static int goes_beneath(struct wk_shell *sh, uint32_t name, const struct wk_var *v)
{
    uint32_t i = sh->st->saved_n;
    while (i && sh->st->saved->v[i - 1].name != name)
        i--;
    int64_t n;
    bool evaluated = i && sh->st->saved->v[i - 1].var.flags & WK_VAR_INTEGER && v->flags & WK_VAR_TEXT;
    return evaluated ? wk_var_arith(sh, wk_val_str(v->text), &n) : 0;
}

int wk_var_hand_on(struct wk_shell *sh, uint32_t name, bool from_eval)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    if (WK_LIKELY(!v || !(v->flags & (WK_VAR_TEMPENV | WK_VAR_WAS_TEMPENV))))
        return 0;
    int r = goes_beneath(sh, name, v);
    struct wk_var *own = r ? NULL : own_surely(sh, name);
    if (!own)
        return r ? r : -WK_ENOMEM;
    own->flags |= WK_VAR_HANDED_ON;
    if (from_eval && own->level == 0)
        own->level = WK_LEVEL_NONE;
    return 0;
}

void wk_vars_hand_on(struct wk_shell *sh, uint32_t base, uint32_t top)
{
    for (uint32_t i = base; i < top && i < sh->st->saved_n; i++) {
        const struct wk_saved *beneath = &sh->st->saved->v[i];
        uint32_t name = beneath->name;
        struct wk_var *v = name == WK_NAME_NONE ? NULL : own_surely(sh, name);
        if (!v || !(v->flags & WK_VAR_TEMPENV))
            continue;
        v->flags |= WK_VAR_HANDED_ON;
        if (v->level == 0 || !(beneath->var.flags & WK_VAR_TEMPENV)) /* it goes no further */
            v->level = WK_LEVEL_NONE;
    }
}

/* The whole array takes the variable's place, and its attributes stay. */
static int hand_array_over(struct wk_shell *sh, uint32_t name, const struct wk_var *from)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    if (v->flags & (WK_VAR_READONLY | WK_VAR_DYNAMIC))
        return 0;
    const uint32_t value = WK_VAR_ARRAY | WK_VAR_ASSOC | WK_VAR_TEXT | WK_VAR_INT | WK_VAR_SET;
    struct wk_var copy = wk_var_share(from);
    uint32_t flags = v->flags, level = v->level;
    wk_var_release(sh->mem, v);
    *v = copy;
    const uint32_t conversions = WK_VAR_INTEGER | WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL;
    v->flags = (flags & ~value) | (copy.flags & (value | conversions));
    v->level = level;
    return 0;
}

/* `v`, whose scope has ended, goes to the variable that has come back; on from there when that one belongs to a
 * function, too, and the assignment was not just one builtin's. */
static int hand_over(struct wk_shell *sh, uint32_t name, const struct wk_var *v)
{
    char digits[24];
    int r = 0, status = sh->status;
    const struct wk_var *to = wk_var_peek(sh, name);
    bool refers = to && to->flags & WK_VAR_NAMEREF && to->text && to->text->n;
    if (v->level == 0 || refers) /* eval and . at the top are no scope to come from */
        return 0;
    if (v->flags & WK_VAR_TEXT)
        r = wk_var_set(sh, name, wk_val_str(v->text));
    if (r == -WK_EPERM && sh->now.arith_failed && !sh->arith_exits) { /* it stays as it is written */
        sh->now.arith_failed = false;
        sh->status = status;
        r = wk_var_attributes(sh, name, 0, WK_VAR_INTEGER);
        if (!r)
            r = wk_var_set(sh, name, wk_val_str(v->text));
        if (!r)
            r = wk_var_attributes(sh, name, WK_VAR_INTEGER, 0);
    }
    if (v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC))
        r = hand_array_over(sh, name, v);
    if (v->flags & WK_VAR_INT)
        r = wk_var_set(sh, name, wk_str(digits, wk_i64_text(v->ival, digits)));
    if (!r)
        r = wk_var_attributes(
            sh, name,
            WK_VAR_DECLARED | (v->flags & (WK_VAR_EXPORT | WK_VAR_READONLY | WK_VAR_INTEGER | WK_VAR_LOWER |
                                           WK_VAR_UPPER | WK_VAR_CAPITAL)),
            0);
    struct wk_var *now = r || v->level == WK_LEVEL_NONE ? NULL : wk_var_own(sh, name);
    if (now && now->flags & (WK_VAR_LOCAL | WK_VAR_TEMPENV))
        now->flags |= WK_VAR_HANDED_ON;
    return r;
}

void wk_vars_restore(struct wk_shell *sh, uint32_t name, struct wk_var *saved, bool move)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    if (WK_LIKELY(!v || !(v->flags & WK_VAR_HANDED_ON))) {
        put_back(sh, name, saved, move);
        return;
    }
    struct wk_var over = wk_var_share(v);
    put_back(sh, name, saved, move);
    if (hand_over(sh, name, &over) == -WK_ENOMEM)
        (void)wk_sh_nomem(sh);
    wk_var_release(sh->mem, &over);
}

void wk_vars_pop(struct wk_shell *sh, uint32_t base)
{
    struct wk_state *st = sh->st;
    while (st->saved_n > base) {
        struct wk_saved_stack *s = st->saved;
        struct wk_saved *e = &s->v[--st->saved_n];
        bool own = s->refs == 1;
        if (own) {
            /* Entries above are left over from a state that went back while this one was shared. */
            while (s->n > st->saved_n + 1)
                wk_var_release(sh->mem, &s->v[--s->n].var);
            s->n = st->saved_n;
        }
        if (e->name != WK_NAME_NONE)
            wk_vars_restore(sh, e->name, &e->var, own);
    }
}

/* The saved entries as one's own: they are going to change in place. */
static int own_saved_entries(struct wk_shell *sh)
{
    struct wk_state *st = sh->st;
    if (!st->saved || st->saved->refs == 1)
        return 0;
    /* Saving and dropping an entry that stands for nothing takes the copy. */
    struct wk_var nothing = {0};
    int r = wk_state_save(st, sh->mem, WK_NAME_NONE, 0, &nothing);
    if (!r)
        st->saved_n = --st->saved->n;
    return r;
}

struct wk_var *wk_var_global(struct wk_shell *sh, uint32_t name)
{
    struct wk_state *st = sh->st;
    for (uint32_t i = 0; i < st->saved_n; i++) {
        if (st->saved->v[i].name != name)
            continue;
        if (own_saved_entries(sh) != 0)
            return NULL;
        return &st->saved->v[i].var;
    }
    return wk_var_own(sh, name);
}

void wk_var_is_assigned(struct wk_shell *sh, uint32_t name)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (v)
        v->flags &= ~(uint32_t)WK_VAR_REASSIGNED;
}

static void swap_saved(struct wk_state *st, uint32_t entry, struct wk_var *v)
{
    struct wk_var t = *v;
    *v = st->saved->v[entry].var;
    st->saved->v[entry].var = t;
}

/* Sets what the entry holds, as if nothing hid it. */
static int set_beneath(struct wk_shell *sh, uint32_t entry, uint32_t name, struct wk_str value)
{
    struct wk_var *v = own_saved_entries(sh) == 0 ? wk_var_own(sh, name) : NULL;
    char *copy = v ? wk_arena_strndup(&sh->arena, value.p, value.n) : NULL;
    if (!copy)
        return -WK_ENOMEM;
    swap_saved(sh->st, entry, v);
    int r = wk_var_set(sh, name, wk_str(copy, value.n));
    v = wk_var_own(sh, name);
    if (v && own_saved_entries(sh) == 0)
        swap_saved(sh->st, entry, v);
    return r;
}

int wk_vars_pass_on(struct wk_shell *sh, uint32_t base, uint32_t top)
{
    char scratch[24];
    struct wk_str value;
    int r = 0;
    for (uint32_t i = base; !r && i < top && i < sh->st->saved_n; i++) {
        uint32_t name = sh->st->saved->v[i].name;
        const struct wk_var *v = name == WK_NAME_NONE ? NULL : wk_var_peek(sh, name);
        const uint32_t both = WK_VAR_TEMPENV | WK_VAR_REASSIGNED;
        if (WK_LIKELY(!v || (v->flags & both) != both) || v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC))
            continue;
        wk_var_is_assigned(sh, name);
        if (wk_var_get(sh, name, scratch, &value))
            r = set_beneath(sh, i, name, value);
    }
    return r == -WK_ENOMEM ? r : 0;
}

void wk_var_swap_global(struct wk_shell *sh, uint32_t name)
{
    struct wk_var *top = wk_var_own(sh, name);
    struct wk_var *global = wk_var_global(sh, name);
    if (!top || !global || top == global)
        return;
    struct wk_var t = *top;
    *top = *global;
    *global = t;
}

bool wk_var_enter_self_slow(struct wk_shell *sh, uint32_t name)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    if (!v || !v->text || !wk_str_eq(wk_val_str(v->text), wk_names_str(sh->names, name)))
        return false;
    wk_var_warn_circular(sh, name);
    wk_var_swap_global(sh, name);
    v = wk_var_peek(sh, name);
    return v && !(v->flags & WK_VAR_LOCAL);
}

/* ---- unset
 * ---------------------------------------------------------------------------------------- */

static uint32_t function_level(const struct wk_shell *sh)
{
    for (const struct wk_frame *f = sh->now.frame; f; f = f->prev)
        if (f->kind == WK_FRAME_FUNCTION)
            return f->level;
    return 0;
}

/* The newest saved variable of this name comes back; its entry then stands for nothing. */
static int reveal(struct wk_shell *sh, uint32_t name)
{
    int r = own_saved_entries(sh);
    struct wk_state *st = sh->st;
    for (uint32_t i = r ? 0 : st->saved_n; i-- > 0;) {
        struct wk_saved *e = &st->saved->v[i];
        if (e->name != name)
            continue;
        put_back(sh, name, &e->var, true);
        e->name = WK_NAME_NONE;
        e->var = (struct wk_var){0};
        break;
    }
    return r;
}

static int refuse_unset(struct wk_shell *sh, struct wk_str name, const char *why)
{
    const char *who = sh->builtin_name ? sh->builtin_name : "unset";
    wk_sh_builtin_error(sh, who, "%.*s: cannot unset%s", (int)name.n, name.p, why);
    return -WK_EPERM;
}

/* The stack of calls is never unset. */
static bool stays(const struct wk_var *v)
{
    enum wk_special kind = v->flags & WK_VAR_DYNAMIC ? wk_var_kind(v) : WK_SPECIAL_NONE;
    return kind == WK_SPECIAL_SOURCE || kind == WK_SPECIAL_BASH_LINENO || kind == WK_SPECIAL_ARGC ||
           kind == WK_SPECIAL_ARGV;
}

static int unset_here(struct wk_shell *sh, uint32_t name)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    wk_special_look(sh, v, 1);
    if (stays(v))
        return refuse_unset(sh, wk_names_str(sh->names, name), "");
    if (v->flags & WK_VAR_READONLY)
        return refuse_unset(sh, wk_names_str(sh->names, name), ": readonly variable");
    if (v->flags & WK_VAR_TEMPENV || (v->flags & WK_VAR_LOCAL && v->level != function_level(sh) &&
                                      !wk_shopt(sh, LOCALVAR_UNSET)))
        return reveal(sh, name);
    uint32_t old = v->flags, level = v->level;
    enum wk_special kind = old & WK_VAR_DYNAMIC ? wk_var_kind(v) : WK_SPECIAL_NONE;
    if (kind == WK_SPECIAL_UNDERSCORE || kind == WK_SPECIAL_PIPESTATUS) { /* the next command sets it */
        if (kind == WK_SPECIAL_UNDERSCORE)
            v->flags &= WK_VAR_NAME_BITS | WK_VAR_DYNAMIC | WK_VAR_DECLARED | WK_VAR_SET | WK_VAR_EXPORT;
        return 0;
    }
    wk_var_release(sh->mem, v);
    bool named = old & WK_VAR_HOOK || (old >> WK_VAR_KIND_SHIFT) == WK_SPECIAL_PIPESTATUS;
    v->flags = named ? old & WK_VAR_NAME_BITS : 0;
    if (old & WK_VAR_LOCAL) {
        v->flags |= WK_VAR_LOCAL | WK_VAR_DECLARED | (old & WK_VAR_WAS_TEMPENV ? old & WK_VAR_EXPORT : 0);
        v->level = level;
    }
    if (old & WK_VAR_EXPORT)
        sh->st->env_gen++;
    if (old & WK_VAR_HOOK)
        wk_special_changed(sh, name);
    return 0;
}

/* The element that a reference stands for: without a word when there is no array. */
static int unset_referred(struct wk_shell *sh, uint32_t name, struct wk_str sub)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    int64_t index = 0;
    bool array = v && v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC | WK_VAR_NAMEREF);
    if (!array && sub.n == 1 && (sub.p[0] == '@' || sub.p[0] == '*'))
        return 0;
    if (!array && (wk_var_index(sh, name, sub, &index) != 0 || index != 0))
        return 0;
    return wk_var_unset_sub(sh, name, sub);
}

int wk_var_unset(struct wk_shell *sh, uint32_t name)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    if (!v)
        return 0;
    if (v->flags & WK_VAR_NAMEREF && v->text) {
        struct wk_str sub;
        uint32_t target = name;
        int r = wk_var_resolve(sh, &target, &sub);
        if (r == -WK_EPERM) { /* a circle, told of once more */
            target = name;
            (void)wk_var_resolve(sh, &target, &sub);
            return unset_here(sh, name);
        }
        if (r)
            return r;
        if (sub.p)
            return unset_referred(sh, target, sub);
        name = target;
    }
    return unset_here(sh, name);
}

static int unset_key(struct wk_shell *sh, uint32_t name, struct wk_str key)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v || (v->assoc && !wk_assoc_own(sh->mem, &v->assoc)))
        return -WK_ENOMEM;
    if (v->assoc)
        wk_assoc_delete(sh->mem, v->assoc, key);
    return 0;
}

static int refuse_subscript(struct wk_shell *sh, struct wk_str sub)
{
    wk_sh_builtin_error(sh, "unset", "[%.*s]: bad array subscript", (int)sub.n, sub.p);
    return -WK_EPERM;
}

static int unset_index(struct wk_shell *sh, uint32_t name, struct wk_str sub)
{
    int64_t index;
    int r = wk_var_index(sh, name, sub, &index);
    struct wk_var *v = r ? NULL : wk_var_own(sh, name);
    if (!v)
        return r ? r : -WK_ENOMEM;
    if (!(v->flags & WK_VAR_ARRAY))
        return index == 0 || index == -1 ? unset_here(sh, name) : 0;
    if (index < 0)
        index = index + 1 + wk_array_max(v->array);
    if (index < 0)
        return refuse_subscript(sh, sub);
    if (!wk_array_own(sh->mem, &v->array))
        return -WK_ENOMEM;
    wk_array_delete(sh->mem, v->array, index);
    return 0;
}

int wk_var_check_first(struct wk_shell *sh, uint32_t name, struct wk_str sub)
{
    int64_t index = 1;
    bool all = sub.n == 1 && (sub.p[0] == '@' || sub.p[0] == '*');
    int r = all ? 0 : wk_var_index(sh, name, sub, &index);
    if (r || index == 0)
        return r;
    wk_sh_builtin_error(sh, "unset", "%s: not an array variable", wk_names_str(sh->names, name).p);
    return -WK_EPERM;
}

int wk_var_unset_sub(struct wk_shell *sh, uint32_t name, struct wk_str sub)
{
    struct wk_str inner = {0};
    uint32_t written = name;
    const struct wk_var *v = wk_var_peek(sh, name);
    int r = v && v->flags & WK_VAR_NAMEREF ? wk_var_resolve(sh, &name, &inner) : 0;
    v = wk_var_peek(sh, name);
    if (!r && inner.p)
        return unset_referred(sh, name, inner);
    if (r || !v)
        return r;
    if (v->flags & WK_VAR_NAMEREF && (!v->text || !v->text->n)) /* a reference to nothing goes itself */
        return unset_here(sh, written);
    struct wk_str text = wk_names_str(sh->names, name);
    wk_special_look(sh, v, 1);
    if (v->flags & WK_VAR_READONLY)
        return refuse_unset(sh, text, ": readonly variable");
    bool all = sub.n == 1 && (sub.p[0] == '@' || sub.p[0] == '*');
    if (v->flags & WK_VAR_ASSOC) {
        if (all) /* a key as any */
            return unset_key(sh, name, sub);
        struct wk_str key = sub;
        r = wk_shopt(sh, ASSOC_EXPAND_ONCE) ? 0 : wk_var_key(sh, sub, &key);
        if (!r && !key.n && sub.n)
            return refuse_subscript(sh, sub);
        return r ? r : unset_key(sh, name, key);
    }
    if (all && v->flags & WK_VAR_ARRAY)
        return v->flags & (WK_VAR_SET | WK_VAR_DYNAMIC) ? wk_var_clear_array(sh, name) : 0;
    if (!(v->flags & (WK_VAR_ARRAY | WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_EXPORT)))
        return 0;
    if (!(v->flags & WK_VAR_ARRAY)) {
        r = wk_var_check_first(sh, name, sub);
        return r ? r : unset_here(sh, name);
    }
    return v->array ? unset_index(sh, name, sub) : 0;
}

int wk_var_set_rematch(struct wk_shell *sh, const struct wk_str *v, size_t n)
{
    const uint32_t odd = WK_VAR_EXPORT | WK_VAR_READONLY | WK_VAR_INTEGER | WK_VAR_LOWER | WK_VAR_UPPER |
                         WK_VAR_CAPITAL | WK_VAR_TRACE | WK_VAR_NAMEREF | WK_VAR_ASSOC | WK_VAR_LOCAL | WK_VAR_TEMPENV;
    uint32_t name = wk_known(sh, WK_KNOWN_REMATCH);
    const struct wk_var *now = wk_var_peek(sh, name);
    if (WK_LIKELY(!now || !(now->flags & odd)))
        return wk_var_set_list(sh, name, v, n);
    wk_var_swap_global(sh, name);
    struct wk_var *own = wk_var_own(sh, name);
    int r = own ? 0 : -WK_ENOMEM;
    if (own) {
        uint32_t kept = own->flags & (WK_VAR_LOCAL | WK_VAR_TEMPENV);
        if (own->flags & WK_VAR_EXPORT)
            sh->st->env_gen++;
        wk_var_release(sh->mem, own);
        own->flags = kept;
        r = wk_var_set_list(sh, name, v, n);
    }
    wk_var_swap_global(sh, name);
    return r;
}

/* ---- by text name
 * ----------------------------------------------------------------------------------- */

/* Splits "name" or "name[sub]"; false when it is neither. sub.p is NULL without a subscript. */
bool wk_var_split_target(struct wk_str target, struct wk_str *name, struct wk_str *sub)
{
    *sub = (struct wk_str){0};
    ptrdiff_t at = wk_str_chr(target, '[');
    *name = at < 0 ? target : wk_str_take(target, (size_t)at);
    if (!wk_str_is_name(*name))
        return false;
    if (at < 0)
        return true;
    if (target.n - (size_t)at < 3 || wk_var_subscript_end(target, (size_t)at) != target.n - 1)
        return false;
    *sub = wk_str(target.p + at + 1, target.n - (size_t)at - 2);
    return true;
}

int wk_var_set_named(struct wk_shell *sh, const char *builtin, struct wk_str target,
                     struct wk_str value)
{
    struct wk_str name, sub;
    if (!wk_var_split_target(target, &name, &sub)) {
        wk_sh_builtin_error(sh, builtin, "`%.*s': not a valid identifier", (int)target.n, target.p);
        return -WK_EPERM;
    }
    uint32_t id = wk_names_intern(sh->names, name);
    if (id == WK_NAME_NONE)
        return -WK_ENOMEM;
    const struct wk_var *v = wk_var_peek(sh, id);
    if (WK_UNLIKELY(v && v->flags & WK_VAR_NOASSIGN)) /* a builtin fails where an assignment does nothing */
        return -WK_EPERM;
    return sub.p ? wk_var_sub_set(sh, id, sub, value, false, !wk_shopt(sh, ASSOC_EXPAND_ONCE))
                 : wk_var_set(sh, id, value);
}

bool wk_var_unset_exact(struct wk_shell *sh, struct wk_str target, int *err)
{
    ptrdiff_t bracket = wk_str_chr(target, '[');
    if (bracket <= 0 || target.n - (size_t)bracket < 3 || target.p[target.n - 1] != ']')
        return false;
    uint32_t id = wk_names_find(sh->names, wk_str_take(target, (size_t)bracket));
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    const uint32_t mask = WK_VAR_ASSOC | WK_VAR_DYNAMIC | WK_VAR_NAMEREF | WK_VAR_READONLY;
    if (!v || (v->flags & mask) != WK_VAR_ASSOC)
        return false;
    *err = unset_key(sh, id, wk_str(target.p + bracket + 1, target.n - (size_t)bracket - 2));
    return true;
}

int wk_var_unset_named(struct wk_shell *sh, struct wk_str target, bool nameref)
{
    struct wk_str name, sub;
    if (!wk_var_split_target(target, &name, &sub)) {
        if (!wk_str_is_name(name))
            return 0;
        if (target.n - name.n < 3 || target.p[target.n - 1] != ']')
            return 0; /* a bracket that is not closed: no such variable */
        /* A key that is a bracket or a quote: unset A[$key]. */
        sub = wk_str(target.p + name.n + 1, target.n - name.n - 2);
    }
    uint32_t id = wk_names_find(sh->names, name);
    if (id == WK_NAME_NONE)
        return 0;
    if (sub.p)
        return wk_var_unset_sub(sh, id, sub);
    const struct wk_var *v = wk_var_peek(sh, id);
    if (nameref && v && stays(v))
        return refuse_unset(sh, name, "");
    if (nameref && v && !(v->flags & WK_VAR_NAMEREF))
        return v->flags & WK_VAR_READONLY ? refuse_unset(sh, name, ": readonly variable") : 0;
    if (nameref)
        return v ? unset_here(sh, id) : 0;
    return wk_var_unset(sh, id);
}
