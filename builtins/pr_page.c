/* pr_page.c - pages of pr: their columns, headers and ends */
#include "builtins/pr.h"

#include "base/utf8.h"
#include "builtins/zone.h"

enum { HEADER_LINES = 5, FOOTER_LINES = 5 };

/* ---- files ------------------------------------------------------------------------------------- */

void wk_pr_hold(struct pr *s, struct pr_column *p)
{
    for (int64_t i = 0; !s->merge && i < s->columns; i++)
        s->column[i].status = s->storing ? PR_FORM_FEED : PR_HOLD;
    if (s->merge)
        p->status = PR_HOLD;
    p->to_print = 0;
    s->ready--;
}

void wk_pr_close(struct pr *s, struct pr_column *p)
{
    if (p->status == PR_CLOSED)
        return;
    struct pr_input *in = p->input;
    if (in != &s->standard) {
        wk_in_close(in->in);
        in->closed = true;
        wk_heap_free(s->c->heap, in->buf);
        in->buf = NULL;
        in->n = in->at = 0;
    }
    if (s->merge) {
        p->status = PR_CLOSED;
        p->to_print = 0;
    }
    for (int64_t i = 0; !s->merge && i < s->columns; i++) {
        struct pr_column *q = &s->column[i];
        q->status = PR_CLOSED;
        if (!q->stored_n)
            q->to_print = 0;
    }
    s->ready--;
}

static bool open_file(struct pr *s, const char *name, struct pr_column *p)
{
    struct wk_cmd *c = s->c;
    *p = (struct pr_column){.status = PR_OPEN};
    bool dash = strcmp(name, "-") == 0;
    struct pr_input *in = dash ? &s->standard : wk_new(c, struct pr_input);
    int err = dash ? 0 : wk_raw_open(c, name, false, &in->in);
    if (err) {
        if (s->o->quiet)
            c->status = 1;
        else
            wk_warn(c, name, err);
        return false;
    }
    in->name = dash ? "standard input" : name;
    if (dash && !c->in->file)
        wk_fail(c, 1, "%s: %s", wk_quote(c, in->name), wk_err_text(WK_EBADF));
    p->input = in;
    s->ready++;
    return true;
}

/* ---- headers ------------------------------------------------------------------------------------- */

static int64_t columns_of(struct wk_cmd *c, const char *text)
{
    int64_t n = 0;
    if (wk_cmd_utf8(c))
        return (int64_t)wk_utf8_columns(wk_str_c(text));
    for (; *text; text++)
        n += (unsigned char)*text >= ' ' && *text != 127;
    return n;
}

/* With the file's time and name, or the present and none. */
static void make_header(struct pr *s, const char *name, struct pr_input *in)
{
    struct wk_cmd *c = s->c;
    struct wk_stat st;
    int64_t when = wk_cmd_now(c);
    if (in && in != &s->standard && wk_file_stat(in->in->file, &st) >= 0)
        when = st.mtim;
    struct wk_buf *b = wk_cmd_buf(c, SIZE_MAX / 2);
    wk_zone_text(c, b, wk_zone_of(c), wk_str_c(s->o->date_format), when);
    s->date = wk_keep(c, b);
    s->title = s->o->header ? s->o->header : in && in != &s->standard ? name : "";
    s->header_room = s->o->width - columns_of(c, s->date) - columns_of(c, s->title);
}

static void put_many(struct pr *s, char ch, int64_t n)
{
    for (; n > 0; n--) {
        wk_out_char(s->c->out, ch);
        if ((n & 1023) == 0)
            wk_tick(s->c, 16);
    }
}

void wk_pr_put_header(struct pr *s)
{
    struct wk_out *out = s->c->out;
    char *page = wk_strf(s->c, "Page %llu", (unsigned long long)s->page);
    int64_t room = s->header_room - (int64_t)strlen(page), left = room > 0 ? room / 2 : 0;
    s->out_at = 0;
    s->blanks = s->tabs ? s->o->margin : 0;
    put_many(s, ' ', s->o->margin - s->blanks);
    wk_pr_put_blanks(s);
    wk_out_c(out, "\n\n");
    put_many(s, ' ', s->o->margin);
    wk_out_c(out, s->date);
    put_many(s, ' ', WK_MAX(left, (int64_t)1));
    wk_out_c(out, s->title);
    put_many(s, ' ', WK_MAX(room - left, (int64_t)1));
    wk_out_fmt(out, "%s\n\n\n", page);
    wk_heap_free(s->c->heap, page);
    s->header_due = false;
    s->out_at = 0;
}

/* ---- kept lines ------------------------------------------------------------------------------------ */

