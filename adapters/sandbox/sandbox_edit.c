/* sandbox_edit.c - changes in the text of a file: replacements, and lines put in
 *
 * The file is read, changed here, and put beside and renamed. Between the two it is looked at again: when another has
 * changed it meanwhile, all begins anew, three times at most.
 */
#include "adapters/sandbox/code.h"
#include "adapters/sandbox/sandbox_request.h"

enum { TRIES = 3 };

struct edited {
    struct whelk_sandbox *box;
    char *path;         /* of the file itself, links followed */
    whelk_file_entry e; /* as it was when it was read */
    struct wk_buf old, new_;
    size_t lf, crlf;    /* newlines; those with a CR before */
};

/* ---- the file ------------------------------------------------------------------------------------ */

static void count_ends(struct edited *d)
{
    struct wk_str s = wk_buf_str(&d->old);
    d->lf = wk_str_count(s, '\n');
    d->crlf = 0;
    if (memchr(s.p, '\r', s.n))
        for (size_t i = 1; i < s.n; i++)
            d->crlf += s.p[i] == '\n' && s.p[i - 1] == '\r';
}

static int load(struct edited *d)
{
    struct whelk_sandbox *b = d->box;
    int r = wk_box_resolve(b, &d->path, &d->e);
    if (!r && d->e.type != WHELK_TYPE_FILE)
        r = d->e.type == WHELK_TYPE_DIR ? WHELK_E_ISDIR : WHELK_E_INVALID;
    if (r)
        return wk_box_fail(b, r, d->path);
    struct wk_request q = wk_request(WHELK_FILE_GET, d->path);
    struct wk_answer a;
    q.r.length = WK_REQUEST_FILE;
    r = wk_request_one(b, &q, &a);
    if (!r && a.size > WK_REQUEST_FILE)
        r = wk_sandbox_fail(b, WHELK_E_NOSPACE, "%s: a file of more than %d MiB is not edited", d->path,
                            WK_REQUEST_FILE >> 20);
    if (r) {
        wk_answer_release(&a);
        return wk_box_fail(b, r, d->path);
    }
    d->old = a.data;
    count_ends(d);
    return WHELK_OK;
}

/* Puts the new text in place of the old. AGAIN: the file is another one by now. */
static int save(struct edited *d)
{
    struct whelk_sandbox *b = d->box;
    if (d->new_.failed)
        return d->new_.over ? wk_sandbox_fail(b, WHELK_E_NOSPACE, "%s: it would have more than %d MiB", d->path,
                                              WK_REQUEST_FILE >> 20)
                            : wk_box_no_memory(b);
    struct wk_request q = wk_request(WHELK_FILE_STAT, d->path);
    struct wk_answer now;
    int r = wk_request_one(b, &q, &now);
    bool same = now.e.inode == d->e.inode && now.e.device == d->e.device && now.e.bytes == d->e.bytes &&
                now.e.mtime_ns == d->e.mtime_ns && now.e.type == d->e.type;
    wk_answer_release(&now);
    if (r)
        return wk_box_fail(b, r, d->path);
    if (!same)
        return WHELK_E_AGAIN;
    q = wk_request(WHELK_FILE_PUT, d->path);
    q.r.mode = d->e.mode & 01777;
    q.r.length = d->new_.n;
    size_t n;
    q.r.data = q.give = wk_buf_take(&d->new_, &n);
    r = q.give ? wk_request_one(b, &q, NULL) : wk_box_no_memory(b);
    return r ? wk_box_fail(b, r, d->path) : WHELK_OK;
}

/* Loads a file, has it changed and saves it, until nobody interferes. change: a code; *same: all stays as it is. */
static int edit_file(struct whelk_sandbox *b, const char *path,
                     int (*change)(void *ctx, struct edited *d, bool *same), void *ctx)
{
    struct edited d = {.box = b};
    bool dir, same;
    int r = wk_box_path(b, path, &d.path, &dir);
    if (!r && dir)
        r = wk_box_fail(b, WHELK_E_ISDIR, path);
    wk_buf_init(&d.old, b->mem, WK_REQUEST_FILE);
    wk_buf_init(&d.new_, b->mem, WK_REQUEST_FILE);
    int turn = 0;
    while (!r) {
        same = false;
        r = load(&d);
        if (!r)
            r = change(ctx, &d, &same);
        if (!r && same)
            break;
        r = r ? r : save(&d);
        wk_buf_release(&d.old);
        wk_buf_release(&d.new_);
        if (!r)
            break;
        if (r == WHELK_E_AGAIN)
            r = ++turn < TRIES ? 0 : wk_sandbox_fail(b, WHELK_E_BUSY, "%s: it is being changed all the time", d.path);
    }
    wk_buf_release(&d.old);
    wk_buf_release(&d.new_);
    wk_free(b->mem, d.path);
    return r;
}

/* ---- replacing ----------------------------------------------------------------------------------- */

struct replacing {
    const char *from, *to;
    int all;
    size_t count;
};

