/* rg_matcher.c - rg: patterns compiled, lines and matches found */
#include "builtins/rg_matcher.h"

#include "base/utf8.h"
#include "builtins/regex.h"

/* ---- errors ------------------------------------------------------------------------------------------------------
 */

static void mark(struct wk_buf *b, struct wk_str s, size_t *column, size_t at, size_t end)
{
    size_t from = wk_utf8_count(wk_str_take(s, at)), to = wk_utf8_count(wk_str_take(s, end));
    for (; *column < from; ++*column)
        wk_buf_putc(b, ' ');
    for (to = WK_MAX(to, from + 1); *column < to; ++*column)
        wk_buf_putc(b, '^');
}

/* What is wrong, in the words of the default engine. */
static void explain(struct wk_buf *b, struct wk_str s, const struct wk_rg_error *e)
{
    size_t column = 0;
    if (strcmp(e->text, WK_RG_TOO_BIG) == 0) {
        wk_buf_fmt(b, "%s\n", e->text);
        return;
    }
    wk_buf_put_c(b, "regex parse error:\n    ");
    wk_buf_puts(b, s);
    wk_buf_put_c(b, "\n    ");
    mark(b, s, &column, e->at, e->end);
    if (e->end2 > e->at2)
        mark(b, s, &column, e->at2, e->end2);
    wk_buf_fmt(b, "\nerror: %s\n", e->text);
}

static WK_NORETURN void refuse(struct wk_cmd *c, struct wk_str s, const struct wk_rg_error *e)
{
    struct wk_buf *b = wk_rg_buf(c);
    explain(b, s, e);
    if (e->needs_pcre)
        wk_buf_put_c(b, "\nConsider enabling PCRE2 with the --pcre2 flag, which can handle backreferences\n"
                        "and look-around.\n");
    wk_out_str(c->err, wk_buf_str(b));
    wk_exit(c, 2);
}

static WK_NORETURN void refuse_newline(struct wk_cmd *c)
{
    wk_out_c(c->err, "the literal '\"\\n\"' is not allowed in a regex\n\n"
                     "Consider enabling multiline mode with the --multiline flag (or -U for short).\n"
                     "When multiline mode is enabled, new line characters can be matched.\n");
    wk_exit(c, 2);
}

/* ---- compiling ---------------------------------------------------------------------------------------------------
 */

static struct wk_re *compile(struct wk_rg_matcher *m, enum wk_rg_form form, struct wk_str text,
                             struct wk_re_error *err)
{
    unsigned flags = WK_RE_EXTENDED | WK_RE_GREP | WK_RE_NOSUB;
    bool lines = m->syntax.multi_line || m->syntax.nul_lines;
    if (form == WK_RG_FORM_ERE)
        flags |= lines ? WK_RE_ANCHORS : 0;
    else
        flags = WK_RE_PERL | (lines ? WK_RE_NEWLINE : 0) | (form == WK_RG_FORM_UTF ? 0 : WK_RE_BYTES);
    if (m->fold)
        flags |= WK_RE_ICASE;
    return wk_cmd_re_anywhere(m->c, text, flags, err);
}

/* The pattern in a form, with what -w and -x put around it; false when the form cannot say it. */
static bool write_form(struct wk_rg_matcher *m, enum wk_rg_form form, struct wk_buf *b)
{
    struct wk_rg_error err;
    struct wk_rg_facts facts;
    struct wk_rg_set other = {.opaque = false};
    struct wk_buf *w = wk_rg_buf(m->c);
    bool ere = form == WK_RG_FORM_ERE;
    wk_rg_set_perl(m->c, &other, 'w', true, !m->syntax.no_unicode);
    if (!m->syntax.multi_line && !m->syntax.nul_lines)
        other.ascii[0] &= ~(UINT64_C(1) << '\n');
    wk_rg_set_put(m->c, &other, form, w);
    if (form == WK_RG_FORM_UTF)
        wk_buf_put_c(b, "(*UCP)");
    if (m->word) {
        wk_buf_put_c(b, ere ? "(^|" : "(?:^|");
        wk_buf_puts(b, wk_buf_str(w)); /* which may hold a NUL */
        wk_buf_put_c(b, ")(");
    }
    if (!wk_rg_translate(m->c, m->pattern, &m->syntax, form, b, &facts, &m->names, &err))
        refuse(m->c, m->pattern, &err);
    if (m->word) {
        wk_buf_put_c(b, ere ? ")($|" : ")(?:$|");
        wk_buf_puts(b, wk_buf_str(w));
        wk_buf_putc(b, ')');
    }
    if (b->failed)
        wk_heap_exhausted(m->c->heap);
    return !facts.no_ere;
}

