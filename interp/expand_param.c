/* expand_param.c - parameter expansion (bash 3.5.3): which value, what is done to it, how it goes
 * out */
#include "base/num.h"
#include "base/utf8.h"
#include "interp/arith.h"
#include "interp/expand_parts.h"
#include "interp/expand_ref.h"
#include "interp/vars_special.h"

/* ---- going out
 * --------------------------------------------------------------------------------------- */

enum wk_flow wk_list_text(struct wk_shell *sh, const struct wk_pval *v, struct wk_str sep,
                          struct wk_str *out)
{
    size_t n = 1 + (v->lead ? v->s.n : 0);
    for (size_t i = 0; i < v->n; i++)
        n += v->v[i].n + (i ? sep.n : 0);
    if (sh->k->limits.expansion && n > sh->k->limits.expansion) {
        (void)wk_kern_breach(sh->k, WK_LIMIT_EXPANSION);
        return WK_STOP;
    }
    char *p = wk_arena_alloc(&sh->arena, n);
    if (!p)
        return wk_sh_nomem(sh);
    *out = wk_str(p, n - 1);
    wk_charge(sh->k, n);
    if (v->lead) {
        memcpy(p, v->s.p, v->s.n);
        p += v->s.n;
    }
    for (size_t i = 0; i < v->n; i++) {
        if (i && sep.n) {
            memcpy(p, sep.p, sep.n);
            p += sep.n;
        }
        if (v->v[i].n)
            memcpy(p, v->v[i].p, v->v[i].n);
        p += v->v[i].n;
    }
    *p = '\0';
    return WK_NEXT;
}

static struct wk_str star_separator(struct wk_shell *sh)
{
    const struct wk_ifs *ifs = wk_vars_ifs(sh);
    return ifs->unset ? WK_STR(" ") : wk_str(ifs->first, ifs->first_n);
}

/* What goes between the elements where they become one string. */
static struct wk_str separator(const struct wk_xp *x, const struct wk_pval *v, bool quoted)
{
    struct wk_str first = star_separator(x->sh), blank = WK_STR(" ");
    if (x->first_only && quoted && !v->star)
        return wk_str("", 1);
    if (x->join == WK_JOIN_HEREDOC)
        return v->star && v->made_by == WK_MADE_EACH ? first : blank;
    if (x->join == WK_JOIN_ELEMENT && !(quoted && v->star))
        return first.n ? first : blank;
    bool blank_for_none = x->join == WK_JOIN_DECLARE && !quoted && v->made_by != WK_MADE_EACH;
    if (v->star)
        return first.n || !blank_for_none ? first : blank;
    bool value = x->join == WK_JOIN_ASSIGN || x->join == WK_JOIN_DECLARE;
    bool as_star = value && (v->made_by == WK_MADE_TEXT || (quoted && v->made_by));
    return as_star && first.n ? first : blank;
}

/* In a string that is neither value nor text, bash splits what an operator has made of ${a[@]}, and puts blanks between
 * the parts. */
static void part_by_blanks(struct wk_shell *sh, struct wk_str *s)
{
    const struct wk_ifs *ifs = wk_vars_ifs(sh);
    char *p = wk_arena_strndup(&sh->arena, s->p, s->n);
    size_t n = 0;
    for (size_t i = 0, len; p && i < s->n; i += len) {
        unsigned kind = ifs->kind[(unsigned char)s->p[i]];
        len = kind < 3 ? 1 : wk_ifs_long(ifs, *s, i, false);
        bool parts = kind && len;
        len = len ? len : 1;
        p[n++] = parts ? ' ' : s->p[i];
    }
    *s = wk_str(p, n);
}

static enum wk_flow put_joined(struct wk_xp *x, const struct wk_pval *v, bool quoted)
{
    struct wk_str s;
    enum wk_flow flow = wk_list_text(x->sh, v, separator(x, v, quoted), &s);
    if (flow == WK_NEXT && WK_UNLIKELY(!quoted && !v->star && v->made_by && x->join == WK_JOIN_PLAIN && !x->first_only))
        part_by_blanks(x->sh, &s);
    if (flow != WK_NEXT)
        return flow;
    return s.p ? wk_xp_result(x, s, quoted) : wk_sh_nomem(x->sh);
}

/* "declare -a x=" and the like: split by IFS, and at its blanks where that is empty. */
static enum wk_flow put_lead(struct wk_xp *x, struct wk_str s)
{
    const struct wk_ifs *ifs = wk_vars_ifs(x->sh), *outer = x->ifs;
    enum wk_flow flow = WK_NEXT;
    if (ifs->unset || ifs->text.n) {
        flow = wk_xp_split(x, s);
        x->ifs = outer;
        return flow;
    }
    for (ptrdiff_t at; flow == WK_NEXT && (at = wk_str_chr(s, ' ')) >= 0; s = wk_str_from(s, (size_t)at + 1))
        flow = wk_xp_bare(x, wk_str_take(s, (size_t)at)) ? wk_xp_end_field(x) : wk_xp_failed(x);
    return flow != WK_NEXT || wk_xp_bare(x, s) ? flow : wk_xp_failed(x);
}

/* "$@": every element a field, the first and last joined to what stands around. */
static enum wk_flow put_quoted_list(struct wk_xp *x, const struct wk_pval *v)
{
    struct wk_shell *sh = x->sh;
    x->at_empty = x->at_empty || v->n == 0;
    if (v->n > 2 && !wk_fields_reserve(sh, x->out, v->n))
        return wk_sh_nomem(sh);
    for (size_t i = 0; i < v->n; i++) {
        if (i) {
            x->made = true;
            enum wk_flow flow = wk_xp_end_field(x);
            if (flow != WK_NEXT)
                return flow;
            if (i + 1 < v->n) { /* in the middle: a field of its own */
                char *p = wk_arena_strndup(&sh->arena, v->v[i].p, v->v[i].n);
                if (!p || !wk_fields_add(sh, x->out, wk_str(p, v->v[i].n)))
                    return wk_sh_nomem(sh);
                while (i + 2 < v->n) {
                    i++;
                    p = wk_arena_strndup(&sh->arena, v->v[i].p, v->v[i].n);
                    if (!p || !wk_fields_add(sh, x->out, wk_str(p, v->v[i].n)))
                        return wk_sh_nomem(sh);
                    if (wk_step(sh->k) != 0)
                        return WK_STOP;
                }
                i++;
            }
        }
        if (!wk_xp_quoted(x, v->v[i]))
            return wk_xp_failed(x);
    }
    return WK_NEXT;
}

