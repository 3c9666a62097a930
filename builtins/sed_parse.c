/* sed_parse.c - sed: the script to commands, with GNU's messages for what is wrong in it */
#include "builtins/sed_out.h"
#include "builtins/sed_script.h"

#include "base/map.h"

/* ---- the script, byte by byte ---------------------------------------------------------------- */

int wk_sed_char(struct sed_reader *r)
{
    if (r->i >= r->n)
        return -1;
    unsigned char ch = (unsigned char)r->p[r->i++];
    if (ch == '\n' && r->at.file)
        r->at.number++;
    return ch;
}

void wk_sed_back(struct sed_reader *r, int ch)
{
    if (ch < 0)
        return;
    r->i--;
    if (ch == '\n' && r->at.file)
        r->at.number--;
}

int wk_sed_nonblank(struct sed_reader *r)
{
    int ch;
    do
        ch = wk_sed_char(r);
    while (ch == ' ' || ch == '\t');
    return ch;
}

/* All of a script file; what cannot be read ends it. */
static struct wk_str slurp(struct wk_cmd *c, const char *name)
{
    struct sed_bytes b = {.p = NULL};
    struct wk_in *in;
    const char *p;
    size_t n;
    int err = wk_raw_open(c, name, true, &in);
    if (err)
        wk_fail(c, 4, "couldn't open file %s: %s", name, wk_err_text(err));
    while ((n = wk_raw_next(c, in, &p, &err)) > 0) {
        wk_sed_put(c, &b, p, n);
        wk_file_skip(in->file, n);
    }
    if (in != c->in)
        wk_in_close(in);
    return wk_str(b.p, b.n);
}

bool wk_sed_next_piece(struct sed_reader *r)
{
    const struct sed_opts *o = r->s->o;
    if (r->next >= o->nsources)
        return false;
    const struct sed_source *source = &o->sources[r->next++];
    struct wk_str text;
    if (source->file) {
        text = slurp(r->s->c, source->text);
        r->at = (struct sed_where){source->text, 1};
    } else {
        text = wk_str_c(source->text);
        r->at = (struct sed_where){NULL, ++r->expressions};
    }
    r->p = text.p;
    r->n = text.n;
    r->i = 0;
    return true;
}

/* ---- messages -------------------------------------------------------------------------------- */

static WK_NORETURN void complain(struct sed *s, struct sed_where at, size_t column,
                                 const char *message)
{
    if (at.file)
        wk_sed_die(s, 1, "file %s line %llu: %s", at.file, (unsigned long long)at.number, message);
    wk_sed_die(s, 1, "-e expression #%llu, char %zu: %s", (unsigned long long)at.number, column,
               message);
}

void wk_sed_bad(struct sed_reader *r, const char *fmt, ...)
{
    struct wk_buf b;
    va_list ap;
    wk_buf_init(&b, wk_heap_mem(r->s->c->heap), SIZE_MAX / 2);
    va_start(ap, fmt);
    wk_buf_vfmt(&b, fmt, ap);
    va_end(ap);
    complain(r->s, r->at, r->i, wk_keep(r->s->c, &b));
}

void wk_sed_fault(struct sed *s, const char *message)
{
    complain(s, s->end, 0, message);
}

void wk_sed_check_sandbox(struct sed_reader *r)
{
    if (r->s->o->sandbox)
        wk_sed_bad(r, "e/r/w commands disabled in sandbox mode");
}

/* ---- words ----------------------------------------------------------------------------------- */

uint64_t wk_sed_number(struct sed_reader *r, int ch)
{
    uint64_t v = 0;
    for (; wk_is_digit(ch); ch = wk_sed_char(r))
        v = v * 10 + (uint64_t)(ch - '0');
    wk_sed_back(r, ch);
    return v;
}

static struct wk_str word(struct sed_reader *r)
{
    int ch = wk_sed_nonblank(r);
    wk_sed_back(r, ch);
    size_t from = r->i;
    do
        ch = wk_sed_char(r);
    while (ch >= 0 && !wk_is_space(ch) && ch != ';' && ch != '}' && ch != '#');
    wk_sed_back(r, ch);
    return wk_str(r->p + from, r->i - from);
}

struct wk_str wk_sed_file_name(struct sed_reader *r)
{
    struct wk_cmd *c = r->s->c;
    int ch = wk_sed_nonblank(r);
    wk_sed_back(r, ch);
    size_t from = r->i;
    do
        ch = wk_sed_char(r);
    while (ch >= 0 && ch != '\n');
    size_t n = r->i - from - (ch == '\n');
    if (!n)
        wk_sed_bad(r, "missing filename in r/R/w/W commands");
    return wk_str(wk_dupn(c, r->p + from, n), n);
}

