/* expand.c - words to fields and strings: segments, splitting, the pieces of a field */
#include "interp/expand.h"

#include "base/utf8.h"
#include "interp/arith.h"
#include "interp/expand_parts.h"
#include "interp/run.h"

/* ---- fields
 * ------------------------------------------------------------------------------------------ */

bool wk_fields_reserve(struct wk_shell *sh, struct wk_fields *f, size_t more)
{
    if (f->cap - f->n >= more)
        return true;
    size_t cap = f->cap < 8 ? 16 : f->cap * 2;
    if (cap - f->n < more)
        cap = f->n + more;
    if (cap > SIZE_MAX / sizeof *f->v)
        return false;
    struct wk_str *v = wk_arena_alloc(&sh->arena, cap * sizeof *v);
    if (!v)
        return false;
    if (f->n)
        memcpy(v, f->v, f->n * sizeof *v);
    f->v = v;
    f->cap = cap;
    return true;
}

bool wk_fields_add(struct wk_shell *sh, struct wk_fields *f, struct wk_str s)
{
    if (WK_UNLIKELY(f->n == f->cap) && !wk_fields_reserve(sh, f, 1))
        return false;
    f->v[f->n++] = s;
    return true;
}

/* ---- the field in progress
 * ---------------------------------------------------------------------------- */

void wk_xp_init(struct wk_xp *x, struct wk_shell *sh, enum wk_into into)
{
    x->sh = sh;
    x->out = NULL;
    x->ifs = NULL;
    x->into = into;
    x->bracket = 0;
    x->at_empty = false;
    x->join = WK_JOIN_PLAIN;
    x->join_at = x->first_only = x->made = x->after_ws = x->magic = x->glob = x->at_whole = false;
    x->ended = x->in_operand = x->skims = false;
    x->p = x->small;
    x->n = 0;
    x->cap = WK_XP_SMALL;
    x->pieces = x->small_pieces;
    x->npieces = 0;
    x->pieces_cap = WK_XP_PIECES;
}

enum wk_flow wk_xp_failed(struct wk_xp *x)
{
    struct wk_kern *k = x->sh->k;
    if (k->limits.expansion && x->n > k->limits.expansion) {
        (void)wk_kern_breach(k, WK_LIMIT_EXPANSION);
        return WK_STOP;
    }
    return wk_sh_nomem(x->sh);
}

static WK_NOINLINE bool grow(struct wk_xp *x, size_t more)
{
    struct wk_kern *k = x->sh->k;
    size_t need = x->n + more + 1;
    if (need < more || (k->limits.expansion && need - 1 > k->limits.expansion)) {
        x->n = need; /* tells wk_xp_failed */
        return false;
    }
    size_t cap = x->cap * 2 > need ? x->cap * 2 : need;
    char *p = wk_arena_alloc(&x->sh->arena, cap);
    if (!p)
        return false;
    memcpy(p, x->p, x->n);
    x->p = p;
    x->cap = cap;
    wk_charge(k, need);
    return true;
}

static inline bool put(struct wk_xp *x, struct wk_str s)
{
    if (WK_UNLIKELY(s.n >= x->cap - x->n) && !grow(x, s.n))
        return false;
    if (s.n)
        memcpy(x->p + x->n, s.p, s.n);
    x->n += s.n;
    return true;
}

static bool put_escaped(struct wk_xp *x, struct wk_str s, const char *special, size_t nspecial)
{
    size_t from = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (!memchr(special, s.p[i], nspecial))
            continue;
        if (!put(x, wk_str(s.p + from, i - from)) || !put(x, WK_STR("\\")))
            return false;
        from = i;
    }
    return put(x, wk_str_from(s, from));
}

static bool put_escaped_all(struct wk_xp *x, struct wk_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (((x->sh->st->bytes || !wk_utf8_continues((unsigned char)s.p[i])) && !put(x, WK_STR("\\"))) ||
            !put(x, wk_str(s.p + i, 1)))
            return false;
    return true;
}

