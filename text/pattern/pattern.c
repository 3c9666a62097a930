/* pattern.c - compiling shell patterns, and what can be told without matching */
#include "text/pattern/pattern.h"

#include "text/pattern/pattern_bracket.h"

enum { BRACKET_TRIES = 64 }; /* unclosed brackets looked at before the rest are taken as such */

struct compiler {
    struct wk_arena *a;
    struct wk_str text;
    size_t i;
    struct wk_pattern *p;
    uint32_t *closes;   /* for each '(' that begins a group: where its ')' is; 0 = none */
    unsigned failures;  /* of bracket scans */
    bool in_negated;
    struct wk_buf lit;  /* the literal being collected */
};

static bool is_group_start(struct wk_str s, size_t i, unsigned flags)
{
    return (flags & WK_PATTERN_EXTGLOB) && i + 1 < s.n && s.p[i + 1] == '(' &&
           (s.p[i] == '?' || s.p[i] == '*' || s.p[i] == '+' || s.p[i] == '@' || s.p[i] == '!');
}

static size_t bracket_end(struct compiler *c, size_t i)
{
    if (c->failures >= BRACKET_TRIES)
        return 0;
    size_t end = wk_pat_bracket_end(c->text, i);
    if (!end)
        c->failures++;
    return end;
}

/* Finds the ')' of every '(' in one pass. Any '(' nests, as in bash. */
static int find_closes(struct compiler *c)
{
    struct wk_str s = c->text;
    size_t any = 0;
    for (size_t i = 0; i + 1 < s.n && !any; i++)
        any = is_group_start(s, i, c->p->flags);
    if (!any)
        return 0;
    if (s.n >= UINT32_MAX)
        return -WK_ELIMIT;
    c->closes = wk_arena_zalloc(c->a, s.n * sizeof *c->closes);
    uint32_t *open = wk_arena_alloc(c->a, s.n * sizeof *open);
    if (!c->closes || !open)
        return -WK_ENOMEM;
    size_t depth = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\\') {
            i++;
        } else if (s.p[i] == '[') {
            size_t end = wk_pat_group_bracket_end(s, i);
            if (!end) /* bash looks for ')' past the bracket only */
                break;
            i = end - 1;
        } else if (s.p[i] == '(') {
            open[depth++] = (uint32_t)i;
        } else if (s.p[i] == ')' && depth) {
            c->closes[open[--depth]] = (uint32_t)i;
        }
    }
    return 0;
}

static struct wk_pat_atom *append(struct compiler *c, struct wk_pat_seq *seq, enum wk_pat_kind kind)
{
    struct wk_pat_atom *a = WK_ARENA_NEW(c->a, struct wk_pat_atom);
    if (!a)
        return NULL;
    a->kind = (uint8_t)kind;
    a->prev = seq->last;
    if (seq->last)
        seq->last->next = a;
    else
        seq->first = a;
    seq->last = a;
    return a;
}

/* Turns the collected bytes into an atom. */
static int end_literal(struct compiler *c, struct wk_pat_seq *seq)
{
    struct wk_buf *lit = &c->lit;
    if (lit->failed)
        return -WK_ENOMEM;
    if (lit->n == 0)
        return 0;
    if (lit->n > UINT32_MAX)
        return -WK_ELIMIT;
    struct wk_pat_atom *a = append(c, seq, WK_PAT_LIT);
    char *copy = wk_arena_alloc(c->a, lit->n);
    if (!a || !copy)
        return -WK_ENOMEM;
    memcpy(copy, lit->p, lit->n);
    a->u.lit = copy;
    a->n = (uint32_t)lit->n;
    if (c->p->flags & WK_PATTERN_NOCASE)
        for (size_t i = 0; i < lit->n && !a->has_letters;) {
            uint32_t ch;
            i += wk_utf8_next(copy + i, lit->n - i, &ch);
            a->has_letters = c->p->bytes ? ch < 128 && wk_is_alpha((int)ch)
                                         : wk_utf8_lower(ch) != ch || wk_utf8_upper(ch) != ch;
        }
    c->p->by_char |= a->has_letters;
    wk_buf_reset(lit);
    return 0;
}

static int compile_seq(struct compiler *c, size_t end, unsigned depth, struct wk_pat_seq *seq);

