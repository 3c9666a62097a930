/* eval_assign.c - assignments: before a command, alone, and as arguments of declaring builtins */
#include "interp/arith.h"
#include "interp/expand.h"
#include "interp/run.h"
#include "interp/vars_array.h"
#include "interp/vars_special.h"
#include "interp/xtrace.h"

/* An error of vars.h: a message was printed; the complete command is abandoned, a POSIX shell ends, but not by what
 * a builtin is given. */
static enum wk_flow assign_failed(struct wk_shell *sh, int e)
{
    if (e != -WK_EPERM)
        return wk_sh_fail(sh, e);
    if (sh->now.arith_failed)
        return wk_sh_arith_failed(sh);
    return wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT | (sh->declares || sh->in_command ? 0 : WK_DISCARD_ENDS_POSIX));
}

/* ---- values ---------------------------------------------------------------------------------- */

static enum wk_flow value_as(struct wk_shell *sh, const struct wk_word *w, enum wk_expand_mode mode,
                             struct wk_str *out)
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

static enum wk_flow value_text(struct wk_shell *sh, const struct wk_word *w, struct wk_str *out)
{
    return value_as(sh, w, WK_EXPAND_ASSIGN, out);
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
        return wk_arith_discard(sh, flow);
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

static enum wk_flow find_place(struct wk_shell *sh, uint32_t written, bool assoc,
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
        wk_sh_error(sh, "%s[%.*s]: bad array subscript", wk_names_str(sh->names, written).p,
                    (int)sub->text.n, sub->text.p);
        return assign_failed(sh, -WK_EPERM);
    }
    const char *who = sh->builtin_name; /* not told with errors in a subscript */
    sh->builtin_name = NULL;
    enum wk_flow flow = wk_arith_eval(sh, sub->arith, &p->index);
    sh->builtin_name = who;
    return wk_sh_subscript_flow(sh, flow);
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
    *assoc = false;
    if (e)
        return assign_failed(sh, e);
    const struct wk_var *v = wk_var_peek(sh, *name);
    *assoc = v && (v->flags & WK_VAR_ASSOC);
    return WK_NEXT;
}

/* An array is set by its first element; before that, what goes wrong leaves it without. */
static int mark_set(struct wk_shell *sh, uint32_t name, bool set)
{
    struct wk_var *v = wk_var_own(sh, name);
    if (v)
        v->flags = set ? v->flags | WK_VAR_SET : v->flags & ~(uint32_t)WK_VAR_SET;
    return v ? 0 : -WK_ENOMEM;
}

/* The value, which what follows may not change. */
static enum wk_flow kept_value(struct wk_shell *sh, const struct wk_word *w, struct wk_str *v)
{
    enum wk_flow flow = value_text(sh, w, v);
    if (flow != WK_NEXT || !w || w->flags & WK_WORD_LITERAL)
        return flow;
    char *p = wk_arena_strndup(&sh->arena, v->p, v->n);
    *v = wk_str(p, v->n);
    return p ? WK_NEXT : wk_sh_nomem(sh);
}

static enum wk_flow assign_element(struct wk_shell *sh, const struct wk_assign *as, bool traced)
{
    uint32_t name = as->name;
    struct place p = {0};
    struct wk_str v;
    bool assoc;
    const struct wk_var *named = wk_var_peek(sh, name);
    bool reference = named && named->flags & WK_VAR_NAMEREF;
    enum wk_flow flow = resolve(sh, &name, &assoc);
    const struct wk_var *to = flow == WK_NEXT ? wk_var_peek(sh, name) : NULL;
    if (WK_UNLIKELY(reference) && to && name == as->name && !(to->flags & WK_VAR_NAMEREF))
        wk_var_warn_circular(sh, name); /* once more */
    if (to && WK_UNLIKELY(to->flags & WK_VAR_NAMEREF) && as->sub->kind == WK_SUB_EXPR) { /* it refers to nothing */
        wk_sh_error(sh, "`': not a valid identifier");
        return assign_failed(sh, -WK_EPERM);
    }
    if (flow == WK_NEXT) /* the value comes before the subscript */
        flow = kept_value(sh, as->value, &v);
    if (flow == WK_NEXT && traced)
        flow = wk_xtrace_assign(sh, as, v);
    if (flow == WK_NEXT)
        flow = find_place(sh, as->name, assoc, as->sub, &p);
    if (flow != WK_NEXT)
        return flow;
    to = wk_var_peek(sh, name);
    if (WK_UNLIKELY(p.index == -1 && wk_var_has_one(to)))
        p.index = 0;
    if (!(assoc ? p.key.n : p.index >= 0 || p.index + 1 + wk_var_max_index(sh, name) >= 0)) {
        wk_sh_error(sh, "%s[%.*s]: bad array subscript", wk_names_str(sh->names, as->name).p,
                    (int)as->sub->text.n, as->sub->text.p);
        return assign_failed(sh, -WK_EPERM);
    }
    bool fixed = to && WK_UNLIKELY(to->flags & WK_VAR_READONLY); /* told with the name that was written */
    int e = fixed ? wk_var_refuse_readonly(sh, as->name) : set_place(sh, name, &p, v, as->append);
    return e ? assign_failed(sh, e) : WK_NEXT;
}

