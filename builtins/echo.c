/* echo.c - print the arguments: the program (the shell has a builtin of its own)
 *
 * Standard: GNU coreutils 9.1. Oracle: env echo.
 */
#include "kern/cmd.h"

struct echo {
    struct wk_out *out;
    bool newline, escapes;
};

static int digit_of(char ch)
{
    if (wk_is_digit(ch))
        return ch - '0';
    char lower = (char)wk_to_lower((unsigned char)ch);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

/* Up to `most` digits at *p; the byte that they are. */
static unsigned number(const char **p, int base, int most)
{
    unsigned v = 0;
    for (; most > 0 && digit_of(**p) < base; most--)
        v = v * (unsigned)base + (unsigned)digit_of(*(*p)++);
    return v & 255;
}

/* The escape behind a backslash at *p; false when \c ends all output. */
static bool put_escape(struct echo *e, const char **p)
{
    static const char letters[] = "abefnrtv\\", bytes[] = "\a\b\033\f\n\r\t\v\\";
    char ch = *(*p)++;
    const char *at = strchr(letters, ch);
    if (ch == 'c')
        return false;
    if (at) {
        wk_out_char(e->out, bytes[at - letters]);
    } else if (ch == 'x' && digit_of(**p) < 16) {
        wk_out_char(e->out, (char)number(p, 16, 2));
    } else if (ch == '0') {
        wk_out_char(e->out, (char)number(p, 8, 3));
    } else if (ch >= '1' && ch <= '7') {
        --*p;
        wk_out_char(e->out, (char)number(p, 8, 3));
    } else {
        wk_out_char(e->out, '\\');
        wk_out_char(e->out, ch);
    }
    return true;
}

static bool put_word(struct echo *e, const char *p)
{
    while (*p) {
        size_t plain = e->escapes ? strcspn(p, "\\") : strlen(p);
        wk_out_put(e->out, p, plain);
        p += plain;
        if (!*p)
            return true;
        p++;
        if (!*p)
            wk_out_char(e->out, '\\');
        else if (!put_escape(e, &p))
            return false;
    }
    return true;
}

static int echo_main(struct wk_cmd *c)
{
    bool strict = wk_cmd_env(c, "POSIXLY_CORRECT") != NULL;
    bool options = !strict || (c->nargs > 0 && strcmp(c->args[0], "-n") == 0);
    struct echo e = {.out = c->out, .newline = true, .escapes = strict};
    int i = 0;
    if (options && c->nargs == 1 && (strcmp(c->args[0], "--help") == 0 || strcmp(c->args[0], "--version") == 0))
        wk_cmd_about(c, c->args[0][2] == 'v');
    for (; options && i < c->nargs; i++) {
        const char *a = c->args[i];
        if (a[0] != '-' || !a[1] || strspn(a + 1, "neE") != strlen(a + 1))
            break;
        for (a++; *a; a++) {
            if (*a == 'n')
                e.newline = false;
            else
                e.escapes = *a == 'e' || strict;
        }
    }
    for (int first = i; i < c->nargs; i++) {
        if (i > first)
            wk_out_char(c->out, ' ');
        if (!put_word(&e, c->args[i]))
            return 0;
    }
    if (e.newline)
        wk_out_char(c->out, '\n');
    return 0;
}

WK_COMMAND(echo, .summary = "print the arguments on one line", .usage = "echo [-neE] [STRING]...",
           .std = "coreutils 9.1",
           .flags = WK_CMD_RAW_ARGS | WK_CMD_HOST, /* --help is looked at here */
           .help = "  -n  no newline at the end\n"
                   "  -e  interpret backslash escapes\n"
                   "  -E  do not (the default)\n\n"
                   "Escapes: \\a \\b \\c (stop) \\e \\f \\n \\r \\t \\v \\\\ \\0NNN \\xHH");