/* An unquoted $@ whose elements stay whole. */
static enum wk_flow put_whole(struct wk_xp *x, const struct wk_pval *v)
{
    for (size_t i = 0; i < v->n; i++) {
        enum wk_flow flow = i ? wk_xp_end_field(x) : WK_NEXT;
        if (flow != WK_NEXT)
            return flow;
        if (!wk_xp_bare(x, v->v[i]))
            return wk_xp_failed(x);
        x->made = true; /* also when it is empty */
    }
    return WK_NEXT;
}

/* An unquoted list: the elements are split as if the first character of IFS stood between them. */
static enum wk_flow put_split_list(struct wk_xp *x, const struct wk_pval *v)
{
    struct wk_str sep = star_separator(x->sh);
    enum wk_flow flow = WK_NEXT;
    x->skims = x->ifs && !x->n && !x->made && !x->ended && !v->own_front && !(v->star && x->in_operand);
    for (size_t i = 0; i < v->n && flow == WK_NEXT; i++) {
        if (i && sep.n) {
            flow = wk_xp_result(x, sep, false);
        } else if (i) {
            flow = wk_xp_end_field(x);
            x->after_ws = false;
        }
        if (flow == WK_NEXT)
            flow = wk_xp_result(x, v->v[i], false);
    }
    x->skims = false;
    return flow;
}

static enum wk_flow put_list(struct wk_xp *x, const struct wk_pval *v, bool quoted)
{
    if (quoted ? v->star || x->join_at : !x->out)
        return put_joined(x, v, quoted);
    enum wk_flow led = WK_UNLIKELY(v->lead) ? put_lead(x, v->s) : WK_NEXT;
    if (quoted || led != WK_NEXT)
        return led == WK_NEXT ? put_quoted_list(x, v) : led;
    if (WK_UNLIKELY(x->at_whole) && !v->star && v->made_by == WK_MADE_PLAIN)
        return put_whole(x, v);
    return put_split_list(x, v);
}

static enum wk_flow put_value(struct wk_xp *x, const struct wk_pval *v, bool quoted)
{
    if (v->list)
        return put_list(x, v, quoted);
    return wk_xp_result(x, v->set ? v->s : WK_STR(""), quoted);
}

static enum wk_flow put_number(struct wk_xp *x, uint64_t n, bool quoted)
{
    char digits[24];
    return wk_xp_result(x, wk_str(digits, wk_i64_text((int64_t)n, digits)), quoted);
}

/* ---- unset
 * ---------------------------------------------------------------------------------------------- */

static enum wk_flow unbound(struct wk_shell *sh, const struct wk_param *p)
{
    bool dollar = p->source.n == 0 && p->kind != WK_PARAM_NAME; /* written without braces */
    const char *sign = p->flags & WK_PARAM_INDIRECT ? "!" : dollar ? "$" : "";
    wk_sh_error(sh, "%s%.*s: unbound variable", sign, (int)p->prefix.n, p->prefix.p);
    return wk_sh_expansion_failed(sh);
}

/* May the value be used under set -u? Lists always may. */
static enum wk_flow check_bound(struct wk_shell *sh, const struct wk_param *p,
                                const struct wk_pval *v)
{
    if (WK_LIKELY(v->set || v->list || !wk_opt(sh, NOUNSET)))
        return WK_NEXT;
    const struct wk_var *var = p->kind == WK_PARAM_NAME && !p->sub ? wk_var_peek(sh, p->id) : NULL;
    bool element = var && var->flags & WK_VAR_NAMEREF && var->text && wk_str_ends(wk_val_str(var->text), WK_STR("]"));
    return element ? WK_NEXT : unbound(sh, p); /* what refers to an element is there */
}

static enum wk_flow bad_substitution(const struct wk_xp *x, const struct wk_param *p)
{
    struct wk_str name = x->join == WK_JOIN_KEYED && p->prefix.n ? p->prefix : p->source;
    if (p->kind == WK_PARAM_BAD && p->transform == WK_PARAM_BAD_DOC)
        return wk_tell_bad_doc(x->sh, p->source, p->prefix);
    if (p->kind == WK_PARAM_BAD && p->transform == '[')
        wk_sh_error(x->sh, "bad substitution: no closing `]' in %.*s", (int)name.n, name.p);
    else if (p->kind == WK_PARAM_BAD && p->transform == '`')
        wk_sh_error(x->sh, "bad substitution: no closing \"`\" in %.*s", (int)name.n, name.p);
    else if (p->kind == WK_PARAM_BAD && p->transform == '}')
        wk_sh_error(x->sh, "bad substitution: no closing `}' in %.*s", (int)name.n, name.p);
    else
        wk_sh_error(x->sh, "%.*s: bad substitution", (int)name.n, name.p);
    return wk_sh_discard(x->sh);
}

/* ---- ${x-w} ${x=w} ${x?w} ${x+w}
 * --------------------------------------------------------------------------- */

/* One empty element of a list is null, but not where the value of an assignment is made, unless in quotes. */
static bool counts_as_set(const struct wk_xp *x, const struct wk_param *p, const struct wk_pval *v, bool quoted)
{
    struct wk_shell *sh = x->sh;
    bool colon = p->flags & WK_PARAM_COLON;
    if (!v->list)
        return v->set && !(colon && v->s.n == 0);
    if (v->n == 0)
        return false;
    if (!colon || (v->n > 1 && (!v->star || star_separator(sh).n)))
        return true;
    if (v->n == 1 && !quoted && (x->join == WK_JOIN_ASSIGN || x->join == WK_JOIN_DECLARE))
        return true;
    for (size_t i = 0; i < v->n; i++)
        if (v->v[i].n)
            return true;
    return false;
}

