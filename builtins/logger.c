/* logger.c - enter messages into the system log, which is the file /var/log/syslog
 *
 * Standard: util-linux 2.38. Oracle: logger --no-act --stderr.
 * Differs:  docs/divergences/logger.md
 */
#include "base/num.h"
#include "builtins/idnames.h"
#include "builtins/launch.h"
#include "builtins/zone.h"

enum { NOTICE = 5, USER = 1 << 3, LEVELS = 7, PRIORITY_MAX = 191 };
enum { LOCAL, RFC3164, RFC5424 };

struct logger_opts {
    bool no_time, no_quality, no_host; /* --rfc5424= */
    bool with_pid, skip_empty, no_act, octets, prefix, to_stderr;
    int form;
    int priority;      /* and 1; 0: none given */
    uint64_t size;     /* the same */
    struct wk_in *in;  /* what -f names last; NULL: standard input */
    bool is_directory; /* ... and that it is one */
    const char *id, *tag, *server, *port, *socket, *errors, *msgid;
    bool journald, entry_is_directory;
    struct wk_in *entry; /* what --journald names; NULL: standard input */
    bool tcp, udp;
    struct wk_opt_list data; /* --sd-id and --sd-param, in order: a letter and the text */
};

struct logger {
    struct wk_cmd *c;
    const struct logger_opts *o;
    int priority;
    size_t size;
    int32_t pid; /* 0: none is shown */
    const char *tag, *data;
    bool quiet; /* nobody hears: the socket is not there, and that is no error */
    const struct wk_tz *zone;
    struct wk_buf *line, *text;
};

/* ---- priorities */

struct code {
    const char *name;
    int value;
};

static const struct code levels[] = {{"alert", 1},  {"crit", 2},  {"debug", 7}, {"emerg", 0},
                                     {"err", 3},    {"error", 3}, {"info", 6},  {"none", 16},
                                     {"notice", 5}, {"panic", 0}, {"warn", 4},  {"warning", 4}};
static const struct code facilities[] = {
    {"auth", 4},     {"authpriv", 10}, {"cron", 9},    {"daemon", 3},  {"ftp", 11},
    {"kern", 0},     {"lpr", 6},       {"mail", 2},    {"mark", 24},   {"news", 7},
    {"security", 4}, {"syslog", 5},    {"user", 1},    {"uucp", 8},    {"local0", 16},
    {"local1", 17},  {"local2", 18},   {"local3", 19}, {"local4", 20}, {"local5", 21},
    {"local6", 22},  {"local7", 23}};

/* By name or by number, of which `unit` counts as one. */
static int code_of(const struct code *table, size_t n, struct wk_str name, uint64_t unit)
{
    uint64_t v;
    bool number = name.n && wk_is_digit((unsigned char)name.p[0]);
    if (number && (wk_parse_u64(name, 10, &v) != 0 || v % unit))
        return -1;
    for (size_t i = 0; number && i < n; i++)
        if ((uint64_t)table[i].value == v / unit)
            return table[i].value;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < name.n && table[i].name[k] &&
               wk_to_lower((unsigned char)name.p[k]) == table[i].name[k])
            k++;
        if (k == name.n && !table[i].name[k])
            return table[i].value;
    }
    return -1;
}

/* "FACILITY.LEVEL" or a level; kernel messages are the kernel's, they count as the user's. */
static int read_priority(struct wk_cmd *c, const char *text)
{
    const char *dot = strchr(text, '.');
    int facility = 1, level;
    if (dot) {
        struct wk_str name = wk_str(text, (size_t)(dot - text));
        facility = code_of(facilities, WK_COUNTOF(facilities), name, 8);
        if (facility < 0)
            wk_fail(c, 1, "unknown facility name: %.*s", (int)WK_MIN(name.n, (size_t)4096), name.p);
        text = dot + 1;
    }
    level = code_of(levels, WK_COUNTOF(levels), wk_str_c(text), 1);
    if (level < 0)
        wk_fail(c, 1, "unknown priority name: %s", text);
    return (facility ? facility << 3 : USER) | (level & LEVELS);
}

