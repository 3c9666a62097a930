/* find_print.c - output of find: -print, -printf, -ls */
#include "base/fnum.h"
#include "base/num.h"
#include "builtins/find.h"
#include "builtins/quoting.h"

bool wk_find_print(struct wk_find *f, struct wk_find_pred *p)
{
    struct wk_out *out = p->out;
    if (out->file && out->file->is_tty) {
        wk_buf_reset(f->text);
        (void)wk_quoting_put(f->text, wk_str(f->t->path, f->t->path_n), WK_QUOTING_LITERAL, true, "");
        wk_out_put(out, wk_buf_c(f->text), f->text->n);
    } else {
        wk_out_put(out, f->t->path, f->t->path_n);
    }
    wk_out_char(out, '\n');
    return true;
}

bool wk_find_print0(struct wk_find *f, struct wk_find_pred *p)
{
    wk_out_put(p->out, f->t->path, f->t->path_n + 1);
    return true;
}

bool wk_find_ls(struct wk_find *f, struct wk_find_pred *p)
{
    struct wk_cmd *c = f->c;
    struct wk_out *out = p->out;
    if (!wk_find_stat(f))
        return true;
    const struct wk_stat *st = &f->st;
    char mode[11];
    wk_mode_text(st->mode, mode);
    wk_out_fmt(out, "%9llu %6llu %s %3u ", (unsigned long long)st->ino,
               (unsigned long long)((st->blocks + 1) / 2), mode, st->nlink);
    const char *user = wk_user_name(f->ids, st->uid), *group = wk_group_name(f->ids, st->gid);
    if (user)
        wk_out_fmt(out, "%-8s ", user);
    else
        wk_out_fmt(out, "%-8u ", st->uid);
    if (group)
        wk_out_fmt(out, "%-8s ", group);
    else
        wk_out_fmt(out, "%-8u ", st->gid);
    if (WK_S_ISCHR(st->mode) || WK_S_ISBLK(st->mode))
        wk_out_fmt(out, "%3u, %3u", wk_rdev_major(st->rdev), wk_rdev_minor(st->rdev));
    else
        wk_out_fmt(out, "%8llu", (unsigned long long)st->size);
    int64_t half_year = INT64_C(31556952) / 2 * 1000000000;
    bool recent = st->mtim > f->now - half_year && st->mtim <= f->now + INT64_C(3600000000000);
    wk_zone_text(c, f->text, f->tz, recent ? WK_STR(" %b %e %H:%M ") : WK_STR(" %b %e  %Y "), st->mtim);
    wk_out_put(out, wk_buf_c(f->text), f->text->n);
    wk_buf_reset(f->text);
    (void)wk_quoting_put(f->text, wk_str(f->t->path, f->t->path_n), WK_QUOTING_ESCAPE, false, " \"");
    char *link;
    if (WK_S_ISLNK(st->mode) && !wk_at_readlink(c, wk_ftw_dir(f->t), wk_ftw_name(f->t), &link)) {
        wk_buf_put_c(f->text, " -> ");
        (void)wk_quoting_put(f->text, wk_str_c(link), WK_QUOTING_ESCAPE, false, " \"");
        wk_heap_free(c->heap, link);
    }
    wk_out_put(out, wk_buf_c(f->text), f->text->n);
    wk_out_char(out, '\n');
    return true;
}

/* ---- -printf ---------------------------------------------------------------------------------- */

struct directive {
    bool minus, zero, alt, plus, blank;
    size_t width;
    int prec; /* -1: none */
};

static const char *read_directive(const char *p, struct directive *d)
{
    *d = (struct directive){.prec = -1};
    for (;; p++) {
        if (*p == '-')
            d->minus = true;
        else if (*p == '0')
            d->zero = true;
        else if (*p == '#')
            d->alt = true;
        else if (*p == '+')
            d->plus = true;
        else if (*p == ' ')
            d->blank = true;
        else
            break;
    }
    uint64_t v;
    int err;
    if (wk_is_digit(*p)) {
        p += wk_scan_u64(wk_str_c(p), 10, &v, &err);
        d->width = v > 1 << 20 ? 1 << 20 : (size_t)v;
    }
    if (*p == '.') {
        d->prec = 0;
        p++;
        if (wk_is_digit(*p)) {
            p += wk_scan_u64(wk_str_c(p), 10, &v, &err);
            d->prec = v > 1 << 20 ? 1 << 20 : (int)v;
        }
    }
    return p;
}

