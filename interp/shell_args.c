/* shell_args.c - the command line of bash and sh: options (bash 6.1)
 *
 * Words that are long options come first, with one dash or two; from the first other one on there are letters only.
 */
#include "interp/shell_args.h"

static const char usage_text[] = "Usage:\t%s [GNU long option] [option] ...\n"
                                 "\t%s [GNU long option] [option] script-file ...\n"
                                 "GNU long options:\n"
                                 "\t--debug\n\t--debugger\n\t--dump-po-strings\n\t--dump-strings\n\t--help\n"
                                 "\t--init-file\n\t--login\n\t--noediting\n\t--noprofile\n\t--norc\n\t--posix\n"
                                 "\t--pretty-print\n\t--rcfile\n\t--restricted\n\t--verbose\n\t--version\n"
                                 "Shell options:\n"
                                 "\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n"
                                 "\t-abefhkmnptuvxBCEHPT or -o option\n";

static void put_usage(struct wk_shell_args *a, struct wk_buf *b)
{
    wk_buf_fmt(b, usage_text, a->self, a->self);
}

/* The usage follows, unless -e was among the options: then the message is an error that ends the shell. */
static void refuse(struct wk_shell_args *a, const char *what, const char *message, bool usage)
{
    bool errexit = a->o.set_options & WK_OPT_BIT(ERREXIT);
    wk_buf_fmt(&a->err, "%s: %s: %s\n", a->self, what, message);
    if (usage && !errexit)
        put_usage(a, &a->err);
    a->status = errexit ? 1 : 2;
}

/* What a session may do is its host's to say. */
static const char no_restricted[] = "restricted shells are not supported";
static const char no_strings[] = "there are no translated strings to list";

enum long_kind {
    L_POSIX,
    L_LOGIN,
    L_NO_PROFILE,
    L_NO_RC,
    L_IGNORED,
    L_DEBUGGER,
    L_RESTRICTED,
    L_VERBOSE,
    L_RC_FILE,
    L_VERSION,
    L_HELP,
    L_STRINGS,
    L_PRETTY
};

