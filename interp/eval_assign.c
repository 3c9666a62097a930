/* eval_assign.c - assignments: before a command, alone, and as arguments of declaring builtins */
#include "interp/arith.h"
#include "interp/expand.h"
#include "interp/run.h"
#include "interp/vars.h"

/* An error of vars.h: a message was printed; the complete command is abandoned, a POSIX shell ends.
 */
static enum wk_flow assign_failed(struct wk_shell *sh, int e)
{
    if (e != -WK_EPERM)
        return wk_sh_fail(sh, e);
    if (sh->arith_failed)
        return wk_sh_arith_failed(sh);
    sh->status = 1;
    return (wk_opt(sh, POSIX) || wk_opt(sh, ERREXIT)) && !sh->interactive ? WK_EXIT : WK_ABORT;
}

/* ---- values ---------------------------------------------------------------------------------- */

static enum wk_flow value_text(struct wk_shell *sh, const struct wk_word *w,
                               enum wk_expand_mode mode, struct wk_str *out)
{
    if (!w) {
        *out = WK_STR("");
        return WK_NEXT;
    }
    if (w->flags & WK_WORD_LITERAL) {
        *out = wk_word_text(w);
        return WK_NEXT;
    }
    return wk_expand_string(sh, w, mode, out);
}

/* x=$((…)): the number goes in without becoming text. *done tells. */
static enum wk_flow assign_number(struct wk_shell *sh, const struct wk_assign *as, bool *done)
{
    int64_t v;
    *done = false;
    if (as->append || !as->value || as->value->n_segs != 1 ||
        as->value->segs[0].kind != WK_SEG_ARITH)
        return WK_NEXT;
    enum wk_flow flow = wk_arith_eval(sh, as->value->segs[0].u.arith, &v);
    if (flow != WK_NEXT)
        return flow;
    *done = true;
    int e = wk_var_set_int(sh, as->name, v);
    return e ? assign_failed(sh, e) : WK_NEXT;
}

static enum wk_flow assign_scalar(struct wk_shell *sh, const struct wk_assign *as, bool traced)
{
    bool done = false;
    struct wk_str v;
    enum wk_flow flow = WK_LIKELY(!traced) ? assign_number(sh, as, &done) : WK_NEXT;
    if (flow != WK_NEXT || done)
        return flow;
    flow = value_text(sh, as->value, WK_EXPAND_ASSIGN, &v);
    if (flow != WK_NEXT)
        return flow;
    if (WK_UNLIKELY(traced)) {
        flow = wk_xtrace_assign(sh, as, v);
        if (flow != WK_NEXT)
            return flow;
    }
    int e = as->append ? wk_var_append(sh, as->name, v) : wk_var_set(sh, as->name, v);
    return WK_UNLIKELY(e) ? assign_failed(sh, e) : WK_NEXT;
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Where a subscript points: an index, or a key when the variable is associative. */
struct place {
    bool assoc;
    int64_t index;
    struct wk_str key;
};

static enum wk_flow find_place(struct wk_shell *sh, uint32_t name, bool assoc,
                               const struct wk_subscript *sub, struct place *p)
{
    p->assoc = assoc;
    if (assoc) {
        if (sub->kind != WK_SUB_EXPR || !sub->word) {
            p->key = sub->text;
            return WK_NEXT;
        }
        return wk_expand_string(sh, sub->word, WK_EXPAND_STRING, &p->key);
    }
    if (sub->kind != WK_SUB_EXPR || !sub->arith || sub->text.n == 0) {
        wk_sh_error(sh, "%s[%.*s]: bad array subscript", wk_names_str(sh->names, name).p,
                    (int)sub->text.n, sub->text.p);
        return assign_failed(sh, -WK_EPERM);
    }
    enum wk_flow flow = wk_arith_eval(sh, sub->arith, &p->index);
    return flow == WK_ABORT ? wk_sh_arith_failed(sh) : flow;
}

static int set_place(struct wk_shell *sh, uint32_t name, const struct place *p, struct wk_str v,
                     bool append)
{
    return p->assoc ? wk_var_key_set(sh, name, p->key, v, append)
                    : wk_var_elem_set(sh, name, p->index, v, append);
}

/* The variable finally meant and whether it is associative. */
static enum wk_flow resolve(struct wk_shell *sh, uint32_t *name, bool *assoc)
{
    int e = wk_var_resolve_array(sh, name);
    if (e)
        return assign_failed(sh, e);
    const struct wk_var *v = wk_var_peek(sh, *name);
    *assoc = v && (v->flags & WK_VAR_ASSOC);
    return WK_NEXT;
}

static enum wk_flow assign_element(struct wk_shell *sh, const struct wk_assign *as, bool traced)
{
    uint32_t name = as->name;
    struct place p = {0};
    struct wk_str v;
    bool assoc;
    enum wk_flow flow = resolve(sh, &name, &assoc);
    const struct wk_var *to = flow == WK_NEXT ? wk_var_peek(sh, name) : NULL;
    if (to && WK_UNLIKELY(to->flags & WK_VAR_NAMEREF)) { /* it refers to nothing */
        wk_sh_error(sh, "`': not a valid identifier");
        return assign_failed(sh, -WK_EPERM);
    }
    if (flow == WK_NEXT)
        flow = find_place(sh, name, assoc, as->sub, &p);
    if (flow == WK_NEXT && assoc && !p.key.n) {
        wk_sh_error(sh, "%s[%.*s]: bad array subscript", wk_names_str(sh->names, as->name).p,
                    (int)as->sub->text.n, as->sub->text.p);
        return assign_failed(sh, -WK_EPERM);
    }
    if (flow == WK_NEXT)
        flow = value_text(sh, as->value, WK_EXPAND_ASSIGN, &v);
    if (flow == WK_NEXT && traced)
        flow = wk_xtrace_assign(sh, as, v);
    if (flow != WK_NEXT)
        return flow;
    int e = set_place(sh, name, &p, v, as->append);
    return e ? assign_failed(sh, e) : WK_NEXT;
}

/* ---- compound -------------------------------------------------------------------------------- */

struct element {
    const struct wk_elem *elem; /* has a subscript */
    struct wk_str value;
};
struct elements {
    struct element *v;
    size_t n, cap;
    bool subscripts;
};

static bool elements_add(struct wk_shell *sh, struct elements *l, const struct wk_elem *elem,
                         struct wk_str value)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 16;
        struct element *v = wk_arena_alloc(&sh->arena, cap * sizeof *v);
        if (!v)
            return false;
        if (l->n)
            memcpy(v, l->v, l->n * sizeof *v);
        l->v = v;
        l->cap = cap;
    }
    l->v[l->n++] = (struct element){elem, value};
    return true;
}

