/* rg_color.c - rg: the settings of --colors */
#include "base/num.h"
#include "builtins/rg.h"

struct spec {
    char fg[24], bg[24]; /* "" = none; a digit of the eight colours, or what stands behind 38; and 48; */
    bool bold, underline, intense;
};

static WK_NORETURN void refuse(struct wk_cmd *c, const char *before, const char *what, const char *behind)
{
    wk_out_fmt(c->err, "%s '%s'%s\n", before, what, behind);
    wk_exit(c, 2);
}

static const char bad_format[] = ". Valid format is '(path|line|column|match):(fg|bg|style):(value)'.";
static const char bad_number[] = "unrecognized ansi256 color number, should be '[0-255]' (or a hex number), but is";
static const char bad_triple[] =
    "unrecognized RGB color triple, should be '[0-255],[0-255],[0-255]' (or a hex triple), but is";

/* A number up to 255, also with 0x; -1. */
static int byte_value(struct wk_str s)
{
    int64_t v;
    bool hex = wk_str_starts(s, WK_STR("0x"));
    if (wk_parse_i64(wk_str_from(s, hex ? 2 : 0), hex ? 16 : 10, &v) || v < 0 || v > 255)
        return -1;
    return (int)v;
}

static void read_color(struct wk_cmd *c, const char *text, char out[24])
{
    static const char *const names[] = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
    struct wk_buf *b = wk_rg_buf(c);
    for (int i = 0; i < 8; i++)
        if (strcmp(text, names[i]) == 0) {
            out[0] = (char)('0' + i);
            out[1] = '\0';
            return;
        }
    if (!strchr(text, ',')) {
        int v = byte_value(wk_str_c(text));
        if (v < 0 && wk_is_digit((unsigned char)text[0]))
            refuse(c, bad_number, text, "");
        if (v < 0)
            refuse(c, "unrecognized color name", text,
                   ". Choose from: black, blue, green, red, cyan, magenta, yellow, white");
        wk_buf_fmt(b, "5;%d", v);
    } else {
        wk_buf_putc(b, '2');
        int parts = 0;
        for (const char *p = text;; parts++) {
            size_t n = strcspn(p, ",");
            int v = byte_value(wk_str(p, n));
            if (v < 0 || parts == 3)
                refuse(c, bad_triple, text, "");
            wk_buf_fmt(b, ";%d", v);
            p += n;
            if (!*p++)
                break;
        }
        if (parts != 2)
            refuse(c, bad_triple, text, "");
    }
    memcpy(out, wk_buf_c(b), b->n + 1);
}

static void read_style(struct wk_cmd *c, const char *text, struct spec *s)
{
    bool on = strncmp(text, "no", 2) != 0;
    const char *name = on ? text : text + 2;
    if (strcmp(name, "bold") == 0)
        s->bold = on;
    else if (strcmp(name, "intense") == 0)
        s->intense = on;
    else if (strcmp(name, "underline") == 0)
        s->underline = on;
    else
        refuse(c, "unrecognized style attribute", text,
               ". Choose from: nobold, bold, nointense, intense, nounderline, underline.");
}

static void read_spec(struct wk_cmd *c, const char *given, struct spec specs[4])
{
    static const char *const types[] = {"path", "line", "column", "match"};
    char *text = wk_dup(c, given), *part[3] = {text, NULL, NULL};
    int n = 1, which = 0;
    for (char *p = text; *p; p++) {
        *p = (char)wk_to_lower((unsigned char)*p);
        if (*p == ':') {
            *p = '\0';
            if (n == 3)
                n = 9;
            else if (n < 3)
                part[n++] = p + 1;
        }
    }
    if (n < 2 || n > 3)
        refuse(c, "invalid color spec format:", given, bad_format);
    while (which < 4 && strcmp(part[0], types[which]) != 0)
        which++;
    if (which == 4)
        refuse(c, "unrecognized output type", part[0], ". Choose from: path, line, column, match.");
    struct spec *s = &specs[which];
    bool none = strcmp(part[1], "none") == 0;
    if (none) {
        *s = (struct spec){.fg = ""};
        return;
    }
    bool fg = strcmp(part[1], "fg") == 0, bg = strcmp(part[1], "bg") == 0, style = strcmp(part[1], "style") == 0;
    if (!fg && !bg && !style)
        refuse(c, "unrecognized spec type", part[1], ". Choose from: fg, bg, style, none.");
    if (n < 3)
        refuse(c, "invalid color spec format:", given, bad_format);
    if (style)
        read_style(c, part[2], s);
    else
        read_color(c, part[2], fg ? s->fg : s->bg);
}

static void put_color(struct wk_buf *b, const struct spec *s, const char *v, int base)
{
    if (!*v)
        return;
    if (v[1])
        wk_buf_fmt(b, "\33[%d;%sm", base + 8, v);
    else if (s->intense)
        wk_buf_fmt(b, "\33[%d;5;%dm", base + 8, v[0] - '0' + 8);
    else
        wk_buf_fmt(b, "\33[%d%cm", base / 10, v[0]);
}

static const char *sequence(struct wk_cmd *c, const struct spec *s)
{
    struct wk_buf *b = wk_rg_buf(c);
    wk_buf_put_c(b, s->bold ? "\33[1m" : "");
    wk_buf_put_c(b, s->underline ? "\33[4m" : "");
    put_color(b, s, s->fg, 30);
    put_color(b, s, s->bg, 40);
    return wk_keep(c, b);
}

void wk_rg_read_colors(struct wk_rg *g)
{
    struct spec specs[4] = {{.fg = "5"}, {.fg = "2"}, {.fg = ""}, {.fg = "1", .bold = true}};
    for (size_t i = 0; i < g->o->colors.n; i++)
        read_spec(g->c, g->o->colors.v[i], specs);
    g->colors = (struct wk_rg_colors){sequence(g->c, &specs[0]), sequence(g->c, &specs[1]), sequence(g->c, &specs[2]),
                                      sequence(g->c, &specs[3])};
}