/* A star (or star and ?) before the group a: see eval_seq in pattern_group.c. */
static void note_strict(struct wk_pat_seq *seq, const struct wk_pat_atom *a)
{
    struct wk_pat_atom *star = a->prev, *before = star;
    while (star && star->kind == WK_PAT_ANY)
        star = star->prev;
    if (!star || star->kind != WK_PAT_STAR || !memchr("@+!", a->op, 3))
        return;
    star->kind = WK_PAT_ANY; /* *? is ?* */
    before->kind = WK_PAT_STAR;
    before->op = a->op;
    seq->strict = true;
}

/* text[i] is the group's letter, text[i + 1] its '('. */
static int compile_group(struct compiler *c, size_t close, unsigned depth, struct wk_pat_seq *seq)
{
    if (depth >= WK_PATTERN_DEPTH)
        return -WK_ELIMIT;
    struct wk_pat_atom *a = append(c, seq, WK_PAT_GROUP);
    if (!a)
        return -WK_ENOMEM;
    a->op = c->text.p[c->i];
    c->i += 2;
    c->p->has_group = true;
    c->p->depth = WK_MAX(c->p->depth, depth + 1);
    bool outer = c->in_negated;
    if (a->op == '!') {
        if (outer)
            a->memo = ++c->p->memos;
        c->in_negated = true;
    }
    struct wk_pat_seq *last = NULL;
    for (;;) {
        struct wk_pat_seq *alt = WK_ARENA_NEW(c->a, struct wk_pat_seq);
        if (!alt)
            return -WK_ENOMEM;
        if (last)
            last->next = alt;
        else
            a->u.alts = alt;
        last = alt;
        int err = compile_seq(c, close, depth + 1, alt);
        if (err)
            return err;
        if (c->i++ >= close)
            break;
    }
    c->in_negated = outer;
    note_strict(seq, a);
    return 0;
}

/* The atoms of text[c->i..end), up to a '|' when inside a group; c->i is left there. */
static int compile_seq(struct compiler *c, size_t end, unsigned depth, struct wk_pat_seq *seq)
{
    int err = 0;
    size_t plain = 0; /* the end of ordinary parentheses, inside which '|' is ordinary too */
    while (c->i < end && !err) {
        size_t i = c->i;
        char ch = c->text.p[i];
        size_t close = c->closes && is_group_start(c->text, i, c->p->flags) ? c->closes[i + 1] : 0;
        size_t bracket = ch == '[' && !close ? bracket_end(c, i) : 0;
        if (ch == '|' && depth && i >= plain)
            break;
        if (ch == '(' && depth)
            plain = WK_MAX(plain, c->closes[i]);
        if (close || bracket || ch == '*' || ch == '?')
            err = end_literal(c, seq);
        if (err)
            return err;
        if (close) {
            err = compile_group(c, close, depth, seq);
        } else if (bracket) {
            struct wk_pat_atom *a = append(c, seq, WK_PAT_SET);
            bool nocase = (c->p->flags & WK_PATTERN_NOCASE) != 0;
            if (!a || !(a->u.set = wk_pat_bracket(c->a, c->text, i, bracket, nocase)))
                return -WK_ENOMEM;
            c->p->by_char = true;
            c->i = bracket;
        } else if (ch == '*') {
            if ((!seq->last || seq->last->kind != WK_PAT_STAR) && !append(c, seq, WK_PAT_STAR))
                return -WK_ENOMEM;
            c->i++;
        } else if (ch == '?') {
            if (!append(c, seq, WK_PAT_ANY))
                return -WK_ENOMEM;
            c->p->by_char = true;
            c->i++;
        } else {
            if (ch == '\\' && i + 1 < end)
                ch = c->text.p[++c->i];
            wk_buf_putc(&c->lit, ch);
            c->i++;
        }
    }
    return err ? err : end_literal(c, seq);
}

