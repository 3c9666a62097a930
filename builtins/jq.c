/* jq.c - filters JSON
 *
 * Standard: none; jq 1.8.
 * Oracle:   jq 1.6 and 1.7 for what 1.8 did not change; the manual of 1.8.
 * Differs:  docs/divergences/jq.md
 */
#include "builtins/jq.h"

#include "base/err.h"
#include "builtins/jq_input.h"
#include "builtins/jq_options.h"

/* What one input came to; in the words of the statuses, 0 for a last output that is true. */
enum { MADE_NOTHING = JQ_STATUS_NONE, MADE_NULL = JQ_STATUS_NULL };

struct jq_command {
    struct jq q; /* first */
    struct wk_cmd *c;
    struct jq_options o;
    struct jq_input *input;
    struct jq_machine *machine;
    struct wk_buf text; /* an output */
    struct wk_str colours[8];
};

static void release_text(void *obj)
{
    wk_buf_release(obj);
}

static void say_value(struct jq_command *d, struct jq_val v)
{
    static const struct jq_style compact = {0};
    wk_buf_reset(&d->text);
    wk_jq_print(&d->q, v, &compact, &d->text);
    if (d->text.failed)
        wk_heap_exhausted(d->c->heap);
    wk_out_str(d->c->err, wk_buf_str(&d->text));
}

static void on_debug(struct jq *q, struct jq_val v)
{
    wk_out_c(q->c->err, "[\"DEBUG:\",");
    say_value((struct jq_command *)q, v);
    wk_out_c(q->c->err, "]\n");
    jq_free(q, v);
}

static void on_stderr(struct jq *q, struct jq_val v)
{
    if (v.kind == JQ_STRING)
        wk_out_str(q->c->err, jq_slice(v));
    else
        say_value((struct jq_command *)q, v);
    jq_free(q, v);
}

struct jq_val wk_jq_env(struct jq *q)
{
    struct jq_val env = wk_jq_object(q, 0);
    const char **strings = wk_env_strings(q->c);
    for (size_t i = 0; i < q->c->proc->env->n; i++) {
        const char *eq = strchr(strings[i], '=');
        if (!eq)
            continue;
        struct jq_val name = wk_jq_string(q, wk_str(strings[i], (size_t)(eq - strings[i])));
        env = wk_jq_object_set(q, env, name, wk_jq_string(q, wk_str_c(eq + 1)));
    }
    return env;
}

/* ---- colours ---- */

static const char *const default_colours[8] = {
    "\033[0;90m", "\033[0;39m", "\033[0;39m", "\033[0;39m", "\033[0;32m", "\033[1;39m", "\033[1;39m",
    "\033[1;34m"};

/* JQ_COLORS: escapes of digits and semicolons between colons; what is left out keeps its own. */
static bool take_colours(struct jq_command *d, const char *text)
{
    struct wk_str colours[8];
    memcpy(colours, d->colours, sizeof colours);
    for (size_t i = 0; i < WK_COUNTOF(colours); i++) {
        size_t n = strspn(text, "0123456789;");
        if (text[n] && text[n] != ':')
            return false;
        colours[i] = wk_str_c(wk_strf(d->c, "\033[%.*sm", (int)n, text));
        text += n;
        if (!*text++)
            break;
    }
    memcpy(d->colours, colours, sizeof colours);
    return true;
}

static void set_colours(struct jq_command *d)
{
    struct wk_cmd *c = d->c;
    const char *none = wk_cmd_env(c, "NO_COLOR"), *own = wk_cmd_env(c, "JQ_COLORS");
    bool tty = c->out->file && c->out->file->is_tty && !(none && *none);
    if (d->o.colour < 0 || (d->o.colour == 0 && !tty))
        return;
    d->o.style.flags |= JQ_PRINT_COLOUR;
    d->o.style.colours = d->colours;
    for (size_t i = 0; i < WK_COUNTOF(d->colours); i++)
        d->colours[i] = wk_str_c(default_colours[i]);
    if (own && !take_colours(d, own))
        wk_out_c(c->err, "Failed to set $JQ_COLORS\n");
}

/* ---- outputs ---- */

static void look_at_output(struct jq_command *d)
{
    struct wk_out *out = d->c->out;
    if (!out->err)
        return;
    wk_out_fmt(d->c->err, "jq: error: writing output failed: %s\n", wk_err_text(out->err));
    out->err = 0;
    out->n = 0;
    wk_exit(d->c, JQ_STATUS_USAGE);
}

