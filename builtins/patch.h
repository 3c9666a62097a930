/* patch.h - patch: what a patch file says, the hunk at hand, and how files come out of it
 *
 * Owner: everything is in the process heap and lives as long as the process.
 */
#ifndef WK_BUILTINS_PATCH_H
#define WK_BUILTINS_PATCH_H

#include "builtins/backup.h"
#include "builtins/fsops.h"
#include "builtins/quoting.h"
#include "builtins/zone.h"

enum patch_kind {
    PATCH_NONE,
    PATCH_CONTEXT,
    PATCH_NEW_CONTEXT,
    PATCH_NORMAL,
    PATCH_ED,
    PATCH_UNIFIED,
    PATCH_GIT_BINARY
};
enum patch_volume { PATCH_DEFAULT, PATCH_SILENT, PATCH_VERBOSE };
enum patch_merge { PATCH_NO_MERGE, PATCH_MERGE, PATCH_MERGE_DIFF3 };
enum patch_read_only { PATCH_RO_WARN, PATCH_RO_IGNORE, PATCH_RO_FAIL };

struct patch_opts {
    int kind, volume, merge, read_only;
    int mismatch; /* backups of files that do not match: 0 as usual, 1 yes, 2 no */
    int64_t strip, fuzz, get;
    bool has_strip, has_fuzz, canonical, forward, reverse, backup, remove_empty, set_utc, set_time, batch, force,
        dry_run, posix, binary, follow, simple_names, reject_unified, reject_context;
    const char *input, *output, *reject, *ifdef, *style, *control, *prefix, *basename_prefix, *suffix, *directory,
        *merge_style, *format, *behavior, *debug;
    enum wk_quoting quoting;
    enum wk_backup version;
};

/* A line of a hunk with its newline, if it has one; mark: ' ', '-', '+' or '!'. */
struct patch_line {
    struct wk_str text;
    char mark;
};
struct patch_side {
    struct patch_line *v;
    size_t n, cap;
    int64_t first; /* number of the first line */
};
struct patch_hunk {
    struct patch_side side[2]; /* as they are applied: [0] is looked for, [1] put in its place */
    size_t prefix, suffix;     /* lines of context before and after the changes */
    struct wk_str function;    /* what stands behind @@ or the stars, with the blank; may be empty */
};

enum { PATCH_OLD, PATCH_NEW, PATCH_INDEX, PATCH_NAMES };

/* What is said before the hunks of one file. */
struct patch_head {
    enum patch_kind kind;
    char *name[PATCH_NAMES]; /* stripped; NULL: not given, or /dev/null */
    struct wk_str time_text[2];
    int64_t time[2];  /* ns; -1: none */
    int absent[2];    /* 1: the side is empty, 2: there is no such file */
    uint32_t mode[2]; /* 0: not given */
    bool git, extended, rename, copy;
    struct wk_str prereq;
    size_t indent;
    int nesting; /* times that "- " stands before what begins with - */
    bool strip_cr;
    size_t start; /* where the hunks begin, and their line number */
    int64_t start_line;
    bool no_header;
};

struct patch {
    struct wk_cmd *c;
    struct patch_opts *o;
    struct wk_out *msg;      /* where is told what is done */
    struct wk_str text;      /* the whole patch file */
    size_t base, at;         /* end of the patch before; next byte to be read */
    int64_t base_line, line; /* lines before them */
    struct patch_head h;
    struct patch_hunk hunk;
    bool reverse, skip, apply_anyway;
    /* the file at hand */
    const char *in_name, *out_name; /* NULL: not known */
    int in_err;                     /* why it is not there */
    struct wk_stat in_st;
    uint32_t type; /* WK_S_IFREG or WK_S_IFLNK */
    struct wk_str *lines;
    int64_t n;
    struct wk_str contents;
    struct wk_buf *out, *rejects;
    int64_t taken, out_lines; /* lines of the input that are passed already; lines of the output */
    int64_t in_offset, out_offset;
    bool mismatch, after_newline;
    struct wk_out *all;                               /* -o */
    struct patch_result *queue, **queue_end, *doomed; /* what waits to be written, and to be removed at the end */
    struct patch_seen *seen;                          /* files and reject files that were written */
    bool failed;
};

