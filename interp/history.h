/* history.h - the lines that a shell has read: the list, its file, and what is written with `!'
 *
 * Owner:  the state that points to the list; a shared one is copied before a change.
 * Limits: memory by the account; $HISTSIZE entries, which are dropped from the front without moving the rest.
 */
#ifndef WK_INTERP_HISTORY_H
#define WK_INTERP_HISTORY_H

#include "interp/parser.h"
#include "interp/shell.h"

#define WK_HISTORY_NO_TIME INT64_MIN

struct wk_history_entry {
    struct wk_val *line;
    int64_t time; /* seconds; WK_HISTORY_NO_TIME: none was kept */
};

struct wk_history {
    uint32_t refs;
    uint32_t from, n;       /* the entries are v[from] … v[n - 1] */
    size_t cap;
    int64_t base;           /* number of the first */
    uint32_t unsaved;       /* the last ones, which `history -a` has not written yet */
    uint64_t file_lines;    /* of the history file, what has been read */
    bool stamping;          /* `set -o history' was given: entries get the time */
    bool loaded;            /* the history file was read */
    bool line_kept;         /* the command that runs is the last entry */
    bool added;             /* the last entry was made here, not read from a file */
    struct wk_val *search, *word; /* of !?…?: the text, and the word in which it was found */
    struct wk_val *old, *new;     /* of the last :s */
    struct wk_history_entry *v;
};

/* ---- the list ---- */

uint32_t wk_history_count(const struct wk_shell *sh);
/* Entry i, 0 is the oldest. */
const struct wk_history_entry *wk_history_at(const struct wk_shell *sh, uint32_t i);
int64_t wk_history_base(const struct wk_shell *sh);
/* The list as one's own, made when there is none; NULL when refused. */
struct wk_history *wk_history_own(struct wk_shell *sh);
/* Appends a line as $HISTSIZE allows. 0 or -WK_ENOMEM. */
int wk_history_add(struct wk_shell *sh, struct wk_str line, int64_t time);
/* Time stamp of an entry that is made now. */
int64_t wk_history_now(struct wk_shell *sh);
/* The same for a line of input: HISTCONTROL and HISTIGNORE are asked first. *kept tells. */
int wk_history_offer(struct wk_shell *sh, struct wk_str line, bool *kept);
/* Removes the entries from `from` to before `to` (from <= to <= count). 0 or -WK_ENOMEM. */
int wk_history_remove(struct wk_shell *sh, uint32_t from, uint32_t to);
/* The command that runs does not stay in the list (history -p, history -s, fc). */
int wk_history_forget_line(struct wk_shell *sh);
int wk_history_clear(struct wk_shell *sh);
/* HISTSIZE or HISTFILESIZE has changed. */
void wk_history_sizes_changed(struct wk_shell *sh, bool file);
/* `set -o history': defaults of the variables, and the history file the first time. 0, -WK_ENOMEM, -WK_ESTOP. */
int wk_history_enable(struct wk_shell *sh);

/* ---- the file ---- */

/* $HISTFILE, or false. */
bool wk_history_file(struct wk_shell *sh, char scratch[24], struct wk_str *path);
/* Append the lines of a file behind its first `skip` ones. 0 or -WK_Exxx. */
int wk_history_read(struct wk_shell *sh, const char *path, uint64_t skip);
/* Write the entries from `from` on. 0 or -WK_Exxx. */
int wk_history_write(struct wk_shell *sh, const char *path, uint32_t from, bool append);
/* At the end of a shell that keeps one: what is new goes to $HISTFILE. */
void wk_history_save(struct wk_shell *sh);

/* ---- reading ---- */

/* A line of input: it is expanded (unless `out' is NULL) and kept; a further line of a command is joined to the entry
 * that *kept tells of. *line is what the parser is to read, in *out when it is not `raw' itself; empty: nothing of it
 * is left. 0 or -WK_Exxx. */
int wk_history_input(struct wk_shell *sh, struct wk_str raw, bool continued, const struct wk_parser *p, bool *kept,
                     struct wk_buf *out, struct wk_str *line);

/* ---- history expansion (histexpand.c) ---- */

enum { WK_HISTEXP_TEXT = 1 };
enum wk_histexp {
    WK_HISTEXP_NONE,   /* nothing to expand: out holds the line */
    WK_HISTEXP_DONE,   /* out is another line */
    WK_HISTEXP_PRINT,  /* … which is only to be shown (:p) */
    WK_HISTEXP_FAILED  /* out holds the message */
};
/* `quote` is the quote that the line begins in, 0, or TEXT for what is no line: # is no comment there. Only the first
 * `seen` entries are events. 0, -WK_ENOMEM or -WK_ESTOP. */
int wk_histexpand(struct wk_shell *sh, struct wk_str line, char quote, uint32_t seen, struct wk_buf *out,
                  enum wk_histexp *what);

#endif
