/* re_parse.c - basic, extended and fixed patterns to a tree
 *
 * Groups are kept on a stack of frames and not on the C stack, so nesting costs no recursion here.
 */
#include "text/re/re_priv.h"

struct frame {
    struct frame *outer;
    struct wk_re_node *group; /* NULL at the bottom */
    struct wk_re_node *alt;   /* the branches before this one; NULL when there are none */
    struct wk_re_node *cat;   /* this branch */
    uint32_t height;          /* the greatest of the nodes in it */
    unsigned closed_before;   /* the parser's `closed` at the start, and of all branches so far */
    unsigned closed_in;
};

struct parser {
    struct wk_re_tree *t;
    struct wk_str s;
    size_t i;
    struct frame *top;
    uint32_t base;      /* groups of the pattern lines before this one */
    bool after_repeat;  /* the last thing was a repetition operator */
    unsigned closed;    /* bits: groups 1..9 (of this line) that are complete in this branch */
};

struct wk_re_node *wk_re_node_new(struct wk_re_tree *t, enum wk_re_kind kind, uint32_t arg)
{
    struct wk_re_node *n = WK_ARENA_NEW(t->a, struct wk_re_node);
    if (!n) {
        t->error = WK_RE_ESPACE;
        return NULL;
    }
    n->kind = (uint8_t)kind;
    n->arg = arg;
    return n;
}

