/* cmd.h - what a leaf command sees: its arguments, streams, files and the world
 *
 * A command is written as on Unix: options are parsed for it, it reads and writes with blocking
 * calls, and returns its exit status. Nothing here returns an error that the command could only
 * pass on: stops, kills and exhausted memory end the process inside the call.
 *
 * A command may be dropped at any call of this header that can park (marked P) or allocate (A);
 * nothing of it runs afterwards.
 */
#ifndef WK_KERN_CMD_H
#define WK_KERN_CMD_H

#include "kern/command.h"
#include "kern/heap.h"

/* ---- buffered output ------------------------------------------------------------------------- */

/* Writes are gathered and passed on when the buffer is full, at flush and at exit. A closed pipe
 * ends the process quietly (SIGPIPE); another error prints "NAME: write error: …" once and ends it
 * with status 1 at exit (or at once for c->out of a streaming command). */
struct wk_out {
    struct wk_cmd *c;
    struct wk_file *file; /* NULL: descriptor was closed */
    char *buf;
    size_t n, cap;      /* bytes held; when to pass them on */
    size_t room;        /* of buf, at least cap: what is put at once fits whole */
    int err;            /* first error, positive WK_E… */
    bool line_buffered; /* flush after each newline (stderr, or a terminal) */
};

void wk_out_put_slow(struct wk_out *o, const void *p, size_t n); /* P */
static inline void wk_out_put(struct wk_out *o, const void *p, size_t n)
{
    if (WK_LIKELY(n <= o->cap - o->n && !o->line_buffered)) {
        if (n)
            memcpy(o->buf + o->n, p, n);
        o->n += n;
    } else {
        wk_out_put_slow(o, p, n);
    }
}
static inline void wk_out_char(struct wk_out *o, char ch)
{
    if (WK_LIKELY(o->n < o->cap && !o->line_buffered))
        o->buf[o->n++] = ch;
    else
        wk_out_put_slow(o, &ch, 1);
}
static inline void wk_out_str(struct wk_out *o, struct wk_str s)
{
    wk_out_put(o, s.p, s.n);
}
static inline void wk_out_c(struct wk_out *o, const char *s)
{
    wk_out_put(o, s, strlen(s));
}
void wk_out_fmt(struct wk_out *o, const char *fmt, ...) WK_PRINTF(2, 3); /* fmt of wk_buf_fmt */
void wk_out_i64(struct wk_out *o, int64_t v);
void wk_out_u64(struct wk_out *o, uint64_t v);
/* 0 or the first error so far (positive). */
int wk_out_flush(struct wk_out *o); /* P */

/* ---- buffered input ---------------------------------------------------------------------------
 */

struct wk_in {
    struct wk_cmd *c;
    struct wk_file *file;
    const char *name; /* operand as given; "-" or NULL for standard input */
    const char *p;    /* bytes at hand, not yet handed out */
    size_t n;
    size_t held; /* handed-out bytes that the file still has to skip (borrowed pieces) */
    size_t chunk; /* of the last piece handed out */
    char *buf;   /* private copy, for descriptions that others share */
    size_t buf_cap;
    char *line; /* assembles lines that cross borrowed pieces */
    size_t line_n, line_cap;
    int err;         /* first read error, positive; reported once */
    bool eof, owned; /* owned: close with the input */
    bool quiet;      /* the caller reports errors */
    bool no_newline; /* the last line returned had no terminator */
};

/* Next piece of bytes, borrowed until the next call on any stream: false at the end or on an error
 * (reported as "NAME: FILE: text", status 1). P */
bool wk_in_chunk(struct wk_in *in, const char **p, size_t *n);
/* Give back the tail of the last chunk: only `used` bytes of it are consumed from the file. */
void wk_in_used(struct wk_in *in, size_t used);
/* Next line without its terminator; valid until the next call. A last line without one counts. The
 * file's offset is exactly after the line. P */
bool wk_line_next(struct wk_in *in, char end, struct wk_str *line);
/* The same for lines of any length, without holding one: its next part, and whether the terminator
 * was behind it. False at the end, also of a last line without a terminator. P */
