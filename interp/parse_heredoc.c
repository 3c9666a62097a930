/* parse_heredoc.c - bodies of here-documents */
#include "interp/lexer.h"

enum { DOCS_MAX = 16 }; /* that may wait for their bodies */

bool wk_heredoc_add(struct wk_parser *ps, struct wk_redir *r)
{
    if (ps->n_docs - ps->docs_base >= DOCS_MAX) {
        ps->err_place = WK_PARSE_TOO_MANY;
        return wk_ps_error(ps, ps->line, "maximum here-document count exceeded");
    }
    if (!wk_vec_grow(ps->o.mem, &ps->docs, &ps->cap_docs, ps->n_docs + 1, sizeof *ps->docs))
        return wk_ps_nomem(ps);
    ps->docs[ps->n_docs++].redir = r;
    return true;
}

/* Appends a line with its newline to ps->body; false at the end of the input (nothing read). */
static bool raw_line(struct wk_parser *ps)
{
    size_t before = ps->body.n;
    for (;;) {
        if (ps->p == ps->end || *ps->p == '\0') {
            if (wk_ps_peek_raw(ps) == WK_PS_EOF)
                return ps->body.n > before;
        }
        size_t room = (size_t)(ps->end - ps->p);
        const char *nl = memchr(ps->p, '\n', room);
        const char *to = nl ? nl + 1 : ps->end;
        const char *nul = memchr(ps->p, '\0', (size_t)(to - ps->p));
        if (nul) {
            to = nul;
            nl = NULL;
        }
        wk_buf_put(&ps->body, ps->p, (size_t)(to - ps->p));
        ps->p = to;
        if (nl) {
            if (ps->frames[ps->n_frames].kind != WK_FRAME_ALIAS)
                ps->line++;
            return true;
        }
    }
}

static bool odd_backslash(const struct wk_buf *b, size_t from)
{
    if (b->n < from + 2 || b->p[b->n - 1] != '\n')
        return false;
    size_t k = b->n - 1, n = 0;
    while (k > from && b->p[k - 1] == '\\') {
        k--;
        n++;
    }
    return n & 1;
}

/* One line as the delimiter is compared with: joined at backslash-newline, tabs stripped. */
static bool logical_line(struct wk_parser *ps, const struct wk_redir *r)
{
    size_t from = ps->body.n;
    bool got = false, joined = false;
    while (raw_line(ps)) {
        got = true;
        joined = !(r->flags & WK_REDIR_QUOTED) && odd_backslash(&ps->body, from);
        if (!joined)
            break;
        ps->body.n -= 2;
    }
    if (joined && ps->eof) { /* the end ends the line */
        wk_buf_putc(&ps->body, '\n');
        ps->line++;
    }
    if (!got || ps->body.failed)
        return false;
    struct wk_str line = wk_str(ps->body.p + from, ps->body.n - from);
    if (line.n && line.p[line.n - 1] == '\n')
        line.n--;
    /* A delimiter may begin with tabs itself. */
    if (r->flags & WK_REDIR_STRIP && !wk_str_eq(line, r->end)) {
        size_t k = from;
        while (k < ps->body.n && ps->body.p[k] == '\t')
            k++;
        memmove(ps->body.p + from, ps->body.p + k, ps->body.n - k);
        ps->body.n -= k - from;
    }
    return true;
}

/* "E)" inside $( ) ends the document too; the rest of the line is given back. */
static bool ends_at_paren(struct wk_parser *ps, struct wk_str line, struct wk_str end)
{
    if (line.n <= end.n || !wk_str_starts(line, end) || line.p[end.n] != ')')
        return false;
    size_t rest = line.n - end.n;
    struct wk_frame *f = &ps->frames[ps->n_frames];
    if (f->kind == WK_FRAME_PUSHED && ps->eof_newline) { /* the newline was made up: drop it */
        f--;
        rest--;
        if (rest > (size_t)(f->p - f->begin) || memcmp(f->p - rest, line.p + end.n, rest) != 0)
            return false;
        ps->p = f->p - rest;
        ps->end = f->end;
        ps->begin = f->begin;
        ps->n_frames--;
        ps->eof_newline = false;
        ps->line--;
        return true;
    }
    if (rest > (size_t)(ps->p - ps->begin) || memcmp(ps->p - rest, line.p + end.n, rest) != 0)
        return false;
    ps->p -= rest;
    if (line.p[line.n - 1] == '\n')
        ps->line--;
    return true;
}

static void warn_cut(struct wk_parser *ps, uint32_t line, uint32_t start, const struct wk_redir *r)
{
    wk_ps_warn(ps, line,
               "warning: here-document at line %u delimited by end-of-file (wanted `%.*s')", start,
               (int)r->end.n, r->end.p);
}

void wk_heredoc_give_up(struct wk_parser *ps)
{
    for (size_t i = ps->docs_base; i < ps->n_docs; i++)
        warn_cut(ps, ps->line + 1, ps->line + 1, ps->docs[i].redir);
}

