/* job_report.c - what a shell tells of its jobs, and of commands that a signal ended (bash 7.1) */
#include "interp/job_report.h"
#include "interp/parser.h"
#include "interp/run.h"
#include "interp/shared.h"
#include "interp/trap.h"
#include "interp/vars.h"

#include "kern/signal.h"

/* ---- the lines ------------------------------------------------------------------------------- */

static void put_exit(struct wk_shell *sh, struct wk_buf *b, struct wk_exit e)
{
    if (e.signal)
        wk_buf_put_c(b, wk_sig_text(e.signal));
    else if (e.code)
        wk_buf_fmt(b, wk_opt(sh, POSIX) ? "Done(%d)" : "Exit %d", e.code);
    else
        wk_buf_put_c(b, "Done");
}

static void put_state(struct wk_shell *sh, struct wk_buf *b, const struct wk_job *j, struct wk_exit e)
{
    size_t from = b->n;
    if (j && j->state == WK_JOB_RUNNING)
        wk_buf_put_c(b, "Running");
    else if (j && j->state == WK_JOB_STOPPED)
        wk_buf_put_c(b, "Stopped");
    else
        put_exit(sh, b, e);
    if (b->n - from < 24)
        wk_buf_fill(b, ' ', 24 - (b->n - from));
}

static bool same_exit(struct wk_exit a, struct wk_exit b)
{
    return a.signal == b.signal && a.code == b.code;
}

/* A line for each process; the first one stands behind what b holds. The last has no newline. */
static void put_procs(struct wk_shell *sh, struct wk_buf *b, const struct wk_job *j, const struct wk_ended *v,
                      uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            wk_buf_put_c(b, "\n     ");
        wk_buf_fmt(b, "%5u ", v[i].pid);
        if (i && same_exit(v[i].exit, v[0].exit))
            wk_buf_fill(b, ' ', 22);
        else
            put_state(sh, b, j, v[i].exit);
        if (i)
            wk_buf_put_c(b, "| ");
        wk_buf_puts(b, v[i].text);
    }
}

static void put_long(struct wk_shell *sh, struct wk_buf *b, const struct wk_job *j)
{
    struct wk_ended few[4] = {0}, *v = few;
    if (j->nprocs > WK_COUNTOF(few) && !(v = wk_calloc(sh->mem, j->nprocs, sizeof *v))) {
        b->failed = true;
        return;
    }
    for (uint32_t i = 0; i < j->nprocs; i++) {
        const struct wk_job_proc *p = &j->procs[i];
        const struct wk_val *text = p->text ? p->text : j->text;
        v[i] = (struct wk_ended){p->pid, p->done ? p->exit : (struct wk_exit){0, UINT8_MAX}, /* unlike any end */
                                 text ? wk_val_str(text) : WK_STR("")};
    }
    put_procs(sh, b, j, v, j->nprocs);
    if (v != few)
        wk_free(sh->mem, v);
}

/* A directory, ~ for $HOME. */
static void put_dir(struct wk_shell *sh, struct wk_buf *b, struct wk_str dir)
{
    char scratch[24];
    struct wk_str home;
    if (wk_var_get(sh, wk_known(sh, WK_KNOWN_HOME), scratch, &home) && home.n > 1 &&
        wk_str_starts(dir, home) && (dir.n == home.n || dir.p[home.n] == '/')) {
        wk_buf_putc(b, '~');
        dir = wk_str_from(dir, home.n);
    }
    wk_buf_puts(b, dir);
}

/* Whether the job was begun elsewhere. */
static bool elsewhere(const struct wk_shell *sh, const struct wk_job *j)
{
    return j->wd && sh->st->cwd && !wk_str_eq(wk_val_str(j->wd), wk_val_str(sh->st->cwd));
}

void wk_job_put(struct wk_shell *sh, struct wk_buf *b, const struct wk_job *j, bool pids)
{
    char mark = j == wk_jobs_current(sh) ? '+' : j == wk_jobs_previous(sh) ? '-' : ' ';
    struct wk_exit none = {0, 0};
    wk_buf_fmt(b, "[%u]%c ", j->number, mark);
    if (pids) {
        put_long(sh, b, j);
    } else {
        wk_buf_putc(b, ' ');
        put_state(sh, b, j, j->state == WK_JOB_DONE ? wk_job_exit(j) : none);
        wk_buf_puts(b, j->text ? wk_val_str(j->text) : WK_STR(""));
    }
    if (j->state == WK_JOB_RUNNING)
        wk_buf_put_c(b, " &");
    if (elsewhere(sh, j)) {
        wk_buf_put_c(b, "  (wd: ");
        put_dir(sh, b, wk_val_str(j->wd));
        wk_buf_putc(b, ')');
    }
    wk_buf_putc(b, '\n');
}

/* ---- messages -------------------------------------------------------------------------------- */

static void tell(struct wk_shell *sh, struct wk_buf *b)
{
    (void)wk_sh_write(sh, 2, wk_buf_str(b));
    wk_buf_release(b);
}

/* Whether a script's shell tells of this end with its line and process numbers. */
static bool is_told(const struct wk_shell *sh, int sig)
{
    return sig && sig != WK_SIGINT && sig != WK_SIGTERM && sig != WK_SIGPIPE && !wk_trap_get(sh, sig);
}

void wk_report_job(struct wk_shell *sh, const struct wk_job *j)
{
    struct wk_exit e = wk_job_exit(j);
    struct wk_buf b;
    if (!is_told(sh, e.signal) && !wk_opt(sh, MONITOR))
        return;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    if (is_told(sh, e.signal)) {
        wk_sh_error_prefix(sh, &b);
        put_long(sh, &b, j);
        wk_buf_putc(&b, '\n');
    } else {
        wk_job_put(sh, &b, j, false);
        if (elsewhere(sh, j)) {
            wk_buf_put_c(&b, "(wd now: ");
            put_dir(sh, &b, wk_val_str(sh->st->cwd));
            wk_buf_put_c(&b, ")\n");
        }
    }
    tell(sh, &b);
}

void wk_report_ended(struct wk_shell *sh, const struct wk_ended *v, uint32_t n, struct wk_exit e)
{
    struct wk_buf b;
    if (!e.signal || e.signal == WK_SIGINT || e.signal == WK_SIGPIPE || sh->now.is_substitution)
        return;
    uint32_t line = sh->line;
    sh->line = sh->around_line;
    wk_buf_init(&b, sh->mem, WK_VAL_MAX);
    if (sh->interactive || !is_told(sh, e.signal)) {
        wk_buf_fmt(&b, "%s\n", wk_sig_text(e.signal));
    } else {
        wk_sh_error_prefix(sh, &b);
        put_procs(sh, &b, NULL, v, n);
        wk_buf_putc(&b, '\n');
    }
    sh->line = line;
    tell(sh, &b);
}

void wk_report_signal(struct wk_shell *sh, uint32_t pid, struct wk_exit e, const struct wk_node *node)
{
    struct wk_buf text;
    if (!e.signal)
        return;
    wk_buf_init(&text, sh->mem, WK_VAL_MAX);
    if (node)
        (void)wk_print_node(&text, node, WK_PRINT_LINE);
    struct wk_ended one = {pid, e, wk_buf_str(&text)};
    wk_report_ended(sh, &one, 1, e);
    wk_buf_release(&text);
}
