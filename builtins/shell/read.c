/* read.c - read: one line (or record, or so many characters) into variables
 *
 * Standard: POSIX XCU read; bash 4.2. Oracle: bash 5.2.
 * Differs:  -e, -i and -s change nothing: the session's terminal has no line editor of its own.
 */
#include "base/num.h"
#include "base/utf8.h"
#include "interp/builtin.h"
#include "interp/expand.h"
#include "interp/trap.h"
#include "interp/vars.h"

#include <poll.h>

extern const struct wk_builtin wk_builtin_read;

enum { TIMED_OUT = 128 + WK_SIGALRM };

struct read_options {
    struct wk_str array, prompt;
    char delim;
    bool raw, has_array, exact, has_count, has_prompt, has_timeout;
    bool bytes; /* a character is a byte */
    int64_t count;
    int64_t timeout_ns;
    int fd;
};

struct record {
    struct wk_buf text;      /* bytes read, without the delimiter and without removed backslashes */
    struct wk_buf escaped;   /* one byte a text byte, 1 where a backslash protected it; empty = none */
    bool ended;              /* the delimiter (or the count) was reached */
    bool timed_out, failed;
    bool cut;                /* a NUL was swallowed: the value ends there */
};

/* ---- options ------------------------------------------------------------------------------------ */

static bool take_number(struct wk_shell *sh, struct wk_str s, int64_t *out)
{
    if (wk_parse_blanked(s, out) == 0 && *out >= 0)
        return true;
    bool zero = s.n > 1 && s.p[0] == '0';
    const char *kind = zero && wk_is_digit(s.p[1])      ? "invalid octal number"
                       : zero && (s.p[1] | 0x20) == 'x' ? "invalid hex number"
                                                        : "invalid number";
    wk_sh_builtin_error(sh, "read", "%.*s: %s", (int)s.n, s.p, kind);
    return false;
}

/* Digits, a point, digits, any of them left out. */
static bool is_decimal(struct wk_str s)
{
    size_t i = 0;
    while (i < s.n && wk_is_digit(s.p[i]))
        i++;
    i += i < s.n && s.p[i] == '.';
    while (i < s.n && wk_is_digit(s.p[i]))
        i++;
    return i == s.n;
}

static bool take_timeout(struct wk_shell *sh, struct read_options *o, struct wk_str s)
{
    bool sign = s.n && (s.p[0] == '-' || s.p[0] == '+');
    struct wk_str digits = wk_str_from(s, sign);
    bool ok = is_decimal(digits);
    o->timeout_ns = 0;
    if (ok && digits.n && !wk_str_is(digits, "."))
        ok = wk_parse_duration(digits, &o->timeout_ns) != -WK_EINVAL;
    if (ok && (!sign || s.p[0] == '+' || o->timeout_ns == 0)) {
        o->has_timeout = true;
        return true;
    }
    wk_sh_builtin_error(sh, "read", "%.*s: invalid timeout specification", (int)s.n, s.p);
    return false;
}

/* 0, or the status to return after a message. */
static int parse_options(struct wk_shell *sh, const struct wk_args *a, struct read_options *o, size_t *at)
{
    struct wk_getopt g = {.b = &wk_builtin_read, .a = a, .spec = "a:d:ei:n:N:p:rst:u:"};
    int64_t n;
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        switch (c) {
        case 'a':
            o->array = g.arg;
            o->has_array = true;
            break;
        case 'd':
            o->delim = g.arg.n ? g.arg.p[0] : '\0';
            break;
        case 'e':
        case 's':
        case 'i':
            break;
        case 'n':
        case 'N':
            if (!take_number(sh, g.arg, &o->count))
                return 1;
            o->has_count = true;
            o->exact = o->exact || c == 'N';
            break;
        case 'p':
            o->prompt = g.arg;
            o->has_prompt = true;
            break;
        case 'r':
            o->raw = true;
            break;
        case 't':
            if (!take_timeout(sh, o, g.arg))
                return 1;
            break;
        case 'u':
            if (wk_parse_blanked(g.arg, &n) != 0 || n < 0 || n > INT32_MAX) {
                wk_sh_builtin_error(sh, "read", "%s: invalid file descriptor specification", g.arg.p);
                return 1;
            }
            o->fd = (int)n;
            if (!wk_fd_get(sh->proc->fds, o->fd)) {
                wk_sh_builtin_error(sh, "read", "%d: invalid file descriptor: %s", o->fd,
                                    wk_err_text(WK_EBADF));
                return 1;
            }
            break;
        default:
            return 2;
        }
    }
    *at = g.at;
    return 0;
}

