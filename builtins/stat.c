/* stat.c - file and file system status
 *
 * Standard: GNU coreutils 9.1. Oracle: stat.
 */
#include "base/num.h"
#include "builtins/choice.h"
#include "builtins/fsops.h"
#include "builtins/idnames.h"
#include "builtins/quoting.h"
#include "builtins/zone.h"

struct stat_opts {
    bool follow, file_system, terse;
    const char *cached, *format, *printf;
};

static const struct wk_opt stat_options[] = {
    WK_FLAG(struct stat_opts, follow, 'L', "dereference", "follow links"),
    WK_FLAG(struct stat_opts, file_system, 'f', "file-system",
            "display file system status instead of file status"),
    WK_STR_OPT(struct stat_opts, cached, 0, "cached", "MODE",
               "specify how to use cached attributes (no effect)"),
    WK_STR_OPT(struct stat_opts, format, 'c', "format", "FORMAT",
               "use the specified FORMAT instead of the default;\noutput a newline after each use of "
               "FORMAT"),
    WK_STR_OPT(struct stat_opts, printf, 0, "printf", "FORMAT",
               "like --format, but interpret backslash escapes,\nand do not output a mandatory "
               "trailing newline"),
    WK_FLAG(struct stat_opts, terse, 't', "terse", "print the information in terse form"),
    WK_OPTS_END,
};

/* One directive: flags, width, precision. */
struct spec {
    bool minus, zero, plus, blank, alt, bare; /* bare: nothing of all this */
    size_t width, odd; /* odd: flags that mean nothing to a text */
    int prec; /* -1: none; -2: a dot alone, which is nine digits of seconds and 0 of all else */
};

struct stat_state {
    struct wk_cmd *c;
    const struct stat_opts *o;
    struct wk_idnames *ids;
    const struct wk_tz *tz;
    struct wk_buf *text;
    const char *path;
    struct wk_stat st;
    struct wk_statfs fs;
};

static void pad(struct wk_cmd *c, char ch, size_t n)
{
    while (n-- > 0)
        wk_out_char(c->out, ch);
}

static void put_str(struct stat_state *s, const struct spec *k, const char *p, size_t n)
{
    if (k->prec == -2)
        n = 0;
    if (k->prec >= 0 && (size_t)k->prec < n)
        n = (size_t)k->prec;
    size_t fill = n < k->width ? k->width - n : 0;
    if (!k->minus)
        pad(s->c, ' ', fill);
    wk_out_put(s->c->out, p, n);
    if (k->minus)
        pad(s->c, ' ', fill);
}

/* Digits with printf's rules for a sign, precision and zeros. */
static void put_digits(struct stat_state *s, const struct spec *k, char sign, const char *front,
                       const char *digits, size_t n, bool keep_zero)
{
    if (n == 1 && *digits == '0' && (k->prec == 0 || k->prec == -2) && !keep_zero)
        n = 0;
    size_t zeros = k->prec > 0 && (size_t)k->prec > n ? (size_t)k->prec - n : 0;
    if (zeros && front[0] == '0' && !front[1]) /* an octal number has its zero then */
        front = "";
    size_t front_n = strlen(front), total = (sign != 0) + front_n + zeros + n;
    size_t fill = total < k->width ? k->width - total : 0;
    bool with_zeros = k->zero && !k->minus && k->prec == -1;
    if (!k->minus && !with_zeros)
        pad(s->c, ' ', fill);
    if (sign)
        wk_out_char(s->c->out, sign);
    wk_out_put(s->c->out, front, front_n);
    pad(s->c, '0', zeros + (with_zeros ? fill : 0));
    wk_out_put(s->c->out, digits, n);
    if (k->minus)
        pad(s->c, ' ', fill);
}

static void put_u64(struct stat_state *s, const struct spec *k, uint64_t v, unsigned base)
{
    char text[WK_NUM_MAX];
    size_t n = wk_fmt_u64(text, v, base);
    const char *front = k->alt && v ? base == 8 ? "0" : base == 16 ? "0x" : "" : "";
    put_digits(s, k, 0, front, text, n, k->alt && base == 8);
}

/* The one number that is signed and so takes + and blank. */
static void put_size(struct stat_state *s, const struct spec *k)
{
    char text[WK_NUM_MAX];
    size_t n = wk_fmt_u64(text, s->st.size, 10);
    put_digits(s, k, k->plus ? '+' : k->blank ? ' ' : 0, "", text, n, false);
}