/* Does ${!x}, or $x when that is a reference, stand for a list? */
static bool refers_to_all(struct wk_shell *sh, const struct wk_param *p)
{
    bool indirect = p->flags & WK_PARAM_INDIRECT;
    const struct wk_var *v = p->kind == WK_PARAM_NAME && !p->sub ? wk_var_peek(sh, p->id) : NULL;
    if (!v || !(v->flags & WK_VAR_TEXT) || !(indirect || v->flags & WK_VAR_NAMEREF))
        return false;
    struct wk_str s = wk_val_str(v->text);
    bool all = wk_str_ends(s, WK_STR("[@]")) || wk_str_ends(s, WK_STR("[*]"));
    return all || (indirect && (wk_str_is(s, "@") || wk_str_is(s, "*")));
}

/* Does an unquoted $@, ${a[@]} or ${!x@} stand among the segments, and no quoted one? An operand that is one word of
 * this kind counts, too. */
static bool has_bare_at(struct wk_shell *sh, const struct wk_word *w)
{
    bool bare = false;
    for (uint32_t i = 0; w && i < w->n_segs; i++) {
        const struct wk_seg *s = &w->segs[i];
        const struct wk_param *p = s->kind == WK_SEG_PARAM ? s->u.param : NULL;
        if (!p || p->flags & WK_PARAM_LENGTH)
            continue;
        bool nested = p->op >= WK_PARAM_OP_DEFAULT && p->op <= WK_PARAM_OP_ALT;
        bool at = p->kind == WK_PARAM_SPECIAL ? p->id == '@' : p->sub && p->sub->kind == WK_SUB_AT;
        at = at || (p->op == WK_PARAM_OP_NAMES && p->transform == '@');
        bool other = refers_to_all(sh, p);
        if ((at || other) && s->flags & WK_SEG_QUOTED)
            return false;
        if (at && nested) /* its own value, when it has one */
            at = p->op != WK_PARAM_OP_ALT &&
                 (p->kind == WK_PARAM_SPECIAL ? sh->st->params.n : wk_var_count(sh, p->id)) > 0;
        bare = bare || at || other ||
               (nested && p->arg && p->arg->n_segs == 1 && has_bare_at(sh, p->arg));
    }
    return bare;
}

/* bash takes an operand with a bare $@ for one string, a blank between its fields, unless the first
 * character of IFS is that blank. */
static enum wk_flow put_operand_fields(struct wk_xp *x, const struct wk_word *w)
{
    struct wk_fields f = {0};
    struct wk_xp y;
    wk_xp_init(&y, x->sh, WK_INTO_FIELDS);
    y.out = &f;
    y.ifs = x->ifs;
    y.at_whole = true;
    enum wk_flow flow = wk_xp_segs(&y, w->segs, w->n_segs, false, true);
    if (flow == WK_NEXT)
        flow = wk_xp_end_field(&y);
    for (size_t i = 0; flow == WK_NEXT && i < f.n; i++) {
        flow = i ? wk_xp_result(x, WK_STR(" "), false) : WK_NEXT;
        x->made = x->made || !f.v[i].n;
        if (flow == WK_NEXT && !wk_xp_bare(x, f.v[i]))
            return wk_xp_failed(x);
    }
    return flow;
}

static enum wk_flow put_operand(struct wk_xp *x, const struct wk_word *w, bool quoted)
{
    if (!w) {
        x->made = x->made || quoted;
        return WK_NEXT;
    }
    if (!quoted && x->out && x->ifs && has_bare_at(x->sh, w)) {
        struct wk_str sep = star_separator(x->sh);
        if (sep.n && sep.p[0] != ' ')
            return put_operand_fields(x, w);
    }
    bool at_empty = x->at_empty, outer = x->in_operand;
    x->made = x->made || quoted; /* "${x:-…}" is a field even when nothing comes */
    x->in_operand = true;
    enum wk_flow flow = wk_xp_segs(x, w->segs, w->n_segs, quoted, true);
    x->in_operand = outer;
    x->at_empty = at_empty;
    return flow;
}

/* What ${x=…} assigns. */
static enum wk_flow operand_string(struct wk_shell *sh, const struct wk_word *w, bool quoted,
                                   struct wk_str *out)
{
    struct wk_xp y;
    wk_xp_init(&y, sh, WK_INTO_STRING);
    y.join_at = true;
    y.join = WK_JOIN_ASSIGN;
    enum wk_flow flow = w ? wk_xp_segs(&y, w->segs, w->n_segs, quoted, false) : WK_NEXT;
    return flow == WK_NEXT ? wk_xp_string(&y, out) : flow;
}

static enum wk_flow assign_default(struct wk_xp *x, const struct wk_param *p, struct wk_ref *r,
                                   bool quoted)
{
    struct wk_shell *sh = x->sh;
    struct wk_str value;
    struct wk_pval v;
    if (r->kind != WK_PARAM_NAME && r->followed) {
        wk_sh_error(sh, "%.*s: invalid variable name", (int)r->text.n, r->text.p);
        return wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT);
    }
    if (r->kind != WK_PARAM_NAME) {
        wk_sh_error(sh, "$%.*s: cannot assign in this way", (int)p->prefix.n, p->prefix.p);
        return wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT);
    }
    enum wk_flow flow = operand_string(sh, p->arg, quoted, &value);
    if (flow == WK_NEXT)
        flow = wk_ref_set(sh, r, value, &v);
    return flow == WK_NEXT ? put_value(x, &v, quoted) : flow;
}

