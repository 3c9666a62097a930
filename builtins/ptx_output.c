/* ptx_output.c - ptx: a line for each word, with as much around it as has room
 *
 * The middle of a line is where words begin: what is before stands at its left, the word and what
 * is behind at its right. What does not fit there at the right goes on at the far left (the tail),
 * and the other way round (the head).
 */
#include "builtins/ptx.h"

struct field {
    const char *start, *end;
    bool cut; /* something is missing beside it */
};

struct line {
    struct field tail, before, key, head;
    const char *reference;
    size_t reference_n;
};

struct widths {
    int64_t half, before, key; /* the middle; most columns of these fields */
    int64_t flag;              /* of the flag for what is cut */
    bool references;
};

static int64_t width_of(const struct field *f)
{
    return f->end - f->start;
}

static void trim_end(struct ptx *p, struct field *f, const char *least)
{
    const char *end = f->end;
    while (f->end > least && wk_ptx_is_space(f->end[-1]))
        f->end--;
    wk_tick(p->c, (uint32_t)((end - f->end) / 8 & 0xffffff) + 1);
}

/* From `from` as many words as fit into `most` columns. `inside`: they must be less. */
static const char *fit_forward(struct ptx *p, const char *from, const char *limit, int64_t most,
                               bool inside, const char *at)
{
    const char *end = at;
    int64_t last = most - inside;
    while (at < limit && at - from <= last) {
        end = at;
        at = wk_ptx_skip(p, at, limit);
    }
    return at - from <= last ? at : end;
}

/* Where what is shown of a context may begin: not too far before the word. */
struct reach {
    const char *at; /* so far, and no word may have begun before it */
    bool inside;    /* it is no start of the context: a word that goes on there is left out */
};

static const char *reach_start(struct ptx *p, const struct ptx_word *k, const struct reach *r)
{
    return r->inside ? wk_ptx_skip(p, r->at, k->start) : r->at;
}

/* The first word that is not more than `most` columns before `end`. */
static const char *fit_backward(struct ptx *p, const struct ptx_word *k, const struct reach *r,
                                const char *end, int64_t most)
{
    if (p->word_re || end - r->at <= most) {
        const char *at = reach_start(p, k, r);
        while (end - at > most)
            at = wk_ptx_skip(p, at, end);
        return at;
    }
    const char *at = end - most;
    if (p->is_word[(unsigned char)at[-1]])
        while (at < end && p->is_word[(unsigned char)*at])
            at++;
    return at;
}

static void fill_key(struct ptx *p, const struct widths *w, const struct ptx_word *k,
                     struct line *l)
{
    l->key = (struct field){.start = k->start, .end = k->end};
    l->key.end = fit_forward(p, k->start, k->right, w->key, false, k->end);
    l->key.cut = w->flag && l->key.end < k->right;
    trim_end(p, &l->key, l->key.start);
}

static void fill_before(struct ptx *p, const struct widths *w, const struct ptx_word *k,
                        const struct reach *r, struct line *l)
{
    const struct ptx_text *t = &p->text[k->text];
    l->before = (struct field){.start = r->at, .end = k->start};
    trim_end(p, &l->before, l->before.start);
    l->before.start = fit_backward(p, k, r, l->before.end, w->before);
    if (l->before.end < l->before.start)
        l->before.end = l->before.start;
    if (w->flag) {
        struct field left = {.start = t->start, .end = l->before.start};
        trim_end(p, &left, t->start);
        l->before.cut = left.end > k->left;
    }
    while (l->before.start < t->end && wk_ptx_is_space(*l->before.start))
        l->before.start++;
}

static void fill_tail(struct ptx *p, const struct widths *w, const struct ptx_word *k,
                      struct line *l)
{
    const struct ptx_text *t = &p->text[k->text];
    int64_t most = w->before - width_of(&l->before) - p->o->gap;
    if (most <= 0)
        return;
    const char *start = l->key.end;
    while (start < t->end && wk_ptx_is_space(*start))
        start++;
    l->tail = (struct field){.start = start, .end = start};
    l->tail.end = fit_forward(p, start, k->right, most, true, start);
    if (l->tail.end > start) {
        l->key.cut = false;
        l->tail.cut = w->flag && l->tail.end < k->right;
    }
    trim_end(p, &l->tail, start);
}

