/* file.c - tell what kind of data files hold
 *
 * Standard: POSIX; file 5.44. Oracle: file.
 * Differs:  docs/divergences/file.md.
 */
#include "builtins/file.h"
#include "base/num.h"
#include "base/utf8.h"

enum {
    NO_TAR = 1,
    NO_JSON = 2,
    NO_CSV = 4,
    NO_CDF = 8,
    NO_ELF = 16,
    NO_SOFT = 32,
    NO_TEXT = 64,
    NO_ENCODING = 128
};

struct file_opts {
    bool brief, mime, mime_type, mime_encoding, apple, extension, follow, keep_going, list, no_pad,
        raw, special, exit_early;
    bool uncompress, nul_given;
    int nul;
    int follow_how; /* 1 -L, 2 -h */
    struct wk_opt_list magic;
    struct list *lists, **lists_end;
    const char *separator;
    unsigned exclude;
    int64_t bytes, encoding;
};
#define FO struct file_opts

/* A list of names is read with the options in front of it. */
struct list {
    const char *name;
    FO *opts;
    struct list *next;
};

static int add_list(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    (void)o;
    FO *f = (FO *)c->opts;
    struct list *l = wk_new(c, struct list);
    l->name = arg;
    l->opts = wk_new(c, FO);
    *l->opts = *f;
    *(f->lists ? f->lists_end : &f->lists) = l;
    f->lists_end = &l->next;
    return 0;
}

static int refuse(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    (void)arg;
    wk_fail(c, 1, "--%s: %s", o->long_name,
            o->value == 0   ? "tables of magic are not compiled here: -m reads their text"
            : o->value == 1 ? "there is no parsed form to print: -l lists the table"
                            : "there are no debugging messages here");
}

static int exclude(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    static const struct {
        char name[10];
        unsigned bit;
    } tests[] = {{"apptype", 0},  {"ascii", NO_TEXT}, {"cdf", NO_CDF},           {"compress", 0},
                 {"csv", NO_CSV}, {"elf", NO_ELF},    {"encoding", NO_ENCODING}, {"soft", NO_SOFT},
                 {"tar", NO_TAR}, {"json", NO_JSON},  {"text", NO_TEXT},         {"tokens", 0}};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (strcmp(arg, tests[i].name) == 0) {
            ((FO *)c->opts)->exclude |= tests[i].bit;
            return 0;
        }
    if (o->value)
        return 0;
    wk_out_fmt(c->err, "Usage: %s\n", c->command->usage);
    wk_try_help(c);
}

static int set_limit(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    static const char *const names[] = {"bytes",    "elf_notes", "elf_phnum", "elf_shnum",
                                        "encoding", "indir",     "name",      "regex"};
    (void)o;
    FO *f = (FO *)c->opts;
    const char *eq = strchr(arg, '=');
    uint64_t v = 0;
    int err;
    for (size_t i = 0; eq && i < sizeof names / sizeof *names; i++)
        if (wk_str_is(wk_str(arg, (size_t)(eq - arg)), names[i])) {
            (void)wk_scan_u64(wk_str_c(eq + 1), 10, &v, &err);
            if (i == 0)
                f->bytes = (int64_t)WK_MIN(v, WK_PROBE_BYTES);
            return 0;
        }
    wk_fail(c, 1, "Unknown param %s", arg);
}