static enum wk_flow expand_elements(struct wk_shell *sh, const struct wk_assign *as,
                                    struct elements *l)
{
    for (uint32_t i = 0; i < as->n_elems; i++) {
        const struct wk_elem *el = &as->elems[i];
        if (el->sub) {
            struct wk_str v;
            enum wk_flow flow = value_text(sh, el->value, WK_EXPAND_ASSIGN, &v);
            if (flow != WK_NEXT)
                return flow;
            l->subscripts = true;
            if (!elements_add(sh, l, el, v))
                return wk_sh_nomem(sh);
            continue;
        }
        struct wk_fields f = {0};
        enum wk_flow flow = wk_expand_word(sh, el->value, &f);
        if (flow != WK_NEXT)
            return flow;
        for (size_t j = 0; j < f.n; j++) {
            if (!elements_add(sh, l, NULL, f.v[j]))
                return wk_sh_nomem(sh);
            if (wk_step(sh->k) != 0)
                return WK_STOP;
        }
    }
    return WK_NEXT;
}

static enum wk_flow fill_assoc(struct wk_shell *sh, uint32_t name, const struct elements *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct element *x = &l->v[i];
        struct place p = {.assoc = true, .key = x->value};
        struct wk_str v = x->value;
        bool append = false;
        if (x->elem) {
            enum wk_flow flow = find_place(sh, name, true, x->elem->sub, &p);
            if (flow != WK_NEXT)
                return flow;
            append = x->elem->append;
        } else if (l->v[0].elem) {
            wk_sh_error(sh, "%s: %s: must use subscript when assigning associative array",
                        wk_names_str(sh->names, name).p, x->value.p);
            sh->assign_error = true;
            continue;
        } else { /* key value key value */
            v = i + 1 < l->n ? l->v[i + 1].value : WK_STR("");
            i++;
        }
        if (p.key.n == 0) {
            struct wk_str sub = x->elem ? x->elem->sub->text : WK_STR("");
            struct wk_str text = x->elem ? x->value : WK_STR("");
            wk_sh_error(sh, x->elem ? "[%.*s]=%.*s: bad array subscript" : "%.*s%.*s: bad array subscript",
                        (int)sub.n, sub.p, (int)text.n, text.p);
            continue;
        }
        int e = wk_var_key_set(sh, name, p.key, v, append);
        if (e)
            return assign_failed(sh, e);
        if (wk_step(sh->k) != 0)
            return WK_STOP;
    }
    return WK_NEXT;
}

