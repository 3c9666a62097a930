/* vars.c - slots of variables: reading and setting scalars, namerefs, attributes */
#include "interp/vars.h"

#include "base/utf8.h"
#include "interp/arith.h"
#include "interp/expand.h"
#include "interp/vars_array.h"
#include "interp/vars_special.h"

enum { NAMEREF_MAX = 8 };

/* Flags that keep an assignment from being a plain store. */
#define SLOW_SET                                                                       \
    (WK_VAR_READONLY | WK_VAR_INTEGER | WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL | \
     WK_VAR_NAMEREF | WK_VAR_ARRAY | WK_VAR_ASSOC | WK_VAR_DYNAMIC | WK_VAR_NOASSIGN | \
     WK_VAR_HOOK | WK_VAR_EXPORT)

size_t wk_i64_text(int64_t v, char *out)
{
    char tmp[24];
    size_t i = sizeof tmp;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do {
        tmp[--i] = (char)('0' + u % 10);
        u /= 10;
    } while (u);
    if (v < 0)
        tmp[--i] = '-';
    size_t n = sizeof tmp - i;
    memcpy(out, tmp + i, n);
    out[n] = '\0';
    return n;
}

/* ---- slots ------------------------------------------------------------------------------------
 */

struct wk_var *wk_var_own_slow(struct wk_shell *sh, uint32_t name)
{
    struct wk_var_page *p = wk_state_own_page(sh->st, sh->mem, name / WK_PAGE_SLOTS);
    return p ? &p->slots[name % WK_PAGE_SLOTS] : NULL;
}

void wk_var_warn_circular(struct wk_shell *sh, uint32_t name)
{
    wk_sh_error(sh, "warning: %s: circular name reference", wk_names_str(sh->names, name).p);
}

static int drop_reference(struct wk_shell *sh, uint32_t name)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    uint32_t keep = v->flags & ~(uint32_t)(WK_VAR_NAMEREF | WK_VAR_SET | WK_VAR_TEXT | WK_VAR_INT);
    uint32_t level = v->level;
    wk_var_release(sh->mem, v);
    v->flags = keep;
    v->level = level;
    return 0;
}

int wk_var_end_reference(struct wk_shell *sh, uint32_t name, uint32_t written)
{
    wk_sh_error(sh, "warning: %s: removing nameref attribute", wk_names_str(sh->names, written).p);
    return drop_reference(sh, name);
}

/* Split "x[sub]" at its bracket; false when there is none. */
static bool split_element(struct wk_str text, struct wk_str *base, struct wk_str *sub)
{
    ptrdiff_t at = wk_str_chr(text, '[');
    if (at <= 0 || text.p[text.n - 1] != ']')
        return false;
    *base = wk_str_take(text, (size_t)at);
    *sub = wk_str(text.p + at + 1, text.n - (size_t)at - 2);
    return wk_str_is_name(*base);
}

/* Is there a variable of that very name, as a function's reference to an element gets it that is declared again? */
static bool has_variable(struct wk_shell *sh, struct wk_str text)
{
    uint32_t id = wk_names_find(sh->names, text);
    const struct wk_var *v = id == WK_NAME_NONE ? NULL : wk_var_peek(sh, id);
    return v && v->flags & WK_VAR_DECLARED;
}

int wk_var_resolve(struct wk_shell *sh, uint32_t *name, struct wk_str *subscript)
{
    uint32_t first = *name;
    bool circular = false;
    *subscript = (struct wk_str){0};
    for (int i = 0; i < NAMEREF_MAX; i++) {
        const struct wk_var *v = wk_var_peek(sh, *name);
        if (!v || !(v->flags & WK_VAR_NAMEREF) || !v->text || !v->text->n)
            return 0;
        struct wk_str target = wk_val_str(v->text), base, sub;
        if (split_element(target, &base, &sub) && !has_variable(sh, target)) {
            *name = wk_names_intern(sh->names, base);
            *subscript = sub;
            return *name == WK_NAME_NONE ? -WK_ENOMEM : 0;
        }
        uint32_t next = wk_names_intern(sh->names, target);
        if (next == WK_NAME_NONE)
            return -WK_ENOMEM;
        circular = next == first || next == *name;
        *name = next;
        if (circular)
            break;
    }
    if (circular) /* a chain that is only too long passes in silence */
        wk_var_warn_circular(sh, first);
    return -WK_EPERM;
}