static const struct wk_opt file_options[] = {
    WK_LIST_OPT(FO, magic, 'm', "magic-file", "LIST",
                "use these files of magic, separated by colons"),
    WK_FLAG(FO, uncompress, 'z', "uncompress",
            "look inside compressed files: nothing is decompressed here"),
    WK_FLAG(FO, uncompress, 'Z', "uncompress-noreport", "the same"),
    WK_FLAG(FO, brief, 'b', "brief", "do not print names of files"),
    WK_FUNC_OPT(refuse, 1, 'c', "checking-printout", NULL, "print the parsed magic (not here)"),
    WK_FUNC_OPT(exclude, 0, 'e', "exclude", "TEST",
                "leave out a test: apptype, ascii, cdf, compress, csv, elf, encoding, json, soft, "
                "tar, text, tokens"),
    WK_FUNC_OPT(exclude, 1, 0, "exclude-quiet", "TEST", "the same; an unknown one is no error"),
    WK_FUNC_OPT(add_list, 0, 'f', "files-from", "FILE", "read names of files from FILE"),
    WK_STR_OPT(FO, separator, 'F', "separator", "STRING",
               "print STRING behind a name instead of :"),
    WK_FLAG(FO, mime, 'i', "mime", "print media type and encoding"),
    WK_FLAG(FO, apple, 0, "apple", "print Apple's creator and type"),
    WK_FLAG(FO, extension, 0, "extension", "print usual suffixes of names"),
    WK_FLAG(FO, mime_type, 0, "mime-type", "print the media type"),
    WK_FLAG(FO, mime_encoding, 0, "mime-encoding", "print the encoding"),
    WK_FLAG(FO, keep_going, 'k', "keep-going", "print all that match"),
    WK_FLAG(FO, list, 'l', "list", "print the table of magic with the strength of each entry"),
    WK_SET(FO, follow_how, 1, 'L', "dereference", "follow symbolic links"),
    WK_SET(FO, follow_how, 2, 'h', "no-dereference", "do not follow symbolic links (default)"),
    WK_FLAG(FO, nul_given, 'n', "no-buffer", "write at once"),
    WK_FLAG(FO, no_pad, 'N', "no-pad", "do not align"),
    WK_COUNT_OPT(FO, nul, '0', "print0", "end names with NUL; given twice, answers too"),
    WK_FLAG(FO, nul_given, 'p', "preserve-date",
            "leave times of access (they are always left here)"),
    WK_FUNC_OPT(set_limit, 0, 'P', "parameter", "NAME=VALUE", "set a limit"),
    WK_FLAG(FO, raw, 'r', "raw", "do not print unprintable bytes as \\ooo"),
    WK_FLAG(FO, special, 's', "special-files", "read devices as files"),
    WK_FLAG(FO, nul_given, 'S', "no-sandbox", "nothing: there is no sandbox to leave out"),
    WK_FLAG(FO, exit_early, 'E', NULL, "end at a file that cannot be looked at"),
    WK_FUNC_OPT(refuse, 0, 'C', "compile", NULL, "compile a file of magic (not here)"),
    WK_FUNC_OPT(refuse, 2, 'd', "debug", NULL, "print debugging messages (not here)"),
    WK_FUNC_OPT(wk_opt_about, 1, 'v', NULL, NULL, "print the version"),
    WK_OPTS_END,
};

struct run {
    struct wk_cmd *c;
    FO *o;
    struct wk_magic_set set;
    enum wk_file_say say;
    bool mime_type, mime_encoding, utf8;
    size_t width;
};

/* ---- the answer for one file -------------------------------------------------------------------
 */

/* Bytes at `at`, as many as there are up to n. */
static size_t read_part(struct wk_cmd *c, struct wk_file *f, char *to, size_t n)
{
    size_t got = 0;
    while (got < n) {
        ptrdiff_t k = wk_file_read(c->task, f, to + got, n - got);
        if (k <= 0)
            break;
        got += (size_t)k;
    }
    return got;
}

static void read_data(struct run *r, struct wk_probe *p, struct wk_file *f)
{
    size_t cap = (size_t)r->o->bytes,
           want = WK_S_ISREG(p->st->mode) ? (size_t)WK_MIN(p->st->size, cap) : cap;
    char *d = (char *)wk_heap_alloc(r->c->heap, want + 1);
    p->data = wk_str(d, read_part(r->c, f, d, want));
    p->tail = p->data;
    p->size = p->data.n;
    if (!WK_S_ISREG(p->st->mode) || p->st->size <= p->data.n)
        return;
    size_t n = (size_t)WK_MIN(p->st->size, (uint64_t)65536);
    p->size = p->st->size;
    p->file = f;
    char *t = (char *)wk_heap_alloc(r->c->heap, n);
    p->tail = WK_STR("");
    if (wk_file_seek(f, (int64_t)(p->st->size - n), 0) >= 0)
        p->tail = wk_str(t, read_part(r->c, f, t, n));
}

