/* fuzz_vfs.c - the memory file system against the naive model; the first byte's low bit makes
 * allocations fail */
#include "tests/unit/vfs/vfs_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && size <= 1 << 16)
        m_run_bytes(data + 1, size - 1, data[0] & 1, 0);
    return 0;
}