int wk_var_resolve_array(struct wk_shell *sh, uint32_t *name)
{
    struct wk_str sub;
    uint32_t first = *name;
    int r = wk_var_resolve(sh, name, &sub);
    const struct wk_var *v = wk_var_peek(sh, first);
    if (r == -WK_EPERM && v && !(v->flags & WK_VAR_LOCAL)) { /* a circle: the reference ends */
        *name = first;
        r = drop_reference(sh, first);
    }
    if (r || !sub.p)
        return r;
    const char *who = sh->builtin_name;
    wk_sh_error(sh, "%s%s`%s[%.*s]': not a valid identifier", who ? who : "", who ? ": " : "",
                wk_names_str(sh->names, *name).p, (int)sub.n, sub.p);
    return -WK_EPERM;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

bool wk_var_plain(struct wk_shell *sh, const struct wk_var *v, uint32_t name, char *scratch, struct wk_str *out)
{
    if (v->flags & WK_VAR_DYNAMIC && !(v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC))) {
        int64_t n;
        bool number;
        if (!wk_special_value(sh, v, &n, &number, out))
            return false;
        if (number)
            *out = wk_str(scratch, wk_i64_text(n, scratch));
        return true;
    }
    if (v->flags & WK_VAR_TEXT) {
        *out = wk_val_str(v->text);
        return true;
    }
    if (v->flags & WK_VAR_INT) {
        *out = wk_str(scratch, wk_i64_text(v->ival, scratch));
        return true;
    }
    bool set = false;
    if (v->flags & WK_VAR_ARRAY)
        return wk_var_elem_get(sh, name, 0, scratch, out, &set) == 0 && set;
    if (v->flags & WK_VAR_ASSOC)
        return wk_var_key_get(sh, name, WK_STR("0"), scratch, out, &set) == 0 && set;
    return false;
}

/* A circular reference, which was followed to `name` when it was found: the global variable, when there is one. */
static bool get_circular(struct wk_shell *sh, uint32_t name, char *scratch, struct wk_str *out)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    if (!v || !(v->flags & WK_VAR_LOCAL))
        return false;
    wk_var_swap_global(sh, name);
    v = wk_var_peek(sh, name);
    bool set = v && !(v->flags & WK_VAR_NAMEREF) && wk_var_plain(sh, v, name, scratch, out);
    wk_var_swap_global(sh, name);
    return set;
}

bool wk_var_get(struct wk_shell *sh, uint32_t name, char *scratch, struct wk_str *out)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    if (!v)
        return false;
    if (WK_LIKELY(!(v->flags & WK_VAR_NAMEREF)))
        return wk_var_plain(sh, v, name, scratch, out);
    struct wk_str sub;
    uint32_t target = name;
    int r = wk_var_resolve(sh, &target, &sub);
    if (r == -WK_EPERM)
        return get_circular(sh, target, scratch, out);
    if (r || target == name)
        return false;
    if (sub.p) {
        bool set;
        return wk_var_sub_get(sh, target, sub, scratch, out, &set) == 0 && set;
    }
    v = wk_var_peek(sh, target);
    return v && wk_var_plain(sh, v, target, scratch, out);
}

struct wk_val *wk_var_get_val(struct wk_shell *sh, uint32_t name, int *err)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    *err = 0;
    if (v && (v->flags & (WK_VAR_TEXT | WK_VAR_NAMEREF | WK_VAR_DYNAMIC)) == WK_VAR_TEXT)
        return wk_val_ref(v->text);
    char scratch[24];
    struct wk_str s;
    if (!wk_var_get(sh, name, scratch, &s))
        return NULL;
    struct wk_val *val = wk_val_new(sh->mem, s);
    if (!val)
        *err = -WK_ENOMEM;
    return val;
}

