/* file_cases.h - what the file calls of every kind of sandbox do: cases over the public interface alone */
#ifndef WK_TESTS_FILE_CASES_H
#define WK_TESTS_FILE_CASES_H

#include "whelk/sandbox.h"

struct file_case {
    const char *name;
    void (*run)(whelk_sandbox *box); /* in an empty workspace, which it may leave in any state */
};
extern const struct file_case file_cases[]; /* ended by name NULL */

/* ---- for tests ---- */

/* Asserts that a call answered this code; says the sandbox's words if not. */
#define EXPECT_CODE(box, call, wanted)                                                                        \
    do {                                                                                                      \
        int code_ = (call);                                                                                   \
        cr_expect_eq(code_, (wanted), "%s: %d (%s), not %d", #call, code_, whelk_sandbox_error(box), wanted); \
    } while (0)

void put_text(whelk_sandbox *box, const char *path, const char *text);
/* "" when it cannot be read; freed with free. */
char *text_of(whelk_sandbox *box, const char *path);
void expect_text(whelk_sandbox *box, const char *path, const char *text);
/* Permission bits; 0 when it is not there. */
unsigned mode_of(whelk_sandbox *box, const char *path);

/* Collects what is shown, a line each. */
struct shown {
    char *text;
    size_t n;
    int stop_after; /* lines; 0: never */
    int lines;
};
int show_entry(void *ctx, const char *path, const whelk_stat *st, const char *target);
int show_path(void *ctx, const char *path);
int show_hit(void *ctx, const whelk_match *m);
void expect_shown(struct shown *s, const char *text);
void expect_glob(whelk_sandbox *box, const char *path, const char *pattern, const char *text);

#endif
