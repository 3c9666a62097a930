/* quoting.c - file names as ls, stat and find print them */
#include "builtins/quoting.h"

#include "base/utf8.h"

int wk_quoting_named(const char *word)
{
    static const char *const names[] = {"literal", "shell",   "shell-always", "shell-escape",
                                        "shell-escape-always", "c", "c-maybe", "escape",
                                        "locale",  "clocale"};
    for (size_t i = 0; i < WK_COUNTOF(names); i++)
        if (strcmp(names[i], word) == 0)
            return (int)i;
    return -1;
}

static char escape_letter(unsigned char ch)
{
    static const char letters[] = "abtnvfr";
    return ch >= 7 && ch <= 13 ? letters[ch - 7] : 0;
}

static void put_escape(struct wk_buf *b, unsigned char ch)
{
    char letter = escape_letter(ch);
    wk_buf_putc(b, '\\');
    if (letter) {
        wk_buf_putc(b, letter);
    } else {
        const char octal[3] = {(char)('0' + (ch >> 6)), (char)('0' + (ch >> 3 & 7)),
                               (char)('0' + (ch & 7))};
        wk_buf_put(b, octal, 3);
    }
}

/* Length of the character at p, and whether it can be printed. */
static size_t char_at(const char *p, size_t n, bool *print)
{
    uint32_t ch;
    size_t len = wk_utf8_next(p, n, &ch);
    *print = !wk_utf8_is_bad(ch) && wk_utf8_is(ch, WK_CLASS_PRINT);
    return len;
}

static void put_c(struct wk_buf *b, struct wk_str name, const char *special)
{
    for (size_t i = 0; i < name.n;) {
        bool print;
        size_t len = char_at(name.p + i, name.n - i, &print);
        if (len == 1 && name.p[i] && strchr(special, name.p[i])) {
            wk_buf_putc(b, '\\');
            wk_buf_putc(b, name.p[i]);
        } else if (print) {
            wk_buf_put(b, name.p + i, len);
        } else {
            for (size_t k = 0; k < len; k++)
                put_escape(b, (unsigned char)name.p[i + k]);
        }
        i += len;
    }
}

static void put_hidden(struct wk_buf *b, struct wk_str name)
{
    for (size_t i = 0; i < name.n;) {
        bool print;
        size_t len = char_at(name.p + i, name.n - i, &print);
        if (print)
            wk_buf_put(b, name.p + i, len);
        else
            wk_buf_putc(b, '?');
        i += len;
    }
}

struct shell_look {
    bool need;    /* quotes are needed */
    bool quote;   /* has a ' */
    bool unprint; /* has something that cannot be printed */
    bool simple;  /* fit for "…" */
};

static struct shell_look look(struct wk_str s, bool escape, const char *more)
{
    struct shell_look k = {.need = s.n == 0, .simple = true};
    for (size_t i = 0; i < s.n;) {
        bool print;
        size_t len = char_at(s.p + i, s.n - i, &print);
        unsigned char ch = (unsigned char)s.p[i];
        i += len;
        if (!print) {
            k.unprint = true;
            k.simple = false;
            k.need = k.need || escape || ch == '\n' || ch == '\t' || ch == '\r';
            continue;
        }
        if (len > 1)
            continue;
        if (strchr(more, ch))
            k.need = true;
        if (ch == '\'')
            k.quote = true;
        else if (strchr("!\"$&()*;<=>?[\\^`|", ch))
            k.need = true, k.simple = false;
        else if (ch == ' ')
            k.need = true;
        else if (ch == '#' || ch == '~')
            k.need = k.need || i == 1, k.simple = false;
        else if (ch == '{' || ch == '}')
            k.need = k.need || s.n == 1, k.simple = false;
    }
    k.need = k.need || k.quote;
    return k;
}

/* Single quotes; what cannot be printed stands outside of them in $'…'. */
static void put_single(struct wk_buf *b, struct wk_str s, bool escape, bool hide)
{
    bool in_escape = false;
    wk_buf_putc(b, '\'');
    for (size_t i = 0; i < s.n;) {
        bool print;
        size_t len = char_at(s.p + i, s.n - i, &print);
        if (!print && escape) {
            if (!in_escape)
                wk_buf_put_c(b, "'$'");
            in_escape = true;
            for (size_t k = 0; k < len; k++)
                put_escape(b, (unsigned char)s.p[i + k]);
            i += len;
            continue;
        }
        if (in_escape)
            wk_buf_put_c(b, "''");
        in_escape = false;
        if (s.p[i] == '\'')
            wk_buf_put_c(b, "'\\''");
        else if (!print && hide)
            wk_buf_putc(b, '?');
        else
            wk_buf_put(b, s.p + i, len);
        i += len;
    }
    wk_buf_putc(b, '\'');
}

static bool put_shell(struct wk_buf *b, struct wk_str s, bool always, bool escape, bool hide, const char *more)
{
    struct shell_look k = look(s, escape, more);
    if (!k.need && !always) {
        if (hide)
            put_hidden(b, s);
        else
            wk_buf_puts(b, s);
        return false;
    }
    if (k.quote && k.simple) {
        wk_buf_putc(b, '"');
        if (always)
            put_c(b, s, more);
        else
            wk_buf_puts(b, s);
        wk_buf_putc(b, '"');
    } else {
        put_single(b, s, escape, hide);
    }
    return true;
}

static bool needs_c(struct wk_str s, const char *more)
{
    for (size_t i = 0; i < s.n;) {
        bool print;
        size_t len = char_at(s.p + i, s.n - i, &print);
        if (!print || s.p[i] == '"' || strchr(more, s.p[i]))
            return true;
        i += len;
    }
    return false;
}

bool wk_quoting_put(struct wk_buf *b, struct wk_str s, enum wk_quoting style, bool hide,
                    const char *more)
{
    char special[16] = "\\";
    size_t n = strlen(more);
    memcpy(special + 1, more, n < 13 ? n : 13);
    switch (style) {
    case WK_QUOTING_SHELL:
    case WK_QUOTING_SHELL_ALWAYS:
        return put_shell(b, s, style == WK_QUOTING_SHELL_ALWAYS, false, hide, more);
    case WK_QUOTING_SHELL_ESCAPE:
    case WK_QUOTING_SHELL_ESCAPE_ALWAYS:
        return put_shell(b, s, style == WK_QUOTING_SHELL_ESCAPE_ALWAYS, true, false, more);
    case WK_QUOTING_C_MAYBE:
        if (!needs_c(s, more)) {
            wk_buf_puts(b, s);
            return false;
        }
        wk_buf_putc(b, '"');
        put_c(b, s, "\"\\");
        wk_buf_putc(b, '"');
        return true;
    case WK_QUOTING_C:
        wk_buf_putc(b, '"');
        special[strlen(special)] = '"';
        put_c(b, s, special);
        wk_buf_putc(b, '"');
        return true;
    case WK_QUOTING_LOCALE:
    case WK_QUOTING_CLOCALE:
        wk_buf_put_c(b, "\xe2\x80\x98");
        put_c(b, s, special);
        wk_buf_put_c(b, "\xe2\x80\x99");
        return true;
    case WK_QUOTING_ESCAPE:
        put_c(b, s, special);
        return false;
    case WK_QUOTING_LITERAL:
    default:
        if (hide)
            put_hidden(b, s);
        else
            wk_buf_puts(b, s);
        return false;
    }
}
