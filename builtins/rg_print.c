/* rg_print.c - rg: matches and contexts as lines */
#include "base/utf8.h"
#include "builtins/rg_text.h"

/* A hit as it is printed: its text may be that of a replacement. */
struct shown {
    struct wk_rg_sink *s;
    const struct wk_rg_hit *h;
    struct wk_str text;
    const struct wk_re_span *v; /* matches in the text */
    size_t n, originals;
    bool context;
    bool new_ends; /* ends of lines are not those of the text */
};

void wk_rg_put(struct wk_rg_sink *s, const char *p, size_t n)
{
    wk_out_put(s->g->c->out, p, n);
    s->stats.printed += n;
    s->g->written += n;
}

static void put_c(struct wk_rg_sink *s, const char *text)
{
    wk_rg_put(s, text, strlen(text));
}

static void put_colored(struct wk_rg_sink *s, const char *color, const char *p, size_t n)
{
    bool on = s->g->color && *color;
    if (s->g->color)
        put_c(s, "\33[0m");
    put_c(s, on ? color : "");
    wk_rg_put(s, p, n);
    if (s->g->color)
        put_c(s, "\33[0m");
}

void wk_rg_print_path_of(struct wk_rg_sink *s, const char *path)
{
    char *text = NULL;
    int sep = s->g->o->path_separator;
    if (sep >= 0 && sep != '/') {
        text = wk_dup(s->g->c, path);
        for (char *p = text; *p; p++)
            *p = *p == '/' ? (char)sep : *p;
    }
    put_colored(s, s->g->colors.path, text ? text : path, strlen(path));
    wk_heap_free(s->g->c->heap, text);
}

static void put_end(struct wk_rg_sink *s)
{
    wk_rg_put(s,
              s->g->o->null_data ? "\0"
              : s->g->o->crlf    ? "\r\n"
                                 : "\n",
              s->g->o->crlf && !s->g->o->null_data ? 2 : 1);
}

/* Between the inputs that printed something. */
static void put_separator(struct wk_rg_sink *s)
{
    struct wk_rg *g = s->g;
    const struct wk_rg_opts *o = g->o;
    bool context = (o->before || o->after) && !o->passthru;
    if (s->prelude)
        return;
    s->prelude = true;
    if (!g->written || !(g->heading || (context && o->context_separator.p)))
        return;
    if (!g->heading)
        wk_rg_put(s, o->context_separator.p, o->context_separator.n);
    put_end(s);
}

static void put_prelude(struct wk_rg_sink *s)
{
    struct wk_rg *g = s->g;
    bool first = !s->prelude;
    put_separator(s);
    if (first && g->heading && s->path) {
        wk_rg_print_path_of(s, s->path);
        if (g->o->null_names)
            wk_rg_put(s, "", 1);
        else
            put_end(s);
    }
}

