/* sandbox_search.c - lines of a sandbox's files that match
 *
 * The names are walked first. Then the files are read, several under way, and each is searched when all before it are:
 * what is shown is in order of path.
 */
#include "adapters/sandbox/code.h"
#include "adapters/sandbox/sandbox_walk.h"
#include "base/err.h"
#include "text/re/re.h"

enum {
    LARGEST = 64 << 20, /* a file above this is passed over */
    AHEAD = 32 << 20,   /* bytes of files that are read before their turn */
    SLOTS = 64,
    MATCHES = 500
};

/* A file that is read, or waits for its turn. */
struct slot {
    struct wk_buf text;
    bool done, binary;
    int code;
};

struct search {
    struct whelk_sandbox *box;
    whelk_sandbox_search what;
    int (*visit)(void *ctx, const whelk_match *m);
    void *ctx;
    struct wk_re *re;
    struct wk_re_run run;
    struct wk_re_lines *lines;
    struct wk_box_glob include, exclude;
    struct wk_box_found found;
    char *full, *shown;       /* where it begins; how that is written */
    bool single;              /* that is a file */
    struct slot slots[SLOTS]; /* of files [turn, asked) */
    size_t asked, turn;
    uint64_t ahead;           /* their bytes */
    struct wk_buf path;       /* of the file that is searched, or asked for */
    size_t matches, large, unread;
    char large_one[256];      /* the first of the large */
    bool more, ended;
    int result;               /* once it has ended before its end */
};

/* ---- one file's text ----------------------------------------------------------------------------- */

struct text {
    struct search *s;
    struct wk_str all;
    size_t shown;        /* all before is shown, or will not be */
    size_t counted;      /* lines before are counted */
    uint64_t number;     /* of the line that begins at counted */
    unsigned behind;     /* lines of context that are still to be shown from `shown` on */
};

static int end_search(struct search *s, int result)
{
    s->ended = true;
    s->result = result;
    return 1;
}

static int show_line(struct text *t, size_t from, bool context)
{
    struct search *s = t->s;
    struct wk_str rest = wk_str_from(t->all, from);
    ptrdiff_t end = wk_str_chr(rest, '\n');
    t->number += wk_str_count(wk_str(t->all.p + t->counted, from - t->counted), '\n');
    t->counted = from;
    whelk_match m = {.size = sizeof m,
                     .path = wk_buf_c(&s->path),
                     .line = rest.p,
                     .line_len = end < 0 ? rest.n : (size_t)end,
                     .number = t->number,
                     .is_context = context};
    t->shown = from + m.line_len + (end >= 0);
    int r = s->visit(s->ctx, &m);
    return r ? end_search(s, r) : 0;
}

/* Shows the lines of context behind the last match, up to where the next one begins. */
static int show_behind(struct text *t, size_t until)
{
    int r = 0;
    for (; t->behind && t->shown < until && !r; t->behind--)
        r = show_line(t, t->shown, true);
    return r;
}

/* Shows a line that matches, and what is around it. */
static int show_match(struct text *t, size_t at)
{
    struct search *s = t->s;
    int r = show_behind(t, s->matches == s->what.max ? t->all.n : at);
    if (r)
        return r;
    if (s->matches == s->what.max) {
        s->more = true;
        return end_search(s, WHELK_OK);
    }
    size_t from = at;
    for (unsigned i = 0; i < s->what.context && from > t->shown; i++) {
        ptrdiff_t end = wk_str_rchr(wk_str(t->all.p + t->shown, from - 1 - t->shown), '\n');
        from = end < 0 ? t->shown : t->shown + (size_t)end + 1;
    }
    while (from < at && !r) {
        r = show_line(t, from, true);
        from = t->shown;
    }
    if (r || (r = show_line(t, at, false)))
        return r;
    s->matches++;
    t->behind = s->what.context;
    return 0;
}

