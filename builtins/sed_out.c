/* sed_out.c - sed: the spaces, what is written, files edited in place */
#include "builtins/sed_out.h"

/* ---- spaces ---------------------------------------------------------------------------------- */

void wk_sed_room(struct sed *s, struct sed_space *sp, size_t n)
{
    size_t used = sp->borrowed || !sp->buf ? 0 : (size_t)(sp->p - sp->buf);
    if (!sp->borrowed && sp->buf && sp->cap - used - sp->n >= n)
        return;
    char *old = sp->p;
    if (sp->cap < sp->n + n) {
        size_t cap = sp->cap ? sp->cap : 256;
        while (cap < sp->n + n)
            cap *= 2;
        char *bigger = wk_heap_alloc(s->c->heap, cap);
        if (sp->n)
            memcpy(bigger, old, sp->n);
        wk_heap_free(s->c->heap, sp->buf);
        sp->buf = bigger;
        sp->cap = cap;
    } else if (sp->n) {
        memmove(sp->buf, old, sp->n);
    }
    sp->p = sp->buf;
    sp->borrowed = false;
}

void wk_sed_add_slow(struct sed *s, struct sed_space *sp, const char *p, size_t n)
{
    if (!n)
        return;
    wk_sed_room(s, sp, n);
    memcpy(sp->p + sp->n, p, n);
    sp->n += n;
}

/* ---- writing --------------------------------------------------------------------------------- */

static WK_COLD void say_failed(struct sed *s, struct sed_out *to, const char *what)
{
    int err = to->o->err;
    to->o->err = 0;
    to->o->n = 0;
    wk_sed_die(s, 4, "couldn't %s %s: %s", to->o->file ? what : "close",
               to->o == s->c->out ? s->stdout_.name : to->name, wk_err_text(err));
}

static inline void check(struct sed *s, struct sed_out *to)
{
    if (WK_UNLIKELY(s->o->unbuffered))
        (void)wk_out_flush(to->o);
    if (WK_UNLIKELY(to->o->err))
        say_failed(s, to, s->o->unbuffered ? "flush" : "write 1 item to");
}

static void end_unfinished(struct sed *s, struct sed_out *to)
{
    if (!to->unfinished)
        return;
    to->unfinished = false;
    wk_out_char(to->o, s->eol);
}

void wk_sed_line(struct sed *s, struct sed_out *to, struct wk_str text, bool newline)
{
    end_unfinished(s, to);
    wk_out_str(to->o, text);
    if (newline)
        wk_out_char(to->o, s->eol);
    else
        to->unfinished = true;
    check(s, to);
}

void wk_sed_raw(struct sed *s, struct sed_out *to, struct wk_str text)
{
    end_unfinished(s, to);
    wk_out_str(to->o, text);
    check(s, to);
}

struct sed_out *wk_sed_open_out(struct sed *s, const char *name)
{
    struct sed_out *to;
    struct wk_file *f;
    if (!s->posix && strcmp(name, "/dev/stdout") == 0)
        return &s->stdout_w;
    if (!s->posix && strcmp(name, "/dev/stderr") == 0)
        return &s->stderr_w;
    for (to = s->outs; to; to = to->next) {
        wk_tick(s->c, 1);
        if (strcmp(to->name, name) == 0)
            return to;
    }
    int err = wk_cmd_open(s->c, name, WK_O_WRONLY | WK_O_CREAT | WK_O_TRUNC, 0666, &f);
    if (err)
        wk_sed_die(s, 4, "couldn't open file %s: %s", name, wk_err_text(err));
    to = wk_new(s->c, struct sed_out);
    to->name = name;
    to->o = wk_out_of(s->c, f);
    to->next = s->outs;
    s->outs = to;
    return to;
}