bool wk_line_part(struct wk_in *in, char end, struct wk_str *part, bool *last);
/* Take the bytes at hand into a private copy and bring the file's offset up to them: before a child
 * that shares the descriptor starts. */
void wk_in_unshare(struct wk_in *in);
/* Up to cap bytes into dst (fewer only at the end): number read. P */
size_t wk_in_read(struct wk_in *in, void *dst, size_t cap);
/* What is at hand, or else what one read gives, without a copy between: number of bytes put into dst, 0 at
 * the end or on an error. P */
size_t wk_in_some(struct wk_in *in, void *dst, size_t cap);
/* Everything to the end, in the process heap. P A */
struct wk_str wk_in_all(struct wk_in *in);

/* Open an operand for reading ("-" is standard input when dash is set). NULL after reporting
 * "NAME: FILE: text" and setting status 1. P A */
struct wk_in *wk_in_open(struct wk_cmd *c, const char *path, bool dash);
struct wk_in *wk_in_of(struct wk_cmd *c, struct wk_file *f, const char *name);
void wk_in_close(struct wk_in *in);

/* ---- the command ------------------------------------------------------------------------------
 */

struct wk_cmd {
    struct wk_task *task;
    struct wk_kern *k;
    struct wk_proc *proc;
    struct wk_heap *heap;
    const struct wk_command *command;
    const char *name; /* for messages: base name of argv[0] */
    int argc;         /* as given */
    char **argv;
    int nargs; /* operands after option parsing (all of argv[1..] when RAW_ARGS) */
    char **args;
    void *opts;       /* the command's options struct, zeroed then filled */
    struct wk_in *in; /* descriptor 0 */
    struct wk_out *out, *err;
    int status;     /* exit status so far; wk_warn raises it to 1 */
    int next_input; /* of wk_input_next */
    struct wk_in *input;
    bool opts_done;                /* an option's function may say so: the rest are operands */
    const struct wk_opt *last_opt; /* while options are parsed: the one before */
    void *data;       /* command->data */
    void *open_files; /* of wk_cmd_open */
};

/* The offset of in's file is put exactly behind what was handed out (also done at exit). */
void wk_in_sync(struct wk_in *in);

/* Iterate over the operands as inputs; "-" or none = standard input. Opens, reports errors itself
 * and goes on, closes the one before. P A */
bool wk_input_next(struct wk_cmd *c, struct wk_in **in);

/* "NAME: OPERAND: text of err" on stderr, status becomes 1 (if it was 0). operand may be NULL; it
 * is printed as given; wk_warn_q quotes it as GNU does: NAME: cannot WHAT 'OPERAND': text. err 0 =
 * no text. */
void wk_warn(struct wk_cmd *c, const char *operand, int err);
void wk_warn_q(struct wk_cmd *c, const char *what, const char *operand, int err);
/* "NAME: …formatted" and a newline; status becomes 1 if it was 0. */
void wk_msg(struct wk_cmd *c, const char *fmt, ...) WK_PRINTF(2, 3);
/* The same, then ends the process with `status`. */
WK_NORETURN void wk_fail(struct wk_cmd *c, int status, const char *fmt, ...) WK_PRINTF(3, 4);
/* "NAME: …", "Try 'NAME --help' for more information." and exit with the command's usage status. */
WK_NORETURN void wk_usage(struct wk_cmd *c, const char *fmt, ...) WK_PRINTF(2, 3);
/* The last two of these. */
WK_NORETURN void wk_try_help(struct wk_cmd *c);
/* Flush and end the process. */
WK_NORETURN void wk_exit(struct wk_cmd *c, int status);
/* The same, as a process that the signal ended. */
WK_NORETURN void wk_exit_by(struct wk_cmd *c, int signal);
/* Become another program (env, nohup, timeout's child): as execvp. Returns a positive error only
 * when it cannot be found or run. */
int wk_cmd_exec(struct wk_cmd *c, int argc, char *const *argv, struct wk_env *env);

