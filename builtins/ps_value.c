/* ps_value.c - what the columns of ps show of a process, and the order of processes by it */
#include "base/utf8.h"
#include "builtins/fsops.h"
#include "builtins/ps.h"

enum { DAY = 86400 };

/* ---- times */

static uint64_t cpu_seconds(const struct wk_procinfo *p)
{
    return (p->utime + p->stime) / WK_PROC_HZ;
}

static uint64_t age_ticks(const struct ps *s, const struct wk_procinfo *p)
{
    return s->table.uptime_cs > p->start ? s->table.uptime_cs - p->start : 0;
}

static int64_t start_second(const struct ps *s, const struct wk_procinfo *p)
{
    return s->table.boot + (int64_t)(p->start / WK_PROC_HZ);
}

static void put_clock(struct wk_buf *b, uint64_t t, bool hours)
{
    if (t >= DAY)
        wk_buf_fmt(b, "%llu-", (unsigned long long)(t / DAY));
    if (hours || t >= 3600)
        wk_buf_fmt(b, "%02u:", (unsigned)(t / 3600 % 24));
    wk_buf_fmt(b, "%02u:%02u", (unsigned)(t / 60 % 60), (unsigned)(t % 60));
}

/* The time of a start by one of two formats: of today, or earlier. */
static void put_start(struct ps *s, const struct wk_procinfo *p, struct wk_str today,
                      struct wk_str earlier)
{
    int64_t then = start_second(s, p) * 1000000000;
    bool recent = age_ticks(s, p) < (uint64_t)DAY * WK_PROC_HZ;
    wk_zone_text(s->c, s->text, s->zone, recent ? today : earlier, then);
}

/* STIME: of the same calendar day, or of the same year. */
static void put_stime(struct ps *s, const struct wk_procinfo *p)
{
    struct wk_buf *b = s->text;
    int64_t then = start_second(s, p) * 1000000000;
    wk_zone_text(s->c, b, s->zone, WK_STR("%Y %j"), wk_cmd_now(s->c));
    char *now = wk_dup(s->c, wk_buf_c(b));
    wk_zone_text(s->c, b, s->zone, WK_STR("%Y %j"), then);
    bool day = strcmp(now, wk_buf_c(b)) == 0, year = strncmp(now, wk_buf_c(b), 4) == 0;
    wk_heap_free(s->c->heap, now);
    wk_zone_text(s->c, b, s->zone,
                 day    ? WK_STR("%H:%M")
                 : year ? WK_STR("%b%d")
                        : WK_STR("%Y"),
                 then);
}

/* ---- commands */

/* Bytes as they may stand on a line: n of them, a NUL or newline between words. */
static void put_visible(struct ps *s, const char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned char ch = (unsigned char)p[i];
        size_t len = 1;
        if (ch == '\0' || ch == '\n') {
            wk_buf_putc(s->text, ' ');
        } else if (ch < 32 || ch == 127) {
            wk_buf_putc(s->text, s->utf8 ? '?' : '.');
        } else if (ch < 128) {
            wk_buf_putc(s->text, (char)ch);
        } else {
            uint32_t code;
            len = wk_char_next(!s->utf8, p + i, n - i, &code);
            if (!wk_utf8_is_bad(code) && wk_utf8_width(code) > 0)
                wk_buf_put(s->text, p + i, len);
            else
                wk_buf_putc(s->text, '?');
        }
        i += len;
        wk_tick(s->c, 1);
    }
}

static void put_environment(struct ps *s, const struct wk_procinfo *p)
{
    size_t n;
    char *text = wk_proc_file(s->c, p->pid, "environ", &n);
    if (n) {
        wk_buf_putc(s->text, ' ');
        put_visible(s, text, n - 1);
    }
    wk_heap_free(s->c->heap, text);
}

static void put_args(struct ps *s, const struct wk_procinfo *p, bool short_form)
{
    bool zombie = p->state == 'Z';
    bool brackets = !short_form && (zombie || !p->args_n);
    if (s->prefix)
        wk_buf_put_c(s->text, s->prefix);
    if (brackets)
        wk_buf_putc(s->text, '[');
    if (short_form || brackets)
        put_visible(s, p->comm, strlen(p->comm));
    else
        put_visible(s, p->args, p->args_n - 1);
    if (brackets)
        wk_buf_putc(s->text, ']');
    if (zombie && !short_form)
        wk_buf_put_c(s->text, " <defunct>");
    else if (s->environment && !short_form)
        put_environment(s, p);
}

