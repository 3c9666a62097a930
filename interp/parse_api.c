/* parse_api.c - the parser's interface: commands from a source, and texts at run time */
#include "interp/lexer.h"

static bool set_up(struct wk_parser *ps, const struct wk_parse_opts *o, struct wk_str text)
{
    memset(ps, 0, sizeof *ps);
    ps->o = *o;
    if (!ps->o.max_depth)
        ps->o.max_depth = 1000;
    ps->line = o->first_line || o->flags & WK_PARSE_FROM_ZERO ? o->first_line : 1;
    ps->text = text;
    ps->p = ps->begin = text.p ? text.p : "";
    ps->end = ps->p + text.n;
    wk_buf_init(&ps->src, o->mem, INT32_MAX);
    wk_buf_init(&ps->lit, o->mem, INT32_MAX);
    wk_buf_init(&ps->pat, o->mem, INT32_MAX);
    wk_buf_init(&ps->body, o->mem, INT32_MAX);
    wk_buf_init(&ps->linebuf, o->mem, INT32_MAX);
    wk_buf_init(&ps->msg, o->mem, INT32_MAX);
    wk_buf_init(&ps->keep, o->mem, INT32_MAX);
    wk_arena_init(&ps->alias_arena, o->mem);
    if (!wk_vec_grow(o->mem, &ps->frames, &ps->cap_frames, 1, sizeof *ps->frames))
        return false;
    ps->frames[0] = (struct wk_frame){.kind = WK_FRAME_BASE, .alias = WK_NAME_NONE};
    return true;
}

static void tear_down(struct wk_parser *ps)
{
    wk_free(ps->o.mem, ps->frames);
    wk_free(ps->o.mem, ps->stk.p);
    wk_free(ps->o.mem, ps->docs);
    wk_buf_release(&ps->src);
    wk_buf_release(&ps->lit);
    wk_buf_release(&ps->pat);
    wk_buf_release(&ps->body);
    wk_buf_release(&ps->linebuf);
    wk_buf_release(&ps->msg);
    wk_buf_release(&ps->keep);
    wk_arena_release(&ps->alias_arena);
}

/* A backslash at the end of the text quotes itself. */
static bool close_text(struct wk_parser *ps)
{
    if (ps->o.more || WK_LIKELY(!wk_ends_in_backslash(ps->text)))
        return true;
    wk_buf_puts(&ps->linebuf, ps->text);
    if (!wk_buf_putc(&ps->linebuf, '\\'))
        return false;
    ps->text = wk_buf_str(&ps->linebuf);
    ps->p = ps->begin = ps->text.p;
    ps->end = ps->p + ps->text.n;
    ps->eof_open = true;
    return true;
}

struct wk_parser *wk_parser_new(const struct wk_parse_opts *opts, struct wk_str text)
{
    struct wk_parser *ps = wk_alloc(opts->mem, sizeof *ps);
    if (!ps)
        return NULL;
    if (!set_up(ps, opts, text) || !close_text(ps)) {
        tear_down(ps);
        wk_free(opts->mem, ps);
        return NULL;
    }
    return ps;
}

void wk_parser_free(struct wk_parser *ps)
{
    if (!ps)
        return;
    tear_down(ps);
    wk_free(ps->o.mem, ps);
}

/* Before each command: nothing is under way. */
static void start_command(struct wk_parser *ps)
{
    ps->err = 0;
    ps->depth = ps->in_comsub = ps->err_depth = 0;
    ps->stk.n = ps->n_docs = ps->docs_base = 0;
    ps->src.n = 0;
    ps->src.failed = false;
    ps->alias_next = 0;
    ps->have_tok = ps->quiet = ps->incomplete = ps->continued = false;
    ps->in_array = ps->between = ps->commented = ps->cond_failed = ps->cond_ended = false;
    ps->in_heredoc = 0;
    ps->quote = '\0';
    ps->compounds = 0;
    ps->error_line = wk_str(NULL, 0);
    memset(ps->prev, 0, sizeof ps->prev);
    ps->err_place = WK_PARSE_IN_TEXT;
    ps->reread = 0;
    wk_buf_reset(&ps->msg);
    wk_buf_reset(&ps->keep);
    if (ps->n_frames == 0)
        wk_arena_release(&ps->alias_arena);
    ps->text_from = ps->p;
}

