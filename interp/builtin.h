/* builtin.h - shell builtins: how they declare themselves and what they may do
 *
 * A builtin runs inline on the shell's task with the shell's state. It uses fallible allocation and
 * returns a flow; its exit status is in sh->status.
 */
#ifndef WK_INTERP_BUILTIN_H
#define WK_INTERP_BUILTIN_H

#include "interp/shell.h"

enum {
    WK_BUILTIN_SPECIAL = 1,    /* POSIX special builtin */
    WK_BUILTIN_ASSIGNMENT = 2, /* assignment arguments are parsed as assignments (declare, export…) */
    WK_BUILTIN_POSIX = 4,      /* found before $PATH in POSIX mode */
    WK_BUILTIN_LEAF = 8,       /* also a program under /usr/bin (echo, printf, test, true, pwd, kill…) */
    WK_BUILTIN_WORDS = 16,     /* runs its words as a command (command, builtin) */
    WK_BUILTIN_TEXT = 32,      /* runs a text in this shell (eval, source): a scope of temporary variables */
    WK_BUILTIN_OWN = 64        /* sets its own temporary variables, not the shell's beneath (read, mapfile, unset) */
};

/* Arguments: v[0] is the name; NUL-terminated slices in the arena. */
struct wk_args {
    struct wk_str *v;
    size_t n;
    const struct wk_word *const *words; /* NULL, or the words as written: n of them */
};

struct wk_builtin {
    const char *name;
    const char *usage;   /* "cd [-L|[-P [-e]] [-@]] [dir]": as `help` and usage errors print it */
    const char *summary;
    const char *help;    /* further text of `help NAME`; our own words */
    int flags;
    enum wk_flow (*run)(struct wk_shell *sh, const struct wk_args *a);
    /* For word `at` of the command, name=(…), while the words are expanded: declares and assigns it. The builtin then
     * finds the name alone. NULL: the list is assigned as without a builtin. */
    enum wk_flow (*assign_list)(struct wk_shell *sh, const struct wk_builtin *b, const struct wk_node_simple *s,
                                uint32_t at);
};

/* WK_BUILTIN(ident, .usage = …, .run = …) defines wk_builtin_ident; .name defaults to "ident". */
#define WK_BUILTIN(ident, ...)                                            \
    _Pragma("GCC diagnostic push")                                        \
    _Pragma("GCC diagnostic ignored \"-Woverride-init\"")                 \
    extern const struct wk_builtin wk_builtin_##ident;                    \
    const struct wk_builtin wk_builtin_##ident = {.name = #ident, __VA_ARGS__}; \
    _Pragma("GCC diagnostic pop")                                         \
    extern const struct wk_builtin wk_builtin_##ident

/* What api/ supplies to interp: the builtins, sorted by name, and hooks. */
struct wk_shell_hooks {
    const struct wk_builtin *const *builtins;
    size_t nbuiltins;
    /* Called before each simple or compound command when set (debugger). */
    enum wk_flow (*before_command)(struct wk_shell *sh, const struct wk_node *n);
    /* Why a command that was not found is not there, when that is known: appended to out. */
    bool (*missing)(void *ctx, struct wk_str name, struct wk_buf *out);
    /* `help` text etc. come from the rows. */
};

const struct wk_builtin *wk_builtin_find(const struct wk_shell *sh, struct wk_str name); /* ignores enable -n */
bool wk_builtin_enabled(const struct wk_shell *sh, const struct wk_builtin *b);
int wk_builtin_set_enabled(struct wk_shell *sh, const struct wk_builtin *b, bool on);

/* Set the status and go on. */
static inline enum wk_flow wk_status(struct wk_shell *sh, int status)
{
    sh->status = status;
    return WK_NEXT;
}
/* "NAME: usage: …" on stderr, status 2. */
enum wk_flow wk_builtin_usage(struct wk_shell *sh, const struct wk_builtin *b);
/* Option letters as bash's internal getopt: *opt is the letter, '?' after an error message
 * ("NAME: -x: invalid option" + usage), 0 at the end of options. `+x` options when plus. */
struct wk_getopt {
    const struct wk_builtin *b;
    const struct wk_args *a;
    size_t at;       /* next argument */
    size_t in;       /* position inside a cluster */
    const char *spec; /* letters, ':' after one that takes an argument */
    struct wk_str arg;
    bool plus;       /* the option came with + */
    bool no_help;    /* --help is a usage error */
};
int wk_getopt_next(struct wk_shell *sh, struct wk_getopt *g);

/* An assignment that a declaring builtin is given (eval_assign.c). */
enum wk_flow wk_assign_run(struct wk_shell *sh, const struct wk_assign *as);

/* The lines of a help text, each behind four blanks. */
void wk_builtin_indent(struct wk_buf *b, const char *text);

/* Output of builtins: gathers and writes to descriptor 1 at the end, or before a message goes to descriptor 2;
 * reports "NAME: write error: …" and status 1. */
struct wk_bout {
    struct wk_shell *sh;
    const char *name;
    struct wk_bout *outer; /* the one in use before */
    struct wk_buf buf;
};
/* name: of the builtin, for a write that fails; NULL: it does not look, as some of bash do not. */
void wk_bout_init(struct wk_bout *o, struct wk_shell *sh, const char *name);
/* "NAME: write error: …", unless the write has sent the process a signal that ends it. */
void wk_bout_failed(struct wk_shell *sh, const char *name, int err);
/* Write out and release; sets sh->status to 1 on a write error, else leaves it. */
enum wk_flow wk_bout_finish(struct wk_bout *o);
/* In place of finish: what was gathered is thrown away. */
void wk_bout_drop(struct wk_bout *o);
/* What was gathered goes out now, so that a message comes behind it; an error is met again at the end. */
void wk_bout_flush(struct wk_bout *o);

#endif
