/* run.c - from text to evaluation: -c strings, script files, eval, source */
#include "interp/run.h"
#include "interp/alias.h"
#include "interp/history.h"
#include "interp/jobs.h"
#include "interp/lookup.h"
#include "interp/prompt.h"
#include "interp/shared.h"
#include "interp/start.h"
#include "interp/trap.h"
#include "interp/vars.h"

#include "kern/command.h"

#include "vfs/vfs.h"

/* ---- what the parser asks of a shell --------------------------------------------------------- */

struct reader {
    struct wk_shell *sh;
    const char *what;     /* before syntax messages */
    struct wk_file *file; /* lines come from here */
    bool is_stdin;        /* … which is descriptor 0, whatever that becomes */
    struct wk_str rest;   /* or from here: a main text is read by lines while history looks at them */
    bool by_lines;
    bool edited;          /* of fc: shown, and not expanded */
    bool kept;            /* the command's first line is in the history */
    bool ran;             /* a command of it was run */
    bool ended;           /* nothing is behind the last one: a signal that ends the shell comes to what runs the text */
    bool prompts;         /* the file is typed by a person, or so `-i' says */
    const struct wk_parser *parser;
    struct wk_buf line;
    struct wk_buf expanded; /* the line after history expansion */
};

struct deep_arg {
    struct wk_shell *sh;
    int (*fn)(void *arg);
    void *arg;
    uintptr_t *floor;
};

static int deep_call(void *p)
{
    struct deep_arg *d = p;
    uintptr_t old = *d->floor;
    *d->floor = d->sh->task->stack_floor;
    int r = d->fn(d->arg);
    *d->floor = old;
    return r;
}

static int parser_deep(void *ctx, int (*fn)(void *arg), void *arg, uintptr_t *floor)
{
    struct reader *r = ctx;
    struct deep_arg d = {r->sh, fn, arg, floor};
    int result = 0;
    int e = wk_stack_call(r->sh->task, deep_call, &d, &result);
    return e ? -WK_ENOMEM : result;
}

static bool parser_alias(void *ctx, struct wk_str name, struct wk_str *value)
{
    struct reader *r = ctx;
    return wk_alias_get(r->sh, name, value);
}

static void parser_message(void *ctx, uint32_t line, struct wk_str text)
{
    struct reader *r = ctx;
    uint32_t old = r->sh->line;
    r->sh->line = line;
    if (r->sh->interactive && text.n && text.p[0] == '`') /* the line is in sight */
        return;
    if (r->what && !r->sh->interactive && !wk_str_starts(text, WK_STR("warning: "))) {
        /* "bash: -c: line 1: …": the origin stands before the line. */
        struct wk_buf b;
        wk_buf_init(&b, r->sh->mem, WK_VAL_MAX);
        wk_sh_error_prefix(r->sh, &b);
        ptrdiff_t at = wk_str_find(wk_buf_str(&b), WK_STR(": line "));
        struct wk_buf all;
        wk_buf_init(&all, r->sh->mem, WK_VAL_MAX);
        size_t cut = at < 0 ? b.n : (size_t)at;
        wk_buf_put(&all, wk_buf_c(&b), cut);
        wk_buf_fmt(&all, ": %s", r->what);
        wk_buf_puts(&all, wk_str_from(wk_buf_str(&b), cut));
        wk_buf_puts(&all, text);
        wk_buf_putc(&all, '\n');
        (void)wk_sh_write(r->sh, 2, wk_buf_str(&all));
        wk_buf_release(&b);
        wk_buf_release(&all);
    } else {
        wk_sh_error(r->sh, "%.*s", (int)WK_MIN(text.n, (size_t)INT32_MAX), text.p);
    }
    r->sh->line = old;
}

void wk_tell_syntax(struct wk_shell *sh, struct wk_str text, uint32_t line, const char *what)
{
    struct reader r = {.sh = sh, .what = what};
    struct wk_parse_opts o;
    struct wk_tree *tree = NULL;
    struct wk_word *w;
    wk_text_parse_opts(sh, &o);
    o.first_line = line;
    o.message = parser_message;
    o.ctx = &r;
    (void)wk_parse_word_text(&o, text, WK_TEXT_SUBST, &tree, &w);
    wk_tree_unref(tree);
}

static int parser_step(void *ctx)
{
    struct reader *r = ctx;
    return wk_step(r->sh->k) ? -WK_ESTOP : 0;
}

