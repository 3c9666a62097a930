/* uname.c - print facts about the virtual machine
 *
 * Standard: GNU coreutils 9.1. Oracle: uname.
 */
#include "kern/cmd.h"

struct uname_opts {
    bool all, kernel, node, release, version, machine, processor, hardware, system;
};

#define UN struct uname_opts

static const struct wk_opt uname_options[] = {
    WK_FLAG(UN, all, 'a', "all", "print all information, in the following order,\nexcept omit -p and -i if unknown"),
    WK_FLAG(UN, kernel, 's', "kernel-name", "print the kernel name"),
    WK_FLAG(UN, kernel, 0, "sysname", "the same as --kernel-name"),
    WK_FLAG(UN, node, 'n', "nodename", "print the network node hostname"),
    WK_FLAG(UN, release, 'r', "kernel-release", "print the kernel release"),
    WK_FLAG(UN, release, 0, "release", "the same as --kernel-release"),
    WK_FLAG(UN, version, 'v', "kernel-version", "print the kernel version"),
    WK_FLAG(UN, machine, 'm', "machine", "print the machine hardware name"),
    WK_FLAG(UN, processor, 'p', "processor", "print the processor type (non-portable)"),
    WK_FLAG(UN, hardware, 'i', "hardware-platform", "print the hardware platform (non-portable)"),
    WK_FLAG(UN, system, 'o', "operating-system", "print the operating system"),
    WK_OPTS_END,
};

static int uname_main(struct wk_cmd *c)
{
    const UN *o = (const UN *)c->opts;
    if (c->nargs)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[0]));
    bool any = o->all || o->kernel || o->node || o->release || o->version || o->machine ||
               o->processor || o->hardware || o->system;
    const struct {
        bool want;
        const char *text;
    } parts[] = {{o->all || o->kernel || !any, "Linux"},
                 {o->all || o->node, c->k->hostname},
                 {o->all || o->release, "6.1.0-whelk"},
                 {o->all || o->version, "#1 SMP"},
                 {o->all || o->machine, "x86_64"},
                 {o->processor, "unknown"},
                 {o->hardware, "unknown"},
                 {o->all || o->system, "GNU/Linux"}};
    bool first = true;
    for (size_t i = 0; i < WK_COUNTOF(parts); i++) {
        if (!parts[i].want)
            continue;
        wk_out_fmt(c->out, "%s%s", first ? "" : " ", parts[i].text);
        first = false;
    }
    wk_out_char(c->out, '\n');
    return 0;
}

WK_COMMAND(uname, .summary = "print certain system information", .usage = "uname [OPTION]...",
           .std = "coreutils 9.1", .opts = uname_options, .opts_size = sizeof(UN),
           .help = "With no OPTION, same as -s.\n");
