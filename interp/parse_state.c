/* parse_state.c - the parser's failures, memory and input frames */
#include "interp/lexer.h"
#include "interp/quote.h"

#include <stdarg.h>

bool wk_ps_fail(struct wk_parser *ps, int err)
{
    if (!ps->err)
        ps->err = err;
    return false;
}

bool wk_ps_nomem(struct wk_parser *ps)
{
    return wk_ps_fail(ps, -WK_ENOMEM);
}

static void give_message(struct wk_parser *ps, uint32_t line, struct wk_str text, bool is_error)
{
    if (is_error && ps->msg.n && ps->o.flags & WK_PARSE_BRIEF)
        return;
    if (is_error && !ps->msg.n) {
        wk_buf_puts(&ps->msg, text);
        ps->err_line = line;
        ps->err_depth = ps->in_comsub;
        if (ps->in_comsub && !ps->incomplete)
            ps->err_place = WK_PARSE_IN_SUBST;
        else if (ps->in_array && !ps->in_comsub)
            ps->err_place = WK_PARSE_IN_ARRAY;
    }
    if (ps->o.message && !(ps->o.flags & WK_PARSE_SILENT))
        ps->o.message(ps->o.ctx, line, text);
}

/* wk_buf_fmt takes no va_list; the few directives that messages use are done here. */
static void format(struct wk_buf *b, const char *fmt, va_list ap)
{
    for (; *fmt; fmt++) {
        if (*fmt != '%') {
            wk_buf_putc(b, *fmt);
        } else if (fmt[1] == 's') {
            wk_buf_put_c(b, va_arg(ap, const char *));
            fmt++;
        } else if (fmt[1] == 'u') {
            wk_buf_put_u64(b, va_arg(ap, unsigned));
            fmt++;
        } else if (fmt[1] == 'c') {
            wk_buf_putc(b, (char)va_arg(ap, int));
            fmt++;
        } else if (fmt[1] == '.' && fmt[2] == '*' && fmt[3] == 's') {
            int n = va_arg(ap, int);
            const char *p = va_arg(ap, const char *);
            wk_buf_put(b, p, (size_t)n);
            fmt += 3;
        }
    }
}

static void message(struct wk_parser *ps, uint32_t line, bool is_error, const char *fmt, va_list ap)
{
    struct wk_buf b;
    if (ps->quiet) {
        ps->hushed = true;
        return;
    }
    wk_buf_init(&b, ps->o.mem, SIZE_MAX);
    format(&b, fmt, ap);
    if (b.failed)
        wk_ps_nomem(ps);
    else
        give_message(ps, line, wk_buf_str(&b), is_error);
    wk_buf_release(&b);
}

bool wk_ps_error(struct wk_parser *ps, uint32_t line, const char *fmt, ...)
{
    va_list ap;
    if (ps->err && ps->err != -WK_ESYNTAX)
        return false;
    va_start(ap, fmt);
    message(ps, line, true, fmt, ap);
    va_end(ap);
    return wk_ps_fail(ps, -WK_ESYNTAX);
}

void wk_ps_warn(struct wk_parser *ps, uint32_t line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    message(ps, line, false, fmt, ap);
    va_end(ap);
}

/* What bash shows of an alias that has been read up to `p`: its value, in which the blank behind it may have taken
 * the place of the last character. False when bash reads on in the text around it. */
static bool alias_text(const struct wk_frame *f, const char *begin, const char *p, struct wk_buf *out)
{
    size_t n = f->value_len;
    wk_buf_reset(out);
    wk_buf_put(out, begin, n);
    if ((size_t)(p - begin) < n)
        return true;
    if (!n || wk_lex_is_meta((unsigned char)begin[n - 1]))
        return false;
    if (out->n)
        out->p[out->n - 1] = ' ';
    return true;
}

/* The alias that the present token comes from, as bash shows it. */
static bool present_alias(const struct wk_parser *ps, struct wk_buf *out)
{
    const char *p = ps->p, *begin = ps->begin;
    size_t i = ps->n_frames;
    for (; i > 0; i--) {
        const struct wk_frame *f = &ps->frames[i];
        if (f->kind == WK_FRAME_ALIAS && alias_text(f, begin, p, out))
            return true;
        if (f->kind != WK_FRAME_ALIAS && f->kind != WK_FRAME_PUSHED)
            return false;
        p = ps->frames[i - 1].p;
        begin = ps->frames[i - 1].begin;
    }
    return false;
}

