/* expand_ref.c - the values of parameters: variables, elements, positions, special parameters */
#include "interp/expand_ref.h"

#include "base/num.h"
#include "interp/arith.h"
#include "interp/vars_array.h"

void wk_ref_of(const struct wk_param *p, struct wk_ref *r)
{
    *r = (struct wk_ref){.kind = p->kind, .id = p->id, .parsed = p->sub};
    if (p->sub)
        r->sub = p->sub->kind == WK_SUB_EXPR ? WK_REF_EXPR
                 : p->sub->kind == WK_SUB_AT ? WK_REF_AT
                                             : WK_REF_STAR;
}

/* ---- special parameters
 * ---------------------------------------------------------------------------------- */

static size_t option_letters(const struct wk_shell *sh, char *out)
{
    size_t n = 0;
    for (const char *p = "abefhikmnprtuvxBCEHPT"; *p; p++) {
        int o = wk_set_option_letter(*p);
        bool on = o >= 0 ? (sh->st->options >> o & 1) != 0
                         : (*p == 'i' && sh->interactive) || (*p == 'r' && sh->restricted);
        if (on)
            out[n++] = *p;
    }
    if (sh->command_string)
        out[n++] = 'c';
    if (sh->from_stdin)
        out[n++] = 's';
    return n;
}

static void get_special(const struct wk_shell *sh, uint32_t c, struct wk_pval *v)
{
    int64_t n;
    v->set = true;
    switch (c) {
    case '#':
        n = sh->st->params.n;
        break;
    case '?':
        n = sh->status;
        break;
    case '$':
        n = sh->shell_pid;
        break;
    case '!':
        n = sh->now.last_bg_pid;
        v->set = n != 0;
        if (!v->set)
            return;
        break;
    default: /* - */
        v->s = wk_str(v->scratch, option_letters(sh, v->scratch));
        return;
    }
    v->s = wk_str(v->scratch, wk_i64_text(n, v->scratch));
}

static enum wk_flow get_positions(struct wk_shell *sh, bool star, struct wk_pval *v)
{
    const struct wk_params *p = &sh->st->params;
    v->list = true;
    v->star = star;
    v->n = p->n;
    v->set = p->n > 0;
    v->v = wk_arena_alloc(&sh->arena, (v->n + 1) * sizeof *v->v);
    if (!v->v)
        return wk_sh_nomem(sh);
    if (v->n)
        memcpy(v->v, p->v, v->n * sizeof *v->v);
    return WK_NEXT;
}

/* ---- arrays
 * -------------------------------------------------------------------------------------------------
 */

/* All values (or keys) of a variable, in the arena. Texts stay where they are: the variable does
 * not change before they are copied. */
static enum wk_flow get_all(struct wk_shell *sh, uint32_t name, bool keys, struct wk_pval *v)
{
    struct wk_elem_iter it;
    size_t cap = wk_var_count(sh, name);
    int r = wk_elem_iter_init(sh, name, &it);
    if (r)
        return wk_var_failed(sh, r);
    v->list = true;
    v->n = 0;
    v->v = wk_arena_alloc(&sh->arena, (cap + 1) * sizeof *v->v);
    enum wk_flow flow = v->v ? WK_NEXT : wk_sh_nomem(sh);
    while (flow == WK_NEXT && v->n < cap && wk_elem_iter_next(sh, &it)) {
        struct wk_str s = keys ? wk_elem_iter_key(&it) : it.value;
        if (s.p == it.value_scratch || s.p == it.scratch || it.scalar) {
            char *copy = wk_arena_strndup(&sh->arena, s.p, s.n);
            if (!copy)
                flow = wk_sh_nomem(sh);
            s.p = copy;
        }
        v->v[v->n++] = s;
    }
    wk_elem_iter_release(sh, &it);
    v->set = v->n > 0;
    return flow;
}

