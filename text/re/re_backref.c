/* re_backref.c - patterns with back-references, by trying
 *
 * Ways through the program are gone one after the other, the preferred ones first, and the first of
 * those that come farthest wins: leftmost-longest, with the groups that a walk of the preferred way
 * has. A place that was passed before with the same text in the groups that are referred to leads
 * nowhere new. So a search takes as much time as there are such places, and not as there are ways:
 * a power of the subject's length, of degree 1 + twice the number of groups that are referred to.
 * The work is counted, and bounded: too much of it is an error.
 */
#include "text/re/re_backref.h"

enum {
    NOTE_AFTER = 64,       /* steps of a try without notes of where it has been */
    WORK_UNIT = 64,        /* steps between two reports of work */
    MOST_STEPS = 10000000, /* and some for each byte of the subject */
    STEPS_PER_BYTE = 64,
    MOST_NOTES = 64 << 20, /* bytes */
    MOST_TRAIL = 64 << 20
};

/* What is done when a way comes to nothing: go on elsewhere, or take back what it did to the
 * groups. */
enum undo_kind { UNDO_WAY, UNDO_SPAN, UNDO_KEPT, UNDO_ALL };

struct undo {
    uint32_t kind, which;   /* WAY: the place; SPAN: the group; KEPT: the snapshot that was kept,
                               SNAPSHOT_NONE */
    struct wk_re_span span; /* WAY: start = where; SPAN: what it was */
};
#define SNAPSHOT_NONE UINT32_MAX

struct wk_re_back {
    struct wk_mem *mem;
    const struct wk_re_prog *p;
    uint32_t ngroups;      /* with the whole */
    uint32_t *refs, nrefs; /* groups that are referred to */
    bool *starts;          /* [class]: a match can begin with such a character */
    bool anywhere;         /* a match need not begin with any */
    uint32_t required;     /* every match has a character of this set; UINT32_MAX: not known */
    bool icase;
    struct wk_re_span *now; /* [ngroups] */
    struct undo *trail;
    size_t trail_n, trail_cap;
    struct wk_re_span *snaps;  /* copies of `now`, the last ones first to go */
    size_t snaps_n, snaps_cap; /* in copies */
    uint32_t kept;             /* the snapshot of the last group that was not empty */
    uint64_t *notes;           /* rows of words: place, where, spans */
    size_t notes_n, notes_cap, note_words;
    uint64_t *table; /* of notes: the try, and the number + 1 */
    size_t table_cap;
    uint32_t attempt;
};

/* One search. */
struct hunt {
    struct wk_re_back *b;
    struct wk_re_run *run;
    const struct wk_re_scan *scan;
    struct wk_re_span *spans;
    size_t n;
    size_t steps, begun, limit; /* begun: the steps before this try */
    bool found;
    size_t end; /* the farthest so far */
};

/* ---- making ---- */

void wk_re_back_free(struct wk_re_back *b)
{
    if (!b)
        return;
    wk_free(b->mem, b->refs);
    wk_free(b->mem, b->starts);
    wk_free(b->mem, b->now);
    wk_free(b->mem, b->trail);
    wk_free(b->mem, b->snaps);
    wk_free(b->mem, b->notes);
    wk_free(b->mem, b->table);
    wk_free(b->mem, b);
}

/* Which characters a match may begin with: those of the places that come first. */
static bool find_starts(struct wk_re_back *b)
{
    const struct wk_re_prog *p = b->p;
    uint32_t *queue = wk_alloc(b->mem, (2 * (size_t)p->n + 2) * sizeof *queue);
    bool *seen = queue ? wk_zalloc(b->mem, p->n) : NULL;
    size_t tail = 0;
    if (!seen) {
        wk_free(b->mem, queue);
        return false;
    }
    queue[tail++] = p->start;
    while (tail) {
        uint32_t i = queue[--tail];
        const struct wk_re_inst *in = &p->inst[i];
        if (seen[i])
            continue;
        seen[i] = true;
        if (in->op == WK_RE_OP_SET) {
            const uint64_t *member = p->member + (size_t)in->arg * p->words;
            for (uint32_t c = 0; c < p->classes; c++)
                b->starts[c] = b->starts[c] || (member[c >> 6] >> (c & 63) & 1);
        } else if (in->op == WK_RE_OP_MATCH || in->op == WK_RE_OP_BACKREF) {
            b->anywhere = true;
        } else {
            queue[tail++] = in->x;
            if (in->op == WK_RE_OP_SPLIT)
                queue[tail++] = in->y;
        }
    }
    wk_free(b->mem, seen);
    wk_free(b->mem, queue);
    return true;
}