/* ---- compound -------------------------------------------------------------------------------- */

struct element {
    const struct wk_elem *elem;    /* has a subscript */
    const struct wk_word *written; /* what the value comes from; NULL: nothing, or more than it */
    struct wk_str value;
    bool was_place;                /* the value is a [sub]=… that turned out to be none */
};
struct elements {
    struct element *v;
    size_t n, cap;
    bool subscripts;
};

static bool elements_add(struct wk_shell *sh, struct elements *l, struct element x)
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
    l->v[l->n++] = x;
    return true;
}

/* "[sub]=value" between plain keys and values is text like these. */
static enum wk_flow subscript_as_text(struct wk_shell *sh, const struct wk_elem *el, struct wk_str *v)
{
    struct wk_str sub = el->sub->text;
    if (el->sub->word) {
        enum wk_flow flow = wk_expand_string(sh, el->sub->word, WK_EXPAND_STRING, &sub);
        if (flow != WK_NEXT)
            return flow;
    }
    char *p = wk_arena_alloc(&sh->arena, sub.n + v->n + 5);
    if (!p)
        return wk_sh_nomem(sh);
    char *q = p;
    *q++ = '[';
    memcpy(q, sub.p, sub.n);
    q += sub.n;
    *q++ = ']';
    if (el->append)
        *q++ = '+';
    *q++ = '=';
    if (v->n)
        memcpy(q, v->p, v->n);
    q[v->n] = '\0';
    *v = wk_str(p, (size_t)(q - p) + v->n);
    return WK_NEXT;
}

/* A word that stands for s as it is; messages show it as `source`. */
static struct wk_word *literal_word(struct wk_shell *sh, struct wk_str s, struct wk_str source)
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
                          .source = source.p,
                          .segs = seg,
                          .text_len = (uint32_t)s.n,
                          .source_len = (uint32_t)source.n,
                          .n_segs = 1,
                          .flags = WK_WORD_LITERAL | WK_WORD_SINGLE_FIELD | WK_WORD_QUOTED,
                          .name = WK_NAME_NONE};
    return w;
}

/* A subscript that is expanded already; its text stays as it was written. */
static enum wk_flow expand_subscript(struct wk_shell *sh, const struct wk_elem **elem)
{
    const struct wk_subscript *sub = (*elem)->sub;
    struct wk_str text;
    if (!sub->word || sub->kind != WK_SUB_EXPR || sub->word->flags & WK_WORD_LITERAL)
        return WK_NEXT;
    enum wk_flow flow = wk_expand_string(sh, sub->word, WK_EXPAND_STRING, &text);
    if (flow != WK_NEXT)
        return flow;
    struct wk_subscript *copy = wk_arena_alloc(&sh->arena, sizeof *copy);
    struct wk_elem *el = wk_arena_alloc(&sh->arena, sizeof *el);
    if (!copy || !el)
        return wk_sh_nomem(sh);
    *el = **elem;
    *copy = *sub;
    copy->word = literal_word(sh, text, text);
    copy->arith = NULL;
    el->sub = copy;
    *elem = el;
    return copy->word ? WK_NEXT : wk_sh_nomem(sh);
}

/* An indexed array's [sub]=value as it is read when sub has been expanded: what is in it may end it elsewhere, or leave
 * it open. Then all is a value. */
static enum wk_flow read_again(struct wk_shell *sh, const struct wk_elem **elem, struct wk_str *v)
{
    const struct wk_subscript *written = (*elem)->sub;
    struct wk_str sub = written->word ? wk_word_text(written->word) : written->text;
    bool same = wk_str_eq(sub, written->text), special = false;
    for (size_t i = 0; i < sub.n && !same && !special; i++)
        special = strchr("[]'\"`$\\", sub.p[i]) != NULL;
    if (!special)
        return WK_NEXT;
    enum wk_flow flow = subscript_as_text(sh, *elem, v);
    if (flow != WK_NEXT)
        return flow;
    size_t end = wk_var_subscript_end(*v, 0);
    struct wk_str rest = wk_str_from(*v, end);
    bool append = wk_str_starts(rest, WK_STR("]+="));
    if (!append && !wk_str_starts(rest, WK_STR("]="))) {
        *elem = NULL;
        return WK_NEXT;
    }
    struct wk_subscript *copy = wk_arena_alloc(&sh->arena, sizeof *copy);
    struct wk_elem *el = wk_arena_alloc(&sh->arena, sizeof *el);
    if (!copy || !el)
        return wk_sh_nomem(sh);
    *copy = *written;
    *el = **elem;
    sub = wk_str(v->p + 1, end - 1);
    copy->word = literal_word(sh, sub, sub);
    el->sub = copy;
    el->append = append;
    *elem = el;
    *v = wk_str_from(rest, append ? 3 : 2);
    return copy->word ? WK_NEXT : wk_sh_nomem(sh);
}

