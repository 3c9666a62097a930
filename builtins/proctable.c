/* proctable.c - reading the table of processes from /proc */
#include "builtins/proctable.h"

#include "base/num.h"
#include "builtins/fsops.h"

char *wk_proc_text(struct wk_cmd *c, const char *path, size_t *n)
{
    struct wk_file *f;
    *n = 0;
    if (wk_cmd_open(c, path, WK_O_RDONLY, 0, &f))
        return wk_dup(c, "");
    struct wk_in *in = wk_in_of(c, f, path);
    in->owned = true;
    struct wk_str all = wk_in_all(in);
    char *text = wk_dupn(c, all.p, all.n);
    *n = all.n;
    wk_in_close(in);
    if (all.n)
        wk_heap_free(c->heap, (void *)(uintptr_t)all.p);
    return text;
}

char *wk_proc_file(struct wk_cmd *c, uint32_t pid, const char *name, size_t *n)
{
    char *path = wk_strf(c, "/proc/%u/%s", pid, name);
    char *text = wk_proc_text(c, path, n);
    wk_heap_free(c->heap, path);
    return text;
}

static const char *find_key(const char *text, const char *key)
{
    size_t n = strlen(key);
    for (const char *p = text; *p;) {
        if (strncmp(p, key, n) == 0)
            return p + n;
        const char *end = strchr(p, '\n');
        if (!end)
            break;
        p = end + 1;
    }
    return NULL;
}

static uint64_t number_at(const char **p, int base)
{
    uint64_t v = 0;
    int err;
    *p += strspn(*p, " \t");
    bool minus = **p == '-';
    *p += minus;
    *p += wk_scan_u64(wk_str_c(*p), base, &v, &err);
    return minus ? 0 - v : v;
}

uint64_t wk_proc_number(const char *text, const char *key, int base)
{
    const char *p = find_key(text, key);
    return p ? number_at(&p, base) : 0;
}

static void four_ids(const char *status, const char *key, uint32_t id[4])
{
    const char *p = find_key(status, key);
    for (int i = 0; p && i < 4; i++)
        id[i] = (uint32_t)number_at(&p, 10);
}

/* "PID (COMM) STATE …": the fields of proc(5). */
static bool read_stat(struct wk_cmd *c, struct wk_procinfo *i, const char *text)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open || close[1] != ' ' || !close[2])
        return false;
    i->comm = wk_dupn(c, open + 1, (size_t)(close - open - 1));
    i->state = close[2];
    const char *p = close + 3;
    uint64_t f[53] = {0};
    for (int at = 4; at < 53 && *p && *p != '\n'; at++)
        f[at] = number_at(&p, 10);
    i->ppid = (uint32_t)f[4];
    i->pgid = (uint32_t)f[5];
    i->sid = (uint32_t)f[6];
    i->tty = (uint32_t)f[7];
    i->tpgid = (int32_t)f[8];
    i->flags = f[9];
    i->minflt = f[10];
    i->majflt = f[12];
    i->utime = f[14];
    i->stime = f[15];
    i->priority = (int64_t)f[18];
    i->nice = (int64_t)f[19];
    i->threads = (int64_t)f[20];
    i->start = f[22];
    i->vsize = f[23];
    i->rss = f[24];
    return true;
}

static bool read_process(struct wk_cmd *c, struct wk_procinfo *i)
{
    size_t n;
    char *text = wk_proc_file(c, i->pid, "stat", &n), *status = wk_proc_file(c, i->pid, "status", &n);
    bool there = n && read_stat(c, i, text);
    wk_heap_free(c->heap, text);
    if (!there) {
        wk_heap_free(c->heap, status);
        return false;
    }
    four_ids(status, "Uid:", i->uid);
    four_ids(status, "Gid:", i->gid);
    i->pending = wk_proc_number(status, "SigPnd:", 16);
    i->blocked = wk_proc_number(status, "SigBlk:", 16);
    i->ignored = wk_proc_number(status, "SigIgn:", 16);
    i->caught = wk_proc_number(status, "SigCgt:", 16);
    wk_heap_free(c->heap, status);
    i->args = wk_proc_file(c, i->pid, "cmdline", &i->args_n);
    return true;
}

