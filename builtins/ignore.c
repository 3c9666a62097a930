/* ignore.c - globs and rules of files such as .gitignore */
#include "builtins/ignore.h"

#include "base/utf8.h"

enum { TEXTS_MOST = 1 << 20 }; /* bytes of all alternatives of a glob */

enum glob_op { ONE, ANY, SET, STAR, PREFIX, MIDDLE, SUFFIX };

struct glob_token {
    uint8_t op;
    unsigned char ch;
    uint32_t set; /* number of a set */
};

struct glob_set {
    uint64_t bits[4];
};

/* What needs no tokens: the last part of a path is this text, or ends with it. */
enum glob_kind { TOKENS, NAME, NAME_END, ALL };

struct glob_one {
    enum glob_kind kind;
    char *text;
    size_t text_n;
    struct glob_token *t;
    size_t n;
    struct glob_set *sets;
    size_t sets_n;
};

struct wk_glob {
    bool fold;
    struct glob_one *v;
    size_t n;
};

/* ---- reading -----------------------------------------------------------------------------------------------------
 */

struct reader {
    struct wk_cmd *c;
    struct wk_str s;
    size_t at;
    struct glob_one *out;
    bool fold, in_braces;
    const char *err;
};

static void push(struct reader *r, enum glob_op op, char ch)
{
    r->out->t[r->out->n++] = (struct glob_token){(uint8_t)op, (unsigned char)ch, (uint32_t)r->out->sets_n};
}

static bool set_has(const struct glob_set *s, unsigned char ch)
{
    return s->bits[ch / 64] >> ch % 64 & 1;
}

static void set_add(struct glob_set *s, unsigned char ch)
{
    s->bits[ch / 64] |= UINT64_C(1) << ch % 64;
}

static void add_fold(struct reader *r, struct glob_set *s, unsigned char ch)
{
    set_add(s, ch);
    if (r->fold && wk_is_alpha(ch))
        set_add(s, ch ^ 32);
}

/* [abc] [a-c] [!a] [^a]; r->at is behind the '['. */
static bool read_set(struct reader *r)
{
    struct glob_set s = {{0}};
    const char *p = r->s.p;
    bool negated = r->at < r->s.n && (p[r->at] == '!' || p[r->at] == '^');
    r->at += negated;
    for (size_t first = r->at;; r->at++) {
        if (r->at >= r->s.n) {
            r->err = "unclosed character class; missing ']'";
            return false;
        }
        unsigned char lo = (unsigned char)p[r->at], hi = lo;
        if (lo == ']' && r->at > first)
            break;
        if (r->at + 2 < r->s.n && p[r->at + 1] == '-' && p[r->at + 2] != ']') {
            hi = (unsigned char)p[r->at + 2];
            r->at += 2;
        }
        if (hi < lo) {
            r->err = wk_strf(r->c, "invalid range; '%c' > '%c'", lo, hi);
            return false;
        }
        for (unsigned ch = lo; ch <= hi; ch++)
            add_fold(r, &s, (unsigned char)ch);
    }
    r->at++;
    for (int i = 0; i < 4 && negated; i++)
        s.bits[i] = ~s.bits[i];
    push(r, SET, 0);
    r->out->sets[r->out->sets_n++] = s;
    return true;
}

/* Stars; r->at is at the first. */
static void read_stars(struct reader *r)
{
    struct glob_one *o = r->out;
    const char *p = r->s.p;
    size_t at = r->at;
    bool two = at + 1 < r->s.n && p[at + 1] == '*';
    r->at += two ? 2 : 1;
    bool end = r->at >= r->s.n, slash = !end && p[r->at] == '/';
    bool first = o->n == 0, behind = !first && at && p[at - 1] == '/';
    if (!two || !(end || slash) || !(first || behind)) {
        push(r, STAR, 0);
        return;
    }
    if (first) {
        r->at += slash;
        push(r, PREFIX, 0);
        return;
    }
    struct glob_token *last = &o->t[o->n - 1]; /* the slash before, or "**" and its slash */
    r->at += slash;
    if (last->op == PREFIX || last->op == SUFFIX)
        return;
    last->op = end ? SUFFIX : MIDDLE;
}

