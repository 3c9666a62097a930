/* pair.h - a pattern with its subjects, and what an engine says of them */
#ifndef WK_TESTS_LIVE_REGEX_PAIR_H
#define WK_TESTS_LIVE_REGEX_PAIR_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    LIVE_SUBJECTS = 8, /* of a pattern */
    LIVE_BYTES = 240,  /* of a pattern or subject, with its NUL */
    LIVE_SPANS = 10
};

enum live_flag {
    LIVE_EXTENDED = 1,
    LIVE_ICASE = 2,
    LIVE_NEWLINE = 4,
    LIVE_UTF8 = 8,
    LIVE_NOTBOL = 16,
    LIVE_NOTEOL = 32
};

struct live_subject {
    char text[LIVE_BYTES];
    unsigned flags; /* LIVE_NOTBOL, LIVE_NOTEOL */
};

struct live_pattern {
    char text[LIVE_BYTES];
    unsigned flags; /* the others */
    size_t subjects;
    struct live_subject subject[LIVE_SUBJECTS];
};

enum live_outcome { LIVE_UNKNOWN, LIVE_MATCH, LIVE_NOMATCH, LIVE_LIMIT };

struct live_answer {
    enum live_outcome outcome;
    int spans[LIVE_SPANS][2];
};

struct live_answers {
    bool compiled; /* the code is known */
    int code;      /* regcomp's */
    size_t groups;
    struct live_answer of[LIVE_SUBJECTS];
};

/* The pattern of a number: make_pair.c. */
void live_make(uint64_t number, struct live_pattern *out);

/* A child that asks glibc for us; zeroed but for limit_ms, the time of one pattern. */
struct live_glibc {
    unsigned limit_ms, asked;
    int child, to, from;
    struct shared *shared;
};

/* glibc's answers; what the child did not come to is unknown: glibc.c. */
void live_ask_glibc(struct live_glibc *g, const struct live_pattern *p, struct live_answers *out);
void live_glibc_stop(struct live_glibc *g);
/* The same in this process, for a look at a single pair; limits are the caller's. */
void live_ask_glibc_here(const struct live_pattern *p, struct live_answers *out);

#endif
