/* stty.c - terminal settings: settings are checked, and then there is no terminal to have them
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: stty on what is no terminal.
 * Differs:  docs/divergences/stty.md
 */
#include "base/num.h"
#include "builtins/fsops.h"

struct stty {
    struct wk_cmd *c;
    const char *device;
    bool all, save, set;
};

/* Settings that a - in front of them reverses. */
static const char *const reversible[] = {
    "parenb", "parodd", "cmspar", "hupcl", "hup",    "cstopb", "cread",  "clocal",  "crtscts", "ignbrk",  "brkint",
    "ignpar", "parmrk", "inpck",  "istrip", "inlcr",  "igncr",  "icrnl",  "ixon",    "ixoff",   "tandem",  "iuclc",
    "ixany",  "imaxbel", "iutf8", "opost",  "olcuc",  "ocrnl",  "onlcr",  "onocr",   "onlret",  "ofill",   "ofdel",
    "isig",   "icanon", "iexten", "echo",   "echoe",  "crterase", "echok", "echonl", "noflsh",  "xcase",   "tostop",
    "echoprt", "prterase", "echoctl", "ctlecho", "echoke", "crtkill", "flusho", "extproc", "evenp", "parity", "oddp",
    "nl",     "cooked", "raw",    "pass8",  "litout", "cbreak", "decctlq", "tabs",   "lcase",   "LCASE",   "drain",
};

static const char *const plain[] = {
    "cs5", "cs6", "cs7", "cs8", "nl1", "nl0",  "cr3", "cr2", "cr1",  "cr0",   "tab3", "tab2", "tab1", "tab0",
    "bs1", "bs0", "vt1", "vt0", "ff1", "ff0",  "ek",  "sane", "crt", "dec",   "size", "speed",
};

static const char *const characters[] = {
    "intr", "quit", "erase", "kill", "eof", "eol", "eol2", "swtch", "start", "stop", "susp", "rprnt", "werase", "lnext",
    "discard", "flush",
};

static const char *const speeds[] = {
    "0", "50", "75", "110", "134", "134.5", "150", "200", "300", "600", "1200", "1800", "2400", "4800", "9600", "19200",
    "38400", "exta", "extb", "57600", "115200", "230400", "460800", "500000", "576000", "921600", "1000000", "1152000",
    "1500000", "2000000", "2500000", "3000000", "3500000", "4000000",
};

static bool among(const char *const *words, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], text) == 0)
            return true;
    return false;
}

#define AMONG(words, text) among((words), WK_COUNTOF(words), (text))

static void check_integer(struct wk_cmd *c, const char *text)
{
    uint64_t v;
    const char *p = text;
    while (wk_is_space(*p))
        p++;
    int r = wk_parse_u64(wk_str_c(p), 0, &v);
    if (r == -WK_ERANGE || (r == 0 && v > 255))
        wk_fail(c, 1, "invalid integer argument: %s: %s", wk_quote_arg(c, text),
                wk_err_text(r ? WK_EOVERFLOW : WK_ERANGE));
    if (r != 0)
        wk_fail(c, 1, "invalid integer argument: %s", wk_quote_arg(c, text));
}

/* 36 numbers in hexadecimal with colons between: what -g prints. */
static bool is_saved(const char *text)
{
    size_t fields = 0;
    for (;;) {
        size_t n = strspn(text, "0123456789abcdefABCDEF");
        if (!n)
            return false;
        fields++;
        if (!text[n])
            return fields == 36;
        if (text[n] != ':')
            return false;
        text += n + 1;
    }
}

