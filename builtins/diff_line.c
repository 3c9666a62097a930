/* diff_line.c - diff: lines, names and times as all output styles print them
 *
 * Standard: GNU diffutils 3.8. Oracle: diff.
 */
#include "builtins/diff.h"
#include "builtins/zone.h"

void wk_diff_color(struct diff *d, enum diff_palette color)
{
    if (!d->o->color)
        return;
    wk_out_c(d->c->out, "\033[");
    wk_out_c(d->c->out, d->o->palette[color]);
    wk_out_char(d->c->out, 'm');
}

/* What stands before a line: its mark, and a blank or tab where the style has one. An empty line
 * may go without. */
static void put_mark(struct diff *d, char mark, bool empty)
{
    struct wk_out *out = d->c->out;
    bool bare = empty && d->o->suppress_blank_empty, unified = d->o->style == DIFF_UNIFIED;
    bool blank_too = unified && (d->o->initial_tab || mark == ' ');
    if (mark == ' ' ? !bare && !unified : true)
        wk_out_char(out, mark);
    if (!bare && (!unified || blank_too))
        wk_out_char(out, d->o->initial_tab ? '\t' : ' ');
}

/* The text of a line with its tabs expanded. Behind a carriage return its mark stands once more. */
static void put_expanded(struct diff *d, char mark, struct wk_str s)
{
    struct wk_out *out = d->c->out;
    size_t column = 0, tab = (size_t)d->o->tab_size;
    for (size_t i = 0; i < s.n; i++) {
        char ch = s.p[i];
        if (ch == '\t') {
            size_t n = tab - column % tab;
            column += n;
            while (n-- > 0)
                wk_out_char(out, ' ');
            continue;
        }
        if (ch == '\b' && !column)
            continue;
        wk_out_char(out, ch);
        if (ch == '\r') {
            column = 0;
            if (mark && d->o->style != DIFF_UNIFIED)
                put_mark(d, mark, false);
        } else if (ch == '\b') {
            column--;
        } else {
            column += ch >= ' ' && ch != 127;
        }
    }
}

void wk_diff_put_text(struct diff *d, char mark, const struct diff_file *f, int64_t at)
{
    struct wk_str s = f->lines[at];
    if (s.p[s.n - 1] == '\n')
        s.n--;
    if (d->o->expand_tabs)
        put_expanded(d, mark, s);
    else
        wk_out_str(d->c->out, s);
    wk_tick(d->c, (uint32_t)(s.n / 64) + 1);
}

void wk_diff_put_line(struct diff *d, enum diff_palette color, char mark, const struct diff_file *f,
                   int64_t at)
{
    struct wk_str s = f->lines[at];
    bool newline = s.p[s.n - 1] == '\n';
    if (color != DIFF_COLOR_RESET)
        wk_diff_color(d, color);
    put_mark(d, mark, s.n == newline);
    wk_diff_put_text(d, mark, f, at);
    if (color != DIFF_COLOR_RESET)
        wk_diff_color(d, DIFF_COLOR_RESET);
    wk_out_c(d->c->out, newline ? "\n" : "\n\\ No newline at end of file\n");
}

void wk_diff_put_at(struct diff *d, const char *text)
{
    wk_diff_color(d, DIFF_COLOR_LINE);
    wk_out_c(d->c->out, text);
    wk_diff_color(d, DIFF_COLOR_RESET);
}

const char *wk_diff_name(struct wk_cmd *c, const char *name)
{
    size_t i = 0;
    for (; name[i]; i++)
        if ((unsigned char)name[i] <= ' ' || (unsigned char)name[i] >= 127 || name[i] == '"' ||
            name[i] == '\\')
            break;
    if (!name[i])
        return name;
    static const char plain[] = "\a\b\t\n\v\f\r\"\\", letter[] = "abtnvfr\"\\";
    struct wk_buf *b = wk_cmd_buf(c, SIZE_MAX);
    wk_buf_putc(b, '"');
    for (i = 0; name[i]; i++) {
        const char *at = strchr(plain, name[i]);
        unsigned char ch = (unsigned char)name[i];
        if (at) {
            wk_buf_putc(b, '\\');
            wk_buf_putc(b, letter[at - plain]);
        } else if (ch < ' ' || ch >= 127) {
            char octal[] = {'\\', (char)('0' + (ch >> 6)), (char)('0' + (ch >> 3 & 7)),
                            (char)('0' + (ch & 7))};
            wk_buf_put(b, octal, sizeof octal);
        } else {
            wk_buf_putc(b, name[i]);
        }
    }
    wk_buf_putc(b, '"');
    return wk_keep(c, b);
}

static void put_name(struct diff *d, const char *mark, int which)
{
    struct wk_out *out = d->c->out;
    const struct diff_file *f = &d->file[which];
    wk_diff_color(d, DIFF_COLOR_HEADER);
    wk_out_c(out, mark);
    wk_out_char(out, ' ');
    if (d->o->labels[which]) {
        wk_out_c(out, d->o->labels[which]);
    } else {
        struct wk_buf *b = wk_cmd_buf(d->c, 256);
        bool words = d->o->style == DIFF_CONTEXT && !wk_cmd_utf8(d->c);
        wk_zone_text(d->c, b, wk_zone_of(d->c),
                     words ? WK_STR("%a %b %e %T %Y") : WK_STR("%Y-%m-%d %H:%M:%S.%N %z"),
                     f->absent ? 0 : f->st.mtim);
        wk_out_c(out, wk_diff_name(d->c, f->name));
        wk_out_char(out, '\t');
        wk_out_put(out, b->p, b->n);
    }
    wk_diff_color(d, DIFF_COLOR_RESET);
    wk_out_char(out, '\n');
}

void wk_diff_header(struct diff *d, const char *first, const char *second)
{
    put_name(d, first, 0);
    put_name(d, second, 1);
}