/* The subscript for a variable of this kind: a key, or an index. */
static enum wk_flow subscript(struct wk_shell *sh, const struct wk_ref *r, bool assoc,
                              struct wk_str *key, int64_t *index)
{
    if (!r->parsed) {
        int e = assoc ? wk_var_key(sh, r->text, key) : wk_var_index(sh, r->id, r->text, index);
        return e ? wk_var_failed(sh, e) : WK_NEXT;
    }
    if (assoc) {
        *key = r->parsed->text;
        return r->parsed->word ? wk_expand_string(sh, r->parsed->word, WK_EXPAND_STRING, key)
                               : WK_NEXT;
    }
    if (r->parsed->arith && r->parsed->text.n) {
        enum wk_flow flow = wk_arith_eval(sh, r->parsed->arith, index);
        return wk_sh_subscript_flow(sh, flow);
    }
    wk_sh_error(sh, "%s[%.*s]: bad array subscript", wk_names_str(sh->names, r->id).p,
                (int)r->parsed->text.n, r->parsed->text.p);
    return wk_sh_discard(sh);
}

static bool is_assoc(struct wk_shell *sh, uint32_t name)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    return v && v->flags & WK_VAR_ASSOC;
}

/* Follow a nameref so that elements are those of its target; an element has none. */
static enum wk_flow resolve(struct wk_shell *sh, uint32_t *name)
{
    const struct wk_var *v = wk_var_peek(sh, *name);
    struct wk_str sub;
    if (!v || !(v->flags & WK_VAR_NAMEREF))
        return WK_NEXT;
    int r = wk_var_resolve(sh, name, &sub);
    if (!r && sub.p)
        *name = WK_NAME_NONE;
    return r == -WK_ENOMEM ? wk_sh_nomem(sh) : WK_NEXT;
}

/* Is the place one that no element can have? */
static bool bad_place(struct wk_shell *sh, uint32_t name, bool assoc, struct wk_str key, int64_t index)
{
    const struct wk_var *v = name == WK_NAME_NONE ? NULL : wk_var_peek(sh, name);
    if (assoc)
        return key.n == 0;
    if (WK_LIKELY(index >= 0))
        return false;
    return !v || !(v->flags & WK_VAR_ARRAY) || index + 1 + wk_var_max_index(sh, name) < 0;
}

/* It is told and passes, the value being unset; where a length is asked for, the command ends. */
static enum wk_flow tell_bad_place(struct wk_shell *sh, const struct wk_ref *r, uint32_t name)
{
    const struct wk_var *v = name == WK_NAME_NONE ? NULL : wk_var_peek(sh, name);
    if (!r->length) { /* a reference to no variable is meant itself */
        bool there = v && v->flags & (WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_DYNAMIC);
        wk_sh_error(sh, "%s: bad array subscript", wk_names_str(sh->names, there ? name : r->id).p);
        return wk_sh_told(sh);
    }
    if (!v || !(v->flags & (WK_VAR_SET | WK_VAR_DECLARED)))
        return WK_NEXT;
    struct wk_str sub = r->parsed ? r->parsed->text : r->text;
    wk_sh_error(sh, "%.*s]: bad array subscript", (int)sub.n, sub.p);
    return wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT);
}

static enum wk_flow get_element(struct wk_shell *sh, const struct wk_ref *r, struct wk_pval *v)
{
    struct wk_str key = {"", 0};
    int64_t index = 0;
    uint32_t name = r->id;
    enum wk_flow flow = resolve(sh, &name);
    bool assoc = is_assoc(sh, name);
    const struct wk_var *var = r->length && name != WK_NAME_NONE ? wk_var_peek(sh, name) : NULL;
    if (r->length && (!var || !(var->flags & (WK_VAR_SET | WK_VAR_DYNAMIC))))
        return flow; /* without a look at the subscript */
    if (flow == WK_NEXT)
        flow = subscript(sh, r, assoc, &key, &index);
    if (flow != WK_NEXT)
        return flow;
    if (name != WK_NAME_NONE && !assoc && !r->length)
        wk_special_look(sh, wk_var_peek(sh, name), index == 0 ? 1 : 2);
    if (WK_UNLIKELY(bad_place(sh, name, assoc, key, index)))
        return tell_bad_place(sh, r, name);
    int e = assoc ? wk_var_key_get(sh, name, key, v->scratch, &v->s, &v->set)
                  : wk_var_elem_get(sh, name, index, v->scratch, &v->s, &v->set);
    return e == -WK_EPERM ? WK_NEXT : e ? wk_sh_fail(sh, e) : WK_NEXT;
}

