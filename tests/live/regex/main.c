/* main.c - live-regex: generated patterns and subjects, answered by glibc and by text/re, compared
 *
 *   live-regex COUNT SEED            COUNT patterns from number SEED; each difference is cut down
 * and told as one line live-regex one FLAGS PATTERN EFLAGS SUBJECT      both answers for one pair;
 * FLAGS as told, escapes as told
 *
 * A line told: number, kind of the difference, flags, pattern, flags of the subject, subject,
 * glibc's answer, ours; fields divided by tabs, bytes that are not printable as \xNN. The last line
 * holds counts.
 */
#include "pair.h"

#include "text/re/re.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GLIBC_MS = 300,
    GLIBC_CUT_MS = 150,
    OUR_WORK = 20000000,
    OUR_TRIES = 300000,
    REGCOMP_PARENS = 8
};

enum kind { SAME, COMPILE, FOUND, WHOLE, GROUPS, OUR_LIMIT, KINDS };
static const char *const kind_names[KINDS] = {"same",  "compile", "match",
                                              "whole", "groups",  "limit"};

struct totals {
    unsigned long patterns, pairs, compared, refused, matched, unknown, differ[KINDS];
};

static int count_work(void *ctx, size_t bytes)
{
    size_t *left = ctx;
    if (*left < bytes)
        return -1000;
    *left -= bytes;
    return 0;
}

struct asked {
    struct wk_mem *mem;
    struct live_glibc glibc;
};

static void ask_ours(struct wk_mem *mem, const struct live_pattern *p, struct live_answers *out)
{
    unsigned flags = (p->flags & LIVE_EXTENDED ? WK_RE_EXTENDED : 0u) |
                     (p->flags & LIVE_ICASE ? WK_RE_ICASE : 0u) |
                     (p->flags & LIVE_NEWLINE ? WK_RE_NEWLINE : 0u) |
                     (p->flags & LIVE_UTF8 ? 0u : WK_RE_BYTES);
    struct wk_re *re;
    struct wk_re_error err = {.code = 0};
    memset(out, 0, sizeof *out);
    int r = wk_re_compile(mem, wk_str_c(p->text), flags, NULL, &re, &err);
    out->compiled = true;
    out->code = r ? err.code ? err.code : 99 : 0;
    if (out->code == REGCOMP_PARENS + 8) /* regcomp has one number for both */
        out->code = REGCOMP_PARENS;
    if (r)
        return;
    out->groups = wk_re_groups(re);
    for (size_t k = 0; k < p->subjects; k++) {
        struct live_answer *a = &out->of[k];
        struct wk_re_span spans[LIVE_SPANS];
        size_t left = OUR_WORK;
        struct wk_re_run run = {.step = count_work,
                                .ctx = &left,
                                .pcre_limit = OUR_TRIES,
                                .not_bol = p->subject[k].flags & LIVE_NOTBOL,
                                .not_eol = p->subject[k].flags & LIVE_NOTEOL};
        r = wk_re_search(re, &run, wk_str_c(p->subject[k].text), 0, spans, LIVE_SPANS);
        for (size_t g = 0; g < LIVE_SPANS; g++) {
            a->spans[g][0] = r == 1 ? (int)spans[g].start : -1;
            a->spans[g][1] = r == 1 ? (int)spans[g].end : -1;
        }
        a->outcome = r == 1 ? LIVE_MATCH : r == 0 ? LIVE_NOMATCH : LIVE_LIMIT;
    }
    wk_re_unref(re);
}

