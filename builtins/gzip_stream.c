/* gzip_stream.c - the gzip format by zlib, with its memory from the process heap
 *
 * Standard: RFC 1952.
 */
#include "builtins/gzip_stream.h"

#include <zlib.h>

enum { PIECE = 65536, HEAD_TEXT = 1, HEAD_CRC = 2, HEAD_EXTRA = 4, HEAD_NAME = 8, HEAD_COMMENT = 16, HEAD_CRYPT = 32 };

static voidpf take(voidpf heap, uInt n, uInt size)
{
    return wk_heap_try((struct wk_heap *)heap, (size_t)n * size);
}

static void give_back(voidpf heap, voidpf p)
{
    wk_heap_free((struct wk_heap *)heap, p);
}

static z_stream *new_stream(struct wk_cmd *c)
{
    z_stream *z = wk_new(c, z_stream);
    z->zalloc = take;
    z->zfree = give_back;
    z->opaque = c->heap;
    return z;
}

/* ---- reading ----------------------------------------------------------------------------------- */

struct wk_gunzip *wk_gunzip_new(struct wk_cmd *c, struct wk_in *in)
{
    struct wk_gunzip *g = wk_new(c, struct wk_gunzip);
    g->c = c;
    g->in = in;
    g->z = new_stream(c);
    if (inflateInit2(g->z, -MAX_WBITS) != Z_OK)
        wk_heap_exhausted(c->heap);
    g->out = (char *)wk_heap_alloc(c->heap, PIECE);
    return g;
}

static bool refill(struct wk_gunzip *g)
{
    const char *p;
    if (g->n)
        return true;
    if (g->at_end || !wk_in_chunk(g->in, &p, &g->n)) {
        g->at_end = true;
        g->n = 0;
        return false;
    }
    g->p = (const unsigned char *)p;
    return g->n > 0;
}

/* The next byte of the input, which belongs to a header or a trailer; -1 at the end. */
static int next_byte(struct wk_gunzip *g)
{
    if (!refill(g))
        return -1;
    unsigned char ch = *g->p++;
    g->n--;
    g->bytes_in++;
    g->head_bytes++;
    g->head_crc = (uint32_t)crc32(g->head_crc, &ch, 1);
    return ch;
}

/* n bytes, the lowest first; false at the end. */
static bool next_number(struct wk_gunzip *g, int n, uint32_t *v)
{
    *v = 0;
    for (int i = 0; i < n; i++) {
        int ch = next_byte(g);
        if (ch < 0)
            return false;
        *v |= (uint32_t)ch << (8 * i);
    }
    return true;
}

static enum wk_gunzip_end cut_short(struct wk_gunzip *g)
{
    return g->in->err ? WK_GUNZIP_ERROR : WK_GUNZIP_SHORT;
}

/* Text up to a NUL; kept when `keep`. */
static bool read_text(struct wk_gunzip *g, bool keep)
{
    for (;;) {
        int ch = next_byte(g);
        if (ch < 0)
            return false;
        if (keep) {
            if (g->name_n == g->name_cap) {
                g->name_cap = g->name_cap ? 2 * g->name_cap : 64;
                g->name = (char *)wk_heap_realloc(g->c->heap, g->name, g->name_cap);
            }
            g->name[g->name_n++] = (char)ch;
        }
        if (ch == 0)
            return true;
    }
}

/* What follows the fixed part of a header. */
static enum wk_gunzip_end read_optional(struct wk_gunzip *g, unsigned flags, bool first)
{
    uint32_t n, sum;
    if (flags & HEAD_EXTRA) {
        if (!next_number(g, 2, &n))
            return cut_short(g);
        g->extra = n;
        while (n--)
            if (next_byte(g) < 0)
                return cut_short(g);
    }
    if (flags & HEAD_NAME && !read_text(g, first))
        return cut_short(g);
    if (flags & HEAD_COMMENT && !read_text(g, false))
        return cut_short(g);
    if (flags & HEAD_CRC) {
        g->expected = g->head_crc & 0xffff;
        if (!next_number(g, 2, &sum))
            return cut_short(g);
        g->detail = sum;
        if (g->detail != g->expected)
            return WK_GUNZIP_HEAD_CRC;
    }
    return WK_GUNZIP_MORE;
}

