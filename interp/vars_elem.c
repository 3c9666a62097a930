/* vars_elem.c - elements of array variables: by index, by key, by subscript text, one after another
 */
#include "interp/arith.h"
#include "interp/expand.h"
#include "interp/vars_array.h"
#include "interp/vars_special.h"

enum { ARRAY_BITS = WK_VAR_ARRAY | WK_VAR_ASSOC };

/* The variable behind a name for reading, namerefs followed and computed arrays brought up to date.
 */
static const struct wk_var *readable(struct wk_shell *sh, uint32_t *name, int *err)
{
    const struct wk_var *v = wk_var_peek(sh, *name);
    *err = 0;
    if (v && v->flags & WK_VAR_NAMEREF) {
        struct wk_str sub;
        *err = wk_var_resolve(sh, name, &sub);
        if (*err || sub.p) /* an element has no elements */
            return NULL;
        v = wk_var_peek(sh, *name);
    }
    if (v && v->flags & WK_VAR_DYNAMIC && v->flags & ARRAY_BITS) {
        *err = wk_special_refresh(sh, *name);
        v = *err ? NULL : wk_var_peek(sh, *name);
    }
    return v;
}

static int bad_subscript(struct wk_shell *sh, uint32_t name, int64_t index)
{
    wk_sh_error(sh, "%s[%lld]: bad array subscript", wk_names_str(sh->names, name).p,
                (long long)index);
    return -WK_EPERM;
}

static int no_element(struct wk_shell *sh, uint32_t name)
{
    wk_sh_error(sh, "%s: bad array subscript", wk_names_str(sh->names, name).p);
    return -WK_EPERM;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

int wk_var_elem_get(struct wk_shell *sh, uint32_t name, int64_t index, char *scratch,
                    struct wk_str *out, bool *set)
{
    int err;
    uint32_t named = name;
    *set = false;
    *out = (struct wk_str){"", 0};
    const struct wk_var *v = readable(sh, &name, &err);
    if (!v && !err && index < 0)
        return no_element(sh, named);
    if (!v)
        return err;
    if (v->flags & WK_VAR_ARRAY) {
        int64_t max = v->array ? wk_array_max(v->array) : -1;
        if (index < 0) {
            index = index + 1 + max;
            if (index < 0)
                return no_element(sh, name);
        }
        const struct wk_elem_value *e = v->array ? wk_array_at(v->array, index) : NULL;
        if (e) {
            *set = true;
            *out = wk_elem_text(e, scratch);
        }
        return 0;
    }
    if (v->flags & WK_VAR_ASSOC) {
        char key[24];
        return wk_var_key_get(sh, name, wk_str(key, wk_i64_text(index, key)), scratch, out, set);
    }
    if (index < 0)
        return no_element(sh, name);
    if (index == 0)
        *set = wk_var_get(sh, name, scratch, out);
    return 0;
}

int wk_var_key_get(struct wk_shell *sh, uint32_t name, struct wk_str key, char *scratch,
                   struct wk_str *out, bool *set)
{
    int err;
    *set = false;
    *out = (struct wk_str){"", 0};
    const struct wk_var *v = readable(sh, &name, &err);
    if (!v || !(v->flags & WK_VAR_ASSOC) || !v->assoc)
        return err;
    const struct wk_elem_value *e = wk_assoc_at(v->assoc, key);
    if (e) {
        *set = true;
        *out = wk_elem_text(e, scratch);
    }
    return 0;
}

/* ---- making arrays ------------------------------------------------------------------------------
 */

/* The slot, changeable, with an unshared array of its kind in it. */
static int own_array(struct wk_shell *sh, uint32_t name, struct wk_var **out)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    if (v->flags & WK_VAR_ARRAY) {
        if (!v->array)
            v->array = wk_array_new(sh->mem);
        if (!v->array || !wk_array_own(sh->mem, &v->array))
            return -WK_ENOMEM;
    } else {
        if (!v->assoc)
            v->assoc = wk_assoc_new(sh->mem, WK_ASSOC_BUCKETS);
        if (!v->assoc || !wk_assoc_own(sh->mem, &v->assoc))
            return -WK_ENOMEM;
    }
    *out = v;
    return 0;
}

