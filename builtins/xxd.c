/* xxd.c - bytes as hexadecimal numbers and back
 *
 * Oracle: xxd 2022-01-14.
 */
#include "base/num.h"
#include "builtins/fsops.h"

enum { XXD_COLS_MAX = 256 };
enum xxd_form { XXD_HEX, XXD_BITS, XXD_LITTLE, XXD_PLAIN, XXD_INCLUDE };

struct xxd {
    struct wk_cmd *c;
    enum xxd_form form;
    bool skip_zeros, capital, decimal, ebcdic, upper, revert;
    bool cols_given, group_given, seek_relative, seek_back;
    int64_t cols, group, length, offset, seek;
    const char *name;
    struct wk_in *in;
    struct wk_out *out;
    uint64_t zeros; /* lines of zeros so far */
    size_t held_n;  /* the last of them */
    char held[16 * XXD_COLS_MAX];
};

static WK_NORETURN void usage(struct wk_cmd *c)
{
    wk_out_c(c->err, "Usage:\n       xxd [OPTION]... [FILE [OUTPUT]]\n       xxd -r [-s OFFSET] [-c COLS] [-p] "
                     "[FILE [OUTPUT]]\nTry 'xxd --help' for more information.\n");
    wk_exit(c, 1);
}

/* ---- dumps ------------------------------------------------------------------------------------- */

static char shown(const struct xxd *x, unsigned char b)
{
    static const char high[] = " ...........<(+|&.........!$*);~-/.........,%_>?.........`:#@'=\".abcdefghi......"
                               ".jklmnopqr^.......stuvwxyz...[...............]..{ABCDEFGHI......}JKLMNOPQR......"
                               "\\.STUVWXYZ......0123456789......";
    if (x->ebcdic)
        return b < 64 ? '.' : high[b - 64];
    return b >= ' ' && b < 127 ? (char)b : '.';
}

/* One line without its newline; gives its length. */
static size_t format_line(const struct xxd *x, const unsigned char *p, size_t n, int64_t address, char *line)
{
    const char *digits = x->upper ? "0123456789ABCDEF" : "0123456789abcdef";
    size_t group = (size_t)x->group, cols = (size_t)x->cols;
    size_t wide = (x->form == XXD_BITS ? 8 : 2) * group + 1;
    char number[WK_NUM_MAX];
    bool minus = x->decimal && address < 0;
    size_t len = wk_fmt_u64(number, minus ? (uint64_t)0 - (uint64_t)address : (uint64_t)address, x->decimal ? 10 : 16);
    size_t at = 0, head = WK_MAX(len + minus, (size_t)8);
    size_t text = head + 4 + (wide * cols - 1) / group;
    memset(line, ' ', WK_MIN(text + cols + wide, sizeof x->held));
    if (minus)
        line[at++] = '-';
    while (at + len < head)
        line[at++] = '0';
    memcpy(line + at, number, len);
    line[head++] = ':';
    for (size_t i = 0; i < n; i++) {
        size_t place = x->form == XXD_LITTLE ? i ^ (group - 1) : i;
        size_t to = head + 1 + wide * place / group;
        if (x->form == XXD_BITS) {
            for (int bit = 7; bit >= 0; bit--)
                line[to++] = p[i] >> bit & 1 ? '1' : '0';
        } else {
            line[to] = digits[p[i] >> 4];
            line[to + 1] = digits[p[i] & 15];
        }
        line[text + i] = shown(x, p[i]);
    }
    return text + n;
}

static void put_line(struct xxd *x, const char *line, size_t n)
{
    wk_out_put(x->out, line, n);
    wk_out_char(x->out, '\n');
}

/* What a run of lines of zeros leaves behind its first line: `last`: its last one is shown, too. */
static void end_zeros(struct xxd *x, bool last)
{
    uint64_t hidden = x->zeros ? x->zeros - 1 : 0;
    if (hidden > (last ? 2u : 1u))
        wk_out_c(x->out, "*\n");
    else if (hidden == (last ? 2u : 1u))
        put_line(x, x->held, x->held_n);
    x->zeros = 0;
}

static void dump_lines(struct xxd *x)
{
    unsigned char data[XXD_COLS_MAX];
    char line[sizeof x->held], second[sizeof x->held];
    size_t second_n = 0;
    int64_t address = x->offset + x->seek;
    uint64_t left = x->length < 0 ? UINT64_MAX : (uint64_t)x->length;
    size_t n = 0, len = 0;
    while (left && (n = wk_in_read(x->in, data, (size_t)WK_MIN(left, (uint64_t)x->cols))) > 0) {
        left -= n;
        bool zero = x->skip_zeros;
        for (size_t i = 0; zero && i < n; i++)
            zero = !data[i];
        len = format_line(x, data, n, address, line);
        address += (int64_t)n;
        if (!zero) {
            if (x->zeros == 2) {
                memcpy(x->held, second, second_n);
                x->held_n = second_n;
            }
            end_zeros(x, false);
        } else if (++x->zeros > 1) {
            if (x->zeros == 2) {
                memcpy(second, line, len);
                second_n = len;
            }
            continue;
        }
        put_line(x, line, len);
    }
    if (x->zeros > 1) {
        memcpy(x->held, second, second_n);
        x->held_n = second_n;
        end_zeros(x, true);
        put_line(x, line, len);
    }
}

