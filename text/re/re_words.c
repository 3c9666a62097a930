/* re_words.c - very many plain texts at once: the automaton of Aho and Corasick
 *
 * The texts are sorted, so the states can be numbered level by level and a state's children stand side by
 * side. The states of the first two levels, where nearly all steps begin and end, have full tables.
 *
 * With WK_RE_ICASE texts and subject are read in upper case, character by character; lengths then count
 * characters, since the cases of a letter may differ in bytes. Otherwise they count bytes.
 */
#include "text/re/re_words.h"

#include "base/sort.h"

enum { SLICE = 65536, ROW = 256 };

struct state {
    uint32_t child, n_children; /* states child .. child + n_children - 1, rising by byte */
    uint32_t fail;
    uint32_t depth;   /* complete units from the root */
    uint32_t longest; /* units of the longest text that ends here; 0: none */
    uint32_t shorter; /* the next state behind `fail` where one ends; 0: none */
    uint8_t byte;     /* what leads here */
    bool ends;        /* a text is spelt by the way from the root */
};

struct wk_re_words {
    struct state *st;
    uint32_t n, rows; /* the first `rows` states have a row */
    uint32_t *row;
    bool fold, utf8, word, line, has_empty;
};

/* ---- is it such a list? ------------------------------------------------------------------------ */

/* The byte that parts the texts; -1 when the pattern is more than texts. */
static int separator(unsigned flags, struct wk_str pattern)
{
    if (flags & WK_RE_LITERAL)
        return flags & WK_RE_ALTS ? '\n' : -1;
    if (flags & (WK_RE_PERL | WK_RE_EMACS))
        return -1;
    const char *special = flags & WK_RE_EXTENDED ? "\\[.*^$+?{}()" : "\\[.*^$";
    for (const char *p = special; *p; p++)
        if (wk_str_chr(pattern, *p) >= 0)
            return -1;
    bool bars = flags & WK_RE_EXTENDED && wk_str_chr(pattern, '|') >= 0;
    bool lines = flags & WK_RE_ALTS && wk_str_chr(pattern, '\n') >= 0;
    return bars == lines ? -1 : bars ? '|' : '\n';
}

/* Appends text in upper case. */
static bool put_folded(struct wk_buf *b, struct wk_str text, bool utf8)
{
    for (size_t i = 0; i < text.n;) {
        uint32_t c;
        char out[6];
        i += wk_char_next(!utf8, text.p + i, text.n - i, &c);
        if (!wk_buf_put(b, out, wk_utf8_put(out, utf8 || c < 128 ? wk_utf8_upper(c) : c)))
            return false;
    }
    return true;
}

static int order(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return wk_str_cmp(*(const struct wk_str *)a, *(const struct wk_str *)b);
}

/* The texts, sorted and each once, in *list (with `n` of them); their bytes are in `bytes`. */
static int sort_texts(struct wk_re_words *w, struct wk_mem *m, struct wk_str all, char sep, struct wk_str *list,
                      size_t *n)
{
    size_t kept = 0, at = 0;
    for (;;) {
        ptrdiff_t end = wk_str_chr(wk_str_from(all, at), sep);
        struct wk_str text = end < 0 ? wk_str_from(all, at) : wk_str(all.p + at, (size_t)end);
        if (text.n)
            list[kept++] = text;
        else
            w->has_empty = true;
        if (end < 0)
            break;
        at += (size_t)end + 1;
    }
    struct wk_sort how = {.cmp = order};
    int r = wk_sort(m, list, kept, sizeof *list, &how);
    if (r)
        return r;
    *n = 0;
    for (size_t i = 0; i < kept; i++)
        if (i == 0 || !wk_str_eq(list[i], list[*n - 1]))
            list[(*n)++] = list[i];
    return 0;
}

/* ---- making the automaton ---------------------------------------------------------------------- */

/* The texts that go through a state: list[lo, hi), which agree in `depth` bytes. */
struct reach {
    uint32_t lo, hi, depth;
};

static bool begins_char(const struct wk_re_words *w, uint8_t b)
{
    return !w->fold || !w->utf8 || !wk_utf8_continues(b);
}

