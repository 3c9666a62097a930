/* re.c - regular expressions: compiling, searching, lines */
#include "text/re/re_dfa.h"

enum { CACHE_BYTES = 1 << 20 };

static const char *const messages[] = {
    [WK_RE_OK] = "Success",
    [WK_RE_NOMATCH] = "No match",
    [WK_RE_BADPAT] = "Invalid regular expression",
    [WK_RE_ECOLLATE] = "Invalid collation character",
    [WK_RE_ECTYPE] = "Invalid character class name",
    [WK_RE_EESCAPE] = "Trailing backslash",
    [WK_RE_ESUBREG] = "Invalid back reference",
    [WK_RE_EBRACK] = "Unmatched [, [^, [:, [., or [=",
    [WK_RE_EPAREN] = "Unmatched ( or \\(",
    [WK_RE_EBRACE] = "Unmatched \\{",
    [WK_RE_BADBR] = "Invalid content of \\{\\}",
    [WK_RE_ERANGE] = "Invalid range end",
    [WK_RE_ESPACE] = "Memory exhausted",
    [WK_RE_BADRPT] = "Invalid preceding regular expression",
    [WK_RE_EEND] = "Premature end of regular expression",
    [WK_RE_ESIZE] = "Regular expression too big",
    [WK_RE_ERPAREN] = "Unmatched ) or \\)",
    [WK_RE_ECLASSNAME] = "character class syntax is [[:space:]], not [:space:]",
};

static void set_error(struct wk_re_error *err, enum wk_re_code code, size_t at)
{
    if (!err)
        return;
    const char *text = messages[code];
    memcpy(err->text, text, strlen(text) + 1);
    err->at = at;
    err->code = (int)code;
}

/* ---- compiling ---- */

struct build {
    struct wk_re *re;
    struct wk_re_tree *t;
    struct wk_re_error *err;
    size_t max_states;
};

/* Tree to engine; on the deep stack when groups nest deeply. */
static int build_engine(void *arg)
{
    struct build *b = arg;
    struct wk_re *re = b->re;
    re->groups = b->t->groups;
    if (b->t->max_backref)
        return wk_re_pcre_tree(re, b->t, b->err);
    int err = re->env.plain ? 0 : wk_re_find_literals(re, b->t);
    bool groups = re->groups && !(re->flags & WK_RE_NOSUB);
    return err || (re->whole && !groups) ? err : wk_re_prog_make(re, b->t, b->max_states);
}

static int compile_tree(struct wk_re *re, struct wk_str pattern, struct wk_re_error *err)
{
    struct wk_arena tmp;
    wk_arena_init(&tmp, re->mem);
    struct wk_re_tree t = {.a = &tmp, .flags = re->flags, .utf8 = !(re->flags & WK_RE_BYTES)};
    struct build b = {re, &t, err,
                      re->env.max_states ? re->env.max_states
                                         : WK_MIN(WK_RE_MAX_STATES + 2 * pattern.n, (size_t)UINT32_MAX / 8)};
    int r;
    if (!wk_re_parse(&t, pattern)) {
        set_error(err, t.error, t.error_at);
        r = t.error == WK_RE_ESPACE ? -WK_ENOMEM : -WK_EINVAL;
    } else if (t.depth <= WK_RE_PLAIN_DEPTH) {
        r = build_engine(&b);
    } else if (re->env.lib_call) {
        r = re->env.lib_call(re->env.ctx, build_engine, &b);
    } else {
        r = -WK_ELIMIT;
    }
    if (r == -WK_ELIMIT)
        set_error(err, WK_RE_ESIZE, 0);
    memcpy(re->warned, t.warned, sizeof re->warned);
    re->nwarned = t.nwarned;
    wk_arena_release(&tmp);
    return r;
}

