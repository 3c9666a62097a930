/* histexpand.c - history expansion: what ! and ^ in a line of input stand for
 *
 * Standard: bash 9.3. Oracle: bash 5.2.
 *
 * A line is walked once. Quotes are those of the shell, anew inside of each substitution; what is nested deeper than
 * NESTED levels is taken as part of the level above.
 */
#include "interp/expand.h"
#include "interp/history.h"

#include "interp/vars.h"

#include "base/num.h"

enum { NESTED = 64 };

struct level {
    char end;      /* ) or ` that ends it */
    char quote;    /* ', " or 0; $ for $'…' */
    uint32_t open; /* ( inside of it */
};

struct expansion {
    struct wk_shell *sh;
    struct wk_str line;
    struct wk_buf *out;
    enum wk_histexp what;
    char expand, quick, comment; /* $histchars */
    uint32_t depth;
    size_t after;  /* end of the last expansion: what stands before is no context */
    uint32_t seen; /* entries that events are looked for in */
    struct level level[NESTED];
    int err;
};

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Behind the quote, substitution or pattern that begins at i. */
static size_t skip_nested(struct wk_str s, size_t i)
{
    uint32_t open = 0;
    char quote = '\0';
    for (; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\\' && quote != '\'') {
            i++;
        } else if (quote) {
            quote = c == quote ? '\0' : quote;
        } else if (c == '\'' || c == '"' || c == '`') {
            quote = c;
        } else if (c == '(') {
            open++;
        } else if (c == ')' && open && --open == 0) {
            return i + 1;
        }
        if (!quote && !open)
            return WK_MIN(i + 1, s.n);
    }
    return s.n;
}

static bool opens_nested(struct wk_str s, size_t i)
{
    char c = s.p[i];
    return i + 1 < s.n && s.p[i + 1] == '(' && memchr("$<>+*?@!", c, 8);
}

/* The end of the word or operator at i, which is no blank. */
static size_t word_end(struct wk_str s, size_t i)
{
    char c = s.p[i];
    if (memchr("()", c, 2) || c == '\n')
        return i + 1;
    if (memchr("<>;&|", c, 5) && !opens_nested(s, i)) {
        char next = i + 1 < s.n ? s.p[i + 1] : '\0';
        if (next == c && c == '<' && i + 2 < s.n && (s.p[i + 2] == '-' || s.p[i + 2] == '<'))
            return i + 3;
        if (next == c || (next == '&' && (c == '<' || c == '>')) || (next == '>' && (c == '<' || c == '&')) ||
            (next == '|' && c == '>') || (next == '&' && (c == ';' || c == '|')))
            return i + 2;
        return i + 1;
    }
    while (i < s.n && !is_blank(s.p[i])) {
        if (s.p[i] == '\\') {
            i += 2;
        } else if (opens_nested(s, i)) {
            i = skip_nested(s, i + 1);
        } else if (s.p[i] == '\'' || s.p[i] == '"' || s.p[i] == '`') {
            i = skip_nested(s, i);
        } else if (memchr("<>;&|()", s.p[i], 7)) {
            break;
        } else {
            i++;
        }
    }
    return WK_MIN(i, s.n);
}

/* The next word of s from *at; false at the end. A number before < or > belongs to the operator. */
static bool next_word(struct wk_str s, size_t *at, struct wk_str *word)
{
    size_t i = *at;
    while (i < s.n && is_blank(s.p[i]))
        i++;
    if (i >= s.n)
        return false;
    size_t end = word_end(s, i), digits = i;
    while (digits < end && wk_is_digit(s.p[digits]))
        digits++;
    if (digits == end && end < s.n && (s.p[end] == '<' || s.p[end] == '>') && !opens_nested(s, end))
        end = word_end(s, end);
    *word = wk_str(s.p + i, end - i);
    *at = end;
    return true;
}

