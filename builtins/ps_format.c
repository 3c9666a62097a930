/* ps_format.c - columns of ps: those that have names, those of the ready-made formats, sort keys */
#include "builtins/ps.h"

#include "base/num.h"

/* In order of name. */
static const struct ps_spec specs[] = {
    {"%cpu", "%CPU", 4, RIGHT, PS_PCPU},
    {"%mem", "%MEM", 4, RIGHT | OF_PROCESS, PS_PMEM},
    {"_left", "LLLLLLLL", 8, 0, PS_CONST},
    {"_left2", "L2L2L2L2", 8, 0, PS_CONST},
    {"_right", "RRRRRRRRRRR", 11, RIGHT, PS_CONST},
    {"_right2", "R2R2R2R2R2R", 11, RIGHT, PS_CONST},
    {"_unlimited", "U", 16, UNLIMITED, PS_CONST},
    {"_unlimited2", "U2", 16, UNLIMITED, PS_CONST},
    {"ag_id", "AGID", 5, RIGHT, PS_DASH},
    {"ag_nice", "AGNI", 4, RIGHT, PS_DASH},
    {"args", "COMMAND", 27, UNLIMITED | OF_PROCESS, PS_ARGS},
    {"atime", "TIME", 8, RIGHT, PS_TIME},
    {"blocked", "BLOCKED", 16, RIGHT | OF_THREAD, PS_BLOCKED},
    {"bsdstart", "START", 6, RIGHT, PS_BSDSTART},
    {"bsdtime", "TIME", 6, RIGHT, PS_BSDTIME},
    {"c", "C", 2, RIGHT, PS_UTIL},
    {"caught", "CAUGHT", 16, RIGHT | OF_THREAD, PS_CAUGHT},
    {"cgname", "CGNAME", 27, UNLIMITED | OF_PROCESS, PS_DASH},
    {"cgroup", "CGROUP", 27, UNLIMITED | OF_PROCESS, PS_DASH},
    {"cgroupns", "CGROUPNS", 10, RIGHT, PS_DASH},
    {"class", "CLS", 3, OF_THREAD, PS_CLASS},
    {"cls", "CLS", 3, RIGHT | OF_THREAD, PS_CLASS},
    {"cmd", "CMD", 27, UNLIMITED | OF_PROCESS, PS_ARGS},
    {"comm", "COMMAND", 15, OF_PROCESS, PS_COMM},
    {"command", "COMMAND", 27, UNLIMITED | OF_PROCESS, PS_ARGS},
    {"context", "CONTEXT", 31, 0, PS_DASH},
    {"cp", "CP", 3, RIGHT, PS_UTIL},
    {"cpuid", "CPUID", 5, RIGHT | OF_THREAD, PS_ZERO},
    {"cputime", "TIME", 8, RIGHT, PS_TIME},
    {"cputimes", "TIME", 8, RIGHT, PS_TIMES},
    {"cuc", "%CUC", 7, RIGHT, PS_MILLI},
    {"cuu", "%CUU", 6, RIGHT, PS_MILLI},
    {"drs", "DRS", 5, RIGHT | OF_PROCESS, PS_VSZ},
    {"dsiz", "DSIZ", 4, RIGHT | OF_PROCESS, PS_VSZ},
    {"egid", "EGID", 5, RIGHT, PS_EGID},
    {"egroup", "EGROUP", 8, 0, PS_EGROUP},
    {"eip", "EIP", 16, RIGHT | OF_THREAD, PS_HEX0},
    {"esp", "ESP", 16, RIGHT | OF_THREAD, PS_HEX0},
    {"etime", "ELAPSED", 11, RIGHT, PS_ETIME},
    {"etimes", "ELAPSED", 7, RIGHT, PS_ETIMES},
    {"euid", "EUID", 5, RIGHT, PS_EUID},
    {"euser", "EUSER", 8, 0, PS_EUSER},
    {"exe", "EXE", 27, UNLIMITED | OF_PROCESS, PS_EXE},
    {"f", "F", 1, 0, PS_FLAGS},
    {"fgid", "FGID", 5, RIGHT, PS_FGID},
    {"fgroup", "FGROUP", 8, 0, PS_FGROUP},
    {"flag", "F", 1, 0, PS_FLAGS},
    {"flags", "F", 1, 0, PS_FLAGS},
    {"fname", "COMMAND", 8, OF_PROCESS, PS_FNAME},
    {"fsgid", "FSGID", 5, RIGHT, PS_FGID},
    {"fsgroup", "FSGROUP", 8, 0, PS_FGROUP},
    {"fsuid", "FSUID", 5, RIGHT, PS_FUID},
    {"fsuser", "FSUSER", 8, 0, PS_FUSER},
    {"fuid", "FUID", 5, RIGHT, PS_FUID},
    {"fuser", "FUSER", 8, 0, PS_FUSER},
    {"gid", "GID", 5, RIGHT, PS_EGID},
    {"group", "GROUP", 8, 0, PS_EGROUP},
    {"ignored", "IGNORED", 16, RIGHT | OF_THREAD, PS_IGNORED},
    {"intpri", "PRI", 3, RIGHT | OF_THREAD, PS_OPRI},
    {"ipcns", "IPCNS", 10, RIGHT, PS_DASH},
    {"label", "LABEL", 31, 0, PS_DASH},
    {"lastcpu", "C", 3, RIGHT | OF_THREAD, PS_ZERO},
    {"lim", "LIM", 5, RIGHT, PS_LIM},
    {"longtname", "TTY", 8, OF_PROCESS, PS_TTY},
    {"lsession", "SESSION", 11, 0, PS_DASH},
    {"lstart", "STARTED", 24, RIGHT, PS_LSTART},
    {"luid", "LUID", 5, RIGHT, PS_DASH},
    {"lwp", "LWP", 5, RIGHT | PID_WIDTH | OF_THREAD, PS_PID},
    {"lxc", "LXC", 8, 0, PS_DASH},
    {"m_drs", "DRS", 5, RIGHT | OF_PROCESS, PS_VSZ},
    {"m_size", "SIZE", 5, RIGHT | OF_PROCESS, PS_VBYTES},
    {"m_trs", "TRS", 5, RIGHT | OF_PROCESS, PS_ZERO},
    {"machine", "MACHINE", 31, 0, PS_DASH},
    {"maj_flt", "MAJFL", 6, RIGHT, PS_MAJFLT},
    {"majflt", "MAJFLT", 6, RIGHT, PS_MAJFLT},
    {"min_flt", "MINFL", 6, RIGHT, PS_MINFLT},
    {"minflt", "MINFLT", 6, RIGHT, PS_MINFLT},
    {"mntns", "MNTNS", 10, RIGHT, PS_DASH},
    {"netns", "NETNS", 10, RIGHT, PS_DASH},
    {"ni", "NI", 3, RIGHT | OF_THREAD, PS_NICE},
    {"nice", "NI", 3, RIGHT | OF_THREAD, PS_NICE},
    {"nlwp", "NLWP", 4, RIGHT | OF_PROCESS, PS_THREADS},
    {"numa", "NUMA", 4, RIGHT, PS_ZERO},
    {"oom", "OOM", 4, RIGHT | OF_THREAD, PS_ZERO},
    {"oomadj", "OOMADJ", 5, RIGHT | OF_THREAD, PS_ZERO},
    {"opri", "PRI", 3, RIGHT | OF_THREAD, PS_OPRI},
    {"ouid", "OWNER", 5, 0, PS_DASH},
    {"pagein", "PAGEIN", 6, RIGHT, PS_MAJFLT},
    {"pcpu", "%CPU", 4, RIGHT, PS_PCPU},
    {"pending", "PENDING", 16, RIGHT, PS_PENDING},
    {"pgid", "PGID", 5, RIGHT | PID_WIDTH | OF_PROCESS, PS_PGID},
    {"pgrp", "PGRP", 5, RIGHT | PID_WIDTH | OF_PROCESS, PS_PGID},
    {"pid", "PID", 5, RIGHT | PID_WIDTH | OF_PROCESS, PS_PID},
    {"pidns", "PIDNS", 10, RIGHT, PS_DASH},
    {"pmem", "%MEM", 4, RIGHT | OF_PROCESS, PS_PMEM},
    {"policy", "POL", 3, OF_THREAD, PS_CLASS},
    {"ppid", "PPID", 5, RIGHT | PID_WIDTH | OF_PROCESS, PS_PPID},
    {"pri", "PRI", 3, RIGHT | OF_THREAD, PS_PRI},
    {"pri_api", "API", 3, RIGHT | OF_THREAD, PS_API},
    {"pri_bar", "BAR", 3, RIGHT | OF_THREAD, PS_BAR},
    {"pri_baz", "BAZ", 3, RIGHT | OF_THREAD, PS_BAZ},
    {"pri_foo", "FOO", 3, RIGHT | OF_THREAD, PS_FOO},
    {"priority", "PRI", 3, RIGHT | OF_THREAD, PS_PRIORITY},
    {"psr", "PSR", 3, RIGHT | OF_THREAD, PS_ZERO},
    {"pss", "PSS", 5, RIGHT | OF_PROCESS, PS_RSS},
    {"rbytes", "RBYTES", 5, RIGHT | OF_THREAD, PS_ZERO},
    {"rchars", "RCHARS", 5, RIGHT | OF_THREAD, PS_ZERO},
    {"rgid", "RGID", 5, RIGHT, PS_RGID},
    {"rgroup", "RGROUP", 8, 0, PS_RGROUP},
    {"rops", "ROPS", 5, RIGHT | OF_THREAD, PS_ZERO},
    {"rss", "RSS", 5, RIGHT | OF_PROCESS, PS_RSS},
    {"rssize", "RSS", 5, RIGHT | OF_PROCESS, PS_RSS},
    {"rsz", "RSZ", 5, RIGHT | OF_PROCESS, PS_RSS},
    {"rtprio", "RTPRIO", 6, RIGHT, PS_DASH},
    {"ruid", "RUID", 5, RIGHT, PS_RUID},
    {"ruser", "RUSER", 8, 0, PS_RUSER},
    {"s", "S", 1, OF_THREAD, PS_STATE},
    {"sched", "SCH", 3, RIGHT | OF_THREAD, PS_ZERO},
    {"seat", "SEAT", 11, 0, PS_DASH},
    {"sess", "SESS", 5, RIGHT | PID_WIDTH | OF_PROCESS, PS_SID},
    {"session", "SESS", 5, RIGHT | PID_WIDTH | OF_PROCESS, PS_SID},
    {"sgi_p", "P", 1, OF_THREAD, PS_PROCESSOR},
    {"sgi_rss", "RSS", 4, OF_PROCESS, PS_RSS},
    {"sgid", "SGID", 5, RIGHT, PS_SGID},
    {"sgroup", "SGROUP", 8, 0, PS_SGROUP},
    {"sid", "SID", 5, RIGHT | PID_WIDTH | OF_PROCESS, PS_SID},
    {"sig", "PENDING", 16, RIGHT, PS_PENDING},
    {"sig_block", "BLOCKED", 16, RIGHT | OF_THREAD, PS_BLOCKED},
    {"sig_catch", "CATCHED", 16, RIGHT | OF_THREAD, PS_CAUGHT},
    {"sig_ignore", "IGNORED", 16, RIGHT | OF_THREAD, PS_IGNORED},
    {"sig_pend", "SIGNAL", 16, RIGHT, PS_PENDING},
    {"sigcatch", "CAUGHT", 16, RIGHT | OF_THREAD, PS_CAUGHT},
    {"sigignore", "IGNORED", 16, RIGHT | OF_THREAD, PS_IGNORED},
    {"sigmask", "BLOCKED", 16, RIGHT | OF_THREAD, PS_BLOCKED},
    {"size", "SIZE", 5, RIGHT | OF_PROCESS, PS_VSZ},
    {"slice", "SLICE", 31, 0, PS_DASH},
    {"spid", "SPID", 5, RIGHT | PID_WIDTH | OF_THREAD, PS_PID},
    {"stackp", "STACKP", 16, RIGHT | OF_PROCESS, PS_HEX0},
    {"start", "STARTED", 8, RIGHT, PS_START},
    {"start_stack", "STACKP", 16, RIGHT | OF_PROCESS, PS_HEX0},
    {"start_time", "START", 5, 0, PS_STIME},
    {"stat", "STAT", 4, OF_THREAD, PS_STAT},
    {"state", "S", 1, OF_THREAD, PS_STATE},
    {"stime", "STIME", 5, 0, PS_STIME},
    {"suid", "SUID", 5, RIGHT, PS_SUID},
    {"supgid", "SUPGID", 20, 0, PS_DASH},
    {"supgrp", "SUPGRP", 40, 0, PS_DASH},
    {"suser", "SUSER", 8, 0, PS_SUSER},
    {"svgid", "SVGID", 5, RIGHT, PS_SGID},
    {"svgroup", "SVGROUP", 8, 0, PS_SGROUP},
    {"svuid", "SVUID", 5, RIGHT, PS_SUID},
    {"svuser", "SVUSER", 8, 0, PS_SUSER},
    {"sz", "SZ", 5, RIGHT | OF_PROCESS, PS_SZ},
    {"tgid", "TGID", 5, RIGHT | PID_WIDTH | OF_PROCESS, PS_PID},
    {"thcount", "THCNT", 5, RIGHT | OF_PROCESS, PS_THREADS},
    {"tid", "TID", 5, RIGHT | PID_WIDTH | OF_THREAD, PS_PID},
    {"time", "TIME", 8, RIGHT, PS_TIME},
    {"timens", "TIMENS", 10, RIGHT, PS_DASH},
    {"times", "TIME", 8, RIGHT, PS_TIMES},
    {"tname", "TTY", 8, OF_PROCESS, PS_TTY},
    {"tpgid", "TPGID", 5, RIGHT | PID_WIDTH | OF_PROCESS, PS_TPGID},
    {"trs", "TRS", 4, RIGHT | OF_PROCESS, PS_ZERO},
    {"trss", "TRSS", 4, RIGHT | OF_PROCESS, PS_ZERO},
    {"tsig", "PENDING", 16, RIGHT, PS_PENDING},
    {"tsiz", "TSIZ", 4, RIGHT | OF_PROCESS, PS_ZERO},
    {"tt", "TT", 8, OF_PROCESS, PS_TTY},
    {"tty", "TT", 8, OF_PROCESS, PS_TTY},
    {"tty4", "TTY", 4, OF_PROCESS, PS_TTY},
    {"tty8", "TTY", 8, OF_PROCESS, PS_TTY},
    {"ucmd", "CMD", 15, OF_PROCESS, PS_COMM},
    {"ucomm", "COMMAND", 15, OF_PROCESS, PS_COMM},
    {"uid", "UID", 5, RIGHT, PS_EUID},
    {"uid_hack", "UID", 8, 0, PS_EUSER},
    {"uname", "USER", 8, 0, PS_EUSER},
    {"unit", "UNIT", 31, 0, PS_DASH},
    {"user", "USER", 8, 0, PS_EUSER},
    {"userns", "USERNS", 10, RIGHT, PS_DASH},
    {"uss", "USS", 5, RIGHT | OF_PROCESS, PS_RSS},
    {"util", "C", 2, RIGHT, PS_UTIL},
    {"utsns", "UTSNS", 10, RIGHT, PS_DASH},
    {"uunit", "UUNIT", 31, 0, PS_DASH},
    {"vsize", "VSZ", 6, RIGHT | OF_PROCESS, PS_VSZ},
    {"vsz", "VSZ", 6, RIGHT | OF_PROCESS, PS_VSZ},
    {"wbytes", "WBYTES", 5, RIGHT | OF_THREAD, PS_ZERO},
    {"wcbytes", "WCBYTES", 5, RIGHT | OF_THREAD, PS_ZERO},
    {"wchan", "WCHAN", 6, OF_THREAD, PS_WCHAN},
    {"wchars", "WCHARS", 5, RIGHT | OF_THREAD, PS_ZERO},
    {"wname", "WCHAN", 6, OF_THREAD, PS_WCHAN},
    {"wops", "WOPS", 5, RIGHT | OF_THREAD, PS_ZERO},
    {"zone", "ZONE", 31, 0, PS_DASH},
};