static void put_str(struct wk_out *out, const struct directive *d, const char *p, size_t n)
{
    if (d->prec >= 0 && (size_t)d->prec < n)
        n = (size_t)d->prec;
    size_t fill = n < d->width ? d->width - n : 0;
    for (size_t i = 0; !d->minus && i < fill; i++)
        wk_out_char(out, ' ');
    wk_out_put(out, p, n);
    for (size_t i = 0; d->minus && i < fill; i++)
        wk_out_char(out, ' ');
}

/* find formats numbers as text, but modes and depths as printf numbers with a zero flag. */
static void put_num(struct wk_out *out, const struct directive *d, uint64_t v, unsigned base, bool zero)
{
    char text[WK_NUM_MAX + 1];
    size_t n = 0;
    if (d->alt && base == 8 && v)
        text[n++] = '0';
    if (zero && (d->plus || d->blank)) /* %d alone is a number for it */
        text[n++] = d->plus ? '+' : ' ';
    char digits[WK_NUM_MAX];
    size_t k = wk_fmt_u64(digits, v, base);
    memcpy(text + n, digits, k);
    n += k;
    if (zero && d->zero && !d->minus && n < d->width) {
        size_t sign = n - k;
        wk_out_put(out, text, sign);
        for (size_t i = n; i < d->width; i++)
            wk_out_char(out, '0');
        wk_out_put(out, text + sign, k);
        return;
    }
    put_str(out, d, text, n);
}

/* Seconds and ten digits of the fraction, as find prints them. */
static void put_epoch(struct wk_find *f, struct wk_out *out, const struct directive *d, int64_t ns)
{
    struct wk_instant t = wk_instant_of(ns);
    wk_buf_reset(f->text);
    wk_buf_fmt(f->text, "%lld.%09d0", (long long)t.sec, (int)t.nsec);
    put_str(out, d, wk_buf_c(f->text), f->text->n);
}

static void put_time(struct wk_find *f, struct wk_out *out, const struct directive *d, int64_t ns,
                     char letter)
{
    char format[32] = "%";
    struct wk_instant t = wk_instant_of(ns);
    char nano[16], with[64];
    if (letter == '@') {
        put_epoch(f, out, d, ns);
        return;
    }
    nano[0] = '.';
    size_t n = 1;
    for (int32_t unit = 100000000; unit > 0; unit /= 10)
        nano[n++] = (char)('0' + t.nsec / unit % 10);
    nano[n++] = '0';
    nano[n] = '\0';
    const char *base = NULL, *tail = "";
    if (letter == '+')
        base = "%Y-%m-%d+%H:%M:%S";
    else if (letter == 0)
        base = "%a %b %e %H:%M:%S", tail = " %Y";
    else if (letter == 'S')
        base = "%S";
    else if (letter == 'T' || letter == 'X')
        base = "%H:%M:%S";
    if (!base && !strchr("aAbBcCdDeFgGhHIjklmMnpPrRstTuUVwWxXyYzZ", letter)) {
        put_str(out, d, (char[2]){'%', letter}, 2);
        return;
    }
    if (!base) {
        format[1] = letter;
        base = format;
        nano[0] = '\0';
    }
    n = strlen(base);
    memcpy(with, base, n);
    memcpy(with + n, nano, strlen(nano));
    n += strlen(nano);
    memcpy(with + n, tail, strlen(tail) + 1);
    wk_zone_text(f->c, f->text, f->tz, wk_str_c(with), ns);
    put_str(out, d, wk_buf_c(f->text), f->text->n);
}

/* The letters of -type are those of ls but for files and what is unknown. */
static char type_letter(uint32_t mode)
{
    char text[11];
    wk_mode_text(mode, text);
    return text[0] == '-' ? 'f' : text[0] == '?' ? 'U' : text[0];
}

/* %Y: what a link leads to; N nothing, L a loop, ? another error. */
static char target_letter(struct wk_find *f)
{
    struct wk_stat st;
    if (!WK_S_ISLNK(f->st.mode))
        return type_letter(f->st.mode);
    int err = wk_at_stat(f->c, wk_ftw_dir(f->t), wk_ftw_name(f->t), true, &st);
    if (!err)
        return type_letter(st.mode);
    return err == WK_ENOENT || err == WK_ENOTDIR ? 'N' : err == WK_ELOOP ? 'L' : '?';
}

