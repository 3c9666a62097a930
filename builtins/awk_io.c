/* awk_io.c - awk's inputs: records, and the files of the main input
 */
#include "builtins/awk.h"

#include "base/num.h"

enum { PIECE = 65536 };

void wk_awk_set_errno(struct awk *a, int err)
{
    const char *text = wk_err_text(err);
    wk_awk_set_global(a, AWK_ERRNO, awk_string(wk_awk_str_of(a, text, strlen(text))));
}

/* ---- records ---- */

/* More bytes behind those in the buffer; false at the end. */
static bool fill(struct awk *a, struct awk_input *in)
{
    const char *p;
    size_t n;
    if (in->eof || !wk_in_chunk(in->in, &p, &n)) {
        in->eof = true;
        return false;
    }
    if (in->head && in->head + in->n + n > in->cap) {
        memmove(in->buf, in->buf + in->head, in->n);
        in->head = 0;
    }
    if (in->head + in->n + n > in->cap) {
        if (n > SIZE_MAX / 8 - in->n)
            wk_heap_exhausted(a->c->heap);
        in->cap = (in->n + n) * 2;
        in->buf = (char *)wk_heap_realloc(a->c->heap, in->buf, in->cap);
    }
    memcpy(in->buf + in->head + in->n, p, n);
    in->n += n;
    wk_tick(a->c, (uint32_t)(n / 64) + 1);
    return true;
}

static void take(struct awk *a, struct awk_input *in, size_t n, size_t sep, struct awk_str **text)
{
    const char *p = in->n ? in->buf + in->head : "";
    *text = wk_awk_str_of(a, p, n);
    if (a->uses_rt)
        wk_awk_set_global(a, AWK_RT, awk_string(wk_awk_str_of(a, p + n, sep)));
    in->head += n + sep;
    in->n -= n + sep;
    in->begun = true;
}

/* Up to a byte; `from`: how many bytes are known to hold none. */
static bool read_to_byte(struct awk *a, struct awk_input *in, char end, struct awk_str **text)
{
    size_t from = 0;
    for (;;) {
        const char *p = in->n ? in->buf + in->head : "";
        const char *e = in->n > from ? (const char *)memchr(p + from, end, in->n - from) : NULL;
        if (e) {
            take(a, in, (size_t)(e - p), 1, text);
            return true;
        }
        from = in->n;
        if (!fill(a, in))
            break;
    }
    if (!in->n)
        return false;
    take(a, in, in->n, 0, text);
    return true;
}

/* A match that ends where the bytes at hand end might be longer. */
static bool read_to_regex(struct awk *a, struct awk_input *in, struct awk_str **text)
{
    size_t from = 0;
    for (;;) {
        struct wk_re_span m;
        struct wk_str s = wk_str(in->n ? in->buf + in->head : "", in->n);
        while (from < s.n && wk_awk_find(a, a->rs_re, s, from, in->begun, &m, 1)) {
            if (m.end == m.start) {
                from = (size_t)m.start + 1;
                continue;
            }
            if ((size_t)m.end == s.n && !in->eof && fill(a, in)) {
                s = wk_str(in->buf + in->head, in->n);
                continue;
            }
            take(a, in, (size_t)m.start, (size_t)(m.end - m.start), text);
            return true;
        }
        /* What stands before may begin a match that the next bytes complete: looked at again from
         * its start only when the expression is found there. */
        from = 0;
        if (!fill(a, in))
            break;
        for (size_t goal = s.n < 1 << 20 ? 0 : 2 * s.n;
             in->n < goal && fill(a, in);) /* searched a few times only */
            ;
    }
    if (!in->n)
        return false;
    take(a, in, in->n, 0, text);
    return true;
}

/* RS = "": records are parted by empty lines; those in front do not count. */
static bool read_paragraph(struct awk *a, struct awk_input *in, struct awk_str **text)
{
    size_t from = 0;
    for (;;) {
        while (in->n && in->buf[in->head] == '\n') {
            in->head++;
            in->n--;
        }
        if (in->n || !fill(a, in))
            break;
    }
    while (in->n || fill(a, in)) {
        const char *p = in->buf + in->head, *e = NULL;
        while (from < in->n && (e = (const char *)memchr(p + from, '\n', in->n - from))) {
            size_t at = (size_t)(e - p), end = at + 1;
            while (end < in->n && p[end] == '\n')
                end++;
            if (end == in->n && fill(a, in)) {
                p = in->buf + in->head;
                from = at;
                continue;
            }
            if (end - at > 1 || (in->eof && end == in->n)) {
                take(a, in, at, end - at, text);
                return true;
            }
            from = end;
        }
        from = e ? from : in->n;
        if (!fill(a, in)) {
            take(a, in, in->n, 0, text);
            return true;
        }
    }
    return false;
}