/* Only in ready-made formats. */
static const struct ps_spec addr = {"addr", "ADDR", 1, 0, PS_DASH};
static const struct ps_spec timeout = {"tmout", "TMOUT", 5, RIGHT, PS_DASH};
static const struct ps_spec alarm_ = {"alarm", "ALARM", 5, RIGHT, PS_DASH};

const struct ps_spec *wk_ps_spec_at(size_t i)
{
    return i < WK_COUNTOF(specs) ? &specs[i] : NULL;
}

const struct ps_spec *wk_ps_find(const char *name, size_t n)
{
    size_t lo = 0, hi = WK_COUNTOF(specs);
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        int order = wk_str_cmp(wk_str(name, n), wk_str_c(specs[mid].name));
        if (order == 0)
            return &specs[mid];
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

static size_t pid_digits(struct ps *s)
{
    size_t n;
    const char *text = wk_proc_text(s->c, "/proc/sys/kernel/pid_max", &n);
    return WK_MAX(strspn(text, "0123456789"), (size_t)5);
}

static void add_spec(struct ps *s, const struct ps_spec *f, const char *header, size_t width)
{
    if (s->ncolumns % 16 == 0)
        s->columns = (struct ps_column *)wk_heap_realloc(s->c->heap, s->columns,
                                                         (s->ncolumns + 16) * sizeof *s->columns);
    bool mask = f->kind == PS_PENDING || f->kind == PS_BLOCKED || f->kind == PS_IGNORED ||
                f->kind == PS_CAUGHT;
    if (!width || mask) {
        width = f->flags & PID_WIDTH ? s->pid_width : f->width;
        width = header ? WK_MAX(width, strlen(header)) : width;
    }
    s->columns[s->ncolumns++] = (struct ps_column){f, header ? header : f->header, width, false};
}

void wk_ps_add_column(struct ps *s, const char *name, const char *header, size_t width)
{
    if (!s->pid_width)
        s->pid_width = pid_digits(s);
    const struct ps_spec *f = wk_ps_find(name, strlen(name));
    if (f)
        add_spec(s, f, header, width);
}

/* ---- lists of names */

/* "%p%c": one letter a column. */
static const char *add_aix(struct ps *s, const char *text)
{
    static const struct {
        char letter;
        const char *name;
    } letters[] = {{'C', "pcpu"},  {'G', "group"},  {'P', "ppid"}, {'U', "user"}, {'a', "args"},
                   {'c', "comm"},  {'g', "rgroup"}, {'n', "nice"}, {'p', "pid"},  {'r', "pgid"},
                   {'t', "etime"}, {'u', "ruser"},  {'x', "time"}, {'y', "tty"},  {'z', "vsz"}};
    s->aix = true;
    for (const char *p = text; *p; p += 2) {
        p += *p == ' ' && p != text;
        if (*p != '%')
            return "improper AIX field descriptor";
        if (!p[1] || p[1] == '%')
            return "missing AIX field descriptor";
        size_t i = 0;
        while (i < WK_COUNTOF(letters) && letters[i].letter != p[1])
            i++;
        if (i == WK_COUNTOF(letters))
            return "unknown AIX field descriptor";
        wk_ps_add_column(s, letters[i].name, p[1] == 'y' ? "TTY" : NULL, p[1] == 'y' ? 8 : 0);
    }
    return NULL;
}

/* "NAME[:WIDTH][=HEADER]" of n bytes. */
static const char *add_item(struct ps *s, const char *p, size_t n)
{
    const char *equal = memchr(p, '=', n);
    size_t len = equal ? (size_t)(equal - p) : n;
    const char *colon = memchr(p, ':', len);
    uint64_t width = 0;
    if (colon) {
        struct wk_str digits = wk_str(colon + 1, len - (size_t)(colon + 1 - p));
        int r = wk_parse_u64(digits, 10, &width);
        if (!digits.n || (r && r != -WK_ERANGE) || !width)
            return "column widths must be unsigned decimal numbers";
        width = WK_MIN(width, (uint64_t)PS_WIDTH_MAX);
        len = (size_t)(colon - p);
    }
    const struct ps_spec *f = wk_ps_find(p, len);
    if (!f)
        return wk_strf(s->c, "unknown user-defined format specifier \"%.*s\"",
                       (int)WK_MIN(len, (size_t)4096), p);
    wk_ps_add_column(s, f->name,
                     equal ? wk_dupn(s->c, equal + 1, n - (size_t)(equal + 1 - p)) : NULL,
                     (size_t)width);
    return NULL;
}

static const char *add_names(struct ps *s, const char *text)
{
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, ", \t\n");
        if (!n)
            return "improper format list";
        const char *wrong = add_item(s, p, n);
        if (wrong)
            return wrong;
        p += n + (p[n] != '\0');
        wk_tick(s->c, 2);
    }
    return NULL;
}