/* ---- structured data */

static bool is_data_id(const char *id)
{
    const char *at = strchr(id, '@');
    if (!at)
        return strcmp(id, "timeQuality") == 0 || strcmp(id, "origin") == 0 ||
               strcmp(id, "meta") == 0;
    return at != id && at[1] && strspn(at + 1, "0123456789") == strlen(at + 1) &&
           !strpbrk(id, "= \"");
}

static bool is_data_param(const char *text)
{
    const char *p = strchr(text, '=');
    if (!p || p == text || p[1] != '"')
        return false;
    for (p += 2; *p && *p != '"'; p++) {
        if (*p == ']')
            return false;
        if (*p == '\\' && p[1])
            p++;
    }
    return *p == '"' && !p[1];
}

/* "[id a="b"]…", without the ids that have no parameters. */
static const char *join_data(struct logger *l)
{
    struct wk_buf *b = wk_cmd_buf(l->c, 1 << 24);
    const struct wk_opt_list *all = &l->o->data;
    const char *id = NULL;
    bool open = false;
    for (size_t i = 0; i < all->n; i++) {
        const char *text = all->v[i] + 1;
        if (all->v[i][0] == 'i') {
            id = text;
            if (open)
                wk_buf_putc(b, ']');
            open = false;
            continue;
        }
        wk_buf_fmt(b, open ? " %s" : "[%s %s", open ? text : id, text);
        open = true;
    }
    if (open)
        wk_buf_putc(b, ']');
    return wk_buf_c(b);
}

static int take_data(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct logger_opts *o = (struct logger_opts *)c->opts;
    bool param = opt->value == 'p';
    if (param ? !is_data_param(arg) : !is_data_id(arg))
        wk_fail(c, 1, "invalid structured data %s: '%s'", param ? "parameter" : "ID", arg);
    if (param && !o->data.n)
        wk_fail(c, 1, "--sd-id was not specified for --sd-param %s", arg);
    if (o->data.n == o->data.cap) {
        o->data.cap = o->data.cap ? o->data.cap * 2 : 4;
        o->data.v = (const char **)wk_heap_realloc(c->heap, (void *)o->data.v,
                                                   o->data.cap * sizeof *o->data.v);
    }
    o->data.v[o->data.n++] = wk_strf(c, "%c%s", opt->value, arg);
    return 0;
}

/* ---- options */

static int take_fields(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct logger_opts *o = (struct logger_opts *)c->opts;
    (void)opt;
    o->form = RFC5424;
    for (const char *p = arg ? arg : ""; *p;) {
        struct wk_str word = wk_str(p, strcspn(p, ","));
        if (wk_str_is(word, "notime"))
            o->no_time = o->no_quality = true;
        else if (wk_str_is(word, "notq"))
            o->no_quality = true;
        else if (wk_str_is(word, "nohost"))
            o->no_host = true;
        else if (word.n)
            wk_out_fmt(c->err, "%s: ignoring unknown option argument: %.*s\n", c->name,
                       (int)WK_MIN(word.n, (size_t)4096), word.p);
        p += word.n + (p[word.n] == ',');
    }
    return 0;
}

static int take_priority(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    ((struct logger_opts *)c->opts)->priority = read_priority(c, arg) + 1;
    return 0;
}

static int take_size(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    uint64_t v;
    (void)opt;
    if (wk_parse_size(wk_str_c(arg), false, &v) != 0)
        wk_fail(c, 1, "failed to parse message size: '%s': Invalid argument", arg);
    ((struct logger_opts *)c->opts)->size = WK_MIN(v, (uint64_t)1 << 24) + 1;
    return 0;
}