/* History looks at the lines of this shell's input. */
static bool looks_at_lines(const struct wk_shell *sh)
{
    return WK_UNLIKELY(wk_opt(sh, HISTORY)) && !sh->no_history && !sh->now.is_subshell;
}

/* exec < FILE in a shell that reads its commands from standard input: they come from there now. */
static void follow_stdin(struct reader *r)
{
    struct wk_file *now = wk_fd_get(r->sh->proc->fds, 0);
    if (WK_LIKELY(now == r->file))
        return;
    if (now)
        wk_file_ref(now);
    if (r->file)
        wk_file_unref(r->file);
    r->file = now;
}

/* One line of the file; exactly that much is taken, so that commands may read the rest. */
static int file_line(struct reader *r, struct wk_str *line)
{
    wk_buf_reset(&r->line);
    if (r->is_stdin)
        follow_stdin(r);
    while (r->file) {
        const char *p;
        ptrdiff_t n = wk_file_peek(r->sh->task, r->file, 4096, &p);
        if (n == -WK_EINTR) {
            if (!r->sh->task->signal_check)
                continue;
            return -WK_EINTR;
        }
        if (n < 0)
            return (int)n;
        if (n == 0)
            break;
        const char *nl = memchr(p, '\n', (size_t)n);
        size_t take = nl ? (size_t)(nl - p) + 1 : (size_t)n;
        if (!wk_buf_put(&r->line, p, take))
            return -WK_ENOMEM;
        wk_file_skip(r->file, take);
        if (wk_steps(r->sh->k, (uint32_t)(take / 64) + 1) != 0)
            return -WK_ESTOP;
        if (nl)
            break;
    }
    *line = wk_buf_str(&r->line);
    return 0;
}

/* A text is read by lines when history looks at them, and when set -v shows them: bash does so as it reads. */
static bool wants_lines(const struct wk_shell *sh, enum wk_run_mode mode)
{
    if (mode == WK_RUN_MAIN && looks_at_lines(sh))
        return true;
    return WK_UNLIKELY(wk_opt(sh, VERBOSE));
}

static void show_line(struct wk_shell *sh, struct wk_str line, enum wk_parse_show how)
{
    bool nl = line.p[line.n - 1] == '\n', odd = false;
    for (size_t i = line.n - nl; how == WK_SHOW_JOINED && nl && i > 0 && line.p[i - 1] == '\\'; i--)
        odd = !odd;
    (void)wk_sh_write(sh, 2, wk_str_take(line, line.n - (odd ? 2 : 0)));
    if (!nl)
        (void)wk_sh_write(sh, 2, WK_STR("\n"));
}

static int parser_more(void *ctx, bool continued, struct wk_str *line)
{
    struct reader *r = ctx;
    for (;;) {
        if (r->file || r->is_stdin) {
            if (r->prompts && wk_prompt_show(r->sh, continued ? "PS2" : "PS1") == WK_STOP)
                return -WK_ESTOP;
            int e = file_line(r, line);
            if (e)
                return e;
            if (r->prompts && !(line->n && r->file->is_tty)) /* as the line editor shows what it reads */
                (void)wk_sh_write(r->sh, 2, line->n ? *line : WK_STR("exit\n"));
        } else {
            ptrdiff_t nl = wk_str_chr(r->rest, '\n');
            *line = wk_str_take(r->rest, nl < 0 ? r->rest.n : (size_t)nl + 1);
            r->rest = wk_str_from(r->rest, line->n);
        }
        if (!line->n)
            return 0;
        if (WK_UNLIKELY(wk_opt(r->sh, VERBOSE) || r->edited)) {
            enum wk_parse_show how = r->edited ? WK_SHOW_LINE : wk_parser_shows(r->parser);
            if (how != WK_SHOW_NOT)
                show_line(r->sh, *line, how);
        }
        if (!r->by_lines || !(r->edited || looks_at_lines(r->sh)))
            return 1;
        wk_buf_reset(&r->expanded);
        int e = wk_history_input(r->sh, *line, continued, r->parser, &r->kept, r->edited ? NULL : &r->expanded, line);
        if (e)
            return e;
        if (line->n)
            return 1;
    }
}

static uint32_t parser_flags(const struct wk_shell *sh)
{
    uint32_t f = 0;
    if (wk_shopt(sh, EXTGLOB))
        f |= WK_PARSE_EXTGLOB;
    if (wk_opt(sh, POSIX))
        f |= WK_PARSE_POSIX;
    if (sh->st->bytes)
        f |= WK_PARSE_BYTES;
    if (wk_aliases_apply(sh))
        f |= WK_PARSE_ALIASES;
    if (sh->interactive && !wk_shopt(sh, INTERACTIVE_COMMENTS))
        f |= WK_PARSE_NO_COMMENTS;
    if (wk_opt(sh, ERREXIT) && !sh->now.noerrexit) /* bash leaves with its first message */
        f |= WK_PARSE_BRIEF;
    return f;
}

