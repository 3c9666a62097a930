/* builtin.c - finding builtins, their options and their output */
#include "interp/builtin.h"

const struct wk_builtin *wk_builtin_find(const struct wk_shell *sh, struct wk_str name)
{
    const struct wk_shell_hooks *h = sh->hooks;
    if (!h || name.n == 0)
        return NULL;
    for (size_t i = 0; i < h->nbuiltins; i++) {
        const char *b = h->builtins[i]->name;
        if (b[0] == name.p[0] && strncmp(b, name.p, name.n) == 0 && b[name.n] == '\0')
            return h->builtins[i];
    }
    return NULL;
}

static size_t place_of(const struct wk_shell *sh, const struct wk_builtin *b)
{
    for (size_t i = 0; sh->hooks && i < sh->hooks->nbuiltins; i++) {
        if (sh->hooks->builtins[i] == b)
            return i;
    }
    return SIZE_MAX;
}

bool wk_builtin_enabled(const struct wk_shell *sh, const struct wk_builtin *b)
{
    if (WK_LIKELY(!(sh->st->builtins_off[0] | sh->st->builtins_off[1])))
        return true;
    size_t i = place_of(sh, b);
    return i >= 128 || !(sh->st->builtins_off[i / 64] >> (i % 64) & 1);
}

int wk_builtin_set_enabled(struct wk_shell *sh, const struct wk_builtin *b, bool on)
{
    size_t i = place_of(sh, b);
    if (i >= 128)
        return -WK_EINVAL;
    if (on)
        sh->st->builtins_off[i / 64] &= ~(UINT64_C(1) << (i % 64));
    else
        sh->st->builtins_off[i / 64] |= UINT64_C(1) << (i % 64);
    return 0;
}

enum wk_flow wk_builtin_usage(struct wk_shell *sh, const struct wk_builtin *b)
{
    struct wk_buf line;
    wk_buf_init(&line, sh->mem, WK_VAL_MAX);
    wk_buf_fmt(&line, "%s: usage: %s\n", b->name, b->usage ? b->usage : b->name);
    (void)wk_sh_write(sh, 2, wk_buf_str(&line));
    wk_buf_release(&line);
    sh->special_error = WK_SPECIAL_USAGE;
    return wk_status(sh, 2);
}

static int bad_option(struct wk_shell *sh, struct wk_getopt *g, char sign, char c)
{
    wk_sh_builtin_error(sh, g->b->name, "%c%c: invalid option", sign, c);
    (void)wk_builtin_usage(sh, g->b);
    return '?';
}

/* The next argument if it holds options, or false. */
static bool next_cluster(struct wk_getopt *g)
{
    if (g->at == 0)
        g->at = 1;
    if (g->at >= g->a->n)
        return false;
    struct wk_str w = g->a->v[g->at];
    bool plus_ok = g->spec[0] == '+';
    if (w.n < 2 || (w.p[0] != '-' && !(plus_ok && w.p[0] == '+')))
        return false;
    if (w.n == 2 && w.p[0] == '-' && w.p[1] == '-') {
        g->at++;
        return false;
    }
    g->plus = w.p[0] == '+';
    g->in = 1;
    return true;
}

