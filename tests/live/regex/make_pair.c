/* make_pair.c - patterns from a grammar, and subjects that are made from the pattern and then
 * spoilt
 *
 * A pattern is a tree first: its text is written from it, and subjects are sampled from it.
 */
#include "pair.h"

#include <string.h>

enum { MOST_NODES = 200, MOST_CHILDREN = 5, MOST_DEPTH = 5 };

enum kind { TEXT, ONE_OF, GROUP, ALT, CAT, REPEAT, BACKREF };

struct node {
    enum kind kind;
    const char *text;        /* as it is written; TEXT: also what it matches (`means`) */
    const char *const *some; /* ONE_OF: a few that it matches */
    const char *means;
    unsigned number, low, high;
    struct node *child[MOST_CHILDREN];
    size_t n;
};

struct maker {
    struct wk_rng r;
    struct live_pattern *p;
    struct node nodes[MOST_NODES];
    size_t used;
    unsigned groups, closed[16], nclosed;
    bool extended, utf8;
    unsigned spread;            /* how many letters there are */
    char taken[16][LIVE_BYTES]; /* what the groups of a subject hold */
    char *to;
    size_t n;
};

static unsigned below(struct maker *m, unsigned n)
{
    return (unsigned)wk_rng_below(&m->r, n);
}

static bool chance(struct maker *m, unsigned percent)
{
    return below(m, 100) < percent;
}

static void put(struct maker *m, const char *text)
{
    for (; *text && m->n + 1 < LIVE_BYTES; text++)
        m->to[m->n++] = *text;
    m->to[m->n] = '\0';
}

/* ---- trees ---- */

static const char *const letters[] = {"a", "b", "c", "A", "B", "_", "x", "1", " ", "-", "\n"};
static const char *const wide[] = {
    "é", "É", "ß",    "σ",    "ς",        "Σ", "ſ",  "K",  "k",  "日",
    "İ", "ı", "\xff", "\xc3", "\xe6\x97", "ẞ", "DŽ", "Dž", "dž", "\xed\xa0\x80",
    "𐐀", "𐐨"};
static const char *const any[] = {"a", "b", "c", "x", "é", "\n", "\xff", "日", "B"};

struct set {
    const char *text;
    const char *some[6];
};

static const struct set sets[] = {
    {"[ab]", {"a", "b"}},
    {"[^a]", {"b", "c", "\n", "é"}},
    {"[a-c]", {"a", "b", "c"}},
    {"[[:alpha:]]", {"a", "B", "é"}},
    {"[^[:alpha:]]", {"1", " "}},
    {"[[:upper:]]", {"A", "B", "É"}},
    {"[[:lower:]]", {"a", "é"}},
    {"[[:digit:]]", {"1"}},
    {"[[:space:]]", {" ", "\n"}},
    {"[[:punct:]]", {"-", "_"}},
    {"[[:alnum:]_]", {"a", "_"}},
    {"[[=a=]]", {"a"}},
    {"[[.a.]b]", {"a", "b"}},
    {"[[.-.]]", {"-"}},
    {"[]a]", {"]", "a"}},
    {"[^]a]", {"b", "é"}},
    {"[a-]", {"a", "-"}},
    {"[-a]", {"-", "a"}},
    {"[A-Z]", {"A", "B"}},
    {"[^A-Z]", {"a", "\n"}},
    {"[é]", {"é"}},
    {"[^é]", {"a", "日"}},
    {"[à-ÿ]", {"é", "ÿ"}},
    {"[a\n]", {"a", "\n"}},
    {"[^\n]", {"a", "b"}},
    {"[[:cntrl:]]", {"\n", "\x01"}},
    {"[[:print:]]", {"a", " "}},
    {"[[:graph:]]", {"a", "-"}},
    {"[[:blank:]]", {" ", "\t"}},
    {"[[:xdigit:]]", {"a", "1"}},
    {"[\\n]", {"\\", "n"}},
    {"[.]", {"."}},
    {"[b-b]", {"b"}},
    {"[[:alpha:][:digit:]]", {"a", "1"}},
    {"[σ]", {"σ", "Σ", "ς"}},
    {"[k-s]", {"k", "K", "ſ"}},
    {"[^b-k]", {"a", "K"}},
    {"[+--]", {"-", ","}},
    {"[[.x.]-z]", {"x", "z"}},
    {"[\xff]", {"\xff"}},
    {"[Z-a]", {"Z", "_", "a"}},
    {"[_-b]", {"_", "a", "b"}},
    {"[^_-b]", {"A", "c"}},
    {"[$^*]", {"$", "^", "*"}},
    {"[^-a]", {"b"}},
    {"[a^]", {"a", "^"}},
    {"[[]", {"["}},
    {"[[a]", {"[", "a"}},
    {"[a[.b.]-c]", {"a", "b", "c"}},
    {"[DŽ]", {"DŽ", "Dž", "dž"}},
    {"[𐐀]", {"𐐀", "𐐨"}},
    {".", {"a", "b", "é", "\n", "日", "\xff"}},
    {"\\w", {"a", "_", "é"}},
    {"\\W", {" ", "-"}},
    {"\\s", {" ", "\n"}},
    {"\\S", {"a", "-"}},
};
enum {
    SETS = sizeof sets / sizeof *sets,
    DOTS = 5
}; /* the last are no brackets, and far more usual */