/* The message of ${x?…}: its expansions are split, and a blank goes between the fields. */
static enum wk_flow message_text(struct wk_shell *sh, const struct wk_word *w, struct wk_str *out)
{
    struct wk_xp y;
    struct wk_fields f = {0};
    wk_xp_init(&y, sh, WK_INTO_FIELDS);
    y.out = &f;
    y.ifs = wk_vars_ifs(sh);
    enum wk_flow flow = wk_xp_segs(&y, w->segs, w->n_segs, false, false);
    if (flow == WK_NEXT)
        flow = wk_xp_end_field(&y);
    struct wk_pval v = {.list = true, .v = f.v, .n = f.n};
    return flow == WK_NEXT ? wk_list_text(sh, &v, WK_STR(" "), out) : flow;
}

static enum wk_flow fail_with_word(struct wk_xp *x, const struct wk_param *p)
{
    struct wk_shell *sh = x->sh;
    struct wk_str text = p->flags & WK_PARAM_COLON ? WK_STR("parameter null or not set")
                                                   : WK_STR("parameter not set");
    if (p->arg) {
        enum wk_flow flow = message_text(sh, p->arg, &text);
        if (flow != WK_NEXT)
            return flow;
    }
    wk_sh_error(sh, "%s%.*s: %.*s", p->flags & WK_PARAM_INDIRECT ? "!" : "", (int)p->prefix.n, p->prefix.p,
                (int)text.n, text.p);
    return wk_sh_expansion_failed(sh);
}

static enum wk_flow alternatives(struct wk_xp *x, const struct wk_param *p, struct wk_ref *r,
                                 const struct wk_pval *v, bool quoted)
{
    bool set = counts_as_set(x, p, v, quoted);
    switch (p->op) {
    case WK_PARAM_OP_ALT:
        if (set)
            return put_operand(x, p->arg, quoted);
        /* "${x+w}" is an empty field; "${@+w}" is none. */
        x->made = x->made || (quoted && (!v->list || v->star || v->n));
        return WK_NEXT;
    case WK_PARAM_OP_DEFAULT:
        return set ? put_value(x, v, quoted) : put_operand(x, p->arg, quoted);
    case WK_PARAM_OP_ASSIGN:
        return set ? put_value(x, v, quoted) : assign_default(x, p, r, quoted);
    default:
        return set ? put_value(x, v, quoted) : fail_with_word(x, p);
    }
}

/* ---- ${x:offset:length}
 * -------------------------------------------------------------------------------------- */

static enum wk_flow negative_length(struct wk_shell *sh, const struct wk_param *p)
{
    struct wk_str s = p->length->text;
    wk_sh_error(sh, "%.*s: substring expression < 0", (int)s.n, s.p);
    return wk_sh_discard_as(sh, 0);
}

static enum wk_flow substring(struct wk_shell *sh, const struct wk_param *p, int64_t off,
                              int64_t len, struct wk_pval *v)
{
    struct wk_str s = v->s;
    bool ascii = sh->st->bytes || wk_utf8_ascii(s) == s.n;
    int64_t n = 0; /* characters, when they matter */
    if (ascii)
        n = (int64_t)s.n;
    else if (off < 0 || len < 0)
        n = (int64_t)wk_utf8_count(s);
    if (off < 0) {
        off += n;
        if (off < 0) {
            v->s = WK_STR("");
            return WK_NEXT;
        }
    }
    size_t left = 0;
    size_t start = ascii ? WK_MIN((size_t)off, s.n) : wk_utf8_offset(s, (size_t)off, &left);
    if (left || (ascii && off > n)) {
        v->s = WK_STR("");
        return WK_NEXT;
    }
    struct wk_str rest = wk_str_from(s, start);
    if (p->length) {
        if (len < 0) {
            len += n - off;
            if (len < 0)
                return negative_length(sh, p);
        }
        rest.n = ascii ? WK_MIN((size_t)len, rest.n) : wk_utf8_offset(rest, (size_t)len, NULL);
    }
    v->s = rest;
    return WK_NEXT;
}

/* The variable whose elements are meant, behind references; NULL: none. */
static const struct wk_var *array_of(struct wk_shell *sh, const struct wk_ref *r)
{
    const struct wk_var *v = r->kind == WK_PARAM_NAME ? wk_var_peek(sh, r->id) : NULL;
    if (WK_LIKELY(!v || !(v->flags & WK_VAR_NAMEREF)))
        return v;
    uint32_t name = r->id;
    struct wk_str element;
    return wk_var_resolve(sh, &name, &element) || element.p ? NULL : wk_var_peek(sh, name);
}

static enum wk_flow slice_list(struct wk_shell *sh, const struct wk_param *p,
                               const struct wk_ref *r, int64_t off, int64_t len, struct wk_pval *v)
{
    size_t from = 0;
    if (r->kind != WK_PARAM_NAME) { /* $0 counts as element 0 */
        int64_t n = (int64_t)v->n + 1;
        if (off < 0)
            off += n;
        if (off < 0 || off > n) {
            v->n = 0;
            return WK_NEXT;
        }
        struct wk_str *all = wk_arena_alloc(&sh->arena, (size_t)n * sizeof *all);
        if (!all)
            return wk_sh_nomem(sh);
        all[0] = sh->st->arg0 ? wk_val_str(sh->st->arg0) : WK_STR("");
        if (v->n)
            memcpy(all + 1, v->v, v->n * sizeof *all);
        v->v = all;
        v->n++;
        from = (size_t)off;
    } else {
        enum wk_flow flow = wk_ref_slice_start(sh, r, off, v, &from);
        if (flow != WK_NEXT)
            return flow;
    }
    const struct wk_var *var = array_of(sh, r);
    bool behind = from >= v->n && var && !(var->flags & WK_VAR_ASSOC); /* then the length does not count */
    if (p->length && len < 0 && !behind)
        return negative_length(sh, p);
    from = WK_MIN(from, v->n);
    v->v += from;
    v->n -= from;
    bool rest = v->n;
    if (p->length && (uint64_t)len < v->n)
        v->n = (size_t)len;
    if (rest && !v->n && var && var->flags & WK_VAR_ASSOC) /* none is one there */
        v->n = 1;
    return WK_NEXT;
}