/* Tells, and writes it out at once. */
#define PATCH_SAY(p, ...)   (wk_out_fmt((p)->msg, __VA_ARGS__), (void)wk_out_flush((p)->msg))
/* "patch: **** …" and status 2. */
#define PATCH_FATAL(p, ...) wk_fail((p)->c, 2, "**** " __VA_ARGS__)

/* ---- patch.c ----------------------------------------------------------------------------------- */

const char *wk_patch_quote(struct patch *p, const char *name);
/* Asks on /dev/tty; the answer, "" where there is no terminal. */
const char *wk_patch_ask(struct patch *p, const char *question);
/* The patch looks reversed, as `what` says: whether to turn it around; may set skip. */
bool wk_patch_ok_to_reverse(struct patch *p, const char *what);

/* ---- patch_head.c ------------------------------------------------------------------------------ */

/* The next line of the patch, indentation and the like taken away; false at the end. `comments`: lines with # count.
 */
bool wk_patch_next_line(struct patch *p, bool comments, struct wk_str *line);
/* Finds the next patch in the file and the file to be patched; false when there is none. */
bool wk_patch_find(struct patch *p);

/* ---- patch_name.c ------------------------------------------------------------------------------ */

/* A name in a header line: `slot` PATCH_OLD… gets it, and its time. */
void wk_patch_take_name(struct patch *p, struct wk_str text, int slot);
/* The two names of "diff --git". */
bool wk_patch_git_names(struct patch *p, struct wk_str text);
/* Chooses the file to be patched from the names, or takes that of the command line. */
void wk_patch_choose(struct patch *p);
/* The attributes of in_name. */
void wk_patch_look(struct patch *p);

/* ---- patch_hunk.c ------------------------------------------------------------------------------ */

/* Reads the next hunk; false when there is none. */
bool wk_patch_read_hunk(struct patch *p);
void wk_patch_swap(struct patch_hunk *h);

/* ---- wk_patch_apply.c ----------------------------------------------------------------------------- */

/* Looks for the hunk's place, with `fuzz`: a line number, or 0. */
int64_t wk_patch_locate(struct patch *p, size_t fuzz);
/* Puts it there; false when it cannot. */
bool wk_patch_apply(struct patch *p, int64_t where);
/* Passes the lines before number `end`. */
void wk_patch_copy_till(struct patch *p, int64_t end);
/* A line of the output. */
void wk_patch_put_line(struct patch *p, struct wk_str text);
/* Whether two lines are one but for their blanks. */
bool wk_patch_line_same(const struct patch *p, struct wk_str file_line, struct wk_str patch_line);
/* Adds the hunk to the rejected ones. */
void wk_patch_reject(struct patch *p, bool first);

/* ---- patch_merge.c ----------------------------------------------------------------------------- */

/* --merge: false when there is a conflict. */
bool wk_patch_merge_hunk(struct patch *p, int number, int64_t where);

/* ---- wk_patch_ed.c -------------------------------------------------------------------------------- */

/* Applies the ed script; false on a command that fails. */
bool wk_patch_ed(struct patch *p);
/* The letter of an ed command (a c d i s), 0: it is none. */
char wk_patch_ed_letter(struct wk_str line);

/* ---- patch_output.c ---------------------------------------------------------------------------- */

/* What becomes of a file. */
struct patch_result {
    struct patch_result *next;
    const char *from, *name;
    struct wk_str text;
    bool remove, backup, link, done;
    uint32_t mode; /* 0: that of a new file */
    int64_t time;  /* -1: now */
};
/* Writes a result, or has it wait until all is done when the patch is of git's kind. */
void wk_patch_put(struct patch *p, struct patch_result r);
void wk_patch_flush(struct patch *p);
/* Makes the backup of a file; of one that is not there it is empty. */
void wk_patch_back_up(struct patch *p, const char *name, bool exists);
/* The same for a file that stays as it is. */
void wk_patch_copy_backup(struct patch *p, const char *name);
/* Whether a result that waits was made from this file. */
bool wk_patch_waits(const struct patch *p, const char *name);
/* Whether a file is to be removed at the end: it counts as gone. */
bool wk_patch_is_doomed(const struct patch *p, const char *name);
void wk_patch_remove_doomed(struct patch *p);
/* Writes the rejected hunks. */
void wk_patch_save_rejects(struct patch *p, const char *name);

#endif