/* The header of a member behind its two magic bytes. */
static enum wk_gunzip_end read_header(struct wk_gunzip *g, bool first)
{
    uint32_t method, flags, mtime, rest;
    if (!next_number(g, 1, &method))
        return cut_short(g);
    g->detail = method;
    if (method != Z_DEFLATED)
        return WK_GUNZIP_METHOD;
    if (!next_number(g, 1, &flags))
        return cut_short(g);
    g->detail = flags;
    if (flags & HEAD_CRYPT)
        return WK_GUNZIP_CRYPT;
    if (flags & 0xc0)
        return WK_GUNZIP_FLAGS;
    if (!next_number(g, 4, &mtime) || !next_number(g, 2, &rest))
        return cut_short(g);
    if (first)
        g->mtime = mtime;
    enum wk_gunzip_end end = read_optional(g, flags, first);
    g->crc = g->size = 0;
    g->in_member = end == WK_GUNZIP_MORE;
    return end;
}

/* Where the first member, or another one, should begin. */
static enum wk_gunzip_end open_member(struct wk_gunzip *g)
{
    bool first = !g->begun;
    g->begun = true;
    int a = next_byte(g);
    if (!first && a == 0) { /* padding, as of tapes */
        while (a == 0)
            a = next_byte(g);
        return a < 0 ? (g->in->err ? WK_GUNZIP_ERROR : WK_GUNZIP_DONE) : WK_GUNZIP_GARBAGE;
    }
    if (a < 0)
        return g->in->err ? WK_GUNZIP_ERROR : first ? WK_GUNZIP_SHORT : WK_GUNZIP_DONE;
    int b = next_byte(g);
    if (a == 0x1f && b == 0x8b) {
        g->head_bytes = 2;
        return read_header(g, first);
    }
    if (!first)
        return g->in->err ? WK_GUNZIP_ERROR : WK_GUNZIP_GARBAGE;
    g->lead[g->lead_n++] = (unsigned char)a;
    if (b >= 0)
        g->lead[g->lead_n++] = (unsigned char)b;
    else if (g->in->err)
        return WK_GUNZIP_ERROR;
    return b < 0 ? WK_GUNZIP_SHORT : WK_GUNZIP_FORMAT;
}

static enum wk_gunzip_end close_member(struct wk_gunzip *g)
{
    uint32_t crc, size;
    g->in_member = false;
    if (inflateReset(g->z) != Z_OK)
        return WK_GUNZIP_DAMAGED;
    if (!next_number(g, 4, &crc) || !next_number(g, 4, &size))
        return cut_short(g);
    g->head_crc = 0;
    g->wrong_size = size != g->size;
    return crc != g->crc ? WK_GUNZIP_CRC : size != g->size ? WK_GUNZIP_LENGTH : WK_GUNZIP_MORE;
}

enum wk_gunzip_end wk_gunzip_start(struct wk_gunzip *g)
{
    if (!g->begun)
        g->end = open_member(g);
    return g->end;
}

/* One piece of the present member; empty when it only took input. */
static enum wk_gunzip_end inflate_piece(struct wk_gunzip *g, struct wk_str *piece)
{
    (void)refill(g); /* without input there may still be output */
    uInt room = (uInt)WK_MIN(g->n, (size_t)1 << 20);
    g->z->next_in = (z_const Bytef *)(uintptr_t)g->p;
    g->z->avail_in = room;
    g->z->next_out = (Bytef *)g->out;
    g->z->avail_out = PIECE;
    int r = inflate(g->z, Z_NO_FLUSH);
    size_t used = room - g->z->avail_in, made = PIECE - g->z->avail_out;
    g->p += used;
    g->n -= used;
    g->bytes_in += used;
    g->bytes_out += made;
    g->size += (uint32_t)made;
    g->crc = (uint32_t)crc32(g->crc, (const Bytef *)g->out, (uInt)made);
    wk_tick(g->c, (uint32_t)((used + made) / 64 + 1));
    *piece = wk_str(g->out, made);
    if (r == Z_MEM_ERROR)
        wk_heap_exhausted(g->c->heap);
    if (r == Z_STREAM_END)
        return close_member(g);
    if (r != Z_OK && r != Z_BUF_ERROR)
        return WK_GUNZIP_DAMAGED;
    return made || used ? WK_GUNZIP_MORE : cut_short(g);
}

enum wk_gunzip_end wk_gunzip_next(struct wk_gunzip *g, struct wk_str *piece)
{
    *piece = wk_str(NULL, 0);
    while (g->end == WK_GUNZIP_MORE) {
        g->end = g->in_member ? inflate_piece(g, piece) : open_member(g);
        if (piece->n) /* what comes after it is told next time */
            return WK_GUNZIP_MORE;
    }
    return g->end;
}

bool wk_gunzip_rest(struct wk_gunzip *g, struct wk_str *piece)
{
    if (g->lead_n) {
        *piece = wk_str((const char *)g->lead, g->lead_n);
        g->lead_n = 0;
        return true;
    }
    if (!refill(g))
        return false;
    *piece = wk_str((const char *)g->p, g->n);
    g->bytes_in += g->n;
    g->n = 0;
    return true;
}