/* A nameref to "a[@]" is a list. */
static enum wk_flow get_reference(struct wk_shell *sh, const struct wk_ref *r, struct wk_pval *v)
{
    struct wk_str sub;
    const struct wk_var *var = wk_var_peek(sh, r->id);
    if (var->text && var->text->n > 3 && wk_str_ends(wk_val_str(var->text), WK_STR("]"))) {
        uint32_t name = r->id;
        if (wk_var_resolve(sh, &name, &sub) == 0 && sub.n == 1 &&
            (sub.p[0] == '@' || sub.p[0] == '*')) {
            v->star = sub.p[0] == '*';
            return get_all(sh, name, false, v);
        }
    }
    v->set = wk_var_get(sh, r->id, v->scratch, &v->s);
    return WK_NEXT;
}

enum wk_flow wk_ref_get(struct wk_shell *sh, const struct wk_ref *r, struct wk_pval *v)
{
    v->set = v->list = v->star = v->own_front = false;
    v->made_by = WK_MADE_PLAIN;
    v->lead = false;
    v->s = WK_STR("");
    v->n = 0;
    const struct wk_var *var;
    switch (r->kind) {
    case WK_PARAM_NAME:
        if (r->sub == WK_REF_EXPR)
            return get_element(sh, r, v);
        if (r->sub != WK_REF_NONE) {
            v->star = r->sub == WK_REF_STAR;
            return get_all(sh, r->id, false, v);
        }
        var = wk_var_peek(sh, r->id);
        if (var && var->flags & WK_VAR_NAMEREF)
            return get_reference(sh, r, v);
        v->set = wk_var_get(sh, r->id, v->scratch, &v->s);
        return WK_NEXT;
    case WK_PARAM_POS:
        if (r->id == 0) {
            v->set = true;
            v->s = sh->st->arg0 ? wk_val_str(sh->st->arg0) : WK_STR("");
        } else if (r->id <= sh->st->params.n) {
            v->set = true;
            v->s = sh->st->params.v[r->id - 1];
        }
        return WK_NEXT;
    case WK_PARAM_SPECIAL:
        if (r->id == '@' || r->id == '*')
            return get_positions(sh, r->id == '*', v);
        get_special(sh, r->id, v);
        return WK_NEXT;
    default:
        v->set = r->text.p != NULL;
        v->s = v->set ? r->text : v->s;
        return WK_NEXT;
    }
}

enum wk_flow wk_ref_keys(struct wk_shell *sh, const struct wk_ref *r, struct wk_pval *v)
{
    *v = (struct wk_pval){.star = r->sub == WK_REF_STAR};
    return get_all(sh, r->id, true, v);
}

/* ${x=w} that cannot assign: 2 for a script's next command, 1 for that of -c and of eval's text. */
static enum wk_flow refused(struct wk_shell *sh)
{
    enum wk_flow flow = wk_sh_discard(sh);
    bool text = sh->texts != sh->now.texts_base || (sh->command_string && !sh->now.is_subshell);
    if (flow == WK_ABORT && !text && !wk_opt(sh, POSIX))
        sh->status = 2;
    return flow;
}

static enum wk_flow set_failed(struct wk_shell *sh, int e)
{
    return sh->now.arith_failed ? wk_sh_arith_failed(sh) : e == -WK_EPERM ? refused(sh) : wk_var_failed(sh, e);
}

/* The element as it has become; its subscript is not looked at once more. */
static enum wk_flow element_now(struct wk_shell *sh, uint32_t name, bool assoc, struct wk_str key, int64_t index,
                                struct wk_pval *v)
{
    bool set;
    struct wk_str s;
    *v = (struct wk_pval){0};
    int e = assoc ? wk_var_key_get(sh, name, key, v->scratch, &s, &set)
                  : wk_var_elem_get(sh, name, index, v->scratch, &s, &set);
    if (e || !set)
        return e ? set_failed(sh, e) : WK_NEXT;
    char *p = wk_arena_strndup(&sh->arena, s.p, s.n);
    v->set = true;
    v->s = wk_str(p, s.n);
    return p ? WK_NEXT : wk_sh_nomem(sh);
}

