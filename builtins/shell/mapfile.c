/* mapfile.c - mapfile, readarray: lines of input into an indexed array
 *
 * Standard: bash 4.2. Oracle: bash 5.2.
 */
#include "base/num.h"
#include "interp/builtin.h"
#include "interp/eval.h"
#include "interp/expand.h"
#include "interp/start.h"
#include "interp/trap.h"
#include "interp/vars.h"

extern const struct wk_builtin wk_builtin_mapfile, wk_builtin_readarray;

struct map_options {
    const char *who;
    char delim;
    bool trim, has_origin;
    int64_t count, origin, skip, quantum;
    struct wk_str callback;
    int fd;
    uint32_t name;
};

struct map_state {
    struct wk_buf line;
    bool cut, begun; /* a NUL ends the line's text; the line has begun */
    int64_t seen, index, stored;
};

static bool number(struct wk_shell *sh, const struct map_options *o, struct wk_str s, int64_t *out,
                   const char *what, int64_t least)
{
    if (wk_parse_blanked(s, out) == 0 && *out >= least && *out <= UINT32_MAX)
        return true;
    wk_sh_builtin_error(sh, o->who, "%s: %s", s.p, what);
    return false;
}

static int take_option(struct wk_shell *sh, struct map_options *o, int c, struct wk_str arg)
{
    int64_t n;
    switch (c) {
    case 'd':
        o->delim = arg.n ? arg.p[0] : '\0';
        return 0;
    case 't':
        o->trim = true;
        return 0;
    case 'n':
        return number(sh, o, arg, &o->count, "invalid line count", 0) ? 0 : 1;
    case 'O':
        o->has_origin = true;
        return number(sh, o, arg, &o->origin, "invalid array origin", 0) ? 0 : 1;
    case 's':
        return number(sh, o, arg, &o->skip, "invalid line count", 0) ? 0 : 1;
    case 'C':
        o->callback = arg;
        return 0;
    case 'c':
        return number(sh, o, arg, &o->quantum, "invalid callback quantum", 1) ? 0 : 1;
    case 'u':
        if (wk_parse_blanked(arg, &n) != 0 || n < 0 || n > INT32_MAX) {
            wk_sh_builtin_error(sh, o->who, "%s: invalid file descriptor specification", arg.p);
            return 1;
        }
        o->fd = (int)n;
        if (wk_fd_get(sh->proc->fds, o->fd))
            return 0;
        wk_sh_builtin_error(sh, o->who, "%d: invalid file descriptor: %s", o->fd, wk_err_text(WK_EBADF));
        return 1;
    default:
        return 2;
    }
}

/* The callback gets the index and the line as two more arguments. */
static enum wk_flow call_back(struct wk_shell *sh, const struct map_options *o, const struct map_state *m,
                              struct wk_str line)
{
    struct wk_buf b;
    wk_buf_init(&b, sh->mem, SIZE_MAX / 2);
    wk_buf_puts(&b, o->callback);
    wk_buf_putc(&b, ' ');
    wk_buf_put_i64(&b, m->index);
    wk_buf_putc(&b, ' ');
    wk_quote_plain(&b, line);
    uint32_t at = sh->line;
    enum wk_flow flow = b.failed ? wk_sh_nomem(sh) : wk_sh_eval_text(sh, wk_buf_str(&b), at);
    sh->line = at;
    wk_buf_release(&b);
    return flow;
}