static void dump_plain(struct xxd *x)
{
    const char *digits = x->upper ? "0123456789ABCDEF" : "0123456789abcdef";
    uint64_t left = x->length < 0 ? UINT64_MAX : (uint64_t)x->length, in_line = 0;
    unsigned char data[4096];
    size_t n;
    while (left && (n = wk_in_read(x->in, data, (size_t)WK_MIN(left, (uint64_t)sizeof data))) > 0) {
        left -= n;
        for (size_t i = 0; i < n; i++) {
            wk_out_char(x->out, digits[data[i] >> 4]);
            wk_out_char(x->out, digits[data[i] & 15]);
            if (++in_line == (uint64_t)x->cols) {
                wk_out_char(x->out, '\n');
                in_line = 0;
            }
        }
    }
    if (in_line)
        wk_out_char(x->out, '\n');
}

static void put_name(struct xxd *x)
{
    if (wk_is_digit((unsigned char)x->name[0]))
        wk_out_c(x->out, "__");
    for (const char *p = x->name; *p; p++) {
        unsigned char ch = (unsigned char)*p;
        char out = wk_is_alnum(ch) ? (char)ch : '_';
        wk_out_char(x->out, x->capital ? (char)wk_to_upper((unsigned char)out) : out);
    }
}

static void dump_include(struct xxd *x)
{
    uint64_t left = x->length < 0 ? UINT64_MAX : (uint64_t)x->length, total = 0;
    unsigned char data[4096];
    size_t n;
    if (x->name) {
        wk_out_c(x->out, "unsigned char ");
        put_name(x);
        wk_out_c(x->out, "[] = {\n");
    }
    while (left && (n = wk_in_read(x->in, data, (size_t)WK_MIN(left, (uint64_t)sizeof data))) > 0) {
        left -= n;
        for (size_t i = 0; i < n; i++, total++) {
            bool first = total % (uint64_t)x->cols == 0;
            wk_out_c(x->out, first ? (total ? ",\n  " : "  ") : ", ");
            if (x->upper)
                wk_out_fmt(x->out, "0X%02X", data[i]);
            else
                wk_out_fmt(x->out, "0x%02x", data[i]);
        }
    }
    if (total)
        wk_out_char(x->out, '\n');
    if (!x->name)
        return;
    wk_out_c(x->out, "};\nunsigned int ");
    put_name(x);
    wk_out_fmt(x->out, "%s = %llu;\n", x->capital ? "_LEN" : "_len", (unsigned long long)total);
}

/* Goes to the place -s names; x->seek is what addresses begin with then. */
static void seek_input(struct xxd *x)
{
    int64_t to = x->seek_back ? -x->seek : x->seek;
    if (!to && !x->seek_relative && !x->seek_back)
        return;
    int64_t at = wk_file_seek(x->in->file, to, x->seek_relative ? 1 : x->seek_back ? 2 : 0);
    if (at >= 0) {
        x->seek = at;
        return;
    }
    if (x->seek_back)
        wk_fail(x->c, 4, "Sorry, cannot seek.");
    char skipped[4096];
    for (int64_t left = to; left > 0;) {
        size_t n = wk_in_read(x->in, skipped, (size_t)WK_MIN(left, (int64_t)sizeof skipped));
        if (!n)
            wk_fail(x->c, 4, "Sorry, cannot seek.");
        left -= (int64_t)n;
    }
}

/* ---- back to bytes ----------------------------------------------------------------------------- */

struct reverse {
    struct xxd *x;
    int d[3]; /* values of the last three characters, -1: no digits */
    bool in_address, skip, any; /* any: the address has digits */
    uint64_t base; /* address of the line */
    uint64_t count, at; /* bytes in the line; where the output stands */
};

/* Brings the output to the place of the next byte. */
static void seek_output(struct reverse *r)
{
    struct xxd *x = r->x;
    int64_t to = (int64_t)(r->base + r->count) + x->offset;
    if (to == (int64_t)r->at)
        return;
    (void)wk_out_flush(x->out);
    if (to < 0 || !x->out->file || wk_file_seek(x->out->file, to, 0) < 0) {
        if (to < (int64_t)r->at)
            wk_fail(x->c, 5, "Sorry, cannot seek backwards.");
        for (; (int64_t)r->at < to; r->at++) {
            wk_out_char(x->out, '\0');
            wk_tick(x->c, 1);
        }
    }
    r->at = (uint64_t)to;
}

