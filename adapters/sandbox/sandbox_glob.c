/* sandbox_glob.c - patterns of paths
 *
 * Braces are written out first, so that a pattern is a few rows of parts. All rows are followed at once, name by name
 * from the top: what may come next is a set of parts, and a directory for which it is empty is not looked into.
 */
#include "adapters/sandbox/sandbox_walk.h"

#include "text/pattern/pattern.h"

enum { ROWS = 256, ROW_BYTES = 1 << 20 };

struct wk_box_glob_part {
    const struct wk_pattern *pattern; /* NULL: ** */
    bool last, dir;                   /* of its row; and only directories */
};

/* ---- braces -------------------------------------------------------------------------------------- */

/* The first {…,…} of a text: where it begins, its length. False: there is none. */
static bool find_braces(struct wk_str s, size_t *at, size_t *n)
{
    struct {
        uint16_t at;
        bool comma;
    } open[WK_REQUEST_PATH];
    size_t depth = 0;
    *at = s.n;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\\') {
            i++;
        } else if (c == '{') {
            open[depth].at = (uint16_t)i;
            open[depth++].comma = false;
        } else if (c == ',' && depth) {
            open[depth - 1].comma = true;
        } else if (c == '}' && depth && open[--depth].comma && open[depth].at < *at) {
            *at = open[depth].at;
            *n = i + 1 - *at;
        }
    }
    return *at < s.n;
}

struct rows {
    struct wk_arena *arena;
    struct wk_str v[ROWS];
    size_t n, bytes;
};

/* Adds head + middle + tail. WHELK_OK, NOMEM, NOSPACE: too many. */
static int add_row(struct rows *r, struct wk_str head, struct wk_str middle, struct wk_str tail)
{
    size_t n = head.n + middle.n + tail.n;
    if (r->n == ROWS || (r->bytes += n) > ROW_BYTES)
        return WHELK_E_NOSPACE;
    char *p = wk_arena_alloc(r->arena, n + 1);
    if (!p)
        return WHELK_E_NOMEM;
    memcpy(p, head.p, head.n);
    memcpy(p + head.n, middle.p, middle.n);
    memcpy(p + head.n + middle.n, tail.p, tail.n);
    p[n] = 0;
    r->v[r->n++] = wk_str(p, n);
    return WHELK_OK;
}

/* Writes the braces of row i out: its first alternative takes its place, the others go to the end. */
static int write_out(struct rows *r, size_t i, size_t at, size_t n)
{
    struct wk_str s = r->v[i], head = wk_str_take(s, at), tail = wk_str_from(s, at + n);
    size_t depth = 0, from = at + 1;
    int code = WHELK_OK;
    for (size_t k = at; k < at + n && !code; k++) {
        char c = s.p[k];
        if (c == '\\') {
            k++;
        } else if (c == '{') {
            depth++;
        } else if ((c == ',' && depth == 1) || (c == '}' && --depth == 0)) {
            code = add_row(r, head, wk_str(s.p + from, k - from), tail);
            from = k + 1;
        }
    }
    if (!code) /* the last of them takes its place */
        r->v[i] = r->v[--r->n];
    return code;
}

/* ---- compiling ----------------------------------------------------------------------------------- */

static void add_state(const struct wk_box_glob *g, struct wk_box_glob_state *s, size_t i)
{
    for (;; i++) {
        s->at[i / 64] |= (uint64_t)1 << (i % 64);
        if (g->parts[i].pattern || g->parts[i].last)
            return; /* ** may also be nothing */
    }
}

static int add_part(struct wk_box_glob *g, struct wk_str name)
{
    if (g->n == WK_BOX_GLOB_PARTS)
        return WHELK_E_NOSPACE;
    struct wk_box_glob_part *p = &g->parts[g->n++];
    *p = (struct wk_box_glob_part){.pattern = NULL};
    if (wk_str_is(name, "**"))
        return WHELK_OK;
    unsigned flags = g->hidden ? 0 : WK_PATTERN_PERIOD;
    return wk_pattern_compile(&g->arena, name, flags, &p->pattern) ? WHELK_E_NOMEM : WHELK_OK;
}