/* Past the greatest index there is none: what wraps is refused as a subscript of nothing. */
static int64_t index_after(int64_t i)
{
    return (int64_t)((uint64_t)i + 1);
}

static enum wk_flow fill_indexed(struct wk_shell *sh, uint32_t name, const struct elements *l,
                                 int64_t next)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct element *x = &l->v[i];
        if (x->elem) {
            struct place p = {0};
            enum wk_flow flow = find_place(sh, name, false, x->elem->sub, &p);
            if (flow != WK_NEXT)
                return flow;
            next = p.index;
        }
        int e = wk_var_elem_set(sh, name, next, x->value, x->elem && x->elem->append);
        if (e)
            return assign_failed(sh, e);
        if (next < 0) { /* counted from the end */
            struct wk_elem_iter it;
            int64_t size = 0;
            if ((e = wk_elem_iter_init(sh, name, &it)) != 0)
                return assign_failed(sh, e);
            while (wk_elem_iter_next(sh, &it)) {
                size = index_after(it.index);
                wk_charge(sh->k, 64);
            }
            wk_elem_iter_release(sh, &it);
            next = (int64_t)((uint64_t)next + (uint64_t)size);
        }
        next = index_after(next);
        if (wk_step(sh->k) != 0)
            return WK_STOP;
    }
    return WK_NEXT;
}

static enum wk_flow assign_compound(struct wk_shell *sh, const struct wk_assign *as, bool traced)
{
    uint32_t name = as->name;
    bool assoc;
    struct elements l = {0};
    enum wk_flow flow = traced ? wk_xtrace_assign(sh, as, as->value_text) : WK_NEXT;
    if (flow != WK_NEXT)
        return flow;
    if (as->sub) {
        wk_sh_error(sh, "%s[%.*s]: cannot assign list to array member",
                    wk_names_str(sh->names, name).p, (int)as->sub->text.n, as->sub->text.p);
        return assign_failed(sh, -WK_EPERM);
    }
    flow = resolve(sh, &name, &assoc);
    const struct wk_var *to = flow == WK_NEXT ? wk_var_peek(sh, name) : NULL;
    if (to && WK_UNLIKELY(to->flags & WK_VAR_NAMEREF) && wk_var_end_reference(sh, name) != 0)
        return wk_sh_nomem(sh);
    if (flow == WK_NEXT)
        flow = expand_elements(sh, as, &l);
    if (flow != WK_NEXT)
        return flow;
    const struct wk_var *v = wk_var_peek(sh, name);
    uint32_t flags = v ? v->flags : 0;
    if (flags & WK_VAR_READONLY) {
        wk_sh_error(sh, "%s: readonly variable", wk_names_str(sh->names, name).p);
        return assign_failed(sh, -WK_EPERM);
    }
    const uint32_t special =
        WK_VAR_INTEGER | WK_VAR_LOWER | WK_VAR_UPPER | WK_VAR_CAPITAL | WK_VAR_DYNAMIC;
    if (!assoc && !as->append && !l.subscripts && !(flags & special)) {
        struct wk_str *list = wk_arena_alloc(&sh->arena, (l.n + 1) * sizeof *list);
        if (!list)
            return wk_sh_nomem(sh);
        for (size_t i = 0; i < l.n; i++)
            list[i] = l.v[i].value;
        int e = wk_var_set_list(sh, name, list, l.n);
        return e ? assign_failed(sh, e) : WK_NEXT;
    }
    int64_t next = 0;
    int e = wk_var_make_array(sh, name, assoc);
    if (!e && !as->append)
        e = wk_var_clear_array(sh, name);
    if (e)
        return assign_failed(sh, e);
    struct wk_var *own = wk_var_own(sh, name);
    if (!own)
        return wk_sh_nomem(sh);
    own->flags |= WK_VAR_SET; /* also by x+=() */
    if (assoc)
        return fill_assoc(sh, name, &l);
    if (as->append)
        next = index_after(wk_var_max_index(sh, name));
    return fill_indexed(sh, name, &l, next);
}

