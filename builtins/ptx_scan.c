/* ptx_scan.c - ptx: contexts in a text, the words in them, and their order
 *
 * A context is a sentence, or a line, or what -S says. It keeps its end, without white space.
 */
#include "builtins/ptx.h"

#include "builtins/ptrsort.h"
#include "builtins/regex.h"

bool wk_ptx_is_space(char ch)
{
    return ch == ' ' || (ch >= '\t' && ch <= '\r');
}

static unsigned char folded(const struct ptx *p, char ch)
{
    return (unsigned char)(p->o->fold && ch >= 'a' && ch <= 'z' ? ch - 'a' + 'A' : ch);
}

int wk_ptx_compare(const struct ptx *p, struct wk_str a, struct wk_str b)
{
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        unsigned char x = folded(p, a.p[i]), y = folded(p, b.p[i]);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return a.n < b.n ? -1 : a.n > b.n;
}

/* ---- lists of words -----------------------------------------------------------------------------
 */

static int compare_listed(void *ctx, const void *a, const void *b)
{
    return wk_ptx_compare((const struct ptx *)ctx, *(const struct wk_str *)a,
                          *(const struct wk_str *)b);
}

void wk_ptx_read_words(struct ptx *p, const char *path, struct ptx_words *out)
{
    struct wk_in *in = wk_in_open(p->c, path, true);
    struct wk_str line;
    size_t cap = 0;
    if (!in)
        wk_exit(p->c, 1);
    while (wk_line_next(in, '\n', &line)) {
        if (!line.n)
            continue;
        if (out->n == cap) {
            cap = cap * 2 + 64;
            out->v = (struct wk_str **)wk_heap_realloc(p->c->heap, out->v, cap * sizeof *out->v);
        }
        struct wk_str *word = wk_new(p->c, struct wk_str);
        *word = wk_str(wk_dupn(p->c, line.p, line.n), line.n);
        out->v[out->n++] = word;
        wk_tick(p->c, 2);
    }
    if (in->err)
        wk_exit(p->c, 1);
    if (in != p->c->in)
        wk_in_close(in);
    wk_ptr_sort(p->c, (const void **)(void *)out->v, out->n, compare_listed, p);
}

static bool is_listed(const struct ptx *p, const struct ptx_words *list, struct wk_str word)
{
    size_t from = 0, to = list->n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = wk_ptx_compare(p, word, *list->v[middle]);
        if (!order)
            return true;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return false;
}

/* ---- contexts -----------------------------------------------------------------------------------
 */

/* A match in [at, end), taken as a text of its own; false when there is none. */
static bool search(struct ptx *p, struct wk_re *re, const char *at, const char *end,
                   struct wk_re_span *span)
{
    return wk_cmd_re_search(p->c, re, &p->run, wk_str(at, (size_t)(end - at)), 0, span, 1, 1);
}

/* ptx takes any match at the start of a context for an empty one. */
static WK_NORETURN void refuse_empty(struct ptx *p, const char *re)
{
    wk_fail(p->c, 1, "error: regular expression has a match of length zero: %s",
            wk_quote_arg(p->c, re));
}

/* Behind the first end of a sentence: a mark, whatever closes, then the end of a line, a tab or two
 * blanks, and all white space. */
static const char *sentence_end(struct ptx *p, const char *at, const char *end)
{
    for (const char *q = at; q < end; q++) {
        wk_tick(p->c, 1);
        if (*q != '.' && *q != '?' && *q != '!')
            continue;
        const char *r = q + 1;
        while (r < end && (*r == ']' || *r == '"' || *r == '\'' || *r == ')' || *r == '}'))
            r++;
        bool ends =
            r == end || *r == '\n' || *r == '\t' || (end - r > 1 && r[0] == ' ' && r[1] == ' ');
        if (!ends)
            continue;
        if (q == at)
            refuse_empty(p, "[.?!][]\"')}]*\\($\\|\t\\|  \\)[ \t\n]*");
        while (r < end && (*r == ' ' || *r == '\t' || *r == '\n'))
            r++;
        return r;
    }
    return end;
}

static const char *context_end(struct ptx *p, const char *at, const char *end)
{
    struct wk_re_span span;
    if (p->whole)
        return end;
    if (p->by_lines) {
        const char *nl = (const char *)memchr(at, '\n', (size_t)(end - at));
        if (nl == at)
            refuse_empty(p, "\n");
        return nl ? nl + 1 : end;
    }
    if (!p->sentence_re)
        return sentence_end(p, at, end);
    if (!search(p, p->sentence_re, at, end, &span))
        return end;
    if (span.start == 0)
        refuse_empty(p, p->o->sentence);
    return at + span.end;
}

/* ---- words --------------------------------------------------------------------------------------
 */

