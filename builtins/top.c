/* top.c - show the processes of the session, again and again, in batch mode
 *
 * Standard: procps 4.0.2. Oracle: top -b.
 * Differs:  docs/divergences/top.md
 */
#include "base/fnum.h"
#include "base/num.h"
#include "builtins/idnames.h"
#include "builtins/proctable.h"
#include "builtins/ptrsort.h"
#include "builtins/zone.h"

enum { PIDS_MAX = 20, WIDTH_MIN = 3, WIDTH_MAX = 512, COMMAND_MIN = 7 };

struct top_opts {
    bool batch, threads, cumulative, secure;
    int lines, idle, cpus; /* each time they change over */
    const char *delay, *iterations, *field, *euser, *user, *width, *summary_scale, *task_scale;
    uint32_t pids[PIDS_MAX];
    size_t npids;
};

/* What rows can be ordered by. */
enum field {
    F_NONE,
    F_PID,
    F_PPID,
    F_UID,
    F_USER,
    F_RUID,
    F_RUSER,
    F_SUID,
    F_SUSER,
    F_GID,
    F_GROUP,
    F_PGRP,
    F_TTY,
    F_TPGID,
    F_SID,
    F_PR,
    F_NI,
    F_CPU,
    F_TIME,
    F_RES,
    F_VIRT,
    F_S,
    F_COMMAND,
    F_FLAGS,
    F_MAJ,
    F_MIN,
    F_STARTED,
    F_ELAPSED
};

static const struct {
    const char *name;
    enum field field;
} fields[] = {
    {"PID", F_PID},         {"PPID", F_PPID},       {"UID", F_UID},     {"USER", F_USER},
    {"RUID", F_RUID},       {"RUSER", F_RUSER},     {"SUID", F_SUID},   {"SUSER", F_SUSER},
    {"GID", F_GID},         {"GROUP", F_GROUP},     {"PGRP", F_PGRP},   {"TTY", F_TTY},
    {"TPGID", F_TPGID},     {"SID", F_SID},         {"PR", F_PR},       {"NI", F_NI},
    {"nTH", F_NONE},        {"P", F_NONE},          {"%CPU", F_CPU},    {"TIME", F_TIME},
    {"TIME+", F_TIME},      {"%MEM", F_RES},        {"VIRT", F_VIRT},   {"SWAP", F_NONE},
    {"RES", F_RES},         {"CODE", F_NONE},       {"DATA", F_VIRT},   {"SHR", F_NONE},
    {"nMaj", F_MAJ},        {"nMin", F_MIN},        {"nDRT", F_NONE},   {"S", F_S},
    {"COMMAND", F_COMMAND}, {"WCHAN", F_NONE},      {"Flags", F_FLAGS}, {"CGROUPS", F_NONE},
    {"SUPGIDS", F_NONE},    {"SUPGRPS", F_NONE},    {"TGID", F_PID},    {"OOMa", F_NONE},
    {"OOMs", F_NONE},       {"ENVIRON", F_NONE},    {"vMj", F_NONE},    {"vMn", F_NONE},
    {"USED", F_RES},        {"nsIPC", F_NONE},      {"nsMNT", F_NONE},  {"nsNET", F_NONE},
    {"nsPID", F_NONE},      {"nsUSER", F_NONE},     {"nsUTS", F_NONE},  {"LXC", F_NONE},
    {"RSan", F_NONE},       {"RSfd", F_NONE},       {"RSlk", F_NONE},   {"RSsh", F_NONE},
    {"CGNAME", F_NONE},     {"NU", F_NONE},         {"LOGID", F_NONE},  {"EXE", F_NONE},
    {"RSS", F_RES},         {"PSS", F_RES},         {"PSan", F_NONE},   {"PSfd", F_NONE},
    {"PSsh", F_NONE},       {"USS", F_RES},         {"ioR", F_NONE},    {"ioRop", F_NONE},
    {"ioW", F_NONE},        {"ioWop", F_NONE},      {"AGID", F_NONE},   {"AGNI", F_NONE},
    {"STARTED", F_STARTED}, {"ELAPSED", F_ELAPSED}, {"%CUU", F_CPU},    {"%CUC", F_CPU},
    {"nsCGROUP", F_NONE},   {"nsTIME", F_NONE}};