void wk_run_parse_opts(struct wk_shell *sh, struct wk_parse_opts *o)
{
    *o = (struct wk_parse_opts){
        .mem = sh->mem,
        .names = sh->names,
        .flags = parser_flags(sh),
        .max_depth = sh->k->limits.nesting > UINT32_MAX ? 0 : (uint32_t)sh->k->limits.nesting};
}

/* ---- the loop -------------------------------------------------------------------------------- */

static enum wk_flow run_tree(struct wk_shell *sh, struct wk_tree *tree)
{
    struct wk_tree *old = sh->now.tree;
    const struct wk_node *command = sh->now.command;
    const char *builtin = sh->builtin_name; /* messages of what runs are not those of `eval' */
    uint32_t around = sh->around_line;
    sh->now.tree = tree;
    sh->builtin_name = NULL;
    sh->running = builtin;
    sh->around_line = WK_MAX(tree->last_line, 2) - 1; /* the parser stands behind it */
    enum wk_flow flow = wk_eval(sh, tree->root);
    sh->around_line = around;
    sh->builtin_name = builtin;
    sh->now.tree = old;
    wk_hold_command(sh, tree, command);
    return flow;
}

/* A syntax error in the list of an array: the command is given up, and the text goes on. */
static enum wk_flow array_failed(struct wk_shell *sh)
{
    sh->status = 1;
    if (sh->interactive)
        return WK_NEXT;
    if (wk_opt(sh, POSIX)) {
        sh->status = wk_sh_end_status(sh);
        return wk_sh_leave_failed(sh);
    }
    return sh->now.is_subshell ? WK_ABORT : WK_NEXT;
}

static enum wk_flow parse_failed(struct wk_shell *sh, struct wk_parser *p, int err,
                                 enum wk_run_mode mode, bool *bad_syntax)
{
    if (err == -WK_ESYNTAX) {
        *bad_syntax = true;
        if (wk_opt(sh, ERREXIT) && !sh->now.noerrexit && !sh->interactive) {
            if (wk_parser_error(p, NULL).n) /* some are not told of */
                sh->status = 2;
            return WK_EXIT;
        }
        if (wk_parser_place(p) == WK_PARSE_TOO_MANY && !sh->interactive) {
            sh->status = mode == WK_RUN_MAIN ? 2 : 1;
            return WK_EXIT;
        }
        enum wk_parse_place place = wk_parser_place(p);
        sh->text_failed = place == WK_PARSE_IN_TEXT && sh->now.text_command;
        if (place >= WK_PARSE_IN_SUBST && !sh->interactive && mode < WK_RUN_TRAP) {
            sh->status = mode != WK_RUN_MAIN || sh->command_string ? wk_sh_end_status(sh)
                         : place == WK_PARSE_IN_SUBST              ? 2
                                                                   : 1;
            return WK_EXIT;
        }
        bool keep = (place == WK_PARSE_OPEN && sh->status != 0) ||
                    (place == WK_PARSE_IN_COND && (sh->interactive || !wk_parser_cond_ended(p)));
        if (!keep || mode != WK_RUN_MAIN)
            sh->status = 2;
        return WK_NEXT;
    }
    if (err == -WK_ELIMIT) {
        (void)wk_kern_breach(sh->k, WK_LIMIT_NESTING);
        sh->status = 2;
        return WK_STOP;
    }
    if (err == -WK_EISDIR || err == -WK_EIO || err == -WK_EBADF) {
        wk_sh_error(sh, "read error: %s", wk_err_text(err));
        sh->status = 1;
        return WK_NEXT;
    }
    return wk_sh_fail(sh, err);
}

/* Whether the flow of one command ends the text, in which loops are `loops` deep: false after making it harmless. */
static bool ends_text(struct wk_shell *sh, enum wk_run_mode mode, int loops, enum wk_flow *flow)
{
    if (*flow == WK_NEXT)
        return wk_opt(sh, ONECMD) && mode == WK_RUN_MAIN && !sh->command_string;
    if (*flow == WK_EXIT || *flow == WK_STOP)
        return true;
    if (*flow == WK_ABORT && sh->now.is_subshell)
        return true;
    if (mode != WK_RUN_MAIN && (*flow != WK_ABORT || sh->abort_all))
        return true;
    *flow = WK_NEXT;
    sh->now.loop_depth = mode == WK_RUN_MAIN ? 0 : loops;
    return false;
}

