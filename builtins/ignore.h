/* ignore.h - globs and rules of files such as .gitignore
 *
 * Owner:  the process. Globs are of bytes: '*', '?' and "**" as git has them, [sets], {alternatives}, '\' before a
 *         character. Rules: the last one that matches decides.
 * Limits: a match takes at most (pattern * text) steps; a pattern has at most WK_GLOB_ALTERNATIVES alternatives.
 */
#ifndef WK_BUILTINS_IGNORE_H
#define WK_BUILTINS_IGNORE_H

#include "kern/cmd.h"

enum { WK_GLOB_ALTERNATIVES = 1024 };

struct wk_glob;

/* NULL with *err set (static or in the heap). `fold`: letters of ASCII match in either case. */
struct wk_glob *wk_glob_new(struct wk_cmd *c, struct wk_str text, bool fold, const char **err);
void wk_glob_free(struct wk_cmd *c, struct wk_glob *g);
/* The whole path, which ends at path + n; `name` is its last part. */
bool wk_glob_matches(struct wk_cmd *c, const struct wk_glob *g, const char *path, size_t n, const char *name);

enum wk_verdict { WK_RULES_SILENT, WK_RULES_IGNORE, WK_RULES_KEEP };

struct wk_rule {
    struct wk_glob *glob;
    bool keep, dir_only;
};

struct wk_rules {
    struct wk_rule *v;
    size_t n, cap, keeps;
};

/* Adds a line of a file of rules. What is wrong with its glob, or NULL; *glob then gets it. */
const char *wk_rules_add(struct wk_cmd *c, struct wk_rules *r, struct wk_str line, bool fold, const char **glob);
/* Frees what they hold. */
void wk_rules_release(struct wk_cmd *c, struct wk_rules *r);
enum wk_verdict wk_rules_ask(struct wk_cmd *c, const struct wk_rules *r, const char *path, size_t n, const char *name,
                             bool is_dir);

#endif
