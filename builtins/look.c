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

/* Whether the key stands behind (1), before (-1) or at the start (0) of the line at p. */
static int compare(const struct look_opts *o, const char *key, const char *p, const char *end)
{
    for (; *key; p++) {
        if (p >= end || *p == '\n')
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

static const char *behind_line(struct wk_cmd *c, const char *p, const char *end)
{
    const char *q = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    q = q ? q + 1 : end;
    wk_tick(c, (uint32_t)((q - p) / 64) + 1);
    return q;
}

/* Where to begin looking: halves what is left as long as there are lines in it. */
static const char *near(struct wk_cmd *c, const char *key, const char *front, const char *back)
{
    const char *end = back;
    const char *p = behind_line(c, front + (back - front) / 2, back);
    while (p < back && back > front) {
        if (compare(c->opts, key, p, end) > 0)
            front = p;
        else
            back = p;
        p = behind_line(c, front + (back - front) / 2, back);
    }
    return front;
}

static int print_lines(struct wk_cmd *c, const char *key, struct wk_str text)
{
    const char *end = text.p + text.n, *p = near(c, key, text.p, end);
    int order = 1;
    while (p < end && (order = compare(c->opts, key, p, end)) > 0)
        p = behind_line(c, p, end);
    if (p >= end || order)
        return 1;
    while (p < end && compare(c->opts, key, p, end) == 0) {
        const char *next = behind_line(c, p, end);
        wk_out_put(c->out, p, (size_t)(next - p));
        p = next;
    }
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
    return print_lines(c, key_of(c, c->args[0]), wk_in_all(wk_in_of(c, f, file)));
}

WK_COMMAND(look, .summary = "print the lines of a sorted file that begin with a string",
           .usage = "look [OPTION]... STRING [FILE]", .std = "util-linux 2.38.1", .opts = look_options,
           .opts_size = sizeof(struct look_opts));