static struct node *node(struct maker *m, enum kind kind)
{
    struct node *n = m->used < MOST_NODES ? &m->nodes[m->used++] : NULL;
    if (n)
        *n = (struct node){.kind = kind};
    return n;
}

static struct node *text_node(struct maker *m, const char *text, const char *means)
{
    struct node *n = node(m, TEXT);
    if (n) {
        n->text = text;
        n->means = means;
    }
    return n;
}

static void add(struct node *to, struct node *child)
{
    if (child && to->n < MOST_CHILDREN)
        to->child[to->n++] = child;
}

static struct node *alternatives(struct maker *m, unsigned depth);

static struct node *letter(struct maker *m)
{
    if (chance(m, 7)) {
        const char *w = wide[below(m, sizeof wide / sizeof *wide)];
        return text_node(m, w, w);
    }
    const char *a =
        letters[chance(m, 88) ? below(m, m->spread) : below(m, sizeof letters / sizeof *letters)];
    return text_node(m, a, a);
}

static struct node *assertion(struct maker *m)
{
    static const char *const all[] = {"^", "$", "^", "$", "\\b", "\\B", "\\<", "\\>", "\\`", "\\'"};
    return text_node(m, all[below(m, 10)], "");
}

static struct node *odd(struct maker *m)
{
    static const char *const esc[][2] = {{"\\.", "."}, {"\\*", "*"}, {"\\[", "["}, {"\\]", "]"},
                                         {"\\^", "^"}, {"\\$", "$"}, {"\\/", "/"}, {"\\\\", "\\"},
                                         {"\\n", "n"}, {"\\a", "a"}, {"\\-", "-"}, {"]", "]"},
                                         {"}", "}"},   {"\\}", "}"}};
    unsigned k = below(m, 14);
    return text_node(m, esc[k][0], esc[k][1]);
}

static struct node *atom(struct maker *m, unsigned depth)
{
    unsigned k = below(m, 100);
    struct node *n;
    if (k < 24 && depth < MOST_DEPTH) {
        unsigned number = ++m->groups;
        n = node(m, GROUP);
        if (n) {
            n->number = number;
            add(n, chance(m, 4) ? text_node(m, "", "") : alternatives(m, depth + 1));
        }
        if (number < 10)
            m->closed[m->nclosed++] = number;
        return n;
    }
    if (k < 36) {
        const struct set *s = &sets[chance(m, 60) ? SETS - 1 - below(m, DOTS) : below(m, SETS)];
        n = node(m, ONE_OF);
        if (n) {
            n->text = s->text;
            n->some = s->some;
        }
        return n;
    }
    if (k < 42 && m->nclosed) {
        n = node(m, BACKREF);
        if (n)
            n->number = chance(m, 3) ? 1 + below(m, 9) : m->closed[below(m, m->nclosed)];
        return n;
    }
    if (k < 49)
        return assertion(m);
    return k < 51 ? odd(m) : letter(m);
}