static struct wk_file *open_file(struct wk_cmd *c, const char *what, const char *name)
{
    struct wk_file *f;
    int err = wk_cmd_open(c, name, WK_O_RDONLY, 0, &f);
    if (err)
        wk_fail(c, 1, "%s %s: %s", what, name, wk_err_text(err));
    return f;
}

/* Files are opened while the options are read: what is wrong is told in their order. */
static int take_file(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct logger_opts *o = (struct logger_opts *)c->opts;
    (void)opt;
    struct wk_file *f = open_file(c, "file", arg);
    o->is_directory = f->kind == WK_FILE_DIR;
    o->in = wk_in_of(c, f, arg);
    return 0;
}

static int take_journald(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct logger_opts *o = (struct logger_opts *)c->opts;
    o->journald = true;
    o->entry = NULL;
    if (arg) {
        struct wk_file *f = open_file(c, "cannot open", arg);
        o->entry_is_directory = f->kind == WK_FILE_DIR;
        o->entry = wk_in_of(c, f, arg);
    }
    return 0;
}

static int take_errors(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct logger_opts *o = (struct logger_opts *)c->opts;
    (void)opt;
    o->errors = arg;
    if (arg && strcmp(arg, "on") && strcmp(arg, "off") && strcmp(arg, "auto"))
        wk_out_fmt(c->err, "%s: invalid argument: %s: using automatic errors\n", c->name, arg);
    return 0;
}

static int take_msgid(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    if (strchr(arg, ' '))
        wk_fail(c, 1, "--msgid cannot contain space");
    ((struct logger_opts *)c->opts)->msgid = arg;
    return 0;
}

static int take_id(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct logger_opts *o = (struct logger_opts *)c->opts;
    int64_t v;
    (void)opt;
    if (arg && wk_parse_i64(wk_str_c(arg), 10, &v) != 0)
        wk_fail(c, 1, "failed to parse id: '%s'", arg);
    o->id = arg;
    o->with_pid = !arg;
    return 0;
}

static void read_options(struct logger *l)
{
    const struct logger_opts *o = l->o;
    struct wk_cmd *c = l->c;
    int64_t id = o->with_pid ? (int64_t)c->proc->pid : 0;
    if (o->id)
        (void)(wk_parse_i64(wk_str_c(o->id), 10, &id) == 0);
    l->pid = (int32_t)(uint32_t)(uint64_t)id;
    l->priority = o->priority ? o->priority - 1 : USER | NOTICE;
    l->size = o->size ? (size_t)o->size - 1 : 1024;
    l->data = join_data(l);
    l->tag = o->tag;
    if (!l->tag)
        l->tag = wk_user_name(wk_idnames_new(c), c->proc->cred.uid);
    if (!l->tag)
        l->tag = "<someone>";
}

/* A socket nobody listens at, or a server nobody can reach. */
static void open_target(struct logger *l)
{
    const struct logger_opts *o = l->o;
    struct wk_stat st;
    if (o->server && (!o->no_act || (o->tcp && !o->udp)))
        wk_fail(l->c, 1, "failed to connect to %s port %s", o->server,
                o->port             ? o->port
                : o->tcp && !o->udp ? "syslog-conn"
                                    : "syslog");
    if (!o->socket || o->server)
        return;
    int err = wk_cmd_stat(l->c, o->socket, true, &st);
    l->quiet = o->errors && strcmp(o->errors, "off") == 0;
    bool heard = (o->errors && strcmp(o->errors, "on") == 0) || o->to_stderr;
    if (!l->quiet && heard)
        wk_fail(l->c, 1, "socket %s: %s", o->socket, err ? wk_err_text(err) : "Connection refused");
    l->quiet = true;
}

/* ---- messages */

static void put_local_time(struct logger *l, int64_t now)
{
    wk_zone_text(l->c, l->text, l->zone, WK_STR("%b %e %H:%M:%S"), now);
    wk_buf_puts(l->line, wk_buf_str(l->text));
}

