/* sed_text.c - sed: text between delimiters, escapes of characters, the texts of a, i, c and y */
#include "builtins/sed_script.h"

#include "base/sort.h"
#include "base/utf8.h"

void wk_sed_put(struct wk_cmd *c, struct sed_bytes *b, const char *p, size_t n)
{
    if (n > b->cap - b->n) {
        size_t cap = b->cap ? b->cap : 64;
        while (cap - b->n < n)
            cap *= 2;
        b->p = wk_heap_realloc(c->heap, b->p, cap);
        b->cap = cap;
    }
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n += n;
}

static void put(struct sed_reader *r, struct sed_bytes *b, int ch)
{
    char byte = (char)ch;
    wk_sed_put(r->s->c, b, &byte, 1);
}

/* ---- between delimiters ---------------------------------------------------------------------- */

/* [.x.], [=x=], [:x:] inside of a bracket, after the "[.": false when it does not end. */
static bool copy_class(struct sed_reader *r, struct sed_bytes *b, int kind)
{
    int before = 0;
    for (;;) {
        int ch = wk_sed_char(r);
        if (ch < 0)
            return false;
        if (ch == '\n') {
            wk_sed_back(r, ch);
            return false;
        }
        put(r, b, ch);
        if (ch == ']' && before == kind)
            return true;
        before = ch;
    }
}

/* A bracket, after its "[". */
static bool copy_bracket(struct sed_reader *r, struct sed_bytes *b)
{
    int ch = wk_sed_char(r);
    if (ch == '^') {
        put(r, b, ch);
        ch = wk_sed_char(r);
    }
    for (bool first = true;; first = false, ch = wk_sed_char(r)) {
        if (ch < 0)
            return false;
        if (ch == '\n') {
            wk_sed_back(r, ch);
            return false;
        }
        if (ch == '\\') {
            int next = wk_sed_char(r);
            if (next == 'n' && !r->s->posix) {
                put(r, b, '\n');
                continue;
            }
            put(r, b, ch);
            if (next == '\\')
                put(r, b, next);
            else
                wk_sed_back(r, next);
            continue;
        }
        put(r, b, ch);
        if (ch == ']' && !first)
            return true;
        if (ch != '[')
            continue;
        ch = wk_sed_char(r);
        if (ch != '.' && ch != '=' && ch != ':') {
            wk_sed_back(r, ch);
            continue;
        }
        put(r, b, ch);
        if (!copy_class(r, b, ch))
            return false;
    }
}

/* After a backslash. */
static bool copy_escape(struct sed_reader *r, struct sed_bytes *b, int delim, bool regex)
{
    int ch = wk_sed_char(r);
    if (ch < 0)
        return false;
    if (regex && ch == delim) {
        put(r, b, ch);
    } else if (regex && (ch == 'n' || ch == '\n')) {
        put(r, b, '\n');
    } else {
        put(r, b, '\\');
        put(r, b, ch);
    }
    return true;
}

bool wk_sed_delimited(struct sed_reader *r, int delim, bool regex, struct wk_str *out)
{
    struct sed_bytes b = {.p = NULL};
    for (;;) {
        int ch = wk_sed_char(r);
        if (ch < 0)
            return false;
        if (ch == '\n') {
            wk_sed_back(r, ch);
            return false;
        }
        if (ch == delim)
            break;
        if (ch == '\\') {
            if (!copy_escape(r, &b, delim, regex))
                return false;
            continue;
        }
        put(r, &b, ch);
        if (regex && ch == '[' && !copy_bracket(r, &b))
            return false;
    }
    *out = wk_str(b.p ? b.p : "", b.n);
    return true;
}

int wk_sed_delimiter(struct sed_reader *r)
{
    int ch = wk_sed_char(r);
    if (ch >= 0x80 && r->s->utf8)
        wk_sed_bad(r, "delimiter character is not a single-byte character");
    return ch;
}

/* ---- escapes --------------------------------------------------------------------------------- */

static bool control(struct sed_reader *r, struct wk_str raw, size_t *i, char *out)
{
    size_t at = *i + 1;
    if (at >= raw.n) { /* the backslash alone is left */
        *i = at;
        *out = '\\';
        return true;
    }
    if (raw.p[at] == '\\') {
        if (at + 1 >= raw.n || raw.p[at + 1] != '\\')
            wk_sed_bad(r, "recursive escaping after \\c not allowed");
        at++;
    }
    *out = (char)(wk_to_upper((unsigned char)raw.p[at]) ^ 0x40);
    *i = at + 1;
    return true;
}

