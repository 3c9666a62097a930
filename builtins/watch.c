/* watch.c - run a command again and again and show what it prints
 *
 * Standard: procps 4.0.2. Oracle: watch (when it ends, its messages; its screen is a terminal's).
 * Differs:  docs/divergences/watch.md
 */
#include "base/fnum.h"
#include "base/num.h"
#include "base/utf8.h"
#include "builtins/launch.h"
#include "builtins/zone.h"

enum { FRAME_MAX = 1 << 26, ERROR_STATUS = 8 };

struct watch_opts {
    bool beep, color, on_error, on_change, precise, no_title, no_wrap, direct;
    const char *interval, *cycles, *differences;
};

struct watch {
    struct wk_cmd *c;
    const struct watch_opts *o;
    int64_t interval; /* ns */
    int64_t cycles;   /* -1: none */
    const char *command;
    char **argv;
    int argc;
    size_t width;
    struct wk_buf *date, *now, *before,
        *marks; /* title; frames; which characters have ever changed, line by line */
    const struct wk_tz *zone;
    bool utf8;
};

/* ---- options */

static int64_t read_interval(struct watch *w)
{
    const char *text = w->o->interval, *env = wk_cmd_env(w->c, "WATCH_INTERVAL");
    double v = 2;
    bool from_env = !text && env;
    if (from_env)
        text = env;
    if (text) {
        char *copy = wk_dup(w->c, text), *comma = strchr(copy, ',');
        if (comma)
            *comma = '.';
        if (wk_parse_double(wk_str_c(copy), &v) != 0)
            wk_fail(w->c, 1,
                    from_env
                        ? "Could not parse interval from WATCH_INTERVAL: '%s': Invalid argument"
                        : "failed to parse argument: '%s': Invalid argument",
                    text);
    }
    v = v >= 0.1 ? v : 0.1;
    return v > 4294967295.0 ? INT64_C(4294967295000000000) : (int64_t)(v * 1e9);
}

static void read_options(struct watch *w)
{
    struct wk_cmd *c = w->c;
    uint64_t columns;
    if (w->o->cycles &&
        (wk_parse_i64(wk_str_c(w->o->cycles), 10, &w->cycles) != 0 || w->cycles < 0))
        wk_fail(c, 1, "failed to parse argument: '%s': Invalid argument", w->o->cycles);
    if (!w->o->cycles)
        w->cycles = -1;
    w->interval = read_interval(w);
    if (!c->nargs) {
        wk_out_fmt(c->err, "\nUsage:\n %s\n", c->command->usage);
        wk_exit(c, 1);
    }
    struct wk_buf *b = wk_cmd_buf(c, SIZE_MAX / 2);
    for (int i = 0; i < c->nargs; i++)
        wk_buf_fmt(b, i ? " %s" : "%s", c->args[i]);
    if (b->failed)
        wk_heap_exhausted(c->heap);
    w->command = wk_buf_c(b);
    w->argv = c->args;
    w->argc = c->nargs;
    if (!w->o->direct) {
        w->argv = wk_new_n(c, char *, 4);
        w->argv[0] = wk_dup(c, "sh");
        w->argv[1] = wk_dup(c, "-c");
        w->argv[2] = wk_dup(c, w->command);
        w->argc = 3;
    }
    const char *env = wk_cmd_env(c, "COLUMNS");
    bool given =
        env && wk_parse_u64(wk_str_c(env), 10, &columns) == 0 && columns && columns < 65536;
    w->width = given ? (size_t)columns : 80;
}

/* ---- running the command */

/* Where in an escape sequence of the command's output it is. */
struct sequence {
    enum { PLAIN, BEHIND_ESC, INSIDE } state;
    size_t start; /* INSIDE: where it began in the frame */
};

static void put_byte(struct watch *w, char ch)
{
    if (w->now->n < FRAME_MAX)
        wk_buf_putc(w->now, ch);
}