static int64_t count_words(struct wk_str s)
{
    struct wk_str w;
    int64_t n = 0;
    for (size_t at = 0; next_word(s, &at, &w);)
        n++;
    return n;
}

/* ---- failures -------------------------------------------------------------------------------- */

/* "TEXT: what" is the message, in place of the line. */
static bool fail(struct expansion *x, struct wk_str text, const char *what)
{
    wk_buf_reset(x->out);
    wk_buf_puts(x->out, text);
    wk_buf_fmt(x->out, ": %s", what);
    x->what = WK_HISTEXP_FAILED;
    return false;
}

static bool refused(struct expansion *x, int err)
{
    x->err = err;
    return false;
}

static bool steps(struct expansion *x, size_t bytes)
{
    return wk_steps(x->sh->k, (uint32_t)WK_MIN(bytes / 64 + 1, UINT32_MAX)) == 0 || refused(x, -WK_ESTOP);
}

/* Store text in one of the list's memories. */
static bool remember(struct expansion *x, size_t offset, struct wk_str s)
{
    struct wk_val *v = wk_val_new(x->sh->mem, s);
    struct wk_history *h = v ? wk_history_own(x->sh) : NULL;
    if (!h) {
        wk_val_unref(x->sh->mem, v);
        return refused(x, -WK_ENOMEM);
    }
    struct wk_val **slot = (struct wk_val **)(void *)((char *)h + offset);
    wk_val_unref(x->sh->mem, *slot);
    *slot = v;
    return true;
}
#define REMEMBER(x, slot, s) remember((x), offsetof(struct wk_history, slot), (s))

static bool recall(const struct wk_val *v, struct wk_str *s)
{
    if (v)
        *s = wk_val_str(v);
    return v != NULL;
}

