/* prompt.c - prompt strings: backslash escapes and expansion */
#include "interp/prompt.h"

#include "interp/expand.h"
#include "base/num.h"
#include "interp/history.h"
#include "interp/jobs.h"
#include "interp/shared.h"
#include "text/date/date.h"

void wk_sh_put_time(struct wk_shell *sh, struct wk_buf *b, struct wk_str format, int64_t sec)
{
    char scratch[24];
    struct wk_str zone;
    struct wk_tz *own = NULL;
    struct wk_tm tm;
    uint32_t id = wk_names_find(sh->names, WK_STR("TZ"));
    if (id != WK_NAME_NONE && wk_var_get(sh, id, scratch, &zone) && zone.n)
        if (wk_tz_posix(sh->mem, zone, &own) != 0)
            own = NULL;
    struct wk_instant t = {.sec = sec};
    if (wk_tz_local(own ? own : wk_tz_utc(), t, &tm))
        (void)wk_strftime_libc(b, format, &tm);
    wk_tz_free(own);
}

static void put_time(struct wk_shell *sh, struct wk_buf *b, struct wk_str format)
{
    wk_sh_put_time(sh, b, format, wk_clock_realtime(&sh->k->clock) / 1000000000);
}

/* Is the prompt expanded once its escapes are replaced? */
static bool expands(const struct wk_shell *sh)
{
    return wk_shopt(sh, PROMPTVARS) || wk_opt(sh, POSIX);
}

/* $PROMPT_DIRTRIM: that many of the last parts of a directory are shown. 0: all. */
static int64_t kept_parts(struct wk_shell *sh)
{
    char scratch[24];
    struct wk_str s;
    int64_t n;
    uint32_t id = wk_names_find(sh->names, WK_STR("PROMPT_DIRTRIM"));
    if (id == WK_NAME_NONE || !wk_var_get(sh, id, scratch, &s) || wk_parse_i64(wk_str_trim(s), 10, &n) != 0)
        return 0;
    return WK_MAX(n, 0);
}

/* Where the last `parts` of dir begin, when `by` bytes in place of the others make it shorter; 0: all of it stays. */
static size_t trim_start(struct wk_str dir, int64_t parts, size_t by)
{
    size_t at = dir.n;
    while (at > 0 && parts > 0)
        parts -= dir.p[--at] == '/';
    return !parts && at > by ? at : 0;
}

/* The working directory, ~ for $HOME. */
static void put_directory(struct wk_shell *sh, struct wk_buf *b, bool last)
{
    char scratch[24];
    struct wk_str home, cwd = sh->st->cwd ? wk_val_str(sh->st->cwd) : WK_STR("/");
    bool has_home = wk_var_get(sh, wk_known(sh, WK_KNOWN_HOME), scratch, &home) && home.n > 1 &&
                    wk_str_starts(cwd, home) && (cwd.n == home.n || cwd.p[home.n] == '/');
    if (has_home && (!last || cwd.n == home.n)) {
        wk_buf_putc(b, '~');
        cwd = wk_str_from(cwd, home.n);
    } else if (last && cwd.n > 1) {
        cwd = wk_str_from(cwd, (size_t)(wk_str_rchr(cwd, '/') + 1));
    }
    int64_t parts = last ? 0 : kept_parts(sh);
    const char *dots = has_home ? "/..." : "...";
    size_t start = parts ? trim_start(cwd, parts, strlen(dots)) : 0;
    if (start) {
        wk_buf_put_c(b, dots);
        cwd = wk_str_from(cwd, start);
    }
    for (size_t i = 0; i < cwd.n; i++) { /* a name is not to be expanded */
        if (expands(sh) && memchr("$`\"\\", cwd.p[i], 4))
            wk_buf_putc(b, '\\');
        wk_buf_putc(b, cwd.p[i]);
    }
}

/* \nnn: of the next three characters, or of what there is at the end. 0 when one is no octal digit. */
static size_t put_octal(struct wk_buf *b, struct wk_str s)
{
    size_t n = 0;
    unsigned v = 0;
    while (n < 3 && n < s.n && s.p[n] >= '0' && s.p[n] <= '7')
        v = v * 8 + (unsigned)(s.p[n++] - '0');
    if (n < 3 && n < s.n)
        return 0;
    if (v & 0xff)
        wk_buf_putc(b, (char)(v & 0xff));
    return n;
}

/* Of the next command: in a command that is kept already, its own. */
static void put_history_number(struct wk_shell *sh, struct wk_buf *b)
{
    wk_buf_put_i64(b, wk_history_base(sh) + wk_history_count(sh) -
                          (wk_opt(sh, HISTORY) && !sh->no_history && sh->st->history->line_kept));
}

static void put_job_count(struct wk_shell *sh, struct wk_buf *b)
{
    int64_t n = 0;
    for (const struct wk_job *j = sh->now.jobs && !wk_jobs_are_inherited(sh) ? wk_jobs_first(sh) : NULL; j; j = j->next)
        n++;
    wk_buf_put_i64(b, n);
}