static int re_failed(struct search *s, int r)
{
    if (r == -WK_ENOMEM)
        return wk_box_no_memory(s->box);
    if (r == -WK_ECANCELED)
        return wk_sandbox_wait_failed(s->box, WHELK_E_BUSY);
    return wk_sandbox_fail(s->box, WHELK_E_STATE, "%s: the expression takes too many steps in it", wk_buf_c(&s->path));
}

static int search_text(struct search *s, struct wk_str all)
{
    struct text t = {.s = s, .all = all, .number = 1};
    struct wk_re_span line;
    int r = 0;
    for (size_t at = 0; at < all.n && !r; at = s->lines->to) {
        r = wk_re_lines_judge(s->re, &s->run, all, at, '\n', s->lines);
        if (r < 0)
            return re_failed(s, r);
        while (!r && wk_re_lines_next(s->lines, all, &line))
            r = show_match(&t, (size_t)line.start);
    }
    return r ? r : show_behind(&t, all.n);
}

/* ---- reading ------------------------------------------------------------------------------------- */

/* The path of file i into s->path, below a beginning. */
static bool put_path(struct search *s, const char *begin, bool slash, size_t i)
{
    const char *rest = wk_box_found_path(&s->found, i);
    wk_buf_reset(&s->path);
    wk_buf_put_c(&s->path, begin);
    if (*rest && slash)
        wk_buf_putc(&s->path, '/');
    wk_buf_put_c(&s->path, rest);
    return !s->path.failed;
}

static bool ask_text(void *ctx, struct wk_request *q)
{
    struct search *s = ctx;
    if (s->asked == s->found.n || s->asked - s->turn == SLOTS)
        return false;
    uint64_t bytes = s->found.v[s->asked].bytes;
    if (s->asked > s->turn && bytes > AHEAD - WK_MIN(s->ahead, (uint64_t)AHEAD))
        return false;
    if (!put_path(s, s->full, s->full[1] != 0, s->asked))
        return false;
    *q = wk_request(WHELK_FILE_GET, s->path.p);
    q->r.length = LARGEST;
    q->tag = s->asked++;
    s->ahead += bytes;
    struct slot *slot = &s->slots[q->tag % SLOTS];
    slot->done = slot->binary = false;
    return true;
}

static int take_text(void *ctx, size_t tag, const void *p, size_t n)
{
    struct search *s = ctx;
    struct slot *slot = &s->slots[tag % SLOTS];
    if (!slot->binary && memchr(p, 0, n)) {
        slot->binary = true;
        wk_buf_release(&slot->text);
    }
    return slot->binary || wk_buf_put(&slot->text, p, n) ? 0 : wk_box_no_memory(s->box);
}

static int end_text(void *ctx, size_t tag, int code, uint64_t size)
{
    struct slot *slot = &((struct search *)ctx)->slots[tag % SLOTS];
    (void)size;
    slot->code = code;
    slot->done = true;
    return 0;
}

/* Searches the files whose turn it is. */
static int search_ready(void *ctx)
{
    struct search *s = ctx;
    int r = 0;
    while (!r && s->turn < s->asked && s->slots[s->turn % SLOTS].done) {
        struct slot *slot = &s->slots[s->turn % SLOTS];
        if (slot->code && s->single)
            r = wk_box_fail(s->box, slot->code, s->full);
        else if (slot->code)
            s->unread++;
        else if (!slot->binary && !put_path(s, s->shown, false, s->turn))
            r = wk_box_no_memory(s->box);
        else if (!slot->binary)
            r = search_text(s, wk_buf_str(&slot->text));
        wk_buf_release(&slot->text);
        s->ahead -= s->found.v[s->turn++].bytes;
    }
    return r;
}

/* ---- which files --------------------------------------------------------------------------------- */

static bool is_versions(const char *name)
{
    return !strcmp(name, ".git") || !strcmp(name, ".hg") || !strcmp(name, ".svn");
}