static struct wk_re *perl_of(struct wk_rg_matcher *m, enum wk_rg_form form)
{
    struct wk_re_error err;
    if (m->perl[form])
        return m->perl[form];
    struct wk_buf *b = wk_rg_buf(m->c);
    (void)write_form(m, form, b);
    m->perl[form] = compile(m, form, wk_buf_str(b), &err);
    if (!m->perl[form]) {
        wk_out_fmt(m->c->err, "%s\n",
                   strstr(err.text, "too large") || strstr(err.text, "too big") || strstr(err.text, "nested")
                       ? WK_RG_TOO_BIG
                       : err.text);
        wk_exit(m->c, 2);
    }
    return m->perl[form];
}

/* All patterns as alternatives of one. */
static struct wk_str join_patterns(struct wk_cmd *c, const struct wk_rg_patterns *p)
{
    struct wk_buf *b = wk_rg_buf(c);
    for (size_t i = 0; i < p->n; i++) {
        struct wk_str one = wk_str_c(p->v[i]);
        if (i)
            wk_buf_putc(b, '|');
        if (p->fixed)
            one = wk_rg_escape(c, one);
        if (p->line)
            wk_buf_put_c(b, "^(?:");
        else if (!one.n)
            one = WK_STR("(?:)");
        wk_buf_puts(b, one);
        if (p->line)
            wk_buf_put_c(b, ")$");
    }
    if (b->failed)
        wk_heap_exhausted(c->heap);
    return wk_buf_str(b);
}

/* The names of the groups of a pattern in Perl's syntax, as far as it is plain where they are. */
static void find_names(struct wk_rg_matcher *m, struct wk_str s)
{
    struct wk_opt_list *l = &m->names;
    bool bracket = false;
    *l = (struct wk_opt_list){.v = wk_new_n(m->c, const char *, wk_str_count(s, '(') + 1)};
    for (size_t i = 0; i < s.n; i++) {
        char ch = s.p[i];
        struct wk_str rest = wk_str_from(s, i + 1);
        i += ch == '\\';
        bracket = bracket ? ch != ']' : ch == '[';
        if (ch != '(' || bracket || wk_str_starts(rest, WK_STR("*")))
            continue;
        const char *name = NULL;
        if (wk_str_starts(rest, WK_STR("?"))) {
            size_t at = rest.n > 1 && rest.p[1] == 'P' ? 2 : 1, n = 0;
            bool opens = at < rest.n && (rest.p[at] == '<' || rest.p[at] == '\'');
            while (opens && at + 1 + n < rest.n && wk_is_name_char((unsigned char)rest.p[at + 1 + n]))
                n++;
            if (!n)
                continue;
            name = wk_dupn(m->c, rest.p + at + 1, n);
        }
        l->v[l->n++] = name;
    }
}

/* first: why the default engine does not take the pattern, when either would do; NULL: only this one was asked for.
 */
