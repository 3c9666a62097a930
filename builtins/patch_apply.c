/* wk_patch_apply.c - patch: where a hunk goes, putting it there, and the hunks that go nowhere */
#include "builtins/patch.h"

/* ---- finding ----------------------------------------------------------------------------------- */

static bool blank(char ch)
{
    return ch == ' ' || ch == '\t';
}

/* Runs of blanks are as good as one another, and count for nothing at the end. */
static bool loosely(struct wk_str a, struct wk_str b)
{
    size_t i = 0, j = 0;
    while (a.n && a.p[a.n - 1] == '\n')
        a.n--;
    while (b.n && b.p[b.n - 1] == '\n')
        b.n--;
    for (;;) {
        if (j >= b.n || blank(b.p[j])) {
            while (j < b.n && blank(b.p[j]))
                j++;
            if (i < a.n && !blank(a.p[i]))
                return false;
            while (i < a.n && blank(a.p[i]))
                i++;
            if (i >= a.n || j >= b.n)
                return i >= a.n && j >= b.n;
        } else if (i >= a.n || a.p[i++] != b.p[j++]) {
            return false;
        }
    }
}

bool wk_patch_line_same(const struct patch *p, struct wk_str file_line, struct wk_str patch_line)
{
    return p->o->canonical ? loosely(file_line, patch_line) : wk_str_eq(file_line, patch_line);
}

static bool matches(struct patch *p, int64_t at, int64_t prefix_fuzz, int64_t suffix_fuzz)
{
    const struct patch_side *s = &p->hunk.side[0];
    for (int64_t i = prefix_fuzz; i < (int64_t)s->n - suffix_fuzz; i++) {
        wk_tick(p->c, 1);
        if (at + i < 1 || at + i > p->n || !wk_patch_line_same(p, p->lines[at + i - 1], s->v[i].text))
            return false;
    }
    return true;
}

static int64_t found(struct patch *p, int64_t guess, int64_t offset)
{
    p->in_offset += offset;
    return guess + offset;
}

/* The start of the file only: a hunk of its first lines with less context before than after. */
static int64_t locate_at_start(struct patch *p, int64_t guess, int64_t most, int64_t suffix_fuzz)
{
    const struct patch_hunk *h = &p->hunk;
    int64_t offset = 1 - guess;
    if (suffix_fuzz < 0 && ((int64_t)h->side[0].n != p->n || (int64_t)h->prefix < p->taken))
        return 0;
    if (p->taken <= (int64_t)h->prefix && offset <= most && matches(p, 1, 0, WK_MAX(suffix_fuzz, 0)))
        return found(p, guess, offset);
    return 0;
}

int64_t wk_patch_locate(struct patch *p, size_t fuzz)
{
    const struct patch_hunk *h = &p->hunk;
    int64_t lines = (int64_t)h->side[0].n, prefix = (int64_t)h->prefix, suffix = (int64_t)h->suffix,
            context = WK_MAX(prefix, suffix);
    int64_t prefix_fuzz = (int64_t)fuzz + prefix - context, suffix_fuzz = (int64_t)fuzz + suffix - context;
    int64_t guess = h->side[0].first + p->in_offset;
    int64_t most = p->n - (lines - suffix_fuzz) + 1 - guess, least = guess - (p->taken + 1);
    if (!lines)
        return guess;
    if (guess <= least)
        least = guess - 1;
    if (prefix_fuzz < 0 && h->side[0].first <= 1)
        return locate_at_start(p, guess, most, suffix_fuzz);
    prefix_fuzz = WK_MAX(prefix_fuzz, 0);
    if (suffix_fuzz < 0) {
        int64_t offset = guess - (p->n - lines + 1);
        return offset <= least && matches(p, guess - offset, prefix_fuzz, 0) ? found(p, guess, -offset) : 0;
    }
    for (int64_t offset = 0; offset <= most || offset <= least; offset++) {
        if (offset <= most && offset >= -least && matches(p, guess + offset, prefix_fuzz, suffix_fuzz))
            return found(p, guess, offset);
        if (offset <= least && -offset <= most && matches(p, guess - offset, prefix_fuzz, suffix_fuzz))
            return found(p, guess, -offset);
    }
    return 0;
}

/* ---- putting ----------------------------------------------------------------------------------- */

void wk_patch_put_line(struct patch *p, struct wk_str text)
{
    p->out_lines++;
    if ((!p->after_newline && !wk_buf_putc(p->out, '\n')) || !wk_buf_puts(p->out, text))
        wk_heap_exhausted(p->c->heap);
    if (text.n)
        p->after_newline = text.p[text.n - 1] == '\n';
    wk_tick(p->c, (uint32_t)(text.n / 64) + 1);
}

void wk_patch_copy_till(struct patch *p, int64_t end)
{
    for (; p->taken + 1 < end && p->taken < p->n; p->taken++)
        wk_patch_put_line(p, p->lines[p->taken]);
}

enum branch { OUTSIDE, IN_IFNDEF, IN_IFDEF, IN_ELSE };

static void directive(struct patch *p, const char *word, const char *name)
{
    const char *text = wk_strf(p->c, "#%s%s%s\n", word, *name ? " " : "", name);
    wk_patch_put_line(p, wk_str_c(text));
}

/* A line of the file that goes: with -D it stays behind #ifndef. */
static void drop_line(struct patch *p, enum branch *b)
{
    if (!p->o->ifdef) {
        p->taken++;
        return;
    }
    if (*b == OUTSIDE) {
        directive(p, "ifndef", p->o->ifdef);
        *b = IN_IFNDEF;
    } else if (*b == IN_IFDEF) {
        directive(p, "else", "");
        *b = IN_ELSE;
    }
    wk_patch_copy_till(p, p->taken + 2);
}

