/* bc.c - calculator of any precision with a language like C
 *
 * Standard: POSIX; GNU bc 1.07.1. Oracle: bc.
 */
#include "builtins/bc.h"

#include "base/num.h"

struct bc_opts {
    bool interactive, library, quiet, standard, warn;
};

static int say_version(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    (void)o;
    (void)arg;
    wk_out_c(c->out, "bc 1.07.1 (whelk)\n");
    wk_exit(c, 0);
}

static int say_help(struct wk_cmd *c, const struct wk_opt *o, const char *arg)
{
    (void)o;
    (void)arg;
    wk_out_c(c->out, "usage: bc [options] [file ...]\n  -h, -i, -l, -q, -s, -w, -v: see bc --help\n");
    wk_exit(c, 0);
}

static const struct wk_opt bc_options[] = {
    WK_FUNC_OPT(say_help, 0, 'h', NULL, NULL, "print a short usage and exit"),
    WK_FLAG(struct bc_opts, interactive, 'i', "interactive", "force interactive mode"),
    WK_FLAG(struct bc_opts, library, 'l', "mathlib", "define the functions s c a l e j; scale is 20"),
    WK_FLAG(struct bc_opts, quiet, 'q', "quiet", "no banner"),
    WK_FLAG(struct bc_opts, standard, 's', "standard", "what POSIX does not have is an error"),
    WK_FLAG(struct bc_opts, warn, 'w', "warn", "warn about what POSIX does not have"),
    WK_FUNC_OPT(say_version, 0, 'v', NULL, NULL, "print the version and exit"),
    WK_OPTS_END,
};

/* The next operand, then standard input; words go on from one to the next. */
bool wk_bc_next_source(struct bc *b)
{
    struct wk_cmd *c = b->c;
    b->line = 1;
    if (b->library || b->source > c->nargs)
        return false;
    if (b->in && b->in != c->in)
        wk_in_close(b->in);
    if (b->source++ == c->nargs) {
        b->file = "(standard_in)";
        b->in = c->in;
        return true;
    }
    b->file = c->args[b->source - 1];
    struct wk_file *f;
    if (wk_cmd_open(c, b->file, WK_O_RDONLY, 0, &f)) {
        wk_out_flush(c->out);
        wk_out_fmt(c->err, "File %s is unavailable.\n", b->file);
        wk_exit(c, 1);
    }
    struct wk_stat st;
    if (wk_cmd_stat(c, b->file, true, &st) == 0 && WK_S_ISDIR(st.mode)) {
        wk_out_flush(c->out);
        wk_out_fmt(c->err, "%s 1: read() in flex scanner failed\n", b->file);
        wk_exit(c, 1);
    }
    b->in = wk_in_of(c, f, b->file);
    return true;
}

static void release_names(void *names)
{
    wk_map_release((struct wk_map *)names);
}

/* Columns of a line: 69 and a backslash, $BC_LINE_LENGTH less one, 0 for no end. */
static size_t width_of(struct wk_cmd *c)
{
    const char *text = wk_cmd_env(c, "BC_LINE_LENGTH");
    int64_t v = 0;
    int err;
    if (!text)
        return 69;
    wk_scan_i64(wk_str_trim(wk_str_c(text)), 10, &v, &err);
    return v < 3 || v > INT32_MAX ? (text[0] ? 0 : 69) : (size_t)v - 1;
}

static void run_library(struct bc *b)
{
    b->library = true;
    b->p = wk_bc_library;
    b->end = b->p + strlen(wk_bc_library);
    wk_bc_program(b);
    b->library = b->source_end = false;
}

static int bc_main(struct wk_cmd *c)
{
    const struct bc_opts *o = (const struct bc_opts *)c->opts;
    struct bc *b = wk_new(c, struct bc);
    b->c = c;
    b->vars = BC_FIRST_NAME;
    b->arrays = b->functions = 1;
    b->ibase = b->obase = 10;
    b->history = -1;
    b->zero = wk_dec_int(c, 0);
    b->one = wk_dec_int(c, 1);
    b->random = (uint64_t)wk_cmd_now(c);
    b->width = width_of(c);
    wk_map_init(&b->names, wk_heap_mem(c->heap), 0, false);
    wk_heap_own(c->heap, &b->names, release_names);
    (void)wk_bc_var_id(b, wk_str_c("last"));
    if (o->library)
        run_library(b);
    b->standard = o->standard || wk_cmd_env(c, "POSIXLY_CORRECT");
    b->warn = o->warn;
    if (o->interactive && !o->quiet)
        wk_out_c(c->out, "bc 1.07.1 (whelk)\n");
    if (!wk_bc_next_source(b))
        return 0;
    wk_bc_program(b);
    return c->status;
}

WK_COMMAND(bc, .summary = "calculator of any precision", .usage = "bc [OPTION]... [FILE]...", .std = "GNU bc 1.07.1",
           .help = "The FILEs are run, then standard input.", .opts = bc_options, .opts_size = sizeof(struct bc_opts),
           .flags = WK_CMD_FILTER);
