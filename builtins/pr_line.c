/* pr_line.c - lines of pr: read, made visible, numbered, aligned */
#include "builtins/pr.h"

#include "base/num.h"

/* ---- input ------------------------------------------------------------------------------------- */

static int more(struct pr *s, struct pr_input *in)
{
    enum { PIECE = 4096 };
    const char *p;
    int err;
    if (in->closed || !in->in->file)
        return -1;
    size_t n = wk_raw_next(s->c, in->in, &p, &err);
    if (err)
        wk_fail(s->c, 1, "%s: %s", wk_quote_maybe(s->c, in->name), wk_err_text(err));
    n = WK_MIN(n, (size_t)PIECE);
    if (!in->buf)
        in->buf = (char *)wk_heap_alloc(s->c->heap, PIECE);
    if (n)
        memcpy(in->buf, p, n);
    wk_file_skip(in->in->file, n);
    in->n = n;
    in->at = 0;
    return n ? (unsigned char)in->buf[in->at++] : -1;
}

int wk_pr_byte(struct pr *s, struct pr_input *in)
{
    if (WK_LIKELY(in->at < in->n))
        return (unsigned char)in->buf[in->at++];
    return more(s, in);
}

void wk_pr_unread(struct pr_input *in, int ch)
{
    if (ch >= 0)
        in->at--;
}

/* Passes a newline that follows a form feed. */
static void pass_newline(struct pr *s, struct pr_input *in)
{
    int ch = wk_pr_byte(s, in);
    if (ch != '\n')
        wk_pr_unread(in, ch);
}

/* ---- output ------------------------------------------------------------------------------------ */

static int64_t tab_room(int64_t size, int64_t at)
{
    return size - at % size;
}

void wk_pr_put_blanks(struct pr *s)
{
    int64_t at = s->out_at, goal = at + s->blanks;
    while (goal - at > 1) {
        int64_t next = at + tab_room(s->o->tab_out, at);
        if (next > goal)
            break;
        wk_out_char(s->c->out, (char)s->o->tab_out_char);
        at = next;
    }
    for (; at < goal; at++)
        wk_out_char(s->c->out, ' ');
    s->out_at = goal;
    s->blanks = 0;
}

static void pad_to(struct pr *s, int64_t position)
{
    if (s->tabs) {
        s->blanks = position - s->out_at;
        return;
    }
    for (int64_t at = s->out_at; at < position; at++)
        wk_out_char(s->c->out, ' ');
    s->out_at = position;
}

static void put_separator(struct pr *s)
{
    if (s->separators <= 0) {
        if (s->blanks > 0)
            wk_pr_put_blanks(s);
        return;
    }
    s->separators = 0;
    for (int64_t i = 0; i < s->separator_n; i++) {
        if (s->separator[i] == ' ') {
            s->blanks++;
            continue;
        }
        if (s->blanks > 0)
            wk_pr_put_blanks(s);
        wk_out_char(s->c->out, s->separator[i]);
        s->out_at++;
    }
    if (s->blanks > 0)
        wk_pr_put_blanks(s);
}

static void put_char(struct pr *s, unsigned char ch)
{
    if (s->tabs) {
        if (ch == ' ') {
            s->blanks++;
            return;
        }
        if (s->blanks > 0)
            wk_pr_put_blanks(s);
        if (ch >= ' ' && ch < 127)
            s->out_at++;
        else if (ch == '\b')
            s->out_at--;
    }
    wk_out_char(s->c->out, (char)ch);
}

static void room_to_store(struct pr *s, size_t n)
{
    if (s->store_cap - s->store_n >= n)
        return;
    size_t cap = s->store_cap * 2 + 1024 + n;
    s->store = (char *)wk_heap_realloc(s->c->heap, s->store, cap);
    s->store_cap = cap;
}

static void store_char(struct pr *s, unsigned char ch)
{
    room_to_store(s, 1);
    s->store[s->store_n++] = (char)ch;
}

static void take_char(struct pr *s, const struct pr_column *p, unsigned char ch)
{
    if (p->stored)
        store_char(s, ch);
    else
        put_char(s, ch);
}