/* A line, and with it those that begin in quotes; a carriage return in front of the end is part of that. */
static bool read_csv(struct awk *a, struct awk_input *in, struct awk_str **text)
{
    size_t from = 0;
    bool quoted = false;
    do {
        const char *p = in->n ? in->buf + in->head : "";
        for (; from < in->n; from++) {
            quoted ^= p[from] == '"';
            if (p[from] != '\n' || quoted)
                continue;
            bool both = from && p[from - 1] == '\r';
            take(a, in, from - both, 1 + both, text);
            return true;
        }
    } while (fill(a, in));
    if (!in->n)
        return false;
    take(a, in, in->n, 0, text);
    return true;
}

bool wk_awk_read_record(struct awk *a, struct awk_input *in, struct awk_str **text)
{
    struct wk_str line;
    switch (a->rs) {
    case AWK_RS_PARAGRAPH:
        return read_paragraph(a, in, text);
    case AWK_RS_RE:
        return read_to_regex(a, in, text);
    case AWK_RS_CSV:
        return read_csv(a, in, text);
    default:
        break;
    }
    char end = a->rs == AWK_RS_LINE ? '\n' : a->rs_char;
    if (in->n || in->eof)
        return read_to_byte(a, in, end, text);
    if (!wk_line_next(in->in, end, &line))
        return false;
    *text = wk_awk_str_of(a, line.p, line.n);
    if (a->uses_rt)
        wk_awk_set_global(a, AWK_RT, awk_string(wk_awk_str_of(a, &end, !in->in->no_newline)));
    wk_tick(a->c, (uint32_t)(line.n / 64) + 1);
    return true;
}

void wk_awk_close_input(struct awk *a, struct awk_input *in)
{
    if (in->in && in->in != a->c->in)
        wk_in_close(in->in);
    wk_heap_free(a->c->heap, in->buf);
    *in = (struct awk_input){.in = NULL};
}

/* ---- the main input ---- */

void wk_awk_assign(struct awk *a, struct wk_str name, struct wk_str value)
{
    size_t backslashes = 0;
    wk_awk_check_variable(a, name);
    while (backslashes < value.n && value.p[value.n - 1 - backslashes] == '\\')
        backslashes++;
    value.n -= backslashes & 1; /* the last one escapes nothing */
    wk_awk_store_special(a, wk_awk_global(a, name.p, name.n), awk_input(wk_awk_unescape(a, value)));
}

/* NAME=VALUE among the operands. */
static bool assign(struct awk *a, struct awk_str *s)
{
    const char *eq = (const char *)memchr(s->p, '=', s->n);
    if (a->exec || !eq || eq == s->p || wk_is_digit(*s->p))
        return false;
    for (const char *p = s->p; p < eq; p++)
        if (!wk_is_alnum(*p) && *p != '_')
            return false;
    wk_awk_assign(a, wk_str(s->p, (size_t)(eq - s->p)), wk_str(eq + 1, s->n - (size_t)(eq + 1 - s->p)));
    return true;
}

/* The operand that ARGV[argind] holds, or NULL. */
static struct awk_str *operand(struct awk *a, int i)
{
    struct awk_val key = awk_num(i);
    struct awk_val *v = wk_awk_array_at(a, wk_awk_array_of(a, &a->globals[AWK_ARGV]), &key, false);
    if (key.has_str)
        awk_drop(a, &key);
    return v ? awk_to_str(a, v) : NULL;
}

static bool open_main(struct awk *a, struct awk_str *name)
{
    struct wk_file *f;
    struct wk_stat st;
    const char *path = wk_dupn(a->c, name->p, name->n);
    if ((name->n == 1 && *path == '-') || strcmp(path, "/dev/stdin") == 0) {
        a->input = (struct awk_input){.in = a->c->in};
        return true;
    }
    int err = wk_cmd_open(a->c, path, WK_O_RDONLY, 0, &f);
    if (!err && wk_cmd_stat(a->c, path, true, &st) == 0 && WK_S_ISDIR(st.mode)) {
        wk_cmd_close(a->c, f);
        if (!a->has_begin_file && !a->old) {
            wk_awk_warning(a, "command line argument `%s' is a directory: skipped", path);
            return false;
        }
        err = WK_EISDIR;
    }
    if (err) {
        wk_awk_set_errno(a, err);
        if (!a->exec && memchr(name->p, '=', name->n)) /* looked at as an assignment: gawk has then lost its place */
            a->pc = NULL;
        if (!a->has_begin_file)
            wk_awk_fatal(a, "cannot open file `%s' for reading: %s", path, wk_err_text(err));
        a->input =
            (struct awk_input){.in = wk_in_of(a->c, NULL, path), .eof = true, .failed = true};
        return true;
    }
    a->input = (struct awk_input){.in = wk_in_of(a->c, f, path)};
    return true;
}