static int from_scalar(struct wk_shell *sh, struct wk_var *v, bool assoc, struct wk_str value,
                       bool set)
{
    if (assoc) {
        const uint32_t exists = WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_EXPORT;
        bool local = v->flags & WK_VAR_LOCAL && !wk_shopt(sh, LOCALVAR_INHERIT);
        bool converted = v->flags & exists && !local;
        struct wk_assoc *a =
            wk_assoc_new(sh->mem, converted ? WK_ASSOC_CONVERTED_BUCKETS : WK_ASSOC_BUCKETS);
        if (!a || (set && !wk_assoc_set(sh->mem, a, WK_STR("0"), value))) {
            wk_assoc_unref(sh->mem, a);
            return -WK_ENOMEM;
        }
        wk_val_unref(sh->mem, v->text);
        v->assoc = a;
    } else {
        struct wk_array *a = wk_array_new(sh->mem);
        if (!a || (set && !wk_array_set(sh->mem, a, 0, value))) {
            wk_array_unref(sh->mem, a);
            return -WK_ENOMEM;
        }
        wk_val_unref(sh->mem, v->text);
        v->array = a;
    }
    return 0;
}

int wk_var_make_array(struct wk_shell *sh, uint32_t name, bool assoc)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    if (v->flags & ARRAY_BITS)
        return 0;
    char scratch[24];
    struct wk_str value = {"", 0};
    bool set = !(v->flags & WK_VAR_NAMEREF) && wk_var_get(sh, name, scratch, &value);
    int r = from_scalar(sh, v, assoc, value, set);
    if (r)
        return r;
    v->flags &= ~(uint32_t)(WK_VAR_TEXT | WK_VAR_INT | WK_VAR_NAMEREF | WK_VAR_DYNAMIC);
    if (v->flags & WK_VAR_EXPORT) /* children get no arrays */
        sh->st->env_gen++;
    set = set || v->flags & WK_VAR_MADE;
    v->flags |= (assoc ? WK_VAR_ASSOC : WK_VAR_ARRAY) | WK_VAR_DECLARED | (set ? WK_VAR_SET : 0);
    return 0;
}

/* May elements of the variable be changed? The name is resolved, a scalar becomes an array. */
static int prepare(struct wk_shell *sh, uint32_t *name, bool *ignore)
{
    const struct wk_var *v = wk_var_peek(sh, *name);
    uint32_t written = *name;
    *ignore = false;
    if (v && v->flags & WK_VAR_NAMEREF) {
        int r = wk_var_resolve_array(sh, name);
        if (r)
            return r;
        v = wk_var_peek(sh, *name);
    }
    if (v && v->flags & WK_VAR_READONLY)
        return wk_var_refuse_readonly(sh, written);
    if (v && v->flags & WK_VAR_NOASSIGN) {
        *ignore = true;
        return 0;
    }
    if (v && v->flags & WK_VAR_DYNAMIC && v->flags & ARRAY_BITS)
        return wk_special_refresh(sh, *name);
    if (v && v->flags & ARRAY_BITS)
        return 0;
    wk_special_look(sh, v, 1);
    return wk_var_make_array(sh, *name, false);
}

int wk_var_clear_array(struct wk_shell *sh, uint32_t name)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    if (v->flags & WK_VAR_ARRAY) {
        struct wk_array *a = wk_array_new(sh->mem);
        if (!a)
            return -WK_ENOMEM;
        wk_array_unref(sh->mem, v->array);
        v->array = a;
    } else if (v->flags & WK_VAR_ASSOC) {
        uint32_t buckets = v->assoc ? wk_assoc_buckets(v->assoc) : WK_ASSOC_BUCKETS;
        struct wk_assoc *a = wk_assoc_new(sh->mem, buckets);
        if (!a)
            return -WK_ENOMEM;
        wk_assoc_unref(sh->mem, v->assoc);
        v->assoc = a;
    }
    v->flags |= WK_VAR_SET;
    return 0;
}

/* ---- setting ------------------------------------------------------------------------------------
 */