int wk_re_compile(struct wk_mem *m, struct wk_str pattern, unsigned flags,
                  const struct wk_re_env *env, struct wk_re **out, struct wk_re_error *err)
{
    *out = NULL;
    if (err)
        *err = (struct wk_re_error){.at = 0};
    struct wk_re *re = WK_NEW(m, struct wk_re);
    if (!re)
        return -WK_ENOMEM;
    re->mem = m;
    re->refs = 1;
    re->flags = flags;
    if (env)
        re->env = *env;
    re->cache_bytes = re->env.cache_bytes ? re->env.cache_bytes : (size_t)CACHE_BYTES;
    wk_arena_init(&re->arena, m);
    int r = flags & WK_RE_PERL ? wk_re_pcre_text(re, pattern, err) : compile_tree(re, pattern, err);
    if (r) {
        wk_re_unref(re);
        return r;
    }
    *out = re;
    return 0;
}

struct wk_re *wk_re_ref(struct wk_re *re)
{
    if (re)
        re->refs++;
    return re;
}

void wk_re_unref(struct wk_re *re)
{
    if (!re || --re->refs)
        return;
    while (re->caches) {
        struct wk_re_cache *c = re->caches;
        re->caches = c->next;
        for (size_t k = 0; k < WK_RE_MODES; k++)
            wk_re_dfa_free(re, c->dfa[k]);
        wk_free(re->mem, c->rows);
        wk_free(re->mem, c);
    }
    wk_re_ahead_release(&re->ahead, re->mem);
    wk_re_pcre_free(re);
    wk_arena_release(&re->arena);
    wk_free(re->mem, re);
}

size_t wk_re_groups(const struct wk_re *re)
{
    return re->groups;
}

const char *wk_re_warning(const struct wk_re *re, size_t i)
{
    if (i >= re->nwarned)
        return NULL;
    switch (re->warned[i]) {
    case '*':
        return "* at start of expression";
    case '+':
        return "+ at start of expression";
    case '?':
        return "? at start of expression";
    default:
        return "{...} at start of expression";
    }
}

/* ---- searching ---- */

static struct wk_re_cache *take_cache(struct wk_re *re)
{
    struct wk_re_cache *c = re->caches;
    while (c && c->busy)
        c = c->next;
    if (!c) {
        c = WK_NEW(re->mem, struct wk_re_cache);
        if (!c)
            return NULL;
        c->next = re->caches;
        re->caches = c;
    }
    c->busy = true;
    return c;
}

static int scan(struct wk_re *re, struct wk_re_cache *c, enum wk_re_mode mode,
                struct wk_re_run *run, struct wk_re_scan *s)
{
    if (!c->dfa[mode] && !(c->dfa[mode] = wk_re_dfa_new(re, mode)))
        return -WK_ENOMEM;
    return wk_re_dfa_scan(c->dfa[mode], run, s);
}

static void no_groups(struct wk_re_span *spans, size_t from, size_t n)
{
    for (size_t k = from; k < n; k++)
        spans[k] = (struct wk_re_span){-1, -1};
}

/* Moves *from to where a match can begin, by the texts it must have; false when there is none. */
static bool skip_to_texts(const struct wk_re *re, struct wk_str s, size_t *from)
{
    if (re->part && re->part != re->begin && wk_re_finder_next(re->part, s, *from, NULL) == SIZE_MAX)
        return false;
    if (!re->begin)
        return true;
    size_t at = wk_re_finder_next(re->begin, s, *from, NULL);
    *from = at;
    return at != SIZE_MAX;
}