int wk_getopt_next(struct wk_shell *sh, struct wk_getopt *g)
{
    if (g->in == 0 && !next_cluster(g))
        return 0;
    struct wk_str w = g->a->v[g->at];
    char c = w.p[g->in++];
    const char *spec = g->spec + (g->spec[0] == '+');
    if (g->in == 2 && w.n == 6 && memcmp(w.p, "--help", 6) == 0 && g->no_help) {
        (void)wk_builtin_usage(sh, g->b);
        return '?';
    }
    if (g->in == 2 && w.n == 6 && memcmp(w.p, "--help", 6) == 0) {
        /* The text of `help NAME`, as every builtin gives it. */
        g->in = 0;
        struct wk_bout o;
        wk_bout_init(&o, sh, g->b->name);
        wk_buf_fmt(&o.buf, "%s: %s\n", g->b->name, g->b->usage ? g->b->usage : "");
        if (g->b->summary)
            wk_buf_fmt(&o.buf, "    %s\n", g->b->summary);
        if (g->b->help) {
            wk_buf_put_c(&o.buf, "    \n");
            wk_builtin_indent(&o.buf, g->b->help);
        }
        sh->status = 2;
        sh->special_error = WK_SPECIAL_USAGE;
        (void)wk_bout_finish(&o);
        return '?';
    }
    const char *at = c == ':' || c == '+' ? NULL : strchr(spec, c);
    if (!at || c == '\0') {
        g->in = 0;
        return bad_option(sh, g, w.p[0], c);
    }
    bool ends = g->in >= w.n;
    if (at[1] != ':') {
        if (ends) {
            g->in = 0;
            g->at++;
        }
        return c;
    }
    size_t from = g->in;
    g->in = 0;
    g->at++;
    if (!ends) {
        g->arg = wk_str_from(w, from);
        return c;
    }
    if (g->at >= g->a->n) {
        wk_sh_builtin_error(sh, g->b->name, "%c%c: option requires an argument",
                            g->plus ? '+' : '-', c);
        (void)wk_builtin_usage(sh, g->b);
        return '?';
    }
    g->arg = g->a->v[g->at++];
    return c;
}

void wk_builtin_indent(struct wk_buf *b, const char *text)
{
    while (text && *text) {
        size_t n = strcspn(text, "\n");
        wk_buf_put_c(b, "    ");
        wk_buf_put(b, text, n);
        wk_buf_putc(b, '\n');
        text += n + (text[n] == '\n');
    }
}

/* ---- output ---------------------------------------------------------------------------------- */

void wk_bout_init(struct wk_bout *o, struct wk_shell *sh, const char *name)
{
    o->sh = sh;
    o->name = name;
    o->outer = sh->bout;
    sh->bout = o;
    wk_buf_init(&o->buf, sh->mem, SIZE_MAX / 2);
}

void wk_bout_flush(struct wk_bout *o)
{
    if (o->buf.n && !o->buf.failed && wk_sh_write(o->sh, 1, wk_buf_str(&o->buf)) == 0)
        wk_buf_reset(&o->buf);
}

void wk_bout_drop(struct wk_bout *o)
{
    o->sh->bout = o->outer;
    wk_buf_release(&o->buf);
}

/* Did the write that failed send a signal that ends the process before it could say more? */
static bool ended_by_write(const struct wk_shell *sh, int e)
{
    uint64_t kept = sh->proc->sig_ignored;
    if (e == -WK_EPIPE)
        return !(kept & WK_SIGBIT(WK_SIGPIPE));
    return e == -WK_EFBIG &&
           (sh->proc->sig_pending & ~(kept | sh->proc->sig_caught) & WK_SIGBIT(WK_SIGXFSZ));
}

void wk_bout_failed(struct wk_shell *sh, const char *name, int err)
{
    if (name && !ended_by_write(sh, err))
        wk_sh_builtin_error(sh, name, "write error: %s", wk_err_text(err));
}

enum wk_flow wk_bout_finish(struct wk_bout *o)
{
    struct wk_shell *sh = o->sh;
    enum wk_flow flow = WK_NEXT;
    sh->bout = o->outer;
    if (o->buf.failed) {
        flow = wk_sh_nomem(sh);
    } else if (o->buf.n) {
        int e = wk_sh_write(sh, 1, wk_buf_str(&o->buf));
        if (WK_UNLIKELY(e != 0)) {
            flow = wk_sh_fail(sh, e);
            if (flow == WK_NEXT) {
                wk_bout_failed(sh, o->name, e);
                sh->status = o->name ? 1 : sh->status;
            }
        }
    }
    wk_buf_release(&o->buf);
    return flow;
}