bool wk_var_is_set(struct wk_shell *sh, uint32_t name)
{
    char scratch[24];
    struct wk_str s;
    return wk_var_get(sh, name, scratch, &s);
}

/* ---- storing ----------------------------------------------------------------------------------
 */

static void exported_changed(struct wk_shell *sh)
{
    sh->st->env_gen++;
}

/* After a change of a slot with attributes that matter to others. */
void wk_var_changed(struct wk_shell *sh, uint32_t name, struct wk_var *v)
{
    if (WK_UNLIKELY(v->flags & WK_VAR_TEMPENV))
        v->flags |= WK_VAR_REASSIGNED;
    if (wk_opt(sh, ALLEXPORT) && !(v->flags & (WK_VAR_EXPORT | WK_VAR_ARRAY | WK_VAR_ASSOC)))
        v->flags |= WK_VAR_EXPORT;
    if ((v->flags & (WK_VAR_EXPORT | WK_VAR_ARRAY | WK_VAR_ASSOC)) == WK_VAR_EXPORT) /* arrays are no text */
        exported_changed(sh);
    if (v->flags & WK_VAR_HOOK)
        wk_special_changed(sh, name);
}

static int store_text(struct wk_shell *sh, struct wk_var *v, struct wk_str value)
{
    struct wk_val *val = wk_val_store(sh->mem, v->text, value);
    if (!val)
        return -WK_ENOMEM;
    v->text = val;
    v->flags = (v->flags & ~(uint32_t)WK_VAR_INT) | WK_VAR_TEXT | WK_VAR_SET;
    return 0;
}

static void store_int(struct wk_shell *sh, struct wk_var *v, int64_t value)
{
    if (v->flags & WK_VAR_TEXT) {
        wk_val_unref(sh->mem, v->text);
        v->text = NULL;
    }
    v->ival = value;
    v->flags = (v->flags & ~(uint32_t)WK_VAR_TEXT) | WK_VAR_INT | WK_VAR_SET;
}

static int append_text(struct wk_shell *sh, struct wk_var *v, struct wk_str value)
{
    if (!(v->flags & WK_VAR_TEXT)) {
        if (!(v->flags & WK_VAR_INT))
            return store_text(sh, v, value);
        char digits[24];
        int r = store_text(sh, v, wk_str(digits, wk_i64_text(v->ival, digits)));
        if (r)
            return r;
    }
    if (!wk_val_append(sh->mem, &v->text, value))
        return -WK_ENOMEM;
    v->flags &= ~(uint32_t)WK_VAR_INT;
    return 0;
}

static int convert_case(struct wk_shell *sh, uint32_t flags, struct wk_str value,
                        struct wk_str *out)
{
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    for (size_t i = 0; i < value.n;) {
        uint32_t c;
        char enc[6];
        size_t n = wk_char_next(sh->st->bytes, value.p + i, value.n - i, &c);
        if (!wk_utf8_is_bad(c))
            c = flags & WK_VAR_UPPER || (flags & WK_VAR_CAPITAL && i == 0) ? wk_utf8_upper(c)
                                                                           : wk_utf8_lower(c);
        wk_buf_put(&b, enc, wk_utf8_put(enc, c));
        i += n;
    }
    char *p = b.failed ? NULL : wk_arena_strndup(&sh->arena, wk_buf_c(&b), b.n);
    *out = wk_str(p, b.n);
    wk_buf_release(&b);
    return p ? 0 : -WK_ENOMEM;
}

int wk_var_arith(struct wk_shell *sh, struct wk_str text, int64_t *out)
{
    enum wk_flow flow = wk_arith_text(sh, text, out);
    sh->now.arith_failed = flow == WK_ABORT || flow == WK_EXIT;
    sh->value_failed = false;
    sh->arith_exits = flow == WK_EXIT; /* set -u */
    return wk_flow_err(flow);
}

