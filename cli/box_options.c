/* box_options.c - options of the command line that are about sandboxes */
#include "cli/box_options.h"

#include "cli/host_file.h"
#include "cli/options.h"
#include "whelk/delegate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INPROCESS = 1, DOCKER = 2, HOST = 4, ALL = 7 };

enum row_kind { TEXT, FLAG, BYTES, MILLISECONDS, COUNT, FUNCTION };

struct row {
    const char *name;
    int kinds; /* of sandboxes that have it */
    enum row_kind kind;
    size_t offset; /* in whelk_sandbox_options; FUNCTION: of what says that it is given */
    size_t size;
    int (*take)(struct wk_cli_options *o, const char *arg);
};

/* ---- options that are more than a value ------------------------------------------------------------- */

static int take_setup(struct wk_cli_options *o, const char *arg)
{
    o->box.setup_file = arg;
    return 0;
}

static int take_cpus(struct wk_cli_options *o, const char *arg)
{
    char *end;
    double v = strtod(arg, &end);
    if (end == arg || *end || !(v >= 0.001) || v > 4000000)
        return wk_cli_bad("--cpus wants a number, such as 1.5", arg);
    o->box.o.cpu_milli = (uint32_t)(v * 1000 + 0.5);
    return 0;
}

static bool parse_port(const char *s, size_t n, uint16_t *out)
{
    unsigned v = 0;
    if (!n || n > 5)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        v = v * 10 + (unsigned)(s[i] - '0');
    }
    *out = (uint16_t)v;
    return v > 0 && v <= 65535;
}

/* [OUTSIDE:]INSIDE */
static int take_publish(struct wk_cli_options *o, const char *arg)
{
    struct wk_cli_box *b = &o->box;
    const char *colon = strchr(arg, ':');
    const char *inside = colon ? colon + 1 : arg;
    if (b->o.n_ports == WK_CLI_BOX_MAX)
        return wk_cli_bad("too many ports", arg);
    whelk_port *p = &b->ports[b->o.n_ports];
    *p = (whelk_port){.size = sizeof *p};
    if (!parse_port(inside, strlen(inside), &p->inside) ||
        (colon && !parse_port(arg, (size_t)(colon - arg), &p->outside)))
        return wk_cli_bad("--publish wants [OUTSIDE:]INSIDE, ports", arg);
    b->o.ports = b->ports;
    b->o.n_ports++;
    return 0;
}

/* A list of names with commas between into v; their number, 0 on an error. */
static size_t split_names(struct wk_cli_options *o, const char *text, const char **v, size_t cap)
{
    size_t n = 0;
    while (n < cap) {
        size_t len = strcspn(text, ",");
        char *name = len ? wk_cli_keep(o, text, len) : NULL;
        if (!name)
            return 0;
        v[n++] = name;
        if (!text[len])
            return n;
        text += len + 1;
    }
    return 0;
}

/* NAME[=COMMAND[,COMMAND]...]: the value is the program's own variable, so that no command line shows it. */
static int take_secret(struct wk_cli_options *o, const char *arg)
{
    struct wk_cli_box *b = &o->box;
    const char *eq = strchr(arg, '=');
    size_t n = eq ? (size_t)(eq - arg) : strlen(arg);
    if (b->o.n_secrets == WK_CLI_BOX_MAX)
        return wk_cli_bad("too many secrets", arg);
    whelk_secret *s = &b->secrets[b->o.n_secrets];
    *s = (whelk_secret){.size = sizeof *s, .name = n ? wk_cli_keep(o, arg, n) : NULL};
    if (!s->name)
        return wk_cli_bad("--secret wants NAME[=COMMAND,...]", arg);
    s->value = getenv(s->name);
    if (!s->value)
        return wk_cli_bad("--secret: the environment has no such variable", s->name);
    if (eq) {
        s->commands = b->secret_commands[b->o.n_secrets];
        s->n_commands = split_names(o, eq + 1, b->secret_commands[b->o.n_secrets], WK_CLI_BOX_MAX);
        if (!s->n_commands)
            return wk_cli_bad("--secret wants NAME[=COMMAND,...]", arg);
    }
    b->o.secrets = b->secrets;
    b->o.n_secrets++;
    return 0;
}

static int take_extra(struct wk_cli_options *o, const char *arg)
{
    struct wk_cli_box *b = &o->box;
    if (!strchr(arg, '=') || *arg == '=')
        return wk_cli_bad("--extra wants NAME=VALUE", arg);
    if (b->o.n_extra == WK_CLI_BOX_MAX)
        return wk_cli_bad("too many further options", arg);
    b->extra[b->o.n_extra++] = arg;
    b->o.extra = b->extra;
    return 0;
}