void wk_sed_copy_file(struct sed *s, const char *name)
{
    struct wk_in *in;
    const char *p;
    size_t n;
    int err;
    if (wk_raw_open(s->c, name, false, &in) != 0)
        return;
    char *copy = wk_heap_alloc(s->c->heap, 65536);
    while ((n = wk_raw_next(s->c, in, &p, &err)) > 0) {
        n = WK_MIN(n, (size_t)65536);
        memcpy(copy, p, n);
        wk_file_skip(in->file, n);
        wk_sed_raw(s, s->out, wk_str(copy, n));
        wk_tick(s->c, (uint32_t)(n / 1024) + 1);
    }
    wk_heap_free(s->c->heap, copy);
    if (err)
        wk_sed_die(s, 4, "read error on %s: %s", name, wk_err_text(err));
    wk_in_close(in);
}

/* One byte as l shows it; the length. */
static size_t listed(unsigned char ch, char out[4])
{
    static const char from[] = "\\\a\b\f\n\r\t\v", to[] = "\\abfnrtv";
    const char *at = ch ? strchr(from, ch) : NULL;
    if (at) {
        out[0] = '\\';
        out[1] = to[at - from];
        return 2;
    }
    if (ch >= 0x20 && ch < 0x7f) {
        out[0] = (char)ch;
        return 1;
    }
    out[0] = '\\';
    out[1] = (char)('0' + (ch >> 6));
    out[2] = (char)('0' + (ch >> 3 & 7));
    out[3] = (char)('0' + (ch & 7));
    return 4;
}

void wk_sed_list(struct sed *s, struct wk_str text, int64_t width)
{
    struct wk_out *o = s->out->o;
    size_t column = 0;
    end_unfinished(s, s->out);
    for (size_t i = 0; i < text.n; i++) {
        char shown[4];
        size_t n = listed((unsigned char)text.p[i], shown);
        if (width > 0 && column + n > (size_t)width - 1) {
            wk_out_char(o, '\\');
            wk_out_char(o, s->eol);
            column = 0;
        }
        wk_out_put(o, shown, n);
        column += n;
    }
    wk_tick(s->c, (uint32_t)(text.n / 64 & 0xffffff));
    wk_out_char(o, '$');
    wk_out_char(o, s->eol);
    check(s, s->out);
}

static void abandon(struct sed *s)
{
    for (struct sed_out *to = s->outs; to; to = to->next)
        (void)wk_out_flush(to->o);
    if (s->temp)
        (void)wk_at_unlink(s->c, NULL, s->temp);
    s->temp = NULL;
}

void wk_sed_close_all(struct sed *s)
{
    for (struct sed_out *to = s->outs; to; to = to->next) {
        (void)wk_out_flush(to->o);
        if (to->o->err)
            say_failed(s, to, "flush");
    }
    (void)wk_out_flush(s->stdout_.o);
    if (s->stdout_.o->err)
        say_failed(s, &s->stdout_, "flush");
}

void wk_sed_die(struct sed *s, int status, const char *fmt, ...)
{
    struct wk_buf b;
    va_list ap;
    wk_buf_init(&b, wk_heap_mem(s->c->heap), SIZE_MAX / 2);
    va_start(ap, fmt);
    wk_buf_vfmt(&b, fmt, ap);
    va_end(ap);
    const char *text = wk_keep(s->c, &b);
    wk_msg(s->c, "%s", text);
    abandon(s);
    wk_exit(s->c, status);
}

/* ---- -i -------------------------------------------------------------------------------------- */

const char *wk_sed_follow(struct sed *s, const char *name)
{
    enum { MOST = 40 };
    for (int i = 0; i < MOST; i++) {
        char *to;
        int err = wk_at_readlink(s->c, NULL, name, &to);
        if (err == WK_EINVAL)
            return name;
        if (err)
            wk_sed_die(s, 4, "couldn't readlink %s: %s", name, wk_err_text(err));
        const char *slash = strrchr(name, '/');
        if (to[0] != '/' && slash)
            to = wk_strf(s->c, "%.*s%s", (int)(slash + 1 - name), name, to);
        name = to;
    }
    wk_sed_die(s, 4, "couldn't follow symlink %s: %s", name, wk_err_text(WK_ELOOP));
}