/* A value: $? is what it was when it is no expression. */
static int value_arith(struct wk_shell *sh, struct wk_str text, int64_t *out)
{
    int status = sh->status, e = wk_var_arith(sh, text, out);
    sh->value_failed = sh->now.arith_failed;
    if (e)
        sh->status = status;
    return e;
}

int wk_var_convert(struct wk_shell *sh, uint32_t flags, struct wk_str value, struct wk_str *out)
{
    *out = value;
    if (flags & WK_VAR_INTEGER) {
        int64_t n;
        int r = value_arith(sh, value, &n);
        if (r)
            return r;
        char *p = wk_arena_alloc(&sh->arena, 24);
        if (!p)
            return -WK_ENOMEM;
        *out = wk_str(p, wk_i64_text(n, p));
    }
    if (flags & (WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL))
        return convert_case(sh, flags, *out, out);
    return 0;
}

int wk_var_refuse_readonly(struct wk_shell *sh, uint32_t name)
{
    sh->told_readonly = true;
    sh->told_fatal = wk_opt(sh, ERREXIT) && !sh->interactive;
    wk_sh_error(sh, "%s: readonly variable", wk_names_str(sh->names, name).p);
    return -WK_EPERM;
}

static int set_integer(struct wk_shell *sh, uint32_t name, struct wk_str value, bool append)
{
    int64_t n, old = 0;
    /* Evaluated first: the expression may change the variable. */
    int r = value_arith(sh, value, &n);
    if (!r && append) {
        enum wk_flow flow = wk_var_int(sh, name, &old);
        sh->now.arith_failed = flow == WK_ABORT;
        r = wk_flow_err(flow);
    }
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    if (r) {
        v->flags |= WK_VAR_MADE;
        return r;
    }
    store_int(sh, v, (int64_t)((uint64_t)n + (uint64_t)old));
    wk_var_changed(sh, name, v);
    return 0;
}

/* The chain ends in a reference to nothing in another scope than the first one's: that stays, and a function gets a
 * variable of the name; outside of them the assignment fails without a word. */
static int fill_reference(struct wk_shell *sh, const struct wk_var *from, uint32_t target, struct wk_str value)
{
    const struct wk_var *to = wk_var_peek(sh, target);
    if (!(from->flags & WK_VAR_LOCAL))
        return -WK_EPERM;
    if (to && to->flags & WK_VAR_LOCAL)
        return 0;
    int r = wk_var_push_local(sh, target, sh->func_depth, false, false);
    return r ? r : wk_var_set(sh, target, value);
}

static bool is_own_circle(struct wk_shell *sh, uint32_t name)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    const uint32_t both = WK_VAR_NAMEREF | WK_VAR_LOCAL;
    return v && (v->flags & both) == both && v->text && wk_str_eq(wk_val_str(v->text), wk_names_str(sh->names, name));
}

/* A nameref that is assigned to: without a target the text becomes the target. */
static int set_reference(struct wk_shell *sh, uint32_t name, struct wk_str value, bool append)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    if (!v->text || !v->text->n) {
        struct wk_str base, sub;
        if (v->flags & WK_VAR_READONLY)
            return wk_var_refuse_readonly(sh, name);
        if (!wk_str_is_name(value) && !split_element(value, &base, &sub)) {
            const char *who = sh->builtin_name;
            wk_sh_error(sh, "%s%s`%.*s': not a valid identifier", who ? who : "", who ? ": " : "",
                        (int)value.n, value.p);
            return -WK_EPERM;
        }
        return store_text(sh, v, value);
    }
    struct wk_str sub;
    uint32_t target = name;
    if (wk_var_enter_self(sh, name)) {
        int r = append ? wk_var_append(sh, name, value) : wk_var_set(sh, name, value);
        wk_var_swap_global(sh, name);
        return r;
    }
    int r = wk_var_resolve(sh, &target, &sub);
    if (r == -WK_EPERM && target != name && is_own_circle(sh, target)) /* it leads to one: nothing is set */
        return 0;
    if (r)
        return r;
    const struct wk_var *to = wk_var_peek(sh, target);
    v = wk_var_own(sh, name);
    if (!sub.p && to && v && to->flags & WK_VAR_NAMEREF && (to->level != v->level || !(v->flags & WK_VAR_LOCAL)))
        return fill_reference(sh, v, target, value);
    to = sub.p ? to : NULL;
    if (to && (to->flags & (WK_VAR_NAMEREF | WK_VAR_LOCAL)) == WK_VAR_NAMEREF) {
        /* The chain leads back to an element of a reference in it. */
        char *copy = wk_arena_strndup(&sh->arena, sub.p, sub.n);
        if (!copy || wk_var_end_reference(sh, target, target) != 0)
            return -WK_ENOMEM;
        sub.p = copy;
    }
    if (sub.n == 1 && (sub.p[0] == '@' || sub.p[0] == '*')) {
        wk_sh_error(sh, "%s[%.*s]: bad array subscript", wk_names_str(sh->names, target).p, (int)sub.n, sub.p);
        return -WK_EPERM;
    }
    if (sub.p)
        return wk_var_sub_set(sh, target, sub, value, append, true);
    return append ? wk_var_append(sh, target, value) : wk_var_set(sh, target, value);
}

