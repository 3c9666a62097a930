/* patch_hunk.c - patch: reading the hunks of unified, context and normal diffs */
#include "base/num.h"
#include "builtins/patch.h"

static void add(struct patch *p, int side, struct wk_str text, char mark)
{
    struct patch_side *s = &p->hunk.side[side];
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 32;
        s->v = (struct patch_line *)wk_heap_realloc(p->c->heap, s->v, s->cap * sizeof *s->v);
    }
    s->v[s->n++] = (struct patch_line){text, mark};
}

static WK_NORETURN void malformed(struct patch *p, struct wk_str line)
{
    PATCH_FATAL(p, "malformed patch at line %lld: %.*s", (long long)p->line, (int)line.n, line.p);
}

static WK_NORETURN void unexpected_end(struct patch *p)
{
    PATCH_FATAL(p, "unexpected end of file in patch");
}

/* A number of lines at *s. */
static int64_t number(struct patch *p, struct wk_str line, size_t *at)
{
    int64_t v;
    int err;
    size_t n = *at < line.n && wk_is_digit((unsigned char)line.p[*at])
                   ? wk_scan_i64(wk_str_from(line, *at), 10, &v, &err)
                   : 0;
    if (!n)
        PATCH_FATAL(p, "missing line number at line %lld: %.*s", (long long)p->line, (int)line.n, line.p);
    if (err || v >= INT64_MAX / 4)
        PATCH_FATAL(p, "line number %.*s is too large at line %lld: %.*s", (int)n, line.p + *at, (long long)p->line,
                    (int)line.n, line.p);
    *at += n;
    return v;
}

static bool at_char(struct wk_str line, size_t at, char ch)
{
    return at < line.n && line.p[at] == ch;
}

/* Takes the line "\ No newline…" that may stand next: the text before then has no newline. */
static bool incomplete(struct patch *p)
{
    size_t at = p->at;
    int64_t line_no = p->line;
    struct wk_str line;
    if (wk_patch_next_line(p, true, &line) && line.n && line.p[0] == '\\')
        return true;
    p->at = at;
    p->line = line_no;
    return false;
}

/* Ends a line of one side or both; "\ No newline" stands at the margin, even where the rest is indented. */
static void end_line(struct patch *p, int sides)
{
    if (p->at >= p->text.n || p->text.p[p->at] != '\\' || !incomplete(p))
        return;
    for (int k = 0; k < 2; k++) {
        struct patch_side *s = &p->hunk.side[k];
        if (!(sides >> k & 1) || !s->n)
            continue;
        struct wk_str *t = &s->v[s->n - 1].text;
        if (t->n && t->p[t->n - 1] == '\n')
            t->n--;
    }
}

static void count_context(struct patch *p)
{
    struct patch_hunk *h = &p->hunk;
    size_t before[2], after[2];
    for (int k = 0; k < 2; k++) {
        const struct patch_side *s = &h->side[k];
        size_t i = 0, j = 0;
        while (i < s->n && s->v[i].mark == ' ')
            i++;
        while (j < s->n && s->v[s->n - 1 - j].mark == ' ')
            j++;
        before[k] = i;
        after[k] = j;
    }
    h->prefix = WK_MIN(before[0], before[1]);
    h->suffix = WK_MIN(after[0], after[1]);
}

/* Lines that go where others come are marked as changed, as in context diffs. */
static void mark_changes(struct patch_hunk *h)
{
    struct patch_side *a = &h->side[0], *b = &h->side[1];
    for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
        size_t i0 = i, j0 = j;
        while (i < a->n && a->v[i].mark != ' ')
            i++;
        while (j < b->n && b->v[j].mark != ' ')
            j++;
        bool both = i > i0 && j > j0;
        for (; both && i0 < i; i0++)
            a->v[i0].mark = '!';
        for (; both && j0 < j; j0++)
            b->v[j0].mark = '!';
        i += i < a->n;
        j += j < b->n;
    }
}

/* ---- unified ----------------------------------------------------------------------------------- */

static void unified_range(struct patch *p, struct wk_str line, size_t *at, int side, int64_t *count)
{
    p->hunk.side[side].first = number(p, line, at);
    *count = 1;
    if (at_char(line, *at, ',')) {
        ++*at;
        *count = number(p, line, at);
    }
    if (*count == 0)
        p->hunk.side[side].first++;
}

/* The next line of the hunk's body; a few blank lines at the end of the file may have got lost. */
static struct wk_str body_line(struct patch *p, int64_t old_left, int64_t new_left)
{
    struct wk_str line;
    (void)old_left;
    if (wk_patch_next_line(p, false, &line)) {
        if (line.p[0] == '\t' || line.p[0] == '\n')
            return wk_str_c(wk_strf(p->c, " %.*s", (int)line.n, line.p));
        return line;
    }
    if (new_left > 3)
        unexpected_end(p);
    return WK_STR(" \n");
}

