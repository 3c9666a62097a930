/* dd.h - dd: operands (dd.c), copying (dd_copy.c), the report (dd_report.c), character sets (dd_table.c) */
#ifndef WK_BUILTINS_DD_H
#define WK_BUILTINS_DD_H

#include "builtins/fsops.h"

/* Symbols of conv=. */
enum {
    DD_ASCII = 1 << 0,
    DD_EBCDIC = 1 << 1,
    DD_IBM = 1 << 2,
    DD_BLOCK = 1 << 3,
    DD_UNBLOCK = 1 << 4,
    DD_LCASE = 1 << 5,
    DD_UCASE = 1 << 6,
    DD_SPARSE = 1 << 7,
    DD_SWAB = 1 << 8,
    DD_SYNC = 1 << 9,
    DD_EXCL = 1 << 10,
    DD_NOCREAT = 1 << 11,
    DD_NOTRUNC = 1 << 12,
    DD_NOERROR = 1 << 13,
    DD_FDATASYNC = 1 << 14,
    DD_FSYNC = 1 << 15,
    DD_TWO_BUFFERS = 1 << 16 /* what is read is gathered into output blocks */
};

/* Symbols of iflag= and oflag=. */
enum {
    DD_F_APPEND = 1 << 0,
    DD_F_DIRECT = 1 << 1,
    DD_F_DIRECTORY = 1 << 2,
    DD_F_DSYNC = 1 << 3,
    DD_F_SYNC = 1 << 4,
    DD_F_FULLBLOCK = 1 << 5,
    DD_F_NONBLOCK = 1 << 6,
    DD_F_NOATIME = 1 << 7,
    DD_F_NOCACHE = 1 << 8,
    DD_F_NOCTTY = 1 << 9,
    DD_F_NOFOLLOW = 1 << 10,
    DD_F_COUNT_BYTES = 1 << 11,
    DD_F_SKIP_BYTES = 1 << 12,
    DD_F_SEEK_BYTES = 1 << 13
};

enum dd_status { DD_STATUS_ALL, DD_STATUS_NONE, DD_STATUS_NOXFER, DD_STATUS_PROGRESS };

/* A number of blocks, or of bytes. */
struct dd_amount {
    int64_t n;
    bool bytes;
};

struct dd {
    struct wk_cmd *c;
    const char *in_name, *out_name; /* as in messages */
    struct wk_file *in, *out;       /* NULL: closed */
    int64_t ibs, obs, cbs;
    struct dd_amount skip, seek, count;
    bool counted;
    unsigned conv, iflags, oflags;
    enum dd_status level;

    uint64_t read_full, read_partial, written_full, written_partial, truncated, bytes;
    int64_t began, next_progress; /* monotonic; seconds told so far */
    bool progress_open;           /* a line of progress stands without its newline */

    unsigned char table[256];
    bool translate;
    char *ibuf, *obuf;
    size_t ibuf_cap, obuf_n, obuf_cap;
    int64_t column;        /* block, unblock: in the present record */
    int64_t spaces;        /* unblock: held back */
    int carry;             /* swab: a byte that waits for its partner, -1: none */
    bool sought;           /* sparse: the last output block was a hole */
};

extern const unsigned char wk_dd_ascii[256], wk_dd_ebcdic[256], wk_dd_ibm[256];

/* ---- dd_report.c ---- */

/* The statistics, as far as status= wants them. */
void wk_dd_report(struct dd *d);
/* "N bytes (…) copied, …" of status=progress when its second has come. */
void wk_dd_progress(struct dd *d);
/* "2.7 TiB": powers of 1024, or of 1000 with si. */
void wk_dd_human(struct wk_buf *b, uint64_t n, bool si);
/* "NAME: WHAT 'FILE': text"; what is open of the progress line is ended before. */
void wk_dd_complain(struct dd *d, const char *what, const char *file, int err);
/* Ends the process with the statistics. */
WK_NORETURN void wk_dd_quit(struct dd *d, int status);

/* ---- dd_copy.c ---- */

/* Positions both files and copies; the status. P */
int wk_dd_copy(struct dd *d);

#endif
