/* dd.c - copy a file by blocks, converting it
 *
 * Standard: POSIX; GNU coreutils 9.1. Oracle: dd.
 * Differs:  docs/divergences/dd.md
 */
#include "builtins/dd.h"

#include "base/num.h"
#include "kern/vfsfile.h"

struct symbol {
    const char *word; /* NULL ends the table */
    unsigned value;
};

static const struct symbol conversions[] = {
    {"ascii", DD_ASCII | DD_UNBLOCK | DD_TWO_BUFFERS},
    {"ebcdic", DD_EBCDIC | DD_BLOCK | DD_TWO_BUFFERS},
    {"ibm", DD_IBM | DD_BLOCK | DD_TWO_BUFFERS},
    {"block", DD_BLOCK | DD_TWO_BUFFERS},
    {"unblock", DD_UNBLOCK | DD_TWO_BUFFERS},
    {"lcase", DD_LCASE | DD_TWO_BUFFERS},
    {"ucase", DD_UCASE | DD_TWO_BUFFERS},
    {"sparse", DD_SPARSE},
    {"swab", DD_SWAB | DD_TWO_BUFFERS},
    {"sync", DD_SYNC},
    {"excl", DD_EXCL},
    {"nocreat", DD_NOCREAT},
    {"notrunc", DD_NOTRUNC},
    {"noerror", DD_NOERROR},
    {"fdatasync", DD_FDATASYNC},
    {"fsync", DD_FSYNC},
    {NULL, 0},
};

static const struct symbol flags[] = {
    {"append", DD_F_APPEND},
    {"direct", DD_F_DIRECT},
    {"directory", DD_F_DIRECTORY},
    {"dsync", DD_F_DSYNC},
    {"sync", DD_F_SYNC},
    {"nonblock", DD_F_NONBLOCK},
    {"noatime", DD_F_NOATIME},
    {"nocache", DD_F_NOCACHE},
    {"noctty", DD_F_NOCTTY},
    {"nofollow", DD_F_NOFOLLOW},
    {"count_bytes", DD_F_COUNT_BYTES},
    {"skip_bytes", DD_F_SKIP_BYTES},
    {"seek_bytes", DD_F_SEEK_BYTES},
    {"fullblock", DD_F_FULLBLOCK},
    {NULL, 0},
};

/* ---- numbers ----------------------------------------------------------------------------------- */

enum { NUMBER_BAD = -1, NUMBER_OK = 0, NUMBER_BIG = 1 };