/* The line that was last read from, for the second line of a syntax error; behind a newline the one it ended. */
static struct wk_str present_line(const struct wk_parser *ps, bool newline)
{
    size_t i = ps->n_frames;
    const char *p = ps->p, *begin = ps->begin, *end = ps->end;
    while (i > 0 && (ps->frames[i].kind == WK_FRAME_ALIAS || ps->frames[i].kind == WK_FRAME_PUSHED)) {
        i--;
        p = ps->frames[i].p;
        begin = ps->frames[i].begin;
        end = ps->frames[i].end;
    }
    if (newline && p > begin && p[-1] == '\n')
        p--;
    const char *from = p;
    while (from > begin && from[-1] != '\n')
        from--;
    const char *to = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return wk_str(from, (size_t)((to ? to : end) - from));
}

struct wk_str wk_ps_line(struct wk_parser *ps)
{
    return wk_ps_str(ps, present_line(ps, true));
}

static int clip(size_t n)
{
    return n > 1 << 30 ? 1 << 30 : (int)n;
}

struct wk_str wk_tok_text(const struct wk_token *t)
{
    static const char *const texts[] = {
#define TEXT(name, text) [WK_TOK_##name] = (text),
        WK_TOK_LIST(TEXT)
#undef TEXT
    };
    if (t->kind == WK_TOK_WORD || t->kind == WK_TOK_ASSIGN)
        return t->s;
    return wk_str_c(texts[t->kind]);
}

/* For tokens that have no text of their own bash shows what stands in the line around the place that it
 * has come to: here the first character after the token, and back to a blank or ; | &. */
static struct wk_str text_around(struct wk_str line, size_t at)
{
    size_t from = at;
    while (from > 0 && !memchr(" \n\t;|&", line.p[from], 6))
        from--;
    while (from < at && (line.p[from] == ' ' || line.p[from] == '\t'))
        from++;
    return wk_str(line.p + from, at + 1 - from);
}

/* In what was read of a (( that no )) closes, and is read again: all of it, with the character behind it. */
static struct wk_str pushed_line(struct wk_parser *ps)
{
    const struct wk_frame *f = ps->n_frames ? &ps->frames[ps->n_frames - 1] : NULL;
    if (!f || !ps->frames[ps->n_frames].dparen)
        return wk_str(NULL, 0);
    struct wk_buf b;
    wk_buf_init(&b, ps->o.mem, SIZE_MAX / 2);
    wk_buf_put(&b, ps->begin, (size_t)(ps->end - ps->begin));
    if (f->p < f->end && *f->p != '\n')
        wk_buf_putc(&b, *f->p);
    struct wk_str s = wk_ps_str(ps, wk_buf_str(&b));
    wk_buf_release(&b);
    return s;
}

/* Reads what stands behind an unexpected (( where a command might begin, as bash does before it minds: an expression is
 * one token then, named by its text. Else what was read, with the character behind it, is the line to show. */
static bool unexpected_dparen(struct wk_parser *ps, struct wk_str *text, struct wk_str *again)
{
    enum { RES = 128 };
    uint8_t before = ps->prev[1];
    bool may = before == WK_TOK_RPAREN || (before == WK_TOK_WORD && ps->prev[2] == WK_TOK_RPAREN) ||
               before == (RES | WK_RES_RBRACE) || before == (RES | WK_RES_FI) || before == (RES | WK_RES_DONE) ||
               before == (RES | WK_RES_ESAC) || before == (RES | WK_RES_RCOND);
    if (ps->tok.kind != WK_TOK_LPAREN || !may || ps->p == ps->begin || ps->p[-1] != '(' || wk_ps_peek(ps) != '(')
        return false;
    bool closed;
    ps->p--;
    struct wk_arith *e = wk_parse_dparen(ps, &closed);
    if (e && closed) {
        *text = e->text;
        return true;
    }
    if (!ps->err) {
        *again = pushed_line(ps);
        for (const char *c = ps->p; c < ps->end; c++)
            ps->line += *c == '\n';
    }
    return false;
}