/* What an element gets: the whole of it, `value' being appended or not. */
static int convert(struct wk_shell *sh, const struct wk_var *v, const struct wk_elem_value *old,
                   struct wk_str *value, bool append)
{
    char scratch[24];
    int64_t a = 0, b;
    bool sum = v->flags & WK_VAR_INTEGER;
    if (!append || !old)
        return wk_var_convert(sh, v->flags, *value, value);
    struct wk_str had = wk_elem_text(old, scratch);
    char *p = wk_arena_alloc(&sh->arena, sum ? 24 : had.n + value->n + 1);
    if (!p)
        return -WK_ENOMEM;
    if (!sum) {
        memcpy(p, had.p, had.n);
        memcpy(p + had.n, value->p, value->n);
        p[had.n + value->n] = '\0';
        return wk_var_convert(sh, v->flags, wk_str(p, had.n + value->n), value);
    }
    int r = wk_var_arith(sh, had, &a);
    if (!r)
        r = wk_var_convert(sh, v->flags, *value, value);
    if (!r)
        r = wk_var_arith(sh, *value, &b);
    if (!r)
        *value = wk_str(p, wk_i64_text((int64_t)((uint64_t)a + (uint64_t)b), p));
    return r;
}

static bool needs_convert(const struct wk_var *v)
{
    return v->flags & (WK_VAR_INTEGER | WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL);
}

static void elem_changed(struct wk_shell *sh, uint32_t name, struct wk_var *v)
{
    v->flags |= WK_VAR_SET;
    if (v->flags & (WK_VAR_EXPORT | WK_VAR_HOOK))
        wk_var_changed(sh, name, v);
}

bool wk_var_has_one(const struct wk_var *v)
{
    const uint32_t there = WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_EXPORT;
    return v && v->flags & there && !(v->flags & (ARRAY_BITS | WK_VAR_DYNAMIC));
}

int wk_var_elem_set(struct wk_shell *sh, uint32_t name, int64_t index, struct wk_str value,
                    bool append)
{
    bool ignore;
    const struct wk_var *now = WK_UNLIKELY(index < 0) ? wk_var_peek(sh, name) : NULL;
    const uint32_t other = ARRAY_BITS | WK_VAR_NAMEREF | WK_VAR_READONLY | WK_VAR_NOASSIGN | WK_VAR_DYNAMIC;
    if (index < 0 && (!now || !(now->flags & other))) { /* it becomes an array only when there is such an element */
        if (index != -1 || !wk_var_has_one(now))
            return bad_subscript(sh, name, index);
        index = 0;
    }
    int r = prepare(sh, &name, &ignore);
    if (r || ignore)
        return r;
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    char key[24];
    if (v->flags & WK_VAR_ASSOC)
        return wk_var_key_set(sh, name, wk_str(key, wk_i64_text(index, key)), value, append);
    if (v->flags & WK_VAR_DYNAMIC &&
        wk_special_elem(sh, v, wk_str(key, wk_i64_text(index, key)), value, &r))
        return r;
    int64_t written = index;
    if (index < 0)
        index = index + 1 + (v->array ? wk_array_max(v->array) : -1);
    if (index < 0)
        return bad_subscript(sh, name, written);
    if (needs_convert(v)) {
        r = convert(sh, v, v->array ? wk_array_at(v->array, index) : NULL, &value, append);
        append = false;
        if (r)
            return r;
    }
    r = own_array(sh, name, &v);
    if (r)
        return r;
    struct wk_elem_value *e = append ? wk_array_at(v->array, index) : NULL;
    bool ok = e ? wk_elem_append(sh->mem, e, value) : wk_array_set(sh->mem, v->array, index, value);
    elem_changed(sh, name, v);
    return ok ? 0 : -WK_ENOMEM;
}

