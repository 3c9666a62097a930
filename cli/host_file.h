/* host_file.h - files of the host that the command line names */
#ifndef WK_CLI_HOST_FILE_H
#define WK_CLI_HOST_FILE_H

#include <stddef.h>

/* The whole file, with a NUL behind, to be freed; NULL with errno. */
char *wk_cli_read_file(const char *path, size_t *len);

#endif
