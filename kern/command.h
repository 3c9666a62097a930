/* command.h - commands: how they declare themselves, how they are found and started
 *
 * A command is a constant `struct wk_command`, made by WK_COMMAND beside its code. Every command
 * has a file under /usr/bin whose text is WK_COMMAND_MAGIC followed by its name and a newline;
 * copying or linking that file copies or links the command, as with a real binary.
 */
#ifndef WK_KERN_COMMAND_H
#define WK_KERN_COMMAND_H

#include "kern/proc.h"

struct wk_cmd;

#define WK_COMMAND_MAGIC "\177WHELK "

enum wk_opt_kind {
    WK_OPT_FLAG,         /* bool at `offset` becomes true */
    WK_OPT_SET,          /* int at `offset` becomes `value` (last one wins: -L / -P) */
    WK_OPT_COUNT,        /* int at `offset` is incremented */
    WK_OPT_STR,          /* const char * at `offset` */
    WK_OPT_STR_OPTIONAL, /* --color[=WHEN], -i[SUF]: const char * ("" when given without) */
    WK_OPT_INT,          /* int64_t, strict decimal; otherwise "invalid …" */
    WK_OPT_SIZE,         /* int64_t with GNU size suffixes */
    WK_OPT_LIST,         /* struct wk_opt_list: every occurrence, in order */
    WK_OPT_FUNC,         /* func(c, opt, arg) */
    WK_OPT_END
};

struct wk_opt {
    enum wk_opt_kind kind;
    char short_name;       /* 0 = none */
    const char *long_name; /* NULL = none */
    const char *arg;       /* name of its argument in --help; NULL = takes none */
    const char *help;
    size_t offset;
    int value;
    int (*func)(struct wk_cmd *c, const struct wk_opt *o, const char *arg);
};

/* Occurrences of a WK_OPT_LIST option. */
struct wk_opt_list {
    const char **v;
    size_t n, cap;
};

#define WK_FLAG(type, field, s, l, help)                                    \
    {                                                                       \
        WK_OPT_FLAG, (s), (l), NULL, (help), offsetof(type, field), 0, NULL \
    }
#define WK_SET(type, field, val, s, l, help)                                   \
    {                                                                          \
        WK_OPT_SET, (s), (l), NULL, (help), offsetof(type, field), (val), NULL \
    }
#define WK_COUNT_OPT(type, field, s, l, help)                                \
    {                                                                        \
        WK_OPT_COUNT, (s), (l), NULL, (help), offsetof(type, field), 0, NULL \
    }
#define WK_STR_OPT(type, field, s, l, arg, help)                            \
    {                                                                       \
        WK_OPT_STR, (s), (l), (arg), (help), offsetof(type, field), 0, NULL \
    }
#define WK_STR_OPTIONAL(type, field, s, l, arg, help)                                \
    {                                                                                \
        WK_OPT_STR_OPTIONAL, (s), (l), (arg), (help), offsetof(type, field), 0, NULL \
    }
#define WK_INT_OPT(type, field, s, l, arg, help)                            \
    {                                                                       \
        WK_OPT_INT, (s), (l), (arg), (help), offsetof(type, field), 0, NULL \
    }
#define WK_SIZE_OPT(type, field, s, l, arg, help)                            \
    {                                                                        \
        WK_OPT_SIZE, (s), (l), (arg), (help), offsetof(type, field), 0, NULL \
    }
#define WK_LIST_OPT(type, field, s, l, arg, help)                            \
    {                                                                        \
        WK_OPT_LIST, (s), (l), (arg), (help), offsetof(type, field), 0, NULL \
    }
#define WK_FUNC_OPT(fn, val, s, l, arg, help)                \
    {                                                        \
        WK_OPT_FUNC, (s), (l), (arg), (help), 0, (val), (fn) \
    }
#define WK_OPTS_END                                 \
    {                                               \
        WK_OPT_END, 0, NULL, NULL, NULL, 0, 0, NULL \
    }

enum {
    WK_CMD_RAW_ARGS = 1,   /* main sees argv untouched (echo, test, expr); --help only when alone */
    WK_CMD_NO_PERMUTE = 2, /* the first operand ends options (env, timeout, xargs) */
    WK_CMD_NET = 4,
    WK_CMD_HOST = 8,
    WK_CMD_SHELL = 16,       /* starts an interpreter: `shell_main` on a task that is not a leaf */
    WK_CMD_NEG_NUMBERS = 32, /* -5 is an operand or the historic form: parsed by `old_style` */
    WK_CMD_SAY_USAGE = 64,   /* usage errors show the usage too (grep) */
    WK_CMD_SAY_NAME = 128,   /* "NAME: Try …" (diffutils) */
    WK_CMD_RAW_NAMES = 256,  /* file names in messages are never quoted (what is not of coreutils) */
    WK_CMD_FILTER = 512      /* does nothing but its standard output: ends as soon as that fails */
};