/* How subject k differs; COMPILE is about the pattern alone. */
static enum kind difference(const struct live_answers *glibc, const struct live_answers *ours,
                            size_t k)
{
    const struct live_answer *a = &glibc->of[k], *b = &ours->of[k];
    if (!glibc->compiled)
        return SAME;
    if (glibc->code != ours->code || (!glibc->code && glibc->groups != ours->groups))
        return COMPILE;
    if (glibc->code || a->outcome == LIVE_UNKNOWN || a->outcome == LIVE_LIMIT)
        return SAME;
    if (b->outcome == LIVE_LIMIT)
        return OUR_LIMIT;
    if (a->outcome != b->outcome)
        return FOUND;
    if (memcmp(a->spans[0], b->spans[0], sizeof a->spans[0]) != 0)
        return WHOLE;
    return memcmp(a->spans, b->spans, sizeof a->spans) != 0 ? GROUPS : SAME;
}

/* ---- cutting down ---- */

static enum kind judge(struct asked *a, const struct live_pattern *p, struct live_answers *glibc,
                       struct live_answers *ours)
{
    live_ask_glibc(&a->glibc, p, glibc);
    ask_ours(a->mem, p, ours);
    return difference(glibc, ours, 0);
}

/* Whether it still differs so when a text of it loses n bytes at `at`. */
static bool without(struct asked *a, struct live_pattern *p, char *text, size_t at, size_t n,
                    enum kind kind)
{
    struct live_answers glibc, ours;
    char old[LIVE_BYTES];
    size_t all = strlen(text);
    if (at + n > all)
        return false;
    memcpy(old, text, all + 1);
    memmove(text + at, text + at + n, all - at - n + 1);
    if (judge(a, p, &glibc, &ours) == kind)
        return true;
    memcpy(text, old, all + 1);
    return false;
}

static bool cut_text(struct asked *a, struct live_pattern *p, char *text, enum kind kind)
{
    bool any = false;
    for (size_t size = 8; size; size /= 2)
        for (size_t at = 0; at < strlen(text);) {
            bool cut = without(a, p, text, at, size, kind);
            any = any || cut;
            at += !cut;
        }
    return any;
}

static void cut_flags(struct asked *a, struct live_pattern *p, unsigned *flags, enum kind kind)
{
    struct live_answers glibc, ours;
    for (unsigned bit = LIVE_ICASE; bit <= LIVE_NOTEOL; bit *= 2)
        if (*flags & bit) {
            *flags &= ~bit;
            if (judge(a, p, &glibc, &ours) != kind)
                *flags |= bit;
        }
}

/* ---- telling ---- */

static void put_escaped(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 32 || (unsigned char)*s > 126 || (*s == '\\' && s[1] == 'x'))
            printf("\\x%02x", (unsigned char)*s);
        else
            putchar(*s);
}

static void put_flags(unsigned flags)
{
    for (unsigned k = 0; k < 6; k++)
        if (flags >> k & 1)
            putchar("EInUbe"[k]);
}

static void put_answer(const struct live_answers *all, size_t k)
{
    const struct live_answer *a = &all->of[k];
    if (!all->compiled) {
        printf("unknown");
        return;
    }
    if (all->code) {
        printf("error %d", all->code);
        return;
    }
    static const char *const names[] = {"unknown", "", "no", "limit"};
    printf("%zu groups: %s", all->groups, names[a->outcome]);
    for (size_t g = 0; g < LIVE_SPANS && g <= all->groups && a->outcome == LIVE_MATCH; g++)
        printf("(%d,%d)", a->spans[g][0], a->spans[g][1]);
}

static void tell(struct asked *a, uint64_t number, const struct live_pattern *from, size_t k,
                 enum kind kind)
{
    struct live_pattern p = *from;
    struct live_answers glibc, ours;
    p.subject[0] = from->subject[k];
    p.subjects = 1;
    if (judge(a, &p, &glibc, &ours) == kind && kind != OUR_LIMIT) {
        while (cut_text(a, &p, p.text, kind) || cut_text(a, &p, p.subject[0].text, kind))
            ;
        cut_flags(a, &p, &p.flags, kind);
        cut_flags(a, &p, &p.subject[0].flags, kind);
    }
    judge(a, &p, &glibc, &ours);
    printf("%llu\t%s\t", (unsigned long long)number, kind_names[kind]);
    put_flags(p.flags);
    putchar('\t');
    put_escaped(p.text);
    putchar('\t');
    put_flags(p.subject[0].flags);
    putchar('\t');
    put_escaped(p.subject[0].text);
    putchar('\t');
    put_answer(&glibc, 0);
    putchar('\t');
    put_answer(&ours, 0);
    putchar('\n');
    fflush(stdout);
}