/* Bytes of a frame. With colors the sequences that set them stay and others go; control characters
 * are a ^ without what they stand for, backspaces and returns are blanks, as there. */
static void take(struct watch *w, const char *p, size_t n, struct sequence *seq)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char ch = (unsigned char)p[i];
        if (seq->state == INSIDE) {
            put_byte(w, (char)ch);
            if ((ch >= '0' && ch <= '9') || ch == ';')
                continue;
            seq->state = PLAIN;
            if (ch != 'm')
                w->now->n = seq->start;
            continue;
        }
        if (seq->state == BEHIND_ESC && ch == '[') {
            *seq = (struct sequence){.state = INSIDE, .start = w->now->n};
            put_byte(w, 27);
            put_byte(w, '[');
            continue;
        }
        seq->state = ch == 27 && w->o->color ? BEHIND_ESC : PLAIN;
        if (seq->state == BEHIND_ESC)
            continue;
        if (ch == '\b' || ch == '\r')
            put_byte(w, ' ');
        else
            put_byte(w, (ch < 32 && ch != '\n' && ch != '\t') || ch == 127 ? '^' : (char)ch);
    }
}

/* Reads what the child prints, to the end. */
static void read_all(struct watch *w, struct wk_file *from)
{
    char piece[1024];
    struct sequence seq = {.state = PLAIN};
    for (;;) {
        ptrdiff_t n = wk_file_read(w->c->task, from, piece, sizeof piece);
        if (n == -WK_EINTR)
            continue;
        if (n <= 0)
            break;
        take(w, piece, (size_t)n, &seq);
        wk_tick(w->c, (uint32_t)n / 64 + 1);
    }
    if (w->now->failed)
        wk_heap_exhausted(w->c->heap);
}

static void drop_file(void *f)
{
    wk_file_unref((struct wk_file *)f);
}

/* One turn: its output is in w->now; the status of the command. */
static int run(struct watch *w)
{
    struct wk_cmd *c = w->c;
    struct wk_spawn how = {.argc = (size_t)w->argc, .argv = (const char *const *)w->argv};
    struct wk_file *from, *to;
    struct wk_proc *child;
    wk_buf_reset(w->now);
    int r = wk_pipe_new(c->k, &from, &to);
    if (r)
        wk_fail(c, 7, "unable to create IPC pipes: %s", wk_err_text(-r));
    struct wk_unwind u;
    wk_unwind_push(c->task, &u, drop_file, from);
    r = wk_proc_fork(c->proc, &child);
    if (!r)
        r = wk_fd_set(&child->fds, 1, wk_file_ref(to), false);
    if (!r)
        r = wk_fd_set(&child->fds, 2, wk_file_ref(to), false);
    wk_file_unref(to);
    if (!r)
        r = wk_exec_on(child, &how);
    if (r) {
        wk_buf_fmt(w->now, "%s: unable to execute '%s': %s\n", c->name, w->argv[0],
                   wk_err_text(wk_launch_err(-r)));
        wk_proc_finish(child, (struct wk_exit){4, 0});
        wk_proc_reap(child);
        wk_unwind_pop(c->task, &u);
        wk_file_unref(from);
        return 4;
    }
    uint32_t pid = child->pid;
    read_all(w, from);
    wk_unwind_pop(c->task, &u);
    wk_file_unref(from);
    do
        r = wk_proc_wait(c->task, c->proc, pid, 0, &child);
    while (r == -WK_EINTR);
    if (r)
        return 0;
    int status = wk_exit_status(child->exit);
    wk_proc_reap(child);
    return status;
}

/* ---- showing it */

/* "Every 2.0s: COMMAND     HOST: DATE" in the width, the command cut short where it does not fit.
 */
