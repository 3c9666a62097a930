/* err.c - texts and names of error codes */
#include "base/err.h"

const char *wk_err_text(int err)
{
    switch (err < 0 ? -err : err) {
    case 0:
        return "Success";
#define WK_ERR_TEXT(name, number, text) \
    case number:                        \
        return text;
        WK_ERR_LIST(WK_ERR_TEXT)
#undef WK_ERR_TEXT
    default:
        return "Unknown error";
    }
}

const char *wk_err_name(int err)
{
    switch (err < 0 ? -err : err) {
#define WK_ERR_NAME(name, number, text) \
    case number:                        \
        return #name;
        WK_ERR_LIST(WK_ERR_NAME)
#undef WK_ERR_NAME
    default:
        return "E?";
    }
}
