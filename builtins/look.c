/* look.c - the lines of a sorted file that begin with a string
 *
 * Oracle: look of util-linux 2.38.1.
 */
#include "builtins/fsops.h"

struct look_opts {
    bool alternative, alphanum, ignore_case;
    const char *terminate;
};

static const struct wk_opt look_options[] = {
    WK_FLAG(struct look_opts, alternative, 'a', "alternative", "look into /usr/share/dict/web2"),
    WK_FLAG(struct look_opts, alphanum, 'd', "alphanum", "only blanks, letters and digits count"),
    WK_FLAG(struct look_opts, ignore_case, 'f', "ignore-case", "capital and small letters are the same"),
    WK_STR_OPT(struct look_opts, terminate, 't', "terminate", "CHAR", "the string ends with the first CHAR in it"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "the same as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

static bool counts(const struct look_opts *o, unsigned char ch)
{
    return !o->alphanum || wk_is_alnum(ch) || ch == ' ' || ch == '\t';
}

/* The file, of which a window is at hand. */
struct text {
    struct wk_cmd *c;
    struct wk_file *file;
    const char *name;
    int64_t size;
    int64_t at; /* offset of the window */
    size_t n;
    char window[16 * 1024];
};

/* The bytes from an offset: how many are at hand, at least one before the end. */
static size_t bytes_at(struct text *t, int64_t at, const char **p)
{
    if (at >= t->size)
        return 0;
    if (at < t->at || at >= t->at + (int64_t)t->n) {
        ptrdiff_t r;
        (void)wk_file_seek(t->file, at, 0);
        do
            r = wk_file_read(t->c->task, t->file, t->window, sizeof t->window);
        while (r == -WK_EINTR);
        if (r == -WK_ENOMEM)
            wk_heap_exhausted(t->c->heap);
        if (r < 0)
            wk_fail(t->c, 1, "%s: %s", t->name, wk_err_text((int)-r));
        t->at = at;
        t->n = (size_t)r;
        if (!r)
            t->size = at; /* shorter than it was */
        wk_tick(t->c, (uint32_t)r / 64 + 1);
    }
    size_t skip = (size_t)(at - t->at);
    *p = t->window + skip;
    return (size_t)WK_MIN((int64_t)(t->n - skip), t->size - at);
}

/* Whether the key stands behind (1), before (-1) or at the start (0) of the line at an offset. */
static int compare(const struct look_opts *o, const char *key, struct text *t, int64_t at)
{
    const char *p = NULL;
    size_t n = 0;
    for (; *key; p++, at++, n--) {
        if (!n && !(n = bytes_at(t, at, &p)))
            return 1;
        if (*p == '\n')
            return 1;
        unsigned char a = (unsigned char)*key, b = (unsigned char)*p;
        if (!counts(o, b))
            continue;
        if (o->ignore_case) {
            a = (unsigned char)wk_to_lower(a);
            b = (unsigned char)wk_to_lower(b);
        }
        if (a != b)
            return a > b ? 1 : -1;
        key++;
    }
    return 0;
}

/* Goes behind the end of a line, but not behind `end`; with `print` the line is written. */
static int64_t behind_line(struct text *t, int64_t at, int64_t end, bool print)
{
    const char *p, *e = NULL;
    size_t n;
    while (!e && at < end && (n = bytes_at(t, at, &p)) > 0) {
        n = (size_t)WK_MIN((int64_t)n, end - at);
        e = (const char *)memchr(p, '\n', n);
        if (e)
            n = (size_t)(e - p) + 1;
        if (print)
            wk_out_put(t->c->out, p, n);
        at += (int64_t)n;
    }
    return e ? at : end;
}

/* Where to begin looking: halves what is left as long as there are lines in it. */
static int64_t near(const struct look_opts *o, const char *key, struct text *t)
{
    int64_t front = 0, back = t->size, at = behind_line(t, back / 2, back, false);
    while (at < back && back > front) {
        if (compare(o, key, t, at) > 0)
            front = at;
        else
            back = at;
        at = behind_line(t, front + (back - front) / 2, back, false);
    }
    return front;
}

static int print_lines(const struct look_opts *o, const char *key, struct text *t)
{
    int64_t at = near(o, key, t);
    int order = 1;
    while (at < t->size && (order = compare(o, key, t, at)) > 0)
        at = behind_line(t, at, t->size, false);
    if (at >= t->size || order)
        return 1;
    while (at < t->size && compare(o, key, t, at) == 0)
        at = behind_line(t, at, t->size, true);
    return 0;
}

/* What of the string counts. */
static const char *key_of(struct wk_cmd *c, const char *s)
{
    const struct look_opts *o = c->opts;
    char *key = wk_dup(c, s), *to = key;
    char *stop = o->terminate && *o->terminate ? strchr(key, *o->terminate) : NULL;
    if (stop)
        stop[1] = '\0';
    for (const char *p = key; *p; p++)
        if (counts(o, (unsigned char)*p))
            *to++ = *p;
    *to = '\0';
    return key;
}

static int look_main(struct wk_cmd *c)
{
    struct look_opts *o = c->opts;
    if (c->nargs < 1 || c->nargs > 2)
        wk_usage(c, "bad usage");
    const char *file = wk_cmd_env(c, "WORDLIST");
    if (!file)
        file = "/usr/share/dict/words";
    if (o->alternative)
        file = "/usr/share/dict/web2";
    if (c->nargs == 2)
        file = c->args[1];
    else
        o->alphanum = o->ignore_case = true;
    struct wk_stat st;
    struct wk_file *f;
    int err = wk_cmd_open(c, file, WK_O_RDONLY, 0, &f);
    if (!err)
        err = wk_cmd_stat(c, file, true, &st);
    if (!err && (st.mode & WK_S_IFMT) != WK_S_IFREG)
        err = WK_ENODEV;
    if (!err && !st.size)
        err = WK_EINVAL;
    if (err)
        wk_fail(c, 1, "%s: %s", file, wk_err_text(err));
    struct text *t = wk_new(c, struct text);
    t->c = c;
    t->file = f;
    t->name = file;
    t->size = (int64_t)st.size;
    return print_lines(o, key_of(c, c->args[0]), t);
}

WK_COMMAND(look, .summary = "print the lines of a sorted file that begin with a string",
           .usage = "look [OPTION]... STRING [FILE]", .std = "util-linux 2.38.1", .opts = look_options,
           .opts_size = sizeof(struct look_opts),
           .flags = WK_CMD_FILTER);