/* 'x' quoted as GNU quotes names in messages (shell-escape style, curly quotes never): in the heap.
 */
const char *wk_quote(struct wk_cmd *c, const char *name);
/* 'x' quoted as GNU quotes arguments that are no file names (escapes as in C); ‘x’ where characters are UTF-8. */
const char *wk_quote_arg(struct wk_cmd *c, const char *text);
/* Quoted only when needed: the form of "cat: 'a b': No such file". A colon counts as a reason. */
const char *wk_quote_maybe(struct wk_cmd *c, const char *name);

/* ---- the world: all by the process's cwd, credentials and umask. Results 0 or positive WK_E… ----
 */

/* Opens; the file belongs to the command and is closed with wk_cmd_close, by wk_in_close or
 * wk_out_close, or when the process ends. Never wk_file_unref it. */
int wk_cmd_open(struct wk_cmd *c, const char *path, int flags, uint32_t mode,
                struct wk_file **out); /* P */
/* The same from a directory that is being listed (NULL: the working one). */
int wk_cmd_open_at(struct wk_cmd *c, struct wk_vdir *dir, const char *path, int flags, uint32_t mode,
                   struct wk_file **out); /* P */
void wk_cmd_close(struct wk_cmd *c, struct wk_file *f);
struct wk_out *wk_out_of(struct wk_cmd *c, struct wk_file *f); /* takes the reference; A */
int wk_out_close(struct wk_out *o); /* flush, drop the file; first error (positive). P */
int wk_cmd_stat(struct wk_cmd *c, const char *path, bool follow, struct wk_stat *st);
int64_t wk_cmd_now(struct wk_cmd *c); /* wall, ns */
int64_t wk_cmd_monotonic(struct wk_cmd *c);
void wk_cmd_sleep(struct wk_cmd *c, int64_t ns); /* P */
const char *wk_cmd_env(struct wk_cmd *c, const char *name);
/* The process's environment as it is listed: proc->env->n strings. */
const char **wk_env_strings(struct wk_cmd *c);
/* Whether text is UTF-8, by LC_ALL, LC_CTYPE and LANG; bytes otherwise. */
bool wk_cmd_utf8(struct wk_cmd *c);

/* Count work in a loop that does no I/O: every `n` of about a byte-ish 64 or one comparison. */
static inline void wk_tick(struct wk_cmd *c, uint32_t n)
{
    c->k->budget -= n;
    if (WK_UNLIKELY(c->k->budget < 0))
        (void)wk_step_slow(c->k);
}

/* Memory in the process heap. */
#define wk_new(c, type)          ((type *)wk_heap_zalloc((c)->heap, sizeof(type)))
#define wk_new_n(c, type, count) ((type *)wk_heap_calloc((c)->heap, (count), sizeof(type)))
char *wk_dup(struct wk_cmd *c, const char *s);
char *wk_dupn(struct wk_cmd *c, const char *s, size_t n);
char *wk_join_path(struct wk_cmd *c, const char *dir, const char *name);
/* The bytes of a buffer over wk_heap_mem as a string in the heap; the buffer is released, also when
 * the process ends for want of memory in here. A failed buffer ends it. */
char *wk_keep(struct wk_cmd *c, struct wk_buf *b);
/* A formatted string in the heap. */
char *wk_strf(struct wk_cmd *c, const char *fmt, ...) WK_PRINTF(2, 3);

/* Start a child and wait for it; *e is how it ended. Positive error when it could not be started. P
 */
int wk_cmd_run(struct wk_cmd *c, int argc, char *const *argv, struct wk_env *env,
               struct wk_exit *e);

/* What --help, or --version, prints; ends the process. */
WK_NORETURN void wk_cmd_about(struct wk_cmd *c, bool version);
/* The same as the function of an option (-h with value 0, -V with 1). */
WK_NORETURN int wk_opt_about(struct wk_cmd *c, const struct wk_opt *o, const char *arg);

/* For command.h's trampoline: parse options per the table, handle --help and --version. */
void wk_cmd_parse(struct wk_cmd *c);

#endif
