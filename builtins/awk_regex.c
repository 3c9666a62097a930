/* awk_regex.c - awk's regular expressions on text/re
 *
 * Awk's own escapes are replaced first: in brackets, too, where those of POSIX have none.
 */
#include "builtins/awk.h"

#include "base/utf8.h"
#include "builtins/regex.h"

enum { MOST_CACHED = 64 };

/* ---- awk's syntax to that of POSIX ---- */

static int hex_digit(char ch)
{
    return wk_is_digit(ch) ? ch - '0' : wk_is_xdigit(ch) ? (ch | 32) - 'a' + 10 : -1;
}

/* The byte that an escape at s.p[*i], behind its backslash, stands for; -1: it is none of those. */
static int escaped_byte(struct wk_str s, size_t *i)
{
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    char ch = s.p[*i];
    const char *known = ch ? strchr(from, ch) : NULL;
    if (known) {
        ++*i;
        return to[known - from];
    }
    if (ch >= '0' && ch <= '7') {
        int v = 0;
        for (int k = 0; k < 3 && *i < s.n && s.p[*i] >= '0' && s.p[*i] <= '7'; k++)
            v = v * 8 + (s.p[(*i)++] - '0');
        return v & 255;
    }
    if (ch == 'x' && *i + 1 < s.n && hex_digit(s.p[*i + 1]) >= 0) {
        int v = 0;
        ++*i;
        for (int k = 0; k < 2 && *i < s.n && hex_digit(s.p[*i]) >= 0; k++)
            v = v * 16 + hex_digit(s.p[(*i)++]);
        return v;
    }
    return -1;
}

static void put_literal(struct wk_buf *b, int byte)
{
    if (byte && strchr("\\^$.[]|()*+?{}", byte))
        wk_buf_putc(b, '\\');
    wk_buf_putc(b, (char)byte);
}

/* [:alpha:] and the like, as it stands. */
static bool copy_class(struct wk_buf *b, struct wk_str s, size_t *i)
{
    char kind = *i + 1 < s.n ? s.p[*i + 1] : 0;
    if (s.p[*i] != '[' || !kind || !strchr(":=.", kind))
        return false;
    for (size_t k = *i + 2; k + 1 < s.n; k++) {
        if (s.p[k] == kind && s.p[k + 1] == ']') {
            wk_buf_put(b, s.p + *i, k + 2 - *i);
            *i = k + 2;
            return true;
        }
    }
    return false;
}

/* A bracket at s.p[*i]. What would mean something there goes where it does not: ] to the front, -
 * to the end. */
static void put_bracket(struct wk_buf *b, struct wk_buf *items, struct wk_str s, size_t *i)
{
    size_t from = *i, at = *i + 1;
    bool not = at < s.n && s.p[at] == '^', close = false, minus = false, caret = false,
         done = false;
    wk_buf_reset(items);
    at += not ;
    for (bool first = true; at < s.n; first = false) {
        char ch = s.p[at];
        if (ch == ']' && !first) {
            done = true;
            break;
        }
        if (copy_class(items, s, &at))
            continue;
        bool range = at + 1 < s.n && s.p[at + 1] == '-' && at + 2 < s.n && s.p[at + 2] != ']';
        if (ch != '\\' || at + 1 >= s.n) {
            at++;
            if (ch == ']' && !range)
                close = true;
            else if (ch == '^' && !items->n && !range)
                caret = true;
            else
                wk_buf_putc(items, ch);
            continue;
        }
        at++;
        int byte = escaped_byte(s, &at);
        if (byte < 0)
            byte = (unsigned char)s.p[at++];
        if (byte == ']')
            close = true;
        else if (byte == '-')
            minus = true;
        else if (byte == '^')
            caret = true;
        else
            wk_buf_putc(items, (char)byte);
    }
    if (!done) { /* never closed: what is wrong with it is the compiler's to say */
        wk_buf_put(b, s.p + from, s.n - from);
        *i = s.n;
        return;
    }
    *i = at + 1;
    if (caret && !not &&!close && !minus && !items->n) {
        wk_buf_put_c(b, "\\^");
        return;
    }
    wk_buf_put_c(b, not ? "[^" : "[");
    if (close)
        wk_buf_putc(b, ']');
    wk_buf_puts(b, wk_buf_str(items));
    if (caret)
        wk_buf_putc(b, '^');
    if (minus)
        wk_buf_putc(b, '-');
    wk_buf_putc(b, ']');
}

/* What stands behind a backslash outside of brackets. */
static void put_escaped(struct awk *a, struct wk_buf *b, struct wk_str s, size_t *i)
{
    char next = s.p[*i];
    int byte = escaped_byte(s, i);
    if (byte >= 0) {
        put_literal(b, byte);
        return;
    }
    ++*i;
    if (next == 'y') {
        wk_buf_put_c(b, "\\b");
    } else if (next && strchr("BwWsS<>`'\\^$.[]|()*+?{}", next)) {
        wk_buf_putc(b, '\\');
        wk_buf_putc(b, next);
    } else {
        bool *warned = &a->warned[1][(unsigned char)next];
        if (!*warned && next && !strchr("/-", next)) {
            *warned = true;
            wk_awk_warning(a, "regexp escape sequence `\\%c' is not a known regexp operator", next);
        }
        put_literal(b, (unsigned char)next);
    }
}