/* Remember what kind of text the field's last bytes are. */
static bool note_piece(struct wk_xp *x, enum wk_piece_kind kind, struct wk_str pat)
{
    if (x->npieces && kind != WK_PIECE_PATTERN && x->pieces[x->npieces - 1].kind == kind) {
        x->pieces[x->npieces - 1].end = x->n;
        return true;
    }
    if (x->npieces == x->pieces_cap) {
        struct wk_piece *p = wk_arena_alloc(&x->sh->arena, 2 * x->pieces_cap * sizeof *p);
        if (!p)
            return false;
        memcpy(p, x->pieces, x->npieces * sizeof *p);
        x->pieces = p;
        x->pieces_cap *= 2;
    }
    x->pieces[x->npieces++] = (struct wk_piece){.end = x->n, .kind = (uint8_t)kind, .pat = pat};
    return true;
}

/* Regular expression text, keeping track of bracket expressions: in these a backslash stands for
 * itself, so that one which only quotes (`quoting`) must go. */
static bool put_regex(struct wk_xp *x, struct wk_str s, bool quoting)
{
    size_t from = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\\' && x->bracket && quoting && i + 1 < s.n) {
            if (!put(x, wk_str(s.p + from, i - from)))
                return false;
            from = ++i;
            x->bracket = 2;
        } else if (c == '\\' && !x->bracket) {
            i++;
        } else if (!x->bracket) {
            x->bracket = c == '[';
        } else if (c == '[' && i + 1 < s.n && memchr(":.=", s.p[i + 1], 3)) {
            char kind = s.p[++i];
            while (i + 1 < s.n && !(s.p[i] == kind && s.p[i + 1] == ']' && s.p[i - 1] != '['))
                i++;
            i += i + 1 < s.n;
            x->bracket = 2;
        } else if (c == ']' && x->bracket == 2) {
            x->bracket = 0;
        } else if (c != '^' || x->bracket == 2) {
            x->bracket = 2;
        }
    }
    return put(x, wk_str_from(s, from));
}

bool wk_xp_quoted(struct wk_xp *x, struct wk_str s)
{
    x->made = true;
    x->after_ws = false;
    switch (x->into) {
    case WK_INTO_PATTERN:
        return put_escaped(x, s, "*?[]\\()|!-^+@", 13);
    case WK_INTO_TRACED:
        return put_escaped_all(x, s);
    case WK_INTO_REGEX:
        if (x->bracket) {
            x->bracket = 2;
            return put(x, s);
        }
        return put_escaped(x, s, "\\^$.[|()*+?{", 12);
    case WK_INTO_REPLACE:
        return put_escaped(x, s, "&\\", 2);
    case WK_INTO_FIELDS:
        return put(x, s) && (!x->glob || note_piece(x, WK_PIECE_QUOTED, s));
    default:
        return put(x, s);
    }
}

static bool has_magic(struct wk_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '*' || c == '?' || c == '[' || (c == '(' && i && memchr("@!+", s.p[i - 1], 3)))
            return true;
    }
    return false;
}

bool wk_xp_bare(struct wk_xp *x, struct wk_str s)
{
    if (x->into == WK_INTO_REGEX)
        return put_regex(x, s, false);
    if (!put(x, s))
        return false;
    if (x->into != WK_INTO_FIELDS || !s.n)
        return true;
    x->after_ws = false;
    if (!x->glob)
        return true;
    x->magic = x->magic || has_magic(s);
    return note_piece(x, WK_PIECE_BARE, s);
}

/* Text with the backslashes of a pattern: in a replacement only & and the backslash keep them. */
static bool put_replacement_text(struct wk_xp *x, struct wk_str pat)
{
    size_t from = 0;
    for (size_t i = 0; i + 1 < pat.n; i++) {
        if (pat.p[i] != '\\')
            continue;
        if (pat.p[i + 1] != '&' && pat.p[i + 1] != '\\') {
            if (!put(x, wk_str(pat.p + from, i - from)))
                return false;
            from = i + 1;
        }
        i++;
    }
    return put(x, wk_str_from(pat, from));
}