/* Lines go on, as bash counts them, from that of a ( … ) before a |, and not from the end of the pipeline. */
static void note_line(struct wk_shell *sh, struct wk_parser *p)
{
    if (WK_UNLIKELY(sh->now.read_line != 0))
        wk_parser_set_line(p, sh->now.read_line + 1);
    sh->now.read_line = 0;
}

/* `text` is empty when the parser gets lines. Also comes back, with *at behind what was read, when a main text is
 * to be read by lines from there on. */
static enum wk_flow parse_and_run(struct wk_shell *sh, struct reader *rd, struct wk_parser *p, struct wk_str text,
                                  enum wk_run_mode mode, bool *bad_syntax, size_t *at)
{
    enum wk_flow flow = WK_NEXT;
    int loops = sh->now.loop_depth;
    for (;;) {
        if (WK_UNLIKELY(text.n && wants_lines(sh, mode))) {
            *at = wk_parser_offset(p);
            return WK_NEXT;
        }
        bool dies = WK_UNLIKELY(sh->task->signal_check) && mode != WK_RUN_MAIN && wk_traps_fatal(sh);
        if (WK_UNLIKELY(sh->task->signal_check) && !dies && (flow = wk_traps_pending(sh)) != WK_NEXT) {
            if (ends_text(sh, mode, loops, &flow))
                return flow;
        }
        if (WK_UNLIKELY(sh->now.jobs != NULL) && !sh->command_string) {
            sh->line = wk_parser_line(p);
            wk_jobs_poll_late(sh);
            wk_jobs_notify(sh);
        }
        if (WK_UNLIKELY(rd->prompts) && (flow = wk_prompt_commands(sh)) != WK_NEXT)
            return flow;
        struct wk_tree *tree = NULL;
        wk_parser_set_flags(p, parser_flags(sh));
        wk_parser_set_floor(p, sh->task->stack_floor);
        int r = wk_parser_next(p, &tree);
        if (WK_UNLIKELY(dies)) {
            rd->ended = r == 0;
            wk_tree_unref(tree);
            return wk_traps_pending(sh);
        }
        if (r == -WK_EINTR)
            continue;
        if (r == -WK_ESYNTAX && wk_parser_place(p) == WK_PARSE_IN_ARRAY &&
            (!wk_opt(sh, ERREXIT) || sh->now.noerrexit || sh->interactive)) {
            rd->ran = true;
            if ((flow = array_failed(sh)) != WK_NEXT)
                return flow;
            continue;
        }
        if (r < 0)
            return parse_failed(sh, p, r, mode, bad_syntax);
        if (r == 0)
            return WK_NEXT;
        if (WK_UNLIKELY(rd->prompts) && tree->root && wk_prompt_show(sh, "PS0") == WK_STOP)
            flow = WK_STOP;
        else if (tree->root && !(wk_opt(sh, NOEXEC) && !sh->interactive)) {
            sh->line = wk_parser_line(p) - (wk_parser_line(p) > 1);
            rd->ran = true;
            bool last = mode == WK_RUN_MAIN && sh->command_string && !sh->is_main && wk_parser_offset(p) == text.n;
            sh->now.replace = last && text.n ? WK_REPLACE_SUBSHELL : WK_REPLACE_NOT; /* of bash -c */
            flow = run_tree(sh, tree);
            note_line(sh, p);
            sh->now.replace = WK_REPLACE_NOT;
            sh->command_number += mode == WK_RUN_MAIN && sh->command_number;
        }
        wk_tree_unref(tree);
        if (flow != WK_NEXT || WK_UNLIKELY(wk_opt(sh, ONECMD))) {
            bool abandoned = flow == WK_ABORT;
            if (ends_text(sh, mode, loops, &flow))
                return flow;
            if (abandoned) /* bash counts on from the line where the command was left */
                wk_parser_set_line(p, sh->line + 1);
        }
    }
}

static enum wk_flow run_parser(struct wk_shell *sh, struct reader *rd, struct wk_parser *p, struct wk_str text,
                               enum wk_run_mode mode, bool *bad_syntax, size_t *at)
{
    uint32_t read_line = sh->now.read_line;
    sh->now.read_line = 0;
    enum wk_flow flow = parse_and_run(sh, rd, p, text, mode, bad_syntax, at);
    sh->now.read_line = read_line;
    return flow;
}