int wk_var_elem_set_int(struct wk_shell *sh, uint32_t name, int64_t index, int64_t value)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    uint32_t plain = WK_VAR_ARRAY | WK_VAR_READONLY | WK_VAR_DYNAMIC | WK_VAR_NOASSIGN |
                     WK_VAR_EXPORT | WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL | WK_VAR_HOOK;
    if ((v->flags & plain) == WK_VAR_ARRAY && index >= 0 && v->array) {
        if (!wk_array_own(sh->mem, &v->array))
            return -WK_ENOMEM;
        struct wk_elem_value *e = wk_array_make(sh->mem, v->array, index);
        if (!e)
            return -WK_ENOMEM;
        wk_elem_store_int(sh->mem, e, value);
        v->flags |= WK_VAR_SET;
        return 0;
    }
    char digits[24];
    return wk_var_elem_set(sh, name, index, wk_str(digits, wk_i64_text(value, digits)), false);
}

/* An element of BASH_ALIASES or BASH_CMDS. */
static int special_key_set(struct wk_shell *sh, uint32_t name, struct wk_str key,
                           struct wk_str value, bool append)
{
    int r = wk_special_refresh(sh, name);
    const struct wk_var *v = wk_var_peek(sh, name);
    if (r)
        return r;
    const struct wk_elem_value *old = wk_assoc_at(v->assoc, key);
    if (needs_convert(v))
        r = convert(sh, v, old, &value, append);
    if (r)
        return r;
    if (append && old && !needs_convert(v)) {
        char scratch[24];
        struct wk_str before = wk_elem_text(old, scratch);
        char *p = wk_arena_alloc(&sh->arena, before.n + value.n + 1);
        if (!p)
            return -WK_ENOMEM;
        memcpy(p, before.p, before.n);
        memcpy(p + before.n, value.p, value.n);
        p[before.n + value.n] = '\0';
        value = wk_str(p, before.n + value.n);
    }
    wk_special_elem(sh, v, key, value, &r);
    return r;
}

int wk_var_key_set(struct wk_shell *sh, uint32_t name, struct wk_str key, struct wk_str value,
                   bool append)
{
    bool ignore;
    int r = prepare(sh, &name, &ignore);
    if (r || ignore)
        return r;
    struct wk_var *v = wk_var_own(sh, name);
    if (!v)
        return -WK_ENOMEM;
    if (!(v->flags & WK_VAR_ASSOC))
        return wk_var_sub_set(sh, name, key, value, append, false);
    if (v->flags & WK_VAR_DYNAMIC)
        return special_key_set(sh, name, key, value, append);
    if (needs_convert(v)) {
        r = convert(sh, v, v->assoc ? wk_assoc_at(v->assoc, key) : NULL, &value, append);
        append = false;
        if (r)
            return r;
    }
    r = own_array(sh, name, &v);
    if (r)
        return r;
    struct wk_elem_value *e = append ? wk_assoc_at(v->assoc, key) : NULL;
    bool ok = e ? wk_elem_append(sh->mem, e, value) : wk_assoc_set(sh->mem, v->assoc, key, value);
    elem_changed(sh, name, v);
    return ok ? 0 : -WK_ENOMEM;
}

static int set_list(struct wk_shell *sh, uint32_t name, const struct wk_str *values, size_t n)
{
    bool ignore;
    int r = prepare(sh, &name, &ignore);
    if (r || ignore)
        return r;
    struct wk_array *a = wk_array_new(sh->mem);
    if (!a)
        return -WK_ENOMEM;
    const struct wk_var *old = wk_var_peek(sh, name);
    for (size_t i = 0; !r && i < n; i++) {
        struct wk_str value = values[i];
        if (old && needs_convert(old))
            r = wk_var_convert(sh, old->flags, value, &value);
        if (!r && !wk_array_set(sh->mem, a, (int64_t)i, value))
            r = -WK_ENOMEM;
    }
    struct wk_var *v = r == -WK_ENOMEM ? NULL : wk_var_own(sh, name);
    if (!v || v->flags & WK_VAR_ASSOC) {
        wk_array_unref(sh->mem, a);
        return r ? r : v ? -WK_EPERM : -WK_ENOMEM;
    }
    wk_array_unref(sh->mem, v->array);
    v->array = a; /* what came before a value that is none stays */
    elem_changed(sh, name, v);
    return r;
}