static bool remember_search(struct expansion *x, struct wk_str text)
{
    const struct wk_history *h = x->sh->st->history;
    return (h && h->search && h->search->p == text.p) || REMEMBER(x, search, text);
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool has_text(struct wk_str line, struct wk_str text, bool anywhere)
{
    return anywhere ? wk_str_find(line, text) >= 0 : wk_str_starts(line, text);
}

/* The word of the line in which the text was found, for `%'. */
static bool note_word(struct expansion *x, struct wk_str line, struct wk_str text)
{
    struct wk_str w;
    size_t found = 0; /* the last place */
    for (ptrdiff_t at; (at = wk_str_find(wk_str_from(line, found), text)) >= 0; found += (size_t)at + 1) {
        if (!steps(x, (size_t)at))
            return false;
    }
    for (size_t at = 0; found && next_word(line, &at, &w);) {
        if ((size_t)(w.p - line.p) + w.n >= found)
            return REMEMBER(x, word, w);
    }
    return true;
}

static bool search_event(struct expansion *x, struct wk_str text, bool anywhere, struct wk_str *event, bool *found)
{
    *found = false;
    for (uint32_t i = x->seen; i > 0 && !*found; i--) {
        *event = wk_val_str(wk_history_at(x->sh, i - 1)->line);
        if (!steps(x, event->n))
            return false;
        *found = has_text(*event, text, anywhere);
    }
    if (!*found || !anywhere)
        return true;
    struct wk_str copy = *event; /* noting the word may make the list anew; its lines are shared */
    return note_word(x, copy, text);
}

/* Event `n` as it is numbered, or counted from the end when negative. */
static bool numbered(const struct expansion *x, int64_t n, struct wk_str *event)
{
    int64_t count = x->seen, base = wk_history_base(x->sh);
    int64_t i;
    if (n < 0)
        i = n < -count ? -1 : count + n;
    else
        i = n < base ? -1 : n - base;
    if (i < 0 || i >= count)
        return false;
    *event = wk_val_str(wk_history_at(x->sh, (uint32_t)i)->line);
    return true;
}

/* The event that the text at *at (behind the !) names; *at goes behind it. */
static bool find_event(struct expansion *x, size_t *at, struct wk_str *event)
{
    struct wk_str s = x->line;
    size_t from = *at, i = from;
    char c = i < s.n ? s.p[i] : '\0';
    bool found, quoted = x->level[x->depth].quote == '"';
    if (c == x->expand) {
        *at = i + 1;
        found = numbered(x, -1, event);
    } else if (memchr(":$*%^", c, 5)) {
        found = numbered(x, -1, event);
    } else if (c == '#') {
        *at = i + 1;
        *event = wk_buf_str(x->out);
        return true;
    } else if (wk_is_digit(c) || (c == '-' && i + 1 < s.n && wk_is_digit(s.p[i + 1]))) {
        int64_t n;
        int err;
        size_t used = wk_scan_i64(wk_str_from(s, i), 10, &n, &err);
        *at = i + used;
        found = !err && n && numbered(x, n, event);
    } else if (c == '-' && (i + 1 >= s.n || memchr("$*%^:-", s.p[i + 1], 6))) {
        found = numbered(x, -1, event);
    } else {
        bool anywhere = c == '?';
        i += anywhere;
        size_t begin = i;
        for (; i < s.n && s.p[i] != '\n'; i++) {
            if (anywhere ? s.p[i] == '?'
                         : is_blank(s.p[i]) || s.p[i] == ':' || (quoted && s.p[i] == '"') ||
                               (x->sh->interactive && memchr(";&()|<>", s.p[i], 7)) ||
                               (i > begin && memchr("^$*%-", s.p[i], 5)))
                break;
        }
        struct wk_str text = wk_str(s.p + begin, i - begin);
        *at = i + (anywhere && i < s.n && s.p[i] == '?');
        if (anywhere && !text.n) {
            if (!x->sh->st->history || !recall(x->sh->st->history->search, &text))
                return fail(x, wk_str(s.p + from - 1, *at - from + 1), "no previous search string");
        }
        if (!search_event(x, text, anywhere, event, &found))
            return false;
        if (anywhere && found && !remember_search(x, text))
            return false;
    }
    return found || fail(x, wk_str(s.p + from - 1, WK_MIN(WK_MAX(*at, from + 1), s.n) - from + 1), "event not found");
}

/* ---- words of an event ----------------------------------------------------------------------- */

static bool bad_word(struct expansion *x, size_t from, size_t to)
{
    return fail(x, wk_str(x->line.p + from, to - from), "bad word specifier");
}

/* One end of a range: false when there is none at *at. */
static bool range_end(const struct expansion *x, size_t *at, int64_t last, int64_t *n)
{
    struct wk_str s = wk_str_from(x->line, *at);
    int err = 0;
    if (s.n && wk_is_digit(s.p[0])) {
        size_t used = wk_scan_i64(s, 10, n, &err);
        *at += used;
        return true;
    }
    if (!s.n || (s.p[0] != '^' && s.p[0] != '$'))
        return false;
    *n = s.p[0] == '^' ? 1 : last;
    ++*at;
    return true;
}

/* Append words from … to to b, one blank between. */
static bool put_words(struct expansion *x, struct wk_buf *b, struct wk_str event, int64_t from, int64_t to)
{
    struct wk_str w;
    int64_t n = 0;
    for (size_t at = 0; next_word(event, &at, &w); n++) {
        if (n < from || n > to)
            continue;
        if (n > from)
            wk_buf_putc(b, ' ');
        wk_buf_puts(b, w);
    }
    return steps(x, event.n);
}

/* The word designator at *at, if there is one. */
static bool take_words(struct expansion *x, size_t *at, struct wk_str event, struct wk_buf *b)
{
    struct wk_str s = x->line;
    size_t begin = *at, i = begin;
    bool colon = i < s.n && s.p[i] == ':';
    if (colon)
        i++;
    char c = i < s.n ? s.p[i] : '\0';
    if (!c || !(memchr("^$*%-", c, 5) || (colon && wk_is_digit(c)))) {
        wk_buf_puts(b, event);
        return true;
    }
    int64_t last = count_words(event) - 1, from = 0, to;
    if (c == '%') {
        struct wk_str w;
        *at = i + 1;
        if (x->sh->st->history && recall(x->sh->st->history->word, &w))
            wk_buf_puts(b, w);
        return true;
    }
    if (c == '*' || c == '$') {
        *at = i + 1;
        return put_words(x, b, event, c == '*' ? 1 : last, last);
    }
    if (c != '-' && !range_end(x, &i, last, &from))
        return bad_word(x, begin, i);
    if (wk_is_digit(c) && i < s.n && s.p[i] == '^')
        return bad_word(x, begin, i + 1);
    to = from;
    if (i < s.n && s.p[i] == '*') {
        i++;
        to = last;
    } else if (i < s.n && s.p[i] == '-') {
        i++;
        if (!range_end(x, &i, last, &to))
            to = last - 1;
        if (to < from)
            to = c == '-' ? to : from - 1;
    }
    *at = i;
    if (from > last || to > last || to < from - 1)
        return bad_word(x, begin, i);
    return put_words(x, b, event, from, to);
}

/* ---- modifiers ------------------------------------------------------------------------------- */

static bool replace_buf(struct expansion *x, struct wk_buf *b, struct wk_buf *with)
{
    struct wk_buf t = *b;
    *b = *with;
    *with = t;
    wk_buf_reset(with);
    return (!b->failed && steps(x, b->n)) || refused(x, x->err ? x->err : -WK_ENOMEM);
}

/* :q all of it, :x each word by itself. */
static bool quote(struct expansion *x, struct wk_buf *b, bool words)
{
    struct wk_buf t;
    struct wk_str s = wk_buf_str(b);
    wk_buf_init(&t, x->sh->mem, WK_VAL_MAX);
    if (!words || !s.n) {
        wk_quote_plain(&t, s);
    } else {
        for (size_t i = 0; i < s.n;) {
            size_t from = i;
            while (i < s.n && !is_blank(s.p[i]))
                i++;
            if (i > from)
                wk_quote_plain(&t, wk_str(s.p + from, i - from));
            for (; i < s.n && is_blank(s.p[i]); i++)
                wk_buf_putc(&t, s.p[i]);
        }
    }
    bool ok = replace_buf(x, b, &t);
    wk_buf_release(&t);
    return ok;
}

/* The part of a substitution up to the delimiter, which a backslash may quote. */
static size_t take_part(const struct expansion *x, size_t i, char delim, struct wk_buf *part)
{
    struct wk_str s = x->line;
    for (; i < s.n && s.p[i] != delim && s.p[i] != '\n'; i++) {
        if (s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1] == delim)
            i++;
        wk_buf_putc(part, s.p[i]);
    }
    return i;
}