static enum wk_flow run_reader(struct wk_shell *sh, struct reader *r, struct wk_str text,
                               uint32_t line, enum wk_run_mode mode, bool *bad_syntax)
{
    struct wk_parse_opts o;
    wk_buf_init(&r->expanded, sh->mem, WK_VAL_MAX);
    wk_run_parse_opts(sh, &o);
    o.first_line = line;
    o.stack_floor = sh->task->stack_floor;
    o.deep = parser_deep;
    o.alias = parser_alias;
    o.message = parser_message;
    o.step = parser_step;
    o.ctx = r;
    r->by_lines = mode == WK_RUN_MAIN || r->edited;
    r->prompts = mode == WK_RUN_MAIN && sh->interactive && r->file && sh->from_stdin;
    if (r->by_lines && looks_at_lines(sh)) { /* on from the start */
        int e = wk_history_enable(sh);
        if (e)
            return wk_sh_fail(sh, e);
    }
    sh->xtrace_depth += mode != WK_RUN_MAIN;
    int outer = sh->text_noerrexit;
    sh->text_noerrexit = mode == WK_RUN_MAIN ? 0 : sh->now.noerrexit;
    enum wk_flow flow;
    for (;;) {
        bool lines = r->file || r->is_stdin || r->edited || wants_lines(sh, mode);
        size_t at = SIZE_MAX;
        o.more = lines ? parser_more : NULL;
        o.more_is_line = r->by_lines;
        o.more_is_file = r->file || r->is_stdin;
        r->rest = text;
        struct wk_parser *p = wk_parser_new(&o, lines ? WK_STR("") : text);
        r->parser = p;
        *bad_syntax = false;
        flow = p ? run_parser(sh, r, p, lines ? WK_STR("") : text, mode, bad_syntax, &at) : wk_sh_nomem(sh);
        if (p)
            o.first_line = wk_parser_line(p);
        wk_parser_free(p);
        if (r->prompts && *bad_syntax && flow == WK_NEXT) /* the next line may be better */
            continue;
        if (at == SIZE_MAX)
            break;
        text = wk_str_from(text, at);
    }
    wk_buf_release(&r->expanded);
    sh->xtrace_depth -= mode != WK_RUN_MAIN;
    sh->text_noerrexit = outer;
    if (!r->ran && flow == WK_NEXT && !*bad_syntax && (mode == WK_RUN_EVAL || mode == WK_RUN_SOURCE))
        sh->status = 0;
    return flow;
}

/* BASH_COMMAND must not outlive its tree: the last one of a text is held, until the text ends: then it is again what
 * runs the text. */
enum wk_flow wk_run_text(struct wk_shell *sh, struct wk_str text, uint32_t line, const char *what,
                         enum wk_run_mode mode, bool *bad_syntax)
{
    struct reader r = {.sh = sh, .what = what};
    const struct wk_node *command = sh->now.command, *held = sh->now.command_held;
    struct wk_tree *held_tree = sh->now.command_tree ? wk_tree_ref(sh->now.command_tree) : NULL;
    *bad_syntax = false;
    bool outermost = mode != WK_RUN_MAIN && !sh->now.exit_command;
    if (outermost)
        sh->now.exit_command = command;
    enum wk_flow flow = run_reader(sh, &r, text, line, mode, bad_syntax);
    if (outermost)
        sh->now.exit_command = NULL;
    if (mode != WK_RUN_MAIN && !(flow == WK_EXIT && wk_ends_at_once(sh) && !r.ended)) {
        struct wk_tree *t = sh->now.command_tree;
        sh->now.command_tree = held_tree;
        held_tree = t;
        sh->now.command = command;
        sh->now.command_held = held;
    }
    wk_tree_unref(held_tree);
    return flow;
}

enum wk_flow wk_run_edited(struct wk_shell *sh, struct wk_str text)
{
    struct reader r = {.sh = sh, .edited = true};
    bool bad;
    if (!wk_sh_enter(sh))
        return WK_STOP;
    enum wk_flow flow = run_reader(sh, &r, text, 1, WK_RUN_EVAL, &bad);
    sh->depth--;
    if (sh->st->history && !looks_at_lines(sh)) /* what comes next is not kept */
        sh->st->history->line_kept = false;
    return flow;
}

