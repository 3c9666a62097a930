/* jq_regex.c - matching: what match, test, capture, scan, split and sub are made of
 *
 * Expressions are compiled once and kept, the latest first. Text of ASCII alone (nearly all) is searched by
 * bytes, which is much faster; other text by a second form of the expression. Searching for all matches goes
 * through the text once: offsets in characters are counted on from the match before.
 */
#include "builtins/jq_builtin.h"
#include "builtins/jq_onig.h"
#include "builtins/regex.h"

#include "base/err.h"
#include "base/utf8.h"

enum { KEPT_MAX = 64 };

enum { FLAG_GLOBAL = 1, FLAG_ICASE = 2, FLAG_EXTENDED = 4, FLAG_DOT = 8, FLAG_LONGEST = 16, FLAG_NOT_EMPTY = 32 };
enum { COMPILED_BY = FLAG_ICASE | FLAG_EXTENDED | FLAG_DOT | FLAG_LONGEST };

struct jq_regex {
    struct jq_regex *next;
    struct jq_val pattern;
    unsigned flags;
    struct jq_onig onig;
    struct wk_re *bytes, *text; /* for ASCII and for other text; made when they are needed */
    /* Only in the first one, which is no expression: keys of the objects that are made. */
    struct jq_val offset, length, string, captures, name;
};

/* ---- compiling ---- */

static void release_all(void *first)
{
    for (struct jq_regex *r = first; r; r = r->next) {
        wk_re_unref(r->bytes);
        wk_re_unref(r->text);
    }
}

/* The head of the list. */
static struct jq_regex *head_of(struct jq *q)
{
    if (q->regexes)
        return q->regexes;
    struct jq_regex *h = wk_new(q->c, struct jq_regex);
    h->offset = wk_jq_string_valid(q, WK_STR("offset"));
    h->length = wk_jq_string_valid(q, WK_STR("length"));
    h->string = wk_jq_string_valid(q, WK_STR("string"));
    h->captures = wk_jq_string_valid(q, WK_STR("captures"));
    h->name = wk_jq_string_valid(q, WK_STR("name"));
    wk_heap_own(q->c->heap, h, release_all);
    q->regexes = h;
    return h;
}

static void forget(struct jq *q, struct jq_regex *r)
{
    wk_re_unref(r->bytes);
    wk_re_unref(r->text);
    wk_jq_onig_free(q->c, &r->onig);
    jq_free(q, r->pattern);
    wk_heap_free(q->c->heap, r);
}

static bool refuse(struct jq *q, struct jq_val pattern, const char *why)
{
    return wk_jq_error(q, "%.*s (at offset 0) is not a valid regex: %s",
                       (int)WK_MIN(pattern.str->n, (size_t)1 << 20), pattern.str->bytes, why);
}

/* The expression kept for the pattern, or a new one; NULL with an error raised. */
static struct jq_regex *find_regex(struct jq *q, struct jq_val pattern, unsigned flags)
{
    struct jq_regex *head = head_of(q), **at = &head->next;
    flags &= COMPILED_BY;
    for (; *at; at = &(*at)->next) {
        struct jq_regex *r = *at;
        if (r->flags != flags ||
            (r->pattern.str != pattern.str && !wk_str_eq(jq_slice(r->pattern), jq_slice(pattern))))
            continue;
        *at = r->next; /* to the front */
        r->next = head->next;
        head->next = r;
        return r;
    }
    struct jq_onig onig = wk_jq_onig(q->c, jq_slice(pattern), flags & FLAG_EXTENDED, false);
    if (onig.error) {
        refuse(q, pattern, onig.error);
        wk_jq_onig_free(q->c, &onig);
        return NULL;
    }
    struct jq_regex *r = wk_new(q->c, struct jq_regex);
    *r = (struct jq_regex){.next = head->next, .pattern = jq_copy(pattern), .flags = flags, .onig = onig};
    head->next = r;
    if (++q->n_regexes > KEPT_MAX) {
        for (at = &head->next; (*at)->next; at = &(*at)->next)
            ;
        forget(q, *at);
        *at = NULL;
        q->n_regexes--;
    }
    return r;
}