static void put_header_5424(struct logger *l, int priority, int64_t now)
{
    struct wk_buf *b = l->line;
    wk_buf_fmt(b, "<%d>1 ", priority);
    if (!l->o->no_time) {
        wk_zone_text(l->c, l->text, l->zone, WK_STR("%Y-%m-%dT%H:%M:%S"), now);
        wk_buf_fmt(b, "%s.%06u", wk_buf_c(l->text), (unsigned)(now % 1000000000 / 1000));
        wk_zone_text(l->c, l->text, l->zone, WK_STR("%:z"), now);
        wk_buf_puts(b, wk_buf_str(l->text));
    } else {
        wk_buf_putc(b, '-');
    }
    wk_buf_fmt(b, " %s %s ", l->o->no_host ? "-" : l->c->k->hostname, l->tag);
    if (l->pid)
        wk_buf_put_i64(b, l->pid);
    else
        wk_buf_putc(b, '-');
    wk_buf_fmt(b, " %s ", l->o->msgid ? l->o->msgid : "-");
    if (!l->o->no_quality)
        wk_buf_put_c(b, "[timeQuality tzKnown=\"1\" isSynced=\"0\"]");
    wk_buf_put_c(b, l->o->no_quality && !*l->data ? "-" : l->data);
    wk_buf_putc(b, ' ');
}

static void put_tag(struct logger *l)
{
    wk_buf_put_c(l->line, l->tag);
    if (l->pid)
        wk_buf_fmt(l->line, "[%d]", (int)l->pid);
    wk_buf_put_c(l->line, ": ");
}

static size_t short_host(const struct logger *l)
{
    return strcspn(l->c->k->hostname, ".");
}

static void show(struct logger *l, int priority, struct wk_str text, int64_t now)
{
    wk_buf_reset(l->line);
    if (l->o->form == RFC5424 || (l->o->form == LOCAL && l->o->server)) {
        put_header_5424(l, priority, now);
    } else {
        wk_buf_fmt(l->line, "<%d>", priority);
        put_local_time(l, now);
        wk_buf_putc(l->line, ' ');
        if (l->o->form == RFC3164)
            wk_buf_fmt(l->line, "%.*s ", (int)short_host(l), l->c->k->hostname);
        put_tag(l);
    }
    wk_buf_puts(l->line, text);
    if (l->o->octets)
        wk_out_fmt(l->c->err, "%zu ", l->line->n);
    wk_out_str(l->c->err, wk_buf_str(l->line));
    wk_out_char(l->c->err, '\n');
}

/* Appends a line to the log as the daemon that keeps it would, whose file it is. */
static int append(struct logger *l)
{
    static const struct wk_cred root = {0, 0, 022, NULL};
    struct wk_vfs *vfs = l->c->k->vfs;
    struct wk_vfile *f;
    const uint32_t flags = WK_O_WRONLY | WK_O_CREAT | WK_O_APPEND | WK_O_NOFOLLOW;
    int64_t end;
    (void)(wk_vfs_mkdir(vfs, &root, NULL, WK_STR("/var"), 0755) == 0);
    (void)(wk_vfs_mkdir(vfs, &root, NULL, WK_STR("/var/log"), 0755) == 0);
    int r = wk_vfs_open(vfs, &root, NULL, WK_STR("/var/log/syslog"), flags, 0644, &f);
    if (r)
        return -r;
    if (wk_vfile_kind(f) != WK_S_IFREG)
        r = -WK_EINVAL;
    int64_t n = r ? r : wk_vfile_append(f, l->line->p, l->line->n, &end);
    wk_vfile_unref(f);
    return n < 0 ? (int)-n : 0;
}