enum wk_flow wk_run_stream(struct wk_shell *sh, struct wk_file *f, enum wk_run_mode mode,
                           bool *bad_syntax)
{
    struct reader r = {.sh = sh, .file = wk_file_ref(f)};
    r.is_stdin = mode == WK_RUN_MAIN && sh->from_stdin && wk_fd_get(sh->proc->fds, 0) == f;
    *bad_syntax = false;
    wk_buf_init(&r.line, sh->mem, WK_VAL_MAX);
    enum wk_flow flow = run_reader(sh, &r, WK_STR(""), 1, mode, bad_syntax);
    wk_buf_release(&r.line);
    if (r.file)
        wk_file_unref(r.file);
    return flow;
}

/* ---- whole scripts --------------------------------------------------------------------------- */

static int set_source(struct wk_shell *sh, const char *name)
{
    struct wk_val *v = NULL;
    if (name && !(v = wk_val_new(sh->mem, wk_str_c(name))))
        return -WK_ENOMEM;
    wk_val_unref(sh->mem, sh->main_frame.source);
    sh->main_frame.source = v;
    return 0;
}

enum wk_flow wk_sh_run_text(struct wk_shell *sh, struct wk_str text, const char *source_name)
{
    bool bad;
    if (set_source(sh, source_name) != 0)
        return wk_sh_nomem(sh);
    sh->line = 0;
    wk_jobs_ended(sh); /* what has ended since the last run */
    sh->command_string = !source_name;
    if (!source_name) {
        uint32_t name = wk_names_intern(sh->names, WK_STR("BASH_EXECUTION_STRING"));
        if (name == WK_NAME_NONE || wk_var_set(sh, name, text) == -WK_ENOMEM)
            return wk_sh_nomem(sh);
    }
    return wk_run_text(sh, text, 1, source_name ? NULL : "-c", WK_RUN_MAIN, &bad);
}

enum wk_flow wk_sh_run_file(struct wk_shell *sh, struct wk_file *f, const char *source_name)
{
    bool bad;
    if (set_source(sh, source_name) != 0)
        return wk_sh_nomem(sh);
    sh->line = 0;
    wk_jobs_ended(sh);
    sh->command_string = false;
    return wk_run_stream(sh, f, WK_RUN_MAIN, &bad);
}

enum wk_flow wk_sh_eval_text(struct wk_shell *sh, struct wk_str text, uint32_t line)
{
    bool bad;
    if (!wk_sh_enter(sh))
        return WK_STOP;
    sh->texts++;
    enum wk_flow flow = wk_run_text(sh, text, line, "eval", WK_RUN_EVAL, &bad);
    sh->texts--;
    sh->depth--;
    if (bad && sh->text_failed)
        sh->special_error = WK_SPECIAL_TEXT;
    return wk_exit_past(sh, flow, WK_LEAVE_TEXT);
}

/* The first bytes look like no text: bash refuses such a script. */
static bool looks_binary(struct wk_shell *sh, struct wk_file *f)
{
    const char *p;
    ptrdiff_t n = wk_file_peek(sh->task, f, 80, &p);
    if (n <= 0)
        return false;
    n = WK_MIN(n, 80);
    const char *nl = memchr(p, '\n', (size_t)n);
    return memchr(p, '\0', nl ? (size_t)(nl - p) : (size_t)n) != NULL;
}

enum wk_flow wk_sh_run_script_file(struct wk_shell *sh, const char *path)
{
    struct wk_file *f = NULL;
    struct wk_stat st;
    int e = wk_open(sh->task, path, WK_O_RDONLY, 0, &f);
    if (!e && wk_file_stat(f, &st) == 0 && WK_S_ISDIR(st.mode))
        e = -WK_EISDIR;
    if (e == -WK_ENOENT && !strchr(path, '/')) {
        const char *found;
        enum wk_flow flow = wk_find_readable(sh, wk_str_c(path), &found);
        if (flow != WK_NEXT)
            return flow;
        if (found) {
            path = found;
            e = wk_open(sh->task, path, WK_O_RDONLY, 0, &f);
        }
    }
    if (e == -WK_ENOMEM || e == -WK_ESTOP)
        return wk_sh_fail(sh, e);
    sh->line = 0;
    const char *name = sh->name;
    if (!e && looks_binary(sh, f)) {
        wk_file_unref(f);
        wk_sh_error(sh, "%s: cannot execute binary file", path);
        sh->status = 126;
        return WK_NEXT;
    }
    if (e) {
        if (f)
            wk_file_unref(f);
        if (e == -WK_EISDIR) {
            wk_sh_error(sh, "%s: Is a directory", path);
            sh->status = 126;
        } else {
            sh->name = sh->self ? sh->self : "bash"; /* $0 is the script, but it is the shell that speaks */
            wk_sh_error(sh, "%s: %s", path, wk_err_text(e));
            sh->name = name;
            sh->status = e == -WK_ENOENT ? 127 : 126;
        }
        if (wk_opt(sh, ERREXIT))
            sh->status = 1;
        return WK_NEXT;
    }
    enum wk_flow flow = wk_sh_run_file(sh, f, path);
    wk_file_unref(f);
    return flow;
}