/* How a list is read: for an associative array (keyed) words are neither split nor file names. A first word [k] is no
 * key: on its own such a list has elements with and without; one that a builtin is given is keys and values, as they
 * are written. */
struct reading {
    bool keyed, given;
    bool pairs; /* keys and values in turn */
    bool raw;   /* a word stays as it is written; one that lacks its subscript is only told of */
};

static struct reading reading_of(const struct wk_assign *as, bool keyed, bool given)
{
    struct reading how = {.keyed = keyed, .given = given};
    bool words = keyed && as->n_elems && !as->elems[0].sub;
    bool bracket = words && as->elems[0].value && wk_str_starts(wk_word_source(as->elems[0].value), WK_STR("["));
    how.pairs = words && (given || !bracket);
    how.raw = keyed && (how.pairs ? given && bracket : true);
    return how;
}

/* One value for one place: [sub]=value, or any word of an associative list. */
static enum wk_flow expand_single(struct wk_shell *sh, const struct wk_elem *el, struct reading how,
                                  struct elements *l)
{
    bool keyed = how.keyed, pairs = how.pairs, raw = how.raw;
    struct wk_str v;
    bool placed = el->sub && !pairs;
    enum wk_flow flow = placed ? expand_subscript(sh, &el) : WK_NEXT;
    const struct wk_word *key = placed ? el->sub->word : NULL;
    bool no_key = keyed && !how.given && key && flow == WK_NEXT && key->flags & WK_WORD_LITERAL && !wk_word_text(key).n;
    if (raw && !el->sub && !pairs && sh->last_subst_status >= 0) /* whose status is that of the assignment */
        sh->last_subst_status = 1;
    if (raw && !el->sub)
        v = wk_word_source(el->value);
    else if (no_key) /* it is only told of */
        v = WK_STR("");
    else if (flow == WK_NEXT)
        flow = value_as(sh, el->value, keyed ? WK_EXPAND_KEYED : WK_EXPAND_ELEMENT, &v);
    if (flow == WK_NEXT && el->sub && pairs)
        flow = subscript_as_text(sh, el, &v);
    else if (flow == WK_NEXT && placed && !keyed)
        flow = read_again(sh, &el, &v);
    if (flow != WK_NEXT)
        return flow;
    if (!el) { /* only a value */
        struct element x = {.value = v, .was_place = true};
        return elements_add(sh, l, x) ? WK_NEXT : wk_sh_nomem(sh);
    }
    l->subscripts = l->subscripts || placed;
    struct element x = {placed ? el : NULL, el->sub && pairs ? NULL : el->value, v, false};
    return elements_add(sh, l, x) ? WK_NEXT : wk_sh_nomem(sh);
}

static enum wk_flow expand_elements(struct wk_shell *sh, const struct wk_assign *as, bool keyed, bool given,
                                    struct elements *l)
{
    struct reading how = reading_of(as, keyed, given);
    for (uint32_t i = 0; i < as->n_elems; i++) {
        const struct wk_elem *el = &as->elems[i];
        const struct wk_word *words = el->value;
        if (WK_UNLIKELY(el->braced != NULL) && !keyed && wk_opt(sh, BRACEEXPAND)) {
            words = el->braced;
        } else if (el->sub || keyed) {
            enum wk_flow flow = expand_single(sh, el, how, l);
            if (flow != WK_NEXT)
                return flow;
            continue;
        }
        struct wk_fields f = {0};
        enum wk_flow flow = wk_expand_word(sh, words, &f);
        if (flow != WK_NEXT)
            return flow;
        for (size_t j = 0; j < f.n; j++) {
            struct element x = {NULL, f.n == 1 ? words : NULL, f.v[j], false};
            if (!elements_add(sh, l, x))
                return wk_sh_nomem(sh);
            if (wk_step(sh->k) != 0)
                return WK_STOP;
        }
    }
    return WK_NEXT;
}

static struct wk_str as_written(const struct element *x)
{
    return x->written ? wk_word_source(x->written) : x->value;
}