const char *wk_ps_add_format(struct ps *s, const char *text)
{
    size_t columns = s->ncolumns;
    const char *wrong = add_names(s, text);
    if (!wrong || text[strcspn(text, "%=")] != '%')
        return wrong;
    s->ncolumns = columns;
    return add_aix(s, text);
}

/* ---- sorting */

static void add_key(struct ps *s, enum ps_kind kind, bool reverse)
{
    if (s->nkeys % 16 == 0)
        s->keys = (struct ps_key *)wk_heap_realloc(s->c->heap, s->keys,
                                                   (s->nkeys + 16) * sizeof *s->keys);
    s->keys[s->nkeys++] = (struct ps_key){kind, reverse};
}

const char *wk_ps_add_sort(struct ps *s, const char *text)
{
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, ", ");
        bool sign = n && (*p == '+' || *p == '-');
        if (!n)
            return "improper sort list";
        const struct ps_spec *f = wk_ps_find(p + sign, n - sign);
        if (!f)
            return "unknown sort specifier";
        add_key(s, f->kind, *p == '-');
        p += n + (p[n] != '\0');
    }
    return NULL;
}

const char *wk_ps_add_codes(struct ps *s, const char *text)
{
    static const char letters[] = "cfgjkmnoprstuvyCGJKMNPRSTU";
    static const enum ps_kind kinds[] = {
        PS_COMM, PS_FLAGS,  PS_PGID,   PS_TIME,  PS_TIME, PS_MINFLT,   PS_MINFLT, PS_SID,   PS_PID,
        PS_RSS,  PS_VSZ,    PS_TTY,    PS_EUSER, PS_VSZ,  PS_PRIORITY, PS_PCPU,   PS_TPGID, PS_TIME,
        PS_TIME, PS_MAJFLT, PS_MAJFLT, PS_PPID,  PS_RSS,  PS_VSZ,      PS_ETIME,  PS_EUID};
    bool seen[sizeof letters] = {false}, reverse = false;
    for (const char *p = text; *p; p++) {
        if (*p == '+' || *p == '-') {
            reverse = *p == '-';
            continue;
        }
        const char *at = strchr(letters, *p);
        if (!at || seen[at - letters])
            return "bad sorting code";
        seen[at - letters] = true;
        add_key(s, kinds[at - letters], reverse);
        reverse = false;
    }
    return NULL;
}