static void finish_mime(struct run *r, struct wk_probe *p, const char *type, const char *encoding)
{
    if (p->say != WK_FILE_MIME) {
        if (!p->printed)
            wk_buf_put_c(p->out, p->say == WK_FILE_EXT ? "???" : "UNKNUNKN");
        return;
    }
    if (r->mime_type && !p->printed)
        wk_buf_put_c(p->out, type);
    if (r->mime_encoding)
        wk_buf_fmt(p->out, "%s%s", r->mime_type ? "; charset=" : "", encoding);
}

/* " text" or " text executable" at the end of what was told gives way to the encoding. */
static bool strip_text(struct wk_probe *p)
{
    struct wk_buf *b = p->out;
    static const struct wk_str ends[] = {WK_STR_INIT(" text"), WK_STR_INIT(" text executable")};
    int found = wk_str_ends(wk_buf_str(b), ends[0])   ? 0
                : wk_str_ends(wk_buf_str(b), ends[1]) ? 1
                                                      : -1;
    if (found >= 0)
        b->n -= ends[found].n;
    wk_buf_put_c(b, ", ");
    return found == 1;
}

/* Text: its entries, then how it is written. False in what is neither. */
static bool tell_text(struct run *r, struct wk_probe *p, const struct wk_encoding *e)
{
    p->text = true;
    if (!(r->o->exclude & NO_SOFT))
        (void)wk_magic_match(p, e->chars, true);
    if (p->say != WK_FILE_TEXT)
        return true;
    bool executable = false;
    if (p->out->n)
        executable = strip_text(p);
    wk_buf_fmt(p->out, "%s %s%s", e->code, e->type, executable ? " executable" : "");
    wk_encoding_lines(p, e->chars);
    return true;
}

static bool tell_binary(struct run *r, struct wk_probe *p)
{
    unsigned no = r->o->exclude;
    bool found = false;
    if (!(no & NO_TAR) && wk_probe_tar(p))
        found = true;
    if ((!found || p->keep_going) && !(no & NO_JSON) && wk_probe_json(p))
        found = true;
    if ((!found || p->keep_going) && !(no & NO_CSV) && wk_probe_csv(p))
        found = true;
    if ((!found || p->keep_going) && !(no & NO_CDF) && wk_probe_cdf(p))
        found = true;
    if (found && !p->keep_going)
        return true;
    if (!(no & NO_SOFT)) {
        p->pie = wk_probe_elf_pie(p);
        if (wk_magic_match(p, p->data, false)) {
            found = true;
            if (!(no & NO_ELF) &&
                (p->say == WK_FILE_TEXT || (p->say == WK_FILE_MIME && p->mime_type)))
                wk_probe_elf(p);
        }
    }
    return found;
}

/* Without NULs at the end; of an even number of bytes. */
static struct wk_str without_padding(struct wk_str s)
{
    size_t n = s.n;
    while (n > 1 && !s.p[n - 1])
        n--;
    return wk_str_take(s, n + (n & 1));
}