/* Adds the parts of a row. INVALID: it has none, or "..". */
static int add_parts(struct wk_box_glob *g, struct wk_str row)
{
    size_t first = g->n;
    bool dir = row.n && row.p[row.n - 1] == '/';
    ptrdiff_t slash = wk_str_chr(wk_str_take(row, row.n - dir), '/');
    int code = slash < 0 ? add_part(g, WK_STR("**")) : WHELK_OK;
    while (row.n && !code) {
        ptrdiff_t at = wk_str_chr(row, '/');
        struct wk_str name = wk_str_take(row, at < 0 ? row.n : (size_t)at);
        row = wk_str_from(row, name.n + 1);
        if (wk_str_is(name, ".."))
            code = WHELK_E_INVALID;
        else if (name.n && !wk_str_is(name, "."))
            code = add_part(g, name);
    }
    if (code || g->n == first + (slash < 0))
        return code ? code : WHELK_E_INVALID;
    g->parts[g->n - 1].last = true;
    g->parts[g->n - 1].dir = dir;
    add_state(g, &g->start, first);
    return WHELK_OK;
}

static int compile(struct wk_box_glob *g, const char *text)
{
    struct rows *r = wk_arena_zalloc(&g->arena, sizeof *r);
    g->parts = r ? wk_arena_zalloc(&g->arena, WK_BOX_GLOB_PARTS * sizeof *g->parts) : NULL;
    if (!g->parts)
        return WHELK_E_NOMEM;
    r->arena = &g->arena;
    int code = add_row(r, wk_str_c(text), WK_STR(""), WK_STR(""));
    size_t at, n;
    for (size_t i = 0; i < r->n && !code;)
        if (find_braces(r->v[i], &at, &n))
            code = write_out(r, i, at, n);
        else
            i++;
    for (size_t i = 0; i < r->n && !code; i++)
        code = add_parts(g, r->v[i]);
    return code;
}

int wk_box_glob_init(struct whelk_sandbox *b, const char *text, bool hidden, struct wk_box_glob *g)
{
    *g = (struct wk_box_glob){.hidden = hidden};
    wk_arena_init(&g->arena, b->mem);
    if (!*text || strlen(text) > WK_REQUEST_PATH)
        return wk_sandbox_fail(b, WHELK_E_INVALID, "a pattern is %s", *text ? "too long" : "empty");
    int code = compile(g, text);
    if (code == WHELK_E_NOMEM)
        return wk_box_no_memory(b);
    if (code == WHELK_E_NOSPACE)
        return wk_sandbox_fail(b, WHELK_E_INVALID, "%s: the pattern has too many alternatives or parts", text);
    return code ? wk_sandbox_fail(b, code, "%s: no pattern of paths below a directory", text) : WHELK_OK;
}

void wk_box_glob_release(struct wk_box_glob *g)
{
    wk_arena_release(&g->arena);
}

/* ---- matching ------------------------------------------------------------------------------------ */

int wk_box_glob_step(const struct wk_box_glob *g, struct wk_mem *m, const struct wk_box_glob_state *from,
                     struct wk_str name, bool dir, struct wk_box_glob_state *to)
{
    struct wk_pattern_run run = {.mem = m};
    bool hidden = name.n && name.p[0] == '.' && !g->hidden, matched = false;
    memset(to, 0, sizeof *to);
    for (size_t word = 0; word < WK_COUNTOF(from->at); word++)
        for (uint64_t left = from->at[word]; left; left &= left - 1) {
            size_t i = word * 64 + (size_t)__builtin_ctzll(left);
            const struct wk_box_glob_part *p = &g->parts[i];
            int fits = p->pattern ? wk_pattern_match(p->pattern, &run, name) : !hidden;
            if (fits < 0)
                return WHELK_E_NOMEM;
            if (fits && p->last)
                matched |= dir || !p->dir;
            if (fits && (!p->pattern || !p->last))
                add_state(g, to, p->pattern ? i + 1 : i);
        }
    return matched;
}

bool wk_box_glob_dead(const struct wk_box_glob_state *s)
{
    uint64_t all = 0;
    for (size_t i = 0; i < WK_COUNTOF(s->at); i++)
        all |= s->at[i];
    return !all;
}
