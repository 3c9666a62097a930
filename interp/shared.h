/* shared.h - what all shells of a session share: numbers of known names, caches of compiled patterns
 *
 * Owner:  the session; used by one thread at a time. Nothing here belongs to a shell's state.
 * Limits: each cache holds at most WK_SHARED_ENTRIES entries and about WK_SHARED_BYTES bytes; when it
 *         is full it starts afresh.
 */
#ifndef WK_INTERP_SHARED_H
#define WK_INTERP_SHARED_H

#include "base/map.h"
#include "interp/vars.h"
#include "text/pattern/pattern.h"
#include "text/re/re.h"

#define WK_SHARED_ENTRIES 256u
#define WK_SHARED_BYTES (256u * 1024u)

/* X(identifier, "NAME"): names that the shell itself looks at. */
#define WK_KNOWN_NAMES(X)                                                                          \
    X(IFS, "IFS")                                                                                  \
    X(HOME, "HOME")                                                                                \
    X(PWD, "PWD")                                                                                  \
    X(OLDPWD, "OLDPWD")                                                                            \
    X(PATH, "PATH")                                                                                \
    X(REMATCH, "BASH_REMATCH")                                                                     \
    X(LC_ALL, "LC_ALL")                                                                            \
    X(LC_CTYPE, "LC_CTYPE")                                                                        \
    X(LANG, "LANG")                                                                                \
    X(COMPAT, "BASH_COMPAT")                                                                       \
    X(UNDERSCORE, "_")

enum wk_known_name {
#define WK_X(id, name) WK_KNOWN_##id,
    WK_KNOWN_NAMES(WK_X)
#undef WK_X
        WK_KNOWN_COUNT
};

struct wk_shared {
    struct wk_mem *mem;
    bool named; /* known[] is filled in */
    uint32_t known[WK_KNOWN_COUNT];
    /* $IFS as last seen: valid while the variable still has this very value. */
    struct wk_val *ifs_val;
    struct wk_ifs ifs;
    char ifs_digits[32];
    /* Patterns by text and flags. `patterns_held` > 0: a match is in progress, nothing is dropped. */
    struct wk_map patterns;
    struct wk_arena pattern_arena;
    unsigned patterns_held;
    /* Regular expressions by text and flags; counted, so they may be dropped at any time. */
    struct wk_map regexes;
};

/* The number of a known name. */
static inline uint32_t wk_known(const struct wk_shell *sh, enum wk_known_name n)
{
    return sh->shared->known[n];
}
/* Fill in known[] from the session's names. 0 or -WK_ENOMEM. */
int wk_shared_names(struct wk_shared *s, struct wk_names *names);

/* The compiled pattern of a text (WK_PATTERN_ flags). Hold it while it is used: other uses in between
 * may empty the cache. 0, -WK_ENOMEM, -WK_ELIMIT. */
int wk_shared_pattern_get(struct wk_shared *s, struct wk_str text, unsigned flags, const struct wk_pattern **out);
void wk_shared_pattern_done(struct wk_shared *s);
/* The compiled expression, a new reference. Errors as wk_re_compile. */
int wk_shared_regex_get(struct wk_shell *sh, struct wk_str text, unsigned flags, struct wk_re **out,
                        struct wk_re_error *err);

struct wk_parse_opts;
/* Options for parsing a piece of text at run time, on further stack where needed; messages are printed
 * as the shell's. */
void wk_text_parse_opts(struct wk_shell *sh, struct wk_parse_opts *o);
/* Gives the messages for $(…), which is none: `text` is all from its ( on, in `line`; `what` goes before the line. */
void wk_tell_syntax(struct wk_shell *sh, struct wk_str text, uint32_t line, const char *what);

#endif