enum wk_flow wk_ref_set(struct wk_shell *sh, const struct wk_ref *r, struct wk_str value, struct wk_pval *now)
{
    uint32_t name = r->id;
    const struct wk_var *v = wk_var_peek(sh, name);
    int e;
    if (v && v->flags & WK_VAR_NOASSIGN) /* FUNCNAME, GROUPS…: without a message */
        return refused(sh);
    if (r->sub == WK_REF_NONE) {
        e = wk_var_set(sh, name, value);
        return e ? set_failed(sh, e) : wk_ref_get(sh, r, now);
    }
    if (r->followed) { /* ${!x=w} assigns to variables only */
        struct wk_str sub = r->sub == WK_REF_AT ? WK_STR("@") : r->sub == WK_REF_STAR ? WK_STR("*") : r->text;
        wk_sh_error(sh, "%s[%.*s]: invalid variable name", wk_names_str(sh->names, name).p, (int)sub.n,
                    sub.p);
        return wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT);
    }
    struct wk_str key = r->sub == WK_REF_AT ? WK_STR("@") : WK_STR("*");
    int64_t index = 0;
    bool all = r->sub != WK_REF_EXPR;
    e = wk_var_resolve_array(sh, &name);
    bool assoc = is_assoc(sh, name);
    if (all && !assoc) {
        wk_sh_error(sh, "%s[%s]: bad array subscript", wk_names_str(sh->names, name).p, key.p);
        return refused(sh);
    }
    enum wk_flow flow = e     ? set_failed(sh, e)
                        : all ? WK_NEXT
                              : subscript(sh, r, assoc, &key, &index);
    if (flow == WK_NEXT && assoc && !key.n) {
        struct wk_str sub = r->parsed ? r->parsed->text : r->text;
        wk_sh_error(sh, "%s[%.*s]: bad array subscript", wk_names_str(sh->names, name).p, (int)sub.n,
                    sub.p);
        return refused(sh);
    }
    if (flow != WK_NEXT)
        return flow;
    e = assoc ? wk_var_key_set(sh, name, key, value, false)
              : wk_var_elem_set(sh, name, index, value, false);
    if (e)
        return set_failed(sh, e);
    return all ? wk_ref_get(sh, r, now) : element_now(sh, name, assoc, key, index, now);
}

enum wk_flow wk_ref_slice_start(struct wk_shell *sh, const struct wk_ref *r, int64_t off,
                                struct wk_pval *v, size_t *from)
{
    struct wk_elem_iter it;
    uint32_t name = r->id;
    enum wk_flow flow = resolve(sh, &name);
    if (flow != WK_NEXT)
        return flow;
    *from = v->n;
    if (is_assoc(sh, name)) { /* elements are counted from 1 */
        if (off < 0)
            off += (int64_t)v->n + 1;
        if (off >= 0)
            *from = off ? (size_t)off - 1 : 0;
        return WK_NEXT;
    }
    if (off < 0)
        off = off + 1 + wk_var_max_index(sh, name);
    if (off < 0)
        return WK_NEXT;
    int e = wk_elem_iter_init(sh, name, &it);
    if (e)
        return wk_var_failed(sh, e);
    while (wk_elem_iter_next(sh, &it)) {
        if (it.index >= off) {
            *from = it.at - 1;
            break;
        }
    }
    wk_elem_iter_release(sh, &it);
    return WK_NEXT;
}

/* ---- ${!x}
 * ------------------------------------------------------------------------------------------------------
 */

