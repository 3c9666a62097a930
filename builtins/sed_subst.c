/* sed_subst.c - sed: the s command, read and performed */
#include "builtins/sed_debug.h"
#include "builtins/sed_out.h"
#include "builtins/sed_script.h"

#include "base/utf8.h"

/* ---- the replacement ------------------------------------------------------------------------- */

struct builder {
    struct sed_reader *r;
    struct sed_subst *sub;
    struct sed_bytes text; /* of the part at hand */
    int mode;              /* the case of what follows */
    int one;               /* ... and of its first character alone */
};

/* The part at hand is complete. */
static void end_part(struct builder *b, int group)
{
    struct sed_subst *sub = b->sub;
    struct wk_cmd *c = b->r->s->c;
    if (sub->nparts == sub->cap) {
        sub->cap = sub->cap ? sub->cap * 2 : 4;
        sub->parts = wk_heap_realloc(c->heap, sub->parts, sub->cap * sizeof *sub->parts);
    }
    sub->parts[sub->nparts++] = (struct sed_part){
        .text = wk_str(b->text.p, b->text.n), .group = group, .mode = b->mode | b->one};
    if (group > sub->max_group)
        sub->max_group = group;
    if (b->mode | b->one)
        sub->cases = true;
    b->text = (struct sed_bytes){.p = NULL};
    b->one = 0;
}

/* \L \U \E \l \u: false for another letter. */
static bool change_case(struct builder *b, char letter)
{
    int mode = letter == 'U' ? SED_UPPER : letter == 'L' ? SED_LOWER : 0;
    int one = letter == 'u' ? SED_UPPER_ONE : letter == 'l' ? SED_LOWER_ONE : 0;
    if (b->r->s->posix || (!mode && !one && letter != 'E'))
        return false;
    end_part(b, -1);
    if (one)
        b->one = one;
    else
        b->mode = mode;
    return true;
}

static void put_char(struct builder *b, char ch)
{
    wk_sed_put(b->r->s->c, &b->text, &ch, 1);
}

/* After a backslash; i is put behind the escape. */
static void escape(struct builder *b, struct wk_str raw, size_t *i, int delim)
{
    char ch = raw.p[*i], byte;
    if ((unsigned char)ch != delim) {
        if (wk_is_digit(ch)) {
            ++*i;
            end_part(b, ch - '0');
            return;
        }
        if (change_case(b, ch)) {
            ++*i;
            return;
        }
        if (wk_sed_escape(b->r, raw, i, &byte)) {
            put_char(b, byte);
            return;
        }
        if (ch == 'n')
            ch = '\n';
    }
    ++*i;
    put_char(b, ch);
}

static void parse_replacement(struct sed_reader *r, struct sed_subst *sub, struct wk_str raw,
                              int delim)
{
    struct builder b = {.r = r, .sub = sub};
    size_t i = 0;
    while (i < raw.n) {
        char ch = raw.p[i++];
        if (ch == '\\' && i < raw.n)
            escape(&b, raw, &i, delim);
        else if (ch == '&')
            end_part(&b, 0);
        else
            put_char(&b, ch);
    }
    if (b.text.n)
        end_part(&b, -1);
}

/* ---- flags ----------------------------------------------------------------------------------- */

struct flags {
    bool icase, multiline;
};

static void number_flag(struct sed_reader *r, struct sed_subst *sub, int ch)
{
    if (sub->number)
        wk_sed_bad(r, "multiple number options to `s' command");
    sub->number = wk_sed_number(r, ch);
    sub->numbered = true;
    if (!sub->number)
        wk_sed_bad(r, "number option to `s' command may not be zero");
}

/* One flag; false behind the last. */
static bool flag(struct sed_reader *r, struct sed_subst *sub, struct flags *f)
{
    int ch = wk_sed_nonblank(r);
    bool posix = r->s->posix;
    if (ch < 0 || ch == '\n' || ch == ';')
        return false;
    if (ch == '}' || ch == '#') {
        wk_sed_back(r, ch);
        return false;
    }
    if (ch == '\r' && wk_sed_char(r) == '\n')
        return false;
    if ((ch == 'i' || ch == 'I') && !posix) {
        f->icase = true;
    } else if ((ch == 'm' || ch == 'M') && !posix) {
        f->multiline = true;
    } else if (ch == 'e' && !posix) {
        wk_sed_check_sandbox(r);
        wk_sed_bad(r, "the `e' option to `s' command is not supported");
    } else if (ch == 'p') {
        if (sub->print)
            wk_sed_bad(r, "multiple `p' options to `s' command");
        sub->print = true;
    } else if (ch == 'g') {
        if (sub->global)
            wk_sed_bad(r, "multiple `g' options to `s' command");
        sub->global = true;
    } else if (ch == 'w') {
        wk_sed_check_sandbox(r);
        struct wk_str name = wk_sed_file_name(r);
        sub->out = wk_sed_open_out(r->s, name.p);
        return false;
    } else if (wk_is_digit(ch)) {
        number_flag(r, sub, ch);
    } else {
        wk_sed_bad(r, "unknown option to `s'");
    }
    return true;
}