static enum wk_flow store(struct wk_shell *sh, const struct map_options *o, struct map_state *m,
                          struct wk_str line, bool ended, int *status)
{
    if (m->seen++ < o->skip)
        return WK_NEXT;
    if ((o->trim || !o->delim) && ended) /* a value cannot hold NUL */
        line.n--;
    if (o->callback.p && m->stored % o->quantum == o->quantum - 1) {
        /* The callback sees the whole array so far; its text must not move under it. */
        char *copy = wk_arena_strndup(&sh->arena, line.p, line.n);
        if (!copy)
            return wk_sh_nomem(sh);
        line = wk_str(copy, line.n);
        enum wk_flow flow = call_back(sh, o, m, line);
        if (flow != WK_NEXT)
            return flow;
    }
    int e = wk_var_elem_set(sh, o->name, m->index, line, false);
    if (e == -WK_ENOMEM)
        return wk_sh_nomem(sh);
    if (e)
        *status = 1;
    m->index++;
    m->stored++;
    return WK_NEXT;
}

/* One piece of input: whole lines go straight from it; what crosses pieces is gathered. */
static enum wk_flow take_piece(struct wk_shell *sh, const struct map_options *o, struct map_state *m,
                               struct wk_file *f, const char *p, size_t n, int *status)
{
    const char *end = memchr(p, o->delim, n);
    size_t len = end ? (size_t)(end - p) + 1 : n;
    enum wk_flow flow = WK_NEXT;
    bool done = end != NULL;
    if (done && !m->line.n && !memchr(p, '\0', len - 1) && !o->callback.p) {
        flow = store(sh, o, m, wk_str(p, len), true, status);
    } else {
        m->begun = true;
        const char *nul = m->cut ? p : o->delim ? memchr(p, '\0', len) : NULL;
        wk_buf_put(&m->line, p, nul ? (size_t)(nul - p) : len);
        m->cut = nul != NULL;
        if (m->line.failed)
            return wk_sh_nomem(sh);
        wk_file_skip(f, len);
        if (!done)
            return WK_NEXT;
        struct wk_arena_mark mark = wk_arena_mark(&sh->arena);
        flow = store(sh, o, m, wk_buf_str(&m->line), !m->cut, status);
        wk_arena_rewind(&sh->arena, mark);
        wk_buf_reset(&m->line);
        m->cut = m->begun = false;
        return flow;
    }
    wk_file_skip(f, len);
    return flow;
}

static enum wk_flow read_lines(struct wk_shell *sh, const struct map_options *o, struct map_state *m,
                               struct wk_file *f, int *status)
{
    while (!o->count || m->stored < o->count) {
        const char *p;
        ptrdiff_t n = wk_file_peek(sh->task, f, 1, &p);
        if (n == -WK_EINTR) {
            enum wk_flow flow = wk_traps_pending(sh);
            if (flow != WK_NEXT)
                return flow;
            continue;
        }
        if (n == -WK_ESTOP || n == -WK_ENOMEM)
            return wk_sh_fail(sh, (int)n);
        if (n <= 0) /* an error is an end, too */
            return m->begun ? store(sh, o, m, wk_buf_str(&m->line), false, status) : WK_NEXT;
        enum wk_flow flow = take_piece(sh, o, m, f, p, (size_t)n, status);
        if (flow != WK_NEXT || *status)
            return flow;
        if (wk_step(sh->k) != 0)
            return WK_STOP;
    }
    return WK_NEXT;
}

/* The array: named right, no readonly, made empty unless -O was given. 0 or a status. */
static int prepare(struct wk_shell *sh, struct map_options *o, struct wk_str name)
{
    if (!wk_str_is_name(name)) {
        if (name.n)
            wk_sh_builtin_error(sh, o->who, "`%s': not a valid identifier", name.p);
        else
            wk_sh_builtin_error(sh, o->who, "empty array variable name");
        return name.n ? 1 : 2;
    }
    o->name = wk_names_intern(sh->names, name);
    if (o->name == WK_NAME_NONE || wk_var_resolve_array(sh, &o->name) != 0)
        return 1;
    const struct wk_var *v = wk_var_peek(sh, o->name);
    if (v && v->flags & WK_VAR_NAMEREF && wk_var_end_reference(sh, o->name, o->name) != 0)
        return 1;
    if (v && v->flags & WK_VAR_NOASSIGN) /* FUNCNAME, GROUPS… */
        return 1;
    if (v && v->flags & WK_VAR_READONLY) {
        sh->told_fatal = wk_opt(sh, ERREXIT) && !sh->interactive;
        wk_sh_error(sh, "%s: readonly variable", name.p);
        return 1;
    }
    if (v && v->flags & WK_VAR_ASSOC) {
        wk_sh_builtin_error(sh, o->who, "%s: not an indexed array", name.p);
        return 1;
    }
    int e = wk_var_make_array(sh, o->name, false);
    v = wk_var_peek(sh, o->name);
    if (!e && (!o->has_origin || !(v && v->flags & WK_VAR_SET)))
        e = wk_var_clear_array(sh, o->name);
    return e ? 1 : 0;
}