static bool read_glob(struct reader *r)
{
    while (r->at < r->s.n) {
        char ch = r->s.p[r->at];
        if (ch == '*') {
            read_stars(r);
            continue;
        }
        r->at++;
        if (ch == '?') {
            push(r, ANY, 0);
        } else if (ch == '[') {
            if (!read_set(r))
                return false;
        } else if (ch == '\\') {
            if (r->at >= r->s.n) {
                r->err = "dangling '\\'";
                return false;
            }
            push(r, ONE, r->s.p[r->at++]);
        } else {
            push(r, ONE, ch);
        }
    }
    return true;
}

static void find_kind(struct reader *r)
{
    struct glob_one *o = r->out;
    size_t from = o->n > 1 && o->t[0].op == PREFIX;
    bool star = from && o->t[1].op == STAR && o->n > 2;
    if (!from || r->fold)
        return;
    from += star;
    for (size_t i = from; i < o->n; i++)
        if (o->t[i].op != ONE || o->t[i].ch == '/')
            return;
    o->kind = star ? NAME_END : NAME;
    o->text_n = o->n - from;
    o->text = wk_heap_alloc(r->c->heap, o->text_n + 1);
    for (size_t i = from; i < o->n; i++)
        o->text[i - from] = (char)o->t[i].ch;
}

static bool read_one(struct wk_cmd *c, struct wk_str s, bool fold, struct glob_one *out, const char **err)
{
    struct reader r = {.c = c, .s = s, .out = out, .fold = fold};
    *out = (struct glob_one){.t = wk_heap_calloc(c->heap, s.n + 1, sizeof *out->t)};
    out->sets = wk_heap_calloc(c->heap, wk_str_count(s, '[') + 1, sizeof *out->sets);
    if (!read_glob(&r)) {
        *err = r.err;
        return false;
    }
    find_kind(&r);
    if (wk_str_is(s, "**"))
        out->kind = ALL;
    return true;
}

/* Past a set or an escaped character at `at`; at + 1 where there is none. */
static size_t past_item(struct wk_str s, size_t at)
{
    if (s.p[at] == '\\')
        return WK_MIN(at + 2, s.n);
    if (s.p[at] != '[')
        return at + 1;
    size_t i = at + 1;
    i += i < s.n && (s.p[i] == '!' || s.p[i] == '^');
    for (size_t first = i; i < s.n; i++)
        if (s.p[i] == ']' && i > first)
            return i + 1;
    return at + 1;
}

/* The braces from `at`: where they close; 0 with *err set. Alternatives that are empty do not count. */
static size_t find_close(struct wk_str s, size_t at, size_t *count, const char **err)
{
    size_t from = at + 1;
    *count = 0;
    for (size_t i = from; i < s.n; i = past_item(s, i)) {
        if (s.p[i] == '{') {
            *err = "nested alternate groups are not allowed";
            return 0;
        }
        if (s.p[i] == ',' || s.p[i] == '}') {
            *count += i > from;
            from = i + 1;
        }
        if (s.p[i] == '}')
            return i;
    }
    *err = "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)";
    return 0;
}

/* How many texts the braces stand for; 0 with *err set. */
static size_t count_texts(struct wk_str s, const char **err)
{
    size_t all = 1, count;
    for (size_t i = 0; i < s.n;) {
        if (s.p[i] != '{') {
            i = past_item(s, i);
            continue;
        }
        i = find_close(s, i, &count, err);
        if (!i)
            return 0;
        i++;
        all *= WK_MAX(count, (size_t)1);
        if (all > WK_GLOB_ALTERNATIVES || all * s.n > TEXTS_MOST) {
            *err = "too many alternatives";
            return 0;
        }
    }
    return all;
}