/* Reads the raw body into ps->body. */
static bool read_body(struct wk_parser *ps, const struct wk_redir *r)
{
    uint32_t start = ps->line;
    wk_buf_reset(&ps->body);
    for (;;) {
        size_t from = ps->body.n;
        if (!logical_line(ps, r)) {
            if (ps->err || ps->body.failed)
                return ps->body.failed ? wk_ps_nomem(ps) : false;
            ps->incomplete = true;
            warn_cut(ps, ps->line - 1, start - 1, r);
            return !ps->err;
        }
        struct wk_str line = wk_str(ps->body.p + from, ps->body.n - from);
        if (line.n == r->end.n + 1 && line.p[r->end.n] == '\n' && wk_str_starts(line, r->end)) {
            ps->body.n = from;
            return true;
        }
        if (ps->in_comsub && ends_at_paren(ps, line, r->end)) {
            ps->body.n = from;
            warn_cut(ps, ps->line, start - 1, r);
            return !ps->err;
        }
        if (wk_str_eq(line, r->end) && line.p[line.n - 1] != '\n') { /* last line without newline */
            ps->body.n = from;
            return true;
        }
    }
}

static bool has_expansion(struct wk_str s)
{
    return memchr(s.p, '$', s.n) || memchr(s.p, '`', s.n) || memchr(s.p, '\\', s.n);
}

/* A body with an expansion that is left open or wrong, `at` bytes behind its beginning: told when it is come to. */
static struct wk_word *bad_body(struct wk_parser *ps, struct wk_str s, size_t at, uint32_t line)
{
    struct wk_saved sv;
    struct wk_wb b;
    struct wk_word *w = NULL;
    struct wk_param *p = WK_PS_NEW(ps, struct wk_param);
    if (!p || !wk_ps_divert(ps, &sv, wk_str_take(s, at), line))
        return NULL;
    p->kind = WK_PARAM_BAD;
    p->transform = WK_PARAM_BAD_DOC;
    p->source = s;
    p->prefix = wk_str_from(s, at);
    struct wk_seg seg = {.kind = WK_SEG_PARAM, .u.param = p};
    wk_wb_init(ps, &b, WK_SCAN_HEREDOC);
    if (wk_wb_scan(ps, &b) && wk_wb_before(ps, &b) && wk_wb_seg(ps, &b, &seg))
        w = wk_wb_done(ps, &b, true);
    wk_ps_return(ps, &sv);
    return w;
}

/* Makes the body's word from ps->body. */
static bool make_body(struct wk_parser *ps, struct wk_redir *r, uint32_t line)
{
    if (!ps->body.n)
        return true;
    struct wk_str s = wk_ps_str(ps, wk_buf_str(&ps->body));
    if (ps->err)
        return false;
    if ((r->flags & WK_REDIR_QUOTED) || !has_expansion(s)) {
        r->word = wk_word_plain(ps, s, line);
        if (r->word)
            r->word->segs[0].flags = WK_SEG_QUOTED;
        return r->word != NULL;
    }
    bool incomplete = ps->incomplete;
    struct wk_saved sv;
    struct wk_wb b;
    if (!wk_ps_divert(ps, &sv, s, line))
        return false;
    ps->quiet = true;
    const char *doc_at = ps->doc_at;
    ps->doc_at = s.p;
    bool outer = ps->unquoted_text;
    ps->unquoted_text = true;
    wk_wb_init(ps, &b, WK_SCAN_HEREDOC);
    if (wk_wb_scan(ps, &b))
        r->word = wk_wb_done(ps, &b, true);
    ps->unquoted_text = outer;
    wk_ps_return(ps, &sv);
    ps->incomplete = incomplete;
    if (!r->word && ps->err == -WK_ESYNTAX) { /* bash notices when it expands the body */
        ps->err = 0;
        ps->in_array = false;
        ps->src.n = sv.src;
        bool within = ps->doc_at >= s.p && ps->doc_at <= s.p + s.n; /* not in what was joined */
        r->word = bad_body(ps, s, within ? (size_t)(ps->doc_at - s.p) : 0, line);
    }
    ps->doc_at = doc_at;
    if (!r->word)
        return false;
    r->word->source = s.p;
    r->word->source_len = (uint32_t)s.n;
    return true;
}

bool wk_heredoc_read(struct wk_parser *ps)
{
    uint8_t outer = ps->in_heredoc;
    for (size_t i = ps->docs_base; i < ps->n_docs; i++) {
        struct wk_redir *r = ps->docs[i].redir;
        ps->in_heredoc = r->flags & WK_REDIR_QUOTED ? WK_SHOW_LINE : WK_SHOW_JOINED;
        uint32_t line = ps->line;
        if (!read_body(ps, r) || !make_body(ps, r, line))
            return false; /* start_command puts in_heredoc back */
    }
    ps->in_heredoc = outer;
    ps->n_docs = ps->docs_base;
    return true;
}

bool wk_heredoc_before_error(struct wk_parser *ps)
{
    if (ps->n_docs == ps->docs_base || (ps->tok.kind == WK_TOK_LPAREN && wk_ps_peek(ps) == '('))
        return true;
    ps->error_line = wk_ps_line(ps);
    wk_ps_base(ps);
    int c;
    do {
        c = wk_ps_peek_raw(ps);
        if (c != WK_PS_EOF)
            wk_ps_skip(ps);
    } while (c != '\n' && c != WK_PS_EOF);
    return wk_heredoc_read(ps) && !ps->err;
}

bool wk_heredoc_flush(struct wk_parser *ps)
{
    size_t n = ps->n_docs - ps->docs_base;
    if (n)
        wk_ps_warn(ps, ps->line, "warning: command substitution: %u unterminated here-document%s",
                   (unsigned)n, n == 1 ? "" : "s");
    return !ps->err;
}