static int add_file(struct search *s, const char *rest, uint64_t bytes)
{
    if (bytes <= LARGEST)
        return wk_box_found_add(&s->found, rest, bytes) ? 0 : WHELK_E_NOMEM;
    if (!s->large++) {
        size_t n = WK_MIN(strlen(rest), sizeof s->large_one - 1);
        memcpy(s->large_one, rest, n);
        s->large_one[n] = 0;
    }
    return 0;
}

static int search_meet(void *ctx, const char *rest, const whelk_file_entry *e, const struct wk_box_place *in,
                       struct wk_box_place *below)
{
    struct search *s = ctx;
    const char *slash = strrchr(rest, '/'), *name = slash ? slash + 1 : rest;
    bool dir = e->type == WHELK_TYPE_DIR;
    if (!dir && e->type != WHELK_TYPE_FILE)
        return 0;
    int wanted = 1;
    if (s->what.exclude) {
        int out = wk_box_glob_step(&s->exclude, s->box->mem, &in->other, wk_str_c(name), dir, &below->other);
        if (out)
            return out < 0 ? out : 0;
    }
    if (s->what.include)
        wanted = wk_box_glob_step(&s->include, s->box->mem, &in->one, wk_str_c(name), dir, &below->one);
    if (wanted < 0)
        return wanted;
    if (dir) /* all that is in one that is included by its own name is not: a pattern is one of files */
        return !is_versions(name) && !(s->what.include && wk_box_glob_dead(&below->one));
    if (s->found.texts.n > WK_BOX_WALK_TEXT)
        return wk_sandbox_fail(s->box, WHELK_E_NOSPACE, "%s: too many files are to be searched", s->full);
    return wanted ? add_file(s, rest, e->bytes) : 0;
}

/* Collects the files. Words unless it is OK. */
static int find_files(struct search *s)
{
    struct whelk_sandbox *b = s->box;
    whelk_file_entry e;
    int r = wk_box_resolve(b, &s->full, &e);
    if (r)
        return wk_box_fail(b, r, s->full);
    if (e.type == WHELK_TYPE_DIR) {
        struct wk_box_walk w = {.meet = search_meet, .ctx = s, .start = {s->include.start, s->exclude.start}};
        r = wk_box_walk(b, s->full, &w);
        s->unread = w.unread;
        return !r && !wk_box_found_sort(&s->found) ? wk_box_no_memory(b) : r;
    }
    if (e.type != WHELK_TYPE_FILE)
        return wk_box_fail(b, WHELK_E_INVALID, s->full);
    if (e.bytes > LARGEST)
        return wk_sandbox_fail(b, WHELK_E_NOSPACE, "%s: a file of more than %d MiB is not searched", s->full,
                               LARGEST >> 20);
    s->single = true;
    s->shown[strlen(s->shown) - 1] = 0;
    return wk_box_found_add(&s->found, "", e.bytes) ? WHELK_OK : wk_box_no_memory(b);
}

/* ---- the call ------------------------------------------------------------------------------------ */

static int look_for_cancel(void *ctx, size_t bytes)
{
    struct whelk_sandbox *b = ctx;
    (void)bytes;
    return atomic_load(&b->cancelled) ? -WK_ECANCELED : 0;
}

static int compile(struct search *s)
{
    struct whelk_sandbox *b = s->box;
    const whelk_sandbox_search *w = &s->what;
    struct wk_re_error err;
    struct wk_str pattern = wk_str_c(w->pattern);
    if (wk_str_chr(pattern, '\n') >= 0)
        return wk_sandbox_fail(b, WHELK_E_INVALID, "what is searched for has a newline, and no line has one");
    unsigned flags = (w->regex ? WK_RE_EXTENDED | WK_RE_GREP : WK_RE_LITERAL) | WK_RE_NOSUB;
    int r = wk_re_compile(b->mem, pattern, flags | (w->ignore_case ? WK_RE_ICASE : 0), NULL, &s->re, &err);
    if (r == -WK_ENOMEM)
        return wk_box_no_memory(b);
    if (r)
        return wk_sandbox_fail(b, WHELK_E_INVALID, "%s: %s", w->pattern, err.text);
    s->run = (struct wk_re_run){.step = look_for_cancel, .ctx = b};
    r = w->include ? wk_box_glob_init(b, w->include, true, &s->include) : WHELK_OK;
    if (!r && w->exclude)
        r = wk_box_glob_init(b, w->exclude, true, &s->exclude);
    return r;
}

