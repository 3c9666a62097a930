/* procfs.c - the small /proc: contents are made when a file is opened */
#include "kern/procfs.h"

#include "kern/command.h"
#include "kern/sched.h"
#include "vfs/fs_ops.h"
#include "vfs/mount.h"

/* Handles: what | pid << 8 | descriptor << 40 (make_id); pid 0 for the machine's own files. */
enum what {
    IN_ROOT,
    IN_SELF,
    IN_VERSION,
    IN_UPTIME,
    IN_MEMINFO,
    IN_CPUINFO,
    IN_LOADAVG,
    IN_STAT,
    IN_MOUNTS,
    IN_FILESYSTEMS,
    IN_SYS,
    IN_SYS_KERNEL,
    IN_HOSTNAME,
    IN_OSTYPE,
    IN_OSRELEASE,
    IN_PID_MAX,
    IN_RANDOM,
    IN_UUID,
    IN_BOOT_ID,
    IN_PROC,
    IN_CMDLINE,
    IN_COMM,
    IN_ENVIRON,
    IN_PSTAT,
    IN_STATUS,
    IN_STATM,
    IN_WCHAN,
    IN_CWD,
    IN_EXE,
    IN_PROOT,
    IN_OUTPUT,
    IN_FD,
    IN_FD_N
};

struct entry {
    enum what dir, what;
    const char *name;
    uint32_t type;
};

static const struct entry entries[] = {
    {IN_ROOT, IN_SELF, "self", WK_S_IFLNK},
    {IN_ROOT, IN_VERSION, "version", WK_S_IFREG},
    {IN_ROOT, IN_UPTIME, "uptime", WK_S_IFREG},
    {IN_ROOT, IN_MEMINFO, "meminfo", WK_S_IFREG},
    {IN_ROOT, IN_CPUINFO, "cpuinfo", WK_S_IFREG},
    {IN_ROOT, IN_LOADAVG, "loadavg", WK_S_IFREG},
    {IN_ROOT, IN_STAT, "stat", WK_S_IFREG},
    {IN_ROOT, IN_MOUNTS, "mounts", WK_S_IFREG},
    {IN_ROOT, IN_FILESYSTEMS, "filesystems", WK_S_IFREG},
    {IN_ROOT, IN_SYS, "sys", WK_S_IFDIR},
    {IN_SYS, IN_SYS_KERNEL, "kernel", WK_S_IFDIR},
    {IN_SYS_KERNEL, IN_HOSTNAME, "hostname", WK_S_IFREG},
    {IN_SYS_KERNEL, IN_OSTYPE, "ostype", WK_S_IFREG},
    {IN_SYS_KERNEL, IN_OSRELEASE, "osrelease", WK_S_IFREG},
    {IN_SYS_KERNEL, IN_PID_MAX, "pid_max", WK_S_IFREG},
    {IN_SYS_KERNEL, IN_RANDOM, "random", WK_S_IFDIR},
    {IN_RANDOM, IN_UUID, "uuid", WK_S_IFREG},
    {IN_RANDOM, IN_BOOT_ID, "boot_id", WK_S_IFREG},
    {IN_PROC, IN_CMDLINE, "cmdline", WK_S_IFREG},
    {IN_PROC, IN_COMM, "comm", WK_S_IFREG},
    {IN_PROC, IN_ENVIRON, "environ", WK_S_IFREG},
    {IN_PROC, IN_PSTAT, "stat", WK_S_IFREG},
    {IN_PROC, IN_STATUS, "status", WK_S_IFREG},
    {IN_PROC, IN_STATM, "statm", WK_S_IFREG},
    {IN_PROC, IN_WCHAN, "wchan", WK_S_IFREG},
    {IN_PROC, IN_CWD, "cwd", WK_S_IFLNK},
    {IN_PROC, IN_EXE, "exe", WK_S_IFLNK},
    {IN_PROC, IN_PROOT, "root", WK_S_IFLNK},
    {IN_PROC, IN_OUTPUT, "output", WK_S_IFREG},
    {IN_PROC, IN_FD, "fd", WK_S_IFDIR},
};

struct procfs {
    struct wk_fs fs;
    struct wk_kern *k;
};

static struct wk_kern *kern_of(struct wk_fs *fs)
{
    return WK_CONTAINER_OF(fs, struct procfs, fs)->k;
}