static bool ref_from_text(struct wk_shell *sh, struct wk_str s, struct wk_ref *r)
{
    char *written = wk_arena_strndup(&sh->arena, s.p, s.n); /* a name or number: for messages */
    *r = (struct wk_ref){.kind = WK_PARAM_NAME, .text = wk_str(written, written ? s.n : 0)};
    uint64_t n;
    if (s.n == 1 && memchr("@*#?-$!", s.p[0], 7)) {
        r->kind = WK_PARAM_SPECIAL;
        r->id = (unsigned char)s.p[0];
        return true;
    }
    if (s.n && wk_is_digit((unsigned char)s.p[0])) {
        r->kind = WK_PARAM_POS;
        if (wk_parse_u64(s, 10, &n) != 0 || n > UINT32_MAX)
            return false;
        r->id = (uint32_t)n;
        return true;
    }
    struct wk_str name, sub;
    if (!wk_var_split_target(s, &name, &sub))
        return false;
    r->id = wk_names_intern(sh->names, name);
    if (sub.p) {
        char *copy = wk_arena_strndup(&sh->arena, sub.p, sub.n);
        r->text = wk_str(copy, copy ? sub.n : 0);
        bool all = sub.n == 1 && (sub.p[0] == '@' || sub.p[0] == '*');
        r->sub = !all ? WK_REF_EXPR : sub.p[0] == '@' ? WK_REF_AT : WK_REF_STAR;
    }
    return r->id != WK_NAME_NONE;
}

/* The name, or the element as it was written, at the end of a chain of namerefs. */
static bool last_target(struct wk_shell *sh, uint32_t name, struct wk_str *out)
{
    enum { LONGEST = 8 };
    struct wk_str base, sub;
    for (int i = 0; i <= LONGEST; i++) {
        const struct wk_var *v = wk_var_peek(sh, name);
        if (!v || !(v->flags & WK_VAR_NAMEREF)) {
            *out = wk_names_str(sh->names, name);
            return true;
        }
        if (!v->text || !v->text->n)
            return false;
        *out = wk_val_str(v->text);
        if (!wk_var_split_target(*out, &base, &sub) || sub.p)
            return true;
        name = wk_names_intern(sh->names, base);
        if (name == WK_NAME_NONE)
            return false;
    }
    return false;
}

enum wk_flow wk_ref_follow(struct wk_shell *sh, const struct wk_param *p, struct wk_ref *r)
{
    struct wk_pval v = {0};
    const struct wk_var *var = r->kind == WK_PARAM_NAME ? wk_var_peek(sh, r->id) : NULL;
    if (var && var->flags & WK_VAR_NAMEREF && !r->sub) {
        if (p->op == WK_PARAM_OP_NONE && last_target(sh, r->id, &v.s)) {
            *r = (struct wk_ref){.kind = WK_PARAM_BAD, .text = v.s};
            return WK_NEXT;
        }
        if (p->op == WK_PARAM_OP_NONE) {
            wk_sh_error(sh, "%.*s: invalid indirect expansion", (int)p->prefix.n, p->prefix.p);
            return wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT);
        }
        v.set = var->text != NULL;
        v.s = v.set ? wk_val_str(var->text) : v.s;
    } else {
        enum wk_flow flow = wk_ref_get(sh, r, &v);
        if (flow != WK_NEXT)
            return flow;
        wk_special_look(sh, var, 1);
        if (v.list) {
            v.set = v.n > 0;
            const struct wk_ifs *ifs = wk_vars_ifs(sh);
            struct wk_str first = ifs->unset ? WK_STR(" ") : wk_str(ifs->first, ifs->first_n);
            bool by_ifs = r->id == '*' || r->kind == WK_PARAM_NAME;
            if (v.n && wk_list_text(sh, &v, by_ifs ? first : WK_STR(" "), &v.s) != WK_NEXT)
                return WK_STOP;
        }
    }
    if (!v.set || (v.s.n == 0 && r->kind == WK_PARAM_NAME)) {
        /* No value, but a parameter: nothing comes. */
        bool there = r->kind != WK_PARAM_NAME || (var && var->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC)) ||
                     (r->sub && var && var->flags & (WK_VAR_SET | WK_VAR_DECLARED) && !(var->flags & WK_VAR_NAMEREF));
        if (!v.set && there) {
            if (p->op != WK_PARAM_OP_ASSIGN) {
                r->kind = WK_PARAM_BAD;
                return WK_NEXT;
            }
            wk_sh_error(sh, "!%.*s: invalid indirect expansion", (int)p->prefix.n, p->prefix.p);
            return wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT);
        }
        if (!v.set && r->sub == WK_REF_EXPR && var &&
            !(var->flags & WK_VAR_NAMEREF) && var->flags & (WK_VAR_SET | WK_VAR_ARRAY | WK_VAR_ASSOC) &&
            p->op != WK_PARAM_OP_ASSIGN) {
            r->kind = WK_PARAM_BAD; /* an element that is not set stands for nothing */
            return WK_NEXT;
        }
        if (!v.set) {
            wk_sh_error(sh, "%.*s: invalid indirect expansion", (int)p->prefix.n, p->prefix.p);
            return wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT);
        }
        wk_sh_error(sh, "%.*s: invalid variable name", (int)v.s.n, v.s.p);
        return wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT);
    }
    bool good = ref_from_text(sh, v.s, r);
    r->followed = true;
    if (!good) {
        wk_sh_error(sh, "%.*s: invalid variable name", (int)v.s.n, v.s.p);
        return wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT);
    }
    return WK_NEXT;
}