struct top {
    struct wk_cmd *c;
    const struct top_opts *o;
    struct wk_idnames *names;
    struct wk_proctable table;
    int64_t delay; /* ns */
    int64_t turns; /* -1: no end */
    size_t width, pid_width;
    enum field field;
    bool ascending, by_user, any_user, others;
    uint32_t uid;
    int summary_scale, task_scale; /* powers of 1024 above KiB */
    struct wk_buf *line;
};

/* ---- options */

static int read_scale(struct wk_cmd *c, const char *text, const char *letters)
{
    const char *at =
        text[0] && !text[1] ? strchr(letters, wk_to_lower((unsigned char)text[0])) : NULL;
    if (!at)
        wk_fail(c, 1, "bad memory scaling arg '%s'", text);
    return (int)(at - letters);
}

static int take_pids(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct top_opts *o = (struct top_opts *)c->opts;
    (void)opt;
    for (const char *p = arg; *p;) {
        size_t n = strcspn(p, ",");
        int64_t v;
        if (o->npids == PIDS_MAX)
            wk_fail(c, 1, "pid limit (%d) exceeded", PIDS_MAX);
        if (wk_parse_i64(wk_str(p, n), 10, &v) != 0 || v < 0 || v > INT32_MAX)
            wk_fail(c, 1, "bad pid '%.*s'", (int)WK_MIN(n, (size_t)4096), p);
        uint32_t pid = v ? (uint32_t)v : c->proc->pid;
        size_t at = 0;
        while (at < o->npids && o->pids[at] != pid)
            at++;
        o->pids[at] = pid;
        o->npids = WK_MAX(o->npids, at + 1);
        p += n + (p[n] == ',');
    }
    return 0;
}

static int list_fields(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    (void)arg;
    for (size_t i = 0; i < WK_COUNTOF(fields); i++)
        wk_out_fmt(c->out, "%s\n", fields[i].name);
    wk_exit(c, 0);
}

static void read_field(struct top *t)
{
    const char *text = t->o->field;
    if (!text)
        return;
    t->ascending = *text == '-';
    text += *text == '-' || *text == '+';
    size_t i = 0;
    while (i < WK_COUNTOF(fields) && strcmp(fields[i].name, text) != 0)
        i++;
    if (i == WK_COUNTOF(fields))
        wk_fail(t->c, 1, "unrecognized field name '%s'", text);
    t->field = fields[i].field;
}

static void read_users(struct top *t)
{
    const struct top_opts *o = t->o;
    const char *text = o->user ? o->user : o->euser;
    if (!text)
        return;
    if ((o->user && o->euser) || o->npids)
        wk_fail(t->c, 1, "conflicting process selections (U/p/u)");
    t->others = *text == '!';
    t->by_user = true;
    t->any_user = o->user != NULL;
    if (!wk_user_id(t->names, text + t->others, true, &t->uid))
        wk_fail(t->c, 1, "Invalid user");
}

/* -w takes the word behind it, if there is one: that is an operand by then. */
static void read_width(struct top *t)
{
    struct wk_cmd *c = t->c;
    const char *text = t->o->width, *env = wk_cmd_env(c, "COLUMNS");
    uint64_t v;
    if (text && !*text && c->nargs == 1) {
        text = c->args[0];
        c->nargs = 0;
    }
    if (c->nargs)
        wk_fail(c, 1, "unknown option '%s'", c->args[0]);
    t->width = text ? WIDTH_MAX : 80;
    if (text && *text) {
        if (wk_parse_u64(wk_str_c(text), 10, &v) != 0 || v < WIDTH_MIN || v > WIDTH_MAX)
            wk_fail(c, 1, "bad width arg '%s'", text);
        t->width = (size_t)v;
    } else if (env && wk_parse_u64(wk_str_c(env), 10, &v) == 0 && v >= WIDTH_MIN) {
        t->width = (size_t)WK_MIN(v, (uint64_t)WIDTH_MAX);
    }
}