/* Checks the setting at v[0]; returns how many further words it took. */
static int take_setting(struct stty *s, char *const *v)
{
    struct wk_cmd *c = s->c;
    const char *a = v[0];
    static const char *const numbers[] = {"min", "time", "line"};
    static const char *const late[] = {"ispeed", "ospeed", "rows", "cols", "columns"};
    s->set = true;
    if (*a == '-' && AMONG(reversible, a + 1))
        return 0;
    if (AMONG(reversible, a) || AMONG(plain, a) || AMONG(speeds, a) || is_saved(a))
        return 0;
    bool number = AMONG(numbers, a), character = AMONG(characters, a);
    if (!number && !character && !AMONG(late, a))
        wk_usage(c, "invalid argument %s", wk_quote_arg(c, a));
    if (!v[1])
        wk_usage(c, "missing argument to %s", wk_quote_arg(c, a));
    size_t n = strlen(v[1]);
    if (number || (character && n > 1 && v[1][0] != '^' && strcmp(v[1], "undef") != 0))
        check_integer(c, v[1]);
    return 1;
}

/* -a, -g, -F and their long names; everything else is a setting. */
static int take_word(struct stty *s, char *const *v)
{
    const char *a = v[0], *device = NULL;
    int used = 0;
    if (strcmp(a, "--") == 0)
        return 0;
    size_t n = strcspn(a, "=");
    if (n > 2 && strncmp(a, "--file", n) == 0)
        a = a[n] ? wk_strf(s->c, "--file%s", a + n) : "--file";
    else if (n > 2 && !a[n] && (strncmp(a, "--help", n) == 0 || strncmp(a, "--version", n) == 0))
        wk_cmd_about(s->c, a[2] == 'v');
    else if (n > 2 && !a[n])
        a = strncmp(a, "--all", n) == 0 ? "--all" : strncmp(a, "--save", n) == 0 ? "--save" : a;
    if (strcmp(a, "-a") == 0 || strcmp(a, "--all") == 0) {
        s->all = true;
        return 0;
    }
    if (strcmp(a, "-g") == 0 || strcmp(a, "--save") == 0) {
        s->save = true;
        return 0;
    }
    if ((strcmp(a, "-F") == 0 || strcmp(a, "--file") == 0) && v[1]) {
        device = v[1];
        used = 1;
    } else if (strncmp(a, "-F", 2) == 0 && a[2]) {
        device = a + 2;
    } else if (strncmp(a, "--file=", 7) == 0) {
        device = a + 7;
    }
    if (!device)
        return take_setting(s, v);
    if (s->device)
        wk_fail(s->c, 1, "only one device may be specified");
    s->device = device;
    return used;
}

static int stty_main(struct wk_cmd *c)
{
    struct stty s = {.c = c};
    struct wk_file *f;
    for (int i = 0; i < c->nargs; i++)
        i += take_word(&s, c->args + i);
    if (s.all && s.save)
        wk_fail(c, 1, "the options for verbose and stty-readable output styles are\nmutually exclusive");
    if (s.set && (s.all || s.save))
        wk_fail(c, 1, "when specifying an output style, modes may not be set");
    const char *name = s.device ? s.device : "standard input";
    int err = s.device ? wk_cmd_open(c, s.device, WK_O_RDONLY | WK_O_NONBLOCK, 0, &f) : c->in->file ? 0 : WK_EBADF;
    wk_fail(c, 1, "%s: %s", wk_quote_maybe(c, name), wk_err_text(err ? err : WK_ENOTTY));
}

WK_COMMAND(stty, .summary = "print or change terminal characteristics",
           .usage = "stty [-F DEVICE | --file=DEVICE] [SETTING]...\nstty [-F DEVICE | --file=DEVICE] [-a|--all]\n"
                    "stty [-F DEVICE | --file=DEVICE] [-g|--save]",
           .std = "coreutils 9.1", .flags = WK_CMD_RAW_ARGS,
           .help = "  -a, --all            print all current settings in human-readable form\n"
                   "  -g, --save           print all current settings in a stty-readable form\n"
                   "  -F, --file=DEVICE    open and use the specified DEVICE instead of stdin\n\n"
                   "There are no terminal settings in a session: settings are checked, and then refused.\n");