static void compare(struct asked *a, uint64_t number, struct totals *t)
{
    struct live_pattern p;
    struct live_answers glibc, ours;
    bool told[KINDS] = {false};
    live_make(number, &p);
    live_ask_glibc(&a->glibc, &p, &glibc);
    ask_ours(a->mem, &p, &ours);
    t->patterns++;
    t->refused += glibc.compiled && glibc.code;
    for (size_t k = 0; k < p.subjects; k++) {
        enum kind kind = difference(&glibc, &ours, k);
        bool known = glibc.compiled && (glibc.code || glibc.of[k].outcome == LIVE_MATCH ||
                                        glibc.of[k].outcome == LIVE_NOMATCH);
        t->pairs++;
        t->compared += known;
        t->unknown += !known;
        t->matched += glibc.of[k].outcome == LIVE_MATCH;
        t->differ[kind]++;
        if (kind && !told[kind])
            tell(a, number, &p, k, kind);
        told[kind] = true;
    }
}

/* ---- the program ---- */

static void take_escaped(char *to, const char *from)
{
    size_t n = 0;
    for (; *from && n + 1 < LIVE_BYTES; from++) {
        if (from[0] == '\\' && from[1] == 'x' && from[2] && from[3]) {
            char hex[3] = {from[2], from[3], '\0'};
            to[n++] = (char)strtol(hex, NULL, 16);
            from += 3;
        } else {
            to[n++] = *from;
        }
    }
    to[n] = '\0';
}

static unsigned take_flags(const char *s)
{
    unsigned flags = 0;
    for (; *s; s++) {
        const char *at = strchr("EInUbe", *s);
        flags |= at ? 1u << (at - "EInUbe") : 0;
    }
    return flags;
}

static int show_one(struct asked *a, char **v)
{
    struct live_pattern p = {.subjects = 1};
    struct live_answers glibc, ours;
    p.flags = take_flags(v[0]);
    take_escaped(p.text, v[1]);
    p.subject[0].flags = take_flags(v[2]);
    take_escaped(p.subject[0].text, v[3]);
    enum kind kind = judge(a, &p, &glibc, &ours);
    printf("%s\n  glibc ", kind_names[kind]);
    put_answer(&glibc, 0);
    printf("\n  ours  ");
    put_answer(&ours, 0);
    putchar('\n');
    return kind != SAME;
}

int main(int argc, char **argv)
{
    struct asked a = {.mem = wk_mem_new((size_t)1 << 30), .glibc = {.limit_ms = GLIBC_MS}};
    struct totals t = {.patterns = 0};
    signal(SIGPIPE, SIG_IGN); /* a child that has ended is noticed when it is read from */
    if (argc == 6 && strcmp(argv[1], "one") == 0)
        return show_one(&a, argv + 2);
    if (argc != 3)
        return 2;
    unsigned long long count = strtoull(argv[1], NULL, 10), seed = strtoull(argv[2], NULL, 10);
    for (unsigned long long k = 0; k < count; k++)
        compare(&a, seed + k, &t);
    printf("totals\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu", t.patterns, t.pairs, t.compared, t.refused,
           t.matched, t.unknown);
    for (int k = COMPILE; k < KINDS; k++)
        printf("\t%lu", t.differ[k]);
    putchar('\n');
    bool kept = wk_mem_used(a.mem) != 0;
    wk_mem_unref(a.mem);
    live_glibc_stop(&a.glibc);
    return kept;
}