static void fill_head(struct ptx *p, const struct widths *w, const struct ptx_word *k,
                      const struct reach *r, struct line *l)
{
    const struct ptx_text *t = &p->text[k->text];
    int64_t most = w->key - width_of(&l->key) - p->o->gap;
    if (most <= 0)
        return;
    l->head = (struct field){.end = l->before.start};
    trim_end(p, &l->head, t->start);
    l->head.start = fit_backward(p, k, r, l->head.end, most);
    if (l->head.end > l->head.start) {
        l->before.cut = false;
        l->head.cut = w->flag && l->head.start > k->left;
    }
    while (l->head.start < l->head.end && wk_ptx_is_space(*l->head.start))
        l->head.start++;
}

static void fill_reference(struct ptx *p, const struct ptx_word *k, struct line *l)
{
    const struct ptx_text *t = &p->text[k->text];
    if (p->o->auto_reference) {
        uint64_t line = k->line + 1 - (k->text ? p->text[k->text - 1].lines_end : 0);
        l->reference = wk_strf(p->c, "%s:%llu", t->name, (unsigned long long)line);
        l->reference_n = strlen(l->reference);
    } else if (p->o->input_reference) {
        const char *end = k->reference;
        while (end < t->end && !wk_ptx_is_space(*end))
            end++;
        l->reference = k->reference;
        l->reference_n = (size_t)(end - k->reference);
    }
}

static struct line fill(struct ptx *p, const struct widths *w, const struct ptx_word *k)
{
    struct line l = {0};
    struct reach r = {.at = k->left};
    int64_t most = w->half + (int64_t)p->longest;
    if (k->start - k->left > most)
        r = (struct reach){.at = k->start - most, .inside = true};
    fill_key(p, w, k, &l);
    fill_before(p, w, k, &r, &l);
    fill_tail(p, w, k, &l);
    fill_head(p, w, k, &r, &l);
    fill_reference(p, k, &l);
    return l;
}

/* ---- text ---------------------------------------------------------------------------------------
 */

static void put_blanks(struct ptx *p, int64_t n)
{
    for (; n > 0; n--) {
        wk_out_char(p->c->out, ' ');
        wk_tick(p->c, 1);
    }
}

static void put_tex(struct wk_out *out, char ch)
{
    if (ch == '\\') {
        wk_out_c(out, "\\backslash{}");
    } else if (ch == '{' || ch == '}') {
        wk_out_c(out, ch == '{' ? "$\\{$" : "$\\}$");
    } else {
        if (ch == '$' || ch == '%' || ch == '&' || ch == '#' || ch == '_')
            wk_out_char(out, '\\');
        wk_out_char(out, ch);
    }
}

static void put_text(struct ptx *p, const char *from, const char *to)
{
    struct wk_out *out = p->c->out;
    for (; from < to; from++) {
        char ch = *from;
        if (wk_ptx_is_space(ch))
            wk_out_char(out, ' ');
        else if (p->o->format == PTX_TEX)
            put_tex(out, ch);
        else if (p->o->format == PTX_ROFF && ch == '"')
            wk_out_c(out, "\"\"");
        else
            wk_out_char(out, ch);
    }
    wk_tick(p->c, 1);
}

/* A field with the flag before or behind it. */
static void put_field(struct ptx *p, const struct field *f, bool flag_before)
{
    if (f->cut && flag_before)
        wk_out_c(p->c->out, p->o->truncation);
    put_text(p, f->start, f->end);
    if (f->cut && !flag_before)
        wk_out_c(p->c->out, p->o->truncation);
}

static int64_t shown_width(const struct widths *w, const struct field *f)
{
    return width_of(f) + (f->cut ? w->flag : 0);
}