static int take_cleanup(struct wk_cli_options *o, const char *arg)
{
    o->box.o.delete_on_cleanup = strcmp(arg, "yes") == 0 ? WHELK_YES : WHELK_NO;
    if (strcmp(arg, "yes") != 0 && strcmp(arg, "no") != 0)
        return wk_cli_bad("--delete-on-cleanup wants yes or no", arg);
    return 0;
}

#define FIELD(f)            offsetof(whelk_sandbox_options, f), sizeof(((whelk_sandbox_options *)0)->f), NULL
#define FIELD_BY(f, take_f) offsetof(whelk_sandbox_options, f), sizeof(((whelk_sandbox_options *)0)->f), take_f

static const struct row rows[] = {
    {"--image", DOCKER, TEXT, FIELD(image)},
    {"--pull", DOCKER, TEXT, FIELD(pull)},
    {"--platform", DOCKER, TEXT, FIELD(platform)},
    {"--endpoint", DOCKER, TEXT, FIELD(endpoint)},
    {"--setup", DOCKER, FUNCTION, FIELD_BY(setup_script, take_setup)},
    {"--setup-timeout", DOCKER, MILLISECONDS, FIELD(setup_timeout_ms)},
    {"--workspace", ALL, TEXT, FIELD(workspace)},
    {"--workspace-path", DOCKER, TEXT, FIELD(workspace_path)},
    {"--workspace-in-container", DOCKER, FLAG, FIELD(workspace_in_container)},
    {"--delete-on-cleanup", ALL, FUNCTION, FIELD_BY(delete_on_cleanup, take_cleanup)},
    {"--network", ALL, TEXT, FIELD(network)},
    {"--publish", DOCKER, FUNCTION, FIELD_BY(n_ports, take_publish)},
    {"--runtime", DOCKER, TEXT, FIELD(runtime)},
    {"--read-only-root", DOCKER, FLAG, FIELD(read_only_root)},
    {"--isolation", HOST, TEXT, FIELD(isolation)},
    {"--inherit-env", HOST, FLAG, FIELD(inherit_env)},
    {"--shell", ALL, TEXT, FIELD(shell)},
    {"--timeout", ALL, MILLISECONDS, FIELD(timeout_ms)},
    {"--memory", DOCKER | INPROCESS, BYTES, FIELD(memory_bytes)},
    {"--cpus", DOCKER, FUNCTION, FIELD_BY(cpu_milli, take_cpus)},
    {"--pids", DOCKER | INPROCESS, COUNT, FIELD(pids)},
    {"--git-name", ALL, TEXT, FIELD(git_name)},
    {"--git-email", ALL, TEXT, FIELD(git_email)},
    {"--secret", ALL, FUNCTION, FIELD_BY(n_secrets, take_secret)},
    {"--extra", DOCKER, FUNCTION, FIELD_BY(n_extra, take_extra)},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* ---- taking ------------------------------------------------------------------------------------------ */

static int take_row(struct wk_cli_options *o, const struct row *row, const char *arg)
{
    char *field = (char *)&o->box.o + row->offset;
    uint64_t v = 0;
    uint32_t count;
    int64_t ms;
    int yes = 1;
    switch (row->kind) {
    case TEXT:
        memcpy(field, &arg, sizeof arg);
        return 0;
    case FLAG:
        memcpy(field, &yes, sizeof yes);
        return 0;
    case BYTES:
        if (!wk_cli_parse_bytes(arg, &v) || !v)
            return wk_cli_bad("wants bytes, with K, M or G", row->name);
        memcpy(field, &v, sizeof v);
        return 0;
    case MILLISECONDS:
        if (!wk_cli_parse_time(arg, &v))
            return wk_cli_bad("wants a time, such as 500ms, 10s or 5m", row->name);
        ms = v < 1000000 ? 1 : (int64_t)(v / 1000000);
        memcpy(field, &ms, sizeof ms);
        return 0;
    case COUNT:
        if (!wk_cli_parse_bytes(arg, &v) || !v || v > UINT32_MAX)
            return wk_cli_bad("wants a number", row->name);
        count = (uint32_t)v;
        memcpy(field, &count, sizeof count);
        return 0;
    case FUNCTION:
        break;
    }
    return row->take(o, arg);
}

/* KIND[:IMAGE]=NAME[,NAME]...; an image may hold colons and slashes. */
static int take_delegate(struct wk_cli_options *o, const char *arg)
{
    struct wk_cli_box *b = &o->box;
    const char *eq = strrchr(arg, '='), *colon = strchr(arg, ':');
    if (b->n_delegates == WK_CLI_BOX_MAX)
        return wk_cli_bad("too many delegates", arg);
    struct wk_cli_delegate *d = &b->delegates[b->n_delegates];
    *d = (struct wk_cli_delegate){.image = NULL};
    if (colon && eq && colon > eq)
        colon = NULL;
    const char *end = colon ? colon : eq;
    if (eq && end > arg && (!colon || eq > colon + 1)) {
        d->kind = wk_cli_keep(o, arg, (size_t)(end - arg));
        d->image = colon ? wk_cli_keep(o, colon + 1, (size_t)(eq - colon - 1)) : NULL;
        d->n_commands = split_names(o, eq + 1, d->commands, WK_CLI_NAMES_MAX);
    }
    if (!d->kind || !d->n_commands)
        return wk_cli_bad("--delegate wants KIND[:IMAGE]=NAME[,NAME]...", arg);
    b->n_delegates++;
    return 0;
}

static int take_sync(struct wk_cli_options *o, const char *arg)
{
    static const char *const ways[] = {[WHELK_SYNC_BOTH] = "both", [WHELK_SYNC_IN] = "in", [WHELK_SYNC_NONE] = "none"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(arg, ways[i]) != 0)
            continue;
        o->box.sync = (int)i;
        o->box.syncs = true;
        return 0;
    }
    return wk_cli_bad("--sync wants both, in or none", arg);
}