/* ---- @A @a @K @k
 * ---------------------------------------------------------------------------------------------------
 */

static enum wk_flow finish(struct wk_shell *sh, struct wk_buf *b, struct wk_pval *v)
{
    char *p = b->failed ? NULL : wk_arena_strndup(&sh->arena, wk_buf_c(b), b->n);
    *v = (struct wk_pval){.set = true, .s = wk_str(p, b->n)};
    wk_buf_release(b);
    return p ? WK_NEXT : wk_sh_nomem(sh);
}

/* "declare -a x=(…)" of "${x[@]@A}": the list itself is quoted, what leads to it is not. */
static enum wk_flow as_led_list(struct wk_shell *sh, struct wk_pval *v)
{
    struct wk_str *list = wk_arena_alloc(&sh->arena, sizeof *list), lead = v->s;
    ptrdiff_t open = wk_str_chr(v->s, '(');
    if (!list)
        return wk_sh_nomem(sh);
    if (open >= 0)
        lead.n = (size_t)open;
    *list = wk_str_from(v->s, lead.n);
    *v = (struct wk_pval){.set = true, .list = true, .lead = true, .s = lead, .v = list, .n = 1};
    return WK_NEXT;
}

/* A declaration that would make the variable again. */
static enum wk_flow as_declaration(struct wk_shell *sh, uint32_t name, bool all, struct wk_pval *v)
{
    const struct wk_var *var = wk_var_peek(sh, name);
    char letters[16];
    size_t n = var ? wk_var_attribute_letters(var, letters) : 0;
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    bool array = var && var->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC);
    if (!var || !(var->flags & (WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_EXPORT)) || (!v->set && !n)) {
        *v = (struct wk_pval){.list = all, .star = v->star};
        return WK_NEXT;
    }
    if (n)
        wk_buf_fmt(&b, "declare -%.*s ", (int)n, letters);
    wk_buf_puts(&b, wk_names_str(sh->names, name));
    if (v->set || (all && array && var->flags & WK_VAR_SET)) {
        wk_buf_putc(&b, '=');
        if (all && array && wk_var_print_elements(sh, name, &b) != 0)
            b.failed = true;
        else if (!(all && array))
            wk_quote_single(&b, v->list ? v->v[0] : v->s, sh->st->bytes);
    }
    return finish(sh, &b, v);
}

