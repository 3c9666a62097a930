/* limits.c - ulimit: what the shell may use
 *
 * Standard: POSIX XCU ulimit; bash 4.2. Oracle: bash 5.2.
 *
 * The session's limits are where a process starts (kern/rlimit.h). Memory belongs to the session as a
 * whole: a script cannot lower it.
 */
#include "base/num.h"
#include "interp/builtin.h"
#include "kern/rlimit.h"

extern const struct wk_builtin wk_builtin_ulimit;

enum { PIPE_SIZE = -1 }; /* no limit that can be set */

struct resource {
    char letter;
    const char *what, *unit;
    uint32_t scale;
    int limit; /* enum wk_rlimit or PIPE_SIZE */
};

/* In the order of -a. */
static const struct resource resources[] = {
    {'R', "real-time non-blocking time", "microseconds", 1, WK_RLIMIT_RTTIME},
    {'c', "core file size", "blocks", 1024, WK_RLIMIT_CORE},
    {'d', "data seg size", "kbytes", 1024, WK_RLIMIT_DATA},
    {'e', "scheduling priority", NULL, 1, WK_RLIMIT_NICE},
    {'f', "file size", "blocks", 1024, WK_RLIMIT_FSIZE},
    {'i', "pending signals", NULL, 1, WK_RLIMIT_SIGPENDING},
    {'l', "max locked memory", "kbytes", 1024, WK_RLIMIT_MEMLOCK},
    {'m', "max memory size", "kbytes", 1024, WK_RLIMIT_RSS},
    {'n', "open files", NULL, 1, WK_RLIMIT_NOFILE},
    {'p', "pipe size", "512 bytes", 512, PIPE_SIZE},
    {'q', "POSIX message queues", "bytes", 1, WK_RLIMIT_MSGQUEUE},
    {'r', "real-time priority", NULL, 1, WK_RLIMIT_RTPRIO},
    {'s', "stack size", "kbytes", 1024, WK_RLIMIT_STACK},
    {'t', "cpu time", "seconds", 1, WK_RLIMIT_CPU},
    {'u', "max user processes", NULL, 1, WK_RLIMIT_NPROC},
    {'v', "virtual memory", "kbytes", 1024, WK_RLIMIT_AS},
    {'x', "file locks", NULL, 1, WK_RLIMIT_LOCKS},
};

/* Which of the two numbers an invocation is about. */
struct sides {
    bool soft, hard;
};

static struct wk_rlim limit_of(const struct wk_shell *sh, const struct resource *r)
{
    if (r->limit == PIPE_SIZE)
        return (struct wk_rlim){4096, 4096};
    return wk_rlimit_get(sh->proc, (enum wk_rlimit)r->limit);
}

/* The limit in the unit that is printed. */
static uint64_t shown(const struct wk_shell *sh, const struct resource *r, bool hard)
{
    struct wk_rlim v = limit_of(sh, r);
    uint64_t n = hard ? v.hard : v.soft;
    return n == WK_RLIM_INFINITY ? n : n / r->scale;
}

static void put_value(struct wk_buf *b, uint64_t v)
{
    if (v == WK_RLIM_INFINITY)
        wk_buf_put_c(b, "unlimited\n");
    else
        wk_buf_fmt(b, "%llu\n", (unsigned long long)v);
}

static void put_row(struct wk_shell *sh, struct wk_buf *b, const struct resource *r, bool hard)
{
    struct wk_buf unit;
    wk_buf_init(&unit, sh->mem, 64);
    if (r->unit)
        wk_buf_fmt(&unit, "(%s, -%c) ", r->unit, r->letter);
    else
        wk_buf_fmt(&unit, "(-%c) ", r->letter);
    size_t width = strlen(r->what) < 20 ? 20 : strlen(r->what) + 2;
    wk_buf_put_c(b, r->what);
    wk_buf_fill(b, ' ', width - strlen(r->what));
    size_t room = width < 41 ? 41 - width : 1;
    if (unit.n < room)
        wk_buf_fill(b, ' ', room - unit.n);
    wk_buf_puts(b, wk_buf_str(&unit));
    put_value(b, shown(sh, r, hard));
    wk_buf_release(&unit);
}

static const char *refusal(int err)
{
    switch (err) {
    case -WK_EPERM:
        return "Operation not permitted";
    case -WK_EOPNOTSUPP:
        return "Operation not supported";
    case -WK_ENOMEM:
        return "Cannot allocate memory";
    default:
        return "Invalid argument";
    }
}

/* NULL, or what is wrong. The empty text is 0. */
static const char *parse_number(struct wk_str s, uint32_t scale, uint64_t *out)
{
    *out = 0;
    if (!s.n)
        return NULL;
    if (wk_str_starts(s, WK_STR("0x")))
        return "invalid hex number";
    for (size_t i = 0; i < s.n; i++) {
        if (!wk_is_digit(s.p[i]))
            return "invalid number";
    }
    if (wk_parse_u64(s, 10, out) != 0 || __builtin_mul_overflow(*out, scale, out))
        return "limit out of range";
    return NULL;
}