/* After an error: the rest of the line is dropped. */
static void drop_line(struct wk_parser *ps)
{
    wk_ps_base(ps);
    if (ps->p > ps->begin && ps->p[-1] == '\n')
        return;
    const char *nl = memchr(ps->p, '\n', (size_t)(ps->end - ps->p));
    ps->p = nl ? nl + 1 : ps->end;
    if (nl)
        ps->line++;
}

/* After an error in [[: bash still reads the words up to the end of the line, and minds what is wrong in them. */
static void read_rest(struct wk_parser *ps)
{
    struct wk_buf first = ps->msg;
    uint8_t place = ps->err_place;
    unsigned flags = 0;
    wk_buf_init(&ps->msg, ps->o.mem, SIZE_MAX / 2);
    ps->err = 0;
    ps->err_place = WK_PARSE_IN_TEXT;
    do {
        wk_lex_take(ps);
        if (!wk_lex(ps, flags))
            break;
        flags = ps->tok.kind == WK_TOK_WORD ? 0 : WK_LEX_CMD;
    } while (ps->tok.kind != WK_TOK_NEWLINE && ps->tok.kind != WK_TOK_EOF);
    ps->cond_ended = !ps->err && ps->tok.kind == WK_TOK_EOF;
    if (!ps->err) {
        wk_buf_release(&ps->msg);
        ps->msg = first;
        ps->err = -WK_ESYNTAX;
        ps->err_place = place;
    } else {
        wk_buf_release(&first);
    }
}

static void keep_text(struct wk_parser *ps, struct wk_tree *t)
{
    if (!(ps->o.flags & WK_PARSE_KEEP_TEXT) || ps->err)
        return;
    struct wk_str s = wk_buf_str(&ps->keep);
    const char *p = ps->n_frames ? ps->frames[0].p : ps->p;
    if (!s.n && p >= ps->text_from && ps->text.n)
        s = wk_str(ps->text_from, (size_t)(p - ps->text_from));
    t->text = wk_ps_str(ps, s);
}

static int one_command(struct wk_parser *ps, struct wk_tree **out)
{
    start_command(ps);
    struct wk_tree *t = wk_tree_new(ps->o.mem, ps->o.source_name);
    if (!t)
        return -WK_ENOMEM;
    ps->tree = t;
    ps->arena = &t->arena;
    t->first_line = ps->line;
    t->root = wk_parse_line(ps);
    if (ps->err == -WK_ESYNTAX && ps->cond_failed && !(ps->o.flags & WK_PARSE_BRIEF))
        read_rest(ps);
    bool at_end = !ps->err && !t->root && ps->have_tok && ps->tok.kind == WK_TOK_EOF;
    t->last_line = ps->line;
    if (t->root)
        keep_text(ps, t);
    ps->tree = NULL;
    ps->arena = NULL;
    if (ps->err || at_end) {
        wk_tree_unref(t);
        if (ps->err == -WK_ESYNTAX)
            drop_line(ps);
        return ps->err;
    }
    ps->have_tok = false;
    *out = t;
    return 1;
}

int wk_parser_next(struct wk_parser *ps, struct wk_tree **out)
{
    int r;
    *out = NULL;
    do {
        wk_tree_unref(*out);
        *out = NULL;
        r = one_command(ps, out);
    } while (r > 0 && !(*out)->root && !ps->o.more);
    return r;
}

struct wk_str wk_parser_error(const struct wk_parser *ps, uint32_t *line)
{
    if (line)
        *line = ps->err_line;
    return wk_buf_str(&ps->msg);
}

bool wk_parser_cond_ended(const struct wk_parser *ps)
{
    return ps->cond_ended;
}

enum wk_parse_place wk_parser_place(const struct wk_parser *ps)
{
    return (enum wk_parse_place)ps->err_place;
}

bool wk_parser_incomplete(const struct wk_parser *ps)
{
    return ps->incomplete;
}

