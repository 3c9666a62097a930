/* sandbox_tty.c - what a terminal does between keys and a program: echo, line ends, signals, the end of input
 *
 * A session has no terminal driver. Keys are read as they come, and not by lines; a program cannot turn the echo off.
 */
#include "api/sandbox_inprocess.h"

enum { CTRL_C = 3, CTRL_D = 4, CTRL_BACKSLASH = 28, CTRL_Z = 26, DELETE = 127 };

static int signal_of(unsigned char key)
{
    switch (key) {
    case CTRL_C:
        return WK_SIGINT;
    case CTRL_BACKSLASH:
        return WK_SIGQUIT;
    case CTRL_Z:
        return WK_SIGTSTP;
    default:
        return 0;
    }
}

/* Without a task: what does not fit is not echoed. */
static void echo(struct wk_inproc_process *p, const char *s, size_t n)
{
    if (p->out[0].sink)
        (void)wk_file_write(NULL, p->out[0].sink, s, n);
}

static int key(struct wk_inproc_process *p, unsigned char c)
{
    int sig = signal_of(c);
    char shown[2] = {'^', (char)(c + '@')};
    if (sig) {
        echo(p, shown, 2);
        wk_buf_reset(&p->input);
        p->input_at = p->tty_end_at = p->tty_line = 0;
        p->tty_end = false;
        (void)wk_kill(&p->box->s->kern, NULL, -(int64_t)p->pid, sig);
        return 0;
    }
    if (c == CTRL_D) { /* behind a part of a line it only sends that, which is done already */
        if (!p->tty_line && !p->tty_end) {
            p->tty_end = true;
            p->tty_end_at = p->input.n;
        }
        return 0;
    }
    if (c == '\b' || c == DELETE) { /* takes back what nobody has read */
        if (p->tty_line && p->input.n > p->input_at) {
            p->tty_line--;
            p->input.n--;
            echo(p, "\b \b", 3);
        }
        return 0;
    }
    char as = c == '\r' ? '\n' : (char)c;
    p->tty_line = as == '\n' ? 0 : p->tty_line + 1;
    if (c < ' ' && as != '\n' && as != '\t')
        echo(p, shown, 2);
    else
        echo(p, &as, 1);
    return wk_buf_putc(&p->input, as) ? 0 : -WK_ENOMEM;
}

int wk_inproc_tty_keys(struct wk_inproc_process *p, const char *keys, size_t n)
{
    int r = 0;
    for (size_t i = 0; i < n && !r; i++)
        r = key(p, (unsigned char)keys[i]);
    return r;
}

/* As much of p[0, n) as fits with its line ends into out[0, room); *made: how much that is there. */
static size_t cook(struct wk_inproc_stream *st, const char *p, size_t n, char *out, size_t room, size_t *made)
{
    size_t used = 0, to = 0;
    while (used < n && to < room) {
        if (p[used] == '\n' && !st->after_cr) {
            st->after_cr = true;
            out[to++] = '\r';
            continue;
        }
        st->after_cr = false;
        out[to++] = p[used++];
    }
    *made = to;
    return used;
}

size_t wk_inproc_tty_tell(struct wk_inproc_stream *st, const char *p, size_t n)
{
    char out[4096];
    size_t made, used = cook(st, p, n, out, (size_t)WK_MIN(st->credit, (uint64_t)sizeof out), &made);
    st->credit -= made;
    if (made)
        st->p->events.output(st->p->ctx, st->number, out, made);
    return used;
}

void wk_inproc_tty_log(struct wk_inproc_stream *st, const char *p, size_t n)
{
    char out[4096];
    for (size_t made; n;) {
        size_t used = cook(st, p, n, out, sizeof out, &made);
        wk_inproc_log_put(&st->log, out, made);
        p += used;
        n -= used;
    }
}