static void read_options(struct top *t)
{
    const struct top_opts *o = t->o;
    struct wk_cmd *c = t->c;
    double seconds = 3;
    if (o->delay && (!*o->delay || wk_parse_double(wk_str_c(o->delay), &seconds) != 0))
        wk_fail(c, 1, "bad delay interval '%s'", o->delay);
    if (!(seconds >= 0))
        wk_fail(c, 1, "-d requires positive argument");
    t->delay = seconds > 9e9 ? INT64_MAX : (int64_t)(seconds * 1e9);
    t->turns = -1;
    if (o->iterations && (wk_parse_i64(wk_str_c(o->iterations), 10, &t->turns) != 0 ||
                          t->turns < 1 || t->turns > INT32_MAX))
        wk_fail(c, 1, "bad iterations argument '%s'", o->iterations);
    t->summary_scale = o->summary_scale ? read_scale(c, o->summary_scale, "kmgtpe") : 1;
    t->task_scale = o->task_scale ? read_scale(c, o->task_scale, "kmgtp") : 0;
    t->field = F_CPU;
    read_field(t);
    read_users(t);
    read_width(t);
}

/* ---- order */

static uint64_t cpu_ticks(const struct wk_procinfo *p)
{
    return p->utime + p->stime;
}

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static const char *user_name(struct top *t, uint32_t uid)
{
    const char *name = wk_user_name(t->names, uid);
    return name ? name : wk_strf(t->c, "%u", uid);
}

static int by_name(struct top *t, uint32_t a, uint32_t b)
{
    return a == b ? 0 : strcmp(user_name(t, a), user_name(t, b));
}

static int by_field(struct top *t, const struct wk_procinfo *a, const struct wk_procinfo *b)
{
    switch (t->field) {
    case F_PID:
        return by_number(a->pid, b->pid);
    case F_PPID:
        return by_number(a->ppid, b->ppid);
    case F_UID:
        return by_number(a->uid[1], b->uid[1]);
    case F_RUID:
        return by_number(a->uid[0], b->uid[0]);
    case F_SUID:
        return by_number(a->uid[2], b->uid[2]);
    case F_USER:
        return by_name(t, a->uid[1], b->uid[1]);
    case F_RUSER:
        return by_name(t, a->uid[0], b->uid[0]);
    case F_SUSER:
        return by_name(t, a->uid[2], b->uid[2]);
    case F_GID:
    case F_GROUP:
        return by_number(a->gid[1], b->gid[1]);
    case F_PGRP:
        return by_number(a->pgid, b->pgid);
    case F_TTY:
        return by_number(a->tty, b->tty);
    case F_TPGID:
        return by_number(a->tpgid, b->tpgid);
    case F_SID:
        return by_number(a->sid, b->sid);
    case F_PR:
        return by_number(a->priority, b->priority);
    case F_NI:
        return by_number(a->nice, b->nice);
    case F_CPU:
    case F_TIME:
        return by_number((int64_t)cpu_ticks(a), (int64_t)cpu_ticks(b));
    case F_RES:
        return by_number((int64_t)a->rss, (int64_t)b->rss);
    case F_VIRT:
        return by_number((int64_t)a->vsize, (int64_t)b->vsize);
    case F_S:
        return by_number(a->state, b->state);
    case F_COMMAND:
        return strcmp(a->comm, b->comm);
    case F_FLAGS:
        return by_number((int64_t)a->flags, (int64_t)b->flags);
    case F_MAJ:
        return by_number((int64_t)a->majflt, (int64_t)b->majflt);
    case F_MIN:
        return by_number((int64_t)a->minflt, (int64_t)b->minflt);
    case F_STARTED:
        return by_number((int64_t)a->start, (int64_t)b->start);
    case F_ELAPSED:
        return by_number((int64_t)b->start, (int64_t)a->start);
    case F_NONE:
        break;
    }
    return 0;
}

/* The greatest first; equals stay as they are. */
static int compare(void *ctx, const void *x, const void *y)
{
    struct top *t = (struct top *)ctx;
    const struct wk_procinfo *a = (const struct wk_procinfo *)x, *b = (const struct wk_procinfo *)y;
    int order = by_field(t, a, b);
    return t->ascending ? order : -order;
}

/* ---- selection */

static bool is_listed(const struct top *t, const struct wk_procinfo *p)
{
    for (size_t i = 0; i < t->o->npids; i++)
        if (t->o->pids[i] == p->pid)
            return true;
    return !t->o->npids;
}

static bool is_shown(const struct top *t, const struct wk_procinfo *p)
{
    bool user = p->uid[1] == t->uid;
    if (t->any_user)
        user = user || p->uid[0] == t->uid || p->uid[2] == t->uid || p->uid[3] == t->uid;
    if (t->by_user && user == t->others)
        return false;
    return t->o->idle % 2 == 0 || cpu_ticks(p) > 0;
}

/* ---- a frame */