static void no_key(struct wk_shell *sh, const struct element *x, bool expanded)
{
    struct wk_str text = as_written(x);
    struct wk_str sub = !x->elem ? WK_STR("") : expanded ? WK_STR("''") : x->elem->sub->text;
    const char *open = x->elem ? "[" : "", *close = !x->elem ? "" : x->elem->append ? "]+=" : "]=";
    wk_sh_error(sh, "%s%.*s%s%.*s: bad array subscript", open, (int)sub.n, sub.p, close, (int)text.n,
                text.p);
}

/* [key]+=value where the list is new: what the key had before counts, or nothing. */
static int append_to_old(struct wk_shell *sh, uint32_t name, const struct wk_assoc *old,
                         struct wk_str key, struct wk_str v)
{
    char scratch[24];
    const struct wk_elem_value *had = old ? wk_assoc_at(old, key) : NULL;
    int e = had ? wk_var_key_set(sh, name, key, wk_elem_text(had, scratch), false) : 0;
    return e ? e : wk_var_key_set(sh, name, key, v, had != NULL);
}

static enum wk_flow fill_assoc(struct wk_shell *sh, uint32_t name, const struct wk_assign *as,
                               const struct elements *l, bool subscripted, const struct wk_assoc *old)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct element *x = &l->v[i];
        struct place p = {.assoc = true, .key = x->value};
        struct wk_str v = x->value;
        if (x->elem) {
            enum wk_flow flow = find_place(sh, name, true, x->elem->sub, &p);
            if (flow != WK_NEXT)
                return flow;
        } else if (subscripted) {
            struct wk_str text = as_written(x);
            wk_sh_error(sh, "%s: %.*s: must use subscript when assigning associative array",
                        wk_names_str(sh->names, name).p, (int)text.n, text.p);
            if (wk_sh_told(sh) != WK_NEXT)
                return WK_EXIT;
            continue;
        } else { /* key value key value */
            v = i + 1 < l->n ? l->v[i + 1].value : WK_STR("");
            i++;
        }
        if (p.key.n == 0) {
            no_key(sh, x, as->expanded);
            if (wk_sh_told(sh) != WK_NEXT)
                return WK_EXIT;
            continue;
        }
        bool append = x->elem && x->elem->append;
        int e = append && !as->append ? append_to_old(sh, name, old, p.key, v)
                                      : wk_var_key_set(sh, name, p.key, v, append);
        if (e)
            return assign_failed(sh, e);
        if (wk_step(sh->k) != 0)
            return WK_STOP;
    }
    return WK_NEXT;
}

/* The subscript of a list's element as text: expanded, without its quotes. `plain`: as it was
 * written, so that it need not be parsed again. */
static enum wk_flow subscript_text(struct wk_shell *sh, const struct wk_subscript *sub, bool *plain,
                                   struct wk_str *text)
{
    *text = sub->text;
    *plain = !sub->word || (sub->word->flags & WK_WORD_LITERAL &&
                            wk_str_eq(wk_word_text(sub->word), sub->text));
    return *plain ? WK_NEXT : wk_expand_string(sh, sub->word, WK_EXPAND_STRING, text);
}