/* ---- the rest */

static void put_tenths(struct wk_buf *b, uint64_t tenths)
{
    tenths = WK_MIN(tenths, (uint64_t)9999);
    if (tenths > 999)
        wk_buf_put_u64(b, tenths / 10);
    else
        wk_buf_fmt(b, "%llu.%llu", (unsigned long long)(tenths / 10),
                   (unsigned long long)(tenths % 10));
}

static uint64_t cpu_tenths(const struct ps *s, const struct wk_procinfo *p)
{
    uint64_t age = age_ticks(s, p);
    return age ? (p->utime + p->stime) * 1000 / age : 0;
}

static uint64_t memory_tenths(const struct ps *s, const struct wk_procinfo *p)
{
    return s->table.memory_kib ? WK_MIN(p->rss * 4 * 1000 / s->table.memory_kib, (uint64_t)999) : 0;
}

static void put_stat(struct wk_buf *b, const struct wk_procinfo *p)
{
    wk_buf_putc(b, p->state);
    if (p->nice)
        wk_buf_putc(b, p->nice < 0 ? '<' : 'N');
    if (p->sid == p->pid)
        wk_buf_putc(b, 's');
    if (p->threads > 1)
        wk_buf_putc(b, 'l');
    if (p->tpgid == (int32_t)p->pgid)
        wk_buf_putc(b, '+');
}

static void put_name(struct ps *s, bool group, uint32_t id)
{
    const char *name = group ? wk_group_name(s->names, id) : wk_user_name(s->names, id);
    if (name)
        put_visible(s, name, strlen(name));
    else
        wk_buf_put_u64(s->text, id);
}

static void put_wchan(struct ps *s, const struct wk_procinfo *p)
{
    size_t n;
    char *text = wk_proc_file(s->c, p->pid, "wchan", &n);
    wk_buf_put_c(s->text, !n || strcmp(text, "0") == 0 ? "-" : text);
    wk_heap_free(s->c->heap, text);
}

static void put_exe(struct ps *s, const struct wk_procinfo *p)
{
    char *link, *path = wk_strf(s->c, "/proc/%u/exe", p->pid);
    if (p->state == 'Z' || wk_at_readlink(s->c, NULL, path, &link))
        wk_buf_putc(s->text, '-');
    else
        put_visible(s, link, strlen(link));
}

static const char *constant(const char *name)
{
    static const char *const texts[][2] = {{"_left", "tty7"},
                                           {"_left2", "3270/tty4"},
                                           {"_right", "59:59"},
                                           {"_right2", "999-23:59:59"},
                                           {"_unlimited", "[123456789-12345] <defunct>"},
                                           {"_unlimited2", "123456789-123456"}};
    for (size_t i = 0; i < WK_COUNTOF(texts); i++)
        if (strcmp(name, texts[i][0]) == 0)
            return texts[i][1];
    return "-";
}

/* Columns that are one number, in three parts. */
static bool id_of(enum ps_kind kind, const struct wk_procinfo *p, int64_t *v)
{
    switch (kind) {
    case PS_PID:
        *v = p->pid;
        break;
    case PS_PPID:
        *v = p->ppid;
        break;
    case PS_PGID:
        *v = p->pgid;
        break;
    case PS_SID:
        *v = p->sid;
        break;
    case PS_TPGID:
        *v = p->tpgid;
        break;
    case PS_RUID:
        *v = p->uid[0];
        break;
    case PS_EUID:
        *v = p->uid[1];
        break;
    case PS_SUID:
        *v = p->uid[2];
        break;
    case PS_FUID:
        *v = p->uid[3];
        break;
    case PS_RGID:
        *v = p->gid[0];
        break;
    case PS_EGID:
        *v = p->gid[1];
        break;
    case PS_SGID:
        *v = p->gid[2];
        break;
    case PS_FGID:
        *v = p->gid[3];
        break;
    default:
        return false;
    }
    return true;
}