/* & in the replacement is what is replaced. */
static void put_replacement(struct wk_buf *b, struct wk_str by, struct wk_str what)
{
    for (size_t i = 0; i < by.n; i++) {
        if (by.p[i] == '&')
            wk_buf_puts(b, what);
        else if (by.p[i] == '\\' && i + 1 < by.n && by.p[i + 1] == '&')
            wk_buf_putc(b, by.p[++i]);
        else
            wk_buf_putc(b, by.p[i]);
    }
}

/* Replace the first, all (g) or the first of each word (G). *done: something was. */
static bool substitute(struct expansion *x, struct wk_buf *b, struct wk_str what, struct wk_str by, char how,
                       bool *done)
{
    struct wk_buf t;
    struct wk_str s = wk_buf_str(b);
    size_t i = 0, limit = 0;
    wk_buf_init(&t, x->sh->mem, WK_VAL_MAX);
    *done = false;
    while (i < s.n && !t.failed && !x->err) {
        struct wk_str rest = wk_str_from(s, i);
        ptrdiff_t at = (*done && !how) || i < limit ? -1 : wk_str_find(rest, what);
        if (i < limit) { /* G: the rest of the word */
            wk_buf_puts(&t, wk_str_take(rest, limit - i));
            i = limit;
            continue;
        }
        if (at < 0) {
            wk_buf_puts(&t, rest);
            break;
        }
        wk_buf_puts(&t, wk_str_take(rest, (size_t)at));
        put_replacement(&t, by, what);
        i += (size_t)at + what.n;
        *done = true;
        if (how == 'G') {
            limit = i;
            while (limit < s.n && !is_blank(s.p[limit]))
                limit++;
        }
        (void)steps(x, by.n + what.n);
    }
    bool ok = !x->err && replace_buf(x, b, &t);
    wk_buf_release(&t);
    return ok;
}

