/* err.h - error codes and their texts
 *
 * Codes that Unix knows carry Linux's errno numbers and the texts of glibc's strerror, since
 * scripts see them. Functions return 0 or a count on success and -WK_Exxx on failure.
 */
#ifndef WK_BASE_ERR_H
#define WK_BASE_ERR_H

#include "base/compiler.h"

#define WK_ERR_LIST(X)                                                 \
    X(EPERM, 1, "Operation not permitted")                             \
    X(ENOENT, 2, "No such file or directory")                          \
    X(ESRCH, 3, "No such process")                                     \
    X(EINTR, 4, "Interrupted system call")                             \
    X(EIO, 5, "Input/output error")                                    \
    X(ENXIO, 6, "No such device or address")                           \
    X(E2BIG, 7, "Argument list too long")                              \
    X(ENOEXEC, 8, "Exec format error")                                 \
    X(EBADF, 9, "Bad file descriptor")                                 \
    X(ECHILD, 10, "No child processes")                                \
    X(EAGAIN, 11, "Resource temporarily unavailable")                  \
    X(ENOMEM, 12, "Cannot allocate memory")                            \
    X(EACCES, 13, "Permission denied")                                 \
    X(EFAULT, 14, "Bad address")                                       \
    X(EBUSY, 16, "Device or resource busy")                            \
    X(EEXIST, 17, "File exists")                                       \
    X(EXDEV, 18, "Invalid cross-device link")                          \
    X(ENODEV, 19, "No such device")                                    \
    X(ENOTDIR, 20, "Not a directory")                                  \
    X(EISDIR, 21, "Is a directory")                                    \
    X(EINVAL, 22, "Invalid argument")                                  \
    X(ENFILE, 23, "Too many open files in system")                     \
    X(EMFILE, 24, "Too many open files")                               \
    X(ENOTTY, 25, "Inappropriate ioctl for device")                    \
    X(ETXTBSY, 26, "Text file busy")                                   \
    X(EFBIG, 27, "File too large")                                     \
    X(ENOSPC, 28, "No space left on device")                           \
    X(ESPIPE, 29, "Illegal seek")                                      \
    X(EROFS, 30, "Read-only file system")                              \
    X(EMLINK, 31, "Too many links")                                    \
    X(EPIPE, 32, "Broken pipe")                                        \
    X(EDOM, 33, "Numerical argument out of domain")                    \
    X(ERANGE, 34, "Numerical result out of range")                     \
    X(EDEADLK, 35, "Resource deadlock avoided")                        \
    X(ENAMETOOLONG, 36, "File name too long")                          \
    X(ENOSYS, 38, "Function not implemented")                          \
    X(ENOTEMPTY, 39, "Directory not empty")                            \
    X(ELOOP, 40, "Too many levels of symbolic links")                  \
    X(ENODATA, 61, "No data available")                                \
    X(EPROTO, 71, "Protocol error")                                    \
    X(EOVERFLOW, 75, "Value too large for defined data type")          \
    X(EILSEQ, 84, "Invalid or incomplete multibyte or wide character") \
    X(EOPNOTSUPP, 95, "Operation not supported")                       \
    X(ECONNRESET, 104, "Connection reset by peer")                     \
    X(ETIMEDOUT, 110, "Connection timed out")                          \
    X(ECONNREFUSED, 111, "Connection refused")                         \
    X(EHOSTUNREACH, 113, "No route to host")                           \
    X(ESTALE, 116, "Stale file handle")                                \
    X(EDQUOT, 122, "Disk quota exceeded")                              \
    X(ECANCELED, 125, "Operation canceled")                            \
    X(ESTOP, 4001, "Run stopped")                                      \
    X(ELIMIT, 4002, "Limit reached")                                   \
    X(ESYNTAX, 4003, "Syntax error")                                   \
    X(EBUG, 4004, "Internal error")

enum wk_err {
#define WK_ERR_ENUM(name, number, text) WK_##name = number,
    WK_ERR_LIST(WK_ERR_ENUM)
#undef WK_ERR_ENUM
};

/* The text of a code, positive or negative; "Unknown error" for a number not in the list.
 * The string is static. Any thread. */
const char *wk_err_text(int err);

/* The code's symbolic name ("ENOENT"), or "E?" for a number not in the list. Static. Any thread. */
const char *wk_err_name(int err);

#endif
