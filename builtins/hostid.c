/* hostid.c - print the numeric identifier of the host: that of a host known as 127.0.0.1, or /etc/hostid
 *
 * Standard: GNU coreutils 9.1. Oracle: hostid.
 */
#include "kern/cmd.h"

static int hostid_main(struct wk_cmd *c)
{
    struct wk_file *f;
    unsigned char b[4] = {0x00, 0x01, 0x7f, 0x00};
    if (c->nargs)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[0]));
    if (wk_cmd_open(c, "/etc/hostid", WK_O_RDONLY, 0, &f) == 0) {
        unsigned char held[4];
        if (wk_file_read(c->task, f, held, sizeof held) == (ptrdiff_t)sizeof held)
            memcpy(b, held, sizeof b);
        wk_cmd_close(c, f);
    }
    uint32_t id = (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
    static const char hex[] = "0123456789abcdef";
    for (int shift = 28; shift >= 0; shift -= 4)
        wk_out_char(c->out, hex[id >> shift & 15]);
    wk_out_char(c->out, '\n');
    return c->status;
}

WK_COMMAND(hostid, .summary = "print the numeric identifier (in hexadecimal) for the current host",
           .usage = "hostid [OPTION]", .std = "coreutils 9.1");
