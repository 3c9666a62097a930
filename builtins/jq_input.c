/* jq_input.c - jq's inputs: files one behind the other
 *
 * Bytes are handed to the reader line by whole line (long lines excepted), as jq does: then the
 * number of lines that messages tell is at hand, and no token but a long one is met in two parts.
 * Files are one text: a value may begin in one and end in the next.
 */
#include "builtins/jq_input.h"

#include "builtins/jq_priv.h"
#include "base/err.h"
#include "text/json/json_utf8.h"

enum { PIECE = 64 * 1024 };

static int next(struct jq_source *s, struct jq_val *v);

struct jq_input *wk_jq_input_new(struct jq *q, const char *const *files, size_t n, unsigned mode)
{
    static const char *const standard[] = {"-"};
    struct jq_input *i = wk_new(q->c, struct jq_input);
    i->source.next = next;
    i->q = q;
    i->files = n ? files : standard;
    i->n_files = n ? n : 1;
    i->cap = PIECE;
    i->reader = wk_jq_reader_new(q, mode);
    return i;
}

/* ---- bytes ---- */

/* Opens the next file that can be opened; false when there is none. */
static bool open_next(struct jq_input *i)
{
    struct wk_cmd *c = i->q->c;
    while (i->at_file < i->n_files) {
        const char *name = i->files[i->at_file++];
        bool standard = name[0] == '-' && !name[1];
        struct wk_file *f = NULL;
        int err = standard ? 0 : wk_cmd_open(c, name, WK_O_RDONLY, 0, &f);
        if (err) {
            wk_out_fmt(c->err, "jq: error: Could not open file %s: %s\n", name, wk_err_text(err));
            i->failures++;
            continue;
        }
        i->in = standard ? c->in : wk_in_of(c, f, name);
        i->in->owned = !standard;
        i->in->quiet = true;
        i->at_end = false;
        i->lines = 0;
        i->lines_before = i->reader->json.line;
        jq_free(i->q, i->q->filename);
        i->q->filename =
            wk_jq_string(i->q, standard ? WK_STR("<stdin>") : wk_str_c(name));
        return true;
    }
    return false;
}

static void close_file(struct jq_input *i)
{
    if (i->in->err) {
        wk_out_fmt(i->q->c->err, "jq: error: %s\n", wk_err_text(i->in->err));
        i->failures++;
    }
    if (i->in->owned)
        wk_in_close(i->in);
    i->in = NULL;
}

/* Index behind the last newline of buf[from, n), or 0. */
static size_t last_line(const char *buf, size_t from, size_t n)
{
    ptrdiff_t at = wk_str_rchr(wk_str(buf + from, n - from), '\n');
    return at < 0 ? 0 : from + (size_t)at + 1;
}

/* More bytes of the file at hand: false at its end. What was not used stays in front. */
static bool read_piece(struct jq_input *i)
{
    const char *p;
    size_t got;
    if (!wk_in_chunk(i->in, &p, &got))
        return false;
    if (!i->buf)
        i->buf = wk_heap_alloc(i->q->c->heap, i->cap);
    if (i->at) {
        memmove(i->buf, i->buf + i->at, i->n - i->at);
        i->n -= i->at;
        i->at = i->cut = 0;
    }
    size_t take = WK_MIN(got, i->cap - i->n);
    memcpy(i->buf + i->n, p, take);
    wk_in_used(i->in, take);
    i->n += take;
    return true;
}

/* Makes buf[at, cut) not empty: whole lines, or all that a full buffer or the file's end leaves. False
 * at the end of all files. */
static bool fill(struct jq_input *i)
{
    while (i->at == i->cut) {
        if (i->at == i->n)
            i->at = i->cut = i->n = 0;
        if (!i->in) {
            if (!open_next(i))
                return false;
            continue;
        }
        size_t from = i->n; /* no newline before it */
        if (!i->at_end && i->n - i->at < i->cap) {
            from -= i->at;
            if (read_piece(i)) {
                i->cut = last_line(i->buf, from, i->n);
                if (!i->cut && i->n == i->cap)
                    i->cut = i->n;
                continue;
            }
            i->at_end = true;
        }
        i->cut = i->n; /* the last line has no newline */
        if (i->at == i->cut)
            close_file(i);
    }
    return true;
}

/* ---- lines ---- */

/* Lines that the reader used of the file at hand, the one it stands in counted when it ends in a
 * newline. */
static size_t lines_of(const struct jq_input *i)
{
    const struct wk_json *j = &i->reader->json;
    if (i->raw)
        return i->lines;
    size_t n = j->line - i->lines_before;
    return j->p < j->end && j->end[-1] == '\n' && wk_json_column(j) ? n + 1 : n;
}