/* What is in t->line, as far as the width goes. */
static void end_line(struct top *t)
{
    if (t->line->failed)
        wk_heap_exhausted(t->c->heap);
    wk_out_put(t->c->out, wk_buf_c(t->line), WK_MIN(t->line->n, t->width));
    wk_out_char(t->c->out, '\n');
    wk_buf_reset(t->line);
}

static void put_scaled(struct wk_buf *b, uint64_t kib, int scale, size_t width)
{
    double v = (double)kib;
    if (!scale) {
        struct wk_fnum whole = {.conv = 'f', .width = width, .precision = 0};
        (void)wk_buf_put_double(b, v, &whole);
        return;
    }
    struct wk_fnum tenth = {.conv = 'f', .width = width, .precision = 1};
    for (int i = 0; i < scale; i++)
        v /= 1024;
    (void)wk_buf_put_double(b, v, &tenth);
}

static void put_memory_line(struct top *t, const char *what, const uint64_t v[4], const char *last)
{
    struct wk_buf *b = t->line;
    const char *words[] = {" total, ", " free, ", " used", last};
    wk_buf_fmt(b, "%ciB %-4s: ", "KMGTPE"[t->summary_scale], what);
    for (int i = 0; i < 4; i++) {
        put_scaled(b, v[i], t->summary_scale, 8);
        wk_buf_put_c(b, words[i]);
        if (i == 2)
            wk_buf_put_c(b, last[1] == 'b' ? ", " : ". ");
    }
    end_line(t);
}

static void put_memory(struct top *t)
{
    size_t n;
    char *text = wk_proc_text(t->c, "/proc/meminfo", &n);
    uint64_t total = wk_proc_kib(text, "MemTotal:"), available = wk_proc_kib(text, "MemAvailable:"),
             swap = wk_proc_kib(text, "SwapTotal:"), swap_free = wk_proc_kib(text, "SwapFree:");
    uint64_t cache = wk_proc_kib(text, "Buffers:") + wk_proc_kib(text, "Cached:") +
                     wk_proc_kib(text, "SReclaimable:");
    uint64_t memory[] = {total, wk_proc_kib(text, "MemFree:"),
                         total > available ? total - available : 0, cache};
    uint64_t swaps[] = {swap, swap_free, swap > swap_free ? swap - swap_free : 0, available};
    wk_heap_free(t->c->heap, text);
    put_memory_line(t, "Mem", memory, " buff/cache     ");
    put_memory_line(t, "Swap", swaps, " avail Mem ");
}

static void put_summary(struct top *t)
{
    struct wk_buf *b = t->line;
    unsigned running = 0, stopped = 0, zombies = 0, all = 0;
    char *up = wk_proc_uptime_line(t->c);
    wk_buf_fmt(b, "top -%s", up);
    wk_heap_free(t->c->heap, up);
    end_line(t);
    for (size_t i = 0; i < t->table.n; i++) {
        const struct wk_procinfo *p = &t->table.v[i];
        if (!is_listed(t, p))
            continue;
        all++;
        running += p->state == 'R';
        stopped += p->state == 'T';
        zombies += p->state == 'Z';
    }
    wk_buf_fmt(b, "%s: %3u total, %3u running, %3u sleeping, %3u stopped, %3u zombie",
               t->o->threads ? "Threads" : "Tasks", all, running, all - running - stopped - zombies,
               stopped, zombies);
    end_line(t);
    wk_buf_put_c(b, t->o->cpus % 2 ? "%Cpu0  :" : "%Cpu(s):");
    wk_buf_put_c(b, "  0.0 us,  0.0 sy,  0.0 ni,100.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st ");
    end_line(t);
    put_memory(t);
}

/* Memory in its column: with a letter above KiB, and where it would not fit otherwise. */
static void put_size(struct top *t, uint64_t kib, size_t width)
{
    struct wk_buf *b = t->line;
    uint64_t limit = width == 7 ? 9999999 : 999999;
    int scale = t->task_scale;
    if (!scale && kib <= limit) {
        put_scaled(b, kib, 0, width);
        return;
    }
    double v = (double)kib;
    for (int i = 0; i < scale; i++)
        v /= 1024;
    while (scale < 4 && (!scale || v >= (width == 7 ? 99999 : 9999))) {
        v /= 1024;
        scale++;
    }
    struct wk_fnum tenth = {.conv = 'f', .width = width - 1, .precision = 1};
    (void)wk_buf_put_double(b, v, &tenth);
    wk_buf_putc(b, "kmgtp"[scale]);
}