uint32_t wk_parser_line(const struct wk_parser *ps)
{
    return ps->line;
}

void wk_parser_set_line(struct wk_parser *ps, uint32_t line)
{
    ps->line = line;
}

enum wk_parse_joint wk_parser_joint(const struct wk_parser *ps)
{
    enum { RES = 128 };
    if (ps->in_heredoc)
        return WK_JOINT_HEREDOC;
    if (!ps->between || ps->in_comsub || ps->commented)
        return WK_JOINT_NEWLINE;
    if (ps->compounds)
        return WK_JOINT_BLANK;
    /* `for x' before its do or in; `case x' and `function f'. */
    if (ps->prev[0] == WK_TOK_WORD && ps->prev[1] == (RES | WK_RES_FOR))
        return WK_JOINT_BARE;
    if (ps->prev[1] == (RES | WK_RES_CASE) || ps->prev[1] == (RES | WK_RES_FUNCTION))
        return WK_JOINT_BLANK;
    switch (ps->prev[0]) {
    case RES | WK_RES_CASE:
    case RES | WK_RES_DO:
    case RES | WK_RES_ELSE:
    case RES | WK_RES_IF:
    case RES | WK_RES_THEN:
    case RES | WK_RES_UNTIL:
    case RES | WK_RES_WHILE:
    case RES | WK_RES_IN:
    case RES | WK_RES_LBRACE:
    case WK_TOK_LPAREN:
    case WK_TOK_SEMI:
    case WK_TOK_AMP:
    case WK_TOK_PIPE:
    case WK_TOK_PIPE_AMP:
    case WK_TOK_AND_IF:
    case WK_TOK_OR_IF:
    case WK_TOK_DSEMI:
    case WK_TOK_SEMI_AND:
    case WK_TOK_DSEMI_AND:
    case WK_TOK_RPAREN:
        return WK_JOINT_BLANK;
    default:
        return WK_JOINT_SEMICOLON;
    }
}

char wk_parser_quote(const struct wk_parser *ps)
{
    return ps->quote;
}

void wk_parser_set_flags(struct wk_parser *ps, uint32_t flags)
{
    ps->o.flags = flags;
}

void wk_parser_set_floor(struct wk_parser *ps, uintptr_t floor)
{
    ps->o.stack_floor = floor;
}

enum wk_parse_show wk_parser_shows(const struct wk_parser *ps)
{
    if (ps->in_heredoc)
        return (enum wk_parse_show)ps->in_heredoc;
    return ps->in_comsub ? WK_SHOW_NOT : WK_SHOW_LINE;
}

size_t wk_parser_offset(const struct wk_parser *ps)
{
    const char *p = ps->n_frames ? ps->frames[0].p : ps->p;
    const char *begin = ps->n_frames ? ps->frames[0].begin : ps->begin;
    return begin == ps->text.p ? (size_t)(p - begin) : 0;
}

/* ---- texts at run time ---------------------------------------------------------------------- */

/* A parser for one text whose nodes go to a new tree. 0 or a code. */
static int text_parser(struct wk_parser *ps, const struct wk_parse_opts *opts, struct wk_str text,
                       struct wk_tree **tree)
{
    struct wk_parse_opts o = *opts;
    o.more = NULL;
    o.alias = NULL;
    o.step = NULL;
    *tree = wk_tree_new(o.mem, o.source_name);
    if (!*tree || !set_up(ps, &o, text)) {
        if (*tree)
            tear_down(ps);
        wk_tree_unref(*tree);
        *tree = NULL;
        return -WK_ENOMEM;
    }
    ps->frames[0].kind = WK_FRAME_BARRIER;
    ps->tree = *tree;
    ps->arena = &(*tree)->arena;
    return 0;
}

static int text_done(struct wk_parser *ps, struct wk_tree **tree, bool ok)
{
    int r = ok ? 0 : ps->err ? ps->err : -WK_ESYNTAX;
    tear_down(ps);
    if (r < 0) {
        wk_tree_unref(*tree);
        *tree = NULL;
    }
    return r;
}