bool wk_xp_literal(struct wk_xp *x, const struct wk_seg *s)
{
    struct wk_str text = wk_str(s->text, s->text_len), pat = wk_str(s->u.pat, s->pat_len);
    if (s->flags & WK_SEG_QUOTED)
        return wk_xp_quoted(x, text);
    x->made = x->made || s->flags & WK_SEG_MIXED;
    x->after_ws = false;
    if (x->into == WK_INTO_REGEX)
        return put_regex(x, pat, true);
    if (x->into == WK_INTO_REPLACE)
        return put_replacement_text(x, pat);
    if (x->into != WK_INTO_FIELDS && x->into != WK_INTO_STRING)
        return put(x, pat);
    if (!put(x, text))
        return false;
    if (x->into != WK_INTO_FIELDS || !x->glob)
        return true;
    x->magic = x->magic || s->flags & WK_SEG_GLOB;
    return note_piece(x, WK_PIECE_PATTERN, pat);
}

/* The pattern that the field's pieces make, in the arena. */
static bool make_pattern(struct wk_xp *x, struct wk_str *out)
{
    struct wk_xp b;
    size_t from = 0;
    wk_xp_init(&b, x->sh, WK_INTO_PATTERN);
    for (size_t i = 0; i < x->npieces; i++) {
        const struct wk_piece *p = &x->pieces[i];
        struct wk_str text = wk_str(x->p + from, p->end - from);
        bool ok = p->kind == WK_PIECE_QUOTED ? wk_xp_quoted(&b, text)
                                             : put(&b, p->kind == WK_PIECE_PATTERN ? p->pat : text);
        if (!ok)
            return false;
        from = p->end;
    }
    return wk_xp_string(&b, out) == WK_NEXT;
}

/* The field may stand for file names. *done: it did, or vanished. */
static enum wk_flow glob_field(struct wk_xp *x, bool *done)
{
    struct wk_shell *sh = x->sh;
    struct wk_str pattern;
    *done = false;
    if (!make_pattern(x, &pattern))
        return wk_sh_nomem(sh);
    if (!wk_glob_has_magic(pattern, wk_pattern_flags(sh, false)))
        return WK_NEXT;
    enum wk_flow flow = wk_glob(sh, pattern, x->out, done);
    if (flow != WK_NEXT || *done)
        return flow;
    if (wk_shopt(sh, FAILGLOB)) {
        wk_sh_error(sh, "no match: %.*s", (int)x->n, x->p);
        return wk_sh_discard_as(sh, WK_DISCARD_ENDS_ERREXIT);
    }
    *done = wk_shopt(sh, NULLGLOB);
    return WK_NEXT;
}

enum wk_flow wk_xp_end_field(struct wk_xp *x)
{
    bool done = false;
    if (!x->n && !x->made)
        return WK_NEXT;
    if (WK_UNLIKELY(x->magic)) {
        enum wk_flow flow = glob_field(x, &done);
        if (flow != WK_NEXT)
            return flow;
    }
    if (!done) {
        char *p = wk_arena_strndup(&x->sh->arena, x->p, x->n);
        if (!p || !wk_fields_add(x->sh, x->out, wk_str(p, x->n)))
            return wk_sh_nomem(x->sh);
    }
    x->n = 0;
    x->npieces = 0;
    x->made = x->magic = x->after_ws = false;
    x->ended = true;
    return wk_step(x->sh->k) ? WK_STOP : WK_NEXT;
}

enum wk_flow wk_xp_string(struct wk_xp *x, struct wk_str *out)
{
    if (x->p != x->small) { /* grown: already in the arena */
        x->p[x->n] = '\0';
        *out = wk_str(x->p, x->n);
        return WK_NEXT;
    }
    char *p = wk_arena_strndup(&x->sh->arena, x->p, x->n);
    *out = wk_str(p, x->n);
    return p ? WK_NEXT : wk_sh_nomem(x->sh);
}

/* ---- splitting
 * ------------------------------------------------------------------------------------------ */

/* Length of the delimiter at s.p[i] (0: none); *white tells which kind. */
static size_t delimiter(const struct wk_ifs *ifs, struct wk_str s, size_t i, bool *white)
{
    unsigned kind = ifs->kind[(unsigned char)s.p[i]];
    *white = kind == 1;
    return kind < 3 ? kind != 0 : wk_ifs_long(ifs, s, i, false);
}

