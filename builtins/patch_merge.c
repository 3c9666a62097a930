/* patch_merge.c - patch: hunks that are merged into what the file has become
 *
 * The lines of the file that are nearest to the hunk's old lines are found by their distance (lines to be taken out
 * and put in). Then the two ways on from the old lines, that of the file and that of the hunk, are walked side by
 * side: where only one of them changed anything, that is taken; where both did, differently, there is a conflict.
 */
#include "builtins/patch.h"

enum { MERGE_CELLS = 1 << 26 };

struct merge {
    struct patch *p;
    int64_t at;    /* the file's lines begin here, counted from 0 */
    size_t n;      /* how many */
    int64_t *mate; /* of each old line: the line of the file that is the same, from `at`; -1: none */
    int64_t *heir; /* of each old line: the new line that it stays as; -1: it goes */
    bool mismatch; /* the file differs from the old lines */
    struct wk_buf *places; /* what was done, and where */
    int last;              /* what was noted last; -1: nothing */
    bool known, conflict;  /* something was there already; is in conflict */
};

enum { MERGED, APPLIED, CONFLICT };

static const struct patch_side *side(const struct merge *m, int which)
{
    return &m->p->hunk.side[which];
}

static bool same(const struct merge *m, size_t old, int64_t line)
{
    wk_tick(m->p->c, 1);
    return wk_patch_line_same(m->p, m->p->lines[line], side(m, 0)->v[old].text);
}

/* ---- the nearest lines ------------------------------------------------------------------------- */

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

/* The part of the file from `from` on with the least distance, near the line `guess`. */
static void find_nearest(struct merge *m, int64_t from, int64_t guess)
{
    size_t rows = side(m, 0)->n;
    int64_t *cost = wk_new_n(m->p->c, int64_t, rows + 1), *start = wk_new_n(m->p->c, int64_t, rows + 1);
    int64_t best = INT64_MAX, best_far = INT64_MAX;
    for (size_t i = 0; i <= rows; i++) {
        cost[i] = (int64_t)i;
        start[i] = from;
    }
    const struct patch_hunk *h = &m->p->hunk;
    bool at_start = h->prefix < h->suffix && h->side[0].first <= 1, at_end = h->suffix < h->prefix;
    for (int64_t j = from; j <= m->p->n; j++) {
        int64_t far = distance(start[rows], guess);
        if (at_end && j < m->p->n)
            far = INT64_MAX;
        else if (cost[rows] < best || (cost[rows] == best && far <= best_far)) {
            best = cost[rows];
            best_far = far;
            m->at = start[rows];
            m->n = (size_t)(j - start[rows]);
        }
        if (j == m->p->n)
            break;
        int64_t diagonal = cost[0], diagonal_start = start[0];
        if (at_start)
            cost[0]++;
        else
            start[0] = j + 1;
        for (size_t i = 1; i <= rows; i++) {
            int64_t up = cost[i - 1] + 1, left = cost[i] + 1, old = cost[i], old_start = start[i];
            bool equal = same(m, i - 1, j);
            int64_t up_far = distance(start[i - 1], guess), left_far = distance(start[i], guess);
            if (equal && diagonal <= up && diagonal <= left) {
                cost[i] = diagonal;
                start[i] = diagonal_start;
            } else if (left < up || (left == up && left_far <= up_far)) {
                cost[i] = left;
            } else {
                cost[i] = up;
                start[i] = start[i - 1];
            }
            diagonal = old;
            diagonal_start = old_start;
        }
    }
    wk_heap_free(m->p->c->heap, cost);
    wk_heap_free(m->p->c->heap, start);
}

/* Which lines of that part are the old ones: a longest common sequence. */
static void pair_lines(struct merge *m)
{
    size_t rows = side(m, 0)->n, columns = m->n + 1;
    if (rows && columns > MERGE_CELLS / (rows + 1))
        PATCH_FATAL(m->p, "hunk too large to be merged");
    uint32_t *t = wk_new_n(m->p->c, uint32_t, (rows + 1) * columns);
    for (size_t i = rows; i-- > 0;)
        for (size_t j = m->n; j-- > 0;) {
            uint32_t down = t[(i + 1) * columns + j], right = t[i * columns + j + 1];
            t[i * columns + j] =
                same(m, i, m->at + (int64_t)j) ? t[(i + 1) * columns + j + 1] + 1 : WK_MAX(down, right);
        }
    for (size_t i = 0, j = 0; i < rows && j < m->n;) {
        if (same(m, i, m->at + (int64_t)j))
            m->mate[i++] = (int64_t)j++;
        else if (t[(i + 1) * columns + j] >= t[i * columns + j + 1])
            i++;
        else
            j++;
    }
    wk_heap_free(m->p->c->heap, t);
}

static void find_heirs(struct merge *m)
{
    const struct patch_side *a = side(m, 0), *z = side(m, 1);
    for (size_t i = 0, j = 0; i < a->n; i++) {
        if (a->v[i].mark != ' ')
            continue;
        while (j < z->n && z->v[j].mark != ' ')
            j++;
        if (j >= z->n)
            break;
        m->heir[i] = (int64_t)j++;
    }
}

/* ---- merging ----------------------------------------------------------------------------------- */

/* Lines [i0, i) of a side of the hunk, or of the file. */
struct part {
    size_t i0, i;
};

static struct wk_str file_line(const struct merge *m, size_t i)
{
    return m->p->lines[m->at + (int64_t)i];
}