static void make_pcre(struct wk_rg_matcher *m, const struct wk_rg_patterns *p, const struct wk_rg_error *first)
{
    static const char rule[] = "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n";
    struct wk_cmd *c = m->c;
    struct wk_re_error err;
    struct wk_buf *b = wk_rg_buf(c);
    enum wk_rg_form form = p->syntax.no_unicode ? WK_RG_FORM_BYTES : WK_RG_FORM_UTF;
    m->pcre = true;
    m->word = false;
    wk_buf_put_c(b, form == WK_RG_FORM_UTF ? "(*UCP)" : "");
    wk_buf_put_c(b, p->syntax.crlf ? "(*ANYCRLF)" : "");
    wk_buf_put_c(b, p->syntax.dot_all && p->syntax.multi_line ? "(?s)" : "");
    size_t head = b->n;
    wk_buf_put_c(b, p->word ? "(?<!\\w)(?:" : "");
    wk_buf_puts(b, m->pattern);
    wk_buf_put_c(b, p->word ? ")(?!\\w)" : "");
    unsigned flags = WK_RE_PERL | WK_RE_NEWLINE | (form == WK_RG_FORM_UTF ? 0 : WK_RE_BYTES);
    m->fold = p->syntax.icase;
    m->perl[form] = wk_cmd_re_anywhere(c, wk_buf_str(b), flags | (m->fold ? WK_RE_ICASE : 0), &err);
    if (!m->perl[form]) {
        struct wk_buf *text = wk_rg_buf(c);
        if (first) {
            wk_buf_fmt(text,
                       "regex could not be compiled with either the default regex engine or with PCRE2.\n\n"
                       "default regex engine error:\n%s",
                       rule);
            explain(text, m->pattern, first);
            wk_buf_fmt(text, "%s\nPCRE2 regex engine error:\n", rule);
        }
        wk_buf_fmt(text, "PCRE2: error compiling pattern at offset %zu: %s\n",
                   err.at >= head ? err.at - head : err.at, err.text);
        wk_out_str(c->err, wk_buf_str(text));
        wk_exit(c, 2);
    }
    find_names(m, m->pattern);
    m->groups = wk_re_groups(m->perl[form]);
    m->multi_line = p->syntax.multi_line;
}

/* The automaton; without one every line is a subject of PCRE2. */
static void make_dfa(struct wk_rg_matcher *m)
{
    struct wk_re_error err;
    struct wk_buf *b = wk_rg_buf(m->c);
    if (m->facts.bytes || !write_form(m, WK_RG_FORM_ERE, b))
        return;
    m->dfa = compile(m, WK_RG_FORM_ERE, wk_buf_str(b), &err);
    m->dfa_spans = m->dfa && m->facts.greedy_is_longest && !m->word;
    if (m->dfa_spans)
        m->steps = wk_rg_steps_new(m->c, &m->facts);
}

static void apply_smart_case(struct wk_rg_matcher *m, const struct wk_rg_patterns *p)
{
    if (p->smart_case && m->facts.literal && !m->facts.upper)
        m->syntax.icase = true;
}

struct wk_rg_matcher *wk_rg_matcher_new(struct wk_cmd *c, const struct wk_rg_patterns *p)
{
    struct wk_rg_matcher *m = wk_new(c, struct wk_rg_matcher);
    struct wk_rg_error err;
    m->c = c;
    m->syntax = p->syntax;
    m->word = p->word;
    m->eol = p->syntax.nul_lines ? '\0' : '\n';
    m->pattern = join_patterns(c, p);
    bool good = wk_rg_translate(c, m->pattern, &m->syntax, WK_RG_FORM_SCAN, NULL, &m->facts, &m->names, &err);
    if (p->pcre || (!good && p->auto_engine)) {
        struct wk_rg_patterns q = *p;
        q.syntax.icase = q.syntax.icase || (p->smart_case && good && m->facts.literal && !m->facts.upper);
        make_pcre(m, &q, p->pcre ? NULL : &err);
        return m;
    }
    if (!good)
        refuse(c, m->pattern, &err);
    apply_smart_case(m, p);
    if (m->facts.newline_literal && !p->syntax.multi_line && !p->syntax.nul_lines)
        refuse_newline(c);
    /* Whether one setting for all letters will do. */
    good = wk_rg_translate(c, m->pattern, &m->syntax, WK_RG_FORM_SCAN, NULL, &m->facts, &m->names, &err);
    if (!good)
        refuse(c, m->pattern, &err);
    m->fold = m->syntax.fold_later = m->facts.cased_on && !m->facts.cased_off;
    m->groups = m->facts.groups;
    m->multi_line = p->syntax.multi_line && (m->facts.newline || m->facts.whole);
    if (p->syntax.multi_line && !m->multi_line)
        m->syntax.multi_line = false; /* lines will do */
    make_dfa(m);
    if (!m->dfa) /* what is too large is told at once */
        (void)perl_of(m, m->facts.bytes ? WK_RG_FORM_BYTES : WK_RG_FORM_UTF);
    return m;
}