/* {2}, {2,}, {2,3}, and what has digits and a comma as those have. */
static bool is_interval(struct wk_str s, size_t i)
{
    for (i++; i < s.n && wk_is_digit(s.p[i]);)
        i++;
    if (i < s.n && s.p[i] == ',')
        for (i++; i < s.n && wk_is_digit(s.p[i]);)
            i++;
    return i < s.n && s.p[i] == '}';
}

static void translate(struct awk *a, struct wk_buf *b, struct wk_buf *items, struct wk_str s)
{
    bool bare =
        true; /* nothing stands in front that could be repeated: there * + ? are themselves */
    for (size_t i = 0; i < s.n;) {
        char ch = s.p[i];
        if (ch == '[') {
            put_bracket(b, items, s, &i);
            bare = false;
        } else if (ch == '\\' && i + 1 < s.n) {
            i++;
            put_escaped(a, b, s, &i);
            bare = false;
        } else {
            if ((bare && ch && strchr("*+?", ch)) || (a->posix && !bare && ch == '{' && !is_interval(s, i)))
                wk_buf_putc(b, '\\');
            wk_buf_putc(b, ch);
            bare = ch && strchr("(|^$", ch);
            i++;
        }
    }
}

/* ---- compiling ---- */

struct holder {
    struct wk_buf text, items;
};

static void release_holder(void *obj)
{
    struct holder *h = (struct holder *)obj;
    wk_buf_release(&h->text);
    wk_buf_release(&h->items);
}

static void release_re(void *obj)
{
    struct awk_re *re = (struct awk_re *)obj;
    wk_re_unref(re->re);
    re->re = NULL;
}