static int next_line(struct jq_input *i, struct jq_val *out)
{
    struct jq *q = i->q;
    struct jq_val line = jq_none();
    while (fill(i)) {
        const char *p = i->buf + i->at, *end = memchr(p, '\n', i->cut - i->at);
        struct wk_str part = wk_str(p, end ? (size_t)(end - p) : i->cut - i->at);
        i->at += part.n + (end != NULL);
        i->lines += end != NULL;
        line = line.kind == JQ_NONE ? wk_jq_string_valid(q, part) : wk_jq_append(q, line, part);
        if (end)
            break;
    }
    if (line.kind == JQ_NONE)
        return 0;
    q->line_number = i->lines;
    *out = line;
    if (!wk_json_utf8_valid(jq_slice(line))) {
        *out = wk_jq_string(q, jq_slice(line));
        jq_free(q, line);
    }
    return 1;
}

static int all_text(struct jq_input *i, struct jq_val *out)
{
    struct jq *q = i->q;
    struct jq_val text = wk_jq_string_valid(q, WK_STR(""));
    while (fill(i)) {
        text = wk_jq_append(q, text, wk_str(i->buf + i->at, i->cut - i->at));
        i->at = i->cut;
    }
    *out = text;
    if (!wk_json_utf8_valid(jq_slice(text))) {
        *out = wk_jq_string(q, jq_slice(text));
        jq_free(q, text);
    }
    return 1;
}

/* ---- JSON ---- */

void wk_jq_input_recover(struct jq_input *i)
{
    struct wk_json *j = &i->reader->json;
    if (j->mode & WK_JSON_SEQ || !j->error)
        return;
    wk_jq_reader_reset(i->reader);
    const char *end = j->p < j->end ? memchr(j->p, '\n', (size_t)(j->end - j->p)) : NULL;
    wk_json_skip(j, end ? (size_t)(end + 1 - j->p) : (size_t)(j->end - j->p));
    i->lines_before -= end != NULL; /* it is a line of the file, but not of the reader's */
}

/* The error as a value (--stream-errors) or as the error of q. */
static int read_error(struct jq_input *i, struct jq_val *out)
{
    struct jq *q = i->q;
    struct jq_val message = wk_jq_reader_error(i->reader);
    struct jq_val path = i->errors ? wk_jq_reader_path(i->reader) : jq_none();
    q->line_number = lines_of(i);
    if (i->reader->json.mode & WK_JSON_SEQ)
        wk_jq_reader_reset(i->reader);
    else
        wk_jq_input_recover(i);
    if (i->errors) {
        *out = wk_jq_push(q, wk_jq_push(q, wk_jq_array(q, 2), message), path);
        return 1;
    }
    wk_jq_raise(q, message);
    return -1;
}

static int next_value(struct jq_input *i, struct jq_val *out)
{
    struct wk_json *j = &i->reader->json;
    for (;;) {
        int got = wk_jq_read(i->reader, out);
        if (got == 1) {
            i->q->line_number = lines_of(i);
            return 1;
        }
        if (got == 2)
            return 0;
        if (got < 0)
            return read_error(i, out);
        i->at = i->cut;
        if (fill(i))
            wk_json_feed(j, i->buf + i->at, i->cut - i->at);
        else
            wk_json_finish(j);
    }
}

static int all_values(struct jq_input *i, struct jq_val *out)
{
    struct jq *q = i->q;
    struct jq_val all = wk_jq_array(q, 0), v;
    int got;
    while ((got = next_value(i, &v)) > 0)
        all = wk_jq_push(q, all, v);
    if (got < 0) {
        jq_free(q, all);
        return -1;
    }
    *out = all;
    return 1;
}

static int next(struct jq_source *s, struct jq_val *v)
{
    struct jq_input *i = (struct jq_input *)s;
    if (!i->slurp)
        return i->raw ? next_line(i, v) : next_value(i, v);
    if (i->done)
        return 0;
    int got = i->raw ? all_text(i, v) : all_values(i, v);
    i->done = got > 0;
    return got;
}

void wk_jq_input_place(struct jq_input *i, struct wk_buf *b)
{
    if (i->q->filename.kind != JQ_STRING)
        wk_buf_put_c(b, "<unknown>");
    else
        wk_buf_fmt(b, "%.*s:%zu", (int)WK_MIN(i->q->filename.str->n, (size_t)4096),
                   i->q->filename.str->bytes, i->q->line_number);
}

int wk_jq_read_file(struct jq *q, const char *path, struct wk_str *text)
{
    struct wk_file *f;
    int err = wk_cmd_open(q->c, path, WK_O_RDONLY, 0, &f);
    if (err)
        return err;
    struct wk_in *in = wk_in_of(q->c, f, path);
    in->owned = in->quiet = true;
    *text = wk_in_all(in);
    err = in->err;
    wk_in_close(in);
    return err;
}