static int search_program(struct wk_re *re, struct wk_re_cache *c, struct wk_re_run *run,
                          struct wk_re_scan *s, struct wk_re_span *spans, size_t n)
{
    size_t begin = s->from;
    if (re->prog->anchored && begin > 0)
        return 0;
    if (!re->prog->anchored && !skip_to_texts(re, s->s, &s->from))
        return wk_re_work(run, s->s.n - begin);
    enum wk_re_mode mode = re->prog->anchored ? WK_RE_FIXED
                           : n == 0           ? WK_RE_ANY_MATCH
                                              : WK_RE_LEFTMOST;
    int r = scan(re, c, mode, run, s);
    if (r != 1 || n == 0)
        return r;
    spans[0] = (struct wk_re_span){(ptrdiff_t)s->from, (ptrdiff_t)s->found};
    if (mode == WK_RE_LEFTMOST && s->start != SIZE_MAX) {
        spans[0].start = (ptrdiff_t)s->start;
    } else if (mode == WK_RE_LEFTMOST) {
        s->floor = s->from;
        s->from = s->found;
        r = scan(re, c, WK_RE_BACKWARD, run, s);
        if (r != 1)
            return r == 0 ? -WK_EBUG : r;
        spans[0].start = (ptrdiff_t)s->found;
    }
    no_groups(spans, 1, n);
    if (n > 1 && re->groups && !(re->flags & WK_RE_NOSUB)) {
        r = wk_re_captures(re, c, run, s, spans, n);
        return r ? r : 1;
    }
    return 1;
}

static int search_whole(struct wk_re *re, struct wk_re_run *run, struct wk_str subject, size_t from,
                        struct wk_re_span *spans, size_t n)
{
    size_t len, at = wk_re_finder_next(re->whole, subject, from, &len);
    int err = wk_re_work(run, at == SIZE_MAX ? subject.n - from : at - from + len);
    if (err || at == SIZE_MAX)
        return err;
    if (n) {
        spans[0] = (struct wk_re_span){(ptrdiff_t)at, (ptrdiff_t)(at + len)};
        no_groups(spans, 1, n);
    }
    return 1;
}

int wk_re_search(struct wk_re *re, struct wk_re_run *run, struct wk_str subject, size_t from,
                 struct wk_re_span *spans, size_t n)
{
    if (from > subject.n)
        return 0;
    if (!subject.p)
        subject.p = "";
    if (re->whole && (n <= 1 || !re->groups || !re->prog))
        return search_whole(re, run, subject, from, spans, n);
    if (re->pcre)
        return wk_re_pcre_search(re, run, subject, from, spans, n);
    struct wk_re_cache *c = take_cache(re);
    if (!c)
        return -WK_ENOMEM;
    struct wk_re_scan s = {.s = subject, .from = from};
    s.left = run && run->not_bol ? WK_RE_SIDE_EDGE_OFF : WK_RE_SIDE_EDGE;
    s.right = run && run->not_eol ? WK_RE_SIDE_EDGE_OFF : WK_RE_SIDE_EDGE;
    int r = search_program(re, c, run, &s, spans, n);
    c->busy = false;
    return r;
}

/* ---- lines ---- */

/* The line around byte `at`, not before `from`. */
static void line_around(struct wk_str buf, size_t from, size_t at, char eol,
                        struct wk_re_span *line)
{
    ptrdiff_t before = wk_str_rchr(wk_str(buf.p + from, at - from), eol);
    ptrdiff_t after = wk_str_chr(wk_str_from(buf, at), eol);
    line->start = (ptrdiff_t)from + before + 1;
    line->end = after < 0 ? (ptrdiff_t)buf.n : (ptrdiff_t)at + after;
}

/* One line after the other, for PCRE2. */
static int find_line_slowly(struct wk_re *re, struct wk_re_run *run, struct wk_str buf, size_t from,
                            char eol, struct wk_re_span *line)
{
    while (from < buf.n) {
        line_around(buf, from, from, eol, line);
        struct wk_str text = wk_str(buf.p + line->start, (size_t)(line->end - line->start));
        int r = wk_re_search(re, run, text, 0, NULL, 0);
        if (r)
            return r;
        from = (size_t)line->end + 1;
    }
    return 0;
}