/* ---- reading ------------------------------------------------------------------------------------- */

static int64_t deadline_of(struct wk_shell *sh, const struct read_options *o)
{
    if (!o->has_timeout || o->timeout_ns == 0)
        return WK_FOREVER;
    int64_t now = wk_clock_monotonic(&sh->k->clock);
    return o->timeout_ns > WK_FOREVER - now ? WK_FOREVER : now + o->timeout_ns;
}

/* Some bytes that can be read now. Returns their number, 0 at the end, or -1 with r->… set or *flow. */
static ptrdiff_t next_bytes(struct wk_shell *sh, int fd, struct wk_file *f, int64_t until, struct record *r,
                            const char **p, enum wk_flow *flow)
{
    for (;;) {
        if (until != WK_FOREVER) {
            int w = wk_file_wait(sh->task, f, POLLIN, until);
            if (w == -WK_ETIMEDOUT) {
                r->timed_out = true;
                return -1;
            }
            if (w == -WK_ESTOP) {
                *flow = WK_STOP;
                return -1;
            }
        }
        ptrdiff_t n = wk_file_peek(sh->task, f, 1, p);
        if (n >= 0)
            return n;
        if (n == -WK_EINTR) {
            *flow = wk_traps_pending(sh);
            if (*flow != WK_NEXT)
                return -1;
            continue;
        }
        if (n == -WK_ESTOP || n == -WK_ENOMEM) {
            *flow = wk_sh_fail(sh, (int)n);
            return -1;
        }
        wk_sh_builtin_error(sh, "read", "read error: %d: %s", fd, wk_err_text((int)n));
        r->failed = true;
        return -1;
    }
}

static bool put_byte(struct record *r, char c, bool escaped)
{
    if (escaped && !r->escaped.n && r->text.n)
        wk_buf_fill(&r->escaped, 0, r->text.n);
    if (escaped || r->escaped.n)
        wk_buf_putc(&r->escaped, escaped);
    return wk_buf_putc(&r->text, c);
}

/* The fast way: no backslash handling, no count: whole pieces up to the delimiter. NULs vanish. */
static bool take_raw(struct record *r, const char *p, size_t n, char delim, size_t *used)
{
    const char *end = memchr(p, delim, n);
    size_t len = end ? (size_t)(end - p) : n;
    *used = end ? len + 1 : n;
    r->ended = end != NULL;
    while (len) {
        const char *nul = delim ? memchr(p, '\0', len) : NULL;
        size_t part = nul ? (size_t)(nul - p) : len;
        if (!wk_buf_put(&r->text, p, part))
            return false;
        part += nul != NULL;
        p += part;
        len -= part;
    }
    return true;
}

struct scan {
    bool backslash;     /* the byte before was an unprotected backslash */
    int64_t chars;      /* complete characters so far */
    unsigned more;      /* bytes missing from a multibyte character */
};

/* What is to come behind byte c, which begins a character: that byte alone tells, also of what is none in the end. */
static void begin_char(struct scan *s, const struct read_options *o, unsigned char c)
{
    bool leads = !o->bytes && c >= 0xc2 && c < 0xfe;
    s->more = leads ? 1u + (c >= 0xe0) + (c >= 0xf0) + (c >= 0xf8) + (c >= 0xfc) : 0;
}

/* A byte where a character's next one is due: it is taken whatever it is, and ends one that it does not fit. */
static void continue_char(struct scan *s, unsigned char c)
{
    s->more = wk_utf8_continues(c) ? s->more - 1 : 0;
}

/* A byte that begins a character: false when it is not stored. */
static bool take_first(struct record *r, struct scan *s, const struct read_options *o, char c, bool *ok)
{
    bool escaped = s->backslash;
    s->backslash = false;
    if (escaped ? c == '\n' || c == '\0' : c == '\0' && (o->delim || o->exact))
        return false; /* not counted */
    if (!escaped && c == '\\' && !o->raw) {
        s->backslash = true;
        return false;
    }
    if (!escaped && c == o->delim && !o->exact) {
        r->ended = true;
        return false;
    }
    *ok = r->cut || put_byte(r, c, escaped);
    begin_char(s, o, (unsigned char)c);
    return true;
}

