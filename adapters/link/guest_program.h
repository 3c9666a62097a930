/* guest_program.h - the guest helper as the library brings it along: a static program of the library's own machine */
#ifndef WK_ADAPTERS_GUEST_PROGRAM_H
#define WK_ADAPTERS_GUEST_PROGRAM_H

#include <stddef.h>

/* Its bytes: an executable file. */
const unsigned char *wk_guest_program(size_t *n);

#endif