static bool file_is(struct merge *m, struct part f, int which, struct part x)
{
    bool equal = f.i - f.i0 == x.i - x.i0;
    for (size_t k = 0; equal && k < f.i - f.i0; k++) {
        wk_tick(m->p->c, 1);
        equal = wk_patch_line_same(m->p, file_line(m, f.i0 + k), side(m, which)->v[x.i0 + k].text);
    }
    return equal;
}

static bool unchanged(struct merge *m, struct part o, struct part z)
{
    bool equal = o.i - o.i0 == z.i - z.i0;
    for (size_t k = 0; equal && k < o.i - o.i0; k++)
        equal = wk_str_eq(side(m, 0)->v[o.i0 + k].text, side(m, 1)->v[z.i0 + k].text);
    return equal;
}

static void note(struct merge *m, int kind, int64_t from, int64_t to)
{
    static const char *const words[] = {"merged", "already applied", "NOT MERGED"};
    struct wk_buf *b = m->places;
    if (kind == m->last)
        wk_buf_putc(b, ',');
    else
        (void)wk_buf_fmt(b, "%s%s at ", b->n ? ", " : "", words[kind]);
    if (to > from)
        (void)wk_buf_fmt(b, "%lld-%lld", (long long)from, (long long)to);
    else
        (void)wk_buf_fmt(b, "%lld", (long long)from);
    m->last = kind;
    m->known = m->known || kind == APPLIED;
    m->conflict = m->conflict || kind == CONFLICT;
}

static void put_part(struct merge *m, int which, struct part x)
{
    for (size_t k = x.i0; k < x.i; k++)
        wk_patch_put_line(m->p, side(m, which)->v[k].text);
}

static void put_file(struct merge *m, struct part f)
{
    for (size_t k = f.i0; k < f.i; k++)
        wk_patch_put_line(m->p, file_line(m, k));
}

static void put_conflict(struct merge *m, struct part f, struct part o, struct part z)
{
    struct patch *p = m->p;
    while (f.i0 < f.i && z.i0 < z.i && wk_patch_line_same(p, file_line(m, f.i0), side(m, 1)->v[z.i0].text)) {
        wk_patch_put_line(p, file_line(m, f.i0++));
        z.i0++;
    }
    struct part tail = {f.i, f.i};
    while (f.i0 < f.i && z.i0 < z.i && wk_patch_line_same(p, file_line(m, f.i - 1), side(m, 1)->v[z.i - 1].text)) {
        f.i--;
        z.i--;
        tail.i0--;
    }
    int64_t from = p->out_lines + 1;
    wk_patch_put_line(p, WK_STR("<<<<<<<\n"));
    put_file(m, f);
    if (p->o->merge == PATCH_MERGE_DIFF3) {
        wk_patch_put_line(p, WK_STR("|||||||\n"));
        put_part(m, 0, o);
    }
    wk_patch_put_line(p, WK_STR("=======\n"));
    put_part(m, 1, z);
    wk_patch_put_line(p, WK_STR(">>>>>>>\n"));
    note(m, CONFLICT, from, p->out_lines);
    put_file(m, tail);
}

static void put_chunk(struct merge *m, struct part f, struct part o, struct part z)
{
    int64_t from = m->p->out_lines + 1;
    if (unchanged(m, o, z)) {
        put_file(m, f);
    } else if (file_is(m, f, 0, o)) {
        put_part(m, 1, z);
        note(m, MERGED, from, m->p->out_lines);
    } else if (file_is(m, f, 1, z)) {
        put_file(m, f);
        note(m, APPLIED, from, m->p->out_lines);
    } else {
        put_conflict(m, f, o, z);
    }
}

static void merge_lines(struct merge *m)
{
    struct part f = {0, 0}, o = {0, 0}, z = {0, 0};
    size_t rows = side(m, 0)->n;
    for (; o.i < rows; o.i++) {
        if (m->mate[o.i] < 0 || m->heir[o.i] < 0)
            continue;
        f.i = (size_t)m->mate[o.i];
        z.i = (size_t)m->heir[o.i];
        put_chunk(m, f, o, z);
        wk_patch_put_line(m->p, file_line(m, f.i));
        f.i0 = f.i + 1;
        z.i0 = z.i + 1;
        o.i0 = o.i + 1;
    }
    f.i = m->n;
    z.i = side(m, 1)->n;
    put_chunk(m, f, o, z);
}

static void report(struct merge *m, int number)
{
    struct patch *p = m->p;
    bool told = p->o->volume == PATCH_VERBOSE || (p->o->volume != PATCH_SILENT && m->mismatch);
    if (m->places->n && (m->known || m->conflict || told))
        PATCH_SAY(p, "Hunk #%d %s.\n", number, wk_buf_c(m->places));
}

bool wk_patch_merge_hunk(struct patch *p, int number, int64_t where)
{
    struct merge m = {.p = p, .at = where - 1, .n = p->hunk.side[0].n, .mismatch = !where, .last = -1};
    size_t rows = p->hunk.side[0].n;
    m.mate = wk_new_n(p->c, int64_t, rows + 1);
    m.heir = wk_new_n(p->c, int64_t, rows + 1);
    for (size_t i = 0; i < rows; i++)
        m.mate[i] = m.heir[i] = -1;
    m.places = wk_cmd_buf(p->c, SIZE_MAX / 2);
    if (!where)
        find_nearest(&m, p->taken, p->hunk.side[0].first + p->in_offset - 1);
    m.at = WK_MIN(m.at, p->n);
    pair_lines(&m);
    find_heirs(&m);
    wk_patch_copy_till(p, m.at + 1);
    merge_lines(&m);
    p->taken = m.at + (int64_t)m.n;
    report(&m, number);
    return !m.conflict;
}