static bool find_refs(struct wk_re_back *b)
{
    bool *known = wk_zalloc(b->mem, b->ngroups);
    b->refs = wk_alloc(b->mem, b->ngroups * sizeof *b->refs);
    for (uint32_t i = 0; known && b->refs && i < b->p->n; i++) {
        const struct wk_re_inst *in = &b->p->inst[i];
        if (in->op == WK_RE_OP_BACKREF && !known[in->arg]) {
            known[in->arg] = true;
            b->refs[b->nrefs++] = in->arg;
        }
    }
    wk_free(b->mem, known);
    return known && b->refs;
}

uint32_t wk_re_back_required(const struct wk_re_node *n)
{
    uint32_t set = UINT32_MAX;
    if (n->kind == WK_RE_SET)
        return n->arg;
    if (n->kind == WK_RE_GROUP || n->kind == WK_RE_CAT || (n->kind == WK_RE_REPEAT && n->min > 0))
        for (const struct wk_re_node *c = n->last; c && set == UINT32_MAX; c = c->prev)
            set = wk_re_back_required(c);
    return set;
}

struct wk_re_back *wk_re_back_new(struct wk_re *re, const struct wk_re_prog *p, uint32_t required)
{
    struct wk_re_back *b = WK_NEW(re->mem, struct wk_re_back);
    if (!b)
        return NULL;
    b->mem = re->mem;
    b->p = p;
    b->ngroups = re->groups + 1;
    b->icase = re->flags & WK_RE_ICASE;
    b->required = required;
    b->now = wk_alloc(b->mem, b->ngroups * sizeof *b->now);
    b->starts = wk_zalloc(b->mem, p->classes);
    if (!b->now || !b->starts || !find_refs(b) || !find_starts(b)) {
        wk_re_back_free(b);
        return NULL;
    }
    b->note_words = 2 + 2 * (size_t)b->nrefs;
    return b;
}

/* ---- room ---- */

/* Room for one more of `size` bytes behind n of them, of at most so many bytes. 0 or a code. */
static int grow(struct wk_re_back *b, void **block, size_t n, size_t *cap, size_t size, size_t most)
{
    if (n < *cap)
        return 0;
    size_t more = *cap ? *cap * 2 : 64;
    if (more > most / size)
        return -WK_ELIMIT;
    void *bigger = wk_realloc(b->mem, *block, more * size);
    if (!bigger)
        return -WK_ENOMEM;
    *block = bigger;
    *cap = more;
    return 0;
}

static int push(struct wk_re_back *b, enum undo_kind kind, uint32_t which, struct wk_re_span span)
{
    void *block = b->trail;
    int err = grow(b, &block, b->trail_n, &b->trail_cap, sizeof *b->trail, MOST_TRAIL);
    b->trail = block;
    if (!err)
        b->trail[b->trail_n++] = (struct undo){(uint32_t)kind, which, span};
    return err;
}

/* A copy of all groups as they are. */
static int take_snapshot(struct wk_re_back *b)
{
    void *block = b->snaps;
    int err = grow(b, &block, b->snaps_n, &b->snaps_cap, b->ngroups * sizeof *b->snaps, MOST_TRAIL);
    b->snaps = block;
    if (!err)
        memcpy(b->snaps + b->snaps_n++ * b->ngroups, b->now, b->ngroups * sizeof *b->now);
    return err;
}

/* ---- where a try has been ---- */

