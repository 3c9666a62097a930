/* sort_debug.c - sort --debug: what is odd about the keys, and what of each line they see */
#include "builtins/sort.h"

#include "base/fnum.h"
#include "base/utf8.h"

static bool is_numeric(const struct wk_sort_key *k)
{
    return k->kind == WK_SORT_NUMERIC || k->kind == WK_SORT_GENERAL || k->kind == WK_SORT_HUMAN;
}

/* ---- before the lines ---- */

static void put_note(struct wk_sorter *s, size_t key, const char *what)
{
    wk_out_fmt(s->c->err, "%s: key %zu %s\n", s->c->name, key, what);
}

/* Whether the key is numeric and may reach into the next field. */
static bool note_key(struct wk_sorter *s, const struct wk_sort_key *k, size_t number)
{
    bool open = k->eword == SIZE_MAX;
    size_t last = k->eword - (k->echar == 0); /* the field it ends in */
    bool none = !open && last < k->sword, line_offset = !open && last == 0 && k->echar;
    bool implied = is_numeric(k) || k->kind == WK_SORT_MONTH;
    if (none)
        put_note(s, number, "has zero width and will be ignored");
    else if (s->tab < 0 && !line_offset &&
             ((!k->start_blanks && (!implied || k->schar)) || (!k->end_blanks && k->echar)))
        wk_out_fmt(s->c->err,
                   "%s: leading blanks are significant in key %zu; consider also specifying 'b'\n",
                   s->c->name, number);
    if (none || !is_numeric(k) || !(open || k->sword < last))
        return false;
    put_note(s, number, "is numeric and spans multiple fields");
    return true;
}

/* What of the global options no key took over. */
static void note_unused(struct wk_sorter *s)
{
    struct wk_sort_key g = s->global;
    char letters[16];
    size_t n = 0;
    for (size_t i = 0; i < s->n_keys; i++) {
        const struct wk_sort_key *k = &s->keys[i];
        g.start_blanks = g.start_blanks && !k->start_blanks;
        g.end_blanks = g.end_blanks && !k->end_blanks;
        if (k->dictionary == g.dictionary && k->printing == g.printing)
            g.dictionary = g.printing = false;
        g.fold = g.fold && !k->fold;
        g.reverse = g.reverse && !k->reverse;
        g.kinds &= ~k->kinds;
    }
    static const struct {
        char letter;
        enum wk_sort_kind kind;
    } kinds[] = {{'g', WK_SORT_GENERAL}, {'h', WK_SORT_HUMAN},   {'i', WK_SORT_TEXT},
                 {'M', WK_SORT_MONTH},   {'n', WK_SORT_NUMERIC}, {'R', WK_SORT_RANDOM},
                 {'r', WK_SORT_TEXT},    {'V', WK_SORT_VERSION}};
    bool last_resort = !s->stable && !s->unique;
    if (g.start_blanks || g.end_blanks)
        letters[n++] = 'b';
    if (g.dictionary)
        letters[n++] = 'd';
    if (g.fold)
        letters[n++] = 'f';
    for (size_t i = 0; i < WK_COUNTOF(kinds); i++)
        if (kinds[i].letter == 'i'   ? g.printing && !g.dictionary
            : kinds[i].letter == 'r' ? g.reverse && !last_resort && s->n_keys
                                     : g.kinds >> kinds[i].kind & 1)
            letters[n++] = kinds[i].letter;
    letters[n] = '\0';
    if (n)
        wk_out_fmt(s->c->err,
                   n == 1 ? "%s: option '-%s' is ignored\n" : "%s: options '-%s' are ignored\n",
                   s->c->name, letters);
    if (g.reverse && last_resort && s->n_keys)
        wk_out_fmt(s->c->err, "%s: option '-r' only applies to last-resort comparison\n",
                   s->c->name);
}

