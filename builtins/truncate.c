/* truncate.c - shrink or extend the size of files
 *
 * Standard: GNU coreutils 9.1. Oracle: truncate.
 */
#include "base/num.h"
#include "builtins/fsops.h"
#include "kern/vfsfile.h"

struct change {
    char how; /* 0 set, + - < > / % */
    int64_t size;
    int64_t base; /* -1: the file's own size */
};

struct truncate_opts {
    bool no_create, blocks, sized;
    const char *reference;
    struct change change;
};

/* A modifier of one -s is also for the next. */
static int set_size(struct wk_cmd *c, const struct wk_opt *opt, const char *text)
{
    (void)opt;
    struct truncate_opts *o = (struct truncate_opts *)c->opts;
    struct change *k = &o->change;
    uint64_t v;
    const char *p = text + strspn(text, " \t\n\v\f\r");
    if (*p && strchr("<>/%", *p)) {
        k->how = *p++;
        p += strspn(p, " \t\n\v\f\r");
    }
    bool sign = *p == '+' || *p == '-';
    if (sign && k->how)
        wk_usage(c, "multiple relative modifiers specified");
    if (sign)
        k->how = *p++;
    char *spelled = wk_dup(c, p); /* g and t are taken for G and T */
    char *unit = spelled + strspn(spelled, "+0123456789");
    if (*unit == 'g' || *unit == 't')
        *unit = *unit == 'g' ? 'G' : 'T';
    int r = wk_parse_size(wk_str_c(spelled), false, &v);
    if (r || v > INT64_MAX)
        wk_fail(c, 1, "Invalid number: %s%s", wk_quote_arg(c, text),
                r == -WK_EINVAL ? "" : ": Value too large for defined data type");
    if ((k->how == '/' || k->how == '%') && v == 0)
        wk_fail(c, 1, "division by zero");
    k->size = (int64_t)v;
    o->sized = true;
    return 0;
}

static const struct wk_opt truncate_options[] = {
    WK_FLAG(struct truncate_opts, no_create, 'c', "no-create", "do not create any files"),
    WK_FLAG(struct truncate_opts, blocks, 'o', "io-blocks",
            "treat SIZE as number of IO blocks instead of bytes"),
    WK_STR_OPT(struct truncate_opts, reference, 'r', "reference", "RFILE", "base size on RFILE"),
    WK_FUNC_OPT(set_size, 0, 's', "size", "SIZE", "set or adjust the file size by SIZE bytes"),
    WK_OPTS_END,
};

/* The new size, or -1 when it is out of range. */
static int64_t new_size(const struct change *k, int64_t now, int64_t size)
{
    int64_t v = now, rest;
    switch (k->how) {
    case '+':
        return __builtin_add_overflow(now, size, &v) ? -1 : v;
    case '-':
        return now < size ? 0 : now - size;
    case '<':
        return now < size ? now : size;
    case '>':
        return now > size ? now : size;
    case '/':
        return now - now % size;
    case '%':
        rest = now % size;
        return rest == 0 ? now : __builtin_add_overflow(now, size - rest, &v) ? -1 : v;
    default:
        return size;
    }
}

static void change_file(struct wk_cmd *c, const struct truncate_opts *o, const struct change *k,
                        const char *name)
{
    struct wk_file *f;
    struct wk_stat st;
    int err = wk_cmd_open(c, name, WK_O_WRONLY | WK_O_NONBLOCK | (o->no_create ? 0 : WK_O_CREAT),
                          0666, &f);
    if (err) {
        if (!(o->no_create && err == WK_ENOENT))
            wk_msg(c, "cannot open %s for writing: %s", wk_quote(c, name), wk_err_text(err));
        return;
    }
    int r = wk_file_stat(f, &st);
    int64_t size = k->size, to = -1;
    if (r >= 0 && o->blocks &&
        __builtin_mul_overflow(size, (int64_t)(st.blksize ? st.blksize : 512), &size)) {
        wk_msg(c, "overflow in %lld * %lld byte blocks for file %s", (long long)k->size,
               (long long)st.blksize, wk_quote(c, name));
        wk_cmd_close(c, f);
        return;
    }
    if (r >= 0)
        to = new_size(k, k->base >= 0 ? k->base : (int64_t)st.size, size);
    if (r >= 0 && to < 0)
        wk_msg(c, "overflow extending size of file %s", wk_quote(c, name));
    else if (r >= 0)
        r = f->kind == WK_FILE_VFS ? wk_vfile_truncate(wk_file_vfile(f), to) : -WK_EINVAL;
    if (r < 0)
        wk_msg(c, "failed to truncate %s at %lld bytes: %s", wk_quote(c, name), (long long)to,
               wk_err_text(-r));
    wk_cmd_close(c, f);
}

static int truncate_main(struct wk_cmd *c)
{
    const struct truncate_opts *o = (const struct truncate_opts *)c->opts;
    struct change k = o->change;
    k.base = -1;
    if (!o->reference && !o->sized)
        wk_usage(c, "you must specify either %s or %s", wk_quote_arg(c, "--size"), wk_quote_arg(c, "--reference"));
    if (o->reference && o->sized && !k.how)
        wk_usage(c, "you must specify a relative '--size' with '--reference'");
    if (o->blocks && !o->sized)
        wk_usage(c, "'--io-blocks' was specified but '--size' was not");
    if (c->nargs == 0)
        wk_usage(c, "missing file operand");
    if (o->reference) {
        struct wk_stat st;
        int err = wk_at_stat(c, NULL, o->reference, true, &st);
        if (err)
            wk_fail(c, 1, "cannot stat %s: %s", wk_quote(c, o->reference), wk_err_text(err));
        k.base = (int64_t)st.size;
        if (!o->sized)
            k.size = k.base;
    }
    for (int i = 0; i < c->nargs; i++)
        change_file(c, o, &k, c->args[i]);
    return c->status;
}

WK_COMMAND(truncate, .summary = "shrink or extend the size of each FILE to the specified size",
           .usage = "truncate OPTION... FILE...", .std = "coreutils 9.1", .opts = truncate_options,
           .opts_size = sizeof(struct truncate_opts),
           .help = "SIZE may also be prefixed by one of the following modifying characters:\n"
                   "'+' extend by, '-' reduce by, '<' at most, '>' at least,\n"
                   "'/' round down to multiple of, '%' round up to multiple of.\n");