static void put_plain(struct ptx *p, const struct widths *w, const struct line *l)
{
    int64_t gap = p->o->gap, reference = (int64_t)p->reference_width + gap;
    bool right = p->o->right_reference;
    if (!right) {
        if (l->reference_n)
            put_text(p, l->reference, l->reference + l->reference_n);
        if (p->o->auto_reference)
            wk_out_char(p->c->out, ':');
        put_blanks(p, reference - (int64_t)l->reference_n - p->o->auto_reference);
    }
    if (width_of(&l->tail) > 0)
        put_field(p, &l->tail, false);
    put_blanks(p, w->half - gap - shown_width(w, &l->before) -
                      (width_of(&l->tail) > 0 ? shown_width(w, &l->tail) : 0));
    put_field(p, &l->before, true);
    put_blanks(p, gap);
    put_field(p, &l->key, false);
    if (width_of(&l->head) > 0) {
        put_blanks(p, w->half - shown_width(w, &l->key) - shown_width(w, &l->head));
        put_field(p, &l->head, true);
    } else if (w->references && right) {
        put_blanks(p, w->half - shown_width(w, &l->key));
    }
    if (w->references && right) {
        put_blanks(p, gap);
        put_text(p, l->reference, l->reference + l->reference_n);
    }
    wk_out_char(p->c->out, '\n');
}

static void put_roff(struct ptx *p, const struct widths *w, const struct line *l)
{
    struct wk_out *out = p->c->out;
    wk_out_fmt(out, ".%s \"", p->o->macro);
    put_field(p, &l->tail, false);
    wk_out_c(out, "\" \"");
    put_field(p, &l->before, true);
    wk_out_c(out, "\" \"");
    put_field(p, &l->key, false);
    wk_out_c(out, "\" \"");
    put_field(p, &l->head, true);
    wk_out_char(out, '"');
    if (w->references) {
        wk_out_c(out, " \"");
        put_text(p, l->reference, l->reference + l->reference_n);
        wk_out_char(out, '"');
    }
    wk_out_char(out, '\n');
}

static void put_tex_line(struct ptx *p, const struct widths *w, const struct line *l)
{
    struct wk_out *out = p->c->out;
    const char *word_end = wk_ptx_skip(p, l->key.start, l->key.end);
    wk_out_fmt(out, "\\%s {", p->o->macro);
    put_text(p, l->tail.start, l->tail.end);
    wk_out_c(out, "}{");
    put_text(p, l->before.start, l->before.end);
    wk_out_c(out, "}{");
    put_text(p, l->key.start, word_end);
    wk_out_c(out, "}{");
    put_text(p, word_end, l->key.end);
    wk_out_c(out, "}{");
    put_text(p, l->head.start, l->head.end);
    wk_out_char(out, '}');
    if (w->references) {
        wk_out_char(out, '{');
        put_text(p, l->reference, l->reference + l->reference_n);
        wk_out_char(out, '}');
    }
    wk_out_char(out, '\n');
}

/* ---- all of them --------------------------------------------------------------------------------
 */

static size_t digits_of(uint64_t v)
{
    size_t n = 1;
    while (v /= 10)
        n++;
    return n;
}

static void measure_references(struct ptx *p)
{
    for (size_t i = 0; p->o->auto_reference && i < p->texts; i++) {
        uint64_t line = p->text[i].lines_end + 1 - (i ? p->text[i - 1].lines_end : 0);
        size_t n = strlen(p->text[i].name) + digits_of(line);
        p->reference_width = n > p->reference_width ? n : p->reference_width;
    }
    p->reference_width += p->o->auto_reference; /* the colon */
}

static struct widths lay_out(struct ptx *p)
{
    const struct ptx_opts *o = p->o;
    struct widths w = {.references = o->auto_reference || o->input_reference,
                       .flag = (int64_t)strlen(o->truncation)};
    int64_t width = o->width;
    measure_references(p);
    if (w.references && !o->right_reference)
        width = width - o->gap < (int64_t)p->reference_width
                    ? 0
                    : width - o->gap - (int64_t)p->reference_width;
    w.half = width / 2;
    w.before = w.half - o->gap;
    w.key = w.half;
    if (o->traditional) {
        w.key -= 2 * w.flag + 1;
    } else {
        w.before -= 2 * w.flag;
        w.key -= 2 * w.flag;
    }
    if (w.before < 0)
        w.before = 0;
    return w;
}

void wk_ptx_put(struct ptx *p)
{
    struct widths w = lay_out(p);
    for (size_t i = 0; i < p->n; i++) {
        struct line l = fill(p, &w, p->word[i]);
        if (p->o->format == PTX_ROFF)
            put_roff(p, &w, &l);
        else if (p->o->format == PTX_TEX)
            put_tex_line(p, &w, &l);
        else
            put_plain(p, &w, &l);
    }
}
