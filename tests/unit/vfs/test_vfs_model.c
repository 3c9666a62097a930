/* test_vfs_model.c - random operations against the naive model of vfs_model.h */
#include "vfs_model.h"

#include <criterion/criterion.h>

static void run_seeds(uint64_t first, bool torture)
{
    static uint8_t bytes[4000];
    const char *n = getenv("WHELK_SEEDS");
    uint64_t seeds = n ? (uint64_t)atoll(n) : 150;
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        uint64_t s = seed;
        for (size_t i = 0; i < sizeof bytes; i++) {
            s = s * UINT64_C(6364136223846793005) + 1442695040888963407;
            bytes[i] = (uint8_t)(s >> 40);
        }
        m_run_bytes(bytes, sizeof bytes, torture, seed);
    }
}

Test(vfs_model, random_operations, .timeout = 100)
{
    run_seeds(1, false);
}

Test(vfs_model, random_operations_with_failing_memory, .timeout = 100)
{
    run_seeds(1000000, true);
}