/* What it was last is what is appended to. */
static int append_computed(struct wk_shell *sh, const struct wk_var *v, uint32_t name, struct wk_str value)
{
    char digits[24], sum[24];
    int64_t last = 0, n = 0;
    struct wk_str old = {"", 0};
    bool known = wk_special_last(sh, v, &last);
    if (v->flags & WK_VAR_INTEGER) {
        int r = value_arith(sh, value, &n);
        if (r)
            return r;
        n = (int64_t)((uint64_t)n + (uint64_t)last);
        return wk_special_assign(sh, v, wk_str(sum, wk_i64_text(n, sum)));
    }
    if (known)
        old = wk_str(digits, wk_i64_text(last, digits));
    else if (wk_var_kind(v) != WK_SPECIAL_SECONDS)
        (void)wk_var_plain(sh, v, name, digits, &old);
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    wk_buf_puts(&b, old);
    wk_buf_puts(&b, value);
    int r = b.failed ? -WK_ENOMEM : wk_special_assign(sh, v, wk_buf_str(&b));
    wk_buf_release(&b);
    return r;
}

static WK_NOINLINE int set_slow(struct wk_shell *sh, uint32_t name, struct wk_str value,
                                bool append)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    if (v->flags & WK_VAR_NAMEREF)
        return set_reference(sh, name, value, append);
    if (v->flags & WK_VAR_READONLY)
        return wk_var_refuse_readonly(sh, name);
    if (v->flags & WK_VAR_NOASSIGN)
        return 0;
    if (v->flags & WK_VAR_ARRAY)
        return wk_var_elem_set(sh, name, 0, value, append);
    if (v->flags & WK_VAR_ASSOC)
        return wk_var_key_set(sh, name, WK_STR("0"), value, append);
    if (v->flags & WK_VAR_DYNAMIC) {
        if (v->flags & WK_VAR_EXPORT)
            sh->st->env_gen++;
        if (append)
            return append_computed(sh, v, name, value);
        return wk_special_assign(sh, v, value);
    }
    if (v->flags & WK_VAR_INTEGER)
        return set_integer(sh, name, value, append);
    int r = append ? append_text(sh, v, value) : 0;
    if (!r && v->flags & (WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL)) {
        r = convert_case(sh, v->flags, append ? wk_val_str(v->text) : value,
                         &value); /* the whole */
        append = false;
    }
    if (!r && !append)
        r = store_text(sh, v, value);
    if (!r)
        wk_var_changed(sh, name, v);
    return r;
}

int wk_var_set_quietly(struct wk_shell *sh, uint32_t name, struct wk_str value, bool append)
{
    return set_slow(sh, name, value, append);
}

/* An array that is assigned to as a whole counts as set, even though the value may turn out to be none; set -a exports
 * it, too. */