static int find_long(const char *name)
{
    static const struct {
        const char *name;
        enum long_kind kind;
    } rows[] = {
        {"debug", L_IGNORED},        {"debugger", L_DEBUGGER},     {"dump-po-strings", L_STRINGS},
        {"dump-strings", L_STRINGS}, {"help", L_HELP},             {"init-file", L_RC_FILE},
        {"login", L_LOGIN},          {"noediting", L_IGNORED},     {"noprofile", L_NO_PROFILE},
        {"norc", L_NO_RC},           {"posix", L_POSIX},           {"pretty-print", L_PRETTY},
        {"rcfile", L_RC_FILE},       {"restricted", L_RESTRICTED}, {"verbose", L_VERBOSE},
        {"version", L_VERSION},
    };
    for (size_t i = 0; i < WK_COUNTOF(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return (int)rows[i].kind;
    return -1;
}

static void take_long(struct wk_shell_args *a, enum long_kind kind, const char *word)
{
    switch (kind) {
    case L_POSIX:
        a->o.posix = true;
        break;
    case L_LOGIN:
        a->login = true;
        break;
    case L_NO_PROFILE:
        a->no_profile = true;
        break;
    case L_NO_RC:
        a->no_rc = true;
        break;
    case L_DEBUGGER:
        a->debugger = true;
        break;
    case L_VERBOSE:
        a->o.set_options |= WK_OPT_BIT(VERBOSE);
        break;
    case L_VERSION:
        a->version = true;
        break;
    case L_HELP:
        a->help = true;
        break;
    case L_RESTRICTED:
        refuse(a, word, no_restricted, false);
        break;
    case L_STRINGS:
        refuse(a, word, no_strings, false);
        break;
    case L_PRETTY:
        refuse(a, word, "scripts are not reformatted", false);
        break;
    case L_RC_FILE:
    case L_IGNORED:
        break;
    }
}

/* Long options in front; the index of what comes after. */
static int long_options(struct wk_shell_args *a, int argc, char **argv)
{
    int at = 1;
    for (; at < argc && a->status < 0 && argv[at][0] == '-' && argv[at][1]; at++) {
        bool two = argv[at][1] == '-';
        const char *name = argv[at] + (two ? 2 : 1);
        if (!*name)
            break;
        int kind = find_long(name);
        if (kind < 0 && !two)
            break;
        if (kind < 0) {
            refuse(a, argv[at], "invalid option", true);
        } else if (kind == L_RC_FILE && at + 1 == argc) {
            refuse(a, name, "option requires an argument", false);
        } else {
            take_long(a, (enum long_kind)kind, argv[at]);
            if (kind == L_RC_FILE)
                a->rc_file = argv[++at];
        }
    }
    return at;
}

static void answer(struct wk_shell_args *a)
{
    if (a->status >= 0 || !(a->help || a->version))
        return;
    a->status = 0;
    if (a->help) {
        wk_buf_put_c(&a->out, "GNU bash, version 5.2.15(1)-release-(x86_64-pc-linux-gnu)\n");
        put_usage(a, &a->out);
    } else {
        wk_buf_put_c(&a->out, "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n"
                              "This is the compatible shell of whelk.\n");
    }
}

/* -o NAME, -O NAME. */
static void named_option(struct wk_shell_args *a, char kind, bool on, const char *name)
{
    int n = kind == 'o' ? wk_set_option_find(wk_str_c(name)) : wk_shopt_find(wk_str_c(name));
    if (n < 0 && kind == 'o') {
        wk_buf_fmt(&a->err, "%s: line 0: %s: %s: invalid option name\n", a->self, a->self, name);
        a->status = 2;
    } else if (n < 0) {
        a->bad_shopt = a->bad_shopt ? a->bad_shopt : name;
    }
    if (n < 0)
        return;
    uint64_t bit = UINT64_C(1) << n;
    uint64_t *set = kind == 'o' ? &a->o.set_options : &a->o.shopts_on;
    uint64_t *clear = kind == 'o' ? &a->o.clear_options : &a->o.shopts_off;
    *(on ? set : clear) |= bit;
    *(on ? clear : set) &= ~bit;
}

static void set_letter(struct wk_shell_args *a, char letter, bool on)
{
    int n = wk_set_option_letter(letter);
    char text[3] = {on ? '-' : '+', letter, '\0'};
    if (n < 0) {
        refuse(a, text, "invalid option", true);
        return;
    }
    uint64_t bit = UINT64_C(1) << n;
    *(on ? &a->o.set_options : &a->o.clear_options) |= bit;
    *(on ? &a->o.clear_options : &a->o.set_options) &= ~bit;
}

/* A cluster of letters; *at is moved past arguments that it takes. */
static void letters(struct wk_shell_args *a, int argc, char **argv, int *at)
{
    const char *w = argv[*at];
    bool on = w[0] == '-';
    for (const char *p = w + 1; *p && a->status < 0; p++) {
        switch (*p) {
        case 'c':
            a->has_command = true;
            break;
        case 's':
            a->o.read_stdin = true;
            break;
        case 'i':
            a->o.interactive = on;
            break;
        case 'l':
            a->login = true;
            break;
        case 'D':
            refuse(a, "-D", no_strings, false);
            break;
        case 'r':
            if (on)
                refuse(a, "-r", no_restricted, false);
            break;
        case 'o':
        case 'O':
            if (*at + 1 >= argc) {
                *(*p == 'o' ? &a->list_options : &a->list_shopts) = true;
                a->list_plus = !on;
            } else {
                named_option(a, *p, on, argv[++*at]);
            }
            break;
        default:
            set_letter(a, *p, on);
            break;
        }
    }
}

static int short_options(struct wk_shell_args *a, int argc, char **argv, int at)
{
    for (; at < argc && a->status < 0; at++) {
        const char *w = argv[at];
        if (w[0] != '-' && w[0] != '+')
            break;
        if (w[0] == '-' && (!w[1] || (w[1] == '-' && !w[2])))
            return at + 1;
        letters(a, argc, argv, &at);
    }
    return at;
}

int wk_shell_args_parse(struct wk_shell_args *a, int argc, char **argv)
{
    a->status = -1;
    int at = long_options(a, argc, argv);
    answer(a);
    if (a->status < 0)
        at = short_options(a, argc, argv, at);
    if (a->status < 0 && a->has_command && at >= argc)
        refuse(a, "-c", "option requires an argument", false);
    if (a->status < 0 && a->bad_shopt) {
        wk_buf_fmt(&a->err, "%s: line 0: %s: invalid shell option name\n", a->self, a->bad_shopt);
        a->status = 2;
    }
    return WK_MIN(at, argc);
}