bool wk_ps_unexpected(struct wk_parser *ps)
{
    const struct wk_token *t = &ps->tok;
    if (ps->err)
        return false;
    struct wk_str expr = {0}, again = {0};
    bool whole = unexpected_dparen(ps, &expr, &again);
    if (ps->err)
        return false;
    if (t->kind == WK_TOK_EOF) {
        if (ps->in_comsub) {
            wk_ps_eof_in(ps, ')', ps->line);
            if (ps->err_place == WK_PARSE_OPEN)
                ps->err_place = WK_PARSE_IN_TEXT;
            return false;
        }
        ps->incomplete = true;
        return wk_ps_error(ps, ps->line, "syntax error: unexpected end of file");
    }
    bool newline = t->kind == WK_TOK_NEWLINE;
    if (!again.p && !newline)
        again = pushed_line(ps);
    uint32_t line = newline ? wk_ps_newline_line(ps) : ps->line - (ps->error_line.p != NULL);
    struct wk_str l = ps->error_line.p      ? ps->error_line
                      : newline && t->s.n ? t->s
                      : ps->eof           ? WK_STR("")
                                          : present_line(ps, newline);
    if (t->kind == WK_TOK_IO_NUMBER) {
        wk_ps_error(ps, line, "syntax error near unexpected token `%u'", t->num);
    } else if (t->kind == WK_TOK_IO_VAR && ps->p > l.p && ps->p < l.p + l.n) {
        struct wk_str s = text_around(l, (size_t)(ps->p - l.p));
        wk_ps_error(ps, line, "syntax error near `%.*s'", clip(s.n), s.p);
    } else {
        struct wk_buf shown;
        struct wk_str s = whole ? expr : wk_tok_text(t);
        wk_buf_init(&shown, ps->o.mem, SIZE_MAX / 2);
        bool bytes = ps->o.flags & WK_PARSE_BYTES;
        if (!wk_printable(s, bytes) && wk_quote_single(&shown, s, bytes))
            s = wk_buf_str(&shown);
        wk_ps_error(ps, line, "syntax error near unexpected token `%.*s'", clip(s.n), s.p);
        wk_buf_release(&shown);
    }
    struct wk_buf alias;
    wk_buf_init(&alias, ps->o.mem, SIZE_MAX / 2);
    if (again.p)
        l = again;
    else if (!newline && present_alias(ps, &alias))
        l = wk_buf_str(&alias);
    wk_ps_error(ps, line, "`%.*s'", clip(l.n), l.p ? l.p : "");
    wk_buf_release(&alias);
    return false;
}

bool wk_ps_eof_in(struct wk_parser *ps, char c, uint32_t line)
{
    if (ps->err)
        return false;
    ps->incomplete = true;
    wk_ps_error(ps, line, "unexpected EOF while looking for matching `%c'", c);
    if (!ps->in_comsub)
        wk_heredoc_give_up(ps);
    /* Each $( ) around comes to the end once more. */
    ps->line += c == ')' ? WK_MAX(ps->in_comsub, 2) - 2 : ps->in_comsub;
    if (ps->err_place == WK_PARSE_IN_TEXT && !ps->quiet)
        ps->err_place = WK_PARSE_OPEN;
    return false;
}

bool wk_ps_deep(struct wk_parser *ps, int (*fn)(void *arg), void *arg)
{
    if (!ps->o.deep)
        return wk_ps_fail(ps, -WK_ELIMIT);
    int r = ps->o.deep(ps->o.ctx, fn, arg, &ps->o.stack_floor);
    return r < 0 ? wk_ps_fail(ps, r) : true;
}

void *wk_ps_alloc(struct wk_parser *ps, size_t n)
{
    void *p = wk_arena_alloc(ps->arena, n);
    if (WK_UNLIKELY(!p)) {
        wk_ps_nomem(ps);
        return NULL;
    }
    return memset(p, 0, n);
}

char *wk_ps_strndup(struct wk_parser *ps, const char *p, size_t n)
{
    if (n > INT32_MAX) {
        wk_ps_fail(ps, -WK_ELIMIT);
        return NULL;
    }
    char *q = wk_arena_strndup(ps->arena, p, n);
    if (!q)
        wk_ps_nomem(ps);
    return q;
}

struct wk_str wk_ps_str(struct wk_parser *ps, struct wk_str s)
{
    char *p = wk_ps_strndup(ps, s.p, s.n);
    return p ? wk_str(p, s.n) : wk_str("", 0);
}

bool wk_ps_push(struct wk_parser *ps, const void *p, size_t n)
{
    struct wk_stk *s = &ps->stk;
    if (n > s->cap - s->n && !wk_vec_grow(ps->o.mem, &s->p, &s->cap, s->n + n, 1))
        return wk_ps_nomem(ps);
    memcpy(s->p + s->n, p, n);
    s->n += n;
    return true;
}

