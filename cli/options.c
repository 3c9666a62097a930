/* options.c - the command line of the whelk program: bash's own flags and whelk's */
#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: whelk [OPTION]... -c SCRIPT [NAME [ARG]...]\n"
    "       whelk [OPTION]... FILE [ARG]...\n"
    "       whelk [OPTION]...            (reads standard input; a prompt on a terminal)\n"
    "Run bash scripts in process over a virtual file system. Nothing of the host is visible\n"
    "unless it is granted here.\n"
    "\n"
    "  -c SCRIPT              run SCRIPT; NAME is $0 (or bash), ARGs are $1, $2...\n"
    "  -s                     read commands from standard input; ARGs are $1, $2...\n"
    "  -e -u -x -n -f -v ...  options of `set'; also -o NAME, +o NAME, +x\n"
    "      --mount HOST:PATH[:ro|:rw|:overlay]\n"
    "                         show the host directory HOST at PATH (read-only if left out)\n"
    "      --env NAME=VALUE   set an environment variable (repeatable)\n"
    "      --cwd DIR          working directory (default: the user's home)\n"
    "      --user NAME[:UID]  user of the session (default user:1000)\n"
    "      --hostname NAME    default whelk\n"
    "      --clock real|fixed:T|virtual[:T]\n"
    "                         the session's clock; T in seconds since 1970\n"
    "      --seed N           seed of RANDOM, mktemp and the like\n"
    "      --limit NAME=VALUE time=10s|500ms; memory, files, file-size, output, expansion\n"
    "                         in bytes with K, M, G; steps, tasks, depth, nesting, inodes,\n"
    "                         descriptors, regex (repeatable)\n"
    "      --delegate KIND[:IMAGE]=NAME[,NAME]...\n"
    "                         run the commands NAME in a sandbox (docker, host), with the session's files\n"
    "                         (docker:python:3.12-bookworm=python3,pip host=git; repeatable)\n"
    "      --sync both|in|none, --sync-limit BYTES\n"
    "                         which way their files go; how much may come back at once, and as one file\n"
    "      --json             print one JSON object: status, stdout, stderr, stop, files changed\n"
    "      --help, --version\n"
    "\n"
    "Instead of in a session of its own, the script can run in a sandbox:\n"
    "      --sandbox KIND     inprocess, docker (a container) or host (this machine; only with\n"
    "                         ALLOW_DANGEROUS_LOCAL_HOST=1 in the environment)\n"
    "Its status is the script's, 128+N by signal N, 124 by --timeout, 125 when the sandbox fails.\n"
    "Options of sandboxes, also of those of --delegate; one that a kind lacks is refused:\n"
    "      --image IMAGE, --platform PLATFORM, --pull missing|always|never\n"
    "      --endpoint ENDPOINT  unix:///PATH or tcp://ADDRESS:PORT of the container engine\n"
    "      --setup FILE       a script that is run once first; --setup-timeout TIME\n"
    "      --workspace DIR    the directory it works in, kept at the end;\n"
    "                         --delete-on-cleanup yes|no\n"
    "      --workspace-path DIR, --workspace-in-container\n"
    "                         where it is in the container; or of the container itself\n"
    "      --network none|all, --publish [OUTSIDE:]INSIDE (a port, repeatable)\n"
    "      --isolation none|auto|bwrap|strict, --inherit-env  (host)\n"
    "      --user UID[:GID], --shell NAME, --runtime NAME, --read-only-root\n"
    "      --timeout TIME, --memory BYTES, --cpus N, --pids N\n"
    "      --secret NAME[=COMMAND[,COMMAND]...]\n"
    "                         the variable NAME of this environment, for these delegated commands\n"
    "                         only; of --sandbox, NAME alone: for the script\n"
    "      --git-name NAME, --git-email ADDRESS\n"
    "      --extra NAME=VALUE a further option of the kind (docker: network=host; repeatable)\n"
    "      --tty              a terminal for the script\n"
    "      --verbose          say what is being done, also where no terminal is\n";

void wk_cli_help(void)
{
    fputs(help_text, stdout);
}

int wk_cli_bad(const char *what, const char *arg)
{
    fprintf(stderr, "whelk: %s: %s\n", arg, what);
    fputs("Try 'whelk --help' for more information.\n", stderr);
    return 2;
}

char *wk_cli_keep(struct wk_cli_options *o, const char *p, size_t n)
{
    if (o->n_owned == sizeof o->owned / sizeof o->owned[0])
        return NULL;
    char *q = malloc(n + 1);
    if (!q)
        return NULL;
    memcpy(q, p, n);
    q[n] = '\0';
    o->owned[o->n_owned++] = q;
    return q;
}