/* ---- finding -----------------------------------------------------------------------------------------------------
 */

static enum wk_rg_form form_for(const struct wk_rg_matcher *m, struct wk_str subject)
{
    if (m->facts.bytes || (m->pcre && m->perl[WK_RG_FORM_BYTES]))
        return WK_RG_FORM_BYTES;
    if (m->pcre)
        return WK_RG_FORM_UTF;
    if (m->whole.p && m->whole.p == subject.p && m->whole.n == subject.n)
        return m->whole_form;
    return wk_utf8_ascii(subject) == subject.n ? WK_RG_FORM_ASCII : WK_RG_FORM_UTF;
}

void wk_rg_matcher_subject(struct wk_rg_matcher *m, struct wk_str subject)
{
    m->whole.p = NULL;
    m->whole_form = form_for(m, subject);
    m->whole = subject;
}

static bool is_nullable(struct wk_rg_matcher *m)
{
    if (!m->nullable) {
        struct wk_re_run run = wk_cmd_re_run(m->c);
        struct wk_re *re = perl_of(m, form_for(m, WK_STR("")));
        m->nullable = !m->facts.anchored && wk_re_search(re, &run, WK_STR(""), 0, NULL, 0) == 1 ? 2 : 1;
    }
    return m->nullable == 2;
}

static void only_empty(struct wk_re_span *spans, size_t n, size_t at)
{
    for (size_t i = 0; i < n; i++)
        spans[i] = i ? (struct wk_re_span){-1, -1} : (struct wk_re_span){(ptrdiff_t)at, (ptrdiff_t)at};
}

/* What a search may take of PCRE2 before the automaton is asked. */
enum { EASY_LIMIT = 20000 };

static int search_perl(struct wk_rg_matcher *m, enum wk_rg_form form, struct wk_str subject, size_t from,
                       struct wk_re_span *spans, size_t n)
{
    struct wk_re *re = perl_of(m, form);
    struct wk_re_run run = wk_cmd_re_run(m->c);
    run.pcre_limit = m->dfa ? EASY_LIMIT : 0;
    int r = wk_re_search(re, &run, subject, from, spans, n);
    if (r == -WK_ELIMIT && m->dfa) { /* the automaton knows where to begin */
        struct wk_re_span whole;
        run.pcre_limit = 0;
        int first = wk_re_search(m->dfa, &run, subject, from, &whole, 1);
        if (first == 0)
            return 0;
        if (first == 1)
            r = wk_re_search(re, &run, subject, (size_t)whole.start, spans, n);
    }
    return r;
}

/* Is asked once for all searches of a subject, which follow one another. */
static enum wk_rg_form form_again(struct wk_rg_matcher *m, struct wk_str subject, size_t from)
{
    if (!from || m->last.p != subject.p || m->last.n != subject.n) {
        m->last_form = form_for(m, subject);
        m->last = subject;
    }
    return m->last_form;
}

