/* code.c - public error codes, their texts, and checks of option structs */
#include "adapters/sandbox/code.h"

#include <string.h>

const char *whelk_strerror(int code)
{
    switch (code) {
    case WHELK_OK:
        return "Success";
    case WHELK_E_NOMEM:
        return "Out of memory";
    case WHELK_E_INVALID:
        return "Invalid argument";
    case WHELK_E_UNSUPPORTED:
        return "Option not supported";
    case WHELK_E_BUSY:
        return "Session is busy";
    case WHELK_E_CLOSED:
        return "Session is closed";
    case WHELK_E_STATE:
        return "Not possible in this state";
    case WHELK_E_NOENT:
        return "Not found";
    case WHELK_E_ACCESS:
        return "Permission denied";
    case WHELK_E_EXISTS:
        return "Exists already";
    case WHELK_E_NOTDIR:
        return "Not a directory";
    case WHELK_E_ISDIR:
        return "Is a directory";
    case WHELK_E_NOTEMPTY:
        return "Directory not empty";
    case WHELK_E_NOSPACE:
        return "File quota reached";
    case WHELK_E_ROFS:
        return "Read-only file system";
    case WHELK_E_LOOP:
        return "Too many levels of symbolic links";
    case WHELK_E_NAMETOOLONG:
        return "Name too long";
    case WHELK_E_IO:
        return "Input/output error";
    case WHELK_E_AGAIN:
        return "Nothing now";
    case WHELK_E_SYSTEM:
        return "The host refused resources";
    case WHELK_E_BUG:
        return "Internal fault";
    default:
        return "Unknown error";
    }
}

int wk_code(int err)
{
    switch (err < 0 ? -err : err) {
    case 0:
        return WHELK_OK;
    case WK_ENOMEM:
    case WK_ELIMIT:
        return WHELK_E_NOMEM;
    case WK_ENOENT:
    case WK_ESRCH:
        return WHELK_E_NOENT;
    case WK_EACCES:
    case WK_EPERM:
        return WHELK_E_ACCESS;
    case WK_EEXIST:
        return WHELK_E_EXISTS;
    case WK_ENOTDIR:
        return WHELK_E_NOTDIR;
    case WK_EISDIR:
        return WHELK_E_ISDIR;
    case WK_ENOTEMPTY:
        return WHELK_E_NOTEMPTY;
    case WK_ENOSPC:
    case WK_EDQUOT:
    case WK_EFBIG:
        return WHELK_E_NOSPACE;
    case WK_EROFS:
        return WHELK_E_ROFS;
    case WK_ELOOP:
        return WHELK_E_LOOP;
    case WK_ENAMETOOLONG:
        return WHELK_E_NAMETOOLONG;
    case WK_EBUSY:
        return WHELK_E_STATE;
    case WK_EAGAIN:
    case WK_EMFILE:
    case WK_ENFILE:
        return WHELK_E_SYSTEM;
    case WK_EOPNOTSUPP:
    case WK_ENOSYS:
        return WHELK_E_UNSUPPORTED;
    case WK_EIO:
    case WK_EPROTO:
    case WK_EPIPE:
    case WK_ECONNRESET:
    case WK_ECONNREFUSED:
    case WK_EHOSTUNREACH:
        return WHELK_E_IO;
    case WK_ETIMEDOUT:
        return WHELK_E_AGAIN;
    case WK_ECANCELED:
    case WK_EINTR:
        return WHELK_E_CLOSED;
    case WK_EBUG:
        return WHELK_E_BUG;
    default:
        return WHELK_E_INVALID;
    }
}

bool wk_struct_ok(const void *p, size_t known)
{
    size_t size;
    memcpy(&size, p, sizeof size);
    if (size < sizeof size)
        return false;
    const unsigned char *b = p;
    for (size_t i = known; i < size; i++)
        if (b[i])
            return false;
    return true;
}

int wk_struct_take(void *dst, size_t known, const void *src)
{
    memset(dst, 0, known);
    if (!src)
        return WHELK_OK;
    size_t size;
    memcpy(&size, src, sizeof size);
    if (size < sizeof size)
        return WHELK_E_INVALID;
    if (!wk_struct_ok(src, known))
        return WHELK_E_UNSUPPORTED;
    memcpy(dst, src, size < known ? size : known);
    return WHELK_OK;
}

/* gcc would take the size of one caller's struct for what the field says, and warn. */
WK_NOIPA int wk_struct_give(void *dst, const void *src, size_t known)
{
    size_t size;
    memcpy(&size, dst, sizeof size);
    if (size < sizeof size)
        return WHELK_E_INVALID;
    size_t n = size < known ? size : known;
    memcpy((char *)dst + sizeof size, (const char *)src + sizeof size, n - sizeof size);
    if (size > known)
        memset((char *)dst + known, 0, size - known);
    return WHELK_OK;
}