const char *wk_ptx_skip(struct ptx *p, const char *at, const char *limit)
{
    wk_tick(p->c, 1);
    if (at >= limit)
        return limit;
    if (p->word_re) {
        struct wk_re_span span;
        bool here = search(p, p->word_at, at, limit, &span) && span.start == 0 && span.end > 0;
        return here ? at + span.end : at + 1;
    }
    if (!p->is_word[(unsigned char)*at])
        return at + 1;
    const char *from = at;
    while (at < limit && p->is_word[(unsigned char)*at])
        at++;
    wk_tick(p->c, (uint32_t)((at - from) / 8 & 0xffffff));
    return at;
}

/* The next word in [at, end): false when there is none. */
static bool next_word(struct ptx *p, const char *at, const char *end, const char **start,
                      const char **stop)
{
    struct wk_re_span span;
    if (p->word_re) {
        if (at >= end || !search(p, p->word_re, at, end, &span))
            return false;
        *start = at + span.start;
        *stop = at + span.end;
        return true;
    }
    while (at < end && !p->is_word[(unsigned char)*at])
        at++;
    *start = at;
    while (at < end && p->is_word[(unsigned char)*at])
        at++;
    *stop = at;
    wk_tick(p->c, 1);
    return *stop > *start;
}

/* Lines as they are passed: where the present one begins, and how long its first field is. */
struct lines {
    const char *scan, *start;
    size_t reference;
    uint64_t count;
};

static size_t first_field(const char *at, const char *end)
{
    const char *q = at;
    while (q < end && !wk_ptx_is_space(*q))
        q++;
    return (size_t)(q - at);
}

static void pass_lines(struct ptx *p, struct lines *l, const char *to, const char *end)
{
    while (l->scan < to) {
        if (*l->scan++ != '\n')
            continue;
        l->count++;
        l->start = l->scan;
        if (!p->o->input_reference)
            continue;
        l->reference = first_field(l->scan, end);
        l->scan += l->reference;
    }
}

static void add_word(struct ptx *p, struct ptx_word w)
{
    if (p->n == p->cap) {
        p->cap = p->cap * 2 + 64;
        p->word =
            (struct ptx_word **)wk_heap_realloc(p->c->heap, p->word, p->cap * sizeof *p->word);
    }
    struct ptx_word *own = wk_new(p->c, struct ptx_word);
    *own = w;
    p->word[p->n++] = own;
}

static bool is_wanted(const struct ptx *p, struct wk_str word)
{
    if (p->o->ignore_file && is_listed(p, &p->ignore, word))
        return false;
    return !p->o->only_file || is_listed(p, &p->only, word);
}

/* The words of a context; its start moves behind a reference. */
static void scan_context(struct ptx *p, size_t text, const char *left, const char *right,
                         struct lines *l)
{
    const struct ptx_text *t = &p->text[text];
    const char *start, *stop, *at = left;
    while (next_word(p, at, right, &start, &stop)) {
        at = stop > start ? stop : start + 1;
        if (stop == start)
            continue;
        size_t n = (size_t)(stop - start);
        p->longest = n > p->longest ? n : p->longest;
        if (p->o->input_reference) {
            pass_lines(p, l, start, t->end);
            if (l->scan > start)
                continue; /* a part of a reference */
        }
        if (!is_wanted(p, wk_str(start, n)))
            continue;
        if (p->o->auto_reference)
            pass_lines(p, l, start, t->end);
        else if (p->o->input_reference)
            p->reference_width =
                l->reference > p->reference_width ? l->reference : p->reference_width;
        if (p->o->input_reference && l->start == left) {
            left += first_field(left, right);
            while (left < right && wk_ptx_is_space(*left))
                left++;
        }
        add_word(p, (struct ptx_word){.start = start,
                                      .end = stop,
                                      .left = left,
                                      .right = right,
                                      .reference = l->start,
                                      .line = l->count,
                                      .text = text});
    }
}

void wk_ptx_scan(struct ptx *p, size_t text)
{
    struct ptx_text *t = &p->text[text];
    struct lines l = {
        .scan = t->start, .start = t->start, .count = text ? p->text[text - 1].lines_end : 0};
    if (p->o->input_reference) {
        l.reference = first_field(t->start, t->end);
        l.scan += l.reference;
        while (l.scan < t->end &&
               wk_ptx_is_space(*l.scan)) /* also the end of a line: it is not counted */
            l.scan++;
    }
    for (const char *at = t->start; at < t->end;) {
        const char *next = context_end(p, at, t->end), *right = next;
        while (right > at && wk_ptx_is_space(right[-1]))
            right--;
        scan_context(p, text, at, right, &l);
        at = next;
    }
    t->lines_end = l.count + 1;
}

/* ---- order --------------------------------------------------------------------------------------
 */

static int compare_words(void *ctx, const void *a, const void *b)
{
    const struct ptx_word *x = (const struct ptx_word *)a, *y = (const struct ptx_word *)b;
    return wk_ptx_compare((const struct ptx *)ctx, wk_str(x->start, (size_t)(x->end - x->start)),
                          wk_str(y->start, (size_t)(y->end - y->start)));
}

void wk_ptx_sort(struct ptx *p)
{
    wk_ptr_sort(p->c, (const void **)(void *)p->word, p->n, compare_words, p);
}