/* Cuts a sequence without groups at its stars. */
static int cut_segments(struct compiler *c)
{
    struct wk_pattern *p = c->p;
    size_t n = 0;
    for (const struct wk_pat_atom *a = p->top.first; a; a = a->next)
        n += a->kind != WK_PAT_STAR && (!a->prev || a->prev->kind == WK_PAT_STAR);
    struct wk_pat_seg *segs = wk_arena_zalloc(c->a, (n ? n : 1) * sizeof *segs);
    if (!segs)
        return -WK_ENOMEM;
    p->segs = segs;
    p->star_first = p->top.first && p->top.first->kind == WK_PAT_STAR;
    p->star_last = p->top.last && p->top.last->kind == WK_PAT_STAR;
    for (const struct wk_pat_atom *a = p->top.first; a; a = a->next) {
        if (a->kind == WK_PAT_STAR)
            continue;
        if (!a->prev || a->prev->kind == WK_PAT_STAR)
            segs[p->nsegs++].first = a;
        segs[p->nsegs - 1].last = a;
    }
    return 0;
}

/* A pattern of one length, with a bracket expression that begins with [^] or [!]. */
static bool is_mismeasured(const struct wk_pattern *p, struct wk_str text)
{
    if (p->has_group || !text.n || !memchr(text.p, '[', text.n))
        return false;
    for (const struct wk_pat_atom *a = p->top.first; a; a = a->next)
        if (a->kind == WK_PAT_STAR)
            return false;
    for (size_t i = 0, end; i < text.n; i++) {
        if (text.p[i] == '\\') { /* quotes what follows, be it another one */
            i++;
            continue;
        }
        if (text.p[i] != '[')
            continue;
        if (i + 2 < text.n && (text.p[i + 1] == '^' || text.p[i + 1] == '!') && text.p[i + 2] == ']')
            return true;
        if ((end = wk_pat_bracket_end(text, i)) == 0)
            return false;
        i = end - 1;
    }
    return false;
}

int wk_pattern_compile(struct wk_arena *a, struct wk_str text, unsigned flags,
                       const struct wk_pattern **out)
{
    struct compiler c = {.a = a, .text = text};
    c.p = WK_ARENA_NEW(a, struct wk_pattern);
    if (!c.p)
        return -WK_ENOMEM;
    c.p->flags = flags;
    c.p->bytes = (flags & WK_PATTERN_BYTES) || !wk_utf8_valid(text);
    wk_buf_init(&c.lit, a->mem, SIZE_MAX / 2);
    int err = find_closes(&c);
    if (!err)
        err = compile_seq(&c, text.n, 0, &c.p->top);
    if (!err && !c.p->has_group)
        err = cut_segments(&c);
    if (!err)
        c.p->mismeasured = is_mismeasured(c.p, text);
    wk_buf_release(&c.lit);
    *out = err ? NULL : c.p;
    return err;
}

bool wk_pattern_mismeasured(const struct wk_pattern *p)
{
    return p->mismeasured;
}

bool wk_pattern_literal(const struct wk_pattern *p, struct wk_str *text)
{
    const struct wk_pat_atom *a = p->top.first;
    if (p->has_group || (a && (a->next || a->kind != WK_PAT_LIT || a->has_letters)))
        return false;
    if (text)
        *text = a ? wk_str(a->u.lit, a->n) : wk_str("", 0);
    return true;
}

bool wk_pattern_has_magic(struct wk_str s, unsigned flags)
{
    unsigned failures = 0;
    for (size_t i = 0; i < s.n; i++) {
        switch (s.p[i]) {
        case '\\':
            i++;
            break;
        case '*':
        case '?':
            return true;
        case '[':
            if (failures < BRACKET_TRIES && wk_pat_bracket_end(s, i))
                return true;
            failures++;
            break;
        case '+':
        case '@':
        case '!':
            if (is_group_start(s, i, flags))
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

bool wk_pattern_unquote(struct wk_buf *b, struct wk_str s)
{
    size_t from = 0;
    for (size_t i = 0; i + 1 < s.n; i++)
        if (s.p[i] == '\\') {
            wk_buf_put(b, s.p + from, i - from);
            from = ++i;
        }
    return wk_buf_put(b, s.p + from, s.n - from);
}

bool wk_pattern_quote(struct wk_buf *b, struct wk_str s)
{
    size_t from = 0;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] && strchr("\\*?[]()|!+@^-", s.p[i])) {
            wk_buf_put(b, s.p + from, i - from);
            wk_buf_putc(b, '\\');
            from = i;
        }
    return wk_buf_put(b, s.p + from, s.n - from);
}