static uint64_t make_id(enum what what, uint32_t pid, uint32_t fd)
{
    return (uint64_t)fd << 40 | (uint64_t)pid << 8 | (uint64_t)what;
}
static enum what what_of(uint64_t id)
{
    return (enum what)(id & 0xff);
}
static uint32_t pid_of(uint64_t id)
{
    return (uint32_t)(id >> 8);
}
static uint32_t fd_of(uint64_t id)
{
    return (uint32_t)(id >> 40);
}

static struct wk_proc *proc_of(struct wk_fs *fs, uint64_t id)
{
    return wk_proc_find(kern_of(fs), pid_of(id) & 0xffffff);
}

static bool parse_number(struct wk_str s, uint32_t *out)
{
    uint32_t v = 0;
    if (!s.n || s.n > 8 || (s.p[0] == '0' && s.n > 1))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!wk_is_digit((unsigned char)s.p[i]))
            return false;
        v = v * 10 + (uint32_t)(s.p[i] - '0');
    }
    *out = v;
    return true;
}

static uint32_t type_of(enum what what)
{
    if (what == IN_ROOT || what == IN_PROC)
        return WK_S_IFDIR;
    if (what == IN_FD_N)
        return WK_S_IFLNK;
    for (size_t i = 0; i < WK_COUNTOF(entries); i++)
        if (entries[i].what == what)
            return entries[i].type;
    return WK_S_IFREG;
}

static int lookup(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                  struct wk_str name, uint64_t *id, uint32_t *type)
{
    enum what in = what_of(dir->id);
    uint32_t pid = pid_of(dir->id) & 0xffffff, n;
    (void)cred;
    if (in == IN_ROOT && parse_number(name, &n)) {
        if (!wk_proc_find(kern_of(fs), n))
            return -WK_ENOENT;
        *id = make_id(IN_PROC, n, 0);
        *type = WK_S_IFDIR;
        return 0;
    }
    if (in == IN_FD) {
        struct wk_proc *p = wk_proc_find(kern_of(fs), pid);
        if (!parse_number(name, &n) || n > 65535 || !p || !p->fds || !wk_fd_get(p->fds, (int)n))
            return -WK_ENOENT;
        *id = make_id(IN_FD_N, pid, n);
        *type = WK_S_IFLNK;
        return 0;
    }
    for (size_t i = 0; i < WK_COUNTOF(entries); i++)
        if (entries[i].dir == in && wk_str_is(name, entries[i].name)) {
            *id = make_id(entries[i].what, pid, 0);
            *type = entries[i].type;
            return 0;
        }
    return -WK_ENOENT;
}

static int getattr(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                   struct wk_stat *st)
{
    struct wk_kern *k = kern_of(fs);
    enum what w = what_of(n->id);
    uint32_t type = type_of(w);
    struct wk_proc *p = w >= IN_PROC ? proc_of(fs, n->id) : NULL;
    (void)cred;
    if (w >= IN_PROC && !p)
        return -WK_ENOENT;
    int64_t now = wk_clock_realtime(&k->clock);
    *st = (struct wk_stat){.ino = n->id + 1,
                           .nlink = type == WK_S_IFDIR ? 2 : 1,
                           .blksize = 1024,
                           .mode = type | (type == WK_S_IFDIR   ? 0555
                                           : type == WK_S_IFLNK ? 0777
                                                                : 0444),
                           .atim = now,
                           .mtim = now,
                           .ctim = now,
                           .btim = now};
    if (p) {
        st->uid = p->cred.uid;
        st->gid = p->cred.gid;
    }
    if (w == IN_ENVIRON)
        st->mode = WK_S_IFREG | 0400;
    return 0;
}

/* ---- links
 * ----------------------------------------------------------------------------------------------------
 */

static void describe_file(struct wk_buf *b, const struct wk_file *f)
{
    if (f->name)
        wk_buf_put_c(b, f->name);
    else if (f->kind == WK_FILE_PIPE_R || f->kind == WK_FILE_PIPE_W || f->kind == WK_FILE_CAPTURE)
        wk_buf_fmt(b, "pipe:[%llu]", (unsigned long long)((uintptr_t)f->obj >> 6 & 0xfffff));
    else if (f->is_tty)
        wk_buf_put_c(b, "/dev/tty");
    else
        wk_buf_fmt(b, "anon_inode:[%u]", f->kind);
}