static struct holder *holder(struct awk *a)
{
    if (!a->scratch) {
        struct holder *h = wk_new(a->c, struct holder);
        wk_buf_init(&h->text, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
        wk_buf_init(&h->items, wk_heap_mem(a->c->heap), SIZE_MAX / 2);
        wk_heap_own(a->c->heap, h, release_holder);
        a->scratch = h;
    }
    return (struct holder *)a->scratch;
}

static int lib_call(void *ctx, int (*fn)(void *arg), void *arg)
{
    int r = 0;
    int err = wk_lib_call(((struct wk_cmd *)ctx)->task, fn, arg, &r);
    return err ? err : r;
}

/* A bracket of single bytes, ranges and [:digit:]; *i gets behind it. */
static bool read_set(struct wk_str s, size_t *i, bool set[256])
{
    static const char digits[] = "[:digit:]";
    size_t at = *i + 1;
    for (bool first = true; at < s.n && (s.p[at] != ']' || first); first = false) {
        struct wk_str rest = wk_str_from(s, at);
        unsigned char from = (unsigned char)s.p[at], to = from;
        if (wk_str_starts(rest, wk_str_c(digits))) {
            from = '0';
            to = '9';
            at += sizeof digits - 1;
        } else if (from == '[' && rest.n > 1 && strchr(":=.", rest.p[1])) {
            return false;
        } else if (rest.n > 2 && rest.p[1] == '-' && rest.p[2] != ']') {
            to = (unsigned char)rest.p[2];
            at += 3;
            if (to == '[')
                return false;
        } else {
            at++;
        }
        if ((first && from == '^') || from >= 0x80 || to >= 0x80 || to < from || from == 0)
            return false;
        memset(set + from, true, (size_t)(to - from) + 1);
    }
    *i = at + 1;
    return at < s.n;
}

/* Whether the expression (of POSIX) is one of some bytes, or several: that is looked for without an automaton. */
static void find_set(struct awk *a, struct awk_re *re, struct wk_str s)
{
    bool set[256] = {false};
    size_t i = 0;
    re->many = false;
    wk_heap_free(a->c->heap, re->set);
    re->set = NULL;
    if (!s.n || re->icase)
        return;
    if (s.p[0] == '[') {
        if (!read_set(s, &i, set))
            return;
    } else if (s.p[0] == '\\') {
        if (s.n < 2 || !strchr(".$*+?()[]{}|^/", s.p[1]))
            return;
        set[(unsigned char)s.p[1]] = true;
        i = 2;
    } else if (strchr(".$*+?()[]{}|^", s.p[0]) || (unsigned char)s.p[0] >= 0x80) {
        return;
    } else {
        set[(unsigned char)s.p[0]] = true;
        i = 1;
    }
    re->many = i < s.n && s.p[i] == '+';
    if (i + re->many != s.n || set[0])
        return;
    re->set = wk_new_n(a->c, bool, 256);
    memcpy(re->set, set, sizeof set);
}

/* What is wrong with it, or NULL. */
static const char *try_compile(struct awk *a, struct awk_re *re, struct wk_str text)
{
    struct holder *h = holder(a);
    struct wk_re_env env = {.lib_call = lib_call, .ctx = a->c};
    struct wk_re_error err = {.text = ""};
    unsigned flags =
        WK_RE_EXTENDED | (a->posix ? 0 : WK_RE_GREP) | (a->icase ? WK_RE_ICASE : 0) | (a->utf8 ? 0 : WK_RE_BYTES);
    wk_buf_reset(&h->text);
    translate(a, &h->text, &h->items, text);
    if (h->text.failed || h->items.failed)
        wk_heap_exhausted(a->c->heap);
    int r =
        wk_re_compile(wk_heap_mem(a->c->heap), wk_buf_str(&h->text), flags, &env, &re->re, &err);
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(a->c->heap);
    if (r)
        return wk_strf(a->c, "%s: /%.*s/", *err.text ? err.text : wk_err_text(r), (int)WK_MIN(text.n, (size_t)2000),
                       text.p);
    re->icase = a->icase;
    find_set(a, re, wk_buf_str(&h->text));
    return NULL;
}

static void compile(struct awk *a, struct awk_re *re, struct wk_str text)
{
    const char *wrong = try_compile(a, re, text);
    if (wrong)
        wk_awk_fatal(a, "invalid regexp: %s", wrong);
}

struct awk_re *wk_awk_regex_const(struct awk *a, struct wk_str text, const char **wrong)
{
    struct awk_re *re = wk_new(a->c, struct awk_re);
    re->text = wk_awk_str_of(a, text.p, text.n);
    wk_heap_own(a->c->heap, re, release_re);
    *wrong = try_compile(a, re, text);
    return re;
}

struct awk_re *wk_awk_regex(struct awk *a, struct wk_str text)
{
    uint32_t h = 0;
    for (size_t i = 0; i < text.n; i++)
        h = h * 31 + (unsigned char)text.p[i];
    struct awk_re **slot = &a->cache[h % WK_COUNTOF(a->cache)];
    struct awk_re *re = *slot;
    if (re && re->icase == a->icase && wk_str_eq(awk_slice(re->text), text))
        return re;
    if (re && re->busy) { /* in use further out: it must stay */
        *slot = NULL;
        re = NULL;
    }
    if (!re) {
        re = wk_new(a->c, struct awk_re);
        wk_heap_own(a->c->heap, re, release_re);
        *slot = re;
    } else {
        wk_re_unref(re->re);
        re->re = NULL;
        awk_str_unref(a, re->text);
    }
    re->text = wk_awk_str_of(a, text.p, text.n);
    compile(a, re, text);
    return re;
}

/* A constant that was compiled with another IGNORECASE. */
static struct awk_re *current(struct awk *a, struct awk_re *re)
{
    bool kept = a->split == AWK_SPLIT_PATTERN && re == a->split_re; /* FPAT stays as it was set */
    return kept || re->icase == a->icase ? re : wk_awk_regex(a, awk_slice(re->text));
}

static WK_NORETURN void search_failed(struct awk *a, int r)
{
    if (r == -WK_ENOMEM)
        wk_heap_exhausted(a->c->heap);
    wk_awk_fatal(a, "regular expression: %s", wk_err_text(r));
}

bool wk_awk_matches(struct awk *a, struct awk_re *re, struct wk_str s)
{
    re = current(a, re);
    if (re->set) {
        size_t at = 0;
        while (at < s.n && !re->set[(unsigned char)s.p[at]])
            at++;
        wk_tick(a->c, (uint32_t)(s.n / 64) + 1);
        return at < s.n;
    }
    struct wk_re_run run = wk_cmd_re_run(a->c);
    int r = wk_re_search(re->re, &run, s, 0, NULL, 0);
    if (r < 0)
        search_failed(a, r);
    wk_tick(a->c, (uint32_t)(s.n / 64) + 1);
    return r > 0;
}

bool wk_awk_find_on(struct awk *a, struct awk_re *re, struct wk_re_run *run, struct wk_str s,
                    size_t from, struct wk_re_span *spans, size_t n)
{
    re = current(a, re);
    if (re->set) {
        size_t at = from, end;
        while (at < s.n && !re->set[(unsigned char)s.p[at]])
            at++;
        for (end = at + 1; re->many && end < s.n && re->set[(unsigned char)s.p[end]];)
            end++;
        wk_tick(a->c, (uint32_t)((end - from) / 64) + 1);
        for (size_t k = 1; k < n; k++)
            spans[k] = (struct wk_re_span){-1, -1};
        if (at < s.n && n)
            spans[0] = (struct wk_re_span){(ptrdiff_t)at, (ptrdiff_t)end};
        return at < s.n;
    }
    int r = wk_re_search(re->re, run, s, from, spans, n);
    if (r < 0)
        search_failed(a, r);
    wk_tick(a->c, 2);
    return r > 0;
}

bool wk_awk_find(struct awk *a, struct awk_re *re, struct wk_str s, size_t from, bool not_bol,
                 struct wk_re_span *spans, size_t n)
{
    struct wk_re_run run = wk_cmd_re_run(a->c);
    run.not_bol = not_bol;
    return wk_awk_find_on(a, re, &run, s, from, spans, n);
}
