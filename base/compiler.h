/* compiler.h - attributes and small macros that every other file may use. */
#ifndef WK_BASE_COMPILER_H
#define WK_BASE_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WK_PRINTF(fmt, args)               __attribute__((format(printf, fmt, args)))
#define WK_NODISCARD                       __attribute__((warn_unused_result))
#define WK_NOINLINE                        __attribute__((noinline))
/* What its callers pass is not followed into it. */
#if defined(__GNUC__) && !defined(__clang__)
#define WK_NOIPA __attribute__((noipa))
#else
#define WK_NOIPA WK_NOINLINE
#endif
#define WK_COLD                            __attribute__((cold, noinline))
#define WK_NORETURN                        __attribute__((noreturn))
#define WK_UNUSED                          __attribute__((unused))
#define WK_PURE                            __attribute__((pure))
#define WK_HIDDEN                          __attribute__((visibility("hidden")))
#define WK_LIKELY(x)                       __builtin_expect(!!(x), 1)
#define WK_UNLIKELY(x)                     __builtin_expect(!!(x), 0)
#define WK_COUNTOF(a)                      (sizeof(a) / sizeof((a)[0]))
#define WK_MIN(a, b)                       ((a) < (b) ? (a) : (b))
#define WK_MAX(a, b)                       ((a) > (b) ? (a) : (b))
#define WK_CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#if defined(__SANITIZE_ADDRESS__)
#define WK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WK_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define WK_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WK_TSAN 1
#endif
#endif
#ifndef WK_ASAN
#define WK_ASAN 0
#endif
#ifndef WK_TSAN
#define WK_TSAN 0
#endif

/* A broken invariant of ours, never a property of input. Traps in builds made with WK_CHECKED
 * (debug, sanitizers, fuzz); elsewhere it costs nothing and the code after it stays defined. */
#ifdef WK_CHECKED
#define WK_ASSERT(cond) ((cond) ? (void)0 : __builtin_trap())
#else
#define WK_ASSERT(cond) ((void)sizeof(cond))
#endif

#endif