static int readlink_(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n,
                     struct wk_buf *out)
{
    const struct wk_proc *caller = cred->caller;
    struct wk_proc *p = what_of(n->id) >= IN_PROC ? proc_of(fs, n->id) : NULL;
    switch (what_of(n->id)) {
    case IN_SELF:
        wk_buf_put_u64(out, caller ? caller->pid : 1);
        break;
    case IN_CWD:
        if (!p)
            return -WK_ENOENT;
        return wk_vdir_path(p->cwd, out);
    case IN_PROOT:
        wk_buf_putc(out, '/');
        break;
    case IN_EXE:
        wk_buf_fmt(out, "/usr/bin/%s", p && p->command ? p->command->name : "bash");
        break;
    case IN_FD_N: {
        struct wk_file *f = p && p->fds ? wk_fd_get(p->fds, (int)fd_of(n->id)) : NULL;
        if (!f)
            return -WK_ENOENT;
        if (caller == p) /* opening it must give the description itself */
            wk_buf_fmt(out, "/dev/fd/%u", fd_of(n->id));
        else
            describe_file(out, f);
        break;
    }
    default:
        return -WK_EINVAL;
    }
    return out->failed ? -WK_ENOMEM : 0;
}

/* ---- contents
 * ----------------------------------------------------------------------------------------------------
 */

static char state_letter(const struct wk_proc *p)
{
    if (p->state == WK_PROC_ZOMBIE)
        return 'Z';
    if (p->state == WK_PROC_STOPPED)
        return 'T';
    const struct wk_task *t = p->task;
    return !t || t->proc != p || t->state == WK_TASK_PARKED ? 'S' : 'R';
}

static const char *short_name(const struct wk_proc *p)
{
    const char *slash = p->name ? strrchr(p->name, '/') : NULL;
    return slash ? slash + 1 : p->name ? p->name : "?";
}

/* The terminal that the process's session has: the /dev/tty of a descriptor of one of its processes. */
static bool has_terminal(const struct wk_proc *p)
{
    for (size_t i = 0; i < p->k->pid_cap; i++)
        for (const struct wk_proc *q = p->k->pid_table[i]; q; q = q->hash_next)
            for (int fd = 0; q->sid == p->sid && q->fds && fd < 3; fd++) {
                const struct wk_file *f = wk_fd_get(q->fds, fd);
                if (f && f->is_tty)
                    return true;
            }
    return false;
}

/* What the process is parked for, in the words of Linux; "0": it runs. */
static const char *waits_for(const struct wk_proc *p)
{
    const struct wk_task *t = p->task;
    if (p->state == WK_PROC_STOPPED)
        return "do_signal_stop";
    if (!t)
        return p->state == WK_PROC_ZOMBIE ? "do_exit" : "do_wait";
    if (t->proc != p)
        return "do_wait";
    if (t->state != WK_TASK_PARKED)
        return "0";
    if (t->waiter.queue == &p->child_changed)
        return "do_wait";
    if (t->waiter.queue)
        return "pipe_wait";
    return t->timer_slot != SIZE_MAX ? "hrtimer_nanosleep" : "do_select";
}

/* Clock ticks of 10 ms from the start of pid 1 to the process's. */
static uint64_t start_ticks(const struct wk_proc *p)
{
    const struct wk_proc *q = p;
    while (!q->began_ns && q->parent)
        q = q->parent;
    int64_t boot = p->k->init->started_ns;
    return q->began_ns > boot ? (uint64_t)(q->began_ns - boot) / 10000000 : 0;
}

/* The tasks share one memory: every process has the session's. */
static uint64_t pages_used(const struct wk_proc *p)
{
    return p->state == WK_PROC_ZOMBIE ? 0 : (p->k->mem->used + 4095) / 4096;
}

static void put_status(struct wk_buf *b, const struct wk_proc *p)
{
    static const char *const words[] = {"R (running)", "S (sleeping)", "T (stopped)", "Z (zombie)"};
    char s = state_letter(p);
    unsigned long long size = pages_used(p) * 4;
    wk_buf_fmt(
        b,
        "Name:\t%.15s\nUmask:\t%04o\nState:\t%s\nTgid:\t%u\nNgid:\t0\nPid:\t%u\nPPid:\t%u\nTracerPid:\t0\n"
        "Uid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\nFDSize:\t%u\nGroups:\t \n",
        short_name(p), p->cred.umask,
        words[s == 'R'   ? 0
              : s == 'S' ? 1
              : s == 'T' ? 2
                         : 3],
        p->pid, p->pid, p->parent ? p->parent->pid : 0, p->cred.uid, p->cred.uid, p->cred.uid,
        p->cred.uid, p->cred.gid, p->cred.gid, p->cred.gid, p->cred.gid, p->fds ? p->fds->cap : 0);
    if (s != 'Z')
        wk_buf_fmt(b, "VmPeak:\t%8llu kB\nVmSize:\t%8llu kB\nVmRSS:\t%8llu kB\nVmData:\t%8llu kB\n", size, size,
                   size, size);
    wk_buf_fmt(b,
               "Threads:\t1\nSigPnd:\t%016llx\nShdPnd:\t%016llx\nSigBlk:\t%016llx\nSigIgn:\t%016llx\n"
               "SigCgt:\t%016llx\n",
               (unsigned long long)p->sig_pending, 0ULL, 0ULL, (unsigned long long)p->sig_ignored,
               (unsigned long long)p->sig_caught);
}