static void tell_what_was_left_out(const struct search *s)
{
    struct wk_buf words;
    wk_buf_init(&words, s->box->mem, 4096);
    if (s->large)
        wk_buf_fmt(&words, "%zu files of more than %d MiB were not searched, such as %s", s->large, LARGEST >> 20,
                   s->large_one);
    if (s->unread)
        wk_buf_fmt(&words, "%s%zu files or directories could not be read", s->large ? "; " : "", s->unread);
    if (words.n)
        wk_sandbox_fail(s->box, WHELK_OK, "%s", wk_buf_c(&words));
    wk_buf_release(&words);
}

static int run_search(struct search *s, const char *path)
{
    struct whelk_sandbox *b = s->box;
    int r = wk_box_path(b, path, &s->full, NULL);
    if (!r)
        r = wk_box_shown(b, path, &s->shown);
    if (!r)
        r = compile(s);
    if (!r && !(s->lines = wk_alloc(b->mem, sizeof *s->lines)))
        r = wk_box_no_memory(b);
    if (!r)
        r = find_files(s);
    struct wk_requests how = {
        .ask = ask_text, .data = take_text, .done = end_text, .tend = search_ready, .ctx = s};
    if (!r)
        r = wk_requests_run(b, &how);
    if (s->ended)
        return s->result;
    if (!r && s->asked < s->found.n)
        r = wk_box_no_memory(b);
    if (!r)
        tell_what_was_left_out(s);
    return r;
}

int whelk_sandbox_grep(whelk_sandbox *b, const whelk_sandbox_search *what,
                       int (*visit)(void *ctx, const whelk_match *m), void *ctx, int *more)
{
    if (more)
        *more = 0;
    int r = wk_sandbox_begin(b);
    if (r)
        return r;
    struct search *s = WK_NEW(b->mem, struct search);
    if (!s)
        return wk_box_no_memory(b);
    s->box = b;
    s->visit = visit;
    s->ctx = ctx;
    wk_buf_init(&s->path, b->mem, SIZE_MAX / 2);
    wk_box_found_init(&s->found, b->mem);
    wk_arena_init(&s->include.arena, b->mem);
    wk_arena_init(&s->exclude.arena, b->mem);
    for (int i = 0; i < SLOTS; i++)
        wk_buf_init(&s->slots[i].text, b->mem, SIZE_MAX / 2);
    r = wk_struct_take(&s->what, sizeof s->what, what);
    if (r || !visit || !s->what.pattern)
        r = wk_sandbox_fail(b, r ? r : WHELK_E_INVALID, "what is searched for, or who hears of it, is missing");
    if (!s->what.max)
        s->what.max = MATCHES;
    if (!r)
        r = run_search(s, s->what.path ? s->what.path : ".");
    if (more && !r)
        *more = s->more;
    for (int i = 0; i < SLOTS; i++)
        wk_buf_release(&s->slots[i].text);
    wk_buf_release(&s->path);
    wk_box_found_release(&s->found);
    wk_box_glob_release(&s->include);
    wk_box_glob_release(&s->exclude);
    wk_re_unref(s->re);
    wk_free(b->mem, s->lines);
    wk_free(b->mem, s->full);
    wk_free(b->mem, s->shown);
    wk_free(b->mem, s);
    return r;
}
