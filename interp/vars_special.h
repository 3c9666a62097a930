/* vars_special.h - variables that the shell computes when they are read, or acts on when they change
 *
 * Owner: the files vars*.c. A special variable's slot has its number in the top byte of the flags.
 */
#ifndef WK_INTERP_VARS_SPECIAL_H
#define WK_INTERP_VARS_SPECIAL_H

#include "interp/vars.h"

/* X(identifier, "NAME", flags at start). Those with DYNAMIC are computed, those with HOOK act. */
#define WK_SPECIAL_LIST(X)                                                         \
    X(RANDOM, "RANDOM", WK_VAR_DYNAMIC | WK_VAR_INTEGER)                           \
    X(SRANDOM, "SRANDOM", WK_VAR_DYNAMIC | WK_VAR_INTEGER)                         \
    X(SECONDS, "SECONDS", WK_VAR_DYNAMIC)                                          \
    X(EPOCHSECONDS, "EPOCHSECONDS", WK_VAR_DYNAMIC)                                \
    X(EPOCHREALTIME, "EPOCHREALTIME", WK_VAR_DYNAMIC)                              \
    X(BASHPID, "BASHPID", WK_VAR_DYNAMIC | WK_VAR_INTEGER)                         \
    X(SUBSHELL, "BASH_SUBSHELL", WK_VAR_DYNAMIC)                                   \
    X(LINENO, "LINENO", WK_VAR_DYNAMIC)                                            \
    X(COMMAND, "BASH_COMMAND", WK_VAR_DYNAMIC)                                     \
    X(ARGV0, "BASH_ARGV0", WK_VAR_DYNAMIC)                                         \
    X(HISTCMD, "HISTCMD", WK_VAR_DYNAMIC | WK_VAR_INTEGER)                         \
    X(FUNCNAME, "FUNCNAME", WK_VAR_DYNAMIC | WK_VAR_ARRAY | WK_VAR_NOASSIGN)       \
    X(SOURCE, "BASH_SOURCE", WK_VAR_DYNAMIC | WK_VAR_ARRAY | WK_VAR_NOASSIGN)      \
    X(BASH_LINENO, "BASH_LINENO", WK_VAR_DYNAMIC | WK_VAR_ARRAY | WK_VAR_NOASSIGN) \
    X(ARGC, "BASH_ARGC", WK_VAR_DYNAMIC | WK_VAR_ARRAY | WK_VAR_NOASSIGN)          \
    X(ARGV, "BASH_ARGV", WK_VAR_DYNAMIC | WK_VAR_ARRAY | WK_VAR_NOASSIGN)          \
    X(PIPESTATUS, "PIPESTATUS", 0) /* wk_pipestatus_begins */                      \
    X(DIRSTACK, "DIRSTACK", WK_VAR_DYNAMIC | WK_VAR_ARRAY)                         \
    X(GROUPS, "GROUPS", WK_VAR_DYNAMIC | WK_VAR_ARRAY | WK_VAR_NOASSIGN)           \
    X(ALIASES, "BASH_ALIASES", WK_VAR_DYNAMIC | WK_VAR_ASSOC)                      \
    X(CMDS, "BASH_CMDS", WK_VAR_DYNAMIC | WK_VAR_ASSOC)                            \
    X(SHELLOPTS, "SHELLOPTS", WK_VAR_DYNAMIC | WK_VAR_READONLY)                    \
    X(BASHOPTS, "BASHOPTS", WK_VAR_DYNAMIC | WK_VAR_READONLY)                      \
    X(UNDERSCORE, "_", WK_VAR_DYNAMIC)                                             \
    X(IFS, "IFS", WK_VAR_HOOK)                                                     \
    X(PATH, "PATH", WK_VAR_HOOK)                                                   \
    X(OPTIND, "OPTIND", WK_VAR_HOOK)                                               \
    X(POSIXLY_CORRECT, "POSIXLY_CORRECT", WK_VAR_HOOK)                             \
    X(IGNOREEOF, "IGNOREEOF", WK_VAR_HOOK)                                         \
    X(COMPAT, "BASH_COMPAT", WK_VAR_HOOK)                                          \
    X(GLOBIGNORE, "GLOBIGNORE", WK_VAR_HOOK)                                       \
    X(EXECIGNORE, "EXECIGNORE", WK_VAR_HOOK)                                       \
    X(XTRACEFD, "BASH_XTRACEFD", WK_VAR_HOOK)                                      \
    X(LC_ALL, "LC_ALL", WK_VAR_HOOK)                                               \
    X(LC_CTYPE, "LC_CTYPE", WK_VAR_HOOK)                                           \
    X(LANG, "LANG", WK_VAR_HOOK)                                                   \
    X(HISTSIZE, "HISTSIZE", WK_VAR_HOOK)                                           \
    X(HISTFILESIZE, "HISTFILESIZE", WK_VAR_HOOK)