/* Does the offset lie outside of the value? Then there is no looking at the length. */
static bool outside(struct wk_shell *sh, const struct wk_ref *r, const struct wk_pval *v, int64_t off)
{
    int64_t n, end;
    if (!v->list) {
        n = end = (int64_t)v->s.n;
        if (off > n || (off >= 0 && off <= n / 4)) /* certain, as a character has four bytes at most */
            return off > n;
        if (!sh->st->bytes && wk_utf8_ascii(v->s) != v->s.n)
            n = end = (int64_t)wk_utf8_count(v->s);
    } else if (r->kind != WK_PARAM_NAME) {
        n = end = (int64_t)v->n + 1;
    } else {
        n = (int64_t)((uint64_t)wk_var_max_index(sh, r->id) + 1); /* wraps as bash's does */
        end = n < 0 ? INT64_MAX : n;
        if (n == 0 && v->n) { /* associative: counted from 1 */
            end = (int64_t)v->n;
            n = end + 1;
        }
    }
    if (off < 0)
        off = (int64_t)((uint64_t)off + (uint64_t)n);
    return off < 0 || off > end;
}

/* A plain number? It cannot change what it is applied to. */
static bool constant(const struct wk_arith *e)
{
    return e && e->root && e->root->kind == WK_A_NUM && !e->n_operands;
}

/* The list again, after a number that may have changed it. */
static enum wk_flow look_again(struct wk_shell *sh, const struct wk_ref *r, const struct wk_arith *e,
                               struct wk_pval *v)
{
    enum wk_flow flow = v->list && !constant(e) ? wk_ref_get(sh, r, v) : WK_NEXT;
    if (flow != WK_NEXT)
        return flow;
    const struct wk_var *var = v->list ? array_of(sh, r) : NULL;
    if (v->list && var && !(var->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC))) {
        v->list = false; /* x[@] of what is no list: its text */
        v->s = v->n ? v->v[0] : WK_STR("");
    }
    return WK_NEXT;
}

static enum wk_flow number_in(struct wk_shell *sh, const struct wk_param *p, struct wk_arith *e, int64_t *n)
{
    if (e && constant(e)) {
        *n = e->root->u.num;
        return WK_NEXT;
    }
    const char *outer = sh->builtin_name;
    char *name = NULL;
    *n = 0;
    if (p->flags & WK_PARAM_INDIRECT && (name = wk_arena_alloc(&sh->arena, p->prefix.n + 2)) != NULL) {
        name[0] = '!';
        memcpy(name + 1, p->prefix.p, p->prefix.n);
        name[p->prefix.n + 1] = '\0';
    }
    sh->builtin_name = name ? name : p->prefix.p; /* bash puts the name before errors in the numbers */
    enum wk_flow flow = e ? wk_arith_eval(sh, e, n) : WK_NEXT;
    sh->builtin_name = outer;
    return flow;
}

static enum wk_flow substr(struct wk_shell *sh, const struct wk_param *p, const struct wk_ref *r,
                           struct wk_pval *v, bool computed)
{
    int64_t off, len = 0;
    bool wrong;
    if (v->list ? !v->n && r->kind == WK_PARAM_NAME : !v->set)
        return WK_NEXT; /* of nothing: the numbers are not even looked at */
    if (computed && v->list) { /* no list of elements, but its text */
        v->list = false;
        v->s = v->v[0];
    }
    if (!v->list && v->s.n && !(constant(p->offset) && (!p->length || constant(p->length)))) {
        char *copy = wk_arena_strndup(&sh->arena, v->s.p, v->s.n); /* a number may assign to the variable */
        if (!copy)
            return wk_sh_nomem(sh);
        v->s.p = copy;
    }
    enum wk_flow flow = number_in(sh, p, p->offset, &off);
    if (WK_UNLIKELY(flow != WK_NEXT))
        return wk_sh_arith_flow(sh, flow, &wrong);
    flow = look_again(sh, r, p->offset, v);
    if (flow != WK_NEXT)
        return flow;
    if (outside(sh, r, v, off)) {
        v->n = 0;
        v->list = v->list || r->sub >= WK_REF_AT;
        v->s = WK_STR("");
        return WK_NEXT;
    }
    if (p->length) {
        flow = number_in(sh, p, p->length, &len);
        if (WK_UNLIKELY(flow != WK_NEXT))
            return wk_sh_arith_flow(sh, flow, &wrong);
        flow = look_again(sh, r, p->length, v);
        if (flow != WK_NEXT)
            return flow;
    }
    if (v->list)
        return slice_list(sh, p, r, off, len, v);
    return v->set || r->sub ? substring(sh, p, off, len, v) : WK_NEXT;
}

/* ---- operators on values
 * ----------------------------------------------------------------------------------- */

static enum wk_flow apply_all(struct wk_shell *sh, const struct wk_param *p, struct wk_pval *v)
{
    struct wk_pop o;
    enum wk_flow flow = wk_pop_begin(sh, p, &o);
    if (flow != WK_NEXT)
        return flow;
    if (!v->list) {
        if (v->set)
            flow = wk_pop_apply(sh, &o, v->s, &v->s);
    } else {
        struct wk_str *out = wk_arena_alloc(&sh->arena, (v->n + 1) * sizeof *out);
        if (!out)
            flow = wk_sh_nomem(sh);
        for (size_t i = 0; flow == WK_NEXT && i < v->n; i++) {
            flow = wk_pop_apply(sh, &o, v->v[i], &out[i]);
            if (flow == WK_NEXT && wk_step(sh->k) != 0)
                flow = WK_STOP;
        }
        v->v = out;
    }
    wk_pop_end(sh, &o);
    return flow;
}