/* Below 1970 the seconds and the fraction have one sign; the fraction is cut at the precision first. */
static void split_seconds(struct wk_instant *t, int32_t unit, bool *minus, uint64_t *whole, int32_t *fraction)
{
    *fraction = t->nsec / unit;
    *minus = t->sec < 0;
    if (*minus && t->nsec) {
        *fraction = 1000000000 / unit - *fraction - (t->nsec % unit != 0);
        t->sec += *fraction != 0;
    }
    *whole = *minus ? 0 - (uint64_t)t->sec : (uint64_t)t->sec;
}

/* Seconds, with as many digits of the fraction as the precision asks for. The width is for all of it; what of it is too
 * little for the fraction comes behind, as blanks. */
static void put_seconds(struct stat_state *s, const struct spec *k, int64_t ns)
{
    char text[WK_NUM_MAX];
    struct wk_instant t = wk_instant_of(ns);
    int64_t prec = k->prec == -2 ? 9 : k->prec < 0 ? 0 : k->prec, width = (int64_t)k->width, shown = WK_MIN(prec, 9);
    int32_t unit = 1000000000, fraction;
    bool minus;
    uint64_t whole;
    for (int64_t i = 0; i < shown; i++)
        unit /= 10;
    split_seconds(&t, unit, &minus, &whole, &fraction);
    struct spec head = *k;
    head.prec = -1;
    if (prec > 0 && width > 1) {
        bool room = width > 2 && width - 1 - prec > 1;
        head.width = room && !k->minus ? (size_t)(width - 1 - prec) : 0;
    }
    size_t n = wk_fmt_u64(text, whole, 10);
    char sign = minus ? '-' : k->plus ? '+' : k->blank ? ' ' : 0;
    put_digits(s, &head, sign, "", text, n, false);
    if (prec == 0)
        return;
    int64_t len = WK_MAX((int64_t)(n + (sign != 0)), (int64_t)head.width), zeros = prec - shown;
    n = wk_fmt_u64(text, (uint64_t)fraction, 10);
    wk_out_char(s->c->out, '.');
    pad(s->c, '0', (size_t)shown - n);
    wk_out_put(s->c->out, text, n);
    int64_t rest = width - len > 1 ? width - len - 1 - shown : 0;
    rest = rest < 0 ? -rest : rest;
    pad(s->c, '0', (size_t)zeros);
    pad(s->c, ' ', rest > zeros ? (size_t)(rest - zeros) : 0);
}

static void put_time(struct stat_state *s, const struct spec *k, int64_t ns)
{
    wk_zone_text(s->c, s->text, s->tz, WK_STR("%Y-%m-%d %H:%M:%S.%N %z"), ns);
    put_str(s, k, wk_buf_c(s->text), s->text->n);
}

/* Quoted where the directive is %N alone. */
static void put_quoted(struct stat_state *s, const struct spec *k, const char *name)
{
    const char *env = wk_cmd_env(s->c, "QUOTING_STYLE");
    int style = env ? wk_quoting_named(env) : -1;
    if (!k->bare) {
        put_str(s, k, name, strlen(name));
        return;
    }
    wk_buf_reset(s->text);
    (void)wk_quoting_put(s->text, wk_str_c(name),
                         style >= 0 ? (enum wk_quoting)style : WK_QUOTING_SHELL_ESCAPE_ALWAYS, false,
                         "");
    put_str(s, k, wk_buf_c(s->text), s->text->n);
}

static void put_name(struct stat_state *s, const struct spec *k)
{
    char *link;
    put_quoted(s, k, s->path);
    if (WK_S_ISLNK(s->st.mode) && wk_at_readlink(s->c, NULL, s->path, &link) == 0) {
        wk_out_c(s->c->out, " -> ");
        put_quoted(s, k, link);
        if (k->odd == 1) /* the real one has removed it from its format once, and takes the s of %s for a part then */
            wk_out_char(s->c->out, 's');
    }
}

/* The highest directory above that is on the same file system. */
static void put_mount(struct stat_state *s, const struct spec *k)
{
    char *path;
    struct wk_stat here = s->st, up;
    if (wk_at_realpath(s->c, s->path, WK_REALPATH_ALL, &path)) {
        put_str(s, k, "?", 1);
        return;
    }
    while (path[1]) {
        char *slash = strrchr(path, '/'), kept = slash[slash == path];
        char *cut = slash + (slash == path);
        *cut = '\0';
        if (wk_at_stat(s->c, NULL, path, true, &up) || up.dev != here.dev) {
            *cut = kept;
            if (slash != path)
                *slash = '/';
            break;
        }
    }
    put_str(s, k, path, strlen(path));
}