/* As proc(5) numbers the fields; what tasks do not have is 0. */
static void put_stat(struct wk_buf *b, const struct wk_proc *p)
{
    bool tty = has_terminal(p);
    unsigned long long pages = pages_used(p), cpu = (unsigned long long)p->cpu_ns / 10000000;
    wk_buf_fmt(b, "%u (%.15s) %c %u %u %u %d %d 0 0 0 0 0 %llu 0 0 0 20 0 1 0 ", p->pid, short_name(p),
               state_letter(p), p->parent ? p->parent->pid : 0, p->pgid, p->sid, tty ? 5 << 8 : 0,
               tty ? (int)p->pgid : -1, cpu);
    wk_buf_fmt(b, "%llu %llu %llu 18446744073709551615 0 0 0 0 0 ", (unsigned long long)start_ticks(p),
               pages * 4096, pages);
    wk_buf_fmt(b, "%llu 0 %llu %llu %d 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 %d\n",
               (unsigned long long)(p->sig_pending & INT32_MAX), (unsigned long long)(p->sig_ignored & INT32_MAX),
               (unsigned long long)(p->sig_caught & INT32_MAX),
               strcmp(waits_for(p), "0") != 0, p->exit.code << 8 | p->exit.signal);
}

static void put_command_line(struct wk_buf *b, const struct wk_proc *p)
{
    const struct wk_proc *q = p; /* who was forked only shows what it was forked from */
    while (p->state != WK_PROC_ZOMBIE && !wk_exec_argv(q) && !q->cmdline && q->parent && q->name == q->parent->name)
        q = q->parent;
    char *const *argv = wk_exec_argv(q);
    for (; argv && *argv; argv++)
        wk_buf_put(b, *argv, strlen(*argv) + 1);
    if (argv || p->state == WK_PROC_ZOMBIE)
        return;
    /* Blanks of the shown command line stand where the NULs between arguments would be. */
    const char *s = p->cmdline ? p->cmdline : p->name;
    for (; s && *s; s++)
        wk_buf_putc(b, *s == ' ' ? '\0' : *s);
    wk_buf_putc(b, '\0');
}

static int put_process(struct wk_buf *b, enum what w, const struct wk_proc *p)
{
    switch (w) {
    case IN_CMDLINE:
        put_command_line(b, p);
        break;
    case IN_COMM:
        wk_buf_fmt(b, "%.15s\n", short_name(p));
        break;
    case IN_ENVIRON:
        for (uint32_t i = 0; p->env && i < p->env->n; i++)
            wk_buf_put(b, p->env->v[i], strlen(p->env->v[i]) + 1);
        break;
    case IN_PSTAT:
        put_stat(b, p);
        break;
    case IN_STATM:
        wk_buf_fmt(b, "%llu %llu 0 0 0 %llu 0\n", (unsigned long long)pages_used(p), (unsigned long long)pages_used(p),
                   (unsigned long long)pages_used(p));
        break;
    case IN_WCHAN:
        wk_buf_put_c(b, waits_for(p));
        break;
    case IN_OUTPUT: /* what a job wrote after its run had ended */
        if (p->k->job_output)
            p->k->job_output(p->k, p, b);
        break;
    case IN_STATUS:
        put_status(b, p);
        break;
    default:
        return -WK_EINVAL;
    }
    return 0;
}