static enum wk_flow map_into(struct wk_shell *sh, struct map_options *o, struct wk_str name)
{
    struct wk_file *f = wk_fd_get(sh->proc->fds, o->fd);
    int bad = prepare(sh, o, name);
    if (bad || !f) /* without standard input there are no lines */
        return wk_status(sh, bad);
    struct map_state m = {.index = o->origin};
    wk_buf_init(&m.line, sh->mem, SIZE_MAX / 2);
    int status = 0;
    wk_file_ref(f);
    enum wk_flow flow = read_lines(sh, o, &m, f, &status);
    wk_file_unref(f);
    wk_buf_release(&m.line);
    return flow == WK_NEXT ? wk_status(sh, status) : flow;
}

static enum wk_flow map_run(struct wk_shell *sh, const struct wk_args *a, const struct wk_builtin *row)
{
    struct map_options o = {.who = row->name, .delim = '\n', .quantum = 5000};
    struct wk_getopt g = {.b = row, .a = a, .spec = "d:u:n:O:tC:c:s:"};
    for (int c; (c = wk_getopt_next(sh, &g)) != 0;) {
        int bad = take_option(sh, &o, c, g.arg);
        if (bad)
            return wk_status(sh, bad);
    }
    struct wk_str name = g.at < a->n ? a->v[g.at] : WK_STR("MAPFILE");
    uint32_t id = wk_names_find(sh->names, name);
    bool self = id != WK_NAME_NONE && wk_var_enter_self(sh, id);
    enum wk_flow flow = map_into(sh, &o, name);
    if (self)
        wk_var_swap_global(sh, id);
    return flow;
}

static enum wk_flow mapfile_run(struct wk_shell *sh, const struct wk_args *a)
{
    return map_run(sh, a, &wk_builtin_mapfile);
}

static enum wk_flow readarray_run(struct wk_shell *sh, const struct wk_args *a)
{
    return map_run(sh, a, &wk_builtin_readarray);
}

#define MAPFILE_USAGE(name)                                                                       \
    name " [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] " \
         "[array]"

WK_BUILTIN(mapfile, .usage = MAPFILE_USAGE("mapfile"),
           .summary = "Read lines into an indexed array.",
           .help = "Sets ARRAY (default MAPFILE) to the lines of standard input, one an element.\n\n"
                   "  -d delim     lines end with DELIM (empty: NUL)\n"
                   "  -n count     at most COUNT lines; 0 means all\n"
                   "  -O origin    begin at index ORIGIN and keep the other elements\n"
                   "  -s count     leave out the first COUNT lines\n"
                   "  -t           remove the delimiter from each line\n"
                   "  -u fd        read from descriptor FD\n"
                   "  -C callback  evaluate CALLBACK with the index and the line every QUANTUM lines\n"
                   "  -c quantum   how many (default 5000)",
           .flags = WK_BUILTIN_OWN, .run = mapfile_run);

WK_BUILTIN(readarray, .usage = MAPFILE_USAGE("readarray"),
           .summary = "Read lines into an indexed array.", .help = "The same as mapfile.",
           .flags = WK_BUILTIN_OWN, .run = readarray_run);