static void keep(struct logger *l, struct wk_str text, int64_t now)
{
    wk_buf_reset(l->line);
    put_local_time(l, now);
    wk_buf_fmt(l->line, " %.*s ", (int)short_host(l), l->c->k->hostname);
    put_tag(l);
    for (size_t i = 0; i < text.n; i++) { /* a line of the log is one line */
        unsigned char ch = (unsigned char)text.p[i];
        if (ch < 32 || ch == 127)
            wk_buf_fmt(l->line, "#%03o", ch);
        else
            wk_buf_putc(l->line, (char)ch);
    }
    wk_buf_putc(l->line, '\n');
    if (l->line->failed)
        wk_heap_exhausted(l->c->heap);
    int err = append(l);
    if (err)
        wk_fail(l->c, 1, "/var/log/syslog: %s", wk_err_text(err));
}

static void log_message(struct logger *l, int priority, const char *p, size_t n)
{
    const char *nul = n ? memchr(p, '\0', n) : NULL;
    struct wk_str text = wk_str(p, nul ? (size_t)(nul - p) : n);
    int64_t now = wk_cmd_now(l->c);
    if (l->o->to_stderr)
        show(l, priority, text, now);
    if (!l->o->no_act && !l->quiet)
        keep(l, text, now);
}

/* Operands are joined by blanks as long as they fit. */
static void log_words(struct logger *l)
{
    struct wk_buf *b = wk_cmd_buf(l->c, SIZE_MAX / 2);
    for (int i = 0; i < l->c->nargs; i++) {
        const char *word = l->c->args[i];
        size_t n = strlen(word);
        if (b->n && b->n + 1 + n > l->size) {
            log_message(l, l->priority, b->p, b->n);
            wk_buf_reset(b);
        }
        if (!b->n && n > l->size) {
            log_message(l, l->priority, word, l->size);
            continue;
        }
        if (b->n)
            wk_buf_putc(b, ' ');
        wk_buf_put(b, word, n);
    }
    if (b->failed)
        wk_heap_exhausted(l->c->heap);
    if (b->n)
        log_message(l, l->priority, b->p, b->n);
}

/* "<N>" in front of a line: its length, 0 when it is none. */
static size_t read_prefix(struct logger *l, struct wk_str line, int *priority)
{
    size_t i = 1;
    int v = 0;
    for (; i < line.n && wk_is_digit((unsigned char)line.p[i]) && v <= PRIORITY_MAX; i++)
        v = v * 10 + (line.p[i] - '0');
    *priority = l->priority;
    if (i >= line.n || line.p[i] != '>' || v > PRIORITY_MAX)
        return 0;
    *priority = v & ~LEVELS ? v : (l->priority & ~LEVELS) | v;
    return i + 1;
}

static void log_lines(struct logger *l, struct wk_in *in)
{
    struct wk_str line;
    int priority = l->priority;
    while (wk_line_next(in, '\n', &line)) {
        if (l->o->prefix && line.n && line.p[0] == '<')
            line = wk_str_from(line, read_prefix(l, line, &priority));
        if (!line.n && !l->o->skip_empty)
            log_message(l, priority, "", 0);
        while (line.n) {
            size_t n = l->size ? WK_MIN(line.n, l->size) : line.n;
            log_message(l, priority, line.p, l->size ? n : 0);
            line = wk_str_from(line, n);
        }
    }
}

/* The fields of an entry for journald, up to an empty line: they are only shown. */
static int show_entry(struct logger *l, struct wk_in *in)
{
    struct wk_str line;
    while (wk_line_next(in, '\n', &line)) {
        while (line.n && wk_is_space((unsigned char)line.p[line.n - 1]))
            line.n--;
        if (!line.n)
            break;
        if (l->o->to_stderr) {
            wk_out_put(l->c->err, line.p, line.n);
            wk_out_char(l->c->err, '\n');
        }
    }
    if (!l->o->no_act)
        wk_fail(l->c, 1, "journald entry could not be written");
    return 0;
}

