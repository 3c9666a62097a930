/* diff_ifdef.c - diff: both files merged, by formats of groups and lines
 *
 * Standard: GNU diffutils 3.8. Oracle: diff -D, --GTYPE-group-format, --LTYPE-line-format.
 */
#include "builtins/diff.h"
#include "builtins/zone.h"
#include "text/printfmt/printfmt.h"

/* A group: lines of the first file and lines of the second. */
struct group {
    int64_t from[2], end[2];
    const char *const *line_format;
};

static int64_t group_value(char ch, const struct group *g)
{
    int which = ch >= 'A' && ch <= 'Z';
    int64_t from = g->from[which], end = g->end[which];
    switch (which ? ch : ch - 'a' + 'A') {
    case 'E':
        return from;
    case 'F':
        return from + 1;
    case 'L':
        return end;
    case 'M':
        return end + 1;
    default:
        return end - from;
    }
}

static bool is_group_letter(char ch)
{
    return ch && strchr("eflmnEFLMN", ch) != NULL;
}

/* A printf-style number behind a %: flags, width, precision, one of doxX, and its letter. Gives
 * what follows; NULL when it is none. */
static const char *put_number(struct diff *d, const char *p, const struct group *g, int64_t line,
                              bool quiet)
{
    const char *q = p + strspn(p, "-'0");
    q += strspn(q, "0123456789");
    if (*q == '.')
        q += 1 + strspn(q + 1, "0123456789");
    if (!*q || !strchr("doxX", *q) || (g ? !is_group_letter(q[1]) : q[1] != 'n'))
        return NULL;
    if (quiet)
        return q + 2;
    struct wk_printf_spec f;
    size_t at = 0;
    wk_printf_parse(wk_str(p, (size_t)(q - p) + 1), &at, &f);
    struct wk_buf *b = wk_cmd_buf(d->c, SIZE_MAX);
    wk_printf_i64(b, &f, g ? group_value(q[1], g) : line);
    wk_out_c(d->c->out, wk_keep(d->c, b));
    return q + 2;
}

/* The character of %c'C' or %c'\OOO'; *p is put behind it. */
static bool char_spec(const char **p, char *ch)
{
    const char *q = *p;
    if (*q++ != '\'')
        return false;
    *ch = *q++;
    if (!*ch || *ch == '\'')
        return false;
    if (*ch == '\\') {
        unsigned v = 0;
        const char *digits = q;
        while (*q >= '0' && *q <= '7')
            v = v * 8 + (unsigned)(*q++ - '0');
        if (q == digits)
            return false;
        *ch = (char)v;
    }
    if (*q++ != '\'')
        return false;
    *p = q;
    return true;
}

/* A literal character, %% or %c'…'; NULL when it is something else. */
static const char *put_char(struct diff *d, const char *p, bool quiet)
{
    char ch = *p++;
    if (ch == '%') {
        if (*p == '%')
            p++;
        else if (*p != 'c' || (p++, !char_spec(&p, &ch)))
            return NULL;
    }
    if (!quiet)
        wk_out_char(d->c->out, ch);
    return p;
}

static void put_line(struct diff *d, const char *format, const struct diff_file *f, int64_t at)
{
    struct wk_str s = f->lines[at];
    for (const char *p = format; *p;) {
        const char *next = NULL;
        if (*p == '%' && (p[1] == 'l' || p[1] == 'L')) {
            wk_diff_put_text(d, '\0', f, at);
            if (p[1] == 'L' && s.p[s.n - 1] == '\n')
                wk_out_char(d->c->out, '\n');
            next = p + 2;
        } else if (*p == '%') {
            next = put_number(d, p + 1, NULL, at + 1, false);
        }
        if (!next)
            next = put_char(d, p, false);
        if (!next) { /* no directive: the percent sign itself */
            wk_out_char(d->c->out, '%');
            next = p + 1;
        }
        p = next;
    }
}

static void put_lines(struct diff *d, const struct group *g, int which, enum diff_format kind,
                      bool quiet)
{
    for (int64_t k = g->from[which]; !quiet && k < g->end[which]; k++)
        put_line(d, d->o->line_format[kind], &d->file[which], k);
}

/* A number or a letter of %(A=B?T:E). */
static const char *condition_value(const char *p, const struct group *g, int64_t *v)
{
    if (*p >= '0' && *p <= '9') {
        for (*v = 0; *p >= '0' && *p <= '9'; p++)
            *v = *v > INT64_MAX / 10 - 1 ? INT64_MAX / 10 : *v * 10 + (*p - '0');
        return p;
    }
    if (!is_group_letter(*p))
        return NULL;
    *v = group_value(*p, g);
    return p + 1;
}

enum { NESTED_MOST = 100 };

/* A group by its format, up to one of the characters of `until`; gives where that is. */
static const char *put_group(struct diff *d, const char *p, const char *until,
                             const struct group *g, bool quiet, int depth)
{
    while (*p && !strchr(until, *p)) {
        const char *next = NULL;
        int64_t x, y;
        if (*p != '%')
            ;
        else if (p[1] == '<' || p[1] == '>' || p[1] == '=') {
            int which = p[1] == '>';
            put_lines(d, g, which,
                      p[1] == '<'   ? DIFF_OLD
                      : p[1] == '>' ? DIFF_NEW
                                    : DIFF_UNCHANGED,
                      quiet);
            next = p + 2;
        } else if (p[1] == '(' && depth < NESTED_MOST &&
                   (next = condition_value(p + 2, g, &x)) != NULL) {
            if (*next != '=' || !(next = condition_value(next + 1, g, &y)) || *next != '?') {
                next = NULL;
            } else {
                next = put_group(d, next + 1, ":", g, quiet || x != y, depth + 1);
                if (*next) {
                    next = put_group(d, next + 1, ")", g, quiet || x == y, depth + 1);
                    next += *next != '\0';
                }
            }
        } else {
            next = put_number(d, p + 1, g, 0, quiet);
        }
        if (!next)
            next = put_char(d, p, quiet);
        if (!next) {
            if (!quiet)
                wk_out_char(d->c->out, '%');
            next = p + 1;
        }
        p = next;
    }
    return p;
}

static void put(struct diff *d, enum diff_format kind, int64_t a, int64_t a_end, int64_t b,
                int64_t b_end)
{
    struct group g = {.from = {a, b}, .end = {a_end, b_end}};
    put_group(d, d->o->group_format[kind], "", &g, false, 0);
}

void wk_diff_put_ifdef(struct diff *d)
{
    int64_t a = 0, b = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct diff_change *h = &d->change[i];
        if (h->ignored)
            continue;
        if (a < h->a || b < h->b)
            put(d, DIFF_UNCHANGED, a, h->a, b, h->b);
        a = h->a + h->a_n;
        b = h->b + h->b_n;
        put(d, !h->b_n ? DIFF_OLD : !h->a_n ? DIFF_NEW : DIFF_CHANGED, h->a, a, h->b, b);
    }
    if (a < d->file[0].n || b < d->file[1].n)
        put(d, DIFF_UNCHANGED, a, d->file[0].n, b, d->file[1].n);
}
