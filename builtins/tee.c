/* tee.c - copy standard input to files and to standard output
 *
 * Standard: GNU coreutils 9.1. Oracle: tee.
 */
#include "builtins/choice.h"
#include "builtins/fsops.h"

#define TEE_BLOCK ((size_t)65536)

enum tee_mode { TEE_SIGPIPE, TEE_WARN, TEE_WARN_NOPIPE, TEE_EXIT, TEE_EXIT_NOPIPE };

struct tee_opts {
    bool append, ignore_interrupts;
    int mode; /* enum tee_mode */
};

static int set_mode(struct wk_cmd *c, const struct wk_opt *opt, const char *arg)
{
    static const struct wk_choice modes[] = {{"warn", TEE_WARN},
                                             {"warn-nopipe", TEE_WARN_NOPIPE},
                                             {"exit", TEE_EXIT},
                                             {"exit-nopipe", TEE_EXIT_NOPIPE},
                                             {NULL, 0}};
    (void)opt;
    ((struct tee_opts *)c->opts)->mode =
        arg ? wk_choice_read(c, "--output-error", arg, modes) : TEE_WARN_NOPIPE;
    return 0;
}

static const struct wk_opt tee_options[] = {
    WK_FLAG(struct tee_opts, append, 'a', "append", "append to the given FILEs, do not overwrite"),
    WK_FLAG(struct tee_opts, ignore_interrupts, 'i', "ignore-interrupts",
            "ignore interrupt signals"),
    WK_SET(struct tee_opts, mode, TEE_WARN_NOPIPE, 'p', NULL,
           "diagnose errors writing to non pipes"),
    WK_FUNC_OPT(set_mode, 0, 0, "output-error", "[MODE",
                "set behavior on write error.  See MODE below"),
    WK_OPTS_END,
};

struct tee_target {
    struct wk_file *file; /* NULL: standard output is closed */
    struct wk_out *out;   /* holds the file's reference; NULL for standard output */
    const char *name;
    bool done; /* could not be written to */
};

/* False when the target is to be left out from now on. */
static bool write_to(struct wk_cmd *c, struct tee_target *t, enum tee_mode mode, const char *p,
                     size_t n)
{
    ptrdiff_t r;
    size_t done = 0;
    do {
        r = t->file ? wk_file_write(c->task, t->file, p + done, n - done) : -WK_EBADF;
        if (r > 0)
            done += (size_t)r;
    } while (r == -WK_EINTR || (r > 0 && done < n));
    if (r >= 0)
        return true;
    bool broken_pipe = r == -WK_EPIPE;
    if (!(broken_pipe && (mode == TEE_WARN_NOPIPE || mode == TEE_EXIT_NOPIPE))) {
        wk_warn(c, t->name, (int)-r);
        if (mode == TEE_EXIT || mode == TEE_EXIT_NOPIPE)
            wk_exit(c, 1);
    }
    return false;
}

static size_t open_targets(struct wk_cmd *c, const struct tee_opts *o, struct tee_target *t)
{
    size_t n = 0;
    t[n++] = (struct tee_target){c->out->file, NULL, "standard output", false};
    for (int i = 0; i < c->nargs; i++) {
        struct wk_file *f;
        int flags = WK_O_WRONLY | WK_O_CREAT | (o->append ? WK_O_APPEND : WK_O_TRUNC);
        int err = wk_cmd_open(c, c->args[i], flags, 0666, &f);
        if (err) {
            wk_warn(c, c->args[i], err);
            if (o->mode == TEE_EXIT || o->mode == TEE_EXIT_NOPIPE)
                wk_exit(c, 1);
            continue;
        }
        t[n++] = (struct tee_target){f, wk_out_of(c, f), c->args[i], false};
    }
    return n;
}

static int tee_main(struct wk_cmd *c)
{
    const struct tee_opts *o = (const struct tee_opts *)c->opts;
    enum tee_mode mode = (enum tee_mode)o->mode;
    if (o->ignore_interrupts)
        c->proc->sig_ignored |= WK_SIGBIT(WK_SIGINT);
    if (mode != TEE_SIGPIPE)
        c->proc->sig_ignored |= WK_SIGBIT(WK_SIGPIPE);
    struct tee_target *t = wk_new_n(c, struct tee_target, (size_t)c->nargs + 1);
    size_t n = open_targets(c, o, t), open = n;
    if (!c->in->file) {
        wk_msg(c, "read error: %s", wk_err_text(WK_EBADF));
        wk_fail(c, 1, "standard input: %s", wk_err_text(WK_EBADF));
    }
    char *block = (char *)wk_heap_alloc(c->heap, TEE_BLOCK);
    ptrdiff_t got = 0;
    while (open > 0) {
        got = wk_file_read(c->task, c->in->file, block, TEE_BLOCK);
        if (got == -WK_EINTR)
            continue;
        if (got <= 0)
            break;
        wk_tick(c, (uint32_t)(got / 64));
        for (size_t i = 0; i < n; i++) {
            if (!t[i].done && !write_to(c, &t[i], mode, block, (size_t)got)) {
                t[i].done = true;
                open--;
            }
        }
    }
    if (got < 0)
        wk_msg(c, "read error: %s", wk_err_text((int)-got));
    for (size_t i = 0; i < n; i++)
        if (t[i].out)
            (void)wk_out_close(t[i].out);
    return c->status;
}

WK_COMMAND(tee, .summary = "read from standard input and write to standard output and files",
           .usage = "tee [OPTION]... [FILE]...", .std = "coreutils 9.1", .opts = tee_options,
           .opts_size = sizeof(struct tee_opts),
           .help = "If a FILE is -, it is a file named '-'.\n\n"
                   "MODE determines behavior with write errors on the outputs:\n"
                   "  warn           diagnose errors writing to any output\n"
                   "  warn-nopipe    diagnose errors writing to any output not a pipe\n"
                   "  exit           exit on error writing to any output\n"
                   "  exit-nopipe    exit on error writing to any output not a pipe\n"
                   "The default MODE for the -p option is 'warn-nopipe'.\n"
                   "The default operation when --output-error is not specified, is to\n"
                   "exit immediately on error writing to a pipe, and diagnose errors\n"
                   "writing to non pipe outputs.\n");