/* %p %P %f %h %H */
static void put_path(struct wk_find *f, struct wk_out *out, const struct directive *d, char conv)
{
    const char *path = f->t->path, *p = path;
    size_t n = f->t->path_n;
    if (conv == 'H') {
        n = f->operand_n;
    } else if (conv == 'P') {
        size_t at = f->operand_n;
        at += path[at] == '/';
        p = path + at;
        n -= at;
    } else if (conv == 'f') {
        size_t bare = n;
        while (bare > 1 && path[bare - 1] == '/')
            bare--;
        size_t from = bare;
        while (from > 0 && path[from - 1] != '/')
            from--;
        if (from < bare) {
            p = path + from;
            n -= from;
        }
    } else if (conv == 'h') {
        while (n > 1 && path[n - 1] == '/')
            n--;
        ptrdiff_t slash = wk_str_rchr(wk_str(path, n), '/');
        if (slash >= 0)
            n = (size_t)slash;
        else if (n == f->t->path_n) /* else `d/`, which is in d to find */
            p = ".", n = 1;
    }
    put_str(out, d, p, n);
}

static void put_name(struct wk_find *f, struct wk_out *out, const struct directive *d, bool user)
{
    uint32_t id = user ? f->st.uid : f->st.gid;
    const char *name = user ? wk_user_name(f->ids, id) : wk_group_name(f->ids, id);
    if (name)
        put_str(out, d, name, strlen(name));
    else
        put_num(out, d, id, 10, false);
}

static void put_link(struct wk_find *f, struct wk_out *out, const struct directive *d)
{
    char *text;
    if (WK_S_ISLNK(f->st.mode) &&
        wk_at_readlink(f->c, wk_ftw_dir(f->t), wk_ftw_name(f->t), &text) == 0) {
        put_str(out, d, text, strlen(text));
        wk_heap_free(f->c->heap, text);
    } else {
        put_str(out, d, "", 0);
    }
}

static void put_sparseness(struct wk_find *f, struct wk_out *out, const struct directive *d)
{
    wk_buf_reset(f->text);
    if (f->st.size == 0) {
        wk_buf_putc(f->text, '1');
    } else { /* %g of blocks * 512 / size: six significant digits */
        struct wk_fnum how = {.conv = 'g', .precision = -1};
        wk_buf_put_double(f->text, 512.0 * (double)f->st.blocks / (double)f->st.size, &how);
    }
    put_str(out, d, wk_buf_c(f->text), f->text->n);
}

static void put_fstype(struct wk_find *f, struct wk_out *out, const struct directive *d)
{
    struct wk_statfs fs;
    struct wk_vdir *dir = wk_ftw_dir(f->t);
    int r = wk_vfs_statfs(f->c->k->vfs, &f->c->proc->cred, dir ? dir : f->c->proc->cwd,
                          wk_str_c(wk_ftw_name(f->t)), &fs);
    const char *type = r ? "unknown" : fs.type;
    put_str(out, d, type, strlen(type));
}

static void put_file(struct wk_find *f, struct wk_out *out, const struct directive *d, char conv)
{
    const struct wk_stat *st = &f->st;
    char mode[11], letter;
    switch (conv) {
    case 's': put_num(out, d, st->size, 10, false); break;
    case 'b': put_num(out, d, st->blocks, 10, false); break;
    case 'k': put_num(out, d, (st->blocks + 1) / 2, 10, false); break;
    case 'm': put_num(out, d, st->mode & 07777, 8, true); break;
    case 'M':
        wk_mode_text(st->mode, mode);
        put_str(out, d, mode, 10);
        break;
    case 'n': put_num(out, d, st->nlink, 10, false); break;
    case 'i': put_num(out, d, st->ino, 10, false); break;
    case 'D': put_num(out, d, st->dev, 10, false); break;
    case 'U': put_num(out, d, st->uid, 10, false); break;
    case 'G': put_num(out, d, st->gid, 10, false); break;
    case 'u': put_name(f, out, d, true); break;
    case 'g': put_name(f, out, d, false); break;
    case 'a': put_time(f, out, d, st->atim, 0); break;
    case 'c': put_time(f, out, d, st->ctim, 0); break;
    case 't': put_time(f, out, d, st->mtim, 0); break;
    case 'y':
        letter = type_letter(wk_find_type(f));
        put_str(out, d, &letter, 1);
        break;
    case 'Y':
        letter = target_letter(f);
        put_str(out, d, &letter, 1);
        break;
    case 'l': put_link(f, out, d); break;
    case 'F': put_fstype(f, out, d); break;
    case 'S': put_sparseness(f, out, d); break;
    default: break; /* %Z: no security context */
    }
}