/* The text number k. */
static struct wk_str text_at(struct wk_cmd *c, struct wk_str s, size_t k)
{
    char *out = wk_heap_alloc(c->heap, s.n + 1);
    size_t n = 0, count;
    const char *err;
    for (size_t i = 0; i < s.n;) {
        if (s.p[i] != '{') {
            size_t next = past_item(s, i),
                   keep = s.p[i] == '}' ? 0 : next - i; /* one that closes nothing is nothing */
            memcpy(out + n, s.p + i, keep);
            n += keep;
            i = next;
            continue;
        }
        size_t close = find_close(s, i, &count, &err), from = i + 1, pick = count ? k % count : 0;
        k /= WK_MAX(count, (size_t)1);
        for (size_t at = from; at <= close; at = at < close ? past_item(s, at) : at + 1) {
            if (at < close && s.p[at] != ',')
                continue;
            if (at > from && pick-- == 0) {
                memcpy(out + n, s.p + from, at - from);
                n += at - from;
            }
            from = at + 1;
        }
        i = close + 1;
    }
    return wk_str(out, n);
}

static bool has_braces(struct wk_str s)
{
    return wk_str_chr(s, '{') >= 0 || wk_str_chr(s, '}') >= 0;
}

struct wk_glob *wk_glob_new(struct wk_cmd *c, struct wk_str text, bool fold, const char **err)
{
    size_t n = count_texts(text, err);
    if (!n)
        return NULL;
    struct wk_glob *g = wk_new(c, struct wk_glob);
    *g = (struct wk_glob){.fold = fold, .v = wk_heap_calloc(c->heap, n, sizeof *g->v)};
    for (; g->n < n; g->n++) {
        struct wk_str one = n == 1 && !has_braces(text) ? text : text_at(c, text, g->n);
        bool good = read_one(c, one, fold, &g->v[g->n], err);
        if (one.p != text.p)
            wk_heap_free(c->heap, (void *)(uintptr_t)one.p);
        wk_tick(c, (uint32_t)(text.n / 16 & 0xffffff) + 1);
        if (!good) {
            g->n++;
            wk_glob_free(c, g);
            return NULL;
        }
    }
    return g;
}

void wk_glob_free(struct wk_cmd *c, struct wk_glob *g)
{
    for (size_t i = 0; g && i < g->n; i++) {
        wk_heap_free(c->heap, g->v[i].text);
        wk_heap_free(c->heap, g->v[i].t);
        wk_heap_free(c->heap, g->v[i].sets);
    }
    if (g)
        wk_heap_free(c->heap, g->v);
    wk_heap_free(c->heap, g);
}

/* ---- matching ----------------------------------------------------------------------------------------------------
 */

static unsigned char folded(unsigned char ch)
{
    return (unsigned char)wk_to_lower(ch);
}

/* Only the last '*' and the last "**" need to be tried again: what stands before them has matched as little as it
 * can. */
static bool match_tokens(struct wk_cmd *c, const struct glob_one *o, bool fold, const char *s, size_t n)
{
    size_t i = 0, at = 0, star = SIZE_MAX, star_at = 0, wide = SIZE_MAX, wide_at = 0;
    uint32_t work = 0;
    for (;; work++) {
        if (i == o->n && at == n) {
            wk_tick(c, work / 16 + 1);
            return true;
        }
        const struct glob_token *t = i < o->n ? &o->t[i] : NULL;
        unsigned char ch = at < n ? (unsigned char)s[at] : 0;
        if (t && t->op == STAR) {
            star = ++i;
            star_at = at;
            continue;
        }
        if (t && t->op == PREFIX) {
            wide = ++i;
            wide_at = at;
            star = SIZE_MAX;
            continue;
        }
        if (t && t->op == SUFFIX && at < n && ch == '/') {
            i++;
            at = n;
            continue;
        }
        if (t && t->op == MIDDLE && at < n && ch == '/') {
            wide = ++i;
            wide_at = ++at;
            star = SIZE_MAX;
            continue;
        }
        bool fits = t && at < n &&
                    (t->op == ONE   ? (fold ? folded(t->ch) == folded(ch) : t->ch == ch)
                     : t->op == ANY ? ch != '/'
                                    : t->op == SET && set_has(&o->sets[t->set], ch));
        if (fits) {
            i++;
            at++;
            continue;
        }
        if (star != SIZE_MAX && star_at < n && s[star_at] != '/') {
            at = ++star_at;
            i = star;
            continue;
        }
        const char *slash = wide != SIZE_MAX && wide_at < n ? memchr(s + wide_at, '/', n - wide_at) : NULL;
        if (!slash) {
            wk_tick(c, work / 16 + 1);
            return false;
        }
        at = wide_at = (size_t)(slash - s) + 1;
        i = wide;
        star = SIZE_MAX;
    }
}

