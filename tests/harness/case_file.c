/* case_file.c - reading case files */
#include "tests/harness/case_file.h"

#include "base/base64.h"
#include "base/num.h"

enum part { PART_NONE, PART_FILE, PART_IN, PART_RUN, PART_ARGS, PART_OUT, PART_ERR, PART_TREE };

struct reader {
    struct wk_arena *arena;
    struct wk_case_file *file;
    struct wk_case *now;
    struct wk_case **last_case;
    struct wk_case_input **last_input;
    enum part part;
    bool no_newline, base64;
    struct wk_buf body;
    bool blank; /* an empty line of the body is held back: in front of a case it only separates */
    size_t line;
};

static bool fail(struct reader *r, const char *what)
{
    if (!r->file->bad) {
        r->file->bad = what;
        r->file->bad_line = r->line;
    }
    return false;
}

static bool keep(struct reader *r, struct wk_str s, struct wk_str *out)
{
    char *p = wk_arena_strndup(r->arena, s.p, s.n);
    *out = wk_str(p, s.n);
    return p || fail(r, "out of memory");
}

/* The body of the part that ends here, decoded. */
static bool body_of(struct reader *r, struct wk_str *out)
{
    struct wk_str s = wk_buf_str(&r->body);
    if (r->base64) {
        struct wk_buf plain;
        wk_buf_init(&plain, r->body.mem, SIZE_MAX / 2);
        bool ok = wk_base64_get(&plain, s) == 0 || fail(r, "not base64");
        ok = ok && keep(r, wk_buf_str(&plain), out);
        wk_buf_release(&plain);
        return ok;
    }
    if (r->no_newline && wk_str_ends(s, WK_STR("\n")))
        s.n--;
    return keep(r, s, out);
}

static bool split_args(struct reader *r)
{
    struct wk_str s;
    size_t n = 0, cap = 0;
    if (!body_of(r, &s))
        return false;
    for (size_t i = 0; i < s.n; i++)
        cap += s.p[i] == '\n';
    r->now->args = wk_arena_zalloc(r->arena, (cap + 1) * sizeof *r->now->args);
    if (!r->now->args)
        return fail(r, "out of memory");
    while (s.n) {
        ptrdiff_t nl = wk_str_chr(s, '\n');
        size_t len = nl < 0 ? s.n : (size_t)nl;
        if (!keep(r, wk_str_take(s, len), &r->now->args[n++])) /* with a NUL behind */
            return false;
        s = wk_str_from(s, len + 1);
    }
    r->now->n_args = n;
    return true;
}

static bool end_part(struct reader *r)
{
    struct wk_case *c = r->now;
    enum part part = r->part;
    r->part = PART_NONE;
    bool ok = true;
    switch (part) {
    case PART_NONE:
        break;
    case PART_FILE:
        ok = body_of(r, &(*r->last_input)->data);
        r->last_input = &(*r->last_input)->next;
        break;
    case PART_IN:
        ok = body_of(r, &c->in);
        break;
    case PART_RUN:
        ok = body_of(r, &c->run);
        break;
    case PART_ARGS:
        ok = split_args(r);
        break;
    case PART_OUT:
        c->has_out = true;
        ok = body_of(r, &c->out);
        break;
    case PART_ERR:
        c->has_err = true;
        ok = body_of(r, &c->err);
        break;
    case PART_TREE:
        c->has_tree = true;
        ok = body_of(r, &c->tree);
        break;
    }
    wk_buf_reset(&r->body);
    r->no_newline = r->base64 = false;
    return ok;
}

static struct wk_str next_word(struct wk_str *s)
{
    *s = wk_str_trim(*s);
    size_t n = 0;
    while (n < s->n && !wk_is_space((unsigned char)s->p[n]))
        n++;
    struct wk_str word = wk_str_take(*s, n);
    *s = wk_str_from(*s, n);
    return word;
}

static bool start_file(struct reader *r, struct wk_str path, struct wk_str *rest)
{
    struct wk_case_input *f = WK_ARENA_NEW(r->arena, struct wk_case_input);
    if (!f || !keep(r, path, &f->path))
        return fail(r, "out of memory");
    if (path.n == 0)
        return fail(r, "file without a path");
    struct wk_str peek = *rest;
    struct wk_str mode = next_word(&peek);
    uint64_t v;
    if (mode.n == 3 && wk_parse_u64(mode, 8, &v) == 0) {
        f->mode = (uint32_t)v;
        *rest = peek;
    }
    *r->last_input = f;
    return true;
}