/* The form of it for a text, compiled now perhaps; NULL with an error raised. */
static struct wk_re *form_for(struct jq *q, struct jq_regex *r, bool ascii)
{
    bool bytes = ascii && r->onig.ascii;
    struct wk_re **form = bytes ? &r->bytes : &r->text;
    struct wk_re_error err;
    unsigned flags = WK_RE_PERL | WK_RE_VALID | WK_RE_FINAL_NEWLINE | (bytes ? WK_RE_BYTES : WK_RE_UNICODE);
    if (*form)
        return *form;
    if (r->flags & FLAG_ICASE)
        flags |= WK_RE_ICASE;
    if (r->flags & FLAG_LONGEST)
        flags |= WK_RE_LONGEST;
    struct jq_onig wide = {0};
    if (!bytes)
        wide = wk_jq_onig(q->c, jq_slice(r->pattern), r->flags & FLAG_EXTENDED, true);
    struct wk_str text = bytes ? wk_str(r->onig.text, r->onig.n) : wk_str(wide.text, wide.n);
    char *dotted = NULL;
    if (r->flags & FLAG_DOT) { /* the option for all of it */
        dotted = wk_heap_alloc(q->c->heap, text.n + 5);
        memcpy(dotted, "(?s)", 4);
        memcpy(dotted + 4, text.p, text.n);
        text = wk_str(dotted, text.n + 4);
    }
    *form = wk_cmd_re_counted(q->c, text, flags, &err);
    wk_heap_free(q->c->heap, dotted);
    wk_jq_onig_free(q->c, &wide);
    if (!*form)
        refuse(q, r->pattern, wk_jq_onig_message(q->c, &r->onig, err.text));
    return *form;
}

static bool read_flags(struct jq *q, struct jq_val v, unsigned *flags)
{
    *flags = 0;
    if (v.kind == JQ_NULL)
        return true;
    if (v.kind != JQ_STRING)
        return wk_jq_type_error(q, jq_copy(v), "is not a string");
    for (size_t i = 0; i < v.str->n; i++) {
        switch (v.str->bytes[i]) {
        case 'g':
            *flags |= FLAG_GLOBAL;
            break;
        case 'i':
            *flags |= FLAG_ICASE;
            break;
        case 'x':
            *flags |= FLAG_EXTENDED;
            break;
        case 'm':
        case 'p':
            *flags |= FLAG_DOT;
            break;
        case 's': /* what holds anyway */
            break;
        case 'l':
            *flags |= FLAG_LONGEST;
            break;
        case 'n':
            *flags |= FLAG_NOT_EMPTY;
            break;
        default:
            return wk_jq_error(q, "%.*s is not a valid modifier string", (int)WK_MIN(v.str->n, (size_t)1 << 20),
                               v.str->bytes);
        }
    }
    return true;
}

/* ---- searching ---- */

struct search {
    struct jq *q;
    struct jq_regex *regex;
    struct wk_re *re;
    struct wk_re_run run;
    struct jq_val pattern; /* for messages */
    struct wk_str s;
    unsigned flags;
    bool ascii;            /* characters are bytes */
    size_t from;           /* where the next search begins; past the end: it is over */
    size_t groups;
    struct wk_re_span *spans;
    size_t at, chars;      /* the last place whose number of characters is known */
};

/* Begins with an input, an expression and flags, which stay the caller's. */
static bool begin(struct search *m, struct jq *q, struct jq_val input, struct jq_val pattern, struct jq_val flags)
{
    *m = (struct search){.q = q, .run = wk_cmd_re_run(q->c), .pattern = pattern};
    if (input.kind != JQ_STRING)
        return wk_jq_type_error(q, jq_copy(input), "cannot be matched, as it is not a string");
    if (pattern.kind != JQ_STRING)
        return wk_jq_type_error(q, jq_copy(pattern), "is not a string");
    if (!read_flags(q, flags, &m->flags))
        return false;
    m->s = jq_slice(input);
    m->ascii = wk_jq_chars(input) == m->s.n;
    m->regex = find_regex(q, pattern, m->flags);
    if (!m->regex)
        return false;
    m->re = form_for(q, m->regex, m->ascii);
    if (!m->re)
        return false;
    m->groups = m->regex->onig.groups;
    m->spans = wk_heap_calloc(q->c->heap, m->groups + 1, sizeof *m->spans);
    m->run.not_empty = m->flags & FLAG_NOT_EMPTY;
    return true;
}

