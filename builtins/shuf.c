/* shuf.c - write lines in random order
 *
 * Standard: GNU coreutils 9.1. Oracle: shuf; with --random-source also its orders.
 */
#include "base/num.h"
#include "base/rng.h"
#include "builtins/fsops.h"

struct shuf_opts {
    bool echo, repeat, zero, range, limited;
    const char *output, *source;
    uint64_t low, high, count;
};

static int set_range(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct shuf_opts *o = (struct shuf_opts *)c->opts;
    const char *dash = strchr(arg, '-');
    if (o->range)
        wk_fail(c, 1, "multiple -i options specified");
    o->range = true;
    if (!dash || wk_parse_u64(wk_str(arg, (size_t)(dash - arg)), 10, &o->low))
        wk_fail(c, 1, "invalid input range: %s", wk_quote_arg(c, arg));
    if (wk_parse_u64(wk_str_c(dash + 1), 10, &o->high))
        wk_fail(c, 1, "invalid input range: %s", wk_quote_arg(c, dash + 1));
    bool none = o->high < o->low && o->low - o->high == 1; /* "5-4" is an empty range */
    if (!none && (o->low > o->high || o->high - o->low == UINT64_MAX))
        wk_fail(c, 1, "invalid input range: %s", wk_quote_arg(c, arg));
    return 0;
}

static int set_count(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    (void)opt;
    struct shuf_opts *o = (struct shuf_opts *)c->opts;
    uint64_t v;
    int r = wk_parse_u64(wk_str_c(arg), 10, &v);
    if (r == -WK_EINVAL)
        wk_fail(c, 1, "invalid line count: %s", wk_quote_arg(c, arg));
    if (!o->limited || v < o->count)
        o->count = v;
    o->limited = true;
    return 0;
}

static int set_once(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    struct shuf_opts *o = (struct shuf_opts *)c->opts;
    const char **at = opt->value == 'o' ? &o->output : &o->source;
    if (*at && strcmp(*at, arg) != 0)
        wk_fail(c, 1,
                opt->value == 'o' ? "multiple output files specified"
                                  : "multiple random sources specified");
    *at = arg;
    return 0;
}

