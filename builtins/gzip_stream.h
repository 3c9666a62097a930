/* gzip_stream.h - reading and writing the gzip format as streams
 *
 * Format: RFC 1952 around RFC 1951, which zlib does. One stream may hold several members behind one another.
 * Owner:  the process heap, zlib's memory too; what is not freed goes with the process.
 * Parks:  where the input or the output does.
 */
#ifndef WK_BUILTINS_GZIP_STREAM_H
#define WK_BUILTINS_GZIP_STREAM_H

#include "kern/cmd.h"

enum wk_gunzip_end {
    WK_GUNZIP_MORE,      /* bytes were handed out */
    WK_GUNZIP_DONE,      /* the end, and all is well */
    WK_GUNZIP_GARBAGE,   /* all is well but for what stands behind the last member */
    WK_GUNZIP_FORMAT,    /* it does not begin as gzip's: wk_gunzip_rest hands it out as it is */
    WK_GUNZIP_SHORT,     /* ends in the middle */
    WK_GUNZIP_DAMAGED,   /* no deflated data */
    WK_GUNZIP_CRC,
    WK_GUNZIP_LENGTH,
    WK_GUNZIP_CRYPT,     /* encrypted; a method, flags or a header checksum (in `detail`) of no use */
    WK_GUNZIP_METHOD,
    WK_GUNZIP_FLAGS,
    WK_GUNZIP_HEAD_CRC,
    WK_GUNZIP_ERROR      /* the input could not be read: in->err */
};

struct wk_gunzip {
    struct wk_cmd *c;
    struct wk_in *in;
    struct z_stream_s *z;
    char *out, *name; /* name: what the first member says of itself; NULL */
    size_t name_n, name_cap;
    const unsigned char *p; /* bytes of the input at hand */
    size_t n, given;        /* given: size of that piece */
    unsigned char lead[2];  /* the first bytes of something else */
    size_t lead_n;
    bool begun, in_member, at_end;
    bool wrong_size; /* with WK_GUNZIP_CRC: the length is wrong, too */
    enum wk_gunzip_end end;
    uint32_t extra;             /* bytes of the header's extra field */
    uint32_t mtime;             /* of the first member; 0: unknown */
    uint32_t crc, size, head_crc; /* of the present member */
    unsigned detail, expected;  /* METHOD, FLAGS, HEAD_CRC */
    uint64_t bytes_in, bytes_out; /* since the start */
    uint64_t head_bytes;        /* of the last member: header and trailer */
};

/* Reads from `in`, which stays the caller's. */
struct wk_gunzip *wk_gunzip_new(struct wk_cmd *c, struct wk_in *in);
/* The header of the first member alone: WK_GUNZIP_MORE, or what is wrong with it. */
enum wk_gunzip_end wk_gunzip_start(struct wk_gunzip *g);
/* The next bytes, borrowed until the next call. Anything but WK_GUNZIP_MORE is final. */
enum wk_gunzip_end wk_gunzip_next(struct wk_gunzip *g, struct wk_str *piece);
/* After WK_GUNZIP_FORMAT: the next bytes as they stand in the input; false at the end. */
bool wk_gunzip_rest(struct wk_gunzip *g, struct wk_str *piece);
/* What gzip says of an end, without the name of the file: in the heap. NULL: nothing. */
const char *wk_gunzip_says(struct wk_gunzip *g);
void wk_gunzip_free(struct wk_gunzip *g);

struct wk_gzip {
    struct wk_cmd *c;
    struct wk_out *out;
    struct z_stream_s *z;
    char *buf;
    uint32_t crc;
    uint64_t bytes_in, bytes_out, head_bytes;
};

/* A member: its header goes out at once. level 1 to 9; name NULL: none. */
struct wk_gzip *wk_gzip_new(struct wk_cmd *c, struct wk_out *out, int level, const char *name, uint32_t mtime);
void wk_gzip_put(struct wk_gzip *g, struct wk_str piece);
/* The last bytes and the trailer. The output is not flushed. */
void wk_gzip_finish(struct wk_gzip *g);
void wk_gzip_free(struct wk_gzip *g);

#endif