/* Digits and a suffix, either of which may be left out. *n is INT64_MAX when it is greater. */
static int read_factor(struct wk_str s, int64_t *n)
{
    size_t at = 0, digits;
    uint64_t v = 1, unit = 1;
    while (at < s.n && wk_is_space(s.p[at]))
        at++;
    at += at < s.n && s.p[at] == '+';
    for (digits = at; digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9'; digits++)
        ;
    int err = 0;
    if (digits > at)
        (void)wk_scan_u64(wk_str(s.p + at, digits - at), 10, &v, &err);
    struct wk_str suffix = wk_str(s.p + digits, s.n - digits);
    if (!suffix.n && digits == at)
        return NUMBER_BAD;
    if (suffix.n) {
        char with_one[8] = "1";
        static const char letters[] = "bcwkKMGTPEZY";
        if (suffix.n > 4 || !memchr(letters, suffix.p[0], sizeof letters - 1))
            return NUMBER_BAD;
        if (strchr("bcw", suffix.p[0]) && suffix.n == 1) {
            unit = suffix.p[0] == 'b' ? 512 : suffix.p[0] == 'w' ? 2 : 1;
        } else {
            memcpy(with_one + 1, suffix.p, suffix.n);
            if (with_one[1] == 'K' && suffix.n == 2)
                with_one[1] = 'k';
            int r = wk_parse_size(wk_str(with_one, suffix.n + 1), false, &unit);
            if (r == -WK_EINVAL)
                return NUMBER_BAD;
        }
    }
    if (err || __builtin_mul_overflow(v, unit, &v) || v > INT64_MAX) {
        *n = INT64_MAX;
        return NUMBER_BIG;
    }
    *n = (int64_t)v;
    return NUMBER_OK;
}

/* N, NB, NxM: *bytes tells of a B at the end of the first. */
static int read_number(struct wk_cmd *c, struct wk_str s, int64_t *n)
{
    const char *x = (const char *)memchr(s.p, 'x', s.n);
    struct wk_str first = x ? wk_str(s.p, (size_t)(x - s.p)) : s;
    struct wk_str number = first;
    int64_t more = 1;
    int second = NUMBER_OK, r;
    if (x && memchr(x + 1, 'x', s.n - (size_t)(x + 1 - s.p)))
        return NUMBER_BAD;
    r = read_factor(first, n);
    if (r == NUMBER_BAD && number.n > 1 && number.p[number.n - 1] == 'B' && number.p[number.n - 2] != 'B') {
        number.n--;
        r = read_factor(number, n);
    }
    if (x)
        second = read_factor(wk_str(x + 1, s.n - first.n - 1), &more);
    if (r == NUMBER_BAD || second == NUMBER_BAD)
        return NUMBER_BAD;
    if (x && first.n == 1 && first.p[0] == '0') {
        wk_out_fmt(c->err, "%s: warning: '0x' is a zero multiplier; use '00x' if that is intended\n", c->name);
    }
    if (*n == 0 || more == 0) {
        *n = 0;
        return NUMBER_OK;
    }
    if (r == NUMBER_BIG || second == NUMBER_BIG || __builtin_mul_overflow(*n, more, n))
        return NUMBER_BIG;
    return NUMBER_OK;
}

static WK_NORETURN void bad_number(struct wk_cmd *c, const char *text, bool big)
{
    wk_fail(c, 1, "invalid number: %s%s", wk_quote_arg(c, text), big ? ": Value too large for defined data type" : "");
}

static int64_t number_of(struct wk_cmd *c, const char *text, bool positive)
{
    int64_t n;
    int r = read_number(c, wk_str_c(text), &n);
    if (r == NUMBER_OK && positive && n == 0)
        r = NUMBER_BAD;
    if (r == NUMBER_OK && positive && n > INT64_MAX - 8192)
        r = NUMBER_BIG;
    if (r != NUMBER_OK)
        bad_number(c, text, r == NUMBER_BIG);
    return n;
}

/* ---- operands ---------------------------------------------------------------------------------- */

/* One symbol of `table`; ends the process when it is none. */
static unsigned symbol_of(struct wk_cmd *c, const struct symbol *table, const char *word, size_t n, const char *what)
{
    for (const struct symbol *s = table; s->word; s++)
        if (strlen(s->word) == n && memcmp(s->word, word, n) == 0)
            return s->value;
    wk_usage(c, "%s: %s", what, wk_quote_arg(c, wk_dupn(c, word, n)));
}

static unsigned symbols_of(struct wk_cmd *c, const struct symbol *table, const char *list, const char *what)
{
    unsigned set = 0;
    for (;;) {
        size_t n = strcspn(list, ",");
        unsigned one = symbol_of(c, table, list, n, what);
        if (table == flags && one == DD_F_FULLBLOCK && strcmp(what, "invalid output flag") == 0)
            wk_usage(c, "%s: %s", what, wk_quote_arg(c, wk_dupn(c, list, n)));
        set |= one;
        if (!list[n])
            return set;
        list += n + 1;
    }
}

static const char *value_of(const char *operand, const char *name)
{
    size_t n = strlen(name);
    return strncmp(operand, name, n) == 0 && operand[n] == '=' ? operand + n + 1 : NULL;
}

static bool read_amount(struct dd *d, const char *operand)
{
    const struct {
        const char *name;
        struct dd_amount *to;
    } amounts[] = {{"skip", &d->skip},
                   {"iseek", &d->skip},
                   {"seek", &d->seek},
                   {"oseek", &d->seek},
                   {"count", &d->count}};
    for (size_t i = 0; i < WK_COUNTOF(amounts); i++) {
        const char *v = value_of(operand, amounts[i].name);
        if (!v)
            continue;
        amounts[i].to->n = number_of(d->c, v, false);
        amounts[i].to->bytes = strchr(v, 'B') != NULL;
        d->counted = d->counted || amounts[i].to == &d->count;
        return true;
    }
    return false;
}

struct operands {
    const char *in, *out;
    int64_t bs;
};

static void read_operand(struct dd *d, struct operands *o, const char *operand)
{
    static const struct symbol levels[] = {
        {"none", DD_STATUS_NONE}, {"noxfer", DD_STATUS_NOXFER}, {"progress", DD_STATUS_PROGRESS}, {NULL, 0}};
    struct wk_cmd *c = d->c;
    const char *v;
    if ((v = value_of(operand, "if")) != NULL)
        o->in = v;
    else if ((v = value_of(operand, "of")) != NULL)
        o->out = v;
    else if ((v = value_of(operand, "conv")) != NULL)
        d->conv |= symbols_of(c, conversions, v, "invalid conversion");
    else if ((v = value_of(operand, "iflag")) != NULL)
        d->iflags |= symbols_of(c, flags, v, "invalid input flag");
    else if ((v = value_of(operand, "oflag")) != NULL)
        d->oflags |= symbols_of(c, flags, v, "invalid output flag");
    else if ((v = value_of(operand, "status")) != NULL)
        d->level = (enum dd_status)symbol_of(c, levels, v, strlen(v), "invalid status level");
    else if ((v = value_of(operand, "bs")) != NULL)
        o->bs = number_of(c, v, true);
    else if ((v = value_of(operand, "ibs")) != NULL)
        d->ibs = number_of(c, v, true);
    else if ((v = value_of(operand, "obs")) != NULL)
        d->obs = number_of(c, v, true);
    else if ((v = value_of(operand, "cbs")) != NULL)
        d->cbs = number_of(c, v, true);
    else if (!read_amount(d, operand))
        wk_usage(c, "unrecognized operand %s", wk_quote_arg(c, operand));
}

static bool several(unsigned set)
{
    return (set & (set - 1)) != 0;
}

static void check_symbols(struct dd *d)
{
    struct wk_cmd *c = d->c;
    if (several(d->conv & (DD_ASCII | DD_EBCDIC | DD_IBM)))
        wk_fail(c, 1, "cannot combine any two of {ascii,ebcdic,ibm}");
    if (several(d->conv & (DD_BLOCK | DD_UNBLOCK)))
        wk_fail(c, 1, "cannot combine block and unblock");
    if (several(d->conv & (DD_LCASE | DD_UCASE)))
        wk_fail(c, 1, "cannot combine lcase and ucase");
    if (several(d->conv & (DD_EXCL | DD_NOCREAT)))
        wk_fail(c, 1, "cannot combine excl and nocreat");
    if (several(d->iflags & (DD_F_DIRECT | DD_F_NOCACHE)) || several(d->oflags & (DD_F_DIRECT | DD_F_NOCACHE)))
        wk_fail(c, 1, "cannot combine direct and nocache");
}

static void read_operands(struct dd *d, struct operands *o)
{
    for (int i = 0; i < d->c->nargs; i++)
        read_operand(d, o, d->c->args[i]);
    if (o->bs)
        d->ibs = d->obs = o->bs;
    else
        d->conv |= DD_TWO_BUFFERS;
    if (!d->ibs)
        d->ibs = 512;
    if (!d->obs)
        d->obs = 512;
    if (!d->cbs)
        d->conv &= ~(unsigned)(DD_BLOCK | DD_UNBLOCK);
    d->count.bytes = d->count.bytes || d->iflags & DD_F_COUNT_BYTES;
    d->skip.bytes = d->skip.bytes || d->iflags & DD_F_SKIP_BYTES;
    d->seek.bytes = d->seek.bytes || d->oflags & DD_F_SEEK_BYTES;
    check_symbols(d);
}

static void make_table(struct dd *d)
{
    const unsigned char *to = d->conv & DD_EBCDIC ? wk_dd_ebcdic : d->conv & DD_IBM ? wk_dd_ibm : NULL;
    for (unsigned i = 0; i < 256; i++) {
        unsigned char ch = d->conv & DD_ASCII ? wk_dd_ascii[i] : (unsigned char)i;
        if (d->conv & DD_UCASE && ch >= 'a' && ch <= 'z')
            ch = (unsigned char)(ch - 'a' + 'A');
        if (d->conv & DD_LCASE && ch >= 'A' && ch <= 'Z')
            ch = (unsigned char)(ch - 'A' + 'a');
        d->table[i] = to ? to[ch] : ch;
    }
    d->translate = (d->conv & (DD_ASCII | DD_EBCDIC | DD_IBM | DD_UCASE | DD_LCASE)) != 0;
}

/* ---- files ------------------------------------------------------------------------------------- */

static WK_NORETURN void fail_file(struct wk_cmd *c, const char *what, const char *name, int err)
{
    wk_fail(c, 1, "%s %s: %s", what, wk_quote(c, name), wk_err_text(err));
}

/* What flags of an open file can be set. 0 or a positive code. */
static int check_flags(struct dd *d, struct wk_file *f, unsigned set)
{
    struct wk_stat st;
    if (!f)
        return set & ~(unsigned)(DD_F_FULLBLOCK | DD_F_COUNT_BYTES | DD_F_SKIP_BYTES | DD_F_SEEK_BYTES) ? WK_EBADF : 0;
    int r = wk_file_stat(f, &st);
    if (set & DD_F_DIRECTORY && (r < 0 || !WK_S_ISDIR(st.mode)))
        return WK_ENOTDIR;
    bool theirs = r >= 0 && d->c->proc->cred.uid != 0 && d->c->proc->cred.uid != st.uid;
    if (set & DD_F_NOATIME && theirs && (WK_S_ISREG(st.mode) || WK_S_ISDIR(st.mode)))
        return WK_EPERM;
    if (set & DD_F_APPEND)
        f->flags |= WK_FILE_APPEND;
    if (set & DD_F_NONBLOCK)
        f->flags |= WK_FILE_NONBLOCK;
    return 0;
}

static int open_flags(unsigned set)
{
    return (set & DD_F_DIRECTORY ? WK_O_DIRECTORY : 0) | (set & DD_F_NOFOLLOW ? WK_O_NOFOLLOW : 0) |
           (set & DD_F_NONBLOCK ? WK_O_NONBLOCK : 0) | (set & DD_F_APPEND ? WK_O_APPEND : 0);
}

static void open_input(struct dd *d, const char *name)
{
    struct wk_cmd *c = d->c;
    d->in_name = name ? name : "standard input";
    if (!name) {
        d->in = c->in->file;
        int err = check_flags(d, d->in, d->iflags);
        if (err)
            fail_file(c, "setting flags for", d->in_name, err);
        return;
    }
    int err = wk_cmd_open(c, name, WK_O_RDONLY | open_flags(d->iflags), 0, &d->in);
    if (!err)
        err = check_flags(d, d->in, d->iflags & DD_F_NOATIME);
    if (err)
        fail_file(c, "failed to open", name, err);
}

/* The file is cut at the place where writing begins. */
static void cut_output(struct dd *d)
{
    struct wk_cmd *c = d->c;
    int64_t size = d->seek.n;
    if (!d->seek.bytes && __builtin_mul_overflow(d->seek.n, d->obs, &size))
        wk_fail(c, 1, "offset too large: cannot truncate to a length of seek=%lld (%lld-byte) blocks", 
                (long long)d->seek.n, (long long)d->obs);
    struct wk_vfile *v = d->out->kind == WK_FILE_VFS ? wk_file_vfile(d->out) : NULL;
    int r = v ? wk_vfile_truncate(v, size) : 0;
    if (r < 0)
        wk_fail(c, 1, "failed to truncate to %lld bytes in output file %s: %s", (long long)size,
                wk_quote(c, d->out_name), wk_err_text(-r));
}

static void open_output(struct dd *d, const char *name)
{
    struct wk_cmd *c = d->c;
    d->out_name = name ? name : "standard output";
    if (!name) {
        d->out = c->out->file;
        int err = check_flags(d, d->out, d->oflags);
        if (err)
            fail_file(c, "setting flags for", d->out_name, err);
        return;
    }
    int how = WK_O_WRONLY | open_flags(d->oflags);
    how |= (d->conv & DD_NOCREAT ? 0 : WK_O_CREAT) | (d->conv & DD_EXCL ? WK_O_EXCL : 0);
    /* Less than a block is no reason to keep what is there. */
    bool whole_blocks = (d->seek.bytes ? d->seek.n / d->obs : d->seek.n) != 0;
    if (!whole_blocks && !(d->conv & DD_NOTRUNC))
        how |= WK_O_TRUNC;
    int err = how & WK_O_DIRECTORY && how & WK_O_CREAT ? WK_EINVAL : wk_cmd_open(c, name, how, 0666, &d->out);
    if (!err)
        err = check_flags(d, d->out, d->oflags & DD_F_NOATIME);
    if (err)
        fail_file(c, "failed to open", name, err);
    if (whole_blocks && !(d->conv & DD_NOTRUNC))
        cut_output(d);
}

static int dd_main(struct wk_cmd *c)
{
    struct dd *d = wk_new(c, struct dd);
    struct operands o = {0};
    d->c = c;
    d->carry = -1;
    read_operands(d, &o);
    make_table(d);
    if (d->oflags & DD_F_APPEND && !(d->conv & DD_NOTRUNC))
        wk_out_fmt(c->err, "%s: you probably want conv=notrunc with oflag=append\n", c->name);
    open_input(d, o.in);
    open_output(d, o.out);
    d->began = wk_cmd_monotonic(c);
    d->next_progress = d->began + 1000000000;
    wk_dd_quit(d, wk_dd_copy(d));
}

WK_COMMAND(dd, .summary = "copy a file, converting and formatting according to the operands",
           .usage = "dd [OPERAND]...\ndd OPTION",
           .std = "coreutils 9.1",
           .help = "if=FILE, of=FILE   read from FILE, write to FILE instead of the standard streams\n"
                   "bs=BYTES           read and write up to BYTES at a time; overrides ibs and obs\n"
                   "ibs=BYTES          read up to BYTES at a time (512)\n"
                   "obs=BYTES          write BYTES at a time (512)\n"
                   "cbs=BYTES          size of records for block and unblock\n"
                   "count=N            copy only N input blocks\n"
                   "skip=N, iseek=N    skip N input blocks at the start\n"
                   "seek=N, oseek=N    skip N output blocks at the start\n"
                   "status=LEVEL       none: only errors; noxfer: no last line; progress: a line each second\n"
                   "conv=LIST          ascii ebcdic ibm block unblock lcase ucase sparse swab sync excl nocreat\n"
                   "                   notrunc noerror fdatasync fsync\n"
                   "iflag=LIST         append direct directory dsync sync fullblock nonblock noatime nocache noctty\n"
                   "                   nofollow count_bytes skip_bytes\n"
                   "oflag=LIST         the same without fullblock; seek_bytes\n\n"
                   "Numbers may have a suffix: c 1, w 2, b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024, xM M, and\n"
                   "so on for G T P E Z Y. A number that ends in B counts bytes, not blocks. USR1 makes dd report.\n");