void wk_cli_options_release(struct wk_cli_options *o)
{
    for (size_t i = 0; i < o->n_owned; i++)
        free(o->owned[i]);
    o->n_owned = 0;
}

/* Digits and then one of the suffixes; false on anything else or overflow. */
static bool parse_number(const char *s, uint64_t *out, const char **end)
{
    uint64_t v = 0;
    if (*s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return false;
    *out = v;
    *end = s;
    return true;
}

bool wk_cli_parse_bytes(const char *s, uint64_t *out)
{
    const char *e;
    if (!parse_number(s, out, &e))
        return false;
    uint64_t unit = 1;
    if (*e == 'K' || *e == 'k')
        unit = UINT64_C(1) << 10;
    else if (*e == 'M' || *e == 'm')
        unit = UINT64_C(1) << 20;
    else if (*e == 'G' || *e == 'g')
        unit = UINT64_C(1) << 30;
    if (unit != 1)
        e++;
    if (*e == 'i')
        e++;
    if (*e == 'B' || *e == 'b')
        e++;
    return !*e && !__builtin_mul_overflow(*out, unit, out);
}

bool wk_cli_parse_time(const char *s, uint64_t *out)
{
    char *e;
    errno = 0;
    double v = strtod(s, &e);
    if (e == s || errno || !(v > 0) || v > 1e9)
        return false;
    double unit = 1e9;
    if (strcmp(e, "ms") == 0)
        unit = 1e6;
    else if (strcmp(e, "m") == 0)
        unit = 60e9;
    else if (*e && strcmp(e, "s") != 0)
        return false;
    *out = (uint64_t)(v * unit);
    return *out > 0;
}

static int take_limit(struct wk_cli_options *o, const char *arg)
{
    const char *eq = strchr(arg, '=');
    const char *e;
    if (!eq)
        return wk_cli_bad("--limit wants NAME=VALUE", arg);
    size_t n = (size_t)(eq - arg);
    const struct {
        const char *name;
        char kind; /* b bytes, t time, n number */
        uint64_t *dst;
    } rows[] = {{"time", 't', &o->limits.time_ns},
                {"memory", 'b', &o->limits.memory_bytes},
                {"files", 'b', &o->limits.file_bytes},
                {"output", 'b', &o->limits.output_bytes},
                {"steps", 'n', &o->limits.steps},
                {"tasks", 'n', &o->limits.tasks},
                {"depth", 'n', &o->limits.depth},
                {"inodes", 'n', &o->limits.files},
                {"expansion", 'b', &o->limits.expansion_bytes},
                {"nesting", 'n', &o->limits.nesting},
                {"descriptors", 'n', &o->limits.descriptors},
                {"file-size", 'b', &o->limits.file_size},
                {"regex", 'n', &o->limits.regex_steps}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strlen(rows[i].name) != n || memcmp(rows[i].name, arg, n) != 0)
            continue;
        bool ok = rows[i].kind == 't'   ? wk_cli_parse_time(eq + 1, rows[i].dst)
                  : rows[i].kind == 'b' ? wk_cli_parse_bytes(eq + 1, rows[i].dst)
                                        : parse_number(eq + 1, rows[i].dst, &e) && !*e;
        if (!ok || *rows[i].dst == 0)
            return wk_cli_bad("invalid limit", arg);
        return 0;
    }
    return wk_cli_bad("unknown limit", arg);
}

static int take_mount(struct wk_cli_options *o, const char *arg)
{
    const char *colon = strchr(arg, ':');
    if (!colon || colon == arg || colon[1] != '/')
        return wk_cli_bad("--mount wants HOSTDIR:PATH[:ro|:rw|:overlay]", arg);
    if (o->session.n_mounts == WK_CLI_MAX_LIST)
        return wk_cli_bad("too many mounts", arg);
    whelk_mount *m = &o->mounts[o->session.n_mounts];
    memset(m, 0, sizeof *m);
    m->size = sizeof *m;
    m->kind = WHELK_MOUNT_HOST_RO;
    m->flags = WHELK_MOUNT_OWNED;
    const char *end = arg + strlen(arg);
    const char *last = strrchr(colon + 1, ':');
    if (last) {
        if (strcmp(last, ":rw") == 0)
            m->kind = WHELK_MOUNT_HOST_RW;
        else if (strcmp(last, ":overlay") == 0)
            m->kind = WHELK_MOUNT_OVERLAY;
        else if (strcmp(last, ":ro") != 0)
            return wk_cli_bad("--mount's kind is ro, rw or overlay", arg);
        end = last;
    }
    m->host_path = wk_cli_keep(o, arg, (size_t)(colon - arg));
    m->path = wk_cli_keep(o, colon + 1, (size_t)(end - colon - 1));
    if (!m->host_path || !m->path)
        return wk_cli_bad("out of memory", arg);
    o->session.n_mounts++;
    return 0;
}