/* As equal as can be; the first columns get what is left over. */
static void balance(struct pr *s)
{
    int64_t total = (int64_t)s->lines_n;
    size_t first = 0;
    for (int64_t i = 0; i < s->columns; i++) {
        struct pr_column *p = &s->column[i];
        p->stored_n = total / s->columns + (i < total % s->columns);
        p->line = first;
        first += (size_t)p->stored_n;
    }
}

static void keep_line(struct pr *s, size_t from)
{
    if (s->lines_n == s->lines_cap) {
        size_t cap = s->lines_cap * 2 + 128;
        s->lines = (struct pr_line *)wk_heap_realloc(s->c->heap, s->lines, cap * sizeof *s->lines);
        s->lines_cap = cap;
    }
    s->lines[s->lines_n++] = (struct pr_line){from, s->in_at};
}

static void store_page(struct pr *s)
{
    size_t from = 0;
    s->store_n = s->lines_n = 0;
    for (int64_t i = 0; i < s->columns; i++)
        s->column[i].stored_n = 0;
    for (int64_t i = 0; i < s->columns && s->ready; i++) {
        struct pr_column *p = &s->column[i];
        for (int64_t k = s->body; k && s->ready; k--) {
            if (p->status != PR_OPEN)
                continue;
            s->in_at = 0;
            if (!wk_pr_read_line(s, p))
                wk_pr_read_rest(s, p);
            if (p->status == PR_OPEN || from != s->store_n) {
                p->stored_n++;
                keep_line(s, from);
                from = s->store_n;
            }
        }
    }
    balance(s);
}

/* ---- pages ----------------------------------------------------------------------------------------- */

static int64_t to_print(const struct pr *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->columns; i++) {
        const struct pr_column *p = &s->column[i];
        n += p->status == PR_OPEN || p->status == PR_FORM_FEED || (s->storing && p->stored_n > 0 && p->to_print > 0);
    }
    return n;
}

static void release_held(struct pr *s)
{
    for (int64_t i = 0; i < s->columns; i++)
        if (s->column[i].status == PR_HOLD) {
            s->column[i].status = PR_OPEN;
            s->ready++;
        }
    if (s->storing)
        s->ready = s->column[0].status != PR_CLOSED;
}

static bool skip_pages(struct pr *s)
{
    uint64_t first = s->o->first_page;
    for (uint64_t n = 1; n < first; n++) {
        for (int64_t line = 1; line <= s->body; line++) {
            s->skip_last = line == s->body;
            for (int64_t i = 0; i < s->columns; i++)
                if (s->column[i].status == PR_OPEN)
                    wk_pr_skip_line(s, &s->column[i], !s->merge || i == 0);
            wk_tick(s->c, 1);
        }
        for (int64_t i = 0; s->storing && i < s->columns; i++)
            if (s->column[i].status != PR_CLOSED)
                s->column[i].status = PR_HOLD;
        release_held(s);
        s->skip_last = false;
        if (s->ready < 1) {
            int status = s->c->status;
            wk_msg(s->c, "starting page number %llu exceeds page count %llu", (unsigned long long)first,
                   (unsigned long long)n);
            s->c->status = status;
            return false;
        }
    }
    return s->ready > 0;
}

/* One line of each column; *padded: any was put. */
static void put_row(struct pr *s, bool *padded)
{
    s->out_at = s->blanks = s->separators = 0;
    s->pad_page = s->align_empty = false;
    s->line_is_empty = true;
    for (int64_t i = 0; i < s->columns; i++) {
        struct pr_column *p = &s->column[i];
        s->in_at = 0;
        if (p->to_print > 0 || p->status == PR_FORM_FEED) {
            s->lone_ff = false;
            s->padding = p->start;
            if (!(s->storing ? wk_pr_put_stored(s, p) : wk_pr_read_line(s, p)))
                wk_pr_read_rest(s, p);
            *padded |= s->pad_page;
            if (--p->to_print <= 0 && to_print(s) == 0)
                break;
            if (s->merge && p->status != PR_OPEN) {
                if (s->line_is_empty)
                    s->align_empty = true;
                else if (p->status == PR_CLOSED || (p->status == PR_HOLD && s->lone_ff))
                    wk_pr_align(s, p);
            }
        } else if (s->merge) {
            if (s->line_is_empty)
                s->align_empty = true;
            else
                wk_pr_align(s, p);
        }
        s->separators += s->separated;
    }
}

