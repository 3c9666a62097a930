/* eval_assign.c - assignments: before a command, alone, and as arguments of declaring builtins */
#include "interp/arith.h"
#include "interp/expand.h"
#include "interp/run.h"
#include "interp/vars.h"
#include "interp/vars_special.h"

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

static enum wk_flow value_text(struct wk_shell *sh, const struct wk_word *w, struct wk_str *out)
{
    if (!w) {
        *out = WK_STR("");
        return WK_NEXT;
    }
    if (w->flags & WK_WORD_LITERAL) {
        *out = wk_word_text(w);
        return WK_NEXT;
    }
    return wk_expand_string(sh, w, WK_EXPAND_ASSIGN, out);
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
    flow = value_text(sh, as->value, &v);
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
    if (flow == WK_NEXT)
        flow = find_place(sh, name, assoc, as->sub, &p);
    if (flow == WK_NEXT && assoc && !p.key.n) {
        wk_sh_error(sh, "%s[%.*s]: bad array subscript", wk_names_str(sh->names, as->name).p,
                    (int)as->sub->text.n, as->sub->text.p);
        return assign_failed(sh, -WK_EPERM);
    }
    if (flow == WK_NEXT)
        flow = value_text(sh, as->value, &v);
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
    struct wk_str shown; /* in messages: the word as it is written */
};
struct elements {
    struct element *v;
    size_t n, cap;
    bool subscripts;
};

static bool elements_add(struct wk_shell *sh, struct elements *l, const struct wk_elem *elem,
                         const struct wk_word *word, struct wk_str value)
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
    struct wk_str shown = word && word->source_len ? wk_str(word->source, word->source_len) : value;
    l->v[l->n++] = (struct element){elem, value, shown};
    return true;
}

/* A key or a value of an associative array: one text, neither split nor globbed. */
static enum wk_flow add_text(struct wk_shell *sh, const struct wk_word *w, struct elements *l)
{
    struct wk_str v;
    enum wk_flow flow =
        w->flags & WK_WORD_BRACE ? wk_expand_key(sh, wk_word_source(w), &v) : value_text(sh, w, &v);
    return flow != WK_NEXT || elements_add(sh, l, NULL, w, v) ? flow : wk_sh_nomem(sh);
}

static enum wk_flow expand_elements(struct wk_shell *sh, const struct wk_assign *as, bool assoc,
                                    struct elements *l)
{
    for (uint32_t i = 0; i < as->n_elems; i++) {
        const struct wk_elem *el = &as->elems[i];
        if (el->sub) {
            struct wk_str v;
            enum wk_flow flow = value_text(sh, el->value, &v);
            if (flow != WK_NEXT)
                return flow;
            l->subscripts = true;
            if (!elements_add(sh, l, el, el->value, v))
                return wk_sh_nomem(sh);
            continue;
        }
        struct wk_fields f = {0};
        enum wk_flow flow = assoc ? add_text(sh, el->value, l) : wk_expand_word(sh, el->value, &f);
        if (flow != WK_NEXT)
            return flow;
        for (size_t j = 0; j < f.n; j++) {
            if (!elements_add(sh, l, NULL, el->value, f.v[j]))
                return wk_sh_nomem(sh);
            if (wk_step(sh->k) != 0)
                return WK_STOP;
        }
    }
    return WK_NEXT;
}

/* The word of an element as messages show it: what came out of an expansion is in quotes. */
static struct wk_str shown(struct wk_shell *sh, const struct element *x, bool expanded)
{
    if (!expanded)
        return x->shown;
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    wk_quote_single(&b, x->shown);
    char *p = b.failed ? NULL : wk_arena_strndup(&sh->arena, wk_buf_c(&b), b.n);
    struct wk_str s = p ? wk_str(p, b.n) : x->value;
    wk_buf_release(&b);
    return s;
}

/* An element that cannot be is told of and left out. */
static void refuse_element(struct wk_shell *sh, const struct element *x, struct wk_str sub,
                           struct wk_str value, const char *why)
{
    const char *op = !x->elem ? "" : x->elem->append ? "+=" : "=";
    wk_sh_error(sh, x->elem ? "[%.*s]%s%.*s: %s" : "%.*s%s%.*s: %s", (int)sub.n, sub.p, op,
                (int)value.n, value.p, why);
}