/* wk_re_judge with a cache. */
static int judge(struct wk_re *re, struct wk_re_run *run, struct wk_str s, size_t from, char eol,
                 uint64_t *marks, size_t *found)
{
    if (re->whole)
        return wk_re_judge(re, NULL, run, s, from, eol, marks, found);
    struct wk_re_cache *c = take_cache(re);
    if (!c)
        return -WK_ENOMEM;
    struct wk_re_dfa **d = &c->dfa[WK_RE_LINES];
    int r = -WK_ENOMEM;
    if (*d || (*d = wk_re_dfa_new(re, WK_RE_LINES)) != NULL)
        r = wk_re_judge(re, *d, run, s, from, eol, marks, found);
    c->busy = false;
    return r;
}

int wk_re_find_line(struct wk_re *re, struct wk_re_run *run, struct wk_str buf, size_t from,
                    char eol, struct wk_re_span *line)
{
    if (re->pcre)
        return find_line_slowly(re, run, buf, from, eol, line);
    size_t found;
    int r = from < buf.n ? judge(re, run, buf, from, eol, NULL, &found) : 0;
    if (r == 1)
        line_around(buf, from, found, eol, line);
    return r;
}

static int judge_slowly(struct wk_re *re, struct wk_re_run *run, struct wk_str s, struct wk_re_lines *l)
{
    struct wk_re_span line;
    size_t at = l->from;
    int r;
    while ((r = find_line_slowly(re, run, s, at, l->eol, &line)) == 1) {
        size_t bit = l->to - l->from > WK_RE_BLOCK ? 0 : (size_t)line.start - l->from;
        l->marks[bit >> 6] |= 1ull << (bit & 63);
        at = (size_t)line.end + 1;
    }
    return r;
}

int wk_re_lines_judge(struct wk_re *re, struct wk_re_run *run, struct wk_str buf, size_t from,
                      char eol, struct wk_re_lines *lines)
{
    size_t found, end = WK_MIN(buf.n, from + WK_RE_BLOCK);
    lines->from = lines->at = from;
    lines->eol = eol;
    if (end < buf.n) {
        ptrdiff_t last = wk_str_rchr(wk_str(buf.p + from, end - from), eol);
        ptrdiff_t next = last < 0 ? wk_str_chr(wk_str_from(buf, end), eol) : -1;
        end = last >= 0 ? from + (size_t)last + 1 : next >= 0 ? end + (size_t)next + 1 : buf.n;
    }
    lines->to = end;
    memset(lines->marks, 0, (WK_MIN(end - from, (size_t)WK_RE_BLOCK) + 63) / 64 * sizeof(uint64_t));
    if (from >= end)
        return 0;
    if (re->pcre)
        return judge_slowly(re, run, wk_str_take(buf, end), lines);
    return judge(re, run, wk_str_take(buf, end), from, eol, lines->marks, &found);
}

/* Words of marks that are in use. */
static size_t mark_words(const struct wk_re_lines *l)
{
    return (WK_MIN(l->to - l->from, (size_t)WK_RE_BLOCK) + 63) / 64;
}

bool wk_re_lines_next(struct wk_re_lines *lines, struct wk_str buf, struct wk_re_span *line)
{
    size_t bit = lines->at - lines->from, words = mark_words(lines), word = bit >> 6;
    uint64_t bits = word < words ? lines->marks[word] & (UINT64_MAX << (bit & 63)) : 0;
    while (!bits && ++word < words)
        bits = lines->marks[word];
    if (!bits)
        return false;
    size_t at = lines->from + word * 64 + (unsigned)__builtin_ctzll(bits);
    line_around(wk_str_take(buf, lines->to), lines->at, at, lines->eol, line);
    lines->at = WK_MIN((size_t)line->end + 1, lines->to);
    return true;
}

size_t wk_re_lines_count(const struct wk_re_lines *lines)
{
    size_t n = 0, words = mark_words(lines);
    for (size_t k = 0; k < words; k++)
        for (uint64_t bits = lines->marks[k]; bits; bits &= bits - 1)
            n++;
    return n;
}