static bool put_page(struct pr *s)
{
    if (s->storing)
        store_page(s);
    for (int64_t i = 0; i < s->columns; i++) {
        struct pr_column *p = &s->column[i];
        p->to_print = s->storing ? p->stored_n : p->status == PR_OPEN ? s->body : 0;
    }
    if (to_print(s) == 0)
        return false;
    if (!s->headless)
        s->header_due = true;
    bool padded = false;
    int64_t left = s->o->double_space ? s->body * 2 : s->body;
    s->pad_page = false;
    while (left > 0 && to_print(s) > 0) {
        put_row(s, &padded);
        if (s->pad_page) {
            wk_out_char(s->c->out, '\n');
            left--;
        }
        if (to_print(s) == 0 && s->headless)
            break;
        if (s->o->double_space && padded) {
            wk_out_char(s->c->out, '\n');
            left--;
        }
        wk_tick(s->c, 1);
    }
    for (int64_t i = 0; left == 0 && i < s->columns; i++)
        if (s->column[i].status == PR_OPEN)
            s->column[i].page_full = true;
    s->pad_page = padded;
    if (padded && !s->headless) {
        if (s->o->form_feeds)
            wk_out_char(s->c->out, '\f');
        else
            put_many(s, '\n', left + FOOTER_LINES);
    } else if (s->keep_ff && s->ff_due) {
        wk_out_char(s->c->out, '\f');
        s->ff_due = false;
    }
    if (s->o->last_page < ++s->page)
        return false;
    release_held(s);
    return true;
}

/* ---- what is settled before a file ------------------------------------------------------------------- */

static void settle(struct pr *s, int files)
{
    const struct pr_opts *o = s->o;
    s->body = o->length - HEADER_LINES - FOOTER_LINES;
    if (s->body <= 0)
        s->headless = s->keep_ff = true;
    if (s->headless)
        s->body = o->length;
    if (o->double_space)
        s->body /= 2;
    s->merge = o->merge && files > 0;
    s->columns = s->merge ? files : o->columns;
    s->storing = !o->merge && !o->across && s->columns > 1;
    if (s->columns > 1) {
        if (!s->separated) {
            s->separator = o->join ? "\t" : " ";
            s->separator_n = 1;
            s->separated = true;
        } else if (!o->join && s->separator_n == 1 && *s->separator == '\t') {
            s->separator = " ";
        }
        s->truncate = s->tabs = true;
        if (s->separator_n != 1 || *s->separator != '\t')
            s->expand = true;
    }
    if (o->join)
        s->truncate = false;
    s->number_room = 0;
    if (o->numbered) {
        s->line_count = o->number_start;
        s->number_room = o->number_width + (o->number_char == '\t' ? PR_TAB - o->number_width % PR_TAB : 1);
    }
    int64_t room = o->width - (s->merge ? s->number_room : 0);
    if (s->separator_n && s->columns - 1 > room / s->separator_n)
        room = 0;
    else
        room -= (s->columns - 1) * s->separator_n;
    s->column_width = room / s->columns;
    if (s->column_width < 1)
        wk_fail(s->c, 1, "page width too narrow");
}

static void place_columns(struct pr *s)
{
    const struct pr_opts *o = s->o;
    int64_t at = o->margin, next = PR_ANYWHERE;
    if (s->truncate)
        next = at + s->column_width + (s->merge && o->numbered ? s->number_room : 0);
    at += s->separator_n;
    for (int64_t i = 0; i < s->columns; i++) {
        struct pr_column *p = &s->column[i];
        p->stored = s->storing;
        p->numbered = o->numbered && (!s->merge || i == 0);
        p->start = at;
        at = s->truncate ? next + s->separator_n : PR_ANYWHERE;
        next = s->truncate ? at + s->column_width : PR_ANYWHERE;
    }
}

static bool open_all(struct pr *s, int n, char **names)
{
    int64_t want = s->columns, got = 0;
    s->ready = 0;
    if ((size_t)want > s->columns_cap) {
        s->column = (struct pr_column *)wk_heap_calloc(s->c->heap, (size_t)want, sizeof *s->column);
        s->columns_cap = (size_t)want;
    }
    if (s->merge) {
        for (int i = 0; i < n; i++)
            got += open_file(s, names[i], &s->column[got]);
        s->columns = got;
        if (got)
            make_header(s, "", NULL);
        return got > 0;
    }
    if (!open_file(s, n ? names[0] : "-", &s->column[0]))
        return false;
    make_header(s, n ? names[0] : "-", s->column[0].input);
    for (int64_t i = 1; i < want; i++)
        s->column[i] = s->column[0];
    return true;
}

void wk_pr_files(struct pr *s, int n, char **names)
{
    settle(s, n);
    if (!open_all(s, n, names))
        return;
    s->page = s->o->first_page ? s->o->first_page : 1;
    if (s->page > 1 && !skip_pages(s))
        return;
    place_columns(s);
    s->line_number = s->line_count;
    while (s->body > 0 && put_page(s)) /* a page without lines would never end */
        wk_tick(s->c, 1);
}