enum wk_special {
    WK_SPECIAL_NONE,
#define WK_X(id, name, flags) WK_SPECIAL_##id,
    WK_SPECIAL_LIST(WK_X)
#undef WK_X
        WK_SPECIAL_COUNT
};

static inline enum wk_special wk_var_kind(const struct wk_var *v)
{
    return (enum wk_special)(v->flags >> WK_VAR_KIND_SHIFT);
}
/* The bits of a slot that belong to the name and not to the value. */
#define WK_VAR_NAME_BITS (WK_VAR_HOOK | (uint32_t)0xff << WK_VAR_KIND_SHIFT)

/* "NAME: readonly variable"; -WK_EPERM. */
void wk_var_warn_circular(struct wk_shell *sh, uint32_t name);
int wk_var_refuse_readonly(struct wk_shell *sh, uint32_t name);
/* 0, -WK_ESTOP or -WK_EPERM for a flow that arithmetic gave. */
static inline int wk_flow_err(enum wk_flow flow)
{
    return flow == WK_NEXT ? 0 : flow == WK_STOP ? -WK_ESTOP : -WK_EPERM;
}
/* The number that a value or subscript is; 0 or the error of a flow. A failure is remembered for
 * wk_sh_arith_failed. */
int wk_var_arith(struct wk_shell *sh, struct wk_str text, int64_t *out);
/* A slot with these flags or value changed: environment, allexport, hooks. */
void wk_var_changed(struct wk_shell *sh, uint32_t name, struct wk_var *v);

/* A computed scalar: as a number (*number true, *ival) or as text (maybe in the arena). False: unset. */
bool wk_special_value(struct wk_shell *sh, const struct wk_var *v, int64_t *ival, bool *number,
                      struct wk_str *text);
/* One that each look gives its type and its value: SECONDS, RANDOM. */
static inline bool wk_special_number(const struct wk_var *v)
{
    return v->flags & WK_VAR_DYNAMIC && (wk_var_kind(v) == WK_SPECIAL_RANDOM || wk_var_kind(v) == WK_SPECIAL_SECONDS);
}
/* A computed number as it was when it was last asked for or set, which is what lists and the environment show. */
bool wk_special_last(const struct wk_shell *sh, const struct wk_var *v, int64_t *ival);
/* Bring a computed array up to date in its slot. 0 or -WK_ENOMEM. */
int wk_special_refresh(struct wk_shell *sh, uint32_t name);
/* An assignment to a computed scalar. */
int wk_special_assign(struct wk_shell *sh, const struct wk_var *v, struct wk_str value);
/* A variable with HOOK has changed (or became unset). */
void wk_special_changed(struct wk_shell *sh, uint32_t name);
/* An element of a computed array is about to be set: true when that was all (DIRSTACK…), *err its result. */
bool wk_special_elem(struct wk_shell *sh, const struct wk_var *v, struct wk_str key, struct wk_str value,
                     int *err);

#endif