static void put_field(struct shown *x, uint64_t v, const char *color)
{
    char text[24];
    size_t i = sizeof text;
    do {
        text[--i] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    put_colored(x->s, color, text + i, sizeof text - i);
    const struct wk_str *sep = x->context ? &x->s->g->o->field_context : &x->s->g->o->field_match;
    wk_rg_put(x->s, sep->p, sep->n);
}

/* column 0: none. */
static void put_fields(struct shown *x, uint64_t offset, int64_t number, uint64_t column)
{
    struct wk_rg_sink *s = x->s;
    struct wk_rg *g = s->g;
    put_prelude(s);
    if (s->path && !g->heading) {
        const struct wk_str *sep = x->context ? &g->o->field_context : &g->o->field_match;
        wk_rg_print_path_of(s, s->path);
        if (g->o->null_names)
            wk_rg_put(s, "", 1);
        else
            wk_rg_put(s, sep->p, sep->n);
    }
    if (number >= 0)
        put_field(x, (uint64_t)number, g->colors.line);
    if (g->column && column)
        put_field(x, column, g->colors.column);
    if (g->o->byte_offset)
        put_field(x, offset, g->colors.column);
}

static bool is_ended(const struct wk_rg *g, struct wk_str line)
{
    return line.n && line.p[line.n - 1] == g->eol;
}

/* Without its end: LF, or with --crlf CR LF. */
static size_t bare_length(const struct wk_rg *g, struct wk_str line)
{
    size_t n = line.n - is_ended(g, line);
    if (g->o->crlf && n < line.n && n && line.p[n - 1] == '\r')
        n--;
    return n;
}

static size_t leading_blanks(const struct wk_rg *g, const char *p, size_t n)
{
    size_t i = 0;
    while (g->o->trim && i < n && wk_is_space((unsigned char)p[i]) && p[i] != g->eol)
        i++;
    return i;
}

/* Bytes [at, end) of the text, its matches coloured; those that touch are one. */
static void put_segments(struct shown *x, size_t at, size_t end, const struct wk_re_span *v, size_t n)
{
    struct wk_rg_sink *s = x->s;
    at += leading_blanks(s->g, x->text.p + at, end - at);
    for (size_t i = 0; i < n && at < end; i++) {
        size_t from = WK_MAX((size_t)v[i].start, at), to = WK_MIN((size_t)v[i].end, end);
        if (from >= to)
            continue;
        while (i + 1 < n && (size_t)v[i + 1].start <= to && to < end) {
            i++;
            to = WK_MAX(to, WK_MIN((size_t)v[i].end, end));
        }
        wk_rg_put(s, x->text.p + at, from - at);
        put_colored(s, s->g->colors.match, x->text.p + from, to - from);
        at = to;
    }
    if (at < end)
        wk_rg_put(s, x->text.p + at, end - at);
}

static bool colors_matches(const struct wk_rg *g)
{
    return g->color && *g->colors.match;
}

/* What stands for a line that is too long. */
static void put_long(struct shown *x, size_t at, size_t end)
{
    struct wk_rg_sink *s = x->s;
    const struct wk_rg_opts *o = s->g->o;
    if (o->preview) {
        size_t to = at + wk_utf8_offset(wk_str(x->text.p + at, end - at), (size_t)o->max_columns, NULL), left = 0;
        put_segments(x, at, to, x->v, colors_matches(s->g) ? x->n : 0);
        for (size_t i = 0; i < x->n; i++)
            left += (size_t)x->v[i].start >= to && (size_t)x->v[i].start < end;
        put_c(s, x->n ? wk_strf(s->g->c, " [... %zu more %s]", left, left == 1 ? "match" : "matches")
                      : " [... omitted end of long line]");
    } else if (!x->originals || o->only_matching) {
        put_c(s, x->context ? "[Omitted long context line]" : "[Omitted long matching line]");
    } else {
        put_c(s, wk_strf(s->g->c, "[Omitted long line with %zu matches]", x->originals));
    }
    put_end(s);
}

static bool is_long(const struct wk_rg *g, size_t n)
{
    return g->o->max_columns > 0 && n > (uint64_t)g->o->max_columns;
}

/* A line of the text, [at, end), with these of its matches. */
static void put_line(struct shown *x, size_t at, size_t end, const struct wk_re_span *v, size_t n)
{
    struct wk_rg_sink *s = x->s;
    struct wk_str line = wk_str(x->text.p + at, end - at);
    if (!colors_matches(s->g) || !x->n) {
        size_t skip = leading_blanks(s->g, line.p, line.n);
        at += skip;
        line = wk_str_from(line, skip);
    }
    if (is_long(s->g, line.n)) {
        put_long(x, at, end);
        return;
    }
    size_t bare = bare_length(s->g, line);
    put_segments(x, at, at + bare, v, colors_matches(s->g) ? n : 0);
    if (is_ended(s->g, line) && !x->new_ends && !(x->n && colors_matches(s->g)))
        wk_rg_put(s, line.p + bare, line.n - bare);
    else
        put_end(s);
}

/* ---- one line, or several ----------------------------------------------------------------------------------------
 */

static void put_single(struct shown *x)
{
    const struct wk_rg_opts *o = x->s->g->o;
    const struct wk_rg_hit *h = x->h;
    size_t n = x->text.n;
    if (!x->n) {
        put_fields(x, h->offset, h->number, 0);
        put_line(x, 0, n, NULL, 0);
    } else if (o->only_matching || o->vimgrep) {
        for (size_t i = 0; i < x->n; i++) {
            const struct wk_re_span *m = &x->v[i];
            put_fields(x, h->offset + (size_t)m->start, h->number, (uint64_t)m->start + 1);
            if (!o->only_matching) {
                put_line(x, 0, n, m, 1);
                continue;
            }
            put_line(x, (size_t)m->start, (size_t)m->end, m, 1);
        }
    } else {
        put_fields(x, h->offset, h->number, (uint64_t)x->v[0].start + 1);
        put_line(x, 0, n, x->v, x->n);
    }
}

/* Parts of matches, each on a line of its own. */
static void put_parts(struct shown *x)
{
    struct wk_rg *g = x->s->g;
    size_t i = 0;
    int64_t count = 0;
    for (size_t at = 0; at < x->text.n; count++) {
        struct wk_str rest = wk_str_from(x->text, at);
        ptrdiff_t e = wk_str_chr(rest, g->eol);
        struct wk_str line = wk_str_take(rest, e < 0 ? rest.n : (size_t)e + 1);
        size_t end = at + bare_length(g, line), from = at;
        from += leading_blanks(g, x->text.p + from, end - from);
        while (from < end && i < x->n) {
            const struct wk_re_span *m = &x->v[i];
            if ((size_t)m->end <= from) {
                i++;
                continue;
            }
            if ((size_t)m->start > from) {
                from = WK_MIN(end, (size_t)m->start);
                continue;
            }
            size_t to = WK_MIN(end, (size_t)m->end);
            put_fields(x, x->h->offset + (size_t)m->start, x->h->number < 0 ? -1 : x->h->number + count,
                       (uint64_t)m->start + 1);
            put_line(x, from, to, m, 1);
            from = to;
        }
        at += line.n;
    }
}

static void put_several(struct shown *x)
{
    struct wk_rg *g = x->s->g;
    const struct wk_rg_hit *h = x->h;
    int64_t count = 0;
    x->new_ends = x->n > 0;
    if (g->o->only_matching && x->n) {
        put_parts(x);
        return;
    }
    for (size_t k = 0; k < (g->o->vimgrep && x->n ? x->n : 1); k++) {
        const struct wk_re_span *only = g->o->vimgrep && x->n ? &x->v[k] : NULL;
        count = 0;
        for (size_t at = 0, end; at < x->text.n; at = end, count++) {
            struct wk_str rest = wk_str_from(x->text, at);
            ptrdiff_t e = wk_str_chr(rest, g->eol);
            end = at + (e < 0 ? rest.n : (size_t)e + 1);
            if (only && (end <= (size_t)only->start || at >= (size_t)only->end))
                continue;
            uint64_t column = only && (size_t)only->start > at ? (size_t)only->start - at + 1
                              : only                           ? 1
                              : x->n                           ? (uint64_t)x->v[0].start + 1
                                                               : 0;
            put_fields(x, h->offset + at, h->number < 0 ? -1 : h->number + count, column);
            put_line(x, at, end, only ? only : x->v, only ? 1 : x->n);
            if (only)
                break;
        }
    }
}

/* ---- the sink ----------------------------------------------------------------------------------------------------
 */

bool wk_rg_should_quit(const struct wk_rg_sink *s)
{
    return s->g->o->max_count >= 0 && s->matches >= s->g->o->max_count && s->after_left <= 0;
}

static bool print_hit(struct wk_rg_sink *s, const struct wk_rg_hit *h)
{
    struct wk_rg *g = s->g;
    struct shown x = {.s = s, .h = h, .text = h->text, .context = h->kind != 'm'};
    if (!x.context) {
        s->matches++;
        s->after_left = g->o->max_count >= 0 && s->matches > g->o->max_count ? WK_MAX(s->after_left - 1, 0)
                                                                             : (g->o->passthru ? 0 : g->o->after);
        s->stats.lines += wk_rg_line_count(g, h->text);
    } else if (h->kind == 'a') {
        s->after_left = WK_MAX(s->after_left - 1, 0);
    }
    if (g->spans_wanted && x.context == g->o->invert) {
        const struct wk_rg_found *found = wk_rg_find_all(s, h);
        if (!found)
            return false;
        x.text = found->text.p ? found->text : h->text;
        x.v = found->v;
        x.n = found->n;
        x.originals = found->originals;
        s->stats.matches += x.context ? 0 : found->originals;
    }
    bool binary = s->binary == WK_RG_BINARY_CONVERT && s->binary_at >= 0;
    if (!binary) {
        if (g->m->multi_line && !x.context)
            put_several(&x);
        else
            put_single(&x);
    }
    return !binary && !wk_rg_should_quit(s);
}

static void print_gap(struct wk_rg_sink *s)
{
    const struct wk_str *sep = &s->g->o->context_separator;
    if (!sep->p || (s->binary == WK_RG_BINARY_CONVERT && s->binary_at >= 0))
        return;
    put_prelude(s);
    wk_rg_put(s, sep->p, sep->n);
    put_end(s);
}

static void print_finish(struct wk_rg_sink *s)
{
    struct wk_rg *g = s->g;
    g->matched = g->matched || s->matches > 0;
    if (s->binary_at < 0 || !s->matches)
        return;
    if (g->o->sort == WK_RG_SORT_NONE && g->several)
        put_separator(s);
    if (s->path) {
        wk_rg_print_path_of(s, s->path);
        put_c(s, ": ");
    }
    put_c(s, wk_strf(g->c, "%s (found \"\\0\" byte around offset %lld)\n",
                     s->binary == WK_RG_BINARY_QUIT ? "WARNING: stopped searching binary file after match"
                                                    : "binary file matches",
                     (long long)s->binary_at));
}

void wk_rg_print_init(struct wk_rg_sink *s)
{
    s->hit = print_hit;
    s->gap = print_gap;
    s->finish = print_finish;
}

/* ---- counts and names --------------------------------------------------------------------------------------------
 */

static bool summary_hit(struct wk_rg_sink *s, const struct wk_rg_hit *h)
{
    struct wk_rg *g = s->g;
    const struct wk_rg_opts *o = g->o;
    if (h->kind != 'm')
        return true;
    bool each = o->stats || o->count_matches || g->m->multi_line;
    int64_t n = each && (!o->invert || g->m->multi_line) ? wk_rg_count_matches(s, h) : each ? 0 : 1;
    if (s->failed)
        return false;
    s->matches += g->m->multi_line ? n : 1;
    s->stats.matches += (uint64_t)n;
    s->stats.lines += wk_rg_line_count(g, h->text);
    if (!o->stats && (o->quiet || (!o->count && !o->count_matches)))
        return false;
    return !wk_rg_should_quit(s);
}

static void no_gap(struct wk_rg_sink *s)
{
    (void)s;
}

static void summary_line(struct wk_rg_sink *s, int64_t number)
{
    const struct wk_rg_opts *o = s->g->o;
    if (s->path) {
        wk_rg_print_path_of(s, s->path);
        if (o->null_names)
            wk_rg_put(s, "", 1);
        else if (number < 0)
            put_end(s);
        else
            wk_rg_put(s, o->field_match.p, o->field_match.n);
    }
    if (number < 0)
        return;
    put_c(s, wk_strf(s->g->c, "%lld", (long long)number));
    put_end(s);
}

static void summary_finish(struct wk_rg_sink *s)
{
    struct wk_rg *g = s->g;
    const struct wk_rg_opts *o = g->o;
    bool names = !o->count && !o->count_matches, without = names && o->names_without && !o->quiet;
    bool squashed = s->binary_at >= 0 && s->binary == WK_RG_BINARY_QUIT;
    if (squashed)
        s->matches = 0;
    g->matched = g->matched || (without ? s->matches == 0 : s->matches > 0);
    if (squashed || o->quiet)
        return;
    if (names) {
        if (without == (s->matches == 0)) {
            const char *path = s->path;
            s->path = s->name ? s->name : "<stdin>";
            summary_line(s, -1);
            s->path = path;
        }
    } else if (o->include_zero || s->matches) {
        summary_line(s, o->count_matches ? (int64_t)s->stats.matches : s->matches);
    }
}

void wk_rg_summary_init(struct wk_rg_sink *s)
{
    s->hit = summary_hit;
    s->gap = no_gap;
    s->finish = summary_finish;
}