static WK_NOINLINE int set_marked(struct wk_shell *sh, uint32_t name, struct wk_str value, bool append)
{
    struct wk_var *own = wk_var_own(sh, name);
    if (!own)
        return -WK_ENOMEM;
    const uint32_t other = WK_VAR_READONLY | WK_VAR_NOASSIGN | WK_VAR_DYNAMIC;
    if (own->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC) && !(own->flags & other))
        own->flags |= WK_VAR_SET;
    int r = set_slow(sh, name, value, append);
    const struct wk_var *v = r || !wk_opt(sh, ALLEXPORT) ? NULL : wk_var_peek(sh, name);
    bool array = v && v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC) && !(v->flags & (WK_VAR_EXPORT | WK_VAR_DYNAMIC));
    return array ? wk_var_attributes(sh, name, WK_VAR_EXPORT, 0) : r;
}

int wk_var_set(struct wk_shell *sh, uint32_t name, struct wk_str value)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (WK_UNLIKELY(!v))
        return -WK_ENOMEM;
    if (WK_LIKELY(!(v->flags & SLOW_SET) && !wk_opt(sh, ALLEXPORT)))
        return store_text(sh, v, value);
    return set_marked(sh, name, value, false);
}

int wk_var_append(struct wk_shell *sh, uint32_t name, struct wk_str value)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (WK_UNLIKELY(!v))
        return -WK_ENOMEM;
    if (WK_LIKELY(!(v->flags & SLOW_SET) && !wk_opt(sh, ALLEXPORT)))
        return append_text(sh, v, value);
    return set_marked(sh, name, value, true);
}

int wk_var_set_int(struct wk_shell *sh, uint32_t name, int64_t value)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (WK_UNLIKELY(!v))
        return -WK_ENOMEM;
    if (WK_LIKELY(!(v->flags & (SLOW_SET & ~(uint32_t)WK_VAR_INTEGER)) && !wk_opt(sh, ALLEXPORT))) {
        store_int(sh, v, value);
        return 0;
    }
    char digits[24];
    struct wk_str text = wk_str(digits, wk_i64_text(value, digits));
    return v->flags & WK_VAR_ASSOC ? set_marked(sh, name, text, false) : set_slow(sh, name, text, false);
}

/* ---- attributes -------------------------------------------------------------------------------
 */

int wk_var_attributes(struct wk_shell *sh, uint32_t name, uint32_t add, uint32_t remove)
{
    uint32_t cases = WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL;
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    if (v->flags & WK_VAR_READONLY && remove & WK_VAR_READONLY)
        return wk_var_refuse_readonly(sh, name);
    if (add & (WK_VAR_ARRAY | WK_VAR_ASSOC) && !(v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC))) {
        bool was_set = v->flags & (WK_VAR_SET | WK_VAR_MADE);
        uint32_t env_gen = sh->st->env_gen;
        int r = wk_var_make_array(sh, name, (add & WK_VAR_ASSOC) != 0);
        if (r)
            return r;
        v = wk_var_own(sh, name);
        if (!was_set) {
            v->flags &= ~(uint32_t)WK_VAR_SET;
            sh->st->env_gen = env_gen; /* it had nothing for children */
        }
    }
    add &= ~(uint32_t)(WK_VAR_ARRAY | WK_VAR_ASSOC);
    remove &= ~(uint32_t)(WK_VAR_ARRAY | WK_VAR_ASSOC);
    if (add & cases)
        v->flags &= ~cases;
    if (add & WK_VAR_NAMEREF) {
        /* A reference's target is text. */
        if ((v->flags & (WK_VAR_INT | WK_VAR_TEXT)) == WK_VAR_INT) {
            char digits[24];
            int r = store_text(sh, v, wk_str(digits, wk_i64_text(v->ival, digits)));
            if (r)
                return r;
        }
        v->flags &= ~(uint32_t)(WK_VAR_INT | ((WK_VAR_INTEGER | cases) & ~add));
    }
    if ((add | remove) & WK_VAR_EXPORT)
        exported_changed(sh);
    v->flags = (v->flags | add) & ~remove;
    return 0;
}
