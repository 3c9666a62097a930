/* options.h - `set -o` and `shopt` options: one list each, bit by bit (bash 4.3.1, 4.3.2) */
#ifndef WK_INTERP_OPTIONS_H
#define WK_INTERP_OPTIONS_H

#include "base/str.h"

/* X(identifier, "name", letter or 0) in bash's order of `set -o`. */
#define WK_SET_OPTIONS(X)                     \
    X(ALLEXPORT, "allexport", 'a')            \
    X(BRACEEXPAND, "braceexpand", 'B')        \
    X(EMACS, "emacs", 0)                      \
    X(ERREXIT, "errexit", 'e')                \
    X(ERRTRACE, "errtrace", 'E')              \
    X(FUNCTRACE, "functrace", 'T')            \
    X(HASHALL, "hashall", 'h')                \
    X(HISTEXPAND, "histexpand", 'H')          \
    X(HISTORY, "history", 0)                  \
    X(IGNOREEOF, "ignoreeof", 0)              \
    X(INTERACTIVE_COMMENTS, "interactive-comments", 0) \
    X(KEYWORD, "keyword", 'k')                \
    X(MONITOR, "monitor", 'm')                \
    X(NOCLOBBER, "noclobber", 'C')            \
    X(NOEXEC, "noexec", 'n')                  \
    X(NOGLOB, "noglob", 'f')                  \
    X(NOLOG, "nolog", 0)                      \
    X(NOTIFY, "notify", 'b')                  \
    X(NOUNSET, "nounset", 'u')                \
    X(ONECMD, "onecmd", 't')                  \
    X(PHYSICAL, "physical", 'P')              \
    X(PIPEFAIL, "pipefail", 0)                \
    X(POSIX, "posix", 0)                      \
    X(PRIVILEGED, "privileged", 'p')          \
    X(VERBOSE, "verbose", 'v')                \
    X(VI, "vi", 0)                            \
    X(XTRACE, "xtrace", 'x')

/* X(identifier, "name", on by default) in bash's order of `shopt`. */
#define WK_SHOPT_OPTIONS(X)                                  \
    X(AUTOCD, "autocd", 0)                                   \
    X(ASSOC_EXPAND_ONCE, "assoc_expand_once", 0)             \
    X(CDABLE_VARS, "cdable_vars", 0)                         \
    X(CDSPELL, "cdspell", 0)                                 \
    X(CHECKHASH, "checkhash", 0)                             \
    X(CHECKJOBS, "checkjobs", 0)                             \
    X(CHECKWINSIZE, "checkwinsize", 1)                       \
    X(CMDHIST, "cmdhist", 1)                                 \
    X(COMPAT31, "compat31", 0)                               \
    X(COMPAT32, "compat32", 0)                               \
    X(COMPAT40, "compat40", 0)                               \
    X(COMPAT41, "compat41", 0)                               \
    X(COMPAT42, "compat42", 0)                               \
    X(COMPAT43, "compat43", 0)                               \
    X(COMPAT44, "compat44", 0)                               \
    X(COMPLETE_FULLQUOTE, "complete_fullquote", 1)           \
    X(DIREXPAND, "direxpand", 0)                             \
    X(DIRSPELL, "dirspell", 0)                               \
    X(DOTGLOB, "dotglob", 0)                                 \
    X(EXECFAIL, "execfail", 0)                               \
    X(EXPAND_ALIASES, "expand_aliases", 0)                   \
    X(EXTDEBUG, "extdebug", 0)                               \
    X(EXTGLOB, "extglob", 0)                                 \
    X(EXTQUOTE, "extquote", 1)                               \
    X(FAILGLOB, "failglob", 0)                               \
    X(FORCE_FIGNORE, "force_fignore", 1)                     \
    X(GLOBASCIIRANGES, "globasciiranges", 1)                 \
    X(GLOBSKIPDOTS, "globskipdots", 1)                       \
    X(GLOBSTAR, "globstar", 0)                               \
    X(GNU_ERRFMT, "gnu_errfmt", 0)                           \
    X(HISTAPPEND, "histappend", 0)                           \
    X(HISTREEDIT, "histreedit", 0)                           \
    X(HISTVERIFY, "histverify", 0)                           \
    X(HOSTCOMPLETE, "hostcomplete", 1)                       \
    X(HUPONEXIT, "huponexit", 0)                             \
    X(INHERIT_ERREXIT, "inherit_errexit", 0)                 \
    X(INTERACTIVE_COMMENTS, "interactive_comments", 1)       \
    X(LASTPIPE, "lastpipe", 0)                               \
    X(LITHIST, "lithist", 0)                                 \
    X(LOCALVAR_INHERIT, "localvar_inherit", 0)               \
    X(LOCALVAR_UNSET, "localvar_unset", 0)                   \
    X(LOGIN_SHELL, "login_shell", 0)                         \
    X(MAILWARN, "mailwarn", 0)                               \
    X(NO_EMPTY_CMD_COMPLETION, "no_empty_cmd_completion", 0) \
    X(NOCASEGLOB, "nocaseglob", 0)                           \
    X(NOCASEMATCH, "nocasematch", 0)                         \
    X(NOEXPAND_TRANSLATION, "noexpand_translation", 0)       \
    X(NULLGLOB, "nullglob", 0)                               \
    X(PATSUB_REPLACEMENT, "patsub_replacement", 1)           \
    X(PROGCOMP, "progcomp", 1)                               \
    X(PROGCOMP_ALIAS, "progcomp_alias", 0)                   \
    X(PROMPTVARS, "promptvars", 1)                           \
    X(RESTRICTED_SHELL, "restricted_shell", 0)               \
    X(SHIFT_VERBOSE, "shift_verbose", 0)                     \
    X(SOURCEPATH, "sourcepath", 1)                           \
    X(VARREDIR_CLOSE, "varredir_close", 0)                   \
    X(XPG_ECHO, "xpg_echo", 0)

enum wk_set_option_number {
#define WK_X(id, name, letter) WK_SETNO_##id,
    WK_SET_OPTIONS(WK_X)
#undef WK_X
        WK_SETNO_COUNT
};
enum wk_shopt_number {
#define WK_X(id, name, on) WK_SHOPTNO_##id,
    WK_SHOPT_OPTIONS(WK_X)
#undef WK_X
        WK_SHOPTNO_COUNT
};

#define WK_OPT_BIT(id) (UINT64_C(1) << WK_SETNO_##id)
#define WK_SHOPT_BIT(id) (UINT64_C(1) << WK_SHOPTNO_##id)
/* On while posix mode begins. */
#define WK_SHOPT_POSIX \
    (WK_SHOPT_BIT(EXPAND_ALIASES) | WK_SHOPT_BIT(INHERIT_ERREXIT) | WK_SHOPT_BIT(SHIFT_VERBOSE))
#define wk_opt(sh, id) (((sh)->st->options & WK_OPT_BIT(id)) != 0)
#define wk_shopt(sh, id) (((sh)->st->shopts & WK_SHOPT_BIT(id)) != 0)

struct wk_option_info {
    const char *name;
    char letter;
    bool on_by_default;
};
extern const struct wk_option_info wk_set_option_table[WK_SETNO_COUNT];
extern const struct wk_option_info wk_shopt_table[WK_SHOPTNO_COUNT];

/* Number of the option with this name or letter; -1 = none. */
int wk_set_option_find(struct wk_str name);
int wk_set_option_letter(char letter);
int wk_shopt_find(struct wk_str name);

#endif
