/* sandbox_walk.c - all that is below a directory of a sandbox, and the calls that show paths of it
 *
 * Directories are listed one by one, many requests under way: what need not be looked into is not even listed.
 */
#include "adapters/sandbox/sandbox_walk.h"

#include "adapters/sandbox/code.h"
#include "base/sort.h"

/* ---- the walk ------------------------------------------------------------------------------------ */

struct directory {
    size_t rest; /* in texts */
    struct wk_box_place place;
};

struct walk {
    struct whelk_sandbox *box;
    struct wk_box_walk *how;
    const char *path;
    struct wk_buf texts;
    struct directory *v;
    size_t n, cap, next;
    size_t entries;
    struct wk_buf asked, rest; /* scratch */
    int code;                  /* of the first directory */
};

static int add_directory(struct walk *w, const char *rest, const struct wk_box_place *place)
{
    size_t at = w->texts.n;
    if (!wk_vec_grow(w->box->mem, &w->v, &w->cap, w->n + 1, sizeof *w->v) ||
        !wk_buf_put(&w->texts, rest, strlen(rest) + 1))
        return wk_box_no_memory(w->box);
    w->v[w->n++] = (struct directory){at, *place};
    return 0;
}

static bool ask_directory(void *ctx, struct wk_request *q)
{
    struct walk *w = ctx;
    if (w->next == w->n)
        return false;
    const char *rest = w->texts.p + w->v[w->next].rest;
    wk_buf_reset(&w->asked);
    wk_buf_put_c(&w->asked, w->path);
    if (*rest) {
        if (w->path[1])
            wk_buf_putc(&w->asked, '/');
        wk_buf_put_c(&w->asked, rest);
    }
    if (w->asked.failed)
        return false;
    *q = wk_request(WHELK_FILE_LIST, w->asked.p);
    q->r.flags = *rest ? 0 : WHELK_FILE_FOLLOW;
    q->r.depth = 1;
    q->tag = w->next++;
    return true;
}

static int meet(void *ctx, size_t tag, const char *name, const whelk_file_entry *e)
{
    struct walk *w = ctx;
    if (!*name)
        return 0; /* the directory itself */
    if (++w->entries > WK_BOX_WALK_ENTRIES || w->texts.n > WK_BOX_WALK_TEXT)
        return wk_sandbox_fail(w->box, WHELK_E_NOSPACE, "%s: there is too much below it: more than %d entries", w->path,
                               WK_BOX_WALK_ENTRIES);
    const struct directory *in = &w->v[tag];
    const char *rest = w->texts.p + in->rest;
    struct wk_box_place from = in->place, below;
    wk_buf_reset(&w->rest);
    wk_buf_put_c(&w->rest, rest);
    if (*rest)
        wk_buf_putc(&w->rest, '/');
    wk_buf_put_c(&w->rest, name);
    if (w->rest.failed)
        return wk_box_no_memory(w->box);
    if (w->rest.n + strlen(w->path) >= WK_REQUEST_PATH) {
        w->how->unread += e->type == WHELK_TYPE_DIR; /* no program could name what is in it */
        return 0;
    }
    memset(&below, 0, sizeof below);
    int r = w->how->meet(w->how->ctx, w->rest.p, e, &from, &below);
    if (r == WHELK_E_NOMEM)
        return wk_box_no_memory(w->box);
    return r == 1 && e->type == WHELK_TYPE_DIR ? add_directory(w, w->rest.p, &below) : r == 1 ? 0 : r;
}

static int listed(void *ctx, size_t tag, int code, uint64_t size)
{
    struct walk *w = ctx;
    (void)size;
    if (!tag)
        w->code = code;
    else if (code && code != WHELK_E_NOENT) /* it may have gone meanwhile */
        w->how->unread++;
    return 0;
}

int wk_box_walk(struct whelk_sandbox *b, const char *path, struct wk_box_walk *how)
{
    struct walk w = {.box = b, .how = how, .path = path};
    struct wk_requests requests = {.ask = ask_directory, .entry = meet, .done = listed, .ctx = &w};
    wk_buf_init(&w.texts, b->mem, SIZE_MAX / 2);
    wk_buf_init(&w.asked, b->mem, SIZE_MAX / 2);
    wk_buf_init(&w.rest, b->mem, SIZE_MAX / 2);
    how->unread = 0;
    int r = add_directory(&w, "", &how->start);
    if (!r)
        r = wk_requests_run(b, &requests);
    if (!r && w.next < w.n)
        r = wk_box_no_memory(b);
    if (!r && w.code)
        r = wk_box_fail(b, w.code, path);
    wk_buf_release(&w.texts);
    wk_buf_release(&w.asked);
    wk_buf_release(&w.rest);
    wk_free(b->mem, w.v);
    return r;
}

/* ---- what was found ------------------------------------------------------------------------------ */

void wk_box_found_init(struct wk_box_found *f, struct wk_mem *m)
{
    *f = (struct wk_box_found){.mem = m};
    wk_buf_init(&f->texts, m, SIZE_MAX / 2);
}

void wk_box_found_release(struct wk_box_found *f)
{
    wk_buf_release(&f->texts);
    wk_free(f->mem, f->v);
}