/* Prints v (taken); false with an error set when it cannot be. */
static bool put_output(struct jq_command *d, struct jq_val v, int *made)
{
    struct wk_buf *b = &d->text;
    struct wk_out *out = d->c->out;
    bool string = v.kind == JQ_STRING && d->o.raw_output, ascii = d->o.style.flags & JQ_PRINT_ASCII;
    *made = v.kind == JQ_NULL || v.kind == JQ_FALSE ? MADE_NULL : 0;
    if (string && d->o.nul && memchr(v.str->bytes, '\0', v.str->n)) {
        jq_free(&d->q, v);
        return wk_jq_error(&d->q, "Cannot dump a string containing NUL with --raw-output0 option");
    }
    wk_buf_reset(b);
    if (string && !ascii) {
        wk_out_str(out, jq_slice(v));
    } else {
        if (d->o.seq)
            wk_buf_putc(b, '\036');
        wk_jq_print_out(&d->q, v, &d->o.style, b, out);
    }
    jq_free(&d->q, v);
    if (!d->o.join)
        wk_buf_putc(b, '\n');
    if (d->o.nul)
        wk_buf_putc(b, '\0');
    if (b->failed)
        wk_heap_exhausted(d->c->heap);
    wk_out_str(out, wk_buf_str(b));
    if (d->o.unbuffered)
        wk_out_flush(out);
    look_at_output(d);
    return true;
}

static void say_place(struct jq_command *d)
{
    struct wk_buf *b = &d->text;
    wk_buf_reset(b);
    wk_buf_put_c(b, "jq: error (at ");
    wk_jq_input_place(d->input, b);
    wk_buf_putc(b, ')');
    if (b->failed)
        wk_heap_exhausted(d->c->heap);
    wk_out_str(d->c->err, wk_buf_str(b));
}

/* Tells the error of q, and clears it. */
static void say_error(struct jq_command *d)
{
    struct jq *q = &d->q;
    struct wk_out *err = d->c->err;
    struct jq_val e = q->error;
    bool is_break = q->is_break;
    q->error = jq_none();
    q->is_break = false;
    say_place(d);
    if (is_break) {
        wk_out_c(err, ": break");
    } else if (e.kind == JQ_STRING) {
        wk_out_c(err, ": ");
        wk_out_str(err, jq_slice(e));
    } else {
        wk_out_c(err, " (not a string): ");
        say_value(d, e);
    }
    wk_out_char(err, '\n');
    jq_free(q, e);
}

/* What halt_error leaves is told as it is. */
static int say_halt(struct jq_command *d)
{
    struct jq_val v = d->q.halt_value;
    if (v.kind == JQ_STRING) {
        wk_out_str(d->c->err, jq_slice(v));
    } else if (v.kind != JQ_NONE && v.kind != JQ_NULL) {
        say_value(d, v);
        wk_out_char(d->c->err, '\n');
    }
    return d->q.halt_status;
}

/* Runs the program on an input (taken): what came of it. */
static int process(struct jq_command *d, struct jq_val input)
{
    int made = MADE_NOTHING, got;
    struct jq_val v;
    wk_jq_start(d->machine, input);
    while ((got = wk_jq_next(d->machine, &v)) > 0) {
        if (!put_output(d, v, &made)) {
            say_error(d);
            return JQ_STATUS_ERROR;
        }
    }
    if (d->q.halted)
        return say_halt(d);
    if (got < 0) {
        say_error(d);
        return JQ_STATUS_ERROR;
    }
    return made;
}

/* ---- the whole ---- */

/* An input that is no JSON: true when the others are still read. */
static bool bad_input(struct jq_command *d, int *status)
{
    struct jq_val e = d->q.error;
    d->q.error = jq_none();
    wk_out_c(d->c->err, d->o.seq ? "jq: ignoring parse error: " : "jq: parse error: ");
    wk_out_str(d->c->err, jq_slice(e));
    wk_out_char(d->c->err, '\n');
    jq_free(&d->q, e);
    *status = d->o.seq ? MADE_NOTHING : JQ_STATUS_ERROR;
    return d->o.seq;
}

static int run(struct jq_command *d)
{
    int status = MADE_NOTHING, last = MADE_NOTHING;
    if (d->o.null_input) {
        status = process(d, jq_null());
    } else {
        struct jq_source *s = &d->input->source;
        struct jq_val v;
        int got;
        /* jq goes no further behind a value that came when a file had failed. */
        while (!d->input->failures && (got = s->next(s, &v)) != 0) {
            if (got < 0) {
                if (!bad_input(d, &status))
                    break;
                continue;
            }
            status = process(d, v);
            if (status == MADE_NULL || status == 0)
                last = status;
            if (d->q.halted)
                break;
        }
    }
    if (d->input->failures)
        status = JQ_STATUS_USAGE;
    if (d->q.halted)
        return d->q.halt_status;
    if (d->o.exit_status)
        return status == MADE_NOTHING ? last : status;
    return status == MADE_NOTHING || status == MADE_NULL ? 0 : status;
}

static struct wk_str program_text(struct jq_command *d)
{
    struct wk_cmd *c = d->c;
    const char *program = d->o.program;
    struct wk_str text;
    if (!d->o.from_file)
        return wk_str_c(program);
    int err = wk_jq_read_file(&d->q, program, &text);
    if (err) {
        wk_out_fmt(c->err, "jq: Could not open %s: %s\n", program,
                   err == WK_EISDIR ? "It's a directory" : wk_err_text(err));
        wk_exit(c, JQ_STATUS_USAGE);
    }
    const char *slash = strrchr(program, '/');
    if (slash)
        d->q.origin = slash == program ? "/" : wk_dupn(c, program, (size_t)(slash - program));
    return text;
}