int wk_var_set_list(struct wk_shell *sh, uint32_t name, const struct wk_str *values, size_t n)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    if (WK_LIKELY(!v || !(v->flags & WK_VAR_NAMEREF)))
        return set_list(sh, name, values, n);
    if ((!v->text || !v->text->n) && wk_var_end_reference(sh, name, name) != 0)
        return -WK_ENOMEM;
    bool self = wk_var_enter_self(sh, name);
    int r = set_list(sh, name, values, n);
    if (self)
        wk_var_swap_global(sh, name);
    return r;
}

/* ---- by subscript text --------------------------------------------------------------------------
 */

/* A subscript's text with its expansions done, when asked. */
static int expand_subscript(struct wk_shell *sh, struct wk_str *sub, bool expand)
{
    bool plain = true;
    for (size_t i = 0; i < sub->n && plain; i++)
        plain = sub->p[i] != '$' && sub->p[i] != '`' && sub->p[i] != '"' && sub->p[i] != '\'' &&
                sub->p[i] != '\\';
    return plain || !expand ? 0 : wk_flow_err(wk_expand_key(sh, *sub, sub));
}

/* The same for an array with numbers: double quotes go; single ones and backslashes are part of the expression. */
static int expand_index(struct wk_shell *sh, struct wk_str *sub)
{
    bool plain = true;
    for (size_t i = 0; i < sub->n && plain; i++)
        plain = sub->p[i] != '$' && sub->p[i] != '`' && sub->p[i] != '"';
    return plain ? 0 : wk_flow_err(wk_expand_index(sh, *sub, sub));
}

int wk_var_key(struct wk_shell *sh, struct wk_str sub, struct wk_str *key)
{
    *key = sub;
    return expand_subscript(sh, key, true);
}

int wk_var_index(struct wk_shell *sh, uint32_t name, struct wk_str sub, int64_t *index)
{
    const char *outer = sh->builtin_name; /* not part of messages about subscripts */
    (void)name;
    int r = expand_index(sh, &sub);
    sh->builtin_name = NULL;
    if (!r)
        r = wk_var_arith(sh, sub, index);
    sh->builtin_name = outer;
    return r;
}

static int bad_text_subscript(struct wk_shell *sh, uint32_t name, struct wk_str sub)
{
    wk_sh_error(sh, "%s[%.*s]: bad array subscript", wk_names_str(sh->names, name).p, (int)sub.n,
                sub.p);
    return -WK_EPERM;
}

static int sub_set(struct wk_shell *sh, uint32_t name, struct wk_str sub, struct wk_str value,
                   bool append, bool expand)
{
    struct wk_str written = sub;
    const struct wk_var *v = wk_var_peek(sh, name);
    int r = v && v->flags & WK_VAR_NAMEREF ? wk_var_resolve_array(sh, &name) : 0;
    if (r)
        return r;
    v = wk_var_peek(sh, name);
    bool assoc = v && v->flags & WK_VAR_ASSOC;
    if (!sub.n || (!assoc && sub.n == 1 && (sub.p[0] == '@' || sub.p[0] == '*')))
        return bad_text_subscript(sh, name, sub);
    if (assoc) {
        r = expand_subscript(sh, &sub, expand);
        if (r)
            return r;
        if (!sub.n)
            return bad_text_subscript(sh, name, written);
        return wk_var_key_set(sh, name, sub, value, append);
    }
    int64_t index;
    r = wk_var_index(sh, name, sub, &index);
    if (r)
        return r;
    v = wk_var_peek(sh, name);
    int64_t max = v && v->flags & WK_VAR_ARRAY ? (v->array ? wk_array_max(v->array) : -1)
                                               : (int64_t)wk_var_has_one(v) - 1;
    if (index < 0 && index + 1 + max < 0)
        return bad_text_subscript(sh, name, written);
    return wk_var_elem_set(sh, name, index, value, append);
}

int wk_var_sub_set(struct wk_shell *sh, uint32_t name, struct wk_str sub, struct wk_str value,
                   bool append, bool expand)
{
    bool self = wk_var_enter_self(sh, name);
    if (WK_UNLIKELY(self))
        wk_var_warn_circular(sh, name); /* elements tell it twice */
    int r = sub_set(sh, name, sub, value, append, expand);
    if (WK_UNLIKELY(self))
        wk_var_swap_global(sh, name);
    return r;
}