static void end(struct search *m)
{
    if (m->spans)
        wk_heap_free(m->q->c->heap, m->spans);
}

static int search_once(struct search *m, size_t from, size_t n)
{
    int r = wk_re_search(m->re, &m->run, m->s, from, m->spans, n);
    if (r == -WK_ENOMEM) {
        end(m);
        wk_heap_exhausted(m->q->c->heap);
    }
    if (r < 0)
        refuse(m->q, m->pattern, "retry-limit-in-match over");
    return r;
}

static size_t next_char(const struct search *m, size_t at)
{
    uint32_t c;
    return at >= m->s.n ? m->s.n + 1 : at + wk_utf8_next(m->s.p + at, m->s.n - at, &c);
}

/* The longest of all matches, the first of equal ones. */
static int search_longest(struct search *m)
{
    size_t n = m->groups + 1, best = 0, from = m->from;
    struct wk_re_span *kept = wk_heap_calloc(m->q->c->heap, n, sizeof *kept);
    bool any = false;
    int r;
    while ((r = search_once(m, from, n)) > 0) {
        size_t length = (size_t)(m->spans[0].end - m->spans[0].start);
        if (!any || length > best) {
            memcpy(kept, m->spans, n * sizeof *kept);
            best = length;
            any = true;
        }
        from = next_char(m, (size_t)m->spans[0].start);
        if (from > m->s.n)
            break;
    }
    if (any && r >= 0) {
        memcpy(m->spans, kept, n * sizeof *kept);
        r = 1;
    }
    wk_heap_free(m->q->c->heap, kept);
    return r;
}

/* The next match: 1, 0, or -1 with an error raised. */
static int next_match(struct search *m)
{
    if (m->from > m->s.n)
        return 0;
    int r = m->flags & FLAG_LONGEST ? search_longest(m) : search_once(m, m->from, m->groups + 1);
    if (r <= 0)
        return r;
    size_t start = (size_t)m->spans[0].start, stop = (size_t)m->spans[0].end;
    wk_tick(m->q->c, (uint32_t)WK_MIN((stop - WK_MIN(m->from, stop)) / 64, (size_t)1 << 24) + 4);
    m->from = !(m->flags & FLAG_GLOBAL) ? m->s.n + 1 : stop == start ? next_char(m, stop) : stop;
    return 1;
}

/* The number of characters before a byte; fast when the bytes asked for rise. */
static size_t chars_before(struct search *m, size_t byte)
{
    if (m->ascii)
        return byte;
    if (byte < m->at)
        return m->chars - wk_utf8_count(wk_str(m->s.p + byte, m->at - byte));
    return wk_jq_chars_at(m->s, byte, &m->at, &m->chars);
}

static struct wk_str span_text(const struct search *m, struct wk_re_span span)
{
    return wk_str(m->s.p + span.start, (size_t)(span.end - span.start));
}

static size_t span_chars(const struct search *m, struct wk_re_span span)
{
    struct wk_str s = span_text(m, span);
    return m->ascii ? s.n : wk_utf8_count(s);
}

static struct jq_val group_string(const struct search *m, size_t k)
{
    return m->spans[k].start < 0 ? jq_null() : wk_jq_string_valid(m->q, span_text(m, m->spans[k]));
}

/* ---- match and test ---- */

static struct jq_val put(struct jq *q, struct jq_val o, struct jq_val key, struct jq_val v)
{
    return wk_jq_object_set(q, o, jq_copy(key), v);
}