static void tell_data(struct run *r, struct wk_probe *p)
{
    struct wk_encoding e;
    if (!p->data.n) {
        if (p->say == WK_FILE_TEXT)
            wk_buf_put_c(p->out, "empty");
        else
            finish_mime(r, p, "application/x-empty", "binary");
        return;
    }
    if (p->data.n == 1) {
        if (p->say == WK_FILE_TEXT)
            wk_buf_put_c(p->out, "very short file (no magic)");
        else
            finish_mime(r, p, "application/octet-stream", "binary");
        return;
    }
    bool text = wk_encoding_find(r->c, p->data, &e);
    p->text = text && !(r->o->exclude & NO_ENCODING);
    bool found = tell_binary(r, p);
    bool plain = false, padded = !text;
    if (!text && (!found || p->keep_going))
        text = wk_encoding_find(r->c, without_padding(p->data), &e);
    const char *charset = padded ? "binary" : e.mime;
    if ((!found || p->keep_going) && text && !(r->o->exclude & NO_TEXT)) {
        if (found && p->say == WK_FILE_TEXT)
            wk_buf_put_c(p->out, "\n- "), p->separator = false;
        found = plain = tell_text(r, p, &e);
    }
    if (p->say == WK_FILE_TEXT) {
        if (!found)
            wk_buf_put_c(p->out, "data");
        else if (p->keep_going && !plain)
            wk_buf_put_c(p->out, "\n- data");
        return;
    }
    if (p->say == WK_FILE_MIME && p->mime_type && p->keep_going && !plain && p->printed)
        wk_buf_put_c(p->out, "\n- application/octet-stream");
    finish_mime(r, p, plain || (found && text) ? "text/plain" : "application/octet-stream",
                charset);
}

static void tell_error(struct run *r, struct wk_buf *b, const char *text)
{
    wk_buf_fmt(b, "ERROR: %s", text);
    r->c->status = 1;
}

/* What is no regular file; false when it has to be read. */
static bool tell_special(struct run *r, const char *name, const struct wk_stat *st,
                         struct wk_buf *b)
{
    const char *words = NULL, *mime = NULL;
    bool link = false;
    if (WK_S_ISDIR(st->mode)) {
        words = "directory", mime = "directory";
    } else if (WK_S_ISCHR(st->mode) || WK_S_ISBLK(st->mode)) {
        bool block = WK_S_ISBLK(st->mode);
        if (r->o->special)
            return false;
        mime = block ? "blockdevice" : "chardevice";
        words = wk_strf(r->c, "%s special (%u/%u)", block ? "block" : "character",
                        wk_rdev_major(st->rdev), wk_rdev_minor(st->rdev));
    } else if (WK_S_ISFIFO(st->mode)) {
        if (r->o->special)
            return false;
        words = "fifo (named pipe)", mime = "fifo";
    } else if (WK_S_ISSOCK(st->mode)) {
        words = "socket", mime = "socket";
    } else if (WK_S_ISLNK(st->mode)) {
        char *target = NULL;
        struct wk_stat to;
        mime = "symlink";
        int err = wk_at_readlink(r->c, NULL, name, &target);
        if (err) {
            wk_buf_fmt(b, "unreadable symlink `%s' (%s)", name, wk_err_text(err));
            return true;
        }
        link = wk_cmd_stat(r->c, name, true, &to) != 0;
        if (link && r->o->exit_early) {
            wk_buf_fmt(b, "ERROR: broken symbolic link to %s (%s)", target, wk_err_text(WK_ENOENT));
            r->c->status = 1;
            return true;
        }
        if (link && r->say != WK_FILE_TEXT && r->say != WK_FILE_MIME) {
            wk_buf_fmt(b, "broken symbolic link to %s", target);
            return true;
        }
        words = wk_strf(r->c, "%ssymbolic link to %s", link ? "broken " : "", target);
    } else {
        if (!st->size) {
            words = "empty", mime = "x-empty";
            if (r->say == WK_FILE_EXT || r->say == WK_FILE_APPLE) {
                wk_buf_put_c(b, r->say == WK_FILE_EXT ? "???" : "UNKNUNKN");
                return true;
            }
        } else {
            return false;
        }
    }
    if (r->say == WK_FILE_TEXT) {
        wk_buf_put_c(b, words);
    } else if (r->say == WK_FILE_MIME) {
        if (r->mime_type)
            wk_buf_fmt(b, "inode/%s", mime);
        if (r->mime_encoding && !link)
            wk_buf_fmt(b, "%sbinary", r->mime_type ? "; charset=" : "");
        else if (link && !r->mime_type)
            tell_error(r, b, "(null)");
    } else if (WK_S_ISDIR(st->mode)) {
        tell_error(r, b, wk_strf(r->c, "cannot read `%s' (Is a directory)", name));
    } else {
        wk_buf_put_c(b, r->say == WK_FILE_EXT ? "???" : "UNKNUNKN");
    }
    return true;
}