static void put_line(struct patch *p, enum branch *b, struct wk_str text)
{
    if (p->o->ifdef && *b == OUTSIDE) {
        directive(p, "ifdef", p->o->ifdef);
        *b = IN_IFDEF;
    } else if (p->o->ifdef && *b == IN_IFNDEF) {
        directive(p, "else", "");
        *b = IN_ELSE;
    }
    wk_patch_put_line(p, text);
}

static void close_branch(struct patch *p, enum branch *b)
{
    if (*b != OUTSIDE)
        directive(p, "endif", "");
    *b = OUTSIDE;
}

bool wk_patch_apply(struct patch *p, int64_t where)
{
    const struct patch_side *a = &p->hunk.side[0], *z = &p->hunk.side[1];
    enum branch b = OUTSIDE;
    size_t i = 0, j = 0;
    while (i < a->n || j < z->n) {
        char old_mark = i < a->n ? a->v[i].mark : 0, new_mark = j < z->n ? z->v[j].mark : 0;
        if (old_mark && old_mark != ' ') {
            wk_patch_copy_till(p, where + (int64_t)i);
            drop_line(p, &b);
            i++;
        } else if (new_mark && new_mark != ' ') {
            wk_patch_copy_till(p, where + (int64_t)i);
            put_line(p, &b, z->v[j].text);
            j++;
        } else if (old_mark && new_mark) {
            close_branch(p, &b);
            i++;
            j++;
        } else {
            PATCH_FATAL(p, "Out-of-sync patch, lines %zu,%zu -- mangled text or line numbers, maybe?", i + 1,
                        a->n + 2 + j);
        }
    }
    close_branch(p, &b);
    p->out_offset += (int64_t)z->n - (int64_t)a->n;
    return true;
}

/* ---- rejects ----------------------------------------------------------------------------------- */

static void name_line(struct patch *p, const char *mark, int side)
{
    side ^= p->reverse;
    const char *name = p->h.name[side];
    struct wk_str time = p->h.time_text[side];
    (void)wk_buf_fmt(p->rejects, "%s %s%.*s\n", mark, name ? name : "/dev/null", name ? (int)time.n : 0,
                     time.n ? time.p : "");
}

static void put_range(struct wk_buf *b, int64_t first, size_t n, bool unified)
{
    if (!n && !unified)
        wk_buf_putc(b, '0');
    else if (n == 1)
        (void)wk_buf_fmt(b, "%lld", (long long)first);
    else if (unified)
        (void)wk_buf_fmt(b, "%lld,%zu", (long long)(n ? first : first - 1), n);
    else
        (void)wk_buf_fmt(b, "%lld,%lld", (long long)first, (long long)(first + (int64_t)n - 1));
}

static void reject_unified(struct patch *p)
{
    struct wk_buf *out = p->rejects;
    const struct patch_side *a = &p->hunk.side[0], *z = &p->hunk.side[1];
    wk_buf_put_c(out, "@@ -");
    put_range(out, a->first + p->out_offset, a->n, true);
    wk_buf_put_c(out, " +");
    put_range(out, z->first + p->out_offset, z->n, true);
    wk_buf_put_c(out, " @@");
    wk_buf_puts(out, p->hunk.function);
    wk_buf_putc(out, '\n');
    for (size_t i = 0, j = 0; i < a->n || j < z->n;) {
        bool old = i < a->n && (a->v[i].mark != ' ' || j >= z->n), new = !old &&j < z->n && z->v[j].mark != ' ';
        const struct patch_line *l = new ? &z->v[j] : i < a->n ? &a->v[i] : &z->v[j];
        wk_buf_putc(out, old ? '-' : new ? '+' : ' ');
        wk_buf_puts(out, l->text);
        i += old || (!new &&i < a->n);
        j += !old;
    }
}

static void reject_side(struct patch *p, int side)
{
    const struct patch_side *s = &p->hunk.side[side];
    bool old_style = p->h.kind == PATCH_CONTEXT || p->h.kind == PATCH_NORMAL;
    wk_buf_put_c(p->rejects, side ? "--- " : "*** ");
    put_range(p->rejects, s->first + p->out_offset, s->n, false);
    wk_buf_put_c(p->rejects, old_style ? (side ? " -----\n" : "\n") : side ? " ----\n" : " ****\n");
    for (size_t i = 0; i < s->n; i++) {
        (void)wk_buf_fmt(p->rejects, "%c ", s->v[i].mark);
        wk_buf_puts(p->rejects, s->v[i].text);
    }
}

void wk_patch_reject(struct patch *p, bool first)
{
    bool unified = p->o->reject_unified || (!p->o->reject_context && p->h.kind == PATCH_UNIFIED);
    if (first && p->h.name[PATCH_INDEX])
        (void)wk_buf_fmt(p->rejects, "Index: %s\n", p->h.name[PATCH_INDEX]);
    if (first) {
        name_line(p, unified ? "---" : "***", 0);
        name_line(p, unified ? "+++" : "---", 1);
    }
    if (unified) {
        reject_unified(p);
    } else {
        wk_buf_put_c(p->rejects, "***************");
        wk_buf_puts(p->rejects, p->hunk.function);
        wk_buf_putc(p->rejects, '\n');
        reject_side(p, 0);
        reject_side(p, 1);
    }
    if (p->rejects->failed)
        wk_heap_exhausted(p->c->heap);
}