enum wk_flow wk_xp_split(struct wk_xp *x, struct wk_str s)
{
    /* Asked for anew: an expansion of this word may have used or set another IFS meanwhile. */
    const struct wk_ifs *ifs = x->ifs = wk_vars_ifs(x->sh);
    size_t i = 0;
    while (i < s.n) {
        size_t from = i, len = 0;
        bool white = false;
        for (; i < s.n; i++) {
            if (WK_LIKELY(!ifs->kind[(unsigned char)s.p[i]]))
                continue;
            len = delimiter(ifs, s, i, &white);
            if (len)
                break;
        }
        if (i > from && !wk_xp_bare(x, wk_str(s.p + from, i - from)))
            return wk_xp_failed(x);
        if (!len)
            break;
        i += len;
        if (x->n || x->made) {
            enum wk_flow flow = wk_xp_end_field(x);
            if (flow != WK_NEXT)
                return flow;
            x->after_ws = white;
            x->skims = false;
        } else if (!white) {
            if (!x->after_ws || len > 1) { /* a longer one is not swallowed */
                x->made = true;
                enum wk_flow flow = wk_xp_end_field(x);
                if (flow != WK_NEXT)
                    return flow;
            }
            x->after_ws = x->skims = false;
        } else if (WK_UNLIKELY(x->skims)) {
            x->after_ws = true;
        }
    }
    return WK_NEXT;
}

enum wk_flow wk_xp_result(struct wk_xp *x, struct wk_str s, bool quoted)
{
    if (quoted)
        return wk_xp_quoted(x, s) ? WK_NEXT : wk_xp_failed(x);
    if (x->ifs)
        return wk_xp_split(x, s);
    return wk_xp_bare(x, s) ? WK_NEXT : wk_xp_failed(x);
}

/* ---- segments
 * ------------------------------------------------------------------------------------------- */

static enum wk_flow expand_seg(struct wk_xp *x, const struct wk_seg *s, bool quoted, bool operand)
{
    struct wk_shell *sh = x->sh;
    struct wk_str text;
    enum wk_flow flow;
    int64_t n;
    char digits[24];
    switch (s->kind) {
    case WK_SEG_LIT:
        text = wk_str(s->text, s->text_len);
        if (quoted)
            return wk_xp_result(x, text, true);
        if (operand && x->ifs && !(s->flags & (WK_SEG_QUOTED | WK_SEG_MIXED)))
            return wk_xp_split(x, text);
        return wk_xp_literal(x, s) ? WK_NEXT : wk_xp_failed(x);
    case WK_SEG_PARAM:
        return wk_xp_param(x, s->u.param, quoted);
    case WK_SEG_CMDSUB:
        flow = wk_expand_command_sub(sh, s, &text);
        return flow == WK_NEXT ? wk_xp_result(x, text, quoted) : flow;
    case WK_SEG_ARITH:
        flow = wk_arith_eval(sh, s->u.arith, &n);
        if (WK_UNLIKELY(flow != WK_NEXT))
            return wk_arith_discard(sh, flow);
        return flow == WK_NEXT ? wk_xp_result(x, wk_str(digits, wk_i64_text(n, digits)), quoted)
                               : flow;
    case WK_SEG_PROCSUB:
        flow = wk_procsub_open(sh, s, &text);
        return flow == WK_NEXT ? wk_xp_result(x, text, true) : flow;
    case WK_SEG_TILDE:
        text = wk_str(s->text, s->text_len);
        if (x->join != WK_JOIN_KEYED && !(s->flags & WK_SEG_ARGUMENT && wk_opt(sh, POSIX)) &&
            wk_tilde(sh, text, &text))
            return wk_xp_result(x, text, true);
        return wk_xp_bare(x, WK_STR("~")) && wk_xp_bare(x, text) ? WK_NEXT : wk_xp_failed(x);
    default:
        return WK_NEXT;
    }
}

struct deep_segs {
    struct wk_xp *x;
    const struct wk_seg *s;
    uint32_t n;
    bool quoted, operand;
};