static void take_number(struct pr *s, const struct pr_column *p)
{
    const struct pr_opts *o = s->o;
    char text[WK_NUM_MAX];
    int64_t n = (int64_t)wk_fmt_i64(text, s->line_number), width = o->number_width;
    s->line_number = s->line_number < INT32_MAX ? s->line_number + 1 : INT32_MIN;
    for (int64_t i = width; i > 0; i--) /* digits in front that have no room are lost */
        take_char(s, p, i > n ? ' ' : (unsigned char)text[n - i]);
    if (s->columns > 1 && o->number_char == '\t') {
        for (int64_t i = s->number_room - width; i > 0; i--)
            take_char(s, p, ' ');
    } else {
        take_char(s, p, o->number_char);
        if (s->columns == 1 && o->number_char == '\t')
            s->out_at += tab_room(o->tab_out, s->out_at);
    }
    if (s->truncate && !s->merge)
        s->in_at += s->number_room;
}

static void start_column(struct pr *s)
{
    if (s->separator_n < s->padding) {
        pad_to(s, s->padding - s->separator_n);
        s->padding = PR_ANYWHERE;
    }
    if (s->separated)
        put_separator(s);
}

void wk_pr_align(struct pr *s, struct pr_column *p)
{
    s->padding = p->start;
    start_column(s);
    if (p->numbered)
        take_number(s, p);
}

/* ---- characters -------------------------------------------------------------------------------- */

/* What a byte of input becomes: some characters, or blanks. */
struct clump {
    char text[4];
    int n;
    int64_t blanks;
};

static void octal(struct clump *k, unsigned ch)
{
    k->text[0] = '\\';
    k->text[1] = (char)('0' + (ch >> 6));
    k->text[2] = (char)('0' + (ch >> 3 & 7));
    k->text[3] = (char)('0' + (ch & 7));
    k->n = 4;
}

/* Moves the position in the input. */
static struct clump clump_of(struct pr *s, unsigned ch)
{
    const struct pr_opts *o = s->o;
    struct clump k = {.text = {(char)ch}, .n = 1};
    int64_t width = 0;
    if (ch == o->tab_in_char || ch == '\t') {
        width = tab_room(ch == o->tab_in_char ? o->tab_in : PR_TAB, s->in_at);
        if (s->expand) {
            k.blanks = width;
            k.n = 0;
        }
    } else if (ch >= ' ' && ch < 127) {
        width = 1;
    } else if (o->escapes || (o->controls && ch >= 128)) {
        octal(&k, ch);
        width = k.n;
    } else if (o->controls) {
        k.text[0] = '^';
        k.text[1] = (char)(ch ^ 64);
        width = k.n = 2;
    } else if (ch == '\b') {
        width = -1;
    }
    if (width < 0 && s->in_at == 0)
        k.n = 0;
    else
        s->in_at += width;
    return k;
}

static void take_clump(struct pr *s, const struct pr_column *p, const struct clump *k)
{
    for (int64_t i = 0; i < k->blanks; i++)
        take_char(s, p, ' ');
    if (k->blanks > 64)
        wk_tick(s->c, (uint32_t)(k->blanks / 64 & 0xffffff));
    for (int i = 0; i < k->n; i++)
        take_char(s, p, (unsigned char)k->text[i]);
}

/* ---- lines ------------------------------------------------------------------------------------- */

/* Columns before this one that are at their end have to be passed at the beginning of a line. */
static void align_empty(struct pr *s, const struct pr_column *p)
{
    int64_t k = s->separators;
    s->separators = 0;
    for (int64_t i = 0; i < k; i++) {
        wk_pr_align(s, &s->column[i]);
        s->separators++;
    }
    s->padding = p->start;
    s->blanks = s->truncate ? s->column_width : 0;
    s->align_empty = false;
}

static void begin_output(struct pr *s, const struct pr_column *p)
{
    s->pad_page = true;
    if (s->header_due && !s->storing)
        wk_pr_put_header(s);
    if (s->merge && s->align_empty)
        align_empty(s, p);
    start_column(s);
}

static void meet_ff(struct pr *s, struct pr_column *p)
{
    pass_newline(s, p->input);
    if (s->keep_ff)
        s->ff_due = true;
    wk_pr_hold(s, p);
}

/* The first character: a form feed just behind a full page is none. */
static int first_byte(struct pr *s, struct pr_column *p)
{
    int ch = wk_pr_byte(s, p->input);
    if (ch == '\f' && p->page_full && (ch = wk_pr_byte(s, p->input)) == '\n')
        ch = wk_pr_byte(s, p->input);
    p->page_full = false;
    return ch;
}

/* A character of the line; false when it has no room. */
static bool take_byte(struct pr *s, struct clump *k, int ch)
{
    int64_t before = s->in_at;
    *k = clump_of(s, (unsigned)ch);
    if (!s->truncate || s->in_at <= s->column_width)
        return true;
    s->in_at = before;
    return false;
}

