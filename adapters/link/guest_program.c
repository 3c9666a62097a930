/* guest_program.c - the guest helper's bytes */
#include "adapters/link/guest_program.h"

static const unsigned char program[] = {
#include "guest.inc"
};

const unsigned char *wk_guest_program(size_t *n)
{
    *n = sizeof program;
    return program;
}