static bool read_unified(struct patch *p)
{
    struct wk_str line;
    int64_t left[2];
    if (!wk_patch_next_line(p, false, &line) || !wk_str_starts(line, WK_STR("@@ -")))
        return false;
    size_t at = 4;
    unified_range(p, line, &at, 0, &left[0]);
    if (at_char(line, at, ' '))
        at++;
    if (!at_char(line, at, '+'))
        malformed(p, line);
    at++;
    unified_range(p, line, &at, 1, &left[1]);
    if (at_char(line, at, ' '))
        at++;
    if (!at_char(line, at, '@'))
        malformed(p, line);
    at++;
    if (at_char(line, at, '@') && at_char(line, at + 1, ' '))
        p->hunk.function = wk_str(line.p + at + 1, line.n - at - 2);
    bool changes = false;
    while (left[0] > 0 || left[1] > 0) {
        line = body_line(p, left[0], left[1]);
        struct wk_str text = wk_str_from(line, 1);
        char mark = line.p[0];
        int sides = mark == '-' || mark == '=' ? 1 : mark == '+' ? 2 : mark == ' ' ? 3 : 0;
        if (!sides || ((sides & 1) && left[0] <= 0) || ((sides & 2) && left[1] <= 0))
            malformed(p, line);
        for (int k = 0; k < 2; k++)
            if (sides >> k & 1) {
                add(p, k, text, sides == 3 ? ' ' : mark == '+' ? '+' : '-');
                left[k]--;
            }
        changes = changes || sides != 3;
        if (left[0] <= 0 && left[1] <= 0 && !changes)
            malformed(p, line);
        end_line(p, sides);
        wk_tick(p->c, (uint32_t)(line.n / 64) + 1);
    }
    mark_changes(&p->hunk);
    return true;
}

/* ---- context ----------------------------------------------------------------------------------- */

struct range {
    int64_t first, last;
};

/* "*** 1,3 ****" behind its first four bytes: false when no range is there. */
static struct range context_range(struct patch *p, struct wk_str line)
{
    size_t at = 4;
    struct range r;
    r.first = number(p, line, &at);
    r.last = r.first;
    if (at_char(line, at, ',')) {
        at++;
        r.last = number(p, line, &at);
        if (r.first > r.last && r.last)
            malformed(p, line);
    }
    return r;
}

/* How many lines a side has; a single 0 says that it is empty. */
static int64_t context_count(struct range r)
{
    return r.first ? r.last - r.first + 1 : 0;
}

static void put_context_line(struct patch *p, int side, struct wk_str line, int64_t *left)
{
    struct wk_str text = line;
    char mark = line.p[0];
    if (mark == '\t' || (mark == '\n' && line.n == 1))
        mark = ' ';
    else
        text = line.n > 1 && (line.p[1] == ' ' || line.p[1] == '\t') ? wk_str_from(line, line.p[1] == ' ' ? 2 : 1)
                                                                     : wk_str_from(line, 1);
    if (!strchr(side ? "+! " : "-! ", mark))
        malformed(p, line);
    add(p, side, text, mark);
    --*left;
    end_line(p, 1 << side);
}

/* The side that was left out has the context of the other. */
static void fill_context(struct patch *p, int side, int64_t want)
{
    const struct patch_side *other = &p->hunk.side[!side];
    for (size_t i = 0; i < other->n; i++)
        if (other->v[i].mark == ' ')
            add(p, side, other->v[i].text, ' ');
    if ((int64_t)p->hunk.side[side].n != want)
        PATCH_FATAL(p, "context mangled in hunk at line %lld", (long long)p->line);
}

static struct wk_str context_line(struct patch *p)
{
    struct wk_str line;
    if (!wk_patch_next_line(p, false, &line))
        unexpected_end(p);
    return line;
}