static void tell_mode(const struct run *r, const struct wk_stat *st, struct wk_buf *b)
{
    if (r->say != WK_FILE_TEXT)
        return;
    if (st->mode & 04000)
        wk_buf_put_c(b, "setuid ");
    if (st->mode & 02000)
        wk_buf_put_c(b, "setgid ");
    if (st->mode & 01000)
        wk_buf_put_c(b, "sticky ");
}

static void answer(struct run *r, const char *name, struct wk_buf *b)
{
    struct wk_cmd *c = r->c;
    struct wk_stat st = {0};
    bool in = strcmp(name, "-") == 0;
    struct wk_file *f = c->in->file;
    int err = 0;
    if (!in)
        err = wk_cmd_stat(c, name, r->o->follow, &st);
    else if (!f || wk_file_stat(f, &st) < 0)
        st.mode = 0010000;
    if (err) {
        wk_buf_fmt(b, "%scannot %s `%s' (%s)", r->o->exit_early ? "ERROR: " : "",
                   r->o->exit_early ? "stat" : "open", name, wk_err_text(err));
        c->status = r->o->exit_early ? 1 : c->status;
        return;
    }
    if (!in && tell_special(r, name, &st, b))
        return;
    if (!in)
        err = wk_cmd_open(c, name, WK_O_RDONLY, 0, &f);
    if (err || !f) {
        if (err == WK_EACCES && WK_S_ISREG(st.mode))
            wk_buf_put_c(b, st.mode & 0111 ? "executable, regular file, no read permission"
                                           : "regular file, no read permission");
        else
            wk_buf_fmt(b, "cannot open `%s' (%s)", in ? "/dev/stdin" : name,
                       wk_err_text(err ? err : WK_EBADF));
        return;
    }
    if (!in)
        tell_mode(r, &st, b);
    struct wk_buf *out = wk_cmd_buf(c, 1 << 20);
    struct wk_probe p = {.c = c,
                         .set = &r->set,
                         .say = r->say,
                         .mime_type = r->mime_type,
                         .mime_encoding = r->mime_encoding,
                         .keep_going = r->o->keep_going,
                         .st = &st,
                         .out = out,
                         .budget = 4096};
    read_data(r, &p, f);
    tell_data(r, &p);
    wk_buf_puts(b, wk_buf_str(out));
    wk_buf_release(out);
    if (!in)
        wk_cmd_close(c, f);
    if (p.tail.p != p.data.p && p.tail.n)
        wk_heap_free(c->heap, (char *)(uintptr_t)p.tail.p);
    wk_heap_free(c->heap, (char *)(uintptr_t)p.data.p);
}

/* ---- output ------------------------------------------------------------------------------------
 */

/* Characters that do not print as \ooo; returns columns. */
static size_t put_safe(const struct run *r, struct wk_buf *b, struct wk_str s, bool raw)
{
    size_t columns = 0;
    for (size_t i = 0; i < s.n;) {
        uint32_t ch;
        size_t n = wk_char_next(!r->utf8, s.p + i, s.n - i, &ch);
        if (raw || (!wk_utf8_is_bad(ch) && wk_utf8_is(ch, WK_CLASS_PRINT))) {
            if (b)
                wk_buf_put(b, s.p + i, n);
            columns += raw ? 1 : (size_t)WK_MAX(wk_utf8_width(ch), 0);
        } else {
            for (size_t k = 0; k < n; k++) {
                unsigned char x = (unsigned char)s.p[i + k];
                if (b)
                    wk_buf_fmt(b, "\\%c%c%c", '0' + (x >> 6), '0' + (x >> 3 & 7), '0' + (x & 7));
                columns += 4;
            }
        }
        i += n;
    }
    return columns;
}