static enum wk_flow transform(struct wk_xp *x, const struct wk_param *p, const struct wk_ref *r,
                              struct wk_pval *v, bool quoted)
{
    struct wk_shell *sh = x->sh;
    enum wk_flow flow = WK_NEXT;
    if (!wk_param_transforms(p)) {
        x->made = x->made || (quoted && !v->list);
        flow = !v->set && !(v->list && v->n) ? check_bound(sh, p, v) : WK_NEXT;
        if (flow != WK_NEXT || (!v->set && !(v->list && v->n) && p->transform != '!'))
            return flow;
        (void)bad_substitution(x, p);
        return wk_sh_expansion_failed(sh);
    }
    /* The attributes of an array with elements are there though it has no element 0. */
    bool attributes = memchr("Aa", p->transform, 2) && r->kind == WK_PARAM_NAME && !r->sub;
    flow = attributes && wk_var_count(sh, r->id) ? WK_NEXT : check_bound(sh, p, v);
    if (flow != WK_NEXT)
        return flow;
    const struct wk_var *var = attributes ? wk_var_peek(sh, r->id) : NULL;
    if (p->flags & WK_PARAM_INDIRECT && !v->set && var &&
        !(var->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC | WK_VAR_NAMEREF)))
        return put_value(x, v, quoted); /* none of a variable without value that is named indirectly */
    if (memchr("AaKk", p->transform, 4))
        flow = wk_ref_transform(sh, r, p->transform, v);
    else if (v->list) {
        for (size_t i = 0; flow == WK_NEXT && i < v->n; i++) {
            flow = wk_transform_value(sh, p->transform, v->v[i], &v->v[i]);
            if (flow == WK_NEXT && wk_step(sh->k) != 0)
                flow = WK_STOP;
        }
    } else if (v->set) {
        flow = wk_transform_value(sh, p->transform, v->s, &v->s);
    }
    v->made_by = WK_MADE_TEXT;
    return flow == WK_NEXT ? put_value(x, v, quoted) : flow;
}

/* set -u: the length of an element needs a variable only, that of a special parameter nothing. */
static enum wk_flow check_length(struct wk_shell *sh, const struct wk_param *p, const struct wk_pval *v)
{
    const struct wk_var *var = p->kind == WK_PARAM_NAME && p->sub ? wk_var_peek(sh, p->id) : NULL;
    if (p->kind == WK_PARAM_SPECIAL || (var && var->flags & (WK_VAR_SET | WK_VAR_DYNAMIC)))
        return WK_NEXT;
    if (!p->sub || v->set || !wk_opt(sh, NOUNSET))
        return check_bound(sh, p, v);
    wk_sh_error(sh, "%s: unbound variable", wk_names_str(sh->names, p->id).p);
    return wk_sh_discard(sh);
}

static enum wk_flow length(struct wk_xp *x, const struct wk_param *p, const struct wk_pval *v,
                           bool quoted)
{
    if (v->list)
        return put_number(x, v->n, quoted);
    enum wk_flow flow = check_length(x->sh, p, v);
    return flow == WK_NEXT ? put_number(x, x->sh->st->bytes ? v->s.n : wk_utf8_count(v->s), quoted)
                           : flow;
}

static enum wk_flow names(struct wk_xp *x, const struct wk_param *p, bool quoted)
{
    struct wk_shell *sh = x->sh;
    uint32_t *ids;
    struct wk_pval v = {.set = true, .list = true, .star = p->transform == '*'};
    v.made_by = v.star ? WK_MADE_EACH : WK_MADE_TEXT;
    int r = wk_vars_names(sh, p->prefix, false, &ids, &v.n);
    v.v = r ? NULL : wk_arena_alloc(&sh->arena, (v.n + 1) * sizeof *v.v);
    if (!v.v)
        return wk_sh_nomem(sh);
    for (size_t i = 0; i < v.n; i++)
        v.v[i] = wk_names_str(sh->names, ids[i]);
    const struct wk_ifs *ifs = v.star && !quoted ? wk_vars_ifs(sh) : NULL;
    if (WK_LIKELY(!ifs || !ifs->null))
        return put_list(x, &v, quoted);
    v.list = false; /* with a null IFS one word */
    enum wk_flow flow = wk_list_text(sh, &v, WK_STR(""), &v.s);
    return flow == WK_NEXT ? put_value(x, &v, quoted) : flow;
}

/* Does the nameref end in an element? ${#ref} does not look into it. */
static bool names_element(struct wk_shell *sh, const struct wk_ref *r)
{
    const struct wk_var *v = r->kind == WK_PARAM_NAME && !r->sub ? wk_var_peek(sh, r->id) : NULL;
    struct wk_str sub = {0};
    uint32_t name = r->id;
    return v && v->flags & WK_VAR_NAMEREF && wk_var_resolve(sh, &name, &sub) == 0 && sub.p;
}

static enum wk_made_by made_by(const struct wk_param *p, bool array_star)
{
    unsigned op = p->op;
    bool trims = op >= WK_PARAM_OP_TRIM_PREFIX && op <= WK_PARAM_OP_TRIM_SUFFIX_LONG;
    bool shortest = op == WK_PARAM_OP_TRIM_PREFIX || op == WK_PARAM_OP_TRIM_SUFFIX;
    if (op == WK_PARAM_OP_NONE || (shortest && !p->arg) || (op >= WK_PARAM_OP_DEFAULT && op <= WK_PARAM_OP_ALT))
        return array_star ? WK_MADE_EACH : WK_MADE_PLAIN;
    if (op == WK_PARAM_OP_SUBSTR)
        return WK_MADE_PART;
    return trims ? WK_MADE_TEXT : WK_MADE_EACH;
}

/* ${#x[…]} under set -u: is x anything but an array that has a value? */
static bool no_array(struct wk_shell *sh, const struct wk_ref *r)
{
    if (r->kind != WK_PARAM_NAME || r->sub == WK_REF_NONE)
        return false;
    const struct wk_var *v = wk_var_peek(sh, r->id);
    if (v && v->flags & (WK_VAR_NAMEREF | WK_VAR_DYNAMIC))
        return false;
    return !v || !(v->flags & WK_VAR_SET) || !(v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC));
}