/* The operand as a number of the limit's own unit; false when it is none (told). */
static bool parse_value(struct wk_shell *sh, const struct resource *r, struct wk_str s, uint64_t *out)
{
    struct wk_rlim now = limit_of(sh, r);
    if (wk_str_is(s, "unlimited")) {
        *out = WK_RLIM_INFINITY;
    } else if (wk_str_is(s, "hard")) {
        *out = now.hard;
    } else if (wk_str_is(s, "soft")) {
        *out = now.soft;
    } else {
        const char *wrong = parse_number(s, r->scale, out);
        if (wrong)
            wk_sh_builtin_error(sh, "ulimit", "%s: %s", s.p, wrong);
        return !wrong;
    }
    return true;
}

static enum wk_flow set_limit(struct wk_shell *sh, const struct resource *r, struct wk_str s,
                              struct sides which)
{
    uint64_t v;
    if (!parse_value(sh, r, s, &v))
        return wk_status(sh, 1);
    struct wk_rlim want = limit_of(sh, r);
    if (which.soft)
        want.soft = v;
    if (which.hard)
        want.hard = v;
    int e = r->limit == PIPE_SIZE ? -WK_EINVAL
                                  : wk_rlimit_set(sh->proc, (enum wk_rlimit)r->limit, want);
    if (e)
        wk_sh_builtin_error(sh, "ulimit", "%s: cannot modify limit: %s", r->what, refusal(e));
    return wk_status(sh, e != 0);
}

static const struct resource *find_resource(int letter)
{
    for (size_t i = 0; i < WK_COUNTOF(resources); i++) {
        if (resources[i].letter == letter)
            return &resources[i];
    }
    return NULL;
}

/* What a resource's letter has behind it: the rest of the cluster, or the next word that is no option. */
static bool take_value(struct wk_getopt *g, struct wk_str *value)
{
    const struct wk_args *a = g->a;
    if (g->in) {
        *value = wk_str_from(a->v[g->at], g->in);
        g->in = 0;
        g->at++;
        return true;
    }
    if (g->at >= a->n || (a->v[g->at].n && a->v[g->at].p[0] == '-'))
        return false;
    *value = a->v[g->at++];
    return true;
}

struct asked {
    const struct resource *what;
    struct wk_str value;
    bool set;
};

static enum wk_flow ulimit_run(struct wk_shell *sh, const struct wk_args *a)
{
    size_t n = 0;
    bool all = false;
    struct sides which = {false, false};
    /* One word holds at most one resource: what is behind its letter is the value. */
    struct asked *v = wk_arena_alloc(&sh->arena, a->n * sizeof *v);
    if (!v)
        return wk_sh_nomem(sh);
    struct wk_getopt g = {.b = &wk_builtin_ulimit, .a = a, .spec = "SHacdefilmnpqrstuvxR"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        switch (c) {
        case '?':
            return wk_status(sh, 2);
        case 'a':
            all = true;
            break;
        case 'S':
            which.soft = true;
            break;
        case 'H':
            which.hard = true;
            break;
        default:
            v[n] = (struct asked){.what = find_resource(c)};
            v[n].set = take_value(&g, &v[n].value);
            n++;
            break;
        }
    }
    if (n == 0)
        v[n++] = (struct asked){.what = find_resource('f')};
    if (!all && !v[n - 1].set && g.at && g.at < a->n) { /* an operand, perhaps behind `--' */
        v[n - 1].set = true;
        v[n - 1].value = a->v[g.at];
    }
    bool show_hard = which.hard && !which.soft;
    if (!which.soft && !which.hard)
        which = (struct sides){true, true};
    struct wk_bout o;
    wk_bout_init(&o, sh, "ulimit");
    sh->status = 0;
    for (size_t i = 0; all && i < WK_COUNTOF(resources); i++)
        put_row(sh, &o.buf, &resources[i], show_hard);
    for (size_t i = 0; !all && i < n && sh->status == 0; i++) {
        if (v[i].set)
            (void)set_limit(sh, v[i].what, v[i].value, which);
        else if (n > 1)
            put_row(sh, &o.buf, v[i].what, show_hard);
        else
            put_value(&o.buf, shown(sh, v[i].what, show_hard));
    }
    return wk_bout_finish(&o);
}

WK_BUILTIN(ulimit, .usage = "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]",
           .summary = "Show or change what the shell and its programs may use.",
           .help = "  -a   show everything\n"
                   "  -H   the hard limit, which can only be lowered\n"
                   "  -S   the soft limit, which holds; without -H and -S both are set\n\n"
                   "The other letters choose a resource; -f (file size) is the default. A LIMIT is a\n"
                   "number, `hard', `soft' or `unlimited'. The session's own limits are the highest; of\n"
                   "memory they are also the lowest.",
           .flags = WK_BUILTIN_POSIX, .run = ulimit_run);
