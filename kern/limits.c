/* limits.c - default limits, names and messages */
#include "kern/limits.h"

void wk_limits_default(struct wk_limits *l)
{
    const uint64_t mib = UINT64_C(1) << 20;
    *l = (struct wk_limits){.memory = 512 * mib,
                            .output = 1024 * mib,
                            .tasks = 512,
                            .fds = 1024,
                            .depth = 10000,
                            .nesting = 1000,
                            .expansion = 256 * mib,
                            .regex = 100000000,
                            .file_bytes = 1024 * mib,
                            .files = 1000000,
                            .file_size = 1024 * mib};
}

const char *wk_limit_name(enum wk_limit_kind kind)
{
    switch (kind) {
    case WK_LIMIT_NONE:
        return "none";
    case WK_LIMIT_MEMORY:
        return "memory";
    case WK_LIMIT_TIME:
        return "time";
    case WK_LIMIT_STEPS:
        return "steps";
    case WK_LIMIT_OUTPUT:
        return "output";
    case WK_LIMIT_TASKS:
        return "tasks";
    case WK_LIMIT_FDS:
        return "descriptors";
    case WK_LIMIT_DEPTH:
        return "depth";
    case WK_LIMIT_NESTING:
        return "nesting";
    case WK_LIMIT_EXPANSION:
        return "expansion";
    case WK_LIMIT_REGEX:
        return "regex";
    case WK_LIMIT_COUNT:
        break;
    }
    return "unknown";
}

const char *wk_limit_text(enum wk_limit_kind kind)
{
    switch (kind) {
    case WK_LIMIT_MEMORY:
        return "memory limit reached";
    case WK_LIMIT_TIME:
        return "time limit reached";
    case WK_LIMIT_STEPS:
        return "step limit reached";
    case WK_LIMIT_OUTPUT:
        return "output limit reached";
    case WK_LIMIT_TASKS:
        return "process limit reached";
    case WK_LIMIT_FDS:
        return "descriptor limit reached";
    case WK_LIMIT_DEPTH:
        return "call depth limit reached";
    case WK_LIMIT_NESTING:
        return "nesting limit reached";
    case WK_LIMIT_EXPANSION:
        return "expansion limit reached";
    case WK_LIMIT_REGEX:
        return "regular expression limit reached";
    case WK_LIMIT_NONE:
    case WK_LIMIT_COUNT:
        break;
    }
    return "limit reached";
}