/* The variable that is meant, through references. */
static const struct wk_var *named(struct wk_shell *sh, const struct wk_ref *r)
{
    uint32_t name = r->id;
    struct wk_str sub = {0};
    const struct wk_var *v = r->kind == WK_PARAM_NAME ? wk_var_peek(sh, name) : NULL;
    if (!v || !(v->flags & WK_VAR_NAMEREF))
        return v;
    return wk_var_resolve(sh, &name, &sub) == 0 && !sub.p ? wk_var_peek(sh, name) : NULL;
}

/* A computed variable that an operator works on: how often it is looked up besides. True: it is one, and stays as
 * it was had first. */
static bool look_for_operator(struct wk_shell *sh, const struct wk_param *p, const struct wk_ref *r, struct wk_pval *v)
{
    const struct wk_var *var = v->set ? named(sh, r) : NULL;
    if (WK_LIKELY(!var || (var->flags & (WK_VAR_DYNAMIC | WK_VAR_ARRAY | WK_VAR_ASSOC)) != WK_VAR_DYNAMIC))
        return false;
    bool attributes = p->op == WK_PARAM_OP_TRANSFORM && (p->transform == 'a' || p->transform == 'A');
    wk_special_look(sh, var, r->sub >= WK_REF_AT || attributes ? 1 : r->sub == WK_REF_EXPR ? 1 : 2);
    if (r->sub == WK_REF_EXPR)
        v->set = wk_var_get(sh, r->id, v->scratch, &v->s);
    return true;
}

/* ${!x[@]} */
static WK_NOINLINE enum wk_flow keys(struct wk_xp *x, struct wk_ref *r, bool quoted)
{
    struct wk_pval v;
    enum wk_flow flow = wk_ref_keys(x->sh, r, &v);
    v.made_by = WK_MADE_PART;
    return flow == WK_NEXT ? put_list(x, &v, quoted) : flow;
}

/* ${#x} */
static WK_NOINLINE enum wk_flow measure(struct wk_xp *x, const struct wk_param *p, struct wk_ref *r,
                                        bool quoted)
{
    struct wk_pval v;
    if (WK_UNLIKELY(wk_opt(x->sh, NOUNSET)) && no_array(x->sh, r)) {
        wk_sh_error(x->sh, "%s: unbound variable", wk_names_str(x->sh->names, r->id).p);
        return wk_sh_discard_as(x->sh, WK_DISCARD_ENDS_ERREXIT); /* not the end of the shell */
    }
    if (r->kind == WK_PARAM_NAME && r->sub >= WK_REF_AT)
        return put_number(x, wk_var_count(x->sh, r->id), quoted);
    if (names_element(x->sh, r))
        return put_number(x, 0, quoted);
    if (r->kind == WK_PARAM_NAME && r->sub == WK_REF_EXPR) {
        const struct wk_var *var = wk_var_peek(x->sh, r->id);
        if (!var || !(var->flags & (WK_VAR_SET | WK_VAR_NAMEREF)))
            return put_number(x, 0, quoted); /* the subscript is not looked at */
    }
    r->length = true;
    enum wk_flow flow = wk_ref_get(x->sh, r, &v);
    const struct wk_var *var = flow == WK_NEXT && v.set && r->sub == WK_REF_NONE ? named(x->sh, r) : NULL;
    if (WK_UNLIKELY(var && var->flags & WK_VAR_DYNAMIC))
        flow = wk_ref_get(x->sh, r, &v); /* a computed one is looked up twice */
    if (flow != WK_NEXT)
        return flow;
    wk_charge(x->sh->k, v.list ? v.n * sizeof *v.v : v.s.n);
    return length(x, p, &v, quoted);
}

/* Nothing is there to work on: the operand is not even expanded. */
static bool is_idle(const struct wk_param *p, const struct wk_ref *r, const struct wk_pval *v)
{
    bool trims = p->op >= WK_PARAM_OP_TRIM_PREFIX && p->op <= WK_PARAM_OP_TRIM_SUFFIX_LONG;
    if (v->list ? !v->n : !v->set)
        return p->op != WK_PARAM_OP_SUBSTR || !v->list || r->kind == WK_PARAM_NAME; /* ${@:…} counts $0 */
    return trims && (v->list ? v->n == 1 && !v->v[0].n : !v->s.n);
}

/* A reference to a[@]: operators work on one string. */
static bool refers_to_list(const struct wk_shell *sh, const struct wk_ref *r)
{
    const struct wk_var *v = r->kind == WK_PARAM_NAME && r->sub == WK_REF_NONE ? wk_var_peek(sh, r->id) : NULL;
    return v && v->flags & WK_VAR_NAMEREF;
}

static enum wk_flow operate(struct wk_xp *x, const struct wk_param *p, struct wk_ref *r,
                            bool quoted)
{
    struct wk_pval v;
    if (WK_UNLIKELY(p->op == WK_PARAM_OP_KEYS))
        return keys(x, r, quoted);
    if (p->flags & WK_PARAM_LENGTH)
        return measure(x, p, r, quoted);
    r->length = false;
    enum wk_flow flow = wk_ref_get(x->sh, r, &v);
    if (flow != WK_NEXT)
        return flow;
    wk_charge(x->sh->k, v.list ? v.n * sizeof *v.v : v.s.n);
    if (WK_UNLIKELY(v.list && p->op != WK_PARAM_OP_NONE && refers_to_list(x->sh, r))) {
        v.set = v.n > 0;
        v.list = false;
        flow = wk_list_text(x->sh, &v, v.star ? star_separator(x->sh) : WK_STR(" "), &v.s);
        if (flow != WK_NEXT)
            return flow;
    }
    if (v.list)
        v.made_by = (uint8_t)made_by(p, v.star && r->kind == WK_PARAM_NAME);
    v.own_front = p->op != WK_PARAM_OP_NONE && p->kind == WK_PARAM_SPECIAL && v.star && !(p->flags & WK_PARAM_INDIRECT);
    if (p->op >= WK_PARAM_OP_DEFAULT && p->op <= WK_PARAM_OP_ALT)
        return alternatives(x, p, r, &v, quoted);
    bool computed = p->op != WK_PARAM_OP_NONE && look_for_operator(x->sh, p, r, &v);
    if (p->op == WK_PARAM_OP_TRANSFORM) {
        bool again = !v.set && r->sub == WK_REF_EXPR && (p->transform == 'a' || p->transform == 'A');
        flow = again ? wk_ref_get(x->sh, r, &v) : WK_NEXT; /* bash looks twice for what is not there */
        return flow == WK_NEXT ? transform(x, p, r, &v, quoted) : flow;
    }
    flow = check_bound(x->sh, p, &v);
    bool works = p->op != WK_PARAM_OP_NONE && !is_idle(p, r, &v);
    if (flow == WK_NEXT && works && p->op == WK_PARAM_OP_SUBSTR)
        flow = substr(x->sh, p, r, &v, computed); /* which asks for the value anew */
    else if (flow == WK_NEXT && works)
        flow = apply_all(x->sh, p, &v);
    if (v.list)
        v.made_by = (uint8_t)made_by(p, v.star && r->kind == WK_PARAM_NAME);
    return flow == WK_NEXT ? put_value(x, &v, quoted) : flow;
}