/* Where an element with a subscript goes. Not *good: nowhere, which has been told and passes. */
static enum wk_flow find_index(struct wk_shell *sh, uint32_t name, const struct element *x,
                               int64_t *index, bool *good)
{
    const struct wk_subscript *sub = x->elem->sub;
    struct wk_str text;
    bool plain;
    enum wk_flow flow = subscript_text(sh, sub, &plain, &text);
    if (flow != WK_NEXT)
        return flow;
    bool all = text.n == 1 && (text.p[0] == '@' || text.p[0] == '*');
    *good = text.n && !all;
    if (*good) {
        const char *outer = sh->builtin_name; /* not part of messages about subscripts */
        sh->builtin_name = NULL;
        bool once = plain && sub->arith; /* else what its expansion gives is expanded, too */
        int e = once ? 0 : wk_var_index(sh, name, text, index);
        if (once)
            flow = wk_arith_eval(sh, sub->arith, index);
        sh->builtin_name = outer;
        if (e)
            return assign_failed(sh, e);
        if (flow != WK_NEXT)
            return flow == WK_ABORT ? wk_sh_arith_failed(sh) : flow;
        *good = *index >= 0 || *index + 1 + wk_var_max_index(sh, name) >= 0;
    }
    if (*good)
        return WK_NEXT;
    if (all && sh->last_subst_status >= 0) /* whose status is that of the assignment */
        sh->last_subst_status = 1;
    wk_sh_error(sh, "[%.*s]%s=%.*s: %s", (int)text.n, text.p, x->elem->append ? "+" : "",
                (int)x->value.n, x->value.p,
                all ? "cannot assign to non-numeric index" : "bad array subscript");
    return wk_sh_told(sh);
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
        if (x->elem && x->elem->sub->kind == WK_SUB_EXPR && x->elem->sub->text.n == 0) {
            wk_sh_error(sh, "[]%s=%.*s: bad array subscript", x->elem->append ? "+" : "", (int)x->value.n, x->value.p);
            continue;
        }
        if (x->elem) {
            bool good;
            int64_t index;
            enum wk_flow flow = find_index(sh, name, x, &index, &good);
            if (flow != WK_NEXT)
                return flow;
            if (!good)
                continue;
            next = index;
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

/* The values of a list could not be had: the variable has become an array all the same. An associative one counts as
 * set when it would have had some. */
static enum wk_flow begun_list(struct wk_shell *sh, uint32_t name, bool assoc, bool some, enum wk_flow flow)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    if (v && v->flags & WK_VAR_ASSOC && !(v->flags & WK_VAR_READONLY) && some && mark_set(sh, name, true) != 0)
        return wk_sh_nomem(sh);
    if (v && v->flags & (WK_VAR_READONLY | WK_VAR_NOASSIGN | WK_VAR_ARRAY | WK_VAR_ASSOC))
        return flow;
    bool made = !v || !(v->flags & (WK_VAR_DECLARED | WK_VAR_EXPORT));
    struct wk_var *own = wk_var_make_array(sh, name, assoc) ? NULL : wk_var_own(sh, name);
    if (!own)
        return wk_sh_nomem(sh);
    own->flags |= made ? WK_VAR_SET : 0;
    return flow;
}

/* Values that cannot be had leave an associative array as it was: with `old`, or nothing. */
static enum wk_flow take_back(struct wk_shell *sh, uint32_t name, struct wk_assoc *old, bool set)
{
    struct wk_var *v = wk_var_own(sh, name);
    bool begun = v && v->assoc && wk_assoc_count(v->assoc);
    if (!v || wk_var_clear_array(sh, name) != 0 || mark_set(sh, name, set || begun) != 0)
        return wk_sh_nomem(sh);
    if (!old)
        return WK_ABORT;
    wk_assoc_unref(sh->mem, v->assoc);
    v->assoc = wk_assoc_ref(old);
    return WK_ABORT;
}

/* An associative list is filled; without += the old one is at hand until it is. */
static enum wk_flow refill_assoc(struct wk_shell *sh, uint32_t name, const struct wk_assign *as,
                                 const struct elements *l)
{
    const struct wk_var *v = wk_var_peek(sh, name);
    bool set = v && v->flags & WK_VAR_SET;
    struct wk_assoc *old = v && v->assoc && !as->append ? wk_assoc_ref(v->assoc) : NULL;
    int e = as->append ? 0 : wk_var_clear_array(sh, name);
    if (!e && !as->append && !set) /* until a value is there */
        e = mark_set(sh, name, false);
    struct wk_str first = l->n ? as_written(&l->v[0]) : WK_STR("");
    bool subscripted = l->n && (l->v[0].elem || (first.n && first.p[0] == '['));
    enum wk_flow flow = e ? assign_failed(sh, e) : fill_assoc(sh, name, as, l, subscripted, old);
    v = wk_var_peek(sh, name);
    if (WK_UNLIKELY(flow == WK_ABORT) && !as->append && v && v->flags & WK_VAR_ASSOC)
        flow = take_back(sh, name, old, set);
    wk_assoc_unref(sh->mem, old);
    return flow;
}

/* A+=(…): each element is there when the next one is expanded. */
static enum wk_flow extend_assoc(struct wk_shell *sh, uint32_t name, const struct wk_assign *as)
{
    struct elements l = {0};
    struct reading how = reading_of(as, true, false);
    enum wk_flow flow = WK_NEXT;
    const char *who = sh->builtin_name; /* not told with errors in the elements */
    sh->builtin_name = NULL;
    for (uint32_t i = 0; flow == WK_NEXT && i < as->n_elems; i++) {
        l.n = 0;
        flow = expand_single(sh, &as->elems[i], how, &l);
        if (flow == WK_NEXT && how.pairs && i + 1 < as->n_elems)
            flow = expand_single(sh, &as->elems[++i], how, &l);
        if (flow == WK_NEXT)
            flow = fill_assoc(sh, name, as, &l, !how.pairs, NULL);
    }
    sh->builtin_name = who;
    return flow == WK_NEXT && mark_set(sh, name, true) != 0 ? wk_sh_nomem(sh) : flow;
}

/* a[1]=(…) */
static enum wk_flow refuse_list(struct wk_shell *sh, const struct wk_assign *as, int ends)
{
    wk_sh_error(sh, "%s[%.*s]: cannot assign list to array member",
                wk_names_str(sh->names, as->name).p, (int)as->sub->text.n, as->sub->text.p);
    return wk_sh_discard_as(sh, ends);
}

static enum wk_flow readonly_list(struct wk_shell *sh, const struct wk_assign *as)
{
    wk_sh_error(sh, "%s: readonly variable", wk_names_str(sh->names, as->name).p);
    return assign_failed(sh, -WK_EPERM);
}

/* The array is there before the values are expanded, which may look at it: a scalar's value, or nothing of a variable
 * that was not there, which then counts as set. */
static enum wk_flow begin_indexed(struct wk_shell *sh, uint32_t name, const struct wk_assign *as,
                                  const struct wk_var *v)
{
    const uint32_t other = WK_VAR_ARRAY | WK_VAR_ASSOC | WK_VAR_DYNAMIC | WK_VAR_READONLY | WK_VAR_NOASSIGN;
    uint32_t flags = v ? v->flags : 0;
    bool there = flags & (WK_VAR_SET | WK_VAR_DECLARED | WK_VAR_EXPORT | WK_VAR_DYNAMIC | WK_VAR_READONLY);
    bool scalar = (flags & (other | WK_VAR_SET)) == WK_VAR_SET, made = !there && !as->expanded;
    int e = scalar || made ? wk_var_make_array(sh, name, false) : 0;
    if (!e && made)
        e = mark_set(sh, name, true);
    return e ? assign_failed(sh, e) : WK_NEXT;
}

static enum wk_flow assign_compound(struct wk_shell *sh, const struct wk_assign *as, bool traced)
{
    uint32_t name = as->name;
    bool assoc;
    struct elements l = {0};
    enum wk_flow flow = traced ? wk_xtrace_assign(sh, as, as->value_text) : WK_NEXT;
    if (flow != WK_NEXT)
        return flow;
    if (as->sub)
        return refuse_list(sh, as, WK_DISCARD_ENDS_ERREXIT | (sh->in_command ? 0 : WK_DISCARD_ENDS_POSIX));
    flow = resolve(sh, &name, &assoc);
    if (flow != WK_NEXT)
        return flow;
    const struct wk_var *to = wk_var_peek(sh, name);
    if (to && WK_UNLIKELY(to->flags & WK_VAR_NAMEREF) && wk_var_end_reference(sh, name, as->name) != 0)
        return wk_sh_nomem(sh);
    const struct wk_var *before = wk_var_peek(sh, name);
    if (!as->expanded && before && before->flags & WK_VAR_READONLY)
        return readonly_list(sh, as);
    if (assoc && as->append && !as->expanded)
        return extend_assoc(sh, name, as);
    if (!assoc && as->n_elems)
        flow = begin_indexed(sh, name, as, before);
    if (flow == WK_NEXT)
        flow = expand_elements(sh, as, assoc, false, &l);
    if (flow == WK_ABORT && !as->expanded)
        return begun_list(sh, name, assoc, l.n != 0, flow);
    if (flow != WK_NEXT)
        return flow;
    const struct wk_var *v = wk_var_peek(sh, name);
    uint32_t flags = v ? v->flags : 0;
    if (flags & WK_VAR_READONLY)
        return readonly_list(sh, as);
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
    bool was_set = flags & (WK_VAR_SET | WK_VAR_MADE);
    int e = wk_var_make_array(sh, name, assoc);
    if (!e && !as->append && !assoc)
        e = wk_var_clear_array(sh, name);
    if (e)
        return assign_failed(sh, e);
    if (!assoc && as->append)
        next = index_after(wk_var_max_index(sh, name));
    const char *who = sh->builtin_name; /* not told with errors in the elements */
    sh->builtin_name = NULL;
    if (!was_set && l.n && (e = mark_set(sh, name, false)) != 0) /* until a value is there */
        return wk_sh_fail(sh, e);
    flow = assoc ? refill_assoc(sh, name, as, &l) : fill_indexed(sh, name, &l, next);
    sh->builtin_name = who;
    if (flow == WK_NEXT && (e = mark_set(sh, name, true)) != 0) /* also by x+=() */
        return wk_sh_fail(sh, e);
    return flow;
}

/* ---- all ------------------------------------------------------------------------------------- */

static enum wk_flow assign_one(struct wk_shell *sh, const struct wk_assign *as, bool traced)
{
    if (WK_LIKELY(!as->compound && !as->sub))
        return assign_scalar(sh, as, traced);
    bool self = wk_var_enter_self(sh, as->name);
    if (WK_UNLIKELY(self) && as->sub) /* elements tell it twice */
        wk_var_warn_circular(sh, as->name);
    enum wk_flow flow =
        as->compound ? assign_compound(sh, as, traced) : assign_element(sh, as, traced);
    if (WK_UNLIKELY(self))
        wk_var_swap_global(sh, as->name);
    return flow;
}

enum wk_flow wk_assign_run(struct wk_shell *sh, const struct wk_assign *as)
{
    int status = sh->status;
    const char *outer = sh->builtin_name;
    if (as->compound) /* what is wrong with a list is told as of an assignment alone */
        sh->builtin_name = NULL;
    enum wk_flow flow = assign_one(sh, as, false); /* set -x shows the builtin's words */
    sh->builtin_name = outer;
    if (flow == WK_NEXT) /* not that of a command substitution in the value */
        sh->status = status;
    return flow;
}

/* What name+=value before a command gives: the old value with the new one behind it, as the old
 * one's attributes would have it. */
static int append_text_to(struct wk_shell *sh, uint32_t name, struct wk_str *v)
{
    char scratch[24];
    struct wk_str had = {"", 0};
    const struct wk_var *old = wk_var_peek(sh, name);
    bool sum = old && old->flags & WK_VAR_INTEGER;
    uint32_t flags = old ? old->flags & ~(uint32_t)WK_VAR_INTEGER : 0;
    if (old && old->flags & WK_VAR_NAMEREF && old->text) /* what it refers to is not meant */
        had = wk_val_str(old->text);
    else
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
static enum wk_flow assign_temporary(struct wk_shell *sh, const struct wk_assign *as, uint32_t base)
{
    struct wk_str v;
    uint32_t name = as->name;
    bool again = false;
    if (as->sub) {
        wk_sh_error(sh, "`%s[%.*s]': not a valid identifier", wk_names_str(sh->names, name).p,
                    (int)as->sub->text.n, as->sub->text.p);
        return wk_opt(sh, POSIX) ? wk_sh_discard_as(sh, 0) : WK_NEXT;
    }
    const struct wk_var *named = wk_var_peek(sh, name);
    struct wk_str sub;
    if (named && WK_UNLIKELY(named->flags & WK_VAR_NAMEREF) && (wk_var_resolve(sh, &name, &sub) != 0 || sub.p))
        name = as->name; /* what it refers to is no variable: itself */
    named = wk_var_peek(sh, name);
    bool silent = named && named->flags & WK_VAR_NOASSIGN && wk_opt(sh, POSIX); /* FUNCNAME, GROUPS… */
    if (named && (named->flags & WK_VAR_READONLY || silent)) {
        int status = sh->status;
        if (!silent)
            wk_sh_error(sh, "%s: readonly variable", wk_names_str(sh->names, as->name).p);
        enum wk_flow ends = wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT);
        if (ends == WK_EXIT || wk_opt(sh, POSIX))
            return ends;
        sh->status = status; /* what the command finds is $? of before */
        return WK_NEXT;
    }
    /* A list in the environment is its text, expanded as one word. */
    enum wk_flow flow = as->compound
                            ? wk_expand_key(sh, as->value_text, &v)
                            : value_text(sh, as->value, &v);
    int e = flow == WK_NEXT && as->append ? append_text_to(sh, name, &v) : 0;
    if (flow == WK_NEXT && !e && wk_opt(sh, XTRACE)) {
        struct wk_assign plain = *as;
        plain.compound = plain.append = false;
        flow = wk_xtrace_assign(sh, &plain, v);
    }
    if (flow != WK_NEXT)
        return flow;
    for (uint32_t i = base; i < wk_vars_mark(sh) && !again; i++)
        again = sh->st->saved->v[i].name == name; /* x=1 x=2 command */
    if (!e && !again)
        e = wk_var_push_local(sh, name, WK_LEVEL_NONE, true, false);
    if (!e)
        e = wk_var_set(sh, name, v);
    if (!e)
        e = wk_var_attributes(sh, name, WK_VAR_EXPORT, 0);
    if (!e)
        wk_var_is_assigned(sh, name);
    return e ? assign_failed(sh, e) : WK_NEXT;
}

enum wk_flow wk_assign_all(struct wk_shell *sh, const struct wk_node_simple *s, bool tempenv)
{
    uint32_t base = wk_vars_mark(sh);
    for (uint32_t i = 0; i < s->n_assigns; i++) {
        const struct wk_assign *as = &s->assigns[i];
        enum wk_flow flow =
            tempenv ? assign_temporary(sh, as, base) : assign_one(sh, as, wk_opt(sh, XTRACE));
        if (WK_UNLIKELY(flow != WK_NEXT))
            return flow;
        /* allexport passes by lists and elements. */
        if (WK_UNLIKELY(!tempenv && wk_opt(sh, ALLEXPORT) && !as->compound && !as->sub)) {
            int e = wk_var_attributes(sh, as->name, WK_VAR_EXPORT, 0);
            if (e)
                return assign_failed(sh, e);
        }
    }
    /* X= Y=${X:=b} sets the shell's own X. */
    if (tempenv && wk_vars_pass_on(sh, base, wk_vars_mark(sh)) != 0)
        return wk_sh_nomem(sh);
    return WK_NEXT;
}

enum wk_flow wk_assign_for_leaf(struct wk_shell *sh, const struct wk_node_simple *s)
{
    sh->for_others = true;
    enum wk_flow flow = wk_assign_all(sh, s, true);
    sh->for_others = false;
    return flow;
}

/* What set -x shows of a list that a declaring builtin is given: the values, quoted. */
enum wk_flow wk_assign_trace(struct wk_shell *sh, const struct wk_assign *as)
{
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    wk_buf_putc(&b, '(');
    for (uint32_t i = 0; i < as->n_elems; i++) {
        const struct wk_elem *el = &as->elems[i];
        if (i)
            wk_buf_putc(&b, ' ');
        if (el->sub) {
            wk_buf_putc(&b, '[');
            bool literal = el->sub->word && el->sub->word->flags & WK_WORD_LITERAL;
            wk_quote_plain(&b, literal ? wk_word_text(el->sub->word) : el->sub->text);
            wk_buf_put_c(&b, el->append ? "]+=" : "]=");
        }
        wk_quote_plain(&b, wk_word_text(el->value));
    }
    wk_buf_putc(&b, ')');
    enum wk_flow flow = b.failed ? wk_sh_nomem(sh) : wk_xtrace_assign(sh, as, wk_buf_str(&b));
    wk_buf_release(&b);
    return flow;
}

/* [sub]=value as an associative array's list shows it that is no place: quoted piece by piece. */
static void quote_no_place(struct wk_buf *b, struct wk_str s)
{
    size_t end = wk_var_subscript_end(s, 0);
    if (end >= s.n) {
        wk_quote_plain(b, s);
        return;
    }
    wk_buf_putc(b, '[');
    wk_quote_plain(b, wk_str(s.p + 1, end - 1));
    wk_buf_putc(b, ']');
    wk_buf_puts(b, wk_str_take(wk_str_from(s, end + 1), 1)); /* not looked at */
    wk_quote_plain(b, wk_str_from(s, end + 1 < s.n ? end + 2 : s.n));
}

/* The value as messages about it show it: quoted. A word of declare -A that lacks its subscript
 * shows as written. */
static enum wk_flow shown_value(struct wk_shell *sh, const struct elements *l, size_t i, bool keyed,
                                struct wk_str *out)
{
    struct wk_buf b;
    bool lacks = keyed && l->v[0].elem && !l->v[i].elem;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    if (l->v[i].was_place)
        quote_no_place(&b, l->v[i].value);
    else
        wk_quote_plain(&b, lacks ? as_written(&l->v[i]) : l->v[i].value);
    char *p = b.failed ? NULL : wk_arena_strndup(&sh->arena, wk_buf_c(&b), b.n);
    *out = wk_str(p, b.n);
    wk_buf_release(&b);
    return p ? WK_NEXT : wk_sh_nomem(sh);
}

enum wk_flow wk_assign_expand(struct wk_shell *sh, const struct wk_assign *as, bool keyed,
                              const struct wk_assign **out)
{
    struct elements l = {0};
    enum wk_flow flow = as->sub ? refuse_list(sh, as, WK_DISCARD_ENDS_ERREXIT)
                                : expand_elements(sh, as, keyed, true, &l);
    if (flow != WK_NEXT)
        return flow;
    const struct wk_var *to = wk_var_peek(sh, as->name);
    bool assoc = to && to->flags & WK_VAR_ASSOC;
    struct wk_assign *copy = wk_arena_alloc(&sh->arena, sizeof *copy);
    struct wk_elem *elems = wk_arena_zalloc(&sh->arena, (l.n + 1) * sizeof *elems);
    if (!copy || !elems || l.n > UINT32_MAX)
        return wk_sh_nomem(sh);
    for (size_t i = 0; i < l.n; i++) {
        struct wk_str shown = l.v[i].value;
        if (l.v[i].elem) {
            elems[i] = *l.v[i].elem;
            elems[i].braced = NULL;
        }
        if (keyed || l.subscripts || assoc)
            flow = shown_value(sh, &l, i, keyed, &shown);
        if (flow != WK_NEXT)
            return flow;
        elems[i].value = literal_word(sh, l.v[i].value, shown);
        if (!elems[i].value)
            return wk_sh_nomem(sh);
    }
    *copy = *as;
    copy->elems = elems;
    copy->n_elems = (uint32_t)l.n;
    copy->expanded = true;
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
        flow = value_as(sh, as->value, WK_EXPAND_DECLARE, &v);
    struct wk_str name = wk_names_str(sh->names, as->name);
    struct wk_str sub = as->sub ? as->sub->text : wk_str(NULL, 0);
    if (flow == WK_NEXT && as->sub && as->sub->word)
        flow = wk_expand_string(sh, as->sub->word, WK_EXPAND_STRING, &sub);
    if (flow != WK_NEXT)
        return flow;
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