static int take_user(struct wk_cli_options *o, const char *arg)
{
    const char *colon = strchr(arg, ':');
    size_t n = colon ? (size_t)(colon - arg) : strlen(arg);
    o->box.user = arg;
    if (!n || n >= sizeof o->user)
        return wk_cli_bad("invalid user", arg);
    memcpy(o->user, arg, n);
    o->user[n] = '\0';
    o->session.user = o->user;
    if (colon) {
        uint64_t uid;
        const char *e;
        if (!parse_number(colon + 1, &uid, &e) || *e || uid > UINT32_MAX - 1)
            return wk_cli_bad("invalid user", arg);
        o->session.uid = o->session.gid = (uint32_t)uid;
    }
    return 0;
}

/* Seconds since 1970 with a fraction or without, to the nanosecond. */
static bool read_instant(const char *text, int64_t *ns)
{
    uint64_t sec;
    const char *e;
    int64_t fraction = 0, unit = 100000000;
    if (!parse_number(text, &sec, &e) || sec > 9000000000)
        return false;
    if (*e == '.')
        for (e++; *e >= '0' && *e <= '9'; e++, unit /= 10)
            fraction += (*e - '0') * unit;
    if (*e == 'e' || *e == 'E') { /* of another form: less exact */
        char *end;
        errno = 0;
        double v = strtod(text, &end);
        if (errno == EINVAL || !(v >= 0 && v <= 9e9))
            return false;
        e = end;
        sec = (uint64_t)v;
        fraction = (int64_t)((v - (double)sec) * 1e9);
    }
    *ns = (int64_t)sec * 1000000000 + fraction;
    if (*ns == 0)
        *ns = 1; /* 0 would mean the host's time */
    return *e == '\0';
}

static int take_clock(struct wk_cli_options *o, const char *arg)
{
    const char *t = strchr(arg, ':');
    size_t n = t ? (size_t)(t - arg) : strlen(arg);
    if (n == 4 && memcmp(arg, "real", 4) == 0 && !t)
        o->session.clock = WHELK_CLOCK_REAL;
    else if (n == 5 && memcmp(arg, "fixed", 5) == 0 && t)
        o->session.clock = WHELK_CLOCK_FIXED;
    else if (n == 7 && memcmp(arg, "virtual", 7) == 0)
        o->session.clock = WHELK_CLOCK_VIRTUAL;
    else
        return wk_cli_bad("--clock is real, fixed:T or virtual", arg);
    return !t || read_instant(t + 1, &o->session.clock_start_ns) ? 0 : wk_cli_bad("invalid time", arg);
}

static int take_env(struct wk_cli_options *o, const char *arg)
{
    const char *eq = strchr(arg, '=');
    if (!eq || eq == arg)
        return wk_cli_bad("--env wants NAME=VALUE", arg);
    if (o->session.n_env == WK_CLI_MAX_LIST)
        return wk_cli_bad("too many variables", arg);
    o->env[o->session.n_env++] = arg;
    return 0;
}

static int take_seed(struct wk_cli_options *o, const char *arg)
{
    const char *e;
    if (!parse_number(arg, &o->session.seed, &e) || *e)
        return wk_cli_bad("invalid seed", arg);
    return 0;
}

static int take_cwd(struct wk_cli_options *o, const char *arg)
{
    if (arg[0] != '/')
        return wk_cli_bad("--cwd wants an absolute path", arg);
    o->session.cwd = arg;
    return 0;
}

static int take_hostname(struct wk_cli_options *o, const char *arg)
{
    o->session.hostname = arg;
    return 0;
}

static const struct {
    const char *name;
    int (*take)(struct wk_cli_options *o, const char *arg);
} long_options[] = {{"--mount", take_mount}, {"--env", take_env},          {"--cwd", take_cwd},
                    {"--user", take_user},   {"--limit", take_limit},      {"--clock", take_clock},
                    {"--seed", take_seed},   {"--hostname", take_hostname}};