static void put_title(struct watch *w)
{
    struct wk_cmd *c = w->c;
    struct wk_buf *b = w->date;
    int64_t tenths = (w->interval + 50000000) / 100000000;
    wk_zone_text(c, b, w->zone, WK_STR("%a %b %e %H:%M:%S %Y"), wk_cmd_now(c));
    char *right = wk_strf(c, "%s: %s", c->k->hostname, wk_buf_c(b));
    char *left =
        wk_strf(c, "Every %lld.%llds: ", (long long)(tenths / 10), (long long)(tenths % 10));
    size_t nr = strlen(right), nl = strlen(left), nc = strlen(w->command),
           room = w->width > nr ? w->width - nr : 0;
    if (nr <= w->width) {
        size_t at = 0;
        if (room > nl + 4) {
            bool whole = nl + nc + 1 <= room;
            size_t shown = whole ? nc : room - nl - 5;
            wk_out_fmt(c->out, "%s%.*s%s", left, (int)shown, w->command, whole ? "" : "...");
            at = nl + shown + (whole ? 0 : 3);
        }
        for (; at < room; at++)
            wk_out_char(c->out, ' ');
        wk_out_c(c->out, right);
    }
    wk_out_c(c->out, "\n\n");
    wk_heap_free(c->heap, left);
    wk_heap_free(c->heap, right);
}

/* The next line of *rest. */
static struct wk_str take_line(struct wk_str *rest)
{
    ptrdiff_t n = wk_str_chr(*rest, '\n');
    struct wk_str line = n < 0 ? *rest : wk_str_take(*rest, (size_t)n);
    *rest = wk_str_from(*rest, line.n + (n >= 0));
    return line;
}

/* A line with what differs from the one before in reverse video; marks, if any, remember it. */
static void put_differences(struct watch *w, struct wk_str line, struct wk_str old, bool first,
                            char *marks)
{
    struct wk_out *out = w->c->out;
    bool lit = false;
    for (size_t i = 0, j = 0; i < line.n;) {
        uint32_t code;
        size_t n = wk_char_next(!w->utf8, line.p + i, line.n - i, &code), m = 0;
        if (j < old.n)
            m = wk_char_next(!w->utf8, old.p + j, old.n - j, &code);
        bool differs = !first && (m != n || memcmp(line.p + i, old.p + j, n) != 0);
        if (marks && differs)
            marks[i] = 1;
        differs = differs || (marks && marks[i]);
        if (differs != lit)
            wk_out_c(out, differs ? "\033[7m" : "\033[27m");
        lit = differs;
        wk_out_put(out, line.p + i, n);
        i += n;
        j += m;
    }
    if (lit)
        wk_out_c(out, "\033[27m");
}

/* How many bytes of a line fit where lines are not continued. */
static size_t fitting(const struct watch *w, struct wk_str line)
{
    size_t at = 0, used = 0;
    while (at < line.n) {
        uint32_t code;
        size_t n = wk_char_next(!w->utf8, line.p + at, line.n - at, &code);
        int width = wk_utf8_is_bad(code) ? 1 : wk_utf8_width(code);
        used += (size_t)WK_MAX(width, 0);
        if (used > w->width)
            break;
        at += n;
    }
    return at;
}

static void put_frame(struct watch *w, bool first)
{
    struct wk_cmd *c = w->c;
    bool sticky = w->o->differences && *w->o->differences;
    struct wk_str rest = wk_buf_str(w->now), old = wk_buf_str(w->before);
    size_t at = 0;
    if (!w->o->no_title)
        put_title(w);
    if (!w->o->no_wrap && !w->o->differences) {
        wk_out_str(c->out, rest);
        if (rest.n && rest.p[rest.n - 1] != '\n')
            wk_out_char(c->out, '\n');
        return;
    }
    while (rest.n) {
        struct wk_str line = take_line(&rest), was = take_line(&old);
        if (w->o->no_wrap)
            line.n = fitting(w, line);
        char *marks = NULL;
        if (sticky) { /* by their offsets in the frame, as long as its lines keep theirs */
            while (w->marks->n < at + line.n + 1 && wk_buf_putc(w->marks, 0))
                ;
            if (w->marks->failed)
                wk_heap_exhausted(c->heap);
            marks = w->marks->p + at;
        }
        if (w->o->differences)
            put_differences(w, line, was, first, marks);
        else
            wk_out_str(c->out, line);
        wk_out_char(c->out, '\n');
        at += line.n + 1;
        wk_tick(c, (uint32_t)(line.n / 16) + 1);
    }
}