/* A text of at most `width` bytes, with a + for the rest. */
static void put_cut(struct wk_buf *b, const char *text, size_t width, bool pad)
{
    size_t n = strlen(text);
    bool more = n > width;
    size_t shown = more ? width - 1 : n;
    for (size_t i = 0; i < shown; i++) {
        unsigned char ch = (unsigned char)text[i];
        wk_buf_putc(b, ch < 32 || ch == 127 ? '?' : (char)ch);
    }
    if (more)
        wk_buf_putc(b, '+');
    for (; pad && n < width; n++)
        wk_buf_putc(b, ' ');
}

static void put_tenths(struct wk_buf *b, uint64_t tenths)
{
    wk_buf_fmt(b, "%3llu.%llu", (unsigned long long)(tenths / 10),
               (unsigned long long)(tenths % 10));
}

enum { COLUMNS_N = 12 };
static const struct {
    const char *header;
    size_t width;
    bool left;
} columns[COLUMNS_N] = {{"PID", 0, false},  {"USER", 8, true},   {"PR", 3, false},
                        {"NI", 3, false},   {"VIRT", 7, false},  {"RES", 6, false},
                        {"SHR", 6, false},  {"S", 1, true},      {"%CPU", 5, false},
                        {"%MEM", 5, false}, {"TIME+", 9, false}, {"COMMAND", 0, true}};

static void put_cell(struct top *t, size_t i, const struct wk_procinfo *p, size_t room)
{
    struct wk_buf *b = t->line;
    uint64_t ticks = cpu_ticks(p),
             age = t->table.uptime_cs > p->start ? t->table.uptime_cs - p->start : 0;
    char *words;
    switch (i) {
    case 0:
        wk_buf_fmt(b, "%*u", (int)t->pid_width, p->pid);
        break;
    case 1:
        put_cut(b, user_name(t, p->uid[1]), 8, true);
        break;
    case 2:
        wk_buf_fmt(b, "%3d", (int)p->priority);
        break;
    case 3:
        wk_buf_fmt(b, "%3d", (int)p->nice);
        break;
    case 4:
        put_size(t, p->vsize / 1024, 7);
        break;
    case 5:
        put_size(t, p->rss * 4, 6);
        break;
    case 6:
        put_size(t, 0, 6);
        break;
    case 7:
        wk_buf_putc(b, p->state);
        break;
    case 8:
        put_tenths(b, age ? WK_MIN(ticks * 1000 / age, (uint64_t)9999) : 0);
        break;
    case 9:
        put_tenths(b, t->table.memory_kib
                          ? WK_MIN(p->rss * 4000 / t->table.memory_kib, (uint64_t)1000)
                          : 0);
        break;
    case 10:
        wk_buf_fmt(b, "%3llu:%02u.%02u", (unsigned long long)(ticks / 6000),
                   (unsigned)(ticks / 100 % 60), (unsigned)(ticks % 100));
        break;
    default:
        words = t->o->lines % 2 && p->state != 'Z' ? wk_proc_words(t->c, p) : wk_dup(t->c, p->comm);
        put_cut(b, words, room, false);
        wk_heap_free(t->c->heap, words);
        break;
    }
}

/* One row, of the columns that fit; NULL: their headers. */
static void put_row(struct top *t, const struct wk_procinfo *p)
{
    size_t at = 0;
    for (size_t i = 0; i < COLUMNS_N; i++) {
        bool last = i + 1 == COLUMNS_N;
        size_t width = i ? columns[i].width : t->pid_width, start = at + (i > 0);
        size_t room = last && t->width > start + 1 ? t->width - start - 1 : width;
        if (last ? room < COMMAND_MIN : start + width > t->width)
            break;
        if (i)
            wk_buf_putc(t->line, ' ');
        if (p) {
            put_cell(t, i, p, room);
        } else if (columns[i].left) {
            wk_buf_fmt(t->line, "%-*s", last ? 0 : (int)width, columns[i].header);
        } else {
            wk_buf_fmt(t->line, "%*s", (int)width, columns[i].header);
        }
        at = start + width;
    }
    end_line(t);
}

