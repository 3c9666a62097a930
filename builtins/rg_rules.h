/* rg_rules.h - rg: rules of the directories that are walked, of those above them, and of the command line */
#ifndef WK_BUILTINS_RG_RULES_H
#define WK_BUILTINS_RG_RULES_H

#include "builtins/rg.h"

/* Those of one directory. */
struct wk_rg_dir_rules {
    struct wk_rules rgignore, ignore, git, exclude;
    bool has_rgignore, has_ignore, has_gitignore, has_git; /* seen in it */
    bool any_git;                                          /* it or one above is a repository */
    bool any;                                              /* there are rules */
};

/* What each kind of rules says; the innermost directory that says something decides. */
struct wk_rg_verdicts {
    enum wk_verdict rgignore, ignore, git, exclude;
    bool saw_git;
};

struct wk_rg_candidate {
    const char *path;
    size_t n;
    const char *name;
    bool is_dir;
};

/* A directory above an operand. */
struct wk_rg_above {
    struct wk_rg_dir_rules *rules;
    size_t skip; /* of the absolute name below */
};

struct wk_rg_known {
    struct wk_str dir;
    struct wk_rg_dir_rules *rules;
};

/* Those that hold everywhere, and of the directories above an operand. */
struct wk_rg_rules {
    struct wk_rules global;
    struct wk_rules *files; /* of each --ignore-file */
    size_t files_n;
    const char *cwd; /* NULL: unknown */
    struct wk_rg_above *above;
    size_t above_n;
    char *root; /* absolute name of the operand */
    size_t root_n;
    bool any_git;
    struct wk_rg_known *known; /* directories above all operands so far */
    size_t known_n, known_cap;
    char *scratch;
    size_t scratch_cap;
};

/* A name in the directory, which may be that of a file of rules. */
void wk_rg_dir_note(struct wk_rg_dir_rules *r, struct wk_str name);
/* Reads the rules of directory `path`; what is wrong with them makes the status 2 if it `counts`. */
void wk_rg_dir_read(struct wk_rg *g, struct wk_rg_dir_rules *r, struct wk_str path, bool any_git, bool counts);
void wk_rg_dir_release(struct wk_cmd *c, struct wk_rg_dir_rules *r);
/* Adds what they say of a file; its path is relative to the directory. */
void wk_rg_dir_ask(struct wk_cmd *c, const struct wk_rg_dir_rules *r, bool any_git, const struct wk_rg_candidate *e,
                   struct wk_rg_verdicts *v);

/* Reads what holds everywhere: --ignore-file, git's own, -g. */
void wk_rg_rules_open(struct wk_rg *g, struct wk_rg_rules *r);
/* Reads the rules of the directories above an operand. */
void wk_rg_rules_above(struct wk_rg *g, struct wk_rg_rules *r, const char *operand);
/* -g and --iglob. */
enum wk_verdict wk_rg_ask_globs(struct wk_rg *g, const struct wk_rg_rules *r, const struct wk_rg_candidate *e);
/* What all rules together say, those of its own directories in v. */
enum wk_verdict wk_rg_ask_above(struct wk_rg *g, struct wk_rg_rules *r, const struct wk_rg_candidate *e, bool any_git,
                                struct wk_rg_verdicts *v);
/* -t and -T. */
enum wk_verdict wk_rg_ask_type(struct wk_rg *g, const char *name);

#endif