/* A line "--- keyword rest". */
static bool start_part(struct reader *r, struct wk_str line)
{
    if (!r->now)
        return fail(r, "a part before the first case");
    if (!end_part(r))
        return false;
    struct wk_str rest = line, word = next_word(&rest), flag;
    if (wk_str_is(word, "status")) {
        int64_t v;
        if (wk_parse_i64(wk_str_trim(rest), 10, &v) || v < 0 || v > 255)
            return fail(r, "bad status");
        r->now->status = (int)v;
        return true;
    }
    if (wk_str_is(word, "differs")) { /* what follows is our own answer; the tool's came before */
        r->now->differs = true;
        r->now->has_err = false;
        return true;
    }
    if (wk_str_is(word, "from") || wk_str_is(word, "spec") || wk_str_is(word, "needs"))
        return true;
    if (wk_str_is(word, "file"))
        r->part = PART_FILE;
    else if (wk_str_is(word, "in"))
        r->part = PART_IN;
    else if (wk_str_is(word, "run"))
        r->part = PART_RUN;
    else if (wk_str_is(word, "args"))
        r->part = PART_ARGS;
    else if (wk_str_is(word, "out"))
        r->part = PART_OUT;
    else if (wk_str_is(word, "err"))
        r->part = PART_ERR;
    else if (wk_str_is(word, "tree"))
        r->part = PART_TREE;
    else
        return fail(r, "unknown part");
    if (r->part == PART_FILE && !start_file(r, next_word(&rest), &rest))
        return false;
    while ((flag = next_word(&rest)).n) {
        if (wk_str_is(flag, "no-newline"))
            r->no_newline = true;
        else if (wk_str_is(flag, "base64"))
            r->base64 = true;
        else
            return fail(r, "unknown flag of a part");
    }
    return true;
}

static bool start_case(struct reader *r, struct wk_str name)
{
    if (!end_part(r))
        return false;
    if (r->now && r->now->run.n == 0)
        return fail(r, "the case before has nothing to run");
    struct wk_case *c = WK_ARENA_NEW(r->arena, struct wk_case);
    if (!c || !keep(r, wk_str_trim(name), &c->name))
        return fail(r, "out of memory");
    c->line = r->line;
    for (struct wk_case *o = r->file->cases; o; o = o->next)
        if (wk_str_eq(o->name, c->name))
            return fail(r, "two cases of one name");
    *r->last_case = c;
    r->last_case = &c->next;
    r->last_input = &c->files;
    r->now = c;
    r->file->count++;
    return true;
}

static bool take_line(struct reader *r, struct wk_str line, bool newline)
{
    if (wk_str_starts(line, WK_STR("=== "))) {
        r->blank = false;
        return start_case(r, wk_str_from(line, 4));
    }
    if (r->blank) {
        wk_buf_putc(&r->body, '\n');
        r->blank = false;
    }
    if (wk_str_starts(line, WK_STR("--- ")))
        return start_part(r, wk_str_from(line, 4));
    if (r->part == PART_NONE) {
        bool comment = line.n == 0 || line.p[0] == '#';
        return comment || fail(r, "text outside of a part");
    }
    if (line.n == 0 && newline) {
        r->blank = true;
        return true;
    }
    /* \--- and \=== stand for lines that look like ours. */
    if (wk_str_starts(line, WK_STR("\\---")) || wk_str_starts(line, WK_STR("\\===")) ||
        wk_str_starts(line, WK_STR("\\\\---")) || wk_str_starts(line, WK_STR("\\\\===")))
        line = wk_str_from(line, 1);
    wk_buf_puts(&r->body, line);
    if (newline)
        wk_buf_putc(&r->body, '\n');
    return !r->body.failed || fail(r, "out of memory");
}

bool wk_case_parse(struct wk_arena *a, struct wk_str text, struct wk_case_file *out)
{
    *out = (struct wk_case_file){0};
    struct reader r = {.arena = a, .file = out, .last_case = &out->cases};
    wk_buf_init(&r.body, a->mem, SIZE_MAX / 2);
    bool ok = true;
    while (ok && text.n) {
        ptrdiff_t nl = wk_str_chr(text, '\n');
        size_t len = nl < 0 ? text.n : (size_t)nl;
        r.line++;
        ok = take_line(&r, wk_str_take(text, len), nl >= 0);
        text = wk_str_from(text, len + 1);
    }
    if (r.blank)
        wk_buf_putc(&r.body, '\n');
    ok = ok && end_part(&r);
    if (ok && r.now && r.now->run.n == 0)
        ok = fail(&r, "the last case has nothing to run");
    wk_buf_release(&r.body);
    return ok;
}
