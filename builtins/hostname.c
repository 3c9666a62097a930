/* hostname.c - print the name of the virtual machine
 *
 * Standard: Debian's hostname 3.23. Oracle: hostname.
 * Differs:  docs/divergences/hostname.md
 */
#include "kern/cmd.h"

enum { UNSAID, NAME, SHORT, ALIASES, FULL_NAMES, ADDRESSES, DOMAIN, ADDRESS, NIS };

struct hostname_opts {
    int what;
    const char *file;
    bool boot;
};

#define OPTS struct hostname_opts
static const struct wk_opt hostname_options[] = {
    WK_SET(OPTS, what, DOMAIN, 'd', "domain", "DNS domain name"),
    WK_FLAG(OPTS, boot, 'b', "boot", "set a host name if there is none (there is one)"),
    WK_STR_OPT(OPTS, file, 'F', "file", "FILE", "set the name that FILE holds (refused)"),
    WK_SET(OPTS, what, NAME, 'f', "fqdn", "long host name"),
    WK_SET(OPTS, what, FULL_NAMES, 'A', "all-fqdns", "all long host names"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "the same as --help"),
    WK_SET(OPTS, what, NAME, 0, "long", "the same as --fqdn"),
    WK_SET(OPTS, what, SHORT, 's', "short", "short host name"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_SET(OPTS, what, ALIASES, 'a', "alias", "alias names (none)"),
    WK_SET(OPTS, what, ADDRESS, 'i', "ip-address", "addresses for the host name"),
    WK_SET(OPTS, what, ADDRESSES, 'I', "all-ip-addresses", "all addresses for the host"),
    WK_SET(OPTS, what, NIS, 0, "nis", "the same as --yp"),
    WK_SET(OPTS, what, NIS, 'y', "yp", "NIS/YP domain name (none)"),
    WK_OPTS_END,
};

static bool is_name(const char *s)
{
    char before = '\0';
    size_t n = 0;
    for (; s[n]; before = s[n++]) {
        bool word = wk_is_alnum(s[n]);
        if (!word && s[n] != '-' && s[n] != '.')
            return false;
        if ((s[n] == '.' && !wk_is_alnum(before)) || (s[n] == '-' && before == '.'))
            return false;
    }
    return n && wk_is_alnum(before);
}

/* The first line that is neither empty nor a comment, without blanks around it; "" when there is none. */
static const char *name_in_file(struct wk_cmd *c, const char *path)
{
    struct wk_file *f;
    struct wk_str line;
    struct wk_stat st;
    int err = wk_cmd_open(c, path, WK_O_RDONLY, 0, &f);
    if (err && c->opts && ((const OPTS *)c->opts)->boot)
        return c->k->hostname;
    if (err)
        wk_fail(c, 1, "%s", wk_err_text(err));
    struct wk_in *in = wk_in_of(c, f, path);
    if (wk_cmd_stat(c, path, true, &st) == 0 && WK_S_ISDIR(st.mode))
        return "";
    while (wk_line_next(in, '\n', &line)) {
        if (!line.n || line.p[0] == '#')
            continue;
        while (line.n && wk_is_space((unsigned char)line.p[0]))
            line = wk_str_from(line, 1);
        while (line.n && wk_is_space((unsigned char)line.p[line.n - 1]))
            line.n--;
        return wk_dupn(c, line.p, line.n < 64 ? line.n : 64);
    }
    return ((const OPTS *)c->opts)->boot ? c->k->hostname : "";
}

static WK_NORETURN void set_name(struct wk_cmd *c, const char *name, bool domain)
{
    if (!domain && !is_name(name))
        wk_fail(c, 1, "the specified hostname is invalid");
    wk_fail(c, 1, "you must be root to change the %s name", domain ? "domain" : "host");
}

static int hostname_main(struct wk_cmd *c)
{
    const OPTS *o = (const OPTS *)c->opts;
    const char *name = c->k->hostname, *dot = strchr(name, '.');
    if (c->nargs > 1 || (c->nargs && (o->file || (o->what != UNSAID && o->what != NIS))))
        wk_try_help(c);
    if (c->nargs || o->file)
        set_name(c, o->file ? name_in_file(c, o->file) : c->args[0], o->what == NIS);
    switch (o->what) {
    case NIS:
        wk_out_fmt(c->out, "%s: Local domain name not set\n", c->name);
        return 1;
    case DOMAIN:
        if (dot)
            wk_out_fmt(c->out, "%s\n", dot + 1);
        break;
    case SHORT:
        wk_out_fmt(c->out, "%.*s\n", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
        break;
    case ALIASES:
        wk_out_c(c->out, "\n");
        break;
    case ADDRESS:
    case ADDRESSES:
        wk_out_c(c->out, o->what == ADDRESS ? "127.0.0.1\n" : "127.0.0.1 \n");
        break;
    default:
        wk_out_fmt(c->out, "%s\n", name);
        break;
    }
    return 0;
}

WK_COMMAND(hostname, .summary = "show the system's host name", .usage = "hostname [OPTION]... [NAME]",
           .std = "hostname 3.23", .opts = hostname_options, .opts_size = sizeof(OPTS), .usage_status = 255);