static void compile(struct jq_command *d)
{
    struct wk_buf messages;
    wk_buf_init(&messages, wk_heap_mem(d->c->heap), SIZE_MAX / 2);
    struct jq_program *p = wk_jq_compile(&d->q, program_text(d), &messages);
    if (!p) {
        const char *text = wk_keep(d->c, &messages);
        wk_out_c(d->c->err, text);
        wk_exit(d->c, JQ_STATUS_COMPILE);
    }
    wk_buf_release(&messages);
    d->machine = wk_jq_machine(&d->q, p);
}

static WK_NORETURN void usage(struct wk_cmd *c)
{
    wk_out_c(c->err, "jq - commandline JSON processor [version 1.8.1]\n\n"
                     "Usage:\tjq [options] <jq filter> [file...]\n"
                     "\tjq [options] --args <jq filter> [strings...]\n"
                     "\tjq [options] --jsonargs <jq filter> [JSON_TEXTS...]\n\n"
                     "For listing the command options, use jq --help.\n");
    wk_exit(c, JQ_STATUS_USAGE);
}

static int jq_main(struct wk_cmd *c)
{
    struct jq_command *d = wk_new(c, struct jq_command);
    wk_jq_init(&d->q, c);
    d->c = c;
    wk_buf_init(&d->text, wk_heap_mem(c->heap), SIZE_MAX / 2);
    wk_heap_own(c->heap, &d->text, release_text);
    d->q.filename = jq_null();
    d->q.origin = ".";
    d->q.on_debug = on_debug;
    d->q.on_stderr = on_stderr;
    wk_jq_options(&d->q, &d->o);
    if (!d->o.program) {
        if (c->in->file && c->in->file->is_tty && c->out->file && c->out->file->is_tty)
            usage(c);
        d->o.program = ".";
    }
    set_colours(d);
    unsigned mode = (d->o.stream ? WK_JSON_STREAM : 0) | (d->o.seq ? WK_JSON_SEQ : 0);
    d->input = wk_jq_input_new(&d->q, d->o.files, d->o.n_files, mode);
    d->input->raw = d->o.raw_input;
    d->input->slurp = d->o.slurp;
    d->input->errors = d->o.stream_errors;
    d->q.inputs = &d->input->source;
    compile(d);
    int status = run(d);
    if (wk_out_flush(c->out))
        look_at_output(d);
    return status & 255;
}

WK_COMMAND(jq, .summary = "filter and change JSON texts",
           .usage = "jq [OPTION]... FILTER [FILE]...\n"
                    "jq [OPTION]... --args FILTER [STRING]...\n"
                    "jq [OPTION]... --jsonargs FILTER [JSON]...",
           .std = "jq 1.8", .flags = WK_CMD_RAW_ARGS | WK_CMD_HOST, /* --version is looked at here */
           .usage_status = JQ_STATUS_USAGE,
           .help = "FILTER is a program in jq's language; . copies its input.\n\n"
                   "  -n, --null-input          run once, on null, and read nothing by itself\n"
                   "  -R, --raw-input           each line is an input, as a string\n"
                   "  -s, --slurp               all inputs in one array (with -R in one string)\n"
                   "      --stream              inputs are [PATH, LEAF] events of the texts\n"
                   "      --stream-errors       the same, and [MESSAGE, PATH] of what is no JSON\n"
                   "      --seq                 texts begin with an RS, read and written\n"
                   "  -c, --compact-output      one line for each output\n"
                   "      --tab                 a tab for each level\n"
                   "      --indent n            n blanks for each level, at most 7\n"
                   "  -r, --raw-output          strings as they are, without quotes\n"
                   "      --raw-output0         the same, and a NUL behind each output\n"
                   "  -j, --join-output         the same, and nothing behind each output\n"
                   "  -a, --ascii-output        other characters than ASCII as escapes\n"
                   "  -S, --sort-keys           keys of objects in order\n"
                   "  -C, --color-output        in colours (JQ_COLORS)\n"
                   "  -M, --monochrome-output   without colours\n"
                   "      --unbuffered          pass each output on at once\n"
                   "  -f, --from-file           FILTER is a file that holds the program\n"
                   "  -L, --library-path dir    where modules are looked for\n"
                   "      --arg name value      $name is a string\n"
                   "      --argjson name text   $name is what the JSON text says\n"
                   "      --slurpfile name file $name is an array of the JSON texts in a file\n"
                   "      --rawfile name file   $name is what a file holds, as a string\n"
                   "      --args                operands behind FILTER are strings in $ARGS.positional\n"
                   "      --jsonargs            the same with JSON texts\n"
                   "  -e, --exit-status         status 1 when the last output is null or false, 4 without any\n"
                   "  -b, --binary              makes no difference here\n"
                   "  -V, --version             print the version of jq whose language this is\n"
                   "      --build-configuration print whose jq this is\n"
                   "  -h, --help                print this text\n"
                   "  --                        the rest are operands\n");
