/* hexdump_format.c - hexdump: format strings to units and fields */
#include "builtins/hexdump.h"

/* ---- units ----------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *p)
{
    while (wk_is_space((unsigned char)*p))
        p++;
    return p;
}

static size_t number(const char **p)
{
    enum { MOST = 1 << 20 }; /* bytes and repetitions stay countable */
    size_t v = 0;
    for (; wk_is_digit(**p); ++*p)
        v = WK_MIN(v * 10 + (size_t)(**p - '0'), (size_t)MOST);
    return v;
}

static WK_NORETURN void bad_format(struct wk_cmd *c, const char *text)
{
    wk_fail(c, 1, "bad format {%s}", text);
}

static struct wk_str unescape(struct wk_cmd *c, const char *p, size_t n)
{
    static const char from[] = "0abfnrtv", to[] = "\0\a\b\f\n\r\t\v";
    char *out = wk_heap_alloc(c->heap, n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        char ch = p[i];
        if (ch == '\\' && i + 1 < n) {
            ch = p[++i];
            const char *at = ch ? strchr(from, ch) : NULL;
            if (at)
                ch = to[at - from];
        }
        out[k++] = ch;
    }
    out[k] = '\0';
    return wk_str(out, k);
}

/* ---- fields ---------------------------------------------------------------------------------- */

struct maker {
    struct wk_cmd *c;
    struct hexdump_formats *all;
    struct hexdump_unit *unit;
    size_t bytes; /* given for each directive; 0: none */
    size_t cap, counted;
};

static struct hexdump_field *new_field(struct maker *m)
{
    struct hexdump_unit *u = m->unit;
    if (u->nfields == m->cap) {
        m->cap = m->cap ? m->cap * 2 : 4;
        u->fields = wk_heap_realloc(m->c->heap, u->fields, m->cap * sizeof *u->fields);
    }
    struct hexdump_field *f = &u->fields[u->nfields++];
    *f = (struct hexdump_field){.precision = -1};
    return f;
}

/* The sizes that a directive may have, the first when none is given; a string of digits. */
static void set_bytes(struct maker *m, struct hexdump_field *f, const char *sizes)
{
    bool underscore = f->kind >= HEXDUMP_CHAR;
    f->bytes = m->bytes ? m->bytes : (size_t)(sizes[0] - '0');
    if (f->bytes > 9 || !strchr(sizes, (int)('0' + f->bytes)))
        wk_fail(m->c, 1, "bad byte count for conversion character %s%c",
                underscore ? "_" : "", f->conv);
}

/* %_X; p is at the X. Returns the bytes used behind the underscore. */
static size_t special(struct maker *m, struct hexdump_field *f, const char *p)
{
    f->conv = *p;
    switch (*p) {
    case 'A':
        m->all->end = m->unit;
        m->unit->ends = true;
        __attribute__((fallthrough));
    case 'a':
        if (!p[1] || !strchr("dox", p[1]))
            wk_fail(m->c, 1, "bad conversion character %%_%.*s", p[1] ? 2 : 1, p);
        f->kind = HEXDUMP_ADDRESS;
        f->conv = p[1];
        return 2;
    case 'c':
        f->kind = HEXDUMP_CHAR;
        break;
    case 'p':
        f->kind = HEXDUMP_PRINT;
        break;
    case 'u':
        f->kind = HEXDUMP_NAME;
        break;
    default:
        wk_fail(m->c, 1, "bad conversion character %%_%.*s", *p ? 1 : 0, p);
    }
    set_bytes(m, f, "1");
    return 1;
}

/* The letter of a directive; returns the bytes used. */
static size_t conversion(struct maker *m, struct hexdump_field *f, const char *p)
{
    f->conv = *p;
    switch (*p) {
    case 'c':
        f->kind = HEXDUMP_BYTE;
        set_bytes(m, f, "1");
        return 1;
    case 'd':
    case 'i':
        f->kind = HEXDUMP_SIGNED;
        set_bytes(m, f, "4128");
        return 1;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        f->kind = HEXDUMP_UNSIGNED;
        set_bytes(m, f, "4128");
        return 1;
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
        f->kind = HEXDUMP_FLOAT;
        set_bytes(m, f, "84");
        return 1;
    case 's':
        f->kind = HEXDUMP_STRING;
        f->bytes = m->bytes ? m->bytes : f->precision > 0 ? (size_t)f->precision : 0;
        if (!m->bytes && f->precision < 0)
            wk_fail(m->c, 1, "%%s requires a precision or a byte count");
        return 1;
    case '_':
        return 1 + special(m, f, p + 1);
    default:
        wk_fail(m->c, 1, "bad conversion character %%%.*s", *p ? 1 : 0, p);
    }
}