bool wk_box_found_add(struct wk_box_found *f, const char *rest, uint64_t bytes)
{
    size_t at = f->texts.n;
    if (!wk_vec_grow(f->mem, &f->v, &f->cap, f->n + 1, sizeof *f->v) ||
        !wk_buf_put(&f->texts, rest, strlen(rest) + 1))
        return false;
    f->v[f->n++] = (struct wk_box_find){at, bytes};
    return true;
}

static int by_bytes(void *ctx, const void *a, const void *b)
{
    const struct wk_box_found *f = ctx;
    return strcmp(f->texts.p + ((const struct wk_box_find *)a)->at, f->texts.p + ((const struct wk_box_find *)b)->at);
}

bool wk_box_found_sort(struct wk_box_found *f)
{
    struct wk_sort how = {.cmp = by_bytes, .ctx = f};
    return wk_sort(f->mem, f->v, f->n, sizeof *f->v, &how) == 0;
}

/* ---- glob ---------------------------------------------------------------------------------------- */

enum { GLOB_MAX = 5000 };

struct globbing {
    struct whelk_sandbox *box;
    struct wk_box_glob glob;
    struct wk_box_found found;
};

static int glob_meet(void *ctx, const char *rest, const whelk_file_entry *e, const struct wk_box_place *in,
                     struct wk_box_place *below)
{
    struct globbing *g = ctx;
    const char *slash = strrchr(rest, '/');
    int r = wk_box_glob_step(&g->glob, g->box->mem, &in->one, wk_str_c(slash ? slash + 1 : rest),
                             e->type == WHELK_TYPE_DIR, &below->one);
    if (r == 1 && !wk_box_found_add(&g->found, rest, 0))
        return WHELK_E_NOMEM;
    if (r >= 0 && g->found.texts.n > WK_BOX_WALK_TEXT)
        return wk_sandbox_fail(g->box, WHELK_E_NOSPACE, "too many paths match");
    return r < 0 ? r : !wk_box_glob_dead(&below->one);
}

/* An absolute pattern begins where its first part with something special is: *path becomes that directory, and the rest
 * is what follows. */
static int split_absolute(struct whelk_sandbox *b, const char *pattern, char **path, char **shown, const char **rest)
{
    size_t n = strcspn(pattern, "*?[{\\");
    while (pattern[n - 1] != '/')
        n--;
    if (!pattern[strcspn(pattern, "*?[{\\")]) { /* nothing special: its last part is */
        n = strlen(pattern);
        while (n > 1 && pattern[n - 1] == '/')
            n--;
        while (pattern[n - 1] != '/')
            n--;
    }
    *rest = pattern + n - 1; /* with the slash: what follows is no pattern of last names */
    wk_free(b->mem, *path);
    *path = NULL;
    char *base = wk_strndup(b->mem, pattern, n);
    int r = base ? wk_box_path(b, base, path, NULL) : wk_box_no_memory(b);
    if (!r)
        r = wk_box_shown(b, base, shown);
    wk_free(b->mem, base);
    return r;
}

static int show(struct globbing *g, const char *shown, size_t max, int (*visit)(void *ctx, const char *path), void *ctx,
                int *more)
{
    if (!wk_box_found_sort(&g->found))
        return wk_box_no_memory(g->box);
    struct wk_buf path;
    wk_buf_init(&path, g->box->mem, SIZE_MAX / 2);
    int r = 0;
    for (size_t i = 0; i < g->found.n && i < max && !r; i++) {
        wk_buf_reset(&path);
        wk_buf_put_c(&path, shown);
        wk_buf_put_c(&path, wk_box_found_path(&g->found, i));
        r = path.failed ? wk_box_no_memory(g->box) : visit(ctx, path.p);
    }
    if (more && !r)
        *more = g->found.n > max;
    wk_buf_release(&path);
    return r;
}

int whelk_sandbox_glob(whelk_sandbox *b, const char *path, const char *pattern, size_t max,
                       int (*visit)(void *ctx, const char *path), void *ctx, int *more)
{
    char *full = NULL, *shown = NULL;
    if (more)
        *more = 0;
    int r = wk_sandbox_begin(b);
    if (!r && (!pattern || !visit))
        r = wk_sandbox_fail(b, WHELK_E_INVALID, "a pattern, or who hears of its paths, is missing");
    if (!r)
        r = wk_box_path(b, path, &full, NULL);
    if (r)
        return r;
    struct globbing g = {.box = b};
    r = *pattern == '/' ? split_absolute(b, pattern, &full, &shown, &pattern) : wk_box_shown(b, path, &shown);
    wk_box_found_init(&g.found, b->mem);
    int compiled = wk_box_glob_init(b, pattern, false, &g.glob);
    if (!r)
        r = compiled;
    if (!r) {
        struct wk_box_walk w = {.meet = glob_meet, .ctx = &g, .start = {.one = g.glob.start}};
        r = wk_box_walk(b, full, &w);
        if (!r)
            r = show(&g, shown, max ? max : GLOB_MAX, visit, ctx, more);
        if (!r && w.unread)
            wk_sandbox_fail(b, WHELK_OK, "%zu directories could not be read", w.unread);
    }
    wk_box_glob_release(&g.glob);
    wk_box_found_release(&g.found);
    wk_free(b->mem, full);
    wk_free(b->mem, shown);
    return r;
}