static int segs_further(void *arg)
{
    struct deep_segs *d = arg;
    return (int)wk_xp_segs(d->x, d->s, d->n, d->quoted, d->operand);
}

/* Operands in operands: on a further stack. */
static WK_COLD enum wk_flow segs_deep(struct deep_segs *d)
{
    int flow = WK_STOP;
    if (wk_stack_call(d->x->sh->task, segs_further, d, &flow) != 0)
        return wk_sh_nomem(d->x->sh);
    return (enum wk_flow)flow;
}

enum wk_flow wk_xp_segs(struct wk_xp *x, const struct wk_seg *s, uint32_t n, bool quoted,
                        bool operand)
{
    if (WK_UNLIKELY(wk_stack_low(x->sh->task)))
        return segs_deep(&(struct deep_segs){x, s, n, quoted, operand});
    bool made = false;
    size_t length = 0, fields = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (s[i].flags & WK_SEG_DQ_OPEN) {
            made = x->made;
            length = x->n;
            fields = x->out ? x->out->n : 0;
            x->at_empty = false;
        }
        enum wk_flow flow = expand_seg(x, &s[i], quoted || s[i].flags & WK_SEG_QUOTED, operand);
        if (flow != WK_NEXT)
            return flow;
        /* "$x$@" without elements is no field when the rest is empty, too. */
        if (s[i].flags & WK_SEG_DQ_CLOSE && x->at_empty && x->n == length && x->out &&
            x->out->n == fields)
            x->made = made;
    }
    return WK_NEXT;
}

/* ---- words
 * ------------------------------------------------------------------------------------------------
 */

static enum wk_flow expand_plain(struct wk_shell *sh, const struct wk_word *w,
                                 struct wk_fields *out)
{
    struct wk_xp x;
    if (w->flags & WK_WORD_LITERAL && !(w->flags & WK_WORD_GLOB))
        return wk_fields_add(sh, out, wk_word_text(w)) ? WK_NEXT : wk_sh_nomem(sh);
    wk_xp_init(&x, sh, WK_INTO_FIELDS);
    x.out = out;
    x.glob = (w->flags & (WK_WORD_GLOB | WK_WORD_SPLIT)) && !wk_opt(sh, NOGLOB);
    if (w->flags & WK_WORD_SPLIT)
        x.ifs = wk_vars_ifs(sh);
    enum wk_flow flow =
        wk_xp_segs(&x, w->segs, w->n_segs, false, (w->flags & WK_WORD_OPERAND) != 0);
    return flow == WK_NEXT ? wk_xp_end_field(&x) : flow;
}

static enum wk_flow expand_braces(struct wk_shell *sh, const struct wk_word *w,
                                  struct wk_fields *out)
{
    struct wk_brace_iter it;
    struct wk_word *one;
    uint64_t bytes = 0;
    int r;
    wk_brace_begin(&it, w, &sh->arena, sh->names, wk_opt(sh, BRACEEXPAND));
    while ((r = wk_brace_next(&it, &one)) > 0) {
        size_t before = out->n;
        enum wk_flow flow = expand_plain(sh, one, out);
        if (flow != WK_NEXT)
            return flow;
        for (size_t i = before; i < out->n; i++)
            bytes += out->v[i].n + sizeof *out->v;
        if (sh->k->limits.expansion && bytes > sh->k->limits.expansion) {
            (void)wk_kern_breach(sh->k, WK_LIMIT_EXPANSION);
            return WK_STOP;
        }
        if (wk_step(sh->k) != 0)
            return WK_STOP;
    }
    return r ? wk_sh_nomem(sh) : WK_NEXT;
}

