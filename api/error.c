/* error.c - errors of a session, and what the library says of itself */
#include "api/internal.h"

int wk_api_fail(whelk_session *s, const char *what, int err)
{
    wk_buf_reset(&s->error);
    wk_buf_fmt(&s->error, "%s: %s", what, wk_err_text(err));
    return wk_api_error(err);
}

const char *whelk_version(void)
{
    return "0.1.0";
}

const char *whelk_limit_name(int limit)
{
    if (limit < 0 || limit >= WK_LIMIT_COUNT)
        return "unknown";
    return wk_limit_name((enum wk_limit_kind)limit);
}

const char *whelk_session_error(const whelk_session *s)
{
    return s ? wk_buf_c(&s->error) : "";
}
