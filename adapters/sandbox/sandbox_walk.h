/* sandbox_walk.h - paths below a directory of a sandbox: patterns of them, and all that a walk meets
 *
 * Owner:   the call. Limits: WK_BOX_GLOB_PARTS parts of a pattern with its braces written out; WK_BOX_WALK_ENTRIES and
 *          WK_BOX_WALK_TEXT of a walk. A walk follows no links, and keeps a list instead of recursing.
 */
#ifndef WK_ADAPTERS_SANDBOX_WALK_H
#define WK_ADAPTERS_SANDBOX_WALK_H

#include "adapters/sandbox/sandbox_request.h"
#include "base/arena.h"

enum { WK_BOX_GLOB_PARTS = 256, WK_BOX_WALK_ENTRIES = 1000000, WK_BOX_WALK_TEXT = 256 << 20 };

struct wk_box_glob_part;

/* Which parts of a pattern the next name of a path may be: a bit for each. */
struct wk_box_glob_state {
    uint64_t at[WK_BOX_GLOB_PARTS / 64];
};

/* A pattern: * ? […] within a name, ** across directories, {a,b}; without a slash it is one of last names. */
struct wk_box_glob {
    struct wk_arena arena;
    struct wk_box_glob_part *parts;
    size_t n;
    bool hidden; /* names that begin with a dot are like others */
    struct wk_box_glob_state start;
};
/* WHELK_OK; INVALID, NOMEM with words. Released in every case. */
WK_NODISCARD int wk_box_glob_init(struct whelk_sandbox *b, const char *text, bool hidden, struct wk_box_glob *g);
void wk_box_glob_release(struct wk_box_glob *g);
/* One name further: `to` is what may come below it. Whether the path up to it matches; without memory NOMEM. */
WK_NODISCARD int wk_box_glob_step(const struct wk_box_glob *g, struct wk_mem *m, const struct wk_box_glob_state *from,
                                  struct wk_str name, bool dir, struct wk_box_glob_state *to);
/* Whether nothing below can match. */
bool wk_box_glob_dead(const struct wk_box_glob_state *s);

/* What a walk knows of a directory. */
struct wk_box_place {
    struct wk_box_glob_state one, other;
};
struct wk_box_walk {
    /* An entry, `rest` below where the walk began. 1: what is below it too, with `below`; 0; a code ends the walk. */
    int (*meet)(void *ctx, const char *rest, const whelk_file_entry *e, const struct wk_box_place *in,
                struct wk_box_place *below);
    void *ctx;
    struct wk_box_place start;
    size_t unread; /* out: directories that could not be read */
};
/* Walks below a directory. A code with words: also that of the directory itself. */
WK_NODISCARD int wk_box_walk(struct whelk_sandbox *b, const char *path, struct wk_box_walk *w);

/* Paths that were found, to be sorted. */
struct wk_box_found {
    struct wk_mem *mem;
    struct wk_buf texts;
    struct wk_box_find {
        size_t at; /* in texts */
        uint64_t bytes;
    } *v;
    size_t n, cap;
};
void wk_box_found_init(struct wk_box_found *f, struct wk_mem *m);
void wk_box_found_release(struct wk_box_found *f);
/* False without memory. */
WK_NODISCARD bool wk_box_found_add(struct wk_box_found *f, const char *rest, uint64_t bytes);
/* In order of bytes. False without memory. */
WK_NODISCARD bool wk_box_found_sort(struct wk_box_found *f);
static inline const char *wk_box_found_path(const struct wk_box_found *f, size_t i)
{
    return f->texts.p + f->v[i].at;
}

#endif