static struct node *repeated(struct maker *m, struct node *what)
{
    static const struct {
        const char *basic, *extended;
        unsigned low, high;
    } all[] = {
        {"*", "*", 0, 3},
        {"*", "*", 0, 3},
        {"*", "*", 0, 2},
        {"\\+", "+", 1, 3},
        {"\\?", "?", 0, 1},
        {"\\+", "+", 1, 3},
        {"\\?", "?", 0, 1},
        {"\\{2\\}", "{2}", 2, 2},
        {"\\{0,1\\}", "{0,1}", 0, 1},
        {"\\{1,\\}", "{1,}", 1, 3},
        {"\\{,2\\}", "{,2}", 0, 2},
        {"\\{0\\}", "{0}", 0, 0},
        {"\\{1,2\\}", "{1,2}", 1, 2},
        {"\\{2,3\\}", "{2,3}", 2, 3},
        {"\\{0,2\\}", "{0,2}", 0, 2},
        {"\\{1\\}", "{1}", 1, 1},
        {"\\{2,\\}", "{2,}", 2, 3},
        {"\\{3\\}", "{3}", 3, 3},
        {"\\{0,\\}", "{0,}", 0, 2},
        {"\\{,\\}", "{,}", 0, 2},
    };
    struct node *n = node(m, REPEAT);
    unsigned k = below(m, sizeof all / sizeof *all);
    if (!n || !what)
        return what;
    n->text = m->extended ? all[k].extended : all[k].basic;
    n->low = all[k].low;
    n->high = all[k].high;
    add(n, what);
    return n;
}

static struct node *sequence(struct maker *m, unsigned depth)
{
    struct node *cat = node(m, CAT);
    static const unsigned char sizes[] = {0, 1, 1, 1, 2, 2, 2, 3, 3, 4};
    for (unsigned left = cat ? sizes[below(m, sizeof sizes)] : 0; left; left--) {
        struct node *n = atom(m, depth);
        bool bare =
            n && n->kind == TEXT && !n->means[0]; /* repeated assertions are mostly errors */
        while (n && chance(m, bare ? 3 : n->kind == GROUP ? 45 : n->kind == REPEAT ? 12 : 30))
            n = repeated(m, n);
        add(cat, n);
    }
    return cat;
}

static struct node *alternatives(struct maker *m, unsigned depth)
{
    static const unsigned char sizes[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 3};
    unsigned left = sizes[below(m, sizeof sizes)];
    if (left == 1)
        return sequence(m, depth);
    struct node *alt = node(m, ALT);
    unsigned before = m->nclosed;
    for (; left && alt; left--) {
        add(alt, sequence(m, depth));
        if (left > 1 && chance(m, 95)) /* another branch's groups are out of reach */
            m->nclosed = before;
    }
    return alt;
}

/* ---- the pattern's text ---- */

static void write_node(struct maker *m, const struct node *n)
{
    char ref[3] = {'\\', (char)('0' + n->number % 10), '\0'};
    switch (n->kind) {
    case TEXT:
    case ONE_OF:
        put(m, n->text);
        return;
    case GROUP:
        put(m, m->extended ? "(" : "\\(");
        for (size_t k = 0; k < n->n; k++)
            write_node(m, n->child[k]);
        put(m, m->extended ? ")" : "\\)");
        return;
    case ALT:
    case CAT:
        for (size_t k = 0; k < n->n; k++) {
            if (k && n->kind == ALT)
                put(m, m->extended ? "|" : "\\|");
            write_node(m, n->child[k]);
        }
        return;
    case REPEAT:
        for (size_t k = 0; k < n->n; k++)
            write_node(m, n->child[k]);
        put(m, n->text);
        return;
    case BACKREF:
        put(m, ref);
        return;
    }
}

/* A character more or less, or one that has a meaning: mostly an error then. */
static void spoil_pattern(struct maker *m)
{
    static const char *const more[] = {"(",
                                       ")",
                                       "[",
                                       "]",
                                       "*",
                                       "{",
                                       "}",
                                       "\\",
                                       "|",
                                       "\\(",
                                       "\\)",
                                       "\\{",
                                       "\\}",
                                       "[:",
                                       ":]",
                                       "[.",
                                       "[[:foo:]]",
                                       "{1",
                                       "{2,1}",
                                       "\\{1",
                                       "\\{2,1\\}",
                                       "{a}",
                                       "+",
                                       "?",
                                       "^",
                                       "$",
                                       "[b-a]",
                                       "[[.ab.]]",
                                       "[[=ab=]]",
                                       "{32768}",
                                       "\\9",
                                       "\\1",
                                       "^*",
                                       "(*a)",
                                       "\\(*a\\)",
                                       "(^a)",
                                       "a||b",
                                       "()",
                                       "\\(^*",
                                       "{,",
                                       "{,3}",
                                       "[a",
                                       "[^",
                                       "[]",
                                       "[^]",
                                       "[a-",
                                       "[[:alpha:]-z]",
                                       "\\|*",
                                       "|*"};
    char old[LIVE_BYTES];
    size_t n = strlen(m->p->text), at = below(m, (unsigned)n + 1), cut = chance(m, 40) && at < n;
    memcpy(old, m->p->text, n + 1);
    m->n = at;
    m->to[at] = '\0';
    if (!cut || chance(m, 50))
        put(m, more[below(m, sizeof more / sizeof *more)]);
    put(m, old + at + cut);
}