/* "$x" and $x alone, the words that commands are made of. False: take the long way. */
static bool expand_single(struct wk_shell *sh, const struct wk_word *w, struct wk_fields *out)
{
    const struct wk_seg *s = w->segs;
    if (w->n_segs != 1 || s->kind != WK_SEG_PARAM)
        return false;
    const struct wk_param *p = s->u.param;
    struct wk_str text;
    char digits[24];
    if (p->op != WK_PARAM_OP_NONE || p->flags || p->sub)
        return false;
    if (p->kind == WK_PARAM_NAME) {
        const struct wk_var *v = wk_var_peek(sh, p->id);
        const uint32_t mask = WK_VAR_NAMEREF | WK_VAR_DYNAMIC;
        if (!v || v->flags & mask)
            return false;
        if (v->flags & WK_VAR_TEXT)
            text = wk_val_str(v->text);
        else if (v->flags & WK_VAR_INT)
            text = wk_str(digits, wk_i64_text(v->ival, digits));
        else
            return false;
    } else if (p->kind == WK_PARAM_POS && p->id && p->id <= sh->st->params.n) {
        text = sh->st->params.v[p->id - 1];
    } else {
        return false;
    }
    if (!(s->flags & WK_SEG_QUOTED)) {
        /* Nothing to split, nothing to look for among files. */
        const struct wk_ifs *ifs = wk_vars_ifs(sh);
        if (!text.n)
            return true;
        for (size_t i = 0; i < text.n; i++) {
            char c = text.p[i];
            if (ifs->kind[(unsigned char)c] || c == '*' || c == '?' || c == '[' || c == '(')
                return false;
        }
    }
    char *copy = wk_arena_strndup(&sh->arena, text.p, text.n);
    wk_charge(sh->k, text.n);
    return copy && wk_fields_add(sh, out, wk_str(copy, text.n));
}

enum wk_flow wk_expand_word(struct wk_shell *sh, const struct wk_word *w, struct wk_fields *out)
{
    if (WK_LIKELY((w->flags & (WK_WORD_LITERAL | WK_WORD_GLOB)) == WK_WORD_LITERAL))
        return wk_fields_add(sh, out, wk_word_text(w)) ? WK_NEXT : wk_sh_nomem(sh);
    if (expand_single(sh, w, out))
        return WK_NEXT;
    if (WK_UNLIKELY(w->flags & WK_WORD_BRACE))
        return expand_braces(sh, w, out);
    return expand_plain(sh, w, out);
}

enum wk_flow wk_expand_words(struct wk_shell *sh, const struct wk_word *const *words, size_t n,
                             struct wk_fields *out)
{
    if (!wk_fields_reserve(sh, out, n))
        return wk_sh_nomem(sh);
    for (size_t i = 0; i < n; i++) {
        enum wk_flow flow = wk_expand_word(sh, words[i], out);
        if (WK_UNLIKELY(flow != WK_NEXT))
            return flow;
    }
    return WK_NEXT;
}

/* ---- strings
 * ------------------------------------------------------------------------------------------------
 */

static enum wk_flow expand_into(struct wk_shell *sh, const struct wk_word *w, enum wk_into into,
                                enum wk_join join, struct wk_str *out)
{
    struct wk_xp x;
    wk_xp_init(&x, sh, into);
    x.join = (uint8_t)join;
    x.join_at = true;
    enum wk_flow flow = wk_xp_segs(&x, w->segs, w->n_segs, false, false);
    return flow == WK_NEXT ? wk_xp_string(&x, out) : flow;
}

/* A pattern of case: of "$@" and what stands behind it the first element alone counts. */
enum wk_flow wk_expand_case(struct wk_shell *sh, const struct wk_word *w, struct wk_str *out)
{
    struct wk_xp x;
    if (!w || !(w->flags & WK_WORD_AT))
        return wk_expand_string(sh, w, WK_EXPAND_PATTERN, out);
    wk_xp_init(&x, sh, WK_INTO_PATTERN);
    x.join_at = x.first_only = true;
    enum wk_flow flow = wk_xp_segs(&x, w->segs, w->n_segs, false, false);
    if (flow == WK_NEXT)
        flow = wk_xp_string(&x, out);
    const char *end = flow == WK_NEXT && out->n ? memchr(out->p, '\0', out->n) : NULL;
    if (end)
        out->n = (size_t)(end - out->p);
    return flow;
}