static void put_uuid(struct wk_kern *k, struct wk_buf *b, bool fixed)
{
    uint64_t hi = fixed ? UINT64_C(0x6b1f0f0e5ca14d2e) : wk_kern_random(k);
    uint64_t lo = fixed ? UINT64_C(0x8f3a77656c6b0001) : wk_kern_random(k);
    hi = (hi & ~UINT64_C(0xf000)) | 0x4000;
    lo = (lo & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63;
    wk_buf_fmt(b, "%08x-%04x-%04x-%04x-%012llx\n", (unsigned)(hi >> 32),
               (unsigned)(hi >> 16 & 0xffff), (unsigned)(hi & 0xffff), (unsigned)(lo >> 48),
               (unsigned long long)(lo & 0xffffffffffff));
}

static void put_mounts(struct wk_kern *k, struct wk_buf *b)
{
    struct wk_mount_info m;
    for (size_t i = 0; wk_vfs_mount_at(k->vfs, i, &m); i++)
        wk_buf_fmt(b, "%s %s %s %s 0 0\n", m.type, m.path, m.type,
                   m.flags & WK_MOUNT_RDONLY ? "ro" : "rw");
}

static void put_meminfo(struct wk_kern *k, struct wk_buf *b)
{
    uint64_t total = k->limits.memory / 1024, used = k->mem->used / 1024;
    if (total > UINT64_C(1) << 32) /* no limit that means anything */
        total = UINT64_C(1) << 23;
    uint64_t left = total > used ? total - used : 0;
    wk_buf_fmt(
        b,
        "MemTotal:       %8llu kB\nMemFree:        %8llu kB\nMemAvailable:   %8llu kB\n"
        "Buffers:               0 kB\nCached:                0 kB\nSwapTotal:             0 kB\n"
        "SwapFree:              0 kB\nShmem:                 0 kB\nSReclaimable:          0 kB\n"
        "CommitLimit:    %8llu kB\nCommitted_AS:   %8llu kB\n",
        (unsigned long long)total, (unsigned long long)left, (unsigned long long)left, (unsigned long long)total,
        (unsigned long long)(total - left));
}

static int put_machine(struct wk_kern *k, struct wk_buf *b, enum what w)
{
    int64_t up = (wk_clock_realtime(&k->clock) - k->init->started_ns) / 10000000;
    switch (w) {
    case IN_VERSION:
        wk_buf_put_c(b, "Linux version 6.1.0-whelk (whelk@whelk) #1 SMP\n");
        break;
    case IN_UPTIME:
        wk_buf_fmt(b, "%lld.%02lld %lld.%02lld\n", (long long)(up / 100), (long long)(up % 100),
                   (long long)(up / 100), (long long)(up % 100));
        break;
    case IN_MEMINFO:
        put_meminfo(k, b);
        break;
    case IN_CPUINFO:
        wk_buf_put_c(
            b, "processor\t: 0\nvendor_id\t: whelk\nmodel name\t: virtual\ncpu cores\t: 1\n\n");
        break;
    case IN_LOADAVG:
        wk_buf_fmt(b, "0.00 0.00 0.00 1/%zu %u\n", k->proc_count, k->next_pid - 1);
        break;
    case IN_STAT:
        wk_buf_fmt(b,
                   "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\nbtime %lld\nprocesses %u\n",
                   (long long)(k->init->started_ns / 1000000000), k->next_pid - 1);
        break;
    case IN_MOUNTS:
        put_mounts(k, b);
        break;
    case IN_FILESYSTEMS:
        wk_buf_put_c(b, "nodev\ttmpfs\nnodev\tproc\nnodev\tdevtmpfs\nnodev\toverlay\n");
        break;
    case IN_HOSTNAME:
        wk_buf_fmt(b, "%s\n", k->hostname);
        break;
    case IN_OSTYPE:
        wk_buf_put_c(b, "Linux\n");
        break;
    case IN_OSRELEASE:
        wk_buf_put_c(b, "6.1.0-whelk\n");
        break;
    case IN_PID_MAX:
        wk_buf_put_c(b, "4194304\n");
        break;
    case IN_UUID:
    case IN_BOOT_ID:
        put_uuid(k, b, w == IN_BOOT_ID);
        break;
    default:
        return -WK_EINVAL;
    }
    return 0;
}

struct content {
    struct wk_kern *k;
    struct wk_buf b;
    uint64_t id;
};

static int open_(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *n, uint32_t flags,
                 void **file)
{
    struct wk_kern *k = kern_of(fs);
    enum what w = what_of(n->id);
    (void)cred;
    if ((flags & WK_O_ACCMODE) != WK_O_RDONLY)
        return -WK_EACCES;
    struct content *c = WK_NEW(k->mem, struct content);
    if (!c)
        return -WK_ENOMEM;
    c->k = k;
    c->id = n->id;
    wk_buf_init(&c->b, k->mem, 1 << 24);
    struct wk_proc *p = w >= IN_PROC ? proc_of(fs, n->id) : NULL;
    int r = w < IN_PROC ? put_machine(k, &c->b, w) : p ? put_process(&c->b, w, p) : -WK_ESRCH;
    if (!r && c->b.failed)
        r = -WK_ENOMEM;
    if (r) {
        wk_buf_release(&c->b);
        wk_free(k->mem, c);
        return r;
    }
    *file = c;
    return 0;
}

static void close_(struct wk_fs *fs, void *file)
{
    struct content *c = file;
    (void)fs;
    wk_buf_release(&c->b);
    wk_free(c->k->mem, c);
}

static int64_t pread_(struct wk_fs *fs, void *file, void *dst, size_t n, int64_t off)
{
    struct content *c = file;
    (void)fs;
    if (off < 0 || (uint64_t)off >= c->b.n)
        return 0;
    n = WK_MIN(n, c->b.n - (size_t)off);
    memcpy(dst, c->b.p + off, n);
    return (int64_t)n;
}

static int fgetattr(struct wk_fs *fs, void *file, struct wk_stat *st)
{
    struct content *c = file;
    (void)fs;
    int64_t now = wk_clock_realtime(&c->k->clock);
    *st = (struct wk_stat){.ino = c->id + 1,
                           .nlink = 1,
                           .mode = WK_S_IFREG | 0444,
                           .blksize = 1024,
                           .atim = now,
                           .mtim = now,
                           .ctim = now,
                           .btim = now};
    return 0;
}

static int put_numbers(struct wk_fs *fs, uint64_t dir,
                       int (*put)(void *, struct wk_str, uint64_t, uint32_t), void *ctx)
{
    char text[24];
    bool fds = what_of(dir) == IN_FD;
    struct wk_proc *p = fds ? proc_of(fs, dir) : NULL;
    uint32_t at = 0;
    int r = 0;
    for (;;) {
        uint32_t n;
        if (fds) {
            while (p && p->fds && at < p->fds->n && !p->fds->ents[at].file)
                at++;
            if (!p || !p->fds || at >= p->fds->n)
                return r;
            n = at++;
        } else {
            struct wk_proc *q = wk_proc_next(kern_of(fs), at);
            if (!q)
                return r;
            n = at = q->pid;
        }
        size_t i = sizeof text - 1;
        text[i] = '\0';
        uint32_t v = n;
        do
            text[--i] = (char)('0' + v % 10);
        while (v /= 10);
        uint64_t id = fds ? make_id(IN_FD_N, p->pid, n) : make_id(IN_PROC, n, 0);
        r = put(ctx, wk_str(text + i, sizeof text - 1 - i), id + 1, fds ? WK_S_IFLNK : WK_S_IFDIR);
        if (r)
            return r;
    }
}

static int readdir_(struct wk_fs *fs, const struct wk_cred *cred, struct wk_fs_node *dir,
                    int (*put)(void *ctx, struct wk_str name, uint64_t ino, uint32_t type),
                    void *ctx)
{
    enum what in = what_of(dir->id);
    int r = 0;
    (void)cred;
    for (size_t i = 0; i < WK_COUNTOF(entries) && !r; i++)
        if (entries[i].dir == in)
            r = put(ctx, wk_str_c(entries[i].name),
                    make_id(entries[i].what, pid_of(dir->id), 0) + 1, entries[i].type);
    if (!r && (in == IN_ROOT || in == IN_FD))
        r = put_numbers(fs, dir->id, put, ctx);
    return r;
}

static void free_(struct wk_fs *fs)
{
    struct procfs *p = WK_CONTAINER_OF(fs, struct procfs, fs);
    wk_free(p->k->mem, p);
}

static const struct wk_fs_ops proc_ops = {.type = "proc",
                                          .free = free_,
                                          .lookup = lookup,
                                          .getattr = getattr,
                                          .readlink = readlink_,
                                          .readdir = readdir_,
                                          .open = open_,
                                          .close = close_,
                                          .pread = pread_,
                                          .fgetattr = fgetattr};

int wk_procfs_mount(struct wk_kern *k, struct wk_str path)
{
    struct procfs *p = WK_NEW(k->mem, struct procfs);
    if (!p)
        return -WK_ENOMEM;
    p->fs.ops = &proc_ops;
    p->k = k;
    int r = wk_vfs_mount(k->vfs, path, &p->fs, WK_MOUNT_RDONLY);
    if (r)
        wk_free(k->mem, p);
    return r;
}
