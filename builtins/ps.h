/* ps.h - what the parts of ps share: options, selections, columns
 *
 * Owner: the process heap of the command.
 */
#ifndef WK_BUILTINS_PS_H
#define WK_BUILTINS_PS_H

#include "builtins/idnames.h"
#include "builtins/proctable.h"
#include "builtins/zone.h"

/* What a column shows. */
enum ps_kind {
    PS_API,
    PS_ARGS,
    PS_BAR,
    PS_BAZ,
    PS_BLOCKED,
    PS_BSDSTART,
    PS_BSDTIME,
    PS_CAUGHT,
    PS_CLASS,
    PS_COMM,
    PS_CONST,
    PS_DASH,
    PS_EGID,
    PS_EGROUP,
    PS_ETIME,
    PS_ETIMES,
    PS_EUID,
    PS_EUSER,
    PS_EXE,
    PS_FGID,
    PS_FGROUP,
    PS_FLAGS,
    PS_FNAME,
    PS_FOO,
    PS_FUID,
    PS_FUSER,
    PS_HEX0,
    PS_IGNORED,
    PS_LIM,
    PS_LSTART,
    PS_MAJFLT,
    PS_MILLI,
    PS_MINFLT,
    PS_NICE,
    PS_OPRI,
    PS_PCPU,
    PS_PENDING,
    PS_PGID,
    PS_PID,
    PS_PMEM,
    PS_PPID,
    PS_PRI,
    PS_PRIORITY,
    PS_PROCESSOR,
    PS_RGID,
    PS_RGROUP,
    PS_RSS,
    PS_RUID,
    PS_RUSER,
    PS_SGID,
    PS_SGROUP,
    PS_SID,
    PS_START,
    PS_STAT,
    PS_STATE,
    PS_STIME,
    PS_SUID,
    PS_SUSER,
    PS_SZ,
    PS_THREADS,
    PS_TIME,
    PS_TIMES,
    PS_TPGID,
    PS_TTY,
    PS_UTIL,
    PS_VBYTES,
    PS_VSZ,
    PS_WCHAN,
    PS_ZERO,
    PS_KINDS
};

enum { PS_WIDTH_MAX = 65536 };
enum { RIGHT = 1, UNLIMITED = 2, PID_WIDTH = 4, OF_PROCESS = 8, OF_THREAD = 16 };

struct ps_spec {
    const char *name, *header;
    unsigned width, flags;
    enum ps_kind kind;
};

struct ps_column {
    const struct ps_spec *spec;
    const char *header;
    size_t width;
    bool short_form; /* of a command: its name alone */
};

struct ps_key {
    enum ps_kind kind;
    bool reverse;
};

enum ps_select { BY_PID, BY_PPID, BY_SID, BY_RUID, BY_EUID, BY_RGID, BY_EGID, BY_TTY, BY_COMM };

struct ps_list {
    struct ps_list *next;
    enum ps_select by;
    size_t n;
    uint32_t *ids;
    const char **names;
};

struct ps {
    struct wk_cmd *c;
    struct wk_idnames *names;
    struct wk_proctable table;
    const struct wk_procinfo *self;
    /* selection */
    bool every, with_tty, no_leaders, negate, quick; /* -e, -a, -d, -N, -q */
    bool bsd_all, bsd_no_tty, bsd_g, running;        /* a, x, g, r */
    struct ps_list *lists;
    /* format */
    bool bsd;                             /* some option or operand of that style was given */
    unsigned format;                      /* -f -F -l -j -c -y -P -M -L -T: FULL… */
    char bsd_format;                      /* one of u l j v s X */
    bool context;                         /* --context */
    bool aix;                             /* the list was of letters */
    bool conflict;                        /* two of these */
    bool own, preset;                     /* -o and -O; -O */
    const char *late;                     /* wrong, but said last */
    bool numeric, comm_only, environment; /* n, c, e */
    bool forest, hierarchy, threads, below, below_bsd; /* f, -H, H, -m, m */
    int wide, headings;                                /* -1 none, 1 repeated */
    size_t cols, rows;
    bool sorted;
    /* result */
    struct ps_column *columns;
    size_t ncolumns, pid_width;
    struct ps_key *keys;
    size_t nkeys;
    bool utf8;
    const struct wk_tz *zone;
    struct wk_buf *text; /* of one value */
    size_t line, lines;  /* room of a line; how many were printed */
    const char *prefix;  /* of the tree, before a command */
};

/* Options of the first style that choose columns. */
enum {
    FULL = 1,
    EXTRA = 2,
    LONG = 4,
    JOBS = 8,
    CLASSES = 16,
    NO_FLAGS = 32,
    CPUS = 64,
    LABELS = 128,
    LWPS = 256,
    SPIDS = 512
};

/* "error: …" and the short usage; status 1. */
WK_NORETURN void wk_ps_complain(struct ps *s, const char *text);

/* Reads the command line (ps_parse.c). */
void wk_ps_parse(struct ps *s);
/* Makes the columns and sort keys (ps_format.c). */
void wk_ps_format(struct ps *s);
const struct ps_spec *wk_ps_find(const char *name, size_t n);
/* The i-th in order of name; NULL past the end. */
const struct ps_spec *wk_ps_spec_at(size_t i);
/* Add the columns of a format list, or keys of sorting: NULL, or what is wrong with it. */
const char *wk_ps_add_format(struct ps *s, const char *text);
const char *wk_ps_add_sort(struct ps *s, const char *text);
const char *wk_ps_add_codes(struct ps *s, const char *text);
void wk_ps_add_column(struct ps *s, const char *name, const char *header, size_t width);

/* A value as text, in s->text (ps_value.c). */
void wk_ps_value(struct ps *s, const struct ps_column *col, const struct wk_procinfo *p);
/* The order of two processes by one key. */
int wk_ps_compare(struct ps *s, enum ps_kind kind, const struct wk_procinfo *a,
                  const struct wk_procinfo *b);

#endif