static void put_byte(struct reverse *r, unsigned char b)
{
    seek_output(r);
    wk_out_char(r->x->out, (char)b);
    r->at++;
    r->count++;
}

static int digit_of(unsigned char ch)
{
    if (wk_is_digit(ch))
        return ch - '0';
    return wk_is_xdigit(ch) ? wk_to_lower(ch) - 'a' + 10 : -1;
}

static void new_line(struct reverse *r)
{
    bool plain = r->x->form == XXD_PLAIN;
    if (!plain || r->skip)
        r->d[0] = r->d[1] = r->d[2] = -1;
    r->skip = false;
    if (plain)
        return;
    r->in_address = true;
    r->base = r->count = 0;
    r->any = false;
}

/* A character of the address, or the one that ends it. */
static void take_address(struct reverse *r, int digit)
{
    if (digit >= 0) {
        r->base = r->base << 4 | (uint64_t)digit;
        r->any = true;
    } else if (r->any) {
        r->in_address = false;
    }
}

static void take_char(struct reverse *r, unsigned char ch)
{
    bool plain = r->x->form == XXD_PLAIN;
    if (ch == '\r' || (plain && (ch == ' ' || ch == '\t')))
        return;
    if (ch == '\n' && !r->in_address) {
        new_line(r);
        return;
    }
    if (r->skip)
        return;
    r->d[2] = r->d[1];
    r->d[1] = r->d[0];
    r->d[0] = digit_of(ch);
    if (r->in_address) {
        take_address(r, r->d[0]);
        return;
    }
    if (!plain && r->count >= (uint64_t)r->x->cols) {
        r->skip = true;
        return;
    }
    if (!plain)
        seek_output(r);
    if (r->d[1] >= 0 && r->d[0] >= 0) {
        put_byte(r, (unsigned char)(r->d[1] << 4 | r->d[0]));
        r->d[0] = -1;
    } else if (r->d[0] < 0 && r->d[1] < 0 && r->d[2] < 0 && (!plain || r->count)) {
        r->skip = true;
    }
}

static void revert(struct xxd *x)
{
    if (x->form != XXD_HEX && x->form != XXD_PLAIN)
        wk_fail(x->c, 255, "Sorry, cannot revert this type of hexdump");
    x->offset = x->seek_back ? -x->seek : x->seek;
    struct reverse r = {.x = x, .d = {-1, -1, 0}, .in_address = x->form != XXD_PLAIN};
    unsigned char data[4096];
    size_t n;
    while ((n = wk_in_read(x->in, data, sizeof data)) > 0)
        for (size_t i = 0; i < n; i++)
            take_char(&r, data[i]);
}

/* ---- arguments --------------------------------------------------------------------------------- */

/* A number as C writes it, as far as the text is one. */
static int64_t number_of(const char *s)
{
    int64_t v = 0;
    int err;
    s += strspn(s, " \t\n\v\f\r");
    if (!wk_scan_i64(wk_str_c(s), 0, &v, &err))
        return 0;
    return v;
}

/* The value of an option: behind its letter, or the next argument when `word` is the rest of its name. */
static const char *value_of(struct wk_cmd *c, int *i, const char *p, const char *word)
{
    if (p[1] && strncmp(p + 1, word, strlen(word)) != 0)
        return p + 1;
    if (*i + 1 >= c->nargs)
        usage(c);
    return c->args[++*i];
}

static void set_seek(struct xxd *x, const char *v)
{
    x->seek_relative = *v == '+';
    v += x->seek_relative;
    x->seek_back = *v == '-';
    v += x->seek_back;
    x->seek = number_of(v);
}

static void take_option(struct xxd *x, int *i)
{
    struct wk_cmd *c = x->c;
    const char *p = c->args[*i] + 1;
    if (*p == '-' && p[1])
        p++;
    switch (*p) {
    case 'a': x->skip_zeros = !x->skip_zeros; return;
    case 'b': x->form = XXD_BITS; return;
    case 'e': x->form = XXD_LITTLE; return;
    case 'u': x->upper = true; return;
    case 'p': x->form = XXD_PLAIN; return;
    case 'i': x->form = XXD_INCLUDE; return;
    case 'C': x->capital = true; return;
    case 'd': x->decimal = true; return;
    case 'r': x->revert = true; return;
    case 'E': x->ebcdic = true; return;
    case 'v': wk_out_c(c->err, "xxd 2022-01-14\n"); wk_exit(c, 0);
    case 'c':
        if (p[1] == 'a') {
            x->capital = true;
            return;
        }
        x->cols = number_of(value_of(c, i, p, "ols"));
        x->cols_given = true;
        return;
    case 'g':
        x->group = number_of(value_of(c, i, p, "roup"));
        x->group_given = true;
        return;
    case 'o': x->offset = number_of(value_of(c, i, p, "ffset")); return;
    case 's': set_seek(x, value_of(c, i, p, p[1] == 'k' ? "kip" : "eek")); return;
    case 'l': x->length = number_of(value_of(c, i, p, "en")); return;
    case 'n': x->name = value_of(c, i, p, "ame"); return;
    default: usage(c);
    }
}