static bool read_context(struct patch *p)
{
    struct wk_str line;
    if (!wk_patch_next_line(p, false, &line) || !wk_str_starts(line, WK_STR("********")))
        return false;
    size_t stars = 0;
    while (stars < line.n && line.p[stars] == '*')
        stars++;
    if (at_char(line, stars, ' '))
        p->hunk.function = wk_str(line.p + stars, line.n - stars - 1);
    line = context_line(p);
    int64_t top = p->line;
    if (!wk_str_starts(line, WK_STR("*** ")))
        malformed(p, line);
    struct range a = context_range(p, line), b;
    int64_t left = context_count(a), want_old = left;
    p->hunk.side[0].first = a.first ? a.first : 1;
    for (;;) {
        line = context_line(p);
        if (wk_str_starts(line, WK_STR("--- ")) && wk_is_digit((unsigned char)line.p[4]))
            break;
        put_context_line(p, 0, line, &left);
    }
    if (left < 0)
        PATCH_FATAL(p, "Overdue '---' at line %lld; check line numbers at line %lld", (long long)p->line,
                    (long long)top);
    if (left > 0 && p->hunk.side[0].n)
        PATCH_FATAL(p, "Premature '---' at line %lld; check line numbers at line %lld", (long long)p->line,
                    (long long)top);
    b = context_range(p, line);
    p->hunk.side[1].first = b.first ? b.first : 1;
    int64_t want_new = context_count(b);
    left = want_new;
    while (left > 0) {
        size_t at = p->at;
        int64_t line_no = p->line;
        if (!wk_patch_next_line(p, false, &line)) {
            if (!p->hunk.side[1].n)
                break;
            if (left > 2)
                unexpected_end(p);
            line = WK_STR("  \n");
        }
        if (!p->hunk.side[1].n && !strchr("+! \t\n", line.p[0])) {
            p->at = at;
            p->line = line_no;
            break;
        }
        put_context_line(p, 1, line, &left);
    }
    if (want_old && !p->hunk.side[0].n)
        fill_context(p, 0, want_old);
    else if (want_new && !p->hunk.side[1].n)
        fill_context(p, 1, want_new);
    return true;
}

/* ---- normal ------------------------------------------------------------------------------------ */

static void normal_lines(struct patch *p, int side, int64_t count)
{
    char mark = side ? '>' : '<';
    struct wk_str line;
    for (int64_t i = 0; i < count; i++) {
        if (!wk_patch_next_line(p, false, &line))
            PATCH_FATAL(p, "unexpected end of file in patch at line %lld", (long long)p->line);
        if (line.p[0] != mark || !(at_char(line, 1, ' ') || at_char(line, 1, '\t')))
            PATCH_FATAL(p, "'%c' followed by space or tab expected at line %lld of patch", mark, (long long)p->line);
        add(p, side, wk_str_from(line, 2), side ? '+' : '-');
        end_line(p, 1 << side);
        wk_tick(p->c, (uint32_t)(line.n / 64) + 1);
    }
}

static bool read_normal(struct patch *p)
{
    struct wk_str line;
    if (!wk_patch_next_line(p, false, &line) || !wk_is_digit((unsigned char)line.p[0]))
        return false;
    size_t at = 0;
    int64_t first = number(p, line, &at), count = 1;
    if (at_char(line, at, ',')) {
        at++;
        count = number(p, line, &at) + 1 - first;
    }
    char letter = at < line.n ? line.p[at] : 0;
    if (letter == 'a') {
        first++;
        count = 0;
    }
    if (!letter || !strchr("acd", letter) || count < 0)
        malformed(p, line);
    at++;
    int64_t new_first = number(p, line, &at), new_last = new_first;
    if (at_char(line, at, ',')) {
        at++;
        new_last = number(p, line, &at);
    }
    if (letter == 'd')
        new_first++;
    if (new_last - new_first + 1 < 0)
        malformed(p, line);
    p->hunk.side[0].first = first;
    p->hunk.side[1].first = new_first;
    normal_lines(p, 0, count);
    if (letter == 'c') {
        if (!wk_patch_next_line(p, false, &line))
            PATCH_FATAL(p, "unexpected end of file in patch at line %lld", (long long)p->line);
        if (line.p[0] != '-')
            PATCH_FATAL(p, "'---' expected at line %lld of patch", (long long)p->line);
    }
    normal_lines(p, 1, new_last - new_first + 1);
    return true;
}

/* ---- all --------------------------------------------------------------------------------------- */

void wk_patch_swap(struct patch_hunk *h)
{
    struct patch_side s = h->side[0];
    h->side[0] = h->side[1];
    h->side[1] = s;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < h->side[k].n; i++) {
            char *mark = &h->side[k].v[i].mark;
            *mark = *mark == '+' ? '-' : *mark == '-' ? '+' : *mark;
        }
}

bool wk_patch_read_hunk(struct patch *p)
{
    size_t at = p->at;
    int64_t line_no = p->line;
    p->hunk.side[0].n = p->hunk.side[1].n = 0;
    p->hunk.function = WK_STR("");
    bool any = p->h.kind == PATCH_UNIFIED  ? read_unified(p)
               : p->h.kind == PATCH_NORMAL ? read_normal(p)
                                           : read_context(p);
    if (!any) {
        p->at = at;
        p->line = line_no;
        return false;
    }
    count_context(p);
    if (p->reverse)
        wk_patch_swap(&p->hunk);
    return true;
}