static unsigned digit_value(char ch)
{
    if (wk_is_digit(ch))
        return (unsigned)(ch - '0');
    return wk_is_xdigit((unsigned char)ch) ? (unsigned)((ch | 0x20) - 'a' + 10) : 99;
}

bool wk_sed_escape(struct sed_reader *r, struct wk_str raw, size_t *i, char *out)
{
    static const char from[] = "afvtr", to[] = "\a\f\v\t\r";
    char letter = raw.p[*i];
    const char *at = letter ? strchr(from, letter) : NULL;
    if (at) {
        *out = to[at - from];
        ++*i;
        return true;
    }
    if (letter == 'c')
        return control(r, raw, i, out);
    unsigned base = letter == 'd' ? 10 : letter == 'o' ? 8 : letter == 'x' ? 16 : 0;
    size_t most = base == 16 ? 2 : 3, n = 0;
    unsigned v = 0, digit;
    while (base && n < most && *i + 1 + n < raw.n &&
           (digit = digit_value(raw.p[*i + 1 + n])) < base) {
        v = v * base + digit;
        n++;
    }
    if (!base)
        return false;
    *out = n ? (char)(v & 0xff) : letter; /* without digits: the letter itself */
    *i += 1 + n;
    return true;
}

/* With --posix what GNU added to expressions is no operator. */
static bool is_addition(const struct sed *s, char ch)
{
    return s->posix && ch && strchr(s->o->extended ? "wWsSbB<>`'" : "+?|wWsSbB<>`'", ch);
}

/* Where --posix sees the end of the bracket whose "[" is at raw.p[i]: a "]" that comes first ends it, too. */
static size_t bracket_end(struct wk_str raw, size_t i)
{
    i += i + 1 < raw.n && raw.p[i + 1] == '^' ? 2 : 1;
    while (i < raw.n) {
        char ch = raw.p[i++], kind = i < raw.n ? raw.p[i] : 0;
        if (ch == ']')
            break;
        if (ch != '[' || (kind != '.' && kind != '=' && kind != ':'))
            continue;
        for (i++; i < raw.n && !(raw.p[i] == ']' && raw.p[i - 1] == kind); i++) {
        }
        i++;
    }
    return WK_MIN(i, raw.n);
}

struct wk_str wk_sed_regex_text(struct sed_reader *r, struct wk_str raw)
{
    struct sed_bytes b = {.p = NULL};
    size_t i = 0;
    while (i < raw.n) {
        if (r->s->posix && raw.p[i] == '[') { /* there a backslash is one */
            size_t end = bracket_end(raw, i);
            wk_sed_put(r->s->c, &b, raw.p + i, end - i);
            i = end;
            continue;
        }
        char ch = raw.p[i++];
        if (ch != '\\' || i >= raw.n) {
            put(r, &b, ch);
            continue;
        }
        if (wk_sed_escape(r, raw, &i, &ch)) {
            put(r, &b, ch);
            continue;
        }
        ch = raw.p[i++];
        if (r->s->posix && ch == 'n') {
            ch = '\n';
        } else if (!is_addition(r->s, ch)) {
            put(r, &b, '\\');
        }
        put(r, &b, ch);
    }
    return wk_str(b.p ? b.p : "", b.n);
}

/* ---- a, i, c --------------------------------------------------------------------------------- */

/* Backslashes go, and what they and a letter stand for comes. */
static struct wk_str unescape(struct sed_reader *r, struct wk_str raw)
{
    struct sed_bytes b = {.p = NULL};
    size_t i = 0;
    while (i < raw.n) {
        char ch = raw.p[i++];
        if (ch == '\\' && i < raw.n && !wk_sed_escape(r, raw, &i, &ch)) {
            ch = raw.p[i++];
            if (ch == 'n')
                ch = '\n';
        }
        put(r, &b, ch);
    }
    return wk_str(b.p ? b.p : "", b.n);
}

static bool next_piece(struct sed_reader *r)
{
    if (r->s->posix)
        wk_sed_bad(r, "incomplete command");
    return wk_sed_next_piece(r);
}

/* Up to a newline without a backslash. Where the script's piece ends in a backslash the next one
 * goes on with the text; behind the last the text stands as it was written. */