/* One escape; p is after the backslash. False: \c, the end of everything. */
static bool put_escape(struct wk_out *out, const char **p)
{
    static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
    const char *at = **p ? strchr(from, **p) : NULL;
    if (**p == 'c')
        return false;
    if (**p >= '0' && **p <= '7') {
        unsigned v = 0;
        for (int i = 0; i < 3 && **p >= '0' && **p <= '7'; i++)
            v = v * 8 + (unsigned)(*(*p)++ - '0');
        wk_out_char(out, (char)v);
        return true;
    }
    if (at) {
        wk_out_char(out, to[at - from]);
    } else {
        wk_out_char(out, '\\');
        if (!**p)
            return true;
        wk_out_char(out, **p);
    }
    (*p)++;
    return true;
}

static const char plain[] = "abcdDfFgGhHiklmMnpPsStuUyYZ";
static const char timed[] = "ABCT";
static const char known[] = "dfhHpPyZ"; /* the directives that need no more than the entry's name and type */

bool wk_find_printf(struct wk_find *f, struct wk_find_pred *k)
{
    struct wk_out *out = k->out;
    if ((k->stat_needed && !wk_find_stat(f)) || (k->type_needed && !wk_find_type(f)))
        return false;
    for (const char *p = k->text; *p;) {
        size_t run = strcspn(p, "\\%");
        if (run) {
            wk_out_put(out, p, run);
            p += run;
            continue;
        }
        if (*p++ == '\\') {
            if (!put_escape(out, &p)) {
                (void)wk_out_flush(out);
                return true;
            }
            continue;
        }
        struct directive d;
        const char *start = p - 1;
        p = read_directive(p, &d);
        char conv = *p++;
        if (conv == '%') {
            wk_out_char(out, '%');
        } else if (strchr("pPfhH", conv)) {
            put_path(f, out, &d, conv);
        } else if (conv == 'd') {
            put_num(out, &d, f->level, 10, true);
        } else if (strchr(timed, conv) && *p) {
            char letter = *p++;
            char which = conv == 'A' ? 'a' : conv == 'T' ? 'm' : conv == 'C' ? 'c' : 'B';
            put_time(f, out, &d, wk_find_time(&f->st, which), letter);
        } else if (strchr(plain, conv)) {
            put_file(f, out, &d, conv);
        } else {
            wk_out_put(out, start, (size_t)(p - start));
        }
    }
    return true;
}

void wk_find_check_format(struct wk_find *f, struct wk_find_pred *k)
{
    struct wk_cmd *c = f->c;
    struct directive d;
    for (const char *p = k->text; *p; p++) {
        if (*p == '\\' && p[1]) {
            p++;
            if (!strchr("abcfnrtv\\01234567", *p))
                wk_out_fmt(c->err, "%s: warning: unrecognized escape `\\%c'\n", c->name, *p);
        } else if (*p == '\\') {
            wk_out_fmt(c->err, "%s: warning: escape `\\' followed by nothing at all\n", c->name);
        } else if (*p == '%') {
            p = read_directive(p + 1, &d);
            if (!*p)
                wk_find_fail(f, "error: %% at end of format string");
            if (strchr("{[(", *p))
                wk_find_fail(f, "error: the format directive `%%%c' is reserved for future use", *p);
            k->stat_needed = k->stat_needed || strchr(timed, *p) || (strchr(plain, *p) && !strchr(known, *p));
            k->type_needed = k->type_needed || *p == 'y';
            if (strchr(timed, *p)) {
                if (!p[1])
                    wk_find_fail(f, "error: the format directive `%%%c' is reserved for future use", *p);
                p++;
            } else if (*p != '%' && !strchr(plain, *p)) {
                wk_out_fmt(c->err, "%s: warning: unrecognized format directive `%%%c'\n", c->name, *p);
            }
        }
    }
}
