/* sandbox_read.c - contents of files out of a sandbox: bytes, lines, many files at once */
#include "adapters/sandbox/code.h"
#include "adapters/sandbox/sandbox_request.h"
#include "base/utf8.h"

enum {
    LINES = 2000,      /* of a range of lines that names no limit */
    PIECE = 64 << 20,  /* bytes of a file that are asked for at once when its lines are counted */
    DOWNLOAD = 1 << 30 /* bytes of one call's files */
};

/* ---- bytes and lines ----------------------------------------------------------------------------- */

struct reading {
    struct whelk_sandbox *box;
    const char *path;
    uint64_t at;      /* bytes asked for and come */
    uint64_t piece;   /* of them by the request that is under way */
    uint64_t size;    /* of the file, as it was told last */
    bool lines;
    uint64_t first, last; /* lines that are kept */
    uint64_t line;    /* newlines that came */
    char final;       /* the last byte that came */
    bool over;        /* no more is wanted, or there is none */
    bool asked;
    uint64_t limit;
    int code;
    struct wk_buf kept;
};

/* The part of p[0, n) up to and with its newline number `want`; all of it when there are fewer. *have: how many. */
static size_t up_to_line(const char *p, size_t n, uint64_t want, uint64_t *have)
{
    enum { STEP = 1 << 14 }; /* counting is faster than looking for each */
    size_t at = 0;
    *have = 0;
    while (n - at > STEP && want - *have >= STEP) {
        *have += wk_str_count(wk_str(p + at, STEP), '\n');
        at += STEP;
    }
    while (at < n && *have < want) {
        const char *end = memchr(p + at, '\n', n - at);
        if (!end)
            return n;
        at = (size_t)(end - p) + 1;
        ++*have;
    }
    return at;
}

static int take_lines(struct reading *g, const char *p, size_t n)
{
    uint64_t have;
    g->final = p[n - 1];
    if (g->line < g->first) {
        size_t skip = up_to_line(p, n, g->first - g->line, &have);
        g->line += have;
        p += skip;
        n -= skip;
    }
    if (n && g->line < g->last) {
        size_t keep = up_to_line(p, n, g->last - g->line, &have);
        g->line += have;
        if (!wk_buf_put(&g->kept, p, keep))
            return g->kept.over ? wk_sandbox_fail(g->box, WHELK_E_NOSPACE, "%s: these lines have more than %d MiB",
                                                  g->path, WK_REQUEST_FILE >> 20)
                                : wk_box_no_memory(g->box);
        p += keep;
        n -= keep;
    }
    g->line += wk_str_count(wk_str(p, n), '\n');
    return 0;
}

static bool ask_piece(void *ctx, struct wk_request *q)
{
    struct reading *g = ctx;
    if (g->asked || g->over)
        return false;
    *q = wk_request(WHELK_FILE_GET, g->path);
    q->r.flags = WHELK_FILE_FOLLOW;
    q->r.offset = g->at;
    q->r.length = g->limit;
    g->piece = 0;
    return g->asked = true;
}

static int take_piece(void *ctx, size_t tag, const void *p, size_t n)
{
    struct reading *g = ctx;
    (void)tag;
    g->at += n;
    g->piece += n;
    if (g->lines)
        return take_lines(g, p, n);
    return wk_buf_put(&g->kept, p, n) ? 0 : wk_box_no_memory(g->box);
}

static int end_piece(void *ctx, size_t tag, int code, uint64_t size)
{
    struct reading *g = ctx;
    (void)tag;
    g->asked = false;
    g->code = code;
    g->size = size;
    /* Lines: on as far as they are asked for, and to count them, up to a size. */
    g->over = code || !g->lines || g->piece < PIECE || (g->line >= g->last && g->at >= WK_REQUEST_FILE);
    return 0;
}

/* Whether data is no text: it has NUL bytes, or is no UTF-8. Characters that a range of bytes cuts are none of that. */
static bool is_binary(struct wk_str s, bool cut_before, bool cut_behind)
{
    if (s.n && memchr(s.p, 0, s.n))
        return true;
    for (int i = 0; cut_before && i < 3 && s.n && wk_utf8_continues((unsigned char)*s.p); i++)
        s = wk_str_from(s, 1);
    for (size_t k = 1; cut_behind && k <= 3 && k <= s.n; k++) {
        unsigned char c = (unsigned char)s.p[s.n - k];
        if (wk_utf8_continues(c))
            continue;
        if (c >= 0xf0 ? k < 4 : c >= 0xe0 ? k < 3 : c >= 0xc0 && k < 2)
            s.n -= k;
        break;
    }
    return !wk_utf8_valid(s);
}

static void finish(const struct reading *g, const whelk_sandbox_range *range, whelk_sandbox_data *out)
{
    if (g->lines) {
        bool more = g->piece == PIECE && g->at < g->size; /* what was not counted is a line at least */
        out->total = g->line + ((g->at && g->final != '\n') || more);
        out->next = WK_MIN(g->last, out->total);
        out->binary = is_binary(wk_buf_str(&g->kept), false, false);
        return;
    }
    out->total = WK_MAX(g->size, g->at == range->offset ? 0 : g->at);
    out->next = g->kept.n ? g->at : out->total;
    out->binary = is_binary(wk_buf_str(&g->kept), range->offset != 0, out->next < out->total);
}

/* The range in our form. */
static int take_range(struct whelk_sandbox *b, const whelk_sandbox_range *from, whelk_sandbox_range *to)
{
    int r = wk_struct_take(to, sizeof *to, from);
    if (r)
        return wk_sandbox_fail(b, r, "the range is not a known one");
    if (to->lines != 0 && to->lines != 1)
        return wk_sandbox_fail(b, WHELK_E_INVALID, "the range counts neither lines nor bytes");
    if (!to->limit)
        to->limit = to->lines ? LINES : WK_REQUEST_FILE;
    return WHELK_OK;
}

