/* confine.h - what a confined process may do: Landlock and seccomp, from inside */
#ifndef WK_ADAPTERS_GUEST_CONFINE_H
#define WK_ADAPTERS_GUEST_CONFINE_H

#include "adapters/guest/guest.h"

/* What this kernel can do: enum guest_can without GUEST_CAN_INIT. */
uint32_t guest_confine_abilities(void);
/* Confine the calling process for good; false and errno. It may write below `root`, `further`
 * ("": none), /tmp, /var/tmp and to the usual devices alone. */
bool guest_confine_files(const char *root, const char *further);
/* It may trace and mount nothing, and, without `network`, open no socket but Unix ones. */
bool guest_confine_calls(bool network);

#endif
