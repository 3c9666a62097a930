/* echo.c - the program echo: print words
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: /bin/echo. The shell has an echo of its own.
 */
#include "kern/cmd.h"

static int digit_value(char ch)
{
    if (wk_is_digit(ch))
        return ch - '0';
    int low = wk_to_lower((unsigned char)ch);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : 16;
}

/* Up to `most` digits of a base at *p: their value as a byte. */
static char read_digits(const char **p, int base, int most)
{
    int v = 0;
    for (; most > 0 && digit_value(**p) < base; most--)
        v = v * base + digit_value(*(*p)++);
    return (char)v;
}

/* What stands behind a backslash; false: the output ends here. */
static bool put_escape(struct wk_cmd *c, const char **p)
{
    static const char letters[] = "a\ab\be\033f\fn\nr\rt\tv\v\\\\";
    char ch = **p;
    const char *plain = NULL;
    for (const char *l = letters; ch && *l && !plain; l += 2)
        plain = *l == ch ? l + 1 : NULL;
    if (ch == 'c')
        return false;
    if (plain) {
        wk_out_char(c->out, *plain);
        ++*p;
    } else if (ch == 'x' && digit_value((*p)[1]) < 16) {
        ++*p;
        wk_out_char(c->out, read_digits(p, 16, 2));
    } else if (ch >= '0' && ch <= '7') {
        *p += ch == '0';
        wk_out_char(c->out, read_digits(p, 8, 3));
    } else {
        wk_out_char(c->out, '\\');
    }
    return true;
}

static bool put_word(struct wk_cmd *c, const char *word, bool escapes)
{
    while (*word) {
        size_t n = escapes ? strcspn(word, "\\") : strlen(word);
        wk_out_put(c->out, word, n);
        word += n;
        if (*word && (word++, !put_escape(c, &word)))
            return false;
    }
    return true;
}

static int echo_main(struct wk_cmd *c)
{
    bool posix = wk_cmd_env(c, "POSIXLY_CORRECT") != NULL, escapes = posix, newline = true;
    bool options = !posix || (c->nargs && strcmp(c->args[0], "-n") == 0);
    int at = 0;
    if (!posix && c->nargs == 1 && (strcmp(c->args[0], "--help") == 0 || strcmp(c->args[0], "--version") == 0))
        wk_cmd_about(c, c->args[0][2] == 'v');
    for (; options && at < c->nargs; at++) {
        const char *a = c->args[at];
        if (a[0] != '-' || !a[1] || a[1 + strspn(a + 1, "neE")])
            break;
        for (a++; *a; a++) {
            newline = newline && *a != 'n';
            escapes = *a == 'n' ? escapes : *a == 'e' || posix;
        }
    }
    for (bool first = true; at < c->nargs; at++, first = false) {
        if (!first)
            wk_out_char(c->out, ' ');
        if (!put_word(c, c->args[at], escapes))
            return c->status;
    }
    if (newline)
        wk_out_char(c->out, '\n');
    return c->status;
}

/* main looks at the words itself: they are no options of the usual kind. */
static const struct wk_opt echo_options[] = {
    {WK_OPT_FLAG, 'n', NULL, NULL, "no newline at the end", 0, 0, NULL},
    {WK_OPT_FLAG, 'e', NULL, NULL, "backslashes begin escapes", 0, 0, NULL},
    {WK_OPT_FLAG, 'E', NULL, NULL, "backslashes are themselves (default)", 0, 0, NULL},
    WK_OPTS_END,
};

WK_COMMAND(echo, .summary = "print words", .usage = "echo [OPTION]... [WORD]...", .std = "coreutils 9.1",
           .opts = echo_options, .opts_size = sizeof(bool), .flags = WK_CMD_RAW_ARGS | WK_CMD_HOST,
           .help = "Escapes: \\a \\b \\c (ends the output) \\e \\f \\n \\r \\t \\v \\\\ \\0NNN \\NNN \\xHH\n");