/* Numbers the children of state v, which are behind all states so far. */
static void grow(struct wk_re_words *w, uint32_t v, const struct wk_str *list, struct reach *reach)
{
    struct reach r = reach[v];
    uint32_t i = r.lo;
    w->st[v].ends = list[i].n == r.depth;
    i += w->st[v].ends;
    w->st[v].child = w->n;
    while (i < r.hi) {
        uint8_t byte = (uint8_t)list[i].p[r.depth];
        uint32_t first = i;
        while (i < r.hi && (uint8_t)list[i].p[r.depth] == byte)
            i++;
        reach[w->n] = (struct reach){first, i, r.depth + 1};
        w->st[w->n++] = (struct state){.byte = byte, .depth = w->st[v].depth + begins_char(w, byte)};
    }
    w->st[v].n_children = w->n - w->st[v].child;
}

/* The child of a state by a byte; 0 when there is none. */
static inline uint32_t child(const struct wk_re_words *w, uint32_t v, uint8_t byte)
{
    const struct state *s = &w->st[v];
    uint32_t lo = s->child, n = s->n_children;
    while (n > 4) { /* the last whose byte is not greater */
        uint32_t half = n / 2;
        if (w->st[lo + half].byte <= byte) {
            lo += half;
            n -= half;
        } else {
            n = half;
        }
    }
    for (; n; lo++, n--)
        if (w->st[lo].byte == byte)
            return lo;
    return 0;
}

static uint32_t follow(const struct wk_re_words *w, uint32_t v, uint8_t byte)
{
    for (;;) {
        if (v < w->rows)
            return w->row[v * ROW + byte];
        uint32_t to = child(w, v, byte);
        if (to)
            return to;
        v = w->st[v].fail;
    }
}

/* Where the states fail to and what ends there, level by level; v's children get theirs. */
static void link_children(struct wk_re_words *w, uint32_t v)
{
    const struct state *s = &w->st[v];
    for (uint32_t c = s->child; c < s->child + s->n_children; c++) {
        struct state *t = &w->st[c];
        t->fail = v == 0 ? 0 : follow(w, s->fail, t->byte);
        const struct state *f = &w->st[t->fail];
        t->longest = t->ends ? t->depth : f->longest;
        t->shorter = f->ends ? t->fail : f->shorter;
    }
}

static void fill_row(struct wk_re_words *w, uint32_t v)
{
    uint32_t *row = w->row + (size_t)v * ROW;
    for (unsigned b = 0; b < ROW; b++) {
        uint32_t to = child(w, v, (uint8_t)b);
        row[b] = to || v == 0 ? to : w->row[b];
    }
}

/* How many states the sorted texts need. */
static size_t count_states(const struct wk_str *list, size_t n)
{
    size_t states = 1;
    for (size_t i = 0; i < n; i++) {
        size_t same = 0, most = i ? WK_MIN(list[i].n, list[i - 1].n) : 0;
        while (same < most && list[i].p[same] == list[i - 1].p[same])
            same++;
        states += list[i].n - same;
    }
    return states;
}

static int build(struct wk_re *re, struct wk_re_words *w, const struct wk_str *list, size_t n)
{
    struct wk_mem *m = re->mem;
    size_t states = count_states(list, n);
    struct reach *reach = wk_alloc(m, states * sizeof *reach);
    w->st = wk_arena_alloc(&re->arena, states * sizeof *w->st);
    int r = reach && w->st ? 0 : -WK_ENOMEM;
    if (!r) {
        w->st[0] = (struct state){.depth = 0};
        w->n = 1;
        reach[0] = (struct reach){0, (uint32_t)n, 0};
        for (uint32_t v = 0; v < w->n; v++)
            grow(w, v, list, reach);
        uint32_t rows = 1 + w->st[0].n_children;
        w->row = wk_arena_alloc(&re->arena, (size_t)rows * ROW * sizeof *w->row);
        r = w->row ? 0 : -WK_ENOMEM;
        for (uint32_t v = 0; !r && v < rows; v++)
            fill_row(w, v);
        w->rows = rows;
        for (uint32_t v = 0; !r && v < w->n; v++)
            link_children(w, v);
    }
    wk_free(m, reach);
    return r;
}

static int make(struct wk_re *re, struct wk_re_words *w, struct wk_str all, char sep, size_t count)
{
    struct wk_str *list = wk_alloc(re->mem, count * sizeof *list);
    size_t n = 0;
    int r = list ? sort_texts(w, re->mem, all, sep, list, &n) : -WK_ENOMEM;
    if (!r && n && !(w->has_empty && w->word))
        r = build(re, w, list, n);
    wk_free(re->mem, list);
    return r;
}

