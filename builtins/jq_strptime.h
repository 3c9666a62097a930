/* jq_strptime.h - dates read by a format, as the C library's strptime does in the C locale */
#ifndef WK_BUILTINS_JQ_STRPTIME_H
#define WK_BUILTINS_JQ_STRPTIME_H

#include "text/date/date.h"

/* Reads text by format into *tm, whose fields stay as they are where the format does not tell them; `zone`
 * is that of %s. The number of bytes read, or -1 when they do not agree. */
ptrdiff_t wk_jq_strptime(struct wk_str text, struct wk_str format, const struct wk_tz *zone, struct wk_tm *tm);

#endif
