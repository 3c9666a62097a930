/* code.h - codes of the public interface, and the checks of structs that it is given
 *
 * Everything behind include/ answers with these, whether it lies in api/ or in adapters/.
 */
#ifndef WK_ADAPTERS_CODE_H
#define WK_ADAPTERS_CODE_H

#include "base/err.h"
#include "whelk.h"

/* -WK_Exxx of the inner layers, or an errno, as a public code; 0 is WHELK_OK. */
int wk_code(int err);
/* Is the struct at p (first member size) one we know: no non-zero bytes past `known`. */
bool wk_struct_ok(const void *p, size_t known);
/* Copy the caller's options over a zeroed struct of ours; NULL gives zeros. The copy's `size` is the caller's.
 * Errors: INVALID, UNSUPPORTED. */
int wk_struct_take(void *dst, size_t known, const void *src);
/* Copy a struct of ours to the caller's, of which only as much is filled as it has; its `size` stays. INVALID when it
 * has no size. */
int wk_struct_give(void *dst, const void *src, size_t known);

#endif