/* ---- the command */

static bool same(const struct watch *w)
{
    return wk_str_eq(wk_buf_str(w->now), wk_buf_str(w->before));
}

static int watch_main(struct wk_cmd *c)
{
    struct watch w = {.c = c,
                      .o = (const struct watch_opts *)c->opts,
                      .zone = wk_zone_of(c),
                      .utf8 = wk_cmd_utf8(c)};
    int64_t unchanged = 0;
    read_options(&w);
    w.date = wk_cmd_buf(c, SIZE_MAX / 2);
    w.now = wk_cmd_buf(c, SIZE_MAX / 2);
    w.before = wk_cmd_buf(c, SIZE_MAX / 2);
    w.marks = wk_cmd_buf(c, SIZE_MAX / 2);
    wk_in_unshare(c->in);
    int64_t next = wk_cmd_monotonic(c);
    for (bool first = true;; first = false) {
        int status = run(&w);
        put_frame(&w, first);
        if (status && w.o->beep)
            wk_out_char(c->out, '\a');
        if (status && w.o->on_error) {
            wk_out_c(c->out, "command exit with a non-zero status, press a key to exit\n");
            return ERROR_STATUS;
        }
        unchanged = first || same(&w) ? unchanged + 1 : 0;
        if ((w.o->on_change && !unchanged) || (w.cycles >= 0 && unchanged > w.cycles))
            return 0;
        (void)wk_out_flush(c->out);
        struct wk_buf *spare = w.before;
        w.before = w.now;
        w.now = spare;
        next = w.o->precise ? next + w.interval : wk_cmd_monotonic(c) + w.interval;
        wk_cmd_sleep(c, next - wk_cmd_monotonic(c));
    }
}

static const struct wk_opt watch_options[] = {
    WK_FLAG(struct watch_opts, beep, 'b', "beep", "a beep when the command fails"),
    WK_FLAG(struct watch_opts, color, 'c', "color", "let escape sequences through"),
    WK_STR_OPTIONAL(
        struct watch_opts, differences, 'd', "differences", "PERMANENT",
        "show what has changed in reverse video;\nwith an argument what has ever changed"),
    WK_FLAG(struct watch_opts, on_error, 'e', "errexit", "end when the command fails"),
    WK_FLAG(struct watch_opts, on_change, 'g', "chgexit", "end when its output changes"),
    WK_STR_OPT(struct watch_opts, cycles, 'q', "equexit", "CYCLES",
               "end when its output has not changed so often"),
    WK_STR_OPT(struct watch_opts, interval, 'n', "interval", "SECS",
               "seconds between two turns (2.0)"),
    WK_FLAG(struct watch_opts, precise, 'p', "precise", "turns begin at whole intervals"),
    WK_FLAG(struct watch_opts, no_title, 't', "no-title", "no title"),
    WK_FLAG(struct watch_opts, no_wrap, 'w', "no-wrap", "cut lines at the width"),
    WK_FLAG(struct watch_opts, direct, 'x', "exec", "run the words themselves, not a line by sh"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "what --help prints"),
    WK_FUNC_OPT(wk_opt_about, 1, 'v', NULL, NULL, "what --version prints"),
    WK_OPTS_END,
};

WK_COMMAND(watch, .summary = "run a command again and again and show what it prints",
           .usage = "watch [options] command", .std = "procps 4.0.2", .opts = watch_options,
           .opts_size = sizeof(struct watch_opts), .flags = WK_CMD_NO_PERMUTE,
           .help = "Without -e, -g or -q it goes on until a signal ends it.\n");