static enum wk_join join_of_mode(enum wk_expand_mode mode)
{
    return mode == WK_EXPAND_ASSIGN    ? WK_JOIN_ASSIGN
           : mode == WK_EXPAND_DECLARE ? WK_JOIN_DECLARE
           : mode == WK_EXPAND_ELEMENT ? WK_JOIN_ELEMENT
           : mode == WK_EXPAND_HEREDOC ? WK_JOIN_HEREDOC
                                       : WK_JOIN_PLAIN;
}

/* A key or value of an associative array: braces stay, too. */
static enum wk_flow expand_keyed(struct wk_shell *sh, const struct wk_word *w, struct wk_str *out)
{
    struct wk_brace_iter it;
    struct wk_word *plain;
    if (!(w->flags & WK_WORD_BRACE))
        return expand_into(sh, w, WK_INTO_STRING, WK_JOIN_KEYED, out);
    wk_brace_begin(&it, w, &sh->arena, sh->names, false);
    if (wk_brace_next(&it, &plain) <= 0)
        return wk_sh_nomem(sh);
    return expand_into(sh, plain, WK_INTO_STRING, WK_JOIN_KEYED, out);
}

enum wk_flow wk_expand_string(struct wk_shell *sh, const struct wk_word *w,
                              enum wk_expand_mode mode, struct wk_str *out)
{
    if (!w) {
        *out = WK_STR("");
        return WK_NEXT;
    }
    bool escaped = mode == WK_EXPAND_PATTERN || mode == WK_EXPAND_TRACED || mode == WK_EXPAND_REGEX;
    if (w->flags & WK_WORD_LITERAL && !escaped) {
        *out = wk_word_text(w);
        return WK_NEXT;
    }
    bool bracket = mode == WK_EXPAND_REGEX && w->n_segs == 1 && w->segs->kind == WK_SEG_LIT &&
                   memchr(w->segs->u.pat, '[', w->segs->pat_len);
    if (escaped && w->n_segs == 1 && w->segs->kind == WK_SEG_LIT &&
        !(w->segs->flags & WK_SEG_QUOTED) && !bracket) {
        *out = wk_str(w->segs->u.pat, w->segs->pat_len);
        return WK_NEXT;
    }
    switch (mode) {
    case WK_EXPAND_PATTERN:
        return expand_into(sh, w, WK_INTO_PATTERN, WK_JOIN_PLAIN, out);
    case WK_EXPAND_TRACED:
        return expand_into(sh, w, WK_INTO_TRACED, WK_JOIN_PLAIN, out);
    case WK_EXPAND_REGEX:
        return expand_into(sh, w, WK_INTO_REGEX, WK_JOIN_PLAIN, out);
    case WK_EXPAND_KEYED:
        return expand_keyed(sh, w, out);
    default:
        return expand_into(sh, w, WK_INTO_STRING, join_of_mode(mode), out);
    }
}

enum wk_flow wk_expand_operand(struct wk_shell *sh, const struct wk_seg *seg, struct wk_str *out)
{
    struct wk_xp x;
    wk_xp_init(&x, sh, WK_INTO_STRING);
    x.join_at = true;
    enum wk_flow flow = wk_xp_segs(&x, seg, 1, false, false);
    return flow == WK_NEXT ? wk_xp_string(&x, out) : flow;
}