static void settle(struct xxd *x)
{
    static const int cols[] = {16, 6, 16, 30, 12}, groups[] = {2, 1, 4, 0, 0};
    bool lines = x->form <= XXD_LITTLE;
    if (!x->cols_given || (!x->cols && x->form != XXD_PLAIN))
        x->cols = cols[x->form];
    if (x->cols < 0 || (lines && x->cols > XXD_COLS_MAX))
        wk_fail(x->c, 1, "invalid number of columns (max. 256).");
    if (!x->group_given || x->group < 0)
        x->group = groups[x->form];
    if (!lines)
        return;
    if (x->group < 1 || x->group > x->cols)
        x->group = x->cols;
    else if (x->form == XXD_LITTLE && (x->group & (x->group - 1)))
        wk_fail(x->c, 1, "number of octets per group must be a power of 2 with -e.");
}

static void open_files(struct xxd *x, int n, char **names)
{
    struct wk_cmd *c = x->c;
    struct wk_file *f;
    if (n > 2)
        usage(c);
    x->in = c->in;
    x->out = c->out;
    if (n && strcmp(names[0], "-") != 0) {
        int err = wk_cmd_open(c, names[0], WK_O_RDONLY, 0, &f);
        if (err)
            wk_fail(c, 2, "%s: %s", names[0], wk_err_text(err));
        struct wk_stat st;
        if (!wk_cmd_stat(c, names[0], true, &st) && (st.mode & WK_S_IFMT) == WK_S_IFDIR)
            wk_fail(c, 2, "%s", wk_err_text(WK_EISDIR));
        x->in = wk_in_of(c, f, names[0]);
        if (!x->name)
            x->name = names[0];
    }
    if (n == 2 && strcmp(names[1], "-") != 0) {
        uint32_t flags = x->revert ? WK_O_RDWR | WK_O_CREAT : WK_O_RDWR | WK_O_CREAT | WK_O_TRUNC;
        int err = wk_cmd_open(c, names[1], (int)flags, 0666, &f);
        if (err)
            wk_fail(c, 3, "%s: %s", names[1], wk_err_text(err));
        x->out = wk_out_of(c, f);
    }
}

static int xxd_main(struct wk_cmd *c)
{
    struct xxd *x = wk_new(c, struct xxd);
    x->c = c;
    x->length = -1;
    int i = 0;
    for (; i < c->nargs && c->args[i][0] == '-' && c->args[i][1]; i++) {
        if (!strcmp(c->args[i], "--")) {
            i++;
            break;
        }
        take_option(x, &i);
    }
    settle(x);
    open_files(x, c->nargs - i, c->args + i);
    if (x->revert) {
        revert(x);
    } else {
        seek_input(x);
        if (x->form == XXD_PLAIN)
            dump_plain(x);
        else if (x->form == XXD_INCLUDE)
            dump_include(x);
        else
            dump_lines(x);
    }
    if (x->out != c->out && wk_out_close(x->out))
        return 3;
    return c->status;
}

WK_COMMAND(xxd, .summary = "bytes as hexadecimal numbers and back", .usage = "xxd [OPTION]... [FILE [OUTPUT]]",
           .help = "  -a        show of several lines of zeros the first, and a star\n"
                   "  -b        binary digits\n"
                   "  -c COLS   bytes in a line\n"
                   "  -C        names in capital letters (with -i)\n"
                   "  -d        decimal addresses\n"
                   "  -e        little-endian groups\n"
                   "  -E        characters are EBCDIC\n"
                   "  -g BYTES  bytes in a group\n"
                   "  -h        the same as --help\n"
                   "  -i        as an array in C\n"
                   "  -l LEN    show LEN bytes\n"
                   "  -n NAME   name of the array\n"
                   "  -o OFF    add OFF to the addresses\n"
                   "  -p, -ps   digits alone\n"
                   "  -r        make bytes of a dump\n"
                   "  -s SEEK   begin at SEEK; +: from where it stands, -: from the end; -r: add to addresses\n"
                   "  -u        upper-case digits\n"
                   "  -v        the same as --version",
           .std = "xxd 2022-01-14", .flags = WK_CMD_RAW_ARGS | WK_CMD_FILTER);