static int logger_main(struct wk_cmd *c)
{
    struct logger l = {.c = c, .o = (const struct logger_opts *)c->opts};
    read_options(&l);
    if (l.o->journald)
        return l.o->entry_is_directory ? 0 : show_entry(&l, l.o->entry ? l.o->entry : c->in);
    if (l.o->in && c->nargs)
        wk_out_fmt(c->err,
                   "%s: --file <file> and <message> are mutually exclusive, message is ignored\n",
                   c->name);
    if (l.o->is_directory && !c->nargs)
        return 0;
    open_target(&l);
    l.zone = wk_zone_of(c);
    l.line = wk_cmd_buf(c, 1 << 26);
    l.text = wk_cmd_buf(c, 4096);
    if (c->nargs)
        log_words(&l);
    else
        log_lines(&l, l.o->in ? l.o->in : c->in);
    return 0;
}

static const struct wk_opt logger_options[] = {
    WK_FLAG(struct logger_opts, with_pid, 'i', NULL, "show the number of this process"),
    WK_FUNC_OPT(take_id, 0, 0, "id", "[ID", "the same, or ID instead"),
    WK_FLAG(struct logger_opts, to_stderr, 's', "stderr", "messages go to standard error, too"),
    WK_FUNC_OPT(take_file, 0, 'f', "file", "FILE", "the lines of FILE"),
    WK_FLAG(struct logger_opts, no_act, 0, "no-act", "write nothing to the log"),
    WK_FUNC_OPT(take_priority, 0, 'p', "priority", "PRIO",
                "FACILITY.LEVEL, or LEVEL (user.notice)"),
    WK_FLAG(struct logger_opts, octets, 0, "octet-count", "the length stands before each message"),
    WK_STR_OPT(struct logger_opts, tag, 't', "tag", "TAG", "instead of the user's name"),
    WK_STR_OPT(struct logger_opts, socket, 'u', "socket", "SOCKET",
               "write to a socket instead: nobody listens there"),
    WK_FUNC_OPT(take_errors, 0, 0, "socket-errors", "[WHEN",
                "whether that is an error: on, off, auto"),
    WK_STR_OPT(struct logger_opts, server, 'n', "server", "NAME",
               "send to a server: there is no network"),
    WK_STR_OPT(struct logger_opts, port, 'P', "port", "PORT", "of the server"),
    WK_FLAG(struct logger_opts, prefix, 0, "prio-prefix",
            "lines of input may begin with <N>, their priority"),
    WK_FUNC_OPT(take_size, 0, 'S', "size", "SIZE", "bytes of a message at most (1KiB)"),
    WK_FLAG(struct logger_opts, skip_empty, 'e', "skip-empty", "empty lines are no messages"),
    WK_FLAG(struct logger_opts, tcp, 'T', "tcp", "to the server by TCP"),
    WK_FLAG(struct logger_opts, udp, 'd', "udp", "to the server by UDP"),
    WK_SET(struct logger_opts, form, RFC3164, 0, "rfc3164",
           "messages of the older form, with the host"),
    WK_FUNC_OPT(take_fields, 0, 0, "rfc5424", "[SNIP",
                "messages of the newer form; without: notime, notq, nohost"),
    WK_FUNC_OPT(take_data, 'i', 0, "sd-id", "ID", "begin structured data: NAME@NUMBER"),
    WK_FUNC_OPT(take_data, 'p', 0, "sd-param", "DATA", "NAME=\"VALUE\" in these data"),
    WK_FUNC_OPT(take_msgid, 0, 0, "msgid", "ID", "the message's identifier"),
    WK_FUNC_OPT(take_journald, 0, 0, "journald", "[FILE", "an entry for journald: there is none"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "what --help prints"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "what --version prints"),
    WK_OPTS_END,
};

WK_COMMAND(logger, .summary = "enter messages into the system log",
           .usage = "logger [options] [<message>]", .std = "util-linux 2.38.1",
           .opts = logger_options, .opts_size = sizeof(struct logger_opts),
           .help = "The log is the file /var/log/syslog.\n");