static bool priority_of(enum ps_kind kind, const struct wk_procinfo *p, int64_t *v)
{
    switch (kind) {
    case PS_NICE:
        *v = p->nice;
        break;
    case PS_PRI:
        *v = 39 - p->priority;
        break;
    case PS_OPRI:
        *v = 60 + p->priority;
        break;
    case PS_PRIORITY:
        *v = p->priority;
        break;
    case PS_FOO:
        *v = p->priority - 20;
        break;
    case PS_BAR:
        *v = p->priority + 1;
        break;
    case PS_BAZ:
        *v = p->priority + 100;
        break;
    case PS_API:
        *v = -1 - p->priority;
        break;
    default:
        return false;
    }
    return true;
}

static bool number_of(const struct ps *s, enum ps_kind kind, const struct wk_procinfo *p,
                      int64_t *v)
{
    switch (kind) {
    case PS_UTIL:
        *v = (int64_t)WK_MIN(cpu_tenths(s, p) / 10, (uint64_t)99);
        break;
    case PS_TIMES:
        *v = (int64_t)cpu_seconds(p);
        break;
    case PS_ETIMES:
        *v = (int64_t)(age_ticks(s, p) / WK_PROC_HZ);
        break;
    case PS_VSZ:
        *v = (int64_t)(p->vsize / 1024);
        break;
    case PS_VBYTES:
        *v = (int64_t)p->vsize;
        break;
    case PS_SZ:
        *v = (int64_t)(p->vsize / 4096);
        break;
    case PS_RSS:
        *v = (int64_t)(p->rss * 4);
        break;
    case PS_FLAGS:
        *v = (int64_t)(p->flags >> 6 & 7);
        break;
    case PS_THREADS:
        *v = p->threads;
        break;
    case PS_MINFLT:
        *v = (int64_t)p->minflt;
        break;
    case PS_MAJFLT:
        *v = (int64_t)p->majflt;
        break;
    case PS_ZERO:
        *v = 0;
        break;
    default:
        return id_of(kind, p, v) || priority_of(kind, p, v);
    }
    return true;
}

static void put_time(struct ps *s, enum ps_kind kind, const struct wk_procinfo *p)
{
    switch (kind) {
    case PS_TIME:
        put_clock(s->text, cpu_seconds(p), true);
        break;
    case PS_BSDTIME:
        wk_buf_fmt(s->text, "%3u:%02u", (unsigned)(cpu_seconds(p) / 60),
                   (unsigned)(cpu_seconds(p) % 60));
        break;
    case PS_ETIME:
        put_clock(s->text, age_ticks(s, p) / WK_PROC_HZ, false);
        break;
    case PS_BSDSTART:
        put_start(s, p, WK_STR(" %H:%M"), WK_STR("%b %d"));
        break;
    case PS_START:
        put_start(s, p, WK_STR("%H:%M:%S"), WK_STR("  %b %d"));
        break;
    case PS_LSTART:
        wk_zone_text(s->c, s->text, s->zone, WK_STR("%a %b %e %H:%M:%S %Y"),
                     start_second(s, p) * 1000000000);
        break;
    default:
        put_stime(s, p);
        break;
    }
}

static void put_mask(struct wk_buf *b, uint64_t mask)
{
    wk_buf_fmt(b, "%016llx", (unsigned long long)mask);
}

static bool put_owner(struct ps *s, enum ps_kind kind, const struct wk_procinfo *p)
{
    switch (kind) {
    case PS_RUSER:
        put_name(s, false, p->uid[0]);
        break;
    case PS_EUSER:
        put_name(s, false, p->uid[1]);
        break;
    case PS_SUSER:
        put_name(s, false, p->uid[2]);
        break;
    case PS_FUSER:
        put_name(s, false, p->uid[3]);
        break;
    case PS_RGROUP:
        put_name(s, true, p->gid[0]);
        break;
    case PS_EGROUP:
        put_name(s, true, p->gid[1]);
        break;
    case PS_SGROUP:
        put_name(s, true, p->gid[2]);
        break;
    case PS_FGROUP:
        put_name(s, true, p->gid[3]);
        break;
    default:
        return false;
    }
    return true;
}