static struct wk_str text_lines(struct sed_reader *r, struct sed_bytes b)
{
    for (;;) {
        int ch = wk_sed_char(r);
        if (ch == '\\') {
            ch = wk_sed_char(r);
            if (ch < 0 && !next_piece(r)) {
                put(r, &b, '\n');
                return wk_str(b.p, b.n);
            }
            if (ch >= 0)
                put(r, &b, '\\');
            put(r, &b, ch < 0 ? '\n' : ch);
            continue;
        }
        put(r, &b, ch < 0 ? '\n' : ch);
        if (ch < 0 || ch == '\n')
            return unescape(r, wk_str(b.p, b.n));
    }
}

struct wk_str wk_sed_text(struct sed_reader *r)
{
    struct sed_bytes b = {.p = NULL};
    int ch = wk_sed_nonblank(r);
    if (ch < 0 || (ch != '\\' && r->s->posix))
        wk_sed_bad(r, "expected \\ after `a', `c' or `i'");
    if (ch != '\\') {
        wk_sed_back(r, ch);
        return text_lines(r, b);
    }
    ch = wk_sed_char(r);
    if (ch < 0 && !next_piece(r))
        return wk_str("", 0);
    if (ch == '\\') /* escapes what follows, but hides no end of the text */
        put(r, &b, ch);
    else if (ch >= 0 && ch != '\n')
        wk_sed_back(r, ch);
    return text_lines(r, b);
}

/* ---- y --------------------------------------------------------------------------------------- */

/* The characters of one of y's strings. */
static uint32_t *characters(struct sed_reader *r, struct wk_str raw, int delim, size_t *n,
                            struct wk_str *text)
{
    struct sed_bytes b = {.p = NULL};
    size_t i = 0;
    while (i < raw.n) {
        char ch = raw.p[i++];
        if (ch == '\\' && i < raw.n &&
            ((unsigned char)raw.p[i] == delim || !wk_sed_escape(r, raw, &i, &ch))) {
            ch = raw.p[i++];
            if (ch == 'n' && delim != 'n')
                ch = '\n';
        }
        put(r, &b, ch);
    }
    uint32_t *v = wk_new_n(r->s->c, uint32_t, b.n + 1);
    *text = wk_str(b.p, b.n);
    *n = 0;
    for (i = 0; i < b.n;) {
        uint32_t c = (unsigned char)b.p[i];
        i += r->s->utf8 ? wk_utf8_next(b.p + i, b.n - i, &c) : 1;
        v[(*n)++] = c;
    }
    return v;
}

static int by_character(void *ctx, const void *a, const void *b)
{
    const struct sed_pair *x = a, *y = b;
    (void)ctx;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Where a character occurs twice the first one counts, of bytes the last one. */
static void fill_map(struct sed *s, struct sed_map *m, const uint32_t *from, const uint32_t *to,
                     size_t n)
{
    struct sed_pair *pairs = wk_new_n(s->c, struct sed_pair, n + 1);
    m->simple = true;
    for (size_t i = 0; i < 256; i++)
        m->bytes[i] = (unsigned char)i;
    for (size_t k = 0; k < n; k++) {
        size_t i = s->utf8 ? n - 1 - k : k;
        uint32_t limit = s->utf8 ? 0x80 : 0x100;
        if (from[i] < limit && to[i] < limit)
            m->bytes[from[i]] = (unsigned char)to[i];
        else
            m->simple = false;
    }
    for (size_t i = 0; i < n; i++) {
        pairs[i].from = from[i];
        pairs[i].n = (uint8_t)wk_utf8_put(pairs[i].to, to[i]);
    }
    m->pairs = pairs;
    m->npairs = n;
}

struct sed_map *wk_sed_map(struct sed_reader *r)
{
    struct sed *s = r->s;
    struct wk_str a, b;
    size_t n, k;
    int delim = wk_sed_delimiter(r);
    if (delim < 0 || !wk_sed_delimited(r, delim, false, &a))
        wk_sed_bad(r, "unterminated `y' command");
    uint32_t *from = characters(r, a, delim, &n, &a);
    if (!wk_sed_delimited(r, delim, false, &b))
        wk_sed_bad(r, "unterminated `y' command");
    uint32_t *to = characters(r, b, delim, &k, &b);
    if (n != k)
        wk_sed_bad(r, "strings for `y' command are different lengths");
    struct sed_map *m = wk_new(s->c, struct sed_map);
    m->from = a;
    m->to = b;
    fill_map(s, m, from, to, n);
    const struct wk_sort how = {.cmp = by_character};
    if (!m->simple && wk_sort(wk_heap_mem(s->c->heap), m->pairs, n, sizeof *m->pairs, &how) < 0)
        wk_heap_exhausted(s->c->heap);
    return m;
}