/* One escape: s begins behind the backslash. Returns the bytes used. */
static size_t put_escape(struct wk_shell *sh, struct wk_buf *b, struct wk_str s)
{
    struct wk_str host = wk_str_c(sh->k->hostname);
    ptrdiff_t dot = wk_str_chr(host, '.');
    static const char plain[][2] = {{'a', '\a'}, {'e', '\033'}, {'n', '\n'}, {'r', '\r'}};
    for (size_t i = 0; i < WK_COUNTOF(plain); i++) {
        if (s.p[0] == plain[i][0]) {
            wk_buf_putc(b, plain[i][1]);
            return 1;
        }
    }
    switch (s.p[0]) {
    case '[':
    case ']':
        return 1;
    case 'd':
        put_time(sh, b, WK_STR("%a %b %d"));
        return 1;
    case 't':
        put_time(sh, b, WK_STR("%H:%M:%S"));
        return 1;
    case 'T':
        put_time(sh, b, WK_STR("%I:%M:%S"));
        return 1;
    case '@':
        put_time(sh, b, WK_STR("%I:%M %p"));
        return 1;
    case 'A':
        put_time(sh, b, WK_STR("%H:%M"));
        return 1;
    case 'h':
        wk_buf_puts(b, dot < 0 ? host : wk_str_take(host, (size_t)dot));
        return 1;
    case 'H':
        wk_buf_puts(b, host);
        return 1;
    case 'u':
        wk_buf_put_c(b, sh->k->user);
        return 1;
    case 's': {
        struct wk_str name = wk_str_c(sh->name);
        if (sh->main_frame.source && wk_str_eq(name, wk_val_str(sh->main_frame.source)))
            name = WK_STR("bash"); /* $0 is the script */
        wk_buf_puts(b, wk_str_from(name, (size_t)(wk_str_rchr(name, '/') + 1)));
        return 1;
    }
    case 'v':
        wk_buf_put_c(b, "5.2");
        return 1;
    case 'V':
        wk_buf_put_c(b, "5.2.15");
        return 1;
    case 'w':
    case 'W':
        put_directory(sh, b, s.p[0] == 'W');
        return 1;
    case 'j':
        put_job_count(sh, b);
        return 1;
    case 'l':
        wk_buf_put_c(b, "tty");
        return 1;
    case '!':
        put_history_number(sh, b);
        return 1;
    case '#':
        wk_buf_put_i64(b, sh->command_number);
        return 1;
    case '$':
        if (sh->proc->cred.uid == 0)
            wk_buf_putc(b, '#');
        else /* it must survive the expansion that follows */
            wk_buf_put_c(b, expands(sh) ? "\\$" : "$");
        return 1;
    case '\\':
        wk_buf_putc(b, '\\');
        return 1;
    default:
        if (s.p[0] >= '0' && s.p[0] <= '7') {
            size_t n = put_octal(b, s);
            if (n)
                return n;
        }
        wk_buf_putc(b, '\\');
        wk_buf_putc(b, s.p[0]);
        return 1;
    }
}

/* \D{format} */
static size_t put_date(struct wk_shell *sh, struct wk_buf *b, struct wk_str s)
{
    if (s.n < 2 || s.p[1] != '{')
        return 0;
    ptrdiff_t end = wk_str_chr(s, '}');
    size_t n = end < 0 ? s.n : (size_t)end;
    struct wk_str format = wk_str(s.p + 2, n - 2);
    put_time(sh, b, format.n ? format : WK_STR("%X"));
    return n + (end >= 0);
}

enum wk_flow wk_prompt_expand(struct wk_shell *sh, struct wk_str text, struct wk_str *out)
{
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    for (size_t i = 0; i < text.n; i++) {
        if (WK_UNLIKELY(text.p[i] == '!') && wk_opt(sh, POSIX)) {
            bool two = i + 1 < text.n && text.p[i + 1] == '!';
            i += two;
            if (two)
                wk_buf_putc(&b, '!');
            else
                put_history_number(sh, &b);
            continue;
        }
        if (text.p[i] != '\\' || i + 1 >= text.n) {
            wk_buf_putc(&b, text.p[i]);
            continue;
        }
        struct wk_str rest = wk_str(text.p + i + 1, text.n - i - 1);
        size_t n = rest.p[0] == 'D' ? put_date(sh, &b, rest) : 0;
        i += n ? n : put_escape(sh, &b, rest);
    }
    char *p = b.failed ? NULL : wk_arena_strndup(&sh->arena, wk_buf_c(&b), b.n);
    *out = wk_str(p, b.n);
    wk_buf_release(&b);
    if (!p)
        return wk_sh_nomem(sh);
    if (!expands(sh) ||
        !(memchr(p, '$', out->n) || memchr(p, '`', out->n) || memchr(p, '\\', out->n)))
        return WK_NEXT;
    bool outer = sh->expanding_prompt;
    int status = sh->status;
    struct wk_str raw = *out;
    sh->expanding_prompt = true;
    enum wk_flow flow = wk_expand_text(sh, raw, out);
    sh->expanding_prompt = outer;
    if (flow == WK_STOP)
        return flow;
    if (flow != WK_NEXT) /* told, and no more than that */
        *out = raw;
    sh->status = status;
    return WK_NEXT;
}