static uint64_t old_dev(uint64_t rdev)
{
    uint64_t major = wk_rdev_major(rdev), minor = wk_rdev_minor(rdev);
    return (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~UINT64_C(0xff)) << 12 |
           (major & ~UINT64_C(0xfff)) << 32;
}

static void put_owner(struct stat_state *s, const struct spec *k, bool user)
{
    const char *name = user ? wk_user_name(s->ids, s->st.uid) : wk_group_name(s->ids, s->st.gid);
    if (!name)
        name = "UNKNOWN";
    put_str(s, k, name, strlen(name));
}

static void put_type(struct stat_state *s, const struct spec *k)
{
    const char *words = wk_file_type_words(&s->st);
    put_str(s, k, words, strlen(words));
}

/* H or L in front: major or minor number. */
static void put_dev_part(struct stat_state *s, const struct spec *k, char part, char what)
{
    uint64_t major = what == 'r' ? wk_rdev_major(s->st.rdev) : s->st.dev >> 8;
    uint64_t minor = what == 'r' ? wk_rdev_minor(s->st.rdev) : s->st.dev & 0xff;
    put_u64(s, k, part == 'H' ? major : minor, 10);
}

static void put_birth(struct stat_state *s, const struct spec *k, bool words)
{
    if (s->st.btim == 0 && words)
        put_str(s, k, "-", 1);
    else if (words)
        put_time(s, k, s->st.btim);
    else
        put_seconds(s, k, s->st.btim);
}

static void put_context(struct stat_state *s, const struct spec *k)
{
    wk_msg(s->c, "failed to get security context of %s: %s", wk_quote(s->c, s->path),
           wk_err_text(WK_ENODATA));
    put_str(s, k, "?", 1);
}

static void put_file(struct stat_state *s, const struct spec *k, char conv)
{
    const struct wk_stat *st = &s->st;
    char mode[11];
    switch (conv) {
    case 'a': put_u64(s, k, st->mode & 07777, 8); break;
    case 'A':
        wk_mode_text(st->mode, mode);
        put_str(s, k, mode, 10);
        break;
    case 'b': put_u64(s, k, st->blocks, 10); break;
    case 'B': put_u64(s, k, 512, 10); break;
    case 'C': put_context(s, k); break;
    case 'd': put_u64(s, k, st->dev, 10); break;
    case 'D': put_u64(s, k, st->dev, 16); break;
    case 'f': put_u64(s, k, st->mode, 16); break;
    case 'F': put_type(s, k); break;
    case 'g': put_u64(s, k, st->gid, 10); break;
    case 'G': put_owner(s, k, false); break;
    case 'h': put_u64(s, k, st->nlink, 10); break;
    case 'i': put_u64(s, k, st->ino, 10); break;
    case 'm': put_mount(s, k); break;
    case 'n': put_str(s, k, s->path, strlen(s->path)); break;
    case 'N': put_name(s, k); break;
    case 'o': put_u64(s, k, st->blksize ? st->blksize : 4096, 10); break;
    case 'r': put_u64(s, k, old_dev(st->rdev), 10); break;
    case 'R': put_u64(s, k, old_dev(st->rdev), 16); break;
    case 's': put_size(s, k); break;
    case 't': put_u64(s, k, wk_rdev_major(st->rdev), 16); break;
    case 'T': put_u64(s, k, wk_rdev_minor(st->rdev), 16); break;
    case 'u': put_u64(s, k, st->uid, 10); break;
    case 'U': put_owner(s, k, true); break;
    case 'w': put_birth(s, k, true); break;
    case 'W': put_birth(s, k, false); break;
    case 'x': put_time(s, k, st->atim); break;
    case 'X': put_seconds(s, k, st->atim); break;
    case 'y': put_time(s, k, st->mtim); break;
    case 'Y': put_seconds(s, k, st->mtim); break;
    case 'z': put_time(s, k, st->ctim); break;
    case 'Z': put_seconds(s, k, st->ctim); break;
    default: wk_out_char(s->c->out, '?'); break;
    }
}

static uint64_t fs_magic(const char *type)
{
    static const struct { const char *name; uint64_t magic; } known[] = {
        {"tmpfs", 0x01021994}, {"devtmpfs", 0x01021994}, {"proc", 0x9fa0}, {"overlay", 0x794c7630},
        {"overlayfs", 0x794c7630}};
    for (size_t i = 0; i < WK_COUNTOF(known); i++)
        if (strcmp(known[i].name, type) == 0)
            return known[i].magic;
    return 0xef53;
}