/* ---- all ------------------------------------------------------------------------------------- */

static enum wk_flow assign_one(struct wk_shell *sh, const struct wk_assign *as, bool traced)
{
    if (WK_LIKELY(!as->compound && !as->sub))
        return assign_scalar(sh, as, traced);
    bool self = wk_var_enter_self(sh, as->name);
    enum wk_flow flow =
        as->compound ? assign_compound(sh, as, traced) : assign_element(sh, as, traced);
    if (WK_UNLIKELY(self))
        wk_var_swap_global(sh, as->name);
    return flow;
}

enum wk_flow wk_assign_run(struct wk_shell *sh, const struct wk_assign *as)
{
    int status = sh->status;
    sh->assign_error = false;
    enum wk_flow flow = assign_one(sh, as, false); /* set -x shows the builtin's words */
    if (flow == WK_NEXT) /* not that of a command substitution in the value */
        sh->status = sh->assign_error ? 1 : status;
    return flow;
}

/* name=value for one command: exported, and gone after it. */
static enum wk_flow assign_temporary(struct wk_shell *sh, const struct wk_assign *as)
{
    struct wk_str v;
    uint32_t name = as->name;
    bool assoc;
    if (as->sub) {
        wk_sh_error(sh, "`%s[%.*s]': not a valid identifier", wk_names_str(sh->names, name).p,
                    (int)as->sub->text.n, as->sub->text.p);
        return WK_NEXT;
    }
    /* A list in the environment is its text, expanded as one word. */
    enum wk_flow flow = as->compound
                            ? wk_expand_key(sh, as->value_text, &v)
                            : value_text(sh, as->value, WK_EXPAND_ASSIGN, &v);
    const struct wk_var *named = wk_var_peek(sh, name);
    if (flow == WK_NEXT && named && WK_UNLIKELY(named->flags & WK_VAR_NAMEREF))
        flow = resolve(sh, &name, &assoc);
    if (flow == WK_NEXT && wk_opt(sh, XTRACE)) {
        struct wk_assign plain = *as;
        plain.compound = false;
        flow = wk_xtrace_assign(sh, &plain, v);
    }
    if (flow != WK_NEXT)
        return flow;
    const struct wk_var *old = wk_var_peek(sh, name);
    if (old && (old->flags & WK_VAR_READONLY)) {
        wk_sh_error(sh, "%s: readonly variable", wk_names_str(sh->names, name).p);
        if (wk_opt(sh, POSIX) && !sh->interactive) {
            sh->status = 1;
            return WK_EXIT;
        }
        return WK_NEXT;
    }
    if (as->append) {
        char scratch[24];
        struct wk_str had;
        if (wk_var_get(sh, name, scratch, &had) && had.n) {
            char *p = wk_arena_alloc(&sh->arena, had.n + v.n + 1);
            if (!p)
                return wk_sh_nomem(sh);
            memcpy(p, had.p, had.n);
            memcpy(p + had.n, v.p, v.n);
            p[had.n + v.n] = '\0';
            v = wk_str(p, had.n + v.n);
        }
    }
    int e = wk_var_push_local(sh, name, WK_LEVEL_NONE, true, false);
    if (!e)
        e = wk_var_set(sh, name, v);
    if (!e)
        e = wk_var_attributes(sh, name, WK_VAR_EXPORT, 0);
    return e ? assign_failed(sh, e) : WK_NEXT;
}

enum wk_flow wk_assign_all(struct wk_shell *sh, const struct wk_node_simple *s, bool tempenv)
{
    for (uint32_t i = 0; i < s->n_assigns; i++) {
        const struct wk_assign *as = &s->assigns[i];
        enum wk_flow flow =
            tempenv ? assign_temporary(sh, as) : assign_one(sh, as, wk_opt(sh, XTRACE));
        if (WK_UNLIKELY(flow != WK_NEXT))
            return flow;
        /* allexport passes by lists and elements. */
        if (WK_UNLIKELY(!tempenv && wk_opt(sh, ALLEXPORT) && !as->compound && !as->sub)) {
            int e = wk_var_attributes(sh, as->name, WK_VAR_EXPORT, 0);
            if (e)
                return assign_failed(sh, e);
        }
    }
    return WK_NEXT;
}

