/* crc32.h - CRC-32 of gzip and zip (reflected) and of POSIX cksum (not reflected) */
#ifndef WK_BASE_CRC32_H
#define WK_BASE_CRC32_H

#include "base/compiler.h"

/* Goes on from `crc` (0 at the start) over n more bytes; the result is what gzip stores. */
uint32_t wk_crc32(uint32_t crc, const void *p, size_t n);

/* POSIX cksum: go on from `crc` (0 at the start), then finish with the total length. */
uint32_t wk_cksum_add(uint32_t crc, const void *p, size_t n);
uint32_t wk_cksum_finish(uint32_t crc, uint64_t total);

#endif
