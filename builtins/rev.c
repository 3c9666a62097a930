/* rev.c - reverse the characters of every line
 *
 * Standard: none. Oracle: util-linux 2.38 rev.
 * Differs:  docs/divergences/rev.md
 */
#include "base/utf8.h"
#include "builtins/fsops.h"

struct rev_opts {
    bool zero;
};

static const struct wk_opt rev_options[] = {
    WK_FLAG(struct rev_opts, zero, '0', "zero", "use the zero byte as line separator"),
    WK_FUNC_OPT(wk_opt_about, 0, 'h', NULL, NULL, "the same as --help"),
    WK_FUNC_OPT(wk_opt_about, 1, 'V', NULL, NULL, "the same as --version"),
    WK_OPTS_END,
};

static void put_reversed(struct wk_cmd *c, struct wk_str s)
{
    while (s.n) {
        size_t n = wk_utf8_prev(s.p, s.n);
        wk_out_put(c->out, s.p + s.n - n, n);
        s.n -= n;
    }
}

static int rev_main(struct wk_cmd *c)
{
    const struct rev_opts *o = c->opts;
    char end = o->zero ? '\0' : '\n';
    struct wk_str line;
    for (int i = 0; i < c->nargs || i == 0; i++) {
        struct wk_in *in = c->in;
        int err = c->nargs ? wk_raw_open(c, c->args[i], false, &in) : 0;
        if (err) {
            wk_msg(c, "cannot open %s: %s", c->args[i], wk_err_text(err));
            continue;
        }
        struct wk_stat st;
        err = !in->file ? WK_EBADF : wk_file_stat(in->file, &st) >= 0 && WK_S_ISDIR(st.mode) ? WK_EISDIR : 0;
        if (err) {
            wk_msg(c, "%s: 0: %s", c->nargs ? c->args[i] : "stdin", wk_err_text(err));
            if (in != c->in)
                wk_in_close(in);
            continue;
        }
        while (wk_line_next(in, end, &line)) {
            put_reversed(c, line);
            if (!in->no_newline)
                wk_out_char(c->out, end);
        }
        if (in != c->in)
            wk_in_close(in);
    }
    wk_out_may_be_closed(c);
    return c->status;
}

WK_COMMAND(rev, .summary = "reverse the characters of every line",
           .usage = "rev [OPTION]... [FILE]...", .std = "util-linux 2.38", .opts = rev_options,
           .opts_size = sizeof(struct rev_opts),
           .flags = WK_CMD_FILTER);