/* Keys and values: as one text, or each a word of its own. */
static enum wk_flow as_pairs(struct wk_shell *sh, const struct wk_ref *r, bool words,
                             struct wk_pval *v)
{
    struct wk_elem_iter it;
    size_t n = 0, cap = wk_var_count(sh, r->id);
    struct wk_str *list = wk_arena_alloc(&sh->arena, (2 * cap + 1) * sizeof *list);
    int e = list ? wk_elem_iter_init(sh, r->id, &it) : -WK_ENOMEM;
    if (e)
        return wk_var_failed(sh, e);
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    while (n < 2 * cap && wk_elem_iter_next(sh, &it)) {
        struct wk_str key = wk_elem_iter_key(&it);
        size_t at = b.n;
        if (!words && n && !it.assoc)
            wk_buf_putc(&b, ' ');
        if (words || !it.assoc)
            wk_buf_puts(&b, key);
        else
            wk_var_put_key(&b, key, sh->st->bytes);
        if (!words)
            wk_buf_putc(&b, ' ');
        list[n++] = wk_str(NULL, b.n - at);
        at = b.n;
        if (words)
            wk_buf_puts(&b, it.value);
        else
            wk_quote_double(&b, it.value, sh->st->bytes);
        list[n++] = wk_str(NULL, b.n - at);
        if (!words && it.assoc)
            wk_buf_putc(&b, ' ');
    }
    wk_elem_iter_release(sh, &it);
    if (!n) { /* no field of its own, either */
        wk_buf_release(&b);
        *v = (struct wk_pval){.list = true, .star = r->sub == WK_REF_STAR, .v = list};
        return WK_NEXT;
    }
    enum wk_flow flow = finish(sh, &b, v);
    if (flow == WK_NEXT && !n && r->sub == WK_REF_AT)
        *v = (struct wk_pval){.set = true, .list = true, .v = list};
    if (flow != WK_NEXT || !words)
        return flow;
    const char *p = v->s.p;
    for (size_t i = 0; i < n; i++) {
        list[i].p = p;
        p += list[i].n;
    }
    *v = (struct wk_pval){
        .set = true, .list = true, .star = r->sub == WK_REF_STAR, .v = list, .n = n};
    return WK_NEXT;
}

/* set -- 'a' 'b' */
static enum wk_flow as_set(struct wk_shell *sh, struct wk_pval *v)
{
    enum wk_flow flow = WK_NEXT;
    for (size_t i = 0; flow == WK_NEXT && i < v->n; i++)
        flow = wk_transform_value(sh, 'Q', v->v[i], &v->v[i]);
    v->lead = v->n != 0;
    v->s = v->n ? WK_STR("set -- ") : v->s;
    return flow;
}

enum wk_flow wk_ref_transform(struct wk_shell *sh, const struct wk_ref *r, char letter,
                              struct wk_pval *v)
{
    uint32_t name = r->id;
    enum wk_flow flow = r->kind == WK_PARAM_NAME ? resolve(sh, &name) : WK_NEXT;
    if (flow != WK_NEXT)
        return flow;
    bool named = r->kind == WK_PARAM_NAME;
    const struct wk_var *var = named ? wk_var_peek(sh, name) : NULL;
    if (memchr("Aa", letter, 2) && var && var->flags & WK_VAR_NAMEREF) { /* it refers to nothing */
        *v = (struct wk_pval){.list = v->list, .star = v->star};
        return WK_NEXT;
    }
    if (letter == 'A') {
        if (named) {
            flow = as_declaration(sh, name, r->sub >= WK_REF_AT, v);
            bool array = var && var->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC);
            bool led = r->sub == WK_REF_AT && v->set && array;
            return flow == WK_NEXT && led ? as_led_list(sh, v) : flow;
        }
        if (v->list)
            return as_set(sh, v);
        v->set = false; /* no variable, no declaration */
        return WK_NEXT;
    }
    if (letter == 'a') {
        char letters[16];
        size_t n = var ? wk_var_attribute_letters(var, letters) : 0;
        char *p = wk_arena_strndup(&sh->arena, letters, n);
        if (!p)
            return wk_sh_nomem(sh);
        bool all = named && r->sub >= WK_REF_AT;
        bool declared = var && !(var->flags & WK_VAR_SET);
        for (size_t i = 0; v->list && i < v->n; i++)
            v->v[i] = wk_str(p, n);
        if (all && !n)
            v->n = 0; /* no field, either */
        else if (!v->list || (!v->n && declared))
            *v = (struct wk_pval){.set = true, .s = wk_str(p, n)};
        return WK_NEXT;
    }
    bool array = var && var->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC);
    if (array && r->sub >= WK_REF_AT)
        return as_pairs(sh, r, letter == 'k', v);
    if (v->list) {
        for (size_t i = 0; flow == WK_NEXT && i < v->n; i++)
            flow = wk_transform_value(sh, 'Q', v->v[i], &v->v[i]);
        return flow;
    }
    return v->set ? wk_transform_value(sh, 'Q', v->s, &v->s) : WK_NEXT;
}
