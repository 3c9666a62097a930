/* ls.h - what the parts of ls share: options, entries, printing
 *
 * ls.c reads options and walks; ls_entry.c gathers and sorts; ls_format.c lays out; ls_color.c colours.
 */
#ifndef WK_BUILTINS_LS_H
#define WK_BUILTINS_LS_H

#include "base/arena.h"
#include "builtins/fsops.h"
#include "builtins/human.h"
#include "builtins/idnames.h"
#include "builtins/quoting.h"
#include "builtins/zone.h"
#include "text/pattern/pattern.h"

enum wk_ls_format { WK_LS_DEFAULT, WK_LS_ONE, WK_LS_LONG, WK_LS_COLUMNS, WK_LS_ACROSS, WK_LS_COMMAS };
enum wk_ls_sort { WK_LS_BY_DEFAULT, WK_LS_BY_NAME, WK_LS_BY_NONE, WK_LS_BY_SIZE, WK_LS_BY_TIME,
                  WK_LS_BY_VERSION, WK_LS_BY_EXTENSION, WK_LS_BY_WIDTH };
enum wk_ls_time { WK_LS_MTIME, WK_LS_CTIME, WK_LS_ATIME, WK_LS_BTIME };
enum wk_ls_mark { WK_LS_NO_MARK, WK_LS_SLASH, WK_LS_FILE_TYPE, WK_LS_CLASSIFY };
enum wk_ls_links { WK_LS_DEREF_DEFAULT, WK_LS_DEREF_NEVER, WK_LS_DEREF_DIRS, WK_LS_DEREF_OPERANDS,
                   WK_LS_DEREF_ALWAYS };

struct wk_ls_colors;

struct wk_ls_opts {
    int format, sort, time, mark, links;
    bool all, almost_all, author, ignore_backups, directory, dired, dir_order, no_owner, no_group;
    bool kibi, numeric, inode, blocks, reverse, recursive, dirs_first, hide_control;
    bool show_control, context, zero, color, hyper;
    const char *time_style;
    int quoting;          /* enum wk_quoting + 1; 0: not said */
    bool sized, lined, tabbed; /* the three below were given */
    struct wk_block_size size;
    size_t line, tab;
    struct wk_opt_list hide, ignore;
};

struct wk_ls_file {
    const char *name;  /* as it is stored */
    const char *shown; /* quoted */
    const char *link;  /* text of a symbolic link, quoted; NULL */
    const char *url;   /* --hyperlink: where the name leads; NULL */
    uint32_t shown_n, width; /* bytes and columns of `shown` */
    struct wk_stat st;
    bool stat_ok, quoted, link_ok, is_operand;
    uint32_t link_mode;
    uint32_t type;     /* WK_S_IFMT bits, 0 unknown */
};

struct wk_ls_dir {
    struct wk_ls_dir *next;
    char *path;        /* to open */
    const char *label; /* printed before it; NULL: path */
    bool operand, end; /* end: of the directories below the one in dev, ino */
    uint64_t dev, ino;
};

struct wk_ls {
    struct wk_cmd *c;
    struct wk_ls_opts *o;
    struct wk_arena *arena; /* names of the directory being listed */
    struct wk_ls_file *files;
    size_t n, cap;
    const void **order;     /* the files, sorted */
    struct wk_ls_dir *pending;
    struct wk_ls_dir *active; /* directories being listed (-R), for cycles */
    enum wk_quoting quoting;
    char more[8];           /* bytes that are quoted, too */
    bool align;             /* unquoted names get a blank where others are quoted */
    bool some_quoted, need_stat, need_type, printed, names_dirs;
    size_t line, tab;
    char eol;
    struct wk_block_size blocks, sizes;
    uint64_t total_blocks;
    struct wk_idnames *ids;
    const struct wk_tz *tz;
    struct wk_str format_recent, format_old;
    int64_t now;
    size_t time_width;
    struct wk_ls_colors *colors; /* NULL: none */
    struct wk_buf *text;         /* scratch */
    const struct wk_pattern **hide, **ignore;
    size_t hide_n, ignore_n;
    struct wk_out *out;
    uint64_t written;    /* --dired: bytes that left c->out */
    struct wk_buf *dired, *subdired;
    size_t widths[9];    /* of the columns: see ls_format.c */
};

/* Serious trouble is 2, minor 1; the greater stays. */
void wk_ls_trouble(struct wk_ls *l, bool serious);

/* ---- ls_entry.c ---- */

/* Adds a file; `dir` is what name is relative to, dir_path its printed name ("" for operands). False when
 * an operand cannot be accessed. */
bool wk_ls_add(struct wk_ls *l, struct wk_vdir *dir, const char *dir_path, const char *name,
               uint32_t type, uint64_t ino, bool operand);
void wk_ls_sort_files(struct wk_ls *l);
void wk_ls_clear(struct wk_ls *l);
static inline const struct wk_ls_file *wk_ls_at(const struct wk_ls *l, size_t i)
{
    return (const struct wk_ls_file *)l->order[i];
}
int64_t wk_ls_time_of(const struct wk_ls *l, const struct wk_stat *st);
bool wk_ls_is_dir(const struct wk_ls_file *f);

/* ---- ls_format.c ---- */

/* The widths of the columns, from all files at hand. */
void wk_ls_measure(struct wk_ls *l);
void wk_ls_print(struct wk_ls *l);

/* ---- ls_dired.c ---- */

/* The line in front of a directory's files. */
void wk_ls_label(struct wk_ls *l, const char *path);
/* --dired: the two blanks in front of a line; the lines behind everything. */
void wk_ls_dired_indent(struct wk_ls *l);
void wk_ls_dired_end(struct wk_ls *l);
/* --hyperlink: what leads to a file, in the arena; NULL when it has no name. */
const char *wk_ls_url(struct wk_ls *l, const char *path);
/* A name, in its link if it has one; quotes: those around text are printed, too, outside of it. */
void wk_ls_linked(struct wk_ls *l, const struct wk_ls_file *f, const char *text, size_t n, bool quotes);
/* --dired: where we are, in a list (NULL: nowhere). */
void wk_ls_dired_mark(struct wk_ls *l, struct wk_buf *list);

/* ---- ls_color.c ---- */

/* From $LS_COLORS and the defaults. */
struct wk_ls_colors *wk_ls_colors_new(struct wk_cmd *c);
/* Prints a name, or the target of a link, in its colour. `column` is where it starts. */
void wk_ls_colored(struct wk_ls *l, const struct wk_ls_file *f, const char *text, size_t n,
                   bool target, size_t column);
/* Whether links are coloured by their target, so that it must be looked at. */
bool wk_ls_colors_need_target(const struct wk_ls_colors *k, bool is_long);
/* The colour of what is no name, in front of an entry. */
void wk_ls_color_start(struct wk_ls *l);
/* Behind everything. */
void wk_ls_color_end(struct wk_ls *l);

#endif
