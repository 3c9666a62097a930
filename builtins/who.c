/* who.c - show who is logged in: nobody is
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: who without a record of logins.
 * Differs:  docs/divergences/who.md
 */
#include "kern/cmd.h"

struct who_opts {
    bool heading, count, mine, lookup, ips, plain;
    bool messages, idle, details, end; /* columns */
};

enum { ALL, BOOT, DEAD, LOGIN, INIT, RUNLEVEL, CLOCK, USERS };

static int set_list(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct who_opts *o = (struct who_opts *)c->opts;
    int v = opt->value;
    (void)arg;
    o->messages = o->messages || v == ALL;
    o->idle = o->idle || v == ALL || v == DEAD || v == LOGIN || v == RUNLEVEL || v == USERS;
    o->end = o->end || v == ALL || v == DEAD;
    o->details = true;
    return 0;
}

static const struct wk_opt who_options[] = {
    WK_FUNC_OPT(set_list, ALL, 'a', "all", NULL, "same as -b -d --login -p -r -t -T -u"),
    WK_FUNC_OPT(set_list, BOOT, 'b', "boot", NULL, "time of last system boot"),
    WK_FUNC_OPT(set_list, DEAD, 'd', "dead", NULL, "print dead processes"),
    WK_FLAG(struct who_opts, heading, 'H', "heading", "print line of column headings"),
    WK_FLAG(struct who_opts, ips, 0, "ips", "print ips instead of hostnames"),
    WK_FUNC_OPT(set_list, LOGIN, 'l', "login", NULL, "print system login processes"),
    WK_FLAG(struct who_opts, lookup, 0, "lookup", "attempt to canonicalize hostnames via DNS"),
    WK_FLAG(struct who_opts, mine, 'm', NULL, "only hostname and user associated with stdin"),
    WK_FUNC_OPT(set_list, INIT, 'p', "process", NULL, "print active processes spawned by init"),
    WK_FLAG(struct who_opts, count, 'q', "count", "all login names and number of users logged on"),
    WK_FUNC_OPT(set_list, RUNLEVEL, 'r', "runlevel", NULL, "print current runlevel"),
    WK_FLAG(struct who_opts, plain, 's', "short", "print only name, line, and time (default)"),
    WK_FUNC_OPT(set_list, CLOCK, 't', "time", NULL, "print last system clock change"),
    WK_FLAG(struct who_opts, messages, 'T', "message", "add user's message status as +, - or ?"),
    WK_FLAG(struct who_opts, messages, 'w', NULL, "the same as --message"),
    WK_FUNC_OPT(set_list, USERS, 'u', "users", NULL, "list users logged in"),
    WK_FLAG(struct who_opts, messages, 'T', "mesg", "the same as --message"),
    WK_FLAG(struct who_opts, messages, 'T', "writable", "the same as --message"),
    WK_OPTS_END,
};

static int who_main(struct wk_cmd *c)
{
    const struct who_opts *o = (const struct who_opts *)c->opts;
    if (c->nargs > 2)
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[2]));
    bool brief = !o->details || (o->plain && !o->end), idle = o->idle && !brief;
    if (o->count)
        wk_out_c(c->out, "\n# users=0\n");
    else if (o->heading)
        wk_out_fmt(c->out, "NAME    %s LINE         TIME         %s%sCOMMENT%s\n", o->messages ? "  " : "",
                   idle ? "IDLE   " : "", brief ? "" : "       PID ", o->end ? "  EXIT" : "");
    return c->status;
}

WK_COMMAND(who, .summary = "print information about users who are currently logged in",
           .usage = "who [OPTION]... [ FILE | ARG1 ARG2 ]", .std = "coreutils 9.1", .opts = who_options,
           .opts_size = sizeof(struct who_opts),
           .help = "If ARG1 ARG2 given, -m presumed: 'am i' or 'mom likes' are usual.\n");