static int take_sync_limit(struct wk_cli_options *o, const char *arg)
{
    if (!wk_cli_parse_bytes(arg, &o->box.sync_limit) || !o->box.sync_limit)
        return wk_cli_bad("--sync-limit wants a number of bytes", arg);
    o->box.syncs = true;
    return 0;
}

static int take_kind(struct wk_cli_options *o, const char *arg)
{
    o->box.kind = arg;
    return 0;
}

/* The argument of the option at argv[i]: NULL when another option stands there; *used: how many words it is. */
static const char *argument_of(const char *name, int argc, char **argv, int i, int *used)
{
    size_t n = strlen(name);
    *used = 0;
    if (strncmp(argv[i], name, n) != 0 || (argv[i][n] && argv[i][n] != '='))
        return NULL;
    if (argv[i][n] == '=') {
        *used = 1;
        return argv[i] + n + 1;
    }
    *used = 2;
    return i + 1 < argc ? argv[i + 1] : NULL;
}

static int take_with(struct wk_cli_options *o, const char *name, int argc, char **argv, int i,
                     int (*take)(struct wk_cli_options *o, const char *arg))
{
    int used;
    const char *arg = argument_of(name, argc, argv, i, &used);
    if (!used)
        return 0;
    if (!arg)
        return wk_cli_bad("option needs an argument", name), -1;
    return take(o, arg) ? -1 : used;
}

int wk_cli_box_take(struct wk_cli_options *o, int argc, char **argv, int i)
{
    struct wk_cli_box *b = &o->box;
    if (strcmp(argv[i], "--verbose") == 0)
        return b->verbose = true, 1;
    if (strcmp(argv[i], "--tty") == 0)
        return b->tty = true, 1;
    int used = take_with(o, "--sandbox", argc, argv, i, take_kind);
    if (!used)
        used = take_with(o, "--delegate", argc, argv, i, take_delegate);
    if (!used)
        used = take_with(o, "--sync", argc, argv, i, take_sync);
    if (!used)
        used = take_with(o, "--sync-limit", argc, argv, i, take_sync_limit);
    for (size_t k = 0; k < ROWS && !used; k++) {
        const char *arg = "";
        if (rows[k].kind == FLAG)
            used = strcmp(argv[i], rows[k].name) == 0;
        else
            arg = argument_of(rows[k].name, argc, argv, i, &used);
        if (!used)
            continue;
        if (!arg)
            return wk_cli_bad("option needs an argument", rows[k].name), -1;
        if (take_row(o, &rows[k], arg))
            return -1;
        if (!b->given)
            b->first_given = rows[k].name;
        b->given |= UINT64_C(1) << k;
    }
    return used;
}

/* ---- what goes together -------------------------------------------------------------------------------- */

static int bit_of(const char *kind)
{
    return strcmp(kind, "inprocess") == 0 ? INPROCESS
           : strcmp(kind, "docker") == 0  ? DOCKER
           : strcmp(kind, "host") == 0    ? HOST
                                          : 0;
}