static void check_groups(struct sed_reader *r, const struct sed_subst *sub)
{
    if (sub->re && !r->s->posix && (size_t)sub->max_group > wk_re_groups(sub->re->re))
        wk_sed_bad(r, "invalid reference \\%d on `s' command's RHS", sub->max_group);
}

struct sed_subst *wk_sed_subst(struct sed_reader *r)
{
    struct sed_subst *sub = wk_new(r->s->c, struct sed_subst);
    struct wk_str regex, replacement;
    struct flags f = {false, false};
    int delim = wk_sed_delimiter(r);
    if (delim < 0 || !wk_sed_delimited(r, delim, true, &regex) ||
        !wk_sed_delimited(r, delim, false, &replacement))
        wk_sed_bad(r, "unterminated `s' command");
    parse_replacement(r, sub, replacement, delim);
    while (flag(r, sub, &f)) {
    }
    if (!sub->number)
        sub->number = 1;
    sub->re = wk_sed_regex(r, regex, f.icase, f.multiline);
    check_groups(r, sub);
    if (regex.n == 1 && (regex.p[0] == '^' || regex.p[0] == '$') && !f.multiline)
        sub->edge = regex.p[0];
    return sub;
}

/* ---- performing it --------------------------------------------------------------------------- */

static uint32_t in_case(uint32_t c, int mode, bool utf8)
{
    bool upper = mode & (mode & SED_ONE ? SED_UPPER_ONE : SED_UPPER);
    if (!utf8)
        return (uint32_t)(upper ? wk_to_upper((int)c) : wk_to_lower((int)c));
    if (wk_utf8_is_bad(c))
        return c;
    return upper ? wk_utf8_upper(c) : wk_utf8_lower(c);
}

/* Letters of ASCII that begin the text, all in one case; their number. With bytes that is all of it. */
static size_t add_plain_in_case(struct sed *s, struct sed_space *to, struct wk_str text, bool upper)
{
    wk_sed_room(s, to, text.n);
    char *out = to->p + to->n, first = upper ? 'a' : 'A';
    size_t i = 0;
    for (; i < text.n; i++) {
        unsigned char ch = (unsigned char)text.p[i];
        if (WK_UNLIKELY((ch >= 0x80 || !ch) && s->utf8))
            break;
        out[i] = (char)(ch ^ ((unsigned char)(ch - (unsigned char)first) < 26) << 5);
    }
    to->n += i;
    return i;
}

static void add_in_case(struct sed *s, struct sed_space *to, struct wk_str text, int mode)
{
    size_t i = 0;
    while (i < text.n && mode) {
        if (!(mode & SED_ONE)) {
            i += add_plain_in_case(s, to, wk_str_from(text, i), mode & SED_UPPER);
        }
        if (i == text.n || (!text.p[i] && s->utf8)) /* the case ends at a NUL, as in sed */
            break;
        uint32_t c = (unsigned char)text.p[i];
        char bytes[6];
        i += s->utf8 ? wk_utf8_next(text.p + i, text.n - i, &c) : 1;
        c = in_case(c, mode, s->utf8);
        size_t n = 1;
        if (s->utf8)
            n = wk_utf8_put(bytes, c);
        else
            bytes[0] = (char)c;
        wk_sed_add(s, to, bytes, n);
        mode &= ~SED_ONE;
    }
    wk_sed_add(s, to, text.p + i, text.n - i);
}

/* With changes of case. One for a single character that meets an empty group goes over to the next
 * part. */
static void add_parts_in_case(struct sed *s, const struct sed_subst *sub, struct sed_space *to,
                              const char *text, const struct wk_re_span *spans)
{
    int carried = 0;
    for (size_t k = 0; k < sub->nparts; k++) {
        const struct sed_part *part = &sub->parts[k];
        int mode = part->mode & SED_ONE ? part->mode : part->mode | carried;
        carried = 0;
        if (part->text.n) {
            add_in_case(s, to, part->text, mode);
            mode &= ~SED_ONE;
        }
        if (part->group < 0)
            continue;
        const struct wk_re_span *g = &spans[part->group];
        if (g->end > g->start)
            add_in_case(s, to, wk_str(text + g->start, (size_t)(g->end - g->start)), mode);
        else if (part->mode & SED_ONE)
            carried = mode & SED_ONE;
    }
}