/* Where the automaton's matches, or greedy steps, are the expression's: -WK_ENOSYS when they are not. */
static int find_plainly(struct wk_rg_matcher *m, struct wk_str subject, size_t from, struct wk_re_span *spans,
                        size_t n)
{
    struct wk_re_run run = wk_cmd_re_run(m->c);
    bool inside = from && from < subject.n && wk_utf8_continues((unsigned char)subject.p[from]);
    if (n == 1 && m->steps && (!wk_rg_steps_high(m->steps) || form_again(m, subject, from) == WK_RG_FORM_ASCII)) {
        int r = wk_rg_steps_find(m->steps, subject, from, spans);
        wk_tick(m->c, (uint32_t)(((r == 1 ? (size_t)spans->end : subject.n) - from) / 64 & 0xffffff) + 1);
        if (r >= 0)
            return r;
    }
    if ((!m->facts.past_ascii && !inside) || form_again(m, subject, from) == WK_RG_FORM_ASCII)
        return wk_re_search(m->dfa, &run, subject, from, spans, n);
    return -WK_ENOSYS;
}

int wk_rg_find(struct wk_rg_matcher *m, struct wk_str subject, size_t from, struct wk_re_span *spans, size_t n)
{
    if (!subject.p)
        subject.p = "";
    if (from > subject.n)
        return 0;
    if (m->dfa_spans && n <= 1) {
        int r = find_plainly(m, subject, from, spans, n);
        if (r != -WK_ENOSYS)
            return r;
    }
    enum wk_rg_form form = form_again(m, subject, from);
    if (form == WK_RG_FORM_UTF && from && from < subject.n && wk_utf8_continues((unsigned char)subject.p[from]) &&
        is_nullable(m)) { /* an empty match may lie in the midst of a character */
        only_empty(spans, n, from);
        return 1;
    }
    while (form == WK_RG_FORM_UTF && from && from < subject.n && wk_utf8_continues((unsigned char)subject.p[from]))
        from++;
    if (!m->word || n == 0)
        return search_perl(m, form, subject, from, spans, n);
    /* Group 1 is the match, and its groups follow. */
    struct wk_re_span few[8], *all = n + 1 <= WK_COUNTOF(few) ? few : wk_new_n(m->c, struct wk_re_span, n + 1);
    int r = search_perl(m, form, subject, from, all, n + 1);
    if (r == 1)
        memcpy(spans, all + 1, n * sizeof *spans);
    if (all != few)
        wk_heap_free(m->c->heap, all);
    return r;
}

static struct wk_str text_of(struct wk_str buf, const struct wk_re_span *line)
{
    return wk_str(buf.p + line->start, (size_t)(line->end - line->start));
}

static int find_line_by_line(struct wk_rg_matcher *m, struct wk_str buf, size_t from, struct wk_re_span *line)
{
    while (from < buf.n) {
        ptrdiff_t n = wk_str_chr(wk_str_from(buf, from), m->eol);
        line->start = (ptrdiff_t)from;
        line->end = n < 0 ? (ptrdiff_t)buf.n : (ptrdiff_t)from + n;
        int r = wk_rg_find(m, text_of(buf, line), 0, NULL, 0);
        if (r)
            return r;
        from = (size_t)line->end + 1;
    }
    return 0;
}

int wk_rg_find_line(struct wk_rg_matcher *m, struct wk_str buf, size_t from, struct wk_re_span *line)
{
    if (!m->dfa)
        return find_line_by_line(m, buf, from, line);
    struct wk_re_run run = wk_cmd_re_run(m->c);
    for (;;) {
        int r = wk_re_find_line(m->dfa, &run, buf, from, m->eol, line);
        if (r != 1 || (!m->facts.past_ascii && !m->word))
            return r;
        struct wk_str text = text_of(buf, line);
        if (wk_utf8_ascii(text) == text.n)
            return 1;
        r = wk_rg_find(m, text, 0, NULL, 0);
        if (r)
            return r;
        from = (size_t)line->end + 1;
    }
}

int wk_rg_next(struct wk_rg_matcher *m, struct wk_str subject, struct wk_rg_iter *it, struct wk_re_span *spans,
               size_t n)
{
    for (;;) {
        int r = wk_rg_find(m, subject, it->at, spans, n);
        if (r != 1)
            return r;
        ptrdiff_t end = spans[0].end;
        bool empty = spans[0].start == end, again = empty && end == it->last;
        it->at = (size_t)end + empty;
        if (again)
            continue;
        it->last = end;
        return 1;
    }
}
