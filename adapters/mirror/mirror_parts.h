/* mirror_parts.h - what the files of the mirror share (mirror.h)
 *
 * mirror.c has its life and its results, mirror_ask.c the requests under way, mirror_plan.c finds out what a push has
 * to do, mirror_push.c does it, mirror_pull.c fetches what the box has changed, mirror_apply.c (with mirror_names.c)
 * makes that the session's and mirror_left.c keeps what the box has then not got yet.
 */
#ifndef WK_ADAPTERS_MIRROR_PARTS_H
#define WK_ADAPTERS_MIRROR_PARTS_H

#include "adapters/mirror/mirror.h"
#include "adapters/mirror/mirror_view.h"
#include "vfs/mount.h"

/* ---- what the box has changed (mirror_pull.c) ------------------------------------------------ */

struct wk_mirror_entry {
    struct wk_str path; /* NUL-ended */
    struct wk_str target;
    uint16_t pair;
    uint8_t type;       /* enum wk_mirror_type; NONE: removed */
    bool fetched;       /* its contents stand in the stage; also when there are none */
    bool gone;          /* not to be applied */
    bool again;         /* … now: it was not there when it was fetched, which may change before the next look */
    bool settled;       /* applied: session and box have the same */
    bool resend;        /* the session's stays, and the box must have it */
    uint32_t mode;
    uint32_t number;    /* order of arrival; name of the staged file */
    int64_t mtime;
    uint64_t bytes;
};
struct wk_mirror_entries {
    struct wk_arena names;
    struct wk_mirror_entry *v;
    size_t n, cap;
};
/* The one with that path, or the first one after it; *found tells. */
size_t wk_mirror_entry_at(const struct wk_mirror_entries *e, size_t pair, struct wk_str path, bool *found);

/* ---- the mirror ------------------------------------------------------------------------------ */

struct wk_mirror_place {
    struct wk_str directory, path; /* as configured */
    struct wk_str real;            /* the directory without links, at the present synchronisation */
    struct wk_str base_real;       /* … and when `base` was taken; p NULL: never */
    struct wk_str spare;           /* a copy of `real`, to become base_real */
};

enum wk_mirror_phase {
    WK_MIRROR_IDLE,
    WK_MIRROR_START,
    WK_MIRROR_CHANGES,
    WK_MIRROR_LISTS,
    WK_MIRROR_FETCH,
    WK_MIRROR_APPLY,
    WK_MIRROR_PULLED,
    WK_MIRROR_PLAN,
    WK_MIRROR_REMOVING,
    WK_MIRROR_MAKING,
    WK_MIRROR_SENDING,
    WK_MIRROR_FINISHING,
    WK_MIRROR_END
};

enum { WK_MIRROR_KEPT_RESULTS = 8 };

struct wk_mirror {
    struct wk_mem *mem;
    struct wk_vfs *vfs;
    const whelk_sandbox_kind *kind;
    void *box;
    struct wk_mirror_place *places;
    size_t n_places;
    char **left_out;
    size_t n_left_out;
    bool one_way;
    uint64_t max_file, max_bytes, max_files;
    /* What session and box had in common, but for `pending`: what the box still has to be told. */
    struct wk_snapshot *base;
    struct wk_mirror_ops pending;
    /* What the box told and could not be applied yet. */
    struct wk_mirror_entries incoming;
    bool opened;     /* the box was looked at */
    bool lost_track; /* what has changed in the box is to be found out by a list of all */
    /* The present synchronisation. */
    enum wk_mirror_phase phase;
    enum wk_mirror_way way;
    struct wk_cred cred;
    uint64_t ticket;
    struct wk_mirror_result *result;
    bool given_up;
    size_t cursor;
    struct wk_mirror_flight *flights; /* requests under way */
    size_t n_flights;
    uint64_t bytes_under_way;
    bool retry;      /* some operations are to be done AGAIN */
    bool replan, replanned; /* one way: what was in the way is to go */
    bool pushing;    /* `ops` are being carried out */
    bool relisted;   /* all was listed once more */
    bool deaf;       /* what the box tells is not kept any more */
    struct wk_snapshot *now;
    struct wk_mirror_ops ops;
    struct wk_mirror_view *views; /* of `now`, one a pair */
    struct wk_vfs *stage;
    struct {
        uint64_t ticket;
        struct wk_mirror_result *result;
    } kept[WK_MIRROR_KEPT_RESULTS];
};

/* mirror.c */
/* WHELK_E_… of a code of ours, and the words of one of those. */
int wk_mirror_code(int err);
const char *wk_mirror_words(int code);
/* The synchronisation has failed: the first one counts. path may be empty. */
void wk_mirror_fail(struct wk_mirror *m, int code, size_t pair, struct wk_str path, const char *text);
void wk_mirror_fail_err(struct wk_mirror *m, int err, size_t pair, struct wk_str path);
void wk_mirror_note(struct wk_mirror *m, struct wk_mirror_names *names, size_t pair, struct wk_str path,
                    const char *text);
/* Forgets all names but the first n. */
void wk_mirror_names_cut(struct wk_mem *mem, struct wk_mirror_names *names, size_t n, size_t total);
/* A path of the box, from the account. NULL without memory. */
char *wk_mirror_box_path(const struct wk_mirror *m, size_t pair, struct wk_str path);
/* Whether path (of a pair) is a mount point of the session, or below one. */
bool wk_mirror_is_mount(const struct wk_mirror *m, size_t pair, struct wk_str path);