/* Bytes one at a time: backslashes, counts of characters. */
static bool take_slow(struct record *r, struct scan *s, const struct read_options *o, const char *p,
                      size_t n, size_t *used)
{
    size_t i = 0;
    bool ok = true;
    while (i < n && !r->ended && ok) {
        char c = p[i++];
        if (s->more) {
            r->cut = r->cut || c == '\0';
            ok = r->cut || put_byte(r, c, false);
            continue_char(s, (unsigned char)c);
        } else if (!take_first(r, s, o, c, &ok)) {
            continue;
        }
        if (!s->more && o->has_count && ++s->chars >= o->count)
            r->ended = true;
    }
    *used = i;
    return ok;
}

/* Whether whole pieces may be taken: no counts, no backslashes, and no byte in front of the delimiter
 * that would swallow it. */
static bool is_plain(const struct record *r, const struct scan *s, const struct read_options *o,
                     const char *p, size_t n)
{
    if (o->has_count || s->backslash || s->more || r->cut || r->escaped.n || (!o->raw && memchr(p, '\\', n)))
        return false;
    const char *end = memchr(p, o->delim, n);
    struct wk_str line = wk_str(p, end ? (size_t)(end - p) : n);
    size_t ascii = o->bytes ? line.n : wk_utf8_ascii(line);
    return ascii == line.n || wk_utf8_valid(wk_str_from(line, ascii));
}

static enum wk_flow read_record(struct wk_shell *sh, const struct read_options *o, struct wk_file *f,
                                struct record *r)
{
    struct scan scan = {0};
    int64_t until = deadline_of(sh, o);
    enum wk_flow flow = WK_NEXT;
    if (o->has_count && o->count == 0) {
        r->ended = true;
        return WK_NEXT;
    }
    while (!r->ended) {
        const char *p;
        ptrdiff_t n = next_bytes(sh, o->fd, f, until, r, &p, &flow);
        if (n <= 0) { /* what is incomplete counts */
            r->ended = n == 0 && scan.more && o->has_count && scan.chars + 1 >= o->count;
            return flow;
        }
        size_t used;
        bool ok = is_plain(r, &scan, o, p, (size_t)n)
                      ? take_raw(r, p, (size_t)n, o->delim, &used)
                      : take_slow(r, &scan, o, p, (size_t)n, &used);
        wk_file_skip(f, used);
        if (!ok)
            return wk_sh_nomem(sh);
        if (wk_steps(sh->k, (uint32_t)(used / 64) + 1) != 0)
            return WK_STOP;
    }
    return WK_NEXT;
}

/* ---- assigning ------------------------------------------------------------------------------------ */

static int set_array(struct wk_shell *sh, const struct read_options *o, struct record *r)
{
    const struct wk_ifs *ifs = wk_vars_ifs(sh);
    size_t max = 2;
    for (size_t i = 0; i < r->text.n; i++)
        max += ifs->kind[(unsigned char)r->text.p[i]] != 0;
    struct wk_str *v = wk_arena_alloc(&sh->arena, max * sizeof *v);
    if (!v)
        return -WK_ENOMEM;
    if (!wk_str_is_name(o->array)) {
        wk_sh_builtin_error(sh, "read", "`%s': not a valid identifier", o->array.p);
        return -WK_EPERM;
    }
    size_t n = 1;
    if (o->exact && r->text.n) /* -N does not split */
        v[0] = wk_buf_str(&r->text);
    else
        n = r->text.n ? wk_split_read(ifs, r->text.p, r->text.n, v, max,
                                         r->escaped.n ? (const uint8_t *)r->escaped.p : NULL)
                         : 0;
    uint32_t name = wk_names_intern(sh->names, o->array);
    if (name == WK_NAME_NONE)
        return -WK_ENOMEM;
    const struct wk_var *var = wk_var_peek(sh, name);
    if (var && var->flags & WK_VAR_NOASSIGN) /* FUNCNAME, GROUPS… */
        return -WK_EPERM;
    int e = wk_var_set_list(sh, name, v, n);
    var = e ? wk_var_peek(sh, name) : NULL;
    if (var && var->flags & WK_VAR_NAMEREF && var->text) {
        uint32_t to = wk_names_find(sh->names, wk_val_str(var->text));
        var = to == WK_NAME_NONE ? NULL : wk_var_peek(sh, to);
    }
    if (var && (var->flags & (WK_VAR_ASSOC | WK_VAR_READONLY)) == WK_VAR_ASSOC)
        wk_sh_builtin_error(sh, "read", "%s: not an indexed array", o->array.p);
    return e;
}