static void add_parts(struct sed *s, const struct sed_subst *sub, struct sed_space *to,
                      const char *text, const struct wk_re_span *spans)
{
    for (size_t k = 0; k < sub->nparts; k++) {
        const struct sed_part *part = &sub->parts[k];
        wk_sed_add(s, to, part->text.p, part->text.n);
        if (part->group < 0)
            continue;
        const struct wk_re_span *g = &spans[part->group];
        if (g->end > g->start)
            wk_sed_add(s, to, text + g->start, (size_t)(g->end - g->start));
    }
}

/* The groups of an expression that only was an address; that of another s may lack some. */
static void check_reference(struct sed *s, const struct sed_subst *sub, struct sed_re *re)
{
    if (re->groupless && !s->posix && (size_t)sub->max_group > wk_re_groups(re->re))
        wk_sed_fault(s, wk_strf(s->c, "invalid reference \\%d on `s' command's RHS",
                                sub->max_group));
    re->groupless = false;
}

static size_t character_at(const struct sed *s, struct wk_str text, size_t at)
{
    uint32_t c;
    return s->utf8 ? wk_utf8_next(text.p + at, text.n - at, &c) : 1;
}

/* What was built takes the place of the pattern space. */
static void take_spare(struct sed *s)
{
    bool newline = s->pattern.newline;
    struct sed_space old = s->pattern;
    s->pattern = s->spare;
    s->pattern.p = s->pattern.buf;
    s->pattern.newline = newline;
    s->spare = old;
    s->spare.p = s->spare.buf;
    s->spare.borrowed = false;
}

/* s/^/…/ and s/$/…/ need no search. */
static bool at_edge(struct sed *s, const struct sed_subst *sub)
{
    const struct sed_space *p = &s->pattern;
    struct wk_re_span spans[10];
    size_t at = sub->edge == '^' ? 0 : p->n;
    for (size_t k = 0; k < WK_COUNTOF(spans); k++)
        spans[k] = (struct wk_re_span){-1, -1};
    if (WK_UNLIKELY(s->o->debug)) {
        spans[0].start = spans[0].end = (ptrdiff_t)at;
        wk_sed_show_match(s, wk_str(p->p, p->n), spans, 1);
    }
    if (sub->number > 1)
        return false;
    wk_sed_add(s, &s->spare, p->p, at);
    (sub->cases ? add_parts_in_case : add_parts)(s, sub, &s->spare, p->p, spans);
    wk_sed_add(s, &s->spare, p->p + at, p->n - at);
    take_spare(s);
    return true;
}

bool wk_sed_substitute(struct sed *s, struct sed_subst *sub)
{
    struct sed_re *re = sub->re ? sub->re : s->last;
    struct wk_str text = wk_str(s->pattern.p, s->pattern.n);
    struct wk_re_span spans[10];
    size_t from = 0, copied = 0, before = SIZE_MAX;
    size_t need = s->o->debug ? WK_COUNTOF(spans) : (size_t)sub->max_group + 1;
    uint64_t count = 0;
    bool done = false;
    if (!re)
        wk_sed_fault(s, "no previous regular expression");
    s->last = re;
    check_reference(s, sub, re);
    s->spare.n = 0;
    if (sub->edge)
        return at_edge(s, sub);
    while (from <= text.n && wk_sed_search(s, re->re, text, from, spans, need)) {
        size_t start = (size_t)spans[0].start, end = (size_t)spans[0].end;
        bool again = start == end && start == before; /* nothing, right behind the last match */
        if (WK_UNLIKELY(s->o->debug) && !count && !again)
            wk_sed_show_match(s, text, spans, wk_re_groups(re->re) + 1);
        if (!again && ++count >= sub->number) {
            wk_sed_add(s, &s->spare, text.p + copied, start - copied);
            (sub->cases ? add_parts_in_case : add_parts)(s, sub, &s->spare, text.p, spans);
            copied = end;
            done = true;
            if (!sub->global)
                break;
        }
        before = end;
        from = end;
        if (start == end) {
            if (end >= text.n)
                break;
            from += character_at(s, text, end);
        }
        wk_tick(s->c, 1);
    }
    if (!done)
        return false;
    wk_sed_add(s, &s->spare, text.p + copied, text.n - copied);
    take_spare(s);
    return true;
}