void wk_gunzip_free(struct wk_gunzip *g)
{
    (void)inflateEnd(g->z);
    wk_heap_free(g->c->heap, g->z);
    wk_heap_free(g->c->heap, g->out);
    wk_heap_free(g->c->heap, g->name);
    wk_heap_free(g->c->heap, g);
}

const char *wk_gunzip_says(struct wk_gunzip *g)
{
    switch (g->end) {
    case WK_GUNZIP_MORE:
    case WK_GUNZIP_DONE: return NULL;
    case WK_GUNZIP_GARBAGE: return ": decompression OK, trailing garbage ignored";
    case WK_GUNZIP_FORMAT: return ": not in gzip format";
    case WK_GUNZIP_SHORT: return ": unexpected end of file";
    case WK_GUNZIP_DAMAGED: return ": invalid compressed data--format violated";
    case WK_GUNZIP_CRC: return ": invalid compressed data--crc error";
    case WK_GUNZIP_LENGTH: return ": invalid compressed data--length error";
    case WK_GUNZIP_CRYPT: return " is encrypted -- not supported";
    case WK_GUNZIP_METHOD: return wk_strf(g->c, ": unknown method %u -- not supported", g->detail);
    case WK_GUNZIP_FLAGS: return wk_strf(g->c, " has flags 0x%x -- not supported", g->detail);
    case WK_GUNZIP_HEAD_CRC:
        return wk_strf(g->c, ": header checksum 0x%04x != computed checksum 0x%04x", g->detail, g->expected);
    case WK_GUNZIP_ERROR: return wk_strf(g->c, ": %s", wk_err_text(g->in->err));
    }
    return NULL;
}

/* ---- writing ----------------------------------------------------------------------------------- */

static void put_number(struct wk_out *out, int n, uint32_t v)
{
    for (int i = 0; i < n; i++)
        wk_out_char(out, (char)(v >> (8 * i)));
}

struct wk_gzip *wk_gzip_new(struct wk_cmd *c, struct wk_out *out, int level, const char *name, uint32_t mtime)
{
    struct wk_gzip *g = wk_new(c, struct wk_gzip);
    g->c = c;
    g->out = out;
    g->z = new_stream(c);
    if (deflateInit2(g->z, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        wk_heap_exhausted(c->heap);
    g->buf = (char *)wk_heap_alloc(c->heap, PIECE);
    put_number(out, 4, 0x00088b1f | (name ? (uint32_t)HEAD_NAME << 24 : 0));
    put_number(out, 4, mtime);
    wk_out_char(out, level == 9 ? 2 : level == 1 ? 4 : 0);
    wk_out_char(out, 3); /* Unix */
    if (name)
        wk_out_put(out, name, strlen(name) + 1);
    g->head_bytes = 18 + (name ? strlen(name) + 1 : 0);
    g->bytes_out = g->head_bytes;
    return g;
}

static void deflate_piece(struct wk_gzip *g, struct wk_str piece, int flush)
{
    g->z->next_in = (z_const Bytef *)(uintptr_t)piece.p;
    g->z->avail_in = (uInt)piece.n;
    do {
        g->z->next_out = (Bytef *)g->buf;
        g->z->avail_out = PIECE;
        (void)deflate(g->z, flush);
        size_t made = PIECE - g->z->avail_out;
        wk_out_put(g->out, g->buf, made);
        g->bytes_out += made;
        wk_tick(g->c, (uint32_t)(made / 16 + 1));
    } while (g->z->avail_out == 0);
}

void wk_gzip_put(struct wk_gzip *g, struct wk_str piece)
{
    while (piece.n) {
        struct wk_str part = wk_str(piece.p, WK_MIN(piece.n, (size_t)PIECE));
        g->crc = (uint32_t)crc32(g->crc, (const Bytef *)part.p, (uInt)part.n);
        g->bytes_in += part.n;
        wk_tick(g->c, (uint32_t)(part.n / 8));
        deflate_piece(g, part, Z_NO_FLUSH);
        piece.p += part.n;
        piece.n -= part.n;
    }
}

void wk_gzip_finish(struct wk_gzip *g)
{
    deflate_piece(g, wk_str("", 0), Z_FINISH);
    put_number(g->out, 4, g->crc);
    put_number(g->out, 4, (uint32_t)g->bytes_in);
}

void wk_gzip_free(struct wk_gzip *g)
{
    (void)deflateEnd(g->z);
    wk_heap_free(g->c->heap, g->z);
    wk_heap_free(g->c->heap, g->buf);
    wk_heap_free(g->c->heap, g);
}