/* A directive behind its '%'; returns what follows it. */
static const char *directive(struct maker *m, struct hexdump_field *f, const char *p)
{
    for (;; p++) {
        if (*p == '-')
            f->minus = true;
        else if (*p == '+')
            f->plus = true;
        else if (*p == ' ')
            f->space = true;
        else if (*p == '#')
            f->alt = true;
        else if (*p == '0')
            f->zero = true;
        else
            break;
    }
    f->width = (int)number(&p);
    if (*p == '.') {
        p++;
        f->precision = (int)number(&p);
    }
    p += conversion(m, f, p);
    if (f->kind != HEXDUMP_ADDRESS && m->bytes && m->counted++)
        wk_fail(m->c, 1, "byte count with multiple conversion characters");
    return p;
}

static void make_fields(struct maker *m, struct wk_str text)
{
    const char *p = text.p, *end = text.p + text.n;
    const char *percent = text.n ? memchr(p, '%', text.n) : NULL;
    if (!percent && !text.n)
        return;
    if (!percent) {
        new_field(m)->before = text;
        return;
    }
    while (percent) {
        struct hexdump_field *f = new_field(m);
        f->before = wk_str(p, (size_t)(percent - p));
        p = directive(m, f, percent + 1);
        percent = p < end ? memchr(p, '%', (size_t)(end - p)) : NULL;
        if (!percent)
            f->after = wk_str(p, (size_t)(end - p));
        m->unit->bytes += f->bytes;
    }
}

/* The last blank of what is printed several times is left out at the end. */
static bool has_last_blank(const struct hexdump_unit *u)
{
    if (!u->nfields)
        return false;
    const struct hexdump_field *f = &u->fields[u->nfields - 1];
    struct wk_str s = f->after.n ? f->after : f->kind == HEXDUMP_TEXT ? f->before : f->after;
    return s.n && wk_is_space((unsigned char)s.p[s.n - 1]);
}

/* ---- strings --------------------------------------------------------------------------------- */

static struct hexdump_unit *new_unit(struct wk_cmd *c, struct hexdump_format *f)
{
    if (f->nunits == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 4;
        f->units = wk_heap_realloc(c->heap, f->units, f->cap * sizeof *f->units);
    }
    struct hexdump_unit *u = &f->units[f->nunits++];
    *u = (struct hexdump_unit){.times = 1};
    return u;
}

/* One unit at p; returns what follows it. */
static const char *unit(struct wk_cmd *c, struct hexdump_format *f, const char *p, const char *all)
{
    struct hexdump_unit *u = new_unit(c, f);
    if (wk_is_digit(*p)) {
        u->times = number(&p);
        u->times_given = true;
        if (*p != '/' && !wk_is_space((unsigned char)*p))
            bad_format(c, all);
        p = skip_blanks(p);
    }
    if (*p == '/') {
        p = skip_blanks(p + 1);
        if (wk_is_digit(*p)) {
            u->given_bytes = number(&p);
            if (!wk_is_space((unsigned char)*p))
                bad_format(c, all);
            p = skip_blanks(p);
        }
    }
    const char *end = *p == '"' ? strchr(p + 1, '"') : NULL;
    if (!end)
        bad_format(c, all);
    u->text = unescape(c, p + 1, (size_t)(end - p - 1));
    return skip_blanks(end + 1);
}

void wk_hexdump_add(struct wk_cmd *c, struct hexdump_formats *all, const char *text)
{
    struct hexdump_format f = {.units = NULL};
    for (const char *p = skip_blanks(text); *p; wk_tick(c, 1))
        p = unit(c, &f, p, text);
    if (all->n == all->cap) {
        all->cap = all->cap ? all->cap * 2 : 4;
        all->v = wk_heap_realloc(c->heap, all->v, all->cap * sizeof *all->v);
    }
    all->v[all->n++] = f;
}

static void make_format(struct wk_cmd *c, struct hexdump_formats *all, struct hexdump_format *f)
{
    for (size_t i = 0; i < f->nunits; i++) {
        struct hexdump_unit *u = &f->units[i];
        struct maker m = {.c = c, .all = all, .unit = u, .bytes = u->given_bytes};
        make_fields(&m, u->text);
        if (!u->bytes)
            u->bytes = u->given_bytes;
        f->bytes += u->times * u->bytes;
    }
}

void wk_hexdump_settle(struct wk_cmd *c, struct hexdump_formats *all)
{
    for (size_t i = 0; i < all->n; i++)
        make_format(c, all, &all->v[i]);
    for (size_t i = 0; i < all->n; i++)
        all->block = WK_MAX(all->block, all->v[i].bytes);
    for (size_t i = 0; i < all->n; i++) {
        struct hexdump_format *f = &all->v[i];
        struct hexdump_unit *last = f->nunits ? &f->units[f->nunits - 1] : NULL;
        if (last && f->bytes < all->block && !last->times_given && last->bytes)
            last->times += (all->block - f->bytes) / last->bytes;
        for (size_t k = 0; k < f->nunits; k++)
            f->units[k].trims = f->units[k].times > 1 && has_last_blank(&f->units[k]);
    }
}