/* The value of a variable or positional parameter that is just a text. False: the long way. */
static inline bool plain_value(struct wk_shell *sh, const struct wk_param *p, char *digits, struct wk_str *out)
{
    if (p->sub)
        return false;
    if (p->kind == WK_PARAM_NAME) {
        const struct wk_var *v = wk_var_peek(sh, p->id);
        if (!v || v->flags & (WK_VAR_NAMEREF | WK_VAR_DYNAMIC))
            return false;
        if (v->flags & WK_VAR_TEXT)
            *out = wk_val_str(v->text);
        else if (v->flags & WK_VAR_INT)
            *out = wk_str(digits, wk_i64_text(v->ival, digits));
        else
            return false;
        return true;
    }
    if (p->kind != WK_PARAM_POS || !p->id || p->id > sh->st->params.n)
        return false;
    *out = sh->st->params.v[p->id - 1];
    return true;
}

/* An operator on such a value, which is set, no list and no reference. False: the long way. */
static bool operate_plain(struct wk_xp *x, const struct wk_param *p, struct wk_str s, bool quoted,
                          enum wk_flow *flow)
{
    struct wk_shell *sh = x->sh;
    if (p->flags == WK_PARAM_LENGTH && p->op == WK_PARAM_OP_NONE) {
        wk_charge(sh->k, s.n);
        *flow = put_number(x, sh->st->bytes ? s.n : wk_utf8_count(s), quoted);
        return true;
    }
    if (p->flags & (WK_PARAM_INDIRECT | WK_PARAM_LENGTH) || p->op < WK_PARAM_OP_TRIM_PREFIX ||
        p->op > WK_PARAM_OP_SUBSTR)
        return false;
    struct wk_pval v = {.set = true, .made_by = WK_MADE_PLAIN, .s = s};
    struct wk_ref r;
    wk_charge(sh->k, s.n);
    *flow = WK_NEXT;
    if (p->op == WK_PARAM_OP_SUBSTR) {
        wk_ref_of(p, &r);
        *flow = substr(sh, p, &r, &v, false);
    } else if (s.n || p->op > WK_PARAM_OP_TRIM_SUFFIX_LONG) {
        *flow = apply_all(sh, p, &v);
    }
    if (*flow == WK_NEXT)
        *flow = wk_xp_result(x, v.s, quoted);
    return true;
}

/* How often bash looks once more for the variable that a function's reference to its own name means: each time it
 * tells of the circle. */
static unsigned more_looks(struct wk_shell *sh, const struct wk_param *p, const struct wk_ref *r)
{
    const struct wk_var *v = wk_var_peek(sh, r->id);
    bool set = v && v->flags & (WK_VAR_SET | WK_VAR_DYNAMIC), sub = r->sub != WK_REF_NONE;
    if (p->flags & WK_PARAM_LENGTH)
        return !sub && !set;
    if (p->op == WK_PARAM_OP_ASSIGN && !set)
        return sub ? 3 : 1;
    if (p->op < WK_PARAM_OP_TRIM_PREFIX || p->op > WK_PARAM_OP_TRANSFORM)
        return sub && p->op != WK_PARAM_OP_KEYS;
    if (!set)
        return (unsigned)sub + (p->op == WK_PARAM_OP_TRANSFORM && (p->transform == 'a' || p->transform == 'A') ? 2 : 0);
    if (sub)
        return r->sub == WK_REF_EXPR ? 3 : 2;
    return v->flags & (WK_VAR_ARRAY | WK_VAR_ASSOC) ? 1 : 2;
}

enum wk_flow wk_xp_param(struct wk_xp *x, const struct wk_param *p, bool quoted)
{
    char digits[24];
    struct wk_str s;
    if (WK_LIKELY(plain_value(x->sh, p, digits, &s))) {
        enum wk_flow flow;
        if (p->op == WK_PARAM_OP_NONE && !p->flags)
            return wk_xp_result(x, s, quoted);
        if (operate_plain(x, p, s, quoted, &flow))
            return flow;
    }
    if (p->kind == WK_PARAM_BAD)
        return bad_substitution(x, p);
    if (p->op == WK_PARAM_OP_NAMES)
        return names(x, p, quoted);
    struct wk_ref r;
    wk_ref_of(p, &r);
    if (p->flags & WK_PARAM_INDIRECT) {
        enum wk_flow flow = wk_ref_follow(x->sh, p, &r);
        return flow == WK_NEXT ? operate(x, p, &r, quoted) : flow;
    }
    bool self = r.kind == WK_PARAM_NAME && wk_var_enter_self(x->sh, r.id);
    for (unsigned more = WK_UNLIKELY(self) ? more_looks(x->sh, p, &r) : 0; more; more--)
        wk_var_warn_circular(x->sh, r.id);
    enum wk_flow flow = operate(x, p, &r, quoted);
    if (WK_UNLIKELY(self))
        wk_var_swap_global(x->sh, r.id);
    return flow;
}