/* Session and box have `s` in common. */
void wk_mirror_set_base(struct wk_mirror *m, struct wk_snapshot *s);

/* A request under way. The box's answers come to it, whatever has become of the synchronisation. */
struct wk_mirror_flight {
    struct wk_mirror_flight *next, **link;
    struct wk_mirror *m;
    void (*done)(struct wk_mirror_flight *f, int code); /* WHELK_E_…; the flight is freed behind it */
    size_t index;          /* of the operation, entry or pair that it is about */
    int what;
    uint64_t bytes;        /* that it counts for */
    char *path;            /* in the box */
    char *data;
    struct wk_vfile *file; /* where contents go */
    uint64_t got;
    int err;               /* while they went there */
};
struct wk_mirror_flight *wk_mirror_flight_new(struct wk_mirror *m, size_t pair, struct wk_str path);
void wk_mirror_flight_free(struct wk_mirror_flight *f);
/* Asks the box; `f` is no longer the caller's. True when the box takes no more now: f is freed, to be asked again. */
bool wk_mirror_ask(struct wk_mirror_flight *f, whelk_file_request *r);
void wk_mirror_drop_flights(struct wk_mirror *m);
/* Whether a request for so many bytes has to wait. */
bool wk_mirror_is_full(const struct wk_mirror *m, uint64_t bytes);

/* mirror_plan.c: what makes the box, which has `base` and lacks what is in `pending`, like `now`. Names that stay
 * behind are noted when `notes`. */
int wk_mirror_plan(struct wk_mirror *m, struct wk_snapshot *now, const struct wk_mirror_ops *pending, bool notes,
                   struct wk_mirror_ops *out);

/* mirror_push.c. The functions _some begin what can be begun of the present phase: true when the rest has to wait. */
bool wk_mirror_push_begin(struct wk_mirror *m); /* false: there is nothing to do, or it failed */
bool wk_mirror_push_some(struct wk_mirror *m);
bool wk_mirror_push_again(struct wk_mirror *m); /* true: some of it, once more */
void wk_mirror_push_end(struct wk_mirror *m);

/* mirror_pull.c */
int wk_mirror_sort_entries(struct wk_mirror *m); /* by path; of several about one the last counts */
bool wk_mirror_ask_changes(struct wk_mirror *m);
bool wk_mirror_ask_lists(struct wk_mirror *m);
bool wk_mirror_told(struct wk_mirror *m); /* the box has told all: false when that cannot be taken */
bool wk_mirror_fetch_some(struct wk_mirror *m);
void wk_mirror_entry_data(struct wk_mirror_flight *f, const void *p, size_t n);
void wk_mirror_entry_told(struct wk_mirror_flight *f, const whelk_file_entry *e);
void wk_mirror_entries_release(struct wk_mirror *m);
struct wk_str wk_mirror_stage_name(uint32_t number, char buf[16]);

/* mirror_apply.c: makes `incoming` the session's: all of it or nothing. */
void wk_mirror_apply(struct wk_mirror *m);

/* mirror_names.c */
struct wk_mirror_apply {
    struct wk_mirror *m;
    struct wk_mirror_view live, base, was; /* was: the session's before anything was applied */
    struct wk_mirror_ops kept; /* names made for the session's versions */
    size_t pair;
    struct wk_str at; /* what an error is about */
};
bool wk_mirror_owns(const struct wk_mirror_apply *a, const struct wk_stat *st);
/* May names come and go in a directory; `victim` (NULL: none is there) be taken from it? */
bool wk_mirror_may_change(struct wk_mirror_apply *a, struct wk_vdir *dir, const struct wk_stat *victim);
bool wk_mirror_may_write(const struct wk_mirror_apply *a, const struct wk_stat *st);
void wk_mirror_skip(struct wk_mirror_apply *a, struct wk_mirror_entry *e, const char *why);
/* The user may not: the session's version stays, and goes back to the box. 0. */
int wk_mirror_refuse(struct wk_mirror_apply *a, struct wk_mirror_entry *e);
int wk_mirror_give(struct wk_mirror_apply *a, struct wk_vdir *dir, struct wk_str name);
/* Makes a directory of the pair, for the user. */
int wk_mirror_make_at(struct wk_mirror_apply *a, struct wk_str path, uint32_t mode);
int wk_mirror_unlink_at(struct wk_mirror_apply *a, struct wk_str path);
/* Renames the session's version to NAME.whelk-conflict-N. */
int wk_mirror_put_aside(struct wk_mirror_apply *a, struct wk_str path);
/* What both had of a path; nothing where the box has not been told of the session's. */
int wk_mirror_common(struct wk_mirror_apply *a, struct wk_str path, struct wk_mirror_file *out);
/* 1: what the session has there is what both had; 0: not. */
int wk_mirror_unchanged(struct wk_mirror_apply *a, struct wk_str path, const struct wk_mirror_file *s);
/* Removes one name if it is unchanged and may be; a directory only when nothing is left in it. */
int wk_mirror_remove_one(struct wk_mirror_apply *a, struct wk_str path);
/* Removes what is unchanged of a directory and all below it. */
int wk_mirror_remove_tree(struct wk_mirror_apply *a, struct wk_str path);

/* mirror_left.c: what the box has still to be told after `incoming` was applied to the session, which was at `before`:
 * into *left. kept: names that were made for the session's own versions. */
int wk_mirror_left(struct wk_mirror *m, struct wk_snapshot *before, const struct wk_mirror_ops *kept,
                   struct wk_mirror_ops *left);

#endif
