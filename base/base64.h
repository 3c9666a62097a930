/* base64.h - base64 (RFC 4648), whole buffers */
#ifndef WK_BASE_BASE64_H
#define WK_BASE_BASE64_H

#include "base/buf.h"

/* Appends the encoding of s, without line breaks. False when the buffer refuses. */
bool wk_base64_put(struct wk_buf *b, struct wk_str s);
/* Appends the decoding of s; newlines are skipped. 0, -WK_EINVAL (what came before is appended),
 * -WK_ENOMEM. */
WK_NODISCARD int wk_base64_get(struct wk_buf *b, struct wk_str s);

#endif