/* s/old/new/ at *at, behind the s, or the last one `again'; from: where the modifier began. */
static bool take_substitution(struct expansion *x, size_t from, size_t *at, struct wk_buf *b, char how, bool again)
{
    struct wk_str s = x->line, old = {0}, by = {0};
    struct wk_buf a, c;
    size_t i = *at;
    bool ok = true, done = false;
    const struct wk_history *h = x->sh->st->history;
    if (!again && i < s.n) {
        char delim = s.p[i];
        wk_buf_init(&a, x->sh->mem, WK_VAL_MAX);
        wk_buf_init(&c, x->sh->mem, WK_VAL_MAX);
        i = take_part(x, i + 1, delim, &a);
        i = take_part(x, WK_MIN(i + 1, s.n), delim, &c);
        i += i < s.n && s.p[i] == delim;
        struct wk_str text = wk_buf_str(&a);
        ok = !a.failed && !c.failed ? true : refused(x, -WK_ENOMEM);
        if (ok && text.n)
            ok = REMEMBER(x, old, text);
        else if (ok && !(h && h->old) && h && recall(h->search, &text))
            ok = REMEMBER(x, old, text);
        if (ok)
            ok = REMEMBER(x, new, wk_buf_str(&c));
        wk_buf_release(&a);
        wk_buf_release(&c);
    }
    *at = i;
    h = x->sh->st->history;
    if (!ok)
        return false;
    if (!h || !recall(h->old, &old) || !recall(h->new, &by))
        return fail(x, wk_str(s.p + from, i - from), "no previous substitution");
    if (!substitute(x, b, old, by, how, &done))
        return false;
    return done || fail(x, wk_str(s.p + from, i - from), "substitution failed");
}

static bool cut_path(struct expansion *x, struct wk_buf *b, char c)
{
    struct wk_str s = wk_buf_str(b);
    ptrdiff_t at = wk_str_rchr(s, c == 'h' || c == 't' ? '/' : '.');
    if (at < 0)
        return true;
    if (c == 'h' || c == 'r') {
        b->n = (size_t)at;
        return true;
    }
    struct wk_buf t;
    wk_buf_init(&t, x->sh->mem, WK_VAL_MAX);
    wk_buf_puts(&t, wk_str_from(s, (size_t)at + (c == 't')));
    bool ok = replace_buf(x, b, &t);
    wk_buf_release(&t);
    return ok;
}