/* inplace: what is printed while a file is read goes into a new one. */
static void begin_in_place(struct awk *a, const char *path)
{
    struct wk_file *f;
    struct wk_stat st;
    a->target = wk_dup(a->c, path);
    a->temp = wk_strf(a->c, "%s.%u", path, a->c->proc->pid);
    int err = wk_cmd_stat(a->c, path, true, &st);
    if (!err)
        err = wk_cmd_open(a->c, a->temp, WK_O_WRONLY | WK_O_CREAT | WK_O_EXCL, st.mode & 07777, &f);
    if (err)
        wk_awk_fatal(a, "inplace: cannot create a file beside `%s': %s", path, wk_err_text(err));
    a->standard = a->c->out;
    a->c->out = wk_out_of(a->c, f);
}

static void end_in_place(struct awk *a)
{
    uint32_t slot = wk_awk_global(a, "inplace::suffix", 15);
    struct awk_str *suffix = awk_to_str(a, &a->globals[slot]);
    int err = wk_out_close(a->c->out);
    a->c->out = a->standard;
    a->standard = NULL;
    if (!err && suffix->n)
        err = wk_at_rename(a->c, NULL, a->target, NULL,
                           wk_strf(a->c, "%s%.*s", a->target, (int)suffix->n, suffix->p), 0);
    if (!err)
        err = wk_at_rename(a->c, NULL, a->temp, NULL, a->target, 0);
    if (err)
        wk_awk_fatal(a, "inplace: cannot replace `%s': %s", a->target, wk_err_text(err));
}

/* Among the operands as they were given. */
static bool was_named(const struct awk *a, struct awk_str *name)
{
    for (int i = 0; i < a->c->nargs; i++)
        if (wk_str_is(awk_slice(name), a->c->args[i]))
            return true;
    return false;
}

/* The next file of the main input, with BEGINFILE. */
static bool next_file(struct awk *a)
{
    while (!a->input_done) {
        struct awk_str *name = NULL;
        int argc = (int)WK_MIN(awk_to_num(a, &a->globals[AWK_ARGC]), 1e9);
        a->argind++;
        if (a->argind < argc) {
            name = operand(a, a->argind);
            if (a->sandbox && name && name->n && !was_named(a, name))
                wk_awk_fatal(a, "cannot add a new file (%.*s) to ARGV in sandbox mode",
                             (int)WK_MIN(name->n, (size_t)1000), name->p);
            if (!name || name->n == 0 || assign(a, name))
                continue;
            a->any_file = true;
            a->fnr = 0;
        } else if (!a->any_file) {
            a->any_file = true;
            a->argind = argc;
        } else {
            a->input_done = true;
            return false;
        }
        if (name) {
            if (!open_main(a, name))
                continue;
            wk_awk_set_global(a, AWK_FILENAME, awk_input(awk_str_ref(name)));
            wk_awk_set_global(a, AWK_ARGIND, awk_num(a->argind));
            if (a->inplace && a->input.in != a->c->in)
                begin_in_place(a, a->input.in->name);
        } else {
            a->input = (struct awk_input){.in = a->c->in};
            wk_awk_set_global(a, AWK_FILENAME, awk_input(wk_awk_str_of(a, "-", 1)));
        }
        a->fnr = 0;
        a->input.in->quiet = true;
        if (a->has_begin_file) {
            if (!a->input.failed)
                wk_awk_set_global(a, AWK_ERRNO, awk_string(awk_str_ref(a->empty)));
            wk_awk_set_record(a, awk_str_ref(a->empty));
            const char *outer = a->rule;
            a->rule = "BEGINFILE";
            enum awk_end end = wk_awk_run(a, a->at_begin_file);
            a->rule = outer;
            if (end == AWK_EXITED)
                return false;
            if (end == AWK_NEXT_FILE) {
                wk_awk_close_input(a, &a->input);
                continue;
            }
            if (a->input.failed)
                wk_awk_fatal(a, "cannot open file `%s' for reading: %s", a->input.in->name,
                             awk_to_str(a, &a->globals[AWK_ERRNO])->p);
        }
        return true;
    }
    return false;
}

static void end_file(struct awk *a)
{
    wk_awk_close_input(a, &a->input);
    const char *outer = a->rule;
    a->rule = "ENDFILE";
    if (a->has_end_file)
        (void)wk_awk_run(a, a->at_end_file);
    a->rule = outer;
    if (a->standard)
        end_in_place(a);
}

bool wk_awk_next_main(struct awk *a, struct awk_str **text)
{
    for (;;) {
        if (!a->input.in && (a->input_done || !next_file(a)))
            return false;
        if (a->exiting)
            return false;
        if (wk_awk_read_record(a, &a->input, text)) {
            a->nr++;
            a->fnr++;
            return true;
        }
        if (a->input.in->err && !a->input.failed)
            wk_awk_fatal(a, "error reading input file `%s': %s", a->input.in->name ? a->input.in->name : "-",
                         wk_err_text(a->input.in->err));
        end_file(a);
        if (a->exiting)
            return false;
    }
}

void wk_awk_skip_file(struct awk *a)
{
    if (a->input.in)
        end_file(a);
}
