/* copy.h - copying and moving files and trees: the engine of cp, mv and install
 *
 * Owner:   the command; handles are released when its process ends.
 * Limits:  depth is bounded by the file system and the account; names are resolved relative to the
 *          directories being copied.
 */
#ifndef WK_BUILTINS_COPY_H
#define WK_BUILTINS_COPY_H

#include "base/map.h"
#include "builtins/backup.h"
#include "builtins/ftw.h"

enum wk_copy_links { WK_COPY_DEFAULT, WK_COPY_NEVER, WK_COPY_OPERANDS, WK_COPY_ALWAYS };
enum wk_copy_ask { WK_COPY_PLAIN, WK_COPY_FORCE, WK_COPY_NO_CLOBBER, WK_COPY_ASK };

struct wk_copy_opts {
    bool move;            /* mv: rename, copy only over file systems */
    bool recursive, force, update, verbose, one_fs, remove_dest, attrs_only, contents;
    bool hard_link, sym_link;
    bool keep_mode, keep_times, keep_owner, keep_links, plain_mode; /* plain: --no-preserve=mode */
    int links;            /* enum wk_copy_links: which symbolic links are followed */
    int ask;              /* enum wk_copy_ask */
    enum wk_backup backup;
    const char *suffix;
};

struct wk_copy_level;

struct wk_copy {
    struct wk_cmd *c;
    const struct wk_copy_opts *o;
    struct wk_ftw *t;       /* source */
    char *dst;               /* path of the present target */
    size_t dst_n, dst_cap, dst_name;
    struct wk_copy_level *levels;
    size_t depth, cap;
    struct wk_map linked;    /* identity of a source -> where it was copied to */
    struct wk_map created;   /* identities of targets made by this process */
    struct wk_map operands;  /* identities of source operands */
    const char *top_src, *top_dst;
    uint64_t root_dev;       /* of the operand */
    struct wk_vfile *in, *out;   /* contents being copied */
    struct wk_in *raw_in;
    bool many;               /* several operands: a target may not be written twice */
};

/* An engine in the process heap. `o` must stay. */
struct wk_copy *wk_copy_new(struct wk_cmd *c, const struct wk_copy_opts *o, bool many);
/* Copies (or moves) one operand to the name dst; reports failures and sets the status. P */
void wk_copy_operand(struct wk_copy *s, const char *src, const char *dst);

/* ---- copyfile.c: contents and attributes ---- */

/* Directory that the present target's name is relative to, and the name. */
struct wk_vdir *wk_copy_dst_dir(const struct wk_copy *s);
const char *wk_copy_dst_name(const struct wk_copy *s);
/* Regular contents of the present source into the present target; `exists` tells that there is
 * one. False after reporting. P */
bool wk_copy_contents(struct wk_copy *s, const struct wk_stat *st, bool exists,
                      const struct wk_stat *dst_st);
/* Times, owner and mode as the options ask for; `made` tells that the target is new. */
bool wk_copy_attrs(struct wk_copy *s, const struct wk_stat *st, bool made);

#endif