/* Text as a word, and what is expanded of it. */
static enum wk_flow expand_parsed(struct wk_shell *sh, struct wk_str text, enum wk_text_mode how,
                                  enum wk_flow (*expand)(struct wk_shell *, const struct wk_word *, struct wk_str *),
                                  struct wk_str *out)
{
    struct wk_parse_opts o;
    struct wk_tree *tree, *outer = sh->now.tree;
    struct wk_word *w;
    wk_text_parse_opts(sh, &o);
    int r = wk_parse_word_text(&o, text, how, &tree, &w);
    if (r == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (r == -WK_ELIMIT)
        return wk_kern_breach(sh->k, WK_LIMIT_NESTING), WK_STOP;
    if (r)
        return wk_sh_discard(sh);
    sh->now.tree = tree;
    enum wk_flow flow = expand(sh, w, out);
    sh->now.tree = outer;
    wk_tree_unref(tree);
    return flow;
}

static enum wk_flow expand_plainly(struct wk_shell *sh, const struct wk_word *w, struct wk_str *out)
{
    return expand_into(sh, w, WK_INTO_STRING, WK_JOIN_PLAIN, out);
}

enum wk_flow wk_expand_text(struct wk_shell *sh, struct wk_str text, struct wk_str *out)
{
    return expand_parsed(sh, text, WK_TEXT_DQUOTE, expand_plainly, out);
}

enum wk_flow wk_expand_key(struct wk_shell *sh, struct wk_str text, struct wk_str *out)
{
    return expand_parsed(sh, text, WK_TEXT_WORD, expand_plainly, out);
}

enum wk_flow wk_expand_index(struct wk_shell *sh, struct wk_str text, struct wk_str *out)
{
    return expand_parsed(sh, text, WK_TEXT_ARITH, expand_plainly, out);
}

/* ---- targets of redirections ------------------------------------------------------------------ */

/* Not split; looked for among files where a descriptor is named. */
static enum wk_flow add_unsplit(struct wk_shell *sh, const struct wk_word *w, bool files, struct wk_fields *f)
{
    struct wk_xp x;
    struct wk_str s;
    wk_xp_init(&x, sh, files ? WK_INTO_FIELDS : WK_INTO_STRING);
    x.out = f;
    x.glob = files && w->flags & (WK_WORD_GLOB | WK_WORD_SPLIT) && !wk_opt(sh, NOGLOB);
    x.join_at = !files;
    enum wk_flow flow = wk_xp_segs(&x, w->segs, w->n_segs, false, false);
    if (flow != WK_NEXT || files)
        return flow == WK_NEXT ? wk_xp_end_field(&x) : flow;
    if (!x.n && (!x.made || w->flags & WK_WORD_AT))
        return WK_NEXT;
    flow = wk_xp_string(&x, &s);
    return flow != WK_NEXT || wk_fields_add(sh, f, s) ? flow : wk_sh_nomem(sh);
}

static enum wk_flow expand_unsplit(struct wk_shell *sh, const struct wk_word *w, bool files, struct wk_fields *f)
{
    struct wk_brace_iter it;
    struct wk_word *one;
    int r;
    if (!(w->flags & WK_WORD_BRACE))
        return add_unsplit(sh, w, files, f);
    wk_brace_begin(&it, w, &sh->arena, sh->names, wk_opt(sh, BRACEEXPAND));
    while ((r = wk_brace_next(&it, &one)) > 0 && f->n < 2) {
        enum wk_flow flow = add_unsplit(sh, one, files, f);
        if (flow != WK_NEXT)
            return flow;
        if (wk_step(sh->k) != 0)
            return WK_STOP;
    }
    return r < 0 ? wk_sh_nomem(sh) : WK_NEXT;
}

enum wk_flow wk_expand_target(struct wk_shell *sh, const struct wk_word *w, bool files, struct wk_str *out)
{
    struct wk_fields f = {0};
    bool posix = wk_opt(sh, POSIX) && !sh->interactive;
    if (w->flags & WK_WORD_LITERAL && (!(w->flags & WK_WORD_GLOB) || (posix && !files))) {
        *out = wk_word_text(w);
        return WK_NEXT;
    }
    enum wk_flow flow = posix ? expand_unsplit(sh, w, files, &f) : wk_expand_word(sh, w, &f);
    *out = flow == WK_NEXT && f.n == 1 ? f.v[0] : (struct wk_str){NULL, 0};
    return flow;
}

/* The tree of the text goes: a copy stays. */
static enum wk_flow copy_target(struct wk_shell *sh, const struct wk_word *w, struct wk_str *out)
{
    enum wk_flow flow = wk_expand_target(sh, w, false, out);
    if (flow != WK_NEXT || !out->p)
        return flow;
    char *p = wk_arena_strndup(&sh->arena, out->p, out->n);
    if (!p)
        return wk_sh_nomem(sh);
    out->p = p;
    return WK_NEXT;
}

enum wk_flow wk_expand_target_text(struct wk_shell *sh, struct wk_str text, struct wk_str *out)
{
    return expand_parsed(sh, text, WK_TEXT_WORD, copy_target, out);
}