/* The keys stand in another order when nothing was matched. */
static struct jq_val capture_object(struct search *m, size_t k)
{
    struct jq *q = m->q;
    const struct jq_regex *keys = q->regexes;
    struct wk_re_span span = m->spans[k];
    struct wk_str name = m->regex->onig.names[k];
    struct jq_val o = wk_jq_object(q, 4);
    o = put(q, o, keys->offset, jq_number(span.start < 0 ? -1 : (double)chars_before(m, (size_t)span.start)));
    if (span.start == span.end)
        o = put(q, o, keys->string, group_string(m, k));
    o = put(q, o, keys->length, jq_number(span.start < 0 ? 0 : (double)span_chars(m, span)));
    if (span.start != span.end)
        o = put(q, o, keys->string, group_string(m, k));
    return put(q, o, keys->name, name.p ? wk_jq_string_valid(q, name) : jq_null());
}

static struct jq_val match_object(struct search *m)
{
    struct jq *q = m->q;
    const struct jq_regex *keys = q->regexes;
    struct wk_re_span span = m->spans[0];
    struct jq_val captures = wk_jq_array(q, m->groups), o = wk_jq_object(q, 4);
    o = put(q, o, keys->offset, jq_number((double)chars_before(m, (size_t)span.start)));
    o = put(q, o, keys->length, jq_number((double)span_chars(m, span)));
    o = put(q, o, keys->string, group_string(m, 0));
    for (size_t k = 1; k <= m->groups; k++)
        captures = wk_jq_push(q, captures, capture_object(m, k));
    return put(q, o, keys->captures, captures);
}

/* Expression and flags of a function with one argument: a string, or an array of both. Takes v. */
static bool read_argument(struct jq *q, struct jq_val v, struct jq_val *pattern, struct jq_val *flags)
{
    *pattern = v;
    *flags = jq_null();
    if (v.kind == JQ_STRING)
        return true;
    if (v.kind != JQ_ARRAY || v.array->n == 0) {
        wk_jq_error(q, "%s not a string or array", wk_jq_kind_name(v));
        jq_free(q, v);
        return false;
    }
    *pattern = jq_copy(v.array->at[0]);
    if (v.array->n > 1)
        *flags = jq_copy(v.array->at[1]);
    jq_free(q, v);
    return true;
}

/* All matches as what `make` makes of each, in an array; takes a[0], a[1] and a[2]. */
static bool collect(struct jq *q, struct jq_val *a, struct jq_val (*make)(struct search *m), struct jq_val *out)
{
    struct search m;
    int r = begin(&m, q, a[0], a[1], a[2]) ? 1 : -1;
    struct jq_val result = wk_jq_array(q, 0);
    while (r > 0 && (r = next_match(&m)) > 0)
        result = wk_jq_push(q, result, make(&m));
    end(&m);
    jq_free_args(q, a, 2);
    if (r == 0)
        *out = result;
    else
        jq_free(q, result);
    return r == 0;
}

static bool collect1(struct jq *q, struct jq_val *a, struct jq_val (*make)(struct search *m), struct jq_val *out)
{
    struct jq_val args[3] = {a[0]};
    if (read_argument(q, a[1], &args[1], &args[2]))
        return collect(q, args, make, out);
    jq_free(q, a[0]);
    return false;
}

static bool test(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct search m;
    int r = begin(&m, q, a[0], a[1], a[2]) ? search_once(&m, 0, 0) : -1;
    end(&m);
    jq_free_args(q, a, 2);
    *out = jq_bool(r > 0);
    return r >= 0;
}

static bool test1(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct jq_val args[3] = {a[0]};
    if (read_argument(q, a[1], &args[1], &args[2]))
        return test(q, args, out);
    jq_free(q, a[0]);
    return false;
}

static bool match(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return collect(q, a, match_object, out);
}
static bool match1(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return collect1(q, a, match_object, out);
}

/* As jq's own code calls it: the third argument tells whether only the answer is wanted. */
static bool match_or_test(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    bool only_answer = jq_truthy(a[3]);
    jq_free(q, a[3]);
    return only_answer ? test(q, a, out) : match(q, a, out);
}

/* ---- capture and scan ---- */

static struct jq_val named_captures(struct search *m)
{
    struct jq *q = m->q;
    struct jq_val o = wk_jq_object(q, m->groups);
    for (size_t k = 1; k <= m->groups; k++)
        if (m->regex->onig.names[k].p)
            o = wk_jq_object_set(q, o, wk_jq_string_valid(q, m->regex->onig.names[k]), group_string(m, k));
    return o;
}