/* A word that stands for s as it is. */
static struct wk_word *literal_word(struct wk_shell *sh, struct wk_str s)
{
    struct wk_word *w = wk_arena_zalloc(&sh->arena, sizeof *w);
    struct wk_seg *seg = wk_arena_zalloc(&sh->arena, sizeof *seg);
    if (!w || !seg)
        return NULL;
    *seg = (struct wk_seg){
        .kind = WK_SEG_LIT, .flags = WK_SEG_QUOTED, .text = s.p, .text_len = (uint32_t)s.n};
    seg->u.pat = s.p;
    seg->pat_len = (uint32_t)s.n;
    *w = (struct wk_word){.text = s.p,
                          .source = s.p,
                          .segs = seg,
                          .text_len = (uint32_t)s.n,
                          .source_len = (uint32_t)s.n,
                          .n_segs = 1,
                          .flags = WK_WORD_LITERAL | WK_WORD_SINGLE_FIELD | WK_WORD_QUOTED,
                          .name = WK_NAME_NONE};
    return w;
}

/* What set -x shows of a list that a declaring builtin is given: the values, quoted. */
static enum wk_flow trace_elements(struct wk_shell *sh, const struct wk_assign *as,
                                   const struct elements *l)
{
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    wk_buf_putc(&b, '(');
    for (size_t i = 0; i < l->n; i++) {
        const struct wk_elem *el = l->v[i].elem;
        if (i)
            wk_buf_putc(&b, ' ');
        if (el) {
            wk_buf_putc(&b, '[');
            const struct wk_word *key = el->sub->word;
            wk_quote_plain(&b,
                           key && key->flags & WK_WORD_LITERAL ? wk_word_text(key) : el->sub->text);
            wk_buf_put_c(&b, el->append ? "]+=" : "]=");
        }
        wk_quote_plain(&b, l->v[i].value);
    }
    wk_buf_putc(&b, ')');
    enum wk_flow flow = b.failed ? wk_sh_nomem(sh) : wk_xtrace_assign(sh, as, wk_buf_str(&b));
    wk_buf_release(&b);
    return flow;
}

enum wk_flow wk_assign_expand(struct wk_shell *sh, const struct wk_assign *as,
                              const struct wk_assign **out)
{
    struct elements l = {0};
    enum wk_flow flow = expand_elements(sh, as, &l);
    if (flow == WK_NEXT && wk_opt(sh, XTRACE))
        flow = trace_elements(sh, as, &l);
    if (flow != WK_NEXT)
        return flow;
    struct wk_assign *copy = wk_arena_alloc(&sh->arena, sizeof *copy);
    struct wk_elem *elems = wk_arena_zalloc(&sh->arena, (l.n + 1) * sizeof *elems);
    if (!copy || !elems || l.n > UINT32_MAX)
        return wk_sh_nomem(sh);
    for (size_t i = 0; i < l.n; i++) {
        if (l.v[i].elem)
            elems[i] = *l.v[i].elem;
        elems[i].value = literal_word(sh, l.v[i].value);
        if (!elems[i].value)
            return wk_sh_nomem(sh);
    }
    *copy = *as;
    copy->elems = elems;
    copy->n_elems = (uint32_t)l.n;
    copy->cache = NULL;
    *out = copy;
    return WK_NEXT;
}

enum wk_flow wk_assign_word_text(struct wk_shell *sh, const struct wk_assign *as,
                                 struct wk_str *out)
{
    struct wk_str v;
    enum wk_flow flow = WK_NEXT;
    if (as->compound)
        v = as->value_text;
    else
        flow = value_text(sh, as->value, WK_EXPAND_DECLARE, &v);
    if (flow != WK_NEXT)
        return flow;
    struct wk_str name = wk_names_str(sh->names, as->name);
    struct wk_str sub = as->sub ? as->sub->text : wk_str(NULL, 0);
    size_t n = name.n + (as->sub ? sub.n + 2 : 0) + (as->append ? 2 : 1) + v.n;
    char *p = wk_arena_alloc(&sh->arena, n + 1);
    if (!p)
        return wk_sh_nomem(sh);
    *out = wk_str(p, n);
    memcpy(p, name.p, name.n);
    p += name.n;
    if (as->sub) {
        *p++ = '[';
        memcpy(p, sub.p, sub.n);
        p += sub.n;
        *p++ = ']';
    }
    if (as->append)
        *p++ = '+';
    *p++ = '=';
    if (v.n)
        memcpy(p, v.p, v.n);
    p[v.n] = '\0';
    return WK_NEXT;
}