/* Options of sessions that other kinds of sandboxes do not have. */
static const char *session_option(const struct wk_cli_options *o)
{
    static const whelk_limits none = {.size = sizeof none};
    const whelk_session_options *s = &o->session;
    return s->n_mounts                                   ? "--mount"
           : s->hostname                                 ? "--hostname"
           : s->clock || s->clock_start_ns               ? "--clock"
           : s->seed                                     ? "--seed"
           : memcmp(&o->limits, &none, sizeof none) != 0 ? "--limit"
                                                         : NULL;
}

/* The only command of --sandbox is its shell: a secret of another program would be nobody's. */
static bool is_of_shell(const struct wk_cli_box *b, const whelk_secret *s)
{
    const char *shell = b->o.shell ? b->o.shell : "bash";
    shell = strrchr(shell, '/') ? strrchr(shell, '/') + 1 : shell;
    bool found = !s->n_commands;
    for (size_t i = 0; i < s->n_commands; i++)
        found |= strcmp(s->commands[i], shell) == 0 || (!b->o.shell && strcmp(s->commands[i], "sh") == 0);
    return found;
}

static int check_sandbox(const struct wk_cli_options *o)
{
    const struct wk_cli_box *b = &o->box;
    for (size_t i = 0; i < b->o.n_secrets; i++)
        if (!is_of_shell(b, &b->secrets[i]))
            return wk_cli_bad("--secret: with --sandbox the script has it, and all it starts: without commands",
                              b->secrets[i].name);
    if (b->n_delegates)
        return wk_cli_bad("a session delegates, and not a sandbox: without --sandbox", "--delegate");
    if (strcmp(b->kind, "inprocess") != 0 && session_option(o))
        return wk_cli_bad("only of sessions, and of --sandbox inprocess", session_option(o));
    if (b->tty && o->json)
        return wk_cli_bad("not with --json", "--tty");
    return 0;
}

/* An option must be one of a kind that is in use. */
static int check_delegates(const struct wk_cli_options *o)
{
    const struct wk_cli_box *b = &o->box;
    int used = 0;
    for (size_t i = 0; i < b->n_delegates; i++) {
        int bit = bit_of(b->delegates[i].kind);
        if (bit != DOCKER && bit != HOST)
            return wk_cli_bad("--delegate: the kind is docker or host", b->delegates[i].kind);
        if (b->delegates[i].image && bit != DOCKER)
            return wk_cli_bad("--delegate: only the kind docker has an image", b->delegates[i].image);
        used |= bit;
    }
    for (size_t k = 0; k < ROWS; k++)
        if (b->given & UINT64_C(1) << k && !(rows[k].kinds & used))
            return wk_cli_bad("not an option of the kinds that are delegated to", rows[k].name);
    for (size_t i = 0; i < b->o.n_secrets; i++)
        if (!b->secrets[i].n_commands)
            return wk_cli_bad("--secret: with --delegate it names the commands that have it", b->secrets[i].name);
    return 0;
}

int wk_cli_box_check(struct wk_cli_options *o)
{
    const struct wk_cli_box *b = &o->box;
    if (b->syncs && !b->n_delegates)
        return wk_cli_bad("only with --delegate", "--sync");
    if (b->kind)
        return check_sandbox(o);
    if (b->tty)
        return wk_cli_bad("only with --sandbox", "--tty");
    if (b->n_delegates)
        return check_delegates(o);
    return b->given ? wk_cli_bad("only with --sandbox or --delegate", b->first_given) : 0;
}

static void say_notice(void *ctx, int notice, const char *text)
{
    const struct wk_cli_box *b = ctx;
    if (notice == WHELK_NOTICE_WARNING)
        fprintf(stderr, "whelk: warning: %s\n", text);
    else if (b->verbose || isatty(2))
        fprintf(stderr, "whelk: %s\n", text);
}

void wk_cli_box_fill(const struct wk_cli_options *o, const char *kind, const char *image, const char *setup,
                     whelk_sandbox_options *out)
{
    const struct wk_cli_box *b = &o->box;
    int bit = bit_of(kind);
    *out = b->o;
    out->size = sizeof *out;
    out->setup_script = setup;
    for (size_t k = 0; k < ROWS && b->n_delegates; k++)
        if (!(rows[k].kinds & bit))
            memset((char *)out + rows[k].offset, 0, rows[k].size);
    if (image)
        out->image = image;
    if (!out->timeout_ms)
        out->timeout_ms = -1; /* whoever waits at a terminal can end it */
    if (!b->n_delegates) {    /* a session's own are its variables and its user */
        out->env = o->env;
        out->n_env = o->session.n_env;
        out->user = bit == INPROCESS ? NULL : b->user;
        out->session = bit == INPROCESS ? &o->session : NULL;
    }
    out->notice = say_notice;
    out->ctx = (void *)(uintptr_t)b;
}