static enum wk_flow fill_assoc(struct wk_shell *sh, uint32_t name, const struct elements *l,
                               bool expanded)
{
    bool bracket = !expanded && l->n && l->v[0].shown.n && l->v[0].shown.p[0] == '[';
    bool subscripted = l->n && (l->v[0].elem || bracket);
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
        } else if (subscripted) {
            if (i && x->shown.p == l->v[i - 1].shown.p) /* another field of the same word */
                continue;
            struct wk_str word = shown(sh, x, expanded);
            wk_sh_error(sh, "%s: %.*s: must use subscript when assigning associative array",
                        wk_names_str(sh->names, name).p, (int)word.n, word.p);
            continue;
        } else { /* key value key value */
            v = i + 1 < l->n ? l->v[i + 1].value : WK_STR("");
            i++;
        }
        if (p.key.n == 0) {
            struct wk_str sub = x->elem && !expanded ? x->elem->sub->text : WK_STR("''");
            struct wk_str word = x->elem || !expanded ? shown(sh, x, expanded) : sub;
            refuse_element(sh, x, x->elem ? sub : WK_STR(""), word, "bad array subscript");
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

/* "" or $x as a subscript: expanded to see, which changes nothing. */
static bool may_be_empty(const struct wk_subscript *sub)
{
    const struct wk_seg *s = sub->word && sub->word->n_segs == 1 ? sub->word->segs : NULL;
    return s && ((s->kind == WK_SEG_LIT && !s->text_len) ||
                 (s->kind == WK_SEG_PARAM && s->flags & WK_SEG_BARE));
}

/* The index of an element of a list; *refused after a message. */
static enum wk_flow find_index(struct wk_shell *sh, uint32_t name, const struct element *x,
                               struct place *p, bool *refused)
{
    const struct wk_subscript *sub = x->elem->sub;
    struct wk_str text = sub->text;
    const char *why = NULL;
    if (sub->kind != WK_SUB_EXPR && text.n == 1) {
        why = "cannot assign to non-numeric index";
    } else {
        enum wk_flow flow =
            may_be_empty(sub) ? wk_expand_string(sh, sub->word, WK_EXPAND_STRING, &text) : WK_NEXT;
        if (flow == WK_NEXT && text.n)
            flow = find_place(sh, name, false, sub, p);
        if (flow != WK_NEXT)
            return flow;
        if (!text.n || (p->index < 0 && p->index + 1 + wk_var_max_index(sh, name) < 0))
            why = "bad array subscript";
    }
    *refused = why != NULL;
    if (why)
        refuse_element(sh, x, text, x->value, why);
    return WK_NEXT;
}

static enum wk_flow fill_indexed(struct wk_shell *sh, uint32_t name, const struct elements *l,
                                 int64_t next)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct element *x = &l->v[i];
        if (x->elem) {
            struct place p = {0};
            bool refused = false;
            enum wk_flow flow = find_index(sh, name, x, &p, &refused);
            if (flow != WK_NEXT)
                return flow;
            if (refused)
                continue;
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
    if (flow == WK_NEXT)
        flow = expand_elements(sh, as, assoc && !as->expanded, &l);
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
        return fill_assoc(sh, name, &l, as->expanded);
    if (as->append)
        next = index_after(wk_var_max_index(sh, name));
    return fill_indexed(sh, name, &l, next);
}

/* ---- all ------------------------------------------------------------------------------------- */

static enum wk_flow assign_one(struct wk_shell *sh, const struct wk_assign *as, bool traced)
{
    if (as->compound)
        return assign_compound(sh, as, traced);
    return as->sub ? assign_element(sh, as, traced) : assign_scalar(sh, as, traced);
}

enum wk_flow wk_assign_run(struct wk_shell *sh, const struct wk_assign *as)
{
    int status = sh->status;
    enum wk_flow flow = assign_one(sh, as, false); /* set -x shows the builtin's words */
    if (flow == WK_NEXT) /* not that of a command substitution in the value */
        sh->status = status;
    return flow;
}

/* What name+=value before a command gives: the old value with the new one behind it, as the old
 * one's attributes would have it. */
static int append_to_old(struct wk_shell *sh, uint32_t name, struct wk_str *v)
{
    char scratch[24];
    struct wk_str had = {"", 0};
    const struct wk_var *old = wk_var_peek(sh, name);
    bool sum = old && old->flags & WK_VAR_INTEGER;
    uint32_t flags = old ? old->flags & ~(uint32_t)WK_VAR_INTEGER : 0;
    (void)wk_var_get(sh, name, scratch, &had);
    if (sum) {
        int64_t a = 0, b = 0;
        int e = had.n ? wk_var_arith(sh, had, &a) : 0;
        if (!e)
            e = wk_var_arith(sh, *v, &b);
        char *p = e ? NULL : wk_arena_alloc(&sh->arena, 24);
        if (!p)
            return e ? e : -WK_ENOMEM;
        *v = wk_str(p, wk_i64_text((int64_t)((uint64_t)a + (uint64_t)b), p));
        return 0;
    }
    char *p = wk_arena_alloc(&sh->arena, had.n + v->n + 1);
    if (!p)
        return -WK_ENOMEM;
    if (had.n)
        memcpy(p, had.p, had.n);
    if (v->n)
        memcpy(p + had.n, v->p, v->n);
    p[had.n + v->n] = '\0';
    return wk_var_convert(sh, flags, wk_str(p, had.n + v->n), v);
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
    enum wk_flow flow = as->compound ? wk_expand_key(sh, as->value_text, &v) : value_text(sh, as->value, &v);
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
    int e = as->append ? append_to_old(sh, name, &v) : 0;
    if (!e)
        e = wk_var_push_local(sh, name, WK_LEVEL_NONE, true, false);
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

enum wk_flow wk_assign_expand(struct wk_shell *sh, const struct wk_assign *as, bool assoc,
                              const struct wk_assign **out)
{
    struct elements l = {0};
    enum wk_flow flow = expand_elements(sh, as, assoc, &l);
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
        struct wk_word *w = literal_word(sh, l.v[i].value);
        if (!w)
            return wk_sh_nomem(sh);
        if (assoc) { /* messages show the word as it is written */
            w->source = l.v[i].shown.p;
            w->source_len = (uint32_t)l.v[i].shown.n;
        }
        elems[i].value = w;
    }
    *copy = *as;
    copy->expanded = true;
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
        flow = value_text(sh, as->value, &v);
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