/* ---- source ---------------------------------------------------------------------------------- */

/* How a file is sourced. */
struct source {
    const char *path, *name; /* name is for messages and BASH_SOURCE */
    const struct wk_str *args;
    size_t n;
    bool start;         /* a start file: no command's */
    struct wk_buf text;
};

/* bash takes a NUL out and steps over what has come in its place, so that a second one stays and ends the text. False
 * when there are too many for a text that a command reads. */
static bool drop_nuls(struct wk_buf *b, bool start)
{
    enum { NULS_MOST = 256 };
    size_t n = 0, to = 0, end = SIZE_MAX;
    for (size_t i = 0; i < b->n; i++) {
        if (!b->p[i]) {
            if (++n > NULS_MOST && !start)
                return false;
            if (++i == b->n)
                break;
            if (!b->p[i] && end == SIZE_MAX)
                end = to;
        }
        b->p[to++] = b->p[i];
    }
    b->n = WK_MIN(to, end);
    return true;
}

/* The whole file: what it says of itself while it runs changes nothing. 0 or a code. */
static int read_whole(struct wk_shell *sh, struct wk_file *f, struct wk_buf *out)
{
    for (;;) {
        const char *p;
        ptrdiff_t n = wk_file_peek(sh->task, f, 65536, &p);
        if (n == -WK_EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        if (!wk_buf_put(out, p, (size_t)n))
            return -WK_ENOMEM;
        wk_file_skip(f, (size_t)n);
        if (wk_steps(sh->k, (uint32_t)((size_t)n / 64) + 1) != 0)
            return -WK_ESTOP;
    }
}

static void source_error(struct wk_shell *sh, const struct source *s, int e)
{
    const char *who = s->start ? "" : sh->builtin_name ? sh->builtin_name : "source";
    const char *colon = s->start ? "" : ": ";
    if (e == -WK_EISDIR)
        wk_sh_error(sh, "%s%s%s: is a directory", who, colon, s->name);
    else if (e == -WK_ENOEXEC)
        wk_sh_error(sh, "%s%s%s: cannot execute binary file", who, colon, s->name);
    else
        wk_sh_error(sh, "%s: %s", s->name, wk_err_text(e));
    if (s->start)
        return;
    if (e != -WK_EISDIR)
        sh->special_error = WK_SPECIAL_TEXT;
    sh->status = e == -WK_ENOEXEC ? 126 : 1;
}

/* Reads the file; *ok false after a message. */
static enum wk_flow source_read(struct wk_shell *sh, struct source *s, bool *ok)
{
    struct wk_stat st;
    struct wk_file *f = NULL;
    int e = wk_open(sh->task, s->path, WK_O_RDONLY, 0, &f);
    if (!e && wk_file_stat(f, &st) == 0 && WK_S_ISDIR(st.mode))
        e = -WK_EISDIR;
    if (!e)
        e = read_whole(sh, f, &s->text);
    if (f)
        wk_file_unref(f);
    if (e == -WK_ENOMEM || e == -WK_ESTOP)
        return wk_sh_fail(sh, e);
    bool stub = !e && wk_str_starts(wk_buf_str(&s->text), WK_STR(WK_COMMAND_MAGIC));
    if (stub || (!e && memchr(wk_buf_c(&s->text), '\0', s->text.n) && !drop_nuls(&s->text, s->start)))
        e = -WK_ENOEXEC;
    if (e)
        source_error(sh, s, e);
    *ok = !e;
    return WK_NEXT;
}

/* RETURN, when a file could not be read: it sees $? of before. Under set -e a file that is not there ends the shell at
 * once, without ERR. */
static enum wk_flow unread(struct wk_shell *sh)
{
    int status = sh->status;
    sh->status = sh->previous_status;
    enum wk_flow flow = wk_trap_run_return(sh, false);
    if (flow != WK_NEXT)
        return flow;
    sh->status = status;
    bool ends = status == 1 && sh->special_error == WK_SPECIAL_TEXT && wk_opt(sh, ERREXIT) && !sh->now.noerrexit;
    return ends ? wk_sh_leave(sh, WK_LEAVE_HERE) : WK_NEXT;
}

static enum wk_flow run_sourced(struct wk_shell *sh, const struct source *s)
{
    struct wk_val *source = wk_val_new(sh->mem, wk_str_c(s->name));
    struct wk_params old = sh->st->params;
    struct wk_param_block *mine = s->n ? wk_param_block_new(sh->mem, s->args, s->n) : NULL;
    if (!source || (s->n && !mine) || !wk_sh_enter(sh)) {
        bool nomem = !source || (s->n && !mine);
        wk_val_unref(sh->mem, source);
        wk_param_block_unref(sh->mem, mine);
        return nomem ? wk_sh_nomem(sh) : WK_STOP;
    }
    const struct wk_str self = wk_str_c(s->name);
    struct wk_frame frame = {.prev = sh->now.frame,
                             .kind = WK_FRAME_SOURCE,
                             .source = source,
                             .call_line = sh->line,
                             .level = sh->func_depth,
                             .saved_base = sh->now.frame->saved_base,
                             .loop_depth = sh->now.loop_depth,
                             .counted = wk_shopt(sh, EXTDEBUG) || !(s->n || s->start),
                             .n_args = s->n ? (uint32_t)s->n : 1,
                             .args = s->n ? s->args : &self};
    if (s->n)
        sh->st->params = (struct wk_params){.v = mine->v, .n = mine->n, .block = mine};
    if (!sh->func_depth)
        (void)wk_vars_keep_args(sh); /* what BASH_ARGV begins with, if this is what it is first needed for */
    struct wk_param_block *given = mine;
    sh->now.frame = &frame;
    sh->source_depth++;
    sh->status = sh->previous_status;
    bool bad;
    struct wk_hidden_traps hidden;
    wk_traps_hide_debug(sh, &hidden);
    sh->texts++;
    sh->xtrace_depth -= s->start;
    enum wk_flow flow = wk_run_text(sh, wk_buf_str(&s->text), 1, NULL, WK_RUN_SOURCE, &bad);
    sh->xtrace_depth += s->start;
    sh->texts--;
    bool returned = flow == WK_RETURN;
    if (returned)
        flow = WK_NEXT;
    if (returned && s->start)
        sh->status = sh->previous_status;
    sh->now.frame = frame.prev; /* what RETURN sees is the place of the command */
    sh->line = frame.call_line;
    if (flow == WK_NEXT || flow == WK_EXIT) {
        sh->source_depth--; /* nor can it return from the file */
        enum wk_flow t = wk_trap_run_return(sh, returned);
        sh->source_depth++;
        if (t != WK_NEXT)
            flow = t;
    }
    wk_traps_unhide(sh, &hidden);
    sh->now.frame = &frame; /* and what EXIT sees is the place in the file */
    flow = wk_trap_leave(sh, wk_exit_past(sh, flow, WK_LEAVE_TEXT));
    sh->now.frame = frame.prev;
    sh->line = frame.call_line;
    sh->source_depth--;
    sh->depth--;
    /* Arguments given to source go, unless `set --` replaced them outside of functions. */
    if (s->n && (sh->func_depth || sh->st->params.block == given)) {
        wk_param_block_unref(sh->mem, sh->st->params.block);
        sh->st->params = old;
    } else if (s->n) {
        wk_param_block_unref(sh->mem, old.block);
    }
    wk_val_unref(sh->mem, source);
    if (bad && sh->text_failed)
        sh->special_error = WK_SPECIAL_TEXT;
    return flow;
}

static enum wk_flow run_source(struct wk_shell *sh, struct source *s)
{
    bool ok = false;
    wk_buf_init(&s->text, sh->mem, WK_VAL_MAX);
    enum wk_flow flow = source_read(sh, s, &ok);
    if (flow == WK_NEXT && ok)
        flow = run_sourced(sh, s);
    else if (flow == WK_NEXT && !s->start)
        flow = unread(sh);
    wk_buf_release(&s->text);
    return flow;
}

enum wk_flow wk_run_source(struct wk_shell *sh, const char *path, const char *name, const struct wk_str *args, size_t n)
{
    struct source s = {.path = path, .name = name, .args = args, .n = n};
    return run_source(sh, &s);
}

enum wk_flow wk_run_start_file(struct wk_shell *sh, const char *path)
{
    struct source s = {.path = path, .name = path, .start = true};
    return run_source(sh, &s);
}