void wk_re_node_append(struct wk_re_node *parent, struct wk_re_node *child)
{
    child->next = NULL;
    child->prev = parent->last;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

enum { SETS_LOOKED_AT = 64 };

/* The number + 1 of an equal set among the last ones, 0 = there is none. */
static uint32_t recent_set(const struct wk_re_tree *t, const struct wk_re_set *s)
{
    size_t end = t->nsets > SETS_LOOKED_AT ? t->nsets - SETS_LOOKED_AT : 0;
    for (size_t k = t->nsets; k > end; k--) {
        const struct wk_re_set *other = &t->sets[k - 1];
        if (other->n == s->n && (s->n == 0 || memcmp(other->r, s->r, s->n * sizeof *s->r) == 0))
            return (uint32_t)k;
    }
    return 0;
}

struct wk_re_node *wk_re_node_set(struct wk_re_tree *t, struct wk_re_set *s)
{
    bool one = s->n == 1 && s->r[0].lo == s->r[0].hi && s->r[0].lo < 128;
    uint32_t number = one ? t->single[s->r[0].lo] : recent_set(t, s);
    if (!number) {
        if (t->nsets == t->sets_cap) {
            size_t cap = t->sets_cap ? t->sets_cap * 2 : 16;
            struct wk_re_set *sets = wk_arena_alloc(t->a, cap * sizeof *sets);
            if (!sets || t->nsets >= UINT32_MAX / 2) {
                t->error = WK_RE_ESPACE;
                return NULL;
            }
            if (t->nsets)
                memcpy(sets, t->sets, t->nsets * sizeof *sets);
            t->sets = sets;
            t->sets_cap = cap;
        }
        t->sets[t->nsets++] = *s;
        number = (uint32_t)t->nsets;
        if (one)
            t->single[s->r[0].lo] = number;
    }
    return wk_re_node_new(t, WK_RE_SET, number - 1);
}

static struct wk_re_node *finish_set(struct wk_re_tree *t, struct wk_re_set *s)
{
    if (!wk_re_set_normalise(t->a, s)) {
        t->error = WK_RE_ESPACE;
        return NULL;
    }
    return wk_re_node_set(t, s);
}

struct wk_re_node *wk_re_node_char(struct wk_re_tree *t, uint32_t c)
{
    struct wk_re_set s = {.r = NULL};
    bool fold = t->flags & WK_RE_ICASE;
    uint32_t *number = c < 128 ? &t->single[fold ? (uint32_t)wk_to_lower((int)c) : c] : NULL;
    if (number && *number)
        return wk_re_node_new(t, WK_RE_SET, *number - 1);
    wk_re_set_add(t->a, &s, c, c);
    if (fold)
        wk_re_set_fold(t->a, &s, t->utf8);
    struct wk_re_node *n = finish_set(t, &s);
    if (n && number)
        *number = n->arg + 1;
    return n;
}

static bool fail(struct parser *p, enum wk_re_code code, size_t at)
{
    p->t->error = code;
    p->t->error_at = at;
    return false;
}

static bool add(struct parser *p, struct wk_re_node *n)
{
    if (!n)
        return false;
    wk_re_node_append(p->top->cat, n);
    p->top->height = WK_MAX(p->top->height, n->height);
    p->after_repeat = false;
    return true;
}

/* Says that n stands around nodes of the height `inner`: what walks the tree calls itself as often,
 * so too much of it is refused. */
static bool set_height(struct parser *p, struct wk_re_node *n, uint32_t inner)
{
    n->height = inner + 1;
    p->t->depth = WK_MAX(p->t->depth, n->height);
    return n->height <= WK_RE_MAX_DEPTH || fail(p, WK_RE_ESIZE, p->i);
}

static bool add_assert(struct parser *p, enum wk_re_assert which)
{
    return add(p, wk_re_node_new(p->t, WK_RE_ASSERT, which));
}

static bool add_char(struct parser *p, uint32_t c)
{
    return add(p, wk_re_node_char(p->t, c));
}

/* '.': any character, without what the flags take out. */
static bool add_dot(struct parser *p)
{
    struct wk_re_tree *t = p->t;
    struct wk_re_set s = {.r = NULL};
    wk_re_set_invert(t->a, &s, t->utf8);
    if (t->flags & (WK_RE_NEWLINE | WK_RE_LINE_DOT))
        wk_re_set_remove(t->a, &s, '\n');
    if (t->flags & WK_RE_NUL_DOT)
        wk_re_set_remove(t->a, &s, 0);
    return add(p, finish_set(t, &s));
}

/* \w \W \s \S */
static bool add_class(struct parser *p, char letter)
{
    struct wk_re_tree *t = p->t;
    struct wk_re_set s = {.r = NULL};
    uint32_t *number = &t->letters[letter == 'w' ? 0 : letter == 'W' ? 1 : letter == 's' ? 2 : 3];
    if (*number)
        return add(p, wk_re_node_new(t, WK_RE_SET, *number - 1));
    bool word = letter == 'w' || letter == 'W';
    wk_re_set_class(t->a, &s, word ? WK_CLASS_ALNUM : WK_CLASS_SPACE, t->utf8);
    if (word)
        wk_re_set_add(t->a, &s, '_', '_');
    if (!wk_re_set_normalise(t->a, &s))
        return fail(p, WK_RE_ESPACE, p->i);
    if (letter == 'W' || letter == 'S')
        wk_re_set_invert(t->a, &s, t->utf8);
    struct wk_re_node *n = finish_set(t, &s);
    *number = n ? n->arg + 1 : 0;
    return add(p, n);
}

static bool open_frame(struct parser *p, struct wk_re_node *group)
{
    struct frame *f = WK_ARENA_NEW(p->t->a, struct frame);
    struct wk_re_node *cat = wk_re_node_new(p->t, WK_RE_CAT, 0);
    if (!f || !cat)
        return fail(p, WK_RE_ESPACE, p->i);
    *f = (struct frame){.outer = p->top, .group = group, .cat = cat, .closed_before = p->closed};
    p->top = f;
    p->after_repeat = false;
    return true;
}

static bool open_group(struct parser *p)
{
    struct wk_re_node *group = wk_re_node_new(p->t, WK_RE_GROUP, ++p->t->groups);
    return group && open_frame(p, group);
}

/* Ends the branch being read. */
static bool end_branch(struct parser *p)
{
    struct frame *f = p->top;
    if (!f->alt && !(f->alt = wk_re_node_new(p->t, WK_RE_ALT, 0)))
        return false;
    wk_re_node_append(f->alt, f->cat);
    f->cat = wk_re_node_new(p->t, WK_RE_CAT, 0);
    f->closed_in |= p->closed;
    p->closed = f->closed_before;
    p->after_repeat = false;
    return f->cat != NULL;
}

/* What the frame holds as one node. */
static struct wk_re_node *frame_node(struct frame *f)
{
    if (!f->alt)
        return f->cat;
    wk_re_node_append(f->alt, f->cat);
    return f->alt;
}

static bool close_group(struct parser *p)
{
    struct frame *f = p->top;
    wk_re_node_append(f->group, frame_node(f));
    p->top = f->outer;
    if (!set_height(p, f->group, f->height))
        return false;
    uint32_t number = f->group->arg - p->base;
    p->closed |= f->closed_in;
    if (number < 10)
        p->closed |= 1u << number;
    return add(p, f->group);
}

static bool repeat(struct parser *p, uint32_t min, uint32_t max)
{
    struct wk_re_node *cat = p->top->cat, *child = cat->last;
    struct wk_re_node *n = wk_re_node_new(p->t, WK_RE_REPEAT, 0);
    if (!n)
        return false;
    if (!set_height(p, n, child->height))
        return false;
    n->min = min;
    n->max = max;
    cat->last = child->prev;
    if (cat->last)
        cat->last->next = NULL;
    else
        cat->first = NULL;
    wk_re_node_append(n, child);
    if (!add(p, n))
        return false;
    p->after_repeat = true;
    return true;
}

/* Whether nothing that can be repeated stands before. */
static bool at_start(const struct parser *p)
{
    const struct wk_re_node *last = p->top->cat->last;
    unsigned egrep = WK_RE_EXTENDED | WK_RE_GREP;
    /* egrep repeats an assertion that has something in front of it. */
    while ((p->t->flags & egrep) == egrep && last && last->kind == WK_RE_ASSERT && last->prev)
        last = last->prev;
    return !last || last->kind == WK_RE_ASSERT;
}

enum { REPEAT_NO, REPEAT_YES, REPEAT_LITERAL, REPEAT_SKIP };

/* How to take a repetition operator that stands here; REPEAT_NO = error set. */
static int judge_repeat(struct parser *p, size_t at, char op)
{
    unsigned flags = p->t->flags;
    bool lenient = flags & (WK_RE_GREP | WK_RE_EMACS | WK_RE_REPEATS), brace = op == '{';
    if (!at_start(p)) {
        bool strict = (op == '*' || brace) && !lenient && !(flags & WK_RE_EXTENDED);
        if (p->after_repeat && strict) {
            fail(p, WK_RE_BADRPT, at);
            return REPEAT_NO;
        }
        return REPEAT_YES;
    }
    if (flags & WK_RE_EXTENDED) {
        if (lenient) {
            if (p->t->nwarned < WK_RE_WARNINGS)
                p->t->warned[p->t->nwarned++] = p->s.p[at];
            return REPEAT_SKIP;
        }
        fail(p, WK_RE_BADRPT, at);
        return REPEAT_NO;
    }
    if (!brace)
        return REPEAT_LITERAL;
    if (lenient)
        return REPEAT_LITERAL;
    fail(p, WK_RE_BADRPT, at);
    return REPEAT_NO;
}

static bool repeat_operator(struct parser *p, size_t at, char op)
{
    switch (judge_repeat(p, at, op)) {
    case REPEAT_YES:
        return repeat(p, op == '+', op == '?' ? 1 : WK_RE_NO_MAX);
    case REPEAT_LITERAL:
        return add_char(p, (unsigned char)op);
    case REPEAT_SKIP:
        return true;
    default:
        return false;
    }
}

/* What a character of an interval is, without its backslash; '}' is the end only as the syntax writes it, and 0
 * stands for the end of the pattern. *next gets where the next one is. */
static char interval_char(const struct parser *p, size_t at, size_t *next)
{
    bool extended = p->t->flags & WK_RE_EXTENDED;
    if (at >= p->s.n)
        return '\0';
    bool escaped = p->s.p[at] == '\\' && at + 1 < p->s.n;
    char c = p->s.p[at + escaped];
    *next = at + escaped + 1;
    bool reference = escaped && c >= '1' && c <= '9';
    return reference || !c || (c == '}' && escaped == extended) ? ' ' : c;
}

/* A bound of an interval: digits. */
static uint32_t read_bound(struct parser *p, bool *any)
{
    uint32_t v = 0;
    *any = false;
    size_t next = p->i;
    for (char c; wk_is_digit(c = interval_char(p, p->i, &next)); p->i = next) {
        v = WK_MIN(v * 10 + (uint32_t)(c - '0'), WK_RE_MAX_REPEAT + 1);
        *any = true;
    }
    return v;
}

/* The error of an interval whose bounds begin at p->i: unended when the pattern ends in one of the bounds, which a
 * comma or the end of the interval ends. */
static enum wk_re_code interval_error(const struct parser *p)
{
    size_t at = p->i;
    for (unsigned bound = 0; bound < 2; bound++) {
        bool wrong = false;
        char c;
        for (; (c = interval_char(p, at, &at)) != ',' && c != '}'; wrong = wrong || !wk_is_digit(c))
            if (!c)
                return WK_RE_EBRACE;
        if (wrong || c == '}')
            break;
    }
    return WK_RE_BADBR;
}

/* The text after '{' (or '\{'); p->i is there. */
static bool interval(struct parser *p, size_t at)
{
    bool extended = p->t->flags & WK_RE_EXTENDED, any, second;
    bool lenient = extended && (p->t->flags & WK_RE_GREP);
    size_t begin = p->i;
    bool start = at_start(p);
    int how = lenient && start ? REPEAT_SKIP : judge_repeat(p, at, '{');
    if (how == REPEAT_NO)
        return false;
    if (how == REPEAT_LITERAL)
        return add_char(p, '{');
    uint32_t min = read_bound(p, &any), max = min;
    size_t next = p->i;
    bool comma = interval_char(p, p->i, &next) == ',';
    if (comma) {
        p->i = next;
        max = read_bound(p, &second);
        if (!second)
            max = WK_RE_NO_MAX;
    }
    bool closed = interval_char(p, p->i, &next) == '}';
    if (!closed || (!any && !comma)) {
        if (lenient && (start || !closed)) {
            p->i = begin;
            return add_char(p, '{');
        }
        p->i = begin;
        return fail(p, interval_error(p), at);
    }
    p->i = next;
    if (lenient && start && max != WK_RE_NO_MAX && min > max) {
        p->i = begin;
        return add_char(p, '{');
    }
    if (max != WK_RE_NO_MAX && min > max)
        return fail(p, WK_RE_BADBR, at);
    if (min > WK_RE_MAX_REPEAT || (max != WK_RE_NO_MAX && max > WK_RE_MAX_REPEAT))
        return fail(p, WK_RE_ESIZE, at);
    if (how == REPEAT_SKIP) /* nothing, repeated */
        return judge_repeat(p, at, '{') != REPEAT_NO;
    return repeat(p, min, max);
}

/* The character at p->i, whatever it is. */
static bool plain_char(struct parser *p)
{
    uint32_t c;
    if (p->t->utf8)
        p->i += wk_utf8_next(p->s.p + p->i, p->s.n - p->i, &c);
    else
        c = (unsigned char)p->s.p[p->i++];
    return add_char(p, c);
}

static bool backref(struct parser *p, size_t at, uint32_t number)
{
    if (!(p->closed >> number & 1))
        return fail(p, WK_RE_ESUBREG, at);
    number += p->base;
    p->t->max_backref = WK_MAX(p->t->max_backref, number);
    return add(p, wk_re_node_new(p->t, WK_RE_BACKREF, number));
}

/* After a backslash that is not the last character. */
static bool escape(struct parser *p, size_t at)
{
    unsigned flags = p->t->flags;
    bool basic = !(flags & WK_RE_EXTENDED);
    char c = p->s.p[p->i];
    static const char letters[] = "`'bB<>";
    static const uint8_t asserts[] = {WK_RE_BOS,    WK_RE_EOS,  WK_RE_WORDB,
                                      WK_RE_NWORDB, WK_RE_WBEG, WK_RE_WEND};
    const char *which = c ? strchr(letters, c) : NULL;
    if (which) {
        p->i++;
        return add_assert(p, (enum wk_re_assert)asserts[which - letters]);
    }
    if (c == 'w' || c == 'W' || c == 's' || c == 'S') {
        p->i++;
        return add_class(p, c);
    }
    if (c >= '1' && c <= '9') {
        p->i++;
        return backref(p, at, (uint32_t)(c - '0'));
    }
    if (!basic)
        return plain_char(p);
    switch (c) {
    case '(':
        p->i++;
        return open_group(p);
    case ')':
        p->i++;
        return p->top->outer ? close_group(p) : fail(p, WK_RE_ERPAREN, at);
    case '|':
        p->i++;
        return end_branch(p);
    case '{':
        if (flags & WK_RE_EMACS)
            return plain_char(p);
        p->i++;
        return interval(p, at);
    case '+':
    case '?':
        if (flags & WK_RE_EMACS)
            return plain_char(p);
        p->i++;
        return repeat_operator(p, at, c);
    default:
        return plain_char(p);
    }
}

/* In a basic expression '$' is an anchor only at the end of a branch. */
static bool dollar_is_anchor(const struct parser *p)
{
    struct wk_str rest = wk_str_from(p->s, p->i);
    return rest.n == 0 ||
           (rest.n >= 2 && rest.p[0] == '\\' && (rest.p[1] == ')' || rest.p[1] == '|'));
}

static bool extended_char(struct parser *p, size_t at, char c)
{
    switch (c) {
    case '(':
        return open_group(p);
    case ')':
        if (p->top->outer)
            return close_group(p);
        if (p->t->flags & WK_RE_STRICT_PAREN)
            return fail(p, WK_RE_ERPAREN, at);
        return add_char(p, ')');
    case '|':
        return end_branch(p);
    case '{':
        return interval(p, at);
    case '^':
        return add_assert(p, WK_RE_BOL);
    case '$':
        return add_assert(p, WK_RE_EOL);
    default:
        p->i = at;
        return plain_char(p);
    }
}

static bool parse_one(struct parser *p)
{
    size_t at = p->i;
    char c = p->s.p[p->i++];
    bool basic = !(p->t->flags & WK_RE_EXTENDED);
    switch (c) {
    case '\\':
        return p->i < p->s.n ? escape(p, at) : fail(p, WK_RE_EESCAPE, at);
    case '.':
        return add_dot(p);
    case '[': {
        struct wk_re_node *n = wk_re_bracket(p->t, p->s, &p->i);
        return n && add(p, n);
    }
    case '*':
        return repeat_operator(p, at, c);
    case '+':
    case '?':
        if (!basic || (p->t->flags & WK_RE_EMACS))
            return repeat_operator(p, at, c);
        break;
    case '^':
        if (basic && !p->top->cat->last)
            return add_assert(p, WK_RE_BOL);
        break;
    case '$':
        if (basic && dollar_is_anchor(p))
            return add_assert(p, WK_RE_EOL);
        break;
    default:
        break;
    }
    if (!basic)
        return extended_char(p, at, c);
    p->i = at;
    return plain_char(p);
}

/* One line of the pattern (all of it when lines are no alternatives). */
static struct wk_re_node *parse_line(struct wk_re_tree *t, struct wk_str line)
{
    struct parser p = {.t = t, .s = line, .base = t->groups};
    if (!open_frame(&p, NULL))
        return NULL;
    while (p.i < line.n)
        if (!((t->flags & WK_RE_LITERAL) ? plain_char(&p) : parse_one(&p)))
            return NULL;
    unsigned egrep = WK_RE_EXTENDED | WK_RE_GREP | WK_RE_ALTS;
    if (p.top->outer || ((t->flags & egrep) == egrep && !wk_re_parens_match(line))) {
        fail(&p, WK_RE_EPAREN, line.n);
        return NULL;
    }
    return frame_node(p.top);
}

/* node between two assertions. */
static struct wk_re_node *surround(struct wk_re_tree *t, struct wk_re_node *node,
                                   enum wk_re_assert before, enum wk_re_assert after)
{
    struct wk_re_node *cat = wk_re_node_new(t, WK_RE_CAT, 0);
    struct wk_re_node *a = wk_re_node_new(t, WK_RE_ASSERT, before);
    struct wk_re_node *b = wk_re_node_new(t, WK_RE_ASSERT, after);
    if (!cat || !a || !b)
        return NULL;
    wk_re_node_append(cat, a);
    wk_re_node_append(cat, node);
    wk_re_node_append(cat, b);
    return cat;
}

bool wk_re_parse(struct wk_re_tree *t, struct wk_str pattern)
{
    struct wk_re_node *root = NULL, *alt = NULL;
    size_t from = 0;
    for (;;) {
        struct wk_str line = wk_str_from(pattern, from);
        ptrdiff_t end = t->flags & WK_RE_ALTS ? wk_str_chr(line, '\n') : -1;
        if (end >= 0)
            line = wk_str_take(line, (size_t)end);
        root = parse_line(t, line);
        if (!root) {
            t->error_at += from;
            return false;
        }
        if (end >= 0 && !alt && !(alt = wk_re_node_new(t, WK_RE_ALT, 0)))
            return false;
        if (alt)
            wk_re_node_append(alt, root);
        if (end < 0)
            break;
        from += (size_t)end + 1;
    }
    t->root = alt ? alt : root;
    if (t->flags & WK_RE_WORD)
        t->root = surround(t, t->root, WK_RE_NOT_AFTER_WORD, WK_RE_NOT_BEFORE_WORD);
    if (t->root && (t->flags & WK_RE_LINE))
        t->root = surround(t, t->root, WK_RE_BOL, WK_RE_EOL);
    return t->root != NULL;
}