void wk_sort_debug_notes(struct wk_sorter *s)
{
    struct wk_out *err = s->c->err;
    const char *name = s->c->name;
    bool numeric = false, span = false, general_span = false;
    wk_out_fmt(err,
               wk_cmd_utf8(s->c) ? "%s: text ordering performed using 'C.UTF-8' sorting rules\n"
                                 : "%s: text ordering performed using simple byte comparison\n",
               name);
    for (size_t i = 0; i < s->n_keys; i++) {
        const struct wk_sort_key *k = &s->keys[i];
        bool spans = !s->global_key && note_key(s, k, i + 1);
        numeric = numeric || is_numeric(k);
        span = span || spans;
        general_span = general_span || (spans && k->kind == WK_SORT_GENERAL);
    }
    const char *use = s->tab == '.'                   ? "a decimal point"
                      : s->tab == '-'                 ? "a minus sign"
                      : s->tab == '+' && general_span ? "a plus sign"
                                                      : NULL;
    if (span && use)
        wk_out_fmt(err, "%s: field separator '%c' is treated as %s in numbers\n", name, s->tab,
                   use);
    if (numeric && !(span && s->tab == '.'))
        wk_out_fmt(err, "%s: %snumbers use '.' as a decimal point in this locale\n", name,
                   s->tab == '.' ? "" : "note ");
    note_unused(s);
}

/* ---- below a line ---- */

/* Length of the number that -n or -h sees at the start of s. */
static size_t number_length(struct wk_str s, bool unit)
{
    size_t i = s.n && s.p[0] == '-', digits = 0;
    for (; i < s.n && wk_is_digit(s.p[i]); i++)
        digits++;
    if (i < s.n && s.p[i] == '.')
        for (i++; i < s.n && wk_is_digit(s.p[i]); i++)
            digits++;
    if (!digits)
        return 0;
    return i + (unit && i < s.n && s.p[i] && strchr("kKMGTPEZY", s.p[i]));
}

/* The part of a key that its order looks at. */
static struct wk_str tighten(const struct wk_sort_key *k, struct wk_str key)
{
    long double v;
    int err;
    if (!is_numeric(k) && k->kind != WK_SORT_MONTH)
        return key;
    while (key.n && (key.p[0] == ' ' || key.p[0] == '\t' || key.p[0] == '\n'))
        key = wk_str_from(key, 1);
    if (k->kind == WK_SORT_MONTH)
        return wk_str_take(key, wk_sort_month(key) ? 3 : 0);
    if (k->kind == WK_SORT_GENERAL)
        return wk_str_take(key, wk_scan_ldouble(key, &v, &err));
    return wk_str_take(key, number_length(key, k->kind == WK_SORT_HUMAN));
}

/* Columns of a part, tabs counted as one. */
static size_t columns(bool utf8, struct wk_str s)
{
    size_t n = 0;
    while (s.n) {
        unsigned char b = (unsigned char)s.p[0];
        uint32_t ch = b;
        size_t used = b < 128 || !utf8 ? 1 : wk_utf8_next(s.p, s.n, &ch);
        int width = b < 128                       ? b == '\t' || (b >= 32 && b < 127)
                    : utf8 && !wk_utf8_is_bad(ch) ? wk_utf8_width(ch)
                                                  : 1;
        n += width > 0 ? (size_t)width : 0;
        s = wk_str_from(s, used);
    }
    return n;
}

static void put_mark(struct wk_sorter *s, struct wk_out *out, const char *line, struct wk_str part)
{
    bool utf8 = wk_cmd_utf8(s->c);
    size_t before = columns(utf8, wk_str(line, (size_t)(part.p - line)));
    size_t width = columns(utf8, part);
    for (size_t i = 0; i < before; i++)
        wk_out_char(out, ' ');
    for (size_t i = 0; i < width; i++)
        wk_out_char(out, '_');
    wk_out_c(out, width ? "\n" : "^ no match for key\n");
}

void wk_sort_debug_line(struct wk_sorter *s, struct wk_out *out, const struct wk_sort_line *l)
{
    for (size_t i = 0; i < l->n; i++)
        wk_out_char(out, l->p[i] == '\t' ? '>' : l->p[i]);
    wk_out_char(out, '\n');
    for (size_t i = 0; i < s->n_keys; i++)
        put_mark(s, out, l->p, tighten(&s->keys[i], wk_sort_find_key(s, &s->keys[i], l)));
    if (!s->n_keys || !(s->unique || s->stable))
        put_mark(s, out, l->p, wk_str(l->p, l->n));
    wk_tick(s->c, (uint32_t)(l->n / 16 & 0xffffff) + 1);
}