static void put_file(struct run *r, const char *name)
{
    struct wk_cmd *c = r->c;
    const FO *o = r->o;
    const char *shown = strcmp(name, "-") == 0 ? "/dev/stdin" : name;
    struct wk_buf *line = wk_cmd_buf(c, 1 << 22), *b = wk_cmd_buf(c, 1 << 21);
    if (!o->brief && r->width) {
        size_t columns = put_safe(r, line, wk_str_c(shown), false);
        if (shown != name)
            columns = 1; /* it is aligned as the - that it was */
        if (o->nul)
            wk_buf_putc(line, '\0');
        if (o->nul < 2) {
            wk_buf_put_c(line, o->separator);
            wk_buf_putc(line, ' ');
            if (!o->no_pad && r->width > columns)
                wk_buf_fill(line, ' ', r->width - columns);
        }
    }
    answer(r, name, b);
    (void)put_safe(r, line, wk_buf_str(b), o->raw);
    wk_buf_putc(line, o->nul > 1 ? '\0' : '\n');
    wk_out_str(c->out, wk_buf_str(line));
    if (o->nul_given)
        (void)wk_out_flush(c->out);
    wk_buf_release(line);
    wk_buf_release(b);
}

static void put_list(struct run *r)
{
    const struct wk_magic_set *s = &r->set;
    for (size_t i = 0; i < r->o->magic.n; i++)
        wk_out_fmt(r->c->err, "Warning: using regular magic file `%s'\n", r->o->magic.v[i]);
    wk_out_c(r->c->out, "Set 0:\n");
    for (int text = 0; text < 2; text++) {
        wk_out_c(r->c->out, text ? "Text patterns:\n" : "Binary patterns:\n");
        for (size_t i = 0; i < s->nentries; i++) {
            const struct wk_magic_entry *e = (const struct wk_magic_entry *)s->order[i];
            const struct wk_magic *m = &s->v[e->first];
            const char *mime = m->mime;
            for (uint32_t k = 1; k < e->n && !mime; k++)
                mime = m[k].mime;
            if (e->text == (text == 1))
                wk_out_fmt(r->c->out, "Strength = %3lld@%u: %s [%s]\n", (long long)m->strength,
                           m->line, m->desc, mime ? mime : "");
        }
    }
    wk_out_c(r->c->out, "Set 1:\nBinary patterns:\nText patterns:\n");
}

/* Names of a list, one a line; their widths count together. */
static void put_named_in(struct run *r, const char *list)
{
    struct wk_in *in = wk_in_of(r->c, r->c->in->file, NULL);
    if (strcmp(list, "-") != 0) {
        struct wk_file *f;
        int err = wk_cmd_open(r->c, list, WK_O_RDONLY, 0, &f);
        if (err)
            wk_fail(r->c, 1, "Cannot open `%s' (%s)", list, wk_err_text(err));
        in = wk_in_of(r->c, f, list);
    }
    char **names = NULL;
    size_t n = 0, cap = 0;
    struct wk_str line;
    while (wk_line_next(in, '\n', &line)) {
        if (n == cap) {
            cap = cap ? 2 * cap : 64;
            names = (char **)wk_heap_realloc(r->c->heap, names, cap * sizeof *names);
        }
        names[n] = wk_dupn(r->c, line.p, line.n);
        r->width = WK_MAX(r->width, put_safe(r, NULL, wk_str_c(names[n]), false));
        n++;
    }
    for (size_t i = 0; i < n; i++)
        put_file(r, names[i]);
}