static void end_command(struct sed_reader *r)
{
    int ch = wk_sed_nonblank(r);
    if (ch == '}' || ch == '#')
        wk_sed_back(r, ch);
    else if (ch >= 0 && ch != '\n' && ch != ';')
        wk_sed_bad(r, "extra characters after command");
}

/* ---- addresses ------------------------------------------------------------------------------- */

struct sed_re *wk_sed_regex(struct sed_reader *r, struct wk_str raw, bool icase, bool multiline)
{
    struct sed *s = r->s;
    struct wk_re_error err;
    unsigned flags = WK_RE_STRICT_PAREN;
    if (!raw.n) {
        if (icase || multiline)
            wk_sed_bad(r, "cannot specify modifiers on empty regexp");
        return NULL;
    }
    if (s->o->extended)
        flags |= WK_RE_EXTENDED;
    if (icase)
        flags |= WK_RE_ICASE;
    if (multiline && s->eol == '\n')
        flags |= WK_RE_NEWLINE;
    if (!s->utf8)
        flags |= WK_RE_BYTES;
    struct sed_re *re = wk_new(s->c, struct sed_re);
    re->text = wk_sed_regex_text(r, raw);
    re->icase = icase;
    re->multiline = multiline;
    re->re = wk_cmd_re(s->c, re->text, flags, &err);
    if (!re->re && strncmp(err.text, "character class", 15) == 0)
        wk_fail(s->c, 4, "%s", err.text);
    if (!re->re)
        wk_sed_bad(r, "%s", err.text);
    return re;
}

static void regex_address(struct sed_reader *r, int ch, struct sed_addr *a)
{
    struct wk_str raw;
    bool icase = false, multiline = false;
    if (ch == '\\')
        ch = wk_sed_delimiter(r);
    if (ch < 0 || !wk_sed_delimited(r, ch, true, &raw))
        wk_sed_bad(r, "unterminated address regex");
    for (;;) {
        ch = wk_sed_nonblank(r);
        if (ch == 'I' && !r->s->posix)
            icase = true;
        else if (ch == 'M' && !r->s->posix)
            multiline = true;
        else
            break;
    }
    wk_sed_back(r, ch);
    a->kind = SED_RE;
    a->re = wk_sed_regex(r, raw, icase, multiline);
    if (a->re)
        a->re->groupless = true;
}

static void number_address(struct sed_reader *r, int ch, struct sed_addr *a)
{
    a->kind = SED_LINE;
    a->n = wk_sed_number(r, ch);
    ch = wk_sed_nonblank(r);
    if (ch != '~' || r->s->posix) {
        wk_sed_back(r, ch);
        return;
    }
    ch = wk_sed_nonblank(r);
    if (wk_is_digit(ch))
        a->step = wk_sed_number(r, ch);
    else
        wk_sed_back(r, ch);
    if (a->step)
        a->kind = SED_STEP;
}

/* False, and nothing is read but blanks, when no address stands here. */
static bool address(struct sed_reader *r, struct sed_addr *a)
{
    int ch = wk_sed_nonblank(r);
    *a = (struct sed_addr){.kind = SED_NO_ADDR};
    if (ch == '/' || ch == '\\') {
        regex_address(r, ch, a);
    } else if (wk_is_digit(ch)) {
        number_address(r, ch, a);
    } else if (ch == '$') {
        a->kind = SED_LAST;
    } else if ((ch == '+' || ch == '~') && !r->s->posix) {
        a->kind = ch == '+' ? SED_PLUS : SED_MULTIPLE;
        ch = wk_sed_nonblank(r);
        if (wk_is_digit(ch))
            a->n = wk_sed_number(r, ch);
        else
            wk_sed_back(r, ch);
    } else {
        wk_sed_back(r, ch);
        return false;
    }
    return true;
}

/* 0 is the line before the first in 0,/re/, and in 0r: then its file is printed at once. */
static void zero_address(struct sed_reader *r, struct sed_cmd *cmd, int ch)
{
    bool before_first = ch == 'r' && !cmd->a2.kind;
    if (r->s->posix || (!before_first && cmd->a2.kind != SED_RE))
        wk_sed_bad(r, "invalid usage of line address 0");
    cmd->a1.kind = SED_ZERO;
    cmd->active = !before_first;
}

/* The addresses; returns the byte after them. */
static int addresses(struct sed_reader *r, struct sed_cmd *cmd)
{
    if (!address(r, &cmd->a1))
        return wk_sed_nonblank(r);
    if ((cmd->a1.kind == SED_PLUS || cmd->a1.kind == SED_MULTIPLE) && cmd->a1.n)
        wk_sed_bad(r, "invalid usage of +N or ~N as first address");
    int ch = wk_sed_nonblank(r);
    if (ch == ',') {
        if (!address(r, &cmd->a2)) {
            (void)wk_sed_char(r);
            wk_sed_bad(r, "unexpected `,'");
        }
        ch = wk_sed_nonblank(r);
    }
    if (cmd->a1.kind == SED_LINE && cmd->a1.n == 0)
        zero_address(r, cmd, ch);
    return ch;
}