static int set_names(struct wk_shell *sh, const struct read_options *o, struct record *r,
                     const struct wk_str *names, size_t n)
{
    static const struct wk_str reply = WK_STR_INIT("REPLY");
    struct wk_str whole = wk_buf_str(&r->text);
    if (n == 0)
        return wk_var_set_named(sh, "read", reply, whole);
    size_t got = 0;
    struct wk_str *v = wk_arena_alloc(&sh->arena, n * sizeof *v);
    if (!v)
        return -WK_ENOMEM;
    if (o->exact) {
        v[0] = whole;
        got = 1;
    } else if (whole.n) {
        got = wk_split_read(wk_vars_ifs(sh), r->text.p, r->text.n, v, n,
                            r->escaped.n ? (const uint8_t *)r->escaped.p : NULL);
    }
    for (size_t i = 0; i < n; i++) {
        int e = wk_var_set_named(sh, "read", names[i], i < got ? v[i] : WK_STR(""));
        if (e) /* what comes behind stays as it is */
            return e;
    }
    return 0;
}

static enum wk_flow finish(struct wk_shell *sh, const struct read_options *o, struct record *r,
                           const struct wk_str *names, size_t n)
{
    int e = o->has_array ? set_array(sh, o, r) : set_names(sh, o, r, names, n);
    if (e == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    int status = r->timed_out ? TIMED_OUT : r->ended ? 0 : 1;
    return wk_status(sh, e ? 1 : status);
}

/* -t 0: is there anything to read? */
static enum wk_flow probe(struct wk_shell *sh, struct wk_file *f)
{
    int w = wk_file_wait(sh->task, f, POLLIN, wk_clock_monotonic(&sh->k->clock));
    return w == -WK_ESTOP ? WK_STOP : wk_status(sh, w == 0 ? 0 : 1);
}

static enum wk_flow read_run(struct wk_shell *sh, const struct wk_args *a)
{
    struct read_options o = {.delim = '\n', .bytes = sh->st->bytes};
    size_t at;
    int bad = parse_options(sh, a, &o, &at);
    if (bad)
        return wk_status(sh, bad);
    if (!o.has_array && at < a->n && !wk_str_is_name(a->v[at]) && wk_str_chr(a->v[at], '[') <= 0) {
        wk_sh_builtin_error(sh, "read", "`%s': not a valid identifier", a->v[at].p);
        return wk_status(sh, 1);
    }
    struct wk_file *f = wk_fd_get(sh->proc->fds, o.fd);
    if (!f && o.has_timeout && o.timeout_ns == 0)
        return wk_status(sh, 1);
    if (!f) {
        wk_sh_builtin_error(sh, "read", "read error: %d: %s", o.fd, wk_err_text(WK_EBADF));
        return wk_status(sh, 1);
    }
    if (o.has_timeout && o.timeout_ns == 0)
        return probe(sh, f);
    if (o.has_prompt && f->is_tty && wk_sh_write(sh, 2, o.prompt) == -WK_ESTOP)
        return WK_STOP;
    struct record r = {0};
    wk_buf_init(&r.text, sh->mem, SIZE_MAX / 2);
    wk_buf_init(&r.escaped, sh->mem, SIZE_MAX / 2);
    wk_file_ref(f);
    enum wk_flow flow = read_record(sh, &o, f, &r);
    wk_file_unref(f);
    if (flow == WK_NEXT && r.failed)
        flow = wk_status(sh, 1);
    else if (flow == WK_NEXT)
        flow = finish(sh, &o, &r, a->v + at, a->n - at);
    wk_buf_release(&r.text);
    wk_buf_release(&r.escaped);
    return flow;
}

WK_BUILTIN(read,
           .usage = "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] "
                    "[-t timeout] [-u fd] [name ...]",
           .summary = "Read a line and split it into variables.",
           .help = "Reads a line from standard input, splits it by $IFS and sets each NAME to a field, the\n"
                   "last one to the rest; without NAMEs the whole line goes to REPLY. A backslash quotes\n"
                   "the character after it.\n\n"
                   "  -a array    set ARRAY to the fields, from index 0\n"
                   "  -d delim    the line ends at the first character of DELIM (empty: NUL)\n"
                   "  -e, -i text, -s   for line editors and terminals; without effect here\n"
                   "  -n nchars   at most NCHARS characters, fewer when the line ends\n"
                   "  -N nchars   exactly NCHARS characters unless the input ends; no splitting\n"
                   "  -p prompt   print PROMPT first when reading from a terminal\n"
                   "  -r          backslashes are ordinary characters\n"
                   "  -t timeout  give up after so many seconds (status above 128); 0: only test whether\n"
                   "              there is input\n"
                   "  -u fd       read from descriptor FD\n\n"
                   "Status 0 unless the input ended, time ran out, or a variable could not be set.",
           .flags = WK_BUILTIN_OWN, .run = read_run);
