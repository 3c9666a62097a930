/* hostname.c - print the name of the virtual machine
 *
 * Standard: Debian's hostname 3.23. Oracle: hostname.
 * Differs:  the name cannot be set; there is no network to ask about.
 */
#include "kern/cmd.h"

struct hostname_opts {
    bool all, all_ip, domain, fqdn, ip, is_short, nis;
};

static const struct wk_opt hostname_options[] = {
    WK_FLAG(struct hostname_opts, all, 'a', "alias", "alias names (none)"),
    WK_FLAG(struct hostname_opts, all, 'A', "all-fqdns", "all long host names"),
    WK_FLAG(struct hostname_opts, all_ip, 'I', "all-ip-addresses", "all addresses for the host (none)"),
    WK_FLAG(struct hostname_opts, domain, 'd', "domain", "DNS domain name"),
    WK_FLAG(struct hostname_opts, fqdn, 'f', "fqdn", "long host name"),
    WK_FLAG(struct hostname_opts, fqdn, 0, "long", "the same as --fqdn"),
    WK_FLAG(struct hostname_opts, ip, 'i', "ip-address", "addresses for the host name"),
    WK_FLAG(struct hostname_opts, is_short, 's', "short", "short host name"),
    WK_FLAG(struct hostname_opts, nis, 'y', "yp", "NIS/YP domain name"),
    WK_OPTS_END,
};

static int hostname_main(struct wk_cmd *c)
{
    const struct hostname_opts *o = (const struct hostname_opts *)c->opts;
    const char *name = c->k->hostname, *dot = strchr(name, '.');
    if (c->nargs)
        wk_fail(c, 1, "you must be root to change the host name");
    if (o->nis)
        wk_fail(c, 1, "Local domain name not set");
    if (o->domain)
        wk_out_fmt(c->out, "%s\n", dot ? dot + 1 : "");
    else if (o->is_short)
        wk_out_fmt(c->out, "%.*s\n", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
    else if (o->ip)
        wk_out_c(c->out, "127.0.0.1\n");
    else if (o->all_ip)
        wk_out_c(c->out, "127.0.0.1 \n");
    else
        wk_out_fmt(c->out, "%s\n", name);
    return 0;
}

WK_COMMAND(hostname, .summary = "show the system's host name", .usage = "hostname [OPTION]...",
           .std = "hostname 3.23", .opts = hostname_options,
           .opts_size = sizeof(struct hostname_opts));