bool wk_glob_matches(struct wk_cmd *c, const struct wk_glob *g, const char *path, size_t n, const char *name)
{
    size_t name_n = n - (size_t)(name - path);
    for (size_t i = 0; i < g->n; i++) {
        const struct glob_one *o = &g->v[i];
        bool yes;
        if (o->kind == NAME)
            yes = name_n == o->text_n && memcmp(name, o->text, name_n) == 0;
        else if (o->kind == ALL)
            yes = true;
        else if (o->kind == NAME_END)
            yes = name_n >= o->text_n && memcmp(path + n - o->text_n, o->text, o->text_n) == 0;
        else
            yes = match_tokens(c, o, g->fold, path, n);
        if (yes)
            return true;
    }
    return false;
}

/* ---- rules -------------------------------------------------------------------------------------------------------
 */

static struct wk_str trim_end(struct wk_str s)
{
    if (wk_str_ends(s, WK_STR("\\ ")))
        return s;
    while (s.n && wk_is_space((unsigned char)s.p[s.n - 1]))
        s.n--;
    return s;
}

const char *wk_rules_add(struct wk_cmd *c, struct wk_rules *r, struct wk_str line, bool fold, const char **glob)
{
    struct wk_rule rule = {.keep = false};
    const char *err = NULL;
    struct wk_str s = line.n && line.p[0] == '#' ? wk_str("", 0) : trim_end(line);
    bool anchored = false;
    if (!s.n)
        return NULL;
    *glob = wk_dupn(c, s.p, s.n);
    if (wk_str_starts(s, WK_STR("\\!")) || wk_str_starts(s, WK_STR("\\#"))) {
        s = wk_str_from(s, 1);
    } else {
        rule.keep = s.p[0] == '!';
        s = wk_str_from(s, rule.keep);
        anchored = s.n && s.p[0] == '/';
        s = wk_str_from(s, anchored);
    }
    rule.dir_only = s.n && s.p[s.n - 1] == '/';
    s.n -= rule.dir_only;
    if (rule.dir_only && s.n && s.p[s.n - 1] == '\\')
        s.n--;
    bool wide = wk_str_starts(s, WK_STR("**/")) || wk_str_is(s, "**");
    bool prefix = !anchored && wk_str_chr(s, '/') < 0 && !wide;
    bool suffix = wk_str_ends(s, WK_STR("/**")) || (prefix && wk_str_is(s, "**"));
    char *text = wk_strf(c, "%s%.*s%s", prefix ? "**/" : "", (int)s.n, s.p, suffix ? "/*" : "");
    rule.glob = wk_glob_new(c, wk_str_c(text), fold, &err);
    wk_heap_free(c->heap, text);
    if (!rule.glob)
        return err;
    if (r->n == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 8;
        r->v = wk_heap_realloc(c->heap, r->v, r->cap * sizeof *r->v);
    }
    r->v[r->n++] = rule;
    r->keeps += rule.keep;
    return NULL;
}

void wk_rules_release(struct wk_cmd *c, struct wk_rules *r)
{
    for (size_t i = 0; i < r->n; i++)
        wk_glob_free(c, r->v[i].glob);
    wk_heap_free(c->heap, r->v);
    *r = (struct wk_rules){.n = 0};
}

enum wk_verdict wk_rules_ask(struct wk_cmd *c, const struct wk_rules *r, const char *path, size_t n, const char *name,
                             bool is_dir)
{
    wk_tick(c, (uint32_t)WK_MIN(r->n / 8, (size_t)UINT16_MAX) + 1);
    for (size_t i = r->n; i-- > 0;) {
        const struct wk_rule *rule = &r->v[i];
        if ((is_dir || !rule->dir_only) && wk_glob_matches(c, rule->glob, path, n, name))
            return rule->keep ? WK_RULES_KEEP : WK_RULES_IGNORE;
    }
    return WK_RULES_SILENT;
}