static const struct wk_opt shuf_options[] = {
    WK_FLAG(struct shuf_opts, echo, 'e', "echo", "treat each ARG as an input line"),
    WK_FUNC_OPT(set_range, 0, 'i', "input-range", "LO-HI",
                "treat each number LO through HI as an input line"),
    WK_FUNC_OPT(set_count, 0, 'n', "head-count", "COUNT", "output at most COUNT lines"),
    WK_FUNC_OPT(set_once, 'o', 'o', "output", "FILE",
                "write result to FILE instead of standard output"),
    WK_FUNC_OPT(set_once, 'R', 0, "random-source", "FILE", "get random bytes from FILE"),
    WK_FLAG(struct shuf_opts, repeat, 'r', "repeat", "output lines can be repeated"),
    WK_FLAG(struct shuf_opts, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    WK_OPTS_END,
};

struct shuffler {
    struct wk_cmd *c;
    const struct shuf_opts *o;
    struct wk_rng rng;
    struct wk_in *source;     /* NULL: the session's randomness */
    uint64_t chance, chances; /* from the source: a number of 0 … chances, not used up yet */
    struct wk_in *later;      /* the input, of which a sample is kept */
    struct wk_out *out;
    struct wk_str *lines; /* NULL: numbers from `low` */
    uint64_t n;           /* of the lines or numbers */
    char eol;
};

/* Another byte of chance. What does not fit into the numbers is lost, as in the real tool. */
static void take_byte(struct shuffler *s)
{
    unsigned char b;
    if (wk_in_read(s->source, &b, 1) < 1)
        wk_fail(s->c, 1, "%s: end of file", wk_quote(s->c, s->o->source));
    s->chance = s->chance << 8 | b;
    s->chances = s->chances << 8 | 255;
}

/* A number below `limit`. From a file: its bytes are digits of a number; what a draw leaves of the
 * chance (the quotient, or the rest of a number that would have favoured some results) stays for
 * the next one. */
static uint64_t draw(struct shuffler *s, uint64_t limit)
{
    if (!s->source)
        return wk_rng_below(&s->rng, limit);
    for (;;) {
        while (s->chances < limit - 1)
            take_byte(s);
        uint64_t v = s->chance, spare = s->chances - (limit - 1), uneven = spare % limit;
        if (!spare) {
            s->chance = s->chances = 0;
            return v;
        }
        if (v <= s->chances - uneven) {
            s->chance = v / limit;
            s->chances = spare / limit;
            return v % limit;
        }
        s->chance = v % limit;
        s->chances = uneven - 1;
    }
}

static void put(struct shuffler *s, uint64_t i)
{
    if (s->lines)
        wk_out_str(s->out, s->lines[i]);
    else
        wk_out_u64(s->out, s->o->low + i);
    wk_out_char(s->out, s->eol);
    wk_tick(s->c, 2);
}

static void refuse_directory(struct shuffler *s, struct wk_in *in)
{
    struct wk_stat st;
    if (in->file && wk_file_stat(in->file, &st) >= 0 && WK_S_ISDIR(st.mode))
        wk_fail(s->c, 1, "read error: %s", wk_err_text(WK_EISDIR));
}

static void read_lines(struct shuffler *s, struct wk_in *in)
{
    refuse_directory(s, in);
    struct wk_str all = wk_in_all(in);
    size_t cap = 0;
    if (in->err)
        wk_exit(s->c, 1);
    while (all.n) {
        const char *e = (const char *)memchr(all.p, s->eol, all.n);
        size_t n = e ? (size_t)(e - all.p) : all.n;
        if (s->n == cap) {
            cap = cap ? cap * 2 : 64;
            s->lines =
                (struct wk_str *)wk_heap_realloc(s->c->heap, s->lines, cap * sizeof *s->lines);
        }
        s->lines[s->n++] = wk_str(all.p, n);
        all = wk_str_from(all, n + (e != NULL));
        wk_tick(s->c, (uint32_t)(n / 64 & 0xffffff) + 1);
    }
}

/* Where the numbers lie that a draw moved: open addressing. */
struct moved {
    uint64_t *at, *value; /* at: place + 1; 0 is free */
    size_t slots;
};

static size_t slot_of(const struct moved *m, uint64_t place)
{
    uint64_t mix = place;
    size_t at = (size_t)wk_splitmix(&mix) & (m->slots - 1);
    while (m->at[at] && m->at[at] != place + 1)
        at = (at + 1) & (m->slots - 1);
    return at;
}

/* Each draw takes a number of the places that are left, and the first of these moves to its place.
 * Few of many: only what was moved is noted. */
static uint64_t *pick_sparse(struct shuffler *s, uint64_t count)
{
    struct moved m = {.slots = 16};
    uint64_t *picked = wk_new_n(s->c, uint64_t, (size_t)count + 1);
    while (m.slots < count * 4)
        m.slots *= 2;
    m.at = wk_new_n(s->c, uint64_t, m.slots);
    m.value = wk_new_n(s->c, uint64_t, m.slots);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t k = i + draw(s, s->n - i);
        size_t from = slot_of(&m, k);
        uint64_t v = m.at[from] ? m.value[from] : k;
        if (k > i) {
            size_t first = slot_of(&m, i);
            m.value[from] = m.at[first] ? m.value[first] : i;
            m.at[from] = k + 1;
        }
        wk_tick(s->c, 1);
        picked[i] = v;
    }
    wk_heap_free(s->c->heap, m.at);
    wk_heap_free(s->c->heap, m.value);
    return picked;
}

static uint64_t *pick_dense(struct shuffler *s, uint64_t count)
{
    if (s->n > SIZE_MAX / sizeof(uint64_t))
        wk_heap_exhausted(s->c->heap);
    uint64_t *v = wk_new_n(s->c, uint64_t, (size_t)s->n + 1);
    for (uint64_t i = 0; i < s->n; i++) {
        v[i] = i;
        wk_tick(s->c, 1);
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t k = i + draw(s, s->n - i), swap = v[k];
        v[k] = v[i];
        v[i] = swap;
        wk_tick(s->c, 1);
    }
    return v;
}

/* A line that may be replaced by another. */
struct kept {
    char *p;
    size_t n, cap;
};

static void keep(struct shuffler *s, struct kept *k, struct wk_str line)
{
    if (line.n > k->cap) {
        wk_heap_free(s->c->heap, k->p);
        k->cap = line.n + line.n / 2;
        k->p = (char *)wk_heap_alloc(s->c->heap, k->cap);
    }
    if (line.n)
        memcpy(k->p, line.p, line.n);
    k->n = line.n;
}

/* Keeps `count` lines of an input of any length: each further one takes the place of one of them or
 * none. The draw for a line comes before it is read, so there is one more than lines. */