int wk_re_words_take(struct wk_re *re, struct wk_str pattern)
{
    int sep = separator(re->flags, pattern);
    size_t count = sep < 0 ? 0 : wk_str_count(pattern, (char)sep) + 1;
    bool utf8 = !(re->flags & WK_RE_BYTES);
    if (count < WK_RE_WORDS_MIN || (utf8 && !wk_utf8_valid(pattern)))
        return 0;
    if (pattern.n > WK_RE_WORDS_BYTES)
        return -WK_ELIMIT;
    struct wk_re_words *w = wk_arena_zalloc(&re->arena, sizeof *w);
    struct wk_buf folded;
    if (!w)
        return -WK_ENOMEM;
    w->fold = re->flags & WK_RE_ICASE;
    w->utf8 = utf8;
    w->word = re->flags & WK_RE_WORD;
    w->line = re->flags & WK_RE_LINE;
    wk_buf_init(&folded, re->mem, SIZE_MAX / 2);
    int r = 0;
    if (w->fold && !put_folded(&folded, pattern, utf8))
        r = -WK_ENOMEM;
    if (!r)
        r = make(re, w, w->fold ? wk_buf_str(&folded) : pattern, (char)sep, count);
    wk_buf_release(&folded);
    if (r || !w->st)
        return r;
    re->words = w;
    return 1;
}

/* ---- walking ------------------------------------------------------------------------------------ */

/* The state behind the unit at s.p + *at, which is left behind. */
static inline uint32_t step(const struct wk_re_words *w, uint32_t v, struct wk_str s, size_t *at)
{
    uint8_t b = (uint8_t)s.p[*at];
    if (!w->fold || b < 128 || !w->utf8) {
        ++*at;
        return follow(w, v, w->fold ? (uint8_t)wk_to_upper(b) : b);
    }
    uint32_t c;
    char out[6];
    *at += wk_utf8_next(s.p + *at, s.n - *at, &c);
    size_t n = wk_utf8_put(out, wk_utf8_upper(c));
    for (size_t i = 0; i < n; i++)
        v = follow(w, v, (uint8_t)out[i]);
    return v;
}

/* Start of the text of that many units that ends at `end`. */
static size_t start_of(const struct wk_re_words *w, struct wk_str s, size_t end, uint32_t units)
{
    if (!w->fold || !w->utf8)
        return end - units;
    while (units--)
        end -= wk_utf8_prev(s.p, end);
    return end;
}

static bool is_word_char(const struct wk_re_words *w, uint32_t c)
{
    return c == '_' || (w->utf8 ? wk_utf8_is(c, WK_CLASS_ALNUM) : c < 128 && wk_utf8_is(c, WK_CLASS_ALNUM));
}

static bool word_before(const struct wk_re_words *w, struct wk_str s, size_t at)
{
    uint32_t c;
    if (at == 0)
        return false;
    size_t n = w->utf8 ? wk_utf8_prev(s.p, at) : 1;
    (void)wk_char_next(!w->utf8, s.p + at - n, n, &c);
    return is_word_char(w, c);
}

static bool word_behind(const struct wk_re_words *w, struct wk_str s, size_t at)
{
    uint32_t c;
    if (at >= s.n)
        return false;
    (void)wk_char_next(!w->utf8, s.p + at, s.n - at, &c);
    return is_word_char(w, c);
}

/* Units of the longest text that ends at `end` in state v and may count there; 0: none. */
static uint32_t ending(const struct wk_re_words *w, uint32_t v, struct wk_str s, size_t end)
{
    const struct state *st = &w->st[v];
    if (!w->word || !st->longest)
        return st->longest;
    if (word_behind(w, s, end))
        return 0;
    for (uint32_t u = st->ends ? v : st->shorter; u; u = w->st[u].shorter)
        if (!word_before(w, s, start_of(w, s, end, w->st[u].depth)))
            return w->st[u].depth;
    return 0;
}

/* Whether all of the line is one of the texts. */
static bool is_text(const struct wk_re_words *w, struct wk_str line)
{
    uint32_t v = 0;
    for (size_t at = 0; at < line.n;) {
        uint32_t c;
        char out[6] = {line.p[at]};
        size_t n = 1;
        if (w->fold) {
            at += wk_char_next(!w->utf8, line.p + at, line.n - at, &c);
            n = wk_utf8_put(out, w->utf8 || c < 128 ? wk_utf8_upper(c) : c);
        } else {
            at++;
        }
        for (size_t i = 0; i < n; i++)
            if (!(v = child(w, v, (uint8_t)out[i])))
                return false;
    }
    return v ? w->st[v].ends : w->has_empty;
}