static void put_frame(struct top *t)
{
    struct wk_cmd *c = t->c;
    wk_proctable_read(c, &t->table);
    put_summary(t);
    wk_out_char(c->out, '\n');
    put_row(t, NULL);
    const struct wk_procinfo **v = wk_new_n(c, const struct wk_procinfo *, t->table.n + PIDS_MAX);
    size_t n = 0;
    for (size_t i = 0; i < t->table.n && !t->o->npids; i++)
        if (is_shown(t, &t->table.v[i]))
            v[n++] = &t->table.v[i];
    for (size_t k = 0; k < t->o->npids; k++) /* in the order of the list */
        for (size_t i = 0; i < t->table.n; i++)
            if (t->table.v[i].pid == t->o->pids[k] && is_shown(t, &t->table.v[i]))
                v[n++] = &t->table.v[i];
    if (n > 1)
        wk_ptr_sort(c, (const void **)v, n, compare, t);
    for (size_t i = 0; i < n; i++)
        put_row(t, v[i]);
    wk_heap_free(c->heap, v);
    wk_proctable_release(c, &t->table);
}

static int top_main(struct wk_cmd *c)
{
    struct top t = {.c = c, .o = (const struct top_opts *)c->opts, .names = wk_idnames_new(c)};
    size_t n;
    read_options(&t);
    if (!t.o->batch)
        wk_fail(c, 1, "failed tty get");
    t.line = wk_cmd_buf(c, 1 << 20);
    char *most = wk_proc_text(c, "/proc/sys/kernel/pid_max", &n);
    t.pid_width = WK_MAX(strspn(most, "0123456789"), (size_t)5);
    for (int64_t i = 0; t.turns < 0 || i < t.turns; i++) {
        if (i) {
            wk_out_char(c->out, '\n');
            (void)wk_out_flush(c->out);
            wk_cmd_sleep(c, t.delay);
        }
        put_frame(&t);
    }
    return 0;
}

static const struct wk_opt top_options[] = {
    WK_FLAG(struct top_opts, batch, 'b', "batch-mode", "print one frame below the other"),
    WK_COUNT_OPT(struct top_opts, lines, 'c', "cmdline-toggle", "command lines instead of names"),
    WK_STR_OPT(struct top_opts, delay, 'd', "delay", "SECS", "seconds between two frames (3.0)"),
    WK_STR_OPT(struct top_opts, summary_scale, 'E', "scale-summary-mem", "SCALE",
               "memory above in k, m, g, t, p, e"),
    WK_STR_OPT(struct top_opts, task_scale, 'e', "scale-task-mem", "SCALE",
               "memory of processes in k, m, g, t, p"),
    WK_FLAG(struct top_opts, threads, 'H', "threads-show", "threads: each process has one"),
    WK_COUNT_OPT(struct top_opts, idle, 'i', "idle-toggle",
                 "only processes that have used the processor"),
    WK_STR_OPT(struct top_opts, iterations, 'n', "iterations", "NUMBER",
               "end after so many frames"),
    WK_FUNC_OPT(list_fields, 0, 'O', "list-fields", NULL, "list the names of fields"),
    WK_STR_OPT(struct top_opts, field, 'o', "sort-override", "FIELD",
               "order by FIELD; -FIELD: the smallest first"),
    WK_FUNC_OPT(take_pids, 0, 'p', "pid", "PIDLIST", "only these processes"),
    WK_FLAG(struct top_opts, cumulative, 'S', "accum-time-toggle",
            "times of dead children, too: none is counted"),
    WK_FLAG(struct top_opts, secure, 's', "secure-mode", "fewer keys: there are none"),
    WK_STR_OPT(struct top_opts, user, 'U', "filter-any-user", "USER",
               "only processes that have USER as any of theirs"),
    WK_STR_OPT(struct top_opts, euser, 'u', "filter-only-euser", "USER",
               "only those of USER; !USER: of the others"),
    WK_STR_OPTIONAL(struct top_opts, width, 'w', "width", "COLUMNS",
                    "width of lines (3 to 512); without: COLUMNS, 512"),
    WK_COUNT_OPT(struct top_opts, cpus, '1', "single-cpu-toggle",
                 "each processor by itself: there is one"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "what --help prints"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "what --version prints"),
    WK_OPTS_END,
};

WK_COMMAND(top, .summary = "show the processes of the session again and again",
           .usage = "top [options]", .std = "procps 4.0.2", .opts = top_options,
           .opts_size = sizeof(struct top_opts));