static void sample(struct shuffler *s, struct wk_in *in, uint64_t count)
{
    struct kept *v = NULL;
    struct wk_str line;
    size_t n = 0, cap = 0;
    while (n < count && wk_line_next(in, s->eol, &line)) {
        if (n == cap) {
            size_t old = cap;
            cap = cap ? cap * 2 : 64;
            v = (struct kept *)wk_heap_realloc(s->c->heap, v, cap * sizeof *v);
            memset(v + old, 0, (cap - old) * sizeof *v);
        }
        keep(s, &v[n++], line);
    }
    for (uint64_t seen = n; n == count; seen++) {
        uint64_t at = draw(s, seen + 1);
        if (!wk_line_next(in, s->eol, &line))
            break;
        if (at < n)
            keep(s, &v[at], line);
        wk_tick(s->c, 1);
    }
    if (in->err)
        wk_exit(s->c, 1);
    s->n = n;
    s->lines = wk_new_n(s->c, struct wk_str, n + 1);
    for (size_t i = 0; i < n; i++)
        s->lines[i] = wk_str(v[i].p, v[i].n);
}

/* A small file is read whole, where each line has one draw less. */
static bool is_large(struct wk_in *in)
{
    enum { LARGE = 8 * 1024 * 1024 };
    struct wk_stat st;
    if (!in->file || wk_file_stat(in->file, &st) < 0 || !WK_S_ISREG(st.mode))
        return true;
    int64_t at = wk_file_seek(in->file, 0, 1);
    return (int64_t)st.size - (at > 0 ? at : 0) > LARGE;
}

static void open_source(struct shuffler *s)
{
    if (s->o->source && !(s->source = wk_in_open(s->c, s->o->source, false)))
        wk_exit(s->c, 1);
}

static void open_output(struct shuffler *s)
{
    struct wk_cmd *c = s->c;
    struct wk_file *f;
    s->out = c->out;
    if (!s->o->output)
        return;
    int err = wk_cmd_open(c, s->o->output, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
    if (err) {
        wk_warn(c, s->o->output, err);
        wk_exit(c, 1);
    }
    s->out = wk_out_of(c, f);
}

static void take_input(struct shuffler *s)
{
    struct wk_cmd *c = s->c;
    const struct shuf_opts *o = s->o;
    if (o->echo && o->range)
        wk_usage(c, "cannot combine -e and -i options");
    if (!o->echo && c->nargs > (o->range ? 0 : 1))
        wk_usage(c, "extra operand %s", wk_quote_arg(c, c->args[o->range ? 0 : 1]));
    if (o->range) {
        s->n = o->high - o->low + 1;
    } else if (o->echo) {
        s->n = (uint64_t)c->nargs;
        s->lines = wk_new_n(c, struct wk_str, (size_t)c->nargs + 1);
        for (int i = 0; i < c->nargs; i++)
            s->lines[i] = wk_str_c(c->args[i]);
    } else if (!(o->limited && o->count == 0)) {
        struct wk_in *in = c->nargs ? wk_in_open(c, c->args[0], true) : c->in;
        if (!in)
            wk_exit(c, 1);
        if (o->limited && !o->repeat && is_large(in)) {
            refuse_directory(s, in);
            s->later = in;
            s->n = 1;
        } else {
            read_lines(s, in);
        }
    }
}

static int shuf_main(struct wk_cmd *c)
{
    const struct shuf_opts *o = (const struct shuf_opts *)c->opts;
    struct shuffler s = {.c = c, .o = o, .eol = o->zero ? '\0' : '\n'};
    wk_rng_seed(&s.rng, wk_kern_random(c->k));
    take_input(&s);
    open_source(&s);
    if (s.later)
        sample(&s, s.later, o->count);
    uint64_t count = o->limited ? o->count : o->repeat ? UINT64_MAX : s.n, *picked = NULL;
    if (!o->repeat) {
        count = WK_MIN(count, s.n);
        picked = count < s.n / 4 ? pick_sparse(&s, count) : pick_dense(&s, count);
    }
    open_output(&s);
    if (o->repeat && count && !s.n)
        wk_fail(c, 1, "no lines to repeat");
    for (uint64_t i = 0; i < count; i++)
        put(&s, picked ? picked[i] : draw(&s, s.n));
    if (s.out != c->out) {
        int err = wk_out_close(s.out);
        if (err)
            wk_warn(c, "write error", err);
    }
    return c->status;
}

WK_COMMAND(shuf, .summary = "write a random permutation of the input lines to standard output",
           .usage = "shuf [OPTION]... [FILE]\nshuf -e [OPTION]... [ARG]...\n"
                    "shuf -i LO-HI [OPTION]...",
           .std = "coreutils 9.1", .opts = shuf_options, .opts_size = sizeof(struct shuf_opts),
           .flags = WK_CMD_FILTER);