void *wk_ps_pop(struct wk_parser *ps, size_t from, size_t size, uint32_t *n)
{
    size_t bytes = ps->stk.n - from;
    if (bytes / size > UINT32_MAX) {
        wk_ps_fail(ps, -WK_ELIMIT);
        return NULL;
    }
    *n = (uint32_t)(bytes / size);
    void *p = wk_arena_alloc(ps->arena, bytes ? bytes : 8);
    ps->stk.n = from;
    if (!p) {
        *n = 0;
        wk_ps_nomem(ps);
        return NULL;
    }
    if (bytes)
        memcpy(p, ps->stk.p + from, bytes);
    return p;
}

uint32_t wk_ps_name(struct wk_parser *ps, struct wk_str s)
{
    uint32_t id = wk_names_intern(ps->o.names, s);
    if (id == WK_NAME_NONE)
        wk_ps_nomem(ps);
    return id;
}

bool wk_ps_frame(struct wk_parser *ps, enum wk_frame_kind kind, struct wk_str s)
{
    if (!wk_vec_grow(ps->o.mem, &ps->frames, &ps->cap_frames, ps->n_frames + 2, sizeof *ps->frames))
        return wk_ps_nomem(ps);
    struct wk_frame *f = &ps->frames[ps->n_frames];
    f->p = ps->p;
    f->end = ps->end;
    f->begin = ps->begin;
    ps->n_frames++;
    ps->frames[ps->n_frames] = (struct wk_frame){.kind = (uint8_t)kind, .alias = WK_NAME_NONE};
    ps->p = ps->begin = s.p;
    ps->end = s.p + s.n;
    return true;
}

bool wk_ps_divert(struct wk_parser *ps, struct wk_saved *sv, struct wk_str s, uint32_t line)
{
    *sv = (struct wk_saved){.tok = ps->tok,
                            .have_tok = ps->have_tok,
                            .alias_next = ps->alias_next,
                            .quiet = ps->quiet,
                            .continued = ps->continued,
                            .plain_dollar = ps->plain_dollar,
                            .line = ps->line,
                            .depth = ps->depth,
                            .docs_base = ps->docs_base,
                            .n_frames = ps->n_frames,
                            .n_docs = ps->n_docs,
                            .stk = ps->stk.n,
                            .src = ps->src.n};
    if (!wk_ps_frame(ps, WK_FRAME_BARRIER, s))
        return false;
    ps->have_tok = ps->plain_dollar = false;
    ps->alias_next = 0;
    ps->docs_base = ps->n_docs;
    ps->line = line;
    return true;
}

void wk_ps_return(struct wk_parser *ps, const struct wk_saved *sv)
{
    if (ps->n_frames > sv->n_frames) {
        const struct wk_frame *f = &ps->frames[sv->n_frames];
        ps->p = f->p;
        ps->end = f->end;
        ps->begin = f->begin;
        ps->n_frames = sv->n_frames;
    }
    ps->tok = sv->tok;
    ps->have_tok = sv->have_tok;
    ps->alias_next = sv->alias_next;
    ps->quiet = sv->quiet;
    ps->continued = sv->continued;
    ps->plain_dollar = sv->plain_dollar;
    ps->line = sv->line;
    ps->depth = sv->depth;
    ps->docs_base = sv->docs_base;
    ps->n_docs = sv->n_docs;
    ps->stk.n = sv->stk;
    if (ps->src.n > sv->src)
        ps->src.n = sv->src;
}

void wk_ps_base(struct wk_parser *ps)
{
    if (!ps->n_frames)
        return;
    const struct wk_frame *f = &ps->frames[0];
    ps->p = f->p;
    ps->end = f->end;
    ps->begin = f->begin;
    ps->n_frames = 0;
}

/* Newlines before the last byte. */
static uint32_t inner_lines(struct wk_str s)
{
    uint32_t n = 0;
    for (const char *p = s.p, *end = s.p + s.n; (p = memchr(p, '\n', (size_t)(end - p))) && ++p < end;)
        n++;
    return n;
}

bool wk_ends_in_backslash(struct wk_str s)
{
    bool odd = false;
    while (s.n && s.p[s.n - 1] == '\\') {
        odd = !odd;
        s.n--;
    }
    return odd;
}

/* A backslash at the very end: one in a file quotes the newline that ends the last line, one in a text itself. */
static void close_line(struct wk_parser *ps, struct wk_str line)
{
    if (!wk_ends_in_backslash(line))
        return;
    wk_buf_putc(&ps->linebuf, ps->o.more_is_file ? '\n' : '\\');
    ps->eof_open = !ps->o.more_is_file;
}