int wk_var_sub_get(struct wk_shell *sh, uint32_t name, struct wk_str sub, char *scratch,
                   struct wk_str *out, bool *set)
{
    int err;
    *set = false;
    const struct wk_var *v = readable(sh, &name, &err);
    if (err)
        return err;
    int r;
    if (v && v->flags & WK_VAR_ASSOC) {
        r = expand_subscript(sh, &sub, true);
        return r ? r : wk_var_key_get(sh, name, sub, scratch, out, set);
    }
    int64_t index;
    r = wk_var_index(sh, name, sub, &index);
    return r ? r : wk_var_elem_get(sh, name, index, scratch, out, set);
}

/* ---- one after another
 * ---------------------------------------------------------------------------- */

size_t wk_var_count(struct wk_shell *sh, uint32_t name)
{
    int err;
    const struct wk_var *v = readable(sh, &name, &err);
    if (!v)
        return 0;
    if (v->flags & WK_VAR_ARRAY)
        return v->array ? wk_array_count(v->array) : 0;
    if (v->flags & WK_VAR_ASSOC)
        return v->assoc ? wk_assoc_count(v->assoc) : 0;
    return wk_var_is_set(sh, name);
}

int64_t wk_var_max_index(struct wk_shell *sh, uint32_t name)
{
    int err;
    const struct wk_var *v = readable(sh, &name, &err);
    if (!v)
        return -1;
    if (v->flags & WK_VAR_ARRAY)
        return v->array ? wk_array_max(v->array) : -1;
    return v->flags & WK_VAR_ASSOC ? -1 : (int64_t)wk_var_is_set(sh, name) - 1;
}

int wk_elem_iter_init(struct wk_shell *sh, uint32_t name, struct wk_elem_iter *it)
{
    int err;
    memset(it, 0, sizeof *it);
    it->index = -1;
    const struct wk_var *v = readable(sh, &name, &err);
    if (!v)
        return err == -WK_EPERM ? 0 : err;
    if (v->flags & WK_VAR_ARRAY) {
        it->array = v->array ? wk_array_ref(v->array) : NULL;
    } else if (v->flags & WK_VAR_ASSOC) {
        if (!v->assoc)
            return 0;
        err = wk_assoc_order(sh->mem, v->assoc);
        if (!err)
            it->assoc = wk_assoc_ref(v->assoc);
    } else if (v->flags & (WK_VAR_SET | WK_VAR_DYNAMIC)) {
        it->scalar = wk_var_get_val(sh, name, &err);
    }
    return err;
}

bool wk_elem_iter_next(struct wk_shell *sh, struct wk_elem_iter *it)
{
    (void)sh;
    struct wk_elem_value *e;
    if (it->assoc) {
        if (it->at >= wk_assoc_count(it->assoc))
            return false;
        e = wk_assoc_nth(it->assoc, it->at++, &it->key);
        it->value = wk_elem_text(e, it->value_scratch);
        return true;
    }
    if (it->array) {
        if (it->index == INT64_MAX || !wk_array_next(it->array, it->index + 1, &it->index, &e))
            return false;
        it->at++;
        it->key = (struct wk_str){0};
        it->value = wk_elem_text(e, it->value_scratch);
        return true;
    }
    if (!it->scalar || it->at++)
        return false;
    it->index = 0;
    it->value = wk_val_str(it->scalar);
    return true;
}

struct wk_str wk_elem_iter_key(struct wk_elem_iter *it)
{
    if (!it->assoc)
        it->key = wk_str(it->scratch, wk_i64_text(it->index, it->scratch));
    return it->key;
}

void wk_elem_iter_release(struct wk_shell *sh, struct wk_elem_iter *it)
{
    wk_array_unref(sh->mem, it->array);
    wk_assoc_unref(sh->mem, it->assoc);
    wk_val_unref(sh->mem, it->scalar);
    memset(it, 0, sizeof *it);
}