static void put_fs(struct stat_state *s, const struct spec *k, char conv)
{
    const struct wk_statfs *fs = &s->fs;
    switch (conv) {
    case 'n': put_str(s, k, s->path, strlen(s->path)); break;
    case 'i': put_u64(s, k, fs->dev, 16); break;
    case 'l': put_u64(s, k, fs->name_max, 10); break;
    case 't': put_u64(s, k, fs_magic(fs->type), 16); break;
    case 'T': put_str(s, k, fs->type, strlen(fs->type)); break;
    case 'b': put_u64(s, k, fs->blocks, 10); break;
    case 'f':
    case 'a': put_u64(s, k, fs->blocks_free, 10); break;
    case 's':
    case 'S': put_u64(s, k, fs->block_size, 10); break;
    case 'c': put_u64(s, k, fs->inodes, 10); break;
    case 'd': put_u64(s, k, fs->inodes_free, 10); break;
    default: wk_out_char(s->c->out, '?'); break;
    }
}

static const char *read_spec(const char *p, struct spec *k)
{
    *k = (struct spec){.prec = -1};
    for (;; p++) {
        if (*p == '-')
            k->minus = true;
        else if (*p == '0')
            k->zero = true;
        else if (*p == '+')
            k->plus = true;
        else if (*p == ' ')
            k->blank = true;
        else if (*p == '#')
            k->alt = true;
        else if (*p != '\'' && *p != 'I')
            break;
        k->odd += *p != '-' && *p != '\'';
    }
    uint64_t v;
    int err;
    if (wk_is_digit(*p)) {
        p += wk_scan_u64(wk_str_c(p), 10, &v, &err);
        k->width = v > 1 << 20 ? 1 << 20 : (size_t)v;
    }
    if (*p == '.') {
        p++;
        k->prec = -2;
        if (wk_is_digit(*p)) {
            p += wk_scan_u64(wk_str_c(p), 10, &v, &err);
            k->prec = v > 1 << 20 ? 1 << 20 : (int)v;
        }
    }
    return p;
}

/* One backslash escape of --printf, p after the backslash. */
static const char *put_escape(struct stat_state *s, const char *p)
{
    static const char from[] = "abefnrtv\"\\", to[] = "\a\b\033\f\n\r\t\v\"\\";
    struct wk_out *out = s->c->out;
    const char *at = *p ? strchr(from, *p) : NULL;
    unsigned v = 0;
    if (!*p) {
        (void)wk_out_flush(out);
        wk_out_fmt(s->c->err, "%s: warning: backslash at end of format\n", s->c->name);
        wk_out_char(out, '\\');
        return p;
    }
    if (*p >= '0' && *p <= '7') {
        for (int i = 0; i < 3 && *p >= '0' && *p <= '7'; i++)
            v = v * 8 + (unsigned)(*p++ - '0');
        wk_out_char(out, (char)v);
        return p;
    }
    if (*p == 'x' && wk_is_xdigit(p[1])) {
        p++;
        for (int i = 0; i < 2 && wk_is_xdigit(*p); i++, p++)
            v = v * 16 + (unsigned)(wk_is_digit(*p) ? *p - '0' : (*p | 32) - 'a' + 10);
        wk_out_char(out, (char)v);
        return p;
    }
    if (!at)
        (void)wk_out_flush(out);
    if (!at)
        wk_out_fmt(s->c->err, "%s: warning: unrecognized escape '\\%c'\n", s->c->name, *p);
    wk_out_char(out, at ? to[at - from] : *p);
    return p + 1;
}

static void put_format(struct stat_state *s, const char *format, bool escapes)
{
    for (const char *p = format; *p;) {
        if (*p == '\\' && escapes) {
            p = put_escape(s, p + 1);
            continue;
        }
        if (*p != '%') {
            wk_out_char(s->c->out, *p++);
            continue;
        }
        struct spec k;
        const char *start = p;
        p = read_spec(p + 1, &k);
        k.bare = p == start + 1;
        if (!*p || *p == '%') {
            if (!k.bare)
                wk_fail(s->c, 1, "%s: invalid directive",
                        wk_quote_arg(s->c, wk_dupn(s->c, start, (size_t)(p - start) + (*p == '%'))));
            wk_out_char(s->c->out, '%');
            p += *p == '%';
            continue;
        }
        if (!s->o->file_system && (*p == 'H' || *p == 'L') && (p[1] == 'd' || p[1] == 'r')) {
            put_dev_part(s, &k, *p, p[1]);
            p += 2;
            continue;
        }
        if (s->o->file_system)
            put_fs(s, &k, *p);
        else
            put_file(s, &k, *p);
        p++;
    }
}