static bool take_modifiers(struct expansion *x, size_t *at, struct wk_buf *b)
{
    struct wk_str s = x->line;
    char quoting = '\0';
    while (*at < s.n && s.p[*at] == ':') {
        size_t from = *at, i = from + 1;
        char how = '\0', c = i < s.n ? s.p[i] : '\0';
        if (c == 'g' || c == 'a' || c == 'G') {
            how = c == 'a' ? 'g' : c;
            c = ++i < s.n ? s.p[i] : '\0';
        }
        *at = i + 1;
        bool ok = true;
        switch (c) {
        case 'h':
        case 't':
        case 'r':
        case 'e':
            ok = cut_path(x, b, c);
            break;
        case 'p':
            x->what = WK_HISTEXP_PRINT;
            break;
        case 'q':
        case 'x':
            quoting = c;
            break;
        case 's':
        case '&':
            ok = take_substitution(x, from, at, b, how, c == '&');
            break;
        default:
            return fail(x, wk_str(s.p + i, WK_MIN(*at, s.n) - i), "unrecognized history modifier");
        }
        if (!ok)
            return false;
    }
    return !quoting || quote(x, b, quoting == 'x');
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* What a ! at i is followed by makes it an ordinary character. */
static bool is_plain(const struct expansion *x, size_t i)
{
    struct wk_str s = x->line;
    char next = i + 1 < s.n ? s.p[i + 1] : '\0', before = i > x->after ? s.p[i - 1] : '\0';
    if (next == '\0' || is_blank(next) || next == '\r' || next == '=')
        return true;
    if (next == '"' && x->level[x->depth].quote == '"')
        return true;
    if (next == '(' && wk_shopt(x->sh, EXTGLOB))
        return true;
    if (before == '$' && i > 1)
        return true;
    if (before == '{' && i > x->after + 1 && s.p[i - 2] == '$' && memchr(s.p + i, '}', s.n - i))
        return true;
    if (before == '[' && memchr(s.p + i, ']', s.n - i))
        return true;
    const struct level *l = &x->level[x->depth];
    return l->end && l->end == next && next == '`';
}

static bool expand_at(struct expansion *x, size_t *at)
{
    struct wk_str event = {0};
    struct wk_buf b;
    size_t i = *at + 1;
    wk_buf_init(&b, x->sh->mem, WK_VAL_MAX);
    if (x->what != WK_HISTEXP_PRINT)
        x->what = WK_HISTEXP_DONE;
    /* The event may be part of `out' or of the list: it is copied before either changes. */
    struct wk_val *copy = NULL;
    bool ok = find_event(x, &i, &event);
    if (ok) {
        copy = wk_val_new(x->sh->mem, event);
        ok = copy || refused(x, -WK_ENOMEM);
    }
    ok = ok && take_words(x, &i, wk_val_str(copy), &b) && take_modifiers(x, &i, &b);
    if (ok && b.failed)
        ok = refused(x, -WK_ENOMEM);
    if (ok)
        wk_buf_puts(x->out, wk_buf_str(&b));
    wk_val_unref(x->sh->mem, copy);
    wk_buf_release(&b);
    *at = i;
    return ok;
}

/* ^old^new^ at the start of the line. */
static bool quick(struct expansion *x, size_t *at)
{
    struct wk_str event = {0};
    struct wk_buf b;
    if (!numbered(x, -1, &event))
        return fail(x, x->line, "event not found");
    wk_buf_init(&b, x->sh->mem, WK_VAL_MAX);
    wk_buf_puts(&b, event);
    x->what = WK_HISTEXP_DONE;
    size_t i = 0;
    bool ok = true;
    struct wk_str whole = x->line;
    ok = take_substitution(x, 0, &i, &b, '\0', false);
    if (!ok && x->what == WK_HISTEXP_FAILED) {
        wk_buf_reset(x->out);
        wk_buf_fmt(x->out, ":s");
        wk_buf_puts(x->out, wk_str_take(whole, i));
        wk_buf_put_c(x->out, ": substitution failed");
    }
    ok = ok && take_modifiers(x, &i, &b);
    if (ok && b.failed)
        ok = refused(x, -WK_ENOMEM);
    if (ok)
        wk_buf_puts(x->out, wk_buf_str(&b));
    wk_buf_release(&b);
    *at = i;
    return ok;
}

static void push_level(struct expansion *x, char end)
{
    if (x->depth + 1 < NESTED)
        x->level[++x->depth] = (struct level){.end = end};
    else
        x->level[x->depth].open += end == ')';
}

/* Quotes and substitutions at i: the bytes that are copied as they are. */
static size_t walk(struct expansion *x, size_t i)
{
    struct wk_str s = x->line;
    struct level *l = &x->level[x->depth];
    char c = s.p[i], next = i + 1 < s.n ? s.p[i + 1] : '\0';
    bool ansi = l->quote == '$';
    if (c == '\\' && l->quote != '\'')
        return next ? 2 : 1;
    if (l->quote == '\'' || ansi) {
        if (c == '\'')
            l->quote = '\0';
        return 1;
    }
    if (c == '\'' && !l->quote) {
        l->quote = i && s.p[i - 1] == '$' ? '$' : '\'';
    } else if (c == '"') {
        l->quote = l->quote ? '\0' : '"';
    } else if (c == '`') {
        if (l->end == '`' && x->depth)
            x->depth--;
        else
            push_level(x, '`');
    } else if (next == '(' && (c == '$' || (!l->quote && (c == '<' || c == '>')))) {
        push_level(x, ')');
        return 2;
    } else if (c == '(' && !l->quote) {
        l->open++;
    } else if (c == ')' && !l->quote) {
        if (l->open)
            l->open--;
        else if (l->end == ')' && x->depth)
            x->depth--;
    }
    return 1;
}

static bool starts_comment(const struct expansion *x, size_t i)
{
    struct wk_str s = x->line;
    return x->comment && s.p[i] == x->comment && !x->level[x->depth].quote &&
           (i == 0 || is_blank(s.p[i - 1]) || memchr(";&|()", s.p[i - 1], 5));
}

static bool expand_line(struct expansion *x)
{
    struct wk_str s = x->line;
    size_t i = 0;
    if (s.n && s.p[0] == x->quick && x->level[0].quote != '\'' && !quick(x, &i))
        return false;
    while (i < s.n) {
        const struct level *l = &x->level[x->depth];
        bool inert = l->quote == '\'' || l->quote == '$' || (l->quote == '"' && wk_opt(x->sh, POSIX));
        if (starts_comment(x, i)) {
            wk_buf_puts(x->out, wk_str_from(s, i));
            break;
        }
        if (s.p[i] == x->expand && !inert && !is_plain(x, i)) {
            if (!expand_at(x, &i))
                return false;
            x->after = i;
            continue;
        }
        size_t n = walk(x, i);
        wk_buf_put(x->out, s.p + i, n);
        i += n;
    }
    return !x->out->failed || refused(x, -WK_ENOMEM);
}

int wk_histexpand(struct wk_shell *sh, struct wk_str line, char quote, uint32_t seen, struct wk_buf *out,
                  enum wk_histexp *what)
{
    struct expansion x = {.sh = sh, .line = line, .seen = seen, .out = out};
    x.expand = '!';
    x.quick = '^';
    x.comment = '#';
    char scratch[24];
    struct wk_str chars;
    uint32_t id = wk_names_find(sh->names, WK_STR("histchars"));
    if (id != WK_NAME_NONE && wk_var_get(sh, id, scratch, &chars) && chars.n) {
        x.expand = chars.p[0];
        x.quick = chars.n > 1 ? chars.p[1] : '\0';
        x.comment = chars.n > 2 ? chars.p[2] : '\0';
    }
    if (quote == WK_HISTEXP_TEXT)
        x.comment = '\0';
    *what = WK_HISTEXP_NONE;
    wk_buf_reset(out);
    if (!memchr(line.p, x.expand, line.n) && !(line.n && line.p[0] == x.quick))
        return 0;
    x.level[0].quote = quote == WK_HISTEXP_TEXT ? '\0' : quote;
    if (!steps(&x, line.n))
        return x.err;
    if (!expand_line(&x) && x.err)
        return x.err;
    *what = x.what;
    return out->failed ? -WK_ENOMEM : 0;
}
