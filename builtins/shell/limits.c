/* limits.c - ulimit: what the shell may use
 *
 * Standard: POSIX XCU ulimit; bash 4.2. Oracle: bash 5.2.
 *
 * The numbers are the session's. A script cannot change them: what is no change is accepted, and so is
 * asking for less of what nothing here counts.
 */
#include "base/num.h"
#include "interp/builtin.h"

extern const struct wk_builtin wk_builtin_ulimit;

struct resource {
    char letter;
    const char *what, *unit;
    uint32_t scale;
};

/* In the order of -a. */
static const struct resource resources[] = {
    {'R', "real-time non-blocking time", "microseconds", 1},
    {'c', "core file size", "blocks", 1024},
    {'d', "data seg size", "kbytes", 1024},
    {'e', "scheduling priority", NULL, 1},
    {'f', "file size", "blocks", 1024},
    {'i', "pending signals", NULL, 1},
    {'l', "max locked memory", "kbytes", 1024},
    {'m', "max memory size", "kbytes", 1024},
    {'n', "open files", NULL, 1},
    {'p', "pipe size", "512 bytes", 512},
    {'q', "POSIX message queues", "bytes", 1},
    {'r', "real-time priority", NULL, 1},
    {'s', "stack size", "kbytes", 1024},
    {'t', "cpu time", "seconds", 1},
    {'u', "max user processes", NULL, 1},
    {'v', "virtual memory", "kbytes", 1024},
    {'x', "file locks", NULL, 1},
};

#define UNLIMITED UINT64_MAX

/* The limit in the unit that is printed. */
static uint64_t current(const struct wk_shell *sh, const struct resource *r)
{
    const struct wk_limits *l = &sh->k->limits;
    uint64_t v = UNLIMITED;
    switch (r->letter) {
    case 'c':
    case 'e':
    case 'r':
    case 'q':
        return 0;
    case 'p':
        return 8;
    case 'f':
        v = l->file_size;
        break;
    case 'd':
    case 'm':
    case 'v':
        v = l->memory;
        break;
    case 'n':
        return l->fds;
    case 'u':
        return l->tasks;
    case 't':
        return l->time_ns ? l->time_ns / UINT64_C(1000000000) : UNLIMITED;
    case 's':
        return 8192;
    default:
        return UNLIMITED;
    }
    return v == UNLIMITED ? v : v / r->scale;
}

static void put_value(struct wk_buf *b, uint64_t v)
{
    if (v == UNLIMITED)
        wk_buf_put_c(b, "unlimited\n");
    else
        wk_buf_fmt(b, "%llu\n", (unsigned long long)v);
}

static void put_row(struct wk_shell *sh, struct wk_buf *b, const struct resource *r)
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
    put_value(b, current(sh, r));
    wk_buf_release(&unit);
}

static enum wk_flow set_limit(struct wk_shell *sh, const struct resource *r, struct wk_str s)
{
    uint64_t now = current(sh, r), v;
    if (wk_str_is(s, "unlimited")) {
        v = UNLIMITED;
    } else if (wk_str_is(s, "hard") || wk_str_is(s, "soft")) {
        v = now;
    } else if (wk_parse_u64(s, 10, &v) != 0) {
        wk_sh_builtin_error(sh, "ulimit", "%s: invalid number", s.p);
        return wk_status(sh, 1);
    }
    /* The limits are the host's: a script can neither raise nor lower one. */
    if (v != now) {
        wk_sh_builtin_error(sh, "ulimit", "%s: cannot modify limit: Operation not permitted",
                            r->what);
        return wk_status(sh, 1);
    }
    return wk_status(sh, 0);
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
    /* One word holds at most one resource: what is behind its letter is the value. */
    struct asked *v = wk_arena_alloc(&sh->arena, a->n * sizeof *v);
    if (!v)
        return wk_sh_nomem(sh);
    struct wk_getopt g = {.b = &wk_builtin_ulimit, .a = a, .spec = "SHacdefilmnpqrstuvxR"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        if (c == '?')
            return wk_status(sh, 2);
        if (c == 'a') {
            all = true;
        } else if (c != 'S' && c != 'H') {
            v[n] = (struct asked){.what = find_resource(c)};
            v[n].set = take_value(&g, &v[n].value);
            n++;
        }
    }
    if (n == 0) {
        v[n] = (struct asked){.what = find_resource('f')};
        v[n].set = take_value(&g, &v[n].value);
        n++;
    }
    struct wk_bout o;
    wk_bout_init(&o, sh, "ulimit");
    sh->status = 0;
    for (size_t i = 0; all && i < WK_COUNTOF(resources); i++)
        put_row(sh, &o.buf, &resources[i]);
    for (size_t i = 0; !all && i < n && sh->status == 0; i++) {
        if (v[i].set)
            (void)set_limit(sh, v[i].what, v[i].value);
        else if (n > 1)
            put_row(sh, &o.buf, v[i].what);
        else
            put_value(&o.buf, current(sh, v[i].what));
    }
    return wk_bout_finish(&o);
}

WK_BUILTIN(ulimit, .usage = "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]",
           .summary = "Show what the shell and its programs may use.",
           .help = "  -a   show everything\n"
                   "  -H   the hard limit; -S the soft one: here they are the same\n\n"
                   "The other letters choose a resource; -f (file size) is the default. A LIMIT above the\n"
                   "session's is refused.",
           .flags = WK_BUILTIN_POSIX, .run = ulimit_run);