int whelk_sandbox_read_file(whelk_sandbox *b, const char *path, const whelk_sandbox_range *range,
                            whelk_sandbox_data *out)
{
    char *full;
    bool dir;
    whelk_sandbox_range w;
    int r = wk_sandbox_begin(b);
    if (!r)
        r = out && out->size >= sizeof *out ? take_range(b, range, &w)
                                            : wk_sandbox_fail(b, WHELK_E_INVALID, "there is no place for the data");
    if (!r)
        r = wk_box_path(b, path, &full, &dir);
    if (r)
        return r;
    struct reading g = {.box = b, .path = full, .lines = w.lines};
    wk_buf_init(&g.kept, b->mem, WK_REQUEST_FILE);
    g.first = w.offset;
    g.last = w.limit > UINT64_MAX - w.offset ? UINT64_MAX : w.offset + w.limit;
    g.at = w.lines ? 0 : w.offset;
    g.limit = w.lines ? PIECE : WK_MIN(w.limit, (uint64_t)WK_REQUEST_FILE);
    struct wk_requests how = {.ask = ask_piece, .data = take_piece, .done = end_piece, .ctx = &g};
    r = dir ? wk_box_fail(b, WHELK_E_ISDIR, path) : wk_requests_run(b, &how);
    if (!r && g.code)
        r = wk_box_fail(b, g.code, full);
    if (!r) {
        whelk_sandbox_data d = {.size = out->size};
        finish(&g, &w, &d);
        r = wk_box_hand_out(b, &g.kept, &d.data, &d.len);
        if (!r)
            *out = d;
    }
    wk_buf_release(&g.kept);
    wk_free(b->mem, full);
    return r;
}

/* ---- many files ---------------------------------------------------------------------------------- */

struct downloads {
    struct whelk_sandbox *box;
    struct wk_transfers t;
    char **paths;       /* NULL: not asked for */
    struct wk_buf *got;
    size_t next;
    uint64_t bytes;     /* that came */
};

static bool ask_file(void *ctx, struct wk_request *q)
{
    struct downloads *d = ctx;
    while (d->next < d->t.n && !d->paths[d->next])
        d->next++;
    if (d->next == d->t.n)
        return false;
    *q = wk_request(WHELK_FILE_GET, d->paths[d->next]);
    q->r.flags = WHELK_FILE_FOLLOW;
    q->r.length = WK_REQUEST_FILE;
    q->tag = d->next++;
    return true;
}

static int take_file(void *ctx, size_t tag, const void *p, size_t n)
{
    struct downloads *d = ctx;
    whelk_transfer *t = wk_transfer(&d->t, tag);
    if (t->code)
        return 0;
    if (n > DOWNLOAD - d->bytes) {
        t->code = WHELK_E_NOSPACE;
    } else if (!wk_buf_put(&d->got[tag], p, n)) {
        t->code = WHELK_E_NOMEM;
    } else {
        d->bytes += n;
        return 0;
    }
    d->bytes -= d->got[tag].n;
    wk_buf_release(&d->got[tag]);
    return 0;
}

static int end_file(void *ctx, size_t tag, int code, uint64_t size)
{
    struct downloads *d = ctx;
    whelk_transfer *t = wk_transfer(&d->t, tag);
    if (!t->code)
        t->code = code ? code : size > WK_REQUEST_FILE ? WHELK_E_NOSPACE : WHELK_OK;
    if (!t->code)
        t->code = wk_box_hand_out(d->box, &d->got[tag], &t->data, &t->len);
    if (t->code) {
        d->bytes -= d->got[tag].n;
        wk_buf_release(&d->got[tag]);
    }
    wk_free(d->box->mem, d->paths[tag]);
    d->paths[tag] = NULL;
    return 0;
}

int whelk_sandbox_download(whelk_sandbox *b, whelk_transfer *files, size_t n)
{
    struct downloads d = {.box = b};
    int r = wk_sandbox_begin(b);
    if (!r)
        r = wk_transfers_init(b, files, n, &d.t);
    if (r || !n)
        return r;
    d.paths = wk_calloc(b->mem, n, sizeof *d.paths);
    d.got = d.paths ? wk_calloc(b->mem, n, sizeof *d.got) : NULL;
    if (!d.got)
        r = wk_box_no_memory(b);
    for (size_t i = 0; i < n; i++) {
        whelk_transfer *t = wk_transfer(&d.t, i);
        bool dir = false;
        t->data = NULL;
        t->len = 0;
        t->code = r ? r : wk_box_path(b, t->path, &d.paths[i], &dir);
        if (!d.got)
            continue;
        wk_buf_init(&d.got[i], b->mem, WK_REQUEST_FILE + 1);
        if (dir)
            t->code = WHELK_E_ISDIR;
        if (t->code) {
            wk_free(b->mem, d.paths[i]);
            d.paths[i] = NULL;
        }
    }
    if (!r) {
        struct wk_requests how = {.ask = ask_file, .data = take_file, .done = end_file, .ctx = &d};
        wk_sandbox_fail(b, WHELK_OK, "%s", "");
        r = wk_requests_run(b, &how);
    }
    for (size_t i = 0; d.got && i < n; i++) {
        if (d.paths[i] && r) /* it was not answered */
            wk_transfer(&d.t, i)->code = r;
        wk_free(b->mem, d.paths[i]);
        wk_buf_release(&d.got[i]);
    }
    wk_free(b->mem, d.paths);
    wk_free(b->mem, d.got);
    return r;
}