/* ---- commands -------------------------------------------------------------------------------- */

static struct sed_cmd *new_command(struct sed *s)
{
    if (s->nprog == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 16;
        s->prog = wk_heap_realloc(s->c->heap, s->prog, s->cap * sizeof *s->prog);
    }
    struct sed_cmd *cmd = &s->prog[s->nprog++];
    *cmd = (struct sed_cmd){.number = -1};
    return cmd;
}

static void comment(struct sed_reader *r, const struct sed_cmd *cmd)
{
    if (cmd->a1.kind || cmd->negate)
        wk_sed_bad(r, "comments don't accept any addresses");
    /* A script that begins with "#n" has -n in it. */
    if (r->next == 1 && r->i == 1 && r->n > 1 && r->p[1] == 'n')
        ((struct sed_opts *)r->s->c->opts)->quiet = true;
    int ch;
    do
        ch = wk_sed_char(r);
    while (ch >= 0 && ch != '\n');
    r->s->nprog--;
}

static void open_block(struct sed_reader *r)
{
    struct wk_heap *h = r->s->c->heap;
    if (r->nblocks == r->blocks_cap) {
        r->blocks_cap = r->blocks_cap ? r->blocks_cap * 2 : 16;
        r->blocks = wk_heap_realloc(h, r->blocks, r->blocks_cap * sizeof *r->blocks);
        r->block_at = wk_heap_realloc(h, r->block_at, r->blocks_cap * sizeof *r->block_at);
    }
    r->blocks[r->nblocks] = r->s->nprog - 1;
    r->block_at[r->nblocks++] = r->at;
}

static void close_block(struct sed_reader *r, const struct sed_cmd *cmd)
{
    if (!r->nblocks)
        wk_sed_bad(r, "unexpected `}'");
    if (cmd->a1.kind)
        wk_sed_bad(r, "`}' doesn't want any addresses");
    end_command(r);
    r->s->prog[r->blocks[--r->nblocks]].to = r->s->nprog;
}

static void label(struct sed_reader *r, struct sed_cmd *cmd)
{
    if (cmd->a1.kind)
        wk_sed_bad(r, ": doesn't want any addresses");
    cmd->text = word(r);
    if (!cmd->text.n)
        wk_sed_bad(r, "\":\" lacks a label");
}

/* v: what is asked for may be at most 4.9. */
static void check_version(struct sed_reader *r)
{
    static const uint64_t ours[] = {4, 9, 0};
    struct wk_str w = word(r);
    size_t i = 0;
    int order = 0;
    for (size_t part = 0; part < WK_COUNTOF(ours) && w.n; part++) {
        uint64_t v = 0;
        size_t from = i;
        for (; i < w.n && wk_is_digit(w.p[i]); i++)
            v = v > UINT64_MAX / 100 ? v : v * 10 + (uint64_t)(w.p[i] - '0');
        bool ended = i == w.n;
        if (i == from || (!ended && w.p[i] != '.'))
            wk_sed_bad(r, "expected newer version of sed");
        if (!order)
            order = v > ours[part] ? 1 : v < ours[part] ? -1 : 0;
        if (ended)
            break;
        i++;
    }
    if (order > 0)
        wk_sed_bad(r, "expected newer version of sed");
    r->s->nprog--;
}

/* The number that may stand after q, Q, l. */
static void argument(struct sed_reader *r, struct sed_cmd *cmd)
{
    int ch = wk_sed_nonblank(r);
    if (wk_is_digit(ch) && !r->s->posix) {
        cmd->number = (int32_t)wk_sed_number(r, ch);
    } else {
        wk_sed_back(r, ch);
    }
    end_command(r);
}

static void one_address(struct sed_reader *r, const struct sed_cmd *cmd)
{
    if (cmd->a2.kind)
        wk_sed_bad(r, "command only uses one address");
}

static const char *c_name(struct sed_reader *r, struct wk_str name)
{
    return wk_dupn(r->s->c, name.p, name.n);
}