/* Characters of one column each that stand for themselves, as many as are at hand and have room. */
static void take_run(struct pr *s, const struct pr_column *p)
{
    struct pr_input *in = p->input;
    const unsigned tab = s->o->tab_in_char;
    const unsigned first = s->tabs && !p->stored ? '!' : ' '; /* blanks may become tabs */
    const char *text = in->buf + in->at;
    size_t n = 0, most = in->n - in->at;
    if (s->truncate)
        most = WK_MIN(most, (size_t)WK_MAX(s->column_width - s->in_at, (int64_t)0));
    while (n < most && (unsigned char)text[n] - first < 127 - first && (unsigned char)text[n] != tab)
        n++;
    if (!n)
        return;
    in->at += n;
    s->in_at += (int64_t)n;
    if (p->stored) {
        room_to_store(s, n);
        memcpy(s->store + s->store_n, text, n);
        s->store_n += n;
        return;
    }
    if (s->tabs) {
        if (s->blanks > 0)
            wk_pr_put_blanks(s);
        s->out_at += (int64_t)n;
    }
    wk_out_put(s->c->out, text, n);
}

bool wk_pr_read_line(struct pr *s, struct pr_column *p)
{
    struct clump k = {.n = 0};
    int ch = first_byte(s, p);
    if (ch == '\f') {
        pass_newline(s, p->input);
        s->lone_ff = true;
        if (s->header_due && !s->storing) {
            s->pad_page = true;
            wk_pr_put_header(s);
        } else if (s->keep_ff) {
            s->ff_due = true;
        }
        wk_pr_hold(s, p);
        return true;
    }
    if (ch < 0) {
        wk_pr_close(s, p);
        return true;
    }
    if (ch != '\n' && !take_byte(s, &k, ch))
        return false;
    if (!p->stored)
        begin_output(s, p);
    if (p->numbered)
        take_number(s, p);
    s->line_is_empty = false;
    if (ch == '\n')
        return true;
    for (;;) {
        take_clump(s, p, &k);
        take_run(s, p);
        ch = wk_pr_byte(s, p->input);
        if (ch == '\n')
            return true;
        if (ch == '\f') {
            meet_ff(s, p);
            return true;
        }
        if (ch < 0) {
            wk_pr_close(s, p);
            return true;
        }
        if (!take_byte(s, &k, ch))
            return false;
    }
}

void wk_pr_read_rest(struct pr *s, struct pr_column *p)
{
    int ch;
    while ((ch = wk_pr_byte(s, p->input)) != '\n') {
        if (ch == '\f') {
            meet_ff(s, p);
            return;
        }
        if (ch < 0) {
            wk_pr_close(s, p);
            return;
        }
    }
}

void wk_pr_skip_line(struct pr *s, struct pr_column *p, bool count)
{
    int ch = first_byte(s, p);
    bool lone = ch == '\f';
    if (s->skip_last)
        p->page_full = true;
    for (; ch != '\n'; ch = wk_pr_byte(s, p->input)) {
        if (ch == '\f') {
            if (s->skip_last && s->merge)
                p->page_full = false;
            for (int64_t i = 0; s->skip_last && !s->merge && i < s->columns; i++)
                s->column[i].page_full = false;
            pass_newline(s, p->input);
            wk_pr_hold(s, p);
            break;
        }
        if (ch < 0) {
            wk_pr_close(s, p);
            break;
        }
    }
    if (count && !lone && !s->o->keep_numbers)
        s->line_count++;
}

bool wk_pr_put_stored(struct pr *s, struct pr_column *p)
{
    size_t line = p->line++, to = line + 1 < s->lines_n ? s->lines[line + 1].from : s->store_n;
    s->pad_page = true;
    if (s->header_due)
        wk_pr_put_header(s);
    if (p->status == PR_FORM_FEED) {
        for (int64_t i = 0; i < s->columns; i++)
            s->column[i].status = PR_HOLD;
        if (s->column[0].to_print <= 0) {
            if (s->headless)
                s->pad_page = false;
            return true; /* a header only */
        }
    }
    start_column(s);
    for (size_t i = s->lines[line].from; i < to; i++)
        put_char(s, (unsigned char)s->store[i]);
    if (s->blanks == 0) {
        s->out_at = p->start + s->lines[line].width;
        if (p->start - s->separator_n == s->o->margin)
            s->out_at -= s->separator_n;
    }
    return true;
}