static const char *default_format(const struct stat_state *s)
{
    if (s->o->file_system && s->o->terse)
        return "%n %i %l %t %s %S %b %f %a %c %d\n";
    if (s->o->file_system)
        return "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\n"
               "Block size: %-10s Fundamental block size: %S\n"
               "Blocks: Total: %-10b Free: %-10f Available: %a\n"
               "Inodes: Total: %-10c Free: %d\n";
    if (s->o->terse)
        return "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
    bool device = WK_S_ISCHR(s->st.mode) || WK_S_ISBLK(s->st.mode);
#define STAT_HEAD "  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-10i  Links: "
#define STAT_TAIL                                                                        \
    "\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\n" \
    "Change: %z\n Birth: %w\n"
    return device ? STAT_HEAD "%-5h Device type: %Hr,%Lr" STAT_TAIL : STAT_HEAD "%h" STAT_TAIL;
}

/* "f -> target" without quotes, as the default output names links. */
static void put_file_line(struct stat_state *s)
{
    wk_buf_reset(s->text);
    char *link;
    wk_buf_put_c(s->text, wk_quote_maybe(s->c, s->path));
    if (WK_S_ISLNK(s->st.mode) && wk_at_readlink(s->c, NULL, s->path, &link) == 0) {
        wk_buf_put_c(s->text, " -> ");
        wk_buf_put_c(s->text, wk_quote_maybe(s->c, link));
    }
    wk_out_fmt(s->c->out, "  File: %s\n", wk_buf_c(s->text));
}

static int look(struct stat_state *s, const char *path)
{
    struct wk_cmd *c = s->c;
    if (s->o->file_system) {
        int r;
        while ((r = wk_vfs_statfs(c->k->vfs, &c->proc->cred, c->proc->cwd, wk_str_c(path), &s->fs)) ==
               -WK_EAGAIN)
            wk_cmd_sleep(c, 1000000);
        return -r;
    }
    if (strcmp(path, "-") == 0)
        return c->in && c->in->file ? -wk_file_stat(c->in->file, &s->st) : WK_EBADF;
    return wk_at_stat(c, NULL, path, s->o->follow, &s->st);
}

static int stat_main(struct wk_cmd *c)
{
    static const struct wk_choice modes[] = {{"default", 0}, {"never", 1}, {"always", 2}, {NULL, 0}};
    const struct stat_opts *o = (const struct stat_opts *)c->opts;
    if (o->cached)
        (void)wk_choice_read(c, "--cached", o->cached, modes);
    if (c->nargs == 0)
        wk_usage(c, "missing operand");
    struct stat_state s = {.c = c, .o = o, .ids = wk_idnames_new(c), .tz = wk_zone_of(c),
                           .text = wk_cmd_buf(c, 1 << 20)};
    const char *style = wk_cmd_env(c, "QUOTING_STYLE"), *asked = o->printf ? o->printf : o->format;
    if (style && wk_quoting_named(style) < 0 && asked && strstr(asked, "%N"))
        wk_out_fmt(c->err, "%s: ignoring invalid value of environment variable QUOTING_STYLE: %s\n", c->name,
                   wk_quote_arg(c, style));
    for (int i = 0; i < c->nargs; i++) {
        s.path = c->args[i];
        if (o->file_system && strcmp(s.path, "-") == 0) {
            wk_msg(c, "using %s to denote standard input does not work in file system mode",
                   wk_quote(c, s.path));
            continue;
        }
        int err = look(&s, s.path);
        if (err) {
            if (o->file_system)
                wk_msg(c, "cannot read file system information for %s: %s", wk_quote(c, s.path),
                       wk_err_text(err));
            else
                wk_msg(c, "cannot statx %s: %s", wk_quote(c, s.path), wk_err_text(err));
            continue;
        }
        const char *format = o->printf ? o->printf : o->format;
        if (!format && !o->terse && !o->file_system)
            put_file_line(&s);
        put_format(&s, format ? format : default_format(&s), o->printf && !o->format);
        if (format && !o->printf)
            wk_out_char(c->out, '\n');
    }
    return c->status;
}

WK_COMMAND(stat, .summary = "display file or file system status",
           .usage = "stat [OPTION]... FILE...", .std = "coreutils 9.1", .opts = stat_options,
           .opts_size = sizeof(struct stat_opts),
           .help = "Directives for files: %a %A %b %B %C %d %D %f %F %g %G %h %i %m %n %N %o %r %R %s\n"
                   "%t %T %u %U %w %W %x %X %y %Y %z %Z, %Hd %Ld %Hr %Lr; for file systems (-f):\n"
                   "%a %b %c %d %f %i %l %n %s %S %t %T.\n");
