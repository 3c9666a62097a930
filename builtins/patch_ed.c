/* wk_patch_ed.c - patch: ed scripts as diff -e writes them: a, c, d, i and s/.// */
#include "base/num.h"
#include "builtins/patch.h"

struct ed {
    struct patch *p;
    struct wk_str *v;
    size_t n, cap, current;
};

/* Addresses and letter of a command; false when it is none. from is UINT64_MAX where no address stands. */
static bool parse(struct wk_str s, uint64_t *from, uint64_t *to, char *letter)
{
    int err;
    size_t n = s.n && wk_is_digit((unsigned char)s.p[0]) ? wk_scan_u64(s, 10, from, &err) : 0;
    *from = n ? *from : UINT64_MAX;
    s = wk_str_from(s, n);
    *to = *from;
    if (n && s.n && s.p[0] == ',') {
        n = wk_scan_u64(wk_str_from(s, 1), 10, to, &err);
        if (!n)
            return false;
        s = wk_str_from(s, n + 1);
    }
    *letter = s.n ? s.p[0] : 0;
    if (*letter == 's')
        return wk_str_eq(s, WK_STR("s/.//\n"));
    return *letter && strchr("acdi", *letter) && s.n == 2 && s.p[1] == '\n';
}

char wk_patch_ed_letter(struct wk_str line)
{
    uint64_t from, to;
    char letter;
    return parse(line, &from, &to, &letter) ? letter : 0;
}

static void insert(struct ed *e, size_t at, struct wk_str line)
{
    if (e->n == e->cap) {
        e->cap = e->cap ? e->cap * 2 : 64;
        e->v = (struct wk_str *)wk_heap_realloc(e->p->c->heap, e->v, e->cap * sizeof *e->v);
    }
    memmove(e->v + at + 1, e->v + at, (e->n - at) * sizeof *e->v);
    wk_tick(e->p->c, (uint32_t)WK_MIN((e->n - at) / 4 + 1, UINT32_MAX));
    e->v[at] = line;
    e->n++;
}

static void delete (struct ed *e, size_t from, size_t to)
{
    memmove(e->v + from - 1, e->v + to, (e->n - to) * sizeof *e->v);
    wk_tick(e->p->c, (uint32_t)WK_MIN((e->n - to) / 4 + 1, UINT32_MAX));
    e->n -= to - from + 1;
    e->current = WK_MIN(from, e->n);
}

/* Text up to a lone dot goes behind line `at`. */
static bool take_text(struct ed *e, size_t at, bool run)
{
    struct wk_str line;
    while (wk_patch_next_line(e->p, true, &line)) {
        if (wk_str_eq(line, WK_STR(".\n")))
            return true;
        if (run) {
            insert(e, at++, line);
            e->current = at;
        }
    }
    return false;
}

static bool run_command(struct ed *e, uint64_t from, uint64_t to, char letter, bool *ended)
{
    bool text = letter != 'd' && letter != 's';
    if (from == UINT64_MAX)
        from = to = e->current;
    bool ok = from <= to && to <= e->n && (from > 0 || letter == 'a' || letter == 'i');
    if (letter == 'd' && ok) {
        delete (e, from, to);
    } else if (letter == 's' && ok) {
        struct wk_str *l = &e->v[to - 1];
        ok = l->n > 0 && l->p[0] != '\n';
        if (ok)
            *l = wk_str_from(*l, 1);
        e->current = to;
    } else if (letter == 'c' && ok) {
        delete (e, from, to);
        e->current = from - 1;
    }
    size_t at = letter == 'c' ? from - 1 : letter == 'i' && from ? from - 1 : to;
    if (text && !take_text(e, at, ok))
        *ended = true;
    return ok;
}

bool wk_patch_ed(struct patch *p)
{
    struct ed e = {.p = p};
    struct wk_str line;
    bool ok = true, ended = false;
    for (int64_t i = 0; i < p->n; i++)
        insert(&e, e.n, p->lines[i]);
    if (e.n && e.v[e.n - 1].n && e.v[e.n - 1].p[e.v[e.n - 1].n - 1] != '\n') {
        wk_out_c(p->c->out, "Newline appended\n");
        e.v[e.n - 1] = wk_str_c(wk_strf(p->c, "%.*s\n", (int)e.v[e.n - 1].n, e.v[e.n - 1].p));
    }
    e.current = e.n;
    for (;;) {
        size_t at = p->at;
        int64_t line_no = p->line;
        uint64_t from, to;
        char letter;
        if (!wk_patch_next_line(p, true, &line))
            break;
        if (!parse(line, &from, &to, &letter)) {
            p->at = at;
            p->line = line_no;
            break;
        }
        ok = run_command(&e, from, to, letter, &ended) && ok;
    }
    for (size_t i = 0; i < e.n; i++)
        if (!wk_buf_puts(p->out, e.v[i]))
            wk_heap_exhausted(p->c->heap);
    return ok && !ended;
}