/* ---- ready-made formats */

static void add(struct ps *s, const char *name)
{
    wk_ps_add_column(s, name, NULL, 0);
}

static void add_command(struct ps *s, const char *header)
{
    bool args = s->bsd_format || s->bsd || s->context || s->format & (FULL | EXTRA);
    wk_ps_add_column(s, args ? "args" : "cmd", header, 0);
    s->columns[s->ncolumns - 1].short_form = !args;
}

static void add_long(struct ps *s)
{
    if (!(s->format & CLASSES)) {
        add(s, "opri");
        add(s, "ni");
    }
    if (s->format & NO_FLAGS)
        add(s, "rss");
    else
        add_spec(s, &addr, NULL, 0);
    add(s, "sz");
    add(s, "wchan");
}

/* Those of the first style: each option adds its columns at their places. */
static void general(struct ps *s)
{
    unsigned f = s->format;
    bool full = f & (FULL | EXTRA), full_or_long = full || f & LONG;
    if (f & LONG) {
        if (!(f & NO_FLAGS))
            add(s, "f");
        add(s, "s");
    }
    if (full)
        add(s, "uid_hack");
    else if (f & LONG)
        add(s, "uid");
    add(s, "pid");
    if (f & SPIDS)
        add(s, "spid");
    if (full_or_long)
        add(s, "ppid");
    if (f & JOBS) {
        add(s, "pgid");
        add(s, "sid");
    }
    if (f & LWPS)
        add(s, "lwp");
    if (f & CPUS)
        add(s, "psr");
    if (f & CLASSES && f & LWPS && full)
        add(s, "nlwp");
    if (f & CLASSES) {
        add(s, "class");
        add(s, "pri");
    } else if (full_or_long) {
        add(s, "c");
    }
    if (!(f & CLASSES) && f & LWPS && full)
        add(s, "nlwp");
    if (f & LONG)
        add_long(s);
    if (f & EXTRA && !(f & LONG))
        add(s, "sz");
    if (f & EXTRA && !(f & LONG && f & NO_FLAGS))
        add(s, "rss");
    if (f & EXTRA && !(f & CPUS))
        add(s, "psr");
    if (full)
        add(s, "stime");
    add(s, "tname");
    if (s->bsd && !(f & LONG))
        add(s, "stat");
    add(s, s->bsd ? "bsdtime" : "time");
    add_command(s, s->bsd && !full_or_long ? "COMMAND" : "CMD");
}