/* ---- subjects ---- */

static void sample(struct maker *m, const struct node *n)
{
    size_t from = m->n, some = 0, k;
    unsigned times;
    switch (n->kind) {
    case TEXT:
        put(m, n->means);
        return;
    case ONE_OF:
        while (some < 6 && n->some[some])
            some++;
        put(m, n->some[below(m, (unsigned)some)]);
        return;
    case GROUP:
        for (k = 0; k < n->n; k++)
            sample(m, n->child[k]);
        if (n->number < 16) {
            memcpy(m->taken[n->number], m->to + from, m->n - from);
            m->taken[n->number][m->n - from] = '\0';
        }
        return;
    case ALT:
        if (n->n)
            sample(m, n->child[below(m, (unsigned)n->n)]);
        return;
    case CAT:
        for (k = 0; k < n->n; k++)
            sample(m, n->child[k]);
        return;
    case REPEAT:
        times = n->low + below(m, n->high - n->low + 1);
        for (; times && n->n && m->n < LIVE_BYTES / 4; times--)
            sample(m, n->child[0]);
        return;
    case BACKREF:
        put(m, m->taken[n->number]);
        return;
    }
}

static void noise(struct maker *m, unsigned most)
{
    for (unsigned left = below(m, most + 1); left; left--)
        put(m,
            chance(m, 80) ? letters[below(m, m->spread)] : any[below(m, sizeof any / sizeof *any)]);
}

static void make_subject(struct maker *m, const struct node *root, struct live_subject *s)
{
    m->to = s->text;
    m->n = 0;
    s->text[0] = '\0';
    s->flags = (chance(m, 8) ? LIVE_NOTBOL : 0u) | (chance(m, 8) ? LIVE_NOTEOL : 0u);
    memset(m->taken, 0, sizeof m->taken);
    if (chance(m, 35))
        noise(m, 3);
    if (chance(m, 25))
        sample(m, root);
    else
        noise(m, 6);
    if (chance(m, 35))
        noise(m, 3);
    if (m->n && chance(m, 35)) { /* without one of its bytes */
        size_t at = below(m, (unsigned)m->n);
        memmove(s->text + at, s->text + at + 1, m->n - at);
    }
    if (m->p->flags & LIVE_ICASE)
        for (char *c = s->text; *c; c++)
            if (((*c >= 'a' && *c <= 'c') || *c == 'A' || *c == 'B') && chance(m, 40))
                *c ^= 32;
}

void live_make(uint64_t number, struct live_pattern *out)
{
    struct maker m = {.p = out};
    wk_rng_seed(&m.r, number);
    memset(out, 0, sizeof *out);
    out->flags = (chance(&m, 60) ? LIVE_EXTENDED : 0u) | (chance(&m, 20) ? LIVE_ICASE : 0u) |
                 (chance(&m, 20) ? LIVE_NEWLINE : 0u) | (chance(&m, 60) ? LIVE_UTF8 : 0u);
    m.extended = out->flags & LIVE_EXTENDED;
    m.utf8 = out->flags & LIVE_UTF8;
    m.spread = 1 + below(&m, 3);
    const struct node *root = alternatives(&m, 0);
    m.to = out->text;
    write_node(&m, root);
    if (chance(&m, 6))
        spoil_pattern(&m);
    out->subjects = LIVE_SUBJECTS;
    for (size_t k = 0; k < LIVE_SUBJECTS; k++)
        make_subject(&m, root, &out->subject[k]);
}