struct listing {
    struct wk_vlist *l;
};

static void close_listing(void *obj)
{
    wk_vlist_close(((struct listing *)obj)->l);
}

/* The pids, ascending. */
static uint32_t *list_pids(struct wk_cmd *c, size_t *n)
{
    struct listing *l = wk_new(c, struct listing);
    struct wk_dirent e;
    uint32_t *v = NULL;
    size_t cap = 0;
    *n = 0;
    wk_heap_own(c->heap, l, close_listing);
    if (wk_at_list(c, NULL, "/proc", &l->l))
        return NULL;
    while (wk_vlist_next(l->l, &e) == 1) {
        uint64_t pid;
        if (!wk_is_digit((unsigned char)e.name.p[0]) || wk_parse_u64(e.name, 10, &pid) != 0 || pid > UINT32_MAX)
            continue;
        if (*n == cap) {
            cap = cap ? cap * 2 : 16;
            v = (uint32_t *)wk_heap_realloc(c->heap, v, cap * sizeof *v);
        }
        size_t at = (*n)++;
        for (; at && v[at - 1] > pid; at--) /* the listing goes by text: few are out of place */
            v[at] = v[at - 1];
        v[at] = (uint32_t)pid;
        wk_tick(c, 2);
    }
    wk_vlist_close(l->l);
    l->l = NULL;
    return v;
}

void wk_proctable_read(struct wk_cmd *c, struct wk_proctable *t)
{
    size_t n, len;
    uint32_t *pids = list_pids(c, &n);
    if (!n)
        wk_fail(c, 1, "/proc is not mounted");
    *t = (struct wk_proctable){.v = wk_new_n(c, struct wk_procinfo, n)};
    for (size_t i = 0; i < n; i++) {
        struct wk_procinfo *p = &t->v[t->n];
        *p = (struct wk_procinfo){.pid = pids[i]};
        t->n += read_process(c, p);
        wk_tick(c, 10);
    }
    wk_heap_free(c->heap, pids);
    char *up = wk_proc_text(c, "/proc/uptime", &len), *stat = wk_proc_text(c, "/proc/stat", &len),
         *memory = wk_proc_text(c, "/proc/meminfo", &len);
    const char *at = up;
    t->uptime_cs = number_at(&at, 10) * WK_PROC_HZ;
    if (at[0] == '.' && wk_is_digit(at[1]) && wk_is_digit(at[2]))
        t->uptime_cs += (uint64_t)(at[1] - '0') * 10 + (uint64_t)(at[2] - '0');
    t->boot = (int64_t)wk_proc_number(stat, "btime", 10);
    t->memory_kib = wk_proc_kib(memory, "MemTotal:");
    wk_heap_free(c->heap, up);
    wk_heap_free(c->heap, stat);
    wk_heap_free(c->heap, memory);
}

void wk_proctable_release(struct wk_cmd *c, struct wk_proctable *t)
{
    for (size_t i = 0; i < t->n; i++) {
        wk_heap_free(c->heap, t->v[i].comm);
        wk_heap_free(c->heap, t->v[i].args);
    }
    wk_heap_free(c->heap, t->v);
    t->v = NULL;
    t->n = 0;
}

const char *wk_proc_tty(struct wk_cmd *c, uint32_t dev)
{
    uint32_t major = dev >> 8 & 0xfff, minor = (dev & 0xff) | (dev >> 12 & 0xfff00);
    if (!dev)
        return "?";
    if (major == 5)
        return minor == 0 ? "tty" : minor == 1 ? "console" : "ptmx";
    if (major >= 136 && major < 144)
        return wk_strf(c, "pts/%u", (major - 136) * 256 + minor);
    return wk_strf(c, "%u,%u", major, minor);
}