/* Commands with files. */
static void file_command(struct sed_reader *r, struct sed_cmd *cmd)
{
    if (cmd->name == 'e') {
        wk_sed_check_sandbox(r);
        wk_sed_bad(r, "commands that run programs (`e') are not supported");
    }
    wk_sed_check_sandbox(r);
    if (r->s->posix && cmd->name == 'r')
        one_address(r, cmd);
    struct wk_str name = wk_sed_file_name(r);
    cmd->text = name;
    if (cmd->name == 'w' || cmd->name == 'W')
        cmd->u.out = wk_sed_open_out(r->s, c_name(r, name));
    else if (cmd->name == 'R')
        cmd->u.stream = wk_sed_open_stream(r->s, c_name(r, name));
}

static void command_body(struct sed_reader *r, struct sed_cmd *cmd)
{
    struct sed *s = r->s;
    switch (cmd->name) {
    case '#':
        comment(r, cmd);
        return;
    case 'v':
        check_version(r);
        return;
    case '{':
        open_block(r);
        return;
    case '}':
        close_block(r, cmd);
        return;
    case 'a':
    case 'i':
        if (s->posix)
            one_address(r, cmd);
        cmd->text = wk_sed_text(r);
        return;
    case 'c':
        cmd->text = wk_sed_text(r);
        return;
    case ':':
        label(r, cmd);
        return;
    case 'b':
    case 't':
    case 'T':
        cmd->text = word(r);
        return;
    case 'q':
    case 'Q':
        one_address(r, cmd);
        argument(r, cmd);
        return;
    case 'l':
        if (s->posix)
            one_address(r, cmd);
        argument(r, cmd);
        return;
    case 'L':
        argument(r, cmd);
        return;
    case '=':
        if (s->posix)
            one_address(r, cmd);
        end_command(r);
        return;
    case 'e':
    case 'r':
    case 'R':
    case 'w':
    case 'W':
        file_command(r, cmd);
        return;
    case 's':
        cmd->u.subst = wk_sed_subst(r);
        return;
    case 'y':
        cmd->u.map = wk_sed_map(r);
        end_command(r);
        return;
    default:
        end_command(r);
        return;
    }
}

static bool is_known(const struct sed *s, int ch)
{
    static const char posix[] = "#:={}abcdDgGhHilnNpPqrstwxy", gnu[] = "eFLQRTvWz";
    return ch && (strchr(posix, ch) || (!s->posix && strchr(gnu, ch)));
}

/* One command; false at the end of the piece. */
static bool command(struct sed_reader *r)
{
    int ch;
    do
        ch = wk_sed_char(r);
    while (ch == ';' || wk_is_space(ch));
    if (ch < 0)
        return false;
    wk_sed_back(r, ch);
    wk_tick(r->s->c, 1);
    struct sed_cmd *cmd = new_command(r->s);
    ch = addresses(r, cmd);
    if (ch == '!') {
        cmd->negate = true;
        ch = wk_sed_nonblank(r);
        if (ch == '!')
            wk_sed_bad(r, "multiple `!'s");
    }
    if (ch < 0)
        wk_sed_bad(r, "missing command");
    if (ch == 0 || !is_known(r->s, ch))
        wk_sed_bad(r, "unknown command: `%c'", ch);
    cmd->name = (char)ch;
    command_body(r, cmd);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void release_map(void *m)
{
    wk_map_release(m);
}

/* b, t and T get the index of their label, or of the end. */
static void resolve(struct sed *s)
{
    struct wk_map *labels = wk_heap_bump(s->c->heap, sizeof *labels);
    wk_map_init(labels, wk_heap_mem(s->c->heap), wk_kern_random(s->c->k), true);
    wk_heap_own(s->c->heap, labels, release_map);
    for (size_t i = 0; i < s->nprog; i++)
        if (s->prog[i].name == ':' && !wk_map_at(labels, s->prog[i].text) &&
            wk_map_set(labels, s->prog[i].text, &s->prog[i]) < 0)
            wk_heap_exhausted(s->c->heap);
    for (size_t i = s->nprog; i-- > 0;) { /* the last one without a label is complained of */
        struct sed_cmd *cmd = &s->prog[i];
        if (cmd->name != 'b' && cmd->name != 't' && cmd->name != 'T')
            continue;
        const struct sed_cmd *to = cmd->text.n ? wk_map_get(labels, cmd->text) : NULL;
        if (cmd->text.n && !to)
            wk_fail(s->c, 4, "can't find label for jump to `%.*s'", (int)cmd->text.n, cmd->text.p);
        cmd->to = to ? (size_t)(to - s->prog) : s->nprog - 1;
    }
}

void wk_sed_parse(struct sed *s)
{
    struct sed_reader r = {.s = s};
    while (wk_sed_next_piece(&r))
        while (command(&r)) {
        }
    s->end = r.at;
    if (r.nblocks)
        complain(s, r.block_at[r.nblocks - 1], 0, "unmatched `{'");
    struct sed_cmd *end = new_command(s);
    end->name = '\0';
    resolve(s);
}