bool wk_ps_read_on(struct wk_parser *ps)
{
    struct wk_str line = {0};
    size_t at = (size_t)(ps->p - ps->begin);
    if (ps->n_frames || !ps->o.more || ps->eof || ps->err || ps->begin != ps->linebuf.p)
        return false;
    int r = ps->o.more(ps->o.ctx, true, &line);
    if (r <= 0 || line.n > INT32_MAX)
        return r < 0 ? wk_ps_fail(ps, r) : false;
    if (ps->o.flags & WK_PARSE_KEEP_TEXT)
        wk_buf_puts(&ps->keep, line);
    wk_buf_puts(&ps->linebuf, line);
    close_line(ps, line);
    ps->begin = wk_buf_c(&ps->linebuf);
    ps->p = ps->begin + at;
    ps->end = ps->begin + ps->linebuf.n;
    return ps->linebuf.failed ? wk_ps_nomem(ps) : true;
}

/* Goes to the next text after the present frame is used up; false at the end. */
static bool refill(struct wk_parser *ps)
{
    for (;;) {
        if (ps->p < ps->end)
            return true;
        struct wk_frame *f = &ps->frames[ps->n_frames];
        if (f->kind == WK_FRAME_BARRIER || ps->err)
            return false;
        if (f->kind != WK_FRAME_BASE) {
            bool next = f->alias_next; /* the outermost that ends here decides */
            ps->n_frames--;
            f = &ps->frames[ps->n_frames];
            ps->alias_next = next ? f->kind == WK_FRAME_ALIAS ? 1 : 2 : 0; /* bash tries twice in the text */
            ps->p = f->p;
            ps->end = f->end;
            ps->begin = f->begin;
            continue;
        }
        if (ps->eof)
            return false;
        if (ps->o.more) {
            struct wk_str line = {0};
            int r = ps->o.more(ps->o.ctx, ps->continued, &line);
            ps->continued = true;
            ps->commented = false;
            if (r < 0)
                return wk_ps_fail(ps, r);
            if (r > 0) {
                if (line.n > INT32_MAX)
                    return wk_ps_fail(ps, -WK_ELIMIT);
                wk_buf_reset(&ps->linebuf);
                wk_buf_puts(&ps->linebuf, line);
                close_line(ps, line);
                if (ps->linebuf.failed)
                    return wk_ps_nomem(ps);
                ps->p = ps->begin = wk_buf_c(&ps->linebuf);
                ps->end = ps->p + ps->linebuf.n;
                if (ps->o.more_is_line)
                    ps->line -= WK_MIN(inner_lines(line), ps->line - 1);
                if (ps->o.flags & WK_PARSE_KEEP_TEXT)
                    wk_buf_puts(&ps->keep, line);
                ps->eof_newline = false;
                continue;
            }
        }
        if (ps->begin < ps->end && ps->end[-1] != '\n' && !ps->eof_newline && !ps->eof_open) {
            ps->eof_newline = true; /* bash ends the last line, too */
            return wk_ps_frame(ps, WK_FRAME_PUSHED, WK_STR("\n"));
        }
        ps->eof = true;
        ps->line += ps->eof_open;
        return false;
    }
}

int wk_ps_peek_raw(struct wk_parser *ps)
{
    for (;;) {
        if (ps->p == ps->end && !refill(ps))
            return WK_PS_EOF;
        if (*ps->p != '\0')
            return (unsigned char)*ps->p;
        ps->p++; /* NUL bytes are ignored */
    }
}

int wk_ps_peek_slow(struct wk_parser *ps)
{
    for (;;) {
        int c = wk_ps_peek_raw(ps);
        if (c != '\\' || wk_ps_peek2(ps) != '\n')
            return c;
        ps->p++;
        wk_ps_skip(ps);
    }
}

bool wk_ps_join(struct wk_parser *ps)
{
    struct wk_buf b;
    wk_buf_init(&b, ps->o.mem, INT32_MAX);
    for (bool joined = false;;) {
        joined = joined || wk_ps_parted(ps, 0);
        int c = wk_ps_peek(ps);
        if (c == WK_PS_EOF || strchr("\n\\'\"`$", c) || ps->err)
            break;
        wk_buf_putc(&b, (char)c);
        wk_ps_skip(ps);
        if (joined && strchr(" \t;&|()<>", c))
            break;
    }
    char *p = b.failed ? NULL : wk_arena_strndup(&ps->alias_arena, b.n ? b.p : "", b.n);
    size_t n = b.n;
    wk_buf_release(&b);
    if (!p)
        return wk_ps_nomem(ps);
    return !ps->err && (n == 0 || wk_ps_frame(ps, WK_FRAME_PUSHED, wk_str(p, n)));
}