static void open_temp(struct sed *s, const struct wk_stat *st)
{
    enum { TRIES = 100, LETTERS = 6 };
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *slash = strrchr(s->target, '/');
    int dir = slash ? (int)(slash + 1 - s->target) : 0;
    struct wk_file *f = NULL;
    char *temp;
    int err = WK_EEXIST;
    for (int i = 0; i < TRIES && err == WK_EEXIST; i++) {
        char name[LETTERS + 1] = "";
        uint64_t bits = wk_kern_random(s->c->k);
        for (size_t k = 0; k < LETTERS; k++, bits /= 62)
            name[k] = letters[bits % 62];
        temp = wk_strf(s->c, "%.*ssed%s", dir, s->target, name);
        err = wk_cmd_open(s->c, temp, WK_O_WRONLY | WK_O_CREAT | WK_O_EXCL, 0600, &f);
        if (err && err != WK_EEXIST)
            wk_sed_die(s, 4, "couldn't open temporary file %s%s: %s", dir ? "" : "./", temp,
                       wk_err_text(err));
    }
    if (err)
        wk_sed_die(s, 4, "couldn't open temporary file %s: %s", temp, wk_err_text(err));
    s->temp = temp;
    (void)wk_at_chown(s->c, NULL, temp, false, st->uid, st->gid);
    (void)wk_at_chmod(s->c, NULL, temp, true, st->mode & 01777);
    s->edited = (struct sed_out){.name = temp, .o = wk_out_of(s->c, f)};
    s->out = &s->edited;
}

struct wk_in *wk_sed_begin_edit(struct sed *s, const char *name)
{
    struct wk_in *in;
    struct wk_stat st;
    int err = wk_at_stat(s->c, NULL, name, true, &st);
    if (!err && !WK_S_ISREG(st.mode))
        wk_sed_die(s, 4, "couldn't edit %s: not a regular file", name);
    if (!err)
        err = wk_raw_open(s->c, name, false, &in);
    if (err) {
        s->missing = true;
        wk_msg(s->c, "can't read %s: %s", name, wk_err_text(err));
        return NULL;
    }
    s->target = wk_dup(s->c, name);
    open_temp(s, &st);
    return in;
}

/* The suffix goes behind the name; with stars it is the name, and they stand for the file's. */
static const char *backup_name(struct sed *s)
{
    struct sed_bytes b = {.p = NULL};
    const char *suffix = s->o->suffix;
    size_t n = strlen(s->target);
    bool star = strchr(suffix, '*') != NULL;
    if (!star)
        wk_sed_put(s->c, &b, s->target, n);
    for (; *suffix; suffix++)
        if (*suffix == '*')
            wk_sed_put(s->c, &b, s->target, n);
        else
            wk_sed_put(s->c, &b, suffix, 1);
    wk_sed_put(s->c, &b, "", 1);
    return b.p;
}

void wk_sed_finish_edit(struct sed *s)
{
    int err = wk_out_close(s->edited.o);
    if (err)
        wk_sed_die(s, 4, "couldn't flush %s: %s", s->edited.name, wk_err_text(err));
    if (s->o->suffix && *s->o->suffix && strcmp(s->o->suffix, "*") != 0) {
        err = wk_at_rename(s->c, NULL, s->target, NULL, backup_name(s), 0);
        if (err)
            wk_sed_die(s, 4, "cannot rename %s: %s", s->target, wk_err_text(err));
    }
    err = wk_at_rename(s->c, NULL, s->temp, NULL, s->target, 0);
    if (err)
        wk_sed_die(s, 4, "cannot rename %s: %s", s->temp, wk_err_text(err));
    s->temp = NULL;
    s->out = &s->stdout_;
}