/* s with CRLF for each newline that has no CR before it. */
static void put_crlf(struct wk_buf *b, struct wk_str s)
{
    while (s.n) {
        ptrdiff_t at = wk_str_chr(s, '\n');
        if (at < 0) {
            wk_buf_puts(b, s);
            return;
        }
        wk_buf_put(b, s.p, (size_t)at);
        if (!(at > 0 && s.p[at - 1] == '\r'))
            wk_buf_putc(b, '\r');
        wk_buf_putc(b, '\n');
        s = wk_str_from(s, (size_t)at + 1);
    }
}

/* Puts s into out with `from` replaced by `to`; how often. */
static size_t replace(struct wk_buf *out, struct wk_str s, struct wk_str from, struct wk_str to)
{
    size_t count = 0;
    for (ptrdiff_t at; !out->failed && (at = wk_str_find(s, from)) >= 0; count++) {
        wk_buf_put(out, s.p, (size_t)at);
        wk_buf_puts(out, to);
        s = wk_str_from(s, (size_t)at + from.n);
    }
    wk_buf_puts(out, s);
    return count;
}

static int replace_text(void *ctx, struct edited *d, bool *same)
{
    struct replacing *w = ctx;
    struct whelk_sandbox *b = d->box;
    struct wk_str s = wk_buf_str(&d->old), from = wk_str_c(w->from), to = wk_str_c(w->to);
    struct wk_buf from_crlf, to_crlf;
    wk_buf_init(&from_crlf, b->mem, SIZE_MAX / 2);
    wk_buf_init(&to_crlf, b->mem, SIZE_MAX / 2);
    /* A caller that was shown lines has plain newlines in its text, whatever the file's are. */
    bool convert = d->crlf && (d->crlf == d->lf || (wk_str_chr(from, '\n') >= 0 && wk_str_find(s, from) < 0));
    if (convert) {
        put_crlf(&from_crlf, from);
        put_crlf(&to_crlf, to);
        from = wk_buf_str(&from_crlf);
        to = wk_buf_str(&to_crlf);
    }
    int r = WHELK_OK;
    if (from_crlf.failed || to_crlf.failed)
        r = wk_box_no_memory(b);
    w->count = r ? 0 : replace(&d->new_, s, from, to);
    if (!r && !w->count)
        r = wk_sandbox_fail(b, WHELK_E_NOENT, "%s: the text to be replaced is not in it", d->path);
    if (!r && w->count > 1 && !w->all)
        r = wk_sandbox_fail(b, WHELK_E_STATE, "%s: the text to be replaced is in it %zu times, and only one was meant",
                            d->path, w->count);
    *same = wk_str_eq(from, to);
    wk_buf_release(&from_crlf);
    wk_buf_release(&to_crlf);
    return r;
}

int whelk_sandbox_edit(whelk_sandbox *b, const char *path, const char *old_text, const char *new_text, int all,
                       size_t *count)
{
    struct replacing w = {.from = old_text, .to = new_text, .all = all};
    if (count)
        *count = 0;
    int r = wk_sandbox_begin(b);
    if (!r && (!old_text || !*old_text || !new_text))
        r = wk_sandbox_fail(b, WHELK_E_INVALID, "the text to be replaced, or what comes instead, is missing");
    if (!r)
        r = edit_file(b, path, replace_text, &w);
    if (count)
        *count = w.count;
    return r;
}

/* ---- lines --------------------------------------------------------------------------------------- */

struct inserting {
    const char *text;
    uint64_t line;
};

static int insert_text(void *ctx, struct edited *d, bool *same)
{
    const struct inserting *w = ctx;
    struct wk_str s = wk_buf_str(&d->old), text = wk_str_c(w->text);
    size_t at = 0;
    uint64_t line = 0;
    for (; line < w->line && at < s.n; line++) {
        const char *end = memchr(s.p + at, '\n', s.n - at);
        at = end ? (size_t)(end - s.p) + 1 : s.n;
    }
    if (line < w->line)
        return wk_sandbox_fail(d->box, WHELK_E_INVALID, "%s: it has %llu lines", d->path, (unsigned long long)line);
    bool crlf = d->crlf && d->crlf == d->lf, open = s.n && s.p[s.n - 1] != '\n', last = at == s.n;
    const char *newline = crlf ? "\r\n" : "\n";
    wk_buf_put(&d->new_, s.p, at);
    if (last && open && text.n) /* the line before gets an end, and what becomes the last has none, as it was */
        wk_buf_put_c(&d->new_, newline);
    if (crlf)
        put_crlf(&d->new_, text);
    else
        wk_buf_puts(&d->new_, text);
    if (text.n && text.p[text.n - 1] != '\n' && !(last && open))
        wk_buf_put_c(&d->new_, newline);
    wk_buf_puts(&d->new_, wk_str_from(s, at));
    *same = !text.n;
    return WHELK_OK;
}

int whelk_sandbox_insert(whelk_sandbox *b, const char *path, uint64_t line, const char *text)
{
    struct inserting w = {.text = text, .line = line};
    int r = wk_sandbox_begin(b);
    if (!r && !text)
        r = wk_sandbox_fail(b, WHELK_E_INVALID, "there is no text");
    return r ? r : edit_file(b, path, insert_text, &w);
}