static int search_line(const struct wk_re_words *w, struct wk_re_run *run, struct wk_str s, size_t from,
                       struct wk_re_span *span)
{
    if (from || (run && (run->not_bol || run->not_eol)) || !is_text(w, s))
        return wk_re_work(run, s.n);
    *span = (struct wk_re_span){0, (ptrdiff_t)s.n};
    int err = wk_re_work(run, s.n);
    return err ? err : 1;
}

/* The text found so far: the number of the unit it begins with, its length in units, where it ends. */
struct best {
    size_t first;
    uint32_t units;
    size_t end;
};

static int find_best(const struct wk_re_words *w, struct wk_re_run *run, struct wk_str s, size_t from,
                     struct best *b)
{
    uint32_t v = 0;
    size_t at = from, told = from;
    for (size_t units = 1; at < s.n; units++) {
        v = step(w, v, s, &at);
        size_t open = units - w->st[v].depth; /* where the earliest text that is under way begins */
        if (open > b->first)
            break;
        uint32_t n = w->st[v].longest ? ending(w, v, s, at) : 0;
        if (n && units - n <= b->first)
            *b = (struct best){units - n, n, at};
        if (w->has_empty && open > 0)
            break; /* the empty text at `from` comes first */
        if (at - told >= SLICE) {
            int err = wk_re_work(run, at - told);
            if (err)
                return err;
            told = at;
        }
    }
    return wk_re_work(run, at - told);
}

int wk_re_words_search(const struct wk_re *re, struct wk_re_run *run, struct wk_str s, size_t from,
                       struct wk_re_span *span)
{
    const struct wk_re_words *w = re->words;
    struct best b = {SIZE_MAX, 0, 0};
    if (w->line)
        return search_line(w, run, s, from, span);
    int err = find_best(w, run, s, from, &b);
    if (err)
        return err;
    if (w->has_empty && b.first != 0)
        *span = (struct wk_re_span){(ptrdiff_t)from, (ptrdiff_t)from};
    else if (b.first == SIZE_MAX)
        return 0;
    else
        *span = (struct wk_re_span){(ptrdiff_t)start_of(w, s, b.end, b.units), (ptrdiff_t)b.end};
    return 1;
}

/* ---- judging lines ------------------------------------------------------------------------------ */

/* Whether a line has a text: 1, 0, or a code. */
static int has_text(const struct wk_re_words *w, struct wk_re_run *run, struct wk_str line)
{
    uint32_t v = 0;
    size_t told = 0;
    if (w->line)
        return is_text(w, line);
    if (w->has_empty)
        return 1;
    for (size_t at = 0; at < line.n;) {
        v = step(w, v, line, &at);
        if (w->st[v].longest && ending(w, v, line, at))
            return 1;
        if (at - told >= SLICE) {
            int err = wk_re_work(run, at - told);
            if (err)
                return err;
            told = at;
        }
    }
    return 0;
}

int wk_re_words_judge(const struct wk_re *re, struct wk_re_run *run, struct wk_str s, size_t from, char eol,
                      uint64_t *marks, size_t *found)
{
    const struct wk_re_words *w = re->words;
    bool one_line = s.n - from > WK_RE_BLOCK;
    size_t begin = from, told = from;
    while (begin < s.n) {
        ptrdiff_t n = wk_str_chr(wk_str_from(s, begin), eol);
        struct wk_str line = wk_str(s.p + begin, n < 0 ? s.n - begin : (size_t)n);
        int r = has_text(w, run, line);
        if (r < 0)
            return r;
        if (r) {
            if (!marks) {
                *found = begin;
                int err = wk_re_work(run, begin - told);
                return err ? err : 1;
            }
            size_t bit = one_line ? 0 : begin - from;
            marks[bit >> 6] |= (uint64_t)1 << (bit & 63);
        }
        begin += line.n + 1;
        if (begin - told >= SLICE || begin >= s.n) {
            int err = wk_re_work(run, begin - told);
            if (err)
                return err;
            told = begin;
        }
    }
    return 0;
}