static bool put_word(struct wk_buf *b, enum ps_kind kind, const struct wk_procinfo *p)
{
    switch (kind) {
    case PS_CLASS:
        wk_buf_put_c(b, "TS");
        break;
    case PS_HEX0:
        put_mask(b, 0);
        break;
    case PS_PENDING:
        put_mask(b, p->pending);
        break;
    case PS_BLOCKED:
        put_mask(b, p->blocked);
        break;
    case PS_IGNORED:
        put_mask(b, p->ignored);
        break;
    case PS_CAUGHT:
        put_mask(b, p->caught);
        break;
    case PS_LIM:
        wk_buf_put_c(b, "xx");
        break;
    case PS_PROCESSOR:
        wk_buf_putc(b, p->state == 'R' ? '0' : '*');
        break;
    case PS_DASH:
        wk_buf_putc(b, '-');
        break;
    default:
        return false;
    }
    return true;
}

static void put_text(struct ps *s, const struct ps_column *col, const struct wk_procinfo *p)
{
    struct wk_buf *b = s->text;
    switch (col->spec->kind) {
    case PS_ARGS:
        put_args(s, p, col->short_form);
        break;
    case PS_COMM:
        wk_buf_put_c(b, s->prefix ? s->prefix : "");
        put_visible(s, p->comm, strlen(p->comm));
        break;
    case PS_FNAME:
        put_visible(s, p->comm, WK_MIN(strlen(p->comm), (size_t)8));
        break;
    case PS_EXE:
        put_exe(s, p);
        break;
    case PS_STATE:
        wk_buf_putc(b, p->state);
        break;
    case PS_STAT:
        put_stat(b, p);
        break;
    case PS_PCPU:
        put_tenths(b, cpu_tenths(s, p));
        break;
    case PS_MILLI:
        wk_buf_fmt(b, "%llu.%03llu", (unsigned long long)(cpu_tenths(s, p) / 10),
                   (unsigned long long)(cpu_tenths(s, p) % 10 * 100));
        break;
    case PS_PMEM:
        put_tenths(b, memory_tenths(s, p));
        break;
    case PS_TTY:
        wk_buf_put_c(b, wk_proc_tty(s->c, p->tty));
        break;
    case PS_WCHAN:
        put_wchan(s, p);
        break;
    case PS_CONST:
        wk_buf_put_c(b, constant(col->spec->name));
        break;
    default:
        if (!put_owner(s, col->spec->kind, p) && !put_word(b, col->spec->kind, p))
            put_time(s, col->spec->kind, p);
        break;
    }
}

void wk_ps_value(struct ps *s, const struct ps_column *col, const struct wk_procinfo *p)
{
    int64_t v;
    wk_buf_reset(s->text);
    if (number_of(s, col->spec->kind, p, &v)) {
        if (col->spec->kind == PS_UTIL) /* stands in its columns by itself */
            wk_buf_fill(s->text, ' ', col->spec->width - (v > 9 ? 2 : 1));
        wk_buf_put_i64(s->text, v);
    } else {
        put_text(s, col, p);
    }
}

/* ---- order */

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int wk_ps_compare(struct ps *s, enum ps_kind kind, const struct wk_procinfo *a,
                  const struct wk_procinfo *b)
{
    int64_t x, y;
    if (number_of(s, kind, a, &x) && number_of(s, kind, b, &y))
        return by_number(x, y);
    switch (kind) {
    case PS_TIME:
    case PS_BSDTIME:
    case PS_PCPU:
    case PS_MILLI:
        return by_number((int64_t)(a->utime + a->stime), (int64_t)(b->utime + b->stime));
    case PS_ETIME:
        return by_number((int64_t)b->start, (int64_t)a->start);
    case PS_START:
    case PS_BSDSTART:
    case PS_STIME:
    case PS_LSTART:
        return by_number((int64_t)a->start, (int64_t)b->start);
    case PS_PMEM:
        return by_number((int64_t)a->rss, (int64_t)b->rss);
    case PS_TTY:
        return by_number(a->tty, b->tty);
    default:
        break;
    }
    struct ps_spec spec = {"", "", 0, 0, kind};
    struct ps_column col = {.spec = &spec};
    const char *prefix = s->prefix;
    s->prefix = NULL;
    wk_ps_value(s, &col, a);
    char *first = wk_dup(s->c, wk_buf_c(s->text));
    wk_ps_value(s, &col, b);
    int order = strcmp(first, wk_buf_c(s->text));
    wk_heap_free(s->c->heap, first);
    s->prefix = prefix;
    return order;
}