static uint64_t hash_note(const uint64_t *note, size_t words)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t k = 0; k < words; k++) {
        h = (h ^ note[k]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

static int grow_table(struct wk_re_back *b)
{
    size_t cap = b->table_cap ? b->table_cap * 2 : 256;
    uint64_t *table = wk_zalloc(b->mem, cap * sizeof *table);
    if (!table)
        return -WK_ENOMEM;
    for (size_t k = 0; k < b->notes_n; k++) {
        size_t at = (size_t)hash_note(b->notes + k * b->note_words, b->note_words) & (cap - 1);
        while (table[at])
            at = (at + 1) & (cap - 1);
        table[at] = (uint64_t)b->attempt << 32 | (k + 1);
    }
    wk_free(b->mem, b->table);
    b->table = table;
    b->table_cap = cap;
    return 0;
}

/* Notes the place; 1 when it was there already, 0, or a code. */
static int note_place(struct wk_re_back *b, uint32_t place, size_t at)
{
    void *block = b->notes;
    int err =
        grow(b, &block, b->notes_n, &b->notes_cap, b->note_words * sizeof *b->notes, MOST_NOTES);
    b->notes = block;
    if (!err && (b->notes_n + 1) * 2 > b->table_cap)
        err = grow_table(b);
    if (err)
        return err;
    uint64_t *note = b->notes + b->notes_n * b->note_words;
    note[0] = place;
    note[1] = at;
    for (uint32_t k = 0; k < b->nrefs; k++) {
        note[2 + 2 * k] = (uint64_t)b->now[b->refs[k]].start;
        note[3 + 2 * k] = (uint64_t)b->now[b->refs[k]].end;
    }
    size_t i = (size_t)hash_note(note, b->note_words) & (b->table_cap - 1);
    for (; b->table[i] >> 32 == b->attempt; i = (i + 1) & (b->table_cap - 1)) {
        const uint64_t *other = b->notes + ((b->table[i] & UINT32_MAX) - 1) * b->note_words;
        if (memcmp(other, note, b->note_words * sizeof *note) == 0)
            return 1;
    }
    b->table[i] = (uint64_t)b->attempt << 32 | ++b->notes_n;
    return 0;
}

/* ---- ways ---- */

static unsigned side_before(const struct hunt *h, size_t at)
{
    uint32_t cls;
    if (at == 0)
        return h->scan->left;
    wk_re_class_before(h->b->p, h->scan->s.p, at, &cls);
    return h->b->p->side[cls];
}

static unsigned side_after(const struct hunt *h, size_t at)
{
    uint32_t cls;
    if (at >= h->scan->s.n)
        return h->scan->right;
    wk_re_class_at_byte(h->b->p, h->scan->s.p + at, h->scan->s.n - at, &cls);
    return h->b->p->side[cls];
}

/* The same text, or the same but for case. */
static bool same_text(const struct wk_re_back *b, const char *x, const char *y, size_t n)
{
    if (!b->icase)
        return memcmp(x, y, n) == 0;
    for (size_t i = 0, k = 0; i < n && k < n;) {
        uint32_t c = (unsigned char)x[i], d = (unsigned char)y[k];
        i += b->p->utf8 ? wk_utf8_next(x + i, n - i, &c) : 1;
        k += b->p->utf8 ? wk_utf8_next(y + k, n - k, &d) : 1;
        bool folds = b->p->utf8 || (c < 128 && d < 128);
        if (c != d && !(folds && wk_utf8_upper(c) == wk_utf8_upper(d)))
            return false;
    }
    return true;
}

/* As a walk of the known way does it: see re_capture.c. */
static int save(struct wk_re_back *b, const struct wk_re_inst *in, size_t where)
{
    size_t g = in->arg / 2;
    ptrdiff_t at = (ptrdiff_t)where;
    struct wk_re_span *span = &b->now[g], none = {-1, -1};
    const struct wk_re_span *kept =
        b->kept == SNAPSHOT_NONE ? NULL : b->snaps + (size_t)b->kept * b->ngroups;
    int err;
    if (in->arg % 2 && span->start >= at && in->optional && kept && kept[g].start >= 0) {
        uint32_t before = (uint32_t)b->snaps_n;
        err = take_snapshot(b);
        if (!err)
            err = push(b, UNDO_ALL, before, none);
        if (!err) /* the snapshots may have moved */
            memcpy(b->now, b->snaps + (size_t)b->kept * b->ngroups, b->ngroups * sizeof *b->now);
        return err;
    }
    err = push(b, UNDO_SPAN, (uint32_t)g, *span);
    if (err)
        return err;
    if (in->arg % 2 == 0) {
        *span = (struct wk_re_span){at, -1};
        return 0;
    }
    span->end = at;
    if (span->start >= at)
        return 0;
    err = push(b, UNDO_KEPT, b->kept, none);
    if (!err)
        err = take_snapshot(b);
    if (!err)
        b->kept = (uint32_t)(b->snaps_n - 1);
    return err;
}

/* Takes back what was done since the last way that is left; false when there is none. */
static bool next_way(struct wk_re_back *b, uint32_t *place, size_t *at)
{
    while (b->trail_n) {
        const struct undo *u = &b->trail[--b->trail_n];
        switch ((enum undo_kind)u->kind) {
        case UNDO_WAY:
            *place = u->which;
            *at = (size_t)u->span.start;
            return true;
        case UNDO_SPAN:
            b->now[u->which] = u->span;
            break;
        case UNDO_KEPT:
            b->kept = u->which;
            b->snaps_n--;
            break;
        case UNDO_ALL:
            memcpy(b->now, b->snaps + (size_t)u->which * b->ngroups, b->ngroups * sizeof *b->now);
            b->snaps_n = u->which;
            break;
        }
    }
    return false;
}

/* One more step: counted. */
static int count_step(struct hunt *h)
{
    if (++h->steps > h->limit)
        return -WK_ELIMIT;
    return h->steps % WORK_UNIT ? 0 : wk_re_work(h->run, WORK_UNIT * 4);
}

/* The end is reached: the first and farthest counts. */
static void arrive(struct hunt *h, size_t start, size_t at)
{
    if (h->found && at <= h->end)
        return;
    h->found = true;
    h->end = at;
    for (size_t g = 1; g < h->n; g++) {
        bool set = g < h->b->ngroups && h->b->now[g].end >= 0;
        h->spans[g] = set ? h->b->now[g] : (struct wk_re_span){-1, -1};
    }
    if (h->n)
        h->spans[0] = (struct wk_re_span){(ptrdiff_t)start, (ptrdiff_t)at};
}

/* Where the way goes on from a place at *at, which moves past what the place takes; UINT32_MAX:
 * nowhere. */
static int go(struct hunt *h, uint32_t place, size_t *at, uint32_t *to)
{
    struct wk_re_back *b = h->b;
    const struct wk_re_inst *in = &b->p->inst[place];
    struct wk_str s = h->scan->s;
    uint32_t cls;
    size_t n;
    *to = UINT32_MAX;
    switch ((enum wk_re_op)in->op) {
    case WK_RE_OP_SET:
        if (*at >= s.n)
            return 0;
        n = wk_re_class_at_byte(b->p, s.p + *at, s.n - *at, &cls);
        if (!(b->p->member[(size_t)in->arg * b->p->words + (cls >> 6)] >> (cls & 63) & 1))
            return 0;
        *at += n;
        break;
    case WK_RE_OP_BACKREF:
        if (b->now[in->arg].end < 0)
            return 0;
        n = (size_t)(b->now[in->arg].end - b->now[in->arg].start);
        if (n > s.n - *at || !same_text(b, s.p + b->now[in->arg].start, s.p + *at, n))
            return 0;
        *at += n;
        break;
    case WK_RE_OP_ASSERT:
        if (!wk_re_assert_holds(b->p, in->arg, side_before(h, *at), side_after(h, *at)))
            return 0;
        break;
    case WK_RE_OP_SAVE:
        *to = in->x;
        return save(b, in, *at);
    case WK_RE_OP_SPLIT:
        if (h->steps - h->begun > NOTE_AFTER) {
            int r = note_place(b, place, *at);
            if (r)
                return r < 0 ? r : 0;
        }
        *to = in->x;
        return push(b, UNDO_WAY, in->y, (struct wk_re_span){(ptrdiff_t)*at, 0});
    case WK_RE_OP_MATCH:
        return 0;
    }
    *to = in->x;
    return 0;
}

/* All ways from one start. */
static int try_at(struct hunt *h, size_t start)
{
    struct wk_re_back *b = h->b;
    uint32_t place = b->p->start;
    size_t at = start;
    for (uint32_t g = 0; g < b->ngroups; g++)
        b->now[g] = (struct wk_re_span){-1, -1};
    b->trail_n = b->snaps_n = b->notes_n = 0;
    b->kept = SNAPSHOT_NONE;
    h->begun = h->steps;
    if (++b->attempt == 0) { /* what the table holds could be taken for news */
        b->attempt = 1;
        if (b->table)
            memset(b->table, 0, b->table_cap * sizeof *b->table);
    }
    for (;;) {
        uint32_t to;
        int err = count_step(h);
        if (!err)
            err = go(h, place, &at, &to);
        if (err)
            return err;
        if (to == UINT32_MAX) {
            if (b->p->inst[place].op == WK_RE_OP_MATCH) {
                arrive(h, start, at);
                if (h->n == 0 || at == h->scan->s.n)
                    return 1;
            }
            if (!next_way(b, &to, &at))
                return h->found;
        }
        place = to;
    }
}

/* The next place from `at` on where a match may begin; past the end when there is none. */
static size_t next_start(const struct hunt *h, size_t at)
{
    const struct wk_re_back *b = h->b;
    struct wk_str s = h->scan->s;
    while (!b->anywhere && at < s.n) {
        uint32_t cls = b->p->byte_class[(unsigned char)s.p[at]];
        size_t n = cls == WK_RE_DECODE ? wk_re_class_at_byte(b->p, s.p + at, s.n - at, &cls) : 1;
        if (b->starts[cls])
            break;
        at += n;
    }
    return b->anywhere || at < s.n ? at : s.n + 1;
}

static bool has_required(const struct wk_re_back *b, struct wk_str s, size_t at)
{
    if (b->required == UINT32_MAX)
        return true;
    const uint64_t *member = b->p->member + (size_t)b->required * b->p->words;
    while (at < s.n) {
        uint32_t cls = b->p->byte_class[(unsigned char)s.p[at]];
        size_t n = cls == WK_RE_DECODE ? wk_re_class_at_byte(b->p, s.p + at, s.n - at, &cls) : 1;
        if (member[cls >> 6] >> (cls & 63) & 1)
            return true;
        at += n;
    }
    return false;
}

static int search(struct hunt *h, size_t from)
{
    const struct wk_re_prog *p = h->b->p;
    struct wk_str s = h->scan->s;
    for (size_t at = from;;) {
        uint32_t cls;
        size_t begin = at;
        at = p->anchored ? at : next_start(h, at);
        int err = wk_re_work(h->run, at - begin + 1);
        if (err)
            return err;
        if (at > s.n)
            return 0;
        int r = try_at(h, at);
        if (r || p->anchored || at == s.n)
            return r;
        at += wk_re_class_at_byte(p, s.p + at, s.n - at, &cls);
    }
}

int wk_re_back_search(struct wk_re_back *b, struct wk_re_run *run, struct wk_str s, size_t from,
                      struct wk_re_span *spans, size_t n)
{
    struct wk_re_scan scan = {.s = s, .from = from};
    struct hunt h = {.b = b, .run = run, .scan = &scan, .spans = spans, .n = n};
    scan.left = run && run->not_bol ? WK_RE_SIDE_EDGE_OFF : WK_RE_SIDE_EDGE;
    scan.right = run && run->not_eol ? WK_RE_SIDE_EDGE_OFF : WK_RE_SIDE_EDGE;
    h.limit =
        (run && run->pcre_limit ? run->pcre_limit : (size_t)MOST_STEPS) + STEPS_PER_BYTE * s.n;
    if (b->p->anchored && from > 0)
        return 0;
    return has_required(b, s, from) ? search(&h, from) : wk_re_work(run, s.n - from);
}