struct wk_command {
    const char *name;    /* as typed: "[", "sha256sum" */
    const char *aliases; /* further names, blank-separated, or NULL; main looks at c->argv[0] */
    const char *summary; /* one line */
    const char *usage;   /* "rev [-0] [FILE]…": lines separated by \n for several forms */
    const char *help;    /* more text for --help, or NULL */
    const char *std;     /* "coreutils 9.1" */
    const struct wk_opt *opts;
    size_t opts_size;
    int min_args, max_args; /* operands; max_args 0 = any number, -1 = none */
    int flags;
    int usage_status; /* status of usage errors; 0 means 1 */
    int (*main)(struct wk_cmd *c);
    /* Called for an argument such as -5 or +5 or an odd first word (head -5); returns how many
     * arguments it took, 0 = not for me. */
    int (*old_style)(struct wk_cmd *c, int at);
    void (*shell_main)(struct wk_task *t, int argc,
                       char **argv); /* WK_CMD_SHELL; ends with wk_proc_finish */
    void *data;                      /* a host's own */
};

/* WK_COMMAND(ident, .summary = …, .main = …): defines wk_command_ident; .name defaults to "ident".
 */
#define WK_COMMAND(ident, ...)                                                               \
    _Pragma("GCC diagnostic push")                                                           \
        _Pragma("GCC diagnostic ignored \"-Woverride-init\"") extern const struct wk_command \
            wk_command_##ident;                                                              \
    const struct wk_command wk_command_##ident = {                                           \
        .name = #ident, .main = ident##_main, __VA_ARGS__};                                  \
    _Pragma("GCC diagnostic pop") extern const struct wk_command wk_command_##ident

/* Where commands are looked up; supplied by api/. */
struct wk_registry {
    void *ctx;
    const struct wk_command *(*find)(void *ctx, struct wk_str name);
    /* i-th command in order of name, NULL past the end. */
    const struct wk_command *(*at)(void *ctx, size_t i);
    /* What runs the file at `path`, a program that is none of the session's; NULL: nothing. Optional. */
    const struct wk_command *(*foreign)(void *ctx, const struct wk_proc *p, const char *path);
};

/* ---- finding and starting -------------------------------------------------------------------- */

/* What a path holds. */
enum wk_image_kind {
    WK_IMAGE_COMMAND, /* run `command` with argv as given */
    WK_IMAGE_SCRIPT,  /* no magic, no #!: text for a shell (execve's ENOEXEC) */
    WK_IMAGE_INTERP   /* #! line: run interpreter `interp` with the optional `arg`, then path */
};
struct wk_image {
    enum wk_image_kind kind;
    const struct wk_command *command;
    char interp[256];
    char arg[256]; /* "" = none */
    bool binary;   /* SCRIPT only: looks like a binary file */
};
/* Look at an executable. Errors: -WK_ENOENT, -WK_EACCES, -WK_EISDIR, -WK_ENOTDIR, -WK_ELOOP… as
 * execve(2) and bash distinguish. */
int wk_image_probe(struct wk_proc *p, const char *path, struct wk_image *out);
/* Search the colon-separated `path` for an executable file. *out is a path in a buffer of the
 * account (free with wk_free). -WK_ENOENT, or -WK_EACCES when only a non-executable was found: *out
 * is the first such. */
int wk_path_search(struct wk_proc *p, struct wk_str path, struct wk_str name, char **out);

struct wk_spawn {
    const char *path; /* what to run, already found; NULL: search $PATH for argv[0] */
    const struct wk_command *command; /* when known already, saves the probe */
    size_t argc;
    const char *const *argv; /* copied */
    struct wk_env *env;      /* NULL = the process's own */
    const char *cmdline;     /* for ps; may be NULL */
    const char *shell;       /* the command that runs a script without #!; NULL: sh */
    struct wk_vdir *cwd;     /* NULL = inherited */
    uint32_t pgid;           /* 0 = inherited; 1 = a new group of its own */
    bool background;
};
/* Start a command as a new process (fork + exec): child of `parent` with parent's descriptors.
 * To change descriptors, fork first, edit child->fds, and use wk_exec_on.
 * Errors of execve(2) (nothing was started), -WK_EAGAIN, -WK_ENOMEM; -WK_ENOEXEC never comes back:
 * such text is run by `sh`. */
int wk_spawn(struct wk_proc *parent, const struct wk_spawn *s, struct wk_proc **out);
/* exec for a forked process that has no task yet: gives it a task that runs the command. On failure
 * the process is still the caller's (wk_proc_finish + wk_proc_reap). */
int wk_exec_on(struct wk_proc *child, const struct wk_spawn *s);

#endif
