/* envsubst.c - copy standard input with values for $NAME and ${NAME}
 *
 * Standard: none. Oracle: gettext 0.21 envsubst.
 */
#include "builtins/fsops.h"
#include "builtins/ptrsort.h"

struct envsubst_opts {
    bool variables;
};

static const struct wk_opt envsubst_options[] = {
    WK_FLAG(struct envsubst_opts, variables, 'v', "variables", "print the names of the variables in SHELL-FORMAT"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "the same as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

/* A scanner for references, fed in pieces of any size. */
struct scan {
    struct wk_cmd *c;
    struct wk_fifo_buf held; /* "$…" as far as it has been read */
    enum { S_TEXT, S_DOLLAR, S_BRACE, S_NAME } state;
    bool braced;
    bool listing;       /* names are gathered or printed; text goes nowhere */
    bool print;
    const char **names; /* that are replaced, sorted; NULL with n == SIZE_MAX: all */
    size_t n, cap;
};

static int by_bytes(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return strcmp((const char *)a, (const char *)b);
}

static bool chosen(const struct scan *s, const char *name)
{
    if (s->n == SIZE_MAX)
        return true;
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int r = strcmp(s->names[mid], name);
        if (r == 0)
            return true;
        if (r < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return false;
}

static void put(struct scan *s, const char *p, size_t n)
{
    if (!s->listing)
        wk_out_put(s->c->out, p, n);
}

/* What is held is text after all. */
static void give_back(struct scan *s)
{
    put(s, s->held.p + s->held.head, s->held.n);
    wk_fifo_take(&s->held, s->held.n);
    s->state = S_TEXT;
}

static void replace(struct scan *s)
{
    size_t skip = s->braced ? 2 : 1;
    char *name = wk_dupn(s->c, s->held.p + s->held.head + skip, s->held.n - skip - s->braced);
    if (s->print) {
        wk_out_fmt(s->c->out, "%s\n", name);
    } else if (s->listing) {
        if (s->n == s->cap) {
            s->cap = s->cap ? s->cap * 2 : 16;
            s->names = (const char **)wk_heap_realloc(s->c->heap, s->names, s->cap * sizeof *s->names);
        }
        s->names[s->n++] = name;
        name = NULL;
    } else if (chosen(s, name)) {
        const char *value = wk_cmd_env(s->c, name);
        wk_out_c(s->c->out, value ? value : "");
    } else {
        put(s, s->held.p + s->held.head, s->held.n);
    }
    wk_heap_free(s->c->heap, name);
    wk_fifo_take(&s->held, s->held.n);
    s->state = S_TEXT;
}

/* One byte; false when it has to be looked at again. */
static bool step(struct scan *s, char ch)
{
    int c = (unsigned char)ch;
    switch (s->state) {
    case S_TEXT:
        if (ch != '$')
            return put(s, &ch, 1), true;
        s->state = S_DOLLAR;
        s->braced = false;
        break;
    case S_DOLLAR:
        if (ch == '{' )
            s->state = S_BRACE;
        else if (wk_is_name_start(c))
            s->state = S_NAME;
        else
            return give_back(s), false;
        break;
    case S_BRACE:
        if (!wk_is_name_start(c))
            return give_back(s), false;
        s->braced = true;
        s->state = S_NAME;
        break;
    default:
        if (wk_is_name_char(c))
            break;
        if (!s->braced)
            return replace(s), false;
        if (ch != '}')
            return give_back(s), false;
        wk_fifo_put(s->c, &s->held, &ch, 1);
        return replace(s), true;
    }
    wk_fifo_put(s->c, &s->held, &ch, 1);
    return true;
}

static void feed(struct scan *s, const char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        if (s->state == S_TEXT) {
            const char *dollar = memchr(p + i, '$', n - i);
            size_t run = dollar ? (size_t)(dollar - p) - i : n - i;
            put(s, p + i, run);
            i += run;
            if (i == n)
                break;
        }
        i += step(s, p[i]);
    }
    wk_tick(s->c, (uint32_t)(n / 64 & 0xffffff) + 1);
}

static void finish(struct scan *s)
{
    if (s->state == S_NAME && !s->braced)
        replace(s);
    else if (s->state != S_TEXT)
        give_back(s);
}

static void copy_input(struct scan *s)
{
    struct wk_cmd *c = s->c;
    struct wk_in *in = NULL;
    int err = wk_raw_open(c, "-", true, &in);
    const char *p;
    size_t n;
    while (!err && (n = wk_raw_next(c, in, &p, &err)) > 0) {
        char piece[4096];
        n = WK_MIN(n, sizeof piece);
        memcpy(piece, p, n);
        wk_file_skip(in->file, n);
        feed(s, piece, n);
    }
    if (err)
        wk_fail(c, 1, "error while reading \"standard input\": %s", wk_err_text(err));
    finish(s);
}

static int envsubst_main(struct wk_cmd *c)
{
    const struct envsubst_opts *o = (const struct envsubst_opts *)c->opts;
    struct scan s = {.c = c, .listing = true, .print = o->variables};
    if (c->nargs > 1)
        wk_fail(c, 1, "too many arguments");
    if (o->variables && !c->nargs)
        wk_fail(c, 1, "missing arguments");
    if (c->nargs) {
        feed(&s, c->args[0], strlen(c->args[0]));
        finish(&s);
        if (s.n)
            wk_ptr_sort(c, (const void **)s.names, s.n, by_bytes, NULL);
    } else {
        s.n = SIZE_MAX;
    }
    if (o->variables)
        return c->status;
    s.listing = false;
    copy_input(&s);
    return c->status;
}

WK_COMMAND(envsubst, .summary = "substitute the values of environment variables",
           .usage = "envsubst [OPTION] [SHELL-FORMAT]",
           .help = "Standard input is copied; $NAME and ${NAME} become the value of NAME. With SHELL-FORMAT only\n"
                   "the variables that occur in it are replaced. With -v nothing is read.",
           .std = "gettext 0.21", .opts = envsubst_options, .opts_size = sizeof(struct envsubst_opts));