static bool captures(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return collect(q, a, named_captures, out);
}
static bool captures1(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return collect1(q, a, named_captures, out);
}

static struct jq_val strings(struct search *m)
{
    if (!m->groups)
        return group_string(m, 0);
    struct jq_val result = wk_jq_array(m->q, m->groups);
    for (size_t k = 1; k <= m->groups; k++)
        result = wk_jq_push(m->q, result, group_string(m, k));
    return result;
}

static bool scan(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    return collect(q, a, strings, out);
}

/* ---- split and sub ---- */

/* The text between a match and the one before, which ended at *previous. */
static struct jq_val gap(struct search *m, size_t *previous)
{
    size_t start = (size_t)m->spans[0].start, from = *previous;
    *previous = (size_t)m->spans[0].end;
    return wk_jq_string_valid(m->q, wk_str(m->s.p + from, start > from ? start - from : 0));
}

static struct jq_val tail(struct search *m, size_t previous)
{
    return wk_jq_string_valid(m->q, wk_str_from(m->s, previous));
}

static bool split(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct search m;
    struct jq_val result = wk_jq_array(q, 0);
    size_t previous = 0;
    int r = begin(&m, q, a[0], a[1], a[2]) ? 1 : -1;
    while (r > 0 && (r = next_match(&m)) > 0)
        result = wk_jq_push(q, result, gap(&m, &previous));
    if (r == 0)
        result = wk_jq_push(q, result, tail(&m, previous));
    end(&m);
    jq_free_args(q, a, 2);
    if (r == 0)
        *out = result;
    else
        jq_free(q, result);
    return r == 0;
}

static struct jq_val two(struct jq *q, struct jq_val x, struct jq_val y)
{
    return wk_jq_push(q, wk_jq_push(q, wk_jq_array(q, 2), x), y);
}

/* [[text before the match, its named captures] …], text behind the last. */
static bool edits(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct search m;
    struct jq_val result = wk_jq_array(q, 0);
    size_t previous = 0;
    int r = begin(&m, q, a[0], a[1], a[2]) ? 1 : -1;
    while (r > 0 && (r = next_match(&m)) > 0) {
        struct jq_val before = gap(&m, &previous);
        result = wk_jq_push(q, result, two(q, before, named_captures(&m)));
    }
    if (r == 0)
        *out = two(q, result, tail(&m, previous));
    else
        jq_free(q, result);
    end(&m);
    jq_free_args(q, a, 2);
    return r == 0;
}

/* The input's k-th text goes on with the gap and the k-th of the inserts. */
static bool insert(struct jq *q, struct jq_val *a, struct jq_val *out)
{
    struct jq_val texts = wk_jq_array_own(q, a[0]), inserts = a[2];
    bool ok = true;
    for (size_t k = 0; ok && k < inserts.array->n; k++) {
        struct jq_val more;
        ok = wk_jq_add(q, jq_copy(a[1]), jq_copy(inserts.array->at[k]), &more);
        if (!ok)
            break;
        if (k == texts.array->n) {
            texts = wk_jq_push(q, texts, more);
            continue;
        }
        struct jq_val text = texts.array->at[k];
        texts.array->at[k] = jq_null();
        ok = wk_jq_add(q, text, more, &text);
        if (ok)
            texts.array->at[k] = text;
    }
    jq_free(q, a[1]);
    jq_free(q, inserts);
    if (ok)
        *out = texts;
    else
        jq_free(q, texts);
    return ok;
}

static const struct jq_builtin functions[] = {
    {"test", 1, test1},
    {"test", 2, test},
    {"_match", 1, match1},
    {"_match", 2, match},
    {"_match_impl", 3, match_or_test},
    {"_captures", 1, captures1},
    {"_captures", 2, captures},
    {"_scan", 2, scan},
    {"_split", 2, split},
    {"_edits", 2, edits},
    {"_insert", 2, insert},
};
const struct jq_table wk_jq_regex_table = {functions, WK_COUNTOF(functions)};