int wk_parse_word_text(const struct wk_parse_opts *opts, struct wk_str text, enum wk_text_mode mode,
                       struct wk_tree **tree, struct wk_word **out)
{
    static const uint8_t scans[] = {
        [WK_TEXT_WORD] = WK_SCAN_TEXT,
        [WK_TEXT_DQUOTE] = WK_SCAN_DQ_TEXT,
        [WK_TEXT_HEREDOC] = WK_SCAN_HEREDOC,
        [WK_TEXT_SUBST] = WK_SCAN_HEREDOC,
        [WK_TEXT_ARITH] = WK_SCAN_ARITH_TEXT,
    };
    struct wk_parser ps;
    struct wk_wb b;
    int r = text_parser(&ps, opts, text, tree);
    if (r < 0)
        return r;
    ps.unquoted_text = mode != WK_TEXT_WORD;
    wk_wb_init(&ps, &b, (enum wk_scan)scans[mode]);
    ps.begin += mode == WK_TEXT_SUBST;
    bool ok = mode == WK_TEXT_SUBST ? wk_parse_comsub(&ps, &b, false, false) : wk_wb_scan(&ps, &b);
    *out = ok ? wk_wb_done(&ps, &b, true) : NULL;
    return text_done(&ps, tree, *out != NULL);
}

int wk_parse_compound_text(const struct wk_parse_opts *opts, struct wk_str text,
                           struct wk_tree **tree, struct wk_assign **out)
{
    struct wk_parser ps;
    int r = text_parser(&ps, opts, text, tree);
    if (r < 0)
        return r;
    *out = WK_PS_NEW(&ps, struct wk_assign);
    bool ok = *out && wk_ps_peek(&ps) == '(' && wk_parse_compound(&ps, *out);
    ok = ok && wk_ps_peek(&ps) == WK_PS_EOF;
    return text_done(&ps, tree, ok);
}

int wk_parse_assign_text(const struct wk_parse_opts *opts, struct wk_str text, struct wk_tree **tree,
                         struct wk_assign **out, bool *has_value)
{
    struct wk_parser ps;
    int r = text_parser(&ps, opts, text, tree);
    if (r < 0)
        return r;
    ps.quiet = true;
    size_t n = 0;
    while (n < text.n && wk_is_name_char((unsigned char)text.p[n]))
        n++;
    struct wk_assign *as = WK_PS_NEW(&ps, struct wk_assign);
    bool ok = as && n && wk_str_is_name(wk_str_take(text, n));
    *has_value = false;
    if (ok) {
        as->name = wk_ps_name(&ps, wk_str_take(text, n));
        ps.p += n;
        if (wk_ps_peek_raw(&ps) == '[') {
            bool closed;
            wk_ps_skip(&ps);
            as->sub = wk_parse_subscript(&ps, true, &closed);
            ok = as->sub && closed && as->sub->text.n;
        }
    }
    if (ok && ps.end - ps.p > 1 && ps.p[0] == '+' && ps.p[1] == '=') {
        as->append = true;
        ps.p++;
    }
    if (ok && ps.p < ps.end) {
        ok = *ps.p == '=';
        *has_value = ok;
        if (ok)
            as->value_text = wk_ps_str(&ps, wk_str(ps.p + 1, (size_t)(ps.end - ps.p) - 1));
    }
    *out = as;
    return text_done(&ps, tree, ok && !ps.err);
}

int wk_arith_parse_text(const struct wk_parse_opts *opts, struct wk_arena *a, struct wk_str text,
                        struct wk_anode **out)
{
    struct wk_parser ps;
    if (text.n > INT32_MAX)
        return -WK_ELIMIT;
    struct wk_parse_opts o = *opts;
    o.more = NULL;
    o.alias = NULL;
    o.step = NULL;
    if (!set_up(&ps, &o, WK_STR(""))) {
        tear_down(&ps);
        return -WK_ENOMEM;
    }
    ps.arena = a;
    ps.quiet = true;
    *out = wk_arith_of_text(&ps, text);
    int r = ps.err;
    if (!r && !*out)
        r = -WK_ENOMEM;
    tear_down(&ps);
    return r;
}