/* Takes one long option: how many arguments it used, 0 = unknown, -1 = error said. */
static int take_long(struct wk_cli_options *o, int argc, char **argv, int i)
{
    const char *a = argv[i];
    if (strcmp(a, "--json") == 0)
        return o->json = true, 1;
    if (strcmp(a, "--help") == 0)
        return o->help = true, 1;
    if (strcmp(a, "--version") == 0)
        return o->version = true, 1;
    if (strcmp(a, "--posix") == 0) {
        if (o->n_set + 2 > WK_CLI_MAX_LIST)
            return wk_cli_bad("too many options", a), -1;
        o->set[o->n_set++] = "-o";
        o->set[o->n_set++] = "posix";
        return 1;
    }
    if (strcmp(a, "--norc") == 0 || strcmp(a, "--noprofile") == 0)
        return 1; /* there are no start-up files to skip */
    int used = wk_cli_box_take(o, argc, argv, i);
    if (used)
        return used;
    for (size_t k = 0; k < sizeof long_options / sizeof long_options[0]; k++) {
        size_t n = strlen(long_options[k].name);
        if (strncmp(a, long_options[k].name, n) != 0 || (a[n] && a[n] != '='))
            continue;
        if (a[n] == '=')
            return long_options[k].take(o, a + n + 1) ? -1 : 1;
        if (i + 1 >= argc)
            return wk_cli_bad("option needs an argument", a), -1;
        return long_options[k].take(o, argv[i + 1]) ? -1 : 2;
    }
    return 0;
}

static int add_set(struct wk_cli_options *o, const char *word)
{
    if (o->n_set == WK_CLI_MAX_LIST)
        return wk_cli_bad("too many options", word);
    o->set[o->n_set++] = word;
    return 0;
}

/* A cluster such as -euc or +x; *command becomes true with c. */
static int take_short(struct wk_cli_options *o, int argc, char **argv, int *i, bool *command)
{
    const char *a = argv[*i];
    char cluster[64] = {a[0], '\0'};
    size_t n = 1;
    int at = *i;
    for (const char *p = a + 1; *p; p++) {
        if (*p == 'c' && a[0] == '-') {
            *command = true;
        } else if (*p == 's' && a[0] == '-') {
            o->read_stdin = true;
        } else if (*p == 'i' && a[0] == '-') {
            o->interactive = true;
        } else if (*p == 'o') {
            if (at + 1 >= argc)
                return wk_cli_bad("option needs an argument", a);
            if (add_set(o, a[0] == '-' ? "-o" : "+o") || add_set(o, argv[++at]))
                return 2;
        } else if (strchr("aBbCEefhHkmnPpTtuvxl", *p) && n + 2 < sizeof cluster) {
            cluster[n++] = *p;
        } else {
            return wk_cli_bad("invalid option", a);
        }
    }
    *i = at;
    if (n > 1) {
        char *kept = wk_cli_keep(o, cluster, n);
        return kept ? add_set(o, kept) : wk_cli_bad("out of memory", a);
    }
    return 0;
}

int wk_cli_parse(struct wk_cli_options *o, int argc, char **argv)
{
    memset(o, 0, sizeof *o);
    whelk_session_options_init(&o->session);
    o->limits.size = sizeof o->limits;
    o->session.limits = &o->limits;
    o->session.env = o->env;
    o->session.mounts = o->mounts;
    bool command = false;
    int i = 1;
    for (; i < argc; i++) {
        char *a = argv[i];
        if ((a[0] != '-' && a[0] != '+') || !a[1] || strcmp(a, "--") == 0)
            break;
        if (a[0] == '-' && a[1] == '-') {
            int used = take_long(o, argc, argv, i);
            if (used < 0)
                return 2;
            if (used == 0)
                return wk_cli_bad("unrecognized option", a);
            i += used - 1;
            continue;
        }
        int r = take_short(o, argc, argv, &i, &command);
        if (r)
            return r;
    }
    if (i < argc && (strcmp(argv[i], "--") == 0 || strcmp(argv[i], "-") == 0))
        i++;
    if (command) {
        if (i >= argc)
            return wk_cli_bad("option needs an argument", "-c");
        o->command = argv[i++];
        if (i < argc)
            o->arg0 = argv[i++];
    } else if (!o->read_stdin && i < argc) {
        o->file = argv[i++];
        o->arg0 = o->file;
    }
    o->args = (const char *const *)(argv + i);
    o->n_args = (size_t)(argc - i);
    return o->help || o->version ? 0 : wk_cli_box_check(o);
}