static void read_magic(struct run *r)
{
    bool any = false;
    for (size_t i = 0; i < r->o->magic.n; i++) {
        struct wk_str rest = wk_str_c(r->o->magic.v[i]);
        while (rest.n) {
            ptrdiff_t end = wk_str_chr(rest, ':');
            struct wk_str one = wk_str_take(rest, end < 0 ? rest.n : (size_t)end);
            rest = wk_str_from(rest, one.n + 1);
            char *path = wk_dupn(r->c, one.p, one.n);
            struct wk_file *f;
            int err = wk_cmd_open(r->c, path, WK_O_RDONLY, 0, &f);
            if (err)
                wk_fail(r->c, 1, "could not find any valid magic files! (%s)", wk_err_text(err));
            struct wk_in *in = wk_in_of(r->c, f, path);
            if (!wk_magic_read(r->c, &r->set, path, wk_in_all(in)))
                wk_fail(r->c, 1, "could not find any valid magic files! (%s)",
                        wk_err_text(WK_ENOENT));
            any = true;
        }
    }
    if (!any)
        (void)wk_magic_read(r->c, &r->set, NULL,
                            wk_str((const char *)wk_magic_builtin, wk_magic_builtin_n));
    wk_magic_sort(r->c, &r->set);
}

static void choose(struct run *r)
{
    FO *o = r->o;
    if (!o->bytes)
        o->bytes = WK_PROBE_BYTES;
    if (!o->separator)
        o->separator = ":";
    o->follow = o->follow_how ? o->follow_how == 1 : wk_cmd_env(r->c, "POSIXLY_CORRECT") != NULL;
    r->mime_type = o->mime || o->mime_type;
    r->mime_encoding = o->mime || o->mime_encoding;
    r->say = o->extension                       ? WK_FILE_EXT
             : o->apple                         ? WK_FILE_APPLE
             : r->mime_type || r->mime_encoding ? WK_FILE_MIME
                                                : WK_FILE_TEXT;
    r->utf8 = wk_cmd_utf8(r->c);
}

/* What the first list has begun with stays: options behind it say only how names are printed. */
static FO *later(struct wk_cmd *c, const FO *first, const FO *at)
{
    FO *o = wk_new(c, FO);
    *o = *first;
    o->brief = at->brief;
    o->separator = at->separator;
    o->no_pad = at->no_pad;
    o->nul = at->nul;
    o->nul_given = at->nul_given;
    return o;
}

static int file_main(struct wk_cmd *c)
{
    FO *o = (FO *)c->opts;
    struct run r = {.c = c, .o = o->lists ? o->lists->opts : o};
    choose(&r);
    if (!o->list && !c->nargs && !o->lists) {
        wk_out_fmt(c->err, "Usage: %s\n", c->command->usage);
        wk_exit(c, 1);
    }
    read_magic(&r);
    if (o->list) {
        put_list(&r);
        return 0;
    }
    if (r.o->uncompress)
        wk_out_fmt(c->err, "%s: compressed files are not looked into here\n", c->name);
    for (const struct list *l = o->lists; l; l = l->next) {
        r.o = later(c, o->lists->opts, l->opts);
        choose(&r);
        put_named_in(&r, l->name);
    }
    r.o = o->lists ? later(c, o->lists->opts, o) : o;
    choose(&r);
    r.width = 0;
    for (int i = 0; i < c->nargs; i++)
        r.width = WK_MAX(r.width, put_safe(&r, NULL, wk_str_c(c->args[i]), false));
    for (int i = 0; i < c->nargs; i++)
        put_file(&r, c->args[i]);
    return c->status;
}

WK_COMMAND(file, .summary = "tell what kind of data files hold",
           .usage =
               "file [-bcCdEhikLlNnprsSvzZ0] [--apple] [--extension] [--mime-encoding]\n"
               "            [--mime-type] [-e <testname>] [-F <separator>]  [-f <namefile>]\n"
               "            [-m <magicfiles>] [-P <parameter=value>] [--exclude-quiet]\n"
               "            <file> ...\n       file -C [-m <magicfiles>]\n       file [--help]",
           .std = "file 5.44", .opts = file_options, .opts_size = sizeof(struct file_opts),
           .flags = WK_CMD_SAY_USAGE);