/* What -j, -L and -T add behind a column of a format of the second style. */
static void add_behind(struct ps *s, const char *name)
{
    bool pid = strcmp(name, "pid") == 0, ppid = strcmp(name, "ppid") == 0,
         sid = strcmp(name, "sid") == 0;
    bool l = s->bsd_format == 'l', j = s->bsd_format == 'j';
    if (pid && s->format & SPIDS)
        add(s, "spid");
    if (s->format & JOBS && ((l || j) ? ppid : pid)) {
        add(s, "pgid");
        add(s, "sid");
    }
    if (s->format & LWPS && (j ? sid : l ? ppid : pid))
        add(s, "lwp");
    if (s->format & LWPS && strcmp(name, "pcpu") == 0)
        add(s, "nlwp");
}

static void ready_made(struct ps *s)
{
    static const struct {
        char letter;
        const char *columns;
    } formats[] = {
        {'u', "user pid pcpu pmem vsz rss tname stat start_time bsdtime"},
        {'l', "f uid pid ppid priority ni vsz rss wchan stat tname bsdtime"},
        {'j', "ppid pid pgid sid tname tpgid stat uid bsdtime"},
        {'v', "pid tname stat bsdtime maj_flt m_trs m_drs rss pmem"},
        {'s', "uid pid pending blocked ignored caught stat tname bsdtime"},
        {'X', "pid stackp esp eip tmout alarm stat tname bsdtime"},
    };
    size_t i = 0;
    while (formats[i].letter != s->bsd_format)
        i++;
    for (const char *p = formats[i].columns; *p;) {
        size_t n = strcspn(p, " ");
        const char *name = wk_dupn(s->c, p, n);
        if (strcmp(name, "tmout") == 0)
            add_spec(s, &timeout, NULL, 0);
        else if (strcmp(name, "alarm") == 0)
            add_spec(s, &alarm_, NULL, 0);
        else if (strcmp(name, "f") != 0 || !(s->format & NO_FLAGS))
            add(s, name);
        add_behind(s, name);
        p += n + (p[n] == ' ');
    }
    add_command(s, "COMMAND");
}

/* Numbers instead of names, and no arguments, where the options say so. */
static void adjust(struct ps *s)
{
    static const struct ps_spec number = {"user", "USER", 8, RIGHT, PS_EUID};
    static const struct ps_spec where = {"wchan", "WCHAN", 6, RIGHT | OF_THREAD, PS_WCHAN};
    for (size_t i = 0; i < s->ncolumns; i++) {
        struct ps_column *col = &s->columns[i];
        if (col->spec->kind == PS_ARGS && s->comm_only)
            col->short_form = true;
        if (s->numeric && col->spec->kind == PS_EUSER)
            col->spec = &number;
        else if (s->numeric && col->spec->kind == PS_WCHAN)
            col->spec = &where;
    }
}

void wk_ps_format(struct ps *s)
{
    if (!s->own && s->format & LABELS)
        add(s, "label");
    if (s->context && !s->own) {
        add(s, "pid");
        if (s->format & JOBS) {
            add(s, "pgid");
            add(s, "sid");
        }
        if (s->format & LWPS)
            add(s, "lwp");
        add(s, "context");
        add_command(s, "COMMAND");
    } else if (s->bsd_format) {
        ready_made(s);
    } else if (!s->own) {
        general(s);
    }
    adjust(s);
}
